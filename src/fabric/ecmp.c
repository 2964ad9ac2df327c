/* SPDX-License-Identifier: Apache-2.0 */
#include "ecmp_private.h"

#include <stdlib.h>
#include <string.h>

static const struct fabric_port *port_of(const struct fabric_ecmp *ecmp, uint32_t port)
{
    return &ecmp->fabric->ports.items[port];
}

static bool is_switch(const struct fabric_ecmp *ecmp, uint32_t node)
{
    return ecmp->switch_of[node] != FABRIC_NONE;
}

/* --- switches --- */

/* A way between two switches that carries something. */
static bool is_edge(const struct fabric_ecmp *ecmp, uint32_t way)
{
    const struct fabric_port *port = port_of(ecmp, way);

    return port->far != FABRIC_NONE && !port->inactive && is_switch(ecmp, port->node) &&
           is_switch(ecmp, port_of(ecmp, port->far)->node);
}

static void number_switches(struct fabric_ecmp *ecmp, struct arena *arena)
{
    const struct fabric *fabric = ecmp->fabric;

    ecmp->switch_of = arena_array(arena, uint32_t, fabric->nodes.count);
    for (size_t node = 0; node < fabric->nodes.count; node++)
        ecmp->switch_of[node] =
            fabric->nodes.items[node].kind == FABRIC_SWITCH ? (uint32_t)ecmp->switches++ : FABRIC_NONE;
}

static void list_edges(struct fabric_ecmp *ecmp, struct arena *arena)
{
    size_t ways = ecmp->fabric->ports.count, *next = arena_array(arena, size_t, ecmp->switches + 1);

    ecmp->first = arena_array(arena, size_t, ecmp->switches + 1);
    for (uint32_t way = 0; way < ways; way++)
        if (is_edge(ecmp, way))
            ecmp->first[ecmp->switch_of[port_of(ecmp, way)->node] + 1]++;
    for (size_t i = 0; i < ecmp->switches; i++)
        ecmp->first[i + 1] += ecmp->first[i];
    memcpy(next, ecmp->first, (ecmp->switches + 1) * sizeof *next);
    ecmp->edges = arena_array(arena, struct ecmp_edge, ecmp->first[ecmp->switches]);
    for (uint32_t way = 0; way < ways; way++)
        if (is_edge(ecmp, way))
            ecmp->edges[next[ecmp->switch_of[port_of(ecmp, way)->node]]++] =
                (struct ecmp_edge){way, ecmp->switch_of[port_of(ecmp, port_of(ecmp, way)->far)->node]};
}

/* --- leaves --- */

static uint32_t node_above(const struct fabric_ecmp *ecmp, uint32_t index)
{
    return port_of(ecmp, port_of(ecmp, ecmp->question->ports[index])->far)->node;
}

static int by_leaf(const void *a, const void *b, void *context)
{
    const struct fabric_ecmp *ecmp = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t node_x = node_above(ecmp, x), node_y = node_above(ecmp, y);

    return node_x != node_y ? (node_x > node_y) - (node_x < node_y) : (x > y) - (x < y);
}

static void find_leaves(struct fabric_ecmp *ecmp, struct arena *arena)
{
    size_t count = ecmp->question->count;
    struct ecmp_leaf *last = NULL;

    ecmp->order = arena_array(arena, uint32_t, count);
    ecmp->leaf_of = arena_array(arena, uint32_t, count);
    for (size_t i = 0; i < count; i++)
        ecmp->order[i] = (uint32_t)i;
    qsort_r(ecmp->order, count, sizeof *ecmp->order, by_leaf, ecmp);
    for (size_t i = 0; i < count; i++) {
        uint32_t node = node_above(ecmp, ecmp->order[i]);

        if (last == NULL || last->node != ecmp->switch_of[node]) {
            last = list_push(arena, &ecmp->leaves);
            *last = (struct ecmp_leaf){.node = ecmp->switch_of[node], .first = i};
        }
        last->count++;
        ecmp->leaf_of[ecmp->order[i]] = (uint32_t)(ecmp->leaves.count - 1);
    }
}

/* --- how far --- */

/* queue: room for all switches. */
static void measure_from(const struct fabric_ecmp *ecmp, const uint32_t *starts, size_t start_count,
                         uint32_t *queue, uint8_t *distance)
{
    size_t head = 0, tail = 0;

    memset(distance, ECMP_FAR, ecmp->switches);
    for (size_t i = 0; i < start_count; i++) {
        distance[starts[i]] = 0;
        queue[tail++] = starts[i];
    }
    while (head < tail) {
        uint32_t at = queue[head++];

        for (size_t i = ecmp->first[at]; i < ecmp->first[at + 1] && distance[at] + 1 < ECMP_FAR; i++)
            if (distance[ecmp->edges[i].to] == ECMP_FAR) {
                distance[ecmp->edges[i].to] = (uint8_t)(distance[at] + 1);
                queue[tail++] = ecmp->edges[i].to;
            }
    }
}

