/* SPDX-License-Identifier: Apache-2.0 */
#include "together.h"

#include <string.h>

/* -- Shapes ------------------------------------------------------------------------------------------------------ */

static bool texts_equal(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool limits_equal(const struct limit *a, const struct limit *b)
{
    return texts_equal(a->metric, b->metric) && texts_equal(a->subject, b->subject) && a->rule == b->rule &&
           a->value == b->value && a->most == b->most && texts_equal(a->text, b->text) &&
           a->tolerance == b->tolerance && texts_equal(a->unit, b->unit) &&
           texts_equal(a->source, b->source) && a->status == b->status &&
           a->inconclusive == b->inconclusive && reason_equal(a->note, b->note);
}

static bool slots_equal(const struct slot *a, const struct slot *b)
{
    if (strcmp(a->metric, b->metric) != 0 || strcmp(a->subject, b->subject) != 0 ||
        strcmp(a->at, b->at) != 0 || a->size_bytes != b->size_bytes || a->duty != b->duty ||
        !reason_equal(a->duty_note, b->duty_note) || a->own_count != b->own_count)
        return false;
    for (size_t i = 0; i < a->own_count; i++)
        if (!limits_equal(&a->own[i], &b->own[i]))
            return false;
    return true;
}

/* The hash alone would do for plans of our own; that of another party is what it wrote. */
bool shapes_equal(const struct shape *a, const struct shape *b)
{
    if (strcmp(a->sha256, b->sha256) != 0 || a->slot_count != b->slot_count ||
        strcmp(a->check, b->check) != 0 || strcmp(a->suite_step, b->suite_step) != 0 ||
        strcmp(a->scope, b->scope) != 0 || strcmp(a->variant, b->variant) != 0 ||
        strcmp(a->platform, b->platform) != 0 || !texts_equal(a->arguments, b->arguments) ||
        a->hosts != b->hosts || a->racks != b->racks || a->rack_hosts != b->rack_hosts ||
        a->timeout_s != b->timeout_s || a->retries != b->retries || a->repeat != b->repeat ||
        a->retests != b->retests || a->repeat_for_s != b->repeat_for_s || a->as_root != b->as_root ||
        a->passive != b->passive)
        return false;
    for (size_t i = 0; i < a->slot_count; i++)
        if (!slots_equal(&a->slots[i], &b->slots[i]))
            return false;
    return true;
}

const struct shape *shape_of_all(struct plan *all, const struct shape *shape, size_t *near)
{
    for (size_t i = 0; i < all->shapes.count; i++) {
        size_t at = (*near + i) % all->shapes.count;

        if (shapes_equal(all->shapes.items[at], shape)) {
            *near = at + 1;
            return all->shapes.items[at];
        }
    }
    *list_push(all->arena, &all->shapes) = shape;
    return shape;
}

/* -- Steps ------------------------------------------------------------------------------------------------------- */

static void add_plan(struct plan *all, const struct plan *own)
{
    const struct shape **shapes = arena_array(all->arena, const struct shape *, own->shapes.count);
    size_t near = 0, number = 0;

    for (size_t i = 0; i < own->shapes.count; i++)
        shapes[i] = shape_of_all(all, own->shapes.items[i], &near);
    for (size_t i = 0; i < own->steps.count; i++) {
        struct step *step = list_push(all->arena, &all->steps);

        number = shape_number(own, own->steps.items[i].shape, number);
        *step = own->steps.items[i];
        step->shape = shapes[number];
    }
}

static const struct plan *plan_of_all(struct arena *arena, const struct judged_run *runs, size_t count)
{
    struct plan *all = arena_new(arena, struct plan);

    if (count == 1)
        return runs[0].record->plan;
    all->arena = arena;
    for (size_t i = 0; i < count; i++)
        add_plan(all, runs[i].record->plan);
    return all;
}

static void fill_attempts(struct arena *arena, const struct record *record, struct step_attempts *attempts)
{
    for (size_t i = 0; i < record->attempts.count; i++)
        attempts[record->attempts.items[i].step].count++;
    for (size_t i = 0; i < record->plan->steps.count; i++) {
        attempts[i].items = arena_array(arena, const struct attempt *, attempts[i].count);
        attempts[i].count = 0;
    }
    for (size_t i = 0; i < record->attempts.count; i++) {
        struct step_attempts *of_step = &attempts[record->attempts.items[i].step];

        of_step->items[of_step->count++] = &record->attempts.items[i];
    }
}

struct step_attempts *attempts_by_step(struct arena *arena, const struct record *record)
{
    struct step_attempts *attempts = arena_array(arena, struct step_attempts, record->plan->steps.count);

    fill_attempts(arena, record, attempts);
    return attempts;
}

/* -- Runs -------------------------------------------------------------------------------------------------------- */

struct judged_part part_alone(struct arena *arena, const struct record *record,
                              const struct run_limits *limits)
{
    return (struct judged_part){.record = record,
                                .step_count = record->plan->steps.count,
                                .book = {.arena = arena, .limits = limits}};
}

struct together bring_together(struct arena *arena, struct arena *books, const struct judged_run *runs,
                               size_t count)
{
    struct together together = {.plan = plan_of_all(arena, runs, count),
                                .parts = arena_array(arena, struct judged_part, count),
                                .count = count};
    size_t first = 0;

    together.attempts = arena_array(arena, struct step_attempts, together.plan->steps.count);
    for (size_t i = 0; i < count; i++) {
        together.parts[i] = part_alone(books, runs[i].record, runs[i].limits);
        together.parts[i].first_step = first;
        fill_attempts(arena, runs[i].record, together.attempts + first);
        first += together.parts[i].step_count;
    }
    return together;
}

struct judged_part *together_part(const struct together *together, size_t step)
{
    size_t i = together->count - 1;

    while (together->parts[i].first_step > step)
        i--;
    return &together->parts[i];
}
