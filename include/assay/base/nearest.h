/* SPDX-License-Identifier: Apache-2.0 */
/* What was meant by a mistyped word. It is told and never taken: who asks wrongly is refused. */
#ifndef ASSAY_NEAREST_H
#define ASSAY_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The candidate nearest to word by edit distance (Damerau-Levenshtein over neighbours), the first of those equally near.
 * None is near where more than a third of the word's letters are wrong, or one of a word of two: then the only candidate that has
 * the word between its hyphens ("h100": "hgx-h100"), or NULL.
 */
const char *nearest_word(const char *word, const char *const *candidates, size_t count);

/* "; did you mean 'preflight'?", to stand at the end of an error; "" when none is near. */
struct did_you_mean {
    char text[96];
};
bool word_is_among(const char *word, const char *const *words, size_t count);
struct did_you_mean did_you_mean(const char *word, const char *const *candidates, size_t count);
/* The same of names of hosts, in which another number is another host and no slip: node7 is not meant by node8, but
   node07 is by node7, and node7 by ndoe7. */
struct did_you_mean did_you_mean_host(const char *word, const char *const *candidates, size_t count);

#endif
