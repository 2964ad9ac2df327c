/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring over many hosts against the pairs of the same run. Plan, judge and what is computed of a table are the real
 * ones; what the hosts would measure is made up here: a ring whose every step takes its time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../says_test.h"
#include "assay/judge/judge.h"
#include "assay/plan/plan_build.h"
#include "asymptote.h"

#define METRIC "nccl.all_gather.asymptotic"
#define STEP(name, more)                                                                     \
    "{\"check\": \"nccl-all-gather\", \"name\": \"" name "\", \"arguments\": {\"begin\": "   \
    "\"1G\", \"end\": \"16G\"}, \"record\": [\"nccl.all_gather.busbw\", \"nccl.*.wrong\"], " \
    "\"isolate\": false, " more "}"
#define PAIRS STEP("pairs", "\"scope\": \"pair\"")
#define ALL                                                                                               \
    STEP("all", "\"scope\": \"cluster\", \"gate\": [\"" METRIC "\"], \"limits\": [{\"metric\": \"" METRIC \
                "\", \"fraction_of_groups\": 0.9, \"source\": \"the pairs\", \"status\": \"self\"}]")
#define SUITE(steps) "{\"name\": \"s\", \"title\": \"t\", \"platform\": \"hgx-h100\", \"steps\": [" steps "]}"

static const double link_rate = 340, giga = 1e9; /* GB/s */
/* The largest with the argument "large" only: a cluster of them takes as long as all others. */
static const unsigned sizes_of_clusters[] = {4, 16, 64, 232};
static size_t sizes = ARRAY_SIZE(sizes_of_clusters) - 1;

struct fabric {
    double loss;        /* over three hosts and more, */
    double loss_of_all; /* everywhere */
    double noise;       /* standard deviation of each value, as a fraction of it */
    double step_s;      /* that each rank adds to a message */
    double slow_pair;   /* so much one pair in four loses */
};

struct world {
    struct arena *arena;
    struct plan_sources sources;
    struct record record;
    struct fabric fabric;
    unsigned short random[3];
};

static const struct suite *suite_of(struct arena *arena, const char *words, struct error *err)
{
    return *words == '{' ? suite_parse(arena, "suite", slice_of(words), err) : suite_load(arena, words, err);
}

/* suite: its text, or the name of a built-in one, of which `steps` are planned; NULL: all. */
static void world_of(struct world *world, const char *suite, const char *steps, unsigned hosts,
                     struct fabric fabric, unsigned short seed)
{
    struct plan_options options = {.run_uuid = "00000000-0000-4000-8000-000000000000"};
    struct plan_notes notes;
    struct hostlist chosen;
    struct error err = {0};
    struct plan_sources *sources = &world->sources;

    *world = (struct world){.arena = arena_create(), .fabric = fabric, .random = {seed, 2, 3}};
    sources->hostfile = hostfile_parse(
        world->arena, "hosts",
        slice_of(arena_printf(world->arena, "defaults slots=8 platform=hgx-h100\na[1-%u]\n", hosts)), &err);
    sources->suite = suite_of(world->arena, suite, &err);
    if (sources->hostfile == NULL || sources->suite == NULL)
        fail_msg("%s", err.text);
    if (steps != NULL && hostlist_expand(world->arena, steps, &chosen, &err) < 0)
        fail_msg("%s", err.text);
    options.steps = steps != NULL ? &chosen : NULL;
    sources->limits.suite = sources->suite;
    *list_push(world->arena, &sources->platforms) = platform_load(world->arena, "hgx-h100", &err);
    world->record = (struct record){.arena = world->arena, .state = RUN_ENDED};
    world->record.plan = plan_build(world->arena, sources, &options, &notes, &err);
    if (world->record.plan == NULL)
        fail_msg("%s", err.text);
}

static void world_begin(struct world *world, const char *suite, unsigned hosts, struct fabric fabric,
                        unsigned short seed)
{
    world_of(world, suite, NULL, hosts, fabric, seed);
}

