/* SPDX-License-Identifier: Apache-2.0 */
#include "alike.h"

#include <stdlib.h>
#include <string.h>

#include "assay/check/check.h"
#include "assay/model/routes.h"
#include "assay/reasons/any.h"
#include "assay/reasons/report.h"

enum { VALUES_TOLD = 4 };

struct collection {
    const struct view *view;
    struct alike *alike;
    struct routes routes;
};

/* What is only asked: what a load comes to alike is no property of what was bought. */
static bool is_shared(const struct shape *shape, const struct slot *slot)
{
    const struct check *check = check_find(shape->check);

    if (check == NULL || !check->passive)
        return false;
    for (size_t i = 0; i < slot->own_count; i++)
        if (slot->own[i].rule == RULE_SAME)
            return true;
    return false;
}

/* The number of its row, from 1; 0: nobody must have it alike. What is looked at again after the load has its row by the first
   look. */
static size_t row_of(void *context, const struct shape *shape, const struct slot *slot)
{
    struct collection *collection = context;
    struct alike *alike = collection->alike;

    if (!is_shared(shape, slot))
        return 0;
    for (size_t i = alike->items.count; i > 0; i--) {
        const struct alike_row *row = &alike->items.items[i - 1];

        if (strcmp(row->metric, slot->metric) == 0 && strcmp(row->platform, shape->platform) == 0)
            return strcmp(row->suite_step, shape->suite_step) == 0 ? i : 0;
    }
    *list_push(collection->view->arena, &alike->items) = (struct alike_row){
        .platform = shape->platform, .suite_step = shape->suite_step, .metric = slot->metric};
    return alike->items.count;
}

static void add_value(struct arena *arena, struct alike_row *row, const struct reason *text)
{
    row->items++;
    for (size_t i = 0; i < row->values.count; i++)
        if (reason_equal(row->values.items[i].text, text)) {
            row->values.items[i].items++;
            return;
        }
    *list_push(arena, &row->values) = (struct alike_value){text, 1};
}

static bool is_agreed(const struct outcome *outcome)
{
    return strcmp(outcome->held->status, limit_status_name(LIMIT_CONTRACT)) == 0;
}

static void take_step(struct collection *collection, const struct step_view *step)
{
    const struct view *view = collection->view;
    const size_t *rows = routes_of(&collection->routes, step->step->shape);

    for (size_t i = 0; i < step->step->shape->slot_count; i++) {
        const struct outcome *outcome = step->items[i];

        if (rows[i] > 0 && outcome->measured != NULL && !is_agreed(outcome) &&
            view_shows_own_value(view, outcome))
            add_value(view->arena, &collection->alike->items.items[rows[i] - 1], outcome->measured);
    }
}

static int more_frequent(const void *a, const void *b)
{
    size_t of_a = ((const struct alike_value *)a)->items, of_b = ((const struct alike_value *)b)->items;

    return (of_a < of_b) - (of_a > of_b);
}

void alike_of(const struct view *view, struct alike *ret_alike)
{
    cleanup_arena struct arena *arena = arena_create();
    struct collection collection = {.view = view,
                                    .alike = ret_alike,
                                    .routes = {.arena = arena, .place_of = row_of, .context = &collection}};
    size_t kept = 0;

    *ret_alike = (struct alike){0};
    for (size_t i = 0; i < view->step_count; i++)
        if (view->steps[i].step->origin != ORIGIN_ISOLATE && !step_advises(view->steps[i].step))
            take_step(&collection, &view->steps[i]);
    for (size_t i = 0; i < ret_alike->items.count; i++) {
        struct alike_row *row = &ret_alike->items.items[i];

        if (row->items == 0)
            continue;
        qsort(row->values.items, row->values.count, sizeof *row->values.items, more_frequent);
        ret_alike->items.items[kept++] = *row;
    }
    ret_alike->items.count = kept;
}

const struct reason *alike_values(struct arena *arena, const struct alike_row *row)
{
    const struct reason *all = NULL;

    if (row->values.count == 1)
        return row->values.items[0].text;
    for (size_t i = 0; i < row->values.count && i < VALUES_TOLD; i++)
        all = reason_also(
            arena, all, reason(arena, value_of_items, row->values.items[i].text, row->values.items[i].items));
    return row->values.count > VALUES_TOLD ? reason(arena, and_more, all, row->values.count - VALUES_TOLD)
                                           : all;
}
