/* SPDX-License-Identifier: Apache-2.0 */
/* A round of flows over switches that hash: each stream takes ways that are drawn. */
#ifndef ASSAY_TESTS_FABRIC_HASH_ROUND_H
#define ASSAY_TESTS_FABRIC_HASH_ROUND_H

#include "assay/fabric/ecmp.h"

#define HASH_EFFICIENCY 0.98 /* of a link's rate, what of it is payload */

struct hash_round {
    const struct fabric *fabric;
    const struct fabric_ecmp *ecmp;
    unsigned streams;
    const double *able; /* of each way: the share of its rate that it can carry; NULL: all of it */
    uint64_t *state;    /* of the dice */
};

/*
 * What each way carries, Gb/s: a stream has the least of what its ways give it, each of which shares its rate evenly among all
 * streams that want it. Who is held back elsewhere leaves the others more, which nobody takes here: a fair network gives no
 * stream less.
 */
void hash_round_run(const struct hash_round *round, const struct fabric_flow *flows, size_t count,
                    double *ret_gbits);

#endif
