/* SPDX-License-Identifier: Apache-2.0 */
/* The work of a block on the device, but for what backend_cuda.cu has itself: tensor cores, reductions, atomics, and memory that no
   cache holds. Each is what work_host.c has in the device's own instructions. Included by CUDA C++ only. */
#ifndef ASSAY_PROBE_WORK_CUDA_H
#define ASSAY_PROBE_WORK_CUDA_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

extern "C" {
#include "work.h"
}

enum { TILE_ELEMENTS = WORK_TILE * WORK_TILE };

/* In 16 x 16 of a type: as it is stored, what wmma calls it, what its sums are, and the shape of a product. */
template <typename T> struct tile_of {
    typedef T name;
    typedef float sum;
    enum { M = WORK_TILE, N = WORK_TILE, K = WORK_TILE };
};
template <> struct tile_of<signed char> {
    typedef signed char name;
    typedef int sum;
    enum { M = WORK_TILE, N = WORK_TILE, K = WORK_TILE };
};
template <> struct tile_of<float> {
    typedef nvcuda::wmma::precision::tf32 name;
    typedef float sum;
    enum { M = WORK_TILE, N = WORK_TILE, K = 8 };
};
template <> struct tile_of<double> {
    typedef double name;
    typedef double sum;
    enum { M = 8, N = 8, K = 4 };
};

__device__ static inline uint32_t word_of_sum(int sum)
{
    return (uint32_t)sum;
}

__device__ static inline uint32_t word_of_sum(float sum)
{
    return __float_as_uint(sum);
}

__device__ static inline uint32_t word_of_sum(double sum)
{
    return work_folded((uint64_t)__double_as_longlong(sum));
}

/* Of each warp a tile by another, depth times, through the tensor cores. */
template <typename T>
__device__ static void tensor(uint64_t seed, unsigned depth, work_unit unit, uint32_t *words)
{
    using namespace nvcuda;
    typedef tile_of<T> tile;
    typedef typename tile::sum sum;
    enum { M = tile::M, N = tile::N, K = tile::K, ROWS = WORK_TILE / M, COLUMNS = WORK_TILE / N };
    __shared__ __align__(32) T left[WORK_WARPS][TILE_ELEMENTS], right[WORK_WARPS][TILE_ELEMENTS];
    __shared__ __align__(32) sum sums[WORK_WARPS][TILE_ELEMENTS];
    const unsigned warp = threadIdx.x / WORK_LANES, lane = threadIdx.x % WORK_LANES;
    wmma::fragment<wmma::matrix_a, M, N, K, typename tile::name, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, M, N, K, typename tile::name, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, M, N, K, sum> c[ROWS][COLUMNS];

    for (unsigned i = lane; i < TILE_ELEMENTS; i += WORK_LANES) {
        left[warp][i] = (T)(float)work_element(seed, unit, warp, 0, i / WORK_TILE, i % WORK_TILE);
        right[warp][i] = (T)(float)work_element(seed, unit, warp, 1, i / WORK_TILE, i % WORK_TILE);
    }
    __syncwarp();
#pragma unroll
    for (unsigned i = 0; i < ROWS * COLUMNS; i++)
        wmma::fill_fragment(c[i / COLUMNS][i % COLUMNS], (sum)0);
    wmma::load_matrix_sync(a, left[warp], WORK_TILE);
    wmma::load_matrix_sync(b, right[warp], WORK_TILE);
    for (unsigned step = 0; step < depth; step++)
#pragma unroll
        for (unsigned i = 0; i < ROWS * COLUMNS; i++)
#pragma unroll
            for (unsigned k = 0; k < WORK_TILE; k += K) {
                if (K < WORK_TILE) {
                    wmma::load_matrix_sync(a, left[warp] + i / COLUMNS * M * WORK_TILE + k, WORK_TILE);
                    wmma::load_matrix_sync(b, right[warp] + k * WORK_TILE + i % COLUMNS * N, WORK_TILE);
                }
                wmma::mma_sync(c[i / COLUMNS][i % COLUMNS], a, b, c[i / COLUMNS][i % COLUMNS]);
            }
#pragma unroll
    for (unsigned i = 0; i < ROWS * COLUMNS; i++)
        wmma::store_matrix_sync(sums[warp] + i / COLUMNS * M * WORK_TILE + i % COLUMNS * N,
                                c[i / COLUMNS][i % COLUMNS], WORK_TILE, wmma::mem_row_major);
    __syncwarp();
    for (unsigned j = 0; j < WORK_LANE_WORDS; j++)
        words[j] = word_of_sum(sums[warp][lane * WORK_LANE_WORDS + j]);
}

