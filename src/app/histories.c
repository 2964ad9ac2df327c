/* SPDX-License-Identifier: Apache-2.0 */
/* A history out of the database: the runs that were judged, the oldest first. */
#include "assay/app/histories.h"

#include <stdlib.h>

#include "assay/app/namesakes.h"

/* Under which names its hosts are shown; namesakes NULL: their own. */
struct naming {
    const struct namesakes *namesakes;
    const struct run_summary *run;
};

static const char *name_of(const struct naming *naming, const char *host)
{
    return naming->namesakes != NULL ? namesakes_name(naming->namesakes, naming->run, host) : host;
}

static int add_named(struct store *store, struct arena *arena, struct history *history,
                     const struct record *record, const struct naming *naming, struct error *err)
{
    struct item_sightings seen;

    if (store_run_items(store, arena, record->number, &seen, err) < 0)
        return -1;
    history_add(arena, history, record);
    /* Of a chassis the name of the host is what people know it by, and what runs without its serial number have. */
    for (size_t i = 0; i < seen.items.count; i++)
        if (seen.items.items[i].kind == ITEM_GPU || seen.items.items[i].kind == ITEM_HCA)
            history_add_sighting(arena, history, name_of(naming, seen.items.items[i].host),
                                 seen.items.items[i].position, seen.items.items[i].identity);
    return 0;
}

int histories_add(struct store *store, struct arena *arena, struct history *history,
                  const struct record *record, struct error *err)
{
    return add_named(store, arena, history, record, &(struct naming){0}, err);
}

/* What another party says of the hardware is no history of ours. */
static bool counts(const struct run_summary *run, bool imported)
{
    return (run->judged || run->damage != NULL) && (imported || !run->imported);
}

/* The record is the caller's alone: nobody else has its hosts. */
static void rename_hosts(struct record *record, const struct naming *naming)
{
    for (size_t i = 0; i < record->plan->hosts.count; i++) {
        struct host *host = (struct host *)record->plan->hosts.items[i];

        host->name = name_of(naming, host->name);
    }
}

/* One run at a time is in memory as a whole. */
static int add_run(struct store *store, struct arena *arena, const struct naming *naming,
                   struct history *history, struct error *err)
{
    cleanup_arena struct arena *of_run = arena_create();
    struct record *record = store_load_judged(store, of_run, naming->run->number, err);
    struct history_mark mark = history_mark(history);
    int result = -1;

    if (record != NULL) {
        rename_hosts(record, naming);
        result = add_named(store, arena, history, record, naming, err);
    }
    if (result == 0)
        history_keep(arena, history, &mark);
    return result;
}

static void take_run(struct store *store, struct arena *arena, const struct naming *naming,
                     struct history *history)
{
    const struct run_summary *run = naming->run;
    struct error why = {0};

    if (run_summary_check(run, &why) < 0 || add_run(store, arena, naming, history, &why) < 0)
        *list_push(arena, &history->gaps) = (struct history_gap){run->number, arena_strdup(arena, why.text)};
}

/* Runs of one controller need no other names. */
static const struct namesakes *find_namesakes(struct store *store, struct arena *arena,
                                              const struct run_summary *runs, size_t count)
{
    struct namesakes *namesakes = namesakes_create(arena);

    for (size_t i = 0; i < count; i++)
        if (counts(&runs[i], true))
            namesakes_add(namesakes, store, &runs[i]);
    namesakes_settle(namesakes);
    return namesakes;
}

/* The newest first: what came from elsewhere has got the next number, however old it is. */
static int compare_begun(const void *a, const void *b)
{
    const struct run_summary *left = a, *right = b;

    if (left->started != right->started)
        return left->started < right->started ? 1 : -1;
    return (left->number < right->number) - (left->number > right->number);
}

int histories_collect(struct store *store, struct arena *arena, size_t last, bool imported,
                      struct history *history, struct error *err)
{
    struct naming naming = {0};
    struct run_summary *runs;
    size_t count, first = 0, judged = 0;

    if (store_list_runs(store, arena, 0, &runs, &count, err) < 0)
        return -1;
    if (imported && count > 1)
        qsort(runs, count, sizeof *runs, compare_begun);
    while (first < count && (last == 0 || judged < last))
        judged += counts(&runs[first++], imported);
    if (imported)
        naming.namesakes = find_namesakes(store, arena, runs, first);
    while (first-- > 0) {
        naming.run = &runs[first];
        if (counts(&runs[first], imported))
            take_run(store, arena, &naming, history);
        else if (counts(&runs[first], true))
            history->left_out++;
    }
    return 0;
}
