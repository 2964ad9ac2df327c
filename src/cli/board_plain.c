/* SPDX-License-Identifier: Apache-2.0 */
#include "board_plain.h"

#include <string.h>
#include <time.h>

#include "assay/base/printable.h"

enum { HEARTBEAT_S = 60, REASONS_AT_ONCE = 12, ROWS_AT_ONCE = 6 };

static const char *clock_text(struct arena *arena, double now)
{
    time_t whole = (time_t)now;
    struct tm parts;

    gmtime_r(&whole, &parts);
    return arena_printf(arena, "%02d:%02d:%02d", parts.tm_hour, parts.tm_min, parts.tm_sec);
}

static void put_line(struct arena *arena, struct text *out, double now, const char *line)
{
    text_printf(out, "%s  ", clock_text(arena, now));
    printable_line(out, line);
    text_put(out, "\n");
}

/* "208 hosts", "104 pairs", "one test over 208 hosts". */
static const char *across(struct arena *arena, const struct board_row *row)
{
    const char *what = row->members == 1 ? "host" : row->members == 2 ? "pair" : "group";

    if (row->total == 1 && row->members > 1)
        return arena_printf(arena, "%zu hosts together", row->members);
    return arena_printf(arena, "%zu %s%s", row->total, what, row->total == 1 ? "" : "s");
}

static const char *done_text(struct arena *arena, const struct board_row *row)
{
    const char *bad = board_counts_text(arena, row->failed, row->open, row->skipped);
    const char *took =
        row->began > 0 ? arena_printf(arena, ", in %s", board_time_text(arena, row->ended - row->began)) : "";

    return arena_printf(arena, "%s done: %zu ok%s%s%s", board_row_name(arena, row), row->passed,
                        *bad != '\0' ? ", " : "", bad, took);
}

/* Whether the row began since it was last looked at. One that is over already is told as done. */
static bool is_new(const struct board_plain *plain, const struct board_state *state, size_t row)
{
    return plain->phases.items[row] == BOARD_TO_COME && state->rows.items[row].began > 0 &&
           board_row_phase(&state->rows.items[row]) == BOARD_UNDER_WAY;
}

/* Those over as many hosts that began together are one line. */
static void tell_begun(struct arena *arena, struct board_plain *plain, const struct board_state *state,
                       double now, struct text *out)
{
    while (plain->phases.count < state->rows.count)
        *list_push(state->arena, &plain->phases) = BOARD_TO_COME;
    for (size_t i = 0; i < state->rows.count; i++) {
        const char *names = "", *hosts = across(arena, &state->rows.items[i]);
        size_t count = 0;

        for (size_t k = i; k < state->rows.count && is_new(plain, state, i); k++)
            if (is_new(plain, state, k) && strcmp(across(arena, &state->rows.items[k]), hosts) == 0) {
                names = arena_printf(arena, "%s%s%s", names, count++ > 0 ? ", " : "",
                                     board_row_name(arena, &state->rows.items[k]));
                if (k > i)
                    plain->phases.items[k] = BOARD_UNDER_WAY;
            }
        if (count == 0)
            continue;
        plain->phases.items[i] = BOARD_UNDER_WAY;
        put_line(arena, out, now,
                 arena_printf(arena, "%s %s on %s", names, count > 1 ? "begin" : "begins", hosts));
    }
}

static void tell_failures(struct arena *arena, struct board_state *state, double now, struct text *out)
{
    size_t told = 0, more = 0;

    for (size_t i = 0; i < state->failures.count; i++) {
        struct board_failure *failure = &state->failures.items[i];

        if (failure->told == failure->steps.count)
            continue;
        if (told++ < REASONS_AT_ONCE)
            put_line(arena, out, now,
                     arena_printf(arena, "%s %s on %s: %s",
                                  board_row_name(arena, &state->rows.items[failure->row]),
                                  failure->word == OUTCOME_FAIL ? "failed" : "could not be decided",
                                  board_failure_hosts(arena, state, failure, failure->told),
                                  board_failure_text(arena, failure)));
        else
            more += failure->steps.count - failure->told;
        failure->told = failure->steps.count;
    }
    if (more > 0)
        put_line(arena, out, now, arena_printf(arena, "and %zu more failures for other reasons", more));
}

static void tell_done(struct arena *arena, struct board_plain *plain, const struct board_state *state,
                      double now, struct text *out)
{
    for (size_t i = 0; i < state->rows.count; i++) {
        const struct board_row *row = &state->rows.items[i];
        enum board_phase phase = board_row_phase(row);

        if (phase == BOARD_OVER && plain->phases.items[i] != BOARD_OVER) {
            plain->phases.items[i] = BOARD_OVER;
            if (row->total > 0 && row->skipped < row->total)
                put_line(arena, out, now, done_text(arena, row));
        } else if (phase != BOARD_OVER && plain->phases.items[i] == BOARD_OVER) {
            plain->phases.items[i] = BOARD_UNDER_WAY; /* the plan has grown */
        }
    }
}

static void tell_how_far(struct arena *arena, const struct board_state *state, double now, struct text *out)
{
    struct board_left left = board_state_left(state, now);
    size_t done = 0, total = 0, running = 0;
    const char *rows = "";

    list_each (row, state->rows) {
        double since;
        const char *waits;

        done += board_row_ended(row);
        total += row->total;
        if (row->running == 0 || running++ >= ROWS_AT_ONCE)
            continue;
        waits = board_row_waits_for(arena, state, row, now, &since);
        rows = arena_printf(arena, "%s; %s %zu/%zu", rows, board_row_name(arena, row), board_row_ended(row),
                            row->total);
        if (waits != NULL)
            rows = arena_printf(arena, "%s, waits for %s (%s)", rows, waits,
                                board_time_text(arena, now - since));
    }
    if (running > ROWS_AT_ONCE)
        rows = arena_printf(arena, "%s; and %zu more steps", rows, running - ROWS_AT_ONCE);
    put_line(arena, out, now,
             arena_printf(arena, "%s gone, %s: %zu of %zu tests done%s",
                          board_time_text(arena, now - state->began), board_left_text(arena, &left), done,
                          total, rows));
}

void board_plain_news(struct board_plain *plain, struct board_state *state, double now, struct text *out)
{
    cleanup_arena struct arena *arena = arena_create();

    if (!plain->begun) {
        put_line(arena, out, now, arena_printf(arena, "%s (times are UTC)", state->title));
        plain->begun = true;
        plain->last = now;
    }
    tell_begun(arena, plain, state, now, out);
    tell_failures(arena, state, now, out);
    tell_done(arena, plain, state, now, out);
    if (now - plain->last >= HEARTBEAT_S && !state->cancelling) {
        tell_how_far(arena, state, now, out);
        plain->last = now;
    }
}
