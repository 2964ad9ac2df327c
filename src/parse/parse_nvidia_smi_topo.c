/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvidia-smi topo -m: how GPUs and NICs of a host reach each other.
 *
 * facts  topo.link           NV18, PIX, PXB, PHB, NODE, SYS, SOC ... (gpu0-gpu1, gpu0-nic2, nic0-nic1; the
 *                            other way round only where the matrix does not say the same both ways)
 *        topo.nic            the device behind a NIC column, "mlx5_0" (nic0)
 *        topo.cpu_affinity, topo.numa_affinity, topo.gpu_numa_id   (gpu0); "N/A" as the tool has it
 *        topo.gpu.count, topo.nic.count                            columns of the matrix
 * finding topo.asymmetric    warning: the matrix does not say the same both ways
 *
 * The reading is complete when every column has its row, the legend was seen, and each NIC is named.
 */
#include <ctype.h>
#include <string.h>

#include "assay/reasons/parse.h"

#include "frame.h"

enum { MAX_COLUMNS = 512, MAX_AFFINITIES = 3 };

struct column {
    const char *subject; /* "gpu0", "nic3" */
    const char *title;   /* as the tool writes it: "GPU0", "mlx5_0" */
    bool gpu, named;
};

struct topology {
    struct frame frame;
    struct column columns[MAX_COLUMNS];
    size_t count, gpus, rows;
    size_t affinities;  /* columns behind the matrix that the header announces */
    const char **cells; /* count x count */
    bool legend, nic_legend;
};

/* Takes one cell off the front of word. Cells that lost the blank between them ("NODENODE") come apart here.
 */
static bool take_cell(struct slice *word, struct slice *ret_cell)
{
    static const char *const names[] = {"X", "SYS", "NODE", "PHB", "PXB", "PIX", "SOC", "PSB", "C2C", "N/A"};
    struct slice rest = *word;

    if (scan_text(&rest, "NV") && rest.length > 0 && isdigit((unsigned char)rest.bytes[0])) {
        uint64_t links;

        if (!scan_digits(&rest, &links))
            return false;
        *ret_cell = (struct slice){word->bytes, word->length - rest.length};
        *word = rest;
        return true;
    }
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        if (slice_starts(*word, names[i])) {
            *ret_cell = (struct slice){word->bytes, strlen(names[i])};
            *word = slice_from(*word, strlen(names[i]));
            return true;
        }
    return false;
}

/* "GPU12" with this prefix and digits only behind it. */
static bool is_numbered(struct slice word, const char *prefix)
{
    uint64_t number;

    return scan_text(&word, prefix) && scan_u64(word, &number);
}

static bool add_column(struct topology *topology, struct slice word)
{
    struct arena *arena = topology->frame.reading->arena;
    struct column *column = &topology->columns[topology->count];

    if (topology->count == MAX_COLUMNS)
        return false;
    *column = (struct column){.title = utf8_clean(arena, word), .gpu = is_numbered(word, "GPU")};
    if (column->gpu || is_numbered(word, "NIC")) {
        column->subject = arena_printf(arena, "%s%s", column->gpu ? "gpu" : "nic", column->title + 3);
        topology->gpus += column->gpu;
    } else {
        /* Before there were NIC numbers the columns bore the devices' names. */
        column->subject = arena_printf(arena, "nic%zu", topology->count - topology->gpus);
        column->named = true;
    }
    topology->count++;
    return true;
}

/* "CPU Affinity", "NUMA Affinity" and "GPU NUMA ID" end the columns of the matrix. */
static size_t affinities_of(struct slice rest)
{
    return (size_t)(slice_contains(rest, "CPU Affinity")) + (size_t)(slice_contains(rest, "NUMA Affinity")) +
           (size_t)(slice_contains(rest, "GPU NUMA ID"));
}

/* The head of the matrix: its first column is a GPU, and no cell of a matrix stands in it. */
static bool take_head(struct topology *topology, struct slice line)
{
    struct slice rest = slice_trim(line), word, before = rest, second = rest;

    if (topology->count > 0 || !scan_word(&second, &word) || !is_numbered(word, "GPU"))
        return false;
    if (scan_word(&second, &word) && !is_numbered(word, "GPU") && !slice_equal(word, "CPU") &&
        (slice_equal(word, "X") || slice_starts(word, ":")))
        return false;
    while (before = rest, scan_word(&rest, &word)) {
        bool affinity = slice_starts(slice_trim(before), "CPU Affinity") ||
                        slice_starts(slice_trim(before), "NUMA Affinity") ||
                        slice_starts(slice_trim(before), "GPU NUMA ID");

        if (affinity)
            break;
        if (!add_column(topology, word)) {
            reading_lacks(topology->frame.reading,
                          reason(topology->frame.reading->arena, too_many_columns, word));
            break;
        }
        before = rest;
    }
    topology->affinities = affinities_of(before);
    topology->cells =
        arena_alloc(topology->frame.reading->arena, topology->count * topology->count * sizeof(char *));
    return true;
}

/* Whichever of the affinities is empty cannot be told by blanks: then none of them is taken. */
static void take_affinities(struct topology *topology, const char *subject, struct slice rest)
{
    static const char *const names[MAX_AFFINITIES] = {"topo.cpu_affinity", "topo.numa_affinity",
                                                      "topo.gpu_numa_id"};
    struct slice words[MAX_AFFINITIES + 1];
    size_t count = 0;

    while (count <= MAX_AFFINITIES && scan_word(&rest, &words[count]))
        count++;
    if (count != topology->affinities)
        return;
    for (size_t i = 0; i < count; i++)
        reading_fact(topology->frame.reading, names[i], subject, words[i]);
}

