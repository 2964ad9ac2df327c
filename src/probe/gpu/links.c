/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test links: how fast copies go between the host's pinned memory and each GPU, one GPU alone and all at once, and
 * between every two GPUs, from all to one, from one to all and from all to all; and how long a GPU waits for a word of another's.
 *
 *   {"host_copy": "up", "together": false, "gpu": 0, ..}   GB/s over windows: median, least, best
 *   {"peer_copy": "one-way", "from": 0, "to": 1, ..}       the same; both-ways: the sum of both, told of either order
 *   {"all_copy": "all-to-one", "gpu": 0, ..}               what comes in at the GPU when all others send to it, the sum;
 *                                                          one-to-all: what it sends to all others in turn; all-to-all:
 *                                                          the same while all do. Where there is more than one GPU
 *   {"chase": "peer", "from": 0, "to": 1, "ns": ..}        a word after the other of to's memory, which says where the next
 *                                                          one is, read by from; own: of its own. Only where it is direct
 *   {"gpu": 0, ..}                                         each GPU
 *
 * Pairs go in rounds in which each GPU is in one pair, as in a tournament: 7 rounds of 4 pairs for 8 GPUs. Behind a switch
 * that does not block, a pair is then as fast as alone; where pairs share a link, as over PCIe, it is not.
 */
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "copies.h"
#include "gpu_output.h"
#include "gpu_threads.h"

enum {
    TIMES = 4 /* buffers in each window */,
    HOPS = 2 * CHASE_WORDS - 1 /* of a chase in each window: twice round, and its end is not where it began */
};

enum everybody { ALL_TO_ONE, ONE_TO_ALL, ALL_TO_ALL, EVERYBODY };
static const char *const everybody_names[EVERYBODY] = {"all-to-one", "one-to-all", "all-to-all"};

struct links_run {
    const struct gpu_copies *copies;
    void *own;
    uint64_t bytes;
    enum copy_way way;                /* of what runs now */
    bool chases;                      /* likewise: it is no copy */
    unsigned peers[GPU_MOST];         /* likewise: GPU_MOST: it takes no part, or not as the one that asks */
    struct gpu_summary now[GPU_MOST]; /* likewise */
    atomic_uint unfinished;           /* likewise: GPUs that have windows left */
    struct gpu_summary host[2][2][GPU_MOST];     /* by COPY_UP and COPY_DOWN, alone and together */
    struct gpu_summary one[GPU_MOST][GPU_MOST];  /* from, to */
    struct gpu_summary both[GPU_MOST][GPU_MOST]; /* the lower number first */
    bool reached[GPU_MOST][GPU_MOST];
    struct gpu_summary all[EVERYBODY][GPU_MOST];
    struct gpu_summary chase[GPU_MOST][GPU_MOST]; /* ns; from, to */
};

/* In a window. */
static double bytes_of(const struct links_run *run, const struct gpu_probe *probe)
{
    const double share = (double)copy_share(run->bytes, probe->device_count);

    switch (run->way) {
    case COPY_SHARE:
        return share * TIMES;
    case COPY_SPREAD:
        return share * TIMES * (probe->device_count - 1);
    case COPY_BOTH:
        return (double)run->bytes * TIMES * 2;
    case COPY_UP:
    case COPY_DOWN:
    case COPY_TO:
    default:
        return (double)run->bytes * TIMES;
    }
}

static int once(const struct links_run *run, unsigned gpu, double *ret_seconds, struct error *err)
{
    return run->chases ? run->copies->chase(run->own, gpu, run->peers[gpu], HOPS, ret_seconds, err)
                       : run->copies->copy(run->own, run->way, gpu, run->peers[gpu], TIMES, ret_seconds, err);
}

/* GB/s, or ns. */
static double figure(const struct links_run *run, const struct gpu_probe *probe, unsigned gpu, double seconds)
{
    const bool one = run->chases || run->way == COPY_UP || run->way == COPY_DOWN || run->way == COPY_SPREAD;
    const double speed = one ? injection_speed(probe, gpu) : 1;

    return run->chases ? seconds * 1e9 / HOPS / speed : bytes_of(run, probe) / 1e9 / seconds * speed;
}

