/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A test that was made again and again, or the seconds of one, as a series over time: when it was slow for a while. Pure:
 * numbers in, spells out.
 *
 * The series is compared with itself: how far each value lies below the median of all. How much healthy values scatter is
 * measured by the median absolute deviation (MAD) of all of them, which spells in up to half of the time cannot move far,
 * with Student's t for what a MAD of few values does not know; and it is taken as SPELLS_NOISE at least.
 *
 * A spell is a run of values next to each other, each of which lies below the median by the remark threshold or more, and
 * further than noise would put so many in a row. A single value has to lie further than two in a row, and these
 * further than three: over n values, runs of length k are asked for n * p^k = SPELLS_CHANCE / 2^k, where p is the chance
 * of one value to lie so low. So over all lengths noise makes a spell in one of 1,000 series (SPELLS_CHANCE), whatever
 * their length; a spell that fails lies below by the fail threshold in its mean and is rarer still. That is for noise that
 * is normal, and where one value does not follow the one before.
 *
 * A spell does not go on over an interruption, for nobody knows how it was in between.
 *
 * What it cannot see: a run that was slow most of its time has a slow median, which is for limits to tell; a spell within
 * one value, which is that much shorter than the value. Where noise is so much that five in a row could be slow by the
 * fail threshold without standing out, the series is blind, and nothing was shown.
 */
#ifndef ASSAY_SPELLS_H
#define ASSAY_SPELLS_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/base/arena.h"
#include "assay/model/plan.h"

/* Fewer tell nothing. */
enum { SPELLS_LEAST = SLICES_LEAST };
#define SPELLS_NOISE 0.01
#define SPELLS_CHANCE 0.001

struct spell {
    size_t first, count; /* places in the series */
    double below;        /* fraction below the median, in the mean of its values */
};

struct spells {
    LIST_OF(struct spell) items; /* in the order of time */
    double median;
    double noise;   /* standard deviation of one value, as a fraction of the median */
    bool blind;     /* a spell that fails would not have stood out */
    size_t slow;    /* values in all spells */
    size_t longest; /* place among the items */
    double worst;   /* the most that one of them lies below */
};

struct spells_series {
    const double *values; /* count of them, SPELLS_LEAST or more; none below 0, and their median above it */
    const bool
        *apart; /* of each: the one before is no neighbour, for nothing was made in between; NULL: all are */
    size_t count;
    bool less; /* it is better when it is less: then below is above */
};

/* remark, fail: fractions of the median. Everything in the arena. */
void spells_find(struct arena *arena, const struct spells_series *series, double remark, double fail,
                 struct spells *ret_spells);

/* How long an attempt has worked, s: by the host's own clock where it told it, for what it took is of no account if nobody
   listened meanwhile. */
struct attempt;
double slice_work_s(const struct attempt *attempt);

#endif
