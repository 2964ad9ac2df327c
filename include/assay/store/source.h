/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A database that another controller wrote, to take runs out of. It is another party's file: it is only read, as it stands at
 * one moment, and what is read of it is rows of known tables (foreign.h). Nothing is written to it, to its WAL or to its folder.
 */
#ifndef ASSAY_STORE_SOURCE_H
#define ASSAY_STORE_SOURCE_H

#include <stdbool.h>

#include "assay/base/sha256.h"
#include "assay/store/store.h"

/* Whether the file says that it is an SQLite database, and not a bundle. ERROR_USAGE where it is no file that can be read. */
int source_is_database(const char *path, bool *ret_is, struct error *err) __attribute__((warn_unused_result));

struct source {
    struct store *store; /* its rows, in our format, in a file without a name; the caller closes it */
    char sha256[SHA256_HEX_SIZE]; /* of the database as it was read, with what its WAL had */
};
/* folder: for files that are gone again afterwards. ERROR_USAGE where the file is not exactly what assay writes, or where
   another process has not let it be for a second. */
int source_open(const char *path, const char *folder, struct source *ret_source, struct error *err)
    __attribute__((warn_unused_result));

/* How a run of a source stands to the one with its UUID that is here. */
enum run_likeness {
    RUN_SAME,
    RUN_SAID_OTHERWISE, /* it is the same run, and its judgements or waivers are not the same */
    RUN_OTHER,          /* what it consists of is not the same */
};
/* judgement: of what is said, that and what it rests on; NULL: all. *ret_tables: those that differ, "outcome, verdict"; in the arena. */
int source_compare(struct store *source, long long number, struct store *here, long long number_here,
                   const char *judgement, struct arena *arena, enum run_likeness *ret_likeness,
                   const char **ret_tables, struct error *err) __attribute__((warn_unused_result));
/* Whether more is said of the run than this judgement and what it rests on: nobody who signs the one signs the other. */
int source_has_more(const struct source *source, long long number, const char *judgement, bool *ret_has,
                    struct error *err) __attribute__((warn_unused_result));
/* What the plan of a run requires must have the hash by which runs share it: of each run that is taken. ERROR_USAGE. */
int source_check_run(const struct source *source, long long number, struct error *err)
    __attribute__((warn_unused_result));

#endif
