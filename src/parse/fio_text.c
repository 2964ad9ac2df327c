/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fio's text for people, 2.x and 3.x, and its terse lines (--minimal, versions 3 to 5).
 *
 * 2.x writes KB and means 1024 bytes; 3.x writes KiB for these, and kB for 1000.
 */
#include <ctype.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "fio.h"
#include "runs.h"

struct text_run {
    struct reading *reading;
    struct fio_run run;
    struct slice version;       /* of the next run */
    bool open;                  /* run holds something */
    struct fio_place place;     /* of the direction that is being told */
    const char *percentiles_of; /* NULL: no list of percentiles is open */
    double percentiles_per_us;
    bool status; /* inside "Run status group" */
};

/* A number at the front with k, M or G behind it, as fio shortens counts: 14.0k, 2036.7k. */
static bool take_number(struct slice *rest, double *ret_value)
{
    size_t length = 0;

    *rest = slice_trim(*rest);
    while (length < rest->length &&
           (isdigit((unsigned char)rest->bytes[length]) || rest->bytes[length] == '.'))
        length++;
    if (!scan_double((struct slice){rest->bytes, length}, ret_value))
        return false;
    *rest = slice_from(*rest, length);
    return true;
}

static void take_thousands(struct slice *rest, double *value)
{
    static const struct {
        const char *letter;
        double factor;
    } letters[] = {{"k", 1e3}, {"K", 1e3}, {"M", 1e6}, {"m", 1e6}, {"G", 1e9}};

    for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
        if (scan_text(rest, letters[i].letter)) {
            *value *= letters[i].factor;
            return;
        }
}

/* "4046MiB/s" -> GB/s */
static bool take_rate(struct slice rest, double *ret_gbs)
{
    static const struct {
        const char *unit;
        double bytes;
    } units[] = {
        {"B/s", 1},        {"KiB/s", 1024}, {"MiB/s", 1048576.0}, {"GiB/s", 1073741824.0},
        {"TiB/s", 0x1p40}, {"kB/s", 1e3},   {"KB/s", 1024}, /* 2.x only */
        {"MB/s", 1e6},     {"GB/s", 1e9},   {"TB/s", 1e12},
    };
    double value;

    if (!take_number(&rest, &value))
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(units); i++)
        if (slice_starts(rest, units[i].unit)) {
            *ret_gbs = value * units[i].bytes / 1e9;
            return true;
        }
    return false;
}

/* The same where 2.x wrote it: its K, M and G are 2^10, 2^20, 2^30. */
static bool take_old_rate(struct slice rest, double *ret_gbs)
{
    double value;

    if (!take_number(&rest, &value))
        return false;
    *ret_gbs = value / 1e9 *
               (slice_starts(rest, "KB/s")   ? 1024
                : slice_starts(rest, "MB/s") ? 1048576.0
                : slice_starts(rest, "GB/s") ? 1073741824.0
                : slice_starts(rest, "B/s")  ? 1
                                             : 0);
    return *ret_gbs > 0;
}

static bool value_after(struct slice line, const char *mark, struct slice *ret_rest)
{
    size_t at = slice_find(line, mark);

    if (at == (size_t)-1)
        return false;
    *ret_rest = slice_from(line, at + strlen(mark));
    return true;
}

static void open_run(struct text_run *text)
{
    if (text->open)
        return;
    text->run = (struct fio_run){.reading = runs_begin(text->reading)};
    text->open = true;
    fio_version(&text->run, text->version);
    text->version.length = 0;
}

static void close_run(struct text_run *text)
{
    if (text->open)
        fio_finish(&text->run);
    text->open = text->status = false;
    text->place = (struct fio_place){0};
}

/* "test: (groupid=0, jobs=1): err= 0: pid=2715: Mon Jan 23 21:03:25 2023" */
static bool read_header(struct text_run *text, struct slice line)
{
    size_t at = slice_find(line, ": (groupid=");
    struct slice rest = line, words;
    uint64_t group, error = 0;

    if (!scan_past(&rest, ": (groupid=") || !scan_digits(&rest, &group) || !value_after(rest, "err=", &rest))
        return false;
    rest = slice_trim(rest);
    if (!scan_digits(&rest, &error))
        return false;
    if (text->status)
        close_run(text);
    open_run(text);
    text->place = (struct fio_place){.job = utf8_clean(text->reading->arena, (struct slice){line.bytes, at}),
                                     .group = group};
    if (value_after(rest, "error=", &words))
        rest = words;
    words = (struct slice){rest.bytes, 0};
    while (words.length < rest.length && rest.bytes[words.length] != ')' && rest.bytes[words.length] != ':')
        words.length++;
    fio_job(&text->run, text->place.job, (int64_t)error, utf8_clean(text->reading->arena, words));
    return true;
}

