/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The manifest of a run, made from this database: every byte of evidence is unpacked and hashed, and so is every
 * row, independent of the ids that this database uses.
 *
 * A table's SHA-256 is over its rows in their order, each value as a letter and its bytes: N for NULL; I and R,
 * the decimal digits of an integer and the 16 hex digits of a double's bits; T and B, the length and the bytes
 * of a text or blob; each ended by a semicolon, a row by a newline. Ids are replaced by the names or hashes of their rows, because another database numbers rows differently.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_tables.h"

static void select_column(struct text *sql, const struct run_table *table, const struct run_column *column)
{
    const struct run_table *target = &run_tables[column->target];

    if (column->kind == COLUMN_WORD)
        text_printf(sql, "(SELECT text FROM word WHERE id=%s.%s)", table->name, column->name);
    else if (column->kind == COLUMN_CONTENT)
        text_printf(sql, "(SELECT sha256 FROM content WHERE id=%s.%s)", table->name, column->name);
    else if (column->kind == COLUMN_REFERENCE)
        text_printf(sql, "(SELECT %s FROM %s WHERE id=%s.%s)", target->identity, target->name, table->name,
                    column->name);
    else
        text_put(sql, column->name);
}

static void add_value(struct sha256 *hash, sqlite3_stmt *statement, int column)
{
    char text[40];
    double real;
    uint64_t bits;
    int length = 0;

    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        snprintf(text, sizeof text, "I%lld;", (long long)sqlite3_column_int64(statement, column));
        break;
    case SQLITE_FLOAT:
        real = sqlite3_column_double(statement, column);
        memcpy(&bits, &real, sizeof bits);
        snprintf(text, sizeof text, "R%016" PRIx64 ";", bits);
        break;
    case SQLITE_TEXT:
    case SQLITE_BLOB:
        length = sqlite3_column_bytes(statement, column);
        snprintf(text, sizeof text,
                 "%c%d:", sqlite3_column_type(statement, column) == SQLITE_TEXT ? 'T' : 'B', length);
        sha256_add(hash, text, strlen(text));
        sha256_add(hash, sqlite3_column_blob(statement, column), (size_t)length);
        snprintf(text, sizeof text, ";");
        break;
    default:
        snprintf(text, sizeof text, "N;");
    }
    sha256_add(hash, text, strlen(text));
}

void digest_add_row(struct sha256 *hash, sqlite3_stmt *statement)
{
    for (int i = 0; i < sqlite3_column_count(statement); i++)
        add_value(hash, statement, i);
    sha256_add(hash, "\n", 1);
}

static int hash_rows(struct store *store, sqlite3_stmt *statement, char ret_sha256[SHA256_HEX_SIZE],
                     struct error *err)
{
    struct sha256 *hash = sha256_create();
    int got;

    while ((got = run_query_next(store, statement, err)) > 0)
        digest_add_row(hash, statement);
    sha256_finish(hash, ret_sha256);
    return got;
}

/* In a cited manifest the columns that it was made over; those that came later are not looked at. */
static bool is_cited(struct arena *arena, const struct manifest_entry *cited, const char *column)
{
    return cited == NULL ||
           strstr(arena_printf(arena, ",%s,", cited->note), arena_printf(arena, ",%s,", column)) != NULL;
}

struct digest {
    struct store *store;
    struct arena *arena;
    long long run;
    const char *judgement;
    const struct manifest *cited;
    struct manifest *manifest;
};

/* note: the columns, for the manifest. */
static int select_rows(struct store *store, struct arena *arena, const struct run_table *table,
                       const struct manifest_entry *cited, struct text *sql, struct text *note,
                       struct error *err)
{
    struct run_columns columns;

    if (run_columns_find(store, arena, table, &columns, err) < 0)
        return -1;
    text_put(sql, "SELECT ");
    for (size_t i = 0; i < columns.list.count; i++) {
        const struct run_column *column = &columns.list.items[i];

        if (column->kind == COLUMN_OWN_ID || !is_cited(arena, cited, column->name))
            continue;
        text_printf(note, "%s%s", note->length > 0 ? "," : "", column->name);
        text_put(sql, note->length > strlen(column->name) ? "," : "");
        select_column(sql, table, column);
    }
    text_printf(sql, " FROM %s WHERE %s ORDER BY %s", table->name, table->rows, table->order);
    return 0;
}

sqlite3_stmt *digest_rows(struct store *store, struct arena *arena, const struct run_table *table,
                          long long run, const char *judgement, struct error *err)
{
    cleanup_text struct text sql = {0}, note = {0};

    text_init(&sql, 1 << 16);
    text_init(&note, 1 << 16);
    if (select_rows(store, arena, table, NULL, &sql, &note, err) < 0)
        return NULL;
    return run_query(store, sql.bytes, run, judgement, err);
}

