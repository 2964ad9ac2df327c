/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong answers of one SM are named, by the same code that looks at real ones. */
#include <math.h>
#include <string.h>

#include "../unit_test.h"
#include "assay/base/arena.h"
#include "faults.h"

/* With the argument "many": as many as tell one in thousands. */
static unsigned long injections = 100, rounds = 1000;

static void what_changes_an_answer_is_named_by_gpu_sm_round_and_bits(void **state)
{
    struct fault_counts counts;

    (void)state;
    faults_try(injections, 1, &counts);
    assert_true(counts.struck > injections / 2 && counts.struck < counts.tried);
    assert_int_equal(counts.named, counts.struck);
    assert_int_equal(counts.others, 0);
}

static void nobody_is_named_where_all_is_well(void **state)
{
    (void)state;
    assert_int_equal(healthy_rounds(rounds), 0);
}

/* A bit that is turned over anywhere in a block changes its digest. */
static void each_bit_of_an_answer_counts(void **state)
{
    uint32_t words[WORK_WORDS];

    (void)state;
    for (unsigned unit = 0; unit < WORK_UNITS; unit++) {
        uint64_t digest;

        work_block((enum work_unit)unit, 3, 4, words);
        digest = work_digest(words);
        for (unsigned place = 0; place < WORK_WORDS; place += 7) {
            words[place] ^= 1u << (place % 32);
            assert_true(work_digest(words) != digest);
            words[place] ^= 1u << (place % 32);
        }
        assert_true(work_digest(words) == digest);
    }
}

/* An operation in the middle that goes wrong must not be rounded away: another start gives another end. */
static void chains_do_not_settle(void **state)
{
    static const enum work_unit chains[] = {WORK_INTEGER, WORK_FMA32, WORK_FMA64, WORK_SPECIAL};
    uint32_t words[WORK_WORDS];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(chains); i++) {
        unsigned twins = 0;

        work_block(chains[i], 5, 2000, words);
        for (unsigned place = 1; place < WORK_WORDS; place++)
            twins += words[place] == words[place - 1];
        assert_int_equal(twins, 0);
    }
}

/* Sums of small integers are the same in any order, and exact in every type that is used. */
static void sums_of_tensor_cores_are_exact(void **state)
{
    uint32_t words[WORK_WORDS];
    float sum;

    (void)state;
    for (unsigned seed = 0; seed < SDC_SEEDS; seed++) {
        work_block(WORK_TENSOR_BF16, seed, 1, words);
        for (unsigned place = 0; place < WORK_WORDS; place++) {
            memcpy(&sum, &words[place], sizeof sum);
            assert_true(sum == rintf(sum) && fabsf(sum) <= WORK_TILE * WORK_SMALL * WORK_SMALL);
        }
    }
}

static void an_injection_is_read_or_its_word_is_told(void **state)
{
    static const char *const wrong[] = {
        "gpu",      "gpu=x",    "gpu=64",   "unit=fma",      "bits=0", "bits=0x100000000",
        "lane=128", "period=0", "one-in=0", "sm=17,,from=3", "from=-1"};
    struct injection injection;
    struct error err = {0};

    (void)state;
    assert_int_equal(
        injection_parse("gpu=1,sm=17,unit=tensor-bf16,lane=3,bits=0x1000,from=450,period=3,one-in=9",
                        &injection, &err),
        0);
    assert_true(injection.gpu == 1 && injection.sm == 17 && injection.unit == WORK_TENSOR_BF16 &&
                injection.lane == 3 && injection.bits == 0x1000 && injection.from == 450 &&
                injection.period == 3 && injection.one_in == 9);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        assert_int_equal(injection_parse(wrong[i], &injection, &err), -1);
        assert_non_null(strstr(err.text, "expected host=N, gpu=N"));
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_changes_an_answer_is_named_by_gpu_sm_round_and_bits),
        cmocka_unit_test(nobody_is_named_where_all_is_well),
        cmocka_unit_test(each_bit_of_an_answer_counts),
        cmocka_unit_test(chains_do_not_settle),
        cmocka_unit_test(sums_of_tensor_cores_are_exact),
        cmocka_unit_test(an_injection_is_read_or_its_word_is_told),
    };

    if (argc > 1 && strcmp(argv[1], "many") == 0) {
        injections = 400;
        rounds = 5000;
    }
    return cmocka_run_group_tests_name("sdc", tests, NULL, NULL);
}
