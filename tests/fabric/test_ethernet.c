/* SPDX-License-Identifier: Apache-2.0 */
/* Links of Ethernet as LLDP and plans tell them, what its ports count, and what to expect of a hash. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "assay/fabric/ethernet.h"
#include "dice.h"
#include "hash_round.h"

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

/* --- cabling --- */

static const char plan[] = "Host,Port,Switch,Port,Speed\r\n"
                           "# rail 1\n"
                           "node1,eth2,leaf1,Ethernet1/1,400\r\n"
                           "\"node2\" , eth2,leaf2,Ethernet1/1,400\n"
                           "leaf1,Ethernet1/33,spine1,Ethernet1/1,800\n"
                           "leaf2,Ethernet1/33,spine1.dc1.example,Ethernet1/2,800\n";

struct read {
    struct fabric_cabling *cabling;
    struct fabric *fabric;
    struct fabric_remarks remarks;
    struct fabric_cabling_options options;
    struct error err;
};

static struct read new_read(struct arena *arena)
{
    return (struct read){.cabling = fabric_cabling_new(arena),
                         .fabric = fabric_new(arena),
                         .options = {.host_gbits = 400, .switch_gbits = 800}};
}

static int build(struct read *read)
{
    return fabric_cabling_build(read->cabling, &read->options, read->fabric, &read->remarks, &read->err);
}

static int read_plan(struct read *read, struct slice text)
{
    int result = fabric_cabling_read_plan(read->cabling, "plan.csv", text, &read->err);

    return result == 0 ? build(read) : result;
}

static uint32_t port_of(const struct read *read, const char *node, const char *port)
{
    uint32_t found = fabric_cabling_find(read->cabling, slice_of(node), slice_of(port));

    if (found == FABRIC_NONE)
        fail_msg("no port %s %s", node, port);
    return found;
}

static void a_plan_tells_links_by_their_names(void **state)
{
    struct read read = new_read(*state);
    uint32_t host, up;

    if (read_plan(&read, slice_of(plan)) < 0)
        fail_msg("%s", read.err.text);
    assert_int_equal(read.fabric->links, 4);
    assert_int_equal(read.remarks.items.count, 0);
    host = port_of(&read, "NODE1.dc1.example", "eth2");
    up = port_of(&read, "leaf2", "Ethernet1/33");
    assert_string_equal(fabric_link_name(read.fabric, host), "node1 eth2 - leaf1 Ethernet1/1");
    assert_string_equal(fabric_link_name(read.fabric, up), "leaf2 Ethernet1/33 - spine1 Ethernet1/2");
    assert_true(fabric_is_host_link(read.fabric, host));
    assert_false(fabric_is_host_link(read.fabric, up));
    assert_true(read.fabric->ports.items[up].gbits == 800);
    assert_int_equal(fabric_cabling_find(read.cabling, slice_of("leaf2"), slice_of("Ethernet1/34")),
                     FABRIC_NONE);
}

static const struct refused {
    const char *text, *said;
} refused[] = {
    {"", "plan.csv: no link is in it"},
    {"node1,eth2,leaf1,swp1,400", "plan.csv: its last line breaks off"},
    {"node1,eth2,leaf1,swp1\n", "plan.csv:1: "},
    {"node1,eth2,leaf1,swp1,400\nnode2,eth2,leaf1,swp2,fast\n", "plan.csv:2: "},
    {"node1,eth2,leaf1,swp1,0\n", "plan.csv:1: "},
    {"leaf1,swp9,spine1,swp1,400G\nnode1,eth2,leaf1,swp1,400\n", "plan.csv:1: "},
    {"leaf1,swp9,spine1,swp1,n/a\nnode1,eth2,leaf1,swp1,400\n", "plan.csv:1: "},
    {"node1,eth2,leaf1,,400\n", "plan.csv:1: "},
    {"node1,eth2,leaf1,swp1,400\nnode2,eth2,leaf1,swp1,400\n",
     "plan.csv:2: a link between node2 eth2 and leaf1 swp1, but plan.csv:1 tells of one between leaf1 swp1 and node1 eth2"},
    {"node1,eth2,leaf1,swp1,400\nnode1,eth2,leaf1,swp1,400\n", "plan.csv:2: a link between node1 eth2"},
    {"node1,eth2,node1,eth3,400\n", "plan.csv:1: a link between node1 eth2 and node1 eth3, of the same node"},
    {"node 1,eth2,leaf1,swp1,400\n", "plan.csv:1: 'node 1' and 'eth2': expected the name"},
    {"leaf1,swp1,leaf2,swp1,400\nleaf2,swp2,leaf1,swp2,400\n", "of no node is known that it is a host"},
};

