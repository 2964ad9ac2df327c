/* SPDX-License-Identifier: Apache-2.0 */
#include "marks.h"

#include <string.h>

#include "ports.h"

static const struct sighting *sighting_at(const struct sightings *sightings, size_t host,
                                          const char *position)
{
    list_each (sighting, sightings->items)
        if (sighting->host == host && item_kind_is_hardware(sighting->kind) &&
            strcmp(sighting->position, position) == 0)
            return sighting;
    return NULL;
}

static const char *number_of(struct arena *arena, enum report_language language,
                             const struct sighting *sighting)
{
    return sighting->serial != NULL && *sighting->serial != '\0'
               ? language_say(arena, language, TEXT_ANSWER_SERIAL, sighting->serial)
               : language_say(arena, language, TEXT_ANSWER_ID, sighting->identity);
}

void cause_marks(struct arena *arena, enum report_language language, const struct view *view,
                 const struct sightings *sightings, const struct report_cause *cause,
                 struct mark_list *ret_marks)
{
    enum { PARTS_MOST = 2 };

    *ret_marks = (struct mark_list){0};
    if (cause->hosts.count != 1 || cause->parts.count > PARTS_MOST)
        return;
    for (size_t i = 0; i < cause->parts.count; i++) {
        const char *part = cause->parts.items[i], *arrow = strstr(part, "->"), *port, *number;
        const struct sighting *sighting;

        if (arrow != NULL) /* the other direction of a pair names the other one */
            part = arena_strndup(arena, part, (size_t)(arrow - part));
        port = port_text(arena, language, view, cause->hosts.items[0], part);
        if (*port != '\0')
            *list_push(arena, &ret_marks->items) = port;
        sighting = sighting_at(sightings, view_host(view, cause->hosts.items[0]), part);
        if (sighting == NULL)
            continue;
        number = number_of(arena, language, sighting);
        *list_push(arena, &ret_marks->items) =
            cause->parts.count == 1
                ? number
                : language_say(arena, language, TEXT_MARK_OF, part_name(arena, part), number);
    }
}

const char *marks_joined(struct arena *arena, enum report_language language, const struct mark_list *marks)
{
    const char *text = "";

    for (size_t i = 0; i < marks->items.count; i++)
        text = arena_printf(arena, "%s%s%s", text, i > 0 ? language_between(language, "; ") : "",
                            marks->items.items[i]);
    return text;
}
