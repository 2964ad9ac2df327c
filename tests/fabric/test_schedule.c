/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules hold what schedule.h promises, and links that do badly are named. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "assay/fabric/flows.h"
#include "assay/fabric/rates.h"

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

static const struct fabric_tree small = {
    .hosts = 16, .rails = 2, .down = 4, .up = 4, .spines = 2, .gbits = 400};
static const struct fabric_tree pods = {
    .hosts = 32, .rails = 2, .down = 4, .up = 4, .pod_leaves = 4, .cores = 8, .gbits = 400};

struct site {
    struct fabric *fabric;
    struct fabric_question question;
    struct fabric_schedule *schedule;
};

static struct site site_of(struct arena *arena, const struct fabric_tree *tree, unsigned hosts)
{
    size_t count = (size_t)hosts * tree->rails;
    uint32_t *ports = arena_array(arena, uint32_t, count), *of = arena_array(arena, uint32_t, count);
    struct site site = {.fabric = fabric_grow_tree(arena, tree),
                        .question = {.ports = ports, .hosts = of, .count = count}};

    for (size_t i = 0; i < count; i++) {
        of[i] = (uint32_t)(i / tree->rails);
        ports[i] = fabric_tree_port(site.fabric, tree, of[i], (unsigned)(i % tree->rails));
    }
    return site;
}

static struct site planned(struct arena *arena, const struct fabric_tree *tree)
{
    struct site site = site_of(arena, tree, tree->hosts);

    site.schedule = fabric_plan(arena, site.fabric, &site.question);
    return site;
}

static void all_links_of_a_tree_are_covered_and_told_apart(void **state)
{
    const struct fabric_tree *const trees[] = {&small, &pods};

    for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
        struct site site = planned(*state, trees[i]);

        assert_int_equal(site.schedule->links, site.fabric->links);
        assert_int_equal(site.schedule->covered, site.schedule->links);
        assert_int_equal(site.schedule->alike, 0);
        assert_int_equal(site.schedule->least, 2);
        assert_in_range(site.schedule->covering, 2, 8);
        assert_in_range(site.schedule->ends.count, site.schedule->covering, 16);
    }
}

/* Counted again, without the planner's own books. */
static void no_port_is_in_two_flows_of_a_round_and_no_two_flows_meet(void **state)
{
    struct site site = planned(*state, &pods);
    size_t at = 0;

    for (size_t r = 0; r < site.schedule->ends.count; r++) {
        bool *taken = arena_array(*state, bool, site.fabric->ports.count),
             *port = arena_array(*state, bool, site.fabric->ports.count);

        for (; at < site.schedule->ends.items[r]; at++) {
            const struct fabric_flow *flow = &site.schedule->flows.items[at];
            uint32_t ways[FABRIC_HOPS_MAX];
            unsigned hops = fabric_route(site.fabric, flow->from, flow->to, ways);

            assert_true(hops > 0 && !port[flow->from] && !port[flow->to]);
            port[flow->from] = port[flow->to] = true;
            for (unsigned i = 0; i < hops; i++) {
                assert_false(taken[ways[i]]);
                taken[ways[i]] = true;
            }
        }
    }
    assert_int_equal(at, site.schedule->flows.count);
}

static size_t gaps_of(const struct site *site, enum fabric_gap gap)
{
    size_t count = 0;

    for (size_t way = 0; way < site->fabric->ports.count; way++)
        count += site->schedule->gaps[way] == gap;
    return count;
}

static void the_same_question_gets_the_same_schedule(void **state)
{
    struct site a = planned(*state, &small), b = planned(*state, &small);

    assert_int_equal(a.schedule->flows.count, b.schedule->flows.count);
    assert_memory_equal(a.schedule->flows.items, b.schedule->flows.items,
                        a.schedule->flows.count * sizeof *a.schedule->flows.items);
}

