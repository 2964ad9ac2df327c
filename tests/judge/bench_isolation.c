/* SPDX-License-Identifier: Apache-2.0 */
/* usage: bench_isolation [TRIALS [NAME]]      one line a figure, for scripts/bench isolation; NAME: rows that have it
   in their names. Fewer trials where they are long. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/scan.h"
#include "simulate.h"

struct row {
    struct scenario scenario;
    unsigned rounds_aim; /* of 99 trials in 100; 0: no aim */
    bool must_find;      /* missed in at most 1 of 1,000 */
    unsigned one_of;     /* so many trials only one is made; 0: each is */
    unsigned median_aim; /* of half of the trials, where most cannot be had; 0: no aim */
    bool
        untold; /* no test tells it from others (docs/guide/slow-hosts.md): it must be left among candidates */
    double wrong_most; /* accusations of what is healthy, as a share of the trials */
};

#define HOSTS_232 .hosts = 232, .loss = 0.10, .noise = 0.02
#define HOSTS_1250 .hosts = 1250, .loss = 0.10, .noise = 0.02
#define FEW(number) .hosts = (number), .hosts_per_leaf = 8, .oversubscription = 1, .loss = 0.10, .noise = 0.02
#define LEAVES .hosts_per_leaf = 16, .oversubscription = 2

static const struct row rows[] = {
    {{.name = "4-1-host", FEW(4), .bad_hosts = 1}, 0, true},
    {{.name = "4-healthy", FEW(4)}, 0, true},
    {{.name = "8-1-host", FEW(8), .bad_hosts = 1}, 0, true},
    {{.name = "4-1-link", FEW(4), .bad_links = 1}, 0, true},
    {{.name = "8-1-link", FEW(8), .bad_links = 1}, 0, true},
    {{.name = "12-1-host", FEW(12), .bad_hosts = 1}, 0, true},
    {{.name = "8+1-host-of-8", FEW(9), .bad_hosts = 1, .bad_below = 8}, 0, true},
    {{.name = "8+1-host-alone", FEW(9), .bad_hosts = 1, .bad_from = 8}, .untold = true},
    {{.name = "8+2-1-host", FEW(10), .bad_hosts = 1}, 0, true},
    {{.name = "8+1-1-leaf", FEW(9), .bad_leaves = 1}, .untold = true},
    {{.name = "8+2-1-leaf", FEW(10), .bad_leaves = 1}, .untold = true},
    {{.name = "8+4-1-leaf", FEW(12), .bad_leaves = 1}, .untold = true},
    {{.name = "8+8-1-leaf", FEW(16), .bad_leaves = 1}, .untold = true},
    {{.name = "8+8+4-1-leaf", FEW(20), .bad_leaves = 1}, 0, true},
    {{.name = "8+2-1-link", FEW(10), .bad_links = 1}, 0, true},
    {{.name = "20-1-link", FEW(20), .bad_links = 1}, 0, true},
    {{.name = "232-healthy", HOSTS_232}, 6, true},
    {{.name = "232-1-host", HOSTS_232, .bad_hosts = 1}, 6, true},
    {{.name = "232-2-hosts", HOSTS_232, .bad_hosts = 2}, 6, true},
    {{.name = "232-5-hosts", HOSTS_232, .bad_hosts = 5}, 6, true},
    {{.name = "232-1-link", HOSTS_232, .bad_links = 1}, 0, true, .median_aim = 20},
    {{.name = "232-intermittent", HOSTS_232, .bad_hosts = 1, .intermittent = 0.5},
     0,
     false,
     .wrong_most = 0.001},
    {{.name = "232-slow-4-of-10", HOSTS_232, .bad_hosts = 1, .intermittent = 0.4},
     0,
     false,
     10,
     .wrong_most = 0.001},
    {{.name = "232-slow-7-of-10", HOSTS_232, .bad_hosts = 1, .intermittent = 0.7},
     0,
     false,
     10,
     .wrong_most = 0.001},
    {{.name = "232-1-host-another-drops-out", HOSTS_232, .bad_hosts = 1, .drops_in_round = 2}, 0, true, 10},
    {{.name = "232-1-link-a-host-drops-out", HOSTS_232, .bad_links = 1, .drops_in_round = 6}, 0, true, 10},
    {{.name = "232-neighbours-1-link", HOSTS_232, .bad_links = 1, .neighbours = true}, 0, true, 10},
    {{.name = "232-contention-healthy", HOSTS_232, LEAVES}, 0, true},
    {{.name = "232-contention-1-host", HOSTS_232, LEAVES, .bad_hosts = 1}, 0, true},
    {{.name = "232-contention-5-hosts", HOSTS_232, LEAVES, .bad_hosts = 5}, 0, true},
    {{.name = "232-contention-1-leaf", HOSTS_232, LEAVES, .bad_leaves = 1}, 0, true},
    {{.name = "232-1-leaf", HOSTS_232, .hosts_per_leaf = 16, .oversubscription = 1, .bad_leaves = 1},
     0,
     true},
    {{.name = "1250-5-hosts", HOSTS_1250, .bad_hosts = 5}, 0, true, 10},
    {{.name = "1250-1-link", HOSTS_1250, .bad_links = 1}, 0, true, 50},
};

