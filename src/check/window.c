/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is asked on each member right before and right after a test, and whether the test may begin.
 *
 * before: waits until the GPUs are idle and cool (a bounded time), then reads counters and where the kernel's
 * log ends. after: waits until the test's own processes are gone, then reads the same counters and what the
 * kernel has logged since. Both are light commands, as root where there is a way, and have deadlines of their
 * own: so a test that hangs, or whose host reboots, has a window too.
 */
#include <string.h>

#include "command_file.h"
#include "window.h"

enum { IDLE_WAIT_S = 15, POLL_S = 5, READ_S = 90 };

static double scaled_s(const struct check_context *context, double seconds)
{
    double scaled = seconds / context->timescale;

    return scaled > 0.1 ? scaled : 0.1;
}

/* for at most TIMES rounds: while CONDITION; do sleep; done. Rounds, not a clock that may be set. */
static void put_wait(const struct check_context *context, struct text *out, double wait_s,
                     const char *condition)
{
    double poll_s = wait_s < POLL_S ? wait_s : POLL_S;

    text_printf(out, "n=0; while [ $n -lt %.0f ] && ", wait_s / poll_s);
    text_put(out, condition);
    text_printf(out, "; do n=$((n + 1)); sleep %.1f; done; ", scaled_s(context, poll_s));
}

static const char *query(const struct check_context *context, const char *words)
{
    cleanup_text struct text command = {0};

    text_init(&command, 8192);
    text_put(&command, "(");
    command_tool(context, &command, "nvidia-smi");
    text_printf(&command, " %s --format=csv,noheader,nounits)", words);
    return arena_strdup(context->arena, command.bytes);
}

static void command_idle(const struct check_context *context, struct text *out)
{
    put_wait(context, out, IDLE_WAIT_S,
             arena_printf(context->arena, "[ -n \"$%s\" ]", query(context, "--query-compute-apps=pid")));
    text_put(out, ":");
}

/* GPUs that somebody computes on do not cool down: that is not waited for. */
static void command_cool(const struct check_context *context, struct text *out)
{
    const struct suite *suite = context->suite;

    put_wait(context, out, IDLE_WAIT_S,
             arena_printf(context->arena, "[ -n \"$%s\" ]", query(context, "--query-compute-apps=pid")));
    put_wait(context, out, suite->cool_within_s,
             arena_printf(context->arena,
                          "[ -z \"$%s\" ] && %s | awk '$1 + 0 > %g { hot = 1 } END { exit !hot }'",
                          query(context, "--query-compute-apps=pid"),
                          query(context, "--query-gpu=temperature.gpu"), suite->cool_below_c));
    text_put(out, ":");
}

/* A line of dmesg with its stamp, "[  12.345678] ...", in awk with the brackets as separators. */
#define STAMPED "$1 == \"\" && $2 ~ /^ *[0-9]+[.][0-9]+$/"

static void command_log_start(const struct check_context *context, struct text *out)
{
    (void)context;
    /* The kernel's own stamps drift from /proc/uptime by minutes in months, so the window begins behind the
       last line that was there before, by the same clock. */
    text_put(out, "log=$(dmesg) && printf '%s\\n' \"$log\" | awk -F'[][]' '" STAMPED
                  " { s = $2 } END { print s }'");
}

static void command_kernel_log(const struct check_context *context, struct text *out)
{
    (void)context;
    /* Not "no Xid" but exit 3: an empty log (a container, or rights taken away silently), one without stamps,
       and one whose oldest line is younger than the window, so that lines of the window are gone. */
    text_put(out, "log=$(dmesg) && [ -n \"$log\" ] || exit 3; "
                  "printf '%s\\n' \"$log\" | awk -F'[][]' -v since=\"$since\" '" STAMPED
                  " { if (!n++) first = $2 + 0; new = $2 + 0 > since + 0 } new; "
                  "END { exit !n || (since != \"\" && first > since + 0) ? 3 : 0 }'");
}

