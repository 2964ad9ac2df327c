/* SPDX-License-Identifier: Apache-2.0 */
/* The key numbers of an acceptance: what its passes reached beside what was required, nearest to the limit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acceptance_tables.h"
#include "gates.h"
#include "view.h"

/* Of these units more (or for a latency less) is what a cluster is bought for. Temperatures, counts and states are none. */
static const char *const speeds[] = {"GB/s", "Gb/s", "GFLOP/s", "TFLOP/s", "Mpps", "us"};

static bool is_speed(const char *bound)
{
    const char *blank = strrchr(bound, ' ');

    if (strncmp(bound, ">= ", 3) != 0 && strncmp(bound, "<= ", 3) != 0)
        return false;
    for (size_t i = 0; blank != NULL && i < ARRAY_SIZE(speeds); i++)
        if (strcmp(blank + 1, speeds[i]) == 0)
            return true;
    return false;
}

/* How far from the limit, as a share of it. */
static double margin_of(const char *bound, double value)
{
    double limit = strtod(bound + 3, NULL);
    double margin = *bound == '>' ? value - limit : limit - value;

    return limit > 0 ? margin / limit : INFINITY;
}

static struct acceptance_reached *find_row(struct acceptance_numbers *numbers, const char *step,
                                           const char *metric)
{
    for (size_t i = numbers->items.count; i-- > 0;)
        if (strcmp(numbers->items.items[i].metric, metric) == 0 &&
            strcmp(numbers->items.items[i].step, step) == 0)
            return &numbers->items.items[i];
    return NULL;
}

/* Where its limit is the one that the row's last item had, the words of it are known. */
static const char *bound_of(struct arena *arena, const struct acceptance_reached *row,
                            const struct outcome *outcome)
{
    if (row != NULL && row->nearest->gate == outcome->gate)
        return row->bound;
    return reason_english(arena, gate_bound(arena, outcome->gate));
}

static struct acceptance_reached *take_outcome(struct arena *arena, struct acceptance_numbers *numbers,
                                               const struct step *step, const struct outcome *outcome)
{
    const struct slot *slot = &step->shape->slots[outcome->slot];
    struct acceptance_reached *row = find_row(numbers, step->shape->suite_step, slot->metric);
    const char *bound;
    double margin;

    if (slot->duty != DUTY_GATE || outcome->gate == NULL || !isfinite(outcome->value))
        return NULL;
    bound = bound_of(arena, row, outcome);
    if (!is_speed(bound))
        return NULL;
    margin = margin_of(bound, outcome->value);
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
    row->bound = bound;
    row->source = limit_origin(arena, outcome->status, outcome->source);
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
