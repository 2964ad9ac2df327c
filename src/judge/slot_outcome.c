/* SPDX-License-Identifier: Apache-2.0 */
/* One item's outcome from all attempts of its step. */
#include <math.h>
#include <string.h>

#include "judge_private.h"

/* What the functions below share about one slot. */
struct item_case {
    struct arena *arena;
    const struct step *step;
    size_t step_index;
    const struct slot *slot;
    const struct slot_limits *limits;
    const struct peers *peers;
    bool sound; /* the item that stands for the step as a whole */
};

/* What one attempt says of the item. */
struct opinion {
    enum outcome_word word;
    const char *cause;
    const char *remedy; /* NULL: the check's for the metric */
    struct value value;
    const struct limit *limit; /* the one that decided; NULL */
    bool remark;
};

static bool is_fault(const struct finding *finding)
{
    return finding->severity == SEVERITY_FAULT;
}

static bool subject_is_planned(const struct shape *shape, const char *subject)
{
    for (size_t i = 0; i < shape->slot_count; i++)
        if (shape->slots[i].duty == DUTY_GATE && *shape->slots[i].subject != '\0' &&
            strcmp(shape->slots[i].subject, subject) == 0)
            return true;
    return false;
}

/* Whether the check's own rules fail this value; as in by_limits, the first that is not met decides. */
static bool fails_own_rules(const struct slot *slot, const struct value *value)
{
    for (size_t i = 0; i < slot->own_count; i++) {
        enum met met = limit_met(&slot->own[i], value, value->text);

        if (met != MET)
            return met == MISSED && !slot->own[i].inconclusive;
    }
    return false;
}

/* "gpu_burn.faulty" and "gpu_burn.verdict": words of one tool. */
static bool same_family(const char *code, const char *metric)
{
    size_t length = strcspn(code, ".");

    return length == strcspn(metric, ".") && memcmp(code, metric, length) == 0;
}

/* Whether the tool's own values of the subject already say what the finding says. */
static bool fails_by_value(const struct item_case *item, const struct attempt *attempt,
                           const struct finding *finding)
{
    const struct shape *shape = item->step->shape;

    for (size_t i = 0; i < shape->slot_count; i++) {
        const struct slot *slot = &shape->slots[i];
        struct values values;

        if (slot->duty != DUTY_GATE || strcmp(slot->subject, finding->subject) != 0 ||
            !same_family(finding->code, slot->metric))
            continue;
        slot_values(item->arena, slot, attempt, &values);
        for (size_t k = 0; k < values.items.count; k++)
            if (fails_own_rules(slot, &values.items.items[k]))
                return true;
    }
    return false;
}

/* What the tool complained of; "sound" has no subject of its own, so the complaint's is told with it. */
static const char *fault_text(const struct item_case *item, const struct finding *fault)
{
    if (!item->sound || *fault->subject == '\0' || strstr(fault->text, fault->subject) != NULL)
        return fault->text;
    return arena_printf(item->arena, "%s: %s", fault->subject, fault->text);
}

/* A tool's complaint is laid at the first gate that has its subject; what nobody's subject is, at "sound". */
static const struct finding *own_fault(const struct item_case *item, const struct attempt *attempt)
{
    const struct shape *shape = item->step->shape;

    for (size_t i = 0; i < attempt->reading.findings.count; i++) {
        const struct finding *finding = &attempt->reading.findings.items[i];
        size_t first = 0;

        if (!is_fault(finding))
            continue;
        if (!subject_is_planned(shape, finding->subject)) {
            if (item->sound)
                return finding;
            continue;
        }
        if (fails_by_value(item, attempt, finding))
            continue;
        while (shape->slots[first].duty != DUTY_GATE ||
               strcmp(shape->slots[first].subject, finding->subject) != 0)
            first++;
        if (&shape->slots[first] == item->slot)
            return finding;
    }
    return NULL;
}

/* As a sentence goes on: "expected yes", "expected >= 345 GB/s". */
static const char *expectation(struct arena *arena, const struct limit *limit)
{
    return limit->rule == RULE_EQUAL ? limit->text : limit_text(arena, limit);
}

/* More than the links can carry is not believed, and shows nothing. */
static const struct limit *disbelieved(const struct item_case *item, const struct value *value)
{
    for (size_t i = 0; i < item->limits->limits.count; i++) {
        const struct limit *limit = item->limits->limits.items[i];

        if (limit->rule == RULE_PLAUSIBLE && limit_met(limit, value, NULL) == MISSED)
            return limit;
    }
    return NULL;
}

