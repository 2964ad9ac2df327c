/* SPDX-License-Identifier: Apache-2.0 */
#include "extents.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/reasons/model.h"
#include "assay/reasons/report.h"
#include "gates.h"

enum { ENOUGH = 4 }; /* items: fewer are looked at one by one */

/* Items that differ in nothing but host and part: of one shape, metric and size. */
struct kind {
    const struct view *view;
    const struct shape *shape;
    const struct step_view *const *steps; /* of the shape */
    size_t step_count;
    size_t slot; /* the first of them */
};

/* -- Which reach how far ---------------------------------------------------------------------------------- */

static bool is_of(const struct kind *kind, size_t slot)
{
    const struct slot *one = &kind->shape->slots[kind->slot], *other = &kind->shape->slots[slot];

    return other->duty == DUTY_GATE && strcmp(one->metric, other->metric) == 0 &&
           strcmp(one->at, other->at) == 0;
}

static bool is_first(const struct kind *kind)
{
    size_t slot = 0;

    while (slot < kind->slot && !is_of(kind, slot))
        slot++;
    return slot == kind->slot && kind->shape->slots[slot].duty == DUTY_GATE;
}

static bool is_by_peers(const struct outcome *outcome)
{
    return strcmp(outcome->held->status, "peers") == 0;
}

/* An amount beyond a bound. None of what is counted may be there at all: each one is a fault of its own. */
static bool misses_amount(struct arena *arena, const struct outcome *outcome)
{
    const struct limit_bound bound = limit_bound_of(gate_bound(arena, outcome->held->gate));

    if (outcome->word != OUTCOME_FAIL || bound.floor == bound.ceiling || bound.most == 0)
        return false;
    return is_by_peers(outcome) || (isfinite(outcome->value) && reason_has(outcome->cause, expected));
}

/* By so much that this alone fails it. */
static bool is_outlier(const struct outcome *outcome)
{
    return reason_has(outcome->cause, fail_from);
}

static bool is_pair_of_parts(const char *subject)
{
    return strstr(subject, "->") != NULL && strncmp(subject, "cpu", 3) != 0 &&
           strncmp(strstr(subject, "->"), "->cpu", 5) != 0;
}

/* How many of the kind the step has, where all of them failed alike; else 0. */
static size_t count_failed(const struct kind *kind, const struct step_view *step)
{
    const struct outcome *first = step->items[kind->slot];
    size_t count = 0;

    for (size_t i = kind->slot; i < kind->shape->slot_count; i++) {
        const struct outcome *outcome = step->items[i];

        if (!is_of(kind, i))
            continue;
        if (!misses_amount(kind->view->arena, outcome) || outcome->waiver != first->waiver ||
            is_by_peers(outcome) != is_by_peers(first) || is_pair_of_parts(kind->shape->slots[i].subject))
            return 0;
        count++;
    }
    return count;
}

static bool is_same_limit(const struct outcome *a, const struct outcome *b)
{
    return reason_equal(a->held->gate, b->held->gate) && strcmp(a->held->status, b->held->status) == 0 &&
           reason_equal(a->held->source, b->held->source) && a->waiver == b->waiver;
}

/* Whether all of the kind that has a value misses one limit, on several hosts. */
static bool reaches_over_run(const struct kind *kind)
{
    const struct outcome *first = NULL;
    const struct host *host = NULL;
    size_t failed = 0;
    bool several = false;

    for (size_t i = 0; i < kind->step_count; i++) {
        const struct step_view *step = kind->steps[i];

        for (size_t k = kind->slot; k < kind->shape->slot_count; k++) {
            const struct outcome *outcome = step->items[k];

            if (!is_of(kind, k) || outcome->word == OUTCOME_INCONCLUSIVE || outcome->word == OUTCOME_NOT_RUN)
                continue;
            if (!misses_amount(kind->view->arena, outcome) || is_by_peers(outcome))
                return false;
            if (first != NULL && !is_same_limit(first, outcome))
                return false;
            several |= host != NULL && host != step->step->members[0];
            host = step->step->members[0];
            first = outcome;
            failed++;
        }
    }
    return several && failed >= ENOUGH;
}

static size_t count_outliers(const struct kind *kind, const struct step_view *step)
{
    size_t count = 0;

    for (size_t i = kind->slot; i < kind->shape->slot_count; i++)
        count += is_of(kind, i) && is_outlier(step->items[i]);
    return count;
}

/* Who is an outlier even among those is a fault of its own, unless the whole host is. */
static void mark(struct report_extents *extents, const struct kind *kind, const struct step_view *step,
                 enum report_extent extent)
{
    size_t index = (size_t)(step - kind->view->steps);
    bool all = count_failed(kind, step) >= ENOUGH && count_outliers(kind, step) == count_failed(kind, step);

