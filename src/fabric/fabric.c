/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes are found by their GUID in a table of open addresses, which holds numbers of nodes and is at most half full. */
#include <math.h>
#include <string.h>

#include "assay/fabric/fabric.h"

enum { BUCKETS_FIRST = 64 };

static void clear(uint32_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = FABRIC_NONE;
}

struct fabric *fabric_new(struct arena *arena)
{
    struct fabric *fabric = arena_new(arena, struct fabric);

    fabric->arena = arena;
    fabric->buckets = BUCKETS_FIRST;
    fabric->by_guid = arena_array(arena, uint32_t, fabric->buckets);
    clear(fabric->by_guid, fabric->buckets);
    clear(fabric->by_lid, ARRAY_SIZE(fabric->by_lid));
    clear(fabric->switch_by_lid, ARRAY_SIZE(fabric->switch_by_lid));
    return fabric;
}

/* The bucket that holds the GUID, or the free one where it belongs. */
static size_t bucket_of(const struct fabric *fabric, uint64_t guid)
{
    size_t at = (size_t)((guid * 0x9e3779b97f4a7c15u) >> 20) % fabric->buckets;

    while (fabric->by_guid[at] != FABRIC_NONE && fabric->nodes.items[fabric->by_guid[at]].guid != guid)
        at = (at + 1) % fabric->buckets;
    return at;
}

uint32_t fabric_find_node(const struct fabric *fabric, uint64_t guid)
{
    return fabric->by_guid[bucket_of(fabric, guid)];
}

static void grow_table(struct fabric *fabric)
{
    fabric->buckets *= 4;
    fabric->by_guid = arena_array(fabric->arena, uint32_t, fabric->buckets);
    clear(fabric->by_guid, fabric->buckets);
    for (size_t i = 0; i < fabric->nodes.count; i++)
        fabric->by_guid[bucket_of(fabric, fabric->nodes.items[i].guid)] = (uint32_t)i;
}

uint32_t fabric_add_node(struct fabric *fabric, enum fabric_kind kind, uint64_t guid, const char *name)
{
    uint32_t node = fabric_find_node(fabric, guid);

    if (node != FABRIC_NONE)
        return node;
    if (fabric->nodes.count * 2 >= fabric->buckets)
        grow_table(fabric);
    node = (uint32_t)fabric->nodes.count;
    fabric->by_guid[bucket_of(fabric, guid)] = node;
    *list_push(fabric->arena, &fabric->nodes) =
        (struct fabric_node){.name = name, .guid = guid, .kind = kind};
    return node;
}

uint32_t fabric_add_port(struct fabric *fabric, uint32_t number_of_node, unsigned number)
{
    struct fabric_node *node = &fabric->nodes.items[number_of_node];

    if (number >= node->port_count) {
        unsigned count = number + 1 > 2 * node->port_count ? number + 1 : 2 * node->port_count;
        uint32_t *ports = arena_array(fabric->arena, uint32_t, count);

        clear(ports, count);
        if (node->port_count > 0)
            memcpy(ports, node->ports, node->port_count * sizeof *ports);
        node->ports = ports;
        node->port_count = count;
    }
    if (node->ports[number] == FABRIC_NONE) {
        node->ports[number] = (uint32_t)fabric->ports.count;
        *list_push(fabric->arena, &fabric->ports) =
            (struct fabric_port){.node = number_of_node, .far = FABRIC_NONE, .number = (uint16_t)number};
    }
    return node->ports[number];
}

void fabric_set_lid(struct fabric *fabric, uint32_t port, unsigned lid)
{
    fabric->ports.items[port].lid = (uint16_t)lid;
    fabric->by_lid[lid] = port;
}

void fabric_join(struct fabric *fabric, uint32_t a, uint32_t b, double gbits)
{
    fabric->ports.items[a].far = b;
    fabric->ports.items[b].far = a;
    fabric->ports.items[a].gbits = fabric->ports.items[b].gbits = gbits;
    fabric->links++;
}

