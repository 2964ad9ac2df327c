/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Leaves count from 0 by unit and rail, hosts below one from 0. A destination is (leaf, slot).
 *
 *   up from a leaf     by uplink slot mod up, so that all hosts below a leaf are reached over different spines
 *   up from a spine    by uplink (leaf in its pod) mod (uplinks of the spine)
 *   down               the only way, or of parallel links the one of the same number as on the way up
 *
 * Ports: of a leaf 1 to down for hosts, then the uplinks; of a spine one for each leaf link, then the uplinks.
 */
#include "assay/fabric/fabric.h"

#define GUID_ADAPTER 0xa088c20300000000u
#define GUID_LEAF 0x9c63c20300000000u
#define GUID_SPINE 0x9c63c2f000000000u
#define GUID_CORE 0x9c63c2f100000000u
enum { LID_FIRST = 10 };

struct grower {
    struct fabric *fabric;
    const struct fabric_tree *tree;
    unsigned leaves, pods, spines;
    unsigned parallel;      /* links between a leaf and each of its spines */
    unsigned core_parallel; /* between a spine and each of its cores */
    unsigned cores_each;    /* cores that a spine reaches: those of its number in the pod */
    uint32_t *leaf, *spine, *core;
};

static unsigned units_of(const struct fabric_tree *tree)
{
    return (tree->hosts + tree->down - 1) / tree->down;
}

static void join(struct grower *grower, uint32_t a, unsigned port_a, uint32_t b, unsigned port_b)
{
    uint32_t near = fabric_add_port(grower->fabric, a, port_a),
             far = fabric_add_port(grower->fabric, b, port_b);

    fabric_join(grower->fabric, near, far, grower->tree->gbits);
}

static void add_switches(struct grower *grower)
{
    struct fabric *fabric = grower->fabric;
    struct arena *arena = fabric->arena;
    unsigned rails = grower->tree->rails;

    grower->leaf = arena_array(arena, uint32_t, grower->leaves);
    grower->spine = arena_array(arena, uint32_t, grower->spines);
    grower->core = arena_array(arena, uint32_t, grower->tree->cores);
    for (unsigned i = 0; i < grower->leaves; i++)
        grower->leaf[i] = fabric_add_node(fabric, FABRIC_SWITCH,
                                          GUID_LEAF + ((uint64_t)(i / rails + 1) << 16) + (i % rails << 8),
                                          arena_printf(arena, "l%ur%u", i / rails + 1, i % rails));
    for (unsigned i = 0; i < grower->spines; i++)
        grower->spine[i] = fabric_add_node(fabric, FABRIC_SWITCH, GUID_SPINE + ((uint64_t)(i + 1) << 8),
                                           arena_printf(arena, "s%u", i + 1));
    for (unsigned i = 0; i < grower->tree->cores; i++)
        grower->core[i] = fabric_add_node(fabric, FABRIC_SWITCH, GUID_CORE + ((uint64_t)(i + 1) << 8),
                                          arena_printf(arena, "c%u", i + 1));
}

static void add_hosts(struct grower *grower)
{
    const struct fabric_tree *tree = grower->tree;
    struct fabric *fabric = grower->fabric;

    for (unsigned host = 0; host < tree->hosts; host++)
        for (unsigned rail = 0; rail < tree->rails; rail++) {
            uint32_t node = fabric_add_node(fabric, FABRIC_ADAPTER,
                                            GUID_ADAPTER + ((uint64_t)(host + 1) << 16) + (rail << 8),
                                            arena_printf(fabric->arena, "node%u mlx5_%u", host + 1, rail));

            join(grower, node, 1, grower->leaf[host / tree->down * tree->rails + rail],
                 host % tree->down + 1);
            fabric_set_lid(fabric, fabric->nodes.items[node].ports[1], LID_FIRST + host * tree->rails + rail);
        }
}

/* The spine that an uplink of a leaf goes to. */
static unsigned spine_of(const struct grower *grower, unsigned leaf, unsigned uplink)
{
    return grower->tree->pod_leaves > 0 ? leaf / grower->tree->pod_leaves * grower->tree->up + uplink
                                        : uplink / grower->parallel;
}

