/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/base/nearest.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { WORD_LIMIT = 64, SHORT = 3 };

static unsigned smallest(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, changes, and neighbours that changed places. */
static unsigned edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][WORD_LIMIT + 1];
    unsigned *before = rows[0], *above = rows[1], *current = rows[2];

    for (size_t j = 0; j <= b_length; j++)
        above[j] = (unsigned)j;
    for (size_t i = 1; i <= a_length; i++) {
        unsigned *spare = before;

        current[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            unsigned changed = above[j - 1] + (a[i - 1] != b[j - 1]);

            current[j] = smallest(changed, smallest(above[j], current[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                current[j] = smallest(current[j], before[j - 2] + 1);
        }
        before = above;
        above = current;
        current = spare;
    }
    return above[b_length];
}

/* In any order. */
static bool same_letters(const char *a, const char *b, size_t length)
{
    int counts[256] = {0};

    for (size_t i = 0; i < length; i++) {
        counts[(unsigned char)a[i]]++;
        counts[(unsigned char)b[i]]--;
    }
    for (size_t i = 0; i < 256; i++)
        if (counts[i] != 0)
            return false;
    return true;
}

/* Between hyphens: "h100" of "hgx-h100". */
static bool has_part(const char *candidate, const char *word, size_t length)
{
    for (const char *at = candidate; (at = strstr(at, word)) != NULL; at++)
        if ((at == candidate || at[-1] == '-') && (at[length] == '\0' || at[length] == '-'))
            return true;
    return false;
}

static const char *only_with_part(const char *word, size_t length, const char *const *candidates,
                                  size_t count)
{
    const char *only = NULL;

    for (size_t i = 0; i < count; i++)
        if (has_part(candidates[i], word, length)) {
            if (only != NULL)
                return NULL;
            only = candidates[i];
        }
    return only;
}

const char *nearest_word(const char *word, const char *const *candidates, size_t count)
{
    size_t length = strlen(word);
    /* A third of the word may be wrong: more is another word. */
    unsigned best = (unsigned)(length < 3 ? 1 : length / 3) + 1;
    const char *nearest = NULL;

    if (length == 0 || length > WORD_LIMIT)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t candidate_length = strlen(candidates[i]);
        unsigned distance;

        if (candidate_length > WORD_LIMIT)
            continue;
        distance = edit_distance(word, length, candidates[i], candidate_length);
        if (length == candidate_length && length <= SHORT && distance > 0 &&
            !same_letters(word, candidates[i], length))
            continue; /* "foo" is no slip of "fio" */
        if (distance < best && distance < candidate_length) {
            best = distance;
            nearest = candidates[i];
        }
    }
    return nearest != NULL ? nearest : only_with_part(word, length, candidates, count);
}

bool word_is_among(const char *word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

struct did_you_mean did_you_mean(const char *word, const char *const *candidates, size_t count)
{
    const char *near = nearest_word(word, candidates, count);
    struct did_you_mean hint = {""};

    if (near != NULL)
        snprintf(hint.text, sizeof hint.text, "; did you mean '%s'?", near);
    return hint;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* The digits from *word on, without leading zeros; *word moves behind them. */
static size_t next_number(const char **word, const char **ret_digits)
{
    while (**word != '\0' && !is_digit(**word))
        (*word)++;
    while (**word == '0')
        (*word)++;
    *ret_digits = *word;
    while (is_digit(**word))
        (*word)++;
    return (size_t)(*word - *ret_digits);
}

static bool same_numbers(const char *a, const char *b)
{
    while (*a != '\0' || *b != '\0') {
        const char *of_a, *of_b;
        size_t length = next_number(&a, &of_a);

        if (length != next_number(&b, &of_b) || memcmp(of_a, of_b, length) != 0)
            return false;
    }
    return true;
}

struct did_you_mean did_you_mean_host(const char *word, const char *const *candidates, size_t count)
{
    struct did_you_mean hint = {""};
    unsigned best = 0;

    for (size_t i = 0; i < count; i++) {
        unsigned distance;

        if (!same_numbers(word, candidates[i]) || nearest_word(word, &candidates[i], 1) == NULL)
            continue;
        distance = edit_distance(word, strlen(word), candidates[i], strlen(candidates[i]));
        if (*hint.text != '\0' && distance >= best)
            continue;
        best = distance;
        snprintf(hint.text, sizeof hint.text, "; did you mean '%s'?", candidates[i]);
    }
    return hint;
}
