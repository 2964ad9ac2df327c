/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of acceptance.h: what settles a requirement, what a change makes void, and what replaces a fail. */
#include <string.h>

#include "../unit_test.h"
#include "assay/model/acceptance.h"
#include "assay/reasons/any.h"
#include "handmade.h"

#define HOSTS "n1:u1 n2:u1 n3:u2 n4:u2"
#define GPUS "nvidia-smi", "gpu.uuid"

struct campaign {
    struct arena *arena;
    struct acceptance acceptance;
};

static struct campaign begin(void)
{
    struct campaign campaign = {.arena = arena_create()};

    campaign.acceptance = (struct acceptance){
        .arena = campaign.arena, .name = "c", .plan = handmade_plan(campaign.arena, HOSTS), .now = 1e6};
    return campaign;
}

static void end(struct campaign *campaign)
{
    arena_destroy(campaign->arena);
}

static void add_event(struct campaign *campaign, double at, enum event_kind kind, const char *host,
                      const char *item)
{
    *list_push(campaign->arena, &campaign->acceptance.events) =
        (struct acceptance_event){"e", kind, host, item, "", "", at, at};
}

/* A run over these hosts, which add to it what was tried; judged by judge(). */
static struct record *add_run(struct campaign *campaign, const char *hosts, double began)
{
    struct record *record = handmade_run(campaign->arena, hosts, began);

    *list_push(campaign->arena, &campaign->acceptance.runs) = record;
    return record;
}

/* Every step on every host, with one score; the first attempt of each host sees these GPUs. */
static struct record *add_whole_run(struct campaign *campaign, double began, double score)
{
    struct record *record = add_run(campaign, HOSTS, began);

    for (size_t i = 0; i < record->plan->hosts.count; i++) {
        const char *host = record->plan->hosts.items[i]->name;

        handmade_see(record, handmade_try(record, "burn", host, score), GPUS, "gpu0",
                     arena_printf(campaign->arena, "GPU-%s-0", host));
        handmade_try(record, "ports", host, 12);
    }
    handmade_try(record, "ring", "n1", 12);
    handmade_try(record, "ring", "n3", 12);
    return record;
}

/* What an earlier judgement made of it. */
static void forget(struct acceptance *acceptance)
{
    struct acceptance kept = *acceptance;

    memset(acceptance, 0, sizeof *acceptance);
    acceptance->arena = kept.arena;
    acceptance->name = kept.name;
    acceptance->plan = kept.plan;
    acceptance->suite = kept.suite;
    acceptance->now = kept.now;
    for (size_t i = 0; i < kept.runs.count; i++)
        *list_push(kept.arena, &acceptance->runs) = kept.runs.items[i];
    for (size_t i = 0; i < kept.events.count; i++)
        *list_push(kept.arena, &acceptance->events) = kept.events.items[i];
}

static void judge(struct campaign *campaign)
{
    struct acceptance *acceptance = &campaign->acceptance;

    forget(acceptance);
    for (size_t i = 0; i < acceptance->runs.count; i++)
        handmade_judge((struct record *)acceptance->runs.items[i]);
    judge_acceptance(acceptance);
}

static const struct requirement *find(const struct campaign *campaign, const char *step, const char *host)
{
    size_t index = handmade_step(campaign->acceptance.plan, step, host);

    for (size_t i = 0; i < campaign->acceptance.requirements.count; i++)
        if (campaign->acceptance.requirements.items[i].step == index)
            return &campaign->acceptance.requirements.items[i];
    fail_msg("%s on %s is no requirement", step, host);
    return NULL;
}

static const char *why(const struct campaign *campaign, const char *step, const char *host)
{
    return reason_english(campaign->arena, find(campaign, step, host)->why);
}

static void expect(const struct campaign *campaign, const char *step, const char *host,
                   enum requirement_state state)
{
    const struct requirement *requirement = find(campaign, step, host);

    if (requirement->state != state)
        fail_msg("%s on %s is %s (%s), expected %s", step, host, requirement_state_name(requirement->state),
                 reason_english(campaign->arena, requirement->why), requirement_state_name(state));
}

static void expect_verdicts(const struct campaign *campaign, enum verdict_word all, enum verdict_word u1,
                            enum verdict_word u2)
{
    const enum verdict_word wanted[] = {all, u1, u2};

    assert_int_equal(campaign->acceptance.verdicts.count, 3);
    for (size_t i = 0; i < 3; i++)
        if (campaign->acceptance.verdicts.items[i].word != wanted[i])
            fail_msg("verdict %zu is %s, expected %s", i,
                     verdict_name(campaign->acceptance.verdicts.items[i].word), verdict_name(wanted[i]));
}

static void a_campaign_without_runs_is_incomplete(void **state)
{
    struct campaign campaign = begin();

    (void)state;
    judge(&campaign);
    assert_int_equal(campaign.acceptance.requirements.count, 4 * 2 + 2);
    expect(&campaign, "burn", "n1", REQUIREMENT_MISSING);
    expect_verdicts(&campaign, VERDICT_INCOMPLETE, VERDICT_INCOMPLETE, VERDICT_INCOMPLETE);
    end(&campaign);
}

static void units_are_accepted_one_after_the_other(void **state)
{
    struct campaign campaign = begin();
    struct record *first = add_run(&campaign, "n1:u1 n2:u1", 1000), *second;

    (void)state;
    for (int i = 0; i < 2; i++) {
        handmade_try(first, "burn", i == 0 ? "n1" : "n2", 12);
        handmade_try(first, "ports", i == 0 ? "n1" : "n2", 12);
    }
    handmade_try(first, "ring", "n1", 12);
    judge(&campaign);
    expect_verdicts(&campaign, VERDICT_INCOMPLETE, VERDICT_ACCEPT, VERDICT_INCOMPLETE);
    second = add_run(&campaign, "n3:u2 n4:u2", 2000);
    for (int i = 0; i < 2; i++) {
        handmade_try(second, "burn", i == 0 ? "n3" : "n4", 12);
        handmade_try(second, "ports", i == 0 ? "n3" : "n4", 12);
    }
    handmade_try(second, "ring", "n3", 12);
    judge(&campaign);
    expect_verdicts(&campaign, VERDICT_ACCEPT, VERDICT_ACCEPT, VERDICT_ACCEPT);
    end(&campaign);
}

/* A run of less hosts has groups of its own: they stand for none that is owed. */
static void a_run_that_was_left_out_holds_back_its_units(void **state)
{
    static const struct {
        const char *hosts;
        enum verdict_word all, u1, u2;
    } rows[] = {
        {"n1:u1", VERDICT_INCOMPLETE, VERDICT_INCOMPLETE, VERDICT_ACCEPT},
        {"n4:other", VERDICT_INCOMPLETE, VERDICT_ACCEPT, VERDICT_INCOMPLETE},
        {"n1:u1 n3:u2", VERDICT_INCOMPLETE, VERDICT_INCOMPLETE, VERDICT_INCOMPLETE},
        {"n9:u9", VERDICT_INCOMPLETE, VERDICT_ACCEPT,
         VERDICT_ACCEPT}, /* a host that a spare stands for now */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct campaign campaign = begin();

        add_whole_run(&campaign, 1000, 12);
        judge(&campaign);
        expect_verdicts(&campaign, VERDICT_ACCEPT, VERDICT_ACCEPT, VERDICT_ACCEPT);
        forget(&campaign.acceptance);
        *list_push(campaign.arena, &campaign.acceptance.left_out) =
            handmade_run(campaign.arena, rows[i].hosts, 2000);
        judge_acceptance(&campaign.acceptance);
        expect_verdicts(&campaign, rows[i].all, rows[i].u1, rows[i].u2);
        end(&campaign);
    }
}

