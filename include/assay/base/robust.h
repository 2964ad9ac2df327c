/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that a few wild values cannot move. */
#ifndef ASSAY_ROBUST_H
#define ASSAY_ROBUST_H

#include <stddef.h>

/* The least first; none may be NAN. */
void robust_sort(double *values, size_t count);
/* The middle one, of an even count the mean of the middle two; NAN of none. Reorders values; none may be NAN. */
double robust_median(double *values, size_t count);
/* The same of values that are sorted already. */
double robust_middle(const double *sorted, size_t count);
/* Of normal noise the standard deviation is so many times the median of |value - center| (MAD). */
#define ROBUST_SIGMAS_PER_MAD 1.4826
/* The median of |value - center|, times ROBUST_SIGMAS_PER_MAD. NAN of none. Overwrites values. */
double robust_sigma(double *values, size_t count, double center);

/*
 * The standard deviation by Q_n of Rousseeuw and Croux (1993, JASA 88, 1273): by the differences of all pairs. As hard to
 * move as robust_sigma, and of few normal values half as precise again or more. Samples of one scatter but of different levels are
 * pooled: the pairs of each, one behind the other, and the sum of the places. What stands at that place (counted from 1) of
 * all pairs, sorted, is the standard deviation.
 *
 * pairs: room for count * (count - 1) / 2; count >= 2. Returns the place.
 */
size_t robust_pairs(const double *values, size_t count, double *pairs);

/* Of doubles, for qsort and bsearch. */
int robust_compare(const void *a, const void *b);

/* The deviation, in standard deviations, that normal noise exceeds on one side with this chance: 0 < chance < 0.5. */
double robust_deviation_at(double chance);

/* So many standard deviations of Student's t have no more beyond them than z of a normal distribution: the first terms
 * of its expansion around that. */
double robust_student(double z, double freedom);

/*
 * How many robust_sigma below their robust_median a bound must lie, so that with this confidence no more than the chance
 * of all like these `count` lie beyond it: 0.95 and 0.001. NAN where so few tell nothing, 6 and fewer for 0.95.
 * The one-sided tolerance factor of the NIST/SEMATECH e-Handbook of Statistical Methods, 7.2.6.3, for 0.37 * count
 * values: of normal noise the median absolute deviation knows the standard deviation as well as that does from 0.37
 * times as many values (Rousseeuw and Croux 1993, JASA 88, 1273). By simulation it holds from 12 values on.
 */
double robust_tolerance_factor(size_t count, double chance, double confidence);

#endif
