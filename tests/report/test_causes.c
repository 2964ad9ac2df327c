/* SPDX-License-Identifier: Apache-2.0 */
/* One cause, one card: what folds, what must not, and that nothing is lost on the way. */
#include <math.h>
#include <string.h>

#include "../says_test.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/reasons/model.h"
#include "assay/report/report.h"
#include "causes.h"
#include "marks.h"
#include "names.h"
#include "ports.h"
#include "sample_record.h"

static const struct sample faulty = {.hosts = 8, .units = 2, .faults = true};

struct answer {
    struct arena *arena;
    struct record *record;
    struct view *view;
    struct report_entry *entries;
    size_t entry_count;
    struct report_causes causes;
};

static void read_answer(struct answer *answer)
{
    answer->view = view_create(answer->arena, answer->record);
    answer->entry_count = report_entries(answer->arena, answer->record, &answer->entries);
    report_causes_of(answer->view, answer->entries, answer->entry_count, &answer->causes);
}

static struct answer answer_of(const struct sample *sample)
{
    struct answer answer = {.arena = arena_create()};

    answer.record = sample_record(answer.arena, sample);
    read_answer(&answer);
    return answer;
}

static const struct report_cause *cause_of(const struct answer *answer, const char *target)
{
    for (size_t i = 0; i < answer->causes.items.count; i++)
        if (strcmp(reason_english(answer->arena, answer->causes.items.items[i].target), target) == 0)
            return &answer->causes.items.items[i];
    return NULL;
}

static const char *problem_of(const struct answer *answer, const struct report_cause *cause)
{
    return cause_problem(answer->arena, LANGUAGE_EN, answer->view, answer->entries, cause);
}

static struct outcome *outcome_of(const struct answer *answer, const char *host, const char *metric,
                                  const char *subject)
{
    for (size_t i = 0; i < answer->record->judgement.outcome_count; i++) {
        struct outcome *outcome = &answer->record->judgement.outcomes[i];
        const struct step *step = &answer->record->plan->steps.items[outcome->step];

        if (strcmp(step->members[0]->name, host) == 0 && step->member_count == 1 &&
            strcmp(step->shape->slots[outcome->slot].metric, metric) == 0 &&
            strcmp(step->shape->slots[outcome->slot].subject, subject) == 0)
            return outcome;
    }
    return NULL;
}

static void fail_item(struct answer *answer, const char *host, const char *metric, const char *subject,
                      const char *measured, double value)
{
    struct outcome *outcome = outcome_of(answer, host, metric, subject);

    assert_non_null(outcome);
    outcome->word = OUTCOME_FAIL;
    outcome->measured = reason_text(answer->arena, measured);
    outcome->value = value;
    outcome->cause = reason_text(answer->arena, arena_printf(answer->arena, "%s on %s", measured, host));
    outcome->remedy = reason_text(answer->arena, "set it right");
}

/* Every gate that did not pass is counted with one cause, or with the tests that wait for several. */
static void nothing_is_lost(void **state)
{
    static const struct sample samples[] = {{.hosts = 8, .units = 2, .faults = true},
                                            {.hosts = 208, .units = 26, .faults = true},
                                            {.hosts = 4, .units = 1},
                                            {.hosts = 2, .units = 1, .hostile = true}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
        struct answer answer = answer_of(&samples[i]);
        const struct coverage *all = &answer.view->coverage;
        size_t gates = answer.causes.blocked_together;

        for (size_t k = 0; k < answer.causes.items.count; k++) {
            const struct report_cause *cause = &answer.causes.items.items[k];

            gates += cause->fail + cause->inconclusive + cause->not_run + cause->blocked;
        }
        assert_int_equal(gates, all->fail + all->inconclusive + all->not_run);
        assert_int_equal(answer.causes.to_fix + answer.causes.to_decide + answer.causes.waived,
                         answer.causes.items.count);
        arena_destroy(answer.arena);
    }
}

static void a_setting_that_is_wrong_on_several_hosts_is_one_card(void **state)
{
    struct answer answer = answer_of(&(struct sample){.hosts = 8, .units = 2});
    static const char *const hosts[] = {"node3", "node4", "node6"};
    const struct report_cause *cause;

    (void)state;
    for (size_t i = 0; i < 3; i++)
        for (unsigned gpu = 0; gpu < 8; gpu++)
            fail_item(&answer, hosts[i], "ecc.mode", arena_printf(answer.arena, "gpu%u", gpu), "Disabled",
                      NAN);
    read_answer(&answer);
    assert_int_equal(answer.causes.items.count, 1);
    cause = cause_of(&answer, "node[3-4,6]");
    assert_non_null(cause);
    assert_int_equal(cause->fail, 24);
    assert_string_equal(cause_part(answer.arena, LANGUAGE_EN, answer.view, answer.entries, cause),
                        "all GPUs");
    assert_string_equal(cause_part(answer.arena, LANGUAGE_ZH, answer.view, answer.entries, cause),
                        "所有 GPU");
    assert_string_equal(problem_of(&answer, cause), "ECC is off (Disabled)");
    assert_int_equal(answer.causes.fit, 5);
    arena_destroy(answer.arena);
}

