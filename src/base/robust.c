/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/base/robust.h"

#include <math.h>
#include <stdlib.h>

#include "assay/base/arena.h"

int robust_compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

void robust_sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, robust_compare);
}

double robust_middle(const double *sorted, size_t count)
{
    if (count == 0)
        return NAN;
    return count % 2 == 1 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

double robust_median(double *values, size_t count)
{
    if (count > 0)
        robust_sort(values, count);
    return robust_middle(values, count);
}

double robust_sigma(double *values, size_t count, double center)
{
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i] - center);
    return ROBUST_SIGMAS_PER_MAD * robust_median(values, count);
}

/* What makes Q_n of so few values right in the mean: Croux and Rousseeuw 1992, Time-efficient algorithms for two highly robust
   estimators of scale. */
static double qn_factor(size_t count)
{
    static const double few[] = {0, 0, 0.399, 0.994, 0.512, 0.844, 0.611, 0.857, 0.669, 0.872};
    double n = (double)count;

    return count < ARRAY_SIZE(few) ? few[count] : n / (n + (count % 2 == 1 ? 1.4 : 3.8));
}

size_t robust_pairs(const double *values, size_t count, double *pairs)
{
    static const double sigmas_per_qn = 2.2219;
    double factor = sigmas_per_qn * qn_factor(count);
    size_t half = count / 2 + 1;

    for (size_t i = 1; i < count; i++)
        for (size_t k = 0; k < i; k++)
            *pairs++ = factor * fabs(values[i] - values[k]);
    return half * (half - 1) / 2;
}

double robust_deviation_at(double chance)
{
    double low = 0, high = 40;

    for (int i = 0; i < 80; i++) {
        double middle = (low + high) / 2;

        if (erfc(middle / sqrt(2)) / 2 > chance)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double robust_student(double z, double freedom)
{
    return z *
           (1 + (z * z + 1) / (4 * freedom) + (5 * pow(z, 4) + 16 * z * z + 3) / (96 * freedom * freedom));
}

double robust_tolerance_factor(size_t count, double chance, double confidence)
{
    static const double efficiency = 0.37;
    double n = efficiency * (double)count, z = robust_deviation_at(chance),
           doubt = robust_deviation_at(1 - confidence);
    double a = n > 1 ? 1 - doubt * doubt / (2 * (n - 1)) : 0, b = n > 1 ? z * z - doubt * doubt / n : 0;

    return a > 0 ? (z + sqrt(z * z - a * b)) / a : (double)NAN;
}
