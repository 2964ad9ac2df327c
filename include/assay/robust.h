/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that a few wild values cannot move. */
#ifndef ASSAY_ROBUST_H
#define ASSAY_ROBUST_H

#include <stddef.h>

/* The middle one, of an even count the mean of the middle two; NAN of none. Reorders values; none may be NAN. */
double robust_median(double *values, size_t count);
/* The median of |value - center|, times 1.4826: of normal noise its standard deviation. NAN of none. Overwrites values.
 */
double robust_sigma(double *values, size_t count, double center);

/* The deviation, in standard deviations, that normal noise exceeds on one side with this chance: 0 < chance < 0.5.
   Within 0.0005 (Abramowitz and Stegun, 26.2.23). */
double robust_deviation_at(double chance);

#endif
