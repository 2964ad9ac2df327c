/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs.h"

#include <string.h>

enum { PAIR = 2 };

/* An item as all pairs of a test have it, whichever way it goes. */
struct pair_item {
    const struct report_pairs *pairs;
    const struct shape *shape;
    const char *metric, *subject;
};

void report_pairs_of(const struct view *view, struct report_pairs *ret_pairs)
{
    *ret_pairs = (struct report_pairs){.view = view};
    for (size_t i = 0; i < view->step_count; i++)
        if (view->steps[i].step->member_count == PAIR)
            *list_push(view->arena, &ret_pairs->items) = &view->steps[i];
}

static struct pair_item item_of(const struct report_pairs *pairs, const struct outcome *outcome)
{
    const struct shape *shape = pairs->view->steps[outcome->step].step->shape;
    const struct slot *slot = &shape->slots[outcome->slot];

    return (struct pair_item){pairs, shape, slot->metric, slot->subject};
}

/* NULL: the step is of another test, or the host is not in it. */
static const struct host *partner_of(const struct pair_item *item, const struct step *step,
                                     const struct host *host)
{
    if (step->shape != item->shape)
        return NULL;
    return step->members[0] == host ? step->members[1] : step->members[1] == host ? step->members[0] : NULL;
}

/* Of both ways, as far as they are gates: fail where one fails, pass where all pass. */
static enum outcome_word word_of(const struct pair_item *item, const struct step_view *pair)
{
    bool passes = false, lacks = false;

    for (size_t i = 0; i < item->shape->slot_count; i++) {
        const struct slot *slot = &item->shape->slots[i];

        if (strcmp(slot->metric, item->metric) != 0 || strcmp(slot->subject, item->subject) != 0)
            continue;
        if (pair->items[i]->word == OUTCOME_FAIL)
            return OUTCOME_FAIL;
        passes |= pair->items[i]->word == OUTCOME_PASS;
        lacks |= pair->items[i]->word != OUTCOME_PASS && pair->items[i]->word != OUTCOME_RECORDED;
    }
    return passes && !lacks ? OUTCOME_PASS : OUTCOME_INCONCLUSIVE;
}

static bool is_across(const struct host *a, const struct host *b)
{
    return *a->leaf != '\0' && *b->leaf != '\0' && strcmp(a->leaf, b->leaf) != 0;
}

/* ret_across: whether a pass of it goes from leaf to leaf; else left as it is. */
static bool passes_without(const struct pair_item *item, const struct host *host, const struct host *without,
                           bool *ret_across)
{
    bool passes = false;

    for (size_t i = 0; i < item->pairs->items.count; i++) {
        const struct step_view *pair = item->pairs->items.items[i];
        const struct host *other = partner_of(item, pair->step, host);

        if (other == NULL || other == without || word_of(item, pair) != OUTCOME_PASS)
            continue;
        passes = true;
        *ret_across |= is_across(host, other);
    }
    return passes;
}

static bool is_slow_with_all(const struct pair_item *item, const struct host *host)
{
    size_t slow = 0, slow_across = 0;
    bool fast_across = false;

    for (size_t i = 0; i < item->pairs->items.count; i++) {
        const struct step_view *pair = item->pairs->items.items[i];
        const struct host *partner = partner_of(item, pair->step, host);

        if (partner == NULL)
            continue;
        if (word_of(item, pair) != OUTCOME_FAIL || !passes_without(item, partner, host, &fast_across))
            return false;
        slow++;
        slow_across += is_across(host, partner);
    }
    return slow > 1 && (slow_across < slow || fast_across);
}

static const struct host *shared_by(const struct report_pairs *pairs, const struct outcome *outcome)
{
    const struct step *step = pairs->view->steps[outcome->step].step;
    struct pair_item item;

    if (outcome->word != OUTCOME_FAIL || step->member_count != PAIR)
        return NULL;
    item = item_of(pairs, outcome);
    for (size_t i = 0; i < PAIR; i++)
        if (is_slow_with_all(&item, step->members[i]))
            return step->members[i];
    return NULL;
}

const struct host *pairs_share(const struct report_pairs *pairs, const struct outcome *const *outcomes,
                               size_t count)
{
    const struct host *shared = NULL;

    for (size_t i = 0; i < count; i++) {
        const struct host *host = shared_by(pairs, outcomes[i]);

        if (host == NULL || (shared != NULL && shared != host))
            return NULL;
        shared = host;
    }
    return shared;
}

bool pairs_pass(const struct report_pairs *pairs, const struct outcome *outcome, const struct host *host)
{
    const struct pair_item item = item_of(pairs, outcome);

    for (size_t i = 0; i < pairs->items.count; i++)
        if (partner_of(&item, pairs->items.items[i]->step, host) != NULL &&
            word_of(&item, pairs->items.items[i]) == OUTCOME_PASS)
            return true;
    return false;
}
