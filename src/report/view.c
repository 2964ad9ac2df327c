/* SPDX-License-Identifier: Apache-2.0 */
#include "view.h"

#include <math.h>
#include <string.h>

#include "assay/model/hostfile.h"
#include "assay/model/suite.h"
#include "assay/parse/parser.h"
#include "assay/reasons/any.h"
#include "assay/reasons/model.h"
#include "assay/reasons/report.h"
#include "assay/reasons/words.h"
#include "assay/report/report.h"

/* A copy of the outcome under another word, for items on which the judgement cannot be taken at its word. */
static const struct outcome *restate(struct arena *arena, const struct outcome *outcome,
                                     enum outcome_word word, const struct reason *cause)
{
    struct outcome *copy = arena_new(arena, struct outcome);

    *copy = *outcome;
    copy->word = word;
    copy->cause = cause;
    return copy;
}

static const struct outcome *never_judged(struct arena *arena, size_t step, size_t slot)
{
    struct outcome *outcome = arena_new(arena, struct outcome);

    *outcome = (struct outcome){.step = step,
                                .slot = slot,
                                .word = OUTCOME_NOT_RUN,
                                .cause = REASON(item_never_judged),
                                .remedy = REASON(judge_again),
                                .value = NAN,
                                .held = &held_to_nothing};
    return outcome;
}

static void count_item(struct coverage *coverage, const struct slot *slot, const struct outcome *outcome)
{
    coverage->remarks += outcome->remark;
    if (slot->duty == DUTY_RECORD) {
        coverage->records++;
        return;
    }
    coverage->gates++;
    coverage->measured += outcome->measured != NULL;
    coverage->pass += outcome->word == OUTCOME_PASS;
    coverage->fail += outcome->word == OUTCOME_FAIL;
    coverage->waived += outcome->word == OUTCOME_FAIL && outcome->waiver != NULL;
    coverage->inconclusive += outcome->word == OUTCOME_INCONCLUSIVE;
    coverage->not_run += outcome->word == OUTCOME_NOT_RUN;
}

void coverage_add(struct coverage *sum, const struct coverage *part)
{
    sum->gates += part->gates;
    sum->measured += part->measured;
    sum->records += part->records;
    sum->pass += part->pass;
    sum->fail += part->fail;
    sum->inconclusive += part->inconclusive;
    sum->not_run += part->not_run;
    sum->waived += part->waived;
    sum->remarks += part->remarks;
}

/* Steps of one name stand together: the row before is nearly always the one. */
static struct coverage_row *find_row(const struct view *view, struct coverage_rows *rows, const char *name)
{
    for (size_t i = rows->items.count; i > 0; i--)
        if (strcmp(rows->items.items[i - 1].name, name) == 0)
            return &rows->items.items[i - 1];
    *list_push(view->arena, &rows->items) = (struct coverage_row){.name = name};
    return &rows->items.items[rows->items.count - 1];
}

void coverage_rows_of(const struct view *view, struct coverage_rows *ret_rows)
{
    *ret_rows = (struct coverage_rows){0};
    for (size_t i = 0; i < view->step_count; i++) {
        struct coverage_row *row = find_row(view, ret_rows, view->steps[i].step->shape->suite_step);

        coverage_add(&row->sum, &view->steps[i].coverage);
        row->targets++;
    }
}

/* Of two outcomes for one item the worse one stands. */
static void place_outcomes(struct view *view)
{
    const struct judgement *judgement = &view->record->judgement;

    for (size_t i = 0; i < judgement->outcome_count; i++) {
        const struct outcome *outcome = &judgement->outcomes[i], **place;

        if (outcome->step >= view->step_count ||
            outcome->slot >= view->steps[outcome->step].step->shape->slot_count)
            continue;
        place = &view->steps[outcome->step].items[outcome->slot];
        if (*place == NULL || outcome->word > (*place)->word)
            *place = outcome;
    }
}

static void settle_step(struct view *view, size_t index)
{
    struct step_view *step = &view->steps[index];

    step->word = OUTCOME_RECORDED;
    for (size_t i = 0; i < step->step->shape->slot_count; i++) {
        const struct slot *slot = &step->step->shape->slots[i];
        const struct outcome **item = &step->items[i];

        if (*item == NULL)
            *item = never_judged(view->arena, index, i);
        if (slot->duty == DUTY_GATE && (*item)->word == OUTCOME_RECORDED)
            *item = restate(view->arena, *item, OUTCOME_INCONCLUSIVE, REASON(gate_only_recorded));
        if (slot->duty == DUTY_GATE && (*item)->word > step->word)
            step->word = (*item)->word;
        count_item(&step->coverage, slot, *item);
    }
    coverage_add(&view->coverage, &step->coverage);
}

