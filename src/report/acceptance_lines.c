/* SPDX-License-Identifier: Apache-2.0 */
/* What of an acceptance is not settled, and what had failed once: folded over hosts. */
#include <string.h>

#include "assay/acceptance.h"
#include "assay/report.h"

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
            strcmp(fold->line.step, line->step) == 0 && strcmp(fold->line.why, line->why) == 0)
            return fold;
    }
    return NULL;
}

static const char *waiver_text(struct arena *arena, const struct waiver *waiver)
{
    return arena_printf(arena, "%s, until %s: %s (waiver %s)", waiver->who, time_text(arena, waiver->until),
                        waiver->why, waiver->uuid);
}

static void add_line(struct arena *arena, const struct acceptance *acceptance,
                     const struct requirement *requirement, struct folds *folds)
{
    const struct step *step = &acceptance->plan->steps.items[requirement->step];
    struct acceptance_line line = {.state = requirement->state,
                                   .step = step->shape->suite_step,
                                   .targets = step_target(arena, step),
                                   .why = requirement->why};
    struct fold *fold;

    if (requirement->state == REQUIREMENT_WAIVED)
        line.why = waiver_text(arena, requirement->waiver);
    fold = step->member_count == 1 ? find_fold(folds, &line) : NULL;
    if (fold == NULL) {
        fold = list_push(arena, &folds->items);
        fold->line = line;
    }
    fold->line.count++;
    if (step->member_count == 1)
        *list_push(arena, &fold->names) = step->members[0]->name;
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
            (*ret_lines)[i].targets =
                arena_printf(arena, "%zu hosts: %s", fold->names.count,
                             hostlist_fold(arena, fold->names.items, fold->names.count));
    }
    return folds.items.count;
}

static const char *shown_text(struct arena *arena, const struct acceptance *acceptance,
                              const struct shown *shown)
{
    const char *times = shown->passes > 1 ? arena_printf(arena, " (%u attempts)", shown->passes) : "";
    const char *note = shown->word == OUTCOME_PASS && !shown->counts && *shown->note != '\0'
                           ? arena_printf(arena, " (does not count: %s)", shown->note)
                           : "";

    return arena_printf(arena, "run %lld %s%s%s", acceptance->runs.items[shown->run]->number,
                        outcome_name(shown->word), times, note);
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
    for (size_t i = 0; i < acceptance->requirements.count; i++) {
        const struct requirement *requirement = &acceptance->requirements.items[i];
        const struct step *step = &acceptance->plan->steps.items[requirement->step];
        const char *text = "";

        if (!has_failed(requirement))
            continue;
        for (size_t k = 0; k < requirement->shown.count; k++)
            text = arena_printf(arena, "%s%s%s", text, k > 0 ? "; " : "",
                                shown_text(arena, acceptance, &requirement->shown.items[k]));
        (*ret_lines)[count++] = (struct acceptance_line){.state = requirement->state,
                                                         .step = step->shape->suite_step,
                                                         .targets = step_target(arena, step),
                                                         .why = text,
                                                         .count = 1};
    }
    return count;
}

const char *acceptance_verdict_text(struct arena *arena, const struct acceptance *acceptance)
{
    const struct acceptance_verdict *all = &acceptance->verdicts.items[0];

    if (all->word != VERDICT_ACCEPT_WITH_EXCEPTIONS)
        return verdict_name(all->word);
    return arena_printf(arena, "%s: %zu waived", verdict_name(all->word), all->waived);
}

const char *acceptance_counts_text(struct arena *arena, const struct acceptance_verdict *verdict)
{
    return arena_printf(arena, "%zu passed, %zu waived, %zu missing, %zu to be retested, %zu failed",
                        verdict->passed, verdict->waived, verdict->missing, verdict->retest, verdict->failed);
}

const char *acceptance_left_out_text(struct arena *arena, const struct acceptance *acceptance)
{
    const char *numbers = "";

    for (size_t i = 0; i < acceptance->left_out.count; i++)
        numbers = arena_printf(arena, "%s %lld", numbers, acceptance->left_out.items[i]->number);
    if (*numbers == '\0')
        return "";
    return arena_printf(arena,
                        "%zu run%s of the same suite, limits and hosts; nothing is accepted without: "
                        "assay acceptance add %s%s",
                        acceptance->left_out.count, acceptance->left_out.count > 1 ? "s" : "",
                        acceptance->name, numbers);
}

const char *acceptance_conflict_text(struct arena *arena, const struct acceptance *acceptance,
                                     size_t conflict)
{
    const struct run_conflict *one = &acceptance->conflicts.items[conflict];

    return arena_printf(arena, "run %lld: %s", acceptance->runs.items[one->run]->number, one->text);
}
