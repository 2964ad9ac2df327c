/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of runs that are comparable among hosts, and what is made of whoever stands out: see peers.h.
 *
 * Where there are too few hosts for any place to have siblings, what does not depend on the place is compared with that
 * of all places: eight GPUs of one host are seven peers of each other in what they compute. With more hosts it is not
 * needed, and the same place on other hosts is the closer peer.
 *
 * What hosts had of something that was full (AT_SHARE), as of a server by more clients than it feeds, is compared apart: who
 * has less of it than others is remarked on, and fails by nothing of it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/judge/peers.h"
#include "assay/reasons/any.h"
#include "assay/reasons/judge.h"
#include "assay/reasons/model.h"
#include "judge_private.h"
#include "together.h"

enum { PAIR = 2 };

/* A place in a host of one platform: a GPU or HCA; the host itself has the name "". */
struct place {
    const char *platform, *name;
    bool anywhere;   /* what is compared with all places of its platform */
    size_t position; /* equal numbers are siblings */
};

/* Values that one series has over all places of a position. */
struct shared_series {
    size_t aspect, position, series;
};

/* How an item of a shape is compared; aspect PEERS_NONE: it is not. */
struct respect {
    size_t aspect, series;
    size_t places[2]; /* that it speaks of in each host; [1]: PEERS_NONE for one */
    const char *
        member; /* of a step over several hosts the one that it speaks of; NULL: the first, or both of a pair */
    double sign; /* of the logarithm */
};

struct aspect_name {
    const char *suite_step, *metric;
};

struct census {
    struct arena *arena;
    const struct together *together;
    const struct suite *suite;
    struct judgement *judgement;
    const struct host **hosts; /* in ascending order of address */
    size_t host_count;
    LIST_OF(struct place) places;
    LIST_OF(struct shared_series) shared;
    LIST_OF(struct aspect_name) names;
    LIST_OF(struct peers_aspect) aspects;
    LIST_OF(struct peers_value) values;
    LIST_OF(size_t) outcomes; /* of each value */
    size_t series;
    bool shares; /* what is a share is compared too; else it is left out, and counted */
    size_t left_out;
    struct arena *aside; /* of what is only looked at, cleared with each step */
};

/* --- what is compared, and with what ------------------------------------------------------------------------------ */

/* Places anywhere of one platform have the position of the first of them. */
static size_t place_of(struct census *census, const char *platform, const char *name, bool anywhere)
{
    size_t position = census->places.count;

    for (size_t i = 0; i < census->places.count; i++) {
        const struct place *place = &census->places.items[i];

        if (place->anywhere != anywhere || strcmp(place->platform, platform) != 0)
            continue;
        if (strcmp(place->name, name) == 0)
            return i;
        if (anywhere)
            position = place->position;
    }
    *list_push(census->arena, &census->places) = (struct place){platform, name, anywhere, position};
    return census->places.count - 1;
}

static size_t shared_series_of(struct census *census, size_t aspect, size_t position)
{
    for (size_t i = 0; i < census->shared.count; i++)
        if (census->shared.items[i].aspect == aspect && census->shared.items[i].position == position)
            return census->shared.items[i].series;
    *list_push(census->arena, &census->shared) = (struct shared_series){aspect, position, census->series};
    return census->series++;
}

static bool is_whole(struct arena *arena, const struct step_attempts *attempts)
{
    for (size_t i = 0; i < attempts->count; i++)
        if (attempt_bearing(arena, attempts->items[i]).kind == KIND_WHOLE)
            return true;
    return false;
}

/* How often there would be the same place, */
static size_t count_steps(const struct census *census, const struct shape *shape)
{
    const struct plan *plan = census->together->plan;
    size_t count = 0;

    for (size_t i = 0; i < plan->steps.count; i++)
        count += plan->steps.items[i].shape == shape;
    return count;
}

/* and how often there is: a host that did not answer is nobody's peer. */
static size_t count_whole_steps(const struct census *census, const struct shape *shape)
{
    const struct plan *plan = census->together->plan;
    size_t count = 0;

    if (census->together->attempts == NULL)
        return count_steps(census, shape);
    for (size_t i = 0; i < plan->steps.count; i++)
        count +=
            plan->steps.items[i].shape == shape && is_whole(census->aside, &census->together->attempts[i]);
    arena_clear(census->aside);
    return count;
}

