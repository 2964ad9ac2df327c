/* SPDX-License-Identifier: Apache-2.0 */
#include "loose_json.h"

#include <ctype.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "frame.h"
#include "shell_words.h"

void loose_objects_find(struct arena *arena, struct slice bytes, struct loose_objects *ret_objects)
{
    LIST_OF(size_t) open = {0};
    bool string = false;

    for (size_t i = 0; i < bytes.length; i++) {
        char byte = bytes.bytes[i];

        if (string && byte == '\\') {
            i++;
        } else if (byte == '"') {
            string = !string && open.count > 0;
        } else if (string) {
            string = byte != '\n'; /* no string goes on in the next line: it was a quote in other text */
        } else if (byte == '{') {
            *list_push(arena, &open) = i;
        } else if (byte == '}' && open.count > 0) {
            size_t start = open.items[--open.count];

            while (ret_objects->list.count > 0 &&
                   ret_objects->list.items[ret_objects->list.count - 1].start > start)
                ret_objects->list.count--;
            *list_push(arena, &ret_objects->list) = (struct loose_object){start, i + 1 - start};
        }
    }
}

struct slice lines_join(struct arena *arena, const struct lines *lines)
{
    size_t length = lines->tail.length, used = 0;
    char *bytes;

    for (size_t i = 0; i < lines->count; i++)
        length += lines->items[i].text.length + 1;
    bytes = arena_alloc(arena, length + 1);
    for (size_t i = 0; i < lines->count; i++) {
        if (lines->items[i].text.length > 0)
            memcpy(bytes + used, lines->items[i].text.bytes, lines->items[i].text.length);
        used += lines->items[i].text.length;
        bytes[used++] = '\n';
    }
    if (lines->tail.length > 0)
        memcpy(bytes + used, lines->tail.bytes, lines->tail.length);
    return (struct slice){bytes, length};
}

bool json_begins(struct slice line)
{
    line = slice_trim(line);
    if (line.length == 0 || strchr("{[", line.bytes[0]) == NULL || line.bytes[0] == '\0')
        return false;
    line = slice_trim(slice_from(line, 1));
    return line.length == 0 || strchr("\"{[]}", line.bytes[0]) != NULL;
}

struct slice json_document(struct arena *arena, struct slice bytes)
{
    struct lines lines;
    size_t first = 0;

    while (bytes.length > 0 && strchr("\n\r \t", bytes.bytes[0]) != NULL)
        bytes = slice_from(bytes, 1);
    while (bytes.length > 0 && strchr("\n\r \t", bytes.bytes[bytes.length - 1]) != NULL)
        bytes.length--;
    if (slice_starts(bytes, "{") && slice_ends(bytes, "}"))
        return bytes;
    lines_read(arena, bytes, 0, &lines);
    while (first < lines.count && !json_begins(lines.items[first].text))
        first++;
    if (first == lines.count && !json_begins(lines.tail))
        return slice_of("");
    if (first > 0) /* without any line, items is NULL */
        lines.items += first;
    lines.count -= first;
    while (lines.tail.length == 0 && lines.count > 0 &&
           is_prompt(slice_trim(lines.items[lines.count - 1].text)))
        lines.count--;
    return lines_join(arena, &lines);
}

size_t json_length(struct slice text)
{
    size_t depth = 0;
    bool quoted = false;

    for (size_t i = 0; i < text.length; i++) {
        char byte = text.bytes[i];

        if (quoted && byte == '\\')
            i++;
        else if (byte == '"')
            quoted = !quoted;
        else if (!quoted && (byte == '{' || byte == '['))
            depth++;
        else if (!quoted && (byte == '}' || byte == ']') && --depth == 0)
            return i + 1;
    }
    return 0;
}

struct strict {
    struct text out;
    unsigned fillers;
};

/* Length of the string at the front, with its quotes; 0 when it is not closed. */
static size_t string_length(struct slice text)
{
    for (size_t i = 1; i < text.length; i++) {
        if (text.bytes[i] == '\\')
            i++;
        else if (text.bytes[i] == '"')
            return i + 1;
    }
    return 0;
}

