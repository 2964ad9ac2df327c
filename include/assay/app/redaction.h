/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of runs in which names are pseudonyms (redact.h): for a bundle of one run, and for a site of all. Who learns from
 * several runs copies them together, so that a name that only one of them gives away is a pseudonym in all.
 */
#ifndef ASSAY_APP_REDACTION_H
#define ASSAY_APP_REDACTION_H

#include "assay/model/redact.h"
#include "assay/store/store.h"

struct redaction {
    struct arena *arena;
    struct store *store;          /* whose runs they are; writable: pseudonyms and the key are kept there */
    const char *folder;           /* of proof_folder */
    const char *words;            /* a file of words that no rule can know, one per line; NULL: none */
    bool serials;                 /* serial numbers too, which a bundle keeps for the maker */
    bool numbers_stay;            /* of runs; else each copy has one of its own */
    char key[REDACTION_KEY_SIZE]; /* is set */
    long long number;             /* is set: that of the last run in the copy */
    struct redactor *redactor;    /* is set */
};
/* Into a new database of the folder, which the caller closes; NULL with err set. Runs in ascending order. */
struct store *redaction_copy_runs(struct redaction *redaction, const long long *numbers, size_t count,
                                  struct error *err) __attribute__((warn_unused_result));
/* The same of all that was made here, and of its acceptances. *ret_left_out: runs of other parties, which are theirs to
   show, and acceptances that rest on them. */
struct store *redaction_copy_all(struct redaction *redaction, size_t *ret_left_out, struct error *err)
    __attribute__((warn_unused_result));
/* A run as it is into a database of that name in the folder. *ret_copy is to be closed. */
int redaction_copy_run(const struct redaction *redaction, long long number, const char *name,
                       struct redactor *redactor, struct store **ret_copy, long long *ret_number,
                       struct error *err) __attribute__((warn_unused_result));

#endif
