/* SPDX-License-Identifier: Apache-2.0 */
/* One item's outcome from all attempts of its step. */
#include <math.h>
#include <string.h>

#include "assay/model/hostfile.h"
#include "assay/reasons/any.h"
#include "assay/reasons/check.h"
#include "assay/reasons/judge.h"
#include "assay/reasons/model.h"

#include "whole_run.h"

/* What the functions below share about one slot. */
struct item_case {
    struct arena *arena;
    const struct step *step;
    size_t step_index;
    const struct slot *slot;
    const struct slot_limits *limits;
    struct whole_run *whole; /* NULL while the run goes on */
    bool sound;              /* the item that stands for the step as a whole */
};

/* What one attempt says of the item. */
struct opinion {
    enum outcome_word word;
    const struct reason *cause;
    const struct reason *remedy;
    bool advised; /* remedy is what to do, which may be nothing; else it is the check's for the metric */
    struct value value;
    const struct limit *limit; /* the one that decided; NULL */
    const char *metric;        /* the value and the limit are another's of the same subject: of this; NULL */
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
static bool fails_by_value(const struct item_case *item, const struct tried *tried,
                           const struct finding *finding)
{
    const struct shape *shape = item->step->shape;

    array_each (slot, shape->slots, shape->slot_count) {
        struct values values;

        if (slot->duty != DUTY_GATE || strcmp(slot->subject, finding->subject) != 0 ||
            !same_family(finding->code, slot->metric))
            continue;
        value_index_find(item->arena, slot, &tried->values, &values);
        for (size_t k = 0; k < values.items.count; k++)
            if (fails_own_rules(slot, &values.items.items[k]))
                return true;
    }
    return false;
}

/* Parts that a test of several hosts complains of, by their first complaint each: the kernel of one may repeat itself. */
enum { FAULTS_SAID = 64 };

/* What the tool complained of; "sound" has no subject of its own, so the complaint's is told with it. Of several hosts it is told
   whatever the complaint says: whom the fail is about is read there (blame.h). */
static const struct reason *fault_text(const struct item_case *item, const struct finding *fault)
{
    if (!item->sound || *fault->subject == '\0' ||
        (item->step->member_count == 1 && reason_mentions(fault->what, fault->subject)))
        return fault->what;
    return reason(item->arena, about, fault->subject, fault->what);
}

static bool is_gate(const struct shape *shape, const char *metric, const char *subject)
{
    for (size_t i = 0; i < shape->slot_count; i++)
        if (shape->slots[i].duty == DUTY_GATE && strcmp(shape->slots[i].subject, subject) == 0 &&
            strcmp(shape->slots[i].metric, metric) == 0)
            return true;
    return false;
}

static struct check_fault told_of(const struct item_case *item, const struct finding *finding)
{
    const struct check *check = check_find(item->step->shape->check);

