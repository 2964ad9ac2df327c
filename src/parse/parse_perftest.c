/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perftest: ib_{write,read,send,atomic}_{bw,lat}, client or server or both in one text, all versions; and
 * --out_json (perftest_json.c).
 *
 * facts    perftest.test ("RDMA_Write BW Test"), .device, .qps, .transport, .connection, .link_type, .mtu
 *          ("4096[B]"), .gid_index, .memory ("CUDA"); perftest.error, and of a completion with error
 *          perftest.completion.status, .syndrome, .scnt, .ccnt
 * metrics  rdma.VERB.bandwidth Gb/s at stat=peak|average|port1|port2, rdma.VERB.message_rate Mpps,
 *          rdma.VERB.latency.{min,max,typical,average,stdev,p99,p99_9} us, rdma.VERB.transactions 1/s; all at
 *          size_bytes, and at direction=unidirectional|bidirectional where the title tells (the sum of both
 *          directions is about twice as much). VERB is write, read, send, atomic, write_imm or send_imm, and
 *          unknown where neither title nor command names it. MB/sec and MiB/sec are converted: the tool means
 *          2^20 bytes by both. A peak of 0 was not measured (-D, a server's row) and is no measurement.
 * findings perftest.cpu_frequency, perftest.warning  warning: the tool's own; the numbers stand
 *          perftest.below_limit  fault: the tool was given --limit_bw and says that it is not met
 *          perftest.completion   warning: "Completion with error"; the reading is failed
 *
 * A test is complete when its title was seen and a line of dashes closes each of its tables. Two tables that are
 * open at once are the two sides of one test in one terminal. An error anywhere makes it failed, also after good
 * rows.
 */
#include <ctype.h>
#include <string.h>

#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"
#include "perftest.h"
#include "shell_words.h"

enum { RULE_BYTES = 40, COLUMNS = 16 };

enum column_kind { COLUMN_SIZE, COLUMN_LEVEL, COLUMN_SKIPPED, COLUMN_VALUE };

struct column {
    enum column_kind kind;
    enum perftest_kind value;
    const char *name;
    double factor; /* 0: of an unknown unit, not read */
};

struct log {
    struct frame frame;
    struct perftest_run run;
    struct slice mention; /* "write": the last command named */
    struct column columns[COLUMNS];
    size_t column_count;
    unsigned tables, rows, closings;
    bool begun, title, preamble, after_rule; /* the last line was a rule that counts as a closing */
    double last_size;
    struct slice error;
};

/* --- what the titles and units mean --- */

static const struct {
    const char *title, *verb;
} verbs[] = {
    {"RDMA_Write_imm", "write_imm"}, {"RDMA_Write", "write"}, {"RDMA_Read", "read"},
    {"Send_imm", "send_imm"},        {"Send", "send"},        {"Atomic", "atomic"},
};

bool perftest_title(struct perftest_run *run, struct slice title)
{
    for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
        struct slice rest = title;

        if (!scan_text(&rest, verbs[i].title) || rest.length == 0 || strchr(" _", rest.bytes[0]) == NULL ||
            !slice_ends(rest, "Test") || (!slice_contains(rest, "BW") && !slice_contains(rest, "Latency")))
            continue;
        run->verb = verbs[i].verb;
        run->direction = slice_contains(rest, "Bidirectional") ? "bidirectional" : "unidirectional";
        return true;
    }
    return false;
}

double perftest_bandwidth_factor(struct slice unit)
{
    if (slice_equal(unit, "MB/sec") || slice_equal(unit, "MiB/sec"))
        return 1048576.0 * 8 / 1e9;
    return slice_equal(unit, "Gb/sec") ? 1 : 0;
}

