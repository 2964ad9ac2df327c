/* SPDX-License-Identifier: Apache-2.0 */
/* What a run may be shown as, and the words of verdicts that follow from it. */
#include "assay/model/standing.h"

#include <string.h>

#include "assay/base/json.h"
#include "assay/model/hostfile.h"
#include "assay/model/record.h"
#include "assay/model/suite.h"
#include "assay/reasons/any.h"
#include "assay/reasons/model.h"

static const struct kind_row {
    const char *name, *purpose; /* purpose: the suite's word; NULL: no suite says it */
    const char *title;
} kinds[] = {
    [RUN_TRIAL] = {"trial", "trial", "trial"},
    [RUN_TUNING] = {"tuning", "tuning", "comparison of settings"},
    [RUN_PERIODIC] = {"periodic", "periodic", "periodic check"},
    [RUN_SOAK] = {"soak", "soak", "soak test"},
    [RUN_PREFLIGHT] = {"preflight", "preflight", "preflight"},
    [RUN_PART] = {"part", NULL, "part of a delivery"},
    [RUN_ACCEPTANCE] = {"acceptance", "delivery", "acceptance"},
};
enum { KINDS = ARRAY_SIZE(kinds) };

const char *run_kind_name(enum run_kind kind)
{
    return kinds[kind].name;
}

const char *run_kind_title(enum run_kind kind)
{
    return kinds[kind].title;
}

bool standing_is_acceptance(const struct standing *standing)
{
    return standing->kind == RUN_ACCEPTANCE;
}

bool standing_is_delivery(const struct standing *standing)
{
    return standing_is_acceptance(standing) || standing->kind == RUN_PART;
}

/* The last of its kind is the one that counts; NULL: there is none. */
static const struct document *last_document(const struct record *record, const char *kind)
{
    const struct document *found = NULL;

    for (size_t i = 0; i < record->documents.count; i++)
        if (strcmp(record->documents.items[i].kind, kind) == 0)
            found = &record->documents.items[i];
    return found;
}

/* Only the one word is read: a suite of an earlier assay need not be as this one wants it. */
static enum run_kind kind_of_suite(struct arena *arena, const struct record *record)
{
    const struct document *suite = last_document(record, "suite");
    const struct json *json = NULL;
    struct error err = {0};
    const char *purpose;

    if (suite != NULL)
        json = json_parse(arena, suite->name, suite->bytes.bytes, suite->bytes.length, &err);
    purpose = json != NULL ? json_string(json, "purpose", "") : "";
    for (size_t i = 0; i < KINDS; i++)
        if (kinds[i].purpose != NULL && strcmp(kinds[i].purpose, purpose) == 0)
            return (enum run_kind)i;
    return RUN_TRIAL;
}

struct unit_shares {
    LIST_OF(struct unit_share) items;
};

static bool has_host(const struct plan *plan, size_t near, const char *name)
{
    /* Both are in the order of the hostfile, so it is mostly the next one. */
    for (size_t i = 0; i < plan->hosts.count; i++)
        if (strcmp(plan->hosts.items[(near + i) % plan->hosts.count]->name, name) == 0)
            return true;
    return false;
}

/* Hosts of a unit mostly stand together. */
static struct unit_share *share_of(struct unit_shares *shares, struct arena *arena, const char *unit)
{
    for (size_t i = shares->items.count; i-- > 0;)
        if (strcmp(shares->items.items[i].unit, unit) == 0)
            return &shares->items.items[i];
    *list_push(arena, &shares->items) = (struct unit_share){.unit = arena_strdup(arena, unit)};
    return &shares->items.items[shares->items.count - 1];
}

static void count_hosts(struct arena *arena, const struct record *record, struct standing *standing)
{
    struct unit_shares shares = {0};
    const struct document *document = last_document(record, "hostfile");
    const struct hostfile *hostfile = NULL;
    struct error err = {0};

    if (document != NULL)
        hostfile = hostfile_parse(arena, document->name, document->bytes, &err);
    for (size_t i = 0; hostfile != NULL && i < hostfile->hosts.count; i++) {
        const struct host *host = &hostfile->hosts.items[i];
        struct unit_share *share;
        bool is_in;

        if (host->role == ROLE_SPARE)
            continue;
        is_in = has_host(record->plan, standing->hosts, host->name);
        share = share_of(&shares, record->arena, host->unit);
        share->hosts += is_in;
        share->hosts_owed++;
        standing->hosts += is_in;
        standing->hosts_owed++;
    }
    standing->units = shares.items.items;
    standing->unit_count = shares.items.count;
}

struct suite_steps {
    LIST_OF(const char *) names;
};

static bool has_name(const struct suite_steps *steps, const char *name)
{
    for (size_t i = steps->names.count; i-- > 0;)
        if (steps->names.items[i] == name || strcmp(steps->names.items[i], name) == 0)
            return true;
    return false;
}

