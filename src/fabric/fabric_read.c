/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links and routes from files.
 *
 *   osm_ucast_mgr_dump_ucast_routes: Switch 0x9c63c00300d1e2f0        ibdiagnet2.fdbs, opensm.fdbs
 *   LID    : Port : Hops : Optimal
 *   0x0002 : 003  : 00   : yes
 *   0x0003 : UNREACHABLE
 *
 *   Unicast lids [0x0-0x5] of switch Lid 1 guid 0x9c63c00300d1e2f0 (leaf1):        dump_fts, ibroute
 *     Lid  Out   Destination
 *          Port     Info
 *   0x0002 003 : (Channel Adapter portguid 0x...: 'gpu1 mlx5_0')
 *   4 valid lids dumped
 */
#include <stdlib.h>
#include <string.h>

#include "assay/fabric/fabric.h"
#include "assay/parse/ib_links.h"

struct lines {
    struct fabric *fabric;
    const char *file;
    unsigned number; /* of the line that is read */
    struct slice line;
    struct error *err;
};

static int refuse(const struct lines *lines, const char *what)
{
    return error_set(lines->err, ERROR_USAGE, "%s:%u: %s: '%.*s'", lines->file, lines->number, what,
                     (int)(lines->line.length < 120 ? lines->line.length : 120), lines->line.bytes);
}

static bool scan_hexadecimal(struct slice text, uint64_t *ret_value)
{
    char digits[20] = "", *end;

    if (!scan_text(&text, "0x") || text.length == 0 || text.length > 16)
        return false;
    memcpy(digits, text.bytes, text.length);
    if (strspn(digits, "0123456789abcdefABCDEF") != text.length)
        return false;
    *ret_value = strtoull(digits, &end, 16);
    return true;
}

/* --- links --- */

static int take_end(const struct lines *lines, const struct ib_link_end *end, uint32_t *ret_port)
{
    struct fabric *fabric = lines->fabric;
    bool adapter = strcmp(end->node, "CA") == 0;
    uint64_t guid, number, lid;
    uint32_t node, taken;

    if (!scan_hexadecimal(end->guid, &guid) || !scan_u64(end->port, &number) || number == 0 ||
        number > FABRIC_PORTS_MAX || !scan_u64(end->lid, &lid))
        return refuse(lines, "expected a GUID, a LID and a port of 1 to 254 at both ends of the link");
    node = fabric_add_node(fabric, adapter ? FABRIC_ADAPTER : FABRIC_SWITCH, guid,
                           arena_strndup(fabric->arena, end->name.bytes, end->name.length));
    if ((fabric->nodes.items[node].kind == FABRIC_ADAPTER) != adapter)
        return refuse(lines, "the node is an adapter in one line and a switch in another");
    fabric->nodes.items[node].device = end->device;
    *ret_port = fabric_add_port(fabric, node, (unsigned)number);
    if (lid == 0 || lid > FABRIC_LID_MAX)
        return 0;
    if (!adapter) {
        fabric->nodes.items[node].lid = (uint16_t)lid;
        fabric->switch_by_lid[lid] = node;
        return 0;
    }
    taken = fabric->by_lid[lid];
    if (taken != FABRIC_NONE && taken != *ret_port)
        return refuse(lines, "another port has that LID");
    fabric_set_lid(fabric, *ret_port, (unsigned)lid);
    return 0;
}

/* 4X of 100 are 400. */
static double rate_of(const struct ib_link *link)
{
    struct slice rest = link->width;
    uint64_t lanes;
    double lane;

    return scan_digits(&rest, &lanes) && scan_double(link->speed, &lane) ? (double)lanes * lane : 0;
}

static int take_link(const struct lines *lines, const struct ib_link *link)
{
    struct fabric *fabric = lines->fabric;
    struct fabric_port *ports;
    uint32_t at[2];

    if (strcmp(link->ends[0].node, "Router") == 0 || strcmp(link->ends[1].node, "Router") == 0)
        return 0;
    if (take_end(lines, &link->ends[0], &at[0]) < 0 || take_end(lines, &link->ends[1], &at[1]) < 0)
        return -1;
    ports = fabric->ports.items;
    if (ports[at[0]].far == at[1])
        return 0; /* the file has it from both of its ends */
    if (ports[at[0]].far != FABRIC_NONE || ports[at[1]].far != FABRIC_NONE || at[0] == at[1])
        return refuse(lines, "a port has one link, and this one has another already");
    fabric_join(fabric, at[0], at[1], rate_of(link));
    ports[at[0]].inactive = ports[at[1]].inactive = !slice_equal(link->state, "Active");
    return 0;
}

static bool next_line(struct lines *lines, struct slice *text)
{
    if (!scan_line(text, &lines->line))
        return false;
    lines->line = slice_trim(lines->line);
    lines->number++;
    return true;
}

