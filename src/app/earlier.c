/* SPDX-License-Identifier: Apache-2.0 */
/* The earlier run that a report compares its own with. */
#include "assay/app/earlier.h"

#include <string.h>

#include "assay/app/deliveries.h"
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

/* Of a run that nobody accepts nobody has to know it. */
static int find_others(struct store *store, struct arena *arena, const struct record *record,
                       struct earlier *earlier, struct error *err)
{
    struct deliveries_question question = {.before_number = record->origin == NULL ? record->number : 0,
                                           .before = record->started};

    if (!standing_is_acceptance(&record->standing))
        return 0;
    for (size_t i = 0; i < record->plan->hosts.count; i++)
        *list_push(arena, &question.hosts.names) = record->plan->hosts.items[i]->name;
    *list_push(arena, &question.runs) = record->number;
    return deliveries_find(store, arena, &question, &earlier->others, err);
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
    if (find_others(store, arena, record, earlier, err) < 0)
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
