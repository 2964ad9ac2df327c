/* SPDX-License-Identifier: Apache-2.0 */
/* `assay export`: a run as one file. */
#include <stdio.h>
#include <string.h>

#include "assay/app/proof.h"
#include "assay/app/redaction.h"
#include "assay/base/files.h"
#include "assay/report/report.h"
#include "cli.h"

enum { REPORT_BYTES = 1 << 30 };

struct export
{
    struct arena *arena;
    struct store *store; /* the run's */
    long long number;
    const char *folder, *path;
    bool redact;
    struct redaction redaction;
    struct manifest manifest;
};

static int copy_run(struct export *export, struct store **ret_copy, long long *ret_number, struct error *err)
{
    struct redaction *redaction = &export->redaction;

    redaction->arena = export->arena;
    redaction->store = export->store;
    redaction->folder = export->folder;
    if (!export->redact)
        return redaction_copy_run(redaction, export->number, "run.db", NULL, ret_copy, ret_number, err);
    *ret_copy = redaction_copy_runs(redaction, &export->number, 1, err);
    *ret_number = redaction->number;
    return *ret_copy != NULL ? 0 : -1;
}

/* Of what was changed the hash of the original is keyed; beside it stands that of what takes its place, and its notes. */
static int tell_redacted(struct export *export, struct store *copy, long long number, struct error *err)
{
    struct manifest redacted;

    if (store_manifest(copy, export->arena, number, NULL, &redacted, err) < 0)
        return -1;
    if (redacted.entries.count != export->manifest.entries.count)
        return error_set(err, ERROR_INTERNAL, "redaction lost a piece of the run");
    for (size_t i = 0; i < redacted.entries.count; i++) {
        struct manifest_entry *entry = &export->manifest.entries.items[i];

        if (strcmp(entry->path, redacted.entries.items[i].path) != 0)
            return error_set(err, ERROR_INTERNAL, "redaction renamed %s", entry->path);
        memcpy(entry->redacted, redacted.entries.items[i].sha256, SHA256_HEX_SIZE);
        entry->keyed = strcmp(entry->sha256, entry->redacted) != 0;
        if (entry->keyed)
            redaction_keyed(export->redaction.key, entry->sha256, entry->sha256);
        entry->note = redacted.entries.items[i].note;
    }
    return 0;
}

static int write_bundle(struct export *export, struct store *copy, long long number, struct error *err)
{
    struct record *record = store_load_run(copy, export->arena, number, false, err);
    cleanup_text struct text report = {0};
    char sha256[SHA256_HEX_SIZE];

    if (record == NULL)
        return -1;
    proof_describe(export->arena, &export->manifest, record);
    text_init(&report, REPORT_BYTES);
    report_format_find("json")->write(record, LANGUAGE_EN, &report);
    if (report.clipped)
        return error_set(err, ERROR_INTERNAL, "the report is longer than %d bytes", REPORT_BYTES);
    sha256_hex(report.bytes, report.length, sha256);
    manifest_add(export->arena, &export->manifest, "report/report.json", "", sha256);
    return bundle_write(export->path, copy, export->folder, export->arena, &export->manifest,
                        (struct slice){report.bytes, report.length}, err);
}

static int refuse_damaged(const struct export *export, struct error *err)
{
    for (size_t i = 0; i < export->manifest.entries.count; i++)
        if (export->manifest.entries.items[i].damage != NULL)
            return error_set(err, ERROR_INTERNAL, "%s: %s", export->manifest.entries.items[i].path,
                             export->manifest.entries.items[i].damage);
    return 0;
}

static int export_run(struct export *export, struct error *err)
{
    struct record *record = store_load_run(export->store, export->arena, export->number, false, err);
    struct store *copy = NULL;
    long long number;
    int result;

    if (record == NULL)
        return -1;
    export->number = record->number;
    if (export->path == NULL)
        export->path = arena_printf(export->arena, "assay-run-%lld%s.tar.zst", export->number,
                                    export->redact ? "-redacted" : "");
    if (record->state == RUN_RUNNING)
        return error_set(err, ERROR_USAGE, "run %lld is still going on", export->number);
    if (store_manifest(export->store, export->arena, export->number, NULL, &export->manifest, err) < 0 ||
        refuse_damaged(export, err) < 0)
        return -1;
    if (record->origin != NULL && record->origin->redacted)
        manifest_say(export->arena, &export->manifest, MANIFEST_REDACTED_BEFORE, "yes");
    result = copy_run(export, &copy, &number, err);
    if (result == 0 && export->redact)
        result = tell_redacted(export, copy, number, err);
    if (result == 0)
        result = write_bundle(export, copy, number, err);
    store_close(copy);
    return result;
}

static int run_export(struct export *export, const char *db, const char *word)
{
    struct error err = {0};
    int result = -1;

    export->folder = proof_folder(export->arena, &err);
    export->store = export->folder != NULL ? cli_stored(db, &err) : NULL;
    export->number = cli_find_run(export->store, word, &err);
    if (export->number >= 0)
        result = export_run(export, &err);
    store_close(export->store);
    if (export->folder != NULL && directory_remove(export->folder, NULL) < 0)
        cli_warn("assay: %s stays behind\n", export->folder);
    if (result < 0)
        return cli_fail(&err);
    (file_is_stdout(export->path) ? cli_warn : cli_print)("run: %lld\nbundle: %s\n", export->number,
                                                          export->path);
    return EXIT_ACCEPT;
}

int command_export(int argc, char **argv)
{
    const char *db = NULL;
    struct export export = {0};
    const struct option_row rows[] = {
        {"output", 'o', OPTION_STRING, "FILE", &export.path,
         "default: assay-run-N.tar.zst; -: standard output"},
        {"redact", 0, OPTION_FLAG, NULL, &export.redact,
         "users, hosts, domains and addresses by pseudonyms, the same in each export of this database"},
        CLI_REDACT_WORDS_ROW(&export.redaction.words),
        CLI_DB_ROW(&db),
        OPTION_END,
    };
    int first, status;

    if (!cli_options(rows, "export [RUN]        (default: the last run)", argc, argv, &first, &status))
        return status;
    if (first + 1 < argc)
        return cli_unexpected("export", argv[first + 1]);
    if (export.redaction.words != NULL && !export.redact) {
        cli_warn("assay: export: --redact-words goes with --redact\n");
        return EXIT_USAGE;
    }
    export.arena = arena_create();
    status = run_export(&export, db, first < argc ? argv[first] : NULL);
    arena_destroy(export.arena);
    return status;
}