/* A step that --steps left out is left out wherever it was owed. */
static void count_steps(struct arena *arena, const struct plan *plan, struct standing *standing)
{
    struct suite_steps owed = {0}, left_out = {0};

    list_each (step, plan->steps) {
        const char *name = step->shape->suite_step;
        bool out = step->origin == ORIGIN_LEFT_OUT && reason_is(step->origin_note, left_out_by_steps);

        if (step->origin != ORIGIN_SUITE && step->origin != ORIGIN_LEFT_OUT)
            continue;
        if (!has_name(&owed, name))
            *list_push(arena, &owed.names) = name;
        if (out && !has_name(&left_out, name))
            *list_push(arena, &left_out.names) = name;
    }
    standing->steps_owed = owed.names.count;
    standing->steps = owed.names.count - left_out.names.count;
}

static bool is_whole(const struct standing *standing)
{
    return standing->hosts_owed > 0 && standing->hosts == standing->hosts_owed && standing->steps_owed > 0 &&
           standing->steps == standing->steps_owed;
}

struct standing standing_of(const struct record *record)
{
    cleanup_arena struct arena *arena = arena_create();
    struct standing standing = {.kind = kind_of_suite(arena, record)};

    count_hosts(arena, record, &standing);
    count_steps(arena, record->plan, &standing);
    if (standing.kind == RUN_ACCEPTANCE && !is_whole(&standing))
        standing.kind = RUN_PART;
    return standing;
}

size_t standing_asked_passed(const struct record *record)
{
    const struct judgement *judgement = &record->judgement;
    size_t tests = 0, last = (size_t)-1;

    if (record->standing.kind != RUN_PART || record->state != RUN_ENDED || judgement->accusation_count > 0)
        return 0;
    for (size_t i = 0; i < judgement->outcome_count; i++) {
        const struct outcome *outcome = &judgement->outcomes[i];
        const struct step *step = &record->plan->steps.items[outcome->step];

        if (step->shape->slots[outcome->slot].duty != DUTY_GATE || step->origin == ORIGIN_LEFT_OUT)
            continue;
        if (outcome->word != OUTCOME_PASS)
            return 0;
        tests += outcome->step != last;
        last = outcome->step;
    }
    return tests;
}

/* -- Words ----------------------------------------------------------------------------------------------------- */

static const char *const words[] = {[VERDICT_ACCEPT] = "passed",
                                    [VERDICT_ACCEPT_WITH_EXCEPTIONS] = "passed with exceptions",
                                    [VERDICT_INCOMPLETE] = "incomplete",
                                    [VERDICT_REJECT] = "failed"};

/* What the end of a run says of it at the terminal. */
static const struct reason *const findings[] = {[VERDICT_ACCEPT] = REASON(nothing_found),
                                                [VERDICT_ACCEPT_WITH_EXCEPTIONS] =
                                                    REASON(nothing_found_but_waived),
                                                [VERDICT_INCOMPLETE] = REASON(not_all_decided),
                                                [VERDICT_REJECT] = REASON(something_failed)};

const char *standing_verdict(const struct standing *standing, enum verdict_word word)
{
    return standing_is_acceptance(standing) ? verdict_name(word) : words[word];
}

const struct reason *standing_verdict_text(struct arena *arena, const struct standing *standing,
                                           const struct judgement *judgement)
{
    enum verdict_word word = judgement->verdict_count > 0 ? judgement->verdicts[0].word : VERDICT_INCOMPLETE;
    const struct reason *verdict = reason_word(arena, standing_verdict(standing, word));

    if (word != VERDICT_ACCEPT_WITH_EXCEPTIONS)
        return verdict;
    return reason(arena, verdict_with_waivers, verdict, judgement_waivers(judgement));
}

const struct reason *standing_share(struct arena *arena, const struct standing *standing)
{
    const struct reason *hosts = NULL, *steps = NULL;

    if (standing->hosts < standing->hosts_owed)
        hosts = reason(arena, some_of_hosts, standing->hosts, standing->hosts_owed);
    if (standing->steps < standing->steps_owed)
        steps = reason(arena, some_of_steps, standing->steps, standing->steps_owed);
    if (hosts == NULL || steps == NULL)
        return hosts != NULL ? hosts : steps;
    return reason(arena, clause, hosts, steps);
}

const struct reason *standing_unit_share(struct arena *arena, const struct standing *standing,
                                         const char *unit)
{
    array_each (share, standing->units, standing->unit_count)
        if (strcmp(share->unit, unit) == 0 && share->hosts < share->hosts_owed)
            return reason(arena, some_of_hosts, share->hosts, share->hosts_owed);
    return NULL;
}

const struct reason *standing_sentence(struct arena *arena, const struct standing *standing)
{
    const struct reason *share = standing_share(arena, standing),
                        *kind = reason_word(arena, run_kind_title(standing->kind));

    if (standing_is_acceptance(standing))
        return NULL;
    return share == NULL ? reason(arena, no_acceptance, kind)
                         : reason(arena, no_acceptance_but_share, kind, share);
}

const struct reason *standing_line(struct arena *arena, const struct standing *standing,
                                   enum verdict_word word)
{
    const struct reason *share = standing_share(arena, standing);
    const struct reason *kind = reason_word(arena, run_kind_title(standing->kind));

    if (standing_is_acceptance(standing))
        return NULL;
    return share == NULL ? reason(arena, kind_and_finding, kind, findings[word])
                         : reason(arena, kind_share_and_finding, kind, share, findings[word]);
}
