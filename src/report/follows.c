/* SPDX-License-Identifier: Apache-2.0 */
/* Which open items of a test of several hosts are no points of their own. A fail that is waived explains nothing: it counts as none. */
#include "follows.h"

#include <string.h>

#include "assay/model/hostfile.h"

static bool is_member(const struct step *step, const char *name)
{
    for (size_t i = 0; i < step->member_count; i++)
        if (strcmp(step->members[i]->name, name) == 0)
            return true;
    return false;
}

/* It failed, or was read and could not be decided. */
static bool explains(const struct outcome *outcome)
{
    return (outcome->word == OUTCOME_FAIL && outcome->waiver == NULL) ||
           (outcome->word == OUTCOME_INCONCLUSIVE && outcome->measured != NULL);
}

const struct outcome *follows_from(const struct view *view, const struct outcome *outcome)
{
    const struct step_view *step = &view->steps[outcome->step];
    const struct slot *slots = step->step->shape->slots;
    const char *subject = slots[outcome->slot].subject;
    bool of_member;

    if (step->step->member_count < 2 || outcome->word != OUTCOME_INCONCLUSIVE || outcome->measured != NULL ||
        *subject == '\0')
        return NULL;
    of_member = is_member(step->step, subject);
    for (size_t i = 0; i < step->step->shape->slot_count; i++)
        if (explains(step->items[i]) &&
            (of_member ? strcmp(slots[i].subject, subject) == 0 : is_member(step->step, slots[i].subject)))
            return step->items[i];
    return NULL;
}
