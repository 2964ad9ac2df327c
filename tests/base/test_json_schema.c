/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "../unit_test.h"
#include "assay/base/json.h"

static const char schema_text[] =
    "{\"type\": \"object\", \"required\": [\"name\"], \"additionalProperties\": false,\n"
    " \"properties\": {\n"
    "  \"name\": {\"type\": \"string\", \"minLength\": 1, \"pattern\": \"^[a-z]+$\", \"examples\": "
    "[\"abc\"]},\n"
    "  \"count\": {\"type\": \"integer\", \"minimum\": 1, \"maximum\": 8},\n"
    "  \"share\": {\"type\": \"number\", \"exclusiveMinimum\": 0},\n"
    "  \"scope\": {\"enum\": [\"host\", \"pair\", \"cluster\"]},\n"
    "  \"kind\": {\"const\": \"x\"},\n"
    "  \"sizes\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/size\"}, \"minItems\": 1, "
    "\"uniqueItems\": true},\n"
    "  \"either\": {\"anyOf\": [{\"type\": \"null\"}, {\"type\": \"object\", \"additionalProperties\": "
    "false,\n"
    "     \"properties\": {\"deep\": {\"type\": \"boolean\"}}}]},\n"
    "  \"one\": {\"oneOf\": [{\"type\": \"number\"}, {\"type\": \"integer\"}]},\n"
    "  \"environment\": {\"type\": \"object\", \"patternProperties\": {\"^X_\": {\"type\": \"string\"}}, "
    "\"additionalProperties\": {\"type\": \"number\"}}\n"
    " },\n"
    " \"$defs\": {\"size\": {\"type\": [\"string\", \"integer\"]}}}";

/* NULL: accepted; otherwise the message. */
static const struct {
    const char *text, *message;
} cases[] = {
    {"{\"name\": \"abc\"}", NULL},
    {"{\"name\": \"abc\", \"count\": 8, \"share\": 0.5, \"scope\": \"pair\", \"kind\": \"x\", \"sizes\": "
     "[\"8G\", "
     "5], \"either\": null, \"environment\": {\"X_A\": \"1\", \"B\": 2}}",
     NULL},
    {"{\"name\": \"abc\", \"either\": {\"deep\": true}}", NULL},
    {"[]", "t.json:1:1: the document is an empty list; expected an object"},
    {"{}", "t.json:1:1: the document has no \"name\"; expected that key"},
    {"{\"nmae\": \"abc\"}",
     "t.json:1:2: unknown key \"nmae\" in the document; did you mean \"name\"? The keys here "
     "are name, count, share, scope, kind, sizes, either, one, environment"},
    {"{\"name\": 5}", "t.json:1:10: name is 5; expected a string such as \"abc\""},
    {"{\"name\": \"\"}", "t.json:1:10: name is \"\"; expected a string of at least 1 character"},
    {"{\"name\": \"A\"}", "t.json:1:10: name is \"A\"; expected a string such as \"abc\" (pattern ^[a-z]+$)"},
    {"{\"name\": \"a\\n\"}",
     "t.json:1:10: name is \"a\\n\"; expected a string such as \"abc\" (pattern ^[a-z]+$)"},
    {"{\"name\": \"a\",\n \"count\": 1.5}", "t.json:2:11: count is 1.5; expected a whole number"},
    {"{\"name\": \"a\",\n \"count\": 0}", "t.json:2:11: count is 0; expected 1 or more"},
    {"{\"name\": \"a\",\n \"count\": 9}", "t.json:2:11: count is 9; expected 8 or less"},
    {"{\"name\": \"a\", \"share\": 0}", "t.json:1:24: share is 0; expected more than 0"},
    {"{\"name\": \"a\", \"scope\": \"hots\"}",
     "t.json:1:24: scope is \"hots\"; expected \"host\", \"pair\" or "
     "\"cluster\"; did you mean \"host\"?"},
    {"{\"name\": \"a\", \"scope\": 1}",
     "t.json:1:24: scope is 1; expected \"host\", \"pair\" or \"cluster\""},
    {"{\"name\": \"a\", \"kind\": \"y\"}", "t.json:1:23: kind is \"y\"; expected \"x\""},
    {"{\"name\": \"a\", \"sizes\": []}",
     "t.json:1:24: sizes is an empty list; expected a list of at least 1"},
    {"{\"name\": \"a\", \"sizes\": [1, true]}",
     "t.json:1:28: sizes[1] is true; expected a string or a whole number"},
    {"{\"name\": \"a\", \"sizes\": [1, 1]}",
     "t.json:1:28: sizes[1] is 1; expected each only once; first on line 1"},
    {"{\"name\": \"a\", \"either\": 3}", "t.json:1:25: either is 3; expected null or an object"},
    {"{\"name\": \"a\", \"either\": {\"deep\": 1}}", "t.json:1:34: either.deep is 1; expected true or false"},
    {"{\"name\": \"a\", \"either\": {\"depe\": true}}",
     "t.json:1:26: unknown key \"depe\" in either; did you mean \"deep\"? The keys here are deep"},
    {"{\"name\": \"a\", \"one\": 1.5}", NULL},
    {"{\"name\": \"a\", \"one\": 1}",
     "t.json:1:22: one is 1; expected only one of a number or a whole number; these are 2 of them"},
    {"{\"name\": \"a\", \"environment\": {\"X_A\": 1}}",
     "t.json:1:38: environment.X_A is 1; expected a string"},
    {"{\"name\": \"a\", \"environment\": {\"B\": \"1\"}}",
     "t.json:1:36: environment.B is \"1\"; expected a number"},
};

static void documents_are_told_what_was_expected(void **state)
{
    struct arena *arena = arena_create();
    struct error err = {0};
    struct json *schema = json_parse(arena, "s.json", schema_text, strlen(schema_text), &err);

    (void)state;
    assert_non_null(schema);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct json *value = json_parse(arena, "t.json", cases[i].text, strlen(cases[i].text), &err);

        err = (struct error){0};
        assert_non_null(value);
        assert_int_equal(json_schema_check(schema, value, &err), cases[i].message == NULL ? 0 : -1);
        assert_string_equal(err.text, cases[i].message == NULL ? "" : cases[i].message);
        assert_int_equal(err.code, cases[i].message == NULL ? ERROR_NONE : ERROR_USAGE);
    }
    arena_destroy(arena);
}

static void a_schema_that_is_not_understood_checks_nothing(void **state)
{
    static const char *const broken[] = {
        "{\"maxLength\": 3}",
        "{\"properties\": {\"never\": {\"type\": \"strnig\"}}}",
        "{\"$ref\": \"#/$defs/none\"}",
        "{\"items\": {\"multipleOf\": 2}}",
        "{\"anyOf\": [{\"format\": \"x\"}]}",
        "{\"type\": \"string\", \"pattern\": \"(\"}",
    };
    struct arena *arena = arena_create();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
        struct error err = {0};
        struct json *schema = json_parse(arena, "s.json", broken[i], strlen(broken[i]), &err);
        struct json *value = json_parse(arena, "t.json", "\"x\"", 3, &err);

        assert_int_equal(json_schema_check(schema, value, &err), -1);
        assert_int_equal(err.code, ERROR_INTERNAL);
    }
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_told_what_was_expected),
        cmocka_unit_test(a_schema_that_is_not_understood_checks_nothing),
    };

    return cmocka_run_group_tests_name("json schema", tests, NULL, NULL);
}
