/* SPDX-License-Identifier: Apache-2.0 */
/* The search for who makes a test across hosts slow, joined to a run: judge says which parts, plan has them added. */
#include <stdio.h>

#include "assay/judge.h"
#include "assay/report.h"
#include "cli.h"

void cli_isolate(const struct record *record, const struct plan_sources *sources)
{
    struct arena *arena = arena_create();
    struct search_round round;

    if (judge_search(arena, record, &sources->limits, &round))
        for (size_t i = 0; i < round.groups.count; i++)
            plan_add_isolation(record->plan, sources, round.step, round.round, round.groups.items[i].members,
                               round.groups.items[i].member_count, round.size_bytes);
    arena_destroy(arena);
}

void cli_print_isolation(const struct record *record)
{
    const struct judgement *judgement = &record->judgement;

    for (size_t i = 0; i < judgement->search_count; i++)
        if (judgement->searches[i].candidates != NULL)
            cli_print("not isolated: %s among %s: %s\n",
                      record->plan->steps.items[judgement->searches[i].step].shape->suite_step,
                      reason_english(record->arena, judgement->searches[i].candidates),
                      reason_english(record->arena, judgement->searches[i].conclusion));
}
