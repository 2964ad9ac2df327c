/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How one number lies over all GPUs, hosts, pairs or HCAs that have it: what stands out is what the judgement says
 * stands out or failed; no rule of its own. The worst value over all attempts of each item counts.
 */
#ifndef ASSAY_REPORT_DISTRIBUTIONS_H
#define ASSAY_REPORT_DISTRIBUTIONS_H

#include "view.h"

/* With fewer there is nothing to see that the other tables do not say. */
enum { SIBLINGS_LEAST = 5, QUANTILES = 7, GATES_DRAWN = 4 };
extern const double quantile_parts[QUANTILES]; /* 0, 0.01, 0.25, 0.5, 0.75, 0.99, 1 */

struct outlier {
    const struct outcome *outcome; /* whose value it is, */
    const struct outcome *named;   /* and the one that says why: often the same */
};

struct distribution {
    const char *suite_step, *platform, *metric, *unit;
    bool is_rate;            /* how fast something is */
    const struct slot *slot; /* the first of them: where it is taken */
    LIST_OF(double) values;  /* ascending */
    double quantiles[QUANTILES];
    const struct outcome *lowest, *highest;
    double gates[GATES_DRAWN]; /* numbers that values are held against, each once; not those of peers */
    size_t gate_count;
    const struct reason *gate;     /* the first of them, in words; NULL: there is none */
    LIST_OF(struct outlier) found; /* failed or standing out, in plan order */
};

struct distributions {
    LIST_OF(struct distribution)
    items; /* in plan order; of at least SIBLINGS_LEAST values that are not all equal */
};

void distributions_collect(const struct view *view, struct distributions *ret_distributions);
/* Four digits or five: the tools print no more that could be told from noise. */
const char *distribution_number(struct arena *arena, double value);

#endif
