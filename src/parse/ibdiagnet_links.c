/* SPDX-License-Identifier: Apache-2.0 */
#include "ibdiagnet_links.h"

#include <ctype.h>
#include <string.h>

#include "assay/parse/ib_links.h"
#include "ib_port.h"

enum { HEX_DIGITS = 16, DUMP_COLUMNS = 13 };

static bool scan_hex(struct slice text, unsigned long long *ret_value)
{
    *ret_value = 0;
    for (size_t i = 0; i < text.length; i++) {
        int byte = tolower((unsigned char)text.bytes[i]);

        if (!isxdigit(byte))
            return false;
        *ret_value = *ret_value * 16 + (unsigned)(isdigit(byte) ? byte - '0' : byte - 'a' + 10);
    }
    return text.length > 0 && text.length <= HEX_DIGITS;
}

static bool decimal_of_hex(struct arena *arena, struct slice text, struct slice *ret_decimal)
{
    unsigned long long value;

    if (!scan_hex(text, &value))
        return false;
    *ret_decimal = slice_of(arena_printf(arena, "%llu", value));
    return true;
}

static void put(struct reading *reading, const char *name, const char *subject, struct slice value)
{
    if (value.length > 0)
        reading_fact(reading, name, subject, value);
}

static void put_link(struct ibdiagnet_links *links, const struct ib_link_end *own,
                     const struct ib_link_end *far, const struct ib_link *link, struct reading *reading)
{
    struct arena *arena = reading->arena;
    const char *subject = ib_subject(arena, own->guid, own->port);
    struct slice speed = link->speed;
    double lane;

    if (scan_double(speed, &lane))
        speed = slice_of(arena_printf(arena, "%.*s Gbps", slice_print(speed)));
    put(reading, "ib.link.name", subject, own->name);
    put(reading, "ib.link.node", subject, slice_of(own->node));
    put(reading, "ib.link.lid", subject, own->lid);
    ib_fact(reading, "ib.link.state", subject, link->state);
    ib_fact(reading, "ib.link.physical_state", subject, ib_physical_word(link->physical));
    put(reading, "ib.link.width", subject, link->width);
    put(reading, "ib.link.speed", subject, speed);
    links->count++;
    if (far->guid.length == 0)
        return;
    put(reading, "ib.link.remote", subject, far->name);
    put(reading, "ib.link.remote_port", subject, far->port);
    put(reading, "ib.link.remote_lid", subject, far->lid);
    put(reading, "ib.link.remote_guid", subject, far->guid);
}

/* "ACT", "INI", "ARM", "DWN" */
static bool read_state(struct slice text, struct slice *ret_state)
{
    static const char *const words[][2] = {
        {"ACT", "Active"}, {"ARM", "Armed"}, {"INI", "Initializing"}, {"DWN", "Down"}, {"DOWN", "Down"}};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (slice_equal(text, words[i][0])) {
            *ret_state = slice_of(words[i][1]);
            return true;
        }
    return false;
}

/* "4x" is "4X", as iblinkinfo writes it. */
static struct slice width_of(struct arena *arena, struct slice text)
{
    uint64_t lanes;
    struct slice rest = text;

    if (scan_digits(&rest, &lanes) && slice_equal_nocase(rest, "x"))
        return slice_of(arena_printf(arena, "%lluX", (unsigned long long)lanes));
    return slice_of("");
}

/* --- .lst --- */

/* "NodeGUID:9c63c00300a1b2c8" */
static bool scan_field(struct slice *rest, const char *name, struct slice *ret_value)
{
    struct slice after = *rest, word;

    if (!scan_word(&after, &word) || !scan_text(&word, name) || !scan_text(&word, ":"))
        return false;
    *ret_value = word;
    *rest = after;
    return true;
}

static const char *node_word(struct slice type)
{
    return slice_starts(type, "CA")   ? "CA"
           : slice_starts(type, "SW") ? "Switch"
           : slice_starts(type, "Rt") ? "Router"
                                      : "";
}

/* "{ CA-SM Ports:01 ... {gpu1 mlx5_0} LID:01F4 PN:01 } " */
static bool scan_end(struct arena *arena, struct slice *line, struct ib_link_end *ret_end)
{
    static const char *const fields[] = {"Ports", "SystemGUID", "NodeGUID", "PortGUID",
                                         "VenID", "DevID",      "Rev"};
    struct slice rest = *line, type, values[ARRAY_SIZE(fields)], lid, port;
    unsigned long long guid;
    size_t close;

    if (!scan_text(&rest, "{ ") || !scan_word(&rest, &type))
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
        if (!scan_field(&rest, fields[i], &values[i]))
            return false;
    rest = slice_trim(rest);
    ret_end->name = slice_of("");
    if (scan_text(&rest, "{")) {
        close = slice_find(rest, "} LID:");
        if (close == (size_t)-1)
            return false;
        ret_end->name = slice_trim((struct slice){rest.bytes, close});
        rest = slice_from(rest, close + 1);
    }
    if (!scan_field(&rest, "LID", &lid) || !scan_field(&rest, "PN", &port) ||
        !decimal_of_hex(arena, lid, &ret_end->lid) || !decimal_of_hex(arena, port, &ret_end->port) ||
        !scan_hex(values[2], &guid))
        return false;
    rest = slice_trim(rest);
    if (!scan_text(&rest, "}"))
        return false;
    ret_end->node = node_word(type);
    ret_end->guid = slice_of(arena_printf(arena, "0x%016llx", guid));
    *line = slice_trim(rest);
    return true;
}

