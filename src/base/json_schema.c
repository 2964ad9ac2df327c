/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON Schema, the part that our documents use. A keyword is a row: its name and the function that checks it.
 * Before a value is checked the whole schema is looked through, so that a keyword nobody implements can never
 * be a check left out.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "json_schema_private.h"

#include <pcre2.h>
#include <string.h>

#include "assay/base/options.h"

static int check(const struct schema_checker *checker, const struct json *schema,
                 const struct schema_place *place);

/* --- keywords: 0, or -1 with the message set --- */

static bool equal(const struct json *a, const struct json *b)
{
    const struct json *other = b->items;

    if (a->type != b->type || a->count != b->count)
        return false;
    if (a->type == JSON_STRING)
        return strcmp(a->string, b->string) == 0;
    if (a->type == JSON_NUMBER)
        return a->number == b->number;
    if (a->type == JSON_BOOL)
        return a->boolean == b->boolean;
    json_each (item, a) {
        const struct json *match = a->type == JSON_OBJECT ? json_get(b, item->key) : other;

        if (match == NULL || !equal(item, match))
            return false;
        other = other->next;
    }
    return true;
}

static int check_type(const struct schema_checker *checker, const struct json *argument,
                      const struct json *schema, const struct schema_place *place)
{
    if (argument->type == JSON_STRING && schema_has_type(place->value, argument->string))
        return 0;
    if (argument->type == JSON_ARRAY)
        json_each (name, argument)
            if (schema_has_type(place->value, name->string))
                return 0;
    return schema_refuse_as(checker, place, schema);
}

static int check_enum(const struct schema_checker *checker, const struct json *argument,
                      const struct json *schema, const struct schema_place *place)
{
    const char *words[SCHEMA_KEYS_SHOWN] = {NULL}, *near = NULL;
    struct text expected;
    size_t count = 0;

    json_each (word, argument) {
        if (equal(word, place->value))
            return 0;
        if (word->type == JSON_STRING && count < SCHEMA_KEYS_SHOWN)
            words[count++] = word->string;
    }
    if (place->value->type == JSON_STRING)
        near = nearest_word(place->value->string, words, count);
    if (near == NULL)
        return schema_refuse_as(checker, place, schema);
    text_init(&expected, 600);
    schema_put_expected(checker, &expected, schema);
    schema_refuse(checker, place, "%s; did you mean \"%s\"?", expected.bytes, near);
    text_release(&expected);
    return -1;
}

static int check_const(const struct schema_checker *checker, const struct json *argument,
                       const struct json *schema, const struct schema_place *place)
{
    return equal(argument, place->value) ? 0 : schema_refuse_as(checker, place, schema);
}

static bool is_number(const struct schema_place *place)
{
    return place->value->type == JSON_NUMBER;
}

static int check_minimum(const struct schema_checker *checker, const struct json *argument,
                         const struct json *schema, const struct schema_place *place)
{
    (void)schema;
    return !is_number(place) || place->value->number >= argument->number
               ? 0
               : schema_refuse(checker, place, "%g or more", argument->number);
}

static int check_maximum(const struct schema_checker *checker, const struct json *argument,
                         const struct json *schema, const struct schema_place *place)
{
    (void)schema;
    return !is_number(place) || place->value->number <= argument->number
               ? 0
               : schema_refuse(checker, place, "%g or less", argument->number);
}

static int check_exclusive_minimum(const struct schema_checker *checker, const struct json *argument,
                                   const struct json *schema, const struct schema_place *place)
{
    (void)schema;
    return !is_number(place) || place->value->number > argument->number
               ? 0
               : schema_refuse(checker, place, "more than %g", argument->number);
}

static size_t character_count(const char *string)
{
    size_t count = 0;

    for (; *string != '\0'; string++)
        count += (*string & 0xC0) != 0x80;
    return count;
}

static int check_min_length(const struct schema_checker *checker, const struct json *argument,
                            const struct json *schema, const struct schema_place *place)
{
    (void)schema;
    if (place->value->type != JSON_STRING ||
        (double)character_count(place->value->string) >= argument->number)
        return 0;
    return schema_refuse(checker, place, "a string of at least %g character%s", argument->number,
                         argument->number == 1 ? "" : "s");
}

