/* SPDX-License-Identifier: Apache-2.0 */
#include "html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/printable.h"

static const char *escape_of(char byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static void put_escaped(struct text *out, struct slice character)
{
    const char *escape = escape_of(character.bytes[0]);

    if (escape != NULL)
        text_put(out, escape);
    else
        text_add(out, character.bytes, character.length);
}

void html_text(struct text *out, const char *string)
{
    struct slice character;

    while (printable_next(&string, &character))
        put_escaped(out, character);
}

/* How long the word at `string` is that a line may not break inside, as it would behind the '-' of "gpu2->gpu5". 0: it may. */
static size_t length_of_whole(const char *string)
{
    enum { LONGEST = 24 };
    size_t length = strcspn(string, " ,;()`");

    for (size_t i = 1; length <= LONGEST && i + 1 < length; i++)
        if (strncmp(string + i, "->", 2) == 0 || strncmp(string + i, "<-", 2) == 0)
            return length;
    return 0;
}

static void put_length(struct text *out, const char *string, size_t length)
{
    const char *end = string + length;
    struct slice character;

    while (string < end && printable_next(&string, &character))
        put_escaped(out, character);
}

/* Puts what stands at `string` between tags of its own, a command between backticks or a word that stays whole. Gives how
   many bytes that took; 0: it is neither. */
static size_t put_tagged(struct text *out, const char *string, bool starts)
{
    const char *end = *string == '`' ? strchr(string + 1, '`') : NULL;
    size_t whole = starts ? length_of_whole(string) : 0;

    if (end != NULL && end > string + 1) {
        html_markup(out, "<code>");
        put_length(out, string + 1, (size_t)(end - string - 1));
        html_markup(out, "</code>");
        return (size_t)(end + 1 - string);
    }
    if (whole > 0) {
        html_markup(out, "<span class=\"nb\">");
        put_length(out, string, whole);
        html_markup(out, "</span>");
    }
    return whole;
}

/* Not in attributes: tags stand in it. */
void html_words(struct text *out, const char *string)
{
    struct slice character = {0};
    bool listed = false, starts = true;
    size_t tagged;

    while (string != NULL && *string != '\0') {
        tagged = put_tagged(out, string, starts);
        string += tagged;
        if (tagged > 0 || !printable_next(&string, &character))
            continue;
        put_escaped(out, character);
        starts = strchr(" ,;(", character.bytes[0]) != NULL || (character.bytes[0] & 0x80) != 0;
        listed = character.bytes[0] == '[' || (listed && character.bytes[0] != ']');
        if (listed && character.bytes[0] == ',')
            html_markup(out, "<wbr>");
    }
}

void html_textf(struct text *out, const char *format, ...)
{
    va_list arguments;
    char *string = NULL;
    int length;

    va_start(arguments, format);
    length = vasprintf(&string, format, arguments);
    va_end(arguments);
    if (length < 0)
        return;
    html_text(out, string);
    free(string);
}

/* At most one decimal: more than a pixel of a plot can show. */
static void put_number(struct text *out, double number)
{
    if (!isfinite(number))
        number = 0;
    if (number == floor(number))
        text_printf(out, "%.0f", number);
    else
        text_printf(out, "%.1f", number);
}

void html_shape_(struct text *out, const char *literal, const double *numbers, size_t count)
{
    size_t next = 0;

    for (const char *at = literal; *at != '\0'; at++)
        if (*at == '@' && next < count)
            put_number(out, numbers[next++]);
        else
            text_add(out, at, 1);
}

/* A number, a word: what is short stays whole, however narrow the column. */
static bool is_short(const char *string)
{
    enum { SHORT = 14 };

    return string != NULL && strlen(string) <= SHORT;
}

void html_paragraph(struct text *out, const char *string)
{
    html_markup(out, "<p>");
    html_words(out, string);
    html_markup(out, "</p>\n");
}

void html_cell(struct text *out, const char *string)
{
    if (is_short(string))
        html_markup(out, "<td class=\"s\">");
    else
        html_markup(out, "<td>");
    html_words(out, string);
    html_markup(out, "</td>");
}

void html_number_cell(struct text *out, const char *string)
{
    html_markup(out, "<td class=\"num\">");
    html_words(out, string);
    html_markup(out, "</td>");
}

void html_row_head(struct text *out, const char *string)
{
    html_markup(out, "<th scope=\"row\">");
    html_words(out, string);
    html_markup(out, "</th>");
}

void html_pair(struct text *out, const char *name, const char *value)
{
    html_markup(out, "<div><dt>");
    html_text(out, name);
    html_markup(out, "</dt><dd>");
    html_text(out, value);
    html_markup(out, "</dd></div>\n");
}

void html_code(struct text *out, const char *string)
{
    html_markup(out, "<code>");
    html_text(out, string);
    html_markup(out, "</code>");
}

void html_code_cell(struct text *out, const char *string)
{
    html_markup(out, "<td>");
    html_code(out, string);
    html_markup(out, "</td>");
}

void html_word_class(struct text *out, enum outcome_word word)
{
    switch (word) {
    case OUTCOME_PASS:
        html_markup(out, " class=\"w pass\"");
        break;
    case OUTCOME_FAIL:
        html_markup(out, " class=\"w fail\"");
        break;
    case OUTCOME_INCONCLUSIVE:
        html_markup(out, " class=\"w inconclusive\"");
        break;
    case OUTCOME_NOT_RUN:
        html_markup(out, " class=\"w notrun\"");
        break;
    case OUTCOME_RECORDED:
    default:
        html_markup(out, " class=\"w recorded\"");
        break;
    }
}

const char *word_symbol(enum outcome_word word)
{
    static const char *const symbols[] = {
        [OUTCOME_RECORDED] = "\xc2\xb7",                                     /* middle dot */
        [OUTCOME_PASS] = "\xe2\x9c\x93",                                     /* check mark */
        [OUTCOME_NOT_RUN] = "\xe2\x80\x93",                                  /* en dash */
        [OUTCOME_INCONCLUSIVE] = "?",       [OUTCOME_FAIL] = "\xe2\x9c\x95", /* cross */
    };

    return symbols[word];
}
