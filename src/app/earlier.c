/* SPDX-License-Identifier: Apache-2.0 */
/* The earlier run that a report compares its own with. */
#include "assay/app/earlier.h"

#include <string.h>

#include "assay/app/histories.h"
#include "assay/judge/judge.h"
#include "assay/model/compare.h"

static bool has_host(const struct record *record, const char *name)
{
    for (size_t i = 0; i < record->plan->hosts.count; i++)
        if (strcmp(record->plan->hosts.items[i]->name, name) == 0)
            return true;
    return false;
}

/* By name, in whatever order: names are each there once. Nearly always the order is the same. */
static bool same_hosts(const struct hostlist *names, const struct record *record)
{
    if (names->names.count != record->plan->hosts.count)
        return false;
    for (size_t i = 0; i < names->names.count; i++)
        if (strcmp(names->names.items[i], record->plan->hosts.items[i]->name) != 0 &&
            !has_host(record, names->names.items[i]))
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

/* The last accepted one; *ret_found NULL: there is none. */
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

        if (!is_candidate(&runs[i], record) ||
            (*ret_found != NULL && runs[i].started <= (*ret_found)->started))
            continue;
        /* A whole record of each run of other hosts would be as much as the database is. */
        if (store_run_hosts(store, arena, runs[i].number, &hosts, err) < 0)
            return -1;
        if (!same_hosts(&hosts, record))
            continue;
        *ret_found = store_load_judged(store, arena, runs[i].number, err);
        if (*ret_found == NULL)
            return -1;
    }
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
