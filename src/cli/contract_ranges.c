/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clauses that ask for the same at one message size after the other are one clause with a range of sizes. A range speaks of all
 * sizes in it: where the plan has another item of that name in between, which has another figure or is only recorded, it ends.
 */
#include <string.h>

#include "contract_draft.h"

static bool same_figure(const struct limit *a, const struct limit *b)
{
    return a == b || (a->rule == b->rule && a->status == b->status && limit_is_as_strict(a, b) &&
                      limit_is_as_strict(b, a) && strcmp(a->source, b->source) == 0);
}

/* All that a clause says of its items but their size. */
static bool same_items(const struct shape *a, const char *metric_a, const struct shape *b,
                       const char *metric_b)
{
    return strcmp(metric_a, metric_b) == 0 && strcmp(a->platform, b->platform) == 0 &&
           strcmp(a->scope, b->scope) == 0 && a->hosts == b->hosts && a->racks == b->racks &&
           a->rack_hosts == b->rack_hosts;
}

static bool can_join(const struct clause *a, const struct clause *b)
{
    return a->slot->size_bytes > 0 && b->slot->size_bytes > 0 && a->of_subject == b->of_subject &&
           same_items(a->shape, a->slot->metric, b->shape, b->slot->metric) &&
           (!a->of_subject || strcmp(a->slot->subject, b->slot->subject) == 0) &&
           same_figure(a->limit, b->limit);
}

/* Whether the plan has an item of that name of a size between the two. */
static bool is_between(const struct plan *plan, const struct clause *clause, double low, double high)
{
    for (size_t i = 0; i < plan->shapes.count; i++) {
        const struct shape *shape = plan->shapes.items[i];

        for (size_t k = 0; k < shape->slot_count; k++)
            if (shape->slots[k].size_bytes > low && shape->slots[k].size_bytes < high &&
                same_items(shape, shape->slots[k].metric, clause->shape, clause->slot->metric))
                return true;
    }
    return false;
}

/* The next larger size of the same; NULL: there is none. */
static struct clause *next_size(struct draft *draft, const struct clause *clause, double size)
{
    struct clause *next = NULL;

    for (size_t i = 0; i < draft->clauses.count; i++) {
        struct clause *other = &draft->clauses.items[i];

        if (other->limit != NULL && other->slot->size_bytes > size && can_join(clause, other) &&
            (next == NULL || other->slot->size_bytes < next->slot->size_bytes))
            next = other;
    }
    return next;
}

static bool has_smaller(struct draft *draft, const struct plan *plan, const struct clause *clause)
{
    for (size_t i = 0; i < draft->clauses.count; i++) {
        const struct clause *other = &draft->clauses.items[i];

        if (other->limit != NULL && other->slot->size_bytes < clause->slot->size_bytes &&
            can_join(clause, other) && next_size(draft, other, other->slot->size_bytes) == clause &&
            !is_between(plan, clause, other->slot->size_bytes, clause->slot->size_bytes))
            return true;
    }
    return false;
}

void contract_join_sizes(struct arena *arena, const struct plan *plan, struct draft *draft)
{
    bool *first = arena_array(arena, bool, draft->clauses.count + 1);
    size_t kept = 0;

    for (size_t i = 0; i < draft->clauses.count; i++)
        first[i] = !has_smaller(draft, plan, &draft->clauses.items[i]);
    for (size_t i = 0; i < draft->clauses.count; i++) {
        struct clause *clause = &draft->clauses.items[i], *next;

        clause->size_max = clause->slot->size_bytes;
        while (first[i] && clause->size_max > 0 &&
               (next = next_size(draft, clause, clause->size_max)) != NULL &&
               !is_between(plan, clause, clause->size_max, next->slot->size_bytes))
            clause->size_max = next->slot->size_bytes;
    }
    for (size_t i = 0; i < draft->clauses.count; i++)
        if (first[i])
            draft->clauses.items[kept++] = draft->clauses.items[i];
    draft->clauses.count = kept;
}
