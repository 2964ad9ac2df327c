/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON Schema, the part that our documents use. A keyword is a row: its name and the function that checks it.
 * Before a value is checked the whole schema is looked through, so that a keyword nobody implements can never
 * be a check left out.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <math.h>
#include <pcre2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/cleanup.h"
#include "assay/json.h"
#include "assay/options.h"

enum { KEYS_SHOWN = 48 };

/* Where the value stands in the document, for messages: the chain of what contains it. */
struct place {
    const struct place *above;
    const struct json *value;
    size_t index; /* in the list above */
};

struct checker {
    const struct json *root; /* of the schema, for $ref */
    struct error *err;
};

static int check(const struct checker *checker, const struct json *schema, const struct place *place);

static int broken_schema(const struct checker *checker, const struct json *at, const char *what)
{
    return error_set(checker->err, ERROR_INTERNAL, "%s:%u:%u: schema: %s", at->file, at->line, at->column,
                     what);
}

/* --- words for messages --- */

static void describe_value(struct text *out, const struct json *value)
{
    char number[32];

    switch (value->type) {
    case JSON_STRING:
        text_printf(out, "\"%.80s\"", value->string);
        break;
    case JSON_NUMBER:
        text_put(out, number_text(value->number, number, sizeof number));
        break;
    case JSON_BOOL:
        text_put(out, value->boolean ? "true" : "false");
        break;
    case JSON_ARRAY:
        text_put(out, value->count > 0 ? "a list" : "an empty list");
        break;
    case JSON_OBJECT:
        text_put(out, "an object");
        break;
    case JSON_NULL:
    default:
        text_put(out, "null");
    }
}

/* "steps"[2]."timeout" */
static void describe_place(struct text *out, const struct place *place)
{
    if (place->above == NULL) {
        text_put(out, "the document");
        return;
    }
    if (place->above->above != NULL) {
        describe_place(out, place->above);
        if (place->value->key != NULL)
            text_put(out, ".");
    }
    if (place->value->key != NULL)
        text_put(out, place->value->key);
    else
        text_printf(out, "[%zu]", place->index);
}

static const struct {
    const char *name, *words;
    enum json_type type;
} types[] = {{"null", "null", JSON_NULL},         {"boolean", "true or false", JSON_BOOL},
             {"number", "a number", JSON_NUMBER}, {"integer", "a whole number", JSON_NUMBER},
             {"string", "a string", JSON_STRING}, {"array", "a list", JSON_ARRAY},
             {"object", "an object", JSON_OBJECT}};

enum { TYPE_COUNT = sizeof types / sizeof types[0] };

static const char *type_words(const char *name)
{
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i].words;
    return NULL;
}

static bool has_type(const struct json *value, const char *name)
{
    if (strcmp(name, "integer") == 0)
        return value->type == JSON_NUMBER && value->number == floor(value->number);
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (strcmp(types[i].name, name) == 0)
            return value->type == types[i].type;
    return false;
}

static void describe_list(struct text *out, const struct json *list,
                          void (*describe)(struct text *, const struct json *))
{
    size_t index = 0;

    json_each(item, list)
    {
        if (index > 0)
            text_put(out, index + 1 == list->count ? " or " : ", ");
        describe(out, item);
        index++;
    }
}

static void describe_type(struct text *out, const struct json *name)
{
    const char *words = type_words(name->string);

    text_put(out, words != NULL ? words : name->string);
}

static const struct json *resolve(const struct checker *checker, const struct json *schema)
{
    const char *reference = json_string(schema, "$ref", NULL);

    if (reference == NULL || strncmp(reference, "#/$defs/", 8) != 0)
        return NULL;
    return json_get(json_get(checker->root, "$defs"), reference + 8);
}

/* "floor" with "unit" */
static void describe_required(struct text *out, const struct json *required)
{
    const char *between = "";

    json_each(name, required)
    {
        text_printf(out, "%s\"%s\"", between, name->string);
        between = " with ";
    }
}

