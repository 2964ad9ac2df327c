/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON in and out. cJSON does the work and is seen nowhere else.
 *
 * Reading is strict: trailing text, duplicate keys, numbers that a double would round, invalid UTF-8 and NUL
 * are refused with file, line and column. Every value knows where it stood, so whoever finds a wrong word
 * later can say where.
 */
#ifndef ASSAY_JSON_H
#define ASSAY_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/base/arena.h"
#include "assay/base/error.h"
#include "assay/base/text.h"

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_type type;
    const char *key;               /* of a member of an object, else NULL */
    const char *file;              /* as given to json_parse */
    unsigned line, column;         /* of the value, from 1; columns count characters */
    unsigned key_line, key_column; /* of the key, when there is one */
    bool boolean;
    double number;
    const char *string;
    struct json *next;  /* the next member or item, in file order */
    struct json *items; /* the first member or item */
    size_t count;
};

/* Everything lives in the arena; `file` is only for messages. NULL with err set when the text is not JSON as
 * above: to the first place where it is none, or, of keys that stand twice, to all of them. */
struct json *json_parse(struct arena *arena, const char *file, const char *bytes, size_t length,
                        struct error *err) __attribute__((warn_unused_result));
/* The same from a file ("-" is standard input) of at most 16 MiB. */
struct json *json_load(struct arena *arena, const char *path, struct error *err)
    __attribute__((warn_unused_result));

/* NULL when there is no such member (or object is NULL or no object). */
const struct json *json_get(const struct json *object, const char *key);
/* The member's value, or the fallback when it is absent or of another type; schemas decide what may be
 * absent. */
const char *json_string(const struct json *object, const char *key, const char *fallback);
double json_number(const struct json *object, const char *key, double fallback);
bool json_boolean(const struct json *object, const char *key, bool fallback);

#define json_each(item, list) \
    for (const struct json *item = (list) != NULL ? (list)->items : NULL; item != NULL; item = item->next)

/* "FILE:LINE:COLUMN: " and the message; always returns -1. */
int json_error(struct error *err, const struct json *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, added to the errors that are there (error_add). */
int json_error_add(struct error *err, const struct json *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Checks value against a JSON Schema (draft 2020-12), the part of it that our schemas use: type, properties,
 * required, additionalProperties, patternProperties, items, minItems, uniqueItems, enum, const, minimum,
 * maximum, exclusiveMinimum, minLength, pattern, anyOf, oneOf, $ref into "#/$defs/". An unknown keyword in a
 * schema is our own failure (ERROR_INTERNAL), not a check left out. All that is
 * wrong is added to err, of each value the first thing: file, line, column, the word found and what was expected; for an
 * unknown key also the keys that there are.
 */
int json_schema_check(const struct json *schema, const struct json *value, struct error *err)
    __attribute__((warn_unused_result));

/* A place where two documents differ: "steps[gpu-burn].arguments.seconds". Items of lists are called by their name,
   clause, check or metric, others by their place from 0; the order of those that have a name is no difference. */
struct json_difference {
    const char *path, *was, *is; /* the values as JSON, clipped; "nothing" where there is none */
};
struct json_differences {
    LIST_OF(struct json_difference) items;
};
/* In the order of `was`, then what only `is` has; in the arena. */
void json_compare(struct arena *arena, const struct json *was, const struct json *is,
                  struct json_differences *ret_differences);

/*
 * Writing: values are put in order, commas and indentation come by themselves. Strings are valid UTF-8
 * already; utf8_clean (reading.h) makes them so where they come from outside.
 */
struct json_writer {
    struct text *out;
    unsigned depth;
    bool filled[32]; /* whether the open list or object at this depth has an item yet */
    bool keyed;
    bool compact; /* everything on one line */
};

void json_writer_init(struct json_writer *writer, struct text *out, bool compact);
/* A document of several lines, an object, whose first member says which schema it has. */
void json_open_document(struct json_writer *writer, struct text *out, int64_t schema);
void json_open_object(struct json_writer *writer);
void json_close_object(struct json_writer *writer);
void json_open_array(struct json_writer *writer);
void json_close_array(struct json_writer *writer);
void json_key(struct json_writer *writer, const char *key);
void json_put_string(struct json_writer *writer, const char *string); /* NULL writes null */
void json_put_bytes(struct json_writer *writer, const char *bytes, size_t length);
void json_put_number(struct json_writer *writer, double number); /* shortest text that reads back the same */
void json_put_integer(struct json_writer *writer, int64_t number);
void json_put_boolean(struct json_writer *writer, bool boolean);
void json_put_null(struct json_writer *writer);
/* What was read, written again. */
void json_put(struct json_writer *writer, const struct json *value);
/* That on one line, at most so many bytes of it; "" of NULL. */
const char *json_text(struct arena *arena, const struct json *value, size_t most);
/* json_key and what comes after it in one. */
void json_member(struct json_writer *writer, const char *key, const char *string);
void json_member_number(struct json_writer *writer, const char *key, double number);
void json_member_integer(struct json_writer *writer, const char *key, int64_t number);
void json_member_count(struct json_writer *writer, const char *key, size_t count);
void json_member_boolean(struct json_writer *writer, const char *key, bool boolean);
void json_member_object(struct json_writer *writer, const char *key); /* opens it */
void json_member_array(struct json_writer *writer, const char *key);

/* Shortest decimal text that reads back as the same double, in buf (at least 32 bytes); the form used
 * wherever a number is printed in full. */
const char *number_text(double number, char *buf, size_t size);

#endif
