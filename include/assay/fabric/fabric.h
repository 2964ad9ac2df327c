/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fabric of switches: its nodes, ports, links and routes, and which links a flow crosses.
 *
 * A link has two ways, one from each of its ports to the other. A way is named by the port that sends over it, so that
 * "way 7" and "port 7" are the same number, and what a switch counts as sent at a port (PortXmitData) is what its way
 * carried.
 *
 * InfiniBand: switches route by the LID of the destination, each by a table of its own (its LFT), so that the way of a flow
 * is one and known, as long as the switches do not adapt routes by load. Where they do, and on Ethernet, where a flow's way
 * among several of equal cost is chosen by a hash that nobody outside knows, only chances can be told (fabric_spread_chance,
 * ecmp.h). On Ethernet each port of a host is an adapter of its own, "node1 eth0" (ethernet.h).
 *
 * Everything lives in the fabric's arena. Numbers of nodes and ports go from 0 and never change.
 */
#ifndef ASSAY_FABRIC_H
#define ASSAY_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/base/arena.h"
#include "assay/base/error.h"
#include "assay/base/scan.h"

#define FABRIC_NONE UINT32_MAX /* no such node or port */

enum {
    FABRIC_HOPS_MAX = 16,    /* ways of one flow; a route that is longer goes in circles */
    FABRIC_LID_MAX = 0xbfff, /* InfiniBand Architecture Specification, volume 1, 4.1.3: unicast LIDs */
    FABRIC_PORTS_MAX = 254,
};

enum fabric_kind { FABRIC_ADAPTER, FABRIC_SWITCH };

struct fabric_port {
    uint32_t node;
    uint32_t far;    /* the port at the other end; FABRIC_NONE: no link */
    uint16_t number; /* as its node counts, from 1 */
    uint16_t lid;    /* of an adapter's port; 0: not told */
    bool inactive;   /* its link is up at most physically, and carries nothing */
    double gbits;    /* what its link carries one way, Gb/s; 0: not told */
    const char
        *name; /* on Ethernet, where ports have no number that others know: "swp1s0", "Ethernet1/1"; NULL */
};

struct fabric_node {
    const char *name; /* as it describes itself: "gpu1 mlx5_0", "MF0;leaf1:MQM9700/U1" */
    uint64_t guid;
    enum fabric_kind kind;
    uint16_t lid;    /* of a switch; 0: not told */
    uint32_t device; /* its DevID; 0: not told */
    uint32_t *ports; /* by number, FABRIC_NONE where there is none; [0] is never one */
    unsigned port_count;
    uint8_t *
        routes; /* by LID: the number of the port it goes out by; 0: itself or none. NULL: no table was read */
};

struct fabric {
    struct arena *arena;
    LIST_OF(struct fabric_node) nodes;
    LIST_OF(struct fabric_port) ports;
    uint32_t *by_guid; /* see fabric.c */
    size_t buckets;
    size_t links;
    uint32_t by_lid[FABRIC_LID_MAX + 1];        /* the adapter's port; FABRIC_NONE */
    uint32_t switch_by_lid[FABRIC_LID_MAX + 1]; /* the switch; FABRIC_NONE */
};

struct fabric *fabric_new(struct arena *arena);
/* The node of that GUID, which is made where there is none. */
uint32_t fabric_add_node(struct fabric *fabric, enum fabric_kind kind, uint64_t guid, const char *name);
uint32_t fabric_find_node(const struct fabric *fabric, uint64_t guid);
/* The port of that number (1 to FABRIC_PORTS_MAX), which is made where there is none. */
uint32_t fabric_add_port(struct fabric *fabric, uint32_t node, unsigned number);
void fabric_set_lid(struct fabric *fabric, uint32_t port, unsigned lid);
/* Two ports that have no link yet, of different nodes. */
void fabric_join(struct fabric *fabric, uint32_t a, uint32_t b, double gbits);
void fabric_set_route(struct fabric *fabric, uint32_t node, unsigned lid, unsigned port);

