/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products by cuBLASLt, which is what frameworks use. Of the ways that it offers the fastest is taken, by trying each.
 *
 * All matrices are square, and the left one lies on its side: the only layout that fp8 has everywhere.
 */
#include "cuda_try.h"

#include <cstdio>
#include <cstdlib>

extern "C" {
#include "gemm.h"
}

#if __has_include(<cublasLt.h>)
#include "cublaslt.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace
{

enum { WAYS_MOST = 8, TRIES = 2, THREADS = 256 };
const size_t WORKSPACE = (size_t)64 << 20;

struct form {
    cudaDataType_t in, out;
    size_t in_bytes, out_bytes;
    cublasComputeType_t compute;
    cudaDataType_t scale;
};

const struct form forms[GEMM_TYPES] = {
    {CUDA_R_16BF, CUDA_R_16BF, 2, 2, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {CUDA_R_16F, CUDA_R_16F, 2, 2, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {CUDA_R_8F_E4M3, CUDA_R_16BF, 1, 2, CUBLAS_COMPUTE_32F, CUDA_R_32F},
    {CUDA_R_32F, CUDA_R_32F, 4, 4, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F},
    {CUDA_R_64F, CUDA_R_64F, 8, 8, CUBLAS_COMPUTE_64F, CUDA_R_64F},
    {CUDA_R_8I, CUDA_R_32I, 1, 4, CUBLAS_COMPUTE_32I, CUDA_R_32I},
};

/* 1 and 0 in the type that factors have. */
union factor {
    float real;
    double twice;
    int32_t whole;
};

struct cuda_gemm {
    const struct cublaslt *lt;
    unsigned gpu;
    cudaStream_t stream;
    cudaEvent_t began, ended;
    void *a, *b, *c, *workspace;
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t in, out;
    cublasLtMatmulAlgo_t way;
    union factor one, zero;
};

/* Uniform in -1 .. 1, of int8 in -127 .. 127. */
template <typename T> __global__ void __launch_bounds__(THREADS) random_kernel(T *to, size_t count, uint64_t seed)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        const int random = (int)(work_mix(seed * 0x9e3779b97f4a7c15u + i) >> 33) % 127;
        const float sign = work_mix(i ^ seed) % 2 == 0 ? 1.0f : -1.0f;

        to[i] = T(sizeof(T) == 1 && T(0.5f) == T(0.0f) ? sign * (float)random : sign * (float)random / 127.0f);
    }
}

/* e4m3 has no comparison. */
template <>
__global__ void __launch_bounds__(THREADS) random_kernel<__nv_fp8_e4m3>(__nv_fp8_e4m3 *to, size_t count, uint64_t seed)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        const float random = (float)(work_mix(seed * 0x9e3779b97f4a7c15u + i) >> 40) / 8388608.0f - 1.0f;

        to[i] = __nv_fp8_e4m3(random);
    }
}

template <typename T> void put_random(const struct cuda_gemm *own, unsigned blocks, size_t count)
{
    random_kernel<T><<<blocks, THREADS, 0, own->stream>>>((T *)own->a, count, 1);
    random_kernel<T><<<blocks, THREADS, 0, own->stream>>>((T *)own->b, count, 2);
}

void fill(const struct cuda_gemm *own, enum gemm_type type, unsigned blocks, size_t count)
{
    switch (type) {
    case GEMM_BF16: put_random<__nv_bfloat16>(own, blocks, count); break;
    case GEMM_FP16: put_random<__half>(own, blocks, count); break;
    case GEMM_FP8: put_random<__nv_fp8_e4m3>(own, blocks, count); break;
    case GEMM_TF32: put_random<float>(own, blocks, count); break;
    case GEMM_FP64: put_random<double>(own, blocks, count); break;
    default: put_random<signed char>(own, blocks, count); break;
    }
}

void close_cuda(void *data)
{
    struct cuda_gemm *own = (struct cuda_gemm *)data;

    if (cudaSetDevice((int)own->gpu) == cudaSuccess) {
        if (own->in != NULL)
            (void)own->lt->layout_destroy(own->in);
        if (own->out != NULL)
            (void)own->lt->layout_destroy(own->out);
        if (own->product != NULL)
            (void)own->lt->product_destroy(own->product);
        if (own->handle != NULL)
            (void)own->lt->destroy(own->handle);
        (void)cudaFree(own->a);
        (void)cudaFree(own->b);
        (void)cudaFree(own->c);
        (void)cudaFree(own->workspace);
        if (own->began != NULL)
            (void)cudaEventDestroy(own->began);
        if (own->ended != NULL)
            (void)cudaEventDestroy(own->ended);
        if (own->stream != NULL)
            (void)cudaStreamDestroy(own->stream);
    }
    free(own);
}

