/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ethernet with ECMP: which rounds of flows load every link, as far as chance goes.
 *
 * A flow is several streams (queue pairs, each with a UDP source port of its own). At each switch a stream takes any of the
 * links that begin a shortest way to the destination's leaf, each with the same chance; the hash behind that is the switch's,
 * and nobody outside knows it. So nobody can plan what crosses a link, only what to expect.
 *
 * In a round each adapter that takes part sends to one other and receives from one: all of them, in the order of their
 * leaves, shifted by the same distance. Far shifts load what is between leaves, near ones the hosts' links where the fabric
 * above carries less than these. Which shift is next is chosen by what it adds; each has source ports of its own, so that
 * rounds are independent of each other.
 *
 * The load of a link is held against a binomial with the same mean and variance, which is the load itself where all streams
 * are of one size and one chance. Streams that meet on a link beyond what it carries share it evenly, and then are as slow on
 * all other links: as they are on the average of their shortest ways, which is what a fair network gives at least.
 */
#ifndef ASSAY_FABRIC_ECMP_H
#define ASSAY_FABRIC_ECMP_H

#include "assay/fabric/schedule.h"

enum {
    FABRIC_ROUNDS_LEAST = 3, /* for fabric_compare_siblings */
    FABRIC_ROUNDS_MOST = 64,
    FABRIC_STREAMS_MOST = 65536,
    FABRIC_LEAVES_LEAST = 4, /* likewise */
};

/* The switches above the adapters of a question, and how far each is from each leaf. */
struct fabric_ecmp;
/* rounds_most of the question is of no concern. Everything in the arena. */
struct fabric_ecmp *fabric_ecmp_new(struct arena *arena, const struct fabric *fabric,
                                    const struct fabric_question *question);
size_t fabric_ecmp_leaves(const struct fabric_ecmp *ecmp);
/* How many levels of switches there are: 2 of leaves and spines. */
unsigned fabric_ecmp_levels(const struct fabric_ecmp *ecmp);
/* Links that join two switches as far from the hosts as each other: a tree has none. */
size_t fabric_ecmp_level_links(const struct fabric_ecmp *ecmp);

/* The ways of one stream, as fabric_route gives those of a flow; draw: any number, the switch's hash. 0: no way leads there. */
unsigned fabric_ecmp_route(const struct fabric_ecmp *ecmp, struct fabric_flow flow,
                           uint64_t (*draw)(void *context), void *context,
                           uint32_t ret_ways[FABRIC_HOPS_MAX]);

struct fabric_ecmp_plan {
    /* flows and ends of the rounds; gaps: FABRIC_COVERED where the chance is half and more; links. */
    struct fabric_schedule *schedule;
    double *chances; /* of each way: to carry FABRIC_PLANNED of its rate in one of the rounds */
    double expected[FABRIC_ROUNDS_MOST]; /* after each round: the share of links that do, both ways */
};

/*
 * Rounds until FABRIC_ENOUGH of the links are expected to be covered, FABRIC_ROUNDS_LEAST at least, or no further one adds to
 * that, or rounds_most of the question are there. streams: of each flow, 1 and more. Everything in the arena.
 */
struct fabric_ecmp_plan *fabric_ecmp_plan(struct arena *arena, const struct fabric *fabric,
                                          const struct fabric_question *question, unsigned streams);

/* --- beside its siblings --- */

/* A link that carried much less both ways than its siblings, links of the same rate from the same switch one level up, and
   neither way half of its rate in any round. */
struct fabric_sibling {
    uint32_t link;
    double up, down; /* what it carried, as a share of their median */
};
struct fabric_siblings {
    LIST_OF(struct fabric_sibling) items;
    size_t compared; /* links that have enough siblings */
    bool
        uneven; /* so many carried less that no fault of one link is it: the hash, or what it is given, is not even */
};
#define FABRIC_SIBLING_SLOW \
    0.75 /* below this share of the median, and below what chance explains (FABRIC_BY_NOISE) */

/*
 * A hash gives each of them the same load on the average, and that of the two ways of a link is drawn apart: low both ways by
 * chance is as seldom as the product. Holds for the rounds of fabric_ecmp_plan, FABRIC_ROUNDS_LEAST of them and more, between
 * FABRIC_LEAVES_LEAST leaves and more: between fewer two links may carry the same streams. carried: bits of each way over all rounds; NAN: nobody counted. proven: of each way, that it carried half once. Everything in the arena.
 */
void fabric_compare_siblings(struct arena *arena, const struct fabric_ecmp *ecmp, const double *carried,
                             const bool *proven, struct fabric_siblings *ret_siblings);

#endif
