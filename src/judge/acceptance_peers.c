/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who is slower than its peers over all runs of an acceptance. A host that was repaired is tested again by itself, where there is
 * nobody to compare it with; so the numbers of all passes that count are compared here as those of one run are
 * (standouts.c), by the rules of peers.h. A requirement with several such passes counts by their mean. Steps whose passes all
 * come from one run were compared there. What a waiver covers is not accused again, and is still somebody's peer: with too few
 * of these nothing would be compared.
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
};

struct fleet {
    struct acceptance *acceptance;
    LIST_OF(struct origin) origins;             /* of each of the suite's steps that has passes */
    struct plan *plan;                          /* a step for each requirement that has a pass */
    LIST_OF(struct requirement *) requirements; /* of each step */
    LIST_OF(struct outcome) outcomes;           /* of each step all, in the order of its slots */
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

static bool is_value(const struct requirement *requirement, const struct shown *shown)
{
    return shown->counts || requirement->state == REQUIREMENT_WAIVED;
}

static const struct shown *last_value(const struct acceptance *acceptance,
                                      const struct requirement *requirement)
{
    for (size_t i = requirement->shown.count; i-- > 0;)
        if (is_value(requirement, &requirement->shown.items[i]) &&
            is_in_order(acceptance, &requirement->shown.items[i]))
            return &requirement->shown.items[i];
    return NULL;
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

        for (size_t k = 0; k < requirement->shown.count; k++) {
            const struct shown *shown = &requirement->shown.items[k];
            struct origin *origin = is_value(requirement, shown) ? origin_of(fleet, suite_step) : NULL;

            if (origin != NULL)
                origin->several |= origin->run != shown->run;
            else if (is_value(requirement, shown))
                *list_push(acceptance->arena, &fleet->origins) =
                    (struct origin){.suite_step = suite_step, .run = shown->run};
        }
    }
}

/* The mean of what the passes measured of the item; NAN: nothing. */
static double mean_value(const struct acceptance *acceptance, const struct requirement *requirement,
                         const struct shape *shape, size_t slot)
{
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < requirement->shown.count; i++) {
        const struct shown *shown = &requirement->shown.items[i];
        double value;

        if (!is_value(requirement, shown) || !shapes_equal(shape_of(acceptance, shown), shape) ||
            !is_in_order(acceptance, shown))
            continue;
        value = outcomes_of(acceptance, shown)[slot].value;
        if (!isnan(value)) {
            sum += value;
            count++;
        }
    }
    return count > 0 ? sum / (double)count : NAN;
}

static void add_requirement(struct fleet *fleet, struct requirement *requirement, size_t *near)
{
    struct acceptance *acceptance = fleet->acceptance;
    const struct shown *last = last_value(acceptance, requirement);
    const struct shape *shape;
    struct step *step;

    if (last == NULL || !origin_of(fleet, shape_of(acceptance, last)->suite_step)->several ||
        requirement->state == REQUIREMENT_FAILED)
        return;
    shape = shape_of(acceptance, last);
    step = list_push(fleet->plan->arena, &fleet->plan->steps);
    *step = acceptance->plan->steps.items[requirement->step];
    step->shape = shape_of_all(fleet->plan, shape, near);
    *list_push(fleet->plan->arena, &fleet->requirements) = requirement;
    for (size_t i = 0; i < shape->slot_count; i++) {
        struct outcome *outcome = list_push(fleet->plan->arena, &fleet->outcomes);

        *outcome = outcomes_of(acceptance, last)[i];
        outcome->step = fleet->plan->steps.count - 1;
        outcome->value = mean_value(acceptance, requirement, shape, i);
        /* What stands there already is of its run, and so is whether the run's own peers failed or remarked it. */
        outcome->cause = NULL;
        outcome->remark = false;
    }
}

static struct fleet fleet_of(struct acceptance *acceptance)
{
    struct fleet fleet = {.acceptance = acceptance, .plan = arena_new(acceptance->arena, struct plan)};
    size_t near = 0;

    fleet.plan->arena = acceptance->arena;
    find_origins(&fleet);
    for (size_t i = 0; i < acceptance->requirements.count; i++)
        add_requirement(&fleet, &acceptance->requirements.items[i], &near);
    return fleet;
}

void compare_peers(struct acceptance *acceptance)
{
    struct fleet fleet;
    struct together together = {.count = acceptance->runs.count};
    struct judgement judgement = {0};

    if (acceptance->suite == NULL)
        return;
    fleet = fleet_of(acceptance);
    together.plan = fleet.plan;
    judgement.outcomes = fleet.outcomes.items;
    judgement.outcome_count = fleet.outcomes.count;
    judge_peers(acceptance->arena, &together, acceptance->suite, &judgement);
    for (size_t i = 0; i < judgement.outcome_count; i++) {
        const struct outcome *outcome = &judgement.outcomes[i];
        struct requirement *requirement = fleet.requirements.items[outcome->step];

        if (outcome->word != OUTCOME_FAIL || requirement->state == REQUIREMENT_FAILED ||
            requirement->state == REQUIREMENT_WAIVED)
            continue;
        requirement->state = REQUIREMENT_FAILED;
        requirement->why = reason(acceptance->arena, compared_over_runs, outcome->cause);
    }
}
