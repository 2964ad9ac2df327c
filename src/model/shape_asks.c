/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/shape_asks.h"

#include <math.h>
#include <string.h>

#include "assay/reasons/any.h"

/* A column that is empty and one that is missing say the same. */
static bool same_text(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

static bool same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || (a >= b && a <= b);
}

/* Where a figure is from and how a miss is worded changes no outcome; all else does. */
static bool same_rule(const struct limit *a, const struct limit *b)
{
    return a->rule == b->rule && a->status == b->status && a->inconclusive == b->inconclusive &&
           a->hosts_min == b->hosts_min && a->hosts_max == b->hosts_max && same_text(a->metric, b->metric) &&
           same_text(a->subject, b->subject) && same_text(a->scope, b->scope) &&
           same_text(a->text, b->text) && same_text(a->unit, b->unit) && same_number(a->value, b->value) &&
           same_number(a->most, b->most) && same_number(a->tolerance, b->tolerance) &&
           same_number(a->size_min, b->size_min) && same_number(a->size_max, b->size_max);
}

static bool same_rules(const struct slot *a, const struct slot *b)
{
    for (size_t i = 0; i < a->own_count && i < b->own_count; i++)
        if (!same_rule(&a->own[i], &b->own[i]))
            return false;
    return a->own_count == b->own_count;
}

static bool is_same_item(const struct slot *a, const struct slot *b)
{
    return strcmp(a->metric, b->metric) == 0 && strcmp(a->subject, b->subject) == 0 &&
           strcmp(a->at, b->at) == 0;
}

/* Mostly it stands at the same place. */
static const struct slot *find_gate(const struct shape *shape, const struct slot *owed, size_t near)
{
    for (size_t i = 0; i < shape->slot_count; i++) {
        const struct slot *slot = &shape->slots[(near + i) % shape->slot_count];

        if (slot->duty == DUTY_GATE && is_same_item(slot, owed))
            return slot;
    }
    return NULL;
}

/* rules: its own must be the same, too. */
static const struct reason *find_other_gate(struct arena *arena, const struct shape *shape,
                                            const struct shape *owed, bool rules)
{
    for (size_t i = 0; i < owed->slot_count; i++) {
        const struct slot *slot = &owed->slots[i];
        const struct slot *found = slot->duty == DUTY_GATE ? find_gate(shape, slot, i) : slot;

        if (found != NULL && (found == slot || !rules || same_rules(found, slot)))
            continue;
        return *slot->subject != '\0' ? reason(arena, metric_of, slot->metric, slot->subject)
                                      : reason_text(arena, slot->metric);
    }
    return NULL;
}

const struct reason *shape_lacks_gate(struct arena *arena, const struct shape *shape,
                                      const struct shape *owed)
{
    return find_other_gate(arena, shape, owed, false);
}

const struct reason *shape_asks_otherwise(struct arena *arena, const struct shape *shape,
                                          const struct shape *owed)
{
    const struct reason *gate = find_other_gate(arena, shape, owed, true);

    if (gate != NULL)
        return gate;
    if (!same_text(shape->check, owed->check) || !same_text(shape->scope, owed->scope) ||
        !same_text(shape->platform, owed->platform) || shape->hosts != owed->hosts)
        return REASON(asks_where);
    if (!same_text(shape->arguments, owed->arguments))
        return REASON(asks_arguments);
    if (shape->repeat < owed->repeat || shape->repeat_for_s < owed->repeat_for_s)
        return REASON(asks_repeats);
    return shape->retries > owed->retries || shape->retests > owed->retests ? REASON(asks_retries) : NULL;
}