/*
 * Reads links from an ibdiagnet2.lst (also opensm-subnet.lst), or routes from an ibdiagnet2.fdbs (also opensm.fdbs) or what
 * dump_fts or ibroute print; links come first. file: for messages. -1 with err set: a line that is no such line, a LID that
 * two ports have, a port with two links, a table of a switch that has no link, a switch with several tables (PLFT_NUM above
 * 0), another number of LIDs than the file itself tells, a file without any. Links to routers are left out. The formats
 * close nothing but the table of dump_fts: a file that ends between two lines is a smaller fabric, see
 * fabric_without_routes.
 */
int fabric_read_links(struct fabric *fabric, const char *file, struct slice text, struct error *err)
    __attribute__((warn_unused_result));
int fabric_read_routes(struct fabric *fabric, const char *file, struct slice text, struct error *err)
    __attribute__((warn_unused_result));

/* Switches of which no table was read: no flow goes through them. */
size_t fabric_without_routes(const struct fabric *fabric);

/*
 * The ways that a flow between two ports of adapters crosses, the first adapter's own first, in ret_ways. Returns how
 * many; 0: the tables know no route, or it goes in circles.
 */
unsigned fabric_route(const struct fabric *fabric, uint32_t from, uint32_t to,
                      uint32_t ret_ways[FABRIC_HOPS_MAX]);

/* The port of that number of the adapter or switch that has the LID; FABRIC_NONE. */
uint32_t fabric_find_port(const struct fabric *fabric, uint64_t lid, uint64_t number);
/* The lower of the two ports of a link, which names both of its ways. */
uint32_t fabric_link_of(const struct fabric *fabric, uint32_t way);
/* "gpu1 mlx5_0", of an adapter with several links "gpu1 mlx5_0/2"; "leaf1 port 33", on Ethernet "leaf1 swp33". In the fabric's
   arena. */
const char *fabric_port_name(const struct fabric *fabric, uint32_t port);
/* "leaf1 port 33 - spine2 port 4", likewise. */
const char *fabric_link_name(const struct fabric *fabric, uint32_t way);
/* What an adapter's link is to: true where one of its ends is an adapter. */
bool fabric_is_host_link(const struct fabric *fabric, uint32_t way);

/* --- trees --- */

/*
 * A folded Clos of switches, as fat trees are built. Each unit of `down` hosts hangs on one leaf for each rail. Leaves have
 * `up` uplinks. Without pods they go to `spines` switches, as many to each. With pods (pod_leaves > 0) each pod has `up`
 * spines, one uplink of each of its leaves to each, and each spine as many uplinks as its pod has leaves, to `cores`
 * switches. Routes are D-mod-k (Zahavi 2010, Fat-tree routing and node ordering providing contention free traffic for MPI
 * global collectives): the destination alone decides every turn, and shifts of all hosts by the same distance never meet.
 *
 * Hosts are called "node1 mlx5_0"; leaves "l1r0" (unit, rail); spines "s1"; cores "c1". The last unit and pod may be smaller.
 */
struct fabric_tree {
    unsigned hosts, rails, down, up;
    unsigned spines;            /* without pods */
    unsigned pod_leaves, cores; /* with pods */
    double gbits;               /* of every link */
};
/* up is a multiple of spines; pod_leaves of rails; up of pods the cores' divisor: see fabric_tree.c. */
struct fabric *fabric_grow_tree(struct arena *arena, const struct fabric_tree *tree);
/* The port of a host of it, both from 0. */
uint32_t fabric_tree_port(const struct fabric *fabric, const struct fabric_tree *tree, unsigned host,
                          unsigned rail);

/*
 * Flows that are spread by a hash: the chance that one of `paths` ways of equal cost carries at least the share `need` of
 * its rate, when `flows` hosts below them send at full rate, each as `parts` streams (queue pairs with UDP source ports of
 * their own) of equal size, and each stream takes any of them with equal chance. An expectation, which proves nothing.
 */
double fabric_spread_chance(unsigned paths, unsigned flows, unsigned parts, double need);
/* The chance that at least `least` of `streams` streams take a way that each of them takes with `chance` (below 1). streams
   need be no whole number. */
double fabric_streams_chance(double streams, double chance, double least);

#endif
