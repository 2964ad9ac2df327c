/* SPDX-License-Identifier: Apache-2.0 */
#include "login.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "assay/base/arena.h"

enum { REFUSALS = 3 /* so many, and it is taken for a slip */ };

bool login_given_up(const struct login_tries *tries)
{
    return !tries->taken && tries->refusals >= REFUSALS;
}

bool login_may_try(struct login_tries *tries, const void *who)
{
    if (tries->taken || tries->tried_by == who)
        return true;
    if (tries->tried_by != NULL)
        return false;
    tries->tried_by = who;
    return true;
}

void login_taken(struct login_tries *tries)
{
    tries->taken = true;
    tries->tried_by = NULL;
}

void login_refused(struct login_tries *tries)
{
    tries->refusals++;
    tries->tried_by = NULL;
}

void login_left(struct login_tries *tries, const void *who)
{
    if (tries->tried_by == who)
        tries->tried_by = NULL;
}

/* The first word that is there decides. A prompt of ssh itself begins with its words; those of the far side stand behind
 * "(user@host) ". */
static const struct {
    const char *words;
    bool begins;
    enum login_question question;
} kinds[] = {
    {"Enter passphrase for ", true, QUESTION_OURS},
    {"Enter PIN for ", true, QUESTION_OURS},
    {"The authenticity of host ", true, QUESTION_OURS},
    {"(yes/no", false, QUESTION_OURS},
    {"new password", false, QUESTION_NEW_PASSWORD},
    {"old password", false, QUESTION_NEW_PASSWORD},
    {"current password", false, QUESTION_NEW_PASSWORD},
    {"one-time", false, QUESTION_OTHER},
    {"one time", false, QUESTION_OTHER},
    {"otp", false, QUESTION_OTHER},
    {"code", false, QUESTION_OTHER},
    {"token", false, QUESTION_OTHER},
    {"动态", false, QUESTION_OTHER},
    {"一次性", false, QUESTION_OTHER},
    {"password", false, QUESTION_PASSWORD},
    {"密码", false, QUESTION_PASSWORD},
    {"口令", false, QUESTION_PASSWORD},
};

/* Without "ops@otp-gateway's " and "(ops@otp-gateway) ": the name of a jump host tells nothing of the question. */
static const char *behind_name(const char *prompt)
{
    const char *end = *prompt == '(' ? strstr(prompt, ") ") : strstr(prompt, "'s ");

    return end != NULL && memchr(prompt, ' ', (size_t)(end - prompt)) == NULL ? strchr(end, ' ') : prompt;
}

static bool contains(const char *text, const char *words)
{
    size_t length = strlen(words);

    for (; *text != '\0'; text++)
        if (strncasecmp(text, words, length) == 0)
            return true;
    return false;
}

enum login_question login_question_of(const char *prompt)
{
    const char *words = behind_name(prompt);

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        if (kinds[i].begins ? strncmp(prompt, kinds[i].words, strlen(kinds[i].words)) == 0
                            : contains(words, kinds[i].words))
            return kinds[i].question;
    return QUESTION_OTHER;
}
