/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was reached: of every number that tells how fast something is and that is a gate, the worst value and where it was
 * measured, the median, and the limit with its source. Which metrics these are stands in the rows of the parsers (metric.peers),
 * what is a gate in the plan. The worst value over all attempts of each item counts, whether it passed or not.
 */
#ifndef ASSAY_REPORT_REACHED_H
#define ASSAY_REPORT_REACHED_H

#include "view.h"

struct reached_row {
    const char *suite_step, *platform, *metric, *unit;
    const struct reason
        *at; /* where it is taken: "size 8G, place out", or from which to which; NULL: there is one */
    const struct reason *gate; /* by which it is judged; NULL: nothing was judged */
    const char *status;
    const struct reason *source;
    double median;               /* NAN: nothing was measured */
    const struct outcome *worst; /* NULL likewise */
    size_t values, items;        /* of so many items that are owed */
    size_t hosts, hosts_owed;    /* likewise */
    bool lower_is_better;
    double margin; /* by how much of the limit the worst value is better than it; NAN: that is not a number */
};
struct reached {
    LIST_OF(struct reached_row) items; /* in plan order */
};

/* In the view's arena. */
void reached_of(const struct view *view, struct reached *ret_reached);
/* Of each step of the suite the measured row nearest to its limit, where that is a number: who signs sees how little room there was. Of more than `most` steps those
   come first that are measured over several hosts. Indexes of rows, in plan order; returns how many. */
size_t reached_nearest(const struct view *view, const struct reached *reached, size_t most, size_t *ret_rows);
/* "node3 gpu2": where the worst value was measured. */
const struct reason *reached_where(const struct view *view, const struct reached_row *row);

#endif
