/* SPDX-License-Identifier: Apache-2.0 */
#include "variants.h"

#include <math.h>
#include <string.h>

#include "assay/model/suite.h"
#include "assay/reasons/any.h"
#include "assay/reasons/report.h"
#include "assay/reasons/words.h"
#include "series.h"

/* --- what was measured --- */

static bool is_bandwidth(const struct slot *slot)
{
    return slot->size_bytes > 0 && slice_ends(slice_of(slot->metric), ".busbw");
}

static bool value_at(const struct attempt *attempt, const char *metric, double size, double *ret_value)
{
    double taken;

    list_each (measurement, attempt->reading.measurements) {
        if (strcmp(measurement->metric, metric) == 0 && measurement_size(measurement, &taken) &&
            taken == size) {
            *ret_value = measurement->value;
            return true;
        }
    }
    return false;
}

static struct spread spread_at(const struct view *view, const struct step_view *step, const char *metric,
                               double size)
{
    double *values = arena_array(view->arena, double, step->attempts.count);
    size_t count = 0;

    for (size_t i = 0; i < step->attempts.count; i++)
        if (attempt_is_whole(step->attempts.items[i]) &&
            value_at(step->attempts.items[i], metric, size, &values[count]))
            count++;
    return spread_of(values, count);
}

/* By the rule that its limit begins with. */
static bool is_not_believed(const struct outcome *outcome)
{
    const char *stated = reason_argument_text(outcome->held->limit, 1);

    return stated != NULL && slice_starts(slice_of(stated), limit_rule_name(RULE_PLAUSIBLE));
}

/* What no speed makes good: the tool's or the check's own word against it, or more than the links can carry. */
static const struct reason *trouble_of(const struct step_view *step)
{
    const char *own = limit_status_name(LIMIT_TOOL);

    for (size_t i = 0; i < step->step->shape->slot_count; i++) {
        const struct outcome *outcome = step->items[i];
        bool sound = strcmp(step->step->shape->slots[i].metric, "sound") == 0;

        if (outcome->cause != NULL &&
            (sound || (outcome->remark && strcmp(outcome->held->status, own) == 0) ||
             is_not_believed(outcome)))
            return outcome->cause;
    }
    return NULL;
}

/* --- who is compared with whom --- */

static struct tuning *tuning_of(const struct view *view, struct tunings *tunings, const struct step *step)
{
    for (size_t i = 0; i < tunings->items.count; i++) {
        struct tuning *tuning = &tunings->items.items[i];

        if (strcmp(tuning->suite_step, step->shape->suite_step) == 0 &&
            steps_have_same_hosts(view->steps[tuning->columns.items[0].step].step, step))
            return tuning;
    }
    return NULL;
}

/* The algorithm's bandwidth, which the bus bandwidth is computed from, where the tool prints it. */
static const char *metric_of(const struct view *view, const struct step_view *step, const struct slot *slot)
{
    size_t stem = strlen(slot->metric) - strlen("busbw");
    const char *algbw = arena_printf(view->arena, "%.*salgbw", (int)stem, slot->metric);

    return spread_at(view, step, algbw, slot->size_bytes).count > 0 ? algbw : slot->metric;
}

static struct tuning *begin_tuning(const struct view *view, struct tunings *tunings,
                                   const struct step_view *step)
{
    struct step hosts = {.members = step->step->members, .member_count = step->step->member_count};
    struct tuning *tuning = list_push(view->arena, &tunings->items);

    *tuning = (struct tuning){.suite_step = step->step->shape->suite_step,
                              .hosts = step_target_said(view->arena, &hosts),
                              .metric = ""};
    return tuning;
}

static void add_sizes(const struct view *view, const struct step_view *step, struct tuning *tuning)
{
    array_each (slot, step->step->shape->slots, step->step->shape->slot_count) {
        if (!is_bandwidth(slot))
            continue;
        /* The first that printed something says what was printed. */
        if (!slice_ends(slice_of(tuning->metric), ".algbw"))
            tuning->metric = metric_of(view, step, slot);
        if (tuning->columns.count == 1)
            *list_push(view->arena, &tuning->sizes) = slot->size_bytes;
    }
}

static void add_column(const struct view *view, size_t index, struct tunings *tunings)
{
    const struct step_view *step = &view->steps[index];
    struct tuning *tuning = tuning_of(view, tunings, step->step);

    if (tuning == NULL)
        tuning = begin_tuning(view, tunings, step);
    *list_push(view->arena, &tuning->columns) = (struct variant_column){
        .name = step->step->shape->variant,
        .settings = step->step->origin == ORIGIN_SUITE ? step->step->origin_note : NULL,
        .step = index,
        .trouble = trouble_of(step)};
    add_sizes(view, step, tuning);
}

static void compare(const struct view *view, struct tuning *tuning)
{
    for (size_t i = 0; i < tuning->columns.count; i++) {
        struct variant_column *column = &tuning->columns.items[i];

        column->points = arena_array(view->arena, struct variant_point, tuning->sizes.count);
        for (size_t k = 0; k < tuning->sizes.count; k++) {
            struct variant_point *point = &column->points[k];
            const struct variant_point *first = &tuning->columns.items[0].points[k];

            point->spread =
                spread_at(view, &view->steps[column->step], tuning->metric, tuning->sizes.items[k]);
            point->contrast = i > 0 ? spread_contrast(&first->spread, &point->spread)
                                    : (struct contrast){DIFFERENCE_UNKNOWN, NAN, NAN};
        }
    }
}

/* --- words --- */

static const char *percent(struct arena *arena, double share)
{
    return arena_printf(arena, fabs(share) < 0.0995 ? "%.1f%%" : "%.0f%%", fabs(share) * 100);
}

