/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes out, a line of JSON each, written at once and whole:
 *
 *   {"assay_probe": 1, "collective": ..}   the head: what is measured, and how much will come
 *   {"size_bytes": ..}                     each size: time, bandwidths, wrong elements
 *   {"round": ..}                          with --arrivals, each round that was looked at
 *   {"rank": ..}                           each rank: late, last, its best path
 *   {"end": "ok"}                          how it ended. Without this line the output is cut
 */
#include <stdio.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/json.h"
#include "assay/base/scan.h"
#include "probe.h"
#include "probe_line.h"

/*
 * A rank is called a straggler when its best path has less than this part of the median rank's; or when it came
 * last in more than this part of the rounds, and mostly later by more than this time and this part of a round.
 * Both are hints for people; no outcome hangs on them.
 */
static const double slow_path = 0.7, mostly_last = 0.5, late_us = 100, late_part = 0.1;

/* To six digits: more of a time are noise. */
static double rounded(double value)
{
    char text[32];
    double result = value;

    snprintf(text, sizeof text, "%.6g", value);
    (void)scan_double(slice_of(text), &result);
    return result;
}

static void put_rounded(struct probe_line *line, const char *key, double value)
{
    probe_line_number(line, key, rounded(value));
}

static void put_known(struct probe_line *line, const char *key, const char *value)
{
    if (*value != '\0')
        json_member(&line->writer, key, value);
}

void output_head(const struct probe *probe, unsigned sizes)
{
    const struct probe_options *options = &probe->options;
    const struct rank_card *card = &probe->cards[0];
    bool is_host = probe->backend == &backend_host;
    struct probe_line line;

    probe_line_begin(&line);
    probe_line_number(&line, "assay_probe", 1);
    json_member(&line.writer, "program", card->program);
    json_member(&line.writer, "collective", options->collective->name);
    json_member(&line.writer, "backend", probe->backend->name);
    json_member(&line.writer, "type", "float");
    json_member(&line.writer, "redop", options->collective->redop);
    probe_line_number(&line, "ranks", probe->ranks);
    probe_line_number(&line, "hosts", probe->places.host_count);
    probe_line_number(&line, "begin_bytes", (double)options->begin);
    probe_line_number(&line, "end_bytes", (double)options->end);
    probe_line_number(&line, "factor", options->factor);
    probe_line_number(&line, "sizes", sizes);
    probe_line_number(&line, "iterations", options->iterations);
    probe_line_number(&line, "warmup", options->warmup);
    probe_line_number(&line, "path_bytes", (double)options->path_bytes);
    json_member_boolean(&line.writer, "check", options->check);
    put_known(&line, "mpi", card->mpi);
    put_known(&line, "nccl", is_host ? "" : card->nccl);
    put_known(&line, "cuda", is_host ? "" : card->cuda);
    put_known(&line, "driver", is_host ? "" : card->driver);
    probe_line_end(&line);
}

void output_size(const struct result *result)
{
    struct probe_line line;

    probe_line_begin(&line);
    probe_line_number(&line, "size_bytes", (double)result->size);
    probe_line_number(&line, "moved_bytes", (double)(result->count * sizeof(float)));
    put_rounded(&line, "time_us", result->time_us);
    put_rounded(&line, "algbw", result->algbw);
    put_rounded(&line, "busbw", result->busbw);
    put_rounded(&line, "spread_us", result->spread_us);
    json_key(&line.writer, "wrong");
    if (result->wrong < 0)
        json_put_null(&line.writer);
    else
        json_put_number(&line.writer, result->wrong);
    probe_line_end(&line);
}

static void put_column(struct probe_line *line, const char *key, const struct probe *probe, size_t round,
                       const double *values, const double *minus, double first)
{
    size_t rounds = probe->options.iterations;

    json_member_array(&line->writer, key);
    for (size_t rank = 0; rank < (size_t)probe->ranks; rank++) {
        size_t at = rank * rounds + round;

        json_put_number(&line->writer, rounded(values[at] - (minus != NULL ? minus[at] : first)));
    }
    json_close_array(&line->writer);
}

