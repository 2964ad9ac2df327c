/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables that hold a run, and what their columns are: read from the schema itself, so that a column of a
 * later version is copied and hashed with the others.
 */
#ifndef ASSAY_STORE_RUN_TABLES_H
#define ASSAY_STORE_RUN_TABLES_H

#include "store_private.h"

enum column_kind {
    COLUMN_PLAIN,
    COLUMN_WORD,      /* id of a word */
    COLUMN_CONTENT,   /* id of a content */
    COLUMN_OWN_ID,    /* the row's id, another one in each database */
    COLUMN_REFERENCE, /* id of a row of run_tables[target] */
};

struct run_column {
    const char *name;
    enum column_kind kind;
    bool is_text; /* its declared type, which is that of its values: all tables are STRICT */
    size_t target;
};

struct run_table {
    const char *name, *rows, *order, *identity, *shared;
    bool local, said; /* see run_tables.def */
};
extern const struct run_table run_tables[];
extern const size_t run_table_count;

struct run_columns {
    LIST_OF(struct run_column) list;
};
int run_columns_find(struct store *store, struct arena *arena, const struct run_table *table,
                     struct run_columns *ret_columns, struct error *err) __attribute__((warn_unused_result));

/* Prepares sql, which the caller finalizes; run and judgement (may be NULL) are bound to ?1 and ?2 where it
   has them. NULL with err set. */
sqlite3_stmt *run_query(struct store *store, const char *sql, long long run, const char *judgement,
                        struct error *err) __attribute__((warn_unused_result));
/* 1 with a row, 0 at the end, -1. */
int run_query_next(struct store *store, sqlite3_stmt *statement, struct error *err)
    __attribute__((warn_unused_result));

/* The rows of a table that are of the run, as a manifest has them: with names in the place of ids. judgement:
   of what is said, that and what it rests on; NULL: all. The caller finalizes it. */
sqlite3_stmt *digest_rows(struct store *store, struct arena *arena, const struct run_table *table,
                          long long run, const char *judgement, struct error *err)
    __attribute__((warn_unused_result));
void digest_add_row(struct sha256 *hash, sqlite3_stmt *statement);

#endif
