/* SPDX-License-Identifier: Apache-2.0 */
/* `assay export`: a run as one file. */
#include <stdio.h>
#include <string.h>

#include "assay/app/proof.h"
#include "assay/app/question.h"
#include "assay/files.h"
#include "assay/report.h"
#include "cli.h"

enum { REPORT_BYTES = 1 << 30 };

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), ending = strlen(end);

    return length >= ending && strcmp(text + length - ending, end) == 0;
}

/* What parsers made of the names in outputs: their values stand in the database without the words around. */
static void know_reading(struct redactor *redactor, const struct reading *reading)
{
    static const char *const facts[] = {"host.hostname", "launch.hostname", "lldp.chassis"};

    for (size_t i = 0; i < reading->facts.count; i++) {
        const struct fact *fact = &reading->facts.items[i];

        for (size_t k = 0; k < sizeof facts / sizeof facts[0]; k++)
            if (strcmp(fact->name, facts[k]) == 0)
                redactor_know_host(redactor, fact->value);
        if (ends_with(fact->name, "guid"))
            redactor_know_guid(redactor, fact->value);
        if (strcmp(fact->name, "host.login") == 0)
            redactor_know_user(redactor, fact->value);
    }
}

/* "[user@]host[:port][,...]" */
static void know_jump(struct arena *arena, struct redactor *redactor, const char *jump)
{
    while (jump != NULL && *jump != '\0') {
        size_t length = strcspn(jump, ","), at;
        const char *hop = arena_strndup(arena, jump, length);

        at = strcspn(hop, "@");
        if (hop[at] == '@')
            redactor_know_user(redactor, arena_strndup(arena, hop, at));
        hop = hop[at] == '@' ? hop + at + 1 : hop;
        if (strcmp(hop, "none") != 0)
            redactor_know_host(redactor, arena_strndup(arena, hop, strcspn(hop, ":")));
        jump += length + (jump[length] == ',');
    }
}

static void know_host(struct arena *arena, struct redactor *redactor, const struct host *host)
{
    redactor_know_host(redactor, host->name);
    redactor_know_host(redactor, host->address);
    redactor_know_host(redactor, host->mpi_address);
    redactor_know_user(redactor, host->user);
    know_jump(arena, redactor, host->jump);
    for (size_t i = 0; i < host->rails.count; i++)
        redactor_know_host(redactor, host->rails.items[i].switch_name);
}

/* Title, customer and site tell whose it is as well as a domain does. */
static void know_names(struct arena *arena, struct redactor *redactor, struct slice bytes)
{
    struct slice line;

    while (scan_line(&bytes, &line)) {
        size_t equals = slice_find(line, "=");

        if (equals != (size_t)-1 && equals + 1 < line.length)
            redactor_know_word(redactor,
                               arena_strndup(arena, line.bytes + equals + 1, line.length - equals - 1));
    }
}

/* Hosts of the hostfile that this run left out are in it too. */
static int know_hostfile(struct arena *arena, struct redactor *redactor, const struct record *record,
                         struct error *err)
{
    for (size_t i = 0; i < record->documents.count; i++) {
        const struct document *document = &record->documents.items[i];
        const struct hostfile *hostfile;

        if (strcmp(document->kind, NAMES_DOCUMENT) == 0)
            know_names(arena, redactor, document->bytes);
        if (strcmp(document->kind, "hostfile") != 0)
            continue;
        hostfile = hostfile_parse(arena, document->name, document->bytes, err);
        if (hostfile == NULL)
            return error_wrap(err, "its hosts must be known to be redacted");
        know_names(arena, redactor, slice_of(question_names_text(arena, &hostfile->names, &hostfile->names)));
        for (size_t k = 0; k < hostfile->hosts.count; k++)
            know_host(arena, redactor, &hostfile->hosts.items[k]);
    }
    return 0;
}

static int know_record(struct arena *arena, struct redactor *redactor, struct store *store,
                       const struct record *record, struct error *err)
{
    const char *controller = store_controller_host(store, arena, record->number, err);

    if (controller == NULL)
        return -1;
    for (size_t i = 0; i < record->plan->hosts.count; i++)
        know_host(arena, redactor, record->plan->hosts.items[i]);
    if (know_hostfile(arena, redactor, record, err) < 0)
        return -1;
    redactor_know_host(redactor, controller);
    for (size_t i = 0; i < record->waivers.count; i++) {
        redactor_know_person(redactor, record->waivers.items[i].who);
        redactor_know_person(redactor, record->waivers.items[i].withdrawn.who);
    }
    for (size_t i = 0; i < record->attempts.count; i++) {
        const struct attempt *attempt = &record->attempts.items[i];

        know_reading(redactor, &attempt->reading);
        for (size_t k = 0; k < attempt->parts.count; k++)
            know_reading(redactor, &attempt->parts.items[k].reading);
    }
    return 0;
}

