/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which hosts send to which, in rounds, so that every link of a fabric carries load, and one that is slow can be named.
 *
 * In a round all flows run at once. A port is in one flow at most, as sender or as receiver, and no two flows meet on a way
 * beyond what it carries: so each has its whole rate, a flow that is slow is slow by what it crosses, and one that is fast
 * clears all ways that it crossed.
 *
 * A way is covered when the flows of one round put at least FABRIC_PLANNED of its rate on it. A link is covered when both of
 * its ways are. Two ways that exactly the same flows cross cannot be told apart when these are slow; so beyond the rounds
 * that cover there are others that part such ways, as far as the routes allow.
 *
 * Rounds are chosen greedily: each flow is the one, among those tried, that covers and parts most. Same fabric and ports,
 * same schedule.
 */
#ifndef ASSAY_FABRIC_SCHEDULE_H
#define ASSAY_FABRIC_SCHEDULE_H

#include "assay/fabric/fabric.h"

/* What a link must carry once, as a share of its rate: issue of this project's own, see docs/guide/links.md. */
#define FABRIC_SHARE 0.5
/* Below this share of the median of all flows a flow is slow: a tenth, as pairs are compared elsewhere (suites/README.md,
   Isolation). Where the median itself is below it of the rate, no flow is a measure for the others. */
#define FABRIC_SLOW 0.9
/* What is planned for a way, as a share of its rate, so that flows which are just not slow still carry FABRIC_SHARE of it. */
#define FABRIC_PLANNED (FABRIC_SHARE / FABRIC_SLOW)
/* How many of all links must: as the tests of sites that we know ask. */
#define FABRIC_ENOUGH 0.999

struct fabric_flow {
    uint32_t from, to; /* ports of adapters */
};

/* Why a way is not covered. */
enum fabric_gap {
    FABRIC_COVERED,
    FABRIC_INACTIVE,   /* the link is not active */
    FABRIC_UNTESTED,   /* it ends at an adapter that takes no part */
    FABRIC_NO_FLOW,    /* no route between the ports that take part crosses it */
    FABRIC_TOO_LITTLE, /* flows cross it, and the most that a round puts on it is too little */
    FABRIC_NO_ROUND,   /* a flow could cross it, and no round has one */
};

struct fabric_schedule {
    LIST_OF(struct fabric_flow) flows; /* of all rounds, one after the other */
    LIST_OF(size_t) ends;              /* of each round: the index behind its last flow */
    enum fabric_gap *gaps;             /* of each way (port); of ports without a link FABRIC_INACTIVE */
    uint32_t *
        classes; /* of each way that a flow crosses: those of one number are crossed by exactly the same flows */
    size_t links;    /* without those that end at an adapter that takes no part */
    size_t covered;  /* of these, both ways */
    size_t alike;    /* of these, links that no flow of the schedule tells from another link */
    size_t covering; /* the rounds that cover something; the others only part */
    size_t least;    /* rounds that cover: no schedule has fewer, by what a port and a leaf can do in one */
};

struct fabric_question {
    const uint32_t *ports; /* of adapters, with a LID and a link */
    const uint32_t *hosts; /* of each: two of one host never send to each other */
    size_t count;
    unsigned rounds_most; /* 0: as many as it takes */
};

/* Everything in the arena. */
struct fabric_schedule *fabric_plan(struct arena *arena, const struct fabric *fabric,
                                    const struct fabric_question *question);

/* In words for people: "no route between hosts that take part crosses it". */
const char *fabric_gap_word(enum fabric_gap gap);

#endif