/* With the hosts of one leaf alone nothing goes up: no uplink is said to be covered. */
static void what_no_flow_can_cross_is_not_covered(void **state)
{
    struct site site = site_of(*state, &small, small.down);

    site.schedule = fabric_plan(*state, site.fabric, &site.question);
    assert_int_equal(gaps_of(&site, FABRIC_UNTESTED), 2 * (small.hosts - small.down) * small.rails);
    assert_int_equal(site.schedule->links, site.fabric->links - (small.hosts - small.down) * small.rails);
    assert_int_equal(gaps_of(&site, FABRIC_COVERED),
                     2 * small.down * small.rails + 2 * small.up * small.rails);
}

static void a_link_that_is_down_is_listed(void **state)
{
    struct site site = site_of(*state, &small, small.hosts);
    uint32_t way = FABRIC_NONE;

    for (uint32_t i = 0; i < site.fabric->ports.count && way == FABRIC_NONE; i++)
        if (!fabric_is_host_link(site.fabric, i))
            way = i;
    site.fabric->ports.items[way].inactive =
        site.fabric->ports.items[site.fabric->ports.items[way].far].inactive = true;
    site.schedule = fabric_plan(*state, site.fabric, &site.question);
    assert_int_equal(gaps_of(&site, FABRIC_INACTIVE), 2);
    assert_true(site.schedule->covered < site.schedule->links);
}

/* Links of switches that are three times as fast as those of hosts take two flows at once. */
static void a_faster_link_is_covered_by_several_flows_or_not_at_all(void **state)
{
    struct site site = site_of(*state, &small, small.hosts);

    for (uint32_t i = 0; i < site.fabric->ports.count; i++)
        if (!fabric_is_host_link(site.fabric, i))
            site.fabric->ports.items[i].gbits = 1200;
    site.schedule = fabric_plan(*state, site.fabric, &site.question);
    for (uint32_t i = 0; i < site.fabric->ports.count; i++)
        if (!fabric_is_host_link(site.fabric, i) && site.schedule->gaps[i] != FABRIC_COVERED)
            assert_int_equal(site.schedule->gaps[i], FABRIC_TOO_LITTLE);
}

/* Adapters at half the rate of uplinks, of which each leads to two of a leaf: flows that are just not slow prove them. */
static void links_that_need_two_flows_are_planned_with_a_margin(void **state)
{
    static const struct fabric_tree wide = {
        .hosts = 32, .rails = 1, .down = 8, .up = 4, .spines = 2, .gbits = 400};
    struct site site = site_of(*state, &wide, wide.hosts);
    double *load = arena_array(*state, double, site.fabric->ports.count);
    double *most = arena_array(*state, double, site.fabric->ports.count);
    size_t at = 0;

    for (uint32_t i = 0; i < site.fabric->ports.count; i++)
        if (fabric_is_host_link(site.fabric, i))
            site.fabric->ports.items[i].gbits = 200;
    site.schedule = fabric_plan(*state, site.fabric, &site.question);
    assert_int_equal(site.schedule->covered, site.schedule->links);
    for (size_t r = 0; r < site.schedule->ends.count; r++) {
        memset(load, 0, site.fabric->ports.count * sizeof *load);
        for (; at < site.schedule->ends.items[r]; at++) {
            const struct fabric_flow *flow = &site.schedule->flows.items[at];
            uint32_t ways[FABRIC_HOPS_MAX];
            unsigned hops = fabric_route(site.fabric, flow->from, flow->to, ways);

            for (unsigned i = 0; i < hops; i++)
                load[ways[i]] += 200;
        }
        for (size_t way = 0; way < site.fabric->ports.count; way++)
            most[way] = fmax(most[way], load[way]);
    }
    for (size_t way = 0; way < site.fabric->ports.count; way++)
        if (site.schedule->gaps[way] == FABRIC_COVERED)
            assert_true(FABRIC_SLOW * most[way] >= FABRIC_SHARE * site.fabric->ports.items[way].gbits - 1e-6);
}