/* 1: matches, 0: does not, -1 with err set: the pattern is no pattern. */
static int pattern_matches(const struct schema_checker *checker, const struct json *at, const char *pattern,
                           const char *subject)
{
    PCRE2_SIZE offset;
    int code, result;
    pcre2_code *compiled = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                                         PCRE2_UTF | PCRE2_DOLLAR_ENDONLY, &code, &offset, NULL);
    pcre2_match_data *data;

    if (compiled == NULL)
        return schema_broken(checker, at, "not a regular expression");
    data = pcre2_match_data_create_from_pattern(compiled, NULL);
    result = pcre2_match(compiled, (PCRE2_SPTR)subject, PCRE2_ZERO_TERMINATED, 0, 0, data, NULL);
    pcre2_match_data_free(data);
    pcre2_code_free(compiled);
    if (result < 0 && result != PCRE2_ERROR_NOMATCH)
        return schema_broken(checker, at, "a regular expression that cannot be decided");
    return result >= 0;
}

static int check_pattern(const struct schema_checker *checker, const struct json *argument,
                         const struct json *schema, const struct schema_place *place)
{
    struct text expected;
    int matches;

    if (place->value->type != JSON_STRING)
        return 0;
    matches = pattern_matches(checker, argument, argument->string, place->value->string);
    if (matches != 0)
        return matches < 0 ? -1 : 0;
    text_init(&expected, 600);
    schema_put_expected(checker, &expected, schema);
    schema_refuse(checker, place, "%s (pattern %s)", expected.bytes, argument->string);
    text_release(&expected);
    return -1;
}

static int check_items(const struct schema_checker *checker, const struct json *argument,
                       const struct json *schema, const struct schema_place *place)
{
    size_t index = 0;
    int result = 0;

    (void)schema;
    if (place->value->type != JSON_ARRAY)
        return 0;
    json_each (item, place->value) {
        struct schema_place below = {place, item, index++};

        if (check(checker, argument, &below) < 0)
            result = -1;
    }
    return result;
}

static int check_min_items(const struct schema_checker *checker, const struct json *argument,
                           const struct json *schema, const struct schema_place *place)
{
    (void)schema;
    return place->value->type != JSON_ARRAY || (double)place->value->count >= argument->number
               ? 0
               : schema_refuse(checker, place, "a list of at least %g", argument->number);
}

static int check_unique_items(const struct schema_checker *checker, const struct json *argument,
                              const struct json *schema, const struct schema_place *place)
{
    size_t index = 0;

    (void)schema;
    if (place->value->type != JSON_ARRAY || !argument->boolean)
        return 0;
    json_each (item, place->value) {
        struct schema_place below = {place, item, index++};

        for (const struct json *earlier = place->value->items; earlier != item; earlier = earlier->next)
            if (equal(earlier, item))
                return schema_refuse(checker, &below, "each only once; first on line %u", earlier->line);
    }
    return 0;
}

static int check_required(const struct schema_checker *checker, const struct json *argument,
                          const struct json *schema, const struct schema_place *place)
{
    struct text where;
    int result = 0;

    (void)schema;
    if (place->value->type != JSON_OBJECT)
        return 0;
    text_init(&where, 400);
    schema_put_place(&where, place);
    json_each (name, argument)
        if (json_get(place->value, name->string) == NULL)
            result = json_error_add(checker->err, place->value, "%s has no \"%s\"; expected that key",
                                    where.bytes, name->string);
    text_release(&where);
    return result;
}

/* patternProperties that match the member; *ret_matched when one did. */
static int check_patterns(const struct schema_checker *checker, const struct json *schema,
                          const struct schema_place *below, bool *ret_matched)
{
    json_each (pattern, json_get(schema, "patternProperties")) {
        int matches = pattern_matches(checker, pattern, pattern->key, below->value->key);

        *ret_matched |= matches > 0;
        if (matches < 0 || (matches > 0 && check(checker, pattern, below) < 0))
            return -1;
    }
    return 0;
}

/* One member. *ret_unknown when the schema has no such key. */
static int check_member(const struct schema_checker *checker, const struct json *schema,
                        const struct schema_place *place, const struct json *member, bool *ret_unknown)
{
    const struct json *known = json_get(json_get(schema, "properties"), member->key);
    const struct json *additional = json_get(schema, "additionalProperties");
    struct schema_place below = {place, member, 0};
    bool matched = known != NULL;

    if ((known != NULL && check(checker, known, &below) < 0) ||
        check_patterns(checker, schema, &below, &matched) < 0)
        return -1;
    if (matched || additional == NULL)
        return 0;
    if (additional->type != JSON_BOOL || additional->boolean)
        return check(checker, additional, &below);
    *ret_unknown = true;
    return schema_refuse_key(checker, schema, place, member);
}

