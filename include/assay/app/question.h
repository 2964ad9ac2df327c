/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of a cluster: hostfile, suite, platforms, baselines and plan, by the words of who asks. */
#ifndef ASSAY_APP_QUESTION_H
#define ASSAY_APP_QUESTION_H

#include "assay/model/hostfile.h"
#include "assay/model/record.h"
#include "assay/plan/plan_build.h"

struct question {
    /* By name or file, as they were given; NULL: not. */
    const char *hostfile, *suite, *baseline, *contract, *hosts, *steps;
    const char *tools, *tools_root; /* of those that ask the hosts */
    const char *exclusive;          /* exclusive_document; NULL */
    const char *max_evidence;       /* "8G"; NULL: the default */
    const char *duration;           /* "24h"; NULL: the suite's */
    bool passwords, sudo_password;  /* some are given for the hosts; one for sudo is among them */
    struct hostfile_names names;    /* NULL: as the hostfile says */
    struct plan_sources sources;
    const struct reason *way; /* how hosts are reached, where that was to be decided (allocation.h); NULL */
    struct plan *plan;
    struct plan_notes notes;
};

int question_make(struct arena *arena, struct question *question, const char *run_uuid, struct error *err)
    __attribute__((warn_unused_result));
/* The first half of it: hostfile, suite, platforms and limits. */
int question_load(struct arena *arena, struct question *question, struct error *err)
    __attribute__((warn_unused_result));
/* The second: the plan of the sources, for the hosts and steps that are named. */
int question_build_plan(struct arena *arena, struct question *question, const char *run_uuid,
                        struct error *err) __attribute__((warn_unused_result));

/* The documents to be kept with a run. */
void question_documents(struct arena *arena, const struct question *question, int argc, char **argv,
                        struct record *record);
/* Adds to them the limits of what is kept of outputs. ERROR_USAGE for a size that is none. */
int question_evidence_limits(struct arena *arena, const struct question *question, struct record *record,
                             struct error *err) __attribute__((warn_unused_result));
/* The lines of a NAMES_DOCUMENT: of both, the first wins. "": nobody says anything. */
const char *question_names_text(struct arena *arena, const struct hostfile_names *first,
                                const struct hostfile_names *second);

#endif