static int measure(struct gpu_probe *probe, unsigned gpu, void *state, struct error *err)
{
    struct links_run *run = state;
    struct gpu_series *series;
    int status = 0;
    double seconds;

    if (run->peers[gpu] == GPU_MOST)
        return 0;
    series = calloc(1, sizeof *series);
    if (series == NULL) {
        atomic_fetch_sub(&run->unfinished, 1);
        return error_set(err, ERROR_INTERNAL, "no memory");
    }
    /* The first is a warm-up. */
    for (unsigned window = 0; status == 0 && window <= probe->options.windows && !gpu_stop_asked();
         window++) {
        status = once(run, gpu, &seconds, err);
        if (status == 0 && window > 0 && seconds > 0)
            series->values[series->count++] = figure(run, probe, gpu, seconds);
    }
    run->now[gpu] = gpu_summarise(series);
    free(series);
    /* Who is done goes on until all are: the last windows of the others are under load too. */
    for (atomic_fetch_sub(&run->unfinished, 1);
         status == 0 && atomic_load(&run->unfinished) > 0 && !gpu_stop_asked();)
        status = once(run, gpu, &seconds, err);
    return status;
}

/* All GPUs that have a peer, at once. */
static int measure_now(struct links_run *run, struct gpu_probe *probe, struct error *err)
{
    unsigned count = 0;

    for (unsigned gpu = 0; gpu < probe->device_count; gpu++)
        count += run->peers[gpu] != GPU_MOST;
    atomic_store(&run->unfinished, count);
    return gpu_all(probe, measure, run, err);
}

static void nobody(struct links_run *run)
{
    for (unsigned gpu = 0; gpu < GPU_MOST; gpu++) {
        run->peers[gpu] = GPU_MOST;
        run->now[gpu] = (struct gpu_summary){0};
    }
}

/* Each GPU with nobody but itself, all at once. */
static int measure_all_alone(struct links_run *run, struct gpu_probe *probe, struct error *err)
{
    nobody(run);
    for (unsigned gpu = 0; gpu < probe->device_count; gpu++)
        run->peers[gpu] = gpu;
    return measure_now(run, probe, err);
}

static int host_copies(struct links_run *run, struct gpu_probe *probe, enum copy_way way, struct error *err)
{
    const unsigned count = probe->device_count;

    run->way = way;
    for (unsigned gpu = 0; gpu < count; gpu++) {
        nobody(run);
        run->peers[gpu] = gpu;
        if (measure_now(run, probe, err) < 0)
            return -1;
        run->host[way][0][gpu] = run->now[gpu];
    }
    if (measure_all_alone(run, probe, err) < 0)
        return -1;
    for (unsigned gpu = 0; gpu < count; gpu++)
        run->host[way][1][gpu] = run->now[gpu];
    return 0;
}

/* Who plays whom in the round of a tournament: all but the last stand in a circle that turns. places is even; where the
   number of GPUs is odd, the last place is empty. */
static unsigned opponent(unsigned gpu, unsigned round, unsigned places)
{
    const unsigned circle = places - 1;

    if (gpu == circle)
        return round % circle * (places / 2) % circle;
    if ((2 * gpu) % circle == round % circle)
        return circle;
    return (round + circle - gpu) % circle;
}

/* Of a pair, where it asked: what is kept of that. */
static struct gpu_summary *kept(struct links_run *run, unsigned gpu, unsigned peer)
{
    return run->chases             ? &run->chase[gpu][peer]
           : run->way == COPY_BOTH ? &run->both[gpu][peer]
                                   : &run->one[gpu][peer];
}

/* order: 0 the lower number asks, 1 the higher. */
static int pairs(struct links_run *run, struct gpu_probe *probe, unsigned round, unsigned order,
                 struct error *err)
{
    const unsigned count = probe->device_count, places = count + count % 2;

    nobody(run);
    for (unsigned gpu = 0; gpu < count; gpu++) {
        unsigned peer = opponent(gpu, round, places);

        if (peer < count && (gpu > peer) == (order == 1) && (!run->chases || run->reached[gpu][peer]))
            run->peers[gpu] = peer;
    }
    if (measure_now(run, probe, err) < 0)
        return -1;
    for (unsigned gpu = 0; gpu < count; gpu++)
        if (run->peers[gpu] != GPU_MOST)
            *kept(run, gpu, run->peers[gpu]) = run->now[gpu];
    return 0;
}

