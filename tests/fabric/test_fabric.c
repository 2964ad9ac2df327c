/* SPDX-License-Identifier: Apache-2.0 */
/* Links and routes as the tools write them, and the way of a flow. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "assay/fabric/fabric.h"
#include "assay/fabric/tiers.h"

static int make_arena(void **state)
{
    *state = arena_create();
    return 0;
}

static int drop_arena(void **state)
{
    arena_destroy(*state);
    return 0;
}

#define END(type, guid, name, lid, port)                                       \
    "{ " type " Ports:41 SystemGUID:" guid " NodeGUID:" guid " PortGUID:" guid \
    " VenID:000002C9 DevID:D2F2 Rev:000000A0 {" name "} LID:" lid " PN:" port " } "
#define A END("CA", "a088c20300010000", "gpu1 mlx5_0", "0002", "01")
#define B END("CA", "a088c20300020000", "gpu2 mlx5_0", "0003", "01")
#define LEAF1(port) END("SW", "9c63c20300010000", "MF0;leaf1:MQM9700/U1", "0010", port)
#define LEAF2(port) END("SW", "9c63c20300020000", "MF0;leaf2:MQM9700/U1", "0011", port)
#define UP "PHY=4x LOG=ACT SPD=100\n"

static const char links[] = A LEAF1("01") UP LEAF2("01") B UP LEAF1("21") LEAF2("22") UP;

static const char fdbs[] = "osm_ucast_mgr_dump_ucast_routes: Switch 0x9c63c20300010000\n"
                           "LID    : Port : Hops : Optimal\n"
                           "0x0001 : UNREACHABLE\n"
                           "0x0002 : 001  : 00   : yes\n"
                           "0x0003 : 033  : 00   : yes\n"
                           "\n"
                           "osm_ucast_mgr_dump_ucast_routes: Switch 0x9c63c20300020000\n"
                           "LID    : Port : Hops : Optimal\n"
                           "0x0002 : 034  : 00   : yes\n"
                           "0x0003 : 001  : 00   : yes\n";

static const char fts[] =
    "Unicast lids [0x0-0x3] of switch Lid 16 guid 0x9c63c20300010000 (MF0;leaf1:MQM9700/U1):\n"
    "  Lid  Out   Destination\n"
    "       Port     Info \n"
    "0x0002 001 : (Channel Adapter portguid 0xa088c20300010000: 'gpu1 mlx5_0')\n"
    "0x0003 033 : (Channel Adapter portguid 0xa088c20300020000: 'gpu2 mlx5_0')\n"
    "2 valid lids dumped \n";

static struct fabric *fabric_of(void **state, const char *text)
{
    struct fabric *fabric = fabric_new(*state);
    struct error err = {0};

    if (fabric_read_links(fabric, "x.lst", slice_of(text), &err) < 0)
        fail_msg("%s", err.text);
    return fabric;
}

static void a_flow_crosses_the_links_that_the_tables_say(void **state)
{
    struct fabric *fabric = fabric_of(state, links);
    uint32_t ways[FABRIC_HOPS_MAX];
    struct error err = {0};

    assert_int_equal(fabric->links, 3);
    assert_int_equal(fabric_without_routes(fabric), 2);
    assert_int_equal(fabric_read_routes(fabric, "x.fdbs", slice_of(fdbs), &err), 0);
    assert_int_equal(fabric_without_routes(fabric), 0);
    assert_int_equal(fabric_route(fabric, fabric->by_lid[2], fabric->by_lid[3], ways), 3);
    assert_string_equal(fabric_link_name(fabric, ways[0]), "gpu1 mlx5_0 - MF0;leaf1:MQM9700/U1 port 1");
    assert_string_equal(fabric_link_name(fabric, ways[1]),
                        "MF0;leaf1:MQM9700/U1 port 33 - MF0;leaf2:MQM9700/U1 port 34");
    assert_true(fabric_is_host_link(fabric, ways[2]));
    assert_false(fabric_is_host_link(fabric, ways[1]));
    assert_true(fabric->ports.items[ways[1]].gbits == 400);
}

static void dump_fts_tells_the_same_table(void **state)
{
    struct fabric *fabric = fabric_of(state, links);
    struct error err = {0};

    assert_int_equal(fabric_read_routes(fabric, "x.fts", slice_of(fts), &err), 0);
    assert_int_equal(fabric->nodes.items[fabric_find_node(fabric, 0x9c63c20300010000)].routes[3], 33);
    assert_int_equal(fabric_without_routes(fabric), 1);
}

static void no_route_is_none(void **state)
{
    struct fabric *fabric = fabric_of(state, links);
    uint32_t ways[FABRIC_HOPS_MAX], leaf1, leaf2;

    assert_int_equal(fabric_route(fabric, fabric->by_lid[2], fabric->by_lid[3], ways), 0);
    leaf1 = fabric_find_node(fabric, 0x9c63c20300010000);
    leaf2 = fabric_find_node(fabric, 0x9c63c20300020000);
    fabric_set_route(fabric, leaf1, 3, 33);
    fabric_set_route(fabric, leaf2, 3, 34); /* back again, for ever */
    assert_int_equal(fabric_route(fabric, fabric->by_lid[2], fabric->by_lid[3], ways), 0);
    fabric_set_route(fabric, leaf2, 3, 200); /* a port that is not there */
    assert_int_equal(fabric_route(fabric, fabric->by_lid[2], fabric->by_lid[3], ways), 0);
}

