/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table form. Columns are what its head line names, so that layouts need no version numbers. Head and
 * rows are printed with the same widths; that is what proves a row that had to be put together again after a
 * log line of another rank was written into the middle of it.
 */
#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "nccl_run.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lines.h"
#include "runs.h"

/* What one output may hold of rows, and of runs: of more, a fault is still found, but the reading says that it
 * is not whole. */
enum { MAX_COLUMNS = 32, MAX_ROWS = 16384, MAX_RUNS = 2000, MAX_HOSTS = 4096, ROW_BYTES = 1024 };

enum column { SIZE, COUNT, TYPE, REDOP, ROOT, TIME, ALGBW, BUSBW, WRONG, ERRORS, OTHER, STAMP };

struct text_run {
    struct nccl_run run;
    enum column columns[MAX_COLUMNS];
    size_t edges[MAX_COLUMNS]; /* where the column's text ends */
    size_t column_count;
    bool has_head, has_devices;
    bool is_in_ms;               /* times of this table are milliseconds */
    LIST_OF(struct slice) hosts; /* of the device lines */
    uint64_t listed_ranks;       /* of the device lines so far */
    char head_of_row[ROW_BYTES]; /* a row up to the log line in its middle */
    size_t head_of_row_length;   /* 0: none */
    size_t earlier_rows;         /* of the runs before */
    struct nccl_debug debug;
    const char *prompt; /* the collective that a line before the output names */
};

static void text_damage(struct text_run *text, const struct reason *what)
{
    if (text->run.damage == NULL)
        text->run.damage = what;
}

/* ---- the head line ---- */

static bool column_of(struct slice word, enum column *ret_column)
{
    static const struct {
        const char *name;
        enum column column;
    } names[] = {{"size", SIZE},       {"count", COUNT},  {"type", TYPE},    {"redop", REDOP},
                 {"root", ROOT},       {"time", TIME},    {"cputime", TIME}, {"algbw", ALGBW},
                 {"busbw", BUSBW},     {"#wrong", WRONG}, {"wrong", WRONG},  {"error", ERRORS},
                 {"timestamp", STAMP}, {"bytes", SIZE},   {"N", COUNT},      {"op", REDOP},
                 {"res", ERRORS}};

    *ret_column = OTHER;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (slice_equal(word, names[i].name)) {
            *ret_column = names[i].column;
            return true;
        }
    return false;
}

/* Until 2019 the table said "bytes N type op", and its times were milliseconds. */
static bool is_head(struct slice content, bool *ret_is_first_form)
{
    struct slice word;

    if (content.length == 0 || (content.bytes[0] != 's' && content.bytes[0] != 'b') ||
        !scan_word(&content, &word))
        return false;
    *ret_is_first_form = slice_equal(word, "bytes");
    return (*ret_is_first_form || slice_equal(word, "size")) && scan_word(&content, &word) &&
           slice_equal(word, *ret_is_first_form ? "N" : "count");
}

static bool take_head(struct text_run *text, struct slice line, struct slice content)
{
    struct slice word, rest;
    size_t count = 0;
    bool is_cpu_time = false, is_first_form;

    if (!is_head(content, &is_first_form))
        return false;
    for (rest = content; count < MAX_COLUMNS && scan_word(&rest, &word); count++) {
        column_of(word, &text->columns[count]);
        text->edges[count] = (size_t)(word.bytes + word.length - line.bytes);
        is_cpu_time = is_cpu_time || slice_equal(word, "cputime");
    }
    text->column_count = count;
    text->has_head = text->run.began = true;
    text->run.is_cpu_time = is_cpu_time;
    text->is_in_ms = is_first_form;
    return true;
}

/* ---- rows ---- */

struct scanned_row {
    struct nccl_row row;
    struct slice type, redop; /* of the row, in the line */
    bool bad;                 /* it has the shape of a row, but a value that is none */
};