static void set_link(struct topology *topology, size_t row, size_t column, const char *link)
{
    struct reading *reading = topology->frame.reading;
    const char *from = topology->columns[row].subject, *to = topology->columns[column].subject;
    const char *there = row > column ? topology->cells[column * topology->count + row] : NULL;

    topology->cells[row * topology->count + column] = link;
    if (row == column || (there != NULL && strcmp(there, link) == 0))
        return;
    reading_fact(reading, "topo.link", arena_printf(reading->arena, "%s-%s", from, to), slice_of(link));
    if (there != NULL)
        reading_finding(reading, SEVERITY_WARNING, "topo.asymmetric",
                        arena_printf(reading->arena, "%s-%s", to, from),
                        reason(reading->arena, connections_differ, to, from, there, from, to, link));
}

static bool take_row(struct topology *topology, struct slice line)
{
    const char *links[MAX_COLUMNS];
    struct slice rest = line, word, cell, part = {"", 0};
    size_t count = 0, row = topology->rows;

    if (row == topology->count || !scan_word(&rest, &word) ||
        !slice_equal(word, topology->columns[row].title))
        return false;
    while (count < topology->count && (part.length > 0 || scan_word(&rest, &part))) {
        if (!take_cell(&part, &cell)) {
            reading_lacks(topology->frame.reading,
                          reason(topology->frame.reading->arena, not_a_connection, part));
            break;
        }
        links[count++] = arena_strndup(topology->frame.reading->arena, cell.bytes, cell.length);
    }
    topology->rows++;
    if (count < topology->count || part.length > 0 || strcmp(links[row], "X") != 0) {
        reading_lacks(topology->frame.reading,
                      reason(topology->frame.reading->arena, table_row_damaged, line));
        return true;
    }
    for (size_t i = 0; i < count; i++)
        set_link(topology, row, i, links[i]);
    if (topology->columns[row].gpu)
        take_affinities(topology, topology->columns[row].subject, rest);
    return true;
}

/* "  NIC0: mlx5_0" */
static bool take_nic(struct topology *topology, struct slice line)
{
    struct slice title, name;

    if (!topology->nic_legend || !slice_part(line, ":", &title, &name))
        return false;
    for (size_t i = 0; i < topology->count; i++) {
        struct column *column = &topology->columns[i];

        if (column->gpu || column->named || !slice_equal(title, column->title))
            continue;
        column->named = true;
        reading_fact(topology->frame.reading, "topo.nic", column->subject, name);
        return true;
    }
    return false;
}

static void take_failure(struct topology *topology, struct slice line)
{
    if (slice_contains_one(line, "NVIDIA-SMI has failed", "Failed to initialize NVML", "command not found",
                           ": not found", "Unable to determine", "No devices were found", "Unknown Error",
                           "GPU is lost", "not supported on this", "Segmentation fault"))
        frame_fail(&topology->frame, slice_of(utf8_clean(topology->frame.reading->arena, line)));
}

static void take_line(struct topology *topology, struct slice text)
{
    if (take_head(topology, text))
        return;
    if (topology->count > 0 && (take_row(topology, text) || take_nic(topology, text)))
        return;
    if (slice_equal(text, "NIC Legend:"))
        topology->nic_legend = true;
    else if (topology->count > 0 && slice_starts(text, "NV#") &&
             slice_contains(text, "Connection traversing"))
        topology->legend = true;
    else
        take_failure(topology, text);
}

static bool all_named(const struct topology *topology)
{
    for (size_t i = 0; i < topology->count; i++)
        if (!topology->columns[i].gpu && !topology->columns[i].named)
            return false;
    return true;
}

static void add_columns(struct topology *topology)
{
    struct reading *reading = topology->frame.reading;

    for (size_t i = 0; i < topology->count; i++) {
        const struct column *column = &topology->columns[i];

        if (!column->gpu && !is_numbered(slice_of(column->title), "NIC"))
            reading_fact(reading, "topo.nic", column->subject, slice_of(column->title));
    }
    reading_count(reading, "topo.gpu.count", topology->gpus);
    reading_count(reading, "topo.nic.count", topology->count - topology->gpus);
}

/* Another head after the legend is another run of the tool. */
static bool begins_run(struct topology *topology, struct slice line)
{
    struct topology probe = {.frame = {.reading = topology->frame.all}};

    return topology->legend && slice_starts(line, "GPU0") && take_head(&probe, line);
}

static void read_line(void *state, struct slice line)
{
    struct topology *topology = state;

    if (begins_run(topology, line))
        frame_next_run(topology);
    take_line(topology, line);
}

static void end(void *state)
{
    struct topology *topology = state;
    struct reading *reading = topology->frame.reading;

    if (topology->count > 0)
        add_columns(topology);
    else
        reading_strange(reading, reason(reading->arena, no_matrix_head, topology->frame.first));
    if (topology->count > 0 && topology->rows == topology->count)
        topology->frame.failure.length = 0; /* it did not keep the matrix from being printed */
    if (topology->rows < topology->count)
        reading_lacks(reading, reason(reading->arena, only_some_rows, topology->rows, topology->count));
    if (!topology->legend)
        reading_lacks(reading, REASON(legend_missing));
    if (!all_named(topology))
        reading_lacks(reading, REASON(nic_legend_missing));
}

const struct parser parse_nvidia_smi_topo = {
    .name = "nvidia-smi-topo",
    .version = 1,
    .summary = "nvidia-smi topo -m: connections between GPUs and NICs, affinities",
    .grammar =
        GRAMMAR(.state_bytes = sizeof(struct topology), .flags = FRAME_RUNS, .line = read_line, .end = end),
};
