/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "run_tables.h"

int store_load_pseudonyms(struct store *store, struct arena *arena, struct pseudonyms *ret_pseudonyms,
                          struct error *err)
{
    sqlite3_stmt *statement =
        run_query(store, "SELECT kind,name,n FROM pseudonym ORDER BY kind,n", 0, NULL, err);
    int got = -1;

    *ret_pseudonyms = (struct pseudonyms){0};
    while (statement != NULL && (got = run_query_next(store, statement, err)) > 0) {
        struct pseudonym *pseudonym = list_push(arena, &ret_pseudonyms->list);

        pseudonym->kind = arena_strdup(arena, (const char *)sqlite3_column_text(statement, 0));
        pseudonym->name = arena_strdup(arena, (const char *)sqlite3_column_text(statement, 1));
        pseudonym->n = sqlite3_column_int64(statement, 2);
    }
    sqlite3_finalize(statement);
    return got;
}

static int put_all(struct store *store, const struct pseudonyms *pseudonyms, size_t first, struct error *err)
{
    for (size_t i = first; i < pseudonyms->list.count; i++) {
        const struct pseudonym *pseudonym = &pseudonyms->list.items[i];

        if (store_exec(store, INSERT_PSEUDONYM, err, TEXT(pseudonym->kind), TEXT(pseudonym->name),
                       INTEGER(pseudonym->n)) < 0)
            return -1;
    }
    return 0;
}

int store_put_pseudonyms(struct store *store, const struct pseudonyms *pseudonyms, size_t first,
                         struct error *err)
{
    if (store_begin(store, err) < 0)
        return -1;
    return store_finish(store, put_all(store, pseudonyms, first, err), err);
}

/* 1 with the key, 0: there is none, -1. */
static int load_key(struct store *store, char ret_key[REDACTION_KEY_SIZE], struct error *err)
{
    sqlite3_stmt *statement = run_query(store, "SELECT key FROM redaction_key", 0, NULL, err);
    int got = statement != NULL ? run_query_next(store, statement, err) : -1;

    if (got > 0 && sqlite3_column_bytes(statement, 0) == REDACTION_KEY_SIZE - 1)
        memcpy(ret_key, sqlite3_column_text(statement, 0), REDACTION_KEY_SIZE);
    else if (got > 0)
        got = store_damage(store, err, "its redaction key is none");
    sqlite3_finalize(statement);
    return got;
}

int store_find_redaction_key(struct store *store, char ret_key[REDACTION_KEY_SIZE], struct error *err)
{
    ret_key[0] = '\0';
    return load_key(store, ret_key, err) < 0 ? -1 : 0;
}

static int make_key(struct store *store, char ret_key[REDACTION_KEY_SIZE], struct error *err)
{
    unsigned char bytes[(REDACTION_KEY_SIZE - 1) / 2];
    int got = load_key(store, ret_key, err);

    if (got != 0)
        return got < 0 ? -1 : 0;
    random_bytes(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(ret_key + 2 * i, 3, "%02x", bytes[i]);
    return store_exec(store, INSERT_REDACTION_KEY, err, TEXT(ret_key));
}

int store_redaction_key(struct store *store, char ret_key[REDACTION_KEY_SIZE], struct error *err)
{
    if (store_begin(store, err) < 0)
        return -1;
    return store_finish(store, make_key(store, ret_key, err), err);
}

const char *store_controller_host(struct store *store, struct arena *arena, long long number,
                                  struct error *err)
{
    sqlite3_stmt *statement =
        run_query(store, "SELECT controller_host FROM run WHERE id=?1", number, NULL, err);
    int got = statement != NULL ? run_query_next(store, statement, err) : -1;
    const char *host = NULL;

    if (got > 0)
        host = arena_strdup(arena, (const char *)sqlite3_column_text(statement, 0));
    else if (got == 0)
        error_set(err, ERROR_USAGE, "%s: run %lld does not exist", store->path, number);
    sqlite3_finalize(statement);
    return host;
}
