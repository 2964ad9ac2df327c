/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products in fp8, by what each architecture has for them: wgmma on sm_90, tcgen05.mma on sm_100 and 103, mma.sync on sm_120
 * (PTX ISA 9.0). Of mma.sync in fp8 the compiler makes products in fp16 on the first three (tests/probe/test_kernels.py). What is
 * multiplied, and why every sum is exact, says work_fp8.h. The first two are instructions of one architecture or family, so they
 * are there only where a kernel is compiled for that (sm_90a, sm_100f). Included by CUDA C++ only.
 */
#ifndef ASSAY_PROBE_WORK_FP8_CUDA_H
#define ASSAY_PROBE_WORK_FP8_CUDA_H

extern "C" {
#include "work_fp8.h"
}

#if defined(__CUDA_ARCH_FAMILY_SPECIFIC__) && __CUDA_ARCH__ / 100 == 9
#define FP8_BY_WGMMA
#elif defined(__CUDA_ARCH_FAMILY_SPECIFIC__) && __CUDA_ARCH__ / 100 == 10
#define FP8_BY_TCGEN05
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ / 100 == 12
#define FP8_BY_MMA
#endif
#if defined(FP8_BY_WGMMA) || defined(FP8_BY_TCGEN05) || defined(FP8_BY_MMA)
#define FP8_HERE 1
#else
#define FP8_HERE 0
#endif

/* Whether the kernels that were loaded for this GPU have such an instruction: only they know what they were compiled for. */
__device__ const unsigned fp8_is_here = FP8_HERE;

#if FP8_HERE
/* Sums are whole numbers, so what they are as such loses nothing but the sign of a zero; one that is none is wrong, and must not be
   rounded to the right one. */
__device__ static inline int fp8_sum(float sum)
{
    return sum == rintf(sum) ? (int)sum : __float_as_int(sum);
}
#endif

#if defined(FP8_BY_WGMMA) || defined(FP8_BY_TCGEN05)
/* By all threads of the block. */
__device__ static void fp8_fill(uint64_t seed, unsigned which, unsigned rows, bool is_e5m2,
                                unsigned char *side)
{
    for (unsigned i = threadIdx.x; i < rows * WORK_FP8_DEPTH / 4; i += WORK_WARPS * WORK_LANES) {
        const unsigned row = i / (WORK_FP8_DEPTH / 4), k = i % (WORK_FP8_DEPTH / 4) * 4;

        *(uint32_t *)(side + work_fp8_offset(row, k)) = work_fp8_four(seed, which, row, k, is_e5m2);
    }
}

__device__ static inline uint32_t fp8_shared(const void *at)
{
    return (uint32_t)__cvta_generic_to_shared(at);
}

/* What threads wrote to shared memory is read by the tensor core past their way to it. */
__device__ static inline void fp8_show()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
}
#endif

#if defined(FP8_BY_WGMMA) || defined(FP8_BY_MMA)
/* By type and half. */
__device__ static inline void fp8_lefts(uint64_t seed, uint32_t (&ret_a)[2][2][4])
{
    for (unsigned i = 0; i < 4; i++)
        for (unsigned k = 0; k < 4; k++)
            ret_a[i / 2][i % 2][k] = work_fp8_left(seed, threadIdx.x, i % 2, k, i / 2 == 1);
}
#endif

#ifdef FP8_BY_WGMMA
#define FP8_WGMMA(type_, add_)                                                                          \
    "wgmma.mma_async.sync.aligned.m64n16k32.f32." type_ "." type_ " {%0, %1, %2, %3, %4, %5, %6, %7}, " \
    "{%8, %9, %10, %11}, %12, " add_ ", 1, 1;\n"
/* Four times the same product, the first from zero; nobody looks before all are done. */
#define FP8_PRODUCTS(type_)                                                                                  \
    asm volatile(                                                                                            \
        "{\n.reg .pred none, more;\n"                                                                        \
        "setp.ne.b32 none, 0, 0;\nsetp.eq.b32 more, 0, 0;\n"                                                 \
        "wgmma.fence.sync.aligned;\n" FP8_WGMMA(type_, "none") FP8_WGMMA(type_, "more") FP8_WGMMA(type_,     \
                                                                                                  "more")    \
            FP8_WGMMA(type_, "more") "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n}" \
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7])     \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)                                                 \
        : "memory")

/* 64 x 32 of the left side, which the four warps hold, by the right one in shared memory. */
template <bool IS_E5M2>
__device__ static inline void fp8_products(const uint32_t (&a)[4], uint64_t b, uint32_t *chains)
{
    float c[WORK_LANE_WORDS];

    for (unsigned j = 0; j < WORK_LANE_WORDS; j++)
        c[j] = __int_as_float(0x7fffffff); /* no number: stays where nothing is multiplied */
    if (IS_E5M2)
        FP8_PRODUCTS("e5m2");
    else
        FP8_PRODUCTS("e4m3");
    for (unsigned j = 0; j < WORK_LANE_WORDS; j++)
        chains[j] = work_fp8_step(chains[j], fp8_sum(c[j]));
}

