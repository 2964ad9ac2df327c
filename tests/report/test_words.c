/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit_test.h"
#include "assay/check/check.h"
#include "assay/model/limit.h"
#include "assay/report/report.h"

#include <math.h>
#include <string.h>

#include "assets.h"
#include "metric_words.h"
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

/* A buyer who has never run these tests reads what each clause is about. */
static void every_gate_of_a_check_has_words(void **state)
{
    size_t count, lacks = 0, asked = 0;
    const struct check *const *checks = check_list(&count);

    (void)state;
    for (size_t i = 0; i < count; i++)
        for (const struct item *item = checks[i]->items; item != NULL && item->metric != NULL; item++)
            for (unsigned language = 0; language < LANGUAGE_COUNT; language++) {
                asked++;
                if (*metric_words((enum report_language)language, item->metric) != '\0')
                    continue;
                print_error("%s: nobody has words for %s\n", checks[i]->name, item->metric);
                lacks++;
            }
    assert_int_equal(lacks, 0);
    assert_true(asked > 400);
    assert_string_equal(metric_words(LANGUAGE_EN, "p2p.unidirectional.enabled"),
                        "copies between two GPUs of a host, one way");
    assert_string_equal(metric_words(LANGUAGE_EN, "acme.metric"), "");
}

static void each_size_in_a_list_of_parts_reads_as_people_say_it(void **state)
{
    struct arena *arena = arena_create();

    (void)state;
    assert_string_equal(assets_readable(arena, "1 x SAMSUNG MZ1 960197124096 B, 7 x MZQ 3840755982336 B"),
                        "1 x SAMSUNG MZ1 960.2 GB, 7 x MZQ 3.841 TB");
    assert_string_equal(assets_readable(arena, "960197124096 B"), "960.2 GB");
    assert_string_equal(assets_readable(arena, "8 x Model B 12"), "8 x Model B 12");
    assert_string_equal(assets_readable(arena, "512 B, x B"), "512 B, x B");
    arena_destroy(arena);
}

static const char *page_of(struct arena *arena, const struct contract *contract,
                           enum report_language language, bool html)
{
    cleanup_text struct text out = {0};

    text_init(&out, 1 << 24);
    if (html)
        report_contract_html(contract, language, &out);
    else
        report_contract_text(contract, language, &out);
    return arena_strdup(arena, out.bytes);
}

/* What is signed has its title in the reader's language, words for its figures, and lines for both parties. */
static void a_contract_can_be_read_and_signed(void **state)
{
    static const char draft[] =
        "{\"name\": \"c\", \"title\": \"To be agreed: figures of suite delivery as assay has them\", \"limits\": "
        "[{\"clause\": \"1\", \"metric\": \"p2p.unidirectional.enabled\", \"floor\": 345, \"unit\": \"GB/s\", "
        "\"source\": \"annex\"}]}";
    struct arena *arena = arena_create();
    const struct contract *contract = contract_parse(arena, "c.json", slice_of(draft), NULL);

    (void)state;
    assert_non_null(contract);
    for (unsigned html = 0; html < 2; html++) {
        const char *english = page_of(arena, contract, LANGUAGE_EN, html);
        const char *chinese = page_of(arena, contract, LANGUAGE_ZH, html);

        assert_non_null(strstr(english, "To be agreed: figures of suite delivery as assay has them"));
        assert_non_null(strstr(english, "copies between two GPUs of a host, one way"));
        assert_non_null(strstr(english, "For the supplier"));
        assert_non_null(strstr(english, "For the customer"));
        assert_null(strstr(chinese, "To be agreed"));
        assert_non_null(strstr(chinese, "\xe5\xbe\x85\xe5\x95\x86\xe5\xae\x9a")); /* 待商定 */
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
        cmocka_unit_test(every_gate_of_a_check_has_words),
        cmocka_unit_test(each_size_in_a_list_of_parts_reads_as_people_say_it),
        cmocka_unit_test(a_contract_can_be_read_and_signed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