int take(struct cuda_gemm *own, enum gemm_type type, unsigned size, unsigned sms, struct error *err)
{
    const size_t count = (size_t)size * size;
    const unsigned gpu = own->gpu;

    TRY(cudaSetDevice((int)gpu), "it cannot be used");
    TRY(cudaStreamCreateWithFlags(&own->stream, cudaStreamNonBlocking), "no stream");
    TRY(cudaEventCreate(&own->began), "no event");
    TRY(cudaEventCreate(&own->ended), "no event");
    TRY(cudaMalloc(&own->a, count * forms[type].in_bytes), "no memory");
    TRY(cudaMalloc(&own->b, count * forms[type].in_bytes), "no memory");
    TRY(cudaMalloc(&own->c, count * forms[type].out_bytes), "no memory");
    TRY(cudaMalloc(&own->workspace, WORKSPACE), "no memory");
    TRY(cudaMemsetAsync(own->c, 0, count * forms[type].out_bytes, own->stream), "memset");
    fill(own, type, sms * 8, count);
    TRY(cudaGetLastError(), "the work cannot be started");
    TRY(cudaStreamSynchronize(own->stream), "the work broke off");
    return 0;
}

/* What a library says of what it or the architecture does not have. All else went wrong, and says nothing of that. */
bool is_lack(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE ||
           status == CUBLAS_STATUS_ARCH_MISMATCH;
}

/* What is to be multiplied. */
cublasStatus_t describe(struct cuda_gemm *own, enum gemm_type type, unsigned size)
{
    const struct cublaslt *lt = own->lt;
    const struct form *form = &forms[type];
    const cublasOperation_t on_side = CUBLAS_OP_T, as_is = CUBLAS_OP_N;
    cublasStatus_t status;

    if (form->scale == CUDA_R_64F)
        own->one.twice = 1;
    else if (form->scale == CUDA_R_32I)
        own->one.whole = 1;
    else
        own->one.real = 1;
    if ((status = lt->create(&own->handle)) == CUBLAS_STATUS_SUCCESS &&
        (status = lt->product_create(&own->product, form->compute, form->scale)) == CUBLAS_STATUS_SUCCESS &&
        (status = lt->product_set(own->product, CUBLASLT_MATMUL_DESC_TRANSA, &on_side, sizeof on_side)) ==
            CUBLAS_STATUS_SUCCESS &&
        (status = lt->product_set(own->product, CUBLASLT_MATMUL_DESC_TRANSB, &as_is, sizeof as_is)) ==
            CUBLAS_STATUS_SUCCESS &&
        (status = lt->layout_create(&own->in, form->in, size, size, size)) == CUBLAS_STATUS_SUCCESS)
        status = lt->layout_create(&own->out, form->out, size, size, size);
    return status;
}

cublasStatus_t multiply(const struct cuda_gemm *own, const cublasLtMatmulAlgo_t *way)
{
    return own->lt->multiply(own->handle, own->product, &own->one, own->a, own->in, own->b, own->in, &own->zero,
                             own->c, own->out, own->c, own->out, way, own->workspace, WORKSPACE, own->stream);
}

/* Milliseconds; 0: it does not work, and why. */
float time_of(const struct cuda_gemm *own, const cublasLtMatmulAlgo_t *way, unsigned times, cublasStatus_t *ret_status)
{
    float milliseconds = 0;

    *ret_status = CUBLAS_STATUS_EXECUTION_FAILED; /* of what CUDA says */
    if (cudaEventRecord(own->began, own->stream) != cudaSuccess)
        return 0;
    for (unsigned i = 0; i < times; i++) {
        const cublasStatus_t status = multiply(own, way);

        if (status != CUBLAS_STATUS_SUCCESS) {
            *ret_status = status;
            return 0;
        }
    }
    if (cudaEventRecord(own->ended, own->stream) != cudaSuccess || cudaEventSynchronize(own->ended) != cudaSuccess ||
        cudaEventElapsedTime(&milliseconds, own->began, own->ended) != cudaSuccess)
        return 0;
    *ret_status = CUBLAS_STATUS_SUCCESS;
    return milliseconds;
}

/* The ways that the library offers. */
cublasStatus_t ask_ways(const struct cuda_gemm *own, cublasLtMatmulHeuristicResult_t *ret_ways, int *ret_count)
{
    const struct cublaslt *lt = own->lt;
    cublasLtMatmulPreference_t preference = NULL;
    cublasStatus_t status = lt->preference_create(&preference);

    *ret_count = 0;
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    status = lt->preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &WORKSPACE, sizeof WORKSPACE);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = lt->ways(own->handle, own->product, own->in, own->in, own->out, own->out, preference, WAYS_MOST,
                          ret_ways, ret_count);
    (void)lt->preference_destroy(preference);
    return status;
}

