/* SPDX-License-Identifier: Apache-2.0 */
/* Who gets worse from run to run: fleets with measured noise are made up, and it is known who does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../unit_test.h"
#include "assay/judge/judge.h"

enum { GPUS = 8 };

struct fleet {
    bool by_probe; /* measured by gpu-compute, else by gpu-burn */
    struct arena *arena;
    struct history history;
    struct history_findings found;
    size_t hosts;
    uint64_t random;
    double noise;
    /* Changed before each run. */
    double strength[64][GPUS]; /* by host and GPU, by their identities' places at the beginning */
    double run_strength;
    unsigned seats[64][GPUS]; /* which GPU sits there: host * GPUS + number */
};

static double uniform(struct fleet *fleet)
{
    fleet->random ^= fleet->random << 13;
    fleet->random ^= fleet->random >> 7;
    fleet->random ^= fleet->random << 17;
    return ((double)(fleet->random >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct fleet *fleet)
{
    return sqrt(-2 * log(uniform(fleet))) * cos(2 * M_PI * uniform(fleet));
}

static uint32_t position(struct fleet *fleet, const char *step, const char *metric, const char *subject)
{
    struct history *history = &fleet->history;

    for (size_t i = 0; i < history->positions.count; i++)
        if (strcmp(history->positions.items[i].metric, metric) == 0 &&
            strcmp(history->positions.items[i].subject, subject) == 0)
            return (uint32_t)i;
    *list_push(fleet->arena, &history->positions) =
        (struct history_position){.suite_step = step,
                                  .check = step,
                                  .scope = "host",
                                  .variant = "",
                                  .platform = "hgx-h100",
                                  .hosts = 1,
                                  .metric = metric,
                                  .subject = arena_strdup(fleet->arena, subject),
                                  .at = ""};
    return (uint32_t)history->positions.count - 1;
}

static void fleet_begin(struct fleet *fleet, size_t hosts, double noise, uint64_t seed)
{
    *fleet = (struct fleet){
        .arena = arena_create(), .hosts = hosts, .noise = noise, .random = seed, .run_strength = 1};
    for (size_t i = 0; i < hosts; i++) {
        *list_push(fleet->arena, &fleet->history.targets) = arena_printf(fleet->arena, "node%zu", i + 1);
        for (size_t k = 0; k < GPUS; k++) {
            fleet->strength[i][k] = 1;
            fleet->seats[i][k] = (unsigned)(i * GPUS + k);
        }
    }
}

static double strength(const struct fleet *fleet, size_t host, size_t place)
{
    unsigned seat = fleet->seats[host][place];

    return seat < fleet->hosts * GPUS ? fleet->strength[seat / GPUS][seat % GPUS] : 1;
}

static void put(struct fleet *fleet, uint32_t run, size_t host, uint32_t where, double value)
{
    *list_push(fleet->arena, &fleet->history.values) = (struct history_value){
        run, where, (uint32_t)host, value * fleet->run_strength * (1 + fleet->noise * normal(fleet))};
}

/* Burn and copies between all pairs; pairs differ by place, as some platforms' do. */
static uint32_t fleet_run(struct fleet *fleet)
{
    uint32_t run = (uint32_t)fleet->history.runs.count;

    *list_push(fleet->arena, &fleet->history.runs) =
        (struct history_run){.number = run + 1, .uuid = "", .suite = "s", .started = 2629800.0 * run};
    for (size_t host = 0; host < fleet->hosts; host++)
        for (size_t i = 0; i < GPUS; i++) {
            const char *place = arena_printf(fleet->arena, "gpu%zu", i);

            *list_push(fleet->arena, &fleet->history.sightings) = (struct history_sighting){
                run, (uint32_t)host, place, arena_printf(fleet->arena, "GPU-%u", fleet->seats[host][i])};
            put(fleet, run, host,
                position(fleet, fleet->by_probe ? "gpu-compute" : "gpu-burn",
                         fleet->by_probe ? "gpu_compute.bf16.8192.random.warm" : "gpu_burn.gflops", place),
                55000 * strength(fleet, host, i));
            for (size_t k = 0; k < GPUS; k++)
                if (i != k)
                    put(fleet, run, host,
                        position(fleet, "p2p-bandwidth", "p2p.unidirectional.enabled",
                                 arena_printf(fleet->arena, "gpu%zu->gpu%zu", i, k)),
                        (390 - 10 * (double)((i + k) % 4)) *
                            fmin(strength(fleet, host, i), strength(fleet, host, k)));
        }
    return run;
}

static void fleet_judge(struct fleet *fleet)
{
    judge_history(fleet->arena, &fleet->history, &fleet->found);
}

static void fleet_end(struct fleet *fleet)
{
    fleet->arena = arena_destroy(fleet->arena);
}

static const struct history_subject *subject(const struct fleet *fleet, size_t finding)
{
    return &fleet->found.subjects.items[fleet->found.findings.items[finding].subject];
}

/* Every finding is about this one; returns how many there are. */
static size_t only(const struct fleet *fleet, const char *name)
{
    for (size_t i = 0; i < fleet->found.findings.count; i++)
        assert_string_equal(subject(fleet, i)->name, name);
    return fleet->found.findings.count;
}

static void healthy_fleets_accuse_nobody(void **state)
{
    unsigned told = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct fleet fleet;

        fleet_begin(&fleet, 16, 0.02, seed * 7919);
        for (int run = 0; run < 8; run++) {
            fleet.run_strength = 1 + 0.03 * (uniform(&fleet) - 0.5);
            fleet_run(&fleet);
        }
        fleet_judge(&fleet);
        told += fleet.found.findings.count > 0;
        fleet_end(&fleet);
    }
    assert_int_equal(told, 0);
}

/* The aim of the history: 0.7% a month is named by the sixth month at the latest. */
static void a_gpu_that_loses_0_7_percent_a_month_is_named_by_month_6_and_nobody_else(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct fleet fleet;

        fleet_begin(&fleet, 16, 0.005, seed * 104729);
        for (int month = 0; month <= 6; month++) {
            fleet.strength[4][3] = 1 - 0.007 * month;
            fleet_run(&fleet);
        }
        fleet_judge(&fleet);
        assert_true(only(&fleet, "GPU-35") >= 1);
        assert_string_equal(subject(&fleet, 0)->place, "node5 gpu3");
        assert_int_equal(fleet.found.findings.items[0].kind, HISTORY_TREND);
        assert_true(fabs(fleet.found.findings.items[0].change + 0.042) < 0.01);
        fleet_end(&fleet);
    }
}

