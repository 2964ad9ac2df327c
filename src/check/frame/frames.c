/* SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <ctype.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/base/sha256.h"
#include "assay/reasons/check.h"
#include "script.h"

#define ANY_MARK "@assay"
#define PART_MARK "@assay-part " /* as sh/frames.sh writes it */
#define ANSWER_MARK "@assay "    /* the guard's, around an answer */

/* 0: of all beginnings; from 1 on: of that end. */
static const char *word_of(struct arena *arena, const char *secret, size_t number)
{
    char hex[SHA256_HEX_SIZE];
    const char *from;

    if (strchr(secret, '-') != NULL)
        return secret;
    from = arena_printf(arena, "%s %zu", secret, number);
    sha256_hex(from, strlen(from), hex);
    return arena_strndup(arena, hex, TOKEN_SIZE - 1);
}

const char *frames_words(struct arena *arena, const char *secret, size_t ends)
{
    cleanup_text struct text words = {0};

    text_init(&words, 1 << 16);
    text_put(&words, word_of(arena, secret, 0));
    for (size_t i = 1; i <= ends; i++)
        text_printf(&words, " %s", word_of(arena, secret, i));
    return arena_strdup(arena, words.bytes);
}

void frames_put_words(struct text *out)
{
    text_put(out, script_frames);
}

void frames_put_begin(struct text *out, const char *name)
{
    text_printf(out, "assay_mark $assay_begin begin %s\n", name);
}

void frames_put_end(struct text *out, const char *name)
{
    text_printf(out, "assay_mark ${assay_ends%%%% *} end %s $rc; assay_ends=${assay_ends#* }\n", name);
}

/* One line that somebody wrote as a mark. */
struct mark {
    size_t at, after;   /* in the stream: from the newline before it to behind the one at its end */
    bool is_end, again; /* again: the end of its word was there before */
    struct slice name;
    uint64_t rc;
};

/* A stream on its way. */
struct reader {
    struct arena *arena;
    struct frames *frames;
    struct slice stream;
    int index;
    const char *secret, *begin; /* begin: the word of all beginnings */
    const struct part_row *rows;
    struct frame *open;
    size_t ends; /* so many were seen */
    size_t row;  /* the last part that began */
    size_t done; /* of the stream, so much is in parts or noted as outside of them */
};

/* sentence: of what was found, a name or the first bytes of it, and of the stream. */
static void find_fault(struct reader *reader, const struct sentence *sentence, struct slice found)
{
    static const char *const streams[] = {"stdout", "stderr"};
    const struct reason_value values[] = {reason_value_slice(found),
                                          reason_value_text(streams[reader->index])};

    if (reader->frames->fault == NULL)
        reader->frames->fault = reason_make(reader->arena, sentence, values, ARRAY_SIZE(values));
}

