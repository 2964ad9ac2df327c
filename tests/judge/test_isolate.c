/* SPDX-License-Identifier: Apache-2.0 */
/* The search for what makes a group slow, on simulated fabrics: the same seeds each time. */
#include <stdlib.h>

#include "../unit_test.h"
#include "simulate.h"

enum { TRIALS = 12 };

static void expect_all_found(const struct scenario *scenario, unsigned rounds_most)
{
    for (uint64_t seed = 1; seed <= TRIALS; seed++) {
        struct trial trial = simulate_trial(scenario, seed);

        if (trial.missed > 0 || trial.wrong > 0 || trial.rounds > rounds_most)
            fail_msg("seed %u: %u found, %u missed, %u wrongly accused in %u rounds", (unsigned)seed,
                     trial.found, trial.missed, trial.wrong, trial.rounds);
    }
}

#define FABRIC .hosts = 64, .loss = 0.10, .noise = 0.02
#define LEAVES FABRIC, .hosts_per_leaf = 8, .oversubscription = 2

static void a_healthy_cluster_accuses_nobody(void **state)
{
    (void)state;
    expect_all_found(&(struct scenario){FABRIC}, 8);
}

static void a_slow_host_is_named(void **state)
{
    (void)state;
    expect_all_found(&(struct scenario){FABRIC, .bad_hosts = 1}, 8);
}

static void three_slow_hosts_are_named(void **state)
{
    (void)state;
    expect_all_found(&(struct scenario){FABRIC, .bad_hosts = 3}, 10);
}

static void a_slow_host_of_four_is_named(void **state)
{
    (void)state;
    expect_all_found(&(struct scenario){.hosts = 4, .loss = 0.10, .noise = 0.01, .bad_hosts = 1}, 12);
}

static void a_path_between_two_good_hosts_is_named(void **state)
{
    (void)state;
    expect_all_found(&(struct scenario){FABRIC, .bad_links = 1}, 32);
}

static int compare_rounds(const void *a, const void *b)
{
    return (int)*(const unsigned *)a - (int)*(const unsigned *)b;
}

/* Nobody waits for hosts of which noise made a test slow, nor is a path that is sure looked at again for its ends. */
static void a_path_among_232_hosts_is_named_in_20_rounds(void **state)
{
    const struct scenario scenario = {.hosts = 232, .loss = 0.10, .noise = 0.02, .bad_links = 1};
    unsigned rounds[101];

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(rounds); i++) {
        struct trial trial = simulate_trial(&scenario, i + 1);

        assert_int_equal(trial.missed + trial.wrong, 0);
        rounds[i] = trial.rounds;
    }
    qsort(rounds, ARRAY_SIZE(rounds), sizeof *rounds, compare_rounds);
    assert_in_range(rounds[ARRAY_SIZE(rounds) / 2], 1, 20);
}

/* Any number of them, also odd ones, in a leaf or several, of which the last one has few. */
#define FEW(number) .hosts = (number), .hosts_per_leaf = 8, .oversubscription = 1, .loss = 0.10, .noise = 0.02

static void a_path_among_few_hosts_is_named(void **state)
{
    (void)state;
    for (size_t hosts = 6; hosts <= 24; hosts++)
        expect_all_found(&(struct scenario){FEW(hosts), .bad_links = 1}, 60);
}

/* Also where one leaf has just those two, which meet nobody else of it. */
static void the_ends_of_a_path_that_was_found_are_no_candidates(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++)
        assert_int_equal(simulate_trial(&(struct scenario){FEW(10), .bad_links = 1}, seed).candidates, 0);
}

/* Also one of the last leaf's only two, or its only one, but where there are just two leaves: that one is not told from them. */
static void a_slow_host_among_few_is_named(void **state)
{
    (void)state;
    for (size_t hosts = 5; hosts <= 24; hosts++)
        expect_all_found(&(struct scenario){FEW(hosts), .bad_hosts = 1, .bad_below = hosts == 9 ? 8 : 0}, 25);
}

