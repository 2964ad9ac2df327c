/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table that nvidia-smi prints without options, of any width: cells between bars, two or three lines a
 * GPU.
 *
 *   |   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |
 *   | N/A   27C    P0             72W /  700W |       1MiB /  81559MiB |      0%      Default |
 *   |                                         |                        |             Disabled |
 *
 * The table of the GPUs is over when the one of the processes begins, the text when that one is closed.
 */
#include <ctype.h>
#include <string.h>

#include "assay/reasons/parse.h"

#include "nvidia_smi.h"

enum part { PART_HEADER, PART_GPUS, PART_OTHER, PART_PROCESSES };

struct table {
    struct smi *smi;
    enum part part;
    bool body;    /* behind the "|====" line of the part */
    unsigned row; /* line within the GPU: 0, 1, 2 */
    unsigned gpus;
    LIST_OF(const char *) subjects;
    LIST_OF(unsigned) processes; /* compute processes by GPU, in the order of subjects */
    bool gpus_over, closed;
    bool processes_seen, damaged;
    struct slice border;
};

/* The cells between the bars; returns how many there are. */
static unsigned cells_of(struct slice line, struct slice *cells, unsigned most)
{
    struct slice rest = slice_from(line, 1);
    unsigned count = 0;
    size_t bar;

    while (count < most && (bar = slice_find(rest, "|")) != (size_t)-1) {
        cells[count++] = slice_trim((struct slice){rest.bytes, bar});
        rest = slice_from(rest, bar + 1);
    }
    return count;
}

static struct slice last_word(struct slice *text)
{
    size_t start = text->length;
    struct slice word;

    while (start > 0 && text->bytes[start - 1] != ' ')
        start--;
    word = slice_from(*text, start);
    *text = slice_trim((struct slice){text->bytes, start});
    return word;
}

/* The word behind the mark: "Driver Version: 550.90.07". */
static void host_version(struct smi *smi, struct slice line, const char *mark, const char *fact)
{
    size_t at = slice_find(line, mark);
    struct slice rest, word;

    if (at == (size_t)-1)
        return;
    rest = slice_from(line, at + strlen(mark));
    if (scan_word(&rest, &word) && isdigit((unsigned char)word.bytes[0]))
        smi_host_fact(smi, fact, word);
}

/* "27C", "72W", "1MiB", "0%": with a blank before the unit it reads like everywhere else. */
static void field(struct smi *smi, const char *path, struct slice value)
{
    size_t digits = 0;

    value = slice_trim(value);
    while (digits < value.length && strchr("0123456789.-", value.bytes[digits]) != NULL)
        digits++;
    if (digits > 0 && digits < value.length)
        value = slice_of(arena_printf(smi->reading->arena, "%.*s %.*s", (int)digits, value.bytes,
                                      (int)(value.length - digits), value.bytes + digits));
    smi_field(smi, path, value, slice_of(""));
}

/* "0  NVIDIA H100 80GB HBM3          On", "00000000:19:00.0 Off", "0" */
static void read_first(struct table *table, struct slice *cells)
{
    struct smi *smi = table->smi;
    struct slice name = cells[0], word, persistence, bus = cells[1];
    uint64_t index;

    if (!scan_word(&name, &word) || !scan_u64(word, &index) || index >= SMI_GPUS_MOST) {
        table->damaged = true;
        return;
    }
    smi_end_gpu(smi, true);
    smi_begin_gpu_index(smi, (unsigned)index);
    table->row = 1;
    table->gpus++;
    *list_push(smi->reading->arena, &table->subjects) = smi->subject;
    *list_push(smi->reading->arena, &table->processes) = 0;
    name = slice_trim(name);
    persistence = last_word(&name);
    if (slice_equal(persistence, "On") || slice_equal(persistence, "Off"))
        field(smi, "Persistence Mode", persistence);
    else if (!slice_equal(persistence, "WDDM") && !slice_equal(persistence, "TCC") &&
             !slice_equal(persistence, "MCDM") && !smi_faulty_value(smi, "persistence", persistence))
        name = slice_trim(
            slice_from(cells[0], word.length)); /* a column of another meaning stays with the name */
    field(smi, "Product Name", name);
    if (scan_word(&bus, &word))
        smi_address(smi, word);
    field(smi, "ECC Errors/Volatile/Double Bit/Total", cells[2]);
}

/* "72W /  700W": both sides of the slash. */
static void read_usage(struct smi *smi, struct slice text, const char *used, const char *most)
{
    size_t slash = slice_find(text, "/ ");

    if (slash == (size_t)-1)
        return;
    field(smi, used, (struct slice){text.bytes, slash});
    field(smi, most, slice_from(text, slash + 1));
}

/* "N/A   27C    P0             72W /  700W", "1MiB /  81559MiB", "0%      Default" */
static void read_second(struct table *table, struct slice *cells)
{
    static const char *const paths[] = {"Fan Speed", "Temperature/GPU Current Temp", "Performance State"};
    struct smi *smi = table->smi;
    struct slice rest = cells[0], word, load = cells[2];

    table->row = 2;
    for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
        if (scan_word(&rest, &word))
            field(smi, paths[i], word);
    read_usage(smi, slice_trim(rest), "GPU Power Readings/Power Draw",
               "GPU Power Readings/Current Power Limit");
    read_usage(smi, cells[1], "FB Memory Usage/Used", "FB Memory Usage/Total");
    if (scan_word(&load, &word)) {
        field(smi, "Utilization/Gpu", word);
        field(smi, "Compute Mode", load);
    }
}

