/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/board/reasons_alike.h"

#include <stdlib.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/base/text.h"

enum { REASON_BYTES = 64 * 1024 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

/* Bytes of the number that begins there: "345", "12.1"; 0: none does. */
static size_t number_length(const char *text, const char *at)
{
    size_t length = 0;

    if (!is_digit(*at) || (at > text && (is_word(at[-1]) || at[-1] == '.' || at[-1] == '-')))
        return 0;
    while (is_digit(at[length]))
        length++;
    if (at[length] == '.' && is_digit(at[length + 1]))
        for (length++; is_digit(at[length]);)
            length++;
    return is_word(at[length]) || (at[length] == '.' && is_digit(at[length + 1])) ? 0 : length;
}

/* The next number from *at on, and what stands before it; length 0: the rest has none. */
static size_t next_number(const char *text, const char **at)
{
    size_t length = 0;

    while (**at != '\0' && (length = number_length(text, *at)) == 0)
        (*at)++;
    return length;
}

struct reasons_alike reasons_alike_begin(struct arena *arena, const char *reason)
{
    struct reasons_alike alike = {.text = arena_strdup(arena, reason)};
    size_t length;

    for (const char *at = alike.text;
         alike.count < ALIKE_NUMBERS && (length = next_number(alike.text, &at)) > 0;
         at += length, alike.count++)
        alike.numbers[alike.count].low = alike.numbers[alike.count].high = arena_strndup(arena, at, length);
    return alike;
}

/* Whether both are the same but for their numbers, of which *ret_texts are those of the second. */
static bool are_alike(const struct reasons_alike *alike, const char *reason, const char **ret_texts,
                      size_t *ret_lengths)
{
    const char *mine = alike->text, *theirs = reason;

    for (unsigned i = 0; i < alike->count; i++) {
        const char *from = mine, *their_from = theirs;
        size_t length = next_number(alike->text, &mine);

        ret_lengths[i] = next_number(reason, &theirs);
        ret_texts[i] = theirs;
        if (ret_lengths[i] == 0 || mine - from != theirs - their_from ||
            strncmp(from, their_from, (size_t)(mine - from)) != 0)
            return false;
        mine += length;
        theirs += ret_lengths[i];
    }
    return strcmp(mine, theirs) == 0;
}

bool reasons_alike_add(struct arena *arena, struct reasons_alike *alike, const char *reason)
{
    const char *texts[ALIKE_NUMBERS];
    size_t lengths[ALIKE_NUMBERS];

    if (!are_alike(alike, reason, texts, lengths))
        return false;
    for (unsigned i = 0; i < alike->count; i++) {
        double value = strtod(texts[i], NULL);

        if (value < strtod(alike->numbers[i].low, NULL))
            alike->numbers[i].low = arena_strndup(arena, texts[i], lengths[i]);
        if (value > strtod(alike->numbers[i].high, NULL))
            alike->numbers[i].high = arena_strndup(arena, texts[i], lengths[i]);
    }
    return true;
}

const char *reasons_alike_text(struct arena *arena, const struct reasons_alike *alike)
{
    cleanup_text struct text out = {0};
    const char *at = alike->text;

    text_init(&out, REASON_BYTES);
    for (unsigned i = 0; i < alike->count; i++) {
        const char *from = at;
        size_t length = next_number(alike->text, &at);

        text_add(&out, from, (size_t)(at - from));
        text_put(&out, alike->numbers[i].low);
        if (strcmp(alike->numbers[i].low, alike->numbers[i].high) != 0)
            text_printf(&out, " to %s", alike->numbers[i].high);
        at += length;
    }
    text_put(&out, at);
    return arena_strdup(arena, out.bytes);
}
