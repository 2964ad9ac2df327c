/* SPDX-License-Identifier: Apache-2.0 */
#include "stage_tree.h"

#include <string.h>

enum { MISSES_OF_ONE = 3, MISSES_OF_ALL = 6, REFUSALS = 2, NEAREST = 3, STRIDE = 617 };

static bool passes_on(const struct stage_tree *tree)
{
    return !tree->direct && (tree->gave > 0 || tree->misgave < MISSES_OF_ALL);
}

static bool may_give(const struct stage_tree *tree, const struct tree_host *host)
{
    return host->state == TREE_HAS && host->giving < tree->fan_out &&
           (host->gave > 0 || host->misgave < MISSES_OF_ONE);
}

static unsigned nearness(const struct tree_host *a, const struct tree_host *b)
{
    if (*a->leaf != '\0' && strcmp(a->leaf, b->leaf) == 0)
        return NEAREST;
    return *a->unit != '\0' && strcmp(a->unit, b->unit) == 0 ? 2 : 1;
}

/*
 * The nearest host that this one could give to, or the count. Far ones are taken from all over the cluster (a stride
 * that no usual leaf divides), so that each leaf soon has one that gives to its own.
 */
static size_t target_for(const struct stage_tree *tree, size_t source)
{
    size_t best = tree->count;
    size_t start = (tree->has + tree->taking) * STRIDE;
    unsigned best_nearness = 0;

    for (size_t k = 0; k < tree->count && best_nearness < NEAREST; k++) {
        size_t i = (start + k) % tree->count;
        const struct tree_host *host = &tree->hosts[i];
        unsigned near = nearness(&tree->hosts[source], host);

        if (host->state != TREE_WANTS || host->refused >= REFUSALS || near <= best_nearness ||
            (host->refused > 0 && host->refused_by == source))
            continue;
        best = i;
        best_nearness = near;
    }
    return best;
}

static bool next_pass(const struct stage_tree *tree, size_t *ret_target, size_t *ret_source)
{
    for (unsigned giving = 0; giving < tree->fan_out; giving++)
        for (size_t i = 0; i < tree->count; i++) {
            if (!may_give(tree, &tree->hosts[i]) || tree->hosts[i].giving != giving)
                continue;
            *ret_target = target_for(tree, i);
            *ret_source = i;
            if (*ret_target < tree->count)
                return true;
        }
    return false;
}

static bool next_push(const struct stage_tree *tree, size_t *ret_target)
{
    bool any = tree->has + tree->pushing < tree->seeds || tree->taking == 0;

    if (tree->waits)
        return false;
    for (size_t i = 0; i < tree->count; i++) {
        const struct tree_host *host = &tree->hosts[i];

        if (host->state != TREE_WANTS)
            continue;
        if (any || ((!passes_on(tree) || host->refused >= REFUSALS) && tree->pushing < tree->pushes)) {
            *ret_target = i;
            return true;
        }
    }
    return false;
}

enum tree_order tree_next(struct stage_tree *tree, size_t *ret_target, size_t *ret_source)
{
    enum tree_order order = TREE_NOTHING;
    struct tree_host *target;

    *ret_source = TREE_CONTROLLER;
    if (passes_on(tree) && next_pass(tree, ret_target, ret_source))
        order = TREE_PASS;
    else if (next_push(tree, ret_target))
        order = TREE_PUSH;
    else
        return TREE_NOTHING;
    target = &tree->hosts[*ret_target];
    target->state = TREE_TAKING;
    tree->taking++;
    if (order == TREE_PUSH) {
        *ret_source = TREE_CONTROLLER;
        tree->pushing++;
    } else {
        tree->hosts[*ret_source].giving++;
    }
    target->from = *ret_source;
    return order;
}

static void transfer_ended(struct stage_tree *tree, struct tree_host *host, bool well)
{
    struct tree_host *source = host->from != TREE_CONTROLLER ? &tree->hosts[host->from] : NULL;

    tree->taking--;
    if (source == NULL) {
        tree->pushing--;
        return;
    }
    source->giving--;
    if (well) {
        source->gave++;
        tree->gave++;
        return;
    }
    source->misgave++;
    tree->misgave++;
    host->refused++;
    host->refused_by = host->from;
}

void tree_set(struct stage_tree *tree, size_t index, enum tree_state state)
{
    struct tree_host *host = &tree->hosts[index];

    if (host->state == TREE_TAKING)
        transfer_ended(tree, host, state == TREE_HAS);
    if (host->state != TREE_HAS && state == TREE_HAS)
        tree->has++;
    host->state = state;
}
