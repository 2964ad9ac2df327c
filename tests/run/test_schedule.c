/* SPDX-License-Identifier: Apache-2.0 */
/* What may begin next: over plans that are made here, without hosts, time or a loop. */
#include <string.h>

#include "../unit_test.h"
#include "assay/base/arena.h"
#include "schedule.h"

enum { HOSTS_MOST = 16, NO_STEP = 999 };

struct play {
    struct arena *arena;
    struct suite suite;
    struct plan plan;
    struct host hosts[HOSTS_MOST];
    struct shape passive, alone, leaf, fabric, last;
    struct schedule *schedule;
};

static void add_hosts(struct play *play, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct host *host = &play->hosts[play->plan.hosts.count];

        host->name = arena_printf(play->arena, "node%zu", play->plan.hosts.count);
        host->leaf = play->plan.hosts.count % 2 == 0 ? "even" : "odd";
        *list_push(play->arena, &play->plan.hosts) = host;
    }
}

static void open_play(struct play *play, size_t hosts)
{
    struct suite_step *last;

    memset(play, 0, sizeof *play);
    play->arena = arena_create();
    play->plan.arena = play->arena;
    play->passive = (struct shape){.suite_step = "look", .expected_s = 1, .exclusive = EXCLUSIVE_NONE};
    play->alone = (struct shape){.suite_step = "burn", .expected_s = 10, .exclusive = EXCLUSIVE_HOST};
    play->leaf = (struct shape){.suite_step = "pair", .expected_s = 20, .exclusive = EXCLUSIVE_LEAF};
    play->fabric = (struct shape){.suite_step = "all", .expected_s = 50, .exclusive = EXCLUSIVE_FABRIC};
    play->last = (struct shape){.suite_step = "health", .expected_s = 1, .exclusive = EXCLUSIVE_NONE};
    last = list_push(play->arena, &play->suite.steps);
    last->name = "health";
    last->last = true;
    add_hosts(play, hosts);
}

static void close_play(struct play *play)
{
    play->schedule = schedule_destroy(play->schedule);
    arena_destroy(play->arena);
}

/* members: indexes of hosts, so many; need: an earlier step, or NO_STEP. Returns its index. */
static size_t add(struct play *play, const struct shape *shape, size_t need, size_t first, size_t count)
{
    struct step *step = list_push(play->arena, &play->plan.steps);

    *step = (struct step){.shape = shape,
                          .members = arena_array(play->arena, const struct host *, count),
                          .member_count = count,
                          .needs = arena_array(play->arena, size_t, 1),
                          .need_count = need != NO_STEP};
    for (size_t i = 0; i < count; i++)
        step->members[i] = &play->hosts[first + i];
    step->needs[0] = need;
    return play->plan.steps.count - 1;
}

static void begin(struct play *play, size_t hosts_at_once)
{
    play->schedule = schedule_create(&play->plan, &play->suite, hosts_at_once);
    assert_true(schedule_grow(play->schedule));
}

/* The steps that begin now, as "0 2 "; those that never will as "-3 ". */
static const char *all_next(struct play *play)
{
    const char *text = "";
    enum schedule_word word;
    size_t step;

    while ((word = schedule_next(play->schedule, &step)) != SCHEDULE_NOTHING)
        text = arena_printf(play->arena, "%s%s%zu ", text, word == SCHEDULE_NEVER ? "-" : "", step);
    return text;
}

static enum step_state state_of(const struct play *play, size_t step)
{
    return schedule_states(play->schedule)[step];
}

static void a_step_begins_when_all_that_it_needs_has_passed(void **state)
{
    struct play play;

    (void)state;
    open_play(&play, 2);
    add(&play, &play.passive, NO_STEP, 0, 1);
    add(&play, &play.alone, 0, 0, 1);
    add(&play, &play.passive, NO_STEP, 1, 1);
    add(&play, &play.alone, 2, 1, 1);
    begin(&play, 0);
    assert_string_equal(all_next(&play), "0 2 ");
    assert_string_equal(all_next(&play), "");
    schedule_end(play.schedule, 0, STEP_PASSED);
    assert_string_equal(all_next(&play), "1 ");
    schedule_end(play.schedule, 2, STEP_FAILED);
    assert_string_equal(all_next(&play), "-3 ");
    assert_int_equal(state_of(&play, 3), STEP_SKIPPED);
    schedule_end(play.schedule, 1, STEP_PASSED);
    assert_int_equal(schedule_count(play.schedule, STEP_PASSED), 2);
    assert_int_equal(schedule_busy(play.schedule), 0);
    close_play(&play);
}

