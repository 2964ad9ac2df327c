/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lldpctl (or lldpcli show neighbors) as text, `-f keyvalue` and `-f json`: the switch port behind each interface.
 *
 * subject "eth0", the host's own interface
 * facts   lldp.chassis (name of the switch), lldp.chassis_id, lldp.port (its port as it calls it: swp12),
 *         lldp.port_description, lldp.management_ip, lldp.via,
 *         lldp.capability   one for each that is enabled: Bridge, Router, Station
 *
 * The text closes each neighbour with a line of dashes, JSON itself; keyvalue has no closing. A list of no neighbour is
 * not complete: LLDP may be off on either side, and nothing is known of the cables.
 */
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"
#include "ib_port.h"
#include "loose_json.h"
#include "shell_words.h"

enum { RULE_BYTES = 40 };

struct listing {
    struct frame frame;
    const char *interface; /* of the neighbour that is being read; NULL outside */
    bool closes, closed;   /* of a form that closes its neighbours; the last one is closed */
};

static void add(struct listing *listing, const char *name, const char *interface, struct slice value)
{
    value = slice_trim(value);
    if (value.length > 0)
        reading_fact(listing->frame.reading, name, interface, value);
}

/* --- text --- */

/* "Interface:    eth0, via: LLDP, RID: 1, Time: 0 day, 00:02:13" */
static bool read_interface(struct listing *listing, struct slice line)
{
    static const char via[] = ", via: ";
    struct slice rest = line, name;
    size_t at, comma;

    if (!scan_text(&rest, "Interface:"))
        return false;
    rest = slice_trim(rest);
    at = slice_find(rest, via);
    name = (struct slice){rest.bytes, at != (size_t)-1 ? at : rest.length};
    if (!ib_is_device(name))
        return false;
    listing->interface = utf8_clean(listing->frame.reading->arena, name);
    listing->closes = true;
    listing->closed = false;
    if (at == (size_t)-1)
        return true;
    rest = slice_from(rest, at + strlen(via));
    comma = slice_find(rest, ",");
    add(listing, "lldp.via", listing->interface,
        (struct slice){rest.bytes, comma != (size_t)-1 ? comma : rest.length});
    return true;
}

/* "SysName:      leaf3", "PortID:       ifname swp12" */
static void read_text_field(struct listing *listing, struct slice line)
{
    static const struct {
        const char *label, *fact;
        bool typed; /* a word before the value says what it is */
    } fields[] = {
        {"ChassisID:", "lldp.chassis_id", true},        {"SysName:", "lldp.chassis", false},
        {"MgmtIP:", "lldp.management_ip", false},       {"PortID:", "lldp.port", true},
        {"PortDescr:", "lldp.port_description", false},
    };
    struct slice rest, word;

    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        rest = line;
        if (!scan_text(&rest, fields[i].label))
            continue;
        if (fields[i].typed && !scan_word(&rest, &word))
            return;
        add(listing, fields[i].fact, listing->interface, rest);
    }
}

/* "Capability:   Bridge, on" */
static void read_capability(struct listing *listing, struct slice line)
{
    struct slice name, state;

    if (scan_text(&line, "Capability:") && slice_part(line, ",", &name, &state) && slice_equal(state, "on"))
        add(listing, "lldp.capability", listing->interface, name);
}

static bool read_text(struct listing *listing, struct slice line)
{
    if (line_is_rule(line, "-", RULE_BYTES)) {
        listing->closed = true;
        listing->interface = NULL;
        return true;
    }
    if (slice_equal(line, "LLDP neighbors:")) {
        listing->closes = true;
        return true;
    }
    if (read_interface(listing, line))
        return true;
    if (listing->interface == NULL)
        return false;
    read_text_field(listing, line);
    read_capability(listing, line);
    return true;
}

/* --- keyvalue --- */

/* "eth0.chassis.Bridge.enabled=on" */
static void read_enabled(struct listing *listing, struct slice rest)
{
    static const char mark[] = ".chassis.";
    size_t at = slice_find(rest, mark);
    struct slice name = {rest.bytes, at}, capability, state;

    if (at != (size_t)-1 && ib_is_device(name) &&
        slice_part(slice_from(rest, at + strlen(mark)), ".enabled=", &capability, &state) &&
        slice_equal(state, "on"))
        add(listing, "lldp.capability", utf8_clean(listing->frame.reading->arena, name), capability);
}