void fabric_set_route(struct fabric *fabric, uint32_t node, unsigned lid, unsigned port)
{
    struct fabric_node *at = &fabric->nodes.items[node];

    if (at->routes == NULL)
        at->routes = arena_array(fabric->arena, uint8_t, FABRIC_LID_MAX + 1);
    at->routes[lid] = (uint8_t)port;
}

unsigned fabric_route(const struct fabric *fabric, uint32_t from, uint32_t to,
                      uint32_t ret_ways[FABRIC_HOPS_MAX])
{
    const struct fabric_port *ports = fabric->ports.items;
    uint16_t lid = ports[to].lid;
    uint32_t way = from;

    for (unsigned count = 0; count < FABRIC_HOPS_MAX && way != FABRIC_NONE; count++) {
        uint32_t arrived = ports[way].far;
        const struct fabric_node *node;

        ret_ways[count] = way;
        if (arrived == to)
            return count + 1;
        if (arrived == FABRIC_NONE || lid == 0)
            return 0;
        node = &fabric->nodes.items[ports[arrived].node];
        if (node->routes == NULL || node->routes[lid] == 0 || node->routes[lid] >= node->port_count)
            return 0;
        way = node->ports[node->routes[lid]];
    }
    return 0;
}

uint32_t fabric_find_port(const struct fabric *fabric, uint64_t lid, uint64_t number)
{
    uint32_t node, port = FABRIC_NONE;

    if (lid > FABRIC_LID_MAX)
        return FABRIC_NONE;
    if (fabric->by_lid[lid] != FABRIC_NONE)
        return fabric->ports.items[fabric->by_lid[lid]].number == number ? fabric->by_lid[lid] : FABRIC_NONE;
    node = fabric->switch_by_lid[lid];
    if (node != FABRIC_NONE && number > 0 && number < fabric->nodes.items[node].port_count)
        port = fabric->nodes.items[node].ports[number];
    return port;
}

uint32_t fabric_link_of(const struct fabric *fabric, uint32_t way)
{
    uint32_t far = fabric->ports.items[way].far;

    return far < way ? far : way;
}

const char *fabric_port_name(const struct fabric *fabric, uint32_t port)
{
    const struct fabric_port *at = &fabric->ports.items[port];
    const struct fabric_node *node = &fabric->nodes.items[at->node];
    unsigned links = 0;

    if (at->name != NULL)
        return node->kind == FABRIC_SWITCH ? arena_printf(fabric->arena, "%s %s", node->name, at->name)
                                           : node->name;
    if (node->kind == FABRIC_SWITCH)
        return arena_printf(fabric->arena, "%s port %u", node->name, at->number);
    for (unsigned i = 1; i < node->port_count; i++)
        links += node->ports[i] != FABRIC_NONE && fabric->ports.items[node->ports[i]].far != FABRIC_NONE;
    return links > 1 ? arena_printf(fabric->arena, "%s/%u", node->name, at->number) : node->name;
}

const char *fabric_link_name(const struct fabric *fabric, uint32_t way)
{
    uint32_t link = fabric_link_of(fabric, way);

    return arena_printf(fabric->arena, "%s - %s", fabric_port_name(fabric, link),
                        fabric_port_name(fabric, fabric->ports.items[link].far));
}

bool fabric_is_host_link(const struct fabric *fabric, uint32_t way)
{
    const struct fabric_port *port = &fabric->ports.items[way];

    return fabric->nodes.items[port->node].kind == FABRIC_ADAPTER ||
           fabric->nodes.items[fabric->ports.items[port->far].node].kind == FABRIC_ADAPTER;
}

double fabric_streams_chance(double streams, double chance, double least)
{
    double sum = 0;

    for (double k = 0; k < least && k <= streams; k++)
        sum += exp(lgamma(streams + 1) - lgamma(k + 1) - lgamma(streams - k + 1) + k * log(chance) +
                   (streams - k) * log1p(-chance));
    return fmax(0, 1 - sum);
}

double fabric_spread_chance(unsigned paths, unsigned flows, unsigned parts, double need)
{
    double streams = (double)flows * parts, least = ceil(need * parts - 1e-9);

    if (paths <= 1)
        return streams >= least ? 1 : 0;
    return fabric_streams_chance(streams, 1.0 / paths, least);
}