/* Nearly normal: the sum of twelve. */
static double scattered(struct world *world, double value)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += erand48(world->random);
    return value * (1 + world->fabric.noise * sum);
}

static double busbw(struct world *world, const struct step *step, size_t number, double size)
{
    const struct fabric *fabric = &world->fabric;
    double rate = link_rate * (1 - fabric->loss_of_all), ranks = 8.0 * (double)step->member_count;

    if (step->member_count > 2)
        rate *= 1 - fabric->loss;
    else if (number % 4 == 0)
        rate *= 1 - fabric->slow_pair;
    return scattered(world, 1 / (1 / rate + ranks * fabric->step_s * giga / size));
}

static void attempt(struct world *world, size_t index)
{
    const struct step *step = &world->record.plan->steps.items[index];
    struct attempt *attempt = list_push(world->arena, &world->record.attempts);
    struct check_context context;

    *attempt = (struct attempt){.step = index,
                                .n = 1,
                                .uuid = "11111111-1111-4111-8111-111111111111",
                                .state = ATTEMPT_ENDED,
                                .end = ATTEMPT_RAN,
                                .boot_id = "",
                                .command = ""};
    reading_init(&attempt->reading, world->arena, "nccl-tests");
    attempt->reading.status = READING_COMPLETE;
    for (double size = 1 << 30; size <= 16.0 * (1 << 30); size *= 2) {
        struct measurement *measurement = reading_measure(&attempt->reading, "nccl.all_gather.busbw", "",
                                                          busbw(world, step, index, size), "GB/s");

        reading_at_number(&attempt->reading, measurement, "size_bytes", size);
        reading_at_text(&attempt->reading, measurement, "place", slice_of("out"));
    }
    plan_context(world->arena, &world->sources, step, &context);
    asymptote_read(&context, "all_gather", &attempt->reading);
}

static const char *english(const struct world *world, const struct reason *reason)
{
    return reason_english(world->arena, reason);
}

static const struct outcome *judged_of(struct world *world, const char *name)
{
    const struct plan *plan = world->record.plan;

    world->record.attempts.count = 0;
    for (size_t i = 0; i < plan->steps.count; i++)
        if (plan->steps.items[i].origin == ORIGIN_SUITE)
            attempt(world, i);
    judge_run(&world->record, &world->sources.limits, "22222222-2222-4222-8222-222222222222");
    for (size_t i = 0; i < world->record.judgement.outcome_count; i++) {
        const struct outcome *outcome = &world->record.judgement.outcomes[i];
        const struct shape *shape = plan->steps.items[outcome->step].shape;

        if (strcmp(shape->suite_step, name) == 0 && strcmp(shape->slots[outcome->slot].metric, METRIC) == 0)
            return outcome;
    }
    fail_msg("the step over all hosts owes no " METRIC);
    return NULL;
}

static const struct outcome *judged(struct world *world)
{
    return judged_of(world, "all");
}

struct counts {
    unsigned passes, remarks, undecided, fails;
};

static struct counts try(unsigned hosts, struct fabric fabric, unsigned trials)
{
    struct counts counts = {0};
    struct world world;

    world_begin(&world, SUITE(PAIRS ", " ALL), hosts, fabric, (unsigned short)hosts);
    for (unsigned i = 0; i < trials; i++) {
        const struct outcome *outcome = judged(&world);

        counts.fails += outcome->word == OUTCOME_FAIL;
        counts.undecided += outcome->word == OUTCOME_INCONCLUSIVE;
        counts.remarks += outcome->word == OUTCOME_PASS && outcome->remark;
        counts.passes += outcome->word == OUTCOME_PASS && !outcome->remark;
    }
    arena_destroy(world.arena);
    print_message(
        "# %u hosts, loss %g, noise %g, a step %g us: %u pass, %u remarked, %u undecided, %u fail\n", hosts,
        fabric.loss, fabric.noise, fabric.step_s * 1e6, counts.passes, counts.remarks, counts.undecided,
        counts.fails);
    return counts;
}

