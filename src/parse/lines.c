/* SPDX-License-Identifier: Apache-2.0 */
#include "lines.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "shell_words.h"

enum {
    ESCAPE = 0x1b,
    BELL = 0x07,
    LABEL_LINES = 3,
    HEAD_LINES = 64, /* blank ones included, within which LABEL_LINES must come to be labels */
    PREFIXES = 4,
    TAG_BYTES = 200,
    HOST_BYTES = 64,
    RULE_BYTES = 20,
    PIECE_OVERHEAD = 128,
    PIECES_LIMIT = 4, /* all pieces together: so many times the limit of a line */
};

static const char NO_BREAK[] = "\xc2\xa0"; /* the blank that web pages keep columns with */

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

/* What stands where a plain text has nothing or a blank: terminal escapes, and the blanks of web pages. */
static size_t junk_length(struct slice rest)
{
    if (slice_starts(rest, NO_BREAK))
        return strlen(NO_BREAK);
    return escape_length(rest);
}

static struct slice without_junk(struct text *clean, struct slice text)
{
    text_reset(clean);
    while (text.length > 0) {
        size_t plain = 0;

        while (plain < text.length && text.bytes[plain] != ESCAPE && text.bytes[plain] != NO_BREAK[0])
            plain++;
        text_add(clean, text.bytes, plain);
        text = slice_from(text, plain);
        if (slice_starts(text, NO_BREAK))
            text_put(clean, " ");
        else if (text.length > 0 && text.bytes[0] != ESCAPE)
            text_add(clean, text.bytes, 1);
        text = slice_from(text, text.length > 0 && junk_length(text) == 0 ? 1 : junk_length(text));
    }
    return (struct slice){clean->bytes, clean->length};
}

/* isdigit() asks the locale, of every line many times. */
static inline bool is_digit(unsigned char byte)
{
    return byte >= '0' && byte <= '9';
}