/* common: what most hosts have, of RULE_SAME; NULL: they do not agree. Of RULE_DISTINCT the others that have it, of RULE_RACK
   what is wrong. */
static const char *why_missed(const struct item_case *item, const struct limit *limit,
                              const struct value *value, const char *common)
{
    const char *is =
        arena_printf(item->arena, "%s is %s", item->slot->metric, value_with_unit(item->arena, value));

    if (!limit_is_in_unit(limit, value))
        return arena_printf(item->arena, "%s, and its limit is in another unit: %s", is,
                            limit_text(item->arena, limit));
    if (limit->rule == RULE_SAME)
        return common == NULL ? arena_printf(item->arena, "%s; the hosts do not agree on one value: %s", is,
                                             item->peers->common_kinds(item->peers->context, item->step_index,
                                                                       item->slot))
                              : arena_printf(item->arena, "%s, while most hosts have %s", is, common);
    if (limit->rule == RULE_NEAR)
        return common == NULL
                   ? arena_printf(item->arena,
                                  "%s; of one host and its controller nobody knows which of the two is off",
                                  is)
                   : arena_printf(item->arena, "%s, while the median of the hosts is %s", is, common);
    if (limit->rule == RULE_RACK)
        return arena_printf(item->arena, "%s, %s", is, common);
    if (limit->rule == RULE_DISTINCT)
        return arena_printf(item->arena, "%s is shared with %s", item->slot->metric, common);
    return arena_printf(item->arena, "%s, expected %s%s%s", is, expectation(item->arena, limit),
                        factor_hint(item->arena, limit, value),
                        limit->note != NULL ? arena_printf(item->arena, " (%s)", limit->note) : "");
}

static struct opinion not_believed(const struct item_case *item, const struct limit *limit,
                                   const struct value *value)
{
    struct opinion opinion = {.word = OUTCOME_INCONCLUSIVE, .value = *value, .limit = limit};

    opinion.cause = arena_printf(item->arena, "%s is %s, which is not to be believed: expected %s%s",
                                 item->slot->metric, value_with_unit(item->arena, value),
                                 limit_text(item->arena, limit), factor_hint(item->arena, limit, value));
    opinion.remedy = limit->note;
    return opinion;
}

static bool asks_others(const struct limit *limit)
{
    return limit->rule == RULE_SAME || limit->rule == RULE_DISTINCT || limit->rule == RULE_NEAR ||
           limit->rule == RULE_GROUPS || limit->rule == RULE_RACK;
}

/* "nccl.all_gather.asymptotic is 301 GB/s, 11.2% (+-0.6%) below the median 339 of 16 smaller groups" */
static const char *beside_groups(const struct item_case *item, const struct own_groups *groups,
                                 const struct own_standing *standing, const struct value *value)
{
    const char *metric = item->slot->metric, *is = value_with_unit(item->arena, value);

    if (groups->count < 2)
        return arena_printf(item->arena,
                            "%s is %s; %zu smaller groups of this run have it, and it takes 2 to compare",
                            metric, is, groups->count);
    return arena_printf(item->arena,
                        "%s is %s, %.1f%% (+-%.1f%%) below the median %.4g of %zu smaller groups", metric, is,
                        standing->below * 100, standing->error * 100, groups->median, groups->count);
}

/* RULE_GROUPS. */
static struct opinion by_groups(const struct item_case *item, const struct limit *limit,
                                const struct value *value)
{
    struct opinion opinion = {.word = OUTCOME_PASS, .cause = "", .value = *value, .limit = limit};
    struct own_groups groups;
    const struct own_standing standing = item->peers->beside_groups(
        item->peers->context, item->step_index, item->slot, value->number, limit->value, &groups);
    const char *is = beside_groups(item, &groups, &standing, value);
    double most = (1 - limit->value) * 100;

    opinion.remark = standing.says == GROUPS_REMARK;
    if (standing.says == GROUPS_FAIL) {
        opinion.word = OUTCOME_FAIL;
        opinion.cause = arena_printf(item->arena, "%s; fail from %g%%", is, most);
    } else if (standing.says == GROUPS_UNDECIDED) {
        opinion.word = OUTCOME_INCONCLUSIVE;
        opinion.cause =
            groups.count < 2
                ? is
                : arena_printf(item->arena, "%s; noise neither shows nor excludes the %g%% of a fail", is,
                               most);
    } else if (opinion.remark) {
        opinion.cause = arena_printf(item->arena, "remark: %s; remark from %g%%", is, most / 2);
    }
    return opinion;
}

