/* SPDX-License-Identifier: Apache-2.0 */
/* The command file of an attempt, and the way back from its two streams to parts; see frames.h. */
#include "heat.h"
#include "part_file.h"
#include "samples.h"
#include "window_read.h"
#include "window_rows.h"

enum { COMMAND_BYTES = 64 * 1024 };

/* A sample: started in the background, its streams kept in files until the part beside it has ended. */
static void put_sample_start(const struct check_context *context, const struct part_row *row,
                             struct text *out)
{
    text_printf(out, "( " FRAMES_FORGET "sleep %.1f; ( ", row->sample_after_s(context));
    check_part_command(context, row, out);
    text_printf(out,
                " ) >\"$ASSAY_DIR/%s.out\" 2>\"$ASSAY_DIR/%s.err\"; echo $? >\"$ASSAY_DIR/%s.rc\" ) "
                "</dev/null >/dev/null 2>&1 &\nsample=$!\n",
                row->name, row->name, row->name);
}

static void put_sample_end(const struct part_row *row, struct text *out)
{
    /* Where the part beside it ended first there is no sample, and its missing marks say so. */
    text_printf(out, "if [ -s \"$ASSAY_DIR/%s.rc\" ]; then\n", row->name);
    frames_put_begin(out, row->name);
    text_printf(out,
                "cat \"$ASSAY_DIR/%s.out\"; cat \"$ASSAY_DIR/%s.err\" >&2; rc=$(cat \"$ASSAY_DIR/%s.rc\")\n",
                row->name, row->name, row->name);
    frames_put_end(out, row->name);
    text_put(out, "else kill $sample 2>/dev/null; fi\n");
}

void check_command_file(const struct check_context *context, struct text *out)
{
    bool window = context->check->window;

    put_environment(context, out);
    if (window)
        put_samples_start(context, out);
    for (const struct part_row *row = context->check->parts; row->name != NULL; row++) {
        const struct part_row *sample = row[1].name != NULL && row[1].sample_after_s != NULL ? row + 1 : NULL;

        if (sample != NULL)
            put_sample_start(context, sample, out);
        put_part(context, row, out);
        if (sample != NULL) {
            put_sample_end(sample, out);
            row++;
        }
    }
    if (window)
        put_samples_end(out);
    text_put(out, "exit 0\n");
}

void check_tools_named(const struct check_context *context, struct tool_list *tools)
{
    struct check_context asking = *context;
    cleanup_text struct text command = {0};

    asking.tools = tools;
    text_init(&command, COMMAND_BYTES);
    check_command_file(&asking, &command);
    if (!context->check->window)
        return;
    for (size_t i = 0; i < context->member_count; i++)
        check_window_file(&asking, WINDOW_BEFORE, NULL, i, &command);
}

static size_t count_parts(const struct part_row *rows)
{
    size_t count = 0;

    while (rows[count].name != NULL)
        count++;
    return count;
}

const char *check_words(const struct check_context *context, const struct attempt *attempt)
{
    size_t samples = context->check->window ? 1 : 0;

    return frames_words(context->arena, attempt_secret(attempt),
                        count_parts(context->check->parts) + samples);
}

const char *check_window_words(const struct check_context *context, const struct attempt *attempt,
                               enum window_role role, size_t member)
{
    const struct window window = {.role = role, .member = member};

    return frames_words(context->arena, window_secret(context->arena, attempt, &window),
                        count_parts(window_parts(role)));
}

static void read_attempt(const struct check_context *context, struct attempt *attempt)
{
    struct frames frames;

    frames_read(context->arena, attempt->captures, attempt_secret(attempt), context->check->parts, &frames);
    for (const struct part_row *row = context->check->parts; row->name != NULL; row++)
        (void)read_part(context, row, &frames, 0, attempt);
    context->check->read(context, attempt, &attempt->reading);
    tell_frames(&frames, NULL, "", &attempt->reading);
    if (context->check->passive)
        return;
    if (context->check->window) {
        (void)read_part(context, &samples_row, &frames, 0, attempt);
        read_samples(context, attempt, &attempt->reading);
    }
    read_windows(context, attempt, &attempt->reading);
    if (context->check->window && context->member_count == 1)
        read_heat(&attempt->reading);
}

void check_read(const struct check_context *context, struct attempt *attempt)
{
    attempt->parts.count = 0;
    reading_init(&attempt->reading, context->arena, context->check->name);
    read_attempt(context, attempt);
    reading_settle(&attempt->reading);
}
