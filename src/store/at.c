/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The place of a measurement as one word: `size_bytes=8589934592 place="out"`. Quotes tell text from numbers;
 * a backslash stands before any '"', '=', blank or backslash that is not ours.
 */
#include <string.h>

#include "assay/base/text.h"
#include "store_private.h"

static void put_escaped(struct text *text, const char *string)
{
    for (; *string != '\0'; string++) {
        if (strchr("\\\"= ", *string) != NULL)
            text_put(text, "\\");
        text_add(text, string, 1);
    }
}

const char *at_encode(struct arena *arena, const struct measurement *measurement)
{
    cleanup_text struct text text = {0};

    text_init(&text, (size_t)-1 / 4);
    for (size_t i = 0; i < measurement->at.count; i++) {
        const struct at_field *field = &measurement->at.items[i];

        text_put(&text, i > 0 ? " " : "");
        put_escaped(&text, field->key);
        text_put(&text, field->is_number ? "=" : "=\"");
        put_escaped(&text, field->text);
        text_put(&text, field->is_number ? "" : "\"");
    }
    return arena_strdup(arena, text.bytes);
}

/* Takes what stands before one of the ends, without the backslashes, off the front; leaves the end there. */
static const char *take_escaped(struct arena *arena, const char **rest, const char *ends)
{
    char *taken = arena_alloc(arena, strlen(*rest) + 1), *out = taken;

    while (**rest != '\0' && strchr(ends, **rest) == NULL) {
        if (**rest == '\\' && (*rest)[1] != '\0')
            (*rest)++;
        *out++ = *(*rest)++;
    }
    return taken;
}

static bool take_char(const char **rest, char wanted)
{
    if (**rest != wanted)
        return false;
    (*rest)++;
    return true;
}

bool at_decode(struct arena *arena, const char *text, struct measurement *ret_measurement)
{
    if (*text == '\0')
        return true;
    do {
        struct at_field *field = list_push(arena, &ret_measurement->at);

        field->key = take_escaped(arena, &text, "=");
        if (!take_char(&text, '='))
            return false;
        field->is_number = !take_char(&text, '"');
        field->text = take_escaped(arena, &text, field->is_number ? " " : "\"");
        if (!field->is_number && !take_char(&text, '"'))
            return false;
    } while (take_char(&text, ' '));
    return *text == '\0';
}
