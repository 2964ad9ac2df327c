/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the model's enums, and what follows from a plan's plain data. */
#include <stdbool.h>
#include <string.h>

#include "assay/model/attempt.h"
#include "assay/model/outcome.h"
#include "assay/model/plan.h"
#include "assay/model/record.h"
#include "assay/reasons/any.h"
#include "assay/reasons/model.h"

static const char *const outcome_names[] = {"recorded", "pass", "not run", "inconclusive", "fail"};
const struct held_to held_to_nothing = {.status = ""};
static const char *const verdict_names[] = {"accept", "accept with exceptions", "incomplete", "reject"};
static const char *const duty_names[] = {"record", "gate"};
static const char *const exclusivity_names[] = {"none", "host", "leaf", "fabric"};
static const char *const accused_kind_names[] = {"host", "leaf", "link"};
static const char *const accused_place_names[] = {"", "inside the host", "on its way into the fabric"};
static const char *const origin_names[] = {"suite", "substitute", "left out", "isolate"};
static const char *const run_state_names[] = {"running", "ended", "interrupted", "cancelled"};
static const char *const attempt_end_names[] = {
    "ran",
    "killed",
    "deadline",
    "rebooted",
    "lost",
    "unreachable",
    "auth refused",
    "host key unknown",
    "host key changed",
    "sudo refused",
    "no answer",
    "no spool",
    "cancelled",
    "not ready",
    "in use",
    "jump host failed",
    "owner unknown",
};

static bool find_name(const char *const *names, size_t count, const char *word, size_t *ret_index)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], word) == 0) {
            *ret_index = i;
            return true;
        }
    return false;
}

bool waiver_in_force(const struct waiver *waiver, double now)
{
    if (waiver->foreign && (waiver->adopted.made <= 0 || now < waiver->adopted.made))
        return false;
    return waiver->made <= now && now < waiver->until &&
           (waiver->withdrawn.made <= 0 || now < waiver->withdrawn.made);
}

const struct waiver *judgement_ended_waiver(const struct judgement *judgement, double now)
{
    const struct waiver *first = NULL;

    if (judgement->verdict_count == 0 || judgement->verdicts[0].word != VERDICT_ACCEPT_WITH_EXCEPTIONS)
        return NULL;
    array_each (outcome, judgement->outcomes, judgement->outcome_count)
        if (outcome->waiver != NULL && !waiver_in_force(outcome->waiver, now) &&
            (first == NULL || outcome->waiver->until < first->until))
            first = outcome->waiver;
    return first;
}

size_t judgement_waivers(const struct judgement *judgement)
{
    size_t count = 0;

    for (size_t i = 0; i < judgement->outcome_count; i++) {
        const struct waiver *waiver = judgement->outcomes[i].waiver;
        bool counted = waiver == NULL;

        for (size_t k = 0; k < i && !counted; k++)
            counted = judgement->outcomes[k].waiver == waiver;
        count += !counted;
    }
    return count;
}

struct held_to *outcome_held_own(struct arena *arena, struct outcome *outcome)
{
    struct held_to *own = arena_new(arena, struct held_to);

    *own = *outcome->held;
    outcome->held = own;
    return own;
}

const char *outcome_name(enum outcome_word word)
{
    return outcome_names[word];
}

bool outcome_stands_out(const struct outcome *outcome)
{
    /* The status is all that an earlier version kept of it as data. */
    return reason_has(outcome->cause, below_peers) || strcmp(outcome->held->status, "peers") == 0;
}

const char *verdict_name(enum verdict_word word)
{
    return verdict_names[word];
}

int verdict_exit_status(enum verdict_word word)
{
    static const int status[] = {[VERDICT_ACCEPT] = 0,
                                 [VERDICT_REJECT] = 1,
                                 [VERDICT_INCOMPLETE] = 2,
                                 [VERDICT_ACCEPT_WITH_EXCEPTIONS] = 3};

    return status[word];
}

const char *duty_name(enum duty duty)
{
    return duty_names[duty];
}

const char *exclusivity_name(enum exclusivity exclusive)
{
    return exclusivity_names[exclusive];
}

bool exclusivity_parse(const char *word, enum exclusivity *ret_exclusive)
{
    size_t index;

    if (!find_name(exclusivity_names, ARRAY_SIZE(exclusivity_names), word, &index))
        return false;
    *ret_exclusive = (enum exclusivity)index;
    return true;
}

const char *origin_name(enum step_origin origin)
{
    return origin_names[origin];
}

const char *accused_kind_name(enum accused_kind kind)
{
    return accused_kind_names[kind];
}

const char *accused_place_name(enum accused_place place)
{
    return accused_place_names[place];
}

const char *run_state_name(enum run_state state)
{
    return run_state_names[state];
}

bool attempt_is_whole(const struct attempt *attempt)
{
    return attempt->state == ATTEMPT_ENDED && attempt->end == ATTEMPT_RAN &&
           attempt->reading.status == READING_COMPLETE;
}

bool attempt_is_clipped(const struct attempt *attempt)
{
    return attempt->captures[0].clipped || attempt->captures[1].clipped;
}

const char *attempt_end_name(enum attempt_end end)
{
    return attempt_end_names[end];
}

