/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines: which there are, what they say and from where, what is wrong with one, and one made from accepted runs. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/app/sources.h"
#include "assay/base/files.h"
#include "assay/judge/derive.h"
#include "assay/model/suite.h"
#include "assay/report/report.h"
#include "cli.h"

enum { BASELINE_BYTES = 16 * 1024 * 1024 };

/* -- derive ----------------------------------------------------------------------------------------------------- */

struct derive_options {
    const char *platform, *base, *name, *output, *db;
};

struct derive_sources {
    LIST_OF(const struct record *) records;
    const struct platform *platform;
    const struct baseline *base;
};

static int check_run(const struct record *record, struct error *err)
{
    const struct judgement *judgement = &record->judgement;

    if (record->state == RUN_RUNNING)
        return error_set(err, ERROR_USAGE, "run %lld is still going on", record->number);
    if (!cli_is_judged(record, err))
        return -1;
    if (judgement->verdicts[0].word == VERDICT_ACCEPT)
        return 0;
    return error_set(
        err, ERROR_USAGE,
        "run %lld did not pass (%s), and only runs that passed show healthy values; `assay show %lld` says "
        "the reason: fix it and run again, or run the healthy hosts alone (--hosts)",
        record->number, standing_verdict(&record->standing, judgement->verdicts[0].word), record->number);
}

