/* SPDX-License-Identifier: Apache-2.0 */
/* What links can carry, against figures that were computed by hand or measured on healthy clusters. */
#include "../unit_test.h"
#include "ceiling.h"
#include "computed.h"

static const struct limit *ceiling_on(struct arena *arena, const char *name, const char *collective,
                                      size_t members, unsigned gpus_per_host)
{
    struct error err = {0};
    const struct check_context context = {
        .arena = arena, .platform = platform_load(arena, name, &err), .member_count = members};

    assert_non_null(context.platform);
    return ceiling_of_collective(&context, collective, gpus_per_host);
}

static void links_and_adapters_bound_each_collective(void **state)
{
    static const struct {
        const char *platform, *collective;
        size_t members;
        unsigned gpus_per_host;
        double ceiling, most; /* GB/s */
    } rows[] = {
        {"hgx-h100", "all_gather", 1, 8, 450, 450},
        {"hgx-h100", "all_reduce", 1, 8, 450, 495}, /* NVLS: 483 was measured */
        {"hgx-a100", "all_reduce", 1, 8, 300, 300}, /* no NVLS */
        {"hgx-h100", "all_gather", 4, 8, 400, 400},
        {"hgx-h100", "all_reduce", 2, 8, 400, 495},     /* trees over two hosts: 488 was measured */
        {"hgx-h100", "alltoall", 2, 8, 93.75, 93.75},   /* 50 * 15 / 8 */
        {"hgx-a100", "alltoall", 2, 8, 46.875, 46.875}, /* 25 * 15 / 8 */
        {"hgx-h100", "all_gather", 4, 1, 50, 50},       /* along one rail */
        {"hgx-h100", "all_reduce", 4, 1, 50, 100},
    };
    struct arena *arena = arena_create();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct limit *limit =
            ceiling_on(arena, rows[i].platform, rows[i].collective, rows[i].members, rows[i].gpus_per_host);

        assert_non_null(limit);
        assert_int_equal(limit->rule, RULE_PLAUSIBLE);
        assert_float_equal(limit->value, rows[i].ceiling, 0.001);
        assert_float_equal(limit_gate(limit), rows[i].most, 0.001);
        assert_string_equal(limit->unit, "GB/s");
    }
    arena_destroy(arena);
}

/* Beside what the check says itself: which is more than nothing, and no bound. */
static void links_bound_copies_and_transfers(void **state)
{
    static const struct {
        const char *platform, *metric;
        double most; /* 0: nobody knows */
    } rows[] = {
        {"hgx-h100", "p2p.unidirectional.enabled", 450},
        {"hgx-h100", "p2p.bidirectional.enabled", 900},
        {"hgx-h100", "p2p.unidirectional.disabled", 0}, /* by whatever joins them */
        {"hgx-h100", "gpu_links.one_way", 450},
        {"hgx-h100", "gpu_links.up", 0},
        {"hgx-h100", "rdma.write.bandwidth", 400},
        {"hgx-h100", "rdma.write.bidirectional.bandwidth", 800},
        {"hgx-h100", "gpu_burn.gflops", 0},
    };
    static const struct limit own[] = {
        {.metric = "x", .rule = RULE_FLOOR, .value = 0.01, .status = LIMIT_TOOL}, {.metric = NULL}};
    struct arena *arena = arena_create();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct error err = {0};
        const struct check_context context = {
            .arena = arena, .platform = platform_load(arena, rows[i].platform, &err), .member_count = 1};
        struct slot_list slots = {0};
        const struct slot *slot;

        assert_non_null(context.platform);
        slot = slot_add(&context, &slots, rows[i].metric, "", NULL, DUTY_GATE, own);
        assert_int_equal(slot->own_count, rows[i].most > 0 ? 2 : 1);
        assert_int_equal(slot->own[0].rule, RULE_FLOOR);
        if (rows[i].most > 0) {
            assert_int_equal(slot->own[1].rule, RULE_PLAUSIBLE);
            assert_float_equal(slot->own[1].value, rows[i].most, 0.001);
        }
        slot = slot_add(&context, &slots, rows[i].metric, "", NULL, DUTY_GATE, NULL);
        assert_int_equal(slot->own_count, rows[i].most > 0);
    }
    arena_destroy(arena);
}

