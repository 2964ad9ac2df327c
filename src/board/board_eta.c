/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long it takes yet: by what the steps of this very run took, and where none has ended yet by what the plan expects, and
 * by how much longer or shorter than that the others of this run took. A step that takes longer than it should is given as
 * much time again as it is late, at most a quarter of its time: so what is left is never negative, and never a number that
 * stands still.
 */
#include <math.h>
#include <stdlib.h>

#include "assay/board/board_state.h"

/* One step, whole: mean and spread, s. */
struct pace {
    double mean_s, spread_s;
};

/* How sure one can be of a time that one step took, or that a plan expects while others were seen, or not even those. */
#define SPREAD_OF_ONE 0.15
#define SPREAD_EXPECTED 0.25
#define SPREAD_PLANNED 0.5
#define SPREAD_SET 0.02
#define SHARE_LEAST 0.25 /* of what the plan expects */
#define LATE_SHARE 0.25  /* of its time a late step is given more, at most */

static struct pace pace_of(const struct board_state *state, const struct board_row *row)
{
    enum { SEVERAL = 3 };
    double mean_s, spread_s;

    if (row->timed > 0) {
        mean_s = row->sum_s / (double)row->timed;
        spread_s = SPREAD_OF_ONE * mean_s;
        if (row->timed >= SEVERAL)
            spread_s = sqrt(fmax(row->squares_s / (double)row->timed - mean_s * mean_s, 0));
        return (struct pace){mean_s, spread_s};
    }
    mean_s = row->total > 0 ? row->expected_s / (double)row->total : 0;
    if (row->set_s > 0) /* what it takes was asked for, and the time between its slices is little */
        return (struct pace){mean_s, SPREAD_SET * mean_s};
    if (state->timed == 0)
        return (struct pace){mean_s, SPREAD_PLANNED * mean_s};
    mean_s = fmax(mean_s + state->excess_s / (double)state->timed, SHARE_LEAST * mean_s);
    return (struct pace){mean_s, SPREAD_EXPECTED * mean_s};
}

static struct board_left rest_of(const struct pace *pace, double elapsed_s)
{
    double low_s = pace->mean_s - pace->spread_s - elapsed_s,
           high_s = pace->mean_s + pace->spread_s - elapsed_s;
    double late_s = fmin(elapsed_s - pace->mean_s, LATE_SHARE * elapsed_s);

    low_s = fmax(low_s, 0);
    high_s = fmax(high_s, late_s);
    return (struct board_left){low_s, fmax(high_s, low_s)};
}

static double elapsed_of(const struct board_state *state, size_t step, double now)
{
    return fmax(now - state->tasks.items[step].began, 0);
}

/* How many steps of it can run side by side. */
static double breadth_of(const struct board_state *state, const struct board_row *row)
{
    const struct plan *plan = state->plan;
    size_t hosts = state->hosts_at_once > 0 && state->hosts_at_once < plan->hosts.count ? state->hosts_at_once
                                                                                        : plan->hosts.count;
    double breadth = (double)(row->running > 0 ? row->running : 1);

    if (row->members > 1 || row->isolates)
        return breadth;
    return fmax(breadth, (double)(hosts > 0 ? hosts : 1));
}

/* Those that wait begin beside those under way as far as there is room, and the others behind them. */
struct board_left board_row_left(const struct board_state *state, const struct board_row *row, double now)
{
    struct pace pace = pace_of(state, row);
    double breadth = breadth_of(state, row), room = breadth - (double)row->running;
    double waiting = (double)(row->total - board_row_ended(row) - row->running);
    double waves = ceil(fmax(waiting - room, 0) / breadth);
    struct board_left left = {0};