__device__ static void tensor_fp8(uint64_t seed, unsigned depth, uint32_t *words)
{
    __shared__ __align__(128) unsigned char right[2][WORK_FP8_COLUMNS * WORK_FP8_DEPTH];
    uint32_t a[2][2][4], chains[2][WORK_LANE_WORDS] = {};

    fp8_lefts(seed, a);
    for (unsigned type = 0; type < 2; type++)
        fp8_fill(seed, 1, WORK_FP8_COLUMNS, type == 1, right[type]);
    fp8_show();
    for (unsigned step = 0; step < depth; step += 2) {
        for (unsigned half = 0; half < 2; half++)
            fp8_products<false>(a[0][half], work_fp8_descriptor(fp8_shared(right[0]), false), chains[half]);
        for (unsigned half = 0; half < 2 && step + 1 < depth; half++)
            fp8_products<true>(a[1][half], work_fp8_descriptor(fp8_shared(right[1]), false), chains[half]);
    }
    for (unsigned j = 0; j < WORK_LANE_WORDS; j++)
        words[j] = work_fp8_both(chains[0][j], chains[1][j]);
}
#endif

#ifdef FP8_BY_MMA
#define FP8_MMA(type_)                                                                  \
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32." type_ "." type_               \
                 ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                       \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

/* 16 x 32 by 32 x 8, four times. */
template <bool IS_E5M2>
__device__ static inline void fp8_products(const uint32_t (&a)[4], const uint32_t (&b)[2], uint32_t *chains)
{
    float c[4] = {0, 0, 0, 0};

    for (unsigned i = 0; i < WORK_FP8_TIMES; i++)
        if (IS_E5M2)
            FP8_MMA("e5m2");
        else
            FP8_MMA("e4m3");
    for (unsigned j = 0; j < 4; j++)
        chains[j] = work_fp8_step(chains[j], fp8_sum(c[j]));
}

template <bool IS_E5M2>
__device__ static inline void fp8_step(const uint32_t (&a)[2][4], const uint32_t (&b)[2][2],
                                       uint32_t (*chains)[WORK_LANE_WORDS])
{
#pragma unroll
    for (unsigned i = 0; i < 4; i++)
        fp8_products<IS_E5M2>(a[i / 2], b[i % 2], chains[i / 2] + i % 2 * 4);
}

__device__ static void tensor_fp8(uint64_t seed, unsigned depth, uint32_t *words)
{
    uint32_t a[2][2][4], b[2][2][2], chains[2][WORK_LANE_WORDS] = {};

    fp8_lefts(seed, a);
    for (unsigned i = 0; i < 8; i++)
        b[i / 4][i / 2 % 2][i % 2] = work_fp8_right(seed, threadIdx.x, i / 2 % 2, i % 2, i / 4 == 1);
    for (unsigned step = 0; step < depth; step += 2) {
        fp8_step<false>(a[0], b[0], chains);
        if (step + 1 < depth)
            fp8_step<true>(a[1], b[1], chains);
    }
    for (unsigned j = 0; j < WORK_LANE_WORDS; j++)
        words[j] = work_fp8_both(chains[0][j], chains[1][j]);
}
#endif

#ifdef FP8_BY_TCGEN05
enum {
    FP8_TENSOR_COLUMNS =
        32, /* of tensor memory, the fewest there are to have; eight blocks of an SM have half of all */
    FP8_PATIENCE_S = 10,
};

/* By one thread: four times the same product, the first from zero; the barrier has its turn when all are done. */
__device__ static inline void fp8_multiply(uint32_t sums, const void *left, const void *right, bool is_e5m2,
                                           uint32_t barrier)
{
    asm volatile("{\n.reg .pred none, more;\n"
                 "setp.ne.b32 none, 0, 0;\nsetp.eq.b32 more, 0, 0;\n"
                 "tcgen05.fence::after_thread_sync;\n"
                 "tcgen05.mma.cta_group::1.kind::f8f6f4 [%0], %1, %2, %3, none;\n"
                 "tcgen05.mma.cta_group::1.kind::f8f6f4 [%0], %1, %2, %3, more;\n"
                 "tcgen05.mma.cta_group::1.kind::f8f6f4 [%0], %1, %2, %3, more;\n"
                 "tcgen05.mma.cta_group::1.kind::f8f6f4 [%0], %1, %2, %3, more;\n"
                 "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%4];\n}" ::"r"(sums),
                 "l"(work_fp8_descriptor(fp8_shared(left), true)),
                 "l"(work_fp8_descriptor(fp8_shared(right), true)), "r"(work_fp8_kind(is_e5m2)), "r"(barrier)
                 : "memory");
}