void output_round(const struct probe *probe, size_t size, size_t round, const double *entered_us,
                  const double *left_us)
{
    size_t rounds = probe->options.iterations;
    double first = entered_us[round];
    struct probe_line line;

    for (size_t rank = 1; rank < (size_t)probe->ranks; rank++)
        if (entered_us[rank * rounds + round] < first)
            first = entered_us[rank * rounds + round];
    probe_line_begin(&line);
    probe_line_number(&line, "round", (double)round);
    probe_line_number(&line, "of_bytes", (double)size);
    put_column(&line, "arrival_us", probe, round, entered_us, NULL, first);
    put_column(&line, "duration_us", probe, round, left_us, entered_us, 0);
    probe_line_end(&line);
}

static double median_path(const struct probe *probe, const double *paths_gbps)
{
    cleanup_free double *values = mem_alloc((size_t)probe->ranks * sizeof *values);
    size_t count = 0;

    for (int rank = 0; rank < probe->ranks; rank++)
        if (paths_gbps[rank] > 0)
            values[count++] = paths_gbps[rank];
    return median_of(values, count);
}

static double median_of_row(const struct arrivals *book, const float *rows, int rank, double *ret_most)
{
    cleanup_free double *values = mem_alloc(book->rounds * sizeof *values);
    double middle;

    for (size_t i = 0; i < book->rounds; i++)
        values[i] = rows[(size_t)rank * book->capacity + i];
    middle = median_of(values, book->rounds);
    *ret_most = book->rounds > 0 ? values[book->rounds - 1] : 0;
    return middle;
}

static const char *straggler(const struct probe *probe, int rank, double path_gbps, double path_median,
                             double late, double duration)
{
    const struct arrivals *book = &probe->arrivals;

    if (probe->places.host_count > 2 && path_gbps > 0 && path_gbps < slow_path * path_median)
        return "path";
    if (probe->ranks > 2 && book->last[rank] > mostly_last * (double)book->rounds && late > late_us &&
        late > late_part * duration)
        return "late";
    return "";
}

static void output_rank(const struct probe *probe, int rank, double path_gbps, double path_median,
                        double clock_error_us)
{
    const struct arrivals *book = &probe->arrivals;
    const struct rank_card *card = &probe->cards[rank];
    double late_most, duration_most, late = median_of_row(book, book->late_us, rank, &late_most);
    double duration = median_of_row(book, book->duration_us, rank, &duration_most);
    struct probe_line line;

    probe_line_begin(&line);
    probe_line_number(&line, "rank", rank);
    json_member(&line.writer, "host", card->host);
    probe_line_number(&line, "local_rank", probe->places.local_of[rank]);
    json_member(&line.writer, "device", probe->backend == &backend_host ? "cpu" : card->device);
    put_rounded(&line, "late_us", late);
    put_rounded(&line, "late_max_us", late_most);
    put_rounded(&line, "duration_us", duration);
    put_rounded(&line, "duration_max_us", duration_most);
    probe_line_number(&line, "last", book->last[rank]);
    probe_line_number(&line, "rounds", (double)book->rounds);
    put_rounded(&line, "clock_error_us", clock_error_us);
    if (path_gbps > 0)
        put_rounded(&line, "path", path_gbps);
    put_known(&line, "straggler", straggler(probe, rank, path_gbps, path_median, late, duration));
    probe_line_end(&line);
}

void output_ranks(const struct probe *probe, const double *paths_gbps, const double *clock_errors_us)
{
    double middle = median_path(probe, paths_gbps);

    for (int rank = 0; rank < probe->ranks; rank++)
        output_rank(probe, rank, paths_gbps[rank], middle, clock_errors_us[rank]);
}

void output_end(const struct probe *probe, const char *how, const char *reason, const int *waiting_for,
                size_t waiting_count)
{
    struct probe_line line;

    probe_line_begin(&line);
    json_member(&line.writer, "end", how);
    put_known(&line, "reason", reason);
    if (waiting_count > 0) {
        json_member_array(&line.writer, "waiting_for");
        for (size_t i = 0; i < waiting_count; i++) {
            json_open_object(&line.writer);
            probe_line_number(&line, "rank", waiting_for[i]);
            json_member(&line.writer, "host", rank_host(probe, waiting_for[i]));
            json_close_object(&line.writer);
        }
        json_close_array(&line.writer);
    }
    probe_line_end(&line);
}
