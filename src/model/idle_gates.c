/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/idle_gates.h"

#include <fnmatch.h>
#include <string.h>

static bool is_of(const struct shape *shape, const char *step, const char *platform)
{
    return strcmp(shape->suite_step, step) == 0 && strcmp(shape->platform, platform) == 0;
}

/* Whether a shape before this one is of the same step and platform. */
static bool was_seen(const struct plan *plan, size_t shape)
{
    for (size_t i = 0; i < shape; i++)
        if (is_of(plan->shapes.items[i], plan->shapes.items[shape]->suite_step,
                  plan->shapes.items[shape]->platform))
            return true;
    return false;
}

/* What is not run has other reasons to judge nothing, and they are told. */
static bool is_run(const struct plan *plan, const struct shape *shape)
{
    list_each (step, plan->steps)
        if (step->origin != ORIGIN_LEFT_OUT && is_of(step->shape, shape->suite_step, shape->platform))
            return true;
    return false;
}

/* Of pairs and groups of one step any may have it. */
static bool is_met(const struct plan *plan, const struct shape *of, const char *pattern)
{
    for (size_t i = 0; i < plan->shapes.count; i++) {
        const struct shape *shape = plan->shapes.items[i];

        for (size_t k = 0; k < shape->slot_count && is_of(shape, of->suite_step, of->platform); k++)
            if (fnmatch(pattern, shape->slots[k].metric, 0) == 0)
                return true;
    }
    return false;
}

void idle_gates_find(struct arena *arena, const struct suite *suite, const struct plan *plan,
                     struct idle_gates *ret_gates)
{
    *ret_gates = (struct idle_gates){0};
    for (size_t i = 0; i < suite->steps.count; i++)
        for (size_t k = 0; k < plan->shapes.count && suite->steps.items[i].gate.count > 0; k++) {
            const struct suite_step *step = &suite->steps.items[i];
            const struct shape *shape = plan->shapes.items[k];

            if (strcmp(shape->suite_step, step->name) != 0 || was_seen(plan, k) || !is_run(plan, shape))
                continue;
            for (size_t g = 0; g < step->gate.count; g++)
                if (!is_met(plan, shape, step->gate.items[g]))
                    *list_push(arena, &ret_gates->items) =
                        (struct idle_gate){step->name, shape->platform, step->gate.items[g]};
        }
}
