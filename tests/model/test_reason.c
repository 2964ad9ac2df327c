/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons are data: made, compared, kept and said in each language. */
#include <string.h>

#include "../arena_test.h"
#include "assay/base/json.h"
#include "assay/model/reason.h"
#include "assay/model/reason_json.h"
#include "assay/model/script_reason.h"
#include "assay/reasons/any.h"
#include "assay/reasons/model.h"
#include "assay/reasons/script.h"
#include "assay/reasons/words.h"

#define SENTENCE(code, arguments, english) extern const struct sentence sentence_##code;
#include "assay/reasons/all.def"
#undef SENTENCE
static const struct sentence *const catalogue[] = {
#define SENTENCE(code, arguments, english) &sentence_##code,
#include "assay/reasons/all.def"
#undef SENTENCE
};

/* A bit for each argument that the text shows; plurals show nothing by themselves. It shows one once: twice would be twice
   as much again at each depth of reasons in reasons. */
static unsigned shown_by(const char *text, size_t arguments)
{
    unsigned shown = 0;

    for (; (text = strchr(text, '{')) != NULL; text++) {
        bool numbered = text[1] >= '1' && text[1] <= '9';

        if (!numbered || (size_t)(text[1] - '0') > arguments || (text[2] != '}' && text[2] != '|'))
            fail_msg("'%s' is no argument", text);
        if (text[2] == '}' && (shown & 1u << (text[1] - '0')) != 0)
            fail_msg("'%s' is shown twice", text);
        if (text[2] == '}')
            shown |= 1u << (text[1] - '0');
    }
    return shown;
}

static void each_language_shows_every_argument_once_and_no_other(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(catalogue); i++) {
        const struct sentence *sentence = catalogue[i];
        unsigned all = (2u << sentence->arguments) - 2;

        assert_in_range(sentence->arguments, 0, 9);
        for (size_t language = 0; language < LANGUAGE_COUNT; language++)
            if (*sentence->texts[language] == '\0' ||
                shown_by(sentence->texts[language], sentence->arguments) != all)
                fail_msg("%s does not show its arguments: '%s'", sentence->code, sentence->texts[language]);
    }
}

/* It would be told as the other where an old database is read. */
static void no_two_sentences_say_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(catalogue); i++)
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(catalogue[i]->code, catalogue[k]->code);
            if (strcmp(catalogue[i]->texts[LANGUAGE_EN], catalogue[k]->texts[LANGUAGE_EN]) == 0 &&
                catalogue[i]->arguments == 0)
                fail_msg("%s and %s both say '%s'", catalogue[i]->code, catalogue[k]->code,
                         catalogue[k]->texts[LANGUAGE_EN]);
        }
}

static void a_reason_is_said_in_each_language_with_its_arguments(void **state)
{
    struct arena *arena = *state;
    const struct reason *inner = reason(arena, one_of, "a|b"),
                        *both = reason(arena, also, inner, reason(arena, more_like_these, (size_t)12));

    assert_string_equal(reason_english(arena, both), "one of a|b; 12 more like these");
    assert_string_equal(reason_said(arena, LANGUAGE_ZH, REASON(same_on_all_hosts)), "各主机相同");
    assert_string_equal(reason_said(arena, LANGUAGE_ZH, reason(arena, also, inner, "x")), "a|b 之一；x");
    assert_string_equal(reason_english(arena, NULL), "");
    assert_string_equal(reason_english(arena, reason(arena, text, 0.25)), "0.25");
    assert_string_equal(reason_english(arena, reason(arena, text, -7)), "-7");
}

static void what_nobody_translates_is_marked_as_foreign(void **state)
{
    struct arena *arena = *state;
    struct said_list pieces;

    reason_pieces(arena, LANGUAGE_ZH, reason(arena, about, "node3", "the moon is in the way"), &pieces);
    assert_int_equal(pieces.items.count, 3);
    assert_false(pieces.items.items[0].foreign);
    assert_false(pieces.items.items[1].foreign);
    assert_string_equal(pieces.items.items[2].text, "the moon is in the way");
    assert_true(pieces.items.items[2].foreign);
}

static void texts_are_one_line_and_what_a_tool_printed_is_cut_at_a_character(void **state)
{
    struct arena *arena = *state;
    char line[REASON_QUOTED + 2];
    const struct reason *cut;

    assert_string_equal(reason_english(arena, reason_text(arena, "a\n\x1b[2J\xc2\x9b"
                                                                 "b\x7f")),
                        "a  [2J  b ");
    memset(line, 'x', sizeof line);
    memcpy(line + REASON_QUOTED - 1, "\xe9\x80\x9a", 3);
    cut = reason_quote(arena, (struct slice){line, sizeof line});
    assert_int_equal(strlen(reason_english(arena, cut)), REASON_QUOTED - 1);
    assert_null(reason_text(arena, ""));
}

