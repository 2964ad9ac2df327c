/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which passes were compared with nobody. A clock is judged beside those of the other hosts (RULE_NEAR), and a domain of NVLinks
 * beside those of its rack (RULE_RACK); alone in its run a host agrees with itself and its controller, which may be as wrong. Over
 * runs these cannot be compared: offsets are by the clock that the controller had then. So a pass counts only beside another host
 * in the same run, where the acceptance has one.
 */
#include <string.h>

#include "acceptance_private.h"
#include "assay/judge/judge.h"
#include "assay/reasons/judge.h"
#include "judge_private.h"

/* The gate that asks for others; NULL: there is none. */
static const struct slot *slot_of_company(const struct shape *shape, enum company *ret_company)
{
    for (size_t i = 0; i < shape->slot_count; i++)
        for (size_t k = 0; k < shape->slots[i].own_count && shape->slots[i].duty == DUTY_GATE; k++) {
            enum limit_rule rule = shape->slots[i].own[k].rule;

            *ret_company = rule == RULE_NEAR ? COMPANY_ANY : rule == RULE_RACK ? COMPANY_RACK : COMPANY_NONE;
            if (*ret_company != COMPANY_NONE)
                return &shape->slots[i];
        }
    *ret_company = COMPANY_NONE;
    return NULL;
}

enum company judge_company(const struct shape *shape)
{
    enum company company;

    (void)slot_of_company(shape, &company);
    return company;
}

bool judge_is_company(enum company company, const struct host *host, const struct host *other)
{
    return strcmp(host->name, other->name) != 0 &&
           (company == COMPANY_ANY || (company == COMPANY_RACK && strcmp(host->rack, other->rack) == 0));
}

struct hosts {
    LIST_OF(const struct host *) items;
};

static bool have_company(const struct hosts *hosts, enum company company, const struct host *host)
{
    for (size_t i = 0; i < hosts->items.count; i++)
        if (judge_is_company(company, host, hosts->items.items[i]))
            return true;
    return false;
}

/* Of whom the run has a value for it. */
static struct hosts read_in(const struct acceptance *acceptance, const struct record *record,
                            const char *suite_step, const struct slot *slot)
{
    struct hosts hosts = {0};

    array_each (outcome, record->judgement.outcomes, record->judgement.outcome_count) {
        const struct step *step = &record->plan->steps.items[outcome->step];

        if (outcome->measured != NULL && step->member_count == 1 &&
            strcmp(step->shape->suite_step, suite_step) == 0 &&
            strcmp(step->shape->slots[outcome->slot].metric, slot->metric) == 0)
            *list_push(acceptance->arena, &hosts.items) = step->members[0];
    }
    return hosts;
}

/* Who owes the same. */
static struct hosts owed_by(const struct acceptance *acceptance, const char *suite_step)
{
    struct hosts hosts = {0};

    for (size_t i = 0; i < acceptance->requirements.count; i++) {
        const struct step *step = &acceptance->plan->steps.items[acceptance->requirements.items[i].step];

        if (strcmp(step->shape->suite_step, suite_step) == 0)
            *list_push(acceptance->arena, &hosts.items) = step->members[0];
    }
    return hosts;
}

static void mark_shape(struct acceptance *acceptance, const struct shape *shape, const struct slot *slot,
                       enum company company)
{
    struct arena *arena = acceptance->arena;
    struct hosts owed = owed_by(acceptance, shape->suite_step);
    struct hosts *read = arena_array(arena, struct hosts, acceptance->runs.count + 1);

    for (size_t i = 0; i < acceptance->runs.count; i++)
        read[i] = read_in(acceptance, acceptance->runs.items[i], shape->suite_step, slot);
    for (size_t i = 0; i < acceptance->requirements.count; i++) {
        struct requirement *requirement = &acceptance->requirements.items[i];
        const struct step *step = &acceptance->plan->steps.items[requirement->step];

        if (step->shape != shape || !have_company(&owed, company, step->members[0]))
            continue;
        for (size_t k = 0; k < requirement->shown.count; k++) {
            struct shown *shown = &requirement->shown.items[k];

            if (shown->lone == NULL && !have_company(&read[shown->run], company, step->members[0]))
                shown->lone = company == COMPANY_RACK ? reason(arena, read_alone_in_rack, slot->metric)
                                                      : reason(arena, read_alone, slot->metric);
        }
    }
}

void find_without_company(struct acceptance *acceptance)
{
    for (size_t i = 0; i < acceptance->plan->shapes.count; i++) {
        const struct shape *shape = acceptance->plan->shapes.items[i];
        enum company company;
        const struct slot *slot = slot_of_company(shape, &company);

        if (slot != NULL && strcmp(shape->scope, "host") == 0)
            mark_shape(acceptance, shape, slot, company);
    }
}
