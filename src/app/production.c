/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts that others work on (use=production): a test that loads them runs only where a person has said so. */
#include "assay/app/production.h"

#include <string.h>

#include "assay/check/check.h"

static const char *hosts_in_production(struct arena *arena, const struct plan *plan)
{
    LIST_OF(const char *) names = {0};

    for (size_t i = 0; i < plan->hosts.count; i++)
        if (plan->hosts.items[i]->production)
            *list_push(arena, &names) = plan->hosts.items[i]->name;
    return names.count > 0 ? hostlist_fold(arena, names.items, names.count) : NULL;
}

/* "gpu-burn, nccl-all-reduce": the steps of the plan that will load hosts in production; "" where there is none. */
static const char *active_steps(struct arena *arena, const struct plan *plan)
{
    const char *steps = "";

    list_each (step, plan->steps) {
        bool concerned = false;

        if (step->origin == ORIGIN_LEFT_OUT)
            continue;
        for (size_t k = 0; k < step->member_count; k++)
            concerned |= step->members[k]->production;
        if (concerned && !check_find(step->shape->check)->passive)
            steps = arena_add_word_once(arena, steps, step->shape->suite_step);
    }
    return steps;
}

const char *production_concerned(struct arena *arena, const struct plan *plan)
{
    const char *hosts = hosts_in_production(arena, plan);
    const char *steps = hosts != NULL ? active_steps(arena, plan) : "";

    if (*steps == '\0')
        return NULL;
    return arena_printf(arena, "%s: in production (use=production), and these steps load hosts: %s", hosts,
                        steps);
}

int production_check(struct arena *arena, const struct plan *plan, struct error *err)
{
    const char *concerned = production_concerned(arena, plan);

    return concerned == NULL
               ? 0
               : error_set(err, ERROR_USAGE,
                           "%s; leave hosts or steps out (--hosts, --steps), or give --allow-active",
                           concerned);
}
