/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

enum { ESCAPE = 0x1b, BELL = 0x07, LABEL_LINES = 3, PREFIXES = 4, TAG_BYTES = 200 };

/* What a rank wrote before another one came between: Open MPI tags each piece that it reads, not each line.
 */
struct piece {
    int rank;
    bool is_stderr;
    struct slice text; /* length 0: nothing is held */
};

struct cleaner {
    struct arena *arena;
    unsigned flags;
    LIST_OF(struct line) lines;
    LIST_OF(struct piece) pieces; /* one for each rank and stream that was ever held */
    struct {
        char *bytes;
        size_t length;
    } part[2]; /* of stdout and stderr: P parts that wait for their F */
};

/* Length of the escape sequence at the front, all of rest when it is unfinished; 0 when there is none. */
static size_t escape_length(struct slice rest)
{
    size_t at = 2;

    if (rest.length == 0 || rest.bytes[0] != ESCAPE)
        return 0;
    if (rest.length < 2)
        return rest.length;
    if (rest.bytes[1] == '[') {
        while (at < rest.length && (rest.bytes[at] < 0x40 || rest.bytes[at] > 0x7e))
            at++;
    } else if (rest.bytes[1] == ']') {
        while (at < rest.length && rest.bytes[at] != BELL && rest.bytes[at - 1] != ESCAPE)
            at++;
    } else if (strchr("()*+#%", rest.bytes[1]) == NULL) {
        at = 1;
    }
    return at < rest.length ? at + 1 : rest.length;
}

static struct slice without_escapes(struct arena *arena, struct slice text)
{
    char *clean;
    size_t length = 0, skip;

    if (text.length == 0 || memchr(text.bytes, ESCAPE, text.length) == NULL)
        return text;
    clean = arena_alloc(arena, text.length);
    for (size_t i = 0; i<text.length; i += skip> 0 ? skip : 1) {
        skip = escape_length(slice_from(text, i));
        if (skip == 0)
            clean[length++] = text.bytes[i];
    }
    return (struct slice){clean, length};
}

/* '9' in the form is a digit, '?' a digit or blank, 'a' a letter; all else is itself. */
static bool scan_form(struct slice *rest, const char *form)
{
    size_t i;

    for (i = 0; form[i] != '\0'; i++) {
        unsigned char byte = i < rest->length ? (unsigned char)rest->bytes[i] : '\0';

        if (form[i] == '9'   ? !isdigit(byte)
            : form[i] == '?' ? !isdigit(byte) && byte != ' '
            : form[i] == 'a' ? !isalpha(byte)
                             : byte != (unsigned char)form[i])
            return false;
    }
    *rest = slice_from(*rest, i);
    return true;
}

static bool at_blank_or_end(struct slice rest)
{
    return rest.length == 0 || rest.bytes[0] == ' ' || rest.bytes[0] == '\t';
}

static bool scan_iso_time(struct slice *rest)
{
    struct slice at = *rest;
    bool bracket = scan_text(&at, "[");
    uint64_t fraction;

    if (!scan_form(&at, "9999-99-99T99:99:99") && !scan_form(&at, "9999-99-99 99:99:99"))
        return false;
    if ((scan_text(&at, ".") || scan_text(&at, ",")) && !scan_digits(&at, &fraction))
        return false;
    if (!scan_text(&at, "Z") && !scan_form(&at, "+99:99") && !scan_form(&at, "-99:99") &&
        !scan_form(&at, "+9999"))
        scan_form(&at, "-9999");
    if (bracket && !scan_text(&at, "]"))
        return false;
    scan_text(&at, ":");
    if (!at_blank_or_end(at))
        return false;
    *rest = slice_from(at, at.length > 0);
    return true;
}

/* "Mar  1 12:00:00 host unit[123]: " */
static bool scan_journal(struct slice *rest)
{
    struct slice at = *rest, host, unit;

    if (!scan_form(&at, "aaa ?9 99:99:99 ") || !scan_word(&at, &host) || !scan_word(&at, &unit) ||
        !slice_ends(unit, ":"))
        return false;
    *rest = slice_from(at, at.length > 0);
    return true;
}

/* mpirun --timestamp-output puts this right before its tag; alone it is a tool's own date. */
static void scan_mpirun_time(struct slice *rest)
{
    struct slice at = *rest;

    if (scan_form(&at, "aaa aaa ?9 99:99:99 9999") && slice_starts(at, "["))
        *rest = at;
}

