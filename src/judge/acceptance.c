/* SPDX-License-Identifier: Apache-2.0 */
/* What is settled of an acceptance, and what is missing. The rules stand in acceptance.h. */
#include <string.h>

#include "acceptance_private.h"
#include "assay/judge/judge.h"
#include "assay/model/blame.h"
#include "assay/reasons/any.h"
#include "assay/reasons/judge.h"
#include "judge_private.h"

enum { AFTER_A_REPAIR = 3 };

struct settling {
    struct acceptance *acceptance;
    struct requirement *requirement;
    const struct step *step; /* of the plan */
    LIST_OF(struct acceptance_event *)
    work; /* of the events those that are work on what it measures of its hosts */
};

static struct arena *arena_of(const struct settling *settling)
{
    return settling->acceptance->arena;
}

static long long number_of(const struct settling *settling, const struct shown *shown)
{
    return settling->acceptance->runs.items[shown->run]->number;
}

static bool is_touched(const struct settling *settling, const char *host, unsigned touches)
{
    return step_has_host_named(settling->step, host) && step_is_touched(settling->step, touches);
}

static bool has_failed(const struct shown *shown)
{
    return shown->word == OUTCOME_FAIL || shown->misses.count > 0;
}

/* -- What a fail takes ----------------------------------------------------------------------------------------- */

/* A fail that names nothing is of all that its check tells of; what another part is called is no part of that. */
static bool may_be_of_item(const struct settling *settling, const struct acceptance_event *event)
{
    return event_item_kind(event) != ITEM_CHASSIS || settling->step->member_count > 1;
}

static void find_work(struct settling *settling)
{
    const struct acceptance *acceptance = settling->acceptance;

    for (size_t i = 0; i < acceptance->events.count; i++) {
        struct acceptance_event *event = &acceptance->events.items[i];

        if (event_is_work(event) && is_touched(settling, event->host, event_touches(event)))
            *list_push(acceptance->arena, &settling->work) = event;
    }
}

/* Whether the work is about what failed: the whole host, the item that is named, or one of what is not named. */
static bool is_about(const struct settling *settling, const struct acceptance_event *event,
                     const char *subject, bool is_host)
{
    if (is_host)
        return strcmp(event->host, subject) == 0;
    if (*event->item == '\0' || subject_names(subject, event->item))
        return true;
    return *subject == '\0' && may_be_of_item(settling, event);
}

/* The first such event after the fail that nothing contradicts, or that something does; NULL: there is none. */
static const struct acceptance_event *work_after(const struct settling *settling, const struct shown *fail,
                                                 const char *subject, bool contradicted)
{
    bool is_host = settling->work.count > 0 && step_has_host_named(settling->step, subject);

    for (size_t i = 0; i < settling->work.count; i++) {
        const struct acceptance_event *event = settling->work.items[i];

        if (event->at > fail->ended && (event->contradicted != NULL) == contradicted &&
            is_about(settling, event, subject, is_host))
            return event;
    }
    return NULL;
}

/* When it was mended, after the fail; 0: it was not. */
static double mended_at(const struct settling *settling, const struct shown *fail, const char *subject)
{
    const struct acceptance_event *event = work_after(settling, fail, subject, false);

    return event != NULL ? event->at : 0;
}

/* What of a fail is still to be mended, and when the rest was. */
struct mending {
    double at;                   /* the last of the events that it took */
    const char *unmended;        /* the first subject without one; NULL: all have one */
    const char *named;           /* "node2 mlx5_3": that is whom pairs of the run show to be slow; NULL */
    const struct waiver *waiver; /* that covers all of it that was not mended; NULL */
};

/* How it stands with the subject: REQUIREMENT_RETEST, where it was mended. */
static enum requirement_state mend(const struct settling *settling, const struct shown *fail,
                                   const char *subject, const struct waiver *waiver, struct mending *mending)
{
    double at = mended_at(settling, fail, subject);

    if (at > mending->at)
        mending->at = at;
    if (at > 0)
        return REQUIREMENT_RETEST;
    if (waiver != NULL)
        mending->waiver = waiver;
    else if (mending->unmended == NULL)
        mending->unmended = subject;
    return waiver != NULL ? REQUIREMENT_WAIVED : REQUIREMENT_FAILED;
}