static void what_is_wrong_in_a_plan_is_told_with_its_line(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
        struct read read = new_read(*state);

        assert_int_equal(read_plan(&read, slice_of(refused[i].text)), -1);
        if (strstr(read.err.text, refused[i].said) != read.err.text)
            fail_msg("%zu: %s", i, read.err.text);
    }
}

static void a_cut_plan_is_refused_or_tells_fewer_links(void **state)
{
    (void)state;
    for (size_t length = 0; length < sizeof plan - 1; length++) {
        struct arena *arena = arena_create();
        struct read read = new_read(arena);

        if (read_plan(&read, (struct slice){plan, length}) == 0)
            assert_true(plan[length - 1] == '\n' || plan[length - 1] == '\r');
        arena_destroy(arena);
    }
}

#define CHASSIS(port, name) \
    "lldp." port ".chassis.mac=1c:34:da:00:11:22\nlldp." port ".chassis.name=" name "\n"
#define BRIDGE(port) "lldp." port ".chassis.Bridge.enabled=on\n"
#define ID(port, id) "lldp." port ".port.ifname=" id "\n"
#define MAC(port, mac, description) \
    "lldp." port ".port.mac=" mac "\nlldp." port ".port.descr=" description "\n"

/* Hosts tell no name of their ports, but an address; node2 has no file. */
static const struct told {
    const char *node, *text;
} told[] = {
    {"node1", CHASSIS("eth2", "leaf1.dc1.example") BRIDGE("eth2") ID("eth2", "swp1")},
    {"leaf1", CHASSIS("swp1", "node1") MAC("swp1", "1c:34:da:00:22:01", "to the leaf")
                  CHASSIS("swp2", "node2") MAC("swp2", "1c:34:da:00:22:02", "eth2") CHASSIS("swp33", "spine1")
                      BRIDGE("swp33") ID("swp33", "swp1")},
    {"spine1", CHASSIS("swp1", "leaf1") BRIDGE("swp1") ID("swp1", "swp33")},
};

static int read_told(struct read *read, const struct told *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char file[64];

        snprintf(file, sizeof file, "%s.txt", files[i].node);
        if (fabric_cabling_read_lldp(read->cabling, file, files[i].node, slice_of(files[i].text),
                                     &read->err) < 0)
            return -1;
    }
    return build(read);
}

static void lldp_tells_the_same_from_both_ends(void **state)
{
    struct read read = new_read(*state);

    if (read_told(&read, told, ARRAY_SIZE(told)) < 0)
        fail_msg("%s", read.err.text);
    assert_int_equal(read.fabric->links, 3);
    assert_string_equal(fabric_link_name(read.fabric, port_of(&read, "leaf1", "swp1")),
                        "node1 eth2 - leaf1 swp1");
    assert_string_equal(fabric_link_name(read.fabric, port_of(&read, "leaf1", "swp2")),
                        "leaf1 swp2 - node2 eth2");
    assert_true(read.fabric->ports.items[port_of(&read, "leaf1", "swp1")].gbits == 400);
    assert_true(read.fabric->ports.items[port_of(&read, "leaf1", "swp33")].gbits == 800);
    assert_int_equal(read.remarks.items.count, 1);
    assert_string_equal(read.remarks.items.items[0],
                        "1 links are told by one end only: of the other node there is no file");
}

static void what_ends_tell_differently_is_refused(void **state)
{
    static const struct told differ[] = {
        {"leaf1", CHASSIS("swp33", "spine1") BRIDGE("swp33") ID("swp33", "swp1")},
        {"spine1", CHASSIS("swp1", "leaf2") BRIDGE("swp1") ID("swp1", "swp33")},
    };
    struct read read = new_read(*state);

    assert_int_equal(read_told(&read, differ, ARRAY_SIZE(differ)), -1);
    assert_string_equal(
        read.err.text,
        "spine1.txt: swp1: a link between spine1 swp1 and leaf2 swp33, but leaf1.txt: swp33 tells of "
        "one between spine1 swp1 and leaf1 swp33; a port has one link");
}

static void what_one_end_tells_alone_is_remarked(void **state)
{
    static const struct told alone[] = {
        {"node1", CHASSIS("eth2", "leaf1") BRIDGE("eth2") ID("eth2", "swp1") CHASSIS("eth3", "leaf1")
                      ID("eth3", "swp2")},
        {"leaf1", CHASSIS("swp1", "node1") ID("swp1", "eth2")},
    };
    struct read read = new_read(*state);

    assert_int_equal(read_told(&read, alone, ARRAY_SIZE(alone)), 0);
    assert_int_equal(read.fabric->links, 2);
    assert_int_equal(read.remarks.items.count, 1);
    assert_string_equal(read.remarks.items.items[0],
                        "node1.txt: eth3: a link to leaf1 swp2, of which leaf1.txt tells nothing");
}

