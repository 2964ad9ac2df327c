/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/reason.h"
#include "assay/reasons/any.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "assay/model/reading.h"

/* Deeper than what we say goes: a reason within that many keeps its words and loses its form, so that no file decides how
   deep our calls go. */
enum { DEEPEST = 24, LARGEST = 1 << 24 };

/* -- making ----------------------------------------------------------------------------------------------- */

/* Control bytes become blanks, so that no report or terminal is steered by what a host said. */
static const char *one_line(struct arena *arena, struct slice bytes, size_t most)
{
    struct slice kept = {bytes.bytes, bytes.length < most ? bytes.length : most};
    char *line;

    /* A sequence that is cut in two must not show as a bad byte. */
    while (kept.length < bytes.length && kept.length > 0 && (kept.bytes[kept.length] & 0xc0) == 0x80)
        kept.length--;
    line = arena_strndup(arena, kept.bytes, kept.length);
    for (size_t i = 0; i < kept.length; i++) {
        unsigned char byte = (unsigned char)line[i], next = (unsigned char)line[i + 1];

        if (byte < 0x20 || byte == 0x7f)
            line[i] = ' ';
        else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) /* U+0080 to U+009F */
            line[i] = line[i + 1] = ' ';
    }
    return utf8_clean(arena, (struct slice){line, kept.length});
}

struct reason_value reason_value_text(const char *text)
{
    return (struct reason_value){.kind = VALUE_OF_TEXT, .text = text};
}

struct reason_value reason_value_slice(struct slice slice)
{
    return (struct reason_value){.kind = VALUE_OF_SLICE, .slice = slice};
}

struct reason_value reason_value_reason(const struct reason *reason)
{
    return (struct reason_value){.kind = VALUE_OF_REASON, .reason = reason};
}

struct reason_value reason_value_integer(long long integer)
{
    return (struct reason_value){.kind = VALUE_OF_INTEGER, .integer = integer};
}

struct reason_value reason_value_natural(unsigned long long natural)
{
    return (struct reason_value){.kind = VALUE_OF_NATURAL, .natural = natural};
}

struct reason_value reason_value_real(double real)
{
    return (struct reason_value){.kind = VALUE_OF_REAL, .real = real};
}

static struct reason_argument argument_of(struct arena *arena, const struct reason_value *value)
{
    switch (value->kind) {
    case VALUE_OF_REASON:
        if (reason_is(value->reason, text))
            return value->reason->arguments[0];
        return (struct reason_argument){.reason = value->reason};
    case VALUE_OF_SLICE:
        return (struct reason_argument){.text = one_line(arena, value->slice, REASON_QUOTED)};
    case VALUE_OF_INTEGER:
        return (struct reason_argument){.text = arena_printf(arena, "%lld", value->integer)};
    case VALUE_OF_NATURAL:
        return (struct reason_argument){.text = arena_printf(arena, "%llu", value->natural)};
    case VALUE_OF_REAL:
        return (struct reason_argument){.text = arena_printf(arena, "%g", value->real)};
    case VALUE_OF_TEXT:
    default:
        if (value->text == NULL) /* as another party's record may leave it out */
            return (struct reason_argument){0};
        return (struct reason_argument){.text = one_line(arena, slice_of(value->text), (size_t)-1)};
    }
}

const struct reason *reason_make(struct arena *arena, const struct sentence *sentence,
                                 const struct reason_value *values, size_t count)
{
    struct reason_argument *arguments;
    struct reason *made;

    if (count == 0)
        return &sentence->plain; /* which no copy needs to copy */
    arguments = arena_array(arena, struct reason_argument, count);
    made = arena_new(arena, struct reason);
    *made = (struct reason){sentence, count, arguments, 1};
    for (size_t i = 0; i < count; i++) {
        arguments[i] = argument_of(arena, &values[i]);
        if (arguments[i].reason == NULL)
            continue;
        if (arguments[i].reason->depth >= DEEPEST)
            arguments[i] = (struct reason_argument){.text = reason_english(arena, arguments[i].reason)};
        else if (arguments[i].reason->depth >= made->depth)
            made->depth = arguments[i].reason->depth + 1;
    }
    return made;
}

const struct reason *reason_map(struct arena *arena, const struct reason *reason,
                                const char *(*change)(void *context, const char *text), void *context)
{
    struct reason_argument *arguments;
    struct reason *copy;

    if (reason == NULL || reason->count == 0)
        return reason;
    arguments = arena_array(arena, struct reason_argument, reason->count);
    copy = arena_new(arena, struct reason);
    for (size_t i = 0; i < reason->count; i++)
        if (reason->arguments[i].text != NULL)
            arguments[i].text = change(context, reason->arguments[i].text);
        else
            arguments[i].reason = reason_map(arena, reason->arguments[i].reason, change, context);
    *copy = (struct reason){reason->sentence, reason->count, arguments, reason->depth};
    return copy;
}

