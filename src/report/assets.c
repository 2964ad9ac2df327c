/* SPDX-License-Identifier: Apache-2.0 */
#include "assets.h"

#include <string.h>

#include "assay/check/check.h"

/* "960.2 GB" of the bytes that stand before a "B"; NULL: no number, or one that is short enough. */
static const char *shorter(struct arena *arena, struct slice number)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    double bytes;
    size_t unit = 0;

    if (!scan_double(number, &bytes) || bytes < 1000)
        return NULL;
    for (; bytes >= 1000 && unit + 1 < ARRAY_SIZE(units); unit++)
        bytes /= 1000;
    return arena_printf(arena, "%.4g %s", bytes, units[unit]);
}

const char *assets_readable(struct arena *arena, const char *text)
{
    const char *out = "", *rest = text, *from = text;

    for (const char *at; (at = strstr(from, " B")) != NULL; from = at + 2) {
        const char *start = at, *size;

        if (at[2] != '\0' && at[2] != ',' && at[2] != ';')
            continue;
        while (start > rest && start[-1] != ' ')
            start--;
        size = shorter(arena, (struct slice){start, (size_t)(at - start)});
        if (size == NULL)
            continue;
        out = arena_printf(arena, "%s%.*s%s", out, (int)(start - rest), rest, size);
        rest = at + 2;
    }
    return arena_printf(arena, "%s%s", out, rest);
}

static const char *describe(struct arena *arena, const struct reading *reading,
                            const struct check_asset *kind, const char *place)
{
    const char *text = "";

    for (size_t i = 0; i < ASSET_WORDS && kind->words[i].fact != NULL; i++) {
        const char *word = reading_get_fact(reading, kind->words[i].fact, place);

        if (word != NULL && kind->words[i].behind != NULL)
            word = arena_printf(arena, "%s%s", word, kind->words[i].behind);
        if (word != NULL && kind->words[i].bytes)
            word = assets_readable(arena, word);
        /* Some boards tell the model in the name too. */
        if (word != NULL && strstr(text, word) == NULL)
            text = arena_add_word(arena, text, word);
    }
    return text;
}

static void collect_kind(struct arena *arena, const struct reading *reading, const struct check_asset *kind,
                         struct assets *assets)
{
    list_each (fact, reading->facts) {
        const char *serial;

        if (strcmp(fact->name, kind->words[0].fact) != 0)
            continue;
        serial = kind->serial != NULL ? reading_get_fact(reading, kind->serial, fact->subject) : NULL;
        *list_push(arena, &assets->items) =
            (struct asset){.part = kind->part,
                           .place = fact->subject,
                           .model = describe(arena, reading, kind, fact->subject),
                           .serial = serial != NULL ? serial : ""};
    }
}

/* Where what this step has read belongs: in the place of what an earlier one of the same check read on that host. */
static struct assets *place_of(struct assets *all, size_t count, const struct step_view *step)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].host == step->step->members[0] &&
            strcmp(all[i].step->step->shape->check, step->step->shape->check) == 0)
            return &all[i];
    return &all[count];
}

size_t assets_collect(const struct view *view, struct assets **ret_assets)
{
    struct assets *all = arena_array(view->arena, struct assets, view->step_count);
    size_t count = 0;

    array_each (step, view->steps, view->step_count) {
        const struct check *check = check_find(step->step->shape->check);
        struct assets read, *place;

        if (check == NULL || check->assets == NULL || step->attempts.count == 0)
            continue;
        read = (struct assets){.host = step->step->members[0], .step = step};
        for (const struct check_asset *kind = check->assets; kind->part != NULL; kind++)
            collect_kind(view->arena, &step->attempts.items[step->attempts.count - 1]->reading, kind, &read);
        if (read.items.count == 0)
            continue;
        place = place_of(all, count, step);
        count += place == &all[count];
        *place = read;
    }
    *ret_assets = all;
    return count;
}
