/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests between two hosts, of which each host is in several: rings of rdma-pair, say. What is slow between two may be either's
 * fault; where one host is slow in all its pairs, two at least, in one direction or the other, while each of its partners passes
 * both without it, it is that host's. Pairs that were not run, or that nothing was read of, tell neither. Where all pairs of
 * the host cross leaves and no pass does, nobody is named: the leaf's way out may be what is slow.
 */
#include <stdlib.h>
#include <string.h>

#include "assay/model/blame.h"
#include "assay/model/hostfile.h"
#include "assay/reasons/any.h"

#include "judge_private.h"

enum { PAIR = 2 };

/* A step over two hosts, as one of them is in it. */
struct seat {
    const struct host *host, *partner;
    size_t step;
};

/* A host that its pairs show to be slow, and where: "mlx5_3". */
struct slow_host {
    const struct host *host;
    const char *part;
};

struct pairs {
    struct arena *arena;
    const struct plan *plan;
    struct judgement *judgement;
    size_t *first;              /* by step: its first outcome */
    LIST_OF(struct seat) seats; /* those of one host stand together */
    LIST_OF(struct slow_host) slow;
};

/* An item as all pairs of a test have it, whichever way it goes. */
struct pair_item {
    const struct pairs *pairs;
    const struct shape *shape;
    const char *metric, *subject;
};

static const struct step *step_of(const struct pairs *pairs, const struct outcome *outcome)
{
    return &pairs->plan->steps.items[outcome->step];
}

static const struct slot *slot_of(const struct pairs *pairs, const struct outcome *outcome)
{
    return &step_of(pairs, outcome)->shape->slots[outcome->slot];
}

static int by_host(const void *a, const void *b)
{
    const struct seat *left = a, *right = b;
    uintptr_t of_left = (uintptr_t)left->host, of_right = (uintptr_t)right->host;

    return of_left != of_right ? (of_left > of_right) - (of_left < of_right)
                               : (left->step > right->step) - (left->step < right->step);
}

static void find_seats(struct pairs *pairs)
{
    pairs->first = arena_array(pairs->arena, size_t, pairs->plan->steps.count);
    for (size_t i = 0; i < pairs->judgement->outcome_count;) {
        size_t index = pairs->judgement->outcomes[i].step;
        const struct step *step = &pairs->plan->steps.items[index];

        pairs->first[index] = i;
        i += step->shape->slot_count;
        for (size_t k = 0; step->member_count == PAIR && k < PAIR; k++)
            *list_push(pairs->arena, &pairs->seats) =
                (struct seat){step->members[k], step->members[1 - k], index};
    }
    if (pairs->seats.count > 0)
        qsort(pairs->seats.items, pairs->seats.count, sizeof *pairs->seats.items, by_host);
}

static int compare_host(const void *key, const void *seat)
{
    return by_host(&(struct seat){.host = key, .step = ((const struct seat *)seat)->step}, seat);
}

/* The seat of the host in the first of the item's pairs, or, behind a seat, in the next one; NULL: there are no more. */
static const struct seat *next_seat(const struct pair_item *item, const struct host *host,
                                    const struct seat *behind)
{
    const struct seat *first = item->pairs->seats.items, *end = first + item->pairs->seats.count,
                      *seat = behind != NULL ? behind + 1 : NULL;

    if (behind == NULL && first != NULL)
        seat = bsearch(host, first, item->pairs->seats.count, sizeof *first, compare_host);
    while (behind == NULL && seat != NULL && seat > first && seat[-1].host == host)
        seat--;
    for (; seat != NULL && seat < end && seat->host == host; seat++)
        if (item->pairs->plan->steps.items[seat->step].shape == item->shape)
            return seat;
    return NULL;
}

static struct pair_item item_of(const struct pairs *pairs, const struct outcome *outcome)
{
    const struct slot *slot = slot_of(pairs, outcome);

    return (struct pair_item){pairs, step_of(pairs, outcome)->shape, slot->metric, slot->subject};
}

/* Of both ways, as far as they are gates: fail where one fails, pass where all pass, not run where neither tells anything. */
static enum outcome_word word_of(const struct pair_item *item, size_t step)
{
    const struct outcome *outcomes = &item->pairs->judgement->outcomes[item->pairs->first[step]];
    bool passes = false, lacks = false;

    for (size_t i = 0; i < item->shape->slot_count; i++) {
        const struct slot *slot = &item->shape->slots[i];

        if (strcmp(slot->metric, item->metric) != 0 || strcmp(slot->subject, item->subject) != 0)
            continue;
        if (outcomes[i].word == OUTCOME_FAIL)
            return OUTCOME_FAIL;
        passes |= outcomes[i].word == OUTCOME_PASS;
        lacks |= outcomes[i].word != OUTCOME_PASS && outcomes[i].word != OUTCOME_RECORDED;
    }
    if (!passes)
        return OUTCOME_NOT_RUN;
    return lacks ? OUTCOME_INCONCLUSIVE : OUTCOME_PASS;
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
        if (seat->partner == without || word_of(item, seat->step) != OUTCOME_PASS)
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

