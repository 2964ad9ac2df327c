/* SPDX-License-Identifier: Apache-2.0 */
/* Times and durations as all formats and the end of a run write them. */
#include <math.h>
#include <time.h>

#include "assay/report.h"

const char *duration_text(struct arena *arena, double seconds)
{
    long long whole;

    if (!isfinite(seconds) || seconds < 0 || seconds > 1e9)
        return "unknown";
    if (seconds < 59.95)
        return arena_printf(arena, "%.1f s", seconds);
    whole = llround(seconds);
    if (whole < 3600)
        return arena_printf(arena, "%lldm %02llds", whole / 60, whole % 60);
    if (whole < 86400)
        return arena_printf(arena, "%lldh %02lldm %02llds", whole / 3600, whole / 60 % 60, whole % 60);
    return arena_printf(arena, "%lldd %02lldh %02lldm", whole / 86400, whole / 3600 % 24, whole / 60 % 60);
}

const char *time_text(struct arena *arena, double unix_time)
{
    enum { ENOUGH = 64 };
    char *text = arena_alloc(arena, ENOUGH);
    struct tm parts;
    time_t when;

    /* 0 is how a record says that it has not happened; 4102444800 is the year 2100. */
    if (!isfinite(unix_time) || unix_time <= 0 || unix_time > 4102444800.0)
        return "unknown";
    when = (time_t)unix_time;
    if (gmtime_r(&when, &parts) == NULL || strftime(text, ENOUGH, "%Y-%m-%d %H:%M:%S UTC", &parts) == 0)
        return "unknown";
    return text;
}
