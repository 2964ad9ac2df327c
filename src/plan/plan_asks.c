/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/plan/plan_asks.h"

#include <stdlib.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/model/host_fields.h"
#include "assay/model/shape_asks.h"
#include "plan_private.h"

/* -- Hosts ------------------------------------------------------------------------------------------------------- */

static const char *odd_field(struct arena *arena, const struct host *host, const struct host *said)
{
    struct host_field is[HOST_FIELDS], wanted[HOST_FIELDS];

    host_fields(arena, host, is);
    host_fields(arena, said, wanted);
    for (size_t i = 0; i < HOST_FIELDS; i++)
        if ((is[i].kind == FIELD_QUESTION || is[i].kind == FIELD_PLACE) &&
            strcmp(is[i].text, wanted[i].text) != 0)
            return arena_printf(arena, "%s: %s is %s there, and its hostfile says %s", host->name, is[i].name,
                                is[i].text, wanted[i].text);
    return NULL;
}

static const char *odd_host(struct arena *arena, const struct plan *plan, const struct plan_sources *sources)
{
    const struct host_names *names = host_names_of_file(arena, sources->hostfile);
    const char *what = NULL;

    for (size_t i = 0; i < plan->hosts.count && what == NULL; i++) {
        const struct host *host = plan->hosts.items[i], *said = host_by_name(names, host->name);

        if (said == NULL)
            what = arena_printf(arena, "%s is not in its hostfile", host->name);
        else if (host_platform(sources, said) == NULL)
            what = arena_printf(arena, "the platform of %s is not among its documents", host->name);
        else
            what = odd_field(arena, host, said);
    }
    return what;
}

/* -- The plan that is owed --------------------------------------------------------------------------------------- */

/* As the run was asked: for hosts and steps of its own, or for all. */
static struct plan *build_owed(struct arena *arena, const struct plan *plan,
                               const struct plan_sources *sources, struct error *err)
{
    const struct host_names *names = host_names_of_plan(arena, plan);
    struct hostlist hosts = {0}, steps = {0};
    struct plan_options options = {.run_uuid = plan->run_uuid};
    struct plan_notes notes;
    size_t all = 0;
    bool all_steps;

    for (size_t i = 0; i < sources->hostfile->hosts.count; i++) {
        const struct host *host = &sources->hostfile->hosts.items[i];

        if (host->role != ROLE_COMPUTE)
            continue;
        all++;
        if (host_by_name(names, host->name) != NULL)
            *list_push(arena, &hosts.names) = host->name;
    }
    plan_steps_asked(arena, plan, sources->suite, &steps, &all_steps);
    options.hosts = hosts.names.count < all ? &hosts : NULL;
    options.steps = all_steps ? NULL : &steps;
    return plan_build(arena, sources, &options, &notes, err);
}

/* -- Steps ------------------------------------------------------------------------------------------------------- */

struct named_step {
    const char *name; /* the suite's step, its variant, its members */
    size_t index;
};
struct named_steps {
    struct named_step *items; /* by name */
    size_t count;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct named_step *)a)->name, ((const struct named_step *)b)->name);
}

static const char *name_of(struct arena *arena, const struct step *step)
{
    cleanup_text struct text name = {0};

    text_init(&name, 1 << 20);
    text_printf(&name, "%s\x1f%s", step->shape->suite_step, step->shape->variant);
    for (size_t i = 0; i < step->member_count; i++)
        text_printf(&name, "\x1f%s", step->members[i]->name);
    return arena_strndup(arena, name.bytes, name.length);
}

static struct named_steps steps_by_name(struct arena *arena, const struct plan *plan)
{
    struct named_steps named = {arena_array(arena, struct named_step, plan->steps.count + 1),
                                plan->steps.count};

    for (size_t i = 0; i < plan->steps.count; i++)
        named.items[i] = (struct named_step){name_of(arena, &plan->steps.items[i]), i};
    qsort(named.items, named.count, sizeof *named.items, compare_names);
    return named;
}

