/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/base/scan.h"
#include "assay/parse/parser.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/reasons/model.h"
#include "assay/reasons/report.h"

#include "gates.h"

#include <math.h>
#include <string.h>

enum { SUBJECTS_NAMED = 64, PLACES_NAMED = 4 };

const struct reason *limit_origin(struct arena *arena, const char *status, const struct reason *source)
{
    const struct reason *word = reason_word(arena, status);

    if (word == NULL || source == NULL)
        return word != NULL ? word : source;
    return reason(arena, about, word, source);
}

const struct reason *gate_alone(struct arena *arena, const struct reason *gate)
{
    return reason_is(gate, gate_of_metric) ? reason_argument(arena, gate, 2) : gate;
}

const struct reason *gate_bound(struct arena *arena, const struct reason *gate)
{
    gate = gate_alone(arena, gate);
    while (reason_is(gate, bound_eased) || reason_is(gate, bound_with_tolerance_in_it) ||
           reason_is(gate, peers_bound_eased))
        gate = reason_argument(arena, gate, 1);
    return gate;
}

bool gate_number(struct arena *arena, const struct reason *gate, struct gate_number *ret_number)
{
    const struct limit_bound bound = limit_bound_of(gate_bound(arena, gate));
    bool most = isnan(bound.least);

    *ret_number =
        (struct gate_number){.bound = most ? bound.most : bound.least, .most = most && bound.ceiling};
    return isfinite(ret_number->bound);
}

double gate_margin(struct gate_number number, double value)
{
    return number.bound > 0 ? (value / number.bound - 1) * (number.most ? -1 : 1) : NAN;
}

const struct metric *gate_speed(const struct slot *slot)
{
    const struct metric *metric = slot->duty == DUTY_GATE ? metric_find(slot->metric) : NULL;

    if (metric == NULL || metric->better == BETTER_NEITHER)
        return NULL;
    return metric->peers || metric->members || slice_ends(slice_of(metric->unit), "/s") ||
                   strcmp(metric->unit, "us") == 0
               ? metric
               : NULL;
}

static bool same_line(struct arena *arena, const struct gate_line *line, const struct slot *slot,
                      const struct outcome *outcome, const char *suite_step)
{
    return strcmp(line->metric, slot->metric) == 0 &&
           reason_equal(line->gate, gate_alone(arena, outcome->held->gate)) &&
           strcmp(line->suite_step, suite_step) == 0 && reason_equal(line->source, outcome->held->source) &&
           strcmp(line->status, outcome->held->status) == 0 &&
           reason_equal(line->limit, outcome->held->limit);
}

static struct gate_line *line_for(const struct view *view, struct gate_lines *lines,
                                  const struct outcome *outcome)
{
    const struct slot *slot = view_shown_slot(view, outcome);
    const char *suite_step = view->steps[outcome->step].step->shape->suite_step;
    struct gate_line *line;

    /* The last one first: items of one metric stand together. */
    for (size_t i = lines->items.count; i > 0; i--)
        if (same_line(view->arena, &lines->items.items[i - 1], slot, outcome, suite_step))
            return &lines->items.items[i - 1];
    line = list_push(view->arena, &lines->items);
    *line = (struct gate_line){.suite_step = suite_step,
                               .metric = slot->metric,
                               .limit = outcome->held->limit,
                               .gate = gate_alone(view->arena, outcome->held->gate),
                               .status = outcome->held->status,
                               .source = outcome->held->source,
                               .names = ""};
    return line;
}

/* "size 8G, place out; size 16G, place out", or how many there are, from the first to the last. */
static void line_add_place(struct arena *arena, struct gate_line *line, const struct slot *slot)
{
    const struct reason *place;

    for (size_t i = line->places.count; i > 0; i--)
        if (strcmp(line->places.items[i - 1], slot->at) == 0)
            return;
    *list_push(arena, &line->places) = slot->at;
    if (*slot->at == '\0')
        return;
    place = slot_at_text(arena, slot);
    if (line->places.count == 1)
        line->first_place = place;
    if (line->places.count <= PLACES_NAMED)
        line->at = reason_also(arena, line->at, place);
    else
        line->at = reason(arena, places_from_to, line->places.count, line->first_place, place);
}

static void line_count(const struct view *view, struct gate_line *line, const struct outcome *outcome)
{
    line_add_place(view->arena, line, view_shown_slot(view, outcome));
    line->first = line->first != NULL ? line->first : outcome;
    if (isfinite(outcome->value) && (line->least == NULL || outcome->value < line->least->value))
        line->least = outcome;
    if (isfinite(outcome->value) && (line->most == NULL || outcome->value > line->most->value))
        line->most = outcome;
    line->items++;
    line->recorded += view_slot(view, outcome)->duty == DUTY_RECORD;
    line->failing += outcome->word == OUTCOME_FAIL;
    line->not_passed += outcome->word >= OUTCOME_NOT_RUN;
}

void gate_lines_of_entry(const struct view *view, const struct report_entry *entry,
                         struct gate_lines *ret_lines)
{
    *ret_lines = (struct gate_lines){0};
    for (size_t i = 0; i < entry->items; i++) {
        const struct outcome *outcome = entry->outcomes[i];
        struct gate_line *line = line_for(view, ret_lines, outcome);

        line_count(view, line, outcome);
        /* Equal subjects of several hosts are named once. */
        if (line->items <= SUBJECTS_NAMED)
            line->names = arena_add_word_once(view->arena, line->names, view_slot(view, outcome)->subject);
    }
    for (size_t i = 0; i < ret_lines->items.count; i++) {
        struct gate_line *line = &ret_lines->items.items[i];

        line->subjects = line->items > SUBJECTS_NAMED
                             ? reason(view->arena, and_others_in_all, line->names, line->items)
                             : reason_text(view->arena, line->names);
    }
}

