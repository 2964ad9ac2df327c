/* SPDX-License-Identifier: Apache-2.0 */
#include "distributions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/robust.h"
#include "assay/base/scan.h"
#include "assay/model/routes.h"
#include "assay/parse/parser.h"
#include "assay/reasons/any.h"

#include "gates.h"

const double quantile_parts[QUANTILES] = {0, 0.01, 0.25, 0.5, 0.75, 0.99, 1};

struct collection {
    const struct view *view;
    struct distributions *all;
    struct routes routes;
    struct arena *gathered; /* the values, while nobody knows how many there are */
};

static bool is_the_same(const struct distribution *distribution, const struct shape *shape,
                        const struct slot *slot)
{
    return strcmp(distribution->metric, slot->metric) == 0 && strcmp(distribution->slot->at, slot->at) == 0 &&
           strcmp(distribution->suite_step, shape->suite_step) == 0 &&
           strcmp(distribution->platform, shape->platform) == 0;
}

/* The index of its distribution. */
static size_t place_of(void *context, const struct shape *shape, const struct slot *slot)
{
    struct collection *collection = context;
    struct distributions *all = collection->all;
    const struct metric *metric;

    for (size_t i = all->items.count; i > 0; i--)
        if (is_the_same(&all->items.items[i - 1], shape, slot))
            return i - 1;
    metric = metric_find(slot->metric);
    *list_push(collection->view->arena, &all->items) =
        (struct distribution){.suite_step = shape->suite_step,
                              .platform = shape->platform,
                              .metric = slot->metric,
                              .unit = metric != NULL ? metric->unit : "",
                              .is_rate = metric != NULL && metric->peers,
                              .slot = slot};
    return all->items.count - 1;
}

static void take_gate(struct distribution *distribution, double gate)
{
    for (size_t i = 0; i < distribution->gate_count; i++)
        if (distribution->gates[i] == gate)
            return;
    if (distribution->gate_count < GATES_DRAWN)
        distribution->gates[distribution->gate_count++] = gate;
}

static void take_gates(struct arena *arena, struct distribution *distribution, const struct outcome *outcome)
{
    const struct reason *gate = outcome->held->gate;
    const struct limit_bound bound = limit_bound_of(gate_bound(arena, gate));
    double numbers[] = {bound.least, bound.most, NAN};
    struct slice rest = slice_of(bound.exactly != NULL ? bound.exactly : ""), word;

    if (gate == NULL || reason_is(gate, gate_of_metric) || strcmp(outcome->held->status, "peers") == 0 ||
        reason_equal(distribution->gate, gate))
        return;
    if (scan_word(&rest, &word) && !scan_double(word, &numbers[2]))
        numbers[2] = NAN;
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        if (isfinite(numbers[i])) {
            if (distribution->gate == NULL)
                distribution->gate = gate;
            take_gate(distribution, numbers[i]);
        }
}

static void take_value(const struct collection *collection, struct distribution *distribution,
                       const struct outcome *outcome)
{
    struct arena *arena = collection->view->arena;

    *list_push(collection->gathered, &distribution->values) = outcome->value;
    if (distribution->lowest == NULL || outcome->value < distribution->lowest->value)
        distribution->lowest = outcome;
    if (distribution->highest == NULL || outcome->value > distribution->highest->value)
        distribution->highest = outcome;
    take_gates(arena, distribution, outcome);
    if (outcome->word == OUTCOME_FAIL || outcome_stands_out(outcome))
        *list_push(arena, &distribution->found) = (struct outlier){outcome, outcome};
}

/* The item of the step whose number the gate shows. */
static void find_owner(struct collection *collection, const size_t *places, size_t step,
                       const struct outcome *gate)
{
    const struct step_view *at = &collection->view->steps[step];

    size_t owner = view_shown(collection->view, gate);

    if (owner != gate->slot)
        *list_push(collection->view->arena, &collection->all->items.items[places[owner]].found) =
            (struct outlier){at->items[owner], gate};
}

static void take_step(struct collection *collection, size_t index)
{
    const struct step_view *at = &collection->view->steps[index];
    const size_t *places = routes_of(&collection->routes, at->step->shape);

    for (size_t i = 0; i < at->step->shape->slot_count; i++) {
        const struct outcome *outcome = at->items[i];
        struct distribution *distribution = &collection->all->items.items[places[i]];

        if (!isfinite(outcome->value))
            continue;
        if (view_shows_own_value(collection->view, outcome))
            take_value(collection, distribution, outcome);
        else
            find_owner(collection, places, index, outcome);
    }
}

static void settle(struct distribution *distribution)
{
    size_t count = distribution->values.count;

    qsort(distribution->values.items, count, sizeof *distribution->values.items, robust_compare);
    for (size_t i = 0; i < QUANTILES; i++) {
        double place = quantile_parts[i] * (double)(count - 1);
        size_t low = (size_t)place, high = low + 1 < count ? low + 1 : low;
        double a = distribution->values.items[low], b = distribution->values.items[high];

        distribution->quantiles[i] = a + (b - a) * (place - (double)low);
    }
}

/* A serial number is a text of digits and no quantity: no tool's row tells its unit, and nothing is asked of its size. */
static bool is_quantity(const struct distribution *distribution)
{
    return metric_find(distribution->metric) != NULL || distribution->gate_count > 0;
}

/* What has a number in several ways is compared elsewhere; the parts of slow tests too. */
void distributions_collect(const struct view *view, struct distributions *ret_distributions)
{
    cleanup_arena struct arena *gathered = arena_create();
    struct collection collection = {
        .view = view,
        .all = ret_distributions,
        .routes = {.arena = gathered, .place_of = place_of, .context = &collection},
        .gathered = gathered};
    size_t kept = 0;

    *ret_distributions = (struct distributions){0};
    for (size_t i = 0; i < view->step_count; i++)
        if (view->steps[i].step->origin != ORIGIN_ISOLATE && !step_advises(view->steps[i].step))
            take_step(&collection, i);
    for (size_t i = 0; i < ret_distributions->items.count; i++) {
        struct distribution *distribution = &ret_distributions->items.items[i];

        if (distribution->values.count < SIBLINGS_LEAST || !is_quantity(distribution) ||
            distribution->lowest->value == distribution->highest->value)
            continue;
        list_settle(view->arena, &distribution->values);
        settle(distribution);
        ret_distributions->items.items[kept++] = *distribution;
    }
    ret_distributions->items.count = kept;
}

const char *distribution_number(struct arena *arena, double value)
{
    double size = fabs(value);

    return arena_printf(arena, "%.*f",
                        size >= 1000 || size <= 0 ? 0
                        : size >= 100             ? 1
                        : size >= 1               ? 2
                                                  : 4,
                        value);
}
