/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hosts that do a test together. assay-probe-gpu is alone (world_alone.c); assay-probe-gpu-mpi is the same program with a
 * rank of MPI on each host (world_mpi.c), all GPUs of which are that rank's. Host 0 alone prints what was found.
 *
 * What is marked so is called by all hosts in the same order, by one thread of each at a time. Where MPI fails it ends all
 * ranks itself.
 */
#ifndef ASSAY_PROBE_WORLD_H
#define ASSAY_PROBE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/base/error.h"

enum { WORLD_NAME_BYTES = 64 };

struct world {
    unsigned hosts, host; /* how many; the number of this one */
};

extern const char world_program[]; /* the program's name */

/* Before anything of MPI; takes what it wants of the command line. -1 with err set: nothing was joined. */
int world_open(struct world *ret_world, int *argc, char ***argv, struct error *err)
    __attribute__((warn_unused_result));
/* All together. */
void world_close(void);
/* Ends the program on all hosts, with that exit status; returns where a host is alone. Any thread. */
void world_abort(const struct world *world, int status);

/* All together. */
void world_names(const struct world *world, char (*ret_names)[WORLD_NAME_BYTES]);
uint64_t world_least(const struct world *world, uint64_t value);
/* Of host 0, to all. */
void world_share(const struct world *world, void *bytes, size_t count);
/* Of each host as many bytes, to host 0: one host's behind the other's. */
void world_gather(const struct world *world, const void *own, size_t count, void *ret_all);

/* Floats between hosts, for GPUs that are threads: each has a channel of its own, so that they need not wait for one another. */
struct world_channel;
/* All together, in the order of GPUs. NULL with err set. */
struct world_channel *world_channel_open(const struct world *world, struct error *err);
void world_channel_close(struct world_channel *channel);
/* The threads of that channel, of all hosts. in: hosts x share; out: the sums of this host's share. */
void world_add_up(struct world_channel *channel, const float *in, float *ret_sums, size_t share);
/* out: hosts x share. */
void world_give(struct world_channel *channel, const float *own, float *ret_all, size_t share);

#endif