static const char *copy_text(void *arena, const char *text)
{
    return arena_strdup(arena, text);
}

const struct reason *reason_copy(struct arena *arena, const struct reason *reason)
{
    return reason_map(arena, reason, copy_text, arena);
}

const struct reason *reason_text(struct arena *arena, const char *text)
{
    return *text != '\0' ? reason(arena, text, text) : NULL;
}

const struct reason *reason_quote(struct arena *arena, struct slice bytes)
{
    return bytes.length > 0 ? reason(arena, text, bytes) : NULL;
}

static unsigned depth_of(const struct reason_argument *argument)
{
    return argument->reason != NULL ? argument->reason->depth : 0;
}

const struct reason *reason_also(struct arena *arena, const struct reason *first, const struct reason *second)
{
    if (first == NULL || second == NULL)
        return first != NULL ? first : second;
    /* Of a list that grows one by one both halves are filled in turn: so it is as deep as the logarithm of its length. */
    if (reason_is(first, also) && depth_of(&first->arguments[1]) < depth_of(&first->arguments[0]))
        return reason(arena, also, reason_argument(arena, first, 1),
                      reason_also(arena, reason_argument(arena, first, 2), second));
    return reason(arena, also, first, second);
}

/* -- asking ----------------------------------------------------------------------------------------------- */

bool reason_is_(const struct reason *reason, const struct sentence *sentence)
{
    return reason != NULL && reason->sentence == sentence;
}

bool reason_has_(const struct reason *reason, const struct sentence *sentence)
{
    if (reason == NULL || reason->sentence == sentence)
        return reason != NULL;
    for (size_t i = 0; i < reason->count; i++)
        if (reason_has_(reason->arguments[i].reason, sentence))
            return true;
    return false;
}

bool reason_equal(const struct reason *a, const struct reason *b)
{
    if (a == b || a == NULL || b == NULL)
        return a == b;
    if (a->sentence != b->sentence || a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct reason_argument *left = &a->arguments[i], *right = &b->arguments[i];

        if ((left->text == NULL) != (right->text == NULL) ||
            (left->text != NULL ? strcmp(left->text, right->text) != 0
                                : !reason_equal(left->reason, right->reason)))
            return false;
    }
    return true;
}

/* Until reasons were data a record had what they say. */
const char *reason_key(struct arena *arena, const struct reason *reason)
{
    const char *word = reason_as_word(reason);

    return word != NULL ? word : reason_english(arena, reason);
}

bool reason_says_the_same(struct arena *arena, const struct reason *a, const struct reason *b)
{
    return reason_equal(a, b) || strcmp(reason_key(arena, a), reason_key(arena, b)) == 0;
}

bool reason_mentions(const struct reason *reason, const char *text)
{
    for (size_t i = 0; reason != NULL && i < reason->count; i++)
        if (reason->arguments[i].text != NULL ? strstr(reason->arguments[i].text, text) != NULL
                                              : reason_mentions(reason->arguments[i].reason, text))
            return true;
    return false;
}

const struct reason *reason_argument(struct arena *arena, const struct reason *reason, size_t number)
{
    const char *text = reason_argument_text(reason, number);

    if (text != NULL)
        return reason_text(arena, text);
    return reason != NULL && number >= 1 && number <= reason->count ? reason->arguments[number - 1].reason
                                                                    : NULL;
}

const char *reason_argument_text(const struct reason *reason, size_t number)
{
    return reason != NULL && number >= 1 && number <= reason->count ? reason->arguments[number - 1].text
                                                                    : NULL;
}

/* -- rendering -------------------------------------------------------------------------------------------- */

/* "{1}" or "{1|host|hosts}" at the start of text: its bytes and the argument that it names; 0 when there is none. */
static size_t hole_at(const char *text, size_t *ret_argument)
{
    const char *end = text[0] == '{' && isdigit((unsigned char)text[1]) ? strchr(text, '}') : NULL;

    if (end == NULL || strchr("}|", text[2]) == NULL)
        return 0;
    *ret_argument = (size_t)(text[1] - '1');
    return (size_t)(end - text) + 1;
}

/* Of "{1|host|hosts}" the first word for one, and the second for all other numbers. */
static struct slice word_of(const char *hole, size_t length, bool one)
{
    const char *bar = memchr(hole + 3, '|', length - 3);

    if (bar == NULL)
        return (struct slice){hole, 0};
    return one ? (struct slice){hole + 3, (size_t)(bar - hole) - 3}
               : (struct slice){bar + 1, (size_t)(hole + length - 1 - bar) - 1};
}

/* Takes what is said, in order. */
typedef void piece_cb(void *context, struct slice piece, bool foreign);

static void say(enum report_language language, const struct reason *reason, piece_cb *take, void *context);