/* That is how it stands with a host of its unit, which is mostly that of the host before. */
static void note_unit(struct settling *settling, const struct host *host, enum requirement_state state)
{
    struct requirement *requirement = settling->requirement;

    for (size_t i = requirement->units.count; i-- > 0;)
        if (strcmp(requirement->units.items[i].unit, host->unit) == 0) {
            if (state > requirement->units.items[i].state)
                requirement->units.items[i].state = state;
            return;
        }
    *list_push(settling->acceptance->arena, &requirement->units) = (struct unit_state){host->unit, state};
}

/* What was not mended is kept for the reader, as it was measured. */
static void note_standing(struct settling *settling, struct standing_fail fail, enum requirement_state state)
{
    if (state != REQUIREMENT_WAIVED)
        fail.waiver = NULL;
    if (fail.waiver != NULL || state == REQUIREMENT_FAILED)
        *list_push(settling->acceptance->arena, &settling->requirement->standing) = fail;
}

/* What a test across hosts says of some of them is mended on these; where it accuses none of them, it is the test's own. */
static void mend_fail(struct settling *settling, const struct shown *fail, const struct outcome *outcome,
                      const struct waiver *waiver, struct mending *mending)
{
    const struct record *record = settling->acceptance->runs.items[fail->run];
    const struct step *step = &record->plan->steps.items[fail->step];
    enum requirement_state worst = REQUIREMENT_PASSED, state;
    struct blamed_list blamed = {0};

    blame_find(arena_of(settling), step, outcome, &blamed);
    for (size_t i = 0; i < blamed.items.count; i++) {
        const struct host *host = blamed.items.items[i].host;

        state = blamed.items.items[i].perhaps ? REQUIREMENT_MISSING
                                              : mend(settling, fail, host->name, waiver, mending);
        note_unit(settling, host, state);
        if (state == REQUIREMENT_FAILED || (state == REQUIREMENT_WAIVED && worst != REQUIREMENT_FAILED))
            worst = state;
    }
    if (mending->unmended != NULL && mending->named == NULL)
        mending->named = blame_by_pairs(outcome->cause);
    if (blame_count(&blamed) == 0)
        worst = mend(settling, fail, step->shape->slots[outcome->slot].subject, waiver, mending);
    note_standing(settling, (struct standing_fail){.run = fail->run, .outcome = outcome, .waiver = waiver},
                  worst);
}

/* Of an accused path or leaf no host is at fault. */
static void mend_accused(struct settling *settling, const struct shown *fail,
                         const struct accusation *accusation, struct mending *mending)
{
    const struct record *record = settling->acceptance->runs.items[fail->run];
    const struct step *step = &record->plan->steps.items[fail->step];
    bool is_host = accusation->kind == ACCUSED_HOST;
    enum requirement_state state = mend(settling, fail, is_host ? accusation->subject : "", NULL, mending);

    for (size_t i = 0; is_host && i < step->member_count; i++)
        if (strcmp(step->members[i]->name, accusation->subject) == 0)
            note_unit(settling, step->members[i], state);
    note_standing(settling, (struct standing_fail){.run = fail->run, .accusation = accusation}, state);
}

/* Of what failed beside other runs: no waiver of a run covers it. */
static struct mending mending_of_misses(const struct settling *settling, const struct shown *fail)
{
    struct mending mending = {0};

    for (size_t i = 0; i < fail->misses.count; i++)
        mend(settling, fail, fail->misses.items[i].subject, NULL, &mending);
    return mending;
}

/* A waiver is of the hardware that failed: when that has gone, so has what it covers. */
static struct mending mending_of(struct settling *settling, const struct shown *fail)
{
    const struct record *record = settling->acceptance->runs.items[fail->run];
    const struct judgement *judgement = &record->judgement;
    const struct shape *shape = record->plan->steps.items[fail->step].shape;
    bool void_now = voided_by(settling->acceptance, settling->step, fail) != NULL;
    struct mending mending = {0};

