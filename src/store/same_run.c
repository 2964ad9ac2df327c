/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run in two databases. What it consists of, and the hash of every byte of evidence, is the same row by row and in the same
 * order, or it is another run. What is said of it, its judgements and waivers, may have been added to in one of them; nothing
 * proves by whom, so which of two is the later word is not for us to say.
 */
#include <string.h>

#include "assay/store/source.h"
#include "foreign.h"
#include "run_tables.h"

static int hash_table(struct store *store, struct arena *arena, const struct run_table *table, long long run,
                      const char *judgement, char ret_sha256[SHA256_HEX_SIZE], struct error *err)
{
    sqlite3_stmt *statement = digest_rows(store, arena, table, run, judgement, err);
    struct sha256 *hash = sha256_create();
    int got = -1;

    while (statement != NULL && (got = run_query_next(store, statement, err)) > 0)
        digest_add_row(hash, statement);
    sha256_finish(hash, ret_sha256);
    sqlite3_finalize(statement);
    return got;
}

int source_compare(struct store *source, long long number, struct store *here, long long number_here,
                   const char *judgement, struct arena *arena, enum run_likeness *ret_likeness,
                   const char **ret_tables, struct error *err)
{
    *ret_likeness = RUN_SAME;
    *ret_tables = "";
    for (size_t i = 0; i < run_table_count; i++) {
        const struct run_table *table = &run_tables[i];
        char theirs[SHA256_HEX_SIZE], ours[SHA256_HEX_SIZE];

        if (table->local)
            continue;
        if (hash_table(source, arena, table, number, judgement, theirs, err) < 0 ||
            hash_table(here, arena, table, number_here, judgement, ours, err) < 0)
            return -1;
        if (strcmp(theirs, ours) == 0)
            continue;
        *ret_likeness = table->said && *ret_likeness != RUN_OTHER ? RUN_SAID_OTHERWISE : RUN_OTHER;
        *ret_tables =
            arena_printf(arena, "%s%s%s", *ret_tables, **ret_tables != '\0' ? ", " : "", table->name);
    }
    return 0;
}

int source_has_more(const struct source *source, long long number, const char *judgement, bool *ret_has,
                    struct error *err)
{
    int result = foreign_check_judgement(source->store, number, judgement, source->store->path, err);

    *ret_has = result < 0;
    if (result == 0 || err->code != ERROR_USAGE)
        return result;
    *err = (struct error){0};
    return 0;
}