static void say_argument(enum report_language language, const struct reason_argument *argument,
                         const char *hole, size_t length, piece_cb *take, void *context)
{
    if (hole[2] == '|')
        take(context, word_of(hole, length, argument->text != NULL && strcmp(argument->text, "1") == 0),
             false);
    else if (argument->text != NULL)
        take(context, slice_of(argument->text), true);
    else
        say(language, argument->reason, take, context);
}

static void say(enum report_language language, const struct reason *reason, piece_cb *take, void *context)
{
    const char *text, *from;
    size_t length, argument = 0;

    if (reason == NULL)
        return;
    for (text = from = reason->sentence->texts[language]; *text != '\0'; text += length) {
        length = hole_at(text, &argument);
        if (length == 0 || argument >= reason->count) {
            length = 1;
            continue;
        }
        take(context, (struct slice){from, (size_t)(text - from)}, false);
        say_argument(language, &reason->arguments[argument], text, length, take, context);
        from = text + length;
    }
    take(context, slice_of(from), false);
}

static void take_text(void *context, struct slice piece, bool foreign)
{
    (void)foreign;
    text_add(context, piece.bytes, piece.length);
}

void reason_put(struct text *out, enum report_language language, const struct reason *reason)
{
    say(language, reason, take_text, out);
}

const char *reason_said(struct arena *arena, enum report_language language, const struct reason *reason)
{
    cleanup_text struct text out = {0};

    if (reason == NULL)
        return "";
    if (reason->count == 0)
        return reason->sentence->texts[language];
    text_init(&out, LARGEST);
    reason_put(&out, language, reason);
    return arena_strndup(arena, out.bytes, out.length);
}

const char *reason_english(struct arena *arena, const struct reason *reason)
{
    return reason_said(arena, LANGUAGE_EN, reason);
}

/* Two words in small letters one after the other; names, numbers, units and signs are the same in every language. */
static bool is_prose(const char *text)
{
    size_t words = 0;

    while (*text != '\0') {
        size_t letters = strspn(text, "abcdefghijklmnopqrstuvwxyz'"), length = strcspn(text, " ");

        words = letters > 1 && letters + strspn(text + letters, ",.:;?") == length ? words + 1 : 0;
        if (words == 2)
            return true;
        text += length + strspn(text + length, " ");
    }
    return false;
}

struct pieces {
    struct arena *arena;
    struct said_list *list;
};

static void take_piece(void *context, struct slice piece, bool foreign)
{
    struct pieces *pieces = context;
    const char *text;

    if (piece.length == 0)
        return;
    text = arena_strndup(pieces->arena, piece.bytes, piece.length);
    *list_push(pieces->arena, &pieces->list->items) = (struct said){text, foreign && is_prose(text)};
}

void reason_pieces(struct arena *arena, enum report_language language, const struct reason *reason,
                   struct said_list *ret_pieces)
{
    *ret_pieces = (struct said_list){0};
    say(language, reason, take_piece, &(struct pieces){arena, ret_pieces});
}

/* -- keeping ---------------------------------------------------------------------------------------------- */

/* The sentences of all parts, for what is read by its code. */
#define SENTENCE(code, count, english) extern const struct sentence sentence_##code;
#include "assay/reasons/all.def"
#undef SENTENCE
static const struct sentence *const sentences[] = {
#define SENTENCE(code, count, english) &sentence_##code,
#include "assay/reasons/all.def"
#undef SENTENCE
};

static int compare_codes(const void *a, const void *b)
{
    const struct sentence *const *left = a, *const *right = b;

    return strcmp((*left)->code, (*right)->code);
}

static int compare_english(const void *a, const void *b)
{
    const struct sentence *const *left = a, *const *right = b;

    return strcmp((*left)->texts[LANGUAGE_EN], (*right)->texts[LANGUAGE_EN]);
}

/* All sentences in an order, made when it is first asked for. */
struct sorted {
    const struct sentence *items[ARRAY_SIZE(sentences)];
};

static const struct sentence *sentence_find(struct sorted *sorted, const struct sentence *wanted,
                                            int (*compare)(const void *, const void *))
{
    const struct sentence *const *found;

    if (sorted->items[0] == NULL) {
        memcpy(sorted->items, sentences, sizeof sentences);
        qsort(sorted->items, ARRAY_SIZE(sentences), sizeof sentences[0], compare);
    }
    found = bsearch(&wanted, sorted->items, ARRAY_SIZE(sentences), sizeof sentences[0], compare);
    return found != NULL ? *found : NULL;
}

static const struct sentence *sentence_of_code(const char *code)
{
    static struct sorted sorted;

    return sentence_find(&sorted, &(struct sentence){.code = code}, compare_codes);
}

