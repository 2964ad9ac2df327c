/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far above the hosts each switch of a fabric stands, so that a link can be compared with those of its own kind: between
 * hosts and leaves, leaves and spines, spines and cores.
 *
 * A leaf is a switch with one of the adapters that are asked about, or with so many others that they are no servers of the
 * fabric's own (a subnet manager may hang on a spine). What is above is counted in links from the nearest leaf.
 */
#ifndef ASSAY_FABRIC_TIERS_H
#define ASSAY_FABRIC_TIERS_H

#include "assay/fabric/fabric.h"

enum { FABRIC_LEVEL_HOST = 0, FABRIC_LEVEL_LEAF = 1, FABRIC_LEVEL_UNKNOWN = 255 };
/* Of its links as many lead to adapters where no adapter that is asked about tells what a leaf is. Our own figure. */
#define FABRIC_LEAF_SHARE 0.125

/* An adapter inside a switch, which no cable leads to: "Mellanox Technologies Aggregation Node". */
bool fabric_is_inside_switch(const struct fabric_node *node);

/* The level of each node. ports: of the adapters asked about, FABRIC_NONE for those that the sweep does not show. */
const uint8_t *fabric_find_levels(struct arena *arena, const struct fabric *fabric, const uint32_t *ports,
                                  size_t count);
/* The ways that lead from these adapters up, and back down: marked for both ports of a link. */
const bool *fabric_find_above(struct arena *arena, const struct fabric *fabric, const uint8_t *levels,
                              const uint32_t *ports, size_t count);

#endif
