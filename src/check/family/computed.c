/* SPDX-License-Identifier: Apache-2.0 */
#include "computed.h"

#include <math.h>
#include <string.h>

#include "ceiling.h"

/*
 * What share of the ceiling healthy systems have reached at least, less a twentieth. The first row that fits counts, and
 * where there is none nothing is computed. A share was measured at many hosts; beyond them the next row counts.
 *
 * A ring passes each message on as often as there are ranks, which costs time of its own: reduce_scatter at 32 ranks
 * to 1024 took 9.2 us longer for each (360 to 260 GB/s, nccl#1229). Trees do without.
 *
 * An alltoall cuts its message into one for each rank, and the pieces cost time of their own too: 11.5 us each on 2160
 * ranks (24.8 ms for 8 MB, the same source). What they cost weighs more, the sooner they are through.
 */
static const struct row {
    const char *collective;
    enum over { OVER_LINKS, OVER_DOMAIN, OVER_ADAPTERS } over;
    unsigned hosts_max; /* 0: any */
    double share;
    double step_s; /* that each rank adds */
    double
        peer_s; /* what each rank has for another takes so long at the ceiling, or more; 0: however short it is */
    const char *source;
} rows[] = {
    {"all_reduce", OVER_LINKS, 0, 0.71, 0, 0,
     "0.95 of 679.6 of 900 GB/s, the lowest of healthy hosts without NVLS: Azure/AI-benchmarking-guide "
     "GB200"},
    {"all_gather", OVER_LINKS, 0, 0.71, 0, 0,
     "a ring, as all_reduce without NVLS: 0.95 of 679.6 of 900 GB/s, Azure/AI-benchmarking-guide GB200"},
    {"reduce_scatter", OVER_LINKS, 0, 0.71, 0, 0,
     "a ring, as all_reduce without NVLS: 0.95 of 679.6 of 900 GB/s, Azure/AI-benchmarking-guide GB200"},
    {"all_reduce", OVER_DOMAIN, 0, 0.71, 0, 0,
     "0.95 of 679.6 of 900 GB/s, the lowest of healthy trays without NVLS: Azure/AI-benchmarking-guide "
     "GB200"},
    {"all_gather", OVER_DOMAIN, 0, 0.64, 0, 0,
     "0.95 of 609 of 900 GB/s over 4 trays: NVIDIA/cluster-readiness-engine"},
    {"reduce_scatter", OVER_DOMAIN, 0, 0.64, 0, 0,
     "as all_gather, the same ring: 0.95 of 609 of 900 GB/s, NVIDIA/cluster-readiness-engine"},
    {"all_reduce", OVER_ADAPTERS, 248, 0.75, 0, 0,
     "0.95 of 316 of 400 GB/s on 10 hosts: xxrjun/nccl-tests-cluster; less than that is called unstable on "
     "248: "
     "nccl-tests#283"},
    {"all_reduce", OVER_ADAPTERS, 0, 0.55, 0, 0,
     "0.95 of 29.1 of 50 GB/s on 540 hosts: argonne-lcf/alcf-nccl-tests polaris"},
    {"all_gather", OVER_ADAPTERS, 0, 0.75, 10e-6, 0,
     "0.95 of 317 of 400 GB/s on 10 hosts: xxrjun/nccl-tests-cluster; 10 us more for each rank: nccl#1229"},
    {"reduce_scatter", OVER_ADAPTERS, 0, 0.75, 10e-6, 0,
     "0.95 of 316 of 400 GB/s on 10 hosts: xxrjun/nccl-tests-cluster; 10 us more for each rank: nccl#1229"},
    {"alltoall", OVER_ADAPTERS, 10, 0.73, 0, 0,
     "0.95 of 85.6 of 110.7 GB/s over 8 trays: NVIDIA/cluster-readiness-engine"},
    {"alltoall", OVER_ADAPTERS, 540, 0.26, 0, 39.7e-6,
     "0.95 of 3.5 of 12.5 GB/s on 540 hosts, 0.5 MB for each of 2160 ranks, the only ones of more than 10 that are "
     "published: argonne-lcf/alcf-nccl-tests polaris"},
};

/* Shares were measured of messages of this size and more; smaller ones measure latency. */
static const double least_bytes = 1024.0 * 1024 * 1024;

/* peer_s: of one rank for another, at the ceiling. */
static const struct row *row_of(const char *collective, enum over over, size_t hosts, double peer_s)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (rows[i].over == over && strcmp(rows[i].collective, collective) == 0 &&
            (rows[i].hosts_max == 0 || hosts <= rows[i].hosts_max) && peer_s >= rows[i].peer_s)
            return &rows[i];
    return NULL;
}

struct expected {
    double value; /* GB/s; 0: nothing can be computed */
    const char *text;
};

/* S bytes at the share of the rate, and what each rank adds to it. */
static struct expected of_row(const struct check_context *context, const char *collective, enum over over,
                              struct ceiling ceiling, double ranks, double size)
{
    static const double giga = 1e9;
    const struct row *row;
    double value;

    if (ceiling.rate <= 0)
        return (struct expected){0, ""};
    row = row_of(collective, over, context->member_count, size / ranks / (ceiling.rate * giga));
    if (row == NULL)
        return (struct expected){0, ""};
    value = size / (size / (row->share * ceiling.rate) + ranks * row->step_s * giga);
    return (struct expected){floor(value * 10) / 10,
                             arena_printf(context->arena, "platform %s: %g of %g GB/s, %s; %s",
                                          context->platform->name, row->share, ceiling.rate, ceiling.text,
                                          row->source)};
}

/* What goes over adapters goes over the links within the hosts too: the less of both. */
static struct expected expect(const struct check_context *context, const char *collective,
                              unsigned gpus_per_host, double size)
{
    double ranks = (double)context->member_count * gpus_per_host;
    struct ceiling links = ceiling_of_links(context);
    struct expected inside = {0, ""}, across;

    if (context->member_count < 2)
        return of_row(context, collective, OVER_LINKS, links, ranks, size);
    if (ceiling_in_domain(context))
        return of_row(context, collective, OVER_DOMAIN, links, ranks, size);
    across = of_row(context, collective, OVER_ADAPTERS,
                    ceiling_of_adapters(context, collective, gpus_per_host), ranks, size);
    if (gpus_per_host > 1)
        inside = of_row(context, collective, OVER_LINKS, links, ranks, size);
    return inside.value > 0 && inside.value < across.value ? inside : across;
}

const struct limit *computed_of_collective(const struct check_context *context, const char *collective,
                                           unsigned gpus_per_host, double size)
{
    const struct limit *ceiling = ceiling_of_collective(context, collective, gpus_per_host);
    struct expected expected =
        size >= least_bytes ? expect(context, collective, gpus_per_host, size) : (struct expected){0, ""};
    struct limit *limits = arena_array(context->arena, struct limit, 3);
    size_t count = 0;

    memset(limits, 0, 3 * sizeof *limits);
    if (ceiling != NULL)
        limits[count++] = *ceiling;
    if (expected.value > 0)
        limits[count++] = (struct limit){.metric = arena_printf(context->arena, "nccl.%s.busbw", collective),
                                         .rule = RULE_FLOOR,
                                         .value = expected.value,
                                         .unit = "GB/s",
                                         .source = expected.text,
                                         .status = LIMIT_COMPUTED};
    return count > 0 ? limits : NULL;
}
