/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of redaction share. */
#ifndef ASSAY_MODEL_REDACT_PRIVATE_H
#define ASSAY_MODEL_REDACT_PRIVATE_H

#include "assay/redact.h"

enum redact_kind {
    REDACT_HOST,
    REDACT_USER,
    REDACT_DOMAIN,
    REDACT_IPV4,
    REDACT_IPV6,
    REDACT_MAC,
    REDACT_KINDS
};

/* A text that is looked for, in lower case, and what it may be. */
struct known {
    const char *name;
    size_t length;
    bool distinctive, host, user, domain;
    bool stem, numbered; /* begins hostlists; and names of neighbours */
    long long address;   /* number of the address that it is another form of; 0: of none */
    long long n;         /* of a pseudonym: its key is the kind and the name */
};

struct redactor {
    struct arena *arena;
    struct known **slots;
    size_t capacity, count;
    bool lengths[256], first[256];
    long long last[REDACT_KINDS];
    struct pseudonyms pseudonyms;
};

/* One text on its way. */
struct pass {
    struct redactor *redactor;
    struct slice in;
    size_t at;
    struct text *out;
    struct arena *arena;
    struct redact_edits *edits;
};

long long redact_number(struct redactor *redactor, enum redact_kind kind, const char *name);
/* Whether a word begins there. */
bool redact_begins(const struct pass *pass, size_t at);
/* Puts by in the place of the next `taken` bytes. */
void redact_replace(struct pass *pass, size_t taken, const char *by);
/* The list of `length` bytes with other names; NULL when it is none, or nothing in it is wanted. */
const char *redact_fold(struct pass *pass, size_t length,
                        const char *(*name)(struct redactor *, const char *),
                        bool (*is_wanted)(struct redactor *, const char *));
struct known *redact_know_alias(struct redactor *redactor, const char *alias, long long n);

/* redact_address.c. An address that is given: its other forms are looked for. False when it is none. */
bool redact_know_address(struct redactor *redactor, const char *text);
/* Takes the address that stands here, if one does. */
bool redact_address(struct pass *pass);

#endif
