/* SPDX-License-Identifier: Apache-2.0 */
#include "run_tables.h"

#include <string.h>

const struct run_table run_tables[] = {
#define RUN_TABLE(name, rows, order, identity, shared) {#name, rows, order, identity, shared, false, false},
#define SAID_TABLE(name, rows, order, identity, shared) {#name, rows, order, identity, shared, false, true},
#define LOCAL_TABLE(name, rows) {#name, rows, "1", NULL, NULL, true, false},
#include "run_tables.def"
#undef SAID_TABLE
#undef RUN_TABLE
#undef LOCAL_TABLE
};
const size_t run_table_count = ARRAY_SIZE(run_tables);

/* The columns of the two large tables that name words without a REFERENCES clause (schema.c). */
static const struct {
    const char *table, *columns;
} unsaid_words[] = {
    {"measurement", ",metric,subject,at,unit,"},
    {"outcome", ",remedy,limit_text,gate,source,status,"},
};

static bool is_unsaid_word(struct arena *arena, const char *table, const char *column)
{
    for (size_t i = 0; i < ARRAY_SIZE(unsaid_words); i++)
        if (strcmp(unsaid_words[i].table, table) == 0)
            return strstr(unsaid_words[i].columns, arena_printf(arena, ",%s,", column)) != NULL;
    return false;
}

/* run_table_count when it is none that others refer to by id. */
static size_t find_identified(const char *table)
{
    size_t i = 0;

    while (i < run_table_count && (run_tables[i].identity == NULL || strcmp(run_tables[i].name, table) != 0))
        i++;
    return i;
}

sqlite3_stmt *run_query(struct store *store, const char *sql, long long run, const char *judgement,
                        struct error *err)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK) {
        database_error(store, sql, err);
        return NULL;
    }
    if (sqlite3_bind_parameter_count(statement) >= 1)
        sqlite3_bind_int64(statement, 1, run);
    if (sqlite3_bind_parameter_count(statement) >= 2 && judgement != NULL)
        sqlite3_bind_text(statement, 2, judgement, -1, SQLITE_TRANSIENT);
    return statement;
}

int run_query_next(struct store *store, sqlite3_stmt *statement, struct error *err)
{
    switch (sqlite3_step(statement)) {
    case SQLITE_ROW:
        return 1;
    case SQLITE_DONE:
        return 0;
    default:
        return database_error(store, "reading", err);
    }
}

struct foreign_key {
    const char *from, *table, *to;
};
struct foreign_keys {
    LIST_OF(struct foreign_key) list;
};

static int foreign_keys_of(struct store *store, struct arena *arena, const char *table,
                           struct foreign_keys *ret_keys, struct error *err)
{
    sqlite3_stmt *statement = run_query(
        store,
        arena_printf(arena, "SELECT \"from\",\"table\",\"to\" FROM pragma_foreign_key_list('%s')", table), 0,
        NULL, err);
    int got;

    if (statement == NULL)
        return -1;
    while ((got = run_query_next(store, statement, err)) > 0) {
        struct foreign_key *key = list_push(arena, &ret_keys->list);
        const char *to = (const char *)sqlite3_column_text(statement, 2);

        key->from = arena_strdup(arena, (const char *)sqlite3_column_text(statement, 0));
        key->table = arena_strdup(arena, (const char *)sqlite3_column_text(statement, 1));
        key->to = arena_strdup(arena, to != NULL ? to : "id");
    }
    sqlite3_finalize(statement);
    return got;
}

/* What the column refers to by one of the keys of its table, also by way of other tables: member.run is step.run is run.id. */
static int resolve(struct store *store, struct arena *arena, const struct foreign_keys *keys,
                   struct run_column *column, const char *name, struct error *err)
{
    for (size_t i = 0; i < keys->list.count && column->kind == COLUMN_PLAIN; i++) {
        const struct foreign_key *key = &keys->list.items[i];
        bool by_id = strcmp(key->to, "id") == 0;
        struct foreign_keys next = {0};

        if (strcmp(key->from, name) != 0)
            continue;
        if (by_id && strcmp(key->table, "word") == 0)
            column->kind = COLUMN_WORD;
        else if (by_id && strcmp(key->table, "content") == 0)
            column->kind = COLUMN_CONTENT;
        else if (by_id && find_identified(key->table) < run_table_count) {
            column->kind = COLUMN_REFERENCE;
            column->target = find_identified(key->table);
        } else if (foreign_keys_of(store, arena, key->table, &next, err) < 0 ||
                   resolve(store, arena, &next, column, key->to, err) < 0) {
            return -1;
        }
    }
    return 0;
}

int run_columns_find(struct store *store, struct arena *arena, const struct run_table *table,
                     struct run_columns *ret_columns, struct error *err)
{
    sqlite3_stmt *statement = run_query(
        store, arena_printf(arena, "SELECT name,type FROM pragma_table_info('%s') ORDER BY cid", table->name),
        0, NULL, err);
    struct foreign_keys keys = {0};
    int got = statement != NULL ? foreign_keys_of(store, arena, table->name, &keys, err) : -1;

    *ret_columns = (struct run_columns){0};
    while (got >= 0 && (got = run_query_next(store, statement, err)) > 0) {
        struct run_column *column = list_push(arena, &ret_columns->list);

        column->name = arena_strdup(arena, (const char *)sqlite3_column_text(statement, 0));
        column->is_text = strcmp((const char *)sqlite3_column_text(statement, 1), "TEXT") == 0;
    }
    sqlite3_finalize(statement);
    for (size_t i = 0; i < ret_columns->list.count && got == 0; i++) {
        struct run_column *column = &ret_columns->list.items[i];

        if (table->identity != NULL && strcmp(column->name, "id") == 0)
            column->kind = COLUMN_OWN_ID;
        else if (is_unsaid_word(arena, table->name, column->name))
            column->kind = COLUMN_WORD;
        else
            got = resolve(store, arena, &keys, column, column->name, err);
    }
    return got;
}
