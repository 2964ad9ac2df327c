/* SPDX-License-Identifier: Apache-2.0 */
#include "spread.h"

#include <math.h>

#include "series.h"

struct spread spread_of(double *values, size_t count)
{
    struct spread spread = {.low = NAN, .high = NAN};

    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            continue;
        spread.count++;
        spread.low = fmin(spread.low, values[i]);
        spread.high = fmax(spread.high, values[i]);
    }
    spread.median = median_of(values, count);
    return spread;
}

static double share(const struct spread *spread)
{
    return (spread->high - spread->low) / spread->median;
}

struct contrast spread_contrast(const struct spread *reference, const struct spread *other)
{
    struct contrast contrast = {DIFFERENCE_UNKNOWN, NAN, NAN};
    double a, b;

    if (reference->count == 0 || other->count == 0 || reference->median <= 0 || other->median <= 0)
        return contrast;
    contrast.change = other->median / reference->median - 1;
    if (reference->count < REPEATS_LEAST || other->count < REPEATS_LEAST)
        return contrast;
    a = share(reference);
    b = share(other);
    contrast.noise = reference->count < REPEATS_MANY || other->count < REPEATS_MANY ? a + b : fmax(a, b);
    if (fabs(contrast.change) <= fmax(contrast.noise, LEAST_DIFFERENCE))
        contrast.word = DIFFERENCE_NONE;
    else
        contrast.word = contrast.change > 0 ? DIFFERENCE_FASTER : DIFFERENCE_SLOWER;
    return contrast;
}

const char *difference_name(enum difference word)
{
    static const char *const names[] = {"too few repeats", "none", "faster", "slower"};

    return names[word];
}