/* Length of the object at the front up to its brace; 0 when it is not closed. */
static size_t object_length(struct slice text)
{
    size_t depth = 0;

    for (size_t i = 0; i < text.length; i++) {
        if (text.bytes[i] == '"') {
            size_t length = string_length(slice_from(text, i));

            if (length == 0)
                return 0;
            i += length - 1;
        } else if (text.bytes[i] == '{') {
            depth++;
        } else if (text.bytes[i] == '}' && --depth == 0) {
            return i + 1;
        }
    }
    return 0;
}

/* Behind the key of an echo of options: how much to leave out. */
static size_t options_length(struct slice rest)
{
    size_t skip = 0, length;

    while (skip < rest.length && strchr(" \t\n:", rest.bytes[skip]) != NULL)
        skip++;
    if (skip == rest.length || rest.bytes[skip] != '{')
        return 0;
    length = object_length(slice_from(rest, skip));
    return length > 0 ? skip + length : 0;
}

/* Keys that stand in an object as often as there are values. */
static bool is_repeated(struct slice word)
{
    return slice_equal_one(word, "\"0.00\"", "\"sock_bufsize\"", "\"sndbuf_actual\"", "\"rcvbuf_actual\"");
}

static size_t put_string(struct strict *strict, struct slice rest)
{
    struct slice word = {rest.bytes, string_length(rest)};
    size_t options = 0;

    if (word.length == 0)
        word.length = rest.length;
    if (is_repeated(word)) {
        text_printf(&strict->out, "%.*s %u\"", (int)word.length - 1, word.bytes, strict->fillers++);
        return word.length;
    }
    text_add(&strict->out, word.bytes, word.length);
    if (slice_equal(word, "\"job options\"") || slice_equal(word, "\"global options\""))
        options = options_length(slice_from(rest, word.length));
    if (options > 0)
        text_put(&strict->out, ": {}");
    return word.length + options;
}

/* A bare word: a number that a double holds, true, false, null; all else becomes null. */
static size_t put_word(struct strict *strict, struct slice rest)
{
    size_t length = 0, digits = 0;
    struct slice word;
    double value;
    bool known;

    while (length < rest.length &&
           (isalnum((unsigned char)rest.bytes[length]) || strchr("+-.", rest.bytes[length]) != NULL) &&
           rest.bytes[length] != '\0')
        digits += (bool)isdigit((unsigned char)rest.bytes[length++]);
    word = (struct slice){rest.bytes, length};
    known = slice_equal_one(word, "true", "false", "null");
    if (known || (scan_double(word, &value) && digits <= 15))
        text_add(&strict->out, word.bytes, word.length);
    else if (scan_double(word, &value))
        text_printf(&strict->out, "%.9e", value); /* a mean with more digits than it has sense */
    else
        text_put(&strict->out, "null");
    return length;
}

static void make_strict(struct strict *strict, struct slice bytes)
{
    for (size_t i = 0; i < bytes.length;) {
        struct slice rest = slice_from(bytes, i);

        if (rest.bytes[0] == '"') {
            i += put_string(strict, rest);
        } else if (isalnum((unsigned char)rest.bytes[0]) || rest.bytes[0] == '-') {
            i += put_word(strict, rest);
        } else {
            text_add(&strict->out, rest.bytes, 1);
            i++;
        }
    }
}

const struct json *json_read(struct reading *reading, const char *name, struct slice text)
{
    struct error err = {0};
    const struct json *value = json_parse(reading->arena, name, text.bytes, text.length, &err);

    if (value == NULL)
        reading_lacks(reading, reason(reading->arena, text, err.text));
    return value;
}

const struct json *loose_json_read(struct reading *reading, const char *name, struct slice object)
{
    struct strict strict = {.fillers = 0};
    const char *clean;

    text_init(&strict.out, object.length * 2 + 64);
    make_strict(&strict, object);
    clean = utf8_clean(reading->arena, (struct slice){strict.out.bytes, strict.out.length});
    text_release(&strict.out);
    return json_read(reading, name, slice_of(clean));
}

bool loose_number(const struct json *object, const char *key, double *ret_number)
{
    const struct json *value = json_get(object, key);

    if (value == NULL || value->type != JSON_NUMBER)
        return false;
    *ret_number = value->number;
    return true;
}