static size_t aspect_of(struct census *census, const struct suite_step *step, const char *metric)
{
    for (size_t i = 0; i < census->names.count; i++)
        if (strcmp(census->names.items[i].suite_step, step->name) == 0 &&
            strcmp(census->names.items[i].metric, metric) == 0)
            return i;
    *list_push(census->arena, &census->names) = (struct aspect_name){step->name, metric};
    *list_push(census->arena, &census->aspects) = (struct peers_aspect){step->peers.remark, step->peers.fail};
    return census->names.count - 1;
}

/* Of one of the hosts that did something together: what the others did beside it is comparable, and stands next to it. */
static struct respect respect_of_member(struct census *census, const struct shape *shape,
                                        const struct suite_step *step, size_t slot,
                                        const struct respect *before)
{
    const struct slot *of = &shape->slots[slot], *last = slot > 0 ? of - 1 : NULL;
    const struct metric *metric = metric_find(of->metric);
    struct respect respect = {.aspect = PEERS_NONE, .places = {PEERS_NONE, PEERS_NONE}};

    if (metric == NULL || !metric->members)
        return respect;
    respect.aspect = aspect_of(census, step, of->metric);
    respect.places[0] = place_of(census, shape->platform, "", false);
    respect.member = of->subject;
    respect.sign = metric->better == BETTER_HIGHER ? 1 : -1;
    respect.series = last != NULL && before->member != NULL && strcmp(last->metric, of->metric) == 0 &&
                             strcmp(last->at, of->at) == 0
                         ? before->series
                         : census->series++;
    return respect;
}

/* few: of the shape there are too few whole steps for any place to have siblings. */
static struct respect respect_of(struct census *census, const struct shape *shape,
                                 const struct suite_step *step, const struct slot *slot, bool few)
{
    const struct metric *metric = metric_find(slot->metric);
    struct respect respect = {.aspect = PEERS_NONE, .places = {PEERS_NONE, PEERS_NONE}};
    const char *names[2];
    size_t count;
    bool anywhere;

    if (metric == NULL || !metric->peers || metric->better == BETTER_NEITHER)
        return respect;
    count = subject_ends(census->arena, slot->subject, names);
    if (count == 0 || (count == 2 && shape->hosts == PAIR))
        return respect;
    anywhere = metric->anywhere && count == 1 && shape->hosts == 1 && few;
    for (size_t i = 0; i < count; i++)
        respect.places[i] = place_of(census, shape->platform, names[i], anywhere);
    respect.aspect = aspect_of(census, step, slot->metric);
    respect.series =
        anywhere ? shared_series_of(census, respect.aspect, census->places.items[respect.places[0]].position)
                 : census->series++;
    respect.sign = metric->better == BETTER_HIGHER ? 1 : -1;
    return respect;
}

/* NULL: nothing of the shape is compared. Above pairs, isolation tells who is slow, unless each host has values of its own;
   variants are compared with each other. */
static struct respect *respects_of(struct census *census, const struct shape *shape)
{
    const struct suite_step *step = suite_step_find(census->suite, shape->suite_step);
    struct respect *respects = arena_array(census->arena, struct respect, shape->slot_count);
    bool any = false, few;

    if (step == NULL || step->peers.off || step->variants.count > 0 || shape->arguments != NULL)
        return NULL;
    few = shape->hosts == 1 && count_whole_steps(census, shape) <= PEERS_LEAST;
    for (size_t i = 0; i < shape->slot_count; i++) {
        respects[i] = shape->hosts > PAIR
                          ? respect_of_member(census, shape, step, i, i > 0 ? &respects[i - 1] : NULL)
                          : respect_of(census, shape, step, &shape->slots[i], few);
        any |= respects[i].aspect != PEERS_NONE;
    }
    return any ? respects : NULL;
}

/* --- the values --------------------------------------------------------------------------------------------------- */

static int compare_addresses(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t) * (const struct host *const *)a,
              right = (uintptr_t) * (const struct host *const *)b;

    return (left > right) - (left < right);
}