static void a_group_of_other_hosts_stands_for_none(void **state)
{
    struct campaign campaign = begin();
    struct record *record = add_run(&campaign, "n1:u1 n3:u1", 1000);

    (void)state;
    handmade_try(record, "ring", "n1", 12);
    judge(&campaign);
    expect(&campaign, "ring", "n1", REQUIREMENT_MISSING);
    end(&campaign);
}

static void running_it_until_it_passes_replaces_no_fail(void **state)
{
    struct campaign campaign = begin();

    (void)state;
    add_whole_run(&campaign, 1000, 12);
    handmade_try(add_run(&campaign, "n1:u1", 2000), "burn", "n1", 8);
    for (double began = 3000; began < 9000; began += 1000)
        handmade_try(add_run(&campaign, "n1:u1", began), "burn", "n1", 12);
    judge(&campaign);
    expect(&campaign, "burn", "n1", REQUIREMENT_FAILED);
    assert_non_null(
        strstr(why(&campaign, "burn", "n1"), "failed in run 2000; no repair or swap of gpu0 was"));
    expect_verdicts(&campaign, VERDICT_REJECT, VERDICT_REJECT, VERDICT_ACCEPT);
    end(&campaign);
}

static void after_a_repair_it_takes_three_of_three(void **state)
{
    struct campaign campaign = begin();

    (void)state;
    handmade_try_subject(add_whole_run(&campaign, 1000, 12), "burn", "n1", 12, "gpu1", 8);
    add_event(&campaign, 1500, EVENT_SWAP, "n1", "gpu1");
    for (unsigned i = 0; i < 3; i++) {
        judge(&campaign);
        expect(&campaign, "burn", "n1", REQUIREMENT_RETEST);
        assert_int_equal(find(&campaign, "burn", "n1")->passes, i);
        assert_int_equal(find(&campaign, "burn", "n1")->owed, 3);
        handmade_try(add_run(&campaign, "n1:u1", 2000 + 1000 * i), "burn", "n1", 12);
    }
    judge(&campaign);
    expect(&campaign, "burn", "n1", REQUIREMENT_PASSED);
    /* The rest of the host, and its group, are owed again: once. */
    expect(&campaign, "ports", "n1", REQUIREMENT_MISSING);
    expect(&campaign, "ring", "n1", REQUIREMENT_MISSING);
    expect(&campaign, "burn", "n2", REQUIREMENT_PASSED);
    expect(&campaign, "ring", "n3", REQUIREMENT_PASSED);
    end(&campaign);
}

static void three_attempts_of_one_run_are_three(void **state)
{
    struct campaign campaign = begin();
    struct record *record;

    (void)state;
    handmade_try(add_run(&campaign, "n1:u1", 1000), "burn", "n1", 8);
    add_event(&campaign, 1500, EVENT_REPAIR, "n1", "");
    record = add_run(&campaign, "n1:u1", 2000);
    for (int i = 0; i < 3; i++)
        handmade_try(record, "burn", "n1", 12);
    judge(&campaign);
    expect(&campaign, "burn", "n1", REQUIREMENT_PASSED);
    end(&campaign);
}

/* The judge's outcome of one host's burn, as a comparison with the other hosts makes it. */
static void fail_by_peers(struct record *record, const char *host)
{
    size_t step = handmade_step(record->plan, "burn", host);

    for (size_t i = 0; i < record->judgement.outcome_count; i++) {
        struct outcome *outcome = &record->judgement.outcomes[i];

        if (outcome->step == step &&
            strcmp(record->plan->steps.items[step].shape->slots[outcome->slot].subject, "gpu1") == 0) {
            outcome->word = OUTCOME_FAIL;
            outcome_held_own(record->arena, outcome)->status = "peers";
        }
    }
}

/* What the burns measure is one that hosts are compared in. */
static void burn_measures(const struct plan *plan, const char *metric)
{
    for (size_t i = 0; i < plan->shapes.count; i++)
        for (size_t k = 0; strcmp(plan->shapes.items[i]->suite_step, "burn") == 0 && k < 2; k++)
            plan->shapes.items[i]->slots[k].metric = metric;
}

/* A run of these hosts in which all burn as fast as each other, but for n1. */
static void burn_all(struct campaign *campaign, const char *hosts, const char *metric, double began,
                     double of_n1)
{
    struct record *record = add_run(campaign, hosts, began);

    burn_measures(record->plan, metric);
    for (size_t i = 0; i < record->plan->hosts.count; i++)
        handmade_try(record, "burn", record->plan->hosts.items[i]->name,
                     strcmp(record->plan->hosts.items[i]->name, "n1") == 0 ? of_n1 : 50000 + 100 * (double)i);
    handmade_judge(record);
}

/* The state of n1, which failed beside the others, was repaired, and reached so much in three runs of its own since. */
static struct campaign repaired_alone(const char *all, const char *metric, double reached)
{
    struct campaign campaign = {.arena = arena_create()};
    struct acceptance *acceptance = &campaign.acceptance;
    struct suite *suite = arena_new(campaign.arena, struct suite);
    struct suite_step *burn = list_push(campaign.arena, &suite->steps);

    *burn = (struct suite_step){.name = "burn", .check = "gpu-burn", .peers = {.remark = 0.05, .fail = 0.07}};
    *acceptance = (struct acceptance){.arena = campaign.arena,
                                      .name = "c",
                                      .plan = handmade_plan(campaign.arena, all),
                                      .suite = suite,
                                      .now = 1e6};
    burn_measures(acceptance->plan, metric);
    add_event(&campaign, 1500, EVENT_SWAP, "n1", "gpu1");
    burn_all(&campaign, all, metric, 1000, 40000);
    fail_by_peers((struct record *)acceptance->runs.items[0], "n1");
    for (size_t run = 1; run < 4; run++)
        burn_all(&campaign, "n1:u1", metric, 1000 + 1000 * (double)run, reached);
    judge_acceptance(acceptance);
    return campaign;
}