static void a_neighbour_without_a_name_is_left_out(void **state)
{
    static const struct told nameless[] = {
        {"leaf1", CHASSIS("swp1", "node1")
                      ID("swp1", "eth2") "lldp.swp2.chassis.mac=1c:34:da:00:11:22\n" ID("swp2", "eth2")},
    };
    static const char *const switches[] = {"leaf1"};
    struct read read = new_read(*state);

    read.options.switches = (struct fabric_names){switches, 1};
    assert_int_equal(read_told(&read, nameless, ARRAY_SIZE(nameless)), 0);
    assert_int_equal(read.fabric->links, 1);
    assert_int_equal(read.remarks.left_out, 1);
    assert_string_equal(read.remarks.items.items[1],
                        "leaf1.txt: swp2: a neighbour without a system name: its link is left out");
}

static void a_rate_that_nobody_tells_is_refused(void **state)
{
    struct read read = new_read(*state);

    read.options.host_gbits = 0;
    assert_int_equal(read_told(&read, told, ARRAY_SIZE(told)), -1);
    assert_non_null(strstr(read.err.text, "--gbits"));
}

/* Containers: the host says that it routes. */
static void hosts_that_route_are_told_by_name(void **state)
{
    static const struct told routing[] = {
        {"node1", CHASSIS("eth2", "leaf1") BRIDGE("eth2") ID("eth2", "swp1")},
        {"leaf1", CHASSIS("swp1", "node1") BRIDGE("swp1") ID("swp1", "eth2")},
    };
    static const char *const names[] = {"node1", "leaf1"};
    struct read read = new_read(*state);

    assert_int_equal(read_told(&read, routing, ARRAY_SIZE(routing)), -1);
    assert_non_null(strstr(read.err.text, "--switches"));
    for (size_t i = 0; i < 2; i++) {
        read = new_read(*state);
        *(i == 0 ? &read.options.hosts : &read.options.switches) = (struct fabric_names){&names[i], 1};
        assert_int_equal(read_told(&read, routing, ARRAY_SIZE(routing)), 0);
        assert_true(fabric_is_host_link(read.fabric, port_of(&read, "leaf1", "swp1")));
    }
}

static void what_does_not_belong_is_left_out(void **state)
{
    static const char *const without[] = {"spine1"};
    struct read read = new_read(*state);

    read.options.without = (struct fabric_names){without, 1};
    assert_int_equal(read_plan(&read, slice_of(plan)), 0);
    assert_int_equal(read.fabric->links, 2);
}

/* --- counters --- */

static void counters_are_read_by_the_names_of_ports(void **state)
{
    static const char text[] = "Node,Port,Out,In,Errors\n"
                               "leaf1,Ethernet1/33,1000,2000,3\n"
                               "SPINE1,Ethernet1/1,-,1000\n"
                               "other,swp1,1,2\n";
    static const char ethtool[] = "== eth2 ==\nNIC statistics:\n     tx_bytes: 5\n     tx_bytes_phy: 4000\n"
                                  "     rx_bytes_phy: 5000\n     rx_crc_errors_phy: 2\n";
    struct read read = new_read(*state);
    struct fabric_counters counters;
    uint32_t up, host;

    assert_int_equal(read_plan(&read, slice_of(plan)), 0);
    fabric_no_counters(*state, read.fabric, &counters);
    assert_int_equal(fabric_read_counter_csv(read.cabling, "c.csv", slice_of(text), &counters, &read.err), 2);
    assert_int_equal(
        fabric_read_ethtool(read.cabling, "node1.txt", "node1", slice_of(ethtool), &counters, &read.err), 1);
    up = port_of(&read, "leaf1", "Ethernet1/33");
    host = port_of(&read, "node1", "eth2");
    assert_true(counters.sent[up] == 8000 && counters.received[up] == 16000 && counters.errors[up] == 3);
    assert_true(counters.sent[host] == 32000 && counters.received[host] == 40000 &&
                counters.errors[host] == 2);
    assert_true(isnan(counters.sent[port_of(&read, "spine1", "Ethernet1/1")]));
    assert_true(isnan(counters.errors[port_of(&read, "spine1", "Ethernet1/1")]));
}

