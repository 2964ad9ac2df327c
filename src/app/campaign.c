/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/campaign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay/app/deliveries.h"
#include "assay/app/foreign_run.h"
#include "assay/app/sources.h"
#include "assay/base/nearest.h"
#include "assay/check/check.h"
#include "assay/check/loads.h"
#include "assay/judge/judge.h"
#include "assay/reasons/report.h"
#include "assay/reasons/words.h"
#include "assay/report/report.h"

/* -- Loading --------------------------------------------------------------------------------------------------- */

int campaign_check_suite(const struct suite *suite, struct error *err)
{
    if (suite->delivery)
        return 0;
    return error_set(
        err, ERROR_USAGE,
        "the suite %s does not say \"purpose\": \"delivery\", and nothing can be accepted by it; "
        "give the one that the delivery was agreed by",
        suite->name);
}

static int take_sources(struct arena *arena, struct campaign *campaign, struct error *err)
{
    struct record documents = {.arena = arena};

    for (size_t i = 0; i < campaign->kept->documents.count; i++)
        *list_push(arena, &documents.documents) = campaign->kept->documents.items[i];
    if (sources_of_record(arena, &documents, NULL, &campaign->sources, err) < 0)
        return -1;
    return campaign_check_suite(campaign->sources.suite, err);
}

static int take_run(struct arena *arena, struct store *store, struct campaign *campaign, long long number,
                    struct error *err)
{
    struct record *record = store_load_lean(store, arena, number, sighting_rests_on, err);

    if (record == NULL || foreign_run_read(store, arena, record, err) < 0)
        return -1;
    judge_run(record, &campaign->sources.limits, campaign->kept->uuid);
    *list_push(arena, &campaign->kept->runs) = record;
    return 0;
}

/* From when on runs are of the acceptance. Own ones have their numbers in the order in which they were made. */
struct beginning {
    double at;
    long long number;
};

static bool is_added(const struct campaign *campaign, long long number)
{
    for (size_t i = 0; i < campaign->kept->run_numbers.count; i++)
        if (campaign->kept->run_numbers.items[i] == number)
            return true;
    return false;
}

/* The one behind the newest that there was when it was made; an acceptance of an earlier version does not say it. */
static long long first_number(const struct acceptance *kept)
{
    const struct document *newest = document_find(&kept->documents, CAMPAIGN_NEWEST_DOCUMENT);
    struct slice rest = slice_of(newest != NULL ? newest->name : "");
    uint64_t number;

    return scan_digits(&rest, &number) && rest.length == 0 && number < INT64_MAX ? (long long)number + 1
                                                                                 : INT64_MAX;
}

static struct beginning beginning_of(const struct campaign *campaign)
{
    const struct acceptance *kept = campaign->kept;
    struct beginning first = {.at = kept->made, .number = first_number(kept)};

    for (size_t i = 0; i < kept->runs.count; i++) {
        const struct record *record = kept->runs.items[i];

        if (record->started < first.at)
            first.at = record->started;
        if (record->origin == NULL && record->number < first.number)
            first.number = record->number;
    }
    return first;
}

/* By either: a clock that was wrong for a while takes no run out. */
static bool is_since(const struct beginning *beginning, const struct record *record)
{
    return record->started >= beginning->at ||
           (record->origin == NULL && record->number >= beginning->number);
}

/* Another party's runs are none of ours until somebody takes one in. Who does chooses among all that came of it. */
static bool has_adopted(const struct campaign *campaign)
{
    for (size_t i = 0; i < campaign->kept->runs.count; i++)
        if (campaign->kept->runs.items[i]->origin != NULL)
            return true;
    return false;
}

/* Who looks for others of the same machines; filled when the first is asked for. */
struct its_machines {
    struct arena *arena;
    const struct machines *machines;
};

/* Two sites may call other machines by the names of these. */
static bool is_of_its_machines(const struct campaign *campaign, struct its_machines *its,
                               const struct record *record)
{
    if (its->machines == NULL)
        its->machines = judge_machines(its->arena, campaign->kept->runs.items, campaign->kept->runs.count);
    return judge_has_machine_of(its->machines, record);
}

static int check_documents(const struct campaign *campaign, const struct record *record, struct error *err);
static bool has_common_host(const struct campaign *campaign, const struct record *record);

/* Hosts by other names are still the same machines. It can show nothing that is owed; that it failed is told. */
static void take_renamed(struct arena *arena, struct store *store, struct campaign *campaign,
                         struct its_machines *its, const struct record *record)
{
    struct other_delivery other = {.number = record->number,
                                   .ended = record->ended > 0 ? record->ended : record->started,
                                   .kind = record->standing.kind,
                                   .end = DELIVERY_REJECTED,
                                   .judged = true,
                                   .verdict = VERDICT_REJECT};
    struct hostlist names = {0};

    if (record->state == RUN_RUNNING || record->origin != NULL || campaign->kept->runs.count == 0 ||
        !is_of_its_machines(campaign, its, record) || !deliveries_run_failed(store, record->number))
        return;
    for (size_t i = 0; i < record->plan->hosts.count; i++)
        *list_push(arena, &names.names) = record->plan->hosts.items[i]->name;
    other.hosts = hostlist_fold(arena, names.names.items, names.names.count);
    *list_push(arena, &campaign->running) = other;
}

