/* SPDX-License-Identifier: Apache-2.0 */
/* Which settings of a suite are advised against. */
#include <string.h>

#include "../arena_test.h"
#include "assay/model/advice.h"

/* The only note on this variable in the launcher's environment; "" when there is none. */
static const char *note_on(struct arena *arena, const char *name, const char *value)
{
    struct error err = {0};
    const struct suite *suite = suite_parse(
        arena, "s.json",
        slice_of(arena_printf(arena,
                              "{\"name\": \"s\", \"launcher\": {\"environment\": {\"%s\": \"%s\"}}, "
                              "\"steps\": [{\"check\": \"reachable\"}]}",
                              name, value)),
        &err);
    struct advice advice;

    if (suite == NULL)
        fail_msg("%s", err.text);
    advice_of_suite(arena, suite, &advice);
    assert_true(advice.notes.count <= 1);
    return advice.notes.count == 1 ? reason_english(arena, advice.notes.items[0]) : "";
}

static void what_harms_a_test_is_advised_against_with_its_reason(void **state)
{
    static const char *const cases[][3] = {
        {"NCCL_ALGO", "Tree", "leave it unset"},
        {"NCCL_MIN_NRINGS", "8", "outdated"},
        {"NCCL_NET_GDR_LEVEL", "3", "use PIX, PXB, PHB or SYS"},
        {"NCCL_IB_TIMEOUT", "22", "17 s each"},
        {"NCCL_IB_RETRY_CNT", "8", "7 is the most"},
        {"NCCL_IB_RETRY_CNT", "13", "7 is the most"},
        {"NCCL_IB_QPS_PER_CONNECTION", "8", "ECMP"},
        {"NCCL_IB_QPS_PER_CONNECTION", "16", "ECMP"},
        {"NCCL_IB_GID_INDEX", "3", "since 2.21"},
        {"NCCL_IB_PCI_RELAXED_ORDERING", "1", "the default, 2"},
        {"NCCL_IB_HCA", "mlx5_0,mlx5_1", "put = before"},
        {"NCCL_SHM_DISABLE", "1", "network adapters"},
        {"NCCL_P2P_DISABLE", "1", "NVLink"},
        {"NCCL_NVLS_ENABLE", "0", "multicast"},
        {"NCCL_IB_DISABLE", "1", "sockets"},
        {"NCCL_TOPO_FILE", "/etc/cluster.xml", "one host"},
        {"NCCL_IB_CUDA_SUPPORT", "1", "does nothing"},
        {"NCCL_DEBUG_FILE", "/tmp/x", "hides"},
        {"NET_DEVICES", "bond1", "not a variable of NCCL"},
        {"UCX_TLS", "tcp", "does not use UCX"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const char *note = note_on(*state, cases[i][0], cases[i][1]);

        if (strstr(note, cases[i][2]) == NULL)
            fail_msg("%s=%s: %s", cases[i][0], cases[i][1], note);
        assert_non_null(
            strstr(note, arena_printf(*state, "launcher.environment: %s=%s: ", cases[i][0], cases[i][1])));
    }
}

static void what_is_right_is_left_alone(void **state)
{
    static const char *const cases[][2] = {
        {"NCCL_IB_HCA", "=mlx5_0,mlx5_1"},
        {"NCCL_IB_HCA", "^mlx5_bond_0"},
        {"NCCL_IB_TIMEOUT", "20"},
        {"NCCL_IB_RETRY_CNT", "7"},
        {"NCCL_IB_QPS_PER_CONNECTION", "1"},
        {"NCCL_NET_GDR_LEVEL", "PXB"},
        {"NCCL_SHM_DISABLE", "0"},
        {"NCCL_IB_PCI_RELAXED_ORDERING", "2"},
        {"NCCL_DEBUG", "INFO"},
        {"NCCL_NVLS_ENABLE", "1"},
        {"NCCL_SOCKET_IFNAME", "eth0"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_string_equal(note_on(*state, cases[i][0], cases[i][1]), "");
}

static void every_environment_of_a_suite_is_looked_at(void **state)
{
    static const char text[] =
        "{\"name\": \"s\", \"environment\": {\"NCCL_ALGO\": \"Tree\"}, \"tools\": {\"all_reduce_perf\": "
        "{\"environment\": {\"NCCL_P2P_DISABLE\": \"1\"}}}, \"launcher\": {\"environment\": {\"UCX_TLS\": "
        "\"tcp\"}}, "
        "\"steps\": [{\"name\": \"tune\", \"check\": \"nccl-all-reduce\", \"variants\": {\"default\": {}, "
        "\"none\": "
        "{\"NCCL_IB_DISABLE\": \"1\"}}}]}";
    static const char *const places[] = {
        "environment: NCCL_ALGO", "tools.all_reduce_perf.environment: NCCL_P2P_DISABLE",
        "launcher.environment: UCX_TLS", "tune.variants.none: NCCL_IB_DISABLE"};
    struct error err = {0};
    const struct suite *suite = suite_parse(*state, "s.json", slice_of(text), &err);
    struct advice advice;

    assert_non_null(suite);
    advice_of_suite(*state, suite, &advice);
    assert_int_equal(advice.notes.count, 4);
    for (size_t i = 0; i < 4; i++) {
        const char *note = reason_english(*state, advice.notes.items[i]);

        assert_ptr_equal(strstr(note, places[i]), note);
    }
    assert_string_equal(
        reason_said(*state, LANGUAGE_ZH, advice.notes.items[2]),
        "launcher.environment：UCX_TLS=tcp：只与 MPI 有关，而 MPI 只启动 rank；NCCL 不使用 UCX"
        "（NCCL 文档，环境变量）");
}

static void nothing_is_said_of_the_built_in_suites(void **state)
{
    static const char *const names[] = {"delivery", "periodic", "smoke"};

    for (size_t i = 0; i < 3; i++) {
        struct error err = {0};
        const struct suite *suite = suite_load(*state, names[i], &err);
        struct advice advice;

        assert_non_null(suite);
        advice_of_suite(*state, suite, &advice);
        assert_int_equal(advice.notes.count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(what_harms_a_test_is_advised_against_with_its_reason),
        ARENA_TEST(what_is_right_is_left_alone),
        ARENA_TEST(every_environment_of_a_suite_is_looked_at),
        ARENA_TEST(nothing_is_said_of_the_built_in_suites),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
