/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: bench_truth [TRIALS [NAME]]      one line a figure, for scripts/bench truth; NAME: figures that have it in their
 * names. TRIALS hosts with each defect, three times as many healthy ones, a 25th of it slow parts for each point of power.
 *
 * The bound that power stands beside is the most powerful test there is (Neyman and Pearson) of one part that is slower
 * by d, where level, noise and spread are known: their likelihood ratio grows with the mean of the part's values, which is
 * normal with sigma^2 = spread^2 + noise^2 / values. With `alpha` false findings in a run of so many parts and the given
 * power it finds
 *
 *     d = (z(alpha / parts) + z(1 - power)) * sigma
 *
 * (NIST/SEMATECH e-Handbook of Statistical Methods, 7.2.2.2), in logarithms; what is printed is 1 - exp(-d). Where limits
 * find healthy parts in the same runs the bound may have as many false findings as they make; else it has 0.01, as
 * peers.h. Beside it stands the bound of a test that has to learn level and scatter from the part's siblings, as any test of
 * a cluster has on its first day: where siblings are few it is far from the other one. By neither a test may be worse than
 * 1.2 times. The aims are on what the comparison of peers finds, and on what is named, be it as a fail or a remark (that
 * peers fail from 7 or 10% on is a policy), but where a limit lies amid the scatter and names more than one healthy part in
 * a hundred: the bound has as many false findings then, and says nothing.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/robust.h"
#include "dice.h"
#include "truth_fleet.h"

static const double alpha = 0.01, power = 0.99;
/* A part that is slower than this is dead: where even that is not found, nothing is. */
static const double loss_most = 0.75;
enum { HALVINGS = 9, FLEET = 232 };

/* --- healthy hosts ------------------------------------------------------------------------------------------------ */

/* Two readings of "noise of 2% and a spread of 1 to 5%". As it stands, for every number: then one host in seven would make
   an all_reduce of less than 465 GB/s, while of all that were published none made less than 478.9; such hosts are no
   healthy ones, and floors are there to find them. As measured, which the aim is on: no number scatters more than its sources'. */
static const struct {
    const char *name;
    struct truth_scatter scatter;
} healthy[] = {
    {"healthy-1%", {.noise = 0.02, .spread = 0.01, .as_measured = true}},
    {"healthy-3%", {.noise = 0.02, .spread = 0.03, .as_measured = true}},
    {"healthy-5%", {.noise = 0.02, .spread = 0.05, .as_measured = true}},
    {"healthy-within-1%", {.noise = 0.02, .spread = 0.01, .within = true, .as_measured = true}},
    {"healthy-within-3%", {.noise = 0.02, .spread = 0.03, .within = true, .as_measured = true}},
    {"healthy-within-5%", {.noise = 0.02, .spread = 0.05, .within = true, .as_measured = true}},
    {"scattered-1%", {.noise = 0.02, .spread = 0.01}},
    {"scattered-3%", {.noise = 0.02, .spread = 0.03}},
    {"scattered-5%", {.noise = 0.02, .spread = 0.05}},
    {"scattered-within-1%", {.noise = 0.02, .spread = 0.01, .within = true}},
    {"scattered-within-3%", {.noise = 0.02, .spread = 0.03, .within = true}},
    {"scattered-within-5%", {.noise = 0.02, .spread = 0.05, .within = true}},
};

/* Of a delivery all that is a number and of one host. */
static const char *const measured_steps[] = {"p2p-bandwidth", "nvbandwidth", "nccl-all-reduce", "gpu-burn",
                                             NULL};

/* Hosts with a fail, with a fail by a limit, by their peers, and with a remark. */
struct tally {
    size_t hosts, failed, by_limits, by_peers, remarked;
};

static void tally_host(const struct truth_fleet *fleet, const char *host, struct tally *tally)
{
    const struct judgement *judgement = &fleet->judgement;
    bool limits = false, peers = false, remark = false;

    for (size_t i = 0; i < judgement->outcome_count; i++) {
        const struct outcome *outcome = &judgement->outcomes[i];
        const struct step *step = &fleet->run.record.plan->steps.items[outcome->step];
        bool fails = outcome->word == OUTCOME_FAIL;

        if (step->members[0]->name != host)
            continue;
        peers |= fails && strcmp(outcome->held->status, "peers") == 0;
        limits |= fails && strcmp(outcome->held->status, "peers") != 0;
        remark |= outcome->remark;
    }
    tally->hosts++;
    tally->failed += limits || peers;
    tally->by_limits += limits;
    tally->by_peers += peers;
    tally->remarked += remark && !limits && !peers;
}