__device__ static uint32_t reduced_word(uint64_t seed, unsigned depth, uint32_t place)
{
    const uint32_t all = 0xffffffffu;
    uint32_t x = work_random(seed, WORK_REDUCE, place);

    for (unsigned step = 0; step < depth; step++)
        x = work_reduced(x, __reduce_add_sync(all, x), __reduce_xor_sync(all, work_integer(x)),
                         __reduce_max_sync(all, x));
    return x;
}

__device__ static inline void add_to(uint32_t *bin, uint32_t x, bool adds)
{
    if (adds)
        (void)atomicAdd(bin, work_integer(x));
    else
        (void)atomicXor(bin, work_integer(x));
}

/* far_bins: of the GPU's memory, where atomics are done by the second cache; the first is passed over. */
__device__ static void atomics(uint64_t seed, unsigned depth, uint32_t *far_bins, uint32_t *words)
{
    __shared__ uint32_t near_bins[WORK_BINS];
    const uint32_t place = threadIdx.x * WORK_LANE_WORDS;

    for (unsigned j = 0; j < WORK_LANE_WORDS; j++)
        words[j] = work_random(seed, WORK_ATOMIC, place + j);
    for (unsigned step = 0; step < work_atomic_steps(depth); step++) {
        const bool adds = work_atomic_adds(step), is_near = step % 2 == 0;

        for (unsigned bin = threadIdx.x; bin < WORK_BINS; bin += blockDim.x)
            if (is_near)
                near_bins[bin] = 0;
            else
                __stcg(&far_bins[bin], 0u);
        __threadfence_block();
        __syncthreads();
        for (unsigned j = 0; j < WORK_LANE_WORDS; j++)
            if (is_near)
                add_to(&near_bins[words[j] % WORK_BINS], words[j], adds);
            else
                add_to(&far_bins[words[j] % WORK_BINS], words[j], adds);
        __threadfence_block();
        __syncthreads();
        for (unsigned j = 0; j < WORK_LANE_WORDS; j++) {
            const uint32_t bin = work_bin_read(place + j, step);

            words[j] = work_integer(words[j]) ^ (is_near ? near_bins[bin] : __ldcg(&far_bins[bin]));
        }
        __syncthreads();
    }
}

/* All of it is written before the first is read, by all blocks of the GPU at once: a GiB lies between the two. */
__device__ static void through_hbm(uint64_t seed, unsigned depth, uint32_t *slots, uint32_t *words)
{
    const uint32_t place = threadIdx.x * WORK_LANE_WORDS;

    for (unsigned j = 0; j < WORK_LANE_WORDS; j++)
        words[j] = work_random(seed, WORK_HBM, place + j);
    for (unsigned slot = 0; slot < work_slots(depth); slot++)
        for (unsigned j = 0; j < WORK_LANE_WORDS; j++)
            __stcg(&slots[(size_t)slot * WORK_WORDS + work_elsewhere(place + j, slot)],
                   work_slot_word(words[j], slot));
    __threadfence_block();
    __syncthreads();
    for (unsigned j = 0; j < WORK_LANE_WORDS; j++)
        words[j] = 0;
    for (unsigned slot = 0; slot < work_slots(depth); slot++)
        for (unsigned j = 0; j < WORK_LANE_WORDS; j++)
            words[j] = work_rotate(words[j], 1) ^ __ldcg(&slots[(size_t)slot * WORK_WORDS + place + j]);
}

#endif
