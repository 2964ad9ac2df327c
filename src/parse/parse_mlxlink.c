/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mlxlink (MFT) and mstlink (mstflint) of a port, with -m (module) and -c (counters): titles, a line of dashes beneath
 * each, and "label : value" below it.
 *
 * subject "mlx5_0/1": of a heading "== mlx5_0/1 ==" or of the command behind a prompt; "" where nothing names it
 * facts   phy.state, .physical_state, .speed, .width, .fec, .recommendation   phy.firmware (the adapter's)
 *         module.type ("OSFP"), .cable, .length ("30", m), .vendor, .part, .serial, .firmware, .revision
 *         module.temperature.range, .rx_power.range, .tx_power.range  "-5..75", where the module tells its own bounds
 * metrics phy.ber.raw, .effective, .symbol     15E-255 where no error was seen
 *         phy.errors.effective, .symbol        since the counters were cleared, and the time since then: phy.cleared s
 *         phy.link_downed, phy.link_error_recovery
 *         module.temperature C, module.rx_power, .tx_power dBm (at lane)
 * finding phy.trouble  warning: the tool's own status is not 0, with what it recommends
 *
 * There is no closing: what stands there is true of an output that was cut between two lines too. A port that is named
 * again begins another run.
 */
#include <string.h>

#include "assay/reasons/parse.h"

#include "frame.h"
#include "ib_port.h"
#include "shell_words.h"

struct report {
    struct frame frame;
    const char *port;
    unsigned values;            /* of the port */
    struct slice opcode;        /* of its troubleshooting */
    LIST_OF(const char *) seen; /* in this run */
};

static const struct label {
    const char *label, *fact;
} labels[] = {
    {"State", "phy.state"},
    {"Physical state", "phy.physical_state"},
    {"Speed", "phy.speed"},
    {"Width", "phy.width"},
    {"FEC", "phy.fec"},
    {"Recommendation", "phy.recommendation"},
    {"Firmware Version", "phy.firmware"},
    {"Identifier", "module.type"},
    {"Cable Type", "module.cable"},
    {"Transfer Distance [m]", "module.length"},
    {"Vendor Name", "module.vendor"},
    {"Vendor Part Number", "module.part"},
    {"Vendor Serial Number", "module.serial"},
    {"FW Version", "module.firmware"},
    {"Rev", "module.revision"},
};

static const struct number {
    const char *label, *metric, *unit;
    double factor;
} numbers[] = {
    {"Raw Physical BER", "phy.ber.raw", "", 1},
    {"Effective Physical BER", "phy.ber.effective", "", 1},
    {"Symbol BER", "phy.ber.symbol", "", 1},
    {"Effective Physical Errors", "phy.errors.effective", "", 1},
    {"Symbol Errors", "phy.errors.symbol", "", 1},
    {"Time Since Last Clear [Min]", "phy.cleared", "s", 60},
    {"Link Down Counter", "phy.link_downed", "", 1},
    {"Link Error Recovery Counter", "phy.link_error_recovery", "", 1},
};

/* "54 [-5..75]", and of each lane "1.886,1.989,2.281,1.976 [-10.41..6]" */
static const struct bounded {
    const char *label, *metric, *unit;
    bool lanes;
} bounded[] = {
    {"Temperature [C]", "module.temperature", "C", false},
    {"Rx Power Current [dBm]", "module.rx_power", "dBm", true},
    {"Tx Power Current [dBm]", "module.tx_power", "dBm", true},
};

static void begin_port(struct report *report, const char *port)
{
    bool again = !frame_has_run(&report->frame);

    for (size_t i = 0; i < report->seen.count && !again; i++)
        again = strcmp(report->seen.items[i], port) == 0;
    if (again) {
        frame_begin_run(&report->frame);
        report->seen.count = 0;
    }
    *list_push(report->frame.all->arena, &report->seen) = port;
    report->port = port;
    report->opcode = (struct slice){"", 0};
}

/* "== mlx5_0/1 ==" */
static bool read_heading(struct report *report, struct slice line)
{
    struct slice name = line, device, port;
    uint64_t number;

    if (!scan_text(&name, "== ") || !slice_ends(name, " =="))
        return false;
    name.length -= strlen(" ==");
    if (!slice_part(name, "/", &device, &port) || !ib_is_device(device) || !scan_u64(port, &number))
        return false;
    begin_port(report, utf8_clean(report->frame.all->arena, name));
    return true;
}

/* "sudo mlxlink -d mlx5_0 -p 1 -m -c" behind a prompt */
static bool read_prompt(struct report *report, struct slice line)
{
    struct slice command, word, device = {"", 0}, port = slice_of("1"), last = {"", 0};

    if (!prompt_command(line, &command))
        return is_prompt(line);
    if (!slice_contains(command, "mlxlink") && !slice_contains(command, "mstlink"))
        return true;
    while (scan_word(&command, &word)) {
        if (slice_equal(last, "-d") || slice_equal(last, "--device"))
            device = word;
        else if (slice_equal(last, "-p") || slice_equal(last, "--port"))
            port = word;
        last = word;
    }
    begin_port(report, ib_is_device(device) ? ib_subject(report->frame.all->arena, device, port) : "");
    return true;
}

static void measure_lanes(struct report *report, const struct bounded *row, struct slice value)
{
    struct slice rest = value, lane;
    struct measurement *measured;
    double number;

    for (unsigned i = 0; rest.length > 0; i++) {
        size_t comma = slice_find(rest, ",");

        lane = slice_trim((struct slice){rest.bytes, comma != (size_t)-1 ? comma : rest.length});
        rest = slice_from(rest, comma != (size_t)-1 ? comma + 1 : rest.length);
        if (!scan_double(lane, &number))
            continue;
        measured = reading_measure(report->frame.reading, row->metric, report->port, number, row->unit);
        if (row->lanes)
            reading_at_number(report->frame.reading, measured, "lane", i);
    }
}

static bool read_bounded(struct report *report, struct slice label, struct slice value)
{
    for (size_t i = 0; i < ARRAY_SIZE(bounded); i++) {
        size_t open = slice_find(value, "[");

        if (!slice_equal(label, bounded[i].label))
            continue;
        if (open != (size_t)-1 && slice_ends(value, "]")) {
            reading_fact(report->frame.reading,
                         arena_printf(report->frame.all->arena, "%s.range", bounded[i].metric), report->port,
                         (struct slice){value.bytes + open + 1, value.length - open - 2});
            value = slice_trim((struct slice){value.bytes, open});
        }
        measure_lanes(report, &bounded[i], value);
        return true;
    }
    return false;
}

static bool read_number(struct report *report, struct slice label, struct slice value)
{
    double number;

    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        if (slice_equal(label, numbers[i].label)) {
            if (scan_double(value, &number))
                reading_measure(report->frame.reading, numbers[i].metric, report->port,
                                number * numbers[i].factor, numbers[i].unit);
            return true;
        }
    return false;
}

static void read_fact(struct report *report, struct slice label, struct slice value)
{
    for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
        if (slice_equal(label, labels[i].label))
            reading_fact(report->frame.reading, labels[i].fact, report->port, value);
    if (slice_equal(label, "Status Opcode"))
        report->opcode = value;
    if (slice_equal(label, "Recommendation") && report->opcode.length > 0 &&
        !slice_equal(report->opcode, "0") && !slice_equal(report->opcode, "N/A"))
        reading_finding(report->frame.reading, SEVERITY_WARNING, "phy.trouble", report->port,
                        reason(report->frame.reading->arena, mlxlink_tells_trouble, value, report->opcode));
}

static void read_line(void *state, struct slice line)
{
    struct report *report = state;
    struct slice label, value;

    if (slice_starts(line, "-E-") || is_shell_trouble(line)) {
        frame_fail(&report->frame, line);
        return;
    }
    if (read_heading(report, line) || read_prompt(report, line))
        return;
    if (slice_equal(line, "Operational Info") && !frame_has_run(&report->frame))
        begin_port(report, "");
    if (!frame_has_run(&report->frame) || !slice_part(line, ":", &label, &value))
        return;
    label = slice_trim(label);
    value = slice_trim(value);
    report->values++;
    if (value.length == 0 || slice_equal(value, "N/A"))
        return;
    if (!read_bounded(report, label, value) && !read_number(report, label, value))
        read_fact(report, label, value);
}

static void begin(void *state)
{
    struct report *report = state;

    report->port = "";
}

static void end(void *state)
{
    struct report *report = state;

    if (!frame_has_run(&report->frame))
        frame_strange(&report->frame);
    else if (report->values == 0)
        reading_lacks(report->frame.reading, REASON(no_link_told));
    frame_lacks_end(&report->frame);
}

const struct parser parse_mlxlink = {
    .name = "mlxlink",
    .version = 1,
    .summary = "mlxlink and mstlink: state, FEC, bit error rates and the transceiver of a port",
    .metrics = METRICS(
        {"phy.ber.*", "", BETTER_LOWER, "bit error rate of the link: raw, effective (after FEC), symbol"},
        {"phy.errors.*", "", BETTER_LOWER, "errors since the counters were cleared"},
        {"phy.cleared", "s", BETTER_NEITHER, "time since the counters were cleared"},
        {"phy.link_*", "", BETTER_LOWER, "times that the link went down or recovered"},
        {"module.temperature", "C", BETTER_LOWER, "temperature of the transceiver"},
        {"module.*_power", "dBm", BETTER_NEITHER, "optical power of a lane"}),
    .grammar = GRAMMAR(.state_bytes = sizeof(struct report), .begin = begin, .line = read_line, .end = end),
};
