/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/run_limits.h"

#include <string.h>

static const struct limit *first_that_applies(const struct limit *limits, size_t count,
                                              const struct shape *shape, const struct slot *slot)
{
    for (size_t i = 0; i < count; i++)
        if (limit_applies(&limits[i], slot->metric, slot->subject, shape->scope, shape->hosts,
                          slot->size_bytes))
            return &limits[i];
    return NULL;
}

static const struct limit *of_suite(const struct suite *suite, const struct shape *shape,
                                    const struct slot *slot)
{
    for (size_t i = 0; i < suite->steps.count; i++)
        if (strcmp(suite->steps.items[i].name, shape->suite_step) == 0)
            return first_that_applies(suite->steps.items[i].limits.items, suite->steps.items[i].limits.count,
                                      shape, slot);
    return NULL;
}

static const struct limit *of_baseline(const struct run_limits *limits, const struct shape *shape,
                                       const struct slot *slot)
{
    for (size_t i = 0; i < limits->baselines.count; i++) {
        const struct baseline *baseline = limits->baselines.items[i].baseline;

        if (baseline != NULL && strcmp(limits->baselines.items[i].platform, shape->platform) == 0)
            return first_that_applies(baseline->limits.items, baseline->limits.count, shape, slot);
    }
    return NULL;
}

void slot_limits_find(struct arena *arena, const struct run_limits *limits, const struct shape *shape,
                      const struct slot *slot, struct slot_limits *ret_limits)
{
    const struct limit *further = of_suite(limits->suite, shape, slot);

    if (further == NULL)
        further = of_baseline(limits, shape, slot);
    *ret_limits = (struct slot_limits){0};
    for (size_t i = 0; i < slot->own_count; i++)
        *list_push(arena, &ret_limits->limits) = &slot->own[i];
    if (further != NULL)
        *list_push(arena, &ret_limits->limits) = further;
}