static void command_fabric(const struct check_context *context, struct text *out)
{
    (void)context;
    text_put(out,
             "for c in link_downed link_error_recovery symbol_error port_rcv_errors port_xmit_discards; do "
             "grep -sH . \"$ASSAY_LAB_ROOT\"/sys/class/infiniband/*/ports/*/counters/$c; done; :");
}

static const struct part_row before[] = {
    {.name = "cool-down", .command = command_cool, .aside = true},
    {.name = WINDOW_GPUS, .parser = "nvidia-smi", .command = command_nvidia_smi_query, .aside = true},
    {.name = WINDOW_FABRIC, .parser = "ib-sysfs", .command = command_fabric, .aside = true},
    {.name = WINDOW_LOG_START, .command = command_log_start, .aside = true},
    {0},
};
static const struct part_row after[] = {
    {.name = "idle", .command = command_idle, .aside = true},
    {.name = WINDOW_GPUS, .parser = "nvidia-smi", .command = command_nvidia_smi_query, .aside = true},
    {.name = WINDOW_FABRIC, .parser = "ib-sysfs", .command = command_fabric, .aside = true},
    {.name = WINDOW_LOG, .parser = "xid", .command = command_kernel_log, .aside = true},
    {0},
};

const struct part_row *window_parts(enum window_role role)
{
    return role == WINDOW_BEFORE ? before : after;
}

const struct window *window_find(const struct attempt *attempt, size_t member, enum window_role role)
{
    for (size_t i = attempt->windows.count; i-- > 0;)
        if (attempt->windows.items[i].member == member && attempt->windows.items[i].role == role)
            return &attempt->windows.items[i];
    return NULL;
}

/* Where the log ended before: digits only, for it goes into a command. NULL when nobody knows; "" when the log
   had no stamped line, so that all that is there later is new. */
static const char *log_end(const struct check_context *context, const struct attempt *attempt, size_t member)
{
    const struct window *window = window_find(attempt, member, WINDOW_BEFORE);
    struct attempt scratch = {.uuid = attempt->uuid};
    const struct part *part;
    struct slice stamp;
    double seconds;

    if (window == NULL || window->end != ATTEMPT_RAN)
        return NULL;
    for (const struct part_row *row = before; row->name != NULL; row++)
        if (strcmp(row->name, WINDOW_LOG_START) == 0)
            (void)read_part(context, row, window->captures, 1, &scratch);
    part = &scratch.parts.items[0];
    stamp = slice_trim(part->out);
    while (slice_ends(stamp, "\n"))
        stamp.length--;
    if (!part->ended || part->rc != 0 || (stamp.length > 0 && !scan_double(stamp, &seconds)))
        return NULL;
    return arena_strndup(context->arena, stamp.bytes, stamp.length);
}

void check_window_file(const struct check_context *context, enum window_role role,
                       const struct attempt *attempt, size_t member, struct text *out)
{
    const char *since = role == WINDOW_AFTER ? log_end(context, attempt, member) : NULL;

    put_environment(context, out);
    if (since != NULL) {
        text_put(out, "since=");
        text_shell_quote(out, since);
        text_put(out, "\n");
    }
    for (const struct part_row *row = window_parts(role); row->name != NULL; row++)
        if (strcmp(row->name, WINDOW_LOG) != 0 || since != NULL)
            put_part(context, row, out);
    text_put(out, "exit 0\n");
}

unsigned check_window_deadline_s(const struct check_context *context, enum window_role role)
{
    enum { SHORTEST_S = 15 };
    /* A round of waiting is a query longer than its pause. */
    double wait_s = IDLE_WAIT_S + (role == WINDOW_BEFORE ? context->suite->cool_within_s : 0);
    double scaled = (READ_S + 2 * wait_s) / context->timescale;

    return scaled > SHORTEST_S ? (unsigned)scaled : SHORTEST_S;
}
