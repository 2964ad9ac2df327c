/* SPDX-License-Identifier: Apache-2.0 */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "assay/model/part.h"
#include "assay/reasons/check.h"

#include "ceiling.h"

struct rate {
    double value;     /* of a link in one direction; 0: not declared, or not known */
    const char *text; /* what it is the rate of */
};

static const double bits_per_byte = 8;
/* Tools print so many digits, and clocks differ so much at most. */
static const double rounding = 0.01;
/* By which a part's clock may lie above the one that its datasheet computes with: B200's two sheets differ by 7%. */
static const double boost = 0.1;

static struct rate pcie(const struct platform *platform)
{
    /* PCI Express base specifications: 8, 16, 32 GT/s a lane, 128 of 130 bits data. */
    enum { FIRST_GENERATION = 3 };
    static const double gigatransfers[] = {8, 16, 32};
    unsigned generation = platform->pcie_generation - FIRST_GENERATION;

    if (platform->pcie_lanes == 0 || generation >= ARRAY_SIZE(gigatransfers))
        return (struct rate){0, ""};
    return (struct rate){gigatransfers[generation] * 128 / 130 / bits_per_byte * platform->pcie_lanes,
                         "rate of a GPU's PCIe link"};
}

/* Between GPUs: NVLink, and PCIe where there is none. */
static struct rate peer(const struct platform *platform)
{
    if (platform->nvlink_links == 0)
        return pcie(platform);
    return (struct rate){platform->nvlink_ceiling_gbs, "rate of a GPU's NVLinks"};
}

static struct rate adapter(const struct platform *platform)
{
    return (struct rate){platform->hca_gbits, "rate of an adapter"};
}

/* Of several models the one that computes most. */
static struct rate arithmetic(const struct platform *platform, enum part_type type)
{
    double most = 0;

    for (size_t i = 0; i < platform->gpu_models.count; i++) {
        double peak = part_peak(platform->gpu_models.items[i], type);

        if (isnan(peak))
            return (struct rate){0, ""};
        most = fmax(most, peak);
    }
    return (struct rate){most, "peak of the GPU's arithmetic by its datasheet"};
}

/* The first row that fits counts. */
static const struct row {
    const char *metric;
    struct rate (*link)(
        const struct platform *platform); /* NULL: of arithmetic of that type, or nothing is known */
    enum part_type type;
    unsigned
        times; /* the rate: directions that the number is the sum of; of arithmetic its units in a TFLOP/s */
    const char *unit;
    /* Every item that such a number is of has that rate: hosts may be joined by other links than PCIe. */
    bool bounds;
} rows[] = {
#define LINK(METRIC, RATE, TIMES, UNIT, BOUNDS)       \
    {                                                 \
        METRIC, RATE, PART_TYPES, TIMES, UNIT, BOUNDS \
    }
#define ARITHMETIC(METRIC, TYPE, TIMES, UNIT) \
    {                                         \
        METRIC, NULL, TYPE, TIMES, UNIT, true \
    }
    LINK("p2p.unidirectional.disabled", pcie, 1, "GB/s", false),
    LINK("p2p.bidirectional.disabled", pcie, 2, "GB/s", false),
    LINK("p2p.unidirectional.enabled", peer, 1, "GB/s", true),
    LINK("p2p.bidirectional.enabled", peer, 2, "GB/s", true),
    LINK("nvbandwidth.*.sum", NULL, 0, "", false),
    /* Of copies to and from the host both ways it shows one of the two (nvbandwidth#67). */
    LINK("nvbandwidth.host_to_device_*", pcie, 1, "GB/s", false),
    LINK("nvbandwidth.device_to_host_*", pcie, 1, "GB/s", false),
    LINK("nvbandwidth.device_to_device_bidirectional_memcpy_*", peer, 2, "GB/s", true),
    LINK("nvbandwidth.device_to_device_memcpy_*", peer, 1, "GB/s", true),
    LINK("gpu_links.up*", pcie, 1, "GB/s", false),
    LINK("gpu_links.down*", pcie, 1, "GB/s", false),
    LINK("gpu_links.one_way", peer, 1, "GB/s", true),
    LINK("gpu_links.both_ways", peer, 2, "GB/s", true),
    LINK("gpu_links.all_to_one", peer, 1, "GB/s", false),
    LINK("gpu_links.one_to_all", peer, 1, "GB/s", false),
    LINK("gpu_links.all_to_all", peer, 1, "GB/s", false),
    LINK("rdma.*.bidirectional.bandwidth", adapter, 2, "Gb/s", true),
    LINK("rdma.*.bandwidth", adapter, 1, "Gb/s", true),
    ARITHMETIC("gpu_burn.float.gflops", PART_FP32, 1000, "GFLOP/s"),
    ARITHMETIC("gpu_burn.double*.gflops", PART_FP64, 1000, "GFLOP/s"),
    ARITHMETIC("gpu_burn.tensor.gflops", PART_TF32, 1000, "GFLOP/s"),
    ARITHMETIC("gpu_compute.bf16.*.*", PART_BF16, 1, "TFLOP/s"),
    ARITHMETIC("gpu_compute.fp16.*.*", PART_FP16, 1, "TFLOP/s"),
    ARITHMETIC("gpu_compute.fp8.*.*", PART_FP8, 1, "TFLOP/s"),
    ARITHMETIC("gpu_compute.tf32.*.*", PART_TF32, 1, "TFLOP/s"),
    ARITHMETIC("gpu_compute.fp64.*.*", PART_FP64, 1, "TFLOP/s"),
#undef LINK
#undef ARITHMETIC
};