/* All that take part, spares too. */
static void number_hosts(struct census *census)
{
    const struct plan *plan = census->together->plan;
    size_t count = 0, kept = 0;

    for (size_t i = 0; i < plan->steps.count; i++)
        count += plan->steps.items[i].member_count;
    census->hosts = arena_array(census->arena, const struct host *, count);
    count = 0;
    for (size_t i = 0; i < plan->steps.count; i++)
        for (size_t k = 0; k < plan->steps.items[i].member_count; k++)
            census->hosts[count++] = plan->steps.items[i].members[k];
    qsort(census->hosts, count, sizeof *census->hosts, compare_addresses);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || census->hosts[kept - 1] != census->hosts[i])
            census->hosts[kept++] = census->hosts[i];
    census->host_count = kept;
}

static size_t subject_of(const struct census *census, const struct host *host, size_t place)
{
    const struct host **found =
        bsearch(&host, census->hosts, census->host_count, sizeof *census->hosts, compare_addresses);

    return (size_t)(found - census->hosts) * census->places.count + place;
}

/* The logarithm of a number; NAN: it cannot be compared. Nothing at all, where more is better, is further below the others than
   any number that a part still has: a millionth of the unit. */
static double level_of_number(double number, const struct respect *respect)
{
    static const double nothing = 1e-6;

    return number > 0 ? log(number) : number >= 0 && respect->sign > 0 ? log(nothing) : NAN;
}

/* The mean over all whole attempts; NAN where there is nothing to be compared. */
static double level_of(struct arena *arena, const struct step_attempts *attempts, const struct slot *slot,
                       const struct respect *respect, bool *ret_share)
{
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < attempts->count; i++) {
        struct values values;

        if (attempts->tried[i].bearing.kind != KIND_WHOLE)
            continue;
        value_index_numbers(arena, slot, &attempts->tried[i].values, &values);
        for (size_t k = 0; k < values.items.count; k++) {
            double level = level_of_number(values.items.items[k].number, respect);

            if (!isnan(level)) {
                sum += level;
                count++;
                *ret_share |= values.items.items[k].share;
            }
        }
    }
    return count > 0 ? sum / (double)count : NAN;
}

/* NULL: it is none of the step's. */
static const struct host *member_named(const struct step *step, const char *name)
{
    for (size_t i = 0; i < step->member_count; i++)
        if (strcmp(step->members[i]->name, name) == 0)
            return step->members[i];
    return NULL;
}

static void take_value(struct census *census, const struct step *step, size_t outcome,
                       const struct slot *slot, const struct respect *respect, double level)
{
    enum outcome_word word = census->judgement->outcomes[outcome].word;
    const struct host *host =
        respect->member != NULL ? member_named(step, respect->member) : step->members[0];
    size_t first, second = PEERS_NONE;

    /* What is not believed, or was not whole, is not compared either. */
    if (host == NULL || isnan(level) || word == OUTCOME_INCONCLUSIVE || word == OUTCOME_NOT_RUN)
        return;
    first = subject_of(census, host, respect->places[0]);
    if (step->member_count == PAIR)
        second = subject_of(census, step->members[1], respect->places[0]);
    else if (respect->places[1] != PEERS_NONE)
        second = subject_of(census, step->members[0], respect->places[1]);
    *list_push(census->arena, &census->outcomes) = outcome;
    *list_push(census->arena, &census->values) = (struct peers_value){.series = respect->series,
                                                                      .aspect = respect->aspect,
                                                                      .subjects = {first, second},
                                                                      .level = respect->sign * level,
                                                                      .owed = slot->duty == DUTY_GATE};
}

/* Whether it is compared now; a share is marked as one, for whoever knows only outcomes. */
static bool is_taken(struct census *census, struct outcome *outcome, bool share)
{
    if (!share || census->shares)
        return true;
    census->left_out++;
    if (!reason_has(outcome->cause, share_of_full_servers))
        outcome->cause = reason_also(census->arena, outcome->cause, REASON(share_of_full_servers));
    return false;
}

