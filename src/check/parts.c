/* SPDX-License-Identifier: Apache-2.0 */
/* Building blocks that several checks share: commands, and the reading of parts. */
#include <string.h>

#include "assay/check.h"

const struct limit rule_kernel_log[] = {{.metric = "kernel.log",
                                         .rule = RULE_EQUAL,
                                         .text = "read",
                                         .source = "assay: the kernel's log is part of a test's evidence",
                                         .status = LIMIT_TOOL,
                                         .inconclusive = true},
                                        {0}};

void command_tool(const struct check_context *context, struct text *out, const char *tool)
{
    const struct suite_tool *row = suite_tool(context->arena, context->suite, tool);

    if (row->folder != NULL) {
        text_put(out, "cd ");
        text_shell_quote(out, row->folder);
        text_put(out, " && ");
    }
    for (size_t i = 0; i < row->environment.count; i++) {
        text_printf(out, "%s=", row->environment.items[i].name);
        text_shell_quote(out, row->environment.items[i].value);
        text_put(out, " ");
    }
    text_shell_quote(out, row->path);
}

void command_nvidia_smi_query(const struct check_context *context, struct text *out)
{
    command_tool(context, out, "nvidia-smi");
    text_put(out, " -q -x");
}

/* A line of dmesg with its stamp, "[  12.345678] ...", in awk with the brackets as separators. */
#define STAMPED "$1 == \"\" && $2 ~ /^ *[0-9]+[.][0-9]+$/"

void command_kernel_log_start(struct text *out)
{
    /* The kernel's own stamps drift from /proc/uptime by minutes in months, so the window begins behind the
       last line that was there before, by the same clock. */
    text_put(out, "since=$(dmesg 2>/dev/null | awk -F'[][]' '" STAMPED " { s = $2 } END { print s }')\n");
}

void command_kernel_log(const struct check_context *context, struct text *out)
{
    (void)context;
    /* Not "no Xid" but exit 3: an empty log (a container, or rights taken away silently), one without stamps,
       and one whose oldest line is younger than the window, so that lines of the window are gone. */
    text_put(out, "log=$(dmesg) && [ -n \"$log\" ] || exit 3; "
                  "printf '%s\\n' \"$log\" | awk -F'[][]' -v since=\"$since\" '" STAMPED
                  " { if (!n++) first = $2 + 0; new = $2 + 0 > since + 0 } new; "
                  "END { exit !n || (since != \"\" && first > since + 0) ? 3 : 0 }'");
}

const struct part *attempt_part(const struct attempt *attempt, const char *name)
{
    for (size_t i = 0; i < attempt->parts.count; i++)
        if (strcmp(attempt->parts.items[i].name, name) == 0)
            return attempt->parts.items[i].began ? &attempt->parts.items[i] : NULL;
    return NULL;
}

static void merge_values(struct reading *out, const struct reading *from)
{
    for (size_t i = 0; i < from->facts.count; i++)
        *list_push(out->arena, &out->facts) = from->facts.items[i];
    for (size_t i = 0; i < from->measurements.count; i++)
        *list_push(out->arena, &out->measurements) = from->measurements.items[i];
}

void reading_merge(struct reading *out, const struct reading *from)
{
    merge_values(out, from);
    /* The top level has the findings of all runs, and the values of the last one only. */
    for (size_t i = 0; i + 1 < from->runs.count; i++)
        merge_values(out, &from->runs.items[i]);
    for (size_t i = 0; i < from->findings.count; i++)
        *list_push(out->arena, &out->findings) = from->findings.items[i];
}

void read_parts(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    out->status = READING_COMPLETE;
    for (const struct part_row *row = context->check->parts; row->name != NULL; row++) {
        const struct reading *reading = &attempt->parts.items[row - context->check->parts].reading;

        if (strcmp(row->name, "kernel-log") == 0) {
            read_kernel_log(attempt, out);
            continue;
        }
        reading_merge(out, reading);
        /* A sample has items of its own: without it they have no value, and the test is what it is. */
        if (row->parser != NULL && row->sample_after_s == NULL && reading->status < out->status)
            reading_set(out, reading->status, "%s: %s", row->name, reading->reason);
    }
}

/* Kernel lines name GPUs by "0000:9b:00"; where this reading knows the addresses, gpuN is what people look
 * for. */
static const char *gpu_at(const struct reading *reading, const char *address)
{
    for (size_t i = 0; i < reading->facts.count; i++)
        if (*address != '\0' && strcmp(reading->facts.items[i].name, "gpu.pci_address") == 0 &&
            slice_starts(slice_of(reading->facts.items[i].value), address))
            return reading->facts.items[i].subject;
    return address;
}

/* Why the log was not read, in the words of the program that could not. */
static const char *unread(struct arena *arena, const struct part *part)
{
    struct slice rest = part != NULL ? part->err : (struct slice){"", 0}, line;

    if (part == NULL || !part->ended)
        return "not read: the command did not come to its end";
    if (scan_line(&rest, &line) && slice_trim(line).length > 0)
        return arena_printf(arena, "not read: %s", utf8_clean(arena, slice_trim(line)));
    return "not read: dmesg shows no lines, none with a time, or none as old as the test";
}

void read_kernel_log(const struct attempt *attempt, struct reading *out)
{
    const struct part *part = attempt_part(attempt, "kernel-log");
    bool whole = part != NULL && part->ended && part->rc == 0;

    reading_fact(out, "kernel.log", "", slice_of(whole ? "read" : unread(out->arena, part)));
    for (size_t i = 0; part != NULL && i < part->reading.findings.count; i++) {
        struct finding *finding = list_push(out->arena, &out->findings);

        *finding = part->reading.findings.items[i];
        finding->subject = gpu_at(out, finding->subject);
    }
}
