/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `nvidia-smi -L` and `--query-gpu=... --format=csv[,noheader][,nounits]`.
 *
 * Neither has a closing, so the number of GPUs is a fact and no measurement here: of a list cut between two
 * lines it would be another number. Without a header only columns that speak for themselves are read: PCI
 * address, UUID, product name, and as the first one the index.
 */
#include <ctype.h>
#include <string.h>

#include "assay/reasons/parse.h"

#include "nvidia_smi.h"
#include "pci_address.h"
#include "shell_words.h"

enum { COLUMNS_MOST = 128 };

struct row {
    struct slice cells[COLUMNS_MOST];
    size_t count;
};

static bool is_uuid(struct slice cell)
{
    return slice_starts(cell, "GPU-") && cell.length == strlen("GPU-") + 36;
}

/* "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-c7a0294c-...)" */
static bool read_list_line(struct smi *smi, struct slice line)
{
    struct slice rest = line, name;
    uint64_t index;

    if (!scan_text(&rest, "GPU ") || !scan_digits(&rest, &index) || !scan_text(&rest, ": ") ||
        !slice_contains(rest, " (UUID: ") || !slice_ends(rest, ")") || index >= SMI_GPUS_MOST)
        return false;
    name = (struct slice){rest.bytes, slice_find(rest, " (UUID: ")};
    smi_begin_gpu_index(smi, (unsigned)index);
    rest = slice_from(rest, name.length + strlen(" (UUID: "));
    rest.length--;
    smi_field(smi, "name", name, slice_of(""));
    smi_field(smi, "uuid", rest, slice_of(""));
    smi_end_gpu(smi, true);
    return true;
}

void smi_read_list(struct smi *smi, const struct lines *lines)
{
    unsigned gpus = 0;
    struct slice tail = slice_trim(lines->tail), strange = {"", 0};

    smi->notation = SMI_CSV;
    for (size_t i = 0; i < lines->count; i++) {
        struct slice line = slice_trim(lines->items[i].text);

        if (read_list_line(smi, line))
            gpus++;
        else if (!smi_error_line(smi, line) && slice_starts(line, "GPU "))
            strange = line;
    }
    /* A line that closes its bracket behind a whole UUID is whole. */
    if (slice_ends(tail, ")") && tail.length > 42 &&
        is_uuid((struct slice){tail.bytes + tail.length - 41, 40}) && read_list_line(smi, tail)) {
        gpus++;
        tail.length = 0;
    }
    if (tail.length > 0 && !slice_starts(tail, "```"))
        reading_lacks(smi->reading, REASON(last_line_not_ended));
    if (strange.length > 0)
        reading_lacks(smi->reading, reason(smi->reading->arena, line_not_understood, strange));
    if (smi->reading->status == READING_COMPLETE)
        smi_count(smi, gpus, false);
}

static void split_row(struct slice line, struct row *row)
{
    row->count = 0;
    for (;;) {
        size_t comma = slice_find(line, ",");

        if (row->count == COLUMNS_MOST)
            return;
        row->cells[row->count++] =
            slice_trim((struct slice){line.bytes, comma == (size_t)-1 ? line.length : comma});
        if (comma == (size_t)-1)
            return;
        line = slice_from(line, comma + 1);
    }
}

/* "memory.total [MiB]": the name, and the unit in brackets. */
static struct slice column_name(struct slice cell, struct slice *ret_unit)
{
    size_t open = slice_find(cell, " [");

    *ret_unit = slice_of("");
    if (open == (size_t)-1 || !slice_ends(cell, "]"))
        return cell;
    *ret_unit = (struct slice){cell.bytes + open + 2, cell.length - open - 3};
    return (struct slice){cell.bytes, open};
}

static bool is_name(struct slice cell)
{
    for (size_t i = 0; i < cell.length; i++)
        if (!isalnum((unsigned char)cell.bytes[i]) && strchr("._", cell.bytes[i]) == NULL)
            return false;
    return cell.length > 0;
}

/* Names, one of which we know. A command behind a prompt holds names too, and more. */
static bool is_header(const struct row *row)
{
    bool known = false;
    struct slice unit;

    for (size_t i = 0; i < row->count; i++) {
        struct slice name = column_name(row->cells[i], &unit);

        if (!is_name(name))
            return false;
        known = known || smi_csv_column(name) || slice_equal(name, "pid") || slice_equal(name, "gpu_uuid");
    }
    return known;
}

/* The column of this name, or (size_t)-1. */
static size_t column_of(const struct row *header, const char *name)
{
    struct slice unit;

    for (size_t i = 0; i < header->count; i++)
        if (slice_equal(column_name(header->cells[i], &unit), name))
            return i;
    return (size_t)-1;
}

