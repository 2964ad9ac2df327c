/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps of several runs as if one plan had them, so that what is asked of all hosts is asked in one place. Shapes that
 * are equal are one shape there, as within a plan; everything else of a step stays what it is in the plan of its run:
 * indexes (needs, parent) are that plan's. Of one run it is that run's plan itself.
 */
#ifndef ASSAY_JUDGE_TOGETHER_H
#define ASSAY_JUDGE_TOGETHER_H

#include "judge_private.h"

/* One run in it. */
struct judged_part {
    const struct record *record;
    size_t first_step, step_count; /* of its steps in the plan of all */
    struct limits_book book;       /* its own limits, by the shapes of either plan */
};

struct together {
    const struct plan *plan; /* shapes and steps, no hosts */
    struct judged_part *parts;
    size_t count;
    struct step_attempts
        *attempts; /* by step, NULL where a run still goes on; NULL: only outcomes are known */
};

/* In the arena, but for the books of limits, of which outcomes have their words; the steps' members and attempts stay the runs'
   own. */
struct together bring_together(struct arena *arena, struct arena *books, const struct judged_run *runs,
                               size_t count);
struct judged_part part_alone(struct arena *arena, const struct record *record,
                              const struct run_limits *limits);
bool shapes_equal(const struct shape *a, const struct shape *b);
/* The shape of the plan that stands for this one, added where there is none; looked for from `near` on: runs of one suite have
   theirs in the same order. */
const struct shape *shape_of_all(struct plan *all, const struct shape *shape, size_t *near);
/* Whose step that is. */
struct judged_part *together_part(const struct together *together, size_t step);

#endif
