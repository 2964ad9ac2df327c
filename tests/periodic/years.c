/* SPDX-License-Identifier: Apache-2.0 */
#include "years.h"

#include <math.h>
#include <string.h>

#include "../judge/dice.h"
#include "assay/periodic/periodic.h"

#define GPU (1u << PERIODIC_GPU)
#define NETWORK (1u << PERIODIC_NETWORK)
#define DRIVE (1u << PERIODIC_DRIVE)
#define HOST (1u << PERIODIC_HOST)

/* Times are those that the suite delivery expects. */
static const struct {
    const char *name;
    unsigned own;
    bool loads;
    double seconds;
} tests[YEAR_TESTS] = {
    {"reachable", HOST, false, 2},  {"os", HOST, false, 3},          {"storage", DRIVE, false, 10},
    {"ecc", GPU, false, 5},         {"nvlink", GPU, false, 10},      {"xid", GPU, false, 5},
    {"ib-port", NETWORK, false, 3}, {"counters", NETWORK, false, 5}, {"p2p", GPU, true, 104},
    {"pcie", GPU, true, 90},        {"nccl", GPU, true, 120},        {"dcgm", GPU, true, 1230},
    {"burn", GPU, true, 1860},      {"tensor", GPU, true, 660},
};

enum { REACHABLE, OS, STORAGE, ECC, NVLINK, XID, PORT, COUNTERS, P2P, PCIE, NCCL, DCGM, BURN, TENSOR };

/* How often such defects arise (by class as in Llama 3, kinds as we think), and of how many a test sees anything. Nobody has
   published these shares: they are ours, and were written down before the first replay. */
static const struct kind {
    enum periodic_class class;
    double weight;
    bool deep; /* only load shows it */
    double seen[YEAR_TESTS];
} kinds[YEAR_KINDS] = {
    /* memory that counts errors */
    {PERIODIC_GPU, 80, false, {[ECC] = 0.9, [XID] = 0.4, [DCGM] = 0.8, [BURN] = 0.5}},
    /* falls off the bus, resets */
    {PERIODIC_GPU, 50, false, {[XID] = 0.9, [REACHABLE] = 0.1, [DCGM] = 0.7}},
    /* NVLink and PCIe */
    {PERIODIC_GPU, 45, false, {[NVLINK] = 0.5, [P2P] = 0.9, [PCIE] = 0.6, [NCCL] = 0.8, [DCGM] = 0.5}},
    /* slow or hot under load */
    {PERIODIC_GPU, 50, true, {[BURN] = 0.9, [TENSOR] = 0.8, [DCGM] = 0.6, [NCCL] = 0.1}},
    /* crashes under load */
    {PERIODIC_GPU, 35, true, {[BURN] = 0.7, [TENSOR] = 0.6, [DCGM] = 0.7, [NCCL] = 0.2, [P2P] = 0.1}},
    /* computes wrong results */
    {PERIODIC_GPU, 8, true, {[BURN] = 0.4, [TENSOR] = 0.5, [DCGM] = 0.2}},
    {PERIODIC_NETWORK, 30, false, {[COUNTERS] = 0.8, [PORT] = 0.2}},
    {PERIODIC_NETWORK, 12, false, {[PORT] = 0.95}},
    {PERIODIC_DRIVE, 3, false, {[STORAGE] = 0.7}},
    {PERIODIC_HOST, 33, false, {[OS] = 0.6, [REACHABLE] = 0.4}},
    /* its memory, its power */
    {PERIODIC_HOST, 10, true, {[DCGM] = 0.3, [BURN] = 0.5, [TENSOR] = 0.4}},
};

/* One run of a test that can see a defect does see it. */
static const double sees_each_time = 0.9;
/* Of the times until they hurt, standard deviation of the logarithm. */
static const double hurts_spread = 1;

struct defect {
    double arises, hurts; /* days */
    size_t kind;
    unsigned sees; /* tests, or-ed */
    bool seen, gone;
};
struct defects {
    LIST_OF(struct defect) items;
};

struct years {
    struct arena *arena;
    const struct scenario *scenario;
    unsigned hosts;
    uint64_t dice;           /* of what a run sees */
    struct defects *of_host; /* in the order of their days */
    struct periodic_fleet *fleet;
    double night_h, host_h; /* to spend; of all tests on a host */
    size_t turn;            /* of policies that go round */
    struct year year;
};

