/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../arena_test.h"
#include "assay/base/json.h"

/* A heap copy of exactly these bytes, so that the sanitizer sees one read too many. */
static struct json *parse(struct arena *arena, const char *bytes, size_t length, struct error *err)
{
    char *exact = malloc(length > 0 ? length : 1);
    struct json *root;

    assert_non_null(exact);
    memcpy(exact, bytes, length);
    root = json_parse(arena, "t.json", exact, length, err);
    free(exact);
    return root;
}

static void document_is_read_with_places(void **state)
{
    const char *text = "{\n  \"a\": [1, -2.5e3, \"\xC3\xA9\", true],\n  \"b\": {\"c\": null}\n}\n";
    struct error err = {0};
    struct json *root = parse(*state, text, strlen(text), &err);
    const struct json *a, *c;

    assert_non_null(root);
    assert_int_equal(root->type, JSON_OBJECT);
    assert_int_equal(root->count, 2);
    a = json_get(root, "a");
    assert_int_equal(a->count, 4);
    assert_int_equal(a->line, 2);
    assert_int_equal(a->column, 8);
    assert_int_equal(a->key_line, 2);
    assert_int_equal(a->key_column, 3);
    assert_true(a->items->number == 1);
    assert_true(a->items->next->number == -2500);
    assert_string_equal(a->items->next->next->string, "\xC3\xA9");
    /* Columns count characters, not bytes. */
    assert_int_equal(a->items->next->next->next->column, 25);
    assert_true(a->items->next->next->next->boolean);
    c = json_get(json_get(root, "b"), "c");
    assert_int_equal(c->type, JSON_NULL);
    assert_int_equal(c->line, 3);
    assert_string_equal(c->file, "t.json");
}

static void strings_are_decoded(void **state)
{
    const char *text = "[\"\\u0041\\n\\\\\\\"\\/ \\ud83d\\ude00\"]";
    struct error err = {0};
    struct json *root = parse(*state, text, strlen(text), &err);

    assert_non_null(root);
    assert_string_equal(root->items->string, "A\n\\\"/ \xF0\x9F\x98\x80");
}

static const struct {
    const char *text;
    size_t length; /* 0: strlen */
    const char *message;
} refused[] = {
    {"", 0, "t.json:1:1: the text ends where a value was expected"},
    {" \n", 0, "t.json:2:1: the text ends where a value was expected"},
    {"{} x", 0, "t.json:1:4: found 'x' where the end of the text was expected"},
    {"{}{}", 0, "t.json:1:3: found '{' where the end of the text was expected"},
    {"{\"a\": 1,\n \"a\": 2}", 0, "t.json:2:2: key \"a\" appears twice; first on line 1"},
    {"{\"a\": 1, \"\\u0061\": 2}", 0, "t.json:1:10: key \"a\" appears twice; first on line 1"},
    {"[1,]", 0, "t.json:1:4: found ']' where a value was expected"},
    {"{\"a\":1,}", 0, "t.json:1:8: found '}' where a key in double quotes was expected"},
    {"[1 2]", 0, "t.json:1:4: found '2' where ',' or ']' was expected"},
    {"{a: 1}", 0, "t.json:1:2: found 'a' where a key in double quotes was expected"},
    {"{\"a\" 1}", 0, "t.json:1:6: found '1' where ':' after a key was expected"},
    {"[1", 0, "t.json:1:3: the text ends where ',' or ']' was expected"},
    {"[\"abc", 0, "t.json:1:2: this string has no closing '\"'"},
    {"[\"abc\n\"]", 0, "t.json:1:2: this string has no closing '\"'"},
    {"[\"a\tb\"]", 0, "t.json:1:4: found control byte 0x09 in a string, where it must be escaped"},
    {"[\"a\\x\"]", 0,
     "t.json:1:5: found 'x' where one of \" \\ / b f n r t u after a backslash was expected"},
    {"[\"\\u0000\"]", 0, "t.json:1:9: found \\u0000 in a string, where no NUL may stand"},
    {"[\"a\0b\"]", 7, "t.json:1:4: found control byte 0x00 in a string, where it must be escaped"},
    {"[1]\0", 4, "t.json:1:4: found a NUL byte where the end of the text was expected"},
    {"[\"\\udc00\"]", 0, "t.json:1:9: found the second half of a surrogate pair, \\udc00, without the first"},
    {"[\"\\ud800x\"]", 0, "t.json:1:10: expected the second half of a surrogate pair"},
    {"[\"\xFF\"]", 0, "t.json:1:3: found byte 0xff, which is not UTF-8"},
    {"[\"\xC0\x80\"]", 0, "t.json:1:3: found byte 0xc0, which is not UTF-8"},
    {"[\"\xED\xA0\x80\"]", 0, "t.json:1:3: found byte 0xed, which is not UTF-8"},
    {"[\"\xE2\x82\"]", 0, "t.json:1:3: found byte 0xe2, which is not UTF-8"},
    {"\xEF\xBB\xBF{}", 0, "t.json:1:1: found a byte order mark where a value was expected"},
    {"[9007199254740993]", 0,
     "t.json:1:2: number 9007199254740993 cannot be kept exactly; write it as a string or with fewer digits"},
    {"[18446744073709551615]", 0,
     "t.json:1:2: number 18446744073709551615 cannot be kept exactly; write it as a string or with fewer "
     "digits"},
    {"[0.12345678901234567890]", 0,
     "t.json:1:2: number 0.12345678901234567890 cannot be kept exactly; write it as a string or with fewer "
     "digits"},
    {"[1e999]", 0,
     "t.json:1:2: number 1e999 cannot be kept exactly; write it as a string or with fewer digits"},
    {"[1e-999]", 0,
     "t.json:1:2: number 1e-999 cannot be kept exactly; write it as a string or with fewer digits"},
    {"[01]", 0, "t.json:1:2: found '01' where a number was expected"},
    {"[-]", 0, "t.json:1:2: found '-' where a number was expected"},
    {"[1.]", 0, "t.json:1:2: found '1.' where a number was expected"},
    {"[0x10]", 0, "t.json:1:2: found '0x10' where a number was expected"},
    {"[NaN]", 0, "t.json:1:2: found 'NaN' where a value was expected"},
    {"[+1]", 0, "t.json:1:2: found '+1' where a value was expected"},
    {"[truely]", 0, "t.json:1:2: found 'truely' where a value was expected"},
    {"[1 // x\n]", 0, "t.json:1:4: found '/' where ',' or ']' was expected"},
};

