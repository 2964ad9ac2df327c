/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds.h"

#include <stdlib.h>
#include <string.h>

void kinds_count(struct kinds *kinds, const char *text)
{
    struct kind *kind;

    for (size_t i = 0; i < kinds->items.count; i++)
        if (strcmp(kinds->items.items[i].text, text) == 0) {
            kinds->items.items[i].count++;
            return;
        }
    kind = list_push(kinds->arena, &kinds->items);
    *kind = (struct kind){text, 1};
}

static int compare_kinds(const void *a, const void *b)
{
    return strcmp(((const struct kind *)a)->text, ((const struct kind *)b)->text);
}

void kinds_tell(struct reading *out, const char *fact, struct kinds *kinds)
{
    const char *text = kinds->items.count > 0 ? "" : "none";

    if (kinds->items.count > 0)
        qsort(kinds->items.items, kinds->items.count, sizeof *kinds->items.items, compare_kinds);
    for (size_t i = 0; i < kinds->items.count; i++)
        text = arena_printf(out->arena, "%s%s%u x %s", text, i > 0 ? ", " : "", kinds->items.items[i].count,
                            kinds->items.items[i].text);
    reading_fact(out, fact, "", slice_of(text));
}
