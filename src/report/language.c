/* SPDX-License-Identifier: Apache-2.0 */
#include "language.h"

#include <ctype.h>
#include <string.h>

#include "assay/text.h"

static const char *const texts[][TEXT_COUNT] = {
    [LANGUAGE_EN] =
        {
#define TEXT(key, string) [TEXT_##key] = (string),
#include "text_en.def"
        },
    [LANGUAGE_ZH] =
        {
#include "text_zh.def"
#undef TEXT
        },
};

static const struct sentence sentences_zh[] = {
#define SENTENCE(english, translation) {(english), (translation)},
#define COMPOSED(english, translation) {(english), (translation)},
#include "sentences_zh.def"
#undef COMPOSED
#undef COMPOSED
#undef SENTENCE
};
enum { SENTENCE_COUNT = sizeof sentences_zh / sizeof sentences_zh[0], CONVERSIONS = 12, DEPTH = 32 };

static const char *const names[] = {[LANGUAGE_EN] = "en", [LANGUAGE_ZH] = "zh"};

/* Of Chinese only where it is written as ours is, simplified; of English every one. NULL: any, also none. */
static const char *const regions[][5] = {
    [LANGUAGE_EN] = {NULL}, [LANGUAGE_ZH] = {"", "cn", "sg", "hans", "hans-cn"}};

static bool is_region(enum report_language language, const char *region)
{
    if (regions[language][0] == NULL)
        return true;
    for (size_t i = 0; i < sizeof regions[0] / sizeof regions[0][0]; i++)
        if (strcmp(regions[language][i], region) == 0)
            return true;
    return false;
}

bool report_language_find(const char *name, enum report_language *ret_language)
{
    char word[32] = "", *region, *codeset;

    if (strlen(name) >= sizeof word)
        return false;
    for (size_t i = 0; name[i] != '\0'; i++)
        word[i] = name[i] == '_' ? '-' : (char)tolower((unsigned char)name[i]);
    word[strcspn(word, "@")] = '\0';
    codeset = word + strcspn(word, ".");
    /* Reports are UTF-8, and a terminal of another character set could not show them. */
    if (*codeset != '\0' && strcmp(codeset, ".utf-8") != 0 && strcmp(codeset, ".utf8") != 0)
        return false;
    *codeset = '\0';
    region = word + strcspn(word, "-");
    if (*region != '\0')
        *region++ = '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], word) == 0 && is_region((enum report_language)i, region)) {
            *ret_language = (enum report_language)i;
            return true;
        }
    return false;
}

const char *report_language_name(enum report_language language)
{
    return names[language];
}

const char *language_text(enum report_language language, enum text_key key)
{
    const char *text = texts[language][key];

    return text != NULL ? text : texts[LANGUAGE_EN][key];
}

const struct sentence *language_sentence(enum report_language language, size_t index)
{
    return language == LANGUAGE_ZH && index < SENTENCE_COUNT ? &sentences_zh[index] : NULL;
}

/* -- Filling ----------------------------------------------------------------------------------------------
 */

/* "{1}", "{1!}", "{1=}", "{1?}" or "{1|host|hosts}" at the start of text: its bytes and the value that it names; 0 when
   there is none. */
static size_t hole_at(const char *text, size_t *ret_value)
{
    const char *end = text[0] == '{' && isdigit((unsigned char)text[1]) ? strchr(text, '}') : NULL;

    if (end == NULL || strchr("}|!=?", text[2]) == NULL)
        return 0;
    *ret_value = (size_t)(text[1] - '1');
    return (size_t)(end - text) + 1;
}

/* Of "{1|host|hosts}" the first word for one, and the second for all other numbers. */
static void put_plural(struct text *out, const char *hole, size_t length, bool one)
{
    const char *bar = memchr(hole + 3, '|', length - 3);

    if (bar == NULL)
        return;
    if (one)
        text_add(out, hole + 3, (size_t)(bar - hole) - 3);
    else
        text_add(out, bar + 1, (size_t)(hole + length - 1 - bar) - 1);
}

