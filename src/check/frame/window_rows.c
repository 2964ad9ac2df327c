/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is asked on each member right before and right after a test, and whether the test may begin.
 *
 * before: waits until the GPUs are idle and cool (a bounded time), then reads counters and where the kernel's
 * log ends. after: waits until the test's own processes are gone, then reads the same counters and what the
 * kernel has logged since. Both are light commands, as root where there is a way, and have deadlines of their
 * own: so a test that hangs, or whose host reboots, has a window too.
 */
#include "window_rows.h"

#include <math.h>
#include <string.h>

#include "monitors.h"
#include "owners.h"
#include "script.h"

enum { POLL_S = 5 };

static void put_gpus(const struct check_context *context, struct text *out, double cool_below_c,
                     double cool_wait_s)
{
    double scale = context->timescale, pause_s = POLL_S / scale > 0.1 ? POLL_S / scale : 0.1;

    script_begin(out, "nvidia-smi -q -x, until the GPUs are idle and cool");
    script_set_number(out, "cool_below_c", cool_below_c, 1);
    script_set_number(out, "idle_cs", ceil(100 * IDLE_WAIT_S / scale), 0);
    script_set_number(out, "cool_cs", ceil(100 * cool_wait_s / scale), 0);
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

static void command_beside(const struct check_context *context __attribute__((unused)), struct text *out)
{
    script_begin(out, "readlink /var/tmp/assay-beside-$ASSAY_ATTEMPT");
    script_set(out, "of", "beside");
    text_put(out, script_window_witness);
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
    {.name = WINDOW_BESIDE, .command = command_beside, .aside = true},
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

bool window_asks_witness(const struct check_context *context)
{
    return context->check->witness && context->member_count > 1;
}

bool window_part_applies(const struct check_context *context, const struct part_row *row)
{
    if (strcmp(row->name, WINDOW_OWNERS) == 0)
        return true;
    if (strcmp(row->name, WINDOW_WITNESS) == 0)
        return window_asks_witness(context);
    if (strcmp(row->name, WINDOW_BESIDE) == 0)
        return check_beside(context->step) != NULL;
    if (!context->check->window)
        return false;
    if (strcmp(row->name, WINDOW_DRIVES) == 0)
        return context->check->window_drives;
    return context->platform->nvlink_links > 0 || strcmp(row->name, WINDOW_NVLINK) != 0;
}
