/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Redaction: users, hosts, domains, addresses and hardware by stable pseudonyms.
 *
 * What is known is replaced wherever it stands, in any case: host names also with a domain behind them, in
 * hostlists ("node[1-8]"), with other digits ("node9", a neighbour that was not tested), against other letters
 * ("\nnode1" of a log in JSON, after a colour); of a domain also those that it lies in, and its owner ("acme").
 * IPv4, IPv6 and MAC addresses, USER@HOST and URLs are known by their form. What is said in a place where only names
 * stand is learnt, and is known from then on: behind words ("for user X", "NodeName=X"), in forms (passwd, `ls -l`,
 * journals, mounts, InfiniBand's descriptions) and in columns of tables (ps, squeue, kubectl). Whoever redacts many texts
 * does it twice, and keeps the second result. A name that is also a word of tools ("gpu") is replaced in such places only.
 *
 * In doubt it replaces too much (a version of four numbers is an address to it). Accounts that every system has, and
 * makers' domains, stay. It does not look into what is encoded or compressed, and leaves serial numbers, UUIDs, racks
 * and labels as they are (a serial number may be made known as a word). What no rule can know is for redactor_know_word.
 *
 *   host      anon-host7[.anon-domain1]       user   anon-user2
 *   IPv4      198.18.0.7 (RFC 2544)           IPv6   2001:db8::7 (RFC 3849)
 *   MAC       02:00:00:00:00:07               GUID   0x020000fffe000007, in the form that it had
 *   pods, jobs' names, words of the operator, passwords of URLs   anon-name3
 */
#ifndef ASSAY_REDACT_H
#define ASSAY_REDACT_H

#include "assay/base/arena.h"
#include "assay/base/scan.h"
#include "assay/base/sha256.h"
#include "assay/base/text.h"

/* Which number stands for a name; kept in the database, so that a name has the same one in every export. */
struct pseudonym {
    const char *kind; /* "host", "user", "domain", "ipv4", "ipv6", "mac", "guid", "name" */
    const char *name; /* lower case; an address in its usual form */
    long long n;      /* from 1 in each kind */
};
struct pseudonyms {
    LIST_OF(struct pseudonym) list;
};

/* One place where bytes were replaced by others. */
struct redact_edit {
    size_t at, taken, given; /* in the old bytes; counts */
};
struct redact_edits {
    LIST_OF(struct redact_edit) list; /* ascending */
};

/*
 * Hashes of originals. The SHA-256 of a short text tells it to whoever tries guesses, so what is passed on has the HMAC of
 * it instead, by a key that stays at home: the same for the same original, in each export of one database.
 */
enum { REDACTION_KEY_SIZE = 65 }; /* 64 random hex digits and the NUL */
void redaction_keyed(const char *key, const char *sha256, char ret_hex[SHA256_HEX_SIZE]);

struct redactor;
/* Lives in the arena. kept: pseudonyms of earlier exports. key: NULL: one that is forgotten. */
struct redactor *redactor_create(struct arena *arena, const struct pseudonyms *kept, const char *key);
/* A host's name or address, with or without domain. NULL and "" are nothing. */
void redactor_know_host(struct redactor *redactor, const char *name);
void redactor_know_user(struct redactor *redactor, const char *name);
/* A person's name in full: the whole, and its words. */
void redactor_know_person(struct redactor *redactor, const char *name);
void redactor_know_domain(struct redactor *redactor, const char *name);
/* Of InfiniBand hardware, in any of its forms. */
void redactor_know_guid(struct redactor *redactor, const char *guid);
/* Replaced wherever it stands, inside of words too. */
void redactor_know_word(struct redactor *redactor, const char *word);
/* Of an original that was changed: wherever this hash stands, or its first 16 digits, the keyed one does. */
void redactor_know_hash(struct redactor *redactor, const char *sha256);
/* The keyed form of a hash. */
void redactor_keyed(const struct redactor *redactor, const char *sha256, char ret_hex[SHA256_HEX_SIZE]);
/* The kept ones, then those that were added. */
const struct pseudonyms *redactor_pseudonyms(const struct redactor *redactor);

/* Appends to out. edits: NULL, or where they are told, in the arena. */
void redact(struct redactor *redactor, struct slice bytes, struct text *out, struct arena *arena,
            struct redact_edits *edits);

#endif
