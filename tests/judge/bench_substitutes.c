/* SPDX-License-Identifier: Apache-2.0 */
/* usage: bench_substitutes HOSTS DEAD SPARES      processor time of finding who stands in for whom, s, in a run of the suite
   `delivery` in which so many hosts, evenly spread, are dead; for scripts/bench plan. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "assay/base/scan.h"
#include "big_run.h"

enum { HOSTS_MOST = 100000, UNIT = 250 };

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static const char *hostfile_of(struct arena *arena, size_t hosts, size_t spares)
{
    const char *text = "defaults platform=hgx-h100 fabric=infiniband\n";
    const char **lines = arena_array(arena, const char *, hosts / UNIT + 2);
    size_t count = 0, length = 0;
    char *all;

    lines[count++] = text;
    for (size_t first = 1; first <= hosts; first += UNIT)
        lines[count++] = arena_printf(arena, "n[%06zu-%06zu] unit=u%zu\n", first,
                                      first + UNIT - 1 < hosts ? first + UNIT - 1 : hosts, first / UNIT + 1);
    for (size_t i = 0; i < count; i++)
        length += strlen(lines[i]);
    all = arena_alloc(arena, length + 100);
    for (size_t i = 0, at = 0; i < count; i++)
        at += (size_t)snprintf(all + at, length + 1 - at, "%s", lines[i]);
    if (spares > 0)
        snprintf(all + length, 100, "s[%06d-%06zu] role=spare unit=u1\n", 1, spares);
    return all;
}

int main(int argc, char **argv)
{
    struct arena *arena = arena_create();
    struct big_run run;
    struct plan_progress progress = {0};
    enum step_state *states;
    uint64_t hosts, dead, spares;
    size_t steps;
    double begun;
    bool *is_dead;
    const struct host_places *places;

    if (argc != 4 || !scan_u64(slice_of(argv[1]), &hosts) || !scan_u64(slice_of(argv[2]), &dead) ||
        !scan_u64(slice_of(argv[3]), &spares) || hosts == 0 || hosts > HOSTS_MOST || dead == 0 ||
        dead > hosts || spares > hosts) {
        fprintf(stderr, "usage: bench_substitutes HOSTS DEAD SPARES\n");
        return 64;
    }
    big_run_plan(arena, hostfile_of(arena, hosts, spares), "delivery", NULL, &run);
    steps = run.record.plan->steps.count;
    states = arena_array(arena, enum step_state, steps);
    is_dead = arena_array(arena, bool, run.record.plan->hosts.count);
    places = host_places_create(arena, run.record.plan);
    for (size_t i = 0; i < run.record.plan->hosts.count; i++)
        is_dead[i] = i % (hosts / dead) == 7 % (hosts / dead);
    for (size_t i = 0; i < steps; i++) {
        const struct step *step = &run.record.plan->steps.items[i];

        states[i] = STEP_PASSED;
        for (size_t k = 0; k < step->member_count; k++)
            if (is_dead[host_place(places, step->members[k])])
                states[i] = step->member_count == 1 ? STEP_FAILED : STEP_SKIPPED;
    }
    progress.states = states;
    begun = now_s();
    plan_add_substitutes(run.record.plan, &run.sources, &progress);
    printf("%.3f s, %zu steps, %zu added\n", now_s() - begun, steps, run.record.plan->steps.count - steps);
    arena_destroy(arena);
    return 0;
}
