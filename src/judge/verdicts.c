/* SPDX-License-Identifier: Apache-2.0 */
/* What the outcomes of a run make of the run, its units and its hosts. */
#include <stdlib.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/check/check.h"
#include "assay/model/blame.h"
#include "assay/reasons/any.h"
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

/* All verdicts, by scope and name. */
struct sorted {
    struct verdict **items;
    size_t count;
};

static int compare_verdicts(const struct verdict *verdict, const char *scope, const char *name)
{
    int order = strcmp(verdict->scope, scope);

    return order != 0 ? order : strcmp(verdict->name, name);
}

static int by_scope_and_name(const void *a, const void *b)
{
    const struct verdict *const *right = b;

    return compare_verdicts(*(struct verdict *const *)a, (*right)->scope, (*right)->name);
}

static struct verdict *find_verdict(const struct sorted *sorted, const char *scope, const char *name)
{
    const struct verdict wanted = {.scope = scope, .name = name}, *key = &wanted;
    struct verdict *const *found =
        bsearch(&key, sorted->items, sorted->count, sizeof *sorted->items, by_scope_and_name);

    return found != NULL ? *found : NULL;
}

/* Looks at `near` first and leaves there where it was: hosts of a unit mostly come one after the other. */
static void add_unit(struct judgement *judgement, const char *unit, size_t *near)
{
    for (size_t i = 0; i < judgement->verdict_count; i++) {
        size_t place = (*near + i) % judgement->verdict_count;

        if (compare_verdicts(&judgement->verdicts[place], "unit", unit) == 0) {
            *near = place;
            return;
        }
    }
    *near = judgement->verdict_count;
    judgement->verdicts[judgement->verdict_count++] = (struct verdict){.scope = "unit", .name = unit};
}

static struct sorted begin_verdicts(struct record *record)
{
    const struct plan *plan = record->plan;
    struct judgement *judgement = &record->judgement;
    size_t hosts = plan->hosts.count, near = 0;
    struct sorted sorted;

