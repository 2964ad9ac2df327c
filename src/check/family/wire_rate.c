/* SPDX-License-Identifier: Apache-2.0 */
#include <fnmatch.h>
#include <math.h>
#include <string.h>

#include "assay/reasons/check.h"

#include "ceiling.h"

struct link {
    double rate;      /* in one direction; 0: not declared */
    const char *text; /* what it is the rate of */
};

static const double bits_per_byte = 8;
/* Tools print so many digits, and clocks differ so much at most. */
static const double rounding = 0.01;

static struct link pcie(const struct platform *platform)
{
    /* PCI Express base specifications: 8, 16, 32 GT/s a lane, 128 of 130 bits data. */
    enum { FIRST_GENERATION = 3 };
    static const double gigatransfers[] = {8, 16, 32};
    unsigned generation = platform->pcie_generation - FIRST_GENERATION;

    if (platform->pcie_lanes == 0 || generation >= ARRAY_SIZE(gigatransfers))
        return (struct link){0, ""};
    return (struct link){gigatransfers[generation] * 128 / 130 / bits_per_byte * platform->pcie_lanes,
                         "rate of a GPU's PCIe link"};
}

/* Between GPUs: NVLink, and PCIe where there is none. */
static struct link peer(const struct platform *platform)
{
    if (platform->nvlink_links == 0)
        return pcie(platform);
    return (struct link){platform->nvlink_ceiling_gbs, "rate of a GPU's NVLinks"};
}

static struct link adapter(const struct platform *platform)
{
    return (struct link){platform->hca_gbits, "rate of an adapter"};
}

/* The first row that fits counts. */
static const struct row {
    const char *metric;
    struct link (*link)(const struct platform *platform);
    unsigned directions; /* that the number is the sum of */
    const char *unit;
    bool
        bounds; /* every path that such a number is measured over is such a link: hosts may be joined by other ones than PCIe */
} rows[] = {
    {"p2p.unidirectional.disabled", pcie, 1, "GB/s", false},
    {"p2p.bidirectional.disabled", pcie, 2, "GB/s", false},
    {"p2p.unidirectional.enabled", peer, 1, "GB/s", true},
    {"p2p.bidirectional.enabled", peer, 2, "GB/s", true},
    {"nvbandwidth.*.sum", NULL, 0, "", false},
    /* Of copies to and from the host both ways it shows one of the two (nvbandwidth#67). */
    {"nvbandwidth.host_to_device_*", pcie, 1, "GB/s", false},
    {"nvbandwidth.device_to_host_*", pcie, 1, "GB/s", false},
    {"nvbandwidth.device_to_device_bidirectional_memcpy_*", peer, 2, "GB/s", true},
    {"nvbandwidth.device_to_device_memcpy_*", peer, 1, "GB/s", true},
    {"gpu_links.up*", pcie, 1, "GB/s", false},
    {"gpu_links.down*", pcie, 1, "GB/s", false},
    {"gpu_links.one_way", peer, 1, "GB/s", true},
    {"gpu_links.both_ways", peer, 2, "GB/s", true},
    {"gpu_links.all_to_one", peer, 1, "GB/s", false},
    {"gpu_links.one_to_all", peer, 1, "GB/s", false},
    {"gpu_links.all_to_all", peer, 1, "GB/s", false},
    {"rdma.*.bidirectional.bandwidth", adapter, 2, "Gb/s", true},
    {"rdma.*.bandwidth", adapter, 1, "Gb/s", true},
};

static const struct wire_rate *of_row(struct arena *arena, const struct platform *platform,
                                      const struct row *row)
{
    struct link link = row->link != NULL ? row->link(platform) : (struct link){0, ""};
    struct wire_rate *rate;

    if (link.rate <= 0)
        return NULL;
    rate = arena_new(arena, struct wire_rate);
    rate->most = link.rate * row->directions;
    rate->unit = row->unit;
    rate->text = arena_printf(arena, "%.4g %s: %s%s", rate->most, row->unit, link.text,
                              row->directions > 1 ? ", both ways" : "");
    return rate;
}

/* "nccl.all_reduce.busbw", "nccl.all_reduce.rail.busbw" and probe's. */
static const struct wire_rate *of_collective(struct arena *arena, const struct platform *platform,
                                             const char *metric, unsigned hosts)
{
    const struct check_context context = {.arena = arena, .platform = platform, .member_count = hosts};
    const char *collective = strchr(metric, '.') + 1;
    bool rail = slice_ends(slice_of(metric), ".rail.busbw");
    const struct limit *limit = ceiling_of_collective(
        &context, arena_strndup(arena, collective, strcspn(collective, ".")), rail ? 1 : platform->gpu_count);
    struct wire_rate *rate;

    if (limit == NULL)
        return NULL;
    rate = arena_new(arena, struct wire_rate);
    *rate =
        (struct wire_rate){limit_gate(limit), limit->unit,
                           arena_printf(arena, "%.4g %s: %s", limit_gate(limit), limit->unit, limit->source)};
    return rate;
}

const struct wire_rate *check_wire_rate(struct arena *arena, const struct platform *platform,
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
    struct link link = row->bounds ? row->link(context->platform) : (struct link){0, ""};
    struct arena *arena = context->arena;
    const struct reason *origin;
    struct limit *limits;

    if (link.rate <= 0)
        return NULL;
    origin = reason(arena, computed_from_platform, context->platform->name, reason_word(arena, link.text));
    limits = arena_array(arena, struct limit, 2);
    *limits = (struct limit){.metric = metric,
                             .rule = RULE_PLAUSIBLE,
                             .value = link.rate * row->directions,
                             .tolerance = rounding,
                             .unit = row->unit,
                             .source = reason_english(arena, origin),
                             .origin = origin,
                             .status = LIMIT_TOOL,
                             .note = reason(arena, more_than_the_links_carry, row->unit)};
    return limits;
}

const struct limit *check_wire_limit(const struct check_context *context, const char *metric)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (fnmatch(rows[i].metric, metric, 0) == 0)
            return most_of_row(context, metric, &rows[i]);
    return NULL;
}
