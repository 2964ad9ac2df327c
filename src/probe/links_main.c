/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-links: the flows that load every link of a fabric, round by round. See usage in links_options.c. On stdout a line
 * of JSON each:
 *
 *   {"assay_probe_links": 1, ..}   the head: how many ranks, rounds and flows there will be
 *   {"round": 1, ..}               each round that was run, and whether the fabric or only the hosts told their counters
 *   {"end": "ok"}                  how it ended. Without this line the output is cut
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/scan.h"
#include "links.h"
#include "probe_line.h"

enum { DONE = 0, USAGE = 64, UNFIT = 69, BROKEN = 70, LATE = 75 };

struct run {
    struct links_options options;
    struct arena *arena;
    int rank, ranks;
    char (*names)[LINKS_NAME_BYTES]; /* of all ranks, at rank 0 */
    struct links_place *places;      /* likewise, on Ethernet; at all ranks */
    struct links_plan plan;          /* at rank 0, as what follows */
    struct links_part *parts;
    struct links_own *own;
    double *gbits;
    FILE *flows;
    const char *ports;
};

/* --- the deadline --- */

static char where[512];
static volatile sig_atomic_t where_length;

static void say_where(const struct run *run, unsigned round, struct links_part part)
{
    bool idle = part.to < 0 && part.from < 0;

    where_length = 0;
    where_length =
        snprintf(where, sizeof where,
                 "assay-probe-links: the deadline is over; rank %d (%s) %s in round %u; it sends to %d, "
                 "receives from %d\n",
                 run->rank, run->names[run->rank], idle ? "waits for the others" : "is at work", round,
                 part.to, part.from);
}

static void on_deadline(int number)
{
    (void)number;
    if (where_length > 0 && write(STDERR_FILENO, where, (size_t)where_length) < 0)
        _exit(BROKEN);
    _exit(LATE);
}

/* --- who is there --- */

static unsigned local_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "PMIX_LOCAL_RANK"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const char *value = getenv(names[i]);
        uint64_t number;

        if (value != NULL && scan_u64(slice_of(value), &number) && number <= UINT16_MAX)
            return (unsigned)number;
    }
    return 0;
}

/* UCX shall take this adapter, and no other way to the partner. */
static void choose_device(const struct links_options *options)
{
    cleanup_free char *device = mem_printf("%s:1", options->hca);

    setenv("UCX_NET_DEVICES", device, 1);
}

static void describe(const struct links_options *options, char name[LINKS_NAME_BYTES])
{
    char host[64] = "";

    gethostname(host, sizeof host - 1);
    snprintf(name, LINKS_NAME_BYTES, "%s %s", options->host != NULL ? options->host : host, options->hca);
}

/* Of another version another protocol may be spoken. */
static bool is_one_version(const struct run *run)
{
    char own[64] = ASSAY_VERSION, first[64] = ASSAY_VERSION;
    int same, all;

    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    same = memcmp(own, first, sizeof own) == 0;
    if (!same)
        fprintf(stderr, "assay-probe-links: rank %d is of version %s, rank 0 of %.64s\n", run->rank, own,
                first);
    MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return all;
}

static void share_names(struct run *run)
{
    char own[LINKS_NAME_BYTES] = "";

    describe(&run->options, own);
    run->names = mem_alloc((size_t)run->ranks * LINKS_NAME_BYTES);
    MPI_Allgather(own, LINKS_NAME_BYTES, MPI_CHAR, run->names, LINKS_NAME_BYTES, MPI_CHAR, MPI_COMM_WORLD);
    for (int rank = 0; rank < run->ranks; rank++)
        run->names[rank][LINKS_NAME_BYTES - 1] = '\0';
}

