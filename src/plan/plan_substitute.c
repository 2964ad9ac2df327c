/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who replaces whom. A step over several hosts does not run when one of them did not pass its own steps;
 * here the same is planned for those that did, with spares in the places of the others as far as the hostfile has
 * any. A spare goes through all host steps of the suite first. Nothing that is owed becomes less: the step as the
 * suite has it stays not run, and its substitute owes items of its own.
 *
 * All follows from the plan and what has become of its steps, so that a resumed run comes to the same: the hosts
 * that are not fit, in the order in which they are met, each take the best of the spares that are left.
 */
#include <string.h>

#include "assay/reasons/plan.h"

#include "plan_private.h"

enum spare_state { SPARE_UNTRIED, SPARE_WAITING, SPARE_FIT, SPARE_UNFIT };

struct place {
    const struct host *unfit, *spare; /* spare NULL: there is none left */
};

struct roster {
    struct plan *plan;
    const struct plan_sources *sources;
    const enum step_state *states;
    size_t known; /* steps that have a state: those after them have just been added */
    bool no_spares;
    LIST_OF(struct place) places;
};

/* Who asked for some hosts only does not mean others. */
static bool is_restricted(const struct plan *plan, const struct hostfile *hostfile)
{
    for (size_t i = 0; i < hostfile->hosts.count; i++)
        if (hostfile->hosts.items[i].role == ROLE_COMPUTE &&
            plan_find_host(plan, hostfile->hosts.items[i].name) == NULL)
            return true;
    return false;
}

/* Its own steps among those that the step needs have passed. */
static bool is_fit(const struct roster *roster, const struct step *step, const struct host *member)
{
    for (size_t i = 0; i < step->need_count; i++) {
        const struct step *need = &roster->plan->steps.items[step->needs[i]];

        if (need->member_count == 1 && need->members[0] == member &&
            roster->states[step->needs[i]] != STEP_PASSED)
            return false;
    }
    return true;
}

/* Whether some step over several hosts asks for it. */
static bool is_needed(const struct suite *suite, const char *name)
{
    for (size_t i = 0; i < suite->steps.count; i++)
        for (size_t k = 0;
             strcmp(suite->steps.items[i].scope, "host") != 0 && k < suite->steps.items[i].needs.count; k++)
            if (strcmp(suite->steps.items[i].needs.items[k], name) == 0)
                return true;
    return false;
}

/* The closing look at a spare is due when it has stood in, and says nothing of whether it may. */
static bool is_closing(const struct suite *suite, const char *name)
{
    const struct suite_step *step = suite_step_find(suite, name);

    return step != NULL && step->last;
}

static enum spare_state state_of(const struct roster *roster, const struct host *spare)
{
    enum spare_state state = SPARE_UNTRIED;

    for (size_t i = 0; i < roster->plan->steps.count; i++) {
        const struct step *step = &roster->plan->steps.items[i];

        if (step->member_count > 1 || strcmp(step->members[0]->name, spare->name) != 0 ||
            is_closing(roster->sources->suite, step->shape->suite_step))
            continue;
        if (i >= roster->known || roster->states[i] <= STEP_AGAIN)
            state = SPARE_WAITING;
        else if (roster->states[i] != STEP_PASSED &&
                 is_needed(roster->sources->suite, step->shape->suite_step))
            return SPARE_UNFIT;
        else if (state == SPARE_UNTRIED)
            state = SPARE_FIT;
    }
    return state;
}

static bool same_place(const char *a, const char *b)
{
    return *a != '\0' && strcmp(a, b) == 0;
}

static bool is_taken(const struct roster *roster, const struct host *spare)
{
    for (size_t i = 0; i < roster->places.count; i++)
        if (roster->places.items[i].spare == spare)
            return true;
    return false;
}

/* Of the same unit rather than not, and then of the same leaf: its cables are as long as those of the others. */
static const struct host *best_spare(const struct roster *roster, const struct host *unfit)
{
    const struct hostfile *hostfile = roster->sources->hostfile;
    const struct host *best = NULL;
    int most = -1;

    for (size_t i = 0; !roster->no_spares && i < hostfile->hosts.count; i++) {
        const struct host *host = &hostfile->hosts.items[i];
        int score = 2 * same_place(host->unit, unfit->unit) + same_place(host->leaf, unfit->leaf);

        if (host->role != ROLE_SPARE ||
            host_platform(roster->sources, host) != host_platform(roster->sources, unfit) || score <= most ||
            is_taken(roster, host) || state_of(roster, host) == SPARE_UNFIT)
            continue;
        best = host;
        most = score;
    }
    return best;
}