    return check != NULL && check->fault != NULL ? check->fault(item->arena, finding)
                                                 : (struct check_fault){.item = NULL};
}

/* A tool's complaint is laid at the gate that it names, or the first one that has its subject; what nobody's subject is, at
   "sound". */
static bool is_laid_here(const struct item_case *item, const struct tried *tried,
                         const struct finding *finding)
{
    const struct shape *shape = item->step->shape;
    const char *named;
    size_t first = 0;

    if (!is_fault(finding))
        return false;
    named = told_of(item, finding).item;
    if (named != NULL && is_gate(shape, named, finding->subject))
        return strcmp(item->slot->metric, named) == 0 && strcmp(item->slot->subject, finding->subject) == 0;
    if (!subject_is_planned(shape, finding->subject))
        return item->sound;
    if (fails_by_value(item, tried, finding))
        return false;
    while (shape->slots[first].duty != DUTY_GATE ||
           strcmp(shape->slots[first].subject, finding->subject) != 0)
        first++;
    return &shape->slots[first] == item->slot;
}

/* Of which members more was complained of. */
struct left_out {
    LIST_OF(const char *) members;
    bool others; /* nobody knows of whom */
};

/* Complaints come member by member. */
static void leave_out(const struct item_case *item, const char *subject, struct left_out *left_out)
{
    const struct step *step = item->step;
    size_t length = strcspn(subject, " ");

    for (size_t i = left_out->members.count; i-- > 0;)
        if (strncmp(left_out->members.items[i], subject, length) == 0 &&
            left_out->members.items[i][length] == '\0')
            return;
    for (size_t i = 0; i < step->member_count; i++)
        if (strncmp(step->members[i]->name, subject, length) == 0 && step->members[i]->name[length] == '\0') {
            *list_push(item->arena, &left_out->members) = step->members[i]->name;
            return;
        }
    left_out->others = true;
}

static const struct reason *with_left_out(struct arena *arena, const struct reason *said,
                                          const struct left_out *left_out)
{
    if (left_out->members.count > 0)
        said = reason_also(arena, said,
                           reason(arena, more_left_out_of,
                                  hostlist_fold(arena, left_out->members.items, left_out->members.count)));
    return left_out->others ? reason_also(arena, said, REASON(more_left_out)) : said;
}

/* What was complained of; NULL: nothing. Of a test of one host the first tells it; of several hosts each may have its own. */
static const struct reason *own_faults(const struct item_case *item, const struct tried *tried)
{
    const struct reading *reading = &tried->attempt->reading;
    const struct reason *said = NULL;
    const char *parts[FAULTS_SAID];
    struct left_out left_out = {0};
    size_t count = 0;

    list_each (finding, reading->findings) {
        size_t known = 0;

        if (!is_laid_here(item, tried, finding))
            continue;
        if (item->step->member_count == 1)
            return fault_text(item, finding);
        while (known < count && strcmp(parts[known], finding->subject) != 0)
            known++;
        if (known < count)
            continue;
        if (count == FAULTS_SAID) {
            leave_out(item, finding->subject, &left_out);
            continue;
        }
        parts[count++] = finding->subject;
        said = reason_also(item->arena, said, fault_text(item, finding));
    }
    return with_left_out(item->arena, said, &left_out);
}

/* As a sentence goes on: "expected yes", "expected >= 345 GB/s". */
static const struct reason *expectation(struct arena *arena, const struct limit *limit)
{
    return limit->rule == RULE_EQUAL ? reason(arena, text, limit->text) : limit_text(arena, limit);
}

/* More than the parts can reach is not believed, and shows nothing. */
static const struct limit *disbelieved(const struct item_case *item, const struct value *value)
{
    for (size_t i = 0; i < item->limits->limits.count; i++) {
        const struct limit *limit = item->limits->limits.items[i];

        if (limit->rule == RULE_PLAUSIBLE && limit_met(limit, value, NULL) == MISSED)
            return limit;
    }
    return NULL;
}

static bool asks_others(const struct limit *limit)
{
    return limit->rule == RULE_SAME || limit->rule == RULE_DISTINCT || limit->rule == RULE_NEAR ||
           limit->rule == RULE_GROUPS || limit->rule == RULE_RACK || limit->rule == RULE_MACHINE ||
           limit->rule == RULE_READ || limit->rule == RULE_GROWN;
}

/* What the limits of others say of the value; common: see why_missed. */
static const struct reason *beside_others(const struct item_case *item, const struct limit *limit,
                                          const struct reason *is, const struct common_value *common)
{
    if (limit->rule == RULE_RACK)
        return reason(item->arena, clause, is, common->said);
    if (limit->rule == RULE_READ)
        return reason(item->arena, while_it_is_read_on, is, common->said);
    if (limit->rule == RULE_NEAR)
        return common->text == NULL ? reason(item->arena, one_host_and_its_controller, is)
                                    : reason(item->arena, while_hosts_median_is, is, common->text);
    if (limit->rule == RULE_MACHINE)
        return reason(item->arena, another_machine_answers, item->slot->subject);
    if (limit->rule == RULE_DISTINCT)
        return reason(item->arena, is_shared_with, item->slot->metric, common->said);
    return common->text == NULL ? reason(item->arena, hosts_do_not_agree, is,
                                         whole_common_kinds(item->whole, item->step_index, item->slot))
                                : reason(item->arena, while_most_hosts_have, is, common->text);
}

/* common: what most hosts have, of RULE_SAME; NULL: they do not agree. Of RULE_DISTINCT the others that have it, of RULE_RACK
   what is wrong. */
static const struct reason *why_missed(const struct item_case *item, const struct limit *limit,
                                       const struct value *value, const struct common_value *common)
{
    struct arena *arena = item->arena;
    const struct reason *is = reason(arena, value_is, item->slot->metric, value_with_unit(arena, value)),
                        *why;

    if (!limit_is_in_unit(limit, value))
        return reason(arena, limit_in_another_unit, is, limit_text(arena, limit));
    if (asks_others(limit))
        return beside_others(item, limit, is, common);
    why = factor_hint(arena, limit, value, reason(arena, expected, is, expectation(arena, limit)));
    return limit->note != NULL ? reason(arena, noted, why, limit->note) : why;
}

static struct opinion not_believed(const struct item_case *item, const struct limit *limit,
                                   const struct value *value)
{
    struct arena *arena = item->arena;

    return (struct opinion){.word = OUTCOME_INCONCLUSIVE,
                            .value = *value,
                            .limit = limit,
                            .cause =
                                factor_hint(arena, limit, value,
                                            reason(arena, not_believed, item->slot->metric,
                                                   value_with_unit(arena, value), limit_text(arena, limit))),
                            .remedy = limit->note,
                            .advised = limit->note != NULL};
}

/* "nccl.all_gather.asymptotic is 301 GB/s, 11.2% (+-0.6%) below the median 339 of 16 smaller groups" */
static const struct reason *beside_groups(const struct item_case *item, const struct own_groups *groups,
                                          const struct own_standing *standing, const struct value *value)
{
    struct arena *arena = item->arena;
    const struct reason *is = reason(arena, value_is, item->slot->metric, value_with_unit(arena, value));

    if (groups->count < 2)
        return reason(arena, too_few_smaller_groups, is, groups->count);
    /* What is less sure than it is large says nothing. */
    if (!(standing->error < fabs(standing->below)))
        return reason(arena, smaller_groups_differ, is, groups->count);
    return reason(arena, below_smaller_groups, is, arena_printf(arena, "%.1f", standing->below * 100),
                  arena_printf(arena, "%.1f", standing->error * 100),
                  arena_printf(arena, "%.4g", groups->median), groups->count);
}

/* RULE_GROUPS. */
static struct opinion by_groups(const struct item_case *item, const struct limit *limit,
                                const struct value *value)
{
    struct opinion opinion = {.word = OUTCOME_PASS, .cause = NULL, .value = *value, .limit = limit};
    struct own_groups groups;
    const struct own_standing standing = whole_beside_groups(
        item->arena, item->whole, item->step_index, item->slot, value->number, limit->value, &groups);
    const struct reason *is = beside_groups(item, &groups, &standing, value);
    double most = (1 - limit->value) * 100;

    opinion.remark = standing.says == GROUPS_REMARK;
    if (standing.says == GROUPS_FAIL) {
        opinion.word = OUTCOME_FAIL;
        opinion.cause = reason(item->arena, fail_from, is, most);
    } else if (standing.says == GROUPS_UNDECIDED) {
        opinion.word = OUTCOME_INCONCLUSIVE;
        opinion.cause = groups.count < 2 ? is : reason(item->arena, noise_hides_a_fail, is, most);
    } else if (opinion.remark) {
        opinion.cause = reason(item->arena, remark, reason(item->arena, remark_from, is, most / 2));
    }
    return opinion;
}

/* RULE_GROWN. limit NULL: it asks nothing of this look. */
static struct opinion by_growth(const struct item_case *item, const struct limit *limit,
                                const struct value *value)
{
    static const enum outcome_word words[] = {[GROWN_UNKNOWN] = OUTCOME_INCONCLUSIVE,
                                              [GROWN_BEYOND] = OUTCOME_FAIL,
                                              [GROWN_FIRST] = OUTCOME_PASS,
                                              [GROWN_WITHIN] = OUTCOME_PASS,
                                              [GROWN_ANEW] = OUTCOME_PASS};
    const struct reason *is =
        reason(item->arena, value_is, item->slot->metric, value_with_unit(item->arena, value));
    struct grown grown =
        whole_grown_since(item->arena, item->whole, item->step_index, item->slot, value->number, limit);
    struct opinion opinion = {.word = words[grown.word], .value = *value, .limit = limit};

    if (grown.word == GROWN_FIRST)
        opinion.limit = NULL;
    if (grown.what != NULL)
        opinion.cause = reason(item->arena, clause, is, grown.what);
    opinion.remark = grown.word == GROWN_ANEW;
    if (opinion.remark)
        opinion.cause = reason(item->arena, remark, opinion.cause);
    return opinion;
}

/* RULE_READ, of what no host has read: none is worse for it, and a verdict has the names beside it (src/report/unread.h). */
static struct opinion read_nowhere(const struct item_case *item, const struct limit *limit,
                                   const struct value *value)
{
    const struct reason *name =
        limit->note != NULL ? limit->note : reason_text(item->arena, item->slot->metric);

    return (struct opinion){
        .word = OUTCOME_PASS,
        .value = *value,
        .limit = limit,
        .remark = true,
        .cause = reason(item->arena, read_on_no_host, name, value_with_unit(item->arena, value))};
}

/* What most of them have, of RULE_SAME; what the host by the item's name is, of RULE_MACHINE; their median, of RULE_NEAR; those
   that have this value too, of RULE_DISTINCT. */
static struct common_value what_others_have(const struct item_case *item, const struct limit *limit,
                                            const struct value *value)
{
    struct common_value common = {0};

    if (limit->rule == RULE_SAME)
        common.text = whole_common_value(item->whole, item->step_index, item->slot);
    else if (limit->rule == RULE_NEAR)
        common.text = whole_common_span(item->whole, item->step_index, item->slot);
    else if (limit->rule == RULE_MACHINE)
        common.text = whole_machine_of(item->whole, item->step_index, item->slot->subject);
    else if (limit->rule == RULE_DISTINCT && !limit_excepts(limit, value))
        common.said = whole_others_with(item->arena, item->whole, item->step_index, item->slot, value->text);
    else if (limit->rule == RULE_READ)
        common.said = whole_read_on(item->arena, item->whole, item->step_index, item->slot, limit->text);
    else if (limit->rule == RULE_RACK)
        common.said = whole_odd_in_rack(item->arena, item->whole, item->step_index, item->slot, value->text);
    if (common.said != NULL)
        common.text = value->text;
    return common;
}

/* It was read nowhere, and a contract says what that is to be. */
static bool is_contracted(struct opinion opinion, struct opinion beside)
{
    return beside.limit != NULL && beside.limit->rule == RULE_READ && opinion.limit != NULL &&
           opinion.limit->status == LIMIT_CONTRACT;
}

/* A gate that nothing enforceable spoke of is undecided; beside: what its own smaller groups say, where they were asked, or that it
   was read nowhere; guess: the first that it misses; NULL. */
static struct opinion none_missed(const struct item_case *item, struct opinion opinion, struct opinion beside,
                                  bool enforceable, const struct limit *guess)
{
    opinion.remark = guess != NULL;
    if (!enforceable && item->slot->duty == DUTY_GATE) {
        opinion.word = OUTCOME_INCONCLUSIVE;
        opinion.cause = opinion.limit != NULL ? REASON(only_a_guess) : REASON(no_limit);
    } else if (beside.limit != NULL && !is_contracted(opinion, beside)) {
        return beside;
    } else if (guess != NULL) {
        opinion.limit = guess;
        opinion.cause =
            reason(item->arena, remark,
                   reason(item->arena, guess_expects, item->slot->metric,
                          value_with_unit(item->arena, &opinion.value), limit_text(item->arena, guess)));
    }
    return opinion;
}

static bool is_stricter(const struct limit *limit, const struct limit *than)
{
    return limit_is_number(limit) && limit_is_number(than) && limit_is_as_strict(limit, than) &&
           !limit_is_as_strict(than, limit);
}

/* Of the numbers that the value misses, the one that asks for most: by a weaker one alone it would fail as well, and what is
   required is to be the same number wherever it is told. first: where the first missed one stands. */
static const struct limit *strictest_missed(const struct item_case *item, size_t first,
                                            const struct value *value)
{
    const struct limit *strictest = item->limits->limits.items[first];

    for (size_t i = first + 1; i < item->limits->limits.count; i++) {
        const struct limit *limit = item->limits->limits.items[i];

        if (limit_enforceable(limit) && limit->inconclusive == strictest->inconclusive &&
            is_stricter(limit, strictest) && limit_is_in_unit(limit, value) &&
            limit_met(limit, value, NULL) == MISSED)
            strictest = limit;
    }
    return strictest;
}

/* Nothing that this value decides: it was asked before, or it is asked of all attempts (judge_series) or of all hosts together. */
static bool is_asked_elsewhere(const struct item_case *item, const struct limit *limit,
                               struct opinion *opinion, bool *enforceable)
{
    if (limit->rule == RULE_PLAUSIBLE)
        return true;
    if (limit->rule == RULE_SERIES)
        opinion->limit = limit;
    else if (!asks_others(limit) || item->whole != NULL)
        return false;
    *enforceable = true;
    return true;
}

static struct opinion by_limits(const struct item_case *item, struct value value)
{
    struct opinion opinion = {.word = OUTCOME_PASS, .cause = NULL, .value = value};
    struct opinion beside = {.cause = NULL};
    const struct limit *disbelieving = disbelieved(item, &value), *guess = NULL;
    bool enforceable = false;