static void describe_expected(const struct checker *checker, struct text *out, const struct json *schema)
{
    const struct json *target = resolve(checker, schema);
    const struct json *words = json_get(schema, "enum"), *constant = json_get(schema, "const");
    const struct json *type = json_get(schema, "type"), *pattern = json_get(schema, "pattern");
    const struct json *required = json_get(schema, "required");

    if (target != NULL)
        describe_expected(checker, out, target);
    else if (words != NULL)
        describe_list(out, words, describe_value);
    else if (constant != NULL)
        describe_value(out, constant);
    else if (type != NULL && type->type == JSON_ARRAY)
        describe_list(out, type, describe_type);
    else if (type != NULL)
        describe_type(out, type);
    else if (required != NULL)
        describe_required(out, required);
    else
        text_put(out, "another value");
    if (pattern != NULL && json_get(schema, "examples") != NULL) {
        text_put(out, " such as ");
        describe_list(out, json_get(schema, "examples"), describe_value);
    }
}

/* "FILE:L:C: PLACE is VALUE; expected ..." */
static int refuse(const struct checker *checker, const struct place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int refuse(const struct checker *checker, const struct place *place, const char *format, ...)
{
    struct text text;
    va_list arguments;

    text_init(&text, 900);
    describe_place(&text, place);
    text_put(&text, " is ");
    describe_value(&text, place->value);
    text_put(&text, "; expected ");
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    json_error(checker->err, place->value, "%s", text.bytes);
    text_release(&text);
    return -1;
}

static int refuse_as(const struct checker *checker, const struct place *place, const struct json *schema)
{
    struct text expected;

    text_init(&expected, 600);
    describe_expected(checker, &expected, schema);
    refuse(checker, place, "%s", expected.bytes);
    text_release(&expected);
    return -1;
}

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
    json_each(item, a)
    {
        const struct json *match = a->type == JSON_OBJECT ? json_get(b, item->key) : other;

        if (match == NULL || !equal(item, match))
            return false;
        other = other->next;
    }
    return true;
}

static int check_type(const struct checker *checker, const struct json *argument, const struct json *schema,
                      const struct place *place)
{
    if (argument->type == JSON_STRING && has_type(place->value, argument->string))
        return 0;
    if (argument->type == JSON_ARRAY)
        json_each(name, argument) if (has_type(place->value, name->string)) return 0;
    return refuse_as(checker, place, schema);
}

static int check_enum(const struct checker *checker, const struct json *argument, const struct json *schema,
                      const struct place *place)
{
    const char *words[KEYS_SHOWN] = {NULL}, *near = NULL;
    struct text expected;
    size_t count = 0;

    json_each(word, argument)
    {
        if (equal(word, place->value))
            return 0;
        if (word->type == JSON_STRING && count < KEYS_SHOWN)
            words[count++] = word->string;
    }
    if (place->value->type == JSON_STRING)
        near = nearest_word(place->value->string, words, count);
    if (near == NULL)
        return refuse_as(checker, place, schema);
    text_init(&expected, 600);
    describe_expected(checker, &expected, schema);
    refuse(checker, place, "%s; did you mean \"%s\"?", expected.bytes, near);
    text_release(&expected);
    return -1;
}

static int check_const(const struct checker *checker, const struct json *argument, const struct json *schema,
                       const struct place *place)
{
    return equal(argument, place->value) ? 0 : refuse_as(checker, place, schema);
}

static bool is_number(const struct place *place)
{
    return place->value->type == JSON_NUMBER;
}

static int check_minimum(const struct checker *checker, const struct json *argument,
                         const struct json *schema, const struct place *place)
{
    (void)schema;
    return !is_number(place) || place->value->number >= argument->number
               ? 0
               : refuse(checker, place, "%g or more", argument->number);
}

static int check_maximum(const struct checker *checker, const struct json *argument,
                         const struct json *schema, const struct place *place)
{
    (void)schema;
    return !is_number(place) || place->value->number <= argument->number
               ? 0
               : refuse(checker, place, "%g or less", argument->number);
}

static int check_exclusive_minimum(const struct checker *checker, const struct json *argument,
                                   const struct json *schema, const struct place *place)
{
    (void)schema;
    return !is_number(place) || place->value->number > argument->number
               ? 0
               : refuse(checker, place, "more than %g", argument->number);
}

static size_t character_count(const char *string)
{
    size_t count = 0;

    for (; *string != '\0'; string++)
        count += (*string & 0xC0) != 0x80;
    return count;
}