/* The port of that spine at which the uplink ends. */
static unsigned spine_port(const struct grower *grower, unsigned leaf, unsigned uplink)
{
    return grower->tree->pod_leaves > 0 ? leaf % grower->tree->pod_leaves + 1
                                        : leaf * grower->parallel + uplink % grower->parallel + 1;
}

/* The core that an uplink of a spine goes to: spines of the same number in their pods share theirs. */
static unsigned core_of(const struct grower *grower, unsigned spine, unsigned uplink)
{
    return spine % grower->tree->up * grower->cores_each + uplink / grower->core_parallel;
}

static unsigned core_port(const struct grower *grower, unsigned spine, unsigned uplink)
{
    return spine / grower->tree->up * grower->core_parallel + uplink % grower->core_parallel + 1;
}

static void add_uplinks(struct grower *grower)
{
    const struct fabric_tree *tree = grower->tree;

    for (unsigned leaf = 0; leaf < grower->leaves; leaf++)
        for (unsigned k = 0; k < tree->up; k++)
            join(grower, grower->leaf[leaf], tree->down + k + 1, grower->spine[spine_of(grower, leaf, k)],
                 spine_port(grower, leaf, k));
    for (unsigned spine = 0; tree->pod_leaves > 0 && spine < grower->spines; spine++)
        for (unsigned k = 0; k < tree->pod_leaves; k++)
            join(grower, grower->spine[spine], tree->pod_leaves + k + 1,
                 grower->core[core_of(grower, spine, k)], core_port(grower, spine, k));
}

/* All tables for one host of one leaf. */
static void route_to(struct grower *grower, unsigned to_leaf, unsigned slot, unsigned lid)
{
    const struct fabric_tree *tree = grower->tree;
    unsigned up = slot % tree->up, pod = tree->pod_leaves > 0 ? to_leaf / tree->pod_leaves : 0;
    unsigned turn = tree->pod_leaves > 0 ? to_leaf % tree->pod_leaves : 0;

    for (unsigned leaf = 0; leaf < grower->leaves; leaf++)
        fabric_set_route(grower->fabric, grower->leaf[leaf], lid,
                         leaf == to_leaf ? slot + 1 : tree->down + up + 1);
    for (unsigned spine = 0; spine < grower->spines; spine++) {
        bool below = tree->pod_leaves == 0 || spine / tree->up == pod;
        /* Of parallel links that of the same number; a spine that is not on the way up has them all the same. */
        unsigned same = tree->pod_leaves > 0 ? up : spine * grower->parallel + up % grower->parallel;

        fabric_set_route(grower->fabric, grower->spine[spine], lid,
                         below ? spine_port(grower, to_leaf, same) : tree->pod_leaves + turn + 1);
    }
    for (unsigned core = 0; core < tree->cores; core++)
        fabric_set_route(grower->fabric, grower->core[core], lid,
                         core_port(grower, pod * tree->up + core / grower->cores_each, turn));
}

static void add_routes(struct grower *grower)
{
    const struct fabric_tree *tree = grower->tree;

    for (unsigned host = 0; host < tree->hosts; host++)
        for (unsigned rail = 0; rail < tree->rails; rail++)
            route_to(grower, host / tree->down * tree->rails + rail, host % tree->down,
                     LID_FIRST + host * tree->rails + rail);
}

struct fabric *fabric_grow_tree(struct arena *arena, const struct fabric_tree *tree)
{
    struct grower grower = {
        .fabric = fabric_new(arena), .tree = tree, .leaves = units_of(tree) * tree->rails};

    if (tree->pod_leaves > 0) {
        grower.pods = (grower.leaves + tree->pod_leaves - 1) / tree->pod_leaves;
        grower.spines = grower.pods * tree->up;
        grower.cores_each = tree->cores / tree->up;
        grower.core_parallel = tree->pod_leaves / grower.cores_each;
    } else {
        grower.spines = tree->spines;
        grower.parallel = tree->up / tree->spines;
    }
    add_switches(&grower);
    add_hosts(&grower);
    add_uplinks(&grower);
    add_routes(&grower);
    return grower.fabric;
}

uint32_t fabric_tree_port(const struct fabric *fabric, const struct fabric_tree *tree, unsigned host,
                          unsigned rail)
{
    return fabric->by_lid[LID_FIRST + host * tree->rails + rail];
}
