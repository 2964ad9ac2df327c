/* SPDX-License-Identifier: Apache-2.0 */
/* What another process runs, told from the database: on a terminal its board, else a line for each attempt that ends; and the
   verdict at the end. */
#include <stdio.h>
#include <unistd.h>

#include "assay/app/follower.h"
#include "assay/report/report.h"
#include "board.h"
#include "cli.h"
#include "recap.h"

enum { PAUSE_S = 1 };

struct following {
    const char *db; /* as given */
    struct store *store;
    long long number;
    struct arena *plan_arena;
    const struct record *record; /* its plan; NULL: not looked at yet */
    struct ended_attempt last;
    struct follower *follower; /* NULL: lines */
    struct board *board;       /* of the follower */
};

/* The plan grows while the run goes on; then it is read again. */
static const struct step *step_of(struct following *following, size_t step, struct error *err)
{
    if (following->record == NULL || step >= following->record->plan->steps.count) {
        arena_destroy(following->plan_arena);
        following->plan_arena = arena_create();
        following->record =
            store_load_judged(following->store, following->plan_arena, following->number, err);
    }
    if (following->record == NULL)
        return NULL;
    if (step >= following->record->plan->steps.count) {
        error_set(err, ERROR_INTERNAL, "run %lld has no step %zu", following->number, step);
        return NULL;
    }
    return &following->record->plan->steps.items[step];
}

static int print_ended(struct arena *arena, struct following *following, struct error *err)
{
    struct ended_attempts ended;

    if (store_ended_attempts(following->store, arena, following->number, &following->last, &ended, err) < 0)
        return -1;
    for (size_t i = 0; i < ended.items.count; i++) {
        const struct ended_attempt *attempt = &ended.items.items[i];
        const struct step *step = step_of(following, attempt->step, err);

        if (step == NULL)
            return -1;
        cli_print("%s  %s on %s: %s after %s%s\n", time_text(arena, attempt->ended), step->shape->suite_step,
                  step_target(arena, step), attempt_end_name(attempt->end),
                  duration_text(arena, attempt->ended - attempt->began),
                  attempt->n > 1 ? arena_printf(arena, " (attempt %u)", attempt->n) : "");
        following->last = *attempt;
    }
    fflush(stdout);
    return 0;
}

static int look(struct following *following, struct run_driver *driver, struct error *err)
{
    cleanup_arena struct arena *arena = arena_create();
    /* First whether it goes on: what ends in between is then still told. */
    int result = store_run_driver(following->store, arena, following->number, driver, err);

    if (result == 0)
        result = following->follower != NULL ? follower_look(following->follower, err)
                                             : print_ended(arena, following, err);
    if (result == 0 && driver->state == RUN_RUNNING && driver->pid == 0)
        result = error_set(err, ERROR_USAGE, "run %lld is driven from %s; ask there", following->number,
                           driver->host);
    return result;
}

/* Of a part that has passed what was not asked for is no finding. */
void cli_print_standing(const struct record *record, enum verdict_word word)
{
    enum verdict_word told = standing_asked_passed(record) > 0 ? VERDICT_ACCEPT : word;
    const struct reason *line = standing_line(record->arena, &record->standing, told);

    if (line != NULL)
        cli_print("%s\n", reason_english(record->arena, line));
}

int cli_print_verdict(struct store *store, long long number, int *ret_status, struct error *err)
{
    struct arena *arena = arena_create();
    const struct record *record = store_load_judged(store, arena, number, err);

    if (record != NULL) {
        bool judged = record->judgement.verdict_count > 0;
        enum verdict_word word = judged ? record->judgement.verdicts[0].word : VERDICT_INCOMPLETE;

        if (judged)
            recap_print(record, LANGUAGE_EN);
        cli_print_standing(record, word);
        cli_print("run: %lld\nverdict: %s\n", number, standing_verdict(&record->standing, word));
        *ret_status = record->state == RUN_CANCELLED ? EXIT_CANCELLED : verdict_exit_status(word);
    }
    arena_destroy(arena);
    return record != NULL ? 0 : -1;
}

static int begin_following(struct following *following, struct error *err)
{
    following->follower = follower_create(following->store, following->number, err);
    if (following->follower == NULL)
        return -1;
    following->board = board_create(BOARD_LIVE, follower_record(following->follower),
                                    follower_hosts_at_once(following->follower),
                                    follower_record(following->follower)->started);
    follower_watch(following->follower, board_watcher(following->board));
    return 0;
}

/* The board shows the follower's record. */
static void stop_following(struct following *following)
{
    board_destroy(following->board);
    following->board = NULL;
    following->follower = follower_destroy(following->follower);
}

static int follow(struct following *following, int *ret_status, struct error *err)
{
    cleanup_arena struct arena *arena = arena_create();
    struct run_driver driver;

    do {
        if (look(following, &driver, err) < 0)
            return -1;
        if (driver.state == RUN_RUNNING)
            sleep(PAUSE_S);
    } while (driver.state == RUN_RUNNING);
    stop_following(following);
    if (driver.state == RUN_INTERRUPTED)
        cli_warn("assay: run %lld has lost its controller; `assay run --resume %lld%s` continues it\n",
                 following->number, following->number, cli_database_words(arena, following->db));
    return cli_print_verdict(following->store, following->number, ret_status, err);
}

static long long last_run(struct store *store, struct error *err)
{
    cleanup_arena struct arena *arena = arena_create();
    const struct record *record = store_load_judged(store, arena, 0, err);
    long long number = record != NULL ? record->number : 0;

    return number;
}

/* Of a run that is over there is no board, and what is wrong with it is told by who looks next. */
static bool goes_on(const struct following *following)
{
    cleanup_arena struct arena *arena = arena_create();
    struct run_driver driver;
    struct error ignored = {0};

    return store_run_driver(following->store, arena, following->number, &driver, &ignored) == 0 &&
           driver.state == RUN_RUNNING && driver.pid != 0;
}

int command_attach(int argc, char **argv)
{
    const char *db = NULL, *progress = "auto";
    const struct option_row rows[] = {
        CLI_DB_ROW(&db),
        {"progress", 0, OPTION_STRING, "HOW", &progress,
         "auto (a board on a terminal, else plain) or plain (a line for each test that ends)"},
        OPTION_END,
    };
    struct following following = {0};
    struct error err = {0};
    enum board_kind kind = BOARD_PLAIN;
    int first, status;

    if (!cli_options(rows, "attach [RUN]        (default: the last run)", argc, argv, &first, &status))
        return status;
    if (!board_kind_parse(progress, &kind) || (kind != BOARD_LIVE && kind != BOARD_PLAIN)) {
        cli_warn("assay: attach: --progress '%s'; expected auto or plain\n", progress);
        return EXIT_USAGE;
    }
    following.db = db;
    following.store = store_open(cli_database(db), true, &err);
    if (following.store != NULL)
        following.number = first < argc ? store_find_run(following.store, argv[first], &err)
                                        : last_run(following.store, &err);
    if (following.number == 0 ||
        (kind == BOARD_LIVE && goes_on(&following) && begin_following(&following, &err) < 0) ||
        follow(&following, &status, &err) < 0)
        status = cli_fail(&err);
    stop_following(&following);
    arena_destroy(following.plan_arena);
    store_close(following.store);
    return status;
}
