/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A slow test across hosts and what follows it: plan, judge and search are the real ones; what the hosts would
 * measure is made up here, from whom the test names.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../unit_test.h"
#include "assay/judge/judge.h"
#include "assay/plan/plan_build.h"

enum { HOSTS = 16, LEAF = 4, ROUNDS = 80 };
/* How long a round takes, and the run lies still after the second. */
enum { ROUND_S = 120, PAUSE_S = 86400 };
static const double line_rate = 360, alone_rate = 480; /* GB/s */

#define PLATFORM                                                                                     \
    "{\"name\": \"duo\", \"title\": \"two GPUs\", \"source\": \"test\", \"gpus\": {\"count\": 2, "   \
    "\"models\": [\"T\"], \"pci_ids\": [\"10de:2330\"]}, \"nvlink\": {\"links\": 0}, \"nvswitch\": " \
    "false, \"fabric_state\": false, \"driver_minimum\": \"525.60.13\"}"
#define RAILED                                                                                               \
    "{\"name\": \"railed\", \"title\": \"two GPUs\", \"source\": \"test\", \"gpus\": {\"count\": 2, "        \
    "\"models\": [\"T\"], \"pci_ids\": [\"10de:2330\"]}, \"nvlink\": {\"links\": 0}, \"nvswitch\": "         \
    "false, \"fabric_state\": false, \"driver_minimum\": \"525.60.13\", \"hcas\": {\"names\": [\"mlx5_0\", " \
    "\"mlx5_1\"], \"gbits\": 4000}}"
#define STEP(name, floor, more)                                                                        \
    "{\"check\": \"nccl-all-reduce\", \"name\": \"" name "\", \"scope\": \"cluster\", \"arguments\": " \
    "{\"begin\": \"4G\", \"end\": \"8G\"}, \"sizes_judged\": [\"8G\"], \"limits\": [{\"metric\": "     \
    "\"nccl.all_reduce.busbw\", \"floor\": " floor                                                     \
    ", \"unit\": \"GB/s\", \"source\": \"site\", \"status\": "                                         \
    "\"contract\"}]" more "}"
#define SUITE(steps) "{\"name\": \"s\", \"title\": \"t\", \"platform\": \"duo\", \"steps\": [" steps "]}"

/* What is wrong; numbers of hosts from 0, -1: nothing. */
struct faults {
    int slow_host, slow_inside, hanging_host;
    int path[2];
    int leaf;
    double
        oversubscription; /* the uplinks of a leaf carry its hosts' traffic divided by this; 0: all of it */
    double scatter;       /* standard deviation of all values, as a fraction of them */
    int lost_host; /* it drops out of the search in this round: no test with it is begun from then on */
    unsigned lost_in_round;
    bool lost_says;    /* and the first that should begin on it finds that out */
    const char *rail;  /* the slow host is so over this rail only; NULL: whenever others take part */
    double slow_share; /* of the bandwidth it keeps so much; 0: 0.8 */
    bool lacks_row;    /* every test ends well, and its table lacks the row */
    double busy;       /* each second host loses up to this fraction in each test, to what else runs there */
};
static const struct faults none = {
    .slow_host = -1, .slow_inside = -1, .hanging_host = -1, .path = {-1, -1}, .leaf = -1, .lost_host = -1};

struct world {
    struct arena *arena;
    struct plan_sources sources;
    struct record record;
    struct error err;
    struct faults faults;
    unsigned rounds;
    unsigned short random[3];
};

static void world_begin_with(struct world *world, const char *hosts, const char *suite, struct faults faults)
{
    struct plan_options options = {.run_uuid = "00000000-0000-4000-8000-000000000000"};
    struct plan_notes notes;
    struct plan_sources *sources = &world->sources;

    *world = (struct world){.arena = arena_create(), .faults = faults};
    sources->hostfile = hostfile_parse(world->arena, "hosts", slice_of(hosts), &world->err);
    sources->suite = suite_parse(world->arena, "suite", slice_of(suite), &world->err);
    if (sources->hostfile == NULL || sources->suite == NULL)
        fail_msg("%s", world->err.text);
    sources->limits.suite = sources->suite;
    *list_push(world->arena, &sources->platforms) =
        platform_parse(world->arena, "platform", slice_of(PLATFORM), &world->err);
    *list_push(world->arena, &sources->platforms) =
        platform_parse(world->arena, "platform", slice_of(RAILED), &world->err);
    world->record = (struct record){.arena = world->arena, .state = RUN_ENDED};
    world->record.plan = plan_build(world->arena, sources, &options, &notes, &world->err);
    if (world->record.plan == NULL)
        fail_msg("%s", world->err.text);
}

