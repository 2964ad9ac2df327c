/* SPDX-License-Identifier: Apache-2.0 */
/* What each run showed of each requirement: the steps of the same name on the same members. */
#include <stdlib.h>
#include <string.h>

#include "acceptance_private.h"
#include "assay/base/text.h"
#include "judge_private.h"

struct named_step {
    const char *name; /* the suite's step, its variant, its members */
    size_t index;     /* of a requirement, or of a step of the run */
};

static int compare_names(const void *a, const void *b)
{
    const struct named_step *left = a, *right = b;

    return strcmp(left->name, right->name);
}

/* The head may be another: it is the same test. */
static const char *name_of(struct arena *arena, const struct step *step)
{
    const char **members = arena_array(arena, const char *, step->member_count);
    cleanup_text struct text name = {0};

    text_init(&name, 1 << 20);
    text_printf(&name, "%s\x1f%s", step->shape->suite_step, step->shape->variant);
    for (size_t i = 0; i < step->member_count; i++)
        members[i] = step->members[i]->name;
    qsort(members, step->member_count, sizeof *members, text_compare);
    for (size_t i = 0; i < step->member_count; i++)
        text_printf(&name, "\x1f%s", members[i]);
    return arena_strndup(arena, name.bytes, name.length);
}

enum outcome_word shown_word(const struct record *record, size_t first, size_t step)
{
    const struct judgement *judgement = &record->judgement;
    const struct shape *shape = record->plan->steps.items[step].shape;
    enum outcome_word worst = OUTCOME_RECORDED;

    for (size_t i = first; i < judgement->outcome_count && judgement->outcomes[i].step == step; i++)
        if (shape->slots[judgement->outcomes[i].slot].duty == DUTY_GATE &&
            judgement->outcomes[i].word > worst)
            worst = judgement->outcomes[i].word;
    for (size_t i = 0; i < judgement->accusation_count; i++)
        if (judgement->accusations[i].step == step)
            worst = OUTCOME_FAIL;
    return worst;
}

static bool has_gate(const struct shape *shape)
{
    for (size_t i = 0; i < shape->slot_count; i++)
        if (shape->slots[i].duty == DUTY_GATE)
            return true;
    return false;
}

static bool is_of_suite(const struct step *step)
{
    return step->origin == ORIGIN_SUITE || step->origin == ORIGIN_SUBSTITUTE;
}

double attempt_asked(const struct attempt *attempt)
{
    return attempt->sent > 0 ? attempt->sent : attempt->began;
}

/* When it was tried, and how often it was read whole. */
static void take_attempts(struct acceptance *acceptance, const struct step_attempts *attempts,
                          struct shown *shown)
{
    for (size_t i = 0; i < attempts->count; i++) {
        const struct attempt *attempt = attempts->items[i];
        enum attempt_kind kind;

        if (i == 0)
            shown->began = attempt_asked(attempt);
        shown->ended = attempt->ended;
        kind = attempt_bearing(acceptance->arena, attempt).kind;
        shown->passes += shown->word == OUTCOME_PASS && kind == KIND_WHOLE;
        shown->crashes += kind == KIND_CRASH;
        shown->hangs += kind == KIND_HANG;
    }
}

static void show_run(struct acceptance *acceptance, struct named_step *owed, size_t run)
{
    const struct record *record = acceptance->runs.items[run];
    const struct judgement *judgement = &record->judgement;
    const struct step_attempts *attempts = attempts_by_step(acceptance->arena, record);

    for (size_t i = 0; i < judgement->outcome_count;) {
        size_t first = i, step = judgement->outcomes[i].step;
        struct named_step key, *found;
        struct shown *shown;
        enum outcome_word word;

        while (i < judgement->outcome_count && judgement->outcomes[i].step == step)
            i++;
        word = shown_word(record, first, step);
        if (!is_of_suite(&record->plan->steps.items[step]) || word == OUTCOME_NOT_RUN)
            continue;
        key.name = name_of(acceptance->arena, &record->plan->steps.items[step]);
        found = bsearch(&key, owed, acceptance->requirements.count, sizeof *owed, compare_names);
        if (found == NULL)
            continue;
        shown = list_push(acceptance->arena, &acceptance->requirements.items[found->index].shown);
        *shown = (struct shown){.run = run, .step = step, .first = first, .word = word};
        take_attempts(acceptance, &attempts[step], shown);
    }
}

void find_shown(struct acceptance *acceptance)
{
    const struct plan *plan = acceptance->plan;
    struct named_step *owed = arena_array(acceptance->arena, struct named_step, plan->steps.count);
    size_t count = 0;

    for (size_t i = 0; i < plan->steps.count; i++)
        if (has_gate(plan->steps.items[i].shape) && plan->steps.items[i].origin == ORIGIN_SUITE) {
            list_push(acceptance->arena, &acceptance->requirements)->step = i;
            owed[count] = (struct named_step){name_of(acceptance->arena, &plan->steps.items[i]), count};
            count++;
        }
    if (count > 0)
        qsort(owed, count, sizeof *owed, compare_names);
    for (size_t run = 0; run < acceptance->runs.count; run++)
        show_run(acceptance, owed, run);
}
