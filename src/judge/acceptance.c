/* SPDX-License-Identifier: Apache-2.0 */
/* What is settled of an acceptance, and what is missing. The rules stand in acceptance.h. */
#include <string.h>

#include "acceptance_private.h"
#include "assay/judge.h"
#include "assay/peers.h"
#include "judge_private.h"

enum { AFTER_A_REPAIR = 3 };

struct settling {
    struct acceptance *acceptance;
    struct requirement *requirement;
    const struct step *step; /* of the plan */
    bool by_peers;           /* it failed by comparison with other hosts */
};

static struct arena *arena_of(const struct settling *settling)
{
    return settling->acceptance->arena;
}

static bool has_member(const struct step *step, const char *host)
{
    for (size_t i = 0; i < step->member_count; i++)
        if (strcmp(step->members[i]->name, host) == 0)
            return true;
    return false;
}

static long long number_of(const struct settling *settling, const struct shown *shown)
{
    return settling->acceptance->runs.items[shown->run]->number;
}

/* -- What makes a pass void ------------------------------------------------------------------------------------ */

static bool measures(const struct settling *settling, unsigned touches)
{
    return check_is_touched(touches, settling->step->shape->check, settling->step->member_count == 1);
}

static bool is_touched(const struct settling *settling, const char *host, unsigned touches)
{
    return has_member(settling->step, host) && measures(settling, touches);
}

/* What happened to one of its members after it was shown; "" when nothing did. */
static const char *voided_by(const struct settling *settling, const struct shown *shown)
{
    const struct acceptance *acceptance = settling->acceptance;

    for (size_t i = 0; i < settling->step->member_count; i++)
        if (is_in_conflict(acceptance, shown->run, settling->step->members[i]))
            return "the hardware was another one while the run went on";
    for (size_t i = 0; i < acceptance->events.count; i++) {
        const struct acceptance_event *event = &acceptance->events.items[i];

        if (event_is_work(event) && event->at > shown->began &&
            is_touched(settling, event->host, event_touches(event)))
            return arena_printf(arena_of(settling), "before the %s", event_text(arena_of(settling), event));
    }
    for (size_t i = 0; i < acceptance->changes.count; i++) {
        const struct change *change = &acceptance->changes.items[i];

        if (change->since > shown->run && is_touched(settling, change->host, change_touches(change->kind)))
            return arena_printf(arena_of(settling), "before the %s",
                                change_text(arena_of(settling), acceptance, change));
    }
    return "";
}

/* -- What a fail takes ----------------------------------------------------------------------------------------- */

static bool names_item(const char *subject, const char *item)
{
    size_t length = strlen(item);

    for (const char *at = strstr(subject, item); at != NULL; at = strstr(at + 1, item))
        if (at[length] < '0' || at[length] > '9')
            return true;
    return false;
}

/* A fail that names nothing is of all that its check tells of; what another part is called is no part of that. */
static bool may_be_of_item(const struct settling *settling, const struct acceptance_event *event)
{
    return event_item_kind(event) != ITEM_CHASSIS || settling->step->member_count > 1;
}

/* Whether the event is about what failed: the whole host, the item that is named, or one of what is not named. */
static bool is_about(const struct settling *settling, const struct acceptance_event *event,
                     const char *subject)
{
    if (!event_is_work(event) || !is_touched(settling, event->host, event_touches(event)))
        return false;
    if (has_member(settling->step, subject))
        return strcmp(event->host, subject) == 0;
    if (*event->item == '\0' || names_item(subject, event->item))
        return true;
    return *subject == '\0' && may_be_of_item(settling, event);
}

/* When the first such event was, after the fail; 0: there is none. */
static double mended_at(const struct settling *settling, const struct shown *fail, const char *subject)
{
    const struct acceptance *acceptance = settling->acceptance;

    for (size_t i = 0; i < acceptance->events.count; i++)
        if (acceptance->events.items[i].at > fail->ended &&
            is_about(settling, &acceptance->events.items[i], subject))
            return acceptance->events.items[i].at;
    return 0;
}

/* What of a fail is still to be mended, and when the rest was. */
struct mending {
    double at;                   /* the last of the events that it took */
    const char *unmended;        /* the first subject without one; NULL: all have one */
    const struct waiver *waiver; /* that covers all of it that was not mended; NULL */
};

static void mend(const struct settling *settling, const struct shown *fail, const char *subject,
                 const struct waiver *waiver, struct mending *mending)
{
    double at = mended_at(settling, fail, subject);

    if (at > mending->at)
        mending->at = at;
    if (at > 0)
        return;
    if (waiver != NULL)
        mending->waiver = waiver;
    else if (mending->unmended == NULL)
        mending->unmended = subject;
}

