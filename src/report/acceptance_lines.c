/* SPDX-License-Identifier: Apache-2.0 */
/* What of an acceptance is not settled, and what had failed once: folded over hosts and steps. */
#include <stdlib.h>
#include <string.h>

#include "acceptance_tables.h"
#include "assay/model/acceptance.h"
#include "assay/reasons/model.h"
#include "assay/reasons/report.h"
#include "assay/report/report.h"

struct fold {
    struct acceptance_line line;
    LIST_OF(const char *) names; /* of one host each */
};

struct folds {
    LIST_OF(struct fold) items;
};

static struct fold *find_fold(struct folds *folds, const struct acceptance_line *line)
{
    for (size_t i = 0; i < folds->items.count; i++) {
        struct fold *fold = &folds->items.items[i];

        if (fold->line.state == line->state && fold->names.count > 0 &&
            strcmp(fold->line.step, line->step) == 0 && reason_equal(fold->line.why, line->why))
            return fold;
    }
    return NULL;
}

const struct reason *acceptance_waiver_text(struct arena *arena, const struct waiver *waiver)
{
    return reason(arena, waived_by, waiver->who, time_text(arena, waiver->until), waiver->why, waiver->uuid);
}

static void add_line(struct arena *arena, const struct acceptance *acceptance,
                     const struct requirement *requirement, struct folds *folds)
{
    const struct step *step = &acceptance->plan->steps.items[requirement->step];
    struct acceptance_line line = {.state = requirement->state,
                                   .step = step->shape->suite_step,
                                   .targets = step_target_said(arena, step),
                                   .why = requirement->why};
    struct fold *fold;

    if (requirement->state == REQUIREMENT_WAIVED)
        line.why = acceptance_waiver_text(arena, requirement->waiver);
    fold = step->member_count == 1 ? find_fold(folds, &line) : NULL;
    if (fold == NULL) {
        fold = list_push(arena, &folds->items);
        fold->line = line;
    }
    fold->line.count++;
    if (step->member_count == 1)
        *list_push(arena, &fold->names) = step->members[0]->name;
}

struct keyed_line {
    const char *key;
    size_t number;
};

static int compare_keys(const void *a, const void *b)
{
    const struct keyed_line *left = a, *right = b;
    int order = strcmp(left->key, right->key);

    return order != 0 ? order : (left->number > right->number) - (left->number < right->number);
}

/* Of each line the first one that has its state, reason and targets. */
static const size_t *first_alike(struct arena *arena, const struct acceptance_line *lines, size_t count)
{
    struct keyed_line *keys = arena_array(arena, struct keyed_line, count);
    size_t *first = arena_array(arena, size_t, count);

    for (size_t i = 0; i < count; i++)
        keys[i] = (struct keyed_line){arena_printf(arena, "%d\x1f%s\x1f%s", (int)lines[i].state,
                                                   reason_encode(arena, lines[i].why),
                                                   reason_encode(arena, lines[i].targets)),
                                      i};
    if (count > 0)
        qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < count; i++)
        first[keys[i].number] =
            i > 0 && strcmp(keys[i].key, keys[i - 1].key) == 0 ? first[keys[i - 1].number] : keys[i].number;
    return first;
}

/* One reason is one line, with all steps that it is about: of equal targets the first line takes the others. */
static size_t join_steps(struct arena *arena, struct acceptance_line *lines, size_t count)
{
    const size_t *first = first_alike(arena, lines, count);
    const char **last = arena_array(arena, const char *, count); /* step of each that is kept */
    size_t *place = arena_array(arena, size_t, count);           /* by number: where it is kept */
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        size_t same = first[i] == i ? kept : place[first[i]];

        place[i] = same;
        if (same == kept) {
            lines[kept++] = lines[i];
        } else {
            lines[same].count += lines[i].count;
            if (strcmp(last[same], lines[i].step) != 0)
                lines[same].step = arena_printf(arena, "%s, %s", lines[same].step, lines[i].step);
        }
        last[same] = lines[i].step;
    }
    return kept;
}

size_t acceptance_lines(struct arena *arena, const struct acceptance *acceptance,
                        struct acceptance_line **ret_lines)
{
    struct folds folds = {0};

