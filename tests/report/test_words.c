/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit_test.h"
#include "assay/report/report.h"

#include <math.h>
#include <string.h>

#include "view.h"

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

/* What stands behind a metric, in words of either language; what nobody has words for is as its tool says it. */
static void the_place_of_a_value_reads_as_words(void **state)
{
    static const struct {
        const char *at, *english, *chinese;
    } rows[] = {
        {"way=there stat=average size_bytes=1048576", "way there, stat average, size 1M",
         "\xe5\x8e\xbb\xe5\x90\x91\xef\xbc\x8c\xe5\xb9\xb3\xe5\x9d\x87\xe5\x80\xbc\xef\xbc\x8c"
         "\xe5\xa4\xa7\xe5\xb0\x8f 1M"},
        {"size_bytes=8589934592 place=out", "size 8G, place out",
         "\xe5\xa4\xa7\xe5\xb0\x8f 8G\xef\xbc\x8c\xe9\x9d\x9e\xe5\x8e\x9f\xe4\xbd\x8d"},
        {"size_bytes=odd state=Active lane=", "size_bytes odd, state Active, lane",
         "size_bytes odd\xef\xbc\x8c\xe7\x8a\xb6\xe6\x80\x81 Active\xef\xbc\x8clane"},
    };
    struct arena *arena = arena_create();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct reason *said = slot_at_text(arena, &(struct slot){.at = rows[i].at});

        assert_string_equal(reason_said(arena, LANGUAGE_EN, said), rows[i].english);
        assert_string_equal(reason_said(arena, LANGUAGE_ZH, said), rows[i].chinese);
    }
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_read_as_people_say_them),
        cmocka_unit_test(a_duration_that_nobody_knows_is_not_a_number),
        cmocka_unit_test(times_are_utc_and_an_unset_time_is_not_1970),
        cmocka_unit_test(the_place_of_a_value_reads_as_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
