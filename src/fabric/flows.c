/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/fabric/flows.h"

#include <math.h>
#include <string.h>

#include "assay/parse/parser.h"
#include "names.h"

/* --- flows --- */

void fabric_write_flows(const struct fabric *fabric, const struct fabric_schedule *schedule, struct text *out)
{
    size_t at = 0;

    for (size_t round = 0; round < schedule->ends.count; round++) {
        text_printf(out, "# round %zu\n", round + 1);
        for (; at < schedule->ends.items[round]; at++)
            text_printf(out, "%s > %s\n", fabric_port_name(fabric, schedule->flows.items[at].from),
                        fabric_port_name(fabric, schedule->flows.items[at].to));
    }
}

/* "node1 mlx5_0 > node33 mlx5_0: 392.4" */
static bool read_flow(struct arena *arena, const struct fabric *fabric, const struct names *names,
                      struct slice line, struct fabric_seen *ret_seen)
{
    struct slice from, to, figure;
    double gbits = NAN, rate;
    bool measured;

    if (!slice_part(line, " > ", &from, &to))
        return false;
    measured = slice_part(to, ": ", &to, &figure);
    if (measured && (!scan_double(figure, &gbits) || gbits < 0))
        return false;
    ret_seen->flow = (struct fabric_flow){names_find(arena, names, from), names_find(arena, names, to)};
    if (ret_seen->flow.from == FABRIC_NONE || ret_seen->flow.to == FABRIC_NONE)
        return false;
    rate = fabric_flow_gbits(fabric, ret_seen->flow);
    ret_seen->share = rate > 0 ? gbits / rate : NAN;
    return true;
}

int fabric_read_flows(struct arena *arena, const struct fabric *fabric, const char *file, struct slice text,
                      struct fabric_measured *ret_measured, struct error *err)
{
    struct names names = {0};
    struct slice line;
    unsigned number = 0;

    *ret_measured = (struct fabric_measured){0};
    names_list(arena, fabric, &names);
    while (scan_line(&text, &line)) {
        struct fabric_seen seen;

        number++;
        line = slice_trim(line);
        if (slice_starts(line, "# round ") && ret_measured->flows.count > 0)
            *list_push(arena, &ret_measured->ends) = ret_measured->flows.count;
        if (line.length == 0 || slice_starts(line, "#"))
            continue;
        if (!read_flow(arena, fabric, &names, line, &seen))
            return error_set(
                err, ERROR_USAGE,
                "%s:%u: '%.*s': expected 'HOST ADAPTER > HOST ADAPTER: GBITS' of two adapters of the fabric",
                file, number, (int)(line.length < 120 ? line.length : 120), line.bytes);
        *list_push(arena, &ret_measured->flows) = seen;
    }
    if (slice_trim(text).length > 0 || ret_measured->flows.count == 0)
        return error_set(err, ERROR_USAGE, "%s: %s", file,
                         ret_measured->flows.count == 0 ? "no flow is in it" : "its last line breaks off");
    *list_push(arena, &ret_measured->ends) = ret_measured->flows.count;
    return 0;
}

/* --- counters --- */

enum { PIECE_BYTES = PARSER_DOCUMENT_BYTES / 2 };

static const struct counted {
    const char *metric;
    size_t offset;
    double unit;
} counted[] = {
    {"ib.counter.PortXmitData", offsetof(struct fabric_counters, sent), 32},
    {"ib.counter.PortRcvData", offsetof(struct fabric_counters, received), 32},
    {"ib.counter.SymbolErrorCounter", offsetof(struct fabric_counters, errors), 1},
};

/* "lid2052/1": the port that the fabric has there. */
static uint32_t port_of_subject(const struct fabric *fabric, const char *subject)
{
    struct slice rest = slice_of(subject);
    uint64_t lid, number;

    if (!scan_text(&rest, "lid") || !scan_digits(&rest, &lid) || !scan_text(&rest, "/") ||
        !scan_u64(rest, &number))
        return FABRIC_NONE;
    return fabric_find_port(fabric, lid, number);
}

static void take_counters(const struct fabric *fabric, const struct reading *reading,
                          struct fabric_counters *counters)
{
    list_each (measurement, reading->measurements) {
        for (size_t k = 0; k < ARRAY_SIZE(counted); k++) {
            double **values = (double **)(void *)((char *)counters + counted[k].offset);
            uint32_t port;

            if (strcmp(measurement->metric, counted[k].metric) != 0)
                continue;
            port = port_of_subject(fabric, measurement->subject);
            if (port != FABRIC_NONE)
                (*values)[port] = measurement->value * counted[k].unit;
        }
    }
}

/* Up to where a piece goes: ports are not cut. */
static size_t piece_of(struct slice text)
{
    size_t end = PIECE_BYTES;

    if (text.length <= PIECE_BYTES)
        return text.length;
    while (end > 0 && !(text.bytes[end - 1] == '\n' && slice_starts(slice_from(text, end), "# Port")))
        end--;
    return end > 0 ? end : text.length;
}

int fabric_read_counters(struct arena *arena, const struct fabric *fabric, const char *file,
                         struct slice text, struct fabric_counters *ret_counters, struct error *err)
{
    fabric_no_counters(arena, fabric, ret_counters);
    do {
        struct arena *scratch = arena_create();
        struct reading reading;
        size_t piece = piece_of(text);

        parser_run(parser_find("perfquery"), (struct slice){text.bytes, piece}, scratch, &reading);
        if (reading.status == READING_COMPLETE)
            take_counters(fabric, &reading, ret_counters);
        else
            error_set(err, ERROR_USAGE, "%s: not all of it is what perfquery -x prints of ports: %s", file,
                      reason_english(scratch, reading.reason));
        arena_destroy(scratch);
        if (reading.status != READING_COMPLETE)
            return -1;
        text = slice_from(text, piece);
    } while (text.length > 0);
    return 0;
}
