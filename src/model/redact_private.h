/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of redaction share. */
#ifndef ASSAY_MODEL_REDACT_PRIVATE_H
#define ASSAY_MODEL_REDACT_PRIVATE_H

#include "assay/model/redact.h"

enum redact_kind {
    REDACT_HOST,
    REDACT_USER,
    REDACT_DOMAIN,
    REDACT_IPV4,
    REDACT_IPV6,
    REDACT_MAC,
    REDACT_GUID,
    REDACT_NAME, /* what is neither of a host nor of a user */
    REDACT_KINDS
};

/* A text that is looked for, in lower case, and what it may be. */
struct known {
    const char *name;
    size_t length;
    bool distinctive, host, user, domain;
    bool owner, plain;   /* whose a domain is; another name */
    bool anywhere;       /* inside of words too */
    bool stem, numbered; /* begins hostlists; and names of neighbours */
    long long address;   /* number of the address that it is another form of; 0: of none */
    const char
        *hash;   /* what stands for it, a hash of an original or a hardware address; NULL: it is neither */
    long long n; /* of a pseudonym: its key is the kind and the name */
};

struct redactor {
    struct arena *arena;
    struct known **slots;
    size_t capacity, count;
    bool lengths[256], first[256];
    long long last[REDACT_KINDS];
    char key[REDACTION_KEY_SIZE];
    struct pseudonyms pseudonyms;
};

/* A place where a name stands. */
struct redact_mark {
    size_t at, end;
    enum redact_kind kind;
};

/* A column of a table, by its head. */
struct redact_column {
    size_t at, end, n; /* in the head's line; which it is */
    enum redact_kind kind;
    bool number; /* it holds numbers: what tells its rows from what comes after */
};
enum { REDACT_COLUMNS = 12 };

/* One text on its way. */
struct pass {
    struct redactor *redactor;
    struct slice in;
    size_t at;
    struct text *out;
    struct arena *arena;
    struct redact_edits *edits;
    LIST_OF(struct redact_mark) marks;
    size_t next_mark;
    size_t next_line;                                  /* where the first line begins that nobody looked at */
    size_t login_end, identity_end, guid_end, mac_end; /* how far what stood before says what comes */
    struct redact_column columns[REDACT_COLUMNS];
    size_t column_count;
    bool counted; /* rows of counters come, each behind the name of a switch or host */
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
/* Whatever stands between is a name. */
void redact_mark(struct pass *pass, size_t at, size_t end, enum redact_kind kind);
/* Where `name` stands alone. */
void redact_know_name(struct redactor *redactor, const char *name);
struct known *redact_know_alias(struct redactor *redactor, const char *alias, long long n);

/* redact_address.c. An address that is given: its other forms are looked for. False when it is none. */
bool redact_know_address(struct redactor *redactor, const char *text);
/* Takes the address that stands here, if one does. */
bool redact_address(struct pass *pass);

/* redact_learn.c. What the bytes at pass->at say of names that come: known from now on, and marked where they stand. */
void redact_learn(struct pass *pass);
/* The name that stands at `at`, if one does. soft: only when it looks like no word. Returns its end; `at`: there is none. */
size_t redact_learn_name(struct pass *pass, size_t at, enum redact_kind kind, bool soft);
/* "node[1-8],login1", which host it may be. */
void redact_learn_hosts(struct pass *pass, size_t at);

/* redact_lines.c. What a line says by its form. */
void redact_learn_line(struct pass *pass, size_t begin, size_t end);

/* redact_words.c, all in any case. */
/* An account, group or host that every system has. */
bool redact_stays(const char *name, size_t length);
/* A word of tools or of the language: replaced where it must be a name, and nowhere else. */
bool redact_is_common(const char *name, size_t length);
/* A word before a number that is no machine's, with the number or without. */
bool redact_is_field(const char *name, size_t length);
/* The part of a domain that somebody owns: "acme.example". */
const char *redact_owner_of_domain(const char *domain);
/* One that stands in outputs of tools everywhere. */
bool redact_is_public(const char *domain);
/* Whether a name with dots is a host's in full. */
bool redact_is_fqdn(const char *name);

#endif
