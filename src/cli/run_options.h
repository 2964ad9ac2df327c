/* SPDX-License-Identifier: Apache-2.0 */
/* What a run is asked for, by `assay run` and by commands that go on with one. */
#ifndef ASSAY_RUN_OPTIONS_H
#define ASSAY_RUN_OPTIONS_H

#include "access.h"
#include "assay/app/exclusive.h"
#include "assay/app/question.h"
#include "cli.h"

struct run_options {
    struct question plan;
    const char *db, *resume, *progress, *report;
    struct access access;
    struct exclusive_options exclusive;
    unsigned hosts_at_once; /* 0: all */
    bool detach;
    bool allow_active; /* also on hosts in production */
    bool cancel;       /* with resume: ends what still runs on the hosts, and begins nothing */
};

/* Carries the run out and prints what became of it; the exit status. argv is kept with a new run. */
int run_with(const struct run_options *options, int argc, char **argv);

#endif
