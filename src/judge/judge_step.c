/* SPDX-License-Identifier: Apache-2.0 */
/* One step while its run goes on: whether it is due again, and who is to blame so far. What only whole runs can tell is left open. */
#include <math.h>

#include "assay/base/cleanup.h"

#include "whole_run.h"

/* Attempts that end in no time would make as many as there is time for; so many are two weeks of five minutes. */
enum { SLICES_MOST = 5000 };

/* A crash, a hang or, of what changes nothing, a broken connection is tried again as often as the suite allows, and a
   good attempt as often as it owes. */
static bool is_due_again(struct arena *arena, const struct step *step, const struct step_attempts *attempts)
{
    const struct shape *shape = step->shape;
    unsigned whole = 0, broken = 0;
    enum attempt_kind last = KIND_NOT_RUN;

    for (size_t i = 0; i < attempts->count; i++) {
        last = attempt_bearing(arena, attempts->items[i]).kind;
        whole += last == KIND_WHOLE;
        broken += last == KIND_CRASH || last == KIND_HANG || last == KIND_CUT_OFF;
    }
    if (last == KIND_CRASH || last == KIND_HANG || (last == KIND_CUT_OFF && shape->passive))
        return broken <= shape->retries;
    if (last == KIND_WHOLE && shape->repeat_for_s > 0)
        return whole < SLICES_MOST && slices_worked_s(arena, attempts) < step_repeat_for_s(step);
    return last == KIND_WHOLE && whole < shape->repeat;
}

/* An item that fails or is doubtful is tested again, so that an intermittent fault is told from a steady one and a doubt
   is settled. Not what broke off: that has retries; nor what never came to the host. */
static bool is_due_for_retest(struct arena *arena, const struct shape *shape,
                              const struct step_attempts *attempts)
{
    unsigned tests = 0;
    bool last = false;

    for (size_t i = 0; i < attempts->count; i++) {
        enum attempt_kind kind = attempt_bearing(arena, attempts->items[i]).kind;
        enum attempt_end end = attempts->items[i]->end;

        last = kind == KIND_WHOLE ||
               (kind == KIND_UNDECIDED && (end == ATTEMPT_RAN || end == ATTEMPT_NOT_READY));
        tests += last;
    }
    return last && tests < shape->repeat + shape->retests;
}

/* Of the first so many of the record, from the last of them to the step's first: while a run goes on a step's attempts are
   among the last of thousands. */
static struct step_attempts attempts_of(struct arena *arena, const struct record *record, size_t step,
                                        size_t among)
{
    LIST_OF(const struct attempt *) found = {0};
    bool all = false;

    for (size_t i = among; i > 0 && !all; i--) {
        const struct attempt *attempt = &record->attempts.items[i - 1];

        if (attempt->step != step)
            continue;
        *list_push(arena, &found) = attempt;
        all = attempt->n == 1;
    }
    for (size_t i = 0; i < found.count / 2; i++) {
        const struct attempt *later = found.items[i];

        found.items[i] = found.items[found.count - 1 - i];
        found.items[found.count - 1 - i] = later;
    }
    return (struct step_attempts){.items = found.items, .count = found.count};
}

static enum step_state judge_among(const struct record *record, const struct run_limits *limits,
                                   size_t step_index, size_t among)
{
    cleanup_arena struct arena *arena = arena_create();
    const struct shape *shape = record->plan->steps.items[step_index].shape;
    struct judged_part part = part_alone(arena, record, limits);
    struct whole_run run = {.arena = arena, .together = {record->plan, &part, 1, NULL}};
    struct outcome *outcomes = arena_array(arena, struct outcome, shape->slot_count);
    struct step_attempts attempts = attempts_of(arena, record, step_index, among);
    enum step_state state = STEP_FAILED;

    if (is_due_again(arena, &record->plan->steps.items[step_index], &attempts)) {
        state = STEP_AGAIN;
    } else if (attempts.count > 0) {
        judge_one(arena, &run, step_index, &attempts, NULL, outcomes);
        if (worst_gate(outcomes, shape->slot_count) <= OUTCOME_PASS)
            state = STEP_PASSED;
        else if (shape->retests > 0 && is_due_for_retest(arena, shape, &attempts))
            state = STEP_AGAIN;
    }
    return state;
}

enum step_state judge_step(const struct record *record, const struct run_limits *limits, size_t step)
{
    return judge_among(record, limits, step, record->attempts.count);
}

enum step_state judge_step_to(const struct record *record, const struct run_limits *limits, size_t step,
                              size_t last)
{
    return judge_among(record, limits, step, last + 1);
}

struct outcome judge_step_worst(struct arena *arena, const struct record *record,
                                const struct run_limits *limits, size_t step_index, size_t *ret_count)
{
    size_t slots = record->plan->steps.items[step_index].shape->slot_count;
    struct judged_part part = part_alone(arena, record, limits);
    struct whole_run run = {.arena = arena, .together = {record->plan, &part, 1, NULL}};
    struct outcome *outcomes = arena_array(arena, struct outcome, slots);
    struct step_attempts attempts = attempts_of(arena, record, step_index, record->attempts.count);
    struct outcome worst = {
        .step = step_index, .word = OUTCOME_NOT_RUN, .value = NAN, .held = &held_to_nothing};
    size_t count = 0;

    if (attempts.count > 0)
        judge_one(arena, &run, step_index, &attempts, NULL, outcomes);
    for (size_t i = 0; attempts.count > 0 && i < slots; i++) {
        if (count == 0 || outcomes[i].word > worst.word) {
            worst = outcomes[i];
            count = 0;
        }
        count += outcomes[i].word == worst.word;
    }
    *ret_count = count;
    return worst;
}

void judge_step_culprits(struct arena *arena, const struct record *record, const struct run_limits *limits,
                         size_t step_index, struct blamed_list *ret_blamed)
{
    const struct step *step = &record->plan->steps.items[step_index];
    struct judged_part part = part_alone(arena, record, limits);
    struct whole_run run = {.arena = arena, .together = {record->plan, &part, 1, NULL}};
    struct outcome *outcomes = arena_array(arena, struct outcome, step->shape->slot_count);
    struct step_attempts attempts = attempts_of(arena, record, step_index, record->attempts.count);

    if (attempts.count == 0)
        return;
    judge_one(arena, &run, step_index, &attempts, NULL, outcomes);
    for (size_t i = 0; i < step->shape->slot_count; i++) {
        struct blamed_list blamed = {0};

        if (outcomes[i].word >= OUTCOME_INCONCLUSIVE)
            blame_find(arena, step, &outcomes[i], &blamed);
        for (size_t k = 0; k < blamed.items.count; k++)
            *list_push(arena, &ret_blamed->items) = blamed.items.items[k];
    }
}
