/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of a training, in bf16 with sums in fp32. By cuBLASLt where it is: of the ways that it offers the first, which
 * follows from shape, architecture and version, and not the fastest, which follows from chance; none that adds parts up in
 * place. Where the library is not, a plain kernel through tensor cores.
 */
#include "training_cuda.h"

#include <cstdlib>
#include <cstring>

#include <mma.h>

#if __has_include(<cublasLt.h>)
#include "cublaslt.h"
#endif

namespace
{

enum { PLANS_MOST = 64, TILE = 64, STEP = 32, EDGE = 16, LINE = STEP + 8, WARPS = 4 };
const size_t WORKSPACE = (size_t)64 << 20;

/* Rows and columns of the product's tile are shared by four warps, each of which has 32 x 32 of it. What lies beyond the
   matrices is 0. */
struct tile {
    element a[TILE][LINE], b[TILE][LINE]; /* b on its side */
    float c[TILE][TILE + 4];
};

__device__ void load_side(element (*to)[LINE], const element *from, size_t row_step, size_t inner_step, size_t rows,
                          size_t inner, size_t row, size_t at)
{
    for (unsigned i = threadIdx.x; i < TILE * STEP; i += WARPS * 32) {
        /* Threads that are neighbours read what lies side by side. */
        const unsigned r = inner_step == 1 ? i / STEP : i % TILE, k = inner_step == 1 ? i % STEP : i / TILE;

        to[r][k] = row + r < rows && at + k < inner ? from[(row + r) * row_step + (at + k) * inner_step]
                                                    : __float2bfloat16_rn(0.0f);
    }
}

__global__ void __launch_bounds__(WARPS * 32) product_kernel(struct training_product p)
{
    using namespace nvcuda;
    __shared__ __align__(32) struct tile tile;
    const size_t row = (size_t)blockIdx.y * TILE, column = (size_t)blockIdx.x * TILE;
    const size_t m = p.m, n = p.n, k = p.k;
    const element *a = (const element *)p.a + blockIdx.z * m * k, *b = (const element *)p.b + blockIdx.z * k * n;
    const unsigned warp = threadIdx.x / 32, top = warp / 2 * 32, left = warp % 2 * 32;
    wmma::fragment<wmma::accumulator, EDGE, EDGE, EDGE, float> sums[2][2];

    for (unsigned i = 0; i < 4; i++)
        wmma::fill_fragment(sums[i / 2][i % 2], 0.0f);
    for (size_t at = 0; at < k; at += STEP) {
        load_side(tile.a, a, p.a_on_side ? 1 : k, p.a_on_side ? m : 1, m, k, row, at);
        load_side(tile.b, b, p.b_on_side ? k : 1, p.b_on_side ? 1 : n, n, k, column, at);
        __syncthreads();
        for (unsigned inner = 0; inner < STEP; inner += EDGE)
            for (unsigned i = 0; i < 4; i++) {
                wmma::fragment<wmma::matrix_a, EDGE, EDGE, EDGE, element, wmma::row_major> x;
                wmma::fragment<wmma::matrix_b, EDGE, EDGE, EDGE, element, wmma::col_major> y;

                wmma::load_matrix_sync(x, &tile.a[top + i / 2 * EDGE][inner], LINE);
                wmma::load_matrix_sync(y, &tile.b[left + i % 2 * EDGE][inner], LINE);
                wmma::mma_sync(sums[i / 2][i % 2], x, y, sums[i / 2][i % 2]);
            }
        __syncthreads();
    }
    for (unsigned i = 0; i < 4; i++)
        wmma::store_matrix_sync(&tile.c[top + i / 2 * EDGE][left + i % 2 * EDGE], sums[i / 2][i % 2], TILE + 4,
                                wmma::mem_row_major);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < TILE * TILE; i += WARPS * 32) {
        const size_t r = row + i / TILE, c = column + i % TILE, to = blockIdx.z * m * n + r * n + c;

        if (r < m && c < n)
            ((element *)p.c)[to] = __float2bfloat16_rn(
                tile.c[i / TILE][i % TILE] + (p.plus != NULL ? __bfloat162float(((const element *)p.plus)[to]) : 0.0f));
    }
}