/* Of a test across hosts too, and of what needs that. */
static void who_is_skipped_ends_the_waiting_of_others(void **state)
{
    struct play play;

    (void)state;
    open_play(&play, 2);
    add(&play, &play.passive, NO_STEP, 0, 1);
    add(&play, &play.fabric, 0, 0, 2);
    add(&play, &play.alone, 1, 1, 1);
    begin(&play, 0);
    assert_string_equal(all_next(&play), "0 ");
    schedule_end(play.schedule, 0, STEP_FAILED);
    assert_string_equal(all_next(&play), "-1 "); /* another may stand in for it */
    assert_true(schedule_settle_needs(play.schedule));
    assert_string_equal(all_next(&play), "-2 ");
    assert_false(schedule_settle_needs(play.schedule));
    close_play(&play);
}

static void what_only_looks_runs_side_by_side_and_what_loads_runs_alone(void **state)
{
    struct play play;

    (void)state;
    open_play(&play, 1);
    add(&play, &play.passive, NO_STEP, 0, 1);
    add(&play, &play.passive, NO_STEP, 0, 1);
    add(&play, &play.alone, NO_STEP, 0, 1);
    add(&play, &play.alone, NO_STEP, 0, 1);
    begin(&play, 0);
    assert_string_equal(all_next(&play), "0 1 ");
    schedule_end(play.schedule, 0, STEP_PASSED);
    assert_string_equal(all_next(&play), "");
    schedule_end(play.schedule, 1, STEP_PASSED);
    assert_string_equal(all_next(&play), "2 ");
    schedule_end(play.schedule, 2, STEP_AGAIN);
    assert_string_equal(all_next(&play), "2 ");
    schedule_end(play.schedule, 2, STEP_PASSED);
    assert_string_equal(all_next(&play), "3 ");
    close_play(&play);
}

static void the_fabric_is_for_one_and_leaves_that_differ_for_two(void **state)
{
    struct play play;

    (void)state;
    open_play(&play, 4);
    add(&play, &play.leaf, NO_STEP, 0, 1);
    add(&play, &play.leaf, NO_STEP, 1, 1);
    add(&play, &play.leaf, NO_STEP, 2, 1);
    add(&play, &play.fabric, NO_STEP, 0, 4);
    begin(&play, 0);
    assert_string_equal(all_next(&play), "0 1 ");
    schedule_end(play.schedule, 1, STEP_PASSED);
    assert_string_equal(all_next(&play), "");
    schedule_end(play.schedule, 0, STEP_PASSED);
    assert_string_equal(all_next(&play), "2 ");
    schedule_end(play.schedule, 2, STEP_PASSED);
    assert_string_equal(all_next(&play), "3 ");
    close_play(&play);
}

static void nothing_begins_on_a_host_that_is_held_or_awaited(void **state)
{
    struct play play;

    (void)state;
    open_play(&play, 2);
    add(&play, &play.passive, NO_STEP, 0, 1);
    add(&play, &play.alone, NO_STEP, 1, 1);
    begin(&play, 0);
    schedule_hold(play.schedule, 0);
    schedule_hold(play.schedule, 0);
    schedule_await(play.schedule, 1, true);
    assert_int_equal(schedule_awaited(play.schedule), 1);
    assert_string_equal(all_next(&play), "");
    schedule_free(play.schedule, 0);
    assert_string_equal(all_next(&play), "");
    schedule_free(play.schedule, 0);
    assert_string_equal(all_next(&play), "0 ");
    assert_true(schedule_is_awaited(play.schedule, 1));
    schedule_await(play.schedule, 1, false);
    assert_int_equal(schedule_awaited(play.schedule), 0);
    assert_string_equal(all_next(&play), "1 ");
    close_play(&play);
}

/* What was tried is judged by what it has. */
static void a_host_that_is_lost_begins_nothing_more(void **state)
{
    struct play play;

    (void)state;
    open_play(&play, 2);
    add(&play, &play.alone, NO_STEP, 0, 1);
    add(&play, &play.alone, NO_STEP, 0, 1);
    add(&play, &play.fabric, NO_STEP, 0, 2);
    begin(&play, 0);
    assert_string_equal(all_next(&play), "0 ");
    schedule_lose(play.schedule, 0);
    schedule_end(play.schedule, 0, STEP_AGAIN);
    assert_string_equal(all_next(&play), "-0 -1 -2 ");
    assert_int_equal(state_of(&play, 0), STEP_FAILED);
    assert_int_equal(state_of(&play, 1), STEP_SKIPPED);
    assert_int_equal(state_of(&play, 2), STEP_SKIPPED);
    close_play(&play);
}

