/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/store/bundle.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/store/tar.h"
#include "foreign.h"
#include "run_tables.h"

/* In the head of a bundle's manifest, of run.db: SHA-256, and how many bytes. */
#define DATABASE_KEY "run.db"
#define BYTES_KEY "run.db bytes"

/* A database without the bytes of evidence, which stand beside it in the bundle. */
static int strip(const char *path, struct error *err)
{
    struct store *store = store_open(path, false, err);
    int result = store != NULL ? 0 : -1;

    if (store != NULL && sqlite3_exec(store->db, "PRAGMA journal_mode=DELETE; DELETE FROM blob; VACUUM", NULL,
                                      NULL, NULL) != SQLITE_OK)
        result = database_error(store, "writing the bundle", err);
    store_close(store);
    return result;
}

/* Its bytes, which are known before the manifest that names them is written. */
static int make_database(struct store *store, const char *folder, struct text *bytes, struct error *err)
{
    cleanup_text struct text path = {0};
    char *sql = NULL;
    int result = 0;

    text_init(&path, 4096);
    text_printf(&path, "%s/stripped.db", folder);
    sql = sqlite3_mprintf("VACUUM INTO %Q", path.bytes);
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        result = database_error(store, "writing the bundle", err);
    sqlite3_free(sql);
    if (result == 0 && (strip(path.bytes, err) < 0 || file_read(path.bytes, bytes, err) < 0))
        result = -1;
    unlink(path.bytes);
    return result;
}

static int add_content(struct tar_writer *tar, struct store *store, const struct manifest_entry *entry,
                       struct error *err)
{
    struct arena *arena = arena_create();
    char sha256[SHA256_HEX_SIZE];
    struct slice bytes;
    int64_t id;
    int result = store_ask(store, FIND_CONTENT, &id, err, TEXT(entry->sha256));

    /* Of what is too long to be stored only the ends are there, and named beside it. */
    if (result > 0)
        result = content_get(store, arena, id, entry->path, &bytes, sha256, err) < 0
                     ? -1
                     : tar_add(tar, entry->path, bytes, err);
    arena_destroy(arena);
    return result;
}

static bool is_bytes(const struct manifest_entry *entry)
{
    return strncmp(entry->path, "table/", 6) != 0 && strncmp(entry->path, "report/", 7) != 0;
}

/* In a redacted run the bytes have the second hash. */
static struct manifest_entry stored_entry(const struct manifest_entry *entry)
{
    struct manifest_entry stored = *entry;

    if (entry->redacted[0] != '\0')
        memcpy(stored.sha256, entry->redacted, SHA256_HEX_SIZE);
    return stored;
}

/* In the order in which they are read: see next_piece. */
static int add_all(struct tar_writer *tar, struct store *store, const struct text *database,
                   const struct manifest *manifest, struct slice report, struct error *err)
{
    cleanup_text struct text text = {0};

    text_init(&text, (size_t)1 << 30);
    manifest_write(manifest, &text);
    if (tar_add(tar, "manifest", (struct slice){text.bytes, text.length}, err) < 0 ||
        tar_add(tar, "report.json", report, err) < 0 ||
        tar_add(tar, "run.db", (struct slice){database->bytes, database->length}, err) < 0)
        return -1;
    for (size_t i = 0; i < manifest->entries.count; i++) {
        struct manifest_entry stored = stored_entry(&manifest->entries.items[i]);

        if (is_bytes(&stored) && add_content(tar, store, &stored, err) < 0)
            return -1;
    }
    return 0;
}

int bundle_write(const char *path, struct store *store, const char *folder, struct arena *arena,
                 struct manifest *manifest, struct slice report, struct error *err)
{
    cleanup_text struct text database = {0};
    char sha256[SHA256_HEX_SIZE];
    struct tar_writer *tar;

    text_init(&database, (size_t)8 << 30);
    if (make_database(store, folder, &database, err) < 0)
        return -1;
    sha256_hex(database.bytes, database.length, sha256);
    manifest_say(arena, manifest, DATABASE_KEY, sha256);
    manifest_say(arena, manifest, BYTES_KEY, arena_printf(arena, "%zu", database.length));
    tar = tar_create(path, err);
    if (tar == NULL)
        return -1;
    if (add_all(tar, store, &database, manifest, report, err) < 0) {
        tar_abandon(tar);
        return -1;
    }
    return tar_finish(tar, err);
}

/* Of the pieces that come first; those behind them have the length that run.db says, and are in memory one at a time. Outputs
   are kept up to CAPTURE_WHOLE_BYTES, documents are of that order. */
