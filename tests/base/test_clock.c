/* SPDX-License-Identifier: Apache-2.0 */
/* By which clock a run goes on that another process began. */
#include <math.h>

#include "../unit_test.h"
#include "assay/base/clock.h"

enum { HOUR_S = 3600, SOON_S = 60 };

static void assert_soon_after(double at)
{
    double now = clock_steady();

    assert_true(now >= at);
    assert_true(now < at + SOON_S);
}

static void a_run_goes_on_by_the_clock_that_it_was_begun_by(void **state)
{
    double now = clock_now(), base = clock_base();

    (void)state;
    assert_soon_after(now - 1);
    /* The wall clock was an hour ahead, or behind, when the run began, and was set since. */
    clock_go_on(base + HOUR_S, now + HOUR_S - 1);
    assert_soon_after(now + HOUR_S - 1);
    clock_go_on(base - HOUR_S, now - HOUR_S - 1);
    assert_soon_after(now - HOUR_S - 1);
}

static void where_the_machine_was_booted_since_no_time_comes_before_one_that_is_kept(void **state)
{
    double now = clock_now();

    (void)state;
    clock_go_on(NAN, now + HOUR_S);
    assert_soon_after(now + HOUR_S);
    clock_go_on(NAN, now - HOUR_S);
    assert_soon_after(now - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_goes_on_by_the_clock_that_it_was_begun_by),
        cmocka_unit_test(where_the_machine_was_booted_since_no_time_comes_before_one_that_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