static const char *advice_of(const struct answer *answer, const struct report_cause *cause)
{
    const char *text = "";
    struct said_list pieces;

    cause_advice(answer->arena, LANGUAGE_EN, answer->view, answer->entries, cause, true, &pieces);
    for (size_t i = 0; i < pieces.items.count; i++)
        text = arena_printf(answer->arena, "%s%s", text, pieces.items.items[i].text);
    return text;
}

/* It can be typed as it stands, where it is about one GPU and about the output of one test. */
static void a_command_names_the_gpu_and_the_output_it_is_about(void **state)
{
    static const struct {
        const char *host, *metric, *subject;
        const struct reason *remedy;
    } items[] = {
        {"node3", "gpu_burn.errors", "gpu4", REASON(reset_gpu_number_test_again)},
        {"node3", "dcgm.memory", "gpu4", REASON(read_output_test_again)},
        {"node5", "gpu_burn.errors", "gpu1", REASON(read_output_test_again)},
        {"node5", "dcgm.memory", "gpu1", REASON(read_output_test_again)},
        {"node6", "gpu_burn.errors", "gpu2", REASON(burn_gpu_alone)},
        {"node6", "gpu_burn.errors", "gpu6", REASON(burn_gpu_alone)},
    };
    struct answer answer = answer_of(&(struct sample){.hosts = 8, .units = 2});
    size_t of_node6 = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(items); i++) {
        fail_item(&answer, items[i].host, items[i].metric, items[i].subject, "17", 17);
        outcome_of(&answer, items[i].host, items[i].metric, items[i].subject)->remedy = items[i].remedy;
    }
    read_answer(&answer);
    assert_non_null(cause_of(&answer, "node3"));
    assert_says(advice_of(&answer, cause_of(&answer, "node3")), "(nvidia-smi --gpu-reset -i 4)");
    assert_says(advice_of(&answer, cause_of(&answer, "node3")),
                arena_printf(answer.arena, "(`assay logs %lld node3 dcgm-diag`)", answer.record->number));
    /* Of two outputs the command names neither. */
    assert_non_null(cause_of(&answer, "node5"));
    assert_says(advice_of(&answer, cause_of(&answer, "node5")), "(`assay logs RUN HOST STEP`)");
    for (size_t i = 0; i < answer.causes.items.count; i++) {
        const struct report_cause *cause = &answer.causes.items.items[i];

        if (strcmp(reason_english(answer.arena, cause->target), "node6") != 0)
            continue;
        of_node6++;
        assert_true(says(advice_of(&answer, cause), "(-i N)") == (cause->parts.count > 1));
    }
    assert_true(of_node6 > 0);
    arena_destroy(answer.arena);
}

/* Two GPUs with numbers of their own are two GPUs to look at. */
static const char *marks_of(const struct answer *answer, const struct report_cause *cause,
                            enum report_language language)
{
    struct sightings sightings;
    struct mark_list marks;

    sightings_of_record(answer->arena, answer->record, &sightings);
    cause_marks(answer->arena, language, answer->view, &sightings, cause, &marks);
    return marks_joined(answer->arena, language, &marks);
}

/* Who walks to the rack knows what is printed on the part; who reads the first page, whose work it is. */
static void a_fault_says_what_is_printed_on_its_part_and_who_acts(void **state)
{
    struct answer answer = answer_of(&(struct sample){.hosts = 8, .units = 2});
    struct report_line *lines;
    const char *headline;

    (void)state;
    fail_item(&answer, "node3", "gpu_burn.errors", "gpu4", "17", 17);
    fail_item(&answer, "node5", "ecc.mode", "gpu1", "Disabled", NAN);
    fail_item(&answer, "node6", "ecc.mode", "gpu1", "Disabled", NAN);
    read_answer(&answer);
    assert_says(marks_of(&answer, cause_of(&answer, "node3"), LANGUAGE_EN), "serial 1");
    assert_says(marks_of(&answer, cause_of(&answer, "node3"), LANGUAGE_ZH),
                "\xe5\xba\x8f\xe5\x88\x97\xe5\x8f\xb7 1");
    assert_string_equal(marks_of(&answer, cause_of(&answer, "node[5-6]"), LANGUAGE_EN), "");
    assert_int_equal(report_answer(answer.arena, answer.record, LANGUAGE_EN, &lines, &headline), 2);
    assert_string_equal(reason_english(answer.arena, lines[0].hands),
                        "the administrator (settings, software)");
    assert_string_equal(reason_english(answer.arena, lines[1].hands),
                        "a technician at the rack (reseat, clean, cable, exchange); if it stays, the vendor "
                        "(replacement, support)");
    arena_destroy(answer.arena);
}