static int check_min_length(const struct checker *checker, const struct json *argument,
                            const struct json *schema, const struct place *place)
{
    (void)schema;
    if (place->value->type != JSON_STRING ||
        (double)character_count(place->value->string) >= argument->number)
        return 0;
    return refuse(checker, place, "a string of at least %g character%s", argument->number,
                  argument->number == 1 ? "" : "s");
}

/* 1: matches, 0: does not, -1 with err set: the pattern is no pattern. */
static int pattern_matches(const struct checker *checker, const struct json *at, const char *pattern,
                           const char *subject)
{
    PCRE2_SIZE offset;
    int code, result;
    pcre2_code *compiled = pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED,
                                         PCRE2_UTF | PCRE2_DOLLAR_ENDONLY, &code, &offset, NULL);
    pcre2_match_data *data;

    if (compiled == NULL)
        return broken_schema(checker, at, "not a regular expression");
    data = pcre2_match_data_create_from_pattern(compiled, NULL);
    result = pcre2_match(compiled, (PCRE2_SPTR)subject, PCRE2_ZERO_TERMINATED, 0, 0, data, NULL);
    pcre2_match_data_free(data);
    pcre2_code_free(compiled);
    if (result < 0 && result != PCRE2_ERROR_NOMATCH)
        return broken_schema(checker, at, "a regular expression that cannot be decided");
    return result >= 0;
}

static int check_pattern(const struct checker *checker, const struct json *argument,
                         const struct json *schema, const struct place *place)
{
    struct text expected;
    int matches;

    if (place->value->type != JSON_STRING)
        return 0;
    matches = pattern_matches(checker, argument, argument->string, place->value->string);
    if (matches != 0)
        return matches < 0 ? -1 : 0;
    text_init(&expected, 600);
    describe_expected(checker, &expected, schema);
    refuse(checker, place, "%s (pattern %s)", expected.bytes, argument->string);
    text_release(&expected);
    return -1;
}

static int check_items(const struct checker *checker, const struct json *argument, const struct json *schema,
                       const struct place *place)
{
    size_t index = 0;

    (void)schema;
    if (place->value->type != JSON_ARRAY)
        return 0;
    json_each(item, place->value)
    {
        struct place below = {place, item, index++};

        if (check(checker, argument, &below) < 0)
            return -1;
    }
    return 0;
}

static int check_min_items(const struct checker *checker, const struct json *argument,
                           const struct json *schema, const struct place *place)
{
    (void)schema;
    return place->value->type != JSON_ARRAY || (double)place->value->count >= argument->number
               ? 0
               : refuse(checker, place, "a list of at least %g", argument->number);
}

static int check_unique_items(const struct checker *checker, const struct json *argument,
                              const struct json *schema, const struct place *place)
{
    size_t index = 0;

    (void)schema;
    if (place->value->type != JSON_ARRAY || !argument->boolean)
        return 0;
    json_each(item, place->value)
    {
        struct place below = {place, item, index++};

        for (const struct json *earlier = place->value->items; earlier != item; earlier = earlier->next)
            if (equal(earlier, item))
                return refuse(checker, &below, "each only once; it stands first on line %u", earlier->line);
    }
    return 0;
}

static int check_required(const struct checker *checker, const struct json *argument,
                          const struct json *schema, const struct place *place)
{
    struct text where;
    int result = 0;

    (void)schema;
    if (place->value->type != JSON_OBJECT)
        return 0;
    text_init(&where, 400);
    describe_place(&where, place);
    json_each(name, argument)
    {
        if (json_get(place->value, name->string) == NULL) {
            result = json_error(checker->err, place->value, "%s has no \"%s\"; expected that key",
                                where.bytes, name->string);
            break;
        }
    }
    text_release(&where);
    return result;
}

static int refuse_key(const struct checker *checker, const struct json *schema, const struct place *place,
                      const struct json *member)
{
    const struct json *properties = json_get(schema, "properties");
    const struct json *patterns = json_get(schema, "patternProperties");
    const char *keys[KEYS_SHOWN] = {NULL}, *near;
    struct json at = *member;
    struct text text;
    size_t count = 0;

    json_each(known, properties) if (count < KEYS_SHOWN) keys[count++] = known->key;
    near = nearest_word(member->key, keys, count);
    text_init(&text, 900);
    text_printf(&text, "unknown key \"%.80s\" in ", member->key);
    describe_place(&text, place);
    if (near != NULL)
        text_printf(&text, "; did you mean \"%s\"?", near);
    if (count > 0)
        text_put(&text, near != NULL ? " The keys here are " : "; the keys here are ");
    else if (patterns != NULL && patterns->items != NULL)
        text_printf(&text, "; expected a key that matches %s", patterns->items->key);
    for (size_t i = 0; i < count; i++)
        text_printf(&text, "%s%s", i > 0 ? ", " : "", keys[i]);
    at.line = member->key_line;
    at.column = member->key_column;
    json_error(checker->err, &at, "%s", text.bytes);
    text_release(&text);
    return -1;
}

