/* SPDX-License-Identifier: Apache-2.0 */
/* usage: bench_links [TRIALS]. See scripts/benches/links. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "assay/base/arena.h"
#include "assay/fabric/ecmp.h"
#include "assay/fabric/suspects.h"
#include "dice.h"
#include "hash_round.h"

#define NOISE 0.02 /* standard deviation of what a healthy flow shows */
#define BAD_BER 1e-12
#define WORST_HEALTHY 5e-15 /* where NVIDIA's bring-up procedure begins to warn */
#define MISS 1e-3
#define ALMOST_ALL 0.999
#define PLAN_S 10
enum { STREAMS = 16, ETHERNET_TRIALS = 100 };

/* Switches of 64 ports, as a leaf of 32 hosts a rail has them. */
static const struct fabric_tree trees[] = {
    {.hosts = 64, .rails = 8, .down = 32, .up = 32, .spines = 8, .gbits = 400},
    {.hosts = 512, .rails = 8, .down = 32, .up = 32, .pod_leaves = 32, .cores = 64, .gbits = 400},
    {.hosts = 4096, .rails = 8, .down = 32, .up = 32, .pod_leaves = 32, .cores = 512, .gbits = 400},
};

struct site {
    const struct fabric_tree *tree;
    struct arena *arena;
    struct fabric *fabric;
    struct fabric_schedule *schedule;
    double plan_s;
    struct fabric_question question;
    uint32_t *uplinks; /* one port of each link between switches */
    size_t uplink_count;
    double seconds; /* of a round */
    /* Of each flow, and of each way: what trials have in common. */
    struct path {
        uint32_t ways[FABRIC_HOPS_MAX];
        unsigned hops;
    } * paths;
    double *bits, *error_free; /* error_free: the chance, at the rate that the healthy link has */
};

