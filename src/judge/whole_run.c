/* SPDX-License-Identifier: Apache-2.0 */
/* What whole runs have of a step: its last whole attempt, and what that says. */
#include "whole_run.h"

#include <math.h>
#include <string.h>

/* Of one step. */
struct last_whole {
    const struct attempt *attempt;
    bool known;
};

size_t shape_number(const struct plan *plan, const struct shape *shape, size_t near)
{
    for (size_t i = near; i < plan->shapes.count; i++)
        if (plan->shapes.items[i] == shape)
            return i;
    for (size_t i = 0; i < near; i++)
        if (plan->shapes.items[i] == shape)
            return i;
    return plan->shapes.count;
}

const struct attempt *whole_attempt(struct arena *arena, struct whole_run *run, size_t step)
{
    const struct step_attempts *attempts = &run->together.attempts[step];
    size_t i = attempts->count;

    if (run->last == NULL)
        run->last = arena_array(run->arena, struct last_whole, run->together.plan->steps.count);
    if (!run->last[step].known) {
        while (i > 0 && attempt_bearing(arena, attempts->items[i - 1]).kind != KIND_WHOLE)
            i--;
        run->last[step] = (struct last_whole){i > 0 ? attempts->items[i - 1] : NULL, true};
    }
    return run->last[step].attempt;
}

const char *whole_value(struct arena *arena, struct whole_run *run, size_t step, const struct slot *slot)
{
    const struct attempt *attempt = whole_attempt(arena, run, step);
    struct values values = {0};

    if (attempt != NULL)
        slot_values(arena, slot, attempt, &values);
    for (size_t i = 1; i < values.items.count; i++)
        if (strcmp(values.items.items[i].text, values.items.items[0].text) != 0)
            return NULL;
    return values.items.count > 0 ? values.items.items[0].text : NULL;
}

double whole_mean(struct arena *arena, struct whole_run *run, size_t step, const struct slot *slot)
{
    const struct step_attempts *attempts = &run->together.attempts[step];
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < attempts->count; i++) {
        struct values values;

        if (attempt_bearing(arena, attempts->items[i]).kind != KIND_WHOLE)
            continue;
        slot_values(arena, slot, attempts->items[i], &values);
        for (size_t k = 0; k < values.items.count; k++, count++)
            sum += values.items.items[k].number;
    }
    return count > 0 ? sum / (double)count : NAN;
}
