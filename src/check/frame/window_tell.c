/* SPDX-License-Identifier: Apache-2.0 */
#include "window_tell.h"

#include <string.h>

#include "assay/model/hostfile.h"
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
}

void window_member_done(struct reading *out, struct against *against, const char *label, bool *unknown)
{
    if (against->dropped)
        *list_push(out->arena, &against->left_out.items) = label;
    if (*unknown)
        *list_push(out->arena, &against->unread.items) = label;
    against->dropped = *unknown = false;
}

/* Names of members, as data for whoever asks whom it is about (blame.h). Of a test of one host there is none to name. */
static const struct reason *with_others(struct arena *arena, const struct against *against)
{
    const struct reason *said = against->said;
    const struct labels *left_out = &against->left_out, *unread = &against->unread;

    if (left_out->items.count > 0)
        said = reason_also(arena, said,
                           *left_out->items.items[0] == '\0'
                               ? REASON(more_left_out)
                               : reason(arena, more_left_out_of,
                                        hostlist_fold(arena, left_out->items.items, left_out->items.count)));
    if (unread->items.count > 0 && *unread->items.items[0] != '\0')
        said = reason_also(
            arena, said,
            reason(arena, not_known_of, hostlist_fold(arena, unread->items.items, unread->items.count)));
    return said;
}

void window_conclude(struct reading *out, const char *fact, const struct against *against, bool unknown)
{
    if (against->said != NULL)
        reading_fact_said(out, fact, "", with_others(out->arena, against));
    else if (!unknown && against->unread.items.count == 0)
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