/* Hosts get through the suite side by side: those that wait come before the host that made room. */
static void where_few_may_be_at_work_hosts_take_turns(void **state)
{
    struct play play;

    (void)state;
    open_play(&play, 4);
    for (size_t i = 0; i < 4; i++)
        add(&play, &play.alone, NO_STEP, i, 1);
    for (size_t i = 0; i < 4; i++)
        add(&play, &play.alone, i, i, 1);
    begin(&play, 2);
    assert_string_equal(all_next(&play), "0 1 ");
    assert_int_equal(schedule_busy(play.schedule), 2);
    schedule_end(play.schedule, 0, STEP_PASSED);
    assert_string_equal(all_next(&play), "2 ");
    schedule_end(play.schedule, 1, STEP_PASSED);
    assert_string_equal(all_next(&play), "3 ");
    schedule_end(play.schedule, 2, STEP_PASSED);
    assert_string_equal(all_next(&play), "4 ");
    assert_int_equal(schedule_busy(play.schedule), 2);
    close_play(&play);
}

static void a_step_of_more_hosts_than_may_be_at_work_runs_when_no_other_does(void **state)
{
    struct play play;

    (void)state;
    open_play(&play, 4);
    add(&play, &play.alone, NO_STEP, 0, 1);
    add(&play, &play.fabric, 0, 0, 3);
    add(&play, &play.alone, NO_STEP, 3, 1);
    begin(&play, 2);
    assert_string_equal(all_next(&play), "0 2 ");
    schedule_end(play.schedule, 0, STEP_PASSED);
    assert_string_equal(all_next(&play), "");
    schedule_end(play.schedule, 2, STEP_PASSED);
    assert_string_equal(all_next(&play), "1 ");
    assert_int_equal(schedule_busy(play.schedule), 3);
    close_play(&play);
}

static void what_comes_last_waits_until_all_else_is_over(void **state)
{
    struct play play;

    (void)state;
    open_play(&play, 1);
    add(&play, &play.last, NO_STEP, 0, 1);
    add(&play, &play.alone, NO_STEP, 0, 1);
    begin(&play, 0);
    assert_string_equal(all_next(&play), "1 ");
    schedule_end(play.schedule, 1, STEP_FAILED);
    assert_string_equal(all_next(&play), "");
    assert_true(schedule_close(play.schedule));
    assert_string_equal(all_next(&play), "0 ");
    assert_false(schedule_close(play.schedule));
    close_play(&play);
}

static void the_plan_may_grow_by_steps_and_hosts(void **state)
{
    struct play play;
    size_t members[2];

    (void)state;
    open_play(&play, 1);
    add(&play, &play.alone, NO_STEP, 0, 1);
    begin(&play, 0);
    assert_string_equal(all_next(&play), "0 ");
    assert_false(schedule_grow(play.schedule));
    add_hosts(&play, 1);
    add(&play, &play.fabric, NO_STEP, 0, 2);
    play.plan.steps.items[add(&play, &play.alone, NO_STEP, 1, 1)].origin = ORIGIN_LEFT_OUT;
    assert_true(schedule_grow(play.schedule));
    assert_string_equal(all_next(&play), "");
    assert_int_equal(state_of(&play, 2), STEP_SKIPPED);
    schedule_end(play.schedule, 0, STEP_PASSED);
    assert_string_equal(all_next(&play), "1 ");
    memcpy(members, schedule_members(play.schedule, 1), sizeof members);
    assert_int_equal(members[0], 0);
    assert_int_equal(members[1], 1);
    close_play(&play);
}

static void what_an_earlier_controller_left_is_taken_up(void **state)
{
    struct play play;

    (void)state;
    open_play(&play, 1);
    add(&play, &play.alone, NO_STEP, 0, 1);
    add(&play, &play.alone, 0, 0, 1);
    add(&play, &play.alone, 1, 0, 1);
    begin(&play, 0);
    schedule_settle(play.schedule, 0, STEP_PASSED);
    schedule_take(play.schedule, 1);
    assert_string_equal(all_next(&play), "");
    assert_int_equal(schedule_busy(play.schedule), 1);
    schedule_end(play.schedule, 1, STEP_PASSED);
    assert_string_equal(all_next(&play), "2 ");
    close_play(&play);
}

/* The longest host, or all of them where only some may be at work, and what takes all hosts. */
static void what_is_left_is_guessed_from_what_is_expected(void **state)
{
    struct play play;

    (void)state;
    open_play(&play, 4);
    for (size_t i = 0; i < 4; i++)
        add(&play, &play.alone, NO_STEP, i, 1);
    add(&play, &play.alone, NO_STEP, 0, 1);
    add(&play, &play.fabric, NO_STEP, 0, 4);
    begin(&play, 0);
    assert_true(schedule_left_s(play.schedule) == 20 + 50);
    schedule_settle(play.schedule, 5, STEP_PASSED);
    assert_true(schedule_left_s(play.schedule) == 20);
    play.schedule = schedule_destroy(play.schedule);
    begin(&play, 1);
    assert_true(schedule_left_s(play.schedule) == 50 + 50);
    close_play(&play);
}