static bool is_accepted(enum verdict_word word)
{
    return word == VERDICT_ACCEPT || word == VERDICT_ACCEPT_WITH_EXCEPTIONS;
}

/*
 * The judgement's word, unless its own outcomes forbid it: what is shown is never better than what is in the
 * tables below it.
 */
static void settle_verdict(struct view *view)
{
    const struct judgement *judgement = &view->record->judgement;
    const struct coverage *all = &view->coverage;
    bool ended = view->record->state == RUN_ENDED;
    bool undecided = all->inconclusive + all->not_run > 0 || all->gates == 0 || !ended;

    view->verdict_note = NULL;
    view->verdict = VERDICT_INCOMPLETE;
    if (judgement->verdict_count == 0 || strcmp(judgement->verdicts[0].scope, "run") != 0) {
        view->verdict_note =
            view->record->state == RUN_RUNNING
                ? reason(view->arena, run_goes_on, view->record->number, view->record->number)
                : REASON(run_not_judged);
        return;
    }
    view->verdict = judgement->verdicts[0].word;
    if (is_accepted(view->verdict) && all->fail - all->waived + judgement->accusation_count > 0)
        view->verdict = VERDICT_REJECT;
    else if (is_accepted(view->verdict) && undecided)
        view->verdict = VERDICT_INCOMPLETE;
    else if (view->verdict == VERDICT_ACCEPT && all->waived > 0)
        view->verdict = VERDICT_ACCEPT_WITH_EXCEPTIONS;
    if (!ended)
        view->verdict_note =
            reason(view->arena, run_not_ended, reason_word(view->arena, run_state_name(view->record->state)));
    else if (view->verdict != judgement->verdicts[0].word)
        view->verdict_note = reason(
            view->arena, judgement_not_supported,
            reason_word(view->arena, standing_verdict(&view->record->standing, judgement->verdicts[0].word)));
}

enum verdict_word report_verdict(const struct record *record)
{
    cleanup_arena struct arena *arena = arena_create();
    enum verdict_word verdict = view_create(arena, record)->verdict;

    return verdict;
}

static void place_host_verdicts(struct view *view)
{
    const struct plan *plan = view->record->plan;
    const struct judgement *judgement = &view->record->judgement;
    size_t next = 0;

    view->host_verdicts = arena_array(view->arena, const struct verdict *, plan->hosts.count);
    for (size_t i = 0; i < judgement->verdict_count && next < plan->hosts.count; i++) {
        const struct verdict *verdict = &judgement->verdicts[i];

        if (strcmp(verdict->scope, "host") != 0)
            continue;
        /* Both lists are in hostfile order; hosts without a verdict are passed over. */
        for (size_t k = next; k < plan->hosts.count; k++)
            if (strcmp(plan->hosts.items[k]->name, verdict->name) == 0) {
                view->host_verdicts[k] = verdict;
                next = k + 1;
                break;
            }
    }
}

static void choose_told(struct view *view)
{
    size_t hosts = view->record->plan->hosts.count;

    view->told = arena_array(view->arena, bool, hosts + 1);
    for (size_t i = 0; i < hosts && hosts <= HOSTS_TOLD; i++)
        view->told[view->told_count++] = true;
    for (size_t i = 0; i < view->step_count && view->told_count < HOSTS_TOLD; i++) {
        const struct step *step = view->steps[i].step;
        size_t host = step->member_count == 1 && view->steps[i].word > OUTCOME_PASS
                          ? view_host(view, step->members[0])
                          : (size_t)-1;

        if (host == (size_t)-1 || view->told[host])
            continue;
        view->told[host] = true;
        view->told_count++;
    }
}

bool view_tells_all(const struct view *view)
{
    return view->told_count == view->record->plan->hosts.count;
}

bool view_tells_step(const struct view *view, size_t step)
{
    const struct step *at = view->steps[step].step;
    size_t host = at->member_count == 1 ? view_host(view, at->members[0]) : (size_t)-1;

    return host == (size_t)-1 || view->told[host];
}

