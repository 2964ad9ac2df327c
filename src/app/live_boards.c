/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/live_boards.h"

#include <stdlib.h>
#include <string.h>

#include "assay/app/board_news.h"
#include "assay/app/follower.h"
#include "assay/base/clock.h"

/* Of more runs that are looked at than this, the one that nobody looked at for longest is begun again. Who looks right behind
   another is shown the same. */
enum { FOLLOWED_MOST = 4, DIGITS_MOST = 18 };
#define LOOKS_APART_S 0.5

struct live_board {
    long long number; /* 0: none */
    struct follower *follower;
    struct board_state *state;
    enum report_language language;
    double looked; /* clock_steady() */
};

struct live_boards {
    struct store *store;
    enum report_language language;
    struct live_board followed[FOLLOWED_MOST];
};

struct live_boards *live_boards_create(struct store *store, enum report_language language)
{
    struct live_boards *boards = mem_alloc(sizeof *boards);

    *boards = (struct live_boards){.store = store, .language = language};
    return boards;
}

static void forget(struct live_board *board)
{
    board_state_destroy(board->state);
    follower_destroy(board->follower);
    *board = (struct live_board){0};
}

void live_boards_destroy(struct live_boards *boards)
{
    if (boards == NULL)
        return;
    for (size_t i = 0; i < FOLLOWED_MOST; i++)
        forget(&boards->followed[i]);
    free(boards);
}

/* -- Following ---------------------------------------------------------------------------------------------------- */

static void take_event(void *context, double at, enum scheduler_event event, size_t step,
                       const struct scheduler_counts *counts, const struct outcome *worst, size_t alike)
{
    const struct live_board *board = context;

    board_news_take(board->state, board->language, at, event, step, counts, worst, alike);
}

static int begin(struct live_boards *boards, struct live_board *board, long long number, struct error *err)
{
    const struct record *record;

    board->follower = follower_create(boards->store, number, err);
    if (board->follower == NULL)
        return -1;
    record = follower_record(board->follower);
    board->number = number;
    board->language = boards->language;
    board->state =
        board_state_create(record->plan, "", follower_hosts_at_once(board->follower), record->started);
    follower_watch(board->follower, (struct watcher){.context = board, .event = take_event});
    return 0;
}

static struct live_board *find(struct live_boards *boards, long long number)
{
    struct live_board *found = &boards->followed[0];

    for (size_t i = 0; i < FOLLOWED_MOST; i++) {
        struct live_board *board = &boards->followed[i];

        if (board->number == number)
            return board;
        if (board->looked < found->looked)
            found = board;
    }
    forget(found);
    return found;
}

/* As of now, or of a moment ago. What went wrong half way is begun from nothing. */
static struct live_board *follow(struct live_boards *boards, long long number, struct error *err)
{
    struct live_board *board = find(boards, number);
    double now = clock_steady();

    if (board->number == number && now - board->looked < LOOKS_APART_S)
        return board;
    if ((board->number == 0 && begin(boards, board, number, err) < 0) ||
        follower_look(board->follower, err) < 0) {
        forget(board);
        return NULL;
    }
    board->looked = clock_steady();
    return board;
}

/* -- Pages -------------------------------------------------------------------------------------------------------- */

/* "runs/6/NAME": 6; 0: it is another path. A number is written in one way. */
static long long number_of(const char *path, const char *name)
{
    static const char prefix[] = "runs/";
    const char *at = path + strlen(prefix);
    long long number = 0;

    if (strncmp(path, prefix, strlen(prefix)) != 0 || *at < '1' || *at > '9')
        return 0;
    for (size_t i = 0; *at >= '0' && *at <= '9'; i++, at++) {
        if (i >= DIGITS_MOST)
            return 0;
        number = number * 10 + (*at - '0');
    }
    return *at == '/' && strcmp(at + 1, name) == 0 ? number : 0;
}

static bool is_followed(const struct live_boards *boards, long long number)
{
    for (size_t i = 0; i < FOLLOWED_MOST; i++)
        if (boards->followed[i].number == number)
            return true;
    return false;
}

/* Another party's run goes on nowhere. */
static int is_own_run(struct live_boards *boards, struct arena *arena, long long number, struct error *err)
{
    struct run_summary *runs;
    size_t count;

    if (store_list_runs(boards->store, arena, 0, &runs, &count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (runs[i].number == number)
            return run_summary_check(&runs[i], err) < 0 ? -1 : !runs[i].imported;
    return 0;
}

static int look(struct live_boards *boards, struct arena *arena, long long number,
                struct site_board *ret_board, struct error *err)
{
    struct live_board *board;
    struct run_driver driver;
    int own = is_followed(boards, number) ? 1 : is_own_run(boards, arena, number, err);

    if (own <= 0)
        return own;
    /* First whether it goes on: what ends in between is then still shown. */
    if (store_run_driver(boards->store, arena, number, &driver, err) < 0)
        return -1;
    *ret_board = (struct site_board){.number = number,
                                     .run_state = driver.state,
                                     .controller = driver.pid == 0 ? driver.host : "",
                                     .now = clock_now()};
    if (driver.state == RUN_ENDED || driver.state == RUN_CANCELLED) {
        for (size_t i = 0; i < FOLLOWED_MOST; i++)
            if (boards->followed[i].number == number)
                forget(&boards->followed[i]);
        return 1;
    }
    board = follow(boards, number, err);
    if (board == NULL)
        return -1;
    ret_board->state = board->state;
    ret_board->record = follower_record(board->follower);
    return 1;
}

static int make(struct live_boards *boards, long long number, bool page, struct text *out, bool *ret_over,
                struct error *err)
{
    cleanup_arena struct arena *arena = arena_create();
    struct site_board board;
    int found = number > 0 ? look(boards, arena, number, &board, err) : 0;

    if (found > 0) {
        *ret_over = board.state == NULL;
        if (page)
            site_board_page(&board, boards->language, out);
        else
            site_board(&board, boards->language, out);
    }
    return found;
}

int live_boards_page(struct live_boards *boards, const char *path, struct text *out, struct error *err)
{
    bool over;

    return make(boards, number_of(path, "live.html"), true, out, &over, err);
}

int live_boards_look(struct live_boards *boards, const char *path, struct text *out, bool *ret_over,
                     struct error *err)
{
    return make(boards, number_of(path, "events"), false, out, ret_over, err);
}