/* A healthy one may go on beside the acceptance, until it has ended and must be added. */
static void take_running(struct arena *arena, struct store *store, struct campaign *campaign,
                         const struct record *record)
{
    struct other_delivery other = {.number = record->number,
                                   .ended = record->started,
                                   .kind = record->standing.kind,
                                   .end = DELIVERY_RUNNING};

    if (!deliveries_run_failed(store, record->number))
        return;
    for (size_t i = 0; i < record->plan->hosts.count; i++)
        *list_push(arena, &other.shared) = record->plan->hosts.items[i]->name;
    other.hosts = hostlist_fold(arena, other.shared.items, other.shared.count);
    *list_push(arena, &campaign->running) = other;
}

/* Runs that answer its question and were not added: nobody chooses among them. */
static int take_others_beside(struct arena *arena, struct store *store, struct campaign *campaign,
                              struct its_machines *its, struct error *err)
{
    const struct beginning beginning = beginning_of(campaign);
    bool adopted = has_adopted(campaign);
    struct run_summary *runs;
    size_t count;

    if (store_list_runs(store, arena, 0, &runs, &count, err) < 0)
        return -1;
    for (size_t i = count; i-- > 0;) { /* the oldest first */
        struct record *record;
        struct error why = {0};

        if (run_summary_check(&runs[i], err) < 0) /* it may be the one that failed */
            return -1;
        if ((runs[i].imported && !adopted) || is_added(campaign, runs[i].number))
            continue;
        record = store_load_lean(store, arena, runs[i].number, sighting_rests_on, err);
        if (record == NULL)
            return -1;
        if (check_documents(campaign, record, &why) < 0)
            continue;
        if (!has_common_host(campaign, record)) {
            if (is_since(&beginning, record))
                take_renamed(arena, store, campaign, its, record);
            continue;
        }
        if (runs[i].imported && !is_of_its_machines(campaign, its, record))
            continue;
        if (foreign_run_read(store, arena, record, err) < 0)
            return -1;
        if (record->state == RUN_RUNNING)
            take_running(arena, store, campaign, record);
        else if (is_since(&beginning, record))
            *list_push(arena, &campaign->left_out) = record;
        else
            *list_push(arena, &campaign->earlier) = record;
    }
    return 0;
}

static int take_others(struct arena *arena, struct store *store, struct campaign *campaign, struct error *err)
{
    struct its_machines its = {.arena = arena_create()};
    int result = take_others_beside(arena, store, campaign, &its, err);

    arena_destroy(its.arena);
    return result;
}

/* Whoever asks another question of the same hosts may do so because this one was answered. */
static int take_other_deliveries(struct arena *arena, struct store *store, struct campaign *campaign,
                                 struct error *err)
{
    struct deliveries_question question = {.before = INFINITY, .all = true};
    const struct hostfile *hostfile = hostfile_with_spares(
        arena, campaign->sources.hostfile, campaign->kept->events.items, campaign->kept->events.count, err);

    if (hostfile == NULL)
        return -1;
    for (size_t i = 0; i < hostfile->hosts.count; i++)
        if (hostfile->hosts.items[i].role == ROLE_COMPUTE)
            *list_push(arena, &question.hosts.names) = hostfile->hosts.items[i].name;
    for (size_t i = 0; i < campaign->kept->run_numbers.count; i++)
        *list_push(arena, &question.runs) = campaign->kept->run_numbers.items[i];
    for (size_t i = 0; i < campaign->left_out.count; i++)
        *list_push(arena, &question.runs) = campaign->left_out.items[i]->number;
    for (size_t i = 0; i < campaign->running.count; i++)
        *list_push(arena, &question.runs) = campaign->running.items[i].number;
    if (deliveries_find(store, arena, &question, &campaign->others, err) < 0)
        return -1;
    for (size_t i = 0; i < campaign->running.count; i++)
        *list_push(arena, &campaign->others.items) = campaign->running.items[i];
    return 0;
}

int campaign_load(struct arena *arena, struct store *store, const char *name, struct campaign *ret_campaign,
                  struct error *err)
{
    *ret_campaign = (struct campaign){.kept = store_load_acceptance(store, arena, name, err)};
    if (ret_campaign->kept == NULL || take_sources(arena, ret_campaign, err) < 0)
        return -1;
    events_withdraw(ret_campaign->kept->events.items, ret_campaign->kept->events.count);
    for (size_t i = 0; i < ret_campaign->kept->run_numbers.count; i++)
        if (take_run(arena, store, ret_campaign, ret_campaign->kept->run_numbers.items[i], err) < 0)
            return -1;
    return take_others(arena, store, ret_campaign, err) < 0
               ? -1
               : take_other_deliveries(arena, store, ret_campaign, err);
}

/* -- Judging --------------------------------------------------------------------------------------------------- */

static double end_of(const struct record *record)
{
    return record->ended > 0 ? record->ended : record->started;
}

