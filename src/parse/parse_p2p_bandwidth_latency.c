/* SPDX-License-Identifier: Apache-2.0 */
/*
 * p2pBandwidthLatencyTest of the CUDA samples: matrices between all GPUs of a host.
 *
 * A host without peer access still prints "P2P=Enabled" matrices, measured through host memory; whether there
 * was access is p2p.access, and nothing else here tells. Cells are given as their rows become whole; the
 * reading is complete only when the closing note was seen and every matrix that began, among them one of each
 * kind, is square and as wide as the number of GPUs announced.
 */
#include "assay/reasons/any.h"
#include "assay/reasons/parse.h"

#include "frame.h"

enum { MAX_GPUS = 256 };

static const char CLOSING[] = "NOTE: The CUDA Samples are not meant for performance measurements";

/* Bits of the kinds of matrix that a whole output has. */
enum {
    HAS_ACCESS = 1 << 0,
    HAS_UNIDIRECTIONAL = 1 << 1, /* disabled; enabled is the next bit; and so for the others */
    HAS_BIDIRECTIONAL = 1 << 3,
    HAS_LATENCY_GPU = 1 << 5,
    HAS_LATENCY_CPU = 1 << 7,
    HAS_ALL = (1 << 9) - 1,
};

struct matrix {
    const char *metric; /* NULL between matrices */
    const char *unit;
    const char *op; /* "write", "read" or NULL */
    unsigned kind;
    bool has_head;
    size_t width, rows;
};

struct samples {
    struct frame frame;
    struct matrix matrix;
    bool latency_enabled; /* of the latency title; its GPU and CPU matrices come without one */
    unsigned whole;       /* kinds that were seen whole */
    size_t devices;       /* "Device: N" lines, when they count up from 0 */
    size_t width;         /* of the first matrix */
    bool closed;
    bool began;
    signed char access[MAX_GPUS * MAX_GPUS]; /* 0 unknown, 1 no, 2 yes */
};

static const char *gpu_subject(const struct samples *samples, size_t from, size_t to)
{
    return arena_printf(samples->frame.reading->arena, "gpu%zu->gpu%zu", from, to);
}

static void end_matrix(struct samples *samples)
{
    struct matrix *matrix = &samples->matrix;

    if (matrix->metric == NULL)
        return;
    if (!matrix->has_head || matrix->rows < matrix->width)
        reading_lacks(samples->frame.reading,
                      reason(samples->frame.reading->arena, matrix_lacks_rows, matrix->metric));
    else
        samples->whole |= matrix->kind;
    matrix->metric = NULL;
}

static void begin_matrix(struct samples *samples, const char *metric, const char *unit, unsigned kind,
                         const char *op)
{
    end_matrix(samples);
    samples->began = true;
    samples->matrix = (struct matrix){.metric = metric, .unit = unit, .kind = kind, .op = op};
}

static const char *op_of(struct slice title)
{
    return slice_contains(title, "Writes") ? "write" : slice_contains(title, "Reads") ? "read" : NULL;
}

/* A title line begins a matrix; false when it is none. */
static bool take_title(struct samples *samples, struct slice line)
{
    bool enabled = slice_contains(line, "P2P=Enabled");
    const char *state = enabled ? "enabled" : "disabled";
    struct arena *arena = samples->frame.reading->arena;

    if (slice_contains(line, "P2P Connectivity Matrix")) {
        begin_matrix(samples, "p2p.access", "", HAS_ACCESS, NULL);
        return true;
    }
    if (!slice_ends(line, "Matrix (GB/s)") && !slice_ends(line, "Matrix (us)"))
        return false;
    if (!enabled && !slice_contains(line, "P2P=Disabled"))
        return false;
    if (slice_starts(line, "Unidirectional ") && slice_contains(line, "Bandwidth"))
        begin_matrix(samples, arena_printf(arena, "p2p.unidirectional.%s", state), "GB/s",
                     HAS_UNIDIRECTIONAL << enabled, op_of(line));
    else if (slice_starts(line, "Bidirectional ") && slice_contains(line, "Bandwidth"))
        begin_matrix(samples, arena_printf(arena, "p2p.bidirectional.%s", state), "GB/s",
                     HAS_BIDIRECTIONAL << enabled, op_of(line));
    else if (slice_contains(line, "Latency")) {
        samples->latency_enabled = enabled;
        begin_matrix(samples, arena_printf(arena, "p2p.latency.gpu.%s", state), "us",
                     HAS_LATENCY_GPU << enabled, op_of(line));
    } else
        return false;
    return true;
}