void product_by_kernel(struct training_gpu *gpu, const struct training_product *product)
{
    const dim3 blocks((product->n + TILE - 1) / TILE, (product->m + TILE - 1) / TILE, product->batch);

    product_kernel<<<blocks, WARPS * 32, 0, gpu->compute>>>(*product);
    training_note(gpu, cudaGetLastError(), "a product cannot be started");
}

} /* namespace */

#if __has_include(<cublasLt.h>)
namespace
{

/* For products of one shape. */
struct plan {
    struct training_product shape; /* its addresses are NULL */
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t left, right, out; /* of columns: the library's order */
    cublasLtMatmulAlgo_t way;
    bool works; /* false: it could not be made, nor will be when it is asked for again */
};

} /* namespace */

struct training_products {
    const struct cublaslt *lt;
    cublasLtHandle_t handle;
    void *workspace;
    struct plan plans[PLANS_MOST];
    unsigned count;
};

namespace
{

/* What the library calls the first is our second: row by row is column by column of what lies on its side. */
bool layout(const struct cublaslt *lt, cublasLtMatrixLayout_t *ret_layout, uint64_t rows, uint64_t columns,
            int32_t batch)
{
    const int64_t stride = (int64_t)(rows * columns);

    return lt->layout_create(ret_layout, CUDA_R_16BF, rows, columns, (int64_t)rows) == CUBLAS_STATUS_SUCCESS &&
           lt->layout_set(*ret_layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch, sizeof batch) ==
               CUBLAS_STATUS_SUCCESS &&
           lt->layout_set(*ret_layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride) ==
               CUBLAS_STATUS_SUCCESS;
}

bool describe(const struct cublaslt *lt, struct plan *plan)
{
    const struct training_product *p = &plan->shape;
    const cublasOperation_t on_side = CUBLAS_OP_T, as_is = CUBLAS_OP_N;
    const int32_t batch = (int32_t)p->batch;

    return lt->product_create(&plan->product, CUBLAS_COMPUTE_32F, CUDA_R_32F) == CUBLAS_STATUS_SUCCESS &&
           lt->product_set(plan->product, CUBLASLT_MATMUL_DESC_TRANSA, p->b_on_side ? &on_side : &as_is,
                           sizeof on_side) == CUBLAS_STATUS_SUCCESS &&
           lt->product_set(plan->product, CUBLASLT_MATMUL_DESC_TRANSB, p->a_on_side ? &on_side : &as_is,
                           sizeof on_side) == CUBLAS_STATUS_SUCCESS &&
           layout(lt, &plan->left, p->b_on_side ? p->k : p->n, p->b_on_side ? p->n : p->k, batch) &&
           layout(lt, &plan->right, p->a_on_side ? p->m : p->k, p->a_on_side ? p->k : p->m, batch) &&
           layout(lt, &plan->out, p->n, p->m, batch);
}

bool choose(struct training_products *products, struct plan *plan)
{
    const struct cublaslt *lt = products->lt;
    const uint32_t schemes = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    cublasLtMatmulHeuristicResult_t way;
    cublasLtMatmulPreference_t preference = NULL;
    int count = 0;
    bool found;

    if (lt->preference_create(&preference) != CUBLAS_STATUS_SUCCESS)
        return false;
    found = lt->preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &WORKSPACE, sizeof WORKSPACE) ==
                CUBLAS_STATUS_SUCCESS &&
            lt->preference_set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &schemes, sizeof schemes) ==
                CUBLAS_STATUS_SUCCESS &&
            lt->ways(products->handle, plan->product, plan->left, plan->right, plan->out, plan->out, preference, 1,
                     &way, &count) == CUBLAS_STATUS_SUCCESS &&
            count == 1 && way.state == CUBLAS_STATUS_SUCCESS;
    (void)lt->preference_destroy(preference);
    if (found)
        plan->way = way.algo;
    return found;
}