bool attempt_end_loses_host(enum attempt_end end)
{
    return end >= ATTEMPT_UNREACHABLE && end != ATTEMPT_SUDO_REFUSED && end != ATTEMPT_CANCELLED &&
           end != ATTEMPT_NOT_READY && end != ATTEMPT_IN_USE && end != ATTEMPT_UNANSWERED;
}

bool attempt_end_parse(const char *name, enum attempt_end *ret_end)
{
    size_t index;

    if (!find_name(attempt_end_names, ARRAY_SIZE(attempt_end_names), name, &index))
        return false;
    *ret_end = (enum attempt_end)index;
    return true;
}

static const struct reason *hosts_said(struct arena *arena, const struct step *step)
{
    const char **names;

    if (step->member_count == 1)
        return reason(arena, text, step->members[0]->name);
    names = arena_array(arena, const char *, step->member_count);
    for (size_t i = 0; i < step->member_count; i++)
        names[i] = step->members[i]->name;
    return reason(arena, hosts_of_step, step->member_count, hostlist_fold(arena, names, step->member_count));
}

const char *step_hosts(struct arena *arena, const struct step *step)
{
    return reason_english(arena, hosts_said(arena, step));
}

const struct reason *step_target_said(struct arena *arena, const struct step *step)
{
    const char *variant = step->shape != NULL ? step->shape->variant : "";
    const struct reason *hosts = hosts_said(arena, step);

    return *variant != '\0' ? reason(arena, clause, hosts, variant) : hosts;
}

const char *step_target(struct arena *arena, const struct step *step)
{
    return reason_english(arena, step_target_said(arena, step));
}

bool step_advises(const struct step *step)
{
    if (*step->shape->variant == '\0' || step->origin == ORIGIN_ISOLATE)
        return false;
    for (size_t i = 0; i < step->shape->slot_count; i++)
        if (step->shape->slots[i].duty == DUTY_GATE)
            return false;
    return true;
}

static bool shares_leaf(const struct step *a, const struct step *b)
{
    for (size_t i = 0; i < a->member_count; i++)
        for (size_t k = 0; k < b->member_count; k++)
            if (strcmp(a->members[i]->leaf, b->members[k]->leaf) == 0)
                return true; /* an undeclared leaf may be any */
    return false;
}

bool steps_share_fabric(const struct step *a, const struct step *b)
{
    if (a->shape->exclusive < EXCLUSIVE_LEAF || b->shape->exclusive < EXCLUSIVE_LEAF)
        return false;
    return a->shape->exclusive == EXCLUSIVE_FABRIC || b->shape->exclusive == EXCLUSIVE_FABRIC ||
           shares_leaf(a, b);
}

bool step_has_host(const struct step *step, const struct host *host)
{
    for (size_t i = 0; i < step->member_count; i++)
        if (step->members[i] == host)
            return true;
    return false;
}

bool step_has_host_named(const struct step *step, const char *name)
{
    for (size_t i = 0; i < step->member_count; i++)
        if (strcmp(step->members[i]->name, name) == 0)
            return true;
    return false;
}

bool steps_share_host(const struct step *a, const struct step *b)
{
    for (size_t i = 0; i < a->member_count; i++)
        if (step_has_host(b, a->members[i]))
            return true;
    return false;
}

bool steps_have_same_hosts(const struct step *a, const struct step *b)
{
    return a->member_count == b->member_count &&
           memcmp(a->members, b->members, a->member_count * sizeof *a->members) == 0;
}

bool subject_names(const char *subject, const char *item)
{
    size_t length = strlen(item);

    for (const char *at = strstr(subject, item); at != NULL; at = strstr(at + 1, item))
        if (at[length] < '0' || at[length] > '9')
            return true;
    return false;
}

/* A simulated host's pace; of several members the slowest counts. */
static double step_timescale(const struct step *step)
{
    double slowest = step->members[0]->timescale;

    for (size_t i = 1; i < step->member_count; i++)
        if (step->members[i]->timescale < slowest)
            slowest = step->members[i]->timescale;
    return slowest >= 1 ? slowest : 1;
}

double plan_timescale(const struct plan *plan)
{
    double most = 1;

    for (size_t i = 0; i < plan->hosts.count; i++)
        if (plan->hosts.items[i]->timescale > most)
            most = plan->hosts.items[i]->timescale;
    return most;
}

unsigned step_deadline_s(const struct step *step)
{
    /* Simulated hosts share one machine: to start a program takes them as long as it takes real ones, and longer. */
    enum { SHORTEST_S = 10, SHORTEST_SIMULATED_S = 30 };
    double timescale = step_timescale(step), scaled = step->shape->timeout_s / timescale;
    unsigned shortest_s = timescale > 1 ? SHORTEST_SIMULATED_S : SHORTEST_S;

    return scaled > shortest_s ? (unsigned)scaled : shortest_s;
}

double step_expected_s(const struct step *step)
{
    return step->shape->expected_s / step_timescale(step);
}

double step_repeat_for_s(const struct step *step)
{
    return step->shape->repeat_for_s / step_timescale(step);
}

const struct host *plan_find_host(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->hosts.count; i++)
        if (strcmp(plan->hosts.items[i]->name, name) == 0)
            return plan->hosts.items[i];
    return NULL;
}
