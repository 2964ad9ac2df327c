/* SPDX-License-Identifier: Apache-2.0 */
/* Whole runs, one or several together: every slot of every step gets an outcome, and hosts, units and runs their verdicts.
   What others have is asked of all runs where it is comparable: a value, a part, a rate. What was measured by a run's own
   controller, rack, jump host or fabric is asked of that run alone. */
#include "assay/judge/judge.h"

#include <math.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/reasons/any.h"
#include "assay/reasons/judge.h"
#include "assay/reasons/words.h"

#include "whole_run.h"

enum outcome_word worst_gate(const struct outcome *outcomes, size_t count)
{
    enum outcome_word worst = OUTCOME_RECORDED;

    for (size_t i = 0; i < count; i++)
        if (outcomes[i].word > worst)
            worst = outcomes[i].word;
    return worst;
}

void judge_one(struct arena *arena, struct whole_run *run, size_t step_index,
               const struct step_attempts *attempts, const enum outcome_word *worst, struct outcome *outcomes)
{
    const struct step *step = &run->together.plan->steps.items[step_index];
    const struct reason *not_run =
        attempts->count == 0 ? whole_why_not_run(arena, run, step_index, worst) : NULL;
    struct limits_book *book = &together_part(&run->together, step_index)->book;
    const struct step_attempts tried = attempts_tried(arena, attempts);

    for (size_t i = 0; i < step->shape->slot_count; i++) {
        const struct slot_limits *of_slot = limits_book_find(book, step->shape, i);
        struct slot_limits own = *of_slot;

        if (not_run == NULL && step->origin == ORIGIN_ISOLATE) {
            slot_limits_own(arena, &step->shape->slots[i], &own);
            of_slot = &own;
        }
        if (not_run == NULL) {
            slot_outcome(arena, step, step_index, i, of_slot, &tried,
                         run->together.attempts != NULL ? run : NULL, &outcomes[i]);
            continue;
        }
        outcomes[i] = (struct outcome){
            .step = step_index,
            .slot = i,
            .word = step->shape->slots[i].duty == DUTY_GATE ? OUTCOME_NOT_RUN : OUTCOME_RECORDED,
            .cause = not_run,
            .value = NAN,
            .held = &held_to_nothing,
        };
    }
}

static void keep_held(struct arena *arena, struct outcome *outcome)
{
    struct held_to *held = outcome_held_own(arena, outcome);

    held->limit = reason_copy(arena, held->limit);
    held->gate = reason_copy(arena, held->gate);
    held->source = reason_copy(arena, held->source);
}

static const struct reason *keep(struct arena *arena, const struct reason *reason,
                                 const struct reason *before)
{
    return reason_equal(reason, before) ? before : reason_copy(arena, reason);
}

/* Judging an item leaves several times of what is kept of it behind; and most hosts are told the same as the one
   before them. The words of limits are in a book that stays, except of what has only its own. */
static void judge_aside(struct arena *aside, struct whole_run *run, size_t step_index,
                        const enum outcome_word *worst, struct outcome *outcomes)
{
    static const struct outcome nothing;
    const struct step *step = &run->together.plan->steps.items[step_index];
    size_t slots = step->shape->slot_count;
    bool again = step_index > 0 && step[-1].shape == step->shape;

    judge_one(aside, run, step_index, &run->together.attempts[step_index], worst, outcomes);
    for (size_t i = 0; i < slots; i++) {
        struct outcome *outcome = &outcomes[i];
        const struct outcome *before = again ? outcome - slots : i > 0 ? outcome - 1 : &nothing;

        outcome->cause = keep(run->arena, outcome->cause, before->cause);
        outcome->remedy = keep(run->arena, outcome->remedy, before->remedy);
        outcome->measured = keep(run->arena, outcome->measured, before->measured);
        if (step->origin == ORIGIN_ISOLATE ? outcome->held != &held_to_nothing
                                           : reason_is(outcome->held->gate, gate_of_metric))
            keep_held(run->arena, outcome);
    }
    arena_clear(aside);
}

/* The digits of a hash that are told. */
enum { HASH_SHOWN = 16 };

/* NULL where there is none. */
static const struct reason *baseline_names(struct arena *arena, const struct run_limits *limits)
{
    const struct reason *names = NULL;

    for (size_t i = 0; i < limits->baselines.count; i++) {
        const struct baseline *baseline = limits->baselines.items[i].baseline;
        const struct reason *name;
        char hash[SHA256_HEX_SIZE];

        if (baseline == NULL)
            continue;
        sha256_hex(baseline->bytes.bytes, baseline->bytes.length, hash);
        hash[HASH_SHOWN] = '\0';
        name = reason(arena, baseline_for, baseline->name, limits->baselines.items[i].platform->name, hash);
        names = names == NULL ? name : reason(arena, clause, names, name);
    }
    return names;
}

/* What it was judged against, and which clauses nothing here measured. */
static const struct reason *judged_against(struct arena *arena, const struct run_limits *limits,
                                           const struct plan *plan)
{
    const struct reason *names = baseline_names(arena, limits), *contract;
    char hash[SHA256_HEX_SIZE];
    const char *idle;

    if (names == NULL)
        names = REASON(word_none);
    if (limits->contract == NULL)
        return names;
    sha256_hex(limits->contract->bytes.bytes, limits->contract->bytes.length, hash);
    hash[HASH_SHOWN] = '\0';
    contract = reason(arena, contract_of, limits->contract->name, hash);
    idle = contract_idle_text(arena, limits, plan);
    if (*idle != '\0')
        contract = reason(arena, contract_with_idle_clauses, contract, idle);
    return reason(arena, clause, contract, names);
}

