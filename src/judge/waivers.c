/* SPDX-License-Identifier: Apache-2.0 */
/* Waivers: which failures a person has accepted, at which time. */
#include <fnmatch.h>
#include <string.h>

#include "assay/base/text.h"
#include "assay/model/blame.h"
#include "assay/model/sighting.h"
#include "judge_private.h"

static const char *last_attempt(const struct record *record, size_t step)
{
    for (size_t i = record->attempts.count; i-- > 0;)
        if (record->attempts.items[i].step == step)
            return record->attempts.items[i].uuid;
    return "";
}

static bool has_item(const struct waiver *waiver, const struct slot *slot)
{
    list_each (item, waiver->items)
        if (strcmp(item->metric, slot->metric) == 0 && strcmp(item->subject, slot->subject) == 0 &&
            strcmp(item->at, slot->at) == 0)
            return true;
    return false;
}

static const struct waiver *find_waiver(const struct record *record, const struct outcome *outcome,
                                        const char *attempt, double now)
{
    const struct step *step = &record->plan->steps.items[outcome->step];

    for (size_t i = 0; outcome->word == OUTCOME_FAIL && i < record->waivers.count; i++) {
        const struct waiver *waiver = &record->waivers.items[i];

        if (waiver_in_force(waiver, now) && strcmp(waiver->step_key, step->key) == 0 &&
            strcmp(waiver->attempt, attempt) == 0 && has_item(waiver, &step->shape->slots[outcome->slot]))
            return waiver;
    }
    return NULL;
}

const struct waiver *judge_waiver(const struct record *record, const struct outcome *outcome, double now)
{
    if (record->waivers.count == 0)
        return NULL;
    return find_waiver(record, outcome, last_attempt(record, outcome->step), now);
}

void judge_waivers(struct record *record, const struct step_attempts *attempts)
{
    struct judgement *judgement = &record->judgement;

    judgement->now = record->now;
    for (size_t i = 0; record->waivers.count > 0 && i < judgement->outcome_count; i++) {
        struct outcome *outcome = &judgement->outcomes[i];
        const struct step_attempts *of_step = &attempts[outcome->step];

        if (of_step->count > 0)
            outcome->waiver =
                find_waiver(record, outcome, of_step->items[of_step->count - 1]->uuid, record->now);
    }
}

static void put_attempts(struct text *inputs, const struct record *record)
{
    for (size_t i = 0; i < record->attempts.count; i++)
        text_printf(inputs, "attempt %s\n", record->attempts.items[i].uuid);
}

void judge_inputs(const struct judged_run *runs, size_t count, size_t index)
{
    struct record *record = runs[index].record;
    struct judgement *judgement = &record->judgement;
    cleanup_text struct text inputs = {0};

    text_init(&inputs, 256 << 20);
    text_printf(&inputs, "run %s\nbaselines %s\nnow %.3f\n", record->plan->run_uuid,
                reason_english(record->arena, judgement->baselines), record->now);
    put_attempts(&inputs, record);
    for (size_t i = 0; i < record->waivers.count; i++)
        if (waiver_in_force(&record->waivers.items[i], record->now))
            text_printf(&inputs, "waiver %s\n", record->waivers.items[i].uuid);
    for (size_t i = 0; i < count; i++)
        if (i != index) {
            text_printf(&inputs, "as one with %s\n", runs[i].record->plan->run_uuid);
            put_attempts(&inputs, runs[i].record);
        }
    sha256_hex(inputs.bytes, inputs.length, judgement->inputs);
}

/* -- Making one ------------------------------------------------------------------------------------------------ */

static bool is_named(const struct slot *slot, const char *metric, const char *subject)
{
    return (metric == NULL || fnmatch(metric, slot->metric, 0) == 0) &&
           (*subject == '\0' || strcmp(slot->subject, subject) == 0);
}

/* "gpu3" for gpu3, gpu3.link4 and gpu3->gpu5; "mlx5_0" for mlx5_0/1; "" for a host or the output as a whole. */
static const char *position_of(struct arena *arena, const char *subject)
{
    return arena_strndup(arena, subject, strcspn(subject, "/.-"));
}

/* The hardware that the run saw in that place of the host; else its chassis. */
static const char *hardware_of(const struct record *record, const struct sightings *sightings,
                               const struct host *host, const char *subject)
{
    const char *position = position_of(record->arena, subject), *chassis = "";

    list_each (one, sightings->items) {
        if (record->plan->hosts.items[one->host] != host || !item_kind_is_hardware(one->kind))
            continue;
        if (one->kind == ITEM_CHASSIS)
            chassis = one->identity;
        else if (strcmp(one->position, position) == 0)
            return one->identity;
    }
    return chassis;
}