bool smi_csv_header(struct slice line)
{
    struct row row;

    split_row(slice_trim(line), &row);
    return is_header(&row);
}

static bool is_product(struct slice cell)
{
    return slice_starts_one(cell, "NVIDIA ", "Tesla ", "GeForce ", "Quadro ", "TITAN ");
}

static bool is_address(struct arena *arena, struct slice cell)
{
    return cell.length >= 12 && pci_address(arena, cell) != NULL;
}

/* A row without a header is one of nvidia-smi when it names a GPU by itself. */
static bool is_evident(struct arena *arena, const struct row *row)
{
    for (size_t i = 0; i < row->count; i++)
        if (is_uuid(row->cells[i]) || is_address(arena, row->cells[i]) || is_product(row->cells[i]))
            return true;
    return false;
}

/* The first line of a list of one column must name a GPU; among several columns any line may be the first
 * row. */
bool smi_looks_like_csv(const struct lines *lines)
{
    cleanup_arena struct arena *arena = arena_create();
    bool found = false, first = true;

    for (size_t i = 0; i < lines->count && !found; i++) {
        struct slice line = slice_trim(lines->items[i].text);
        struct row row;

        if (line.length == 0 || line.bytes[0] == '|' || line.bytes[0] == '<')
            continue;
        split_row(line, &row);
        found = is_header(&row) || (is_evident(arena, &row) && (row.count > 1 || first));
        first = false;
    }
    return found;
}

struct slice smi_csv_identity(struct arena *arena, struct slice header_line, struct slice line)
{
    struct row row, header;
    size_t index;
    uint64_t number;

    split_row(slice_trim(line), &row);
    split_row(slice_trim(header_line), &header);
    index = header_line.length > 0 ? column_of(&header, "index") : 0;
    /* Lists of processes and of pages name a GPU several times. */
    if (column_of(&header, "pid") != (size_t)-1 ||
        column_of(&header, "retired_pages.address") != (size_t)-1 ||
        (header_line.length > 0 ? row.count != header.count : row.count < 2 || !is_evident(arena, &row)))
        return slice_of("");
    if (index < row.count && scan_u64(row.cells[index], &number))
        return row.cells[index];
    for (size_t i = 0; i < row.count; i++)
        if (is_uuid(row.cells[i]) || is_address(arena, row.cells[i]))
            return row.cells[i];
    return slice_of("");
}

struct csv {
    struct smi *smi;
    struct row header;
    bool has_header;
    size_t columns; /* of the first row */
    unsigned gpus;
    bool ragged, unnamed; /* rows of different lengths; columns that nobody names */
    bool other_list;      /* of processes or of pages: its rows are no GPUs */
};

static void begin_row(struct csv *csv, const struct row *row)
{
    struct slice unit;
    uint64_t index;

    for (size_t i = 0; i < row->count; i++) {
        bool is_index =
            csv->has_header ? slice_equal(column_name(csv->header.cells[i], &unit), "index") : i == 0;

        if (is_index && row->count > 1 && scan_u64(row->cells[i], &index) && index < SMI_GPUS_MOST) {
            smi_begin_gpu_index(csv->smi, (unsigned)index);
            return;
        }
    }
    smi_begin_gpu(csv->smi);
}

static void read_named(struct csv *csv, const struct row *row)
{
    struct arena *arena = csv->smi->reading->arena;

    for (size_t i = 0; i < row->count; i++) {
        struct slice unit, name = column_name(csv->header.cells[i], &unit);

        if (slice_equal(name, "pci.bus_id") || slice_equal(name, "gpu_bus_id"))
            smi_address(csv->smi, row->cells[i]);
        else if (slice_equal(name, "driver_version"))
            smi_host_fact(csv->smi, "driver.version", row->cells[i]);
        else
            smi_field(csv->smi, arena_strndup(arena, name.bytes, name.length), row->cells[i], unit);
    }
}

static void read_evident(struct csv *csv, const struct row *row)
{
    for (size_t i = 0; i < row->count; i++) {
        uint64_t index;

        if (is_uuid(row->cells[i]))
            smi_field(csv->smi, "uuid", row->cells[i], slice_of(""));
        else if (is_address(csv->smi->reading->arena, row->cells[i]))
            smi_address(csv->smi, row->cells[i]);
        else if (is_product(row->cells[i]))
            smi_field(csv->smi, "name", row->cells[i], slice_of(""));
        else if (!(i == 0 && scan_u64(row->cells[i], &index)) &&
                 !smi_faulty_value(csv->smi, "value", row->cells[i]))
            csv->unnamed = true;
    }
}