static void world_begin(struct world *world, const char *suite, struct faults faults)
{
    world_begin_with(world, "a[1-4] leaf=l1\na[5-8] leaf=l2\na[9-12] leaf=l3\na[13-16] leaf=l4\n", suite,
                     faults);
}

static bool has(const struct step *step, int number)
{
    for (size_t i = 0; number >= 0 && i < step->member_count; i++)
        if (atoi(step->members[i]->name + 1) == number + 1)
            return true;
    return false;
}

static size_t place_of_number(const struct step *step, int number)
{
    size_t i = 0;

    while (atoi(step->members[i]->name + 1) != number + 1)
        i++;
    return i;
}

/* Members on the leaf, and whether there are others. */
static size_t on_leaf(const struct step *step, int leaf, bool *ret_crosses)
{
    size_t count = 0;

    for (size_t i = 0; i < step->member_count; i++)
        count += (atoi(step->members[i]->name + 1) - 1) / LEAF == leaf;
    *ret_crosses = count < step->member_count;
    return count;
}

static bool is_over(const struct step *step, const char *rail)
{
    return rail == NULL || strcmp(step->shape->variant, rail) == 0;
}

static double busbw(const struct world *world, const struct step *step)
{
    const struct faults *faults = &world->faults;
    double share = 1;

    if (has(step, faults->slow_inside))
        share = 0.8;
    if (step->member_count == 1)
        return alone_rate * share;
    if ((has(step, faults->slow_host) && is_over(step, faults->rail)) ||
        (has(step, faults->path[0]) && has(step, faults->path[1])))
        share = fmin(share, faults->slow_share > 0 ? faults->slow_share : 0.8);
    for (int leaf = 0; leaf < HOSTS / LEAF; leaf++) {
        bool crosses;
        size_t senders = on_leaf(step, leaf, &crosses);

        if (senders > 0 && crosses && faults->oversubscription > 0)
            share = fmin(share, LEAF / faults->oversubscription / (double)senders);
        if (senders > 0 && crosses && leaf == faults->leaf)
            share *= 0.8;
    }
    return line_rate * share * (step->member_count == 2 ? 1.25 : 1); /* pairs are faster than many */
}

/* Nearly normal: the sum of twelve. */
static double scattered(struct world *world, double value)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += erand48(world->random);
    return value * (1 + world->faults.scatter * sum);
}

/* Nobody is faster than the slowest of them lets him be. */
static double kept_busy(struct world *world, const struct step *step, double value)
{
    double most = 0;

    for (int host = 0; host < HOSTS; host += 2)
        if (has(step, host))
            most = fmax(most, world->faults.busy * erand48(world->random));
    return value * (1 - most);
}

/* Whether no attempt of the step is made because of the host that drops out. */
static bool is_skipped(const struct world *world, const struct step *step)
{
    const struct faults *faults = &world->faults;

    return step->round >= faults->lost_in_round && step->round > 0 && has(step, faults->lost_host) &&
           !(faults->lost_says && step->round == faults->lost_in_round);
}

static void attempt(struct world *world, size_t index)
{
    const struct step *step = &world->record.plan->steps.items[index];
    struct attempt *attempt =
        is_skipped(world, step) ? NULL : list_push(world->arena, &world->record.attempts);
    bool is_lost =
        step->round > 0 && step->round >= world->faults.lost_in_round && has(step, world->faults.lost_host);
    bool hangs = has(step, world->faults.hanging_host) && step->member_count > 1;

    if (attempt == NULL)
        return;
    *attempt = (struct attempt){.step = index,
                                .n = 1,
                                .uuid = "11111111-1111-4111-8111-111111111111",
                                .state = ATTEMPT_ENDED,
                                .end = hangs ? ATTEMPT_DEADLINE : ATTEMPT_RAN,
                                .boot_id = "",
                                .command = ""};
    attempt->sent = 1000 + (double)world->rounds * ROUND_S + (world->rounds > 1 ? PAUSE_S : 0);
    attempt->ended = attempt->sent + ROUND_S;
    reading_init(&attempt->reading, world->arena, "nccl-tests");
    if (is_lost) /* it was found before the test began, in the reading of its counters */
        *list_push(world->arena, &attempt->windows) =
            (struct window){.member = place_of_number(step, world->faults.lost_host),
                            .role = WINDOW_BEFORE,
                            .end = ATTEMPT_UNREACHABLE,
                            .what = reason_text(world->arena, "no route to host"),
                            .boot_id = ""};
    if (is_lost)
        attempt->end = ATTEMPT_CANCELLED;
    if (hangs || is_lost)
        return;
    if (world->faults.lacks_row) {
        reading_set(&attempt->reading, READING_PARTIAL,
                    reason_text(world->arena, "the row of 8589934592 bytes is missing"));
        return;
    }
    attempt->reading.status = READING_COMPLETE;
    for (size_t i = 0; i < step->shape->slot_count; i++) {
        const struct slot *slot = &step->shape->slots[i];
        struct measurement *measurement;

        if (slot->size_bytes == 0)
            continue;
        measurement = reading_measure(&attempt->reading, slot->metric, slot->subject,
                                      strstr(slot->metric, "busbw") != NULL
                                          ? kept_busy(world, step, scattered(world, busbw(world, step)))
                                          : 0,
                                      strstr(slot->metric, "busbw") != NULL ? "GB/s" : "count");
        reading_at_number(&attempt->reading, measurement, "size_bytes", slot->size_bytes);
        reading_at_text(&attempt->reading, measurement, "place",
                        slice_of(strstr(slot->at, "place=in") != NULL ? "in" : "out"));
    }
}

