/* SPDX-License-Identifier: Apache-2.0 */
/* scontrol show nodes, scontrol show topology and topology.conf: lines of KEY=VALUE; a record goes on to the next. */
#include "inventory_private.h"

#include <string.h>

#include "assay/model/reading.h"

/* The value of a key that stands at the line's beginning or behind a blank, up to the next blank. */
static bool value_of(struct slice line, const char *key, struct slice *ret_value)
{
    for (struct slice rest = line; rest.length > 0;) {
        size_t at = slice_find(rest, key), length = 0;

        if (at == (size_t)-1)
            return false;
        if (rest.bytes + at > line.bytes && strchr(" \t", rest.bytes[at - 1]) == NULL) {
            rest = slice_from(rest, at + 1);
            continue;
        }
        *ret_value = slice_from(rest, at + strlen(key));
        while (length < ret_value->length && strchr(" \t\r", ret_value->bytes[length]) == NULL)
            length++;
        ret_value->length = length;
        return length > 0 && !slice_equal(*ret_value, "(null)");
    }
    return false;
}

/* "Reason=fans are broken [ops@2026-01-02T03:04:05]", to the end of the line or that bracket's. */
static const char *reason_of(struct arena *arena, struct slice line)
{
    size_t at = slice_find(line, "Reason="), end;
    struct slice rest;

    if (at == (size_t)-1)
        return "";
    rest = slice_from(line, at + strlen("Reason="));
    end = slice_find(rest, "]");
    if (end != (size_t)-1)
        rest.length = end + 1;
    return utf8_clean(arena, slice_trim(rest));
}

/* One of "gpu:h100:8(S:0-1)", "gpu:8", "gpu:tesla:2(S:0,2)", "npu:16", "mps:100": commas in brackets belong to it. */
static struct slice take_gres(struct slice *rest)
{
    size_t depth = 0, length = 0;
    struct slice taken;

    while (length < rest->length && (depth > 0 || rest->bytes[length] != ',')) {
        depth += rest->bytes[length] == '(';
        depth -= depth > 0 && rest->bytes[length] == ')';
        length++;
    }
    taken = (struct slice){rest->bytes, length};
    *rest = slice_from(*rest, length + 1);
    return taken;
}

static void add_gres(struct arena *arena, struct inventory_node *node, struct slice one)
{
    size_t bracket = slice_find(one, "("), colon;
    struct slice kind, count = one;
    uint64_t number;

    if (bracket != (size_t)-1)
        one.length = count.length = bracket;
    if (!scan_text(&one, "gpu:") && !scan_text(&one, "npu:"))
        return;
    count = one;
    kind = (struct slice){one.bytes, 0};
    while ((colon = slice_find(count, ":")) != (size_t)-1) {
        kind.length = (size_t)(count.bytes - one.bytes) + colon;
        count = slice_from(count, colon + 1);
    }
    if (!scan_u64(count, &number) || number == 0 || number > 4096)
        return;
    if (node->accelerators > 0)
        node->mixed = true;
    node->accelerators += (unsigned)number;
    if (kind.length > 0)
        node->product = utf8_clean(arena, kind);
}

/* What a state says beside whether jobs run there; "*": it does not answer. */
static bool is_fit(struct slice state)
{
    static const char *const fit[] = {"IDLE",     "ALLOCATED", "MIXED",        "COMPLETING", "CLOUD",
                                      "RESERVED", "PLANNED",   "DYNAMIC_NORM", NULL};

    while (state.length > 0) {
        size_t plus = slice_find(state, "+"), i = 0;
        struct slice word = {state.bytes, plus != (size_t)-1 ? plus : state.length};

        while (fit[i] != NULL && !slice_equal(word, fit[i]))
            i++;
        if (fit[i] == NULL)
            return false;
        state = slice_from(state, word.length + 1);
    }
    return true;
}

static void read_state(struct arena *arena, struct inventory_node *node, struct slice state)
{
    if (slice_contains(state, "FUTURE"))
        node->left_out = "does not exist yet (FUTURE)";
    else if (!is_fit(state))
        node->trouble = utf8_clean(arena, state);
}

static void read_node_line(struct arena *arena, struct inventory *inventory, struct inventory_node *node,
                           struct slice line)
{
    const char *reason = reason_of(arena, line);
    struct slice value;

    if (value_of(line, "NodeAddr=", &value) && !slice_equal(value, node->name))
        node->address = utf8_clean(arena, value);
    if (value_of(line, "Gres=", &value))
        while (value.length > 0)
            add_gres(arena, node, take_gres(&value));
    if (value_of(line, "State=", &value))
        read_state(arena, node, value);
    if (value_of(line, "Partitions=", &value))
        node->partition = utf8_clean(arena, value);
    if (inventory->keys.unit != NULL && strcmp(inventory->keys.unit, "partition") == 0)
        node->unit = node->partition;
    if (*reason != '\0' && node->trouble != NULL)
        node->trouble = arena_printf(arena, "%s: %s", node->trouble, reason);
}

static void place_nodes(struct arena *arena, struct inventory *inventory, struct slice list, const char *leaf,
                        const char *block)
{
    const char *text = utf8_clean(arena, list);
    struct hostlist names = {0};
    struct error err = {0};

    if (hostlist_expand(arena, text, &names, &err) < 0) {
        inventory_remark(arena, inventory, "topology: '%s' is not a list of nodes: %s", text, err.text);
        return;
    }
    for (size_t i = 0; i < names.names.count; i++)
        *list_push(arena, &inventory->places) = (struct inventory_place){names.names.items[i], leaf, block};
}

/* A switch without switches below it is a leaf; a block is what NVLink joins. */
static bool read_topology_line(struct arena *arena, struct inventory *inventory, struct slice line)
{
    struct slice name, nodes, below;

    if (value_of(line, "SwitchName=", &name)) {
        if (!value_of(line, "Switches=", &below) && value_of(line, "Nodes=", &nodes))
            place_nodes(arena, inventory, nodes, utf8_clean(arena, name), NULL);
        return true;
    }
    if (value_of(line, "BlockName=", &name)) {
        if (value_of(line, "Nodes=", &nodes))
            place_nodes(arena, inventory, nodes, NULL, utf8_clean(arena, name));
        return true;
    }
    return false;
}

bool inventory_slurm(struct arena *arena, struct inventory *inventory, struct slice bytes)
{
    const char *node = NULL;
    bool any = false;

    while (bytes.length > 0) {
        size_t end = slice_find(bytes, "\n");
        struct slice line = {bytes.bytes, end != (size_t)-1 ? end : bytes.length}, name;

        bytes = slice_from(bytes, line.length + 1);
        line = slice_trim(line);
        if (line.length == 0 || line.bytes[0] == '#')
            continue;
        if (slice_starts(line, "NodeName=") && value_of(line, "NodeName=", &name)) {
            node = utf8_clean(arena, name);
            inventory_node(arena, inventory, node)->counted = true;
        }
        if (read_topology_line(arena, inventory, line))
            any = true;
        else if (node != NULL)
            read_node_line(arena, inventory, inventory_node(arena, inventory, node), line);
    }
    return any || node != NULL;
}
