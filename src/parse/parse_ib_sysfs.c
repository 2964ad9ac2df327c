/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files below /sys/class/infiniband as text: `grep -sH . FILES` ("path:value"), `tail -n +1 FILES` and
 * `head -v FILES` ("==> path <==" and the value below), "path = value", "path value", and `cat FILE` behind a
 * prompt. Paths may begin anywhere, also inside the tree ("mlx5_0/ports/1/state", "counters/symbol_error").
 *
 * subject "mlx5_0" for an HCA, "mlx5_0/1" for a port, "" where the path does not tell
 * facts    ib.firmware, ib.type, ib.board, ib.hardware, ib.node_guid, ib.system_guid, ib.node_description
 *          ib.state, ib.physical_state, ib.link_layer (words of ib_port.h), ib.speed ("4X HDR"), ib.lid,
 *          ib.sm_lid, ib.gid.N, ib.gid.N.type ("RoCE v2"), ib.gid.N.netdev
 *          ib.counter.NAME.exact  all digits of a counter beyond 2^53, which the measurement rounds
 * metrics  ib.counter.NAME   every file of counters and hw_counters, by its name there; port_xmit_data and
 *                            port_rcv_data count units of 4 bytes
 *          ib.rate Gb/s at state=STATE, of a port whose state is told too: one that is down still shows a rate
 * finding  ib.counter_saturated  warning: see ib_port.h
 *          ib.unreadable         warning: a file that could not be read
 *          ib.port_not_active    info
 *
 * Such text has no closing: of one cut between two lines all that stands there is true. Where its first file
 * comes again another run begins.
 */
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"
#include "ib_port.h"
#include "shell_words.h"

struct port {
    const char *subject;
    struct slice state, physical, rate;
    bool measured; /* its rate is */
};

struct dump {
    struct frame frame;
    struct slice first_path, heading; /* of the run; the path whose value stands on the next lines */
    LIST_OF(struct port) ports;
    size_t values;
};

/* What a path says. */
struct place {
    struct slice device, port;
    struct slice name;  /* the last component */
    struct slice group; /* the component before it, "counters", "gids", ... */
};

static const struct file {
    const char *group, *name, *fact;
} files[] = {
    {NULL, "fw_ver", "ib.firmware"},
    {NULL, "hca_type", "ib.type"},
    {NULL, "board_id", "ib.board"},
    {NULL, "hw_rev", "ib.hardware"},
    {NULL, "node_guid", "ib.node_guid"},
    {NULL, "sys_image_guid", "ib.system_guid"},
    {NULL, "node_desc", "ib.node_description"},
    {NULL, "state", "ib.state"},
    {NULL, "phys_state", "ib.physical_state"},
    {NULL, "link_layer", "ib.link_layer"},
    {NULL, "lid", "ib.lid"},
    {NULL, "sm_lid", "ib.sm_lid"},
    {"gids", NULL, "ib.gid."},
    {"types", NULL, "ib.gid.*.type"},
    {"ndevs", NULL, "ib.gid.*.netdev"},
};

/* Takes the component before the last '/' off the end of path: "a/b/c" -> "c", path "a/b". */
static struct slice take_last(struct slice *path)
{
    size_t at = path->length;
    struct slice last;

    while (at > 0 && path->bytes[at - 1] != '/')
        at--;
    last = slice_from(*path, at);
    path->length = at > 0 ? at - 1 : 0;
    return last;
}

static bool is_number(struct slice text)
{
    uint64_t number;

    return scan_u64(text, &number);
}

/* Components from the end: [...]/infiniband/DEVICE/[ports/N/[GROUP/]]NAME. */
static struct place read_path(struct slice path)
{
    struct place place = {.device = {"", 0}, .port = {"", 0}, .group = {"", 0}};
    struct slice component, after = {"", 0};

    place.name = take_last(&path);
    component = take_last(&path);
    place.group = component;
    while (component.length > 0) {
        if (slice_equal(component, "ports") && is_number(after)) {
            place.port = after;
            place.device = take_last(&path);
            break;
        }
        if (slice_equal(component, "infiniband")) {
            place.device = after;
            break;
        }
        after = component;
        component = take_last(&path);
    }
    if (!ib_is_device(place.device))
        place.device = place.port = (struct slice){"", 0};
    return place;
}

