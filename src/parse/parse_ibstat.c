/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ibstat (all HCAs, one, one port, -s) and ibstatus: the state of the HCAs and their ports.
 *
 * subject "mlx5_0" for an HCA, "mlx5_0/1" for a port
 * facts    ib.type, ib.firmware, ib.hardware, ib.node_guid, ib.system_guid, ib.ports (how many)   of the HCA
 *          ib.state, ib.physical_state, ib.link_layer (words of ib_port.h), ib.lid, ib.sm_lid, ib.port_guid,
 *          ib.gid (ibstatus), ib.speed ("4X HDR")                                                 of the port
 * metric   ib.rate Gb/s at state=STATE: a port that is down still shows a rate, which is not that of a link
 * finding  ib.port_not_active  info; ports may be unused
 *          ib.warning          warning: the tool's own (ibwarn)
 *
 * Neither tool closes its output. It is whole when each HCA has shown as many ports as it announced and each
 * port its last line (link layer). The tools' failures (ibpanic) stand last. An HCA or port that is listed
 * again begins another run.
 */
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"
#include "ib_port.h"
#include "shell_words.h"

struct listing {
    struct frame frame;
    struct slice device, state, physical;
    const char *hca, *port;    /* subjects; port is NULL outside of one */
    uint64_t announced, ports; /* of the HCA */
    bool counted;              /* it announced a number */
    bool rate, link;           /* seen of the port */
    bool orphan;               /* the text begins inside a port */
};

enum target { HCA, PORT };

enum kind { PLAIN, PORT_COUNT, STATE, PHYSICAL, RATE, LINK_LAYER, SKIPPED };

static const struct field {
    const char *label, *fact;
    enum target target;
    enum kind kind;
} fields[] = {
    {"Number of ports", "ib.ports", HCA, PORT_COUNT},
    {"Firmware version", "ib.firmware", HCA, PLAIN},
    {"Hardware version", "ib.hardware", HCA, PLAIN},
    {"Node GUID", "ib.node_guid", HCA, PLAIN},
    {"System image GUID", "ib.system_guid", HCA, PLAIN},
    {"CA type", "ib.type", HCA, PLAIN},
    {"Switch type", "ib.type", HCA, PLAIN},
    {"Router type", "ib.type", HCA, PLAIN},
    {"iWARP RNIC type", "ib.type", HCA, PLAIN},
    {"??? type", "ib.type", HCA, PLAIN},
    {"State", "ib.state", PORT, STATE},
    {"Physical state", "ib.physical_state", PORT, PHYSICAL},
    {"phys state", "ib.physical_state", PORT, PHYSICAL},
    {"Rate", "ib.rate", PORT, RATE},
    {"Base lid", "ib.lid", PORT, PLAIN},
    {"SM lid", "ib.sm_lid", PORT, PLAIN},
    {"LMC", NULL, PORT, SKIPPED},
    {"Capability mask", NULL, PORT, SKIPPED},
    {"Port GUID", "ib.port_guid", PORT, PLAIN},
    {"default gid", "ib.gid", PORT, PLAIN},
    {"Link layer", "ib.link_layer", PORT, LINK_LAYER},
    {"link_layer", "ib.link_layer", PORT, LINK_LAYER},
};

static void end_port(struct listing *listing)
{
    if (listing->port == NULL)
        return;
    if (!listing->rate)
        reading_lacks(listing->frame.reading,
                      reason(listing->frame.reading->arena, no_rate_shown, listing->port));
    else if (!listing->link)
        reading_lacks(listing->frame.reading,
                      reason(listing->frame.reading->arena, link_layer_line_missing, listing->port));
    listing->port = NULL;
}

static void end_hca(struct listing *listing)
{
    end_port(listing);
    if (listing->hca != NULL && listing->counted && listing->ports != listing->announced)
        reading_lacks(listing->frame.reading,
                      reason(listing->frame.reading->arena, only_some_ports_shown, listing->hca,
                             (unsigned)listing->ports, (unsigned)listing->announced));
    else if (listing->hca != NULL && listing->ports == 0)
        reading_lacks(listing->frame.reading,
                      reason(listing->frame.reading->arena, no_port_shown, listing->hca));
    listing->hca = NULL;
}

static void begin_run(struct listing *listing)
{
    end_hca(listing);
    frame_begin_run(&listing->frame);
    if (listing->orphan)
        reading_lacks(listing->frame.reading, REASON(begins_inside_port));
    listing->orphan = false;
}

/* subject: what is listed again where another run begins. */
static void begin_hca(struct listing *listing, struct slice device, const char *subject)
{
    if (!frame_has_run(&listing->frame) || frame_knows(&listing->frame, subject))
        begin_run(listing);
    end_hca(listing);
    listing->hca = utf8_clean(listing->frame.all->arena, device);
    listing->device = device;
    listing->counted = false;
    listing->announced = listing->ports = 0;
}

static void begin_port(struct listing *listing, struct slice number)
{
    const char *subject = ib_subject(listing->frame.all->arena, listing->device, number);

    end_port(listing);
    if (frame_knows(&listing->frame, subject))
        begin_hca(listing, listing->device, listing->hca);
    listing->port = subject;
    listing->ports++;
    listing->state = listing->physical = slice_of("");
    listing->rate = listing->link = false;
}

/* "'mlx5_0'" */
static bool take_quoted(struct slice *rest, struct slice *ret_name)
{
    size_t end;

    if (!scan_text(rest, "'"))
        return false;
    end = slice_find(*rest, "'");
    if (end == (size_t)-1)
        return false;
    *ret_name = (struct slice){rest->bytes, end};
    *rest = slice_from(*rest, end + 1);
    return ib_is_device(*ret_name);
}

