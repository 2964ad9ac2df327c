/* SPDX-License-Identifier: Apache-2.0 */
/* By how much a counter grew since the run first looked at it on that host: RULE_GROWN. */
#ifndef ASSAY_JUDGE_GROWN_H
#define ASSAY_JUDGE_GROWN_H

#include "judge_private.h"
#include "together.h"

/* Of each step the first one of the same check on the same host in its run; of one that is no look at one host, and of
   the first, itself. In the arena. */
const size_t *first_looks(struct arena *arena, const struct together *together);
/* By how much it grew from one look to another; timescale: of the host. */
struct grown grown_between(struct arena *arena, const struct limit *limit, const struct slot *slot,
                           const struct attempt *before, const struct attempt *now, double timescale,
                           double value);

#endif