/* '9' in the form is a digit, '?' a digit or blank, 'a' a letter; all else is itself. */
static bool scan_form(struct slice *rest, const char *form)
{
    size_t i;

    for (i = 0; form[i] != '\0'; i++) {
        unsigned char byte = i < rest->length ? (unsigned char)rest->bytes[i] : '\0';

        if (form[i] == '9'   ? !is_digit(byte)
            : form[i] == '?' ? !is_digit(byte) && byte != ' '
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

/* "[12:00:00] ", "[12:00:00.123] " */
static bool scan_clock(struct slice *rest)
{
    struct slice at = *rest;
    uint64_t fraction;

    if (!scan_form(&at, "[99:99:99") || (scan_text(&at, ".") && !scan_digits(&at, &fraction)) ||
        !scan_text(&at, "]") || !at_blank_or_end(at))
        return false;
    *rest = slice_from(at, at.length > 0);
    return true;
}

/* "host unit[123]: ", "host kernel: " */
static bool scan_unit(struct slice *rest)
{
    struct slice at = *rest, host, unit;

    if (!scan_word(&at, &host) || !scan_word(&at, &unit) ||
        (!slice_ends(unit, "]:") && !slice_equal(unit, "kernel:")))
        return false;
    *rest = slice_from(at, at.length > 0);
    return true;
}

/* "Mar  1 12:00:00 host unit[123]: ", "Mar 01 12:00:00.123456 host unit[123]: " */
static bool scan_journal(struct slice *rest)
{
    struct slice at = *rest, host, unit;
    uint64_t fraction;

    if (!scan_form(&at, "aaa ?9 99:99:99") || (scan_text(&at, ".") && !scan_digits(&at, &fraction)) ||
        !scan_text(&at, " ") || !scan_word(&at, &host) || !scan_word(&at, &unit) || !slice_ends(unit, ":"))
        return false;
    *rest = slice_from(at, at.length > 0);
    return true;
}

/* The time that a log wrote before a line, with the host and the unit where it wrote them too. */
static bool scan_log_time(struct slice *rest)
{
    if (scan_iso_time(rest)) {
        scan_unit(rest);
        return true;
    }
    return scan_journal(rest) || scan_clock(rest);
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

/* "node01: ", as pdsh and clush write it. A host has no name that is all capitals: such are the tool's own words. */
static bool scan_host_label(struct slice *rest, struct slice *ret_host)
{
    struct slice at = *rest, host = *rest;
    bool is_word = false;

    if (!scan_name(&at, ":") || !slice_starts(at, ":"))
        return false;
    host.length -= at.length;
    at = slice_from(at, 1);
    for (size_t i = 0; i < host.length; i++)
        is_word = is_word || islower((unsigned char)host.bytes[i]);
    if (!is_word || host.length > HOST_BYTES || !at_blank_or_end(at))
        return false;
    *rest = slice_from(at, at.length > 0);
    *ret_host = host;
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

/* Joins the parts of a Kubernetes line; false while more is to come, and when it came to be too long. */
static bool join_parts(struct line_reader *reader, int kind, struct line *line)
{
    struct text *part = &reader->part[line->is_stderr];
    bool *is_lost = &reader->part_is_lost[line->is_stderr];
    bool *is_over = &reader->part_is_over[line->is_stderr];

    if (*is_over) {
        text_reset(part);
        *is_over = *is_lost = false;
    }
    if (kind == 1 && part->length == 0 && !*is_lost)
        return true;
    text_add(part, line->text.bytes, line->text.length);
    *is_lost = *is_lost || part->clipped;
    *is_over = kind == 1;
    reader->source->is_lossy = reader->source->is_lossy || *is_lost;
    line->text = (struct slice){part->bytes, part->length};
    reader->is_offered = false;
    reader->has_rest = true; /* tags may stand in the parts before */
    return kind == 1 && !*is_lost;
}

/* "[sudo] password for ops: ": what was typed is not shown, so the output begins behind it. */
static bool scan_password(struct slice *rest)
{
    struct slice at = *rest, name;

    if (!scan_text(&at, "[sudo] password for ") || !scan_word(&at, &name) || !slice_ends(name, ":"))
        return false;
    *rest = slice_from(at, at.length > 0);
    return true;
}

/* False when the line is only a part of one that goes on. */
static bool remove_prefixes(struct line_reader *reader, struct line *line)
{
    for (int i = 0; i < PREFIXES; i++) {
        int kind;

        if (scan_mpirun_tag(&line->text, line) || scan_password(&line->text))
            continue;
        if ((reader->flags & LINES_KEEP_TIME) || !scan_log_time(&line->text))
            break;
        kind = scan_cri(&line->text, &line->is_stderr);
        if (kind != 0 && !join_parts(reader, kind, line))
            return false;
    }
    return true;
}

/* ---- raw lines ---- */

/* Every byte is looked at once for each mark, however lines end. True when one is in the window, at
 * *ret_at. */
static inline bool seek(const struct line_reader *reader, struct line_mark *mark, char byte, size_t *ret_at)
{
    const struct source *source = reader->source;
    const char *found;
    size_t at;

    if (mark->at < reader->taken)
        *mark = (struct line_mark){reader->taken, false};
    at = (size_t)(mark->at - reader->taken);
    if (!mark->found && at < source->length) {
        found = memchr(source->bytes + at, byte, source->length - at);
        mark->found = found != NULL;
        at = found != NULL ? (size_t)(found - source->bytes) : source->length;
        mark->at = reader->taken + at;
    }
    *ret_at = at;
    return mark->found;
}

static void take(struct line_reader *reader, size_t length)
{
    reader->taken += length;
    source_take(reader->source, length);
}

/* What belongs to the end of a line that a CR ended: more CRs, and an LF. */
static void take_line_end(struct line_reader *reader)
{
    struct source *source = reader->source;

    while (reader->after_cr && (source->length > 0 || source_more(source))) {
        reader->after_cr = source->bytes[0] == '\r';
        if (source->bytes[0] == '\r' || source->bytes[0] == '\n')
            take(reader, 1);
    }
}

/* Length of the line at the front, or (size_t)-1 when the text ends before it. */
static size_t find_end(struct line_reader *reader)
{
    struct source *source = reader->source;

    for (;;) {
        size_t lf, cr;
        bool has_lf = seek(reader, &reader->ends[0], '\n', &lf);

        if (seek(reader, &reader->ends[1], '\r', &cr) && (!has_lf || cr < lf))
            return cr;
        if (has_lf)
            return lf;
        if (source->length > reader->limit) {
            reader->in_long_line = source->is_lossy = true;
            take(reader, source->length);
        }
        if (!source_more(source))
            return (size_t)-1;
    }
}

/* Where what a tag ends with may stand, in the window; its length where it stands nowhere. */
static size_t seek_tag(struct line_reader *reader)
{
    size_t at;

    for (;; reader->angle = (struct line_mark){reader->angle.at + 1, false})
        if (!seek(reader, &reader->angle, '<', &at) || (at > 0 && reader->source->bytes[at - 1] == ']'))
            return at;
}

/* Where skip_never stands, or begins at the end of the window. */
static size_t seek_never(struct line_reader *reader)
{
    const struct source *source = reader->source;
    size_t length, at;

    if (reader->skip_never == NULL)
        return source->length;
    length = strlen(reader->skip_never);
    for (;; reader->never = (struct line_mark){reader->never.at + 1, false})
        if (!seek(reader, &reader->never, reader->skip_never[0], &at) || at + length > source->length ||
            memcmp(source->bytes + at, reader->skip_never, length) == 0)
            return at;
}

/* Whether the first bytes of the window, a line, are offered to skip. */
static bool may_skip(struct line_reader *reader, size_t end)
{
    return reader->skip != NULL && reader->head_is_read && seek_never(reader) >= end;
}

/*
 * Takes the lines at the front that are skipped. What may_skip asks of each line is asked here of many at once:
 * up to the first byte that one of the marks stands at, there is nothing but plain lines. True when the next one was
 * offered, and is none to skip.
 */
static bool skip_lines(struct line_reader *reader)
{
    const struct source *source = reader->source;
    struct line_mark *marks[] = {&reader->ends[1], &reader->escape, &reader->no_break};
    const char bytes[] = {'\r', ESCAPE, NO_BREAK[0]};
    size_t plain = seek_tag(reader), never = seek_never(reader), at = 0;
    bool is_refused = false;
    const char *end;

    plain = never < plain ? never : plain;
    for (size_t i = 0; i < sizeof bytes; i++) {
        size_t mark;

        seek(reader, marks[i], bytes[i], &mark);
        plain = mark < plain ? mark : plain;
    }
    while (at < plain && (end = memchr(source->bytes + at, '\n', plain - at)) != NULL) {
        size_t length = (size_t)(end - source->bytes) - at;

        is_refused = length > reader->limit ||
                     !reader->skip(reader->skip_context, (struct slice){source->bytes + at, length});
        if (is_refused)
            break;
        at += length + 1;
    }
    take(reader, at);
    return is_refused;
}

/* The next line that is not too long, without its end. */
static bool next_raw(struct line_reader *reader, struct slice *ret_line)
{
    struct source *source = reader->source;
    bool is_left_out;

    do {
        size_t end, junk;
        bool is_refused = false;

        take_line_end(reader);
        if (reader->skip != NULL && reader->head_is_read)
            is_refused = skip_lines(reader);
        end = find_end(reader);
        if (end == (size_t)-1)
            return false;
        is_left_out = reader->in_long_line || end > reader->limit;
        source->is_lossy = source->is_lossy || is_left_out;
        reader->in_long_line = false;
        *ret_line = (struct slice){source->bytes, end};
        reader->after_cr = source->bytes[end] == '\r';
        if (!is_left_out) {
            bool has_junk = (seek(reader, &reader->escape, ESCAPE, &junk) && junk < end) ||
                            (seek(reader, &reader->no_break, NO_BREAK[0], &junk) && junk < end);

            reader->has_rest = seek_tag(reader) < end;
            reader->is_offered = !has_junk && may_skip(reader, end);
            if (has_junk)
                *ret_line = without_junk(&reader->clean, *ret_line);
            else if (reader->is_offered && !reader->has_rest && !is_refused)
                is_left_out = reader->skip(reader->skip_context, *ret_line);
        }
        take(reader, end + 1);
    } while (is_left_out);
    return true;
}

/* ---- tags inside lines ---- */

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

/* The piece that the line's rank began, or NULL. */
static struct line_piece *piece_of(struct line_reader *reader, const struct line *line)
{
    for (size_t i = 0; i < reader->pieces.count; i++)
        if (reader->pieces.items[i].rank == line->rank &&
            reader->pieces.items[i].is_stderr == line->is_stderr)
            return &reader->pieces.items[i];
    return NULL;
}

static struct line_piece *begin_piece(struct line_reader *reader, const struct line *line)
{
    struct line_piece *piece;

    if (reader->pieces.count == reader->pieces.capacity) {
        reader->pieces.capacity = 2 * reader->pieces.capacity + 8;
        reader->pieces.items =
            mem_resize(reader->pieces.items, reader->pieces.capacity * sizeof reader->pieces.items[0]);
    }
    piece = &reader->pieces.items[reader->pieces.count++];
    *piece = (struct line_piece){.rank = line->rank, .is_stderr = line->is_stderr};
    text_init(&piece->text, reader->limit);
    reader->held_bytes += PIECE_OVERHEAD;
    return piece;
}

/* What a rank wrote up to where another one came between: Open MPI tags each piece that it reads, not each
 * line. */
static void hold_piece(struct line_reader *reader, const struct line *line)
{
    struct line_piece *piece = piece_of(reader, line);

    if (line->text.length == 0)
        return;
    if (reader->held_bytes / PIECES_LIMIT > reader->limit) {
        reader->source->is_lossy = true;
        if (piece != NULL)
            piece->is_lost = true;
        return;
    }
    if (piece == NULL)
        piece = begin_piece(reader, line);
    text_add(&piece->text, line->text.bytes, line->text.length);
    reader->held_bytes += line->text.length;
    piece->is_lost = piece->is_lost || piece->text.clipped;
}

/* Puts what was held in front of the line; false when that makes it too long. */
static bool add_piece(struct line_reader *reader, struct line *line)
{
    struct line_piece *piece = line->rank != RANK_NONE ? piece_of(reader, line) : NULL;
    bool is_lost;

    if (piece == NULL)
        return true;
    reader->held_bytes -= piece->text.length + PIECE_OVERHEAD;
    text_add(&piece->text, line->text.bytes, line->text.length);
    is_lost = piece->is_lost || piece->text.clipped;
    reader->source->is_lossy = reader->source->is_lossy || is_lost;
    text_release(&reader->given);
    reader->given = piece->text;
    *piece = reader->pieces.items[--reader->pieces.count];
    reader->is_offered = false;
    line->text = (struct slice){reader->given.bytes, reader->given.length};
    return !is_lost;
}

static struct slice trim_end(struct slice text)
{
    while (text.length > 0 && (text.bytes[text.length - 1] == ' ' || text.bytes[text.length - 1] == '\t'))
        text.length--;
    return text;
}

/* The next line, its label still on it. */
static bool next_line(struct line_reader *reader, struct line *ret_line)
{
    struct line line;
    size_t tag;

    for (;;) {
        if (reader->has_rest) {
            line = reader->rest;
            reader->is_offered = false;
        } else {
            line = (struct line){.rank = RANK_NONE};
            if (!next_raw(reader, &line.text))
                return false;
            if (!remove_prefixes(reader, &line)) {
                reader->has_rest = false;
                continue;
            }
        }
        tag = reader->has_rest ? find_tag(line.text) : (size_t)-1;
        reader->has_rest = tag != (size_t)-1;
        if (reader->has_rest) {
            reader->is_offered = false;
            reader->rest = line;
            reader->rest.text = slice_from(line.text, tag);
            scan_mpirun_tag(&reader->rest.text, &reader->rest);
            line.text.length = tag;
            if (line.rank != RANK_NONE) {
                hold_piece(reader, &line);
                continue;
            }
        } else if (reader->pieces.count > 0 && !add_piece(reader, &line)) {
            continue;
        }
        line.text = trim_end(line.text);
        *ret_line = line;
        return true;
    }
}

/* ---- labels ---- */

/* "> text", or ">" alone, as mail and issue trackers quote */
static bool scan_quote(struct slice *rest)
{
    struct slice at = *rest;

    if (!scan_text(&at, ">") || !at_blank_or_end(at))
        return false;
    *rest = slice_from(at, at.length > 0);
    return true;
}

static bool scan_mark(enum line_mark_kind kind, struct slice *rest, struct line *line, struct slice *ret_host)
{
    switch (kind) {
    case MARK_QUOTE:
        return scan_quote(rest);
    case MARK_RANK:
        return scan_label(rest, &line->rank);
    case MARK_HOST:
        return scan_host_label(rest, ret_host);
    case MARK_NONE:
    default:
        return false;
    }
}

static enum line_mark_kind mark_of(const struct line_reader *reader, struct line line, struct slice *ret_host)
{
    for (enum line_mark_kind kind = MARK_QUOTE; kind <= MARK_HOST; kind++)
        if ((kind != MARK_HOST || (reader->flags & LINES_KEEP_LABEL) == 0) &&
            scan_mark(kind, &line.text, &line, ret_host))
            return kind;
    return MARK_NONE;
}

/*
 * Labels, and marks of quotation, are removed when each of the first lines that are not blank has one, and it is the
 * same host's. Those lines are held until that is known; mostly that is the first one.
 */
static void read_head(struct line_reader *reader)
{
    enum line_mark_kind kind = MARK_NONE;
    int marked = 0;

    reader->mark_kind = (reader->flags & LINES_RANKS) != 0 ? MARK_RANK : MARK_NONE;
    reader->head = mem_alloc(HEAD_LINES * sizeof reader->head[0]);
    while (marked < LABEL_LINES && reader->head_count < HEAD_LINES) {
        struct line line;
        struct slice host = {"", 0};

        if (!next_line(reader, &line))
            return;
        text_add(&reader->head_text, line.text.bytes, line.text.length);
        reader->head[reader->head_count++] = line;
        if (line.text.length == 0)
            continue;
        if (marked == 0) {
            kind = mark_of(reader, line, &host);
            text_add(&reader->host, host.bytes, host.length);
        }
        if (!scan_mark(kind, &line.text, &line, &host) || !slice_equal(host, reader->host.bytes))
            return;
        marked++;
    }
    if (marked == LABEL_LINES)
        reader->mark_kind = kind;
}

/* The next of the lines that were held; their texts stand one behind the other. */
static bool next_of_head(struct line_reader *reader, struct line *ret_line)
{
    size_t at = 0;

    if (reader->head_given == reader->head_count)
        return false;
    for (size_t i = 0; i < reader->head_given; i++)
        at += reader->head[i].text.length;
    *ret_line = reader->head[reader->head_given++];
    ret_line->text.bytes = reader->head_text.bytes + at;
    return true;
}

/* False when the line is only a part of one that goes on. Another host's lines keep its name. */
static bool remove_label(struct line_reader *reader, struct line *line)
{
    struct slice rest = line->text, host = {"", 0};
    bool is_whole = true;

    if (scan_mark(reader->mark_kind, &rest, line, &host) && slice_equal(host, reader->host.bytes)) {
        line->text = rest;
        is_whole = remove_prefixes(reader, line);
    }
    if ((reader->flags & LINES_RANKS) != 0 && reader->mark_kind != MARK_RANK)
        scan_label(&line->text, &line->rank);
    return is_whole;
}

/* ---- the public side ---- */

void lines_open(struct line_reader *reader, struct source *source, unsigned flags)
{
    *reader = (struct line_reader){.source = source, .flags = flags, .limit = LINE_BYTES};
    text_init(&reader->clean, reader->limit);
    text_init(&reader->part[0], reader->limit);
    text_init(&reader->part[1], reader->limit);
    text_init(&reader->head_text, HEAD_LINES * reader->limit);
    text_init(&reader->host, HOST_BYTES + 1);
}

void lines_close(struct line_reader *reader)
{
    for (size_t i = 0; i < reader->pieces.count; i++)
        text_release(&reader->pieces.items[i].text);
    free(reader->pieces.items);
    free(reader->head);
    text_release(&reader->clean);
    text_release(&reader->part[0]);
    text_release(&reader->part[1]);
    text_release(&reader->given);
    text_release(&reader->head_text);
    text_release(&reader->host);
}

/* "```", "```text": what web pages put around an output. */
static bool is_fence(struct slice text)
{
    text = slice_trim(text);
    return scan_text(&text, "```") && !slice_contains(text, " ") && !slice_contains(text, "`");
}

/* A prompt that waits, or the end of a fence: the output before it has come to its end. */
static bool is_after_the_end(struct slice tail)
{
    return is_prompt(tail) || is_fence(tail);
}

bool line_is_rule(struct slice line, const char *marks, size_t least)
{
    bool is_rule = line.length >= least;

    for (size_t i = 0; is_rule && i < line.length; i++)
        is_rule = strchr(marks, line.bytes[i]) != NULL && line.bytes[i] != '\0';
    return is_rule;
}

/* The end of the text, where no end of line is needed to know that it is whole. */
static bool last_line(struct line_reader *reader, struct line *ret_line)
{
    *ret_line = (struct line){.text = trim_end(lines_tail(reader)), .rank = RANK_NONE};
    /* A table's border, or what stands around a heading: whole as soon as it is that long, for nothing is told by it. */
    if (!line_is_rule(ret_line->text, "-=+|", RULE_BYTES))
        return false;
    take(reader, reader->source->length);
    reader->is_offered = false;
    return true;
}

bool lines_next(struct line_reader *reader, struct line *ret_line)
{
    static const char mark[] = "\xef\xbb\xbf";

    if (!reader->began) {
        reader->began = true;
        if (slice_starts(source_peek(reader->source, strlen(mark)), mark))
            take(reader, strlen(mark));
    }
    if (!reader->head_is_read) {
        read_head(reader);
        reader->head_is_read = true;
    }
    do {
        if (next_of_head(reader, ret_line))
            reader->is_offered = false;
        else if (!next_line(reader, ret_line))
            return last_line(reader, ret_line);
    } while (!remove_label(reader, ret_line) || is_fence(ret_line->text) ||
             (reader->is_offered && reader->skip(reader->skip_context, ret_line->text)));
    return true;
}

/* What stands before a line's text also stands before one that was not ended. */
struct slice lines_tail(struct line_reader *reader)
{
    struct line line = {.text = {reader->source->bytes, reader->source->length}, .rank = RANK_NONE};

    if (reader->in_long_line || line.text.length == 0)
        return (struct slice){"", 0};
    if (find_tag(slice_from(line.text, 1)) != (size_t)-1)
        return line.text;
    line.text = without_junk(&reader->clean, line.text);
    for (int i = 0; i < PREFIXES; i++) {
        if (scan_mpirun_tag(&line.text, &line) || scan_password(&line.text))
            continue;
        if ((reader->flags & LINES_KEEP_TIME) || !scan_log_time(&line.text))
            break;
        scan_cri(&line.text, &line.is_stderr);
    }
    remove_label(reader, &line);
    return is_after_the_end(line.text) ? (struct slice){"", 0} : line.text;
}

static bool lies_in(struct slice text, struct slice bytes)
{
    return (uintptr_t)text.bytes >= (uintptr_t)bytes.bytes &&
           (uintptr_t)text.bytes <= (uintptr_t)bytes.bytes + bytes.length;
}

void lines_read(struct arena *arena, struct slice bytes, unsigned flags, struct lines *ret_lines)
{
    LIST_OF(struct line) lines = {0};
    cleanup_source struct source source = {0};
    cleanup_lines struct line_reader reader = {0};
    struct line line;
    struct slice tail;

    source_of_slice(&source, bytes);
    lines_open(&reader, &source, flags);
    /* A document is in memory already. */
    reader.limit = reader.clean.limit = reader.part[0].limit = reader.part[1].limit = SIZE_MAX / 128;
    while (lines_next(&reader, &line)) {
        if (!lies_in(line.text, bytes))
            line.text.bytes = arena_strndup(arena, line.text.bytes, line.text.length);
        *list_push(arena, &lines) = line;
    }
    tail = lines_tail(&reader);
    if (!lies_in(tail, bytes))
        tail.bytes = arena_strndup(arena, tail.bytes, tail.length);
    *ret_lines = (struct lines){.items = lines.items, .count = lines.count, .tail = tail};
}

struct slice lines_first(const struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        struct slice line = slice_trim(lines->items[i].text);

        if (line.length > 0)
            return line;
    }
    return slice_trim(lines->tail).length > 0 ? slice_trim(lines->tail) : slice_of("empty");
}