void perftest_measure(const struct perftest_run *run, enum perftest_kind kind, const char *name,
                      double size_bytes, int service_level, double value)
{
    static const struct {
        const char *metric, *unit;
    } kinds[] = {
        [PERFTEST_BANDWIDTH] = {"bandwidth", "Gb/s"},
        [PERFTEST_MESSAGE_RATE] = {"message_rate", "Mpps"},
        [PERFTEST_LATENCY] = {"latency.", "us"},
        [PERFTEST_TRANSACTIONS] = {"transactions", "1/s"},
    };
    struct reading *reading = run->reading;
    struct measurement *measurement;

    if (kind == PERFTEST_BANDWIDTH && value == 0 && strcmp(name, "peak") == 0)
        return;
    measurement = reading_measure(reading,
                                  arena_printf(reading->arena, "rdma.%s.%s%s", run->verb, kinds[kind].metric,
                                               kind == PERFTEST_LATENCY ? name : ""),
                                  "", value, kinds[kind].unit);
    reading_at_number(reading, measurement, "size_bytes", size_bytes);
    if (kind != PERFTEST_LATENCY && name[0] != '\0')
        reading_at_text(reading, measurement, "stat", slice_of(name));
    if (run->direction != NULL)
        reading_at_text(reading, measurement, "direction", slice_of(run->direction));
    if (service_level != PERFTEST_NO_SERVICE_LEVEL)
        reading_at_number(reading, measurement, "service_level", service_level);
}

/* --- runs --- */

static void end_run(struct log *log)
{
    struct reading *reading = log->run.reading;

    if (!log->begun)
        return;
    if (log->tables == 0)
        reading_lacks(reading, REASON(no_result_table));
    if (log->rows == 0)
        reading_lacks(reading, REASON(table_without_rows));
    if (log->closings < log->tables)
        reading_lacks(reading, REASON(table_end_missing));
    if (!log->title)
        reading_lacks(reading, REASON(test_title_missing));
    if (log->error.length > 0)
        reading_failed(reading, reason(reading->arena, text, log->error));
    log->begun = false;
}

static void begin_run(struct log *log)
{
    end_run(log);
    frame_begin_run(&log->frame);
    log->run = (struct perftest_run){.reading = log->frame.reading, .verb = "unknown"};
    log->tables = log->rows = log->closings = 0;
    log->title = log->after_rule = false;
    log->preamble = log->begun = true;
    log->last_size = 0;
    log->error = (struct slice){"", 0};
}

static bool is_closed(const struct log *log)
{
    return log->rows > 0 && log->closings >= log->tables;
}

/* Before something of a test that is not begun yet, or of the next one. */
static void need_run(struct log *log)
{
    if (!log->begun || is_closed(log))
        begin_run(log);
}

/* --- lines --- */

static bool read_rule(struct log *log, struct slice line)
{
    if (!line_is_rule(line, "-", RULE_BYTES))
        return false;
    if (log->begun && log->rows > 0 && !log->preamble) {
        log->closings++;
        log->after_rule = true;
    }
    return true;
}

/* A rule right before a title opens the title's block and closes nothing. */
static bool read_title(struct log *log, struct slice line, bool after_rule)
{
    struct perftest_run title = {.verb = ""};

    if (!perftest_title(&title, line))
        return false;
    if (after_rule && log->closings > 0)
        log->closings--;
    need_run(log);
    log->run.verb = title.verb;
    log->run.direction = title.direction;
    log->title = log->preamble = true;
    reading_fact_once(log->run.reading, "perftest.test", line);
    return true;
}