/* Every test across has the uplinks of both, and a host that is alone on its leaf is in each of them. */
static void nobody_is_named_for_what_two_leaves_have_in_common(void **state)
{
    static const size_t sizes[] = {9, 10, 11, 12, 16};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
        for (uint64_t seed = 1; seed <= 200; seed++) {
            struct trial trial = simulate_trial(&(struct scenario){FEW(sizes[i]), .bad_leaves = 1}, seed);

            assert_int_equal(trial.wrong, 0);
            assert_int_equal(trial.candidates, sizes[i]);
        }
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct trial trial = simulate_trial(&(struct scenario){FEW(9), .bad_hosts = 1, .bad_from = 8}, seed);

        assert_int_equal(trial.found + trial.wrong, 0);
        assert_int_equal(trial.candidates, 9);
    }
}

/* Seeds with which noise hides it from a search that takes the mean of all pairs for healthy: of each 180 one is so. */
static void a_slow_host_of_four_is_named_though_noise_hides_it(void **state)
{
    static const uint64_t seeds[] = {51, 133, 352, 511, 553, 757, 806};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(seeds); i++) {
        struct trial trial = simulate_trial(&(struct scenario){FEW(4), .bad_hosts = 1}, seeds[i]);

        assert_int_equal(trial.found, 1);
        assert_int_equal(trial.wrong, 0);
    }
}

/* In the few tests that there are, chance plays along. */
static void few_hosts_are_not_accused_for_another(void **state)
{
    unsigned wrong = 0, trials = 0;

    (void)state;
    for (size_t hosts = 4; hosts <= 12; hosts++)
        for (uint64_t seed = 1; seed <= 100; seed++)
            for (unsigned links = 0; links < 2; links++, trials++)
                wrong += simulate_trial(
                             &(struct scenario){FEW(hosts), .bad_links = links, .bad_hosts = !links}, seed)
                             .wrong;
    if (wrong > trials / 1000)
        fail_msg("%u wrongly accused in %u searches", wrong, trials);
}

static void a_path_between_neighbours_is_named_where_only_they_talk(void **state)
{
    (void)state;
    expect_all_found(&(struct scenario){FABRIC, .bad_links = 1, .neighbours = true}, 36);
    expect_all_found(&(struct scenario){FABRIC, .bad_hosts = 2, .neighbours = true}, 8);
    expect_all_found(&(struct scenario){FABRIC, .neighbours = true}, 8);
}

static void two_paths_are_named(void **state)
{
    (void)state;
    expect_all_found(&(struct scenario){FABRIC, .bad_links = 2}, 60);
}

static void a_host_that_is_slow_at_times_leaves_its_partners_unaccused(void **state)
{
    const struct scenario scenario = {FABRIC, .bad_hosts = 1, .intermittent = 0.5};

    (void)state;
    for (uint64_t seed = 1; seed <= TRIALS; seed++)
        assert_int_equal(simulate_trial(&scenario, seed).wrong, 0);
}

static void a_host_that_drops_out_does_not_end_the_search(void **state)
{
    (void)state;
    for (unsigned round = 1; round <= 3; round++)
        expect_all_found(&(struct scenario){FABRIC, .bad_hosts = 1, .drops_in_round = round}, 10);
    for (unsigned round = 1; round <= 17; round += 4)
        expect_all_found(&(struct scenario){FABRIC, .bad_links = 1, .drops_in_round = round}, 40);
    expect_all_found(&(struct scenario){LEAVES, .bad_leaves = 1, .drops_in_round = 4}, 30);
}

static void a_slow_leaf_is_named(void **state)
{
    (void)state;
    expect_all_found(&(struct scenario){LEAVES, .bad_leaves = 1}, 30);
}

static void a_slow_host_is_named_where_uplinks_are_shared(void **state)
{
    (void)state;
    expect_all_found(&(struct scenario){LEAVES, .bad_hosts = 2}, 30);
}

static void a_healthy_oversubscribed_fabric_accuses_nobody(void **state)
{
    (void)state;
    expect_all_found(&(struct scenario){LEAVES}, 30);
}

