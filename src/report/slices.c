/* SPDX-License-Identifier: Apache-2.0 */
#include "slices.h"

#include <math.h>
#include <string.h>

#include "assay/parse/parser.h"

bool slice_is_plain(const struct step_view *step, const struct attempt *attempt)
{
    return step->step->shape->repeat_for_s > 0 && attempt_is_whole(attempt) && attempt->rc == 0 &&
           attempt->what == NULL && attempt->reading.findings.count == 0;
}

/* The worst that the attempt has for the slot; NAN: nothing. */
static double value_of(struct arena *arena, const struct attempt *attempt, struct slice_row *row, bool less)
{
    double worst = NAN;

    list_each (measurement, attempt->reading.measurements) {
        if (!measurement_is_of(arena, measurement, row->slot))
            continue;
        worst = less ? fmax(worst, measurement->value) : fmin(worst, measurement->value);
        row->unit = measurement->unit;
    }
    return worst;
}

static void add_row(const struct view *view, const struct step_view *step, const struct slot *slot, bool less,
                    struct slice_rows *rows)
{
    struct slice_row row = {.step = step, .slot = slot, .unit = ""};
    double *sorted = arena_array(view->arena, double, step->attempts.count + 1);

    row.values = arena_array(view->arena, double, step->attempts.count + 1);
    for (size_t i = 0; i < step->attempts.count; i++) {
        const struct attempt *attempt = step->attempts.items[i];
        double value = attempt_is_whole(attempt) ? value_of(view->arena, attempt, &row, less) : (double)NAN;

        if (!isfinite(value))
            continue;
        row.from = row.count == 0 ? attempt_start(attempt) : row.from;
        row.to = attempt->ended;
        row.values[row.count++] = value;
    }
    if (row.count == 0)
        return;
    memcpy(sorted, row.values, row.count * sizeof *sorted);
    row.spread = spread_of(sorted, row.count);
    *list_push(view->arena, &rows->items) = row;
}

void slice_rows_of_run(const struct view *view, struct slice_rows *ret_rows)
{
    *ret_rows = (struct slice_rows){0};
    array_each (step, view->steps, view->step_count) {
        for (size_t k = 0; step->step->shape->repeat_for_s > 0 && k < step->step->shape->slot_count; k++) {
            const struct slot *slot = &step->step->shape->slots[k];
            const struct metric *metric = metric_find(slot->metric);

            if (metric != NULL && metric->peers)
                add_row(view, step, slot, metric->better == BETTER_LOWER, ret_rows);
        }
    }
}
