/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ethtool of a network device: -S (also --groups), -i, no option (settings), -a (pause) and -m (module).
 *
 * subject "eth0": as the output names it, or a heading ("== eth0 ==", "eth0:", "==> eth0 <=="), or the command
 *         behind a prompt; "" where nothing names it (-S and -i alone)
 * facts   eth.driver, eth.driver_version, eth.firmware, eth.bus (PCI address)                          -i
 *         eth.link yes/no, eth.port, eth.duplex, eth.autonegotiation                                   settings
 *         eth.pause.rx, .tx, .autonegotiate   on/off                                                   -a
 *         eth.module.identifier, .vendor, .part, .serial, .revision                                    -m
 *         eth.counter.NAME.exact  all digits of a counter beyond 2^53, which the measurement rounds    -S
 * metrics eth.counter.NAME  the counter as the driver calls it; what is neither letter, digit nor "_-."
 *                           becomes "_" ("[0]: rx_discards" is 0_rx_discards)
 *         eth.speed Gb/s (none while there is no link), eth.module.temperature C
 * finding eth.module.alarm   warning: a flag of the module that is On
 *         eth.not_permitted  info: what only root may see; the rest is shown without it
 *
 * -S and -m have no closing: what stands there is true of a list that was cut between two lines too. Where a
 * section of the same device comes again another run begins.
 */
#include <ctype.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"
#include "ib_port.h"
#include "pci_address.h"
#include "shell_words.h"

enum section { NONE, STATISTICS, DRIVER, SETTINGS, PAUSE, MODULE };

struct report {
    struct frame frame;
    enum section section;
    const char *device;
    unsigned values; /* of the section */
    bool closed;     /* the section's last line was seen */
    LIST_OF(struct {
        enum section section;
        const char *device;
    })
    seen; /* in this run */
};

static const struct label {
    enum section section;
    const char *label, *fact;
    bool closes;
} labels[] = {
    {DRIVER, "driver", "eth.driver", false},
    {DRIVER, "version", "eth.driver_version", false},
    {DRIVER, "firmware-version", "eth.firmware", false},
    {DRIVER, "bus-info", "eth.bus", false},
    {DRIVER, "supports-register-dump", NULL, true},
    {DRIVER, "supports-priv-flags", NULL, true},
    {SETTINGS, "Duplex", "eth.duplex", false},
    {SETTINGS, "Port", "eth.port", false},
    {SETTINGS, "Auto-negotiation", "eth.autonegotiation", false},
    {SETTINGS, "Link detected", "eth.link", true},
    {PAUSE, "Autonegotiate", "eth.pause.autonegotiate", false},
    {PAUSE, "RX", "eth.pause.rx", false},
    {PAUSE, "TX", "eth.pause.tx", true},
    {MODULE, "Identifier", "eth.module.identifier", true},
    {MODULE, "Vendor name", "eth.module.vendor", false},
    {MODULE, "Vendor PN", "eth.module.part", false},
    {MODULE, "Vendor SN", "eth.module.serial", false},
    {MODULE, "Vendor rev", "eth.module.revision", false},
};

static void end_section(struct report *report)
{
    static const char *const names[] = {
        [STATISTICS] = "statistics", [DRIVER] = "driver", [SETTINGS] = "settings", [PAUSE] = "pause"};

    if (report->section == STATISTICS && report->values == 0)
        reading_lacks(report->frame.reading, REASON(statistics_without_counter));
    else if (report->section != NONE && report->section != STATISTICS && !report->closed)
        reading_lacks(report->frame.reading,
                      reason(report->frame.reading->arena, section_not_ended,
                             report->section == MODULE ? "module" : names[report->section]));
    report->section = NONE;
}

static void begin_section(struct report *report, enum section section)
{
    bool again = !frame_has_run(&report->frame);

    end_section(report);
    for (size_t i = 0; i < report->seen.count && !again; i++)
        again = report->seen.items[i].section == section &&
                strcmp(report->seen.items[i].device, report->device) == 0;
    if (again) {
        frame_begin_run(&report->frame);
        report->seen.count = 0;
    }
    list_push(report->frame.all->arena, &report->seen);
    report->seen.items[report->seen.count - 1].section = section;
    report->seen.items[report->seen.count - 1].device = report->device;
    report->section = section;
    report->values = 0;
    report->closed = false;
}

