/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rdma tool of iproute2: `rdma link`, also -d and -j, `rdma statistic` and `rdma dev`; and ibdev2netdev.
 *
 * subject "mlx5_0" for an HCA, "mlx5_0/1" for a port
 * facts   ib.state, ib.physical_state (words of ib_port.h), ib.netdev, ib.lid, ib.sm_lid, ib.subnet_prefix
 *         ib.netdev.link "Up", "Down" (ibdev2netdev); ib.firmware, ib.node_guid, ib.system_guid (dev)
 *         ib.counter.NAME.exact  all digits of a counter beyond 2^53, which the measurement rounds
 * metric  ib.counter.NAME  of `rdma statistic`
 * finding ib.port_not_active  info
 *
 * None of these lists has a closing (JSON has). A port that is listed again by the same command begins another run.
 */
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"
#include "ib_port.h"
#include "loose_json.h"
#include "shell_words.h"

struct listing {
    struct frame frame;
    size_t entries;
};

static const struct field {
    const char *key, *fact;
} fields[] = {
    {"state", "ib.state"},
    {"physical_state", "ib.physical_state"},
    {"netdev", "ib.netdev"},
    {"lid", "ib.lid"},
    {"sm_lid", "ib.sm_lid"},
    {"subnet_prefix", "ib.subnet_prefix"},
    {"fw", "ib.firmware"},
    {"node_guid", "ib.node_guid"},
    {"sys_image_guid", "ib.system_guid"},
};

/* Words with a value that is neither a fact of ours nor a counter. */
static bool is_ignored(struct slice key)
{
    static const char *const words[] = {"lmc",       "netdev_index",
                                        "ifindex",   "port",
                                        "node_type", "type",
                                        "protocol",  "adaptive-moderation",
                                        "index",     "privileged-qkey",
                                        "netns",     "parent",
                                        NULL};

    for (size_t i = 0; words[i] != NULL; i++)
        if (slice_equal(key, words[i]))
            return true;
    return false;
}

static bool has_statement(const struct reading *reading, const char *name, const char *subject)
{
    if (reading_get_fact(reading, name, subject) != NULL)
        return true;
    for (size_t i = 0; i < reading->measurements.count; i++)
        if (strcmp(reading->measurements.items[i].metric, name) == 0 &&
            strcmp(reading->measurements.items[i].subject, subject) == 0)
            return true;
    return false;
}

/* What is about to be said has been said of that subject already. */
static void need_run(struct listing *listing, const char *name, const char *subject)
{
    if (!frame_has_run(&listing->frame) || has_statement(listing->frame.reading, name, subject))
        frame_begin_run(&listing->frame);
}

/* False when the pair says nothing of ours. first: no pair of the entry did yet. */
static bool read_pair(struct listing *listing, const char *subject, struct slice key, struct slice value,
                      bool first)
{
    struct arena *arena = listing->frame.all->arena;
    uint64_t number;

    for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
        if (slice_equal(key, fields[i].key)) {
            if (first)
                need_run(listing, fields[i].fact, subject);
            ib_fact(listing->frame.reading, fields[i].fact, subject, value);
            return true;
        }
    if (is_ignored(key) || !ib_is_device(key) || !scan_u64(value, &number))
        return false;
    if (first)
        need_run(listing, arena_printf(arena, "ib.counter.%s", utf8_clean(arena, key)), subject);
    return ib_counter(listing->frame.reading, "ib.counter.", key, subject, value);
}

static void find_down(struct listing *listing, const char *subject)
{
    const char *state = reading_get_fact(listing->frame.reading, "ib.state", subject);
    const char *physical = reading_get_fact(listing->frame.reading, "ib.physical_state", subject);

    if (state != NULL)
        ib_port_finding(listing->frame.reading, subject, slice_of(state),
                        physical != NULL ? slice_of(physical) : slice_of(""));
}

/* "state DOWN physical_state DISABLED netdev ens7f0np0" */
static void read_pairs(struct listing *listing, const char *subject, struct slice rest)
{
    struct slice key, value;
    bool first = true;

    while (scan_word(&rest, &key) && scan_word(&rest, &value))
        first = !read_pair(listing, subject, key, value, first) && first;
    if (first)
        return;
    listing->entries++;
    find_down(listing, subject);
}

/* "mlx5_0/1" */
static bool is_port(struct slice word)
{
    size_t slash = slice_find(word, "/");
    uint64_t port;

    return slash != (size_t)-1 && ib_is_device((struct slice){word.bytes, slash}) &&
           scan_u64(slice_from(word, slash + 1), &port);
}