/* What it is of this row; 0: not declared, or not known. */
static struct rate rate_of(const struct platform *platform, const struct row *row)
{
    struct rate rate = {0, ""};

    if (row->link != NULL)
        rate = row->link(platform);
    else if (row->type < PART_TYPES)
        rate = arithmetic(platform, row->type);
    rate.value *= row->times;
    return rate;
}

static const struct capacity *of_row(struct arena *arena, const struct platform *platform,
                                     const struct row *row)
{
    struct rate rate = rate_of(platform, row);
    struct capacity *capacity;

    if (rate.value <= 0)
        return NULL;
    capacity = arena_new(arena, struct capacity);
    *capacity = (struct capacity){rate.value, row->unit,
                                  arena_printf(arena, "%.5g %s: %s%s", rate.value, row->unit, rate.text,
                                               row->times == 2 ? ", both ways" : "")};
    return capacity;
}

/* "nccl.all_reduce.busbw", "nccl.all_reduce.rail.busbw" and probe's. */
static const struct capacity *of_collective(struct arena *arena, const struct platform *platform,
                                            const char *metric, unsigned hosts)
{
    const struct check_context context = {.arena = arena, .platform = platform, .member_count = hosts};
    const char *collective = strchr(metric, '.') + 1;
    bool rail = slice_ends(slice_of(metric), ".rail.busbw");
    const struct limit *limit = ceiling_of_collective(
        &context, arena_strndup(arena, collective, strcspn(collective, ".")), rail ? 1 : platform->gpu_count);
    struct capacity *capacity;

    if (limit == NULL)
        return NULL;
    capacity = arena_new(arena, struct capacity);
    *capacity =
        (struct capacity){limit_gate(limit), limit->unit,
                          arena_printf(arena, "%.4g %s: %s", limit_gate(limit), limit->unit, limit->source)};
    return capacity;
}

const struct capacity *check_capacity(struct arena *arena, const struct platform *platform,
                                      const char *metric, unsigned hosts)
{
    if (fnmatch("nccl.*.busbw", metric, 0) == 0 || fnmatch("probe.*.busbw", metric, 0) == 0)
        return of_collective(arena, platform, metric, hosts);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (fnmatch(rows[i].metric, metric, 0) == 0)
            return of_row(arena, platform, &rows[i]);
    return NULL;
}

static const struct limit *most_of_row(const struct check_context *context, const char *metric,
                                       const struct row *row)
{
    struct rate rate = row->bounds ? rate_of(context->platform, row) : (struct rate){0, ""};
    struct arena *arena = context->arena;
    bool computes = row->type < PART_TYPES;
    const struct reason *origin;
    struct limit *limits;

    if (rate.value <= 0)
        return NULL;
    origin = reason(arena, computed_from_platform, context->platform->name, reason_word(arena, rate.text));
    limits = arena_array(arena, struct limit, 2);
    *limits = (struct limit){.metric = metric,
                             .rule = RULE_PLAUSIBLE,
                             .value = rate.value,
                             .tolerance = computes ? boost : rounding,
                             .unit = row->unit,
                             .source = reason_english(arena, origin),
                             .origin = origin,
                             .status = LIMIT_TOOL,
                             .note = computes ? reason(arena, more_than_the_gpu_computes, row->unit)
                                              : reason(arena, more_than_the_links_carry, row->unit)};
    return limits;
}

const struct limit *check_capacity_limit(const struct check_context *context, const char *metric)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (fnmatch(rows[i].metric, metric, 0) == 0)
            return most_of_row(context, metric, &rows[i]);
    return NULL;
}
