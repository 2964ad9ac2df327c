/* SPDX-License-Identifier: Apache-2.0 */
/* What a text for people says, by words of it. Reasons are compared as data where a test is about which one it is; these
   are for what is read in the end. */
#ifndef ASSAY_SAYS_TEST_H
#define ASSAY_SAYS_TEST_H

#include <stdbool.h>
#include <string.h>

#include "unit_test.h"

static inline bool says(const char *text, const char *words)
{
    return text != NULL && strstr(text, words) != NULL;
}

#define assert_says(text, words)                                              \
    do {                                                                      \
        const char *whole_ = (text), *words_ = (words);                       \
                                                                              \
        if (!says(whole_, words_))                                            \
            fail_msg("'%s' does not say '%s'", whole_ ? whole_ : "", words_); \
    } while (0)

#define assert_says_not(text, words)                    \
    do {                                                \
        const char *whole_ = (text), *words_ = (words); \
                                                        \
        if (says(whole_, words_))                       \
            fail_msg("'%s' says '%s'", whole_, words_); \
    } while (0)

#endif
