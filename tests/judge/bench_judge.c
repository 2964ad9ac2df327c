/* SPDX-License-Identifier: Apache-2.0 */
/* usage: bench_judge [TRIALS [NAME]]      one line a figure, for scripts/bench judge; NAME: fleets that have it in
   their names. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "assay/base/scan.h"
#include "assay/judge/judge.h"
#include "big_run.h"
#include "fleet.h"

enum { MIB = 1 << 20 };

#define FLEET .hosts = 232, .gpus = 8, .noise = 0.02

struct row {
    struct fleet fleet;
    double found_aim, failed_aim; /* share of trials in which all of it is, at least; 0: no aim */
};

static const struct row rows[] = {
    {{.name = "232-healthy", FLEET}, 0, 0},
    {{.name = "232-1-gpu-5%", FLEET, .slow_gpus = 1, .loss = 0.05}, 0.99, 0},
    {{.name = "232-1-gpu-15%", FLEET, .slow_gpus = 1, .loss = 0.15}, 0.99, 0.99},
    {{.name = "232-5-gpus-5%", FLEET, .slow_gpus = 5, .loss = 0.05}, 0, 0},
    {{.name = "232-4-gpus-of-one-host-5%", FLEET, .slow_gpus = 4, .together = true, .loss = 0.05}, 0, 0},
    {{.name = "232-1-gpu-5%-burn-only", FLEET, .slow_gpus = 1, .one_aspect = true, .loss = 0.05}, 0, 0},
    {{.name = "232-1-path-10%", FLEET, .slow_paths = 1, .loss = 0.10}, 0, 0},
    {{.name = "232-heavy-noise-1-gpu-5%", FLEET, .kind = NOISE_HEAVY, .slow_gpus = 1, .loss = 0.05}, 0, 0},
    {{.name = "232-noise-by-host-1-gpu-5%", FLEET, .kind = NOISE_BY_HOST, .slow_gpus = 1, .loss = 0.05},
     0,
     0},
    {{.name = "8-1-gpu-5%", .hosts = 8, .gpus = 8, .noise = 0.02, .slow_gpus = 1, .loss = 0.05}, 0, 0},
};

static void figure(const char *name, const char *what, double value, const char *unit, double aim, bool least)
{
    if (aim > 0)
        printf("bench judge %s.%s value=%g unit=%s aim=%s%g met=%s\n", name, what, value, unit,
               least ? ">=" : "<=", aim, (least ? value >= aim : value <= aim) ? "yes" : "no");
    else
        printf("bench judge %s.%s value=%g unit=%s aim=- met=-\n", name, what, value, unit);
}

/* Of this process alone, whatever else the machine does meanwhile: all of it is one thread that never waits. */
static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void run(const struct row *row, unsigned trials)
{
    const struct fleet *fleet = &row->fleet;
    unsigned faults = fleet->slow_gpus + fleet->slow_paths, found = 0, failed = 0, remarks = 0, fails = 0;
    double begun = now_s();

    for (unsigned i = 0; i < trials; i++) {
        struct fleet_trial trial = fleet_try(fleet, i + 1);

        found += trial.found == faults;
        failed += trial.failed == faults;
        remarks += trial.wrong_remarks;
        fails += trial.wrong_fails + (fleet->loss < 0.1 ? trial.failed : 0);
    }
    if (faults > 0)
        figure(fleet->name, "found", (double)found / trials, "of_trials", row->found_aim, true);
    if (faults > 0 && fleet->loss > 0.1)
        figure(fleet->name, "failed", (double)failed / trials, "of_trials", row->failed_aim, true);
    figure(fleet->name, "wrong_remarks", (double)remarks / trials, "per_fleet", 0, false);
    figure(fleet->name, "wrong_rejects", (double)fails / trials / (double)fleet->hosts, "of_hosts", 0.001,
           false);
    figure(fleet->name, "time", (now_s() - begun) / trials * 1000, "ms_per_fleet", 0, false);
    fflush(stdout);
}

/* Of a run of many hosts; share: of the hosts that are up. What is worse than linear shows between the two sizes. */
static void run_judge(const char *name, size_t hosts, double share, enum big_serials serials, double aim_s)
{
    struct arena *arena = arena_create();
    struct big_run big;
    double begun, s;
    char what[64];
    size_t made;

    big_run_make(arena, hosts, share, serials, &big);
    made = arena_used(arena);
    begun = now_s();
    judge_run(&big.record, &big.sources.limits, "22222222-2222-4222-8222-222222222222");
    s = now_s() - begun;
    snprintf(what, sizeof what, "judge-%zu-hosts%s", hosts, name);
    figure(what, "items", (double)big.items, "items", 0, false);
    figure(what, "time", s, "s", aim_s, false);
    figure(what, "memory", (double)(arena_used(arena) - made) / MIB, "MiB", 0, false);
    fflush(stdout);
    arena_destroy(arena);
}

int main(int argc, char **argv)
{
    uint64_t trials = 400;

    if (argc > 1 && (!scan_u64(slice_of(argv[1]), &trials) || trials == 0)) {
        fprintf(stderr, "bench_judge: '%s' is not a number of trials\n", argv[1]);
        return 64;
    }
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (argc < 3 || strstr(rows[i].fleet.name, argv[2]) != NULL)
            run(&rows[i], (unsigned)trials);
    if (argc < 3 || strstr("judge", argv[2]) != NULL) {
        run_judge("", 232, 1, SERIALS_OWN, 0);
        run_judge("", 1250, 1, SERIALS_OWN, 10);
        run_judge("-all-down", 1250, 0, SERIALS_OWN, 10);
        run_judge("-without-serials", 1250, 1, SERIALS_UNTOLD, 10);
        run_judge("-of-one-serial", 1250, 1, SERIALS_ONE, 10);
    }
    return 0;
}
