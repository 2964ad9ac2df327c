/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links that trained slower than those that are like them. Flows do not show it: one that a slow port sends or receives is
 * measured against what that port can (fabric_flow_gbits), and so is what counters must prove.
 */
#ifndef ASSAY_FABRIC_RATES_H
#define ASSAY_FABRIC_RATES_H

#include "assay/fabric/schedule.h"

/* Links of hosts, or links between switches, whose two ends are the same devices (DevID). Those that are not active do not
   count, nor those whose rate is not told. */
struct fabric_peers {
    double gbits; /* the highest rate that one of them has */
    size_t links, full;
};

/* Whose peers each link is compared with, by its lower port; NULL: with none. gaps: of each way, FABRIC_UNTESTED does not
   count. Everything in the arena. */
const struct fabric_peers **fabric_find_peers(struct arena *arena, const struct fabric *fabric,
                                              const enum fabric_gap *gaps);

enum fabric_trained {
    FABRIC_TRAINED_LIKE_PEERS,
    FABRIC_TRAINED_SLOW,   /* below the rate that more than half of its peers have */
    FABRIC_TRAINED_UNLIKE, /* below the highest rate, which no majority has: nobody knows what is owed */
};
enum fabric_trained fabric_trained(const struct fabric *fabric, const struct fabric_peers *const *peers,
                                   uint32_t link);

#endif
