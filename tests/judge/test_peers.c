/* SPDX-License-Identifier: Apache-2.0 */
/* Peers, on simulated fleets with fixed seeds: what is slow is named, and nothing else. */
#include <math.h>
#include <string.h>

#include "../unit_test.h"
#include "dice.h"
#include "fleet.h"

#define FLEET .hosts = 48, .gpus = 8, .noise = 0.02

/* What is expected of each of `trials` seeds. */
struct expected {
    struct fleet fleet;
    unsigned long trials;
    unsigned found, failed;
};

static void expect(const struct expected *expected)
{
    for (unsigned long seed = 1; seed <= expected->trials; seed++) {
        struct fleet_trial trial = fleet_try(&expected->fleet, seed);

        if (trial.found != expected->found || trial.failed != expected->failed ||
            trial.wrong_remarks + trial.wrong_fails > 0)
            fail_msg("%s, seed %lu: %u found, %u of them failed, %u wrong remarks, %u wrong fails",
                     expected->fleet.name, seed, trial.found, trial.failed, trial.wrong_remarks,
                     trial.wrong_fails);
    }
}

static void a_healthy_fleet_has_nobody_who_stands_out(void **state)
{
    static const struct expected rows[] = {
        {{.name = "without noise", .hosts = 48, .gpus = 8}, 1, 0, 0},
        {{.name = "noise by host", FLEET, .kind = NOISE_BY_HOST}, 4, 0, 0},
        /* Peers only compare: that all are slow is what limits are for. */
        {{.name = "all slow", FLEET, .all_slower = 0.3}, 4, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        expect(&rows[i]);
}

/* One run in a hundred may have a remark, and as many of its pairs: so four of a hundred are not too many, and what is
   remarked on is never failed. */
static void noise_alone_is_hardly_ever_remarked_on_and_never_fails(void **state)
{
    enum { TRIALS = 100, REMARKS_MOST = 4 };
    static const struct fleet fleet = {.name = "noise", FLEET};
    unsigned remarks = 0, fails = 0;

    (void)state;
    for (unsigned long seed = 1; seed <= TRIALS; seed++) {
        struct fleet_trial trial = fleet_try(&fleet, seed);

        remarks += trial.wrong_remarks;
        fails += trial.wrong_fails;
    }
    assert_in_range(remarks, 0, REMARKS_MOST);
    assert_int_equal(fails, 0);
}

static void a_slow_gpu_is_named_and_none_of_its_partners(void **state)
{
    static const struct expected rows[] = {
        {{.name = "5%", FLEET, .slow_gpus = 1, .loss = 0.05}, 10, 1, 0},
        {{.name = "15%", FLEET, .slow_gpus = 1, .loss = 0.15}, 10, 1, 1},
        {{.name = "5% without noise", .hosts = 48, .gpus = 8, .slow_gpus = 1, .loss = 0.05}, 2, 1, 0},
        {{.name = "12% without noise", .hosts = 48, .gpus = 8, .slow_gpus = 1, .loss = 0.12}, 2, 1, 1},
        {{.name = "three", FLEET, .slow_gpus = 3, .loss = 0.08}, 4, 3, 0},
        {{.name = "four of one host", FLEET, .slow_gpus = 4, .together = true, .loss = 0.08}, 4, 4, 0},
        /* Good copies do not hide a bad burn. */
        {{.name = "burn only",
          .hosts = 48,
          .gpus = 8,
          .noise = 0.004,
          .slow_gpus = 1,
          .one_aspect = true,
          .loss = 0.15},
         4,
         1,
         1},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        expect(&rows[i]);
}

static void a_slow_path_is_a_pair_and_no_gpu(void **state)
{
    static const struct expected row = {{.name = "path", FLEET, .slow_paths = 2, .loss = 0.09}, 4, 2, 0};

    (void)state;
    expect(&row);
}

static void nothing_is_said_with_too_few_siblings(void **state)
{
    static const struct expected rows[] = {
        {{.name = "four siblings",
          .hosts = PEERS_LEAST,
          .gpus = 8,
          .noise = 0.002,
          .slow_gpus = 1,
          .loss = 0.2},
         4,
         0,
         0},
        {{.name = "five siblings",
          .hosts = PEERS_LEAST + 1,
          .gpus = 8,
          .noise = 0.002,
          .slow_gpus = 1,
          .loss = 0.2},
         4,
         1,
         1},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        expect(&rows[i]);
}

/* The spread of eight siblings by themselves is too uncertain to hide behind: four of five would be found. */
static void a_gpu_that_is_slow_in_one_test_is_named_among_eight_hosts_too(void **state)
{
    enum { TRIALS = 100, FOUND_LEAST = 95 };
    static const struct fleet fleet = {.name = "few",
                                       .hosts = 8,
                                       .gpus = 8,
                                       .noise = 0.02,
                                       .slow_gpus = 1,
                                       .one_aspect = true,
                                       .loss = 0.16};
    unsigned found = 0, wrong = 0;

    (void)state;
    for (unsigned long seed = 1; seed <= TRIALS; seed++) {
        struct fleet_trial trial = fleet_try(&fleet, seed);

        found += trial.found;
        wrong += trial.wrong_fails;
    }
    assert_in_range(found, FOUND_LEAST, TRIALS);
    assert_int_equal(wrong, 0);
}

/* GPUs that are all siblings, each measured once. */
static void compare_alone(struct arena *arena, const double *levels, size_t count,
                          struct peers_findings *ret_findings)
{
    static const struct peers_aspect aspect = {0.05, 0.10};
    size_t *positions = arena_array(arena, size_t, count);
    struct peers_value *values = arena_array(arena, struct peers_value, count);

    for (size_t i = 0; i < count; i++)
        values[i] = (struct peers_value){.subjects = {i, PEERS_NONE}, .level = levels[i]};
    peers_compare(arena,
                  &(struct peers_problem){.positions = positions,
                                          .subject_count = count,
                                          .aspects = &aspect,
                                          .aspect_count = 1,
                                          .values = values,
                                          .value_count = count},
                  ret_findings);
}

/* All that a delivery of one host has to compare with: by the MAD of all eight 69 of 100 were found. */
static void a_gpu_is_named_by_its_seven_siblings(void **state)
{
    enum { TRIALS = 100, FOUND_LEAST = 90, REMARKED_MOST = 3, GPUS = 8, SLOW = 5 };
    uint64_t random = 1;
    unsigned found = 0, remarked = 0;

    (void)state;
    for (size_t trial = 0; trial < TRIALS; trial++) {
        struct arena *arena = arena_create();
        double levels[GPUS];
        struct peers_findings findings = {0};

        for (size_t i = 0; i < GPUS; i++)
            levels[i] = 0.022 * dice_normal(&random) + (i == SLOW ? log(0.75) : 0);
        compare_alone(arena, levels, GPUS, &findings);
        for (size_t i = 0; i < findings.findings.count; i++)
            if (findings.findings.items[i].subject == SLOW)
                found++;
            else {
                assert_false(findings.findings.items[i].fails);
                remarked++;
            }
        arena_destroy(arena);
    }
    assert_in_range(found, FOUND_LEAST, TRIALS);
    assert_in_range(remarked, 0, REMARKED_MOST); /* one run of a hundred */
}

/* What scatters by what is slow would hide all of them. */
static void half_of_a_few_are_named_however_many_hide_beside_them(void **state)
{
    static const size_t counts[] = {6, 8, 16};
    uint64_t random = 1;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
        struct arena *arena = arena_create();
        double levels[16];
        struct peers_findings findings = {0};

        for (size_t k = 0; k < counts[i]; k++)
            levels[k] = 0.002 * dice_normal(&random) + (k % 2 == 1 ? log(0.7) : 0);
        compare_alone(arena, levels, counts[i], &findings);
        assert_int_equal(findings.findings.count, counts[i] / 2);
        for (size_t k = 0; k < findings.findings.count; k++) {
            assert_int_equal(findings.findings.items[k].subject % 2, 1);
            assert_true(findings.findings.items[k].fails);
        }
        arena_destroy(arena);
    }
}

/* Hosts in a ring: each is in two pairs. */
static struct peers_finding in_a_ring(struct arena *arena, size_t slow_host, size_t slow_pair,
                                      size_t *ret_count)
{
    enum { HOSTS = 16 };
    static const struct peers_aspect aspect = {0.05, 0.10};
    size_t positions[HOSTS] = {0};
    struct peers_value values[HOSTS];
    struct peers_problem problem = {positions, HOSTS, &aspect, 1, values, HOSTS};
    struct peers_findings findings;

    for (size_t i = 0; i < HOSTS; i++) {
        size_t next = (i + 1) % HOSTS;
        bool slow = i == slow_host || next == slow_host || i == slow_pair;

        values[i] = (struct peers_value){
            .subjects = {i, next}, .level = log(slow ? 320 : 370 + 0.1 * (double)(i % 3)), .owed = true};
    }
    peers_compare(arena, &problem, &findings);
    *ret_count = findings.findings.count;
    return findings.findings.count > 0 ? findings.findings.items[0] : (struct peers_finding){0};
}

static void a_host_in_two_slow_pairs_is_slow_and_a_slow_pair_accuses_neither(void **state)
{
    struct arena *arena = arena_create();
    struct peers_finding finding;
    size_t count;

    (void)state;
    finding = in_a_ring(arena, 6, PEERS_NONE, &count);
    assert_int_equal(count, 1);
    assert_int_equal(finding.subject, 6);
    assert_int_equal(finding.other, PEERS_NONE);
    assert_true(finding.fails);
    finding = in_a_ring(arena, PEERS_NONE, 6, &count);
    assert_int_equal(count, 1);
    assert_int_equal(finding.subject, 6);
    assert_int_equal(finding.other, 7);
    assert_int_equal(finding.siblings, 15);
    assert_true(fabs(finding.below - (1 - 320 / 370.1)) < 0.001);
    in_a_ring(arena, PEERS_NONE, PEERS_NONE, &count);
    assert_int_equal(count, 0);
    arena_destroy(arena);
}

/* Sixteen GPUs of one kind; rates[i] beside the usual one, of which each is off by noise. */
static struct peers_findings of_sixteen(struct arena *arena, const double *rates, unsigned long seed)
{
    enum { GPUS = 16 };
    static const struct peers_aspect aspect = {.remark = 0.05, .fail = 0.10};
    static const size_t positions[GPUS] = {0};
    struct peers_value values[GPUS];
    struct peers_findings findings;

    for (size_t i = 0; i < GPUS; i++)
        values[i] = (struct peers_value){.subjects = {i, PEERS_NONE},
                                         .level = log(372 * rates[i]) + 0.01 * dice_normal(&seed),
                                         .owed = true};
    peers_compare(arena,
                  &(const struct peers_problem){.positions = positions,
                                                .subject_count = GPUS,
                                                .aspects = &aspect,
                                                .aspect_count = 1,
                                                .values = values,
                                                .value_count = GPUS},
                  &findings);
    return findings;
}

/* A tool that prints too much for one GPU, or the one healthy GPU among slow ones, is no measure of how others scatter. */
static void one_that_is_far_above_hides_no_slow_one_and_is_named(void **state)
{
    static const struct {
        double usual, slow, fast;
    } rows[] = {{1, 0.1, 268000}, {1, 0.75, 1.3}, {0.8, 0.62, 1}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        for (unsigned long seed = 1; seed <= 20; seed++) {
            struct arena *arena = arena_create();
            struct peers_findings findings;
            double rates[16];

            for (size_t k = 0; k < ARRAY_SIZE(rates); k++)
                rates[k] = k == 3 ? rows[i].slow : k == 8 ? rows[i].fast : rows[i].usual;
            findings = of_sixteen(arena, rates, seed);
            assert_int_equal(findings.findings.count, 2);
            assert_int_equal(findings.findings.items[0].subject, 3);
            assert_true(findings.findings.items[0].fails);
            assert_int_equal(findings.findings.items[1].subject, 8);
            assert_true(findings.findings.items[1].below < -0.1 && !findings.findings.items[1].fails);
            arena_destroy(arena);
        }
}

/* In a ring of sixteen both partners of the one that is too fast there are slow by themselves, which explains all that they take
   part in: it is named all the same, by its own values. */
static void one_that_is_far_above_is_named_beside_slow_partners(void **state)
{
    enum { GPUS = 16, FAST = 8 };
    static const struct peers_aspect aspects[] = {{0.05, 0.10}, {0.05, 0.10}};
    static const size_t positions[GPUS] = {0};
    struct arena *arena = arena_create();
    struct peers_value values[2 * GPUS];
    struct peers_findings findings;
    unsigned long seed = 1;
    bool fast = false;

    (void)state;
    for (size_t i = 0; i < GPUS; i++) {
        bool slow = i == FAST - 1 || i == FAST + 1, of_fast = i == FAST || i + 1 == FAST;

        values[i] = (struct peers_value){.subjects = {i, PEERS_NONE},
                                         .level = log(slow ? 200 : 300) + 0.01 * dice_normal(&seed)};
        values[GPUS + i] =
            (struct peers_value){.series = 1,
                                 .aspect = 1,
                                 .subjects = {i, (i + 1) % GPUS},
                                 .level = log(of_fast ? 900 : 300) + 0.01 * dice_normal(&seed)};
    }
    peers_compare(arena,
                  &(const struct peers_problem){positions, GPUS, aspects, 2, values, ARRAY_SIZE(values)},
                  &findings);
    for (size_t i = 0; i < findings.findings.count; i++) {
        const struct peers_finding *finding = &findings.findings.items[i];

        if (finding->subject == FAST)
            fast = finding->below < 0 && finding->values == 2 && finding->value >= GPUS;
        else
            assert_true((finding->subject == FAST - 1 || finding->subject == FAST + 1) && finding->fails);
    }
    assert_true(fast);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_healthy_fleet_has_nobody_who_stands_out),
        cmocka_unit_test(noise_alone_is_hardly_ever_remarked_on_and_never_fails),
        cmocka_unit_test(a_slow_gpu_is_named_and_none_of_its_partners),
        cmocka_unit_test(a_slow_path_is_a_pair_and_no_gpu),
        cmocka_unit_test(nothing_is_said_with_too_few_siblings),
        cmocka_unit_test(a_gpu_that_is_slow_in_one_test_is_named_among_eight_hosts_too),
        cmocka_unit_test(a_gpu_is_named_by_its_seven_siblings),
        cmocka_unit_test(half_of_a_few_are_named_however_many_hide_beside_them),
        cmocka_unit_test(one_that_is_far_above_hides_no_slow_one_and_is_named),
        cmocka_unit_test(one_that_is_far_above_is_named_beside_slow_partners),
        cmocka_unit_test(a_host_in_two_slow_pairs_is_slow_and_a_slow_pair_accuses_neither),
    };

    return cmocka_run_group_tests_name("peers", tests, NULL, NULL);
}
