/* SPDX-License-Identifier: Apache-2.0 */
#include "searches.h"

#include <math.h>
#include <string.h>

#include "assay/suite.h"

static const double doubt_shown = 1e-12; /* nobody believes more certainty of a model of noise */

const char *doubt_text(struct arena *arena, double doubt)
{
    if (isnan(doubt))
        return "unknown";
    return doubt < doubt_shown ? arena_printf(arena, "below %.0e", doubt_shown)
                               : arena_printf(arena, "%.1g", doubt);
}

const char *accused_text(struct arena *arena, const struct accusation *accusation)
{
    switch (accusation->kind) {
    case ACCUSED_LEAF:
        return arena_printf(arena, "leaf %s", accusation->subject);
    case ACCUSED_LINK:
        return arena_printf(arena, "path %s", accusation->subject);
    case ACCUSED_HOST:
    default:
        return accusation->subject;
    }
}

static const char *place_text(const struct accusation *accusation)
{
    switch (accusation->place) {
    case PLACE_INSIDE:
        return "alone it is slow too, so the fault is inside the host";
    case PLACE_FABRIC:
        return "alone it is fast, so the fault is on its way into the fabric: adapter, cable, port";
    case PLACE_UNKNOWN:
    default:
        return "";
    }
}

static const char *others_text(const struct accusation *accusation)
{
    switch (accusation->kind) {
    case ACCUSED_LEAF:
        return "the leaves on the other side are fast with others";
    case ACCUSED_LINK:
        return "each of the two hosts is fast with others";
    case ACCUSED_HOST:
    default:
        return "its partners are fast with others";
    }
}

const char *accusation_text(struct arena *arena, const struct record *record,
                            const struct accusation *accusation)
{
    const char *fast = accusation->fast_tests > 0
                           ? arena_printf(arena, "%u more %s fast", accusation->fast_tests,
                                          accusation->fast_tests == 1 ? "was" : "were")
                           : "none was fast";

    const char *often = accusation->intermittent ? "at times " : "";
    const char *step = record->plan->steps.items[accusation->step].shape->suite_step;
    const char *place = place_text(accusation), *doubt = doubt_text(arena, accusation->doubt);

    if (*place == '\0')
        return arena_printf(
            arena, "%sit makes %s slow: %u tests of parts were slow by it, %s, and %s; chance of noise %s",
            often, step, accusation->slow_tests, fast, others_text(accusation), doubt);
    return arena_printf(
        arena, "%sit makes %s slow: %u tests of parts were slow by it, %s, and %s; %s; chance of noise %s",
        often, step, accusation->slow_tests, fast, others_text(accusation), place, doubt);
}

const char *search_title(const struct view *view, const struct search *search)
{
    const struct step *step = view->steps[search->step].step;

    return arena_printf(view->arena, "%s on %s, by %s at %s", step->shape->suite_step,
                        step_target(view->arena, step), search->metric,
                        size_text(view->arena, search->size_bytes));
}

static bool is_part(const struct view *view, const struct search *search, size_t step)
{
    return view->steps[step].step->origin == ORIGIN_ISOLATE && view->steps[step].step->parent == search->step;
}

const char *search_effort(const struct view *view, const struct search *search)
{
    size_t tests = 0;
    unsigned rounds = 0;

    for (size_t i = 0; i < view->step_count; i++) {
        if (!is_part(view, search, i))
            continue;
        tests++;
        rounds = view->steps[i].step->round > rounds ? view->steps[i].step->round : rounds;
    }
    return arena_printf(view->arena, "%u round%s, %zu test%s", rounds, rounds == 1 ? "" : "s", tests,
                        tests == 1 ? "" : "s");
}