static void equal_means_the_same_sentence_and_arguments(void **state)
{
    struct arena *arena = *state;
    const struct reason *one = reason(arena, about, "a", reason(arena, one_of, "x"));

    assert_true(reason_equal(one, reason(arena, about, "a", reason(arena, one_of, "x"))));
    assert_false(reason_equal(one, reason(arena, about, "a", reason(arena, one_of, "y"))));
    assert_false(reason_equal(one, reason(arena, about, "a", "one of x")));
    assert_false(reason_equal(one, NULL));
    assert_true(reason_equal(NULL, NULL));
    assert_true(reason_has(one, one_of));
    assert_false(reason_is(one, one_of));
    assert_true(reason_mentions(one, "x"));
    assert_false(reason_mentions(one, "one of"));
    assert_string_equal(reason_argument_text(one, 1), "a");
    assert_null(reason_argument_text(one, 2));
    assert_null(reason_argument_text(one, 3));
}

static void keeps(struct arena *arena, const struct reason *reason, const char *form)
{
    assert_string_equal(reason_encode(arena, reason), form);
    assert_true(reason_equal(reason_decode(arena, form), reason));
}

static void a_reason_is_kept_as_it_is(void **state)
{
    struct arena *arena = *state;

    keeps(arena, NULL, "");
    keeps(arena, REASON(same_on_all_hosts), "[\"same_on_all_hosts\"]");
    keeps(arena, reason(arena, about, "a\"b\\c", reason(arena, one_of, "")),
          "[\"about\",\"a\\\"b\\\\c\",[\"one_of\",\"\"]]");
    keeps(arena, reason(arena, about, (const struct reason *)NULL, "x"), "[\"about\",null,\"x\"]");
    keeps(arena, reason(arena, text, "345 GB/s"), "345 GB/s");
    /* What a tool printed is never taken for words of ours. */
    keeps(arena, reason(arena, text, "same on all hosts"), "[\"text\",\"same on all hosts\"]");
    keeps(arena, reason(arena, text, "[\"same_on_all_hosts\"]"),
          "[\"text\",\"[\\\"same_on_all_hosts\\\"]\"]");
}

static void what_is_no_form_is_the_text_that_it_is(void **state)
{
    static const char *const texts[] = {"[\"about\",\"a\"]",
                                        "[\"about\",\"a\",\"b\",\"c\"]",
                                        "[\"no_such_code\"]",
                                        "[\"about\",\"a\",\"b\"] x",
                                        "[\"about\",\"a\",\"b\"",
                                        "[\"about\",\"a\",1]",
                                        "[",
                                        "[]",
                                        "\"about\"",
                                        "12.1 GB/s is below 345 GB/s",
                                        "[\"about\",\"a\",[\"about\"]"};

    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        const struct reason *read = reason_decode(*state, texts[i]);

        assert_true(reason_is(read, text));
        assert_string_equal(reason_english(*state, read), texts[i]);
    }
}

static void a_text_of_an_old_database_that_is_a_sentence_is_that_sentence(void **state)
{
    assert_ptr_equal(reason_decode(*state, "same on all hosts"), REASON(same_on_all_hosts));
}

static void depth_is_bounded_and_loses_no_word(void **state)
{
    struct arena *arena = *state;
    const struct reason *deep = reason(arena, text, "x");
    char form[4096] = "";

    for (size_t i = 0; i < 100; i++)
        deep = reason(arena, noted, deep, "y");
    assert_in_range(deep->depth, 1, 24);
    assert_int_equal(strlen(reason_english(arena, deep)), 1 + 100 * strlen(" (y)"));
    assert_true(reason_equal(reason_decode(arena, reason_encode(arena, deep)), deep));
    for (size_t i = 0; i < 100; i++)
        strcat(form, "[\"one_of\",");
    assert_true(reason_is(reason_decode(arena, form), text));
}

static void a_list_that_grows_is_not_deep(void **state)
{
    struct arena *arena = *state;
    const struct reason *all = NULL;

    for (size_t i = 0; i < 1000; i++)
        all = reason_also(arena, all, reason(arena, text, i));
    assert_in_range(all->depth, 1, 16);
    assert_memory_equal(reason_english(arena, all), "0; 1; 2; 3; 4; 5;", 17);
    assert_true(reason_equal(reason_decode(arena, reason_encode(arena, all)), all));
}