/* The next round, as a run makes it; false: there is none. */
static bool next_round(struct world *world)
{
    struct plan *plan = world->record.plan;
    struct search_round round;
    size_t first = plan->steps.count;

    if (!judge_search(world->arena, &world->record, &world->sources.limits, &round))
        return false;
    assert_true(round.groups.count > 0);
    assert_int_equal(round.size_bytes, 8589934592);
    for (size_t i = 0; i < round.groups.count; i++)
        plan_add_isolation(plan, &world->sources, round.step, round.round, round.groups.items[i].members,
                           round.groups.items[i].member_count, round.size_bytes);
    for (size_t i = first; i < plan->steps.count; i++)
        attempt(world, i);
    world->rounds++;
    return true;
}

static const struct judgement *run(struct world *world, unsigned rounds)
{
    size_t planned = world->record.plan->steps.count;

    for (size_t i = 0; i < planned; i++)
        if (world->record.plan->steps.items[i].origin == ORIGIN_SUITE) {
            attempt(world, i);
            if (world->faults.hanging_host >= 0 || world->faults.lacks_row)
                attempt(world, i);
        }
    while (world->rounds < rounds && next_round(world))
        ;
    judge_run(&world->record, &world->sources.limits, "22222222-2222-4222-8222-222222222222");
    return &world->record.judgement;
}

static const char *concluded(const struct world *world, size_t search)
{
    return reason_english(world->arena, world->record.judgement.searches[search].conclusion);
}

static const char *candidates(const struct world *world)
{
    return reason_english(world->arena, world->record.judgement.searches[0].candidates);
}

static void expect_one(const struct world *world, enum accused_kind kind, const char *subject)
{
    const struct judgement *judgement = &world->record.judgement;

    for (size_t i = 0; i < judgement->accusation_count; i++)
        if (judgement->accusation_count > 1 || strcmp(judgement->accusations[i].subject, subject) != 0)
            fail_msg("accused is %s %s", accused_kind_name(judgement->accusations[i].kind),
                     judgement->accusations[i].subject);
    if (judgement->accusation_count != 1)
        fail_msg("nobody is accused: %s", concluded(world, 0));
    assert_int_equal(judgement->accusations[0].kind, kind);
    assert_string_equal(candidates(world), "");
    assert_true(judgement->accusations[0].slow_tests >= 3);
    assert_true(judgement->accusations[0].step_count >= 3);
    assert_true(judgement->accusations[0].doubt < 0.001);
    assert_int_equal(judgement->verdicts[0].word, VERDICT_REJECT);
}

static const struct verdict *verdict_of(const struct judgement *judgement, const char *name)
{
    for (size_t i = 0; i < judgement->verdict_count; i++)
        if (strcmp(judgement->verdicts[i].name, name) == 0)
            return &judgement->verdicts[i];
    fail_msg("%s has no verdict", name);
    return NULL;
}

/* A busy machine, a shared fabric: what differs from one test to the next by as much as a fault is none. */
static void values_that_scatter_accuse_nobody(void **state)
{
    static const double scatters[] = {0.05, 0.08, 0.15};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(scatters); i++)
        for (unsigned short seed = 1; seed <= 8; seed++) {
            struct world world;
            struct faults faults = none;
            const struct judgement *judgement;

            faults.scatter = scatters[i];
            world_begin(&world, SUITE(STEP("all", "900", "")), faults);
            world.random[0] = seed;
            judgement = run(&world, ROUNDS);
            if (judgement->accusation_count > 0)
                fail_msg("scatter %g, seed %u: %s %s is accused", faults.scatter, seed,
                         accused_kind_name(judgement->accusations[0].kind),
                         judgement->accusations[0].subject);
            arena_destroy(world.arena);
        }
}

