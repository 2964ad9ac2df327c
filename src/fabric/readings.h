/* SPDX-License-Identifier: Apache-2.0 */
/* Readings one behind the other in one file, as assay-probe-links leaves them. */
#ifndef ASSAY_FABRIC_READINGS_H
#define ASSAY_FABRIC_READINGS_H

#include "assay/base/scan.h"

/* "# counters 3", in their order from 0. */
static inline bool reading_begins(struct slice line, size_t count)
{
    uint64_t number;

    return scan_text(&line, "# counters ") && scan_u64(slice_trim(line), &number) && number == count;
}

#endif