static double cpu_now(void)
{
    struct timespec at;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void print(const struct site *site, const char *figure, double value, const char *unit,
                  const char *aim, int met)
{
    printf("bench links %u-hosts-%s value=%.6g unit=%s aim=%s met=%s\n", site->tree->hosts, figure, value,
           unit, aim,
           met < 0 ? "-"
           : met   ? "yes"
                   : "no");
    fflush(stdout);
}

static void plan(struct site *site)
{
    const struct fabric_tree *tree = site->tree;
    size_t count = (size_t)tree->hosts * tree->rails;
    uint32_t *ports = arena_array(site->arena, uint32_t, count),
             *hosts = arena_array(site->arena, uint32_t, count);
    double begun;

    site->fabric = fabric_grow_tree(site->arena, tree);
    for (size_t i = 0; i < count; i++) {
        hosts[i] = (uint32_t)(i / tree->rails);
        ports[i] = fabric_tree_port(site->fabric, tree, hosts[i], (unsigned)(i % tree->rails));
    }
    site->question = (struct fabric_question){.ports = ports, .hosts = hosts, .count = count};
    begun = cpu_now();
    site->schedule = fabric_plan(site->arena, site->fabric, &site->question);
    site->plan_s = cpu_now() - begun;
    site->uplinks = arena_array(site->arena, uint32_t, site->fabric->links);
    for (uint32_t way = 0; way < site->fabric->ports.count; way++)
        if (site->fabric->ports.items[way].far != FABRIC_NONE && fabric_link_of(site->fabric, way) == way &&
            !fabric_is_host_link(site->fabric, way))
            site->uplinks[site->uplink_count++] = way;
}

static void tell_plan(const struct site *site)
{
    const struct fabric_schedule *schedule = site->schedule;
    double share = (double)schedule->covered / (double)schedule->links;

    print(site, "links", (double)schedule->links, "links", "-", -1);
    print(site, "covered", share, "share", ">=0.999", share >= ALMOST_ALL);
    print(site, "alike", (double)schedule->alike, "links", "0", schedule->alike == 0);
    print(site, "rounds", (double)schedule->ends.count, "rounds", "-", -1);
    print(site, "rounds-that-cover", (double)schedule->covering, "rounds", "-", -1);
    print(site, "rounds-that-cover-at-least", (double)schedule->least, "rounds", "-", -1);
    print(site, "flows", (double)schedule->flows.count, "flows", "-", -1);
    print(site, "plan", site->plan_s, "s", "<=10", site->plan_s <= PLAN_S);
}

/* error_free: the chance of none, exp(-mean). */
static double poisson(uint64_t *state, double error_free)
{
    double product = dice_uniform(state), count = 0;

    for (; product > error_free; count++)
        product *= dice_uniform(state);
    return count;
}

struct tally {
    size_t named, among, wrongly; /* slow: exactly it, it and others, only others */
    size_t erring, falsely;
};

static bool is_at(const struct site *site, uint32_t way, uint32_t link)
{
    return fabric_link_of(site->fabric, way) == link;
}

static void try_slow(struct site *site, uint64_t *state, uint32_t bad, struct tally *tally)
{
    struct arena *arena = arena_create();
    size_t count = site->schedule->flows.count;
    struct fabric_seen *seen = arena_array(arena, struct fabric_seen, count);
    struct fabric_suspects suspects;

    for (size_t i = 0; i < count; i++) {
        bool half = false;

        for (unsigned k = 0; k < site->paths[i].hops; k++)
            half |= is_at(site, site->paths[i].ways[k], bad);
        seen[i] = (struct fabric_seen){site->schedule->flows.items[i],
                                       (half ? 0.5 : 0.98) * (1 + NOISE * dice_normal(state))};
    }
    fabric_suspect_slow(arena, site->fabric, seen, count, FABRIC_SLOW, &suspects);
    for (size_t i = 0; i < suspects.items.count; i++) {
        const struct fabric_suspect *suspect = &suspects.items.items[i];
        bool among = false;

        for (size_t k = 0; k < suspect->count; k++)
            among |= suspect->links[k] == bad;
        tally->named += among && suspect->count == 1 && suspects.items.count == 1;
        tally->among += among && (suspect->count > 1 || suspects.items.count > 1);
        tally->wrongly += !among;
    }
    arena_destroy(arena);
}

/* Errors of each way that flows crossed, at the bits that it carried. */
static void try_errors(struct site *site, uint64_t *state, uint32_t bad, struct tally *tally)
{
    bool found = false;

    for (uint32_t way = 0; way < site->fabric->ports.count; way++) {
        bool is_bad = is_at(site, way, bad);
        double bits = site->bits[way];

        if (bits == 0 ||
            !fabric_errors_tell(poisson(state, is_bad ? exp(-BAD_BER * bits) : site->error_free[way]), bits,
                                FABRIC_BER_LIMIT))
            continue;
        found |= is_bad;
        tally->falsely += !is_bad;
    }
    tally->erring += found;
}

static void prepare_trials(struct site *site, uint64_t *state)
{
    size_t flows = site->schedule->flows.count, ways = site->fabric->ports.count;

    site->seconds = ceil(fabric_bits_to_tell(BAD_BER, FABRIC_BER_LIMIT, MISS) / (site->tree->gbits * 1e9));
    site->paths = arena_array(site->arena, struct path, flows);
    site->bits = arena_array(site->arena, double, ways);
    site->error_free = arena_array(site->arena, double, ways);
    for (size_t i = 0; i < flows; i++) {
        const struct fabric_flow *flow = &site->schedule->flows.items[i];

        site->paths[i].hops = fabric_route(site->fabric, flow->from, flow->to, site->paths[i].ways);
        for (unsigned k = 0; k < site->paths[i].hops; k++)
            site->bits[site->paths[i].ways[k]] += 0.98 * site->tree->gbits * 1e9 * site->seconds;
    }
    for (size_t way = 0; way < ways; way++)
        site->error_free[way] = exp(-WORST_HEALTHY * pow(10, -3 * dice_uniform(state)) * site->bits[way]);
}

static void tell_trials(struct site *site, size_t trials)
{
    uint64_t state = 20260101;
    struct tally tally = {0};

    prepare_trials(site, &state);
    for (size_t i = 0; i < trials; i++) {
        try_slow(site, &state, site->uplinks[dice_next(&state) % site->uplink_count], &tally);
        try_errors(site, &state, site->uplinks[dice_next(&state) % site->uplink_count], &tally);
    }
    print(site, "uplinks", (double)site->uplink_count, "links", "-", -1);
    print(site, "trials", (double)trials, "trials", "-", -1);
    print(site, "half-rate-named", (double)tally.named, "trials", "all", tally.named == trials);
    print(site, "half-rate-among-others", (double)tally.among, "trials", "0", tally.among == 0);
    print(site, "half-rate-wrongly-named", (double)tally.wrongly, "links", "0", tally.wrongly == 0);
    print(site, "round-for-ber", site->seconds, "s", "-", -1);
    print(site, "ber-1e-12-named", (double)tally.erring, "trials", ">=0.999",
          (double)tally.erring >= ALMOST_ALL * (double)trials);
    print(site, "ber-1e-12-wrongly-named", (double)tally.falsely, "ways", "0", tally.falsely == 0);
}

/* --- Ethernet: the same tree, and a hash instead of routes --- */

struct hashed {
    const struct site *site;
    const struct fabric_ecmp *ecmp;
    const struct fabric_ecmp_plan *plan;
    double *gbits, *carried,
        *able; /* of each way: in a round, in all, and what share of its rate it can carry */
    bool *proven;
    double coverage; /* the mean of all trials */
    size_t named, missed, wrongly;
};

static double share_proven(const struct hashed *hashed)
{
    const struct fabric *fabric = hashed->site->fabric;
    size_t covered = 0;

    for (uint32_t way = 0; way < fabric->ports.count; way++) {
        uint32_t far = fabric->ports.items[way].far;

        covered += far != FABRIC_NONE && far > way && hashed->proven[way] && hashed->proven[far];
    }
    return (double)covered / (double)fabric->links;
}

/* All rounds, with what each way carries of its rate in able. */
static void run_rounds(struct hashed *hashed, uint64_t *state)
{
    const struct fabric *fabric = hashed->site->fabric;
    const struct fabric_schedule *schedule = hashed->plan->schedule;
    struct hash_round round = {fabric, hashed->ecmp, STREAMS, hashed->able, state};
    size_t at = 0;

    memset(hashed->carried, 0, fabric->ports.count * sizeof *hashed->carried);
    memset(hashed->proven, 0, fabric->ports.count * sizeof *hashed->proven);
    for (size_t i = 0; i < schedule->ends.count; at = schedule->ends.items[i++]) {
        hash_round_run(&round, schedule->flows.items + at, schedule->ends.items[i] - at, hashed->gbits);
        for (size_t way = 0; way < fabric->ports.count; way++) {
            hashed->carried[way] += hashed->gbits[way];
            hashed->proven[way] |= hashed->gbits[way] >= FABRIC_SHARE * fabric->ports.items[way].gbits;
        }
    }
}

/* One uplink carries half of its rate both ways. */
static void try_half(struct hashed *hashed, uint64_t *state)
{
    const struct site *site = hashed->site;
    uint32_t bad = site->uplinks[dice_next(state) % site->uplink_count],
             far = site->fabric->ports.items[bad].far;
    struct arena *arena = arena_create();
    struct fabric_siblings siblings;
    bool found = false;

    hashed->able[bad] = hashed->able[far] = 0.5;
    run_rounds(hashed, state);
    hashed->able[bad] = hashed->able[far] = 1;
    fabric_compare_siblings(arena, hashed->ecmp, hashed->carried, hashed->proven, &siblings);
    list_each (sibling, siblings.items) {
        found |= is_at(site, sibling->link, bad);
        hashed->wrongly += !is_at(site, sibling->link, bad);
    }
    hashed->named += found;
    hashed->missed += !found;
    arena_destroy(arena);
}

static void tell_hashed(const struct hashed *hashed, size_t trials, double plan_s)
{
    const struct site *site = hashed->site;
    size_t rounds = hashed->plan->schedule->ends.count;
    double expected = rounds > 0 ? hashed->plan->expected[rounds - 1] : 0;

    print(site, "ethernet-streams", STREAMS, "streams", "-", -1);
    print(site, "ethernet-rounds", (double)rounds, "rounds", "-", -1);
    print(site, "ethernet-expected", expected, "share", ">=0.999", expected >= ALMOST_ALL);
    print(site, "ethernet-drawn", hashed->coverage, "share", ">=expected-0.0005",
          hashed->coverage >= expected - 0.0005);
    print(site, "ethernet-trials", (double)trials, "trials", "-", -1);
    print(site, "ethernet-half-rate-named", (double)hashed->named, "trials", "-", -1);
    print(site, "ethernet-half-rate-wrongly-named", (double)hashed->wrongly, "links", "0",
          hashed->wrongly == 0);
    print(site, "ethernet-plan", plan_s, "s", "<=10", plan_s <= PLAN_S);
}

static void tell_ethernet(struct site *site, size_t trials)
{
    size_t ways = site->fabric->ports.count;
    struct hashed hashed = {.site = site,
                            .ecmp = fabric_ecmp_new(site->arena, site->fabric, &site->question),
                            .gbits = arena_array(site->arena, double, ways),
                            .carried = arena_array(site->arena, double, ways),
                            .able = arena_array(site->arena, double, ways),
                            .proven = arena_array(site->arena, bool, ways)};
    uint64_t state = 20260102;
    double begun = cpu_now();

    hashed.plan = fabric_ecmp_plan(site->arena, site->fabric, &site->question, STREAMS);
    begun = cpu_now() - begun;
    for (size_t way = 0; way < ways; way++)
        hashed.able[way] = 1;
    for (size_t i = 0; i < trials; i++) {
        run_rounds(&hashed, &state);
        hashed.coverage += share_proven(&hashed) / (double)trials;
        try_half(&hashed, &state);
    }
    tell_hashed(&hashed, trials, begun);
}

int main(int argc, char **argv)
{
    size_t trials = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;

    for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
        struct site site = {.tree = &trees[i], .arena = arena_create()};

        plan(&site);
        tell_plan(&site);
        tell_trials(&site, trials);
        tell_ethernet(&site, trials < ETHERNET_TRIALS ? trials : ETHERNET_TRIALS);
        arena_destroy(site.arena);
    }
    return 0;
}