/* "D\D 0 1 2", "GPU 0 1 2" or "CPU 0 1 2": the width, or 0 when the line is no head. The corner is its first
 * letter. */
static size_t head_width(struct slice line, char *ret_corner)
{
    struct slice word;
    uint64_t column;
    size_t width = 0;

    if (!scan_word(&line, &word) ||
        (!slice_equal(word, "D\\D") && !slice_equal(word, "GPU") && !slice_equal(word, "CPU")))
        return 0;
    *ret_corner = word.bytes[0];
    for (; scan_word(&line, &word); width++)
        if (!scan_u64(word, &column) || column != width || width >= MAX_GPUS)
            return 0;
    return width;
}

static bool take_head(struct samples *samples, struct slice line)
{
    struct matrix *matrix = &samples->matrix;
    char corner = '\0';
    size_t width = head_width(line, &corner);
    bool is_latency = matrix->metric != NULL && (matrix->kind & (HAS_LATENCY_GPU | HAS_LATENCY_GPU << 1));

    if (width == 0)
        return false;
    if (corner == 'C') {
        /* The CPU matrix follows its GPU matrix without a title of its own. */
        if (!is_latency)
            return false;
        begin_matrix(samples,
                     samples->latency_enabled ? "p2p.latency.cpu.enabled" : "p2p.latency.cpu.disabled", "us",
                     HAS_LATENCY_CPU << samples->latency_enabled, matrix->op);
    }
    if (matrix->metric == NULL)
        return false;
    /* Before CUDA 10 there was one latency matrix, with the same corner as the others and no CPU part. */
    if (is_latency && corner == 'D')
        matrix->kind |= HAS_LATENCY_CPU << samples->latency_enabled;
    if (matrix->has_head)
        reading_lacks(samples->frame.reading,
                      reason(samples->frame.reading->arena, matrix_with_two_heads, matrix->metric));
    matrix->has_head = true;
    matrix->width = width;
    if (samples->width == 0)
        samples->width = width;
    if (samples->width != width)
        reading_lacks(samples->frame.reading,
                      reason(samples->frame.reading->arena, matrices_differ_in_gpus, matrix->metric));
    return true;
}

static void set_access(struct samples *samples, size_t from, size_t to, bool can)
{
    signed char *cell = &samples->access[from * MAX_GPUS + to];

    if (*cell == 0)
        reading_measure(samples->frame.reading, "p2p.access", gpu_subject(samples, from, to), can, "");
    else if (*cell != (can ? 2 : 1))
        reading_lacks(samples->frame.reading, REASON(access_lines_differ));
    *cell = can ? 2 : 1;
}

static void take_cell(struct samples *samples, size_t from, size_t to, double value)
{
    struct matrix *matrix = &samples->matrix;
    struct measurement *cell;

    if (matrix->kind == HAS_ACCESS) {
        set_access(samples, from, to, value > 0);
        return;
    }
    cell = reading_measure(samples->frame.reading, matrix->metric, gpu_subject(samples, from, to), value,
                           matrix->unit);
    if (matrix->op != NULL)
        reading_at_text(samples->frame.reading, cell, "op", slice_of(matrix->op));
}

/* A row counts only when each of its cells is a number and none is missing. */
static bool take_row(struct samples *samples, struct slice line)
{
    struct matrix *matrix = &samples->matrix;
    double values[MAX_GPUS];
    struct slice word;
    uint64_t index;
    size_t count = 0;

    if (matrix->metric == NULL || !matrix->has_head || matrix->rows == matrix->width ||
        !scan_word(&line, &word) || !scan_u64(word, &index))
        return false;
    while (count < matrix->width && scan_word(&line, &word) && scan_double(word, &values[count]))
        count++;
    if (index != matrix->rows || count < matrix->width || scan_word(&line, &word)) {
        reading_lacks(samples->frame.reading,
                      reason(samples->frame.reading->arena, matrix_row_damaged, matrix->metric));
        return true;
    }
    for (size_t i = 0; i < count; i++)
        take_cell(samples, matrix->rows, i, values[i]);
    if (++matrix->rows == matrix->width) {
        samples->whole |= matrix->kind;
        if (!(matrix->kind & (HAS_LATENCY_GPU | HAS_LATENCY_GPU << 1)))
            matrix->metric = NULL;
    }
    return true;
}

