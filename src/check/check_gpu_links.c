/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-gpu links: copies between the host's memory and each GPU, alone and all at once, and between every two GPUs,
 * several pairs at once. What nvbandwidth and p2pBandwidthLatencyTest measure one after the other is here under load: slow
 * where links are shared that should not be.
 */
#include "assay/reasons/check.h"

#include "probe_gpu.h"
#include "rules.h"

static const struct argument arguments[] = {
    {"windows", ARGUMENT_COUNT, "20", "windows of time in which each copy is measured", MORE_IS_MORE},
    PROBE_GPU_BACKEND_ROW,
    {0},
};

static void command(const struct check_context *context, struct text *out)
{
    probe_gpu_command(context, out, "links");
    text_printf(out, " --windows %.0f", check_number(context, "windows"));
}

static const struct part_row parts[] = {{"main", "assay-probe-gpu", command, NULL}, {0}};

/* A copy that was not measured is missing, and no copy takes no time. */
#define MEASURED(metric_)                                                                \
    LIMITS RULES(.metric = (metric_), .rule = RULE_FLOOR, .value = 0.01, .unit = "GB/s", \
                 .status = LIMIT_TOOL, .source = "assay: what was not measured has shown nothing")

static const struct item items[] = {
    {"gpu_links.up", PER_GPU, NULL, DUTY_GATE, MEASURED("gpu_links.up")},
    {"gpu_links.down", PER_GPU, NULL, DUTY_GATE, MEASURED("gpu_links.down")},
    {"gpu_links.up.together", PER_GPU, NULL, DUTY_GATE, MEASURED("gpu_links.up.together")},
    {"gpu_links.down.together", PER_GPU, NULL, DUTY_GATE, MEASURED("gpu_links.down.together")},
    {"gpu_links.one_way", PER_GPU_PAIR, NULL, DUTY_GATE, MEASURED("gpu_links.one_way")},
    {"gpu_links.both_ways", PER_GPU_PAIR, NULL, DUTY_GATE, MEASURED("gpu_links.both_ways")},
    {"gpu_links.direct", PER_GPU_PAIR, NULL, DUTY_RECORD, NULL},
    {"gpu_links.uuid", PER_GPU, NULL, DUTY_RECORD, NULL},
    {"probe.program", PER_TARGET, NULL, DUTY_RECORD, NULL},
    {0},
};

static const struct remedy remedies[] = {
    {"gpu_links.up*", REASON(see_pcie_link_and_bios)},
    {"gpu_links.down*", REASON(see_pcie_link_and_bios)},
    {"gpu_links.*", REASON(see_nvlinks_of_both_gpus)},
    {"sound", REASON(see_probe_gpu_starts)},
    {0},
};

static unsigned expected_s(const struct check_context *context)
{
    unsigned gpus = context->platform->gpu_count;
    /* Of a GiB each at 20 GB/s: both ways alone and together; three times for each round of pairs. */
    double copies_s = check_number(context, "windows") / 20 * (4 * gpus + 3 * gpus);

    return PROBE_GPU_OPENING_S + (unsigned)copies_s;
}

const struct check check_gpu_links = {
    .name = "gpu-links",
    .title = "GPU links",
    .summary = "assay-probe-gpu: copies between host and GPUs, alone and all at once, and between GPUs, "
               "several pairs at once",
    .on = ON_GPUS,
    .concerns = OF_GPU,
    .scopes = SCOPE_HOST,
    .exclusive = EXCLUSIVE_HOST,
    .window = true,
    .arguments = arguments,
    .arguments_valid = probe_gpu_valid,
    .parts = parts,
    .items = items,
    .more_slots = probe_gpu_slots,
    .remedies = remedies,
    .expected = expected_s,
    .read = read_parts,
};