struct view *view_create(struct arena *arena, const struct record *record)
{
    struct view *view = arena_new(arena, struct view);

    view->arena = arena;
    view->record = record;
    view->step_count = record->plan->steps.count;
    view->places = host_places_create(arena, record->plan);
    view->steps = arena_array(arena, struct step_view, view->step_count);
    for (size_t i = 0; i < view->step_count; i++) {
        view->steps[i].step = &record->plan->steps.items[i];
        view->steps[i].items =
            arena_array(arena, const struct outcome *, view->steps[i].step->shape->slot_count);
    }
    for (size_t i = 0; i < record->attempts.count; i++)
        if (record->attempts.items[i].step < view->step_count)
            *list_push(arena, &view->steps[record->attempts.items[i].step].attempts) =
                &record->attempts.items[i];
    place_outcomes(view);
    for (size_t i = 0; i < view->step_count; i++)
        settle_step(view, i);
    choose_told(view);
    settle_verdict(view);
    view->verdict_text = view->verdict == VERDICT_ACCEPT_WITH_EXCEPTIONS
                             ? standing_verdict_text(arena, &record->standing, &record->judgement)
                             : reason_word(arena, standing_verdict(&record->standing, view->verdict));
    place_host_verdicts(view);
    return view;
}

const bool *shapes_of_suite(struct arena *arena, const struct plan *plan)
{
    bool *of_suite = arena_array(arena, bool, plan->shapes.count);
    size_t place = 0;

    /* Steps of one shape mostly come one after the other, and shapes in the order of steps. */
    for (size_t i = 0; i < plan->steps.count; i++)
        for (size_t k = 0; k < plan->shapes.count; k++, place = (place + 1) % plan->shapes.count)
            if (plan->shapes.items[place] == plan->steps.items[i].shape) {
                of_suite[place] |= plan->steps.items[i].origin != ORIGIN_ISOLATE;
                break;
            }
    return of_suite;
}

const struct suite *documents_suite(struct arena *arena, const struct documents *documents)
{
    const struct document *suite = document_find(documents, "suite");
    struct error err = {0};

    return suite != NULL ? suite_parse(arena, suite->name, suite->bytes, &err) : NULL;
}

const struct hostfile *documents_hostfile(struct arena *arena, const struct documents *documents)
{
    const struct document *last = NULL;
    struct error err = {0};

    for (size_t i = 0; i < documents->count; i++)
        if (strcmp(documents->items[i].kind, "hostfile") == 0)
            last = &documents->items[i];
    return last != NULL ? hostfile_parse(arena, last->name, last->bytes, &err) : NULL;
}

const struct suite *view_suite(const struct view *view)
{
    return documents_suite(view->arena, &view->record->documents);
}

const struct slot *view_slot(const struct view *view, const struct outcome *outcome)
{
    return &view->steps[outcome->step].step->shape->slots[outcome->slot];
}

bool view_shows_own_value(const struct view *view, const struct outcome *outcome)
{
    const char *measured = reason_argument_text(outcome->measured, 1);
    const struct metric *metric;

    if (reason_is(outcome->held->gate, gate_of_metric))
        return false;
    if (outcome->held->status == NULL || strcmp(outcome->held->status, "peers") != 0)
        return true;
    if (measured == NULL)
        return false;
    metric = metric_find(view_slot(view, outcome)->metric);
    return metric == NULL || *metric->unit == '\0' ? strchr(measured, ' ') == NULL
                                                   : slice_ends(slice_of(measured), metric->unit);
}

size_t view_shown(const struct view *view, const struct outcome *outcome)
{
    const struct step_view *at = &view->steps[outcome->step];
    const struct slot *slots = at->step->shape->slots;
    const char *metric =
        reason_is(outcome->held->gate, gate_of_metric) ? reason_argument_text(outcome->held->gate, 1) : NULL;

    if (view_shows_own_value(view, outcome))
        return outcome->slot;
    for (size_t i = 0; metric != NULL && i < at->step->shape->slot_count; i++)
        if (strcmp(slots[i].metric, metric) == 0 &&
            strcmp(slots[i].subject, slots[outcome->slot].subject) == 0)
            return i;
    for (size_t i = 0; i < at->step->shape->slot_count; i++)
        if (i != outcome->slot && at->items[i]->value == outcome->value &&
            reason_equal(at->items[i]->measured, outcome->measured))
            return i;
    return outcome->slot;
}