static size_t kind_of(const struct scenario *scenario, uint64_t *dice)
{
    double total = 0, at;
    size_t kind = 0;

    for (size_t i = 0; i < YEAR_KINDS; i++)
        total += kinds[i].weight * (kinds[i].deep ? scenario->deep : 1);
    at = dice_uniform(dice) * total;
    while (kind + 1 < YEAR_KINDS && (at -= kinds[kind].weight * (kinds[kind].deep ? scenario->deep : 1)) >= 0)
        kind++;
    return kind;
}

/* A lemon is one by its kind of part: its defects are mostly of the same kind. */
static void add_defect(struct years *years, struct defects *defects, double day, size_t habit, uint64_t *dice)
{
    struct defect *defect = list_push(years->arena, &defects->items);

    defect->kind =
        years->scenario->tail > 0 && dice_uniform(dice) < 0.5 ? habit : kind_of(years->scenario, dice);
    defect->arises = day;
    defect->hurts = day + years->scenario->hurts_days * exp(hurts_spread * dice_normal(dice));
    for (size_t i = 0; i < YEAR_TESTS; i++)
        if (dice_uniform(dice) < kinds[defect->kind].seen[i])
            defect->sees |= 1u << i;
}

/* Thinned: as often as in infancy at most. */
static void make_host(struct years *years, struct defects *defects, uint64_t *dice)
{
    const struct scenario *scenario = years->scenario;
    double tail = scenario->tail;
    double a_day = scenario->per_1000_days / 1000 * exp(tail * dice_normal(dice) - tail * tail / 2);
    double most = a_day * (1 + scenario->infancy);
    size_t habit = kind_of(scenario, dice);

    for (double day = 0; (day -= log(1 - dice_uniform(dice)) / most) < YEAR_NIGHTS;)
        if (dice_uniform(dice) * most < a_day * (1 + scenario->infancy * exp(-day / 30)))
            add_defect(years, defects, day, habit, dice);
}

static double test_h(size_t test)
{
    return tests[test].seconds / 3600;
}

static void make_fleet(struct years *years, uint64_t seed)
{
    static const char *const name = "host";
    uint64_t dice = seed;

    years->fleet = periodic_create(years->arena);
    for (size_t i = 0; i < YEAR_TESTS; i++) {
        years->host_h += test_h(i);
        periodic_add_test(years->fleet, &(struct periodic_test){.step = tests[i].name,
                                                                .check = tests[i].name,
                                                                .own = tests[i].own,
                                                                .loads = tests[i].loads,
                                                                .expected_h = test_h(i)});
    }
    years->of_host = arena_array(years->arena, struct defects, years->hosts);
    for (unsigned i = 0; i < years->hosts; i++) {
        periodic_add_host(years->fleet, name, 0, ((periodic_set)1 << YEAR_TESTS) - 1);
        make_host(years, &years->of_host[i], &dice);
        years->year.arose += (unsigned)years->of_host[i].items.count;
    }
    years->dice = dice;
}

static void find(struct years *years, struct defect *defect, double day)
{
    defect->gone = true;
    years->year.caught++;
    years->year.in_day += day - defect->arises <= 1;
}

/* What hurts somebody is mended too; who chooses tests is not told. */
static bool is_there(const struct defect *defect, double day)
{
    return !defect->gone && defect->arises <= day && defect->hurts > day;
}

/* Classes that one run of a test sees something of. */
static unsigned see(struct years *years, struct defects *defects, size_t test, double day)
{
    unsigned failed = 0;

    for (size_t i = 0; i < defects->items.count; i++) {
        struct defect *defect = &defects->items.items[i];

        if (is_there(defect, day) && (defect->sees >> test & 1) &&
            dice_uniform(&years->dice) < sees_each_time) {
            failed |= 1u << kinds[defect->kind].class;
            defect->seen = true;
        }
    }
    return failed;
}

/* One host's tests; what they find is mended before the next night. */
static size_t test_host(struct years *years, size_t host, periodic_set chosen, double day,
                        struct periodic_look *looks)
{
    struct defects *defects = &years->of_host[host];
    size_t count = 0;

