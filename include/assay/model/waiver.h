/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waivers: a person's recorded decision to accept a failure. Bound to its evidence, so that no other run and no other
 * attempt inherits it: to the step and its last attempt when it was made, to the items that had failed by then, and to
 * the hardware that they are about. Only a fail can be waived; what was not measured never can.
 *
 * A waiver is never edited: one that is withdrawn stays, with the withdrawal beside it. It counts from when it was made
 * until its end. Plain data; whether it covers an outcome is judged with every other (judge.h).
 */
#ifndef ASSAY_WAIVER_H
#define ASSAY_WAIVER_H

#include <stdbool.h>

#include "assay/base/arena.h"

/* A planned item of the step, as its slot names it. */
struct waived_item {
    const char *metric, *subject, *at;
    const char *hardware; /* identity of the GPU, HCA or chassis that it is about; "" when none was seen */
};

struct withdrawal {
    const char *uuid, *who, *why;
    double made; /* Unix time, s; 0: the waiver is not withdrawn */
};

/* Who lets another party's waiver count here. */
struct adoption {
    const char *who, *why;
    double made; /* Unix time, s; 0: nobody has */
};

struct waiver {
    const char *uuid;
    const char *step_key; /* of struct step, and so of one run */
    const char *attempt;  /* UUID of the step's last attempt */
    const char *who, *why;
    double made, until; /* Unix time, s */
    LIST_OF(struct waived_item) items;
    struct withdrawal withdrawn;
    bool foreign; /* of an imported run: it counts from when it is adopted */
    struct adoption adopted;
};

/* At that time made, not ended and not withdrawn; of another party's also adopted. */
bool waiver_in_force(const struct waiver *waiver, double now);

#endif
