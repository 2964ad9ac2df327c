/* SPDX-License-Identifier: Apache-2.0 */
/* Which open items of a test are no points of their own. A fail that is waived explains nothing: it counts as none. */
#include "follows.h"

#include <string.h>

#include "assay/base/scan.h"
#include "assay/model/hostfile.h"
#include "assay/reasons/any.h"

/* It failed, or was read and could not be decided. */
static bool explains(const struct outcome *outcome)
{
    return (outcome->word == OUTCOME_FAIL && outcome->waiver == NULL) ||
           (outcome->word == OUTCOME_INCONCLUSIVE && outcome->measured != NULL);
}

/* Its cause says that another item has the reason, or that there is none. */
static bool points_elsewhere(const struct outcome *outcome)
{
    static const struct sentence *const sentences[] = {
        &sentence_not_asked_see_login, &sentence_could_not_be_logged_in_to,
        &sentence_not_all_could_be_logged_in_to, &sentence_no_value_in_whole_output};

    for (size_t i = 0; i < ARRAY_SIZE(sentences); i++)
        if (reason_has_(outcome->cause, sentences[i]))
            return true;
    return false;
}

/* What could not be read for a reason of its own explains what points to it. */
static bool is_pointed_at(const struct outcome *outcome, const struct outcome *by)
{
    return outcome->word == OUTCOME_INCONCLUSIVE && points_elsewhere(by) && !points_elsewhere(outcome);
}

/* "gpu" and 7 of "gpu7"; false: the subject is no numbered part. */
static bool is_numbered(const char *subject, size_t *ret_length, double *ret_number)
{
    size_t length = strcspn(subject, "0123456789");

    *ret_length = length;
    return length > 0 && subject[length] != '\0' && scan_double(slice_of(subject + length), ret_number);
}

/* Parts are numbered from 0 on: of the numbers behind those that were found there is no part, whichever it is that is missing. What
   counts them is "gpu.count". */
static const struct outcome *count_short_for(const struct step_view *step, const char *subject)
{
    const struct slot *slots = step->step->shape->slots;
    size_t length;
    double number;

    for (size_t i = 0; is_numbered(subject, &length, &number) && i < step->step->shape->slot_count; i++)
        if (strncmp(slots[i].metric, subject, length) == 0 &&
            strcmp(slots[i].metric + length, ".count") == 0 && *slots[i].subject == '\0' &&
            explains(step->items[i]) && number >= step->items[i]->value)
            return step->items[i];
    return NULL;
}

/* What is asked of a part only in one of its states, as the rate of a port "state=Active", is not there in another: what says its
   state is "ib.state" for "ib.rate". */
static const struct outcome *other_state_than(const struct step_view *step, const struct slot *slot)
{
    const struct slot *slots = step->step->shape->slots;
    const char *dot = strrchr(slot->metric, '.');
    size_t length = dot != NULL ? (size_t)(dot + 1 - slot->metric) : 0;

    if (strncmp(slot->at, "state=", 6) != 0 || length == 0)
        return NULL;
    for (size_t i = 0; i < step->step->shape->slot_count; i++)
        if (strncmp(slots[i].metric, slot->metric, length) == 0 &&
            strcmp(slots[i].metric + length, "state") == 0 && strcmp(slots[i].subject, slot->subject) == 0 &&
            step->items[i]->word == OUTCOME_FAIL && explains(step->items[i]))
            return step->items[i];
    return NULL;
}

const struct outcome *follows_from(const struct view *view, const struct outcome *outcome)
{
    const struct step_view *step = &view->steps[outcome->step];
    const struct slot *slots = step->step->shape->slots;
    const char *subject = slots[outcome->slot].subject;
    bool of_member;

    if (step->step->member_count == 1 && outcome->word == OUTCOME_INCONCLUSIVE && outcome->measured == NULL &&
        reason_is(outcome->cause, no_value_in_whole_output))
        return count_short_for(step, subject) != NULL ? count_short_for(step, subject)
                                                      : other_state_than(step, &slots[outcome->slot]);
    if (step->step->member_count < 2 || outcome->word != OUTCOME_INCONCLUSIVE || outcome->measured != NULL ||
        *subject == '\0')
        return NULL;
    of_member = step_has_host_named(step->step, subject);
    for (size_t i = 0; i < step->step->shape->slot_count; i++)
        if ((explains(step->items[i]) || is_pointed_at(step->items[i], outcome)) &&
            (of_member ? strcmp(slots[i].subject, subject) == 0
                       : step_has_host_named(step->step, slots[i].subject)))
            return step->items[i];
    return NULL;
}