/* Where nothing but outcomes is known: as they were judged. */
static void take_judged_step(struct census *census, size_t index, size_t outcome,
                             const struct respect *respects)
{
    const struct step *step = &census->together->plan->steps.items[index];

    for (size_t i = 0; i < step->shape->slot_count; i++) {
        struct outcome *of = &census->judgement->outcomes[outcome + i];

        if (respects[i].aspect != PEERS_NONE &&
            is_taken(census, of, reason_has(of->cause, share_of_full_servers)))
            take_value(census, step, outcome + i, &step->shape->slots[i], &respects[i],
                       level_of_number(of->value, &respects[i]));
    }
}

/* Of one step what is compared; outcome: its first. */
static void take_step(struct census *census, size_t index, size_t outcome, const struct respect *respects)
{
    const struct step *step = &census->together->plan->steps.items[index];
    const struct step_attempts tried = attempts_tried(census->aside, &census->together->attempts[index]);

    for (size_t i = 0; i < step->shape->slot_count; i++) {
        bool share = false;
        double level = respects[i].aspect != PEERS_NONE
                           ? level_of(census->aside, &tried, &step->shape->slots[i], &respects[i], &share)
                           : NAN;

        if (!isnan(level) && is_taken(census, &census->judgement->outcomes[outcome + i], share))
            take_value(census, step, outcome + i, &step->shape->slots[i], &respects[i], level);
    }
    arena_clear(census->aside);
}

static bool is_passed_over(const struct census *census, const struct respect *respect,
                           const struct outcome *outcome)
{
    return respect->aspect != PEERS_NONE && !census->places.items[respect->places[0]].anywhere &&
           !isnan(outcome->value) && (outcome->word == OUTCOME_PASS || outcome->word == OUTCOME_RECORDED);
}

/* Where hosts that did not answer leave too few of many, that is said once: at the first item that is not compared. */
static void remark_too_few(const struct census *census, const struct shape *shape,
                           const struct respect *respects)
{
    const struct plan *plan = census->together->plan;
    size_t planned = count_steps(census, shape), whole = count_whole_steps(census, shape);
    struct outcome *outcome = census->judgement->outcomes;

    if (planned <= PEERS_LEAST || whole > PEERS_LEAST || census->shares)
        return;
    for (size_t i = 0; i < plan->steps.count; i++)
        for (size_t k = 0; k < plan->steps.items[i].shape->slot_count; k++, outcome++) {
            if (plan->steps.items[i].shape != shape || !is_passed_over(census, &respects[k], outcome))
                continue;
            outcome->remark = true;
            outcome->cause = reason_also(
                census->arena, outcome->cause,
                reason(census->arena, remark,
                       reason(census->arena, too_few_peers_answered, whole, planned, PEERS_LEAST + 1)));
            return;
        }
}

static void take_values(struct census *census)
{
    const struct plan *plan = census->together->plan;
    struct respect **respects = arena_array(census->arena, struct respect *, plan->shapes.count + 1);
    size_t outcome = 0, number = 0;

    for (size_t i = 0; i < plan->shapes.count; i++)
        respects[i] = respects_of(census, plan->shapes.items[i]);
    number_hosts(census);
    for (size_t i = 0; i < plan->steps.count; i++) {
        const struct step *step = &plan->steps.items[i];

        number = shape_number(plan, step->shape, number);
        if (respects[number] != NULL && census->together->attempts == NULL)
            take_judged_step(census, i, outcome, respects[number]);
        else if (respects[number] != NULL)
            take_step(census, i, outcome, respects[number]);
        outcome += step->shape->slot_count;
    }
    for (size_t i = 0; i < plan->shapes.count; i++)
        if (respects[i] != NULL)
            remark_too_few(census, plan->shapes.items[i], respects[i]);
}

/* --- what is made of it ------------------------------------------------------------------------------------------- */

/* Four digits: more are not known of a median of noise. */
static const char *rounded(struct arena *arena, double number)
{
    int digits = 3 - (int)floor(log10(number));

    return arena_printf(arena, "%.*f", digits > 0 ? digits : 0, number);
}

