/* SPDX-License-Identifier: Apache-2.0 */
/* The model against public trainings and against arithmetic by hand, and what is refused. */
#include <math.h>
#include <string.h>

#include "../unit_test.h"
#include "assay/worth/worth.h"

/* A machine of which nothing is measured: all is given by the question. */
static struct worth_measured nothing_of(unsigned hosts, unsigned gpus)
{
    struct worth_measured measured = {.hosts = hosts, .gpus = gpus};

    for (size_t i = 0; i < WORTH_QUANTITIES; i++)
        measured.inputs[i] = (struct worth_input){.value = NAN, .median = NAN};
    for (size_t i = 0; i < WORTH_TYPES; i++)
        measured.gemm[i] = (struct worth_input){.value = NAN, .median = NAN};
    return measured;
}

static struct arena *arena; /* for refusals */

static struct worth_answer answer_of(const struct worth_measured *measured,
                                     const struct worth_question *question)
{
    struct worth_answer answer;
    const struct reason *refusal = worth_answer(arena, measured, question, &answer);

    if (refusal != NULL)
        fail_msg("%s", reason_english(arena, refusal));
    return answer;
}

/* -- Public trainings: docs/guide/worth.md has them with their sources ------------------------------------- */

static const struct training {
    const char *name;
    double gpus, gpu_hours;
    struct worth_question question;
    bool missed; /* it took longer than the interval says */
} trainings[] = {
    {"Llama 3.1 405B",
     16384,
     30.84e6,
     {.parameters = 405e9, .tokens = 15.6e12, .batch_tokens = 16e6, .given = {[WORTH_GEMM] = 730}},
     false},
    {"Llama 3.1 70B",
     8192,
     7.0e6,
     {.parameters = 70e9, .tokens = 15e12, .batch_tokens = 16e6, .given = {[WORTH_GEMM] = 730}},
     false},
    {"Llama 2 70B",
     2048,
     1720320,
     {.parameters = 70e9, .tokens = 2e12, .batch_tokens = 4e6, .given = {[WORTH_GEMM] = 270}},
     false},
    {"LLaMA 65B",
     2048,
     1022362,
     {.parameters = 65.2e9, .tokens = 1.4e12, .batch_tokens = 4e6, .given = {[WORTH_GEMM] = 270}},
     false},
    {"Falcon 180B",
     4096,
     7e6,
     {.parameters = 180e9, .tokens = 3.5e12, .batch_tokens = 4e6, .given = {[WORTH_GEMM] = 270}},
     false},
    {"DeepSeek-V3",
     2048,
     2.664e6,
     {.parameters = 671e9,
      .activated = 37e9,
      .tokens = 14.8e12,
      .batch_tokens = 62.9e6,
      .type = WORTH_FP8,
      .given = {[WORTH_GEMM] = 1377}},
     false},
    {"Llama 3.1 8B",
     1024,
     1.46e6,
     {.parameters = 8e9, .tokens = 15e12, .batch_tokens = 4e6, .given = {[WORTH_GEMM] = 730}},
     true},
};

static void public_trainings_took_as_long(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(trainings); i++) {
        const struct training *training = &trainings[i];
        struct worth_measured measured = nothing_of((unsigned)training->gpus / 8, (unsigned)training->gpus);
        struct worth_question question = training->question;
        struct worth_answer answer;

        question.given[WORTH_MEMORY] = 80;
        answer = answer_of(&measured, &question);
        if (training->gpu_hours < answer.gpu_hours.low ||
            (training->gpu_hours <= answer.gpu_hours.high) == training->missed)
            fail_msg("%s: %g GPU hours, and the interval is %g to %g", training->name, training->gpu_hours,
                     answer.gpu_hours.low, answer.gpu_hours.high);
    }
}

static struct worth_question llama(void)
{
    struct worth_question question = trainings[0].question;

    question.given[WORTH_MEMORY] = 80;
    question.given[WORTH_HBM] = 2900;
    question.given[WORTH_REDUCE_SCATTER] = question.given[WORTH_ALL_GATHER] = 360;
    question.given[WORTH_POWER] = 650;
    return question;
}