static void try_healthy(const char *name, const struct truth_scatter *scatter, size_t hosts)
{
    struct arena *arena = arena_create();
    struct truth_fleet fleet;
    struct tally tally = {0};
    uint64_t random = 1;

    truth_fleet_make(arena, FLEET, 0, "delivery", measured_steps, &fleet);
    while (tally.hosts < hosts) {
        struct arena *aside = arena_create();

        truth_fleet_draw(&fleet, scatter, &random);
        truth_fleet_judge(&fleet, aside);
        for (size_t i = 0; i < fleet.run.record.plan->hosts.count; i++)
            tally_host(&fleet, fleet.run.record.plan->hosts.items[i]->name, &tally);
        arena_destroy(aside);
    }
    truth_figure(name, "tried", (double)tally.hosts, "hosts", AIM_NONE, 0);
    truth_figure(name, "failed", (double)tally.failed / (double)tally.hosts, "of_hosts",
                 scatter->as_measured ? AIM_MOST : AIM_NONE, 1e-4);
    truth_figure(name, "failed_by_limits", (double)tally.by_limits / (double)tally.hosts, "of_hosts",
                 AIM_NONE, 0);
    truth_figure(name, "failed_by_peers", (double)tally.by_peers / (double)tally.hosts, "of_hosts", AIM_NONE,
                 0);
    truth_figure(name, "remarked", (double)tally.remarked / (double)tally.hosts, "of_hosts", AIM_NONE, 0);
    arena_destroy(arena);
}

/* --- power -------------------------------------------------------------------------------------------------------- */

struct kind {
    const char *name;
    const char *suite, *steps[2]; /* suite: a built-in one, or one as it is */
    size_t values;                /* of a part, each with noise of its own */
    size_t hosts_per_leaf, hosts_min;
};

/* No built-in suite has it: it shows less than pairs of hosts do. */
#define ADAPTERS                                                                               \
    "{\"name\": \"adapters\", \"title\": \"adapters\", \"purpose\": \"delivery\", \"steps\": " \
    "[{\"check\": \"rdma-bandwidth\"}]}"

static const struct kind kinds[] = {
    {"gpu", "delivery", {"gpu-burn"}, 1, 0, 1},
    {"link", "delivery", {"p2p-bandwidth"}, 6, 0, 1},    /* one way, both ways, latency; there and back */
    {"host", "delivery", {"nccl-all-reduce"}, 32, 0, 1}, /* of 8 bytes to 16 GiB */
    {"leaf", "delivery", {"nccl-all-gather-leaves"}, 2, 4, 8}, /* with either neighbour */
    {"compute", "gpu", {"gpu-compute"}, 12, 0, 1},             /* a GPU again: six types, two sizes */
    {"adapter", ADAPTERS, {"rdma-bandwidth"}, 1, 0, 1},        /* a port, to itself */
    {"rail", "delivery", {"rdma-pair"}, 4, 0, 3}, /* a port, with either neighbour, there and back */
    {"member",
     "delivery",
     {"nccl-all-gather-pairs"},
     10,
     0,
     3}, /* a host, with either neighbour, five sizes */
};
static const size_t sizes[] = {1, 8, 64, 232, 1250};
static const double spreads[] = {0.01, 0.03, 0.05};

/* One slow part of a trial, and between what its smallest slow-down that is found lies. */
struct sick {
    size_t part;
    double low, high;
};

/* Trials of one way to find what is slow. */
struct trials {
    enum truth_way way;
    struct sick *sick; /* of one fleet, so few that none hides another */
    size_t at_once, count;
    double *smallest;
    size_t runs, false_ones; /* healthy parts that were found, over all runs */
};

/* Whether one number is of both; those of a fleet are all of one part, or all of two. */
static bool are_neighbors(const struct truth_fleet *fleet, size_t a, size_t b)
{
    if (fleet->values.items[0].parts[1] == TRUTH_NONE)
        return false;
    list_each (value, fleet->values)
        if ((value->parts[0] == a && value->parts[1] == b) || (value->parts[0] == b && value->parts[1] == a))
            return true;
    return false;
}

