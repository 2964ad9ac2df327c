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

/* The floor that it is for this item; NULL where the platform's links are not known. */
static const struct limit *of_ceiling(struct arena *arena, const struct limit *fraction,
                                      const struct slot *slot)
{
    for (size_t i = 0; i < slot->own_count; i++) {
        const struct limit *ceiling = &slot->own[i];
        struct limit *floor;

        if (ceiling->rule != RULE_PLAUSIBLE)
            continue;
        floor = arena_new(arena, struct limit);
        *floor = *fraction;
        floor->rule = RULE_FLOOR;
        floor->value = fraction->value * ceiling->value;
        floor->unit = ceiling->unit;
        floor->source = arena_printf(arena, "%g%% of %g %s, %s; %s", fraction->value * 100, ceiling->value,
                                     ceiling->unit, ceiling->source, fraction->source);
        return floor;
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
    if (further != NULL && further->rule == RULE_FRACTION)
        further = of_ceiling(arena, further, slot);
    if (further != NULL)
        *list_push(arena, &ret_limits->limits) = further;
}