static bool same_bytes(struct slice a, struct slice b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* The platform that is asked for, or the only one that there is. */
static int pick_platform(struct arena *arena, const struct record *record, const struct plan_sources *sources,
                         const char *wanted, struct derive_sources *ret_sources, struct error *err)
{
    const struct platform *found = NULL;
    const char *names = "";

    for (size_t i = 0; i < sources->platforms.count; i++) {
        const struct platform *one = sources->platforms.items[i];

        names = arena_printf(arena, "%s%s%s", names, i > 0 ? ", " : "", one->name);
        if (wanted != NULL ? strcmp(one->name, wanted) == 0 : sources->platforms.count == 1)
            found = one;
    }
    if (found == NULL)
        return error_set(err, ERROR_USAGE,
                         "run %lld has hosts of %s; --platform says which of them it is for", record->number,
                         names);
    if (ret_sources->platform == NULL)
        ret_sources->platform = found;
    if (!same_bytes(ret_sources->platform->bytes, found->bytes))
        return error_set(
            err, ERROR_USAGE,
            "run %lld has platform %s, which is not what run %lld has as %s; derive from each by "
            "itself",
            record->number, found->name, ret_sources->records.items[0]->number, ret_sources->platform->name);
    if (ret_sources->base != NULL && !baseline_is_for(ret_sources->base, found))
        return error_set(err, ERROR_USAGE, "baseline %s is not for platform %s", ret_sources->base->name,
                         found->name);
    for (size_t i = 0; ret_sources->base == NULL && i < sources->limits.baselines.count; i++)
        if (strcmp(sources->limits.baselines.items[i].platform->name, found->name) == 0)
            ret_sources->base = sources->limits.baselines.items[i].baseline;
    return 0;
}

static int take_run(struct arena *arena, struct store *store, const char *word,
                    const struct derive_options *options, struct derive_sources *sources, struct error *err)
{
    const struct record *record = cli_load_lean(store, arena, word, sighting_rests_on, err);
    struct plan_sources of_run;

    if (record == NULL || check_run(record, err) < 0)
        return -1;
    for (size_t i = 0; i < sources->records.count; i++)
        if (strcmp(sources->records.items[i]->uuid, record->uuid) == 0)
            return error_set(err, ERROR_USAGE, "run %lld is given twice", record->number);
    *list_push(arena, &sources->records) = record;
    if (sources_of_record(arena, record, NULL, &of_run, err) < 0)
        return -1;
    return pick_platform(arena, record, &of_run, options->platform, sources, err);
}

/* What became of each figure, for people. Returns how many are limits. */
static size_t tell(struct arena *arena, const struct derivation *derivation)
{
    size_t derived = 0;

    list_each (figure, derivation->figures) {
        derived += figure->refused == NULL;
        cli_warn("%s %s: %s\n", figure->refused == NULL ? "derived" : "refused", derived_name(arena, figure),
                 figure->refused == NULL ? derived_text(arena, figure) : figure->refused);
    }
    if (derivation->remarked > 0)
        cli_warn("left out: %zu value%s of what had a remark\n", derivation->remarked,
                 derivation->remarked == 1 ? "" : "s");
    return derived;
}

static int write_derived(struct arena *arena, const struct derive_options *options,
                         const struct derive_sources *sources, struct error *err)
{
    const char *name =
        options->name != NULL ? options->name : arena_printf(arena, "%s-derived", sources->platform->name);
    cleanup_text struct text out = {0};
    struct derivation derivation;

    judge_derive(arena, sources->records.items, sources->records.count, sources->platform, sources->base,
                 &derivation);
    if (tell(arena, &derivation) == 0) {
        cli_warn("assay: baseline derive: nothing could be derived, and nothing was written\n");
        return EXIT_INCOMPLETE;
    }
    text_init(&out, BASELINE_BYTES);
    derivation_write(arena, &derivation, sources->records.items, sources->records.count, sources->platform,
                     sources->base, name, &out);
    /* What we write ourselves must be what we read. */
    if (baseline_parse(arena, options->output, (struct slice){out.bytes, out.length}, err) == NULL)
        return cli_fail(err);
    if (file_write(options->output, out.bytes, out.length, 0644, err) < 0)
        return cli_fail(err);
    return EXIT_ACCEPT;
}

static int verb_derive(int argc, char **argv)
{
    struct derive_options options = {.output = "-"};
    const struct option_row rows[] = {
        {"platform", 0, OPTION_STRING, "NAME", &options.platform, "which platform, if the runs have several"},
        {"base", 0, OPTION_STRING, "NAME", &options.base,
         "baseline for limits that are not derived; default: that of the first run"},
        {"name", 0, OPTION_STRING, "NAME", &options.name, "name of the new one; default: PLATFORM-derived"},
        CLI_OUTPUT_ROW(&options.output),
        {"db", 0, OPTION_STRING, "FILE", &options.db,
         "database; default $ASSAY_DB or assay.db; `assay import` brings runs of others into it"},
        OPTION_END,
    };
    struct derive_sources sources = {0};
    struct error err = {0};
    cleanup_arena struct arena *arena = NULL;
    cleanup_store struct store *store = NULL;
    int first, status;
    bool good;

    if (!cli_options(rows, "baseline derive RUN...", argc, argv, &first, &status))
        return status;
    if (first == argc) {
        cli_warn("assay: baseline derive: expected accepted runs; `assay list` shows them\n");
        return EXIT_USAGE;
    }
    arena = arena_create();
    store = store_open(cli_database(options.db), true, &err);
    good = store != NULL;
    if (good && options.base != NULL) {
        sources.base = baseline_load(arena, options.base, &err);
        good = sources.base != NULL;
    }
    for (int i = first; good && i < argc; i++)
        good = take_run(arena, store, argv[i], &options, &sources, &err) == 0;
    return good ? write_derived(arena, &options, &sources, &err) : cli_fail(&err);
}

/* -- list ------------------------------------------------------------------------------------------------------- */

static void print_row(struct arena *arena, const struct baseline *baseline, const char *from)
{
    const char *platforms = "";
    size_t guesses = 0;

    for (size_t i = 0; i < baseline->platforms.count; i++)
        platforms = arena_printf(arena, "%s%s%s", platforms, i > 0 ? "," : "", baseline->platforms.items[i]);
    for (size_t i = 0; i < baseline->limits.count; i++)
        guesses += baseline->limits.items[i].status == LIMIT_GUESS;
    cli_print("%-18s  %-18s  %6zu  %7zu  %s%s%s\n", baseline->name, platforms, baseline->limits.count,
              guesses, from, *baseline->title != '\0' ? ": " : "", baseline->title);
}

/* Whether the document means to be a baseline; what does is loaded, and then its faults are told. */
static bool means_to_be_one(struct arena *arena, const char *path)
{
    const struct json *document = json_load(arena, path, NULL);

    return document != NULL && document->type == JSON_OBJECT && json_get(document, "platforms") != NULL &&
           json_get(document, "limits") != NULL;
}

static int list_folder(struct arena *arena, const char *folder, struct error *err)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    int bad = 0;

    if (count < 0)
        return error_set(err, ERROR_USAGE, "%s: cannot be read as a folder", folder);
    for (int i = 0; i < count; i++) {
        const char *path = arena_printf(arena, "%s/%s", folder, entries[i]->d_name);
        bool named = slice_ends(slice_of(path), ".json");

        free(entries[i]);
        if (bad == 0 && named && means_to_be_one(arena, path)) {
            const struct baseline *baseline = baseline_load(arena, path, err);

            if (baseline != NULL)
                print_row(arena, baseline, path);
            else
                bad = -1;
        }
    }
    free(entries);
    return bad;
}

