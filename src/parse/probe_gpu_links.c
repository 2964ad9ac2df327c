/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-gpu links: copies between the host and its GPUs, and between GPUs. Pairs are named as
 * parse_p2p_bandwidth_latency.c names them.
 *
 * metrics  gpu_links.up .down (gpu0): alone; gpu_links.up.together .down.together: all GPUs at once
 *          gpu_links.one_way .both_ways (gpu0->gpu1)   gpu_links.direct (gpu0->gpu1): 1 where the GPU reaches the other's memory
 *          by itself
 */
#include "assay/reasons/parse.h"
#include "probe_gpu.h"

static void take_rate(struct probe_gpu *probe, const struct json *line, const char *name, const char *subject)
{
    double median, least, best, windows;

    if (!probe_gpu_number(probe, line, "gbps", 1e6, &median) ||
        !probe_gpu_number(probe, line, "least", 1e6, &least) ||
        !probe_gpu_number(probe, line, "best", 1e6, &best) ||
        !probe_gpu_count(probe, line, "windows", 1e6, &windows))
        return;
    probe->rows_seen++;
    /* It was ended before this one. */
    if (windows > 0)
        reading_measure(probe->frame.reading, name, subject, median, "GB/s");
}

static void take_host(struct probe_gpu *probe, const struct json *line)
{
    static const char *const ways[] = {"up", "down", NULL};
    const char *way = probe_gpu_one_of(probe, line, "host_copy", ways), *subject;
    unsigned gpu;

    subject = probe_gpu_subject(probe, line, "gpu", &gpu);
    if (subject != NULL && way != NULL)
        take_rate(probe, line,
                  arena_printf(probe->frame.reading->arena, "gpu_links.%s%s", way,
                               json_boolean(line, "together", false) ? ".together" : ""),
                  subject);
}

static void take_peer(struct probe_gpu *probe, const struct json *line)
{
    struct reading *reading = probe->frame.reading;
    static const char *const ways[] = {"one-way", "both-ways", NULL};
    const char *way = probe_gpu_one_of(probe, line, "peer_copy", ways), *from, *to, *pair;
    unsigned number;

    from = probe_gpu_subject(probe, line, "from", &number);
    to = probe_gpu_subject(probe, line, "to", &number);
    if (from == NULL || to == NULL || way == NULL)
        return;
    pair = arena_printf(reading->arena, "%s->%s", from, to);
    take_rate(probe, line, way == ways[0] ? "gpu_links.one_way" : "gpu_links.both_ways", pair);
    if (way == ways[0])
        reading_measure(reading, "gpu_links.direct", pair, json_boolean(line, "direct", false), "");
}

static const struct probe_gpu_kind kinds[] = {{"host_copy", take_host}, {"peer_copy", take_peer}, {0}};

const struct probe_gpu_test probe_gpu_links = {
    .name = "links", .prefix = "gpu_links", .announced = "rows", .kinds = kinds};