static void a_slow_host_is_named_though_values_scatter(void **state)
{
    (void)state;
    for (unsigned short seed = 1; seed <= 8; seed++) {
        struct world world;
        struct faults faults = none;

        faults.scatter = 0.03;
        faults.slow_host = 6;
        world_begin(&world, SUITE(STEP("all", "330", "")), faults);
        world.random[0] = seed;
        run(&world, ROUNDS);
        expect_one(&world, ACCUSED_HOST, "a7");
        arena_destroy(world.arena);
    }
}

/* On a machine that others keep busy many are slow at times. Of that the limit knows: what is far below it is not so. */
static void a_slow_host_is_named_and_none_that_others_keep_busy(void **state)
{
    (void)state;
    for (unsigned short seed = 1; seed <= 16; seed++) {
        struct world world;
        struct faults faults = none;

        faults.scatter = 0.02;
        faults.busy = 0.3;
        faults.slow_host = 7;
        faults.slow_share = 0.3;
        world_begin(&world, SUITE(STEP("all", "180", "")), faults);
        world.random[0] = seed;
        run(&world, ROUNDS);
        expect_one(&world, ACCUSED_HOST, "a8");
        arena_destroy(world.arena);
    }
}

/* A limit that no host could meet does not hide who is slower than the others. */
static void a_slow_host_is_named_though_nobody_meets_the_limit(void **state)
{
    struct world world;
    struct faults faults = none;
    const struct judgement *judgement;

    (void)state;
    faults.slow_host = 7;
    world_begin(&world, SUITE(STEP("all", "900", "")), faults);
    judgement = run(&world, ROUNDS);
    assert_int_equal(judgement->accusation_count, 1);
    assert_string_equal(judgement->accusations[0].subject, "a8");
    arena_destroy(world.arena);
}

static void a_slow_host_is_named_and_rejected(void **state)
{
    struct faults faults = none;
    struct world world;
    const struct judgement *judgement;

    (void)state;
    faults.slow_host = 5;
    world_begin(&world, SUITE(STEP("wide", "340", "")), faults);
    judgement = run(&world, ROUNDS);
    expect_one(&world, ACCUSED_HOST, "a6");
    assert_int_equal(judgement->accusations[0].place, PLACE_FABRIC);
    assert_int_equal(verdict_of(judgement, "a6")->word, VERDICT_REJECT);
    assert_int_equal(verdict_of(judgement, "a6")->fail, 0);
    assert_int_not_equal(verdict_of(judgement, "a5")->word, VERDICT_REJECT);
    arena_destroy(world.arena);
}

static bool last_round_has(const struct world *world, int number)
{
    const struct plan *plan = world->record.plan;
    unsigned last = plan->steps.items[plan->steps.count - 1].round;

    for (size_t i = 0; i < plan->steps.count; i++)
        if (plan->steps.items[i].round == last && has(&plan->steps.items[i], number))
            return true;
    return false;
}

