/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice on settings of a suite that many guides recommend and that are outdated, or harm what is measured. It is
 * said in the notes of plan and run; nothing is changed, refused or judged by it.
 */
#ifndef ASSAY_ADVICE_H
#define ASSAY_ADVICE_H

#include "assay/model/reason.h"
#include "assay/model/suite.h"

struct advice {
    LIST_OF(const struct reason *)
    notes; /* "launcher.environment: NCCL_ALGO=Tree: leave it unset: ... (nccl#790)" */
};

/* Of every environment in the suite, in its order; in the arena. */
void advice_of_suite(struct arena *arena, const struct suite *suite, struct advice *ret_advice);

#endif
