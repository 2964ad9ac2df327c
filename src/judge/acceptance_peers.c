/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is slower than its peers over all runs of an acceptance. A host that was repaired is tested again by itself, where there is
 * nobody to compare it with; so after each run the numbers of the passes that every host showed last are compared as those of one
 * run are (standouts.c), by the rules of peers.h. Whoever is slow then has failed then, whatever it shows later. Steps whose passes
 * all come from one run were compared there. What a waiver covers is not accused again, and is still somebody's peer: with too
 * few of these nothing would be compared.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acceptance_private.h"
#include "assay/reasons/judge.h"
#include "judge_private.h"
#include "together.h"

struct origin {
    const char *suite_step;
    size_t run;
    bool several; /* its passes come from more than that run */
    bool now;     /* the run that is looked at has shown some of them */
};

struct fleet {
    struct acceptance *acceptance;
    size_t run;                       /* that has just ended */
    struct shown **values;            /* of each requirement what counts then; NULL: nothing */
    LIST_OF(struct origin) origins;   /* of each of the suite's steps that has passes */
    struct plan *plan;                /* a step for each requirement that has a pass */
    LIST_OF(size_t) requirements;     /* of each step */
    LIST_OF(struct outcome) outcomes; /* of each step all, in the order of its slots */
};

static const struct shape *shape_of(const struct acceptance *acceptance, const struct shown *shown)
{
    return acceptance->runs.items[shown->run]->plan->steps.items[shown->step].shape;
}

static const struct outcome *outcomes_of(const struct acceptance *acceptance, const struct shown *shown)
{
    return &acceptance->runs.items[shown->run]->judgement.outcomes[shown->first];
}

/* Its outcomes are those of the shape's slots, one by one: what another party wrote may be otherwise. */
static bool is_in_order(const struct acceptance *acceptance, const struct shown *shown)
{
    const struct judgement *judgement = &acceptance->runs.items[shown->run]->judgement;
    size_t count = shape_of(acceptance, shown)->slot_count;

    if (judgement->outcome_count - shown->first < count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (judgement->outcomes[shown->first + i].step != shown->step ||
            judgement->outcomes[shown->first + i].slot != i)
            return false;
    return true;
}

static struct shown *value_at(const struct acceptance *acceptance, const struct requirement *requirement,
                              size_t run)
{
    struct shown *shown = NULL;

    if (requirement->state == REQUIREMENT_FAILED)
        return NULL;
    if (requirement->state != REQUIREMENT_WAIVED)
        shown = pass_at(requirement, run);
    else
        for (size_t i = 0; i < requirement->shown.count && requirement->shown.items[i].run <= run; i++)
            shown = &requirement->shown.items[i];
    return shown != NULL && is_in_order(acceptance, shown) ? shown : NULL;
}

static struct origin *origin_of(struct fleet *fleet, const char *suite_step)
{
    for (size_t i = 0; i < fleet->origins.count; i++)
        if (strcmp(fleet->origins.items[i].suite_step, suite_step) == 0)
            return &fleet->origins.items[i];
    return NULL;
}

static void find_origins(struct fleet *fleet)
{
    const struct acceptance *acceptance = fleet->acceptance;

    for (size_t i = 0; i < acceptance->requirements.count; i++) {
        const struct requirement *requirement = &acceptance->requirements.items[i];
        const char *suite_step = acceptance->plan->steps.items[requirement->step].shape->suite_step;
        const struct shown *shown = fleet->values[i];
        struct origin *origin = shown != NULL ? origin_of(fleet, suite_step) : NULL;

        if (shown == NULL)
            continue;
        if (origin == NULL) {
            origin = list_push(acceptance->arena, &fleet->origins);
            *origin = (struct origin){.suite_step = suite_step, .run = shown->run};
        }
        origin->several |= origin->run != shown->run;
        origin->now |= shown->run == fleet->run;
    }
}

static void add_requirement(struct fleet *fleet, size_t index, size_t *near)
{
    struct acceptance *acceptance = fleet->acceptance;
    const struct shown *shown = fleet->values[index];
    const struct origin *origin;
    const struct shape *shape;
    struct step *step;

    if (shown == NULL)
        return;
    shape = shape_of(acceptance, shown);
    origin = origin_of(fleet, shape->suite_step);
    if (origin == NULL || !origin->several || !origin->now)
        return;
    step = list_push(fleet->plan->arena, &fleet->plan->steps);
    *step = acceptance->plan->steps.items[acceptance->requirements.items[index].step];
    step->shape = shape_of_all(fleet->plan, shape, near);
    *list_push(fleet->plan->arena, &fleet->requirements) = index;
    for (size_t i = 0; i < shape->slot_count; i++) {
        struct outcome *outcome = list_push(fleet->plan->arena, &fleet->outcomes);

        *outcome = outcomes_of(acceptance, shown)[i];
        outcome->step = fleet->plan->steps.count - 1;
        /* What stands there already is of its run, and so is whether the run's own peers failed or remarked it. */
        outcome->cause = NULL;
        outcome->remark = false;
    }
}

static struct fleet fleet_at(struct acceptance *acceptance, size_t run)
{
    struct fleet fleet = {
        .acceptance = acceptance, .run = run, .plan = arena_new(acceptance->arena, struct plan)};
    size_t near = 0;

    fleet.plan->arena = acceptance->arena;
    fleet.values = arena_array(acceptance->arena, struct shown *, acceptance->requirements.count + 1);
    for (size_t i = 0; i < acceptance->requirements.count; i++)
        fleet.values[i] = value_at(acceptance, &acceptance->requirements.items[i], run);
    find_origins(&fleet);
    for (size_t i = 0; i < acceptance->requirements.count; i++)
        add_requirement(&fleet, i, &near);
    return fleet;
}

static void miss(struct acceptance *acceptance, struct shown *shown, const char *subject,
                 const struct reason *cause)
{
    for (size_t i = 0; i < shown->misses.count; i++)
        if (strcmp(shown->misses.items[i].subject, subject) == 0)
            return;
    *list_push(acceptance->arena, &shown->misses) =
        (struct miss){subject, reason(acceptance->arena, compared_over_runs, cause)};
}

static void compare_at(struct acceptance *acceptance, size_t run)
{
    struct fleet fleet = fleet_at(acceptance, run);
    struct together together = {.plan = fleet.plan, .count = run + 1};
    struct judgement judgement = {.outcomes = fleet.outcomes.items, .outcome_count = fleet.outcomes.count};

    if (fleet.plan->steps.count == 0)
        return;
    judge_peers(acceptance->arena, &together, acceptance->suite, &judgement);
    for (size_t i = 0; i < judgement.outcome_count; i++) {
        const struct outcome *outcome = &judgement.outcomes[i];
        size_t index = fleet.requirements.items[outcome->step];
        const struct slot *slot = &fleet.plan->steps.items[outcome->step].shape->slots[outcome->slot];

        if (outcome->word == OUTCOME_FAIL && outcome->cause != NULL &&
            acceptance->requirements.items[index].state != REQUIREMENT_WAIVED)
            miss(acceptance, fleet.values[index], slot->subject, outcome->cause);
    }
}

void compare_peers(struct acceptance *acceptance)
{
    for (size_t run = 1; run < acceptance->runs.count && acceptance->suite != NULL; run++)
        compare_at(acceptance, run);
}