/* What no rule can know: one word or phrase a line, also inside of other words. */
static int know_words(struct redactor *redactor, const char *path, struct error *err)
{
    enum { LARGEST = 1 << 20, SHORTEST = 3, LONGEST = 200 };
    cleanup_text struct text text = {0};
    struct slice rest, line;
    unsigned number = 0;

    text_init(&text, LARGEST);
    if (path == NULL)
        return 0;
    if (file_read(path, &text, err) < 0)
        return -1;
    text_put(&text, "\n");
    rest = (struct slice){text.bytes, text.length};
    while (scan_line(&rest, &line)) {
        char word[LONGEST + 1];

        number++;
        line = slice_trim(line);
        if (line.length == 0 || line.bytes[0] == '#')
            continue;
        if (line.length < SHORTEST || line.length > LONGEST || memchr(line.bytes, '\0', line.length) != NULL)
            return error_set(err, ERROR_USAGE,
                             "%s:%u: a word has %d to %d characters: shorter ones occur in too many others",
                             path, number, SHORTEST, LONGEST);
        memcpy(word, line.bytes, line.length);
        word[line.length] = '\0';
        redactor_know_word(redactor, word);
    }
    return 0;
}

struct export
{
    struct arena *arena;
    struct store *store; /* the run's */
    long long number;
    const char *folder, *path;
    bool redact;
    const char *words;            /* file of words to redact, or NULL */
    char key[REDACTION_KEY_SIZE]; /* of what is redacted */
    struct manifest manifest;
};

/* Into a database of its own. *ret_copy is to be closed. */
static int copy_run(struct export *export, const char *name, struct redactor *redactor,
                    struct store **ret_copy, long long *ret_number, struct error *err)
{
    *ret_copy = store_open(arena_printf(export->arena, "%s/%s", export->folder, name), false, err);
    if (*ret_copy == NULL)
        return -1;
    if (store_copy_run(export->store, export->number, *ret_copy, redactor, ret_number, err) == 0)
        return 0;
    store_close(*ret_copy);
    *ret_copy = NULL;
    return -1;
}

/* Twice, because a name may be learnt after it was first met. */
static int copy_redacted(struct export *export, const struct record *record, struct store **ret_copy,
                         long long *ret_number, struct error *err)
{
    struct redactor *redactor;
    struct pseudonyms kept;
    const struct pseudonyms *all;
    struct store *first;

    if (store_load_pseudonyms(export->store, export->arena, &kept, err) < 0 ||
        store_redaction_key(export->store, export->key, err) < 0)
        return -1;
    redactor = redactor_create(export->arena, &kept, export->key);
    if (know_words(redactor, export->words, err) < 0 ||
        know_record(export->arena, redactor, export->store, record, err) < 0 ||
        copy_run(export, "first.db", redactor, &first, ret_number, err) < 0)
        return -1;
    store_close(first);
    if (copy_run(export, "run.db", redactor, ret_copy, ret_number, err) < 0)
        return -1;
    all = redactor_pseudonyms(redactor);
    return store_put_pseudonyms(export->store, all, kept.list.count, err);
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
            redaction_keyed(export->key, entry->sha256, entry->sha256);
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
    result = export->redact ? copy_redacted(export, record, &copy, &number, err)
                            : copy_run(export, "run.db", NULL, &copy, &number, err);
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
    if (export->store != NULL && word != NULL)
        export->number = store_find_run(export->store, word, &err);
    if (export->store != NULL && (word == NULL || export->number > 0))
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
        {"redact-words", 0, OPTION_STRING, "FILE", &export.words,
         "with --redact: a file of words that no rule can know, such as customers: one per line, replaced "
         "everywhere"},
        {"db", 0, OPTION_STRING, "FILE", &db, "database; default $ASSAY_DB or assay.db"},
        OPTION_END,
    };
    int first, status;

    if (!cli_options(rows, "export [RUN]        (default: the last run)", argc, argv, &first, &status))
        return status;
    if (first + 1 < argc) {
        cli_warn("assay: export: unexpected word '%s'\n", argv[first + 1]);
        return EXIT_USAGE;
    }
    if (export.words != NULL && !export.redact) {
        cli_warn("assay: export: --redact-words goes with --redact\n");
        return EXIT_USAGE;
    }
    export.arena = arena_create();
    status = run_export(&export, db, first < argc ? argv[first] : NULL);
    arena_destroy(export.arena);
    return status;
}
