/* SPDX-License-Identifier: Apache-2.0 */
/* fio's JSON (json and json+). */
#include <string.h>

#include "assay/base/json.h"
#include "assay/reasons/any.h"
#include "fio.h"
#include "loose_json.h"
#include "runs.h"

/* lat_ns of 3.x, lat (in us) before. */
static const struct json *latency_of(const struct json *direction, const char *kind, double *ret_per_us)
{
    const struct json *ns = json_get(direction, strcmp(kind, "lat") == 0 ? "lat_ns" : "clat_ns");

    *ret_per_us = ns != NULL ? 1000 : 1;
    return ns != NULL ? ns : json_get(direction, kind);
}

static void read_percentiles(struct fio_run *run, const struct fio_place *place, const struct json *latency,
                             const char *of, double per_us)
{
    json_each (value, json_get(latency, "percentile")) {
        const char *stat = fio_percentile(run->reading->arena, slice_of(value->key));

        if (stat != NULL && value->type == JSON_NUMBER)
            fio_measure(run, place, "latency", stat, of, value->number / per_us, "us");
    }
}

static void read_latency(struct fio_run *run, const struct fio_place *place, const struct json *direction)
{
    static const char *const stats[] = {"mean", "min", "max"};
    double per_us, value;
    const struct json *total = latency_of(direction, "lat", &per_us);

    /* Nothing is done in no time: all zero means that fio was told not to take it. */
    if (loose_number(total, "max", &value) && value > 0)
        for (size_t i = 0; i < ARRAY_SIZE(stats); i++)
            if (loose_number(total, stats[i], &value))
                fio_measure(run, place, "latency", stats[i], "total", value / per_us, "us");
    read_percentiles(run, place, total, "total", per_us);
    read_percentiles(run, place, latency_of(direction, "clat", &per_us), "completion", per_us);
}

static void read_direction(struct fio_run *run, const struct fio_place *place, const struct json *direction)
{
    double iops = 0, bandwidth, bytes = 0, runtime;

    loose_number(direction, "iops", &iops);
    loose_number(direction, "io_bytes", &bytes);
    if (iops <= 0 && bytes <= 0)
        return; /* a job that only reads has a "write" full of zeros */
    run->moved++;
    fio_measure(run, place, "iops", NULL, NULL, iops, "");
    if (loose_number(direction, "bw_bytes", &bandwidth))
        fio_measure(run, place, "bandwidth", NULL, NULL, bandwidth / 1e9, "GB/s");
    else if (loose_number(direction, "bw", &bandwidth))
        fio_measure(run, place, "bandwidth", NULL, NULL, bandwidth * 1024 / 1e9, "GB/s");
    if (loose_number(direction, "runtime", &runtime))
        fio_measure(run, place, "runtime", NULL, NULL, runtime / 1000, "s");
    read_latency(run, place, direction);
}

static void read_job(struct fio_run *run, const struct json *job)
{
    static const char *const directions[] = {"read", "write", "trim", "mixed"};
    const char *name = json_string(job, "jobname", "");
    const char *host = json_string(job, "hostname", NULL);
    double error = 0, group = 0;

    if (host != NULL)
        name = arena_printf(run->reading->arena, "%s on %s", name, host);
    loose_number(job, "error", &error);
    loose_number(job, "groupid", &group);
    fio_job(run, name, (int64_t)error, "");
    for (size_t i = 0; i < ARRAY_SIZE(directions); i++) {
        const struct fio_place place = {.job = name,
                                        .group = group >= 0 && group < 1e6 ? (uint64_t)group : 0,
                                        .direction = directions[i]};

        read_direction(run, &place, json_get(job, directions[i]));
    }
}

bool fio_json(struct slice bytes, struct reading *reading)
{
    struct fio_run run = {0};
    const struct json *document, *jobs;

    if (!slice_contains(bytes, "\"fio version\""))
        return false;
    run.reading = runs_begin(reading);
    document = loose_json_read(run.reading, "fio", bytes);
    if (document == NULL)
        return true;
    fio_version(&run, slice_of(json_string(document, "fio version", "")));
    jobs = json_get(document, "jobs");
    json_each (job, jobs != NULL ? jobs : json_get(document, "client_stats"))
        read_job(&run, job);
    fio_finish(&run);
    return true;
}
