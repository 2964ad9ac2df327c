/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of `dcgmi diag`. Two columns; a text that is too long for the right one goes on in the next rows,
 * cut after 45 characters wherever that falls, so rows are joined without adding anything.
 *
 * A row is judged by its left cell: a test, `Warning`, `Info`, `Error` (4.x: `Warning: GPU0`), or empty. A
 * row with an empty left cell is one more result of the test (`Fail - GPU: 0`, 4.x `GPU3: Pass`) or the next
 * piece of the text above.
 */
#include <ctype.h>
#include <string.h>

#include "assay/base/text.h"
#include "assay/reasons/parse.h"
#include "dcgm_diag.h"
#include "frame.h"
#include "runs.h"

enum { CELL_BYTES = 48, PIECE_BYTES = 45, NOTE_LIMIT = 64 * 1024 };

enum block { BLOCK_NONE, BLOCK_RESULT, BLOCK_WARNING, BLOCK_INFO, BLOCK_ERROR, BLOCK_META };

struct table {
    struct diag *diag;
    size_t test; /* index of the test that the rows belong to, or NO_TEST */
    enum block block;
    struct text text;     /* of the block, its pieces joined */
    struct slice meta;    /* name of a metadata row */
    const char *subject;  /* of a note whose left cell names it */
    bool full;            /* the last piece fills its row, so the next row may continue it */
    bool opened, closed;  /* a table was seen; its last border was seen */
    bool metadata;        /* in the section of that name */
    bool broken;          /* the tool started again before its last border */
    struct slice border;  /* the top border */
    struct slice trouble; /* the first error outside the table */
};

enum { NO_TEST = -1 };

static struct diag_test *current(struct table *table)
{
    return table->test == (size_t)NO_TEST ? NULL : &table->diag->tests.items[table->test];
}

/* "GPU 3 ..." or "GPU3", "GPU: 3": the device; rest is what follows. NULL if the text does not start like this. */
static const char *take_gpu(struct arena *arena, struct slice *rest)
{
    struct slice after = *rest;
    uint64_t number;

    if (!scan_text(&after, "GPU"))
        return NULL;
    scan_text(&after, "s");
    scan_text(&after, ":");
    after = slice_trim(after);
    if (!scan_digits(&after, &number) || number > 4095)
        return NULL;
    *rest = after;
    return arena_printf(arena, "gpu%u", (unsigned)number);
}

/* "GPUs: 1, 2, 3": each gets the result. False when the list is not whole numbers. */
static bool say_list(struct table *table, struct slice list, enum diag_result result)
{
    const char *subject = take_gpu(table->diag->reading->arena, &list);
    uint64_t number;

    if (subject == NULL)
        return false;
    diag_say(table->diag, current(table), subject, result);
    for (list = slice_trim(list); list.length > 0; list = slice_trim(list)) {
        scan_text(&list, ",");
        list = slice_trim(list);
        if (!scan_digits(&list, &number) || number > 4095)
            return false;
        diag_say(table->diag, current(table),
                 arena_printf(table->diag->reading->arena, "gpu%u", (unsigned)number), result);
    }
    return true;
}

/* "Pass", "Pass - All", "Fail - GPU: 0", "GPU3: Pass" */
static void say_result(struct table *table, struct slice text)
{
    size_t dash = slice_find(text, " - ");
    struct slice rest = text;
    const char *subject = take_gpu(table->diag->reading->arena, &rest);
    enum diag_result result;

    if (subject != NULL) {
        scan_text(&rest, ":");
        diag_say(table->diag, current(table), subject, diag_result_of(slice_trim(rest)));
        return;
    }
    if (dash == (size_t)-1) {
        diag_say(table->diag, current(table), NULL, diag_result_of(text));
        return;
    }
    result = diag_result_of((struct slice){text.bytes, dash});
    rest = slice_trim(slice_from(text, dash + strlen(" - ")));
    if (slice_equal_nocase(rest, "All"))
        diag_say(table->diag, current(table), NULL, result);
    else if (!say_list(table, rest, result))
        table->diag->unread++;
}

