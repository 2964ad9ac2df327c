/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is asked on each member right before and right after a test, and whether the test may begin.
 *
 * before: waits until the GPUs are idle and cool (a bounded time), then reads counters and where the kernel's
 * log ends. after: waits until the test's own processes are gone, then reads the same counters and what the
 * kernel has logged since. Both are light commands, as root where there is a way, and have deadlines of their
 * own: so a test that hangs, or whose host reboots, has a window too.
 */
#include <math.h>
#include <string.h>

#include "assay/reasons/check.h"

#include "command_file.h"
#include "monitors.h"
#include "script.h"
#include "window.h"
#include "witness.h"

enum { IDLE_WAIT_S = 15, POLL_S = 5, READ_S = 90 };

static void put_gpus(const struct check_context *context, struct text *out, double cool_below_c,
                     double cool_wait_s)
{
    double scale = context->timescale, pause_s = POLL_S / scale > 0.1 ? POLL_S / scale : 0.1;

    script_begin(out, "nvidia-smi -q -x, until the GPUs are idle and cool");
    script_set_number(out, "cool_below_c", cool_below_c, 1);
    script_set_number(out, "idle_rounds", ceil(IDLE_WAIT_S / scale / pause_s), 0);
    script_set_number(out, "cool_rounds", ceil(cool_wait_s / scale / pause_s), 0);
    script_set_number(out, "pause_s", pause_s, 1);
    script_tool(context, out, "nvidia_smi", "nvidia-smi");
    text_put(out, script_window_gpus);
}

static void command_gpus_before(const struct check_context *context, struct text *out)
{
    put_gpus(context, out, context->suite->cool_below_c, context->suite->cool_within_s);
}

static void command_gpus_after(const struct check_context *context, struct text *out)
{
    put_gpus(context, out, 0, 0);
}

static void command_nvlink(const struct check_context *context, struct text *out)
{
    command_tool(context, out, "nvidia-smi");
    text_put(out, " nvlink -e");
}

/* Read before and after: what has grown is the test's. */
#define COUNTERS                                                                            \
    {.name = WINDOW_FABRIC,                                                                 \
     .parser = "ib-sysfs",                                                                  \
     .script = script_window_fabric,                                                        \
     .typed = "grep of counters below /sys/class/infiniband",                               \
     .aside = true},                                                                        \
        {.name = WINDOW_HARDWARE,                                                           \
         .parser = "key-value",                                                             \
         .script = script_window_hardware,                                                  \
         .typed = "grep of error counters below /sys/bus/pci and /sys/devices/system/edac", \
         .aside = true},                                                                    \
    {                                                                                       \
        .name = WINDOW_DRIVES, .parser = "key-value", .script = script_drives,              \
        .typed = "nvme smart-log of each drive", .aside = true                              \
    }

static const struct part_row before[] = {
    {.name = WINDOW_OWNERS, .command = owners_before, .aside = true},
    {.name = WINDOW_MONITORS, .script = script_monitors, .typed = MONITORS_TYPED, .aside = true},
    {.name = WINDOW_GPUS, .parser = "nvidia-smi", .command = command_gpus_before, .aside = true},
    {.name = WINDOW_NVLINK, .parser = "nvidia-smi-nvlink", .command = command_nvlink, .aside = true},
    COUNTERS,
    {.name = WINDOW_LOG_START,
     .script = script_window_log_start,
     .typed = "dmesg | tail -n 1",
     .aside = true},
    {0},
};
static const struct part_row after[] = {
    {.name = WINDOW_OWNERS, .command = owners_after, .aside = true},
    {.name = WINDOW_GPUS, .parser = "nvidia-smi", .command = command_gpus_after, .aside = true},
    {.name = WINDOW_NVLINK, .parser = "nvidia-smi-nvlink", .command = command_nvlink, .aside = true},
    COUNTERS,
    {.name = WINDOW_LOG, .parser = "xid", .script = script_window_log, .typed = "dmesg", .aside = true},
    {.name = WINDOW_WITNESS,
     .script = script_window_witness,
     .typed = "readlink /var/tmp/assay-witness-$ASSAY_ATTEMPT",
     .aside = true},
    {0},
};

static const struct part_row release[] = {
    {.name = WINDOW_OWNERS, .command = owners_release, .aside = true},
    {0},
};

const struct part_row *window_parts(enum window_role role)
{
    static const struct part_row *const rows[] = {
        [WINDOW_BEFORE] = before, [WINDOW_AFTER] = after, [WINDOW_RELEASE] = release};

    return rows[role];
}

bool window_part_applies(const struct check_context *context, const struct part_row *row)
{
    if (strcmp(row->name, WINDOW_OWNERS) == 0)
        return true;
    if (strcmp(row->name, WINDOW_WITNESS) == 0)
        return witness_is_asked(context);
    if (!context->check->window)
        return false;
    if (strcmp(row->name, WINDOW_DRIVES) == 0)
        return context->check->window_drives;
    return context->platform->nvlink_links > 0 || strcmp(row->name, WINDOW_NVLINK) != 0;
}

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
    struct slice rest, line;

    if (window == NULL)
        return REASON(not_asked);
    if (window->end != ATTEMPT_RAN)
        return window_what(arena, window);
    if (part == NULL || !part->began || !part->ended)
        return REASON(command_not_ended);
    rest = part->err;
    if (part->rc != 0 && scan_line(&rest, &line) && slice_trim(line).length > 0)
        return reason_quote(arena, slice_trim(line));
    if (part->rc != 0)
        return reason(arena, exit_status, part->rc);
    return NULL;
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
    enum { SHORTEST_S = 15, STARTING_S = 30 };
    /* A round of waiting is a query longer than its pause. */
    double wait_s = IDLE_WAIT_S + (role == WINDOW_BEFORE ? context->suite->cool_within_s : 0);
    /* A check without a window waits for no GPU: it is only asked whose the host is. */
    double rest_s = context->check->window ? READ_S + 2 * wait_s : STARTING_S;
    double scaled = (OWNERS_S + rest_s) / context->timescale;

    return scaled > SHORTEST_S ? (unsigned)scaled : SHORTEST_S;
}
