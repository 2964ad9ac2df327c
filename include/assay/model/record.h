/* SPDX-License-Identifier: Apache-2.0 */
/* A run as the store keeps it and the report shows it. */
#ifndef ASSAY_RECORD_H
#define ASSAY_RECORD_H

#include "assay/model/attempt.h"
#include "assay/model/document.h"
#include "assay/model/outcome.h"
#include "assay/model/plan.h"
#include "assay/model/standing.h"
#include "assay/model/waiver.h"

enum run_state { RUN_RUNNING, RUN_ENDED, RUN_INTERRUPTED, RUN_CANCELLED };

/* Of a run that another party made and that came in a bundle: what it says is theirs. Its verdict was given by them, its
   waivers are not in force until somebody here adopts them, and nothing of it counts in what own runs are compared with. */
struct run_origin {
    double imported;              /* Unix time, s */
    const char *bundle;           /* name of the file */
    char sha256[SHA256_HEX_SIZE]; /* of the file */
    bool redacted;
    bool judged_here;    /* its last judgement was made by us, not by them */
    const char *signers; /* whose good signatures it was compared with at import, one a line; "": unsigned */
};

struct earlier;    /* compare.h */
struct site_place; /* site.h */
struct record {
    struct arena *arena; /* everything below lives here */
    long long number;    /* in this database */
    const char *uuid;
    enum run_state state;
    double started, ended;                      /* Unix time, s; ended 0 while it runs */
    const char *suite, *suite_title, *hostfile; /* names for people */
    const char *program;                        /* "assay 0.1.0" */
    const char *controller;                     /* host name of the machine that drove it */
    const struct run_origin *origin;            /* NULL: it was made here */
    struct documents documents;
    struct plan *plan;
    LIST_OF(struct attempt) attempts; /* in the order they were made */
    LIST_OF(struct waiver) waivers;   /* all that were made of this run, in that order */
    double now; /* the time that it is judged for: which waivers are in force. 0: none is */
    struct judgement judgement;
    struct standing standing; /* of all of the above, as the store found it when it was loaded; 0: a trial */
    const struct earlier
        *earlier; /* what a report compares it with; NULL: with nothing. The store leaves it so */
    /* The last preflight of its hostfile before it, for the report; NULL: there is none, or nobody looked for it. */
    const struct record *preflight;
    struct slice
        names; /* as a NAMES_DOCUMENT: what this report calls it in place of what the run is called; or none */
    unsigned appendices;           /* which of them the HTML report prints too: report.h */
    const struct site_place *site; /* where the HTML report lies in a site; NULL: it stands alone */
};

const char *run_state_name(enum run_state state);

#endif