    if (disbelieving != NULL)
        return not_believed(item, disbelieving, &value);
    for (size_t i = 0; i < item->limits->limits.count; i++) {
        const struct limit *limit = item->limits->limits.items[i];
        struct common_value common = {0};
        enum met met;

        if (is_asked_elsewhere(item, limit, &opinion, &enforceable))
            continue;
        if (limit->rule == RULE_GROWN || limit->rule == RULE_GROUPS) {
            struct opinion own =
                limit->rule == RULE_GROWN ? by_growth(item, limit, &value) : by_groups(item, limit, &value);

            if (own.word != OUTCOME_PASS)
                return own;
            enforceable |= own.limit != NULL;
            opinion.limit = opinion.limit != NULL ? opinion.limit : own.limit;
            if (own.remark || limit->rule == RULE_GROUPS)
                beside = own;
            continue;
        }
        enforceable |= asks_others(limit);
        if (asks_others(limit))
            common = what_others_have(item, limit, &value);
        met = limit_is_in_unit(limit, &value) ? limit_met(limit, &value, common.text) : UNDECIDED;
        if (!limit_enforceable(limit)) {
            guess = guess == NULL && met == MISSED ? limit : guess;
            if (opinion.limit == NULL)
                opinion.limit = limit;
            continue;
        }
        enforceable = true;
        if (met != MET || opinion.limit == NULL || !is_stricter(opinion.limit, limit))
            opinion.limit = limit;
        if (met == MET && limit->rule == RULE_READ && common.said == NULL)
            beside = read_nowhere(item, limit, &value);
        if (met == MET)
            continue;
        if (met == MISSED)
            opinion.limit = strictest_missed(item, i, &value);
        opinion.word = met == MISSED && !limit->inconclusive ? OUTCOME_FAIL : OUTCOME_INCONCLUSIVE;
        opinion.cause = why_missed(item, opinion.limit, &value, &common);
        return opinion;
    }
    return none_missed(item, opinion, beside, enforceable, guess);
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

/* Why a value is missing, where the reading says it: a finding METRIC.unread of the same subject. NULL: it does not. */
static const struct reason *why_unread(const struct item_case *item, const struct attempt *attempt)
{
    list_each (finding, attempt->reading.findings) {
        struct slice code = slice_of(finding->code);

        if (scan_text(&code, item->slot->metric) && slice_equal(code, ".unread") &&
            strcmp(finding->subject, item->slot->subject) == 0)
            return reason(item->arena, value_not_read, item->slot->metric, finding->what);
    }
    return NULL;
}

/* By every value that the attempt has for the item, and by one that it should have: the worst counts. */
static struct opinion by_values(const struct item_case *item, const struct tried *tried)
{
    const struct reason *unread = why_unread(item, tried->attempt);
    struct opinion worst = {.word = OUTCOME_INCONCLUSIVE,
                            .cause = unread != NULL ? unread : REASON(no_value_in_whole_output),
                            .value = {.text = "", .unit = "", .number = NAN}};
    struct values values = {0};

