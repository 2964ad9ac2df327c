/* SPDX-License-Identifier: Apache-2.0 */
/* usage: bench_rows DATABASE HOSTS      how fast a run of the suite `smoke` over so many hosts with 8 GPUs goes into a database, in
   memory before: each attempt is written when it begins, when it has ended, and with what was read in it, a transaction each
   as while a run goes on, and then the judgement. For scripts/bench rows. */
#include <stdio.h>
#include <time.h>

#include "../judge/big_run.h"
#include "assay/base/clock.h"
#include "assay/base/scan.h"
#include "assay/judge/judge.h"
#include "assay/store/store.h"

static double cpu_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int put_attempt(struct store *store, const struct record *record, struct attempt *attempt,
                       struct error *err)
{
    char uuid[UUID_SIZE];

    uuid_create(uuid);
    attempt->uuid = arena_strdup(record->arena, uuid);
    if (store_begin_attempt(store, record, attempt, err) < 0 ||
        store_end_attempt(store, record, attempt, err) < 0)
        return -1;
    return store_put_readings(store, record, attempt, err);
}

static size_t values_of(const struct record *record)
{
    size_t count = 0;

    for (size_t i = 0; i < record->attempts.count; i++)
        count += record->attempts.items[i].reading.facts.count +
                 record->attempts.items[i].reading.measurements.count;
    return count;
}

/* Rows of values and outcomes, and what they took: others are few. */
static int put_all(struct store *store, struct big_run *run, struct error *err)
{
    struct record *record = &run->record;
    double begun, wall, attempts_s, attempts_wall_s;

    if (store_begin_run(store, record, err) < 0)
        return -1;
    begun = cpu_s();
    wall = clock_now();
    for (size_t i = 0; i < record->attempts.count; i++)
        if (put_attempt(store, record, &record->attempts.items[i], err) < 0)
            return -1;
    attempts_s = cpu_s() - begun;
    attempts_wall_s = clock_now() - wall;
    judge_run(record, &run->sources.limits, "33333333-3333-4333-8333-333333333333");
    begun = cpu_s();
    wall = clock_now();
    if (store_put_judgement(store, record, err) < 0)
        return -1;
    printf("values %zu %.3f %.3f attempts %zu outcomes %zu %.3f %.3f\n", values_of(record), attempts_s,
           attempts_wall_s, record->attempts.count, record->judgement.outcome_count, cpu_s() - begun,
           clock_now() - wall);
    return 0;
}

int main(int argc, char **argv)
{
    struct arena *arena = arena_create();
    struct error err = {0};
    struct big_run run;
    struct store *store;
    uint64_t hosts;
    int result = -1;

    if (argc != 3 || !scan_u64(slice_of(argv[2]), &hosts) || hosts == 0 || hosts > 20000) {
        fprintf(stderr, "usage: bench_rows DATABASE HOSTS\n");
        return 64;
    }
    big_run_make(arena, hosts, 1, SERIALS_OWN, &run);
    run.record.uuid = run.record.plan->run_uuid;
    run.record.suite = run.record.suite_title = run.record.hostfile = run.record.program = "bench";
    store = store_open(argv[1], false, &err);
    if (store != NULL)
        result = put_all(store, &run, &err);
    if (result < 0)
        fprintf(stderr, "bench_rows: %s\n", err.text);
    store_close(store);
    arena_destroy(arena);
    return result < 0 ? 70 : 0;
}