static const struct plan *plan_of(const struct campaign *campaign, const struct acceptance *acceptance,
                                  const struct hostlist *hosts, struct error *err)
{
    struct plan_sources sources = campaign->sources;
    struct plan_options options = {.run_uuid = acceptance->uuid, .hosts = hosts};
    struct plan_notes notes = {0};

    sources.hostfile = hostfile_with_spares(acceptance->arena, campaign->sources.hostfile,
                                            acceptance->events.items, acceptance->events.count, err);
    return sources.hostfile != NULL ? plan_build(acceptance->arena, &sources, &options, &notes, err) : NULL;
}

/* known_by: what was known of by then; INFINITY: all. */
static struct acceptance *judged(const struct campaign *campaign, double known_by, double now,
                                 struct error *err)
{
    const struct acceptance *kept = campaign->kept;
    struct acceptance *acceptance = arena_new(kept->arena, struct acceptance);

    acceptance->arena = kept->arena;
    acceptance->id = kept->id;
    acceptance->uuid = kept->uuid;
    acceptance->name = kept->name;
    acceptance->made = kept->made;
    acceptance->suite = campaign->sources.suite;
    acceptance->now = now;
    for (size_t i = 0; i < kept->documents.count; i++)
        *list_push(kept->arena, &acceptance->documents) = kept->documents.items[i];
    for (size_t i = 0; i < kept->runs.count; i++)
        if (end_of(kept->runs.items[i]) <= known_by)
            *list_push(kept->arena, &acceptance->runs) = kept->runs.items[i];
    for (size_t i = 0; i < campaign->left_out.count; i++)
        if (end_of(campaign->left_out.items[i]) <= known_by)
            *list_push(kept->arena, &acceptance->left_out) = campaign->left_out.items[i];
    for (size_t i = 0; i < campaign->others.items.count; i++)
        if (campaign->others.items.items[i].ended <= known_by)
            *list_push(kept->arena, &acceptance->others.items) = campaign->others.items.items[i];
    for (size_t i = 0; i < kept->events.count; i++)
        if (kept->events.items[i].at <= known_by)
            *list_push(kept->arena, &acceptance->events) = kept->events.items[i];
    events_withdraw(acceptance->events.items, acceptance->events.count);
    acceptance->plan = plan_of(campaign, acceptance, NULL, err);
    if (acceptance->plan == NULL)
        return NULL;
    judge_acceptance(acceptance);
    return acceptance;
}

/* Whose clock was ahead made its runs in what is the future by now. They are there. */
struct acceptance *campaign_now(const struct campaign *campaign, double now, struct error *err)
{
    return judged(campaign, INFINITY, now, err);
}

static struct acceptance *campaign_at(const struct campaign *campaign, double then, struct error *err)
{
    return judged(campaign, then, then, err);
}

/* -- The story ------------------------------------------------------------------------------------------------- */

static const struct reason *run_text(struct arena *arena, const struct record *record)
{
    const struct plan *plan = record->plan;
    const char **names = arena_array(arena, const char *, plan->hosts.count);
    const struct reason *word = REASON(word_not_judged);
    size_t asked = standing_asked_passed(record);

    for (size_t i = 0; i < plan->hosts.count; i++)
        names[i] = plan->hosts.items[i]->name;
    if (asked > 0)
        word = reason(arena, a_part_all_passed, asked);
    else if (record->judgement.verdict_count > 0)
        word = reason_word(arena, standing_verdict(&record->standing, record->judgement.verdicts[0].word));
    return reason(arena, run_over_hosts, record->number, hostlist_fold(arena, names, plan->hosts.count),
                  word);
}

/* "fabric-manager on node2", "ecc of gpu3 on node2": the step that the waiver was made for, and its items as far as they have
   names; the UUID of one whose step is not there. */
static const struct reason *waived_what(struct arena *arena, const struct record *record,
                                        const struct waiver *waiver)
{
    const char *items = "";

    for (size_t i = 0; i < waiver->items.count; i++) {
        const char *subject = waiver->items.items[i].subject;

        if (*subject != '\0' && (i == 0 || strcmp(subject, waiver->items.items[i - 1].subject) != 0))
            items = arena_add_word(arena, items, subject);
    }
    for (size_t i = 0; i < record->plan->steps.count; i++) {
        const struct step *step = &record->plan->steps.items[i];

        if (strcmp(step->key, waiver->step_key) == 0)
            return *items != '\0' ? reason(arena, step_of_items_on, step->shape->suite_step, items,
                                           step_target_said(arena, step))
                                  : reason(arena, step_on_target, step->shape->suite_step,
                                           step_target_said(arena, step));
    }
    return reason_text(arena, waiver->uuid);
}

static void add_moment(struct acceptance *acceptance, double at, const struct reason *text)
{
    *list_push(acceptance->arena, &acceptance->story) = (struct moment){.at = at, .text = text};
}

static void add_waivers(struct acceptance *acceptance, const struct record *record)
{
    struct arena *arena = acceptance->arena;

    for (size_t i = 0; i < record->waivers.count; i++) {
        const struct waiver *waiver = &record->waivers.items[i];
        const struct reason *what = waived_what(arena, record, waiver);

        add_moment(acceptance, waiver->made,
                   reason(arena, waiver_in_run, what, record->number, waiver->who,
                          time_text(arena, waiver->until), waiver->why));
        if (waiver->withdrawn.made > 0)
            add_moment(acceptance, waiver->withdrawn.made,
                       reason(arena, waiver_withdrawn, what, waiver->who, waiver->withdrawn.who,
                              waiver->withdrawn.why));
        else if (waiver->until <= acceptance->now)
            add_moment(acceptance, waiver->until, reason(arena, waiver_ended, what, waiver->who));
    }
}

