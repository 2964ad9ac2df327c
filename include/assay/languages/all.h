/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The languages that people are written to, in one table. Another one is its file, NAME.def, and two lines here: its row, and
 * its file below. Nothing else names a language but English, which is what the house itself is written in.
 *
 * A file begins with what the language is, one row
 *
 *     LANGUAGE(.html = "zh-CN", ...)          the fields of struct language
 *
 * behind it come the sentences of include/assay/reasons (reason.h), SENTENCE(code, "text"), and what reports say
 * themselves (src/report/language.h), TEXT(KEY, "text"). A row that is missing or too many does not compile. English has only the
 * first row: its words are where they are used from.
 */
#ifndef ASSAY_LANGUAGES_ALL_H
#define ASSAY_LANGUAGES_ALL_H

#define LANGUAGES_BUT_ENGLISH(ROW, of) ROW(of, ZH, zh)
#define LANGUAGES(ROW, of) ROW(of, EN, en) LANGUAGES_BUT_ENGLISH(ROW, of)

/* Of what is written for people; JSON, CSV and other forms for programs are the same in all. */
#define LANGUAGE_KEY_(of, key, name) LANGUAGE_##key,
enum report_language { LANGUAGES(LANGUAGE_KEY_, ) };
#define LANGUAGE_ONE_(of, key, name) +1
enum { LANGUAGE_COUNT = LANGUAGES(LANGUAGE_ONE_, ) };

/* "en or zh", "en|zh": how options say what they take. */
#define LANGUAGE_OR_(of, key, name) " or " #name
#define LANGUAGE_BAR_(of, key, name) "|" #name
#define LANGUAGES_SAID "en" LANGUAGES_BUT_ENGLISH(LANGUAGE_OR_, )
#define LANGUAGES_BARRED "en" LANGUAGES_BUT_ENGLISH(LANGUAGE_BAR_, )

/* What a language is beside its words. */
enum { LANGUAGE_REGIONS = 5 };
struct language {
    const char *html; /* of <html lang> */
    /* Of locales, where it is written otherwise elsewhere: "cn", "hans". A NULL first: any, also none. "": none. */
    const char *regions[LANGUAGE_REGIONS];
    const char *paper; /* what pages are printed on, "A4"; NULL: what the printer has */
    const char *blank; /* between two sentences */
    const char *comma; /* between parts of one sentence; below between things named one after the other */
    const char *list, *clauses, *label; /* for ", ", "; " and ": " */
};
const struct language *language_of(enum report_language language);
const char *language_name(enum report_language language); /* "zh", as --lang and locales have it */

#endif

/* Every file but that of English: defined by who includes this are SENTENCE and TEXT, or LANGUAGE; LANGUAGE_FILE is whose it is. */
#ifdef LANGUAGE_FILES
#define LANGUAGE_FILE zh
#include "assay/languages/zh.def"
#undef LANGUAGE_FILE
#endif
