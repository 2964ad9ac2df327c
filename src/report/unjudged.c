/* SPDX-License-Identifier: Apache-2.0 */
#include "unjudged.h"

#include <string.h>

#include "assay/base/json.h"
#include "assay/check/check.h"
#include "assay/model/hostfile.h"
#include "assay/model/idle_gates.h"
#include "assay/model/suite.h"
#include "assay/reasons/any.h"
#include "assay/reasons/report.h"
#include "assay/report/report.h"
#include "concessions.h"
#include "unplanned.h"
#include "unread.h"

const enum text_key unjudged_why[UNJUDGED_KINDS] = {
    [UNJUDGED_NOTE] = TEXT_UNJUDGED_NOTE,         [UNJUDGED_WHEN] = TEXT_UNJUDGED_WHEN,
    [UNJUDGED_PLATFORM] = TEXT_UNJUDGED_PLATFORM, [UNJUDGED_APART] = TEXT_UNJUDGED_APART,
    [UNJUDGED_ABSENT] = TEXT_UNJUDGED_ABSENT,     [UNJUDGED_CHANGED] = TEXT_UNJUDGED_CHANGED,
    [UNJUDGED_LIMIT] = TEXT_UNJUDGED_LIMIT,       [UNJUDGED_DECLARED] = TEXT_UNJUDGED_DECLARED,
    [UNJUDGED_SPARE] = TEXT_UNJUDGED_SPARE,       [UNJUDGED_FAST] = TEXT_UNJUDGED_FAST,
    [UNJUDGED_WITHOUT] = TEXT_UNJUDGED_WITHOUT,
};

const char *const unjudged_kind_names[UNJUDGED_KINDS] = {
    [UNJUDGED_NOTE] = "recorded",       [UNJUDGED_WHEN] = "condition",
    [UNJUDGED_PLATFORM] = "platform",   [UNJUDGED_APART] = "never_met",
    [UNJUDGED_ABSENT] = "not_in_suite", [UNJUDGED_CHANGED] = "changed_in_suite",
    [UNJUDGED_LIMIT] = "weaker_limit",  [UNJUDGED_DECLARED] = "own_platform",
    [UNJUDGED_SPARE] = "spare",         [UNJUDGED_FAST] = "timescale",
    [UNJUDGED_WITHOUT] = "argument",
};

/* A run, or an acceptance. */
struct judged {
    struct arena *arena;
    const struct plan *plan;
    const struct documents *documents;
    const struct record *const *records; /* what was run by it */
    size_t count;
};

static bool is_planned(const struct plan *plan, const char *step, const char *platform)
{
    for (size_t i = 0; i < plan->shapes.count; i++)
        if (strcmp(plan->shapes.items[i]->suite_step, step) == 0 &&
            strcmp(plan->shapes.items[i]->platform, platform) == 0)
            return true;
    return false;
}

/* Whether a shape before this one is of the same platform. */
static bool was_seen(const struct plan *plan, size_t shape)
{
    for (size_t i = 0; i < shape; i++)
        if (strcmp(plan->shapes.items[i]->platform, plan->shapes.items[shape]->platform) == 0)
            return true;
    return false;
}

static const struct reason *condition_text(struct arena *arena, const struct json *when)
{
    enum { WHEN_BYTES = 4096 };

    return reason(arena, runs_only_when, json_text(arena, when, WHEN_BYTES));
}

/* As the plan said it; where that cannot be read any more, the condition itself. */
static const struct reason *why_unplanned(const struct judged *source, const struct unplanned_hosts *hosts,
                                          const struct json *when)
{
    const struct reason *why = NULL;

    if (when == NULL)
        return NULL;
    if (hosts != NULL)
        why = unplanned_why(hosts, when);
    return why != NULL ? why : condition_text(source->arena, when);
}

/* A platform of the plan, with what the hostfile says of its hosts: NULL where that cannot be read any more. */
struct planned_platform {
    const char *name;
    const struct unplanned_hosts *hosts;
};
struct planned_platforms {
    LIST_OF(struct planned_platform) items;
};

static void find_platforms(const struct judged *source, const struct suite *suite,
                           struct planned_platforms *ret_platforms)
{
    const struct hostfile *hostfile = documents_hostfile(source->arena, source->documents);

    *ret_platforms = (struct planned_platforms){0};
    for (size_t i = 0; i < source->plan->shapes.count; i++) {
        const char *name = source->plan->shapes.items[i]->platform;

        if (!was_seen(source->plan, i))
            *list_push(source->arena, &ret_platforms->items) = (struct planned_platform){
                name, hostfile == NULL
                          ? NULL
                          : unplanned_hosts_of(source->arena, hostfile, source->plan, suite->platform, name)};
    }
}