/* "#bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]" */
static bool take_column(struct slice *rest, struct column *ret_column)
{
    static const struct {
        const char *text;
        struct column column;
    } known[] = {
        {"#bytes", {COLUMN_SIZE, 0, "", 1}},
        {"#iterations", {COLUMN_SKIPPED, 0, "", 1}},
        {"#sl", {COLUMN_LEVEL, 0, "", 1}},
        {"CPU_Util", {COLUMN_SKIPPED, 0, "", 1}},
        {"BW peak", {COLUMN_VALUE, PERFTEST_BANDWIDTH, "peak", 0}},
        {"BW average", {COLUMN_VALUE, PERFTEST_BANDWIDTH, "average", 0}},
        {"BW Port1", {COLUMN_VALUE, PERFTEST_BANDWIDTH, "port1", 0}},
        {"BW Port2", {COLUMN_VALUE, PERFTEST_BANDWIDTH, "port2", 0}},
        {"MsgRate Port1", {COLUMN_VALUE, PERFTEST_MESSAGE_RATE, "port1", 0}},
        {"MsgRate Port2", {COLUMN_VALUE, PERFTEST_MESSAGE_RATE, "port2", 0}},
        {"MsgRate", {COLUMN_VALUE, PERFTEST_MESSAGE_RATE, "", 0}},
        {"t_min", {COLUMN_VALUE, PERFTEST_LATENCY, "min", 0}},
        {"t_max", {COLUMN_VALUE, PERFTEST_LATENCY, "max", 0}},
        {"t_typical", {COLUMN_VALUE, PERFTEST_LATENCY, "typical", 0}},
        {"t_avg", {COLUMN_VALUE, PERFTEST_LATENCY, "average", 0}},
        {"t_stdev", {COLUMN_VALUE, PERFTEST_LATENCY, "stdev", 0}},
        {"99% percentile", {COLUMN_VALUE, PERFTEST_LATENCY, "p99", 0}},
        {"99.9% percentile", {COLUMN_VALUE, PERFTEST_LATENCY, "p99_9", 0}},
        {"tps average", {COLUMN_VALUE, PERFTEST_TRANSACTIONS, "", 1}},
    };
    struct slice unit;
    size_t close;

    for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
        if (!scan_text(rest, known[i].text))
            continue;
        *ret_column = known[i].column;
        if (!scan_text(rest, "["))
            return true;
        close = slice_find(*rest, "]");
        if (close == (size_t)-1)
            return false;
        unit = (struct slice){rest->bytes, close};
        *rest = slice_from(*rest, close + 1);
        if (ret_column->factor != 0)
            return true;
        if (ret_column->value == PERFTEST_BANDWIDTH)
            ret_column->factor = perftest_bandwidth_factor(unit);
        else
            ret_column->factor =
                slice_equal(unit, ret_column->value == PERFTEST_MESSAGE_RATE ? "Mpps" : "usec");
        return true;
    }
    return false;
}

static bool read_header(struct log *log, struct slice line)
{
    if (!slice_starts(line, "#bytes"))
        return false;
    need_run(log);
    if (!log->title && log->mention.length > 0)
        log->run.verb = utf8_clean(log->frame.all->arena, log->mention);
    log->tables++;
    log->preamble = false;
    log->last_size = 0;
    log->column_count = 0;
    for (struct slice rest = line; rest.length > 0; rest = slice_trim(rest)) {
        if (log->column_count == COLUMNS || !take_column(&rest, &log->columns[log->column_count])) {
            log->column_count = 0;
            reading_lacks(log->run.reading, reason(log->run.reading->arena, unknown_column, rest));
            break;
        }
        if (log->columns[log->column_count].factor == 0)
            reading_lacks(log->run.reading, REASON(column_of_unknown_unit));
        log->column_count++;
    }
    return true;
}

/* The numbers of a row, or false when it is none of this table. */
static bool scan_row(const struct log *log, struct slice line, double *ret_values)
{
    struct slice word;
    uint64_t whole;
    size_t count = 0;

    while (scan_word(&line, &word)) {
        if (count == log->column_count || !scan_double(word, &ret_values[count]))
            return false;
        if (log->columns[count].kind != COLUMN_VALUE && log->columns[count].kind != COLUMN_SKIPPED &&
            !scan_u64(word, &whole))
            return false;
        count++;
    }
    return count > 0 && count == log->column_count;
}

/* -a doubles the size from row to row. */
static void check_gap(struct log *log, double size)
{
    if (log->tables == 1 && log->last_size > 0 && size > 2 * log->last_size)
        reading_lacks(log->run.reading, reason(log->run.reading->arena, rows_missing_between,
                                               arena_printf(log->run.reading->arena, "%.0f", log->last_size),
                                               arena_printf(log->run.reading->arena, "%.0f", size)));
    log->last_size = size;
}

