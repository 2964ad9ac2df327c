/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ib_write_bw of every compute HCA, on one host, one after the other. What that can honestly show depends on
 * where the data goes:
 *
 *   loopback   from an HCA to itself. The data does not leave the adapter: it shows the host's side, PCIe,
 *              memory, firmware. Cable, transceiver and switch are not tried. Works on InfiniBand and RoCE.
 *   neighbour  from each HCA to the next one in rail order, the last to the first: over both cables and the
 *              switches between, each HCA sending and receiving once. InfiniBand only: two addresses of one
 *              host on Ethernet are joined by the kernel and never reach the wire.
 *
 * Neither replaces a test between hosts.
 */
#include <math.h>
#include <string.h>

#include "assay/reasons/check.h"

#include "rdma.h"
#include "script.h"

static bool is_loopback(const struct check_context *context)
{
    return strcmp(check_text(context, "path"), "loopback") == 0;
}

/* Where the i-th HCA sends to; NULL when there is no i-th. */
static const char *receiver(const struct check_context *context, size_t i)
{
    if (check_hca(context, i) == NULL)
        return NULL;
    if (is_loopback(context))
        return check_hca(context, i);
    return check_hca(context, i + 1) != NULL ? check_hca(context, i + 1) : check_hca(context, 0);
}

static const char *subject_of(const struct check_context *context, size_t i)
{
    return is_loopback(context)
               ? check_hca(context, i)
               : arena_printf(context->arena, "%s->%s", check_hca(context, i), receiver(context, i));
}

static void command(const struct check_context *context, struct text *out)
{
    script_begin(out, "ib_write_bw of each HCA");
    text_put(out, "set --");
    for (size_t i = 0; check_hca(context, i) != NULL; i++) {
        script_word(out, check_hca(context, i));
        script_word(out, receiver(context, i));
    }
    text_put(out, "\n");
    rdma_put_run(context, RDMA_FIRST_PORT, check_number(context, "size"), " --report_gbits", out);
    script_set_number(out, "pause_s", fmax(2 / context->timescale, 0.1), 1);
    script_tool_exec(context, out, "ib_bw", "ib_write_bw");
    text_put(out, script_rdma_local);
}

static void read_runs(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    const struct rdma_names names = {.subject = subject_of};

    out->status = READING_COMPLETE;
    rdma_read_part(context, attempt_part(attempt, "perftest"), &names, out);
}

static void slots_of_rails(const struct check_context *context, struct slot_list *slots)
{
    const struct limit *rules = rdma_share_of_rate(context, "rdma.write.bandwidth", 1);
    const char *at =
        arena_printf(context->arena, "stat=average size_bytes=%.0f", check_number(context, "size"));

    for (size_t i = 0; check_hca(context, i) != NULL; i++)
        slot_add(context, slots, "rdma.write.bandwidth", subject_of(context, i), at, DUTY_GATE, rules);
}

static const char *arguments_fault(const struct check_context *context)
{
    const char *path = check_text(context, "path");

    if (strcmp(path, "loopback") != 0 && strcmp(path, "neighbour") != 0)
        return "path is neither loopback nor neighbour";
    return check_hcas_fault(context);
}

static bool applies(const struct platform *platform)
{
    return platform->hcas.count > 1;
}

static unsigned expected_s(const struct check_context *context)
{
    return 10 + 10 * rdma_hca_count(context);
}

const struct check check_rdma_bandwidth = {
    .name = "rdma-bandwidth",
    .title = "RDMA bandwidth",
    .summary = "ib_write_bw of every compute HCA: to itself, or to the next rail over the switches",
    .as_root = true,
    .exclusive = EXCLUSIVE_HOST,
    .window = true,
    .loads = LOAD_PORTS,
    .applies = applies,
    .arguments = ARGUMENTS(
        HCAS_ARGUMENT_ROW,
        {"path", ARGUMENT_TEXT, "loopback",
         "loopback: each HCA to itself, inside the adapter; neighbour: to the next rail, over the switches "
         "(InfiniBand only)"},
        {"size", ARGUMENT_SIZE, "1M", "of one message"},
        {"iterations", ARGUMENT_COUNT, "20000", "messages of one run; short runs show too little",
         MORE_IS_MORE}),
    .arguments_fault = arguments_fault,
    .parts = PARTS({"perftest", "perftest", command, NULL}),
    .remedies = REMEDIES({"rdma.*", REASON(look_at_hca_or_cables)}, {"sound", REASON(is_perftest_installed)}),
    .more_slots = slots_of_rails,
    .plain = PLAIN_WORDS({"rdma.*", PLAIN(rdma_runs_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)}),
    .expected = expected_s,
    .read = read_runs,
};
