/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvbandwidth: matrices of copies between host and GPUs, as text or as JSON (-j).
 *
 * subject  the cell as the title names rows and columns: "cpu0->gpu3", "gpu0<-gpu1", "cpu0<->gpu2"; "gpu3"
 *          where only the column is one ("All Gpus -> GPU(column)")
 * facts    nvbandwidth.version, driver.version, cuda.version ("12.4"), gpu.name (gpu0)
 *          nvbandwidth.gpus          columns of the widest matrix
 *          nvbandwidth.test          passed, waived, error (subject: the test case)
 *          nvbandwidth.waived.count  tests that the tool left out; the text does not say which
 * metrics  nvbandwidth.TESTCASE GB/s (of latencies us), nvbandwidth.TESTCASE.sum, .min, .max, .avg
 * findings nvbandwidth.error fault: copied data were wrong; warning: CUDA or the tool failed
 *
 * A test is whole when its sum was seen and is the sum of its cells. Since 0.4 the text ends with a note; of
 * a text without one the tool's version must be of the older ones, whose note comes first.
 */
#include <math.h>
#include <string.h>

#include "assay/base/json.h"
#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"
#include "frame.h"
#include "loose_json.h"

enum { MAX_COLUMNS = 1024 };

struct matrix {
    const char *test;               /* "device_to_device_memcpy_read_ce_total"; NULL: none is open */
    const char *row, *arrow, *tail; /* of the subject: "cpu", "->", "gpu" */
    bool latency, has_head;
    size_t width, rows;
    double sum;
};

struct samples {
    struct frame frame;
    struct matrix matrix;
    const char *running; /* the test case of the last "Running" line; NULL when it has its sum */
    size_t sums, widest, waived;
    bool began, noted_first, closed;
};

static void fact_once(struct samples *samples, const char *name, struct slice value)
{
    samples->began = true;
    reading_fact_once(samples->frame.reading, name, value);
}

/* 12040 and 13.3 alike. */
static void set_cuda(struct samples *samples, struct slice value)
{
    uint64_t number;

    if (scan_u64(value, &number) && number >= 1000)
        value =
            slice_of(arena_printf(samples->frame.reading->arena, "%llu.%llu",
                                  (unsigned long long)number / 1000, (unsigned long long)number % 1000 / 10));
    fact_once(samples, "cuda.version", value);
}

static bool is_latency(const char *test)
{
    return strstr(test, "latency") != NULL;
}

/* In GB/s, or us for the tool's ns. */
static void measure(struct samples *samples, const char *test, const char *suffix, const char *subject,
                    double value)
{
    struct reading *reading = samples->frame.reading;
    bool latency = is_latency(test);

    reading_measure(reading, arena_printf(reading->arena, "nvbandwidth.%s%s", test, suffix), subject,
                    latency ? value / 1000 : value, latency ? "us" : "GB/s");
}

/*
 * "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)", "memcpy CE All Gpus <- GPU(column) total ...",
 * "memcpy CE GPU(row) <-> GPU(column) Read1 bandwidth": who is in the rows, and which way it goes.
 */
static bool read_title(struct slice line, struct matrix *matrix)
{
    static const char *const arrows[] = {"<->", "->", "<-"};
    size_t row = slice_find(line, "(row)");

    matrix->row = matrix->arrow = "";
    matrix->tail = "gpu";
    if (!slice_contains(line, "(column)"))
        return false;
    if (row == (size_t)-1)
        return true;
    matrix->row = slice_ends((struct slice){line.bytes, row}, "CPU") ? "cpu" : "gpu";
    for (size_t i = 0; i < ARRAY_SIZE(arrows); i++)
        if (slice_contains(line, arrows[i])) {
            matrix->arrow = arrows[i];
            return true;
        }
    return false;
}

/* The parts of a bidirectional test are told apart by a word in their titles, and by their sums' names. */
static const char *part_of(struct slice line)
{
    static const struct {
        const char *word, *suffix;
    } parts[] = {{" Read1 ", "_read1"},
                 {" Read2 ", "_read2"},
                 {" Write1 ", "_write1"},
                 {" Write2 ", "_write2"},
                 {" Total ", "_total"}};

    for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
        if (slice_contains(line, parts[i].word))
            return parts[i].suffix;
    return "";
}

