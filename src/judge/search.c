/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a slow step of the plan, and the parts of it that have run, to what isolate.h asks: which parts to run next, or
 * who is to blame. A pure function of plan and attempts, so that a resumed run goes on with the same parts, and a run
 * that is judged again accuses the same.
 *
 * What a part is compared with: a pair with the other pairs; a larger group with the limit that the suite or the
 * baseline has for so many hosts, for it is the limit that was not met; one host alone with others alone.
 */
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/robust.h"
#include "assay/reasons/judge.h"

#include "search_private.h"

enum {
    ROUNDS_MOST = 60,
    CONTROLS = 3,
    PAIR = 2,
    TRIPLE = 3,
    ROUNDS_BROKEN = 2,
    ROUNDS_BLANK = 3,
    PAIRS_TELLING = 8
};

/* A fault makes that much slower at least; healthy tests differ by so much (standard deviation) at least. */
static const double least_slow = 0.10, least_noise = 0.02;

/* --- whether there is something to look for ----------------------------------------------------------------------- */

static bool is_bandwidth(const struct step *step, const struct slot *slot)
{
    const char *bandwidth = check_find(step->shape->check)->bandwidth;

    return bandwidth != NULL && fnmatch(bandwidth, slot->metric, 0) == 0 && slot->size_bytes > 0;
}

static bool misses_limit(const struct looked *looked, size_t slot)
{
    const struct step *step = looked->step;
    struct outcome outcome;

    slot_outcome(looked->arena, step, looked->index, slot, limits_book_find(looked->book, step->shape, slot),
                 &looked->attempts[looked->index], NULL, &outcome);
    return outcome.word == OUTCOME_FAIL && isfinite(outcome.value);
}

/* A test that ended well and whose table lacks a row has measured nothing, and speaks against nobody. */
static bool is_broken_off(struct attempt_bearing bearing)
{
    return (bearing.kind == KIND_CRASH && !bearing.lacks) || bearing.kind == KIND_HANG;
}

/* It never came to its end, and the retries are spent. */
static bool breaks_off(const struct looked *looked)
{
    const struct step_attempts *attempts = &looked->attempts[looked->index];
    struct attempt_bearing last = {.kind = KIND_NOT_RUN};

    for (size_t i = 0; i < attempts->count; i++) {
        last = attempt_bearing(looked->arena, attempts->items[i]);
        if (last.kind == KIND_WHOLE)
            return false;
    }
    return is_broken_off(last);
}

/* Of the largest message size that it failed by, or that is judged where it never came to an end. */
static const struct slot *slow_slot(const struct looked *looked)
{
    const struct step *step = looked->step;
    const struct slot *found = NULL;
    bool broken = breaks_off(looked);

    for (size_t i = 0; i < step->shape->slot_count; i++) {
        const struct slot *slot = &step->shape->slots[i];

        if (!is_bandwidth(step, slot) || slot->duty != DUTY_GATE ||
            (found != NULL && slot->size_bytes <= found->size_bytes))
            continue;
        if (broken || misses_limit(looked, i))
            found = slot;
    }
    return found;
}

static bool may_be_searched(const struct looked *looked)
{
    const struct suite_step *suite_step =
        suite_step_find(looked->book->limits->suite, looked->step->shape->suite_step);

    /* Of two hosts nobody can tell which of them, or whether the path between them, is to blame. */
    return looked->step->member_count > PAIR && looked->attempts[looked->index].count > 0 &&
           suite_step != NULL && suite_step->isolate &&
           (looked->step->origin == ORIGIN_SUITE || looked->step->origin == ORIGIN_SUBSTITUTE);
}

/* --- what the parts showed ---------------------------------------------------------------------------------------- */

/* The floor among them; NAN: there is none. */
static double floor_of(const struct slot_limits *limits)
{
    for (size_t i = 0; i < limits->limits.count; i++) {
        const struct limit *limit = limits->limits.items[i];

        if ((limit->rule == RULE_FLOOR || limit->rule == RULE_RANGE) && limit_enforceable(limit))
            return limit_gate(limit);
    }
    return NAN;
}

