/* SPDX-License-Identifier: Apache-2.0 */
/* What is alerted of, and when it is due to whom. */
#include "assay/alert/alert.h"

#include <stdlib.h>
#include <string.h>

#include "assay/model/reading.h"

enum { MOST_PROBLEMS = 100, MOST_TEXT = 300 };

static const char SILENCE[] = "the timer";

const char *alert_severity_name(enum alert_severity severity)
{
    static const char *const names[] = {"info", "warning", "critical"};

    return names[severity];
}

static struct alert *find_alert(const struct alerts *alerts, const char *suite, const char *hostfile,
                                const char *subject)
{
    for (size_t i = 0; i < alerts->items.count; i++) {
        struct alert *alert = &alerts->items.items[i];

        if (strcmp(alert->subject, subject) == 0 && strcmp(alert->suite, suite) == 0 &&
            strcmp(alert->hostfile, hostfile) == 0)
            return alert;
    }
    return NULL;
}

static bool has_problem(const struct alert_problems *problems, const char *key)
{
    for (size_t i = 0; i < problems->items.count; i++)
        if (strcmp(problems->items.items[i].key, key) == 0)
            return true;
    return false;
}

/* At most so long, and whole characters. */
static const char *bounded(struct arena *arena, const char *text)
{
    size_t length = strlen(text);

    if (length <= MOST_TEXT)
        return utf8_clean(arena, slice_of(text));
    length = MOST_TEXT;
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
        length--;
    return arena_printf(arena, "%s...", utf8_clean(arena, (struct slice){text, length}));
}

static void add_problem(struct arena *arena, struct alert_problems *problems,
                        const struct alert_problem *problem)
{
    *list_push(arena, &problems->items) = (struct alert_problem){
        problem->severity, bounded(arena, problem->key), bounded(arena, problem->text)};
}

static int worst_first(const void *a, const void *b)
{
    const struct alert_problem *left = a, *right = b;
    int order = (int)right->severity - (int)left->severity;

    return order != 0 ? order : strcmp(left->key, right->key);
}

static enum alert_severity worst(const struct alert_problems *problems)
{
    enum alert_severity severity = ALERT_INFO;

    for (size_t i = 0; i < problems->items.count; i++)
        if (problems->items.items[i].severity > severity)
            severity = problems->items.items[i].severity;
    return severity;
}

static void end_alert(struct alerts *alerts, struct alert *alert, const char *note, long long run, double now)
{
    if (alert->over)
        return;
    alert->over = true;
    alert->note = arena_strdup(alerts->arena, note);
    alert->ended = now;
    alert->run = run;
}

static struct alert *begin_alert(struct alerts *alerts, struct alert *alert,
                                 const struct alert_series *series, const char *subject, double now)
{
    if (alert == NULL) {
        alert = list_push(alerts->arena, &alerts->items);
        alert->suite = series->suite;
        alert->hostfile = series->hostfile;
        alert->subject = arena_strdup(alerts->arena, subject);
    }
    /* One that was over and comes back before everybody has heard of it is told of anew. */
    alert->over = false;
    alert->since = now;
    alert->revision++;
    alert->problems = (struct alert_problems){0};
    return alert;
}

/* The problems of the run, and where it did not measure all the others that nobody has shown to be mended. */
static void take_condition(struct alerts *alerts, const struct alert_series *series,
                           const struct alert_condition *condition, double now)
{
    struct alert *alert = find_alert(alerts, series->suite, series->hostfile, condition->subject);
    bool open = alert != NULL && !alert->over, worse = false;
    struct alert_problems problems = {0};
    enum alert_severity before = open ? alert->severity : ALERT_INFO;

    if (condition->problems.items.count == 0) {
        if (open && condition->decided)
            end_alert(alerts, alert, "nothing speaks against it any more", series->run, now);
        return;
    }
    for (size_t i = 0; i < condition->problems.items.count; i++) {
        const struct alert_problem *problem = &condition->problems.items.items[i];

        add_problem(alerts->arena, &problems, problem);
        worse |= open && !has_problem(&alert->problems, problems.items.items[i].key);
    }
    for (size_t i = 0; open && !condition->decided && i < alert->problems.items.count; i++)
        if (!has_problem(&problems, alert->problems.items.items[i].key))
            *list_push(alerts->arena, &problems.items) = alert->problems.items.items[i];
    if (!open)
        alert = begin_alert(alerts, alert, series, condition->subject, now);
    qsort(problems.items.items, problems.items.count, sizeof problems.items.items[0], worst_first);
    if (problems.items.count > MOST_PROBLEMS)
        problems.items.count = MOST_PROBLEMS;
    alert->problems = problems;
    alert->severity = worst(&problems);
    alert->run = series->run;
    alert->revision += open && (worse || alert->severity > before);
}

static struct alert_series *find_series(struct alerts *alerts, const char *given_suite,
                                        const char *given_hostfile)
{
    const char *suite = bounded(alerts->arena, given_suite);
    const char *hostfile = bounded(alerts->arena, given_hostfile);
    struct alert_series *series;

    for (size_t i = 0; i < alerts->series.count; i++) {
        series = &alerts->series.items[i];
        if (strcmp(series->suite, suite) == 0 && strcmp(series->hostfile, hostfile) == 0)
            return series;
    }
    series = list_push(alerts->arena, &alerts->series);
    series->suite = suite;
    series->hostfile = hostfile;
    return series;
}

