/* SPDX-License-Identifier: Apache-2.0 */
#include "retests.h"

#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/report.h"
#include "slices.h"

enum { VALUES_SHOWN = 6 };

/* "44100, 45000 GFLOP/s"; NULL: nothing was measured of it. */
static const struct reason *numbers_of(struct arena *arena, const struct reading *reading,
                                       const struct slot *slot)
{
    const char *text = "", *unit = "";

    list_each (measurement, reading->measurements) {
        char number[32];

        if (!measurement_is_of(arena, measurement, slot))
            continue;
        text = arena_add_word(arena, text, number_text(measurement->value, number, sizeof number));
        unit = measurement->unit;
    }
    return reason_text(arena,
                       *text != '\0' && *unit != '\0' ? arena_printf(arena, "%s %s", text, unit) : text);
}

static const struct reason *facts_of(struct arena *arena, const struct reading *reading,
                                     const struct slot *slot)
{
    const struct reason *all = NULL;

    list_each (fact, reading->facts) {
        const struct reason *one = fact->said != NULL ? fact->said : reason_text(arena, fact->value);

        if (one != NULL && strcmp(fact->name, slot->metric) == 0 && strcmp(fact->subject, slot->subject) == 0)
            all = all != NULL ? reason(arena, clause, all, one) : one;
    }
    return all;
}

/* All that the attempt says of the item; NULL when it says nothing. */
static const struct reason *values_of(struct arena *arena, const struct attempt *attempt,
                                      const struct slot *slot)
{
    const struct reason *numbers = numbers_of(arena, &attempt->reading, slot);
    const struct reason *facts = facts_of(arena, &attempt->reading, slot);

    return numbers != NULL && facts != NULL ? reason(arena, clause, numbers, facts)
           : numbers != NULL                ? numbers
                                            : facts;
}

static bool is_in_question(const struct outcome *outcome)
{
    return outcome->word == OUTCOME_FAIL || outcome->word == OUTCOME_INCONCLUSIVE || outcome->remark;
}

static const struct reason *values_in_question(const struct view *view, const struct step_view *step,
                                               const struct attempt *attempt)
{
    struct arena *arena = view->arena;
    const struct reason *all = NULL;
    size_t shown = 0, more = 0;

    for (size_t i = 0; i < step->step->shape->slot_count; i++) {
        const struct slot *slot = &step->step->shape->slots[i];
        const struct reason *values = is_in_question(step->items[i]) ? values_of(arena, attempt, slot) : NULL;

        if (values == NULL)
            continue;
        if (shown == VALUES_SHOWN) {
            more++;
            continue;
        }
        all = reason_also(arena, all,
                          reason(arena, about,
                                 arena_printf(arena, "%s%s%s", slot->metric,
                                              *slot->subject != '\0' ? " " : "", slot->subject),
                                 values));
        shown++;
    }
    return more > 0 ? reason(arena, and_more_values, all, more) : all;
}

void retest_lines_of_run(const struct view *view, struct retest_lines *ret_lines)
{
    *ret_lines = (struct retest_lines){0};
    array_each (step, view->steps, view->step_count) {
        if (step->attempts.count < 2 || (step->word == OUTCOME_RECORDED && step->step->shape->repeat > 1))
            continue;
        for (size_t k = 0; k < step->attempts.count; k++) {
            if (slice_is_plain(step, step->attempts.items[k]))
                continue;
            *list_push(view->arena, &ret_lines->items) = (struct retest_line){
                step, step->attempts.items[k], values_in_question(view, step, step->attempts.items[k])};
        }
    }
}