/* "gpu3", of a pair of hosts "node7's mlx5_3"; a host by its name. */
static const char *name_of(const struct census *census, const struct step *step, size_t subject)
{
    const struct host *host = census->hosts[subject / census->places.count];
    const char *name = census->places.items[subject % census->places.count].name;

    if (*name == '\0')
        return host->name;
    return step->member_count == PAIR ? arena_printf(census->arena, "%s's %s", host->name, name) : name;
}

static const struct reason *who(const struct census *census, const struct step *step,
                                const struct peers_finding *finding)
{
    const char *name = name_of(census, step, finding->subject);

    if (finding->other == PEERS_NONE)
        return reason(census->arena, text, name);
    return reason(census->arena, one_with_other, name, name_of(census, step, finding->other));
}

static const struct reason *by_what(const struct census *census, const struct peers_finding *finding)
{
    if (finding->aspect == census->aspects.count)
        return reason(census->arena, values_of_all_kinds, finding->values);
    return reason(census->arena, values_of_metric, finding->values,
                  census->names.items[finding->aspect].metric);
}

/* Where a fail is laid: the item itself where it is owed; of what the check only records by itself a gate of the same
   subject, else that of the step as a whole. What the suite only records fails nothing: NULL. */
static struct outcome *gate_of(const struct step *step, struct outcome *outcome)
{
    const struct shape *shape = step->shape;
    const struct slot *slot = &shape->slots[outcome->slot];
    struct outcome *first = outcome - outcome->slot;

    if (slot->duty == DUTY_GATE)
        return outcome;
    if (slot->duty_note != NULL)
        return NULL;
    for (size_t i = 0; i < shape->slot_count; i++)
        if (shape->slots[i].duty == DUTY_GATE && strcmp(shape->slots[i].subject, slot->subject) == 0 &&
            strcmp(shape->slots[i].metric, SOUND_METRIC) != 0)
            return &first[i];
    for (size_t i = 0; i < shape->slot_count; i++)
        if (strcmp(shape->slots[i].metric, SOUND_METRIC) == 0)
            return &first[i];
    return NULL;
}

/* What the item had to reach for its peers' sake: their median for it, eased by the threshold. */
static void put_gate(const struct census *census, const struct peers_finding *finding, double threshold,
                     struct outcome *outcome)
{
    const struct peers_value *value = &census->values.items[finding->value];
    const struct outcome *measured = &census->judgement->outcomes[census->outcomes.items[finding->value]];
    const struct step *step = &census->together->plan->steps.items[measured->step];
    const struct metric *metric = metric_find(step->shape->slots[measured->slot].metric);
    bool higher = metric->better == BETTER_HIGHER;
    double median = exp((higher ? 1 : -1) * (value->level - finding->deviation));
    const char *unit = arena_printf(census->arena, "%s%s", *metric->unit != '\0' ? " " : "", metric->unit);
    const struct reason *stated =
        reason(census->arena, peers_median_with_tolerance,
               arena_printf(census->arena, "%s%s", rounded(census->arena, median), unit), threshold * 100);
    const char *bound = rounded(census->arena, higher ? median * (1 - threshold) : median / (1 - threshold));
    struct held_to *held = outcome_held_own(census->arena, outcome);

    held->gate = reason(census->arena, peers_bound_eased,
                        higher ? reason(census->arena, at_least, bound, unit)
                               : reason(census->arena, at_most, bound, unit),
                        rounded(census->arena, median), threshold * 100);
    held->limit = held->limit == NULL ? stated : reason(census->arena, and_beside_it, stated, held->limit);
    held->source = census->together->count == 1
                       ? reason(census->arena, siblings_in_run, finding->siblings)
                       : reason(census->arena, siblings_in_runs, finding->siblings, census->together->count);
    held->status = "peers";
}

/* Nothing that fails: which of them is wrong, it or its peers, does not show here. */
static void lay_fast(const struct census *census, const struct peers_finding *finding)
{
    struct outcome *outcome = &census->judgement->outcomes[census->outcomes.items[finding->value]];
    const struct step *step = &census->together->plan->steps.items[outcome->step];
    const struct reason *cause = reason(census->arena, above_peers, who(census, step, finding),
                                        arena_printf(census->arena, "%.1f", -finding->below * 100),
                                        finding->siblings, by_what(census, finding));

    if (census->shares || outcome->word == OUTCOME_FAIL || outcome->word == OUTCOME_INCONCLUSIVE)
        return;
    outcome->cause = reason_also(census->arena, outcome->cause, reason(census->arena, remark, cause));
    outcome->remark = true;
}