static void counters_that_cannot_be_read_are_refused(void **state)
{
    static const struct refused lines[] = {
        {"leaf1,Ethernet1/33,1000\n", "c.csv:1: "},
        {"leaf1,Ethernet1/33,1000,2000\nleaf2,Ethernet1/33,1e3,2000\n", "c.csv:2: "},
        {"leaf1,Ethernet1/33,1000,2000\nLEAF1,Ethernet1/33,1001,2000\n",
         "c.csv:2: 'LEAF1,Ethernet1/33,1001,2000': the port is told of a second time"},
        {"leaf1,Ethernet1/33,1000,2000", "c.csv: its last line breaks off"},
    };
    struct read read = new_read(*state);
    struct fabric_counters counters;

    assert_int_equal(read_plan(&read, slice_of(plan)), 0);
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        fabric_no_counters(*state, read.fabric, &counters);
        assert_int_equal(
            fabric_read_counter_csv(read.cabling, "c.csv", slice_of(lines[i].text), &counters, &read.err),
            -1);
        if (strstr(read.err.text, lines[i].said) != read.err.text)
            fail_msg("%zu: %s", i, read.err.text);
    }
}

static const char readings[] = "# counters 0\nNode,Port,Out,In\nleaf1,Ethernet1/33,0,0\nnode1,eth2,0,0,0\n"
                               "# counters 1\nnode1,eth2,1000,2000,1\n";

static void readings_of_one_file_are_read_in_their_order(void **state)
{
    static const struct refused lines[] = {
        {"leaf1,Ethernet1/33,1,1\n", "c: expected '# counters 0' in its first line"},
        {"# counters 1\n", "c: expected '# counters 0' in its first line"},
        {"# counters 0\nleaf1,Ethernet1/33,1,1\n# counters 2\nleaf1,swp1\n", "c:4: "},
        {"# counters 0\nleaf1,Ethernet1/33,1,1\n# counters 1\nleaf1,Ethernet1/33,1,1\nleaf1,Ethernet1/33,1,1\n",
         "c:5: 'leaf1,Ethernet1/33,1,1': the port is told of a second time"},
        {"# counters 0\nleaf1,Ethernet1/33,1,12# counters 1\n", "c:2: "},
        {"# counters 0\nleaf1,Ethernet1/33,1,12", "c: its last line breaks off"},
    };
    struct read read = new_read(*state);
    struct fabric_counted_rounds counted;
    uint32_t up, host;

    assert_int_equal(read_plan(&read, slice_of(plan)), 0);
    if (fabric_read_counter_readings(*state, read.fabric, read.cabling, "c", slice_of(readings), &counted,
                                     &read.err) < 0)
        fail_msg("%s", read.err.text);
    up = port_of(&read, "leaf1", "Ethernet1/33");
    host = port_of(&read, "node1", "eth2");
    assert_int_equal(counted.readings.count, 2);
    assert_true(counted.readings.items[0].sent[up] == 0 && isnan(counted.readings.items[1].sent[up]));
    assert_true(counted.readings.items[1].sent[host] == 8000 && counted.readings.items[1].errors[host] == 1);
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
        assert_int_equal(fabric_read_counter_readings(*state, read.fabric, read.cabling, "c",
                                                      slice_of(lines[i].text), &counted, &read.err),
                         -1);
        if (strstr(read.err.text, lines[i].said) != read.err.text)
            fail_msg("%zu: %s", i, read.err.text);
    }
}

/* What both ends of the link of that port have counted in the second reading; bits. */
static void count(const struct fabric *fabric, struct fabric_counters *counters, uint32_t port, double here,
                  double there)
{
    uint32_t far = fabric->ports.items[port].far;

    counters[0].sent[port] = counters[0].received[port] = counters[0].sent[far] = counters[0].received[far] =
        0;
    counters[1].sent[port] = counters[1].received[port] = here;
    counters[1].sent[far] = counters[1].received[far] = there;
}

