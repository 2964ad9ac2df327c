/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A word is a row of parts, literal text and bracket lists in turn; the names are their product, the last
 * bracket running fastest. A range is padded to the width of its lower end: 001-128, 8-12.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostlist_private.h"

#include "assay/base/cleanup.h"
#include "assay/base/nearest.h"
#include "assay/base/text.h"

enum { NAME_LIMIT = 100000, DIGIT_LIMIT = 18, TEXT_LIMIT = 4096 };

struct range {
    uint64_t first, last;
    int width;
};

struct part {
    struct slice literal;         /* before the bracket */
    LIST_OF(struct range) ranges; /* none: the literal is the end of the word */
    uint64_t count;
};

struct word {
    LIST_OF(struct part) parts;
};

unsigned hostlist_column(struct slice text, size_t offset)
{
    unsigned column = 1;

    for (size_t i = 0; i < offset && i < text.length; i++)
        column += ((unsigned char)text.bytes[i] & 0xC0) != 0x80;
    return column;
}

static int read_range(struct slice item, struct range *ret_range, struct error *err)
{
    struct slice rest = item, low;
    char written[DIGIT_LIMIT + 2];
    uint64_t first, last;

    if (item.length == 0)
        return error_set(err, ERROR_USAGE, "empty item in a range; expected a number or NUMBER-NUMBER");
    if (!scan_digits(&rest, &first) || rest.bytes - item.bytes > DIGIT_LIMIT)
        return error_set(err, ERROR_USAGE, "'%.*s' in a range; expected a number or NUMBER-NUMBER",
                         slice_print(item));
    low = (struct slice){item.bytes, (size_t)(rest.bytes - item.bytes)};
    *ret_range = (struct range){first, first, (int)low.length};
    if (rest.length == 0)
        return 0;
    if (!scan_text(&rest, "-") || rest.length > DIGIT_LIMIT || !scan_u64(rest, &last))
        return error_set(err, ERROR_USAGE, "'%.*s' in a range; expected a number or NUMBER-NUMBER",
                         slice_print(item));
    if (last < first)
        return error_set(err, ERROR_USAGE, "range '%.*s' runs backwards", slice_print(item));
    snprintf(written, sizeof written, "%0*llu", (int)low.length, (unsigned long long)last);
    if (!slice_equal(rest, written))
        return error_set(err, ERROR_USAGE, "range '%.*s' pads its ends differently; expected '%.*s-%s'",
                         slice_print(item), slice_print(low), written);
    ret_range->last = last;
    return 0;
}

/* bracket: from after '[' to before ']'. */
static int read_ranges(struct arena *arena, struct slice bracket, struct part *part, size_t *ret_offset,
                       struct error *err)
{
    size_t start = 0;

    for (size_t i = 0; i <= bracket.length; i++) {
        struct range *range;

        if (i < bracket.length && bracket.bytes[i] != ',')
            continue;
        *ret_offset = start;
        range = list_push(arena, &part->ranges);
        if (read_range((struct slice){bracket.bytes + start, i - start}, range, err) < 0)
            return -1;
        part->count += range->last - range->first + 1;
        if (part->count > NAME_LIMIT)
            return error_set(err, ERROR_USAGE, "range '%.*s' is too long; the most is %d names",
                             slice_print(bracket), NAME_LIMIT);
        start = i + 1;
    }
    return 0;
}

static int read_word(struct arena *arena, struct slice text, struct word *word, size_t *ret_offset,
                     struct error *err)
{
    size_t start = 0;

    for (size_t i = 0; i < text.length; i++) {
        const char *close;
        struct part *part;

        *ret_offset = i;
        if (text.bytes[i] == ']')
            return error_set(err, ERROR_USAGE, "']' in '%.*s' without a '[' before it", slice_print(text));
        if (text.bytes[i] != '[')
            continue;
        close = memchr(text.bytes + i, ']', text.length - i);
        if (close == NULL)
            return error_set(err, ERROR_USAGE, "'[' in '%.*s' without a ']' after it", slice_print(text));
        part = list_push(arena, &word->parts);
        part->literal = (struct slice){text.bytes + start, i - start};
        if (read_ranges(arena, (struct slice){text.bytes + i + 1, (size_t)(close - text.bytes) - i - 1}, part,
                        ret_offset, err) < 0) {
            *ret_offset += i + 1;
            return -1;
        }
        i = (size_t)(close - text.bytes);
        start = i + 1;
    }
    *list_push(arena, &word->parts) = (struct part){.literal = slice_from(text, start), .count = 1};
    return 0;
}

