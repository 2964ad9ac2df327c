/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unit tensor-fp8 of the test sdc, without a GPU: what its kernels give to each instruction is multiplied here as the PTX ISA
 * (9.0) says that the instruction does, and must come to what the host computes. Layouts stand here once more, by the
 * instruction's own words, so that a slip in what both sides share is seen.
 */
#include <stdlib.h>
#include <string.h>

#include "../unit_test.h"
#include "gpu.h"
#include "work_fp8.h"

enum { THREADS = WORK_WARPS * WORK_LANES, DEPTH = 5, SEED = 9, SEEDS = 16, SHARED = 16384 };

/* Of numbers that are whole: what the type says, a sign, exponent and fraction. */
static int32_t whole_of(uint32_t bits, bool is_e5m2)
{
    const unsigned fraction = is_e5m2 ? 2 : 3;
    const int bias = is_e5m2 ? 15 : 7, power = (int)((bits & 0x7f) >> fraction) - bias - (int)fraction;
    const int32_t digits = (int32_t)((bits & ((1u << fraction) - 1)) | 1u << fraction);
    const int32_t size = (bits & 0x7f) == 0 ? 0 : power >= 0 ? digits << power : digits >> -power;

    return bits & 0x80 ? -size : size;
}

static uint32_t byte_of(uint32_t word, unsigned i)
{
    return word >> (8 * i) & 0xff;
}

static void numbers_of_fp8_are_what_they_say(void **state)
{
    (void)state;
    for (int number = -WORK_SMALL; number <= WORK_SMALL; number++) {
        assert_true(whole_of(work_fp8(number, false), false) == number);
        assert_true(whole_of(work_fp8(number, true), true) == number);
    }
}

/* Threads share the product: each of its sums is one's, and has its partner half the rows further down. */
static void threads_have_each_sum_of_fp8_once(void **state)
{
    bool seen[WORK_FP8_ROWS / 2][WORK_FP8_COLUMNS] = {{false}};

    (void)state;
    for (unsigned thread = 0; thread < WORK_WARPS * WORK_LANES; thread++)
        for (unsigned j = 0; j < WORK_LANE_WORDS; j++) {
            const unsigned row = work_fp8_row(thread, j), column = work_fp8_column(thread, j);

            assert_true(row < WORK_FP8_ROWS / 2 && column < WORK_FP8_COLUMNS && !seen[row][column]);
            seen[row][column] = true;
        }
}

/* Even if all signs were alike; Hopper's sums of fp8 are said to keep some 14 bits. */
static void sums_of_fp8_need_few_bits(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (unsigned row = 0; row < WORK_FP8_ROWS; row++)
            for (unsigned column = 0; column < WORK_FP8_COLUMNS; column++) {
                int most = 0;

                for (unsigned k = 0; k < WORK_FP8_DEPTH; k++)
                    most += abs(work_fp8_element(seed, 0, row, k) * work_fp8_element(seed, 1, column, k));
                assert_true(most * WORK_FP8_TIMES < 1 << 12);
            }
}

/* No column of the left side and no row of the right one is mostly zeros, of which nothing would be seen. */
static void sides_of_fp8_are_no_zeros(void **state)
{
    (void)state;
    for (unsigned k = 0; k < WORK_FP8_DEPTH; k++) {
        unsigned lefts = 0, rights = 0;

        for (unsigned row = 0; row < WORK_FP8_ROWS; row++)
            lefts += work_fp8_element(3, 0, row, k) != 0;
        for (unsigned column = 0; column < WORK_FP8_COLUMNS; column++)
            rights += work_fp8_element(3, 1, column, k) != 0;
        assert_true(lefts > WORK_FP8_ROWS / 2 && rights > WORK_FP8_COLUMNS / 2);
    }
}

struct sides {
    int32_t a[WORK_FP8_ROWS][WORK_FP8_DEPTH], b[WORK_FP8_DEPTH][WORK_FP8_COLUMNS];
};

static int32_t product_of(const struct sides *sides, unsigned row, unsigned column)
{
    int32_t sum = 0;

    for (unsigned k = 0; k < WORK_FP8_DEPTH; k++)
        sum += sides->a[row][k] * sides->b[k][column];
    return sum * WORK_FP8_TIMES;
}