static void a_gpu_that_moved_to_another_host_keeps_its_past(void **state)
{
    struct fleet fleet;

    (void)state;
    fleet_begin(&fleet, 16, 0.005, 99);
    for (int month = 0; month <= 6; month++) {
        fleet.strength[4][3] = 1 - 0.007 * month;
        if (month == 3) {
            fleet.seats[9][6] = 4 * GPUS + 3;
            fleet.seats[4][3] = 9 * GPUS + 6;
        }
        fleet_run(&fleet);
    }
    fleet_judge(&fleet);
    assert_true(only(&fleet, "GPU-35") >= 1);
    assert_string_equal(subject(&fleet, 0)->place, "node10 gpu6");
    assert_int_equal(subject(&fleet, 0)->places, 2);
    fleet_end(&fleet);
}

/* A run that did not ask for UUIDs: what was there before and after was there then, unless these differ. */
static void a_run_that_did_not_look_does_not_break_a_past(void **state)
{
    struct fleet fleet;
    size_t subjects;

    (void)state;
    fleet_begin(&fleet, 8, 0.005, 23);
    for (int run = 0; run < 4; run++) {
        if (run == 2)
            fleet.seats[0][0] = 900;
        if (run == 3)
            fleet.seats[0][0] = 0;
        fleet_run(&fleet);
        if (run == 1)
            fleet.history.sightings.count -= 8 * GPUS;
    }
    fleet_judge(&fleet);
    /* All 64, the one that came for a run, and the place of which nobody knows who sat there in run 2. */
    subjects = fleet.found.subjects.count;
    assert_int_equal(subjects, 8 * GPUS + 2);
    assert_string_equal(fleet.found.subjects.items[subjects - 1].name, "node1 gpu0");
    fleet_end(&fleet);
}

static void a_sudden_drop_within_all_limits_is_named(void **state)
{
    struct fleet fleet;

    (void)state;
    fleet_begin(&fleet, 8, 0.005, 5);
    fleet_run(&fleet);
    fleet_run(&fleet);
    fleet.strength[2][1] = 0.96;
    fleet_run(&fleet);
    fleet_judge(&fleet);
    assert_true(only(&fleet, "GPU-17") >= 1);
    assert_int_equal(fleet.found.findings.items[0].kind, HISTORY_DROP);
    assert_true(fabs(fleet.found.findings.items[0].change + 0.04) < 0.015);
    fleet_end(&fleet);
}

