/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs.h"

enum { PAIR = 2 };

void report_pairs_of(const struct view *view, struct report_pairs *ret_pairs)
{
    *ret_pairs = (struct report_pairs){0};
    for (size_t i = 0; i < view->step_count; i++)
        if (view->steps[i].step->member_count == PAIR)
            *list_push(view->arena, &ret_pairs->items) = &view->steps[i];
}

/* NULL: the host is not in it. */
static const struct host *partner_of(const struct step *step, const struct host *host)
{
    return step->members[0] == host ? step->members[1] : step->members[1] == host ? step->members[0] : NULL;
}

static bool passes_without(const struct report_pairs *pairs, const struct shape *shape, size_t slot,
                           const struct host *host, const struct host *without)
{
    for (size_t i = 0; i < pairs->items.count; i++) {
        const struct step_view *pair = pairs->items.items[i];
        const struct host *other = pair->step->shape == shape ? partner_of(pair->step, host) : NULL;

        if (other != NULL && other != without && pair->items[slot]->word == OUTCOME_PASS)
            return true;
    }
    return false;
}

/* Slow with everybody, and nobody of them slow with everybody. */
static bool is_slow_in_all(const struct report_pairs *pairs, const struct shape *shape, size_t slot,
                           const struct host *host)
{
    size_t slow = 0;

    for (size_t i = 0; i < pairs->items.count; i++) {
        const struct step_view *pair = pairs->items.items[i];
        const struct host *partner = pair->step->shape == shape ? partner_of(pair->step, host) : NULL;

        if (partner == NULL)
            continue;
        if (pair->items[slot]->word != OUTCOME_FAIL || !passes_without(pairs, shape, slot, partner, host))
            return false;
        slow++;
    }
    return slow > 1;
}

const struct host *pairs_share(const struct view *view, const struct report_pairs *pairs,
                               const struct outcome *outcome)
{
    const struct step *step = view->steps[outcome->step].step;

    if (outcome->word != OUTCOME_FAIL)
        return NULL;
    for (size_t i = 0; step->member_count == PAIR && i < PAIR; i++)
        if (is_slow_in_all(pairs, step->shape, outcome->slot, step->members[i]))
            return step->members[i];
    return NULL;
}
