/* SPDX-License-Identifier: Apache-2.0 */
/* `assay alert`: what a stored run says against its hosts, to those who asked for it. Touches no host. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>

#include "assay/alert/alert.h"
#include "assay/app/alert_news.h"
#include "assay/app/earlier.h"
#include "assay/base/cleanup.h"
#include "assay/base/clock.h"
#include "assay/base/files.h"
#include "cli.h"

struct request {
    const char *db, *to, *state, *when, *run; /* run NULL: only what is due of what stands */
    double now;
    bool trial;
    struct arena *arena;
    const struct alert_config *config;
};

static int take_run(const struct request *request, struct alerts *alerts, struct error *err)
{
    struct store *store = store_open(cli_database(request->db), true, err);
    struct record *record = cli_load_lean(store, request->arena, request->run, sighting_rests_on, err);
    struct alert_news news;
    int result = -1;

    if (record != NULL && record->state == RUN_RUNNING)
        error_set(err, ERROR_USAGE, "run %lld is still going on", record->number);
    else if (record != NULL && earlier_attach(store, request->arena, record, NULL, err) == 0 &&
             alert_news_of(request->arena, record, request->config, &news, err) == 0)
        result = alerts_take(alerts, &news, request->now, err);
    store_close(store);
    return result;
}

static const char *counts_text(struct arena *arena, const struct alert_rows *rows)
{
    static const char *const words[] = {"", "new", "worse", "repeated", "over"};
    size_t counts[5] = {0};
    const char *text = "";

    for (size_t i = 0; i < rows->items.count; i++)
        counts[rows->items.items[i].due]++;
    for (size_t i = ALERT_NEW; i <= ALERT_OVER; i++)
        if (counts[i] > 0)
            text = arena_printf(arena, "%s%s%zu %s", text, *text != '\0' ? ", " : "", counts[i], words[i]);
    return text;
}

static int complain(const struct alert_receiver *receiver, const struct error *err)
{
    cli_warn("assay: alert: %s did not get the message: %s; it is tried again the next time\n",
             receiver->name, err->text);
    return EXIT_INCOMPLETE;
}

/* What was delivered is kept before the next receiver is told, so that no end of the program forgets it. */
static int tell(const struct request *request, struct alerts *alerts, const struct alert_receiver *receiver,
                struct error *err)
{
    struct alert_rows rows;
    struct error refusal = {0};

    alerts_due(request->arena, alerts, receiver, request->now, &rows);
    if (rows.items.count == 0) {
        cli_print("%s: nothing is due\n", receiver->name);
        return EXIT_ACCEPT;
    }
    if (alert_send(request->arena, receiver, alert_body(request->arena, receiver->kind, &rows, request->now),
                   &refusal) < 0)
        return complain(receiver, &refusal);
    cli_print("%s: sent %s\n", receiver->name, counts_text(request->arena, &rows));
    for (size_t i = 0; i < rows.items.count; i++)
        alert_delivered(alerts, rows.items.items[i].alert, receiver, rows.items.items[i].due, request->now);
    return alerts_save(alerts, request->state, err) < 0 ? cli_fail(err) : EXIT_ACCEPT;
}

static int try_ways(const struct request *request)
{
    int status = EXIT_ACCEPT;

    list_each (receiver, request->config->receivers) {
        struct error refusal = {0};

        if (alert_send(request->arena, receiver, alert_trial(request->arena, receiver->kind, request->now),
                       &refusal) < 0)
            status = complain(receiver, &refusal);
        else
            cli_print("%s: took a message\n", receiver->name);
    }
    return status;
}

static int tell_all(const struct request *request, struct alerts *alerts, struct error *err)
{
    int status = EXIT_ACCEPT;

    if (request->run != NULL && take_run(request, alerts, err) < 0)
        return cli_fail(err);
    if (request->config->no_run_after > 0)
        alerts_watch(alerts, request->config->no_run_after, request->now);
    if (alerts_save(alerts, request->state, err) < 0)
        return cli_fail(err);
    for (size_t i = 0; i < request->config->receivers.count; i++) {
        int one = tell(request, alerts, &request->config->receivers.items[i], err);

        if (one != EXIT_ACCEPT && one != EXIT_INCOMPLETE)
            return one;
        status = one != EXIT_ACCEPT ? one : status;
    }
    alerts_tidy(alerts, request->config);
    return alerts_save(alerts, request->state, err) < 0 ? cli_fail(err) : status;
}

/* One at a time: two would tell everything twice. */
static int lock_state(const struct request *request, struct error *err)
{
    const char *path = arena_printf(request->arena, "%s.lock", request->state);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0 || flock(fd, LOCK_EX) < 0)
        return error_set(err, ERROR_USAGE, "cannot lock %s: %s", path, strerror(errno));
    return fd;
}

static int work(struct request *request)
{
    struct error err = {0};
    struct alerts alerts;
    cleanup_fd int lock = -1;
    bool day;

    request->now = clock_now();
    if (request->when != NULL && cli_time(request->when, &request->now, &day, &err) < 0)
        return cli_fail(&err);
    request->config = alert_config_load(request->arena, request->to, &err);
    if (request->config == NULL)
        return cli_fail(&err);
    if (request->trial)
        return try_ways(request);
    if (request->state == NULL)
        request->state = arena_printf(request->arena, "%s.alerts", cli_database(request->db));
    lock = lock_state(request, &err);
    if (lock < 0 || alerts_load(request->arena, request->state, &alerts, &err) < 0)
        return cli_fail(&err);
    return tell_all(request, &alerts, &err);
}

int command_alert(int argc, char **argv)
{
    struct request request = {0};
    const struct option_row rows[] = {
        {"to", 't', OPTION_STRING, "FILE", &request.to,
         "the receivers: a JSON file that only its owner can read (see the man page)"},
        CLI_DB_ROW(&request.db),
        {"state", 0, OPTION_STRING, "FILE", &request.state,
         "what was sent so far; default: the database's name followed by .alerts"},
        {"try", 0, OPTION_FLAG, NULL, &request.trial,
         "only sends each receiver a message that speaks of no host"},
        {"now", 0, OPTION_STRING, "TIME", &request.when,
         "instead of the clock, for trying intervals: 2026-03-01T12:00 (UTC)"},
        OPTION_END,
    };
    int first, status;

    if (!cli_options(rows, "alert [RUN] --to FILE        (no RUN: only what is due again)", argc, argv,
                     &first, &status))
        return status;
    if (request.to == NULL) {
        cli_warn("assay: alert: --to FILE is missing; it names the receivers\n");
        return EXIT_USAGE;
    }
    if (first + 1 < argc)
        return cli_unexpected("alert", argv[first + 1]);
    request.run = first < argc ? argv[first] : NULL;
    request.arena = arena_create();
    status = work(&request);
    arena_destroy(request.arena);
    return status;
}