/* A waiver is of the hardware that failed: when that has gone, so has what it covers. */
static struct mending mending_of(struct settling *settling, const struct shown *fail)
{
    const struct record *record = settling->acceptance->runs.items[fail->run];
    const struct judgement *judgement = &record->judgement;
    const struct shape *shape = record->plan->steps.items[fail->step].shape;
    bool void_now = *voided_by(settling, fail) != '\0';
    struct mending mending = {0};

    for (size_t i = fail->first; i < judgement->outcome_count && judgement->outcomes[i].step == fail->step;
         i++) {
        const struct outcome *outcome = &judgement->outcomes[i];

        if (outcome->word != OUTCOME_FAIL || shape->slots[outcome->slot].duty != DUTY_GATE)
            continue;
        settling->by_peers |= strcmp(outcome->status, "peers") == 0;
        mend(settling, fail, shape->slots[outcome->slot].subject,
             void_now ? NULL : judge_waiver(record, outcome, settling->acceptance->now), &mending);
    }
    for (size_t i = 0; i < judgement->accusation_count; i++)
        if (judgement->accusations[i].step == fail->step)
            mend(settling, fail,
                 judgement->accusations[i].kind == ACCUSED_HOST ? judgement->accusations[i].subject : "",
                 NULL, &mending);
    return mending;
}

/* -- One requirement ------------------------------------------------------------------------------------------- */

static void settle(struct settling *settling, enum requirement_state state, const char *why)
{
    settling->requirement->state = state;
    settling->requirement->why = why;
}

/* "gpu3 on node5"; of a host alone without its name, which the line has anyway: so hosts that lack the same fold. */
static const char *about_text(const struct settling *settling, const char *subject)
{
    struct arena *arena = arena_of(settling);
    const char *target = step_target(arena, settling->step);

    if (settling->step->member_count == 1)
        return strcmp(subject, target) != 0 ? subject : "";
    return *subject != '\0' && strcmp(subject, target) != 0 ? arena_printf(arena, "%s on %s", subject, target)
                                                            : target;
}

static const char *unmended_text(const struct settling *settling, const struct shown *shown,
                                 const char *subject)
{
    const char *about = about_text(settling, subject);
    long long run = number_of(settling, shown);

    if (*about == '\0')
        return arena_printf(arena_of(settling),
                            "failed in run %lld; no repair or swap is recorded since, and running it again "
                            "replaces no fail",
                            run);
    return arena_printf(arena_of(settling),
                        "failed in run %lld; no repair or swap of %s is recorded since, and running it again "
                        "replaces no fail",
                        run, about);
}

/* false: a fail stands. mended: when the last of those that do not was; 0: none ever failed. */
static bool settle_fails(struct settling *settling, double *ret_mended)
{
    struct requirement *requirement = settling->requirement;

    *ret_mended = 0;
    for (size_t i = 0; i < requirement->shown.count; i++) {
        struct shown *shown = &requirement->shown.items[i];
        struct mending mending;

        if (shown->word != OUTCOME_FAIL)
            continue;
        mending = mending_of(settling, shown);
        if (mending.unmended != NULL) {
            settle(settling, REQUIREMENT_FAILED, unmended_text(settling, shown, mending.unmended));
            return false;
        }
        if (mending.waiver != NULL)
            requirement->waiver = mending.waiver;
        else if (mending.at > *ret_mended)
            *ret_mended = mending.at;
    }
    return true;
}

/* Who failed by comparison with other hosts cannot pass where there are too few of them to be compared with. */
static const char *too_few_peers(const struct settling *settling, const struct shown *shown)
{
    const struct record *record = settling->acceptance->runs.items[shown->run];
    const struct judgement *judgement = &record->judgement;
    const struct shape *shape = record->plan->steps.items[shown->step].shape;
    size_t siblings = 0;

    if (!settling->by_peers)
        return "";
    for (size_t i = 0; i < judgement->outcome_count;) {
        size_t first = i, step = judgement->outcomes[i].step;

        while (i < judgement->outcome_count && judgement->outcomes[i].step == step)
            i++;
        siblings += step != shown->step && record->plan->steps.items[step].shape == shape &&
                    shown_word(record, first, step) <= OUTCOME_PASS;
    }
    return siblings >= PEERS_LEAST
               ? ""
               : arena_printf(arena_of(settling),
                              "a run with too few hosts to compare with: %zu others passed "
                              "there, %d are needed",
                              siblings, PEERS_LEAST);
}