static void share_places(struct run *run)
{
    struct links_place own = links_place(&run->options, run->rank);

    run->places = mem_alloc((size_t)run->ranks * sizeof *run->places);
    MPI_Allgather(&own, sizeof own, MPI_BYTE, run->places, sizeof own, MPI_BYTE, MPI_COMM_WORLD);
    for (int rank = 0; rank < run->ranks; rank++)
        links_place_take(&run->places[rank], rank);
}

/* --- what rank 0 says --- */

static void put_head(const struct run *run)
{
    struct probe_line line;

    probe_line_begin(&line);
    probe_line_number(&line, "assay_probe_links", 1);
    json_member(&line.writer, "program", "assay-probe-links " ASSAY_VERSION);
    probe_line_number(&line, "ranks", run->ranks);
    probe_line_number(&line, "hosts", run->plan.hosts);
    probe_line_number(&line, "links", (double)run->plan.schedule->links);
    probe_line_number(&line, "rounds", (double)run->plan.schedule->ends.count);
    probe_line_number(&line, "flows", (double)run->plan.schedule->flows.count);
    probe_line_number(&line, "seconds", run->options.seconds);
    probe_line_end(&line);
}

static void put_round(size_t round, size_t flows, bool fabric)
{
    struct probe_line line;

    probe_line_begin(&line);
    probe_line_number(&line, "round", (double)round);
    probe_line_number(&line, "flows", (double)flows);
    json_member(&line.writer, "counters", fabric ? "fabric" : "hosts");
    probe_line_end(&line);
}

static void put_end(const char *how, const char *reason)
{
    struct probe_line line;

    probe_line_begin(&line);
    json_member(&line.writer, "end", how);
    if (reason != NULL)
        json_member(&line.writer, "reason", reason);
    probe_line_end(&line);
}

/* What one rank knows of, and all end by. */
static void fail(const char *what, const char *path)
{
    fprintf(stderr, "assay-probe-links: %s: %s\n", path, what);
    put_end("broken", what);
    usleep(200000); /* mpirun must have read it before it hears of the end */
    MPI_Abort(MPI_COMM_WORLD, BROKEN);
}

/* --- rounds --- */