static const struct outcome *bandwidth_of(const struct view *view, const struct search *search, size_t step)
{
    const struct shape *shape = view->steps[step].step->shape;

    for (size_t i = 0; i < shape->slot_count; i++)
        if (strcmp(shape->slots[i].metric, search->metric) == 0 &&
            shape->slots[i].size_bytes == search->size_bytes)
            return view->steps[step].items[i];
    return NULL;
}

static const char *accused_by(const struct view *view, const struct search *search, size_t step)
{
    const struct judgement *judgement = &view->record->judgement;
    const char *names = "";

    for (size_t i = 0; i < judgement->accusation_count; i++) {
        const struct accusation *accusation = &judgement->accusations[i];

        for (size_t k = 0; accusation->step == search->step && k < accusation->step_count; k++)
            if (accusation->steps[k] == step)
                names = arena_printf(view->arena, "%s%s%s", names, *names != '\0' ? ", " : "",
                                     accused_text(view->arena, accusation));
    }
    return names;
}

/* Of a round, tests of as many hosts that speak against nobody. */
struct crowd {
    struct search_line line;
    size_t members;
    double lowest, highest;
};
struct crowds {
    LIST_OF(struct crowd) items;
};

static void join_crowd(const struct view *view, struct crowds *crowds, const struct search_line *line,
                       size_t members, double value)
{
    struct crowd *crowd = NULL;

    for (size_t i = 0; i < crowds->items.count && crowd == NULL; i++)
        if (crowds->items.items[i].line.round == line->round && crowds->items.items[i].members == members)
            crowd = &crowds->items.items[i];
    if (crowd == NULL) {
        crowd = list_push(view->arena, &crowds->items);
        *crowd = (struct crowd){*line, members, value, value};
        return;
    }
    crowd->line.tests++;
    crowd->lowest = fmin(crowd->lowest, value);
    crowd->highest = fmax(crowd->highest, value);
}

static void name_crowd(const struct view *view, struct crowd *crowd)
{
    if (crowd->line.tests == 1)
        return;
    crowd->line.hosts = arena_printf(view->arena, "%zu tests of %zu host%s each", crowd->line.tests,
                                     crowd->members, crowd->members == 1 ? "" : "s");
    crowd->line.measured = arena_printf(view->arena, "%.1f to %.1f GB/s", crowd->lowest, crowd->highest);
}

/* Crowds come behind the tests of their round that are shown alone. */
static void merge(const struct view *view, const struct search_lines *alone, struct crowds *crowds,
                  struct search_lines *ret_lines)
{
    size_t next = 0, crowd = 0;

    while (next < alone->items.count || crowd < crowds->items.count)
        if (next < alone->items.count &&
            (crowd == crowds->items.count ||
             alone->items.items[next].round <= crowds->items.items[crowd].line.round)) {
            *list_push(view->arena, &ret_lines->items) = alone->items.items[next++];
        } else {
            name_crowd(view, &crowds->items.items[crowd]);
            *list_push(view->arena, &ret_lines->items) = crowds->items.items[crowd++].line;
        }
}

void search_lines_collect(const struct view *view, const struct search *search,
                          struct search_lines *ret_lines)
{
    struct search_lines alone = {0};
    struct crowds crowds = {0};

    *ret_lines = (struct search_lines){0};
    for (size_t i = 0; i < view->step_count; i++) {
        const struct step *step = view->steps[i].step;
        const struct outcome *outcome = is_part(view, search, i) ? bandwidth_of(view, search, i) : NULL;
        struct search_line line = {.round = step->round, .tests = 1, .step = i};

        if (outcome == NULL)
            continue;
        line.hosts = step_target(view->arena, step);
        line.measured = *outcome->measured != '\0' ? outcome->measured : outcome->cause;
        line.accuses = accused_by(view, search, i);
        if (*line.accuses == '\0' && isfinite(outcome->value))
            join_crowd(view, &crowds, &line, step->member_count, outcome->value);
        else
            *list_push(view->arena, &alone.items) = line;
    }
    merge(view, &alone, &crowds, ret_lines);
}