static int compare_moments(const void *a, const void *b)
{
    const struct moment *left = a, *right = b;

    return left->at < right->at ? -1 : left->at > right->at;
}

static void take_words(struct acceptance *acceptance, struct moment *moment, const struct acceptance *then)
{
    for (size_t i = 0; i < acceptance->verdicts.count; i++) {
        enum verdict_word word = VERDICT_INCOMPLETE;

        for (size_t k = 0; k < then->verdicts.count; k++)
            if (strcmp(then->verdicts.items[k].unit, acceptance->verdicts.items[i].unit) == 0)
                word = then->verdicts.items[k].word;
        *list_push(acceptance->arena, &moment->words) = word;
    }
}

static void add_event_moment(struct acceptance *acceptance, const struct acceptance_event *event)
{
    enum { AT_ONCE_S = 60 };
    const struct reason *text = event_text(acceptance->arena, event);

    if (event->made > event->at + AT_ONCE_S)
        text = reason(acceptance->arena, event_recorded_at, text, time_text(acceptance->arena, event->made));
    add_moment(acceptance, event->at, text);
}

static bool is_earlier(const struct campaign *campaign, long long number)
{
    for (size_t i = 0; i < campaign->earlier.count; i++)
        if (campaign->earlier.items[i]->number == number)
            return true;
    return false;
}

static const struct reason *end_text(struct arena *arena, const struct other_delivery *other)
{
    const struct standing standing = {.kind = other->kind};
    const struct reason *word = other->judged
                                    ? reason_word(arena, standing_verdict(&standing, other->verdict))
                                    : REASON(word_not_judged);

    if (other->end == DELIVERY_BROKEN_OFF)
        return REASON(run_broken_off);
    if (!other->again || other->end == DELIVERY_OF_NO_ACCOUNT)
        return word;
    return reason(arena, judged_again_by_others,
                  reason_word(arena, standing_verdict(&standing, other->end == DELIVERY_REJECTED
                                                                     ? VERDICT_REJECT
                                                                     : VERDICT_ACCEPT_WITH_EXCEPTIONS)),
                  word);
}

static void add_other_deliveries(const struct campaign *campaign, struct acceptance *acceptance)
{
    struct arena *arena = acceptance->arena;

    for (size_t i = 0; i < acceptance->others.items.count; i++) {
        const struct other_delivery *other = &acceptance->others.items.items[i];

        if (other->end == DELIVERY_RUNNING)
            add_moment(acceptance, other->ended,
                       reason(arena, run_over_hosts, other->number, other->hosts, REASON(run_fails_unended)));
        else if (!is_earlier(campaign, other->number))
            add_moment(
                acceptance, other->ended,
                reason(arena, run_beside_acceptance,
                       reason(arena, run_over_hosts, other->number, other->hosts, end_text(arena, other))));
    }
}

int campaign_story(const struct campaign *campaign, struct acceptance *acceptance, struct error *err)
{
    struct arena *arena = acceptance->arena;

    for (size_t i = 0; i < campaign->earlier.count; i++)
        add_moment(acceptance, end_of(campaign->earlier.items[i]),
                   reason(arena, run_before_acceptance, run_text(arena, campaign->earlier.items[i])));
    for (size_t i = 0; i < acceptance->left_out.count; i++)
        add_moment(acceptance, end_of(acceptance->left_out.items[i]),
                   reason(arena, run_not_added, run_text(arena, acceptance->left_out.items[i])));
    add_other_deliveries(campaign, acceptance);
    for (size_t i = 0; i < acceptance->runs.count; i++) {
        add_moment(acceptance, end_of(acceptance->runs.items[i]), run_text(arena, acceptance->runs.items[i]));
        add_waivers(acceptance, acceptance->runs.items[i]);
    }
    for (size_t i = 0; i < acceptance->events.count; i++)
        add_event_moment(acceptance, &acceptance->events.items[i]);
    if (acceptance->story.count > 0)
        qsort(acceptance->story.items, acceptance->story.count, sizeof(struct moment), compare_moments);
    for (size_t i = 0; i < acceptance->story.count; i++) {
        const struct acceptance *then = campaign_at(campaign, acceptance->story.items[i].at, err);

        if (then == NULL)
            return -1;
        take_words(acceptance, &acceptance->story.items[i], then);
    }
    return 0;
}

/* -- Runs that may be added ------------------------------------------------------------------------------------ */

/* Of a suite or contract there is one, whatever it is called; platforms and baselines are called by their platform. */
static const struct document *find_document(const struct document *documents, size_t count,
                                            const struct document *like)
{
    bool single = strcmp(like->kind, "suite") == 0 || strcmp(like->kind, "contract") == 0;

    for (size_t i = 0; i < count; i++)
        if (strcmp(documents[i].kind, like->kind) == 0 &&
            (single || strcmp(documents[i].name, like->name) == 0))
            return &documents[i];
    return NULL;
}

