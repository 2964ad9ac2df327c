/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iblinkinfo, also -l (all of a link on one line): what is connected to what.
 *
 * subject "NODE/PORT" with the node's description as the fabric knows it: "gpu1 mlx5_0/1", "MF0;leaf3:MQM9700/U1/12"
 * facts   ib.link.node ("CA", "Switch", "Router"; not with -l), .guid, .lid
 *         ib.link.state, .physical_state (words of ib_port.h), .width ("4X"), .speed ("106.25 Gbps"), of a link
 *         that is not down
 *         ib.link.remote (its description), .remote_port, .remote_lid, .remote_guid (-l)
 * finding ib.link_below  warning: the tool says that the link could be wider or faster
 *         ib.warning     warning: the tool's own (ibwarn)
 *
 * The listing has no closing: of one cut between two lines all that stands there is true.
 */
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"
#include "ib_port.h"
#include "shell_words.h"

struct listing {
    struct frame frame;
    struct slice node, type, guid; /* of the header */
    size_t links;
};

static void add(struct listing *listing, const char *name, const char *subject, struct slice value)
{
    value = slice_trim(value);
    if (value.length > 0)
        reading_fact(listing->frame.reading, name, subject, value);
}

/* "CA: gpu1 mlx5_0:", "Switch: 0x9c63c00300d1e2f0 MF0;leaf3:MQM9700/U1:" */
static bool read_header(struct listing *listing, struct slice line)
{
    static const char *const types[] = {"CA", "Switch", "Router", "??"};

    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        struct slice rest = line, after, word;

        if (!scan_text(&rest, types[i]) || !scan_text(&rest, ": ") || !slice_ends(rest, ":"))
            continue;
        rest.length--;
        listing->type = slice_of(types[i]);
        listing->guid = slice_of("");
        after = rest;
        if (scan_word(&after, &word) && slice_starts(word, "0x")) {
            listing->guid = word;
            rest = after;
        }
        listing->node = slice_trim(rest);
        return true;
    }
    return false;
}

/* What stands between the quotes, and what is behind them. */
static bool take_quoted(struct slice *text, struct slice *ret_name)
{
    size_t open = slice_find(*text, "\""), close;
    struct slice rest;

    if (open == (size_t)-1)
        return false;
    rest = slice_from(*text, open + 1);
    close = slice_find(rest, "\"");
    if (close == (size_t)-1)
        return false;
    *ret_name = slice_trim((struct slice){rest.bytes, close});
    *text = slice_from(rest, close + 1);
    return true;
}

struct end {
    struct slice guid, name, lid, port;
};

/* `0x9c63c00300a1b2c8 "gpu1 mlx5_0"    341    1[  ]`: all but the port may be missing. */
static bool read_end(struct slice text, struct end *ret_end)
{
    struct slice rest = text, word, name = {"", 0};
    uint64_t port;
    size_t open = text.length;

    *ret_end = (struct end){.guid = {"", 0}, .name = {"", 0}, .lid = {"", 0}, .port = {"", 0}};
    if (scan_word(&rest, &word) && slice_starts(word, "0x"))
        ret_end->guid = word;
    rest = text;
    if (take_quoted(&rest, &name)) {
        ret_end->name = name;
        text = rest;
        open = text.length;
    }
    while (open > 0 && text.bytes[open - 1] != '[')
        open--;
    if (open == 0)
        return false;
    text.length = open - 1;
    while (scan_word(&text, &word)) {
        if (slice_starts(word, "0x"))
            continue;
        ret_end->lid = ret_end->port;
        ret_end->port = word;
    }
    return ret_end->port.length > 0 && scan_u64(ret_end->port, &port);
}

