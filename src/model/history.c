/* SPDX-License-Identifier: Apache-2.0 */
/* What judged runs have to say to a history. */
#include "assay/model/history.h"

#include <math.h>
#include <string.h>

#include "assay/model/record.h"

const char *history_kind_name(enum history_kind kind)
{
    static const char *const names[] = {"drop", "trend", "repeat"};

    return names[kind];
}

double history_days_left(const struct history_growth *growth)
{
    return growth->per_day > 0 && !isnan(growth->left) ? growth->left / growth->per_day : INFINITY;
}

static bool same_position(const struct history_position *a, const struct history_position *b)
{
    return strcmp(a->metric, b->metric) == 0 && strcmp(a->subject, b->subject) == 0 &&
           strcmp(a->at, b->at) == 0 && strcmp(a->suite_step, b->suite_step) == 0 &&
           strcmp(a->check, b->check) == 0 && strcmp(a->scope, b->scope) == 0 &&
           strcmp(a->variant, b->variant) == 0 && strcmp(a->platform, b->platform) == 0 &&
           a->hosts == b->hosts;
}

static uint32_t position_of(struct arena *arena, struct history *history, const struct shape *shape,
                            const struct slot *slot)
{
    struct history_position position = {.suite_step = shape->suite_step,
                                        .check = shape->check,
                                        .scope = shape->scope,
                                        .variant = shape->variant,
                                        .platform = shape->platform,
                                        .hosts = shape->hosts,
                                        .metric = slot->metric,
                                        .subject = slot->subject,
                                        .at = slot->at};

    for (size_t i = 0; i < history->positions.count; i++)
        if (same_position(&history->positions.items[i], &position))
            return (uint32_t)i;
    *list_push(arena, &history->positions) = position;
    return (uint32_t)history->positions.count - 1;
}

static uint32_t target_named(struct arena *arena, struct history *history, const char *name)
{
    for (size_t i = 0; i < history->targets.count; i++)
        if (strcmp(history->targets.items[i], name) == 0)
            return (uint32_t)i;
    *list_push(arena, &history->targets) = name;
    return (uint32_t)history->targets.count - 1;
}

/* Names of the same hosts again, whatever the variant of the test. */
static const char *target_name(struct arena *arena, const struct step *step)
{
    struct shape plain = *step->shape;
    struct step same = *step;

    plain.variant = "";
    same.shape = &plain;
    return step_target(arena, &same);
}

struct shape_positions {
    const struct shape *shape;
    uint32_t *by_slot;
};

struct known_shapes {
    LIST_OF(struct shape_positions) items;
};

static const uint32_t *positions_of(struct arena *arena, struct history *history, struct known_shapes *known,
                                    const struct shape *shape)
{
    struct shape_positions *row;

    for (size_t i = 0; i < known->items.count; i++)
        if (known->items.items[i].shape == shape)
            return known->items.items[i].by_slot;
    row = list_push(arena, &known->items);
    *row = (struct shape_positions){shape, arena_array(arena, uint32_t, shape->slot_count)};
    for (size_t i = 0; i < shape->slot_count; i++)
        row->by_slot[i] = position_of(arena, history, shape, &shape->slots[i]);
    return row->by_slot;
}

static void add_outcome(struct arena *arena, struct history *history, const struct slot *slot,
                        const struct outcome *outcome, uint32_t position, uint32_t target)
{
    uint32_t run = (uint32_t)history->runs.count - 1;

    /* A value that is not believed (an impossible one, a test cut short) is none to compare with. */
    if (!isnan(outcome->value) && outcome->word != OUTCOME_INCONCLUSIVE)
        *list_push(arena, &history->values) = (struct history_value){run, position, target, outcome->value};
    if (slot->duty == DUTY_GATE && outcome->word == OUTCOME_FAIL)
        *list_push(arena, &history->failures) =
            (struct history_failure){run, position, target, outcome->cause};
}

void history_add(struct arena *arena, struct history *history, const struct record *record)
{
    const struct judgement *judgement = &record->judgement;
    enum verdict_word verdict =
        judgement->verdict_count > 0 ? judgement->verdicts[0].word : VERDICT_INCOMPLETE;
    struct known_shapes known = {0};
    size_t before = (size_t)-1;
    uint32_t target = 0;

    *list_push(arena, &history->runs) =
        (struct history_run){record->number,  record->uuid, record->suite,
                             record->started, verdict,      standing_verdict(&record->standing, verdict)};
    array_each (outcome, judgement->outcomes, judgement->outcome_count) {
        const struct step *step = &record->plan->steps.items[outcome->step];

        if (step->origin != ORIGIN_SUITE)
            continue;
        if (outcome->step != before)
            target = target_named(arena, history, target_name(arena, step));
        before = outcome->step;
        add_outcome(arena, history, &step->shape->slots[outcome->slot], outcome,
                    positions_of(arena, history, &known, step->shape)[outcome->slot], target);
    }
}

void history_add_sighting(struct arena *arena, struct history *history, const char *host, const char *place,
                          const char *identity)
{
    for (size_t i = 0; i < history->targets.count; i++)
        if (strcmp(history->targets.items[i], host) == 0)
            *list_push(arena, &history->sightings) =
                (struct history_sighting){(uint32_t)history->runs.count - 1, (uint32_t)i, place, identity};
}

struct history_mark history_mark(const struct history *history)
{
    return (struct history_mark){history->runs.count, history->positions.count, history->targets.count,
                                 history->failures.count, history->sightings.count};
}

static void keep_position(struct arena *arena, struct history_position *position)
{
    const char **const strings[] = {&position->suite_step, &position->check,    &position->scope,
                                    &position->variant,    &position->platform, &position->metric,
                                    &position->subject,    &position->at};

    for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
        *strings[i] = arena_strdup(arena, *strings[i]);
}

void history_keep(struct arena *arena, struct history *history, const struct history_mark *mark)
{
    for (size_t i = mark->runs; i < history->runs.count; i++) {
        struct history_run *run = &history->runs.items[i];

        run->uuid = arena_strdup(arena, run->uuid);
        run->suite = arena_strdup(arena, run->suite);
        run->word = arena_strdup(arena, run->word);
    }
    for (size_t i = mark->positions; i < history->positions.count; i++)
        keep_position(arena, &history->positions.items[i]);
    for (size_t i = mark->targets; i < history->targets.count; i++)
        history->targets.items[i] = arena_strdup(arena, history->targets.items[i]);
    for (size_t i = mark->failures; i < history->failures.count; i++)
        history->failures.items[i] =
            (struct history_failure){history->failures.items[i].run, history->failures.items[i].position,
                                     history->failures.items[i].target};
    for (size_t i = mark->sightings; i < history->sightings.count; i++) {
        struct history_sighting *sighting = &history->sightings.items[i];

        sighting->place = arena_strdup(arena, sighting->place);
        sighting->identity = arena_strdup(arena, sighting->identity);
    }
}
