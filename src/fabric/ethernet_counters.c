/* SPDX-License-Identifier: Apache-2.0 */
/* What ports of Ethernet count. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "assay/parse/parser.h"
#include "cabling.h"
#include "comma_fields.h"
#include "readings.h"

enum { NODE, PORT, SENT, RECEIVED, ERRORS, FIELDS };

/* "-" and nothing is not told. */
static bool scan_count(struct slice field, double unit, double *ret_value)
{
    uint64_t count;

    *ret_value = NAN;
    if (field.length == 0 || slice_equal(field, "-"))
        return true;
    if (!scan_u64(field, &count))
        return false;
    *ret_value = (double)count * unit;
    return true;
}

enum taken { NO_PORT, TAKEN, TWICE, NO_LINE };

static enum taken take_line(const struct fabric_cabling *cabling, const struct slice *fields, size_t count,
                            struct fabric_counters *counters)
{
    double sent, received, errors = NAN;
    uint32_t port;

    if (count < ERRORS || count > FIELDS || !scan_count(fields[SENT], 8, &sent) ||
        !scan_count(fields[RECEIVED], 8, &received) ||
        (count > ERRORS && !scan_count(fields[ERRORS], 1, &errors)))
        return NO_LINE;
    port = fabric_cabling_find(cabling, fields[NODE], fields[PORT]);
    if (port == FABRIC_NONE)
        return NO_PORT;
    if (!isnan(counters->sent[port]) || !isnan(counters->received[port]))
        return TWICE;
    counters->sent[port] = sent;
    counters->received[port] = received;
    counters->errors[port] = errors;
    return TAKEN;
}

/* Lines of one reading, which stand in the file behind so many others. */
static int read_lines(const struct fabric_cabling *cabling, const char *file, unsigned before,
                      struct slice text, struct fabric_counters *counters, struct error *err)
{
    struct slice line, fields[FIELDS];
    unsigned number = 0;
    int told = 0;

    while (scan_line(&text, &line)) {
        size_t count = comma_fields(slice_trim(line), fields, ARRAY_SIZE(fields));
        uint64_t octets;
        enum taken taken;

        number++;
        if (slice_trim(line).length == 0 || slice_starts(slice_trim(line), "#"))
            continue;
        taken = take_line(cabling, fields, count, counters);
        /* A heading. */
        if (taken == NO_LINE && number == 1 && count >= ERRORS && !scan_u64(fields[SENT], &octets))
            continue;
        if (taken == NO_LINE || taken == TWICE)
            return error_set(err, ERROR_USAGE, "%s:%u: '%.*s': %s", file, before + number,
                             (int)(line.length < 120 ? line.length : 120), line.bytes,
                             taken == TWICE ? "the port is told of a second time"
                                            : "expected node,port,out_octets,in_octets[,errors]");
        told += taken == TAKEN;
    }
    if (slice_trim(text).length > 0)
        return error_set(err, ERROR_USAGE, "%s: its last line breaks off: no line break ends it", file);
    return told;
}

int fabric_read_counter_csv(const struct fabric_cabling *cabling, const char *file, struct slice text,
                            struct fabric_counters *counters, struct error *err)
{
    return read_lines(cabling, file, 0, text, counters, err);
}

int fabric_read_counter_readings(struct arena *arena, const struct fabric *fabric,
                                 const struct fabric_cabling *cabling, const char *file, struct slice text,
                                 struct fabric_counted_rounds *ret_counted, struct error *err)
{
    struct slice rest = text, line, reading;
    unsigned number = 0, first = 0;

    *ret_counted = (struct fabric_counted_rounds){0};
    for (bool more = true; more;) {
        const char *at = rest.bytes;
        size_t count = ret_counted->readings.count;

        more = scan_line(&rest, &line);
        if (more && !reading_begins(slice_trim(line), count)) {
            if (count == 0)
                return error_set(err, ERROR_USAGE, "%s: expected '# counters 0' in its first line", file);
            number++;
            continue;
        }
        /* What breaks off is behind the last whole line. */
        if (!more)
            at = text.bytes + text.length;
        reading.length = count > 0 ? (size_t)(at - reading.bytes) : 0;
        if (count > 0 &&
            read_lines(cabling, file, first, reading, &ret_counted->readings.items[count - 1], err) < 0)
            return -1;
        reading.bytes = rest.bytes;
        first = ++number;
        if (more)
            fabric_no_counters(arena, fabric, list_push(arena, &ret_counted->readings));
    }
    return 0;
}

/* --- ethtool -S --- */

static const struct counted {
    const char *metric;
    size_t offset;
    double unit;
} counted[] = {
    {"eth.counter.tx_bytes_phy", offsetof(struct fabric_counters, sent), 8},
    {"eth.counter.rx_bytes_phy", offsetof(struct fabric_counters, received), 8},
    {"eth.counter.rx_crc_errors_phy", offsetof(struct fabric_counters, errors), 1},
};

int fabric_read_ethtool(const struct fabric_cabling *cabling, const char *file, const char *node,
                        struct slice text, struct fabric_counters *counters, struct error *err)
{
    cleanup_arena struct arena *scratch = arena_create();
    struct reading reading;
    int told = 0;

    parser_run(parser_find("ethtool"), text, scratch, &reading);
    if (reading.status != READING_COMPLETE)
        return error_set(err, ERROR_USAGE, "%s: not all of it is what ethtool -S prints: %s", file,
                         reason_english(scratch, reading.reason));
    list_each (measurement, reading.measurements)
        for (size_t k = 0; k < ARRAY_SIZE(counted); k++) {
            double **values = (double **)(void *)((char *)counters + counted[k].offset);
            uint32_t port = strcmp(measurement->metric, counted[k].metric) == 0
                                ? fabric_cabling_find(cabling, slice_of(node), slice_of(measurement->subject))
                                : FABRIC_NONE;

            if (port == FABRIC_NONE)
                continue;
            (*values)[port] = measurement->value * counted[k].unit;
            told += k == 0;
        }
    return told;
}
