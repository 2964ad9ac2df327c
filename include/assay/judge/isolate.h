/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Isolation: which host, leaf or link makes a group of hosts slow. Pure: the tests so far in, the next tests
 * out, so that a run can be interrupted, resumed and explained; no clock, no randomness except the seed.
 *
 * A test is a collective over some hosts, and its value the bus bandwidth. A test is slow if one of its members, or a path
 * between two of them, is slow. If only neighbours talk (sendrecv: each member to the next, the last to the first), only
 * the paths between neighbours count; a test of some of the hosts, in the same order, keeps them neighbours. Tests of one
 * round share no host and, if leaves are declared, no uplinks of a leaf, so that they can run at the same time without
 * disturbing each other.
 *
 *   1  Pairs: each host with a new partner in each round, until it was fast with two of them, or slow with partners that
 *      are fast with others. If leaves are declared, partners are of the same leaf.
 *   2  All hosts without the suspects, and at the same time each suspect alone: is that all, and is the fault inside the
 *      host (it is slow alone) or on its way out?
 *   3  Leaves in pairs, one host of each, as in 1.
 *   4  A path between two good hosts: halves of all, then halves of the slow half, down to one pair.
 *
 * A suspect needs three slow tests with different partners that are fast elsewhere (two partners, if its leaf has no third),
 * and is not named if a slow path to one of them would explain nearly all of it. With more than two leaves, a leaf is the suspect if
 * several of its hosts are slow on the way to others, and the host if only one is. With two, neither leaf can be told from the other,
 * nor from its host if it has only one; if it has two, the one that is slow across while the other is fast is the suspect.
 */
#ifndef ASSAY_ISOLATE_H
#define ASSAY_ISOLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/base/arena.h"
#include "assay/model/reason.h"

struct isolate_host {
    const char *name;
    unsigned leaf; /* number of its leaf switch, from 0; all 0 where none is declared */
    bool out;      /* it dropped out of the search: its tests so far tell, and it is in no further one */
};

struct isolate_problem {
    const struct isolate_host *hosts;
    size_t host_count;
    double slow;  /* a value this fraction below the healthy one is a fault: 0.10 or more */
    double noise; /* standard deviation of a healthy value, as a fraction of it: 0.02 */
    /* What a healthy test shows; 0: the mean of the pairs that were measured and are not slow compared with the best of them. */
    double healthy;
    unsigned rounds_most;
    uint64_t seed;
};

struct isolate_test {
    unsigned round;        /* from 1; 0: before the search */
    const size_t *members; /* indexes of hosts, ascending */
    size_t count;
    double value;     /* in any unit, the same for all; NAN: it failed or hung, which counts as slow */
    double reference; /* what a healthy test of so many hosts shows; 0: the problem's `healthy` */
};

struct isolate_tests {
    LIST_OF(struct isolate_test) tests;
};

enum isolate_kind { ISOLATE_HOST, ISOLATE_LEAF, ISOLATE_LINK };

struct isolate_accusation {
    enum isolate_kind kind;
    size_t a, b;                     /* host or leaf; b of a link */
    bool inside;                     /* of a host: slow alone too, so the fault is not in the fabric */
    bool intermittent;               /* fast at other times */
    unsigned slow_tests, fast_tests; /* that speak of it */
    /* Upper bound of the chance that noise alone made these tests slow for any host, and of a path that one of its
       ends, slow at times, made it look so. */
    double doubt;
};

struct isolation {
    LIST_OF(struct isolate_accusation) accusations;
    /* Hosts among which there is a fault that could not be told apart; empty when all is explained. */
    LIST_OF(size_t) candidates;
    const struct reason *conclusion;
};

/*
 * Looks at all tests so far (the full run that made somebody ask, if there was one, with round 0). true: ret_next holds
 * the tests of the next round, with value 0. false: it is over, and ret_isolation tells what was found. Everything in
 * the arena; `so_far` in any order. A test that gave no value because it was not run is left out of `so_far`.
 */
bool isolate_next(struct arena *arena, const struct isolate_problem *problem,
                  const struct isolate_tests *so_far, struct isolate_tests *ret_next,
                  struct isolation *ret_isolation);

#endif