static void read_gpu_line(struct table *table, struct slice line)
{
    struct slice cells[3];

    if (cells_of(line, cells, 3) < 3) {
        table->damaged = true;
        return;
    }
    if (cells[0].length > 0 && isdigit((unsigned char)cells[0].bytes[0]) && table->row != 1)
        read_first(table, cells);
    else if (table->row == 1)
        read_second(table, cells);
    else if (table->row == 2 && cells[0].length == 0) {
        field(table->smi, "MIG Mode/Current", cells[2]);
        table->row = 3;
    }
}

/* "0   N/A  N/A      1234      C   python3      1000MiB": index, instances, pid, type, name, memory. */
static void read_process(struct table *table, struct slice text)
{
    struct reading *reading = table->smi->reading;
    struct slice words[16], rest = text;
    size_t count = 0, pid = 0;
    uint64_t index, number;

    while (count < 16 && scan_word(&rest, &words[count]))
        count++;
    if (count < 4 || !scan_u64(words[0], &index))
        return;
    for (size_t i = 1; i < count && pid == 0; i++)
        if (scan_u64(words[i], &number) && i + 2 < count)
            pid = i;
    /* With MIG the instances are numbers too: index GI CI PID. */
    if (pid == 1 && count > 5 && scan_u64(words[3], &number))
        pid = 3;
    if (pid == 0)
        return;
    for (size_t i = 0; i < table->subjects.count; i++) {
        if (strcmp(table->subjects.items[i], arena_printf(reading->arena, "gpu%u", (unsigned)index)) != 0)
            continue;
        table->processes.items[i] += slice_contains(words[pid + 1], "C");
        reading_fact(reading, arena_printf(reading->arena, "gpu.process.%.*s", slice_print(words[pid])),
                     table->subjects.items[i], words[pid + 2]);
    }
}

static void read_processes_line(struct table *table, struct slice line)
{
    struct slice cell;

    if (cells_of(line, &cell, 1) == 0)
        return;
    if (slice_starts(cell, "No running processes found") ||
        slice_starts(cell, "No running compute processes found"))
        return;
    read_process(table, cell);
}

static void end_gpus(struct table *table)
{
    if (table->gpus_over)
        return;
    smi_end_gpu(table->smi, true);
    table->gpus_over = true;
    smi_count(table->smi, table->gpus, true);
}

static void begin_part(struct table *table, enum part part)
{
    table->part = part;
    table->body = false;
}

static void read_bar_line(struct table *table, struct slice line)
{
    struct slice first = slice_from(line, 1);

    first = slice_trim(first);
    if (slice_contains(line, "| NVIDIA-SMI ")) {
        host_version(table->smi, line, "Driver Version: ", "driver.version");
        host_version(table->smi, line, "KMD Version: ", "driver.version");
        host_version(table->smi, line, "CUDA Version: ", "cuda.version");
        host_version(table->smi, line, "CUDA UMD Version: ", "cuda.version");
    } else if (slice_starts(first, "GPU  Name") || slice_starts(first, "GPU Name")) {
        begin_part(table, PART_GPUS);
    } else if (slice_starts(first, "Processes:") || slice_starts(first, "Compute processes:")) {
        end_gpus(table);
        table->processes_seen = true;
        begin_part(table, PART_PROCESSES);
    } else if (slice_starts(first, "MIG devices:")) {
        end_gpus(table);
        begin_part(table, PART_OTHER);
    } else if (slice_starts(line, "|==")) {
        table->body = true;
    } else if (slice_starts(line, "|--") || !table->body) {
        return;
    } else if (table->part == PART_GPUS) {
        read_gpu_line(table, line);
    } else if (table->part == PART_PROCESSES) {
        read_processes_line(table, line);
    }
}

static void read_border(struct table *table, struct slice line)
{
    if (table->border.length == 0)
        table->border = line;
    if (table->part == PART_PROCESSES && table->body)
        table->closed = true;
    if (table->part == PART_GPUS && table->body) {
        table->damaged = table->damaged || table->row == 1;
        table->row = 0;
    }
}

static void read_line(struct table *table, struct slice line)
{
    if (slice_starts(line, "+--") || slice_starts(line, "+=="))
        read_border(table, line);
    else if (slice_starts(line, "|"))
        read_bar_line(table, line);
    else if (line.length > 0)
        smi_error_line(table->smi, line);
}

void smi_read_table(struct smi *smi, const struct lines *lines)
{
    struct table table = {.smi = smi, .border = {"", 0}};
    struct slice tail = slice_trim(lines->tail);

    smi->notation = SMI_TEXT;
    for (size_t i = 0; i < lines->count; i++)
        read_line(&table, slice_trim(lines->items[i].text));
    /* A border without its newline is whole when it is as wide as the first one and ends like it. */
    if (tail.length > 0 && tail.length == table.border.length && slice_starts(tail, "+--") &&
        slice_ends(tail, "+"))
        read_border(&table, tail);
    smi_end_gpu(smi, false);
    if (table.closed)
        for (size_t i = 0; i < table.subjects.count; i++)
            smi_compute_processes(smi, table.subjects.items[i], table.processes.items[i]);
    if (table.damaged)
        reading_lacks(smi->reading, REASON(table_line_damaged));
    if (!table.closed)
        reading_lacks(smi->reading, table.processes_seen ? REASON(process_table_not_closed)
                                                         : REASON(process_table_missing));
}
