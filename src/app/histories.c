/* SPDX-License-Identifier: Apache-2.0 */
/* A history out of the database: the runs that were judged, the oldest first. */
#include "assay/app/histories.h"

int histories_add(struct store *store, struct arena *arena, struct history *history,
                  const struct record *record, struct error *err)
{
    struct item_sightings seen;

    if (store_run_items(store, arena, record->number, &seen, err) < 0)
        return -1;
    history_add(arena, history, record);
    /* Of a chassis the name of the host is what people know it by, and what runs without its serial number have. */
    for (size_t i = 0; i < seen.items.count; i++)
        if (seen.items.items[i].kind == ITEM_GPU || seen.items.items[i].kind == ITEM_HCA)
            history_add_sighting(arena, history, seen.items.items[i].host, seen.items.items[i].position,
                                 seen.items.items[i].identity);
    return 0;
}

/* What another party says of the hardware is no history of ours. */
static bool counts(const struct run_summary *run, bool imported)
{
    return (run->judged || run->damage != NULL) && (imported || !run->imported);
}

/* One run at a time is in memory as a whole. */
static int add_run(struct store *store, struct arena *arena, long long number, struct history *history,
                   struct error *err)
{
    struct arena *of_run = arena_create();
    struct record *record = store_load_judged(store, of_run, number, err);
    struct history_mark mark = history_mark(history);
    int result = record != NULL ? histories_add(store, arena, history, record, err) : -1;

    if (result == 0)
        history_keep(arena, history, &mark);
    arena_destroy(of_run);
    return result;
}

static void take_run(struct store *store, struct arena *arena, const struct run_summary *run,
                     struct history *history)
{
    struct error why = {0};

    if (run_summary_check(run, &why) < 0 || add_run(store, arena, run->number, history, &why) < 0)
        *list_push(arena, &history->gaps) = (struct history_gap){run->number, arena_strdup(arena, why.text)};
}

int histories_collect(struct store *store, struct arena *arena, size_t last, bool imported,
                      struct history *history, struct error *err)
{
    struct run_summary *runs;
    size_t count, first = 0, judged = 0;

    if (store_list_runs(store, arena, 0, &runs, &count, err) < 0)
        return -1;
    while (first < count && (last == 0 || judged < last))
        judged += counts(&runs[first++], imported);
    while (first-- > 0)
        if (counts(&runs[first], imported))
            take_run(store, arena, &runs[first], history);
    return 0;
}
