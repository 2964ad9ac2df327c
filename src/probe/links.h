/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of assay-probe-links share.
 *
 * A rank is one adapter of one host. Rank 0 reads the sweep of the fabric, makes the schedule (assay/fabric/schedule.h), tells
 * every rank its part of each round, and writes down what the flows reached and what the ports counted: flows and counters as
 * assay/fabric/flows.h has them, for who judges them. It judges nothing itself.
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
    const char *flows, *counters; /* files that rank 0 writes */
    const char *ask;  /* a command that prints the counters of the ports on its stdin; NULL: there is none */
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

/* links_flow.c: what a rank does in a round. */
enum links_role { LINKS_IDLE, LINKS_SENDS, LINKS_RECEIVES };
struct links_part {
    int role, partner;
};
/* Gb/s at the rank that receives; 0 at others. */
double links_flow(const struct links_options *options, struct links_part part);

/* links_counters.c: what an adapter's own port counts, as sysfs has it; -1: not told. */
struct links_own {
    int64_t sent, received, errors;
};
struct links_own links_own_counters(const char *hca);
/*
 * Adds a reading to the file: of all ports by the command, else of the ranks' own. Returns whether it was the fabric's; -1: it
 * could not be written. ports: a file with LID and number of each port, which links_write_ports made.
 */
int links_write_ports(const char *path, const struct fabric *fabric);
int links_write_counters(const struct links_options *options, const char *ports, size_t reading,
                         const struct links_plan *plan, const struct links_own *own);

#endif