/* Two hosts of which one is slow: nobody can tell which. */
static void two_hosts_are_candidates_not_accused(void **state)
{
    static const struct isolate_host hosts[] = {{"a", 0}, {"b", 0}};
    const struct isolate_problem problem = {.hosts = hosts,
                                            .host_count = 2,
                                            .slow = 0.1,
                                            .noise = 0.02,
                                            .healthy = 100,
                                            .rounds_most = 40,
                                            .seed = 1};
    struct arena *arena = arena_create();
    struct isolate_tests so_far = {0}, next;
    struct isolation isolation;

    (void)state;
    while (isolate_next(arena, &problem, &so_far, &next, &isolation))
        for (size_t i = 0; i < next.tests.count; i++) {
            next.tests.items[i].value = 80;
            *list_push(arena, &so_far.tests) = next.tests.items[i];
        }
    assert_int_equal(isolation.accusations.count, 0);
    assert_int_equal(isolation.candidates.count, 2);
    arena_destroy(arena);
}

/* Groups that run at once share neither a host nor, where it crosses, a leaf. */
static void tests_of_a_round_do_not_disturb_each_other(void **state)
{
    struct isolate_host hosts[48];
    const struct isolate_problem problem = {.hosts = hosts,
                                            .host_count = 48,
                                            .slow = 0.1,
                                            .noise = 0.02,
                                            .healthy = 100,
                                            .rounds_most = 40,
                                            .seed = 3};
    struct arena *arena = arena_create();
    struct isolate_tests so_far = {0}, next;
    struct isolation isolation;

    (void)state;
    for (unsigned i = 0; i < 48; i++)
        hosts[i] = (struct isolate_host){"", i / 8};
    while (isolate_next(arena, &problem, &so_far, &next, &isolation)) {
        unsigned on_host[48] = {0}, on_leaf[6] = {0};

        for (size_t i = 0; i < next.tests.count; i++) {
            struct isolate_test *test = &next.tests.items[i];
            bool leaf[6] = {0},
                 crosses = hosts[test->members[0]].leaf != hosts[test->members[test->count - 1]].leaf;

            for (size_t k = 0; k < test->count; k++) {
                assert_int_equal(on_host[test->members[k]]++, 0);
                leaf[hosts[test->members[k]].leaf] = crosses;
            }
            for (size_t k = 0; k < 6; k++)
                assert_true((on_leaf[k] += leaf[k]) <= 1);
            test->value = crosses && test->count > 2 ? 80 : 100;
            *list_push(arena, &so_far.tests) = *test;
        }
    }
    assert_int_equal(isolation.accusations.count, 0);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_healthy_cluster_accuses_nobody),
        cmocka_unit_test(a_slow_host_is_named),
        cmocka_unit_test(three_slow_hosts_are_named),
        cmocka_unit_test(a_slow_host_of_four_is_named),
        cmocka_unit_test(a_slow_host_of_four_is_named_though_noise_hides_it),
        cmocka_unit_test(a_path_between_two_good_hosts_is_named),
        cmocka_unit_test(a_path_among_232_hosts_is_named_in_20_rounds),
        cmocka_unit_test(a_path_among_few_hosts_is_named),
        cmocka_unit_test(the_ends_of_a_path_that_was_found_are_no_candidates),
        cmocka_unit_test(a_slow_host_among_few_is_named),
        cmocka_unit_test(nobody_is_named_for_what_two_leaves_have_in_common),
        cmocka_unit_test(few_hosts_are_not_accused_for_another),
        cmocka_unit_test(a_path_between_neighbours_is_named_where_only_they_talk),
        cmocka_unit_test(two_paths_are_named),
        cmocka_unit_test(a_host_that_is_slow_at_times_leaves_its_partners_unaccused),
        cmocka_unit_test(a_host_that_drops_out_does_not_end_the_search),
        cmocka_unit_test(a_slow_leaf_is_named),
        cmocka_unit_test(a_slow_host_is_named_where_uplinks_are_shared),
        cmocka_unit_test(a_healthy_oversubscribed_fabric_accuses_nobody),
        cmocka_unit_test(two_hosts_are_candidates_not_accused),
        cmocka_unit_test(tests_of_a_round_do_not_disturb_each_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