    if (extents->of[index] == NULL)
        extents->of[index] = arena_array(kind->view->arena, enum report_extent, kind->shape->slot_count);
    for (size_t i = kind->slot; i < kind->shape->slot_count; i++)
        if (is_of(kind, i) && step->items[i]->word == OUTCOME_FAIL)
            extents->of[index][i] = all ? EXTENT_HOST : is_outlier(step->items[i]) ? EXTENT_PARTS : extent;
}

static void mark_kind(struct report_extents *extents, const struct kind *kind)
{
    bool over_run = reaches_over_run(kind);

    for (size_t i = 0; i < kind->step_count; i++) {
        if (over_run)
            mark(extents, kind, kind->steps[i], EXTENT_RUN);
        else if (count_failed(kind, kind->steps[i]) >= ENOUGH)
            mark(extents, kind, kind->steps[i], EXTENT_HOST);
    }
}

static void mark_shape(struct report_extents *extents, const struct view *view, const struct shape *shape)
{
    LIST_OF(const struct step_view *) steps = {0};

    for (size_t i = 0; i < view->step_count; i++)
        if (view->steps[i].step->shape == shape)
            *list_push(view->arena, &steps) = &view->steps[i];
    for (size_t k = 0; k < shape->slot_count; k++) {
        struct kind kind = {view, shape, steps.items, steps.count, k};

        if (is_first(&kind))
            mark_kind(extents, &kind);
    }
}

void report_extents_of(const struct view *view, struct report_extents *ret_extents)
{
    LIST_OF(const struct shape *) shapes = {0};

    *ret_extents = (struct report_extents){arena_array(view->arena, enum report_extent *, view->step_count)};
    for (size_t i = 0; i < view->step_count; i++) {
        const struct step *step = view->steps[i].step;
        size_t known = 0;

        while (known < shapes.count && shapes.items[known] != step->shape)
            known++;
        if (known < shapes.count || step->member_count != 1 || view->steps[i].coverage.fail == 0)
            continue;
        *list_push(view->arena, &shapes) = step->shape;
        mark_shape(ret_extents, view, step->shape);
    }
}

enum report_extent extent_of(const struct report_extents *extents, const struct outcome *outcome)
{
    return extents->of[outcome->step] != NULL ? extents->of[outcome->step][outcome->slot] : EXTENT_PARTS;
}

/* -- In words --------------------------------------------------------------------------------------------- */

struct outcomes {
    LIST_OF(const struct outcome *) items;
};

struct place {
    const struct host *host;
    const char *subject;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    if (a->host != b->host)
        return a->host < b->host ? -1 : 1;
    return strcmp(a->subject, b->subject);
}

/* Each part of each host once, whatever the number of its sizes. */
static size_t count_places(const struct view *view, const struct outcome *const *outcomes, size_t count,
                           size_t *ret_hosts)
{
    struct place *places = arena_array(view->arena, struct place, count);
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        places[i] = (struct place){view->steps[outcomes[i]->step].step->members[0],
                                   view_slot(view, outcomes[i])->subject};
    qsort(places, count, sizeof *places, compare_places);
    *ret_hosts = 0;
    for (size_t i = 0; i < count; i++) {
        kept += i == 0 || compare_places(&places[i - 1], &places[i]) != 0;
        *ret_hosts += i == 0 || places[i - 1].host != places[i].host;
    }
    return kept;
}

static bool are_all(const struct view *view, const struct outcome *const *outcomes, size_t count,
                    const char *kind)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(view_slot(view, outcomes[i])->subject, kind) == NULL)
            return false;
    return true;
}

/* "16 GPUs of 2 hosts" */
static const struct reason *how_many(const struct view *view, const struct outcome *const *outcomes,
                                     size_t count)
{
    size_t hosts, places = count_places(view, outcomes, count, &hosts);
    const struct reason *whose = hosts == 1
                                     ? step_target_said(view->arena, view->steps[outcomes[0]->step].step)
                                     : reason(view->arena, so_many_hosts, hosts);

    if (*view_slot(view, outcomes[0])->subject == '\0')
        return whose;
    if (are_all(view, outcomes, count, "gpu") && is_pair_of_parts(view_slot(view, outcomes[0])->subject))
        return reason(view->arena, pairs_of_gpus_of, places, whose);
    if (are_all(view, outcomes, count, "gpu"))
        return reason(view->arena, gpus_of, places, whose);
    if (are_all(view, outcomes, count, "mlx"))
        return reason(view->arena, hcas_of, places, whose);
    return reason(view->arena, parts_of, places, whose);
}

static void take_apart(const struct kind *kind, const struct step_view *step, struct outcomes *apart)
{
    for (size_t k = 0; step->step->shape == kind->shape && k < kind->shape->slot_count; k++)
        if (is_of(kind, k) && step->items[k]->word == OUTCOME_FAIL && is_outlier(step->items[k]))
            *list_push(kind->view->arena, &apart->items) = step->items[k];
}

