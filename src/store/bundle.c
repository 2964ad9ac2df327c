/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/bundle.h"

#include <string.h>
#include <unistd.h>

#include "assay/files.h"
#include "run_tables.h"
#include "tar.h"

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

static int add_database(struct tar_writer *tar, struct store *store, const char *folder, struct error *err)
{
    cleanup_text struct text bytes = {0}, path = {0};
    char *sql = NULL;
    int result = 0;

    text_init(&path, 4096);
    text_init(&bytes, (size_t)8 << 30);
    text_printf(&path, "%s/stripped.db", folder);
    sql = sqlite3_mprintf("VACUUM INTO %Q", path.bytes);
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        result = database_error(store, "writing the bundle", err);
    sqlite3_free(sql);
    if (result == 0 && (strip(path.bytes, err) < 0 || file_read(path.bytes, &bytes, err) < 0 ||
                        tar_add(tar, "run.db", (struct slice){bytes.bytes, bytes.length}, err) < 0))
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

static int add_all(struct tar_writer *tar, struct store *store, const char *folder,
                   const struct manifest *manifest, struct slice report, struct error *err)
{
    cleanup_text struct text text = {0};

    text_init(&text, (size_t)1 << 30);
    manifest_write(manifest, &text);
    if (tar_add(tar, "manifest", (struct slice){text.bytes, text.length}, err) < 0 ||
        tar_add(tar, "report.json", report, err) < 0 || add_database(tar, store, folder, err) < 0)
        return -1;
    for (size_t i = 0; i < manifest->entries.count; i++) {
        struct manifest_entry stored = stored_entry(&manifest->entries.items[i]);

        if (is_bytes(&stored) && add_content(tar, store, &stored, err) < 0)
            return -1;
    }
    return 0;
}

int bundle_write(const char *path, struct store *store, const char *folder, const struct manifest *manifest,
                 struct slice report, struct error *err)
{
    struct tar_writer *tar = tar_create(path, err);

    if (tar == NULL)
        return -1;
    if (add_all(tar, store, folder, manifest, report, err) < 0) {
        tar_abandon(tar);
        return -1;
    }
    return tar_finish(tar, err);
}

struct opening {
    const char *path, *folder;
    struct arena *arena;
    struct bundle *bundle;
};

static struct slice kept(struct arena *arena, struct slice bytes)
{
    return (struct slice){arena_strndup(arena, bytes.bytes, bytes.length), bytes.length};
}

/* What came from elsewhere may hold tables, and nothing that acts. */
static int check_schema(struct store *store, const char *bundle, struct error *err)
{
    sqlite3_stmt *statement = run_query(
        store, "SELECT name FROM sqlite_schema WHERE type NOT IN ('table','index') LIMIT 1", 0, NULL, err);
    int got = statement != NULL ? run_query_next(store, statement, err) : -1;

    sqlite3_finalize(statement);
    if (got > 0)
        return error_set(err, ERROR_USAGE, "%s: run.db has triggers or views: no assay wrote it", bundle);
    return got < 0 ? -1 : store_check(store, err);
}

static int open_database(struct opening *opening, struct slice bytes, struct error *err)
{
    const char *path = arena_printf(opening->arena, "%s/run.db", opening->folder);
    struct run_summary *runs;
    size_t count;

    if (opening->bundle->store != NULL)
        return error_set(err, ERROR_USAGE, "%s: run.db stands there twice", opening->path);
    if (file_write(path, bytes.bytes, bytes.length, 0600, err) < 0)
        return -1;
    opening->bundle->store = store_open(path, false, err);
    if (opening->bundle->store == NULL || check_schema(opening->bundle->store, opening->path, err) < 0 ||
        store_list_runs(opening->bundle->store, opening->arena, 0, &runs, &count, err) < 0)
        return error_set(err, ERROR_USAGE, "%s: run.db is damaged: %s", opening->path,
                         arena_strdup(opening->arena, err->text));
    if (count != 1 || strcmp(runs[0].uuid, manifest_said(&opening->bundle->manifest, "run")) != 0)
        return error_set(err, ERROR_USAGE, "%s: run.db does not hold the run of the manifest", opening->path);
    opening->bundle->number = runs[0].number;
    return store_begin(opening->bundle->store, err);
}

static int take_entry(void *context, const char *name, struct slice bytes, struct error *err)
{
    struct opening *opening = context;
    struct bundle *bundle = opening->bundle;

    if (strcmp(name, "manifest") == 0) {
        bytes = kept(opening->arena, bytes);
        return manifest_parse(opening->arena, arena_printf(opening->arena, "%s: manifest", opening->path),
                              bytes, &bundle->manifest, err);
    }
    if (strcmp(name, "report.json") == 0) {
        bundle->report = kept(opening->arena, bytes);
        return 0;
    }
    if (strcmp(name, "run.db") == 0)
        return open_database(opening, bytes, err);
    if (bundle->store == NULL)
        return error_set(err, ERROR_USAGE, "%s: %s stands before run.db", opening->path, name);
    return content_fill(bundle->store, bytes, err);
}

int bundle_open(const char *path, const char *folder, struct arena *arena, struct bundle *ret_bundle,
                struct error *err)
{
    struct opening opening = {path, folder, arena, ret_bundle};
    struct tar_reader reader = {&opening, take_entry};
    bool sealed = false;
    int result;

    *ret_bundle = (struct bundle){0};
    result = tar_read(path, &reader, &sealed, err);
    if (ret_bundle->number > 0)
        result = store_finish(ret_bundle->store, result, err);
    else if (result == 0)
        result = error_set(err, ERROR_USAGE, "%s is no evidence bundle: there is no run.db in it", path);
    if (!sealed)
        ret_bundle->unsealed = "the bytes of the file are not those that were sealed";
    if (result < 0) {
        store_close(ret_bundle->store);
        ret_bundle->store = NULL;
    }
    return result;
}