static int all_pairs(struct links_run *run, struct gpu_probe *probe, struct error *err)
{
    const unsigned count = probe->device_count;

    for (unsigned round = 0; round + 1 < count + count % 2; round++)
        for (unsigned order = 0; order < 3; order++) {
            run->way = order < 2 ? COPY_TO : COPY_BOTH;
            if (pairs(run, probe, round, order % 2, err) < 0)
                return -1;
        }
    return 0;
}

/* All senders of the one together; that they had their windows at the same time is what measure sees to. */
static struct gpu_summary sum_now(const struct links_run *run, unsigned count)
{
    struct gpu_summary sum = {.windows = UINT_MAX};

    for (unsigned gpu = 0; gpu < count; gpu++) {
        if (run->peers[gpu] == GPU_MOST)
            continue;
        sum.median += run->now[gpu].median;
        sum.least += run->now[gpu].least;
        sum.best += run->now[gpu].best;
        sum.windows = run->now[gpu].windows < sum.windows ? run->now[gpu].windows : sum.windows;
    }
    return sum;
}

/* The one is receiver or sender of all others. */
static int one_and_all(struct links_run *run, struct gpu_probe *probe, enum everybody which, unsigned one,
                       struct error *err)
{
    const unsigned count = probe->device_count;

    nobody(run);
    run->way = which == ALL_TO_ONE ? COPY_SHARE : COPY_SPREAD;
    for (unsigned gpu = 0; gpu < count; gpu++)
        if ((gpu == one) == (which == ONE_TO_ALL))
            run->peers[gpu] = one;
    if (measure_now(run, probe, err) < 0)
        return -1;
    run->all[which][one] = sum_now(run, count);
    return 0;
}

static int everybody(struct links_run *run, struct gpu_probe *probe, struct error *err)
{
    const unsigned count = probe->device_count;

    for (unsigned one = 0; one < count && count > 1; one++)
        if (one_and_all(run, probe, ALL_TO_ONE, one, err) < 0 ||
            one_and_all(run, probe, ONE_TO_ALL, one, err) < 0)
            return -1;
    nobody(run);
    run->way = COPY_SPREAD;
    for (unsigned gpu = 0; gpu < count && count > 1; gpu++)
        run->peers[gpu] = gpu;
    if (count > 1 && measure_now(run, probe, err) < 0)
        return -1;
    for (unsigned gpu = 0; gpu < count; gpu++)
        run->all[ALL_TO_ALL][gpu] = run->now[gpu];
    return 0;
}

static int chases(struct links_run *run, struct gpu_probe *probe, struct error *err)
{
    const unsigned count = probe->device_count;

    run->chases = true;
    if (measure_all_alone(run, probe, err) < 0)
        return -1;
    for (unsigned gpu = 0; gpu < count; gpu++)
        run->chase[gpu][gpu] = run->now[gpu];
    for (unsigned round = 0; round + 1 < count + count % 2; round++)
        if (pairs(run, probe, round, 0, err) < 0 || pairs(run, probe, round, 1, err) < 0)
            return -1;
    return 0;
}

static int measure_all(struct links_run *run, struct gpu_probe *probe, struct error *err)
{
    const unsigned count = probe->device_count;

    run->own = run->copies->open(probe, &run->bytes, err);
    if (run->own == NULL)
        return -1;
    for (unsigned gpu = 0; gpu < count; gpu++)
        for (unsigned peer = 0; peer < count; peer++)
            run->reached[gpu][peer] = run->copies->reaches(run->own, gpu, peer);
    if (host_copies(run, probe, COPY_UP, err) < 0 || host_copies(run, probe, COPY_DOWN, err) < 0)
        return -1;
    if (all_pairs(run, probe, err) < 0 || everybody(run, probe, err) < 0)
        return -1;
    return chases(run, probe, err);
}

static void head(const struct gpu_probe *probe, struct probe_line *line)
{
    const unsigned count = probe->device_count;

    probe_line_number(line, "rows",
                      count * 4 + count * (count - 1) * 2 + (count > 1 ? count * EVERYBODY : 0) +
                          count * count);
}

