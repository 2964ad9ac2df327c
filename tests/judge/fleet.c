/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dice.h"

enum { ASPECT_ONE_WAY, ASPECT_BOTH_WAYS, ASPECT_BURN, ASPECTS, FAULTS_MOST = 16 };

static const struct peers_aspect aspects[ASPECTS] = {{0.05, 0.10}, {0.05, 0.10}, {0.05, 0.10}};

struct fault {
    size_t host, gpu, other; /* other: of a path; else PEERS_NONE */
};

struct world {
    const struct fleet *fleet;
    struct arena *arena;
    uint64_t random;
    struct fault faults[FAULTS_MOST];
    size_t fault_count;
    LIST_OF(struct peers_value) values;
    double of_host; /* noise that all values of one host and aspect have */
};

static double noise(struct world *world)
{
    double value = world->fleet->noise * dice_normal(&world->random);

    if (world->fleet->kind == NOISE_HEAVY && dice_uniform(&world->random) < 0.05)
        return 5 * value;
    return world->fleet->kind == NOISE_BY_HOST ? world->of_host + value * sqrt(0.5) : value;
}

static bool has_fault(const struct world *world, size_t host)
{
    for (size_t i = 0; i < world->fault_count; i++)
        if (world->faults[i].host == host)
            return true;
    return false;
}

static void put_faults(struct world *world)
{
    const struct fleet *fleet = world->fleet;
    size_t host = dice_next(&world->random) % fleet->hosts;

    for (unsigned i = 0; i < fleet->slow_gpus + fleet->slow_paths; i++) {
        size_t gpu = dice_next(&world->random) % fleet->gpus, other = PEERS_NONE;

        while (!fleet->together && has_fault(world, host))
            host = dice_next(&world->random) % fleet->hosts;
        if (fleet->together)
            gpu = i;
        if (i >= fleet->slow_gpus)
            do {
                other = dice_next(&world->random) % fleet->gpus;
            } while (other == gpu);
        world->faults[world->fault_count++] = (struct fault){host, gpu, other};
    }
}

/* How much of the speed is left. other: PEERS_NONE of what a GPU does alone. */
static double share(const struct world *world, size_t host, size_t gpu, size_t other)
{
    double left = 1 - world->fleet->all_slower;

    for (size_t i = 0; i < world->fault_count; i++) {
        const struct fault *fault = &world->faults[i];
        bool ends =
            (fault->gpu == gpu && fault->other == other) || (fault->gpu == other && fault->other == gpu);
        bool takes_part = fault->gpu == gpu || fault->gpu == other;

        if (fault->host == host && (fault->other != PEERS_NONE ? ends && other != PEERS_NONE
                                    : world->fleet->one_aspect ? takes_part && other == PEERS_NONE
                                                               : takes_part))
            return left * (1 - world->fleet->loss);
    }
    return left;
}

static void put_value(struct world *world, size_t series, size_t aspect, size_t host, size_t gpu,
                      size_t other)
{
    size_t gpus = world->fleet->gpus;
    /* By design: positions differ by more than a fault does. */
    double design = 1 + 0.3 * (double)(series % 5);

    *list_push(world->arena, &world->values) = (struct peers_value){
        .series = series,
        .aspect = aspect,
        .subjects = {host * gpus + gpu, other == PEERS_NONE ? PEERS_NONE : host * gpus + other},
        .level = log(370 * design * share(world, host, gpu, other)) + noise(world),
        .owed = true,
    };
}

static void measure_host(struct world *world, size_t host)
{
    size_t gpus = world->fleet->gpus, series = 0;

    for (size_t aspect = 0; aspect < ASPECTS; aspect++) {
        world->of_host = world->fleet->noise * dice_normal(&world->random) * sqrt(0.5);
        for (size_t gpu = 0; gpu < gpus; gpu++) {
            if (aspect == ASPECT_BURN)
                put_value(world, series++, aspect, host, gpu, PEERS_NONE);
            for (size_t other = 0; aspect != ASPECT_BURN && other < gpus; other++)
                if (other != gpu)
                    put_value(world, series++, aspect, host, gpu, other);
        }
    }
}

static bool is_fault(const struct world *world, const struct peers_finding *finding,
                     const struct fault *fault)
{
    size_t gpus = world->fleet->gpus, gpu = fault->host * gpus + fault->gpu;

    if (fault->other == PEERS_NONE)
        return finding->other == PEERS_NONE && finding->subject == gpu;
    return (finding->subject == gpu && finding->other == fault->host * gpus + fault->other) ||
           (finding->other == gpu && finding->subject == fault->host * gpus + fault->other);
}

static struct fleet_trial count_findings(const struct world *world, const struct peers_findings *findings)
{
    struct fleet_trial trial = {0};

    for (size_t i = 0; i < findings->findings.count; i++) {
        const struct peers_finding *finding = &findings->findings.items[i];
        bool right = false;

        for (size_t k = 0; k < world->fault_count && !right; k++)
            right = is_fault(world, finding, &world->faults[k]);
        trial.found += right;
        trial.failed += right && finding->fails;
        trial.wrong_remarks += !right && !finding->fails;
        trial.wrong_fails += !right && finding->fails;
    }
    return trial;
}

struct fleet_trial fleet_try(const struct fleet *fleet, unsigned long seed)
{
    struct world world = {.fleet = fleet, .arena = arena_create(), .random = seed};
    size_t subjects = fleet->hosts * fleet->gpus;
    size_t *positions = arena_array(world.arena, size_t, subjects);
    struct peers_problem problem = {
        .positions = positions, .subject_count = subjects, .aspects = aspects, .aspect_count = ASPECTS};
    struct peers_findings findings;
    struct fleet_trial trial;

    for (size_t i = 0; i < subjects; i++)
        positions[i] = i % fleet->gpus;
    put_faults(&world);
    for (size_t i = 0; i < fleet->hosts; i++)
        measure_host(&world, i);
    problem.values = world.values.items;
    problem.value_count = world.values.count;
    peers_compare(world.arena, &problem, &findings);
    trial = count_findings(&world, &findings);
    arena_destroy(world.arena);
    return trial;
}
