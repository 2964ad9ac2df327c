/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison with an earlier run, as the reports show it. */
#include <string.h>

#include "../unit_test.h"
#include "assay/base/files.h"
#include "assay/judge/judge.h"
#include "assay/report/report.h"
#include "changes.h"
#include "sample_earlier.h"
#include "sample_record.h"

static const struct sample faulty = {.hosts = 8, .units = 2, .faults = true};
static const struct sample clean = {.hosts = 8, .units = 2};
static const struct sample hostile = {.hosts = 2, .units = 1, .hostile = true};

static const char *report_of(struct arena *arena, const struct record *record, const char *format)
{
    struct text out = {0};
    const char *report;

    text_init(&out, 64 << 20);
    report_format_find(format)->write(record, LANGUAGE_EN, &out);
    report = arena_strndup(arena, out.bytes, out.length);
    text_release(&out);
    return report;
}

static const char *section_of(struct arena *arena, const struct record *record)
{
    const char *html = report_of(arena, record, "html"), *section = strstr(html, "<section id=\"earlier\"");

    assert_non_null(section);
    return arena_strndup(arena, section, (size_t)(strstr(section, "</section>") - section));
}

static struct record *compared(struct arena *arena, const struct sample *before, const struct sample *after)
{
    return sample_beside(arena, sample_record(arena, before), sample_record(arena, after));
}

static void expect(const char *text, const char *needle)
{
    if (strstr(text, needle) == NULL) {
        print_message("%s\n", text);
        fail_msg("there is no \"%s\"", needle);
    }
}

static void what_got_worse_is_told_with_both_values(void **state)
{
    struct arena *arena = arena_create();
    const struct record *record = compared(arena, &clean, &faulty);
    const char *html = section_of(arena, record), *text = report_of(arena, record, "text");

    (void)state;
    expect(html, "Compared with run 7 of 2026-01-30 12:00:00 UTC: accept.");
    expect(html, "<h3>Worse</h3>");
    expect(html, "<th scope=\"row\">node6 "
                 "gpu4</th><td class=\"s\">gpu-burn</td><td><code "
                 "class=\"metric\">gpu_burn.<wbr>errors</code></td><td "
                 "class=\"s\">pass, 0.0</td>");
    expect(html, "fail</span></a> 1734</td>");
    expect(html, "24 items, first node2 gpu0"); /* the step that was cut: one row */
    expect(text, "COMPARED WITH AN EARLIER RUN");
    expect(text, "worse: node5, fabric-manager fabric_manager.matches_driver");
    assert_null(strstr(html, "<h3>Better</h3>"));
    arena_destroy(arena);
}

static void what_got_better_is_not_called_worse(void **state)
{
    struct arena *arena = arena_create();
    const char *html = section_of(arena, compared(arena, &faulty, &clean));

    (void)state;
    expect(html, "<h3>Better</h3>");
    assert_null(strstr(html, "<h3>Worse</h3>"));
    arena_destroy(arena);
}

static void what_only_one_of_them_has_is_gone_or_new(void **state)
{
    const struct sample fewer = {.hosts = 7, .units = 2};
    struct arena *arena = arena_create();
    const struct record *record = compared(arena, &clean, &fewer);
    const char *html = section_of(arena, record);

    (void)state;
    assert_true(record->earlier->comparison.gone.count > 200);
    assert_int_equal(record->earlier->comparison.gone.count, record->earlier->comparison.only_before);
    expect(html, "<h3>Gone</h3>");
    expect(html, "56 items, first node8 <span class=\"nb\">gpu0-&gt;gpu1</span>");
    expect(html, "absent");
    arena_destroy(arena);
}

static void a_rate_that_is_lower_within_its_limits_is_told(void **state)
{
    const struct sample larger = {.hosts = 16, .units = 2};
    struct arena *arena = arena_create();
    struct record *slower = sample_record(arena, &larger);
    const char *html;

    (void)state;
    assert_null(
        strstr(section_of(arena, compared(arena, &larger, &larger)), "<h3>Lower than noise explains</h3>"));
    for (size_t i = 0; i < slower->judgement.outcome_count; i++) {
        struct outcome *outcome = &slower->judgement.outcomes[i];
        const struct step *step = &slower->plan->steps.items[outcome->step];
        const struct slot *slot = &step->shape->slots[outcome->slot];

        if (strcmp(slot->metric, "gpu_burn.gflops") == 0 && strcmp(slot->subject, "gpu3") == 0 &&
            strcmp(step->members[0]->name, "node4") == 0)
            outcome->value *= 0.93;
    }
    html = section_of(arena, sample_beside(arena, sample_record(arena, &larger), slower));
    expect(html, "<h3>Lower than noise explains</h3>");
    expect(html, "<th scope=\"row\">node4 gpu3</th>");
    expect(html, ">-7.");
    assert_null(strstr(html, "<h3>Worse</h3>"));
    arena_destroy(arena);
}

