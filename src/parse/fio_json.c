/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fio's JSON (json and json+). It is not quite JSON: 2.x fills the percentiles up with several members
 * "0.00", options given twice stand twice, a mean of nothing is a bare nan. So the text is first made strict:
 * the echo of the options is emptied, "0.00" is numbered, and what is no exact number becomes null.
 */
#include <ctype.h>
#include <string.h>

#include "assay/json.h"
#include "fio.h"
#include "runs.h"

struct strict {
    struct text out;
    unsigned fillers;
};

/* Length of the string at the front, with its quotes; 0 when it is not closed. */
static size_t string_length(struct slice text)
{
    for (size_t i = 1; i < text.length; i++) {
        if (text.bytes[i] == '\\')
            i++;
        else if (text.bytes[i] == '"')
            return i + 1;
    }
    return 0;
}

/* Length of the object at the front up to its brace; 0 when it is not closed. */
static size_t object_length(struct slice text)
{
    size_t depth = 0;

    for (size_t i = 0; i < text.length; i++) {
        if (text.bytes[i] == '"') {
            size_t length = string_length(slice_from(text, i));

            if (length == 0)
                return 0;
            i += length - 1;
        } else if (text.bytes[i] == '{') {
            depth++;
        } else if (text.bytes[i] == '}' && --depth == 0) {
            return i + 1;
        }
    }
    return 0;
}

/* Behind the key of an echo of options: how much to leave out. */
static size_t options_length(struct slice rest)
{
    size_t skip = 0, length;

    while (skip < rest.length && strchr(" \t\n:", rest.bytes[skip]) != NULL)
        skip++;
    if (skip == rest.length || rest.bytes[skip] != '{')
        return 0;
    length = object_length(slice_from(rest, skip));
    return length > 0 ? skip + length : 0;
}

static size_t put_string(struct strict *strict, struct slice rest)
{
    struct slice word = {rest.bytes, string_length(rest)};
    size_t options = 0;

    if (word.length == 0)
        word.length = rest.length;
    if (slice_equal(word, "\"0.00\"")) {
        text_printf(&strict->out, "\"0.00 %u\"", strict->fillers++);
        return word.length;
    }
    text_add(&strict->out, word.bytes, word.length);
    if (slice_equal(word, "\"job options\"") || slice_equal(word, "\"global options\""))
        options = options_length(slice_from(rest, word.length));
    if (options > 0)
        text_put(&strict->out, ": {}");
    return word.length + options;
}

/* A bare word: a number that a double holds, true, false, null; all else becomes null. */
static size_t put_word(struct strict *strict, struct slice rest)
{
    size_t length = 0, digits = 0;
    struct slice word;
    double value;
    bool known;

    while (length < rest.length &&
           (isalnum((unsigned char)rest.bytes[length]) || strchr("+-.", rest.bytes[length]) != NULL) &&
           rest.bytes[length] != '\0')
        digits += (bool)isdigit((unsigned char)rest.bytes[length++]);
    word = (struct slice){rest.bytes, length};
    known = slice_equal(word, "true") || slice_equal(word, "false") || slice_equal(word, "null");
    if (known || (scan_double(word, &value) && digits <= 15))
        text_add(&strict->out, word.bytes, word.length);
    else if (scan_double(word, &value))
        text_printf(&strict->out, "%.9e", value); /* a mean with more digits than it has sense */
    else
        text_put(&strict->out, "null");
    return length;
}

static void make_strict(struct strict *strict, struct slice bytes)
{
    for (size_t i = 0; i < bytes.length;) {
        struct slice rest = slice_from(bytes, i);

        if (rest.bytes[0] == '"') {
            i += put_string(strict, rest);
        } else if (isalnum((unsigned char)rest.bytes[0]) || rest.bytes[0] == '-') {
            i += put_word(strict, rest);
        } else {
            text_add(&strict->out, rest.bytes, 1);
            i++;
        }
    }
}

static bool number_of(const struct json *object, const char *key, double *ret_number)
{
    const struct json *value = json_get(object, key);

    if (value == NULL || value->type != JSON_NUMBER)
        return false;
    *ret_number = value->number;
    return true;
}

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
    if (number_of(total, "max", &value) && value > 0)
        for (size_t i = 0; i < sizeof stats / sizeof stats[0]; i++)
            if (number_of(total, stats[i], &value))
                fio_measure(run, place, "latency", stats[i], "total", value / per_us, "us");
    read_percentiles(run, place, total, "total", per_us);
    read_percentiles(run, place, latency_of(direction, "clat", &per_us), "completion", per_us);
}

static void read_direction(struct fio_run *run, const struct fio_place *place, const struct json *direction)
{
    double iops = 0, bandwidth, bytes = 0;

    number_of(direction, "iops", &iops);
    number_of(direction, "io_bytes", &bytes);
    if (iops <= 0 && bytes <= 0)
        return; /* a job that only reads has a "write" full of zeros */
    run->moved++;
    fio_measure(run, place, "iops", NULL, NULL, iops, "");
    if (number_of(direction, "bw_bytes", &bandwidth))
        fio_measure(run, place, "bandwidth", NULL, NULL, bandwidth / 1e9, "GB/s");
    else if (number_of(direction, "bw", &bandwidth))
        fio_measure(run, place, "bandwidth", NULL, NULL, bandwidth * 1024 / 1e9, "GB/s");
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
    number_of(job, "error", &error);
    number_of(job, "groupid", &group);
    fio_job(run, name, (int64_t)error, "");
    for (size_t i = 0; i < sizeof directions / sizeof directions[0]; i++) {
        const struct fio_place place = {.job = name,
                                        .group = group >= 0 && group < 1e6 ? (uint64_t)group : 0,
                                        .direction = directions[i]};

        read_direction(run, &place, json_get(job, directions[i]));
    }
}

bool fio_json(struct slice bytes, struct reading *reading)
{
    struct strict strict = {.fillers = 0};
    struct fio_run run = {0};
    struct error err = {0};
    const struct json *document, *jobs;
    const char *clean;

    if (!slice_contains(bytes, "\"fio version\""))
        return false;
    text_init(&strict.out, bytes.length * 2 + 64);
    make_strict(&strict, bytes);
    clean = utf8_clean(reading->arena, (struct slice){strict.out.bytes, strict.out.length});
    text_release(&strict.out);
    run.reading = runs_begin(reading);
    document = json_parse(reading->arena, "fio", clean, strlen(clean), &err);
    if (document == NULL) {
        reading_set(run.reading, READING_PARTIAL, "%s", err.text);
        return true;
    }
    fio_version(&run, slice_of(json_string(document, "fio version", "")));
    jobs = json_get(document, "jobs");
    json_each (job, jobs != NULL ? jobs : json_get(document, "client_stats"))
        read_job(&run, job);
    fio_finish(&run);
    return true;
}
