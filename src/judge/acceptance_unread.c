/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which passes stand on what nobody in their run could read (RULE_READ). In one run of all, who lacks it while another has it is
 * undecided; so such a pass counts only where nobody has it in the other runs of the acceptance either.
 */
#include <string.h>

#include "acceptance_private.h"
#include "assay/reasons/judge.h"
#include "assay/reasons/model.h"
#include "judge_private.h"

/* Where something was read: the first of all that show that it can be. */
struct sight {
    const char *suite_step, *metric;
    const char *platform; /* of what GPUs tell, which goes by their kind; "" */
    const char *host;
};

struct sights {
    LIST_OF(struct sight) items;
};

static const struct limit *read_rule(const struct slot *slot)
{
    for (size_t i = 0; i < slot->own_count && slot->duty == DUTY_GATE; i++)
        if (slot->own[i].rule == RULE_READ)
            return &slot->own[i];
    return NULL;
}

static const char *kind_of(const struct shape *shape, const struct slot *slot)
{
    return is_gpu(slot->subject) ? shape->platform : "";
}

static const struct sight *find_sight(const struct sights *sights, const struct shape *shape,
                                      const struct slot *slot)
{
    for (size_t i = 0; i < sights->items.count; i++) {
        const struct sight *sight = &sights->items.items[i];

        if (strcmp(sight->suite_step, shape->suite_step) == 0 && strcmp(sight->metric, slot->metric) == 0 &&
            strcmp(sight->platform, kind_of(shape, slot)) == 0)
            return sight;
    }
    return NULL;
}

/* Its first text is the one that means that it was read. */
static bool is_read(const struct outcome *outcome, const struct limit *rule)
{
    const char *text = reason_as_word(outcome->measured);
    size_t length = strcspn(rule->text, "|");

    return text != NULL && strlen(text) == length && strncmp(text, rule->text, length) == 0;
}

/* The others mean that there is nothing to be read. */
static bool is_settled(const struct outcome *outcome, const struct limit *rule)
{
    const char *text = reason_as_word(outcome->measured),
               *at = text != NULL ? strstr(rule->text, text) : NULL;
    size_t length = text != NULL ? strlen(text) : 0;

    return length > 0 && at != NULL && (at == rule->text || at[-1] == '|') &&
           (at[length] == '\0' || at[length] == '|');
}

static void add_sights(struct arena *arena, const struct record *record, struct sights *sights)
{
    array_each (outcome, record->judgement.outcomes, record->judgement.outcome_count) {
        const struct step *step = &record->plan->steps.items[outcome->step];
        const struct slot *slot = &step->shape->slots[outcome->slot];
        const struct limit *rule = read_rule(slot);

        if (rule != NULL && find_sight(sights, step->shape, slot) == NULL && is_read(outcome, rule))
            *list_push(arena, &sights->items) = (struct sight){
                step->shape->suite_step, slot->metric, kind_of(step->shape, slot), step->members[0]->name};
    }
}

static void mark(const struct acceptance *acceptance, const struct sights *sights, struct shown *shown)
{
    const struct record *record = acceptance->runs.items[shown->run];
    const struct judgement *judgement = &record->judgement;
    const struct shape *shape = record->plan->steps.items[shown->step].shape;

    for (size_t i = shown->first;
         shown->lone == NULL && i < judgement->outcome_count && judgement->outcomes[i].step == shown->step;
         i++) {
        const struct outcome *outcome = &judgement->outcomes[i];
        const struct slot *slot = &shape->slots[outcome->slot];
        const struct limit *rule = reason_is(outcome->cause, read_on_no_host) ? read_rule(slot) : NULL;
        const struct sight *sight =
            rule != NULL && !is_settled(outcome, rule) ? find_sight(sights, shape, slot) : NULL;

        if (sight != NULL)
            shown->lone = reason(acceptance->arena, read_in_another_run,
                                 reason_argument(acceptance->arena, outcome->cause, 1), sight->host);
    }
}

void find_unread(struct acceptance *acceptance)
{
    struct sights sights = {0};

    for (size_t i = 0; i < acceptance->runs.count; i++)
        add_sights(acceptance->arena, acceptance->runs.items[i], &sights);
    for (size_t i = 0; i < acceptance->requirements.count && sights.items.count > 0; i++)
        for (size_t k = 0; k < acceptance->requirements.items[i].shown.count; k++)
            mark(acceptance, &sights, &acceptance->requirements.items[i].shown.items[k]);
}
