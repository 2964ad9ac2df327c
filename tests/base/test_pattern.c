/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "../unit_test.h"
#include "assay/base/pattern.h"
#include "assay/base/text.h"

static struct pattern *make(const char *text)
{
    struct error err = {0};
    size_t offset;
    struct pattern *pattern = pattern_create(text, &offset, &err);

    if (pattern == NULL)
        fail_msg("%s", err.text);
    return pattern;
}

/* What the first group takes in each match of the line, with '|' behind each. */
static void assert_takes(const char *text, const char *line, const char *wanted)
{
    struct pattern *pattern = make(text);
    cleanup_text struct text found = {0};
    struct slice took;

    text_init(&found, 1024);
    for (size_t offset = 0; pattern_next(pattern, slice_of(line), &offset) == PATTERN_FOUND;) {
        if (pattern_take(pattern, slice_of(line), 0, &took))
            text_add(&found, took.bytes, took.length);
        text_put(&found, "|");
    }
    assert_string_equal(found.bytes, wanted);
    pattern_destroy(pattern);
}

static void each_match_of_a_line_is_found(void **state)
{
    (void)state;
    assert_takes("(?<a>\\d+)", "7 of 12", "7|12|");
    assert_takes("x=(?<a>\\d)|y", "y x=1", "|1|");
    assert_takes("(?<a>\\d*)",
                 "a1\xC3\xA4"
                 "2",
                 "|1||2||"); /* a match of nothing is no end, and no character is split */
    assert_takes("(?<a>caf.) (?<b>.)", "caf\xC3\xA9 x", "caf\xC3\xA9|");
    assert_takes("^(?<a>\\w+)$", "no match here", "");
    assert_takes("b(?<a>\\d)", "\xFF\xFE b1 \xFF", "1|"); /* bytes that are no UTF-8 match nothing */
    assert_takes("(?<a>x)", "", "");
}

static void groups_stand_in_their_order(void **state)
{
    struct pattern *pattern = make("(?<zeta>a)(b)(?<alpha>c)");

    (void)state;
    assert_int_equal(pattern_group_count(pattern), 2);
    assert_string_equal(pattern_group(pattern, 0), "zeta");
    assert_string_equal(pattern_group(pattern, 1), "alpha");
    assert_null(pattern_destroy(pattern));
    assert_null(pattern_destroy(NULL));
}

static void what_is_wrong_is_said_with_its_place(void **state)
{
    struct error err = {0};
    size_t offset;

    (void)state;
    assert_null(pattern_create("\xC3\xA4(?<a>\\d", &offset, &err));
    assert_int_equal(offset, 9);
    assert_non_null(strstr(err.text, "at its character 9"));
    assert_null(pattern_create("(?<a>x)(?<a>y)", &offset, &err));
    assert_null(pattern_create("\\C", &offset, &err)); /* would split characters */
}

static void a_pattern_that_runs_wild_is_ended(void **state)
{
    struct pattern *pattern = make("^(?<a>(x+x+)+)[yz]$");
    char line[4096];
    size_t offset = 0;

    (void)state;
    memset(line, 'x', sizeof line);
    assert_int_equal(pattern_next(pattern, (struct slice){line, sizeof line}, &offset), PATTERN_EXHAUSTED);
    pattern_destroy(pattern);
}

/* Also when each search by itself is within its limit. */
static void many_slow_searches_are_ended(void **state)
{
    struct pattern *pattern = make("(?<a>x*x*x*[yz]$)");
    char line[60];
    enum pattern_result result = PATTERN_NOT_FOUND;
    unsigned searches = 0;

    (void)state;
    memset(line, 'x', sizeof line);
    while (result != PATTERN_EXHAUSTED && searches++ < 1000 * 1000) {
        size_t offset = 0;

        result = pattern_next(pattern, (struct slice){line, sizeof line}, &offset);
    }
    assert_int_equal(result, PATTERN_EXHAUSTED);
    pattern_destroy(pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_match_of_a_line_is_found),
        cmocka_unit_test(groups_stand_in_their_order),
        cmocka_unit_test(what_is_wrong_is_said_with_its_place),
        cmocka_unit_test(a_pattern_that_runs_wild_is_ended),
        cmocka_unit_test(many_slow_searches_are_ended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
