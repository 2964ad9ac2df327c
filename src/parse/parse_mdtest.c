/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mdtest, which comes with IOR: files and directories that all tasks make, look at, read and remove. A run begins with
 * "mdtest-VERSION was launched", and is whole when its table of rates is there and it says "-- finished".
 *
 * facts    mdtest.version, .nodes, .tasks, .items ("4000 files": of all tasks)
 * metrics  mdtest.file.create, .file.stat, .file.read, .file.remove, mdtest.directory.create, ..., mdtest.tree.create, .tree.remove
 *          in a second, of all tasks together, until the last of them had done its part: the least of the repetitions. Of 3.3,
 *          which shows each task's own rate as if all had been as fast, that is its "Min" too. What it was not asked to do it
 *          shows as 0: not told here.
 * finding  mdtest.failed   fault: a file or directory that it could not make, open, read, remove (4.0 goes on after that)
 *          mdtest.wrong    fault: it read other data than was written (-X). 3.3 says so only for its first task.
 *          mdtest.warning  warning: any other of its warnings; such a run is not complete
 */
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"
#include "shell_words.h"

enum { MAX_RUNS = 1000 };

static const struct operation {
    const char *row, *metric;
} operations[] = {
    {"File creation", "mdtest.file.create"},
    {"File stat", "mdtest.file.stat"},
    {"File read", "mdtest.file.read"},
    {"File removal", "mdtest.file.remove"},
    {"Directory creation", "mdtest.directory.create"},
    {"Directory stat", "mdtest.directory.stat"},
    {"Directory rename", "mdtest.directory.rename"},
    {"Directory removal", "mdtest.directory.remove"},
    {"Tree creation", "mdtest.tree.create"},
    {"Tree removal", "mdtest.tree.remove"},
};
enum { OPERATIONS = ARRAY_SIZE(operations) };

struct mdtest_run {
    struct frame frame;
    bool began, in_table, ended;
    bool told[OPERATIONS];
    const struct reason *damage; /* why the text cannot be whole */
};

/* "mdtest-3.3.0 was launched with 16 total task(s) on 2 node(s)" */
static bool take_head(struct mdtest_run *run, struct slice line)
{
    struct slice version, rest = line, word;
    struct reading *reading;

    if (!scan_text(&rest, "mdtest-") || !scan_word(&rest, &version) ||
        !slice_starts(slice_trim(rest), "was launched with "))
        return false;
    if (run->began)
        frame_next_run(run);
    run->began = true;
    reading = run->frame.reading;
    if (run->frame.all->runs.count > MAX_RUNS)
        run->damage = REASON(too_many_runs);
    reading_fact(reading, "mdtest.version", "", version);
    scan_past(&rest, "with ");
    if (scan_word(&rest, &word))
        reading_fact(reading, "mdtest.tasks", "", word);
    if (scan_past(&rest, "on ") && scan_word(&rest, &word))
        reading_fact(reading, "mdtest.nodes", "", word);
    return true;
}

/* "16 tasks, 16000 files" */
static void take_items(struct mdtest_run *run, struct slice line)
{
    uint64_t tasks;

    if (scan_digits(&line, &tasks) && scan_text(&line, " tasks, "))
        reading_fact_once(run->frame.reading, "mdtest.items", line);
}

/* Max, Min, Mean, Std Dev. */
static void take_rate(struct mdtest_run *run, size_t operation, struct slice numbers)
{
    enum { COLUMNS = 4, MIN = 1 };
    double values[COLUMNS];
    struct slice word;

    for (size_t i = 0; i < COLUMNS; i++)
        if (!scan_word(&numbers, &word) || !scan_double(word, &values[i]) || run->told[operation]) {
            run->damage = REASON(summary_row_damaged);
            return;
        }
    run->told[operation] = true;
    if (values[MIN] > 0)
        reading_measure(run->frame.reading, operations[operation].metric, "", values[MIN], "");
}

