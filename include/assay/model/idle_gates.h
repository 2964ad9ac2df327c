/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a suite gates by a pattern of its "gate" that nothing of some platform's hosts is measured by: of one GPU there are no pairs.
 * That is no fault of theirs; but who reads the suite must not think that it was judged.
 */
#ifndef ASSAY_IDLE_GATES_H
#define ASSAY_IDLE_GATES_H

#include "assay/model/plan.h"
#include "assay/model/suite.h"

struct idle_gate {
    const char *step, *platform;
    const char *pattern; /* as the suite writes it */
};
struct idle_gates {
    LIST_OF(struct idle_gate) items; /* in the suite's order, then by platform in the plan's */
};

/* Of the steps that the plan has and does not leave out; in the arena. */
void idle_gates_find(struct arena *arena, const struct suite *suite, const struct plan *plan,
                     struct idle_gates *ret_gates);

#endif