/* "link mlx5_0/1 state ...", "1/1: mlx5_0/1: state ...", "0: mlx5_0: node_type ca fw ..." */
static bool read_link(struct listing *listing, struct slice line)
{
    struct slice rest = line, name;
    bool is_new = scan_text(&rest, "link ") || scan_text(&rest, "dev ");
    uint64_t index;

    if (!is_new) {
        if (!scan_digits(&rest, &index) || (scan_text(&rest, "/") && !scan_digits(&rest, &index)) ||
            !scan_text(&rest, ": "))
            return false;
    }
    if (!scan_word(&rest, &name))
        return false;
    if (slice_ends(name, ":"))
        name.length--;
    else if (!is_new)
        return false;
    /* Other tools number their lists like this too. */
    if (!is_port(name) && (!ib_is_device(name) || !slice_starts(slice_trim(rest), "node_type ")))
        return false;
    read_pairs(listing, utf8_clean(listing->frame.all->arena, name), rest);
    return true;
}

/* "mlx5_0 port 1 ==> ens7f0np0 (Up)"; -v writes more before the arrow. */
static bool read_ibdev2netdev(struct listing *listing, struct slice line)
{
    static const char arrow[] = " ==> ", mark[] = " port ";
    size_t at = slice_find(line, arrow), port_at = slice_find(line, mark);
    struct slice device, number, netdev, rest, word;
    const char *subject;
    uint64_t port;

    if (at == (size_t)-1 || port_at == (size_t)-1 || port_at > at)
        return false;
    rest = line;
    if (!scan_word(&rest, &device))
        return false;
    /* -v begins with the PCI address. */
    if (slice_contains(device, ":") && !scan_word(&rest, &device))
        return false;
    rest = slice_from(line, port_at + strlen(mark));
    if (!ib_is_device(device) || !scan_word(&rest, &number) || !scan_u64(number, &port))
        return false;
    rest = slice_from(line, at + strlen(arrow));
    if (!scan_word(&rest, &netdev))
        return false;
    subject = ib_subject(listing->frame.all->arena, device, number);
    need_run(listing, "ib.netdev.link", subject);
    if (reading_get_fact(listing->frame.reading, "ib.netdev", subject) == NULL)
        ib_fact(listing->frame.reading, "ib.netdev", subject, netdev);
    if (scan_word(&rest, &word) && slice_starts(word, "(") && slice_ends(word, ")"))
        reading_fact(listing->frame.reading, "ib.netdev.link", subject,
                     (struct slice){word.bytes + 1, word.length - 2});
    listing->entries++;
    return true;
}

static void read_line(void *state, struct slice line)
{
    struct listing *listing = state;

    if (read_link(listing, line) || read_ibdev2netdev(listing, line))
        return;
    if (slice_starts_one(line, "Error:", "Unknown object", "Wrong device", "error:") ||
        is_shell_trouble(line))
        frame_fail(&listing->frame, line);
}

/* --- JSON --- */

/* [{"ifindex": 0, "ifname": "mlx5_0", "port": 1, "state": "ACTIVE", ...}] */
static void read_object(struct listing *listing, const struct json *object)
{
    struct arena *arena = listing->frame.all->arena;
    const char *name = json_string(object, "ifname", NULL), *subject = name;
    double port = json_number(object, "port", -1);
    bool first = true;
    char number[32];

    if (name == NULL)
        return;
    if (port >= 0 && strchr(name, '/') == NULL)
        subject = arena_printf(arena, "%s/%.0f", name, port);
    json_each (member, object) {
        struct slice value = slice_of("");

        if (strcmp(member->key, "ifname") == 0 || is_ignored(slice_of(member->key)))
            continue;
        if (member->type == JSON_STRING)
            value = slice_of(member->string);
        else if (member->type == JSON_NUMBER)
            value = slice_of(arena_strdup(arena, number_text(member->number, number, sizeof number)));
        if (value.length == 0)
            continue;
        first = !read_pair(listing, subject, slice_of(member->key), value, first) && first;
    }
    if (first)
        return;
    listing->entries++;
    find_down(listing, subject);
}

static bool read_json(void *state, struct slice bytes)
{
    struct listing *listing = state;
    struct slice text;
    const struct json *root;

    if (!slice_contains(bytes, "\"ifname\""))
        return false;
    text = json_document(listing->frame.all->arena, bytes);
    if (!slice_starts(text, "["))
        return false;
    root = json_read(listing->frame.reading, "rdma", text);
    json_each (object, root)
        read_object(listing, object);
    if (root != NULL && listing->entries == 0)
        reading_strange(listing->frame.reading, REASON(no_port_listed));
    return true;
}

static void end(void *state)
{
    struct listing *listing = state;

    if (listing->entries == 0 && listing->frame.reading->status == READING_COMPLETE)
        frame_strange(&listing->frame);
    frame_lacks_end(&listing->frame);
}

const struct parser parse_rdma_link = {
    .name = "rdma-link",
    .version = 1,
    .summary = "rdma link, statistic and dev of iproute2, and ibdev2netdev",
    .metrics = METRICS(
        {"ib.counter.*", "", BETTER_NEITHER, "a counter of the port, by the name that the tool gives it"}),
    .grammar =
        GRAMMAR(.state_bytes = sizeof(struct listing), .document = read_json, .line = read_line, .end = end),
};