__device__ static inline uint64_t fp8_now_ns()
{
    uint64_t now;

    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* A tensor core that does not end its work breaks the test off: no answer may come of what was there before. */
__device__ static inline void fp8_wait(uint32_t barrier, unsigned turn)
{
    const uint64_t begun = fp8_now_ns();
    uint32_t done = 0;

    while (!done) {
        asm volatile(
            "{\n.reg .pred done;\nmbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\nselp.b32 %0, 1, 0, done;\n}"
            : "=r"(done)
            : "r"(barrier), "r"(turn)
            : "memory");
        if (!done && fp8_now_ns() - begun > FP8_PATIENCE_S * 1000000000ull)
            __trap();
    }
    __syncwarp();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

/* A thread's row is the one of tensor memory with its number; a warp reads its own 32. */
__device__ static inline void fp8_read(uint32_t sums, uint32_t (&ret_row)[WORK_FP8_COLUMNS])
{
    uint32_t *r = ret_row;

    asm volatile(
        "tcgen05.ld.sync.aligned.32x32b.x16.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, [%16];\n"
        "tcgen05.wait::ld.sync.aligned;\n"
        "tcgen05.fence::before_thread_sync;"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]),
          "=r"(r[8]), "=r"(r[9]), "=r"(r[10]), "=r"(r[11]), "=r"(r[12]), "=r"(r[13]), "=r"(r[14]), "=r"(r[15])
        : "r"(sums + (threadIdx.x / WORK_LANES * WORK_LANES << 16))
        : "memory");
}

/* By all threads of a block: the sums' place in tensor memory, and a barrier for one who arrives. */
__device__ static inline uint32_t fp8_open(uint32_t *place, uint64_t *barrier)
{
    if (threadIdx.x < WORK_LANES) {
        asm volatile(
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(fp8_shared(place)),
            "r"((uint32_t)FP8_TENSOR_COLUMNS)
            : "memory");
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
    }
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.mbarrier_init.release.cluster;" ::"r"(
                         fp8_shared(barrier))
                     : "memory");
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    fp8_show();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    return *(volatile uint32_t *)place;
}

/* After the last was read. */
__device__ static inline void fp8_close(uint32_t sums)
{
    if (threadIdx.x < WORK_LANES)
        asm volatile(
            "tcgen05.fence::after_thread_sync;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(
                sums),
            "r"((uint32_t)FP8_TENSOR_COLUMNS)
            : "memory");
}

/* From who has the row to who has the word. */
__device__ static inline void fp8_give(const uint32_t (&chains)[WORK_FP8_COLUMNS],
                                       uint32_t (*rows)[WORK_FP8_COLUMNS], uint32_t *words)
{
    for (unsigned column = 0; column < WORK_FP8_COLUMNS; column++)
        rows[threadIdx.x][column] = chains[column];
    __syncthreads();
    for (unsigned j = 0; j < WORK_LANE_WORDS; j++) {
        const unsigned row = work_fp8_row(threadIdx.x, j), column = work_fp8_column(threadIdx.x, j);

        words[j] = work_fp8_both(rows[row][column], rows[row + WORK_FP8_ROWS / 2][column]);
    }
}

__device__ static void tensor_fp8(uint64_t seed, unsigned depth, uint32_t *words)
{
    __shared__ __align__(128) unsigned char left[2][WORK_FP8_ROWS * WORK_FP8_DEPTH],
        right[2][WORK_FP8_COLUMNS * WORK_FP8_DEPTH];
    __shared__ __align__(8) uint64_t barrier;
    __shared__ uint32_t place;
    uint32_t chains[WORK_FP8_COLUMNS] = {}, row[WORK_FP8_COLUMNS], sums;

    for (unsigned type = 0; type < 2; type++) {
        fp8_fill(seed, 0, WORK_FP8_ROWS, type == 1, left[type]);
        fp8_fill(seed, 1, WORK_FP8_COLUMNS, type == 1, right[type]);
    }
    sums = fp8_open(&place, &barrier);
    for (unsigned step = 0; step < depth; step++) {
        if (threadIdx.x == 0)
            fp8_multiply(sums, left[step % 2], right[step % 2], step % 2 == 1, fp8_shared(&barrier));
        __syncwarp();
        fp8_wait(fp8_shared(&barrier), step % 2);
        fp8_read(sums, row);
        __syncthreads(); /* the next step writes over what all have read */
        for (unsigned i = 0; i < WORK_FP8_COLUMNS; i++)
            chains[i] = work_fp8_step(chains[i], fp8_sum(__uint_as_float(row[i])));
    }
    fp8_close(sums);
    fp8_give(chains, (uint32_t(*)[WORK_FP8_COLUMNS])left, words);
}
#endif

#if !FP8_HERE
/* Nobody asks for it: see fp8_is_here. What would come of it is no answer. */
__device__ static void tensor_fp8(uint64_t, unsigned, uint32_t *)
{
    __trap();
}
#endif

#endif