static void counters_of_another_time_are_found_by_the_other_end(void **state)
{
    struct read read = new_read(*state);
    struct fabric_counters counters[2];
    enum fabric_gap *gaps;
    bool *differing;
    size_t untied, ways;
    uint32_t host, up;

    assert_int_equal(read_plan(&read, slice_of(plan)), 0);
    ways = read.fabric->ports.count;
    gaps = arena_array(*state, enum fabric_gap, ways);
    host = port_of(&read, "node1", "eth2");
    up = port_of(&read, "leaf1", "Ethernet1/33");
    for (int i = 0; i < 2; i++)
        fabric_no_counters(*state, read.fabric, &counters[i]);
    /* All that is told of the leaf's uplink comes from the leaf alone. */
    count(read.fabric, counters, up, 8e11, NAN);
    differing = arena_array(*state, bool, ways);
    assert_int_equal(fabric_compare_ends(*state, read.fabric, counters, 1, 1, gaps, differing, &untied), 0);
    assert_int_equal(untied, 1);
    /* Its port to a host counts as the host does. */
    count(read.fabric, counters, host, 4e11, 3.7e11);
    assert_int_equal(fabric_compare_ends(*state, read.fabric, counters, 1, 1, gaps, differing, &untied), 0);
    assert_int_equal(untied, 0);
    /* And then otherwise, both ways; what is little is not compared. */
    count(read.fabric, counters, host, 4e11, 3.5e11);
    assert_int_equal(fabric_compare_ends(*state, read.fabric, counters, 1, 1, gaps, differing, &untied), 2);
    assert_true(differing[host] && differing[read.fabric->ports.items[host].far] && !differing[up]);
    count(read.fabric, counters, host, 1e10, 0);
    differing = arena_array(*state, bool, ways);
    assert_int_equal(fabric_compare_ends(*state, read.fabric, counters, 1, 1, gaps, differing, &untied), 0);
    /* The other end of an uplink alone is a spine, which no host ties. */
    count(read.fabric, counters, up, NAN, 8e11);
    assert_int_equal(fabric_compare_ends(*state, read.fabric, counters, 1, 1, gaps, differing, &untied), 0);
    assert_int_equal(untied, 1);
}

static void what_leaves_by_a_cable_that_nobody_declared_is_missed(void **state)
{
    static const char flows[] = "# round 1\nnode1 eth2 > node2 eth2: 390\nnode2 eth2 > node1 eth2: 390\n"
                                "# round 2\nnode1 eth2 > node2 eth2: 390\nnode2 eth2 > node1 eth2: 390\n";
    struct read read = new_read(*state);
    struct fabric_counters counters[3];
    struct fabric_measured measured;
    struct fabric_leaf *leaves;
    uint32_t host, up, leaf, other;

    assert_int_equal(read_plan(&read, slice_of(plan)), 0);
    assert_int_equal(fabric_read_flows(*state, read.fabric, "flows", slice_of(flows), &measured, &read.err),
                     0);
    host = port_of(&read, "node1", "eth2");
    up = port_of(&read, "leaf1", "Ethernet1/33");
    leaf = read.fabric->ports.items[up].node;
    other = read.fabric->ports.items[port_of(&read, "leaf2", "Ethernet1/33")].node;
    for (int i = 0; i < 3; i++)
        fabric_no_counters(*state, read.fabric, &counters[i]);
    leaves = arena_array(*state, struct fabric_leaf, read.fabric->nodes.count);
    /* Of leaf2 nothing is told, and of the second round nothing at all. What its leaf has received of a host goes before what the
       host has sent. */
    count(read.fabric, counters, host, 8e11, 4e11);
    count(read.fabric, counters, up, 2e11, 2e11);
    fabric_weigh_leaves(*state, read.fabric, &measured, counters, leaves);
    assert_true(leaves[leaf].links == 1 && leaves[leaf].share == 0.5 && !leaves[leaf].untold &&
                leaves[leaf].share < fabric_leaf_bound(1));
    for (size_t node = 0; node < read.fabric->nodes.count; node++)
        assert_true(node == leaf || (isnan(leaves[node].share) && leaves[node].untold == (node == other)));
    /* What the leaf itself does not tell of a link the other end does. */
    count(read.fabric, counters, up, NAN, 3e11);
    fabric_weigh_leaves(*state, read.fabric, &measured, counters, leaves);
    assert_true(leaves[leaf].share == 0.75 && !leaves[leaf].untold);
    /* A share that lacks what frames add is good. */
    assert_true(fabric_leaf_bound(1) == 0.75 && fabric_leaf_bound(7) > 7.0 / 8 &&
                fabric_leaf_bound(512) < 0.996);
}

/* --- what to expect of a hash --- */

static const struct fabric_tree two_levels = {
    .hosts = 32, .rails = 4, .down = 16, .up = 16, .spines = 4, .gbits = 400};
static const struct fabric_tree three_levels = {
    .hosts = 32, .rails = 2, .down = 8, .up = 8, .pod_leaves = 4, .cores = 16, .gbits = 400};
static const struct fabric_tree narrow = {
    .hosts = 32, .rails = 4, .down = 16, .up = 8, .spines = 4, .gbits = 400};
static const struct fabric_tree one_leaf = {
    .hosts = 8, .rails = 1, .down = 8, .up = 2, .spines = 2, .gbits = 400};

struct site {
    struct fabric *fabric;
    struct fabric_question question;
    struct fabric_ecmp *ecmp;
    struct fabric_ecmp_plan *plan;
};

