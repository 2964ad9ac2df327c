/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/base/scan.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool slice_equal_nocase(struct slice slice, const char *text)
{
    return strlen(text) == slice.length && strncasecmp(slice.bytes, text, slice.length) == 0;
}

bool slice_ends(struct slice slice, const char *suffix)
{
    size_t length = strlen(suffix);

    return slice.length >= length && memcmp(slice.bytes + slice.length - length, suffix, length) == 0;
}

size_t slice_find(struct slice slice, const char *needle)
{
    size_t length = strlen(needle);
    const char *found = slice.length == 0 ? NULL
                        : length == 1     ? memchr(slice.bytes, needle[0], slice.length)
                                          : memmem(slice.bytes, slice.length, needle, length);

    return found != NULL ? (size_t)(found - slice.bytes) : (size_t)-1;
}

bool slice_contains(struct slice slice, const char *needle)
{
    return slice_find(slice, needle) != (size_t)-1;
}

bool slice_one_(struct slice slice, bool (*is)(struct slice, const char *), const char *const *texts)
{
    while (*texts != NULL && !is(slice, *texts))
        texts++;
    return *texts != NULL;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r';
}

struct slice slice_trim(struct slice slice)
{
    while (slice.length > 0 && is_blank(slice.bytes[0]))
        slice = slice_from(slice, 1);
    while (slice.length > 0 && is_blank(slice.bytes[slice.length - 1]))
        slice.length--;
    return slice;
}

bool slice_part(struct slice text, const char *mark, struct slice *ret_key, struct slice *ret_value)
{
    size_t at = slice_find(text, mark);

    if (at == (size_t)-1)
        return false;
    *ret_key = slice_trim((struct slice){text.bytes, at});
    *ret_value = slice_trim(slice_from(text, at + strlen(mark)));
    return true;
}

bool scan_past(struct slice *rest, const char *mark)
{
    size_t at = slice_find(*rest, mark);

    if (at != (size_t)-1)
        *rest = slice_from(*rest, at + strlen(mark));
    return at != (size_t)-1;
}

bool scan_line(struct slice *rest, struct slice *ret_line)
{
    const char *newline = rest->length > 0 ? memchr(rest->bytes, '\n', rest->length) : NULL;

    if (newline == NULL)
        return false;
    *ret_line = (struct slice){rest->bytes, (size_t)(newline - rest->bytes)};
    *rest = slice_from(*rest, ret_line->length + 1);
    return true;
}

bool scan_word(struct slice *rest, struct slice *ret_word)
{
    size_t start = 0, end;

    while (start < rest->length && is_blank(rest->bytes[start]))
        start++;
    for (end = start; end < rest->length && !is_blank(rest->bytes[end]);)
        end++;
    if (end == start)
        return false;
    *ret_word = (struct slice){rest->bytes + start, end - start};
    *rest = slice_from(*rest, end);
    return true;
}

static locale_t c_locale(void)
{
    static locale_t locale;

    if (locale == (locale_t)0)
        locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return locale;
}

bool scan_double(struct slice slice, double *ret_value)
{
    char copy[64], *end;
    double value;

    if (slice.length == 0 || slice.length >= sizeof copy)
        return false;
    memcpy(copy, slice.bytes, slice.length);
    copy[slice.length] = '\0';
    /* strtod takes blanks, nan, inf and hex too; none of them is a measurement. */
    if (copy[strspn(copy, "0123456789+-.eE")] != '\0')
        return false;
    errno = 0;
    value = strtod_l(copy, &end, c_locale());
    if (end == copy || *end != '\0' || !isfinite(value) || (errno == ERANGE && fabs(value) > 1))
        return false;
    *ret_value = value;
    return true;
}

bool scan_digits(struct slice *rest, uint64_t *ret_value)
{
    uint64_t value = 0;
    size_t used = 0;

    for (; used < rest->length && rest->bytes[used] >= '0' && rest->bytes[used] <= '9'; used++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(rest->bytes[used] - '0'), &value))
            return false;
    if (used == 0)
        return false;
    *rest = slice_from(*rest, used);
    *ret_value = value;
    return true;
}

/* Takes the next number of a dotted version off the front. */
static bool next_piece(struct slice *version, uint64_t *ret_piece)
{
    if (!scan_digits(version, ret_piece))
        return false;
    scan_text(version, ".");
    return true;
}

enum version_order version_reaches(const char *version, const char *least)
{
    struct slice is = slice_of(version), wanted = slice_of(least);
    uint64_t a, b;

    while (next_piece(&wanted, &b)) {
        if (!next_piece(&is, &a))
            return VERSION_UNCLEAR;
        if (a != b)
            return a > b ? VERSION_REACHED : VERSION_OLDER;
    }
    return VERSION_REACHED;
}

bool scan_u64(struct slice slice, uint64_t *ret_value)
{
    uint64_t value;

    if (!scan_digits(&slice, &value) || slice.length > 0)
        return false;
    *ret_value = value;
    return true;
}

bool scan_i64(struct slice slice, int64_t *ret_value)
{
    bool negative = scan_text(&slice, "-");
    uint64_t magnitude;

    if (!negative)
        scan_text(&slice, "+");
    if (!scan_u64(slice, &magnitude) || magnitude > (uint64_t)INT64_MAX)
        return false;
    *ret_value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}
