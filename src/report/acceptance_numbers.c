/* SPDX-License-Identifier: Apache-2.0 */
/* The key numbers of an acceptance: what its passes reached beside what was required, nearest to the limit. */
#include <math.h>
#include <string.h>

#include "acceptance_tables.h"
#include "view.h"

static struct acceptance_reached *find_row(struct acceptance_numbers *numbers, const char *step,
                                           const char *metric)
{
    for (size_t i = numbers->items.count; i-- > 0;)
        if (strcmp(numbers->items.items[i].metric, metric) == 0 &&
            strcmp(numbers->items.items[i].step, step) == 0)
            return &numbers->items.items[i];
    return NULL;
}

/* Where its limit is the one that the row's nearest item had, the number is known. */
static bool limit_of(struct arena *arena, const struct acceptance_reached *row, const struct outcome *outcome,
                     struct gate_number *ret_limit)
{
    if (row == NULL || row->nearest->held->gate != outcome->held->gate)
        return gate_number(arena, outcome->held->gate, ret_limit);
    *ret_limit = row->limit;
    return true;
}

static struct acceptance_reached *take_outcome(struct arena *arena, struct acceptance_numbers *numbers,
                                               const struct step *step, const struct outcome *outcome)
{
    const struct slot *slot = &step->shape->slots[outcome->slot];
    struct acceptance_reached *row = find_row(numbers, step->shape->suite_step, slot->metric);
    struct gate_number limit;
    double margin;

    if (gate_speed(slot) == NULL || !isfinite(outcome->value) || !limit_of(arena, row, outcome, &limit))
        return NULL;
    margin = gate_margin(limit, outcome->value);
    if (isnan(margin))
        return NULL;
    if (row == NULL) {
        row = list_push(arena, &numbers->items);
        *row = (struct acceptance_reached){
            .step = step->shape->suite_step, .metric = slot->metric, .margin = INFINITY};
    }
    if (row->nearest != NULL && margin >= row->margin)
        return row;
    row->nearest = outcome;
    row->target = step_target_said(arena, step);
    row->at = *slot->at != '\0' ? slot_at_text(arena, slot) : NULL;
    row->subject = slot->subject;
    row->limit = limit;
    row->bound = reason_english(arena, gate_bound(arena, outcome->held->gate));
    row->source = limit_origin(arena, outcome->held->status, outcome->held->source);
    row->margin = margin;
    return row;
}

static const struct shown *last_that_counts(const struct requirement *requirement)
{
    for (size_t i = requirement->shown.count; i-- > 0;)
        if (requirement->shown.items[i].counts)
            return &requirement->shown.items[i];
    return NULL;
}

static void take_requirement(struct arena *arena, const struct acceptance *acceptance,
                             const struct requirement *requirement, struct acceptance_numbers *numbers)
{
    const struct shown *shown = last_that_counts(requirement);
    const struct judgement *judgement;
    const struct step *step;

    if (shown == NULL)
        return;
    judgement = &acceptance->runs.items[shown->run]->judgement;
    step = &acceptance->runs.items[shown->run]->plan->steps.items[shown->step];
    for (size_t i = shown->first; i < judgement->outcome_count && judgement->outcomes[i].step == shown->step;
         i++) {
        struct acceptance_reached *row = take_outcome(arena, numbers, step, &judgement->outcomes[i]);

        if (row == NULL || row->last == requirement)
            continue;
        row->tests++;
        row->last = requirement;
    }
}

void acceptance_numbers_of(struct arena *arena, const struct acceptance *acceptance,
                           struct acceptance_numbers *ret_numbers)
{
    *ret_numbers = (struct acceptance_numbers){0};
    for (size_t i = 0; i < acceptance->requirements.count; i++)
        take_requirement(arena, acceptance, &acceptance->requirements.items[i], ret_numbers);
}

const char *reached_place(struct arena *arena, enum report_language language,
                          const struct acceptance_reached *reached)
{
    const char *text = reason_said(arena, language, reached->target);

    if (*reached->subject != '\0')
        text = arena_printf(arena, "%s, %s", text, reached->subject);
    return reached->at == NULL
               ? text
               : arena_printf(arena, "%s, %s", text, reason_said(arena, language, reached->at));
}
