/* SPDX-License-Identifier: Apache-2.0 */
#include "variants.h"

#include <math.h>
#include <string.h>

#include "assay/suite.h"
#include "series.h"

/* --- what was measured --- */

static bool is_bandwidth(const struct slot *slot)
{
    return slot->size_bytes > 0 && slice_ends(slice_of(slot->metric), ".busbw");
}

/* It came to its end, and its output is whole. */
static bool is_whole(const struct attempt *attempt)
{
    return attempt->state == ATTEMPT_ENDED && attempt->end == ATTEMPT_RAN &&
           attempt->reading.status == READING_COMPLETE;
}

static bool value_at(const struct attempt *attempt, const char *metric, double size, double *ret_value)
{
    double taken;

    for (size_t i = 0; i < attempt->reading.measurements.count; i++) {
        const struct measurement *measurement = &attempt->reading.measurements.items[i];

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
        if (is_whole(step->attempts.items[i]) &&
            value_at(step->attempts.items[i], metric, size, &values[count]))
            count++;
    return spread_of(values, count);
}

/* What no speed makes good: the tool's or the check's own word against it, or more than the links can carry. */
static const char *trouble_of(const struct step_view *step)
{
    const char *not_believed = limit_rule_name(RULE_PLAUSIBLE), *own = limit_status_name(LIMIT_TOOL);

    for (size_t i = 0; i < step->step->shape->slot_count; i++) {
        const struct outcome *outcome = step->items[i];
        bool sound = strcmp(step->step->shape->slots[i].metric, "sound") == 0;

        if (*outcome->cause != '\0' && (sound || (outcome->remark && strcmp(outcome->status, own) == 0) ||
                                        strncmp(outcome->limit, not_believed, strlen(not_believed)) == 0))
            return outcome->cause;
    }
    return "";
}

/* --- who is compared with whom --- */

static bool same_members(const struct step *a, const struct step *b)
{
    return a->member_count == b->member_count &&
           memcmp(a->members, b->members, a->member_count * sizeof *a->members) == 0;
}

static struct tuning *tuning_of(const struct view *view, struct tunings *tunings, const struct step *step)
{
    for (size_t i = 0; i < tunings->items.count; i++) {
        struct tuning *tuning = &tunings->items.items[i];

        if (strcmp(tuning->suite_step, step->shape->suite_step) == 0 &&
            same_members(view->steps[tuning->columns.items[0].step].step, step))
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
    struct tuning *tuning = list_push(view->arena, &tunings->items);

    *tuning = (struct tuning){.suite_step = step->step->shape->suite_step,
                              .hosts = step_hosts(view->arena, step->step),
                              .metric = ""};
    return tuning;
}

static void add_sizes(const struct view *view, const struct step_view *step, struct tuning *tuning)
{
    for (size_t i = 0; i < step->step->shape->slot_count; i++) {
        const struct slot *slot = &step->step->shape->slots[i];

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
    *list_push(view->arena, &tuning->columns) =
        (struct variant_column){.name = step->step->shape->variant,
                                .settings = step->step->origin == ORIGIN_SUITE ? step->step->origin_note : "",
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
static const char *range(struct arena *arena, double low, double high)
{
    const char *from = percent(arena, low), *to = percent(arena, high);

    return strcmp(from, to) == 0 ? from : arena_printf(arena, "%s to %s", from, to);
}

/* Sizes first .. last of the column, which say the same. */
static const char *run_text(struct arena *arena, const struct tuning *tuning,
                            const struct variant_column *column, size_t first, size_t last)
{
    const struct contrast *contrast = &column->points[first].contrast;
    double low = INFINITY, high = 0, noise = 0;
    const char *sizes = size_text(arena, tuning->sizes.items[first]);

    for (size_t i = first; i <= last; i++) {
        low = fmin(low, fabs(column->points[i].contrast.change));
        high = fmax(high, fabs(column->points[i].contrast.change));
        noise = fmax(noise, column->points[i].contrast.noise);
    }
    if (last > first)
        sizes = arena_printf(arena, "%s to %s", sizes, size_text(arena, tuning->sizes.items[last]));
    return arena_printf(arena, "at %s `%s` is %s %s than `%s`, noise %s%s", sizes, column->name,
                        range(arena, low, high), difference_name(contrast->word),
                        tuning->columns.items[0].name, last > first ? "up to " : "", percent(arena, noise));
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

    if (*column->trouble != '\0') {
        *list_push(view->arena, &tuning->advice) =
            arena_printf(view->arena, "`%s` is not to be used: %s", column->name, column->trouble);
        return;
    }
    advise_on_differences(view, tuning, column);
    if (unknown > 0)
        *list_push(view->arena, &tuning->advice) = arena_printf(
            view->arena, "too few repeats of `%s` or `%s` to tell%s; it takes %d of each", column->name,
            first->name, unknown < tuning->sizes.count ? " at some sizes" : "", REPEATS_LEAST);
    else if (none > 0)
        *list_push(view->arena, &tuning->advice) =
            arena_printf(view->arena, "%s `%s` differs from `%s` by no more than the noise, or than %s",
                         none < tuning->sizes.count ? "at the other sizes" : "at every size", column->name,
                         first->name, percent(view->arena, LEAST_DIFFERENCE));
}

static void advise_on_all(const struct view *view, struct tuning *tuning)
{
    const struct variant_column *first = &tuning->columns.items[0];

    if (*first->trouble != '\0') {
        *list_push(view->arena, &tuning->advice) =
            arena_printf(view->arena, "nothing is compared with `%s`: %s", first->name, first->trouble);
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

const char *spread_text(struct arena *arena, const struct spread *spread)
{
    if (spread->count == 0)
        return "no number";
    return arena_printf(arena, "%.1f (%zu: %.1f to %.1f)", spread->median, spread->count, spread->low,
                        spread->high);
}

const char *contrast_text(struct arena *arena, const struct tuning *tuning, size_t column, size_t size)
{
    const struct variant_column *at = &tuning->columns.items[column];
    const struct contrast *contrast = &at->points[size].contrast;

    if (column == 0 || *at->trouble != '\0' || *tuning->columns.items[0].trouble != '\0')
        return "";
    switch (contrast->word) {
    case DIFFERENCE_FASTER:
    case DIFFERENCE_SLOWER:
        return arena_printf(arena, "%s %s", percent(arena, contrast->change),
                            difference_name(contrast->word));
    case DIFFERENCE_NONE:
        return "no difference";
    case DIFFERENCE_UNKNOWN:
    default:
        return "too few repeats to tell";
    }
}
