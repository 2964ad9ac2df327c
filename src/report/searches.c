/* SPDX-License-Identifier: Apache-2.0 */
#include "searches.h"

#include <math.h>
#include <string.h>

#include "assay/model/suite.h"
#include "assay/reasons/any.h"
#include "assay/reasons/report.h"
#include "assay/reasons/words.h"

static const double doubt_shown = 1e-12; /* nobody believes more certainty of a model of noise */

const struct reason *doubt_text(struct arena *arena, double doubt)
{
    if (isnan(doubt))
        return REASON(word_unknown);
    return doubt < doubt_shown ? reason(arena, doubt_below, arena_printf(arena, "%.0e", doubt_shown))
                               : reason(arena, text, arena_printf(arena, "%.1g", doubt));
}

const struct reason *accused_text(struct arena *arena, const struct accusation *accusation)
{
    switch (accusation->kind) {
    case ACCUSED_LEAF:
        return reason(arena, accused_leaf, accusation->subject);
    case ACCUSED_LINK:
        return reason(arena, accused_path, accusation->subject);
    case ACCUSED_HOST:
    default:
        return reason(arena, text, accusation->subject);
    }
}

static const struct reason *place_text(const struct accusation *accusation)
{
    switch (accusation->place) {
    case PLACE_INSIDE:
        return REASON(fault_inside_the_host);
    case PLACE_FABRIC:
        return REASON(fault_on_its_way_to_the_fabric);
    case PLACE_UNKNOWN:
    default:
        return NULL;
    }
}

static const struct reason *others_text(const struct accusation *accusation)
{
    switch (accusation->kind) {
    case ACCUSED_LEAF:
        return REASON(leaves_on_other_side_fast);
    case ACCUSED_LINK:
        return REASON(both_hosts_fast_with_others);
    case ACCUSED_HOST:
    default:
        return REASON(partners_fast_with_others);
    }
}

const struct reason *accusation_text(struct arena *arena, const struct record *record,
                                     const struct accusation *accusation)
{
    const char *step = record->plan->steps.items[accusation->step].shape->suite_step;
    const struct reason *fast = accusation->fast_tests > 0
                                    ? reason(arena, more_were_fast, accusation->fast_tests)
                                    : REASON(none_was_fast);
    const struct reason *others = others_text(accusation), *slow;

    slow = accusation->intermittent
               ? reason(arena, makes_slow_at_times, step, accusation->slow_tests, fast, others)
               : reason(arena, makes_slow, step, accusation->slow_tests, fast, others);
    return reason(arena, with_chance_of_noise, reason_also(arena, slow, place_text(accusation)),
                  doubt_text(arena, accusation->doubt));
}

/* Whether the search right before it was among the same hosts, whose list then is not read again. */
static bool is_among_the_same(const struct view *view, const struct search *search)
{
    const struct step *step = view->steps[search->step].step, *before;

    if (search == view->record->judgement.searches)
        return false;
    before = view->steps[search[-1].step].step;
    return step->member_count == before->member_count &&
           strcmp(step->shape->variant, before->shape->variant) == 0 &&
           memcmp(step->members, before->members, step->member_count * sizeof *step->members) == 0;
}

const struct reason *search_title(const struct view *view, const struct search *search)
{
    const struct step *step = view->steps[search->step].step;
    const struct reason *hosts = is_among_the_same(view, search)
                                     ? reason(view->arena, same_hosts, step->member_count)
                                     : step_target_said(view->arena, step);

    return reason(view->arena, search_of, step->shape->suite_step, hosts, search->metric,
                  size_text(view->arena, search->size_bytes));
}

static bool is_part(const struct view *view, const struct search *search, size_t step)
{
    return view->steps[step].step->origin == ORIGIN_ISOLATE && view->steps[step].step->parent == search->step;
}

const struct reason *search_effort(const struct view *view, const struct search *search)
{
    size_t tests = 0;
    unsigned rounds = 0;

    for (size_t i = 0; i < view->step_count; i++) {
        if (!is_part(view, search, i))
            continue;
        tests++;
        rounds = view->steps[i].step->round > rounds ? view->steps[i].step->round : rounds;
    }
    return reason(view->arena, rounds_and_tests, rounds, tests);
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

static const struct reason *accused_by(const struct view *view, const struct search *search, size_t step)
{
    const struct judgement *judgement = &view->record->judgement;
    const struct reason *names = NULL;

    array_each (accusation, judgement->accusations, judgement->accusation_count) {
        for (size_t k = 0; accusation->step == search->step && k < accusation->step_count; k++)
            if (accusation->steps[k] == step) {
                const struct reason *name = accused_text(view->arena, accusation);

                names = names == NULL ? name : reason(view->arena, clause, names, name);
            }
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
    crowd->line.hosts = reason(view->arena, tests_of_hosts_each, crowd->line.tests, crowd->members);
    crowd->line.measured = reason(view->arena, from_to, arena_printf(view->arena, "%.1f", crowd->lowest),
                                  arena_printf(view->arena, "%.1f GB/s", crowd->highest));
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
        line.hosts = step_target_said(view->arena, step);
        line.measured = outcome->measured != NULL ? outcome->measured : outcome->cause;
        line.accuses = accused_by(view, search, i);
        if (line.accuses == NULL && isfinite(outcome->value))
            join_crowd(view, &crowds, &line, step->member_count, outcome->value);
        else
            *list_push(view->arena, &alone.items) = line;
    }
    merge(view, &alone, &crowds, ret_lines);
}
