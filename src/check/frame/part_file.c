/* SPDX-License-Identifier: Apache-2.0 */
#include "part_file.h"

#include <string.h>

#include "assay/base/sha256.h"
#include "assay/model/script_reason.h"
#include "assay/reasons/check.h"
#include "script.h"
#include "staged.h"

enum { COMMAND_BYTES = 64 * 1024 };

static void put_export(struct text *out, const char *name, const char *value)
{
    text_put(out, "export ");
    script_set(out, name, value);
}

void put_environment(const struct check_context *context, struct text *out)
{
    const struct suite *suite = context->suite;
    const struct suite_variant *variant = check_variant(context);

    frames_put_words(out);
    text_put(out, script_lab_root);
    /* Tools print numbers and words as in the C locale, and count GPUs as lspci and nvidia-smi do. */
    put_export(out, "LC_ALL", "C");
    put_export(out, "CUDA_DEVICE_ORDER", "PCI_BUS_ID");
    for (size_t i = 0; i < suite->environment.count; i++)
        put_export(out, suite->environment.items[i].name, suite->environment.items[i].value);
    for (size_t i = 0; variant != NULL && i < variant->environment.count; i++)
        put_export(out, variant->environment.items[i].name, variant->environment.items[i].value);
    for (size_t i = suite->search_path.count; i-- > 0;) {
        text_put(out, "PATH=");
        text_shell_quote(out, suite->search_path.items[i]);
        text_put(out, ":$PATH\n");
    }
    put_staged_path(context, out);
    /* Where a login shell finds the administrator's tools and a plain ssh session does not. */
    text_put(out, "PATH=\"$PATH:/usr/local/sbin:/usr/sbin:/sbin\"; export PATH\n");
}

/* What a step of the suite asks of root, and another user answers, may look right and say nothing. */
static void put_root_guard(const struct check_context *context, const struct part_row *row, struct text *out)
{
    if (row == context->check->parts && context->check->root_asked != NULL &&
        context->check->root_asked(context))
        text_put(out, "[ \"$(id -u)\" = 0 ] || { printf 'root_asked_but_user\\t%s\\n' \"$(id -un)\" >&2; "
                      "exit 126; }\n");
}

void put_part(const struct check_context *context, const struct part_row *row, struct text *out)
{
    frames_put_begin(out, row->name);
    text_put(out, "( " FRAMES_FORGET);
    put_root_guard(context, row, out);
    put_staged_guard(context, row, out);
    check_part_command(context, row, out);
    text_put(out, " ) </dev/null; rc=$?\n");
    frames_put_end(out, row->name);
}

const char *attempt_secret(const struct attempt *attempt)
{
    return attempt->frame != NULL ? attempt->frame : attempt->uuid;
}

const char *window_secret(struct arena *arena, const struct attempt *attempt, const struct window *window)
{
    char hex[SHA256_HEX_SIZE];
    const char *from;

    if (attempt->frame == NULL)
        return attempt->uuid;
    from = arena_printf(arena, "%s %d %zu", attempt->frame, (int)window->role, window->member);
    sha256_hex(from, strlen(from), hex);
    return arena_strndup(arena, hex, TOKEN_SIZE - 1);
}

static const char *part_command(const struct check_context *context, const struct part_row *row)
{
    cleanup_text struct text command = {0};

    text_init(&command, COMMAND_BYTES);
    check_part_command(context, row, &command);
    return arena_strdup(context->arena, command.bytes);
}

/* What an output is not whole for is often said on the other stream only. */
static void add_complaint(struct part *part)
{
    if (part->reading.status != READING_COMPLETE)
        reading_set(&part->reading, part->reading.status,
                    part_with_complaint(part->reading.arena, part, part->reading.reason));
}

const struct reason *part_with_complaint(struct arena *arena, const struct part *part,
                                         const struct reason *what)
{
    const struct reason *complaint = script_complaint(arena, part->err);

    return complaint != NULL ? reason(arena, with_stderr, what, complaint) : what;
}

struct part *read_part(const struct check_context *context, const struct part_row *row,
                       const struct frames *frames, size_t window, struct attempt *attempt)
{
    static const struct frame nothing = {.bytes = {{"", 0}, {"", 0}}};
    struct part *part = list_push(context->arena, &attempt->parts);
    const struct parser *parser = row->parser != NULL ? parser_find(row->parser) : NULL;
    const struct frame *frame = frames_find(frames, row->name);

    if (frame == NULL)
        frame = &nothing;
    *part = (struct part){.name = row->name,
                          .command = part_command(context, row),
                          .began = frame->began[0],
                          .ended = frame->ended[0] && frame->ended[1],
                          .rc = frame->rc[0],
                          .aside = row->aside || row->sample_after_s != NULL,
                          .window = window,
                          .out = frame->bytes[0],
                          .err = frame->bytes[1]};
    if (parser == NULL || !part->began) {
        reading_init(&part->reading, context->arena, parser != NULL ? parser->name : "");
        reading_set(&part->reading, READING_PARTIAL,
                    part->began ? REASON(no_parser_reads) : REASON(part_did_not_run));
        add_complaint(part);
        return part;
    }
    parser_run(parser, part->out, context->arena, &part->reading);
    if (!part->ended && part->reading.status == READING_COMPLETE)
        reading_set(&part->reading, READING_PARTIAL, REASON(command_not_ended));
    add_complaint(part);
    return part;
}

/* "node2 before the test: 12 bytes ..." */
static const struct reason *told_of(struct arena *arena, const struct window *window, const char *member,
                                    const struct reason *what)
{
    if (window == NULL)
        return what;
    if (window->role == WINDOW_BEFORE)
        return *member != '\0' ? reason(arena, member_before_test, member, what)
                               : reason(arena, before_test, what);
    return *member != '\0' ? reason(arena, member_after_test, member, what) : reason(arena, after_test, what);
}

static const struct reason *bytes_outside(struct arena *arena, const struct frames *frames, size_t stream)
{
    enum { SHOWN = 80 };
    static const char *const streams[] = {"stdout", "stderr"};
    struct slice bytes = frames->outside[stream];

    bytes.length = bytes.length < SHOWN ? bytes.length : SHOWN;
    return reason(arena, bytes_of_no_command, frames->outside_length[stream], streams[stream], bytes);
}

void tell_frames(const struct frames *frames, const struct window *window, const char *member,
                 struct reading *out)
{
    const struct reason *fault;

    for (size_t i = 0; i < 2; i++)
        if (frames->outside_length[i] > 0)
            reading_finding(out, SEVERITY_INFO, "output.outside", "",
                            told_of(out->arena, window, member, bytes_outside(out->arena, frames, i)));
    if (frames->fault == NULL)
        return;
    /* What frames are read with goes before what they tell. */
    fault = told_of(out->arena, window, member, reason_copy(out->arena, frames->fault));
    reading_finding(out, SEVERITY_WARNING, OUTPUT_FORGED, "", fault);
    if (reading_get_fact(out, OUTPUT_FORGED, "") == NULL)
        reading_fact_said(out, OUTPUT_FORGED, "", fault);
}
