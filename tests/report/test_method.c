/* SPDX-License-Identifier: Apache-2.0 */
/* The method section says what the record holds, by value. */
#include "../unit_test.h"
#include "method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "assay/report/report.h"
#include "sample_record.h"

static const struct sample faulty = {.hosts = 8, .units = 2, .faults = true};
static const struct sample clean = {.hosts = 4, .units = 1};

static struct method method_of(struct arena *arena, const struct record *record)
{
    struct method method;

    method_of_run(view_create(arena, record), LANGUAGE_EN, &method);
    return method;
}

static const struct method_step *step_of(const struct method *method, const char *name)
{
    for (size_t i = 0; i < method->steps.count; i++)
        if (strcmp(method->steps.items[i].suite_step, name) == 0)
            return &method->steps.items[i];
    fail_msg("no step %s", name);
    return NULL;
}

static size_t items_by(const struct method_kinds *kinds, const char *status)
{
    for (size_t i = 0; i < kinds->items.count; i++)
        if (strcmp(kinds->items.items[i].status, status) == 0)
            return kinds->items.items[i].gates;
    return 0;
}

/* Whether a sentence under the title has it. */
static bool says(const struct method *method, enum text_key title, const char *needle)
{
    for (size_t i = 0; i < method->points.count; i++)
        if (method->points.items[i].title == title && strstr(method->points.items[i].text, needle) != NULL)
            return true;
    return false;
}

static void every_item_and_attempt_is_counted_once(void **state)
{
    struct arena *arena = arena_create();
    const struct record *record = sample_record(arena, &faulty);
    const struct method method = method_of(arena, record);
    size_t items = 0, judged = 0, all = 0, attempts = 0, made = 0, planned = 0;

    (void)state;
    for (size_t i = 0; i < record->plan->steps.count; i++)
        if (record->plan->steps.items[i].origin != ORIGIN_ISOLATE)
            planned += record->plan->steps.items[i].shape->slot_count;
    for (size_t i = 0; i < record->attempts.count; i++)
        made += record->plan->steps.items[record->attempts.items[i].step].origin != ORIGIN_ISOLATE;
    for (size_t i = 0; i < method.steps.count; i++) {
        items += method.steps.items[i].recorded;
        attempts += method.steps.items[i].attempts;
        for (size_t k = 0; k < method.steps.items[i].kinds.items.count; k++)
            judged += method.steps.items[i].kinds.items.items[k].gates;
    }
    for (size_t i = 0; i < method.kinds.items.count; i++)
        all += method.kinds.items.items[i].gates;
    assert_true(made > 0 && planned > 0);
    assert_int_equal(attempts, made);
    assert_int_equal(judged, all);
    assert_int_equal(items + judged, planned);
    assert_int_equal(all, view_create(arena, record)->coverage.gates);
    arena_destroy(arena);
}

static void count_by_kinds(const struct method *method, size_t *ret_gates, size_t *ret_recorded)
{
    *ret_gates = *ret_recorded = 0;
    for (size_t i = 0; i < method->kinds.items.count; i++) {
        *ret_gates += method->kinds.items.items[i].gates;
        *ret_recorded += method->kinds.items.items[i].recorded;
    }
}

/* A limit that looks at what is only recorded has judged nothing by it. */
static void what_a_limit_only_looks_at_is_no_gate(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &clean);
    size_t gates, recorded, gates_before, recorded_before;
    struct method method = method_of(arena, record);

    (void)state;
    count_by_kinds(&method, &gates_before, &recorded_before);
    for (size_t i = 0; i < record->judgement.outcome_count; i++) {
        struct outcome *outcome = &record->judgement.outcomes[i];
        const struct slot *slot = &record->plan->steps.items[outcome->step].shape->slots[outcome->slot];

        if (strcmp(slot->metric, "gpu_burn.temperature") == 0) {
            outcome_held_own(arena, outcome)->gate =
                limit_gate_of_record(arena, reason_text(arena, "<= 80 C"));
            outcome_held_own(arena, outcome)->status = "field";
        }
    }
    method = method_of(arena, record);
    count_by_kinds(&method, &gates, &recorded);
    assert_int_equal(gates, gates_before);
    assert_int_equal(recorded, recorded_before + 32);
    assert_int_equal(step_of(&method, "gpu-burn")->recorded, 32);
    arena_destroy(arena);
}

