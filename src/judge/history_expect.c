/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is expected of a number: its position's part (gpu2->gpu5 of this platform is 3% below gpu0->gpu1 everywhere) and
 * its run's part (this run's driver is 1% slower for everybody), both by median polish (Tukey, Exploratory Data
 * Analysis, ch. 11).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/robust.h"
#include "history_private.h"
#include "judge_private.h"

enum { POLISH_ROUNDS = 4 };

/* --- which numbers are of one kind ------------------------------------------------------------------------------- */

static bool is_rate(const struct history_position *position)
{
    static const char *const units[] = {"GB/s", "Gb/s", "GFLOP/s", "TFLOP/s", "Mpps", "1/s"};
    const struct metric *metric = metric_find(position->metric);

    for (size_t i = 0; metric != NULL && metric->better == BETTER_HIGHER && i < ARRAY_SIZE(units); i++)
        if (strcmp(metric->unit, units[i]) == 0)
            return true;
    return false;
}

static int compare_families(const struct history_position *a, const struct history_position *b)
{
    int order = strcmp(a->suite_step, b->suite_step);

    order = order != 0 ? order : strcmp(a->check, b->check);
    order = order != 0 ? order : strcmp(a->scope, b->scope);
    order = order != 0 ? order : strcmp(a->variant, b->variant);
    order = order != 0 ? order : strcmp(a->platform, b->platform);
    order = order != 0 ? order : (a->hosts > b->hosts) - (a->hosts < b->hosts);
    return order != 0 ? order : strcmp(a->metric, b->metric);
}

static int compare_rates(const void *a, const void *b)
{
    const struct history_position *left = *(const struct history_position *const *)a;
    const struct history_position *right = *(const struct history_position *const *)b;
    int order = compare_families(left, right);

    return order != 0 ? order : strcmp(left->at, right->at);
}

static void name_rates(struct work *work)
{
    size_t count = work->history->positions.count;
    const struct history_position *all = work->history->positions.items, *before = NULL;
    const struct history_position **sorted = arena_array(work->arena, const struct history_position *, count);

    work->rate_of = arena_array(work->arena, size_t, count);
    work->family_of = arena_array(work->arena, size_t, count);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &all[i];
    qsort(sorted, count, sizeof *sorted, compare_rates);
    for (size_t i = 0; i < count; before = sorted[i], i++) {
        work->families += before == NULL || compare_families(before, sorted[i]) != 0;
        work->rates += before == NULL || compare_rates(&before, &sorted[i]) != 0;
        work->rate_of[sorted[i] - all] = work->rates - 1;
        work->family_of[sorted[i] - all] = work->families - 1;
    }
}

static void take_numbers(struct work *work)
{
    const struct history *history = work->history;
    bool *rates = arena_array(work->arena, bool, history->positions.count);

    for (size_t i = 0; i < history->positions.count; i++)
        rates[i] = is_rate(&history->positions.items[i]);
    list_each (value, history->values) {
        size_t rate = work->rate_of[value->position];

        if (!rates[value->position] || !(value->value > 0) || isinf(value->value))
            continue;
        *list_push(work->arena, &work->numbers) =
            (struct number){.run = value->run,
                            .position = value->position,
                            .target = value->target,
                            .rate = rate,
                            .run_part = rate * history->runs.count + value->run,
                            .log = log(value->value)};
    }
}

/* --- what is expected -------------------------------------------------------------------------------------------- */

/* Numbers by a key: those of key k are members[start[k]] to members[start[k + 1] - 1]. */
struct sorted {
    size_t keys, *start, *members;
};

static size_t position_key(const struct number *number)
{
    return number->position;
}

static size_t run_key(const struct number *number)
{
    return number->run_part;
}

static struct sorted sort_numbers(struct work *work, size_t keys, size_t (*key)(const struct number *))
{
    struct sorted sorted = {keys, arena_array(work->arena, size_t, keys + 2),
                            arena_array(work->arena, size_t, work->numbers.count)};
    size_t *next = sorted.start + 1;

    for (size_t i = 0; i < work->numbers.count; i++)
        sorted.start[key(&work->numbers.items[i]) + 2]++;
    for (size_t k = 0; k < keys; k++)
        next[k + 1] += next[k];
    for (size_t i = 0; i < work->numbers.count; i++)
        sorted.members[next[key(&work->numbers.items[i])]++] = i;
    return sorted;
}

/* Moves the middle of each group of rests into its part. */
static void polish(struct work *work, const struct sorted *sorted, size_t least, double *parts, double *room)
{
    for (size_t k = 0; k < sorted->keys; k++) {
        size_t first = sorted->start[k], count = sorted->start[k + 1] - first;
        double middle;

        if (count < least)
            continue;
        for (size_t i = 0; i < count; i++)
            room[i] = work->numbers.items[sorted->members[first + i]].rest;
        middle = robust_median(room, count);
        parts[k] += middle;
        for (size_t i = 0; i < count; i++)
            work->numbers.items[sorted->members[first + i]].rest -= middle;
    }
}

void history_expect(struct work *work)
{
    size_t runs = work->history->runs.count;
    struct sorted by_position, by_run;
    double *room;

    name_rates(work);
    take_numbers(work);
    by_position = sort_numbers(work, work->history->positions.count, position_key);
    by_run = sort_numbers(work, work->rates * runs, run_key);
    room = arena_array(work->arena, double, work->numbers.count);
    work->position_part = arena_array(work->arena, double, by_position.keys);
    work->run_part = arena_array(work->arena, double, by_run.keys);
    for (size_t i = 0; i < work->numbers.count; i++)
        work->numbers.items[i].rest = work->numbers.items[i].log;
    for (int round = 0; round < POLISH_ROUNDS; round++) {
        polish(work, &by_position, 1, work->position_part, room);
        polish(work, &by_run, LEAST_OF_RUN, work->run_part, room);
    }
}