/* Of the host's item in this place makes one of a cable. */
static void read_cable(struct answer *answer, const char *gpu, const char *metric,
                       const struct reason *measured)
{
    struct outcome *outcome = outcome_of(answer, "node3", "ecc.mode", gpu);
    struct slot *slot =
        (struct slot *)&answer->record->plan->steps.items[outcome->step].shape->slots[outcome->slot];

    outcome->measured = measured;
    *slot = (struct slot){.metric = metric, .subject = "mlx5_2", .at = "", .duty = DUTY_RECORD};
}

static void a_cable_in_the_wrong_port_is_not_said_to_be_in_the_declared_one(void **state)
{
    struct answer answer = answer_of(&(struct sample){.hosts = 8, .units = 2});
    struct host *host = (struct host *)answer.record->plan->hosts.items[2];

    (void)state;
    *list_push(answer.arena, &host->rails) =
        (struct host_rail){.hca = "mlx5_2", .switch_name = "l1r2", .port = "5"};
    assert_string_equal(port_text(answer.arena, LANGUAGE_EN, answer.view, host, "mlx5_2"),
                        "declared switch port l1r2:5");
    read_cable(&answer, "gpu0", "cabling.rail", REASON(as_declared));
    read_answer(&answer);
    assert_string_equal(port_text(answer.arena, LANGUAGE_EN, answer.view, host, "mlx5_2"),
                        "switch port l1r2:5");
    outcome_of(&answer, "node3", "cabling.rail", "mlx5_2")->measured =
        reason(answer.arena, plugged_into, reason(answer.arena, port_of_switch, "l1r3", "5"));
    read_cable(&answer, "gpu1", "cabling.neighbour", reason(answer.arena, port_of_switch, "l1r3", "5"));
    read_answer(&answer);
    assert_string_equal(port_text(answer.arena, LANGUAGE_EN, answer.view, host, "mlx5_2"),
                        "declared switch port l1r2:5, seen at l1r3 port 5");
    arena_destroy(answer.arena);
}

static void numbers_do_not_fold_over_hosts(void **state)
{
    struct answer answer = answer_of(&(struct sample){.hosts = 8, .units = 2});

    (void)state;
    fail_item(&answer, "node3", "gpu_burn.errors", "gpu4", "17", 17);
    fail_item(&answer, "node6", "gpu_burn.errors", "gpu4", "17", 17);
    read_answer(&answer);
    assert_int_equal(answer.causes.items.count, 2);
    assert_non_null(cause_of(&answer, "node3"));
    assert_non_null(cause_of(&answer, "node6"));
    arena_destroy(answer.arena);
}

/* gpu_burn of that GPU is below its limit. */
static struct outcome *miss_limit(struct answer *answer, unsigned host, unsigned gpu)
{
    struct outcome *outcome;
    double value = 30000 + 100 * host + gpu;
    const char *measured = arena_printf(answer->arena, "%g GFLOP/s", value);
    const char *name = arena_printf(answer->arena, "node%u", host);
    const char *subject = arena_printf(answer->arena, "gpu%u", gpu);

    fail_item(answer, name, "gpu_burn.gflops", subject, measured, value);
    outcome = outcome_of(answer, name, "gpu_burn.gflops", subject);
    outcome->cause =
        reason(answer->arena, expected, arena_printf(answer->arena, "gpu_burn.gflops is %s", measured),
               ">= 38000 GFLOP/s");
    return outcome;
}

static size_t cards_of_extent(const struct answer *answer, enum report_extent extent)
{
    size_t count = 0;

    for (size_t i = 0; i < answer->causes.items.count; i++)
        count += answer->causes.items.items[i].extent == extent;
    return count;
}