static struct site plan_tree(struct arena *arena, const struct fabric_tree *tree, unsigned streams,
                             unsigned rounds)
{
    size_t count = (size_t)tree->hosts * tree->rails;
    struct site site = {.fabric = fabric_grow_tree(arena, tree)};
    uint32_t *ports = arena_array(arena, uint32_t, count), *hosts = arena_array(arena, uint32_t, count);

    for (size_t i = 0; i < count; i++) {
        hosts[i] = (uint32_t)(i / tree->rails);
        ports[i] = fabric_tree_port(site.fabric, tree, hosts[i], (unsigned)(i % tree->rails));
    }
    site.question =
        (struct fabric_question){.ports = ports, .hosts = hosts, .count = count, .rounds_most = rounds};
    site.ecmp = fabric_ecmp_new(arena, site.fabric, &site.question);
    site.plan = fabric_ecmp_plan(arena, site.fabric, &site.question, streams);
    return site;
}

/* A port sends once in a round and receives once, and never to its own host. */
static void a_round_is_a_shift_of_all_ports(void **state)
{
    struct site site = plan_tree(*state, &three_levels, 16, 0);
    const struct fabric_schedule *schedule = site.plan->schedule;
    size_t at = 0;

    assert_true(schedule->ends.count > 0);
    for (size_t round = 0; round < schedule->ends.count; round++) {
        bool *sends = arena_array(*state, bool, site.fabric->ports.count),
             *receives = arena_array(*state, bool, site.fabric->ports.count);

        assert_true(schedule->ends.items[round] - at >= site.question.count * 9 / 10);
        for (; at < schedule->ends.items[round]; at++) {
            struct fabric_flow flow = schedule->flows.items[at];
            const char *from = fabric_port_name(site.fabric, flow.from),
                       *to = fabric_port_name(site.fabric, flow.to);

            assert_false(sends[flow.from] || receives[flow.to]);
            assert_true(strcspn(from, " ") != strcspn(to, " ") ||
                        strncmp(from, to, strcspn(from, " ") + 1) != 0);
            sends[flow.from] = receives[flow.to] = true;
        }
    }
}

static void levels_and_leaves_are_those_of_the_tree(void **state)
{
    struct site two = plan_tree(*state, &two_levels, 16, 0), three = plan_tree(*state, &three_levels, 16, 0);

    assert_int_equal(fabric_ecmp_leaves(two.ecmp), 8);
    assert_int_equal(fabric_ecmp_levels(two.ecmp), 2);
    assert_int_equal(fabric_ecmp_leaves(three.ecmp), 8);
    assert_int_equal(fabric_ecmp_levels(three.ecmp), 3);
    assert_int_equal(fabric_ecmp_level_links(three.ecmp), 0);
    assert_int_equal(two.plan->schedule->links, two.fabric->links);
}

static double drawn_coverage(const struct site *site, const struct hash_round *round, struct arena *arena)
{
    const struct fabric_schedule *schedule = site->plan->schedule;
    size_t ways = site->fabric->ports.count, at = 0, covered = 0;
    double *gbits = arena_array(arena, double, ways);
    bool *carried = arena_array(arena, bool, ways);

    for (size_t i = 0; i < schedule->ends.count; at = schedule->ends.items[i++]) {
        hash_round_run(round, schedule->flows.items + at, schedule->ends.items[i] - at, gbits);
        for (size_t way = 0; way < ways; way++)
            carried[way] |= gbits[way] >= FABRIC_SHARE * site->fabric->ports.items[way].gbits;
    }
    for (uint32_t way = 0; way < ways; way++) {
        uint32_t far = site->fabric->ports.items[way].far;

        covered += far != FABRIC_NONE && far > way && carried[way] && carried[far];
    }
    return (double)covered / (double)site->fabric->links;
}

/* Drawn hashes load at least as many links as are expected, but for the chance of so few draws. */
static void what_is_expected_is_what_drawn_hashes_load(void **state)
{
    const struct fabric_tree *const trees[] = {&two_levels, &three_levels, &narrow};
    const unsigned streams[] = {4, 16};
    uint64_t seed = 7;

    for (size_t i = 0; i < ARRAY_SIZE(trees) * ARRAY_SIZE(streams); i++) {
        unsigned parts = streams[i % ARRAY_SIZE(streams)];
        struct site site = plan_tree(*state, trees[i / ARRAY_SIZE(streams)], parts, 0);
        struct hash_round round = {site.fabric, site.ecmp, parts, NULL, &seed};
        double expected = site.plan->expected[site.plan->schedule->ends.count - 1], sum = 0;

        assert_true(expected >= FABRIC_ENOUGH);
        for (int k = 0; k < 50; k++) {
            struct arena *scratch = arena_create();

            sum += drawn_coverage(&site, &round, scratch) / 50;
            arena_destroy(scratch);
        }
        if (sum < expected - 1e-3)
            fail_msg("%zu: expected %f, drawn %f", i, expected, sum);
    }
}

