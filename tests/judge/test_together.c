/* SPDX-License-Identifier: Apache-2.0 */
/* Several runs judged as one: what is asked of the hosts of all of them, what stays a run's own, and who may not be among them. */
#include <string.h>

#include "../says_test.h"
#include "handmade.h"
#include "truth_fleet.h"

enum { FIRST = 1000, SECOND = 2000 }; /* their numbers */

/* Two runs, each of two hosts that are there and do well. */
struct two {
    struct arena *arena;
    struct record *runs[2];
};

static const char *const names[2][2] = {{"n1", "n2"}, {"n3", "n4"}};

static struct record *healthy(struct arena *arena, const char *const *hosts, double began)
{
    struct record *record =
        handmade_run(arena, arena_printf(arena, "%s:u1 %s:u1", hosts[0], hosts[1]), began);

    for (size_t i = 0; i < 2; i++) {
        handmade_try(record, "burn", hosts[i], 12);
        handmade_try(record, "ports", hosts[i], 12);
    }
    handmade_try(record, "ring", hosts[0], 12);
    return record;
}

static struct two two_runs(void)
{
    struct arena *arena = arena_create();

    return (struct two){arena, {healthy(arena, names[0], FIRST), healthy(arena, names[1], SECOND)}};
}

static void judge_two(const struct two *two)
{
    static const struct suite suite;
    static const struct run_limits limits = {.suite = &suite};

    judge_together((const struct judged_run[]){{two->runs[0], &limits, "judgement 1"},
                                               {two->runs[1], &limits, "judgement 2"}},
                   2);
}

/* What the ports of that host of the run say of themselves, by this rule. */
static void say(const struct two *two, size_t run, size_t host, const struct limit *rule, const char *text)
{
    struct record *record = two->runs[run];
    size_t index = handmade_step(record->plan, "ports", record->plan->hosts.items[host]->name);
    struct slot *slot = &record->plan->steps.items[index].shape->slots[1];

    slot->own = rule;
    slot->own_count = 1;
    for (size_t i = 0; i < record->attempts.count; i++)
        if (record->attempts.items[i].step == index)
            record->attempts.items[i].reading.facts.items[0].value = text;
}

static const struct outcome *port_of(const struct two *two, size_t run, size_t host)
{
    const struct record *record = two->runs[run];
    size_t index = handmade_step(record->plan, "ports", record->plan->hosts.items[host]->name);

    for (size_t i = 0; i < record->judgement.outcome_count; i++)
        if (record->judgement.outcomes[i].step == index && record->judgement.outcomes[i].slot == 1)
            return &record->judgement.outcomes[i];
    fail_msg("host %zu of run %zu has no outcome", host, run);
    return NULL;
}

static void assert_port(const struct two *two, size_t run, size_t host, enum outcome_word word,
                        const char *words)
{
    const struct outcome *outcome = port_of(two, run, host);
    const char *cause = reason_english(two->arena, outcome->cause);

    if (outcome->word != word || !says(cause, words))
        fail_msg("host %zu of run %zu: %s, '%s'; expected %s with '%s'", host, run,
                 outcome_name(outcome->word), cause, outcome_name(word), words);
}

static enum verdict_word verdict_of(const struct two *two, size_t run)
{
    return two->runs[run]->judgement.verdicts[0].word;
}

static const struct limit
    same = {.metric = "firmware", .rule = RULE_SAME, .source = "by hand", .status = LIMIT_TOOL},
    once = {.metric = "firmware", .rule = RULE_DISTINCT, .source = "by hand", .status = LIMIT_TOOL},
    once_but_untold = {.metric = "firmware",
                       .rule = RULE_DISTINCT,
                       .text = "none|module",
                       .source = "by hand",
                       .status = LIMIT_TOOL},
    of_rack = {.metric = "firmware", .rule = RULE_RACK, .source = "by hand", .status = LIMIT_TOOL},
    near = {.metric = "firmware",
            .rule = RULE_NEAR,
            .value = 2,
            .unit = "s",
            .source = "by hand",
            .status = LIMIT_TOOL};

static void the_odd_one_of_two_hosts_is_named_by_those_of_the_other_run(void **state)
{
    struct two two = two_runs();

    (void)state;
    say(&two, 0, 1, &same, "28.2");
    handmade_judge(two.runs[0]);
    assert_port(&two, 0, 0, OUTCOME_FAIL, "do not agree on one value: 1 x 28.1, 1 x 28.2");
    assert_port(&two, 0, 1, OUTCOME_FAIL, "do not agree on one value");
    judge_two(&two);
    assert_port(&two, 0, 0, OUTCOME_PASS, "");
    assert_port(&two, 0, 1, OUTCOME_FAIL, "firmware is 28.2, while most hosts have 28.1");
    assert_port(&two, 1, 0, OUTCOME_PASS, "");
    assert_port(&two, 1, 1, OUTCOME_PASS, "");
    assert_int_equal(verdict_of(&two, 0), VERDICT_REJECT);
    assert_int_equal(verdict_of(&two, 1), VERDICT_ACCEPT);
    arena_destroy(two.arena);
}