static void a_limit_that_nobody_meets_is_one_card(void **state)
{
    struct answer answer = answer_of(&(struct sample){.hosts = 2, .units = 1});
    const struct report_cause *cause;
    const char *problem;

    (void)state;
    for (unsigned i = 0; i < 16; i++)
        miss_limit(&answer, 1 + i / 8, i % 8);
    read_answer(&answer);
    assert_int_equal(answer.causes.items.count, 1);
    cause = &answer.causes.items.items[0];
    problem = problem_of(&answer, cause);
    assert_int_equal(cause->fail, 16);
    assert_int_equal(cause->word, OUTCOME_FAIL);
    assert_int_equal(answer.causes.to_fix, 1);
    assert_int_equal(answer.causes.fit, 0);
    assert_says(problem, "nothing that was measured meets it: all 16 GPUs of 2 hosts are below the limit: "
                         "gpu_burn.gflops is 30100 GFLOP/s to 30207 GFLOP/s, required >= 38000 GFLOP/s");
    assert_says(problem, outcome_of(&answer, "node1", "gpu_burn.gflops", "gpu0")->held->status);
    assert_says_not(advice_of(&answer, cause), "set it right");
    arena_destroy(answer.arena);
}

/* What the check itself asks for is right, whoever misses it: the limit is not put in doubt. */
static void what_the_check_asks_for_is_no_wrong_limit(void **state)
{
    struct answer answer = answer_of(&(struct sample){.hosts = 2, .units = 1});
    const struct report_cause *cause;

    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        struct outcome *outcome = miss_limit(&answer, 1 + i / 8, i % 8);
        struct held_to *held = outcome_held_own(answer.arena, outcome);

        held->status = "tool";
        held->source = reason_text(answer.arena, "assay: as long as the suite asks for");
    }
    read_answer(&answer);
    assert_int_equal(answer.causes.items.count, 1);
    cause = &answer.causes.items.items[0];
    assert_says(problem_of(&answer, cause), "all 16 GPUs of 2 hosts are below the limit");
    assert_says(advice_of(&answer, cause), "set it right");
    assert_says_not(advice_of(&answer, cause), "whether this limit fits");
    arena_destroy(answer.arena);
}

/* Who is far below its peers even so, and by that alone has failed, does not hide among all the others. */
static void an_outlier_is_not_lost_among_all_who_miss_a_limit(void **state)
{
    struct answer answer = answer_of(&(struct sample){.hosts = 2, .units = 1});
    struct outcome *outlier = NULL;

    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        struct outcome *outcome = miss_limit(&answer, 1 + i / 8, i % 8);

        outlier = i == 11 ? outcome : outlier;
    }
    outlier->cause = reason_also(answer.arena, outlier->cause,
                                 reason(answer.arena, fail_from, "gpu3 is 30% below its peers", 10.0));
    read_answer(&answer);
    assert_int_equal(answer.causes.items.count, 2);
    assert_int_equal(cards_of_extent(&answer, EXTENT_RUN), 1);
    assert_says(problem_of(&answer, cause_of(&answer, "node[1-2]")),
                "all 15 GPUs of 2 hosts, and 1 outlier that is listed separately, are below");
    assert_says(problem_of(&answer, cause_of(&answer, "node2")), "gpu3 is 30% below its peers");
    arena_destroy(answer.arena);
}

/* One GPU that meets it is enough: then the others are at fault, each. */
static void what_one_part_meets_is_no_fault_of_the_limit(void **state)
{
    struct answer answer = answer_of(&(struct sample){.hosts = 2, .units = 1});

    (void)state;
    for (unsigned i = 0; i < 15; i++)
        miss_limit(&answer, 1 + i / 8, i % 8);
    read_answer(&answer);
    assert_int_equal(cards_of_extent(&answer, EXTENT_RUN), 0);
    assert_int_equal(cards_of_extent(&answer, EXTENT_HOST), 1); /* node1, all of it */
    assert_int_equal(cards_of_extent(&answer, EXTENT_PARTS), 7);
    arena_destroy(answer.arena);
}

static void a_host_that_is_slow_as_a_whole_is_one_card(void **state)
{
    struct answer answer = answer_of(&(struct sample){.hosts = 8, .units = 2});
    const struct report_cause *cause;

    (void)state;
    for (unsigned gpu = 0; gpu < 8; gpu++)
        miss_limit(&answer, 3, gpu);
    fail_item(&answer, "node3", "dcgm.memory", "gpu4", "fail", NAN); /* this is wrong with one GPU */
    read_answer(&answer);
    assert_int_equal(answer.causes.items.count, 2);
    assert_int_equal(cards_of_extent(&answer, EXTENT_HOST), 1);
    for (size_t i = 0; i < answer.causes.items.count; i++) {
        cause = &answer.causes.items.items[i];
        assert_string_equal(reason_english(answer.arena, cause->target), "node3");
        if (cause->extent == EXTENT_HOST)
            assert_says(problem_of(&answer, cause), "all 8 GPUs of node3 are below the limit: "
                                                    "gpu_burn.gflops is 30300 GFLOP/s to 30307 GFLOP/s");
        else
            assert_string_equal(cause_part(answer.arena, LANGUAGE_EN, answer.view, answer.entries, cause),
                                "GPU 4");
    }
    assert_int_equal(answer.causes.fit, 7);
    arena_destroy(answer.arena);
}

