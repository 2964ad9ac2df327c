/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Huawei's npu-smi: the table of `npu-smi info` in its versions (two lines a chip, columns as its two header
 * lines name them, with or without HBM, Phy-ID or Device), its process table, and the lists of
 * `info -l` and `info -t ... -i N`.
 *
 * subject "npu0"; a further chip of the same NPU is "npu0.chip1"
 * facts    npu_smi.version, npu.driver.version   "24.1.rc1"
 *          npu.count, npu.chip.count   how many NPUs and chips are listed; of `-l` what it announces
 *          npu.name "910B3", npu.health "OK", npu.bus_id, npu.phy_id (or Device), npu.serial, npu.firmware
 *          npu.process  "python (pid 2441447, 59618 MiB)", one for each
 * metrics  npu.temperature C, npu.power W, npu.utilization % (of the AI cores), npu.hbm_used, .hbm_total,
 *          .memory_used, .memory_total MiB; "-" and NA are no numbers
 * finding  npu.health fault: Alarm or Critical; warning: any other word than OK
 *          npu.no_row warning: the process table names an NPU that the table has not
 */
#include <string.h>

#include "assay/reasons/parse.h"

#include "frame.h"

enum { CELLS = 5, TOKENS = 16, NPUS_MOST = 4096 };

struct table {
    struct reading *reading;
    bool header;               /* both header lines were seen */
    bool memory, hbm, phy_id;  /* columns of the second header line */
    bool processes;            /* the process table has begun */
    bool closed;               /* the last row was followed by a border */
    struct slice first[CELLS]; /* the cells of a chip's first line, kept until its second is here */
    bool pending;
    unsigned chips, orphans;
    LIST_OF(uint64_t) npus, with_process;
};

/* Lists of `-l` and `-t`. */
struct list {
    struct reading *reading;
    const char *subject; /* NULL: before any NPU ID */
    uint64_t announced, npus;
    unsigned values;
    bool several; /* an NPU with several chips: whose value a line is cannot be told */
};

struct output {
    struct frame frame;
    struct table table;
    struct list list;
};

static void add_number(struct reading *reading, const char *metric, const char *subject, struct slice text,
                       const char *unit)
{
    double value;

    if (scan_double(slice_trim(text), &value))
        reading_measure(reading, metric, subject, value, unit);
}

static void add_health(struct reading *reading, const char *subject, struct slice health)
{
    bool fault = slice_equal_nocase(health, "Alarm") || slice_equal_nocase(health, "Critical");

    if (health.length == 0)
        return;
    reading_fact(reading, "npu.health", subject, health);
    if (!slice_equal_nocase(health, "OK"))
        reading_finding(reading, fault ? SEVERITY_FAULT : SEVERITY_WARNING, "npu.health", subject,
                        reason(reading->arena, npu_health_not_ok, health));
}

static void add_fact(struct reading *reading, const char *name, const char *subject, struct slice value)
{
    value = slice_trim(value);
    if (value.length > 0 && !slice_equal(value, "NA") && !slice_equal(value, "-"))
        reading_fact(reading, name, subject, value);
}

/* "| 0     910B3 | OK | 101.8 |" -> its cells, trimmed. */
static size_t split_cells(struct slice line, struct slice *cells)
{
    size_t count = 0;

    if (!scan_text(&line, "|"))
        return 0;
    while (count < CELLS) {
        size_t at = slice_find(line, "|");

        if (at == (size_t)-1)
            break;
        cells[count++] = slice_trim((struct slice){line.bytes, at});
        line = slice_from(line, at + 1);
    }
    return slice_trim(line).length == 0 ? count : 0;
}

/* Words of a cell, each '/' one of its own: "64293/ 65536" -> "64293", "/", "65536". */
static size_t split_words(struct slice cell, struct slice *words)
{
    size_t count = 0;

    for (cell = slice_trim(cell); cell.length > 0 && count < TOKENS; cell = slice_trim(cell)) {
        size_t length = 0;

        while (length < cell.length && strchr(" \t/", cell.bytes[length]) == NULL)
            length++;
        length = length > 0 ? length : 1;
        words[count++] = (struct slice){cell.bytes, length};
        cell = slice_from(cell, length);
    }
    return count;
}