/* All do; rank 0 writes. Returns whether the fabric's own counters were told. */
static bool take_counters(struct run *run, size_t reading)
{
    struct links_own own = links_own_counters(&run->options);
    int asked;

    MPI_Gather(&own, sizeof own, MPI_BYTE, run->own, sizeof own, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (run->rank != 0)
        return false;
    asked = links_write_counters(&run->options, run->ports, reading, &run->plan, run->own);
    if (asked < 0)
        fail("cannot be written", run->options.counters);
    return asked > 0;
}

static const struct fabric_flow *flows_of(const struct run *run, size_t round, size_t *ret_count)
{
    const struct fabric_schedule *schedule = run->plan.schedule;
    size_t first = round > 0 ? schedule->ends.items[round - 1] : 0;

    *ret_count = schedule->ends.items[round] - first;
    return schedule->flows.items + first;
}

static void give_parts(struct run *run, size_t round)
{
    size_t count;
    const struct fabric_flow *flows = flows_of(run, round, &count);

    for (int rank = 0; rank < run->ranks; rank++)
        run->parts[rank] = (struct links_part){-1, -1};
    for (size_t i = 0; i < count; i++) {
        int from = run->plan.rank_of[flows[i].from], to = run->plan.rank_of[flows[i].to];

        run->parts[from].to = to;
        run->parts[to].from = from;
    }
}

/* MPI's receiver knows what came, of ib_write_bw the sender. What came to nothing was not measured. */
static void write_flow(struct run *run, struct fabric_flow flow)
{
    const struct fabric *fabric = run->plan.fabric;
    bool by_tool = run->options.cables != NULL;
    double gbits = run->gbits[run->plan.rank_of[by_tool ? flow.from : flow.to]];

    fprintf(run->flows, "%s > %s", fabric_port_name(fabric, flow.from), fabric_port_name(fabric, flow.to));
    if (!by_tool || gbits > 0)
        fprintf(run->flows, ": %.3f", gbits);
    fputc('\n', run->flows);
}

static void write_flows(struct run *run, size_t round)
{
    size_t count;
    const struct fabric_flow *flows = flows_of(run, round, &count);

    fprintf(run->flows, "# round %zu\n", round + 1);
    for (size_t i = 0; i < count; i++)
        write_flow(run, flows[i]);
    if (fflush(run->flows) != 0)
        fail("cannot be written", run->options.flows);
}

static void run_round(struct run *run, size_t round)
{
    struct links_part part;
    double gbits;
    size_t count;
    bool fabric;

    if (run->rank == 0)
        give_parts(run, round);
    MPI_Scatter(run->parts, sizeof part, MPI_BYTE, &part, sizeof part, MPI_BYTE, 0, MPI_COMM_WORLD);
    say_where(run, (unsigned)round + 1, part);
    MPI_Barrier(MPI_COMM_WORLD);
    gbits = run->options.cables != NULL ? links_flow_by_tool(&run->options, part, run->rank, run->places)
                                        : links_flow(&run->options, part);
    say_where(run, (unsigned)round + 1, (struct links_part){-1, -1});
    MPI_Gather(&gbits, 1, MPI_DOUBLE, run->gbits, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    fabric = take_counters(run, round + 1);
    if (run->rank != 0)
        return;
    write_flows(run, round);
    (void)flows_of(run, round, &count);
    put_round(round + 1, count, fabric);
}

static void run_rounds(struct run *run)
{
    uint64_t rounds = run->rank == 0 ? run->plan.schedule->ends.count : 0;

    MPI_Bcast(&rounds, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    (void)take_counters(run, 0);
    for (size_t round = 0; round < rounds; round++)
        run_round(run, round);
    if (run->rank == 0)
        put_end("ok", NULL);
}

/* --- the whole --- */

static int prepare(struct run *run, struct error *err)
{
    run->parts = arena_array(run->arena, struct links_part, (size_t)run->ranks);
    run->own = arena_array(run->arena, struct links_own, (size_t)run->ranks);
    run->gbits = arena_array(run->arena, double, (size_t)run->ranks);
    run->ports = arena_printf(run->arena, "%s.ports", run->options.counters);
    if (links_plan(run->arena, &run->options, run->names, run->ranks, &run->plan, err) < 0)
        return -1;
    run->flows = fopen(run->options.flows, "we");
    if (run->flows == NULL || links_write_ports(run->ports, run->plan.fabric) < 0)
        return error_set(err, ERROR_USAGE, "%s and %s: cannot be written", run->options.flows, run->ports);
    return 0;
}

static int work(struct run *run)
{
    struct error err = {0};
    int fits = 1;

    if (!is_one_version(run))
        return UNFIT;
    share_names(run);
    if (run->options.cables != NULL)
        share_places(run);
    if (run->rank == 0 && prepare(run, &err) < 0) {
        fprintf(stderr, "assay-probe-links: %s\n", err.text);
        put_end("unfit", err.text);
        fits = 0;
    }
    MPI_Bcast(&fits, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!fits)
        return UNFIT;
    if (run->rank == 0)
        put_head(run);
    run_rounds(run);
    return DONE;
}

int main(int argc, char **argv)
{
    struct run run = {.arena = arena_create()};
    struct error err = {0};
    int status = links_options_read(&run.options, argc, argv, local_rank(), &err);

    if (status > 0)
        return DONE;
    if (status < 0) {
        fprintf(stderr, "assay-probe-links: %s\n", err.text);
        return USAGE;
    }
    if (run.options.cables == NULL)
        choose_device(&run.options);
    signal(SIGALRM, on_deadline);
    alarm(run.options.deadline_s);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run.ranks);
    status = work(&run);
    MPI_Finalize();
    if (run.flows != NULL)
        fclose(run.flows);
    arena_destroy(run.arena);
    return status;
}
