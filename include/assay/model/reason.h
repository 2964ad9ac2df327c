/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reasons: why something has its outcome, was refused, ended so or was left out, and what to do about it. A reason is data:
 * a sentence of the catalogue and its arguments, which are words of others (names, numbers, what a tool printed) or
 * reasons again. It is carried, stored and compared as that, and becomes text at the edge only, in the reader's language.
 * Nobody reads it back from text.
 *
 * The catalogue is a file for each part of the house, include/assay/reasons/PART.def, with rows
 *
 *     SENTENCE(code, arguments, "english {1} ... {2|host|hosts}")
 *
 * where {N} is an argument and {N|one|many} a word that follows from argument N, as "1" or anything else. A code is for ever: it
 * is stored in databases and in JSON. A sentence that changes its meaning or its arguments gets another code. A language
 * is one file, include/assay/languages/LANGUAGE.def, with a row SENTENCE(code, "text") for each; one that is missing or too many
 * does not compile, and neither does a use with another number of arguments.
 *
 *     #include "assay/reasons/judge.h"
 *
 *     reason(arena, hang, seconds)            in the arena
 *     REASON(cancelled)                       without arguments, for ever; also in tables
 *     reason(arena, also, first, second)      reasons are arguments as texts and numbers are
 *
 * A reason is never changed once it is made, and NULL is the one that says nothing: every function here takes it.
 */
#ifndef ASSAY_REASON_H
#define ASSAY_REASON_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/base/arena.h"
#include "assay/base/scan.h"
#include "assay/base/text.h"
#include "assay/languages/all.h"

struct sentence;

struct reason_argument {
    const char *
        text; /* UTF-8 on one line, as it is in every language; NULL: reason says it, which may be NULL too */
    const struct reason *reason;
};

struct reason {
    const struct sentence *sentence;
    size_t count;
    const struct reason_argument *arguments;
    unsigned depth; /* 1: no argument is a reason */
};

struct sentence {
    const char *code; /* "host_down" */
    size_t arguments;
    const char *texts[LANGUAGE_COUNT];
    struct reason plain; /* of a sentence without arguments: its reason */
};

/* ---- making ---- */

/* What a reason may be made of; see REASON_VALUE. */
struct reason_value {
    enum {
        VALUE_OF_TEXT,
        VALUE_OF_SLICE,
        VALUE_OF_REASON,
        VALUE_OF_INTEGER,
        VALUE_OF_NATURAL,
        VALUE_OF_REAL
    } kind;
    union {
        const char *text;
        struct slice slice;
        const struct reason *reason;
        long long integer;
        unsigned long long natural;
        double real;
    };
};

/* Texts become one line of UTF-8: control characters are blanks. A slice is what a tool or host said, and of it at most this
   many bytes are kept. A double is written as "%g" does; for another form make it a text. */
enum { REASON_QUOTED = 300 };
const struct reason *reason_make(struct arena *arena, const struct sentence *sentence,
                                 const struct reason_value *values, size_t count)
    __attribute__((returns_nonnull));

/* A text that is as it is in every language: what a tool or person said, or what an older version stored. */
const struct reason *reason_text(struct arena *arena, const char *text);
/* The same of bytes that a tool printed, cut at REASON_QUOTED. */
const struct reason *reason_quote(struct arena *arena, struct slice bytes);
/* Both, one after the other; where one says nothing, the other alone. */
const struct reason *reason_also(struct arena *arena, const struct reason *first,
                                 const struct reason *second);

/* A word of a fixed vocabulary, such as the name of an enum; one that has no row in words.def is a text. */
const struct reason *reason_word(struct arena *arena, const char *word);
/* The word that it was made of: of a text its argument, of a sentence without arguments the one that stands for it; NULL: it is neither. */
const char *reason_as_word(const struct reason *reason);
/* What a value is compared by with those of other records, whichever assay wrote them: its word, else what it says. */
const char *reason_key(struct arena *arena, const struct reason *reason);
/* With each of its texts as change makes it; in the arena. */
const struct reason *reason_map(struct arena *arena, const struct reason *reason,
                                const char *(*change)(void *context, const char *text), void *context);
/* All of it in the arena, for a reason whose own goes. */
const struct reason *reason_copy(struct arena *arena, const struct reason *reason);

/* ---- asking ---- */

/* Whether it is of that sentence; and whether it is, or one of its arguments has it. */
#define reason_is(reason, code) reason_is_((reason), &sentence_##code)
#define reason_has(reason, code) reason_has_((reason), &sentence_##code)
bool reason_is_(const struct reason *reason, const struct sentence *sentence);
bool reason_has_(const struct reason *reason, const struct sentence *sentence);
bool reason_equal(const struct reason *a, const struct reason *b);
/* The same, or the same in English: an older version kept as a text what is a sentence today. */
bool reason_says_the_same(struct arena *arena, const struct reason *a, const struct reason *b);
/* Whether one of its texts, or of those of its arguments, has this in it. */
bool reason_mentions(const struct reason *reason, const char *text);
/* The argument's text, counted from 1; NULL where it is a reason or is not there. */
const char *reason_argument_text(const struct reason *reason, size_t number);
/* The same as a reason, a text as one of the sentence `text`; NULL where it is not there or says nothing. */
const struct reason *reason_argument(struct arena *arena, const struct reason *reason, size_t number);

