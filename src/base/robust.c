/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/robust.h"

#include <math.h>
#include <stdlib.h>

static int compare_numbers(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

double robust_median(double *values, size_t count)
{
    if (count == 0)
        return NAN;
    qsort(values, count, sizeof *values, compare_numbers);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

double robust_sigma(double *values, size_t count, double center)
{
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i] - center);
    return 1.4826 * robust_median(values, count);
}

double robust_deviation_at(double chance)
{
    double t = sqrt(-2 * log(chance));

    return t -
           (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}