/* --- rates --- */

static enum fabric_trained trained(struct arena *arena, const struct site *site, uint32_t link)
{
    return fabric_trained(site->fabric, fabric_find_peers(arena, site->fabric, site->schedule->gaps),
                          fabric_link_of(site->fabric, link));
}

static void train(const struct site *site, uint32_t way, double gbits)
{
    site->fabric->ports.items[way].gbits =
        site->fabric->ports.items[site->fabric->ports.items[way].far].gbits = gbits;
}

static uint32_t any_uplink(const struct site *site)
{
    uint32_t way = 0;

    while (fabric_is_host_link(site->fabric, way))
        way++;
    return way;
}

static void a_link_that_trained_slower_than_its_peers_is_slow(void **state)
{
    struct site site = planned(*state, &small);
    uint32_t host = site.question.ports[0], uplink = any_uplink(&site);

    assert_int_equal(trained(*state, &site, host), FABRIC_TRAINED_LIKE_PEERS);
    train(&site, host, 100);
    train(&site, uplink, 200);
    assert_int_equal(trained(*state, &site, host), FABRIC_TRAINED_SLOW);
    assert_int_equal(trained(*state, &site, uplink), FABRIC_TRAINED_SLOW);
    assert_int_equal(trained(*state, &site, site.question.ports[1]), FABRIC_TRAINED_LIKE_PEERS);
    site.fabric->nodes.items[site.fabric->ports.items[host].node].device = 0x101b; /* another adapter */
    assert_int_equal(trained(*state, &site, host), FABRIC_TRAINED_LIKE_PEERS);
}

static void where_half_of_the_links_are_slower_nobody_knows_what_is_owed(void **state)
{
    struct site site = planned(*state, &small);

    for (size_t i = 0; i < site.question.count; i += 2)
        train(&site, site.question.ports[i], 200);
    assert_int_equal(trained(*state, &site, site.question.ports[0]), FABRIC_TRAINED_UNLIKE);
    assert_int_equal(trained(*state, &site, site.question.ports[1]), FABRIC_TRAINED_LIKE_PEERS);
    assert_int_equal(trained(*state, &site, any_uplink(&site)), FABRIC_TRAINED_LIKE_PEERS);
}

static void rounds_end_where_they_have_to(void **state)
{
    struct site site = site_of(*state, &small, small.hosts);

    site.question.rounds_most = 1;
    site.schedule = fabric_plan(*state, site.fabric, &site.question);
    assert_int_equal(site.schedule->ends.count, 1);
    assert_true(site.schedule->covered < site.schedule->links);
    assert_true(gaps_of(&site, FABRIC_NO_ROUND) > 0);
}

/* --- suspects --- */

static struct fabric_suspects suspects_of(struct arena *arena, const struct site *site, const uint32_t *bad,
                                          size_t count, bool one_way)
{
    struct fabric_seen *seen = arena_array(arena, struct fabric_seen, site->schedule->flows.count);
    struct fabric_suspects suspects;

    for (size_t i = 0; i < site->schedule->flows.count; i++) {
        uint32_t ways[FABRIC_HOPS_MAX];
        unsigned hops = fabric_route(site->fabric, site->schedule->flows.items[i].from,
                                     site->schedule->flows.items[i].to, ways);

        seen[i] = (struct fabric_seen){site->schedule->flows.items[i], 0.98 + 0.001 * (double)(i % 7)};
        for (unsigned k = 0; k < hops; k++)
            for (size_t b = 0; b < count; b++)
                if (ways[k] == bad[b] || (!one_way && site->fabric->ports.items[ways[k]].far == bad[b]))
                    seen[i].share = 0.5;
    }
    fabric_suspect_slow(arena, site->fabric, seen, site->schedule->flows.count, 0.9, &suspects);
    return suspects;
}

