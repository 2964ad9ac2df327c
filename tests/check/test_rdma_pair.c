/* SPDX-License-Identifier: Apache-2.0 */
/* rdma-pair: one direction at a time and both at once are two metrics, and no number of the one passes for the other. */
#include <math.h>
#include <string.h>

#include "../arena_test.h"
#include "wide.h"

#define RULE "---------------------------------------------------------------------------------------\n"
#define OUTPUT(title, gbits)                                                                            \
    RULE "                    " title "\n Dual-port       : OFF\t\tDevice         : mlx5_0\n" RULE      \
         " local address: LID 0x02 QPN 0x0128 PSN 0x5d4f4b RKey 0x1fff00 VAddr 0x007f0e7e200000\n" RULE \
         " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"           \
         " 1048576    20000            " gbits "             " gbits " \t\t   0.092\n" RULE

static void pair_context(struct arena *arena, const char *arguments, struct check_context *ret_context)
{
    struct error err = {0};
    const struct suite *suite =
        suite_parse(arena, "suite",
                    slice_of(arena_printf(arena,
                                          "{\"name\": \"s\", \"steps\": [{\"check\": \"rdma-pair\", "
                                          "\"scope\": \"pair\", \"arguments\": {%s}}]}",
                                          arguments)),
                    &err);

    wide_context(arena, "", WIDE_HCAS, 2, ret_context);
    if (suite == NULL)
        fail_msg("%s", err.text);
    ret_context->suite = suite;
    ret_context->step = &suite->steps.items[0];
    ret_context->check = check_find("rdma-pair");
    if (check_arguments_valid(ret_context->check, ret_context->step, &err) < 0)
        fail_msg("%s", err.text);
}

static const struct slot *first_slot(const struct check_context *context)
{
    struct slot_list slots = {0};

    context->check->more_slots(context, &slots);
    assert_int_equal(slots.slots.count, 2 * 2);
    return &slots.slots.items[0];
}

static void both_directions_at_once_are_a_metric_of_its_own_with_twice_the_floor(void **state)
{
    static const struct {
        const char *arguments, *metric, *at;
        double floor;
    } cases[] = {
        {"", "rdma.write.bandwidth", "way=there stat=average size_bytes=1048576", 360},
        {"\"bidirectional\": false", "rdma.write.bandwidth", "way=there stat=average size_bytes=1048576",
         360},
        {"\"bidirectional\": true", "rdma.write.bidirectional.bandwidth",
         "way=there stat=average size_bytes=1048576", 720},
        {"\"bidirectional\": true, \"operation\": \"send\", \"gpudirect\": true",
         "rdma.send.gpudirect.bidirectional.bandwidth", "way=there stat=average size_bytes=1048576", 720},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct check_context context;
        const struct slot *slot;
        cleanup_text struct text command = {0};
        bool both = strstr(cases[i].metric, "bidirectional") != NULL;

        pair_context(*state, cases[i].arguments, &context);
        slot = first_slot(&context);
        assert_string_equal(slot->metric, cases[i].metric);
        assert_string_equal(slot->at, cases[i].at);
        assert_true(fabs(slot->own[0].value - cases[i].floor) < 1e-9);
        text_init(&command, 1 << 16);
        context.check->parts[0].command(&context, &command);
        assert_int_equal(strstr(command.bytes, " --report_gbits -b") != NULL, both);
    }
}

/* What the part "there" of a step with these arguments measures for its item; NAN: nothing. */
static double measured(struct arena *arena, const char *arguments, const char *output)
{
    struct check_context context;
    struct attempt attempt = {0};
    struct reading *out = arena_new(arena, struct reading);
    struct part *part = list_push(arena, &attempt.parts);
    double value = NAN;

    pair_context(arena, arguments, &context);
    *part =
        (struct part){.name = "there", .command = "", .began = true, .ended = true, .out = slice_of(output)};
    parser_run(parser_find("perftest"), part->out, arena, &part->reading);
    assert_int_equal(part->reading.status, READING_COMPLETE);
    reading_init(out, arena, "rdma-pair");
    context.check->read(&context, &attempt, out);
    for (size_t i = 0; i < out->measurements.count; i++)
        if (strcmp(out->measurements.items[i].metric, first_slot(&context)->metric) == 0)
            value = out->measurements.items[i].value;
    return value;
}

/* A wrapper of the tool may add -b, or leave it out. */
static void the_sum_of_both_directions_never_passes_for_one_nor_one_for_the_sum(void **state)
{
    static const char both[] = "\"bidirectional\": true";

    assert_true(measured(*state, both, OUTPUT("RDMA_Write Bidirectional BW Test", "772.10")) == 772.10);
    assert_true(measured(*state, "", OUTPUT("RDMA_Write BW Test", "392.10")) == 392.10);
    assert_true(isnan(measured(*state, both, OUTPUT("RDMA_Write BW Test", "392.10"))));
    assert_true(isnan(measured(*state, "", OUTPUT("RDMA_Write Bidirectional BW Test", "400.00"))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(both_directions_at_once_are_a_metric_of_its_own_with_twice_the_floor),
        ARENA_TEST(the_sum_of_both_directions_never_passes_for_one_nor_one_for_the_sum),
    };

    return cmocka_run_group_tests_name("rdma-pair", tests, NULL, NULL);
}