/* No name that it makes is longer, brackets and all: of ranges there may be as many as there are names. */
static size_t longest_name(const struct word *word)
{
    size_t length = 0;

    list_each (part, word->parts)
        length += part->literal.length + (part->ranges.count > 0 ? strlen("[]") + DIGIT_LIMIT : 0);
    return length;
}

static int refuse_length(size_t length, struct error *err)
{
    return error_set(err, ERROR_USAGE, "a name of %zu bytes; the most is %d", length, TEXT_LIMIT);
}

/* The names that begin with `name`, from this part on. */
static void emit(struct arena *arena, const struct word *word, size_t index, struct text *name,
                 struct hostlist *list)
{
    const struct part *part = &word->parts.items[index];
    size_t before = name->length;

    text_add(name, part->literal.bytes, part->literal.length);
    if (part->ranges.count == 0)
        *list_push(arena, &list->names) = arena_strndup(arena, name->bytes, name->length);
    list_each (range, part->ranges) {
        size_t prefix = name->length;

        for (uint64_t number = range->first; number <= range->last; number++) {
            text_printf(name, "%0*llu", range->width, (unsigned long long)number);
            emit(arena, word, index + 1, name, list);
            name->length = prefix;
            name->bytes[prefix] = '\0';
        }
    }
    name->length = before;
    name->bytes[before] = '\0';
}

int hostlist_expand_word(struct arena *arena, struct slice text, struct hostlist *list, size_t *ret_offset,
                         struct error *err)
{
    struct word word = {0};
    cleanup_text struct text name = {0};
    uint64_t count = 1;

    *ret_offset = 0;
    /* Most words are one name. */
    if (memchr(text.bytes, '[', text.length) == NULL && memchr(text.bytes, ']', text.length) == NULL &&
        list->names.count < NAME_LIMIT) {
        if (text.length > TEXT_LIMIT)
            return refuse_length(text.length, err);
        *list_push(arena, &list->names) = arena_strndup(arena, text.bytes, text.length);
        return 0;
    }
    if (read_word(arena, text, &word, ret_offset, err) < 0)
        return -1;
    *ret_offset = 0;
    if (longest_name(&word) > TEXT_LIMIT)
        return refuse_length(longest_name(&word), err);
    for (size_t i = 0; i < word.parts.count; i++) {
        count *= word.parts.items[i].count;
        if (count + list->names.count > NAME_LIMIT)
            return error_set(err, ERROR_USAGE, "'%.*s' is too many names; the most is %d", slice_print(text),
                             NAME_LIMIT);
    }
    text_init(&name, TEXT_LIMIT);
    emit(arena, &word, 0, &name, list);
    return 0;
}

/* Where the word that begins at `start` ends: at a comma outside brackets, or at the end. */
static size_t word_end(struct slice text, size_t start)
{
    bool inside = false;

    for (; start < text.length && (inside || text.bytes[start] != ','); start++)
        inside = text.bytes[start] == '[' || (inside && text.bytes[start] != ']');
    return start;
}

int hostlist_expand(struct arena *arena, const char *string, struct hostlist *ret_list, struct error *err)
{
    struct slice text = slice_of(string);
    struct hostlist list = {0};

    for (size_t start = 0; start <= text.length;) {
        size_t end = word_end(text, start), offset = 0;
        struct slice word = {string + start, end - start};
        struct error inner = {0};

        if (word.length == 0)
            return error_set(err, ERROR_USAGE, "column %u: expected a name%s", hostlist_column(text, start),
                             start < text.length ? " before ','"
                             : start > 0         ? " after ','"
                                                 : "");
        while (offset < word.length && strchr(" \t\r\n", word.bytes[offset]) == NULL)
            offset++;
        if (offset < word.length)
            return error_set(err, ERROR_USAGE,
                             "column %u: a blank in '%.*s'; expected names with ',' between",
                             hostlist_column(text, start + offset), slice_print(word));
        if (hostlist_expand_word(arena, word, &list, &offset, &inner) < 0)
            return error_set(err, ERROR_USAGE, "column %u: %s", hostlist_column(text, start + offset),
                             inner.text);
        start = end + 1;
    }
    *ret_list = list;
    return 0;
}

/* --- folding --- */