static void kinds_come_by_authority_and_steps_with_their_command(void **state)
{
    struct arena *arena = arena_create();
    const struct method method = method_of(arena, sample_record(arena, &clean));
    const struct method_step *burn = step_of(&method, "gpu-burn");

    (void)state;
    assert_string_equal(method.kinds.items.items[0].status, "contract");
    assert_string_equal(method.kinds.items.items[1].status, "datasheet");
    assert_string_equal(method.kinds.items.items[2].status, "vendor");
    assert_int_equal(burn->steps, 4);
    assert_int_equal(burn->attempts, 4);
    assert_int_equal(items_by(&burn->kinds, "tool"), 2 * 32);
    assert_int_equal(items_by(&burn->kinds, "provisional"), 32);
    assert_int_equal(burn->recorded, 32); /* the temperatures */
    assert_string_equal(method_kinds_text(arena, LANGUAGE_EN, burn), "provisional 32, tool 64, recorded 32");
    assert_string_equal(burn->command, "gpu_burn -tc 1800; dmesg --since -30min");
    assert_string_equal(method_targets(arena, LANGUAGE_EN, burn), "4 tests of 1 host, 4 attempts");
    assert_int_equal(step_of(&method, "nccl-all-reduce-cluster")->hosts_least, 4);
    arena_destroy(arena);
}

static const char *shown_as(const char *command)
{
    static char shown[512];
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &clean);
    struct method method;

    for (size_t i = 0; i < record->attempts.count; i++)
        for (size_t k = 0; k < record->attempts.items[i].parts.count; k++)
            record->attempts.items[i].parts.items[k].command = command;
    method = method_of(arena, record);
    snprintf(shown, sizeof shown, "%s", step_of(&method, "gpu-burn")->command);
    arena_destroy(arena);
    return shown;
}

static void a_command_is_shown_by_what_matters_of_it(void **state)
{
    (void)state;
    assert_string_equal(shown_as("# cat of settings\nfor i in *; do cat $i; done\n"), "cat of settings");
    assert_string_equal(shown_as("nvidia-smi -q -x"), "nvidia-smi -q -x"); /* two parts alike: once */
    assert_string_equal(
        shown_as(
            "v=$(mpirun --version) || exit; case $v in *4*) mca=--mca ;; esac; mpirun --allow-run-as-root "
            "-x A_LONG_NAME -x ANOTHER_LONG_NAME -x ONE_THAT_IS_LONGER -np 16 all_gather_perf -b 1G -e 16G"),
        "... mpirun ... ANOTHER_LONG_NAME -x ONE_THAT_IS_LONGER -np 16 all_gather_perf -b 1G -e 16G");
    assert_string_equal(
        shown_as("one_that_is_so_long that=nobody_would_read_the_whole_of_it_where_it_stands_alone; "
                 "and_another -b 8 -e 16G"),
        "... and_another -b 8 -e 16G");
}

static void a_command_without_blanks_is_cut_between_characters(void **state)
{
    char accents[202];

    (void)state;
    for (size_t odd = 0; odd < 2; odd++) {
        const char *cut;

        memset(accents, 'x', sizeof accents);
        for (size_t i = odd; i + 1 < sizeof accents - 1; i += 2)
            memcpy(accents + i, "\xc3\xa9", 2);
        accents[200 + odd] = '\0';
        cut = strstr(shown_as(accents), " ... ");
        assert_non_null(cut);
        assert_int_equal((unsigned char)cut[-1], 0xa9);
        assert_int_equal((unsigned char)cut[5], 0xc3);
    }
}

