/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A test over many hosts against the same over the run's smaller groups (RULE_GROUPS). Pure: numbers in, an answer out.
 *
 * How far the value lies below the median of the groups is known as well as they agree: their spread is the noise of one
 * value, and the median's own comes to it; where more noise goes into the value than into theirs, it is so much more. Of many groups it is the median absolute deviation, which a few slow ones
 * cannot move; of few the standard deviation, which knows more. It is taken as half a percent at least. With this error
 * the value is
 *
 *   - a fail when it may be as slow as the limit (its upper bound of 98%, by Student's t, reaches it) and is four errors
 *     below the median,
 *   - undecided when it may be as slow as the limit and noise can make such a one,
 *   - remarked when it may be half as slow as that, and noise makes one like it in one of 100 runs.
 *
 * So one that is as slow as the limit passes in two of 100 runs at most, whatever the noise; and where noise is more than
 * a quarter of what is looked for, a healthy fabric is undecided rather than accused.
 */
#ifndef ASSAY_JUDGE_OWN_GROUPS_H
#define ASSAY_JUDGE_OWN_GROUPS_H

#include <stddef.h>

#include "assay/base/arena.h"

struct own_value {
    double value, noise; /* noise: how much of that of what was measured goes into it; any unit */
};

struct own_groups {
    size_t count;
    double median;
    double spread;  /* standard deviation of one of them, as a fraction of the median */
    double noise;   /* that goes into one of them, in the middle */
    double freedom; /* degrees of freedom that the spread is known with */
};

enum own_groups_says { GROUPS_FINE, GROUPS_REMARK, GROUPS_UNDECIDED, GROUPS_FAIL };

struct own_standing {
    enum own_groups_says says;
    double below, error; /* as fractions of the median */
};

/* Everything in the arena. */
struct own_groups own_groups_of(struct arena *arena, const struct own_value *values, size_t count);
/* fraction: of the median, that is to be reached. Of fewer than two groups nothing is decided. */
struct own_standing own_groups_judge(const struct own_groups *groups, struct own_value value,
                                     double fraction);

#endif