static bool is_question(const struct document *document)
{
    static const char *const kinds[] = {"suite", "platform", "baseline", "contract"};

    return word_is_among(document->kind, kinds, ARRAY_SIZE(kinds));
}

static int refuse_run(const struct record *record, const struct document *wanted,
                      const struct document *found, struct error *err)
{
    const struct document *one = wanted != NULL ? wanted : found;

    if (wanted == NULL || found == NULL)
        return error_set(err, ERROR_USAGE,
                         "run %lld was made %s %s %s, the acceptance %s: it answers another question",
                         record->number, found != NULL ? "with" : "without", one->kind, one->name,
                         found != NULL ? "without" : "with");
    return error_set(
        err, ERROR_USAGE,
        "run %lld was made with another %s: %s (SHA-256 %.16s), the acceptance has %s (SHA-256 %.16s); it "
        "answers another question",
        record->number, one->kind, found->name, found->sha256, wanted->name, wanted->sha256);
}

static bool has_platform(const struct record *record, const char *platform)
{
    for (size_t i = 0; i < record->documents.count; i++)
        if (strcmp(record->documents.items[i].kind, "platform") == 0 &&
            strcmp(record->documents.items[i].name, platform) == 0)
            return true;
    return false;
}

static bool has_common_host(const struct campaign *campaign, const struct record *record)
{
    for (size_t i = 0; i < record->plan->hosts.count; i++)
        if (hostfile_find(campaign->sources.hostfile, record->plan->hosts.items[i]->name) != NULL)
            return true;
    return false;
}

/* A run over fewer hosts may lack the platforms of the others, and their baselines. */
static bool is_owed_by(const struct record *record, const struct document *document)
{
    if (strcmp(document->kind, "platform") == 0 || strcmp(document->kind, "baseline") == 0)
        return strcmp(document->kind, "baseline") == 0 && has_platform(record, document->name);
    return is_question(document);
}

static int check_documents(const struct campaign *campaign, const struct record *record, struct error *err)
{
    const struct acceptance *kept = campaign->kept;

    for (size_t i = 0; i < record->documents.count; i++) {
        const struct document *found = &record->documents.items[i];
        const struct document *wanted = find_document(kept->documents.items, kept->documents.count, found);

        if (is_question(found) && (wanted == NULL || strcmp(wanted->sha256, found->sha256) != 0))
            return refuse_run(record, wanted, found, err);
    }
    for (size_t i = 0; i < kept->documents.count; i++) {
        const struct document *wanted = &kept->documents.items[i];

        if (is_owed_by(record, wanted) &&
            find_document(record->documents.items, record->documents.count, wanted) == NULL)
            return refuse_run(record, wanted, NULL, err);
    }
    return 0;
}

static int check_question(const struct campaign *campaign, const struct record *record, struct error *err)
{
    if (check_documents(campaign, record, err) < 0)
        return -1;
    if (!has_common_host(campaign, record))
        return error_set(err, ERROR_USAGE, "run %lld has no host of acceptance %s", record->number,
                         campaign->kept->name);
    return 0;
}

int campaign_check_run(const struct campaign *campaign, const struct record *record, struct error *err)
{
    if (record->state == RUN_RUNNING)
        return error_set(err, ERROR_USAGE, "run %lld is still going on", record->number);
    return check_question(campaign, record, err);
}

/* -- What to run next ------------------------------------------------------------------------------------------ */

static void add_name(struct arena *arena, struct hostlist *list, const char *name)
{
    if (!hostlist_has(list, name))
        *list_push(arena, &list->names) = name;
}

static bool is_failed(const struct acceptance *acceptance, const struct host *host)
{
    for (size_t i = 0; i < acceptance->requirements.count; i++) {
        const struct requirement *requirement = &acceptance->requirements.items[i];
        const struct step *step = &acceptance->plan->steps.items[requirement->step];

        if (requirement->state == REQUIREMENT_FAILED && step->member_count == 1 && step->members[0] == host)
            return true;
    }
    return false;
}

/* What a host that is known to be broken owes can wait until it is mended, and so can tests across hosts with it. */
static bool is_next(const struct acceptance *acceptance, const struct requirement *requirement)
{
    const struct step *step = &acceptance->plan->steps.items[requirement->step];

    if (requirement->state != REQUIREMENT_MISSING && requirement->state != REQUIREMENT_RETEST)
        return false;
    for (size_t i = 0; i < step->member_count; i++)
        if (is_failed(acceptance, step->members[i]))
            return false;
    return true;
}

static bool has_step(const struct plan *plan, const struct step *wanted)
{
    for (size_t i = 0; i < plan->steps.count; i++) {
        const struct step *step = &plan->steps.items[i];
        bool same = step->member_count == wanted->member_count &&
                    strcmp(step->shape->suite_step, wanted->shape->suite_step) == 0 &&
                    strcmp(step->shape->variant, wanted->shape->variant) == 0;

        for (size_t k = 0; same && k < step->member_count; k++)
            same = strcmp(step->members[k]->name, wanted->members[k]->name) == 0;
        if (same)
            return true;
    }
    return false;
}

