/* SPDX-License-Identifier: Apache-2.0 */
/* `assay report` and `assay show`: a stored run as a document; and signed, with a manifest beside it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/app/proof.h"
#include "assay/app/question.h"
#include "assay/app/report_file.h"
#include "assay/base/cleanup.h"
#include "assay/base/clock.h"
#include "assay/base/files.h"
#include "assay/report/report.h"
#include "cli.h"
#include "recap.h"

/* What is signed is in memory as a whole: as JSON and CSV a host of the delivery suite takes 1.5 MB, 1,250 of them 1.9 GB. */
static const size_t signed_bytes = (size_t)4 << 30;

/* What is asked for. */
struct request {
    const char *db, *word, *format, *output, *key, *lang, *against;
    enum report_language language;
    struct hostfile_names names;
    struct option_list appendices;
    struct arena *arena;
    bool summary; /* of `show`: what a screen has room for */
};

/* What is signed is a word for today. */
static int refuse_ended_waiver(const struct request *request, const struct record *record, struct error *err)
{
    const struct waiver *ended = judgement_ended_waiver(&record->judgement, clock_now());

    if (ended == NULL)
        return 0;
    return error_set(
        err, ERROR_USAGE,
        "the verdict of run %lld rests on a waiver by %s, which ended at %s, so it is not signed; `assay "
        "judge %lld` judges the run again",
        record->number, ended->who, time_text(request->arena, ended->until), record->number);
}

static int write_signed(const struct request *request, struct store *store, const struct record *record,
                        struct error *err)
{
    const struct report_format *row = report_format_find(request->format);
    cleanup_free char *path = request->output != NULL
                                  ? mem_strdup(request->output)
                                  : report_file_name(&record->standing, record->state, record->number,
                                                     record->uuid, row->extension);
    cleanup_text struct text report = {0};
    struct manifest manifest;
    struct proof_files files;

    if (record->state == RUN_RUNNING)
        return error_set(err, ERROR_USAGE, "run %lld is still going on", record->number);
    if (refuse_ended_waiver(request, record, err) < 0)
        return -1;
    text_init(&report, signed_bytes);
    row->write(record, request->language, &report);
    if (report.clipped)
        return error_set(err, ERROR_INTERNAL, "%s: the report is larger than 4 GiB", path);
    if (store_manifest(store, request->arena, record->number, NULL, &manifest, err) < 0)
        return -1;
    proof_describe(request->arena, &manifest, record);
    if (proof_write_signed(request->arena, &manifest, path, &report, request->key, &files, err) < 0)
        return -1;
    cli_print_signed(&files);
    return 0;
}

/* What the end of `assay run` says of the hosts follows, and how one sees the rest. */
static void print_summary(const struct request *request, const struct record *record)
{
    cleanup_text struct text out = {0};

    text_init(&out, signed_bytes);
    report_summary(record, request->language, &out);
    cli_print_lines(out.bytes);
    if (record->judgement.verdict_count > 0)
        recap_print(record, request->language);
    cli_print("all of it: assay show %lld --full%s\n", record->number,
              cli_database_words(record->arena, request->db));
}

static int write_record(const struct request *request, struct store *store, const struct record *record,
                        struct error *err)
{
    if (request->summary) {
        print_summary(request, record);
        return 0;
    }
    if (request->key != NULL)
        return write_signed(request, store, record, err);
    return report_file_write(record, request->format, request->language,
                             request->output != NULL ? request->output : "-", err);
}

/* "hosts", "all": which parts of the HTML report are printed too. false: there is no such appendix. */
static bool add_appendix(const char *name, unsigned *appendices)
{
    const struct appendix_row *rows;
    size_t count = report_appendices(&rows);
    bool found = false;

    for (size_t i = 0; i < count; i++)
        if (strcmp(name, rows[i].name) == 0 || strcmp(name, "all") == 0) {
            *appendices |= rows[i].bit;
            found = true;
        }
    return found;
}

/* What this report is asked to be beside what the run was. */
static void dress(const struct request *request, struct record *record)
{
    static const struct hostfile_names none = {NULL, NULL, NULL};

    record->names = slice_of(question_names_text(request->arena, &request->names, &none));
    for (size_t i = 0; i < request->appendices.count; i++)
        add_appendix(request->appendices.items[i], &record->appendices);
}