/* A fragment of .m16n8k32 (mma) and of .m64nNk32 (wgmma): a0..a3, a4..a7 8 rows further down, and both 16 further on. */
static void take_left_of_registers(struct sides *sides, bool is_e5m2)
{
    for (unsigned half = 0; half < 2; half++)
        for (unsigned thread = 0; thread < THREADS; thread++)
            for (unsigned i = 0; i < 16; i++) {
                const unsigned lane = thread % 32, group = lane >> 2, in_group = lane % 4;
                const unsigned row = thread / 32 * 16 + (i < 4 || (i >= 8 && i < 12) ? group : group + 8);
                const unsigned k = in_group * 4 + (i & 3) + (i < 8 ? 0 : 16);

                sides->a[half * 64 + row][k] =
                    whole_of(byte_of(work_fp8_left(SEED, thread, half, i / 4, is_e5m2), i % 4), is_e5m2);
            }
}

/* B of .m16n8k32: b0..b3, and 16 further on b4..b7. */
static void take_right_of_registers(struct sides *sides, bool is_e5m2)
{
    for (unsigned half = 0; half < 2; half++)
        for (unsigned lane = 0; lane < 32; lane++)
            for (unsigned i = 0; i < 8; i++)
                sides->b[lane % 4 * 4 + (i & 3) + (i < 4 ? 0 : 16)][half * 8 + (lane >> 2)] =
                    whole_of(byte_of(work_fp8_right(SEED, lane, half, i / 4, is_e5m2), i % 4), is_e5m2);
}

static unsigned char shared[SHARED];

/* As the kernels fill shared memory. */
static void put_side(unsigned at, unsigned which, unsigned rows, bool is_e5m2)
{
    for (unsigned row = 0; row < rows; row++)
        for (unsigned k = 0; k < WORK_FP8_DEPTH; k += 4) {
            const uint32_t four = work_fp8_four(SEED, which, row, k, is_e5m2);

            for (unsigned i = 0; i < 4; i++)
                shared[at + work_fp8_offset(row, k + i)] = (unsigned char)byte_of(four, i);
        }
}

/* K-major without a swizzle: core matrices of 8 rows with 16 bytes each; the leading offset is from one to the next in k, the
   stride offset from one to the next in rows. */
static int32_t by_descriptor(uint64_t descriptor, unsigned row, unsigned k, bool is_e5m2)
{
    const unsigned start = (unsigned)(descriptor & 0x3fff) << 4,
                   leading = (unsigned)(descriptor >> 16 & 0x3fff) << 4,
                   stride = (unsigned)(descriptor >> 32 & 0x3fff) << 4;

    assert_true(descriptor >> 49 == 0); /* no base offset, no swizzle */
    return whole_of(shared[start + row / 8 * stride + k / 16 * leading + row % 8 * 16 + k % 16], is_e5m2);
}

static void take_right_of_memory(struct sides *sides, uint64_t descriptor, bool is_e5m2)
{
    for (unsigned k = 0; k < WORK_FP8_DEPTH; k++)
        for (unsigned column = 0; column < WORK_FP8_COLUMNS; column++)
            sides->b[k][column] = by_descriptor(descriptor, column, k, is_e5m2);
}

static void take_left_of_memory(struct sides *sides, uint64_t descriptor, bool is_e5m2)
{
    for (unsigned row = 0; row < WORK_FP8_ROWS; row++)
        for (unsigned k = 0; k < WORK_FP8_DEPTH; k++)
            sides->a[row][k] = by_descriptor(descriptor, row, k, is_e5m2);
}

static void assert_as_the_host_computes(const uint32_t words[WORK_WORDS])
{
    uint32_t right[WORK_WORDS];

    work_block(WORK_TENSOR_FP8, SEED, DEPTH, right);
    assert_memory_equal(words, right, sizeof right);
}

/* A step of wgmma and mma.sync, whose sums lie alike: d0 d1, d2 d3 8 rows further down, and both 8 columns further on. */
static void add_registers(const struct sides *sides, uint32_t chains[2][WORK_WORDS])
{
    for (unsigned thread = 0; thread < THREADS; thread++)
        for (unsigned j = 0; j < WORK_LANE_WORDS; j++) {
            const unsigned lane = thread % 32, row = thread / 32 * 16 + (lane >> 2) + ((j & 2) != 0 ? 8 : 0);
            const unsigned column = lane % 4 * 2 + (j & 1) + (j >= 4 ? 8 : 0), place = thread * 8 + j;

            for (unsigned half = 0; half < 2; half++)
                chains[half][place] =
                    work_fp8_step(chains[half][place], product_of(sides, half * 64 + row, column));
        }
}