static unsigned times_of(const struct acceptance *acceptance, const struct requirement *requirement)
{
    unsigned repeat = acceptance->plan->steps.items[requirement->step].shape->repeat;
    unsigned owed = requirement->owed > requirement->passes ? requirement->owed - requirement->passes : 1;

    return repeat > 1 ? (owed + repeat - 1) / repeat : owed;
}

static bool is_of_block(const struct acceptance *acceptance, const struct requirement *requirement,
                        const struct campaign_block *block)
{
    return is_next(acceptance, requirement) && times_of(acceptance, requirement) == block->times &&
           hostlist_has(&block->steps, acceptance->plan->steps.items[requirement->step].shape->suite_step);
}

/* Whether a run over these hosts alone has the very groups that are owed: a ring of pairs has them only over all. What
   runs on each host alone is there in any case. */
static bool covers(const struct campaign *campaign, const struct acceptance *acceptance,
                   const struct campaign_block *block, struct error *err)
{
    const struct plan *plan = NULL;

    for (size_t i = 0; i < acceptance->requirements.count; i++) {
        const struct requirement *requirement = &acceptance->requirements.items[i];
        const struct step *step = &acceptance->plan->steps.items[requirement->step];

        if (step->member_count == 1 || !is_of_block(acceptance, requirement, block))
            continue;
        if (plan == NULL)
            plan = plan_of(campaign, acceptance, &block->hosts, err);
        if (plan == NULL || !has_step(plan, step))
            return false;
    }
    return true;
}

static struct campaign_block *block_of(struct arena *arena, struct campaign_next *next,
                                       const char *suite_step, unsigned times)
{
    struct campaign_block *block;

    for (size_t i = 0; i < next->blocks.count; i++)
        if (next->blocks.items[i].times == times && hostlist_has(&next->blocks.items[i].steps, suite_step))
            return &next->blocks.items[i];
    block = list_push(arena, &next->blocks);
    *block = (struct campaign_block){.times = times};
    add_name(arena, &block->steps, suite_step);
    return block;
}

static bool same_hosts(const struct hostlist *a, const struct hostlist *b)
{
    for (size_t i = 0; a->names.count == b->names.count && i < a->names.count; i++)
        if (strcmp(a->names.items[i], b->names.items[i]) != 0 && !hostlist_has(b, a->names.items[i]))
            return false;
    return a->names.count == b->names.count;
}

/* Steps that the same hosts owe equally often are one run. */
static void join_blocks(struct arena *arena, struct campaign_next *next)
{
    size_t kept = 0;

    for (size_t i = 0; i < next->blocks.count; i++) {
        struct campaign_block *block = &next->blocks.items[i];
        size_t into = 0;

        while (into < kept && (next->blocks.items[into].times != block->times ||
                               !same_hosts(&next->blocks.items[into].hosts, &block->hosts)))
            into++;
        if (into == kept)
            next->blocks.items[kept++] = *block;
        else
            add_name(arena, &next->blocks.items[into].steps, block->steps.names.items[0]);
    }
    next->blocks.count = kept;
}

static bool is_judged_by_groups(const struct suite_step *step)
{
    for (size_t i = 0; step != NULL && i < step->limits.count; i++)
        if (step->limits.items[i].rule == RULE_GROUPS)
            return true;
    return false;
}

static bool is_planned(const struct acceptance *acceptance, const struct suite_step *step)
{
    for (size_t i = 0; i < acceptance->plan->steps.count; i++)
        if (strcmp(acceptance->plan->steps.items[i].shape->suite_step, step->name) == 0)
            return true;
    return false;
}

/* What is judged by the run's own pairs and groups cannot be decided without them. */
static void add_groups(const struct campaign *campaign, const struct acceptance *acceptance,
                       struct campaign_block *block)
{
    const struct suite *suite = campaign->sources.suite;

    for (size_t i = 0, count = block->steps.names.count; i < count; i++) {
        const struct suite_step *step = suite_step_find(suite, block->steps.names.items[i]);

        for (size_t k = 0; is_judged_by_groups(step) && k < suite->steps.count; k++) {
            const struct suite_step *other = &suite->steps.items[k];

            if (strcmp(other->check, step->check) == 0 &&
                (strcmp(other->scope, "pair") == 0 || strcmp(other->scope, "group") == 0) &&
                is_planned(acceptance, other))
                add_name(acceptance->arena, &block->steps, other->name);
        }
    }
}

static bool has_all_hosts(const struct hostfile *hostfile, const struct campaign_block *block)
{
    for (size_t i = 0; i < hostfile->hosts.count; i++)
        if (hostfile->hosts.items[i].role == ROLE_COMPUTE &&
            !hostlist_has(&block->hosts, hostfile->hosts.items[i].name))
            return false;
    return true;
}

static void add_all_hosts(struct arena *arena, const struct hostfile *hostfile, struct campaign_block *block)
{
    for (size_t i = 0; i < hostfile->hosts.count; i++)
        if (hostfile->hosts.items[i].role == ROLE_COMPUTE)
            add_name(arena, &block->hosts, hostfile->hosts.items[i].name);
}

/* -- What a last look takes: the first one, and loads in between ------------------------------------------------ */

