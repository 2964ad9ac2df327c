/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-gpu links: copies between the host's memory and each GPU, alone and all at once, between every two GPUs,
 * several pairs at once, from all to one, one to all and all to all; and how long a GPU waits for a word of another's memory. What nvbandwidth and p2pBandwidthLatencyTest measure one after the other is here under load: slow
 * where links are shared that should not be.
 */
#include "assay/reasons/check.h"

#include "probe_gpu.h"
#include "rules.h"

static void command(const struct check_context *context, struct text *out)
{
    probe_gpu_command(context, out, "links");
    text_printf(out, " --windows %.0f", check_number(context, "windows"));
}

#define MEASURED(metric_) PROBE_GPU_AT_LEAST(metric_, 0.01, "GB/s")

/* Where a GPU has another one. */
static void more_slots(const struct check_context *context, struct slot_list *slots)
{
    static const char *const metrics[] = {"gpu_links.all_to_one", "gpu_links.one_to_all",
                                          "gpu_links.all_to_all"};
    const unsigned gpus = context->platform->gpu_count;

    probe_gpu_slots(context, slots);
    for (size_t i = 0; gpus > 1 && i < ARRAY_SIZE(metrics); i++)
        for (unsigned gpu = 0; gpu < gpus; gpu++)
            slot_add(context, slots, metrics[i], arena_printf(context->arena, "gpu%u", gpu), NULL, DUTY_GATE,
                     rules_new(context, MEASURED(metrics[i])));
}

static unsigned expected_s(const struct check_context *context)
{
    unsigned gpus = context->platform->gpu_count;
    /* Of a GiB each at 20 GB/s: both ways alone and together; three times for each round of pairs; to one and from it. */
    double copies_s = check_number(context, "windows") / 20 * (4 * gpus + 3 * gpus + 2 * gpus);

    return PROBE_GPU_OPENING_S + (unsigned)copies_s;
}

const struct check check_gpu_links = {
    .name = "gpu-links",
    .title = "GPU links",
    .summary = "assay-probe-gpu: copies between host and GPUs, alone and all at once, and between GPUs, "
               "several pairs at once, all to one, one to all; and how long a word of another takes",
    PROBE_GPU_OF_HOST,
    .loads = LOAD_NVLINKS,
    .arguments = ARGUMENTS(
        {"windows", ARGUMENT_COUNT, "20", "windows of time in which each copy is measured", MORE_IS_MORE},
        PROBE_GPU_BACKEND_ROW),
    .arguments_valid = probe_gpu_valid,
    .parts = PARTS({"main", "assay-probe-gpu", command, NULL}),
    .items = ITEMS({"gpu_links.up", PER_GPU, NULL, DUTY_GATE, MEASURED("gpu_links.up")},
                   {"gpu_links.down", PER_GPU, NULL, DUTY_GATE, MEASURED("gpu_links.down")},
                   {"gpu_links.up.together", PER_GPU, NULL, DUTY_GATE, MEASURED("gpu_links.up.together")},
                   {"gpu_links.down.together", PER_GPU, NULL, DUTY_GATE, MEASURED("gpu_links.down.together")},
                   {"gpu_links.one_way", PER_GPU_PAIR, NULL, DUTY_GATE, MEASURED("gpu_links.one_way")},
                   {"gpu_links.both_ways", PER_GPU_PAIR, NULL, DUTY_GATE, MEASURED("gpu_links.both_ways")},
                   {"gpu_links.chase", PER_GPU_PAIR, NULL, DUTY_RECORD, NULL}, /* only where it is direct */
                   {"gpu_links.chase.own", PER_GPU, NULL, DUTY_RECORD, NULL},  /* no GPU has run it yet */
                   {"gpu_links.direct", PER_GPU_PAIR, NULL, DUTY_RECORD, NULL},
                   {"gpu_links.uuid", PER_GPU, NULL, DUTY_RECORD, NULL},
                   {"probe.program", PER_TARGET, NULL, DUTY_RECORD, NULL}),
    .more_slots = more_slots,
    /* The last is a read that waits for the one before; p2p's latency is of a copy. */
    .pairs = PAIR_METRICS({"gpu_links.one_way", "GB/s", "p2p.unidirectional.enabled"},
                          {"gpu_links.both_ways", "GB/s", "p2p.bidirectional.enabled"},
                          {"gpu_links.chase", "ns", NULL}),
    .remedies =
        REMEDIES({"gpu_links.up*", REASON(see_pcie_link_and_bios)},
                 {"gpu_links.down*", REASON(see_pcie_link_and_bios)},
                 {"gpu_links.*", REASON(see_nvlinks_of_both_gpus)}, {"sound", REASON(see_probe_gpu_starts)}),
    .plain = PLAIN_WORDS(
        {"gpu_links.one_way*", PLAIN(gpu_copies_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)},
        {"gpu_links.both_ways*",
         PLAIN(gpu_copies_both_ways_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)},
        {"gpu_links.all_to_one*", PLAIN(gpu_copies_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)},
        {"gpu_links.one_to_all*", PLAIN(gpu_copies_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)},
        {"gpu_links.all_to_all*", PLAIN(gpu_copies_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)},
        {"gpu_links.chase.own*", PLAIN(gpu_waits_for_own_memory, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)},
        {"gpu_links.chase*", PLAIN(gpu_waits_for_peer_memory, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)},
        {"gpu_links.*", PLAIN(gpu_copies_with_host_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)}),
    .expected = expected_s,
    .read = read_parts,
};
