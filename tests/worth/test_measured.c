/* SPDX-License-Identifier: Apache-2.0 */
/* What of a run becomes a number of the cluster, and what is said of it. */
#include <math.h>
#include <string.h>

#include "../arena_test.h"
#include "assay/model/platform.h"
#include "assay/reasons/worth.h"
#include "assay/worth/worth.h"

enum { HOSTS = 2, GPUS = 8 };

static struct record *run_of(struct arena *arena, const char *kind)
{
    struct record *record = arena_new(arena, struct record);
    struct error err = {0};
    const struct platform *platform = platform_load(arena, kind, &err);

    *record = (struct record){.arena = arena, .number = 1, .plan = arena_new(arena, struct plan)};
    *record->plan = (struct plan){.arena = arena};
    assert_non_null(platform);
    document_add(arena, &record->documents, "platform", kind, platform->bytes);
    for (unsigned i = 0; i < HOSTS; i++) {
        struct host *host = arena_new(arena, struct host);

        *host = (struct host){.name = arena_printf(arena, "node%u", i), .platform = kind};
        *list_push(arena, &record->plan->hosts) = host;
    }
    return record;
}

static struct record *empty_run(struct arena *arena)
{
    return run_of(arena, "hgx-h100");
}

/* A step of one item. */
struct made {
    const char *metric, *subject, *variant;
    unsigned host, hosts;
    double size_bytes, value;
    enum outcome_word word;
    enum step_origin origin;
};

static void add(struct record *record, struct made made)
{
    struct arena *arena = record->arena;
    struct shape *shape = arena_new(arena, struct shape);
    struct judgement *judgement = &record->judgement;
    struct outcome *outcomes = arena_array(arena, struct outcome, judgement->outcome_count + 1);
    struct slot *slot = arena_new(arena, struct slot);

    *slot = (struct slot){
        .metric = made.metric, .subject = made.subject, .at = "", .size_bytes = made.size_bytes};
    *shape = (struct shape){.suite_step = "s",
                            .variant = made.variant != NULL ? made.variant : "",
                            .slots = slot,
                            .slot_count = 1,
                            .hosts = made.hosts};
    *list_push(arena, &record->plan->steps) =
        (struct step){.key = "",
                      .shape = shape,
                      .origin = made.origin,
                      .members = (const struct host **)&record->plan->hosts.items[made.host],
                      .member_count = made.hosts};
    if (judgement->outcome_count > 0)
        memcpy(outcomes, judgement->outcomes, judgement->outcome_count * sizeof *outcomes);
    outcomes[judgement->outcome_count] = (struct outcome){.step = record->plan->steps.count - 1,
                                                          .word = made.word,
                                                          .value = made.value,
                                                          .held = &held_to_nothing};
    judgement->outcomes = outcomes;
    judgement->outcome_count++;
}

static void add_gemm(struct record *record, const char *metric, double slowest)
{
    for (unsigned i = 0; i < HOSTS * GPUS; i++)
        add(record, (struct made){.metric = metric,
                                  .subject = arena_printf(record->arena, "gpu%u", i % GPUS),
                                  .host = i / GPUS,
                                  .hosts = 1,
                                  .word = OUTCOME_RECORDED,
                                  .value = i == 11 ? slowest : 720});
}

/* Of all GPUs, as one test on each host read it. */
static void add_read(struct record *record, const char *tool, const char *metric, double watts)
{
    for (unsigned i = 0; i < HOSTS; i++) {
        struct attempt *attempt = list_push(record->arena, &record->attempts);

        *attempt = (struct attempt){.step = i * GPUS};
        reading_init(&attempt->reading, record->arena, tool);
        for (unsigned gpu = 0; gpu < GPUS; gpu++)
            reading_measure(&attempt->reading, metric, arena_printf(record->arena, "gpu%u", gpu), watts, "W");
    }
}

static void add_power(struct record *record)
{
    for (unsigned i = 0; i < HOSTS; i++) {
        struct attempt *attempt = list_push(record->arena, &record->attempts);

        *attempt = (struct attempt){.step = i * GPUS};
        reading_init(&attempt->reading, record->arena, "gpu-burn");
        for (unsigned gpu = 0; gpu < GPUS; gpu++)
            reading_measure(&attempt->reading, "window.power.max", arena_printf(record->arena, "gpu%u", gpu),
                            i == 0 ? 640 : 680, "W");
    }
}

static struct worth_measured measure(struct record *record)
{
    struct worth_measured measured;

    worth_measure(record->arena, record, &measured);
    return measured;
}

