/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit_test.h"
#include "assay/report/report.h"

#include <math.h>
#include <string.h>

static void durations_read_as_people_say_them(void **state)
{
    struct arena *arena = arena_create();

    (void)state;
    assert_string_equal(duration_text(arena, 0), "0.0 s");
    assert_string_equal(duration_text(arena, 3.21), "3.2 s");
    assert_string_equal(duration_text(arena, 59.94), "59.9 s");
    assert_string_equal(duration_text(arena, 59.97), "1m 00s");
    assert_string_equal(duration_text(arena, 3599.6), "1h 00m 00s");
    assert_string_equal(duration_text(arena, 3723), "1h 02m 03s");
    assert_string_equal(duration_text(arena, 90061), "1d 01h 01m");
    arena_destroy(arena);
}

static void a_duration_that_nobody_knows_is_not_a_number(void **state)
{
    struct arena *arena = arena_create();

    (void)state;
    assert_string_equal(duration_text(arena, NAN), "unknown");
    assert_string_equal(duration_text(arena, -1), "unknown");
    assert_string_equal(duration_text(arena, INFINITY), "unknown");
    arena_destroy(arena);
}

static void times_are_utc_and_an_unset_time_is_not_1970(void **state)
{
    struct arena *arena = arena_create();

    (void)state;
    assert_string_equal(time_text(arena, 1772366400), "2026-03-01 12:00:00 UTC");
    assert_string_equal(time_text(arena, 1772366400.9), "2026-03-01 12:00:00 UTC");
    assert_string_equal(time_text(arena, 0), "unknown");
    assert_string_equal(time_text(arena, NAN), "unknown");
    assert_string_equal(time_text(arena, 1e300), "unknown");
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_read_as_people_say_them),
        cmocka_unit_test(a_duration_that_nobody_knows_is_not_a_number),
        cmocka_unit_test(times_are_utc_and_an_unset_time_is_not_1970),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