/* "Device: 0, NVIDIA A100-SXM4-80GB, pciBusID: 6b, pciDeviceID: 0, pciDomainID:0", ids in hex */
static bool take_device(struct samples *samples, struct slice line)
{
    size_t bus_at = slice_find(line, ", pciBusID: ");
    struct slice name;
    uint64_t index;

    if (!scan_text(&line, "Device: ") || !scan_digits(&line, &index) || !scan_text(&line, ", "))
        return false;
    samples->began = true;
    if (index == samples->devices)
        samples->devices++;
    if (bus_at == (size_t)-1 || index != samples->devices - 1)
        return true;
    name = line;
    bus_at = slice_find(line, ", pciBusID: ");
    name.length = bus_at;
    reading_fact(samples->frame.reading, "gpu.name",
                 arena_printf(samples->frame.reading->arena, "gpu%llu", (unsigned long long)index), name);
    return true;
}

/* "Device=0 CANNOT Access Peer Device=1" */
static bool take_access(struct samples *samples, struct slice line)
{
    uint64_t from, to;
    bool can;

    if (!scan_text(&line, "Device=") || !scan_digits(&line, &from))
        return false;
    can = slice_starts(line, " CAN ");
    if ((!scan_text(&line, " CAN Access Peer Device=") && !scan_text(&line, " CANNOT Access Peer Device=")) ||
        !scan_digits(&line, &to) || line.length > 0 || from >= MAX_GPUS || to >= MAX_GPUS)
        return false;
    samples->began = true;
    set_access(samples, from, to, can);
    return true;
}

static void take_failure(struct samples *samples, struct slice line)
{
    if (!slice_contains_one(line, "Cuda failure", "CUDA error", "cudaError", "Runtime API error",
                            "CUDA Runtime Error", "CUDA failure", "error while loading shared libraries",
                            "command not found", "Segmentation fault"))
        return;
    reading_finding(samples->frame.reading, SEVERITY_WARNING, "p2p.cuda_failure", "",
                    reason(samples->frame.reading->arena, text, line));
    frame_fail(&samples->frame, line);
}

static void read_line(void *state, struct slice line)
{
    struct samples *samples = state;

    if (slice_contains(line, "[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]")) {
        if (samples->began)
            frame_next_run(samples);
        samples->began = true;
    }
    if (slice_starts(line, CLOSING)) {
        end_matrix(samples);
        samples->closed = true;
        return;
    }
    if (take_title(samples, line) || take_head(samples, line) || take_row(samples, line) ||
        take_device(samples, line) || take_access(samples, line))
        return;
    take_failure(samples, line);
}

/* The closing note says nothing that a cut could change. */
static bool is_whole(void *state, struct slice tail)
{
    (void)state;
    return slice_starts(tail, CLOSING);
}

static void end(void *state)
{
    struct samples *samples = state;
    struct reading *reading = samples->frame.reading;

    end_matrix(samples);
    if (samples->devices > 0 && samples->width > 0 && samples->devices != samples->width)
        reading_lacks(samples->frame.reading, REASON(gpus_not_as_announced));
    if (samples->width > 0)
        reading_count(reading, "p2p.gpus", samples->width);
    if (!samples->began)
        reading_strange(reading, REASON(no_p2p_test_output));
    if (!samples->closed)
        reading_lacks(reading, REASON(closing_note_missing));
    if (samples->whole != HAS_ALL)
        reading_lacks(reading, REASON(matrices_missing));
}

const struct parser parse_p2p_bandwidth_latency = {
    .name = "p2p-bandwidth-latency",
    .version = 2,
    .summary = "p2pBandwidthLatencyTest of the CUDA samples",
    .metrics = METRICS(
        {"p2p.access", "", BETTER_HIGHER, "1 where the GPU can access its peer directly"},
        {"p2p.unidirectional.disabled", "GB/s", BETTER_HIGHER, "copy one way, peer access off"},
        {"p2p.unidirectional.enabled", "GB/s", BETTER_HIGHER,
         "copy one way, peer access on where there is any", true},
        {"p2p.bidirectional.disabled", "GB/s", BETTER_HIGHER, "copies both ways, peer access off"},
        {"p2p.bidirectional.enabled", "GB/s", BETTER_HIGHER,
         "copies both ways, peer access on where there is any", true},
        {"p2p.latency.gpu.disabled", "us", BETTER_LOWER, "seen by the GPU, peer access off"},
        {"p2p.latency.gpu.enabled", "us", BETTER_LOWER, "seen by the GPU, peer access on where there is any"},
        {"p2p.latency.cpu.disabled", "us", BETTER_LOWER, "seen by the CPU, peer access off"},
        {"p2p.latency.cpu.enabled", "us", BETTER_LOWER,
         "seen by the CPU, peer access on where there is any"}),
    .grammar = GRAMMAR(.state_bytes = sizeof(struct samples), .flags = FRAME_RUNS | LINES_RANKS,
                       .line = read_line, .is_whole = is_whole, .end = end),
};
