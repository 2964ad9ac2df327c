/* SPDX-License-Identifier: Apache-2.0 */
/* What the board says of times, counts and reasons. */
#include "assay/board/board_words.h"

#include <math.h>
#include <string.h>

enum { MINUTE_S = 60, HOUR_S = 3600, DAY_S = 86400 };

/* In which unit a time is told, and how exactly. */
struct unit {
    double below_s, unit_s, step;
    const char *name;
    int decimals;
};
static const struct unit units[] = {
    {100, 1, 5, "s", 0},
    {100 * MINUTE_S, MINUTE_S, 1, "m", 0},
    {10 * HOUR_S, HOUR_S, 0.1, "h", 1},
    {48 * HOUR_S, HOUR_S, 1, "h", 0},
    {INFINITY, DAY_S, 0.1, "d", 1},
};

void board_left_parts(struct arena *arena, const struct board_left *left, const char **ret_low,
                      const char **ret_high)
{
    const struct unit *unit = units;
    double low, high;

    while (left->high_s >= unit->below_s)
        unit++;
    low = round(left->low_s / unit->unit_s / unit->step) * unit->step;
    high = round(left->high_s / unit->unit_s / unit->step) * unit->step;
    high = fmax(high, unit->step);
    *ret_high = arena_printf(arena, "%.*f %s", unit->decimals, high, unit->name);
    if (low >= high)
        *ret_low = NULL;
    else
        *ret_low = low < unit->step / 2 ? "" : arena_printf(arena, "%.*f", unit->decimals, low);
}

const char *board_left_text(struct arena *arena, const struct board_left *left)
{
    const char *low, *high;

    board_left_parts(arena, left, &low, &high);
    if (low == NULL)
        return arena_printf(arena, "%s left", high);
    return *low == '\0' ? arena_printf(arena, "up to %s left", high)
                        : arena_printf(arena, "%s to %s left", low, high);
}

const char *board_time_text(struct arena *arena, double seconds)
{
    long long whole = seconds > 0 && seconds < 1e9 ? (long long)seconds : 0;

    if (whole < MINUTE_S)
        return whole > 0 ? arena_printf(arena, "%lld s", whole) : "< 1 s";
    if (whole < 10 * MINUTE_S)
        return arena_printf(arena, "%lld m %lld s", whole / MINUTE_S, whole % MINUTE_S);
    if (whole < 100 * MINUTE_S)
        return arena_printf(arena, "%lld m", whole / MINUTE_S);
    if (whole < 2 * DAY_S)
        return arena_printf(arena, "%lld h %lld m", whole / HOUR_S, whole % HOUR_S / MINUTE_S);
    return arena_printf(arena, "%lld d %lld h", whole / DAY_S, whole % DAY_S / HOUR_S);
}

const char *board_counts_text(struct arena *arena, size_t failed, size_t open, size_t skipped)
{
    const struct {
        size_t count;
        const char *word;
    } counts[] = {{failed, "failed"}, {open, "open"}, {skipped, "not run"}};
    const char *text = "";

    for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
        if (counts[i].count > 0)
            text = arena_printf(arena, "%s%s%zu %s", text, *text != '\0' ? ", " : "", counts[i].count,
                                counts[i].word);
    return text;
}

const char *board_row_name(struct arena *arena, const struct board_row *row)
{
    return row->isolates ? arena_printf(arena, "isolate %s", row->name) : row->name;
}

/* "rdma.write.bandwidth is 12 GB/s, ..." without the metric: the row says of which test it is. */
static const char *without_metric(const char *reason)
{
    static const char is[] = " is ";
    size_t length = strcspn(reason, " ");

    return memchr(reason, '.', length) != NULL && strncmp(reason + length, is, strlen(is)) == 0
               ? reason + length + strlen(is)
               : reason;
}

const char *board_failure_short(struct arena *arena, const struct board_failure *failure)
{
    return without_metric(reasons_alike_text(arena, &failure->reason));
}

const char *board_failure_text(struct arena *arena, const struct board_failure *failure)
{
    const char *reason = reasons_alike_text(arena, &failure->reason);

    if (*failure->subject == '\0')
        return reason;
    return *reason != '\0' ? arena_printf(arena, "%s: %s", failure->subject, reason) : failure->subject;
}