/* Half of the values 1% above their median and half 1% below: the MAD is 1%. */
static void set_burn(struct record *record, bool (*fails)(size_t))
{
    size_t seen = 0;

    for (size_t i = 0; i < record->judgement.outcome_count; i++) {
        struct outcome *outcome = &record->judgement.outcomes[i];
        const struct slot *slot = &record->plan->steps.items[outcome->step].shape->slots[outcome->slot];

        if (strcmp(slot->metric, "gpu_burn.gflops") != 0)
            continue;
        outcome->value = seen % 2 == 0 ? 42000 * 0.99 : 42000 * 1.01;
        if (fails(seen)) {
            outcome->word = OUTCOME_FAIL;
            outcome->value = 1;
        }
        seen++;
    }
    assert_true(seen > 0);
}

static bool none(size_t index)
{
    (void)index;
    return false;
}

static bool the_first_two(size_t index)
{
    return index < 2;
}

static bool all_but_two(size_t index)
{
    return index >= 2;
}

static void noise_is_that_of_values_that_passed(void **state)
{
    bool (*const which[])(size_t) = {none, the_first_two, all_but_two};
    const size_t values[] = {32, 30, 0};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct arena *arena = arena_create();
        struct record *record = sample_record(arena, &clean);
        struct method method;
        const struct method_noise *noise;

        set_burn(record, which[i]);
        method = method_of(arena, record);
        noise = &step_of(&method, "gpu-burn")->hosts;
        assert_int_equal(noise->values, values[i]);
        assert_int_equal(noise->rates, values[i] > 0);
        if (values[i] > 0)
            assert_true(fabs(noise->low - 0.014826) < 1e-9 && noise->low == noise->high);
        assert_string_equal(method_noise_text(arena, LANGUAGE_EN, noise), values[i] > 0 ? "1.5%" : "");
        assert_int_equal(step_of(&method, "driver")->hosts.rates, 0);
        arena_destroy(arena);
    }
}

/* One GPU in five repeats, and in one that hung: of 101 to 105 the median is 103 and the MAD 1. */
static void noise_of_repeats_is_that_of_attempts_that_ended(void **state)
{
    enum { REPEATS = 5 };
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &clean);
    struct attempt first = {0};
    struct method method;
    const struct method_noise *noise;

    (void)state;
    for (size_t i = 0; i < record->attempts.count; i++)
        if (strcmp(record->plan->steps.items[record->attempts.items[i].step].shape->suite_step, "gpu-burn") ==
            0)
            first = record->attempts.items[i];
    for (unsigned i = 1; i <= REPEATS + 1; i++) {
        struct attempt again = first;

        again.n = 1 + i;
        again.end = i <= REPEATS ? ATTEMPT_RAN : ATTEMPT_DEADLINE;
        reading_init(&again.reading, arena, "gpu_burn");
        reading_set(&again.reading, READING_COMPLETE, NULL);
        reading_measure(&again.reading, "gpu_burn.gflops", "gpu0", i <= REPEATS ? 100 + i : 1, "GFLOP/s");
        *list_push(arena, &record->attempts) = again;
    }
    method = method_of(arena, record);
    noise = &step_of(&method, "gpu-burn")->itself;
    assert_int_equal(noise->rates, 1);
    assert_int_equal(noise->values, REPEATS);
    assert_true(fabs(noise->low - 1.4826 / 103) < 1e-9);
    assert_int_equal(step_of(&method, "dcgm-diag")->itself.rates, 0);
    assert_true(says(&method, TEXT_ATTEMPTS, "48 attempts, of which 6 repeated a test"));
    arena_destroy(arena);
}