static void json_has_the_words_the_code_and_the_arguments(void **state)
{
    struct json_writer writer;
    struct text out;

    text_init(&out, 1 << 16);
    json_writer_init(&writer, &out, true);
    json_open_object(&writer);
    reason_write(*state, &writer, "cause", reason(*state, about, "node3", reason(*state, one_of, "a|b")));
    reason_write(*state, &writer, "remedy", NULL);
    json_close_object(&writer);
    assert_string_equal(
        out.bytes,
        "{\"cause\": \"node3: one of a|b\", \"cause_code\": \"about\", \"cause_args\": [\"node3\", "
        "{\"code\": \"one_of\", \"args\": [\"a|b\"]}], \"remedy\": \"\", \"remedy_code\": \"\", "
        "\"remedy_args\": []}");
    text_release(&out);
}

static const char *shout(void *context, const char *text)
{
    return strcmp(text, "quiet") == 0 ? context : text;
}

static void each_text_of_a_reason_can_be_changed(void **state)
{
    struct arena *arena = *state;
    const struct reason *before = reason(arena, about, "quiet", reason(arena, one_of, "quiet"));

    assert_string_equal(reason_english(arena, reason_map(arena, before, shout, "LOUD")), "LOUD: one of LOUD");
    assert_string_equal(reason_english(arena, before), "quiet: one of quiet");
    assert_ptr_equal(reason_word(arena, "not run"), REASON(word_not_run));
    assert_true(reason_is(reason_word(arena, "no word of ours"), text));
}

/* A host says codes of script.def, and nothing else in our words. */
static void a_script_says_codes_and_whatever_else_it_prints_is_a_text(void **state)
{
    static const char *const cases[][3] = {
        {"\n  \nno_space_but_kib\t12\n", "no space: 12 KiB", "空间不足：仅 12 KiB"},
        {"no_such_line_in_limits\n", "no such line in /proc/self/limits", "/proc/self/limits 中没有这一行"},
        {"smart_log_failed\tno such device\t2\n", "nvme smart-log: no such device, exit status 2",
         "nvme smart-log：no such device，退出状态 2"},
        {"no_space_but_kib\n", "no_space_but_kib", "no_space_but_kib"},               /* too few */
        {"no_space_but_kib\t1\t2\n", "no_space_but_kib 1 2", "no_space_but_kib 1 2"}, /* too many */
        {"word_pass\n", "word_pass", "word_pass"}, /* of another part of the house */
        {" bash: fio: command not found\n", "bash: fio: command not found", "bash: fio: command not found"},
        {"\n\n", "", ""},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const struct reason *said = script_complaint(*state, slice_of(cases[i][0]));

        assert_string_equal(reason_said(*state, LANGUAGE_EN, said), cases[i][1]);
        assert_string_equal(reason_said(*state, LANGUAGE_ZH, said), cases[i][2]);
    }
}

static void the_line_of_a_reason_is_read_back_as_that_reason(void **state)
{
    const struct reason *made = reason(*state, no_space_for_tools, "/var/tmp/a b", 3, 70);
    const char *line = script_line(*state, made);

    assert_string_equal(line, "no_space_for_tools\t/var/tmp/a b\t3\t70");
    assert_true(reason_equal(script_reason(*state, slice_of(line), script_sentences), made));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_language_shows_every_argument_once_and_no_other),
        cmocka_unit_test(no_two_sentences_say_the_same),
        cmocka_unit_test(a_reason_is_said_in_each_language_with_its_arguments),
        cmocka_unit_test(what_nobody_translates_is_marked_as_foreign),
        cmocka_unit_test(texts_are_one_line_and_what_a_tool_printed_is_cut_at_a_character),
        cmocka_unit_test(equal_means_the_same_sentence_and_arguments),
        cmocka_unit_test(a_reason_is_kept_as_it_is),
        cmocka_unit_test(what_is_no_form_is_the_text_that_it_is),
        cmocka_unit_test(a_text_of_an_old_database_that_is_a_sentence_is_that_sentence),
        cmocka_unit_test(depth_is_bounded_and_loses_no_word),
        cmocka_unit_test(a_list_that_grows_is_not_deep),
        cmocka_unit_test(json_has_the_words_the_code_and_the_arguments),
        cmocka_unit_test(each_text_of_a_reason_can_be_changed),
        cmocka_unit_test(a_script_says_codes_and_whatever_else_it_prints_is_a_text),
        cmocka_unit_test(the_line_of_a_reason_is_read_back_as_that_reason),
    };

    return cmocka_run_group_tests(tests, arena_begin, arena_end);
}
