/* SPDX-License-Identifier: Apache-2.0 */
/* The retest log: every attempt of what was tested more than once, and what it showed of the items in question. */
#ifndef ASSAY_REPORT_RETESTS_H
#define ASSAY_REPORT_RETESTS_H

#include "view.h"

struct retest_line {
    const struct step_view *step;
    const struct attempt *attempt;
    /* "gpu_burn.gflops gpu3: 44100 GFLOP/s; ...": of the items that failed, are doubtful or remarked on; of a step
     * without such how the attempt ended alone: NULL. */
    const struct reason *values;
};
struct retest_lines {
    LIST_OF(struct retest_line) items; /* in plan order, then of the attempts */
};

/* Of what was repeated for a time those alone that did not come to their end as they should: the others are a row of
 * slices.h. Of steps with variants nothing: their repeats are compared in a section of their own. */
void retest_lines_of_run(const struct view *view, struct retest_lines *ret_lines);

#endif
