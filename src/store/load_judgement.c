/* SPDX-License-Identifier: Apache-2.0 */
/* The last judgement of a run: outcomes in plan order, then verdicts. */
#include <stdlib.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "store_private.h"

static void take_outcome(struct rows *rows, const struct plan *plan, struct outcome *outcome)
{
    outcome->step = take_index(rows, plan->steps.count, "step");
    if (rows->damage[0] != '\0')
        return;
    outcome->slot = take_index(rows, plan->steps.items[outcome->step].shape->slot_count, "slot");
    outcome->word = (enum outcome_word)take_enum(rows, &vocabulary_outcome);
    outcome->cause = take_repeated_reason(rows);
    outcome->remedy = take_reason_word(rows);
    outcome->measured = take_repeated_reason(rows);
    outcome->value = take_real(rows);
    outcome->held = take_held_to(rows);
    outcome->remark = take_bool(rows);
}

static int load_outcomes(struct load *load, int64_t id, struct judgement *judgement, struct error *err)
{
    int64_t count = 0;
    struct rows rows;
    int got;

    if (store_ask(load->store, COUNT_OUTCOMES, &count, err, INTEGER(id)) < 0 ||
        rows_open(load->store, &rows, SELECT_OUTCOMES, load->arena, load->names, err, INTEGER(id)) < 0)
        return -1;
    judgement->outcomes = arena_array(load->arena, struct outcome, (size_t)count);
    while ((got = rows_next(&rows, err)) > 0) {
        if (judgement->outcome_count < (size_t)count)
            take_outcome(&rows, load->record->plan, &judgement->outcomes[judgement->outcome_count++]);
        else
            rows_damage(&rows, "more outcomes than were counted");
    }
    return got;
}

static int compare_gates(const void *a, const void *b)
{
    const struct outcome *left = a, *right = b;

    if (left->step != right->step)
        return left->step < right->step ? -1 : 1;
    return left->slot < right->slot ? -1 : left->slot > right->slot;
}

static void name_waiver(struct load *load, struct rows *rows, size_t step, size_t slot, const char *uuid)
{
    const struct outcome wanted = {.step = step, .slot = slot};
    struct record *record = load->record;
    const struct waiver *waiver = NULL;
    /* They were loaded in this order, and are many. */
    struct outcome *outcome = bsearch(&wanted, record->judgement.outcomes, record->judgement.outcome_count,
                                      sizeof wanted, compare_gates);

    for (size_t i = 0; i < record->waivers.count; i++)
        if (strcmp(record->waivers.items[i].uuid, uuid) == 0)
            waiver = &record->waivers.items[i];
    if (waiver == NULL || outcome == NULL || outcome->word != OUTCOME_FAIL)
        rows_damage(rows, "waiver %s covers no fail of this run", uuid);
    else if (!waiver->foreign ||
             waiver->adopted.made > 0) /* another party's covers nothing until it is adopted */
        outcome->waiver = waiver;
}

