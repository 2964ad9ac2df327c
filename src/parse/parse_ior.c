/* SPDX-License-Identifier: Apache-2.0 */
/*
 * IOR, as its first rank prints it in text, which 3.3 and 4.0 do alike; a warning of any rank may stand between two lines of
 * their JSON. A run begins with "IOR-VERSION", and is whole when each direction that it tells repetitions of stands in its
 * summary, and "Finished" behind that.
 *
 * facts    ior.version, .nodes, .tasks, .access ("single-shared-file", "file-per-process"), .transfer, .block, .verified ("yes", "no": -R
 *          or -W), as the run itself says it was asked for
 * metrics  ior.write.bandwidth, ior.read.bandwidth   GB/s, of all tasks together
 *          ior.write.transfers, ior.read.transfers   in a second, the same
 *          ior.write.time, ior.read.time             s, from the first open to the last close
 *          all three are the mean of the repetitions, at verified=yes (the tasks compare what they read meanwhile) or no
 *          ior.wrong   of a verified run: words of 8 bytes up to 3.3, transfers from 4.0 on, which were not as expected
 * finding  ior.wrong   fault: of "rank5" in which file (3.3 and older tell it), and of the run how many
 *          ior.warning warning: any other of its warnings; such a run is not complete. That less was moved than a block for each task
 *                      is none where the files are as large as that: it is what -D is for.
 *
 * The exit status of IOR is the number of errors, of which eight bits are left: it is no more than a hint.
 */
#include <math.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"
#include "shell_words.h"

/* MAX_RUNS: what one output may hold of runs; of more, the reading says that it is not whole. */
enum { MAX_RUNS = 1000, DIRECTIONS = 2 };

static const char *const directions[DIRECTIONS] = {"write", "read"};

struct ior_run {
    struct frame frame;
    bool began, full, in_summary, ended, verified;
    bool tried[DIRECTIONS], told[DIRECTIONS]; /* a repetition is shown; it stands in the summary */
    double wrong;
    const struct reason *damage; /* why the text cannot be whole */
    uint64_t rank;               /* that tells of wrong data, and its file */
    struct slice file;
    bool shared;      /* one file for all */
    double stat_size; /* of its files, as it found it; by that the bytes moved are known to be in them */
};

static void take_wrong_file(struct ior_run *run, double count)
{
    struct reading *reading = run->frame.reading;

    reading_finding(
        reading, SEVERITY_FAULT, "ior.wrong",
        arena_printf(reading->arena, "rank%llu", (unsigned long long)run->rank),
        reason(reading->arena, wrong_data_in_file, arena_printf(reading->arena, "%.0f", count), run->file));
}

/* "[5]   File name = /data/x.00000003", "[5]   In transfer 1, 512 errors between buffer indices 0 and 511." */
static bool take_rank_line(struct ior_run *run, struct slice line)
{
    struct slice word;
    uint64_t rank, number;

    if (!scan_text(&line, "[") || !scan_digits(&line, &rank) || !scan_text(&line, "] "))
        return false;
    line = slice_trim(line);
    if (scan_text(&line, "File name = ")) {
        run->rank = rank;
        run->file = line;
    } else if (scan_text(&line, "In transfer ") && scan_digits(&line, &number) && scan_text(&line, ", ") &&
               scan_word(&line, &word) && scan_u64(word, &number) &&
               slice_starts(slice_trim(line), "errors between") && run->file.length > 0 &&
               rank == run->rank) {
        take_wrong_file(run, (double)number);
    }
    return true;
}

/* "incorrect data on read (12 errors found)." */
static bool take_wrong(struct ior_run *run, struct slice text)
{
    struct slice number;
    double count;

    if (!slice_starts_one(text, "incorrect data on ", "Incorrect data on ") || !scan_past(&text, "(") ||
        !scan_word(&text, &number))
        return false;
    /* A sum that ran over is shown as -1. */
    run->wrong += scan_double(number, &count) && count > 0 ? count : 1;
    reading_finding(run->frame.reading, SEVERITY_FAULT, "ior.wrong", "",
                    reason(run->frame.reading->arena, wrong_data, number));
    return true;
}

/* "Stat() of aggregate file size      = 105250816." */
static bool take_bytes(struct slice text, const char *name, double *ret_bytes)
{
    if (!scan_text(&text, name) || !scan_past(&text, "= "))
        return false;
    if (slice_ends(text, "."))
        text.length--;
    return scan_double(text, ret_bytes);
}

/* Four warnings that come together. One file for all has holes where a task did not write its whole block. */
static bool is_of_stonewall(struct ior_run *run, struct slice text)
{
    double moved;

    if (take_bytes(text, "Using actual aggregate bytes moved", &moved))
        return moved == run->stat_size || (run->shared && moved < run->stat_size);
    return take_bytes(text, "Stat() of aggregate file size", &run->stat_size) ||
           slice_starts_one(text, "Expected aggregate file size ", "maybe caused by deadlineForStonewalling",
                            "Maybe caused by deadlineForStonewalling");
}

static bool take_warning(struct ior_run *run, struct slice line)
{
    scan_text(&line, "ior ");
    if (!scan_text(&line, "WARNING: "))
        return false;
    if (take_wrong(run, line) || is_of_stonewall(run, line))
        return true;
    reading_finding(run->frame.reading, SEVERITY_WARNING, "ior.warning", "",
                    reason(run->frame.reading->arena, text, line));
    if (run->damage == NULL)
        run->damage = reason(run->frame.reading->arena, tool_warns, line);
    return true;
}

static bool has_flag(struct slice words, const char *flag)
{
    struct slice word;

    while (scan_word(&words, &word))
        if (slice_equal(word, flag))
            return true;
    return false;
}

