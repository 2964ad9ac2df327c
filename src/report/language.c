/* SPDX-License-Identifier: Apache-2.0 */
#include "language.h"

#include <ctype.h>
#include <string.h>

#include "assay/base/text.h"

#define SENTENCE(code, text)
#define TEXT(key, string) static const char zh_##key[] = string;
#include "assay/languages/zh.def"
#undef TEXT
#undef SENTENCE

static const char *const texts[TEXT_COUNT][LANGUAGE_COUNT] = {
#define TEXT(key, string) [TEXT_##key] = {[LANGUAGE_EN] = string, [LANGUAGE_ZH] = zh_##key},
#include "text_en.def"
#undef TEXT
};

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
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (strcmp(names[i], word) == 0 && is_region((enum report_language)i, region)) {
            *ret_language = (enum report_language)i;
            return true;
        }
    return false;
}

const char *language_text(enum report_language language, enum text_key key)
{
    return texts[key][language];
}

const char *language_between(enum report_language language, const char *english)
{
    static const char *const rows[][2] = {
        {", ", "\xe3\x80\x81"}, {"; ", "\xef\xbc\x9b"}, {": ", "\xef\xbc\x9a"}};

    for (size_t i = 0; language == LANGUAGE_ZH && i < ARRAY_SIZE(rows); i++)
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