static bool scan_name(struct slice *rest, const char *ends)
{
    size_t length = 0;

    while (length < rest->length && strchr(ends, rest->bytes[length]) == NULL &&
           (isalnum((unsigned char)rest->bytes[length]) || strchr("@._-", rest->bytes[length]) != NULL))
        length++;
    *rest = slice_from(*rest, length);
    return length > 0;
}

static bool scan_mpirun_tag(struct slice *rest, struct line *line)
{
    struct slice at = *rest, name;
    uint64_t rank, pid;
    bool is_stderr;

    scan_mpirun_time(&at);
    if (!scan_text(&at, "["))
        return false;
    name = at;
    if (!scan_name(&at, ",") || !scan_text(&at, ",") || !scan_digits(&at, &rank) || !scan_text(&at, "]"))
        return false;
    name.length -= at.length;
    if (scan_text(&at, "[") &&
        (!scan_name(&at, ":") || !scan_text(&at, ":") || !scan_digits(&at, &pid) || !scan_text(&at, "]")))
        return false;
    is_stderr = slice_starts(at, "<stderr>");
    if (!scan_text(&at, "<stdout>:") && !scan_text(&at, "<stderr>:") && !scan_text(&at, "<stddiag>:"))
        return false;
    /* Open MPI 5 names the job and puts a blank after the colon, 4 does neither. */
    if (slice_contains(name, "@"))
        scan_text(&at, " ");
    line->rank = rank <= INT_MAX ? (int)rank : RANK_NONE;
    line->is_stderr = is_stderr;
    *rest = at;
    return true;
}

/* " 3: " or "[3] " */
static bool scan_label(struct slice *rest, int *ret_rank)
{
    struct slice at = *rest;
    uint64_t rank;
    bool bracket = scan_text(&at, "[");

    while (!bracket && scan_text(&at, " "))
        continue;
    if (!scan_digits(&at, &rank) || rank > 999999 || !scan_text(&at, bracket ? "]" : ":") ||
        !at_blank_or_end(at))
        return false;
    *rest = slice_from(at, at.length > 0);
    *ret_rank = (int)rank;
    return true;
}

/* "stdout F " after a time: 1 for a whole line, 2 for a part of one, 0 when it is no such thing. */
static int scan_cri(struct slice *rest, bool *ret_is_stderr)
{
    struct slice at = *rest;
    bool is_stderr = slice_starts(at, "stderr ");
    int kind;

    if (!scan_text(&at, "stdout ") && !scan_text(&at, "stderr "))
        return 0;
    kind = scan_text(&at, "F") ? 1 : scan_text(&at, "P") ? 2 : 0;
    if (kind == 0 || !at_blank_or_end(at))
        return 0;
    *ret_is_stderr = is_stderr;
    *rest = slice_from(at, at.length > 0);
    return kind;
}

/* Joins the parts of a Kubernetes line; false while more is to come. */
static bool join_parts(struct cleaner *cleaner, int kind, struct line *line)
{
    size_t old = cleaner->part[line->is_stderr].length;
    char *joined;

    if (kind == 1 && old == 0)
        return true;
    joined = arena_alloc(cleaner->arena, old + line->text.length + 1);
    if (old > 0)
        memcpy(joined, cleaner->part[line->is_stderr].bytes, old);
    if (line->text.length > 0)
        memcpy(joined + old, line->text.bytes, line->text.length);
    line->text = (struct slice){joined, old + line->text.length};
    cleaner->part[line->is_stderr].bytes = joined;
    cleaner->part[line->is_stderr].length = kind == 2 ? line->text.length : 0;
    return kind == 1;
}

/* Whether each of the first lines that are not blank has a rank label. */
static bool head_is_labeled(const struct line *lines, size_t count)
{
    int rank, labeled = 0;

    for (size_t i = 0; i < count && labeled < LABEL_LINES; i++) {
        struct slice rest = lines[i].text;

        if (rest.length == 0)
            continue;
        if (!scan_label(&rest, &rank))
            return false;
        labeled++;
    }
    return labeled == LABEL_LINES;
}

/* False when the line is only a part of one that goes on. */
static bool remove_prefixes(struct cleaner *cleaner, struct line *line)
{
    for (int i = 0; i < PREFIXES; i++) {
        int kind;

        if (scan_mpirun_tag(&line->text, line))
            continue;
        if ((cleaner->flags & LINES_KEEP_TIME) || (!scan_iso_time(&line->text) && !scan_journal(&line->text)))
            break;
        kind = scan_cri(&line->text, &line->is_stderr);
        if (kind != 0 && !join_parts(cleaner, kind, line))
            return false;
    }
    return true;
}