static void the_slowest_gpu_counts(void **state)
{
    struct record *record = empty_run(*state);
    struct worth_measured measured;
    enum worth_type type;

    add_gemm(record, "gpu_compute.bf16.8192.random.warm", 650);
    /* Of two tries of one GPU the worse one. */
    add(record, (struct made){.metric = "gpu_compute.bf16.8192.random.warm",
                              .subject = "gpu3",
                              .host = 0,
                              .hosts = 1,
                              .word = OUTCOME_FAIL,
                              .value = 640});
    add_power(record);
    measured = measure(record);
    assert_int_equal(measured.gpus, 16);
    assert_string_equal(measured.model, "NVIDIA H100 80GB HBM3");
    assert_int_equal(measured.gemm[WORTH_BF16].origin, WORTH_MEASURED);
    assert_float_equal(measured.gemm[WORTH_BF16].value, 640, 0);
    assert_float_equal(measured.gemm[WORTH_BF16].median, 720, 0);
    assert_int_equal(measured.gemm[WORTH_BF16].gpus, 16);
    assert_float_equal(measured.inputs[WORTH_POWER].value, 660, 1e-9);
    assert_true(worth_type_measured(&measured, &type) && type == WORTH_BF16);
}

static void power_is_what_products_drew(void **state)
{
    struct record *record = empty_run(*state);
    struct worth_measured measured;

    add_gemm(record, "gpu_compute.bf16.8192.random.warm", 650);
    add_power(record);
    add_read(record, "assay-probe-gpu", "gpu_compute.fp64.8192.power", 500);
    add_read(record, "assay-probe-gpu", "gpu_compute.bf16.8192.power", 691);
    add_read(record, "nvidia-smi", "gpu.power_limit", 700);
    measured = measure(record);
    assert_float_equal(measured.inputs[WORTH_POWER].value, 691, 1e-9);
    assert_string_equal(measured.inputs[WORTH_POWER].metric, "gpu_compute.bf16.8192.power");
}

static void power_at_rest_is_no_load(void **state)
{
    struct record *record = empty_run(*state);
    struct worth_measured measured;

    add_gemm(record, "gpu_compute.bf16.8192.random.warm", 650);
    add_read(record, "assay-probe-gpu", "window.power.max", 73);
    add_read(record, "nvidia-smi", "gpu.power_limit", 700);
    measured = measure(record);
    assert_int_equal(measured.inputs[WORTH_POWER].origin, WORTH_NOT_MEASURED);
    assert_true(isnan(measured.inputs[WORTH_POWER].value));
    assert_string_equal(
        reason_english(record->arena, measured.inputs[WORTH_POWER].caution),
        "window.power.max has 73 W, below half of the power limit of 700 W: GPUs at work draw more");
    /* What was drawn under load stands for it, also where another window was cold. */
    add_power(record);
    measured = measure(record);
    assert_float_equal(measured.inputs[WORTH_POWER].value, 660, 1e-9);
}

static void what_nobody_vouches_for_does_not_count(void **state)
{
    struct record *record = empty_run(*state);
    const struct made made = {.metric = "gpu_compute.bf16.8192.random.warm",
                              .subject = "gpu0",
                              .hosts = 1,
                              .word = OUTCOME_PASS,
                              .value = 100};
    struct made bad[] = {made, made, made, made, made};

    bad[0].word = OUTCOME_INCONCLUSIVE;
    bad[1].word = OUTCOME_NOT_RUN;
    bad[2].origin = ORIGIN_ISOLATE;
    bad[3].variant = "one of several ways";
    bad[4].value = NAN;
    add_gemm(record, "gpu_compute.bf16.8192.random.warm", 700);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        add(record, bad[i]);
    assert_float_equal(measure(record).gemm[WORTH_BF16].value, 700, 0);
}

static void a_burn_is_no_bf16(void **state)
{
    struct record *record = empty_run(*state);
    struct worth_measured measured;
    enum worth_type type;

    add_gemm(record, "gpu_burn.tensor.gflops", 368000);
    measured = measure(record);
    assert_int_equal(measured.gemm[WORTH_BF16].origin, WORTH_NOT_MEASURED);
    assert_true(isnan(measured.gemm[WORTH_BF16].value));
    assert_float_equal(measured.gemm[WORTH_TF32].value, 0.72, 1e-9); /* the others' 720 GFLOP/s */
    assert_ptr_equal(measured.gemm[WORTH_TF32].caution, REASON(worth_burn_is_tf32));
    assert_false(worth_type_measured(&measured, &type));
}