static const struct slot *same_slot(const struct shape *shape, const struct slot *slot)
{
    for (size_t i = 0; i < shape->slot_count; i++)
        if (strcmp(shape->slots[i].metric, slot->metric) == 0 &&
            shape->slots[i].size_bytes == slot->size_bytes)
            return &shape->slots[i];
    return NULL;
}

/* By its last attempt: false when that says nothing, as a test that was not begun or was cut off. */
static bool value_of_part(const struct looked *looked, size_t step, double *ret_value)
{
    const struct step_attempts *attempts = &looked->attempts[step];
    const struct slot *slot = same_slot(looked->record->plan->steps.items[step].shape, looked->slot);
    struct values values;
    struct attempt_bearing last;

    *ret_value = NAN;
    if (attempts->count == 0 || slot == NULL)
        return false;
    last = attempt_bearing(looked->arena, attempts->items[attempts->count - 1]);
    if (last.kind != KIND_WHOLE)
        return is_broken_off(last) || last.kind == KIND_FAULT;
    slot_values(looked->arena, slot, attempts->items[attempts->count - 1], &values);
    for (size_t i = 0; i < values.items.count; i++)
        *ret_value = fmin(*ret_value, values.items.items[i].number);
    return isfinite(*ret_value);
}

static const struct slot_limits *limits_of(const struct looked *looked, const struct shape *shape,
                                           const struct slot *slot)
{
    return limits_book_find(looked->book, shape, (size_t)(slot - shape->slots));
}

/* The limit for so many hosts, or the one that the slow step has; NAN: there is none. */
static double gate_of(const struct looked *looked, const struct shape *shape)
{
    const struct slot *slot = same_slot(shape, looked->slot);
    struct slot_limits foreign;
    double gate;

    /* The item of the slow step, as if that many hosts owed it. */
    if (slot == NULL)
        slot_limits_find(looked->arena, looked->book->limits, shape, looked->slot, &foreign);
    gate = floor_of(slot != NULL ? limits_of(looked, shape, slot) : &foreign);
    if (isnan(gate))
        gate = floor_of(limits_of(looked, looked->step->shape, looked->slot));
    return gate;
}

/* What a value that just meets the limit is called: in the middle between healthy and slow. */
static double reference_of(const struct looked *looked, const struct shape *shape, double value)
{
    double gate = gate_of(looked, shape);

    return isnan(gate) ? value : gate / (1 - looked->problem.slow / 2);
}

size_t place_among(const struct step *step, const struct host *host)
{
    size_t i = 0;

    while (i < step->member_count && step->members[i] != host)
        i++;
    return i;
}

static void add_part(struct looked *looked, size_t index)
{
    const struct step *step = &looked->record->plan->steps.items[index];
    struct part_value *part = list_push(looked->arena, &looked->parts);

    *part = (struct part_value){.step = index, .round = step->round, .count = step->member_count};
    part->hosts = arena_array(looked->arena, size_t, part->count);
    for (size_t i = 0; i < part->count; i++)
        part->hosts[i] = place_among(looked->step, step->members[i]);
    part->known = value_of_part(looked, index, &part->value);
    looked->last_round = part->round > looked->last_round ? part->round : looked->last_round;
}

static unsigned leaf_number(struct looked *looked, const char *leaf)
{
    size_t i = 0;

    while (i < looked->leaves.count && strcmp(looked->leaves.items[i], leaf) != 0)
        i++;
    if (i == looked->leaves.count)
        *list_push(looked->arena, &looked->leaves) = leaf;
    return (unsigned)i;
}

/* Hosts whose leaf nobody declared may hang on any: then none is told from another. */
static void number_leaves(struct looked *looked, struct isolate_host *hosts)
{
    const struct step *step = looked->step;
    bool declared = true;

    for (size_t i = 0; i < step->member_count; i++)
        declared = declared && *step->members[i]->leaf != '\0';
    for (size_t i = 0; i < step->member_count; i++)
        hosts[i] = (struct isolate_host){step->members[i]->name,
                                         declared ? leaf_number(looked, step->members[i]->leaf) : 0};
}

/*
 * By how much healthy pairs differ, as a fraction: from the middle of the upper half of all pairs, so that it holds while
 * no more than half of them are slow. Without it a busy machine or a shared fabric would make hosts look bad.
 */
