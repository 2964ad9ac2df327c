/* SPDX-License-Identifier: Apache-2.0 */
#include "window_tell.h"

#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

enum { TEXT_BYTES = 600 };

bool window_said_enough(const struct against *against)
{
    return against->bytes > TEXT_BYTES;
}

static void add_against(struct reading *out, struct against *against, const struct reason *what)
{
    against->bytes += (against->said != NULL ? strlen("; ") : 0) + strlen(reason_english(out->arena, what));
    against->said = reason_also(out->arena, against->said, what);
}

void window_say_more(struct reading *out, struct against *against, const struct reason *what)
{
    add_against(out, against, reason_copy(out->arena, what));
    if (window_said_enough(against))
        add_against(out, against, REASON(more_left_out));
}

void window_conclude(struct reading *out, const char *fact, const struct against *against, bool unknown)
{
    if (against->said != NULL)
        reading_fact_said(out, fact, "", against->said);
    else if (!unknown)
        reading_fact(out, fact, "", slice_of("none"));
}

const struct reason *window_of(struct arena *arena, const char *label, const struct reason *what)
{
    return *label != '\0' ? reason(arena, about, label, what) : what;
}

const struct reason *window_count(struct arena *arena, const struct sentence *counted, double number)
{
    const struct reason_value value = REASON_VALUE(arena_printf(arena, "%.0f", number));

    return reason_make(arena, counted, &value, 1);
}
