/* SPDX-License-Identifier: Apache-2.0 */
#include "ibdiagnet_links.h"

#include <string.h>

#include "assay/parse/ib_links.h"
#include "ib_link_words.h"
#include "ib_port.h"

enum { DUMP_COLUMNS = 13 };

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

/* --- .lst --- */

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
        !is_number(columns[1]) || !ib_link_state(columns[2], &link.state))
        return false;
    own = (struct ib_link_end){"", links->switch_guid, links->switch_name, links->switch_lid, columns[1], 0};
    link.physical = columns[3];
    if (!slice_equal(link.state, "Down")) {
        link.width = ib_link_width(reading->arena, columns[5]);
        link.speed = columns[6];
    }
    if (slice_starts(columns[9], "0x"))
        far = (struct ib_link_end){"", columns[9], without_quotes(columns[12]), columns[11], columns[10], 0};
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
