/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many hosts were under load at a time. A burn of one host after the other loads neither the power nor the cooling nor the
 * storage that they share as all of them do; tests across hosts do so with their own load only.
 */
#include "turns.h"

#include <string.h>

#include "assay/check/check.h"
#include "assay/reasons/report.h"
#include "view.h"

/* Whether there are tests of single hosts that load them. */
static bool loads_hosts(struct arena *arena, const struct plan *plan)
{
    const bool *of_suite = shapes_of_suite(arena, plan);

    for (size_t i = 0; i < plan->shapes.count; i++) {
        const struct check *check = of_suite[i] ? check_find(plan->shapes.items[i]->check) : NULL;

        if (check != NULL && check->window && strcmp(plan->shapes.items[i]->scope, "host") == 0)
            return true;
    }
    return false;
}

/* A run that was taken up may have gone on with fewer than it was begun with. */
static size_t most_at_once(const struct record *record)
{
    size_t most = record->plan->hosts.count;

    list_each (document, record->documents) {
        struct slice rest = document->bytes, line;
        uint64_t number;

        if (strcmp(document->kind, TURNS_DOCUMENT) == 0 && scan_line(&rest, &line) &&
            scan_u64(line, &number) && number < most)
            most = (size_t)number;
    }
    return most;
}

const struct reason *turns_of_run(struct arena *arena, const struct record *record)
{
    size_t hosts = record->plan->hosts.count, most = most_at_once(record);

    return most < hosts && loads_hosts(arena, record->plan) ? reason(arena, hosts_took_turns, most, hosts)
                                                            : NULL;
}

const struct reason *turns_of_acceptance(struct arena *arena, const struct acceptance *acceptance)
{
    size_t hosts = acceptance->plan->hosts.count, most = 0;

    for (size_t i = 0; i < acceptance->runs.count; i++) {
        size_t at_once = most_at_once(acceptance->runs.items[i]);

        most = at_once > most ? at_once : most;
    }
    return most > 0 && most < hosts && loads_hosts(arena, acceptance->plan)
               ? reason(arena, hosts_took_turns_in_runs, most, hosts)
               : NULL;
}
