/* SPDX-License-Identifier: Apache-2.0 */
/* What may be repeated tonight: tests of a suite on hosts of a hostfile, with all that the database knows of both; and the choice
   as suites. */
#ifndef ASSAY_APP_TONIGHT_H
#define ASSAY_APP_TONIGHT_H

#include "assay/app/question.h"
#include "assay/model/history.h"
#include "assay/periodic/periodic.h"
#include "assay/store/store.h"

struct tonight {
    struct periodic_fleet *fleet;
    const struct reason *left_out;    /* steps that are not chosen among; NULL: none */
    LIST_OF(struct history_gap) gaps; /* judged runs that cannot be read, oldest first */
};

/*
 * Of the question's plan the steps over one host are the tests, but for those that last for a time or compare variants, and those
 * that come `last` and do again what an earlier one does; hosts are those that have one of them. Every judged run that was made here
 * counts, whatever its suite: a step of the same name and check on a host of the same name is the same test. Where that suite asked
 * something else of it (arguments, limits, what is a gate), only what failed counts, not that it passed, nor its time. A gate that
 * failed is a defect of its class unless it is waived; one without an answer leaves its class in doubt; one of no class
 * ("sound") that failed is of the host. store NULL: there is no history. All in the arena. ERROR_USAGE: no step of the suite
 * can be repeated, or more than PERIODIC_TESTS_MOST.
 */
int tonight_load(struct arena *arena, const struct question *question, struct store *store,
                 struct tonight *ret_tonight, struct error *err) __attribute__((warn_unused_result));

/* Tests of the menu as a suite of its own, of the purpose `periodic`, which accepts nothing: steps as they stand there, in their order.
   name: its name. The suite's own bytes were read once already. */
int tonight_suite(struct arena *arena, const struct suite *menu, const struct periodic_fleet *fleet,
                  periodic_set tests, const char *name, struct text *out, struct error *err)
    __attribute__((warn_unused_result));

#endif