static void take_value(struct scanned_row *scanned, enum column column, struct slice word, int *place)
{
    struct nccl_cell *cell;
    double value = 0;
    bool known = !slice_equal(word, "N/A");

    if (column == TIME)
        ++*place;
    if (*place < 0 || *place >= PLACES) {
        scanned->bad = true;
        return;
    }
    cell = &scanned->row.cell[*place];
    cell->there = true;
    if (column == WRONG || column == ERRORS) {
        *(column == WRONG ? &cell->has_wrong : &cell->has_error) = known;
        scanned->bad = scanned->bad || (known && !scan_double(word, &value));
        *(column == WRONG ? &cell->wrong : &cell->error) = value;
        return;
    }
    scanned->bad = scanned->bad || !scan_double(word, &value) || value < 0;
    *(column == TIME ? &cell->time : column == ALGBW ? &cell->algbw : &cell->busbw) = value;
}

/* Old layouts leave the cell of the operation empty for collectives that have none. */
static bool redop_is_empty(const struct text_run *text, size_t column, struct slice word)
{
    double number;

    return text->columns[column] == REDOP && scan_double(word, &number);
}

/* Whether the words are a whole row of the table; ret_scanned->bad when they are one that cannot be read. */
static bool scan_row(struct text_run *text, struct slice line, bool must_align,
                     struct scanned_row *ret_scanned)
{
    struct slice rest = line, word;
    uint64_t count;
    size_t column = 0;
    int place = -1;

    *ret_scanned = (struct scanned_row){.row = {.root = -1}};
    for (; column < text->column_count && scan_word(&rest, &word); column++) {
        enum column kind;

        if (redop_is_empty(text, column, word))
            column++;
        if (column >= text->column_count)
            return false;
        kind = text->columns[column];
        if (kind == SIZE ? !scan_u64(word, &ret_scanned->row.size) : kind == COUNT && !scan_u64(word, &count))
            return false;
        if (must_align && column + 1 < text->column_count &&
            (size_t)(word.bytes + word.length - line.bytes) != text->edges[column])
            return false;
        if (kind == TYPE || kind == REDOP) {
            *(kind == TYPE ? &ret_scanned->type : &ret_scanned->redop) = word;
            ret_scanned->bad = ret_scanned->bad || !isalpha((unsigned char)word.bytes[0]);
        } else if (kind == ROOT) {
            ret_scanned->bad = ret_scanned->bad || !scan_i64(word, &ret_scanned->row.root);
        } else if (kind == STAMP) {
            rest = slice_from(rest, rest.length);
        } else if (kind >= TIME && kind <= ERRORS) {
            take_value(ret_scanned, kind, word, &place);
        }
    }
    ret_scanned->bad = ret_scanned->bad || ret_scanned->type.length == 0 || place < 0;
    return column == text->column_count && !scan_word(&rest, &word);
}

/* Whether the line begins as a row does: size and count as wide as the table has them. */
static bool begins_row(const struct text_run *text, struct slice line)
{
    struct slice rest = line, word;
    uint64_t number;

    return text->has_head && scan_word(&rest, &word) && scan_u64(word, &number) && scan_word(&rest, &word) &&
           scan_u64(word, &number);
}

/* The name in the arena, the one of the row before where it is the same. */
static const char *keep_name(struct arena *arena, struct slice name, const char *before)
{
    if (name.length == 0)
        return NULL;
    return before != NULL && slice_equal(name, before) ? before
                                                       : arena_strndup(arena, name.bytes, name.length);
}

/* A row more than is kept: only what it says against the cluster. */
static void leave_out_row(struct text_run *text, const struct nccl_row *row)
{
    text_damage(text, REASON(too_many_rows));
    for (int place = PLACE_OUT; place < PLACES; place++)
        if (row->cell[place].has_wrong && row->cell[place].wrong != 0)
            reading_finding(text->run.reading, SEVERITY_FAULT, "nccl.wrong", "",
                            reason(text->run.reading->arena, wrong_values_at_size,
                                   arena_printf(text->run.reading->arena, "%.0f", row->cell[place].wrong),
                                   row->size));
}

