/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fabric that is slow everywhere alike, as pairs of hosts see it: no part is faster than another, so that neither peers nor
 * smaller groups show it. Its ports' rate does.
 */
#include <string.h>

#include "../arena_test.h"
#include "../says_test.h"
#include "truth_fleet.h"

static const char *const pairs[] = {"rdma-pair", NULL};
static const unsigned sizes[] = {4, 16, 64, 232};
/* Of a site that asks for little more than half of the rate: no limit but that of the rate itself is near. */
#define LENIENT                                                                                                \
    "{\"name\": \"lenient\", \"title\": \"lenient\", \"purpose\": \"delivery\", \"steps\": [{\"check\": "      \
    "\"rdma-pair\", \"scope\": \"pair\", \"limits\": [{\"metric\": \"rdma.write.bandwidth\", \"floor\": 220, " \
    "\"unit\": \"Gb/s\", \"source\": \"the site\", \"status\": \"provisional\"}]}]}"

struct counts {
    size_t items, passes, remarks, fails;
    const char *remark;
};

static struct counts judged(struct arena *arena, const char *suite, unsigned hosts, double loss)
{
    static const struct truth_scatter as_the_lab = {.noise = 0.0026};
    struct truth_fleet fleet;
    struct counts counts = {0};
    uint64_t random = hosts;

    truth_fleet_make(arena, hosts, 0, suite, pairs, &fleet);
    truth_fleet_draw(&fleet, &as_the_lab, &random);
    for (size_t i = 0; i < fleet.parts.count; i++)
        fleet.parts.items[i].loss = loss;
    truth_fleet_judge(&fleet, arena);
    counts.items = fleet.judgement.outcome_count;
    for (size_t i = 0; i < counts.items; i++) {
        const struct outcome *outcome = &fleet.judgement.outcomes[i];

        counts.fails += outcome->word == OUTCOME_FAIL;
        counts.remarks += outcome->word == OUTCOME_PASS && outcome->remark;
        counts.passes += outcome->word == OUTCOME_PASS && !outcome->remark;
        if (outcome->remark && strcmp(outcome->held->status, "guess") == 0)
            counts.remark = reason_english(arena, outcome->cause);
    }
    assert_int_equal(counts.passes + counts.remarks + counts.fails, counts.items);
    return counts;
}

static void each_port_of_a_fabric_5_percent_slow_is_remarked_at_any_size(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        struct counts counts = judged(*state, LENIENT, sizes[i], 0.05);

        assert_int_equal(counts.items, sizes[i] * 16);
        assert_int_equal(counts.remarks, counts.items);
        assert_says(counts.remark, "remark: rdma.write.bandwidth is 37");
        assert_says(counts.remark, " Gb/s, a guess expects >= 380 Gb/s");
    }
}

static void each_port_of_a_fabric_10_percent_slow_fails_at_any_size(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        struct counts counts = judged(*state, LENIENT, sizes[i], 0.10);

        assert_int_equal(counts.fails, counts.items);
    }
}

/* Clouds ask for 384 of 400 Gb/s, so that there 5% is a fail already. */
static void where_a_cloud_has_a_limit_5_percent_fails_by_it(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        struct counts counts = judged(*state, "delivery", sizes[i], 0.05);

        assert_int_equal(counts.fails, counts.items);
    }
}

static void a_healthy_fabric_passes_without_a_remark(void **state)
{
    static const char *const suites[] = {LENIENT, "delivery"};

    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
        for (size_t k = 0; k < ARRAY_SIZE(suites); k++) {
            struct counts counts = judged(*state, suites[k], sizes[i], 0);

            assert_int_equal(counts.passes, counts.items);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(each_port_of_a_fabric_5_percent_slow_is_remarked_at_any_size),
        ARENA_TEST(each_port_of_a_fabric_10_percent_slow_fails_at_any_size),
        ARENA_TEST(where_a_cloud_has_a_limit_5_percent_fails_by_it),
        ARENA_TEST(a_healthy_fabric_passes_without_a_remark),
    };

    return cmocka_run_group_tests_name("even fabric", tests, NULL, NULL);
}