static double noise_of(const struct looked *looked)
{
    /* Of a normal distribution, between its quantiles 0.625 and 0.875. */
    static const double deviations = 1.150 - 0.319;
    double *values = arena_array(looked->arena, double, looked->parts.count + 1), spread;
    size_t count = 0;

    for (size_t i = 0; i < looked->parts.count; i++)
        if (looked->parts.items[i].count == PAIR && isfinite(looked->parts.items[i].value))
            values[count++] = looked->parts.items[i].value;
    if (count < PAIRS_TELLING)
        return least_noise;
    robust_sort(values, count);
    spread = values[count * 7 / 8] - values[count * 5 / 8];
    return fmax(least_noise, spread / deviations / values[count * 3 / 4]);
}

/*
 * Where the whole broke off, and a part of it does: then what a part measures says nothing, and that it ended all. How
 * much values differ, which on a busy machine is much, does not make it less sure who never ends. While no part broke
 * off, their values are looked at: a slow host may be behind a deadline.
 */
static void look_at_endings(struct looked *looked)
{
    bool any = false;

    for (size_t i = 0; i < looked->parts.count; i++)
        any |= looked->parts.items[i].known && isnan(looked->parts.items[i].value);
    for (size_t i = 0; i < looked->parts.count && any && breaks_off(looked); i++) {
        struct part_value *part = &looked->parts.items[i];

        if (part->known && !isnan(part->value)) {
            part->value = 1;
            part->ended = true;
        }
    }
}

/* NAN: it broke off. Where nothing but its end is looked at, or there is no limit, it reaches it by its end. */
static double share_of_limit(const struct looked *looked, const struct part_value *part)
{
    double gate = gate_of(looked, looked->record->plan->steps.items[part->step].shape);

    if (isnan(part->value))
        return NAN;
    return part->ended || isnan(gate) ? 1 : part->value / gate;
}

/*
 * How much slower than healthy who explains the step must be: by what it lacks to its limit, or the fastest larger part
 * that misses its own. Hosts that are slower by less, as on a machine that others keep busy, do not explain it.
 */
static double slow_enough(const struct looked *looked)
{
    double value, best = NAN;

    if (value_of_part(looked, looked->index, &value))
        best = value / gate_of(looked, looked->step->shape);
    list_each (part, looked->parts) {
        double share = part->known && part->count > PAIR ? share_of_limit(looked, part) : NAN;

        if (share < 1)
            best = fmax(best, share);
    }
    return best < 1 ? fmax(least_slow, 1 - best) : least_slow;
}

/* false: there is nothing to look for in this step. */
static bool look_at(struct looked *looked, size_t index)
{
    const struct plan *plan = looked->record->plan;
    struct isolate_host *hosts;

    looked->step = &plan->steps.items[index];
    looked->index = index;
    if (!may_be_searched(looked))
        return false;
    looked->slot = slow_slot(looked);
    if (looked->slot == NULL)
        return false;
    for (size_t i = index + 1; i < plan->steps.count; i++)
        if (plan->steps.items[i].origin == ORIGIN_ISOLATE && plan->steps.items[i].parent == index)
            add_part(looked, i);
    look_at_endings(looked);
    hosts = arena_array(looked->arena, struct isolate_host, looked->step->member_count);
    number_leaves(looked, hosts);
    find_absence(looked, &looked->absence);
    for (size_t i = 0; i < looked->absence.out.count; i++)
        hosts[looked->absence.out.items[i]].out = true;
    looked->problem = (struct isolate_problem){.hosts = hosts,
                                               .host_count = looked->step->member_count,
                                               .slow = slow_enough(looked),
                                               .noise = noise_of(looked),
                                               .rounds_most = ROUNDS_MOST,
                                               .seed = strtoull(looked->step->key, NULL, 16)};
    return true;
}

/* Of a pair the others are, and where tests only have to end, any that did. */
static double reference_of_part(const struct looked *looked, const struct part_value *part)
{
    if (part->count <= PAIR)
        return 0;
    return part->ended
               ? 1
               : reference_of(looked, looked->record->plan->steps.items[part->step].shape, part->value);
}

