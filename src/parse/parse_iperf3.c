/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iperf3 -J: TCP or UDP over one line, as the client prints it.
 *
 * facts    iperf3.version, .protocol ("TCP"), .itself (the address, where both ends of a connection have one), .streams, .seconds
 *          (that were asked for), .began (seconds since 1970, by the client's clock); .rates of "forward" and "reverse": of each
 *          interval that counts when it ended, in seconds from the first one's start, and Gb/s ("1 23.51 2 23.48")
 * metrics  line.bandwidth Gb/s of all streams together: what arrived (stat=average), and the least of the intervals
 *          (stat=slowest) that the client saw; line.retransmits of the sender's TCP; of UDP line.udp.jitter us and
 *          line.udp.loss %. All at direction=forward, from client to server, or reverse (-R); --bidir has both.
 *
 * Up to 3.12 the exit status is 0 with an "error" in the JSON too, also where nothing was connected, and a client that was
 * interrupted still prints sums, of nothing: so only what the JSON says counts, and with an error nothing is measured. A sum
 * of less than the time that was asked for, or of fewer streams, is not complete. The text form has no closing and is not
 * read.
 */
#include <math.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"
#include "loose_json.h"
#include "shell_words.h"

#define LATEST_S 1e11  /* of a clock that is believed: the year 5138 */
#define DIGITS 1e6     /* as many behind the point as mean something: it prints what a double holds */
#define TIME_SHARE 0.9 /* of the time that was asked for; the last interval may end a little early */

struct log {
    struct frame frame;
    bool read;
};

/* Which sums are of which direction. */
static const struct {
    const char *sent, *received, *interval;
    bool of_bidir;
} sums[] = {
    {"sum_sent", "sum_received", "sum", false},
    {"sum_sent_bidir_reverse", "sum_received_bidir_reverse", "sum_bidir_reverse", true},
};

static struct measurement *measure(struct reading *reading, const char *metric, double value,
                                   const char *unit, const char *direction)
{
    struct measurement *measurement =
        reading_measure(reading, metric, "", round(value * DIGITS) / DIGITS, unit);

    reading_at_text(reading, measurement, "direction", slice_of(direction));
    return measurement;
}

static void measure_bandwidth(struct reading *reading, double bits, const char *stat, const char *direction)
{
    struct measurement *measurement = measure(reading, "line.bandwidth", bits / 1e9, "Gb/s", direction);

    reading_at_text(reading, measurement, "stat", slice_of(stat));
}

/* Of the intervals that count the slowest, and all of them in their order. */
static void read_intervals(struct reading *reading, const struct json *intervals, const char *sum,
                           const char *direction)
{
    cleanup_text struct text rates;
    double slowest = INFINITY;

    text_init(&rates, PARSER_DOCUMENT_BYTES);
    json_each (interval, intervals) {
        const struct json *of = json_get(interval, sum);
        double bits, ended;

        if (json_boolean(of, "omitted", false) || !loose_number(of, "bits_per_second", &bits))
            continue;
        slowest = fmin(slowest, bits);
        if (loose_number(of, "end", &ended))
            text_printf(&rates, "%s%.6g %.4g", rates.length > 0 ? " " : "", ended, bits / 1e9);
    }
    if (isfinite(slowest))
        measure_bandwidth(reading, slowest, "slowest", direction);
    if (rates.length > 0)
        reading_fact(reading, "iperf3.rates", direction, (struct slice){rates.bytes, rates.length});
}

static void read_udp(struct reading *reading, const struct json *received, const char *direction)
{
    double value;

    if (loose_number(received, "jitter_ms", &value))
        measure(reading, "line.udp.jitter", value * 1000, "us", direction);
    if (loose_number(received, "lost_percent", &value))
        measure(reading, "line.udp.loss", value, "%", direction);
}

/* One direction of the test: false where its sum is missing. */
static bool read_direction(struct reading *reading, const struct json *root, size_t way,
                           const char *direction, double asked_s)
{
    const struct json *end = json_get(root, "end"), *received = json_get(end, sums[way].received);
    double bits, seconds, value;

    if (!loose_number(received, "bits_per_second", &bits) || !loose_number(received, "seconds", &seconds))
        return false;
    /* What the other end says that it got is no more than we have sent. */
    if (loose_number(json_get(end, sums[way].sent), "bits_per_second", &value))
        bits = fmin(bits, value);
    measure_bandwidth(reading, bits, "average", direction);
    read_intervals(reading, json_get(root, "intervals"), sums[way].interval, direction);
    if (loose_number(json_get(end, sums[way].sent), "retransmits", &value))
        measure(reading, "line.retransmits", value, "", direction);
    read_udp(reading, received, direction);
    if (seconds < asked_s * TIME_SHARE)
        reading_lacks(reading, reason(reading->arena, sum_is_of_less_time,
                                      arena_printf(reading->arena, "%.1f", seconds),
                                      arena_printf(reading->arena, "%.0f", asked_s)));
    return true;
}

/* What never left the host. */
static void read_ends(struct reading *reading, const struct json *connected)
{
    json_each (socket, connected) {
        const char *here = json_string(socket, "local_host", "");

        if (*here != '\0' && strcmp(here, json_string(socket, "remote_host", "")) == 0)
            reading_fact_once(reading, "iperf3.itself", slice_of(here));
    }
}

static void read_start(struct reading *reading, const struct json *start)
{
    const struct json *test = json_get(start, "test_start"), *connected = json_get(start, "connected");
    double streams = json_number(test, "num_streams", 0), seconds = json_number(test, "duration", 0);
    double sockets = connected != NULL ? (double)connected->count : 0;
    double began = json_number(json_get(start, "timestamp"), "timesecs", 0);
    struct slice version = slice_of(json_string(start, "version", ""));

    scan_text(&version, "iperf ");
    reading_fact_once(reading, "iperf3.version", version);
    reading_fact_once(reading, "iperf3.protocol", slice_of(json_string(test, "protocol", "")));
    if (test == NULL) { /* what was asked for is not known, nor whether it was done */
        reading_lacks(reading, REASON(test_not_named));
        return;
    }
    reading_count(reading, "iperf3.streams", streams > 0 ? (uint64_t)streams : 0);
    reading_count(reading, "iperf3.seconds", seconds > 0 ? (uint64_t)seconds : 0);
    if (began > 0 && began < LATEST_S)
        reading_count(reading, "iperf3.began", (uint64_t)began);
    read_ends(reading, connected);
    /* Where both directions are tested, as many again. */
    if (sockets < streams)
        reading_lacks(reading, reason(reading->arena, streams_not_connected,
                                      arena_printf(reading->arena, "%.0f", sockets),
                                      arena_printf(reading->arena, "%.0f", streams)));
}

static void read_root(struct reading *reading, const struct json *root)
{
    const struct json *start = json_get(root, "start"), *test = json_get(start, "test_start");
    const char *error = json_string(root, "error", NULL);
    bool reverse = json_number(test, "reverse", 0) != 0,
         both = json_get(json_get(root, "end"), sums[1].received) != NULL;
    double asked_s = json_number(test, "duration", 0);
    bool whole = true;

    read_start(reading, start);
    if (error != NULL) { /* its sums are of nothing: a bandwidth of 0 would look measured */
        reading_failed(reading, reason(reading->arena, text, error));
        return;
    }
    for (size_t way = 0; way < ARRAY_SIZE(sums); way++)
        if (!sums[way].of_bidir || both)
            whole &= read_direction(reading, root, way, sums[way].of_bidir || reverse ? "reverse" : "forward",
                                    asked_s);
    if (!whole)
        reading_lacks(reading, REASON(no_sum_of_what_arrived));
}

static bool read_json(void *state, struct slice bytes)
{
    struct log *log = state;
    struct reading *reading = log->frame.reading;
    struct slice text;
    const struct json *root;

    if (!slice_contains(bytes, "\"system_info\""))
        return false;
    text = json_document(reading->arena, bytes);
    if (!slice_starts(text, "{"))
        return false;
    root = loose_json_read(reading, "iperf3", text);
    log->read = true;
    if (root != NULL)
        read_root(reading, root);
    return true;
}

static void read_line(void *state, struct slice line)
{
    struct log *log = state;

    if (slice_starts(line, "iperf3: ") || is_shell_trouble(line))
        frame_fail(&log->frame, line);
    else if (slice_starts(line, "Connecting to host ")) {
        log->read = true;
        reading_lacks(log->frame.reading, REASON(only_json_of_iperf3));
    }
}

static void end(void *state)
{
    struct log *log = state;

    if (!log->read)
        frame_strange(&log->frame);
}

const struct parser parse_iperf3 = {
    .name = "iperf3",
    .version = 2,
    .summary = "iperf3 -J: bandwidth, retransmits, and of UDP jitter and loss",
    .metrics = METRICS({.name = "line.bandwidth",
                        .unit = "Gb/s",
                        .better = BETTER_HIGHER,
                        .help = "what arrived of all streams",
                        .peers = true},
                       {.name = "line.window",
                        .unit = "Gb/s",
                        .better = BETTER_HIGHER,
                        .help = "the same, of the slowest window of the check `line`",
                        .peers = true},
                       {.name = "line.retransmits",
                        .unit = "",
                        .better = BETTER_LOWER,
                        .help = "segments that TCP sent again"},
                       {.name = "line.udp.jitter",
                        .unit = "us",
                        .better = BETTER_LOWER,
                        .help = "of UDP, as RFC 1889 has it"},
                       {.name = "line.udp.loss",
                        .unit = "%",
                        .better = BETTER_LOWER,
                        .help = "datagrams that did not arrive"}),
    .grammar =
        GRAMMAR(.state_bytes = sizeof(struct log), .document = read_json, .line = read_line, .end = end),
};