static bool speaks_of(const struct alert_news *news, const char *subject)
{
    for (size_t i = 0; i < news->conditions.count; i++)
        if (strcmp(news->conditions.items[i].subject, subject) == 0)
            return true;
    return strcmp(subject, SILENCE) == 0;
}

int alerts_take(struct alerts *alerts, const struct alert_news *news, double now, struct error *err)
{
    struct alert_series *series = find_series(alerts, news->suite, news->hostfile);

    if (news->started < series->started)
        return error_set(
            err, ERROR_USAGE,
            "run %lld started before run %lld of the same suite and hostfile, whose alerts stay in force",
            news->run, series->run);
    series->run = news->run;
    series->started = news->started;
    for (size_t i = 0; i < news->conditions.count; i++)
        take_condition(alerts, series, &news->conditions.items[i], now);
    for (size_t i = 0; news->whole && i < alerts->items.count; i++) {
        struct alert *alert = &alerts->items.items[i];

        if (strcmp(alert->suite, series->suite) == 0 && strcmp(alert->hostfile, series->hostfile) == 0 &&
            !speaks_of(news, alert->subject))
            end_alert(alerts, alert, "it is tested no more", series->run, now);
    }
    return 0;
}

void alerts_watch(struct alerts *alerts, double longest, double now)
{
    for (size_t i = 0; i < alerts->series.count; i++) {
        const struct alert_series *series = &alerts->series.items[i];
        struct alert_condition condition = {.subject = SILENCE, .decided = true};

        if (now - series->started > longest)
            *list_push(alerts->arena, &condition.problems.items) = (struct alert_problem){
                ALERT_WARNING, "no run",
                arena_printf(alerts->arena, "run %lld was the last one, and started more than %.3g h ago",
                             series->run, longest / 3600)};
        take_condition(alerts, series, &condition, now);
    }
}

static bool is_receiver(const struct alert_config *config, const char *name)
{
    for (size_t i = 0; i < config->receivers.count; i++)
        if (strcmp(config->receivers.items[i].name, name) == 0)
            return true;
    return false;
}

void alerts_tidy(struct alerts *alerts, const struct alert_config *config)
{
    size_t kept = 0;

    for (size_t i = 0; i < alerts->items.count; i++) {
        struct alert *alert = &alerts->items.items[i];
        size_t told = 0;

        for (size_t k = 0; k < alert->told.count; k++)
            if (is_receiver(config, alert->told.items[k].receiver))
                alert->told.items[told++] = alert->told.items[k];
        alert->told.count = told;
        if (!alert->over || told > 0)
            alerts->items.items[kept++] = *alert;
    }
    alerts->items.count = kept;
}

double alert_interval(unsigned messages)
{
    static const unsigned minutes[] = {5, 10, 20, 40, 80};
    size_t last = ARRAY_SIZE(minutes) - 1, i = messages > 0 ? messages - 1 : 0;

    return 60.0 * minutes[i < last ? i : last];
}

static struct alert_told *find_told(const struct alert *alert, const char *receiver)
{
    for (size_t i = 0; i < alert->told.count; i++)
        if (strcmp(alert->told.items[i].receiver, receiver) == 0)
            return &alert->told.items[i];
    return NULL;
}

enum alert_due alert_due(const struct alert *alert, const struct alert_receiver *receiver, double now)
{
    const struct alert_told *told = find_told(alert, receiver->name);

    if (alert->over || alert->severity < receiver->least)
        return told != NULL ? ALERT_OVER : ALERT_QUIET;
    if (told == NULL)
        return ALERT_NEW;
    if (told->revision != alert->revision)
        return ALERT_WORSE;
    /* Where the clock was put back nobody knows how long ago that was. */
    return now < told->at || now >= told->at + alert_interval(told->count) ? ALERT_REPEATED : ALERT_QUIET;
}

void alert_delivered(struct alerts *alerts, struct alert *alert, const struct alert_receiver *receiver,
                     enum alert_due due, double now)
{
    struct alert_told *told = find_told(alert, receiver->name);

    if (due == ALERT_OVER) {
        if (told != NULL)
            *told = alert->told.items[--alert->told.count];
        return;
    }
    if (told == NULL) {
        told = list_push(alerts->arena, &alert->told);
        told->receiver = arena_strdup(alerts->arena, receiver->name);
    }
    told->count = due == ALERT_REPEATED ? told->count + 1 : 1;
    told->revision = alert->revision;
    told->at = now;
}

static int order_of(const void *a, const void *b)
{
    const struct alert_row *left = a, *right = b;
    int order = (left->due == ALERT_OVER) - (right->due == ALERT_OVER);

    if (order == 0)
        order = (int)right->alert->severity - (int)left->alert->severity;
    return order != 0 ? order : (left->alert > right->alert) - (left->alert < right->alert);
}

void alerts_due(struct arena *arena, const struct alerts *alerts, const struct alert_receiver *receiver,
                double now, struct alert_rows *ret_rows)
{
    *ret_rows = (struct alert_rows){0};
    for (size_t i = 0; i < alerts->items.count; i++) {
        enum alert_due due = alert_due(&alerts->items.items[i], receiver, now);

        if (due != ALERT_QUIET)
            *list_push(arena, &ret_rows->items) = (struct alert_row){&alerts->items.items[i], due};
    }
    if (ret_rows->items.count > 0)
        qsort(ret_rows->items.items, ret_rows->items.count, sizeof ret_rows->items.items[0], order_of);
}