static void a_host_that_drops_out_is_left_out_and_named(void **state)
{
    static const struct {
        struct faults faults;
        enum accused_kind kind;
        const char *subject;
    } cases[] = {
        {{5, -1, -1, {-1, -1}, -1, 0, 0, 9, 1, false}, ACCUSED_HOST, "a6"},
        {{5, -1, -1, {-1, -1}, -1, 0, 0, 9, 2, true}, ACCUSED_HOST, "a6"},
        {{5, -1, -1, {-1, -1}, -1, 0, 0, 9, 3, false}, ACCUSED_HOST, "a6"},
        {{-1, -1, -1, {2, 13}, -1, 0, 0, 9, 2, false}, ACCUSED_LINK, "a3 - a14"},
        {{-1, -1, -1, {2, 13}, -1, 0, 0, 9, 8, false}, ACCUSED_LINK, "a3 - a14"},
        {{-1, -1, -1, {2, 13}, -1, 0, 0, 9, 8, true}, ACCUSED_LINK, "a3 - a14"},
        {{-1, -1, -1, {-1, -1}, 0, 0, 0, 9, 2, false}, ACCUSED_LEAF, "l1"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct world world;
        const struct judgement *judgement;

        world_begin(&world, SUITE(STEP("wide", "340", "")), cases[i].faults);
        judgement = run(&world, ROUNDS);
        if (judgement->accusation_count != 1 || judgement->accusations[0].kind != cases[i].kind ||
            strcmp(judgement->accusations[0].subject, cases[i].subject) != 0)
            fail_msg("case %zu: %zu accused, %s: %s", i, judgement->accusation_count,
                     judgement->accusation_count > 0 ? judgement->accusations[0].subject : "",
                     concluded(&world, 0));
        if (strstr(concluded(&world, 0), "left out from then on: a10") == NULL)
            fail_msg("case %zu, %u rounds: %s", i, world.rounds, concluded(&world, 0));
        assert_false(last_round_has(&world, 9));
        if (judgement->searches[0].candidates != NULL)
            fail_msg("case %zu: explained, and yet not isolated: %s", i, candidates(&world));
        arena_destroy(world.arena);
    }
}

/* It alone was slow: without it all are fast, and it stays a candidate. */
static void who_is_slow_and_drops_out_is_a_candidate(void **state)
{
    const struct faults faults = {9, -1, -1, {-1, -1}, -1, 0, 0, 9, 1, false};
    struct world world;
    const struct judgement *judgement;

    (void)state;
    world_begin(&world, SUITE(STEP("wide", "340", "")), faults);
    judgement = run(&world, ROUNDS);
    assert_int_equal(judgement->accusation_count, 0);
    assert_string_equal(candidates(&world), "a10");
    assert_non_null(strstr(concluded(&world, 0), "without the hosts that dropped out, all hosts are fast"));
    arena_destroy(world.arena);
}

/* Nothing of the round was begun: then nobody dropped out, the run did. */
static void a_run_that_stops_names_nobody_as_dropped_out(void **state)
{
    struct faults faults = none;
    struct world world;

    (void)state;
    faults.slow_host = 5;
    faults.lost_host = 9;
    faults.lost_in_round = 2;
    world_begin(&world, SUITE(STEP("wide", "340", "")), faults);
    world.record.state = RUN_INTERRUPTED;
    run(&world, 2);
    assert_int_equal(world.record.judgement.accusation_count, 0);
    assert_null(strstr(concluded(&world, 0), "dropped out"));
    arena_destroy(world.arena);
}

#define RAIL_SUITE(check, collective)                                                                   \
    "{\"name\": \"s\", \"title\": \"t\", \"platform\": \"railed\", \"steps\": [{\"check\": \"" check    \
    "\", \"scope\": \"group\", \"by\": \"rail\", \"arguments\": {\"begin\": \"4G\", \"end\": \"8G\"}, " \
    "\"sizes_judged\": [\"8G\"], \"limits\": [{\"metric\": \"nccl." collective                          \
    ".rail.busbw\", \"floor\": 340, "                                                                   \
    "\"unit\": \"GB/s\", \"source\": \"site\", \"status\": \"contract\"}]}]}"

/* As where its cable hangs in another rail's switch: over that rail it is slow, over the other it is not. */
static void a_host_that_is_slow_over_one_rail_is_named(void **state)
{
    static const char *const suites[] = {RAIL_SUITE("nccl-sendrecv", "sendrecv"),
                                         RAIL_SUITE("nccl-all-gather", "all_gather")};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(suites); i++) {
        struct faults faults = none;
        struct world world;
        const struct judgement *judgement;

        faults.slow_host = 6;
        faults.rail = "mlx5_1";
        world_begin(&world, suites[i], faults);
        judgement = run(&world, ROUNDS);
        expect_one(&world, ACCUSED_HOST, "a7");
        assert_int_equal(judgement->search_count, 1);
        assert_string_equal(judgement->searches[0].metric,
                            i == 0 ? "nccl.sendrecv.rail.busbw" : "nccl.all_gather.rail.busbw");
        arena_destroy(world.arena);
    }
}

static void a_slow_host_and_a_slow_path_are_named_by_sendrecv(void **state)
{
    static const char suite[] = SUITE(
        "{\"check\": \"nccl-sendrecv\", \"scope\": \"cluster\", \"arguments\": {\"begin\": \"4G\", \"end\": "
        "\"8G\"}, \"sizes_judged\": [\"8G\"], \"limits\": [{\"metric\": \"nccl.sendrecv.busbw\", \"floor\": "
        "340, \"unit\": \"GB/s\", \"source\": \"site\", \"status\": \"contract\"}]}");
    struct faults faults = none;
    struct world world;

    (void)state;
    faults.slow_host = 6;
    world_begin(&world, suite, faults);
    run(&world, ROUNDS);
    expect_one(&world, ACCUSED_HOST, "a7");
    arena_destroy(world.arena);
    faults = none;
    faults.path[0] = 7; /* neighbours, across leaves */
    faults.path[1] = 8;
    world_begin(&world, suite, faults);
    run(&world, ROUNDS);
    expect_one(&world, ACCUSED_LINK, "a8 - a9");
    arena_destroy(world.arena);
}

