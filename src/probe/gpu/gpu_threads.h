/* SPDX-License-Identifier: Apache-2.0 */
/* All GPUs of a host at once, a thread each, and what is said of a rate over windows of time. */
#ifndef ASSAY_PROBE_GPU_THREADS_H
#define ASSAY_PROBE_GPU_THREADS_H

#include "gpu.h"

typedef int gpu_work(struct gpu_probe *probe, unsigned gpu, void *state, struct error *err);

/* The work of each GPU, at once. -1 with the error of the first that failed; the others have done theirs. */
int gpu_all(struct gpu_probe *probe, gpu_work *work, void *state, struct error *err)
    __attribute__((warn_unused_result));

enum { GPU_WINDOWS_MOST = 4096 };

/* A rate in each window. */
struct gpu_series {
    double values[GPU_WINDOWS_MOST];
    unsigned count;
};

struct gpu_summary {
    double least, p1, median, best; /* p1: one window in a hundred is slower */
    unsigned windows;               /* 0: nothing was measured */
};

/* Sorts it. */
struct gpu_summary gpu_summarise(struct gpu_series *series);

#endif