static void add_row(struct text_run *text, const struct scanned_row *scanned)
{
    struct arena *arena = text->run.reading->arena;
    struct nccl_row *row, before = {0};

    if (scanned->bad) {
        text_damage(text, REASON(row_value_is_no_number));
        return;
    }
    if (text->earlier_rows + text->run.rows.count >= MAX_ROWS) {
        leave_out_row(text, &scanned->row);
        return;
    }
    if (text->run.rows.count > 0)
        before = text->run.rows.items[text->run.rows.count - 1];
    row = list_push(arena, &text->run.rows);
    *row = scanned->row;
    row->type = keep_name(arena, scanned->type, before.type);
    row->redop = keep_name(arena, scanned->redop, before.redop);
    for (int place = PLACE_OUT; text->is_in_ms && place < PLACES; place++)
        row->cell[place].time = rint(row->cell[place].time * 1e6) / 1e3;
}

/* ---- rows with a log line in the middle ---- */

/*
 * Where a log line of NCCL ("host:pid:tid [dev] ...") begins in the line; the length when there is none. The
 * host may stand right behind the row's last byte: a name that the device lines gave tells where it begins.
 */
static size_t log_line_at(const struct text_run *text, struct slice line)
{
    size_t mark = 0, start, digit;
    struct slice word;

    for (; mark + 4 < line.length; mark++)
        if (line.bytes[mark] == ' ' && line.bytes[mark + 1] == '[' &&
            isdigit((unsigned char)line.bytes[mark + 2]) && mark > 0 &&
            isdigit((unsigned char)line.bytes[mark - 1]))
            break;
    if (mark + 4 >= line.length)
        return line.length;
    for (start = mark; start > 0 && line.bytes[start - 1] != ' ';)
        start--;
    word = (struct slice){line.bytes + start, mark - start};
    if (slice_find(word, ":") == (size_t)-1)
        return line.length;
    word.length = slice_find(word, ":");
    for (size_t i = 0; i < text->hosts.count; i++) {
        struct slice host = text->hosts.items[i];

        if (host.length <= word.length &&
            memcmp(word.bytes + word.length - host.length, host.bytes, host.length) == 0)
            return start + word.length - host.length;
    }
    /* An unknown host: what a number may end with, then a letter. */
    for (digit = 0; digit < word.length && strchr("0123456789.-", word.bytes[digit]) != NULL;)
        digit++;
    return start + digit;
}

/* Keeps what there is of a row until its rest comes; true when the line was part of one. */
static bool take_piece(struct text_run *text, struct slice line)
{
    size_t log_at = log_line_at(text, line), held = text->head_of_row_length;
    struct slice piece = {line.bytes, log_at}, whole;
    struct scanned_row scanned;

    if (log_at < line.length)
        nccl_debug_line(&text->debug, slice_from(line, log_at), text->run.reading);
    if (slice_trim(piece).length == 0)
        return true;
    text->head_of_row_length = 0;
    if (held + piece.length <= ROW_BYTES) {
        memcpy(text->head_of_row + held, piece.bytes, piece.length);
        whole = (struct slice){text->head_of_row, held + piece.length};
        if (scan_row(text, whole, true, &scanned)) {
            add_row(text, &scanned);
            return true;
        }
        if (log_at < line.length && begins_row(text, whole)) {
            text->head_of_row_length = whole.length;
            return true;
        }
    }
    text_damage(text, REASON(row_broken_by_output));
    return log_at < line.length;
}

/* ---- other lines ---- */

/* "Rank  0 Group  0 Pid  36600 on host device  0 [0x07] NAME"; Group, and Pid too, are missing in old
 * versions. */
