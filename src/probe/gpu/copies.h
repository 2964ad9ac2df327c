/* SPDX-License-Identifier: Apache-2.0 */
/* What the test of a GPU's links asks of a backend: copies between memories, and reads that wait for each other. */
#ifndef ASSAY_PROBE_COPIES_H
#define ASSAY_PROBE_COPIES_H

#include "gpu.h"

enum copy_way {
    COPY_UP,    /* from the host's pinned memory to the GPU */
    COPY_DOWN,  /* back */
    COPY_TO,    /* from the GPU to the peer */
    COPY_BOTH,  /* at once to the peer and from it */
    COPY_SHARE, /* to the peer, a share of its buffer: each GPU's own, so that all can send to one */
    COPY_SPREAD /* the same to all others in turn */
};

/* A chase goes round a ring of words of the peer's memory, each of which says where the next one is: in lines of their own, and
   few enough to stay in the peer's second cache, so that it is the way to it that takes the time. */
enum { CHASE_WORDS = 4096, CHASE_STRIDE = 32 /* words */ };

static inline uint32_t chase_next(uint32_t word)
{
    return (word * 5 + 1237) % CHASE_WORDS;
}

/* Of a buffer, where so many GPUs share it. */
static inline uint64_t copy_share(uint64_t bytes, unsigned gpus)
{
    return bytes / gpus / 4096 * 4096;
}

struct gpu_copies {
    /* Buffers on every GPU, and pinned ones on the host. NULL with err set. */
    void *(*open)(struct gpu_probe *probe, uint64_t *ret_bytes, struct error *err);
    /* Whether the GPU reaches the other's memory by itself; else copies go through the host. */
    bool (*reaches)(void *own, unsigned gpu, unsigned peer);
    /* A buffer so many times; how long that took. Threads may do it at the same time for other GPUs; of two that copy to
       each other only one asks. */
    int (*copy)(void *own, enum copy_way way, unsigned gpu, unsigned peer, unsigned times,
                double *ret_seconds, struct error *err);
    /* So many words of the peer's ring, or of its own, one after the other; how long that took. A chase that ends at another
       word than it has to is an error. Only where the GPU reaches the peer. */
    int (*chase)(void *own, unsigned gpu, unsigned peer, unsigned hops, double *ret_seconds,
                 struct error *err);
    void (*close)(void *own);
};

extern const struct gpu_copies copies_host, copies_cuda;

#endif
