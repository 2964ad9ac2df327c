/* SPDX-License-Identifier: Apache-2.0 */
/* How far healthy values scatter: between hosts, and between repeats. */
#include <math.h>
#include <string.h>

#include "assay/base/robust.h"
#include "assay/model/routes.h"
#include "assay/parse/parser.h"
#include "method.h"

/* Values that are of one and the same thing but for noise: of one slot, or of one metric wherever in a host it sits. */
struct series {
    const struct shape *shape;
    const struct slot *slot;
    LIST_OF(double) values;
};
struct series_list {
    struct arena *arena;
    LIST_OF(struct series) items;
};

/* What the series of one metric show. */
struct scatter {
    const char *metric;
    size_t values;
    LIST_OF(double) sigmas;
};

static const struct metric *rate_of(const struct slot *slot)
{
    const struct metric *metric = metric_find(slot->metric);

    return metric != NULL && metric->peers ? metric : NULL;
}

static bool is_series_of(const struct series *series, const struct shape *shape, const struct slot *slot,
                         bool anywhere)
{
    return series->shape == shape &&
           (series->slot == slot || (anywhere && strcmp(series->slot->metric, slot->metric) == 0 &&
                                     strcmp(series->slot->at, slot->at) == 0));
}

/* The number of its series, from 1; 0: it is no rate. */
static size_t place_of(void *context, const struct shape *shape, const struct slot *slot)
{
    struct series_list *list = context;
    const struct metric *metric = rate_of(slot);

    if (metric == NULL)
        return 0;
    for (size_t i = 0; i < list->items.count; i++)
        if (is_series_of(&list->items.items[i], shape, slot, metric->anywhere))
            return i + 1;
    *list_push(list->arena, &list->items) = (struct series){.shape = shape, .slot = slot};
    return list->items.count;
}

static void scatter_add(struct arena *arena, struct scatter *scatter, struct series *series)
{
    size_t count = series->values.count;
    double median;

    if (count < NOISE_LEAST)
        return;
    median = robust_median(series->values.items, count);
    if (!(median > 0))
        return;
    *list_push(arena, &scatter->sigmas) = robust_sigma(series->values.items, count, median) / median;
    scatter->values += count;
}

/* Each metric by itself: a bandwidth and a latency scatter differently. */
static struct method_noise noise_of(struct series_list *list)
{
    struct method_noise noise = {.low = INFINITY, .high = -INFINITY};

    for (size_t i = 0; i < list->items.count; i++) {
        struct scatter scatter = {.metric = list->items.items[i].slot->metric};
        double middle;
        bool seen = false;

        for (size_t k = 0; k < i && !seen; k++)
            seen = strcmp(list->items.items[k].slot->metric, scatter.metric) == 0;
        for (size_t k = i; !seen && k < list->items.count; k++)
            if (strcmp(list->items.items[k].slot->metric, scatter.metric) == 0)
                scatter_add(list->arena, &scatter, &list->items.items[k]);
        if (scatter.sigmas.count == 0)
            continue;
        middle = robust_median(scatter.sigmas.items, scatter.sigmas.count);
        noise.low = fmin(noise.low, middle);
        noise.high = fmax(noise.high, middle);
        noise.rates++;
        noise.values += scatter.values;
    }
    return noise;
}

/* Parts of a slow test and variants are compared with each other elsewhere. */
static bool is_plain(const struct step *step)
{
    return step->origin != ORIGIN_ISOLATE && !step_advises(step);
}

struct method_noise method_noise_between_hosts(const struct view *view, const char *suite_step)
{
    cleanup_arena struct arena *arena = arena_create();
    struct series_list list = {.arena = arena};
    struct routes routes = {.arena = arena, .place_of = place_of, .context = &list};

    for (size_t i = 0; i < view->step_count; i++) {
        const struct step *step = view->steps[i].step;
        const size_t *places;

        if (strcmp(step->shape->suite_step, suite_step) != 0 || !is_plain(step))
            continue;
        places = routes_of(&routes, step->shape);
        for (size_t k = 0; k < step->shape->slot_count; k++) {
            const struct outcome *outcome = view->steps[i].items[k];

            if (places[k] > 0 && outcome->word <= OUTCOME_PASS && isfinite(outcome->value))
                *list_push(arena, &list.items.items[places[k] - 1].values) = outcome->value;
        }
    }
    return noise_of(&list);
}

static void take_repeats(const struct step_view *step, const struct slot *slot, struct series_list *list)
{
    struct arena *arena = list->arena;
    struct series *series = list_push(arena, &list->items);

    *series = (struct series){.shape = step->step->shape, .slot = slot};
    for (size_t i = 0; i < step->attempts.count; i++) {
        const struct attempt *attempt = step->attempts.items[i];
        double least = NAN;

        if (attempt->end != ATTEMPT_RAN || attempt->reading.status != READING_COMPLETE)
            continue;
        for (size_t k = 0; k < attempt->reading.measurements.count; k++)
            if (measurement_is_of(arena, &attempt->reading.measurements.items[k], slot))
                least = fmin(least, attempt->reading.measurements.items[k].value);
        if (isfinite(least))
            *list_push(arena, &series->values) = least;
    }
}

struct method_noise method_noise_of_repeats(const struct view *view, const char *suite_step)
{
    struct series_list list = {.arena = view->arena};

    array_each (step, view->steps, view->step_count) {
        if (strcmp(step->step->shape->suite_step, suite_step) != 0 || !is_plain(step->step) ||
            step->attempts.count < NOISE_LEAST || step->word > OUTCOME_PASS)
            continue;
        for (size_t k = 0; k < step->step->shape->slot_count; k++)
            if (rate_of(&step->step->shape->slots[k]) != NULL)
                take_repeats(step, &step->step->shape->slots[k], &list);
    }
    return noise_of(&list);
}
