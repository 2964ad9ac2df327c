/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of the network that an NCCL test across hosts went over, from what it printed. */
#include <string.h>

#include "../arena_test.h"
#include "wide.h"

#define UUID "11111111-1111-4111-8111-111111111111"
#define HEAD                                                                                               \
    "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 1048576 step: 2(factor) warmup iters: 5 iters: 20 agg " \
    "iters: 1 "                                                                                            \
    "validation: 1 graph: 0\n#\n# Using devices\n"
#define RANK(n, host, device) \
    "#  Rank  " n " Group  0 Pid    100 on " host " device  " device " [0x19] NVIDIA H100\n"
#define TABLE                                                                                                \
    "#\n#       size         count      type   redop    root     time   algbw   busbw #wrong     time   "    \
    "algbw   busbw "                                                                                         \
    "#wrong\n     1048576        262144     float     sum      -1   100.00   10.49   15.73      0   100.00 " \
    "  10.49   "                                                                                             \
    "15.73      0\n# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 15.73\n#\n"
#define FOUR RANK("0", "n1", "0") RANK("1", "n1", "1") RANK("2", "n2", "0") RANK("3", "n2", "1")
#define SAYS(host, text) host ":100:110 [0] NCCL INFO " text "\n"
#define BOTH_HCAS "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB eth0:10.0.0.1<0>"

/* The reading of a step over n1 and n2 that printed this. */
static const struct reading *read_output(struct arena *arena, const char *output)
{
    struct attempt *attempt = arena_new(arena, struct attempt);
    const char *out =
        arena_printf(arena, "@assay-part " UUID " begin main\n%s\n@assay-part " UUID " end main 0\n", output);
    const char *err = "@assay-part " UUID " begin main\n\n@assay-part " UUID " end main 0\n";
    struct check_context context;

    wide_context(arena, "", WIDE_HCAS, 2, &context);
    *attempt = (struct attempt){.uuid = UUID, .state = ATTEMPT_ENDED, .end = ATTEMPT_RAN};
    attempt->captures[0] = (struct capture){.stream = "stdout", .bytes = slice_of(out)};
    attempt->captures[1] = (struct capture){.stream = "stderr", .bytes = slice_of(err)};
    check_read(&context, attempt);
    return &attempt->reading;
}

/* The fact, or why there is none. */
static const char *told(const struct reading *reading, const char *metric)
{
    const char *value = reading_get_fact(reading, metric, "");

    for (size_t i = 0; value == NULL && i < reading->findings.count; i++)
        if (strncmp(reading->findings.items[i].code, metric, strlen(metric)) == 0)
            value = reason_english(reading->arena, reading->findings.items[i].what);
    return value != NULL ? value : "nothing";
}

static void the_network_is_known_where_every_host_told_it(void **state)
{
    static const struct {
        const char *lines, *transport, *hcas;
    } cases[] = {
        {SAYS("n1", BOTH_HCAS) SAYS("n1", "Using network IB") SAYS("n2", BOTH_HCAS)
             SAYS("n2", "Using network IB"),
         "NET/IB", "all"},
        /* A plugin's name, a line with a time before it, adapters that are one to NCCL. */
        {SAYS("n1", BOTH_HCAS) SAYS("n1", "Using network IBext_v8")
             SAYS("[2026-01-02 03:04:05] n2",
                  "NET/IB : Using [0]={[0] mlx5_0:1/RoCE [1] mlx5_1:1/RoCE} [RO]; OOB eth0:n2<0>")
                 SAYS("[2026-01-02 03:04:05] n2", "Using network IB"),
         "NET/IB", "all"},
        {SAYS("n1", BOTH_HCAS) SAYS("n1", "Using network IB") SAYS("n2", "NET/IB : No device found.")
             SAYS("n2", "Using network Socket"),
         "NET/Socket on n2", "n2 lacks mlx5_0, mlx5_1"},
        {SAYS("n1", BOTH_HCAS) SAYS("n1", "Using network IB")
             SAYS("n2", "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:n2<0>") SAYS("n2", "Using network IB"),
         "NET/IB", "n2 lacks mlx5_1"},
        /* mlx5_10 is not mlx5_1. */
        {SAYS("n1", "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_10:1/IB [RO]; OOB eth0:n2<0>")
             SAYS("n1", "Using network IB") SAYS("n2", BOTH_HCAS) SAYS("n2", "Using network IB"),
         "NET/IB", "n1 lacks mlx5_1"},
        {SAYS("n1", BOTH_HCAS) SAYS("n1", "Using network IB") SAYS("n2", BOTH_HCAS)
             SAYS("n2", "Using network IB") SAYS("n1", "Channel 00/0 : 0[0] -> 2[0] [send] via NET/Socket/0"),
         "NET/Socket between some ranks", "all"},
        {SAYS("n1", BOTH_HCAS) SAYS("n1", "Using network IB"), "only 1 of 2 hosts reported it",
         "only 1 of 2 hosts reported it"},
        {SAYS("n1", BOTH_HCAS) SAYS("n1", "Using network IB") SAYS("n2", "Using network IB"), "NET/IB",
         "n2 did not report its HCAs"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct reading *reading =
            read_output(*state, arena_printf(*state, "%s%s%s", HEAD FOUR, cases[i].lines, TABLE));

        assert_int_equal(reading->status, READING_COMPLETE);
        assert_string_equal(told(reading, "nccl.hosts"), "2");
        assert_string_equal(told(reading, "nccl.net_transport"), cases[i].transport);
        assert_string_equal(told(reading, "nccl.net_hcas"), cases[i].hcas);
    }
}

static void a_silent_nccl_is_no_pass_and_the_remedy_is_said(void **state)
{
    const struct reading *reading = read_output(*state, HEAD FOUR TABLE);

    assert_null(reading_get_fact(reading, "nccl.net_transport", ""));
    assert_null(reading_get_fact(reading, "nccl.net_hcas", ""));
    assert_non_null(strstr(told(reading, "nccl.net_transport"), "set NCCL_DEBUG=INFO"));
}

static void ranks_that_share_a_host_are_counted(void **state)
{
    const struct reading *reading = read_output(*state, HEAD RANK("0", "n1", "0") RANK("1", "n1", "1")
                                                            RANK("2", "n1", "0") RANK("3", "n1", "1") TABLE);

    assert_string_equal(told(reading, "nccl.hosts"), "1");
}

#define ALONE HEAD RANK("0", "n1", "0")

static void tests_built_without_mpi_are_no_test_across_hosts(void **state)
{
    static const char *const outputs[] = {ALONE TABLE ALONE TABLE ALONE TABLE ALONE TABLE,
                                          ALONE ALONE ALONE ALONE TABLE TABLE TABLE TABLE};

    for (size_t i = 0; i < ARRAY_SIZE(outputs); i++) {
        const struct reading *reading = read_output(*state, outputs[i]);

        assert_int_not_equal(reading->status, READING_COMPLETE);
        assert_non_null(strstr(reason_english(reading->arena, reading->reason), "built without MPI"));
        assert_non_null(strstr(told(reading, "nccl.no_mpi"), "its own test"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(the_network_is_known_where_every_host_told_it),
        ARENA_TEST(a_silent_nccl_is_no_pass_and_the_remedy_is_said),
        ARENA_TEST(ranks_that_share_a_host_are_counted),
        ARENA_TEST(tests_built_without_mpi_are_no_test_across_hosts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
