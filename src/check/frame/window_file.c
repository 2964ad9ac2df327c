/* SPDX-License-Identifier: Apache-2.0 */
/* The command file of a window: window_rows.c has its parts. */
#include <string.h>

#include "owners.h"
#include "part_file.h"
#include "script.h"
#include "window.h"
#include "window_rows.h"

/* Where the log ended before: digits only, for it goes into a command. NULL when nobody knows; "" when the log
   had no stamped line, so that all that is there later is new. */
static const char *log_end(const struct check_context *context, const struct attempt *attempt, size_t member)
{
    const struct reason *why;
    struct slice stamp = window_said(context, attempt, member, WINDOW_BEFORE, WINDOW_LOG_START, &why);
    double seconds;

    if (why != NULL || (stamp.length > 0 && !scan_double(stamp, &seconds)))
        return NULL;
    return arena_strndup(context->arena, stamp.bytes, stamp.length);
}

void check_window_file(const struct check_context *context, enum window_role role,
                       const struct attempt *attempt, size_t member, struct text *out)
{
    const char *since = role == WINDOW_AFTER ? log_end(context, attempt, member) : NULL;

    put_environment(context, out);
    owners_functions(context, member, out);
    if (since != NULL)
        script_set(out, "since", since);
    if (role == WINDOW_RELEASE) {
        text_put(out, "export ");
        script_set(out, "lock_of", attempt->uuid);
    }
    for (const struct part_row *row = window_parts(role); row->name != NULL; row++)
        if (window_part_applies(context, row) && (strcmp(row->name, WINDOW_LOG) != 0 || since != NULL))
            put_part(context, row, out);
    text_put(out, "exit 0\n");
}

unsigned check_window_deadline_s(const struct check_context *context, enum window_role role)
{
    enum { SHORTEST_S = 45, STARTING_S = 30 }; /* shorter only for simulated hosts, which share a machine */
    double wait_s = IDLE_WAIT_S + (role == WINDOW_BEFORE ? context->suite->cool_within_s : 0);
    /* A check without a window waits for no GPU: it is only asked whose the host is. */
    double rest_s = context->check->window ? READ_S + wait_s : STARTING_S;
    double scaled = (OWNERS_S + rest_s) / context->timescale;

    return scaled > SHORTEST_S ? (unsigned)scaled : SHORTEST_S;
}
