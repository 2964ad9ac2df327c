/* SPDX-License-Identifier: Apache-2.0 */
/* What is remarked on, and beside which metric and limit it is said. */
#include "../unit_test.h"

#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/judge.h"
#include "assay/reasons/model.h"
#include "assay/report/report.h"
#include "gates.h"
#include "sample_record.h"

static const struct sample clean = {.hosts = 4, .units = 1};

static struct outcome *item_of(struct record *record, const char *host, const char *metric,
                               const char *subject)
{
    for (size_t i = 0; i < record->judgement.outcome_count; i++) {
        struct outcome *outcome = &record->judgement.outcomes[i];
        const struct step *step = &record->plan->steps.items[outcome->step];
        const struct slot *slot = &step->shape->slots[outcome->slot];

        if (strcmp(step->members[0]->name, host) == 0 && strcmp(slot->metric, metric) == 0 &&
            strcmp(slot->subject, subject) == 0)
            return outcome;
    }
    fail_msg("%s has no %s of %s", host, metric, subject);
    return NULL;
}

static const char *report_in(struct arena *arena, const struct record *record, const char *format,
                             enum report_language language)
{
    struct text out = {0};
    const char *report;

    text_init(&out, (size_t)64 << 20);
    report_format_find(format)->write(record, language, &out);
    report = arena_strndup(arena, out.bytes, out.length);
    text_release(&out);
    return report;
}

static const char *section_of(struct arena *arena, const struct record *record, const char *id)
{
    const char *html = report_in(arena, record, "html", LANGUAGE_EN);
    const char *section = strstr(html, arena_printf(arena, "<section id=\"%s\"", id));

    assert_non_null(section);
    return arena_strndup(arena, section, (size_t)(strstr(section, "</section>") - section));
}

/* Only what the test itself remarks on. */
static struct record *record_without_remarks(struct arena *arena)
{
    struct record *record = sample_record(arena, &clean);

    for (size_t i = 0; i < record->judgement.outcome_count; i++)
        record->judgement.outcomes[i].remark = false;
    return record;
}

static void remark_on(struct outcome *outcome, const struct reason *cause)
{
    outcome->remark = true;
    outcome->cause = cause;
}

static const struct reason *second_attempt(struct arena *arena)
{
    return reason(arena, passed_after_broken_attempts, 1, reason_text(arena, "no answer within 20.0 s"));
}

static void a_value_that_met_its_limit_is_not_said_to_miss_it(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = record_without_remarks(arena);
    struct outcome *passed = item_of(record, "node2", "gpu.count", "");
    struct remark_lines lines;
    const char *section, *text;

    (void)state;
    remark_on(passed, reason(arena, remark, reason(arena, too_few_peers_answered, 5, 8, 6)));
    remark_lines_of_run(view_create(arena, record), &lines);
    assert_int_equal(lines.items.count, 1);
    assert_int_equal(lines.missed, 0);
    section = section_of(arena, record, "remarks");
    assert_non_null(strstr(section, "not compared with peers: 5 of 8 answered"));
    assert_null(strstr(section, "outside limits"));
    assert_null(strstr(section, "= 8"));
    text = report_in(arena, record, "text", LANGUAGE_EN);
    assert_non_null(strstr(text, "REMARKS ON HOW VALUES CAME"));
    assert_null(strstr(text, "does not meet"));
    text = report_in(arena, record, "text", LANGUAGE_ZH);
    assert_non_null(strstr(text, "关于数值如何得到的提示"));
    assert_null(strstr(text, "项未达到"));
    arena_destroy(arena);
}

static void an_attempt_that_broke_off_is_one_remark_however_much_it_measured(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = record_without_remarks(arena);
    struct remark_lines lines;

    (void)state;
    remark_on(item_of(record, "node2", "gpu.name", "gpu0"), second_attempt(arena));
    remark_on(item_of(record, "node2", "gpu.name", "gpu1"), second_attempt(arena));
    remark_on(item_of(record, "node2", "gpu.count", ""), second_attempt(arena));
    remark_lines_of_run(view_create(arena, record), &lines);
    assert_int_equal(lines.items.count, 1);
    assert_int_equal(lines.items.items[0].gate.items, 3);
    assert_string_equal(reason_english(arena, lines.items.items[0].targets), "node2");
    arena_destroy(arena);
}

static void a_host_that_differs_stands_before_guesses_and_those_before_second_attempts(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = record_without_remarks(arena);
    struct outcome *guessed = item_of(record, "node1", "p2p.latency.gpu.enabled", "gpu0->gpu1"),
                   *differs = item_of(record, "node3", "gpu.name", "gpu0");
    struct remark_lines lines;

    (void)state;
    remark_on(item_of(record, "node1", "gpu.count", ""), second_attempt(arena));
    remark_on(guessed, reason(arena, remark, reason(arena, guess_expects, "latency", "5 us", "4 us")));
    outcome_held_own(arena, guessed)->status = "guess";
    remark_on(differs, reason_text(arena, "it is another model than on other hosts"));
    remark_lines_of_run(view_create(arena, record), &lines);
    assert_int_equal(lines.items.count, 3);
    assert_int_equal(lines.missed, 2);
    assert_ptr_equal(lines.items.items[0].gate.first, differs);
    assert_ptr_equal(lines.items.items[1].gate.first, guessed);
    assert_false(lines.items.items[2].missed);
    arena_destroy(arena);
}

/* The finding about a recorded number is laid at a gate beside it, which has another name. */
static void a_slow_gpus_card_names_the_number_that_is_low(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = record_without_remarks(arena);
    struct outcome *slow = item_of(record, "node2", "gpu_burn.gflops", "gpu3"),
                   *gate = item_of(record, "node2", "gpu_burn.errors", "gpu3");
    const char *card, *text;

    (void)state;
    slow->value = gate->value = 37100;
    slow->measured = gate->measured = reason_text(arena, "37100 GFLOP/s");
    gate->word = OUTCOME_FAIL;
    *outcome_held_own(arena, gate) =
        (struct held_to){.status = "peers",
                         .gate = limit_gate_of_record(arena, reason_text(arena, ">= 38610 GFLOP/s")),
                         .source = reason(arena, siblings_in_run, 7)};
    gate->cause = reason(arena, fail_from,
                         reason(arena, below_peers, "gpu3", "13.5", "0.3", 7,
                                reason(arena, values_of_metric, 1, "gpu_burn.gflops")),
                         10);
    card = section_of(arena, record, "failures");
    assert_non_null(strstr(card, "38610 GFLOP/s"));
    assert_non_null(strstr(card, "<code class=\"metric\">gpu_burn.<wbr>gflops</code>"));
    assert_null(strstr(card, "gpu_burn.<wbr>errors"));
    text = report_in(arena, record, "text", LANGUAGE_EN);
    assert_non_null(strstr(text, "gpu_burn.gflops >= 38610 GFLOP/s"));
    assert_null(strstr(text, "gpu_burn.errors >= "));
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_that_met_its_limit_is_not_said_to_miss_it),
        cmocka_unit_test(an_attempt_that_broke_off_is_one_remark_however_much_it_measured),
        cmocka_unit_test(a_host_that_differs_stands_before_guesses_and_those_before_second_attempts),
        cmocka_unit_test(a_slow_gpus_card_names_the_number_that_is_low),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