static void any_slow_link_is_named_and_no_other(void **state)
{
    struct site site = planned(*state, &pods);

    for (int one_way = 0; one_way <= 1; one_way++)
        for (uint32_t way = 0; way < site.fabric->ports.count; way++) {
            struct fabric_suspects suspects = suspects_of(*state, &site, &way, 1, one_way == 1);

            assert_int_equal(suspects.items.count, 1);
            assert_int_equal(suspects.items.items[0].count, 1);
            assert_int_equal(suspects.items.items[0].links[0], fabric_link_of(site.fabric, way));
            assert_int_equal(suspects.unexplained, 0);
            assert_float_equal(suspects.items.items[0].share, 0.5, 1e-9);
        }
}

static void two_slow_links_are_both_named(void **state)
{
    struct site site = planned(*state, &pods);
    uint32_t bad[2] = {0, (uint32_t)site.fabric->ports.count - 1};
    struct fabric_suspects suspects = suspects_of(*state, &site, bad, 2, false);

    assert_int_equal(suspects.items.count, 2);
    assert_int_equal(suspects.items.items[0].count + suspects.items.items[1].count, 2);
}

static void a_healthy_fabric_has_no_suspect(void **state)
{
    struct site site = planned(*state, &small);
    struct fabric_suspects suspects = suspects_of(*state, &site, NULL, 0, false);

    assert_int_equal(suspects.items.count, 0);
    assert_int_equal(suspects.measured, site.schedule->flows.count);
}

/* The same flow twice, once slow: no steady link is it, and none is named. */
static void a_flow_that_is_slow_once_names_nobody(void **state)
{
    struct site site = planned(*state, &small);
    struct fabric_flow flow = site.schedule->flows.items[0];
    struct fabric_seen seen[] = {{flow, 0.5}, {flow, 0.98}, {flow, 0.98}, {{0, 0}, NAN}};
    struct fabric_suspects suspects;

    fabric_suspect_slow(*state, site.fabric, seen, ARRAY_SIZE(seen), 0.9, &suspects);
    assert_int_equal(suspects.items.count, 0);
    assert_int_equal(suspects.unexplained, 1);
    assert_int_equal(suspects.measured, 3);
}

/* Of flows that scatter by 2% one may be 11% below by chance; none is half as fast. */
static void a_flow_that_noise_may_have_made_slow_accuses_no_link(void **state)
{
    static const double shares[] = {0.87, 0.5};
    struct site site = planned(*state, &pods);
    size_t count = site.schedule->flows.count;
    struct fabric_seen *seen = arena_array(*state, struct fabric_seen, count);

    for (size_t turn = 0; turn < ARRAY_SIZE(shares); turn++) {
        struct fabric_suspects suspects;

        for (size_t i = 0; i < count; i++)
            seen[i] = (struct fabric_seen){site.schedule->flows.items[i],
                                           0.98 + 0.005 * ((double)(i * 7 % 11) - 5)};
        seen[0].share = shares[turn];
        for (size_t i = 1; i < count; i++) /* nothing else tells of its first link */
            if (seen[i].flow.from == seen[0].flow.from)
                seen[i].share = NAN;
        fabric_suspect_slow(*state, site.fabric, seen, count, 0.9, &suspects);
        assert_int_equal(suspects.slow, 1);
        assert_int_equal(suspects.items.count, turn);
        assert_int_equal(suspects.unexplained, 1 - turn);
    }
}

static void links_that_nothing_tells_apart_are_named_together(void **state)
{
    struct site site = planned(*state, &small);
    struct fabric_flow flow = site.schedule->flows.items[0], other = site.schedule->flows.items[1];
    struct fabric_seen seen[] = {{flow, 0.5}, {other, 0.98}, {other, 0.98}};
    struct fabric_suspects suspects;
    uint32_t ways[FABRIC_HOPS_MAX];

    fabric_suspect_slow(*state, site.fabric, seen, ARRAY_SIZE(seen), 0.9, &suspects);
    assert_int_equal(suspects.items.count, 1);
    assert_int_equal(suspects.items.items[0].count, fabric_route(site.fabric, flow.from, flow.to, ways));
}

