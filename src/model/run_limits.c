/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/run_limits.h"

#include <fnmatch.h>
#include <string.h>

#include "assay/reasons/model.h"

struct platform_baseline platform_baseline(struct arena *arena, const struct platform *platform,
                                           const struct baseline *baseline)
{
    const struct platform itself = {.name = platform->name}, *other;
    struct platform_baseline row = {platform, baseline, false, false};

    /* One that names the platform itself was written for it. */
    if (platform->like == NULL || baseline == NULL || baseline_is_for(baseline, &itself))
        return row;
    other = platform_load(arena, platform->like, NULL);
    row.other_adapters = other == NULL || other->hca_gbits != platform->hca_gbits;
    row.other_fabric = row.other_adapters || other->hca_count != platform->hca_count;
    return row;
}

int run_limits_take(struct arena *arena, struct run_limits *limits, const struct baseline *baseline,
                    struct error *err)
{
    const char *platform = NULL;
    bool taken = false;

    for (size_t i = 0; i < limits->baselines.count; i++) {
        struct platform_baseline *row = &limits->baselines.items[i];

        platform = row->platform->name;
        if (baseline_is_for(baseline, row->platform)) {
            *row = platform_baseline(arena, row->platform, baseline);
            taken = true;
        }
    }
    if (taken)
        return 0;
    return error_set(
        err, ERROR_USAGE, "baseline %s is for platform %s%s, but no host is of that platform: they are of %s",
        baseline->name, baseline->platforms.items[0], baseline->platforms.count > 1 ? " and others" : "",
        platform != NULL ? platform : "none");
}

static bool is_of_adapters(const struct limit *limit)
{
    static const char *const metrics[] = {"rdma.*", "ib.*", "*.rail.*"};

    for (size_t i = 0; i < ARRAY_SIZE(metrics); i++)
        if (fnmatch(metrics[i], limit->metric, 0) == 0)
            return true;
    return false;
}

static bool holds(const struct platform_baseline *row, const struct limit *limit)
{
    return is_of_adapters(limit) ? !row->other_adapters : limit->hosts_min < 2 || !row->other_fabric;
}

/* Of hosts whose NVLinks end in them a rack is no border: all stand in one. */
static unsigned racks_of(const struct run_limits *limits, const struct shape *shape)
{
    for (size_t i = 0; i < limits->baselines.count; i++)
        if (strcmp(limits->baselines.items[i].platform->name, shape->platform) == 0 &&
            limits->baselines.items[i].platform->nvlink_domain_hosts > 1)
            return shape->racks;
    return 1;
}

static bool speaks_of(const struct run_limits *limits, const struct limit *limit, const struct shape *shape,
                      const struct slot *slot)
{
    return limit_applies(limit, slot->metric, slot->subject, shape->scope, shape->hosts, slot->size_bytes) &&
           limit_is_for_racks(limit, racks_of(limits, shape), shape->rack_hosts);
}

static const struct limit *first_that_applies(const struct run_limits *all, const struct limit *limits,
                                              size_t count, const struct shape *shape,
                                              const struct slot *slot)
{
    for (size_t i = 0; i < count; i++)
        if (speaks_of(all, &limits[i], shape, slot))
            return &limits[i];
    return NULL;
}

const struct limit *contract_limit(const struct run_limits *limits, const struct shape *shape,
                                   const struct slot *slot)
{
    for (size_t i = 0; limits->contract != NULL && i < limits->contract->limits.count; i++) {
        const struct limit *limit = &limits->contract->limits.items[i];

        if ((limit->platform == NULL || strcmp(limit->platform, shape->platform) == 0) &&
            speaks_of(limits, limit, shape, slot))
            return limit;
    }
    return NULL;
}

static const struct limit *of_suite(const struct run_limits *limits, const struct shape *shape,
                                    const struct slot *slot)
{
    const struct suite_step *step = suite_step_find(limits->suite, shape->suite_step);

    return step != NULL ? first_that_applies(limits, step->limits.items, step->limits.count, shape, slot)
                        : NULL;
}

static const struct limit *of_baseline(const struct run_limits *limits, const struct shape *shape,
                                       const struct slot *slot)
{
    list_each (row, limits->baselines) {
        const struct limit *limit;

        if (row->baseline == NULL || strcmp(row->platform->name, shape->platform) != 0)
            continue;
        limit =
            first_that_applies(limits, row->baseline->limits.items, row->baseline->limits.count, shape, slot);
        return limit != NULL && holds(row, limit) ? limit : NULL;
    }
    return NULL;
}

/* The floor that it is for this item; NULL where the platform's links are not known. */
static const struct limit *of_ceiling(struct arena *arena, const struct limit *fraction,
                                      const struct slot *slot)
{
    array_each (ceiling, slot->own, slot->own_count) {
        struct limit *floor;

        if (ceiling->rule != RULE_PLAUSIBLE)
            continue;
        floor = arena_new(arena, struct limit);
        *floor = *fraction;
        floor->rule = RULE_FLOOR;
        floor->value = fraction->value * ceiling->value;
        floor->unit = ceiling->unit;
        floor->origin = reason_also(
            arena,
            reason(arena, share_of_ceiling, fraction->value * 100, ceiling->value, ceiling->unit,
                   ceiling->origin != NULL ? ceiling->origin : reason_word(arena, ceiling->source)),
            reason_word(arena, fraction->source));
        floor->source = reason_english(arena, floor->origin);
        return floor;
    }
    return NULL;
}

