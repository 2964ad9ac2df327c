/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One size: warm-up, timed rounds as nccl-tests has them (started together, one after the other, one clock
 * around all), rounds that are looked at one by one, and one whose data is checked.
 *
 * The time of a round is that of the slowest rank. nccl-tests prints the average of ranks (its -a 1), which
 * in a ring of sends hides the slow one.
 */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "probe.h"

enum { CHUNK = 1 << 20 }; /* elements that are prepared or checked at a time */

static void must(const struct probe *probe, int result, const struct error *err)
{
    if (result < 0)
        probe_fail(probe, PROBE_BROKEN, "%s", err->text);
}

/* What the rank that was asked to does wrong, at the begin of a round that is looked at. */
static void make_trouble(const struct probe *probe)
{
    const struct probe_options *options = &probe->options;

    if (options->trouble_rank != probe->rank)
        return;
    if (options->trouble == TROUBLE_HANG)
        for (;;)
            pause();
    if (options->trouble == TROUBLE_CRASH)
        abort();
    if (options->trouble == TROUBLE_LATE)
        usleep((useconds_t)options->trouble_us);
}

static size_t shared(const struct probe *probe, size_t count, bool share)
{
    return share ? count / (size_t)probe->ranks : count;
}

/* The send buffer holds the same for every size, so it is filled once. */
void rounds_prepare(struct probe *probe)
{
    const struct collective *collective = probe->options.collective;
    size_t most = probe->options.end / sizeof(float), path = probe->options.path_bytes / sizeof(float);
    size_t send = shared(probe, most, collective->sends_share);
    size_t receive = shared(probe, most, collective->receives_share);
    cleanup_free float *values = mem_alloc(CHUNK * sizeof *values);
    struct error err = {0};

    send = send > path ? send : path;
    receive = receive > path ? receive : path;
    deadline_pass("preparing buffers", probe->options.end);
    must(probe, probe->backend->allocate(probe, send, receive, &err), &err);
    for (size_t at = 0; at < send; at += CHUNK) {
        size_t count = send - at < CHUNK ? send - at : CHUNK;

        for (size_t i = 0; i < count; i++)
            values[i] = collective_value(probe->rank, at + i);
        if (at == 0 && probe->options.trouble == TROUBLE_WRONG && probe->options.trouble_rank == probe->rank)
            values[0] += 1;
        must(probe, probe->backend->put(probe, values, at, count, &err), &err);
    }
}

static void run_rounds(struct probe *probe, size_t count, unsigned rounds)
{
    struct error err = {0};

    for (unsigned i = 0; i < rounds; i++)
        must(probe, probe->backend->run(probe, count, &err), &err);
    must(probe, probe->backend->wait(probe, &err), &err);
}

/* Microseconds of a round, of the slowest rank and of this one. */
static double time_rounds(struct probe *probe, size_t size, size_t count, double *ret_own_us)
{
    double began, mine, slowest;

    deadline_pass("warming up", size);
    run_rounds(probe, count, probe->options.warmup);
    deadline_pass("timing", size);
    MPI_Barrier(MPI_COMM_WORLD);
    began = clock_now_us();
    run_rounds(probe, count, probe->options.iterations);
    mine = (clock_now_us() - began) / probe->options.iterations;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    *ret_own_us = mine;
    return slowest;
}

/* When each rank came to each round, and left it; at rank 0 of all ranks. */
static void observe_rounds(struct probe *probe, size_t size, size_t count, double *ret_spread_us)
{
    size_t rounds = probe->options.iterations, all = probe->rank == 0 ? rounds * (size_t)probe->ranks : 0;
    cleanup_free double *entered = mem_alloc(rounds * sizeof *entered),
                        *left = mem_alloc(rounds * sizeof *left);
    cleanup_free double *all_entered = mem_alloc(all * sizeof *all_entered),
                        *all_left = mem_alloc(all * sizeof *all_left);

    clock_compare(probe);
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t i = 0; i < rounds; i++) {
        make_trouble(probe);
        deadline_pass("a round", size);
        entered[i] = clock_now_us() + probe->clock.offset_us;
        run_rounds(probe, count, 1);
        left[i] = clock_now_us() + probe->clock.offset_us;
    }
    MPI_Gather(entered, (int)rounds, MPI_DOUBLE, all_entered, (int)rounds, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Gather(left, (int)rounds, MPI_DOUBLE, all_left, (int)rounds, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (probe->rank == 0)
        arrivals_take(probe, size, all_entered, all_left, ret_spread_us);
}

static double count_wrong(struct probe *probe, size_t size, size_t count, double *ret_own)
{
    const struct collective *collective = probe->options.collective;
    size_t received = shared(probe, count, collective->receives_share);
    cleanup_free float *values = mem_alloc(CHUNK * sizeof *values);
    double wrong = 0, all = 0;
    struct error err = {0};

    deadline_pass("checking data", size);
    must(probe, probe->backend->clear(probe, received, &err), &err);
    run_rounds(probe, count, 1);
    for (size_t at = 0; at < received; at += CHUNK) {
        size_t piece = received - at < CHUNK ? received - at : CHUNK;

        must(probe, probe->backend->get(probe, values, at, piece, &err), &err);
        /* What is no number is unequal to everything. */
        for (size_t i = 0; i < piece; i++)
            wrong += !(values[i] == collective->expected(probe->ranks, probe->rank, count, at + i));
    }
    *ret_own = wrong;
    MPI_Reduce(&wrong, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return all;
}

void rounds_measure(struct probe *probe, size_t size, struct result *ret_result)
{
    size_t count = size / sizeof(float) / (size_t)probe->ranks * (size_t)probe->ranks;
    struct result result = {.size = size, .count = count, .wrong = -1};
    double own_us;

    result.time_us = time_rounds(probe, size, count, &own_us);
    result.algbw = (double)(count * sizeof(float)) / result.time_us / 1e3;
    result.busbw = result.algbw * probe->options.collective->bus_factor(probe->ranks);
    result.own_busbw = result.busbw * result.time_us / own_us;
    observe_rounds(probe, size, count, &result.spread_us);
    if (probe->options.check)
        result.wrong = count_wrong(probe, size, count, &result.own_wrong);
    *ret_result = result;
}