/* Errors are no amount that a limit may be wrong about: each GPU that has them is one to look at. */
static void errors_on_all_parts_are_a_card_each(void **state)
{
    struct answer answer = answer_of(&(struct sample){.hosts = 2, .units = 1});

    (void)state;
    for (unsigned i = 0; i < 16; i++) {
        const char *host = i < 8 ? "node1" : "node2", *gpu = arena_printf(answer.arena, "gpu%u", i % 8);

        fail_item(&answer, host, "gpu_burn.errors", gpu, "17", 17);
        outcome_of(&answer, host, "gpu_burn.errors", gpu)->cause =
            reason(answer.arena, expected, arena_printf(answer.arena, "%s: %u", gpu, 10 + i), "0");
        outcome_held_own(answer.arena, outcome_of(&answer, host, "gpu_burn.errors", gpu))->gate =
            limit_gate_of_record(answer.arena, reason_text(answer.arena, "<= 0"));
    }
    read_answer(&answer);
    assert_int_equal(answer.causes.items.count, 16);
    arena_destroy(answer.arena);
}

/* One GPU that several tests complain of is one card; another GPU of the host is another. */
static void one_part_of_one_host_is_one_card(void **state)
{
    struct answer answer = answer_of(&(struct sample){.hosts = 8, .units = 2});

    (void)state;
    fail_item(&answer, "node3", "gpu_burn.errors", "gpu4", "17", 17);
    fail_item(&answer, "node3", "dcgm.memory", "gpu4", "fail", NAN);
    fail_item(&answer, "node3", "dcgm.pcie", "gpu5", "fail", NAN);
    read_answer(&answer);
    assert_int_equal(answer.causes.items.count, 2);
    for (size_t i = 0; i < 2; i++)
        if (answer.causes.items.items[i].fail == 2)
            assert_says(problem_of(&answer, &answer.causes.items.items[i]),
                        "GPU 4 computes wrong results: 17 errors in gpu_burn");
    arena_destroy(answer.arena);
}

static void a_slow_test_across_hosts_is_folded_into_whom_isolation_names(void **state)
{
    struct answer answer = answer_of(&faulty);
    const struct accusation *accusation = &answer.record->judgement.accusations[0];
    const struct step *step = &answer.record->plan->steps.items[accusation->step];
    const struct report_cause *cause;
    size_t index = 0;

    (void)state;
    /* As it would be of a host that is a member of the slow test, and so is not at fault itself. */
    answer.record->judgement.accusations[0].kind = ACCUSED_HOST;
    answer.record->judgement.accusations[0].subject = step->members[1]->name;
    answer.record->judgement.accusations[0].fast_tests = 1;
    while (answer.record->judgement.outcomes[index].step != accusation->step ||
           strstr(step->shape->slots[answer.record->judgement.outcomes[index].slot].metric, "busbw") == NULL)
        index++;
    answer.record->judgement.outcomes[index].word = OUTCOME_FAIL;
    answer.record->judgement.outcomes[index].measured = reason_text(answer.arena, "68.4 GB/s");
    answer.record->judgement.outcomes[index].value = 68.4;
    read_answer(&answer);
    cause = cause_of(&answer, step->members[1]->name);
    assert_non_null(cause);
    assert_ptr_equal(cause->accusation, accusation);
    assert_int_equal(cause->shared, 1);
    assert_int_equal(cause->fail, 1);
    assert_string_equal(problem_of(&answer, cause),
                        "slows tests across hosts in which it takes part: nccl-all-gather-cluster; "
                        "nccl-all-gather-cluster at 68.4 GB/s, required \xe2\x89\xa5 340 GB/s; "
                        "named by isolation (3 slow tests, 1 fast), chance that noise made them so: 2e-05");
    arena_destroy(answer.arena);
}

