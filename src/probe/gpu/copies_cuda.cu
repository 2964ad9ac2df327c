/* SPDX-License-Identifier: Apache-2.0 */
/* Copies by the GPUs' copy engines, and a kernel that reads word after word. Copies are timed by the host around copies that are long enough for it: those of two GPUs at once
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
    uint32_t *ring, *last; /* last: where a chase of this GPU ended */
    cudaEvent_t begin, done;
    cudaStream_t streams[2];
    bool reaches[GPU_MOST];
};

struct cuda_copies {
    unsigned count;
    end ends[GPU_MOST];
};

/* One lane, so that nothing hides how long a read takes. Read as what others may have written: it goes to the memory that it is of. */
__global__ void chase_kernel(const uint32_t *ring, unsigned hops, uint32_t *ret_last)
{
    uint32_t word = 0;

    for (unsigned i = 0; i < hops; i++)
        asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(word) : "l"(ring + (size_t)word * CHASE_STRIDE) : "memory");
    *ret_last = word;
}

void close_cuda(void *data)
{
    struct cuda_copies *own = (struct cuda_copies *)data;

    for (unsigned gpu = 0; gpu < own->count; gpu++) {
        if (cudaSetDevice((int)gpu) != cudaSuccess)
            continue;
        (void)cudaFree(own->ends[gpu].out);
        (void)cudaFree(own->ends[gpu].in);
        (void)cudaFreeHost(own->ends[gpu].host);
        (void)cudaFree(own->ends[gpu].ring);
        (void)cudaFree(own->ends[gpu].last);
        if (own->ends[gpu].begin != NULL)
            (void)cudaEventDestroy(own->ends[gpu].begin);
        if (own->ends[gpu].done != NULL)
            (void)cudaEventDestroy(own->ends[gpu].done);
        for (unsigned i = 0; i < 2; i++)
            if (own->ends[gpu].streams[i] != NULL)
                (void)cudaStreamDestroy(own->ends[gpu].streams[i]);
    }
    free(own);
}

int open_ring(end *end, unsigned gpu, struct error *err)
{
    const size_t bytes = (size_t)CHASE_WORDS * CHASE_STRIDE * sizeof(uint32_t);
    uint32_t *words = (uint32_t *)calloc(1, bytes);
    cudaError_t error;

    if (words == NULL)
        return error_set(err, ERROR_INTERNAL, "no memory");
    for (uint32_t word = 0; word < CHASE_WORDS; word++)
        words[(size_t)word * CHASE_STRIDE] = chase_next(word);
    error = cudaMalloc((void **)&end->ring, bytes);
    if (error == cudaSuccess)
        error = cudaMemcpy(end->ring, words, bytes, cudaMemcpyHostToDevice);
    free(words);
    TRY(error, "no memory");
    TRY(cudaMalloc((void **)&end->last, sizeof *end->last), "no memory");
    TRY(cudaEventCreate(&end->begin), "no event");
    TRY(cudaEventCreate(&end->done), "no event");
    return 0;
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
    return open_ring(end, gpu, err);
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

/* Its part of the peer's buffer, by one of its two streams, so that the next copy is there when one ends. */
cudaError_t start_share(const struct cuda_copies *own, unsigned gpu, unsigned peer, unsigned number)
{
    const end *here = &own->ends[gpu], *there = &own->ends[peer];
    const uint64_t share = copy_share(BYTES, own->count);

    return cudaMemcpyPeerAsync((char *)there->in + gpu * share, (int)peer, (const char *)here->out + gpu * share, (int)gpu,
                               share, here->streams[number % 2]);
}

cudaError_t start_shares(const struct cuda_copies *own, enum copy_way way, unsigned gpu, unsigned peer, unsigned number)
{
    cudaError_t error = cudaSuccess;

    if (way == COPY_SHARE)
        return start_share(own, gpu, peer, number);
    for (unsigned next = 1; next < own->count && error == cudaSuccess; next++)
        error = start_share(own, gpu, (gpu + next) % own->count, next);
    return error;
}

int copy_cuda(void *data, enum copy_way way, unsigned gpu, unsigned peer, unsigned times, double *ret_seconds,
              struct error *err)
{
    const struct cuda_copies *own = (const struct cuda_copies *)data;
    double began;

    TRY(cudaSetDevice((int)gpu), "it cannot be used");
    began = gpu_now_s();
    for (unsigned i = 0; i < times; i++)
        TRY(way == COPY_SHARE || way == COPY_SPREAD ? start_shares(own, way, gpu, peer, i) : start(own, way, gpu, peer),
            "a copy cannot be started");
    TRY(cudaStreamSynchronize(own->ends[gpu].streams[0]), "a copy broke off");
    if (way == COPY_SHARE || way == COPY_SPREAD)
        TRY(cudaStreamSynchronize(own->ends[gpu].streams[1]), "a copy broke off");
    if (way == COPY_BOTH)
        TRY(cudaStreamSynchronize(own->ends[peer].streams[1]), "a copy broke off");
    *ret_seconds = gpu_now_s() - began;
    return 0;
}

int chase_cuda(void *data, unsigned gpu, unsigned peer, unsigned hops, double *ret_seconds, struct error *err)
{
    const struct cuda_copies *own = (const struct cuda_copies *)data;
    const end *here = &own->ends[gpu];
    uint32_t word = 0, expected = 0;
    float ms = 0;

    TRY(cudaSetDevice((int)gpu), "it cannot be used");
    TRY(cudaEventRecord(here->begin, here->streams[0]), "no event");
    chase_kernel<<<1, 1, 0, here->streams[0]>>>(own->ends[peer].ring, hops, here->last);
    TRY(cudaGetLastError(), "a chase cannot be started");
    TRY(cudaEventRecord(here->done, here->streams[0]), "no event");
    TRY(cudaMemcpyAsync(&word, here->last, sizeof word, cudaMemcpyDeviceToHost, here->streams[0]), "copy to the host");
    TRY(cudaStreamSynchronize(here->streams[0]), "a chase broke off");
    TRY(cudaEventElapsedTime(&ms, here->begin, here->done), "no event");
    *ret_seconds = ms / 1e3;
    for (unsigned i = 0; i < hops; i++)
        expected = chase_next(expected);
    return word == expected ? 0
                            : error_set(err, ERROR_INTERNAL, "GPU %u: a chase through GPU %u ended at word %u instead of %u",
                                        gpu, peer, word, expected);
}

} /* namespace */

extern "C" const struct gpu_copies copies_cuda = {open_cuda, reaches_cuda, copy_cuda, chase_cuda, close_cuda};