/* One round of a tree of two levels: an uplink's chance is that of a spread by hand, at no less load than it has. */
static void the_chance_of_an_uplink_is_that_of_a_spread(void **state)
{
    struct site site = plan_tree(*state, &two_levels, 16, 1);
    double most = fabric_spread_chance(16, 16, 16, FABRIC_PLANNED);

    for (uint32_t way = 0; way < site.fabric->ports.count; way++)
        if (!fabric_is_host_link(site.fabric, way)) {
            assert_true(site.plan->chances[way] <= most);
            assert_true(site.plan->chances[way] > fabric_spread_chance(16, 16, 16, 0.75));
        }
}

static void more_streams_and_rounds_cover_more(void **state)
{
    struct site few = plan_tree(*state, &two_levels, 4, 0), many = plan_tree(*state, &two_levels, 64, 0);

    assert_int_equal(many.plan->schedule->ends.count, FABRIC_ROUNDS_LEAST);
    assert_true(many.plan->expected[0] > few.plan->expected[2]);
    for (size_t i = 1; i < few.plan->schedule->ends.count; i++)
        assert_true(few.plan->expected[i] > few.plan->expected[i - 1]);
    few = plan_tree(*state, &two_levels, 4, 2);
    assert_int_equal(few.plan->schedule->ends.count, 2);
    assert_true(few.plan->expected[1] < FABRIC_ENOUGH);
}

/* Nothing crosses the uplinks of the only leaf. */
static void what_no_way_crosses_is_not_expected(void **state)
{
    struct site site = plan_tree(*state, &one_leaf, 16, 0);
    const struct fabric_schedule *schedule = site.plan->schedule;

    assert_int_equal(schedule->covered, 8);
    assert_int_equal(schedule->links, 10);
    assert_true(fabs(site.plan->expected[schedule->ends.count - 1] - 0.8) < 1e-9);
    for (uint32_t way = 0; way < site.fabric->ports.count; way++)
        assert_int_equal(schedule->gaps[way],
                         fabric_is_host_link(site.fabric, way) ? FABRIC_COVERED : FABRIC_NO_FLOW);
}

static uint64_t draw_next(void *context)
{
    return dice_next(context);
}

/* All ways of equal cost are drawn, and none that is longer. */
static void a_stream_takes_shortest_ways_only(void **state)
{
    struct site site = plan_tree(*state, &three_levels, 16, 0);
    bool *crossed = arena_array(*state, bool, site.fabric->ports.count);
    uint64_t seed = 1;
    size_t count = 0;

    for (unsigned i = 0; i < 4096; i++) {
        struct fabric_flow flow = {fabric_tree_port(site.fabric, &three_levels, 0, 0),
                                   fabric_tree_port(site.fabric, &three_levels, 31, 0)};
        uint32_t ways[FABRIC_HOPS_MAX];

        assert_int_equal(fabric_ecmp_route(site.ecmp, flow, draw_next, &seed, ways), 6);
        for (unsigned k = 0; k < 6; k++) {
            count += !crossed[ways[k]];
            crossed[ways[k]] = true;
        }
    }
    /* Both hosts, 8 uplinks, of 8 spines 4 each, as many down again, and 8 of the other leaf's. */
    assert_int_equal(count, 2 + 8 + 32 + 32 + 8);
}

/* --- beside its siblings --- */

/* What each way carries in all rounds of the plan; ret_proven: half of its rate in one of them. */
static double *carried_by(const struct site *site, struct arena *arena, const double *able, uint64_t *seed,
                          bool *ret_proven)
{
    const struct fabric_schedule *schedule = site->plan->schedule;
    struct hash_round round = {site->fabric, site->ecmp, 16, able, seed};
    double *gbits = arena_array(arena, double, site->fabric->ports.count),
           *carried = arena_array(arena, double, site->fabric->ports.count);
    size_t at = 0;

    for (size_t i = 0; i < schedule->ends.count; at = schedule->ends.items[i++]) {
        hash_round_run(&round, schedule->flows.items + at, schedule->ends.items[i] - at, gbits);
        for (size_t way = 0; way < site->fabric->ports.count; way++) {
            carried[way] += gbits[way];
            ret_proven[way] |= gbits[way] >= FABRIC_SHARE * site->fabric->ports.items[way].gbits;
        }
    }
    return carried;
}

