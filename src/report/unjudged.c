/* SPDX-License-Identifier: Apache-2.0 */
#include "unjudged.h"

#include <string.h>

#include "assay/base/json.h"
#include "assay/model/platform.h"
#include "assay/model/suite.h"
#include "assay/reasons/any.h"
#include "assay/reasons/report.h"

const enum text_key unjudged_why[UNJUDGED_KINDS] = {
    [UNJUDGED_NOTE] = TEXT_UNJUDGED_NOTE,         [UNJUDGED_WHEN] = TEXT_UNJUDGED_WHEN,
    [UNJUDGED_PLATFORM] = TEXT_UNJUDGED_PLATFORM, [UNJUDGED_APART] = TEXT_UNJUDGED_APART,
    [UNJUDGED_ABSENT] = TEXT_UNJUDGED_ABSENT,     [UNJUDGED_FAST] = TEXT_UNJUDGED_FAST,
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
    cleanup_text struct text out = {0};
    struct json_writer writer;

    if (when == NULL)
        return NULL;
    text_init(&out, 4096);
    json_writer_init(&writer, &out, true);
    json_put(&writer, when);
    return reason(arena, text, out.bytes);
}

static void add_steps(const struct view *view, const struct suite *suite, struct unjudged_list *list)
{
    const struct plan *plan = view->record->plan;

    for (size_t i = 0; i < suite->steps.count; i++)
        for (size_t k = 0; k < plan->shapes.count; k++) {
            const struct suite_step *step = &suite->steps.items[i];
            const char *platform = plan->shapes.items[k]->platform;

            if (!was_seen(plan, k) && !is_planned(plan, step->name, platform))
                *list_push(view->arena, &list->items) =
                    (struct unjudged){step->when != NULL ? UNJUDGED_WHEN : UNJUDGED_PLATFORM, step->name,
                                      platform, "", condition_text(view->arena, step->when)};
        }
}

static void add_metric(const struct view *view, const struct shape *shape, const struct slot *slot,
                       struct unjudged_list *list)
{
    for (size_t i = 0; i < list->items.count; i++)
        if (strcmp(list->items.items[i].step, shape->suite_step) == 0 &&
            strcmp(list->items.items[i].platform, shape->platform) == 0 &&
            strcmp(list->items.items[i].metric, slot->metric) == 0)
            return;
    *list_push(view->arena, &list->items) =
        (struct unjudged){UNJUDGED_NOTE, shape->suite_step, shape->platform, slot->metric, slot->duty_note};
}

/* Parts that only tell who is slow owe no gate anyway. */
static bool is_of_the_suite(const struct plan *plan, const struct shape *shape)
{
    for (size_t i = 0; i < plan->steps.count; i++)
        if (plan->steps.items[i].shape == shape && plan->steps.items[i].origin != ORIGIN_ISOLATE)
            return true;
    return false;
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

static void add_site(const struct view *view, struct unjudged_list *list)
{
    const struct plan *plan = view->record->plan;
    double fastest = 1;

    for (size_t i = 0; i < plan->shapes.count; i++) {
        const struct shape *shape = plan->shapes.items[i];
        const char *other =
            strcmp(shape->scope, "cluster") == 0 && is_of_the_suite(plan, shape) ? apart_from(plan, i) : NULL;

        if (other != NULL)
            *list_push(view->arena, &list->items) =
                (struct unjudged){UNJUDGED_APART, shape->suite_step,
                                  arena_printf(view->arena, "%s, %s", shape->platform, other), "", NULL};
    }
    for (size_t i = 0; i < plan->hosts.count; i++)
        if (plan->hosts.items[i]->timescale > fastest)
            fastest = plan->hosts.items[i]->timescale;
    if (fastest > 1)
        *list_push(view->arena, &list->items) =
            (struct unjudged){UNJUDGED_FAST, "", "", "", reason(view->arena, text, fastest)};
}

static bool has_check(const struct suite *suite, const char *check)
{
    for (size_t i = 0; i < suite->steps.count; i++)
        if (strcmp(suite->steps.items[i].check, check) == 0)
            return true;
    return false;
}

/* Names of the built-in delivery's steps whose check the run's suite has not; their number. A trial may leave out what it
   likes: nobody signs it. */
static size_t absent_steps(const struct view *view, struct text *names, size_t *ret_all)
{
    const struct builtin *builtin = builtin_find("suites", "delivery");
    const struct suite *suite = view_suite(view), *whole;
    struct error err = {0};
    size_t absent = 0;

    *ret_all = 0;
    if (suite == NULL || !suite->delivery || builtin == NULL)
        return 0;
    whole = suite_parse(view->arena, builtin->name, builtin->bytes, &err);
    for (size_t i = 0; whole != NULL && i < whole->steps.count; i++) {
        ++*ret_all;
        if (has_check(suite, whole->steps.items[i].check))
            continue;
        text_printf(names, "%s%s", absent++ > 0 ? ", " : "", whole->steps.items[i].name);
    }
    return absent;
}

static void add_absent(const struct view *view, struct unjudged_list *list)
{
    cleanup_text struct text names = {0};
    size_t all;

    text_init(&names, 1 << 14);
    if (absent_steps(view, &names, &all) > 0)
        *list_push(view->arena, &list->items) = (struct unjudged){
            UNJUDGED_ABSENT, arena_strndup(view->arena, names.bytes, names.length), "", "", NULL};
}

const struct reason *unjudged_absent(const struct view *view)
{
    cleanup_text struct text names = {0};
    size_t all, absent;

    text_init(&names, 1 << 14);
    absent = standing_is_acceptance(&view->record->standing) ? absent_steps(view, &names, &all) : 0;
    return absent > 0 ? reason(view->arena, suite_leaves_out, absent, all) : NULL;
}

void unjudged_of_run(const struct view *view, struct unjudged_list *ret_list)
{
    const struct plan *plan = view->record->plan;
    const struct suite *suite = view_suite(view);

    *ret_list = (struct unjudged_list){0};
    add_absent(view, ret_list);
    add_site(view, ret_list);
    if (suite != NULL)
        add_steps(view, suite, ret_list);
    for (size_t i = 0; i < plan->shapes.count; i++) {
        const struct shape *shape = plan->shapes.items[i];

        for (size_t k = 0; k < shape->slot_count && is_of_the_suite(plan, shape); k++)
            if (shape->slots[k].duty == DUTY_RECORD && shape->slots[k].duty_note != NULL)
                add_metric(view, shape, &shape->slots[k], ret_list);
    }
}
