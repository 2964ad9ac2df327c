/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several outputs of nvidia-smi in one text: the same command again (-l), or another. A part goes from its
 * beginning up to the next; a part of a CSV list that has its header only once is given the header too.
 */
#include <string.h>

#include "nvidia_smi.h"

enum kind { KIND_NONE, KIND_TABLE, KIND_QUERY, KIND_XML, KIND_LIST, KIND_CSV };

struct splitter {
    const struct lines *lines;
    struct arena *arena;
    enum kind kind;
    uint64_t index;                /* of the last line of -L */
    struct slice header, identity; /* of CSV: its header, or ""; its first row */
};

static bool is_list_line(struct slice line, uint64_t *ret_index)
{
    return scan_text(&line, "GPU ") && scan_digits(&line, ret_index) && slice_contains(line, " (UUID: ");
}

static enum kind kind_of(struct slice line)
{
    uint64_t index;

    if (slice_starts(line, "| NVIDIA-SMI "))
        return KIND_TABLE;
    if (slice_starts(line, "====") && slice_contains(line, "NVSMI LOG"))
        return KIND_QUERY;
    if (slice_starts(line, "<nvidia_smi_log"))
        return KIND_XML;
    if (is_list_line(line, &index))
        return KIND_LIST;
    return smi_csv_header(line) ? KIND_CSV : KIND_NONE;
}

/* The lines before i that belong to the part that begins there. */
static size_t start_of(const struct splitter *splitter, enum kind kind, size_t from, size_t i)
{
    while (i > from) {
        struct slice before = slice_trim(splitter->lines->items[i - 1].text);

        if (!(kind == KIND_TABLE && slice_starts(before, "+--")) &&
            !(kind == KIND_XML && (slice_starts(before, "<?xml") || slice_starts(before, "<!DOCTYPE"))))
            break;
        i--;
    }
    return i;
}

/* Whether line i begins a part when one has begun already; else remembers what it says. */
static bool begins_part(struct splitter *splitter, struct slice line)
{
    enum kind kind = kind_of(line);
    uint64_t index = 0;
    struct slice identity;

    if (splitter->kind == KIND_XML && kind != KIND_XML && kind != KIND_TABLE)
        return false;
    if (kind == KIND_NONE && splitter->kind != KIND_NONE && splitter->kind != KIND_CSV)
        return false;
    if (kind == KIND_NONE) {
        identity = smi_csv_identity(splitter->arena, splitter->header, line);
        if (identity.length == 0)
            return false;
        if (splitter->identity.length > 0)
            return identity.length == splitter->identity.length &&
                   memcmp(identity.bytes, splitter->identity.bytes, identity.length) == 0;
        splitter->identity = identity;
        splitter->kind = KIND_CSV;
        return false;
    }
    if (kind == KIND_LIST && is_list_line(line, &index) && splitter->kind == KIND_LIST &&
        index > splitter->index) {
        splitter->index = index;
        return false;
    }
    if (splitter->kind != KIND_NONE)
        return true;
    splitter->kind = kind;
    splitter->index = index;
    splitter->header = kind == KIND_CSV ? line : splitter->header;
    return false;
}

bool smi_next_part(struct arena *arena, const struct lines *lines, size_t *from, struct slice *header,
                   struct lines *ret_part)
{
    struct splitter splitter = {.lines = lines, .arena = arena, .header = *header, .identity = {"", 0}};
    size_t end = *from, start = *from;
    LIST_OF(struct line) items = {0};

    if (*from > lines->count || (*from == lines->count && *from > 0))
        return false;
    for (; end < lines->count; end++) {
        struct slice line = slice_trim(lines->items[end].text);

        if (begins_part(&splitter, line)) {
            end = start_of(&splitter, kind_of(line), start, end);
            break;
        }
    }
    if (header->length > 0)
        *list_push(arena, &items) = (struct line){.text = *header, .rank = RANK_NONE};
    for (size_t i = start; i < end; i++)
        *list_push(arena, &items) = lines->items[i];
    *ret_part = (struct lines){.items = items.items, .count = items.count, .tail = {"", 0}};
    if (end == lines->count)
        ret_part->tail = lines->tail;
    /* The next part goes on with this header when it begins with a row. */
    *header = end < lines->count && kind_of(slice_trim(lines->items[end].text)) == KIND_NONE ? splitter.header
                                                                                             : slice_of("");
    *from = end < lines->count ? end : lines->count + 1;
    return true;
}