/* The slow step itself, and its parts: all but hosts alone, which nothing that crosses the fabric is told by. */
static void tests_so_far(const struct looked *looked, struct isolate_tests *tests)
{
    size_t *all = arena_array(looked->arena, size_t, looked->step->member_count);
    struct isolate_test whole = {.members = all, .count = looked->step->member_count};

    for (size_t i = 0; i < whole.count; i++)
        all[i] = i;
    /* A test of three is taken for one that tells its members apart, which the slow one itself never does. */
    if (whole.count > TRIPLE && value_of_part(looked, looked->index, &whole.value)) {
        whole.reference = reference_of(looked, looked->step->shape, whole.value);
        *list_push(looked->arena, &tests->tests) = whole;
    }
    list_each (part, looked->parts) {
        if (part->known && part->count > 1)
            *list_push(looked->arena, &tests->tests) =
                (struct isolate_test){.round = part->round,
                                      .members = part->hosts,
                                      .count = part->count,
                                      .value = part->value,
                                      .reference = reference_of_part(looked, part)};
    }
}

/* --- the next round ----------------------------------------------------------------------------------------------- */

/* On one GPU of each host nothing is left to do for one host alone. */
static bool has_alone(const struct looked *looked)
{
    return *looked->step->shape->variant == '\0';
}

static void ask_for(const struct looked *looked, const size_t *hosts, size_t count,
                    struct search_round *round)
{
    struct search_group *group = list_push(looked->arena, &round->groups);

    group->members = arena_array(looked->arena, const struct host *, count);
    for (size_t i = 0; i < count; i++)
        group->members[i] = looked->step->members[hosts[i]];
    group->member_count = count;
}

/* Whether one host alone is slow is told by others alone, as many and some at least. */
static void ask_for_controls(const struct looked *looked, const struct isolate_tests *next,
                             struct search_round *round)
{
    bool *alone = arena_array(looked->arena, bool, looked->step->member_count);
    size_t wanted = 0, asked = 0;

    for (size_t i = 0; i < next->tests.count; i++)
        if (next->tests.items[i].count == 1) {
            alone[next->tests.items[i].members[0]] = true;
            wanted++;
        }
    if (wanted > 0 && wanted < CONTROLS)
        wanted = CONTROLS;
    for (size_t i = 0; i < looked->step->member_count && asked < wanted; i++)
        if (!alone[i] && !looked->problem.hosts[i].out) {
            ask_for(looked, &i, 1, round);
            asked++;
        }
}

static void ask(const struct looked *looked, const struct isolate_tests *next, struct search_round *ret_round)
{
    *ret_round = (struct search_round){
        .step = looked->index, .round = looked->last_round + 1, .size_bytes = looked->slot->size_bytes};
    for (size_t i = 0; i < next->tests.count; i++)
        if (next->tests.items[i].count > 1 || has_alone(looked))
            ask_for(looked, next->tests.items[i].members, next->tests.items[i].count, ret_round);
    if (has_alone(looked))
        ask_for_controls(looked, next, ret_round);
}

/* Why more rounds would tell no more; NULL: they may. */
static const struct reason *why_stop(const struct looked *looked)
{
    unsigned known = 0;
    size_t ended = 0;

    for (size_t i = 0; i < looked->parts.count; i++) {
        if (looked->parts.items[i].known && looked->parts.items[i].round > known)
            known = looked->parts.items[i].round;
        ended += looked->parts.items[i].known && isfinite(looked->parts.items[i].value);
    }
    if (looked->last_round - known >= ROUNDS_BLANK)
        return REASON(search_ended_early);
    if (looked->last_round >= ROUNDS_BROKEN && ended == 0)
        return REASON(no_part_test_ended);
    if (looked->last_round >= ROUNDS_MOST)
        return REASON(rounds_used_up);
    return search_time_spent(looked);
}

/* --- what was found ----------------------------------------------------------------------------------------------- */

/* Of the hosts that were tried alone, a good one's value; NAN: fewer than two were. */
static double alone_value(const struct looked *looked)
{
    double *values = arena_array(looked->arena, double, looked->parts.count);
    size_t count = 0;

    for (size_t i = 0; i < looked->parts.count; i++)
        if (looked->parts.items[i].count == 1 && looked->parts.items[i].known &&
            isfinite(looked->parts.items[i].value))
            values[count++] = looked->parts.items[i].value;
    robust_sort(values, count);
    return count > 1 ? values[count * 3 / 4] : NAN;
}

