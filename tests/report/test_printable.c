/* SPDX-License-Identifier: Apache-2.0 */
#include "../unit_test.h"
#include "assay/base/printable.h"
#include "html.h"

#include <string.h>

#define BAD "\xef\xbf\xbd"

static void expect_line(const char *string, const char *expected)
{
    cleanup_text struct text out = {0};

    text_init(&out, 4096);
    printable_line(&out, string);
    assert_string_equal(out.bytes, expected);
}

static void letters_of_all_scripts_stay(void **state)
{
    (void)state;
    expect_line("node1 \xc2\xb5s \xe2\x82\xac \xe4\xb8\xad\xf0\x9f\x98\x80",
                "node1 \xc2\xb5s \xe2\x82\xac \xe4\xb8\xad\xf0\x9f\x98\x80");
    expect_line("", "");
    expect_line(NULL, "");
    assert_int_equal(printable_width("\xe4\xb8\xad"
                                     "a"),
                     3);
}

static void what_steers_a_terminal_is_replaced(void **state)
{
    (void)state;
    expect_line("\x1b[31mred", BAD "[31mred");
    expect_line("a\x07\x08\x7f", "a" BAD BAD BAD);
    expect_line("\xc2\x9b"
                "31m",
                BAD "31m");
    expect_line("one\ntwo\tthree\r", "one two three" BAD);
}

static void what_hides_or_turns_text_round_is_replaced(void **state)
{
    (void)state;
    expect_line("a\xe2\x80\xae"
                "b",
                "a" BAD "b");
    expect_line("a\xe2\x81\xa6"
                "b",
                "a" BAD "b");
    expect_line("a\xe2\x80\x8b\xef\xbb\xbf"
                "b",
                "a" BAD BAD "b");
    expect_line("a\xe2\x80\xa8"
                "b",
                "a" BAD "b");
}

static void bytes_that_are_not_utf8_are_replaced_one_by_one(void **state)
{
    (void)state;
    expect_line("\xff\xfe", BAD BAD);
    expect_line("\xc0\xaf", BAD BAD);                 /* overlong */
    expect_line("\xed\xa0\x80", BAD BAD BAD);         /* surrogate */
    expect_line("\xf4\x90\x80\x80", BAD BAD BAD BAD); /* beyond Unicode */
    expect_line("\xe2\x82", BAD BAD);                 /* cut */
    expect_line("\xe2\x82"
                "a",
                BAD BAD "a");
}

static void html_escapes_everything_that_is_markup(void **state)
{
    cleanup_text struct text out = {0};

    (void)state;
    text_init(&out, 4096);
    html_text(&out, "<a href=\"x\" b='y'>&amp;\x1b</a>");
    assert_string_equal(out.bytes, "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;" BAD "&lt;/a&gt;");
    text_reset(&out);
    html_textf(&out, "%s %d", "<b>", 7);
    assert_string_equal(out.bytes, "&lt;b&gt; 7");
}

static void shapes_take_numbers_only(void **state)
{
    cleanup_text struct text out = {0};

    (void)state;
    text_init(&out, 4096);
    html_shape(&out, "<rect x=\"@\" y=\"@\"/>", 1.0, 2.25);
    assert_string_equal(out.bytes, "<rect x=\"1\" y=\"2.2\"/>");
    text_reset(&out);
    html_shape(&out, "<a href=\"#e@\">", 0.0 / 1.0);
    assert_string_equal(out.bytes, "<a href=\"#e0\">");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_of_all_scripts_stay),
        cmocka_unit_test(what_steers_a_terminal_is_replaced),
        cmocka_unit_test(what_hides_or_turns_text_round_is_replaced),
        cmocka_unit_test(bytes_that_are_not_utf8_are_replaced_one_by_one),
        cmocka_unit_test(html_escapes_everything_that_is_markup),
        cmocka_unit_test(shapes_take_numbers_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