struct looks {
    const struct campaign *campaign;
    const struct acceptance *acceptance;
    const struct hostfile *hostfile;
    struct load_ports *ports;
    struct campaign_block *block;
    bool has_all; /* hosts */
    /* The last of loads_after. */
    const struct shape *known;
    const struct suite_step *known_look;
    load_set known_loads;
};

/* What the step loads after that look; 0: nothing. Of many hosts one shape comes after itself. */
static load_set loads_after(struct looks *looks, const struct step *step, const struct suite_step *look)
{
    const struct suite_step *row;
    struct check_context context = {.arena = looks->acceptance->arena,
                                    .check = check_find(step->shape->check),
                                    .member_count = step->member_count,
                                    .variant = step->shape->variant};

    if (step->shape == looks->known && look == looks->known_look)
        return looks->known_loads;
    row = suite_step_find(looks->campaign->sources.suite, step->shape->suite_step);
    context.step = row;
    looks->known = step->shape;
    looks->known_look = look;
    looks->known_loads = step->origin == ORIGIN_SUITE && context.check != NULL &&
                                 row >= loads_begin(looks->campaign->sources.suite, look)
                             ? check_loads(&context, looks->ports)
                             : 0;
    return looks->known_loads;
}

/* Of the host, what is planned behind the look, and what of that the block loads anyway. Of tests across hosts it is sure to have
   the groups that are owed, and all of them where it has all hosts. */
static load_set loads_lacking(struct looks *looks, const struct suite_step *look, const char *host)
{
    const struct acceptance *acceptance = looks->acceptance;
    load_set planned = 0, there = 0;

    for (size_t i = 0; i < acceptance->requirements.count; i++) {
        const struct requirement *requirement = &acceptance->requirements.items[i];
        const struct step *step = &acceptance->plan->steps.items[requirement->step];
        load_set loads = loads_after(looks, step, look);

        if (loads == 0 || !step_has_host_named(step, host))
            continue;
        planned |= loads;
        if (hostlist_has(&looks->block->steps, step->shape->suite_step) &&
            (step->member_count == 1 || looks->has_all || is_of_block(acceptance, requirement, looks->block)))
            there |= loads;
    }
    return loads_missing(check_loads_owed(check_find(look->check), planned), there);
}

/* The first that is planned on the host alone, or else with others. */
static const struct step *find_load(struct looks *looks, const struct suite_step *look, const char *host,
                                    load_set lacking)
{
    const struct plan *plan = looks->acceptance->plan;
    const struct step *among_others = NULL;

    for (size_t i = 0; i < plan->steps.count; i++) {
        const struct step *step = &plan->steps.items[i];

        if (loads_missing(lacking, loads_after(looks, step, look)) == lacking ||
            !step_has_host_named(step, host))
            continue;
        if (step->member_count == 1)
            return step;
        if (among_others == NULL)
            among_others = step;
    }
    return among_others;
}

static void add_with_needs(const struct campaign *campaign, const struct acceptance *acceptance,
                           struct campaign_block *block, const char *name)
{
    struct hostlist added = {0};

    add_name(acceptance->arena, &added, name);
    for (size_t i = 0; i < added.names.count; i++) {
        const struct suite_step *step = suite_step_find(campaign->sources.suite, added.names.items[i]);

        add_name(acceptance->arena, &block->steps, added.names.items[i]);
        for (size_t k = 0; step != NULL && k < step->needs.count; k++)
            if (is_planned(acceptance, suite_step_find(campaign->sources.suite, step->needs.items[k])))
                add_name(acceptance->arena, &added, step->needs.items[k]);
    }
}

/* A test across hosts is there for certain where all hosts are. */
static void add_loads(struct looks *looks, const struct suite_step *look, const char *host)
{
    load_set lacking;

    while ((lacking = loads_lacking(looks, look, host)) != 0) {
        const struct step *load = find_load(looks, look, host, lacking);
        size_t before = looks->block->steps.names.count;
        bool had_all = looks->has_all;

        if (load == NULL)
            return;
        add_with_needs(looks->campaign, looks->acceptance, looks->block, load->shape->suite_step);
        if (load->member_count > 1) {
            add_all_hosts(looks->acceptance->arena, looks->hostfile, looks->block);
            looks->has_all = true;
        }
        if (looks->block->steps.names.count == before && looks->has_all == had_all)
            return;
    }
}

/* A last look alone has nothing to be compared with, and its pass does not count (src/judge/acceptance_looks.c). */
static void add_looks(struct looks *looks)
{
    const struct suite *suite = looks->campaign->sources.suite;
    struct campaign_block *block = looks->block;

    for (size_t i = 0, count = block->steps.names.count; i < count; i++) {
        const struct suite_step *step = suite_step_find(suite, block->steps.names.items[i]);

        for (size_t k = 0; step != NULL && step->last && k < suite->steps.count; k++) {
            const struct suite_step *other = &suite->steps.items[k];

            if (other->last || strcmp(other->check, step->check) != 0 ||
                !is_planned(looks->acceptance, other))
                continue;
            add_name(looks->acceptance->arena, &block->steps, other->name);
            for (size_t m = 0; m < block->hosts.names.count; m++)
                add_loads(looks, other, block->hosts.names.items[m]);
        }
    }
}

