/* SPDX-License-Identifier: Apache-2.0 */
/* The NCCL backend: one GPU a rank, the collective on a stream of its own. MPI only brings the ranks together. */
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "assay/base/arena.h"
#include "probe.h"

struct nccl_state {
    ncclComm_t comm;
    cudaStream_t stream;
    float *send, *receive;
};

static int cuda_failed(struct error *err, const char *what, cudaError_t error)
{
    return error_set(err, ERROR_INTERNAL, "%s: %s", what, cudaGetErrorString(error));
}

static int nccl_failed(struct error *err, const char *what, ncclResult_t result)
{
    return error_set(err, ERROR_INTERNAL, "%s: %s", what, ncclGetErrorString(result));
}

static void put_version(char out[NAME_BYTES], int version)
{
    snprintf(out, NAME_BYTES, "%d.%d", version / 1000, version % 1000 / 10);
}

/* What stands in the way of this rank, in words of the remedy. */
static void find_problem(struct rank_card *card, int local)
{
    cudaError_t error = cudaGetDeviceCount(&card->devices);

    if (error != cudaSuccess) {
        card->devices = 0;
        snprintf(card->problem, sizeof card->problem, "no GPU: %s (CUDA runtime %s, driver for %s)",
                 cudaGetErrorString(error), card->cuda,
                 card->driver[0] != '\0' ? card->driver : "none: not loaded");
    } else if (local >= card->devices) {
        snprintf(card->problem, sizeof card->problem,
                 "no GPU is left: it is rank %d of its host, which has %d GPUs", local, card->devices);
    }
}

void nccl_describe(struct rank_card *card, int local)
{
    struct cudaDeviceProp properties;
    int version = 0;

    if (cudaRuntimeGetVersion(&version) == cudaSuccess)
        put_version(card->cuda, version);
    /* 0: no driver is loaded; the runtime does not call that an error. */
    if (cudaDriverGetVersion(&version) == cudaSuccess && version > 0)
        put_version(card->driver, version);
    if (ncclGetVersion(&version) == ncclSuccess)
        snprintf(card->nccl, sizeof card->nccl, "%d.%d.%d", version / 10000, version % 10000 / 100,
                 version % 100);
    find_problem(card, local);
    if (card->problem[0] == '\0' && cudaGetDeviceProperties(&properties, local) == cudaSuccess)
        snprintf(card->device, sizeof card->device, "gpu%d %.40s", local, properties.name);
}

static int open_nccl(struct probe *probe, struct error *err)
{
    struct nccl_state *state = mem_alloc(sizeof *state);
    ncclUniqueId id = {{0}};
    cudaError_t error;
    ncclResult_t result = ncclSuccess;

    probe->state = state;
    error = cudaSetDevice(probe->places.local_of[probe->rank]);
    if (error == cudaSuccess)
        error = cudaStreamCreateWithFlags(&state->stream, cudaStreamNonBlocking);
    if (error != cudaSuccess)
        return cuda_failed(err, "cudaStreamCreate", error);
    if (probe->rank == 0)
        result = ncclGetUniqueId(&id);
    if (result != ncclSuccess)
        return nccl_failed(err, "ncclGetUniqueId", result);
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    result = ncclCommInitRank(&state->comm, probe->ranks, id, probe->rank);
    return result == ncclSuccess ? 0 : nccl_failed(err, "ncclCommInitRank", result);
}

static int allocate(struct probe *probe, size_t send, size_t receive, struct error *err)
{
    struct nccl_state *state = probe->state;
    cudaError_t error = cudaMalloc((void **)&state->send, send * sizeof(float));

    if (error == cudaSuccess)
        error = cudaMalloc((void **)&state->receive, receive * sizeof(float));
    return error == cudaSuccess ? 0 : cuda_failed(err, "cudaMalloc", error);
}

static int put(struct probe *probe, const float *values, size_t at, size_t count, struct error *err)
{
    struct nccl_state *state = probe->state;
    cudaError_t error = cudaMemcpy(state->send + at, values, count * sizeof *values, cudaMemcpyHostToDevice);

    return error == cudaSuccess ? 0 : cuda_failed(err, "cudaMemcpy", error);
}

static int get(struct probe *probe, float *values, size_t at, size_t count, struct error *err)
{
    struct nccl_state *state = probe->state;
    cudaError_t error =
        cudaMemcpy(values, state->receive + at, count * sizeof *values, cudaMemcpyDeviceToHost);

    return error == cudaSuccess ? 0 : cuda_failed(err, "cudaMemcpy", error);
}