/* A wrong result in the same test is nobody's slowness: it stays a card of its own. */
static void a_wrong_result_is_not_folded_into_whom_isolation_names(void **state)
{
    struct answer answer = answer_of(&faulty);
    const struct accusation *accusation = &answer.record->judgement.accusations[0];
    const struct step *step = &answer.record->plan->steps.items[accusation->step];
    size_t index = 0, before = answer.causes.items.count;

    (void)state;
    answer.record->judgement.accusations[0].kind = ACCUSED_HOST;
    answer.record->judgement.accusations[0].subject = step->members[1]->name;
    answer.record->judgement.accusations[0].fast_tests = 1;
    while (answer.record->judgement.outcomes[index].step != accusation->step ||
           strstr(step->shape->slots[answer.record->judgement.outcomes[index].slot].metric, "wrong") == NULL)
        index++;
    answer.record->judgement.outcomes[index].word = OUTCOME_FAIL;
    answer.record->judgement.outcomes[index].measured = reason_text(answer.arena, "3");
    answer.record->judgement.outcomes[index].value = 3;
    read_answer(&answer);
    assert_int_equal(answer.causes.items.count, before + 1);
    arena_destroy(answer.arena);
}

static void what_did_not_run_is_counted_with_what_kept_it_from_running(void **state)
{
    struct answer answer = answer_of(&faulty);

    (void)state;
    assert_true(cause_of(&answer, "node5")->blocked > 100); /* all that needs the fabric manager */
    assert_int_equal(cause_of(&answer, "node3")->blocked, 3);
    assert_int_equal(cause_of(&answer, "node7")->blocked, 0);
    assert_true(answer.causes.blocked_together > 0); /* the tests over all hosts wait for each of them */
    arena_destroy(answer.arena);
}

/* What was not run on the one host was not run on the other, and in the same words. */
static void leave_untested_as(struct answer *answer, const char *host, const char *like)
{
    struct outcome *outcomes = answer->record->judgement.outcomes;
    size_t count = answer->record->judgement.outcome_count;

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < count && outcomes[i].word == OUTCOME_NOT_RUN; k++) {
            const struct step *a = &answer->record->plan->steps.items[outcomes[i].step],
                              *b = &answer->record->plan->steps.items[outcomes[k].step];

            if (a->shape != b->shape || outcomes[i].slot != outcomes[k].slot || b->member_count > 1 ||
                strcmp(a->members[0]->name, like) != 0 || strcmp(b->members[0]->name, host) != 0)
                continue;
            outcomes[k] = outcomes[i];
            outcomes[k].step = (size_t)(b - answer->record->plan->steps.items);
        }
}

/* One entry of two hosts, each of which waits for its own fault: what was not run is told by the gate, as the cards count it. */
static void what_did_not_run_on_paper_is_what_the_cards_count(void **state)
{
    struct answer answer = answer_of(&faulty);
    bool mixed = false;
    size_t *gates;

    (void)state;
    leave_untested_as(&answer, "node4", "node5");
    fail_item(&answer, "node4", "gpu.count", "", "7", 7);
    read_answer(&answer);
    gates = arena_array(answer.arena, size_t, answer.causes.items.count + 1);
    for (size_t i = 0; i < answer.entry_count; i++)
        for (size_t k = 0; answer.entries[i].word == OUTCOME_NOT_RUN && k < answer.entries[i].items; k++) {
            const struct report_entry *entry = &answer.entries[i];
            size_t cause = cause_of_unrun(&answer.causes, i, entry->outcomes[k]);

            mixed |= cause != cause_of_unrun(&answer.causes, i, entry->outcomes[0]);
            gates[cause]++;
        }
    assert_true(mixed);
    assert_int_equal(gates[0], answer.causes.blocked_together);
    for (size_t i = 0; i < answer.causes.items.count; i++)
        assert_int_equal(gates[i + 1],
                         answer.causes.items.items[i].blocked + answer.causes.items.items[i].not_run);
    arena_destroy(answer.arena);
}

static void a_waived_fault_is_not_to_be_fixed_and_is_not_forgotten(void **state)
{
    struct answer answer = answer_of(&(struct sample){.hosts = 4, .units = 1});
    struct waiver waiver = {.uuid = "w", .who = "ops", .why = "known", .until = 4e9};

    (void)state;
    fail_item(&answer, "node2", "gpu_burn.errors", "gpu4", "17", 17);
    outcome_of(&answer, "node2", "gpu_burn.errors", "gpu4")->waiver = &waiver;
    read_answer(&answer);
    assert_int_equal(answer.causes.to_fix, 0);
    assert_int_equal(answer.causes.waived, 1);
    assert_string_equal(causes_headline(answer.arena, LANGUAGE_EN, answer.view, &answer.causes),
                        "3 of 4 hosts are OK. 1 host has only faults that are waived.");
    assert_int_equal(answer.causes.states[0], HOST_FIT);
    assert_int_equal(answer.causes.states[1], HOST_WAIVED);
    fail_item(&answer, "node2", "gpu_burn.errors", "gpu5", "17", 17);
    read_answer(&answer);
    assert_int_equal(answer.causes.states[1], HOST_TO_FIX);
    assert_says(causes_headline(answer.arena, LANGUAGE_EN, answer.view, &answer.causes),
                "3 of 4 hosts are OK. Fix 1 fault. 1 fault is waived.");
    arena_destroy(answer.arena);
}