static int digest_table(struct digest *digest, const struct run_table *table, struct error *err)
{
    const char *path = arena_printf(digest->arena, "table/%s", table->name);
    const struct manifest_entry *cited = manifest_find(digest->cited, path);
    cleanup_text struct text sql = {0}, note = {0};
    char sha256[SHA256_HEX_SIZE];
    sqlite3_stmt *statement;
    int result;

    text_init(&sql, 1 << 16);
    text_init(&note, 1 << 16);
    if (select_rows(digest->store, digest->arena, table, cited, &sql, &note, err) < 0)
        return -1;
    statement = run_query(digest->store, sql.bytes, digest->run, digest->judgement, err);
    result = statement != NULL ? hash_rows(digest->store, statement, sha256, err) : -1;
    sqlite3_finalize(statement);
    if (result == 0) {
        struct manifest_entry *entry =
            manifest_add(digest->arena, digest->manifest, path, note.bytes, sha256);

        if (cited != NULL && strcmp(cited->note, note.bytes) != 0)
            entry->damage = "this database has other columns in it, so it cannot be compared";
    }
    return result;
}

static int digest_tables(struct digest *digest, struct error *err)
{
    for (size_t i = 0; i < run_table_count; i++)
        if (!run_tables[i].local && digest_table(digest, &run_tables[i], err) < 0)
            return -1;
    return 0;
}

/* "node1 and 7 more, all-reduce, attempt 1" */
#define NOTE_OF_ATTEMPT                                                                                     \
    "(SELECT name FROM member JOIN run_host ON run_host.run=member.run AND run_host.n=host WHERE "          \
    "member.run=attempt.run AND member.step=attempt.step AND member.n=0)||(SELECT iif(count(*)>1,' and '||" \
    "(count(*)-1)||' more','') FROM member WHERE member.run=attempt.run AND "                               \
    "member.step=attempt.step)" STEP_OF_ATTEMPT
#define NOTE_OF_WINDOW                                                                                    \
    "(SELECT name FROM window JOIN member ON member.run=attempt.run AND member.step=attempt.step AND "    \
    "member.n=window.member JOIN run_host ON run_host.run=member.run AND run_host.n=host WHERE "          \
    "window.attempt=attempt.id AND window.n=window_capture.window)||(SELECT ' '||role FROM window WHERE " \
    "window.attempt=attempt.id AND window.n=window_capture.window)" STEP_OF_ATTEMPT
#define STEP_OF_ATTEMPT                                                                            \
    "||', '||(SELECT suite_step FROM step JOIN run_shape ON run_shape.run=step.run AND "           \
    "run_shape.n=step.shape "                                                                      \
    "JOIN shape ON shape.id=run_shape.shape WHERE step.run=attempt.run AND step.n=attempt.step)||" \
    "', attempt '||attempt.n"

/* path, note, content, and the SHA-256 of what is not stored whole */
static const char contents_of_run[] =
    "SELECT 'document/'||n, kind||' '||name, content, NULL FROM document WHERE run=?1 "
    "UNION ALL SELECT 'judgement/'||uuid||'/'||n, kind||' '||name, content, NULL FROM judgement_document "
    "JOIN judgement ON judgement.id=judgement WHERE run=?1 "
    "UNION ALL SELECT 'command/'||uuid, " NOTE_OF_ATTEMPT
    ", command, NULL FROM attempt WHERE run=?1 AND command IS NOT NULL "
    "UNION ALL SELECT 'capture/'||uuid||'/'||stream||iif(clipped,'.head',''), " NOTE_OF_ATTEMPT
    ", content, NULL FROM capture JOIN attempt ON attempt.id=attempt WHERE run=?1 AND content IS NOT NULL "
    "UNION ALL SELECT 'capture/'||uuid||'/'||stream||'.tail', " NOTE_OF_ATTEMPT
    ", tail, NULL FROM capture JOIN attempt ON attempt.id=attempt WHERE run=?1 AND tail IS NOT NULL "
    "UNION ALL SELECT 'capture/'||uuid||'/'||stream, " NOTE_OF_ATTEMPT
    "||', of which head and tail are kept', NULL, sha256 FROM capture JOIN attempt ON attempt.id=attempt "
    "WHERE run=?1 AND clipped "
    "UNION ALL SELECT 'capture/'||uuid||'/window-'||window||'/'||stream, " NOTE_OF_WINDOW
    ", content, NULL FROM window_capture JOIN attempt ON attempt.id=attempt WHERE run=?1 AND content IS NOT "
    "NULL ORDER BY 3,1";

/* What is stored once may stand for many outputs: it comes in a row, and is hashed once. */
struct content_hash {
    int64_t id;
    char sha256[SHA256_HEX_SIZE];
    char damage[1024]; /* "" */
};

static void hash_content(struct store *store, int64_t id, const char *path, struct content_hash *ret_hash)
{
    struct arena *arena = arena_create();
    struct error err = {0};
    struct slice bytes;

    ret_hash->id = id;
    ret_hash->damage[0] = '\0';
    if (content_get(store, arena, id, path, &bytes, ret_hash->sha256, &err) < 0)
        snprintf(ret_hash->damage, sizeof ret_hash->damage, "%s", err.text);
    arena_destroy(arena);
}