/* What nothing ends is a line that was cut. */
static int end_of(struct lines *lines, struct slice rest, size_t found, const char *expected)
{
    if (slice_trim(rest).length > 0) {
        lines->number++;
        lines->line = slice_trim(rest);
        return refuse(lines, "the file breaks off in this line");
    }
    return found > 0 ? 0
                     : error_set(lines->err, ERROR_USAGE, "%s: nothing in it is %s", lines->file, expected);
}

int fabric_read_links(struct fabric *fabric, const char *file, struct slice text, struct error *err)
{
    struct lines lines = {.fabric = fabric, .file = file, .err = err};
    struct ib_link link;

    while (next_line(&lines, &text)) {
        if (lines.line.length == 0 || slice_starts(lines.line, "#"))
            continue;
        if (!ib_link_scan(fabric->arena, lines.line, &link))
            return refuse(&lines,
                          "expected a link as ibdiagnet2.lst has them, { CA ... } { SW ... } PHY=4x LOG=ACT "
                          "SPD=100");
        if (take_link(&lines, &link) < 0)
            return -1;
    }
    return end_of(&lines, text, fabric->links, "a link as ibdiagnet2.lst has them");
}

/* --- routes --- */

struct tables {
    struct lines lines;
    uint32_t node; /* whose table is read; FABRIC_NONE */
    size_t rows;   /* of it */
    size_t tables;
};

/* "Switch 0x9c63c00300d1e2f0", "guid 0x9c63c00300d1e2f0 (leaf1):". 1: the line begins a table. */
static int read_header(struct tables *tables)
{
    struct slice rest = tables->lines.line, word;
    uint64_t guid;

    if (!scan_past(&rest, "dump_ucast_routes: Switch ") &&
        !(slice_starts(rest, "Unicast lids ") && scan_past(&rest, " guid ")))
        return 0;
    if (!scan_word(&rest, &word) || !scan_hexadecimal(word, &guid))
        return refuse(&tables->lines, "expected the switch's GUID");
    tables->node = fabric_find_node(tables->lines.fabric, guid);
    if (tables->node == FABRIC_NONE || tables->lines.fabric->nodes.items[tables->node].kind != FABRIC_SWITCH)
        return refuse(&tables->lines, "no link goes to that switch in the file of links");
    tables->rows = 0;
    tables->tables++;
    return 1;
}

/* "4 valid lids dumped" closes a table of dump_fts. 1: it is that. */
static int read_closing(struct tables *tables)
{
    struct slice rest = tables->lines.line;
    uint64_t count;

    if (!scan_digits(&rest, &count) || !slice_starts(rest, " valid lids dumped"))
        return 0;
    if (count != tables->rows)
        return refuse(&tables->lines, "the table above has another number of LIDs");
    tables->node = FABRIC_NONE;
    return 1;
}

static bool is_heading(struct slice line)
{
    return line.length == 0 || slice_starts_one(line, "#", "LID ", "Lid ", "Port ") ||
           slice_equal(line, "PLFT_NUM: 0");
}

/* "0x0002 : 003  : 00   : yes", "0x0002 003 : (Channel Adapter ...)", "0x0003 : UNREACHABLE" */
static int read_row(struct tables *tables)
{
    struct slice rest = tables->lines.line, word;
    uint64_t lid, port;

    if (slice_starts(rest, "PLFT_NUM:"))
        return refuse(&tables->lines, "a switch with several tables: which of them a flow takes is not told");
    if (tables->node == FABRIC_NONE || !scan_word(&rest, &word) || !scan_hexadecimal(word, &lid) ||
        lid > UINT16_MAX || !scan_word(&rest, &word) || (slice_equal(word, ":") && !scan_word(&rest, &word)))
        return refuse(&tables->lines, "expected a LID and a port of a forwarding table");
    if (slice_equal(word, "UNREACHABLE"))
        return 0;
    if (!scan_u64(word, &port) || port > UINT8_MAX)
        return refuse(&tables->lines, "expected a port from 0 to 255");
    tables->rows++;
    if (lid > 0 && lid <= FABRIC_LID_MAX)
        fabric_set_route(tables->lines.fabric, tables->node, (unsigned)lid, (unsigned)port);
    return 0;
}

int fabric_read_routes(struct fabric *fabric, const char *file, struct slice text, struct error *err)
{
    struct tables tables = {.lines = {.fabric = fabric, .file = file, .err = err}, .node = FABRIC_NONE};

    while (next_line(&tables.lines, &text)) {
        int taken = is_heading(tables.lines.line) ? 1 : read_header(&tables);

        if (taken == 0)
            taken = read_closing(&tables);
        if (taken < 0 || (taken == 0 && read_row(&tables) < 0))
            return -1;
    }
    return end_of(&tables.lines, text, tables.tables, "a forwarding table of ibdiagnet2.fdbs or dump_fts");
}

size_t fabric_without_routes(const struct fabric *fabric)
{
    size_t count = 0;

    for (size_t i = 0; i < fabric->nodes.count; i++)
        count += fabric->nodes.items[i].kind == FABRIC_SWITCH && fabric->nodes.items[i].routes == NULL;
    return count;
}
