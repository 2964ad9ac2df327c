/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/resuming.h"

#include <string.h>

#include "assay/app/allocation.h"
#include "assay/app/production.h"
#include "assay/base/clock.h"
#include "assay/base/json.h"
#include "assay/judge/judge.h"
#include "assay/reasons/app.h"

enum { DIFFERENCES_SHOWN = 10 };

static bool same_bytes(struct slice a, struct slice b)
{
    return a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* name NULL: the one of that kind. NULL: the run has none. */
static const struct document *document_of(const struct record *record, const char *kind, const char *name)
{
    for (size_t i = 0; i < record->documents.count; i++)
        if (strcmp(record->documents.items[i].kind, kind) == 0 &&
            (name == NULL || strcmp(record->documents.items[i].name, name) == 0))
            return &record->documents.items[i];
    return NULL;
}

static int refuse(const struct record *record, const char *kind, const char *what, struct error *err)
{
    return error_set(err, ERROR_USAGE,
                     "%s: not the %s that run %lld was started with; a different one needs a new run; "
                     "`assay run --resume %lld` without it goes on, with the %s as it was",
                     what, kind, record->number, record->number, kind);
}

/* What is compared with what the record was begun with, and where what differs is told. */
struct comparing {
    struct arena *arena;
    const struct record *record;
    struct resuming *resuming;
};

/* 0 where both say the same, in whatever form. */
static int compare(const struct comparing *comparing, const struct document *was, const char *what,
                   struct slice bytes, struct error *err)
{
    struct arena *arena = comparing->arena;
    struct json_differences differences;
    const struct json *before, *after;

    if (same_bytes(was->bytes, bytes))
        return 0;
    before = json_parse(arena, was->name, was->bytes.bytes, was->bytes.length, err);
    after = before != NULL ? json_parse(arena, what, bytes.bytes, bytes.length, err) : NULL;
    if (after == NULL)
        return -1;
    json_compare(arena, before, after, &differences);
    if (differences.items.count == 0)
        return 0;
    for (size_t i = 0; i < differences.items.count && i < DIFFERENCES_SHOWN; i++)
        *list_push(arena, &comparing->resuming->differences.names) = arena_printf(
            arena, "%s: %s is %s, and was %s when the run began", what, differences.items.items[i].path,
            differences.items.items[i].is, differences.items.items[i].was);
    if (differences.items.count > DIFFERENCES_SHOWN)
        *list_push(arena, &comparing->resuming->differences.names) = arena_printf(
            arena, "%s: %zu more differences", what, differences.items.count - DIFFERENCES_SHOWN);
    return refuse(comparing->record, was->kind, what, err);
}

static int check_suite(const struct comparing *comparing, const char *name, struct error *err)
{
    const struct suite *suite = name != NULL ? suite_load(comparing->arena, name, err) : NULL;

    if (suite == NULL)
        return name == NULL ? 0 : -1;
    return compare(comparing, document_of(comparing->record, "suite", NULL), name, suite->bytes, err);
}

static int check_contract(const struct comparing *comparing, const char *name, struct error *err)
{
    const struct record *record = comparing->record;
    const struct contract *contract = name != NULL ? contract_load(comparing->arena, name, err) : NULL;
    const struct document *was = document_of(record, "contract", NULL);

    if (contract == NULL)
        return name == NULL ? 0 : -1;
    return was == NULL
               ? error_set(err, ERROR_USAGE,
                           "%s: run %lld was started without a contract; `assay judge %lld --contract %s` "
                           "judges it by one when it has ended",
                           name, record->number, record->number, name)
               : compare(comparing, was, name, contract->bytes, err);
}

static int check_baseline(const struct comparing *comparing, const char *name, struct error *err)
{
    struct arena *arena = comparing->arena;
    const struct record *record = comparing->record;
    const struct baseline *baseline = name != NULL ? baseline_load(arena, name, err) : NULL;
    bool any = false;

    if (baseline == NULL)
        return name == NULL ? 0 : -1;
    for (size_t i = 0; i < record->documents.count; i++) {
        const struct document *was = &record->documents.items[i], *of;
        const struct platform *platform;

        if (strcmp(was->kind, "baseline") != 0)
            continue;
        of = document_of(record, "platform", was->name);
        platform = of != NULL ? platform_parse(arena, of->name, of->bytes, err) : NULL;
        if (of != NULL && platform == NULL)
            return -1;
        if (platform == NULL || !baseline_is_for(baseline, platform))
            continue;
        any = true;
        if (compare(comparing, was, name, baseline->bytes, err) < 0)
            return -1;
    }
    return any ? 0 : refuse(record, "baseline", name, err);
}

/* Those that the hosts name, as they are now; one that the run has not is told by who compares the hosts. */
static int check_platforms(const struct comparing *comparing, const struct hostfile *hostfile,
                           const struct suite *suite, struct error *err)
{
    const char *last = "";

    for (size_t i = 0; i < hostfile->hosts.count; i++) {
        const char *word = hostfile->hosts.items[i].platform;
        const struct platform *platform;
        const struct document *was;

        word = word != NULL ? word : suite->platform;
        if (word == NULL || strcmp(word, last) == 0)
            continue;
        last = word;
        platform = platform_load(comparing->arena, word, err);
        if (platform == NULL)
            return -1;
        was = document_of(comparing->record, "platform", platform->name);
        if (was != NULL && compare(comparing, was, word, platform->bytes, err) < 0)
            return -1;
    }
    return 0;
}

static int check_hosts(const struct comparing *comparing, const char *path,
                       const struct plan_sources *sources, struct error *err)
{
    struct resuming *resuming = comparing->resuming;
    const struct hostfile *hostfile = path != NULL ? hostfile_load(comparing->arena, path, err) : NULL;

    if (hostfile == NULL)
        return path == NULL ? 0 : -1;
    if (check_platforms(comparing, hostfile, sources->suite, err) < 0)
        return -1;
    if (same_bytes(hostfile->bytes, sources->hostfile->bytes))
        return 0;
    allocation_keep(hostfile, comparing->record->plan);
    resuming->hostfile = hostfile;
    resuming->path = path;
    return hostfile_compare(comparing->arena, comparing->record->plan, sources, hostfile, &resuming->changes,
                            err);
}

int resuming_check(struct arena *arena, const struct question *asked, const struct record *record,
                   const struct plan_sources *sources, struct resuming *ret_resuming, struct error *err)
{
    const struct comparing comparing = {arena, record, ret_resuming};

    *ret_resuming = (struct resuming){0};
    if (asked->hosts != NULL || asked->steps != NULL || asked->tools != NULL || asked->tools_root != NULL ||
        asked->max_evidence != NULL || asked->duration != NULL)
        return error_set(err, ERROR_USAGE,
                         "--resume continues with the hosts, steps, tools, evidence limit and duration of "
                         "the run; give none "
                         "of --hosts, --steps, --tools, --tools-root, --max-evidence and --duration");
    if (check_suite(&comparing, asked->suite, err) < 0 ||
        check_baseline(&comparing, asked->baseline, err) < 0 ||
        check_contract(&comparing, asked->contract, err) < 0)
        return -1;
    return check_hosts(&comparing, asked->hostfile, sources, err);
}

/* --- taking a hostfile ------------------------------------------------------------------------------------------ */

/* What was under way on a machine that is another now speaks of neither; the scheduler proves that it is gone. */
static int close_attempts(struct running *going, const struct resuming *resuming, struct error *err)
{
    struct record *record = going->record;

    for (size_t i = 0; i < record->attempts.count; i++) {
        struct attempt *attempt = &record->attempts.items[i];

        if (attempt->state != ATTEMPT_SENT ||
            !step_has_swapped(&record->plan->steps.items[attempt->step], &resuming->changes))
            continue;
        attempt->state = ATTEMPT_ENDED;
        attempt->end = ATTEMPT_CANCELLED;
        attempt->what = REASON(host_swapped_meanwhile);
        attempt->ended = clock_steady();
        if (running_keep_attempt(going, attempt, err) < 0)
            return -1;
    }
    return 0;
}

static enum step_state *states_of(struct running *going)
{
    const struct record *record = going->record;
    enum step_state *states = arena_array(record->arena, enum step_state, record->plan->steps.count);

    list_each (attempt, record->attempts)
        if (attempt->state == ATTEMPT_ENDED && attempt->end != ATTEMPT_CANCELLED)
            states[attempt->step] = judge_step(record, &going->sources->limits, attempt->step);
    return states;
}

/* "node[9-10] was added; node3 was swapped: address ..." */
static const struct reason *changes_text(struct arena *arena, const struct hostfile_changes *changes)
{
    struct hostlist added = {0};
    const struct reason *others = NULL, *all;

    for (size_t i = 0; i < changes->items.count; i++)
        if (changes->items.items[i].kind == HOST_ADDED)
            *list_push(arena, &added.names) = changes->items.items[i].host->name;
        else
            others = reason_also(arena, others, changes->items.items[i].what);
    all =
        reason_also(arena,
                    added.names.count > 0 ? reason(arena, hosts_added,
                                                   hostlist_fold(arena, added.names.items, added.names.count))
                                          : NULL,
                    others);
    return all != NULL ? all : REASON(no_host_is_another);
}

/* Its name is what has changed (document_said), and its bytes are that in English. */
static void keep_documents(struct record *record, const struct resuming *resuming, const struct reason *what)
{
    document_add(record->arena, &record->documents, "hostfile", resuming->path, resuming->hostfile->bytes);
    document_add(record->arena, &record->documents, CHANGE_DOCUMENT, reason_encode(record->arena, what),
                 slice_of(reason_english(record->arena, what)));
}

int resuming_take(struct running *going, const struct resuming *resuming, bool allow_active,
                  const char **ret_note, struct error *err)
{
    struct record *record = going->record;
    size_t steps = record->plan->steps.count;
    const struct reason *what;

    *ret_note = NULL;
    if (resuming->hostfile == NULL)
        return 0;
    if (close_attempts(going, resuming, err) < 0 ||
        plan_take_hostfile(record->plan, going->sources, resuming->hostfile, &resuming->changes,
                           states_of(going), err) < 0 ||
        (!allow_active && production_check(record->arena, record->plan, err) < 0))
        return -1;
    what = reason(record->arena, and_steps_more, changes_text(record->arena, &resuming->changes),
                  record->plan->steps.count - steps);
    keep_documents(record, resuming, what);
    if (store_take_hostfile(going->store, record, steps, err) < 0)
        return -1;
    *ret_note =
        arena_printf(record->arena, "the hostfile has changed: %s", reason_english(record->arena, what));
    return 0;
}
