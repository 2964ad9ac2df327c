/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports in several languages.
 *
 * What the writers of HTML and text say themselves stands in text_en.def, by key, and in each other language's file
 * (include/assay/languages), where a row that is missing or too many does not compile. In it {1} is the first value that the writer gives, and {1|host|hosts} is "host" where that value is "1".
 *
 * What others say, and the rest of the house, comes as reasons (reason.h), which have a catalogue of their own.
 * Names, numbers and units are the same in every language, and so are JSON, CSV, JUnit and Prometheus.
 */
#ifndef ASSAY_REPORT_LANGUAGE_H
#define ASSAY_REPORT_LANGUAGE_H

#include "assay/base/arena.h"
#include "assay/report/report.h"

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

/* The same for whoever has an arena and a language, as the writers of pages and letters do: what the report says itself, with
   and without values; what was said in English when it happened; and a fixed word, such as an enum's name. */
#define say(teller, key) language_text((teller)->language, (key))
#define sayf(teller, key, ...) language_say((teller)->arena, (teller)->language, (key), __VA_ARGS__)
#define said(teller, reason) reason_said((teller)->arena, (teller)->language, (reason))
#define word(teller, english) said((teller), reason_word((teller)->arena, (english)))

/* Of another party's run: how it came here; and with whose its verdict is. */
const char *origin_came(struct arena *arena, enum report_language language, const struct run_origin *origin);
const char *origin_note(struct arena *arena, enum report_language language, const struct record *record);

/* What stands between things named one after the other, ", ", "; " or ": ", as the language has it. */
const char *language_between(enum report_language language, const char *english);

#endif