/* Of three hosts with one slow one, two of three pairs are slow. */
static void one_of_three_hosts_is_named(void **state)
{
    struct faults faults = none;
    struct world world;

    (void)state;
    faults.slow_host = 1;
    world_begin_with(&world, "a[1-3]\n", SUITE(STEP("wide", "340", "")), faults);
    run(&world, ROUNDS);
    expect_one(&world, ACCUSED_HOST, "a2");
    assert_int_equal(world.record.judgement.accusations[0].place, PLACE_FABRIC);
    arena_destroy(world.arena);
}

static void of_two_hosts_nobody_is_accused(void **state)
{
    struct faults faults = none;
    struct world world;

    (void)state;
    faults.slow_host = 1;
    world_begin_with(&world, "a[1-2]\n", SUITE(STEP("wide", "500", "")), faults);
    assert_int_equal(run(&world, ROUNDS)->accusation_count, 0);
    assert_int_equal(world.rounds, 0);
    arena_destroy(world.arena);
}

static void a_host_that_is_slow_alone_too_is_slow_inside(void **state)
{
    struct faults faults = none;
    struct world world;
    const struct judgement *judgement;

    (void)state;
    faults.slow_inside = 0;
    world_begin(&world, SUITE(STEP("wide", "340", "")), faults);
    judgement = run(&world, ROUNDS);
    expect_one(&world, ACCUSED_HOST, "a1");
    assert_int_equal(judgement->accusations[0].place, PLACE_INSIDE);
    arena_destroy(world.arena);
}

static void a_path_and_a_leaf_are_named_and_no_host(void **state)
{
    struct faults path = none, leaf = none;
    struct world world;
    const struct judgement *judgement;

    (void)state;
    path.path[0] = 2;
    path.path[1] = 13;
    world_begin(&world, SUITE(STEP("wide", "340", "")), path);
    judgement = run(&world, ROUNDS);
    expect_one(&world, ACCUSED_LINK, "a3 - a14");
    assert_int_not_equal(verdict_of(judgement, "a3")->word, VERDICT_REJECT);
    arena_destroy(world.arena);
    leaf.leaf = 2;
    world_begin(&world, SUITE(STEP("wide", "340", "")), leaf);
    judgement = run(&world, ROUNDS);
    expect_one(&world, ACCUSED_LEAF, "l3");
    assert_int_not_equal(verdict_of(judgement, "a9")->word, VERDICT_REJECT);
    arena_destroy(world.arena);
}

static void a_healthy_fabric_that_cannot_carry_all_accuses_nobody(void **state)
{
    struct faults faults = none;
    struct world world;
    const struct judgement *judgement;

    (void)state;
    faults.oversubscription = 2;
    world_begin(&world, SUITE(STEP("wide", "340", "")), faults);
    judgement = run(&world, ROUNDS);
    assert_int_equal(judgement->accusation_count, 0);
    assert_int_equal(judgement->search_count, 1);
    assert_string_equal(candidates(&world), "16 hosts: a[1-16]");
    for (size_t i = 0; i < HOSTS; i++)
        assert_int_equal(judgement->verdicts[judgement->verdict_count - 1 - i].accused, 0);
    arena_destroy(world.arena);
}

/* Neither ends by a limit: the gates are inconclusive, and only the accusation rejects. */
static void who_makes_a_test_hang_is_named(void **state)
{
    struct faults faults = none;
    struct world world;
    const struct judgement *judgement;

    (void)state;
    faults.hanging_host = 9;
    world_begin(&world, SUITE(STEP("wide", "340", "")), faults);
    judgement = run(&world, ROUNDS);
    expect_one(&world, ACCUSED_HOST, "a10");
    assert_int_equal(judgement->verdicts[0].fail, 0);
    assert_true(judgement->verdicts[0].inconclusive > 0);
    arena_destroy(world.arena);
}

static void a_table_that_lacks_a_row_starts_no_search(void **state)
{
    struct faults faults = none;
    struct world world;
    const struct judgement *judgement;

    (void)state;
    faults.lacks_row = true;
    world_begin(&world, SUITE(STEP("wide", "340", "")), faults);
    judgement = run(&world, ROUNDS);
    assert_int_equal(world.rounds, 0);
    assert_int_equal(judgement->search_count, 0);
    assert_int_equal(judgement->accusation_count, 0);
    assert_true(judgement->verdicts[0].inconclusive > 0);
    assert_int_equal(judgement->verdicts[0].fail, 0);
    arena_destroy(world.arena);
}

