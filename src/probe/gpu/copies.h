/* SPDX-License-Identifier: Apache-2.0 */
/* What the test of a GPU's links asks of a backend: copies between memories. */
#ifndef ASSAY_PROBE_COPIES_H
#define ASSAY_PROBE_COPIES_H

#include "gpu.h"

enum copy_way {
    COPY_UP,   /* from the host's pinned memory to the GPU */
    COPY_DOWN, /* back */
    COPY_TO,   /* from the GPU to the peer */
    COPY_BOTH  /* at once to the peer and from it */
};

struct gpu_copies {
    /* Buffers on every GPU, and pinned ones on the host. NULL with err set. */
    void *(*open)(struct gpu_probe *probe, uint64_t *ret_bytes, struct error *err);
    /* Whether the GPU reaches the other's memory by itself; else copies go through the host. */
    bool (*reaches)(void *own, unsigned gpu, unsigned peer);
    /* A buffer so many times; how long that took. Threads may do it at the same time for other GPUs; of two that copy to
       each other only one asks. */
    int (*copy)(void *own, enum copy_way way, unsigned gpu, unsigned peer, unsigned times,
                double *ret_seconds, struct error *err);
    void (*close)(void *own);
};

extern const struct gpu_copies copies_host, copies_cuda;

#endif