static void each_judgement_says_with_which_runs_it_was_made(void **state)
{
    struct two two = two_runs();
    char alone[SHA256_HEX_SIZE];

    (void)state;
    handmade_judge(two.runs[0]);
    assert_string_equal(reason_english(two.arena, two.runs[0]->judgement.baselines), "none");
    memcpy(alone, two.runs[0]->judgement.inputs, sizeof alone);
    judge_two(&two);
    assert_string_equal(reason_english(two.arena, two.runs[0]->judgement.baselines),
                        "none; judged as one with run 2000 (run at 2000)");
    assert_string_equal(reason_english(two.arena, two.runs[1]->judgement.baselines),
                        "none; judged as one with run 1000 (run at 1000)");
    assert_string_equal(two.runs[0]->judgement.uuid, "judgement 1");
    assert_string_not_equal(two.runs[0]->judgement.inputs, alone);
    arena_destroy(two.arena);
}

static void what_may_exist_once_is_found_in_two_runs(void **state)
{
    struct two two = two_runs();

    (void)state;
    for (size_t i = 0; i < 4; i++)
        say(&two, i / 2, i % 2, &once, arena_printf(two.arena, "serial %zu", i % 3));
    handmade_judge(two.runs[0]);
    assert_int_equal(verdict_of(&two, 0), VERDICT_ACCEPT);
    judge_two(&two);
    assert_port(&two, 0, 0, OUTCOME_FAIL, "firmware is shared with mlx5_0 on n4 of run 2000");
    assert_port(&two, 0, 1, OUTCOME_PASS, "");
    assert_port(&two, 1, 0, OUTCOME_PASS, "");
    assert_port(&two, 1, 1, OUTCOME_FAIL, "firmware is shared with mlx5_0 on n1 of run 1000");
    arena_destroy(two.arena);
}

static void of_many_that_have_it_too_a_few_are_named(void **state)
{
    struct arena *arena = arena_create();
    struct two two = {
        arena,
        {healthy(arena, names[0], FIRST), handmade_run(arena, "a:u a1:u a2:u a3:u a4:u a5:u", SECOND)}};

    (void)state;
    say(&two, 0, 0, &once, "x");
    say(&two, 0, 1, &once, "y");
    for (size_t i = 0; i < 6; i++) {
        handmade_try(two.runs[1], "ports", two.runs[1]->plan->hosts.items[i]->name, 12);
        say(&two, 1, i, &once, "x");
    }
    judge_two(&two);
    assert_port(&two, 0, 0, OUTCOME_FAIL, "of run 2000 (and 2 more)");
    assert_port(&two, 0, 1, OUTCOME_PASS, "");
    assert_port(&two, 1, 0, OUTCOME_FAIL, " mlx5_0, mlx5_0 on n1 of run 1000");
    arena_destroy(arena);
}

enum { MANY = 300 };

/* All of them say the same of themselves. */
static struct two many_that_say(const struct limit *rule, const char *text)
{
    struct arena *arena = arena_create();
    struct two two = {arena, {healthy(arena, names[0], FIRST)}};
    const char *hosts = "";

    for (int i = 0; i < MANY; i++)
        hosts = arena_printf(arena, "%s a%d:u%d", hosts, i, i);
    two.runs[1] = handmade_run(arena, hosts, SECOND);
    for (size_t i = 0; i < MANY; i++) {
        handmade_try(two.runs[1], "ports", two.runs[1]->plan->hosts.items[i]->name, 12);
        say(&two, 1, i, rule, text);
    }
    return two;
}

static void of_many_of_its_own_run_a_few_are_named(void **state)
{
    struct two two = many_that_say(&once, "x");
    size_t before = arena_used(two.arena);

    (void)state;
    handmade_judge(two.runs[1]);
    assert_port(&two, 1, 0, OUTCOME_FAIL,
                "firmware is shared with a1 mlx5_0, a2 mlx5_0, a3 mlx5_0, a4 mlx5_0, ");
    assert_port(&two, 1, 0, OUTCOME_FAIL, ", a15 mlx5_0, a16 mlx5_0 (and 283 more)");
    assert_port(&two, 1, MANY - 1, OUTCOME_FAIL, ", a15 mlx5_0 (and 283 more)");
    assert_true(arena_used(two.arena) - before < MANY * 8192);
    arena_destroy(two.arena);
}

