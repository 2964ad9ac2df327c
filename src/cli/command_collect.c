/* SPDX-License-Identifier: Apache-2.0 */
/* `assay collect`: what a vendor asks for before a part is exchanged, of one host of a run, as one archive. */
#include <string.h>

#include "access.h"
#include "assay/app/begin.h"
#include "assay/app/collection.h"
#include "assay/app/proof.h"
#include "assay/app/redaction.h"
#include "assay/app/sources.h"
#include "assay/base/clock.h"
#include "assay/base/files.h"
#include "assay/base/nearest.h"
#include "assay/report/site.h"
#include "board.h"
#include "cli.h"

static const char suite_name[] = "collect";

struct collect_options {
    const char *db, *output, *words, *progress, *language;
    bool redact, stored;
    struct access access;
};

struct collect {
    struct collect_options options;
    enum board_kind kind;
    enum report_language language; /* of the letter */
    struct arena *arena;
    struct store *store;
    struct record *record; /* the run with the finding */
    const char *host;
    struct running going; /* the one that asks the host */
    const char *folder;   /* of the redacted copies; NULL */
};

static int find_host(const struct collect *collect, struct error *err)
{
    const struct plan *plan = collect->record->plan;
    const char **names = arena_array(collect->arena, const char *, plan->hosts.count + 1);

    if (plan_find_host(plan, collect->host) != NULL)
        return 0;
    for (size_t i = 0; i < plan->hosts.count; i++)
        names[i] = plan->hosts.items[i]->name;
    return error_set(err, ERROR_USAGE, "run %lld has no host '%s'%s", collect->record->number, collect->host,
                     did_you_mean_host(collect->host, names, plan->hosts.count).text);
}

static int load(struct collect *collect, const char *word, struct error *err)
{
    collect->store = cli_stored(collect->options.db, err);
    collect->record = cli_load_lean(collect->store, collect->arena, word, report_rests_on, err);
    return collect->record != NULL ? find_host(collect, err) : -1;
}

/* ---- asking the host ---- */

/* The built-in suite; of a run whose suite, and not its hostfile, says what the hosts are, with that. */
static const struct suite *make_suite(struct collect *collect, const struct suite *of_run, struct error *err)
{
    const struct suite *suite = suite_load(collect->arena, suite_name, err);
    const char *document;

    if (suite == NULL || of_run->platform == NULL)
        return suite;
    document = arena_printf(collect->arena, "{\"platform\": \"%s\",%.*s", of_run->platform,
                            (int)suite->bytes.length - 1, suite->bytes.bytes + 1);
    return suite_parse(collect->arena, suite_name, slice_of(document), err);
}

/* By the hostfile as the run has it: what stands in a file of that name now may be another cluster. */
static int make_question(struct collect *collect, struct question *question, struct error *err)
{
    const struct suite *suite;
    char uuid[UUID_SIZE];

    if (sources_of_record(collect->arena, collect->record, NULL, &question->sources, err) < 0)
        return -1;
    suite = make_suite(collect, question->sources.suite, err);
    if (suite == NULL)
        return -1;
    question->sources.suite = question->sources.limits.suite = suite;
    question->sources.limits.contract = NULL;
    question->sources.staged = NULL;
    question->suite = suite_name;
    question->hostfile = question->sources.hostfile->path;
    question->hosts = collect->host;
    uuid_create(uuid);
    return question_build_plan(collect->arena, question, uuid, err);
}

static int ask_host(struct collect *collect, int argc, char **argv, struct error *err)
{
    const struct begin_options options = {.notes = CLI_NOTES};
    struct question *question = arena_new(collect->arena, struct question);
    struct scheduler_options scheduler = {0};
    bool cancelled = false;
    struct board *board;
    int status;

    if (collect->record->origin != NULL)
        return error_set(
            err, ERROR_USAGE,
            "run %lld is another party's, and its hostfile is not followed; give --stored for what "
            "the run itself has",
            collect->record->number);
    collect->going.database = cli_database(collect->options.db);
    if (access_ask(&collect->options.access, err) < 0 || make_question(collect, question, err) < 0 ||
        begin_planned(collect->arena, &collect->going, question, &options, argc, argv, err) < 0)
        return -1;
    scheduler.remote = access_remote(&collect->options.access);
    board = board_create(collect->kind, collect->going.record, 0, clock_now());
    collect->going.watcher = board_watcher(board);
    status = running_carry_out(&collect->going, &scheduler, &cancelled, err);
    board_destroy(board);
    begin_tell_release(&collect->going, &options.notes);
    if (status == 0 && cancelled)
        return error_set(err, ERROR_USAGE, "cancelled; nothing was written");
    return status;
}

/* ---- the archive ---- */

/* Of both runs, in which names are pseudonyms. */
static struct store *redacted(struct collect *collect, struct error *err)
{
    struct redaction redaction = {.arena = collect->arena,
                                  .store = collect->store,
                                  .words = collect->options.words,
                                  .numbers_stay = true};
    const long long numbers[] = {collect->record->number,
                                 collect->going.record != NULL ? collect->going.record->number : 0};

    collect->folder = redaction.folder = proof_folder(collect->arena, err);
    if (collect->folder == NULL)
        return NULL;
    return redaction_copy_runs(&redaction, numbers, collect->going.record != NULL ? 2 : 1, err);
}

static size_t host_index(const struct collect *collect)
{
    const struct plan *plan = collect->record->plan;
    size_t i = 0;

    while (strcmp(plan->hosts.items[i]->name, collect->host) != 0)
        i++;
    return i;
}