static void what_is_tested_again_alone_is_compared_with_what_the_others_showed_before(void **state)
{
    static const char *const fleets[] = {"n1:u1 n2:u1 n3:u1 n4:u1 n5:u1 n6:u1 n7:u1 n8:u1",
                                         "n1:u1 n2:u1 n3:u1 n4:u1"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(fleets); i++) {
        struct campaign campaign = repaired_alone(fleets[i], "gpu_burn.gflops", 50200);

        expect(&campaign, "burn", "n1", REQUIREMENT_PASSED);
        expect(&campaign, "burn", "n2", REQUIREMENT_PASSED);
        end(&campaign);
        campaign = repaired_alone(fleets[i], "gpu_burn.gflops", 40000);
        expect(&campaign, "burn", "n1", REQUIREMENT_FAILED);
        assert_non_null(strstr(reason_english(campaign.arena, find(&campaign, "burn", "n1")->why),
                               "compared over all runs: gpu"));
        expect(&campaign, "burn", "n2", REQUIREMENT_PASSED);
        end(&campaign);
        campaign = repaired_alone(fleets[i], "gpu_burn.gflops", 0);
        expect(&campaign, "burn", "n1", REQUIREMENT_FAILED);
        end(&campaign);
    }
}

/* Four of eight hosts are slow and waived: without them the one that was repaired would have three peers, and pass: of what depends on
   a GPU's place in its host the others of the host are none. */
static void what_is_waived_is_still_a_peer(void **state)
{
    struct campaign campaign = repaired_alone("n1:u1 n2:u1 n3:u1 n4:u1 n5:u1 n6:u1 n7:u1 n8:u1",
                                              "nvbandwidth.device_to_host_memcpy_ce", 40000);
    struct acceptance *acceptance = &campaign.acceptance;
    struct record *record = (struct record *)acceptance->runs.items[0];

    (void)state;
    for (unsigned host = 5; host <= 8; host++) {
        const char *name = arena_printf(campaign.arena, "n%u", host);
        struct waiver waiver;
        struct error err;

        fail_by_peers(record, name);
        assert_int_equal(
            judge_waive(record, handmade_step(record->plan, "burn", name), NULL, NULL, "gpu1", &waiver, &err),
            0);
        waiver.uuid = name;
        waiver.made = 1500;
        waiver.until = 1e7;
        *list_push(campaign.arena, &record->waivers) = waiver;
    }
    forget(acceptance);
    judge_acceptance(acceptance);
    expect(&campaign, "burn", "n5", REQUIREMENT_WAIVED);
    expect(&campaign, "burn", "n1", REQUIREMENT_FAILED);
    end(&campaign);
}

static void one_that_fails_among_the_three_is_a_fail_again(void **state)
{
    struct campaign campaign = begin();
    const double scores[] = {12, 12, 8, 12, 12, 12};

    (void)state;
    handmade_try(add_run(&campaign, "n1:u1", 1000), "burn", "n1", 8);
    add_event(&campaign, 1500, EVENT_REPAIR, "n1", "");
    for (size_t i = 0; i < ARRAY_SIZE(scores); i++)
        handmade_try(add_run(&campaign, "n1:u1", 2000 + 1000 * (double)i), "burn", "n1", scores[i]);
    judge(&campaign);
    expect(&campaign, "burn", "n1", REQUIREMENT_FAILED);
    assert_non_null(strstr(why(&campaign, "burn", "n1"), "run 4000"));
    end(&campaign);
}

static void one_that_was_not_decided_among_the_three_begins_them_anew(void **state)
{
    struct campaign campaign = begin();

    (void)state;
    handmade_try(add_run(&campaign, "n1:u1", 1000), "burn", "n1", 8);
    add_event(&campaign, 1500, EVENT_REPAIR, "n1", "");
    for (double began = 2000; began < 6000; began += 1000) {
        struct attempt *attempt = handmade_try(add_run(&campaign, "n1:u1", began), "burn", "n1", 12);

        if (began > 3500 && began < 4500)
            reading_set(&attempt->reading, READING_PARTIAL, reason_text(campaign.arena, "cut off"));
    }
    judge(&campaign);
    expect(&campaign, "burn", "n1", REQUIREMENT_RETEST);
    assert_int_equal(find(&campaign, "burn", "n1")->passes, 1);
    end(&campaign);
}

/* What was repaired before it failed, elsewhere, or is only a note, replaces nothing. */
static void a_repair_of_something_else_replaces_nothing(void **state)
{
    static const struct {
        double at;
        enum event_kind kind;
        const char *host, *item;
    } events[] = {{1500, EVENT_SWAP, "n1", "gpu0"},
                  {900, EVENT_SWAP, "n1", "gpu1"},
                  {1500, EVENT_REPAIR, "n2", ""},
                  {1500, EVENT_NOTE, "n1", "gpu1"}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
        struct campaign campaign = begin();

        handmade_try_subject(add_run(&campaign, "n1:u1", 1000), "burn", "n1", 12, "gpu1", 8);
        add_event(&campaign, events[i].at, events[i].kind, events[i].host, events[i].item);
        for (double began = 2000; began < 5000; began += 1000)
            handmade_try(add_run(&campaign, "n1:u1", began), "burn", "n1", 12);
        judge(&campaign);
        expect(&campaign, "burn", "n1", REQUIREMENT_FAILED);
        end(&campaign);
    }
}

/* Another name for the HCA, which none of the events' items is a part of. */
static void name_hca(const struct plan *plan, const char *name)
{
    const struct shape *shape = plan->steps.items[handmade_step(plan, "ports", "n1")].shape;

    for (size_t i = 0; i < shape->slot_count; i++)
        shape->slots[i].subject = name;
}

static void a_part_of_any_name_is_mended_by_an_event_of_its_own(void **state)
{
    static const struct {
        const char *item;
        enum requirement_state state;
    } rows[] = {{"gpu0", REQUIREMENT_FAILED},
                {"mlx5_0", REQUIREMENT_FAILED},
                {"bnxt_re1", REQUIREMENT_FAILED},
                {"bnxt_re0", REQUIREMENT_RETEST},
                {"", REQUIREMENT_RETEST}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct campaign campaign = begin();
        struct record *record = add_run(&campaign, "n1:u1", 1000);

        name_hca(campaign.acceptance.plan, "bnxt_re0");
        name_hca(record->plan, "bnxt_re0");
        handmade_try(record, "ports", "n1", 8);
        add_event(&campaign, 1500, EVENT_SWAP, "n1", rows[i].item);
        judge(&campaign);
        expect(&campaign, "ports", "n1", rows[i].state);
        end(&campaign);
    }
}

static void each_item_that_failed_is_to_be_mended(void **state)
{
    struct campaign campaign = begin();

    (void)state;
    handmade_try(add_run(&campaign, "n1:u1", 1000), "burn", "n1", 8);
    add_event(&campaign, 1500, EVENT_SWAP, "n1", "gpu0");
    for (double began = 2000; began < 5000; began += 1000)
        handmade_try(add_run(&campaign, "n1:u1", began), "burn", "n1", 12);
    judge(&campaign);
    expect(&campaign, "burn", "n1", REQUIREMENT_FAILED);
    assert_non_null(strstr(why(&campaign, "burn", "n1"), "no repair or swap of gpu1 was"));
    end(&campaign);
}