/* Poisson by hand: of 0.1 expected errors 5 or more come with 7.7e-8, 6 or more with 1.3e-9, 7 with 1.8e-11. */
static void errors_tell_when_chance_does_not_explain_them(void **state)
{
    (void)state;
    assert_false(fabric_errors_tell(0, 1e13, 1e-14));
    assert_false(fabric_errors_tell(6, 1e13, 1e-14));
    assert_true(fabric_errors_tell(7, 1e13, 1e-14));
    assert_false(fabric_errors_tell(7, 0, 1e-14));
    assert_true(fabric_errors_tell(1e6, 1e13, 1e-14));
    assert_false(fabric_errors_tell(100100, 1e19, 1e-14));
}

/* At 400 Gb/s that is less than a minute of load. */
static void bits_that_tell_a_rate_of_1e12_are_known_before(void **state)
{
    double bits = fabric_bits_to_tell(1e-12, 1e-14, 1e-3);

    (void)state;
    assert_true(bits > 1e13 && bits < 2.4e13);
}

static void only_counters_prove_that_a_way_carried_load(void **state)
{
    struct site site = planned(*state, &small);
    size_t ways = site.fabric->ports.count;
    struct fabric_counted *counted = arena_array(*state, struct fabric_counted, ways);
    bool *proven = arena_array(*state, bool, ways);

    for (size_t i = 0; i < ways; i++)
        counted[i] = (struct fabric_counted){NAN, NAN};
    counted[0].sent_bits = 2001e9;     /* of 4,000 in ten seconds */
    counted[1].received_bits = 2001e9; /* its other port alone was asked */
    counted[2].sent_bits = 1999e9;
    fabric_proof(site.fabric, counted, 10, proven);
    assert_true(proven[0] && proven[1]);
    for (size_t i = 2; i < ways; i++)
        assert_false(proven[i]);
}

/* --- what flows that ran cover, and what counters make of it --- */

/* Counters before and after one round in which every flow had all of its rate. */
static void count_round(struct arena *arena, const struct site *site, const struct fabric_measured *measured,
                        double seconds, struct fabric_counters counters[2])
{
    for (int i = 0; i < 2; i++) {
        fabric_no_counters(arena, site->fabric, &counters[i]);
        for (size_t way = 0; way < site->fabric->ports.count; way++)
            counters[i].sent[way] = counters[i].received[way] = 1000;
    }
    for (size_t i = 0; i < measured->flows.count; i++) {
        uint32_t ways[FABRIC_HOPS_MAX];
        unsigned count = fabric_route(site->fabric, measured->flows.items[i].flow.from,
                                      measured->flows.items[i].flow.to, ways);

        for (unsigned k = 0; k < count; k++) {
            counters[1].sent[ways[k]] += 400e9 * seconds;
            counters[1].received[site->fabric->ports.items[ways[k]].far] += 400e9 * seconds;
        }
    }
}

static struct fabric_measured first_round(struct arena *arena, const struct site *site)
{
    struct fabric_measured measured = {0};

    for (size_t i = 0; i < site->schedule->ends.items[0]; i++)
        *list_push(arena, &measured.flows) = (struct fabric_seen){site->schedule->flows.items[i], 0.97};
    *list_push(arena, &measured.ends) = measured.flows.count;
    return measured;
}

