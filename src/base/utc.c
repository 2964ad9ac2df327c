/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/base/utc.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#define LATEST_S 1e11 /* no host's clock, and fits a time_t */
enum { DAY_S = 24 * 3600, BRIEF_S = 120 };

const char *utc_text(struct arena *arena, double when, const char *format)
{
    const time_t seconds = (time_t)when;
    struct tm parts;
    char text[64];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (!(fabs(when) < LATEST_S) || gmtime_r(&seconds, &parts) == NULL ||
        strftime(text, sizeof text, format, &parts) == 0)
        return "?";
#pragma GCC diagnostic pop
    return arena_strdup(arena, text);
}

struct utc_between utc_between(struct arena *arena, double from, double to)
{
    bool same_day = floor(from / DAY_S) == floor(to / DAY_S), brief = to - from < BRIEF_S;
    const char *whole = brief ? "%Y-%m-%d %H:%M:%S" : "%Y-%m-%d %H:%M";

    return (struct utc_between){utc_text(arena, from, whole),
                                utc_text(arena, to, same_day ? whole + strlen("%Y-%m-%d ") : whole)};
}