/* "4.1% to 6.0%", "6.0%" */
static const struct reason *range(struct arena *arena, const char *from, const char *to)
{
    return strcmp(from, to) == 0 ? reason(arena, text, from) : reason(arena, from_to, from, to);
}

/* Sizes first .. last of the column, which say the same. */
static const struct reason *run_text(struct arena *arena, const struct tuning *tuning,
                                     const struct variant_column *column, size_t first, size_t last)
{
    double low = INFINITY, high = 0, noise = 0;
    const struct reason *sizes, *changes, *noises;

    for (size_t i = first; i <= last; i++) {
        low = fmin(low, fabs(column->points[i].contrast.change));
        high = fmax(high, fabs(column->points[i].contrast.change));
        noise = fmax(noise, column->points[i].contrast.noise);
    }
    sizes = range(arena, size_text(arena, tuning->sizes.items[first]),
                  size_text(arena, tuning->sizes.items[last]));
    changes = range(arena, percent(arena, low), percent(arena, high));
    noises = last > first ? reason(arena, up_to, percent(arena, noise))
                          : reason(arena, text, percent(arena, noise));
    return column->points[first].contrast.word == DIFFERENCE_FASTER
               ? reason(arena, variant_faster, sizes, column->name, changes, tuning->columns.items[0].name,
                        noises)
               : reason(arena, variant_slower, sizes, column->name, changes, tuning->columns.items[0].name,
                        noises);
}

static size_t count_of(const struct tuning *tuning, const struct variant_column *column, enum difference word)
{
    size_t count = 0;

    for (size_t i = 0; i < tuning->sizes.count; i++)
        count += column->points[i].contrast.word == word;
    return count;
}

static void advise_on_differences(const struct view *view, struct tuning *tuning,
                                  const struct variant_column *column)
{
    for (size_t i = 0, last; i < tuning->sizes.count; i = last + 1) {
        enum difference word = column->points[i].contrast.word;

        for (last = i; last + 1 < tuning->sizes.count && column->points[last + 1].contrast.word == word;)
            last++;
        if (word == DIFFERENCE_FASTER || word == DIFFERENCE_SLOWER)
            *list_push(view->arena, &tuning->advice) = run_text(view->arena, tuning, column, i, last);
    }
}

static void advise(const struct view *view, struct tuning *tuning, const struct variant_column *column)
{
    const struct variant_column *first = &tuning->columns.items[0];
    size_t none = count_of(tuning, column, DIFFERENCE_NONE),
           unknown = count_of(tuning, column, DIFFERENCE_UNKNOWN);
    const char *least = percent(view->arena, LEAST_DIFFERENCE);

    if (column->trouble != NULL) {
        *list_push(view->arena, &tuning->advice) =
            reason(view->arena, variant_not_to_be_used, column->name, column->trouble);
        return;
    }
    advise_on_differences(view, tuning, column);
    if (unknown > 0)
        *list_push(view->arena, &tuning->advice) =
            unknown < tuning->sizes.count
                ? reason(view->arena, too_few_repeats_at_some_sizes, column->name, first->name, REPEATS_LEAST)
                : reason(view->arena, too_few_repeats, column->name, first->name, REPEATS_LEAST);
    else if (none > 0)
        *list_push(view->arena, &tuning->advice) =
            none < tuning->sizes.count
                ? reason(view->arena, no_difference_at_other_sizes, column->name, first->name, least)
                : reason(view->arena, no_difference_at_every_size, column->name, first->name, least);
}

static void advise_on_all(const struct view *view, struct tuning *tuning)
{
    const struct variant_column *first = &tuning->columns.items[0];

    if (first->trouble != NULL) {
        *list_push(view->arena, &tuning->advice) =
            reason(view->arena, nothing_compared_with, first->name, first->trouble);
        return;
    }
    for (size_t i = 1; i < tuning->columns.count; i++)
        advise(view, tuning, &tuning->columns.items[i]);
}

void tunings_collect(const struct view *view, struct tunings *ret_tunings)
{
    *ret_tunings = (struct tunings){0};
    for (size_t i = 0; i < view->step_count; i++)
        if (step_advises(view->steps[i].step) && view->steps[i].step->origin != ORIGIN_LEFT_OUT)
            add_column(view, i, ret_tunings);
    for (size_t i = 0; i < ret_tunings->items.count; i++) {
        compare(view, &ret_tunings->items.items[i]);
        advise_on_all(view, &ret_tunings->items.items[i]);
    }
}

const struct reason *spread_text(struct arena *arena, const struct spread *spread)
{
    if (spread->count == 0)
        return REASON(word_no_number);
    return reason(arena, median_of_repeats, arena_printf(arena, "%.1f", spread->median), spread->count,
                  arena_printf(arena, "%.1f", spread->low), arena_printf(arena, "%.1f", spread->high));
}

const struct reason *contrast_text(struct arena *arena, const struct tuning *tuning, size_t column,
                                   size_t size)
{
    const struct variant_column *at = &tuning->columns.items[column];
    const struct contrast *contrast = &at->points[size].contrast;

    if (column == 0 || at->trouble != NULL || tuning->columns.items[0].trouble != NULL)
        return NULL;
    switch (contrast->word) {
    case DIFFERENCE_FASTER:
        return reason(arena, faster_by, percent(arena, contrast->change));
    case DIFFERENCE_SLOWER:
        return reason(arena, slower_by, percent(arena, contrast->change));
    case DIFFERENCE_NONE:
        return REASON(word_no_difference);
    case DIFFERENCE_UNKNOWN:
    default:
        return REASON(word_too_few_repeats_to_tell);
    }
}