/* What was taken of a host before its repair nobody can take again: nothing is replaced that was not named. */
static const char *free_name(struct arena *arena, const char *stem)
{
    const char *path = arena_printf(arena, "%s.tar.zst", stem);

    for (unsigned n = 2; file_exists(path); n++)
        path = arena_printf(arena, "%s-%u.tar.zst", stem, n);
    return path;
}

static int write_archive(struct collect *collect, struct store *store, struct collection *collection,
                         struct error *err)
{
    struct arena *arena = collect->arena;

    *collection = (struct collection){.arena = arena, .store = store, .language = collect->language};
    collection->record = store_load_lean(store, arena, collect->record->number, report_rests_on, err);
    if (collection->record == NULL)
        return -1;
    collection->host = collection->record->plan->hosts.items[host_index(collect)];
    if (collect->going.record != NULL) {
        collection->collected =
            store_load_lean(store, arena, collect->going.record->number, report_rests_on, err);
        if (collection->collected == NULL)
            return -1;
    }
    if (collect->options.output == NULL)
        collect->options.output =
            free_name(arena, arena_printf(arena, "assay-collect-%lld-%s", collect->record->number,
                                          site_name(arena, collection->host->name)));
    return collection_write(collection, collect->options.output, err);
}

static void tell(const struct collect *collect, const struct collection *collection)
{
    void (*print)(const char *, ...) __attribute__((format(printf, 1, 2))) =
        file_is_stdout(collect->options.output) ? cli_warn : cli_print;

    if (collection->missing > 0)
        print("not collected: %zu of what was asked; contents.txt says why\n", collection->missing);
    if (collect->going.record != NULL)
        print("run: %lld\n", collect->going.record->number);
    print("files: %zu\nbundle: %s\n", collection->files, collect->options.output);
}

static int run_collect(struct collect *collect, int argc, char **argv, const char *run, struct error *err)
{
    struct collection collection;
    struct store *copy = NULL;
    int result;

    if (load(collect, run, err) < 0 || (!collect->options.stored && ask_host(collect, argc, argv, err) < 0))
        return -1;
    if (collect->options.redact && (copy = redacted(collect, err)) == NULL)
        return -1;
    result = write_archive(collect, copy != NULL ? copy : collect->store, &collection, err);
    store_close(copy);
    if (result == 0)
        tell(collect, &collection);
    return result;
}

/* ---- the command line ---- */

static bool read_options(struct collect_options *options, int argc, char **argv, int *ret_first,
                         int *ret_status)
{
    const struct option_row rows[] = {
        OPTION_HEADING("What is collected"),
        {"stored", 0, OPTION_FLAG, NULL, &options->stored,
         "only what the run has; the host is not asked (it is gone, or was repaired meanwhile)"},
        {"redact", 0, OPTION_FLAG, NULL, &options->redact,
         "users, hosts, domains and addresses by pseudonyms, the same in each export of this database; serial "
         "numbers stay"},
        {"redact-words", 0, OPTION_STRING, "FILE", &options->words,
         "with --redact: a file of words that no rule can know, one per line, replaced everywhere"},
        OPTION_HEADING("Output"),
        {"output", 'o', OPTION_STRING, "FILE", &options->output,
         "default: assay-collect-RUN-HOST.tar.zst, where that is there already assay-collect-RUN-HOST-2.tar.zst "
         "and so on; -: standard output"},
        {"lang", 0, OPTION_STRING, "LANGUAGE", &options->language, "of the letter: en (default) or zh"},
        CLI_DB_ROW(&options->db),
        CLI_PROGRESS_ROW(&options->progress),
        ACCESS_OPTIONS(&options->access),
        OPTION_END,
    };

    return cli_options(rows, "collect RUN HOST [-o FILE] [--redact]", argc, argv, ret_first, ret_status);
}

/* "" or what is wrong with the command line. */
static const char *usage_fault(struct collect *collect, int argc, char **argv, int first)
{
    const struct collect_options *options = &collect->options;

    if (argc - first < 2)
        return "a run and one of its hosts are missing: expected assay collect RUN HOST";
    if (argc - first > 2)
        return arena_printf(collect->arena, "unexpected word '%s'", argv[first + 2]);
    if (options->words != NULL && !options->redact)
        return "--redact-words goes with --redact";
    if (!report_language_find(options->language, &collect->language))
        return arena_printf(collect->arena, "--lang '%s'; expected " LANGUAGES_SAID, options->language);
    if (!board_kind_parse(options->progress, &collect->kind))
        return arena_printf(collect->arena, "--progress '%s'; expected auto, plain, json or none",
                            options->progress);
    return "";
}

int command_collect(int argc, char **argv)
{
    struct collect collect = {.options = {.progress = "auto", .language = "en"}, .arena = arena_create()};
    struct error err = {0};
    const char *fault;
    int first, status;

    if (!read_options(&collect.options, argc, argv, &first, &status)) {
        arena_destroy(collect.arena);
        return status;
    }
    fault = usage_fault(&collect, argc, argv, first);
    if (*fault != '\0') {
        cli_warn("assay: collect: %s\n", fault);
        status = EXIT_USAGE;
    } else {
        collect.host = argv[first + 1];
        status = run_collect(&collect, argc, argv, argv[first], &err) < 0 ? cli_fail(&err) : EXIT_ACCEPT;
        access_forget(&collect.options.access);
    }
    if (collect.folder != NULL && directory_remove(collect.folder, NULL) < 0)
        cli_warn("assay: %s stays behind\n", collect.folder);
    store_close(collect.going.store);
    store_close(collect.store);
    arena_destroy(collect.arena);
    return status;
}
