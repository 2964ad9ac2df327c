/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that were repeated for a time: what their attempts, the slices, showed, one row for each rate. */
#ifndef ASSAY_REPORT_SLICES_H
#define ASSAY_REPORT_SLICES_H

#include "spread.h"
#include "view.h"

struct slice_row {
    const struct step_view *step;
    const struct slot *slot;
    const char *unit;
    double from, to; /* begin of the first slice and end of the last one */
    double *values;  /* of each slice that came to its end, in the order of time: its worst */
    size_t count;
    struct spread spread;
};
struct slice_rows {
    LIST_OF(struct slice_row) items; /* in plan order */
};
void slice_rows_of_run(const struct view *view, struct slice_rows *ret_rows);

/* Of such a step nothing more is to be said of this attempt than its row says: it came to its end, read in full. */
bool slice_is_plain(const struct step_view *step, const struct attempt *attempt);

#endif