    for (size_t i = fail->first; i < judgement->outcome_count && judgement->outcomes[i].step == fail->step;
         i++) {
        const struct outcome *outcome = &judgement->outcomes[i];

        if (outcome->word != OUTCOME_FAIL || shape->slots[outcome->slot].duty != DUTY_GATE)
            continue;
        mend_fail(settling, fail, outcome,
                  void_now ? NULL : judge_waiver(record, outcome, settling->acceptance->now), &mending);
    }
    for (size_t i = 0; i < judgement->accusation_count; i++)
        if (judgement->accusations[i].step == fail->step)
            mend_accused(settling, fail, &judgement->accusations[i], &mending);
    return mending;
}

/* -- One requirement ------------------------------------------------------------------------------------------- */

static void settle(struct settling *settling, enum requirement_state state, const struct reason *why)
{
    settling->requirement->state = state;
    settling->requirement->why = why;
}

/* "gpu3 on node5"; of a host alone without its name, which the line has anyway: so hosts that lack the same fold. */
static const struct reason *part_text(const struct settling *settling, const char *subject)
{
    struct arena *arena = arena_of(settling);
    const struct reason *target = step_target_said(arena, settling->step);
    bool is_target = strcmp(subject, step_target(arena, settling->step)) == 0;

    if (settling->step->member_count == 1)
        return is_target ? NULL : reason_text(arena, subject);
    return *subject != '\0' && !is_target ? reason(arena, part_on_target, subject, target) : target;
}

static const struct miss *miss_of(const struct shown *shown, const char *subject)
{
    size_t i = 0;

    while (i + 1 < shown->misses.count && strcmp(shown->misses.items[i].subject, subject) != 0)
        i++;
    return &shown->misses.items[i];
}

static const struct reason *unmended_text(const struct settling *settling, const struct shown *shown,
                                          const struct mending *mending)
{
    const char *subject = mending->unmended;
    const struct reason *part = part_text(settling, subject);
    const struct acceptance_event *event = work_after(settling, shown, subject, true);
    long long run = number_of(settling, shown);

    if (event != NULL)
        return reason(arena_of(settling), contradicted_event, run, event->contradicted);
    if (shown->word != OUTCOME_FAIL)
        return reason(arena_of(settling), miss_stands, miss_of(shown, subject)->why, run);
    if (mending->named != NULL)
        return reason(arena_of(settling), fail_by_pairs_stands, run, mending->named);
    return part == NULL ? reason(arena_of(settling), fail_stands, run)
                        : reason(arena_of(settling), fail_of_part_stands, run, part);
}

/* false: a fail stands, of which the first tells why. mended: when the last of those that do not was; 0: none ever failed. */
static bool settle_fails(struct settling *settling, double *ret_mended)
{
    struct requirement *requirement = settling->requirement;
    bool stands = false;

    *ret_mended = 0;
    for (size_t i = 0; i < requirement->shown.count; i++) {
        struct shown *shown = &requirement->shown.items[i];
        struct mending mending;

        if (!has_failed(shown))
            continue;
        mending =
            shown->word == OUTCOME_FAIL ? mending_of(settling, shown) : mending_of_misses(settling, shown);
        if (mending.unmended != NULL && !stands)
            settle(settling, REQUIREMENT_FAILED, unmended_text(settling, shown, &mending));
        stands |= mending.unmended != NULL;
        if (mending.waiver != NULL)
            requirement->waiver = mending.waiver;
        else if (mending.at > *ret_mended)
            *ret_mended = mending.at;
    }
    return !stands;
}

/* Whoever records work later chooses among what was shown meanwhile. */
static void find_late(struct settling *settling, double mended)
{
    const struct requirement *requirement = settling->requirement;

    for (size_t i = 0; i < settling->work.count; i++) {
        struct acceptance_event *event = settling->work.items[i];

        for (size_t k = 0; event->contradicted == NULL && event->at >= mended && k < requirement->shown.count;
             k++)
            event->late |=
                requirement->shown.items[k].counts && requirement->shown.items[k].began < event->made;
    }
}

