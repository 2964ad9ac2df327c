/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run in two databases. What it consists of, and the hash of every byte of evidence, is the same row by row, or it is another
 * run. What is said of it, its judgements and waivers, is only ever added to: there one may have rows that the other lacks.
 */
#include <stdlib.h>
#include <string.h>

#include "assay/store/source.h"
#include "run_tables.h"

struct row_hash {
    char sha256[SHA256_HEX_SIZE];
};
struct row_hashes {
    LIST_OF(struct row_hash) rows;
};

static int compare_hashes(const void *a, const void *b)
{
    return memcmp(a, b, SHA256_HEX_SIZE);
}

/* In the order of their hashes. */
static int hash_rows(struct store *store, struct arena *arena, const struct run_table *table, long long run,
                     struct row_hashes *ret_hashes, struct error *err)
{
    sqlite3_stmt *statement = digest_rows(store, arena, table, run, err);
    int got = -1;

    *ret_hashes = (struct row_hashes){0};
    while (statement != NULL && (got = run_query_next(store, statement, err)) > 0) {
        struct sha256 *hash = sha256_create();

        digest_add_row(hash, statement);
        sha256_finish(hash, list_push(arena, &ret_hashes->rows)->sha256);
    }
    sqlite3_finalize(statement);
    if (got == 0 && ret_hashes->rows.count > 1)
        qsort(ret_hashes->rows.items, ret_hashes->rows.count, sizeof *ret_hashes->rows.items, compare_hashes);
    return got;
}

/* Of the whole table: nearly always all is the same. */
static int hash_table(struct store *store, struct arena *arena, const struct run_table *table, long long run,
                      char ret_sha256[SHA256_HEX_SIZE], struct error *err)
{
    sqlite3_stmt *statement = digest_rows(store, arena, table, run, err);
    struct sha256 *hash = sha256_create();
    int got = -1;

    while (statement != NULL && (got = run_query_next(store, statement, err)) > 0)
        digest_add_row(hash, statement);
    sha256_finish(hash, ret_sha256);
    sqlite3_finalize(statement);
    return got;
}

/* Rows of a that b lacks. */
static size_t count_missing(const struct row_hashes *a, const struct row_hashes *b)
{
    size_t missing = 0, k = 0;

    for (size_t i = 0; i < a->rows.count; i++) {
        while (k < b->rows.count && compare_hashes(&b->rows.items[k], &a->rows.items[i]) < 0)
            k++;
        if (k < b->rows.count && compare_hashes(&b->rows.items[k], &a->rows.items[i]) == 0)
            k++;
        else
            missing++;
    }
    return missing;
}

struct pair {
    struct store *source, *here;
    long long number, number_here;
    struct arena *arena;
    bool more, less, other;                   /* what the source has */
    const char *more_in, *less_in, *other_in; /* tables */
};

static void note(struct pair *pair, bool *which, const char **tables, const char *name)
{
    *which = true;
    *tables = arena_printf(pair->arena, "%s%s%s", *tables, **tables != '\0' ? ", " : "", name);
}

static int compare_rows(struct pair *pair, struct arena *arena, const struct run_table *table,
                        struct error *err)
{
    struct row_hashes theirs, ours;
    size_t more, less;

    if (hash_rows(pair->source, arena, table, pair->number, &theirs, err) < 0 ||
        hash_rows(pair->here, arena, table, pair->number_here, &ours, err) < 0)
        return -1;
    more = count_missing(&theirs, &ours);
    less = count_missing(&ours, &theirs);
    if (!table->said && more + less > 0)
        note(pair, &pair->other, &pair->other_in, table->name);
    if (table->said && more > 0)
        note(pair, &pair->more, &pair->more_in, table->name);
    if (table->said && less > 0)
        note(pair, &pair->less, &pair->less_in, table->name);
    return 0;
}

static int compare_table(struct pair *pair, const struct run_table *table, struct error *err)
{
    struct arena *arena = arena_create();
    char theirs[SHA256_HEX_SIZE], ours[SHA256_HEX_SIZE];
    int result = -1;

    if (hash_table(pair->source, arena, table, pair->number, theirs, err) == 0 &&
        hash_table(pair->here, arena, table, pair->number_here, ours, err) == 0)
        result = strcmp(theirs, ours) == 0 ? 0 : compare_rows(pair, arena, table, err);
    arena_destroy(arena);
    return result;
}

static int compare_tables(struct pair *pair, struct error *err)
{
    for (size_t i = 0; i < run_table_count; i++)
        if (!run_tables[i].local && compare_table(pair, &run_tables[i], err) < 0)
            return -1;
    return 0;
}

static enum run_likeness likeness(struct pair *pair, const char **ret_tables)
{
    *ret_tables = pair->other ? pair->other_in : pair->more ? pair->more_in : pair->less_in;
    if (pair->other || (pair->more && pair->less))
        return RUN_OTHER;
    return pair->more ? RUN_MORE : pair->less ? RUN_LESS : RUN_SAME;
}

int source_compare(struct store *source, long long number, struct store *here, long long number_here,
                   struct arena *arena, enum run_likeness *ret_likeness, const char **ret_tables,
                   struct error *err)
{
    struct pair pair = {.source = source,
                        .here = here,
                        .number = number,
                        .number_here = number_here,
                        .arena = arena,
                        .more_in = "",
                        .less_in = "",
                        .other_in = ""};

    if (compare_tables(&pair, err) < 0)
        return -1;
    *ret_likeness = likeness(&pair, ret_tables);
    return 0;
}
