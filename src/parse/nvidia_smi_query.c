/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `nvidia-smi -q`: four blanks a level, "Key : value" or the name of a section. A field's path is made of the
 * keys above it, by indentation. The text has no closing: it is whole when as many GPUs came as were
 * announced and the last one has ended: by a blank line, by its processes, or by as many lines as the GPU
 * before it.
 */

#include "assay/reasons/parse.h"

#include "nvidia_smi.h"

enum { DEPTH_MOST = 12 };

struct query {
    struct smi *smi;
    unsigned base; /* blanks before all lines, as in a text that was pasted somewhere */
    struct {
        unsigned indent;
        struct slice key;
    } stack[DEPTH_MOST];
    unsigned depth;
    bool attached_known;
    uint64_t attached;
    unsigned gpus;
    unsigned lines, lines_before; /* of this GPU and of the one before */
    bool ended;                   /* the GPU's end was seen, beyond doubt */
};

static unsigned indent_of(struct slice line)
{
    unsigned indent = 0;

    while (indent < line.length && (line.bytes[indent] == ' ' || line.bytes[indent] == '\t'))
        indent++;
    return indent;
}

/* "Key    : value"; a value may hold colons, a key does not. */
static bool split(struct slice line, struct slice *ret_key, struct slice *ret_value)
{
    size_t colon = slice_find(line, " : ");

    if (colon == (size_t)-1 && slice_ends(line, " :"))
        colon = line.length - 2;
    if (colon == (size_t)-1) {
        *ret_key = line;
        return false;
    }
    *ret_key = slice_trim((struct slice){line.bytes, colon});
    *ret_value = slice_trim(slice_from(line, colon + 2));
    return true;
}

static const char *path_of(struct query *query)
{
    struct arena *arena = query->smi->reading->arena;
    const char *path = "";

    for (unsigned i = 0; i < query->depth; i++)
        path = arena_printf(arena, "%s%s%.*s", path, i > 0 ? "/" : "", slice_print(query->stack[i].key));
    return path;
}

static void push(struct query *query, unsigned indent, struct slice key)
{
    while (query->depth > 0 && query->stack[query->depth - 1].indent >= indent)
        query->depth--;
    if (query->depth == DEPTH_MOST)
        return;
    query->stack[query->depth].indent = indent;
    query->stack[query->depth++].key = key;
}

static void read_host(struct query *query, struct slice key, struct slice value)
{
    if (slice_equal(key, "Driver Version"))
        smi_host_fact(query->smi, "driver.version", value);
    else if (slice_equal(key, "CUDA Version"))
        smi_host_fact(query->smi, "cuda.version", value);
    else if (slice_equal(key, "Attached GPUs") && scan_u64(value, &query->attached)) {
        query->attached_known = true;
        reading_measure(query->smi->reading, "gpu.attached", "", (double)query->attached, "");
        if (query->attached < SMI_GPUS_MOST)
            smi_count(query->smi, (unsigned)query->attached, true);
    }
}

static void begin_gpu(struct query *query, struct slice address)
{
    smi_end_gpu(query->smi, true);
    query->lines_before = query->lines;
    query->lines = 0;
    query->ended = false;
    query->depth = 0;
    query->gpus++;
    smi_begin_gpu(query->smi);
    smi_address(query->smi, address);
}

static void read_field(struct query *query, struct slice line)
{
    struct slice key, value;
    bool pair = split(slice_trim(line), &key, &value);

    push(query, indent_of(line), key);
    query->lines++;
    query->ended = false;
    if (!pair)
        return;
    smi_field(query->smi, path_of(query), value, slice_of(""));
    /* The last lines of a GPU without processes, and of one since driver 560. */
    if ((query->depth == 1 && slice_equal(key, "Processes")) ||
        (query->depth == 2 && slice_equal(key, "EGM")))
        query->ended = true;
}

/* Lines of the head and of each GPU, which stand at the left. */
static bool is_base(struct slice line)
{
    line = slice_trim(line);
    return slice_starts_one(line, "=====", "Timestamp ", "Driver Version ", "CUDA Version ", "Attached GPUs ",
                            "GPU 0000");
}

static void read_line(struct query *query, struct slice line)
{
    struct slice key, value, rest;

    if (is_base(line))
        query->base = indent_of(line);
    for (unsigned i = 0; i < query->base && indent_of(line) > 0; i++)
        line = slice_from(line, 1);
    rest = line;
    if (slice_trim(line).length == 0) {
        query->ended = query->ended || query->lines > 0;
        return;
    }
    if (scan_text(&rest, "GPU ") && slice_contains(rest, ":") && !slice_contains(rest, " ")) {
        begin_gpu(query, rest);
    } else if (smi_error_line(query->smi, slice_trim(line))) {
        return;
    } else if (indent_of(line) > 0) {
        if (query->smi->subject != NULL)
            read_field(query, line);
    } else if (split(line, &key, &value)) {
        read_host(query, key, value);
    }
}

static void find_lacks(struct query *query, bool cut)
{
    struct reading *reading = query->smi->reading;
    unsigned reported = query->gpus + (unsigned)query->smi->lost.count;
    bool ended = query->ended || (query->gpus > 1 && query->lines == query->lines_before);

    if (!query->attached_known)
        reading_lacks(reading, REASON(number_of_gpus_missing));
    if (reported < query->attached)
        reading_lacks(
            reading, reason(reading->arena, only_some_gpus_reported, query->gpus, (unsigned)query->attached));
    if (cut || (query->gpus > 0 && !ended))
        reading_lacks(reading, REASON(last_gpu_report_cut));
}

void smi_read_query(struct smi *smi, const struct lines *lines)
{
    struct query query = {.smi = smi};
    bool cut = slice_trim(lines->tail).length > 0;

    smi->notation = SMI_TEXT;
    for (size_t i = 0; i < lines->count; i++)
        read_line(&query, lines->items[i].text);
    find_lacks(&query, cut);
    /* As many lines as the GPU before may still lack a process: only a certain end closes sums and counts. */
    smi_end_gpu(smi, query.ended && !cut);
}