/* Passes that count: behind the repair, and behind whatever was not a pass since. */
static void count_passes(struct settling *settling, double mended)
{
    struct requirement *requirement = settling->requirement;

    for (size_t i = 0; i < requirement->shown.count; i++) {
        struct shown *shown = &requirement->shown.items[i];

        shown->counts = false;
        if (shown->misses.count > 0)
            shown->note = shown->misses.items[0].why;
        if (shown->word != OUTCOME_PASS || shown->misses.count > 0) {
            if (mended > 0 && shown->began > mended)
                requirement->passes = 0;
            continue;
        }
        shown->note = shown->began > mended ? voided_by(settling->acceptance, settling->step, shown)
                                            : REASON(before_the_repair);
        if (shown->note == NULL && mended > 0 &&
            acceptance_was_ahead(settling->acceptance, settling->acceptance->runs.items[shown->run]))
            shown->note = REASON(its_clock_was_ahead);
        if (shown->note == NULL)
            shown->note = shown->lone != NULL ? shown->lone : shown->asked;
        shown->counts = shown->note == NULL;
        requirement->passes += shown->counts ? shown->passes : 0;
    }
}

static const struct reason *why_missing(const struct settling *settling)
{
    const struct requirement *requirement = settling->requirement;
    const struct shown *last;

    if (requirement->shown.count == 0)
        return REASON(never_shown);
    last = &requirement->shown.items[requirement->shown.count - 1];
    if (last->word == OUTCOME_PASS)
        return reason(arena_of(settling), pass_no_longer_counts, number_of(settling, last), last->note);
    return reason(arena_of(settling), outcome_in_run,
                  reason_word(arena_of(settling), outcome_name(last->word)), number_of(settling, last));
}

static void settle_requirement(struct settling *settling)
{
    struct requirement *requirement = settling->requirement;
    double mended;

    requirement->owed = 1;
    requirement->passes = 0;
    requirement->why = NULL;
    requirement->waiver = NULL;
    requirement->units.count = 0;
    if (!settle_fails(settling, &mended))
        return;
    requirement->owed = mended > 0 ? AFTER_A_REPAIR : 1;
    count_passes(settling, mended);
    if (mended > 0)
        find_late(settling, mended);
    if (mended > 0 && requirement->passes < requirement->owed)
        settle(settling, REQUIREMENT_RETEST,
               reason(arena_of(settling), passes_after_repair, requirement->passes, requirement->owed));
    else if (requirement->waiver != NULL)
        settle(settling, REQUIREMENT_WAIVED, NULL);
    else if (requirement->passes < requirement->owed)
        settle(settling, REQUIREMENT_MISSING, why_missing(settling));
    else
        settle(settling, REQUIREMENT_PASSED, NULL);
}

/* -- Verdicts -------------------------------------------------------------------------------------------------- */

