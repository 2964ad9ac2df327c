/* SPDX-License-Identifier: Apache-2.0 */
#include "monitors.h"

/* "4711" of "dcgm-exporter (pid 4711)" where the program is this one. */
static bool is_program(struct slice line, const char *program, struct slice *ret_pid)
{
    if (!scan_text(&line, program) || !scan_text(&line, " (pid ") || !slice_ends(line, ")"))
        return false;
    *ret_pid = (struct slice){line.bytes, line.length - 1};
    return true;
}

const struct reason *monitors_next(struct arena *arena, struct slice *rest)
{
    struct slice line, pid;

    while (scan_line(rest, &line)) {
        line = slice_trim(line);
        if (is_program(line, "dcgm-exporter", &pid))
            return reason(arena, dcgm_exporter_runs, pid);
        if (is_program(line, "nv-hostengine with profiling", &pid))
            return reason(arena, hostengine_profiles, pid);
        if (is_program(line, "nvidia-smi loop", &pid))
            return reason(arena, smi_loop_runs, pid);
        if (line.length > 0)
            return reason_quote(arena, line);
    }
    return NULL;
}
