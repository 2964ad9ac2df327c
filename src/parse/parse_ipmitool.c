/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the board's management controller (BMC) says through ipmitool: `sel elist` or `sel list`, `sel info`,
 * `sel time get`, `sdr elist` or `sdr type ...`, `mc info`, alone or one after the other.
 *
 *    1a | 09/28/2026 | 14:00:00 | Power Supply PS2 Status | Power Supply AC lost | Asserted
 *     5 |  Pre-Init  |0000000123| System Event #0x01 | Timestamp Clock Sync | Asserted
 *   PS2 Status       | C9h | ok  | 10.2 | Presence detected, Power Supply AC lost
 *
 * facts    ipmi.sel.entries  how many `sel info` announces     ipmi.sel.clock  the BMC's own time
 *          ipmi.sel.event, ipmi.sel.time (subject: the record's number)   ipmi.sensor (subject: its name)
 *          ipmi.sel.overflow  true: events were lost since it was cleared     ipmi.sel.free  bytes left
 *          ipmi.host_clock  UTC, of a line that bmc.sh prints itself: "host clock 2026-09-28T14:00:03"
 *          ipmi.firmware "7.20", ipmi.firmware_further "00 1e 50 02": the BMC's own, of `mc info`
 * finding  ipmi.sel.event  fault: a failure that was asserted; warning: redundancy lost, errors corrected
 *          ipmi.sensor     fault: critical, or it says that something failed
 *
 * Times are as the BMC tells them, in whatever zone that is; they are to be compared with ipmi.sel.clock and
 * with nothing else. Versions since 1.8.19 write years with two digits and a zone behind the time.
 *
 * Complete when as many records were listed as announced; a listing alone announces nothing and has no
 * closing.
 */
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"

enum { FIELDS_MOST = 8 };

static const struct word {
    const char *text;
    enum severity severity;
} words[] = {
    {"Predictive failure deasserted", SEVERITY_INFO},
    {"Failure detected", SEVERITY_FAULT},
    {"Predictive failure", SEVERITY_FAULT},
    {"Predictive Failure", SEVERITY_FAULT},
    {"Power Supply AC lost", SEVERITY_FAULT},
    {"AC lost or out-of-range", SEVERITY_FAULT},
    {"Uncorrectable", SEVERITY_FAULT},
    {"Machine Check Exception", SEVERITY_FAULT},
    {"IERR", SEVERITY_FAULT},
    {"Thermal Trip", SEVERITY_FAULT},
    {"Bus Fatal Error", SEVERITY_FAULT},
    {"PCI SERR", SEVERITY_FAULT},
    {"PCI PERR", SEVERITY_FAULT},
    {"Drive Fault", SEVERITY_FAULT},
    {"In Critical Array", SEVERITY_FAULT},
    {"In Failed Array", SEVERITY_FAULT},
    {"Critical going", SEVERITY_FAULT}, /* Upper and Lower; not "Non-critical" */
    {"Non-recoverable going", SEVERITY_FAULT},
    {"Transition to Critical", SEVERITY_FAULT},
    {"Redundancy Lost", SEVERITY_WARNING},
    {"Redundancy Degraded", SEVERITY_WARNING},
    {"Correctable", SEVERITY_WARNING},
    {"Log full", SEVERITY_WARNING},
};

struct listing {
    struct frame frame;
    uint64_t announced;
    bool announces;
    unsigned records, sensors, told; /* told: other lines of ipmitool */
    const char *further; /* numbers of the BMC's firmware, in lines of their own; NULL: not among them */
};

static size_t split(struct slice line, struct slice fields[FIELDS_MOST])
{
    size_t count = 0;

    while (count < FIELDS_MOST) {
        size_t bar = count + 1 < FIELDS_MOST ? slice_find(line, "|") : (size_t)-1;

        if (bar == (size_t)-1)
            bar = line.length;
        fields[count++] = slice_trim((struct slice){line.bytes, bar});
        if (bar == line.length)
            break;
        line = slice_from(line, bar + 1);
    }
    return count;
}

/* Exactly so many digits, and the mark behind them. */
static bool take_digits(struct slice *rest, size_t least, size_t most, const char *mark, unsigned *ret_value)
{
    size_t before = rest->length;
    uint64_t value;

    if (!scan_digits(rest, &value) || before - rest->length < least || before - rest->length > most ||
        !scan_text(rest, mark))
        return false;
    *ret_value = (unsigned)value;
    return true;
}

/* "09/28/2026" or "09/28/26" and "02:00:00 PM UTC": as 2026-09-28T14:00:00; NULL when it is none. */
static const char *time_text(struct arena *arena, struct slice date, struct slice clock)
{
    unsigned month, day, year, hour, minute, second;

    if (!take_digits(&date, 2, 2, "/", &month) || !take_digits(&date, 2, 2, "/", &day) ||
        !take_digits(&date, 2, 4, "", &year) || date.length > 0 || !take_digits(&clock, 2, 2, ":", &hour) ||
        !take_digits(&clock, 2, 2, ":", &minute) || !take_digits(&clock, 2, 2, "", &second))
        return NULL;
    clock = slice_trim(clock);
    if (slice_starts(clock, "PM") && hour < 12)
        hour += 12;
    if (slice_starts(clock, "AM") && hour == 12)
        hour = 0;
    if (year < 100)
        year += 2000;
    if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60)
        return NULL;
    return arena_printf(arena, "%04u-%02u-%02uT%02u:%02u:%02u", year, month, day, hour, minute, second);
}

