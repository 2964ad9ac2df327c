/* SPDX-License-Identifier: Apache-2.0 */
/* Of the test sdc the unit tensor-fp8: what is multiplied, and how each architecture's instruction takes it; the same on host and
   device. See work.h. */
#ifndef ASSAY_PROBE_WORK_FP8_H
#define ASSAY_PROBE_WORK_FP8_H

#include "work.h"

/*
 * Of fp8 a block multiplies 128 x 32 by 32 x 16, which is one instruction where a tensor core takes a whole block's work
 * (tcgen05), two where it takes that of four warps (wgmma), and 16 where each warp has its own (mma.sync). In even steps both
 * sides are e4m3, in odd ones e5m2, the left one with its sign turned over: both types hold -4 .. 4 without a rounding.
 *
 * A product is taken four times from zero on. On Hopper sums of fp8 keep fewer bits than fp32 has, about 14, and what they are
 * rounded to follows from their order, which nobody tells. Here a product is at most 16 and a sum of 4 * 32 of them at most 2048:
 * 12 bits, whole numbers all the way, so whatever order and width the hardware has, nothing is lost and one answer is right.
 */
enum {
    WORK_FP8_ROWS = 2 * WORK_WARPS * WORK_TILE,
    WORK_FP8_DEPTH = 2 * WORK_TILE,
    WORK_FP8_COLUMNS = WORK_TILE,
    WORK_FP8_TIMES = 4,
};

/* The block's j-th word of a thread is of this row, and of the one half the rows further down; as wgmma and mma.sync have them. */
WORK_FUNCTION unsigned work_fp8_row(unsigned thread, unsigned j)
{
    return thread / WORK_LANES * WORK_TILE + thread % WORK_LANES / 4 + j % 4 / 2 * 8;
}

WORK_FUNCTION unsigned work_fp8_column(unsigned thread, unsigned j)
{
    return thread % 4 * 2 + j % 2 + j / 4 * 8;
}

/* which: 0 the left side by its row, 1 the right one by its column; a small integer. */
WORK_FUNCTION int work_fp8_element(uint64_t seed, unsigned which, unsigned row, unsigned k)
{
    const uint32_t place = (which * WORK_FP8_ROWS + row) * WORK_FP8_DEPTH + k;

    return (int)(work_random(seed, WORK_TENSOR_FP8, place) % (2 * WORK_SMALL + 1)) - WORK_SMALL;
}

/* sum: with the step's sign. */
WORK_FUNCTION uint32_t work_fp8_step(uint32_t all, int sum)
{
    return work_integer(all) ^ (uint32_t)sum;
}

WORK_FUNCTION uint32_t work_fp8_both(uint32_t upper, uint32_t lower)
{
    return upper ^ work_rotate(lower, 16);
}

/* -4 .. 4 as e5m2, or as e4m3: a sign, five bits of exponent and two of fraction, or four and three. */
WORK_FUNCTION uint32_t work_fp8(int number, bool is_e5m2)
{
    const uint32_t size = (uint32_t)(number < 0 ? -number : number), sign = number < 0 ? 0x80 : 0;

    if (is_e5m2)
        return sign | (size == 0 ? 0 : size == 1 ? 0x3c : size == 2 ? 0x40 : size == 3 ? 0x42 : 0x44);
    return sign | (size == 0 ? 0 : size == 1 ? 0x38 : size == 2 ? 0x40 : size == 3 ? 0x44 : 0x48);
}

/* Four elements that follow each other in k, the first in the lowest byte; with the step's sign. */
WORK_FUNCTION uint32_t work_fp8_four(uint64_t seed, unsigned which, unsigned row, unsigned k, bool is_e5m2)
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < 4; i++)
        bits |= work_fp8(work_fp8_element(seed, which, row, k + i), is_e5m2) << (8 * i);
    return which == 0 && is_e5m2 ? bits ^ 0x80808080u : bits;
}

/* How instructions take a side, each as PTX ISA 9.0 has it. From registers (wgmma and mma.sync the left one): the i-th of a thread, of
   the upper half of all rows or the lower one. */
WORK_FUNCTION uint32_t work_fp8_left(uint64_t seed, unsigned thread, unsigned half, unsigned i, bool is_e5m2)
{
    const unsigned row =
        half * (WORK_FP8_ROWS / 2) + thread / WORK_LANES * WORK_TILE + thread % WORK_LANES / 4 + i % 2 * 8;

    return work_fp8_four(seed, 0, row, thread % 4 * 4 + i / 2 * 16, is_e5m2);
}

/* Of mma.sync the right one, which has eight columns: the first eight or the others. */
WORK_FUNCTION uint32_t work_fp8_right(uint64_t seed, unsigned thread, unsigned half, unsigned i, bool is_e5m2)
{
    return work_fp8_four(seed, 1, thread % WORK_LANES / 4 + half * 8, thread % 4 * 4 + i * 16, is_e5m2);
}

/* From shared memory, K-major and without a swizzle: pieces of 8 rows by 16 bytes, 128 bytes each, two of them side by side in k. */
enum { WORK_FP8_PIECE = 8 * 16, WORK_FP8_PIECES = WORK_FP8_DEPTH / 16 * WORK_FP8_PIECE };

WORK_FUNCTION unsigned work_fp8_offset(unsigned row, unsigned k)
{
    return row / 8 * WORK_FP8_PIECES + k / 16 * WORK_FP8_PIECE + row % 8 * 16 + k % 16;
}

/* Address, from piece to piece in k ("leading"), from 8 rows to the next 8 ("stride"), all in 16 bytes. tcgen05 has bit 46 set. */
WORK_FUNCTION uint64_t work_fp8_descriptor(uint32_t address, bool is_tcgen05)
{
    return (uint64_t)(address >> 4 & 0x3fff) | (uint64_t)(WORK_FP8_PIECE >> 4) << 16 |
           (uint64_t)(WORK_FP8_PIECES >> 4) << 32 | (uint64_t)is_tcgen05 << 46;
}

/* What tcgen05 is told: sums in fp32, the type of both sides (e4m3 is 0, e5m2 is 1), columns in eights, rows in sixteens. */
WORK_FUNCTION uint32_t work_fp8_kind(bool is_e5m2)
{
    const uint32_t type = is_e5m2 ? 1 : 0;

    return 1u << 4 | type << 7 | type << 10 | (uint32_t)(WORK_FP8_COLUMNS >> 3) << 17 |
           (uint32_t)(WORK_FP8_ROWS >> 4) << 24;
}

#endif
