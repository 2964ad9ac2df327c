/* SPDX-License-Identifier: Apache-2.0 */
/* What loads a host between two looks at it: errors of ports show under traffic, those of memory under computing. */
#include <string.h>

#include "../arena_test.h"
#include "assay/check/loads.h"
#include "wide.h"

/* Of a step as the suite has it; over several hosts where it is of no host alone. */
static load_set loads_of(struct arena *arena, struct load_ports *ports, const char *step, const char *variant)
{
    struct error err = {0};
    const struct suite *suite = suite_parse(
        arena, "suite", slice_of(arena_printf(arena, "{\"name\": \"s\", \"steps\": [{%s}]}", step)), &err);
    struct check_context context = {.arena = arena, .variant = variant};

    if (suite == NULL)
        fail_msg("%s", err.text);
    context.step = &suite->steps.items[0];
    context.check = check_find(context.step->check);
    context.member_count = strcmp(context.step->scope, "host") == 0 ? 1 : 2;
    return check_loads(&context, ports);
}

/* Whether two looks of that check with the test between them tell what the plan's would. */
static bool suffices(struct arena *arena, const char *look, const char *const planned[], const char *done)
{
    struct load_ports ports = {0};
    load_set all = 0;

    for (size_t i = 0; planned[i] != NULL; i++)
        all |= loads_of(arena, &ports, planned[i], "");
    return loads_missing(check_loads_owed(check_find(look), all), loads_of(arena, &ports, done, "")) == 0;
}

#define BURN "\"check\": \"gpu-burn\""
#define P2P "\"check\": \"p2p-bandwidth\""
#define DCGM(level) "\"check\": \"dcgm-diag\", \"arguments\": {\"level\": " level "}"
#define ALONE "\"check\": \"nccl-all-reduce\", \"scope\": \"host\""
#define RING "\"check\": \"nccl-all-reduce\", \"scope\": \"cluster\""
#define BURNED \
    "\"check\": \"nccl-all-reduce\", \"scope\": \"cluster\", \"arguments\": {\"beside\": \"gpu-burn\"}"
#define LATENCY "\"check\": \"rdma-pair\", \"scope\": \"pair\", \"arguments\": {\"latency\": true}"
#define RDMA "\"check\": \"rdma-pair\", \"scope\": \"pair\""
#define ONE_PORT "\"check\": \"rdma-pair\", \"scope\": \"pair\", \"arguments\": {\"hcas\": [\"mlx5_0\"]}"

static void look_takes_a_load_of_what_it_looks_at(void **state)
{
    static const char *const delivery[] = {P2P, ALONE, DCGM("3"), BURN, LATENCY, RDMA, RING, NULL},
                             *const brief[] = {P2P, DCGM("1"), LATENCY, NULL},
                             *const computing[] = {BURN, NULL}, *const nothing[] = {NULL};
    static const struct {
        const char *look;
        const char *const *planned;
        const char *done;
        bool suffices;
    } cases[] = {
        {"fabric-counters", delivery, RDMA, true},
        {"fabric-counters", delivery, RING, true},
        {"fabric-counters", delivery, BURN, false},    /* no port carries anything */
        {"fabric-counters", delivery, ALONE, false},   /* nor here */
        {"fabric-counters", delivery, LATENCY, false}, /* messages of 2 bytes */
        {"fabric-counters", delivery, ONE_PORT, false},
        {"fabric-counters", brief, LATENCY, true}, /* all that there is */
        {"fabric-counters", brief, P2P, false},
        {"fabric-counters", computing, BURN, true}, /* no test loads ports: any counts */
        {"fabric-counters", nothing, P2P, true},
        {"ib-port", delivery, BURN, false},
        {"ecc", delivery, BURN, true},
        {"ecc", delivery, DCGM("3"), true},
        {"ecc", delivery, DCGM("2"), false},
        {"ecc", delivery, RING, false},
        {"ecc", delivery, BURNED, true}, /* the burn beside it */
        {"ecc", brief, DCGM("1"), true},
        {"nvlink", delivery, ALONE, true},
        {"nvlink", delivery, BURN, false}, /* no GPU talks to another */
        {"nvlink", delivery, P2P, false},
        {"bom", delivery, BURN, false}, /* about all: all must have been loaded */
        {"bom", computing, BURN, true},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        if (suffices(*state, cases[i].look, cases[i].planned, cases[i].done) != cases[i].suffices)
            fail_msg("case %zu: %s after %s", i, cases[i].look, cases[i].done);
}

static void tests_by_rail_load_a_port_each(void **state)
{
    struct load_ports ports = {0};
    static const char step[] = "\"check\": \"nccl-all-gather\", \"scope\": \"group\", \"by\": \"rail\"";
    load_set first = loads_of(*state, &ports, step, "mlx5_0"),
             second = loads_of(*state, &ports, step, "mlx5_1"), all = loads_of(*state, &ports, RING, "");
    load_set owed = check_loads_owed(check_find("fabric-counters"), first | second);

    assert_true(loads_missing(owed, first) != 0);
    assert_int_equal(loads_kind(loads_missing(owed, first)), LOAD_PORTS);
    assert_int_equal(loads_missing(owed, first | second), 0);
    assert_int_equal(loads_missing(owed, all), 0);
    assert_true(loads_missing(check_loads_owed(check_find("fabric-counters"), first | all), first) != 0);
}

static void what_has_no_window_loads_nothing(void **state)
{
    struct load_ports ports = {0};
    size_t count;
    const struct check *const *checks = check_list(&count);

    assert_int_equal(loads_of(*state, &ports, "\"check\": \"ecc\"", ""), 0);
    for (size_t i = 0; i < count; i++) {
        if (checks[i]->window && checks[i]->loads == 0)
            fail_msg("check %s has a window and does not say what it loads", checks[i]->name);
        if (!checks[i]->window && (checks[i]->loads_across != 0 || checks[i]->slight != NULL))
            fail_msg("check %s has no window and says how it loads", checks[i]->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(look_takes_a_load_of_what_it_looks_at),
        ARENA_TEST(tests_by_rail_load_a_port_each),
        ARENA_TEST(what_has_no_window_loads_nothing),
    };

    return cmocka_run_group_tests_name("loads", tests, NULL, NULL);
}