/* Takes the next line off the front: an LF ends it, or CRs, or CRs and an LF. */
static bool scan_raw_line(struct slice *rest, struct slice *ret_line)
{
    size_t end = 0, next;

    while (end < rest->length && rest->bytes[end] != '\n' && rest->bytes[end] != '\r')
        end++;
    if (end == rest->length)
        return false;
    for (next = end; next < rest->length && rest->bytes[next] == '\r';)
        next++;
    if (next < rest->length && rest->bytes[next] == '\n')
        next++;
    *ret_line = (struct slice){rest->bytes, end};
    *rest = slice_from(*rest, next);
    return true;
}

/* Offset of the next mpirun tag inside the text, or (size_t)-1. */
static size_t find_tag(struct slice text)
{
    struct line ignored;

    for (size_t from = 0; from < text.length;) {
        size_t mark = slice_find(slice_from(text, from), "]<std");

        if (mark == (size_t)-1)
            break;
        mark += from;
        for (size_t start = mark; mark - start < TAG_BYTES; start--) {
            struct slice rest = slice_from(text, start);

            if (text.bytes[start] == '[' && scan_mpirun_tag(&rest, &ignored))
                return start;
            if (start == 0)
                break;
        }
        from = mark + 1;
    }
    return (size_t)-1;
}

static struct piece *piece_of(struct cleaner *cleaner, const struct line *line)
{
    struct piece *piece;

    for (size_t i = 0; i < cleaner->pieces.count; i++)
        if (cleaner->pieces.items[i].rank == line->rank &&
            cleaner->pieces.items[i].is_stderr == line->is_stderr)
            return &cleaner->pieces.items[i];
    piece = list_push(cleaner->arena, &cleaner->pieces);
    *piece = (struct piece){.rank = line->rank, .is_stderr = line->is_stderr};
    return piece;
}

static struct slice join(struct arena *arena, struct slice left, struct slice right)
{
    char *joined;

    if (left.length == 0)
        return right;
    joined = arena_alloc(arena, left.length + right.length + 1);
    memcpy(joined, left.bytes, left.length);
    if (right.length > 0)
        memcpy(joined + left.length, right.bytes, right.length);
    return (struct slice){joined, left.length + right.length};
}

static struct slice trim_end(struct slice text)
{
    while (text.length > 0 && (text.bytes[text.length - 1] == ' ' || text.bytes[text.length - 1] == '\t'))
        text.length--;
    return text;
}

static void add_line(struct cleaner *cleaner, struct line line)
{
    line.text = trim_end(line.text);
    *list_push(cleaner->arena, &cleaner->lines) = line;
}

/* Adds the line, or, where tags of other ranks stand inside it, what each rank has made whole by it. */
static void add_pieces(struct cleaner *cleaner, struct line line)
{
    struct piece *piece;

    for (size_t at; (at = find_tag(line.text)) != (size_t)-1;) {
        struct line head = line;

        head.text.length = at;
        line.text = slice_from(line.text, at);
        scan_mpirun_tag(&line.text, &line);
        if (head.rank == RANK_NONE) {
            add_line(cleaner, head);
            continue;
        }
        piece = piece_of(cleaner, &head);
        piece->text = join(cleaner->arena, piece->text, head.text);
    }
    if (line.rank != RANK_NONE && cleaner->pieces.count > 0) {
        piece = piece_of(cleaner, &line);
        line.text = join(cleaner->arena, piece->text, line.text);
        piece->text.length = 0;
    }
    add_line(cleaner, line);
}

void lines_read(struct arena *arena, struct slice bytes, unsigned flags, struct lines *ret_lines)
{
    struct cleaner cleaner = {.arena = arena, .flags = flags};
    struct slice raw;

    scan_text(&bytes, "\xef\xbb\xbf");
    while (scan_raw_line(&bytes, &raw)) {
        struct line line = {.text = without_escapes(arena, raw), .rank = RANK_NONE};

        if (remove_prefixes(&cleaner, &line))
            add_pieces(&cleaner, line);
    }
    if ((flags & LINES_RANKS) || head_is_labeled(cleaner.lines.items, cleaner.lines.count))
        for (size_t i = 0; i < cleaner.lines.count; i++)
            scan_label(&cleaner.lines.items[i].text, &cleaner.lines.items[i].rank);
    *ret_lines = (struct lines){.items = cleaner.lines.items, .count = cleaner.lines.count, .tail = bytes};
}
