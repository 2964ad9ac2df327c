/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading text forwards: slices of bytes that nobody copies, and numbers that are either whole or refused.
 *
 * A slice points into somebody else's bytes and is good as long as they are. Slices are not NUL-ended.
 * Nothing here depends on the locale.
 */
#ifndef ASSAY_SCAN_H
#define ASSAY_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slice {
    const char *bytes;
    size_t length;
};

#define slice_of(string) ((struct slice){(string), __builtin_strlen(string)})
/* For printf's "%.*s". */
#define slice_print(slice) (int)(slice).length, (slice).bytes

/* The short ones stand here so that the length of a literal costs nothing: parsers ask them of every line. */
static inline bool slice_equal(struct slice slice, const char *text)
{
    return __builtin_strlen(text) == slice.length &&
           (slice.length == 0 || __builtin_memcmp(slice.bytes, text, slice.length) == 0);
}
bool slice_equal_nocase(struct slice slice, const char *text);
static inline bool slice_starts(struct slice slice, const char *prefix)
{
    size_t length = __builtin_strlen(prefix);

    return slice.length >= length && (length == 0 || __builtin_memcmp(slice.bytes, prefix, length) == 0);
}
bool slice_ends(struct slice slice, const char *suffix);
bool slice_contains(struct slice slice, const char *needle);
/* The same of one text among several: slice_starts_one(line, "ibpanic:", "Fatal error:"). */
#define slice_equal_one(slice, ...) slice_one_((slice), slice_equal, (const char *const[]){__VA_ARGS__, NULL})
#define slice_starts_one(slice, ...) \
    slice_one_((slice), slice_starts, (const char *const[]){__VA_ARGS__, NULL})
#define slice_contains_one(slice, ...) \
    slice_one_((slice), slice_contains, (const char *const[]){__VA_ARGS__, NULL})
bool slice_one_(struct slice slice, bool (*is)(struct slice, const char *), const char *const *texts);
/* Offset of needle in slice, or (size_t)-1. */
size_t slice_find(struct slice slice, const char *needle);
/* The slice from offset on; empty when offset is past the end. */
static inline struct slice slice_from(struct slice slice, size_t offset)
{
    if (offset > slice.length)
        offset = slice.length;
    return (struct slice){slice.bytes + offset, slice.length - offset};
}
/* Without blanks (space, tab, CR) at both ends. */
struct slice slice_trim(struct slice slice);

/*
 * Takes the next whole line, without its newline, off the front of rest. Returns false when no newline-ended
 * line is left; then rest holds the unfinished tail: a number at a cut is never read as a shorter number.
 */
bool scan_line(struct slice *rest, struct slice *ret_line);
/* Takes the next word (blanks and tabs separate) off the front. Returns false at the end. */
bool scan_word(struct slice *rest, struct slice *ret_word);
/* "key : value" parted at the first mark, both trimmed. False when mark is not in text; then nothing is returned. */
bool slice_part(struct slice text, const char *mark, struct slice *ret_key, struct slice *ret_value);
/* Takes prefix off the front if it is there. */
static inline bool scan_text(struct slice *rest, const char *prefix)
{
    if (!slice_starts(*rest, prefix))
        return false;
    *rest = slice_from(*rest, __builtin_strlen(prefix));
    return true;
}

/* The whole slice is the number: digits, sign, point, exponent. Refuses nan, inf, hex, overflow, empty and
 * trailing bytes. */
bool scan_double(struct slice slice, double *ret_value);
bool scan_u64(struct slice slice, uint64_t *ret_value); /* decimal digits only */
bool scan_i64(struct slice slice, int64_t *ret_value);  /* one sign allowed */
/* Takes everything up to mark, and mark, off the front of rest. False when it is not there; then nothing is taken. */
bool scan_past(struct slice *rest, const char *mark);
/* Takes leading digits off the front of rest. */
bool scan_digits(struct slice *rest, uint64_t *ret_value);

/* How a dotted version stands to another, number by number; what is no number ends it. UNCLEAR: it has fewer of them, as
   "535" beside 535.60. */
enum version_order { VERSION_OLDER, VERSION_REACHED, VERSION_UNCLEAR };
enum version_order version_reaches(const char *version, const char *least);

#endif
