/* SPDX-License-Identifier: Apache-2.0 */
/* What two runs say of the same items. Numbers are for judge_history, which knows the noise. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/model/compare.h"
#include "judge_private.h"

struct row {
    const char *target;
    const struct reason *target_said;
    const struct shape *shape;
    const struct slot *slot;
    const struct outcome *outcome;
};

static int compare_rows(const struct row *a, const struct row *b)
{
    int order = strcmp(a->target, b->target);

    order = order != 0 ? order : strcmp(a->shape->suite_step, b->shape->suite_step);
    order = order != 0 ? order : strcmp(a->slot->metric, b->slot->metric);
    order = order != 0 ? order : strcmp(a->slot->subject, b->slot->subject);
    return order != 0 ? order : strcmp(a->slot->at, b->slot->at);
}

static int compare_for_sort(const void *a, const void *b)
{
    return compare_rows(a, b);
}

/* What the suite asked for; what was added to find a fault is no item of its own. */
static struct row *rows_of(struct arena *arena, const struct record *record, size_t *ret_count)
{
    const struct judgement *judgement = &record->judgement;
    struct row *rows = arena_array(arena, struct row, judgement->outcome_count);
    const struct reason *said = NULL;
    const char *target = "";

    *ret_count = 0;
    for (size_t i = 0; i < judgement->outcome_count; i++) {
        const struct outcome *outcome = &judgement->outcomes[i];
        const struct step *step = &record->plan->steps.items[outcome->step];

        if (i == 0 || outcome->step != judgement->outcomes[i - 1].step) {
            said = step_target_said(arena, step);
            target = reason_english(arena, said);
        }
        if (step->origin == ORIGIN_SUITE || step->origin == ORIGIN_LEFT_OUT)
            rows[(*ret_count)++] =
                (struct row){target, said, step->shape, &step->shape->slots[outcome->slot], outcome};
    }
    if (*ret_count > 0)
        qsort(rows, *ret_count, sizeof *rows, compare_for_sort);
    return rows;
}

/* An item without a verdict of its own is no better than any that has one: a gate that is lost is worse, whatever it
   had said. */
static int compare_words(enum outcome_word before, enum outcome_word after)
{
    if (before == OUTCOME_RECORDED && after != OUTCOME_RECORDED)
        return after > OUTCOME_PASS ? 1 : 0;
    if (after == OUTCOME_RECORDED && before != OUTCOME_RECORDED)
        return 1;
    return (after > before) - (after < before);
}

/* What only tells the hosts of one run apart, as which boot answered, is another one after each reboot; how far a clock
   was off the controller's, in each run. */
static bool is_of_its_run(const struct slot *slot)
{
    return slot->own_count == 1 && (slot->own[0].rule == RULE_DISTINCT || slot->own[0].rule == RULE_NEAR);
}

static struct item_change change_of(const struct row *row, const struct outcome *before,
                                    const struct outcome *after)
{
    return (struct item_change){.target = row->target,
                                .target_said = row->target_said,
                                .slot = row->slot,
                                .suite_step = row->shape->suite_step,
                                .before = before,
                                .after = after};
}

static void compare_item(struct arena *arena, const struct row *before, const struct row *after,
                         struct comparison *comparison)
{
    const struct item_change change = change_of(after, before->outcome, after->outcome);
    int order = compare_words(before->outcome->word, after->outcome->word);

    if (order > 0)
        *list_push(arena, &comparison->worse) = change;
    else if (before->outcome->word == OUTCOME_RECORDED && after->outcome->word == OUTCOME_PASS)
        *list_push(arena, &comparison->judged) = change;
    else if (order < 0)
        *list_push(arena, &comparison->better) = change;
    else if (!is_of_its_run(after->slot) && isnan(before->outcome->value) && isnan(after->outcome->value) &&
             before->outcome->measured != NULL && after->outcome->measured != NULL &&
             !reason_says_the_same(arena, before->outcome->measured, after->outcome->measured))
        *list_push(arena, &comparison->texts) = change;
    else
        comparison->same++;
}

void judge_compare(struct arena *arena, const struct record *before, const struct record *after,
                   struct comparison *ret_comparison)
{
    size_t before_count, after_count, i = 0, k = 0;
    const struct row *left = rows_of(arena, before, &before_count),
                     *right = rows_of(arena, after, &after_count);

    *ret_comparison = (struct comparison){0};
    while (i < before_count || k < after_count) {
        int order = i == before_count ? 1 : k == after_count ? -1 : compare_rows(&left[i], &right[k]);

        if (order == 0)
            compare_item(arena, &left[i], &right[k], ret_comparison);
        else if (order < 0)
            *list_push(arena, &ret_comparison->gone) = change_of(&left[i], left[i].outcome, NULL);
        else
            *list_push(arena, &ret_comparison->added) = change_of(&right[k], NULL, right[k].outcome);
        i += order <= 0;
        k += order >= 0;
    }
    ret_comparison->only_before = ret_comparison->gone.count;
    ret_comparison->only_after = ret_comparison->added.count;
}
