/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must be the same on all hosts, over all runs. What each host showed last decides how it stands now. Besides, who had another
 * value than most when some run ended has failed then, as in a run that all of them are in; unless most hosts have shown this
 * value at some time: then all were changed, one after the other.
 */
#include <string.h>

#include "acceptance_private.h"
#include "assay/reasons/any.h"
#include "assay/reasons/judge.h"
#include "judge_private.h"

static bool must_be_same(const struct slot *slot)
{
    for (size_t i = 0; i < slot->own_count; i++)
        if (slot->own[i].rule == RULE_SAME)
            return slot->duty == DUTY_GATE;
    return false;
}

/* A pass that measured nothing is a value too, unlike that of hosts which measured something. */
static const struct reason *value_of(struct arena *arena, const struct outcome *outcome)
{
    return outcome->measured == NULL && outcome->word == OUTCOME_PASS ? reason(arena, text, "")
                                                                      : outcome->measured;
}

/* What was measured of the item there; NULL: nothing. */
static const struct reason *value_in(const struct acceptance *acceptance, const struct shown *shown,
                                     const struct slot *slot)
{
    const struct record *record = acceptance->runs.items[shown->run];
    const struct judgement *judgement = &record->judgement;
    const struct shape *shape = record->plan->steps.items[shown->step].shape;

    for (size_t k = shown->first; k < judgement->outcome_count && judgement->outcomes[k].step == shown->step;
         k++) {
        const struct slot *other = &shape->slots[judgement->outcomes[k].slot];

        if (strcmp(other->metric, slot->metric) == 0 && strcmp(other->subject, slot->subject) == 0 &&
            strcmp(other->at, slot->at) == 0)
            return value_of(acceptance->arena, &judgement->outcomes[k]);
    }
    return NULL;
}

/* What the last pass that counts measured there; NULL when there is none. */
static const struct reason *last_value(const struct acceptance *acceptance,
                                       const struct requirement *requirement, const struct slot *slot)
{
    for (size_t i = requirement->shown.count; i-- > 0;) {
        const struct reason *value = requirement->shown.items[i].counts
                                         ? value_in(acceptance, &requirement->shown.items[i], slot)
                                         : NULL;

        if (value != NULL)
            return value;
    }
    return NULL;
}

/* The first of them that is this, by its key. */
static const struct reason *value_said(struct arena *arena, const struct reason *const *values, size_t count,
                                       const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (values[i] != NULL && strcmp(reason_key(arena, values[i]), key) == 0)
            return values[i];
    return NULL;
}

/* "ib.firmware of mlx5_0 is 28.2, while most hosts have 28.1" */
static const struct reason *odd_value(struct arena *arena, const struct slot *slot,
                                      const struct reason *value, const struct reason *most)
{
    const struct reason *metric = *slot->subject != '\0'
                                      ? reason(arena, metric_of, slot->metric, slot->subject)
                                      : reason(arena, text, slot->metric);

    return reason(arena, while_most_hosts_have, reason(arena, value_is, metric, value), most);
}

/* Requirements of one shape, which are passed, against the value that most of them have. */
static void compare_hosts(struct acceptance *acceptance, const struct shape *shape, const struct slot *slot)
{
    struct arena *arena = acceptance->arena;
    size_t count = acceptance->requirements.count, values = 0;
    const struct reason **all = arena_array(arena, const struct reason *, count), *most;
    const char **sorted = arena_array(arena, const char *, count), *majority_value;

    for (size_t i = 0; i < count; i++) {
        const struct requirement *requirement = &acceptance->requirements.items[i];

        if (acceptance->plan->steps.items[requirement->step].shape == shape &&
            requirement->state == REQUIREMENT_PASSED)
            all[i] = last_value(acceptance, requirement, slot);
        if (all[i] != NULL)
            sorted[values++] = reason_key(arena, all[i]);
    }
    majority_value = majority(sorted, values);
    most = majority_value != NULL ? value_said(arena, all, count, majority_value) : NULL;
    for (size_t i = 0; i < count; i++) {
        struct requirement *requirement = &acceptance->requirements.items[i];

        if (all[i] == NULL || (most != NULL && strcmp(reason_key(arena, all[i]), majority_value) == 0))
            continue;
        requirement->state = most != NULL ? REQUIREMENT_FAILED : REQUIREMENT_MISSING;
        requirement->why = most != NULL ? odd_value(arena, slot, all[i], most)
                                        : reason(arena, hosts_agree_on_no_value, slot->metric);
    }
}

void compare_all_hosts(struct acceptance *acceptance)
{
    const struct plan *plan = acceptance->plan;

    for (size_t i = 0; i < plan->shapes.count; i++)
        for (size_t k = 0; k < plan->shapes.items[i]->slot_count; k++)
            if (must_be_same(&plan->shapes.items[i]->slots[k]))
                compare_hosts(acceptance, plan->shapes.items[i], &plan->shapes.items[i]->slots[k]);
}