/* properties, patternProperties and additionalProperties belong together: one walk over the members. */
static int check_members(const struct schema_checker *checker, const struct json *schema,
                         const struct schema_place *place, bool *ret_unknown)
{
    int result = 0;

    if (place->value->type != JSON_OBJECT)
        return 0;
    json_each (member, place->value)
        if (check_member(checker, schema, place, member, ret_unknown) < 0)
            result = -1;
    return result;
}

/* The alternative of the value's own type says best what is wrong; without one, all are named. */
static int refuse_alternatives(const struct schema_checker *checker, const struct json *alternatives,
                               const struct schema_place *place)
{
    const struct json *fitting = NULL;
    struct text expected;
    size_t count = 0;

    json_each (alternative, alternatives) {
        if (schema_type_fits(checker, alternative, place->value)) {
            fitting = alternative;
            count++;
        }
    }
    if (count == 1)
        return check(checker, fitting, place);
    text_init(&expected, 600);
    schema_put_alternatives(checker, &expected, alternatives);
    schema_refuse(checker, place, "%s", expected.bytes);
    text_release(&expected);
    return -1;
}

static int check_any_of(const struct schema_checker *checker, const struct json *argument,
                        const struct json *schema, const struct schema_place *place)
{
    struct error ignored = {0};
    struct schema_checker quiet = {checker->root, &ignored};

    (void)schema;
    json_each (alternative, argument) {
        if (check(&quiet, alternative, place) == 0)
            return 0;
        if (ignored.code == ERROR_INTERNAL)
            return error_set(checker->err, ignored.code, "%s", ignored.text);
    }
    return refuse_alternatives(checker, argument, place);
}

static int check_one_of(const struct schema_checker *checker, const struct json *argument,
                        const struct json *schema, const struct schema_place *place)
{
    struct error ignored = {0};
    struct schema_checker quiet = {checker->root, &ignored};
    struct text expected;
    size_t matches = 0;

    (void)schema;
    json_each (alternative, argument) {
        if (check(&quiet, alternative, place) == 0)
            matches++;
        else if (ignored.code == ERROR_INTERNAL)
            return error_set(checker->err, ignored.code, "%s", ignored.text);
    }
    if (matches == 1)
        return 0;
    if (matches == 0)
        return refuse_alternatives(checker, argument, place);
    text_init(&expected, 600);
    schema_put_alternatives(checker, &expected, argument);
    schema_refuse(checker, place, "only one of %s; these are %zu of them", expected.bytes, matches);
    text_release(&expected);
    return -1;
}

static int check_reference(const struct schema_checker *checker, const struct json *argument,
                           const struct json *schema, const struct schema_place *place)
{
    const struct json *target = schema_resolve(checker, schema);

    if (target == NULL)
        return schema_broken(checker, argument, "$ref leads nowhere");
    return check(checker, target, place);
}

enum argument { WORDS, NUMBER, TEXT, BOOLEAN, SCHEMA, SCHEMAS, SCHEMA_OBJECT, TYPE_NAMES, ANYTHING };

/* In the order in which they are checked: what kind of thing it is comes first. */
static const struct keyword {
    const char *name;
    enum argument argument;
    int (*check)(const struct schema_checker *, const struct json *argument, const struct json *schema,
                 const struct schema_place *); /* NULL: says nothing of values, or check_members does it */
} keywords[] = {
    {"$ref", TEXT, check_reference},
    {"type", TYPE_NAMES, check_type},
    {"enum", ANYTHING, check_enum},
    {"const", ANYTHING, check_const},
    {"minLength", NUMBER, check_min_length},
    {"pattern", TEXT, check_pattern},
    {"minimum", NUMBER, check_minimum},
    {"maximum", NUMBER, check_maximum},
    {"exclusiveMinimum", NUMBER, check_exclusive_minimum},
    {"minItems", NUMBER, check_min_items},
    {"uniqueItems", BOOLEAN, check_unique_items},
    {"items", SCHEMA, check_items},
    {"required", WORDS, check_required},
    {"anyOf", SCHEMAS, check_any_of},
    {"oneOf", SCHEMAS, check_one_of},
    {"properties", SCHEMA_OBJECT, NULL},
    {"patternProperties", SCHEMA_OBJECT, NULL},
    {"additionalProperties", SCHEMA, NULL},
    {"$defs", SCHEMA_OBJECT, NULL},
    {"$schema", TEXT, NULL},
    {"$id", TEXT, NULL},
    {"$comment", TEXT, NULL},
    {"title", TEXT, NULL},
    {"description", TEXT, NULL},
    {"default", ANYTHING, NULL},
    {"examples", ANYTHING, NULL},
};

