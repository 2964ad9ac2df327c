/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a contract can state of a plan's gates. A figure, of a document or computed, stands for all that it decides. What only
 * means a tool's word (LIMIT_TOOL) is stated where all gates of one name agree on it, or all of one subject: a clause that was
 * written of one step would judge the others too. Such a clause asks for what the check asks for by itself, which is asked
 * first and goes on to say whether a miss is a fail.
 */
#include <string.h>

#include "assay/model/suite.h"
#include "contract_draft.h"

/* What a document says, or what is computed: a tool's own word is nothing to agree on, and how a soak's slices lie to one
   another is no figure. Of several the strictest, which decides; the last, the document's, where none is. */
static const struct limit *figure_of(struct arena *arena, const struct run_limits *limits,
                                     const struct shape *shape, const struct slot *slot, bool *ret_decided)
{
    struct slot_limits of_slot;
    const struct limit *figure = NULL;

    *ret_decided = strcmp(slot->metric, SOUND_METRIC) == 0;
    slot_limits_find(arena, limits, shape, slot, &of_slot);
    for (size_t i = 0; i < of_slot.limits.count; i++) {
        const struct limit *limit = of_slot.limits.items[i];

        *ret_decided |= limit_enforceable(limit);
        if (limit->status != LIMIT_TOOL && limit->rule != RULE_SERIES &&
            (figure == NULL || !limit_enforceable(figure) ||
             (limit_enforceable(limit) && !limit_is_as_strict(figure, limit))))
            figure = limit;
    }
    return figure;
}

static bool same_clause(const struct clause *a, const struct clause *b)
{
    return strcmp(a->slot->metric, b->slot->metric) == 0 && a->slot->size_bytes == b->slot->size_bytes &&
           strcmp(a->shape->platform, b->shape->platform) == 0 &&
           strcmp(a->shape->scope, b->shape->scope) == 0 && a->shape->hosts == b->shape->hosts &&
           a->shape->racks == b->shape->racks &&
           (a->shape->racks < 2 || a->shape->rack_hosts == b->shape->rack_hosts);
}

const char *contract_recorded_by(const struct plan *plan, const struct clause *clause)
{
    for (size_t i = 0; i < plan->shapes.count; i++)
        for (size_t k = 0; k < plan->shapes.items[i]->slot_count; k++) {
            const struct clause other = {plan->shapes.items[i], &plan->shapes.items[i]->slots[k], NULL,
                                         false};

            if (other.slot->duty == DUTY_RECORD && same_clause(&other, clause))
                return other.shape->suite_step;
        }
    return NULL;
}

/* One clause speaks of the items of several steps: none of them may be judged by less than without it. */
static void take(struct arena *arena, struct draft *draft, const struct clause *clause, bool decided)
{
    for (size_t i = 0; i < draft->clauses.count; i++) {
        struct clause *taken = &draft->clauses.items[i];

        if (!same_clause(taken, clause))
            continue;
        if (clause->limit != NULL && limit_enforceable(clause->limit) &&
            !limit_is_as_strict(taken->limit, clause->limit))
            *taken = *clause;
        return;
    }
    for (size_t i = 0; i < draft->without.count; i++)
        if (same_clause(&draft->without.items[i], clause))
            return;
    if (clause->limit != NULL)
        *list_push(arena, &draft->clauses) = *clause;
    else if (!decided)
        *list_push(arena, &draft->without) = *clause;
}

static void take_shared(struct arena *arena, struct draft *draft, const struct clause *clause)
{
    for (size_t i = 0; i < draft->shared.count; i++)
        if (same_clause(&draft->shared.items[i], clause))
            return;
    *list_push(arena, &draft->shared) = *clause;
}

/* What anybody may write in a contract; contract.schema.json has the units. */
static bool can_be_stated(const struct limit *limit)
{
    static const char *const units[] = {"",  "GB/s",    "Gb/s",    "MiB", "us",   "C",
                                        "W", "GFLOP/s", "TFLOP/s", "%",   "Mpps", "s"};

    if (limit->rule == RULE_EQUAL || limit->rule == RULE_ONE_OF)
        return *limit->text != '\0' && limit->text[strlen(limit->text) - 1] != '|' && *limit->text != '|' &&
               strstr(limit->text, "||") == NULL;
    if (limit->rule == RULE_FLOOR || limit->rule == RULE_CEILING)
        for (size_t i = 0; i < ARRAY_SIZE(units); i++)
            if (limit->unit == NULL || strcmp(limit->unit, units[i]) == 0)
                return true;
    return limit->rule == RULE_MIN_VERSION || limit->rule == RULE_SAME;
}

