/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which leaf makes a test between two leaves slow. Each leaf is tested with both of its neighbours; one that is slow
 * with both, where a neighbour is not with its other one, is the one that its uplinks keep. Of two leaves, or where all
 * are slow, nobody is told from the other.
 */
#include <fnmatch.h>
#include <string.h>

#include "assay/reasons/judge.h"

#include "judge_private.h"

/* One test between two leaves, as its bandwidth makes it. */
struct between {
    size_t step;
    const char *suite_step, *leaf[2];
    bool failed, passed;
};

struct betweens {
    LIST_OF(struct between) items;
};

static bool is_between(const struct step *step)
{
    return step->origin == ORIGIN_SUITE &&
           strncmp(step->shape->variant, LEAVES_VARIANT, strlen(LEAVES_VARIANT)) == 0 &&
           step->member_count > 1;
}

static bool is_bandwidth(const struct record *record, const struct outcome *outcome)
{
    const struct shape *shape = record->plan->steps.items[outcome->step].shape;

    return fnmatch("*.busbw", shape->slots[outcome->slot].metric, 0) == 0;
}

static struct between *between_of(struct record *record, struct betweens *all, size_t index)
{
    const struct step *step = &record->plan->steps.items[index];
    struct between *between;

    for (size_t i = 0; i < all->items.count; i++)
        if (all->items.items[i].step == index)
            return &all->items.items[i];
    between = list_push(record->arena, &all->items);
    *between = (struct between){.step = index,
                                .suite_step = step->shape->suite_step,
                                .leaf = {step->members[0]->leaf, step->members[1]->leaf}};
    return between;
}

static bool has_leaf(const struct between *between, const char *leaf)
{
    return strcmp(between->leaf[0], leaf) == 0 || strcmp(between->leaf[1], leaf) == 0;
}

/* Whether the leaf was slow, or well, in another test than this one. */
static bool elsewhere(const struct betweens *all, const struct between *here, const char *leaf, bool slow)
{
    for (size_t i = 0; i < all->items.count; i++) {
        const struct between *other = &all->items.items[i];

        if (other != here && strcmp(other->suite_step, here->suite_step) == 0 && has_leaf(other, leaf) &&
            (slow ? other->failed : other->passed && !other->failed))
            return true;
    }
    return false;
}

void judge_leaves(struct record *record, struct judgement *judgement)
{
    struct betweens all = {0};

    for (size_t i = 0; i < judgement->outcome_count; i++) {
        const struct outcome *outcome = &judgement->outcomes[i];
        struct between *between;

        if (!is_between(&record->plan->steps.items[outcome->step]) || !is_bandwidth(record, outcome))
            continue;
        between = between_of(record, &all, outcome->step);
        between->failed |= outcome->word == OUTCOME_FAIL;
        between->passed |= outcome->word == OUTCOME_PASS;
    }
    for (size_t i = 0; i < judgement->outcome_count && all.items.count > 0; i++) {
        struct outcome *outcome = &judgement->outcomes[i];
        const struct between *here;

        if (outcome->word != OUTCOME_FAIL || !is_between(&record->plan->steps.items[outcome->step]) ||
            !is_bandwidth(record, outcome))
            continue;
        here = between_of(record, &all, outcome->step);
        for (size_t k = 0; k < 2; k++)
            if (elsewhere(&all, here, here->leaf[k], true) && elsewhere(&all, here, here->leaf[1 - k], false))
                outcome->cause = reason(record->arena, leaf_slow_with_both, outcome->cause, here->leaf[k],
                                        here->leaf[1 - k]);
    }
}
