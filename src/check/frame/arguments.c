/* SPDX-License-Identifier: Apache-2.0 */
/* A check's arguments: what the suite says, checked against the check's table, or the table's default. */
#include <math.h>
#include <string.h>

#include "assay/base/options.h"
#include "assay/check/check.h"

enum { ARGUMENTS_MOST = 32 };

static const struct argument *find_argument(const struct check *check, const char *name)
{
    for (const struct argument *row = check->arguments; row != NULL && row->name != NULL; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

static int unknown_argument(const struct check *check, const struct json *value, struct error *err)
{
    const char *names[ARGUMENTS_MOST];
    size_t count = 0;
    cleanup_text struct text known = {0};
    const char *near;

    text_init(&known, 1024);
    for (const struct argument *row = check->arguments; row != NULL && row->name != NULL; row++) {
        text_printf(&known, "%s%s", count > 0 ? ", " : "", row->name);
        names[count++] = row->name;
    }
    if (count == 0)
        return json_error(err, value, "check '%s' takes no arguments, found '%s'", check->name, value->key);
    near = nearest_word(value->key, names, count);
    return json_error(err, value, "check '%s' has no argument '%s'%s%s%s; expected one of: %s", check->name,
                      value->key, near != NULL ? ", did you mean '" : "", near != NULL ? near : "",
                      near != NULL ? "'" : "", known.bytes);
}

static bool value_fits(const struct argument *row, const struct json *value)
{
    double bytes;

    switch (row->type) {
    case ARGUMENT_COUNT:
        return value->type == JSON_NUMBER && value->number >= 1 && value->number == floor(value->number);
    case ARGUMENT_SIZE:
        return value->type == JSON_STRING && size_parse(value->string, &bytes);
    case ARGUMENT_LIST:
        json_each (item, value) {
            if (item->type != JSON_STRING)
                return false;
        }
        return value->type == JSON_ARRAY;
    case ARGUMENT_MAP:
        json_each (item, value) {
            if (item->type != JSON_STRING)
                return false;
        }
        return value->type == JSON_OBJECT;
    case ARGUMENT_FLAG:
        return value->type == JSON_BOOL;
    case ARGUMENT_TEXT:
    default:
        return value->type == JSON_STRING;
    }
}

int check_arguments_valid(const struct check *check, const struct suite_step *step, struct error *err)
{
    static const char *const expected[] = {
        [ARGUMENT_COUNT] = "a whole number of 1 or more",
        [ARGUMENT_SIZE] = "a size such as \"8G\"",
        [ARGUMENT_TEXT] = "a text",
        [ARGUMENT_LIST] = "a list of texts",
        [ARGUMENT_MAP] = "an object whose values are texts",
        [ARGUMENT_FLAG] = "true or false",
    };

    struct check_context context = {.step = step, .check = check};
    const char *fault;
    int result = 0;

    json_each (value, step->arguments) {
        const struct argument *row = find_argument(check, value->key);

        if (row == NULL)
            return unknown_argument(check, value, err);
        if (!value_fits(row, value))
            return json_error(err, value, "argument '%s' of check '%s': expected %s%s%s%s", row->name,
                              check->name, expected[row->type], value->type == JSON_STRING ? ", found '" : "",
                              value->type == JSON_STRING ? value->string : "",
                              value->type == JSON_STRING ? "'" : "");
    }
    context.arena = arena_create();
    fault = check->arguments_fault != NULL ? check->arguments_fault(&context) : NULL;
    if (fault != NULL)
        result = json_error(err, step->at, "the arguments of check '%s' do not go together: %s", check->name,
                            fault);
    else if (check->arguments_valid != NULL)
        result = check->arguments_valid(&context, err);
    arena_destroy(context.arena);
    return result;
}

const char *check_text(const struct check_context *context, const char *argument)
{
    const struct json *value = json_get(context->step->arguments, argument);

    if (value != NULL && value->type == JSON_STRING)
        return value->string;
    return find_argument(context->check, argument)->fallback;
}

double check_number(const struct check_context *context, const char *argument)
{
    const struct argument *row = find_argument(context->check, argument);
    const struct json *value = json_get(context->step->arguments, argument);
    double number = 0;

    if (value != NULL && value->type == JSON_NUMBER)
        return value->number;
    if (row->type == ARGUMENT_SIZE)
        size_parse(check_text(context, argument), &number);
    else
        scan_double(slice_of(row->fallback), &number);
    return number;
}

bool check_flag(const struct check_context *context, const char *argument)
{
    return json_boolean(context->step->arguments, argument, false);
}
