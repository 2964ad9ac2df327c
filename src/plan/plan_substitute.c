/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who replaces whom. A step over several hosts does not run when one of them did not pass its own steps;
 * here the same is planned for those that did, with spares in the places of the others as far as the hostfile has
 * any. A spare goes through all host steps of the suite first. So it is with a launch that failed and named the hosts
 * that stopped it, where other steps need it: it is tried again without them. Nothing that is owed becomes less: the step as
 * the suite has it stays not run, or failed, and its substitute owes items of its own.
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
    const struct plan_progress *progress;
    const struct host_places *at; /* of the hosts among the plan's, for progress->lost */
    struct company *company;      /* who is tested alone, or with whom */
    size_t known;                 /* steps that have a state: those after them have just been added */
    size_t host_count;            /* likewise */
    size_t *unfit_for; /* of each host: the last step looked at whose needs speak against it, + 1 */
    size_t looked_at;  /* that step, + 1 */
    const bool *left_out;
    bool no_spares;
    LIST_OF(struct place) places;
};

bool plan_takes_no_spares(struct arena *arena, const struct plan *plan, const struct hostfile *hostfile)
{
    const struct host_names *names = host_names_of_plan(arena, plan);

    for (size_t i = 0; i < hostfile->hosts.count; i++)
        if (hostfile->hosts.items[i].role == ROLE_COMPUTE &&
            host_by_name(names, hostfile->hosts.items[i].name) == NULL)
            return true;
    return false;
}

static bool is_lost(const struct roster *roster, const struct host *member)
{
    size_t place = roster->progress->lost != NULL ? host_place(roster->at, member) : (size_t)-1;

    return place < roster->host_count && roster->progress->lost[place];
}

/* Of that step of the suite, over whichever hosts. */
static bool is_culprit(const struct roster *roster, const struct shape *shape, const struct host *member)
{
    for (size_t i = 0; i < roster->progress->culprits.count; i++) {
        const struct plan_culprit *culprit = &roster->progress->culprits.items[i];

        if (culprit->host == member &&
            strcmp(roster->plan->steps.items[culprit->step].shape->suite_step, shape->suite_step) == 0)
            return true;
    }
    return false;
}

static void speak_against(struct roster *roster, const struct host *host)
{
    size_t place = host_place(roster->at, host);

    if (place < roster->host_count)
        roster->unfit_for[place] = roster->looked_at;
}

/* Once for all members of a step over many, which may need as many steps as there are hosts. */
static void look_at_needs(struct roster *roster, const struct step *step)
{
    const struct shape *last = NULL;

    roster->looked_at = (size_t)(step - roster->plan->steps.items) + 1;
    for (size_t i = 0; i < step->need_count; i++) {
        const struct step *need = &roster->plan->steps.items[step->needs[i]];

        if (need->member_count == 1 && roster->progress->states[step->needs[i]] != STEP_PASSED)
            speak_against(roster, need->members[0]);
        for (size_t k = 0;
             need->member_count > 1 && need->shape != last && k < roster->progress->culprits.count; k++)
            if (is_culprit(roster, need->shape, roster->progress->culprits.items[k].host))
                speak_against(roster, roster->progress->culprits.items[k].host);
        last = need->member_count > 1 ? need->shape : last;
    }
}

/* It can be asked, its own steps among those that the step needs have passed, and no test of several hosts among them, nor this
   one, named it. */