/* "run 5 (UUID), run 6 (UUID)": all but one. */
static const struct reason *name_runs(struct arena *arena, const struct judged_run *runs, size_t count,
                                      const struct judged_run *but)
{
    const struct reason *first, *second;

    if (count == 1)
        return runs == but ? NULL : reason(arena, run_and_uuid, runs->record->number, runs->record->uuid);
    first = name_runs(arena, runs, count / 2, but);
    second = name_runs(arena, runs + count / 2, count - count / 2, but);
    if (first == NULL || second == NULL)
        return first == NULL ? second : first;
    return reason(arena, clause, first, second);
}

static const struct reason *judged_beside(const struct judged_run *runs, size_t count, size_t index)
{
    const struct record *record = runs[index].record;
    const struct reason *against = judged_against(record->arena, runs[index].limits, record->plan),
                        *others = name_runs(record->arena, runs, count, &runs[index]);

    return others == NULL ? against : reason(record->arena, judged_as_one_with, against, others);
}

/* Of all steps of all runs, in their order; each run's are a piece of it. */
static struct judgement outcomes_of_all(struct whole_run *run)
{
    const struct plan *plan = run->together.plan;
    enum outcome_word *worst = arena_array(run->arena, enum outcome_word, plan->steps.count);
    cleanup_arena struct arena *aside = arena_create();
    struct judgement judgement = {0};

    for (size_t i = 0; i < plan->steps.count; i++)
        judgement.outcome_count += plan->steps.items[i].shape->slot_count;
    judgement.outcomes = arena_array(run->arena, struct outcome, judgement.outcome_count);
    for (size_t i = 0, at = 0; i < plan->steps.count; i++) {
        size_t slots = plan->steps.items[i].shape->slot_count;

        judge_aside(aside, run, i, worst, judgement.outcomes + at);
        worst[i] = worst_gate(judgement.outcomes + at, slots);
        at += slots;
    }
    return judgement;
}

/* The piece of one run, by its own plan's steps; what is behind it is left of *all. */
static void take_own(const struct judged_part *part, struct judgement *all, struct judgement *own)
{
    own->outcomes = all->outcomes;
    while (own->outcome_count < all->outcome_count &&
           own->outcomes[own->outcome_count].step < part->first_step + part->step_count)
        own->outcomes[own->outcome_count++].step -= part->first_step;
    all->outcomes += own->outcome_count;
    all->outcome_count -= own->outcome_count;
}

static const struct outcome *find_outcome(const struct judgement *judgement, const struct outcome *like,
                                          size_t *near)
{
    while (*near < judgement->outcome_count &&
           (judgement->outcomes[*near].step < like->step ||
            (judgement->outcomes[*near].step == like->step && judgement->outcomes[*near].slot < like->slot)))
        ++*near;
    return *near < judgement->outcome_count && judgement->outcomes[*near].step == like->step &&
                   judgement->outcomes[*near].slot == like->slot
               ? &judgement->outcomes[*near]
               : NULL;
}

/* Who may replace words of an output may replace the one that tells of a fault: what then is not found is not gone. */
static void hold_down(struct arena *arena, const struct judgement *at_best, struct judgement *judgement)
{
    size_t near = 0;

    for (size_t i = 0; at_best != NULL && i < judgement->outcome_count; i++) {
        struct outcome *outcome = &judgement->outcomes[i];
        const struct outcome *then = find_outcome(at_best, outcome, &near);

        if (then == NULL || outcome->word == OUTCOME_RECORDED || then->word <= outcome->word)
            continue;
        outcome->word = then->word;
        outcome->remedy = then->remedy;
        outcome->cause = reason(arena, was_so_before_redaction,
                                then->cause != NULL ? then->cause : REASON(word_not_judged));
    }
}

/* What is told of a run by its outcomes alone. */
static void judge_by_outcomes(const struct judged_run *runs, size_t count, size_t index,
                              struct judged_part *part, const struct step_attempts *attempts)
{
    struct record *record = runs[index].record;
    struct judgement *judgement = &record->judgement;
    struct findings_so_far found;

    judge_searches(record->arena, record, &part->book, attempts, &found);
    judgement->searches = found.searches.items;
    judgement->search_count = found.searches.count;
    judgement->accusations = found.accusations.items;
    judgement->accusation_count = found.accusations.count;
    judge_leaves(record, judgement);
    judge_pairs(record, judgement);
    judge_waivers(record, attempts);
    judge_verdicts(record);
    judge_inputs(runs, count, index);
}

void judge_together(const struct judged_run *runs, size_t count)
{
    cleanup_arena struct arena *arena = arena_create();
    struct whole_run run = {.arena = runs[0].record->arena,
                            .together = bring_together(arena, runs[0].record->arena, runs, count)};
    struct judgement all = outcomes_of_all(&run);

    remark_controllers(&run, &all);
    judge_peers(run.arena, &run.together, runs[0].limits->suite, &all);
    for (size_t i = 0; i < count; i++) {
        struct judged_part *part = &run.together.parts[i];
        struct judgement *judgement = &runs[i].record->judgement;

        *judgement = (struct judgement){.uuid = arena_strdup(run.arena, runs[i].uuid),
                                        .baselines = judged_beside(runs, count, i)};
        take_own(part, &all, judgement);
        hold_down(runs[i].record->arena, runs[i].at_best, judgement);
        judge_by_outcomes(runs, count, i, part, run.together.attempts + part->first_step);
    }
}

void judge_run(struct record *record, const struct run_limits *limits, const char *uuid)
{
    judge_together(&(struct judged_run){.record = record, .limits = limits, .uuid = uuid}, 1);
}
