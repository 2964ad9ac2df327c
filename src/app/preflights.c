/* SPDX-License-Identifier: Apache-2.0 */
/* The preflight that belongs to a run: the last one of the same hostfile that had ended before it began. */
#include "assay/app/preflights.h"

#include <string.h>

#include "assay/plan/preflight.h"
#include "assay/report/report.h"

int preflight_attach(struct store *store, struct record *record, struct error *err)
{
    struct run_summary *runs;
    size_t count;

    if (strcmp(record->suite, PREFLIGHT_SUITE) == 0)
        return 0;
    if (store_list_runs(store, record->arena, 0, &runs, &count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (!runs[i].imported && strcmp(runs[i].suite, PREFLIGHT_SUITE) == 0 &&
            strcmp(runs[i].hostfile, record->hostfile) == 0 && runs[i].state == RUN_ENDED && runs[i].judged &&
            runs[i].ended <= record->started) {
            record->preflight = store_load_lean(store, record->arena, runs[i].number, report_rests_on, err);
            return record->preflight != NULL ? 0 : -1;
        }
    return 0;
}
