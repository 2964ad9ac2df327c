/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ibv_devinfo, with and without -v, ibv_devinfo -l and ibv_devices.
 *
 * subject "mlx5_0" for an HCA, "mlx5_0/1" for a port
 * facts   ib.firmware, ib.transport, ib.node_guid, ib.system_guid, ib.vendor_part, ib.hardware, ib.board, ib.ports
 *         ib.state, ib.physical_state (-v), ib.link_layer (words of ib_port.h), ib.mtu, ib.mtu.max, ib.lid, ib.sm_lid
 *         ib.listed "yes" (-l). "transport: InfiniBand" is said of Ethernet ports too: ib.link_layer tells
 * metric  ib.rate Gb/s at state=STATE: width times speed (-v); that of a port that is down is not that of a link
 * finding ib.port_not_active  info
 *
 * It is whole when each HCA has shown as many ports as it has and each port its link layer; -l announces how many
 * HCAs follow; ibv_devices has no closing. An HCA that comes again begins another run.
 */

#include "assay/reasons/parse.h"

#include "frame.h"
#include "ib_port.h"
#include "shell_words.h"

struct listing {
    struct frame frame;
    struct slice device, state, physical;
    const char *hca, *port;
    uint64_t announced, ports;
    bool counted, link;
    double width;
    uint64_t listed, expected; /* of -l */
    bool list, table;          /* inside -l; inside ibv_devices */
};

static const struct field {
    const char *label, *fact;
    bool of_port;
} fields[] = {
    {"transport", "ib.transport", false},
    {"fw_ver", "ib.firmware", false},
    {"node_guid", "ib.node_guid", false},
    {"sys_image_guid", "ib.system_guid", false},
    {"vendor_part_id", "ib.vendor_part", false},
    {"hw_ver", "ib.hardware", false},
    {"board_id", "ib.board", false},
    {"phys_port_cnt", "ib.ports", false},
    {"state", "ib.state", true},
    {"phys_state", "ib.physical_state", true},
    {"max_mtu", "ib.mtu.max", true},
    {"active_mtu", "ib.mtu", true},
    {"sm_lid", "ib.sm_lid", true},
    {"port_lid", "ib.lid", true},
    {"link_layer", "ib.link_layer", true},
};

static void end_port(struct listing *listing)
{
    if (listing->port == NULL)
        return;
    if (!listing->link)
        reading_lacks(listing->frame.reading,
                      reason(listing->frame.reading->arena, link_layer_missing, listing->port));
    ib_port_finding(listing->frame.reading, listing->port, listing->state, listing->physical);
    listing->port = NULL;
}

static void end_hca(struct listing *listing)
{
    end_port(listing);
    if (listing->hca != NULL && !listing->counted)
        reading_lacks(listing->frame.reading,
                      reason(listing->frame.reading->arena, number_of_ports_missing, listing->hca));
    else if (listing->hca != NULL && listing->ports != listing->announced)
        reading_lacks(listing->frame.reading,
                      reason(listing->frame.reading->arena, only_some_ports_shown, listing->hca,
                             (unsigned)listing->ports, (unsigned)listing->announced));
    if (listing->list && listing->listed != listing->expected)
        reading_lacks(listing->frame.reading, reason(listing->frame.reading->arena, only_some_hcas_listed,
                                                     (unsigned)listing->listed, (unsigned)listing->expected));
    listing->hca = NULL;
    listing->list = listing->table = false;
}

static void begin_run(struct listing *listing)
{
    end_hca(listing);
    frame_begin_run(&listing->frame);
}

static bool read_hca(struct listing *listing, struct slice line)
{
    struct slice name = line;

    if (!scan_text(&name, "hca_id:") || !ib_is_device(slice_trim(name)))
        return false;
    name = slice_trim(name);
    end_hca(listing);
    if (!frame_has_run(&listing->frame) ||
        frame_knows(&listing->frame, utf8_clean(listing->frame.all->arena, name)))
        begin_run(listing);
    listing->hca = utf8_clean(listing->frame.all->arena, name);
    listing->device = name;
    listing->counted = false;
    listing->ports = listing->announced = 0;
    return true;
}

static bool read_port(struct listing *listing, struct slice line)
{
    struct slice number = line;
    uint64_t port;

    if (listing->hca == NULL || !scan_text(&number, "port:") || !scan_u64(slice_trim(number), &port))
        return false;
    end_port(listing);
    listing->port = ib_subject(listing->frame.all->arena, listing->device, slice_trim(number));
    listing->ports++;
    listing->state = listing->physical = slice_of("");
    listing->link = false;
    listing->width = 0;
    return true;
}