/* What a job did its group's closing lines must show again. */
static void note_direction(struct text_run *text)
{
    struct arena *arena = text->reading->arena;

    if (text->status)
        *list_push(arena, &text->run.closed) = text->place;
    else
        *list_push(arena, &text->run.owed) = text->place;
}

/* "read: IOPS=14.0k, BW=54.6MiB/s (...)" of 3.x, "read : io=1.2GB, bw=340571KB/s, iops=85142, ..." of 2.x,
 * "READ: bw=..." and "READ: io=..., aggrb=..." of a group. */
static bool read_direction(struct text_run *text, struct slice line)
{
    static const char *const names[] = {"read", "write", "trim", "mixed"};
    struct slice word = {line.bytes, 0}, rest;
    const char *direction = NULL;
    double value;

    while (word.length < line.length && isalpha((unsigned char)line.bytes[word.length]))
        word.length++;
    rest = slice_trim(slice_from(line, word.length));
    if (!scan_text(&rest, ":") || (text->place.job == NULL && !text->status))
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (slice_equal_nocase(word, names[i]))
            direction = names[i];
    if (direction == NULL)
        return false;
    text->place.direction = direction;
    note_direction(text);
    line = rest;
    if ((value_after(line, "BW=", &rest) && take_rate(rest, &value)) ||
        (value_after(line, "aggrb=", &rest) && take_old_rate(rest, &value)) ||
        (value_after(line, "bw=", &rest) &&
         (slice_contains(line, "iops=") ? take_old_rate(rest, &value) : take_rate(rest, &value)))) {
        fio_measure(&text->run, &text->place, "bandwidth", NULL, NULL, value, "GB/s");
        text->run.moved++;
    }
    if ((value_after(line, "IOPS=", &rest) || value_after(line, "iops=", &rest)) &&
        take_number(&rest, &value)) {
        take_thousands(&rest, &value);
        fio_measure(&text->run, &text->place, "iops", NULL, NULL, value, "");
    }
    return true;
}

/* "(usec)" */
static bool take_time_unit(struct slice line, double *ret_per_us)
{
    *ret_per_us = slice_contains(line, "(nsec)")   ? 1000
                  : slice_contains(line, "(usec)") ? 1
                  : slice_contains(line, "(msec)") ? 1e-3
                  : slice_contains(line, "(sec)")  ? 1e-6
                                                   : 0;
    return *ret_per_us > 0;
}

/* "lat (usec): min=62, max=2041, avg=71.14, stdev= 9.22" */
static bool read_latency(struct text_run *text, struct slice line)
{
    static const struct {
        const char *mark, *stat;
    } stats[] = {{"avg=", "mean"}, {"min=", "min"}, {"max=", "max"}};
    struct slice rest;
    double per_us, value;

    if (!slice_starts(line, "lat (") || !slice_contains(line, "min=") || !take_time_unit(line, &per_us) ||
        text->place.direction == NULL)
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(stats); i++)
        if (value_after(line, stats[i].mark, &rest) && take_number(&rest, &value)) {
            take_thousands(&rest, &value);
            fio_measure(&text->run, &text->place, "latency", stats[i].stat, "total", value / per_us, "us");
        }
    return true;
}

/* "|  1.00th=[   63],  5.00th=[   63]," below "clat percentiles (usec):" */
static bool read_percentiles(struct text_run *text, struct slice line)
{
    struct slice rest = line;
    double value;

    if (slice_contains(line, "percentiles (")) {
        text->percentiles_of = slice_starts(line, "lat ")    ? "total"
                               : slice_starts(line, "clat ") ? "completion"
                                                             : NULL;
        if (!take_time_unit(line, &text->percentiles_per_us))
            text->percentiles_of = NULL;
        return true;
    }
    if (!scan_text(&rest, "|")) {
        text->percentiles_of = NULL;
        return false;
    }
    while (text->percentiles_of != NULL && text->place.direction != NULL) {
        size_t at = slice_find(rest, "th=[");
        const char *stat;

        if (at == (size_t)-1)
            break;
        stat = fio_percentile(text->reading->arena, slice_trim((struct slice){rest.bytes, at}));
        rest = slice_from(rest, at + strlen("th=["));
        if (stat != NULL && take_number(&rest, &value))
            fio_measure(&text->run, &text->place, "latency", stat, text->percentiles_of,
                        value / text->percentiles_per_us, "us");
        if (!value_after(rest, "],", &rest))
            break;
    }
    return true;
}

static bool read_status(struct text_run *text, struct slice line)
{
    uint64_t group;

    if (!scan_text(&line, "Run status group ") || !scan_digits(&line, &group))
        return false;
    /* Groups are closed in their order: group 0 again is another run. */
    if (text->status && group <= text->place.group)
        close_run(text);
    open_run(text);
    text->status = true;
    text->place = (struct fio_place){.group = group};
    return true;
}

