/* SPDX-License-Identifier: Apache-2.0 */
/* `assay site`: a folder of pages about all runs of a database. Touches no host, and one run after the other is in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/app/histories.h"
#include "assay/app/proof.h"
#include "assay/app/redaction.h"
#include "assay/app/report_file.h"
#include "assay/app/site_folder.h"
#include "assay/app/site_pages.h"
#include "assay/judge/judge.h"
#include "assay/report/site.h"
#include "cli.h"

struct work {
    struct arena *arena;
    struct store *store; /* what the pages are made of */
    struct site_folder folder;
    struct site_mark mark; /* what was made */
    struct site site;
    bool redact;
    struct redaction redaction;
    size_t left_out, damaged;
    struct run_summary *runs;
    size_t run_count;
    struct error *err;
};

/* A file of the site itself, which its mark names. */
static int begin(struct work *work, struct site_file *file, const char *path)
{
    *list_push(work->arena, &work->mark.files) = path;
    return site_file_begin(file, &work->folder, path, work->err);
}

/* As it is, or when it could not be made, not at all. */
static int site_end(struct site_file *file, int made)
{
    if (made == 0)
        return site_file_end(file);
    site_file_abandon(file);
    return -1;
}

/* -- Runs --------------------------------------------------------------------------------------------------------- */

struct run_work {
    struct work *work;
    struct arena *arena;
    struct record *record;
    struct site_place place;
    const char *prefix; /* "runs/6/" */
    struct site_mark was, made;
};

static int write_output(struct run_work *run, const struct attempt *attempt, const char *path,
                        enum site_output output)
{
    struct site_file file;

    if (site_file_begin(&file, &run->work->folder, arena_printf(run->arena, "%s%s", run->prefix, path),
                        run->work->err) < 0)
        return -1;
    site_output_text(run->record, attempt, output, &file.text);
    return site_file_end(&file);
}

/* What an attempt printed does not change: where it was written for this run already it is not read again. */
static bool is_written(const struct run_work *run, const char *path)
{
    cleanup_arena struct arena *arena = NULL;

    /* Redacted it may: what was learnt since is a pseudonym now. */
    if (run->work->redact || strcmp(run->was.uuid, run->record->uuid) != 0 ||
        strcmp(run->was.tool, run->made.tool) != 0 || !site_mark_names(&run->was, path))
        return false;
    arena = arena_create();
    return site_folder_has(&run->work->folder, arena_printf(arena, "%s%s", run->prefix, path));
}

static int write_attempt(struct run_work *run, size_t index)
{
    struct attempt *attempt = &run->record->attempts.items[index];
    cleanup_arena struct arena *arena = NULL;
    int result = 0;

    for (enum site_output k = 0; result == 0 && k < SITE_OUTPUTS; k++) {
        const char *path = run->place.outputs[k][index];

        if (path == NULL)
            continue;
        *list_push(run->arena, &run->made.files) = path;
        if (is_written(run, path)) {
            run->work->folder.same++;
            continue;
        }
        if (arena == NULL) {
            arena = arena_create();
            result = store_load_evidence(run->work->store, arena, run->record, attempt, run->work->err);
        }
        if (result == 0)
            result = write_output(run, attempt, path, k);
    }
    return result;
}

static int write_report(struct run_work *run)
{
    struct site_file file;

    *list_push(run->arena, &run->made.files) = "index.html";
    if (site_file_begin(&file, &run->work->folder, arena_printf(run->arena, "%sindex.html", run->prefix),
                        run->work->err) < 0)
        return -1;
    report_format_find("html")->write(run->record, run->work->site.language, &file.text);
    return site_file_end(&file);
}

/* Files of the run that an earlier assay called otherwise stay ours; redacted they go, for their names may be names. */
static int write_run_mark(struct run_work *run)
{
    struct site_mark all = {.tool = run->made.tool, .uuid = run->made.uuid};

    site_mark_sort(&run->made);
    for (size_t i = 0; i < run->made.files.count; i++)
        *list_push(run->arena, &all.files) = run->made.files.items[i];
    for (size_t i = 0; i < run->was.files.count; i++) {
        if (site_mark_names(&run->made, run->was.files.items[i]))
            continue;
        if (!run->work->redact)
            *list_push(run->arena, &all.files) = run->was.files.items[i];
        else if (site_folder_remove(&run->work->folder, run->prefix, run->was.files.items[i],
                                    run->work->err) < 0)
            return -1;
    }
    return site_mark_write(&run->work->folder, run->prefix, &all, run->work->err);
}

