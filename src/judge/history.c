/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who gets worse, over several runs.
 *
 * Rates only, as logarithms, so that differences are fractions. What is expected of a number is its position's part
 * (gpu2->gpu5 of this platform is 3% below gpu0->gpu1 everywhere) plus its run's part (this run's driver is 1% slower
 * for everybody), both by median polish (Tukey, Exploratory Data Analysis, ch. 11). What is left is the deviation of
 * the thing itself. A GPU's deviation in a run is the median over the items that it has a part in: 14 directed pairs
 * name the one GPU that is slow in all of them, and not its 7 partners, each of which is slow in two.
 *
 * The noise of a point is not assumed: it is what successive points of all series of the same rate differ by, over
 * sqrt(2). A change is told when noise makes one like it in fewer than one of 1,000 such histories, however many
 * series there are, and when it is at least HISTORY_LEAST_CHANGE.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/robust.h"
#include "assay/parse/parser.h"
#include "history_private.h"

/* Noise is known from no fewer differences than this. */
enum { LEAST_DIFFERENCES = 8 };
/* Tools print three digits or more: a rate is not known better than that. */
static const double least_noise = 0.001;
/* Of one history in which nothing happened, that anything is told. */
static const double chance_of_any = 0.001;

/* --- series ------------------------------------------------------------------------------------------------------ */

/* What one number says of one subject. */
struct share {
    size_t subject, family, run, position;
    double log, rest;
};

static int compare_shares(const void *a, const void *b)
{
    const struct share *left = a, *right = b;
    int order = compare_sizes(left->subject, right->subject);

    order = order != 0 ? order : compare_sizes(left->family, right->family);
    return order != 0 ? order : compare_sizes(left->run, right->run);
}

static struct share *share_out(struct work *work, const struct seats *seats, size_t *ret_count)
{
    struct share *shares = arena_array(work->arena, struct share, work->numbers.count * PLACES_OF_POSITION);

    *ret_count = 0;
    for (size_t i = 0; i < work->numbers.count; i++) {
        const struct number *number = &work->numbers.items[i];

        for (size_t k = 0; k < PLACES_OF_POSITION; k++) {
            int place = seats->of_position[number->position][k];

            if (place != NOBODY)
                shares[(*ret_count)++] =
                    (struct share){seat_at(work, seats, number->run, number->target, (size_t)place)->subject,
                                   work->family_of[number->position],
                                   number->run,
                                   number->position,
                                   number->log,
                                   number->rest};
        }
    }
    qsort(shares, *ret_count, sizeof *shares, compare_shares);
    return shares;
}

/* The family of each series is kept beside it. */
struct families {
    LIST_OF(size_t) of_series;
};

static double middle_of(const struct share *shares, size_t count, size_t offset, double *room)
{
    for (size_t i = 0; i < count; i++)
        memcpy(&room[i], (const char *)&shares[i] + offset, sizeof *room);
    return robust_median(room, count);
}

static void make_series(struct work *work, const struct share *shares, size_t count,
                        struct families *families)
{
    double *room = arena_array(work->arena, double, count);
    struct history_series *series = NULL;

    for (size_t i = 0, next; i < count; i = next) {
        const struct history_position *position = &work->history->positions.items[shares[i].position];

        for (next = i; next < count && compare_shares(&shares[next], &shares[i]) == 0;)
            next++;
        if (i == 0 || shares[i].subject != shares[i - 1].subject ||
            shares[i].family != shares[i - 1].family) {
            series = list_push(work->arena, &work->found->series);
            *series = (struct history_series){.subject = shares[i].subject,
                                              .suite_step = position->suite_step,
                                              .metric = position->metric,
                                              .unit = metric_find(position->metric)->unit};
            *list_push(work->arena, &families->of_series) = shares[i].family;
        }
        *list_push(work->arena, &series->points) = (struct history_point){
            .run = shares[i].run,
            .items = next - i,
            .value = exp(middle_of(shares + i, next - i, offsetof(struct share, log), room)),
            .deviation = expm1(middle_of(shares + i, next - i, offsetof(struct share, rest), room))};
    }
}

/* --- what is beyond noise ---------------------------------------------------------------------------------------- */

/* By family: NAN where too little is known. */
static double *noise_of_points(struct work *work, const struct families *families)
{
    const struct history_findings *found = work->found;
    double *noise = arena_array(work->arena, double, work->families);
    size_t *counts = arena_array(work->arena, size_t, work->families);
    double **differences = arena_array(work->arena, double *, work->families);

    for (size_t i = 0; i < found->series.count; i++)
        counts[families->of_series.items[i]] += found->series.items[i].points.count;
    for (size_t i = 0; i < work->families; i++) {
        differences[i] = arena_array(work->arena, double, counts[i]);
        counts[i] = 0;
    }
    for (size_t i = 0; i < found->series.count; i++) {
        const struct history_series *series = &found->series.items[i];
        size_t family = families->of_series.items[i];

        for (size_t k = 1; k < series->points.count; k++)
            differences[family][counts[family]++] =
                series->points.items[k].deviation - series->points.items[k - 1].deviation;
    }
    for (size_t i = 0; i < work->families; i++)
        noise[i] = counts[i] < LEAST_DIFFERENCES
                       ? NAN
                       : fmax(least_noise, robust_sigma(differences[i], counts[i], 0) / sqrt(2));
    return noise;
}

