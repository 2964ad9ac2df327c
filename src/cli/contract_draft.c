/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a contract can state of a plan's gates. A figure, of a document or computed, stands for all that it decides. What only
 * means a tool's word (LIMIT_TOOL) is stated where all gates of one name agree on it, or all of one subject: a clause that was
 * written of one step would judge the others too. Such a clause asks for what the check asks for by itself, which is asked
 * first and goes on to say whether a miss is a fail.
 */
#include <stdlib.h>
#include <string.h>

#include "assay/model/suite.h"
#include "contract_draft.h"

/* Gates without a figure by what a clause would call them, each with its rule (NULL: none can be stated). */
struct ruled {
    struct clause clause; /* of the first */
    bool alike, subjects_alike;
    LIST_OF(struct clause) subjects; /* the first of each */
};

struct drafting {
    struct arena *arena;
    const struct question *question;
    struct draft *draft;
    struct clause_names names;
    LIST_OF(struct ruled) rules;
    LIST_OF(const struct shape *) carried_out; /* by their addresses */
};

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

static struct clause_name *name_of(struct drafting *drafting, const struct clause *clause)
{
    return clause_name_of(drafting->arena, &drafting->names, clause, NULL);
}

/* One clause speaks of the items of several steps: none of them may be judged by less than without it. */
static void take(struct drafting *drafting, const struct clause *clause, bool decided)
{
    struct clause_name *name = name_of(drafting, clause);
    struct draft *draft = drafting->draft;

    if (name->figure > 0) {
        struct clause *taken = &draft->clauses.items[name->figure - 1];

        if (clause->limit != NULL && limit_enforceable(clause->limit) &&
            !limit_is_as_strict(taken->limit, clause->limit))
            *taken = *clause;
        return;
    }
    if (name->without)
        return;
    if (clause->limit != NULL) {
        *list_push(drafting->arena, &draft->clauses) = *clause;
        name->figure = draft->clauses.count;
    } else if (!decided) {
        *list_push(drafting->arena, &draft->without) = *clause;
        name->without = true;
    }
}

static void take_shared(struct drafting *drafting, const struct clause *clause)
{
    struct clause_name *name = name_of(drafting, clause);

    if (!name->shared)
        *list_push(drafting->arena, &drafting->draft->shared) =
            (struct clause){.shape = clause->shape, .slot = clause->slot, .recorded_by = name->recorded_by};
    name->shared = true;
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

static void add_subject(struct drafting *drafting, struct ruled *ruled, const struct clause *clause)
{
    struct clause_name *name =
        clause_name_of(drafting->arena, &drafting->names, clause, clause->slot->subject);

    if (name->of_subject == 0) {
        *list_push(drafting->arena, &ruled->subjects) = *clause;
        name->of_subject = ruled->subjects.count;
    } else if (!same_rule(ruled->subjects.items[name->of_subject - 1].limit, clause->limit)) {
        ruled->subjects_alike = false;
    }
}

static void add_rule(struct drafting *drafting, const struct clause *clause)
{
    struct clause_name *name = name_of(drafting, clause);
    struct ruled *ruled;

    if (name->rule == 0) {
        *list_push(drafting->arena, &drafting->rules) =
            (struct ruled){.clause = *clause, .alike = clause->limit != NULL, .subjects_alike = true};
        name->rule = drafting->rules.count;
    }
    ruled = &drafting->rules.items[name->rule - 1];
    ruled->alike &= same_rule(ruled->clause.limit, clause->limit);
    add_subject(drafting, ruled, clause);
}

static void take_rule(struct arena *arena, struct draft *draft, const struct ruled *ruled, bool recorded)
{
    bool all = ruled->subjects_alike;

    for (size_t i = 0; i < ruled->subjects.count; i++)
        all &= ruled->subjects.items[i].limit != NULL && *ruled->subjects.items[i].slot->subject != '\0';
    if (ruled->alike && !recorded) {
        *list_push(arena, &draft->clauses) = ruled->clause;
    } else if (all && !recorded) {
        for (size_t i = 0; i < ruled->subjects.count; i++) {
            struct clause *taken = list_push(arena, &draft->clauses);

            *taken = ruled->subjects.items[i];
            taken->of_subject = true;
        }
    } else {
        *list_push(arena, &draft->unsaid) = ruled->clause;
    }
}

/* Behind the figures, which come first where both speak of one item. */
static void take_rules(struct drafting *drafting)
{
    for (size_t i = 0; i < drafting->rules.count; i++) {
        const struct ruled *ruled = &drafting->rules.items[i];
        const struct clause_name *name = name_of(drafting, &ruled->clause);

        if (name->figure == 0)
            take_rule(drafting->arena, drafting->draft, ruled, name->recorded_by != NULL);
    }
}

static void take_gate(struct drafting *drafting, struct clause clause)
{
    bool decided;

    clause.limit =
        figure_of(drafting->arena, &drafting->question->sources.limits, clause.shape, clause.slot, &decided);
    if (clause.limit != NULL && name_of(drafting, &clause)->recorded_by != NULL) {
        take_shared(drafting, &clause);
        return;
    }
    take(drafting, &clause, decided);
    if (clause.limit == NULL && decided) {
        clause.limit = rule_of(clause.slot);
        add_rule(drafting, &clause);
    }
}

static int compare_addresses(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t) * (const struct shape *const *)a,
              right = (uintptr_t) * (const struct shape *const *)b;

    return (left > right) - (left < right);
}