/* As on a busy machine, where values say little: who never ends is as sure as ever. */
static void who_makes_a_test_hang_is_named_however_values_scatter(void **state)
{
    (void)state;
    for (unsigned short seed = 1; seed <= 8; seed++) {
        struct faults faults = none;
        struct world world;

        faults.hanging_host = 9;
        faults.scatter = 0.15;
        world_begin(&world, SUITE(STEP("wide", "340", "")), faults);
        world.random[0] = seed;
        run(&world, ROUNDS);
        expect_one(&world, ACCUSED_HOST, "a10");
        arena_destroy(world.arena);
    }
}

static void what_meets_its_limit_is_not_looked_into(void **state)
{
    struct faults faults = none;
    struct world world;

    (void)state;
    faults.slow_host = 5;
    world_begin(&world, SUITE(STEP("wide", "200", "")), faults);
    assert_int_equal(run(&world, ROUNDS)->search_count, 0);
    assert_int_equal(world.rounds, 0);
    arena_destroy(world.arena);
    world_begin(&world, SUITE(STEP("wide", "340", ", \"isolate\": false")), faults);
    assert_int_equal(run(&world, ROUNDS)->search_count, 0);
    assert_int_equal(world.rounds, 0);
    arena_destroy(world.arena);
}

static void of_two_slow_tests_the_second_is_explained_by_the_first(void **state)
{
    struct faults faults = none;
    struct world world;
    const struct judgement *judgement;
    size_t of_second = 0;

    (void)state;
    faults.slow_host = 5;
    world_begin(&world, SUITE(STEP("wide", "340", "") "," STEP("again", "345", "")), faults);
    judgement = run(&world, ROUNDS);
    assert_int_equal(judgement->search_count, 2);
    expect_one(&world, ACCUSED_HOST, "a6");
    for (size_t i = 0; i < world.record.plan->steps.count; i++)
        of_second += world.record.plan->steps.items[i].origin == ORIGIN_ISOLATE &&
                     world.record.plan->steps.items[i].parent == judgement->searches[1].step;
    assert_int_equal(of_second, 1);
    assert_non_null(strstr(concluded(&world, 1), "explained"));
    arena_destroy(world.arena);
}

static void a_search_that_was_cut_short_accuses_nobody_yet(void **state)
{
    struct faults faults = none;
    struct world world;
    const struct judgement *judgement;

    (void)state;
    faults.slow_host = 5;
    world_begin(&world, SUITE(STEP("wide", "340", "")), faults);
    judgement = run(&world, 1);
    assert_int_equal(judgement->accusation_count, 0);
    assert_string_equal(concluded(&world, 0), "the search did not finish");
    assert_string_equal(candidates(&world), "16 hosts: a[1-16]");
    while (next_round(&world))
        ;
    judge_run(&world.record, &world.sources.limits, "33333333-3333-4333-8333-333333333333");
    expect_one(&world, ACCUSED_HOST, "a6");
    arena_destroy(world.arena);
}

/* Whoever goes on with a run makes the same steps, each under a key of its own. */
/* Two minutes a round: of seven minutes three rounds are made, and the day on which the run lay still counts for nothing. */
static void a_search_that_has_no_more_time_says_so_and_accuses_nobody(void **state)
{
    struct faults faults = none;
    struct world world;
    const struct judgement *judgement;

    (void)state;
    faults.path[0] = 2;
    faults.path[1] = 9;
    world_begin(&world, SUITE(STEP("wide", "340", "")), faults);
    document_add(world.arena, &world.record.documents, SEARCH_MINUTES_DOCUMENT, "minutes", slice_of("7\n"));
    assert_int_equal(search_minutes(&world.record), 7);
    judgement = run(&world, ROUNDS);
    assert_int_equal(world.rounds, 3);
    assert_int_equal(judgement->accusation_count, 0);
    assert_non_null(strstr(concluded(&world, 0), "the time that isolation may take, 7 minutes, was"));
    assert_non_null(strstr(concluded(&world, 0), "3 rounds"));
    assert_string_equal(candidates(&world), "16 hosts: a[1-16]");
    assert_int_equal(judgement->verdicts[0].word, VERDICT_REJECT);
    arena_destroy(world.arena);
}

static void a_search_that_has_the_time_goes_on_to_its_end(void **state)
{
    struct faults faults = none;
    struct world world;

    (void)state;
    faults.slow_host = 5;
    world_begin(&world, SUITE(STEP("wide", "340", "")), faults);
    document_add(world.arena, &world.record.documents, SEARCH_MINUTES_DOCUMENT, "minutes", slice_of("600\n"));
    run(&world, ROUNDS);
    expect_one(&world, ACCUSED_HOST, "a6");
    arena_destroy(world.arena);
}

