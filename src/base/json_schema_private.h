/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the two files of the schema check: json_schema.c decides, json_schema_words.c says. */
#ifndef ASSAY_JSON_SCHEMA_PRIVATE_H
#define ASSAY_JSON_SCHEMA_PRIVATE_H

#include "assay/base/json.h"

enum { SCHEMA_KEYS_SHOWN = 48 };

/* Where the value stands in the document, for messages: the chain of what contains it. */
struct schema_place {
    const struct schema_place *above;
    const struct json *value;
    size_t index; /* in the list above */
};

struct schema_checker {
    const struct json *root; /* of the schema, for $ref */
    struct error *err;
};

/* What "$ref" leads to; NULL when there is none or it leads nowhere. */
const struct json *schema_resolve(const struct schema_checker *checker, const struct json *schema);
/* "a whole number" for "integer"; NULL when there is no such type. */
const char *schema_type_words(const char *name);
bool schema_has_type(const struct json *value, const char *name);
/* Whether the value is of a type that the schema allows at all. */
bool schema_type_fits(const struct schema_checker *checker, const struct json *schema,
                      const struct json *value);

/* steps[2].timeout_s */
void schema_put_place(struct text *out, const struct schema_place *place);
void schema_put_expected(const struct schema_checker *checker, struct text *out, const struct json *schema);
void schema_put_alternatives(const struct schema_checker *checker, struct text *out,
                             const struct json *alternatives);

/* All return -1 with the message set. The schema itself is not one that we can check: our own failure. */
int schema_broken(const struct schema_checker *checker, const struct json *at, const char *what);
/* "FILE:L:C: PLACE is VALUE; expected ..." */
int schema_refuse(const struct schema_checker *checker, const struct schema_place *place, const char *format,
                  ...) __attribute__((format(printf, 3, 4)));
int schema_refuse_as(const struct schema_checker *checker, const struct schema_place *place,
                     const struct json *schema);
int schema_refuse_key(const struct schema_checker *checker, const struct json *schema,
                      const struct schema_place *place, const struct json *member);

#endif