static void what_any_number_may_have_is_shared_with_nobody(void **state)
{
    static const char *const told[] = {"none", "module"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(told); i++) {
        struct two two = many_that_say(&once_but_untold, told[i]);
        size_t before = arena_used(two.arena);

        handmade_judge(two.runs[1]);
        assert_true(arena_used(two.arena) - before < MANY * 8192);
        for (size_t k = 0; k < MANY; k++)
            assert_port(&two, 1, k, OUTCOME_PASS, "");
        arena_destroy(two.arena);
    }
}

static void a_clock_is_read_beside_its_own_controller(void **state)
{
    static const char *const off = "39.9 to 40.1 s", *const right = "-0.1 to 0.1 s";
    struct two two = two_runs();
    size_t remarks[2] = {0};

    (void)state;
    for (size_t i = 0; i < 4; i++)
        say(&two, i / 2, i % 2, &near, i < 2 ? off : right);
    judge_two(&two);
    for (size_t i = 0; i < 4; i++) {
        assert_port(&two, i / 2, i % 2, OUTCOME_PASS, "");
        remarks[i / 2] += port_of(&two, i / 2, i % 2)->remark;
    }
    assert_int_equal(remarks[0], 1);
    assert_int_equal(remarks[1], 0);
    assert_port(&two, 0, 0, OUTCOME_PASS, "it is the controller's clock that is");
    arena_destroy(two.arena);
}

static void in_racks(const struct two *two, const char *const *values)
{
    for (size_t i = 0; i < 4; i++) {
        ((struct host *)two->runs[i / 2]->plan->hosts.items[i % 2])->rack = "r1";
        say(two, i / 2, i % 2, &of_rack, values[i]);
    }
    judge_two(two);
}

static void racks_of_one_name_in_two_runs_are_two(void **state)
{
    struct two apart = two_runs(), joined = two_runs();

    (void)state;
    in_racks(&apart, (const char *const[]){"a", "a", "b", "b"});
    for (size_t i = 0; i < 4; i++)
        assert_port(&apart, i / 2, i % 2, OUTCOME_PASS, "");
    in_racks(&joined, (const char *const[]){"a", "a", "a", "a"});
    assert_port(&joined, 0, 0, OUTCOME_FAIL, "which most hosts of rack r1 of run 2000 have too");
    assert_port(&joined, 1, 1, OUTCOME_FAIL, "which most hosts of rack r1 of run 1000 have too");
    arena_destroy(apart.arena);
    arena_destroy(joined.arena);
}

static void what_a_step_needs_is_a_step_of_its_own_run(void **state)
{
    struct two two = two_runs();
    struct record *second = two.runs[1];
    size_t need = handmade_step(second->plan, "burn", "n3");
    struct step *step = &second->plan->steps.items[handmade_step(second->plan, "ports", "n3")];
    size_t kept = 0;

    (void)state;
    step->needs = &need;
    step->need_count = 1;
    for (size_t i = 0; i < second->attempts.count; i++)
        if (strcmp(second->plan->steps.items[second->attempts.items[i].step].members[0]->name, "n3") != 0)
            second->attempts.items[kept++] = second->attempts.items[i];
    second->attempts.count = kept;
    judge_two(&two);
    assert_port(&two, 1, 0, OUTCOME_NOT_RUN, "needs burn on n3, which did not run");
    assert_int_equal(verdict_of(&two, 0), VERDICT_ACCEPT);
    assert_int_equal(verdict_of(&two, 1), VERDICT_INCOMPLETE);
    arena_destroy(two.arena);
}

/* Another party may have written that its plan is like ours. */
static void a_plan_that_only_says_it_is_the_same_takes_no_item_away(void **state)
{
    for (size_t forged = 0; forged < 2; forged++) {
        struct two two = two_runs();
        struct record *other = two.runs[forged];
        size_t index = handmade_step(other->plan, "ports", other->plan->hosts.items[0]->name);
        struct shape *shape = (struct shape *)other->plan->steps.items[index].shape;

        say(&two, 1 - forged, 1, &same, "28.2");
        shape->slot_count = 1;
        judge_two(&two);
        assert_int_equal(other->judgement.outcome_count, 4 + 2 + 1);
        assert_int_equal(two.runs[1 - forged]->judgement.outcome_count, 4 + 4 + 1);
        assert_port(&two, 1 - forged, 1, OUTCOME_FAIL, "do not agree on one value");
        arena_destroy(two.arena);
    }
    (void)state;
}