/* Those of which any step is to run: not all are left out. */
static void find_carried_out(struct drafting *drafting)
{
    const struct plan *plan = drafting->question->plan;
    const struct shape *last = NULL;

    for (size_t i = 0; i < plan->steps.count; i++)
        if (plan->steps.items[i].origin != ORIGIN_LEFT_OUT && plan->steps.items[i].shape != last) {
            last = plan->steps.items[i].shape;
            *list_push(drafting->arena, &drafting->carried_out) = last;
        }
    if (drafting->carried_out.count > 0)
        qsort(drafting->carried_out.items, drafting->carried_out.count, sizeof last, compare_addresses);
}

static bool is_carried_out(const struct drafting *drafting, const struct shape *shape)
{
    return drafting->carried_out.count > 0 &&
           bsearch(&shape, drafting->carried_out.items, drafting->carried_out.count, sizeof shape,
                   compare_addresses) != NULL;
}

/* Whether a step is carried out or not: it may be another time, by the same contract. */
static void find_recorded(struct drafting *drafting)
{
    const struct plan *plan = drafting->question->plan;

    for (size_t i = 0; i < plan->shapes.count; i++)
        for (size_t k = 0; k < plan->shapes.items[i]->slot_count; k++) {
            const struct clause clause = {.shape = plan->shapes.items[i],
                                          .slot = &plan->shapes.items[i]->slots[k]};
            struct clause_name *name = clause.slot->duty == DUTY_RECORD ? name_of(drafting, &clause) : NULL;

            if (name != NULL && name->recorded_by == NULL)
                name->recorded_by = clause.shape->suite_step;
        }
}

void contract_draft(struct arena *arena, const struct question *question, struct draft *ret_draft)
{
    const struct plan *plan = question->plan;
    struct drafting drafting = {.arena = arena, .question = question, .draft = ret_draft};

    *ret_draft = (struct draft){0};
    find_carried_out(&drafting);
    find_recorded(&drafting);
    for (size_t i = 0; i < plan->shapes.count; i++) {
        const struct shape *shape = plan->shapes.items[i];
        bool carried_out = is_carried_out(&drafting, shape);

        for (size_t k = 0; carried_out && k < shape->slot_count; k++)
            if (shape->slots[k].duty == DUTY_GATE)
                take_gate(&drafting, (struct clause){.shape = shape, .slot = &shape->slots[k]});
    }
    take_rules(&drafting);
    contract_join_sizes(arena, plan, ret_draft);
}