static void the_training_of_llama_3_by_hand(void **state)
{
    struct worth_measured measured = nothing_of(2048, 16384);
    struct worth_question question = llama();
    struct worth_answer answer;

    (void)state;
    question.peak_tflops = 989.4;
    answer = answer_of(&measured, &question);
    assert_float_equal(answer.flop_total, 3.8e25, 0.02e25);  /* the paper's own figure */
    assert_float_equal(answer.achieved_tflops.high, 430, 2); /* its table 4, 8,192 GPUs */
    assert_float_equal(answer.mfu.high, 0.43, 0.01);         /* likewise */
    assert_float_equal(answer.interruptions_month / 30 * 54, 419, 0.5);
    assert_float_equal(answer.job_mtbf_h, 3.09, 0.01);
    assert_float_equal(answer.goodput, 0.90, 0.01); /* "higher than 90%" */
    assert_float_equal(answer.checkpoint_every_s, sqrt(2 * 10 * 54 * 86400.0 / 419), 0.1);
    /* 6 x 405e9 x 16e6 / 16384 / 730e12 */
    assert_float_equal(answer.compute_s, 3.2507, 0.001);
    /* 6 x 405e9 / 64 + 12 x 405e9 / 16384 fill at most 40 GiB, and over 32 GPUs they do not */
    assert_float_equal(answer.model_parallel.value, 64, 0);
    /* 405e9 / 64 x 8 x 6 / 360e9 x 255 / 256, all of it hidden */
    assert_float_equal(answer.exchange_s, 0.8405, 0.001);
    assert_float_equal(answer.exposed_s, 0, 0);
    assert_float_equal(answer.optimizer_s, 30 * 405e9 / 16384 / 2900e9, 1e-9);
    assert_float_equal(answer.energy_mwh.low, answer.days.low * 24 * 16384 * 650 / 1e6, 1);
}

static void what_is_given_counts_and_is_marked(void **state)
{
    struct worth_measured measured = nothing_of(2048, 16384);
    struct worth_question question = llama();
    struct worth_answer plain = answer_of(&measured, &question), answer;

    (void)state;
    assert_int_equal(plain.inputs[WORTH_GEMM].origin, WORTH_GIVEN);
    assert_int_equal(plain.efficiency_from, WORTH_PUBLISHED);
    assert_int_equal(plain.batch_tokens.origin, WORTH_GIVEN);
    assert_int_equal(plain.checkpoint_s.origin, WORTH_ASSUMED);
    question.efficiency_low = question.efficiency_high = 0.5;
    question.pue = 1.3;
    question.host_watts = 3000;
    answer = answer_of(&measured, &question);
    assert_int_equal(answer.efficiency_from, WORTH_GIVEN);
    assert_float_equal(answer.days.low, answer.days.high, 0);
    assert_float_equal(answer.days.low, plain.days.low * 0.59 / 0.5, 1e-6);
    assert_float_equal(answer.energy_mwh.low,
                       answer.days.low * 24 * (16384 * 650 + 2048 * 3000.0) * 1.3 / 1e6, 1);
    question.layers = 126;
    question.hidden = 16384;
    question.sequence = 8192;
    assert_float_equal(answer_of(&measured, &question).flop_token, 6 * 405e9 + 12.0 * 126 * 16384 * 8192, 1);
}

static void slow_links_lower_the_ceiling(void **state)
{
    struct worth_measured measured = nothing_of(2048, 16384);
    struct worth_question question = llama();
    struct worth_answer fast = answer_of(&measured, &question), slow;

    (void)state;
    question.given[WORTH_REDUCE_SCATTER] = question.given[WORTH_ALL_GATHER] = 36;
    slow = answer_of(&measured, &question);
    assert_float_equal(slow.exchange_s, 10 * fast.exchange_s, 1e-9);
    assert_float_equal(slow.exposed_s, slow.exchange_s - slow.compute_s, 1e-9);
    assert_true(slow.ceiling_tflops < 0.5 * fast.ceiling_tflops);
    assert_true(slow.days.low > 2 * fast.days.low);
}