static enum accused_place place_of(const struct looked *looked, size_t host)
{
    double good = alone_value(looked);
    enum accused_place place = PLACE_UNKNOWN;

    list_each (part, looked->parts) {
        if (part->count != 1 || part->hosts[0] != host || !part->known || isnan(good))
            continue;
        if (isnan(part->value) || part->value < good * (1 - looked->problem.slow / 2))
            return PLACE_INSIDE;
        place = PLACE_FABRIC;
    }
    return place;
}

/* Whether the test speaks of what is accused. */
static bool bears_on(const struct looked *looked, const struct isolate_accusation *accusation,
                     const struct part_value *part)
{
    size_t a = 0, b = 0;
    bool crosses = false;

    for (size_t i = 0; i < part->count; i++) {
        size_t number =
            accusation->kind == ISOLATE_LEAF ? looked->problem.hosts[part->hosts[i]].leaf : part->hosts[i];

        a += number == accusation->a;
        b += number == accusation->b;
        crosses |= number != accusation->a;
    }
    switch (accusation->kind) {
    case ISOLATE_LINK:
        return a > 0 && b > 0;
    case ISOLATE_LEAF:
        return a > 0 && crosses;
    case ISOLATE_HOST:
    default:
        return a > 0;
    }
}

static const char *subject_of(const struct looked *looked, const struct isolate_accusation *accusation)
{
    switch (accusation->kind) {
    case ISOLATE_LEAF:
        return looked->leaves.items[accusation->a];
    case ISOLATE_LINK:
        return arena_printf(looked->arena, "%s - %s", looked->problem.hosts[accusation->a].name,
                            looked->problem.hosts[accusation->b].name);
    case ISOLATE_HOST:
    default:
        return looked->problem.hosts[accusation->a].name;
    }
}

static void accuse(const struct looked *looked, const struct isolate_accusation *found,
                   struct findings_so_far *so_far)
{
    static const enum accused_kind kinds[] = {
        [ISOLATE_HOST] = ACCUSED_HOST, [ISOLATE_LEAF] = ACCUSED_LEAF, [ISOLATE_LINK] = ACCUSED_LINK};
    struct accusation *accusation = list_push(looked->arena, &so_far->accusations);

    *accusation = (struct accusation){.step = looked->index,
                                      .kind = kinds[found->kind],
                                      .subject = subject_of(looked, found),
                                      .intermittent = found->intermittent,
                                      .slow_tests = found->slow_tests,
                                      .fast_tests = found->fast_tests,
                                      .doubt = found->doubt,
                                      .steps = arena_array(looked->arena, size_t, looked->parts.count)};
    if (found->kind == ISOLATE_HOST)
        accusation->place = place_of(looked, found->a);
    for (size_t i = 0; i < looked->parts.count; i++)
        if (bears_on(looked, found, &looked->parts.items[i]))
            accusation->steps[accusation->step_count++] = looked->parts.items[i].step;
}

static const struct reason *candidates_text(const struct looked *looked, const size_t *hosts, size_t count)
{
    struct step step = {.members = arena_array(looked->arena, const struct host *, count),
                        .member_count = count};

    for (size_t i = 0; i < count; i++)
        step.members[i] = looked->step->members[hosts[i]];
    return count > 0 ? step_target_said(looked->arena, &step) : NULL;
}

static void conclude(const struct looked *looked, const struct reason *conclusion,
                     const struct reason *candidates, struct findings_so_far *so_far)
{
    if (looked->absence.out.count > 0)
        conclusion = reason(looked->arena, dropped_out_of_search, conclusion,
                            candidates_text(looked, looked->absence.out.items, looked->absence.out.count));
    *list_push(looked->arena, &so_far->searches) = (struct search){.step = looked->index,
                                                                   .metric = looked->slot->metric,
                                                                   .size_bytes = looked->slot->size_bytes,
                                                                   .conclusion = conclusion,
                                                                   .candidates = candidates};
}

