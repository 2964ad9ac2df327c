/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What hosts of one platform must have alike (RULE_SAME), and what that is: firmware, kinds of parts, settings. That they are
 * alike is judged; whether they are what was ordered nobody but the buyer knows, unless a contract says it: of what it says
 * there is no row.
 */
#ifndef ASSAY_REPORT_ALIKE_H
#define ASSAY_REPORT_ALIKE_H

#include "view.h"

struct alike_value {
    const struct reason *text;
    size_t items; /* that have it */
};
struct alike_row {
    const char *platform, *suite_step, *metric;
    LIST_OF(struct alike_value) values; /* the most frequent first */
    size_t items;                       /* with a value */
};
struct alike {
    LIST_OF(struct alike_row)
    items; /* in plan order; of a metric that several steps ask, by the first of them */
};

/* In the view's arena. */
void alike_of(const struct view *view, struct alike *ret_alike);
/* "96.00.74.00.01", "96.00.74.00.01: 31; 96.00.61.00.01: 1": of several how many items have each, and of many the first. */
const struct reason *alike_values(struct arena *arena, const struct alike_row *row);

#endif
