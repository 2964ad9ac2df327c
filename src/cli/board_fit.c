/* SPDX-License-Identifier: Apache-2.0 */
#include "board_fit.h"

enum {
    RANK_NEWS,
    RANK_WAITS,
    RANK_UNDER_WAY,
    RANK_REASON,
    RANK_MORE_REASONS,
    RANK_IDLE,
    RANK_FAILED,
    RANK_REST
};

/* What comes next and what ended last are of more interest than what is far from now. */
static size_t rank_of_row(const struct board_state *state, size_t index)
{
    enum { A_FEW = 4 };
    const struct board_row *row = &state->rows.items[index];
    enum board_phase phase = board_row_phase(row);
    size_t nearer = 0;

    if (phase == BOARD_UNDER_WAY)
        return row->running > 0 ? RANK_UNDER_WAY : RANK_IDLE;
    if (phase == BOARD_OVER && row->failed + row->open > 0)
        return RANK_FAILED;
    for (size_t i = 0; i < state->rows.count; i++) {
        const struct board_row *other = &state->rows.items[i];

        if (board_row_phase(other) == phase)
            nearer += phase == BOARD_TO_COME
                          ? i < index
                          : other->ended > row->ended || (other->ended == row->ended && i > index);
    }
    return RANK_REST + nearer / A_FEW;
}

enum { NEWEST = 3 };

/* Whatever else goes on, the newest failures are seen: that is, those that came since then. */
static double news_since(const struct board_state *state)
{
    double times[NEWEST] = {0};

    for (size_t i = 0; i < state->failures.count; i++) {
        double last = state->failures.items[i].last;

        for (size_t k = 0; k < NEWEST; k++)
            if (last > times[k]) {
                double later = times[k];

                times[k] = last;
                last = later;
            }
    }
    return times[NEWEST - 1];
}

struct newest {
    double news; /* since when failures are among the newest, */
    size_t told; /* and how many of these there are already: with many at once, not all */
};

static void find_failures(struct arena *arena, const struct board_state *state, size_t row,
                          struct newest *newest, struct candidates *found)
{
    size_t reasons = 0;

    for (size_t i = 0; i < state->failures.count; i++) {
        struct candidate *candidate;

        if (state->failures.items[i].row != row)
            continue;
        candidate = list_push(arena, &found->items);
        *candidate = (struct candidate){.kind = LINE_FAILURE, .row = row, .failure = i};
        if (state->failures.items[i].last >= newest->news && newest->told++ < NEWEST)
            candidate->rank = RANK_NEWS;
        else
            candidate->rank = reasons == 0 ? RANK_REASON : RANK_MORE_REASONS;
        reasons++;
    }
}

static void find_candidates(struct arena *arena, const struct board_state *state, double now,
                            struct candidates *found)
{
    struct newest newest = {.news = news_since(state)};
    double since;

    for (size_t i = 0; i < state->rows.count; i++) {
        const struct board_row *row = &state->rows.items[i];

        if (row->total == 0)
            continue;
        *list_push(arena, &found->items) =
            (struct candidate){.kind = LINE_ROW, .row = i, .rank = rank_of_row(state, i)};
        if (board_row_waits_for(arena, state, row, now, &since) != NULL)
            *list_push(arena, &found->items) =
                (struct candidate){.kind = LINE_WAITS, .row = i, .rank = RANK_WAITS};
        if (row->failed + row->open > 0)
            find_failures(arena, state, i, &newest, found);
    }
}

/* Those that fit, the most wanted first. What is said of a row needs the row itself. */
static void choose(const struct candidates *found, size_t room)
{
    size_t last_rank = 0;

    for (size_t i = 0; i < found->items.count; i++)
        last_rank = found->items.items[i].rank > last_rank ? found->items.items[i].rank : last_rank;
    for (size_t rank = 0; rank <= last_rank && room > 0; rank++)
        for (size_t i = 0, row = 0; i < found->items.count && room > 0; i++) {
            struct candidate *candidate = &found->items.items[i], *of;

            row = candidate->kind == LINE_ROW ? i : row;
            of = &found->items.items[row];
            if (candidate->rank != rank || candidate->taken || (!of->taken && candidate != of && room < 2))
                continue;
            room -= !of->taken;
            of->taken = true;
            room -= candidate != of;
            candidate->taken = true;
        }
}

void board_fit(struct arena *arena, const struct board_state *state, size_t lines, double now,
               struct candidates *ret_found)
{
    *ret_found = (struct candidates){0};
    find_candidates(arena, state, now, ret_found);
    choose(ret_found, ret_found->items.count > lines && lines > 0 ? lines - 1 : lines);
}
