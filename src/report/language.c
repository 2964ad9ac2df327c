/* SPDX-License-Identifier: Apache-2.0 */
#include "language.h"

#include <ctype.h>
#include <string.h>

#include "assay/base/text.h"

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)

#define LANGUAGE(...)
#define SENTENCE(code, text)
#define TEXT(key, string) static const char PASTE(LANGUAGE_FILE, key)[] = string;
#define LANGUAGE_FILES
#include "assay/languages/all.h"
#undef LANGUAGE_FILES
#undef TEXT

#define TEXT(key, string) static const char en_##key[] = string;
#include "text_en.def"
#undef TEXT

static const char *const texts[TEXT_COUNT][LANGUAGE_COUNT] = {
#define IN(key_, key, name) [LANGUAGE_##key] = name##_##key_,
#define TEXT(key, string) [TEXT_##key] = {LANGUAGES(IN, key)},
#include "text_en.def"
#undef TEXT
#undef IN
};

/* Of Chinese only where it is written as ours is, simplified; of English every one. */
static bool is_region(enum report_language language, const char *region)
{
    const char *const *regions = language_of(language)->regions;

    if (regions[0] == NULL)
        return true;
    for (size_t i = 0; i < LANGUAGE_REGIONS && regions[i] != NULL; i++)
        if (strcmp(regions[i], region) == 0)
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
    for (size_t i = 0; i < LANGUAGE_COUNT; i++) {
        enum report_language language = (enum report_language)i;

        if (strcmp(language_name(language), word) == 0 && is_region(language, region)) {
            *ret_language = language;
            return true;
        }
    }
    return false;
}

const char *language_text(enum report_language language, enum text_key key)
{
    return texts[key][language];
}

const char *language_between(enum report_language language, const char *english)
{
    const struct language *here = language_of(language), *there = language_of(LANGUAGE_EN);
    const char *const rows[][2] = {
        {there->list, here->list}, {there->clauses, here->clauses}, {there->label, here->label}};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (strcmp(rows[i][0], english) == 0)
            return rows[i][1];
    return english;
}

const char *language_fill(struct arena *arena, const char *text, const char *const *values, size_t count)
{
    const struct sentence sentence = {.arguments = count, .texts = {[LANGUAGE_EN] = text}};
    struct reason_argument *arguments = arena_array(arena, struct reason_argument, count);

    for (size_t i = 0; i < count; i++)
        arguments[i].text = values[i];
    return reason_english(arena, &(struct reason){&sentence, count, arguments, 1});
}
