/* SPDX-License-Identifier: Apache-2.0 */
/* The limits that decide beside those that would without contract, without limits of the suite and with the built-in
   baselines. */
#include <string.h>

#include "assay/reasons/report.h"
#include "concessions.h"
#include "view.h"

/* The same suite with the limits of the delivery in each step that stands for one of its steps. */
static const struct suite *with_built_in_limits(struct arena *arena, const struct suite *suite,
                                                const struct suite_step *const *matches)
{
    struct suite *copy = arena_new(arena, struct suite);

    *copy = *suite;
    copy->steps.items = arena_array(arena, struct suite_step, suite->steps.count + 1);
    for (size_t i = 0; i < suite->steps.count; i++) {
        struct suite_step *step = &copy->steps.items[i];

        *step = suite->steps.items[i];
        step->limits.items = matches[i] != NULL ? matches[i]->limits.items : NULL;
        step->limits.count = step->limits.capacity = matches[i] != NULL ? matches[i]->limits.count : 0;
    }
    return copy;
}

static void built_in_limits(struct arena *arena, const struct run_limits *limits,
                            const struct suite_step *const *matches, struct run_limits *ret_limits)
{
    *ret_limits = (struct run_limits){.suite = with_built_in_limits(arena, limits->suite, matches)};
    for (size_t i = 0; i < limits->baselines.count; i++) {
        const struct platform *platform = limits->baselines.items[i].platform;

        *list_push(arena, &ret_limits->baselines) =
            platform_baseline(arena, platform, baseline_for_platform(arena, platform));
    }
}

/* The built-in limit that none of those in force is as strict as; NULL: there is none. */
static const struct limit *weakened(const struct slot_limits *own, const struct slot_limits *built_in)
{
    for (size_t i = 0; i < built_in->limits.count; i++) {
        const struct limit *limit = built_in->limits.items[i];
        bool met = !limit_enforceable(limit);

        for (size_t k = 0; k < own->limits.count && !met; k++)
            met = limit_enforceable(own->limits.items[k]) && limit_is_as_strict(own->limits.items[k], limit);
        if (!met)
            return limit;
    }
    return NULL;
}

/* What decides in its place: the last one, which is not the check's own where there is another. */
static const struct limit *in_force(const struct slot_limits *own)
{
    for (size_t i = own->limits.count; i > 0; i--)
        if (limit_enforceable(own->limits.items[i - 1]))
            return own->limits.items[i - 1];
    return NULL;
}

static const struct reason *source_of(struct arena *arena, const struct limit *limit)
{
    return limit->origin != NULL ? limit->origin
                                 : reason_word(arena, limit->source != NULL ? limit->source : "");
}

static void add_limit(struct arena *arena, const struct shape *shape, const struct slot *slot,
                      const struct limit *own, const struct limit *built_in, struct concessions *concessions)
{
    bool first = true;

    list_each (row, concessions->items) {
        if (row->kind != CONCESSION_LIMIT || strcmp(row->step, shape->suite_step) != 0)
            continue;
        first = false;
        if (strcmp(row->metric, slot->metric) == 0 && strcmp(row->platform, shape->platform) == 0)
            return;
    }
    concessions->weaker += first;
    *list_push(arena, &concessions->items) = (struct concession){
        CONCESSION_LIMIT, shape->suite_step, shape->platform, slot->metric,
        own != NULL ? reason(arena, judged_by_weaker, limit_text(arena, own), source_of(arena, own),
                             limit_text(arena, built_in), source_of(arena, built_in))
                    : reason(arena, judged_by_none, limit_text(arena, built_in), source_of(arena, built_in))};
}

void concessions_of_limits(struct arena *arena, const struct plan *plan, const struct run_limits *limits,
                           const struct suite_step *const *matches, struct concessions *concessions)
{
    const bool *of_suite = shapes_of_suite(arena, plan);
    struct run_limits built_in;

    built_in_limits(arena, limits, matches, &built_in);
    for (size_t i = 0; i < plan->shapes.count; i++) {
        const struct shape *shape = plan->shapes.items[i];
        size_t slots = of_suite[i] ? shape->slot_count : 0;

        for (size_t k = 0; k < slots; k++) {
            struct slot_limits own, wanted;
            const struct limit *limit;

            if (shape->slots[k].duty != DUTY_GATE)
                continue;
            slot_limits_find(arena, limits, shape, &shape->slots[k], &own);
            slot_limits_find(arena, &built_in, shape, &shape->slots[k], &wanted);
            limit = weakened(&own, &wanted);
            if (limit != NULL)
                add_limit(arena, shape, &shape->slots[k], in_force(&own), limit, concessions);
        }
    }
}
