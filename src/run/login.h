/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A password for many logins: it is tried at one place at a time until one has taken it, and given up after three refusals,
 * so that a slip locks no account everywhere. And what a question at a login is about, as a spawned ssh brings it.
 */
#ifndef ASSAY_RUN_LOGIN_H
#define ASSAY_RUN_LOGIN_H

#include <stdbool.h>

/* Of one password. */
struct login_tries {
    bool taken;           /* somewhere */
    unsigned refusals;    /* how many have not taken it */
    const void *tried_by; /* whose try is under way; NULL: nobody's */
};

enum { LOGIN_WAIT_MS = 50 }; /* until login_may_try is asked again */

/* Enough have refused it. */
bool login_given_up(const struct login_tries *tries);
/* false: another one is trying it. Who may, says how it went. */
bool login_may_try(struct login_tries *tries, const void *who);
void login_taken(struct login_tries *tries);
void login_refused(struct login_tries *tries);
/* It went neither way, or there was no try. */
void login_left(struct login_tries *tries, const void *who);

enum login_question {
    QUESTION_OURS,         /* ssh's own: a key's passphrase, a host key: answered with no */
    QUESTION_PASSWORD,     /* for the password of the login */
    QUESTION_NEW_PASSWORD, /* the password has expired */
    QUESTION_OTHER,        /* a code of the hour, or what nobody has foreseen */
};

/* By the prompt in ssh's words. A far side chooses its own words, but they go to nobody else than itself. */
enum login_question login_question_of(const char *prompt);

#endif
