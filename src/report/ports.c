/* SPDX-License-Identifier: Apache-2.0 */
#include "ports.h"

#include "assay/reasons/check.h"

#include <string.h>

/* Whether the two are of one HCA, whatever ports they name. */
static bool is_same_hca(const char *a, const char *b)
{
    size_t length = strcspn(a, "/");

    return length > 0 && length == strcspn(b, "/") && strncmp(a, b, length) == 0;
}

/* What the run read of the HCA, of its first port that has it; NULL nothing. */
static const struct reason *read_of(const struct view *view, const struct host *host, const char *part,
                                    const char *metric)
{
    for (size_t i = 0; i < view->step_count; i++) {
        const struct step *step = view->steps[i].step;

        if (step->member_count != 1 || step->members[0] != host)
            continue;
        for (size_t k = 0; k < step->shape->slot_count; k++)
            if (strcmp(step->shape->slots[k].metric, metric) == 0 &&
                is_same_hca(step->shape->slots[k].subject, part) && view->steps[i].items[k]->measured != NULL)
                return view->steps[i].items[k]->measured;
    }
    return NULL;
}

/* As it is printed there; "" nothing. */
static const char *measured_of(const struct view *view, const struct host *host, const char *part,
                               const char *metric)
{
    const struct reason *measured = read_of(view, host, part, metric);

    return measured != NULL ? reason_english(view->arena, measured) : "";
}

/* "l1r3:2" */
static const char *declared_of(struct arena *arena, const struct host *host, const char *part)
{
    list_each (rail, host->rails)
        if (is_same_hca(rail->hca, part))
            return *rail->port != '\0' ? arena_printf(arena, "%s:%s", rail->switch_name, rail->port)
                                       : rail->switch_name;
    return "";
}

static const char *then(struct arena *arena, enum report_language language, const char *text,
                        const char *more)
{
    return *text != '\0' ? arena_printf(arena, "%s%s%s", text, language_between(language, ", "), more) : more;
}

const char *port_text(struct arena *arena, enum report_language language, const struct view *view,
                      const struct host *host, const char *part)
{
    const struct reason *rail = read_of(view, host, part, "cabling.rail");
    bool there =
        reason_is(rail, as_declared); /* what is only declared may be wrong, and is when another was seen */
    const struct {
        const char *value;
        enum text_key text;
    } rows[] = {
        {measured_of(view, host, part, "module.part"), TEXT_PORT_MODULE},
        {measured_of(view, host, part, "module.serial"), TEXT_PORT_SERIAL},
        {declared_of(arena, host, part), there ? TEXT_PORT_SWITCH : TEXT_PORT_DECLARED},
        {rail != NULL && !there ? measured_of(view, host, part, "cabling.neighbour") : "", TEXT_PORT_SEEN}};
    const char *text = "";

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (*rows[i].value != '\0')
            text = then(arena, language, text, language_say(arena, language, rows[i].text, rows[i].value));
    return text;
}
