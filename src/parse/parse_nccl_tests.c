/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nccl-tests: the text of every layout since 2.0 and the JSON of -J (2.17 and later).
 *
 * Facts: nccl.version (the library's), nccl.tests_version, nccl.collective, nccl.ranks, nccl.hosts (different
 * ones that the ranks name), nccl.validation, and what NCCL's log lines tell (nccl_debug.c). Where an old version names its collective nowhere, it follows
 * from the ratio of the two bandwidths when only one collective has that ratio, else the metrics say
 * "unknown".
 *
 * A size may be measured several times (types, cycles, sizes that round to the same); each is a measurement.
 */
#include "assay/parse/parser.h"

#include "loose_json.h"
#include "nccl_run.h"
#include "runs.h"
#include "shell_words.h"

/* Nothing but blanks, prompts and what stands before lines may stand before a JSON document. */
static bool is_json(struct source *source, struct arena *arena)
{
    enum { LOOK_AHEAD = 4096 };
    struct slice first = source_peek(source, LOOK_AHEAD), line;
    struct lines lines;

    if (first.length > LOOK_AHEAD)
        first.length = LOOK_AHEAD;
    lines_read(arena, first, 0, &lines);
    for (size_t i = 0; i <= lines.count; i++) {
        line = slice_trim(i < lines.count ? lines.items[i].text : lines.tail);
        if (line.length > 0 && !is_prompt(line) && !prompt_command(line, &line))
            return slice_starts(line, "{") && json_begins(line);
    }
    return false;
}

static void stream(struct source *source, struct reading *reading)
{
    if (is_json(source, reading->arena))
        nccl_json(json_document(reading->arena, parser_document(source)), reading);
    else
        nccl_text(source, reading);
    runs_finish(reading);
}

const struct parser parse_nccl_tests = {
    .name = "nccl-tests",
    .version = 1,
    .summary = "nccl-tests: text of every layout, JSON of -J",
    .metrics = METRICS(
        {"nccl.*.avg_busbw", "GB/s", BETTER_HIGHER, "the tool's own average over all sizes and both places"},
        {"nccl.*.busbw", "GB/s", BETTER_HIGHER,
         "bus bandwidth: what the slowest link carried, comparable between ranks", true},
        {"nccl.*.asymptotic", "GB/s", BETTER_HIGHER,
         "the bus bandwidth that a ring comes to with size: without the time that its steps take"},
        {"nccl.*.asymptotic.noise", "", BETTER_LOWER, "how much of the noise of each time goes into that"},
        {"nccl.*.asymptotic.racks.noise", "", BETTER_LOWER, "likewise"},
        {"nccl.*.asymptotic.racks", "GB/s", BETTER_HIGHER, "the same over more hosts than NVLink reaches"},
        {"nccl.*.algbw", "GB/s", BETTER_HIGHER, "size divided by time"},
        {"nccl.*.time", "us", BETTER_LOWER, "time of one operation"},
        {"nccl.*.cpu_time", "us", BETTER_LOWER, "the same as the CPU saw it (-C)"},
        {"nccl.*.rank_time", "us", BETTER_LOWER,
         "median over the iterations of one process's longest time (-J -I 1)"},
        {"nccl.*.wrong", "", BETTER_LOWER, "values that the check found wrong"},
        {"nccl.*.error", "", BETTER_LOWER, "largest deviation from the expected values (before 2.11)"},
        {"nccl.out_of_bounds", "", BETTER_LOWER, "results out of bounds, as the closing says"}),
    .stream = stream,
};