static void wrong_text_is_refused_with_its_place(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
        size_t length = refused[i].length > 0 ? refused[i].length : strlen(refused[i].text);
        struct error err = {0};

        assert_null(parse(*state, refused[i].text, length, &err));
        assert_string_equal(err.text, refused[i].message);
        assert_int_equal(err.code, ERROR_USAGE);
    }
}

static void exact_numbers_are_kept(void **state)
{
    static const struct {
        const char *text;
        double number;
    } kept[] = {{"0", 0},           {"-0.0", 0},      {"9007199254740992", 9007199254740992.0},
                {"0.1", 0.1},       {"1E2", 100},     {"0.30000000000000004", 0.30000000000000004},
                {"26.562", 26.562}, {"1e300", 1e300}, {"100000.00", 100000}};

    for (size_t i = 0; i < ARRAY_SIZE(kept); i++) {
        struct error err = {0};
        struct json *root = parse(*state, kept[i].text, strlen(kept[i].text), &err);

        assert_non_null(root);
        assert_true(root->number == kept[i].number);
    }
}

static void what_is_written_can_be_read_again(void **state)
{
    static const double numbers[] = {
        0.1, 1e300, 26.562, 9007199254740992.0, 9007199254740996.0, 18446744073709551615.0};

    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        struct error err = {0};
        char text[32];
        struct json *root;

        number_text(numbers[i], text, sizeof text);
        root = parse(*state, text, strlen(text), &err);
        assert_non_null(root);
        assert_true(root->number == numbers[i]);
    }
}

/* By trying, from the fewest digits on. */
static void fewest_by_trying(double number, char *text, size_t size)
{
    int digits = 6;

    do
        snprintf(text, size, "%.*g", digits, number);
    while (strtod(text, NULL) != number && digits++ < 17);
}

static void a_number_has_the_fewest_digits(void **state)
{
    (void)state;
    for (long i = 1; i < 300000; i += i < 2000 ? 1 : 37) {
        double x = (double)i, numbers[] = {x / 1e6,  -x / 1e3,       x * 7919 / 100, x / 7,
                                           x / 1e10, x * 1e9 + 0.25, 1 / x,          x * 1e-3 * 1.001};

        for (size_t k = 0; k < ARRAY_SIZE(numbers); k++) {
            char text[32], expected[32];

            if (numbers[k] == floor(numbers[k]))
                continue;
            number_text(numbers[k], text, sizeof text);
            fewest_by_trying(numbers[k], expected, sizeof expected);
            assert_string_equal(text, expected);
        }
    }
}

static void a_cut_document_is_never_another_document(void **state)
{
    const char *text = "{\"a\": [10, 25, \"x\\u00e9\"], \"b\": {\"c\": false}}";

    for (size_t length = 0; length < strlen(text); length++) {
        struct error err = {0};

        assert_null(parse(*state, text, length, &err));
        assert_int_equal(err.code, ERROR_USAGE);
    }
}

