/* SPDX-License-Identifier: Apache-2.0 */
/* Which open items of a test are no points of their own. A fail that is waived explains nothing: it counts as none. */
#include "follows.h"

#include <string.h>

#include "assay/base/scan.h"
#include "assay/model/hostfile.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"

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

/* Of what is not there nothing else can be told: "storage.mounted" of /data is "no", and so "storage.source" of it has no value. */
static const struct outcome *not_there(const struct view *view, const struct step_view *step,
                                       const struct slot *slot)
{
    const struct slot *slots = step->step->shape->slots;
    size_t family = strcspn(slot->metric, ".") + 1;

    for (size_t i = 0; *slot->subject != '\0' && i < step->step->shape->slot_count; i++)
        if (strncmp(slots[i].metric, slot->metric, family) == 0 &&
            strcmp(slots[i].subject, slot->subject) == 0 && step->items[i]->word == OUTCOME_FAIL &&
            explains(step->items[i]) && step->items[i]->measured != NULL &&
            strcmp(reason_key(view->arena, step->items[i]->measured), "no") == 0)
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
               : not_there(view, step, &slots[outcome->slot]) != NULL
                   ? not_there(view, step, &slots[outcome->slot])
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

static bool says(const struct reason *reason, const struct reason *what)
{
    if (reason_equal(reason, what))
        return true;
    for (size_t i = 0; reason != NULL && i < reason->count; i++)
        if (reason->arguments[i].reason != NULL && says(reason->arguments[i].reason, what))
            return true;
    return false;
}

/* What the host itself says of that part, in the same words, in a test of its own. */
static const struct outcome *said_by_host(const struct view *view, const struct step *of, const char *who,
                                          const struct reason *what)
{
    bool named = of->member_count > 1; /* "node3 mlx5_1/1", and of one host "mlx5_1/1" */
    size_t length = named ? strcspn(who, " ") : 0;
    const char *part = named && who[length] == ' ' ? who + length + 1 : who + length;

    for (size_t i = 0; i < view->step_count; i++) {
        const struct step_view *step = &view->steps[i];
        const char *host = step->step->members[0]->name;

        if (step->step == of || step->step->member_count > 1 || step->word < OUTCOME_INCONCLUSIVE ||
            (named ? strncmp(host, who, length) != 0 || host[length] != '\0'
                   : step->step->members[0] != of->members[0]))
            continue;
        for (size_t k = 0; k < step->step->shape->slot_count; k++)
            if (strcmp(step->step->shape->slots[k].subject, part) == 0 && explains(step->items[k]) &&
                says(step->items[k]->cause, what))
                return step->items[k];
    }
    return NULL;
}

/* Why it could not be read, where all of that is said by the hosts themselves: the first who says it. */
static const struct outcome *said_by_hosts(const struct view *view, const struct step *step,
                                           const struct reason *why)
{
    const struct outcome *first;

    if (reason_is(why, about) && reason_argument_text(why, 1) != NULL && why->arguments[1].reason != NULL)
        return said_by_host(view, step, reason_argument_text(why, 1), why->arguments[1].reason);
    if (!reason_is(why, also))
        return NULL;
    first = said_by_hosts(view, step, why->arguments[0].reason);
    return said_by_hosts(view, step, why->arguments[1].reason) != NULL ? first : NULL;
}

const struct outcome *follows_from_host(const struct view *view, const struct outcome *outcome)
{
    return outcome->word == OUTCOME_INCONCLUSIVE && reason_is(outcome->cause, value_not_read)
               ? said_by_hosts(view, view->steps[outcome->step].step, outcome->cause->arguments[1].reason)
               : NULL;
}