/* -- As it stood after each run ---------------------------------------------------------------------------------- */

/* One item over all hosts. */
struct column {
    struct acceptance *acceptance;
    const struct shape *shape;
    const struct slot *slot;
    LIST_OF(struct requirement *) rows;
    const struct reason ***values; /* of each row, of all that was shown */
};

static struct column column_of(struct acceptance *acceptance, const struct shape *shape,
                               const struct slot *slot)
{
    struct column column = {.acceptance = acceptance, .shape = shape, .slot = slot};

    for (size_t i = 0; i < acceptance->requirements.count; i++)
        if (acceptance->plan->steps.items[acceptance->requirements.items[i].step].shape == shape)
            *list_push(acceptance->arena, &column.rows) = &acceptance->requirements.items[i];
    column.values = arena_array(acceptance->arena, const struct reason **, column.rows.count + 1);
    for (size_t i = 0; i < column.rows.count; i++) {
        const struct requirement *row = column.rows.items[i];

        column.values[i] = arena_array(acceptance->arena, const struct reason *, row->shown.count + 1);
        for (size_t k = 0; k < row->shown.count; k++)
            column.values[i][k] = value_in(acceptance, &row->shown.items[k], slot);
    }
    return column;
}

static bool says(const struct column *column, const struct reason *value, const char *key)
{
    return value != NULL && strcmp(reason_key(column->acceptance->arena, value), key) == 0;
}

/* Mostly there is one value. */
static bool is_uniform(const struct column *column)
{
    const char *first = NULL;

    for (size_t i = 0; i < column->rows.count; i++)
        for (size_t k = 0; k < column->rows.items[i]->shown.count; k++) {
            if (column->values[i][k] == NULL)
                continue;
            if (first == NULL)
                first = reason_key(column->acceptance->arena, column->values[i][k]);
            if (!says(column, column->values[i][k], first))
                return false;
        }
    return true;
}

/* Whether most hosts have shown it at some time. */
static bool was_common(const struct column *column, const char *english)
{
    size_t hosts = 0;

    for (size_t i = 0; i < column->rows.count; i++) {
        bool shown = false;

        for (size_t k = 0; k < column->rows.items[i]->shown.count; k++)
            shown |= says(column, column->values[i][k], english);
        hosts += shown;
    }
    return 2 * hosts > column->rows.count;
}

static void miss_value(const struct column *column, struct shown *shown, const struct reason *value,
                       const struct reason *most)
{
    struct arena *arena = column->acceptance->arena;

    for (size_t i = 0; i < shown->misses.count; i++)
        if (strcmp(shown->misses.items[i].subject, column->slot->subject) == 0)
            return;
    *list_push(arena, &shown->misses) =
        (struct miss){column->slot->subject,
                      reason(arena, compared_over_runs, odd_value(arena, column->slot, value, most))};
}

static void compare_at(const struct column *column, size_t run)
{
    struct arena *arena = column->acceptance->arena;
    const struct reason **all = arena_array(arena, const struct reason *, column->rows.count + 1), *most;
    struct shown **last = arena_array(arena, struct shown *, column->rows.count + 1);
    const char **sorted = arena_array(arena, const char *, column->rows.count + 1), *common;
    size_t count = 0;

    for (size_t i = 0; i < column->rows.count; i++) {
        last[i] = pass_at(column->rows.items[i], run);
        if (last[i] != NULL)
            all[i] = column->values[i][last[i] - column->rows.items[i]->shown.items];
        if (all[i] != NULL)
            sorted[count++] = reason_key(arena, all[i]);
    }
    common = majority(sorted, count);
    most = common != NULL ? value_said(arena, all, column->rows.count, common) : NULL;
    for (size_t i = 0; most != NULL && i < column->rows.count; i++)
        if (all[i] != NULL && !says(column, all[i], common) && !was_common(column, reason_key(arena, all[i])))
            miss_value(column, last[i], all[i], most);
}

void compare_values(struct acceptance *acceptance)
{
    const struct plan *plan = acceptance->plan;

    for (size_t i = 0; i < plan->shapes.count && acceptance->runs.count > 1; i++)
        for (size_t k = 0; k < plan->shapes.items[i]->slot_count; k++) {
            struct column column;

            if (!must_be_same(&plan->shapes.items[i]->slots[k]))
                continue;
            column = column_of(acceptance, plan->shapes.items[i], &plan->shapes.items[i]->slots[k]);
            if (is_uniform(&column))
                continue;
            for (size_t run = 0; run < acceptance->runs.count; run++)
                compare_at(&column, run);
        }
}
