/* SPDX-License-Identifier: Apache-2.0 */
/* The work of a block, on the host: what the answer is where the host's arithmetic is the device's, and all that the host
   backend does. Compiled without contraction, so that only what says fma is fused. */
#include <math.h>
#include <string.h>

#include "gpu.h"
#include "work_fp8.h"

const char *const work_names[WORK_UNITS] = {
    [WORK_INTEGER] = "integer",
    [WORK_FMA32] = "fma32",
    [WORK_FMA64] = "fma64",
    [WORK_SPECIAL] = "special",
    [WORK_TENSOR_BF16] = "tensor-bf16",
    [WORK_TENSOR_FP16] = "tensor-fp16",
    [WORK_TENSOR_INT8] = "tensor-int8",
    [WORK_SHUFFLE] = "shuffle",
    [WORK_SHARED] = "shared",
    [WORK_MEMORY] = "memory",
    [WORK_TENSOR_FP8] = "tensor-fp8",
    [WORK_TENSOR_TF32] = "tensor-tf32",
    [WORK_TENSOR_FP64] = "tensor-fp64",
    [WORK_REDUCE] = "reduce",
    [WORK_ATOMIC] = "atomic",
    [WORK_HBM] = "hbm",
    [WORK_COPY] = "copy-engine",
    [WORK_PEER] = "peer",
};