/* What is known to have been done makes only that void which it touches, and what goes over several hosts. */
static void work_that_is_named_makes_void_only_what_it_touches(void **state)
{
    static const struct {
        enum event_kind kind;
        const char *item;
        bool burn, ports;
    } rows[] = {{EVENT_CABLE, "", false, true},          {EVENT_CABLE, "mlx5_0", false, true},
                {EVENT_SETTINGS, "", false, false},      {EVENT_SETTINGS, "gpu0", true, false},
                {EVENT_SETTINGS, "mlx5_0", false, true}, {EVENT_FIRMWARE, "", true, true},
                {EVENT_FIRMWARE, "gpu0", true, false},   {EVENT_FIRMWARE, "mlx5_0", false, true},
                {EVENT_RESEAT, "gpu0", true, true},      {EVENT_RESEAT, "mlx5_0", false, true},
                {EVENT_RESEAT, "", true, true}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct campaign campaign = begin();

        add_whole_run(&campaign, 1000, 12);
        add_event(&campaign, 2000, rows[i].kind, "n1", rows[i].item);
        judge(&campaign);
        expect(&campaign, "burn", "n1", rows[i].burn ? REQUIREMENT_MISSING : REQUIREMENT_PASSED);
        expect(&campaign, "ports", "n1", rows[i].ports ? REQUIREMENT_MISSING : REQUIREMENT_PASSED);
        expect(&campaign, "ring", "n1", REQUIREMENT_MISSING);
        expect(&campaign, "burn", "n2", REQUIREMENT_PASSED);
        end(&campaign);
    }
}

static void work_on_something_else_replaces_no_fail(void **state)
{
    static const struct {
        enum event_kind kind;
        const char *item;
        enum requirement_state state;
    } rows[] = {{EVENT_CABLE, "", REQUIREMENT_FAILED},          {EVENT_SETTINGS, "", REQUIREMENT_FAILED},
                {EVENT_FIRMWARE, "mlx5_0", REQUIREMENT_FAILED}, {EVENT_SETTINGS, "gpu1", REQUIREMENT_PASSED},
                {EVENT_RESEAT, "gpu1", REQUIREMENT_PASSED},     {EVENT_FIRMWARE, "", REQUIREMENT_PASSED}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct campaign campaign = begin();

        handmade_try_subject(add_run(&campaign, "n1:u1", 1000), "burn", "n1", 12, "gpu1", 8);
        add_event(&campaign, 1500, rows[i].kind, "n1", rows[i].item);
        for (double began = 2000; began < 5000; began += 1000)
            handmade_try(add_run(&campaign, "n1:u1", began), "burn", "n1", 12);
        judge(&campaign);
        expect(&campaign, "burn", "n1", rows[i].state);
        end(&campaign);
    }
}

static void a_recorded_change_makes_void_what_came_before(void **state)
{
    static const struct {
        const char *item;
        bool burn, ports;
    } rows[] = {{"gpu0", true, true}, {"mlx5_0", false, true}, {"bnxt_re0", true, true}, {"", true, true}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct campaign campaign = begin();

        add_whole_run(&campaign, 1000, 12);
        add_event(&campaign, 2000, EVENT_SWAP, "n1", rows[i].item);
        judge(&campaign);
        expect(&campaign, "burn", "n1", rows[i].burn ? REQUIREMENT_MISSING : REQUIREMENT_PASSED);
        expect(&campaign, "ports", "n1", rows[i].ports ? REQUIREMENT_MISSING : REQUIREMENT_PASSED);
        expect(&campaign, "ring", "n1", REQUIREMENT_MISSING);
        expect(&campaign, "burn", "n2", REQUIREMENT_PASSED);
        expect_verdicts(&campaign, VERDICT_INCOMPLETE, VERDICT_INCOMPLETE, VERDICT_ACCEPT);
        end(&campaign);
    }
}

/* The table: what another GPU, HCA, chassis, driver or firmware, seen in a later run, makes void. */
static void a_change_that_is_only_seen_makes_void_what_it_touches(void **state)
{
    static const struct {
        const char *tool, *fact, *position;
        bool burn, ports;
    } rows[] = {
        {"nvidia-smi", "gpu.uuid", "gpu0", true, true},
        {"nvidia-smi", "driver.version", "", true, false},
        {"nvidia-smi", "gpu.vbios", "gpu0", true, false},
        {"ib-sysfs", "ib.node_guid", "mlx5_0", false, true},
        {"ib-sysfs", "ib.firmware", "mlx5_0", false, true},
        {"dmidecode", "chassis.serial", "", true, true},
        {"dmidecode", "bios.version", "", true, true},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct campaign campaign = begin();
        struct record *first = add_whole_run(&campaign, 1000, 12), *later = add_run(&campaign, "n1:u1", 2000);

        handmade_see(first, &first->attempts.items[0], rows[i].tool, rows[i].fact, rows[i].position,
                     "before");
        if (strcmp(rows[i].fact, "gpu.uuid") == 0)
            first->attempts.items[0].parts.items[0].reading.facts.items[0].value = "before";
        reading_set(&handmade_try(later, "burn", "n1", 12)->reading, READING_PARTIAL,
                    reason_text(campaign.arena, "cut off"));
        handmade_see(later, &later->attempts.items[0], rows[i].tool, rows[i].fact, rows[i].position, "after");
        judge(&campaign);
        assert_int_equal(campaign.acceptance.changes.count, 1);
        assert_string_equal(reason_english(campaign.arena, campaign.acceptance.changes.items[0].was),
                            "before");
        assert_false(campaign.acceptance.changes.items[0].recorded);
        expect(&campaign, "burn", "n1", rows[i].burn ? REQUIREMENT_MISSING : REQUIREMENT_PASSED);
        expect(&campaign, "ports", "n1", rows[i].ports ? REQUIREMENT_MISSING : REQUIREMENT_PASSED);
        expect(&campaign, "ring", "n1", REQUIREMENT_MISSING);
        expect(&campaign, "burn", "n2", REQUIREMENT_PASSED);
        end(&campaign);
    }
}

static void an_unrecorded_swap_is_said_and_replaces_no_fail(void **state)
{
    struct campaign campaign = begin();
    struct record *first = add_run(&campaign, "n1:u1", 1000);

    (void)state;
    handmade_see(first, handmade_try_subject(first, "burn", "n1", 12, "gpu1", 8), GPUS, "gpu1", "GPU-a");
    for (double began = 2000; began < 5000; began += 1000) {
        struct record *record = add_run(&campaign, "n1:u1", began);

        handmade_see(record, handmade_try(record, "burn", "n1", 12), GPUS, "gpu1", "GPU-b");
    }
    judge(&campaign);
    assert_int_equal(campaign.acceptance.changes.count, 1);
    assert_string_equal(reason_english(campaign.arena, change_text(campaign.arena, &campaign.acceptance,
                                                                   &campaign.acceptance.changes.items[0])),
                        "unrecorded swap of the GPU gpu1 on n1: GPU-a in run 1000, GPU-b since run 2000");
    expect(&campaign, "burn", "n1", REQUIREMENT_FAILED);
    /* Recorded at last, with its time, it is what it was. */
    add_event(&campaign, 1500, EVENT_SWAP, "n1", "gpu1");
    judge(&campaign);
    assert_true(campaign.acceptance.changes.items[0].recorded);
    expect(&campaign, "burn", "n1", REQUIREMENT_PASSED);
    end(&campaign);
}