const struct slot *view_shown_slot(const struct view *view, const struct outcome *outcome)
{
    return &view->steps[outcome->step].step->shape->slots[view_shown(view, outcome)];
}

size_t view_host(const struct view *view, const struct host *host)
{
    const struct plan *plan = view->record->plan;

    size_t place = host_place(view->places, host);

    for (size_t i = 0; place == (size_t)-1 && i < plan->hosts.count; i++)
        if (strcmp(plan->hosts.items[i]->name, host->name) == 0)
            place = i;
    return place;
}

size_t view_attempt_index(const struct view *view, const struct attempt *attempt)
{
    return (size_t)(attempt - view->record->attempts.items);
}

static const struct reason *known_place(struct slice word)
{
    const struct {
        const char *word;
        const struct reason *said;
    } rows[] = {{"place=out", REASON(at_place_out)},
                {"place=in", REASON(at_place_in)},
                {"way=there", REASON(at_way_there)},
                {"way=back", REASON(at_way_back)},
                {"stat=average", REASON(at_average)},
                {"stat=peak", REASON(at_peak)},
                {"direction=unidirectional", REASON(at_one_direction)},
                {"direction=bidirectional", REASON(at_both_directions)}};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (slice_equal(word, rows[i].word))
            return rows[i].said;
    return NULL;
}

/* "size_bytes=8589934592" as "size 8G", "place=out" as "place out". */
static const struct reason *place_said(struct arena *arena, struct slice word)
{
    const struct reason *known = known_place(word);
    struct slice key = word, value = {"", 0};
    double bytes;

    if (known != NULL)
        return known;
    if (slice_part(word, "=", &key, &value) && slice_equal(key, "size_bytes") &&
        size_parse(arena_strndup(arena, value.bytes, value.length), &bytes))
        return reason(arena, at_size, size_text(arena, bytes));
    if (value.length > 0 && slice_equal(key, "state"))
        return reason(arena, at_state, arena_strndup(arena, value.bytes, value.length));
    if (value.length > 0)
        return reason(arena, text, arena_printf(arena, "%.*s %.*s", slice_print(key), slice_print(value)));
    return reason(arena, text, key);
}

const struct reason *slot_at_text(struct arena *arena, const struct slot *slot)
{
    struct slice rest = slice_of(slot->at), word;
    const struct reason *text = NULL;

    while (scan_word(&rest, &word)) {
        const struct reason *place = place_said(arena, word);

        text = text == NULL ? place : reason(arena, clause, text, place);
    }
    return text;
}

const char *count_text(struct arena *arena, size_t count)
{
    if (count < 1000)
        return arena_printf(arena, "%zu", count);
    return arena_printf(arena, "%s,%03zu", count_text(arena, count / 1000), count % 1000);
}

double attempt_start(const struct attempt *attempt)
{
    return attempt->began > 0 ? attempt->began : attempt->sent;
}

double attempt_seconds(const struct attempt *attempt)
{
    double start = attempt_start(attempt);

    return start > 0 && attempt->ended >= start ? attempt->ended - start : NAN;
}

const struct reason *attempt_end_text(struct arena *arena, const struct attempt *attempt)
{
    if (attempt->state == ATTEMPT_SENT)
        return REASON(word_no_end_seen);
    if (attempt->end == ATTEMPT_RAN)
        return reason(arena, ended_with_exit, attempt->rc);
    if (attempt->end == ATTEMPT_KILLED)
        return reason(arena, ended_with_signal, attempt->rc);
    return reason_word(arena, attempt_end_name(attempt->end));
}

const struct reason *capture_note(const struct capture *capture)
{
    static const struct reason *const notes[] = {
        NULL,
        REASON(capture_cut),
        REASON(capture_flooded),
        REASON(capture_flooded_and_cut),
        REASON(capture_clipped),
        REASON(capture_cut_clipped),
        REASON(capture_flooded_clipped),
        REASON(capture_flooded_cut_clipped),
    };

    return notes[4 * capture->clipped + 2 * capture->flooded + capture->cut];
}

