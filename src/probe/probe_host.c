/* SPDX-License-Identifier: Apache-2.0 */
/* The host backend: MPI's own collectives over memory of the CPU. It needs no GPU, so it also runs in tests. */
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/arena.h"
#include "probe.h"

enum { TAG_RING = 73, TAG_PATH = 74 };

struct host_state {
    float *send, *receive;
};

static int open_host(struct probe *probe, struct error *err)
{
    (void)err;
    probe->state = mem_alloc(sizeof(struct host_state));
    return 0;
}

static int allocate(struct probe *probe, size_t send, size_t receive, struct error *err)
{
    struct host_state *state = probe->state;

    if (send > INT_MAX || receive > INT_MAX)
        return error_set(err, ERROR_INTERNAL, "the host backend sends at most 8 GiB at a time");
    /* As much as asked for may not be there: that is for the user to hear, so no mem_alloc. */
    state->send = malloc(send * sizeof(float));
    state->receive = malloc(receive * sizeof(float));
    if (state->send == NULL || state->receive == NULL)
        return error_set(err, ERROR_INTERNAL, "no memory for %zu MiB of buffers",
                         (send + receive) * sizeof(float) >> 20);
    return 0;
}

static int put(struct probe *probe, const float *values, size_t at, size_t count, struct error *err)
{
    struct host_state *state = probe->state;

    (void)err;
    memcpy(state->send + at, values, count * sizeof *values);
    return 0;
}

static int get(struct probe *probe, float *values, size_t at, size_t count, struct error *err)
{
    struct host_state *state = probe->state;

    (void)err;
    memcpy(values, state->receive + at, count * sizeof *values);
    return 0;
}

static int clear(struct probe *probe, size_t count, struct error *err)
{
    struct host_state *state = probe->state;

    (void)err;
    for (size_t i = 0; i < count; i++)
        state->receive[i] = NAN;
    return 0;
}

static int run(struct probe *probe, size_t count, struct error *err)
{
    struct host_state *state = probe->state;
    int all = (int)count, share = all / probe->ranks, next = (probe->rank + 1) % probe->ranks;
    int before = (probe->rank + probe->ranks - 1) % probe->ranks, result = MPI_SUCCESS;

    switch (probe->options.collective->operation) {
    case ALL_REDUCE:
        result = MPI_Allreduce(state->send, state->receive, all, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        break;
    case ALL_GATHER:
        result =
            MPI_Allgather(state->send, share, MPI_FLOAT, state->receive, share, MPI_FLOAT, MPI_COMM_WORLD);
        break;
    case REDUCE_SCATTER:
        result =
            MPI_Reduce_scatter_block(state->send, state->receive, share, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        break;
    case ALLTOALL:
        result =
            MPI_Alltoall(state->send, share, MPI_FLOAT, state->receive, share, MPI_FLOAT, MPI_COMM_WORLD);
        break;
    case SENDRECV:
    default:
        result = MPI_Sendrecv(state->send, all, MPI_FLOAT, next, TAG_RING, state->receive, all, MPI_FLOAT,
                              before, TAG_RING, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return result == MPI_SUCCESS ? 0
                                 : error_set(err, ERROR_INTERNAL, "MPI: error %d in the collective", result);
}

static int wait_for_all(struct probe *probe, struct error *err)
{
    (void)probe;
    (void)err;
    return 0; /* MPI's collectives have ended when they return */
}

static int shift(struct probe *probe, int to, int from, size_t count, struct error *err)
{
    struct host_state *state = probe->state;

    if (MPI_Sendrecv(state->send, (int)count, MPI_FLOAT, to, TAG_PATH, state->receive, (int)count, MPI_FLOAT,
                     from, TAG_PATH, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return error_set(err, ERROR_INTERNAL, "MPI: sending to rank %d failed", to);
    return 0;
}

static void close_host(struct probe *probe)
{
    struct host_state *state = probe->state;

    free(state->send);
    free(state->receive);
    free(state);
}

const struct backend backend_host = {
    .name = "host",
    .open = open_host,
    .allocate = allocate,
    .put = put,
    .get = get,
    .clear = clear,
    .run = run,
    .wait = wait_for_all,
    .shift = shift,
    .close = close_host,
};