static void that_there_is_no_earlier_run_is_said(void **state)
{
    const struct earlier none = {.uuid = ""};
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &clean);

    (void)state;
    assert_null(strstr(report_of(arena, record, "html"), "<section id=\"earlier\"")); /* nobody asked */
    record->earlier = &none;
    expect(section_of(arena, record), "The database has no earlier run of these hosts and this suite");
    expect(report_of(arena, record, "text"), "The database has no earlier run");
    expect(report_of(arena, record, "json"), "\"number\": 0");
    arena_destroy(arena);
}

/* Where a key that the schema does not know is one that nobody documented. */
static struct json *strict_schema(struct arena *arena)
{
    static const char loose[] = "\"additionalProperties\": true", strict[] = "\"additionalProperties\":false";
    cleanup_text struct text text = {0};
    struct error err = {0};
    struct json *schema;

    text_init(&text, 1 << 20);
    if (file_read(REPORT_SCHEMA, &text, &err) < 0)
        fail_msg("%s", err.text);
    for (char *at = text.bytes; (at = strstr(at, loose)) != NULL;)
        memcpy(at, strict, sizeof strict - 1);
    schema = json_parse(arena, "report.schema.json", arena_strdup(arena, text.bytes), text.length, &err);
    if (schema == NULL)
        fail_msg("%s", err.text);
    return schema;
}

static void all_of_it_keeps_to_the_schema_and_is_harmless(void **state)
{
    const struct sample *samples[] = {&faulty, &hostile};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct arena *arena = arena_create();
        const struct record *record = compared(arena, samples[1 - i], samples[i]);
        const char *json = report_of(arena, record, "json");
        struct error err = {0};
        struct json *document = json_parse(arena, "report", json, strlen(json), &err);

        if (document == NULL || json_schema_check(strict_schema(arena), document, &err) < 0)
            fail_msg("%s", err.text);
        assert_null(strstr(section_of(arena, record), "<script"));
        for (const char *at = report_of(arena, record, "text"); *at != '\0'; at++)
            assert_true((unsigned char)*at >= 0x20 || *at == '\n');
        arena_destroy(arena);
    }
}

static void what_fills_a_disk_stands_in_the_history_with_the_day_it_is_full(void **state)
{
    struct arena *arena = arena_create();
    struct history history = {0};
    struct history_findings findings = {0};
    struct text text = {0}, json = {0}, other = {0};

    (void)state;
    *list_push(arena, &history.runs) =
        (struct history_run){.number = 6, .uuid = "a", .suite = "periodic", .word = "passed"};
    *list_push(arena, &history.runs) = (struct history_run){
        .number = 9, .uuid = "b", .suite = "periodic", .started = 172800, .word = "passed"};
    *list_push(arena, &findings.growths) = (struct history_growth){.target = "node3",
                                                                   .folder = "/var/log",
                                                                   .run = 1,
                                                                   .size_before = 2048,
                                                                   .size = 12288,
                                                                   .per_day = 5120,
                                                                   .days = 2,
                                                                   .left = 51200,
                                                                   .filled = 91};
    text_init(&text, 1 << 16);
    text_init(&json, 1 << 16);
    text_init(&other, 1 << 16);
    report_history_text(arena, &history, &findings, &(struct history_choice){0}, &text);
    expect(
        text.bytes,
        "\ngrows\n  node3: /var/log grew by 10.0 GiB in 2 days since run 6, to 12.0 GiB; its file system is 91% full; "
        "5.0 GiB a day, and 50.0 GiB are free: full in 10 days\n");
    report_history_json(arena, &history, &findings, &(struct history_choice){0}, &json);
    expect(
        json.bytes,
        "\"host\": \"node3\",\n      \"folder\": \"/var/log\",\n      \"run_before\": 6,\n      \"run\": 9,");
    expect(json.bytes, "\"filled_percent\": 91,\n      \"days_left\": 10,");
    report_history_text(arena, &history, &findings, &(struct history_choice){.name = "node4"}, &other);
    assert_null(strstr(other.bytes, "grew"));
    text_release(&text);
    text_release(&json);
    text_release(&other);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fills_a_disk_stands_in_the_history_with_the_day_it_is_full),
        cmocka_unit_test(what_got_worse_is_told_with_both_values),
        cmocka_unit_test(what_got_better_is_not_called_worse),
        cmocka_unit_test(what_only_one_of_them_has_is_gone_or_new),
        cmocka_unit_test(a_rate_that_is_lower_within_its_limits_is_told),
        cmocka_unit_test(that_there_is_no_earlier_run_is_said),
        cmocka_unit_test(all_of_it_keeps_to_the_schema_and_is_harmless),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