static bool take_device(struct text_run *text, struct slice content)
{
    struct slice word, host;
    uint64_t rank, number;

    if (!scan_text(&content, "Rank ") || !scan_word(&content, &word) || !scan_u64(word, &rank) ||
        !scan_word(&content, &word))
        return false;
    if (slice_equal(word, "Group") &&
        (!scan_word(&content, &word) || !scan_u64(word, &number) || !scan_word(&content, &word)))
        return false;
    if (slice_equal(word, "Pid") && (!scan_word(&content, &word) || !scan_word(&content, &word)))
        return false;
    if (!slice_equal(word, "on") || !scan_word(&content, &host) || !scan_word(&content, &word) ||
        !slice_equal(word, "device"))
        return false;
    text->run.began = text->has_devices = true;
    if (rank + 1 > text->listed_ranks)
        text->listed_ranks = rank + 1;
    for (size_t i = 0; i < text->hosts.count; i++)
        if (text->hosts.items[i].length == host.length &&
            memcmp(text->hosts.items[i].bytes, host.bytes, host.length) == 0)
            return true;
    if (text->hosts.count < MAX_HOSTS) {
        host.bytes = arena_strndup(text->run.reading->arena, host.bytes, host.length);
        *list_push(text->run.reading->arena, &text->hosts) = host;
    }
    return true;
}

/* The device lines are over when anything else of the tool follows: only then is their number known. */
static void close_devices(struct text_run *text)
{
    struct nccl_run *run = &text->run;

    if (text->listed_ranks == 0 || run->ranks != 0)
        return;
    run->ranks = text->listed_ranks;
    nccl_fact(run->reading, "nccl.ranks",
              arena_printf(run->reading->arena, "%llu", (unsigned long long)run->ranks));
    nccl_fact(run->reading, "nccl.hosts", arena_printf(run->reading->arena, "%zu", text->hosts.count));
}

static bool number_after(struct slice content, const char *key, double *ret_value)
{
    size_t at = slice_find(content, key);
    struct slice rest, word;

    if (at == (size_t)-1)
        return false;
    rest = slice_from(content, at + strlen(key));
    if (!scan_word(&rest, &word))
        return false;
    for (size_t i = 0; i < word.length; i++)
        if (word.bytes[i] == '(')
            word.length = i;
    return scan_double(word, ret_value);
}

/* "... warmup iters: 5 iters: 20 ..." */
static void tell_iterations(const struct nccl_run *run, struct slice content)
{
    static const char warmup[] = "warmup iters: ";
    size_t at = slice_find(content, warmup);
    double iterations;

    if (at != (size_t)-1 && number_after(slice_from(content, at + strlen(warmup)), " iters: ", &iterations))
        nccl_fact(run->reading, "nccl.iterations", arena_printf(run->reading->arena, "%.0f", iterations));
}

/* "nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: ..." */
static bool take_parameters(struct text_run *text, struct slice content)
{
    struct nccl_run *run = &text->run;
    double validation;

    if (!slice_starts(content, "nThread ") && !slice_starts(content, "nThreads "))
        return false;
    run->began = true;
    run->has_sizes = number_after(content, "minBytes ", &run->min) &&
                     number_after(content, "maxBytes ", &run->max) &&
                     number_after(content, "step: ", &run->step);
    run->step_is_factor = slice_contains(content, "(factor)");
    if (!run->has_sizes)
        text_damage(text, REASON(parameters_damaged));
    tell_iterations(run, content);
    if (number_after(content, "validation: ", &validation))
        nccl_fact(run->reading, "nccl.validation", validation != 0 ? "1" : "0");
    return true;
}

static bool take_version(struct text_run *text, struct slice content)
{
    struct arena *arena = text->run.reading->arena;
    struct slice word;
    double code;

    if (!scan_text(&content, "nccl-tests version ") || !scan_word(&content, &word))
        return false;
    text->run.began = true;
    nccl_fact(text->run.reading, "nccl.tests_version", arena_strndup(arena, word.bytes, word.length));
    if (number_after(content, "nccl-library=", &code) && code > 0 && code < 1e9)
        nccl_fact(text->run.reading, "nccl.version", nccl_version_text(arena, (uint64_t)code));
    return true;
}

