/* SPDX-License-Identifier: Apache-2.0 */
/* What makes void what was shown, and what was shown last at some time. */
#include <stdint.h>
#include <string.h>

#include "acceptance_private.h"
#include "assay/reasons/judge.h"

bool step_is_touched(const struct step *step, unsigned touches)
{
    return check_is_touched(touches, step->shape->check, step->member_count == 1);
}

static bool is_voiding(const struct acceptance_event *event, const struct step *step,
                       const struct shown *shown)
{
    return event_is_work(event) && event->at > shown->began && step_has_host_named(step, event->host) &&
           step_is_touched(step, event_touches(event));
}

static bool changes_it(const struct change *change, const struct step *step, const struct shown *shown)
{
    return change->since > shown->run && step_has_host_named(step, change->host) &&
           step_is_touched(step, change_touches(change->kind));
}

const struct reason *voided_by(const struct acceptance *acceptance, const struct step *step,
                               const struct shown *shown)
{
    struct arena *arena = acceptance->arena;

    for (size_t i = 0; i < step->member_count; i++) {
        const struct reason *conflict = conflict_of(acceptance, shown->run, step->members[i]);

        if (conflict != NULL)
            return conflict;
    }
    for (size_t i = 0; i < acceptance->events.count; i++) {
        const struct acceptance_event *event = &acceptance->events.items[i];

        if (is_voiding(event, step, shown))
            return reason(arena, before_the_event, event_text(arena, event));
    }
    for (size_t i = 0; i < acceptance->changes.count; i++)
        if (changes_it(&acceptance->changes.items[i], step, shown))
            return reason(arena, before_the_event,
                          change_text(arena, acceptance, &acceptance->changes.items[i]));
    return NULL;
}

/* The first run that ended at that time or later. */
static size_t run_behind(const struct acceptance *acceptance, double at)
{
    size_t run = 0;

    while (run < acceptance->runs.count && acceptance->runs.items[run]->ended < at)
        run++;
    return run;
}

static size_t void_since(const struct acceptance *acceptance, const struct step *step,
                         const struct shown *shown)
{
    size_t since = SIZE_MAX, run;

    for (size_t i = 0; i < step->member_count && acceptance->conflicts.count > 0; i++)
        if (conflict_of(acceptance, shown->run, step->members[i]) != NULL)
            return 0;
    for (size_t i = 0; i < acceptance->events.count; i++)
        if (is_voiding(&acceptance->events.items[i], step, shown)) {
            run = run_behind(acceptance, acceptance->events.items[i].at);
            since = run < since ? run : since;
        }
    for (size_t i = 0; i < acceptance->changes.count; i++)
        if (changes_it(&acceptance->changes.items[i], step, shown) &&
            acceptance->changes.items[i].since < since)
            since = acceptance->changes.items[i].since;
    return since;
}

void find_voids(struct acceptance *acceptance)
{
    for (size_t i = 0; i < acceptance->requirements.count; i++) {
        struct requirement *requirement = &acceptance->requirements.items[i];

        for (size_t k = 0; k < requirement->shown.count; k++)
            requirement->shown.items[k].void_since = void_since(
                acceptance, &acceptance->plan->steps.items[requirement->step], &requirement->shown.items[k]);
    }
}

struct shown *pass_at(const struct requirement *requirement, size_t run)
{
    for (size_t i = requirement->shown.count; i-- > 0;) {
        struct shown *shown = &requirement->shown.items[i];

        if (shown->run <= run && shown->word == OUTCOME_PASS && shown->lone == NULL && shown->asked == NULL &&
            shown->void_since > run)
            return shown;
    }
    return NULL;
}
