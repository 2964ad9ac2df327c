/* SPDX-License-Identifier: Apache-2.0 */
/* A run as the store keeps it and the report shows it. */
#ifndef ASSAY_RECORD_H
#define ASSAY_RECORD_H

#include "assay/attempt.h"
#include "assay/document.h"
#include "assay/outcome.h"
#include "assay/plan.h"
#include "assay/waiver.h"

enum run_state { RUN_RUNNING, RUN_ENDED, RUN_INTERRUPTED, RUN_CANCELLED };

struct earlier; /* compare.h */
struct record {
    struct arena *arena; /* everything below lives here */
    long long number;    /* in this database */
    const char *uuid;
    enum run_state state;
    double started, ended;                      /* Unix time, s; ended 0 while it runs */
    const char *suite, *suite_title, *hostfile; /* names for people */
    const char *program;                        /* "assay 0.1.0" */
    struct documents documents;
    struct plan *plan;
    LIST_OF(struct attempt) attempts; /* in the order they were made */
    LIST_OF(struct waiver) waivers;   /* all that were made of this run, in that order */
    double now; /* the time that it is judged for: which waivers are in force. 0: none is */
    struct judgement judgement;
    const struct earlier
        *earlier; /* what a report compares it with; NULL: with nothing. The store leaves it so */
    /* The last preflight of its hostfile before it, for the report; NULL: there is none, or nobody looked for it. */
    const struct record *preflight;
};

const char *run_state_name(enum run_state state);

#endif
