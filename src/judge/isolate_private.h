/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_ISOLATE_PRIVATE_H
#define ASSAY_ISOLATE_PRIVATE_H

#include "assay/judge/isolate.h"

enum pace { PACE_FAST, PACE_UNSURE, PACE_SLOW };

/* What a unit (a host, or a leaf) has shown in the tests of its kind. */
enum standing { STANDING_OPEN, STANDING_CLEARED, STANDING_ACCUSED };
struct unit {
    unsigned low, high; /* tests below and above the middle between healthy and faulty */
    unsigned own;       /* tests that no other member excuses, and the sum of their shares */
    double own_sum;
    unsigned blamed, partners; /* low ones that only it can explain, and with how many others */
    double blamed_sum;
    size_t blamed_host; /* the host that stood for it in them, counted from 1 */
    bool blamed_hosts;  /* there were several, as a leaf has */
    double unexplained; /* as odds, of low ones that it or another may explain */
    double odds;        /* that it is slow at times rather than never: sum of what its tests say */
    /* The most of the odds that tests of the same hosts tell, of which a slow path between them may be the cause. */
    double of_one;
    enum standing standing;
};

struct isolate {
    struct arena *arena;
    const struct isolate_problem *problem;
    const struct isolate_tests *so_far;
    double healthy;
    unsigned round; /* the next one */
    unsigned leaf_count;
    size_t out_count; /* hosts that dropped out */
    bool at_times;    /* the fault comes and goes, as it seems: two fast tests clear nobody */
    struct unit *hosts, *leaves;
    size_t *paths;  /* of a host that is excluded for a path: the other end, counted from 1; 0: it is not */
    bool *excluded; /* hosts that an accusation explains, and those that dropped out */
    /* The next round: what is taken. */
    struct isolate_tests *next;
    bool *host_taken, *leaf_taken;
    struct isolation *result;
};

/* The value as a share of the healthy one; 0 for a test that failed. */
double isolate_share(const struct isolate *isolate, const struct isolate_test *test);
/* The share in the middle between healthy and faulty, and the standard deviation of the mean of n tests. */
double isolate_middle(const struct isolate *isolate);
double isolate_deviation(const struct isolate *isolate, unsigned n);
/* What the mean of all tests of exactly these hosts (ascending) says, when there are so many of them. */
enum pace isolate_pace_of(const struct isolate *isolate, const size_t *members, size_t count, unsigned tests);
/* Number of tests of exactly these hosts, and the mean of their shares. */
unsigned isolate_mean(const struct isolate *isolate, const size_t *members, size_t count, double *ret_mean);
/* Bound of the chance that noise made one of `among` healthy things show this mean in n tests. */
double isolate_doubt(const struct isolate *isolate, double mean, unsigned n, size_t among);
/*
 * How much more likely the value is with a fault than without, as a natural logarithm: positive below the middle.
 * isolate_at_times makes of it the same for a fault that shows in such a share of all tests. isolate_sure: what the sum
 * must be to accuse one of so many of that, each of them having the same chance to be it.
 */
double isolate_evidence(const struct isolate *isolate, const struct isolate_test *test);
double isolate_at_times(double evidence, double share);
double isolate_sure(size_t among);
bool isolate_crosses_leaves(const struct isolate *isolate, const size_t *members, size_t count);

/* Puts the test into the next round where nothing that it uses is taken; false: not now. */
bool isolate_take(struct isolate *isolate, const size_t *members, size_t count);

/* isolate_units.c: steps 1 and 3. Fills the units from the tests so far. */
void isolate_weigh_hosts(struct isolate *isolate);
void isolate_weigh_leaves(struct isolate *isolate);
/* Tests for the units that are open; false when there are none that would tell more. */
bool isolate_ask_hosts(struct isolate *isolate);
bool isolate_ask_leaves(struct isolate *isolate);

/* isolate_few.c: whether few hosts that seem fast are. FEW_ASKING: pairs are taken; FEW_ARE_SLOWER: one of them is slow, for healthy
   ones show more than was thought, which `healthy` says now. */
enum few { FEW_ARE_FAST, FEW_ASKING, FEW_ARE_SLOWER };
enum few isolate_ask_few(struct isolate *isolate);

/* isolate_two_leaves.c: after step 3, where hosts of two leaves are left. TWO_LEAVES_ASKING: pairs are taken; TWO_LEAVES_FOUND: a host is
   accused; TWO_LEAVES_SLOW: all across is slow, and what of it is not told; TWO_LEAVES_ELSE: nothing of that. */
enum two_leaves { TWO_LEAVES_ELSE, TWO_LEAVES_ASKING, TWO_LEAVES_FOUND, TWO_LEAVES_SLOW };
enum two_leaves isolate_two_leaves(struct isolate *isolate);

/* isolate_link.c: step 4, over hosts that are not excluded. */
enum link_search {
    LINK_ASKING,
    LINK_FOUND,
    LINK_NOT_FOUND,
    LINK_EVERYWHERE, /* every part of them is slow by itself */
};
enum link_search isolate_search_link(struct isolate *isolate, struct isolate_accusation *ret_link);

#endif
