/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogues of what reports say themselves are whole and agree; what others said stays as it is, and is marked. */
#include <string.h>

#include "../unit_test.h"
#include "assay/reasons/report.h"
#include "frame.h"
#include "language.h"

static const char *const keys[] = {
#define TEXT(key, string) #key,
#include "text_en.def"
#undef TEXT
};

/* A bit for each value that the text shows; plurals show nothing by themselves. */
static unsigned values_of(const char *text)
{
    unsigned values = 0;

    for (; (text = strchr(text, '{')) != NULL; text++)
        if (text[1] >= '1' && text[1] <= '9' && text[2] == '}')
            values |= 1u << (text[1] - '0');
    return values;
}

static void a_translation_shows_the_values_of_the_english(void **state)
{
    (void)state;
    for (size_t i = 0; i < TEXT_COUNT; i++) {
        const char *english = language_text(LANGUAGE_EN, (enum text_key)i),
                   *chinese = language_text(LANGUAGE_ZH, (enum text_key)i);

        if (values_of(english) != values_of(chinese))
            fail_msg("%s: '%s' and '%s' do not show the same values", keys[i], english, chinese);
        assert_true(*english != '\0' && *chinese != '\0');
    }
}

static const char *framed(struct arena *arena, enum report_language language, const struct reason *reason)
{
    cleanup_text struct text out = {0};

    text_init(&out, 4096);
    frame_said(&out, arena, language, reason);
    return arena_strndup(arena, out.bytes, out.length);
}

/* What tools print in words is English on a Chinese page, and read out so; names and numbers are of no language. */
static void what_nobody_translates_is_marked(void **state)
{
    struct arena *arena = arena_create();
    const struct reason *moon = reason_text(arena, "the moon <is> in the way"),
                        *both = reason_also(arena, reason(arena, ended_with_exit, 3), moon);

    (void)state;
    assert_string_equal(framed(arena, LANGUAGE_EN, both), "exit 3; the moon &lt;is&gt; in the way");
    assert_string_equal(framed(arena, LANGUAGE_ZH, both),
                        "退出码 3；<span lang=\"en\">the moon &lt;is&gt; in the way</span>");
    assert_string_equal(framed(arena, LANGUAGE_ZH, reason_text(arena, "node3")), "node3");
    assert_string_equal(framed(arena, LANGUAGE_ZH, NULL), "");
    arena_destroy(arena);
}

static void values_and_plurals_fill_a_text(void **state)
{
    struct arena *arena = arena_create();
    const char *one[] = {"1", "a"}, *many[] = {"12", "{1}"};

    (void)state;
    assert_string_equal(language_fill(arena, "{1} {1|host|hosts} by {2}", one, 2), "1 host by a");
    assert_string_equal(language_fill(arena, "{1} {1|host|hosts} by {2}", many, 2), "12 hosts by {1}");
    assert_string_equal(language_fill(arena, "{x} {", many, 2), "{x} {");
    assert_string_equal(language_fill(arena, "{3}{1|one}", one, 2), "{3}");
    arena_destroy(arena);
}

static void languages_have_names(void **state)
{
    static const char *const chinese[] = {"zh-CN",   "zh_CN",      "zh_CN.UTF-8", "zh_SG.utf8",
                                          "zh-Hans", "zh-Hans-CN", "ZH"};
    static const char *const none[] = {"",      "C",          "POSIX", "zh_TW.UTF-8", "zh_CN.GB18030",
                                       "zhong", "de_DE.UTF-8"};
    enum report_language language = LANGUAGE_EN;

    (void)state;
    assert_true(report_language_find("zh", &language));
    assert_int_equal(language, LANGUAGE_ZH);
    assert_false(report_language_find("xx", &language));
    for (size_t i = 0; i < ARRAY_SIZE(chinese); i++) {
        language = LANGUAGE_EN;
        assert_true(report_language_find(chinese[i], &language));
        assert_int_equal(language, LANGUAGE_ZH);
    }
    for (size_t i = 0; i < ARRAY_SIZE(none); i++)
        assert_false(report_language_find(none[i], &language));
    assert_true(report_language_find("en_GB.utf8", &language));
    assert_int_equal(language, LANGUAGE_EN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_translation_shows_the_values_of_the_english),
        cmocka_unit_test(what_nobody_translates_is_marked),
        cmocka_unit_test(values_and_plurals_fill_a_text),
        cmocka_unit_test(languages_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