static const struct refused {
    const char *links, *routes, *said;
} refused[] = {
    {"ibwarn: [4711] mad_rpc_open_port: can't open UMAD port\n", NULL, "x.lst:1: expected a link"},
    {"", NULL, "x.lst: nothing in it is a link"},
    {A LEAF1("01") UP A LEAF1("02") UP, NULL, "x.lst:2: a port has one link"},
    {A LEAF1("01") UP END("CA", "a088c20300020000", "gpu2", "0002", "01") LEAF1("02") UP, NULL,
     "x.lst:2: another port has that LID"},
    {A LEAF1("00") UP, NULL, "x.lst:1: expected a GUID"},
    {A LEAF1("01") UP END("SW", "a088c20300010000", "gpu1", "0002", "02") LEAF1("02") UP, NULL,
     "x.lst:2: the node is an adapter in one line and a switch in another"},
    {links, "Switch\n", "x.fdbs:1: expected a LID"},
    {links, "", "x.fdbs: nothing in it is a forwarding table"},
    {links, "dump_ucast_routes: Switch 0x1\n", "x.fdbs:1: no link goes to that switch"},
    {links, "dump_ucast_routes: Switch 0x9c63c20300010000\nPLFT_NUM: 1\n",
     "x.fdbs:2: a switch with several tables"},
    {links, "dump_ucast_routes: Switch 0x9c63c20300010000\n0x0002 : 999 : 00 : yes\n",
     "x.fdbs:2: expected a port from 0 to 255"},
    {links,
     "Unicast lids [0x0-0x3] of switch Lid 16 guid 0x9c63c20300010000 (leaf1):\n0x0002 001 : (x)\n2 valid lids "
     "dumped\n",
     "x.fdbs:3: the table above has another number of LIDs"},
};

static void what_is_wrong_in_a_file_is_told_with_its_line(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
        struct fabric *fabric = fabric_new(*state);
        struct error err = {0};
        int result = fabric_read_links(fabric, "x.lst", slice_of(refused[i].links), &err);

        if (result == 0 && refused[i].routes != NULL)
            result = fabric_read_routes(fabric, "x.fdbs", slice_of(refused[i].routes), &err);
        assert_int_equal(result, -1);
        if (strstr(err.text, refused[i].said) != err.text)
            fail_msg("%zu: %s", i, err.text);
    }
}

/* A cut gives an error or a smaller fabric: never a link or a route that the whole has not. */
static void a_cut_file_tells_nothing_else(void **state)
{
    struct fabric *whole = fabric_of(state, links);
    struct error err = {0};

    assert_int_equal(fabric_read_routes(whole, "x.fdbs", slice_of(fdbs), &err), 0);
    for (size_t length = 0; length < sizeof fdbs - 1; length++) {
        struct arena *arena = arena_create();
        struct fabric *fabric = fabric_new(arena);

        assert_int_equal(fabric_read_links(fabric, "x.lst", slice_of(links), &err), 0);
        if (fabric_read_routes(fabric, "x.fdbs", (struct slice){fdbs, length}, &err) == 0)
            for (size_t n = 0; n < fabric->nodes.count; n++)
                for (unsigned lid = 0; fabric->nodes.items[n].routes != NULL && lid < 8; lid++)
                    assert_true(fabric->nodes.items[n].routes[lid] == 0 ||
                                fabric->nodes.items[n].routes[lid] == whole->nodes.items[n].routes[lid]);
        arena_destroy(arena);
    }
    for (size_t length = 0; length < sizeof links - 1; length++) {
        struct arena *arena = arena_create();

        if (fabric_read_links(fabric_new(arena), "x.lst", (struct slice){links, length}, &err) == 0)
            assert_true(links[length - 1] == '\n');
        arena_destroy(arena);
    }
}

static void a_link_that_is_told_from_both_ends_is_one(void **state)
{
    struct fabric *fabric = fabric_of(state, A LEAF1("01") UP LEAF1("01") A UP);

    assert_int_equal(fabric->links, 1);
}

static void a_link_without_traffic_is_inactive(void **state)
{
    struct fabric *fabric = fabric_of(state, A LEAF1("01") "PHY=4x LOG=INI SPD=100\n");

    assert_true(fabric->ports.items[fabric->by_lid[2]].inactive);
}