/* What most of them have, of RULE_SAME; their median, of RULE_NEAR; those that have this value too, of RULE_DISTINCT. */
static const char *what_others_have(const struct item_case *item, const struct limit *limit,
                                    const struct value *value)
{
    if (limit->rule == RULE_SAME)
        return item->peers->common_value(item->peers->context, item->step_index, item->slot);
    if (limit->rule == RULE_NEAR)
        return item->peers->common_span(item->peers->context, item->step_index, item->slot);
    if (limit->rule == RULE_RACK)
        return item->peers->odd_in_rack(item->peers->context, item->step_index, item->slot, value->text);
    return item->peers->others_with(item->peers->context, item->step_index, item->slot, value->text);
}

static struct opinion by_limits(const struct item_case *item, struct value value)
{
    struct opinion opinion = {.word = OUTCOME_PASS, .cause = "", .value = value};
    struct opinion beside = {.cause = ""};
    const struct limit *disbelieving = disbelieved(item, &value);
    bool enforceable = false;

    if (disbelieving != NULL)
        return not_believed(item, disbelieving, &value);
    for (size_t i = 0; i < item->limits->limits.count; i++) {
        const struct limit *limit = item->limits->limits.items[i];
        const char *common = NULL;
        enum met met;

        if (limit->rule == RULE_PLAUSIBLE)
            continue;
        enforceable |= asks_others(limit);
        if (asks_others(limit) && item->peers == NULL)
            continue;
        if (limit->rule == RULE_GROUPS) {
            beside = by_groups(item, limit, &value);
            if (beside.word != OUTCOME_PASS)
                return beside;
            enforceable = true;
            continue;
        }
        if (asks_others(limit))
            common = what_others_have(item, limit, &value);
        met = limit_is_in_unit(limit, &value) ? limit_met(limit, &value, common) : UNDECIDED;
        if (!limit_enforceable(limit)) {
            opinion.remark |= met == MISSED;
            if (opinion.limit == NULL)
                opinion.limit = limit;
            continue;
        }
        enforceable = true;
        opinion.limit = limit;
        if (met == MET)
            continue;
        opinion.word = met == MISSED && !limit->inconclusive ? OUTCOME_FAIL : OUTCOME_INCONCLUSIVE;
        opinion.cause = why_missed(item, limit, &value, common);
        return opinion;
    }
    if (!enforceable && item->slot->duty == DUTY_GATE) {
        opinion.word = OUTCOME_INCONCLUSIVE;
        opinion.cause = opinion.limit != NULL ? "its only limit is a guess, which can decide nothing"
                                              : "no baseline has a limit for it";
    } else if (beside.limit != NULL) {
        return beside;
    } else if (opinion.remark) {
        opinion.cause =
            arena_printf(item->arena, "remark: %s is %s, a guess expects %s", item->slot->metric,
                         value_with_unit(item->arena, &value), limit_text(item->arena, opinion.limit));
    }
    return opinion;
}

static bool is_worse_value(const char *metric, const struct value *value, const struct value *than)
{
    if (!than->found || isnan(than->number))
        return value->found;
    return !isnan(value->number) && is_worse(metric, value->number, than->number);
}

/* Worse by its word, and of two alike the one with the worse number. */
static bool is_worse_opinion(const char *metric, const struct opinion *opinion, const struct opinion *than)
{
    return opinion->word > than->word ||
           (opinion->word == than->word && is_worse_value(metric, &opinion->value, &than->value));
}

/* Why there is no value, where the reading says it: a finding METRIC.unread of the same subject. */
static const char *why_unread(const struct item_case *item, const struct attempt *attempt)
{
    const char *code = arena_printf(item->arena, "%s.unread", item->slot->metric);

    for (size_t i = 0; i < attempt->reading.findings.count; i++) {
        const struct finding *finding = &attempt->reading.findings.items[i];

        if (strcmp(finding->code, code) == 0 && strcmp(finding->subject, item->slot->subject) == 0)
            return arena_printf(item->arena, "%s was not read: %s", item->slot->metric, finding->text);
    }
    return "the output is whole, but has no value for it";
}

