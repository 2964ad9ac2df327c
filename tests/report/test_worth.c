/* SPDX-License-Identifier: Apache-2.0 */
/* What the cluster is worth stands in the report of a run that has the data, and in no other. */
#include <string.h>

#include "../arena_test.h"
#include "assay/base/json.h"
#include "assay/report/report.h"
#include "sample_record.h"

enum { HOSTS = 4, GPUS = 8, BYTES = 64 << 20 };

static struct record *plain_run(struct arena *arena)
{
    return sample_record(arena, &(struct sample){.hosts = HOSTS, .units = 1});
}

/* The GPUs' rates as gpu-compute leaves them, in the record's last steps. */
static struct record *run_with_rates(struct arena *arena, double tflops)
{
    struct record *record = plain_run(arena);
    struct judgement *judgement = &record->judgement;
    struct shape *shape = arena_new(arena, struct shape);
    struct outcome *outcomes = arena_array(arena, struct outcome, judgement->outcome_count + HOSTS * GPUS);

    *shape = *record->plan->shapes.items[0];
    shape->check = shape->suite_step = "gpu-compute";
    shape->slots = arena_array(arena, struct slot, GPUS);
    shape->slot_count = GPUS;
    for (unsigned i = 0; i < GPUS; i++)
        shape->slots[i] = (struct slot){.metric = "gpu_compute.bf16.8192.random.warm",
                                        .subject = arena_printf(arena, "gpu%u", i),
                                        .at = ""};
    *list_push(arena, &record->plan->shapes) = shape;
    memcpy(outcomes, judgement->outcomes, judgement->outcome_count * sizeof *outcomes);
    judgement->outcomes = outcomes;
    for (unsigned host = 0; host < HOSTS; host++) {
        *list_push(arena, &record->plan->steps) =
            (struct step){.key = arena_printf(arena, "rates%u", host),
                          .shape = shape,
                          .members = (const struct host **)&record->plan->hosts.items[host],
                          .member_count = 1};
        for (unsigned i = 0; i < GPUS; i++)
            outcomes[judgement->outcome_count++] = (struct outcome){.step = record->plan->steps.count - 1,
                                                                    .slot = i,
                                                                    .word = OUTCOME_RECORDED,
                                                                    .value = tflops + i,
                                                                    .held = &held_to_nothing};
    }
    return record;
}

static const char *report_of(struct arena *arena, const struct record *record, const char *format,
                             enum report_language language)
{
    cleanup_text struct text out = {0};

    text_init(&out, BYTES);
    report_format_find(format)->write(record, language, &out);
    return arena_strndup(arena, out.bytes, out.length);
}

static void has(const char *report, const char *word)
{
    if (strstr(report, word) == NULL)
        fail_msg("'%s' is not in the report", word);
}

static void a_report_has_it_where_the_run_has_the_data(void **state)
{
    const struct record *record = run_with_rates(*state, 720);
    const char *html = report_of(*state, record, "html", LANGUAGE_EN),
               *text = report_of(*state, record, "text", LANGUAGE_EN);

    has(html, "<section id=\"worth\">");
    has(html, "What the cluster is worth</h2>");
    has(html, "720 TFLOP/s");
    has(html, "measured: gpu_compute.bf16.8192.random.warm, 32 GPUs, median 723.5");
    has(html, "not measured: run a suite with the check `gpu-memory`");
    has(html, "days on 32 GPUs");
    has(text, "WHAT THE CLUSTER IS WORTH");
    has(text, "days on 32 GPUs");
    has(report_of(*state, record, "html", LANGUAGE_ZH), "32 个 GPU 上 ");
    has(report_of(*state, record, "text", LANGUAGE_ZH), "集群的价值");
}

static void another_report_does_not(void **state)
{
    const struct record *record = plain_run(*state);

    assert_null(strstr(report_of(*state, record, "html", LANGUAGE_EN), "id=\"worth\""));
    assert_null(strstr(report_of(*state, record, "text", LANGUAGE_EN), "WORTH"));
}

static const struct json *as_json(struct arena *arena, const struct record *record,
                                  struct worth_question question)
{
    cleanup_text struct text out = {0};
    struct worth_measured measured;
    struct worth_answer answer;
    struct error err = {0};
    const struct json *json;

    worth_measure(arena, record, &measured);
    assert_null(worth_answer(arena, &measured, &question, &answer));
    text_init(&out, BYTES);
    report_worth_json(arena, record, &measured, &answer, &out);
    json = json_parse(arena, "worth", arena_strndup(arena, out.bytes, out.length), out.length, &err);
    if (json == NULL)
        fail_msg("%s", err.text);
    return json;
}

static void programs_read_the_same_numbers(void **state)
{
    const struct json *json = as_json(*state, run_with_rates(*state, 720),
                                      (struct worth_question){.parameters = 8e9, .tokens = 1e12});
    const struct json *gemm = json_get(json_get(json, "inputs"), "gemm"),
                      *hbm = json_get(json_get(json, "inputs"), "hbm");

    assert_float_equal(json_number(json, "schema", 0), 1, 0);
    assert_string_equal(json_string(gemm, "origin", ""), "measured");
    assert_float_equal(json_number(gemm, "value", 0), 720, 0);
    assert_float_equal(json_number(gemm, "gpus", 0), 32, 0);
    assert_string_equal(json_string(hbm, "origin", ""), "not measured");
    assert_int_equal(json_get(hbm, "value")->type, JSON_NULL);
    assert_string_equal(json_string(hbm, "measured_by", ""), "gpu-memory");
    assert_int_equal(json_get(json_get(json, "energy_mwh"), "low")->type, JSON_NULL);
    /* 6 x 8e9 x 1e12 / 32 / 720e12 / 0.59 / 86400, and 0.4% for interruptions */
    assert_float_equal(json_number(json_get(json, "days"), "low", 0), 40.87, 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(a_report_has_it_where_the_run_has_the_data),
        ARENA_TEST(another_report_does_not),
        ARENA_TEST(programs_read_the_same_numbers),
    };

    return cmocka_run_group_tests_name("worth", tests, NULL, NULL);
}