/* Of products that repeat within 0.3% (a standard deviation), which all limits let pass. */
static void two_percent_is_named(void **state)
{
    struct fleet fleet;

    (void)state;
    fleet_begin(&fleet, 8, 0.003, 7);
    fleet.by_probe = true;
    fleet_run(&fleet);
    fleet_run(&fleet);
    fleet_run(&fleet);
    fleet.strength[2][1] = 0.98;
    fleet_run(&fleet);
    fleet_judge(&fleet);
    assert_true(only(&fleet, "GPU-17") >= 1);
    assert_true(fabs(fleet.found.findings.items[0].change + 0.02) < 0.01);
    fleet_end(&fleet);
}

static void who_was_slow_and_is_repaired_is_not_named_again(void **state)
{
    struct fleet fleet;

    (void)state;
    fleet_begin(&fleet, 8, 0.005, 5);
    for (int run = 0; run < 5; run++) {
        fleet.strength[2][1] = run == 2 || run == 3 ? 0.9 : 1;
        fleet_run(&fleet);
    }
    fleet_judge(&fleet);
    assert_int_equal(fleet.found.findings.count, 0);
    fleet_end(&fleet);
}

static void what_all_lose_together_accuses_nobody_and_is_told_of_the_run(void **state)
{
    struct fleet fleet;

    (void)state;
    fleet_begin(&fleet, 8, 0.005, 11);
    for (int run = 0; run < 5; run++) {
        fleet.run_strength = run < 3 ? 1 : 0.94;
        fleet_run(&fleet);
    }
    fleet_judge(&fleet);
    assert_int_equal(fleet.found.findings.count, 0);
    assert_int_equal(fleet.found.shifts.count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(fleet.found.shifts.items[i].run, 3);
        assert_true(fabs(fleet.found.shifts.items[i].change + 0.06) < 0.005);
    }
    fleet_end(&fleet);
}

static void too_few_runs_and_hosts_to_know_the_noise_tell_nothing(void **state)
{
    struct fleet fleet;

    (void)state;
    fleet_begin(&fleet, 1, 0.005, 11);
    fleet_run(&fleet);
    fleet_judge(&fleet);
    assert_int_equal(fleet.found.findings.count, 0);
    fleet_end(&fleet);
    *(&fleet) = (struct fleet){.arena = arena_create()};
    fleet_judge(&fleet);
    assert_int_equal(fleet.found.subjects.count, 0);
    fleet_end(&fleet);
}

static void note_failure(struct fleet *fleet, uint32_t run, size_t host, const char *metric,
                         const char *where)
{
    *list_push(fleet->arena, &fleet->history.failures) =
        (struct history_failure){run, position(fleet, "p2p-bandwidth", metric, where), (uint32_t)host,
                                 reason_text(fleet->arena, "too slow")};
}

static void who_fails_in_two_runs_is_a_repeat_offender(void **state)
{
    struct fleet fleet;

    (void)state;
    fleet_begin(&fleet, 4, 0.005, 3);
    for (uint32_t run = 0; run < 3; run++)
        fleet_run(&fleet);
    note_failure(&fleet, 0, 1, "gpu_burn.gflops", "gpu5");
    note_failure(&fleet, 2, 1, "gpu_burn.gflops", "gpu5");
    note_failure(&fleet, 2, 3, "gpu_burn.gflops", "gpu1"); /* once only */
    fleet_judge(&fleet);
    assert_int_equal(only(&fleet, "GPU-13"), 1);
    assert_int_equal(fleet.found.findings.items[0].kind, HISTORY_REPEAT);
    assert_int_equal(fleet.found.findings.items[0].runs, 2);
    fleet_end(&fleet);
}