/* By every value that the attempt has for the item: the worst counts. */
static struct opinion by_values(const struct item_case *item, const struct attempt *attempt)
{
    struct opinion worst = {.word = OUTCOME_INCONCLUSIVE,
                            .cause = why_unread(item, attempt),
                            .value = {.text = "", .unit = "", .number = NAN}};
    struct values values = {0};

    if (item->sound)
        *list_push(item->arena, &values.items) =
            (struct value){.text = "yes", .unit = "", .number = NAN, .found = true};
    else
        slot_values(item->arena, item->slot, attempt, &values);
    for (size_t i = 0; i < values.items.count; i++) {
        struct opinion opinion = by_limits(item, values.items.items[i]);

        if (i == 0 || is_worse_opinion(item->slot->metric, &opinion, &worst))
            worst = opinion;
    }
    return worst;
}

/* A word (FAULTY), or a count of errors; of an output that is not whole, "8 of something" proves nothing. */
static bool is_bad_word(const struct opinion *opinion)
{
    const struct limit *limit = opinion->limit;

    return opinion->word == OUTCOME_FAIL && limit->status == LIMIT_TOOL && !asks_others(limit) &&
           (limit->rule != RULE_EQUAL || isnan(opinion->value.number));
}

/* Of an output that is not whole a bad word counts (a faulty GPU is faulty), a number does not. */
static struct opinion of_broken(const struct item_case *item, const struct attempt *attempt,
                                struct attempt_bearing bearing)
{
    struct opinion opinion = {.cause = bearing.cause, .value = {.text = "", .unit = "", .number = NAN}};
    struct opinion judged = by_values(item, attempt);
    const struct finding *fault = own_fault(item, attempt);

    /* What was not begun says nothing of what the check looks for. */
    opinion.remedy = bearing.remedy != NULL ? bearing.remedy
                     : bearing.kind == KIND_NOT_RUN
                         ? ""
                         : check_remedy(check_find(item->step->shape->check), SOUND_METRIC, opinion.cause);
    opinion.word = bearing.kind == KIND_NOT_RUN ? OUTCOME_NOT_RUN : OUTCOME_INCONCLUSIVE;
    if (bearing.kind == KIND_FAULT && item->sound)
        opinion.word = OUTCOME_FAIL;
    if (fault != NULL) {
        opinion.word = OUTCOME_FAIL;
        opinion.cause = fault_text(item, fault);
        opinion.remedy = NULL;
    }
    return is_bad_word(&judged) ? judged : opinion;
}

/* The tool did all that it was asked for; what it says may not be so. */
static void doubt(const struct attempt *attempt, struct opinion *opinion)
{
    const char *doubt = reading_get_fact(&attempt->reading, OUTPUT_DOUBTED, "");

    if (doubt == NULL || opinion->word != OUTCOME_PASS)
        return;
    opinion->word = OUTCOME_INCONCLUSIVE;
    opinion->cause = doubt;
    opinion->remedy =
        "find out what wrote this output, on the first host of the test and on each other, before "
        "you believe it; then test again";
}

static struct opinion of_whole(const struct item_case *item, const struct attempt *attempt)
{
    const struct finding *fault = own_fault(item, attempt);
    struct opinion opinion = by_values(item, attempt);

    doubt(attempt, &opinion);
    if (fault != NULL) {
        opinion.cause = opinion.word == OUTCOME_FAIL
                            ? arena_printf(item->arena, "%s; %s", opinion.cause, fault_text(item, fault))
                            : fault_text(item, fault);
        opinion.word = OUTCOME_FAIL;
    }
    return opinion;
}

static struct opinion opinion_of(const struct item_case *item, const struct attempt *attempt)
{
    struct attempt_bearing bearing = attempt_bearing(item->arena, attempt);
    struct opinion opinion;

    if (bearing.kind == KIND_WHOLE)
        return of_whole(item, attempt);
    opinion = of_broken(item, attempt, bearing);
    /* A host that does not answer fails by it, unless nobody behind the same way in answers. */
    if (attempt->state == ATTEMPT_ENDED && attempt->end == ATTEMPT_UNREACHABLE && item->sound &&
        item->peers != NULL && strcmp(item->step->shape->check, "reachable") == 0 &&
        item->peers->neighbour_answers(item->peers->context, item->step_index))
        opinion.word = OUTCOME_FAIL;
    return opinion;
}

