/* SPDX-License-Identifier: Apache-2.0 */
/* Outliers of a whole run, on fleets of the delivery suite. */
#include <string.h>

#include "../arena_test.h"
#include "../says_test.h"
#include "truth_fleet.h"

/* One GPU of six hosts computes so much less; so many of the others never answered. */
static struct truth_part slow_gpu_of_six_hosts(const char *step, double loss, size_t dead)
{
    const char *const steps[] = {step, NULL};
    static const struct truth_scatter scatter = {.noise = 0.005};
    struct arena *arena = arena_create();
    struct truth_fleet fleet;
    struct truth_part part;
    uint64_t random = 1;

    truth_fleet_make(arena, 6, 0, "delivery", steps, &fleet);
    truth_fleet_draw(&fleet, &scatter, &random);
    for (size_t i = 0; i < dead; i++) {
        fleet.run.record.attempts.items[5 - i].end = ATTEMPT_UNREACHABLE;
        fleet.run.record.attempts.items[5 - i].what = reason_text(arena, "no route to host");
    }
    fleet.parts.items[3].loss = loss;
    truth_fleet_judge(&fleet, arena);
    part = fleet.parts.items[3];
    arena_destroy(arena);
    return part;
}

static void a_slow_gpu_is_found_though_a_host_is_down_that_it_would_have_been_compared_with(void **state)
{
    (void)state;
    for (size_t dead = 0; dead < 6; dead++) /* its floor allows 20% */
        if (!slow_gpu_of_six_hosts("gpu-burn", 0.2, dead).found[TRUTH_BY_PEERS])
            fail_msg("with %zu of six hosts down the slow GPU is not named", dead);
}

static void a_gpu_that_computes_nothing_is_the_slowest_of_all_where_there_is_no_floor(void **state)
{
    (void)state;
    assert_true(slow_gpu_of_six_hosts("gpu-burn-tensor", 0.2, 0).found[TRUTH_BY_PEERS]);
    assert_true(slow_gpu_of_six_hosts("gpu-burn-tensor", 1, 0).found[TRUTH_BY_PEERS]);
}

/* Causes with these words, in a run of eight hosts of which so many never answered. */
static size_t said_of_eight_hosts(size_t dead, const char *words)
{
    static const char *const steps[] = {"p2p-bandwidth", NULL};
    static const struct truth_scatter scatter = {.noise = 0.005};
    struct arena *arena = arena_create();
    struct truth_fleet fleet;
    uint64_t random = 1;
    size_t said = 0;

    truth_fleet_make(arena, 8, 0, "delivery", steps, &fleet);
    truth_fleet_draw(&fleet, &scatter, &random);
    for (size_t i = 0; i < dead; i++)
        fleet.run.record.attempts.items[i].end = ATTEMPT_DEADLINE;
    truth_fleet_judge(&fleet, arena);
    for (size_t i = 0; i < fleet.judgement.outcome_count; i++)
        said += fleet.judgement.outcomes[i].remark &&
                says(reason_english(arena, fleet.judgement.outcomes[i].cause), words);
    arena_destroy(arena);
    return said;
}

static void where_too_few_answered_it_is_said_once_that_nothing_is_compared(void **state)
{
    (void)state;
    assert_int_equal(said_of_eight_hosts(2, "not compared with peers"), 0);
    assert_int_equal(said_of_eight_hosts(3, "not compared with peers: 5 of 8 answered, 6 are needed"), 1);
    assert_int_equal(said_of_eight_hosts(8, "not compared with peers"), 0);
}

/* Four hosts on each of eight leaves; the third is slower by so much, first and fifth by so much. */
static bool is_leaf_named(size_t leaf, double loss_of_third, double loss_of_others)
{
    static const char *const steps[] = {"nccl-all-gather-leaves", NULL};
    static const struct truth_scatter scatter = {0};
    struct arena *arena = arena_create();
    struct truth_fleet fleet;
    uint64_t random = 1;
    bool found;

    truth_fleet_make(arena, 32, 4, "delivery", steps, &fleet);
    truth_fleet_draw(&fleet, &scatter, &random);
    fleet.parts.items[2].loss = loss_of_third;
    fleet.parts.items[0].loss = fleet.parts.items[4].loss = loss_of_others;
    truth_fleet_judge(&fleet, arena);
    found = fleet.parts.items[leaf].found[TRUTH_NAMED];
    arena_destroy(arena);
    return found;
}

/* A test is as slow as the slower of its leaves: between two slow ones a healthy one is slow with both neighbours. */
static void a_leaf_is_named_though_its_neighbors_other_tests_are_slow_too(void **state)
{
    (void)state;
    for (size_t leaf = 0; leaf < 8; leaf++) {
        assert_true(is_leaf_named(leaf, 0.2, 0) == (leaf == 2));
        assert_true(is_leaf_named(leaf, 0.2, 0.12) == (leaf == 0 || leaf == 2 || leaf == 4));
    }
}