static const char *cell_subject(const struct samples *samples, size_t row, size_t column)
{
    const struct matrix *matrix = &samples->matrix;
    struct arena *arena = samples->frame.reading->arena;

    if (*matrix->row == '\0')
        return arena_printf(arena, "%s%zu", matrix->tail, column);
    return arena_printf(arena, "%s%zu%s%s%zu", matrix->row, row, matrix->arrow, matrix->tail, column);
}

static void take_cell(struct samples *samples, size_t row, size_t column, struct slice text, double value)
{
    struct matrix *matrix = &samples->matrix;
    bool itself = strcmp(matrix->row, matrix->tail) == 0 && row == column;

    matrix->sum += value;
    if (slice_equal(text, "N/A") || (itself && value == 0))
        return;
    measure(samples, matrix->test, "", cell_subject(samples, row, column), value);
}

static bool cell_value(struct slice text, double *ret_value)
{
    *ret_value = 0;
    return slice_equal(text, "N/A") || (scan_double(text, ret_value) && *ret_value >= 0);
}

static bool take_title(struct samples *samples, struct slice line)
{
    struct matrix matrix = {0};

    if (!slice_ends(line, "(GB/s)") && !slice_ends(line, "(ns)") && !slice_ends(line, "(us)"))
        return false;
    if (!read_title(line, &matrix))
        return false;
    samples->began = true;
    if (samples->running == NULL) {
        reading_lacks(samples->frame.reading, REASON(matrix_without_test));
        return true;
    }
    matrix.test = arena_printf(samples->frame.reading->arena, "%s%s", samples->running, part_of(line));
    samples->matrix = matrix;
    return true;
}

static bool take_head(struct samples *samples, struct slice line)
{
    struct matrix *matrix = &samples->matrix;
    struct slice word;
    uint64_t column;
    size_t width = 0;

    if (matrix->test == NULL || matrix->has_head)
        return false;
    for (; scan_word(&line, &word); width++)
        if (!scan_u64(word, &column) || column != width || width == MAX_COLUMNS)
            return false;
    matrix->has_head = width > 0;
    matrix->width = width;
    if (width > samples->widest)
        samples->widest = width;
    return matrix->has_head;
}

static bool take_row(struct samples *samples, struct slice line)
{
    struct matrix *matrix = &samples->matrix;
    struct slice words[MAX_COLUMNS], word;
    double values[MAX_COLUMNS];
    uint64_t index;
    size_t count = 0;

    if (matrix->test == NULL || !matrix->has_head || !scan_word(&line, &word) || !scan_u64(word, &index))
        return false;
    while (count < matrix->width && scan_word(&line, &words[count]) &&
           cell_value(words[count], &values[count]))
        count++;
    if (index != matrix->rows || count < matrix->width || scan_word(&line, &word)) {
        reading_lacks(samples->frame.reading,
                      reason(samples->frame.reading->arena, matrix_row_damaged, matrix->test));
        return true;
    }
    for (size_t i = 0; i < count; i++)
        take_cell(samples, matrix->rows, i, words[i], values[i]);
    matrix->rows++;
    return true;
}

/* The open matrix against its sum: what was printed with two digits adds up to about that. */
static void close_matrix(struct samples *samples, const char *test, double sum)
{
    struct matrix *matrix = &samples->matrix;
    double slack = 0.006 * (double)(matrix->rows * matrix->width + 1) + 1e-6 * fabs(sum);

    if (matrix->test != NULL && strcmp(matrix->test, test) != 0)
        reading_lacks(samples->frame.reading,
                      reason(samples->frame.reading->arena, sum_of_other_matrix, test));
    else if (matrix->test != NULL && fabs(matrix->sum - sum) > slack)
        reading_lacks(samples->frame.reading, reason(samples->frame.reading->arena, sum_not_of_cells, test));
    else if (matrix->test != NULL && strcmp(matrix->row, "gpu") == 0 && matrix->rows != matrix->width)
        reading_lacks(samples->frame.reading, reason(samples->frame.reading->arena, matrix_lacks_rows, test));
    samples->matrix = (struct matrix){0};
}