/* The pair "used / total" that begins at words[at]; false when there is none. */
static bool take_usage(const struct slice *words, size_t count, size_t *at, struct slice *used,
                       struct slice *total)
{
    if (*at + 2 >= count || !slice_equal(words[*at + 1], "/"))
        return false;
    *used = words[*at];
    *total = words[*at + 2];
    *at += 3;
    return true;
}

static void read_usage(struct table *table, const char *subject, struct slice cell)
{
    struct slice words[TOKENS], used, total;
    size_t count = split_words(cell, words), at = 1;

    if (count > 0)
        add_number(table->reading, "npu.utilization", subject, words[0], "%");
    if (table->memory && take_usage(words, count, &at, &used, &total)) {
        add_number(table->reading, "npu.memory_used", subject, used, "MiB");
        add_number(table->reading, "npu.memory_total", subject, total, "MiB");
    }
    if (table->hbm && take_usage(words, count, &at, &used, &total)) {
        add_number(table->reading, "npu.hbm_used", subject, used, "MiB");
        add_number(table->reading, "npu.hbm_total", subject, total, "MiB");
    }
}

static void note_npu(struct table *table, uint64_t npu)
{
    for (size_t i = 0; i < table->npus.count; i++)
        if (table->npus.items[i] == npu)
            return;
    *list_push(table->reading->arena, &table->npus) = npu;
}

static const char *subject_of(struct arena *arena, uint64_t npu, uint64_t chip)
{
    if (chip == 0)
        return arena_printf(arena, "npu%llu", (unsigned long long)npu);
    return arena_printf(arena, "npu%llu.chip%llu", (unsigned long long)npu, (unsigned long long)chip);
}

/* "0  910B3 | OK | 101.8  43  0 / 0" and below it "0 | 0000:C1:00.0 | 0  0 / 0  3318 / 65536". */
static void read_chip(struct table *table, const struct slice *second)
{
    struct reading *reading = table->reading;
    struct slice names = table->first[0], ids = second[0], word, words[TOKENS];
    uint64_t npu, chip;
    const char *subject;
    size_t count;

    table->pending = false;
    if (!scan_word(&names, &word) || !scan_u64(word, &npu) || !scan_word(&ids, &word) ||
        !scan_u64(word, &chip) || npu > NPUS_MOST || chip > NPUS_MOST) {
        table->orphans++;
        return;
    }
    subject = subject_of(reading->arena, npu, chip);
    note_npu(table, npu);
    table->chips++;
    add_fact(reading, "npu.name", subject, names);
    add_health(reading, subject, table->first[1]);
    add_fact(reading, "npu.bus_id", subject, second[1]);
    if (table->phy_id)
        add_fact(reading, "npu.phy_id", subject, ids);
    count = split_words(table->first[2], words);
    if (count > 1) {
        add_number(reading, "npu.power", subject, words[0], "W");
        add_number(reading, "npu.temperature", subject, words[1], "C");
    }
    read_usage(table, subject, second[2]);
}

static void read_row(struct table *table, const struct slice *cells)
{
    struct slice rest = cells[0], word;
    uint64_t number;

    table->closed = false;
    if (!table->header || !scan_word(&rest, &word) || !scan_u64(word, &number)) {
        table->orphans++;
        table->pending = false;
        return;
    }
    if (table->pending) {
        read_chip(table, cells);
        return;
    }
    memcpy(table->first, cells, 3 * sizeof *cells);
    table->pending = true;
}

/* "0  0 | 2441447 | python | 59618" */
static void read_process(struct table *table, const struct slice *cells)
{
    struct arena *arena = table->reading->arena;
    struct slice ids = cells[0], word;
    uint64_t npu, chip = 0, pid, memory;

    table->closed = false;
    if (!scan_word(&ids, &word) || !scan_u64(word, &npu) || npu > NPUS_MOST)
        return;
    *list_push(arena, &table->with_process) = npu;
    if (scan_word(&ids, &word) && !scan_u64(word, &chip))
        return;
    if (scan_u64(cells[1], &pid) && scan_u64(cells[3], &memory))
        reading_fact(table->reading, "npu.process", subject_of(arena, npu, chip),
                     slice_of(arena_printf(arena, "%s (pid %llu, %llu MiB)", utf8_clean(arena, cells[2]),
                                           (unsigned long long)pid, (unsigned long long)memory)));
}

