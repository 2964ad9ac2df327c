/* SPDX-License-Identifier: Apache-2.0 */
#include "own_groups.h"

#include <math.h>

#include "assay/base/robust.h"

/* The variance of a median is so much more than that of a mean. */
static const double median_variance = 1.5708;
static const double least_noise = 0.005;
static const double upper_bound = 2, remarkable = 2.33, surely = 4;
/* From so many on a median absolute deviation tells enough; it is as good as a standard deviation of so much fewer. */
enum { MANY = 12 };
static const double mad_efficiency = 0.37;

static double deviation_of(const double *values, size_t count)
{
    double mean = 0, sum = 0;

    for (size_t i = 0; i < count; i++)
        mean += values[i] / (double)count;
    for (size_t i = 0; i < count; i++)
        sum += (values[i] - mean) * (values[i] - mean);
    return sqrt(sum / (double)(count - 1));
}

struct own_groups own_groups_of(struct arena *arena, const struct own_value *values, size_t count)
{
    struct own_groups groups = {.count = count, .median = NAN, .freedom = (double)count - 1};
    double *levels = arena_array(arena, double, count + 1), *noises = arena_array(arena, double, count + 1);

    if (count < 2)
        return groups;
    for (size_t i = 0; i < count; i++) {
        levels[i] = values[i].value;
        noises[i] = values[i].noise;
    }
    groups.noise = robust_median(noises, count);
    groups.median = robust_median(levels, count);
    if (count < MANY) {
        groups.spread = deviation_of(levels, count);
    } else {
        groups.spread = robust_sigma(levels, count, groups.median) * sqrt((double)count / groups.freedom);
        groups.freedom *= mad_efficiency;
    }
    groups.spread = fmax(groups.spread / groups.median, least_noise);
    return groups;
}

struct own_standing own_groups_judge(const struct own_groups *groups, struct own_value value, double fraction)
{
    double more = groups->noise > 0 ? fmax(value.noise / groups->noise, 1) : 1, limit = 1 - fraction, may_be;
    struct own_standing standing = {.says = GROUPS_UNDECIDED};

    if (groups->count < 2 || !(groups->median > 0) || isnan(value.value))
        return standing;
    standing.below = 1 - value.value / groups->median;
    standing.error = groups->spread * sqrt(more * more + median_variance / (double)groups->count);
    may_be = standing.below + robust_student(upper_bound, groups->freedom) * standing.error;
    if (may_be >= limit)
        standing.says = standing.below >= surely * standing.error ? GROUPS_FAIL : GROUPS_UNDECIDED;
    else if (may_be >= limit / 2 && standing.below >= remarkable * standing.error)
        standing.says = GROUPS_REMARK;
    else
        standing.says = GROUPS_FINE;
    return standing;
}
