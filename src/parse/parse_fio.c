/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fio 2.x and 3.x: JSON (json, json+) with any text before and after it, the text for people, also only its
 * closing "Run status", and terse lines. Several documents or several runs are runs of their own.
 *
 * subject ""; at job and group; a number of a whole group has no job
 * facts    fio.version "3.16"; fio.error (subject: the job) its errno, "0" when it had none
 * metrics  storage.read.bandwidth GB/s, storage.read.iops, storage.read.latency us at stat mean, min, max, p50, p99, p99.9
 *          ..., of total (from submission on) or completion; storage.read.runtime s, of JSON and terse lines; the same for write, trim
 *          and mixed. A direction in which nothing was done has none
 * finding  fio.io_error fault: the device gave an error (EIO and its like); another error is fio's own and
 *          the reading is failed
 */
#include <string.h>

#include "assay/parse/parser.h"
#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"
#include "fio.h"
#include "loose_json.h"
#include "runs.h"

void fio_measure(struct fio_run *run, const struct fio_place *place, const char *metric, const char *stat,
                 const char *of, double value, const char *unit)
{
    struct reading *reading = run->reading;
    struct measurement *measurement = reading_measure(
        reading, arena_printf(reading->arena, "storage.%s.%s", place->direction, metric), "", value, unit);

    if (place->job != NULL)
        reading_at_text(reading, measurement, "job", slice_of(place->job));
    reading_at_number(reading, measurement, "group", (double)place->group);
    if (stat != NULL)
        reading_at_text(reading, measurement, "stat", slice_of(stat));
    if (of != NULL)
        reading_at_text(reading, measurement, "of", slice_of(of));
}

const char *fio_percentile(struct arena *arena, struct slice text)
{
    double value;

    if (!scan_double(text, &value) || value <= 0 || value > 100)
        return NULL;
    return arena_printf(arena, "p%g", value);
}

/* Errors that a healthy device does not give: the data, the medium or the way to it. */
static bool is_device_error(int64_t error)
{
    static const int64_t errors[] = {5 /* EIO */,
                                     6 /* ENXIO */,
                                     19 /* ENODEV */,
                                     30 /* EROFS */,
                                     61 /* ENODATA */,
                                     74 /* EBADMSG */,
                                     84 /* EILSEQ */,
                                     110 /* ETIMEDOUT */,
                                     116 /* ESTALE */,
                                     117 /* EUCLEAN */,
                                     121 /* EREMOTEIO */};

    for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
        if (errors[i] == error)
            return true;
    return false;
}

void fio_job(struct fio_run *run, const char *job, int64_t error, const char *text)
{
    struct arena *arena = run->reading->arena;
    /* Not strerror: what it says depends on the machine that reads. */
    const struct reason *said = *text != '\0' ? reason(arena, job_error_said, job, error, text)
                                              : reason(arena, job_error, job, error);

    run->jobs++;
    reading_fact(run->reading, "fio.error", job, slice_of(arena_printf(arena, "%lld", (long long)error)));
    if (is_device_error(error))
        reading_finding(run->reading, SEVERITY_FAULT, "fio.io_error", job, said);
    else if (error != 0)
        run->trouble = said;
}

void fio_version(struct fio_run *run, struct slice version)
{
    if (scan_text(&version, "fio-") || scan_text(&version, "fio "))
        reading_fact(run->reading, "fio.version", "", version);
}

static bool is_closed(const struct fio_run *run, const struct fio_place *place)
{
    for (size_t i = 0; i < run->closed.count; i++)
        if (run->closed.items[i].group == place->group &&
            strcmp(run->closed.items[i].direction, place->direction) == 0)
            return true;
    return false;
}

void fio_finish(struct fio_run *run)
{
    struct reading *reading = run->reading;

    if (run->trouble != NULL) {
        reading_failed(reading, run->trouble);
        return;
    }
    for (size_t i = 0; i < run->owed.count; i++)
        if (!is_closed(run, &run->owed.items[i])) {
            reading_lacks(reading, reason(reading->arena, run_status_group_missing, run->owed.items[i].group,
                                          run->owed.items[i].direction));
            return;
        }
    if (run->jobs == 0)
        reading_lacks(reading, run->closed.count > 0 ? REASON(jobs_missing) : REASON(no_job));
    if (run->moved == 0 && reading->findings.count == 0)
        reading_lacks(reading, REASON(nothing_read_or_written));
}

static void read_plain(struct slice bytes, struct reading *reading)
{
    struct lines lines;

    lines_read(reading->arena, bytes, 0, &lines);
    fio_text(&lines, reading);
    if (slice_contains(bytes, "\"fio version\""))
        reading_lacks(runs_begin(reading), REASON(json_cut));
}

/* What to say of a text that holds no run: a complaint of fio or of the shell, or that it is another tool's. */
static void no_run(const struct lines *lines, struct reading *reading)
{
    bool began = false;

    for (size_t i = 0; i < lines->count; i++) {
        struct slice line = slice_trim(lines->items[i].text);

        began = began || (slice_starts(line, "fio-") && !slice_contains(line, " "));
        if (slice_starts(line, "fio: ") || slice_ends(line, "fio: not found") ||
            slice_ends(line, "fio: command not found")) {
            reading_failed(reading, reason(reading->arena, text, line));
            return;
        }
    }
    if (began)
        reading_lacks(reading, REASON(fio_told_no_job));
    else
        reading_strange(reading, reason(reading->arena, text, lines_first(lines)));
}

static void note_signal(const struct lines *lines, struct reading *reading)
{
    for (size_t i = 0; i < lines->count; i++)
        if (slice_starts(slice_trim(lines->items[i].text), "fio: terminating on signal") &&
            reading->status == READING_COMPLETE)
            reading_set(reading, READING_FAILED,
                        reason(reading->arena, text, slice_trim(lines->items[i].text)));
}

static void parse(struct slice bytes, struct reading *reading)
{
    struct lines lines;
    struct slice joined;
    struct loose_objects spans = {0};
    size_t done = 0;

    lines_read(reading->arena, bytes, 0, &lines);
    joined = lines_join(reading->arena, &lines);
    loose_objects_find(reading->arena, joined, &spans);
    for (size_t i = 0; i < spans.list.count; i++) {
        struct slice object = {joined.bytes + spans.list.items[i].start, spans.list.items[i].length};

        if (!slice_contains(object, "\"fio version\""))
            continue;
        read_plain((struct slice){joined.bytes + done, spans.list.items[i].start - done}, reading);
        fio_json(object, reading);
        done = spans.list.items[i].start + spans.list.items[i].length;
    }
    read_plain(slice_from(joined, done), reading);
    if (reading->runs.count == 0)
        no_run(&lines, reading);
    runs_finish(reading);
    note_signal(&lines, reading);
}

const struct parser parse_fio = {
    .name = "fio",
    .version = 2,
    .summary = "fio: JSON, text and terse output, bandwidth, IOPS and latency of each job",
    .metrics = METRICS({"storage.*.bandwidth", "GB/s", BETTER_HIGHER, "bytes read or written in a second"},
                       {"storage.*.iops", "", BETTER_HIGHER, "requests in a second"},
                       {"storage.*.runtime", "s", BETTER_NEITHER, "how long it read or wrote"},
                       {"storage.*.latency", "us", BETTER_LOWER,
                        "time of a request, at stat mean, min, max and percentiles"}),
    .parse = parse,
};