static struct outcome *leave_open(struct answer *answer, const char *host, const char *metric,
                                  const char *subject, const struct reason *cause)
{
    struct outcome *outcome = outcome_of(answer, host, metric, subject);

    assert_non_null(outcome);
    outcome->word = OUTCOME_INCONCLUSIVE;
    outcome->measured = NULL;
    outcome->value = NAN;
    outcome->cause = cause;
    return outcome;
}

/* A counter that is stuck on node2 is that of node2 in every test around which it is read. */
static void what_a_host_says_of_its_own_part_is_not_laid_at_whom_it_was_tested_with(void **state)
{
    struct answer answer = answer_of(&(struct sample){.hosts = 4, .units = 1});
    const struct reason *stuck = reason(answer.arena, symbol_errors, 30000), *of_other;
    struct outcome *shared = answer.record->judgement.outcomes;

    (void)state;
    of_other = reason(answer.arena, about, "node3 gpu4", stuck);
    leave_open(&answer, "node2", "ecc.mode", "gpu4", reason(answer.arena, expected, stuck, "yes"))->measured =
        stuck;
    while (answer.record->plan->steps.items[shared->step].member_count < 2 ||
           answer.record->plan->steps.items[shared->step].shape->slots[shared->slot].duty != DUTY_GATE)
        shared++;
    shared->word = OUTCOME_INCONCLUSIVE;
    shared->measured = NULL;
    shared->cause = reason(answer.arena, value_not_read, "window.ports",
                           reason(answer.arena, about, "node2 gpu4", stuck));
    read_answer(&answer);
    assert_int_equal(answer.causes.items.count, 1);
    assert_non_null(cause_of(&answer, "node2"));
    assert_int_equal(cause_of(&answer, "node2")->inconclusive, 2);
    /* Not where another host's, or another reason, is beside it. */
    shared->cause = reason(answer.arena, value_not_read, "window.ports", of_other);
    read_answer(&answer);
    assert_int_equal(answer.causes.items.count, 2);
    shared->cause =
        reason(answer.arena, value_not_read, "window.ports",
               reason_also(answer.arena, reason(answer.arena, about, "node2 gpu4", stuck), of_other));
    read_answer(&answer);
    assert_int_equal(answer.causes.items.count, 2);
    arena_destroy(answer.arena);
}

static void what_is_not_there_has_no_other_values(void **state)
{
    struct answer answer = answer_of(&(struct sample){.hosts = 4, .units = 1});

    (void)state;
    fail_item(&answer, "node2", "gpu_burn.verdict", "gpu4", "no", NAN);
    leave_open(&answer, "node2", "gpu_burn.gflops", "gpu4", REASON(no_value_in_whole_output));
    read_answer(&answer);
    assert_int_equal(answer.causes.items.count, 1);
    assert_int_equal(cause_of(&answer, "node2")->inconclusive, 1);
    arena_destroy(answer.arena);
}

/* Whatever else is wrong with its host. */
static void what_a_cancel_kept_from_running_waits_for_the_run_alone(void **state)
{
    struct answer answer = answer_of(&(struct sample){.hosts = 4, .units = 1});
    size_t unrun = 0;

    (void)state;
    answer.record->state = RUN_CANCELLED;
    leave_open(&answer, "node2", "ecc.mode", "gpu4", reason_text(answer.arena, "doubtful"));
    for (size_t i = 0; i < answer.record->judgement.outcome_count; i++) {
        struct outcome *outcome = &answer.record->judgement.outcomes[i];
        const struct step *step = &answer.record->plan->steps.items[outcome->step];

        if (strcmp(step->shape->suite_step, "gpu-burn") != 0 || outcome->word != OUTCOME_PASS)
            continue;
        outcome->word = OUTCOME_NOT_RUN;
        outcome->measured = NULL;
        outcome->cause = REASON(cancelled_before_it);
        unrun++;
    }
    read_answer(&answer);
    assert_int_equal(answer.causes.items.count, 2);
    for (size_t i = 0; i < answer.causes.items.count; i++) {
        const struct report_cause *cause = &answer.causes.items.items[i];

        assert_int_equal(cause->blocked, 0);
        assert_int_equal(cause->not_run, cause->resume != NULL ? unrun : 0);
    }
    arena_destroy(answer.arena);
}