/* What a shell or a web page puts around a list. */
static bool is_foreign(const struct csv *csv, const struct row *row, struct slice line)
{
    struct slice command;
    uint64_t number;

    if (is_prompt(line) || prompt_command(line, &command) || slice_starts_one(line, "```", "<", "Script ") ||
        is_shell_trouble(line))
        return true;
    return row->count == 1 && csv->columns > 1 && !scan_u64(row->cells[0], &number) &&
           !is_evident(csv->smi->reading->arena, row);
}

/* A row of --query-compute-apps, --query-accounted-apps or --query-retired-pages. */
static void read_other_list(struct csv *csv, const struct row *row)
{
    struct reading *reading = csv->smi->reading;
    size_t address = column_of(&csv->header, "gpu_bus_id"), uuid = column_of(&csv->header, "gpu_uuid");
    size_t name = column_of(&csv->header, "process_name"), pid = column_of(&csv->header, "pid");
    size_t page = column_of(&csv->header, "retired_pages.address");
    const char *subject = "";
    uint64_t number;

    if (address != (size_t)-1 && pci_address(reading->arena, row->cells[address]) != NULL)
        subject = pci_address(reading->arena, row->cells[address]);
    else if (uuid != (size_t)-1)
        subject = utf8_clean(reading->arena, row->cells[uuid]);
    if (page != (size_t)-1 && !smi_not_available(row->cells[page]))
        reading_finding(reading, SEVERITY_WARNING, "gpu.retired_page", subject,
                        reason(reading->arena, page_retired, row->cells[page]));
    if (pid != (size_t)-1 && scan_u64(row->cells[pid], &number) && name != (size_t)-1)
        reading_fact(reading, arena_printf(reading->arena, "gpu.process.%llu", (unsigned long long)number),
                     subject, row->cells[name]);
}

static void read_csv_line(struct csv *csv, struct slice line)
{
    struct row row;

    split_row(line, &row);
    if (!csv->has_header && csv->gpus == 0 && is_header(&row)) {
        csv->header = row;
        csv->has_header = true;
        csv->columns = row.count;
        csv->other_list =
            column_of(&row, "pid") != (size_t)-1 || column_of(&row, "retired_pages.address") != (size_t)-1;
        return;
    }
    if (is_foreign(csv, &row, line))
        return;
    if (!csv->has_header && !is_evident(csv->smi->reading->arena, &row)) {
        csv->ragged = csv->ragged || csv->gpus > 0;
        return;
    }
    csv->columns = csv->columns > 0 ? csv->columns : row.count;
    if (row.count != csv->columns) {
        csv->ragged = true;
        return;
    }
    if (csv->other_list) {
        read_other_list(csv, &row);
        return;
    }
    begin_row(csv, &row);
    csv->gpus++;
    if (csv->has_header)
        read_named(csv, &row);
    else
        read_evident(csv, &row);
    smi_end_gpu(csv->smi, true);
}

/* Of a row that is not ended all cells are whole but the last one; its GPU must be a further one. */
static void read_unended_row(struct csv *csv, struct slice line)
{
    struct arena *arena = csv->smi->reading->arena;
    size_t column = column_of(&csv->header, "index");
    struct row row;
    uint64_t index;

    split_row(line, &row);
    if (!csv->has_header || csv->other_list || row.count != csv->columns || row.count < 2)
        return;
    row.count--;
    if (column >= row.count || !scan_u64(row.cells[column], &index) || index >= SMI_GPUS_MOST ||
        reading_get_fact(csv->smi->reading, "gpu.name", arena_printf(arena, "gpu%u", (unsigned)index)) !=
            NULL ||
        (csv->gpus > 0 && index < csv->gpus))
        return;
    begin_row(csv, &row);
    read_named(csv, &row);
    smi_end_gpu(csv->smi, false);
}

void smi_read_csv(struct smi *smi, const struct lines *lines)
{
    struct csv *csv = arena_new(smi->reading->arena, struct csv);
    struct slice tail = slice_trim(lines->tail);

    smi->notation = SMI_CSV;
    csv->smi = smi;
    for (size_t i = 0; i < lines->count; i++) {
        struct slice line = slice_trim(lines->items[i].text);

        if (line.length > 0 && !smi_error_line(smi, line))
            read_csv_line(csv, line);
    }
    read_unended_row(csv, tail);
    if (tail.length > 0 && !slice_starts(tail, "```"))
        reading_lacks(smi->reading, REASON(last_line_not_ended));
    if (csv->ragged)
        reading_lacks(smi->reading, REASON(rows_not_alike));
    if (!csv->other_list && csv->gpus == 0)
        reading_lacks(smi->reading, REASON(header_without_rows));
    if (!csv->other_list && csv->unnamed)
        reading_lacks(smi->reading, REASON(columns_without_header));
    if (smi->reading->status == READING_COMPLETE && !csv->other_list)
        smi_count(smi, csv->gpus, false);
}