/* The first of the check's own that a clause can state; NULL: there is none. */
static const struct limit *rule_of(const struct slot *slot)
{
    for (size_t i = 0; i < slot->own_count; i++)
        if (slot->own[i].status == LIMIT_TOOL && can_be_stated(&slot->own[i]))
            return &slot->own[i];
    return NULL;
}

static bool same_rule(const struct limit *a, const struct limit *b)
{
    return a != NULL && b != NULL && limit_is_as_strict(a, b) && limit_is_as_strict(b, a);
}

/* Gates without a figure by what a clause would call them, each with its rule (NULL: none can be stated). */
struct ruled {
    struct clause clause; /* of the first */
    bool alike, subjects_alike;
    LIST_OF(struct clause) subjects; /* the first of each */
};

struct rules {
    LIST_OF(struct ruled) names;
};

static void add_subject(struct arena *arena, struct ruled *name, const struct clause *clause)
{
    for (size_t i = 0; i < name->subjects.count; i++) {
        struct clause *known = &name->subjects.items[i];

        if (strcmp(known->slot->subject, clause->slot->subject) != 0)
            continue;
        if (!same_rule(known->limit, clause->limit))
            name->subjects_alike = false;
        return;
    }
    *list_push(arena, &name->subjects) = *clause;
}

static void add_rule(struct arena *arena, struct rules *rules, const struct clause *clause)
{
    struct ruled *name = NULL;

    for (size_t i = 0; i < rules->names.count && name == NULL; i++)
        if (same_clause(&rules->names.items[i].clause, clause))
            name = &rules->names.items[i];
    if (name == NULL) {
        name = list_push(arena, &rules->names);
        *name = (struct ruled){.clause = *clause, .alike = clause->limit != NULL, .subjects_alike = true};
    }
    name->alike &= same_rule(name->clause.limit, clause->limit);
    add_subject(arena, name, clause);
}

static bool has_figure(const struct draft *draft, const struct clause *clause)
{
    for (size_t i = 0; i < draft->clauses.count; i++)
        if (same_clause(&draft->clauses.items[i], clause))
            return true;
    return false;
}

static void take_rule(struct arena *arena, const struct plan *plan, struct draft *draft,
                      const struct ruled *name)
{
    bool all = name->subjects_alike, recorded = contract_recorded_by(plan, &name->clause) != NULL;

    for (size_t i = 0; i < name->subjects.count; i++)
        all &= name->subjects.items[i].limit != NULL && *name->subjects.items[i].slot->subject != '\0';
    if (name->alike && !recorded) {
        *list_push(arena, &draft->clauses) = name->clause;
    } else if (all && !recorded) {
        for (size_t i = 0; i < name->subjects.count; i++) {
            struct clause *taken = list_push(arena, &draft->clauses);

            *taken = name->subjects.items[i];
            taken->of_subject = true;
        }
    } else {
        *list_push(arena, &draft->unsaid) = name->clause;
    }
}

/* Behind the figures, which come first where both speak of one item. */
static void take_rules(struct arena *arena, const struct plan *plan, const struct rules *rules,
                       struct draft *draft)
{
    size_t figures = draft->clauses.count;

    for (size_t i = 0; i < rules->names.count; i++) {
        struct draft of_figures = *draft;

        of_figures.clauses.count = figures;
        if (!has_figure(&of_figures, &rules->names.items[i].clause))
            take_rule(arena, plan, draft, &rules->names.items[i]);
    }
}

static void take_gate(struct arena *arena, const struct question *question, struct clause clause,
                      struct draft *draft, struct rules *rules)
{
    bool decided;

    clause.limit = figure_of(arena, &question->sources.limits, clause.shape, clause.slot, &decided);
    if (clause.limit != NULL && contract_recorded_by(question->plan, &clause) != NULL) {
        clause.limit = NULL;
        take_shared(arena, draft, &clause);
    } else {
        take(arena, draft, &clause, decided);
    }
    if (clause.limit == NULL && decided) {
        clause.limit = rule_of(clause.slot);
        add_rule(arena, rules, &clause);
    }
}

void contract_draft(struct arena *arena, const struct question *question, struct draft *ret_draft)
{
    const struct plan *plan = question->plan;
    struct rules rules = {0};

    *ret_draft = (struct draft){0};
    for (size_t i = 0; i < plan->shapes.count; i++) {
        const struct shape *shape = plan->shapes.items[i];

        for (size_t k = 0; shape_is_carried_out(plan, shape) && k < shape->slot_count; k++)
            if (shape->slots[k].duty == DUTY_GATE)
                take_gate(arena, question, (struct clause){shape, &shape->slots[k], NULL, false}, ret_draft,
                          &rules);
    }
    take_rules(arena, plan, &rules, ret_draft);
}
