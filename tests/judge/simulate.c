/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model: a collective is as fast as its slowest member or the slowest path between two members, and, where
 * it leaves a leaf, as the share of that leaf's uplinks that is left for it by all tests of the round; times
 * noise.
 */
#include "simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dice.h"

enum { ROUNDS_MOST = 60, FAULTS_MOST = 16 };

static const double line_rate = 370; /* GB/s; any */

struct world {
    const struct scenario *scenario;
    struct isolate_host *hosts;
    size_t leaves;
    size_t dropping; /* the host that drops out, if one does */
    size_t bad_host[FAULTS_MOST], bad_leaf[FAULTS_MOST], bad_link[FAULTS_MOST][2];
    uint64_t random;
};

static bool is_in(size_t number, const size_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == number)
            return true;
    return false;
}

static void choose(uint64_t *random, size_t *ret_chosen, size_t count, size_t most)
{
    for (size_t i = 0; i < count; i++)
        do {
            ret_chosen[i] = dice_next(random) % most;
        } while (is_in(ret_chosen[i], ret_chosen, i));
}

/* One that makes the test over all hosts slow. */
static void choose_link(struct world *world, size_t *ret_ends)
{
    choose(&world->random, ret_ends, 2, world->scenario->hosts);
    if (world->scenario->neighbours)
        ret_ends[1] = (ret_ends[0] + 1) % world->scenario->hosts;
}

static bool is_faulty(const struct world *world, size_t host)
{
    bool faulty = is_in(host, world->bad_host, world->scenario->bad_hosts) ||
                  is_in(world->hosts[host].leaf, world->bad_leaf, world->scenario->bad_leaves);

    for (size_t i = 0; i < world->scenario->bad_links; i++)
        faulty |= is_in(host, world->bad_link[i], 2);
    return faulty;
}

static void build(struct arena *arena, struct world *world)
{
    const struct scenario *scenario = world->scenario;

    world->hosts = arena_array(arena, struct isolate_host, scenario->hosts);
    for (size_t i = 0; i < scenario->hosts; i++)
        world->hosts[i] = (struct isolate_host){
            .name = arena_printf(arena, "node%zu", i + 1),
            .leaf = scenario->hosts_per_leaf > 0 ? (unsigned)(i / scenario->hosts_per_leaf) : 0};
    world->leaves = world->hosts[scenario->hosts - 1].leaf + 1u;
    choose(&world->random, world->bad_host, scenario->bad_hosts,
           (scenario->bad_below > 0 ? scenario->bad_below : scenario->hosts) - scenario->bad_from);
    for (size_t i = 0; i < scenario->bad_hosts; i++)
        world->bad_host[i] += scenario->bad_from;
    choose(&world->random, world->bad_leaf, scenario->bad_leaves, world->leaves);
    for (size_t i = 0; i < scenario->bad_links; i++)
        choose_link(world, world->bad_link[i]);
    while (scenario->drops_in_round > 0 && is_faulty(world, world->dropping))
        world->dropping++;
}

static bool crosses(const struct world *world, const struct isolate_test *test)
{
    return world->hosts[test->members[0]].leaf != world->hosts[test->members[test->count - 1]].leaf;
}

/* Members of all crossing tests of the round that hang on the leaf. */
static size_t senders(const struct world *world, const struct isolate_tests *round, size_t leaf)
{
    size_t count = 0;

    for (size_t i = 0; i < round->tests.count; i++)
        for (size_t k = 0; crosses(world, &round->tests.items[i]) && k < round->tests.items[i].count; k++)
            count += world->hosts[round->tests.items[i].members[k]].leaf == leaf;
    return count;
}

static double share_of_uplinks(const struct world *world, const struct isolate_tests *round, size_t leaf)
{
    const struct scenario *scenario = world->scenario;
    double uplinks = (double)scenario->hosts_per_leaf / scenario->oversubscription;
    double share = scenario->oversubscription > 0 ? uplinks / (double)senders(world, round, leaf) : 1;

    if (is_in(leaf, world->bad_leaf, scenario->bad_leaves))
        return (1 - scenario->loss) * fmin(1, share);
    return fmin(1, share);
}

static bool uses_link(const struct world *world, const struct isolate_test *test, const size_t *ends)
{
    if (!world->scenario->neighbours)
        return is_in(ends[0], test->members, test->count) && is_in(ends[1], test->members, test->count);
    for (size_t i = 0; i < test->count; i++)
        if (is_in(test->members[i], ends, 2) && is_in(test->members[(i + 1) % test->count], ends, 2))
            return test->count > 1;
    return false;
}

