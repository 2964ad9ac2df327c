/* SPDX-License-Identifier: Apache-2.0 */
/* A run of many hosts in memory, of the suite `smoke`: every item has a value that meets its limits. */
#ifndef ASSAY_TESTS_JUDGE_BIG_RUN_H
#define ASSAY_TESTS_JUDGE_BIG_RUN_H

#include "assay/plan_build.h"
#include "assay/record.h"

struct big_run {
    struct record record;
    struct plan_sources sources;
    size_t items;
};

/* share_of_hosts_up: the attempts of the others never reached their host. Ends the program where it cannot be made. */
void big_run_make(struct arena *arena, size_t hosts, double share_of_hosts_up, struct big_run *ret_run);

#endif
