/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports in several languages.
 *
 * What the writers of HTML and text say themselves stands in one catalogue per language, text_LANGUAGE.def, by key.
 * In it {1} is the first value that the writer gives, and {1|host|hosts} is "host" where that value is "1".
 *
 * What was written down in English when it happened (outcomes, causes, remedies, titles of checks), and the few
 * sentences that the JSON form shares, are translated as they are shown: sentences_LANGUAGE.def holds the English format
 * as it stands in the source, and what it becomes. There {1!} is a value that is data and never translated, {1?} one that
 * is translated where it has several words (a lone "none" is what a tool said), and {1=} one word: where blanks are in
 * it the row does not fit. A test fails when a format is no longer in the source, and when something is said that has no row.
 * A sentence that no row knows stays English and is marked as such for readers' voices and browsers: it is never guessed
 * at.
 * Names, numbers and units are the same in every language, and so are JSON, CSV, JUnit and Prometheus.
 */
#ifndef ASSAY_REPORT_LANGUAGE_H
#define ASSAY_REPORT_LANGUAGE_H

#include "assay/arena.h"
#include "assay/report.h"

enum text_key {
#define TEXT(key, string) TEXT_##key,
#include "text_en.def"
#undef TEXT
    TEXT_COUNT
};

const char *language_text(enum report_language language, enum text_key key);
/* The text with its values in place; in the arena. */
const char *language_fill(struct arena *arena, const char *text, const char *const *values, size_t count);
#define language_say(arena, language, key, ...)                                                  \
    language_fill((arena), language_text((language), (key)), (const char *const[]){__VA_ARGS__}, \
                  sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* What an English sentence is in the language, piece by piece. */
struct said {
    const char *text;
    bool english; /* a piece for which there is no translation */
};
struct said_list {
    LIST_OF(struct said) items;
};
void language_pieces(struct arena *arena, enum report_language language, const char *english,
                     struct said_list *ret_pieces);
/* The same as one string. */
const char *language_said(struct arena *arena, enum report_language language, const char *english);

/* Of another party's run: how it came here; and with whose its verdict is. */
const char *origin_came(struct arena *arena, enum report_language language, const struct run_origin *origin);
const char *origin_note(struct arena *arena, enum report_language language, const struct record *record);

/* For tests: the rows of a language's sentences. NULL behind the last one. */
struct sentence {
    const char *english, *translation; /* a printf format; {1} is its first conversion */
};
const struct sentence *language_sentence(enum report_language language, size_t index);

#endif
