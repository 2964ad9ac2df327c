/* SPDX-License-Identifier: Apache-2.0 */
/* What the outcomes of a run make of the run, its units and its hosts. */
#include <string.h>

#include "assay/model/blame.h"
#include "judge_private.h"

static void count_word(struct verdict *verdict, const struct outcome *outcome)
{
    enum outcome_word word = outcome->word;

    verdict->pass += word == OUTCOME_PASS;
    verdict->fail += word == OUTCOME_FAIL && outcome->waiver == NULL;
    verdict->waived += word == OUTCOME_FAIL && outcome->waiver != NULL;
    verdict->inconclusive += word == OUTCOME_INCONCLUSIVE;
    verdict->not_run += word == OUTCOME_NOT_RUN;
    verdict->recorded += word == OUTCOME_RECORDED;
}

static void close_verdict(struct verdict *verdict)
{
    /* Nothing gated passes nothing: an empty verdict is incomplete. */
    if (verdict->fail + verdict->accused > 0)
        verdict->word = VERDICT_REJECT;
    else if (verdict->inconclusive + verdict->not_run > 0 || verdict->pass + verdict->waived == 0)
        verdict->word = VERDICT_INCOMPLETE;
    else if (verdict->waived > 0)
        verdict->word = VERDICT_ACCEPT_WITH_EXCEPTIONS;
    else
        verdict->word = VERDICT_ACCEPT;
}

/* Looks at `near` first and leaves there where it was: the steps of a suite's step come in the hosts' order. */
static struct verdict *find_near(struct judgement *judgement, const char *scope, const char *name,
                                 size_t *near)
{
    for (size_t i = 0; i < judgement->verdict_count; i++) {
        size_t place = (*near + i) % judgement->verdict_count;

        if (strcmp(judgement->verdicts[place].name, name) == 0 &&
            strcmp(judgement->verdicts[place].scope, scope) == 0) {
            *near = place;
            return &judgement->verdicts[place];
        }
    }
    return NULL;
}

static struct verdict *find_verdict(struct judgement *judgement, const char *scope, const char *name)
{
    size_t near = 0;

    return find_near(judgement, scope, name, &near);
}

static void add_verdict(struct judgement *judgement, const char *scope, const char *name)
{
    if (find_verdict(judgement, scope, name) == NULL)
        judgement->verdicts[judgement->verdict_count++] = (struct verdict){.scope = scope, .name = name};
}

/* A step of several hosts counts for the run, and for a unit that holds them all; it accuses no single host, but
   where it says itself whom a fail is about (blame.h). */
const char *step_unit(const struct step *step)
{
    for (size_t i = 1; i < step->member_count; i++)
        if (strcmp(step->members[i]->unit, step->members[0]->unit) != 0)
            return "";
    return step->members[0]->unit;
}

/* Of an accused path or leaf no host is at fault; what it is part of is. */
static void count_accusation(struct record *record, const struct accusation *accusation)
{
    const struct step *step = &record->plan->steps.items[accusation->step];
    struct judgement *judgement = &record->judgement;
    const char *name = step_unit(step);
    struct verdict *unit, *host = NULL;

    for (size_t i = 0; accusation->kind == ACCUSED_HOST && i < step->member_count; i++)
        if (strcmp(step->members[i]->name, accusation->subject) == 0)
            name = step->members[i]->unit;
    unit = find_verdict(judgement, "unit", name);
    if (accusation->kind == ACCUSED_HOST)
        host = find_verdict(judgement, "host", accusation->subject);
    judgement->verdicts[0].accused++;
    if (unit != NULL)
        unit->accused++;
    if (host != NULL)
        host->accused++;
}

/* Whether one before that of the list is of the same host, or else unit. */
static bool is_counted(const struct blamed_list *blamed, size_t index, bool unit)
{
    const struct host *host = blamed->items.items[index].host;

    for (size_t i = 0; i < index; i++)
        if (unit ? strcmp(blamed->items.items[i].host->unit, host->unit) == 0
                 : blamed->items.items[i].host == host)
            return true;
    return false;
}

/* NULL: it has none */
static void count_blame(struct verdict *verdict, const struct outcome *outcome, bool perhaps)
{
    if (verdict == NULL)
        return;
    if (perhaps)
        verdict->inconclusive++;
    else
        count_word(verdict, outcome);
}

/* A fail of a test of several hosts, once to each that it is about; and to its unit, where the test was over several. Whom it
   is about perhaps has not passed, and has not failed. */
static void count_blamed(struct record *record, const struct step *step, const struct outcome *outcome,
                         const struct verdict *unit)
{
    struct judgement *judgement = &record->judgement;
    struct blamed_list blamed = {0};

    blame_find(record->arena, step, outcome, &blamed);
    for (size_t i = 0; i < blamed.items.count; i++) {
        const struct host *host = blamed.items.items[i].host;
        bool perhaps = blamed.items.items[i].perhaps;

        if (!is_counted(&blamed, i, false))
            count_blame(find_verdict(judgement, "host", host->name), outcome, perhaps);
        if (unit == NULL && !is_counted(&blamed, i, true))
            count_blame(find_verdict(judgement, "unit", host->unit), outcome, perhaps);
    }
}

void judge_verdicts(struct record *record)
{
    const struct plan *plan = record->plan;
    struct judgement *judgement = &record->judgement;
    size_t hosts = plan->hosts.count, near = 0;

    judgement->verdicts = arena_array(record->arena, struct verdict, 1 + 2 * hosts);
    add_verdict(judgement, "run", "");
    for (size_t i = 0; i < hosts; i++)
        if (*plan->hosts.items[i]->unit != '\0')
            add_verdict(judgement, "unit", plan->hosts.items[i]->unit);
    for (size_t i = 0; i < hosts; i++)
        judgement->verdicts[judgement->verdict_count++] =
            (struct verdict){.scope = "host", .name = plan->hosts.items[i]->name};
    for (size_t i = 0; i < judgement->outcome_count;) {
        const struct step *step = &plan->steps.items[judgement->outcomes[i].step];
        struct verdict *unit = find_verdict(judgement, "unit", step_unit(step));
        bool alone = strcmp(step->shape->scope, "host") == 0;
        struct verdict *of_step = alone ? find_near(judgement, "host", step->members[0]->name, &near) : NULL;

        for (size_t k = 0; k < step->shape->slot_count; k++, i++) {
            count_word(&judgement->verdicts[0], &judgement->outcomes[i]);
            if (unit != NULL)
                count_word(unit, &judgement->outcomes[i]);
            if (alone)
                count_word(of_step, &judgement->outcomes[i]);
            else if (judgement->outcomes[i].word == OUTCOME_FAIL)
                count_blamed(record, step, &judgement->outcomes[i], unit);
        }
    }
    for (size_t i = 0; i < judgement->accusation_count; i++)
        count_accusation(record, &judgement->accusations[i]);
    for (size_t i = 0; i < judgement->verdict_count; i++)
        close_verdict(&judgement->verdicts[i]);
}
