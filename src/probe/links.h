/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of assay-probe-links share.
 *
 * A rank is one adapter of one host. Rank 0 reads the sweep of the fabric, makes the schedule (assay/fabric/schedule.h), tells
 * every rank its part of each round, and writes down what the flows reached and what the ports counted: flows and counters as
 * assay/fabric/flows.h has them, for who judges them. It judges nothing itself.
 *
 * On Ethernet it reads the cables in place of a sweep, and the rounds are those of assay/fabric/ecmp.h. MPI only says there what
 * is whose turn; a flow is a run of ib_write_bw with so many queue pairs, whose UDP source ports follow from their numbers,
 * which are new in each run.
 */
#ifndef ASSAY_PROBE_LINKS_H
#define ASSAY_PROBE_LINKS_H

#include <stdint.h>
#include <stdio.h>

#include "assay/base/error.h"
#include "assay/fabric/schedule.h"

enum { LINKS_NAME_BYTES = 128 };

struct links_options {
    const char *links, *routes;   /* files of the sweep; rank 0 reads them */
    const char *cables;           /* of Ethernet, in place of both; NULL: InfiniBand */
    const char *flow;             /* of Ethernet: the words that begin a flow, "ib_write_bw --tos 106" */
    unsigned streams;             /* likewise: queue pairs of a flow */
    const char *sys;              /* "/sys" */
    const char *flows, *counters; /* files that rank 0 writes */
    const char *
        ask; /* a command that prints the counters of the ports on its stdin; NULL: there is none. On Ethernet those of
                         switches, as assay/fabric/ethernet.h has them */
    const char *host; /* as the fabric calls this host; NULL: by its own name */
    const char *hca;  /* this rank's: "mlx5_3" */
    double seconds;   /* of a round */
    size_t bytes;     /* of a message */
    unsigned rounds_most, deadline_s;
};

/* links_options.c: -1 with err set, 0 to go on, 1 when help was printed. local: this rank among those of its host. */
int links_options_read(struct links_options *options, int argc, char **argv, unsigned local,
                       struct error *err);

/* What rank 0 has planned. */
struct links_plan {
    struct fabric *fabric;
    struct fabric_schedule *schedule;
    int *rank_of; /* by port; -1: no rank's */
    unsigned hosts;
};
/* links_plan.c: names: of each rank, "node3 mlx5_0". -1 with err set: what cannot be planned, or would be with others than the
   fabric has. */
int links_plan(struct arena *arena, const struct links_options *options, char (*names)[LINKS_NAME_BYTES],
               int ranks, struct links_plan *ret_plan, struct error *err);

/* What a rank does in a round: the ranks that it sends to and receives from; -1: none. On InfiniBand it is in one flow at most. */
struct links_part {
    int to, from;
};
/* links_flow.c: Gb/s at the rank that receives; 0 at others. */
double links_flow(const struct links_options *options, struct links_part part);

/* links_place.c: where a rank's ib_write_bw is reached: its adapter's first routable address of RoCE v2, and its index. */
struct links_place {
    char address[64]; /* "": it has none */
    int gid_index;
    int port; /* of TCP */
};
struct links_place links_place(const struct links_options *options, int rank);
/* What another host says goes onto command lines of this one, as root: what is no address, or not the rank's port, is none. */
void links_place_take(struct links_place *place, int rank);
/* links_tool.c: all ranks call it together. places: of all ranks. Gb/s at the rank that sends; 0 at others, and where it came to nothing. */
double links_flow_by_tool(const struct links_options *options, struct links_part part, int rank,
                          const struct links_place *places);

/* links_counters.c: what an adapter's own port counts, as sysfs has it: words of 4 bytes; -1: not told. */
struct links_own {
    int64_t sent, received, errors;
};
struct links_own links_own_counters(const struct links_options *options);
/*
 * Adds a reading to the file: of all ports by the command, else of the ranks' own, and on Ethernet of both. Returns whether the
 * command told it; -1: it could not be written. ports: a file with LID and number of each port, which links_write_ports made.
 */
int links_write_ports(const char *path, const struct fabric *fabric);
int links_write_counters(const struct links_options *options, const char *ports, size_t reading,
                         const struct links_plan *plan, const struct links_own *own);

#endif
