/* SPDX-License-Identifier: Apache-2.0 */
/* A rate over time, as a tool prints it interval by interval, cut into stretches of one length. */
#ifndef ASSAY_CHECK_FAMILY_RATES_H
#define ASSAY_CHECK_FAMILY_RATES_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/base/arena.h"

struct rates {
    double *values; /* the mean rate of each stretch, in the arena */
    size_t count;
    size_t slowest; /* its place; the first of them */
    double median;
};

/* told: "1 23.51 2 23.48", of each interval when it ended, counted in seconds from the first one's start, and its rate; the first
   lasts_s of it in stretches of length_s, without a shorter rest. False: a stretch is not covered by what was told. */
bool rates_cut(struct arena *arena, const char *told, double length_s, double lasts_s,
               struct rates *ret_rates);

#endif
