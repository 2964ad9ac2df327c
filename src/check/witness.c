/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table is rank 0's word. Our own probe leaves beside it, on each host, what that host's first rank measured
 * (src/probe/probe_witness.c), and each host is asked for it by a session of its own after the test. The table has the
 * slowest rank's time, so no host can have measured less than it says.
 */
#include <fnmatch.h>
#include <string.h>

#include "window.h"
#include "witness.h"

/* How far two roundings to six digits may lie apart. */
static const double rounding = 1e-4;

bool witness_is_asked(const struct check_context *context)
{
    return context->check->witness && context->member_count > 1;
}

void witness_put_option(const struct check_context *context, struct text *out)
{
    if (witness_is_asked(context))
        text_put(out, " --witness \"/var/tmp/assay-witness-$ASSAY_ATTEMPT\"");
}

/* "SIZE=12.3" among its words. */
static bool find_own(struct slice words, const char *name, double *ret_value)
{
    struct slice word;

    while (scan_word(&words, &word))
        if (scan_text(&word, name) && scan_text(&word, "=") && scan_double(word, ret_value))
            return true;
    return false;
}

static const char *size_of(const struct measurement *measurement)
{
    for (size_t i = 0; i < measurement->at.count; i++)
        if (strcmp(measurement->at.items[i].key, "size_bytes") == 0)
            return measurement->at.items[i].text;
    return NULL;
}

static bool is_told_wrong(const struct reading *table)
{
    for (size_t i = 0; i < table->measurements.count; i++)
        if (fnmatch("probe.*.wrong", table->measurements.items[i].metric, 0) == 0 &&
            table->measurements.items[i].value > 0)
            return true;
    return false;
}

/* "" or what does not fit, in the arena. */
static const char *compare(const struct check_context *context, struct slice words,
                           const struct reading *table)
{
    struct arena *arena = table->arena;
    const char *ranks = reading_get_fact(table, "probe.ranks", "");
    double own = 0;

    if (ranks == NULL || !find_own(words, "ranks", &own) ||
        strcmp(arena_printf(arena, "%.0f", own), ranks) != 0)
        return arena_printf(arena, "it took part with %.0f ranks", own);
    if (!find_own(words, "wrong", &own))
        return "it does not say whether its data was right";
    if (own > 0 && !is_told_wrong(table))
        return arena_printf(arena, "%.0f elements were wrong at its first rank, and the table has none", own);
    for (size_t i = 0; i < table->measurements.count; i++) {
        const struct measurement *measurement = &table->measurements.items[i];
        const char *size = size_of(measurement);

        if (size == NULL || fnmatch(context->check->bandwidth, measurement->metric, 0) != 0)
            continue;
        if (!find_own(words, size, &own))
            return arena_printf(arena, "it measured nothing at %s bytes", size);
        if (measurement->value > own * (1 + rounding))
            return arena_printf(arena, "it measured %.4g GB/s at %s bytes, and the table says %.4g", own,
                                size, measurement->value);
    }
    return "";
}

void witness_read(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    cleanup_text struct text against = {0};

    if (!witness_is_asked(context) || out->status != READING_COMPLETE)
        return;
    text_init(&against, 64 * 1024);
    for (size_t i = 0; i < context->member_count; i++) {
        const char *why;
        struct slice words = window_said(context, attempt, i, WINDOW_AFTER, WINDOW_WITNESS, &why);

        if (why == NULL)
            why = compare(context, words, out);
        else
            why = arena_printf(out->arena, "it has no word of its own: %s", why);
        if (*why != '\0')
            text_printf(&against, "%s%s: %s", against.length > 0 ? "; " : "", context->members[i]->name, why);
    }
    if (against.length > 0)
        reading_doubt(out, "hosts do not bear out what rank 0 printed: %s", against.bytes);
}