/* Passes that count: behind the repair, and behind whatever was not a pass since. */
static void count_passes(struct settling *settling, double mended)
{
    struct requirement *requirement = settling->requirement;

    for (size_t i = 0; i < requirement->shown.count; i++) {
        struct shown *shown = &requirement->shown.items[i];

        if (shown->word != OUTCOME_PASS) {
            if (mended > 0 && shown->began > mended)
                requirement->passes = 0;
            continue;
        }
        shown->note = shown->began > mended ? voided_by(settling, shown) : "before the repair";
        if (*shown->note == '\0')
            shown->note = too_few_peers(settling, shown);
        shown->counts = *shown->note == '\0';
        requirement->passes += shown->counts ? shown->passes : 0;
    }
}

static const char *why_missing(const struct settling *settling)
{
    const struct requirement *requirement = settling->requirement;
    const struct shown *last;

    if (requirement->shown.count == 0)
        return "no run has shown it yet";
    last = &requirement->shown.items[requirement->shown.count - 1];
    if (last->word == OUTCOME_PASS)
        return arena_printf(arena_of(settling), "the pass in run %lld no longer counts: it is from %s",
                            number_of(settling, last), last->note);
    return arena_printf(arena_of(settling), "%s in run %lld", outcome_name(last->word),
                        number_of(settling, last));
}

static void settle_requirement(struct settling *settling)
{
    struct requirement *requirement = settling->requirement;
    double mended;

    requirement->owed = 1;
    requirement->why = "";
    if (!settle_fails(settling, &mended))
        return;
    requirement->owed = mended > 0 ? AFTER_A_REPAIR : 1;
    count_passes(settling, mended);
    if (mended > 0 && requirement->passes < requirement->owed)
        settle(settling, REQUIREMENT_RETEST,
               arena_printf(arena_of(settling), "%u of %u passes after the repair", requirement->passes,
                            requirement->owed));
    else if (requirement->waiver != NULL)
        settle(settling, REQUIREMENT_WAIVED, "");
    else if (requirement->passes < requirement->owed)
        settle(settling, REQUIREMENT_MISSING, why_missing(settling));
    else
        settle(settling, REQUIREMENT_PASSED, "");
}

/* -- What must be the same on all hosts ------------------------------------------------------------------------ */

static bool must_be_same(const struct slot *slot)
{
    for (size_t i = 0; i < slot->own_count; i++)
        if (slot->own[i].rule == RULE_SAME)
            return slot->duty == DUTY_GATE;
    return false;
}

/* What the last pass that counts measured there; NULL when there is none. */
static const char *last_value(const struct acceptance *acceptance, const struct requirement *requirement,
                              const struct slot *slot)
{
    for (size_t i = requirement->shown.count; i-- > 0;) {
        const struct shown *shown = &requirement->shown.items[i];
        const struct record *record = acceptance->runs.items[shown->run];
        const struct judgement *judgement = &record->judgement;
        const struct shape *shape = record->plan->steps.items[shown->step].shape;

        for (size_t k = shown->first;
             shown->counts && k < judgement->outcome_count && judgement->outcomes[k].step == shown->step;
             k++) {
            const struct slot *other = &shape->slots[judgement->outcomes[k].slot];

            if (strcmp(other->metric, slot->metric) == 0 && strcmp(other->subject, slot->subject) == 0 &&
                strcmp(other->at, slot->at) == 0)
                return judgement->outcomes[k].measured;
        }
    }
    return NULL;
}

/* Requirements of one shape, which are passed, against the value that most of them have. */
static void compare_hosts(struct acceptance *acceptance, const struct shape *shape, const struct slot *slot)
{
    size_t count = acceptance->requirements.count, values = 0;
    const char **all = arena_array(acceptance->arena, const char *, count),
               **sorted = arena_array(acceptance->arena, const char *, count), *most;

    for (size_t i = 0; i < count; i++) {
        const struct requirement *requirement = &acceptance->requirements.items[i];

        if (acceptance->plan->steps.items[requirement->step].shape == shape &&
            requirement->state == REQUIREMENT_PASSED)
            all[i] = last_value(acceptance, requirement, slot);
        if (all[i] != NULL)
            sorted[values++] = all[i];
    }
    most = majority(sorted, values);
    for (size_t i = 0; i < count; i++) {
        struct requirement *requirement = &acceptance->requirements.items[i];

        if (all[i] == NULL || (most != NULL && strcmp(all[i], most) == 0))
            continue;
        requirement->state = most != NULL ? REQUIREMENT_FAILED : REQUIREMENT_MISSING;
        requirement->why =
            most != NULL
                ? arena_printf(acceptance->arena, "%s%s%s is %s, while most hosts have %s", slot->metric,
                               *slot->subject != '\0' ? " of " : "", slot->subject, all[i], most)
                : arena_printf(acceptance->arena, "%s: the hosts do not agree on one value", slot->metric);
    }
}

