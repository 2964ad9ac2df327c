/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which passes answer another question than the acceptance asks. The suite and its limits are the same in all its runs; what a
 * test asks of a host besides is in the hostfile, and a run may have had another one: other cables, fewer mounts, less time. What
 * failed there has failed all the same.
 */
#include <string.h>

#include "acceptance_private.h"
#include "assay/model/host_fields.h"
#include "assay/model/shape_asks.h"
#include "assay/reasons/judge.h"

/* A host of a run of which its hostfile says something else. */
struct odd_host {
    const struct host *host;
    const struct reason *what;
};
struct odd_hosts {
    LIST_OF(struct odd_host) items; /* mostly none */
};

static const struct reason *odd_field(struct arena *arena, const struct host *host, const struct host *owed)
{
    struct host_field is[HOST_FIELDS], wanted[HOST_FIELDS];

    host_fields(arena, host, is);
    host_fields(arena, owed, wanted);
    for (size_t i = 0; i < HOST_FIELDS; i++)
        if (is[i].kind == FIELD_QUESTION && strcmp(is[i].text, wanted[i].text) != 0)
            return reason(arena, asked_with_another_hostfile, host->name, is[i].name, is[i].text,
                          wanted[i].text);
    return NULL;
}

static struct odd_hosts odd_hosts_of(const struct acceptance *acceptance, const struct record *record)
{
    const struct host_names *owed_hosts = host_names_of_plan(acceptance->arena, acceptance->plan);
    struct odd_hosts odd = {0};

    for (size_t i = 0; i < record->plan->hosts.count; i++) {
        const struct host *host = record->plan->hosts.items[i];
        const struct host *owed = host_by_name(owed_hosts, host->name);
        const struct reason *what = owed != NULL ? odd_field(acceptance->arena, host, owed) : NULL;

        if (what != NULL)
            *list_push(acceptance->arena, &odd.items) = (struct odd_host){host, what};
    }
    return odd;
}

static const struct reason *odd_member(const struct odd_hosts *odd, const struct step *step)
{
    for (size_t i = 0; i < odd->items.count; i++)
        if (step_has_host(step, odd->items.items[i].host))
            return odd->items.items[i].what;
    return NULL;
}

/* Of steps that come one after the other mostly both are as before. */
struct compared {
    const struct shape *shape, *owed;
    const struct reason *what;
};

/* The hash of a shape of our own is that of what it asks, and another version of assay may have planned it otherwise; of
   another party it is what that wrote there. */
static const struct reason *asked_less(struct arena *arena, const struct record *record,
                                       const struct shape *shape, const struct shape *owed,
                                       struct compared *last)
{
    const struct reason *what = NULL;

    if (last->shape == shape && last->owed == owed)
        return last->what;
    if (record->origin != NULL)
        what = shape_asks_otherwise(arena, shape, owed);
    else if (strcmp(shape->sha256, owed->sha256) != 0)
        what = shape_lacks_gate(arena, shape, owed);
    *last = (struct compared){shape, owed, what != NULL ? reason(arena, asked_for_less, what) : NULL};
    return last->what;
}

static const struct reason *asked(const struct acceptance *acceptance, const struct odd_hosts *odd_of_runs,
                                  const struct step *owed, const struct shown *shown, struct compared *last)
{
    const struct record *record = acceptance->runs.items[shown->run];
    const struct step *step = &record->plan->steps.items[shown->step];
    const struct reason *what = odd_member(&odd_of_runs[shown->run], step);

    return what != NULL ? what : asked_less(acceptance->arena, record, step->shape, owed->shape, last);
}

void find_asked_otherwise(struct acceptance *acceptance)
{
    struct odd_hosts *odd_of_runs =
        arena_array(acceptance->arena, struct odd_hosts, acceptance->runs.count + 1);
    struct compared *last = arena_array(acceptance->arena, struct compared, acceptance->runs.count + 1);

    for (size_t i = 0; i < acceptance->runs.count; i++)
        odd_of_runs[i] = odd_hosts_of(acceptance, acceptance->runs.items[i]);
    for (size_t i = 0; i < acceptance->requirements.count; i++) {
        struct requirement *requirement = &acceptance->requirements.items[i];

        for (size_t k = 0; k < requirement->shown.count; k++)
            requirement->shown.items[k].asked =
                asked(acceptance, odd_of_runs, &acceptance->plan->steps.items[requirement->step],
                      &requirement->shown.items[k], &last[requirement->shown.items[k].run]);
    }
}
