/* SPDX-License-Identifier: Apache-2.0 */
/* assay-probe-gpu power: when it is at work, and how two clocks are compared. */
#include <math.h>

#include "../unit_test.h"
#include "power_clock.h"
#include "power_schedule.h"

static struct power_schedule schedule;

static void each_wave_is_whole_periods_of_which_half_is_work(void **state)
{
    const struct power_plan plan = {.hz = {0.2, 3}, .waves = 2, .seconds = 6};

    (void)state;
    assert_true(power_schedule_make(&plan, &schedule));
    assert_int_equal(schedule.segment_count, 2);
    /* Two periods of 5 s, a pause, 18 periods of a third of a second. */
    assert_int_equal(schedule.segments[0].beats, 2);
    assert_float_equal(schedule.segments[0].to, 10, 1e-9);
    assert_float_equal(schedule.beats[1].on, 5, 1e-9);
    assert_float_equal(schedule.beats[1].off, 7.5, 1e-9);
    assert_float_equal(schedule.segments[1].from, 10 + POWER_PAUSE_S, 1e-9);
    assert_int_equal(schedule.segments[1].beats, 18);
    assert_int_equal(schedule.edges, 2 * (2 + 18));
    assert_float_equal(schedule.end, 18, 1e-9);
}

static void beats_follow_each_other_and_the_ramp_grows_to_all_of_a_period(void **state)
{
    const struct power_plan plan = {.hz = {1}, .waves = 1, .seconds = 2, .ramp_s = 4};
    double work = 0;

    (void)state;
    assert_true(power_schedule_make(&plan, &schedule));
    assert_int_equal(schedule.segments[1].beats, (unsigned)(4 / POWER_RAMP_PERIOD_S));
    assert_int_equal(schedule.edges, 4);
    for (unsigned i = 1; i < schedule.beat_count; i++)
        assert_true(schedule.beats[i].on >= schedule.beats[i - 1].off - 1e-9);
    for (unsigned i = 0; i < schedule.segments[1].beats; i++) {
        const struct power_beat *beat = &schedule.beats[schedule.segments[1].first + i];

        assert_true(beat->off > beat->on);
        work += beat->off - beat->on;
    }
    /* Half of the ramp's time on the whole, and all of its last period. */
    assert_float_equal(work, 2, 2 * POWER_RAMP_PERIOD_S);
    assert_float_equal(schedule.beats[schedule.beat_count - 1].off, schedule.end, 1e-9);
}

static void a_schedule_without_room_is_refused(void **state)
{
    const struct power_plan plan = {.hz = {3}, .waves = 1, .seconds = 10, .ramp_s = 200};

    (void)state;
    assert_false(power_schedule_make(&plan, &schedule));
}

static void the_shortest_round_trip_bounds_a_clock_best(void **state)
{
    struct power_bounds bounds = power_bounds_none();
    struct power_clock clock;

    (void)state;
    assert_false(power_bounds_clock(&bounds, &clock));
    /* The other clock is 100 s ahead; asked at 10, it answered at once, and the answer took 80 ms. */
    power_bounds_take(&bounds, 10.000, 110.000, 10.080);
    assert_true(power_bounds_clock(&bounds, &clock));
    assert_float_equal(clock.uncertain_s, 0.040, 1e-9);
    assert_float_equal(clock.ahead_s, -99.960, 1e-9);
    /* 2 ms there and back: the truth lies in both. */
    power_bounds_take(&bounds, 11.000, 111.001, 11.002);
    assert_true(power_bounds_clock(&bounds, &clock));
    assert_float_equal(clock.uncertain_s, 0.0005, 1e-9);
    assert_true(fabs(clock.ahead_s + 100) <= clock.uncertain_s + 1e-9);
}

static void a_clock_that_was_set_between_two_answers_is_not_known(void **state)
{
    struct power_bounds bounds = power_bounds_none();
    struct power_clock clock;

    (void)state;
    power_bounds_take(&bounds, 10.000, 110.000, 10.002);
    power_bounds_take(&bounds, 11.000, 111.500, 11.002);
    assert_false(power_bounds_clock(&bounds, &clock));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_wave_is_whole_periods_of_which_half_is_work),
        cmocka_unit_test(beats_follow_each_other_and_the_ramp_grows_to_all_of_a_period),
        cmocka_unit_test(a_schedule_without_room_is_refused),
        cmocka_unit_test(the_shortest_round_trip_bounds_a_clock_best),
        cmocka_unit_test(a_clock_that_was_set_between_two_answers_is_not_known),
    };

    return cmocka_run_group_tests_name("power", tests, NULL, NULL);
}