/* gpu2 with gpu5 and with gpu6: it is gpu2. A pair alone accuses neither of its ends, but their host. */
static void of_failed_pairs_the_common_gpu_is_the_offender_and_of_one_pair_the_host(void **state)
{
    struct fleet fleet;

    (void)state;
    fleet_begin(&fleet, 4, 0.005, 3);
    for (uint32_t run = 0; run < 2; run++) {
        fleet_run(&fleet);
        note_failure(&fleet, run, 1, "p2p.unidirectional.enabled", "gpu2->gpu5");
        note_failure(&fleet, run, 1, "p2p.unidirectional.enabled", "gpu6->gpu2");
        note_failure(&fleet, run, 3, "p2p.unidirectional.enabled", "gpu0->gpu1");
        note_failure(&fleet, run, 3, "p2p.unidirectional.enabled", "gpu1->gpu0");
    }
    fleet_judge(&fleet);
    assert_int_equal(fleet.found.findings.count, 2);
    assert_string_equal(subject(&fleet, 0)->name, "GPU-10");
    assert_string_equal(subject(&fleet, 1)->name, "node4");
    fleet_end(&fleet);
}

/* By what grew since the run before, and by what is left where the runs are far enough apart to know a rate. */
static void folders_that_grow_are_told_and_when_their_disk_is_full(void **state)
{
    static const struct {
        const char *host, *folder;
        double sizes[3], left;
    } rooms[] = {
        {"node1", "/var/log", {1000, 2000, 12240}, 51200},  /* 10 GiB in two days: full in ten */
        {"node1", "/tmp", {100, 100, 200}, 400},            /* little, and hardly anything is left */
        {"node2", "/var/log", {1000, 2000, 2100}, 1048576}, /* noise */
        {"node2", "/home/*", {90000, 50000, 50000}, 400},   /* it was tidied up */
    };
    struct fleet fleet;

    (void)state;
    fleet_begin(&fleet, 2, 0, 1);
    for (uint32_t run = 0; run < 3; run++) {
        *list_push(fleet.arena, &fleet.history.runs) =
            (struct history_run){.number = run + 4, .started = run * 2 * 86400.0};
        for (size_t i = 0; i < ARRAY_SIZE(rooms); i++) {
            size_t host = strcmp(rooms[i].host, "node2") == 0;

            put(&fleet, run, host, position(&fleet, "space", "space.size", rooms[i].folder),
                rooms[i].sizes[run]);
            put(&fleet, run, host, position(&fleet, "space", "space.left", rooms[i].folder), rooms[i].left);
            put(&fleet, run, host, position(&fleet, "space", "space.filled", rooms[i].folder), 60 + 10 * run);
        }
    }
    judge_history(fleet.arena, &fleet.history, &fleet.found);
    assert_int_equal(fleet.found.growths.count, 2);
    assert_string_equal(fleet.found.growths.items[0].folder, "/tmp");
    assert_true(fabs(history_days_left(&fleet.found.growths.items[0]) - 8) < 1e-9);
    assert_string_equal(fleet.found.growths.items[1].folder, "/var/log");
    assert_string_equal(fleet.found.growths.items[1].target, "node1");
    assert_true(fabs(fleet.found.growths.items[1].per_day - 5120) < 1e-9);
    assert_true(fleet.found.growths.items[1].filled == 80 && fleet.found.growths.items[1].days == 2);
    assert_true(fabs(history_days_left(&fleet.found.growths.items[1]) - 10) < 1e-9);

    /* An hour apart nobody knows a rate: what grew is told all the same. */
    fleet.history.runs.items[2].started = fleet.history.runs.items[1].started + 3600;
    judge_history(fleet.arena, &fleet.history, &fleet.found);
    assert_int_equal(fleet.found.growths.count, 1);
    assert_true(isinf(history_days_left(&fleet.found.growths.items[0])));
    arena_destroy(fleet.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy_fleets_accuse_nobody),
        cmocka_unit_test(a_gpu_that_loses_0_7_percent_a_month_is_named_by_month_6_and_nobody_else),
        cmocka_unit_test(a_gpu_that_moved_to_another_host_keeps_its_past),
        cmocka_unit_test(a_run_that_did_not_look_does_not_break_a_past),
        cmocka_unit_test(a_sudden_drop_within_all_limits_is_named),
        cmocka_unit_test(two_percent_is_named),
        cmocka_unit_test(who_was_slow_and_is_repaired_is_not_named_again),
        cmocka_unit_test(what_all_lose_together_accuses_nobody_and_is_told_of_the_run),
        cmocka_unit_test(too_few_runs_and_hosts_to_know_the_noise_tell_nothing),
        cmocka_unit_test(who_fails_in_two_runs_is_a_repeat_offender),
        cmocka_unit_test(folders_that_grow_are_told_and_when_their_disk_is_full),
        cmocka_unit_test(of_failed_pairs_the_common_gpu_is_the_offender_and_of_one_pair_the_host),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
