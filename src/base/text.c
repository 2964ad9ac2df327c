/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/arena.h"

enum { PIECE_BYTES = 256 * 1024 };

void text_init(struct text *text, size_t limit)
{
    *text = (struct text){.limit = limit, .capacity = 64};
    text->bytes = mem_alloc(text->capacity);
}

void text_init_draining(struct text *text, text_drain_cb *drain, void *context)
{
    text_init(text, SIZE_MAX);
    text->drain = drain;
    text->context = context;
}

void text_release(struct text *text)
{
    free(text->bytes);
    *text = (struct text){.limit = text->limit};
}

void text_reset(struct text *text)
{
    text->length = 0;
    text->clipped = false;
    if (text->bytes != NULL)
        text->bytes[0] = '\0';
}

char *text_detach(struct text *text)
{
    char *bytes = text->bytes != NULL ? text->bytes : mem_strdup("");

    text->bytes = NULL;
    text_init(text, text->limit);
    return bytes;
}

static void reserve(struct text *text, size_t length)
{
    size_t capacity = text->capacity > 0 ? text->capacity : 64;

    while (capacity < length + 1)
        capacity *= 2;
    if (capacity != text->capacity || text->bytes == NULL) {
        text->bytes = mem_resize(text->bytes, capacity);
        text->capacity = capacity;
    }
}

static void hand_on(struct text *text, size_t length)
{
    text->clipped = text->clipped || !text->drain(text->context, text->bytes, length);
    text->length -= length;
    memmove(text->bytes, text->bytes + length, text->length + 1);
}

void text_drain(struct text *text)
{
    hand_on(text, text->length);
}

void text_add(struct text *text, const void *bytes, size_t length)
{
    if (length > text->limit - text->length) {
        length = text->limit - text->length;
        text->clipped = true;
    }
    reserve(text, text->length + length);
    if (length > 0)
        memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
    if (text->drain != NULL && text->length >= PIECE_BYTES)
        hand_on(text, text->length - TEXT_HELD);
}

void text_put(struct text *text, const char *string)
{
    text_add(text, string, strlen(string));
}

void text_vprintf(struct text *text, const char *format, va_list arguments)
{
    char *formatted = NULL;
    int length = vasprintf(&formatted, format, arguments);

    if (length >= 0) {
        text_add(text, formatted, (size_t)length);
        free(formatted);
    }
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    text_vprintf(text, format, arguments);
    va_end(arguments);
}

void text_make_plain(struct text *text, size_t from)
{
    for (size_t i = from; i < text->length; i++) {
        unsigned char byte = (unsigned char)text->bytes[i];
        unsigned char next = (unsigned char)text->bytes[i + 1];

        if (byte < 0x20 || byte == 0x7f)
            text->bytes[i] = ' ';
        else if (byte == 0xc2 && next >= 0x80 && next < 0xa0) /* U+0080 to U+009F */
            text->bytes[i] = text->bytes[i + 1] = ' ';
    }
}

void text_shell_quote(struct text *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^";
    const char *quote;

    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        text_put(text, word);
        return;
    }
    text_put(text, "'");
    while ((quote = strchr(word, '\'')) != NULL) {
        text_add(text, word, (size_t)(quote - word));
        text_put(text, "'\\''");
        word = quote + 1;
    }
    text_put(text, word);
    text_put(text, "'");
}

int text_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
