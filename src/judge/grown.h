/* SPDX-License-Identifier: Apache-2.0 */
/* By how much a counter grew since the run first looked at it on that host: RULE_GROWN. */
#ifndef ASSAY_JUDGE_GROWN_H
#define ASSAY_JUDGE_GROWN_H

#include "judge_private.h"
#include "together.h"

/* Of each step the first one of the same check on the same host in its run; of one that is no look at one host, and of
   the first, itself. In the arena. */
const size_t *first_looks(struct arena *arena, const struct together *together);
/*
 * "2 more than the 12 that it was when the run first read it, 3.2 h before"; NULL: it grew by no more than the limit allows. Of a
 * counter that went back, as one that was cleared or whose driver was loaded again, or that was not read the first time, nobody
 * knows: NULL. timescale: of the host.
 */
const struct reason *grown_too_much(struct arena *arena, const struct limit *limit, const struct slot *slot,
                                    const struct attempt *before, const struct attempt *now, double timescale,
                                    double value);

#endif