static struct port *port_of(struct dump *dump, const char *subject)
{
    struct port *port;

    for (size_t i = dump->ports.count; i > 0; i--)
        if (strcmp(dump->ports.items[i - 1].subject, subject) == 0)
            return &dump->ports.items[i - 1];
    port = list_push(dump->frame.all->arena, &dump->ports);
    *port = (struct port){.subject = subject, .state = {"", 0}, .physical = {"", 0}, .rate = {"", 0}};
    return port;
}

/* A rate counts only with the state of its port, which may stand after it. */
static void measure_rate(struct dump *dump, struct port *port)
{
    size_t open = slice_find(port->rate, "(");

    if (port->measured || port->rate.length == 0 || port->state.length == 0)
        return;
    port->measured = true;
    if (ib_rate(dump->frame.reading, port->subject, port->rate, port->state) && open != (size_t)-1)
        reading_fact(dump->frame.reading, "ib.speed", port->subject,
                     (struct slice){port->rate.bytes + open + 1, port->rate.length - open - 2});
}

static void read_port_file(struct dump *dump, const char *subject, struct slice name, struct slice value)
{
    struct port *port = port_of(dump, subject);

    if (slice_equal(name, "state"))
        port->state = ib_state_word(value);
    else if (slice_equal(name, "phys_state"))
        port->physical = ib_physical_word(value);
    else if (slice_equal(name, "rate"))
        port->rate = value;
    measure_rate(dump, port);
}

static const char *fact_name(struct arena *arena, const struct file *file, struct slice name)
{
    const char *star = strchr(file->fact, '*');

    if (file->name != NULL)
        return file->fact;
    if (star == NULL)
        return arena_printf(arena, "%s%.*s", file->fact, slice_print(name));
    return arena_printf(arena, "%.*s%.*s%s", (int)(star - file->fact), file->fact, slice_print(name),
                        star + 1);
}

static void read_plain_file(struct dump *dump, const struct place *place, const char *subject,
                            struct slice value)
{
    array_each (file, files, ARRAY_SIZE(files)) {
        if (file->name != NULL ? !slice_equal(place->name, file->name)
                               : !slice_equal(place->group, file->group) || !is_number(place->name))
            continue;
        /* Empty entries of the GID table. */
        if (file->name == NULL && slice_equal(value, "0000:0000:0000:0000:0000:0000:0000:0000"))
            return;
        ib_fact(dump->frame.reading, fact_name(dump->frame.all->arena, file, place->name), subject, value);
    }
}

static bool is_counter(const struct place *place)
{
    return (slice_equal(place->group, "counters") || slice_equal(place->group, "hw_counters")) &&
           !slice_equal(place->name, "lifespan");
}

static void end_run(struct dump *dump)
{
    for (size_t i = 0; i < dump->ports.count; i++)
        ib_port_finding(dump->frame.reading, dump->ports.items[i].subject, dump->ports.items[i].state,
                        dump->ports.items[i].physical);
    dump->ports.count = 0;
}

static void begin_run(struct dump *dump, struct slice path)
{
    end_run(dump);
    frame_begin_run(&dump->frame);
    dump->first_path = path;
    dump->values = 0;
}

static bool same(struct slice left, struct slice right)
{
    return left.length == right.length && memcmp(left.bytes, right.bytes, left.length) == 0;
}

static void read_value(struct dump *dump, struct slice path, struct slice value)
{
    struct place place = read_path(path);
    const char *subject = "";

    if (!frame_has_run(&dump->frame) || same(dump->first_path, path))
        begin_run(dump, path);
    dump->values++;
    value = slice_trim(value);
    if (place.port.length > 0)
        subject = ib_subject(dump->frame.all->arena, place.device, place.port);
    else if (place.device.length > 0)
        subject = utf8_clean(dump->frame.all->arena, place.device);
    if (is_counter(&place)) {
        if (ib_counter(dump->frame.reading, "ib.counter.", place.name, subject, value))
            ib_saturation(dump->frame.reading, place.name, subject, value);
        return;
    }
    read_plain_file(dump, &place, subject, value);
    if (place.port.length > 0)
        read_port_file(dump, subject, place.name, value);
}

