/* SPDX-License-Identifier: Apache-2.0 */
#include "tables_age.h"

#include <string.h>
#include <time.h>

#include "assay/reasons/check.h"

const char *day_of(struct arena *arena, const struct attempt *attempt, int years_before)
{
    time_t when = (time_t)attempt->began;
    char text[32];
    struct tm day;

    if (gmtime_r(&when, &day) == NULL)
        return NULL;
    day.tm_year -= years_before;
    return strftime(text, sizeof text, "%Y-%m-%d", &day) > 0 ? arena_strdup(arena, text) : NULL;
}

void tables_tell_age(struct reading *out, const char *metric, const struct advisory_tables *tables,
                     const struct attempt *attempt)
{
    const char *a_year_before = day_of(out->arena, attempt, 1);
    const struct reason *old = NULL;

    for (size_t i = 0; i < tables->items.count; i++) {
        const struct advisories *table = tables->items.items[i];

        if (a_year_before == NULL || strcmp(table->reviewed, a_year_before) < 0)
            old =
                reason_also(out->arena, old, reason(out->arena, table_is_old, table->name, table->reviewed));
    }
    if (old != NULL)
        reading_fact_said(out, metric, "", old);
    else if (tables->items.count > 0)
        reading_fact(out, metric, "", slice_of(TABLES_CURRENT));
}
