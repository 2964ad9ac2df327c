/* SPDX-License-Identifier: Apache-2.0 */
/* What a refusal says: where the value stands, what it is, what was expected. */
#include "json_schema_private.h"

#include <math.h>
#include <string.h>

#include "assay/base/options.h"

enum { STRING_SHOWN = 80 };

/* Quoted as in the document, so that no control byte reaches a terminal; never cut within a character. */
static void put_string(struct text *out, const char *string)
{
    size_t length = strnlen(string, STRING_SHOWN);
    struct json_writer writer;

    while (length > 0 && ((unsigned char)string[length] & 0xC0) == 0x80)
        length--;
    json_writer_init(&writer, out, true);
    json_put_bytes(&writer, string, length);
}

static void put_value(struct text *out, const struct json *value)
{
    char number[32];

    switch (value->type) {
    case JSON_STRING:
        put_string(out, value->string);
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

void schema_put_place(struct text *out, const struct schema_place *place)
{
    if (place->above == NULL) {
        text_put(out, "the document");
        return;
    }
    if (place->above->above != NULL) {
        schema_put_place(out, place->above);
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

enum { TYPE_COUNT = ARRAY_SIZE(types) };

const char *schema_type_words(const char *name)
{
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (strcmp(types[i].name, name) == 0)
            return types[i].words;
    return NULL;
}

bool schema_has_type(const struct json *value, const char *name)
{
    if (strcmp(name, "integer") == 0)
        return value->type == JSON_NUMBER && value->number == floor(value->number);
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (strcmp(types[i].name, name) == 0)
            return value->type == types[i].type;
    return false;
}

const struct json *schema_resolve(const struct schema_checker *checker, const struct json *schema)
{
    const char *reference = json_string(schema, "$ref", NULL);

    if (reference == NULL || strncmp(reference, "#/$defs/", 8) != 0)
        return NULL;
    return json_get(json_get(checker->root, "$defs"), reference + 8);
}

bool schema_type_fits(const struct schema_checker *checker, const struct json *schema,
                      const struct json *value)
{
    const struct json *target = schema_resolve(checker, schema), *type;

    if (target != NULL)
        return schema_type_fits(checker, target, value);
    type = json_get(schema, "type");
    if (type == NULL)
        return true;
    if (type->type == JSON_STRING)
        return schema_has_type(value, type->string);
    json_each (name, type)
        if (schema_has_type(value, name->string))
            return true;
    return false;
}

static void put_list(struct text *out, const struct json *list,
                     void (*describe)(struct text *, const struct json *))
{
    size_t index = 0;

    json_each (item, list) {
        if (index > 0)
            text_put(out, index + 1 == list->count ? " or " : ", ");
        describe(out, item);
        index++;
    }
}

static void put_type(struct text *out, const struct json *name)
{
    const char *words = schema_type_words(name->string);

    text_put(out, words != NULL ? words : name->string);
}

/* "floor" with "unit" */
static void put_required(struct text *out, const struct json *required)
{
    const char *between = "";

    json_each (name, required) {
        text_printf(out, "%s\"%s\"", between, name->string);
        between = " with ";
    }
}

void schema_put_expected(const struct schema_checker *checker, struct text *out, const struct json *schema)
{
    const struct json *target = schema_resolve(checker, schema);
    const struct json *words = json_get(schema, "enum"), *constant = json_get(schema, "const");
    const struct json *type = json_get(schema, "type"), *pattern = json_get(schema, "pattern");
    const struct json *required = json_get(schema, "required");

    if (target != NULL)
        schema_put_expected(checker, out, target);
    else if (words != NULL)
        put_list(out, words, put_value);
    else if (constant != NULL)
        put_value(out, constant);
    else if (type != NULL && type->type == JSON_ARRAY)
        put_list(out, type, put_type);
    else if (type != NULL)
        put_type(out, type);
    else if (required != NULL)
        put_required(out, required);
    else
        text_put(out, "another value");
    if (pattern != NULL && json_get(schema, "examples") != NULL) {
        text_put(out, " such as ");
        put_list(out, json_get(schema, "examples"), put_value);
    }
}

void schema_put_alternatives(const struct schema_checker *checker, struct text *out,
                             const struct json *alternatives)
{
    size_t index = 0;

    json_each (alternative, alternatives) {
        if (index++ > 0)
            text_put(out, index == alternatives->count ? " or " : ", ");
        schema_put_expected(checker, out, alternative);
    }
}

int schema_broken(const struct schema_checker *checker, const struct json *at, const char *what)
{
    return error_set(checker->err, ERROR_INTERNAL, "%s:%u:%u: schema: %s", at->file, at->line, at->column,
                     what);
}

int schema_refuse(const struct schema_checker *checker, const struct schema_place *place, const char *format,
                  ...)
{
    struct text text;
    va_list arguments;

    text_init(&text, 900);
    schema_put_place(&text, place);
    text_put(&text, " is ");
    put_value(&text, place->value);
    text_put(&text, "; expected ");
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    json_error_add(checker->err, place->value, "%s", text.bytes);
    text_release(&text);
    return -1;
}

int schema_refuse_as(const struct schema_checker *checker, const struct schema_place *place,
                     const struct json *schema)
{
    struct text expected;

    text_init(&expected, 600);
    schema_put_expected(checker, &expected, schema);
    schema_refuse(checker, place, "%s", expected.bytes);
    text_release(&expected);
    return -1;
}

int schema_refuse_key(const struct schema_checker *checker, const struct json *schema,
                      const struct schema_place *place, const struct json *member)
{
    const struct json *properties = json_get(schema, "properties");
    const struct json *patterns = json_get(schema, "patternProperties");
    const char *keys[SCHEMA_KEYS_SHOWN] = {NULL}, *near;
    struct json at = *member;
    struct text text;
    size_t count = 0;

    json_each (known, properties)
        if (count < SCHEMA_KEYS_SHOWN)
            keys[count++] = known->key;
    near = nearest_word(member->key, keys, count);
    text_init(&text, 900);
    text_put(&text, "unknown key ");
    put_string(&text, member->key);
    text_put(&text, " in ");
    schema_put_place(&text, place);
    if (near != NULL)
        text_printf(&text, "; did you mean \"%s\"?", near);
    if (near != NULL && checker->err != NULL && checker->err->code != ERROR_NONE)
        count = 0; /* among others a guess will do */
    if (count > 0)
        text_put(&text, near != NULL ? " The keys here are " : "; the keys here are ");
    else if (patterns != NULL && patterns->items != NULL)
        text_printf(&text, "; expected a key that matches %s", patterns->items->key);
    for (size_t i = 0; i < count; i++)
        text_printf(&text, "%s%s", i > 0 ? ", " : "", keys[i]);
    at.line = member->key_line;
    at.column = member->key_column;
    json_error_add(checker->err, &at, "%s", text.bytes);
    text_release(&text);
    return -1;
}
