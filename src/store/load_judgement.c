/* SPDX-License-Identifier: Apache-2.0 */
/* The last judgement of a run: outcomes in plan order, then verdicts. */
#include <string.h>

#include "store_private.h"

static void take_outcome(struct rows *rows, const struct plan *plan, struct outcome *outcome)
{
    outcome->step = take_index(rows, plan->steps.count, "step");
    if (rows->damage[0] != '\0')
        return;
    outcome->slot = take_index(rows, plan->steps.items[outcome->step].shape->slot_count, "slot");
    outcome->word = (enum outcome_word)take_enum(rows, &vocabulary_outcome);
    outcome->cause = take_text(rows);
    outcome->remedy = take_word(rows);
    outcome->measured = take_text(rows);
    outcome->value = take_real(rows);
    outcome->limit = take_word(rows);
    outcome->gate = take_word(rows);
    outcome->source = take_word(rows);
    outcome->status = take_word(rows);
    outcome->remark = take_bool(rows);
}

static int load_outcomes(struct load *load, int64_t id, struct error *err)
{
    struct judgement *judgement = &load->record->judgement;
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

static void take_verdict(struct rows *rows, struct verdict *verdict)
{
    verdict->scope = take_text(rows);
    verdict->name = take_text(rows);
    verdict->word = (enum verdict_word)take_enum(rows, &vocabulary_verdict);
    verdict->pass = (size_t)take_integer(rows);
    verdict->fail = (size_t)take_integer(rows);
    verdict->inconclusive = (size_t)take_integer(rows);
    verdict->not_run = (size_t)take_integer(rows);
    verdict->recorded = (size_t)take_integer(rows);
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
    judgement->baselines = take_text(&rows);
    rows_close(&rows);
    if (rows.damage[0] != '\0')
        return store_damage(load->store, err, "judgement: %s", rows.damage);
    if (load_outcomes(load, id, err) < 0)
        return -1;
    return load_verdicts(load, id, err);
}
