/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elbencho's table on the console: of each phase how long it took and what was moved, in two columns: until the first of all
 * threads had done its part, and until the last had. It is the last that is told here. A run begins with the head of a table.
 *
 *   OPERATION   RESULT TYPE         FIRST DONE   LAST DONE
 *   =========== ================    ==========   =========
 *   WRITE       Elapsed time     :    2m3.241s    2m5.755s      (up to 1.x: "Elapsed ms")
 *               IOPS             :       33395       33352
 *               Throughput MiB/s :       33395       33352      (older: "MiB/s"; with --base10 "Throughput MB/s")
 *               Total MiB        :     4115703     4194304
 *               Svc compl. time  : [ 10.0.0.2:1611=2m3.241s 10.0.0.1:1611=2m5.755s ]      (with --svcelapsed)
 *   ---
 *
 * fact     elbencho.version   where `elbencho --version` stands before it
 * metrics  elbencho.write.bandwidth, elbencho.read.bandwidth   GB/s, of all hosts together
 *          elbencho.write.iops, .read.iops, .time (s)          likewise
 *          elbencho.write.host_time, .read.host_time           s, of "10.0.0.1:1611": until its last thread had done its part
 *          all at run=1, run=2, ...: the table that they stand in
 * finding  elbencho.wrong   fault: what was read is not what was written (--verify)
 *
 * Its columns are of whole numbers. A phase is whole when the line below it is there. Of other phases than WRITE and READ nothing is told.
 */
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"
#include "shell_words.h"

#define MIB 1048576.0
enum { MAX_RUNS = 100, PHASES = 2 };

static const struct phase {
    const char *name, *word;
} phases[PHASES] = {{"WRITE", "write"}, {"READ", "read"}};

struct elbencho_run {
    struct frame frame;
    const struct phase *phase; /* that the rows are of; NULL: of none, or of another */
    bool began, full, open, moved[PHASES];
    const struct reason *damage; /* why the text cannot be whole */
    bool wrong;
    struct slice host; /* "Errors on host 10.0.0.2:1611:", which the errors themselves follow */
    const char *
        at; /* "10.0.0.2:1611", of the newer "=== [ HOST: 10.0.0.2:1611 (Rank: 1) ] ===", until "=== [ END ] ==="; NULL */
    bool by_system; /* the failure that is kept says what the system said */
};

/* -- Numbers -- */

/* "1h2m3s", "2m5.755s", "19.507s", "341ms" */
static bool scan_elapsed(struct slice word, double *ret_seconds)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"h", 3600}, {"ms", 0.001}, {"m", 60}, {"s", 1}};

    *ret_seconds = 0;
    if (word.length == 0)
        return false;
    while (word.length > 0) {
        size_t length = 0, row = 0;
        double number;

        while (length < word.length && memchr("0123456789.", word.bytes[length], 11) != NULL)
            length++;
        if (!scan_double((struct slice){word.bytes, length}, &number))
            return false;
        word = slice_from(word, length);
        while (row < ARRAY_SIZE(units) && !scan_text(&word, units[row].unit))
            row++;
        if (row == ARRAY_SIZE(units))
            return false;
        *ret_seconds += number * units[row].seconds;
    }
    return true;
}

static void tell(struct elbencho_run *run, const char *what, const char *subject, double value,
                 const char *unit)
{
    struct reading *reading = run->frame.reading;
    struct measurement *measurement =
        reading_measure(reading, arena_printf(reading->arena, "elbencho.%s.%s", run->phase->word, what),
                        subject, value, unit);

    reading_at_number(reading, measurement, "run", (double)run->frame.all->runs.count);
}

/* -- Rows -- */

static bool take_time(struct elbencho_run *run, struct slice last, double factor)
{
    double seconds;

    if (factor > 0 ? !scan_double(last, &seconds) : !scan_elapsed(last, &seconds))
        return false;
    tell(run, "time", "", factor > 0 ? seconds * factor : seconds, "s");
    return true;
}

