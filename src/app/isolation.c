/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/isolation.h"

#include "assay/judge/judge.h"

void isolation_extend(const struct record *record, const struct plan_sources *sources)
{
    cleanup_arena struct arena *arena = arena_create();
    struct search_round round;

    if (judge_search(arena, record, &sources->limits, &round))
        for (size_t i = 0; i < round.groups.count; i++)
            plan_add_isolation(record->plan, sources, round.step, round.round, round.groups.items[i].members,
                               round.groups.items[i].member_count, round.size_bytes);
}