/* What the step's check would test too, were it given more. */
static void add_untested(const struct judged *source, const struct suite_step *step, const char *platform,
                         struct unjudged_list *list)
{
    const struct check *check = check_find(step->check);

    for (const struct argument *row = check != NULL ? check->arguments : NULL;
         row != NULL && row->name != NULL; row++)
        if (row->untested != NULL && json_get(step->arguments, row->name) == NULL)
            *list_push(source->arena, &list->items) =
                (struct unjudged){UNJUDGED_WITHOUT, step->name, platform, row->metrics, row->untested};
}

static void add_steps(const struct judged *source, const struct suite *suite, struct unjudged_list *list)
{
    struct planned_platforms platforms;

    find_platforms(source, suite, &platforms);
    array_each (step, suite->steps.items, suite->steps.count)
        array_each (platform, platforms.items.items, platforms.items.count)
            if (is_planned(source->plan, step->name, platform->name))
                add_untested(source, step, platform->name, list);
            else
                *list_push(source->arena, &list->items) =
                    (struct unjudged){step->when != NULL ? UNJUDGED_WHEN : UNJUDGED_PLATFORM, step->name,
                                      platform->name, "", why_unplanned(source, platform->hosts, step->when)};
}

static void add_idle_gates(const struct judged *source, const struct suite *suite, struct unjudged_list *list)
{
    struct idle_gates gates;

    idle_gates_find(source->arena, suite, source->plan, &gates);
    for (size_t i = 0; i < gates.items.count; i++)
        *list_push(source->arena, &list->items) =
            (struct unjudged){UNJUDGED_NOTE, gates.items.items[i].step, gates.items.items[i].platform,
                              gates.items.items[i].pattern, REASON(hosts_have_no_such_part)};
}

static void add_metric(const struct judged *source, const struct shape *shape, const struct slot *slot,
                       const struct reason *why, struct unjudged_list *list)
{
    for (size_t i = 0; i < list->items.count; i++)
        if (strcmp(list->items.items[i].step, shape->suite_step) == 0 &&
            strcmp(list->items.items[i].platform, shape->platform) == 0 &&
            strcmp(list->items.items[i].metric, slot->metric) == 0)
            return;
    *list_push(source->arena, &list->items) =
        (struct unjudged){UNJUDGED_NOTE, shape->suite_step, shape->platform, slot->metric, why};
}

static void add_unread(const struct judged *source, const struct record *record, struct unjudged_list *list)
{
    array_each (outcome, record->judgement.outcomes, record->judgement.outcome_count) {
        const struct reason *cause = unread_cause(outcome);
        const struct shape *shape = record->plan->steps.items[outcome->step].shape;

        if (cause != NULL)
            add_metric(source, shape, &shape->slots[outcome->slot], cause, list);
    }
}

/* Another platform that has the same test over all its hosts; NULL: there is none behind this shape. */
static const char *apart_from(const struct plan *plan, size_t shape)
{
    for (size_t i = shape + 1; i < plan->shapes.count; i++)
        if (strcmp(plan->shapes.items[i]->scope, "cluster") == 0 &&
            strcmp(plan->shapes.items[i]->suite_step, plan->shapes.items[shape]->suite_step) == 0 &&
            strcmp(plan->shapes.items[i]->platform, plan->shapes.items[shape]->platform) != 0)
            return plan->shapes.items[i]->platform;
    return NULL;
}

static void add_site(const struct judged *source, struct unjudged_list *list)
{
    const struct plan *plan = source->plan;
    const bool *of_suite = shapes_of_suite(source->arena, plan);
    double fastest = plan_timescale(plan);

    for (size_t i = 0; i < plan->shapes.count; i++) {
        const struct shape *shape = plan->shapes.items[i];
        const char *other = strcmp(shape->scope, "cluster") == 0 && of_suite[i] ? apart_from(plan, i) : NULL;

        if (other != NULL)
            *list_push(source->arena, &list->items) =
                (struct unjudged){UNJUDGED_APART, shape->suite_step,
                                  arena_printf(source->arena, "%s, %s", shape->platform, other), "", NULL};
    }
    if (fastest > 1)
        *list_push(source->arena, &list->items) =
            (struct unjudged){UNJUDGED_FAST, "", "", "", reason(source->arena, text, fastest)};
}

/* All absent tests are one row: they are read together. */
static void add_absent(const struct judged *source, const struct concessions *found,
                       struct unjudged_list *list)
{
    const char *names = "";

    for (size_t i = 0; i < found->items.count; i++)
        if (found->items.items[i].kind == CONCESSION_ABSENT)
            names = arena_add_word(source->arena, names, found->items.items[i].step);
    if (*names != '\0')
        *list_push(source->arena, &list->items) = (struct unjudged){UNJUDGED_ABSENT, names, "", "", NULL};
}

