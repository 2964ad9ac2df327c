/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit_test.h"
#include "distributions.h"

#include <math.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/judge.h"
#include "assay/reasons/model.h"
#include "assay/report/report.h"
#include "sample_record.h"

static const struct sample faulty = {.hosts = 8, .units = 2, .faults = true};
static const struct sample clean = {.hosts = 4, .units = 1};

static const struct distribution *find(const struct distributions *all, const char *metric)
{
    for (size_t i = 0; i < all->items.count; i++)
        if (strcmp(all->items.items[i].metric, metric) == 0)
            return &all->items.items[i];
    return NULL;
}

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

/* As judge_peers lays a finding at an item. */
static void lay(struct arena *arena, struct outcome *outcome, const struct reason *cause, const char *gate)
{
    struct held_to *held = outcome_held_own(arena, outcome);

    outcome->cause = cause;
    held->gate = limit_gate_of_record(arena, reason_text(arena, gate));
    held->status = "peers";
    held->source = reason(arena, siblings_in_run, 7);
}

static const struct reason *gpu3_below_peers(struct arena *arena, const char *percent)
{
    return reason(arena, below_peers, "gpu3", percent, "0.3", 7,
                  reason(arena, values_of_metric, 1, "gpu_burn.gflops"));
}

static const char *section_of(struct arena *arena, const struct record *record)
{
    struct text out = {0};
    const char *html, *section;

    text_init(&out, 64 << 20);
    report_format_find("html")->write(record, LANGUAGE_EN, &out);
    html = arena_strndup(arena, out.bytes, out.length);
    text_release(&out);
    section = strstr(html, "<section id=\"distributions\"");
    assert_non_null(section);
    return arena_strndup(arena, section, (size_t)(strstr(section, "</section>") - section));
}

static void what_failed_is_named_and_the_rest_is_counted(void **state)
{
    struct arena *arena = arena_create();
    struct distributions all;
    const struct distribution *copies;

    (void)state;
    distributions_collect(view_create(arena, sample_record(arena, &faulty)), &all);
    copies = find(&all, "p2p.unidirectional.enabled");
    assert_non_null(copies);
    assert_int_equal(copies->values.count, 7 * 56); /* of 8 hosts one did not come to it */
    assert_int_equal(copies->found.count, 2);
    assert_true(copies->found.items[0].outcome->value < 13);
    assert_int_equal(copies->found.items[0].named->word, OUTCOME_FAIL);
    assert_ptr_equal(copies->lowest, copies->values.items[0] == copies->found.items[0].outcome->value
                                         ? copies->found.items[0].outcome
                                         : copies->found.items[1].outcome);
    assert_int_equal(copies->gate_count, 1);
    assert_true(copies->gates[0] == 345);
    for (size_t i = 1; i < copies->values.count; i++)
        assert_true(copies->values.items[i - 1] <= copies->values.items[i]);
    assert_true(copies->quantiles[0] == copies->lowest->value);
    assert_true(copies->quantiles[QUANTILES - 1] == copies->highest->value);
    assert_true(fabs(copies->quantiles[3] - (copies->values.items[195] + copies->values.items[196]) / 2) <
                1e-9);
    arena_destroy(arena);
}

static void who_stands_out_among_peers_is_named_by_the_judgement_alone(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &clean);
    struct outcome *slow = item_of(record, "node2", "gpu_burn.gflops", "gpu3"),
                   *lowest = item_of(record, "node1", "gpu_burn.gflops", "gpu5");
    struct distributions all;
    const struct distribution *burn;
    const char *html;

    (void)state;
    lowest->value = 20000; /* nobody said so: it is the lowest, and no outlier */
    slow->value = 40100;
    slow->measured = reason_text(arena, "40100 GFLOP/s");
    slow->remark = true;
    lay(arena, slow, reason(arena, remark, reason(arena, remark_from, gpu3_below_peers(arena, "6.5"), 5)),
        ">= 40755 GFLOP/s (42900 of its peers with 5% tolerance)");
    distributions_collect(view_create(arena, record), &all);
    burn = find(&all, "gpu_burn.gflops");
    assert_non_null(burn);
    assert_int_equal(burn->found.count, 1);
    assert_ptr_equal(burn->found.items[0].outcome, slow);
    assert_ptr_equal(burn->lowest, lowest);
    assert_int_equal(burn->gate_count, 1); /* what its peers ask of one is no gate of all */
    assert_true(burn->gates[0] == 38000);
    html = section_of(arena, record);
    assert_non_null(strstr(html, "<th scope=\"row\">node2 gpu3</th>"));
    assert_non_null(strstr(html, "remark: gpu3 is 6.5%"));
    assert_non_null(strstr(html, "class=\"plot-odd-mark\"")); /* the diamond */
    assert_null(strstr(html, "class=\"plot-bad\""));          /* and no cross */
    arena_destroy(arena);
}

/* A number that is only recorded fails a gate beside it: the gate shows it, and it is no value of the gate's. */
static void a_finding_laid_at_a_gate_is_shown_where_its_number_is(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &clean);
    struct outcome *slow = item_of(record, "node2", "gpu_burn.gflops", "gpu3"),
                   *gate = item_of(record, "node2", "gpu_burn.errors", "gpu3");
    struct distributions all;
    const struct distribution *burn;

    (void)state;
    slow->value = gate->value = 37100;
    slow->measured = gate->measured = reason_text(arena, "37100 GFLOP/s");
    gate->word = OUTCOME_FAIL;
    lay(arena, gate, reason(arena, fail_from, gpu3_below_peers(arena, "13.5"), 10),
        ">= 38610 GFLOP/s (42900 of its peers with 10% tolerance)");
    distributions_collect(view_create(arena, record), &all);
    burn = find(&all, "gpu_burn.gflops");
    assert_non_null(burn);
    assert_int_equal(burn->found.count, 1);
    assert_ptr_equal(burn->found.items[0].outcome, slow);
    assert_ptr_equal(burn->found.items[0].named, gate);
    assert_null(find(&all, "gpu_burn.errors")); /* all 0: 37100 is not a count of errors */
    arena_destroy(arena);
}