/* -- Who is judged beside others (src/judge/acceptance_alone.c) ------------------------------------------------- */

static enum company company_of(const struct acceptance *acceptance, const struct campaign_block *block)
{
    const struct plan *plan = acceptance->plan;
    enum company company = COMPANY_NONE;

    for (size_t i = 0; i < plan->shapes.count && company == COMPANY_NONE; i++)
        if (hostlist_has(&block->steps, plan->shapes.items[i]->suite_step))
            company = judge_company(plan->shapes.items[i]);
    return company;
}

static bool has_company(const struct acceptance *acceptance, const struct campaign_block *block,
                        enum company company, const struct host *host)
{
    for (size_t i = 0; i < block->hosts.names.count; i++) {
        const struct host *other = plan_find_host(acceptance->plan, block->hosts.names.items[i]);

        if (other != NULL && judge_is_company(company, host, other))
            return true;
    }
    return false;
}

/* The first that owes the same, and has not failed it. */
static const char *find_company(const struct acceptance *acceptance, const struct campaign_block *block,
                                enum company company, const struct host *host)
{
    for (size_t i = 0; i < acceptance->requirements.count; i++) {
        const struct requirement *requirement = &acceptance->requirements.items[i];
        const struct step *step = &acceptance->plan->steps.items[requirement->step];

        if (requirement->state != REQUIREMENT_FAILED &&
            hostlist_has(&block->steps, step->shape->suite_step) &&
            judge_is_company(company, host, step->members[0]))
            return step->members[0]->name;
    }
    return NULL;
}

static void add_company(const struct acceptance *acceptance, struct campaign_block *block)
{
    enum company company = company_of(acceptance, block);

    for (size_t i = 0, count = block->hosts.names.count; i < count && company != COMPANY_NONE; i++) {
        const struct host *host = plan_find_host(acceptance->plan, block->hosts.names.items[i]);
        const char *other = host != NULL && !has_company(acceptance, block, company, host)
                                ? find_company(acceptance, block, company, host)
                                : NULL;

        if (other != NULL)
            add_name(acceptance->arena, &block->hosts, other);
    }
}

int campaign_next(const struct campaign *campaign, const struct acceptance *acceptance,
                  struct campaign_next *ret_next, struct error *err)
{
    struct arena *arena = acceptance->arena;
    const struct hostfile *hostfile = hostfile_with_spares(
        arena, campaign->sources.hostfile, acceptance->events.items, acceptance->events.count, err);
    struct load_ports ports = {0};
    cleanup_text struct text text = {0};

    if (hostfile == NULL)
        return -1;
    *ret_next = (struct campaign_next){0};
    for (size_t i = 0; i < acceptance->requirements.count; i++) {
        const struct requirement *requirement = &acceptance->requirements.items[i];
        const struct step *step = &acceptance->plan->steps.items[requirement->step];
        struct campaign_block *block;

        if (!is_next(acceptance, requirement))
            continue;
        block = block_of(arena, ret_next, step->shape->suite_step, times_of(acceptance, requirement));
        for (size_t k = 0; k < step->member_count; k++)
            add_name(arena, &block->hosts, step->members[k]->name);
    }
    for (size_t i = 0; i < ret_next->blocks.count; i++)
        if (!covers(campaign, acceptance, &ret_next->blocks.items[i], err))
            add_all_hosts(arena, hostfile, &ret_next->blocks.items[i]);
    for (size_t i = 0; i < ret_next->blocks.count; i++)
        add_company(acceptance, &ret_next->blocks.items[i]);
    join_blocks(arena, ret_next);
    for (size_t i = 0; i < ret_next->blocks.count; i++)
        add_looks(&(struct looks){.campaign = campaign,
                                  .acceptance = acceptance,
                                  .hostfile = hostfile,
                                  .ports = &ports,
                                  .block = &ret_next->blocks.items[i],
                                  .has_all = has_all_hosts(hostfile, &ret_next->blocks.items[i])});
    for (size_t i = 0; i < ret_next->blocks.count; i++)
        add_groups(campaign, acceptance, &ret_next->blocks.items[i]);
    text_init(&text, 16 << 20);
    /* All hosts, and the lines name those that are to be run: what is over some of them must say so. */
    hostfile_write(hostfile, NULL, &text);
    ret_next->hostfile = arena_strndup(arena, text.bytes, text.length);
    return 0;
}

/* -- Whose part a run may be ----------------------------------------------------------------------------------- */

const char *campaign_of_suite(struct arena *arena, struct store *store, const struct record *record)
{
    const struct document *suite = document_find(&record->documents, "suite");
    struct acceptance_names names = {0};
    struct error err = {0};
    const char *found = NULL;

    if (suite == NULL || store_list_acceptances(store, arena, &names, &err) < 0)
        return NULL;
    for (size_t i = 0; i < names.items.count; i++) {
        const struct acceptance *acceptance = store_load_acceptance(store, arena, names.items.items[i], &err);
        const struct document *other =
            acceptance != NULL ? document_find(&acceptance->documents, "suite") : NULL;

        if (other == NULL || strcmp(other->sha256, suite->sha256) != 0)
            continue;
        if (found != NULL)
            return NULL;
        found = names.items.items[i];
    }
    return found;
}
