/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated fabric to try the search for slow hosts, leaves and links on. */
#ifndef ASSAY_TESTS_JUDGE_SIMULATE_H
#define ASSAY_TESTS_JUDGE_SIMULATE_H

#include "assay/judge/isolate.h"

/* One kind of trial; faults are put at random places. */
struct scenario {
    const char *name;
    size_t hosts, hosts_per_leaf; /* 0: no leaf is declared, and none limits anything */
    double oversubscription;      /* 2: a leaf's uplinks carry half of what its hosts send */
    unsigned bad_hosts, bad_links, bad_leaves;
    size_t bad_from, bad_below; /* bad hosts are these from 0; bad_below 0: any */
    bool neighbours; /* as in sendrecv: each member talks to the next one only, the last to the first */
    unsigned
        drops_in_round; /* a healthy host drops out in this round, and its test gives no value; 0: none does */
    double intermittent; /* share of the tests in which a bad host is slow; 0: always */
    double loss, noise;  /* of a fault: 0.10; standard deviation: 0.02 */
};

struct trial {
    unsigned rounds, tests;
    unsigned found, missed; /* of what was put there */
    unsigned wrong;         /* accusations of what is healthy */
    unsigned candidates;    /* hosts that were not told apart */
};

struct trial simulate_trial(const struct scenario *scenario, uint64_t seed);

#endif