enum { TRIALS = 12 };
/* As src/lab/lab_model.c has its hosts: what a step takes, and how much two tests of one size differ. */
static const double usual_step = 7e-6, lab_noise = 0.0026, quiet = 0.005, noisy = 0.02;

static void a_fabric_10_percent_slow_over_many_hosts_fails_at_any_size(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizes; i++) {
        struct fabric fabric = {.loss = 0.10, .noise = quiet, .step_s = usual_step};
        struct counts counts = try(sizes_of_clusters[i], fabric, TRIALS);

        assert_in_range(counts.fails, TRIALS - 1, TRIALS);
        fabric.noise = noisy;
        counts = try(sizes_of_clusters[i], fabric, TRIALS);
        assert_in_range(counts.passes + counts.remarks, 0, 1);
    }
}

static void a_fabric_5_percent_slow_over_many_hosts_is_remarked_at_any_size(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizes; i++) {
        const struct fabric fabric = {.loss = 0.05, .noise = quiet, .step_s = usual_step};
        struct counts counts = try(sizes_of_clusters[i], fabric, TRIALS);

        assert_int_equal(counts.fails + counts.undecided, 0);
        assert_in_range(counts.remarks, TRIALS - 1, TRIALS);
    }
}

/* The built-in suite itself, by the steps that tell it. `scripts/bench sizes` does the same with a whole lab. */
static void delivery_tells_a_slow_fabric_at_any_size(void **state)
{
    static const struct {
        double loss;
        enum outcome_word word;
        bool remark;
    } rows[] = {{0, OUTCOME_PASS, false}, {0.05, OUTCOME_PASS, true}, {0.10, OUTCOME_FAIL, false}};

    (void)state;
    for (size_t i = 0; i < sizes; i++)
        for (size_t k = 0; k < ARRAY_SIZE(rows); k++) {
            const struct fabric fabric = {.loss = rows[k].loss, .noise = lab_noise, .step_s = usual_step};
            const struct outcome *outcome;
            struct world world;

            world_of(&world, "delivery", "nccl-all-gather-pairs,nccl-all-gather-cluster",
                     sizes_of_clusters[i], fabric, 11);
            outcome = judged_of(&world, "nccl-all-gather-cluster");
            print_message("# %u hosts, %g: %s\n", sizes_of_clusters[i], rows[k].loss,
                          english(&world, outcome->cause));
            assert_int_equal(outcome->word, rows[k].word);
            assert_int_equal(outcome->word == OUTCOME_PASS && outcome->remark, rows[k].remark);
            arena_destroy(world.arena);
        }
}

/* Whatever a ring's step takes, and with one pair in four slow. */
static void a_healthy_fabric_passes_at_any_size(void **state)
{
    static const double steps[] = {0, 7e-6, 30e-6};

    (void)state;
    for (size_t i = 0; i < sizes; i++)
        for (size_t k = 0; k < ARRAY_SIZE(steps); k++) {
            struct fabric fabric = {.noise = quiet, .step_s = steps[k]};
            struct counts counts = try(sizes_of_clusters[i], fabric, TRIALS);

            assert_in_range(counts.passes, TRIALS - 1, TRIALS);
            assert_int_equal(counts.fails + counts.undecided, 0);
            fabric.noise = noisy;
            counts = try(sizes_of_clusters[i], fabric, TRIALS);
            assert_int_equal(counts.fails, 0);
            assert_true(steps[k] > usual_step || counts.undecided <= 1);
        }
}

static void a_slow_pair_does_not_lower_what_many_hosts_must_reach(void **state)
{
    const struct fabric fabric = {.loss = 0.10, .noise = quiet, .step_s = usual_step, .slow_pair = 0.3};

    (void)state;
    assert_int_equal(try(16, fabric, TRIALS).fails, TRIALS);
    assert_int_equal(try(64, fabric, TRIALS).fails, TRIALS);
}

/* That is not for it to find: floors of bandwidth and of each port stand against it. */
static void a_fabric_slow_everywhere_has_no_faster_part(void **state)
{
    const struct fabric fabric = {.loss_of_all = 0.10, .noise = quiet, .step_s = usual_step};

    (void)state;
    assert_in_range(try(16, fabric, TRIALS).passes, TRIALS - 1, TRIALS);
}