    for (int state = REQUIREMENT_FAILED; state > REQUIREMENT_PASSED; state--)
        for (size_t i = 0; i < acceptance->requirements.count; i++)
            if ((int)acceptance->requirements.items[i].state == state)
                add_line(arena, acceptance, &acceptance->requirements.items[i], &folds);
    *ret_lines = arena_array(arena, struct acceptance_line, folds.items.count);
    for (size_t i = 0; i < folds.items.count; i++) {
        const struct fold *fold = &folds.items.items[i];

        (*ret_lines)[i] = fold->line;
        if (fold->names.count > 1)
            (*ret_lines)[i].targets = reason(arena, hosts_of_step, fold->names.count,
                                             hostlist_fold(arena, fold->names.items, fold->names.count));
    }
    return join_steps(arena, *ret_lines, folds.items.count);
}

static const struct reason *shown_text(struct arena *arena, const struct acceptance *acceptance,
                                       const struct shown *shown)
{
    const struct reason *word = reason_word(arena, outcome_name(shown->word));
    const struct reason *note = shown->word == OUTCOME_PASS && !shown->counts ? shown->note : NULL;
    long long run = acceptance->runs.items[shown->run]->number;

    if (shown->passes > 1)
        return note != NULL ? reason(arena, run_showed_often_void, run, word, shown->passes, note)
                            : reason(arena, run_showed_often, run, word, shown->passes);
    return note != NULL ? reason(arena, run_showed_void, run, word, note)
                        : reason(arena, run_showed, run, word);
}

static bool has_failed(const struct requirement *requirement)
{
    for (size_t i = 0; i < requirement->shown.count; i++)
        if (requirement->shown.items[i].word == OUTCOME_FAIL)
            return true;
    return false;
}

size_t acceptance_retests(struct arena *arena, const struct acceptance *acceptance,
                          struct acceptance_line **ret_lines)
{
    size_t count = 0;

    *ret_lines = arena_array(arena, struct acceptance_line, acceptance->requirements.count);
    list_each (requirement, acceptance->requirements) {
        const struct step *step = &acceptance->plan->steps.items[requirement->step];
        const struct reason *text = NULL;

        if (!has_failed(requirement))
            continue;
        for (size_t k = 0; k < requirement->shown.count; k++)
            text = reason_also(arena, text, shown_text(arena, acceptance, &requirement->shown.items[k]));
        (*ret_lines)[count++] = (struct acceptance_line){.state = requirement->state,
                                                         .step = step->shape->suite_step,
                                                         .targets = step_target_said(arena, step),
                                                         .why = text,
                                                         .count = 1};
    }
    return count;
}

const struct reason *acceptance_verdict_text(struct arena *arena, const struct acceptance *acceptance)
{
    const struct acceptance_verdict *all = &acceptance->verdicts.items[0];

    return all->word == VERDICT_ACCEPT_WITH_EXCEPTIONS ? reason(arena, accept_with_waived, all->waived)
                                                       : reason_word(arena, verdict_name(all->word));
}

const struct reason *acceptance_counts_text(struct arena *arena, const struct acceptance_verdict *verdict)
{
    return reason(arena, requirement_counts, verdict->passed, verdict->waived, verdict->missing,
                  verdict->retest, verdict->failed);
}

const struct reason *acceptance_left_out_text(struct arena *arena, const struct acceptance *acceptance)
{
    const char *numbers = "";

    if (acceptance->left_out.count == 0)
        return NULL;
    for (size_t i = 0; i < acceptance->left_out.count; i++)
        numbers =
            arena_printf(arena, "%s%s%lld", numbers, i > 0 ? " " : "", acceptance->left_out.items[i]->number);
    return reason(arena, runs_left_out, acceptance->left_out.count, acceptance->name, numbers);
}

const struct reason *acceptance_conflict_text(struct arena *arena, const struct acceptance *acceptance,
                                              size_t conflict)
{
    const struct run_conflict *one = &acceptance->conflicts.items[conflict];

    return reason(arena, about_run, acceptance->runs.items[one->run]->number, one->text);
}
