/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_STORE_FOREIGN_H
#define ASSAY_STORE_FOREIGN_H

#include "store_private.h"

/*
 * The run of a database that another party wrote, in one of our own that has no name and is gone when it is closed. fd: the
 * file, which nobody may change meanwhile; label: what it is, for messages. NULL with err set, ERROR_USAGE where the
 * file is not exactly what assay writes: another schema than that of its format, rows that break it, that refer to nothing
 * or are not of its one run, what a plan owes under another's hash, texts with a NUL, values of more than 16 MiB, or
 * where reading it takes longer than ten minutes. redacted: its manifest says that its texts were rewritten.
 */
struct store *foreign_copy(int fd, const char *label, bool redacted, struct error *err)
    __attribute__((warn_unused_result));

/* The same of a database with any number of runs, also none. What is looked at here is of all of them: schema, rows, names.
   Of the one that is taken, foreign_check_run looks at what its plan requires. */
struct store *foreign_copy_all(int fd, const char *label, struct error *err)
    __attribute__((warn_unused_result));
int foreign_check_run(struct store *store, long long run, const char *label, struct error *err)
    __attribute__((warn_unused_result));

/* That of its tables nothing is of the run `run` but what is of the judgement, which a manifest is of, and what that rests
   on ("": none): of what else there is, no hash is in the manifest. ERROR_USAGE. */
int foreign_check_judgement(struct store *store, long long run, const char *judgement, const char *label,
                            struct error *err) __attribute__((warn_unused_result));

#endif