/* The same crash or hang again on one host is the host's fault; above host scope only isolation accuses. */
static void judge_repeated(const struct item_case *item, const struct step_attempts *attempts,
                           struct opinion *opinion)
{
    unsigned crashes = 0, hangs = 0;
    bool elsewhere;

    if (!item->sound || item->step->member_count > 1 || opinion->word != OUTCOME_INCONCLUSIVE ||
        item->peers == NULL)
        return;
    for (size_t i = 0; i < attempts->count; i++) {
        enum attempt_kind kind = attempt_bearing(item->arena, attempts->items[i]).kind;

        crashes += kind == KIND_CRASH;
        hangs += kind == KIND_HANG;
    }
    elsewhere = item->peers->fine_elsewhere(item->peers->context, item->step_index);
    if (hangs < 2 && (crashes < 2 || !elsewhere))
        return;
    opinion->word = OUTCOME_FAIL;
    opinion->cause = arena_printf(item->arena, "%u times on this host%s: %s", hangs >= 2 ? hangs : crashes,
                                  elsewhere ? " and not on others" : "", opinion->cause);
}

/* Why not all was made that the step owes, where what was made passed; NULL: it was. */
static const char *why_unmade(const struct item_case *item, const struct step_attempts *attempts,
                              size_t passes)
{
    const struct shape *shape = item->step->shape;

    if (shape->repeat_for_s > 0)
        return slices_unmade(item->arena, item->step, attempts);
    return passes < shape->repeat
               ? arena_printf(item->arena, "%zu of %u repeats passed, the others were not made", passes,
                              shape->repeat)
               : NULL;
}

/* Of hundreds of attempts one wants to know when. */
static const char *why_intermittent(const struct item_case *item, const struct attempt *first, size_t fails,
                                    size_t count, const char *cause)
{
    if (item->step->shape->repeat_for_s > 0)
        return arena_printf(item->arena, "intermittent, %zu of %zu attempts failed, first at %s UTC: %s",
                            fails, count, slice_time(item->arena, first), cause);
    return arena_printf(item->arena, "intermittent, %zu of %zu attempts failed: %s", fails, count, cause);
}

/* What the attempts say one by one. */
struct tally {
    struct opinion worst, worst_pass;
    const struct attempt *first_fail;
    size_t passes, fails;
    size_t broken;    /* undecided ones too */
    size_t undecided; /* slices that came to their end: no other one stands for their time */
};

static void count_opinion(const struct item_case *item, const struct attempt *attempt, bool first,
                          struct tally *tally)
{
    struct opinion opinion = opinion_of(item, attempt);
    const char *metric = item->slot->metric;

    if (opinion.word == OUTCOME_PASS && tally->passes++ == 0)
        tally->worst_pass = opinion;
    if (opinion.word == OUTCOME_FAIL && tally->fails++ == 0)
        tally->first_fail = attempt;
    tally->broken += opinion.word == OUTCOME_INCONCLUSIVE || opinion.word == OUTCOME_NOT_RUN;
    tally->undecided += opinion.word == OUTCOME_INCONCLUSIVE && item->step->shape->repeat_for_s > 0 &&
                        attempt_bearing(item->arena, attempt).kind == KIND_WHOLE;
    if (opinion.word == OUTCOME_PASS && is_worse_opinion(metric, &opinion, &tally->worst_pass))
        tally->worst_pass = opinion;
    if (first || is_worse_opinion(metric, &opinion, &tally->worst))
        tally->worst = opinion;
}

static struct opinion combine(const struct item_case *item, const struct step_attempts *attempts)
{
    struct tally tally = {0};
    struct opinion *worst = &tally.worst;
    const char *unmade;

    for (size_t i = 0; i < attempts->count; i++)
        count_opinion(item, attempts->items[i], i == 0, &tally);
    if (tally.fails > 0 && tally.passes > 0)
        worst->cause = why_intermittent(item, tally.first_fail, tally.fails, attempts->count, worst->cause);
    else if (tally.fails > 1 && tally.fails == attempts->count)
        worst->cause = arena_printf(item->arena, "in all %zu attempts: %s", tally.fails, worst->cause);
    unmade = why_unmade(item, attempts, tally.passes);
    if (tally.fails > 0 && unmade != NULL && item->step->shape->repeat_for_s > 0)
        worst->cause = arena_printf(item->arena, "%s; %s", worst->cause, unmade);
    if (tally.fails == 0 && tally.passes > 0 && unmade != NULL) {
        worst->word = OUTCOME_INCONCLUSIVE;
        worst->cause = unmade;
    }
    /* A crash or a hang that did not come again is said, and does not undo what the retry showed. */
    if (tally.fails == 0 && tally.passes > 0 && unmade == NULL && tally.undecided == 0 && tally.broken > 0) {
        tally.worst_pass.remark = true;
        tally.worst_pass.cause = arena_printf(item->arena, "passed after %zu broken attempt%s: %s",
                                              tally.broken, tally.broken > 1 ? "s" : "", worst->cause);
        return tally.worst_pass;
    }
    return *worst;
}