static int clear(struct probe *probe, size_t count, struct error *err)
{
    struct nccl_state *state = probe->state;
    /* All bits set is no number in IEEE 754. It runs on our stream, so that what follows comes after it. */
    cudaError_t error = cudaMemsetAsync(state->receive, 0xff, count * sizeof(float), state->stream);

    return error == cudaSuccess ? 0 : cuda_failed(err, "cudaMemset", error);
}

static ncclResult_t exchange(struct probe *probe, size_t share)
{
    struct nccl_state *state = probe->state;
    ncclResult_t result = ncclGroupStart();

    for (int rank = 0; rank < probe->ranks && result == ncclSuccess; rank++) {
        size_t at = (size_t)rank * share;

        result = ncclSend(state->send + at, share, ncclFloat, rank, state->comm, state->stream);
        if (result == ncclSuccess)
            result = ncclRecv(state->receive + at, share, ncclFloat, rank, state->comm, state->stream);
    }
    return result == ncclSuccess ? ncclGroupEnd() : result;
}

static ncclResult_t send_on(struct probe *probe, int to, int from, size_t count)
{
    struct nccl_state *state = probe->state;
    ncclResult_t result = ncclGroupStart();

    if (result == ncclSuccess)
        result = ncclSend(state->send, count, ncclFloat, to, state->comm, state->stream);
    if (result == ncclSuccess)
        result = ncclRecv(state->receive, count, ncclFloat, from, state->comm, state->stream);
    return result == ncclSuccess ? ncclGroupEnd() : result;
}

static int run(struct probe *probe, size_t count, struct error *err)
{
    struct nccl_state *state = probe->state;
    size_t share = count / (size_t)probe->ranks;
    int next = (probe->rank + 1) % probe->ranks, before = (probe->rank + probe->ranks - 1) % probe->ranks;
    ncclResult_t result;

    switch (probe->options.collective->operation) {
    case ALL_REDUCE:
        result =
            ncclAllReduce(state->send, state->receive, count, ncclFloat, ncclSum, state->comm, state->stream);
        break;
    case ALL_GATHER:
        result = ncclAllGather(state->send, state->receive, share, ncclFloat, state->comm, state->stream);
        break;
    case REDUCE_SCATTER:
        result = ncclReduceScatter(state->send, state->receive, share, ncclFloat, ncclSum, state->comm,
                                   state->stream);
        break;
    case ALLTOALL:
        result = exchange(probe, share);
        break;
    case SENDRECV:
    default:
        result = send_on(probe, next, before, count);
    }
    return result == ncclSuccess ? 0 : nccl_failed(err, probe->options.collective->name, result);
}

/* A link that dies does not end the stream; NCCL tells it only when asked. */
static int wait_for_all(struct probe *probe, struct error *err)
{
    static const struct timespec moment = {0, 20000};
    struct nccl_state *state = probe->state;
    double sleep_after_us = clock_now_us() + 1000; /* short rounds are timed without a sleep's delay */
    cudaError_t error;

    while ((error = cudaStreamQuery(state->stream)) == cudaErrorNotReady) {
        ncclResult_t asynchronous = ncclSuccess, result = ncclCommGetAsyncError(state->comm, &asynchronous);

        if (result != ncclSuccess || asynchronous != ncclSuccess)
            return nccl_failed(err, "while it ran", result != ncclSuccess ? result : asynchronous);
        if (clock_now_us() > sleep_after_us)
            nanosleep(&moment, NULL);
    }
    return error == cudaSuccess ? 0 : cuda_failed(err, "while it ran", error);
}

static int shift(struct probe *probe, int to, int from, size_t count, struct error *err)
{
    ncclResult_t result = send_on(probe, to, from, count);

    return result == ncclSuccess ? wait_for_all(probe, err) : nccl_failed(err, "ncclSend", result);
}

static void close_nccl(struct probe *probe)
{
    struct nccl_state *state = probe->state;

    ncclCommDestroy(state->comm);
    cudaFree(state->send);
    cudaFree(state->receive);
    cudaStreamDestroy(state->stream);
    free(state);
}

const struct backend backend_nccl = {
    .name = "nccl",
    .open = open_nccl,
    .allocate = allocate,
    .put = put,
    .get = get,
    .clear = clear,
    .run = run,
    .wait = wait_for_all,
    .shift = shift,
    .close = close_nccl,
};
