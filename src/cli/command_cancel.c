/* SPDX-License-Identifier: Apache-2.0 */
/* A run is ended by its controller, which is told so as by Ctrl-C; where that is dead, by this process in its place. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/utc.h"
#include "cli.h"
#include "run_options.h"

enum { PAUSE_S = 1 };

static int state_of(struct store *store, long long number, enum run_state *ret_state, struct error *err)
{
    cleanup_arena struct arena *arena = arena_create();
    struct run_driver driver;
    int result = store_run_driver(store, arena, number, &driver, err);

    *ret_state = driver.state;
    return result;
}

/* Until the controller has ended what runs on the hosts, or dies of it. */
static int await_end(struct store *store, long long number, enum run_state *ret_state, struct error *err)
{
    do {
        sleep(PAUSE_S);
        if (state_of(store, number, ret_state, err) < 0)
            return -1;
    } while (*ret_state == RUN_RUNNING);
    return 0;
}

/* Whether it still lives can be seen only there. */
static int refuse_elsewhere(const struct run_driver *driver, long long number, const char *lost,
                            struct error *err)
{
    if (lost != NULL)
        return error_set(err, ERROR_USAGE, "run %lld is driven from %s, not from %s", number, driver->host,
                         lost);
    return error_set(
        err, ERROR_USAGE,
        "run %lld is driven from %s; cancel it there, or, if that machine is lost for good, with --lost "
        "%s --who NAME --why TEXT",
        number, driver->host, driver->host);
}

static int tell_controller(const struct run_driver *driver, long long number, bool now, struct error *err)
{
    cli_warn("assay: asked process %lld, which drives run %lld, to end\n", driver->pid, number);
    for (int signals = now ? 2 : 1; signals > 0; signals--) {
        if (kill((pid_t)driver->pid, SIGINT) < 0 && errno != ESRCH)
            return error_set(err, ERROR_USAGE, "process %lld, which drives run %lld: %s", driver->pid, number,
                             strerror(errno));
        if (signals > 1)
            sleep(PAUSE_S); /* two at once may come as one */
    }
    return 0;
}

/* RUN_INTERRUPTED: its controller is dead, and it is for us to do. lost: so somebody says of its machine; NULL. */
static int by_controller(struct store *store, long long number, bool now, const char *lost,
                         enum run_state *ret_state, struct error *err)
{
    struct arena *arena = arena_create();
    struct run_driver driver;
    int result = store_run_driver(store, arena, number, &driver, err);

    *ret_state = driver.state;
    if (result == 0 && driver.state == RUN_RUNNING && driver.pid == 0) {
        if (lost == NULL || strcmp(lost, driver.host) != 0)
            result = refuse_elsewhere(&driver, number, lost, err);
        *ret_state = RUN_INTERRUPTED;
    } else if (result == 0 && lost != NULL && driver.state != RUN_ENDED && driver.state != RUN_CANCELLED) {
        result = error_set(err, ERROR_USAGE, "run %lld is driven from this machine: cancel it without --lost",
                           number);
    } else if (result == 0 && driver.state == RUN_RUNNING) {
        result = tell_controller(&driver, number, now, err);
    }
    arena_destroy(arena);
    if (result == 0 && *ret_state == RUN_RUNNING)
        result = await_end(store, number, ret_state, err);
    return result;
}

/* Then nothing is left to cancel, and that is said. */
static bool had_ended(struct store *store, const char *db, long long number, struct error *err)
{
    cleanup_arena struct arena *arena = arena_create();
    enum run_state state;
    const struct record *record;
    const char *kept;

    if (state_of(store, number, &state, err) < 0 || (state != RUN_ENDED && state != RUN_CANCELLED))
        return false;
    record = store_load_question(store, arena, number, err);
    if (record == NULL)
        return false;
    kept = exclusive_release(record, NULL); /* jobs that could not be given back when it ended */
    if (kept != NULL)
        cli_warn("assay: %s\n", kept);
    cli_print("run %lld %s at %s UTC; nothing is left to cancel, `assay show %lld%s` shows what it found\n",
              number, state == RUN_ENDED ? "had ended" : "was cancelled",
              utc_text(arena, record->ended, "%Y-%m-%d %H:%M:%S"), number, cli_database_words(arena, db));
    return true;
}

/* With --now the controller stops at once: what it left on the hosts ends at its deadline there, or is ended next time. */
static int cancel(struct run_options *options, bool now, struct error *err)
{
    struct store *store = cli_stored(options->db, err);
    long long number = cli_find_run(store, options->begin.resume, err);
    enum run_state state = RUN_ENDED;
    bool over = number > 0 && had_ended(store, options->db, number, err);
    int status = EXIT_ACCEPT,
        result = over         ? 0
                 : number > 0 ? by_controller(store, number, now, options->begin.lost, &state, err)
                              : -1;

    if (result == 0 && !over && state != RUN_INTERRUPTED)
        result = cli_print_verdict(store, number, &status, err);
    store_close(store);
    if (result < 0)
        return cli_fail(err);
    if (state != RUN_INTERRUPTED)
        return EXIT_ACCEPT;
    status = run_with(options, 0, NULL);
    return status == EXIT_CANCELLED ? EXIT_ACCEPT : status;
}

static bool is_half_said(const struct begin_options *begin)
{
    const char *const said[] = {begin->lost, begin->who, begin->why};
    size_t count = 0;

    for (size_t i = 0; i < ARRAY_SIZE(said); i++)
        count += said[i] != NULL && *said[i] != '\0';
    return count != ARRAY_SIZE(said) && (begin->lost != NULL || count > 0);
}

int command_cancel(int argc, char **argv)
{
    struct run_options options = {.progress = "plain", .begin.cancel = true, .begin.notes = CLI_NOTES};
    bool now = false;
    const struct option_row rows[] = {
        {"now", 0, OPTION_FLAG, NULL, &now, "as Ctrl-C twice: does not wait until what runs is proven gone"},
        {"lost", 0, OPTION_STRING, "CONTROLLER", &options.begin.lost,
         "the machine that drives the run is lost for good: this one ends it; kept with the run, with --who and --why"},
        {"who", 0, OPTION_STRING, "NAME", &options.begin.who, "who says that it is lost"},
        {"why", 0, OPTION_STRING, "TEXT", &options.begin.why, "how it was lost"},
        {"report", 'o', OPTION_STRING, "FILE", &options.report,
         "file of the HTML report, if this process ends the run"},
        CLI_DB_ROW(&options.db),
        ACCESS_OPTIONS(&options.access),
        OPTION_END,
    };
    struct error err = {0};
    int first, status;

    if (!cli_options(rows, "cancel RUN", argc, argv, &first, &status))
        return status;
    if (first + 1 != argc) {
        error_set(&err, ERROR_USAGE, "cancel: name one run; `assay list` shows those that are running");
        return cli_fail(&err);
    }
    if (is_half_said(&options.begin)) {
        error_set(&err, ERROR_USAGE, "cancel: --lost, --who and --why go together");
        return cli_fail(&err);
    }
    options.begin.resume = argv[first];
    return cancel(&options, now, &err);
}