/* What only shows in all attempts together, beside what each of them showed. */
static void judge_series(const struct item_case *item, const struct step_attempts *attempts,
                         struct opinion *opinion)
{
    struct slices_said said =
        item->sound ? (struct slices_said){.text = ""}
                    : slices_judge(item->arena, item->step, item->slot, item->limits->peers, attempts);

    if (*said.text == '\0' || opinion->word == OUTCOME_NOT_RUN)
        return;
    if (said.word > opinion->word) {
        opinion->cause = *opinion->cause != '\0'
                             ? arena_printf(item->arena, "%s; %s", said.text, opinion->cause)
                             : said.text;
        opinion->word = said.word;
        return;
    }
    opinion->cause = *opinion->cause != '\0' ? arena_printf(item->arena, "%s; %s", opinion->cause, said.text)
                     : said.word == OUTCOME_PASS ? arena_printf(item->arena, "remark: %s", said.text)
                                                 : said.text;
    opinion->remark |= said.remark;
}

static void put_limit(struct arena *arena, const struct limit *limit, struct outcome *outcome)
{
    if (limit == NULL)
        return;
    outcome->gate = limit_text(arena, limit);
    outcome->limit = limit_stated(arena, limit);
    outcome->source = limit->source != NULL ? limit->source : "";
    outcome->status = limit_status_name(limit->status);
}

/* A variant that crashes or hangs is a result of its own. A part of a slow test is not: the search speaks of it. */
static bool is_broken_variant(const struct step *step, const struct opinion *opinion)
{
    return opinion->word == OUTCOME_INCONCLUSIVE && step_advises(step);
}

void slot_outcome(struct arena *arena, const struct step *step, size_t step_index, size_t slot_index,
                  const struct slot_limits *limits, const struct step_attempts *attempts,
                  const struct peers *peers, struct outcome *ret_outcome)
{
    const struct slot *slot = &step->shape->slots[slot_index];
    struct item_case item = {.arena = arena,
                             .step = step,
                             .step_index = step_index,
                             .slot = slot,
                             .limits = limits,
                             .peers = peers,
                             .sound = strcmp(slot->metric, SOUND_METRIC) == 0};
    struct opinion opinion = combine(&item, attempts);

    judge_repeated(&item, attempts, &opinion);
    judge_series(&item, attempts, &opinion);
    *ret_outcome = (struct outcome){.step = step_index,
                                    .slot = slot_index,
                                    .word = opinion.word,
                                    .cause = opinion.cause,
                                    .remedy = "",
                                    .limit = "",
                                    .gate = "",
                                    .source = "",
                                    .status = "",
                                    .remark = opinion.remark};
    ret_outcome->measured = opinion.value.found && !item.sound ? value_with_unit(arena, &opinion.value) : "";
    ret_outcome->value = opinion.value.found ? opinion.value.number : NAN;
    put_limit(arena, opinion.limit, ret_outcome);
    if (slot->duty == DUTY_RECORD) {
        /* That an attempt broke and did not come again is told once, of the whole step. */
        ret_outcome->remark = opinion.word == OUTCOME_FAIL ||
                              (item.sound && (opinion.remark || is_broken_variant(step, &opinion)));
        ret_outcome->word = OUTCOME_RECORDED;
        if (!opinion.value.found)
            ret_outcome->cause = opinion.cause;
    } else if (opinion.word == OUTCOME_NOT_RUN) {
        ret_outcome->remedy = opinion.remedy != NULL ? opinion.remedy : "";
    } else if (opinion.word == OUTCOME_FAIL || opinion.word == OUTCOME_INCONCLUSIVE) {
        ret_outcome->remedy = opinion.remedy != NULL
                                  ? opinion.remedy
                                  : check_remedy(check_find(step->shape->check), slot->metric, opinion.cause);
    }
}
