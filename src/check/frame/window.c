/* SPDX-License-Identifier: Apache-2.0 */
#include "window.h"

#include <string.h>

#include "assay/model/script_reason.h"
#include "assay/reasons/check.h"
#include "part_file.h"
#include "window_rows.h"

void read_window_frames(struct arena *arena, const struct attempt *attempt, const struct window *window,
                        struct frames *ret_frames)
{
    frames_read(arena, window->captures, window_secret(arena, attempt, window), window_parts(window->role),
                ret_frames);
}

const struct window *window_find(const struct attempt *attempt, size_t member, enum window_role role)
{
    for (size_t i = attempt->windows.count; i-- > 0;)
        if (attempt->windows.items[i].member == member && attempt->windows.items[i].role == role)
            return &attempt->windows.items[i];
    return NULL;
}

const struct reason *window_what(struct arena *arena, const struct window *window)
{
    return window->what != NULL ? window->what : reason_word(arena, attempt_end_name(window->end));
}

const struct reason *window_unread(struct arena *arena, const struct window *window, const struct part *part)
{
    const struct reason *complaint;

    if (window == NULL)
        return REASON(not_asked);
    if (window->end != ATTEMPT_RAN)
        return window_what(arena, window);
    if (part == NULL || !part->began || !part->ended)
        return REASON(command_not_ended);
    if (part->rc == 0)
        return NULL;
    complaint = script_complaint(arena, part->err);
    return complaint != NULL ? complaint : reason(arena, exit_status, part->rc);
}

struct slice window_said(const struct check_context *context, const struct attempt *attempt, size_t member,
                         enum window_role role, const char *name, const struct reason **ret_why)
{
    const struct window *window = window_find(attempt, member, role);
    struct attempt scratch = {.uuid = attempt->uuid};
    const struct part *part = NULL;
    struct slice said = {0};
    struct frames frames;

    if (window != NULL && window->end == ATTEMPT_RAN) {
        read_window_frames(context->arena, attempt, window, &frames);
        for (const struct part_row *row = window_parts(role); row->name != NULL; row++)
            if (strcmp(row->name, name) == 0)
                (void)read_part(context, row, &frames, 1, &scratch);
        part = &scratch.parts.items[0];
    }
    *ret_why = window_unread(context->arena, window, part);
    if (part != NULL)
        said = part->out;
    while (slice_ends(said, "\n"))
        said.length--;
    return slice_trim(said);
}