static void the_sentences_have_the_numbers_of_the_run(void **state)
{
    static const char suite[] =
        "{\"name\": \"x\", \"purpose\": \"trial\", \"cool_down\": {\"below_c\": 51, \"within_s\": 333}, "
        "\"peers\": {\"remark\": 0.03, "
        "\"fail\": 0.08}, \"steps\": [{\"check\": \"gpu-burn\", \"peers\": {\"remark\": 0.02, \"fail\": "
        "0.07}}, {\"check\": \"driver\"}]}";
    struct arena *arena = arena_create();
    struct record *record = sample_record(arena, &faulty);
    struct method method;

    (void)state;
    for (size_t i = 0; i < record->documents.count; i++)
        if (strcmp(record->documents.items[i].kind, "suite") == 0)
            record->documents.items[i].bytes = slice_of(suite);
    for (size_t i = 0; i < 2; i++)
        *list_push(arena, &record->attempts.items[0].windows) =
            (struct window){.end = i == 0 ? ATTEMPT_RAN : ATTEMPT_UNREACHABLE};
    method = method_of(arena, record);
    assert_true(says(&method, TEXT_METHOD_WINDOWS_TITLE, "after 1 attempt,"));
    assert_true(says(&method, TEXT_METHOD_WINDOWS_TITLE, "2 readings, of which 1 failed"));
    assert_true(says(&method, TEXT_METHOD_WINDOWS_TITLE, "warmer than 51 C"));
    assert_true(says(&method, TEXT_METHOD_WINDOWS_TITLE, "up to 333 s"));
    assert_true(says(&method, TEXT_METHOD_WHO_TITLE, "on login1"));
    assert_true(says(&method, TEXT_METHOD_WHO_TITLE, "ssh (libssh2 1.10.0)"));
    assert_true(says(&method, TEXT_METHOD_PEERS_TITLE, "3% below"));
    assert_true(says(&method, TEXT_METHOD_PEERS_TITLE, "8% below"));
    assert_true(says(&method, TEXT_METHOD_PEERS_TITLE, "1 step of the suite has other settings"));
    assert_true(says(&method, TEXT_METHOD_ISOLATION_TITLE, "Parts of a slow test"));
    assert_true(says(&method, TEXT_METHOD_VERSIONS_TITLE, "driver.version 535.129.03"));
    assert_true(says(&method, TEXT_METHOD_VERSIONS_TITLE, "dcgm.version 3.1.8"));
    method = method_of(arena, sample_record(arena, &clean));
    assert_true(says(&method, TEXT_METHOD_ISOLATION_TITLE, "No search"));
    assert_false(says(&method, TEXT_METHOD_ISOLATION_TITLE, "suspect"));
    /* Its suite cannot be read: nothing is said of what it asks for. */
    assert_false(says(&method, TEXT_METHOD_PEERS_TITLE, ""));
    arena_destroy(arena);
}

static void html_and_text_have_the_section(void **state)
{
    static const struct {
        const char *format, *head, *row;
    } forms[] = {
        {"html", "<section id=\"method\"", "provisional 32, tool 64, recorded 32"},
        {"text", "\nMETHOD (how this was measured)\n", "gpu-burn: 4 tests of 1 host, 4 attempts; judged by:"},
    };
    struct arena *arena = arena_create();

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        cleanup_text struct text out = {0};
        const char *section;

        text_init(&out, 64 << 20);
        report_format_find(forms[i].format)->write(sample_record(arena, &clean), LANGUAGE_EN, &out);
        section = strstr(out.bytes, forms[i].head);
        assert_non_null(section);
        assert_non_null(strstr(section, forms[i].row));
        assert_non_null(strstr(section, "gpu_burn -tc 1800"));
        assert_non_null(strstr(section, "agreed by the parties"));
    }
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_and_attempt_is_counted_once),
        cmocka_unit_test(what_a_limit_only_looks_at_is_no_gate),
        cmocka_unit_test(kinds_come_by_authority_and_steps_with_their_command),
        cmocka_unit_test(a_command_is_shown_by_what_matters_of_it),
        cmocka_unit_test(a_command_without_blanks_is_cut_between_characters),
        cmocka_unit_test(noise_is_that_of_values_that_passed),
        cmocka_unit_test(noise_of_repeats_is_that_of_attempts_that_ended),
        cmocka_unit_test(the_sentences_have_the_numbers_of_the_run),
        cmocka_unit_test(html_and_text_have_the_section),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
