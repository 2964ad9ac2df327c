/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/json.h"

void json_writer_init(struct json_writer *writer, struct text *out, bool compact)
{
    *writer = (struct json_writer){.out = out, .compact = compact};
}

static void new_line(struct json_writer *writer)
{
    if (writer->compact)
        return;
    text_put(writer->out, "\n");
    for (unsigned i = 0; i < writer->depth; i++)
        text_put(writer->out, "  ");
}

/* What stands between the last value and this one. */
static void begin_value(struct json_writer *writer)
{
    if (writer->keyed) {
        writer->keyed = false;
        return;
    }
    if (writer->depth == 0)
        return;
    if (writer->filled[writer->depth])
        text_put(writer->out, writer->compact ? ", " : ",");
    writer->filled[writer->depth] = true;
    new_line(writer);
}

static void open_value(struct json_writer *writer, const char *bracket)
{
    begin_value(writer);
    text_put(writer->out, bracket);
    if (writer->depth + 1 >= ARRAY_SIZE(writer->filled)) {
        fprintf(stderr, "assay: JSON written deeper than %u levels\n", writer->depth);
        abort();
    }
    writer->filled[++writer->depth] = false;
}

static void close_value(struct json_writer *writer, const char *bracket)
{
    bool filled = writer->filled[writer->depth--];

    if (filled)
        new_line(writer);
    text_put(writer->out, bracket);
    if (writer->depth == 0 && !writer->compact)
        text_put(writer->out, "\n");
}

void json_open_object(struct json_writer *writer)
{
    open_value(writer, "{");
}

void json_close_object(struct json_writer *writer)
{
    close_value(writer, "}");
}

void json_open_array(struct json_writer *writer)
{
    open_value(writer, "[");
}

void json_close_array(struct json_writer *writer)
{
    close_value(writer, "]");
}

static void put_quoted(struct text *out, const char *bytes, size_t length)
{
    text_put(out, "\"");
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];

        if (byte == '"' || byte == '\\')
            text_printf(out, "\\%c", byte);
        else if (byte == '\n')
            text_put(out, "\\n");
        else if (byte == '\t')
            text_put(out, "\\t");
        else if (byte < 0x20 || byte == 0x7f)
            text_printf(out, "\\u%04x", byte);
        else
            text_add(out, bytes + i, 1);
    }
    text_put(out, "\"");
}

void json_key(struct json_writer *writer, const char *key)
{
    begin_value(writer);
    put_quoted(writer->out, key, strlen(key));
    text_put(writer->out, ": ");
    writer->keyed = true;
}

void json_put_bytes(struct json_writer *writer, const char *bytes, size_t length)
{
    begin_value(writer);
    put_quoted(writer->out, bytes, length);
}

void json_put_string(struct json_writer *writer, const char *string)
{
    if (string == NULL)
        json_put_null(writer);
    else
        json_put_bytes(writer, string, strlen(string));
}

/* Of a double 17 are always enough. */
enum { DIGITS_FEWEST = 6, DIGITS_ENOUGH = 17 };

static bool reads_back(double number, int digits, char *buf, size_t size)
{
    snprintf(buf, size, "%.*g", digits, number);
    return strtod(buf, NULL) == number;
}

/* The fewest digits that read back the same, with the text in buf. What reads back with some does so with more, except
   beside a power of two, where doubles lie closer below than above: there they are tried one by one. */
static int fewest_digits(double number, char *buf, size_t size)
{
    int few = DIGITS_FEWEST + 1, enough = DIGITS_ENOUGH, exponent;
    bool halves = fabs(frexp(number, &exponent)) != 0.5;

    if (reads_back(number, DIGITS_FEWEST, buf, size))
        return DIGITS_FEWEST;
    while (few < enough) {
        int middle = halves ? (few + enough) / 2 : few;

        if (!reads_back(number, middle, buf, size))
            few = middle + 1;
        else
            enough = middle;
    }
    snprintf(buf, size, "%.*g", few, number);
    return few;
}

/* The decimal digits of a whole number, at least so many; where they end. By hand: judging writes millions of numbers, and
   printf takes five times as long. */