static void links_that_were_not_measured_are_not_in_the_ceiling(void **state)
{
    struct worth_measured measured = nothing_of(2048, 16384);
    struct worth_question question = llama();
    struct worth_answer answer;

    (void)state;
    question.given[WORTH_REDUCE_SCATTER] = question.given[WORTH_HBM] = question.given[WORTH_POWER] = 0;
    answer = answer_of(&measured, &question);
    assert_true(isnan(answer.exchange_s) && isnan(answer.exposed_s) && isnan(answer.optimizer_s));
    assert_true(isnan(answer.energy_mwh.low) && isnan(answer.mfu_ceiling));
    assert_float_equal(answer.ceiling_tflops, 730, 1e-9);
    /* A test of one host says nothing of several, and one of fewer hosts no more than it says. */
    measured.inputs[WORTH_REDUCE_SCATTER] = (struct worth_input){
        .origin = WORTH_MEASURED, .value = 360, .median = 360, .gpus = 8, .size_bytes = 1e9};
    answer = answer_of(&measured, &question);
    assert_true(isnan(answer.exchange_s));
    measured.inputs[WORTH_REDUCE_SCATTER].gpus = 64;
    answer = answer_of(&measured, &question);
    assert_true(answer.exchange_s > 0 && answer.beyond_measured);
    measured.inputs[WORTH_REDUCE_SCATTER].gpus = 16384;
    assert_false(answer_of(&measured, &question).beyond_measured);
}

static void so_many_gpus_make_it_in_the_days(void **state)
{
    struct worth_measured measured = nothing_of(2048, 16384);
    struct worth_question question = llama();
    struct worth_answer answer, again;

    (void)state;
    question.days = 90;
    answer = answer_of(&measured, &question);
    assert_true(answer.gpus_needed.low < answer.gpus_needed.high);
    question.gpus = answer.gpus_needed.high;
    again = answer_of(&measured, &question);
    assert_true(again.days.high <= 90 && again.days.high > 89);
    question.gpus = answer.gpus_needed.low;
    again = answer_of(&measured, &question);
    assert_true(again.days.low <= 90 && again.days.low > 89);
    question.days = 0.5;
    question.batch_tokens = 1e6;
    answer = answer_of(&measured, &question);
    assert_true(isnan(answer.gpus_needed.low) && isnan(answer.gpus_needed.high));
}

/* -- What cannot be ------------------------------------------------------------------------------------------ */

static void refused(const struct worth_question *question, const char *word)
{
    struct worth_measured measured = nothing_of(2048, 16384);
    struct worth_answer answer = {.steps = -1};
    const struct reason *refusal;

    measured.model = "NVIDIA H100 80GB HBM3";
    refusal = worth_answer(arena, &measured, question, &answer);
    assert_non_null(refusal);
    if (strstr(reason_english(arena, refusal), word) == NULL)
        fail_msg("'%s' is not in: %s", word, reason_english(arena, refusal));
    assert_float_equal(answer.steps, -1, 0); /* nothing is written */
}

static void impossible_trainings_are_refused(void **state)
{
    static const struct {
        const char *word;
        double value;
        size_t at;
    } cases[] = {
        {"parameters cannot be", 0, offsetof(struct worth_question, parameters)},
        {"parameters cannot be", -8e9, offsetof(struct worth_question, parameters)},
        {"parameters cannot be", NAN, offsetof(struct worth_question, parameters)},
        {"the state of", 405e12, offsetof(struct worth_question, parameters)},
        {"no token activates", 406e9, offsetof(struct worth_question, activated)},
        {"tokens cannot be", NAN, offsetof(struct worth_question, tokens)},
        {"less than one batch", 15e6, offsetof(struct worth_question, tokens)},
        {"belong together", 126, offsetof(struct worth_question, layers)},
        {"GPUs cannot be", 0.5, offsetof(struct worth_question, gpus)},
        {"GPUs cannot be", 100.5, offsetof(struct worth_question, gpus)},
        {"GPUs cannot be", 1e9, offsetof(struct worth_question, gpus)},
        {"the state of", 8, offsetof(struct worth_question, gpus)},
        {"does not fit", 16385, offsetof(struct worth_question, model_parallel)},
        {"peak", 1100, offsetof(struct worth_question, given[WORTH_GEMM])},
        {"was not measured", 0, offsetof(struct worth_question, given[WORTH_GEMM])},
        {"PUE", 0.9, offsetof(struct worth_question, pue)},
        {"never ends", 100, offsetof(struct worth_question, gpu_mtbf_h)},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct worth_question question = llama();

        memcpy((char *)&question + cases[i].at, &cases[i].value, sizeof cases[i].value);
        refused(&question, cases[i].word);
    }
}

