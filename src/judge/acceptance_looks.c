/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which passes of last looks tell nothing. A run looks at a host before its tests and again after all of them (a suite's "last"),
 * and judges what became of it in between. In a run of few steps there may be nothing to compare with, or nothing that has
 * loaded the host since: such a pass does not count, or two looks within a second would accept what a whole run rejects.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "acceptance_private.h"
#include "assay/check/check.h"
#include "judge_private.h"

/* A look at a host that is no last one, or a test that loads it. Where they are planned: their place there, for a time. */
struct sight {
    const char *host;
    const char *check; /* of a look; "" of a test */
    double
        at; /* when a look began, or a test ended: one that goes on beside the look loads the host after it */
    double began;
};
struct sights {
    LIST_OF(struct sight) items; /* by host, check and when */
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

static void add_sights(const struct acceptance *acceptance, const struct step *step, double began,
                       double ended, struct sights *sights)
{
    const struct check *check = check_find(step->shape->check);
    bool look = is_look(acceptance, step, false);

    if (!look && (check == NULL || !check->window))
        return;
    for (size_t i = 0; i < step->member_count; i++)
        *list_push(acceptance->arena, &sights->items) =
            (struct sight){.host = step->members[i]->name,
                           .check = look ? step->shape->check : "",
                           .at = look ? began : ended,
                           .began = began};
}

static void sort_sights(struct sights *sights)
{
    if (sights->items.count > 0)
        qsort(sights->items.items, sights->items.count, sizeof *sights->items.items, compare_sights);
}

/* What the suite has of them for each host: what it has not, no run can show. */
static struct sights planned_sights(const struct acceptance *acceptance)
{
    struct sights sights = {0};

    for (size_t i = 0; i < acceptance->plan->steps.count; i++)
        if (acceptance->plan->steps.items[i].origin == ORIGIN_SUITE)
            add_sights(acceptance, &acceptance->plan->steps.items[i], (double)i, (double)i, &sights);
    sort_sights(&sights);
    return sights;
}

/* What came to its end there. */
static struct sights sights_of_run(const struct acceptance *acceptance, const struct record *record)
{
    const struct step_attempts *attempts = attempts_by_step(acceptance->arena, record);
    struct sights sights = {0};

    for (size_t i = 0; i < record->plan->steps.count; i++)
        for (size_t k = 0; k < attempts[i].count; k++)
            if (attempt_bearing(acceptance->arena, attempts[i].items[k]).kind == KIND_WHOLE)
                add_sights(acceptance, &record->plan->steps.items[i], attempt_asked(attempts[i].items[k]),
                           attempts[i].items[k]->ended, &sights);
    sort_sights(&sights);
    return sights;
}

/* first_planned: the first look that the suite has; what it has not, no run owes. */
static bool is_lone(const struct sights *planned, const struct sight *first_planned,
                    const struct sights *done, double began)
{
    const char *host = first_planned->host;
    const struct sight *first = sight_after(done, host, first_planned->check, -INFINITY), *load;

    if (first == NULL || first->began >= began)
        return true;
    if (sight_after(planned, host, "", first_planned->at) == NULL)
        return false;
    load = sight_after(done, host, "", first->at);
    return load == NULL || load->began >= began;
}

static void mark_lone(const struct acceptance *acceptance, const struct sights *planned,
                      const struct sights *done, struct requirement *requirement)
{
    const struct step *step = &acceptance->plan->steps.items[requirement->step];
    const struct sight *first;

    if (!is_look(acceptance, step, true))
        return;
    first = sight_after(planned, step->members[0]->name, step->shape->check, -INFINITY);
    for (size_t i = 0; first != NULL && first->at < (double)requirement->step && i < requirement->shown.count;
         i++)
        requirement->shown.items[i].lone = is_lone(planned, first, &done[requirement->shown.items[i].run],
                                                   requirement->shown.items[i].began);
}

void find_lone_looks(struct acceptance *acceptance)
{
    struct sights planned, *done = arena_array(acceptance->arena, struct sights, acceptance->runs.count + 1);

    if (acceptance->suite == NULL)
        return;
    planned = planned_sights(acceptance);
    for (size_t i = 0; i < acceptance->runs.count; i++)
        done[i] = sights_of_run(acceptance, acceptance->runs.items[i]);
    for (size_t i = 0; i < acceptance->requirements.count; i++)
        mark_lone(acceptance, &planned, done, &acceptance->requirements.items[i]);
}
