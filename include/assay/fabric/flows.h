/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flows and counters as text, so that a schedule can be run by other means and what came of it be judged.
 *
 *   # round 1
 *   node1 mlx5_0 > node33 mlx5_0
 *   node2 mlx5_0 > node34 mlx5_0: 392.4
 *
 * Ports of adapters by the name that fabric_port_name gives; behind the colon what the flow reached, Gb/s one way.
 */
#ifndef ASSAY_FABRIC_FLOWS_H
#define ASSAY_FABRIC_FLOWS_H

#include "assay/base/text.h"
#include "assay/fabric/suspects.h"

/*
 * The ports that can take part: of adapters with a LID (or on Ethernet), whose description is "HOST ADAPTER", as rdma-ndd writes it. Without
 * those of switches themselves ("Aggregation Node"), and of names that a file of flows could not hold ("#", ":", ">"). hosts: only these; count 0: all. -1 with err set: a host that the
 * fabric does not know, two ports of one name, fewer than two hosts.
 */
int fabric_take_part(struct arena *arena, const struct fabric *fabric, const char *const *hosts, size_t count,
                     struct fabric_question *ret_question, struct error *err)
    __attribute__((warn_unused_result));

/*
 * The port of each "HOST ADAPTER" of these names, whatever domain and case host and description have; FABRIC_NONE where no
 * adapter or several call themselves so.
 */
void fabric_find_adapters(struct arena *arena, const struct fabric *fabric, const char *const *wanted,
                          size_t count, uint32_t *ret_ports);

void fabric_write_flows(const struct fabric *fabric, const struct fabric_schedule *schedule,
                        struct text *out);

struct fabric_measured {
    LIST_OF(struct fabric_seen) flows;
    LIST_OF(size_t) ends; /* of each round, as in struct fabric_schedule */
};
/* -1 with err set: a line that is no flow, a port that the fabric does not have, a figure that is none. */
int fabric_read_flows(struct arena *arena, const struct fabric *fabric, const char *file, struct slice text,
                      struct fabric_measured *ret_measured, struct error *err)
    __attribute__((warn_unused_result));

/* What the slower of its two ports carries, Gb/s; 0: not told. */
double fabric_flow_gbits(const struct fabric *fabric, struct fabric_flow flow);

/* What every port of a fabric counted at one time; NAN: not told. */
struct fabric_counters {
    double *sent, *received; /* bits: PortXmitData and PortRcvData count words of 4 bytes */
    double *errors;          /* SymbolErrorCounter: with forward error correction what that could not mend */
};
/* From what perfquery -x prints of each port, one after the other. -1 with err set: it cannot be read, or breaks off. */
int fabric_read_counters(struct arena *arena, const struct fabric *fabric, const char *file,
                         struct slice text, struct fabric_counters *ret_counters, struct error *err)
    __attribute__((warn_unused_result));

/* Room for all ports, and none of them told. */
void fabric_no_counters(struct arena *arena, const struct fabric *fabric,
                        struct fabric_counters *ret_counters);

/*
 * Several readings in one file, as assay-probe-links leaves them: a line a port, in the order in which they were taken.
 *
 *   # counters 0
 *   2052 1 9127346 812347 0        LID, port, PortXmitData, PortRcvData, SymbolErrorCounter; - where it was not told
 *
 * Ports that the fabric does not have are left out. -1 with err set: another line, or it breaks off.
 */
struct fabric_counted_rounds {
    LIST_OF(struct fabric_counters) readings;
};
int fabric_read_counter_rows(struct arena *arena, const struct fabric *fabric, const char *file,
                             struct slice text, struct fabric_counted_rounds *ret_counted, struct error *err)
    __attribute__((warn_unused_result));

/* What came of rounds. */
struct fabric_proven {
    bool *ways;            /* each way that the counters prove, of a port as in struct fabric */
    size_t links, covered; /* as in struct fabric_schedule, by the counters */
    double *bits; /* of each way over all rounds; of one that nobody counted, all that the way can carry */
    double
        *errors; /* of each way: their growth between the readings that told them; NAN: fewer than two did */
    bool *told;  /* of each way: errors are those of all rounds, and the counter never went back */
    double *
        most; /* of each way: the most that it carried in one round, as a share of its rate; NAN: nobody counted */
};
/*
 * counters: before the first round, and after each: one more than there are rounds, each of so many seconds under load. A
 * port whose counter went back tells nothing of that round. untested: per way, those that do not count; NULL: all do.
 */
void fabric_prove(struct arena *arena, const struct fabric *fabric, const struct fabric_counters *counters,
                  size_t rounds, double seconds, const enum fabric_gap *gaps,
                  struct fabric_proven *ret_proven);

/*
 * What the flows that ran put on each way by the routes, at full rate, in gaps as in struct fabric_schedule; nobody knows
 * here of rounds that did not run, so FABRIC_NO_ROUND is not among them. takes_part: of each port of an adapter. ret_gaps: of
 * each way.
 */
void fabric_cover(struct arena *arena, const struct fabric *fabric, const struct fabric_measured *measured,
                  const bool *takes_part, enum fabric_gap *ret_gaps);

/*
 * Ways on which, in some round, counters saw less than FABRIC_SHARE of what the flows say to have sent over them: the flows
 * took other ways than the tables say (adaptive routing), or said too much. counters as for fabric_prove. Marks them in
 * ret_ways (one for each way, false before), and returns how many there are.
 */
size_t fabric_contradict(struct arena *arena, const struct fabric *fabric,
                         const struct fabric_measured *measured, const struct fabric_counters *counters,
                         double seconds, bool *ret_ways);

/*
 * Links of which both ends count, and one of them has not even FABRIC_SLOW of what the other has: they are not of one time, or
 * not of that link. counters and gaps as for fabric_prove; what is less than FABRIC_LITTLE of the rate is not compared. Marks ways
 * in ret_ways as fabric_contradict does. *ret_untied: links that one end alone tells, which is neither a host nor a switch with a
 * host's link that both ends tell: nobody knows of which time that is.
 */
#define FABRIC_LITTLE 0.05
size_t fabric_compare_ends(struct arena *arena, const struct fabric *fabric,
                           const struct fabric_counters *counters, size_t rounds, double seconds,
                           const enum fabric_gap *gaps, bool *ret_ways, size_t *ret_untied);

/*
 * What the known links of each leaf to other switches sent, as a share of what its hosts sent in flows to other leaves: less than 1
 * where it left by a link that nobody knows of. Over the rounds of which all of that was told. counters as for fabric_prove.
 * ret_leaves: of each node.
 */
#define FABRIC_FRAMES 0.005 /* what acknowledgements and frames add or lack */
struct fabric_leaf {
    size_t links; /* to other switches, as far as they are known */
    double share; /* NAN: no link known, nothing to send there, or untold */
    bool untold;  /* it had flows to other leaves, and of no round all was told */
};
void fabric_weigh_leaves(struct arena *arena, const struct fabric *fabric,
                         const struct fabric_measured *measured, const struct fabric_counters *counters,
                         struct fabric_leaf *ret_leaves);
/* Below this share a leaf of so many links has one more, which carries half as much as each of them or more. */
double fabric_leaf_bound(size_t links);

#endif