/* "Out of bounds values : 0 OK" and "Avg bus bandwidth    : 68.4048" */
static bool take_closing(struct text_run *text, struct slice content)
{
    struct nccl_run *run = &text->run;
    bool is_bounds = scan_text(&content, "Out of bounds values");
    struct slice word;
    double value;

    if (!is_bounds && !scan_text(&content, "Avg bus bandwidth"))
        return false;
    content = slice_trim(content);
    run->began = true;
    if (is_bounds ? run->has_bounds : run->has_average)
        text_damage(text, REASON(closing_line_twice));
    if (!scan_text(&content, ":") || !scan_word(&content, &word) || !scan_double(word, &value)) {
        text_damage(text, REASON(closing_line_damaged));
        return true;
    }
    content = slice_trim(content);
    if (is_bounds && (slice_equal(content, "OK") || slice_equal(content, "FAILED"))) {
        run->has_bounds = true;
        run->out_of_bounds = value;
        run->bounds_failed = slice_equal(content, "FAILED");
    } else if (!is_bounds &&
               (content.length == 0 || slice_equal(content, "OK") || slice_equal(content, "FAILED"))) {
        run->has_average = true;
        run->average = value;
        run->average_failed = slice_equal(content, "FAILED");
    } else
        text_damage(text, REASON(closing_line_damaged));
    return true;
}

static bool take_comment(struct text_run *text, struct slice content)
{
    struct nccl_run *run = &text->run;
    double maximum;

    if (take_version(text, content) || take_parameters(text, content) || take_closing(text, content))
        return true;
    if (scan_text(&content, "Collective test starting: ")) {
        run->began = run->announces_end = true;
        run->collective = nccl_collective_of(slice_trim(content));
        return true;
    }
    if (scan_text(&content, "Collective test concluded: ")) {
        run->concluded = true;
        return true;
    }
    if (slice_starts(content, "Reducing maxBytes to ") && number_after(content, "maxBytes to ", &maximum)) {
        run->max = maximum;
        reading_finding(run->reading, SEVERITY_INFO, "nccl.max_bytes_reduced", "",
                        reason(run->reading->arena, text, content));
        return true;
    }
    if (scan_text(&content, "error: ")) {
        reading_finding(run->reading, SEVERITY_WARNING, "nccl.error", "",
                        reason(run->reading->arena, text, content));
        return true;
    }
    return slice_equal(content, "Using devices") && (run->began = true);
}

/* ---- failures ---- */

static bool points_at_hardware(struct slice text)
{
    static const char *const needles[] = {"uncorrectable",      "ECC error",    "hardware",    "GPU is lost",
                                          "fallen off the bus", "NVLink error", "nvlink error"};

    for (size_t i = 0; i < ARRAY_SIZE(needles); i++)
        if (slice_contains(text, needles[i]))
            return true;
    return false;
}

static void fail(struct text_run *text, const char *code, const char *subject, struct slice line)
{
    struct reading *reading = text->run.reading;

    reading_finding(reading, points_at_hardware(line) ? SEVERITY_FAULT : SEVERITY_WARNING, code, subject,
                    reason(reading->arena, text, line));
    if (text->run.failure == NULL)
        text->run.failure = arena_strndup(reading->arena, line.bytes, line.length);
}

/* "host: Test NCCL failure common.cu:392 '...'", "host: Test timeout (300s) ...", " .. host pid N: Test
 * failure ..." */