static int verb_list(int argc, char **argv)
{
    static const char *const here[] = {"."};
    const struct option_row rows[] = {OPTION_END};
    struct error err = {0};
    cleanup_arena struct arena *arena = NULL;
    int first, status;

    if (!cli_options(rows,
                     "baseline list [FOLDER]...        (default: built-in ones and those of the folder .)",
                     argc, argv, &first, &status))
        return status;
    arena = arena_create();
    cli_print("%-18s  %-18s  %6s  %7s  %s\n", "name", "platforms", "limits", "guesses", "where");
    builtin_each (row, "baselines") {
        const struct baseline *baseline = baseline_load(arena, row->name, &err);

        if (baseline == NULL)
            return cli_fail(&err);
        print_row(arena, baseline, "built in");
    }
    for (int i = 0; i < (first < argc ? argc - first : 1); i++)
        if (list_folder(arena, first < argc ? argv[first + i] : here[0], &err) < 0)
            return cli_fail(&err);
    return EXIT_ACCEPT;
}

/* -- show ------------------------------------------------------------------------------------------------------- */

/* " of 2 racks with at least 9 hosts each" */
static const char *racks_text(struct arena *arena, const struct limit *limit)
{
    const char *text = "";

    if (limit->racks_max > 0)
        text = arena_printf(arena, " of %s%u rack%s",
                            limit->racks_min < limit->racks_max && limit->racks_max > 1 ? "up to " : "",
                            limit->racks_max, limit->racks_max == 1 ? "" : "s");
    else if (limit->racks_min > 1)
        text = arena_printf(arena, " of %u racks and more", limit->racks_min);
    if (limit->rack_hosts_min > 1)
        text = arena_printf(arena, "%s, at least %u hosts in each rack", text, limit->rack_hosts_min);
    return text;
}

/* "nccl.all_reduce.busbw, 1 host, from 8G" */
static const char *subject_text(struct arena *arena, const struct limit *limit)
{
    const char *text = limit->metric;

    if (limit->subject != NULL)
        text = arena_printf(arena, "%s of %s", text, limit->subject);
    if (limit->scope != NULL)
        text = arena_printf(arena, "%s, scope %s", text, limit->scope);
    if (limit->hosts_max > 0 && (limit->hosts_min >= limit->hosts_max || limit->hosts_max == 1))
        text = arena_printf(arena, "%s, %u host%s", text, limit->hosts_max, limit->hosts_max == 1 ? "" : "s");
    else if (limit->hosts_min > 0)
        text = arena_printf(arena, "%s, from %u hosts", text, limit->hosts_min);
    if (limit->hosts_max > 1 && limit->hosts_min < limit->hosts_max)
        text = arena_printf(arena, "%s%s %u host%s", text, limit->hosts_min > 0 ? " to" : ", up to",
                            limit->hosts_max, limit->hosts_max == 1 ? "" : "s");
    text = arena_printf(arena, "%s%s", text, racks_text(arena, limit));
    if (limit->size_min > 0 && limit->size_min >= limit->size_max && limit->size_max > 0)
        return arena_printf(arena, "%s, at %s", text, size_text(arena, limit->size_min));
    if (limit->size_min > 0)
        text = arena_printf(arena, "%s, from %s", text, size_text(arena, limit->size_min));
    if (limit->size_max > 0)
        text = arena_printf(arena, "%s, up to %s", text, size_text(arena, limit->size_max));
    return text;
}

static int verb_show(int argc, char **argv)
{
    const struct option_row rows[] = {OPTION_END};
    const struct baseline *baseline;
    struct error err = {0};
    cleanup_arena struct arena *arena = NULL;
    int first, status;

    if (!cli_options(rows, "baseline show NAME|FILE", argc, argv, &first, &status))
        return status;
    if (first + 1 != argc) {
        cli_warn("assay: baseline show: expected one NAME or FILE; `assay baseline list` shows them\n");
        return EXIT_USAGE;
    }
    arena = arena_create();
    baseline = baseline_load(arena, argv[first], &err);
    if (baseline == NULL) {
        status = cli_fail(&err);
        return status;
    }
    cli_print("%s: %s\n", baseline->name, baseline->title);
    for (size_t i = 0; i < baseline->platforms.count; i++)
        cli_print("platform: %s\n", baseline->platforms.items[i]);
    if (*json_string(baseline->document, "note", "") != '\0')
        cli_print("note: %s\n", json_string(baseline->document, "note", ""));
    json_each (run, json_get(baseline->document, "derived_from"))
        cli_print("from: run %s of %s, suite %s, accepted by judgement %s against %s\n",
                  json_string(run, "run", ""), json_string(run, "started", ""), json_string(run, "suite", ""),
                  json_string(run, "judgement", ""), json_string(run, "judged_against", ""));
    list_each (limit, baseline->limits) {
        cli_print("\n%s: %s [%s]\n    source: %s\n", subject_text(arena, limit),
                  reason_english(arena, limit_text(arena, limit)), limit_status_name(limit->status),
                  limit->source);
        if (limit->note != NULL)
            cli_print("    note: %s\n", reason_english(arena, limit->note));
    }
    return EXIT_ACCEPT;
}