static const struct host *spare_for(struct roster *roster, const struct host *unfit)
{
    const struct host *spare;

    for (size_t i = 0; i < roster->places.count; i++)
        if (roster->places.items[i].unfit == unfit)
            return roster->places.items[i].spare;
    spare = best_spare(roster, unfit);
    *list_push(roster->plan->arena, &roster->places) = (struct place){unfit, spare};
    return spare;
}

/* By --steps: nobody does it. */
static bool is_left_out(const struct plan *plan, const char *suite_step)
{
    for (size_t i = 0; i < plan->steps.count; i++)
        if (plan->steps.items[i].origin == ORIGIN_LEFT_OUT &&
            strcmp(plan->steps.items[i].shape->suite_step, suite_step) == 0)
            return true;
    return false;
}

/* The spare becomes a host of the run, with all host steps of the suite. */
static void try_spare(const struct roster *roster, const struct host *spare, const struct host *unfit)
{
    const struct suite *suite = roster->sources->suite;
    const struct platform *platform = host_platform(roster->sources, spare);
    struct plan *plan = roster->plan;
    size_t *step_of = arena_array(plan->arena, size_t, suite->steps.count); /* index + 1; 0: none */
    const struct member_set set = {.members = &spare, .count = 1, .variant = ""};

    *list_push(plan->arena, &plan->hosts) = spare;
    for (size_t i = 0; i < suite->steps.count; i++) {
        const struct suite_step *suite_step = &suite->steps.items[i];
        const struct check *check = check_find(suite_step->check);
        struct step *step;

        /* What only advises tells nothing of a spare's fitness. */
        if (strcmp(suite_step->scope, "host") != 0 || suite_step->variants.count > 0 ||
            !check_applies(check, suite_step, platform) || is_left_out(plan, suite_step->name))
            continue;
        step_of[i] = plan_add_step(plan, roster->sources, suite_step, platform, &set, ORIGIN_SUBSTITUTE) + 1;
        step = &plan->steps.items[step_of[i] - 1];
        step->origin_note = reason(plan->arena, spare_tried, unfit->name);
        step->needs = arena_array(plan->arena, size_t, suite_step->needs.count);
        for (size_t k = 0; k < suite_step->needs.count; k++) {
            size_t need = step_of[suite_step_index(suite, suite_step->needs.items[k])];

            if (need > 0)
                step->needs[step->need_count++] = need - 1;
        }
    }
}

static const struct reason *who_instead(struct arena *arena, const struct host *unfit,
                                        const struct host *spare)
{
    return spare != NULL ? reason(arena, spare_instead, spare->name, unfit->name)
                         : reason(arena, nobody_instead, unfit->name);
}

/* "node9 (spare) instead of node3; no host instead of node5". In halves: one inside of the other would be too deep for many. */
static const struct reason *one_note(struct arena *arena, const struct reason *const *notes, size_t count)
{
    return count == 1 ? notes[0]
                      : reason_also(arena, one_note(arena, notes, count / 2),
                                    one_note(arena, notes + count / 2, count - count / 2));
}

static void substitute(struct roster *roster, size_t index)
{
    struct plan *plan = roster->plan;
    size_t whole = plan->steps.items[index].member_count, count = 0, spares = 0, unfit = 0, waiting = 0;
    const struct host **members = arena_array(plan->arena, const struct host *, whole);
    const struct reason **notes = arena_array(plan->arena, const struct reason *, whole), *note;

    for (size_t i = 0; i < whole; i++) {
        const struct host *member = plan->steps.items[index].members[i], *spare;
        enum spare_state state;

        if (is_fit(roster, &plan->steps.items[index], member)) {
            members[count++] = member;
            continue;
        }
        spare = spare_for(roster, member);
        notes[unfit++] = who_instead(plan->arena, member, spare);
        if (spare == NULL)
            continue;
        state = state_of(roster, spare);
        if (state == SPARE_UNTRIED)
            try_spare(roster, spare, member);
        waiting += state != SPARE_FIT;
        members[count++] = plan_find_host(plan, spare->name);
        spares++;
    }
    if (unfit == 0 || waiting > 0 || count < 2)
        return;
    note =
        spares > 0 ? one_note(plan->arena, notes, unfit) : reason(plan->arena, hosts_are_fit, count, whole);
    plan_add_substitute(plan, roster->sources, index, members, count, note);
}

void plan_add_substitutes(struct plan *plan, const struct plan_sources *sources,
                          const enum step_state *states)
{
    struct roster roster = {.plan = plan,
                            .sources = sources,
                            .states = states,
                            .known = plan->steps.count,
                            .no_spares = is_restricted(plan, sources->hostfile)};

    for (size_t i = 0; i < roster.known; i++)
        if (states[i] == STEP_SKIPPED && plan->steps.items[i].origin == ORIGIN_SUITE &&
            plan->steps.items[i].member_count > 1)
            substitute(&roster, i);
}