bool ib_link_scan(struct arena *arena, struct slice line, struct ib_link *ret_link)
{
    struct slice rest = line, width, state, speed = {"", 0};

    if (!scan_end(arena, &rest, &ret_link->ends[0]) || !scan_end(arena, &rest, &ret_link->ends[1]) ||
        !scan_word(&rest, &width) || !scan_text(&width, "PHY=") || !scan_word(&rest, &state) ||
        !scan_text(&state, "LOG=") || !read_state(state, &ret_link->state))
        return false;
    /* The oldest do not tell the speed. */
    if (scan_word(&rest, &speed) && !scan_text(&speed, "SPD="))
        return false;
    ret_link->width = width_of(arena, width);
    ret_link->physical = slice_of("");
    ret_link->speed = slice_contains(speed, "?") ? slice_of("") : speed;
    return true;
}

static bool read_lst(struct ibdiagnet_links *links, struct slice line, struct reading *reading)
{
    struct ib_link link;
    bool turned;

    if (!ib_link_scan(reading->arena, line, &link))
        return false;
    turned = strcmp(link.ends[0].node, "CA") != 0 && strcmp(link.ends[1].node, "CA") == 0;
    put_link(links, &link.ends[turned], &link.ends[!turned], &link, reading);
    return true;
}

/* --- .net_dump --- */

/* `"MF0;leaf1:MQM9700/U1", Mellanox, 0x9c63c00300d1e2f0, LID 12` */
static bool read_dump_header(struct ibdiagnet_links *links, struct slice line)
{
    struct slice rest = line, name, guid;
    size_t close, comma;

    if (!scan_text(&rest, "\"") || (close = slice_find(rest, "\", ")) == (size_t)-1)
        return false;
    name = (struct slice){rest.bytes, close};
    rest = slice_from(rest, close + strlen("\", "));
    comma = slice_find(rest, ", 0x");
    if (comma == (size_t)-1)
        return false;
    guid = slice_from(rest, comma + 2);
    comma = slice_find(guid, ", LID ");
    if (comma == (size_t)-1)
        return false;
    links->switch_name = slice_trim(name);
    links->switch_lid = slice_trim(slice_from(guid, comma + strlen(", LID ")));
    links->switch_guid = (struct slice){guid.bytes, comma};
    return true;
}

/* Columns are set off by " : "; what stands behind the last is the neighbour's description in quotes. */
static size_t split_columns(struct slice line, struct slice columns[DUMP_COLUMNS])
{
    size_t count = 0, at;

    while (count < DUMP_COLUMNS - 1 && (at = slice_find(line, " :")) != (size_t)-1) {
        columns[count++] = slice_trim((struct slice){line.bytes, at});
        line = slice_from(line, at + strlen(" :"));
    }
    columns[count++] = slice_trim(line);
    return count;
}

static struct slice without_quotes(struct slice text)
{
    return text.length >= 2 && slice_starts(text, "\"") && slice_ends(text, "\"")
               ? slice_trim((struct slice){text.bytes + 1, text.length - 2})
               : text;
}

static bool is_number(struct slice text)
{
    uint64_t number;

    return scan_u64(text, &number);
}

static bool read_dump_row(struct ibdiagnet_links *links, struct slice line, struct reading *reading)
{
    struct slice columns[DUMP_COLUMNS];
    struct ib_link link = {.physical = {"", 0}};
    struct ib_link_end own = {.node = ""}, far = {.node = ""};

    if (links->switch_guid.length == 0 || split_columns(line, columns) != DUMP_COLUMNS ||
        !is_number(columns[1]) || !read_state(columns[2], &link.state))
        return false;
    own = (struct ib_link_end){"", links->switch_guid, links->switch_name, links->switch_lid, columns[1]};
    link.physical = columns[3];
    if (!slice_equal(link.state, "Down")) {
        link.width = width_of(reading->arena, columns[5]);
        link.speed = columns[6];
    }
    if (slice_starts(columns[9], "0x"))
        far = (struct ib_link_end){"", columns[9], without_quotes(columns[12]), columns[11], columns[10]};
    put_link(links, &own, &far, &link, reading);
    return true;
}

/* What stands in such a file and is neither a link nor a heading. */
static bool is_unread(const struct ibdiagnet_links *links, struct slice line)
{
    return (slice_starts(line, "{ ") && slice_contains(line, "NodeGUID:")) ||
           (links->switch_guid.length > 0 && slice_contains(line, " : ") && !slice_starts(line, "#"));
}

bool ibdiagnet_read_link(struct ibdiagnet_links *links, struct slice line, struct reading *reading)
{
    if (read_lst(links, line, reading) || read_dump_header(links, line) ||
        read_dump_row(links, line, reading))
        return true;
    if (!is_unread(links, line))
        return false;
    links->unread = links->unread.length > 0 ? links->unread : line;
    return true;
}
