/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"

#include <string.h>

enum { KEPT_BYTES = 400 };

/* ---- how far a reading can be trusted ---- */

static int weight_of(enum reading_status status)
{
    switch (status) {
    case READING_FAILED:
        return 3;
    case READING_UNRECOGNISED:
        return 2;
    case READING_PARTIAL:
        return 1;
    case READING_COMPLETE:
    default:
        return 0;
    }
}

bool reading_weighs_more(const struct reading *reading, enum reading_status status)
{
    return weight_of(status) > weight_of(reading->status);
}

/* ---- what many have to say ---- */

void reading_fact_once(struct reading *reading, const char *name, struct slice value)
{
    if (value.length > 0 && reading_get_fact(reading, name, "") == NULL)
        reading_fact(reading, name, "", value);
}

void reading_count(struct reading *reading, const char *name, uint64_t count)
{
    reading_fact(reading, name, "",
                 slice_of(arena_printf(reading->arena, "%llu", (unsigned long long)count)));
}

/* ---- outputs of lines ---- */

/* What is quoted at the end, when the line itself may be gone. */
static struct slice keep(const struct frame *frame, struct slice line)
{
    size_t length = line.length < KEPT_BYTES ? line.length : KEPT_BYTES;

    if ((frame->grammar->flags & FRAME_STREAM) == 0)
        return line;
    return (struct slice){arena_strndup(frame->all->arena, line.bytes, length), length};
}

void frame_fail(struct frame *frame, struct slice line)
{
    if (frame->failure.length == 0)
        frame->failure = keep(frame, line);
}

void frame_strange(struct frame *frame)
{
    reading_strange(frame->reading, frame->first.length > 0
                                        ? reason(frame->reading->arena, text, frame->first)
                                        : REASON(empty));
}

void frame_lacks_end(struct frame *frame)
{
    if (frame->tail.length > 0)
        reading_lacks(frame->reading, REASON(last_line_not_ended));
}

void frame_ends_list(struct frame *frame)
{
    if (!frame_has_run(frame))
        frame_strange(frame);
    frame_lacks_end(frame);
}

bool frame_is_complete(const struct frame *frame)
{
    return frame->reading->status == READING_COMPLETE && frame->failure.length == 0;
}

void frame_begin_run(struct frame *frame)
{
    frame->reading = runs_begin(frame->all);
}

bool frame_knows(const struct frame *frame, const char *subject)
{
    for (size_t i = 0; i < frame->reading->facts.count; i++)
        if (strcmp(frame->reading->facts.items[i].subject, subject) == 0)
            return true;
    return false;
}

static void begin(struct frame *frame)
{
    if ((frame->grammar->flags & FRAME_RUNS) != 0)
        frame_begin_run(frame);
    if (frame->grammar->begin != NULL)
        frame->grammar->begin(frame);
}

static void end_run(struct frame *frame)
{
    frame->grammar->end(frame);
    if (frame->failure.length > 0)
        reading_failed(frame->reading, reason(frame->reading->arena, text, frame->failure));
}

void frame_next_run(void *state)
{
    struct frame *frame = state;

    end_run(frame);
    memset((char *)state + sizeof *frame, 0, frame->grammar->state_bytes - sizeof *frame);
    frame->failure.length = 0;
    begin(frame);
}

static void take_line(struct frame *frame, struct slice text)
{
    struct slice line = slice_trim(text);

    if (line.length > 0 && frame->first.length == 0)
        frame->first = keep(frame, line);
    if ((frame->grammar->flags & FRAME_RAW) != 0)
        frame->grammar->line(frame, text);
    else if (line.length > 0)
        frame->grammar->line(frame, line);
}

static void take_tail(struct frame *frame, struct slice tail)
{
    struct slice trimmed = slice_trim(tail);

    if (frame->first.length == 0)
        frame->first = keep(frame, trimmed);
    if (trimmed.length > 0 && frame->grammar->is_whole != NULL && frame->grammar->is_whole(frame, trimmed))
        frame->grammar->line(frame, trimmed);
    else if (trimmed.length > 0)
        frame->tail = tail;
}

static void read_document(struct frame *frame, struct slice bytes)
{
    lines_read(frame->all->arena, bytes, frame->grammar->flags, &frame->lines);
    if (frame->grammar->document != NULL && frame->grammar->document(frame, bytes))
        return;
    while (frame->next < frame->lines.count)
        take_line(frame, frame->lines.items[frame->next++].text);
    take_tail(frame, frame->lines.tail);
}

static void read_stream(struct frame *frame, struct source *source)
{
    cleanup_lines struct line_reader reader = {0};
    struct line line;
    struct slice tail;

    lines_open(&reader, source, frame->grammar->flags);
    while (lines_next(&reader, &line))
        take_line(frame, line.text);
    tail = lines_tail(&reader);
    tail.bytes = arena_strndup(frame->all->arena, tail.bytes, tail.length);
    take_tail(frame, tail);
}

void frame_read(const struct grammar *grammar, struct source *source, struct reading *reading)
{
    struct frame *frame = arena_alloc(reading->arena, grammar->state_bytes);

    *frame = (struct frame){.all = reading, .reading = reading, .grammar = grammar};
    begin(frame);
    if ((grammar->flags & FRAME_STREAM) != 0)
        read_stream(frame, source);
    else
        read_document(frame, parser_document(source));
    end_run(frame);
    runs_finish(reading);
}