static bool is_device(struct slice text)
{
    bool letter = false;

    for (size_t i = 0; i < text.length; i++)
        letter = letter || isalpha((unsigned char)text.bytes[i]);
    return letter && text.length <= 20 && ib_is_device(text);
}

static void set_device(struct report *report, struct slice name)
{
    report->device = utf8_clean(report->frame.all->arena, name);
}

/* "Settings for eth0:" */
static bool read_title(struct report *report, struct slice line)
{
    static const struct {
        const char *text;
        enum section section;
    } titles[] = {
        {"NIC statistics:", STATISTICS}, {"NIC statistics for ", STATISTICS},
        {"PHY statistics:", STATISTICS}, {"Standard stats for ", STATISTICS},
        {"Settings for ", SETTINGS},     {"Pause parameters for ", PAUSE},
    };

    for (size_t i = 0; i < ARRAY_SIZE(titles); i++) {
        struct slice name = line;

        if (!scan_text(&name, titles[i].text) || (name.length > 0 && !slice_ends(name, ":")))
            continue;
        name.length -= name.length > 0;
        if (name.length > 0)
            set_device(report, name);
        begin_section(report, titles[i].section);
        return true;
    }
    return false;
}

/* "== eth0 ==", "eth0:", "### eth0", "==> eth0 <==" */
static bool read_heading(struct report *report, struct slice line)
{
    static const char marks[] = "=#-*<> :";
    size_t start = 0, end = line.length;
    struct slice name;

    while (start < end && strchr(marks, line.bytes[start]) != NULL)
        start++;
    while (end > start && strchr(marks, line.bytes[end - 1]) != NULL)
        end--;
    name = (struct slice){line.bytes + start, end - start};
    if (name.length == line.length || !is_device(name))
        return false;
    end_section(report);
    set_device(report, name);
    return true;
}

/* "ethtool -S eth0" behind a prompt: the last word that is no option. */
static bool read_prompt(struct report *report, struct slice line)
{
    struct slice command, word, device = {"", 0};
    bool ethtool = false;

    if (!prompt_command(line, &command))
        return is_prompt(line);
    if (!slice_contains(command, "ethtool"))
        return slice_contains(line, "@");
    end_section(report);
    report->device = "";
    while (scan_word(&command, &word) && !slice_equal(word, "|") && !slice_equal(word, ";")) {
        if (slice_equal(word, "ethtool") || slice_ends(word, "/ethtool"))
            ethtool = true;
        else if (ethtool && !slice_starts(word, "-"))
            device = word;
    }
    if (is_device(device))
        set_device(report, device);
    return true;
}

static struct slice counter_name(struct arena *arena, struct slice label)
{
    char *name = arena_alloc(arena, label.length + 1);
    size_t length = 0;

    for (size_t i = 0; i < label.length; i++) {
        unsigned char byte = (unsigned char)label.bytes[i];

        if (isalnum(byte) || strchr("_-.", byte) != NULL)
            name[length++] = (char)byte;
        else if (length > 0 && name[length - 1] != '_')
            name[length++] = '_';
    }
    while (length > 0 && name[length - 1] == '_')
        length--;
    return (struct slice){name, length};
}

/* "     rx_discards_phy: 12", "     [0]: rx_discards: 3" */
static bool read_counter(struct report *report, struct slice line)
{
    size_t colon = line.length;
    struct slice label, value;
    uint64_t number;

    while (colon > 0 && line.bytes[colon - 1] != ':')
        colon--;
    if (colon < 2)
        return false;
    label = slice_trim((struct slice){line.bytes, colon - 1});
    value = slice_trim(slice_from(line, colon));
    if (label.length == 0 || !scan_u64(value, &number))
        return false;
    ib_counter(report->frame.reading, "eth.counter.", counter_name(report->frame.all->arena, label),
               report->device, value);
    report->values++;
    return true;
}

static void read_driver_fact(struct report *report, const struct label *label, struct slice value)
{
    const char *address = NULL;

    if (strcmp(label->fact, "eth.bus") == 0)
        address = pci_address(report->frame.all->arena, value);
    reading_fact(report->frame.reading, label->fact, report->device,
                 address != NULL ? slice_of(address) : value);
}

