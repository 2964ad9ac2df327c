/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a line between commas, as spreadsheets write names and numbers. */
#ifndef ASSAY_FABRIC_COMMA_FIELDS_H
#define ASSAY_FABRIC_COMMA_FIELDS_H

#include <string.h>

#include "assay/base/scan.h"

/* Without blanks around them, and without quotes around a whole field. Returns how many there are, of which `most` are told. */
static inline size_t comma_fields(struct slice line, struct slice *ret_fields, size_t most)
{
    size_t count = 0;

    for (bool more = true; more; count++) {
        size_t end = slice_find(line, ",");
        struct slice field;

        more = end != (size_t)-1;
        field = slice_trim((struct slice){line.bytes, more ? end : line.length});
        if (field.length >= 2 && field.bytes[0] == '"' && field.bytes[field.length - 1] == '"')
            field = slice_trim((struct slice){field.bytes + 1, field.length - 2});
        if (count < most)
            ret_fields[count] = field;
        line = slice_from(line, more ? end + 1 : line.length);
    }
    return count;
}

#endif
