/* SPDX-License-Identifier: Apache-2.0 */
/* Products on the CPU that stand for a GPU's: in float for all that a CPU does not have. */
#include <stdio.h>
#include <stdlib.h>

#include "gemm.h"

struct host_gemm {
    float *a, *b, *c;
    unsigned size;
};

static void library_host(char ret_name[GPU_NAME_BYTES])
{
    (void)snprintf(ret_name, GPU_NAME_BYTES, "none: loops on the CPU");
}

static void close_host(void *data)
{
    struct host_gemm *own = data;

    free(own->a);
    free(own);
}

static void *open_host(struct gpu_probe *probe, unsigned gpu, enum gemm_type type, unsigned size,
                       char ret_why[GEMM_WHY_BYTES], struct error *err)
{
    struct host_gemm *own = calloc(1, sizeof *own);
    const size_t elements = (size_t)size * size;

    (void)probe;
    /* As on a GPU without it. */
    if (type == GEMM_FP8) {
        free(own);
        (void)snprintf(ret_why, GEMM_WHY_BYTES, "this architecture has no fp8");
        return NULL;
    }
    if (own != NULL)
        own->a = malloc(3 * elements * sizeof *own->a);
    if (own == NULL || own->a == NULL) {
        free(own);
        (void)error_set(err, ERROR_INTERNAL, "GPU %u: no memory for matrices of %u", gpu, size);
        return NULL;
    }
    own->b = own->a + elements;
    own->c = own->b + elements;
    own->size = size;
    for (size_t i = 0; i < 2 * elements; i++)
        own->a[i] = (float)(work_random(gpu, type, (uint32_t)i) % 2001) / 1000 - 1;
    return own;
}

/* The right matrix lies on its side, so that both are read in their order. */
static void multiply(const struct host_gemm *own)
{
    for (unsigned row = 0; row < own->size; row++)
        for (unsigned column = 0; column < own->size; column++) {
            const float *left = own->a + (size_t)row * own->size,
                        *right = own->b + (size_t)column * own->size;
            float sum = 0;

            for (unsigned i = 0; i < own->size; i++)
                sum += left[i] * right[i];
            own->c[(size_t)row * own->size + column] = sum;
        }
}

static int run_host(void *own, unsigned times, double *ret_seconds, struct error *err)
{
    double began = gpu_now_s();

    (void)err;
    for (unsigned i = 0; i < times; i++)
        multiply(own);
    *ret_seconds = gpu_now_s() - began;
    return 0;
}

const struct gpu_gemm gemm_host = {{64, 96}, library_host, open_host, run_host, close_host};