static void read_title(struct table *table, struct slice cell)
{
    struct slice word;

    if (scan_text(&cell, "npu-smi ") && scan_word(&cell, &word))
        add_fact(table->reading, "npu_smi.version", "", word);
    if (scan_past(&cell, "Version:") && scan_word(&cell, &word))
        add_fact(table->reading, "npu.driver.version", "", word);
}

static bool read_table_line(struct table *table, struct slice line)
{
    struct slice cells[CELLS];
    size_t count = split_cells(line, cells);

    if (slice_starts(line, "+-") || slice_starts(line, "+=")) {
        table->closed = !table->pending;
        return true;
    }
    if (count == 0)
        return false;
    if (slice_starts(cells[0], "npu-smi ")) {
        read_title(table, cells[0]);
    } else if (slice_starts(cells[0], "NPU") && count >= 4) {
        table->processes = true;
    } else if (slice_starts(cells[0], "NPU") && count == 3) {
        table->processes = table->pending = false;
    } else if (slice_starts(cells[0], "Chip") && count == 3) {
        table->header = true;
        table->memory = slice_contains(cells[2], "Memory-Usage(MB)");
        table->hbm = slice_contains(cells[2], "HBM-Usage(MB)");
        table->phy_id = slice_contains(cells[0], "Phy-ID") || slice_contains(cells[0], "Device");
    } else if (table->processes && count == 4) {
        read_process(table, cells);
    } else if (count == 3) {
        read_row(table, cells);
    } else if (!slice_starts(cells[0], "No running processes")) {
        table->orphans++;
    }
    return true;
}

static bool has_row(const struct table *table, uint64_t npu)
{
    for (size_t i = 0; i < table->npus.count; i++)
        if (table->npus.items[i] == npu)
            return true;
    return false;
}

static void finish_table(struct table *table)
{
    struct reading *reading = table->reading;

    /* Nothing less than complete: up to its process table the same text was a whole table. */
    for (size_t i = 0; i < table->with_process.count; i++)
        if (!has_row(table, table->with_process.items[i]))
            reading_finding(reading, SEVERITY_WARNING, "npu.no_row",
                            subject_of(reading->arena, table->with_process.items[i], 0),
                            REASON(npu_without_row));
    if (table->pending || !table->closed)
        reading_lacks(reading, REASON(table_not_closed));
    if (table->orphans > 0)
        reading_lacks(reading, reason(reading->arena, table_not_as_header_says, table->orphans));
    if (table->chips == 0)
        reading_lacks(reading, REASON(no_npu_in_table));
    if (reading->status == READING_COMPLETE) {
        reading_count(reading, "npu.count", table->npus.count);
        reading_count(reading, "npu.chip.count", table->chips);
    }
}

/* "        Health Status                  : OK" of `info -t health -i 0`. */
static const struct {
    const char *key, *name, *unit; /* unit NULL: a fact */
} list_rows[] = {
    {"Health", "npu.health", NULL},
    {"Health Status", "npu.health", NULL},
    {"Temperature(C)", "npu.temperature", "C"},
    {"Temperature (C)", "npu.temperature", "C"},
    {"NPU Temperature (C)", "npu.temperature", "C"},
    {"Power Dissipation(W)", "npu.power", "W"},
    {"NPU Real-time Power(W)", "npu.power", "W"},
    {"Aicore Usage Rate(%)", "npu.utilization", "%"},
    {"HBM Capacity(MB)", "npu.hbm_total", "MiB"},
    {"Product Name", "npu.product", NULL},
    {"Chip Name", "npu.name", NULL},
    {"Serial Number", "npu.serial", NULL},
    {"Firmware Version", "npu.firmware", NULL},
    {"Software Version", "npu.driver.version", NULL},
    {"PCIe Bus Info", "npu.bus_id", NULL},
    {"Error Code", "npu.error_code", NULL},
};