static void say_meta(struct table *table, struct slice value)
{
    static const struct {
        const char *name, *fact;
    } rows[] = {
        {"DCGM Version", "dcgm.version"},
        {"Driver Version Detected", "driver.version"},
        {"GPU Device IDs Detected", "dcgm.gpu_device_ids"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (slice_equal(table->meta, rows[i].name) &&
            reading_get_fact(table->diag->reading, rows[i].fact, "") == NULL)
            reading_fact(table->diag->reading, rows[i].fact, "", value);
}

static void say_note(struct table *table, const char *kind, struct slice text)
{
    struct slice rest = text;
    const char *subject = table->subject;

    if (subject == NULL)
        subject = take_gpu(table->diag->reading->arena, &rest);
    diag_note(table->diag, current(table), kind, subject != NULL ? subject : "host", text);
}

/* The block above has ended: adds its result to the reading. */
static void end_block(struct table *table)
{
    struct slice text = slice_trim((struct slice){table->text.bytes, table->text.length});

    switch (table->block) {
    case BLOCK_RESULT:
        say_result(table, text);
        break;
    case BLOCK_WARNING:
        say_note(table, "warning", text);
        break;
    case BLOCK_INFO:
        say_note(table, "info", text);
        break;
    case BLOCK_ERROR:
        say_note(table, "error", text);
        break;
    case BLOCK_META:
        say_meta(table, text);
        break;
    case BLOCK_NONE:
    default:
        break;
    }
    table->block = BLOCK_NONE;
    table->subject = NULL;
    text_reset(&table->text);
}

static void end_test(struct table *table)
{
    end_block(table);
    if (current(table) != NULL)
        current(table)->closed = true;
    table->test = (size_t)NO_TEST;
}

/* The text of a right cell as a piece to be joined. */
static struct slice piece_of(struct slice cell)
{
    if (cell.length > 0 && cell.bytes[0] == ' ')
        cell = slice_from(cell, 1);
    /* A text that just fits is not cut; it only leaves fewer blanks at the end of its cell. */
    if (cell.length == CELL_BYTES - 1 && slice_ends(cell, "  "))
        cell.length = PIECE_BYTES;
    return cell;
}

static void add_piece(struct table *table, struct slice cell)
{
    struct slice piece = piece_of(cell);

    text_add(&table->text, piece.bytes, piece.length);
    table->full = piece.length > 0 && piece.bytes[piece.length - 1] != ' ';
}

static void begin_block(struct table *table, enum block block, struct slice cell)
{
    end_block(table);
    table->block = block;
    add_piece(table, cell);
}

static bool is_result(struct arena *arena, struct slice text)
{
    size_t dash = slice_find(text, " - ");
    struct slice rest = text;

    if (take_gpu(arena, &rest) != NULL && scan_text(&rest, ":"))
        return diag_result_of(slice_trim(rest)) != DIAG_UNREAD;
    return diag_result_of((struct slice){text.bytes, dash == (size_t)-1 ? text.length : dash}) != DIAG_UNREAD;
}

/* "Warning", "Warning: GPU0": the kind of note, with its device in table->subject. */
static enum block note_of(struct table *table, struct slice left, const char **ret_subject)
{
    static const struct {
        const char *word;
        enum block block;
    } words[] = {{"Warning", BLOCK_WARNING}, {"Info", BLOCK_INFO}, {"Error", BLOCK_ERROR}};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        struct slice rest = left;

        if (!scan_text(&rest, words[i].word))
            continue;
        scan_text(&rest, ":");
        rest = slice_trim(rest);
        *ret_subject = take_gpu(table->diag->reading->arena, &rest);
        if (rest.length == 0)
            return words[i].block;
    }
    return BLOCK_NONE;
}

static bool is_metadata(const struct table *table, struct slice left)
{
    return table->metadata ||
           slice_equal_one(left, "DCGM Version", "Driver Version Detected", "GPU Device IDs Detected");
}

static void read_row(struct table *table, struct slice left, struct slice cell)
{
    struct arena *arena = table->diag->reading->arena;
    const char *subject = NULL;
    enum block note;

    if (left.length == 0) {
        if (current(table) != NULL && is_result(arena, slice_trim(cell)))
            begin_block(table, BLOCK_RESULT, cell);
        else
            add_piece(table, cell);
        return;
    }
    note = note_of(table, left, &subject);
    if (note != BLOCK_NONE) {
        begin_block(table, note, cell);
        table->subject = subject;
    } else if (is_metadata(table, left)) {
        end_test(table);
        begin_block(table, BLOCK_META, cell);
        table->meta = left;
    } else {
        end_test(table);
        table->test = (size_t)(diag_test(table->diag, left) - table->diag->tests.items);
        begin_block(table, BLOCK_RESULT, cell);
    }
}

/* Borders and section titles: "+-----  Hardware ----------+------------------------------------------------+"
 */
static void read_border(struct table *table, struct slice line)
{
    bool title = false;

    for (size_t i = 0; i < line.length && !title; i++)
        title = isalpha((unsigned char)line.bytes[i]) != 0;
    if (slice_contains(line, "=") && !title)
        return;
    end_test(table);
    table->metadata = title && slice_contains(line, "Metadata");
    if (title)
        return;
    if (table->diag->tests.count > 0)
        table->closed = true;
    else
        table->border = line;
}

static void read_table_line(struct table *table, struct slice line)
{
    struct slice rest = slice_from(line, 1), left, cell;
    size_t bar;

    if (slice_starts(line, "+") || slice_starts(line, "|---")) {
        read_border(table, line);
        return;
    }
    bar = slice_find(rest, "|");
    if (bar == (size_t)-1)
        return;
    left = slice_trim((struct slice){rest.bytes, bar});
    cell = slice_from(rest, bar + 1);
    if (slice_ends(cell, "|"))
        cell.length--;
    if (slice_equal(left, "Diagnostic") && slice_equal(slice_trim(cell), "Result")) {
        end_test(table);
        return;
    }
    read_row(table, left, cell);
}

/* The tool's own messages for why it does not start or stopped. Those about MIG have no such prefix; nvvs prints them. */
static bool is_trouble(struct slice line)
{
    static const char *const starts[] = {"Error", "error:", "Unable to", "Cannot run diagnostic:"};
    for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
        if (slice_starts(line, starts[i]))
            return true;
    return slice_contains_one(line, "command not found",
                              "MIG configuration is incompatible with the diagnostic",
                              "MIG is enabled, but no compute instances are configured");
}

static void read_other(struct table *table, struct slice line)
{
    if (slice_starts(line, "Successfully ran ") && table->opened && !table->closed)
        table->broken = true;
    if (!is_trouble(line))
        return;
    if (table->trouble.length == 0)
        table->trouble = line;
    diag_note(table->diag, NULL, "error", "host", line);
}

static void find_lacks(struct table *table, struct slice first, bool cut)
{
    struct reading *reading = table->diag->reading;

    if (table->diag->tests.count == 0 && table->trouble.length > 0)
        reading_failed(reading, diag_words(reading->arena, table->trouble));
    if (!table->opened)
        reading_strange(reading, reason(reading->arena, no_diag_table, first));
    if (table->diag->tests.count == 0)
        reading_lacks(reading, REASON(no_test_in_table));
    if (!table->closed || table->broken)
        reading_lacks(reading, REASON(table_not_closed));
    if (table->border.length == 0)
        reading_lacks(reading, REASON(table_beginning_missing));
    if (table->diag->unread > 0)
        reading_lacks(reading, reason(reading->arena, results_unread, table->diag->unread));
    if (table->trouble.length > 0)
        reading_lacks(reading, diag_words(reading->arena, table->trouble));
    if (cut)
        reading_lacks(reading, REASON(last_line_cut));
}

static void read_line(struct table *table, struct slice line)
{
    if (slice_starts_one(line, "|", "+-", "+=")) {
        table->opened = true;
        read_table_line(table, line);
    } else if (line.length > 0) {
        read_other(table, line);
    }
}

/* The head of the table; a run has only one. */
static bool is_head(struct slice line)
{
    struct slice left = slice_from(line, 1), right;
    size_t bar = slice_find(left, "|");

    if (!slice_starts(line, "|") || bar == (size_t)-1)
        return false;
    right = slice_from(left, bar + 1);
    left = slice_trim((struct slice){left.bytes, bar});
    if (slice_ends(right, "|"))
        right.length--;
    return slice_equal(left, "Diagnostic") && slice_equal(slice_trim(right), "Result");
}

static void read_run(struct reading *reading, const struct lines *lines, size_t from, size_t to)
{
    struct diag diag = {.reading = reading};
    struct table table = {.diag = &diag, .test = (size_t)NO_TEST, .trouble = {"", 0}, .border = {"", 0}};
    struct slice first = {"", 0}, tail = {"", 0};

    text_init(&table.text, NOTE_LIMIT);
    for (size_t i = from; i < to; i++) {
        struct slice line = slice_trim(lines->items[i].text);

        first = first.length > 0 ? first : line;
        read_line(&table, line);
    }
    if (to == lines->count)
        tail = slice_trim(lines->tail);
    /* A closing border without its newline is whole when it is as long as the top one. */
    if (tail.length > 0 && tail.length == table.border.length &&
        memcmp(tail.bytes, table.border.bytes, tail.length) == 0) {
        read_line(&table, tail);
        tail.length = 0;
    }
    first = first.length > 0 ? first : tail;
    /* "Pass - GPUs: ..., 1" may be cut off before the row that would make it 12. */
    if (!table.full || (table.block != BLOCK_RESULT && table.block != BLOCK_META))
        end_block(&table);
    text_release(&table.text);
    diag_report(&diag);
    if (table.closed && slice_starts(tail, "```"))
        tail.length = 0;
    find_lacks(&table, first, tail.length > 0);
}

void dcgm_read_text(struct reading *reading, const struct lines *lines)
{
    size_t from = 0;
    bool has_head = false;

    for (size_t i = 0; i < lines->count; i++) {
        size_t start = i;

        if (!is_head(slice_trim(lines->items[i].text)))
            continue;
        if (has_head) {
            /* Its upper border, and the line before that, belong to it. */
            while (start > from && i - start < 2 && slice_trim(lines->items[start - 1].text).length > 0)
                start--;
            read_run(runs_begin(reading), lines, from, start);
            from = start;
        }
        has_head = true;
    }
    read_run(runs_begin(reading), lines, from, lines->count);
}