static bool same_name(struct slice a, struct slice b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

static struct frame *find_frame(const struct frames *frames, struct slice name)
{
    for (size_t i = 0; i < frames->frames.count; i++)
        if (same_name(frames->frames.items[i].name, name))
            return &frames->frames.items[i];
    return NULL;
}

/* No other is made as long as it is open, so the pointer stays good. */
static struct frame *frame_of(struct reader *reader, struct slice name)
{
    struct frame *frame = find_frame(reader->frames, name);

    if (frame != NULL)
        return frame;
    frame = list_push(reader->arena, &reader->frames->frames);
    *frame = (struct frame){.name = name, .bytes = {{"", 0}, {"", 0}}};
    return frame;
}

/* Of a stream, what is between two parts, and before the first and behind the last. */
static void note_outside(struct reader *reader, size_t end)
{
    /* The newline before a mark may be that of the mark before it. */
    size_t length = end > reader->done ? end - reader->done : 0;
    struct slice bytes = {reader->stream.bytes + reader->done, length};
    struct frames *frames = reader->frames;

    while (bytes.length > 0 && isspace((unsigned char)bytes.bytes[0]))
        bytes = slice_from(bytes, 1);
    if (bytes.length == 0)
        return;
    if (frames->outside_length[reader->index] == 0)
        frames->outside[reader->index] = bytes;
    frames->outside_length[reader->index] += bytes.length;
}

/* ---- marks ---- */

/* Some marks are of the guard, some of a part: who writes either does so on purpose. Text in which a variable stands for
   the secret, as where a list of processes shows a command file, is none. */
static bool is_like_a_mark(struct slice text)
{
    static const char *const words[] = {"begin ", "end ", "begun", "ended"};
    size_t id = 0;

    if (!scan_text(&text, PART_MARK) && !scan_text(&text, ANSWER_MARK))
        return false;
    while (id < text.length && (isalnum((unsigned char)text.bytes[id]) || text.bytes[id] == '-'))
        id++;
    if (id == 0 || id == text.length || text.bytes[id] != ' ')
        return false;
    text = slice_from(text, id + 1);
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (slice_starts(text, words[i]))
            return true;
    return false;
}

static bool is_word(struct slice *line, const char *word)
{
    return scan_text(line, word) && scan_text(line, " ");
}

/* Takes the word off, where it is one of ours that may stand there: any before it, too. */
static bool take_word(struct reader *reader, struct slice *line, struct mark *ret_mark)
{
    struct slice rest = *line;

    *ret_mark = (struct mark){0};
    if (is_word(&rest, reader->begin) && slice_starts(rest, "begin ")) {
        *line = rest;
        return true;
    }
    ret_mark->is_end = true;
    for (size_t i = reader->ends + 1; i > 0; i--) {
        rest = *line;
        ret_mark->again = i <= reader->ends && strchr(reader->secret, '-') == NULL;
        if (!is_word(&rest, word_of(reader->arena, reader->secret, i)))
            continue;
        *line = rest;
        return true;
    }
    return false;
}

/* What is behind the word, on the same line. */
static bool scan_mark(struct slice line, struct mark *ret_mark)
{
    struct slice rc;

    if (!scan_text(&line, ret_mark->is_end ? "end " : "begin ") || !scan_word(&line, &ret_mark->name))
        return false;
    if (ret_mark->is_end && (!scan_word(&line, &rc) || !scan_u64(rc, &ret_mark->rc) || ret_mark->rc > 255))
        return false;
    return line.length == 0;
}

static void forged(struct reader *reader, struct slice text)
{
    enum { SHOWN = 60 };
    size_t end = slice_find(text, "\n");

    text.length = end != (size_t)-1 ? end : text.length;
    text.length = text.length < SHOWN ? text.length : SHOWN;
    find_fault(reader, &sentence_mark_forged, text);
}

/* The next mark with a word of ours; on the way to it, what others wrote as one. One that is cut at the end is none. */
static bool next_mark(struct reader *reader, size_t from, struct mark *ret_mark)
{
    struct slice stream = reader->stream, rest, line;
    size_t found;

    for (; (found = slice_find(slice_from(stream, from), ANY_MARK)) != (size_t)-1; from++) {
        from += found;
        rest = slice_from(stream, from);
        if (!scan_text(&rest, PART_MARK) || !take_word(reader, &rest, ret_mark)) {
            if (is_like_a_mark(slice_from(stream, from)))
                forged(reader, slice_from(stream, from));
            continue;
        }
        if (!scan_line(&rest, &line))
            return false;
        ret_mark->at = from > 0 && stream.bytes[from - 1] == '\n' ? from - 1 : from;
        ret_mark->after = stream.length - rest.length;
        if (scan_mark(line, ret_mark))
            return true;
        find_fault(reader, &sentence_mark_damaged, line);
    }
    return false;
}

/* ---- what they make of a stream ---- */

static void check_order(struct reader *reader, struct slice name)
{
    for (size_t i = 0; reader->rows[i].name != NULL; i++)
        if (slice_equal(name, reader->rows[i].name)) {
            if (i < reader->row)
                find_fault(reader, &sentence_part_begins_too_late, name);
            reader->row = i;
        }
}

static void take_begin(struct reader *reader, const struct mark *mark)
{
    struct frame *frame;

    if (reader->open != NULL) {
        find_fault(reader, &sentence_beginning_within_a_part, mark->name);
        return;
    }
    frame = frame_of(reader, mark->name);
    note_outside(reader, mark->at);
    if (frame->began[reader->index]) {
        find_fault(reader, &sentence_two_beginnings, mark->name);
        reader->done = mark->after;
        return;
    }
    check_order(reader, mark->name);
    frame->began[reader->index] = true;
    frame->bytes[reader->index] = slice_from(reader->stream, mark->after);
    reader->open = frame;
}

static void take_end(struct reader *reader, const struct mark *mark)
{
    struct frame *frame = reader->open, *other = find_frame(reader->frames, mark->name);
    size_t start;

    if (mark->again || frame == NULL || !same_name(frame->name, mark->name)) {
        bool twice = mark->again || (other != NULL && other->ended[reader->index]);

        find_fault(reader, twice ? &sentence_two_ends : &sentence_end_without_beginning, mark->name);
        return;
    }
    reader->ends++;
    start = (size_t)(frame->bytes[reader->index].bytes - reader->stream.bytes);
    frame->bytes[reader->index].length = mark->at > start ? mark->at - start : 0;
    frame->ended[reader->index] = true;
    frame->rc[reader->index] = (int)mark->rc;
    reader->open = NULL;
    reader->done = mark->after;
}

static void read_stream(struct reader *reader)
{
    struct mark mark;

    for (size_t from = 0; next_mark(reader, from, &mark); from = mark.after)
        if (mark.is_end)
            take_end(reader, &mark);
        else
            take_begin(reader, &mark);
    if (reader->open == NULL)
        note_outside(reader, reader->stream.length);
}

void frames_read(struct arena *arena, const struct capture captures[2], const char *secret,
                 const struct part_row *rows, struct frames *ret_frames)
{
    struct reader reader = {.arena = arena, .frames = ret_frames, .secret = secret, .rows = rows};

    reader.begin = word_of(arena, secret, 0);
    *ret_frames = (struct frames){0};
    for (int i = 0; i < 2; i++) {
        reader.index = i;
        reader.stream = captures[i].bytes;
        reader.open = NULL;
        reader.row = reader.done = reader.ends = 0;
        read_stream(&reader);
    }
    list_each (frame, ret_frames->frames)
        if (frame->ended[0] && frame->ended[1] && frame->rc[0] != frame->rc[1])
            find_fault(&reader, &sentence_two_exit_statuses, frame->name);
}

const struct frame *frames_find(const struct frames *frames, const char *name)
{
    return find_frame(frames, slice_of(name));
}