/* A name around its last run of digits; names of equal shape have equal prefix and suffix. */
struct entry {
    const char *name;
    struct slice prefix, digits, suffix;
    uint64_t number;
    size_t index; /* in what was given */
};

struct group {
    size_t first_entry, count, index; /* index: the earliest member's */
};

static struct entry entry_make(const char *name, size_t index)
{
    size_t length = strlen(name), end = length, start;
    struct entry entry = {.name = name, .prefix = slice_of(name), .index = index};

    while (end > 0 && (name[end - 1] < '0' || name[end - 1] > '9'))
        end--;
    for (start = end; start > 0 && name[start - 1] >= '0' && name[start - 1] <= '9';)
        start--;
    if (end == start || end - start > DIGIT_LIMIT)
        return entry;
    entry.prefix.length = start;
    entry.digits = (struct slice){name + start, end - start};
    entry.suffix = (struct slice){name + end, length - end};
    if (!scan_u64(entry.digits, &entry.number))
        entry.number = 0;
    return entry;
}

static int compare_slices(struct slice a, struct slice b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter > 0 ? memcmp(a.bytes, b.bytes, shorter) : 0;

    return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

static int compare_shapes(const struct entry *a, const struct entry *b)
{
    int order = compare_slices(a->prefix, b->prefix);

    if (order == 0)
        order = compare_slices(a->suffix, b->suffix);
    return order != 0 ? order : (a->digits.length > 0) - (b->digits.length > 0);
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    int order = compare_shapes(left, right);

    if (order != 0)
        return order;
    if (left->number != right->number)
        return left->number < right->number ? -1 : 1;
    if (left->digits.length != right->digits.length)
        return left->digits.length < right->digits.length ? -1 : 1;
    return (left->index > right->index) - (left->index < right->index);
}

static int compare_groups(const void *a, const void *b)
{
    const struct group *left = a, *right = b;

    return (left->index > right->index) - (left->index < right->index);
}

/* Whether a range that begins with `first` gives exactly this name next. */
static bool continues(const struct entry *first, const struct entry *last, const struct entry *next)
{
    char written[DIGIT_LIMIT + 4];

    if (next->number != last->number + 1)
        return false;
    snprintf(written, sizeof written, "%0*llu", (int)first->digits.length, (unsigned long long)next->number);
    return slice_equal(next->digits, written);
}

static void fold_group(struct text *out, const struct entry *entries, size_t count)
{
    if (count == 1 || entries[0].digits.length == 0) {
        for (size_t i = 0; i < count; i++)
            text_printf(out, "%s%s", i > 0 ? "," : "", entries[i].name);
        return;
    }
    text_printf(out, "%.*s[", slice_print(entries[0].prefix));
    for (size_t first = 0, last; first < count; first = last + 1) {
        for (last = first;
             last + 1 < count && continues(&entries[first], &entries[last], &entries[last + 1]);)
            last++;
        text_printf(out, "%s%.*s", first > 0 ? "," : "", slice_print(entries[first].digits));
        if (last > first)
            text_printf(out, "-%.*s", slice_print(entries[last].digits));
    }
    text_printf(out, "]%.*s", slice_print(entries[0].suffix));
}

const char *hostlist_fold(struct arena *arena, const char *const *names, size_t count)
{
    cleanup_free struct entry *entries = mem_alloc((count + 1) * sizeof *entries);
    cleanup_free struct group *groups = mem_alloc((count + 1) * sizeof *groups);
    cleanup_text struct text out = {0};
    size_t group_count = 0;

    for (size_t i = 0; i < count; i++)
        entries[i] = entry_make(names[i], i);
    qsort(entries, count, sizeof *entries, compare_entries);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || compare_shapes(&entries[i - 1], &entries[i]) != 0)
            groups[group_count++] = (struct group){i, 0, entries[i].index};
        groups[group_count - 1].count++;
        if (entries[i].index < groups[group_count - 1].index)
            groups[group_count - 1].index = entries[i].index;
    }
    qsort(groups, group_count, sizeof *groups, compare_groups);
    text_init(&out, 64 * 1024 * 1024);
    for (size_t i = 0; i < group_count; i++) {
        text_put(&out, i > 0 ? "," : "");
        fold_group(&out, entries + groups[i].first_entry, groups[i].count);
    }
    return arena_strndup(arena, out.bytes, out.length);
}

bool hostlist_has(const struct hostlist *list, const char *name)
{
    return word_is_among(name, list->names.items, list->names.count);
}
