/* SPDX-License-Identifier: Apache-2.0 */
#include "assets.h"

#include <string.h>

enum { WORDS_MOST = 6 };

/* A part is there where its first fact is; the words after it describe it, as far as they are known. */
static const struct part_kind {
    const char *part;
    const char *facts[WORDS_MOST];
    const char *serial;
} part_kinds[] = {
    {"system", {"system.product", "system.manufacturer"}, "system.serial"},
    {"chassis", {"chassis.manufacturer"}, "chassis.serial"},
    {"board", {"board.product", "board.manufacturer"}, "board.serial"},
    {"firmware", {"bios.version", "bios.date", "bios.vendor"}, NULL},
    {"processor", {"cpu.model", "cpu.cores"}, "cpu.serial"},
    {"memory",
     {"dimm.size", "dimm.type", "dimm.configured_speed", "dimm.manufacturer", "dimm.part_number"},
     "dimm.serial"},
    {"drive", {"disk.size", "disk.model"}, "disk.serial"},
    {"network adapter", {"nic.model"}, NULL},
    {"GPU", {"gpu.name", "gpu.vbios", "gpu.uuid"}, "gpu.serial"},
    {"power supply", {"psu.name", "psu.manufacturer", "psu.model", "psu.power"}, "psu.serial"},
};
enum { PART_KINDS = sizeof part_kinds / sizeof part_kinds[0] };

const char *assets_readable(struct arena *arena, const char *text)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    struct slice rest = slice_of(text);
    size_t end = rest.length, start;
    double bytes;
    size_t unit = 0;

    if (!slice_ends(rest, " B"))
        return text;
    for (start = end -= strlen(" B"); start > 0 && rest.bytes[start - 1] != ' ';)
        start--;
    if (!scan_double((struct slice){rest.bytes + start, end - start}, &bytes) || bytes < 1000)
        return text;
    for (; bytes >= 1000 && unit + 1 < sizeof units / sizeof units[0]; unit++)
        bytes /= 1000;
    return arena_printf(arena, "%.*s%.4g %s", (int)start, text, bytes, units[unit]);
}

static const char *describe(struct arena *arena, const struct reading *reading, const struct part_kind *kind,
                            const char *place)
{
    const char *text = "";

    for (size_t i = 0; i < WORDS_MOST && kind->facts[i] != NULL; i++) {
        const char *word = reading_get_fact(reading, kind->facts[i], place);

        if (word != NULL && strcmp(kind->facts[i], "cpu.cores") == 0)
            word = arena_printf(arena, "%s cores", word);
        if (word != NULL && strcmp(kind->facts[i], "disk.size") == 0)
            word = assets_readable(arena, word);
        /* Some boards tell the model in the name too. */
        if (word != NULL && strstr(text, word) == NULL)
            text = arena_printf(arena, "%s%s%s", text, *text != '\0' ? ", " : "", word);
    }
    return text;
}

static void collect_kind(struct arena *arena, const struct reading *reading, const struct part_kind *kind,
                         struct assets *assets)
{
    for (size_t i = 0; i < reading->facts.count; i++) {
        const struct fact *fact = &reading->facts.items[i];
        const char *serial;

        if (strcmp(fact->name, kind->facts[0]) != 0)
            continue;
        serial = kind->serial != NULL ? reading_get_fact(reading, kind->serial, fact->subject) : NULL;
        *list_push(arena, &assets->items) =
            (struct asset){.part = kind->part,
                           .place = fact->subject,
                           .model = describe(arena, reading, kind, fact->subject),
                           .serial = serial != NULL ? serial : ""};
    }
}

size_t assets_collect(const struct view *view, struct assets **ret_assets)
{
    struct assets *all = arena_array(view->arena, struct assets, view->step_count);
    size_t count = 0;

    for (size_t i = 0; i < view->step_count; i++) {
        const struct step_view *step = &view->steps[i];

        if (strcmp(step->step->shape->check, "bom") != 0 || step->attempts.count == 0)
            continue;
        all[count] = (struct assets){.host = step->step->members[0], .step = step};
        for (size_t k = 0; k < PART_KINDS; k++)
            collect_kind(view->arena, &step->attempts.items[step->attempts.count - 1]->reading,
                         &part_kinds[k], &all[count]);
        count += all[count].items.count > 0;
    }
    *ret_assets = all;
    return count;
}