    judgement->verdicts = arena_array(record->arena, struct verdict, 1 + 2 * hosts);
    judgement->verdicts[0] = (struct verdict){.scope = "run", .name = ""};
    judgement->verdict_count = 1;
    for (size_t i = 0; i < hosts; i++)
        if (*plan->hosts.items[i]->unit != '\0')
            add_unit(judgement, plan->hosts.items[i]->unit, &near);
    for (size_t i = 0; i < hosts; i++)
        judgement->verdicts[judgement->verdict_count++] =
            (struct verdict){.scope = "host", .name = plan->hosts.items[i]->name};
    sorted =
        (struct sorted){mem_alloc(judgement->verdict_count * sizeof *sorted.items), judgement->verdict_count};
    for (size_t i = 0; i < sorted.count; i++)
        sorted.items[i] = &judgement->verdicts[i];
    qsort(sorted.items, sorted.count, sizeof *sorted.items, by_scope_and_name);
    return sorted;
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
static void count_accusation(struct record *record, const struct sorted *sorted,
                             const struct accusation *accusation)
{
    const struct step *step = &record->plan->steps.items[accusation->step];
    const char *name = step_unit(step);
    struct verdict *unit, *host = NULL;

    for (size_t i = 0; accusation->kind == ACCUSED_HOST && i < step->member_count; i++)
        if (strcmp(step->members[i]->name, accusation->subject) == 0)
            name = step->members[i]->unit;
    unit = find_verdict(sorted, "unit", name);
    if (accusation->kind == ACCUSED_HOST)
        host = find_verdict(sorted, "host", accusation->subject);
    record->judgement.verdicts[0].accused++;
    if (unit != NULL)
        unit->accused++;
    if (host != NULL)
        host->accused++;
}

/* Once to each; NULL: it has none. */
static void count_blame(const struct judgement *judgement, struct verdict *verdict, bool *counted,
                        const struct outcome *outcome, bool perhaps)
{
    if (verdict == NULL || counted[verdict - judgement->verdicts])
        return;
    counted[verdict - judgement->verdicts] = true;
    if (perhaps)
        verdict->inconclusive++;
    else
        count_word(verdict, outcome);
}

/* A fail of a test of several hosts, once to each that it is about; and to its unit, where the test was over several. Whom it
   is about perhaps has not passed, and has not failed. */
static void count_blamed(struct record *record, const struct sorted *sorted, const struct step *step,
                         const struct outcome *outcome, const struct verdict *unit)
{
    const struct judgement *judgement = &record->judgement;
    cleanup_free bool *counted = NULL;
    struct blamed_list blamed = {0};

    blame_find(record->arena, step, outcome, &blamed);
    if (blamed.items.count > 0)
        counted = mem_alloc(judgement->verdict_count * sizeof *counted);
    for (size_t i = 0; i < blamed.items.count; i++) {
        const struct host *host = blamed.items.items[i].host;
        bool perhaps = blamed.items.items[i].perhaps;

        count_blame(judgement, find_verdict(sorted, "host", host->name), counted, outcome, perhaps);
        if (unit == NULL)
            count_blame(judgement, find_verdict(sorted, "unit", host->unit), counted, outcome, perhaps);
    }
}

/* -- Tests of several hosts that failed, and nobody knows by whom -- */

static bool is_part_of(const struct accusation *accusation, const struct host *host)
{
    const char *apart = strstr(accusation->subject, " - ");
    size_t length = strlen(host->name);

    if (accusation->kind == ACCUSED_LEAF)
        return strcmp(host->leaf, accusation->subject) == 0;
    if (accusation->kind == ACCUSED_LINK && apart != NULL)
        return strcmp(apart + strlen(" - "), host->name) == 0 ||
               (strncmp(accusation->subject, host->name, length) == 0 &&
                accusation->subject + length == apart);
    return strcmp(accusation->subject, host->name) == 0;
}

/* Whether whom isolation names is in the test, and it is its speed that failed. */
static bool is_accused_for(const struct judgement *judgement, const struct step *step,
                           const struct outcome *outcome)
{
    if (!blame_is_speed(step->shape->slots[outcome->slot].metric))
        return false;
    for (size_t i = 0; i < judgement->accusation_count; i++) {
        size_t members = 0, needed = judgement->accusations[i].kind == ACCUSED_LINK ? 2 : 1;

        for (size_t k = 0; k < step->member_count; k++)
            members += is_part_of(&judgement->accusations[i], step->members[k]);
        if (members >= needed)
            return true;
    }
    return false;
}

static bool is_explained(const struct record *record, const struct step *step, const struct outcome *outcome)
{
    struct blamed_list blamed = {0};

    if (reason_is(outcome->cause, leaf_slow_with_both) || reason_is(outcome->cause, leaf_slow_by_host) ||
        is_accused_for(&record->judgement, step, outcome))
        return true;
    blame_find(record->arena, step, outcome, &blamed);
    return blamed.items.count > 0;
}

/* Any of its members may be at fault: none of them has passed, and each such test counts once. What makes one of them fail under
   the test is what makes the test fail, as long as that is there; only wrong results are never explained by it. */
static void leave_open(struct record *record, const struct sorted *sorted, const struct outcome *outcomes)
{
    const struct step *step = &record->plan->steps.items[outcomes[0].step];
    const struct check *check = check_find(step->shape->check);
    bool open = false, other = false, explained = false;

    for (size_t i = 0; i < step->shape->slot_count; i++) {
        if (outcomes[i].word != OUTCOME_FAIL || outcomes[i].waiver != NULL)
            continue;
        if (is_explained(record, step, &outcomes[i]))
            explained = true;
        else if (check != NULL && check_is_result(check, step->shape->slots[outcomes[i].slot].metric))
            open = true;
        else
            other = true;
    }
    for (size_t k = 0; (open || (other && !explained)) && k < step->member_count; k++)
        find_verdict(sorted, "host", step->members[k]->name)->inconclusive++;
}

/* Of one step, whose outcomes begin there. Returns how many they are. */
static size_t count_step(struct record *record, const struct sorted *sorted, const struct outcome *outcomes)
{
    struct judgement *judgement = &record->judgement;
    const struct step *step = &record->plan->steps.items[outcomes[0].step];
    struct verdict *unit = find_verdict(sorted, "unit", step_unit(step));
    bool alone = strcmp(step->shape->scope, "host") == 0;
    struct verdict *of_step = alone ? find_verdict(sorted, "host", step->members[0]->name) : NULL;

    for (size_t i = 0; i < step->shape->slot_count; i++) {
        count_word(&judgement->verdicts[0], &outcomes[i]);
        if (unit != NULL)
            count_word(unit, &outcomes[i]);
        if (alone)
            count_word(of_step, &outcomes[i]);
        else if (outcomes[i].word == OUTCOME_FAIL)
            count_blamed(record, sorted, step, &outcomes[i], unit);
    }
    if (!alone)
        leave_open(record, sorted, outcomes);
    return step->shape->slot_count;
}

/* -- Tests of several hosts that a host was in none of -- */

/* A step of the suite over several hosts, however many sets it has. */
struct wide_test {
    const char *name, *variant;
    bool *owed, *tried; /* by the plan's hosts: one that holds it was planned; was begun */
};

struct wide_tests {
    struct arena *arena;
    const struct plan *plan;
    const struct host_places *places;
    LIST_OF(struct wide_test) items;
};

/* A set's own name tells sets apart and not tests. */
static const char *variant_of(const struct shape *shape)
{
    return strncmp(shape->variant, LEAVES_VARIANT, strlen(LEAVES_VARIANT)) == 0 ? "" : shape->variant;
}

static struct wide_test *wide_test_of(struct wide_tests *tests, const struct shape *shape)
{
    const char *variant = variant_of(shape);
    struct wide_test *test;