/* What a spare owes by itself: its lines may be no other host's. NULL: it has no such step. */
static const struct shape *shape_alone(struct plan *owed, const struct plan_sources *sources,
                                       const struct step *step, const struct host *spare)
{
    const struct suite_step *suite_step = suite_step_find(sources->suite, step->shape->suite_step);
    const struct platform *platform = host_platform(sources, spare);
    struct member_sets sets;
    size_t added;

    if (suite_step == NULL || strcmp(suite_step->scope, "host") != 0 ||
        !plan_applies(owed->arena, sources, suite_step, platform, NULL))
        return NULL;
    plan_sets_alone(owed->arena, suite_step, spare, &sets);
    list_each (set, sets.sets)
        if (strcmp(set->variant, step->shape->variant) == 0) {
            added = plan_add_step(owed, sources, suite_step, platform, set, ORIGIN_SUBSTITUTE);
            return owed->steps.items[added].shape;
        }
    return NULL;
}

/* What a substitute over these members would owe; NULL: there is none of this name. */
static const struct shape *shape_of_substitute(struct plan *owed, const struct plan_sources *sources,
                                               const struct step *step)
{
    const struct host **members = arena_array(owed->arena, const struct host *, step->member_count + 1);
    size_t added;

    for (size_t i = 0; i < step->member_count; i++) {
        members[i] = hostfile_find(sources->hostfile, step->members[i]->name);
        if (members[i] == NULL || host_platform(sources, members[i]) == NULL)
            return NULL;
    }
    if (step->member_count == 1)
        return shape_alone(owed, sources, step, members[0]);
    for (size_t i = 0; i < owed->steps.count && step->member_count > 0; i++)
        if (strcmp(owed->steps.items[i].shape->suite_step, step->shape->suite_step) == 0 &&
            strcmp(owed->steps.items[i].shape->variant, step->shape->variant) == 0) {
            added = plan_add_substitute(owed, sources, i, members, step->member_count, NULL);
            return owed->steps.items[added].shape;
        }
    return NULL;
}

static const char *told(struct arena *arena, const struct step *step, const char *what)
{
    return arena_printf(arena, "step %s of %s%s", step->shape->suite_step, step_target(arena, step), what);
}

/* What the step of the plan asks otherwise. There may be several of one name, of a machine that was swapped: each is looked at. */
static const char *odd_step(struct plan *owed, const struct plan_sources *sources,
                            const struct named_steps *named, const struct step *step, bool *there)
{
    struct arena *arena = owed->arena;
    const struct named_step key = {.name = name_of(arena, step)};
    const struct named_step *found =
        bsearch(&key, named->items, named->count, sizeof *named->items, compare_names);
    const struct shape *shape = found != NULL ? owed->steps.items[found->index].shape : NULL;
    const struct reason *what;

    if (found != NULL && step->origin != ORIGIN_SUBSTITUTE)
        there[found->index] = true;
    if (shape == NULL && step->origin == ORIGIN_SUBSTITUTE) {
        shape = shape_of_substitute(owed, sources, step);
        if (shape == NULL)
            return told(arena, step, ", in the place of others, is none of its suite");
    }
    what = shape != NULL ? shape_asks_otherwise(arena, step->shape, shape) : NULL;
    return what != NULL
               ? told(arena, step, arena_printf(arena, ": not as there is %s", reason_english(arena, what)))
               : NULL;
}

static const char *find_odd_step(struct plan *owed, const struct plan_sources *sources,
                                 const struct plan *plan)
{
    struct named_steps named = steps_by_name(owed->arena, owed);
    bool *there = arena_array(owed->arena, bool, named.count + 1);
    const char *what = NULL;

    for (size_t i = 0; i < plan->steps.count && what == NULL; i++)
        if (plan->steps.items[i].origin != ORIGIN_ISOLATE)
            what = odd_step(owed, sources, &named, &plan->steps.items[i], there);
    for (size_t i = 0; i < named.count && what == NULL; i++)
        if (!there[i])
            what = told(owed->arena, &owed->steps.items[i], " is missing there");
    return what;
}

int plan_find_unasked(struct arena *arena, const struct plan *plan, const struct plan_sources *sources,
                      const char **ret_what, struct error *err)
{
    struct arena *aside;
    struct plan *owed;
    const char *what = odd_host(arena, plan, sources);

    *ret_what = what;
    if (what != NULL)
        return 0;
    aside = arena_create();
    owed = build_owed(aside, plan, sources, err);
    if (owed != NULL && (what = find_odd_step(owed, sources, plan)) != NULL)
        *ret_what = arena_strdup(arena, what);
    arena_destroy(aside);
    return owed != NULL ? 0 : -1;
}
