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
    static const enum work_unit chains[] = {WORK_INTEGER, WORK_FMA32,  WORK_FMA64,
                                            WORK_SPECIAL, WORK_REDUCE, WORK_ATOMIC};
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
    for (unsigned i = 0; i < 2 * SDC_SEEDS; i++) {
        work_block(i % 2 == 0 ? WORK_TENSOR_BF16 : WORK_TENSOR_TF32, i / 2, 1, words);
        for (unsigned place = 0; place < WORK_WORDS; place++) {
            memcpy(&sum, &words[place], sizeof sum);
            assert_true(sum == rintf(sum) && fabsf(sum) <= WORK_TILE * WORK_SMALL * WORK_SMALL);
        }
    }
}

/* Each pair has its turn, and in a round nobody gets from two. */
static void every_gpu_copies_to_every_other(void **state)
{
    enum { GPUS = 8 };

    (void)state;
    for (unsigned gpus = 2; gpus <= GPUS; gpus++) {
        bool pairs[GPUS][GPUS] = {{false}};

        for (uint64_t seed = 0; seed < SDC_SEEDS; seed++) {
            bool gets[GPUS] = {false};

            for (unsigned gpu = 0; gpu < gpus; gpu++) {
                const unsigned peer = work_peer(gpu, gpus, seed, 0);

                assert_true(peer < gpus && peer != gpu && !gets[peer]);
                gets[peer] = pairs[gpu][peer] = true;
            }
        }
        for (unsigned i = 0; i < gpus * gpus; i++)
            assert_true(pairs[i / gpus][i % gpus] || i / gpus == i % gpus);
    }
}

/* A block that comes back in the place of another is wrong in every word. */
static void what_is_copied_tells_where_it_belongs(void **state)
{
    uint32_t words[2 * WORK_WORDS], right[WORK_WORDS];
    unsigned same = 0;

    (void)state;
    work_give(WORK_COPY, 3, 2, words);
    work_block(WORK_COPY, 3, 1, right);
    work_take(2, words);
    assert_memory_equal(words, right, sizeof right);
    assert_memory_equal(words + WORK_WORDS, right, sizeof right);
    work_give(WORK_COPY, 3, 2, words);
    memcpy(words, words + WORK_WORDS, sizeof right);
    work_take(2, words);
    for (unsigned place = 0; place < WORK_WORDS; place++)
        same += words[place] == right[place];
    assert_int_equal(same, 0);
}

/* The host backend, but for what becomes of its answers. */
static void (*spoil)(struct gpu_answers *answers, enum work_unit unit);

static int work_spoilt(struct gpu_probe *probe, enum work_unit unit, uint64_t seed, uint64_t round,
                       struct gpu_answers *ret_answers, struct error *err)
{
    const int status = gpu_backend_host.work(probe, unit, seed, round, ret_answers, err);

    spoil(ret_answers, unit);
    return status;
}

/* A round of each unit on one GPU of three SMs; reached: SMs that all of them ran on. */
static int rounds_spoilt(void (*how)(struct gpu_answers *answers, enum work_unit unit), unsigned *ret_reached,
                         size_t *ret_errors, struct error *err)
{
    static struct gpu_backend backend;
    static struct gpu_probe probe;
    struct sdc *sdc;
    int status = 0;

    backend = gpu_backend_host;
    backend.work = work_spoilt;
    spoil = how;
    probe = (struct gpu_probe){.backend = &backend, .options = {.depth = 2, .host_gpus = 1, .host_sms = 3}};
    for (unsigned unit = 0; unit < WORK_UNITS; unit++)
        probe.options.units[unit] = true;
    assert_int_equal(backend.open(&probe, err), 0);
    sdc = sdc_create(&probe);
    for (unsigned round = 0; round < WORK_UNITS && status == 0; round++)
        status = sdc_round(sdc, err);
    *ret_reached = sdc_reached(sdc, 0);
    *ret_errors = sdc->error_count + sdc->disagreed;
    sdc_free(sdc);
    backend.close(&probe);
    return status;
}

static void leave(struct gpu_answers *answers, enum work_unit unit)
{
    (void)answers;
    (void)unit;
}

static void pass_an_sm_over(struct gpu_answers *answers, enum work_unit unit)
{
    if (unit == WORK_TENSOR_BF16)
        answers->sms[0][2] = 1;
}

static void forget_an_answer(struct gpu_answers *answers, enum work_unit unit)
{
    if (unit == WORK_SPECIAL)
        answers->digests[0][2] = 0;
}

static void forget_all_answers(struct gpu_answers *answers, enum work_unit unit)
{
    for (unsigned block = 0; unit == WORK_SPECIAL && block < answers->blocks[0]; block++)
        answers->digests[0][block] = 0;
}

static void forget_an_sm(struct gpu_answers *answers, enum work_unit unit)
{
    if (unit == WORK_INTEGER)
        answers->sms[0][1] = GPU_NO_SM;
}

static void an_sm_is_reached_by_each_unit_or_not_at_all(void **state)
{
    struct error err = {0};
    unsigned reached;
    size_t errors;

    (void)state;
    assert_int_equal(rounds_spoilt(leave, &reached, &errors, &err), 0);
    assert_true(reached == 3 && errors == 0);
    assert_int_equal(rounds_spoilt(pass_an_sm_over, &reached, &errors, &err), 0);
    assert_true(reached == 2 && errors == 0);
}

/* Of special functions nobody knows the answer beforehand: nothing must not become it. */
static void work_that_was_not_done_is_no_answer(void **state)
{
    struct error err = {0};
    unsigned reached;
    size_t errors;

    (void)state;
    assert_int_equal(rounds_spoilt(forget_an_answer, &reached, &errors, &err), 0);
    assert_int_equal(errors, 1);
    assert_int_equal(rounds_spoilt(forget_all_answers, &reached, &errors, &err), -1);
    assert_string_equal(err.text, "GPU 0: no block left an answer of special");
    assert_int_equal(rounds_spoilt(forget_an_sm, &reached, &errors, &err), -1);
    assert_string_equal(err.text, "GPU 0: of integer a block does not say on which SM it ran");
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
        cmocka_unit_test(every_gpu_copies_to_every_other),
        cmocka_unit_test(what_is_copied_tells_where_it_belongs),
        cmocka_unit_test(an_sm_is_reached_by_each_unit_or_not_at_all),
        cmocka_unit_test(work_that_was_not_done_is_no_answer),
        cmocka_unit_test(an_injection_is_read_or_its_word_is_told),
    };

    if (argc > 1 && strcmp(argv[1], "many") == 0) {
        injections = 400;
        rounds = 5000;
    }
    return cmocka_run_group_tests_name("sdc", tests, NULL, NULL);
}