static bool take_rate(struct elbencho_run *run, struct slice last, double factor)
{
    double number;

    if (!scan_double(last, &number))
        return false;
    tell(run, factor > 0 ? "bandwidth" : "iops", "", factor > 0 ? number * factor / 1e9 : number,
         factor > 0 ? "GB/s" : "");
    return true;
}

static bool take_total(struct elbencho_run *run, struct slice last, double factor)
{
    double number;

    (void)factor;
    run->moved[run->phase - phases] = scan_double(last, &number);
    return run->moved[run->phase - phases];
}

static const struct row {
    const char *label;
    bool (*take)(struct elbencho_run *run, struct slice last, double factor);
    double factor;
} rows[] = {
    {"Elapsed time", take_time, 0}, {"Elapsed ms", take_time, 0.001},    {"Throughput MiB/s", take_rate, MIB},
    {"MiB/s", take_rate, MIB},      {"Throughput MB/s", take_rate, 1e6}, {"MB/s", take_rate, 1e6},
    {"IOPS", take_rate, 0},         {"Total MiB", take_total, 0},
};

/* "[ 10.0.0.2:1611=2m3.241s 10.0.0.1:1611=2m5.755s ]" */
static void take_hosts(struct elbencho_run *run, struct slice rest)
{
    struct slice word;
    double seconds;

    while (scan_word(&rest, &word)) {
        size_t equals = slice_find(word, "=");

        if (equals == (size_t)-1)
            continue;
        if (scan_elapsed(slice_from(word, equals + 1), &seconds))
            tell(run, "host_time", utf8_clean(run->frame.reading->arena, (struct slice){word.bytes, equals}),
                 seconds, "s");
        else
            run->damage = REASON(summary_row_damaged);
    }
}

/* "WRITE       Elapsed time": another phase. */
static void begin_phase(struct elbencho_run *run, struct slice *label)
{
    size_t at = slice_find(*label, "Elapsed ");

    if (at == (size_t)-1)
        return;
    run->phase = NULL;
    run->open = true;
    for (size_t i = 0; i < PHASES; i++)
        if (slice_equal(slice_trim((struct slice){label->bytes, at}), phases[i].name))
            run->phase = &phases[i];
    *label = slice_from(*label, at);
}

static void take_row(struct elbencho_run *run, struct slice line)
{
    size_t colon = slice_find(line, ":");
    struct slice label, rest, first, last;

    if (colon == (size_t)-1)
        return;
    label = slice_trim((struct slice){line.bytes, colon});
    rest = slice_from(line, colon + 1);
    begin_phase(run, &label);
    if (run->phase == NULL)
        return;
    if (slice_equal(label, "Svc compl. time")) {
        take_hosts(run, rest);
        return;
    }
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (slice_equal(label, rows[i].label) && (!scan_word(&rest, &first) || !scan_word(&rest, &last) ||
                                                  !rows[i].take(run, last, rows[i].factor)))
            run->damage = REASON(summary_row_damaged);
}

/* -- What went wrong -- */

/* A line that begins so, but for the time. In others it is the name of a file, and what happened to that is told there. */
static bool begins_with(struct slice line, const char *mark, struct slice *ret_rest)
{
    size_t at = slice_find(line, mark);

    for (size_t i = 0; at != (size_t)-1 && i < at; i++)
        if (memchr("0123456789:. ", line.bytes[i], strlen("0123456789:. ")) == NULL)
            return false;
    *ret_rest = slice_from(line, at != (size_t)-1 ? at + strlen(mark) : line.length);
    return at != (size_t)-1;
}

static bool take_whose(struct elbencho_run *run, struct slice line)
{
    struct slice rest, word;

    if (begins_with(line, "=== [ END ]", &rest))
        run->at = NULL;
    else if (begins_with(line, "=== [ HOST: ", &rest))
        run->at = scan_word(&rest, &word) ? utf8_clean(run->frame.reading->arena, word) : NULL;
    else
        return false;
    return true;
}

