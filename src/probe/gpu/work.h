/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an SM computes in a test for silent data corruption, as arithmetic that host and device share: this header is
 * compiled by the C compiler for the host backend, and for what the right answer is, and by nvcc for the kernels.
 *
 * One block does one unit's work and leaves WORK_WORDS words. What goes in follows from unit, seed and place alone, so
 * every block of every SM of every GPU must leave the same words. Where the arithmetic is exact, or rounded as IEEE 754
 * says (integers, fused multiply-add, products of small integers in tensor cores, whatever is only moved), the host knows
 * them too, and an answer that is wrong everywhere is found as well. Of the special functions each architecture has its
 * own last bits: there blocks can only be compared with each other.
 *
 * Chains of operations do not settle: each result goes into the answer, and makes what goes in next, so that an error in
 * the middle is not rounded away before the end.
 */
#ifndef ASSAY_PROBE_GPU_WORK_H
#define ASSAY_PROBE_GPU_WORK_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define WORK_FUNCTION __host__ __device__ static inline
#else
#define WORK_FUNCTION static inline
#endif

enum {
    WORK_WARPS = 4,
    WORK_LANES = 32,     /* of a warp */
    WORK_LANE_WORDS = 8, /* that each lane leaves */
    WORK_WORDS = WORK_WARPS * WORK_LANES * WORK_LANE_WORDS,
    WORK_TILE = 16,        /* a warp multiplies a tile of 16 x 16 by another: 256 sums, 8 for each lane */
    WORK_SMALL = 4,        /* what is multiplied lies in -4 .. 4, so that every sum is exact, in any order */
    WORK_BINS = 256,       /* that a block's atomics go to */
    WORK_SLOTS_MOST = 256, /* of a block in the GPU's memory, each of WORK_WORDS: 1 MiB */
    WORK_DEPTH_MOST = 65536, /* so often a tile's products add up without a rounding: 2^24 / (16 * 4 * 4) */
};

/* In the order in which they run; names in work_names. */
enum work_unit {
    WORK_INTEGER,
    WORK_FMA32,
    WORK_FMA64,
    WORK_SPECIAL, /* 2^x and 1 / sqrt(x) */
    WORK_TENSOR_BF16,
    WORK_TENSOR_FP16,
    WORK_TENSOR_INT8,
    WORK_SHUFFLE,
    WORK_SHARED,
    WORK_MEMORY, /* past the first cache */
    /* Inputs follow from a unit's number: new ones come behind all others. */
    WORK_TENSOR_FP8, /* e4m3 and e5m2 */
    WORK_TENSOR_TF32,
    WORK_TENSOR_FP64,
    WORK_REDUCE, /* sums of a warp by the instruction for it */
    WORK_ATOMIC, /* in shared memory, and in the second cache */
    WORK_HBM,    /* so much of the GPU's memory that no cache holds it */
    WORK_COPY,   /* the copy engines: up, within the GPU's memory, down */
    WORK_PEER,   /* from one GPU's memory to another's */
    WORK_UNITS
};

/* What SMs do; else the GPU as a whole has the fault. */
WORK_FUNCTION bool work_is_of_sm(enum work_unit unit)
{
    return unit < WORK_COPY;
}

/* A counter makes it, so that each lane can ask for its own: SplitMix64's finalizer. */
WORK_FUNCTION uint64_t work_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

WORK_FUNCTION uint32_t work_random(uint64_t seed, unsigned unit, uint32_t place)
{
    return (uint32_t)(work_mix(seed * 0x9e3779b97f4a7c15u + ((uint64_t)unit << 32) + place) >> 32);
}

/* A word's part of the block's digest, which is the sum of all: lanes can add theirs in any order. Two blocks that differ
   in one word differ in the digest, for work_mix loses nothing. */
WORK_FUNCTION uint64_t work_digest_of(uint32_t place, uint32_t word)
{
    return work_mix(((uint64_t)(place + 1) << 32) | word);
}

WORK_FUNCTION uint32_t work_rotate(uint32_t x, unsigned by)
{
    return (x << by) | (x >> (32 - by));
}

/* One step of the integer unit. */
WORK_FUNCTION uint32_t work_integer(uint32_t x)
{
    return (x * 0x9e3779b1u + work_rotate(x, 13)) ^ (x >> 7);
}

/* A number in [1, 2) with random digits. */
WORK_FUNCTION uint32_t work_float_bits(uint32_t random)
{
    return 0x3f800000u | (random >> 9);
}

WORK_FUNCTION uint64_t work_double_bits(uint32_t high, uint32_t low)
{
    return 0x3ff0000000000000u | ((uint64_t)(high >> 12) << 32) | low;
}

/* Element of a tile that goes into a tensor core: a small integer. which: 0 the left one, 1 the right one. */
WORK_FUNCTION int work_element(uint64_t seed, unsigned unit, unsigned warp, unsigned which, unsigned row,
                               unsigned column)
{
    uint32_t place = ((warp * 2 + which) * WORK_TILE + row) * WORK_TILE + column;

    return (int)(work_random(seed, unit, place) % (2 * WORK_SMALL + 1)) - WORK_SMALL;
}

/* Where a lane that gives its word away finds the other's: a permutation of the block's words. */
WORK_FUNCTION uint32_t work_elsewhere(uint32_t place, unsigned step)
{
    return (place * 5 + 37 * step + 1) % WORK_WORDS;
}

/* Both halves of a number of 64 bits. */
WORK_FUNCTION uint32_t work_folded(uint64_t bits)
{
    return (uint32_t)bits ^ work_rotate((uint32_t)(bits >> 32), 16);
}

/* A lane's next word, by what its warp's words come to. */
WORK_FUNCTION uint32_t work_reduced(uint32_t x, uint32_t sum, uint32_t odd, uint32_t most)
{
    return work_integer(x + sum) ^ work_rotate(odd, 7) ^ work_rotate(most, 19);
}

/* Atomics are slow beside the rest. */
WORK_FUNCTION unsigned work_atomic_steps(unsigned depth)
{
    return (depth + 7) / 8;
}

/* Every second step is in shared memory, every second pair of steps adds. */
WORK_FUNCTION bool work_atomic_adds(unsigned step)
{
    return step / 2 % 2 == 0;
}

WORK_FUNCTION uint32_t work_bin_read(uint32_t place, unsigned step)
{
    return (place * 5 + step) % WORK_BINS;
}

/* With the depth that the check asks for, all blocks together fill a GiB. */
WORK_FUNCTION unsigned work_slots(unsigned depth)
{
    return depth < WORK_SLOTS_MOST ? depth : (unsigned)WORK_SLOTS_MOST;
}

WORK_FUNCTION uint32_t work_slot_word(uint32_t first, unsigned slot)
{
    return work_rotate(first, 1 + slot % 31) ^ slot * 0x9e3779b1u;
}

/* What is copied tells where it belongs, so that a block in the place of another is found. */
WORK_FUNCTION uint32_t work_copied(uint32_t word, unsigned block)
{
    return word ^ (uint32_t)work_mix(block + 1);
}

#endif
