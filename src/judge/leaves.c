/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which leaf makes a test between two leaves slow. Each leaf is tested with both of its neighbours, and a test is as fast as the
 * slower of two. So a leaf is at least as fast as the better of its tests showed it: of the leaves of a slow test the one is slow
 * whose better test is below the other's by more than healthy tests differ. Of two leaves, or where both are slow, nobody
 * is told from the other. Where one host of that leaf is slow in tests of its own, it is that host (leaf_hosts.h).
 */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "assay/base/robust.h"
#include "assay/reasons/any.h"
#include "assay/reasons/judge.h"

#include "judge_private.h"
#include "leaf_hosts.h"

/* By how much better tests must differ, in standard deviations of the tests of the step and at least: two runs of one test
   differ by that much, of which each scatters by 2%. By `bench truth` a slow leaf is named from 1.0 to 1.3 times the slow-down
   on that an ideal test would find, and its neighbour in its place in less than 1 of 100. */
#define APART_DEVIATIONS 1.0
#define APART_LEAST 0.03
/* A leaf's two tests are alike. Where they differ by so many times more than its better one from the neighbour's, the path is slow. */
#define PATH_FACTOR 2
/* Two of them are a slow leaf's: of fewer others nobody knows how healthy ones scatter. */
enum { KNOWN_LEAST = 6 };

/* One number of one test between two leaves. */
struct between {
    const struct step *step;
    size_t slot;
    const char *leaf[2];
    double level; /* natural logarithm of the bandwidth */
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

static bool is_bandwidth(const struct step *step, size_t slot)
{
    return fnmatch("*.busbw", step->shape->slots[slot].metric, 0) == 0;
}

/* The same number of the same suite step. */
static bool is_alike(const struct between *a, const struct between *b)
{
    const struct slot *left = &a->step->shape->slots[a->slot], *right = &b->step->shape->slots[b->slot];

    return strcmp(a->step->shape->suite_step, b->step->shape->suite_step) == 0 &&
           strcmp(a->step->shape->platform, b->step->shape->platform) == 0 &&
           strcmp(left->metric, right->metric) == 0 && strcmp(left->subject, right->subject) == 0 &&
           strcmp(left->at, right->at) == 0;
}

/* The better of a leaf's tests; NAN: it has one only, which tells nothing of it. */
static double better_of(const struct betweens *all, const struct between *here, const char *leaf)
{
    double best = -INFINITY;
    size_t count = 0;

    list_each (one, all->items) {
        if (!is_alike(one, here) || (strcmp(one->leaf[0], leaf) != 0 && strcmp(one->leaf[1], leaf) != 0))
            continue;
        best = fmax(best, one->level);
        count++;
    }
    return count > 1 ? best : NAN;
}

/* levels: room for all. */
static double apart(const struct betweens *all, const struct between *here, double *levels)
{
    size_t count = 0;

    for (size_t i = 0; i < all->items.count; i++)
        if (is_alike(&all->items.items[i], here))
            levels[count++] = all->items.items[i].level;
    if (count < KNOWN_LEAST)
        return APART_LEAST;
    return fmax(APART_LEAST, APART_DEVIATIONS * robust_sigma(levels, count, robust_median(levels, count)));
}

static void name_leaf(struct record *record, const struct betweens *all, const struct between *here,
                      double *levels, struct outcome *outcome)
{
    struct arena *arena = record->arena;
    const char *host;

    double better[2] = {better_of(all, here, here->leaf[0]), better_of(all, here, here->leaf[1])};
    size_t slow = better[0] < better[1] ? 0 : 1;

    if (!(fabs(better[0] - better[1]) > apart(all, here, levels)) ||
        better[slow] - here->level > PATH_FACTOR * (better[1 - slow] - better[slow]))
        return;
    host = leaf_slow_host(arena, record, &record->judgement, here->leaf[slow]);
    outcome->cause = host != NULL ? reason(arena, leaf_slow_by_host, outcome->cause, here->leaf[slow], host)
                                  : reason(arena, leaf_slow_with_both, outcome->cause, here->leaf[slow],
                                           here->leaf[1 - slow]);
    outcome->remedy = host != NULL ? REASON(fix_the_hosts_adapters) : REASON(check_the_leaf);
}

void judge_leaves(struct record *record, struct judgement *judgement)
{
    struct betweens all = {0}, failed = {0};
    LIST_OF(struct outcome *) outcomes = {0};
    double *levels;

    for (size_t i = 0; i < judgement->outcome_count; i++) {
        struct outcome *outcome = &judgement->outcomes[i];
        const struct step *step = &record->plan->steps.items[outcome->step];
        struct between between = {step, outcome->slot, {0}, 0};

        if (!is_between(step) || !is_bandwidth(step, outcome->slot) || !(outcome->value > 0) ||
            (outcome->word != OUTCOME_PASS && outcome->word != OUTCOME_FAIL))
            continue;
        for (size_t k = 0; k < 2; k++)
            between.leaf[k] = step->members[k]->leaf;
        between.level = log(outcome->value);
        *list_push(record->arena, &all.items) = between;
        if (outcome->word != OUTCOME_FAIL)
            continue;
        *list_push(record->arena, &failed.items) = between;
        *list_push(record->arena, &outcomes) = outcome;
    }
    levels = arena_array(record->arena, double, all.items.count);
    for (size_t i = 0; i < outcomes.count; i++)
        name_leaf(record, &all, &failed.items.items[i], levels, outcomes.items[i]);
}