static enum severity severity_of(struct slice event)
{
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (slice_contains(event, words[i].text))
            return words[i].severity;
    return SEVERITY_INFO;
}

static bool is_hex(struct slice field)
{
    for (size_t i = 0; i < field.length; i++)
        if (memchr("0123456789abcdefABCDEF", field.bytes[i], 22) == NULL)
            return false;
    return field.length > 0 && field.length <= 4;
}

static bool read_record(struct listing *listing, struct slice line)
{
    struct reading *reading = listing->frame.reading;
    struct slice fields[FIELDS_MOST];
    size_t count = split(line, fields);
    const char *when, *number, *event;
    enum severity severity;
    bool over = false;

    if (count < 4 || !is_hex(fields[0]))
        return false;
    when = time_text(reading->arena, fields[1], fields[2]);
    if (when == NULL && !slice_equal(fields[1], "Pre-Init"))
        return false;
    number = utf8_clean(reading->arena, fields[0]);
    event = utf8_clean(
        reading->arena,
        slice_trim((struct slice){fields[3].bytes, (size_t)(line.bytes + line.length - fields[3].bytes)}));
    listing->records++;
    reading_fact(reading, "ipmi.sel.event", number, slice_of(event));
    if (when != NULL)
        reading_fact(reading, "ipmi.sel.time", number, slice_of(when));
    severity = severity_of(slice_of(event));
    /* Behind the direction may stand what was read: "| Deasserted | Reading 82 < Threshold 85 degrees C". */
    for (size_t i = 4; i < count; i++)
        over |= slice_equal(fields[i], "Deasserted");
    if (severity != SEVERITY_INFO && !over)
        reading_finding(
            reading, severity, "ipmi.sel.event", number,
            when != NULL ? reason_text(reading->arena, arena_printf(reading->arena, "%s | %s", when, event))
                         : reason(reading->arena, event_before_clock_set, event));
    return true;
}

/* "PS2 Status       | C9h | ok  | 10.2 | Presence detected, Power Supply AC lost" */
static bool read_sensor(struct listing *listing, struct slice line)
{
    struct reading *reading = listing->frame.reading;
    struct slice fields[FIELDS_MOST];
    const char *name, *state;
    bool critical;

    if (split(line, fields) < 5 || fields[0].length == 0 || fields[1].length < 2 ||
        fields[1].bytes[fields[1].length - 1] != 'h' ||
        !is_hex((struct slice){fields[1].bytes, fields[1].length - 1}))
        return false;
    name = utf8_clean(reading->arena, fields[0]);
    state = arena_printf(reading->arena, "%.*s, %.*s", slice_print(fields[2]), slice_print(fields[4]));
    listing->sensors++;
    reading_fact(reading, "ipmi.sensor", name, slice_of(state));
    critical = slice_equal(fields[2], "cr") || slice_equal(fields[2], "nr");
    if (critical || severity_of(fields[4]) == SEVERITY_FAULT)
        reading_finding(reading, SEVERITY_FAULT, "ipmi.sensor", name,
                        reason_text(reading->arena, arena_printf(reading->arena, "%s: %s", name, state)));
    return true;
}