    for (const struct seat *seat = NULL; (seat = next_seat(item, host, seat)) != NULL;) {
        enum outcome_word word = word_of(item, seat->step);

        if (word == OUTCOME_NOT_RUN)
            continue;
        if (word != OUTCOME_FAIL || !passes_without(item, seat->partner, host, &fast_across))
            return false;
        slow++;
        slow_across += is_across(host, seat->partner);
    }
    return slow > 1 && (slow_across < slow || fast_across);
}

static bool is_speed_fail(const struct pairs *pairs, const struct outcome *outcome)
{
    return outcome->word == OUTCOME_FAIL && step_of(pairs, outcome)->member_count > 1 &&
           blame_is_speed(slot_of(pairs, outcome)->metric);
}

static const struct host *shown_by(const struct pairs *pairs, const struct outcome *outcome)
{
    const struct step *step = step_of(pairs, outcome);
    struct pair_item item;

    if (!is_speed_fail(pairs, outcome) || step->member_count != PAIR)
        return NULL;
    item = item_of(pairs, outcome);
    for (size_t i = 0; i < PAIR; i++)
        if (is_slow_with_all(&item, step->members[i]))
            return step->members[i];
    return NULL;
}

static void add_slow(struct pairs *pairs, const struct host *host, const char *part)
{
    list_each (known, pairs->slow)
        if (known->host == host && strcmp(known->part, part) == 0)
            return;
    *list_push(pairs->arena, &pairs->slow) = (struct slow_host){host, part};
}

/* "node[1,4]": with whom it is slow. */
static const char *partners_of(const struct pairs *pairs, const struct outcome *outcome,
                               const struct host *host)
{
    const struct pair_item item = item_of(pairs, outcome);
    LIST_OF(const char *) names = {0};

    for (const struct seat *seat = NULL; (seat = next_seat(&item, host, seat)) != NULL;)
        if (word_of(&item, seat->step) == OUTCOME_FAIL)
            *list_push(pairs->arena, &names) = seat->partner->name;
    return hostlist_fold(pairs->arena, names.items, names.count);
}

/* "node2 mlx5_3" */
static const char *place_text(const struct pairs *pairs, const struct slow_host *slow)
{
    return *slow->part == '\0' ? slow->host->name
                               : arena_printf(pairs->arena, "%s %s", slow->host->name, slow->part);
}

/* Tests between leaves have named a leaf, or a host of it, already. */
static bool names_leaf(const struct outcome *outcome)
{
    return reason_is(outcome->cause, leaf_slow_with_both) || reason_is(outcome->cause, leaf_slow_by_host);
}

/* What the check advises for such a value, unless that is to find out which of the hosts it is. */
static const struct reason *remedy_of_host(struct arena *arena, const struct reason *own)
{
    const struct reason *of_host = REASON(fix_the_hosts_adapters);

    return own == NULL || reason_has(own, look_at_both_ends_of_the_rail) ? of_host
                                                                         : reason_also(arena, of_host, own);
}

static void name_by_pairs(struct pairs *pairs, struct outcome *outcome)
{
    const struct host *host = shown_by(pairs, outcome);
    struct slow_host slow = {host, slot_of(pairs, outcome)->subject};

    if (host == NULL || names_leaf(outcome))
        return;
    add_slow(pairs, host, slow.part);
    outcome->cause = reason(pairs->arena, slow_in_all_pairs, outcome->cause, place_text(pairs, &slow),
                            partners_of(pairs, outcome, host));
    outcome->remedy = remedy_of_host(pairs->arena, outcome->remedy);
}

/* Whether the host, as its pairs show it, explains another slow test: it is in it, by the same part or by none, and where the
   test is of pairs it passes in none of them. */
static bool explains(const struct pairs *pairs, const struct slow_host *slow, const struct outcome *outcome)
{
    const struct step *step = step_of(pairs, outcome);
    const char *subject = slot_of(pairs, outcome)->subject;
    const struct pair_item item = item_of(pairs, outcome);

    if (!step_has_host(step, slow->host) || (*subject != '\0' && strcmp(subject, slow->part) != 0))
        return false;
    for (const struct seat *seat = NULL;
         step->member_count == PAIR && (seat = next_seat(&item, slow->host, seat)) != NULL;)
        if (word_of(&item, seat->step) == OUTCOME_PASS)
            return false;
    return true;
}

static void name_by_member(struct pairs *pairs, struct outcome *outcome)
{
    list_each (slow, pairs->slow)
        if (explains(pairs, slow, outcome)) {
            outcome->cause = reason(pairs->arena, slow_by_member, outcome->cause, place_text(pairs, slow));
            outcome->remedy = remedy_of_host(pairs->arena, outcome->remedy);
            return;
        }
}

void judge_pairs(struct record *record, struct judgement *judgement)
{
    struct pairs pairs = {.arena = record->arena, .plan = record->plan, .judgement = judgement};

    find_seats(&pairs);
    for (size_t i = 0; i < judgement->outcome_count; i++)
        name_by_pairs(&pairs, &judgement->outcomes[i]);
    for (size_t i = 0; pairs.slow.count > 0 && i < judgement->outcome_count; i++)
        if (is_speed_fail(&pairs, &judgement->outcomes[i]) &&
            !reason_is(judgement->outcomes[i].cause, slow_in_all_pairs) &&
            !names_leaf(&judgement->outcomes[i]))
            name_by_member(&pairs, &judgement->outcomes[i]);
}
