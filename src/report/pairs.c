/* SPDX-License-Identifier: Apache-2.0 */
#include "pairs.h"

#include "assay/check/check.h"

const char *heat_map_title(struct arena *arena, enum report_language language, const struct view *view,
                           const struct heat_map *map)
{
    const struct step *step = view->steps[map->step].step;

    if (!map->bad && map->hosts > 1)
        return language_say(arena, language, TEXT_PAIRS_MEDIAN, count_text(arena, map->hosts));
    return language_say(arena, language, map->bad ? TEXT_PAIR_BAD : TEXT_PAIRS_GOOD,
                        reason_said(arena, language, step_target_said(arena, step)));
}

const char *pair_agreement_text(struct arena *arena, enum report_language language, const struct view *view,
                                const struct pair_metric *of)
{
    struct agreement agreement = pair_agreement(view, of);

    if (agreement.pairs == 0)
        return NULL;
    return language_say(arena, language, TEXT_P2P_AGREES, count_text(arena, agreement.pairs), of->beside,
                        arena_printf(arena, "%.2f", agreement.median),
                        arena_printf(arena, "%.2f", agreement.least),
                        arena_printf(arena, "%.2f", agreement.most));
}