/* gpu0 is lost, and gpu1 is counted as gpu0 then: nothing was swapped. */
static void a_lost_gpu_is_no_swap_of_those_behind_it(void **state)
{
    struct campaign campaign = begin();
    struct record *record = add_run(&campaign, "n1:u1", 1000);
    struct attempt *attempt = handmade_try(record, "burn", "n1", 12);

    (void)state;
    handmade_see(record, attempt, GPUS, "gpu0", "GPU-a");
    handmade_see(record, attempt, GPUS, "gpu1", "GPU-b");
    record = add_run(&campaign, "n1:u1", 2000);
    handmade_see(record, handmade_try(record, "ports", "n1", 12), GPUS, "gpu0", "GPU-b");
    judge(&campaign);
    assert_int_equal(campaign.acceptance.changes.count, 0);
    expect(&campaign, "burn", "n1", REQUIREMENT_PASSED);
    end(&campaign);
}

static void two_gpus_that_changed_places_are_a_change(void **state)
{
    struct campaign campaign = begin();

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct record *record = add_run(&campaign, "n1:u1", 1000 + 1000 * i);
        struct attempt *attempt = handmade_try(record, i == 0 ? "burn" : "ports", "n1", 12);

        handmade_see(record, attempt, GPUS, "gpu0", i == 0 ? "GPU-a" : "GPU-b");
        handmade_see(record, attempt, GPUS, "gpu1", i == 0 ? "GPU-b" : "GPU-a");
    }
    judge(&campaign);
    assert_int_equal(campaign.acceptance.changes.count, 2);
    expect(&campaign, "burn", "n1", REQUIREMENT_MISSING);
    end(&campaign);
}

static void hardware_that_changes_in_a_run_passes_nothing(void **state)
{
    struct campaign campaign = begin();
    struct record *record = add_run(&campaign, "n1:u1", 1000);

    (void)state;
    handmade_see(record, handmade_try(record, "burn", "n1", 12), GPUS, "gpu0", "GPU-a");
    handmade_see(record, handmade_try(record, "ports", "n1", 12), GPUS, "gpu0", "GPU-b");
    judge(&campaign);
    assert_int_equal(campaign.acceptance.conflicts.count, 1);
    expect(&campaign, "burn", "n1", REQUIREMENT_MISSING);
    assert_non_null(strstr(why(&campaign, "burn", "n1"), "during the run"));
    end(&campaign);
}

static void a_waiver_covers_a_fail_until_it_ends(void **state)
{
    struct campaign campaign = begin();
    struct record *record = add_whole_run(&campaign, 1000, 12);
    struct waiver waiver;
    struct error err;

    (void)state;
    handmade_try_subject(record, "burn", "n1", 12, "gpu1", 8);
    handmade_judge(record);
    assert_int_equal(
        judge_waive(record, handmade_step(record->plan, "burn", "n1"), NULL, NULL, "gpu1", &waiver, &err), 0);
    waiver.uuid = "w";
    waiver.made = 1500;
    waiver.until = 2000;
    *list_push(campaign.arena, &record->waivers) = waiver;
    campaign.acceptance.now = 1999;
    judge(&campaign);
    expect(&campaign, "burn", "n1", REQUIREMENT_WAIVED);
    assert_string_equal(find(&campaign, "burn", "n1")->waiver->uuid, "w");
    expect_verdicts(&campaign, VERDICT_ACCEPT_WITH_EXCEPTIONS, VERDICT_ACCEPT_WITH_EXCEPTIONS,
                    VERDICT_ACCEPT);
    campaign.acceptance.now = 2000;
    judge(&campaign);
    expect_verdicts(&campaign, VERDICT_REJECT, VERDICT_REJECT, VERDICT_ACCEPT);
    /* It fails again in a later run: that one has no waiver. */
    campaign.acceptance.now = 1999;
    handmade_try_subject(add_run(&campaign, "n1:u1", 1900), "burn", "n1", 12, "gpu1", 8);
    judge(&campaign);
    expect(&campaign, "burn", "n1", REQUIREMENT_FAILED);
    end(&campaign);
}

static void a_waiver_goes_with_the_hardware_that_it_is_of(void **state)
{
    struct campaign campaign = begin();
    struct record *record = add_run(&campaign, "n1:u1", 1000), *later;
    struct waiver waiver;
    struct error err;

    (void)state;
    handmade_see(record, handmade_try_subject(record, "burn", "n1", 12, "gpu1", 8), GPUS, "gpu1", "GPU-a");
    handmade_judge(record);
    assert_int_equal(
        judge_waive(record, handmade_step(record->plan, "burn", "n1"), NULL, NULL, "gpu1", &waiver, &err), 0);
    waiver.uuid = "w";
    waiver.until = 2e6;
    *list_push(campaign.arena, &record->waivers) = waiver;
    judge(&campaign);
    expect(&campaign, "burn", "n1", REQUIREMENT_WAIVED);
    later = add_run(&campaign, "n1:u1", 2000);
    handmade_see(later, handmade_try(later, "burn", "n1", 12), GPUS, "gpu1", "GPU-b");
    judge(&campaign);
    expect(&campaign, "burn", "n1", REQUIREMENT_FAILED);
    end(&campaign);
}

/* n5 stands in n4's place: what n4 failed is gone with it, and n5 and the group are owed. */
static void a_spare_owes_what_the_host_owed_and_its_groups(void **state)
{
    struct campaign campaign = begin();
    struct record *record = add_whole_run(&campaign, 1000, 12);

    (void)state;
    handmade_try(record, "burn", "n4", 8);
    judge(&campaign);
    expect_verdicts(&campaign, VERDICT_REJECT, VERDICT_ACCEPT, VERDICT_REJECT);
    campaign.acceptance.plan = handmade_plan(campaign.arena, "n1:u1 n2:u1 n3:u2 n5:u2");
    judge(&campaign);
    expect(&campaign, "burn", "n5", REQUIREMENT_MISSING);
    expect(&campaign, "ring", "n3", REQUIREMENT_MISSING);
    expect(&campaign, "burn", "n3", REQUIREMENT_PASSED);
    expect_verdicts(&campaign, VERDICT_INCOMPLETE, VERDICT_ACCEPT, VERDICT_INCOMPLETE);
    record = add_run(&campaign, "n3:u2 n5:u2", 2000);
    handmade_try(record, "burn", "n5", 12);
    handmade_try(record, "ports", "n5", 12);
    handmade_try(record, "ring", "n3", 12);
    judge(&campaign);
    expect_verdicts(&campaign, VERDICT_ACCEPT, VERDICT_ACCEPT, VERDICT_ACCEPT);
    end(&campaign);
}

static void whom_isolation_accuses_is_to_be_mended(void **state)
{
    struct campaign campaign = begin();
    struct record *record = add_whole_run(&campaign, 1000, 12);
    struct accusation accusation = {.kind = ACCUSED_HOST, .subject = "n2"};

    (void)state;
    accusation.step = handmade_step(record->plan, "ring", "n1");
    for (int i = 0; i < 2; i++) {
        forget(&campaign.acceptance);
        add_event(&campaign, 1500, EVENT_REPAIR, i == 0 ? "n1" : "n2", "");
        handmade_judge(record);
        record->judgement.accusations = &accusation;
        record->judgement.accusation_count = 1;
        judge_acceptance(&campaign.acceptance);
        expect(&campaign, "ring", "n1", i == 0 ? REQUIREMENT_FAILED : REQUIREMENT_RETEST);
    }
    end(&campaign);
}

