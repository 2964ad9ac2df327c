/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a preflight found to be mended: one entry for one problem of however many hosts, with the commands that mend it.
 * They are printed for a person and never run. Owned by report/; all of it lives in the arena of the call.
 */
#ifndef ASSAY_MEND_H
#define ASSAY_MEND_H

#include "assay/record.h"

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

/* What was owed and could not be asked, of hosts that lack the same. */
struct unasked {
    const char *hosts;          /* "node3" */
    const struct reason *steps; /* "privilege, os" */
};

struct mends {
    LIST_OF(struct mend) items; /* fail, inconclusive, remarks; each in the order of the plan */
    LIST_OF(struct unasked) unasked;
    const char *clean; /* hosts of which everything was asked and nothing is to be mended, folded; "" */
    size_t clean_count;
};

void report_mends(struct arena *arena, const struct record *record, struct mends *ret_mends);

#endif