/* -- Peers --------------------------------------------------------------------------------------------------------- */

static size_t stand_out(const struct judgement *judgement)
{
    size_t count = 0;

    for (size_t i = 0; i < judgement->outcome_count; i++)
        count += outcome_stands_out(&judgement->outcomes[i]);
    return count;
}

static void a_slow_gpu_is_found_beside_those_of_the_other_run(void **state)
{
    static const char *const steps[] = {"p2p-bandwidth", NULL};
    static const struct truth_scatter scatter = {.noise = 0.005};
    struct arena *arena = arena_create();
    struct truth_fleet fleets[2];
    struct judged_run runs[2];
    uint64_t random = 1;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        truth_fleet_make(arena, 4, 0, "delivery", steps, &fleets[i]);
        truth_fleet_draw(&fleets[i], &scatter, &random);
        fleets[i].parts.items[5].loss = i == 0 ? 0.08 : 0;
        truth_fleet_judge(&fleets[i], arena);
        assert_int_equal(stand_out(&fleets[i].judgement), 0);
        fleets[i].run.record.number = FIRST + (long long)i;
        fleets[i].run.record.uuid = i == 0 ? "one" : "two";
        runs[i] = (struct judged_run){&fleets[i].run.record, &fleets[i].run.sources.limits, "joint"};
    }
    judge_together(runs, 2);
    assert_true(stand_out(&runs[0].record->judgement) > 0);
    assert_int_equal(stand_out(&runs[1].record->judgement), 0);
    for (size_t i = 0; i < runs[0].record->judgement.outcome_count; i++) {
        const struct outcome *outcome = &runs[0].record->judgement.outcomes[i];

        if (outcome_stands_out(outcome))
            assert_string_equal(reason_english(arena, outcome->held->source),
                                "7 siblings in the 2 runs that were judged as one");
    }
    arena_destroy(arena);
}

/* -- One machine in two runs --------------------------------------------------------------------------------------- */

enum { GPUS = 4 };

/* Its GPUs from that number on; none: nobody looked. */
static void see_gpus(struct record *record, size_t host, size_t first)
{
    for (size_t i = 0; i < GPUS; i++)
        handmade_see(record, &record->attempts.items[2 * host], "nvidia-smi", "gpu.uuid",
                     arena_printf(record->arena, "gpu%zu", i),
                     arena_printf(record->arena, "GPU-%zu", first + i));
}

static void see_chassis(struct record *record, size_t host, const char *serial)
{
    handmade_see(record, &record->attempts.items[2 * host], "dmidecode", "chassis.serial", "", serial);
}

static void assert_machines(const struct two *two, const char *refused)
{
    struct judged_run runs[] = {{.record = two->runs[0]}, {.record = two->runs[1]}};
    struct error err = {0};
    int result = judge_same_machine(runs, 2, &err);

    for (size_t i = 0; i < 2; i++) { /* of some runs, with one after the other: the same answer */
        const struct record *const kept[] = {two->runs[i]};
        const struct judged_run both[] = {{.record = two->runs[i]}, {.record = two->runs[1 - i]}};
        struct error why = {0};

        assert_int_equal(judge_has_machine_of(judge_machines(two->arena, kept, 1), two->runs[1 - i]),
                         judge_same_machine(both, 2, &why) < 0);
    }
    if (refused == NULL && result < 0)
        fail_msg("refused: %s", err.text);
    if (refused != NULL && (result == 0 || strstr(err.text, refused) == NULL))
        fail_msg("'%s' does not say '%s'", err.text, refused);
}

static void a_machine_that_is_in_two_runs_is_refused_by_name(void **state)
{
    struct two two = two_runs();

    (void)state;
    assert_machines(&two, NULL); /* nothing is known of them, and their names differ */
    see_gpus(two.runs[0], 0, 0);
    see_gpus(two.runs[1], 1, 3); /* one GPU of four: that is for the judge */
    assert_machines(&two, NULL);
    see_gpus(two.runs[1], 0, 1);
    assert_machines(&two, "n1 of run 1000 and n3 of run 2000 are one machine, by its GPUs; a machine counts "
                          "once: give only the later run, 2000");
    arena_destroy(two.arena);
}

