/* SPDX-License-Identifier: Apache-2.0 */
/* Who gets worse from run to run, and the numbers of one thing over all of them. Touches no host. */
#include <stdio.h>
#include <string.h>

#include "assay/app/histories.h"
#include "assay/base/files.h"
#include "assay/base/nearest.h"
#include "assay/judge/judge.h"
#include "assay/report/report.h"
#include "cli.h"

enum { HISTORY_BYTES = 1024 * 1024 * 1024 };

struct history_options {
    const char *db, *format, *output;
    struct history_choice choice;
    unsigned last;
    bool imported;
};

static const struct {
    const char *name;
    void (*write)(struct arena *, const struct history *, const struct history_findings *,
                  const struct history_choice *, struct text *);
} forms[] = {{"text", report_history_text}, {"json", report_history_json}, {"svg", report_history_svg}};

static bool is_known(const struct history_findings *findings, const struct history_choice *choice)
{
    for (size_t i = 0; i < findings->series.count; i++)
        if (history_chosen(findings, choice, i))
            return true;
    for (size_t i = 0; i < findings->growths.count && choice->name != NULL && choice->metric == NULL; i++)
        if (strcmp(findings->growths.items[i].target, choice->name) == 0)
            return true;
    return choice->name == NULL && choice->metric == NULL;
}

/* A part, whose identity and host a person may know; where there is none, a host before several. */
static const struct history_subject *find_example(const struct history_findings *findings)
{
    const struct history_subject *one = findings->subjects.items;

    list_each (subject, findings->subjects) {
        if (strcmp(subject->name, subject->place) != 0)
            return subject;
        if (strstr(one->place, ": ") != NULL)
            one = subject;
    }
    return one;
}

/* "; expected a host, a place or an identity, as node5, node5 gpu3, GPU-1c2d..." */
static const char *expected_name(struct arena *arena, const struct history_findings *findings)
{
    const struct history_subject *known = find_example(findings);
    const char *examples = "", *of_several = strstr(known->place, ": ");

    if (of_several == NULL)
        examples = arena_add_word_once(arena, examples,
                                       arena_strndup(arena, known->place, strcspn(known->place, " ")));
    examples = arena_add_word_once(arena, examples, known->place);
    return arena_printf(arena, "; expected a host, a place or an identity, as %s",
                        arena_add_word_once(arena, examples, known->name));
}

/* Of all, or where one is named, of that one. */
static const char *expected_metric(struct arena *arena, const struct history_findings *findings,
                                   const struct history_choice *choice)
{
    LIST_OF(const char *) names = {0};
    struct did_you_mean meant;

    list_each (series, findings->series)
        if (history_subject_chosen(findings, choice, series->subject))
            *list_push(arena, &names) = series->metric;
    if (names.count == 0)
        return "";
    meant = did_you_mean(choice->metric, names.items, names.count);
    return *meant.text != '\0' ? arena_strdup(arena, meant.text)
                               : arena_printf(arena, "; expected one such as %s", names.items[0]);
}

static bool is_anybody(const struct history_findings *findings, const struct history_choice *choice)
{
    for (size_t i = 0; i < findings->subjects.count; i++)
        if (history_subject_chosen(findings, choice, i))
            return true;
    return false;
}

static int unknown(struct arena *arena, const struct history_findings *findings,
                   const struct history_choice *choice, struct error *err)
{
    const char *expected = "";

    if (!is_anybody(findings, choice))
        expected = findings->subjects.count > 0 ? expected_name(arena, findings) : "";
    else if (choice->metric != NULL)
        expected = expected_metric(arena, findings, choice);
    error_set(err, ERROR_USAGE, "no judged run has a rate%s%s%s%s%s%s",
              choice->metric != NULL ? " called " : "", choice->metric != NULL ? choice->metric : "",
              choice->name != NULL ? " of '" : "", choice->name != NULL ? choice->name : "",
              choice->name != NULL ? "'" : "", expected);
    return cli_fail(err);
}

/* Nobody must take what was not looked at for well. */
static void tell_left_out(const struct history *history)
{
    if (history->left_out > 0)
        cli_warn("assay: history: without %zu judged run%s of other parties; --imported takes them in\n",
                 history->left_out, history->left_out == 1 ? "" : "s");
}

static void tell_gaps(const struct history *history)
{
    for (size_t i = 0; i < history->gaps.count; i++)
        cli_warn("assay: history: without run %lld: %s\n", history->gaps.items[i].run,
                 history->gaps.items[i].why);
}

static int show(struct arena *arena, const struct history_options *options, size_t form, struct error *err)
{
    struct store *store = store_open(cli_database(options->db), true, err);
    struct history history = {0};
    struct history_findings findings;
    cleanup_text struct text out = {0};
    bool known;
    int status = EXIT_ACCEPT,
        got = store != NULL ? histories_collect(store, arena, options->last, options->imported, &history, err)
                            : -1;

    store_close(store);
    if (got < 0)
        return cli_fail(err);
    judge_history(arena, &history, &findings);
    tell_gaps(&history);
    known = is_known(&findings, &options->choice);
    if (!known || findings.series.count == 0)
        tell_left_out(&history);
    if (!known)
        return unknown(arena, &findings, &options->choice, err);
    text_init(&out, HISTORY_BYTES);
    forms[form].write(arena, &history, &findings, &options->choice, &out);
    if (file_write(options->output, out.bytes, out.length, 0644, err) < 0)
        return cli_fail(err);
    for (size_t i = 0; i < findings.findings.count; i++)
        if (history_subject_chosen(&findings, &options->choice, findings.findings.items[i].subject))
            status = EXIT_REJECT;
    /* What cannot be read may be what got worse. */
    return status == EXIT_ACCEPT && history.gaps.count > 0 ? EXIT_INCOMPLETE : status;
}

int command_history(int argc, char **argv)
{
    struct history_options options = {.format = "text", .output = "-"};
    const struct option_row rows[] = {
        {"metric", 0, OPTION_STRING, "NAME", &options.choice.metric, "only this one: gpu_burn.gflops"},
        {"last", 'n', OPTION_COUNT, "N", &options.last, "only the newest N runs"},
        {"imported", 0, OPTION_FLAG, NULL, &options.imported,
         "with the runs of other parties that were imported"},
        {"format", 'f', OPTION_STRING, "NAME", &options.format, "text, json or svg (a plot)"},
        CLI_OUTPUT_ROW(&options.output),
        CLI_DB_ROW(&options.db),
        OPTION_END,
    };
    struct error err = {0};
    cleanup_arena struct arena *arena = NULL;
    size_t form = 0;
    int first, status;

    if (!cli_options(rows, "history [HOST|IDENTITY]        (default: all that gets worse)", argc, argv,
                     &first, &status))
        return status;
    while (form < ARRAY_SIZE(forms) && strcmp(forms[form].name, options.format) != 0)
        form++;
    if (form == ARRAY_SIZE(forms) || first + 1 < argc) {
        if (first + 1 < argc)
            cli_unexpected("history", argv[first + 1]);
        else
            cli_unknown_format("history", options.format, "text, json or svg");
        return EXIT_USAGE;
    }
    options.choice.name = first < argc ? argv[first] : NULL;
    arena = arena_create();
    return show(arena, &options, form, &err);
}