static void read_line(struct text_run *text, struct slice line)
{
    struct slice rest = line;

    if ((scan_text(&rest, "fio-") || scan_text(&rest, "fio ")) && rest.length > 0 &&
        isdigit((unsigned char)rest.bytes[0]) && !slice_contains(rest, " ")) {
        close_run(text);
        text->version = line;
        return;
    }
    if (slice_starts(line, "fio: terminating on signal") && text->open)
        text->run.trouble = reason(text->reading->arena, text, line);
    if (read_header(text, line) || read_status(text, line) || !text->open)
        return;
    if (read_percentiles(text, line) || read_latency(text, line))
        return;
    read_direction(text, line);
}

/* Terse. */

enum { TERSE_FIELDS = 160, DIRECTION_FIELDS = 41, DIRECTION_FIELDS_5 = 47 };

/* Places behind the direction's first field; times are in us, bandwidth in KiB/s. */
enum {
    FIELD_KIB,
    FIELD_BANDWIDTH,
    FIELD_IOPS,
    FIELD_RUNTIME_MS,
    FIELD_PERCENTILES = 12,
    PERCENTILES = 20,
    FIELD_LATENCY = 32
};

static size_t split(struct slice line, struct slice *fields)
{
    size_t count = 0;

    while (count < TERSE_FIELDS) {
        size_t at = slice_find(line, ";");

        fields[count++] = (struct slice){line.bytes, at != (size_t)-1 ? at : line.length};
        if (at == (size_t)-1)
            break;
        line = slice_from(line, at + 1);
    }
    return count;
}

static void read_terse(struct fio_run *run, struct fio_place *place, const struct slice *field)
{
    static const char *const stats[] = {"min", "max", "mean"};
    double value, done;

    if (!scan_double(field[FIELD_KIB], &done) || done <= 0)
        return;
    run->moved++;
    if (scan_double(field[FIELD_BANDWIDTH], &value))
        fio_measure(run, place, "bandwidth", NULL, NULL, value * 1024 / 1e9, "GB/s");
    if (scan_double(field[FIELD_IOPS], &value))
        fio_measure(run, place, "iops", NULL, NULL, value, "");
    if (scan_double(field[FIELD_RUNTIME_MS], &value))
        fio_measure(run, place, "runtime", NULL, NULL, value / 1e3, "s");
    for (size_t i = 0; i < ARRAY_SIZE(stats); i++)
        if (scan_double(field[FIELD_LATENCY + i], &value))
            fio_measure(run, place, "latency", stats[i], "total", value, "us");
    for (size_t i = 0; i < PERCENTILES; i++) {
        struct slice text = field[FIELD_PERCENTILES + i];
        size_t at = slice_find(text, "%=");
        const char *stat =
            at != (size_t)-1 ? fio_percentile(run->reading->arena, (struct slice){text.bytes, at}) : NULL;

        if (stat != NULL && scan_double(slice_from(text, at + 2), &value))
            fio_measure(run, place, "latency", stat, "completion", value, "us");
    }
}

static void read_terse_line(struct slice line, struct reading *reading)
{
    struct slice field[TERSE_FIELDS] = {{0}};
    uint64_t version, group, error;
    struct fio_place place;
    struct fio_run run = {0};
    size_t count, width;

    count = split(line, field);
    width = slice_equal(field[0], "5") ? DIRECTION_FIELDS_5 : DIRECTION_FIELDS;
    run.reading = runs_begin(reading);
    if (!scan_u64(field[0], &version) || version < 3 || version > 5 || count < 5 + 2 * width ||
        !scan_u64(field[3], &group) || !scan_u64(field[4], &error)) {
        reading_lacks(run.reading, REASON(unknown_terse_line));
        return;
    }
    place =
        (struct fio_place){.job = utf8_clean(reading->arena, field[2]), .group = group, .direction = "read"};
    fio_version(&run, field[1]);
    fio_job(&run, place.job, (int64_t)error, "");
    /* Where the percentiles do not stand in their place the layout is another one. */
    if (slice_contains(field[5 + FIELD_PERCENTILES], "%=") &&
        slice_contains(field[5 + width + FIELD_PERCENTILES], "%=")) {
        read_terse(&run, &place, field + 5);
        place.direction = "write";
        read_terse(&run, &place, field + 5 + width);
    }
    fio_finish(&run);
}

/* "3;fio-3.28;name;..." */
static bool is_terse(struct slice line)
{
    return line.length > 40 && isdigit((unsigned char)line.bytes[0]) &&
           slice_starts(slice_from(line, 1), ";fio-");
}

void fio_text(const struct lines *lines, struct reading *reading)
{
    struct text_run text = {.reading = reading, .version = {"", 0}};

    for (size_t i = 0; i < lines->count; i++) {
        struct slice line = slice_trim(lines->items[i].text);

        if (is_terse(line)) {
            close_run(&text);
            read_terse_line(line, reading);
        } else {
            read_line(&text, line);
        }
    }
    close_run(&text);
}