static int compare(const void *a, const void *b)
{
    return (int)*(const unsigned *)a - (int)*(const unsigned *)b;
}

static void figure(const char *name, const char *what, double value, const char *unit, double aim,
                   bool has_aim)
{
    if (has_aim)
        printf("bench isolation %s.%s value=%g unit=%s aim=<=%g met=%s\n", name, what, value, unit, aim,
               value <= aim ? "yes" : "no");
    else
        printf("bench isolation %s.%s value=%g unit=%s aim=- met=-\n", name, what, value, unit);
}

/*
 * Rounds that a search for one path takes at least in the mean, whatever it tests and without any noise, where of the
 * clusters in which a host is slow every second time so small a share may be given a wrong name: isolate_link.c.
 */
static double bound(const struct scenario *scenario, double wrong)
{
    return log2((double)(scenario->hosts - 1) / wrong);
}

static void run(const struct row *row, unsigned all)
{
    unsigned trials = row->one_of > 0 && all > row->one_of ? all / row->one_of : all;
    unsigned *rounds = calloc(trials, sizeof *rounds), missed = 0, wrong = 0, silent = 0;
    unsigned median_aim = row->median_aim > 0 ? row->median_aim : row->rounds_aim;
    double tests = 0;
    const char *name = row->scenario.name;

    for (unsigned i = 0; i < trials; i++) {
        struct trial trial = simulate_trial(&row->scenario, i + 1);

        rounds[i] = trial.rounds;
        tests += trial.tests;
        missed += trial.missed > 0;
        silent += trial.missed > 0 && trial.candidates == 0;
        wrong += trial.wrong;
    }
    qsort(rounds, trials, sizeof *rounds, compare);
    figure(name, "trials", trials, "trials", 0, false);
    figure(name, "rounds_median", rounds[trials / 2], "rounds", median_aim, median_aim > 0);
    if (row->scenario.bad_links == 1 && !row->scenario.neighbours) {
        figure(name, "rounds_bound_wrong_1_of_1000", bound(&row->scenario, 1e-3), "rounds", 0, false);
        figure(name, "rounds_bound_wrong_1_of_10000", bound(&row->scenario, 1e-4), "rounds", 0, false);
    }
    figure(name, "rounds_p99", rounds[trials * 99 / 100], "rounds", row->rounds_aim, row->rounds_aim > 0);
    figure(name, "rounds_max", rounds[trials - 1], "rounds", 0, false);
    figure(name, "tests_mean", tests / trials, "tests", 0, false);
    figure(name, "missed", (double)missed / trials, "of_trials", 0.001, row->must_find);
    if (row->untold)
        figure(name, "missed_without_a_word", silent, "trials", 0, true);
    figure(name, "wrongly_accused", wrong, "accusations", row->wrong_most * trials, true);
    free(rounds);
}

int main(int argc, char **argv)
{
    uint64_t trials = 10000;

    if (argc > 1 && (!scan_u64(slice_of(argv[1]), &trials) || trials == 0)) {
        fprintf(stderr, "bench_isolation: '%s' is not a number of trials\n", argv[1]);
        return 64;
    }
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (argc < 3 || strstr(rows[i].scenario.name, argv[2]) != NULL)
            run(&rows[i], (unsigned)trials);
    return 0;
}
