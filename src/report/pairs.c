/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs.h"

#include <stdlib.h>
#include <string.h>

enum { PAIR = 2 };

/* An item as all pairs of a test have it, whichever way it goes. */
struct pair_item {
    const struct report_pairs *pairs;
    const struct shape *shape;
    const char *metric, *subject;
};

static int by_host(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t)((const struct seat *)a)->host,
              right = (uintptr_t)((const struct seat *)b)->host;

    return (left > right) - (left < right);
}

void report_pairs_of(const struct view *view, struct report_pairs *ret_pairs)
{
    *ret_pairs = (struct report_pairs){.view = view};
    array_each (pair, view->steps, view->step_count) {
        for (size_t k = 0; pair->step->member_count == PAIR && k < PAIR; k++)
            *list_push(view->arena, &ret_pairs->seats) =
                (struct seat){pair->step->members[k], pair->step->members[1 - k], pair};
    }
    if (ret_pairs->seats.count > 0)
        qsort(ret_pairs->seats.items, ret_pairs->seats.count, sizeof *ret_pairs->seats.items, by_host);
}

/* The seat of the host in the first of the item's pairs, or, behind a seat, in the next one; NULL: there are no more. */
static const struct seat *next_seat(const struct pair_item *item, const struct host *host,
                                    const struct seat *behind)
{
    const struct seat *first = item->pairs->seats.items, *end = first + item->pairs->seats.count, *seat;

    if (behind == NULL) {
        seat = bsearch(&(struct seat){.host = host}, first, item->pairs->seats.count, sizeof *first, by_host);
        while (seat != NULL && seat > first && seat[-1].host == host)
            seat--;
    } else {
        seat = behind + 1;
    }
    for (; seat != NULL && seat < end && seat->host == host; seat++)
        if (seat->pair->step->shape == item->shape)
            return seat;
    return NULL;
}

static struct pair_item item_of(const struct report_pairs *pairs, const struct outcome *outcome)
{
    const struct shape *shape = pairs->view->steps[outcome->step].step->shape;
    const struct slot *slot = &shape->slots[outcome->slot];

    return (struct pair_item){pairs, shape, slot->metric, slot->subject};
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

    for (const struct seat *seat = NULL; (seat = next_seat(item, host, seat)) != NULL;) {
        if (seat->partner == without || word_of(item, seat->pair) != OUTCOME_PASS)
            continue;
        passes = true;
        *ret_across |= is_across(host, seat->partner);
    }
    return passes;
}

static bool is_slow_with_all(const struct pair_item *item, const struct host *host)
{
    size_t slow = 0, slow_across = 0;
    bool fast_across = false;

    for (const struct seat *seat = NULL; (seat = next_seat(item, host, seat)) != NULL; slow++) {
        if (word_of(item, seat->pair) != OUTCOME_FAIL ||
            !passes_without(item, seat->partner, host, &fast_across))
            return false;
        slow_across += is_across(host, seat->partner);
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

    for (const struct seat *seat = NULL; (seat = next_seat(&item, host, seat)) != NULL;)
        if (word_of(&item, seat->pair) == OUTCOME_PASS)
            return true;
    return false;
}