static void only_ways_of_flows_that_ran_are_covered(void **state)
{
    struct site site = planned(*state, &small);
    struct fabric_measured measured = first_round(*state, &site);
    size_t ways = site.fabric->ports.count;
    enum fabric_gap *gaps = arena_array(*state, enum fabric_gap, ways);
    bool *takes_part = arena_array(*state, bool, ways), *crossed = arena_array(*state, bool, ways);
    uint32_t last = site.question.ports[site.question.count - 1];

    for (size_t i = 0; i + 1 < site.question.count; i++)
        takes_part[site.question.ports[i]] = true;
    for (size_t i = 0; i < measured.flows.count; i++) {
        uint32_t on[FABRIC_HOPS_MAX];
        unsigned count =
            fabric_route(site.fabric, measured.flows.items[i].flow.from, measured.flows.items[i].flow.to, on);

        for (unsigned k = 0; k < count; k++)
            crossed[on[k]] = true;
    }
    fabric_cover(*state, site.fabric, &measured, takes_part, gaps);
    assert_int_equal(gaps[last], FABRIC_UNTESTED);
    for (uint32_t way = 0; way < ways; way++)
        if (fabric_link_of(site.fabric, way) != fabric_link_of(site.fabric, last))
            assert_int_equal(gaps[way], crossed[way] ? FABRIC_COVERED : FABRIC_NO_FLOW);
}

static void counters_that_saw_less_than_flows_say_contradict(void **state)
{
    struct site site = planned(*state, &small);
    struct fabric_measured measured = first_round(*state, &site);
    bool *ways = arena_array(*state, bool, site.fabric->ports.count);
    struct fabric_counters counters[2];
    uint32_t on[FABRIC_HOPS_MAX];

    count_round(*state, &site, &measured, 10, counters);
    assert_int_equal(fabric_contradict(*state, site.fabric, &measured, counters, 10, ways), 0);
    fabric_route(site.fabric, measured.flows.items[0].flow.from, measured.flows.items[0].flow.to, on);
    counters[1].sent[on[1]] = counters[0].sent[on[1]];
    assert_int_equal(fabric_contradict(*state, site.fabric, &measured, counters, 10, ways), 0);
    counters[1].received[site.fabric->ports.items[on[1]].far] = 2000;
    assert_int_equal(fabric_contradict(*state, site.fabric, &measured, counters, 10, ways), 1);
    assert_true(ways[on[1]]);
}

/* Errors of two rounds at the port that receives; NAN: its row is missing. */
static const struct errors_row {
    double readings[3], errors;
    bool told;
} errors_rows[] = {
    {{5, 5, 5}, 0, true},        {{5, 15, 1005}, 1000, true}, {{5, NAN, 1005}, 1000, true},
    {{5, 905, NAN}, 900, false}, {{NAN, 5, 905}, 900, false}, {{NAN, 5, NAN}, NAN, false},
    {{1005, 5, 15}, 10, false},
};

static void a_reading_that_is_missing_hides_no_errors(void **state)
{
    struct site site = planned(*state, &small);
    struct fabric_measured measured = first_round(*state, &site);
    uint32_t way = measured.flows.items[0].flow.from, far = site.fabric->ports.items[way].far;

    for (size_t i = 0; i < ARRAY_SIZE(errors_rows); i++) {
        const struct errors_row *row = &errors_rows[i];
        struct fabric_counters counters[3];
        struct fabric_proven proven;

        count_round(*state, &site, &measured, 10, counters);
        fabric_no_counters(*state, site.fabric, &counters[2]);
        for (size_t k = 0; k < 3; k++)
            counters[k].errors[far] = row->readings[k];
        fabric_prove(*state, site.fabric, counters, 2, 10, site.schedule->gaps, &proven);
        assert_true(isnan(row->errors) ? isnan(proven.errors[way]) : proven.errors[way] == row->errors);
        assert_int_equal(proven.told[way], row->told);
        assert_true(proven.ways[way]);
        /* Nobody counted in the second round: it may have carried all. */
        assert_float_equal(proven.bits[way], 2 * 400e9 * 10, 1);
        assert_int_equal(fabric_errors_tell(proven.errors[way], proven.bits[way], FABRIC_BER_LIMIT),
                         row->errors > 6); /* see errors_tell_when_chance_does_not_explain_them */
    }
}