static int write_run_files(struct run_work *run)
{
    site_place_of(run->arena, run->record, &run->place);
    run->record->site = &run->place;
    site_mark_of_run(&run->work->folder, run->arena, run->prefix, &run->was);
    run->made = (struct site_mark){.tool = run->work->mark.tool, .uuid = run->record->uuid};
    if (write_report(run) < 0)
        return -1;
    for (size_t i = 0; i < run->record->attempts.count; i++)
        if (write_attempt(run, i) < 0)
            return -1;
    return write_run_mark(run);
}

static void list_damaged(struct work *work, const struct run_summary *summary, const struct error *why)
{
    site_pages_damaged(work->arena, summary, why, list_push(work->arena, &work->site.runs));
    cli_warn("assay: site: run %lld cannot be read, and is listed so: %s\n", summary->number, why->text);
    work->damaged++;
}

/* What was written of a run that is damaged now stays: it is still a run of this site. */
static int write_run(struct work *work, const struct run_summary *summary)
{
    struct run_work run = {.work = work, .arena = arena_create()};
    struct error why = {0};
    int result = 0;

    run.prefix = arena_printf(run.arena, "runs/%lld/", summary->number);
    if (run_summary_check(summary, &why) == 0)
        run.record = report_file_load(work->store, run.arena, summary->number, "html", NULL, &why);
    *list_push(work->arena, &work->mark.runs) =
        (struct site_known){summary->number, arena_strdup(work->arena, summary->uuid), summary->imported};
    if (run.record != NULL) {
        site_run_of(work->arena, run.record, list_push(work->arena, &work->site.runs));
        result = write_run_files(&run);
    } else {
        list_damaged(work, summary, &why);
    }
    arena_destroy(run.arena);
    return result;
}

static int write_runs(struct work *work)
{
    for (size_t i = 0; i < work->run_count; i++)
        if (write_run(work, &work->runs[i]) < 0)
            return -1;
    return 0;
}

/* -- Comparisons -------------------------------------------------------------------------------------------------- */

static int write_pair(struct work *work, const struct site_pair *pair)
{
    long long later = work->site.runs.items[pair->later].number,
              earlier = work->site.runs.items[pair->earlier].number;
    struct site_file file;

    if (begin(work, &file, arena_printf(work->arena, "compare/%lld-%lld.html", earlier, later)) < 0)
        return -1;
    return site_end(
        &file, site_pages_compare(work->store, earlier, later, work->site.language, &file.text, work->err));
}

static int write_comparisons(struct work *work)
{
    struct site_file file;

    site_pages_pair(work->arena, &work->site);
    for (size_t i = 0; i < work->site.pairs.count; i++)
        if (write_pair(work, &work->site.pairs.items[i]) < 0)
            return -1;
    if (work->site.pairs.count == 0)
        return 0;
    if (begin(work, &file, "compare/index.html") < 0)
        return -1;
    site_comparisons(&work->site, &file.text);
    return site_file_end(&file);
}

/* -- History ------------------------------------------------------------------------------------------------------ */

static int write_subject(struct work *work, const struct site_history *history, size_t subject)
{
    struct site_file file;

    if (begin(work, &file, arena_printf(work->arena, "history/%s", history->subjects.items[subject].path)) <
        0)
        return -1;
    site_history_page(history, subject, work->site.language, &file.text);
    return site_file_end(&file);
}

static int write_list(struct work *work, const struct site_history *history, enum site_subject_kind kind,
                      const char *path)
{
    struct site_file file;
    size_t first = 0;

    while (first < history->subjects.count && history->subjects.items[first].kind != kind)
        first++;
    if (first == history->subjects.count)
        return 0;
    if (begin(work, &file, path) < 0)
        return -1;
    site_history_list(history, kind, work->site.language, &file.text);
    return site_file_end(&file);
}