/* Asks for the accused hosts alone, of which that is not known yet: true when there are such. */
static bool ask_alone(const struct looked *looked, const struct isolation *isolation,
                      struct isolate_tests *ret_next)
{
    list_each (accusation, isolation->accusations) {
        bool tried = accusation->kind != ISOLATE_HOST || !has_alone(looked) ||
                     looked->problem.hosts[accusation->a].out;

        for (size_t k = 0; k < looked->parts.count && !tried; k++)
            tried = looked->parts.items[k].count == 1 && looked->parts.items[k].hosts[0] == accusation->a;
        if (!tried)
            *list_push(looked->arena, &ret_next->tests) =
                (struct isolate_test){.members = &accusation->a, .count = 1};
    }
    return ret_next->tests.count > 0;
}

/* Asks each of whom it is not known whether it is still there; true when there are such. */
static bool ask_whether_there(const struct looked *looked, struct isolate_tests *ret_next)
{
    for (size_t i = 0; i < looked->absence.doubtful.count && has_alone(looked); i++)
        *list_push(looked->arena, &ret_next->tests) =
            (struct isolate_test){.members = &looked->absence.doubtful.items[i], .count = 1};
    return ret_next->tests.count > 0;
}

/* --- what an earlier search explains ------------------------------------------------------------------------------ */

static bool is_accused(const struct accusation *accusation, const struct host *host)
{
    switch (accusation->kind) {
    case ACCUSED_LEAF:
        return strcmp(host->leaf, accusation->subject) == 0;
    case ACCUSED_LINK: { /* one of its ends will do */
        size_t length = strlen(host->name);

        return strncmp(accusation->subject, host->name, length) == 0 &&
               strncmp(accusation->subject + length, " - ", 3) == 0;
    }
    case ACCUSED_HOST:
    default:
        return strcmp(host->name, accusation->subject) == 0;
    }
}

/* The members that nothing which was found before accuses and that are still there. */
static size_t not_accused(const struct looked *looked, const struct findings_so_far *so_far, size_t *hosts)
{
    size_t count = 0;

    for (size_t i = 0; i < looked->step->member_count; i++) {
        bool accused = looked->problem.hosts[i].out;

        for (size_t k = 0; k < so_far->accusations.count && !accused; k++)
            accused = is_accused(&so_far->accusations.items[k], looked->step->members[i]);
        if (!accused)
            hosts[count++] = i;
    }
    return count;
}

static const struct search *earlier_search(const struct looked *looked, const struct findings_so_far *so_far)
{
    for (size_t i = 0; i < so_far->searches.count; i++)
        if (steps_have_same_hosts(looked->step,
                                  &looked->record->plan->steps.items[so_far->searches.items[i].step]))
            return &so_far->searches.items[i];
    return NULL;
}

enum answer { ANSWER_YES, ANSWER_NO, ANSWER_ASKED };

/* Whether the step meets its limit without what was accused before; ret_round when that must be measured first. */
static enum answer is_explained(const struct looked *looked, const struct findings_so_far *so_far,
                                struct isolate_tests *ret_next)
{
    size_t *hosts = arena_array(looked->arena, size_t, looked->step->member_count);
    size_t count = not_accused(looked, so_far, hosts);

    if (count == looked->step->member_count || count < PAIR)
        return ANSWER_NO;
    list_each (part, looked->parts)
        if (part->known && part->count == count && memcmp(part->hosts, hosts, count * sizeof *hosts) == 0)
            return share_of_limit(looked, part) >= 1 ? ANSWER_YES : ANSWER_NO;
    *list_push(looked->arena, &ret_next->tests) = (struct isolate_test){.members = hosts, .count = count};
    return ANSWER_ASKED;
}

/* --- the search --------------------------------------------------------------------------------------------------- */

/* First for who explains the step; where nobody does, for whoever is slow at all. */
static bool isolate(struct looked *looked, struct isolate_tests *ret_next, struct isolation *ret_isolation)
{
    struct isolate_tests tests = {0};

    tests_so_far(looked, &tests);
    if (isolate_next(looked->arena, &looked->problem, &tests, ret_next, ret_isolation))
        return true;
    if (ret_isolation->accusations.count > 0 || looked->problem.slow <= least_slow)
        return false;
    looked->problem.slow = least_slow;
    tests = (struct isolate_tests){0};
    tests_so_far(looked, &tests);
    return isolate_next(looked->arena, &looked->problem, &tests, ret_next, ret_isolation);
}