const char *language_fill(struct arena *arena, const char *text, const char *const *values, size_t count)
{
    cleanup_text struct text out = {0};
    size_t value = 0;

    text_init(&out, (size_t)1 << 24);
    while (*text != '\0') {
        size_t length = hole_at(text, &value);

        if (length == 0 || value >= count)
            text_add(&out, text, length = length > 0 ? length : 1);
        else if (text[2] == '|')
            put_plural(&out, text, length, strcmp(values[value], "1") == 0);
        else
            text_put(&out, values[value]);
        text += length;
    }
    return arena_strndup(arena, out.bytes, out.length);
}

/* -- Translating ------------------------------------------------------------------------------------------
 */

/* What the conversions of a format stood for. */
struct match {
    struct slice values[CONVERSIONS];
    bool words[CONVERSIONS]; /* %s: may be a sentence itself */
    size_t count;
    bool joined; /* a value that is not the last may be of joined sentences */
};

/* The bytes of the conversion that the format begins with, and whether it is one of text. */
static size_t conversion_at(const char *format, bool *ret_words)
{
    size_t length = 1;

    if (format[0] != '%' || format[1] == '%')
        return 0;
    length += strspn(format + length, "0123456789.-+*");
    length += strspn(format + length, "lzh");
    *ret_words = format[length] == 's' || format[length] == 'c';
    return length + 1;
}

static bool is_number(const char *at, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isxdigit((unsigned char)at[i]) && strchr(".,+-", at[i]) == NULL)
            return false;
    return length > 0;
}

static bool match_format(const char *format, const char *text, struct match *match)
{
    bool words = false;
    size_t conversion;

    for (; (conversion = conversion_at(format, &words)) == 0; format++, text++) {
        if (format[0] == '%')
            format++;
        if (*format != *text)
            return false;
        if (*format == '\0')
            return true;
    }
    if (match->count == CONVERSIONS)
        return false;
    for (size_t length = 0; length <= strlen(text); length++) {
        size_t at = match->count;

        if (!words && !is_number(text, length))
            continue;
        if (!match->joined && format[conversion] != '\0' && length > 1 &&
            strncmp(text + length - 2, "; ", 2) == 0)
            return false;
        /* Shortest first; nothing is tried where what follows cannot be there. */
        if (format[conversion] != '%' && format[conversion] != text[length])
            continue;
        match->values[match->count] = (struct slice){text, length};
        match->words[match->count++] = words;
        if (match_format(format + conversion, text + length, match))
            return true;
        match->count = at;
    }
    return false;
}

/* What every text of a row begins with, ends with and has somewhere: most rows need no closer look. */
struct literals {
    struct slice head, tail, longest;
};

/* The bytes of a format up to the next '%'. */
static struct slice literal_at(const char *format)
{
    return (struct slice){format, strcspn(format, "%")};
}

static struct literals literals_of(const char *format)
{
    struct literals literals = {.head = literal_at(format), .longest = {format, 0}};

    for (;;) {
        bool words;

        literals.tail = literal_at(format);
        if (literals.tail.length > literals.longest.length)
            literals.longest = literals.tail;
        format += literals.tail.length;
        if (*format == '\0')
            return literals;
        format += format[1] == '%' ? 2 : conversion_at(format, &words);
    }
}

static bool may_match(size_t row, const char *text, size_t length)
{
    static struct literals literals[SENTENCE_COUNT];
    const struct literals *of = &literals[row];

    if (of->head.bytes == NULL)
        literals[row] = literals_of(sentences_zh[row].english);
    return of->head.length <= length && of->tail.length <= length &&
           memcmp(text, of->head.bytes, of->head.length) == 0 &&
           memcmp(text + length - of->tail.length, of->tail.bytes, of->tail.length) == 0 &&
           memmem(text, length, of->longest.bytes, of->longest.length) != NULL;
}

static void add_piece(struct arena *arena, struct said_list *pieces, const char *text, bool english)
{
    if (*text != '\0')
        *list_push(arena, &pieces->items) = (struct said){text, english};
}

static bool translate(struct arena *arena, enum report_language language, const char *english,
                      struct said_list *pieces, unsigned depth);

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

static void put_value(struct arena *arena, enum report_language language, const char *value, bool words,
                      struct said_list *pieces, unsigned depth)
{
    if (words && depth < DEPTH && translate(arena, language, value, pieces, depth + 1))
        return;
    add_piece(arena, pieces, value, words && is_prose(value));
}