/* "100000Mb/s"; "Unknown!" where there is no link. */
static void read_speed(struct report *report, struct slice value)
{
    uint64_t speed;

    if (scan_digits(&value, &speed) && slice_equal(value, "Mb/s"))
        reading_measure(report->frame.reading, "eth.speed", report->device, (double)speed / 1000, "Gb/s");
}

static void read_temperature(struct report *report, struct slice value)
{
    struct slice word;
    double celsius;

    if (scan_word(&value, &word) && scan_double(word, &celsius) &&
        slice_starts(slice_trim(value), "degrees C"))
        reading_measure(report->frame.reading, "eth.module.temperature", report->device, celsius, "C");
}

static void read_label(struct report *report, struct slice line)
{
    struct slice label, value;

    if (!slice_part(line, ":", &label, &value))
        return;
    if (report->section == SETTINGS && slice_equal(label, "Speed"))
        read_speed(report, value);
    if (report->section == MODULE && slice_equal(label, "Module temperature"))
        read_temperature(report, value);
    if (report->section == MODULE && slice_equal(value, "On") &&
        (slice_contains(label, "alarm") || slice_contains(label, "warning")))
        reading_finding(report->frame.reading, SEVERITY_WARNING, "eth.module.alarm", report->device,
                        reason(report->frame.reading->arena, text, label));
    for (size_t i = 0; i < ARRAY_SIZE(labels); i++) {
        if (labels[i].section != report->section || !slice_equal(label, labels[i].label))
            continue;
        report->closed = report->closed || labels[i].closes;
        if (labels[i].fact != NULL && value.length > 0)
            read_driver_fact(report, &labels[i], value);
    }
}

static bool is_trouble(struct slice line)
{
    return slice_starts_one(line, "Cannot get ", "netlink error:", "no stats available", "No data available",
                            "ethtool: ") ||
           is_shell_trouble(line);
}

/* -i and -m have no title: their first line begins them. */
static bool read_untitled(struct report *report, struct slice line)
{
    struct slice label, value;

    if (!slice_part(line, ":", &label, &value))
        return false;
    if (slice_equal(label, "driver"))
        begin_section(report, DRIVER);
    else if (slice_equal(label, "Identifier") && slice_contains(line, "0x"))
        begin_section(report, MODULE);
    else
        return false;
    read_label(report, line);
    return true;
}

static void read_line(void *state, struct slice raw)
{
    struct report *report = state;
    struct slice line = slice_trim(raw);
    bool indented = raw.length > 0 && (raw.bytes[0] == ' ' || raw.bytes[0] == '\t');

    if (line.length == 0) {
        if (report->section == STATISTICS && report->values > 0)
            end_section(report);
        return;
    }
    if (slice_ends(line, ": Operation not permitted")) {
        reading_finding(report->frame.all, SEVERITY_INFO, "eth.not_permitted", report->device,
                        reason(report->frame.all->arena, text, line));
        return;
    }
    if (is_trouble(line)) {
        frame_fail(&report->frame, line);
        return;
    }
    if (read_title(report, line) || (!indented && read_prompt(report, line)) || read_untitled(report, line))
        return;
    if (report->section == STATISTICS && read_counter(report, line))
        return;
    /* An empty value looks like a heading: "version:" */
    if (!indented && (report->section != DRIVER || report->closed) && read_heading(report, line))
        return;
    if (report->section != NONE && report->section != STATISTICS)
        read_label(report, line);
}

static void begin(void *state)
{
    struct report *report = state;

    report->device = "";
}

static void end(void *state)
{
    struct report *report = state;

    end_section(report);
    frame_ends_list(&report->frame);
}

const struct parser parse_ethtool = {
    .name = "ethtool",
    .version = 1,
    .summary = "ethtool: -S counters, -i driver, settings, -a pause, -m module",
    .metrics = METRICS({"eth.counter.*", "", BETTER_NEITHER, "a counter of the device, by its driver's name"},
                       {"eth.speed", "Gb/s", BETTER_HIGHER, "speed of the link"},
                       {"eth.module.temperature", "C", BETTER_LOWER, "temperature of the transceiver"}),
    .grammar = GRAMMAR(.state_bytes = sizeof(struct report), .flags = FRAME_RAW, .begin = begin,
                       .line = read_line, .end = end),
};