enum { MANIFEST_BYTES = 1 << 29, REPORT_BYTES = 1 << 30, EVIDENCE_BYTES = 1 << 28 };
static const char *const first_pieces[] = {"manifest", "report.json", "run.db"};
enum { PIECE_MANIFEST, PIECE_REPORT, PIECE_DATABASE, PIECE_EVIDENCE };

struct opening {
    const char *path;
    struct arena *arena;
    struct bundle *bundle;
    int piece;           /* that is read */
    size_t entry;        /* of the manifest, whose bytes are next */
    struct text bytes;   /* of the piece, but for run.db */
    int database;        /* an open file without a name, for run.db */
    struct sha256 *hash; /* of the piece */
};

static int wrong(const struct opening *opening, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int wrong(const struct opening *opening, struct error *err, const char *format, ...)
{
    char text[600];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(err, ERROR_USAGE, "%s: %s", opening->path, text);
}

/* Whether run.db has a row for the bytes of the entry, and how many they are. Of what was too long to be kept only the ends
   have one, under entries of their own. */
static int find_length(struct opening *opening, const struct manifest_entry *entry, int64_t *ret_length,
                       struct error *err)
{
    struct manifest_entry stored = stored_entry(entry);

    if (!is_bytes(&stored))
        return 0;
    return store_ask(opening->bundle->store, FIND_CONTENT_LENGTH, ret_length, err, TEXT(stored.sha256));
}

/* The entry whose bytes come next, from opening->entry on: 1, 0 when there is none, -1. */
static int next_entry(struct opening *opening, int64_t *ret_length, struct error *err)
{
    const struct manifest *manifest = &opening->bundle->manifest;
    int found = 0;

    while (opening->entry < manifest->entries.count &&
           (found = find_length(opening, &manifest->entries.items[opening->entry], ret_length, err)) == 0)
        opening->entry++;
    return found;
}

static int begin_evidence(struct opening *opening, const char *name, size_t length, struct error *err)
{
    const struct manifest_entry *entries = opening->bundle->manifest.entries.items;
    int64_t wanted = 0;
    int found = next_entry(opening, &wanted, err);

    if (found < 0)
        return -1;
    if (found == 0)
        return wrong(opening, err, "%s is in it, and its manifest names nothing more", name);
    if (strcmp(entries[opening->entry].path, name) != 0)
        return wrong(opening, err, "%s is in it where its manifest names %s", name,
                     entries[opening->entry].path);
    if (wanted < 0 || length != (uint64_t)wanted)
        return wrong(opening, err, "%s is %zu bytes long, and run.db says %lld", name, length,
                     (long long)wanted);
    if (length > EVIDENCE_BYTES)
        return wrong(opening, err, "%s of %zu bytes is longer than any", name, length);
    return 0;
}

static int begin_first(struct opening *opening, const char *name, size_t length, struct error *err)
{
    const char *said = manifest_said(&opening->bundle->manifest, BYTES_KEY);
    uint64_t database = 0;

    if (strcmp(name, first_pieces[opening->piece]) != 0)
        return wrong(opening, err, "%s is in it where %s belongs", name, first_pieces[opening->piece]);
    if (opening->piece == PIECE_DATABASE && (!scan_u64(slice_of(said), &database) || length != database))
        return wrong(opening, err, "run.db is %zu bytes long, and its manifest says %s%s", length,
                     *said != '\0' ? said : "nothing of it",
                     *said != '\0' ? "" : ": it is of an earlier assay; export the run again");
    if (length > (opening->piece == PIECE_MANIFEST ? MANIFEST_BYTES : REPORT_BYTES) &&
        opening->piece != PIECE_DATABASE)
        return wrong(opening, err, "%s of %zu bytes is longer than any", name, length);
    return 0;
}

static int begin_piece(void *context, const char *name, size_t length, struct error *err)
{
    struct opening *opening = context;

    opening->hash = sha256_create();
    text_reset(&opening->bytes);
    return opening->piece == PIECE_EVIDENCE ? begin_evidence(opening, name, length, err)
                                            : begin_first(opening, name, length, err);
}

static int add_piece(void *context, struct slice bytes, struct error *err)
{
    struct opening *opening = context;

    sha256_add(opening->hash, bytes.bytes, bytes.length);
    if (opening->piece == PIECE_DATABASE)
        return file_put(opening->database, bytes.bytes, bytes.length, "a temporary file", err);
    if (opening->piece != PIECE_REPORT)
        text_add(&opening->bytes, bytes.bytes, bytes.length);
    return 0;
}

static int end_database(struct opening *opening, const char *sha256, struct error *err)
{
    const char *label = arena_printf(opening->arena, "%s: run.db", opening->path);
    struct bundle *bundle = opening->bundle;
    struct run_summary *runs;
    size_t count;

    if (strcmp(manifest_said(&bundle->manifest, DATABASE_KEY), sha256) != 0)
        return wrong(opening, err, "run.db is not the one of its manifest");
    bundle->store = foreign_copy(opening->database, label, manifest_ever_redacted(&bundle->manifest), err);
    if (bundle->store == NULL || store_list_runs(bundle->store, opening->arena, 0, &runs, &count, err) < 0 ||
        run_summary_check(&runs[0], err) < 0)
        return -1;
    if (strcmp(runs[0].uuid, manifest_said(&bundle->manifest, "run")) != 0)
        return wrong(opening, err, "run.db does not hold the run of its manifest");
    bundle->number = runs[0].number;
    if (foreign_check_judgement(bundle->store, bundle->number, manifest_said(&bundle->manifest, "judgement"),
                                label, err) < 0)
        return -1;
    return store_begin(bundle->store, err);
}

static int end_evidence(struct opening *opening, const char *sha256, struct error *err)
{
    const struct manifest_entry *entry = &opening->bundle->manifest.entries.items[opening->entry++];
    struct manifest_entry stored = stored_entry(entry);

    if (strcmp(stored.sha256, sha256) != 0)
        return wrong(opening, err, "%s has SHA-256 %s, and its manifest says %s", entry->path, sha256,
                     stored.sha256);
    return content_fill(opening->bundle->store, (struct slice){opening->bytes.bytes, opening->bytes.length},
                        err);
}

static int end_manifest(struct opening *opening, struct error *err)
{
    struct slice bytes = {arena_strndup(opening->arena, opening->bytes.bytes, opening->bytes.length),
                          opening->bytes.length};

    return manifest_parse(opening->arena, arena_printf(opening->arena, "%s: manifest", opening->path), bytes,
                          &opening->bundle->manifest, err);
}

static int end_report(struct opening *opening, const char *sha256, struct error *err)
{
    const struct manifest_entry *entry = manifest_find(&opening->bundle->manifest, "report/report.json");

    if (entry == NULL || strcmp(entry->sha256, sha256) != 0)
        return wrong(opening, err, "report.json is not the one of its manifest");
    return 0;
}

static int end_piece(void *context, struct error *err)
{
    struct opening *opening = context;
    char sha256[SHA256_HEX_SIZE];

    sha256_finish(steal_pointer(opening->hash), sha256);
    switch (opening->piece) {
    case PIECE_MANIFEST:
        opening->piece++;
        return end_manifest(opening, err);
    case PIECE_REPORT:
        opening->piece++;
        return end_report(opening, sha256, err);
    case PIECE_DATABASE:
        opening->piece++;
        return end_database(opening, sha256, err);
    default:
        return end_evidence(opening, sha256, err);
    }
}

/* Nothing less than the manifest names. */
static int check_whole(struct opening *opening, struct error *err)
{
    int64_t length;
    int found;

    if (opening->piece != PIECE_EVIDENCE)
        return wrong(opening, err, "it is not an evidence bundle: it has no %s",
                     first_pieces[opening->piece]);
    found = next_entry(opening, &length, err);
    if (found > 0)
        return wrong(opening, err, "%s, which its manifest names, is not in it",
                     opening->bundle->manifest.entries.items[opening->entry].path);
    return found;
}

static int read_bundle(struct opening *opening, struct error *err)
{
    const struct tar_reader reader = {opening, begin_piece, add_piece, end_piece};
    struct bundle *bundle = opening->bundle;
    bool sealed = false;
    int result = tar_read(opening->path, &reader, &sealed, bundle->sha256, err);

    if (result == 0)
        result = check_whole(opening, err);
    if (bundle->number > 0)
        result = store_finish(bundle->store, result, err);
    if (result == 0 && !sealed)
        result = wrong(opening, err, "its bytes are not those that were sealed");
    return result;
}

int bundle_open(const char *path, struct arena *arena, struct bundle *ret_bundle, struct error *err)
{
    struct opening opening = {.path = path, .arena = arena, .bundle = ret_bundle};
    char ignored[SHA256_HEX_SIZE];
    int result = -1;

    *ret_bundle = (struct bundle){0};
    text_init(&opening.bytes, REPORT_BYTES);
    opening.database = file_open_nameless(err);
    if (opening.database >= 0) {
        result = read_bundle(&opening, err);
        close(opening.database);
    }
    if (opening.hash != NULL)
        sha256_finish(opening.hash, ignored);
    text_release(&opening.bytes);
    if (result < 0) {
        store_close(ret_bundle->store);
        ret_bundle->store = NULL;
    }
    return result;
}