/* -- Any plan -- */

static unsigned dice(unsigned *seed, unsigned sides)
{
    *seed = *seed * 1103515245u + 12345u;
    return (*seed >> 16) % sides;
}

/* Whoever needs a step is a step on one of its hosts, as plans have it. */
static void make_any_plan(struct play *play, unsigned *seed)
{
    const struct shape *shapes[] = {&play->passive, &play->alone, &play->leaf, &play->fabric, &play->last};

    for (size_t i = 0; i < 60; i++) {
        size_t count = dice(seed, 3) == 0 ? 2 + dice(seed, 3) : 1, need = dice(seed, 60);
        size_t first = dice(seed, (unsigned)(play->plan.hosts.count - count + 1));
        struct step *step;

        add(play, shapes[dice(seed, ARRAY_SIZE(shapes))], NO_STEP, first, count);
        step = &play->plan.steps.items[i];
        if (need < i && steps_share_host(step, &play->plan.steps.items[need])) {
            step->needs[0] = need;
            step->need_count = 1;
        }
    }
}

/* Of those that run no two disturb each other. */
static void assert_claims_hold(const struct play *play, size_t hosts_at_once)
{
    const struct step *steps = play->plan.steps.items;
    size_t most = 0; /* hosts of one step */

    for (size_t i = 0; i < play->plan.steps.count; i++) {
        if (state_of(play, i) != STEP_RUNNING)
            continue;
        most = steps[i].member_count > most ? steps[i].member_count : most;
        for (size_t k = 0; k < i; k++)
            if (state_of(play, k) == STEP_RUNNING) {
                assert_false(steps_share_fabric(&steps[i], &steps[k]));
                assert_false(steps_share_host(&steps[i], &steps[k]) &&
                             (steps[i].shape->exclusive != EXCLUSIVE_NONE ||
                              steps[k].shape->exclusive != EXCLUSIVE_NONE));
            }
    }
    /* Beside a step of more hosts than may be at work none begins on others. */
    if (hosts_at_once > 0)
        assert_true(schedule_busy(play->schedule) <= (most > hosts_at_once ? most : hosts_at_once));
}

static void end_one(struct play *play, unsigned *seed)
{
    size_t pick = dice(seed, (unsigned)schedule_count(play->schedule, STEP_RUNNING));
    unsigned luck = dice(seed, 10);

    for (size_t i = 0; i < play->plan.steps.count; i++)
        if (state_of(play, i) == STEP_RUNNING && pick-- == 0) {
            if (luck == 0)
                schedule_lose(play->schedule, schedule_members(play->schedule, i)[0]);
            schedule_end(play->schedule, i, luck <= 1 ? STEP_FAILED : luck == 2 ? STEP_AGAIN : STEP_PASSED);
            return;
        }
}

static void every_plan_comes_to_its_end_and_no_claim_is_taken_twice(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        unsigned seed = round;
        size_t hosts_at_once = dice(&seed, 4), left;
        struct play play;

        open_play(&play, 8);
        make_any_plan(&play, &seed);
        begin(&play, hosts_at_once);
        do {
            (void)all_next(&play);
            assert_claims_hold(&play, hosts_at_once);
            left = schedule_count(play.schedule, STEP_RUNNING);
            if (left > 0)
                end_one(&play, &seed);
        } while (left > 0 || schedule_settle_needs(play.schedule) || schedule_close(play.schedule));
        left = schedule_count(play.schedule, STEP_WAITING) + schedule_count(play.schedule, STEP_AGAIN);
        assert_int_equal(left, 0);
        assert_int_equal(schedule_busy(play.schedule), 0);
        close_play(&play);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_begins_when_all_that_it_needs_has_passed),
        cmocka_unit_test(who_is_skipped_ends_the_waiting_of_others),
        cmocka_unit_test(what_only_looks_runs_side_by_side_and_what_loads_runs_alone),
        cmocka_unit_test(the_fabric_is_for_one_and_leaves_that_differ_for_two),
        cmocka_unit_test(nothing_begins_on_a_host_that_is_held_or_awaited),
        cmocka_unit_test(a_host_that_is_lost_begins_nothing_more),
        cmocka_unit_test(where_few_may_be_at_work_hosts_take_turns),
        cmocka_unit_test(a_step_of_more_hosts_than_may_be_at_work_runs_when_no_other_does),
        cmocka_unit_test(what_comes_last_waits_until_all_else_is_over),
        cmocka_unit_test(the_plan_may_grow_by_steps_and_hosts),
        cmocka_unit_test(what_an_earlier_controller_left_is_taken_up),
        cmocka_unit_test(what_is_left_is_guessed_from_what_is_expected),
        cmocka_unit_test(every_plan_comes_to_its_end_and_no_claim_is_taken_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
