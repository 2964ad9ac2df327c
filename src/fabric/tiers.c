/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/fabric/tiers.h"

#include <string.h>

bool fabric_is_inside_switch(const struct fabric_node *node)
{
    return node->kind == FABRIC_ADAPTER && strstr(node->name, "Aggregation Node") != NULL;
}

/* The node at the other end of the way; NULL: there is none. */
static const struct fabric_node *beyond(const struct fabric *fabric, uint32_t way, uint32_t *ret_node)
{
    uint32_t far = way == FABRIC_NONE ? FABRIC_NONE : fabric->ports.items[way].far;

    if (far == FABRIC_NONE)
        return NULL;
    *ret_node = fabric->ports.items[far].node;
    return &fabric->nodes.items[*ret_node];
}

static bool has_many_adapters(const struct fabric *fabric, const struct fabric_node *node)
{
    size_t links = 0, adapters = 0;
    uint32_t number;

    for (unsigned i = 1; i < node->port_count; i++) {
        const struct fabric_node *other = beyond(fabric, node->ports[i], &number);

        if (other == NULL || fabric_is_inside_switch(other))
            continue;
        links++;
        adapters += other->kind == FABRIC_ADAPTER;
    }
    return adapters > 0 && (double)adapters >= FABRIC_LEAF_SHARE * (double)links;
}

struct queue {
    uint32_t *nodes;
    size_t first, count;
};

static void find_leaves(const struct fabric *fabric, const uint32_t *ports, size_t count, uint8_t *levels,
                        struct queue *queue)
{
    uint32_t leaf;

    for (size_t i = 0; i < count; i++)
        if (beyond(fabric, ports[i], &leaf) != NULL && fabric->nodes.items[leaf].kind == FABRIC_SWITCH)
            levels[leaf] = FABRIC_LEVEL_LEAF;
    for (uint32_t i = 0; i < fabric->nodes.count; i++) {
        const struct fabric_node *node = &fabric->nodes.items[i];

        if (node->kind == FABRIC_ADAPTER)
            levels[i] = FABRIC_LEVEL_HOST;
        else if (has_many_adapters(fabric, node))
            levels[i] = FABRIC_LEVEL_LEAF;
        if (levels[i] == FABRIC_LEVEL_LEAF)
            queue->nodes[queue->count++] = i;
    }
}

const uint8_t *fabric_find_levels(struct arena *arena, const struct fabric *fabric, const uint32_t *ports,
                                  size_t count)
{
    uint8_t *levels = arena_array(arena, uint8_t, fabric->nodes.count);
    struct queue queue = {.nodes = arena_array(arena, uint32_t, fabric->nodes.count)};
    uint32_t other;

    for (size_t i = 0; i < fabric->nodes.count; i++)
        levels[i] = FABRIC_LEVEL_UNKNOWN;
    find_leaves(fabric, ports, count, levels, &queue);
    for (; queue.first < queue.count; queue.first++) {
        const struct fabric_node *node = &fabric->nodes.items[queue.nodes[queue.first]];

        for (unsigned i = 1; i < node->port_count; i++)
            if (beyond(fabric, node->ports[i], &other) != NULL && levels[other] == FABRIC_LEVEL_UNKNOWN &&
                levels[queue.nodes[queue.first]] + 1 < FABRIC_LEVEL_UNKNOWN) {
                levels[other] = levels[queue.nodes[queue.first]] + 1;
                queue.nodes[queue.count++] = other;
            }
    }
    return levels;
}

static void add_above(struct queue *queue, bool *queued, uint32_t node)
{
    if (!queued[node])
        queue->nodes[queue->count++] = node;
    queued[node] = true;
}

const bool *fabric_find_above(struct arena *arena, const struct fabric *fabric, const uint8_t *levels,
                              const uint32_t *ports, size_t count)
{
    bool *above = arena_array(arena, bool, fabric->ports.count);
    bool *queued = arena_array(arena, bool, fabric->nodes.count);
    struct queue queue = {.nodes = arena_array(arena, uint32_t, fabric->nodes.count)};
    uint32_t other;

    for (size_t i = 0; i < count; i++)
        if (ports[i] != FABRIC_NONE)
            add_above(&queue, queued, fabric->ports.items[ports[i]].node);
    for (; queue.first < queue.count; queue.first++) {
        uint32_t number = queue.nodes[queue.first];
        const struct fabric_node *node = &fabric->nodes.items[number];

        for (unsigned i = 1; i < node->port_count; i++)
            if (beyond(fabric, node->ports[i], &other) != NULL && levels[other] >= levels[number]) {
                above[node->ports[i]] = above[fabric->ports.items[node->ports[i]].far] = true;
                add_above(&queue, queued, other);
            }
    }
    return above;
}
