/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another hostfile for a run that has begun. Its plan only grows: what was owed stays owed. A host that is new owes
 * what the suite asks of it, and the groups that it makes with the others are owed besides those that there are. A
 * name that stands for another machine (another address) owes again what the one before was asked, and what that one
 * kept from running; what was not asked yet is asked of the new one as it stands. Whoever is tested again for that is
 * looked at again at the end (a suite's "last").
 */
#include <string.h>

#include "assay/model/host_fields.h"
#include "assay/reasons/model.h"
#include "assay/reasons/plan.h"
#include "plan_private.h"

static const char *text_or_none(const char *text)
{
    return text != NULL && *text != '\0' ? text : "none";
}

/* Of a host of the run. */
static int compare_host(struct arena *arena, const struct host *was, const struct host *is,
                        const struct hostfile *hostfile, struct hostfile_changes *changes, struct error *err)
{
    struct hostfile_change change = {HOST_REACHED, is, NULL};
    const char *fields = "";
    struct host_field before[HOST_FIELDS], after[HOST_FIELDS];

    host_fields(arena, was, before);
    host_fields(arena, is, after);
    for (size_t i = 0; i < HOST_FIELDS; i++) {
        const char *old = before[i].text, *new = after[i].text;

        if (strcmp(old, new) == 0)
            continue;
        if (before[i].kind == FIELD_QUESTION || before[i].kind == FIELD_PLACE)
            return error_set(
                err, ERROR_USAGE,
                "%s:%u:%u: %s of %s is %s, and was %s when the run started: that changes what it "
                "requires; expected the old value, or a new run",
                hostfile->path, is->line, is->column, before[i].name, is->name, new, old);
        if (before[i].kind == FIELD_MACHINE)
            change.kind = HOST_SWAPPED;
        fields = arena_printf(arena, "%s%s%s %s -> %s", fields, *fields != '\0' ? ", " : "", before[i].name,
                              old, new);
    }
    if (*fields == '\0')
        return 0;
    change.what = change.kind == HOST_SWAPPED ? reason(arena, host_was_swapped, is->name, fields)
                                              : reason(arena, host_reached_otherwise, is->name, fields);
    *list_push(arena, &changes->items) = change;
    return 0;
}

static bool is_same_way(const struct host *a, const struct host *b)
{
    return strcmp(a->address, b->address) == 0 && a->port == b->port &&
           strcmp(text_or_none(a->jump), text_or_none(b->jump)) == 0;
}

/* Behind one address hosts are told by ports, and behind others by jump hosts: who is reached as another host of the run was is that
   one. */
static void find_exchanged(struct arena *arena, const struct plan *plan, const struct host_names *before,
                           struct hostfile_changes *changes)
{
    for (size_t i = 0; i < changes->items.count; i++) {
        struct hostfile_change *change = &changes->items.items[i];

        for (size_t k = 0; k < plan->hosts.count && change->kind == HOST_REACHED; k++) {
            const struct host *known = host_by_name(before, plan->hosts.items[k]->name),
                              *was = known != NULL ? known : plan->hosts.items[k];

            if (strcmp(was->name, change->host->name) == 0 || !is_same_way(was, change->host))
                continue;
            change->kind = HOST_SWAPPED;
            change->what = reason(arena, reached_as_another_was, change->what, was->name);
        }
    }
}

/* Whoever asked for some hosts only does not mean new ones. */
static bool is_of_some_hosts(const struct host_names *planned, const struct hostfile *hostfile)
{
    for (size_t i = 0; i < hostfile->hosts.count; i++)
        if (hostfile->hosts.items[i].role == ROLE_COMPUTE &&
            host_by_name(planned, hostfile->hosts.items[i].name) == NULL)
            return true;
    return false;
}

int hostfile_compare(struct arena *arena, const struct plan *plan, const struct plan_sources *sources,
                     const struct hostfile *hostfile, struct hostfile_changes *ret_changes, struct error *err)
{
    const struct host_names *planned = host_names_of_plan(arena, plan),
                            *before = host_names_of_file(arena, sources->hostfile),
                            *now = host_names_of_file(arena, hostfile);
    bool some = is_of_some_hosts(planned, sources->hostfile);

    *ret_changes = (struct hostfile_changes){0};
    for (size_t i = 0; i < plan->hosts.count; i++) {
        const char *name = plan->hosts.items[i]->name;
        const struct host *was = host_by_name(before, name), *is = host_by_name(now, name);

        if (is == NULL)
            return error_set(
                err, ERROR_USAGE,
                "%s: %s of the run is not in it, but its tests are still required; expected its name "
                "(with the address of another machine, if that replaced it), or a new run",
                hostfile->path, name);
        if (compare_host(arena, was != NULL ? was : plan->hosts.items[i], is, hostfile, ret_changes, err) < 0)
            return -1;
    }
    find_exchanged(arena, plan, before, ret_changes);
    list_each (host, hostfile->hosts) {
        if (host->role != ROLE_COMPUTE || some || host_by_name(planned, host->name) != NULL)
            continue;
        if (host_platform(sources, host) == NULL)
            return error_set(
                err, ERROR_USAGE,
                "%s:%u:%u: platform %s of %s is not one of the run; expected one of them, or a new run",
                hostfile->path, host->line, host->column, text_or_none(host->platform), host->name);
        *list_push(arena, &ret_changes->items) =
            (struct hostfile_change){HOST_ADDED, host, reason(arena, host_was_added, host->name)};
    }
    return 0;
}

/* --- taking it -------------------------------------------------------------------------------------------------- */

/* From now on the plan's hosts are those of the hostfile. */
static void point_to(struct plan *plan, const struct hostfile *hostfile)
{
    for (size_t i = 0; i < plan->hosts.count; i++) {
        const struct host *was = plan->hosts.items[i], *is = hostfile_find(hostfile, was->name);

        plan->hosts.items[i] = is;
        for (size_t k = 0; k < plan->steps.count; k++)
            for (size_t m = 0; m < plan->steps.items[k].member_count; m++)
                if (plan->steps.items[k].members[m] == was)
                    plan->steps.items[k].members[m] = is;
    }
}

/* NULL: none of its hosts is another machine. */
static const struct hostfile_change *swap_in(const struct step *step, const struct hostfile_changes *changes)
{
    for (size_t i = 0; i < changes->items.count; i++)
        if (changes->items.items[i].kind == HOST_SWAPPED && step_has_host(step, changes->items.items[i].host))
            return &changes->items.items[i];
    return NULL;
}

bool step_has_swapped(const struct step *step, const struct hostfile_changes *changes)
{
    for (size_t i = 0; i < changes->items.count; i++)
        for (size_t k = 0; changes->items.items[i].kind == HOST_SWAPPED && k < step->member_count; k++)
            if (strcmp(step->members[k]->name, changes->items.items[i].host->name) == 0)
                return true;
    return false;
}

/* Asked of the machine before, or kept from running by what that one failed. */
static bool is_owed_again(const struct plan *plan, size_t index, const enum step_state *states, bool *doomed)
{
    const struct step *step = &plan->steps.items[index];

    for (size_t i = 0; i < step->need_count && states[index] == STEP_WAITING; i++)
        doomed[index] |= states[step->needs[i]] == STEP_FAILED || doomed[step->needs[i]];
    return step->origin != ORIGIN_ISOLATE && step->origin != ORIGIN_LEFT_OUT &&
           (states[index] != STEP_WAITING || doomed[index]);
}

/* A step that was repeated by an earlier hostfile speaks through its repetition. */
static unsigned repetitions(const struct plan *plan, size_t index)
{
    unsigned count = 0;

    for (size_t i = index + 1; i < plan->steps.count; i++)
        count += plan->steps.items[i].origin != ORIGIN_ISOLATE && plan->steps.items[i].round > 0 &&
                 plan->steps.items[i].parent == index;
    return count;
}

static size_t repeat_step(struct plan *plan, size_t index, const struct reason *note, const size_t *again)
{
    struct step whole = plan->steps.items[index];
    const struct member_set set = {.members = whole.members, .count = whole.member_count};
    size_t added =
        push_step(plan, whole.shape, &set,
                  (struct step){.origin = whole.origin, .origin_note = note, .parent = index, .round = 1});
    struct step *step = &plan->steps.items[added];

    step->needs = whole.need_count > 0 ? arena_array(plan->arena, size_t, whole.need_count) : NULL;
    step->need_count = whole.need_count;
    for (size_t i = 0; i < whole.need_count; i++)
        step->needs[i] = again[whole.needs[i]] > 0 ? again[whole.needs[i]] : whole.needs[i];
    return added;
}

static void repeat_swapped(struct plan *plan, const struct hostfile_changes *changes,
                           const enum step_state *states)
{
    size_t count = plan->steps.count;
    size_t *again = arena_array(plan->arena, size_t, count); /* index of the repetition; 0: none */
    bool *doomed = arena_array(plan->arena, bool, count);

    for (size_t i = 0; i < count; i++) {
        const struct hostfile_change *swap = swap_in(&plan->steps.items[i], changes);
        bool owed = is_owed_again(plan, i, states, doomed);

        if (owed && swap != NULL && repetitions(plan, i) == 0)
            again[i] = repeat_step(plan, i, swap->what, again);
    }
}

/* Whether one of the steps behind the first `known` loads the host. */
static bool is_tested_anew(const struct plan *plan, const struct suite *suite, size_t known,
                           const struct host *host)
{
    for (size_t i = known; i < plan->steps.count; i++)
        if (step_has_host(&plan->steps.items[i], host) && plan->steps.items[i].origin != ORIGIN_LEFT_OUT &&
            !suite_step_find(suite, plan->steps.items[i].shape->suite_step)->last)
            return true;
    return false;
}

/* What came after everything is no longer that: it is looked again, at hosts whose closing look has been. */
static void repeat_closing_looks(struct plan *plan, const struct suite *suite, size_t known,
                                 const enum step_state *states)
{
    size_t *none = arena_array(plan->arena, size_t, known);

    for (size_t i = 0; i < known; i++) {
        const struct step *step = &plan->steps.items[i];
        const struct suite_step *row = suite_step_find(suite, step->shape->suite_step);

        if (row != NULL && row->last && states[i] != STEP_WAITING && repetitions(plan, i) == 0 &&
            is_tested_anew(plan, suite, known, step->members[0]))
            repeat_step(plan, i, REASON(closing_look_again), none);
    }
}

static const struct shape *known_shape(struct plan *plan, const struct shape *shape)
{
    for (size_t i = 0; i < plan->shapes.count; i++)
        if (strcmp(plan->shapes.items[i]->sha256, shape->sha256) == 0)
            return plan->shapes.items[i];
    *list_push(plan->arena, &plan->shapes) = shape;
    return shape;
}

/* Looks behind `near` first: most steps come in the same order in both plans. plan->steps.count: there is none. */
static size_t find_key(const struct plan *plan, const char *key, size_t near)
{
    for (size_t i = 0; i < plan->steps.count; i++) {
        size_t at = (near + i) % plan->steps.count;

        if (strcmp(plan->steps.items[at].key, key) == 0)
            return at;
    }
    return plan->steps.count;
}

static void add_from(struct plan *plan, const struct plan *whole, const struct reason *note)
{
    size_t *index_of = arena_array(plan->arena, size_t, whole->steps.count), near = 0;

    for (size_t i = 0; i < whole->steps.count; i++) {
        const struct step *step = &whole->steps.items[i];
        const struct member_set set = {.members = step->members, .count = step->member_count};
        struct step *added;

        index_of[i] = find_key(plan, step->key, near);
        near = index_of[i];
        if (index_of[i] < plan->steps.count)
            continue;
        push_step(plan, known_shape(plan, step->shape), &set,
                  (struct step){.origin = step->origin,
                                .origin_note = step->origin_note != NULL ? step->origin_note : note});
        added = &plan->steps.items[index_of[i]];
        added->needs = step->needs;
        added->need_count = step->need_count;
        for (size_t k = 0; k < step->need_count; k++)
            added->needs[k] = index_of[step->needs[k]];
    }
}

void plan_steps_asked(struct arena *arena, const struct plan *plan, const struct suite *suite,
                      struct hostlist *ret_steps, bool *ret_all)
{
    *ret_all = true;
    for (size_t i = 0; i < suite->steps.count; i++) {
        bool out = false;

        for (size_t k = 0; k < plan->steps.count; k++)
            out |= plan->steps.items[k].origin == ORIGIN_LEFT_OUT &&
                   reason_is(plan->steps.items[k].origin_note, left_out_by_steps) &&
                   strcmp(plan->steps.items[k].shape->suite_step, suite->steps.items[i].name) == 0;
        *ret_all &= !out;
        if (!out)
            *list_push(arena, &ret_steps->names) = suite->steps.items[i].name;
    }
}

/* Another version of assay may ask otherwise for the same words: then nothing would be as it was. */
static int check_same(const struct plan *plan, const struct plan *whole, size_t steps, struct error *err)
{
    size_t near = 0;

    for (size_t i = 0; i < steps; i++) {
        const struct step *step = &plan->steps.items[i];

        if (step->member_count > 1 || step->origin != ORIGIN_SUITE || step->round > 0)
            continue;
        near = find_key(whole, step->key, near);
        if (near == whole->steps.count)
            return error_set(
                err, ERROR_USAGE,
                "step %s of %s would be planned differently by this assay than by the one that started the "
                "run: hosts can only be added by that one; expected it, or a new run",
                step->shape->suite_step, step->members[0]->name);
    }
    return 0;
}

static int add_hosts_of(struct plan *plan, const struct plan_sources *sources,
                        const struct hostfile_changes *changes, struct error *err)
{
    struct hostlist hosts = {0}, steps = {0}, added = {0};
    struct plan_options options = {.run_uuid = plan->run_uuid, .hosts = &hosts};
    struct plan_notes notes;
    const struct plan *whole;
    bool all;

    for (size_t i = 0; i < changes->items.count; i++)
        if (changes->items.items[i].kind == HOST_ADDED)
            *list_push(plan->arena, &added.names) = changes->items.items[i].host->name;
    if (added.names.count == 0)
        return 0;
    for (size_t i = 0; i < plan->hosts.count; i++)
        if (plan->hosts.items[i]->role == ROLE_COMPUTE)
            *list_push(plan->arena, &hosts.names) = plan->hosts.items[i]->name;
    for (size_t i = 0; i < added.names.count; i++)
        *list_push(plan->arena, &hosts.names) = added.names.items[i];
    plan_steps_asked(plan->arena, plan, sources->suite, &steps, &all);
    options.steps = all ? NULL : &steps;
    whole = plan_build(plan->arena, sources, &options, &notes, err);
    if (whole == NULL || check_same(plan, whole, plan->steps.count, err) < 0)
        return -1;
    for (size_t i = 0; i < added.names.count; i++)
        *list_push(plan->arena, &plan->hosts) = hostfile_find(sources->hostfile, added.names.items[i]);
    add_from(plan, whole,
             reason(plan->arena, hostfile_brought_host,
                    hostlist_fold(plan->arena, added.names.items, added.names.count)));
    return 0;
}

int plan_take_hostfile(struct plan *plan, struct plan_sources *sources, const struct hostfile *hostfile,
                       const struct hostfile_changes *changes, const enum step_state *states,
                       struct error *err)
{
    size_t known = plan->steps.count;

    sources->hostfile = hostfile;
    point_to(plan, hostfile);
    repeat_swapped(plan, changes, states);
    if (add_hosts_of(plan, sources, changes, err) < 0)
        return -1;
    repeat_closing_looks(plan, sources->suite, known, states);
    return 0;
}