/* What the system said is the best word of what happened: the line before it only tells which request it was. */
static void fail_at(struct elbencho_run *run, struct slice line)
{
    struct arena *arena = run->frame.reading->arena;
    bool by_system = slice_find(line, "SysErr: ") != (size_t)-1;

    if (by_system && !run->by_system)
        run->frame.failure = (struct slice){0};
    run->by_system |= by_system;
    frame_fail(&run->frame, run->at != NULL ? slice_of(arena_printf(arena, "%s: %.*s", run->at,
                                                                    slice_print(slice_trim(line))))
                                            : line);
}

/* Lines of a host's own errors come with those of who started it. */
static bool take_trouble(struct elbencho_run *run, struct slice line)
{
    size_t error = slice_find(line, "ERROR: "), wrong = slice_find(line, "Data verification failed");

    if (wrong != (size_t)-1) {
        const struct reason *said = reason_quote(run->frame.reading->arena, slice_from(line, wrong));

        run->wrong = true;
        reading_finding(run->frame.reading, SEVERITY_FAULT, "elbencho.wrong", "",
                        run->at != NULL ? reason(run->frame.reading->arena, about, run->at, said) : said);
        return true;
    }
    if (error == (size_t)-1 && slice_find(line, "SysErr: ") == (size_t)-1 && !is_shell_trouble(line))
        return false;
    if (error != (size_t)-1)
        line = slice_from(line, error + strlen("ERROR: "));
    if (slice_starts(line, "Errors on host "))
        run->host = line;
    else
        fail_at(run, line);
    return true;
}

static bool take_head(struct elbencho_run *run, struct slice line)
{
    struct slice rest = line;

    if (scan_text(&rest, "* Version: "))
        reading_fact_once(run->frame.reading, "elbencho.version", slice_trim(rest));
    else if (!slice_starts(line, "OPERATION ") || slice_find(line, "LAST DONE") == (size_t)-1)
        return false;
    else if (run->began && run->frame.all->runs.count >= MAX_RUNS)
        run->full = true;
    else if (run->began)
        frame_next_run(run);
    run->began |= slice_starts(line, "OPERATION ");
    return true;
}

static void read_line(void *state, struct slice line)
{
    struct elbencho_run *run = state;

    if (run->full || take_whose(run, line) || take_head(run, line) || take_trouble(run, line) || !run->began)
        return;
    if (slice_equal(line, "---")) {
        if (run->phase != NULL && !run->moved[run->phase - phases])
            run->damage = REASON(summary_row_damaged);
        run->open = false;
        run->phase = NULL;
        return;
    }
    take_row(run, line);
}

static void end(void *state)
{
    struct elbencho_run *run = state;
    struct reading *reading = run->frame.reading;

    /* What it did not move is then no wonder. */
    if (run->wrong) {
        run->frame.failure = (struct slice){0};
        return;
    }
    if (run->host.length > 0 && run->frame.failure.length == 0)
        frame_fail(&run->frame, run->host);
    if (!run->began)
        frame_strange(&run->frame);
    if (run->full)
        reading_lacks(reading, REASON(too_many_runs));
    if (run->damage != NULL)
        reading_lacks(reading, run->damage);
    if (run->open || (!run->moved[0] && !run->moved[1]))
        reading_lacks(reading, REASON(closing_line_missing));
}

static const struct metric metrics[] = {
    {"elbencho.*.bandwidth", "GB/s", BETTER_HIGHER, "bytes that all hosts wrote or read in a second"},
    {"elbencho.*.iops", "", BETTER_HIGHER, "requests of all hosts in a second"},
    {"elbencho.*.time", "s", BETTER_NEITHER, "until the last thread of all hosts had done its part"},
    {"elbencho.*.host_time", "s", BETTER_NEITHER, "until the last thread of that host had"},
    {0},
};

const struct parser parse_elbencho = {
    .name = "elbencho",
    .version = 1,
    .summary = "elbencho's table: what all hosts write to shared storage and read of it",
    .metrics = metrics,
    .grammar =
        &(const struct grammar){
            .state_bytes = sizeof(struct elbencho_run), .flags = FRAME_RUNS, .line = read_line, .end = end},
};