/* true: it goes on with these tests. Otherwise what was found is in so_far. */
static bool search(struct looked *looked, struct findings_so_far *so_far, struct isolate_tests *ret_next)
{
    const struct search *earlier = earlier_search(looked, so_far);
    const struct reason *stop = why_stop(looked);
    struct isolation isolation;
    enum answer explained = ANSWER_NO;

    *ret_next = (struct isolate_tests){0};
    if (earlier != NULL && earlier->candidates != NULL) {
        conclude(looked, REASON(not_searched_again), earlier->candidates, so_far);
        return false;
    }
    if (earlier != NULL)
        explained = is_explained(looked, so_far, ret_next);
    if (explained == ANSWER_ASKED && stop == NULL)
        return true;
    if (explained == ANSWER_YES) {
        conclude(looked, REASON(explained_before), NULL, so_far);
        return false;
    }
    if (stop == NULL && ask_whether_there(looked, ret_next))
        return true;
    if (stop != NULL)
        looked->problem.rounds_most = 0;
    if (isolate(looked, ret_next, &isolation))
        return true;
    if (stop == NULL && ask_alone(looked, &isolation, ret_next))
        return true;
    for (size_t i = 0; i < isolation.accusations.count; i++)
        accuse(looked, &isolation.accusations.items[i], so_far);
    conclude(looked, stop != NULL && isolation.candidates.count > 0 ? stop : isolation.conclusion,
             candidates_text(looked, isolation.candidates.items, isolation.candidates.count), so_far);
    return false;
}

static struct looked new_look(struct arena *arena, const struct record *record, struct limits_book *book,
                              const struct step_attempts *attempts)
{
    return (struct looked){.arena = arena, .record = record, .book = book, .attempts = attempts};
}

static bool pairs_show_the_fabric(const struct step *step)
{
    for (size_t i = 0; i < step->shape->slot_count; i++) {
        unsigned wire_hosts = check_wire_hosts(step->shape->slots[i].metric);

        if (wire_hosts > 0 && wire_hosts <= PAIR)
            return true;
    }
    return false;
}

/* The steps in the order in which they are looked into: first those whose pairs show what the fabric carries. */
static size_t *search_order(struct arena *arena, const struct plan *plan)
{
    size_t *order = arena_array(arena, size_t, plan->steps.count), count = 0;

    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < plan->steps.count; i++)
            if ((turn == 0) == pairs_show_the_fabric(&plan->steps.items[i]))
                order[count++] = i;
    return order;
}

bool judge_search(struct arena *arena, const struct record *record, const struct run_limits *limits,
                  struct search_round *ret_round)
{
    const struct step_attempts *attempts = attempts_by_step(arena, record);
    const size_t *order = search_order(arena, record->plan);
    struct limits_book book = {.arena = arena, .limits = limits};
    struct findings_so_far so_far = {0};

    for (size_t i = 0; i < record->plan->steps.count; i++) {
        struct looked looked = new_look(arena, record, &book, attempts);
        struct isolate_tests next;

        if (look_at(&looked, order[i]) && search(&looked, &so_far, &next)) {
            ask(&looked, &next, ret_round);
            return true;
        }
    }
    return false;
}

void judge_searches(struct arena *arena, const struct record *record, struct limits_book *book,
                    const struct step_attempts *attempts, struct findings_so_far *ret_found)
{
    const size_t *order = search_order(arena, record->plan);

    *ret_found = (struct findings_so_far){0};
    for (size_t i = 0; i < record->plan->steps.count; i++) {
        struct looked looked = new_look(arena, record, book, attempts);
        struct isolate_tests next;
        size_t all = record->plan->steps.items[order[i]].member_count;

        if (!look_at(&looked, order[i]) || !search(&looked, ret_found, &next))
            continue;
        /* The run ended before the search did. */
        size_t *hosts = arena_array(arena, size_t, all);

        for (size_t k = 0; k < all; k++)
            hosts[k] = k;
        conclude(&looked, looked.last_round > 0 ? REASON(search_not_finished) : REASON(search_not_begun),
                 candidates_text(&looked, hosts, all), ret_found);
    }
}