void slot_limits_find(struct arena *arena, const struct run_limits *limits, const struct shape *shape,
                      const struct slot *slot, struct slot_limits *ret_limits)
{
    const struct limit *further = contract_limit(limits, shape, slot);
    const struct suite_step *step = suite_step_find(limits->suite, shape->suite_step);

    if (further == NULL)
        further = of_suite(limits, shape, slot);
    if (further == NULL)
        further = of_baseline(limits, shape, slot);
    *ret_limits = (struct slot_limits){.peers = step != NULL ? &step->peers : NULL};
    if (further != NULL && further->rule == RULE_FRACTION)
        further = of_ceiling(arena, further, slot);
    for (size_t i = 0; i < slot->own_count; i++)
        if (slot->own[i].status != LIMIT_COMPUTED || further == NULL || !limit_enforceable(further))
            *list_push(arena, &ret_limits->limits) = &slot->own[i];
    if (further != NULL)
        *list_push(arena, &ret_limits->limits) = further;
}

bool slot_limits_enforceable(const struct slot_limits *limits)
{
    for (size_t i = 0; i < limits->limits.count; i++)
        if (limit_enforceable(limits->limits.items[i]))
            return true;
    return false;
}

void slot_limits_own(struct arena *arena, const struct slot *slot, struct slot_limits *ret_limits)
{
    ret_limits->limits.items = NULL;
    ret_limits->limits.count = ret_limits->limits.capacity = 0;
    ret_limits->words = NULL;
    for (size_t i = 0; i < slot->own_count; i++)
        *list_push(arena, &ret_limits->limits) = &slot->own[i];
}

/* The steps of a suite's step come one after the other, and are mostly of one shape. */
static struct limits_page *page_of(struct limits_book *book, const struct shape *shape)
{
    struct limits_page *page;

    for (size_t i = 0; i < book->count; i++) {
        size_t place = (book->last + i) % book->count;

        if (book->items[place].shape == shape) {
            book->last = place;
            return &book->items[place];
        }
    }
    page = list_push(book->arena, book);
    page->shape = shape;
    page->slots = arena_array(book->arena, struct slot_limits, shape->slot_count + 1);
    page->found = arena_array(book->arena, bool, shape->slot_count + 1);
    return page;
}

struct held_to limit_words(struct arena *arena, const struct limit *limit)
{
    return (struct held_to){
        .gate = limit_text(arena, limit),
        .limit = limit_stated(arena, limit),
        .source = limit->origin != NULL ? limit->origin
                                        : reason_word(arena, limit->source != NULL ? limit->source : ""),
        .status = limit_status_name(limit->status),
    };
}

static void put_words(struct arena *arena, struct slot_limits *limits)
{
    struct held_to *words = arena_array(arena, struct held_to, limits->limits.count);

    for (size_t i = 0; i < limits->limits.count; i++)
        words[i] = limit_words(arena, limits->limits.items[i]);
    limits->words = words;
}

const struct slot_limits *limits_book_find(struct limits_book *book, const struct shape *shape, size_t slot)
{
    struct limits_page *page = page_of(book, shape);
    struct slot_limits *limits = &page->slots[slot];

    if (!page->found[slot]) {
        slot_limits_find(book->arena, book->limits, shape, &shape->slots[slot], limits);
        put_words(book->arena, limits);
    }
    page->found[slot] = true;
    return limits;
}

/* Whether the limit can decide the item: it is a gate, and what a fraction is of is known. */
static bool decides(struct arena *arena, const struct limit *limit, const struct slot *slot)
{
    return slot->duty == DUTY_GATE &&
           (limit->rule != RULE_FRACTION || of_ceiling(arena, limit, slot) != NULL);
}

void contract_idle(struct arena *arena, const struct run_limits *limits, const struct plan *plan,
                   struct idle_clauses *ret_idle)
{
    const struct contract *contract = limits->contract;
    size_t count = contract != NULL ? contract->limits.count : 0;
    bool *busy = arena_array(arena, bool, count + 1);

    *ret_idle = (struct idle_clauses){0};
    for (size_t i = 0; contract != NULL && i < plan->shapes.count; i++)
        array_each (slot, plan->shapes.items[i]->slots, plan->shapes.items[i]->slot_count) {
            const struct limit *limit = contract_limit(limits, plan->shapes.items[i], slot);

            if (limit != NULL && decides(arena, limit, slot))
                busy[limit - contract->limits.items] = true;
        }
    for (size_t i = 0; i < count; i++)
        if (!busy[i])
            *list_push(arena, &ret_idle->limits) = i;
}

const char *contract_idle_text(struct arena *arena, const struct run_limits *limits, const struct plan *plan)
{
    struct idle_clauses idle;
    const char *text = "";

    contract_idle(arena, limits, plan, &idle);
    for (size_t i = 0; i < idle.limits.count; i++) {
        const struct limit *limit = &limits->contract->limits.items[idle.limits.items[i]];

        text = arena_printf(arena, "%s%s%s (%s)", text, i > 0 ? ", " : "", limit->clause, limit->metric);
    }
    return text;
}
