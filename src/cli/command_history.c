/* SPDX-License-Identifier: Apache-2.0 */
/* Who gets worse from run to run, and the numbers of one thing over all of them. Touches no host. */
#include <stdio.h>
#include <string.h>

#include "assay/files.h"
#include "assay/judge.h"
#include "assay/report.h"
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

int cli_add_history(struct store *store, struct arena *arena, struct history *history,
                    const struct record *record, struct error *err)
{
    struct item_sightings seen;

    history_add(arena, history, record);
    if (store_run_items(store, arena, record->number, &seen, err) < 0)
        return -1;
    /* Of a chassis the name of the host is what people know it by, and what runs without its serial number have. */
    for (size_t i = 0; i < seen.items.count; i++)
        if (seen.items.items[i].kind == ITEM_GPU || seen.items.items[i].kind == ITEM_HCA)
            history_add_sighting(arena, history, seen.items.items[i].host, seen.items.items[i].position,
                                 seen.items.items[i].identity);
    return 0;
}

/* What another party says of the hardware is no history of ours. */
static bool counts(const struct run_summary *run, bool imported)
{
    return run->judged && (imported || !run->imported);
}

/* The newest runs that were judged, oldest first. */
static int collect(struct store *store, struct arena *arena, const struct history_options *options,
                   struct history *history, struct error *err)
{
    struct run_summary *runs;
    size_t count, first = 0, judged = 0;

    if (store_list_runs(store, arena, 0, &runs, &count, err) < 0)
        return -1;
    while (first < count && (options->last == 0 || judged < options->last))
        judged += counts(&runs[first++], options->imported);
    while (first-- > 0) {
        struct record *record;

        if (!counts(&runs[first], options->imported))
            continue;
        record = store_load_judged(store, arena, runs[first].number, err);
        if (record == NULL)
            return -1;
        if (cli_add_history(store, arena, history, record, err) < 0)
            return -1;
    }
    return 0;
}

static bool is_known(const struct history_findings *findings, const struct history_choice *choice)
{
    for (size_t i = 0; i < findings->series.count; i++)
        if (history_chosen(findings, choice, i))
            return true;
    return choice->name == NULL && choice->metric == NULL;
}

static int unknown(const struct history_findings *findings, const struct history_choice *choice,
                   struct error *err)
{
    const struct history_subject *known = findings->subjects.count > 0 ? findings->subjects.items : NULL;

    error_set(err, ERROR_USAGE, "no judged run has a rate%s%s%s%s%s%s%s%s%s",
              choice->metric != NULL ? " called " : "", choice->metric != NULL ? choice->metric : "",
              choice->name != NULL ? " of '" : "", choice->name != NULL ? choice->name : "",
              choice->name != NULL ? "'" : "", known != NULL ? "; expected an identity or a place, as " : "",
              known != NULL ? known->name : "", known != NULL ? " or " : "",
              known != NULL ? known->place : "");
    return cli_fail(err);
}

static int show(struct arena *arena, const struct history_options *options, size_t form, struct error *err)
{
    struct store *store = store_open(cli_database(options->db), true, err);
    struct history history = {0};
    struct history_findings findings;
    cleanup_text struct text out = {0};
    int status = EXIT_ACCEPT, got = store != NULL ? collect(store, arena, options, &history, err) : -1;

    store_close(store);
    if (got < 0)
        return cli_fail(err);
    judge_history(arena, &history, &findings);
    if (!is_known(&findings, &options->choice))
        return unknown(&findings, &options->choice, err);
    text_init(&out, HISTORY_BYTES);
    forms[form].write(arena, &history, &findings, &options->choice, &out);
    if (file_write(options->output, out.bytes, out.length, 0644, err) < 0)
        return cli_fail(err);
    for (size_t i = 0; i < findings.findings.count; i++)
        if (history_subject_chosen(&findings, &options->choice, findings.findings.items[i].subject))
            status = EXIT_REJECT;
    return status;
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
        {"output", 'o', OPTION_STRING, "FILE", &options.output, "where it goes; default: standard output"},
        {"db", 0, OPTION_STRING, "FILE", &options.db, "database; default $ASSAY_DB or assay.db"},
        OPTION_END,
    };
    struct error err = {0};
    struct arena *arena;
    size_t form = 0;
    int first, status;

    if (!cli_options(rows, "history [HOST|IDENTITY]        (default: all that gets worse)", argc, argv,
                     &first, &status))
        return status;
    while (form < sizeof forms / sizeof *forms && strcmp(forms[form].name, options.format) != 0)
        form++;
    if (form == sizeof forms / sizeof *forms || first + 1 < argc) {
        if (first + 1 < argc)
            cli_warn("assay: history: unexpected word '%s'\n", argv[first + 1]);
        else
            cli_warn("assay: history: unknown format '%s'; expected text, json or svg\n", options.format);
        return EXIT_USAGE;
    }
    options.choice.name = first < argc ? argv[first] : NULL;
    arena = arena_create();
    status = show(arena, &options, form, &err);
    arena_destroy(arena);
    return status;
}