static void lay_finding(const struct census *census, const struct peers_finding *finding)
{
    struct outcome *measured = &census->judgement->outcomes[census->outcomes.items[finding->value]];
    const struct step *step = &census->together->plan->steps.items[measured->step];
    const struct peers_aspect *aspect = &census->aspects.items[census->values.items[finding->value].aspect];
    struct outcome *gate = finding->fails && !census->shares ? gate_of(step, measured) : NULL;
    struct outcome *outcome = gate != NULL ? gate : measured;
    double from = (gate != NULL ? aspect->fail : aspect->remark) * 100;
    const struct reason *below = reason(census->arena, below_peers, who(census, step, finding),
                                        arena_printf(census->arena, "%.1f", finding->below * 100),
                                        arena_printf(census->arena, "%.1f", finding->error * 100),
                                        finding->siblings, by_what(census, finding));
    const struct reason *cause = gate != NULL ? reason(census->arena, fail_from, below, from)
                                              : reason(census->arena, remark_from, below, from);

    if (gate == NULL && outcome->word != OUTCOME_FAIL)
        cause = reason(census->arena, remark, cause);
    outcome->cause = reason_also(census->arena, outcome->cause, cause);
    if (outcome->word == OUTCOME_FAIL)
        return;
    if (outcome != measured) {
        outcome->measured = measured->measured;
        outcome->value = measured->value;
    }
    put_gate(census, finding, gate != NULL ? aspect->fail : aspect->remark, outcome);
    outcome->remark = gate == NULL;
    if (gate == NULL)
        return;
    outcome->word = OUTCOME_FAIL;
    outcome->remedy =
        check_remedy(check_find(step->shape->check), step->shape->slots[measured->slot].metric, cause);
}

/* named: by what is no share; NULL: nobody yet. */
static bool is_named(const struct census *census, const struct peers_finding *finding,
                     const struct census *named, const struct peers_findings *names)
{
    for (size_t i = 0; named != NULL && i < names->findings.count; i++)
        if (named->hosts[names->findings.items[i].subject / named->places.count] ==
            census->hosts[finding->subject / census->places.count])
            return true;
    return false;
}

static void compare(struct census *census, const struct census *named, const struct peers_findings *names,
                    struct peers_findings *ret_findings)
{
    size_t subjects, *positions;

    *ret_findings = (struct peers_findings){0};
    census->aside = arena_create();
    take_values(census);
    census->aside = arena_destroy(census->aside);
    if (census->values.count == 0)
        return;
    subjects = census->host_count * census->places.count;
    positions = arena_array(census->arena, size_t, subjects);
    for (size_t i = 0; i < subjects; i++)
        positions[i] = census->places.items[i % census->places.count].position;
    peers_compare(census->arena,
                  &(const struct peers_problem){.positions = positions,
                                                .subject_count = subjects,
                                                .aspects = census->aspects.items,
                                                .aspect_count = census->aspects.count,
                                                .values = census->values.items,
                                                .value_count = census->values.count},
                  ret_findings);
    for (size_t i = 0; i < ret_findings->findings.count; i++)
        if (ret_findings->findings.items[i].below < 0)
            lay_fast(census, &ret_findings->findings.items[i]);
        else if (!is_named(census, &ret_findings->findings.items[i], named, names))
            lay_finding(census, &ret_findings->findings.items[i]);
}

void judge_peers(struct arena *arena, const struct together *together, const struct suite *suite,
                 struct judgement *judgement)
{
    struct census census = {.arena = arena, .together = together, .suite = suite, .judgement = judgement};
    struct census shares = census;
    struct peers_findings found, found_too;

    compare(&census, NULL, NULL, &found);
    shares.shares = true;
    if (census.left_out > 0)
        compare(&shares, &census, &found, &found_too);
}
