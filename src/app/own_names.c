/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/own_names.h"

#include <string.h>

static struct check_own_name *find(struct check_own_names *names, const char *host)
{
    for (size_t i = 0; i < names->items.count; i++)
        if (strcmp(names->items.items[i].host, host) == 0)
            return &names->items.items[i];
    return NULL;
}

/* What was told last counts: the hostfile may have got another machine for the name. */
static const struct check_own_names *own_names(struct arena *arena, const struct record *record)
{
    struct check_own_names *names = arena_new(arena, struct check_own_names);

    list_each (attempt, record->attempts) {
        const struct step *step = &record->plan->steps.items[attempt->step];
        const char *own = strcmp(step->shape->check, "reachable") == 0
                              ? reading_get_fact(&attempt->reading, "host.hostname", "")
                              : NULL;
        struct check_own_name *known;

        if (own == NULL || *own == '\0')
            continue;
        known = find(names, step->members[0]->name);
        if (known != NULL)
            known->own = own;
        else
            *list_push(arena, &names->items) = (struct check_own_name){step->members[0]->name, own};
    }
    return names;
}

void context_to_read(struct arena *arena, const struct plan_sources *sources, const struct record *record,
                     const struct step *step, struct check_context *ret_context)
{
    plan_context(arena, sources, step, ret_context);
    if (ret_context->check->own_names)
        ret_context->own_names = own_names(arena, record);
}