static void the_same_rounds_have_the_same_keys(void **state)
{
    struct faults faults = none;
    struct world first, second;

    (void)state;
    faults.path[0] = 2;
    faults.path[1] = 13;
    world_begin(&first, SUITE(STEP("wide", "340", "")), faults);
    world_begin(&second, SUITE(STEP("wide", "340", "")), faults);
    run(&first, ROUNDS);
    run(&second, 3);
    while (next_round(&second))
        ;
    assert_int_equal(first.record.plan->steps.count, second.record.plan->steps.count);
    for (size_t i = 0; i < first.record.plan->steps.count; i++) {
        const char *key = first.record.plan->steps.items[i].key;

        assert_string_equal(key, second.record.plan->steps.items[i].key);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(key, first.record.plan->steps.items[k].key);
    }
    arena_destroy(first.arena);
    arena_destroy(second.arena);
}

/* What a part owes is only written down, and of one size; the whole's gates stay as they were. */
static void parts_owe_nothing_that_could_pass(void **state)
{
    struct faults faults = none;
    struct world world;
    struct check_context context;
    size_t gates, parts = 0;

    (void)state;
    faults.slow_host = 5;
    world_begin(&world, SUITE(STEP("wide", "340", "")), faults);
    gates = world.record.plan->gate_count;
    run(&world, ROUNDS);
    assert_int_equal(world.record.plan->gate_count, gates);
    for (size_t i = 0; i < world.record.plan->steps.count; i++) {
        const struct step *step = &world.record.plan->steps.items[i];

        if (step->origin != ORIGIN_ISOLATE)
            continue;
        parts++;
        plan_context(world.arena, &world.sources, step, &context);
        assert_string_equal(check_text(&context, "begin"), "8G");
        assert_string_equal(check_text(&context, "end"), "8G");
        assert_string_equal(context.step->scope, step->member_count == 1 ? "host" : "cluster");
        assert_int_equal(step->shape->exclusive, EXCLUSIVE_HOST);
        for (size_t k = 0; k < step->shape->slot_count; k++)
            assert_int_equal(step->shape->slots[k].duty, DUTY_RECORD);
    }
    assert_true(parts > 3);
    for (size_t i = 0; i < world.record.judgement.outcome_count; i++) {
        const struct outcome *outcome = &world.record.judgement.outcomes[i];

        if (world.record.plan->steps.items[outcome->step].origin == ORIGIN_ISOLATE)
            assert_int_equal(outcome->word, OUTCOME_RECORDED);
    }
    arena_destroy(world.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_that_scatter_accuse_nobody),
        cmocka_unit_test(a_slow_host_is_named_though_values_scatter),
        cmocka_unit_test(a_slow_host_is_named_and_none_that_others_keep_busy),
        cmocka_unit_test(a_slow_host_is_named_though_nobody_meets_the_limit),
        cmocka_unit_test(a_slow_host_is_named_and_rejected),
        cmocka_unit_test(a_host_that_drops_out_is_left_out_and_named),
        cmocka_unit_test(who_is_slow_and_drops_out_is_a_candidate),
        cmocka_unit_test(a_run_that_stops_names_nobody_as_dropped_out),
        cmocka_unit_test(a_host_that_is_slow_over_one_rail_is_named),
        cmocka_unit_test(a_slow_host_and_a_slow_path_are_named_by_sendrecv),
        cmocka_unit_test(one_of_three_hosts_is_named),
        cmocka_unit_test(of_two_hosts_nobody_is_accused),
        cmocka_unit_test(a_host_that_is_slow_alone_too_is_slow_inside),
        cmocka_unit_test(a_path_and_a_leaf_are_named_and_no_host),
        cmocka_unit_test(a_healthy_fabric_that_cannot_carry_all_accuses_nobody),
        cmocka_unit_test(a_table_that_lacks_a_row_starts_no_search),
        cmocka_unit_test(who_makes_a_test_hang_is_named),
        cmocka_unit_test(who_makes_a_test_hang_is_named_however_values_scatter),
        cmocka_unit_test(what_meets_its_limit_is_not_looked_into),
        cmocka_unit_test(of_two_slow_tests_the_second_is_explained_by_the_first),
        cmocka_unit_test(a_search_that_was_cut_short_accuses_nobody_yet),
        cmocka_unit_test(a_search_that_has_no_more_time_says_so_and_accuses_nobody),
        cmocka_unit_test(a_search_that_has_the_time_goes_on_to_its_end),
        cmocka_unit_test(the_same_rounds_have_the_same_keys),
        cmocka_unit_test(parts_owe_nothing_that_could_pass),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