static void depth_has_a_limit(void **state)
{
    char text[131];
    struct error err = {0};

    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    assert_null(parse(*state, text, 130, &err));
    assert_string_equal(err.text, "t.json:1:65: lists and objects are nested deeper than 64 levels here");
    assert_non_null(parse(*state, text + 1, 128, &err));
}

static void members_fall_back_only_when_absent_or_of_another_type(void **state)
{
    const char *text = "{\"s\": \"x\", \"n\": 3, \"b\": true}";
    struct error err = {0};
    struct json *root = parse(*state, text, strlen(text), &err);

    assert_string_equal(json_string(root, "s", "y"), "x");
    assert_string_equal(json_string(root, "n", "y"), "y");
    assert_true(json_number(root, "n", 7) == 3);
    assert_true(json_number(root, "none", 7) == 7);
    assert_true(json_boolean(root, "b", false));
    assert_null(json_get(NULL, "s"));
    assert_null(json_get(json_get(root, "s"), "s"));
}

static void file_is_loaded_or_named(void **state)
{
    char path[] = "/tmp/assay-json-XXXXXX";
    int fd = mkstemp(path);
    struct error err = {0};

    assert_true(fd >= 0);
    assert_int_equal(write(fd, "[1, 2]", 6), 6);
    close(fd);
    assert_int_equal(json_load(*state, path, &err)->count, 2);
    unlink(path);
    assert_null(json_load(*state, path, &err));
    assert_non_null(strstr(err.text, path));
}

/* Each difference on a line: path, before, after. */
static const char *differences(struct arena *arena, const char *was, const char *is)
{
    struct json_differences found;
    struct error err;
    const char *text = "";

    json_compare(arena, json_parse(arena, "was", was, strlen(was), &err),
                 json_parse(arena, "is", is, strlen(is), &err), &found);
    for (size_t i = 0; i < found.items.count; i++)
        text = arena_printf(arena, "%s%s: %s, %s\n", text, found.items.items[i].path,
                            found.items.items[i].was, found.items.items[i].is);
    return text;
}

static void differences_are_told_by_their_place(void **state)
{
    assert_string_equal(
        differences(*state, "{\"a\": [1, true, null], \"b\": 2}", "{\"b\": 2.0, \"a\":[1,true,null]}"), "");
    assert_string_equal(
        differences(*state, "{\"a\": {\"b\": 1, \"c\": \"x\"}}", "{\"a\": {\"b\": 2, \"d\": [1]}}"),
        "a.b: 1, 2\na.c: \"x\", nothing\na.d: nothing, [1]\n");
    assert_string_equal(differences(*state, "[1, 2, 3]", "[1, 3]"), "[1]: 2, 3\n[2]: 3, nothing\n");
    assert_string_equal(differences(*state, "{\"a\": 1}", "{\"a\": \"1\"}"), "a: 1, \"1\"\n");
    assert_string_equal(differences(*state, "{\"a\": true}", "{\"a\": false}"), "a: true, false\n");
}

static void items_of_lists_are_known_by_their_names(void **state)
{
    assert_string_equal(differences(*state, "[{\"name\": \"a\", \"x\": 1}, {\"check\": \"b\"}]",
                                    "[{\"check\": \"b\", \"y\": 2}, {\"name\": \"a\", \"x\": 1}]"),
                        "[b].y: nothing, 2\n");
    assert_string_equal(differences(*state, "[{\"metric\": \"m\", \"x\": 1}, {\"metric\": \"m\", \"x\": 2}]",
                                    "[{\"metric\": \"m\", \"x\": 1}, {\"metric\": \"m\", \"x\": 3}]"),
                        "[m, 2].x: 2, 3\n");
    assert_string_equal(differences(*state, "[{\"name\": \"a\"}]", "[]"),
                        "[a]: {\"name\": \"a\"}, nothing\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(document_is_read_with_places),
        ARENA_TEST(strings_are_decoded),
        ARENA_TEST(wrong_text_is_refused_with_its_place),
        ARENA_TEST(exact_numbers_are_kept),
        ARENA_TEST(what_is_written_can_be_read_again),
        ARENA_TEST(a_number_has_the_fewest_digits),
        ARENA_TEST(a_cut_document_is_never_another_document),
        ARENA_TEST(depth_has_a_limit),
        ARENA_TEST(members_fall_back_only_when_absent_or_of_another_type),
        ARENA_TEST(file_is_loaded_or_named),
        ARENA_TEST(differences_are_told_by_their_place),
        ARENA_TEST(items_of_lists_are_known_by_their_names),
    };

    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