/* The fastest of them, in own->way; where none works, what one of them that should have said of itself. */
cublasStatus_t choose(struct cuda_gemm *own)
{
    cublasLtMatmulHeuristicResult_t ways[WAYS_MOST];
    cublasStatus_t worst = CUBLAS_STATUS_NOT_SUPPORTED, status;
    float best = 0;
    int count = 0;

    status = ask_ways(own, ways, &count);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    for (int i = 0; i < count; i++) {
        float took = 0;

        status = ways[i].state;
        if (status == CUBLAS_STATUS_SUCCESS && time_of(own, &ways[i].algo, 1, &status) > 0)
            took = time_of(own, &ways[i].algo, TRIES, &status);
        if (took > 0 && (best <= 0 || took < best)) {
            best = took;
            own->way = ways[i].algo;
        }
        if (took <= 0 && !is_lack(status))
            worst = status;
    }
    return best > 0 ? CUBLAS_STATUS_SUCCESS : worst;
}

void library_cuda(char ret_name[GPU_NAME_BYTES])
{
    const struct cublaslt *lt = cublaslt_load();

    if (lt != NULL)
        cublaslt_name(lt, ret_name);
}

void *open_cuda(struct gpu_probe *probe, unsigned gpu, enum gemm_type type, unsigned size,
                char ret_why[GEMM_WHY_BYTES], struct error *err)
{
    const struct cublaslt *lt = cublaslt_load();
    struct cuda_gemm *own;
    cublasStatus_t status;

    if (lt == NULL) {
        (void)snprintf(ret_why, GEMM_WHY_BYTES, "there is no libcublasLt.so");
        return NULL;
    }
    own = (struct cuda_gemm *)calloc(1, sizeof *own);
    if (own == NULL) {
        (void)error_set(err, ERROR_INTERNAL, "no memory");
        return NULL;
    }
    own->lt = lt;
    own->gpu = gpu;
    if (take(own, type, size, probe->devices[gpu].sms, err) < 0) {
        close_cuda(own);
        return NULL;
    }
    status = describe(own, type, size);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = choose(own);
    if (status != CUBLAS_STATUS_SUCCESS) {
        cudaError_t error = cudaGetLastError();

        close_cuda(own);
        if (error != cudaSuccess && cudaDeviceSynchronize() != cudaSuccess)
            (void)cuda_failed(error, "a product broke off", gpu, err);
        else if (is_lack(status))
            (void)snprintf(ret_why, GEMM_WHY_BYTES, "cuBLASLt has no way to multiply this type here");
        else
            (void)error_set(err, ERROR_INTERNAL, "GPU %u: cuBLASLt failed: status %d", gpu, (int)status);
        return NULL;
    }
    return own;
}

int run_cuda(void *data, unsigned times, double *ret_seconds, struct error *err)
{
    const struct cuda_gemm *own = (const struct cuda_gemm *)data;
    const unsigned gpu = own->gpu;
    float milliseconds = 0;

    TRY(cudaEventRecord(own->began, own->stream), "event");
    for (unsigned i = 0; i < times; i++) {
        cublasStatus_t status = multiply(own, &own->way);

        if (status != CUBLAS_STATUS_SUCCESS)
            return error_set(err, ERROR_INTERNAL, "GPU %u: cuBLASLt failed: status %d", gpu, (int)status);
    }
    TRY(cudaEventRecord(own->ended, own->stream), "event");
    TRY(cudaEventSynchronize(own->ended), "a product broke off");
    TRY(cudaEventElapsedTime(&milliseconds, own->began, own->ended), "event");
    *ret_seconds = milliseconds / 1e3;
    return 0;
}

} /* namespace */
#else
namespace
{

void library_cuda(char *)
{
}

void *open_cuda(struct gpu_probe *, unsigned, enum gemm_type, unsigned, char *ret_why, struct error *)
{
    (void)snprintf(ret_why, GEMM_WHY_BYTES, "the probe was built without cublasLt.h");
    return NULL;
}

int run_cuda(void *, unsigned, double *, struct error *)
{
    return -1;
}

void close_cuda(void *)
{
}

} /* namespace */
#endif

extern "C" const struct gpu_gemm gemm_cuda = {{8192, 16384}, library_cuda, open_cuda, run_cuda, close_cuda};