/* NULL: the library has none. */
const struct plan *plan_of(struct training_products *products, const struct training_product *product)
{
    struct training_product shape;
    struct plan *plan;

    /* Compared byte by byte. */
    memset(&shape, 0, sizeof shape);
    shape.m = product->m;
    shape.n = product->n;
    shape.k = product->k;
    shape.batch = product->batch;
    shape.a_on_side = product->a_on_side;
    shape.b_on_side = product->b_on_side;
    for (unsigned i = 0; i < products->count; i++)
        if (memcmp(&products->plans[i].shape, &shape, sizeof shape) == 0)
            return products->plans[i].works ? &products->plans[i] : NULL;
    if (products->count == PLANS_MOST)
        return NULL;
    plan = &products->plans[products->count++];
    plan->shape = shape;
    plan->works = describe(products->lt, plan) && choose(products, plan);
    return plan->works ? plan : NULL;
}

void product_by_library(struct training_gpu *gpu, const struct training_product *product)
{
    struct training_products *products = gpu->products;
    const struct plan *plan = plan_of(products, product);
    const float one = 1, plus = product->plus != NULL ? 1 : 0;
    cublasStatus_t status = CUBLAS_STATUS_NOT_SUPPORTED;

    if (plan != NULL)
        status = products->lt->multiply(products->handle, plan->product, &one, product->b, plan->left, product->a,
                                        plan->right, &plus, product->plus != NULL ? product->plus : product->c,
                                        plan->out, product->c, plan->out, &plan->way, products->workspace, WORKSPACE,
                                        gpu->compute);
    if (status != CUBLAS_STATUS_SUCCESS && gpu->failed.text[0] == '\0')
        (void)error_set(&gpu->failed, ERROR_INTERNAL,
                        "GPU %u: cuBLASLt cannot multiply %u x %u x %u, %u at once: status %d", gpu->gpu, product->m,
                        product->n, product->k, product->batch, (int)status);
}

} /* namespace */

void training_products_name(char ret_name[GPU_NAME_BYTES])
{
    const struct cublaslt *lt = cublaslt_load();

    if (lt != NULL)
        cublaslt_name(lt, ret_name);
    else
        (void)snprintf(ret_name, GPU_NAME_BYTES, "none: there is no libcublasLt.so, kernels of the probe multiply");
}

struct training_products *training_products_open(struct training_gpu *gpu, struct error *err)
{
    struct training_products *products = (struct training_products *)calloc(1, sizeof *products);

    if (products == NULL) {
        (void)error_set(err, ERROR_INTERNAL, "no memory");
        return NULL;
    }
    products->lt = cublaslt_load();
    if (products->lt != NULL && (cudaMalloc(&products->workspace, WORKSPACE) != cudaSuccess ||
                                 products->lt->create(&products->handle) != CUBLAS_STATUS_SUCCESS)) {
        (void)error_set(err, ERROR_INTERNAL, "GPU %u: cuBLASLt cannot be opened", gpu->gpu);
        training_products_close(products);
        return NULL;
    }
    return products;
}

void training_products_close(struct training_products *products)
{
    const struct cublaslt *lt = products != NULL ? products->lt : NULL;

    for (unsigned i = 0; lt != NULL && i < products->count; i++) {
        struct plan *plan = &products->plans[i];
        cublasLtMatrixLayout_t layouts[] = {plan->left, plan->right, plan->out};

        for (unsigned j = 0; j < 3; j++)
            if (layouts[j] != NULL)
                (void)lt->layout_destroy(layouts[j]);
        if (plan->product != NULL)
            (void)lt->product_destroy(plan->product);
    }
    if (lt != NULL && products->handle != NULL)
        (void)lt->destroy(products->handle);
    if (products != NULL)
        (void)cudaFree(products->workspace);
    free(products);
}

void training_product(struct training_gpu *gpu, const struct training_product *product)
{
    if (gpu->products->lt != NULL)
        product_by_library(gpu, product);
    else
        product_by_kernel(gpu, product);
}
#else
void training_products_name(char ret_name[GPU_NAME_BYTES])
{
    (void)snprintf(ret_name, GPU_NAME_BYTES, "none: built without cublasLt.h, kernels of the probe multiply");
}

struct training_products *training_products_open(struct training_gpu *, struct error *)
{
    static char there_is_nothing_to_open;

    return (struct training_products *)&there_is_nothing_to_open;
}

void training_products_close(struct training_products *)
{
}

void training_product(struct training_gpu *gpu, const struct training_product *product)
{
    product_by_kernel(gpu, product);
}
#endif
