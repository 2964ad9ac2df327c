/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fabric of Ethernet: its links from LLDP or from a plan of the cabling, and what its ports count.
 *
 * Nodes go by their system names, ports by the names that their nodes give them ("swp1s0", "Ethernet1/1", "eth2"). A name is
 * the same with a domain and without one, and in either case. Each port of a host is an adapter of its own, "node1 eth2".
 */
#ifndef ASSAY_FABRIC_ETHERNET_H
#define ASSAY_FABRIC_ETHERNET_H

#include "assay/fabric/flows.h"

/* What was read so far. Everything in the arena. */
struct fabric_cabling;
struct fabric_cabling *fabric_cabling_new(struct arena *arena);

/*
 * A plan: a line a link, comments begin with "#", the first line may be a heading, without digits. Of a link to a host the host comes first.
 *
 *   node1,eth2,leaf1,swp1,400       node, port, node, port, Gb/s
 *   leaf1,swp33,spine1,swp1,400
 *
 * -1 with err set: another line, or the last one breaks off.
 */
int fabric_cabling_read_plan(struct fabric_cabling *cabling, const char *file, struct slice text,
                             struct error *err) __attribute__((warn_unused_result));
/* What lldpctl (-f json, -f keyvalue, or text) printed on the node. -1 with err set: it is not that, or not whole. */
int fabric_cabling_read_lldp(struct fabric_cabling *cabling, const char *file, const char *node,
                             struct slice text, struct error *err) __attribute__((warn_unused_result));

struct fabric_names {
    const char *const *items;
    size_t count;
};
struct fabric_cabling_options {
    /* Who is a switch, and nobody else. Without any: hosts are those named as such; of the others, of a plan who stands second
       in a line, and of LLDP those of whom a neighbour was told that they bridge or route. */
    struct fabric_names switches, hosts;
    struct fabric_names without;     /* nodes that are left out, with their links */
    double host_gbits, switch_gbits; /* of links of hosts, and between switches, whose rate is not told */
};
struct fabric_remarks {
    LIST_OF(const char *) items;
    size_t left_out; /* links of neighbours without a name */
};
/*
 * Makes the fabric of it. -1 with err set, by file and line or interface: a port with two links, two hosts that are joined, a
 * name that is no one's, a rate that nobody tells, no host. Remarks: links that one end alone tells, neighbours without a name.
 */
int fabric_cabling_build(struct fabric_cabling *cabling, const struct fabric_cabling_options *options,
                         struct fabric *fabric, struct fabric_remarks *ret_remarks, struct error *err)
    __attribute__((warn_unused_result));
/* The fabric's port of that name; FABRIC_NONE: it has none. */
uint32_t fabric_cabling_find(const struct fabric_cabling *cabling, struct slice node, struct slice port);

/*
 * Counters of one time, into a reading that fabric_no_counters has made; ports that the fabric does not have are left out.
 *
 *   leaf1,swp33,91273460128,8123470032[,0]       node, port, octets out, octets in, errors (of frames that came in)
 *
 * A field may be "-" where it was not told. ethtool: what ethtool -S printed on a host, each interface behind a heading
 * ("== eth2 =="): tx_bytes_phy and rx_bytes_phy, of NVIDIA's adapters, which count RDMA too, and rx_crc_errors_phy. Returns how many ports were told, -1 with err set.
 */
int fabric_read_counter_csv(const struct fabric_cabling *cabling, const char *file, struct slice text,
                            struct fabric_counters *counters, struct error *err)
    __attribute__((warn_unused_result));
/* Several of such readings in one file, as assay-probe-links leaves them: "# counters 0" stands before the first. -1 with err set. */
int fabric_read_counter_readings(struct arena *arena, const struct fabric *fabric,
                                 const struct fabric_cabling *cabling, const char *file, struct slice text,
                                 struct fabric_counted_rounds *ret_counted, struct error *err)
    __attribute__((warn_unused_result));
int fabric_read_ethtool(const struct fabric_cabling *cabling, const char *file, const char *node,
                        struct slice text, struct fabric_counters *counters, struct error *err)
    __attribute__((warn_unused_result));

/* IEEE 802.3bs: a rate of errors of 1e-13 and better at the MAC. */
#define FABRIC_BER_ETHERNET 1e-13

#endif
