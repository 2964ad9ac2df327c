/* SPDX-License-Identifier: Apache-2.0 */
/* What mutations work on: first the rows and the schema of run.db, then its bytes, its pieces, the archive, the file. */
#ifndef ASSAY_TESTS_MUTATION_H
#define ASSAY_TESTS_MUTATION_H

#include "pack.h"
#include "variants.h"

enum stage { STAGE_SQL, STAGE_PAGES, STAGE_PIECES, STAGE_TAR, STAGE_FILE };

struct mutant {
    const struct parties *parties;
    struct arena *arena;
    struct chance *chance;
    sqlite3 *db; /* STAGE_SQL: run.db, with constraints off */
    struct text
        *bytes; /* STAGE_PAGES: of run.db; STAGE_TAR: of the archive; STAGE_FILE: of the file, unsealed */
    LIST_OF(struct piece) pieces; /* STAGE_PIECES */
    bool unsealed;                /* nothing, or something wrong, stands for a seal */
    char said[600];
};

/* 0..count-1 */
size_t chance_below(struct chance *chance, size_t count);
void mutant_say(struct mutant *mutant, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* False when SQLite refused, or when nothing was changed. */
bool mutant_sql(struct mutant *mutant, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* One row of one column, at random; NULL when there is none. In the mutant's arena. */
const char *mutant_text(struct mutant *mutant, sqlite3 *db, const char *sql);

struct mutation {
    enum mutation_class class;
    enum stage stage;
    const char *name;
    bool (*apply)(struct mutant *mutant); /* false: it does not apply here */
};
extern const struct mutation sql_mutations[], byte_mutations[];
extern const size_t sql_mutation_count, byte_mutation_count;

#endif