/* "SUM host_to_device_memcpy_ce 442.52", and MIN, MAX, AVG in verbose outputs */
static bool take_sum(struct samples *samples, struct slice line)
{
    static const struct {
        const char *word, *suffix;
    } kinds[] = {{"SUM ", ".sum"}, {"MIN ", ".min"}, {"MAX ", ".max"}, {"AVG ", ".avg"}};

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        struct slice rest = line, name, number, more;
        const char *test;
        double value;

        if (!scan_text(&rest, kinds[i].word) || !scan_word(&rest, &name) || !scan_word(&rest, &number) ||
            scan_word(&rest, &more) || !scan_double(number, &value))
            continue;
        samples->began = true;
        test = utf8_clean(samples->frame.reading->arena, name);
        measure(samples, test, kinds[i].suffix, "", value);
        if (i > 0)
            return true;
        close_matrix(samples, test, value);
        samples->sums++;
        reading_fact(samples->frame.reading, "nvbandwidth.test", test, slice_of("passed"));
        if (samples->running != NULL && slice_starts(name, samples->running) &&
            (name.length == strlen(samples->running) || slice_ends(name, "_total")))
            samples->running = NULL;
        return true;
    }
    return false;
}

static void end_test(struct samples *samples)
{
    if (samples->running != NULL)
        reading_lacks(samples->frame.reading,
                      reason(samples->frame.reading->arena, matrix_without_sum, samples->running));
    samples->running = NULL;
    samples->matrix = (struct matrix){0};
}

/* "Running host_to_device_memcpy_ce." */
static bool take_running(struct samples *samples, struct slice line)
{
    if (!scan_text(&line, "Running ") || !slice_ends(line, ".") || slice_contains(line, " "))
        return false;
    end_test(samples);
    line.length--;
    samples->began = true;
    samples->running = utf8_clean(samples->frame.reading->arena, line);
    return true;
}

static bool take_device(struct samples *samples, struct slice line)
{
    struct arena *arena = samples->frame.reading->arena;
    uint64_t index;
    size_t address;

    if (!scan_text(&line, "Device ") || !scan_digits(&line, &index) || !scan_text(&line, ": "))
        return false;
    address = slice_find(line, " (0");
    if (address != (size_t)-1)
        line.length = address;
    reading_fact(samples->frame.reading, "gpu.name",
                 arena_printf(arena, "gpu%llu", (unsigned long long)index), slice_trim(line));
    return true;
}

static bool take_about(struct samples *samples, struct slice line)
{
    if (scan_text(&line, "nvbandwidth Version:")) {
        fact_once(samples, "nvbandwidth.version", slice_trim(line));
    } else if (scan_text(&line, "CUDA Driver Version:")) {
        set_cuda(samples, slice_trim(line));
    } else if (scan_text(&line, "Driver Version:")) {
        fact_once(samples, "driver.version", slice_trim(line));
    } else if (slice_starts(line, "Waived:")) {
        samples->waived++;
        samples->running = NULL;
    } else if (slice_starts(line, "NOTE: This tool reports current measured bandwidth")) {
        samples->noted_first = true;
    } else if (slice_starts(line, "Performance can vary with software drivers")) {
        samples->closed = true;
    } else {
        return false;
    }
    samples->began = true;
    return true;
}

static void take_failure(struct samples *samples, struct slice line)
{
    struct reading *reading = samples->frame.reading;

    if (slice_contains(line, "Invalid value when checking the pattern")) {
        reading_finding(reading, SEVERITY_FAULT, "nvbandwidth.error", "",
                        reason(reading->arena, copied_data_wrong, line));
        return;
    }
    if (slice_contains_one(line, "CUDA_ERROR", "cudaError", "CUDA error", "Invalid CUDA", "NVML_ERROR",
                           "[NVML", "ERROR:", "Error:", "Error ", "command not found", "not found",
                           "Segmentation fault", "error while loading shared libraries")) {
        reading_finding(reading, SEVERITY_WARNING, "nvbandwidth.error", "",
                        reason(reading->arena, text, line));
        frame_fail(&samples->frame, slice_of(utf8_clean(reading->arena, line)));
    }
}

