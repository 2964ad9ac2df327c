/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-gpu links: copies between the host and its GPUs, and between GPUs, and reads that wait for each other. Pairs are named as
 * parse_p2p_bandwidth_latency.c names them.
 *
 * metrics  gpu_links.up .down (gpu0): alone; gpu_links.up.together .down.together: all GPUs at once
 *          gpu_links.one_way .both_ways (gpu0->gpu1)   gpu_links.direct (gpu0->gpu1): 1 where the GPU reaches the other's memory
 *          by itself
 *          gpu_links.all_to_one .one_to_all .all_to_all (gpu0)
 *          gpu_links.chase (gpu0->gpu1): of a word in the memory of the second, where that is direct; .own (gpu0): of its own
 */
#include "assay/reasons/parse.h"
#include "probe_gpu.h"

/* How windows were: by which keys their median and the highest of them are told. */
struct figure {
    const char *key, *highest, *unit;
};
static const struct figure rate = {"gbps", "best", "GB/s"}, wait = {"ns", "most", "ns"};

static void take_figure(struct probe_gpu *probe, const struct json *line, const struct figure *figure,
                        const char *name, const char *subject)
{
    double median, least, most, windows;

    if (!probe_gpu_number(probe, line, figure->key, 1e6, &median) ||
        !probe_gpu_number(probe, line, "least", 1e6, &least) ||
        !probe_gpu_number(probe, line, figure->highest, 1e6, &most) ||
        !probe_gpu_count(probe, line, "windows", 1e6, &windows))
        return;
    probe->rows_seen++;
    /* It was ended before this one; or there is no way for it. */
    if (windows > 0)
        reading_measure(probe->frame.reading, name, subject, median, figure->unit);
}

/* NULL: one of the two is none. */
static const char *pair_of(struct probe_gpu *probe, const struct json *line)
{
    const char *from, *to;
    unsigned number;

    from = probe_gpu_subject(probe, line, "from", &number);
    to = probe_gpu_subject(probe, line, "to", &number);
    return from != NULL && to != NULL ? arena_printf(probe->frame.reading->arena, "%s->%s", from, to) : NULL;
}

static void take_host(struct probe_gpu *probe, const struct json *line)
{
    static const char *const ways[] = {"up", "down", NULL};
    const char *way = probe_gpu_one_of(probe, line, "host_copy", ways), *subject;
    unsigned gpu;

    subject = probe_gpu_subject(probe, line, "gpu", &gpu);
    if (subject != NULL && way != NULL)
        take_figure(probe, line, &rate,
                    arena_printf(probe->frame.reading->arena, "gpu_links.%s%s", way,
                                 json_boolean(line, "together", false) ? ".together" : ""),
                    subject);
}

static void take_peer(struct probe_gpu *probe, const struct json *line)
{
    static const char *const ways[] = {"one-way", "both-ways", NULL};
    const char *way = probe_gpu_one_of(probe, line, "peer_copy", ways), *pair = pair_of(probe, line);

    if (pair == NULL || way == NULL)
        return;
    take_figure(probe, line, &rate, way == ways[0] ? "gpu_links.one_way" : "gpu_links.both_ways", pair);
    if (way == ways[0])
        reading_measure(probe->frame.reading, "gpu_links.direct", pair, json_boolean(line, "direct", false),
                        "");
}

static void take_all(struct probe_gpu *probe, const struct json *line)
{
    static const char *const ways[] = {"all-to-one", "one-to-all", "all-to-all", NULL};
    static const char *const names[] = {"gpu_links.all_to_one", "gpu_links.one_to_all",
                                        "gpu_links.all_to_all"};
    const char *way = probe_gpu_one_of(probe, line, "all_copy", ways), *subject;
    unsigned gpu;

    subject = probe_gpu_subject(probe, line, "gpu", &gpu);
    for (size_t i = 0; subject != NULL && i < ARRAY_SIZE(names); i++)
        if (way == ways[i])
            take_figure(probe, line, &rate, names[i], subject);
}

static void take_chase(struct probe_gpu *probe, const struct json *line)
{
    static const char *const whose[] = {"peer", "own", NULL};
    const char *memory = probe_gpu_one_of(probe, line, "chase", whose), *pair, *own;
    unsigned gpu;

    own = probe_gpu_subject(probe, line, "from", &gpu);
    pair = pair_of(probe, line);
    if (own == NULL || pair == NULL || memory == NULL)
        return;
    take_figure(probe, line, &wait, memory == whose[0] ? "gpu_links.chase" : "gpu_links.chase.own",
                memory == whose[0] ? pair : own);
}

static const struct probe_gpu_kind kinds[] = {
    {"host_copy", take_host}, {"peer_copy", take_peer}, {"all_copy", take_all}, {"chase", take_chase}, {0}};

const struct probe_gpu_test probe_gpu_links = {
    .name = "links", .prefix = "gpu_links", .announced = "rows", .kinds = kinds};