static void take_option(struct ior_run *run, struct slice line)
{
    static const struct {
        const char *key, *fact;
    } rows[] = {{"nodes", "ior.nodes"},
                {"tasks", "ior.tasks"},
                {"access", "ior.access"},
                {"xfersize", "ior.transfer"},
                {"blocksize", "ior.block"}};
    struct slice key, value;

    if (!slice_part(line, ":", &key, &value))
        return;
    key = slice_trim(key);
    value = slice_trim(value);
    if (slice_equal(key, "Command line")) {
        run->verified = has_flag(value, "-R") || has_flag(value, "-W");
        reading_fact_once(run->frame.reading, "ior.verified", slice_of(run->verified ? "yes" : "no"));
    }
    run->shared |= slice_equal(key, "access") && slice_equal(value, "single-shared-file");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (slice_equal(key, rows[i].key))
            reading_fact_once(run->frame.reading, rows[i].fact, value);
}

static void measure(struct ior_run *run, size_t direction, const char *what, double value, const char *unit)
{
    struct reading *reading = run->frame.reading;
    struct measurement *measurement = reading_measure(
        reading, arena_printf(reading->arena, "ior.%s.%s", directions[direction], what), "", value, unit);

    reading_at_text(reading, measurement, "verified", slice_of(run->verified ? "yes" : "no"));
}

/* Max, Min, Mean, StdDev of MiB/s; the same of transfers in a second; Mean(s), and more. */
static void take_summary(struct ior_run *run, size_t direction, struct slice numbers)
{
    enum { COLUMNS = 9, BANDWIDTH = 2, TRANSFERS = 6, SECONDS = 8 };
    double values[COLUMNS];
    struct slice word;

    for (size_t i = 0; i < COLUMNS; i++)
        if (!scan_word(&numbers, &word) || !scan_double(word, &values[i])) {
            run->damage = REASON(summary_row_damaged);
            return;
        }
    if (run->told[direction] || values[BANDWIDTH] <= 0 || values[SECONDS] < 0) {
        run->damage = REASON(summary_row_damaged);
        return;
    }
    run->told[direction] = true;
    /* Of what it prints two decimals of a MiB. */
    measure(run, direction, "bandwidth", round(values[BANDWIDTH] * 1048576 / 1e3) / 1e6, "GB/s");
    measure(run, direction, "transfers", values[TRANSFERS], "");
    measure(run, direction, "time", values[SECONDS], "s");
}

static bool take_row(struct ior_run *run, struct slice line)
{
    struct slice word;

    if (!scan_word(&line, &word))
        return false;
    for (size_t i = 0; i < DIRECTIONS; i++) {
        if (!slice_equal(word, directions[i]))
            continue;
        if (run->in_summary)
            take_summary(run, i, line);
        else
            run->tried[i] = true;
        return true;
    }
    return false;
}

static void end(void *state)
{
    struct ior_run *run = state;
    struct reading *reading = run->frame.reading;

    if (!run->began)
        frame_strange(&run->frame);
    if (run->damage != NULL)
        reading_lacks(reading, run->damage);
    for (size_t i = 0; i < DIRECTIONS; i++)
        if (run->tried[i] && !run->told[i])
            reading_lacks(reading, reason(reading->arena, no_summary_of, directions[i]));
    if (!run->told[0] && !run->told[1])
        reading_lacks(reading, REASON(no_summary));
    if (!run->ended)
        reading_lacks(reading, REASON(closing_line_missing));
    if (run->verified && frame_is_complete(&run->frame))
        reading_measure(reading, "ior.wrong", "", run->wrong, "");
}

/* "IOR-3.3.0: MPI Coordinated Test of Parallel I/O" */
static bool take_head(struct ior_run *run, struct slice line)
{
    size_t colon = slice_find(line, ": MPI Coordinated Test");

    if (!scan_text(&line, "IOR-") || colon == (size_t)-1)
        return false;
    if (run->began && run->frame.all->runs.count >= MAX_RUNS) {
        run->full = true;
        run->damage = REASON(too_many_runs);
        return true;
    }
    if (run->began)
        frame_next_run(run);
    run->began = true;
    reading_fact(run->frame.reading, "ior.version", "", (struct slice){line.bytes, colon - strlen("IOR-")});
    return true;
}

static void read_line(void *state, struct slice line)
{
    struct ior_run *run = state;

    if (run->full || take_head(run, line))
        return;
    if (slice_starts_one(line, "ior ERROR: ", "ERROR: ") || is_shell_trouble(line))
        frame_fail(&run->frame, line);
    else if (!run->began || take_rank_line(run, line) || take_warning(run, line))
        return;
    else if (slice_starts(line, "Summary of all tests"))
        run->in_summary = true;
    else if (run->in_summary && slice_starts(line, "Finished "))
        run->ended = true;
    else if (!take_row(run, line) && !run->in_summary)
        take_option(run, line);
}

const struct parser parse_ior = {
    .name = "ior",
    .version = 1,
    .summary = "IOR in text: what all tasks of an MPI program write to shared storage and read of it",
    .metrics = METRICS(
        {"ior.*.bandwidth", "GB/s", BETTER_HIGHER, "bytes that all tasks wrote or read in a second"},
        {"ior.*.transfers", "", BETTER_HIGHER, "requests of all tasks in a second"},
        {"ior.*.time", "s", BETTER_NEITHER, "from the first open to the last close"},
        {"ior.wrong", "", BETTER_LOWER, "words (from IOR 4.0 on requests) that are not what was written"}),
    .grammar =
        GRAMMAR(.state_bytes = sizeof(struct ior_run), .flags = FRAME_RUNS, .line = read_line, .end = end),
};
