/* SPDX-License-Identifier: Apache-2.0 */
#include "reached.h"

#include <math.h>
#include <string.h>

#include "assay/model/routes.h"
#include "assay/parse/parser.h"
#include "assay/reasons/any.h"
#include "assay/reasons/report.h"
#include "gates.h"
#include "series.h"

/* While it is collected: one for each place (message size) of a metric. */
struct kept {
    struct reached_row row;
    const struct slot *slot;
    LIST_OF(double) values;
    bool *measured, *owed; /* by index in plan->hosts */
    bool across;
};

struct collection {
    const struct view *view;
    LIST_OF(struct kept) kept;
    struct routes routes;
    struct arena *arena; /* of what only collecting needs */
};

static bool is_the_same(const struct kept *kept, const struct shape *shape, const struct slot *slot)
{
    return strcmp(kept->row.metric, slot->metric) == 0 && strcmp(kept->slot->at, slot->at) == 0 &&
           strcmp(kept->row.suite_step, shape->suite_step) == 0 &&
           strcmp(kept->row.platform, shape->platform) == 0;
}

/* The number of what is kept, from 1; 0: it is no such number. */
static size_t place_of(void *context, const struct shape *shape, const struct slot *slot)
{
    struct collection *collection = context;
    struct arena *arena = collection->arena;
    size_t hosts = collection->view->record->plan->hosts.count;
    const struct metric *metric = gate_speed(slot);

    if (metric == NULL)
        return 0;
    for (size_t i = collection->kept.count; i > 0; i--)
        if (is_the_same(&collection->kept.items[i - 1], shape, slot))
            return i;
    *list_push(arena, &collection->kept) =
        (struct kept){.row = {.suite_step = shape->suite_step,
                              .platform = shape->platform,
                              .metric = slot->metric,
                              .unit = metric->unit,
                              .status = "",
                              .lower_is_better = metric->better == BETTER_LOWER},
                      .slot = slot,
                      .measured = arena_array(arena, bool, hosts + 1),
                      .owed = arena_array(arena, bool, hosts + 1)};
    return collection->kept.count;
}

static bool is_worse(const struct reached_row *row, const struct outcome *a, const struct outcome *b)
{
    if (a == NULL || b == NULL)
        return b == NULL && a != NULL;
    return row->lower_is_better ? a->value > b->value : a->value < b->value;
}

/* What peers ask of one item is no limit of all: it is told where nothing else is. */
static void take_gate(struct reached_row *row, const struct outcome *outcome)
{
    bool of_peers = outcome->held->gate != NULL && strcmp(outcome->held->status, "peers") == 0;

    if (outcome->held->gate == NULL || (row->gate != NULL && (of_peers || strcmp(row->status, "peers") != 0)))
        return;
    row->gate = outcome->held->gate;
    row->status = outcome->held->status;
    row->source = outcome->held->source;
}

static void take_item(struct collection *collection, struct kept *kept, const struct step *step,
                      const struct outcome *outcome)
{
    bool has_value = isfinite(outcome->value) && view_shows_own_value(collection->view, outcome);

    kept->row.items++;
    kept->across |= step->member_count > 1;
    for (size_t i = 0; i < step->member_count; i++) {
        size_t host = view_host(collection->view, step->members[i]);

        if (host == (size_t)-1)
            continue;
        kept->owed[host] = true;
        kept->measured[host] |= has_value;
    }
    if (!has_value)
        return;
    take_gate(&kept->row, outcome);
    *list_push(collection->arena, &kept->values) = outcome->value;
    if (is_worse(&kept->row, outcome, kept->row.worst))
        kept->row.worst = outcome;
}

/* One row for all message sizes that have the same limit. */
static struct kept *joined_with(struct kept *list, size_t count, const struct kept *kept)
{
    for (size_t i = count; i > 0; i--) {
        struct kept *other = &list[i - 1];

        if (strcmp(other->row.metric, kept->row.metric) == 0 &&
            strcmp(other->row.suite_step, kept->row.suite_step) == 0 &&
            strcmp(other->row.platform, kept->row.platform) == 0 &&
            strcmp(other->row.status, kept->row.status) == 0 &&
            reason_equal(other->row.gate, kept->row.gate) &&
            reason_equal(other->row.source, kept->row.source))
            return other;
    }
    return NULL;
}

static void join(const struct collection *collection, struct kept *into, const struct kept *from,
                 size_t *places)
{
    const struct view *view = collection->view;

    for (size_t i = 0; i < from->values.count; i++)
        *list_push(collection->arena, &into->values) = from->values.items[i];
    for (size_t i = 0; i < view->record->plan->hosts.count; i++) {
        into->measured[i] |= from->measured[i];
        into->owed[i] |= from->owed[i];
    }
    into->row.items += from->row.items;
    if (is_worse(&into->row, from->row.worst, into->row.worst))
        into->row.worst = from->row.worst;
    into->row.at = reason(view->arena, places_from_to, ++*places, slot_at_text(view->arena, into->slot),
                          slot_at_text(view->arena, from->slot));
}