static double measure(struct world *world, const struct isolate_tests *round, const struct isolate_test *test)
{
    const struct scenario *scenario = world->scenario;
    double slowest = 1;

    for (size_t i = 0; i < test->count; i++) {
        if (is_in(test->members[i], world->bad_host, scenario->bad_hosts) &&
            (scenario->intermittent <= 0 || dice_uniform(&world->random) < scenario->intermittent))
            slowest = fmin(slowest, 1 - scenario->loss);
        if (test->count > 1 && crosses(world, test))
            slowest = fmin(slowest, share_of_uplinks(world, round, world->hosts[test->members[i]].leaf));
    }
    for (size_t i = 0; i < scenario->bad_links; i++)
        if (uses_link(world, test, world->bad_link[i]))
            slowest = fmin(slowest, 1 - scenario->loss);
    return line_rate * slowest * (1 + scenario->noise * dice_normal(&world->random));
}

static bool is_true(const struct world *world, const struct isolate_accusation *accusation)
{
    const struct scenario *scenario = world->scenario;

    switch (accusation->kind) {
    case ISOLATE_HOST:
        return is_in(accusation->a, world->bad_host, scenario->bad_hosts);
    case ISOLATE_LEAF:
        return is_in(accusation->a, world->bad_leaf, scenario->bad_leaves);
    case ISOLATE_LINK:
    default:
        for (size_t i = 0; i < scenario->bad_links; i++)
            if (is_in(accusation->a, world->bad_link[i], 2) && is_in(accusation->b, world->bad_link[i], 2))
                return true;
        return false;
    }
}

/* What made somebody ask: all hosts together, slow. */
static void add_full_run(struct arena *arena, struct world *world, struct isolate_tests *so_far)
{
    const struct scenario *scenario = world->scenario;
    size_t hosts = scenario->hosts, *members = arena_array(arena, size_t, hosts);
    struct isolate_tests round = {0};
    struct isolate_test *test = list_push(arena, &round.tests);

    for (size_t i = 0; i < hosts; i++)
        members[i] = i;
    *test = (struct isolate_test){.members = members, .count = hosts};
    do {
        test->value = measure(world, &round, test);
    } while (test->value > line_rate * (1 - scenario->loss / 2));
    *list_push(arena, &so_far->tests) = *test;
}

/* The tests of a round that gave a value; of a host that drops out in it there is none. */
static void run_round(struct arena *arena, struct world *world, unsigned number,
                      const struct isolate_tests *round, struct isolate_tests *so_far)
{
    bool drops = number == world->scenario->drops_in_round;

    for (size_t i = 0; i < round->tests.count; i++) {
        struct isolate_test test = round->tests.items[i];

        test.value = measure(world, round, &test);
        if (!drops || !is_in(world->dropping, test.members, test.count))
            *list_push(arena, &so_far->tests) = test;
    }
    world->hosts[world->dropping].out |= drops;
}

struct trial simulate_trial(const struct scenario *scenario, uint64_t seed)
{
    struct arena *arena = arena_create();
    struct world world = {.scenario = scenario, .random = seed};
    struct isolate_tests so_far = {0}, next;
    struct isolation isolation;
    struct trial trial = {0};

    build(arena, &world);
    const struct isolate_problem problem = {.hosts = world.hosts,
                                            .host_count = scenario->hosts,
                                            .slow = 0.10,
                                            .noise = scenario->noise,
                                            .rounds_most = ROUNDS_MOST,
                                            .seed = seed};

    if (scenario->bad_hosts + scenario->bad_links + scenario->bad_leaves > 0)
        add_full_run(arena, &world, &so_far);
    while (isolate_next(arena, &problem, &so_far, &next, &isolation)) {
        trial.rounds++;
        trial.tests += (unsigned)next.tests.count;
        run_round(arena, &world, trial.rounds, &next, &so_far);
    }
    for (size_t i = 0; i < isolation.accusations.count; i++)
        if (is_true(&world, &isolation.accusations.items[i]))
            trial.found++;
        else
            trial.wrong++;
    trial.missed = scenario->bad_hosts + scenario->bad_links + scenario->bad_leaves - trial.found;
    trial.candidates = (unsigned)isolation.candidates.count;
    arena_destroy(arena);
    return trial;
}