static bool take_failure(struct text_run *text, struct slice line)
{
    struct nccl_run *run = &text->run;
    size_t test_at = slice_find(line, ": Test "), failure_at = slice_find(line, " failure ");
    struct slice host = line;
    char subject[256];

    if (test_at == (size_t)-1)
        return false;
    if (slice_contains(line, ": Test failure ")) {
        /* The way back out of a failure, or of a closing that says FAILED. */
        if (run->failure == NULL && !(nccl_run_closed(run) && (run->bounds_failed || run->average_failed)))
            run->failure = arena_strndup(run->reading->arena, line.bytes, line.length);
        return true;
    }
    if (!slice_contains(line, ": Test timeout ") && (failure_at == (size_t)-1 || failure_at < test_at))
        return false;
    host.length = test_at;
    for (size_t i = 0; i < host.length; i++)
        if (host.bytes[i] == ' ') {
            host = slice_from(host, i + 1);
            i = (size_t)-1;
        }
    snprintf(subject, sizeof subject, "%.*s", slice_print(host));
    fail(text, "nccl.failure", subject, slice_trim(line));
    return true;
}

static bool take_launcher_failure(struct text_run *text, struct slice line)
{
    static const char *const needles[] = {
        "launch failed on",
        "start failed on",
        "mpirun was unable to",
        "mpirun noticed that",
        "mpiexec was unable to",
        "Primary job  terminated normally, but",
        "prterun noticed that",
        "returned a non-zero exit code",
        "mpirun has exited due to process rank",
        "exited on signal",
        "There are not enough slots available",
        "There are no allocated resources",
        "ORTE was unable to",
        "ORTE has lost communication",
        "PRTE has lost communication",
        "An ORTE daemon has unexpectedly failed",
        "MPI_ABORT was invoked",
        "MPI_Init",
        "ssh: connect to host",
        "ssh: Could not resolve hostname",
        "Host key verification failed",
        "Permission denied (",
        "srun: error:",
        "slurmstepd: error:",
        "BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES",
        "Invalid number of GPUs:",
        "error while loading shared libraries",
        "command not found",
        "Segmentation fault",
        "Caught signal",
        "CXI alloc failed",
        "Bus error",
        "Out Of Memory",
        "DUE TO TIME LIMIT",
        "Incompatible NCCL versions",
        "invalid size specified",
        "invalid sizes for",
    };
    const struct nccl_run *run = &text->run;

    for (size_t i = 0; i < ARRAY_SIZE(needles); i++)
        if (slice_contains(line, needles[i])) {
            /* The tool exits with an error after a FAILED of its own. */
            if (!(nccl_run_closed(run) && (run->bounds_failed || run->average_failed)))
                fail(text, "nccl.launch_failed", "", slice_trim(line));
            return true;
        }
    return false;
}

/* A line that is no row and ends as one: what another rank wrote before it ("#", say) must not take it out of the table. */
static bool hides_row(struct text_run *text, struct slice line)
{
    char row[ROW_BYTES];
    struct scanned_row scanned;
    struct slice word;

    if (!text->has_head || line.length + 1 > ROW_BYTES)
        return false;
    row[0] = '0'; /* for the size, of which the end may stand in a word with what is before it */
    while (scan_word(&line, &word)) {
        memcpy(row + 1, line.bytes, line.length);
        if (scan_row(text, (struct slice){row, line.length + 1}, false, &scanned))
            return true;
    }
    return false;
}

/* ---- the whole ---- */

static void take_prompt(struct text_run *text, struct slice line)
{
    struct slice word;

    if (!slice_contains(line, "_perf"))
        return;
    while (scan_word(&line, &word))
        if (nccl_collective_of(word) != NULL)
            text->prompt = nccl_collective_of(word);
}