/* It failed, and may be about any of its hosts. */
static void blame_perhaps(struct campaign *campaign, struct record *record)
{
    size_t step = handmade_step(record->plan, "ring", "n1");

    record->plan->steps.items[step].shape->slots[0].metric = "sound";
    for (size_t i = 0; i < record->judgement.outcome_count; i++)
        if (record->judgement.outcomes[i].step == step) {
            record->judgement.outcomes[i].word = OUTCOME_FAIL;
            record->judgement.outcomes[i].cause =
                reason_also(campaign->arena, reason_text(campaign->arena, "broken"), REASON(more_left_out));
        }
}

static void a_fail_that_accuses_nobody_for_certain_stands(void **state)
{
    struct campaign campaign = begin();
    struct record *record = add_whole_run(&campaign, 1000, 12);

    (void)state;
    handmade_try(add_run(&campaign, HOSTS, 2000), "ring", "n1", 12);
    for (int i = 0; i < 2; i++) {
        forget(&campaign.acceptance);
        if (i == 1)
            add_event(&campaign, 1500, EVENT_REPAIR, "n2", "");
        for (size_t k = 0; k < campaign.acceptance.runs.count; k++)
            handmade_judge((struct record *)campaign.acceptance.runs.items[k]);
        blame_perhaps(&campaign, record);
        judge_acceptance(&campaign.acceptance);
        expect(&campaign, "ring", "n1", i == 0 ? REQUIREMENT_FAILED : REQUIREMENT_RETEST);
        if (i == 0)
            assert_non_null(strstr(why(&campaign, "ring", "n1"), "no repair or swap of 2 hosts: n[1-2]"));
    }
    end(&campaign);
}

static void move_host(const struct plan *plan, const char *name, const char *unit)
{
    for (size_t i = 0; i < plan->hosts.count; i++)
        if (strcmp(plan->hosts.items[i]->name, name) == 0)
            ((struct host *)plan->hosts.items[i])->unit = unit;
}

static enum verdict_word verdict_of(const struct campaign *campaign, const char *unit)
{
    for (size_t i = 0; i < campaign->acceptance.verdicts.count; i++)
        if (strcmp(campaign->acceptance.verdicts.items[i].unit, unit) == 0)
            return campaign->acceptance.verdicts.items[i].word;
    fail_msg("no verdict of %s", unit);
    return VERDICT_ACCEPT;
}

static void a_test_across_units_counts_for_the_unit_of_whom_it_is_about(void **state)
{
    struct campaign campaign = begin();
    struct record *record = add_whole_run(&campaign, 1000, 12);
    struct accusation accusation = {.kind = ACCUSED_HOST, .subject = "n2"};

    (void)state;
    move_host(campaign.acceptance.plan, "n2", "u3");
    move_host(record->plan, "n2", "u3");
    accusation.step = handmade_step(record->plan, "ring", "n1");
    for (int i = 0; i < 2; i++) {
        forget(&campaign.acceptance);
        if (i == 1)
            add_event(&campaign, 1500, EVENT_REPAIR, "n2", "");
        handmade_judge(record);
        record->judgement.accusations = &accusation;
        record->judgement.accusation_count = 1;
        judge_acceptance(&campaign.acceptance);
        assert_int_equal(verdict_of(&campaign, "u1"), VERDICT_ACCEPT);
        assert_int_equal(verdict_of(&campaign, "u2"), VERDICT_ACCEPT);
        assert_int_equal(verdict_of(&campaign, "u3"), i == 0 ? VERDICT_REJECT : VERDICT_INCOMPLETE);
    }
    assert_int_equal(find(&campaign, "ring", "n1")->units.count, 1);
    assert_int_equal(find(&campaign, "ring", "n1")->units.items[0].state, REQUIREMENT_RETEST);
    end(&campaign);
}

/* Alone in its run, a host agrees with itself: what it must have in common is compared over all runs. */
static void what_must_be_the_same_is_compared_over_all_runs(void **state)
{
    struct campaign campaign = begin();
    struct record *record;

    (void)state;
    add_whole_run(&campaign, 1000, 12);
    record = add_run(&campaign, "n4:u2", 2000);
    handmade_try(record, "ports", "n4", 12)->reading.facts.items[0].value = "28.2";
    judge(&campaign);
    expect(&campaign, "ports", "n4", REQUIREMENT_FAILED);
    assert_non_null(strstr(why(&campaign, "ports", "n4"), "is 28.2, while most hosts have 28.1"));
    handmade_try(add_run(&campaign, "n4:u2", 3000), "ports", "n4", 12);
    judge(&campaign);
    expect(&campaign, "ports", "n4", REQUIREMENT_FAILED);
    assert_non_null(strstr(why(&campaign, "ports", "n4"), "no repair or swap was recorded since run 2000"));
    add_event(&campaign, 3500, EVENT_FIRMWARE, "n4", "mlx5_0");
    for (unsigned i = 0; i < 3; i++) {
        judge(&campaign);
        expect(&campaign, "ports", "n4", REQUIREMENT_RETEST);
        handmade_try(add_run(&campaign, "n4:u2", 4000 + 1000 * i), "ports", "n4", 12);
    }
    judge(&campaign);
    expect(&campaign, "ports", "n4", REQUIREMENT_PASSED);
    end(&campaign);
}

/* In place of the firmware: the host's clock, which is judged beside the other hosts' of the run. */
static void read_clocks(const struct plan *plan)
{
    static const struct limit near = {.metric = "clock",
                                      .rule = RULE_NEAR,
                                      .value = 2,
                                      .unit = "s",
                                      .source = "by hand",
                                      .status = LIMIT_TOOL};

    for (size_t i = 0; i < plan->shapes.count; i++)
        if (strcmp(plan->shapes.items[i]->suite_step, "ports") == 0) {
            plan->shapes.items[i]->slots[1].metric = "clock";
            plan->shapes.items[i]->slots[1].own = &near;
        }
}

static struct record *read_clock(struct campaign *campaign, const char *hosts, double began)
{
    struct record *record = add_run(campaign, hosts, began);

    read_clocks(record->plan);
    for (size_t i = 0; i < record->plan->hosts.count; i++) {
        struct attempt *attempt = handmade_try(record, "ports", record->plan->hosts.items[i]->name, 12);

        attempt->reading.facts.items[0].name = "clock";
        attempt->reading.facts.items[0].value = "-0.100 to 0.100 s";
    }
    return record;
}

