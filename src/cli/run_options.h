/* SPDX-License-Identifier: Apache-2.0 */
/* What a run is asked for, by `assay run` and by commands that go on with one. */
#ifndef ASSAY_RUN_OPTIONS_H
#define ASSAY_RUN_OPTIONS_H

#include "access.h"
#include "assay/app/begin.h"
#include "cli.h"

struct run_options {
    struct question plan;
    struct begin_options begin;
    const char *db, *progress, *report;
    struct access access;
    bool detach;
};

/* Carries the run out and prints what became of it; the exit status. argv is kept with a new run. */
int run_with(const struct run_options *options, int argc, char **argv);

#endif