/* Every host reaches every other one, and in a shift of all hosts no two flows meet. */
static void routes_of_a_tree_are_free_of_contention(void **state)
{
    const struct fabric_tree tree = {
        .hosts = 32, .rails = 2, .down = 4, .up = 4, .pod_leaves = 4, .cores = 8, .gbits = 400};
    struct fabric *fabric = fabric_grow_tree(*state, &tree);
    uint32_t ways[FABRIC_HOPS_MAX];

    for (unsigned shift = 1; shift < tree.hosts; shift++) {
        bool *taken = arena_array(*state, bool, fabric->ports.count);

        for (unsigned host = 0; host < tree.hosts; host++) {
            unsigned hops =
                fabric_route(fabric, fabric_tree_port(fabric, &tree, host, 0),
                             fabric_tree_port(fabric, &tree, (host + shift) % tree.hosts, 0), ways);

            assert_true(hops == 2 || hops == 4 || hops == 6);
            for (unsigned i = 0; i < hops; i++) {
                assert_false(taken[ways[i]] && shift % tree.down == 0);
                taken[ways[i]] = true;
            }
        }
    }
}

/* By hand: of 2 streams over 2 ways one carries something with 3/4; half of the rate of one flow of 4 streams is 2. */
static void chances_of_a_hash_are_those_of_a_binomial(void **state)
{
    (void)state;
    assert_float_equal(fabric_spread_chance(2, 1, 2, 0.5), 0.75, 1e-9);
    assert_float_equal(fabric_spread_chance(2, 1, 4, 0.5), 11.0 / 16, 1e-9);
    assert_float_equal(fabric_spread_chance(1, 1, 1, 0.5), 1, 1e-9);
    assert_true(fabric_spread_chance(32, 32, 64, 0.5) > 0.999);
    assert_true(fabric_spread_chance(32, 32, 1, 0.5) < 0.65);
}

static size_t nodes_at(const struct fabric *fabric, const uint8_t *levels, uint8_t level)
{
    size_t count = 0;

    for (size_t i = 0; i < fabric->nodes.count; i++)
        count += levels[i] == level;
    return count;
}

/* Two pods of a unit each: of the hosts of the first all links that lead up, and none that only the other pod's flows cross. */
static void levels_and_what_is_above(void **state)
{
    const struct fabric_tree tree = {
        .hosts = 4, .rails = 2, .down = 2, .up = 2, .pod_leaves = 2, .cores = 4, .gbits = 400};
    struct fabric *fabric = fabric_grow_tree(*state, &tree);
    uint32_t members[5] = {FABRIC_NONE};
    const uint8_t *levels;
    const bool *above;
    size_t ways = 0;

    for (unsigned i = 0; i < 4; i++)
        members[i + 1] = fabric_tree_port(fabric, &tree, i / 2, i % 2);
    levels = fabric_find_levels(*state, fabric, members, 5);
    assert_int_equal(nodes_at(fabric, levels, FABRIC_LEVEL_HOST), 8);
    assert_int_equal(nodes_at(fabric, levels, FABRIC_LEVEL_LEAF), 4);
    assert_int_equal(nodes_at(fabric, levels, 2), 4);
    assert_int_equal(nodes_at(fabric, levels, 3), 4);
    above = fabric_find_above(*state, fabric, levels, members, 5);
    for (size_t i = 0; i < fabric->ports.count; i++)
        ways += above[i];
    assert_int_equal(ways, 2 * (4 + 4 + 4));
    assert_false(above[fabric_tree_port(fabric, &tree, 2, 0)]);
}

/* A server of the fabric's own on a spine makes no leaf of it, nor does what is inside each switch. */
static void a_server_on_a_spine(void **state)
{
    const struct fabric_tree tree = {.hosts = 16, .rails = 1, .down = 8, .up = 8, .spines = 1, .gbits = 400};
    struct fabric *fabric = fabric_grow_tree(*state, &tree);
    static const char *const names[] = {"ufm1 mlx5_0", "Mellanox Technologies Aggregation Node"};
    uint32_t member = fabric_tree_port(fabric, &tree, 0, 0), spine = FABRIC_NONE;
    const uint8_t *levels;

    for (uint32_t i = 0; i < fabric->nodes.count; i++)
        if (strcmp(fabric->nodes.items[i].name, "s1") == 0)
            spine = i;
    for (unsigned i = 0; i < 2; i++)
        fabric_join(fabric, fabric_add_port(fabric, spine, 17 + i),
                    fabric_add_port(fabric, fabric_add_node(fabric, FABRIC_ADAPTER, 0x77 + i, names[i]), 1),
                    400);
    levels = fabric_find_levels(*state, fabric, &member, 1);
    assert_int_equal(levels[spine], 2);
    assert_int_equal(nodes_at(fabric, levels, FABRIC_LEVEL_LEAF), 2);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_arena, drop_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(levels_and_what_is_above),
        CASE(a_server_on_a_spine),
        CASE(a_flow_crosses_the_links_that_the_tables_say),
        CASE(dump_fts_tells_the_same_table),
        CASE(no_route_is_none),
        CASE(what_is_wrong_in_a_file_is_told_with_its_line),
        CASE(a_cut_file_tells_nothing_else),
        CASE(a_link_that_is_told_from_both_ends_is_one),
        CASE(a_link_without_traffic_is_inactive),
        CASE(routes_of_a_tree_are_free_of_contention),
        CASE(chances_of_a_hash_are_those_of_a_binomial),
    };

    return cmocka_run_group_tests_name("fabric", tests, NULL, NULL);
}