static bool is_fit(struct roster *roster, const struct step *step, const struct host *member)
{
    size_t place = host_place(roster->at, member);

    if (is_lost(roster, member) || is_culprit(roster, step->shape, member))
        return false;
    if (roster->looked_at != (size_t)(step - roster->plan->steps.items) + 1)
        look_at_needs(roster, step);
    return place < roster->host_count && roster->unfit_for[place] != roster->looked_at;
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

    for (size_t at = company_first(roster->company, spare, NULL); at > 0;
         at = company_next(roster->company, at)) {
        size_t i = at - 1;
        const struct step *step = &roster->plan->steps.items[i];

        if (step->member_count > 1 || strcmp(step->members[0]->name, spare->name) != 0 ||
            is_closing(roster->sources->suite, step->shape->suite_step))
            continue;
        if (i >= roster->known || roster->progress->states[i] <= STEP_AGAIN)
            state = SPARE_WAITING;
        else if (roster->progress->states[i] != STEP_PASSED &&
                 suite_step_is_needed(roster->sources->suite, step->shape->suite_step))
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

/* Of each step of the suite: by --steps nobody does it. */
static bool *find_left_out(struct arena *arena, const struct plan *plan, const struct suite *suite)
{
    bool *left_out = arena_array(arena, bool, suite->steps.count + 1);

    list_each (step, plan->steps) {
        size_t index =
            step->origin == ORIGIN_LEFT_OUT ? suite_step_index(suite, step->shape->suite_step) : (size_t)-1;

        if (index != (size_t)-1)
            left_out[index] = true;
    }
    return left_out;
}

/* The steps of one step of the suite on a host stand together in the plan. */
struct range {
    size_t first, count;
};

/* What only advises tells nothing of a spare's fitness. */
static bool is_for_spares(const struct roster *roster, struct arena *aside, size_t suite_index,
                          const struct platform *platform)
{
    const struct suite_step *suite_step = &roster->sources->suite->steps.items[suite_index];

    return strcmp(suite_step->scope, "host") == 0 && suite_step->variants.count == 0 &&
           !roster->left_out[suite_index] && plan_applies(aside, roster->sources, suite_step, platform, NULL);
}

/* added: of the suite's steps before this one what the spare has. */
static void need_steps(struct plan *plan, const struct suite *suite, const struct suite_step *suite_step,
                       const struct range *added, struct step *step)
{
    size_t most = 0;

    list_each (need, suite_step->needs)
        most += added[suite_step_index(suite, *need)].count;
    step->needs = arena_array(plan->arena, size_t, most);
    list_each (need, suite_step->needs) {
        const struct range *range = &added[suite_step_index(suite, *need)];

        for (size_t i = 0; i < range->count; i++)
            step->needs[step->need_count++] = range->first + i;
    }
}

/* The spare becomes a host of the run, with all host steps of the suite that hosts of its platform have. */
static void try_spare(const struct roster *roster, const struct host *spare, const struct host *unfit)
{
    cleanup_arena struct arena *aside = arena_create();
    const struct suite *suite = roster->sources->suite;
    const struct platform *platform = host_platform(roster->sources, spare);
    struct plan *plan = roster->plan;
    struct range *added = arena_array(aside, struct range, suite->steps.count);

    *list_push(plan->arena, &plan->hosts) = spare;
    for (size_t i = 0; i < suite->steps.count; i++) {
        const struct suite_step *suite_step = &suite->steps.items[i];
        struct member_sets sets;

        added[i].first = plan->steps.count;
        if (!is_for_spares(roster, aside, i, platform))
            continue;
        plan_sets_alone(aside, suite_step, spare, &sets);
        list_each (set, sets.sets) {
            size_t last = plan_add_step(plan, roster->sources, suite_step, platform, set, ORIGIN_SUBSTITUTE);
            struct step *step = &plan->steps.items[last];

            step->origin_note = reason(plan->arena, spare_tried, unfit->name);
            need_steps(plan, suite, suite_step, added, step);
            added[i].count++;
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

static bool has_members(const struct step *step, const struct host *const *members, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;

        while (k < step->member_count && step->members[k] != members[i])
            k++;
        if (k == step->member_count)
            return false;
    }
    return true;
}

/* The last step of the suite's one over all these hosts and perhaps others that may still pass; the number of steps: there is none. */
static size_t stand_in_for(const struct roster *roster, const struct step *need, const struct step *added)
{
    const struct plan *plan = roster->plan;

    for (size_t i = (size_t)(added - plan->steps.items); i-- > 0;) {
        const struct step *step = &plan->steps.items[i];

        if (step->origin == ORIGIN_SUBSTITUTE && step->member_count > 1 &&
            (i >= roster->known || roster->progress->states[i] <= STEP_PASSED) &&
            strcmp(step->shape->suite_step, need->shape->suite_step) == 0 &&
            strcmp(step->shape->variant, need->shape->variant) == 0 &&
            has_members(step, added->members, added->member_count))
            return i;
    }
    return plan->steps.count;
}

/* What did not pass over all hosts has to pass over these first. What they owe alone has passed. */
static void add_needs(const struct roster *roster, const struct step *whole, struct step *added)
{
    added->needs = arena_array(roster->plan->arena, size_t, whole->need_count);
    for (size_t i = 0; i < whole->need_count; i++) {
        const struct step *need = &roster->plan->steps.items[whole->needs[i]];
        size_t instead;

        if (need->member_count == 1 || roster->progress->states[whole->needs[i]] == STEP_PASSED)
            continue;
        instead = stand_in_for(roster, need, added);
        if (instead < roster->plan->steps.count)
            added->needs[added->need_count++] = instead;
    }
}

/* -- Partners for who lost his: the gap that a host leaves in a ring of pairs is closed -- */

/* The other of a pair; NULL: the host is not in it, or it is no pair of the same test as the suite has it. */
static const struct host *other_of(const struct roster *roster, size_t index, const struct step *pair,
                                   const struct host *host)
{
    const struct step *step = &roster->plan->steps.items[index];

    if (step->shape != pair->shape || step->origin != ORIGIN_SUITE)
        return NULL;
    return step->members[0] == host ? step->members[1] : step->members[1] == host ? step->members[0] : NULL;
}

/* The pairs of a test stand together in the plan: from the first to behind the last. */
static void find_range(const struct roster *roster, size_t index, size_t *ret_first, size_t *ret_end)
{
    const struct step *steps = roster->plan->steps.items;
    size_t first = index, end = index + 1;

    while (first > 0 && steps[first - 1].shape == steps[index].shape)
        first--;
    while (end < roster->known && steps[end].shape == steps[index].shape)
        end++;
    *ret_first = first;
    *ret_end = end;
}

/* Along the ring from a host that is not fit, and that the pair came to, to the next one that is. NULL: there is none. */
static const struct host *next_fit(struct roster *roster, size_t index, const struct host *unfit)
{
    const struct step *pair = &roster->plan->steps.items[index];
    size_t first, end, at = index;

    find_range(roster, index, &first, &end);
    for (size_t tries = first; tries < end; tries++) {
        const struct host *next = NULL;

        for (size_t i = first; i < end && next == NULL; i++)
            if (i != at && (next = other_of(roster, i, pair, unfit)) != NULL)
                at = i;
        if (next == NULL || next == pair->members[0] || next == pair->members[1])
            return NULL;
        if (is_fit(roster, &roster->plan->steps.items[at], next))
            return next;
        unfit = next;
    }
    return NULL;
}

static bool may_pair(const struct roster *roster, const struct step *pair, const struct host *a,
                     const struct host *b)
{
    return a != b && (host_platform(roster->sources, a)->nvlink_domain_hosts == 0 ||
                      check_find(pair->shape->check)->on == ON_HCAS || strcmp(a->rack, b->rack) == 0);
}

/* Any that is fit, the nearest first; NULL where the host is in another pair of two that are, or there is none. */
static const struct host *any_fit(struct roster *roster, size_t index, const struct host *host)
{
    const struct step *steps = roster->plan->steps.items, *pair = &steps[index];
    const struct host *found = NULL;
    size_t first, end;

    find_range(roster, index, &first, &end);
    for (size_t i = first; i < end; i++) {
        const struct host *other = other_of(roster, i, pair, host);

        if (other != NULL && is_fit(roster, &steps[i], other))
            return NULL;
    }
    for (size_t apart = 1; found == NULL && (apart <= index - first || index + apart < end); apart++)
        for (size_t k = 0; k < 4 && found == NULL; k++) {
            size_t at = k < 2 ? index - apart : index + apart;
            const struct host *other;

            if (k < 2 ? apart > index - first : at >= end)
                continue;
            other = steps[at].members[1 - k % 2];
            if (may_pair(roster, pair, host, other) && is_fit(roster, &steps[at], other))
                found = other;
        }
    return found;
}

/* In this order or the other, by the suite or as a substitute. */
static bool are_paired(const struct roster *roster, const struct step *pair, const struct host *a,
                       const struct host *b)
{
    for (size_t at = company_first(roster->company, a, b); at > 0; at = company_next(roster->company, at)) {
        const struct step *step = &roster->plan->steps.items[at - 1];

        if (step->member_count == 2 &&
            ((step->members[0] == a && step->members[1] == b) ||
             (step->members[0] == b && step->members[1] == a)) &&
            strcmp(step->shape->suite_step, pair->shape->suite_step) == 0 &&
            strcmp(step->shape->variant, pair->shape->variant) == 0)
            return true;
    }
    return false;
}

/* For one of a pair whose partner is not fit, and for whom there is no spare. */
static void find_partner(struct roster *roster, size_t index, const struct host *host)
{
    struct plan *plan = roster->plan;
    const struct step *pair = &plan->steps.items[index];
    const struct host *unfit = pair->members[pair->members[0] == host], *partner;
    const struct host **members = arena_array(plan->arena, const struct host *, 2);
    size_t added;

    partner = next_fit(roster, index, unfit);
    if (partner == NULL)
        partner = any_fit(roster, index, host);
    if (partner == NULL || are_paired(roster, pair, host, partner))
        return;
    members[0] = host;
    members[1] = partner;
    added = plan_add_substitute(plan, roster->sources, index, members, 2,
                                reason(plan->arena, partner_instead, partner->name, unfit->name));
    add_needs(roster, &plan->steps.items[index], &plan->steps.items[added]);
}

static void substitute(struct roster *roster, size_t index)
{
    struct plan *plan = roster->plan;
    size_t whole = plan->steps.items[index].member_count, count = 0, spares = 0, unfit = 0, waiting = 0,
           added;
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
    if (count == 1 && whole == 2 && strcmp(plan->steps.items[index].shape->scope, "pair") == 0 &&
        plan->steps.items[index].origin == ORIGIN_SUITE)
        find_partner(roster, index, members[0]);
    if (unfit == 0 || waiting > 0 || count < 2)
        return;
    note =
        spares > 0 ? one_note(plan->arena, notes, unfit) : reason(plan->arena, hosts_are_fit, count, whole);
    whole = plan->steps.count;
    added = plan_add_substitute(plan, roster->sources, index, members, count, note);
    if (added == whole)
        add_needs(roster, &plan->steps.items[index], &plan->steps.items[added]);
}

/* It did not run, or it failed and has said by whom; what others need of it they may still show. */
static bool wants_substitute(const struct roster *roster, size_t index)
{
    const struct step *step = &roster->plan->steps.items[index];

    if (step->member_count == 1 || (step->origin != ORIGIN_SUITE && step->origin != ORIGIN_SUBSTITUTE))
        return false;
    if (roster->progress->states[index] == STEP_SKIPPED)
        return true;
    for (size_t i = 0; roster->progress->states[index] == STEP_FAILED && i < roster->progress->culprits.count;
         i++)
        if (roster->progress->culprits.items[i].step == index)
            return true;
    return false;
}

void plan_add_substitutes(struct plan *plan, const struct plan_sources *sources,
                          const struct plan_progress *progress)
{
    struct arena *arena = arena_create();
    struct roster roster = {.plan = plan,
                            .sources = sources,
                            .progress = progress,
                            .at = host_places_create(arena, plan),
                            .company = company_create(arena, plan),
                            .left_out = find_left_out(arena, plan, sources->suite),
                            .host_count = plan->hosts.count,
                            .unfit_for = arena_array(arena, size_t, plan->hosts.count + 1),
                            .known = plan->steps.count,
                            .no_spares = plan_takes_no_spares(arena, plan, sources->hostfile)};

    for (size_t i = 0; i < roster.known; i++)
        if (wants_substitute(&roster, i))
            substitute(&roster, i);
    arena_destroy(arena);
}
