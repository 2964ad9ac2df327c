/* SPDX-License-Identifier: Apache-2.0 */
/* Why a step was not run, and whether what ended it has to do with others. */
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/reasons/any.h"
#include "assay/reasons/judge.h"

#include "whole_run.h"

/* A jump host, or none (""), and whether anybody behind it answered. */
struct way_in {
    const struct judged_part *part;
    const char *jump;
    bool answers;
};
struct whole_ways {
    LIST_OF(struct way_in) items;
};

/* Hosts that could no longer be asked after one of the steps of a part. */
struct whole_lost {
    const struct judged_part *part;
    const struct host_places *places; /* of the plan's hosts */
    bool *hosts;
};

static void count_fine(struct whole_run *run)
{
    const struct plan *plan = run->together.plan;
    cleanup_arena struct arena *aside = arena_create();
    size_t number = 0;

    run->fine = arena_array(run->arena, size_t, plan->shapes.count + 1);
    for (size_t i = 0; i < plan->steps.count; i++) {
        number = shape_number(plan, plan->steps.items[i].shape, number);
        run->fine[number] += whole_attempt(aside, run, i) != NULL;
    }
}

bool whole_fine_elsewhere(struct arena *arena, struct whole_run *run, size_t step)
{
    const struct plan *plan = run->together.plan;

    if (run->fine == NULL)
        count_fine(run);
    return run->fine[shape_number(plan, plan->steps.items[step].shape, 0)] >
           (whole_attempt(arena, run, step) != NULL);
}

static bool anything_ran(const struct step_attempts *attempts)
{
    for (size_t i = 0; i < attempts->count; i++)
        if (attempts->items[i]->state == ATTEMPT_ENDED && attempts->items[i]->end == ATTEMPT_RAN)
            return true;
    return false;
}

static struct way_in *way_in_of(struct whole_run *run, size_t step)
{
    const struct judged_part *part = together_part(&run->together, step);
    const struct host *host = run->together.plan->steps.items[step].members[0];
    const char *jump = host->jump != NULL ? host->jump : "";
    struct way_in *way;

    for (size_t i = 0; i < run->ways->items.count; i++)
        if (run->ways->items.items[i].part == part && strcmp(run->ways->items.items[i].jump, jump) == 0)
            return &run->ways->items.items[i];
    way = list_push(run->arena, &run->ways->items);
    way->part = part;
    way->jump = jump;
    return way;
}

bool whole_neighbour_answers(struct whole_run *run, size_t step)
{
    const struct plan *plan = run->together.plan;

    if (run->ways == NULL) {
        run->ways = arena_new(run->arena, struct whole_ways);
        for (size_t i = 0; i < plan->steps.count; i++)
            if (anything_ran(&run->together.attempts[i]))
                way_in_of(run, i)->answers = true;
    }
    return way_in_of(run, step)->answers;
}

static const struct reason *need_unmet(struct arena *arena, const struct step *need, enum outcome_word word)
{
    const char *step = need->shape->suite_step, *target = step_target(arena, need);

    if (word == OUTCOME_FAIL)
        return reason(arena, needs_what_failed, step, target);
    return word == OUTCOME_NOT_RUN ? reason(arena, needs_what_did_not_run, step, target)
                                   : reason(arena, needs_what_is_inconclusive, step, target);
}

static void mark_lost(struct whole_lost *lost, const struct host *host)
{
    size_t place = host_place(lost->places, host);

    if (place != (size_t)-1)
        lost->hosts[place] = true;
}

/* Of the part's hosts; steps of one part come one after the other. */
static const struct whole_lost *hosts_lost(struct whole_run *run, const struct judged_part *part)
{
    const struct step *steps = run->together.plan->steps.items;
    struct whole_lost *lost = run->lost;

    if (lost != NULL && lost->part == part)
        return lost;
    lost = run->lost = arena_new(run->arena, struct whole_lost);
    lost->part = part;
    lost->places = host_places_create(run->arena, part->record->plan);
    lost->hosts = arena_array(run->arena, bool, part->record->plan->hosts.count + 1);
    for (size_t i = part->first_step; i < part->first_step + part->step_count; i++) {
        const struct step_attempts *attempts = &run->together.attempts[i];
        const struct attempt *last = attempts->count > 0 ? attempts->items[attempts->count - 1] : NULL;
        size_t windows = last != NULL ? last->windows.count : 0;

        if (last != NULL && last->state == ATTEMPT_ENDED && attempt_end_loses_host(last->end))
            mark_lost(lost, steps[i].members[0]);
        for (size_t k = 0; k < windows; k++)
            if (attempt_end_loses_host(last->windows.items[k].end))
                mark_lost(lost, steps[i].members[k % steps[i].member_count]);
    }
    return lost;
}

/* All that it needs passed and the run came to its end: hosts of it could no longer be asked. */
static const struct reason *lost_before_it(struct arena *arena, struct whole_run *run,
                                           const struct judged_part *part, const struct step *step)
{
    const struct whole_lost *lost = hosts_lost(run, part);
    const char **names = arena_array(arena, const char *, step->member_count);
    size_t count = 0;

    for (size_t i = 0; i < step->member_count; i++) {
        size_t place = host_place(lost->places, step->members[i]);

        if (place != (size_t)-1 && lost->hosts[place])
            names[count++] = step->members[i]->name;
    }
    return count > 0 ? reason(arena, hosts_lost_before_it, hostlist_fold(arena, names, count))
                     : REASON(host_not_free_before_it);
}

/* The first need that was not met; alone: of those of one host, which say more of the host than a test of many does. NULL: none. */
static const struct reason *first_unmet(struct arena *arena, struct whole_run *run, size_t index,
                                        const enum outcome_word *worst, bool alone)
{
    const struct judged_part *part = together_part(&run->together, index);
    const struct step *step = &run->together.plan->steps.items[index];

    for (size_t i = 0; i < step->need_count; i++) {
        const struct step *need = &part->record->plan->steps.items[step->needs[i]];
        enum outcome_word word = worst[part->first_step + step->needs[i]];

        if (word > OUTCOME_PASS && (!alone || need->member_count == 1))
            return need_unmet(arena, need, word);
    }
    return NULL;
}

const struct reason *whole_why_not_run(struct arena *arena, struct whole_run *run, size_t index,
                                       const enum outcome_word *worst)
{
    const struct judged_part *part = together_part(&run->together, index);
    const struct step *step = &run->together.plan->steps.items[index];
    const struct reason *unmet;

    if (step->origin == ORIGIN_LEFT_OUT)
        return step->origin_note;
    unmet = first_unmet(arena, run, index, worst, true);
    if (unmet == NULL)
        unmet = first_unmet(arena, run, index, worst, false);
    if (unmet != NULL)
        return unmet;
    if (part->record->state == RUN_CANCELLED)
        return REASON(cancelled_before_it);
    return part->record->state == RUN_ENDED ? lost_before_it(arena, run, part, step)
                                            : REASON(interrupted_before_it);
}