static bool read_row(struct log *log, struct slice line)
{
    double values[COLUMNS], size = 0;
    int level = PERFTEST_NO_SERVICE_LEVEL;

    if (!log->begun || log->preamble || log->tables == 0 || !isdigit((unsigned char)line.bytes[0]))
        return false;
    if (!scan_row(log, line, values)) {
        if (is_closed(log))
            return false;
        reading_lacks(log->run.reading, reason(log->run.reading->arena, no_row_of_the_table, line));
        return true;
    }
    for (size_t i = 0; i < log->column_count; i++) {
        if (log->columns[i].kind == COLUMN_SIZE)
            size = values[i];
        else if (log->columns[i].kind == COLUMN_LEVEL)
            level = (int)values[i];
    }
    for (size_t i = 0; i < log->column_count; i++)
        if (log->columns[i].kind == COLUMN_VALUE && log->columns[i].factor != 0)
            perftest_measure(&log->run, log->columns[i].value, log->columns[i].name, size, level,
                             values[i] * log->columns[i].factor);
    log->rows++;
    check_gap(log, size);
    return true;
}

/* "Number of qps   : 1            Transport type : IB" */
static bool read_settings(struct log *log, struct slice line)
{
    static const struct {
        const char *label, *fact;
    } settings[] = {
        {"Device", "perftest.device"},
        {"Number of qps", "perftest.qps"},
        {"Transport type", "perftest.transport"},
        {"Connection type", "perftest.connection"},
        {"Link type", "perftest.link_type"},
        {"Mtu", "perftest.mtu"},
        {"GID index", "perftest.gid_index"},
        {"Data ex. method", NULL},
        {"PCIe relax order", NULL},
    };
    bool found = false;

    for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
        struct slice rest = line, value;

        if (!scan_past(&rest, settings[i].label))
            continue;
        rest = slice_trim(rest);
        if (!scan_text(&rest, ":") || !scan_word(&rest, &value))
            continue;
        found = true;
        need_run(log);
        if (settings[i].fact != NULL)
            reading_fact_once(log->run.reading, settings[i].fact, value);
    }
    return found;
}