static void take_line(struct samples *samples, struct slice line)
{
    if (take_about(samples, line) || take_running(samples, line) || take_title(samples, line) ||
        take_sum(samples, line) || take_head(samples, line) || take_row(samples, line) ||
        take_device(samples, line))
        return;
    take_failure(samples, line);
}

/* JSON */

static struct slice cell_text(struct arena *arena, const struct json *cell)
{
    char buffer[32];

    if (cell->type == JSON_NUMBER)
        return slice_of(arena_strdup(arena, number_text(cell->number, buffer, sizeof buffer)));
    return slice_of(cell->type == JSON_STRING ? cell->string : "");
}

static void json_row(struct samples *samples, const struct json *row, size_t index)
{
    size_t column = 0;

    if (row->count > samples->widest)
        samples->widest = row->count;
    json_each (cell, row) {
        struct slice text = cell_text(samples->frame.reading->arena, cell);
        double value;

        if (!cell_value(text, &value))
            reading_lacks(samples->frame.reading,
                          reason(samples->frame.reading->arena, cell_is_no_number, samples->matrix.test));
        else
            take_cell(samples, index, column, text, value);
        column++;
    }
}

static void json_matrix(struct samples *samples, const struct json *testcase, const char *name)
{
    const struct json *rows = json_get(testcase, "bandwidth_matrix"), *sum = json_get(testcase, "sum");
    const char *title = json_string(testcase, "bandwidth_description", "");
    struct matrix matrix = {.test = name};
    size_t index = 0;

    if (!read_title(slice_of(title), &matrix) || rows == NULL || rows->count == 0 || sum == NULL ||
        sum->type != JSON_NUMBER) {
        reading_lacks(samples->frame.reading, reason(samples->frame.reading->arena, no_whole_matrix, name));
        return;
    }
    samples->matrix = matrix;
    json_each (row, rows)
        json_row(samples, row, index++);
    measure(samples, name, ".sum", "", sum->number);
    if (fabs(samples->matrix.sum - sum->number) > 0.006 + 1e-4 * fabs(sum->number))
        reading_lacks(samples->frame.reading, reason(samples->frame.reading->arena, sum_not_of_cells, name));
    samples->matrix = (struct matrix){0};
}

static void json_testcase(struct samples *samples, const struct json *testcase)
{
    struct reading *reading = samples->frame.reading;
    const char *name = json_string(testcase, "name", ""), *status = json_string(testcase, "status", "");
    const char *error = json_string(testcase, "error", NULL);

    if (*name == '\0')
        return;
    if (error != NULL) {
        reading_finding(reading, strstr(error, "Invalid value") != NULL ? SEVERITY_FAULT : SEVERITY_WARNING,
                        "nvbandwidth.error", "", reason(reading->arena, about, name, error));
        frame_fail(&samples->frame, slice_of(error));
    }
    if (strcmp(status, "Passed") == 0) {
        samples->sums++;
        reading_fact(reading, "nvbandwidth.test", name, slice_of("passed"));
        json_matrix(samples, testcase, name);
    } else if (strcmp(status, "Waived") == 0) {
        samples->waived++;
        reading_fact(reading, "nvbandwidth.test", name, slice_of("waived"));
    } else {
        reading_fact(reading, "nvbandwidth.test", name, slice_of("error"));
        reading_lacks(reading, *status != '\0' ? reason(reading->arena, test_has_status, name, status)
                                               : reason(reading->arena, test_without_status, name));
    }
}

/* "0: NVIDIA H100 80GB HBM3 (00000000:1b:00): (node1)" */
static void json_device(struct samples *samples, struct slice text)
{
    struct arena *arena = samples->frame.reading->arena;
    uint64_t index;
    size_t address;

    if (!scan_digits(&text, &index) || !scan_text(&text, ": "))
        return;
    address = slice_find(text, " (0");
    if (address != (size_t)-1)
        text.length = address;
    reading_fact(samples->frame.reading, "gpu.name",
                 arena_printf(arena, "gpu%llu", (unsigned long long)index), text);
}