static void add_concessions(const struct judged *source, const struct documents *judged_by,
                            struct unjudged_list *list)
{
    static const enum unjudged_kind kinds[] = {[CONCESSION_ABSENT] = UNJUDGED_ABSENT,
                                               [CONCESSION_CHANGED] = UNJUDGED_CHANGED,
                                               [CONCESSION_LIMIT] = UNJUDGED_LIMIT,
                                               [CONCESSION_PLATFORM] = UNJUDGED_DECLARED};
    struct concessions found;

    concessions_find(source->arena, source->plan, source->documents, judged_by, &found);
    add_absent(source, &found, list);
    list_each (row, found.items) {
        if (row->kind != CONCESSION_ABSENT)
            *list_push(source->arena, &list->items) =
                (struct unjudged){kinds[row->kind], row->step, row->platform, row->metric, row->detail};
    }
    if (found.spares > 0)
        *list_push(source->arena, &list->items) =
            (struct unjudged){UNJUDGED_SPARE, "", "", "", reason(source->arena, text, found.spare_names)};
}

bool unjudged_is_untested(const struct unjudged *row)
{
    return row->kind == UNJUDGED_WHEN || row->kind == UNJUDGED_PLATFORM || row->kind == UNJUDGED_WITHOUT ||
           row->kind == UNJUDGED_ABSENT;
}

bool unjudged_names_before(const struct unjudged_list *list, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (unjudged_is_untested(&list->items.items[i]) &&
            strcmp(list->items.items[i].step, list->items.items[index].step) == 0)
            return true;
    return false;
}

const char *unjudged_line(struct arena *arena, enum report_language language, const struct unjudged *row)
{
    return language_say(
        arena, language, TEXT_L_UNJUDGED_LINE,
        *row->step != '\0' ? row->step : language_text(language, TEXT_UNJUDGED_ALL),
        *row->metric != '\0' ? row->metric : language_text(language, TEXT_UNJUDGED_STEP),
        language_say(arena, language, unjudged_why[row->kind], reason_said(arena, language, row->detail)),
        *row->platform != '\0' ? arena_printf(arena, " (%s)", row->platform) : "");
}

static void find(const struct judged *source, const struct documents *judged_by, const struct suite *suite,
                 struct unjudged_list *ret_list)
{
    const struct plan *plan = source->plan;
    const bool *of_suite = shapes_of_suite(source->arena, plan);

    *ret_list = (struct unjudged_list){0};
    add_concessions(source, judged_by, ret_list);
    add_site(source, ret_list);
    if (suite != NULL) {
        add_steps(source, suite, ret_list);
        add_idle_gates(source, suite, ret_list);
    }
    for (size_t i = 0; i < plan->shapes.count; i++) {
        const struct shape *shape = plan->shapes.items[i];
        size_t slots = of_suite[i] ? shape->slot_count : 0;

        for (size_t k = 0; k < slots; k++)
            if (shape->slots[k].duty == DUTY_RECORD && shape->slots[k].duty_note != NULL)
                add_metric(source, shape, &shape->slots[k], shape->slots[k].duty_note, ret_list);
    }
    for (size_t i = 0; i < source->count; i++)
        add_unread(source, source->records[i], ret_list);
}

void unjudged_of_run(const struct view *view, struct unjudged_list *ret_list)
{
    const struct record *record = view->record;

    find(&(struct judged){view->arena, record->plan, &record->documents, &record, 1},
         &record->judgement.documents, view_suite(view), ret_list);
}

size_t report_not_judged(struct arena *arena, const struct record *record, enum report_language language,
                         struct not_judged **ret_rows)
{
    struct unjudged_list list;

    find(&(struct judged){arena, record->plan, &record->documents}, &record->judgement.documents,
         documents_suite(arena, &record->documents), &list);
    *ret_rows = arena_array(arena, struct not_judged, list.items.count + 1);
    for (size_t i = 0; i < list.items.count; i++) {
        const struct unjudged *row = &list.items.items[i];

        (*ret_rows)[i] = (struct not_judged){unjudged_kind_names[row->kind],
                                             row->step,
                                             row->metric,
                                             row->platform,
                                             row->detail,
                                             unjudged_line(arena, language, row),
                                             row->kind >= UNJUDGED_ABSENT};
    }
    return list.items.count;
}

void unjudged_of_acceptance(struct arena *arena, const struct acceptance *acceptance,
                            struct unjudged_list *ret_list)
{
    find(&(struct judged){arena, acceptance->plan, &acceptance->documents, acceptance->runs.items,
                          acceptance->runs.count},
         NULL, documents_suite(arena, &acceptance->documents), ret_list);
}