/* " 4X        106.25 Gbps Active/  LinkUp", "                Down/ Polling" */
static void read_state(struct listing *listing, const char *subject, struct slice text)
{
    size_t slash = slice_find(text, "/"), length;
    struct slice state, physical, width, speed = {text.bytes, slash};

    if (slash == (size_t)-1)
        return;
    length = slash;
    while (length > 0 && speed.bytes[length - 1] != ' ' && speed.bytes[length - 1] != '\t')
        length--;
    state = slice_from(speed, length);
    speed.length = length;
    physical = slice_trim(slice_from(text, slash + 1));
    for (length = 0; length < physical.length && strchr(" )(", physical.bytes[length]) == NULL;)
        length++;
    physical.length = length;
    ib_fact(listing->frame.reading, "ib.link.state", subject, ib_state_word(state));
    ib_fact(listing->frame.reading, "ib.link.physical_state", subject, ib_physical_word(physical));
    if (!scan_word(&speed, &width))
        return;
    add(listing, "ib.link.width", subject, width);
    add(listing, "ib.link.speed", subject, speed);
}

static void read_remote(struct listing *listing, const char *subject, struct slice text)
{
    struct slice rest = text, name;
    struct end remote;

    if (!take_quoted(&rest, &name) || name.length == 0 || slice_equal(name, "Port not available"))
        return;
    add(listing, "ib.link.remote", subject, name);
    /* What stands before the name. */
    if (read_end((struct slice){text.bytes, slice_find(text, "\"")}, &remote)) {
        add(listing, "ib.link.remote_port", subject, remote.port);
        add(listing, "ib.link.remote_lid", subject, remote.lid);
        add(listing, "ib.link.remote_guid", subject, remote.guid);
    }
    if (slice_contains(rest, "Could be"))
        reading_finding(listing->frame.reading, SEVERITY_WARNING, "ib.link_below", subject,
                        reason(listing->frame.reading->arena, link_to_neighbour, name, slice_trim(rest)));
}

static bool read_link(struct listing *listing, struct slice line)
{
    static const char open[] = "==(", close[] = ")==>";
    size_t at = slice_find(line, open), end_at = slice_find(line, close);
    struct slice node = listing->node;
    const char *subject;
    struct end local;

    if (at == (size_t)-1 || end_at == (size_t)-1 || end_at < at ||
        !read_end((struct slice){line.bytes, at}, &local))
        return false;
    if (local.name.length > 0)
        node = local.name;
    if (node.length == 0)
        return false;
    subject = ib_subject(listing->frame.reading->arena, node, local.port);
    if (local.name.length == 0)
        add(listing, "ib.link.node", subject, listing->type);
    add(listing, "ib.link.guid", subject, local.guid.length > 0 ? local.guid : listing->guid);
    add(listing, "ib.link.lid", subject, local.lid);
    read_state(listing, subject, (struct slice){line.bytes + at + strlen(open), end_at - at - strlen(open)});
    read_remote(listing, subject, slice_from(line, end_at + strlen(close)));
    listing->links++;
    return true;
}

static bool is_trouble(struct slice line)
{
    return slice_starts(line, "ibpanic:") || slice_contains(line, "iberror:") ||
           slice_contains(line, "discover failed") || slice_starts(line, "Failed to ") ||
           is_shell_trouble(line);
}

static void read_line(void *state, struct slice line)
{
    struct listing *listing = state;

    if (read_link(listing, line) || read_header(listing, line))
        return;
    if (is_trouble(line))
        frame_fail(&listing->frame, line);
    else if (slice_starts(line, "ibwarn:"))
        reading_finding(listing->frame.reading, SEVERITY_WARNING, "ib.warning", "",
                        reason(listing->frame.reading->arena, text, line));
}

static void end(void *state)
{
    struct listing *listing = state;

    if (listing->links == 0)
        frame_strange(&listing->frame);
    frame_lacks_end(&listing->frame);
}

const struct parser parse_iblinkinfo = {
    .name = "iblinkinfo",
    .version = 1,
    .summary = "iblinkinfo: the links of an InfiniBand fabric, what is connected to what",
    .grammar = GRAMMAR(.state_bytes = sizeof(struct listing), .line = read_line, .end = end),
};