static void a_replica_without_a_sequence_is_refused(void **state)
{
    struct worth_question question = llama();

    (void)state;
    question.layers = 126;
    question.hidden = 16384;
    question.sequence = 131072; /* 122 of them are 16 M tokens, for 256 replicas */
    refused(&question, "122 sequences for 256 replicas");
    question.sequence = 17e6;
    refused(&question, "holds no sequence");
}

static void numbers_are_read_as_people_write_them(void **state)
{
    static const struct {
        const char *word;
        double value;
    } good[] = {{"405B", 405e9},  {"15.6T", 15.6e12}, {"1e12", 1e12},
                {"16384", 16384}, {"4m", 4e6},        {"8G", 8e9}};
    static const char *const bad[] = {"",  "0",     "-1",   "-8B", "nan", "inf", "8x",   "x8",
                                      "B", "1e400", "0x10", "8 B", "8BB", "1,5", "1e30", "1e20T"};
    double value;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
        struct error err = {0};

        assert_int_equal(worth_number("params", good[i].word, &value, &err), 0);
        assert_float_equal(value, good[i].value, good[i].value * 1e-12);
    }
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        struct error err = {0};

        if (worth_number("params", bad[i], &value, &err) == 0)
            fail_msg("'%s' was taken for %g", bad[i], value);
        assert_non_null(strstr(err.text, "--params"));
    }
}

static void shares_are_read(void **state)
{
    static const char *const bad[] = {"", "0", "0.6-0.4", "1.1", "0.4-", "-0.4", "0.4-0.6-0.7", "40%", "nan"};
    struct error err = {0};
    double low, high;

    (void)state;
    assert_int_equal(worth_share_range("efficiency", "0.4-0.6", &low, &high, &err), 0);
    assert_true(low == 0.4 && high == 0.6);
    assert_int_equal(worth_share_range("efficiency", "0.5", &low, &high, &err), 0);
    assert_true(low == 0.5 && high == 0.5);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        assert_int_equal(worth_share_range("efficiency", bad[i], &low, &high, &err), -1);
}

/* Wrong ones are common: with sparsity, or of another part. */
static void peaks_are_dense_and_of_the_part(void **state)
{
    (void)state;
    assert_float_equal(worth_peak("NVIDIA H100 80GB HBM3", WORTH_BF16), 989.4, 0);
    assert_float_equal(worth_peak("NVIDIA H100 PCIe", WORTH_BF16), 756.4, 0);
    assert_float_equal(worth_peak("NVIDIA H200", WORTH_FP8), 1978.9, 0);
    assert_float_equal(worth_peak("NVIDIA A100-SXM4-80GB", WORTH_BF16), 312, 0);
    assert_true(isnan(worth_peak("NVIDIA A100-SXM4-80GB", WORTH_FP8)));
    assert_float_equal(worth_peak("NVIDIA B300 SXM6 AC", WORTH_BF16), 2250, 0);
    assert_float_equal(worth_peak("NVIDIA H20", WORTH_BF16), 148, 0);
    assert_true(isnan(worth_peak("NVIDIA L40S", WORTH_BF16)));
    assert_true(isnan(worth_peak(NULL, WORTH_BF16)));
}

static int make_arena(void **state)
{
    (void)state;
    arena = arena_create();
    return 0;
}

static int drop_arena(void **state)
{
    (void)state;
    arena = arena_destroy(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(public_trainings_took_as_long),
        cmocka_unit_test(the_training_of_llama_3_by_hand),
        cmocka_unit_test(what_is_given_counts_and_is_marked),
        cmocka_unit_test(slow_links_lower_the_ceiling),
        cmocka_unit_test(links_that_were_not_measured_are_not_in_the_ceiling),
        cmocka_unit_test(so_many_gpus_make_it_in_the_days),
        cmocka_unit_test(impossible_trainings_are_refused),
        cmocka_unit_test(a_replica_without_a_sequence_is_refused),
        cmocka_unit_test(numbers_are_read_as_people_write_them),
        cmocka_unit_test(shares_are_read),
        cmocka_unit_test(peaks_are_dense_and_of_the_part),
    };

    return cmocka_run_group_tests_name("worth", tests, make_arena, drop_arena);
}