/* highest: as what the highest of them is told. */
static void put_figures(struct probe_line *line, const char *unit, const char *highest,
                        const struct gpu_summary *rates)
{
    line_rate(line, unit, rates->median);
    line_rate(line, "least", rates->least);
    line_rate(line, highest, rates->best);
    probe_line_number(line, "windows", rates->windows);
    probe_line_end(line);
}

static void put_host(const struct links_run *run, unsigned gpu, enum copy_way way, unsigned together)
{
    struct probe_line line;

    probe_line_begin(&line);
    json_member(&line.writer, "host_copy", way == COPY_UP ? "up" : "down");
    json_member_boolean(&line.writer, "together", together == 1);
    probe_line_number(&line, "gpu", gpu);
    put_figures(&line, "gbps", "best", &run->host[way][together][gpu]);
}

static void put_pair(const struct links_run *run, unsigned from, unsigned to, bool both)
{
    struct probe_line line;

    probe_line_begin(&line);
    json_member(&line.writer, "peer_copy", both ? "both-ways" : "one-way");
    probe_line_number(&line, "from", from);
    probe_line_number(&line, "to", to);
    json_member_boolean(&line.writer, "direct", run->reached[from][to]);
    put_figures(&line, "gbps", "best",
                !both       ? &run->one[from][to]
                : from < to ? &run->both[from][to]
                            : &run->both[to][from]);
}

static void put_everybody(const struct links_run *run, unsigned gpu, enum everybody which)
{
    struct probe_line line;

    probe_line_begin(&line);
    json_member(&line.writer, "all_copy", everybody_names[which]);
    probe_line_number(&line, "gpu", gpu);
    put_figures(&line, "gbps", "best", &run->all[which][gpu]);
}

static void put_chase(const struct links_run *run, unsigned from, unsigned to)
{
    struct probe_line line;

    probe_line_begin(&line);
    json_member(&line.writer, "chase", from == to ? "own" : "peer");
    probe_line_number(&line, "from", from);
    probe_line_number(&line, "to", to);
    put_figures(&line, "ns", "most", &run->chase[from][to]);
}

static void put_all(const struct gpu_probe *probe, const struct links_run *run)
{
    const unsigned count = probe->device_count;
    struct probe_line line;

    for (unsigned i = 0; i < 4; i++)
        for (unsigned gpu = 0; gpu < count; gpu++)
            put_host(run, gpu, i % 2 == 0 ? COPY_UP : COPY_DOWN, i / 2);
    for (unsigned from = 0; from < count; from++)
        for (unsigned to = 0; to < count; to++)
            if (from != to) {
                put_pair(run, from, to, false);
                put_pair(run, from, to, true);
            }
    for (unsigned which = 0; which < EVERYBODY && count > 1; which++)
        for (unsigned gpu = 0; gpu < count; gpu++)
            put_everybody(run, gpu, (enum everybody)which);
    for (unsigned from = 0; from < count; from++)
        for (unsigned to = 0; to < count; to++)
            put_chase(run, from, to);
    for (unsigned gpu = 0; gpu < count; gpu++) {
        line_begin_gpu(&line, probe, gpu);
        probe_line_end(&line);
    }
}

static int run_links(struct gpu_probe *probe)
{
    struct links_run *run = calloc(1, sizeof *run);
    double began = gpu_now_s();
    struct error err = {0};
    int status;

    if (run == NULL)
        return gpu_refuse(probe, GPU_BROKEN, "no memory");
    run->copies = probe->backend->copies;
    gpu_output_head(probe);
    status = measure_all(run, probe, &err);
    gpu_deadline_stop();
    put_all(probe, run);
    if (run->own != NULL)
        run->copies->close(run->own);
    free(run);
    return status < 0 ? gpu_refuse(probe, GPU_BROKEN, err.text)
                      : gpu_output_done(false, probe->options.windows, gpu_now_s() - began);
}

const struct gpu_test gpu_test_links = {
    .name = "links",
    .summary = "Copies between the host and each GPU, alone and all at once, and between every\n"
               "  two GPUs, in rounds in which each GPU is in one pair, from all to one, one to all,\n"
               "  all to all; and how long a GPU waits for a word of another's memory.",
    .head = head,
    .run = run_links,
};