/* The last point against the middle of those before, whose standard error is sqrt(pi / 2n) of a point's. */
static bool find_drop(struct work *work, const struct history_series *series, struct history_finding *finding)
{
    size_t before = series->points.count - 1;
    double *room = arena_array(work->arena, double, before);

    for (size_t i = 0; i < before; i++)
        room[i] = series->points.items[i].deviation;
    finding->kind = HISTORY_DROP;
    finding->change = series->points.items[before].deviation - robust_median(room, before);
    /* Of one or two the median is the mean. */
    finding->sigmas =
        -finding->change / finding->noise / sqrt(1 + (before > 2 ? M_PI / 2 : 1) / (double)before);
    return true;
}

/* Theil and Sen's slope: the median of the slopes between any two points. Of normal noise its variance is pi / 3 of
   that of least squares. Over runs and not over time, as tests wear nothing out. */
static bool find_trend(struct work *work, const struct history_series *series,
                       struct history_finding *finding)
{
    size_t count = series->points.count, pairs = 0;
    double *slopes = arena_array(work->arena, double, count *count), slope, spread = 0, middle = 0;

    if (count < HISTORY_TREND_RUNS)
        return false;
    for (size_t i = 0; i < count; i++) {
        middle += (double)series->points.items[i].run / (double)count;
        for (size_t k = 0; k < i; k++)
            slopes[pairs++] = (series->points.items[i].deviation - series->points.items[k].deviation) /
                              (double)(series->points.items[i].run - series->points.items[k].run);
    }
    for (size_t i = 0; i < count; i++)
        spread += pow((double)series->points.items[i].run - middle, 2);
    slope = robust_median(slopes, pairs);
    finding->kind = HISTORY_TREND;
    finding->change = slope * (double)(series->points.items[count - 1].run - series->points.items[0].run);
    finding->sigmas = -slope / finding->noise / sqrt(M_PI / 3 / spread);
    return true;
}

static void find_changes(struct work *work, const struct families *families)
{
    struct history_findings *found = work->found;
    const double *noise = noise_of_points(work, families);
    double bar = robust_deviation_at(chance_of_any / (double)(2 * found->series.count + 1));
    size_t last_run = work->history->runs.count - 1;

    for (size_t i = 0; i < found->series.count; i++) {
        const struct history_series *series = &found->series.items[i];
        struct history_finding drop = {.subject = series->subject, .series = i, .runs = series->points.count},
                               trend;

        drop.noise = noise[families->of_series.items[i]];
        /* Only what the last run still shows: who was repaired since is not named again. */
        if (isnan(drop.noise) || series->points.count < 2 ||
            series->points.items[series->points.count - 1].run != last_run)
            continue;
        drop.first_run = series->points.items[0].run;
        trend = drop;
        if (!find_drop(work, series, &drop) || drop.sigmas < bar || drop.change > -HISTORY_LEAST_CHANGE)
            drop.sigmas = 0;
        if (!find_trend(work, series, &trend) || trend.sigmas < bar || trend.change > -HISTORY_LEAST_CHANGE)
            trend.sigmas = 0;
        if (drop.sigmas > 0 || trend.sigmas > 0)
            *list_push(work->arena, &found->findings) = trend.sigmas >= drop.sigmas ? trend : drop;
    }
}

/* --- what all did together --------------------------------------------------------------------------------------- */

static void find_shifts(struct work *work)
{
    const struct history *history = work->history;
    size_t runs = history->runs.count;
    bool *told = arena_array(work->arena, bool, work->rates);
    bool *measured = arena_array(work->arena, bool, work->rates *runs);
    size_t *numbers = arena_array(work->arena, size_t, work->rates * runs);

    for (size_t i = 0; i < work->numbers.count; i++)
        measured[work->numbers.items[i].run_part] =
            ++numbers[work->numbers.items[i].run_part] >= LEAST_OF_RUN;
    for (size_t i = 0; i < history->positions.count; i++) {
        size_t rate = work->rate_of[i], before = runs;

        if (told[rate])
            continue;
        told[rate] = true;
        for (size_t run = 0; run < runs; run++) {
            double change;

            if (!measured[rate * runs + run])
                continue;
            change = before < runs
                         ? expm1(work->run_part[rate * runs + run] - work->run_part[rate * runs + before])
                         : 0;
            before = run;
            if (fabs(change) >= HISTORY_LEAST_CHANGE)
                *list_push(work->arena, &work->found->shifts) = (struct history_shift){
                    run, history->positions.items[i].suite_step, history->positions.items[i].metric,
                    history->positions.items[i].at, change};
        }
    }
}

static int compare_findings(const void *a, const void *b)
{
    const struct history_finding *left = a, *right = b;

    if (left->sigmas != right->sigmas)
        return left->sigmas < right->sigmas ? 1 : -1;
    return left->runs != right->runs ? compare_sizes(right->runs, left->runs)
                                     : compare_sizes(left->subject, right->subject);
}

void judge_history(struct arena *arena, const struct history *history, struct history_findings *ret_findings)
{
    struct work work = {.arena = arena, .history = history, .found = ret_findings};
    struct seats seats = {0};
    struct families families = {0};
    struct share *shares;
    size_t count;

    *ret_findings = (struct history_findings){0};
    if (history->runs.count == 0)
        return;
    history_expect(&work);
    history_seat(&work, &seats);
    shares = share_out(&work, &seats, &count);
    make_series(&work, shares, count, &families);
    find_changes(&work, &families);
    history_repeats(&work, &seats);
    find_shifts(&work);
    history_growths(&work);
    if (ret_findings->findings.count > 1)
        qsort(ret_findings->findings.items, ret_findings->findings.count,
              sizeof *ret_findings->findings.items, compare_findings);
}
