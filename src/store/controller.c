/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who drives a run, so that a dead controller's run shows as interrupted: process id, start time and host
 * name. The start time is the kernel's, in ticks since boot, together with the boot id: unlike clock time it
 * does not move when the clock is set. Behind them stands by which clock the controller timed the run (clock_base).
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "assay/base/clock.h"
#include "store_private.h"

/* The first line of a small file in /proc; "" when it cannot be read. */
static void read_line(const char *path, char *line, size_t size)
{
    cleanup_file FILE *file = fopen(path, "re");

    line[0] = '\0';
    if (file != NULL && fgets(line, (int)size, file) != NULL)
        line[strcspn(line, "\n")] = '\0';
}

/* Field 22 of /proc/PID/stat. The command name before it may hold blanks and brackets: count from the last
 * one. A zombie drives nothing any more. */
static bool start_ticks(int64_t pid, uint64_t *ret_ticks)
{
    enum { FIELDS_AFTER_NAME = 20 };
    char path[64], line[1024];
    struct slice rest, word;

    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    read_line(path, line, sizeof line);
    if (strrchr(line, ')') == NULL)
        return false;
    rest = slice_of(strrchr(line, ')') + 1);
    for (int field = 0; field < FIELDS_AFTER_NAME; field++)
        if (!scan_word(&rest, &word) || (field == 0 && slice_equal(word, "Z")))
            return false;
    return scan_u64(word, ret_ticks);
}

/* "" when there is no such process. */
static void start_text(int64_t pid, char *text, size_t size)
{
    char boot_id[64];
    uint64_t ticks;

    text[0] = '\0';
    read_line("/proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id);
    if (start_ticks(pid, &ticks))
        snprintf(text, size, "%s %llu", boot_id, (unsigned long long)ticks);
}

struct controller controller_self(struct arena *arena)
{
    char start[128], host[HOST_NAME_MAX + 1] = "";

    start_text(getpid(), start, sizeof start);
    gethostname(host, sizeof host - 1);
    return (struct controller){getpid(), arena_printf(arena, "%s %.6f", start, clock_base()),
                               arena_strdup(arena, host)};
}

double controller_clock(const struct controller *controller)
{
    char boot_id[64];
    struct slice rest = slice_of(controller->start), boot, ticks, base;
    double number;

    read_line("/proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id);
    return scan_word(&rest, &boot) && scan_word(&rest, &ticks) && scan_word(&rest, &base) &&
                   slice_equal(boot, boot_id) && scan_double(base, &number)
               ? number
               : NAN;
}

/* Behind it stands its clock, which an earlier version did not write. */
static bool is_start(const char *kept, const char *start)
{
    size_t length = strlen(start);

    return strncmp(kept, start, length) == 0 && (kept[length] == '\0' || kept[length] == ' ');
}

enum controller_life controller_life(const struct controller *controller)
{
    char start[128], host[HOST_NAME_MAX + 1] = "";

    gethostname(host, sizeof host - 1);
    if (strcmp(host, controller->host) != 0)
        return CONTROLLER_ELSEWHERE;
    start_text(controller->pid, start, sizeof start);
    return start[0] != '\0' && is_start(controller->start, start) ? CONTROLLER_LIVES : CONTROLLER_DEAD;
}
