/* SPDX-License-Identifier: Apache-2.0 */
/* What the test of a GPU's arithmetic asks of a backend: products of square matrices of random numbers. */
#ifndef ASSAY_PROBE_GEMM_H
#define ASSAY_PROBE_GEMM_H

#include "gpu.h"

/* Names in gemm_names; what is multiplied, and in what it is added up. */
enum gemm_type {
    GEMM_BF16, /* in fp32, as FP16 and FP8 (e4m3, whose product is a bf16) */
    GEMM_FP16,
    GEMM_FP8,
    GEMM_TF32, /* fp32 numbers, of which the tensor cores take 19 bits */
    GEMM_FP64,
    GEMM_INT8, /* in int32 */
    GEMM_TYPES
};

enum { GEMM_WHY_BYTES = 160, GEMM_SIZE_MOST = 32768 };

#ifndef __cplusplus
_Static_assert((int)GEMM_TYPES == (int)GPU_TYPES, "options name each type");
#endif

extern const char *const gemm_names[GEMM_TYPES];

/* One GPU, by one thread; `own` is what open returned. */
struct gpu_gemm {
    unsigned sizes[2]; /* of a product, where none is asked for; 0: none more */
    /* "cuBLASLt 13.0.2"; "" where there is none. Once, before all else. */
    void (*library)(char ret_name[GPU_NAME_BYTES]);
    /* Matrices of size * size random numbers, and the fastest way to multiply them. NULL with why where that is not to
       be had (ret_why is not ""), or with err set where the GPU failed. */
    void *(*open)(struct gpu_probe *probe, unsigned gpu, enum gemm_type type, unsigned size,
                  char ret_why[GEMM_WHY_BYTES], struct error *err);
    /* So many products, one after the other; how long that took. */
    int (*run)(void *own, unsigned times, double *ret_seconds, struct error *err);
    void (*close)(void *own);
};

extern const struct gpu_gemm gemm_host, gemm_cuda;

#endif
