/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the CUDA runtime, for functions that know `gpu` and `err`. Included by CUDA C++ only. */
#ifndef ASSAY_PROBE_CUDA_TRY_H
#define ASSAY_PROBE_CUDA_TRY_H

#include <cuda_runtime.h>

extern "C" {
#include "gpu.h"
}

static inline int cuda_failed(cudaError_t error, const char *what, unsigned gpu, struct error *err)
{
    return error_set(err, ERROR_INTERNAL, "GPU %u: %s: %s (%s)", gpu, what, cudaGetErrorString(error),
                     cudaGetErrorName(error));
}

#define TRY(call, what)                                   \
    do {                                                  \
        cudaError_t error_ = (call);                      \
        if (error_ != cudaSuccess)                        \
            return cuda_failed(error_, (what), gpu, err); \
    } while (0)

#endif