/* "4X (2)" and "25.0 Gbps (32)" */
static void read_rate(struct listing *listing, struct slice label, struct slice value)
{
    struct slice word;
    double speed;

    if (!scan_word(&value, &word))
        return;
    if (slice_equal(label, "active_width") && slice_ends(word, "X")) {
        word.length--;
        if (!scan_double(word, &listing->width))
            listing->width = 0;
    } else if (slice_equal(label, "active_speed") && listing->width > 0 && scan_double(word, &speed) &&
               slice_starts(slice_trim(value), "Gbps")) {
        reading_at_text(
            listing->frame.reading,
            reading_measure(listing->frame.reading, "ib.rate", listing->port, listing->width * speed, "Gb/s"),
            "state", listing->state);
    }
}

/* Without the number behind it: "4096 (5)", "InfiniBand (0)". */
static struct slice first_part(struct slice value)
{
    size_t open = slice_find(value, " (");

    if (open != (size_t)-1 && slice_ends(value, ")"))
        value.length = open;
    return slice_trim(value);
}

static bool read_field(struct listing *listing, struct slice line)
{
    struct slice label, value;

    if (listing->hca == NULL || !slice_part(line, ":", &label, &value))
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        if (!slice_equal(label, fields[i].label) || fields[i].of_port != (listing->port != NULL))
            continue;
        ib_fact(listing->frame.reading, fields[i].fact, listing->port != NULL ? listing->port : listing->hca,
                first_part(value));
        if (slice_equal(label, "phys_port_cnt"))
            listing->counted = scan_u64(value, &listing->announced);
        else if (slice_equal(label, "link_layer"))
            listing->link = value.length > 0;
        else if (slice_equal(label, "state"))
            listing->state = ib_state_word(value);
        else if (slice_equal(label, "phys_state"))
            listing->physical = ib_physical_word(value);
        return true;
    }
    if (listing->port != NULL && listing->state.length > 0)
        read_rate(listing, label, value);
    return true;
}

/* "4 HCAs found:" */
static bool read_list_header(struct listing *listing, struct slice line)
{
    struct slice rest = line;
    uint64_t count;

    if (!scan_digits(&rest, &count) ||
        (!slice_equal(rest, " HCAs found:") && !slice_equal(rest, " HCA found:")))
        return false;
    begin_run(listing);
    listing->list = true;
    listing->expected = count;
    listing->listed = 0;
    return true;
}

/* "    device          	   node GUID" */
static bool read_table_header(struct listing *listing, struct slice line)
{
    struct slice word, rest = line;

    if (!scan_word(&rest, &word) || !slice_equal(word, "device") ||
        !slice_equal(slice_trim(rest), "node GUID"))
        return false;
    begin_run(listing);
    listing->table = true;
    return true;
}

static bool read_entry(struct listing *listing, struct slice line)
{
    struct slice name, guid, rest = line;
    const char *subject;

    if ((!listing->list && !listing->table) || !scan_word(&rest, &name) || !ib_is_device(name))
        return false;
    if (name.bytes[0] == '-')
        return true;
    subject = utf8_clean(listing->frame.all->arena, name);
    if (listing->list && slice_trim(rest).length == 0) {
        reading_fact(listing->frame.reading, "ib.listed", subject, slice_of("yes"));
        listing->listed++;
        return true;
    }
    if (!listing->table || !scan_word(&rest, &guid) || slice_trim(rest).length > 0 ||
        !slice_starts(ib_guid(listing->frame.all->arena, guid), "0x"))
        return false;
    ib_fact(listing->frame.reading, "ib.node_guid", subject, guid);
    return true;
}

static bool is_trouble(struct slice line)
{
    return slice_starts(line, "Failed to ") || slice_contains(line, "No IB devices found") ||
           slice_contains(line, "wasn't found") || slice_starts(line, "Invalid port requested") ||
           is_shell_trouble(line);
}

static void read_line(void *state, struct slice line)
{
    struct listing *listing = state;

    if (is_trouble(line))
        frame_fail(&listing->frame, line);
    else if (!read_hca(listing, line) && !read_list_header(listing, line) &&
             !read_table_header(listing, line) && !read_entry(listing, line) && !read_port(listing, line))
        read_field(listing, line);
}

static void end(void *state)
{
    struct listing *listing = state;

    end_hca(listing);
    frame_ends_list(&listing->frame);
    if (listing->frame.reading->facts.count == 0)
        reading_lacks(listing->frame.reading, REASON(no_hca_listed));
}

const struct parser parse_ibv_devinfo = {
    .name = "ibv-devinfo",
    .version = 1,
    .summary = "ibv_devinfo and ibv_devices: HCAs, firmware, state and MTU of their ports",
    .metrics =
        METRICS({"ib.rate", "Gb/s", BETTER_HIGHER, "rate of the port; of a link only at state=Active"}),
    .grammar = GRAMMAR(.state_bytes = sizeof(struct listing), .line = read_line, .end = end),
};
