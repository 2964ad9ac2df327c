/* SPDX-License-Identifier: Apache-2.0 */
/* Limits, and above all the clauses of a contract, that would not judge what they say: in another unit, of what nothing here
   measures, behind a clause that takes all, or above what the links carry. */
#include <string.h>

#include "assay/base/nearest.h"
#include "assay/reasons/any.h"
#include "assay/reasons/plan.h"
#include "plan_private.h"

enum { CLAUSES_NAMED = 5 /* with why */ };

/* Where it stands in the contract or a baseline; NULL: somewhere else. */
static const struct json *place_of(const struct run_limits *limits, const struct limit *limit)
{
    const struct contract *contract = limits->contract;

    for (size_t i = 0; contract != NULL && i < contract->limits.count; i++)
        if (&contract->limits.items[i] == limit)
            return contract->at.items[i];
    for (size_t i = 0; i < limits->baselines.count; i++) {
        const struct baseline *baseline = limits->baselines.items[i].baseline;

        for (size_t k = 0; baseline != NULL && k < baseline->limits.count; k++)
            if (&baseline->limits.items[k] == limit)
                return baseline->at.items[k];
    }
    return NULL;
}

/* A limit in another unit than the metric's would be compared as if it were the same number. */
int check_units(const struct builder *builder, const struct slot *slot, const struct slot_limits *of_slot,
                struct error *err)
{
    const struct metric *metric = metric_find(slot->metric);

    for (size_t i = 0; metric != NULL && i < of_slot->limits.count; i++) {
        const struct limit *limit = of_slot->limits.items[i];
        const struct json *at = place_of(&builder->sources->limits, limit);
        const char *text;

        if (!limit_is_number(limit) || limit->unit == NULL || strcmp(limit->unit, metric->unit) == 0)
            continue;
        text = arena_printf(
            builder->arena,
            "the limit %s for %s (source: %s) is in '%s', the metric in '%s'; expected the metric's unit",
            reason_english(builder->arena, limit_text(builder->arena, limit)), slot->metric, limit->source,
            limit->unit, metric->unit);
        return at != NULL
                   ? json_error(err, json_get(at, "unit") != NULL ? json_get(at, "unit") : at, "%s", text)
                   : error_set(err, ERROR_USAGE, "%s", text);
    }
    return 0;
}

/* How far an item is what the clause speaks of; each says that all before it hold. */
enum depth { OF_NOTHING, OF_METRIC, OF_PLATFORM, OF_SCOPE, OF_COUNT, OF_ITEM };

static enum depth depth_of(const struct limit *limit, const struct shape *shape, const struct slot *slot)
{
    struct limit wide = {.metric = limit->metric};

    if (!limit_applies(&wide, slot->metric, slot->subject, shape->scope, shape->hosts, slot->size_bytes))
        return OF_NOTHING;
    if (limit->platform != NULL && strcmp(limit->platform, shape->platform) != 0)
        return OF_METRIC;
    wide.scope = limit->scope;
    if (!limit_applies(&wide, slot->metric, slot->subject, shape->scope, shape->hosts, slot->size_bytes))
        return OF_PLATFORM;
    wide.hosts_min = limit->hosts_min;
    wide.hosts_max = limit->hosts_max;
    if (!limit_applies(&wide, slot->metric, slot->subject, shape->scope, shape->hosts, slot->size_bytes))
        return OF_SCOPE;
    return limit_applies(limit, slot->metric, slot->subject, shape->scope, shape->hosts, slot->size_bytes)
               ? OF_ITEM
               : OF_COUNT;
}

/* The item of the plan that comes nearest to what the clause speaks of. */
struct nearest_item {
    enum depth depth;
    const struct shape *shape;
    const struct slot *slot;
    const struct limit *taken_by; /* of an item that it speaks of: the clause before it; NULL */
};

static struct nearest_item nearest_item(const struct builder *builder, const struct limit *limit)
{
    const struct plan *plan = builder->plan;
    struct nearest_item found = {OF_NOTHING, NULL, NULL, NULL};

    for (size_t i = 0; i < plan->shapes.count; i++)
        for (size_t k = 0; k < plan->shapes.items[i]->slot_count; k++) {
            const struct shape *shape = plan->shapes.items[i];
            const struct slot *slot = &shape->slots[k];
            enum depth depth = depth_of(limit, shape, slot);
            const struct limit *first = NULL;

            if (depth == OF_ITEM)
                first = contract_limit(&builder->sources->limits, shape, slot);
            if (depth == OF_ITEM && first == NULL)
                depth = OF_COUNT; /* of other racks */
            if (depth > found.depth || (found.depth == OF_ITEM && found.taken_by == NULL && first != limit))
                found = (struct nearest_item){depth, shape, slot, first != limit ? first : NULL};
        }
    return found;
}

/* NULL: nothing here is called so. */
static const char *nearest_metric(struct builder *builder, const char *metric)
{
    const struct plan *plan = builder->plan;
    LIST_OF(const char *) names = {0};

    for (size_t i = 0; i < plan->shapes.count; i++)
        for (size_t k = 0; k < plan->shapes.items[i]->slot_count; k++)
            *list_push(builder->arena, &names) = plan->shapes.items[i]->slots[k].metric;
    return nearest_word(metric, names.items, names.count);
}