static int refuse_undecided(const struct record *record, size_t step, enum outcome_word word,
                            struct error *err)
{
    const struct step *of = &record->plan->steps.items[step];

    return error_set(err, ERROR_USAGE,
                     "%s on %s: %s; only a fail can be waived, what was not measured must be measured",
                     of->shape->suite_step, step_target(record->arena, of),
                     word == OUTCOME_INCONCLUSIVE ? "inconclusive"
                     : word == OUTCOME_NOT_RUN    ? "not run"
                                                  : "nothing of that failed");
}

static int refuse_accused(const struct record *record, size_t step, struct error *err)
{
    const struct judgement *judgement = &record->judgement;

    for (size_t i = 0; i < judgement->accusation_count; i++)
        if (judgement->accusations[i].step == step)
            return error_set(
                err, ERROR_USAGE,
                "%s is slow because of %s %s, as partial tests have shown: a suspect found this way cannot "
                "be waived; have it fixed, or replace it by a spare, and run again",
                record->plan->steps.items[step].shape->suite_step,
                accused_kind_name(judgement->accusations[i].kind), judgement->accusations[i].subject);
    return 0;
}

/* Whether one of the hosts that the fail is about is this one, or another one. */
static bool is_about(const struct blamed_list *blamed, const char *host, bool other)
{
    for (size_t i = 0; i < blamed->items.count; i++)
        if ((strcmp(blamed->items.items[i].host->name, host) != 0) == other)
            return true;
    return false;
}

/* Those that failed and are not waived yet; returns the worst word among all that are named. What a test across hosts says of
   other hosts is none of the host's; what it says of it and others, in one, is left out, and told by ret_shared. */
static enum outcome_word take_failed(struct record *record, size_t step_index, const char *host,
                                     const char *metric, const char *subject, struct waiver *waiver,
                                     bool *ret_shared)
{
    const struct judgement *judgement = &record->judgement;
    const struct step *step = &record->plan->steps.items[step_index];
    enum outcome_word worst = OUTCOME_RECORDED;
    struct sightings sightings;

    sightings_of_record(record->arena, record, &sightings);
    array_each (outcome, judgement->outcomes, judgement->outcome_count) {
        const struct slot *slot;
        struct blamed_list blamed;

        if (outcome->step != step_index)
            continue;
        slot = &step->shape->slots[outcome->slot];
        if (!is_named(slot, metric, subject))
            continue;
        blamed = (struct blamed_list){0};
        blame_find(record->arena, step, outcome, &blamed);
        if (host != NULL && blamed.items.count > 0 && !is_about(&blamed, host, false))
            continue;
        worst = outcome->word > worst ? outcome->word : worst;
        if (host != NULL && outcome->word == OUTCOME_FAIL && is_about(&blamed, host, true))
            *ret_shared = true;
        else if (outcome->word == OUTCOME_FAIL && outcome->waiver == NULL)
            *list_push(record->arena, &waiver->items) = (struct waived_item){
                slot->metric, slot->subject, slot->at,
                hardware_of(record, &sightings,
                            blamed.items.count > 0 ? blamed.items.items[0].host : step->members[0],
                            slot->subject)};
    }
    return worst;
}

int judge_waive(struct record *record, size_t step_index, const char *host, const char *metric,
                const char *subject, struct waiver *ret_waiver, struct error *err)
{
    const struct step *step = &record->plan->steps.items[step_index];
    enum outcome_word worst;
    bool shared = false;

    *ret_waiver = (struct waiver){.step_key = step->key, .attempt = last_attempt(record, step_index)};
    if (refuse_accused(record, step_index, err) < 0)
        return -1;
    worst = take_failed(record, step_index, host, metric, subject, ret_waiver, &shared);
    if (ret_waiver->items.count > 0)
        return 0;
    if (shared)
        return error_set(
            err, ERROR_USAGE,
            "%s on %s failed by %s and by others of its hosts: what is wrong with several cannot be waived for "
            "one; have the others fixed, and run again",
            step->shape->suite_step, step_target(record->arena, step), host);
    if (worst == OUTCOME_FAIL)
        return error_set(err, ERROR_USAGE,
                         "%s on %s: all that failed there is waived already; `assay waive --list` shows it",
                         step->shape->suite_step, step_target(record->arena, step));
    return refuse_undecided(record, step_index, worst, err);
}
