/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How fast cuBLASLt can multiply, whatever it has to be asked for that: of up to 16 of its heuristics, with both matrices as they lie and
 * with the first one transposed, the one that is fastest, then worked for seconds, as assay-probe-gpu compute does. For scripts/gpu-day.
 * On GPU 0; a line for each type and size: "bf16.8192 TFLOP/S LAYOUT HEURISTICS"; what the library cannot do has none.
 */
#include <cublasLt.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

enum { HEURISTICS = 16, TRIES = 3 };
static const size_t WORKSPACE = (size_t)64 << 20;
static const double WARMUP_S = 2, WORK_S = 3;

static void need(int error)
{
    if (error != 0) {
        fprintf(stderr, "plain_lt: error %d\n", error);
        exit(1);
    }
}

static const struct type {
    const char *name;
    cudaDataType in, out, scale;
    cublasComputeType_t compute;
    int bytes_in, bytes_out;
} types[] = {{"bf16", CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, 2, 2},
             {"fp16", CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 2, 2},
             {"fp8", CUDA_R_8F_E4M3, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, 1, 2},
             {"tf32", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 4, 4},
             {"fp64", CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 8, 8},
             {"int8", CUDA_R_8I, CUDA_R_32I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 1, 4}};

/* Random in all bits of a fraction between 0.5 and 2 of either sign: what is not a number, or 0, is faster than work. */
__global__ static void put_random(unsigned char *to, size_t elements, int bytes, bool whole)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < elements; i += (size_t)gridDim.x * blockDim.x) {
        unsigned long long x = (i + 1) * 0x9e3779b97f4a7c15ULL;

        x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9ULL;
        x ^= x >> 29;
        if (bytes == 1)
            to[i] = whole ? (unsigned char)x : (unsigned char)((x & 0x87) | (0x38 - (x >> 8 & 8)));
        else if (bytes == 2)
            ((unsigned short *)to)[i] = (unsigned short)(whole ? (x & 0x807f) | 0x3f80 : (x & 0x83ff) | 0x3c00);
        else if (bytes == 4)
            ((unsigned *)to)[i] = ((unsigned)x & 0x807fffffu) | 0x3f800000u;
        else
            ((unsigned long long *)to)[i] = (x & 0x800fffffffffffffULL) | 0x3ff0000000000000ULL;
    }
}

struct product {
    cublasLtHandle_t library;
    cublasLtMatmulDesc_t what;
    cublasLtMatrixLayout_t a, c;
    unsigned char *matrices[3], *workspace;
};

static cublasStatus_t multiply(const struct product *product, const cublasLtMatmulAlgo_t *way)
{
    static const double one = 1, zero = 0;
    static const float one_float = 1, zero_float = 0;
    static const int one_whole = 1, zero_whole = 0;
    cudaDataType scale;
    size_t written;

    need(cublasLtMatmulDescGetAttribute(product->what, CUBLASLT_MATMUL_DESC_SCALE_TYPE, &scale, sizeof scale, &written));
    const void *alpha = scale == CUDA_R_64F ? (const void *)&one : scale == CUDA_R_32I ? (const void *)&one_whole : &one_float;
    const void *beta = scale == CUDA_R_64F ? (const void *)&zero : scale == CUDA_R_32I ? (const void *)&zero_whole : &zero_float;

    return cublasLtMatmul(product->library, product->what, alpha, product->matrices[0], product->a, product->matrices[1], product->a, beta,
                          product->matrices[2], product->c, product->matrices[2], product->c, way, product->workspace, WORKSPACE, 0);
}

/* Of so many in a row, each; negative: it cannot. */
static double seconds(const struct product *product, const cublasLtMatmulAlgo_t *way, int times)
{
    cudaEvent_t began, ended;
    float milliseconds;

    need(cudaEventCreate(&began));
    need(cudaEventCreate(&ended));
    need(cudaEventRecord(began));
    for (int i = 0; i < times; i++)
        if (multiply(product, way) != CUBLAS_STATUS_SUCCESS)
            return -1;
    need(cudaEventRecord(ended));
    need(cudaEventSynchronize(ended));
    need(cudaEventElapsedTime(&milliseconds, began, ended));
    need(cudaEventDestroy(began));
    need(cudaEventDestroy(ended));
    return milliseconds / 1e3 / times;
}

