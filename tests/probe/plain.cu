/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shortest way to a figure that assay-probe-gpu also has: loops of cudaMemcpy, and a product by cuBLAS. For
 * scripts/gpu-day, which compares the two. On GPU 0; prints "NAME VALUE" each: copy, up, down GB/s, bf16 TFLOP/s.
 */
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#ifdef WITH_CUBLAS
#include <cublas_v2.h>
#endif

static void need(int error)
{
    if (error != 0) {
        fprintf(stderr, "plain: error %d\n", error);
        exit(1);
    }
}

template <typename F> static double seconds(int times, F work)
{
    cudaEvent_t began, ended;
    float milliseconds;

    need(cudaEventCreate(&began));
    need(cudaEventCreate(&ended));
    for (int i = 0; i < times / 2 + 1; i++)
        work();
    need(cudaEventRecord(began));
    for (int i = 0; i < times; i++)
        work();
    need(cudaEventRecord(ended));
    need(cudaEventSynchronize(ended));
    need(cudaEventElapsedTime(&milliseconds, began, ended));
    return milliseconds / 1e3 / times;
}

#ifdef WITH_CUBLAS
__global__ static void put_random(__nv_bfloat16 *to, size_t count)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        unsigned x = (unsigned)i * 2654435761u + 12345u;

        x ^= x >> 15;
        x *= 2246822519u;
        to[i] = (__nv_bfloat16)((float)(x >> 8) / 8388608.0f - 1.0f);
    }
}

static void product(int size, int times)
{
    const float one = 1, zero = 0;
    __nv_bfloat16 *matrices;
    cublasHandle_t handle;
    size_t count = (size_t)size * size;
    double took;

    need(cudaMalloc(&matrices, 3 * count * sizeof *matrices));
    put_random<<<1024, 256>>>(matrices, 2 * count);
    need(cublasCreate(&handle));
    took = seconds(times, [&] {
        need(cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, size, size, size, &one, matrices, CUDA_R_16BF, size,
                          matrices + count, CUDA_R_16BF, size, &zero, matrices + 2 * count, CUDA_R_16BF, size,
                          CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    });
    printf("bf16 %.5g\n", 2.0 * size * size * size / took / 1e12);
}
#endif

int main()
{
    const size_t bytes = (size_t)1 << 30;
    char *a, *b, *host;

    need(cudaMalloc(&a, bytes));
    need(cudaMalloc(&b, bytes));
    need(cudaMallocHost(&host, bytes));
    printf("copy %.5g\n",
           2 * bytes / 1e9 / seconds(50, [&] { need(cudaMemcpyAsync(a, b, bytes, cudaMemcpyDeviceToDevice)); }));
    printf("up %.5g\n", bytes / 1e9 / seconds(10, [&] { need(cudaMemcpyAsync(a, host, bytes, cudaMemcpyHostToDevice)); }));
    printf("down %.5g\n", bytes / 1e9 / seconds(10, [&] { need(cudaMemcpyAsync(host, a, bytes, cudaMemcpyDeviceToHost)); }));
#ifdef WITH_CUBLAS
    product(8192, 1000);
#endif
    return 0;
}
