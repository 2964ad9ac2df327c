/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between every two GPUs of a host, each direction on its own: where one slow link cannot hide in a
 * mean. */
#include "rules.h"

static void command(const struct check_context *context, struct text *out)
{
    command_tool(context, out, "p2pBandwidthLatencyTest");
}

static const struct part_row parts[] = {{"main", "p2p-bandwidth-latency", command, NULL}, {0}};

static const struct limit access_rules[] = RULES_LEAST("p2p.access", 1, "assay");

static const struct item items[] = {
    {"p2p.access", PER_GPU_PAIR, NULL, DUTY_GATE, access_rules},
    {"p2p.unidirectional.enabled", PER_GPU_PAIR, NULL, DUTY_GATE, NULL},
    {"p2p.bidirectional.enabled", PER_GPU_PAIR, NULL, DUTY_GATE, NULL},
    {"p2p.latency.gpu.enabled", PER_GPU_PAIR, NULL, DUTY_GATE, NULL},
    {"p2p.unidirectional.disabled", PER_GPU_PAIR, NULL, DUTY_RECORD, NULL},
    {"p2p.bidirectional.disabled", PER_GPU_PAIR, NULL, DUTY_RECORD, NULL},
    {0},
};

static const struct remedy remedies[] = {
    {"p2p.access", "check Fabric Manager, the IOMMU and ACS settings; see `nvidia-smi topo -p2p r`"},
    {"p2p.*", "see `nvidia-smi nvlink -s` and `-e` of both GPUs; reset them and test again; if it stays, "
              "have baseboard or GPU replaced"},
    {"sound", "see both streams in the evidence; does a CUDA program start on the host at all?"},
    {0},
};

static unsigned expected_s(const struct check_context *context)
{
    unsigned gpus = context->platform->gpu_count;

    return 10 + gpus * gpus; /* about a second a pair for all matrices */
}

const struct check check_p2p_bandwidth = {
    .name = "p2p-bandwidth",
    .title = "GPU-to-GPU bandwidth",
    .summary = "p2pBandwidthLatencyTest: bandwidth and latency of every GPU pair in each direction",
    .on = ON_GPUS,
    .concerns = OF_GPU,
    .scopes = SCOPE_HOST,
    .as_root = true,
    .exclusive = EXCLUSIVE_HOST,
    .window = true,
    .parts = parts,
    .items = items,
    .remedies = remedies,
    .expected = expected_s,
    .read = read_parts,
};