static void take_line(struct text_run *text, struct slice line)
{
    struct slice content = slice_trim(line);
    bool is_comment = slice_starts(content, "#");
    struct scanned_row scanned;

    while (scan_text(&content, "#"))
        content = slice_trim(content);
    if (is_comment && text->head_of_row_length > 0) {
        text->head_of_row_length = 0;
        text_damage(text, REASON(row_broken_by_output));
    }
    if (take_device(text, content))
        return;
    if (is_comment || text->has_head)
        close_devices(text);
    if (content.length == 0)
        return;
    if (take_head(text, line, content) || take_comment(text, content)) {
        close_devices(text);
        return;
    }
    if (text->has_head && text->head_of_row_length == 0 && scan_row(text, line, false, &scanned)) {
        add_row(text, &scanned);
        return;
    }
    if (take_failure(text, line)) {
        close_devices(text);
        return;
    }
    if ((text->head_of_row_length > 0 || begins_row(text, line)) && take_piece(text, line))
        return;
    if (nccl_debug_line(&text->debug, line, text->run.reading) || take_launcher_failure(text, line))
        return;
    if (!text->has_head)
        take_prompt(text, content);
    else if (hides_row(text, line))
        text_damage(text, REASON(row_behind_other_output));
}

static void finish(struct text_run *text)
{
    if (text->head_of_row_length > 0)
        text_damage(text, REASON(row_broken_by_output));
    if (text->run.collective == NULL)
        text->run.collective = text->prompt;
    nccl_debug_finish(&text->debug, text->run.reading);
    nccl_run_finish(&text->run);
}

/* Another test begins: with its version or start line, its parameters, or its table. */
static bool begins_run(const struct text_run *text, struct slice line)
{
    struct slice content = slice_trim(line);
    bool is_comment = scan_text(&content, "#"), is_first_form;
    bool over = text->run.has_average || text->run.failure != NULL;

    content = slice_trim(content);
    if (slice_starts(content, "nccl-tests version "))
        return text->run.began;
    if (slice_starts(content, "Collective test starting: "))
        return text->run.announces_end || text->run.has_sizes || text->has_head;
    if (slice_starts(content, "nThread "))
        return text->run.has_sizes || text->has_head || text->has_devices;
    if (over && !is_comment && nccl_run_closed(&text->run) && slice_contains(content, "_perf"))
        return true;
    return text->has_head && is_head(content, &is_first_form);
}

/* A prompt or a word about the program after the last run is no run. */
static void drop_empty_end(const struct text_run *text, struct reading *reading)
{
    if (text->run.began || text->run.failure != NULL || text->run.reading->findings.count > 0 ||
        reading->runs.count < 2)
        return;
    reading->runs.count--;
}

/*
 * A log may be nearly all lines of this kind, so they go no further: nothing that a line of the tool begins
 * with fits them. Those that another line was written into do not end here.
 */
static bool skip_info(void *context, struct slice line)
{
    struct text_run *text = context;

    if (!nccl_debug_is_old(&text->debug, line) || text->head_of_row_length > 0 ||
        (text->run.has_average && nccl_run_closed(&text->run) && slice_contains(line, "_perf")))
        return false;
    if (text->has_head)
        close_devices(text);
    return true;
}

void nccl_text(struct source *source, struct reading *reading)
{
    struct text_run text = {.run = {.reading = runs_begin(reading)}};
    cleanup_lines struct line_reader reader = {0};
    struct line line;

    lines_open(&reader, source, LINES_RANKS);
    reader.skip = skip_info;
    reader.skip_context = &text;
    reader.skip_never = "Test "; /* a failure of the tool may be written into a line */
    while (lines_next(&reader, &line)) {
        if (begins_run(&text, line.text)) {
            if (reading->runs.count < MAX_RUNS) {
                size_t rows = text.earlier_rows + text.run.rows.count;

                finish(&text);
                text = (struct text_run){.run = {.reading = runs_begin(reading)}, .earlier_rows = rows};
            } else {
                text_damage(&text, REASON(too_many_runs));
            }
        }
        take_line(&text, line.text);
    }
    /* What failed has failed, whatever else its line would have said. */
    line.text = lines_tail(&reader);
    if (!take_failure(&text, line.text))
        take_launcher_failure(&text, line.text);
    finish(&text);
    drop_empty_end(&text, reading);
}
