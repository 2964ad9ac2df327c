/* SPDX-License-Identifier: Apache-2.0 */
/* The earlier run that a report compares its own with. */
#include "assay/app/earlier.h"

#include <string.h>

#include "assay/app/histories.h"
#include "assay/judge/judge.h"
#include "assay/model/compare.h"

/* By name, in whatever order: names are each there once. Nearly always the order is the same. */
static bool same_hosts(const struct hostlist *names, const struct record *record)
{
    if (names->names.count != record->plan->hosts.count)
        return false;
    for (size_t i = 0; i < names->names.count; i++)
        if (strcmp(names->names.items[i], record->plan->hosts.items[i]->name) != 0 &&
            plan_find_host(record->plan, names->names.items[i]) == NULL)
            return false;
    return true;
}

static bool is_candidate(const struct run_summary *run, const struct record *record)
{
    return run->judged && !run->imported && run->state == RUN_ENDED && run->number != record->number &&
           run->started < record->started && strcmp(run->suite, record->suite) == 0 &&
           (run->verdict == VERDICT_ACCEPT || run->verdict == VERDICT_ACCEPT_WITH_EXCEPTIONS) &&
           run->hosts == record->plan->hosts.count;
}

/* The last accepted one that can be read; *ret_found NULL: there is none. What another run has lost is no reason to show
   nothing of this one: with which it is compared the report says. */
static int find_accepted(struct store *store, struct arena *arena, const struct record *record,
                         struct record **ret_found, struct error *err)
{
    struct run_summary *runs;
    size_t count;

    *ret_found = NULL;
    if (store_list_runs(store, arena, 0, &runs, &count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        struct hostlist hosts;
        struct record *found;
        struct error damaged;

        if (!is_candidate(&runs[i], record) ||
            (*ret_found != NULL && runs[i].started <= (*ret_found)->started))
            continue;
        /* A whole record of each run of other hosts would be as much as the database is. */
        if (store_run_hosts(store, arena, runs[i].number, &hosts, &damaged) < 0 ||
            !same_hosts(&hosts, record))
            continue;
        found = store_load_judged(store, arena, runs[i].number, &damaged);
        *ret_found = found != NULL ? found : *ret_found;
    }
    return 0;
}

/* A delivery over the same hosts that was decided before this one, whatever its suite is called. Hosts that cannot be read
   may be the same: a rejection of theirs is told rather than lost, and nothing else is concluded of them. */
static bool is_decided_before(struct store *store, struct arena *arena, const struct run_summary *run,
                              const struct record *record)
{
    struct hostlist hosts;
    struct standing standing;
    struct error damaged;

    if (!run->judged || run->imported || run->verdict == VERDICT_INCOMPLETE ||
        run->number == record->number || run->started >= record->started ||
        run->hosts != record->plan->hosts.count)
        return false;
    standing = store_run_standing(store, run->number);
    if (!standing_is_acceptance(&standing))
        return false;
    if (store_run_hosts(store, arena, run->number, &hosts, &damaged) < 0)
        return run->verdict == VERDICT_REJECT;
    return same_hosts(&hosts, record);
}

/* Those that were rejected since the last one that was not; runs come newest first. */
static int find_rejected(struct store *store, struct arena *arena, const struct record *record,
                         struct earlier *earlier, struct error *err)
{
    LIST_OF(long long) newest_first = {0};
    struct run_summary *runs;
    size_t count;

    if (store_list_runs(store, arena, 0, &runs, &count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (!is_decided_before(store, arena, &runs[i], record))
            continue;
        if (runs[i].verdict != VERDICT_REJECT)
            break;
        *list_push(arena, &newest_first) = runs[i].number;
    }
    for (size_t i = newest_first.count; i > 0; i--)
        *list_push(arena, &earlier->rejected) = newest_first.items[i - 1];
    return 0;
}

static int find_chosen(struct store *store, struct arena *arena, const char *word, struct record **ret_found,
                       struct error *err)
{
    long long number = store_find_run(store, word, err);

    *ret_found = number > 0 ? store_load_judged(store, arena, number, err) : NULL;
    if (*ret_found == NULL)
        return -1;
    if ((*ret_found)->judgement.verdict_count == 0)
        return error_set(err, ERROR_USAGE, "run %lld is not judged; `assay judge %lld` does it", number,
                         number);
    return 0;
}

int earlier_attach(struct store *store, struct arena *arena, struct record *record, const char *word,
                   struct error *err)
{
    struct earlier *earlier = arena_new(arena, struct earlier);
    struct history *history = arena_new(arena, struct history);
    struct history_findings *findings = arena_new(arena, struct history_findings);
    struct record *before;

    if (word != NULL ? find_chosen(store, arena, word, &before, err) < 0
                     : find_accepted(store, arena, record, &before, err) < 0)
        return -1;
    *earlier = (struct earlier){.uuid = "", .history = history, .findings = findings};
    record->earlier = earlier;
    if (find_rejected(store, arena, record, earlier, err) < 0)
        return -1;
    if (before == NULL)
        return 0;
    earlier->number = before->number;
    earlier->uuid = before->uuid;
    earlier->started = before->started;
    earlier->verdict = before->judgement.verdicts[0].word;
    earlier->standing = before->standing;
    judge_compare(arena, before, record, &earlier->comparison);
    if (histories_add(store, arena, history, before, err) < 0 ||
        histories_add(store, arena, history, record, err) < 0)
        return -1;
    judge_history(arena, history, findings);
    return 0;
}
