/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Crashes and hangs over all runs. Within one run the same test that crashes twice on one host, and on no other, accuses the host
 * (slot_outcome.c); in a run of that host alone there is no other. So the attempts of all runs that left the test undecided
 * are counted here. Where as many hosts had such attempts as passed without one, it is the test that was broken, not a host.
 */
#include <string.h>

#include "acceptance_private.h"
#include "assay/reasons/judge.h"

enum { AGAIN = 2 };

struct broken {
    unsigned crashes, hangs; /* attempts of runs that it left undecided */
    struct shown *last;      /* NULL: there are none */
};

static struct broken broken_attempts(const struct acceptance *acceptance,
                                     const struct requirement *requirement)
{
    const struct step *step = &acceptance->plan->steps.items[requirement->step];
    struct broken broken = {.last = NULL};

    for (size_t i = 0; i < requirement->shown.count; i++) {
        struct shown *shown = &requirement->shown.items[i];

        if (shown->word != OUTCOME_INCONCLUSIVE || shown->crashes + shown->hangs == 0 ||
            conflict_of(acceptance, shown->run, step->members[0]) != NULL)
            continue;
        broken.crashes += shown->crashes;
        broken.hangs += shown->hangs;
        broken.last = shown;
    }
    return broken;
}

static bool has_passed(const struct requirement *requirement)
{
    for (size_t i = 0; i < requirement->shown.count; i++)
        if (requirement->shown.items[i].counts)
            return true;
    return false;
}

/* Whether it is fine on more hosts than those that it is broken on. */
static bool is_fine_elsewhere(const struct acceptance *acceptance, const struct requirement *requirement)
{
    const struct shape *shape = acceptance->plan->steps.items[requirement->step].shape;
    size_t fine = 0, broken = 0;

    for (size_t i = 0; i < acceptance->requirements.count; i++) {
        const struct requirement *other = &acceptance->requirements.items[i];

        if (acceptance->plan->steps.items[other->step].shape != shape)
            continue;
        if (broken_attempts(acceptance, other).last != NULL)
            broken++;
        else
            fine += has_passed(other);
    }
    return fine > broken;
}

/* What the run says of its last such attempts. */
static const struct reason *cause_of(const struct acceptance *acceptance, const struct shown *shown)
{
    const struct judgement *judgement = &acceptance->runs.items[shown->run]->judgement;

    for (size_t i = shown->first; i < judgement->outcome_count && judgement->outcomes[i].step == shown->step;
         i++)
        if (judgement->outcomes[i].word == OUTCOME_INCONCLUSIVE && judgement->outcomes[i].cause != NULL)
            return judgement->outcomes[i].cause;
    return reason_text(acceptance->arena, "");
}

void compare_crashes(struct acceptance *acceptance)
{
    for (size_t i = 0; i < acceptance->requirements.count; i++) {
        struct requirement *requirement = &acceptance->requirements.items[i];
        struct broken broken;
        unsigned count;

        if (acceptance->plan->steps.items[requirement->step].member_count > 1)
            continue;
        broken = broken_attempts(acceptance, requirement);
        count = broken.hangs > broken.crashes ? broken.hangs : broken.crashes;
        if (count < AGAIN || !is_fine_elsewhere(acceptance, requirement))
            continue;
        *list_push(acceptance->arena, &broken.last->misses) =
            (struct miss){"", reason(acceptance->arena, compared_over_runs,
                                     reason(acceptance->arena, times_on_this_host_only, count,
                                            cause_of(acceptance, broken.last)))};
    }
}