static const char *text_or_nothing(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);

    return text != NULL ? text : "";
}

/* Of what a later judgement rests on, or was left out by an earlier assay, a cited manifest says nothing. */
static bool is_beside(const struct digest *digest, const char *path)
{
    return digest->cited != NULL && strncmp(path, "judgement/", strlen("judgement/")) == 0 &&
           manifest_find(digest->cited, path) == NULL;
}

static int digest_contents(struct digest *digest, struct error *err)
{
    static const char none[SHA256_HEX_SIZE] =
        "0000000000000000000000000000000000000000000000000000000000000000";
    sqlite3_stmt *statement = run_query(digest->store, contents_of_run, digest->run, NULL, err);
    struct content_hash hash = {.id = -1};
    int got = -1;

    while (statement != NULL && (got = run_query_next(digest->store, statement, err)) > 0) {
        const char *path = text_or_nothing(statement, 0), *kept = text_or_nothing(statement, 3);
        bool stored = sqlite3_column_type(statement, 2) != SQLITE_NULL;
        struct manifest_entry *entry;

        if (is_beside(digest, path))
            continue;
        if (stored && sqlite3_column_int64(statement, 2) != hash.id)
            hash_content(digest->store, sqlite3_column_int64(statement, 2), path, &hash);
        if (!stored && strlen(kept) != SHA256_HEX_SIZE - 1)
            kept = none;
        entry = manifest_add(digest->arena, digest->manifest, path, text_or_nothing(statement, 1),
                             !stored                  ? kept
                             : hash.damage[0] != '\0' ? none
                                                      : hash.sha256);
        if (stored && hash.damage[0] != '\0')
            entry->damage = arena_strdup(digest->arena, hash.damage);
    }
    sqlite3_finalize(statement);
    return got;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(((const struct manifest_entry *)a)->path, ((const struct manifest_entry *)b)->path);
}

static int say_judgement(struct digest *digest, struct error *err)
{
    sqlite3_stmt *statement = run_query(
        digest->store,
        "SELECT uuid FROM judgement WHERE run=?1 AND (?2 IS NULL OR uuid=?2) ORDER BY id DESC LIMIT 1",
        digest->run, digest->judgement, err);
    int got = statement != NULL ? run_query_next(digest->store, statement, err) : -1;

    if (got > 0)
        digest->judgement = arena_strdup(digest->arena, text_or_nothing(statement, 0));
    sqlite3_finalize(statement);
    if (got == 0)
        return error_set(err, ERROR_USAGE, "%s: run %lld has no judgement%s%s", digest->store->path,
                         digest->run, digest->judgement != NULL ? " " : "",
                         digest->judgement != NULL ? digest->judgement : "");
    if (got > 0)
        manifest_say(digest->arena, digest->manifest, "judgement", digest->judgement);
    return got > 0 ? 0 : -1;
}

static int make_manifest(struct digest *digest, struct error *err)
{
    sqlite3_stmt *statement =
        run_query(digest->store, "SELECT uuid FROM run WHERE id=?1", digest->run, NULL, err);
    int got = statement != NULL ? run_query_next(digest->store, statement, err) : -1;

    if (got > 0)
        manifest_say(digest->arena, digest->manifest, "run", text_or_nothing(statement, 0));
    sqlite3_finalize(statement);
    if (got == 0)
        return error_set(err, ERROR_USAGE, "%s: run %lld does not exist", digest->store->path, digest->run);
    if (got < 0 || say_judgement(digest, err) < 0 || digest_contents(digest, err) < 0)
        return -1;
    return digest_tables(digest, err);
}

int store_manifest(struct store *store, struct arena *arena, long long number, const struct manifest *cited,
                   struct manifest *ret_manifest, struct error *err)
{
    struct digest digest = {
        store, arena, number, cited != NULL ? manifest_said(cited, "judgement") : NULL, cited, ret_manifest};

    *ret_manifest = (struct manifest){0};
    if (store_begin_read(store, err) < 0)
        return -1;
    if (store_finish(store, make_manifest(&digest, err), err) < 0)
        return -1;
    qsort(ret_manifest->entries.items, ret_manifest->entries.count, sizeof *ret_manifest->entries.items,
          compare_paths);
    return 0;
}

int store_check(struct store *store, struct error *err)
{
    sqlite3_stmt *statement = run_query(store, "PRAGMA integrity_check(1)", 0, NULL, err);
    int got = statement != NULL ? run_query_next(store, statement, err) : -1;

    if (got > 0 && strcmp(text_or_nothing(statement, 0), "ok") != 0)
        got = error_set(err, ERROR_INTERNAL, "%s: the database is damaged: %s", store->path,
                        text_or_nothing(statement, 0));
    sqlite3_finalize(statement);
    return got > 0 ? 0 : -1;
}