/* Alone in its run a host is as right as its controller, whose clock may have been moved. */
static void a_clock_that_was_compared_with_no_others_counts_for_nothing(void **state)
{
    struct campaign campaign = begin();

    (void)state;
    read_clocks(campaign.acceptance.plan);
    read_clock(&campaign, "n1:u1 n2:u1 n3:u2", 1000);
    read_clock(&campaign, "n4:u2", 2000);
    judge(&campaign);
    expect(&campaign, "ports", "n1", REQUIREMENT_PASSED);
    expect(&campaign, "ports", "n4", REQUIREMENT_MISSING);
    assert_non_null(strstr(why(&campaign, "ports", "n4"),
                           "the pass in run 2000 no longer counts: it is from a run in "
                           "which clock was read on no other host"));
    read_clock(&campaign, "n3:u2 n4:u2", 3000);
    judge(&campaign);
    expect(&campaign, "ports", "n4", REQUIREMENT_PASSED);
    end(&campaign);
}

/* Nobody else is there to be asked. */
static void the_clock_of_the_only_host_counts(void **state)
{
    struct campaign campaign = begin();

    (void)state;
    campaign.acceptance.plan = handmade_plan(campaign.arena, "n1:u1");
    read_clocks(campaign.acceptance.plan);
    read_clock(&campaign, "n1:u1", 1000);
    judge(&campaign);
    expect(&campaign, "ports", "n1", REQUIREMENT_PASSED);
    end(&campaign);
}

/* In place of the firmware: something that a host shows only where it has the tool for it. */
static void ask_what_must_be_read(const struct plan *plan)
{
    static const struct limit read = {.metric = "drives",
                                      .rule = RULE_READ,
                                      .text = "yes|none",
                                      .inconclusive = true,
                                      .source = "by hand",
                                      .status = LIMIT_TOOL};

    for (size_t i = 0; i < plan->shapes.count; i++)
        if (strcmp(plan->shapes.items[i]->suite_step, "ports") == 0) {
            plan->shapes.items[i]->slots[1].metric = "drives";
            plan->shapes.items[i]->slots[1].own = &read;
        }
}

static void read_drives(struct campaign *campaign, const char *hosts, double began, const char *value)
{
    struct record *record = add_run(campaign, hosts, began);

    ask_what_must_be_read(record->plan);
    for (size_t i = 0; i < record->plan->hosts.count; i++) {
        struct attempt *attempt = handmade_try(record, "ports", record->plan->hosts.items[i]->name, 12);

        attempt->reading.facts.items[0].name = "drives";
        attempt->reading.facts.items[0].value = value;
    }
}

/* In one run it would be undecided; alone in its run nobody else shows that it can be read. */
static void what_one_could_not_read_and_another_could_is_not_shown(void **state)
{
    struct campaign campaign = begin();

    (void)state;
    ask_what_must_be_read(campaign.acceptance.plan);
    read_drives(&campaign, "n4:u2", 1000, "not read: no nvme");
    judge(&campaign);
    expect(&campaign, "ports", "n4", REQUIREMENT_PASSED);
    read_drives(&campaign, "n1:u1 n2:u1 n3:u2", 2000, "yes");
    judge(&campaign);
    expect(&campaign, "ports", "n1", REQUIREMENT_PASSED);
    expect(&campaign, "ports", "n4", REQUIREMENT_MISSING);
    assert_non_null(strstr(why(&campaign, "ports", "n4"),
                           "it is from a run in which drives was read on no host, while it is read on n1 in "
                           "another run"));
    read_drives(&campaign, "n4:u2", 3000, "none");
    judge(&campaign);
    expect(&campaign, "ports", "n4", REQUIREMENT_PASSED);
    end(&campaign);
}

/* Of a delivery of one host, and where none has the tool, nobody is to be asked. */
static void what_nobody_could_read_is_owed_by_nobody(void **state)
{
    struct campaign campaign = begin();

    (void)state;
    ask_what_must_be_read(campaign.acceptance.plan);
    read_drives(&campaign, "n1:u1 n2:u1", 1000, "not read: no nvme");
    read_drives(&campaign, "n3:u2", 2000, "not read: no nvme");
    read_drives(&campaign, "n4:u2", 3000, "none");
    judge(&campaign);
    for (size_t i = 0; i < 4; i++)
        expect(&campaign, "ports", (const char *const[]){"n1", "n2", "n3", "n4"}[i], REQUIREMENT_PASSED);
    end(&campaign);
}

/* Host by host, each in a run of its own: the first is odd for a while, and so is the last. */
static void what_all_were_changed_to_is_no_fail(void **state)
{
    static const char *const hosts[] = {"n1", "n2", "n3", "n4"};
    struct campaign campaign = begin();

    (void)state;
    add_whole_run(&campaign, 1000, 12);
    for (size_t i = 0; i < ARRAY_SIZE(hosts); i++) {
        struct record *record =
            add_run(&campaign, i < 2 ? "n1:u1 n2:u1" : "n3:u2 n4:u2", 2000 + 1000 * (double)i);

        handmade_try(record, "ports", hosts[i], 12)->reading.facts.items[0].value = "28.2";
    }
    judge(&campaign);
    for (size_t i = 0; i < ARRAY_SIZE(hosts); i++)
        expect(&campaign, "ports", hosts[i], REQUIREMENT_PASSED);
    expect_verdicts(&campaign, VERDICT_ACCEPT, VERDICT_ACCEPT, VERDICT_ACCEPT);
    end(&campaign);
}

/* Its hostfile says something else of one host: what is asked of that is not what is owed, by it alone and with others. */
static void a_run_that_asks_something_else_shows_nothing_and_fails_all_the_same(void **state)
{
    struct campaign campaign = begin();
    struct record *record = add_whole_run(&campaign, 1000, 12);

    (void)state;
    ((struct host *)record->plan->hosts.items[0])->mounts = "/scratch";
    judge(&campaign);
    expect(&campaign, "burn", "n1", REQUIREMENT_MISSING);
    expect(&campaign, "ring", "n1", REQUIREMENT_MISSING);
    expect(&campaign, "burn", "n2", REQUIREMENT_PASSED);
    assert_non_null(strstr(why(&campaign, "burn", "n1"),
                           "hostfile has for n1 mounts /scratch, where the acceptance has none"));
    record = add_run(&campaign, "n2:u1", 2000);
    ((struct host *)record->plan->hosts.items[0])->timescale = 600;
    handmade_try(record, "burn", "n2", 8);
    judge(&campaign);
    expect(&campaign, "burn", "n2", REQUIREMENT_FAILED);
    end(&campaign);
}

/* In runs of its own there is nobody beside it. */
static void a_test_that_crashes_on_one_host_only_has_failed_there(void **state)
{
    struct campaign campaign = begin();

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct record *record = add_run(&campaign, "n1:u1", 1000 + 1000 * i);
        struct attempt *attempt = handmade_try(record, "burn", "n1", 12);

        reading_set(&attempt->reading, READING_FAILED, reason_text(campaign.arena, "it crashed"));
    }
    judge(&campaign);
    expect(&campaign, "burn", "n1", REQUIREMENT_MISSING);
    add_whole_run(&campaign, 4000, 12);
    judge(&campaign);
    expect(&campaign, "burn", "n1", REQUIREMENT_FAILED);
    assert_non_null(strstr(why(&campaign, "burn", "n1"), "2 times on this host and not on others"));
    expect(&campaign, "burn", "n2", REQUIREMENT_PASSED);
    end(&campaign);
}