/* Where the part of a path begins that tells what the file is, or (size_t)-1. */
static size_t find_path(struct slice text)
{
    static const char *const marks[] = {"infiniband/", "ports/", "counters/"};

    for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
        size_t at = slice_find(text, marks[i]);

        if (at != (size_t)-1)
            return at + strlen(marks[i]);
    }
    return (size_t)-1;
}

/* "path:value", "path = value", "path value" */
static bool split_line(struct slice line, struct slice *ret_path, struct slice *ret_value)
{
    size_t at = find_path(line), blank = 0;
    struct slice rest;

    if (at == (size_t)-1)
        return false;
    /* Nothing but the path stands before its mark. */
    while (blank < at && line.bytes[blank] != ' ' && line.bytes[blank] != '\t')
        blank++;
    if (blank < at)
        return false;
    while (at < line.length && strchr(":= \t", line.bytes[at]) == NULL)
        at++;
    *ret_path = (struct slice){line.bytes, at};
    rest = slice_trim(slice_from(line, at));
    if (at < line.length && line.bytes[at] == ':')
        rest = slice_from(rest, 1);
    else
        scan_text(&rest, "=");
    *ret_value = slice_trim(rest);
    return true;
}

/* "==> path <==" */
static bool read_heading(struct dump *dump, struct slice line)
{
    struct slice path = line;

    if (!scan_text(&path, "==> ") || !slice_ends(path, " <=="))
        return false;
    path.length -= strlen(" <==");
    dump->heading = find_path(path) != (size_t)-1 ? path : slice_of("");
    return true;
}

/* "root@node:~# cat /sys/class/infiniband/mlx5_0/fw_ver": the value stands below. */
static bool read_prompt(struct dump *dump, struct slice line)
{
    struct slice command, word;

    if (!prompt_command(line, &command))
        return false;
    dump->heading = slice_of("");
    if (scan_word(&command, &word) && slice_equal(word, "cat") && scan_word(&command, &word) &&
        slice_trim(command).length == 0 && slice_contains(word, "infiniband/") && !slice_contains(word, "*"))
        dump->heading = word;
    return true;
}

/* "grep: /sys/...: Permission denied" */
static bool read_complaint(struct dump *dump, struct slice line)
{
    static const char *const tools[] = {"grep: ", "cat: ", "tail: ", "head: ", "ls: "};

    for (size_t i = 0; i < ARRAY_SIZE(tools); i++)
        if (slice_starts(line, tools[i])) {
            frame_fail(&dump->frame, line);
            if (!slice_contains(line, "s a directory"))
                reading_finding(dump->frame.all, SEVERITY_WARNING, "ib.unreadable", "",
                                reason(dump->frame.all->arena, text, line));
            return true;
        }
    if (!is_shell_trouble(line))
        return false;
    frame_fail(&dump->frame, line);
    return true;
}

static void read_line(void *state, struct slice line)
{
    struct dump *dump = state;
    struct slice path, value;

    if (read_complaint(dump, line) || read_heading(dump, line))
        return;
    if (dump->heading.length > 0 && !slice_starts(line, "==>")) {
        read_value(dump, dump->heading, line);
        dump->heading.length = 0;
        return;
    }
    if (!read_prompt(dump, line) && split_line(line, &path, &value))
        read_value(dump, path, value);
}

static void end(void *state)
{
    struct dump *dump = state;
    const struct reading *reading = dump->frame.reading;

    if (!frame_has_run(&dump->frame))
        frame_strange(&dump->frame);
    else
        dump->frame.failure.length = 0; /* other files could be read */
    frame_lacks_end(&dump->frame);
    if (dump->heading.length > 0)
        reading_lacks(dump->frame.reading, REASON(last_file_without_value));
    if (reading->facts.count + reading->measurements.count == 0)
        reading_lacks(dump->frame.reading, REASON(no_state_or_counter));
    end_run(dump);
}

const struct parser parse_ib_sysfs = {
    .name = "ib-sysfs",
    .version = 1,
    .summary = "files below /sys/class/infiniband: states, rates, counters and hw_counters of the ports",
    .metrics = METRICS(
        {"ib.rate", "Gb/s", BETTER_HIGHER, "rate of the port; of a link only at state=Active"},
        {"ib.counter.*", "", BETTER_NEITHER, "a counter of the port, by the name that the tool gives it"}),
    .grammar = GRAMMAR(.state_bytes = sizeof(struct dump), .line = read_line, .end = end),
};