/* "lldp.eth0.chassis.name=leaf3" */
static bool read_keyvalue(struct listing *listing, struct slice line)
{
    static const struct {
        const char *key, *fact;
    } fields[] = {
        {".via=", "lldp.via"},
        {".chassis.name=", "lldp.chassis"},
        {".chassis.mac=", "lldp.chassis_id"},
        {".chassis.local=", "lldp.chassis_id"},
        {".chassis.mgmt-ip=", "lldp.management_ip"},
        {".port.ifname=", "lldp.port"},
        {".port.local=", "lldp.port"},
        {".port.mac=", "lldp.port"},
        {".port.descr=", "lldp.port_description"},
    };
    struct slice rest = line;

    if (!scan_text(&rest, "lldp."))
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
        size_t at = slice_find(rest, fields[i].key);
        struct slice name = {rest.bytes, at};

        if (at != (size_t)-1 && ib_is_device(name)) {
            add(listing, fields[i].fact, utf8_clean(listing->frame.reading->arena, name),
                slice_from(rest, at + strlen(fields[i].key)));
            return true;
        }
    }
    read_enabled(listing, rest);
    return true;
}

/* --- JSON --- */

/* {"type": "mac", "value": "..."} */
static void add_id(struct listing *listing, const char *fact, const char *interface, const struct json *id)
{
    add(listing, fact, interface, slice_of(json_string(id, "value", "")));
}

/* {"type": "Bridge", "enabled": true}, or a list of them. */
static void read_capabilities(struct listing *listing, const char *interface, const struct json *capability)
{
    if (capability == NULL)
        return;
    if (capability->type == JSON_ARRAY) {
        json_each (item, capability)
            read_capabilities(listing, interface, item);
        return;
    }
    if (json_boolean(capability, "enabled", false))
        add(listing, "lldp.capability", interface, slice_of(json_string(capability, "type", "")));
}

static void read_neighbour(struct listing *listing, const char *interface, const struct json *neighbour)
{
    const struct json *chassis = json_get(neighbour, "chassis"), *port = json_get(neighbour, "port");
    const struct json *node = chassis;

    add(listing, "lldp.via", interface, slice_of(json_string(neighbour, "via", "")));
    /* {"leaf3": {"id": ...}}, or, of a switch that does not tell its name, {"id": ...} */
    if (chassis != NULL && chassis->items != NULL && chassis->items->type == JSON_OBJECT &&
        strcmp(chassis->items->key, "id") != 0) {
        node = chassis->items;
        add(listing, "lldp.chassis", interface, slice_of(node->key));
    }
    add_id(listing, "lldp.chassis_id", interface, json_get(node, "id"));
    add(listing, "lldp.management_ip", interface, slice_of(json_string(node, "mgmt-ip", "")));
    read_capabilities(listing, interface, json_get(node, "capability"));
    add_id(listing, "lldp.port", interface, json_get(port, "id"));
    add(listing, "lldp.port_description", interface, slice_of(json_string(port, "descr", "")));
}

/* "interface" is a list of objects, or one object. */
static void read_interfaces(struct listing *listing, const struct json *interfaces)
{
    if (interfaces == NULL)
        return;
    if (interfaces->type == JSON_ARRAY) {
        json_each (item, interfaces)
            read_interfaces(listing, item);
        return;
    }
    json_each (member, interfaces)
        if (member->key != NULL && member->type == JSON_OBJECT)
            read_neighbour(listing, member->key, member);
}

static bool read_json(void *state, struct slice bytes)
{
    struct listing *listing = state;
    struct slice text;
    const struct json *root;

    if (!slice_contains(bytes, "\"lldp\""))
        return false;
    text = json_document(listing->frame.reading->arena, bytes);
    if (!slice_starts(text, "{"))
        return false;
    root = json_read(listing->frame.reading, "lldpctl", text);
    read_interfaces(listing, json_get(json_get(root, "lldp"), "interface"));
    listing->closes = listing->closed = true;
    return true;
}

static void read_line(void *state, struct slice line)
{
    struct listing *listing = state;

    if (read_text(listing, line) || read_keyvalue(listing, line))
        return;
    if (slice_contains(line, "unable to connect to") || slice_contains(line, "lldpd is running") ||
        is_shell_trouble(line))
        frame_fail(&listing->frame, line);
}

static void end(void *state)
{
    struct listing *listing = state;
    bool empty = listing->frame.reading->facts.count == 0;

    if (empty && !listing->closes)
        frame_strange(&listing->frame);
    if (empty)
        reading_lacks(listing->frame.reading, REASON(no_neighbour_listed));
    frame_lacks_end(&listing->frame);
    if (listing->closes && !listing->closed)
        reading_lacks(listing->frame.reading, REASON(last_neighbour_not_closed));
}

const struct parser parse_lldp = {
    .name = "lldp",
    .version = 2,
    .summary = "lldpctl as text, keyvalue and JSON: the switch port behind each interface",
    .grammar =
        GRAMMAR(.state_bytes = sizeof(struct listing), .document = read_json, .line = read_line, .end = end),
};