static void count_levels(struct fabric_ecmp *ecmp)
{
    const uint8_t *level = ecmp->level;

    for (uint32_t at = 0; at < ecmp->switches; at++) {
        if (level[at] != ECMP_FAR && level[at] + 1u > ecmp->levels)
            ecmp->levels = level[at] + 1u;
        for (size_t i = ecmp->first[at]; i < ecmp->first[at + 1]; i++)
            ecmp->level_links += level[at] == level[ecmp->edges[i].to] && at < ecmp->edges[i].to;
    }
}

static void measure(struct fabric_ecmp *ecmp, struct arena *arena)
{
    uint32_t *queue = arena_array(arena, uint32_t, ecmp->switches);
    uint32_t *starts = arena_array(arena, uint32_t, ecmp->leaves.count);

    ecmp->level = arena_array(arena, uint8_t, ecmp->switches);
    ecmp->distance = arena_array(arena, uint8_t, ecmp->leaves.count * ecmp->switches);
    for (size_t leaf = 0; leaf < ecmp->leaves.count; leaf++) {
        starts[leaf] = ecmp->leaves.items[leaf].node;
        measure_from(ecmp, &starts[leaf], 1, queue, ecmp->distance + leaf * ecmp->switches);
    }
    measure_from(ecmp, starts, ecmp->leaves.count, queue, ecmp->level);
    count_levels(ecmp);
}

struct fabric_ecmp *fabric_ecmp_new(struct arena *arena, const struct fabric *fabric,
                                    const struct fabric_question *question)
{
    struct fabric_ecmp *ecmp = arena_new(arena, struct fabric_ecmp);

    ecmp->fabric = fabric;
    ecmp->question = question;
    number_switches(ecmp, arena);
    list_edges(ecmp, arena);
    find_leaves(ecmp, arena);
    measure(ecmp, arena);
    return ecmp;
}

size_t fabric_ecmp_leaves(const struct fabric_ecmp *ecmp)
{
    return ecmp->leaves.count;
}

unsigned fabric_ecmp_levels(const struct fabric_ecmp *ecmp)
{
    return ecmp->levels;
}

size_t fabric_ecmp_level_links(const struct fabric_ecmp *ecmp)
{
    return ecmp->level_links;
}

/* --- one stream --- */

/* The number of that leaf, by bisection: leaves stand in the order of their switches. */
static uint32_t find_leaf(const struct fabric_ecmp *ecmp, uint32_t node)
{
    size_t low = 0, high = ecmp->leaves.count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (ecmp->leaves.items[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < ecmp->leaves.count && ecmp->leaves.items[low].node == node ? (uint32_t)low : FABRIC_NONE;
}

/* FABRIC_NONE: none of its links leads nearer. */
static uint32_t draw_edge(const struct fabric_ecmp *ecmp, uint32_t at, const uint8_t *distance,
                          uint64_t drawn)
{
    size_t count = 0, chosen;

    for (size_t i = ecmp->first[at]; i < ecmp->first[at + 1]; i++)
        count += distance[ecmp->edges[i].to] + 1u == distance[at];
    if (count == 0)
        return FABRIC_NONE;
    chosen = drawn % count;
    for (size_t i = ecmp->first[at];; i++)
        if (distance[ecmp->edges[i].to] + 1u == distance[at] && chosen-- == 0)
            return (uint32_t)i;
}

unsigned fabric_ecmp_route(const struct fabric_ecmp *ecmp, struct fabric_flow flow,
                           uint64_t (*draw)(void *context), void *context, uint32_t ret_ways[FABRIC_HOPS_MAX])
{
    const struct fabric_port *from = port_of(ecmp, flow.from), *to = port_of(ecmp, flow.to);
    uint32_t at = ecmp->switch_of[port_of(ecmp, from->far)->node];
    uint32_t leaf = find_leaf(ecmp, ecmp->switch_of[port_of(ecmp, to->far)->node]);
    const uint8_t *distance;
    unsigned count = 0;

    if (leaf == FABRIC_NONE || from->inactive || to->inactive)
        return 0;
    distance = ecmp_distances(ecmp, leaf);
    if (distance[at] > FABRIC_HOPS_MAX - 2)
        return 0;
    ret_ways[count++] = flow.from;
    while (distance[at] > 0) {
        uint32_t edge = draw_edge(ecmp, at, distance, draw(context));

        if (edge == FABRIC_NONE)
            return 0;
        ret_ways[count++] = ecmp->edges[edge].way;
        at = ecmp->edges[edge].to;
    }
    ret_ways[count++] = to->far;
    return count;
}
