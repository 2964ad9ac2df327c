/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between every two GPUs of a host, each direction on its own: where one slow link cannot hide in a
 * mean. */
#include "assay/check/loads.h"
#include "assay/reasons/check.h"

#include "rules.h"

static void command(const struct check_context *context, struct text *out)
{
    command_tool(context, out, "p2pBandwidthLatencyTest");
}

static const struct limit access_rules[] = RULES_LEAST("p2p.access", 1, "assay");

/*
 * Behind switches every GPU reaches every other. Where NVLinks join pairs alone, as in the mesh of a DGX-1, which of
 * them reach each other depends on the board: there each GPU reaches some, and each as many.
 */
static bool joins_pairs(const struct platform *platform)
{
    return platform->nvlink_links > 0 && !platform->nvswitch && !platform->fabric_state;
}

static void slots_of_access(const struct check_context *context, struct slot_list *slots)
{
    static const struct limit alike[] =
        RULES_SAME("p2p.peers", "assay: GPUs of a mesh of NVLinks have as many peers each");
    bool pairs = joins_pairs(context->platform);
    unsigned gpus = context->platform->gpu_count;

    for (unsigned a = 0; a < gpus; a++)
        for (unsigned b = 0; b < gpus; b++)
            if (a != b)
                slot_add(context, slots, "p2p.access", arena_printf(context->arena, "gpu%u->gpu%u", a, b),
                         NULL, pairs ? DUTY_RECORD : DUTY_GATE, pairs ? NULL : access_rules);
    for (unsigned gpu = 0; pairs && gpu < gpus; gpu++)
        slot_add(context, slots, "p2p.peers", arena_printf(context->arena, "gpu%u", gpu), NULL, DUTY_GATE,
                 alike);
}

/* How many others each GPU reaches; where one was not told, nothing is. */
static void count_peers(const struct check_context *context, struct reading *out)
{
    unsigned gpus = context->platform->gpu_count;

    for (unsigned a = 0; a < gpus; a++) {
        const char *gpu = arena_printf(out->arena, "gpu%u", a);
        unsigned told = 0, peers = 0;

        for (unsigned b = 0; b < gpus; b++) {
            const struct measurement *access =
                reading_get(out, "p2p.access", arena_printf(out->arena, "%s->gpu%u", gpu, b));

            told += a != b && access != NULL;
            peers += a != b && access != NULL && access->value > 0;
        }
        if (told + 1 < gpus)
            continue;
        reading_fact(out, "p2p.peers", gpu, slice_of(arena_printf(out->arena, "%u", peers)));
        if (peers == 0)
            reading_finding(out, SEVERITY_FAULT, "p2p.no_peer", gpu, REASON(gpu_reaches_no_other));
    }
}

static void read_copies(const struct check_context *context, const struct attempt *attempt,
                        struct reading *out)
{
    read_parts(context, attempt, out);
    if (joins_pairs(context->platform))
        count_peers(context, out);
}

static unsigned expected_s(const struct check_context *context)
{
    unsigned gpus = context->platform->gpu_count;

    return 10 + gpus * gpus; /* about a second a pair for all matrices */
}

static bool applies(const struct platform *platform)
{
    return platform->gpu_count > 1;
}

const struct check check_p2p_bandwidth = {
    .name = "p2p-bandwidth",
    .title = "GPU-to-GPU bandwidth",
    .summary = "p2pBandwidthLatencyTest: bandwidth and latency of every GPU pair in each direction",
    .on = ON_GPUS,
    .applies = applies,
    .concerns = OF_GPU,
    .as_root = true,
    .exclusive = EXCLUSIVE_HOST,
    .window = true,
    .loads = LOAD_NVLINKS,
    .slight = loads_slightly,
    .parts = PARTS({"main", "p2p-bandwidth-latency", command, NULL}),
    .items = ITEMS({"p2p.unidirectional.enabled", PER_GPU_PAIR, NULL, DUTY_GATE, NULL},
                   {"p2p.bidirectional.enabled", PER_GPU_PAIR, NULL, DUTY_GATE, NULL},
                   {"p2p.latency.gpu.enabled", PER_GPU_PAIR, NULL, DUTY_GATE, NULL},
                   {"p2p.unidirectional.disabled", PER_GPU_PAIR, NULL, DUTY_RECORD, NULL},
                   {"p2p.bidirectional.disabled", PER_GPU_PAIR, NULL, DUTY_RECORD, NULL}),
    .remedies = REMEDIES({"p2p.peers", REASON(compare_p2p_of_hosts)},
                         {"p2p.access", REASON(check_fabric_manager_and_acs)},
                         {"p2p.*", REASON(see_nvlinks_then_replace)}, {"sound", REASON(does_cuda_start)}),
    .plain = PLAIN_WORDS(
        {"p2p.unidirectional*", PLAIN(gpu_copies_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)},
        {"p2p.bidirectional*",
         PLAIN(gpu_copies_both_ways_slowly, PLAIN_PART, PLAIN_MEASURED, PLAIN_REQUIRED)}),
    .pairs =
        PAIR_METRICS({"p2p.unidirectional.enabled", "GB/s", NULL},
                     {"p2p.bidirectional.enabled", "GB/s", NULL}, {"p2p.latency.gpu.enabled", "us", NULL}),
    .expected = expected_s,
    .more_slots = slots_of_access,
    .read = read_copies,
};