static void compare_all_hosts(struct acceptance *acceptance)
{
    const struct plan *plan = acceptance->plan;

    for (size_t i = 0; i < plan->shapes.count; i++)
        for (size_t k = 0; k < plan->shapes.items[i]->slot_count; k++)
            if (must_be_same(&plan->shapes.items[i]->slots[k]))
                compare_hosts(acceptance, plan->shapes.items[i], &plan->shapes.items[i]->slots[k]);
}

/* -- Verdicts -------------------------------------------------------------------------------------------------- */

static struct acceptance_verdict *find_verdict(struct acceptance *acceptance, const char *unit)
{
    for (size_t i = 0; i < acceptance->verdicts.count; i++)
        if (strcmp(acceptance->verdicts.items[i].unit, unit) == 0)
            return &acceptance->verdicts.items[i];
    return NULL;
}

static void count_state(struct acceptance_verdict *verdict, enum requirement_state state)
{
    verdict->passed += state == REQUIREMENT_PASSED;
    verdict->waived += state == REQUIREMENT_WAIVED;
    verdict->missing += state == REQUIREMENT_MISSING;
    verdict->retest += state == REQUIREMENT_RETEST;
    verdict->failed += state == REQUIREMENT_FAILED;
}

/* Nothing shown accepts nothing: an empty verdict is incomplete. */
static void close_verdict(struct acceptance_verdict *verdict)
{
    verdict->word = verdict->failed > 0                      ? VERDICT_REJECT
                    : verdict->missing + verdict->retest > 0 ? VERDICT_INCOMPLETE
                    : verdict->passed + verdict->waived == 0 ? VERDICT_INCOMPLETE
                    : verdict->waived > 0                    ? VERDICT_ACCEPT_WITH_EXCEPTIONS
                                                             : VERDICT_ACCEPT;
}

static bool has_unit(const struct acceptance *acceptance, const struct record *record, const char *unit)
{
    const struct plan *plan = acceptance->plan;

    for (size_t i = 0; i < plan->hosts.count; i++)
        for (size_t k = 0; k < record->plan->hosts.count && strcmp(plan->hosts.items[i]->unit, unit) == 0;
             k++)
            if (strcmp(record->plan->hosts.items[k]->name, plan->hosts.items[i]->name) == 0)
                return true;
    return false;
}

/* What a run that was left out has shown is not known here: nobody accepts without it. */
static void hold_back(struct acceptance *acceptance, struct acceptance_verdict *verdict)
{
    for (size_t i = 0; i < acceptance->left_out.count; i++)
        if ((verdict->word == VERDICT_ACCEPT || verdict->word == VERDICT_ACCEPT_WITH_EXCEPTIONS) &&
            (*verdict->unit == '\0' || has_unit(acceptance, acceptance->left_out.items[i], verdict->unit)))
            verdict->word = VERDICT_INCOMPLETE;
}

static void make_verdicts(struct acceptance *acceptance)
{
    const struct plan *plan = acceptance->plan;

    list_push(acceptance->arena, &acceptance->verdicts)->unit = "";
    for (size_t i = 0; i < plan->hosts.count; i++)
        if (plan->hosts.items[i]->role == ROLE_COMPUTE &&
            find_verdict(acceptance, plan->hosts.items[i]->unit) == NULL)
            list_push(acceptance->arena, &acceptance->verdicts)->unit = plan->hosts.items[i]->unit;
    for (size_t i = 0; i < acceptance->requirements.count; i++) {
        const struct requirement *requirement = &acceptance->requirements.items[i];
        const char *unit = step_unit(&plan->steps.items[requirement->step]);

        count_state(&acceptance->verdicts.items[0], requirement->state);
        if (*unit != '\0')
            count_state(find_verdict(acceptance, unit), requirement->state);
    }
    for (size_t i = 0; i < acceptance->verdicts.count; i++) {
        close_verdict(&acceptance->verdicts.items[i]);
        hold_back(acceptance, &acceptance->verdicts.items[i]);
    }
}

void judge_acceptance(struct acceptance *acceptance)
{
    find_changes(acceptance);
    find_shown(acceptance);
    for (size_t i = 0; i < acceptance->requirements.count; i++) {
        struct settling settling = {.acceptance = acceptance,
                                    .requirement = &acceptance->requirements.items[i]};

        settling.step = &acceptance->plan->steps.items[settling.requirement->step];
        settle_requirement(&settling);
    }
    compare_all_hosts(acceptance);
    make_verdicts(acceptance);
}
