/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters that a run looks at twice: before its tests, and again after all of them. What they counted between two windows,
 * with nothing under load, no window tells.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/reasons/judge.h"
#include "grown.h"

enum { SECONDS_OF_HOUR = 3600 };

struct look {
    const struct step *step;
    size_t index, part; /* in the plan of all runs, and whose step that is */
};

/* Looks of one check at one host of one run, in their order. */
static int compare_looks(const void *one, const void *other)
{
    const struct look *a = one, *b = other;
    int order = (a->part > b->part) - (a->part < b->part);

    if (order == 0)
        order = strcmp(a->step->shape->check, b->step->shape->check);
    if (order == 0)
        order = strcmp(a->step->members[0]->name, b->step->members[0]->name);
    return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

static bool same_place(const struct look *a, const struct look *b)
{
    return a->part == b->part && strcmp(a->step->shape->check, b->step->shape->check) == 0 &&
           strcmp(a->step->members[0]->name, b->step->members[0]->name) == 0;
}

const size_t *first_looks(struct arena *arena, const struct together *together)
{
    const struct plan *plan = together->plan;
    struct look *looks = arena_array(arena, struct look, plan->steps.count + 1);
    size_t *first = arena_array(arena, size_t, plan->steps.count + 1), count = 0;

    for (size_t i = 0, part = 0; i < plan->steps.count; i++) {
        while (part + 1 < together->count && i >= together->parts[part + 1].first_step)
            part++;
        first[i] = i;
        if (plan->steps.items[i].member_count == 1 && plan->steps.items[i].shape->passive)
            looks[count++] = (struct look){&plan->steps.items[i], i, part};
    }
    qsort(looks, count, sizeof *looks, compare_looks);
    for (size_t i = 1; i < count; i++)
        if (same_place(&looks[i - 1], &looks[i]))
            first[looks[i].index] = first[looks[i - 1].index];
    return first;
}

/* The largest that it told, as the largest of the second look is judged too; NAN: none. */
static double number_of(struct arena *arena, const struct slot *slot, const struct attempt *attempt)
{
    struct values values = {0};
    double number = NAN;

    slot_values(arena, slot, attempt, &values);
    for (size_t i = 0; i < values.items.count; i++)
        number = fmax(number, values.items.items[i].number);
    return number;
}

const struct reason *grown_too_much(struct arena *arena, const struct limit *limit, const struct slot *slot,
                                    const struct attempt *before, const struct attempt *now, double timescale,
                                    double value)
{
    double was = number_of(arena, slot, before);
    double hours = (now->began - before->began) * timescale / SECONDS_OF_HOUR;

    if (!(value - was > fmax(limit->value, limit->most * fmax(hours, 0))))
        return NULL;
    return reason(arena, more_than_when_first_read, arena_printf(arena, "%.15g", value - was),
                  arena_printf(arena, "%.15g", was), arena_printf(arena, "%.3g", hours));
}
