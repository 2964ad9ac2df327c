/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes runs out of the database, and then what nothing refers to any more. SQLite's own look at references would read
 * whole tables for every row that goes; so it looks once, at the end, before anything is committed.
 */
#include <string.h>

#include "run_tables.h"

/* What runs have in common: of these the rows go that are of no run. In the order of run_tables.def from its end. */
static const struct {
    const char *table, *unused;
} common[] = {
    {"item", "id NOT IN (SELECT item FROM sighting)"},
    {"slot_limit", "shape NOT IN (SELECT shape FROM run_shape)"},
    {"slot", "shape NOT IN (SELECT shape FROM run_shape)"},
    {"shape", "id NOT IN (SELECT shape FROM run_shape)"},
};
enum { COMMON = ARRAY_SIZE(common) };

static bool is_common(const char *table)
{
    for (size_t i = 0; i < COMMON; i++)
        if (strcmp(common[i].table, table) == 0)
            return true;
    return false;
}

/* 1 when it had a row, 0, -1. */
static int run_sql(struct store *store, const char *sql, long long run, struct error *err)
{
    sqlite3_stmt *statement = run_query(store, sql, run, NULL, err);
    int got = statement != NULL ? run_query_next(store, statement, err) : -1;

    sqlite3_finalize(statement);
    return got;
}

static int forget_run(struct store *store, struct arena *arena, long long run, struct error *err)
{
    for (size_t i = run_table_count; i-- > 0;) {
        const struct run_table *table = &run_tables[i];
        const char *sql = arena_printf(arena, "DELETE FROM %s WHERE %s", table->name, table->rows);

        if (!is_common(table->name) && run_sql(store, sql, run, err) < 0)
            return -1;
    }
    return 0;
}

/* Every column that refers to kept bytes, as the schema says: "SELECT content FROM capture UNION ALL ...". */
static const char *kept_contents(struct store *store, struct arena *arena, struct error *err)
{
    sqlite3_stmt *statement =
        run_query(store,
                  "SELECT m.name, k.\"from\" FROM sqlite_schema m, pragma_foreign_key_list(m.name) k WHERE "
                  "m.type='table' AND k.\"table\"='content' AND m.name<>'blob'",
                  0, NULL, err);
    const char *all = "SELECT NULL WHERE 0";
    int got = -1;

    while (statement != NULL && (got = run_query_next(store, statement, err)) > 0) {
        const char *table = (const char *)sqlite3_column_text(statement, 0),
                   *column = (const char *)sqlite3_column_text(statement, 1);

        all = arena_printf(arena, "%s UNION ALL SELECT %s FROM %s WHERE %s IS NOT NULL", all, column, table,
                           column);
    }
    sqlite3_finalize(statement);
    return got == 0 ? all : NULL;
}

static int forget_unused(struct store *store, struct arena *arena, struct error *err)
{
    const char *kept = kept_contents(store, arena, err);

    for (size_t i = 0; i < COMMON; i++)
        if (run_sql(store, arena_printf(arena, "DELETE FROM %s WHERE %s", common[i].table, common[i].unused),
                    0, err) < 0)
            return -1;
    if (kept == NULL ||
        run_sql(store, arena_printf(arena, "DELETE FROM blob WHERE content NOT IN (%s)", kept), 0, err) < 0)
        return -1;
    return run_sql(store, arena_printf(arena, "DELETE FROM content WHERE id NOT IN (%s)", kept), 0, err);
}

static int check_references(struct store *store, struct error *err)
{
    sqlite3_stmt *statement = run_query(store, "PRAGMA foreign_key_check", 0, NULL, err);
    int got = statement != NULL ? run_query_next(store, statement, err) : -1;

    if (got > 0)
        got = error_set(err, ERROR_USAGE, "%s: nothing is forgotten, for %s refers to one of these runs",
                        store->path, (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return got;
}

static int forget(struct store *store, struct arena *arena, const long long *numbers, size_t count,
                  struct error *err)
{
    for (size_t i = 0; i < count; i++)
        if (forget_run(store, arena, numbers[i], err) < 0)
            return -1;
    return forget_unused(store, arena, err) < 0 ? -1 : check_references(store, err);
}

int store_forget_runs(struct store *store, const long long *numbers, size_t count, struct error *err)
{
    struct arena *arena = arena_create();
    struct error ignored = {0};
    int result = run_sql(store, "PRAGMA foreign_keys=OFF", 0, err);

    if (result == 0)
        result = store_begin(store, err);
    if (result == 0)
        result = store_finish(store, forget(store, arena, numbers, count, err), err);
    if (run_sql(store, "PRAGMA foreign_keys=ON", 0, result == 0 ? err : &ignored) < 0)
        result = -1;
    arena_destroy(arena);
    return result;
}

int store_shrink(struct store *store, struct error *err)
{
    if (run_sql(store, "VACUUM", 0, err) < 0)
        return -1;
    return run_sql(store, "PRAGMA wal_checkpoint(TRUNCATE)", 0, err) < 0 ? -1 : 0;
}

int store_size(struct store *store, uint64_t *ret_bytes, struct error *err)
{
    sqlite3_stmt *statement = run_query(
        store, "SELECT page_count*page_size FROM pragma_page_count, pragma_page_size", 0, NULL, err);
    int got = statement != NULL ? run_query_next(store, statement, err) : -1;

    if (got > 0)
        *ret_bytes = (uint64_t)sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return got > 0 ? 0 : -1;
}

int store_data_version(struct store *store, long long *ret_version, struct error *err)
{
    sqlite3_stmt *statement = run_query(store, "PRAGMA data_version", 0, NULL, err);
    int got = statement != NULL ? run_query_next(store, statement, err) : -1;

    if (got > 0)
        *ret_version = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return got > 0 ? 0 : -1;
}