    if (row->running == 0 && row->set_s > 0 && row->began > 0) /* between two slices */
        return rest_of(&pace, fmax(now - row->began, 0));
    if (row->running > 0) {
        struct board_left oldest = rest_of(&pace, elapsed_of(state, (size_t)row->oldest, now)),
                          newest = rest_of(&pace, elapsed_of(state, (size_t)row->newest, now));

        left = (struct board_left){fmax(oldest.low_s, newest.low_s), fmax(oldest.high_s, newest.high_s)};
    }
    if (waiting > 0 && room > 0) {
        left.low_s = fmax(left.low_s, pace.mean_s - pace.spread_s);
        left.high_s = fmax(left.high_s, pace.mean_s + pace.spread_s);
    }
    left.low_s += waves * fmax(pace.mean_s - pace.spread_s, 0);
    left.high_s += waves * pace.mean_s + sqrt(waves) * pace.spread_s;
    left.high_s = fmax(left.high_s, left.low_s);
    return left;
}

/* -- The whole run: who has most to do, and what has the fabric for itself -- */

struct load {
    double mean_s, variance;
    struct board_left beside; /* the longest of what runs beside others, at the same time */
};

static void put_on(struct load *load, const struct board_left *left)
{
    double spread_s = (left->high_s - left->low_s) / 2;

    load->mean_s += (left->high_s + left->low_s) / 2;
    load->variance += spread_s * spread_s;
}

static void put_beside(struct load *load, const struct board_left *left)
{
    if (left->high_s > load->beside.high_s)
        load->beside = *left;
}

static int compare_hosts(const void *a, const void *b)
{
    const struct host *left = a, *right = *(const struct host *const *)b;

    return left < right ? -1 : left > right;
}

static void put_on_members(const struct board_state *state, const struct step *step, struct load *loads,
                           const struct board_left *left)
{
    for (size_t i = 0; i < step->member_count; i++) {
        const struct host **found =
            bsearch(step->members[i], state->hosts, state->host_count, sizeof *state->hosts, compare_hosts);

        if (found != NULL && step->shape->exclusive == EXCLUSIVE_NONE)
            put_beside(&loads[found - state->hosts], left);
        else if (found != NULL)
            put_on(&loads[found - state->hosts], left);
    }
}

/* Of each step what is left of it. */
static void spread_loads(const struct board_state *state, const struct pace *paces, struct load *loads,
                         struct load *alone, double now)
{
    for (size_t i = 0; i < state->tasks.count; i++) {
        const struct board_task *task = &state->tasks.items[i];
        const struct step *step = &state->plan->steps.items[i];
        struct board_left left;

        if (!task->shown || task->state > STEP_AGAIN)
            continue;
        left = rest_of(&paces[task->row], task->began > 0 ? elapsed_of(state, i, now) : 0);
        if (step->member_count > 1 && step->shape->exclusive == EXCLUSIVE_FABRIC)
            put_on(alone, &left);
        else
            put_on_members(state, step, loads, &left);
    }
}

struct board_left board_state_left(const struct board_state *state, double now)
{
    struct pace *paces = mem_alloc((state->rows.count + 1) * sizeof *paces);
    struct load *loads = mem_alloc((state->host_count + 1) * sizeof *loads), alone = {0}, most = {0},
                all = {0};
    double spread_s, mean_s;

    for (size_t i = 0; i < state->rows.count; i++)
        paces[i] = pace_of(state, &state->rows.items[i]);
    spread_loads(state, paces, loads, &alone, now);
    for (size_t i = 0; i < state->host_count; i++) {
        put_on(&loads[i], &loads[i].beside);
        all.mean_s += loads[i].mean_s;
        all.variance += loads[i].variance;
        if (loads[i].mean_s > most.mean_s)
            most = loads[i];
    }
    if (state->hosts_at_once > 0 && all.mean_s / (double)state->hosts_at_once > most.mean_s)
        most = (struct load){.mean_s = all.mean_s / (double)state->hosts_at_once,
                             .variance = all.variance / (double)state->hosts_at_once};
    free(loads);
    free(paces);
    mean_s = most.mean_s + alone.mean_s;
    spread_s = sqrt(most.variance + alone.variance);
    return (struct board_left){fmax(mean_s - spread_s, 0), mean_s + spread_s};
}
