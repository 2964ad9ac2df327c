/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two parties: an importer with a database of his own, and another one with a bundle of a run of the same suite, the same
 * shapes, hosts and hardware, so that whatever runs share is shared. What the importer has must stay as it is whatever
 * comes out of any bundle.
 */
#ifndef ASSAY_TESTS_PARTIES_H
#define ASSAY_TESTS_PARTIES_H

#include <sqlite3.h>

#include "assay/store/bundle.h"

enum { OWN_RUNS = 2, RUNS_BEFORE = 3 /* the last of them was imported before */ };

struct known_bytes {
    char sha256[SHA256_HEX_SIZE];
    struct slice bytes;
};

/* A run.db as it stands in a bundle. */
struct base {
    const char *name;
    struct slice database;
};

struct expected;
struct parties {
    struct arena *arena;
    char folder[64];                           /* of its own; its files go with it */
    const char *own;                           /* path of the importer's database */
    const char *bundle;                        /* where a bundle is put to be imported */
    struct slice pristine;                     /* the bytes of own before any import */
    sqlite3 *rows;                             /* the same, in memory, to take values from */
    struct record *future;                     /* an own run that is made after the import */
    const char *future_json;                   /* its report, where nothing was imported */
    const char *future_digest, *future_limits; /* of a shape that only it has */
    LIST_OF(struct base) bases;
    LIST_OF(struct known_bytes)
    contents;                  /* whatever has its SHA-256 in one of the databases, and some more */
    struct expected *expected; /* unchanged.c */
};

/* NULL with err set; parties_destroy it. */
struct parties *parties_create(struct error *err);
void parties_destroy(struct parties *parties);

/* A database in memory with a copy of these bytes; NULL when there is none to be had. sqlite3_close it. */
sqlite3 *memory_database(struct slice bytes);
/* A new run of the same plan; each with the same salt is the same. */
struct record *parties_record(struct arena *arena, unsigned salt);
int parties_keep(struct store *store, struct record *record, struct error *err)
    __attribute__((warn_unused_result));
/* The importer's database as it was before. */
int parties_restore(struct parties *parties, struct error *err) __attribute__((warn_unused_result));

enum fate { FATE_REFUSED, FATE_TAKEN, FATE_CHANGED };
/*
 * A bundle is imported as `assay import` does it, but that the hashes of its tables are not asked for: an attacker writes
 * his own. Then everything is looked at that was there before. said: why it was refused, or what is not as it was.
 * thorough: also what the imported run shows in every form. The importer's database is as before, for the next.
 */
enum fate parties_import(struct parties *parties, struct slice bundle, bool thorough, char *said,
                         size_t room);

/* unchanged.c: what the importer has, and whether all of it is there as it was; *ret_why tells what is not. */
int expect_unchanged(struct parties *parties, struct error *err) __attribute__((warn_unused_result));
bool is_unchanged(struct parties *parties, bool imported, const char **ret_why);
void expected_destroy(struct expected *expected);

#endif