static void the_headline_never_says_more_than_the_verdict(void **state)
{
    struct answer answer = answer_of(&(struct sample){.hosts = 4, .units = 1});
    const char *headline = causes_headline(answer.arena, LANGUAGE_EN, answer.view, &answer.causes);

    (void)state;
    assert_string_equal(headline, "All 4 hosts are OK.");
    /* The same outcomes in a run that accepts nothing. */
    answer.record->standing = (struct standing){RUN_TRIAL, 4, 4, 1, 2, NULL, 0};
    read_answer(&answer);
    assert_string_equal(causes_headline(answer.arena, LANGUAGE_EN, answer.view, &answer.causes),
                        "All 4 hosts passed.");
    arena_destroy(answer.arena);
    answer = answer_of(&(struct sample){.hosts = 1, .units = 1});
    assert_string_equal(causes_headline(answer.arena, LANGUAGE_EN, answer.view, &answer.causes),
                        "The host is OK.");
    arena_destroy(answer.arena);
    answer = answer_of(&faulty);
    assert_string_equal(causes_headline(answer.arena, LANGUAGE_EN, answer.view, &answer.causes),
                        "2 of 8 hosts are OK. Fix 6 faults and settle 1 open point.");
    arena_destroy(answer.arena);
}

/* The last word on each counts; where nobody says anything the hostfile's own name does, without its folder. */
static void a_run_is_called_what_people_call_it(void **state)
{
    struct answer answer = answer_of(&(struct sample){.hosts = 4, .units = 1});
    struct document *document;
    struct report_names names;

    (void)state;
    answer.record->hostfile = "/home/ops/iron.hosts";
    report_names_of(answer.arena, answer.record, &names);
    assert_string_equal(names.title, "iron.hosts");
    assert_string_equal(names.customer, "");
    document = list_push(answer.arena, &answer.record->documents);
    *document = (struct document){
        .kind = NAMES_DOCUMENT, .name = "", .bytes = slice_of("title=Iron\ncustomer=Acme = B\n")};
    answer.record->names = slice_of("title=Iron 2\n");
    report_names_of(answer.arena, answer.record, &names);
    assert_string_equal(names.title, "Iron 2");
    assert_string_equal(names.customer, "Acme = B");
    arena_destroy(answer.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(a_setting_that_is_wrong_on_several_hosts_is_one_card),
        cmocka_unit_test(a_command_names_the_gpu_and_the_output_it_is_about),
        cmocka_unit_test(a_fault_says_what_is_printed_on_its_part_and_who_acts),
        cmocka_unit_test(a_cable_in_the_wrong_port_is_not_said_to_be_in_the_declared_one),
        cmocka_unit_test(numbers_do_not_fold_over_hosts),
        cmocka_unit_test(a_limit_that_nobody_meets_is_one_card),
        cmocka_unit_test(what_the_check_asks_for_is_no_wrong_limit),
        cmocka_unit_test(an_outlier_is_not_lost_among_all_who_miss_a_limit),
        cmocka_unit_test(what_one_part_meets_is_no_fault_of_the_limit),
        cmocka_unit_test(a_host_that_is_slow_as_a_whole_is_one_card),
        cmocka_unit_test(errors_on_all_parts_are_a_card_each),
        cmocka_unit_test(one_part_of_one_host_is_one_card),
        cmocka_unit_test(a_slow_test_across_hosts_is_folded_into_whom_isolation_names),
        cmocka_unit_test(a_wrong_result_is_not_folded_into_whom_isolation_names),
        cmocka_unit_test(what_did_not_run_is_counted_with_what_kept_it_from_running),
        cmocka_unit_test(what_did_not_run_on_paper_is_what_the_cards_count),
        cmocka_unit_test(a_waived_fault_is_not_to_be_fixed_and_is_not_forgotten),
        cmocka_unit_test(what_a_host_says_of_its_own_part_is_not_laid_at_whom_it_was_tested_with),
        cmocka_unit_test(what_is_not_there_has_no_other_values),
        cmocka_unit_test(what_a_cancel_kept_from_running_waits_for_the_run_alone),
        cmocka_unit_test(the_headline_never_says_more_than_the_verdict),
        cmocka_unit_test(a_run_is_called_what_people_call_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