static float float_of(uint32_t random)
{
    uint32_t bits = work_float_bits(random);
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t integer_word(uint64_t seed, unsigned depth, uint32_t place)
{
    uint32_t x = work_random(seed, WORK_INTEGER, place);

    for (unsigned i = 0; i < depth; i++)
        x = work_integer(x);
    return x;
}

static uint32_t fma32_word(uint64_t seed, unsigned depth, uint32_t place)
{
    uint32_t x = work_random(seed, WORK_FMA32, place), all = 0;

    for (unsigned i = 0; i < depth; i++) {
        x = bits_of(fmaf(float_of(x), float_of(work_integer(x)), float_of(work_rotate(x, 9))));
        all = work_rotate(all, 1) ^ x;
        x = work_integer(x);
    }
    return all;
}

static double double_of(uint32_t high, uint32_t low)
{
    uint64_t bits = work_double_bits(high, low);
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of_double(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint32_t fma64_word(uint64_t seed, unsigned depth, uint32_t place)
{
    uint32_t x = work_random(seed, WORK_FMA64, place), all = 0;

    for (unsigned i = 0; i < depth; i++) {
        const uint64_t bits =
            bits_of_double(fma(double_of(x, work_rotate(x, 5)), double_of(work_integer(x), x),
                               double_of(work_rotate(x, 9), work_rotate(x, 17))));

        all = work_rotate(all, 1) ^ work_folded(bits);
        x = work_integer((uint32_t)bits ^ (uint32_t)(bits >> 32));
    }
    return all;
}

static uint32_t special_word(uint64_t seed, unsigned depth, uint32_t place)
{
    uint32_t x = work_random(seed, WORK_SPECIAL, place), all = 0;

    for (unsigned i = 0; i < depth; i++) {
        uint32_t power = bits_of(exp2f(float_of(x))), root = bits_of(1.0f / sqrtf(float_of(work_integer(x))));

        all = work_rotate(all, 1) ^ power ^ work_rotate(root, 16);
        x = work_integer(power ^ work_rotate(root, 9));
    }
    return all;
}

/* Eight sums of the warp's tile for each lane. The tiles are multiplied and added up depth times. */
static uint32_t tensor_word(enum work_unit unit, uint64_t seed, unsigned depth, uint32_t place)
{
    unsigned warp = place / (WORK_LANES * WORK_LANE_WORDS), within = place % (WORK_LANES * WORK_LANE_WORDS),
             row = within / WORK_TILE, column = within % WORK_TILE;
    int sum = 0;

    for (unsigned k = 0; k < WORK_TILE; k++)
        sum += work_element(seed, unit, warp, 0, row, k) * work_element(seed, unit, warp, 1, k, column);
    sum *= (int)depth;
    if (unit == WORK_TENSOR_FP64)
        return work_folded(bits_of_double(sum));
    return unit == WORK_TENSOR_INT8 ? (uint32_t)sum : bits_of((float)sum);
}

/* Of one row and column: steps with one sign and with the other in turn. */
static uint32_t fp8_chain(uint64_t seed, unsigned depth, unsigned row, unsigned column)
{
    uint32_t all = 0;
    int sum = 0;

    for (unsigned k = 0; k < WORK_FP8_DEPTH; k++)
        sum += work_fp8_element(seed, 0, row, k) * work_fp8_element(seed, 1, column, k);
    sum *= WORK_FP8_TIMES;
    for (unsigned step = 0; step < depth; step++)
        all = work_fp8_step(all, step % 2 == 0 ? sum : -sum);
    return all;
}

static uint32_t fp8_word(uint64_t seed, unsigned depth, uint32_t place)
{
    const unsigned thread = place / WORK_LANE_WORDS, j = place % WORK_LANE_WORDS,
                   row = work_fp8_row(thread, j), column = work_fp8_column(thread, j);

    return work_fp8_both(fp8_chain(seed, depth, row, column),
                         fp8_chain(seed, depth, row + WORK_FP8_ROWS / 2, column));
}

/* Of the j-th words of a warp's lanes. */
static void reduce_warp(uint32_t *words, unsigned depth)
{
    for (unsigned step = 0; step < depth; step++) {
        uint32_t sum = 0, odd = 0, most = 0;

        for (unsigned lane = 0; lane < WORK_LANES; lane++) {
            const uint32_t x = words[lane * WORK_LANE_WORDS];

            sum += x;
            odd ^= work_integer(x);
            most = x > most ? x : most;
        }
        for (unsigned lane = 0; lane < WORK_LANES; lane++)
            words[lane * WORK_LANE_WORDS] = work_reduced(words[lane * WORK_LANE_WORDS], sum, odd, most);
    }
}

static void reduce(uint64_t seed, unsigned depth, uint32_t words[WORK_WORDS])
{
    for (uint32_t place = 0; place < WORK_WORDS; place++)
        words[place] = work_random(seed, WORK_REDUCE, place);
    for (unsigned warp = 0; warp < WORK_WARPS; warp++)
        for (unsigned j = 0; j < WORK_LANE_WORDS; j++)
            reduce_warp(words + warp * WORK_LANES * WORK_LANE_WORDS + j, depth);
}

static void atomics(uint64_t seed, unsigned depth, uint32_t words[WORK_WORDS])
{
    for (uint32_t place = 0; place < WORK_WORDS; place++)
        words[place] = work_random(seed, WORK_ATOMIC, place);
    for (unsigned step = 0; step < work_atomic_steps(depth); step++) {
        uint32_t bins[WORK_BINS] = {0};

        for (uint32_t place = 0; place < WORK_WORDS; place++)
            if (work_atomic_adds(step))
                bins[words[place] % WORK_BINS] += work_integer(words[place]);
            else
                bins[words[place] % WORK_BINS] ^= work_integer(words[place]);
        for (uint32_t place = 0; place < WORK_WORDS; place++)
            words[place] = work_integer(words[place]) ^ bins[work_bin_read(place, step)];
    }
}

static void through_hbm(uint64_t seed, unsigned depth, uint32_t words[WORK_WORDS])
{
    uint32_t slot[WORK_WORDS];

    memset(words, 0, WORK_WORDS * sizeof *words);
    for (unsigned number = 0; number < work_slots(depth); number++) {
        for (uint32_t place = 0; place < WORK_WORDS; place++)
            slot[work_elsewhere(place, number)] = work_slot_word(work_random(seed, WORK_HBM, place), number);
        for (uint32_t place = 0; place < WORK_WORDS; place++)
            words[place] = work_rotate(words[place], 1) ^ slot[place];
    }
}

/* Each lane takes in what every other of its warp has. */
static void shuffle(uint64_t seed, uint32_t words[WORK_WORDS])
{
    for (unsigned warp = 0; warp < WORK_WARPS; warp++)
        for (unsigned j = 0; j < WORK_LANE_WORDS; j++) {
            uint32_t lanes[WORK_LANES], next[WORK_LANES];

            for (unsigned lane = 0; lane < WORK_LANES; lane++)
                lanes[lane] =
                    work_random(seed, WORK_SHUFFLE, (warp * WORK_LANES + lane) * WORK_LANE_WORDS + j);
            for (unsigned step = 1; step < WORK_LANES; step *= 2) {
                for (unsigned lane = 0; lane < WORK_LANES; lane++)
                    next[lane] = work_integer(lanes[lane]) ^ lanes[lane ^ step];
                memcpy(lanes, next, sizeof lanes);
            }
            for (unsigned lane = 0; lane < WORK_LANES; lane++)
                words[(warp * WORK_LANES + lane) * WORK_LANE_WORDS + j] = lanes[lane];
        }
}

/* Words that change places, depth times. */
static void exchange(enum work_unit unit, uint64_t seed, unsigned depth, uint32_t words[WORK_WORDS])
{
    uint32_t next[WORK_WORDS];

    for (uint32_t place = 0; place < WORK_WORDS; place++)
        words[place] = work_random(seed, unit, place);
    for (unsigned step = 0; step < depth; step++) {
        for (uint32_t place = 0; place < WORK_WORDS; place++)
            next[work_elsewhere(place, step)] = work_rotate(words[place], 1 + step % 31);
        memcpy(words, next, sizeof next);
    }
}

static uint32_t word_of(enum work_unit unit, uint64_t seed, unsigned depth, uint32_t place)
{
    switch (unit) {
    case WORK_INTEGER:
        return integer_word(seed, depth, place);
    case WORK_FMA32:
        return fma32_word(seed, depth, place);
    case WORK_FMA64:
        return fma64_word(seed, depth, place);
    case WORK_SPECIAL:
        return special_word(seed, depth, place);
    case WORK_TENSOR_BF16:
    case WORK_TENSOR_FP16:
    case WORK_TENSOR_INT8:
    case WORK_TENSOR_TF32:
    case WORK_TENSOR_FP64:
        return tensor_word(unit, seed, depth, place);
    case WORK_TENSOR_FP8:
        return fp8_word(seed, depth, place);
    case WORK_SHUFFLE:
    case WORK_SHARED:
    case WORK_MEMORY:
    case WORK_REDUCE:
    case WORK_ATOMIC:
    case WORK_HBM:
    case WORK_COPY:
    case WORK_PEER:
    case WORK_UNITS:
    default: /* moved, and nothing else */
        return work_random(seed, unit, place);
    }
}

void work_block(enum work_unit unit, uint64_t seed, unsigned depth, uint32_t ret_words[WORK_WORDS])
{
    if (unit == WORK_SHUFFLE)
        shuffle(seed, ret_words);
    else if (unit == WORK_SHARED || unit == WORK_MEMORY)
        exchange(unit, seed, depth, ret_words);
    else if (unit == WORK_REDUCE)
        reduce(seed, depth, ret_words);
    else if (unit == WORK_ATOMIC)
        atomics(seed, depth, ret_words);
    else if (unit == WORK_HBM)
        through_hbm(seed, depth, ret_words);
    else
        for (uint32_t place = 0; place < WORK_WORDS; place++)
            ret_words[place] = word_of(unit, seed, depth, place);
}

void work_give(enum work_unit unit, uint64_t seed, unsigned blocks, uint32_t *ret_words)
{
    uint32_t words[WORK_WORDS];

    work_block(unit, seed, 1, words);
    for (unsigned block = 0; block < blocks; block++)
        for (uint32_t place = 0; place < WORK_WORDS; place++)
            ret_words[(size_t)block * WORK_WORDS + place] = work_copied(words[place], block);
}

void work_take(unsigned blocks, uint32_t *words)
{
    for (unsigned block = 0; block < blocks; block++)
        for (uint32_t place = 0; place < WORK_WORDS; place++)
            words[(size_t)block * WORK_WORDS + place] =
                work_copied(words[(size_t)block * WORK_WORDS + place], block);
}

uint64_t work_digest(const uint32_t words[WORK_WORDS])
{
    uint64_t digest = 0;

    for (uint32_t place = 0; place < WORK_WORDS; place++)
        digest += work_digest_of(place, words[place]);
    return digest;
}