/* The sentence without arguments that says just this. */
static const struct sentence *sentence_of_english(const char *english)
{
    static struct sorted sorted;
    const struct sentence *found =
        sentence_find(&sorted, &(struct sentence){.texts = {[LANGUAGE_EN] = english}}, compare_english);

    return found != NULL && found->arguments == 0 ? found : NULL;
}

static void put_string(struct text *out, const char *string)
{
    text_put(out, "\"");
    for (; *string != '\0'; string++) {
        if (*string == '"' || *string == '\\')
            text_put(out, "\\");
        text_add(out, string, 1);
    }
    text_put(out, "\"");
}

static void put_form(struct text *out, const struct reason *reason)
{
    if (reason == NULL) {
        text_put(out, "null");
        return;
    }
    text_put(out, "[");
    put_string(out, reason->sentence->code);
    for (size_t i = 0; i < reason->count; i++) {
        text_put(out, ",");
        if (reason->arguments[i].text != NULL)
            put_string(out, reason->arguments[i].text);
        else
            put_form(out, reason->arguments[i].reason);
    }
    text_put(out, "]");
}

/* Whether it is read back as the text that it is. */
static bool is_plain(const char *text)
{
    return text[0] != '\0' && text[0] != '[' && sentence_of_english(text) == NULL;
}

const char *reason_encode(struct arena *arena, const struct reason *reason)
{
    cleanup_text struct text out = {0};

    if (reason == NULL)
        return "";
    if (reason_is(reason, text) && reason->arguments[0].text != NULL && is_plain(reason->arguments[0].text))
        return arena_strdup(arena, reason->arguments[0].text);
    text_init(&out, LARGEST);
    put_form(&out, reason);
    return arena_strndup(arena, out.bytes, out.length);
}

const struct reason *reason_word(struct arena *arena, const char *word)
{
    const struct sentence *sentence = word != NULL ? sentence_of_english(word) : NULL;

    if (word == NULL)
        return NULL;
    return sentence != NULL ? &sentence->plain : reason_text(arena, word);
}

const char *reason_as_word(const struct reason *reason)
{
    if (reason_is(reason, text))
        return reason_argument_text(reason, 1);
    return reason != NULL && reason->count == 0 ? reason->sentence->texts[LANGUAGE_EN] : NULL;
}

struct form {
    struct arena *arena;
    const char *at;
    unsigned depth;
};

/* NULL: there is no string. */
static const char *take_string(struct form *form)
{
    cleanup_text struct text out = {0};

    if (*form->at != '"')
        return NULL;
    text_init(&out, LARGEST);
    for (form->at++; *form->at != '"'; form->at++) {
        if (*form->at == '\\' && *++form->at != '"' && *form->at != '\\')
            return NULL;
        if ((unsigned char)*form->at < ' ') /* the end, or what no form of ours has */
            return NULL;
        text_add(&out, form->at, 1);
    }
    form->at++;
    return arena_strndup(form->arena, out.bytes, out.length);
}

static bool take(struct form *form, const char *mark)
{
    size_t length = strlen(mark);

    if (strncmp(form->at, mark, length) != 0)
        return false;
    form->at += length;
    return true;
}

static bool take_form(struct form *form, const struct reason **ret_reason);

static bool take_argument(struct form *form, struct reason_value *ret_value)
{
    const struct reason *inner = NULL;
    const char *text = take_string(form);

    if (text != NULL) {
        *ret_value = reason_value_text(text);
        return true;
    }
    if (!take(form, "null") && !take_form(form, &inner))
        return false;
    *ret_value = reason_value_reason(inner);
    return true;
}

static bool take_form(struct form *form, const struct reason **ret_reason)
{
    enum { ARGUMENTS_MOST = 10 };
    struct reason_value values[ARGUMENTS_MOST];
    const struct sentence *sentence;
    const char *code;
    size_t count = 0;

    if (!take(form, "[") || ++form->depth > DEEPEST || (code = take_string(form)) == NULL ||
        (sentence = sentence_of_code(code)) == NULL)
        return false;
    while (take(form, ","))
        if (count == sentence->arguments || count == ARGUMENTS_MOST || !take_argument(form, &values[count++]))
            return false;
    if (!take(form, "]") || count != sentence->arguments)
        return false;
    form->depth--;
    *ret_reason = count == 0 ? &sentence->plain : reason_make(form->arena, sentence, values, count);
    return true;
}

const struct reason *reason_decode(struct arena *arena, const char *text)
{
    struct form form = {.arena = arena, .at = text};
    const struct reason *made = NULL;
    const struct sentence *sentence;

    if (*text == '[' && take_form(&form, &made) && *form.at == '\0')
        return made;
    /* A text; of a database from before reasons were data it may be what one of the sentences says. */
    sentence = sentence_of_english(text);
    return sentence != NULL ? &sentence->plain : reason_text(arena, text);
}