    if (item->sound)
        *list_push(item->arena, &values.items) =
            (struct value){.text = "yes", .unit = "", .number = NAN, .found = true};
    else
        value_index_find(item->arena, item->slot, &tried->values, &values);
    for (size_t i = 0; i < values.items.count; i++) {
        struct opinion opinion = by_limits(item, values.items.items[i]);

        if ((i == 0 && unread == NULL) || is_worse_opinion(item->slot->metric, &opinion, &worst))
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
static struct opinion of_broken(const struct item_case *item, const struct tried *tried)
{
    const struct attempt_bearing bearing = tried->bearing;
    struct opinion opinion = {.cause = bearing.cause, .value = {.text = "", .unit = "", .number = NAN}};
    struct opinion judged = by_values(item, tried);
    const struct reason *fault = own_faults(item, tried);

    /* What was not begun says nothing of what the check looks for. */
    opinion.advised = true;
    opinion.remedy = bearing.advised || bearing.kind == KIND_NOT_RUN
                         ? bearing.remedy
                         : check_remedy(check_find(item->step->shape->check), SOUND_METRIC, opinion.cause);
    opinion.word = bearing.kind == KIND_NOT_RUN ? OUTCOME_NOT_RUN : OUTCOME_INCONCLUSIVE;
    if (bearing.kind == KIND_FAULT && item->sound)
        opinion.word = OUTCOME_FAIL;
    if (fault != NULL) {
        opinion.word = OUTCOME_FAIL;
        opinion.cause = fault;
        opinion.advised = false;
    }
    return is_bad_word(&judged) ? judged : opinion;
}

/* The tool did all that it was asked for; what it says may not be so. */
static void doubt(const struct tried *tried, struct opinion *opinion)
{
    if (tried->doubt == NULL || opinion->word != OUTCOME_PASS)
        return;
    opinion->word = OUTCOME_INCONCLUSIVE;
    opinion->cause = tried->doubt;
    opinion->remedy = REASON(find_who_wrote_output);
    opinion->advised = true;
}

/* The first one that is laid here; NULL. */
static const struct finding *first_fault(const struct item_case *item, const struct tried *tried)
{
    list_each (finding, tried->attempt->reading.findings)
        if (is_laid_here(item, tried, finding))
            return finding;
    return NULL;
}

/* What was measured where the complaint says by which limit, and what to do where it says that: the item's own value may be all right. */
static void tell_fault(const struct item_case *item, const struct tried *tried, const struct finding *fault,
                       struct opinion *opinion)
{
    struct check_fault told = told_of(item, fault);
    const struct measurement *value =
        told.missed != NULL ? reading_get(&tried->attempt->reading, told.missed->metric, fault->subject)
                            : NULL;

    if (value != NULL && opinion->word != OUTCOME_FAIL) {
        opinion->value = (struct value){.text = arena_printf(item->arena, "%.6g", value->value),
                                        .unit = value->unit,
                                        .number = value->value,
                                        .found = true};
        opinion->limit = told.missed;
        opinion->metric = told.missed->metric;
    }
    if (told.remedy != NULL) {
        opinion->remedy = told.remedy;
        opinion->advised = true;
    }
}

static struct opinion of_whole(const struct item_case *item, const struct tried *tried)
{
    const struct reason *fault = own_faults(item, tried);
    struct opinion opinion = by_values(item, tried);

    doubt(tried, &opinion);
    if (fault != NULL) {
        if (item->step->member_count == 1)
            tell_fault(item, tried, first_fault(item, tried), &opinion);
        opinion.cause = opinion.word == OUTCOME_FAIL ? reason_also(item->arena, opinion.cause, fault) : fault;
        opinion.word = OUTCOME_FAIL;
    }
    return opinion;
}

static struct opinion opinion_of(const struct item_case *item, const struct tried *tried)
{
    const struct attempt *attempt = tried->attempt;
    struct opinion opinion;

    if (tried->bearing.kind == KIND_WHOLE)
        return of_whole(item, tried);
    opinion = of_broken(item, tried);
    /* A host that does not answer fails by it, unless nobody behind the same way in answers. What else is asked of it is no
       second point. */
    if (attempt->state == ATTEMPT_ENDED && attempt->end == ATTEMPT_UNREACHABLE &&
        opinion.word == OUTCOME_INCONCLUSIVE && item->whole != NULL &&
        strcmp(item->step->shape->check, "reachable") == 0 &&
        whole_neighbour_answers(item->whole, item->step_index))
        opinion.word = item->sound ? OUTCOME_FAIL : OUTCOME_NOT_RUN;
    return opinion;
}

/* The same crash or hang again on one host is the host's fault; above host scope only isolation accuses. */
static void judge_repeated(const struct item_case *item, const struct step_attempts *attempts,
                           struct opinion *opinion)
{
    unsigned crashes = 0, hangs = 0;
    bool elsewhere;

    if (!item->sound || item->step->member_count > 1 || opinion->word != OUTCOME_INCONCLUSIVE ||
        item->whole == NULL)
        return;
    for (size_t i = 0; i < attempts->count; i++) {
        enum attempt_kind kind = attempts->tried[i].bearing.kind;

        crashes += kind == KIND_CRASH;
        hangs += kind == KIND_HANG;
    }
    elsewhere = whole_fine_elsewhere(item->arena, item->whole, item->step_index);
    if (hangs < 2 && (crashes < 2 || !elsewhere))
        return;
    opinion->word = OUTCOME_FAIL;
    opinion->cause =
        elsewhere ? reason(item->arena, times_on_this_host_only, hangs >= 2 ? hangs : crashes, opinion->cause)
                  : reason(item->arena, times_on_this_host, hangs, opinion->cause);
}

/* Why not all was made that the step owes, where what was made passed; NULL: it was. */
static const struct reason *why_unmade(const struct item_case *item, const struct step_attempts *attempts,
                                       size_t passes)
{
    const struct shape *shape = item->step->shape;

    if (shape->repeat_for_s > 0)
        return slices_unmade(item->arena, item->step, attempts);
    return passes < shape->repeat ? reason(item->arena, some_repeats_not_made, passes, shape->repeat) : NULL;
}

/* Of hundreds of attempts one wants to know when. */
static const struct reason *why_intermittent(const struct item_case *item, const struct attempt *first,
                                             size_t fails, size_t count, const struct reason *cause)
{
    if (item->step->shape->repeat_for_s > 0)
        return reason(item->arena, intermittent_since, fails, count, slice_time(item->arena, first), cause);
    return reason(item->arena, intermittent, fails, count, cause);
}

/* What the attempts say one by one. */
struct tally {
    struct opinion worst, worst_pass;
    const struct attempt *first_fail;
    size_t passes, fails;
    size_t broken;    /* undecided ones too */
    size_t undecided; /* slices that came to their end: no other one stands for their time */
};

static void count_opinion(const struct item_case *item, const struct tried *tried, bool first,
                          struct tally *tally)
{
    struct opinion opinion = opinion_of(item, tried);
    const char *metric = item->slot->metric;

    if (opinion.word == OUTCOME_PASS && tally->passes++ == 0)
        tally->worst_pass = opinion;
    if (opinion.word == OUTCOME_FAIL && tally->fails++ == 0)
        tally->first_fail = tried->attempt;
    tally->broken += opinion.word == OUTCOME_INCONCLUSIVE || opinion.word == OUTCOME_NOT_RUN;
    tally->undecided += opinion.word == OUTCOME_INCONCLUSIVE && item->step->shape->repeat_for_s > 0 &&
                        tried->bearing.kind == KIND_WHOLE;
    if (opinion.word == OUTCOME_PASS && is_worse_opinion(metric, &opinion, &tally->worst_pass))
        tally->worst_pass = opinion;
    if (first || is_worse_opinion(metric, &opinion, &tally->worst))
        tally->worst = opinion;
}

static struct opinion combine(const struct item_case *item, const struct step_attempts *attempts)
{
    struct tally tally = {0};
    struct opinion *worst = &tally.worst;
    const struct reason *unmade;

    for (size_t i = 0; i < attempts->count; i++)
        count_opinion(item, &attempts->tried[i], i == 0, &tally);
    if (tally.fails > 0 && tally.passes > 0)
        worst->cause = why_intermittent(item, tally.first_fail, tally.fails, attempts->count, worst->cause);
    else if (tally.fails > 1 && tally.fails == attempts->count)
        worst->cause = reason(item->arena, in_all_attempts, tally.fails, worst->cause);
    unmade = why_unmade(item, attempts, tally.passes);
    if (tally.fails > 0 && unmade != NULL && item->step->shape->repeat_for_s > 0)
        worst->cause = reason_also(item->arena, worst->cause, unmade);
    if (tally.fails == 0 && tally.passes > 0 && unmade != NULL) {
        worst->word = OUTCOME_INCONCLUSIVE;
        worst->cause = unmade;
    }
    /* A crash or a hang that did not come again is said, and does not undo what the retry showed. */
    if (tally.fails == 0 && tally.passes > 0 && unmade == NULL && tally.undecided == 0 && tally.broken > 0) {
        tally.worst_pass.remark = true;
        tally.worst_pass.cause =
            reason(item->arena, passed_after_broken_attempts, tally.broken, worst->cause);
        return tally.worst_pass;
    }
    return *worst;
}

/* What only shows in all attempts together, beside what each of them showed. */
static void judge_series(const struct item_case *item, const struct step_attempts *attempts,
                         struct opinion *opinion)
{
    struct slices_said said = item->sound
                                  ? (struct slices_said){.what = NULL}
                                  : slices_judge(item->arena, item->step, item->slot, item->limits, attempts);

    if (said.what == NULL || opinion->word == OUTCOME_NOT_RUN)
        return;
    if (said.word > opinion->word) {
        opinion->cause = reason_also(item->arena, said.what, opinion->cause);
        opinion->word = said.word;
        return;
    }
    if (opinion->cause == NULL && said.word == OUTCOME_PASS)
        opinion->cause = reason(item->arena, remark, said.what);
    else
        opinion->cause = reason_also(item->arena, opinion->cause, said.what);
    opinion->remark |= said.remark;
}

/* limit: one of them; NULL. */
static void put_limit(struct arena *arena, const struct slot_limits *limits, const struct limit *limit,
                      struct outcome *outcome)
{
    struct held_to *own;
    size_t i = 0;

    if (limit == NULL)
        return;
    while (i < limits->limits.count && limits->limits.items[i] != limit)
        i++;
    if (limits->words != NULL && i < limits->limits.count) {
        outcome->held = &limits->words[i];
        return;
    }
    own = arena_new(arena, struct held_to);
    *own = limit_words(arena, limit);
    outcome->held = own;
}

/* A variant that crashes or hangs is a result of its own. A part of a slow test is not: the search speaks of it. */
static bool is_broken_variant(const struct step *step, const struct opinion *opinion)
{
    return opinion->word == OUTCOME_INCONCLUSIVE && step_advises(step);
}

/* What the check says of a metric is about a bad value, not about none, and not about one that is held against nothing. */
static const struct reason *remedy_of(const struct step *step, const char *metric, const struct reason *cause)
{
    const struct check *check = check_find(step->shape->check);
    const struct reason *without = check_remedy_without_value(check, metric, cause);

    if (reason_is(cause, no_value_in_whole_output))
        return without != NULL ? without : REASON(read_output_test_again);
    if (reason_is(cause, no_limit) || reason_is(cause, only_a_guess))
        return REASON(give_it_a_limit);
    if (reason_has(cause, host_rebooted_around_test))
        return REASON(see_why_it_rebooted);
    return check_remedy(check, metric, cause);
}

void slot_outcome(struct arena *arena, const struct step *step, size_t step_index, size_t slot_index,
                  const struct slot_limits *limits, const struct step_attempts *attempts,
                  struct whole_run *whole, struct outcome *ret_outcome)
{
    const struct slot *slot = &step->shape->slots[slot_index];
    struct item_case item = {.arena = arena,
                             .step = step,
                             .step_index = step_index,
                             .slot = slot,
                             .limits = limits,
                             .whole = whole,
                             .sound = strcmp(slot->metric, SOUND_METRIC) == 0};
    struct step_attempts looked_at = attempts->tried != NULL ? *attempts : attempts_tried(arena, attempts);
    struct opinion opinion;

    attempts = &looked_at;
    opinion = combine(&item, attempts);
    judge_repeated(&item, attempts, &opinion);
    judge_series(&item, attempts, &opinion);
    *ret_outcome = (struct outcome){.step = step_index,
                                    .slot = slot_index,
                                    .word = opinion.word,
                                    .cause = opinion.cause,
                                    .held = &held_to_nothing,
                                    .remark = opinion.remark};
    ret_outcome->measured =
        opinion.value.found && !item.sound ? value_with_unit(arena, &opinion.value) : NULL;
    ret_outcome->value = opinion.value.found ? opinion.value.number : NAN;
    put_limit(arena, limits, opinion.limit, ret_outcome);
    if (opinion.metric != NULL) {
        struct held_to *own = outcome_held_own(arena, ret_outcome);

        own->gate = reason(arena, gate_of_metric, opinion.metric, own->gate);
    }
    if (slot->duty == DUTY_RECORD) {
        /* That an attempt broke and did not come again is told once, of the whole step. */
        ret_outcome->remark = opinion.word == OUTCOME_FAIL ||
                              (opinion.limit != NULL && opinion.limit->rule == RULE_PLAUSIBLE) ||
                              (item.sound && (opinion.remark || is_broken_variant(step, &opinion)));
        ret_outcome->word = OUTCOME_RECORDED;
        if (!opinion.value.found)
            ret_outcome->cause = opinion.cause;
    } else if (opinion.word == OUTCOME_NOT_RUN) {
        ret_outcome->remedy = opinion.remedy;
    } else if (opinion.word == OUTCOME_FAIL || opinion.word == OUTCOME_INCONCLUSIVE) {
        ret_outcome->remedy = opinion.advised ? opinion.remedy : remedy_of(step, slot->metric, opinion.cause);
    }
}