/* Writes the run (word NULL: the last one). */
static int write_run(struct request *request)
{
    struct error err = {0};
    struct store *store = store_open(cli_database(request->db), true, &err);
    struct record *record = NULL;
    long long number = cli_find_run(store, request->word, &err);
    int result = -1;

    request->arena = arena_create();
    if (number >= 0)
        record = report_file_load(store, request->arena, number, request->format, request->against, &err);
    if (record != NULL) {
        dress(request, record);
        result = write_record(request, store, record, &err);
    }
    store_close(store);
    arena_destroy(request->arena);
    return result < 0 ? cli_fail(&err) : EXIT_ACCEPT;
}

static int bad_format(const char *format)
{
    size_t count;
    const struct report_format *list = report_format_list(&count);

    cli_warn("assay: report: unknown format '%s'; expected", format);
    for (size_t i = 0; i < count; i++)
        cli_warn("%s %s", i > 0 ? "," : "", list[i].name);
    cli_warn("\n");
    return EXIT_USAGE;
}

int command_report(int argc, char **argv)
{
    struct request request = {.format = "html"};
    const struct option_row rows[] = {
        {"format", 'f', OPTION_STRING, "NAME", &request.format, "html, text, json, csv, junit or prometheus"},
        CLI_LANG_ROW(&request.lang, ", of html and text"),
        {"output", 'o', OPTION_STRING, "FILE", &request.output,
         "output file; default: standard output. A name that ends in .zst: compressed, as `zstd -d` reads it"},
        {"sign", 0, OPTION_STRING, "KEY", &request.key,
         "with a manifest of everything it rests on, signed by this SSH key; default of -o: "
         "assay-report-RUN.html; of a run that is not an acceptance assay-trial-RUN.html, and the manifest says "
         "so"},
        {"against", 0, OPTION_STRING, "RUN", &request.against,
         "compared with this run; default: the last accepted one before it of the same hosts and suite"},
        {"appendix", 0, OPTION_LIST, "NAME", &request.appendices,
         "on paper too: hosts, evidence, hardware, commands or all; may be given several times. On a screen "
         "everything is there"},
        CLI_NAMES_ROWS(&request.names),
        CLI_DB_ROW(&request.db),
        OPTION_END,
    };
    int first, status;

    if (!cli_options(rows, "report [RUN]        (default: the last run)", argc, argv, &first, &status))
        return status;
    if (report_format_find(request.format) == NULL)
        return bad_format(request.format);
    if (!cli_language(request.lang, &request.language))
        return cli_unknown_language("report", request.lang);
    for (size_t i = 0; i < request.appendices.count; i++) {
        unsigned bits = 0;

        if (!add_appendix(request.appendices.items[i], &bits)) {
            cli_warn(
                "assay: report: unknown appendix '%s'; expected hosts, evidence, hardware, commands or all\n",
                request.appendices.items[i]);
            free(request.appendices.items);
            return EXIT_USAGE;
        }
    }
    if (first + 1 < argc)
        return cli_unexpected("report", argv[first + 1]);
    if (request.key != NULL && request.output != NULL && strcmp(request.output, "-") == 0) {
        cli_warn("assay: report: what is signed needs a file: -o FILE\n");
        return EXIT_USAGE;
    }
    if (request.key != NULL && request.output != NULL && report_file_is_packed(request.output)) {
        cli_warn(
            "assay: report: what is signed is read as it is: give -o a name that does not end in .zst\n");
        return EXIT_USAGE;
    }
    request.word = first < argc ? argv[first] : NULL;
    status = write_run(&request);
    free(request.appendices.items);
    return status;
}

int command_show(int argc, char **argv)
{
    struct request request = {.format = "text", .output = "-", .lang = "en"};
    bool full = false;
    const struct option_row rows[] = {
        {"full", 0, OPTION_FLAG, NULL, &full,
         "also each failure with its gates, what did not run, hosts by steps, coverage and documents"},
        {"lang", 'l', OPTION_STRING, "LANGUAGE", &request.lang,
         LANGUAGES_SAID "; default en, whatever the locale, since scripts read it"},
        CLI_DB_ROW(&request.db),
        OPTION_END,
    };
    int first, status;

    if (!cli_options(rows, "show [RUN]        (default: the last run)", argc, argv, &first, &status))
        return status;
    if (first + 1 < argc)
        return cli_unexpected("show", argv[first + 1]);
    if (!cli_language(request.lang, &request.language))
        return cli_unknown_language("show", request.lang);
    request.summary = !full;
    request.word = first < argc ? argv[first] : NULL;
    return write_run(&request);
}