/* "Free Space       : 0 bytes", "Overflow         : true" */
static bool read_room(struct reading *reading, struct slice key, struct slice value)
{
    struct slice word;
    uint64_t bytes;

    if (slice_equal(key, "Overflow") && (slice_equal(value, "true") || slice_equal(value, "false"))) {
        reading_fact(reading, "ipmi.sel.overflow", "", value);
        return true;
    }
    if (!slice_equal(key, "Free Space") || !scan_word(&value, &word) || !scan_u64(word, &bytes))
        return false;
    reading_fact(reading, "ipmi.sel.free", "", word);
    return true;
}

static bool read_host_clock(struct listing *listing, struct slice line)
{
    if (!scan_text(&line, "host clock ") || line.length != strlen("2026-09-28T14:00:03"))
        return false;
    reading_fact(listing->frame.reading, "ipmi.host_clock", "", line);
    return true;
}

static bool read_info(struct listing *listing, struct slice line)
{
    struct slice key, value;

    if (slice_equal(line, "SEL has no entries")) {
        listing->told++;
        return true;
    }
    if (!slice_part(line, ":", &key, &value))
        return false;
    if (read_room(listing->frame.reading, key, value))
        return true;
    if (!slice_equal(key, "Entries") || !scan_u64(value, &listing->announced))
        return false;
    listing->announces = true;
    listing->told++;
    reading_fact(listing->frame.reading, "ipmi.sel.entries", "", value);
    return true;
}

/* "    0x02": one of the lines below "Aux Firmware Rev Info     :", of which there are four. */
static bool read_further(struct listing *listing, struct slice line)
{
    struct reading *reading = listing->frame.reading;

    if (listing->further == NULL || !scan_text(&line, "0x") || line.length > 2 || !is_hex(line))
        return false;
    listing->further = arena_printf(reading->arena, "%s%s%.*s", listing->further,
                                    *listing->further != '\0' ? " " : "", slice_print(line));
    if (strlen(listing->further) == strlen("00 00 00 00")) {
        reading_fact(reading, "ipmi.firmware_further", "", slice_of(listing->further));
        listing->further = NULL;
    }
    return true;
}

static bool read_firmware(struct listing *listing, struct slice line)
{
    struct slice key, value;

    if (!slice_part(line, ":", &key, &value))
        return false;
    if (slice_equal(key, "Firmware Revision") && value.length > 0)
        reading_fact(listing->frame.reading, "ipmi.firmware", "", value);
    else if (slice_equal(key, "Aux Firmware Rev Info"))
        listing->further = "";
    else
        return false;
    listing->told++;
    return true;
}

/* "09/28/2026 14:00:03", of `sel time get`. */
static bool read_clock(struct listing *listing, struct slice line)
{
    struct slice rest = line, date;
    const char *now;

    if (!scan_word(&rest, &date))
        return false;
    now = time_text(listing->frame.reading->arena, date, slice_trim(rest));
    if (now == NULL)
        return false;
    listing->told++;
    reading_fact(listing->frame.reading, "ipmi.sel.clock", "", slice_of(now));
    return true;
}

static bool is_failure(struct slice line)
{
    return slice_contains_one(line, "Could not open device", "ommand failed", "Unable to establish",
                              "not found", "Permission denied");
}

static void read_line(void *state, struct slice line)
{
    struct listing *listing = state;

    if (!read_record(listing, line) && !read_sensor(listing, line) && !read_info(listing, line) &&
        !read_clock(listing, line) && !read_host_clock(listing, line) && !read_firmware(listing, line) &&
        !read_further(listing, line) && is_failure(line))
        frame_fail(&listing->frame, line);
}

static void end(void *state)
{
    struct listing *listing = state;
    struct slice *failure = &listing->frame.failure;

    if (listing->records + listing->sensors + listing->told == 0) {
        frame_strange(&listing->frame);
    } else if (failure->length > 0) {
        reading_lacks(listing->frame.reading, reason(listing->frame.reading->arena, text, *failure));
        failure->length = 0; /* of one command among several */
    }
    frame_lacks_end(&listing->frame);
    if (listing->announces && listing->records < listing->announced)
        reading_lacks(listing->frame.reading, reason(listing->frame.reading->arena, log_records_not_listed,
                                                     listing->announced, listing->records));
}

const struct parser parse_ipmitool = {
    .name = "ipmitool",
    .version = 2,
    .summary =
        "ipmitool sel elist, sel info, sel time get, sdr elist, mc info: the BMC's event log, clock, sensors "
        "and firmware",
    .grammar = GRAMMAR(.state_bytes = sizeof(struct listing), .flags = LINES_KEEP_TIME, .line = read_line,
                       .end = end),
};