    for (size_t test = 0; test < YEAR_TESTS; test++) {
        unsigned failed;

        if (!(chosen >> test & 1))
            continue;
        failed = see(years, defects, test, day);
        looks[count++] = (struct periodic_look){host, test, failed, ((1u << PERIODIC_CLASSES) - 1) & ~failed};
        years->year.hours += test_h(test);
    }
    for (size_t i = 0; i < defects->items.count; i++)
        if (defects->items.items[i].seen && !defects->items.items[i].gone)
            find(years, &defects->items.items[i], day);
    return count;
}

/* -- Policies ----------------------------------------------------------------------------------------------- */

static const periodic_set all_tests = ((periodic_set)1 << YEAR_TESTS) - 1;

static void choose(struct years *years, double day, periodic_set *of_host)
{
    struct arena *arena = arena_create();
    struct periodic_rates rates;
    struct periodic_choice choice;

    periodic_estimate(arena, years->fleet, day * 86400, &rates);
    periodic_choose(arena, years->fleet, &rates, years->night_h, years->scenario->groups, &choice);
    memcpy(of_host, choice.of_host, years->hosts * sizeof *of_host);
    arena_destroy(arena);
}

/* These tests in turns, within so many hours. */
static void go_round(struct years *years, periodic_set set, double hours, periodic_set *of_host)
{
    double host_h = 0;

    for (size_t i = 0; i < YEAR_TESTS; i++)
        host_h += (set >> i & 1) ? test_h(i) : 0;
    for (; hours >= host_h; hours -= host_h)
        of_host[years->turn++ % years->hosts] |= set;
}

static void read_all(struct years *years, periodic_set *of_host)
{
    periodic_set reading = 0;
    double hours = years->night_h;

    for (size_t i = 0; i < YEAR_TESTS; i++)
        if (!tests[i].loads) {
            reading |= (periodic_set)1 << i;
            hours -= test_h(i) * years->hosts;
        }
    for (unsigned i = 0; i < years->hosts; i++)
        of_host[i] = reading;
    go_round(years, all_tests & ~reading, hours, of_host);
}

static void decide(struct years *years, enum policy policy, double day, periodic_set *of_host)
{
    memset(of_host, 0, years->hosts * sizeof *of_host);
    if (policy == POLICY_CHOICE)
        choose(years, day, of_host);
    else if (policy == POLICY_ROUND)
        go_round(years, all_tests, years->night_h, of_host);
    else if (policy == POLICY_READING)
        read_all(years, of_host);
    else
        for (unsigned i = 0; i < years->hosts; i++)
            of_host[i] = all_tests;
}

static void replay_night(struct years *years, enum policy policy, double day, periodic_set *of_host,
                         struct periodic_look *looks)
{
    size_t count = 0;

    decide(years, policy, day, of_host);
    for (size_t i = 0; i < years->hosts; i++)
        count += test_host(years, i, of_host[i], day, &looks[count]);
    if (policy == POLICY_CHOICE)
        periodic_take(years->fleet, day * 86400, looks, count);
}

struct year year_replay(const struct scenario *scenario, enum policy policy, double share, unsigned hosts,
                        uint64_t seed)
{
    struct years years = {.arena = arena_create(), .scenario = scenario, .hosts = hosts};
    periodic_set *of_host;
    struct periodic_look *looks;

    make_fleet(&years, seed);
    years.night_h = share * years.host_h * hosts;
    of_host = arena_array(years.arena, periodic_set, hosts);
    looks = arena_array(years.arena, struct periodic_look, (size_t)hosts * YEAR_TESTS);
    /* Days count from 1, so that no look is at 0; the acceptance is before the first defect arises. */
    for (size_t i = 0; i < hosts; i++)
        for (size_t test = 0; test < YEAR_TESTS; test++)
            looks[i * YEAR_TESTS + test] = (struct periodic_look){i, test, 0, (1u << PERIODIC_CLASSES) - 1};
    periodic_take(years.fleet, 1, looks, (size_t)hosts * YEAR_TESTS);
    for (unsigned night = 1; night <= YEAR_NIGHTS; night++)
        replay_night(&years, policy, night, of_host, looks);
    arena_destroy(years.arena);
    return years.year;
}