/* Looks at `near` first and leaves there where it was: hosts of a unit mostly come one after the other. */
static struct acceptance_verdict *find_verdict(struct acceptance *acceptance, const char *unit, size_t *near)
{
    for (size_t i = 0; i < acceptance->verdicts.count; i++) {
        size_t place = (*near + i) % acceptance->verdicts.count;

        if (strcmp(acceptance->verdicts.items[place].unit, unit) == 0) {
            *near = place;
            return &acceptance->verdicts.items[place];
        }
    }
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

/* A test across units counts for those whose hosts it is about, as in a run. What was mended there, and what may have been
   theirs, is settled where the whole has passed since. */
static void count_units(struct acceptance *acceptance, const struct requirement *requirement)
{
    bool settled = requirement->state == REQUIREMENT_PASSED || requirement->state == REQUIREMENT_WAIVED;
    size_t near = 0;

    for (size_t i = 0; i < requirement->units.count; i++) {
        const struct unit_state *of_unit = &requirement->units.items[i];
        struct acceptance_verdict *verdict = find_verdict(acceptance, of_unit->unit, &near);

        if (verdict != NULL && *of_unit->unit != '\0' && (!settled || of_unit->state == REQUIREMENT_WAIVED))
            count_state(verdict, of_unit->state);
    }
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

static bool is_of_unit(const struct acceptance *acceptance, const char *host, const char *unit)
{
    const struct plan *plan = acceptance->plan;

    for (size_t i = 0; i < plan->hosts.count; i++)
        if (strcmp(plan->hosts.items[i]->name, host) == 0)
            return strcmp(plan->hosts.items[i]->unit, unit) == 0;
    return false;
}

/* A run in which tests have failed is not out of the way because its controller was stopped. */
static bool waits_for_running(const struct acceptance *acceptance, const char *unit)
{
    for (size_t i = 0; i < acceptance->others.items.count; i++) {
        const struct other_delivery *other = &acceptance->others.items.items[i];

        if (other->end != DELIVERY_RUNNING)
            continue;
        if (*unit == '\0')
            return true;
        for (size_t k = 0; k < other->shared.count; k++)
            if (is_of_unit(acceptance, other->shared.items[k], unit))
                return true;
    }
    return false;
}

/* What a run that was left out has shown is not known here: nobody accepts without it. */
static void hold_back(const struct acceptance *acceptance, struct acceptance_verdict *verdict)
{
    if ((verdict->word == VERDICT_ACCEPT || verdict->word == VERDICT_ACCEPT_WITH_EXCEPTIONS) &&
        waits_for_running(acceptance, verdict->unit))
        verdict->word = VERDICT_INCOMPLETE;
    for (size_t i = 0; i < acceptance->left_out.count; i++)
        if ((verdict->word == VERDICT_ACCEPT || verdict->word == VERDICT_ACCEPT_WITH_EXCEPTIONS) &&
            (*verdict->unit == '\0' || has_unit(acceptance, acceptance->left_out.items[i], verdict->unit)))
            verdict->word = VERDICT_INCOMPLETE;
}

static void make_verdicts(struct acceptance *acceptance)
{
    const struct plan *plan = acceptance->plan;
    size_t near = 0;

    list_push(acceptance->arena, &acceptance->verdicts)->unit = "";
    for (size_t i = 0; i < plan->hosts.count; i++)
        if (plan->hosts.items[i]->role == ROLE_COMPUTE &&
            find_verdict(acceptance, plan->hosts.items[i]->unit, &near) == NULL)
            list_push(acceptance->arena, &acceptance->verdicts)->unit = plan->hosts.items[i]->unit;
    for (size_t i = 0; i < acceptance->requirements.count; i++) {
        const struct requirement *requirement = &acceptance->requirements.items[i];
        const char *unit = step_unit(&plan->steps.items[requirement->step]);

        count_state(&acceptance->verdicts.items[0], requirement->state);
        if (*unit != '\0')
            count_state(find_verdict(acceptance, unit, &near), requirement->state);
        else
            count_units(acceptance, requirement);
    }
    for (size_t i = 0; i < acceptance->verdicts.count; i++) {
        close_verdict(&acceptance->verdicts.items[i]);
        hold_back(acceptance, &acceptance->verdicts.items[i]);
    }
}

static void settle_one(struct acceptance *acceptance, struct requirement *requirement)
{
    struct settling settling = {.acceptance = acceptance, .requirement = requirement};

    settling.step = &acceptance->plan->steps.items[requirement->step];
    find_work(&settling);
    settle_requirement(&settling);
}

static bool has_missed(const struct requirement *requirement)
{
    for (size_t i = 0; i < requirement->shown.count; i++)
        if (requirement->shown.items[i].misses.count > 0)
            return true;
    return false;
}

/* Who is compared is known when all are settled by what each run says itself. */
void judge_acceptance(struct acceptance *acceptance)
{
    find_changes(acceptance);
    find_shown(acceptance);
    find_doubles(acceptance);
    find_lone_looks(acceptance);
    find_without_company(acceptance);
    find_unread(acceptance);
    find_asked_otherwise(acceptance);
    for (size_t i = 0; i < acceptance->requirements.count; i++)
        settle_one(acceptance, &acceptance->requirements.items[i]);
    find_voids(acceptance);
    compare_peers(acceptance);
    compare_values(acceptance);
    compare_crashes(acceptance);
    for (size_t i = 0; i < acceptance->requirements.count; i++)
        if (has_missed(&acceptance->requirements.items[i]))
            settle_one(acceptance, &acceptance->requirements.items[i]);
    compare_all_hosts(acceptance);
    make_verdicts(acceptance);
}
