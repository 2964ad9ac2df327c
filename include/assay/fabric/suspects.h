/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which links did badly while flows crossed them: too slow by what the flows measured, or with too many errors by what
 * the ports counted. Pure; what was covered at all is for the counters to say (fabric_proof).
 */
#ifndef ASSAY_FABRIC_SUSPECTS_H
#define ASSAY_FABRIC_SUSPECTS_H

#include "assay/fabric/schedule.h"

/* --- slow --- */

/* What one flow reached, as a share of what its two ports can; NAN: nothing was measured. */
struct fabric_seen {
    struct fabric_flow flow;
    double share;
};

/* One link, which is named; or several of which the flows do not tell which it is. */
struct fabric_suspect {
    uint32_t *links; /* as fabric_link_of has them */
    size_t count;
    size_t flows; /* slow ones that it explains */
    double share; /* the median of theirs */
};

struct fabric_suspects {
    LIST_OF(struct fabric_suspect) items;
    double typical; /* the median of all shares; NAN: nothing was measured */
    size_t measured, slow;
    size_t
        unexplained; /* slow, though each way that they crossed carried another flow fast, or by so little that it may be noise: no
                        steady link is it */
};

/*
 * Slow is a flow below `below` of the median of all. A flow that is not slow clears every way that it crossed. What slow
 * flows crossed and nothing cleared is suspected: the fewest links that explain all slow flows, the one that explains most
 * first. A slow flow that may be so by noise, as far as all flows scatter, accuses nothing. Holds where no two flows of a round met (schedule.h), and where fewer than half of all flows are slow: beyond
 * that there is no peer to compare with, and limits decide. Everything in the arena.
 */
#define FABRIC_BY_NOISE 1e-6 /* how seldom any of all flows may accuse by noise */
void fabric_suspect_slow(struct arena *arena, const struct fabric *fabric, const struct fabric_seen *seen,
                         size_t count, double below, struct fabric_suspects *ret_suspects);

/* --- errors --- */

/*
 * NVIDIA, InfiniBand Cluster Bring-up Procedure, link quality: an error rate after correction of 1e-14 and more is an error
 * (with the standard correction). IBTA allows 1e-12 before correction.
 */
#define FABRIC_BER_LIMIT 1e-14
/* How seldom a link that just keeps the limit may be said to be above it. */
#define FABRIC_CHANCE 1e-9

/* Whether so many errors in so many bits say that the rate is above the limit: a link at it has so many with a chance below
   FABRIC_CHANCE (Poisson). */
bool fabric_errors_tell(double errors, double bits, double limit);
/* How many bits a way must carry, so that one with the error rate `rate` (above the limit) escapes fabric_errors_tell with a
   chance of at most `miss`. */
double fabric_bits_to_tell(double rate, double limit, double miss);

/* --- proof --- */

/* What the two ports of a way counted in one round; NAN: that one was not asked or did not answer. */
struct fabric_counted {
    double sent_bits, received_bits;
};

/*
 * Marks the ways that, by what was counted in `seconds`, carried FABRIC_SHARE of their rate. Either port will do: bits that
 * one has sent or the other received crossed the way. counted: of each way; proven: likewise, only ever set.
 */
void fabric_proof(const struct fabric *fabric, const struct fabric_counted *counted, double seconds,
                  bool *proven);

#endif
