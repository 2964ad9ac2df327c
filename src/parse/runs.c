/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/reasons/parse.h"

#include "runs.h"

void reading_whole(struct reading *reading)
{
    reading_set(reading, READING_COMPLETE, NULL);
}

struct reading *runs_begin(struct reading *reading)
{
    struct reading *run = list_push(reading->arena, &reading->runs);

    reading_init(run, reading->arena, reading->tool);
    reading_whole(run);
    return run;
}

static void add_findings(struct reading *reading, const struct reading *run)
{
    for (size_t i = 0; i < run->findings.count; i++)
        *list_push(reading->arena, &reading->findings) = run->findings.items[i];
}

/* A failed run is worse than a partial one only in words; what matters is that neither is complete. */
static size_t worst_run(const struct reading *reading)
{
    size_t worst = 0;

    for (size_t i = 1; i < reading->runs.count; i++)
        if (reading->runs.items[i].status < reading->runs.items[worst].status)
            worst = i;
    return worst;
}

void runs_finish(struct reading *reading)
{
    const struct reading *last, *worst;

    if (reading->runs.count == 0)
        return;
    for (size_t i = 0; i < reading->runs.count; i++) {
        reading_settle(&reading->runs.items[i]);
        add_findings(reading, &reading->runs.items[i]);
    }
    last = &reading->runs.items[reading->runs.count - 1];
    worst = &reading->runs.items[worst_run(reading)];
    reading->facts.items = last->facts.items;
    reading->facts.count = reading->facts.capacity = last->facts.count;
    reading->measurements.items = last->measurements.items;
    reading->measurements.count = reading->measurements.capacity = last->measurements.count;
    if (worst->status == READING_COMPLETE)
        reading_whole(reading);
    else if (reading->runs.count == 1)
        reading_set(reading, worst->status, worst->reason);
    else
        reading_set(reading, worst->status,
                    reason(reading->arena, run_of_several, (size_t)(worst - reading->runs.items) + 1,
                           reading->runs.count, worst->reason));
    if (reading->runs.count == 1)
        reading->runs.count = 0;
}
