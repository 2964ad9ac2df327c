/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How repeats of one measurement spread, and whether two sets of them differ by more than that. Pure.
 *
 * The noise of a comparison is the larger spread (highest less lowest, as a share of the median) of the two sets; of
 * fewer than REPEATS_MANY, whose spread is often less than the truth, it is both spreads together. With healthy noise
 * of any size (normal) 14 of 1,000 comparisons of 3 repeats call a difference where there is none, and 4 of 1,000
 * those of 5. Less than LEAST_DIFFERENCE is none however quiet the repeats are.
 */
#ifndef ASSAY_REPORT_SPREAD_H
#define ASSAY_REPORT_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

enum { REPEATS_LEAST = 3 /* fewer tell nothing */, REPEATS_MANY = 5 };
#define LEAST_DIFFERENCE 0.01

struct spread {
    size_t count;             /* finite values */
    double median, low, high; /* NAN: there is none */
};
/* Sorts values; those that are not finite are left out. */
struct spread spread_of(double *values, size_t count);

enum difference {
    DIFFERENCE_UNKNOWN /* too few repeats */,
    DIFFERENCE_NONE,
    DIFFERENCE_FASTER,
    DIFFERENCE_SLOWER
};
struct contrast {
    enum difference word;
    double change; /* of the median against the reference's: 0.06 is 6% more; NAN: unknown */
    double noise;  /* 0.02; NAN: unknown */
};
/* Of bandwidths: more is faster. */
struct contrast spread_contrast(const struct spread *reference, const struct spread *other);

const char *difference_name(enum difference word); /* "too few repeats", "none", "faster", "slower" */

#endif