const struct reason *gate_line_measured(struct arena *arena, const struct gate_line *line)
{
    if (line->least == NULL)
        return line->first->measured;
    return line->least->value < line->most->value
               ? reason(arena, from_to, line->least->measured, line->most->measured)
               : line->least->measured;
}

void gate_lines_of_run(const struct view *view, struct gate_lines *ret_lines)
{
    *ret_lines = (struct gate_lines){0};
    for (size_t i = 0; i < view->step_count; i++)
        for (size_t k = 0; k < view->steps[i].step->shape->slot_count; k++)
            if (view->steps[i].items[k]->held->gate != NULL)
                line_count(view, line_for(view, ret_lines, view->steps[i].items[k]), view->steps[i].items[k]);
}

/* -- Remarks ---------------------------------------------------------------------------------------------- */

/* How a value came, or when it was slow: its limit is met, or there is none. */
static bool tells_how(const struct reason *cause)
{
    return reason_has(cause, passed_after_broken_attempts) || reason_has(cause, too_few_peers_answered) ||
           reason_has(cause, read_on_no_host) || reason_has(cause, too_few_slices) ||
           reason_has(cause, slow_spell) || reason_has(cause, slow_spells) ||
           reason_has(cause, counts_anew_since_reboot) || reason_has(cause, controllers_clock_behind) ||
           reason_has(cause, controllers_clock_ahead);
}

static bool misses_limit(const struct outcome *outcome)
{
    if (outcome->held->gate == NULL)
        return false;
    return outcome_stands_out(outcome) || reason_has(outcome->cause, guess_expects) ||
           !tells_how(outcome->cause);
}

static bool same_remark(struct arena *arena, const struct remark_line *line, bool missed,
                        const struct slot *slot, const struct outcome *outcome, const char *suite_step)
{
    if (line->missed != missed)
        return false;
    if (missed)
        return same_line(arena, &line->gate, slot, outcome, suite_step);
    return strcmp(line->gate.suite_step, suite_step) == 0 &&
           reason_equal(line->gate.first->cause, outcome->cause);
}

static struct remark_line *remark_for(const struct view *view, struct remark_lines *lines,
                                      const struct outcome *outcome)
{
    struct gate_lines one = {0};
    struct remark_line *line;
    const char *suite_step = view->steps[outcome->step].step->shape->suite_step;
    const struct slot *slot = view_shown_slot(view, outcome);
    bool missed = misses_limit(outcome);

    for (size_t i = lines->items.count; i > 0; i--)
        if (same_remark(view->arena, &lines->items.items[i - 1], missed, slot, outcome, suite_step))
            return &lines->items.items[i - 1];
    line = list_push(view->arena, &lines->items);
    line->missed = missed;
    line->gate = *line_for(view, &one, outcome);
    line->gate.first = outcome;
    line->example = *slot->subject != '\0' && missed
                        ? reason(view->arena, about, slot->subject, outcome->cause)
                        : outcome->cause;
    return line;
}

/* Once. Steps come in plan order: of one host's steps it is the last one that is there, a test across hosts may share any with others. */
static void add_host(const struct view *view, struct remark_line *line, const struct step *step,
                     const struct host *host)
{
    size_t looked_at = step->member_count > 1 ? line->hosts.count : line->hosts.count > 0;

    for (size_t i = 0; i < looked_at; i++)
        if (line->hosts.items[line->hosts.count - 1 - i] == host)
            return;
    *list_push(view->arena, &line->hosts) = host;
}

static void remark_take(const struct view *view, struct remark_line *line, const struct outcome *outcome)
{
    const struct step *step = view->steps[outcome->step].step;

    line_count(view, &line->gate, outcome);
    for (size_t i = 0; i < step->member_count; i++)
        add_host(view, line, step, step->members[i]);
}

/* What differs from host to host is told first, what only a guess expects behind it, and last how values came. */
static int remark_place(const struct remark_line *line)
{
    if (!line->missed)
        return 2;
    return strcmp(line->gate.status, "guess") == 0;
}

static void remarks_sort(const struct view *view, struct remark_lines *lines)
{
    struct remark_line *sorted = arena_array(view->arena, struct remark_line, lines->items.count + 1);
    size_t count = 0;

    for (int place = 0; place <= 2; place++)
        for (size_t i = 0; i < lines->items.count; i++)
            if (remark_place(&lines->items.items[i]) == place) {
                lines->missed += lines->items.items[i].missed;
                sorted[count++] = lines->items.items[i];
            }
    lines->items.items = sorted;
}

void remark_lines_of_run(const struct view *view, struct remark_lines *ret_lines)
{
    *ret_lines = (struct remark_lines){0};
    for (size_t i = 0; i < view->step_count; i++)
        for (size_t k = 0; k < view->steps[i].step->shape->slot_count; k++)
            if (view->steps[i].items[k]->remark)
                remark_take(view, remark_for(view, ret_lines, view->steps[i].items[k]),
                            view->steps[i].items[k]);
    for (size_t i = 0; i < ret_lines->items.count; i++) {
        struct remark_line *line = &ret_lines->items.items[i];
        struct step joined = {.members = line->hosts.items, .member_count = line->hosts.count};

        line->targets = step_target_said(view->arena, &joined);
    }
    remarks_sort(view, ret_lines);
}