static double *all_able(const struct site *site, struct arena *arena)
{
    double *able = arena_array(arena, double, site->fabric->ports.count);

    for (size_t way = 0; way < site->fabric->ports.count; way++)
        able[way] = 1;
    return able;
}

static void a_link_at_half_rate_is_named_and_nobody_else(void **state)
{
    struct site site = plan_tree(*state, &three_levels, 16, 0);
    double *able = all_able(&site, *state);
    uint64_t seed = 3;
    size_t named = 0, tried = 0;

    for (uint32_t way = 0; way < site.fabric->ports.count; way += 5) {
        uint32_t far = site.fabric->ports.items[way].far;
        struct arena *scratch = *state;
        struct fabric_siblings siblings;

        if (!fabric_is_host_link(site.fabric, way)) {
            bool *proven = arena_array(scratch, bool, site.fabric->ports.count);
            double *carried;

            able[way] = able[far] = 0.5;
            carried = carried_by(&site, scratch, able, &seed, proven);
            fabric_compare_siblings(scratch, site.ecmp, carried, proven, &siblings);
            able[way] = able[far] = 1;
            tried++;
            named += siblings.items.count;
            if (siblings.items.count > 0)
                assert_int_equal(siblings.items.items[0].link, fabric_link_of(site.fabric, way));
            assert_true(siblings.items.count <= 1);
        }
    }
    assert_true(tried > 20 && named * 10 >= tried * 8);
}

/* Every second uplink is hardly taken: that is the hash, and no fault. */
static void an_uneven_hash_names_no_link(void **state)
{
    struct site site = plan_tree(*state, &two_levels, 16, 0);
    uint64_t seed = 4;
    bool *proven = arena_array(*state, bool, site.fabric->ports.count);
    double *carried = carried_by(&site, *state, NULL, &seed, proven);
    struct fabric_siblings siblings;

    for (uint32_t way = 0; way < site.fabric->ports.count; way++)
        if (!fabric_is_host_link(site.fabric, way) && fabric_link_of(site.fabric, way) % 8 == 0) {
            carried[way] *= 0.1;
            proven[way] = false;
        }
    fabric_compare_siblings(*state, site.ecmp, carried, proven, &siblings);
    assert_true(siblings.compared > 0 && siblings.items.count > 4 && siblings.uneven);
}

static void links_that_nobody_counted_are_compared_with_none(void **state)
{
    struct site site = plan_tree(*state, &two_levels, 16, 0);
    double *carried = arena_array(*state, double, site.fabric->ports.count);
    struct fabric_siblings siblings;

    for (size_t way = 0; way < site.fabric->ports.count; way++)
        carried[way] = NAN;
    fabric_compare_siblings(*state, site.ecmp, carried, arena_array(*state, bool, site.fabric->ports.count),
                            &siblings);
    assert_true(siblings.compared == 0 && siblings.items.count == 0 && !siblings.uneven);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_arena, drop_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_plan_tells_links_by_their_names),
        CASE(what_is_wrong_in_a_plan_is_told_with_its_line),
        CASE(a_cut_plan_is_refused_or_tells_fewer_links),
        CASE(lldp_tells_the_same_from_both_ends),
        CASE(what_ends_tell_differently_is_refused),
        CASE(what_one_end_tells_alone_is_remarked),
        CASE(a_neighbour_without_a_name_is_left_out),
        CASE(a_rate_that_nobody_tells_is_refused),
        CASE(hosts_that_route_are_told_by_name),
        CASE(what_does_not_belong_is_left_out),
        CASE(counters_are_read_by_the_names_of_ports),
        CASE(counters_that_cannot_be_read_are_refused),
        CASE(readings_of_one_file_are_read_in_their_order),
        CASE(counters_of_another_time_are_found_by_the_other_end),
        CASE(what_leaves_by_a_cable_that_nobody_declared_is_missed),
        CASE(a_round_is_a_shift_of_all_ports),
        CASE(levels_and_leaves_are_those_of_the_tree),
        CASE(what_is_expected_is_what_drawn_hashes_load),
        CASE(the_chance_of_an_uplink_is_that_of_a_spread),
        CASE(more_streams_and_rounds_cover_more),
        CASE(what_no_way_crosses_is_not_expected),
        CASE(a_stream_takes_shortest_ways_only),
        CASE(a_link_at_half_rate_is_named_and_nobody_else),
        CASE(an_uneven_hash_names_no_link),
        CASE(links_that_nobody_counted_are_compared_with_none),
    };

    return cmocka_run_group_tests_name("ethernet", tests, NULL, NULL);
}