/* The fastest way of one layout; negative: there is none. */
static double fastest(struct product *product, cublasOperation_t first, cublasLtMatmulAlgo_t *ret_way, int *ret_ways)
{
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t results[HEURISTICS];
    double best = -1;

    *ret_ways = 0;
    need(cublasLtMatmulDescSetAttribute(product->what, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first));
    need(cublasLtMatmulPreferenceCreate(&preference));
    need(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &WORKSPACE, sizeof WORKSPACE));
    if (cublasLtMatmulAlgoGetHeuristic(product->library, product->what, product->a, product->a, product->c, product->c, preference, HEURISTICS,
                                       results, ret_ways) != CUBLAS_STATUS_SUCCESS)
        *ret_ways = 0;
    need(cublasLtMatmulPreferenceDestroy(preference));
    for (int i = 0; i < *ret_ways; i++) {
        double took = seconds(product, &results[i].algo, 1) < 0 ? -1 : seconds(product, &results[i].algo, TRIES);

        if (took > 0 && (best < 0 || took < best)) {
            best = took;
            *ret_way = results[i].algo;
        }
    }
    return best;
}

static void measure(struct product *product, const struct type *type, int size)
{
    static const cublasOperation_t firsts[] = {CUBLAS_OP_N, CUBLAS_OP_T};
    cublasLtMatmulAlgo_t way, other;
    double best = -1, took;
    int ways = 0, more, layout = 0;

    for (int i = 0; i < 2; i++) {
        took = fastest(product, firsts[i], &other, &more);
        ways += more;
        if (took > 0 && (best < 0 || took < best)) {
            best = took;
            way = other;
            layout = i;
        }
    }
    if (best < 0)
        return;
    need(cublasLtMatmulDescSetAttribute(product->what, CUBLASLT_MATMUL_DESC_TRANSA, &firsts[layout], sizeof firsts[layout]));
    (void)seconds(product, &way, (int)(WARMUP_S / best) + 1);
    took = seconds(product, &way, (int)(WORK_S / best) + 1);
    printf("%s.%d %.5g %s %d\n", type->name, size, 2.0 * size * size * size / took / 1e12, layout == 0 ? "NN" : "TN", ways);
    fflush(stdout);
}

static void try_type(cublasLtHandle_t library, const struct type *type, int size)
{
    const size_t count = (size_t)size * size;
    struct product product = {};

    product.library = library;
    need(cublasLtMatmulDescCreate(&product.what, type->compute, type->scale));
    need(cublasLtMatrixLayoutCreate(&product.a, type->in, size, size, size));
    need(cublasLtMatrixLayoutCreate(&product.c, type->out, size, size, size));
    for (int i = 0; i < 3; i++)
        need(cudaMalloc(&product.matrices[i], count * (i < 2 ? type->bytes_in : type->bytes_out)));
    need(cudaMalloc(&product.workspace, WORKSPACE));
    for (int i = 0; i < 2; i++)
        put_random<<<1024, 256>>>(product.matrices[i], count, type->bytes_in, type->in == CUDA_R_8I || type->in == CUDA_R_16BF);
    need(cudaDeviceSynchronize());
    measure(&product, type, size);
    for (int i = 0; i < 3; i++)
        need(cudaFree(product.matrices[i]));
    need(cudaFree(product.workspace));
    need(cublasLtMatrixLayoutDestroy(product.a));
    need(cublasLtMatrixLayoutDestroy(product.c));
    need(cublasLtMatmulDescDestroy(product.what));
}

int main()
{
    cublasLtHandle_t library;

    need(cublasLtCreate(&library));
    for (int size = 8192; size <= 16384; size *= 2)
        for (const struct type &type : types)
            try_type(library, &type, size);
    return 0;
}
