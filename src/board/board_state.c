/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/board/board_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_hosts(const void *a, const void *b)
{
    const struct host *left = *(const struct host *const *)a, *right = *(const struct host *const *)b;

    return left < right ? -1 : left > right;
}

static void index_hosts(struct board_state *state)
{
    const struct plan *plan = state->plan;

    state->host_count = plan->hosts.count;
    state->hosts = arena_array(state->arena, const struct host *, plan->hosts.count);
    for (size_t i = 0; i < plan->hosts.count; i++)
        state->hosts[i] = plan->hosts.items[i];
    qsort(state->hosts, state->host_count, sizeof *state->hosts, compare_hosts);
}

/* Steps of one row stand together in the plan: the last row is looked at first. */
static size_t row_of(struct board_state *state, const struct step *step)
{
    bool isolates = step->origin == ORIGIN_ISOLATE;
    struct board_row *row;

    for (size_t i = state->rows.count; i-- > 0;)
        if (state->rows.items[i].isolates == isolates &&
            strcmp(state->rows.items[i].name, step->shape->suite_step) == 0)
            return i;
    row = list_push(state->arena, &state->rows);
    *row = (struct board_row){.name = step->shape->suite_step,
                              .isolates = isolates,
                              .oldest = BOARD_NONE_LEFT,
                              .newest = BOARD_NONE_LEFT};
    return state->rows.count - 1;
}

/* All attempts that it owes. */
static double whole_step_s(const struct step *step)
{
    double repeat_for_s = step_repeat_for_s(step), once_s = step_expected_s(step);
    unsigned repeat = step->shape->repeat > 1 ? step->shape->repeat : 1;

    return repeat_for_s > once_s * repeat ? repeat_for_s : once_s * repeat;
}

void board_state_grow(struct board_state *state)
{
    for (size_t i = state->tasks.count; i < state->plan->steps.count; i++) {
        const struct step *step = &state->plan->steps.items[i];
        struct board_task *task = list_push(state->arena, &state->tasks);
        struct board_row *row;

        *task = (struct board_task){.older = BOARD_NONE_LEFT, .newer = BOARD_NONE_LEFT};
        task->shown = step->origin != ORIGIN_LEFT_OUT;
        if (!task->shown)
            continue;
        task->row = row_of(state, step);
        row = &state->rows.items[task->row];
        row->total++;
        row->members = step->member_count > row->members ? step->member_count : row->members;
        row->expected_s += whole_step_s(step);
        row->set_s = fmax(row->set_s, step_repeat_for_s(step));
        row->ended = 0;
    }
}

struct board_state *board_state_create(const struct plan *plan, const char *title, size_t hosts_at_once,
                                       double now)
{
    struct arena *arena = arena_create();
    struct board_state *state = arena_new(arena, struct board_state);

    state->arena = arena;
    state->plan = plan;
    state->title = arena_strdup(arena, title);
    state->hosts_at_once = hosts_at_once;
    state->began = now;
    index_hosts(state);
    board_state_grow(state);
    return state;
}

void board_state_destroy(struct board_state *state)
{
    if (state != NULL)
        arena_destroy(state->arena);
}

size_t board_row_ended(const struct board_row *row)
{
    return row->passed + row->failed + row->open + row->skipped;
}

enum board_phase board_row_phase(const struct board_row *row)
{
    if (board_row_ended(row) >= row->total)
        return BOARD_OVER;
    return row->running > 0 || row->passed + row->failed + row->open + row->rounds > 0 ? BOARD_UNDER_WAY
                                                                                       : BOARD_TO_COME;
}

/* -- Which steps of a row run, oldest first -- */

static void append(struct board_state *state, size_t step)
{
    struct board_task *task = &state->tasks.items[step];
    struct board_row *row = &state->rows.items[task->row];

    task->older = row->newest;
    task->newer = BOARD_NONE_LEFT;
    if (row->newest != BOARD_NONE_LEFT)
        state->tasks.items[row->newest].newer = (long long)step;
    else
        row->oldest = (long long)step;
    row->newest = (long long)step;
    row->running++;
}

static void take_out(struct board_state *state, size_t step)
{
    struct board_task *task = &state->tasks.items[step];
    struct board_row *row = &state->rows.items[task->row];

    if (task->older != BOARD_NONE_LEFT)
        state->tasks.items[task->older].newer = task->newer;
    else
        row->oldest = task->newer;
    if (task->newer != BOARD_NONE_LEFT)
        state->tasks.items[task->newer].older = task->older;
    else
        row->newest = task->older;
    row->running--;
}

/* -- What did not pass -- */

static struct board_failure *find_failure(struct board_state *state, size_t row,
                                          const struct board_news *news)
{
    struct board_failure *failure;

    for (size_t i = state->failures.count; i-- > 0;) {
        failure = &state->failures.items[i];
        if (failure->row == row && failure->word == news->word &&
            reasons_alike_add(state->arena, &failure->reason, news->reason)) {
            if (strcmp(failure->subject, news->subject) != 0)
                failure->subject = "";
            return failure;
        }
    }
    failure = list_push(state->arena, &state->failures);
    *failure = (struct board_failure){.row = row,
                                      .word = news->word,
                                      .subject = arena_strdup(state->arena, news->subject),
                                      .reason = reasons_alike_begin(state->arena, news->reason)};
    return failure;
}