enum { KEYWORD_COUNT = ARRAY_SIZE(keywords) };

static int check(const struct schema_checker *checker, const struct json *schema,
                 const struct schema_place *place)
{
    bool unknown = false;
    int result = 0;

    if (schema->type == JSON_BOOL)
        return schema->boolean ? 0 : schema_refuse(checker, place, "nothing here");
    if (schema_type_fits(checker, schema, place->value))
        result = check_members(checker, schema, place, &unknown);
    /* Besides an unknown key no missing one is told: it often is that one, misspelt. */
    for (size_t i = 0; i < KEYWORD_COUNT && !unknown; i++) {
        const struct json *argument = keywords[i].check != NULL ? json_get(schema, keywords[i].name) : NULL;

        if (argument != NULL && keywords[i].check(checker, argument, schema, place) < 0)
            return -1;
    }
    return result;
}

/* --- the schema itself --- */

static int audit(const struct schema_checker *checker, const struct json *schema);

static int audit_types(const struct schema_checker *checker, const struct json *argument)
{
    if (argument->type == JSON_STRING && schema_type_words(argument->string) != NULL)
        return 0;
    if (argument->type != JSON_ARRAY || argument->count == 0)
        return schema_broken(checker, argument, "not the name of a type");
    json_each (name, argument)
        if (name->type != JSON_STRING || schema_type_words(name->string) == NULL)
            return schema_broken(checker, name, "not the name of a type");
    return 0;
}

static int audit_all(const struct schema_checker *checker, const struct json *list, enum json_type type)
{
    if (list->type != type)
        return schema_broken(checker, list, "not a group of schemas");
    json_each (schema, list)
        if (audit(checker, schema) < 0)
            return -1;
    return 0;
}

static int audit_argument(const struct schema_checker *checker, enum argument kind,
                          const struct json *argument)
{
    switch (kind) {
    case WORDS:
        if (argument->type != JSON_ARRAY)
            return schema_broken(checker, argument, "not a list of keys");
        json_each (word, argument)
            if (word->type != JSON_STRING)
                return schema_broken(checker, word, "not a key");
        return 0;
    case NUMBER:
        return argument->type == JSON_NUMBER ? 0 : schema_broken(checker, argument, "not a number");
    case TEXT:
        return argument->type == JSON_STRING ? 0 : schema_broken(checker, argument, "not a string");
    case BOOLEAN:
        return argument->type == JSON_BOOL ? 0 : schema_broken(checker, argument, "not true or false");
    case SCHEMA:
        return audit(checker, argument);
    case SCHEMAS:
        return audit_all(checker, argument, JSON_ARRAY);
    case SCHEMA_OBJECT:
        return audit_all(checker, argument, JSON_OBJECT);
    case TYPE_NAMES:
        return audit_types(checker, argument);
    case ANYTHING:
    default:
        return 0;
    }
}

static int audit(const struct schema_checker *checker, const struct json *schema)
{
    if (schema->type == JSON_BOOL)
        return 0;
    if (schema->type != JSON_OBJECT)
        return schema_broken(checker, schema, "not a schema");
    json_each (member, schema) {
        const struct keyword *known = NULL;

        for (size_t i = 0; i < KEYWORD_COUNT && known == NULL; i++)
            if (strcmp(keywords[i].name, member->key) == 0)
                known = &keywords[i];
        if (known == NULL)
            return schema_broken(checker, member, "a keyword that the checker does not know");
        if (audit_argument(checker, known->argument, member) < 0)
            return -1;
    }
    if (json_get(schema, "$ref") != NULL && schema_resolve(checker, schema) == NULL)
        return schema_broken(checker, json_get(schema, "$ref"), "$ref leads nowhere");
    return 0;
}

int json_schema_check(const struct json *schema, const struct json *value, struct error *err)
{
    struct schema_checker checker = {schema, err};
    struct schema_place place = {.value = value};

    return audit(&checker, schema) < 0 ? -1 : check(&checker, schema, &place);
}
