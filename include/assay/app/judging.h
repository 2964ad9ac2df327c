/* SPDX-License-Identifier: Apache-2.0 */
/* Stored runs, judged again: each by itself, or several as one (judge.h). */
#ifndef ASSAY_APP_JUDGING_H
#define ASSAY_APP_JUDGING_H

#include "assay/judge/judge.h"
#include "assay/plan/plan_build.h"
#include "assay/store/store.h"

struct judging {
    const char *const *words; /* numbers or UUIDs of the runs */
    size_t count;             /* at least 1 */
    const char *baseline; /* name or file, in the place of those of its platforms; NULL: those of the run */
    const char *contract; /* a file, in the place of the run's; NULL */
};

struct judged {
    struct record *record; /* with its new judgement */
    struct plan_sources sources;
    struct judgement before; /* the last one; without verdicts where there was none */
    struct judgement
        as_came; /* of a redacted run, the outcomes that it came with, than which none gets better; else none */
    size_t kept; /* attempts that were not read again: only head and tail of their output are stored */
};

/*
 * Reads the evidence of all of them again by today's parsers, judges them, and stores a judgement of each: of all or of none. In
 * the arena. ERROR_USAGE: there is no such run; one is named twice or still going on; or they are not to be judged as one,
 * with what is in the way: documents that differ, or a machine that is in two of them; or one was redacted before anybody judged it.
 */
int judge_stored(struct store *store, struct arena *arena, const struct judging *judging,
                 struct judged *ret_judged /* judging->count of them */, struct error *err)
    __attribute__((warn_unused_result));

#endif
