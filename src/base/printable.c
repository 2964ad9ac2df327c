/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/base/printable.h"

#include <stddef.h>

#include "assay/base/arena.h"

#define REPLACEMENT "\xef\xbf\xbd"

/* The code point at the front and its length, or 0 for bytes that are not UTF-8 (RFC 3629). */
static size_t decode(const unsigned char *bytes, uint32_t *ret_code)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};

    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        uint32_t code = bytes[0] & (unsigned char)~forms[i].mask;

        if ((bytes[0] & forms[i].mask) != forms[i].lead)
            continue;
        for (size_t k = 1; k <= i; k++) {
            if ((bytes[k] & 0xc0) != 0x80)
                return 0;
            code = code << 6 | (bytes[k] & 0x3f);
        }
        if (code < forms[i].least || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
            return 0;
        *ret_code = code;
        return i + 1;
    }
    return 0;
}

/* Controls of both sets, and what turns the reading direction round or takes no room. */
static bool is_hidden(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x00, 0x08},     {0x0b, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},       {0x61c, 0x61c},
        {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0xfe00, 0xfe0f},
        {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe0fff},
    };

    for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    return false;
}

bool printable_next(const char **string, struct slice *ret_character)
{
    uint32_t code = 0;
    size_t length;

    if (*string == NULL || **string == '\0')
        return false;
    length = decode((const unsigned char *)*string, &code);
    *ret_character = length == 0 || is_hidden(code) ? slice_of(REPLACEMENT) : (struct slice){*string, length};
    *string += length > 0 ? length : 1;
    return true;
}

size_t utf8_length(const char *bytes)
{
    uint32_t code;

    return decode((const unsigned char *)bytes, &code);
}

void printable_line(struct text *out, const char *string)
{
    struct slice character;

    while (printable_next(&string, &character))
        if (character.bytes[0] == '\n' || character.bytes[0] == '\t')
            text_put(out, " ");
        else
            text_add(out, character.bytes, character.length);
}

void printable_put(struct text *out, const char *string)
{
    enum { LINE_BYTES = 4096 };
    cleanup_text struct text line = {0};

    text_init(&line, LINE_BYTES);
    printable_line(&line, string);
    text_put(out, line.bytes);
}

size_t printable_columns(const struct slice *character)
{
    static const struct {
        uint32_t first, last;
    } wide[] = {{0x1100, 0x115f}, {0x2e80, 0xa4cf}, {0xac00, 0xd7a3},   {0xf900, 0xfaff},  {0xfe30, 0xfe6f},
                {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1faff}, {0x20000, 0x3fffd}};
    uint32_t code = 0;

    decode((const unsigned char *)character->bytes, &code);
    for (size_t i = 0; i < ARRAY_SIZE(wide); i++)
        if (code >= wide[i].first && code <= wide[i].last)
            return 2;
    return 1;
}

bool printable_closes(const struct slice *character)
{
    static const uint32_t closing[] = {0x3001, 0x3002, 0x201d, 0xff01, 0xff09,
                                       0xff0c, 0xff1a, 0xff1b, 0xff1f};
    uint32_t code = 0;

    decode((const unsigned char *)character->bytes, &code);
    for (size_t i = 0; i < ARRAY_SIZE(closing); i++)
        if (code == closing[i])
            return true;
    return false;
}

size_t printable_width(const char *string)
{
    struct slice character;
    size_t width = 0;

    while (printable_next(&string, &character))
        width += printable_columns(&character);
    return width;
}