static const struct reason *counts_text(struct arena *arena, const struct limit *limit)
{
    if (limit->hosts_max == 0)
        return reason(arena, hosts_or_more, limit->hosts_min);
    if (limit->hosts_min == 0)
        return reason(arena, hosts_at_most, limit->hosts_max);
    return limit->hosts_min == limit->hosts_max
               ? reason(arena, text, limit->hosts_min)
               : reason_text(arena, arena_printf(arena, "%u-%u", limit->hosts_min, limit->hosts_max));
}

/* Why the clause decides nothing. */
static const struct reason *why_idle(struct builder *builder, const struct limit *limit)
{
    struct arena *arena = builder->arena;
    struct nearest_item item = nearest_item(builder, limit);
    const char *clause = limit->clause, *near;

    switch (item.depth) {
    case OF_METRIC:
        return reason(arena, clause_of_other_platform, clause, limit->platform, item.slot->metric,
                      item.shape->platform);
    case OF_PLATFORM:
        return reason(arena, clause_of_other_scope, clause, limit->scope, item.slot->metric,
                      item.shape->scope);
    case OF_SCOPE:
        return reason(arena, clause_of_other_count, clause, counts_text(arena, limit), item.slot->metric,
                      item.shape->hosts);
    case OF_COUNT:
        return reason(arena, clause_of_other_items, clause, item.slot->metric);
    case OF_ITEM:
        return item.taken_by != NULL
                   ? reason(arena, clause_comes_too_late, clause, item.slot->metric, item.taken_by->clause)
                   : reason(arena, clause_decides_nothing, clause, item.slot->metric);
    case OF_NOTHING:
    default:
        near = metric_find(limit->metric) == NULL ? nearest_metric(builder, limit->metric) : NULL;
        return near != NULL ? reason(arena, clause_is_near, clause, limit->metric, near)
                            : reason(arena, clause_measured_nowhere, clause, limit->metric);
    }
}

/* A clause that nothing measures must not look agreed. Where the user asks for a part of the hosts or steps, others may
   measure it elsewhere; report and judgement name it. */
int check_clauses(struct builder *builder, struct error *err)
{
    const struct run_limits *limits = &builder->sources->limits;
    const char *text = contract_idle_text(builder->arena, limits, builder->plan);
    bool refused = builder->sources->suite->delivery && builder->options->hosts == NULL &&
                   builder->options->steps == NULL;
    struct idle_clauses idle;

    if (*text == '\0')
        return 0;
    contract_idle(builder->arena, limits, builder->plan, &idle);
    if (refused)
        (void)json_error(
            err, limits->contract->at.items[idle.limits.items[0]],
            "clauses of the contract that nothing in this plan is judged by: %s; expected a step "
            "that is, on these hosts and at these sizes",
            text);
    else
        add_note(builder, reason(builder->arena, clauses_not_measured, text));
    for (size_t i = 0; i < idle.limits.count && i < CLAUSES_NAMED; i++) {
        size_t clause = idle.limits.items[i];
        const struct reason *why = why_idle(builder, &limits->contract->limits.items[clause]);

        if (refused)
            (void)json_error_add(err, limits->contract->at.items[clause], "%s",
                                 reason_english(builder->arena, why));
        else
            add_note(builder, why);
    }
    return refused ? -1 : 0;
}

static const struct platform *platform_of(const struct builder *builder, const struct shape *shape)
{
    const struct plan_sources *sources = builder->sources;

    for (size_t i = 0; i < sources->platforms.count; i++)
        if (strcmp(sources->platforms.items[i]->name, shape->platform) == 0)
            return sources->platforms.items[i];
    return NULL;
}

/* What the links carry where the clause asks for more; NULL. */
static const struct capacity *rate_below(struct builder *builder, const struct limit *limit,
                                         const struct shape *shape, const struct slot *slot)
{
    const struct platform *platform = platform_of(builder, shape);
    const struct capacity *rate = NULL;

    if (platform != NULL && (limit->rule == RULE_FLOOR || limit->rule == RULE_RANGE))
        rate = check_capacity(builder->arena, platform, slot->metric, shape->hosts);
    return rate != NULL && limit->unit != NULL && strcmp(rate->unit, limit->unit) == 0 &&
                   limit_gate(limit) > rate->most
               ? rate
               : NULL;
}

void note_floors(struct builder *builder)
{
    const struct run_limits *limits = &builder->sources->limits;
    const struct plan *plan = builder->plan;
    size_t count = limits->contract != NULL ? limits->contract->limits.count : 0;
    bool *told = arena_array(builder->arena, bool, count + 1);

    for (size_t i = 0; count > 0 && i < plan->shapes.count; i++)
        for (size_t k = 0; k < plan->shapes.items[i]->slot_count; k++) {
            const struct shape *shape = plan->shapes.items[i];
            const struct limit *limit = contract_limit(limits, shape, &shape->slots[k]);
            const struct capacity *rate;

            if (limit == NULL || told[limit - limits->contract->limits.items])
                continue;
            rate = rate_below(builder, limit, shape, &shape->slots[k]);
            if (rate == NULL)
                continue;
            told[limit - limits->contract->limits.items] = true;
            add_note(builder, reason(builder->arena, floor_above_links, limit->clause, limit_gate(limit),
                                     limit->unit, shape->slots[k].metric, shape->platform, rate->text));
        }
}
