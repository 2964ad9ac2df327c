/* SPDX-License-Identifier: Apache-2.0 */
#include "sample_earlier.h"

#include "assay/judge/judge.h"
#include "assay/model/compare.h"

struct record *sample_beside(struct arena *arena, struct record *first, struct record *second)
{
    struct earlier *earlier = arena_new(arena, struct earlier);
    struct history *history = arena_new(arena, struct history);
    struct history_findings *findings = arena_new(arena, struct history_findings);

    first->number = 7;
    first->started -= 30 * 86400;
    *earlier = (struct earlier){.number = first->number,
                                .uuid = first->uuid,
                                .started = first->started,
                                .verdict = VERDICT_ACCEPT,
                                .standing = first->standing,
                                .history = history,
                                .findings = findings};
    judge_compare(arena, first, second, &earlier->comparison);
    history_add(arena, history, first);
    history_add(arena, history, second);
    judge_history(arena, history, findings);
    second->earlier = earlier;
    return second;
}