static void hosts_of_one_name_are_two_machines_where_their_hardware_says_so(void **state)
{
    for (size_t known = 0; known < 4; known++) {
        struct arena *arena = arena_create();
        struct two two = {arena, {healthy(arena, names[0], FIRST), healthy(arena, names[0], SECOND)}};

        for (size_t i = 0; i < 4; i++) {
            if (known == 1)
                see_gpus(two.runs[i / 2], i % 2, GPUS * i);
            if (known > 1)
                see_chassis(two.runs[i / 2], i % 2,
                            arena_printf(arena, "serial%zu", 1 + (known == 2 ? i : i % 2)));
        }
        assert_machines(&two, known == 0   ? "may be one machine"
                              : known == 3 ? "are one machine, by its name and chassis"
                                           : NULL);
        arena_destroy(arena);
    }
    (void)state;
}

/* In the first run two GPUs were seen at two places each, and of the later run's four these are two: two of two are shared. */
static void gpus_that_changed_their_numbers_are_counted_once(void **state)
{
    static const char *const places[][2] = {
        {"gpu0", "GPU-0"}, {"gpu1", "GPU-1"}, {"gpu0", "GPU-1"}, {"gpu1", "GPU-0"}};
    struct two two = two_runs();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(places); i++)
        handmade_see(two.runs[0], &two.runs[0]->attempts.items[0], "nvidia-smi", "gpu.uuid", places[i][0],
                     places[i][1]);
    see_gpus(two.runs[1], 0, 0);
    assert_machines(&two, "n1 of run 1000 and n3 of run 2000 are one machine, by its GPUs");
    arena_destroy(two.arena);
}

/* The board with all its GPUs was exchanged between the two runs. */
static void a_machine_with_other_gpus_is_known_by_name_and_chassis(void **state)
{
    struct arena *arena = arena_create();
    struct two two = {arena, {healthy(arena, names[0], FIRST), healthy(arena, names[0], SECOND)}};

    (void)state;
    for (size_t i = 0; i < 4; i++) { /* both hosts of a run are in the chassis */
        see_gpus(two.runs[i / 2], i % 2, GPUS * i);
        see_chassis(two.runs[i / 2], i % 2, "serial1");
    }
    assert_machines(&two, "are one machine, by its name and chassis");
    arena_destroy(arena);
}

/* Of three runs that are kept one has it; the others' parts and names stand between. */
static void a_machine_of_any_of_several_runs_is_known(void **state)
{
    for (size_t which = 0; which < 4; which++) {
        struct arena *arena = arena_create();
        struct record *kept[] = {healthy(arena, names[0], FIRST), healthy(arena, names[0], SECOND),
                                 healthy(arena, names[0], SECOND + 1)};
        struct record *other = healthy(arena, names[1], SECOND + 2);
        const struct machines *machines;

        for (size_t i = 0; i < ARRAY_SIZE(kept); i++)
            for (size_t host = 0; host < 2; host++)
                see_gpus(kept[i], host, GPUS * (2 * i + host));
        see_gpus(other, 0, 100);
        see_gpus(other, 1, which < 3 ? GPUS * 2 * which + 1 : 200); /* three of four, of the first host */
        machines = judge_machines(arena, (const struct record *const *)kept, ARRAY_SIZE(kept));
        assert_int_equal(judge_has_machine_of(machines, other), which < 3);
        arena_destroy(arena);
    }
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_odd_one_of_two_hosts_is_named_by_those_of_the_other_run),
        cmocka_unit_test(each_judgement_says_with_which_runs_it_was_made),
        cmocka_unit_test(what_may_exist_once_is_found_in_two_runs),
        cmocka_unit_test(of_many_that_have_it_too_a_few_are_named),
        cmocka_unit_test(of_many_of_its_own_run_a_few_are_named),
        cmocka_unit_test(what_any_number_may_have_is_shared_with_nobody),
        cmocka_unit_test(a_clock_is_read_beside_its_own_controller),
        cmocka_unit_test(racks_of_one_name_in_two_runs_are_two),
        cmocka_unit_test(what_a_step_needs_is_a_step_of_its_own_run),
        cmocka_unit_test(a_plan_that_only_says_it_is_the_same_takes_no_item_away),
        cmocka_unit_test(a_slow_gpu_is_found_beside_those_of_the_other_run),
        cmocka_unit_test(a_machine_that_is_in_two_runs_is_refused_by_name),
        cmocka_unit_test(gpus_that_changed_their_numbers_are_counted_once),
        cmocka_unit_test(a_machine_of_any_of_several_runs_is_known),
        cmocka_unit_test(hosts_of_one_name_are_two_machines_where_their_hardware_says_so),
        cmocka_unit_test(a_machine_with_other_gpus_is_known_by_name_and_chassis),
    };

    return cmocka_run_group_tests_name("together", tests, NULL, NULL);
}
