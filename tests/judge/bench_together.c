/* SPDX-License-Identifier: Apache-2.0 */
/* usage: bench_together RUNS HOSTS      processor time of judging so many runs of the suite `smoke` as one, each over so many
   hosts with 8 GPUs, s; for scripts/bench merge. What is worse than linear shows between two sizes. */
#include <stdio.h>
#include <time.h>

#include "assay/base/scan.h"
#include "assay/judge/judge.h"
#include "big_run.h"

enum { RUNS_MOST = 1000, HOSTS_MOST = 100000 };

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Hosts of each are called as those of all others, and have what may exist once of their own. */
static void make(struct arena *arena, uint64_t number, uint64_t hosts, struct big_run *ret_run)
{
    const char *hostfile =
        arena_printf(arena, "n[1-%llu] platform=hgx-h100 slots=8\n", (unsigned long long)hosts);

    big_run_plan(arena, hostfile, "smoke", NULL, ret_run);
    ret_run->record.number = (long long)number;
    ret_run->record.uuid = arena_printf(arena, "run %llu", (unsigned long long)number);
    for (size_t i = 0; i < ret_run->record.plan->steps.count; i++)
        big_run_try(ret_run, i, true);
}

static size_t count_fails(const struct big_run *runs, size_t count)
{
    size_t fails = 0;

    for (size_t i = 0; i < count; i++)
        fails += runs[i].record.judgement.verdicts[0].fail;
    return fails;
}

int main(int argc, char **argv)
{
    struct arena *arena = arena_create();
    struct big_run *runs;
    struct judged_run *judged;
    uint64_t count, hosts;
    double begun;

    if (argc != 3 || !scan_u64(slice_of(argv[1]), &count) || !scan_u64(slice_of(argv[2]), &hosts) ||
        count == 0 || count > RUNS_MOST || hosts == 0 || hosts > HOSTS_MOST) {
        fprintf(stderr, "usage: bench_together RUNS HOSTS\n");
        return 64;
    }
    runs = arena_array(arena, struct big_run, count);
    judged = arena_array(arena, struct judged_run, count);
    for (uint64_t i = 0; i < count; i++) {
        make(arena, i + 1, hosts, &runs[i]);
        judged[i] = (struct judged_run){&runs[i].record, &runs[i].sources.limits, "judgement"};
    }
    begun = now_s();
    judge_together(judged, count);
    printf("%.3f s, %zu items, %zu fails\n", now_s() - begun, runs[0].items * count,
           count_fails(runs, count));
    arena_destroy(arena);
    return 0;
}
