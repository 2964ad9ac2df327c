/* SPDX-License-Identifier: Apache-2.0 */
/* MPI ends all ranks where a call of it fails (MPI_ERRORS_ARE_FATAL, its default), so no call is asked how it went. */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "world.h"

const char world_program[] = "assay-probe-gpu-mpi";

struct world_channel {
    MPI_Comm comm;
};

int world_open(struct world *ret_world, int *argc, char ***argv, struct error *err)
{
    int provided, hosts, host;

    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_size(MPI_COMM_WORLD, &hosts);
    MPI_Comm_rank(MPI_COMM_WORLD, &host);
    if (provided == MPI_THREAD_MULTIPLE) {
        *ret_world = (struct world){(unsigned)hosts, (unsigned)host};
        return 0;
    }
    MPI_Finalize();
    return error_set(err, ERROR_INTERNAL, "this MPI cannot be used by several threads (MPI_THREAD_MULTIPLE)");
}

void world_close(void)
{
    MPI_Finalize();
}

void world_abort(const struct world *world, int status)
{
    if (world->hosts > 1)
        MPI_Abort(MPI_COMM_WORLD, status);
}

void world_names(const struct world *world, char (*ret_names)[WORLD_NAME_BYTES])
{
    char own[WORLD_NAME_BYTES] = "";

    (void)gethostname(own, sizeof own - 1);
    MPI_Gather(own, sizeof own, MPI_BYTE, world->host == 0 ? ret_names : NULL, sizeof own, MPI_BYTE, 0,
               MPI_COMM_WORLD);
}

uint64_t world_least(const struct world *world, uint64_t value)
{
    (void)world;
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    return value;
}

/* Counts of MPI are int. */
static const size_t PIECE = INT_MAX / 2 + 1;

void world_share(const struct world *world, void *bytes, size_t count)
{
    (void)world;
    for (size_t at = 0, piece; at < count; at += piece) {
        piece = count - at < PIECE ? count - at : PIECE;
        MPI_Bcast((char *)bytes + at, (int)piece, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
}

/* One host after the other: together they may be more than an int counts. */
void world_gather(const struct world *world, const void *own, size_t count, void *ret_all)
{
    enum { TAG = 83 };

    if (world->host == 0)
        memcpy(ret_all, own, count);
    for (unsigned host = 1; host < world->hosts; host++)
        for (size_t at = 0, piece; at < count; at += piece) {
            piece = count - at < PIECE ? count - at : PIECE;
            if (world->host == host)
                MPI_Send((const char *)own + at, (int)piece, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
            else if (world->host == 0)
                MPI_Recv((char *)ret_all + host * count + at, (int)piece, MPI_BYTE, (int)host, TAG,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
}

struct world_channel *world_channel_open(const struct world *world, struct error *err)
{
    struct world_channel *channel = malloc(sizeof *channel);

    (void)world;
    if (channel == NULL) {
        (void)error_set(err, ERROR_INTERNAL, "no memory");
        return NULL;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &channel->comm);
    return channel;
}

void world_channel_close(struct world_channel *channel)
{
    free(channel);
}

void world_add_up(struct world_channel *channel, const float *in, float *ret_sums, size_t share)
{
    MPI_Reduce_scatter_block(in, ret_sums, (int)share, MPI_FLOAT, MPI_SUM, channel->comm);
}

void world_give(struct world_channel *channel, const float *own, float *ret_all, size_t share)
{
    MPI_Allgather(own, (int)share, MPI_FLOAT, ret_all, (int)share, MPI_FLOAT, channel->comm);
}