static void json_root(struct samples *samples, const struct json *root)
{
    struct arena *arena = samples->frame.reading->arena;
    const struct json *cuda = json_get(root, "CUDA Runtime Version"), *devices;
    const char *error = json_string(root, "error", NULL);

    samples->began = samples->closed = true;
    fact_once(samples, "nvbandwidth.version", slice_of(json_string(root, "version", "")));
    fact_once(samples, "driver.version", slice_of(json_string(root, "Driver Version", "")));
    if (cuda != NULL)
        set_cuda(samples, cell_text(arena, cuda));
    devices = json_get(root, "GPU Device list");
    if (devices == NULL)
        devices = json_get(root, "GPU Device info");
    json_each (device, devices)
        json_device(samples, cell_text(arena, device));
    if (error != NULL) {
        reading_finding(samples->frame.reading, SEVERITY_WARNING, "nvbandwidth.error", "",
                        reason(samples->frame.reading->arena, text, error));
        frame_fail(&samples->frame, slice_of(error));
    }
    json_each (testcase, json_get(root, "testcases"))
        json_testcase(samples, testcase);
}

/* The document that begins at this line, of all or the tail; returns the lines that it takes, 0 when it is none or does
 * not end. */
static size_t take_json(struct samples *samples, size_t first)
{
    const struct lines *lines = &samples->frame.lines;
    struct arena *arena = samples->frame.reading->arena;
    cleanup_text struct text text = {0};
    struct error err = {0};
    const struct json *root = NULL;
    size_t last = first, length;

    text_init(&text, 64 << 20);
    for (size_t i = first; i < lines->count; i++)
        text_printf(&text, "%.*s\n", slice_print(lines->items[i].text));
    text_printf(&text, "%.*s", slice_print(lines->tail));
    length = json_length((struct slice){text.bytes, text.length});
    if (length > 0)
        root = json_get(json_parse(arena, "nvbandwidth", text.bytes, length, &err), "nvbandwidth");
    if (root != NULL)
        json_root(samples, root);
    for (size_t at = 0; at < length; last++)
        at += last < lines->count ? lines->items[last].text.length + 1 : lines->tail.length + 1;
    return root != NULL ? last - first : 0;
}

static void read_line(void *state, struct slice line)
{
    struct samples *samples = state;
    bool is_object = slice_starts(line, "{");
    size_t taken;

    if (samples->began && (slice_starts(line, "nvbandwidth Version:") || (samples->closed && is_object)))
        frame_next_run(samples);
    taken = is_object ? take_json(samples, samples->frame.next - 1) : 0;
    if (taken > 0)
        samples->frame.next += taken - 1;
    else
        take_line(samples, line);
}

static void tell_counts(struct samples *samples)
{
    struct reading *reading = samples->frame.reading;

    if (samples->widest > 0)
        reading_count(reading, "nvbandwidth.gpus", samples->widest);
    if (samples->waived > 0)
        reading_count(reading, "nvbandwidth.waived.count", samples->waived);
}

static void end(void *state)
{
    struct samples *samples = state;
    struct reading *reading = samples->frame.reading;

    if (!samples->began && slice_starts(slice_trim(samples->frame.tail), "{"))
        take_json(samples, samples->frame.lines.count);
    end_test(samples);
    tell_counts(samples);
    if (!samples->began)
        reading_strange(reading, reason(reading->arena, no_nvbandwidth_output, samples->frame.first));
    if (samples->sums == 0)
        reading_lacks(reading, REASON(no_test_with_result));
    if (!samples->closed && !samples->noted_first)
        reading_lacks(reading, REASON(closing_note_missing));
}

const struct parser parse_nvbandwidth = {
    .name = "nvbandwidth",
    .version = 1,
    .summary = "nvbandwidth, text and JSON: copies between host and GPUs",
    .metrics =
        METRICS({"nvbandwidth.host_device_latency_sm", "us", BETTER_LOWER, "latency between host and GPU"},
                {"nvbandwidth.device_to_device_latency_sm", "us", BETTER_LOWER, "latency between GPUs"},
                {"nvbandwidth.*.sum", "GB/s", BETTER_HIGHER, "sum over all cells of the test case"},
                {"nvbandwidth.*", "GB/s", BETTER_HIGHER,
                 "copies of the test case; .min, .max, .avg of all cells", true}),
    .grammar =
        GRAMMAR(.state_bytes = sizeof(struct samples), .flags = FRAME_RUNS, .line = read_line, .end = end),
};