static void what_was_compared_is_said_as_what_it_is(void **state)
{
    struct world world;
    const struct outcome *outcome;

    (void)state;
    world_begin(&world, SUITE(PAIRS ", " ALL), 16, (struct fabric){.loss = 0.12, .noise = 0.001}, 7);
    outcome = judged(&world);
    assert_int_equal(outcome->word, OUTCOME_FAIL);
    assert_string_equal(outcome->held->status, "self");
    assert_string_equal(english(&world, outcome->held->gate),
                        ">= 90% of the median of its own smaller groups");
    assert_string_equal(english(&world, outcome->held->source), "the pairs");
    print_message("# %s\n", english(&world, outcome->cause));
    assert_says(english(&world, outcome->cause), "% (+-0.5%) below the median 3");
    assert_says(english(&world, outcome->cause), "of 16 smaller groups; fail from 10%");
    assert_says(english(&world, outcome->remedy), "smaller groups of the same hosts are faster");
    arena_destroy(world.arena);

    world_begin(&world, SUITE(PAIRS ", " ALL), 16, (struct fabric){.loss = 0.05, .noise = 0.001}, 7);
    outcome = judged(&world);
    assert_int_equal(outcome->word, OUTCOME_PASS);
    assert_says(english(&world, outcome->cause), "remark: " METRIC " is ");
    assert_says(english(&world, outcome->cause), "of 16 smaller groups; remark from 5%");
    arena_destroy(world.arena);
}

static void without_smaller_groups_nothing_is_decided(void **state)
{
    struct world world;
    const struct outcome *outcome;

    (void)state;
    world_begin(&world, SUITE(ALL), 16, (struct fabric){.noise = quiet}, 7);
    outcome = judged(&world);
    assert_int_equal(outcome->word, OUTCOME_INCONCLUSIVE);
    assert_says(english(&world, outcome->cause),
                "only 0 smaller groups of this run have it, and 2 are needed");
    arena_destroy(world.arena);
}

/* "... is 82 GB/s, -0.2% (+-224.7%) below the median": that says nothing, and is not said. */
static void what_is_less_sure_than_it_is_large_is_told_as_no_number(void **state)
{
    enum { SEEDS = 12 };
    size_t untold = 0;

    (void)state;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        const struct outcome *outcome;
        const char *told, *number;
        struct world world;
        double below, error;

        world_begin(&world, SUITE(PAIRS ", " ALL), 4, (struct fabric){.noise = 0.3}, seed);
        outcome = judged(&world);
        told = outcome->cause != NULL ? english(&world, outcome->cause) : "";
        number = strstr(told, "% (+-");
        untold += strstr(told, "differ too much from each other") != NULL;
        while (number != NULL && number > told && number[-1] != ' ')
            number--;
        if (number != NULL) {
            assert_int_equal(sscanf(number, "%lf%% (+-%lf", &below, &error), 2);
            assert_true(error < (below < 0 ? -below : below));
        }
        arena_destroy(world.arena);
    }
    assert_true(untold > 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fabric_10_percent_slow_over_many_hosts_fails_at_any_size),
        cmocka_unit_test(a_fabric_5_percent_slow_over_many_hosts_is_remarked_at_any_size),
        cmocka_unit_test(delivery_tells_a_slow_fabric_at_any_size),
        cmocka_unit_test(a_healthy_fabric_passes_at_any_size),
        cmocka_unit_test(a_slow_pair_does_not_lower_what_many_hosts_must_reach),
        cmocka_unit_test(a_fabric_slow_everywhere_has_no_faster_part),
        cmocka_unit_test(what_was_compared_is_said_as_what_it_is),
        cmocka_unit_test(without_smaller_groups_nothing_is_decided),
        cmocka_unit_test(what_is_less_sure_than_it_is_large_is_told_as_no_number),
    };

    if (argc > 1 && strcmp(argv[1], "large") == 0)
        sizes = ARRAY_SIZE(sizes_of_clusters);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