/* patternProperties that match the member; *ret_matched when one did. */
static int check_patterns(const struct checker *checker, const struct json *schema, const struct place *below,
                          bool *ret_matched)
{
    json_each(pattern, json_get(schema, "patternProperties"))
    {
        int matches = pattern_matches(checker, pattern, pattern->key, below->value->key);

        if (matches < 0 || (matches > 0 && check(checker, pattern, below) < 0))
            return -1;
        *ret_matched |= matches > 0;
    }
    return 0;
}

/* properties, patternProperties and additionalProperties belong together: one walk over the members. */
static int check_members(const struct checker *checker, const struct json *schema, const struct place *place)
{
    const struct json *properties = json_get(schema, "properties");
    const struct json *additional = json_get(schema, "additionalProperties");

    if (place->value->type != JSON_OBJECT)
        return 0;
    json_each(member, place->value)
    {
        const struct json *known = json_get(properties, member->key);
        struct place below = {place, member, 0};
        bool matched = known != NULL;

        if ((known != NULL && check(checker, known, &below) < 0) ||
            check_patterns(checker, schema, &below, &matched) < 0)
            return -1;
        if (matched || additional == NULL)
            continue;
        if (additional->type == JSON_BOOL && !additional->boolean)
            return refuse_key(checker, schema, place, member);
        if (check(checker, additional, &below) < 0)
            return -1;
    }
    return 0;
}

static bool type_fits(const struct checker *checker, const struct json *schema, const struct json *value)
{
    const struct json *target = resolve(checker, schema), *type;

    if (target != NULL)
        return type_fits(checker, target, value);
    type = json_get(schema, "type");
    if (type == NULL)
        return true;
    if (type->type == JSON_STRING)
        return has_type(value, type->string);
    json_each(name, type) if (has_type(value, name->string)) return true;
    return false;
}

static void describe_alternatives(const struct checker *checker, struct text *out,
                                  const struct json *alternatives)
{
    size_t index = 0;

    json_each(alternative, alternatives)
    {
        if (index++ > 0)
            text_put(out, index == alternatives->count ? " or " : ", ");
        describe_expected(checker, out, alternative);
    }
}

/* The alternative of the value's own type says best what is wrong; without one, all are named. */
static int refuse_alternatives(const struct checker *checker, const struct json *alternatives,
                               const struct place *place)
{
    const struct json *fitting = NULL;
    struct text expected;
    size_t count = 0;

    json_each(alternative, alternatives)
    {
        if (type_fits(checker, alternative, place->value)) {
            fitting = alternative;
            count++;
        }
    }
    if (count == 1)
        return check(checker, fitting, place);
    text_init(&expected, 600);
    describe_alternatives(checker, &expected, alternatives);
    refuse(checker, place, "%s", expected.bytes);
    text_release(&expected);
    return -1;
}

static int check_any_of(const struct checker *checker, const struct json *argument, const struct json *schema,
                        const struct place *place)
{
    struct error ignored = {0};
    struct checker quiet = {checker->root, &ignored};

    (void)schema;
    json_each(alternative, argument)
    {
        if (check(&quiet, alternative, place) == 0)
            return 0;
        if (ignored.code == ERROR_INTERNAL)
            return error_set(checker->err, ignored.code, "%s", ignored.text);
    }
    return refuse_alternatives(checker, argument, place);
}

