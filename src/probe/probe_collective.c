/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-collective: a collective over all ranks that tells who is slow. See usage in probe_options.c, and
 * the form of its output in probe_output.c.
 */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/text.h"
#include "probe.h"

static const char *way(int status)
{
    return status == PROBE_UNFIT ? "unfit" : "broken";
}

void probe_refuse(const struct probe *probe, int status, const char *format, ...)
{
    va_list arguments;
    cleanup_text struct text reason = {0};

    deadline_stop();
    text_init(&reason, 4 << 20);
    va_start(arguments, format);
    text_vprintf(&reason, format, arguments);
    va_end(arguments);
    if (probe->rank == 0) {
        fprintf(stderr, "assay-probe-collective: %s\n", reason.bytes);
        output_end(probe, way(status), reason.bytes, NULL, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    exit(status);
}

void probe_fail(const struct probe *probe, int status, const char *format, ...)
{
    va_list arguments;
    cleanup_text struct text reason = {0};

    text_init(&reason, 1 << 16);
    text_printf(&reason, "rank %d on %s: ", probe->rank, rank_host(probe, probe->rank));
    va_start(arguments, format);
    text_vprintf(&reason, format, arguments);
    va_end(arguments);
    fprintf(stderr, "assay-probe-collective: %s\n", reason.bytes);
    output_end(probe, way(status), reason.bytes, NULL, 0);
    usleep(200000); /* mpirun must have read it before it hears of the end */
    MPI_Abort(MPI_COMM_WORLD, status);
    exit(status);
}

static void start_mpi(struct probe *probe, int *argc, char ***argv)
{
    int provided;

    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &probe->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &probe->ranks);
    ranks_compare(probe);
    deadline_know(probe, provided == MPI_THREAD_MULTIPLE);
}

static unsigned count_sizes(const struct probe_options *options)
{
    unsigned count = 0;

    for (size_t size = options->begin; size <= options->end; size *= options->factor)
        count++;
    return count;
}

/* Elements that came out wrong, over all sizes. */
static double measure_sizes(struct probe *probe)
{
    const struct probe_options *options = &probe->options;
    double wrong = 0;

    for (size_t size = options->begin; size <= options->end; size *= options->factor) {
        struct result result;

        rounds_measure(probe, size, &result);
        witness_size(probe, &result);
        if (probe->rank == 0)
            output_size(&result);
        if (result.wrong > 0)
            wrong += result.wrong;
    }
    return wrong;
}

static void report_ranks(const struct probe *probe)
{
    cleanup_free double *paths = mem_alloc((size_t)probe->ranks * sizeof *paths);
    cleanup_free double *errors = mem_alloc((size_t)probe->ranks * sizeof *errors);

    MPI_Gather(&probe->path_gbps, 1, MPI_DOUBLE, paths, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Gather(&probe->clock.error_us, 1, MPI_DOUBLE, errors, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (probe->rank == 0)
        output_ranks(probe, paths, errors);
}

static int measure(struct probe *probe)
{
    struct error err = {0};
    double wrong;

    if (probe->options.begin < (size_t)probe->ranks * sizeof(float))
        probe_refuse(probe, PROBE_UNFIT,
                     "the smallest message, %zu bytes, has no element for each of %d ranks",
                     probe->options.begin, probe->ranks);
    if (probe->options.trouble_rank >= probe->ranks)
        probe_refuse(probe, PROBE_UNFIT, "--trouble names rank %d of %d", probe->options.trouble_rank,
                     probe->ranks);
    deadline_pass("opening the backend", 0);
    if (probe->backend->open(probe, &err) < 0)
        probe_fail(probe, PROBE_BROKEN, "%s", err.text);
    if (probe->rank == 0)
        output_head(probe, count_sizes(&probe->options));
    rounds_prepare(probe);
    witness_begin(probe);
    wrong = measure_sizes(probe);
    witness_end(probe);
    paths_measure(probe);
    report_ranks(probe);
    MPI_Bcast(&wrong, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (probe->rank == 0)
        output_end(probe, wrong > 0 ? "wrong" : "ok", "", NULL, 0);
    probe->backend->close(probe);
    return wrong > 0 ? PROBE_WRONG : PROBE_DONE;
}

int main(int argc, char **argv)
{
    struct probe probe = {0};
    struct error err = {0};
    int status = options_read(&probe.options, argc, argv, &err);

    if (status > 0) {
        options_print_help();
        return PROBE_DONE;
    }
    if (status < 0) {
        fprintf(stderr, "assay-probe-collective: %s\n", err.text);
        return PROBE_USAGE;
    }
    deadline_start(&probe);
    start_mpi(&probe, &argc, &argv);
    status = measure(&probe);
    deadline_stop();
    MPI_Finalize();
    return status;
}