static int write_history_pages(struct work *work, struct arena *arena, const struct history *history)
{
    struct history_findings findings;
    struct site_history shown;
    struct site_file file;

    judge_history(arena, history, &findings);
    site_history_of(arena, history, &findings, &shown);
    if (begin(work, &file, "history/index.html") < 0)
        return -1;
    site_history_index(&shown, work->site.language, &file.text);
    if (site_file_end(&file) < 0 || begin(work, &file, "site.css") < 0)
        return -1;
    site_style(&file.text);
    if (site_file_end(&file) < 0 || write_list(work, &shown, SITE_PART, "history/parts.html") < 0 ||
        write_list(work, &shown, SITE_GROUP, "history/groups.html") < 0)
        return -1;
    for (size_t i = 0; i < shown.subjects.count; i++)
        if (shown.subjects.items[i].has_page && write_subject(work, &shown, i) < 0)
            return -1;
    work->site.has_history = true;
    return 0;
}

static int write_history(struct work *work)
{
    cleanup_arena struct arena *arena = arena_create();
    struct history history = {0};
    int result = histories_collect(work->store, arena, 0, false, &history, work->err);

    if (result == 0 && history.runs.count > 0)
        result = write_history_pages(work, arena, &history);
    return result;
}

/* -- Acceptances -------------------------------------------------------------------------------------------------- */

/* One that cannot be read is listed so. What was written of it before goes: it says what nothing proves now. */
static int write_acceptance(struct work *work, const char *name)
{
    struct site_acceptance *listed = list_push(work->arena, &work->site.acceptances);
    struct error why = {0};
    struct site_file file;

    if (begin(work, &file, site_pages_acceptance_path(work->arena, name)) < 0)
        return -1;
    if (site_pages_acceptance(work->store, work->arena, name, work->site.language, &file.text, listed,
                              &why) == 0)
        return site_file_end(&file);
    site_file_abandon(&file);
    work->mark.files.count--;
    *listed = (struct site_acceptance){.name = name, .damage = arena_strdup(work->arena, why.text)};
    cli_warn("assay: site: acceptance %s cannot be read, and is listed so: %s\n", name, why.text);
    work->damaged++;
    return 0;
}

static int write_acceptances(struct work *work)
{
    struct acceptance_names names;

    if (store_list_acceptances(work->store, work->arena, &names, work->err) < 0)
        return -1;
    for (size_t i = 0; i < names.items.count; i++)
        if (write_acceptance(work, names.items.items[i]) < 0)
            return -1;
    return 0;
}

/* -- The site ----------------------------------------------------------------------------------------------------- */

static int write_index(struct work *work)
{
    struct site_file file;

    if (begin(work, &file, "index.html") < 0)
        return -1;
    site_index(&work->site, &file.text);
    return site_file_end(&file);
}

static const struct run_summary *find_run(const struct work *work, long long number)
{
    for (size_t i = 0; i < work->run_count; i++)
        if (work->runs[i].number == number)
            return &work->runs[i];
    return NULL;
}

static bool is_same(const struct run_summary *run, const struct site_known *known)
{
    return strcmp(run->uuid, known->uuid) == 0 && run->imported == known->imported;
}

/* A mistyped --db must not replace one site by another. A database gives no number twice: runs of the site that are gone were
   forgotten, but of those that are there one that is another run, or that came from elsewhere, is another database's. */
static int check_database(const struct work *work, const char *db)
{
    const struct site_mark *was = &work->folder.was;
    size_t same = 0;

    for (size_t i = 0; i < was->runs.count; i++) {
        const struct site_known *known = &was->runs.items[i];
        const struct run_summary *run = find_run(work, known->number);

        if (run != NULL && run->damage == NULL && !is_same(run, known))
            return error_set(
                work->err, ERROR_USAGE,
                "%s is the site of another database: run %lld of it is another one in %s; name another folder",
                work->folder.root, known->number, db);
        same += run != NULL && is_same(run, known);
    }
    return was->runs.count == 0 || same > 0
               ? 0
               : error_set(
                     work->err, ERROR_USAGE,
                     "%s is the site of another database: none of its runs is in %s under the number that it has there; "
                     "name another folder",
                     work->folder.root, db);
}

