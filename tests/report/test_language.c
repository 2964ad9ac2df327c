/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogues are whole and agree; what was said in English is translated, or stays English and is marked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "language.h"

static const char *const keys[] = {
#define TEXT(key, string) #key,
#include "text_en.def"
};
static const char *const english_keys_of_zh[] = {
#undef TEXT
#define TEXT(key, string) #key,
#include "text_zh.def"
#undef TEXT
};

/* A bit for each value that the text shows; plurals show nothing by themselves. */
static unsigned values_of(const char *text)
{
    unsigned values = 0;

    for (; (text = strchr(text, '{')) != NULL; text++)
        if (text[1] >= '1' && text[1] <= '9' && strchr("}!?=", text[2]) != NULL)
            values |= 1u << (text[1] - '0');
    return values;
}

static void each_language_has_each_text_once_and_in_the_same_order(void **state)
{
    (void)state;
    assert_int_equal(sizeof keys, sizeof english_keys_of_zh);
    for (size_t i = 0; i < TEXT_COUNT; i++)
        assert_string_equal(keys[i], english_keys_of_zh[i]);
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

static size_t conversions_of(const char *format)
{
    size_t count = 0;

    for (; (format = strchr(format, '%')) != NULL; format++)
        if (format[1] == '%')
            format++;
        else
            count++;
    return count;
}

static void a_sentence_gives_what_was_said_and_nothing_that_was_not(void **state)
{
    const struct sentence *sentence;

    (void)state;
    for (size_t i = 0; (sentence = language_sentence(LANGUAGE_ZH, i)) != NULL; i++) {
        size_t conversions = conversions_of(sentence->english);
        unsigned values = values_of(sentence->translation);

        if (values >> (conversions + 1) != 0)
            fail_msg("'%s' shows a value that '%s' does not have", sentence->translation, sentence->english);
        for (size_t k = 0; k < i; k++)
            if (strcmp(language_sentence(LANGUAGE_ZH, k)->english, sentence->english) == 0)
                fail_msg("'%s' stands twice", sentence->english);
        if (sentence->english[0] == '%' && conversions_of(sentence->english + 1) + 1 == conversions &&
            strlen(sentence->english) <= strlen("%s: %s"))
            fail_msg("'%s' would fit anything", sentence->english);
    }
}

static void expect(struct arena *arena, const char *english, const char *chinese)
{
    assert_string_equal(language_said(arena, LANGUAGE_ZH, english), chinese);
    assert_string_equal(language_said(arena, LANGUAGE_EN, english), english);
}

static void what_is_known_is_translated_with_its_values(void **state)
{
    struct arena *arena = arena_create();

    (void)state;
    expect(arena, "pass", "通过");
    expect(arena, "8 hosts: node[1-8]", "8 台主机：node[1-8]");
    expect(arena, "exit 3", "退出码 3");
    expect(arena, "needs driver on node4, which did not run", "前提步骤 driver（node4）未执行");
    expect(arena, "exit -1", "退出码 -1");
    expect(arena, "dcgm.diagnostic is fail, expected pass", "dcgm.diagnostic 为 fail，应为 pass");
    expect(arena, "in all 3 attempts: a is 1 GB/s, expected >= 2 GB/s; b is 3, expected yes (and 4 more)",
           "3 次执行均如此：a 为 1 GB/s，应为 >= 2 GB/s；b 为 3，应为 yes（另有 4 项）");
    expect(arena, "node5 did not answer; size 8G, place out", "node5 did not answer；大小 8G，非原位");
    expect(arena, "", "");
    arena_destroy(arena);
}

static void values_are_translated_as_far_as_they_are_ours(void **state)
{
    struct arena *arena = arena_create();

    (void)state;
    expect(arena, "cabling.rail is plugged into leaf3 port 7, expected as declared",
           "cabling.rail 为 插在了 leaf3 端口 7，应为 与声明一致");
    expect(arena, "nccl.net_hcas is node1 lacks mlx5_3; node2 lacks mlx5_0, mlx5_1, expected all",
           "nccl.net_hcas 为 node1 缺少 mlx5_3；node2 缺少 mlx5_0, mlx5_1，应为 all");
    expect(arena,
           "window.processes is python (pid 7) on node1 gpu0 before the test; python (pid 7) on node1 gpu0 "
           "after "
           "the test, expected none; who else computes on the GPUs or has the host leaves every number "
           "undecided",
           "window.processes 为 测试前 node1 gpu0 上有 python（pid 7）；测试后 node1 gpu0 上有 python（pid "
           "7），应为 "
           "none；若有他人在 GPU 上计算或占用主机，任何数值都无法判定");
    expect(
        arena,
        "root@10.0.0.4 port 22: the host takes keys only, no password; before that: root@10.0.0.4 port 22 "
        "takes "
        "the key /root/.ssh/id_ed25519 not (Username/PublicKey combination invalid); add its public key to "
        "authorized_keys there",
        "root@10.0.0.4 端口 22：该主机只接受密钥，不接受密码；此前：root@10.0.0.4 端口 22 不接受密钥 "
        "/root/.ssh/id_ed25519（Username/PublicKey combination invalid）；将其公钥加入该主机的 "
        "authorized_keys");
    /* A row for names does not swallow what is none. */
    expect(arena, "the moon lacks air or water", "the moon lacks air or water");
    arena_destroy(arena);
}

static void what_nobody_translated_stays_and_is_marked(void **state)
{
    struct arena *arena = arena_create();
    struct said_list pieces;

    (void)state;
    language_pieces(arena, LANGUAGE_ZH, "the moon is in the way", &pieces);
    assert_int_equal(pieces.items.count, 1);
    assert_true(pieces.items.items[0].english);
    language_pieces(arena, LANGUAGE_ZH, "node3", &pieces);
    assert_false(pieces.items.items[0].english);
    language_pieces(arena, LANGUAGE_ZH, "exit 3; the moon is in the way", &pieces);
    assert_int_equal(pieces.items.count, 4);
    assert_string_equal(pieces.items.items[3].text, "the moon is in the way");
    assert_true(pieces.items.items[3].english);
    language_pieces(arena, LANGUAGE_EN, "the moon is in the way", &pieces);
    assert_false(pieces.items.items[0].english);
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
    assert_string_equal(report_language_name(language), "zh");
    assert_false(report_language_find("xx", &language));
    for (size_t i = 0; i < sizeof chinese / sizeof chinese[0]; i++) {
        language = LANGUAGE_EN;
        assert_true(report_language_find(chinese[i], &language));
        assert_int_equal(language, LANGUAGE_ZH);
    }
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_false(report_language_find(none[i], &language));
    assert_true(report_language_find("en_GB.utf8", &language));
    assert_int_equal(language, LANGUAGE_EN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_language_has_each_text_once_and_in_the_same_order),
        cmocka_unit_test(a_translation_shows_the_values_of_the_english),
        cmocka_unit_test(a_sentence_gives_what_was_said_and_nothing_that_was_not),
        cmocka_unit_test(what_is_known_is_translated_with_its_values),
        cmocka_unit_test(values_are_translated_as_far_as_they_are_ours),
        cmocka_unit_test(what_nobody_translated_stays_and_is_marked),
        cmocka_unit_test(values_and_plurals_fill_a_text),
        cmocka_unit_test(languages_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
