/* SPDX-License-Identifier: Apache-2.0 */
#include "json_private.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void skip_digits(struct slice *rest)
{
    while (rest->length > 0 && isdigit((unsigned char)rest->bytes[0]))
        *rest = slice_from(*rest, 1);
}

bool json_number_valid(struct slice word)
{
    size_t before;

    scan_text(&word, "-");
    before = word.length;
    if (!scan_text(&word, "0"))
        skip_digits(&word);
    if (word.length == before)
        return false;
    if (scan_text(&word, ".")) {
        before = word.length;
        skip_digits(&word);
        if (word.length == before)
            return false;
    }
    if (scan_text(&word, "e") || scan_text(&word, "E")) {
        if (!scan_text(&word, "-"))
            scan_text(&word, "+");
        before = word.length;
        skip_digits(&word);
        if (word.length == before)
            return false;
    }
    return word.length == 0;
}

/* A decimal as its significant digits, d.ddd * 10^exponent, without zeros at either end. */
struct decimal {
    char digits[JSON_NUMBER_LIMIT + 1];
    size_t count;
    int64_t exponent;
};

static bool decimal_read(struct slice word, struct decimal *ret_decimal)
{
    struct decimal decimal = {.exponent = -1};
    bool fraction = false;

    scan_text(&word, "-");
    for (; word.length > 0 && word.bytes[0] != 'e' && word.bytes[0] != 'E'; word = slice_from(word, 1)) {
        if (word.bytes[0] == '.') {
            fraction = true;
            continue;
        }
        if (decimal.count > 0 || word.bytes[0] != '0')
            decimal.digits[decimal.count++] = word.bytes[0];
        if (!fraction && decimal.count > 0)
            decimal.exponent++;
        else if (fraction && decimal.count == 0)
            decimal.exponent--;
    }
    while (decimal.count > 0 && decimal.digits[decimal.count - 1] == '0')
        decimal.count--;
    if (word.length > 0) {
        int64_t exponent;

        if (!scan_i64(slice_from(word, 1), &exponent) || exponent > 100000 || exponent < -100000)
            return false;
        decimal.exponent += exponent;
    }
    *ret_decimal = decimal;
    return true;
}

bool json_number_exact(struct slice word, double value)
{
    struct decimal written, read_back;
    char text[JSON_NUMBER_LIMIT + 16];
    struct slice plain = word;

    scan_text(&plain, "-");
    skip_digits(&plain);
    if (plain.length == 0 && fabs(value) > 9007199254740992.0) /* 2^53 */
        return false;
    if (!decimal_read(word, &written))
        return false;
    if (written.count == 0 || value == 0)
        return written.count == 0 && value == 0;
    snprintf(text, sizeof text, "%.*e", (int)written.count - 1, value);
    return decimal_read(slice_of(text), &read_back) && read_back.count == written.count &&
           read_back.exponent == written.exponent &&
           memcmp(written.digits, read_back.digits, written.count) == 0;
}