/* -- check ------------------------------------------------------------------------------------------------------ */

/* Platforms by name among those that are given and those that are built in. */
static int find_platforms(struct arena *arena, const struct baseline *baseline,
                          const struct option_list *given, const struct platform **ret_platforms,
                          size_t *ret_count, struct error *err)
{
    *ret_count = 0;
    for (size_t i = 0; i < baseline->platforms.count; i++) {
        const char *name = baseline->platforms.items[i];
        const struct platform *found = NULL;

        for (size_t k = 0; found == NULL && k < given->count; k++) {
            const struct platform *one = platform_load(arena, given->items[k], err);

            if (one == NULL)
                return -1;
            found = strcmp(one->name, name) == 0 ? one : NULL;
        }
        if (found == NULL && builtin_find("platforms", name) != NULL)
            found = platform_load(arena, name, err);
        if (found != NULL)
            ret_platforms[(*ret_count)++] = found;
        else
            cli_print(
                "remark: platform %s is not known: no figure was compared with its links; give its file by "
                "--platform\n",
                name);
    }
    return 0;
}

static int check_one(struct arena *arena, const char *name, const struct option_list *given,
                     struct error *err)
{
    const struct baseline *baseline = baseline_load(arena, name, err);
    const struct platform **platforms;
    struct baseline_flaws flaws;
    size_t count, errors = 0;

    if (baseline == NULL)
        return cli_fail(err);
    platforms = arena_array(arena, const struct platform *, baseline->platforms.count);
    if (find_platforms(arena, baseline, given, platforms, &count, err) < 0)
        return cli_fail(err);
    judge_baseline(arena, baseline, platforms, count, &flaws);
    list_each (flaw, flaws.items) {
        cli_print("%s:%u:%u: %s%s\n", flaw->at->file, flaw->at->line, flaw->at->column,
                  flaw->remark ? "remark: " : "", flaw->text);
        errors += !flaw->remark;
    }
    cli_print("%s: %zu limit%s, %zu error%s, %zu remark%s\n", baseline->name, baseline->limits.count,
              baseline->limits.count == 1 ? "" : "s", errors, errors == 1 ? "" : "s",
              flaws.items.count - errors, flaws.items.count - errors == 1 ? "" : "s");
    return errors > 0 ? EXIT_REJECT : EXIT_ACCEPT;
}

static int verb_check(int argc, char **argv)
{
    struct option_list given = {0};
    const struct option_row rows[] = {
        {"platform", 0, OPTION_LIST, "NAME", &given,
         "platform file or built-in name that figures are compared with; default: the built-in ones it names"},
        OPTION_END,
    };
    struct error err = {0};
    struct arena *arena;
    int first, status;

    if (!cli_options(rows, "baseline check FILE|NAME", argc, argv, &first, &status)) {
        free(given.items);
        return status;
    }
    if (first + 1 != argc) {
        cli_warn("assay: baseline check: expected one FILE or NAME\n");
        free(given.items);
        return EXIT_USAGE;
    }
    arena = arena_create();
    status = check_one(arena, argv[first], &given, &err);
    arena_destroy(arena);
    free(given.items);
    return status;
}

/* -- which of them ---------------------------------------------------------------------------------------------- */

static const struct cli_verb verbs[] = {
    {"list", "[FOLDER]...", "the baselines that are built in, and those in folders", verb_list},
    {"show", "NAME|FILE", "every figure with its source", verb_show},
    {"derive", "RUN...",
     "makes one from accepted runs: floors below what they measured, with median, MAD and n", verb_derive},
    {"check", "FILE|NAME", "errors in one: form, units, more than the links carry, figures without a source",
     verb_check},
};

static int help(FILE *out)
{
    fprintf(out, "usage: assay baseline VERB\n\n");
    for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
        fprintf(out, "  %-6s %-12s  %s\n", verbs[i].name, verbs[i].operands, verbs[i].summary);
    fprintf(out,
            "\nA derived floor is median less k x 1.4826 x MAD, k so that with 95%% confidence no more than "
            "one of\n"
            "1,000 healthy items lies below it, and never above the worst accepted value. It takes %d "
            "independent\n"
            "items on %d hosts. Exit status: 0, 1 where `check` found an error, 2 where nothing could be "
            "derived,\n"
            "64 for a file that cannot be read as a baseline, or a run that was not accepted.\n",
            DERIVE_LEAST, DERIVE_LEAST_HOSTS);
    return out == stdout ? EXIT_ACCEPT : EXIT_USAGE;
}

int command_baseline(int argc, char **argv)
{
    return cli_verbs("baseline", verbs, ARRAY_SIZE(verbs), help, argc, argv);
}
