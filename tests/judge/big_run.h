/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of many hosts in memory: plan and limits as the program itself makes them, and attempts without a command: every
   item has a value that meets its limits. */
#ifndef ASSAY_TESTS_JUDGE_BIG_RUN_H
#define ASSAY_TESTS_JUDGE_BIG_RUN_H

#include "assay/model/record.h"
#include "assay/plan/plan_build.h"

/* What may exist once: all have their own; parts of which some tell none tell none; all have the same. */
enum big_serials { SERIALS_OWN, SERIALS_UNTOLD, SERIALS_ONE };

struct big_run {
    struct record record;
    struct plan_sources sources;
    size_t items;
    enum big_serials serials; /* set before it is tried */
};

/* What is planned: hosts as a hostfile has them, a built-in suite by its name or one as it is, and of that only these steps (NULL behind the last;
   NULL: all), as if it had no others. Nothing was tried yet. Ends the program where it cannot be made. */
void big_run_plan(struct arena *arena, const char *hostfile, const char *suite, const char *const *steps,
                  struct big_run *ret_run);
/* One more attempt of that step, whole, in the record's arena. up: else it never reached its host. */
struct attempt *big_run_try(struct big_run *run, size_t step, bool up);

/* Of the suite `smoke`, with an attempt of each step. share_of_hosts_up: the attempts of the others never reached their
   host. */
void big_run_make(struct arena *arena, size_t hosts, double share_of_hosts_up, enum big_serials serials,
                  struct big_run *ret_run);

#endif