static void a_slow_path_between_two_leaves_names_neither(void **state)
{
    static const char *const steps[] = {"nccl-all-gather-leaves", NULL};
    static const struct truth_scatter scatter = {0};
    struct truth_fleet fleet;
    uint64_t random = 1;
    size_t failed = 0;

    truth_fleet_make(*state, 32, 4, "delivery", steps, &fleet);
    truth_fleet_draw(&fleet, &scatter, &random);
    fleet.parts.items[2].loss = 0.04; /* a little slow: it still passes with the leaf before it */
    for (size_t i = 0; i < fleet.values.count; i++)
        if (fleet.values.items[i].parts[0] == 2 && fleet.values.items[i].parts[1] == 3)
            fleet.values.items[i].nominal *= 0.8;
    truth_fleet_judge(&fleet, *state);
    for (size_t leaf = 0; leaf < 8; leaf++) {
        failed += fleet.parts.items[leaf].found[TRUTH_FAILED];
        assert_false(fleet.parts.items[leaf].found[TRUTH_NAMED]);
    }
    assert_int_equal(failed, 2);
}

/* The first port of the third of so many hosts is slower by so much: how many ports, or hosts, are named, that one among them. */
static size_t named_beside(const char *step, size_t hosts, double loss, enum truth_way way)
{
    const char *const steps[] = {step, NULL};
    static const struct truth_scatter scatter = {.noise = 0.002, .spread = 0.001};
    struct arena *arena = arena_create();
    struct truth_fleet fleet;
    uint64_t random = 1;
    size_t slow, named = 0;

    truth_fleet_make(arena, hosts, 0, "delivery", steps, &fleet);
    truth_fleet_draw(&fleet, &scatter, &random);
    slow = 2 * (fleet.parts.count / hosts);
    fleet.parts.items[slow].loss = loss;
    truth_fleet_judge(&fleet, arena);
    for (size_t i = 0; i < fleet.parts.count; i++)
        named += fleet.parts.items[i].found[way];
    if (!fleet.parts.items[slow].found[way])
        named = 0;
    arena_destroy(arena);
    return named;
}

static void a_slow_port_is_named_by_its_pairs_and_none_of_those_at_the_other_end(void **state)
{
    (void)state;
    assert_int_equal(named_beside("rdma-pair", 3, 0.05, TRUTH_NAMED), 1);
    assert_int_equal(named_beside("rdma-pair", 8, 0.05, TRUTH_NAMED), 1);
    assert_int_equal(named_beside("rdma-pair", 8, 0.05, TRUTH_BY_PEERS), 1);
    assert_int_equal(named_beside("rdma-pair", 8, 0, TRUTH_NAMED), 0);
}

/* What each has left beside the other is one pair, which tells neither end. */
static void of_two_neighbours_with_the_same_slow_port_one_is_named_and_the_pair_of_the_other(void **state)
{
    static const char *const steps[] = {"rdma-pair", NULL};
    static const struct truth_scatter scatter = {.noise = 0.002, .spread = 0.001};
    struct truth_fleet fleet;
    uint64_t random = 1;
    size_t named = 0, pairs = 0;

    truth_fleet_make(*state, 8, 0, "delivery", steps, &fleet);
    truth_fleet_draw(&fleet, &scatter, &random);
    fleet.parts.items[8 * 2].loss = 0.25;
    fleet.parts.items[8 * 3].loss = 0.2;
    truth_fleet_judge(&fleet, *state);
    for (size_t i = 0; i < fleet.parts.count; i++)
        named += fleet.parts.items[i].found[TRUTH_BY_PEERS];
    for (size_t i = 0; i < fleet.judgement.outcome_count; i++)
        pairs += says(reason_english(*state, fleet.judgement.outcomes[i].cause),
                      "n4's mlx5_0 with n5's mlx5_0 is ");
    assert_true(fleet.parts.items[8 * 2].found[TRUTH_BY_PEERS]);
    assert_int_equal(named, 1);
    assert_int_equal(pairs, 1);
}

static void a_host_that_is_slow_with_both_neighbours_is_named(void **state)
{
    (void)state;
    assert_int_equal(named_beside("nccl-all-gather-pairs", 8, 0.06, TRUTH_BY_PEERS), 1);
    assert_int_equal(named_beside("nccl-all-gather-pairs", 4, 0.15, TRUTH_NAMED), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_gpu_is_found_though_a_host_is_down_that_it_would_have_been_compared_with),
        cmocka_unit_test(a_gpu_that_computes_nothing_is_the_slowest_of_all_where_there_is_no_floor),
        cmocka_unit_test(where_too_few_answered_it_is_said_once_that_nothing_is_compared),
        cmocka_unit_test(a_leaf_is_named_though_its_neighbors_other_tests_are_slow_too),
        ARENA_TEST(a_slow_path_between_two_leaves_names_neither),
        cmocka_unit_test(a_slow_port_is_named_by_its_pairs_and_none_of_those_at_the_other_end),
        ARENA_TEST(of_two_neighbours_with_the_same_slow_port_one_is_named_and_the_pair_of_the_other),
        cmocka_unit_test(a_host_that_is_slow_with_both_neighbours_is_named),
    };

    return cmocka_run_group_tests_name("standouts", tests, NULL, NULL);
}