/* "File creation             :      12345.678 ..." */
static void take_row(struct mdtest_run *run, struct slice line)
{
    for (size_t i = 0; i < OPERATIONS; i++) {
        struct slice rest = line;

        if (!scan_text(&rest, operations[i].row))
            continue;
        rest = slice_trim(rest);
        if (scan_text(&rest, ":"))
            rest = slice_trim(rest);
        take_rate(run, i, rest);
        return;
    }
}

/* Something was asked of the storage, and it did not do it. */
static bool is_failure(struct slice text)
{
    return slice_starts_one(text, "unable to create ", "unable to remove ", "unable to open ",
                            "unable to write ", "unable to read ", "unable to stat ", "unable to mknode ",
                            "unable to verify ", "unable to rename ", "Unable to create ",
                            "Unable to remove ");
}

static void take_warning(struct mdtest_run *run, struct slice text)
{
    struct reading *reading = run->frame.reading;

    if (is_failure(text)) {
        reading_finding(reading, SEVERITY_FAULT, "mdtest.failed", "", reason(reading->arena, text, text));
        return;
    }
    reading_finding(reading, SEVERITY_WARNING, "mdtest.warning", "", reason(reading->arena, text, text));
    if (run->damage == NULL)
        run->damage = reason(reading->arena, tool_warns, text);
}

/* What is no part of the table; false: it may be. */
static bool take_trouble(struct mdtest_run *run, struct slice line)
{
    struct slice rest = line;

    scan_text(&rest, "ior ");
    if (scan_text(&rest, "WARNING: "))
        take_warning(run, rest);
    else if (slice_starts(rest, "ERROR: verifying the data"))
        reading_finding(run->frame.reading, SEVERITY_FAULT, "mdtest.wrong", "",
                        reason(run->frame.reading->arena, text, slice_from(rest, strlen("ERROR: "))));
    else if (slice_starts(rest, "ERROR: ") || slice_contains(line, ": FAILED in ") || is_shell_trouble(line))
        frame_fail(&run->frame, line);
    else
        return false;
    return true;
}

static void read_line(void *state, struct slice line)
{
    struct mdtest_run *run = state;

    if (take_head(run, line) || take_trouble(run, line) || !run->began)
        return;
    if (slice_starts(line, "SUMMARY rate"))
        run->in_table = true;
    else if (slice_starts(line, "SUMMARY "))
        run->damage = REASON(only_rates_of_mdtest);
    else if (slice_starts(line, "-- finished at "))
        run->ended = true;
    else if (run->in_table)
        take_row(run, line);
    else
        take_items(run, line);
}

static void end(void *state)
{
    struct mdtest_run *run = state;
    struct reading *reading = run->frame.reading;

    if (!run->began)
        frame_strange(&run->frame);
    if (run->damage != NULL)
        reading_lacks(reading, run->damage);
    if (!run->in_table)
        reading_lacks(reading, REASON(no_summary));
    if (!run->ended)
        reading_lacks(reading, REASON(closing_line_missing));
}

const struct parser parse_mdtest = {
    .name = "mdtest",
    .version = 1,
    .summary =
        "mdtest: files and directories that all tasks of an MPI program make, look at, read and remove",
    .metrics = METRICS(
        {"mdtest.*.create", "", BETTER_HIGHER, "files, directories or trees that all tasks made in a second"},
        {"mdtest.*.stat", "", BETTER_HIGHER, "the same, looked at"},
        {"mdtest.*.read", "", BETTER_HIGHER, "files opened, read and closed"},
        {"mdtest.*.rename", "", BETTER_HIGHER, "directories renamed (4.0)"},
        {"mdtest.*.remove", "", BETTER_HIGHER, "the same, removed"}),
    .grammar =
        GRAMMAR(.state_bytes = sizeof(struct mdtest_run), .flags = FRAME_RUNS, .line = read_line, .end = end),
};