/* ---- rendering ---- */

/* What it says in the language, piece by piece; foreign: a piece that nobody translated and that is of several words. */
struct said {
    const char *text;
    bool foreign;
};
struct said_list {
    LIST_OF(struct said) items;
};
void reason_pieces(struct arena *arena, enum report_language language, const struct reason *reason,
                   struct said_list *ret_pieces);
/* As one string; "" for NULL. */
const char *reason_said(struct arena *arena, enum report_language language, const struct reason *reason);
const char *reason_english(struct arena *arena, const struct reason *reason);
void reason_put(struct text *out, enum report_language language, const struct reason *reason);

/* ---- keeping ---- */

/*
 * A JSON list: the code, then the arguments, which are strings or such lists; null is a reason that says nothing. A text
 * is that text, unless it would be read as something else. "" for NULL. Equal reasons have equal forms.
 */
const char *reason_encode(struct arena *arena, const struct reason *reason);
/* What is no such form, or of a sentence that this version does not have, is a text; one that is word for word a sentence
   without arguments, as of a database from before reasons were data, is that sentence. */
const struct reason *reason_decode(struct arena *arena, const char *form);

/* ---- how reason() is made ---- */

struct reason_value reason_value_text(const char *text);
struct reason_value reason_value_slice(struct slice slice);
struct reason_value reason_value_reason(const struct reason *reason);
struct reason_value reason_value_integer(long long integer);
struct reason_value reason_value_natural(unsigned long long natural);
struct reason_value reason_value_real(double real);

#define REASON_VALUE(value) \
    _Generic((value), char *                                                                                          \
             : reason_value_text, const char *                                                                        \
             : reason_value_text, struct slice                                                                        \
             : reason_value_slice, const struct reason *                                                              \
             : reason_value_reason, struct reason *                                                                   \
             : reason_value_reason, int                                                                               \
             : reason_value_integer, long                                                                             \
             : reason_value_integer, long long                                                                        \
             : reason_value_integer, unsigned                                                                         \
             : reason_value_natural, unsigned long                                                                    \
             : reason_value_natural, unsigned long long                                                               \
             : reason_value_natural, double                                                                           \
             : reason_value_real)(value)

#define REASON_COUNT_(one, two, three, four, five, six, seven, eight, nine, ten, count, ...) count
#define REASON_COUNT(...) REASON_COUNT_(__VA_ARGS__, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define REASON_VALUES_1(a) REASON_VALUE(a)
#define REASON_VALUES_2(a, ...) REASON_VALUE(a), REASON_VALUES_1(__VA_ARGS__)
#define REASON_VALUES_3(a, ...) REASON_VALUE(a), REASON_VALUES_2(__VA_ARGS__)
#define REASON_VALUES_4(a, ...) REASON_VALUE(a), REASON_VALUES_3(__VA_ARGS__)
#define REASON_VALUES_5(a, ...) REASON_VALUE(a), REASON_VALUES_4(__VA_ARGS__)
#define REASON_VALUES_6(a, ...) REASON_VALUE(a), REASON_VALUES_5(__VA_ARGS__)
#define REASON_VALUES_7(a, ...) REASON_VALUE(a), REASON_VALUES_6(__VA_ARGS__)
#define REASON_VALUES_8(a, ...) REASON_VALUE(a), REASON_VALUES_7(__VA_ARGS__)
#define REASON_VALUES_9(a, ...) REASON_VALUE(a), REASON_VALUES_8(__VA_ARGS__)
#define REASON_VALUES_10(a, ...) REASON_VALUE(a), REASON_VALUES_9(__VA_ARGS__)
#define REASON_PASTE_(a, b) a##b
#define REASON_PASTE(a, b) REASON_PASTE_(a, b)
#define REASON_VALUES(...) REASON_PASTE(REASON_VALUES_, REASON_COUNT(__VA_ARGS__))(__VA_ARGS__)

/* Refuses to compile where the sentence takes another number of arguments. */
#define REASON_CHECKED(code, number) (0 * sizeof(char[ARGUMENTS_##code == (number) ? 1 : -1]))

#define reason(arena, code, ...)                                                                      \
    reason_make((arena), &sentence_##code, (const struct reason_value[]){REASON_VALUES(__VA_ARGS__)}, \
                REASON_COUNT(__VA_ARGS__) + REASON_CHECKED(code, REASON_COUNT(__VA_ARGS__)))
#define REASON(code) (&sentence_##code.plain + REASON_CHECKED(code, 0))

#endif