/* "Failed status 11: wr_id 0 syndrom 0x0", "scnt=128, ccnt=0" */
static void read_completion(struct log *log, struct slice line)
{
    static const struct {
        const char *mark, *fact;
    } marks[] = {
        {"Failed status ", "perftest.completion.status"},
        {"syndrom ", "perftest.completion.syndrome"},
        {"scnt=", "perftest.completion.scnt"},
        {"ccnt=", "perftest.completion.ccnt"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
        struct slice value = line;
        size_t length = 0;

        if (!scan_past(&value, marks[i].mark))
            continue;
        while (length < value.length && isalnum((unsigned char)value.bytes[length]))
            length++;
        reading_fact_once(log->run.reading, marks[i].fact, (struct slice){value.bytes, length});
    }
}

static bool read_warning(struct log *log, struct slice line)
{
    bool is_frequency =
        slice_contains_one(line, "CPU frequency values", "CPU Frequency is not max", "timestamp frequency");

    if (!is_frequency && !slice_contains_one(line, "WARNING", "Warning:", "warning:", "Note:"))
        return false;
    if (log->begun)
        reading_finding(log->run.reading, SEVERITY_WARNING,
                        is_frequency ? "perftest.cpu_frequency" : "perftest.warning", "",
                        reason(log->run.reading->arena, text, line));
    return true;
}

static bool is_error(struct slice line)
{
    return slice_contains_one(
               line, "Couldn't", "couldn't", "Could not", "Can't ", "Can not ", "Cannot ", "Unable to",
               "unable to", "Failed ", "failed ", " failed", "Completion with error", "error=", "Error ",
               "Error:", "mismatch:", "No IB devices", "not found", "Unexpected ", "state is Down",
               "doesn't support ODP", "Segmentation fault", "Aborted", "Bad wc status", "Killed",
               "Connection refused", "timed out", "Did not detect devices", "Failed:") ||
           is_shell_trouble(line);
}

/* What only this tool says, so that a text of nothing else is known to be its. */
static bool is_own_error(struct slice line)
{
    return slice_contains_one(line, "Couldn't ", "couldn't ", "Unable to ", "Failed to create",
                              "Failed to exchange", "Failed to modify", "Completion with error",
                              "Failed status ", "No IB devices found", "Did not detect devices", "IB device ",
                              "Port number ") ||
           is_shell_trouble(line);
}

static bool read_error(struct log *log, struct slice line)
{
    bool completion = slice_contains(line, "Completion with error") ||
                      slice_contains(line, "Failed status ") || slice_starts(line, "scnt=");

    if (slice_contains(line, "is below bw limit") || slice_contains(line, "is below msg_rate limit")) {
        if (log->begun)
            reading_finding(log->run.reading, SEVERITY_FAULT, "perftest.below_limit", "",
                            reason(log->run.reading->arena, text, line));
        return true;
    }
    if (!completion && !(log->begun ? is_error(line) : is_own_error(line)))
        return false;
    if (!log->begun)
        begin_run(log);
    if (log->error.length == 0) {
        log->error = line;
        reading_fact_once(log->run.reading, "perftest.error", line);
    }
    if (completion) {
        read_completion(log, line);
        reading_finding(log->run.reading, SEVERITY_WARNING, "perftest.completion", "",
                        reason(log->run.reading->arena, text, line));
    }
    return true;
}

/* "ib_read_bw" in a script's line or behind a prompt names the test of a table without a title. */
static void read_mention(struct log *log, struct slice line)
{
    static const char *const names[] = {"write", "read", "send", "atomic"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char tool[32];
        size_t length = strlen(names[i]);

        memcpy(tool, "ib_", 3);
        memcpy(tool + 3, names[i], length);
        memcpy(tool + 3 + length, "_bw", sizeof "_bw");
        if (slice_contains(line, tool))
            log->mention = slice_of(names[i]);
        memcpy(tool + 3 + length, "_lat", sizeof "_lat");
        if (slice_contains(line, tool))
            log->mention = slice_of(names[i]);
    }
}

static void read_line(void *state, struct slice line)
{
    struct log *log = state;
    bool after_rule = log->after_rule;

    log->after_rule = false;
    if (read_rule(log, line) || read_title(log, line, after_rule) || read_header(log, line) ||
        read_row(log, line))
        return;
    read_mention(log, line);
    if (slice_contains(line, "Waiting for client")) {
        need_run(log);
        return;
    }
    if (slice_contains(line, "cuMemAlloc()") && log->begun)
        reading_fact_once(log->run.reading, "perftest.memory", slice_of("CUDA"));
    if (!read_warning(log, line) && !read_settings(log, line))
        read_error(log, line);
}

static bool read_json(void *state, struct slice bytes)
{
    struct log *log = state;

    return perftest_read_json(log->frame.all, bytes);
}

static void end(void *state)
{
    struct log *log = state;

    if (log->begun)
        frame_lacks_end(&log->frame);
    end_run(log);
    if (log->frame.all->runs.count == 0)
        frame_strange(&log->frame);
}

const struct parser parse_perftest = {
    .name = "perftest",
    .version = 1,
    .summary = "perftest: bandwidth, message rate and latency of ib_write_bw, ib_read_lat, ...",
    .metrics = METRICS(
        {"rdma.*.bandwidth", "Gb/s", BETTER_HIGHER, "bandwidth of the test, peak or average", true},
        {"rdma.*.message_rate", "Mpps", BETTER_HIGHER, "messages a second"},
        {"rdma.*.latency.*", "us", BETTER_LOWER,
         "latency: half of the round trip; of read and atomic all of it"},
        {"rdma.*.transactions", "1/s", BETTER_HIGHER, "transactions a second of a latency test by duration"}),
    .grammar =
        GRAMMAR(.state_bytes = sizeof(struct log), .document = read_json, .line = read_line, .end = end),
};
