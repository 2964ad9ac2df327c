/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table is rank 0's word. Our own probe leaves beside it, on each host, what that host's first rank measured
 * (src/probe/probe_witness.c), and each host is asked for it by a session of its own after the test. The table has the
 * slowest rank's time, so no host can have measured less than it says.
 */
#include <fnmatch.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

#include "window.h"
#include "window_rows.h"
#include "witness.h"

/* How far two roundings to six digits may lie apart. */
static const double rounding = 1e-4;

void witness_put_option(const struct check_context *context, struct text *out)
{
    if (window_asks_witness(context))
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

/* What does not fit, in the table's arena; NULL: nothing. */
static const struct reason *compare(const struct check_context *context, struct slice words,
                                    const struct reading *table)
{
    struct arena *arena = table->arena;
    const char *ranks = reading_get_fact(table, "probe.ranks", "");
    double own = 0;

    if (ranks == NULL || !find_own(words, "ranks", &own) ||
        strcmp(arena_printf(arena, "%.0f", own), ranks) != 0)
        return reason(arena, witness_of_other_ranks, arena_printf(arena, "%.0f", own));
    if (!find_own(words, "wrong", &own))
        return REASON(witness_of_no_data_check);
    if (own > 0 && !is_told_wrong(table))
        return reason(arena, witness_of_wrong_elements, arena_printf(arena, "%.0f", own));
    list_each (measurement, table->measurements) {
        const char *size = size_of(measurement);

        if (size == NULL || fnmatch(context->check->bandwidth, measurement->metric, 0) != 0)
            continue;
        if (!find_own(words, size, &own))
            return reason(arena, witness_without_size, size);
        if (measurement->value > own * (1 + rounding))
            return reason(arena, witness_of_slower_rank, arena_printf(arena, "%.4g", own), size,
                          arena_printf(arena, "%.4g", measurement->value));
    }
    return NULL;
}

void witness_read(const struct check_context *context, const struct attempt *attempt, struct reading *out)
{
    const struct reason *against = NULL;

    if (!window_asks_witness(context) || out->status != READING_COMPLETE)
        return;
    for (size_t i = 0; i < context->member_count; i++) {
        const struct reason *why;
        struct slice words = window_said(context, attempt, i, WINDOW_AFTER, WINDOW_WITNESS, &why);

        if (why == NULL)
            why = compare(context, words, out);
        else
            why = reason(out->arena, witness_missing, why);
        if (why != NULL)
            against =
                reason_also(out->arena, against, reason(out->arena, about, context->members[i]->name, why));
    }
    if (against != NULL)
        reading_doubt(out, reason(out->arena, witnesses_deny_table, against));
}