static void note_failure(struct board_state *state, struct board_row *row, const struct board_news *news,
                         double now)
{
    struct board_failure *failure;

    if (news->word == OUTCOME_NOT_RUN) {
        row->skipped++;
        return;
    }
    if (news->word == OUTCOME_FAIL) {
        row->failed++;
        state->failed++;
    } else {
        row->open++;
        state->open++;
    }
    failure = find_failure(state, state->tasks.items[news->step].row, news);
    *list_push(state->arena, &failure->steps) = news->step;
    failure->last = now;
}

const char *board_failure_hosts(struct arena *arena, const struct board_state *state,
                                const struct board_failure *failure, size_t first)
{
    enum { TOLD = 3 }; /* of several hosts each */
    size_t count = failure->steps.count - first;
    const char **names = arena_array(arena, const char *, count), *text = "";

    for (size_t i = 0; i < count; i++) {
        const struct step *step = &state->plan->steps.items[failure->steps.items[first + i]];

        names[i] = step->members[0]->name;
        if (step->member_count > 1 && i < TOLD)
            text = arena_printf(arena, "%s%s%s", text, i > 0 ? "; " : "", step_hosts(arena, step));
    }
    if (*text == '\0')
        return hostlist_fold(arena, names, count);
    return count > TOLD ? arena_printf(arena, "%s; and %zu more", text, count - TOLD) : text;
}

/* -- Events -- */

static void note_ended(struct board_state *state, const struct board_news *news, double now)
{
    struct board_task *task = &state->tasks.items[news->step];
    struct board_row *row = &state->rows.items[task->row];
    bool tried = task->began > 0 && news->event == BOARD_ENDED;

    if (news->state == STEP_PASSED)
        row->passed++;
    else if (news->state == STEP_SKIPPED)
        row->skipped++;
    else
        note_failure(state, row, news, now);
    /* How long it takes to be cancelled or to fail at once says nothing of the others. */
    if (tried && (news->state == STEP_PASSED || news->word == OUTCOME_FAIL)) {
        double took_s = now > task->began ? now - task->began : 0;

        row->timed++;
        row->sum_s += took_s;
        row->squares_s += took_s * took_s;
        state->timed++;
        state->excess_s += took_s - whole_step_s(&state->plan->steps.items[news->step]);
    }
    if (board_row_ended(row) == row->total)
        row->ended = now;
}

static bool is_over(enum step_state state)
{
    return state >= STEP_PASSED;
}

void board_state_note(struct board_state *state, const struct board_news *news, double now)
{
    struct board_task *task;

    board_state_grow(state);
    task = &state->tasks.items[news->step];
    if (!task->shown || is_over(task->state) || (news->event == BOARD_TAKEN_UP && !is_over(news->state)))
        return;
    if (task->state == STEP_RUNNING && news->event != BOARD_STARTED)
        take_out(state, news->step);
    if (news->event == BOARD_STARTED && task->state != STEP_RUNNING) {
        struct board_row *row = &state->rows.items[task->row];

        task->began = task->began > 0 ? task->began : now;
        row->began = row->began > 0 ? row->began : now;
        append(state, news->step);
    }
    task->state = news->event == BOARD_STARTED ? STEP_RUNNING
                  : news->event == BOARD_AGAIN ? STEP_AGAIN
                                               : news->state;
    if (news->event == BOARD_AGAIN)
        state->rows.items[task->row].rounds++;
    else if (news->event != BOARD_STARTED)
        note_ended(state, news, now);
}

/* -- Who is waited for -- */

const char *board_row_waits_for(struct arena *arena, const struct board_state *state,
                                const struct board_row *row, double now, double *ret_since)
{
    enum { TENTH = 10, WORTH_A_WORD_S = 10 };
    size_t left = row->total - board_row_ended(row), count = 0;
    size_t nearly = row->total / TENTH > 0 ? row->total / TENTH : 1;
    const char **names;

    if (row->total < 2 || left == 0 || left > nearly || row->running < left || row->timed == 0)
        return NULL;
    *ret_since = state->tasks.items[row->oldest].began;
    if (now - *ret_since < WORTH_A_WORD_S || now - *ret_since <= row->sum_s / (double)row->timed)
        return NULL;
    names = arena_array(arena, const char *, row->running);
    for (long long at = row->oldest; at != BOARD_NONE_LEFT; at = state->tasks.items[at].newer) {
        const struct step *step = &state->plan->steps.items[at];

        if (step->member_count > 1 && row->running == 1)
            return step_hosts(arena, step);
        names[count++] = step->members[0]->name;
    }
    return hostlist_fold(arena, names, count);
}