static int load_outcome_waivers(struct load *load, int64_t id, struct error *err)
{
    size_t steps = load->record->plan->steps.count;
    struct rows rows;
    int got;

    if (rows_open(load->store, &rows, SELECT_OUTCOME_WAIVERS, load->arena, NULL, err, INTEGER(id)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        size_t step = take_index(&rows, steps, "step"), slot = take_count(&rows);
        const char *uuid = take_text(&rows);

        if (rows.damage[0] == '\0')
            name_waiver(load, &rows, step, slot, uuid);
    }
    return got;
}

static void take_verdict(struct rows *rows, struct verdict *verdict)
{
    verdict->scope = take_text(rows);
    verdict->name = take_text(rows);
    verdict->word = (enum verdict_word)take_enum(rows, &vocabulary_verdict);
    verdict->pass = take_count(rows);
    verdict->fail = take_count(rows);
    verdict->inconclusive = take_count(rows);
    verdict->not_run = take_count(rows);
    verdict->recorded = take_count(rows);
    verdict->accused = take_count(rows);
    verdict->waived = take_count(rows);
}

static int load_verdicts(struct load *load, int64_t id, struct error *err)
{
    struct judgement *judgement = &load->record->judgement;
    int64_t count = 0;
    struct rows rows;
    int got;

    if (store_ask(load->store, COUNT_VERDICTS, &count, err, INTEGER(id)) < 0 ||
        rows_open(load->store, &rows, SELECT_VERDICTS, load->arena, NULL, err, INTEGER(id)) < 0)
        return -1;
    judgement->verdicts = arena_array(load->arena, struct verdict, (size_t)count);
    while ((got = rows_next(&rows, err)) > 0) {
        if (judgement->verdict_count < (size_t)count)
            take_verdict(&rows, &judgement->verdicts[judgement->verdict_count++]);
        else
            rows_damage(&rows, "more verdicts than were counted");
    }
    return got;
}

static int load_searches(struct load *load, int64_t id, struct error *err)
{
    struct judgement *judgement = &load->record->judgement;
    int64_t count = 0;
    struct rows rows;
    int got;

    if (store_ask(load->store, COUNT_SEARCHES, &count, err, INTEGER(id)) < 0 ||
        rows_open(load->store, &rows, SELECT_SEARCHES, load->arena, load->names, err, INTEGER(id)) < 0)
        return -1;
    judgement->searches = arena_array(load->arena, struct search, (size_t)count);
    while ((got = rows_next(&rows, err)) > 0) {
        struct search *search;

        if (judgement->search_count == (size_t)count) {
            rows_damage(&rows, "more searches than were counted");
            continue;
        }
        search = &judgement->searches[judgement->search_count++];
        search->step = take_index(&rows, load->record->plan->steps.count, "step");
        search->metric = take_word(&rows);
        search->size_bytes = take_real(&rows);
        search->conclusion = take_reason(&rows);
        search->candidates = take_reason(&rows);
    }
    return got;
}

static void take_accusation(struct load *load, struct rows *rows, struct accusation *accusation)
{
    size_t steps = load->record->plan->steps.count;

    accusation->step = take_index(rows, steps, "step");
    accusation->kind = (enum accused_kind)take_enum(rows, &vocabulary_accused);
    accusation->subject = take_text(rows);
    accusation->place = (enum accused_place)take_enum(rows, &vocabulary_place);
    accusation->intermittent = take_bool(rows);
    accusation->slow_tests = take_unsigned(rows);
    accusation->fast_tests = take_unsigned(rows);
    accusation->doubt = take_real(rows);
    accusation->step_count = take_index(rows, steps + 1, "number of steps");
    accusation->steps = arena_array(load->arena, size_t, accusation->step_count);
}

static int load_accusation_steps(struct load *load, int64_t id, struct error *err)
{
    const struct judgement *judgement = &load->record->judgement;
    struct rows rows;
    int got;

    if (rows_open(load->store, &rows, SELECT_ACCUSATION_STEPS, load->arena, NULL, err, INTEGER(id)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        size_t at = take_index(&rows, judgement->accusation_count, "accusation"), n;

        if (rows.damage[0] != '\0')
            continue;
        n = take_index(&rows, judgement->accusations[at].step_count, "step of an accusation");
        if (rows.damage[0] == '\0')
            judgement->accusations[at].steps[n] = take_index(&rows, load->record->plan->steps.count, "step");
    }
    return got;
}

static int load_accusations(struct load *load, int64_t id, struct error *err)
{
    struct judgement *judgement = &load->record->judgement;
    int64_t count = 0;
    struct rows rows;
    int got;

    if (store_ask(load->store, COUNT_ACCUSATIONS, &count, err, INTEGER(id)) < 0 ||
        rows_open(load->store, &rows, SELECT_ACCUSATIONS, load->arena, NULL, err, INTEGER(id)) < 0)
        return -1;
    judgement->accusations = arena_array(load->arena, struct accusation, (size_t)count);
    while ((got = rows_next(&rows, err)) > 0) {
        if (judgement->accusation_count < (size_t)count)
            take_accusation(load, &rows, &judgement->accusations[judgement->accusation_count++]);
        else
            rows_damage(&rows, "more accusations than were counted");
    }
    return got < 0 ? -1 : load_accusation_steps(load, id, err);
}

/* Who asks how it went asks the first. */
static int check_verdicts(const struct load *load, struct error *err)
{
    const struct judgement *judgement = &load->record->judgement;

    if (judgement->verdict_count > 0 && strcmp(judgement->verdicts[0].scope, "run") == 0)
        return 0;
    return store_damage(load->store, err, "judgement %s has no verdict of its run", judgement->uuid);
}

static void take_inputs(struct rows *rows, struct judgement *judgement)
{
    const char *inputs = take_text(rows);
    size_t length = inputs != NULL ? strlen(inputs) : 0;

    if (length >= sizeof judgement->inputs)
        rows_damage(rows, "a hash of %zu characters", length);
    else
        memcpy(judgement->inputs, inputs != NULL ? inputs : "", length + 1);
}

static int load_alone(struct load *load, int64_t id, struct error *err)
{
    struct judgement *judgement = &load->record->judgement;
    enum verdict_word *alone;
    struct rows rows;
    int got;

    if (!reason_is(judgement->baselines, judged_as_one_with))
        return 0;
    if (rows_open(load->store, &rows, SELECT_JUDGED_ALONE, load->arena, NULL, err, INTEGER(id)) < 0)
        return -1;
    got = rows_next(&rows, err);
    if (got <= 0)
        return got;
    alone = arena_new(load->arena, enum verdict_word);
    *alone = (enum verdict_word)take_enum(&rows, &vocabulary_verdict);
    judgement->alone = alone;
    return rows_next(&rows, err);
}

int load_judgement(struct load *load, struct error *err)
{
    struct judgement *judgement = &load->record->judgement;
    struct rows rows;
    int64_t id;
    int got;

    if (rows_open(load->store, &rows, SELECT_JUDGEMENT, load->arena, NULL, err,
                  INTEGER(load->record->number)) < 0)
        return -1;
    got = rows_next(&rows, err);
    if (got <= 0)
        return got;
    id = take_integer(&rows);
    judgement->uuid = take_text(&rows);
    judgement->baselines = take_reason(&rows);
    judgement->now = take_real(&rows);
    take_inputs(&rows, judgement);
    rows_close(&rows);
    if (rows.damage[0] != '\0')
        return store_damage(load->store, err, "judgement: %s", rows.damage);
    if (load_documents(load->store, load->arena, SELECT_JUDGEMENT_DOCUMENTS, id, &judgement->documents, err) <
        0)
        return -1;
    if (load_outcomes(load, id, judgement, err) < 0 || load_outcome_waivers(load, id, err) < 0 ||
        load_verdicts(load, id, err) < 0 || check_verdicts(load, err) < 0 || load_searches(load, id, err) < 0)
        return -1;
    return load_accusations(load, id, err) < 0 ? -1 : load_alone(load, id, err);
}

int store_load_as_came(struct store *store, struct record *record, struct judgement *ret_judgement,
                       struct error *err)
{
    struct load load = {.store = store, .arena = record->arena, .record = record};
    int64_t id = 0;

    *ret_judgement = (struct judgement){0};
    load.names = names_create(store, load.arena);
    return store_ask(store, SELECT_JUDGEMENT_OF_ORIGIN, &id, err, INTEGER(record->number)) < 0
               ? -1
               : load_outcomes(&load, id, ret_judgement, err);
}