/* NULL: isolation names nobody. */
static const struct reason *accused_names(const struct view *view)
{
    enum { NAMED = 5 };
    const struct judgement *judgement = &view->record->judgement;
    const struct reason *names = NULL;

    for (size_t i = 0; i < judgement->accusation_count && i < NAMED; i++) {
        const struct reason *name = accused_text(view->arena, &judgement->accusations[i]);

        names = names == NULL ? name : reason(view->arena, clause, names, name);
    }
    return judgement->accusation_count > NAMED ? reason(view->arena, and_others, names) : names;
}

static const struct reason *failed_sentence(const struct view *view, const char *gates)
{
    const struct coverage *all = &view->coverage;
    const char *failed = count_text(view->arena, all->fail),
               *undecided = count_text(view->arena, all->inconclusive),
               *not_run = count_text(view->arena, all->not_run);

    if (all->inconclusive > 0 && all->not_run > 0)
        return reason(view->arena, gates_failed, failed, gates, undecided, not_run);
    if (all->inconclusive > 0)
        return reason(view->arena, gates_failed_some_undecided, failed, gates, undecided);
    if (all->not_run > 0)
        return reason(view->arena, gates_failed_some_not_run, failed, gates, not_run);
    return reason(view->arena, gates_failed_rest_decided, failed, gates);
}

static const struct reason *rejected_sentence(const struct view *view, const char *gates)
{
    const struct reason *names = accused_names(view), *sentence = failed_sentence(view, gates);

    return names == NULL ? sentence : reason(view->arena, isolation_accuses, sentence, names);
}

/* "size_bytes=8 place=out": each word must be among those of the measurement. */
static bool is_taken_at(struct arena *arena, const struct measurement *measurement, const char *at)
{
    const char *where = arena_printf(arena, " %s ", at_text(arena, measurement));
    struct slice rest = slice_of(at), word;

    while (scan_word(&rest, &word))
        if (strstr(where, arena_printf(arena, " %.*s ", slice_print(word))) == NULL)
            return false;
    return true;
}

bool measurement_is_of(struct arena *arena, const struct measurement *measurement, const struct slot *slot)
{
    return strcmp(measurement->metric, slot->metric) == 0 &&
           strcmp(measurement->subject, slot->subject) == 0 && is_taken_at(arena, measurement, slot->at);
}

static size_t count_not_asked(const struct view *view)
{
    size_t count = 0;

    for (size_t i = 0; i < view->step_count; i++)
        if (view->steps[i].step->origin == ORIGIN_LEFT_OUT &&
            reason_is(view->steps[i].step->origin_note, left_out_by_steps))
            count += view->steps[i].coverage.not_run;
    return count;
}

/* What is open was not asked for, or could not be decided as well. */
static const struct reason *incomplete_sentence(const struct view *view, const char *open, const char *gates)
{
    const struct coverage *all = &view->coverage;

    if (standing_is_acceptance(&view->record->standing))
        return reason(view->arena, gates_undecided_not_accepted, open, gates);
    if (all->pass > 0 && all->fail == 0 && all->inconclusive == 0 && all->not_run == count_not_asked(view))
        return reason(view->arena, gates_met_others_not_asked, count_text(view->arena, all->pass), gates,
                      open);
    return reason(view->arena, gates_undecided, open, gates);
}

const struct reason *verdict_sentence(const struct view *view)
{
    const struct coverage *all = &view->coverage;
    const char *gates = count_text(view->arena, all->gates);
    const char *open = count_text(view->arena, all->inconclusive + all->not_run);

    switch (view->verdict) {
    case VERDICT_ACCEPT:
        return reason(view->arena, all_gates_met, gates);
    case VERDICT_ACCEPT_WITH_EXCEPTIONS:
        return reason(view->arena, gates_met_but_waived, count_text(view->arena, all->pass), gates,
                      count_text(view->arena, all->waived), judgement_waivers(&view->record->judgement));
    case VERDICT_REJECT:
        return rejected_sentence(view, gates);
    case VERDICT_INCOMPLETE:
    default:
        return incomplete_sentence(view, open, gates);
    }
}

const char *view_refusal(const struct step_view *step)
{
    const struct attempt *last =
        step->attempts.count > 0 ? step->attempts.items[step->attempts.count - 1] : NULL;

    return last != NULL && ((last->end >= ATTEMPT_UNREACHABLE && last->end <= ATTEMPT_NO_SPOOL) ||
                            last->end == ATTEMPT_JUMP_FAILED)
               ? attempt_end_name(last->end)
               : NULL;
}
