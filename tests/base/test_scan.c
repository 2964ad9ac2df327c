/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit_test.h"
#include "assay/base/scan.h"

static void a_text_is_parted_at_the_first_mark_and_trimmed(void **state)
{
    struct slice key = slice_of("kept"), value = slice_of("kept");

    (void)state;
    assert_true(slice_part(slice_of("  Bus Id : 0000:19:00.0 "), ":", &key, &value));
    assert_true(slice_equal(key, "Bus Id"));
    assert_true(slice_equal(value, "0000:19:00.0"));
    assert_true(slice_part(slice_of("empty:"), ":", &key, &value));
    assert_true(slice_equal(key, "empty"));
    assert_int_equal(value.length, 0);
}

static void without_the_mark_nothing_is_returned(void **state)
{
    struct slice key = slice_of("kept"), value = slice_of("kept");

    (void)state;
    assert_false(slice_part(slice_of("Bus Id 0000"), ": ", &key, &value));
    assert_false(slice_part(slice_of(""), ":", &key, &value));
    assert_true(slice_equal(key, "kept"));
    assert_true(slice_equal(value, "kept"));
}

static void what_stands_before_a_mark_is_taken_with_it(void **state)
{
    struct slice rest = slice_of("DMI type 17, DMI type 4");

    (void)state;
    assert_true(scan_past(&rest, "DMI type "));
    assert_true(slice_equal(rest, "17, DMI type 4"));
    assert_false(scan_past(&rest, "Handle"));
    assert_true(slice_equal(rest, "17, DMI type 4"));
    assert_true(scan_past(&rest, "type 4"));
    assert_int_equal(rest.length, 0);
}

static void one_of_several_texts_is_enough_and_the_last_one_counts(void **state)
{
    struct slice line = slice_of("sh: ibstat: not found");

    (void)state;
    assert_true(slice_starts_one(line, "sh:", "bash:"));
    assert_true(slice_contains_one(line, "ibstatus", "ibstat"));
    assert_true(slice_equal_one(line, "sh: ibstat: not found"));
    assert_false(slice_equal_one(line, "sh:", "not found"));
    assert_false(slice_starts_one(line, "bash:", "zsh:"));
}

static void versions_are_compared_number_by_number(void **state)
{
    static const struct {
        const char *version, *least;
        enum version_order order;
    } cases[] = {
        {"1.17.8", "1.17.8", VERSION_REACHED},
        {"1.17.10", "1.17.8", VERSION_REACHED},
        {"1.9.0", "1.17.8", VERSION_OLDER},
        {"580.95.05", "580.159.03", VERSION_OLDER},
        {"580.159.03", "580.159", VERSION_REACHED},
        {"535", "535.60", VERSION_UNCLEAR},
        {"536", "535.60", VERSION_REACHED},
        {"1.18", "1.17.8", VERSION_REACHED},
        {"", "1", VERSION_UNCLEAR},
        {"none", "1.0", VERSION_UNCLEAR},
        {"99999999999999999999", "1", VERSION_UNCLEAR},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(version_reaches(cases[i].version, cases[i].least), cases[i].order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_parted_at_the_first_mark_and_trimmed),
        cmocka_unit_test(without_the_mark_nothing_is_returned),
        cmocka_unit_test(what_stands_before_a_mark_is_taken_with_it),
        cmocka_unit_test(one_of_several_texts_is_enough_and_the_last_one_counts),
        cmocka_unit_test(versions_are_compared_number_by_number),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("scan", tests, NULL, NULL);
}
