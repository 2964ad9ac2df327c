/* SPDX-License-Identifier: Apache-2.0 */
/* Which limits speak of a planned item: the check's own, then the suite's step, then the platform's baseline.
 */
#ifndef ASSAY_RUN_LIMITS_H
#define ASSAY_RUN_LIMITS_H

#include "assay/limit.h"
#include "assay/plan.h"
#include "assay/suite.h"

struct platform_baseline {
    const char *platform;
    const struct baseline *baseline; /* NULL where none fits: its gates are inconclusive and say so */
};

struct run_limits {
    const struct suite *suite;
    LIST_OF(struct platform_baseline) baselines; /* one for each platform of the run */
};

struct slot_limits {
    LIST_OF(const struct limit *) limits;
};

/* The slot's own rules, and the first limit that applies of the suite's step or, when it has none, of the
 * baseline. */
void slot_limits_find(struct arena *arena, const struct run_limits *limits, const struct shape *shape,
                      const struct slot *slot, struct slot_limits *ret_limits);

#endif
