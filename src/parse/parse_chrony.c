/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chronyc tracking: whether and how well the host's clock follows a reference.
 *
 *   Reference ID    : C0A80001 (ntp1.example)
 *   System time     : 0.000001501 seconds fast of NTP time
 *   Leap status     : Normal
 *
 * facts  chrony.reference    "ntp1.example", "" where the clock follows nobody
 *        chrony.leap_status  Normal, Insert second, Delete second, Not synchronised
 *        chrony.stratum
 * metrics chrony.system_offset, .last_offset (below 0: slow), .rms_offset, .root_delay, .root_dispersion
 * finding chrony.not_synchronised
 *
 * Complete is an output whose last line, the leap status, was seen, and that has all that is asked of it.
 */
#include "assay/parser.h"

#include "lines.h"
#include "shell_words.h"

struct tracking {
    struct reading *reading;
    unsigned rows;      /* that were read */
    bool closed;        /* the leap status */
    const char *damage; /* a row that cannot be read */
    struct slice first, trouble;
};

static const char reference_row[] = "Reference ID", stratum_row[] = "Stratum", leap_row[] = "Leap status";

static const struct row {
    const char *name, *metric;
} rows[] = {
    {"System time", "chrony.system_offset"},       {"Last offset", "chrony.last_offset"},
    {"RMS offset", "chrony.rms_offset"},           {"Root delay", "chrony.root_delay"},
    {"Root dispersion", "chrony.root_dispersion"},
};

enum { NUMBERS = ARRAY_SIZE(rows), ALL_ROWS = NUMBERS + 3 };

/* "C0A80001 (ntp1.example)"; before 3.0 "192.168.0.1 (ntp1.example)"; "00000000 ()" is nobody. */
static void take_reference(struct tracking *tracking, struct slice value)
{
    size_t open = slice_find(value, "(");

    if (open == (size_t)-1 || !slice_ends(value, ")")) {
        tracking->damage = reference_row;
        return;
    }
    value = slice_from(value, open + 1);
    value.length--;
    reading_fact(tracking->reading, "chrony.reference", "", value);
    tracking->rows++;
}

/* "0.000001501 seconds fast of NTP time", "+0.000002 seconds", "0.000020482 seconds" */
static void take_seconds(struct tracking *tracking, const struct row *row, struct slice value)
{
    struct slice word, unit;
    double seconds;

    if (!scan_word(&value, &word) || !scan_word(&value, &unit) || !slice_equal(unit, "seconds") ||
        (scan_text(&word, "+"), !scan_double(word, &seconds))) {
        tracking->damage = row->name;
        return;
    }
    if (slice_starts(slice_trim(value), "slow"))
        seconds = -seconds;
    reading_measure(tracking->reading, row->metric, "", seconds, "s");
    tracking->rows++;
}

static void take_leap(struct tracking *tracking, struct slice value)
{
    reading_fact(tracking->reading, "chrony.leap_status", "", value);
    if (slice_equal(value, "Not synchronised"))
        reading_finding(tracking->reading, SEVERITY_WARNING, "chrony.not_synchronised", "",
                        "the clock follows no reference");
    tracking->closed = true;
    tracking->rows++;
}

static void take_line(struct tracking *tracking, struct slice line)
{
    size_t colon = slice_find(line, ": ");
    struct slice name = line, value = slice_trim(slice_from(line, colon + 2));

    if (tracking->first.length == 0)
        tracking->first = line;
    if (slice_starts(line, "506 ") || is_shell_trouble(line))
        tracking->trouble = line; /* "506 Cannot talk to daemon" */
    if (colon == (size_t)-1 || tracking->closed)
        return;
    name.length = colon;
    name = slice_trim(name);
    if (slice_equal(name, reference_row))
        take_reference(tracking, value);
    else if (slice_equal(name, leap_row))
        take_leap(tracking, value);
    else if (slice_equal(name, stratum_row)) {
        reading_fact(tracking->reading, "chrony.stratum", "", value);
        tracking->rows++;
    }
    for (size_t i = 0; i < NUMBERS; i++)
        if (slice_equal(name, rows[i].name))
            take_seconds(tracking, &rows[i], value);
}

static void set_status(const struct tracking *tracking)
{
    struct reading *reading = tracking->reading;

    if (tracking->rows == 0 && tracking->trouble.length > 0)
        reading_set(reading, READING_FAILED, "%.*s", slice_print(tracking->trouble));
    else if (tracking->rows == 0)
        reading_set(reading, READING_UNRECOGNISED, "no row of chronyc tracking: %.*s",
                    slice_print(tracking->first));
    else if (tracking->damage != NULL)
        reading_set(reading, READING_PARTIAL, "'%s' cannot be read", tracking->damage);
    else if (!tracking->closed)
        reading_set(reading, READING_PARTIAL, "the output ends before the leap status");
    else if (tracking->rows != ALL_ROWS)
        reading_set(reading, READING_PARTIAL, "%u of %d rows", tracking->rows, ALL_ROWS);
    else
        reading_set(reading, READING_COMPLETE, "%s", "");
}

static void parse(struct slice bytes, struct reading *reading)
{
    struct tracking tracking = {.reading = reading};
    struct lines lines;

    lines_read(reading->arena, bytes, 0, &lines);
    for (size_t i = 0; i < lines.count; i++)
        if (slice_trim(lines.items[i].text).length > 0)
            take_line(&tracking, slice_trim(lines.items[i].text));
    set_status(&tracking);
}

static const struct metric metrics[] = {
    {"chrony.system_offset", "s", BETTER_NEITHER, "the system's clock against the reference; below 0: slow"},
    {"chrony.last_offset", "s", BETTER_NEITHER, "the offset at the last update; below 0: slow"},
    {"chrony.rms_offset", "s", BETTER_LOWER, "long-term average of the offset"},
    {"chrony.root_delay", "s", BETTER_LOWER, "network delays to the stratum-1 source"},
    {"chrony.root_dispersion", "s", BETTER_LOWER, "dispersion accumulated to the stratum-1 source"},
    {NULL},
};

const struct parser parse_chrony = {
    .name = "chrony",
    .version = 1,
    .summary = "chronyc tracking: what the host's clock follows, and how far it is off",
    .metrics = metrics,
    .parse = parse,
};