static void work_by_registers(bool right_in_memory, uint32_t ret_words[WORK_WORDS])
{
    enum { AT = 512 };
    uint32_t chains[2][WORK_WORDS] = {{0}};
    struct sides sides;

    for (unsigned step = 0; step < DEPTH; step++) {
        const bool is_e5m2 = step % 2 == 1;

        take_left_of_registers(&sides, is_e5m2);
        if (right_in_memory) {
            put_side(AT, 1, WORK_FP8_COLUMNS, is_e5m2);
            take_right_of_memory(&sides, work_fp8_descriptor(AT, false), is_e5m2);
        } else {
            take_right_of_registers(&sides, is_e5m2);
        }
        add_registers(&sides, chains);
    }
    for (unsigned place = 0; place < WORK_WORDS; place++)
        ret_words[place] = work_fp8_both(chains[0][place], chains[1][place]);
}

static void mma_sync_comes_to_the_host_s_words(void **state)
{
    uint32_t words[WORK_WORDS];

    (void)state;
    work_by_registers(false, words);
    assert_as_the_host_computes(words);
}

static void wgmma_comes_to_the_host_s_words(void **state)
{
    uint32_t words[WORK_WORDS];

    (void)state;
    assert_int_equal(work_fp8_descriptor(512, false) >> 46, 0);
    work_by_registers(true, words);
    assert_as_the_host_computes(words);
}

/* Instruction descriptor of .kind::f8f6f4. */
static void assert_kind(uint32_t kind, bool is_e5m2)
{
    assert_int_equal(kind & 0xf, 0);                    /* dense, not saturated */
    assert_int_equal(kind >> 4 & 3, 1);                 /* sums in F32 */
    assert_int_equal(kind >> 7 & 7, is_e5m2);           /* left: E4M3, E5M2 */
    assert_int_equal(kind >> 10 & 7, is_e5m2);          /* right */
    assert_int_equal(kind >> 13 & 0xf, 0);              /* nothing negated, nothing on its side */
    assert_int_equal((kind >> 17 & 0x3f) * 8, 16);      /* columns */
    assert_int_equal((kind >> 24 & 0x1f) * 16, 128);    /* rows */
    assert_int_equal(kind >> 29 | (kind >> 23 & 1), 0); /* reserved; no shift */
}

/* Of 128 rows each is a lane of tensor memory, each column a column, and thread t reads lane t. */
static void tcgen05_comes_to_the_host_s_words(void **state)
{
    enum { LEFT = 1024, RIGHT = 8192 };
    static uint32_t rows[WORK_FP8_ROWS][WORK_FP8_COLUMNS];
    uint32_t words[WORK_WORDS];
    struct sides sides;

    (void)state;
    memset(rows, 0, sizeof rows);
    assert_int_equal(work_fp8_descriptor(LEFT, true) >> 46, 1);
    for (unsigned step = 0; step < DEPTH; step++) {
        const bool is_e5m2 = step % 2 == 1;

        assert_kind(work_fp8_kind(is_e5m2), is_e5m2);
        put_side(LEFT, 0, WORK_FP8_ROWS, is_e5m2);
        put_side(RIGHT, 1, WORK_FP8_COLUMNS, is_e5m2);
        take_left_of_memory(&sides, work_fp8_descriptor(LEFT, true), is_e5m2);
        take_right_of_memory(&sides, work_fp8_descriptor(RIGHT, true), is_e5m2);
        for (unsigned thread = 0; thread < THREADS; thread++)
            for (unsigned column = 0; column < WORK_FP8_COLUMNS; column++)
                rows[thread][column] =
                    work_fp8_step(rows[thread][column], product_of(&sides, thread, column));
    }
    for (unsigned place = 0; place < WORK_WORDS; place++) {
        const unsigned row = work_fp8_row(place / 8, place % 8),
                       column = work_fp8_column(place / 8, place % 8);

        words[place] = work_fp8_both(rows[row][column], rows[row + 64][column]);
    }
    assert_as_the_host_computes(words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_fp8_are_what_they_say),
        cmocka_unit_test(threads_have_each_sum_of_fp8_once),
        cmocka_unit_test(sums_of_fp8_need_few_bits),
        cmocka_unit_test(sides_of_fp8_are_no_zeros),
        cmocka_unit_test(mma_sync_comes_to_the_host_s_words),
        cmocka_unit_test(wgmma_comes_to_the_host_s_words),
        cmocka_unit_test(tcgen05_comes_to_the_host_s_words),
    };

    return cmocka_run_group_tests_name("fp8", tests, NULL, NULL);
}