static void read_value(struct list *list, size_t row, struct slice value)
{
    list->values++;
    if (strcmp(list_rows[row].name, "npu.health") == 0)
        add_health(list->reading, list->subject, value);
    else if (list_rows[row].unit == NULL)
        add_fact(list->reading, list_rows[row].name, list->subject, value);
    else
        add_number(list->reading, list_rows[row].name, list->subject, value, list_rows[row].unit);
}

static void read_list_line(struct list *list, struct slice line)
{
    struct slice key, value;
    uint64_t number;

    if (!slice_part(line, ":", &key, &value))
        return;
    if (slice_equal(key, "Total Count") && scan_u64(value, &number)) {
        list->announced = number;
        list->values++;
    } else if (slice_equal(key, "NPU ID") && scan_u64(value, &number) && number <= NPUS_MOST) {
        list->npus++;
        list->subject = subject_of(list->reading->arena, number, 0);
    } else if (slice_equal(key, "Chip Count") && scan_u64(value, &number)) {
        list->several = list->several || number > 1;
    }
    for (size_t i = 0; i < ARRAY_SIZE(list_rows); i++)
        if (slice_equal(key, list_rows[i].key) && list->subject != NULL && !list->several)
            read_value(list, i, value);
}

static void finish_list(struct list *list)
{
    struct reading *reading = list->reading;

    if (list->announced > 0 && list->npus != list->announced)
        reading_lacks(reading, reason(reading->arena, npus_not_listed, list->announced, list->npus));
    if (list->several && list->announced == 0)
        reading_lacks(reading, REASON(chip_of_values_not_told));
    if (reading->status == READING_COMPLETE && list->announced > 0)
        reading_count(reading, "npu.count", list->npus);
}

static bool is_failure(struct slice line)
{
    return slice_contains(line, "npu-smi: command not found") || slice_ends(line, "npu-smi: not found") ||
           slice_starts(line, "dcmi ") || slice_contains(line, "DrvMng") ||
           slice_starts(line, "This device does not support") ||
           slice_contains_one(line, "initialize failed", "initialized failed", "error while loading shared");
}

static void begin(void *state)
{
    struct output *output = state;

    output->table.reading = output->list.reading = output->frame.reading;
}

static void read_line(void *state, struct slice line)
{
    struct output *output = state;

    if (is_failure(line))
        frame_fail(&output->frame, line);
    if (!read_table_line(&output->table, line))
        read_list_line(&output->list, line);
}

static void end(void *state)
{
    struct output *output = state;
    bool is_table =
        output->table.header || reading_get_fact(output->frame.reading, "npu_smi.version", "") != NULL;
    bool is_list = output->list.values > 0 && output->list.npus > 0;

    if (is_table || is_list)
        output->frame.failure.length = 0; /* of another command */
    if (is_table)
        finish_table(&output->table);
    else if (is_list)
        finish_list(&output->list);
    else
        frame_strange(&output->frame);
}

const struct parser parse_npu_smi = {
    .name = "npu-smi",
    .version = 1,
    .summary = "npu-smi info: health, temperature, power and memory of Ascend NPUs",
    .metrics = METRICS(
        {"npu.temperature", "C", BETTER_LOWER, "of the NPU"}, {"npu.power", "W", BETTER_NEITHER, "drawn now"},
        {"npu.utilization", "%", BETTER_NEITHER, "of the AI cores"},
        {"npu.hbm_used", "MiB", BETTER_NEITHER, "high-bandwidth memory in use"},
        {"npu.hbm_total", "MiB", BETTER_HIGHER, "high-bandwidth memory"},
        {"npu.memory_used", "MiB", BETTER_NEITHER, "other memory in use (all that there is without HBM)"},
        {"npu.memory_total", "MiB", BETTER_HIGHER, "other memory"}),
    .grammar = GRAMMAR(.state_bytes = sizeof(struct output), .begin = begin, .line = read_line, .end = end),
};