/* What the mark names and nothing leads to any more: runs that are gone, and pages about them. */
static int remove_stale(struct work *work)
{
    const struct site_mark *was = &work->folder.was;

    for (size_t i = 0; i < was->runs.count; i++) {
        bool there = false;

        for (size_t k = 0; k < work->run_count && !there; k++)
            there = work->runs[k].number == was->runs.items[i].number;
        if (!there && site_folder_remove_run(&work->folder, was->runs.items[i].number, work->err) < 0)
            return -1;
    }
    site_mark_sort(&work->mark);
    for (size_t i = 0; i < was->files.count; i++)
        if (!site_mark_names(&work->mark, was->files.items[i]) &&
            site_folder_remove(&work->folder, "", was->files.items[i], work->err) < 0)
            return -1;
    return 0;
}

/* The index comes when all that it leads to is there, and what is gone goes when nothing leads to it. */
static int write_site(struct work *work, const char *db, const char *root)
{
    if (store_list_runs(work->store, work->arena, 0, &work->runs, &work->run_count, work->err) < 0 ||
        site_folder_open(&work->folder, work->arena, root, work->redact, work->err) < 0 ||
        check_database(work, db) < 0)
        return -1;
    if (write_runs(work) < 0 || write_comparisons(work) < 0 || write_history(work) < 0 ||
        write_acceptances(work) < 0 || write_index(work) < 0 || remove_stale(work) < 0)
        return -1;
    return site_mark_write(&work->folder, "", &work->mark, work->err);
}

static int write_redacted(struct work *work, struct store *named, const char *db, const char *root)
{
    int result = -1;

    work->redaction.arena = work->arena;
    work->redaction.store = named;
    work->redaction.serials = work->redaction.numbers_stay = true;
    work->redaction.folder = proof_folder(work->arena, work->err);
    if (work->redaction.folder == NULL)
        return -1;
    work->store = redaction_copy_all(&work->redaction, &work->left_out, work->err);
    if (work->store != NULL)
        result = write_site(work, db, root);
    store_close(work->store);
    if (directory_remove(work->redaction.folder, NULL) < 0)
        cli_warn("assay: %s stays behind\n", work->redaction.folder);
    return result;
}

static int write_named(struct work *work, struct store *named, const char *db, const char *root)
{
    work->store = named;
    return write_site(work, db, root);
}

static int site(struct work *work, const char *db, const char *root)
{
    struct store *named = work->redact ? cli_stored(db, work->err) : store_open(db, true, work->err);
    int status = EXIT_ACCEPT;

    if (named == NULL || (work->redact ? write_redacted : write_named)(work, named, db, root) < 0)
        status = cli_fail(work->err);
    store_close(named);
    if (status != EXIT_ACCEPT)
        return status;
    cli_print("%zu runs, %zu acceptances: %zu files written, %zu unchanged, %zu removed\n",
              work->site.runs.count, work->site.acceptances.count, work->folder.written, work->folder.same,
              work->folder.removed);
    if (work->left_out > 0)
        cli_print("left out: %zu runs of other parties, and acceptances that rest on them\n", work->left_out);
    cli_print("site: %s/index.html\n", root);
    return work->damaged > 0 ? EXIT_INCOMPLETE : status;
}

int command_site(int argc, char **argv)
{
    const char *db = NULL, *lang = NULL;
    struct error err = {0};
    struct work work = {.err = &err, .mark = {.tool = "assay " ASSAY_VERSION, .uuid = ""}};
    const struct option_row rows[] = {
        CLI_LANG_ROW(&lang, ""),
        {"redact", 0, OPTION_FLAG, NULL, &work.redact,
         "users, hosts, domains, addresses and serial numbers by pseudonyms, the same on each page and in "
         "each "
         "export of this database"},
        CLI_REDACT_WORDS_ROW(&work.redaction.words),
        CLI_DB_ROW(&db),
        OPTION_END,
    };
    int first, status;

    if (!cli_options(rows, "site DIR", argc, argv, &first, &status))
        return status;
    if (!cli_language(lang, &work.site.language))
        return cli_unknown_language("site", lang);
    if (first + 1 != argc) {
        if (first == argc)
            cli_warn("assay: site: expected the folder that the pages go to\n");
        else
            cli_unexpected("site", argv[first + 1]);
        return EXIT_USAGE;
    }
    if (work.redaction.words != NULL && !work.redact) {
        cli_warn("assay: site: --redact-words goes with --redact\n");
        return EXIT_USAGE;
    }
    work.mark.redacted = work.site.redacted = work.redact;
    work.arena = arena_create();
    status = site(&work, cli_database(db), argv[first]);
    arena_destroy(work.arena);
    return status;
}
