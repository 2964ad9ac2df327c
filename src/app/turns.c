/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/turns.h"

#include <limits.h>
#include <string.h>

#include "assay/base/scan.h"

void turns_keep(struct record *record, unsigned hosts_at_once)
{
    if (hosts_at_once > 0)
        document_add(record->arena, &record->documents, TURNS_DOCUMENT, "hosts at once",
                     slice_of(arena_printf(record->arena, "%u\n", hosts_at_once)));
}

int turns_of(const struct record *record, unsigned *ret_hosts_at_once, struct error *err)
{
    *ret_hosts_at_once = 0;
    list_each (document, record->documents) {
        struct slice rest = document->bytes, line;
        uint64_t number;

        if (strcmp(document->kind, TURNS_DOCUMENT) != 0)
            continue;
        if (!scan_line(&rest, &line) || !scan_u64(line, &number) || number < 1 || number > UINT_MAX)
            return error_set(err, ERROR_INTERNAL,
                             "how many hosts of the run may work at a time is not readable; give "
                             "--hosts-at-once");
        *ret_hosts_at_once = (unsigned)number;
    }
    return 0;
}