/* Whether the value of such a hole, by its mark, may be a sentence. */
static bool may_be_said(char mark, const char *value)
{
    return mark != '!' && mark != '=' && (mark != '?' || strchr(value, ' ') != NULL);
}

/* {1=} is one word: else the row is about something else. */
static bool has_words(const char *translation, const struct match *match)
{
    size_t value = 0;

    for (; *translation != '\0'; translation++)
        if (hole_at(translation, &value) > 0 && translation[2] == '=' && value < match->count &&
            (match->values[value].length == 0 ||
             memchr(match->values[value].bytes, ' ', match->values[value].length) != NULL))
            return false;
    return true;
}

static void put_translation(struct arena *arena, enum report_language language, const char *translation,
                            const struct match *match, struct said_list *pieces, unsigned depth)
{
    const char *from = translation, *text;
    size_t value = 0, length;

    while (*translation != '\0') {
        length = hole_at(translation, &value);
        if (length == 0 || value >= match->count) {
            translation++;
            continue;
        }
        add_piece(arena, pieces, arena_strndup(arena, from, (size_t)(translation - from)), false);
        text = arena_strndup(arena, match->values[value].bytes, match->values[value].length);
        put_value(arena, language, text, match->words[value] && may_be_said(translation[2], text), pieces,
                  depth);
        translation += length;
        from = translation;
    }
    add_piece(arena, pieces, from, false);
}

static bool translate_whole(struct arena *arena, enum report_language language, const char *english,
                            bool joined, struct said_list *pieces, unsigned depth)
{
    const size_t text_length = strlen(english);
    const struct sentence *sentence;

    for (size_t i = 0; (sentence = language_sentence(language, i)) != NULL; i++) {
        struct match match = {.joined = joined};

        if (!may_match(i, english, text_length) || !match_format(sentence->english, english, &match) ||
            !has_words(sentence->translation, &match))
            continue;
        put_translation(arena, language, sentence->translation, &match, pieces, depth);
        return true;
    }
    return false;
}

/* Sentences that were joined: the first that is known up to one of the partings; where none is, and all of them are no
   sentence either, the first one as it is. */
static bool translate_parts(struct arena *arena, enum report_language language, const char *english,
                            struct said_list *pieces, unsigned depth)
{
    const char *first = strstr(english, "; "), *parting = first;

    if (first == NULL || depth >= DEPTH)
        return false;
    while (parting != NULL &&
           !translate_whole(arena, language, arena_strndup(arena, english, (size_t)(parting - english)),
                            false, pieces, depth))
        parting = strstr(parting + 2, "; ");
    if (parting == NULL && translate_whole(arena, language, english, true, pieces, depth))
        return true;
    if (parting == NULL) {
        parting = first;
        put_value(arena, language, arena_strndup(arena, english, (size_t)(parting - english)), true, pieces,
                  DEPTH);
    }
    add_piece(arena, pieces, "\xef\xbc\x9b", false); /* a full-width semicolon */
    put_value(arena, language, parting + 2, true, pieces, depth);
    return true;
}

/* Joined sentences are one value only at the end: else each is looked at for itself first. */
static bool translate(struct arena *arena, enum report_language language, const char *english,
                      struct said_list *pieces, unsigned depth)
{
    return translate_whole(arena, language, english, false, pieces, depth) ||
           translate_parts(arena, language, english, pieces, depth);
}

void language_pieces(struct arena *arena, enum report_language language, const char *english,
                     struct said_list *ret_pieces)
{
    *ret_pieces = (struct said_list){0};
    if (language == LANGUAGE_EN)
        add_piece(arena, ret_pieces, english, false);
    else
        put_value(arena, language, english, true, ret_pieces, 0);
}

const char *language_said(struct arena *arena, enum report_language language, const char *english)
{
    struct said_list pieces;
    const char *text = "";

    if (language == LANGUAGE_EN)
        return english;
    language_pieces(arena, language, english, &pieces);
    if (pieces.items.count == 1)
        return pieces.items.items[0].text;
    for (size_t i = 0; i < pieces.items.count; i++)
        text = arena_printf(arena, "%s%s", text, pieces.items.items[i].text);
    return text;
}