static int check_one_of(const struct checker *checker, const struct json *argument, const struct json *schema,
                        const struct place *place)
{
    struct error ignored = {0};
    struct checker quiet = {checker->root, &ignored};
    struct text expected;
    size_t matches = 0;

    (void)schema;
    json_each(alternative, argument)
    {
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
    describe_alternatives(checker, &expected, argument);
    refuse(checker, place, "only one of %s; this is %zu of them", expected.bytes, matches);
    text_release(&expected);
    return -1;
}

static int check_reference(const struct checker *checker, const struct json *argument,
                           const struct json *schema, const struct place *place)
{
    const struct json *target = resolve(checker, schema);

    if (target == NULL)
        return broken_schema(checker, argument, "$ref leads nowhere");
    return check(checker, target, place);
}

enum argument { WORDS, NUMBER, TEXT, BOOLEAN, SCHEMA, SCHEMAS, SCHEMA_OBJECT, TYPE_NAMES, ANYTHING };

/* In the order in which they are checked: what kind of thing it is comes first. */
static const struct keyword {
    const char *name;
    enum argument argument;
    int (*check)(const struct checker *, const struct json *argument, const struct json *schema,
                 const struct place *); /* NULL: says nothing of values, or check_members does it */
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

enum { KEYWORD_COUNT = sizeof keywords / sizeof keywords[0] };

static int check(const struct checker *checker, const struct json *schema, const struct place *place)
{
    if (schema->type == JSON_BOOL)
        return schema->boolean ? 0 : refuse(checker, place, "nothing here");
    /* An unknown key is told before a missing one: it often is that one, misspelt. */
    if (type_fits(checker, schema, place->value) && check_members(checker, schema, place) < 0)
        return -1;
    for (size_t i = 0; i < KEYWORD_COUNT; i++) {
        const struct json *argument = keywords[i].check != NULL ? json_get(schema, keywords[i].name) : NULL;

        if (argument != NULL && keywords[i].check(checker, argument, schema, place) < 0)
            return -1;
    }
    return 0;
}

/* --- the schema itself --- */

static int audit(const struct checker *checker, const struct json *schema);

static int audit_types(const struct checker *checker, const struct json *argument)
{
    if (argument->type == JSON_STRING && type_words(argument->string) != NULL)
        return 0;
    if (argument->type != JSON_ARRAY || argument->count == 0)
        return broken_schema(checker, argument, "not the name of a type");
    json_each(name, argument) if (name->type != JSON_STRING ||
                                  type_words(name->string) ==
                                      NULL) return broken_schema(checker, name, "not the name of a type");
    return 0;
}

static int audit_all(const struct checker *checker, const struct json *list, enum json_type type)
{
    if (list->type != type)
        return broken_schema(checker, list, "not a group of schemas");
    json_each(schema, list) if (audit(checker, schema) < 0) return -1;
    return 0;
}

static int audit_argument(const struct checker *checker, enum argument kind, const struct json *argument)
{
    switch (kind) {
    case WORDS:
        if (argument->type != JSON_ARRAY)
            return broken_schema(checker, argument, "not a list of keys");
        json_each(word, argument) if (word->type != JSON_STRING) return broken_schema(checker, word,
                                                                                      "not a key");
        return 0;
    case NUMBER:
        return argument->type == JSON_NUMBER ? 0 : broken_schema(checker, argument, "not a number");
    case TEXT:
        return argument->type == JSON_STRING ? 0 : broken_schema(checker, argument, "not a string");
    case BOOLEAN:
        return argument->type == JSON_BOOL ? 0 : broken_schema(checker, argument, "not true or false");
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

static int audit(const struct checker *checker, const struct json *schema)
{
    if (schema->type == JSON_BOOL)
        return 0;
    if (schema->type != JSON_OBJECT)
        return broken_schema(checker, schema, "not a schema");
    json_each(member, schema)
    {
        const struct keyword *known = NULL;

        for (size_t i = 0; i < KEYWORD_COUNT && known == NULL; i++)
            if (strcmp(keywords[i].name, member->key) == 0)
                known = &keywords[i];
        if (known == NULL)
            return broken_schema(checker, member, "a keyword that is not implemented");
        if (audit_argument(checker, known->argument, member) < 0)
            return -1;
    }
    if (json_get(schema, "$ref") != NULL && resolve(checker, schema) == NULL)
        return broken_schema(checker, json_get(schema, "$ref"), "$ref leads nowhere");
    return 0;
}

int json_schema_check(const struct json *schema, const struct json *value, struct error *err)
{
    struct checker checker = {schema, err};
    struct place place = {.value = value};

    return audit(&checker, schema) < 0 ? -1 : check(&checker, schema, &place);
}