/* "CA 'mlx5_0'", and "CA: 'mlx5_0'" where one port was asked for. */
static bool read_hca(struct listing *listing, struct slice line)
{
    static const char *const types[] = {"CA", "Switch", "Router", "iWARP RNIC", "???"};
    struct slice name, rest;

    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        rest = line;
        if (!scan_text(&rest, types[i]))
            continue;
        scan_text(&rest, ":");
        if (!scan_text(&rest, " ") || !take_quoted(&rest, &name) || rest.length > 0)
            continue;
        begin_hca(listing, name, utf8_clean(listing->frame.all->arena, name));
        return true;
    }
    return false;
}

/* "Infiniband device 'mlx5_0' port 1 status:" */
static bool read_status_header(struct listing *listing, struct slice line)
{
    struct slice name, number, rest = line;
    const char *subject;
    uint64_t port;

    if (!scan_text(&rest, "Infiniband device ") || !take_quoted(&rest, &name) || !scan_text(&rest, " port "))
        return false;
    number = rest;
    if (!scan_digits(&rest, &port) || !slice_equal(rest, " status:"))
        return false;
    number.length -= rest.length;
    subject = ib_subject(listing->frame.all->arena, name, number);
    if (listing->hca == NULL || strcmp(listing->hca, utf8_clean(listing->frame.all->arena, name)) != 0 ||
        frame_knows(&listing->frame, subject))
        begin_hca(listing, name, subject);
    begin_port(listing, number);
    return true;
}

/* "Port 1:" */
static bool read_port(struct listing *listing, struct slice line)
{
    struct slice number, rest = line;
    uint64_t port;

    if (listing->hca == NULL || !scan_text(&rest, "Port "))
        return false;
    number = rest;
    if (!scan_digits(&rest, &port) || !slice_equal(rest, ":"))
        return false;
    number.length -= rest.length;
    begin_port(listing, number);
    return true;
}

/* "200 Gb/sec (4X HDR)" has the speed's name too. */
static void read_speed(struct listing *listing, struct slice value)
{
    size_t open = slice_find(value, "(");

    if (open != (size_t)-1 && slice_ends(value, ")"))
        reading_fact(listing->frame.reading, "ib.speed", listing->port,
                     (struct slice){value.bytes + open + 1, value.length - open - 2});
}

static void read_rate(struct listing *listing, struct slice value)
{
    listing->rate = ib_rate(listing->frame.reading, listing->port, value, listing->state);
    if (!listing->rate)
        return;
    read_speed(listing, value);
    ib_port_finding(listing->frame.reading, listing->port, listing->state, listing->physical);
}

static void read_value(struct listing *listing, const struct field *field, struct slice value)
{
    const char *subject = field->target == HCA ? listing->hca : listing->port;

    switch (field->kind) {
    case PORT_COUNT:
        listing->counted = scan_u64(value, &listing->announced);
        break;
    case STATE:
        listing->state = ib_state_word(value);
        break;
    case PHYSICAL:
        listing->physical = ib_physical_word(value);
        break;
    case LINK_LAYER:
        listing->link = value.length > 0;
        break;
    case RATE:
        read_rate(listing, value);
        return;
    case SKIPPED:
        return;
    case PLAIN:
    default:
        break;
    }
    ib_fact(listing->frame.reading, field->fact, subject, value);
}

static bool read_field(struct listing *listing, struct slice line)
{
    struct slice label, value;

    if (!slice_part(line, ":", &label, &value))
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        if (!slice_equal_nocase(label, fields[i].label))
            continue;
        if (fields[i].target == HCA ? listing->hca != NULL : listing->port != NULL)
            read_value(listing, &fields[i], value);
        else if (!frame_has_run(&listing->frame))
            listing->orphan = true;
        return true;
    }
    return false;
}

static bool is_trouble(struct slice line)
{
    return slice_starts(line, "ibpanic:") || slice_starts(line, "Fatal error:") ||
           slice_contains(line, "has no port number") || is_shell_trouble(line);
}

static void read_line(void *state, struct slice line)
{
    struct listing *listing = state;

    if (read_hca(listing, line) || read_status_header(listing, line) || read_port(listing, line) ||
        read_field(listing, line))
        return;
    if (is_trouble(line))
        frame_fail(&listing->frame, line);
    else if (slice_starts(line, "ibwarn:"))
        reading_finding(listing->frame.all, SEVERITY_WARNING, "ib.warning", "",
                        reason(listing->frame.all->arena, text, line));
}

/* The last line has a word that is not the beginning of another: whole although nothing ends it. */
static bool is_whole(void *state, struct slice tail)
{
    const struct listing *listing = state;
    struct slice label, value;

    return listing->port != NULL && slice_part(tail, ":", &label, &value) &&
           slice_equal_one(label, "Link layer", "link_layer") &&
           slice_equal_one(value, "InfiniBand", "Ethernet");
}

static void end(void *state)
{
    struct listing *listing = state;

    end_hca(listing);
    frame_ends_list(&listing->frame);
}

const struct parser parse_ibstat = {
    .name = "ibstat",
    .version = 1,
    .summary = "ibstat and ibstatus: HCAs, their firmware, state and rate of their ports",
    .metrics =
        METRICS({"ib.rate", "Gb/s", BETTER_HIGHER, "rate of the port; of a link only at state=Active"}),
    .grammar =
        GRAMMAR(.state_bytes = sizeof(struct listing), .line = read_line, .is_whole = is_whole, .end = end),
};