static void settle(const struct view *view, struct kept *kept)
{
    struct reached_row *row = &kept->row;
    struct gate_number number;

    for (size_t i = 0; i < view->record->plan->hosts.count; i++) {
        row->hosts += kept->measured[i];
        row->hosts_owed += kept->owed[i];
    }
    row->values = kept->values.count;
    row->median = median_of(kept->values.items, kept->values.count);
    row->margin = row->worst != NULL && gate_number(view->arena, row->gate, &number)
                      ? gate_margin(number, row->worst->value)
                      : NAN;
}

/* Substitutes are of fewer hosts than the suite asks for, and stand for them as far as they go. */
static void collect(struct collection *collection)
{
    const struct view *view = collection->view;

    for (size_t i = 0; i < view->step_count; i++) {
        const struct step *step = view->steps[i].step;
        const size_t *places;

        if (step->origin == ORIGIN_ISOLATE || step_advises(step))
            continue;
        places = routes_of(&collection->routes, step->shape);
        for (size_t k = 0; k < step->shape->slot_count; k++)
            if (places[k] > 0)
                take_item(collection, &collection->kept.items[places[k] - 1], step, view->steps[i].items[k]);
    }
}

void reached_of(const struct view *view, struct reached *ret_reached)
{
    cleanup_arena struct arena *arena = arena_create();
    struct collection collection = {.view = view,
                                    .routes = {.arena = arena, .place_of = place_of, .context = &collection},
                                    .arena = arena};
    size_t count = 0, *places;

    *ret_reached = (struct reached){0};
    collect(&collection);
    places = arena_array(arena, size_t, collection.kept.count + 1);
    for (size_t i = 0; i < collection.kept.count; i++) {
        struct kept *kept = &collection.kept.items[i], *other;

        other = joined_with(collection.kept.items, count, kept);
        if (other != NULL) {
            join(&collection, other, kept, &places[other - collection.kept.items]);
            continue;
        }
        kept->row.at = *kept->slot->at != '\0' ? slot_at_text(view->arena, kept->slot) : NULL;
        places[count] = 1;
        collection.kept.items[count++] = *kept;
    }
    for (size_t i = 0; i < count; i++) {
        settle(view, &collection.kept.items[i]);
        *list_push(view->arena, &ret_reached->items) = collection.kept.items[i].row;
    }
}

static bool is_across(const struct view *view, const struct reached_row *row)
{
    return view->steps[row->worst->step].step->member_count > 1;
}

/* It was measured against a number, and is no link's own word of how fast it is. */
static bool is_proof(const struct reached_row *row)
{
    return row->worst != NULL && isfinite(row->margin) && strcmp(row->status, "tool") != 0;
}

/* Of its step, and platform, no row is nearer to its limit. */
static bool is_nearest(const struct reached *reached, size_t index)
{
    const struct reached_row *row = &reached->items.items[index];

    for (size_t i = 0; i < reached->items.count && is_proof(row); i++) {
        const struct reached_row *other = &reached->items.items[i];

        if (i == index || !is_proof(other) || strcmp(other->suite_step, row->suite_step) != 0 ||
            strcmp(other->platform, row->platform) != 0)
            continue;
        if (other->margin < row->margin || (i < index && other->margin <= row->margin))
            return false;
    }
    return is_proof(row);
}

size_t reached_nearest(const struct view *view, const struct reached *reached, size_t most, size_t *ret_rows)
{
    bool *taken = arena_array(view->arena, bool, reached->items.count + 1);
    size_t chosen = 0, count = 0;

    for (int alone = 0; alone <= 1; alone++)
        for (size_t i = 0; i < reached->items.count && chosen < most; i++)
            if (is_nearest(reached, i) && is_across(view, &reached->items.items[i]) == (alone == 0)) {
                taken[i] = true;
                chosen++;
            }
    for (size_t i = 0; i < reached->items.count; i++)
        if (taken[i])
            ret_rows[count++] = i;
    return count;
}

const struct reason *reached_where(const struct view *view, const struct reached_row *row)
{
    const struct reason *target;
    const char *subject;

    if (row->worst == NULL)
        return NULL;
    target = step_target_said(view->arena, view->steps[row->worst->step].step);
    subject = view_slot(view, row->worst)->subject;
    return *subject != '\0' ? reason(view->arena, clause, target, subject) : target;
}
