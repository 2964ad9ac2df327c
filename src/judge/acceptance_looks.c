/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which passes of last looks tell nothing. A run looks at a host before its tests and again after all of them (a suite's "last"),
 * and judges what became of it in between. In a run of few steps there may be nothing to compare with, or nothing that has
 * loaded what it looks at since: such a pass does not count, or two looks within a second would accept what a whole run
 * rejects. What loads what is in the rows of the checks (loads.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acceptance_private.h"
#include "assay/check/check.h"
#include "assay/check/loads.h"
#include "assay/reasons/judge.h"
#include "judge_private.h"

/* A look at a host that is no last one, or a test that loads it. Where they are planned: their place there, for a time. */
struct sight {
    const char *host;
    const char *check; /* of a look; "" of a test */
    double
        at; /* when a look began, or a test ended: one that goes on beside the look loads the host after it */
    double began;
    load_set loads; /* of a test */
};
struct sights {
    LIST_OF(struct sight) items; /* by host, check and when */
};

struct looking {
    struct acceptance *acceptance;
    struct load_ports *ports;
    struct sights planned; /* what the suite has of them for each host: what it has not, no run can show */
    struct sights *done;   /* of each run, what came to its end there */
};

static int compare_sights(const void *one, const void *other)
{
    const struct sight *a = one, *b = other;
    int order = strcmp(a->host, b->host);

    if (order == 0)
        order = strcmp(a->check, b->check);
    return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

/* The first of them after that; NULL: there is none. */
static const struct sight *sight_after(const struct sights *sights, const char *host, const char *check,
                                       double at)
{
    const struct sight key = {.host = host, .check = check, .at = at};
    size_t from = 0, to = sights->items.count;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (compare_sights(&sights->items.items[middle], &key) > 0)
            to = middle;
        else
            from = middle + 1;
    }
    if (from == sights->items.count || strcmp(sights->items.items[from].host, host) != 0 ||
        strcmp(sights->items.items[from].check, check) != 0)
        return NULL;
    return &sights->items.items[from];
}

static bool is_look(const struct acceptance *acceptance, const struct step *step, bool last)
{
    const struct suite_step *row = suite_step_find(acceptance->suite, step->shape->suite_step);

    return step->member_count == 1 && step->shape->passive && row != NULL && row->last == last;
}

static load_set loads_of(const struct looking *looking, const struct step *step)
{
    const struct suite_step *row = suite_step_find(looking->acceptance->suite, step->shape->suite_step);
    struct check_context context = {.arena = looking->acceptance->arena,
                                    .step = row,
                                    .check = check_find(step->shape->check),
                                    .member_count = step->member_count,
                                    .variant = step->shape->variant};

    return row != NULL && context.check != NULL ? check_loads(&context, looking->ports) : 0;
}

static void add_sights(const struct looking *looking, const struct step *step, double began, double ended,
                       struct sights *sights)
{
    bool look = is_look(looking->acceptance, step, false);
    load_set loads = look ? 0 : loads_of(looking, step);

    if (!look && loads == 0)
        return;
    for (size_t i = 0; i < step->member_count; i++)
        *list_push(looking->acceptance->arena, &sights->items) =
            (struct sight){.host = step->members[i]->name,
                           .check = look ? step->shape->check : "",
                           .at = look ? began : ended,
                           .began = began,
                           .loads = loads};
}

static void sort_sights(struct sights *sights)
{
    if (sights->items.count > 0)
        qsort(sights->items.items, sights->items.count, sizeof *sights->items.items, compare_sights);
}

/* By the places of their rows in the suite. */
static struct sights planned_sights(const struct looking *looking)
{
    const struct plan *plan = looking->acceptance->plan;
    const struct suite *suite = looking->acceptance->suite;
    struct sights sights = {0};

    for (size_t i = 0; i < plan->steps.count; i++) {
        const struct step *step = &plan->steps.items[i];
        const struct suite_step *row = suite_step_find(suite, step->shape->suite_step);

        const struct suite_step *begin =
            row != NULL && is_look(looking->acceptance, step, false) ? loads_begin(suite, row) : row;

        if (step->origin == ORIGIN_SUITE && row != NULL)
            add_sights(looking, step, (double)(begin - suite->steps.items) - 1,
                       (double)(row - suite->steps.items), &sights);
    }
    sort_sights(&sights);
    return sights;
}

/* An attempt of a step that was given other arguments, in the search for who is slow, loads for less long than the step. */
static struct sights sights_of_run(const struct looking *looking, const struct record *record)
{
    struct arena *arena = looking->acceptance->arena;
    const struct step_attempts *attempts = attempts_by_step(arena, record);
    struct sights sights = {0};

    for (size_t i = 0; i < record->plan->steps.count; i++)
        for (size_t k = 0; k < attempts[i].count && record->plan->steps.items[i].origin != ORIGIN_ISOLATE;
             k++)
            if (attempt_bearing(arena, attempts[i].items[k]).kind == KIND_WHOLE)
                add_sights(looking, &record->plan->steps.items[i], attempt_asked(attempts[i].items[k]),
                           attempts[i].items[k]->ended, &sights);
    sort_sights(&sights);
    return sights;
}

/* Of all tests that ended after the one time and began before the other. */
static load_set loads_between(const struct sights *sights, const char *host, double after, double before)
{
    const struct sight *end = sights->items.items + sights->items.count;
    load_set loads = 0;

    for (const struct sight *load = sight_after(sights, host, "", after);
         load != NULL && load < end && strcmp(load->host, host) == 0 && *load->check == '\0'; load++)
        if (load->began < before)
            loads |= load->loads;
    return loads;
}

static const struct reason *unloaded_text(enum load_kind kind)
{
    if (kind == LOAD_PORTS)
        return REASON(last_look_ports_idle);
    if (kind == LOAD_GPUS)
        return REASON(last_look_gpus_idle);
    return kind == LOAD_NVLINKS ? REASON(last_look_nvlinks_idle) : REASON(last_look_idle);
}

/* first_planned: the first look that the suite has; what it has not, no run owes. */
static const struct reason *why_lone(const struct looking *looking, const struct sight *first_planned,
                                     const struct shown *shown)
{
    const char *host = first_planned->host;
    const struct sights *done = &looking->done[shown->run];
    const struct sight *first = sight_after(done, host, first_planned->check, -INFINITY);
    load_set owed, missing;

    if (first == NULL || first->began >= shown->began)
        return REASON(last_look_alone);
    owed = check_loads_owed(check_find(first_planned->check),
                            loads_between(&looking->planned, host, first_planned->at, INFINITY));
    missing = loads_missing(owed, loads_between(done, host, first->at, shown->began));
    return missing != 0 ? unloaded_text(loads_kind(missing)) : NULL;
}

static void mark_lone(const struct looking *looking, struct requirement *requirement)
{
    const struct step *step = &looking->acceptance->plan->steps.items[requirement->step];
    const struct sight *first;

    if (!is_look(looking->acceptance, step, true))
        return;
    first = sight_after(&looking->planned, step->members[0]->name, step->shape->check, -INFINITY);
    for (size_t i = 0; first != NULL && i < requirement->shown.count; i++)
        requirement->shown.items[i].lone = why_lone(looking, first, &requirement->shown.items[i]);
}

void find_lone_looks(struct acceptance *acceptance)
{
    struct load_ports ports = {0};
    struct looking looking = {
        .acceptance = acceptance,
        .ports = &ports,
        .done = arena_array(acceptance->arena, struct sights, acceptance->runs.count + 1),
    };

    if (acceptance->suite == NULL)
        return;
    looking.planned = planned_sights(&looking);
    for (size_t i = 0; i < acceptance->runs.count; i++)
        looking.done[i] = sights_of_run(&looking, acceptance->runs.items[i]);
    for (size_t i = 0; i < acceptance->requirements.count; i++)
        mark_lone(&looking, &acceptance->requirements.items[i]);
}