/* Two racks of NVL72: the adapters of the one that has fewer of the hosts, 4 of 50 GB/s each, carry what leaves it. */
static void the_rack_with_the_fewest_hosts_bounds_what_crosses_racks(void **state)
{
    static const struct {
        const char *collective;
        unsigned one, other; /* hosts in each rack */
        double ceiling, most;
    } rows[] = {
        {"all_gather", 18, 18, 900, 900},
        {"all_reduce", 18, 18, 900, 990},
        {"all_gather", 18, 1, 200, 200.0 * 75 / 72}, /* (n - 1) / (n - g) */
        {"all_gather", 1, 1, 200, 200.0 * 7 / 4},
        {"all_reduce", 1, 1, 200, 2 * 200.0 * 7 / 8},
        {"alltoall", 9, 9, 50.0 * 71 / 36, 50.0 * 71 / 36},
    };
    struct arena *arena = arena_create();
    struct error err = {0};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        unsigned count = rows[i].one + rows[i].other;
        struct host hosts[36];
        const struct host *members[36];
        struct check_context context = {.arena = arena,
                                        .platform = platform_load(arena, "gb200-nvl72", &err),
                                        .members = members,
                                        .member_count = count};
        const struct limit *limit;

        for (unsigned k = 0; k < count; k++) {
            hosts[k] = (struct host){.rack = k < rows[i].one ? "a" : "b"};
            members[k] = &hosts[k];
        }
        limit = ceiling_of_collective(&context, rows[i].collective, 4);
        assert_non_null(limit);
        assert_float_equal(limit->value, rows[i].ceiling, 0.001);
        assert_float_equal(limit_gate(limit), rows[i].most, 0.001);
    }
    arena_destroy(arena);
}

static void what_nobody_can_compute_has_no_ceiling(void **state)
{
    struct arena *arena = arena_create();

    (void)state;
    assert_null(ceiling_on(arena, "hgx-h100", "sendrecv", 2, 8));
    arena_destroy(arena);
}

/* By hand: the share of 50 GB/s * (n - 1) / (n - 8), 25 of A100. A fabric whose paths collide so that it has less fails.
   Beyond 540 hosts nobody has measured it. 1 GiB at 50 GB/s is as much for each as it was there on up to 540 ranks, 8 GiB at
   100 GB/s on 2152: smaller pieces measure latency, which a healthy fabric has too. */
static void an_alltoall_over_many_hosts_has_a_floor_as_far_as_one_was_measured(void **state)
{
    static const struct {
        const char *platform;
        size_t hosts;
        double gib, floor; /* floor 0: none */
    } rows[] = {
        {"hgx-h100", 10, 8, 40.0}, /* 0.73 of 54.86; 50 was measured */
        {"hgx-h100", 11, 8, 14.1},  {"hgx-h100", 17, 8, 13.7},  {"hgx-h100", 64, 8, 13.1},
        {"hgx-h100", 540, 8, 13.0}, {"hgx-h100", 541, 16, 0},   {"hgx-h100", 1250, 8, 0},
        {"hgx-h100", 66, 1, 13.1},  {"hgx-h100", 68, 1, 0},     {"hgx-a100", 17, 8, 6.8},
        {"hgx-a100", 540, 8, 6.5},  {"hgx-b200", 232, 8, 13.0}, {"hgx-b300", 269, 8, 26.0},
        {"hgx-b300", 270, 8, 0},
    };
    struct arena *arena = arena_create();
    struct error err = {0};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct check_context context = {.arena = arena,
                                              .platform = platform_load(arena, rows[i].platform, &err),
                                              .member_count = rows[i].hosts};
        const struct limit *limits = computed_of_collective(&context, "alltoall", 8, rows[i].gib * (1 << 30));

        assert_non_null(limits);
        assert_int_equal(limits[0].rule, RULE_PLAUSIBLE);
        if (rows[i].floor == 0) {
            assert_null(limits[1].metric);
            continue;
        }
        assert_int_equal(limits[1].rule, RULE_FLOOR);
        assert_int_equal(limits[1].status, LIMIT_COMPUTED);
        assert_float_equal(limits[1].value, rows[i].floor, 0.001);
    }
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_and_adapters_bound_each_collective),
        cmocka_unit_test(links_bound_copies_and_transfers),
        cmocka_unit_test(the_rack_with_the_fewest_hosts_bounds_what_crosses_racks),
        cmocka_unit_test(what_nobody_can_compute_has_no_ceiling),
        cmocka_unit_test(an_alltoall_over_many_hosts_has_a_floor_as_far_as_one_was_measured),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