/* Of two neighbours one hides the other: a port whose one neighbour is slow has one pair left, which tells neither. */
static void choose_sick(const struct truth_fleet *fleet, struct trials *trials, uint64_t *random)
{
    for (size_t i = 0; i < trials->at_once;) {
        size_t part = dice_next(random) % fleet->parts.count, k = 0;

        while (k < i && trials->sick[k].part != part && !are_neighbors(fleet, trials->sick[k].part, part))
            k++;
        if (k == i)
            trials->sick[i++] = (struct sick){part, 0, loss_most};
    }
}

/* Before anybody is slow. */
static void count_false(struct truth_fleet *fleet, struct trials *trials)
{
    struct arena *aside = arena_create();

    truth_fleet_judge(fleet, aside);
    for (size_t i = 0; i < fleet->parts.count; i++)
        trials->false_ones += fleet->parts.items[i].found[trials->way];
    trials->runs++;
    arena_destroy(aside);
}

/* Halves for all of them at once. INFINITY: it is not found at all. */
static void halve(struct truth_fleet *fleet, struct trials *trials, double *ret_smallest)
{
    for (size_t turn = 0; turn <= HALVINGS; turn++) {
        struct arena *aside = arena_create();

        for (size_t i = 0; i < trials->at_once; i++) {
            struct sick *sick = &trials->sick[i];

            fleet->parts.items[sick->part].loss = turn == 0 ? loss_most : (sick->low + sick->high) / 2;
        }
        truth_fleet_judge(fleet, aside);
        for (size_t i = 0; i < trials->at_once; i++) {
            struct sick *sick = &trials->sick[i];
            const struct truth_part *part = &fleet->parts.items[sick->part];

            if (turn == 0)
                ret_smallest[i] = part->found[trials->way] ? 0 : INFINITY;
            else if (part->found[trials->way])
                sick->high = part->loss;
            else
                sick->low = part->loss;
        }
        arena_destroy(aside);
    }
    for (size_t i = 0; i < trials->at_once; i++)
        ret_smallest[i] += trials->sick[i].high;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

/* The slow-down at which so many of the trials are found. */
static double at_power(struct arena *arena, struct truth_fleet *fleet, const struct truth_scatter *scatter,
                       struct trials *trials)
{
    uint64_t random = 1;

    trials->at_once = fleet->parts.count / 200 + 1;
    trials->count = (trials->count + trials->at_once - 1) / trials->at_once * trials->at_once;
    trials->sick = arena_array(arena, struct sick, trials->at_once);
    trials->smallest = arena_array(arena, double, trials->count);
    for (size_t i = 0; i < trials->count; i += trials->at_once) {
        truth_fleet_draw(fleet, scatter, &random);
        count_false(fleet, trials);
        choose_sick(fleet, trials, &random);
        halve(fleet, trials, trials->smallest + i);
    }
    qsort(trials->smallest, trials->count, sizeof *trials->smallest, compare);
    return trials->smallest[(size_t)(ceil(power * (double)trials->count)) - 1];
}

/* false_ones: in a run. */
static double bound(const struct kind *kind, size_t parts, const struct truth_scatter *scatter,
                    double false_ones)
{
    double sigma =
        sqrt(scatter->spread * scatter->spread + scatter->noise * scatter->noise / (double)kind->values);

    return 1 -
           exp(-sigma * (robust_deviation_at(false_ones / (double)parts) + robust_deviation_at(1 - power)));
}

/* Of a test that has to learn level and scatter from siblings, as ours has: the same place on the other hosts; of one
   host its other parts. No floor of a baseline helps it. */
static double learner_bound(const struct kind *kind, size_t parts, size_t hosts,
                            const struct truth_scatter *scatter, double false_ones)
{
    double sigma =
        sqrt(scatter->spread * scatter->spread + scatter->noise * scatter->noise / (double)kind->values);
    size_t levels = hosts > 1 ? parts / hosts : 1, siblings = parts / levels - 1;
    double beyond = robust_student(robust_deviation_at(false_ones / (double)parts),
                                   (double)(parts > levels + 1 ? parts - levels - 1 : 1));

    return 1 - exp(-sigma * sqrt(1 + 1 / (double)siblings) * (beyond + robust_deviation_at(1 - power)));
}

/* The bound has as many false findings as there were, and not fewer than peers.h allows itself. */
static void try_way(const struct kind *kind, struct truth_fleet *fleet, const struct truth_scatter *scatter,
                    enum truth_way way, size_t count, const char *name)
{
    static const char *const words[TRUTH_WAYS] = {"named", "by_peers", "failed"};
    struct arena *arena = arena_create();
    struct trials trials = {.way = way, .count = count};
    double smallest = at_power(arena, fleet, scatter, &trials);
    double false_ones = (double)trials.false_ones / (double)trials.runs;
    double ideal = bound(kind, fleet->parts.count, scatter, fmax(false_ones, alpha));
    /* A limit amid the scatter finds healthy parts, and more than one in a hundred: beside that no bound means anything. */
    bool comparable = false_ones <= fmax(alpha, (double)fleet->parts.count / 100);
    enum truth_aim aim = (way == TRUTH_NAMED && comparable) || way == TRUTH_BY_PEERS ? AIM_MOST : AIM_NONE;
    const char *word = words[way];

    truth_figure(name, word, smallest, "of_speed", AIM_NONE, 0);
    truth_figure(name, arena_printf(arena, "%s_falsely", word), false_ones, "parts_a_run", AIM_NONE, 0);
    truth_figure(name, arena_printf(arena, "%s_bound", word), ideal, "of_speed", AIM_NONE, 0);
    truth_figure(name, arena_printf(arena, "%s_to_bound", word), smallest / ideal, "ratio", aim, 1.2);
    if (kind->hosts_per_leaf == 0 && fleet->parts.count > 1) {
        double learned = learner_bound(kind, fleet->parts.count, fleet->run.record.plan->hosts.count, scatter,
                                       fmax(false_ones, alpha));

        truth_figure(name, arena_printf(arena, "%s_learner_bound", word), learned, "of_speed", AIM_NONE, 0);
        truth_figure(name, arena_printf(arena, "%s_to_learner_bound", word), smallest / learned, "ratio", aim,
                     1.2);
    }
    arena_destroy(arena);
}

/* Above pairs there are no peers, and two leaves have one test, which is slow by either of them. */
static bool is_asked(const struct kind *kind, size_t hosts, enum truth_way way)
{
    return kind->hosts_per_leaf == 0 || way == TRUTH_FAILED ||
           (way == TRUTH_NAMED && hosts / kind->hosts_per_leaf > 2);
}

static void try_power(const struct kind *kind, size_t hosts, double spread, size_t trials, const char *name)
{
    struct arena *arena = arena_create();
    struct truth_scatter scatter = {.noise = 0.02, .spread = spread};
    struct truth_fleet fleet;

    truth_fleet_make(arena, hosts, kind->hosts_per_leaf, kind->suite, kind->steps, &fleet);
    for (enum truth_way way = 0; way < TRUTH_WAYS; way++)
        if (is_asked(kind, hosts, way))
            try_way(kind, &fleet, &scatter, way, trials, name);
    arena_destroy(arena);
}

static bool is_wanted(const char *name, const char *only)
{
    return only == NULL || strstr(name, only) != NULL;
}

static void powers(size_t trials, const char *only)
{
    char name[64];

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        for (size_t k = 0; k < ARRAY_SIZE(sizes); k++)
            for (size_t s = 0; s < ARRAY_SIZE(spreads); s++) {
                snprintf(name, sizeof name, "slow-%s-%zu-hosts-%g%%", kinds[i].name, sizes[k],
                         spreads[s] * 100);
                if (is_wanted(name, only) && sizes[k] >= kinds[i].hosts_min)
                    try_power(&kinds[i], sizes[k], spreads[s], trials, name);
            }
}

int main(int argc, char **argv)
{
    const char *only = argc > 2 ? argv[2] : NULL;
    uint64_t trials = 10000;

    if (argc > 1 && (!scan_u64(slice_of(argv[1]), &trials) || trials == 0)) {
        fprintf(stderr, "bench_truth: '%s' is not a number of trials\n", argv[1]);
        return 64;
    }
    truth_defects(trials, only);
    for (size_t i = 0; i < ARRAY_SIZE(healthy); i++)
        if (is_wanted(healthy[i].name, only))
            try_healthy(healthy[i].name, &healthy[i].scatter, 3 * trials);
    powers((trials + 24) / 25, only);
    return 0;
}