static void what_is_equal_everywhere_or_of_a_few_is_not_drawn(void **state)
{
    const struct sample few = {.hosts = SIBLINGS_LEAST - 1, .units = 1},
                        enough = {.hosts = SIBLINGS_LEAST, .units = 1};
    struct arena *arena = arena_create();
    struct distributions all;

    (void)state;
    distributions_collect(view_create(arena, sample_record(arena, &few)), &all);
    assert_null(find(&all, "gpu.power_limit")); /* 700 W everywhere */
    assert_null(find(&all, "nccl.all_reduce.busbw"));
    assert_non_null(find(&all, "gpu_burn.gflops"));
    distributions_collect(view_create(arena, sample_record(arena, &enough)), &all);
    assert_non_null(find(&all, "nccl.all_reduce.busbw"));
    arena_destroy(arena);
}

static void a_serial_number_is_no_quantity(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &clean);
    struct distributions all;
    size_t told = 0;

    (void)state;
    for (size_t i = 0; i < record->judgement.outcome_count; i++) {
        struct outcome *outcome = &record->judgement.outcomes[i];
        struct slot *slot = &record->plan->steps.items[outcome->step].shape->slots[outcome->slot];

        if (strcmp(slot->metric, "gpu.name") != 0 && strcmp(slot->metric, "gpu.serial") != 0)
            continue;
        slot->metric = "gpu.serial";
        outcome_held_own(arena, outcome)->gate = NULL;
        outcome->value = 1.65e12 + (double)told++;
    }
    distributions_collect(view_create(arena, record), &all);
    assert_true(told >= SIBLINGS_LEAST);
    assert_null(find(&all, "gpu.serial"));
    arena_destroy(arena);
}

static size_t count_of(const char *text, const char *needle)
{
    size_t count = 0;

    for (; (text = strstr(text, needle)) != NULL; text += strlen(needle))
        count++;
    return count;
}

/* What stands before the first fold: the figures that are shown. */
static const char *shown_of(struct arena *arena, const char *section)
{
    const char *fold = strstr(section, "<details");

    return fold == NULL ? section : arena_strndup(arena, section, (size_t)(fold - section));
}

static void what_marks_nothing_is_folded_by_step(void **state)
{
    struct arena *arena = arena_create();
    const char *section = section_of(arena, sample_record(arena, &clean)),
               *bad = section_of(arena, sample_record(arena, &faulty));

    (void)state;
    assert_int_equal(count_of(shown_of(arena, section), "<figure"), 0);
    assert_true(count_of(section, "<figure") >= 4); /* they are all there */
    assert_non_null(strstr(section, "p2p-bandwidth: 3 distributions without a failure or an outlier"));
    assert_int_equal(count_of(section, "p2p-bandwidth: "), 1);
    assert_non_null(strstr(shown_of(arena, bad), "unidirectional"));
    assert_true(count_of(shown_of(arena, bad), "<figure") >= 1);
    assert_int_equal(count_of(bad, "<details"), count_of(bad, "</details>"));
    arena_destroy(arena);
}

static void metrics_that_mark_the_same_gpu_show_one_figure(void **state)
{
    static const char *const gpus[] = {"gpu3", "gpu4"};

    (void)state;
    for (size_t same = 0; same < 2; same++) {
        struct arena *arena = arena_create();
        struct record *record = sample_record(arena, &clean);
        struct outcome *slow = item_of(record, "node2", "gpu_burn.gflops", "gpu3"),
                       *wrong = item_of(record, "node2", "gpu_burn.errors", gpus[same]);
        const char *section;

        slow->value = 20000;
        wrong->value = 12;
        slow->word = wrong->word = OUTCOME_FAIL;
        section = section_of(arena, record);
        assert_int_equal(count_of(shown_of(arena, section), "<figure"), same == 0 ? 1 : 2);
        assert_int_equal(count_of(section, "gpu-burn: 1 more distribution marks the same as gpu_burn.errors"),
                         same == 0);
        assert_int_equal(count_of(section, "<th scope=\"row\">node2 gpu3</th>"), same == 0 ? 2 : 1);
        arena_destroy(arena);
    }
}

static void ten_thousand_gpus_take_no_more_room_than_a_hundred(void **state)
{
    const struct sample large = {.hosts = 160, .units = 2, .faults = true};
    struct arena *arena = arena_create();

    (void)state;
    assert_true(strlen(section_of(arena, sample_record(arena, &large))) <
                strlen(section_of(arena, sample_record(arena, &faulty))) * 5 / 4);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_failed_is_named_and_the_rest_is_counted),
        cmocka_unit_test(who_stands_out_among_peers_is_named_by_the_judgement_alone),
        cmocka_unit_test(a_finding_laid_at_a_gate_is_shown_where_its_number_is),
        cmocka_unit_test(what_is_equal_everywhere_or_of_a_few_is_not_drawn),
        cmocka_unit_test(a_serial_number_is_no_quantity),
        cmocka_unit_test(what_marks_nothing_is_folded_by_step),
        cmocka_unit_test(metrics_that_mark_the_same_gpu_show_one_figure),
        cmocka_unit_test(ten_thousand_gpus_take_no_more_room_than_a_hundred),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