static void adapters_are_found_by_hosts_own_names(void **state)
{
    static const char *const wanted[] = {"NODE3.dc1.example mlx5_1", "node3 mlx5_1", "node3 mlx5_7",
                                         "node33 mlx5_1"};
    struct site site = planned(*state, &small);
    uint32_t ports[ARRAY_SIZE(wanted)];

    fabric_find_adapters(*state, site.fabric, wanted, ARRAY_SIZE(wanted), ports);
    assert_int_equal(ports[0], fabric_tree_port(site.fabric, &small, 2, 1));
    assert_int_equal(ports[1], ports[0]);
    assert_int_equal(ports[2], FABRIC_NONE);
    assert_int_equal(ports[3], FABRIC_NONE);
}

static void rows_of_counters_are_read_whole_or_not_at_all(void **state)
{
    static const char good[] = "# counters 0\n10 1 5 7 -\n999 1 1 1 1\n# counters 1\n10 1 6 - 3\n";
    static const char *const bad[] = {"10 1 5 7 0\n",
                                      "# counters 1\n",
                                      "# counters 0\n# counters 2\n",
                                      "# counters 0\n10 1 5\n",
                                      "# counters 0\n10 1 5 7 0 0\n",
                                      "# counters 0\n10 1 5 7 -1\n",
                                      "# counters 0\n10 1 5 7"};
    struct site site = planned(*state, &small);
    uint32_t port = fabric_tree_port(site.fabric, &small, 0, 0);
    struct fabric_counted_rounds counted;
    struct error err = {0};

    assert_int_equal(
        fabric_read_counter_rows(*state, site.fabric, "counters", slice_of(good), &counted, &err), 0);
    assert_int_equal(counted.readings.count, 2);
    assert_true(counted.readings.items[0].sent[port] == 160 &&
                counted.readings.items[0].received[port] == 224);
    assert_true(isnan(counted.readings.items[0].errors[port]) &&
                isnan(counted.readings.items[1].received[port]));
    assert_true(counted.readings.items[1].errors[port] == 3);
    assert_true(isnan(counted.readings.items[1].sent[port + 1]));
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        assert_int_equal(
            fabric_read_counter_rows(*state, site.fabric, "counters", slice_of(bad[i]), &counted, &err), -1);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_arena, drop_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(all_links_of_a_tree_are_covered_and_told_apart),
        CASE(no_port_is_in_two_flows_of_a_round_and_no_two_flows_meet),
        CASE(the_same_question_gets_the_same_schedule),
        CASE(what_no_flow_can_cross_is_not_covered),
        CASE(a_link_that_is_down_is_listed),
        CASE(a_faster_link_is_covered_by_several_flows_or_not_at_all),
        CASE(links_that_need_two_flows_are_planned_with_a_margin),
        CASE(a_link_that_trained_slower_than_its_peers_is_slow),
        CASE(where_half_of_the_links_are_slower_nobody_knows_what_is_owed),
        CASE(rounds_end_where_they_have_to),
        CASE(any_slow_link_is_named_and_no_other),
        CASE(two_slow_links_are_both_named),
        CASE(a_healthy_fabric_has_no_suspect),
        CASE(a_flow_that_is_slow_once_names_nobody),
        CASE(a_flow_that_noise_may_have_made_slow_accuses_no_link),
        CASE(links_that_nothing_tells_apart_are_named_together),
        CASE(errors_tell_when_chance_does_not_explain_them),
        CASE(bits_that_tell_a_rate_of_1e12_are_known_before),
        CASE(only_counters_prove_that_a_way_carried_load),
        CASE(only_ways_of_flows_that_ran_are_covered),
        CASE(counters_that_saw_less_than_flows_say_contradict),
        CASE(a_reading_that_is_missing_hides_no_errors),
        CASE(adapters_are_found_by_hosts_own_names),
        CASE(rows_of_counters_are_read_whole_or_not_at_all),
    };

    return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