static char *put_digits(char *at, uint64_t whole, int least)
{
    char digits[20];
    int count = 0;

    while (whole > 0 || count < least) {
        digits[count++] = (char)('0' + whole % 10);
        whole /= 10;
    }
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

/* whole / 10^decimals */
static void put_decimal(bool negative, uint64_t whole, uint64_t power, int decimals, char *buf)
{
    if (negative)
        *buf++ = '-';
    buf = put_digits(buf, whole / power, 1);
    if (decimals > 0) {
        *buf++ = '.';
        buf = put_digits(buf, whole % power, decimals);
    }
    *buf = '\0';
}

/* What tools print has few decimals, and is found by dividing, which rounds as reading does: an integer and a power of ten
   that are doubles themselves. Up to 15 digits no shorter text reads back the same. */
static bool put_short(double number, char *buf)
{
    static const uint64_t powers[] = {10, 100, 1000, 10000, 100000, 1000000};
    const double least = 1e-4 /* below it %g has an exponent */, most = 1e15;
    double positive = fabs(number);

    for (size_t i = 0; i < ARRAY_SIZE(powers) && positive >= least; i++) {
        double scaled = rint(positive * (double)powers[i]);

        if (scaled >= most || scaled / (double)powers[i] != positive)
            continue;
        put_decimal(number < 0, (uint64_t)scaled, powers[i], (int)i + 1, buf);
        return true;
    }
    return false;
}

const char *number_text(double number, char *buf, size_t size)
{
    const double most = 9007199254740992.0; /* 2^53: up to here every integer is a double of its own */
    int digits;

    if (number == floor(number) && fabs(number) <= most) {
        put_decimal(number < 0, (uint64_t)fabs(number), 1, 0, buf);
        return buf;
    }
    if (put_short(number, buf))
        return buf;
    digits = fewest_digits(number, buf, size);
    /* A larger one without an exponent would claim that each of its digits is meant; json_parse refuses it. */
    if (isfinite(number) && fabs(number) > most && strchr(buf, 'e') == NULL)
        snprintf(buf, size, "%.*e", digits - 1, number);
    return buf;
}

void json_put_number(struct json_writer *writer, double number)
{
    char buffer[32];

    begin_value(writer);
    text_put(writer->out, isfinite(number) ? number_text(number, buffer, sizeof buffer) : "null");
}

void json_put_integer(struct json_writer *writer, int64_t number)
{
    begin_value(writer);
    text_printf(writer->out, "%lld", (long long)number);
}

void json_put_boolean(struct json_writer *writer, bool boolean)
{
    begin_value(writer);
    text_put(writer->out, boolean ? "true" : "false");
}

void json_put_null(struct json_writer *writer)
{
    begin_value(writer);
    text_put(writer->out, "null");
}

void json_put(struct json_writer *writer, const struct json *value)
{
    switch (value->type) {
    case JSON_BOOL:
        json_put_boolean(writer, value->boolean);
        break;
    case JSON_NUMBER:
        json_put_number(writer, value->number);
        break;
    case JSON_STRING:
        json_put_string(writer, value->string);
        break;
    case JSON_ARRAY:
        json_open_array(writer);
        json_each (item, value)
            json_put(writer, item);
        json_close_array(writer);
        break;
    case JSON_OBJECT:
        json_open_object(writer);
        json_each (item, value) {
            json_key(writer, item->key);
            json_put(writer, item);
        }
        json_close_object(writer);
        break;
    case JSON_NULL:
    default:
        json_put_null(writer);
        break;
    }
}

const char *json_text(struct arena *arena, const struct json *value, size_t most)
{
    cleanup_text struct text out = {0};
    struct json_writer writer;

    text_init(&out, most);
    json_writer_init(&writer, &out, true);
    if (value != NULL)
        json_put(&writer, value);
    return arena_strndup(arena, out.bytes, out.length);
}

void json_member(struct json_writer *writer, const char *key, const char *string)
{
    json_key(writer, key);
    json_put_string(writer, string);
}

void json_member_number(struct json_writer *writer, const char *key, double number)
{
    json_key(writer, key);
    json_put_number(writer, number);
}

void json_member_integer(struct json_writer *writer, const char *key, int64_t number)
{
    json_key(writer, key);
    json_put_integer(writer, number);
}

void json_open_document(struct json_writer *writer, struct text *out, int64_t schema)
{
    json_writer_init(writer, out, false);
    json_open_object(writer);
    json_member_integer(writer, "schema", schema);
}

void json_member_count(struct json_writer *writer, const char *key, size_t count)
{
    json_member_integer(writer, key, (int64_t)count);
}

void json_member_boolean(struct json_writer *writer, const char *key, bool boolean)
{
    json_key(writer, key);
    json_put_boolean(writer, boolean);
}

void json_member_object(struct json_writer *writer, const char *key)
{
    json_key(writer, key);
    json_open_object(writer);
}

void json_member_array(struct json_writer *writer, const char *key)
{
    json_key(writer, key);
    json_open_array(writer);
}