/* Those that miss the same gate and are named apart, in the run or on the same hosts. Outcomes are in the order of steps. */
static size_t count_apart(const struct view *view, enum report_extent extent,
                          const struct outcome *const *outcomes, size_t count)
{
    const struct kind kind = {
        .view = view, .shape = view->steps[outcomes[0]->step].step->shape, .slot = outcomes[0]->slot};
    struct outcomes apart = {0};
    size_t hosts;

    for (size_t i = 0; extent == EXTENT_RUN && i < view->step_count; i++)
        take_apart(&kind, &view->steps[i], &apart);
    for (size_t i = 0; extent != EXTENT_RUN && i < count; i++)
        if (i == 0 || outcomes[i]->step != outcomes[i - 1]->step)
            take_apart(&kind, &view->steps[outcomes[i]->step], &apart);
    return count_places(view, apart.items.items, apart.items.count, &hosts);
}

static const struct reason *what_misses(const struct view *view, enum report_extent extent,
                                        const struct outcome *const *outcomes, size_t count)
{
    const struct reason *whole = how_many(view, outcomes, count);
    size_t apart = is_outlier(outcomes[0]) ? 0 : count_apart(view, extent, outcomes, count);

    return apart > 0 ? reason(view->arena, and_outliers_apart, whole, apart) : whole;
}

/* The least and the most of them. */
struct range {
    const struct outcome *least, *most;
};

static struct range range_of(const struct outcome *const *outcomes, size_t count)
{
    struct range range = {outcomes[0], outcomes[0]};

    for (size_t i = 1; i < count; i++) {
        range.least = outcomes[i]->value < range.least->value ? outcomes[i] : range.least;
        range.most = outcomes[i]->value > range.most->value ? outcomes[i] : range.most;
    }
    return range;
}

/* "38000 GFLOP/s to 41000 GFLOP/s" */
static const struct reason *range_text(struct arena *arena, const struct range *range)
{
    return range->least->value < range->most->value
               ? reason(arena, from_to, range->least->measured, range->most->measured)
               : range->least->measured;
}

/* Nobody hides in a common fault: who is worst is told, "node4 gpu6". NULL: all are alike. */
static const struct reason *worst_text(const struct view *view, const struct range *range, bool at_least)
{
    const struct outcome *worst = at_least ? range->least : range->most;

    if (!(range->least->value < range->most->value))
        return NULL;
    return reason(view->arena, worst_of_all,
                  arena_printf(view->arena, "%s %s", view->steps[worst->step].step->members[0]->name,
                               view_slot(view, worst)->subject),
                  worst->measured);
}

/* The limit's own note; or all of it, where it says more: that it looks like one of another unit, say. */
static const struct reason *what_limit_adds(struct arena *arena, const struct reason *cause)
{
    if (reason_is(cause, expected))
        return NULL;
    return reason_is(cause, noted) && reason_is(reason_argument(arena, cause, 1), expected)
               ? reason_argument(arena, cause, 2)
               : cause;
}

const struct reason *extent_cause(const struct view *view, enum report_extent extent,
                                  const struct outcome *const *outcomes, size_t count)
{
    struct arena *arena = view->arena;
    const struct outcome *first = outcomes[0];
    const struct reason *whole = what_misses(view, extent, outcomes, count), *said;
    const struct reason *origin = limit_origin(arena, first->held->status, first->held->source);
    const char *metric = view_slot(view, first)->metric;
    const struct range range = range_of(outcomes, count);
    bool at_least = limit_bound_of(gate_bound(arena, first->held->gate)).floor;

    if (is_by_peers(first))
        return reason(arena, all_differ_from_peers, whole, first->cause);
    said = at_least
               ? reason(arena, all_are_below, whole, metric, range_text(arena, &range), first->held->gate)
               : reason(arena, all_are_above, whole, metric, range_text(arena, &range), first->held->gate);
    if (origin != NULL)
        said = reason(arena, noted, said, origin);
    said = reason_also(arena, said, worst_text(view, &range, at_least));
    said = reason_also(arena, said, what_limit_adds(arena, first->cause));
    return extent == EXTENT_RUN ? reason(arena, none_meets_it, said) : said;
}

/* The check's own figure, or what the suite's step asks for (how long, how much room), and none of what hardware can do: where
   nobody meets it the limit is right all the same, and what mends one host mends them all. */
static bool is_of_check(const struct outcome *outcome)
{
    return strcmp(outcome->held->status, limit_status_name(LIMIT_TOOL)) == 0 &&
           !reason_is(outcome->held->source, platform_declares);
}

const struct reason *extent_remedy(struct arena *arena, enum report_extent extent,
                                   const struct outcome *outcome, const struct reason *remedy)
{
    if (extent == EXTENT_RUN)
        return is_of_check(outcome) && remedy != NULL ? remedy : REASON(check_limit_and_cluster);
    /* What is to be done with one GPU is not to be done with all. */
    if (reason_has(remedy, burn_gpu_alone))
        remedy = NULL;
    return reason_also(arena, REASON(check_what_parts_share), remedy);
}
