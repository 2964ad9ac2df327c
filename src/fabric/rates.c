/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/fabric/rates.h"

/* Few: a fabric has links of a handful of kinds. */
struct kind {
    bool host;
    uint32_t devices[2]; /* the lower first */
    struct fabric_peers *peers;
};
struct kinds {
    LIST_OF(struct kind) items;
};

static struct kind kind_of(const struct fabric *fabric, uint32_t link)
{
    uint32_t a = fabric->nodes.items[fabric->ports.items[link].node].device;
    uint32_t b = fabric->nodes.items[fabric->ports.items[fabric->ports.items[link].far].node].device;

    return (struct kind){.host = fabric_is_host_link(fabric, link),
                         .devices = {a < b ? a : b, a < b ? b : a}};
}

static struct fabric_peers *peers_of(struct arena *arena, struct kinds *kinds, const struct kind *wanted)
{
    struct kind *kind;

    for (size_t i = 0; i < kinds->items.count; i++) {
        kind = &kinds->items.items[i];
        if (kind->host == wanted->host && kind->devices[0] == wanted->devices[0] &&
            kind->devices[1] == wanted->devices[1])
            return kind->peers;
    }
    kind = list_push(arena, &kinds->items);
    *kind = *wanted;
    kind->peers = arena_new(arena, struct fabric_peers);
    return kind->peers;
}

static void count_link(struct fabric_peers *peers, double gbits)
{
    if (gbits > peers->gbits) {
        peers->gbits = gbits;
        peers->full = 0;
    }
    peers->links++;
    peers->full += gbits == peers->gbits;
}

const struct fabric_peers **fabric_find_peers(struct arena *arena, const struct fabric *fabric,
                                              const enum fabric_gap *gaps)
{
    const struct fabric_peers **peers = arena_array(arena, const struct fabric_peers *, fabric->ports.count);
    struct kinds kinds = {0};

    for (uint32_t link = 0; link < fabric->ports.count; link++) {
        const struct fabric_port *port = &fabric->ports.items[link];
        struct kind kind;
        struct fabric_peers *own;

        if (port->far == FABRIC_NONE || port->far < link || port->inactive || port->gbits <= 0 ||
            gaps[link] == FABRIC_UNTESTED)
            continue;
        kind = kind_of(fabric, link);
        own = peers_of(arena, &kinds, &kind);
        count_link(own, port->gbits);
        peers[link] = own;
    }
    return peers;
}

enum fabric_trained fabric_trained(const struct fabric *fabric, const struct fabric_peers *const *peers,
                                   uint32_t link)
{
    if (peers[link] == NULL || fabric->ports.items[link].gbits >= peers[link]->gbits)
        return FABRIC_TRAINED_LIKE_PEERS;
    return 2 * peers[link]->full > peers[link]->links ? FABRIC_TRAINED_SLOW : FABRIC_TRAINED_UNLIKE;
}