    for (size_t i = tests->items.count; i-- > 0;)
        if (strcmp(tests->items.items[i].name, shape->suite_step) == 0 &&
            strcmp(tests->items.items[i].variant, variant) == 0)
            return &tests->items.items[i];
    test = list_push(tests->arena, &tests->items);
    *test = (struct wide_test){.name = shape->suite_step,
                               .variant = variant,
                               .owed = arena_array(tests->arena, bool, tests->plan->hosts.count),
                               .tried = arena_array(tests->arena, bool, tests->plan->hosts.count)};
    return test;
}

static void note_wide(struct wide_tests *tests, const struct step *step, const struct outcome *outcomes)
{
    bool owed = false, tried = false;
    struct wide_test *test;

    for (size_t i = 0; i < step->shape->slot_count; i++) {
        owed |= outcomes[i].word != OUTCOME_RECORDED;
        tried |= outcomes[i].word != OUTCOME_RECORDED && outcomes[i].word != OUTCOME_NOT_RUN;
    }
    if (!owed || (step->origin != ORIGIN_SUITE && step->origin != ORIGIN_SUBSTITUTE))
        return;
    test = wide_test_of(tests, step->shape);
    for (size_t i = 0; i < step->member_count; i++) {
        size_t place = host_place(tests->places, step->members[i]);

        if (place == (size_t)-1)
            continue;
        test->owed[place] = true;
        test->tried[place] |= tried;
    }
}

/* Of a host that was in no set of a test between hosts that ran, nobody knows how it talks to others: it has not passed. Each
   such test counts once. */
static void count_untried(struct record *record, const struct sorted *sorted)
{
    const struct judgement *judgement = &record->judgement;
    struct arena *aside = arena_create();
    struct wide_tests tests = {
        .arena = aside, .plan = record->plan, .places = host_places_create(aside, record->plan)};

    for (size_t i = 0; i < judgement->outcome_count;) {
        const struct step *step = &record->plan->steps.items[judgement->outcomes[i].step];

        if (strcmp(step->shape->scope, "host") != 0)
            note_wide(&tests, step, &judgement->outcomes[i]);
        i += step->shape->slot_count;
    }
    for (size_t i = 0; i < tests.items.count; i++)
        for (size_t k = 0; k < record->plan->hosts.count; k++)
            if (tests.items.items[i].owed[k] && !tests.items.items[i].tried[k])
                find_verdict(sorted, "host", record->plan->hosts.items[k]->name)->not_run++;
    arena_destroy(aside);
}

void judge_verdicts(struct record *record)
{
    struct judgement *judgement = &record->judgement;
    struct sorted sorted = begin_verdicts(record);

    for (size_t i = 0; i < judgement->outcome_count;)
        i += count_step(record, &sorted, &judgement->outcomes[i]);
    for (size_t i = 0; i < judgement->accusation_count; i++)
        count_accusation(record, &sorted, &judgement->accusations[i]);
    count_untried(record, &sorted);
    for (size_t i = 0; i < judgement->verdict_count; i++)
        close_verdict(&judgement->verdicts[i]);
    free(sorted.items);
}