/* There -tc is fp16. */
static void on_a_part_without_tf32_a_burn_is_nothing(void **state)
{
    struct record *record = run_of(*state, "v100-sxm2");
    struct worth_measured measured;

    add_gemm(record, "gpu_burn.tensor.gflops", 80000);
    measured = measure(record);
    assert_string_equal(measured.model, "Tesla V100-SXM2-16GB");
    assert_int_equal(measured.gemm[WORTH_TF32].origin, WORTH_NOT_MEASURED);
}

static void add_collective(struct record *record, const char *metric, unsigned hosts, double size,
                           double value)
{
    add(record, (struct made){.metric = metric,
                              .subject = "",
                              .hosts = hosts,
                              .word = OUTCOME_PASS,
                              .size_bytes = size,
                              .value = value});
}

static void collectives_count_at_the_largest_scale(void **state)
{
    struct record *record = empty_run(*state);
    struct worth_measured measured;

    add_collective(record, "nccl.all_gather.busbw", 1, 16e9, 470);
    add_collective(record, "nccl.all_gather.busbw", 2, 8e9, 330);
    add_collective(record, "nccl.all_gather.busbw", 2, 16e9, 345);
    add_collective(record, "nccl.all_gather.busbw", 2, 16e9, 340);
    add_collective(record, "nccl.all_reduce.busbw", 2, 16e9, 480);
    add_collective(record, "nccl.all_gather.busbw", 1, 32e9, 475);
    measured = measure(record);
    assert_float_equal(measured.inputs[WORTH_ALL_GATHER].value, 340, 0);
    assert_int_equal(measured.inputs[WORTH_ALL_GATHER].gpus, 16);
    assert_null(measured.inputs[WORTH_ALL_GATHER].caution);
    assert_float_equal(measured.inputs[WORTH_REDUCE_SCATTER].value, 340, 0);
    assert_ptr_equal(measured.inputs[WORTH_REDUCE_SCATTER].caution, REASON(worth_other_way));
}

static bool is_said(struct arena *arena, enum report_language language, const struct worth_lines *lines,
                    const char *word)
{
    for (size_t i = 0; i < lines->items.count; i++)
        if (strstr(reason_said(arena, language, lines->items.items[i].value), word) != NULL ||
            strstr(reason_said(arena, language, lines->items.items[i].origin), word) != NULL)
            return true;
    return false;
}

static void what_is_missing_is_said(void **state)
{
    struct record *record = empty_run(*state);
    struct worth_question question = {.parameters = 8e9, .tokens = 1e12};
    struct worth_measured measured;
    struct worth_answer answer;
    struct worth_lines lines;

    add_gemm(record, "gpu_compute.bf16.8192.random.warm", 650);
    add_collective(record, "nccl.all_gather.busbw", 1, 16e9, 470);
    measured = measure(record);
    assert_null(worth_answer(*state, &measured, &question, &answer));
    worth_say_inputs(*state, &measured, answer.inputs, WORTH_BF16, &lines);
    assert_int_equal(lines.items.count, WORTH_QUANTITIES);
    assert_true(
        is_said(*state, LANGUAGE_EN, &lines, "not measured: run a suite with the check `gpu-memory`"));
    assert_true(is_said(*state, LANGUAGE_EN, &lines, "not measured over several hosts"));
    assert_true(is_said(*state, LANGUAGE_EN, &lines,
                        "measured: gpu_compute.bf16.8192.random.warm, 16 GPUs, median 720"));
    assert_true(is_said(*state, LANGUAGE_ZH, &lines, "未测：请运行含检查项 `gpu-memory`"));
    worth_say_step(*state, &answer, &lines);
    assert_true(is_said(*state, LANGUAGE_EN, &lines, "not measured, and not in the ceiling"));
    assert_true(is_said(*state, LANGUAGE_EN, &lines, "650 TFLOP/s, MFU 65.7%"));
    worth_say_answer(*state, &answer, &lines);
    assert_true(is_said(*state, LANGUAGE_EN, &lines, "days on 16 GPUs"));
    assert_true(is_said(*state, LANGUAGE_EN, &lines, "costs 9.7% of the time"));
    assert_true(is_said(*state, LANGUAGE_EN, &lines, "not measured: run a suite with the check `gpu-burn`"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(the_slowest_gpu_counts),
        ARENA_TEST(power_is_what_products_drew),
        ARENA_TEST(power_at_rest_is_no_load),
        ARENA_TEST(what_nobody_vouches_for_does_not_count),
        ARENA_TEST(a_burn_is_no_bf16),
        ARENA_TEST(on_a_part_without_tf32_a_burn_is_nothing),
        ARENA_TEST(collectives_count_at_the_largest_scale),
        ARENA_TEST(what_is_missing_is_said),
    };

    return cmocka_run_group_tests_name("measured", tests, NULL, NULL);
}
