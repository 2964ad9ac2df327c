/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a report or a terminal may show of a string that a host, a file or a person gave: valid UTF-8 without anything
 * that steers a terminal, reorders a line or hides in it. All formats for people write foreign strings through here, and
 * so does all that a command prints.
 */
#ifndef ASSAY_PRINTABLE_H
#define ASSAY_PRINTABLE_H

#include <stdbool.h>

#include "assay/base/scan.h"
#include "assay/base/text.h"

/*
 * Takes the next character off the front of string (NULL is an empty one). Line breaks and tabs come as they
 * are; what may not be shown comes as U+FFFD. Returns false at the end.
 */
bool printable_next(const char **string, struct slice *ret_character);

/* Bytes of the UTF-8 sequence at the front of a NUL-ended string; 0: there is none. */
size_t utf8_length(const char *bytes);

/* The whole string on one line: line breaks and tabs become blanks. */
void printable_line(struct text *out, const char *string);
/* The same of its first 4 KiB. */
void printable_put(struct text *out, const char *string);
/* Columns that printable_line takes on a terminal: two a wide character, as of Chinese, else one. */
size_t printable_width(const char *string);
size_t printable_columns(const struct slice *character);
/* Whether no line begins with it: marks that close, as of Chinese. */
bool printable_closes(const struct slice *character);

#endif
