/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a preflight found to fix: one entry for each problem, however many hosts have it, with the commands that fix it.
 * They are printed for a person and never run. Owned by report/; all of it lives in the arena of the call.
 */
#ifndef ASSAY_MEND_H
#define ASSAY_MEND_H

#include "assay/model/record.h"

struct mend {
    enum outcome_word word; /* FAIL or INCONCLUSIVE; RECORDED: only remarked on */
    const char *problem;    /* "login refused", "clock"; what nobody has a word for has its check's name */
    const char *check;      /* the step's name */
    const char *metric;     /* of the first item */
    const char *subject;    /* whose: "gpu_burn"; "" the host itself */
    const struct host **members;
    size_t count;      /* of members, in hostfile order */
    const char *hosts; /* them, folded: "node[1-4,7]" */
    const struct reason
        *cause; /* up to three different ones; "HOST" stands for the host where it names itself */
    const struct reason *remedy; /* in words; NULL */
    bool on_hosts; /* the commands are for the hosts; else for the controller, with each host in its place */
    LIST_OF(const char *) commands;
};

/* What was required but could not be checked, of hosts that lack the same. */
struct unasked {
    const char *hosts;          /* "node3" */
    const struct reason *steps; /* "privilege, os" */
};

struct mends {
    LIST_OF(struct mend) items; /* fail, inconclusive, remarks; each in the order of the plan */
    LIST_OF(struct unasked) unasked;
    const char *clean; /* hosts on which everything was checked and nothing has to be fixed, folded; "" */
    size_t clean_count;
};

void report_mends(struct arena *arena, const struct record *record, struct mends *ret_mends);

#endif
