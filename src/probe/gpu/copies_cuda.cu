/* SPDX-License-Identifier: Apache-2.0 */
/* Copies by the GPUs' copy engines, timed by the host around copies that are long enough for it: those of two GPUs at once
   have no event in common. */
#include <cstdlib>

#include "cuda_try.h"

extern "C" {
#include "copies.h"
}

namespace
{

const size_t BYTES = (size_t)256 << 20;

struct end {
    void *out, *in, *host; /* host: pinned */
    cudaStream_t streams[2];
    bool reaches[GPU_MOST];
};

struct cuda_copies {
    unsigned count;
    end ends[GPU_MOST];
};

void close_cuda(void *data)
{
    struct cuda_copies *own = (struct cuda_copies *)data;

    for (unsigned gpu = 0; gpu < own->count; gpu++) {
        if (cudaSetDevice((int)gpu) != cudaSuccess)
            continue;
        (void)cudaFree(own->ends[gpu].out);
        (void)cudaFree(own->ends[gpu].in);
        (void)cudaFreeHost(own->ends[gpu].host);
        for (unsigned i = 0; i < 2; i++)
            if (own->ends[gpu].streams[i] != NULL)
                (void)cudaStreamDestroy(own->ends[gpu].streams[i]);
    }
    free(own);
}

int open_end(struct cuda_copies *own, unsigned gpu, struct error *err)
{
    end *end = &own->ends[gpu];

    TRY(cudaSetDevice((int)gpu), "it cannot be used");
    TRY(cudaMalloc(&end->out, BYTES), "no memory");
    TRY(cudaMalloc(&end->in, BYTES), "no memory");
    /* By the thread that asks: with what the host's memory policy gives it. */
    TRY(cudaMallocHost(&end->host, BYTES), "no memory of the host");
    TRY(cudaMemset(end->out, (int)gpu + 1, BYTES), "memset");
    for (unsigned i = 0; i < 2; i++)
        TRY(cudaStreamCreateWithFlags(&end->streams[i], cudaStreamNonBlocking), "no stream");
    for (unsigned peer = 0; peer < own->count; peer++) {
        int can = 0;

        if (peer == gpu || cudaDeviceCanAccessPeer(&can, (int)gpu, (int)peer) != cudaSuccess || !can)
            continue;
        cudaError_t error = cudaDeviceEnablePeerAccess((int)peer, 0);

        end->reaches[peer] = error == cudaSuccess || error == cudaErrorPeerAccessAlreadyEnabled;
        (void)cudaGetLastError();
    }
    return 0;
}

void *open_cuda(struct gpu_probe *probe, uint64_t *ret_bytes, struct error *err)
{
    struct cuda_copies *own = (struct cuda_copies *)calloc(1, sizeof *own);

    if (own == NULL) {
        (void)error_set(err, ERROR_INTERNAL, "no memory");
        return NULL;
    }
    own->count = probe->device_count;
    *ret_bytes = BYTES;
    for (unsigned gpu = 0; gpu < own->count; gpu++)
        if (open_end(own, gpu, err) < 0) {
            close_cuda(own);
            return NULL;
        }
    return own;
}

bool reaches_cuda(void *data, unsigned gpu, unsigned peer)
{
    return ((struct cuda_copies *)data)->ends[gpu].reaches[peer];
}

cudaError_t start(const struct cuda_copies *own, enum copy_way way, unsigned gpu, unsigned peer)
{
    const end *here = &own->ends[gpu], *there = &own->ends[peer];
    cudaError_t error;

    if (way == COPY_UP)
        return cudaMemcpyAsync(here->in, here->host, BYTES, cudaMemcpyHostToDevice, here->streams[0]);
    if (way == COPY_DOWN)
        return cudaMemcpyAsync(here->host, here->out, BYTES, cudaMemcpyDeviceToHost, here->streams[0]);
    error = cudaMemcpyPeerAsync(there->in, (int)peer, here->out, (int)gpu, BYTES, here->streams[0]);
    return error == cudaSuccess && way == COPY_BOTH
               ? cudaMemcpyPeerAsync(here->in, (int)gpu, there->out, (int)peer, BYTES, there->streams[1])
               : error;
}

int copy_cuda(void *data, enum copy_way way, unsigned gpu, unsigned peer, unsigned times, double *ret_seconds,
              struct error *err)
{
    const struct cuda_copies *own = (const struct cuda_copies *)data;
    double began;

    TRY(cudaSetDevice((int)gpu), "it cannot be used");
    began = gpu_now_s();
    for (unsigned i = 0; i < times; i++)
        TRY(start(own, way, gpu, peer), "a copy cannot be started");
    TRY(cudaStreamSynchronize(own->ends[gpu].streams[0]), "a copy broke off");
    if (way == COPY_BOTH)
        TRY(cudaStreamSynchronize(own->ends[peer].streams[1]), "a copy broke off");
    *ret_seconds = gpu_now_s() - began;
    return 0;
}

} /* namespace */

extern "C" const struct gpu_copies copies_cuda = {open_cuda, reaches_cuda, copy_cuda, close_cuda};