/* The same GPU is there as before. */
static void a_swap_that_the_hardware_contradicts_replaces_no_fail(void **state)
{
    struct campaign campaign = begin();

    (void)state;
    handmade_try_subject(add_whole_run(&campaign, 1000, 12), "burn", "n1", 12, "gpu0", 8);
    add_event(&campaign, 1500, EVENT_SWAP, "n1", "gpu0");
    for (unsigned i = 0; i < 3; i++)
        add_whole_run(&campaign, 2000 + 1000 * i, 12);
    judge(&campaign);
    expect(&campaign, "burn", "n1", REQUIREMENT_FAILED);
    assert_non_null(strstr(why(&campaign, "burn", "n1"), "run 2000 still shows GPU-n1-0 there"));
    add_event(&campaign, 1500, EVENT_RESEAT, "n1", "gpu0");
    judge(&campaign);
    expect(&campaign, "burn", "n1", REQUIREMENT_PASSED);
    end(&campaign);
}

static void a_spare_takes_its_place_in_the_hostfile(void **state)
{
    static const char hosts[] = "n1 unit=u1 rack=r1\nn2 unit=u2 slots=8 label.row=A\n"
                                "s1 role=spare rack=r9 slots=8 become=sudo port=2222\n";
    struct acceptance_event events[] = {{"e", EVENT_SPARE, "n1", "", "s1", "", 1, 1},
                                        {"f", EVENT_SPARE, "n2", "", "s1", "", 2, 2}};
    struct arena *arena = arena_create();
    struct error err = {0};
    const struct hostfile *hostfile = hostfile_parse(arena, "hosts", slice_of(hosts), &err);
    const struct hostfile *effective = hostfile_with_spares(arena, hostfile, events, 1, &err);
    cleanup_text struct text out = {0};

    (void)state;
    text_init(&out, 1 << 16);
    assert_non_null(effective);
    hostfile_write(effective, NULL, &out);
    assert_string_equal(out.bytes,
                        "s1 address=s1 mpi_address=s1 slots=8 port=2222 unit=u1 rack=r9 become=sudo\n"
                        "n2 address=n2 mpi_address=n2 slots=8 unit=u2 label.row=A\n");
    assert_non_null(hostfile_parse(arena, "again", slice_of(out.bytes), &err));
    assert_null(hostfile_with_spares(arena, hostfile, events, 2, &err));
    assert_non_null(strstr(err.text, "s1 is not a free spare"));
    arena_destroy(arena);
}

/* What it withdraws is kept as data, in an older database as a text. */
static void an_event_and_its_withdrawal_are_told_in_each_language(void **state)
{
    const struct acceptance_event swap = {"e", EVENT_SWAP, "n1", "gpu3", "", "fan broken", 1, 1},
                                  recabled = {"f", EVENT_CABLE, "n2", "", "", "", 2, 2};
    struct acceptance_event withdrawal = {"g", EVENT_WITHDRAWAL, "n1", "e", "", "", 3, 3};
    struct arena *arena = arena_create();

    (void)state;
    withdrawal.note = reason_encode(arena, reason(arena, noted, event_text(arena, &swap), "it was n11"));
    assert_string_equal(reason_english(arena, event_text(arena, &recabled)), "recabling of n2");
    assert_string_equal(reason_english(arena, event_text(arena, &withdrawal)),
                        "withdrawn: swap of gpu3 on n1: fan broken (it was n11)");
    assert_string_equal(reason_said(arena, LANGUAGE_ZH, event_text(arena, &withdrawal)),
                        "撤回：更换 gpu3（n1）：fan broken（it was n11）");
    withdrawal.note = "swap of gpu3 on n1: fan broken (it was n11)";
    assert_string_equal(reason_english(arena, event_text(arena, &withdrawal)),
                        "withdrawn: swap of gpu3 on n1: fan broken (it was n11)");
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_campaign_without_runs_is_incomplete),
        cmocka_unit_test(units_are_accepted_one_after_the_other),
        cmocka_unit_test(a_run_that_was_left_out_holds_back_its_units),
        cmocka_unit_test(a_group_of_other_hosts_stands_for_none),
        cmocka_unit_test(running_it_until_it_passes_replaces_no_fail),
        cmocka_unit_test(after_a_repair_it_takes_three_of_three),
        cmocka_unit_test(three_attempts_of_one_run_are_three),
        cmocka_unit_test(what_is_tested_again_alone_is_compared_with_what_the_others_showed_before),
        cmocka_unit_test(what_is_waived_is_still_a_peer),
        cmocka_unit_test(one_that_fails_among_the_three_is_a_fail_again),
        cmocka_unit_test(one_that_was_not_decided_among_the_three_begins_them_anew),
        cmocka_unit_test(a_repair_of_something_else_replaces_nothing),
        cmocka_unit_test(a_part_of_any_name_is_mended_by_an_event_of_its_own),
        cmocka_unit_test(each_item_that_failed_is_to_be_mended),
        cmocka_unit_test(work_that_is_named_makes_void_only_what_it_touches),
        cmocka_unit_test(work_on_something_else_replaces_no_fail),
        cmocka_unit_test(a_recorded_change_makes_void_what_came_before),
        cmocka_unit_test(a_change_that_is_only_seen_makes_void_what_it_touches),
        cmocka_unit_test(an_unrecorded_swap_is_said_and_replaces_no_fail),
        cmocka_unit_test(a_lost_gpu_is_no_swap_of_those_behind_it),
        cmocka_unit_test(two_gpus_that_changed_places_are_a_change),
        cmocka_unit_test(hardware_that_changes_in_a_run_passes_nothing),
        cmocka_unit_test(a_waiver_covers_a_fail_until_it_ends),
        cmocka_unit_test(a_waiver_goes_with_the_hardware_that_it_is_of),
        cmocka_unit_test(a_spare_owes_what_the_host_owed_and_its_groups),
        cmocka_unit_test(whom_isolation_accuses_is_to_be_mended),
        cmocka_unit_test(a_fail_that_accuses_nobody_for_certain_stands),
        cmocka_unit_test(a_test_across_units_counts_for_the_unit_of_whom_it_is_about),
        cmocka_unit_test(what_must_be_the_same_is_compared_over_all_runs),
        cmocka_unit_test(a_clock_that_was_compared_with_no_others_counts_for_nothing),
        cmocka_unit_test(the_clock_of_the_only_host_counts),
        cmocka_unit_test(what_one_could_not_read_and_another_could_is_not_shown),
        cmocka_unit_test(what_nobody_could_read_is_owed_by_nobody),
        cmocka_unit_test(what_all_were_changed_to_is_no_fail),
        cmocka_unit_test(a_run_that_asks_something_else_shows_nothing_and_fails_all_the_same),
        cmocka_unit_test(a_test_that_crashes_on_one_host_only_has_failed_there),
        cmocka_unit_test(a_swap_that_the_hardware_contradicts_replaces_no_fail),
        cmocka_unit_test(a_spare_takes_its_place_in_the_hostfile),
        cmocka_unit_test(an_event_and_its_withdrawal_are_told_in_each_language),
    };

    return cmocka_run_group_tests_name("acceptance", tests, NULL, NULL);
}
