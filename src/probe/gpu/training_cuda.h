/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of a training on GPUs share. Calls only start work; the first that went wrong is kept, and told by finish.
   Included by CUDA C++ only. */
#ifndef ASSAY_PROBE_TRAINING_CUDA_H
#define ASSAY_PROBE_TRAINING_CUDA_H

#include "cuda_try.h"

#include <cuda_bf16.h>

extern "C" {
#include "training.h"
}

typedef __nv_bfloat16 element;

enum { TRAINING_THREADS = 256, TRAINING_BUCKETS_MOST = TRAINING_LAYERS_MOST + 2 };

/* Who is told that a bucket's gradients are there. */
struct training_post {
    training_arrived *arrived;
    void *data;
    unsigned gpu, bucket;
};

struct training_products; /* training_products_cuda.cu */
struct training_joined;   /* training_exchange_cuda.cu */

/* Of the step, on the GPU. */
struct training_found {
    unsigned long long gradients, mismatched;
    float loss;
};

struct training_gpu {
    unsigned gpu, blocks; /* blocks of kernels that go over all elements */
    char *memory;
    cudaStream_t compute, exchange;
    cudaEvent_t ready, done[2];
    struct training_found *found;
    struct training_products *products;
    struct training_joined *joined;
    struct training_post posts[TRAINING_BUCKETS_MOST];
    struct error failed; /* text "": nothing has */
};

/* Keeps the first of what went wrong. */
void training_note(struct training_gpu *gpu, cudaError_t error, const char *what);

/* training_products_cuda.cu. The library's name; "": none, and kernels of our own multiply. */
void training_products_name(char ret_name[GPU_NAME_BYTES]);
struct training_products *training_products_open(struct training_gpu *gpu, struct error *err);
void training_products_close(struct training_products *products);
void training_product(struct training_gpu *gpu, const struct training_product *product);

/* training_exchange_cuda.cu */
void training_exchange_name(unsigned gpus, char ret_name[GPU_NAME_BYTES]);
void *training_join(struct gpu_probe *probe, struct error *err);
void training_leave(void *joined);
void training_give_up(void *joined);
void training_exchange(struct training_gpu *gpu, uint64_t number, const struct training_bucket *bucket,
                       void *gradients, const struct training_adam *adam);

#endif
