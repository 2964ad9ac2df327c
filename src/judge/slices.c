/* SPDX-License-Identifier: Apache-2.0 */
/* Steps whose attempts are made until they have worked for a time: how much of it is owed, and what was slow for a while
   in the series of their numbers. */
#include <math.h>

#include "assay/base/utc.h"
#include "assay/model/spells.h"
#include "assay/parse/parser.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/reasons/judge.h"
#include "judge_private.h"

/* What came to its end counts, whatever it showed; what broke off does not. */
double slices_worked_s(struct arena *arena, const struct step_attempts *attempts)
{
    double sum = 0;

    for (size_t i = 0; i < attempts->count; i++)
        if (bearing_of(arena, attempts, i).kind == KIND_WHOLE)
            sum += slice_work_s(attempts->items[i]);
    return sum;
}

/* "3.5 h" */
static const char *time_of_work(struct arena *arena, double seconds)
{
    if (seconds >= 2 * 3600)
        return arena_printf(arena, "%.4g h", seconds / 3600);
    if (seconds >= 2 * 60)
        return arena_printf(arena, "%.3g min", seconds / 60);
    return arena_printf(arena, "%.3g s", seconds);
}

const struct reason *slices_unmade(struct arena *arena, const struct step *step,
                                   const struct step_attempts *attempts)
{
    double worked = slices_worked_s(arena, attempts), owed = step_repeat_for_s(step);

    if (worked >= owed)
        return NULL;
    return reason(arena, worked_too_short, time_of_work(arena, worked), time_of_work(arena, owed));
}

const char *slice_time(struct arena *arena, const struct attempt *attempt)
{
    return utc_text(arena, attempt->began, "%Y-%m-%d %H:%M");
}

/* Between two slices that are next to each other there are their windows, and no more. */
enum { APART_S = 1800 };

/* The item's numbers over time. */
struct series {
    struct arena *arena;
    const char *metric, *unit;
    double *values;
    const struct attempt **attempts; /* of each value */
    bool *apart;                     /* likewise: the run was interrupted before it */
    size_t count;
    bool less;
};

static void take_value(struct series *series, const struct slot *slot, const struct tried *tried)
{
    const struct attempt *attempt = tried->attempt;
    struct values values;
    double worst = NAN;

    value_index_numbers(series->arena, slot, &tried->values, &values);
    for (size_t i = 0; i < values.items.count; i++)
        if (isnan(worst) || is_worse(slot->metric, values.items.items[i].number, worst)) {
            worst = values.items.items[i].number;
            series->unit = values.items.items[i].unit;
        }
    if (!isfinite(worst) || worst <= 0)
        return;
    series->apart[series->count] =
        series->count > 0 && attempt->began - series->attempts[series->count - 1]->ended > APART_S;
    series->values[series->count] = worst;
    series->attempts[series->count++] = attempt;
}

static struct series series_of(struct arena *arena, const struct slot *slot,
                               const struct step_attempts *attempts, bool less)
{
    struct series series = {.arena = arena, .metric = slot->metric, .unit = "", .less = less};

    series.values = arena_array(arena, double, attempts->count + 1);
    series.apart = arena_array(arena, bool, attempts->count + 1);
    series.attempts = arena_array(arena, const struct attempt *, attempts->count + 1);
    for (size_t i = 0; i < attempts->count; i++)
        if (attempts->tried[i].bearing.kind == KIND_WHOLE)
            take_value(&series, slot, &attempts->tried[i]);
    return series;
}

static struct utc_between time_of(const struct series *series, const struct spell *spell)
{
    return utc_between(series->arena, series->attempts[spell->first]->began,
                       series->attempts[spell->first + spell->count - 1]->ended);
}

static const struct reason *spells_text(const struct series *series, const struct spells *spells)
{
    const struct spell *first = &spells->items.items[0], *longest = &spells->items.items[spells->longest];
    struct utc_between at = time_of(series, first), most = time_of(series, longest);
    const char *median = arena_printf(series->arena, "%.4g %s", spells->median, series->unit);

    if (spells->items.count == 1)
        return reason(series->arena, slow_spell, at.from, at.to, first->count, series->count,
                      arena_printf(series->arena, "%.1f", first->below * 100), median);
    return reason(series->arena, slow_spells, spells->items.count, spells->slow, series->count, at.from,
                  at.to, most.from, most.to, arena_printf(series->arena, "%.1f", spells->worst * 100),
                  median);
}

static bool has_series_rule(const struct slot_limits *limits)
{
    for (size_t i = 0; i < limits->limits.count; i++)
        if (limits->limits.items[i]->rule == RULE_SERIES)
            return true;
    return false;
}

static struct slices_said too_few(struct arena *arena, const struct series *series, bool decides)
{
    return (struct slices_said){.word = decides ? OUTCOME_INCONCLUSIVE : OUTCOME_PASS,
                                .remark = true,
                                .what = reason(arena, too_few_slices, series->count, SPELLS_LEAST)};
}

struct slices_said slices_judge(struct arena *arena, const struct step *step, const struct slot *slot,
                                const struct slot_limits *limits, const struct step_attempts *attempts)
{
    struct slices_said said = {.word = OUTCOME_PASS, .what = NULL};
    const struct metric *metric = step->shape->repeat_for_s > 0 ? metric_find(slot->metric) : NULL;
    const struct suite_peers *peers = limits->peers;
    bool decides = has_series_rule(limits);
    struct series series = {.count = 0};
    struct spells spells;

    if (peers == NULL || peers->off || metric == NULL || !(metric->peers || metric->members) ||
        metric->better == BETTER_NEITHER)
        return decides ? too_few(arena, &series, true) : said;
    series = series_of(arena, slot, attempts, metric->better == BETTER_LOWER);
    if (series.count < SPELLS_LEAST)
        return slot->duty == DUTY_RECORD ? said : too_few(arena, &series, decides);
    spells_find(arena, &(struct spells_series){series.values, series.apart, series.count, series.less},
                peers->remark, peers->fail, &spells);
    if (spells.items.count > 0) {
        said.word = spells.worst >= peers->fail ? OUTCOME_FAIL : OUTCOME_PASS;
        said.remark = true;
        said.what = said.word == OUTCOME_FAIL
                        ? reason(arena, fail_from, spells_text(&series, &spells), peers->fail * 100)
                        : reason(arena, remark_from, spells_text(&series, &spells), peers->remark * 100);
    } else if (spells.blind && slot->duty != DUTY_RECORD) {
        said.word = OUTCOME_INCONCLUSIVE;
        said.what = reason(arena, too_uneven_slices, arena_printf(arena, "%.1f", spells.noise * 100),
                           peers->fail * 100);
    }
    return said;
}
