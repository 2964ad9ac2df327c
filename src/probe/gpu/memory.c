/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test memory: how fast each GPU's own memory is, and whether all of it that is free keeps what is written to it. All
 * GPUs at once.
 *
 *   {"stream": "copy", "gpu": 0, ..}      GB/s over windows: median, best, least. Bytes are counted as read and written
 *   {"pattern": "random", "gpu": 0, ..}   how many bytes were compared with it, and how many words were wrong
 *   {"gpu": 0, ..}                        how many bytes it has, how many of them were taken and tested
 *   {"wrong_word": 0, ..}                 the first words of a GPU that were wrong: where, with which pattern first, all bits
 *
 * Each pattern is written to all of the memory before any of it is read, so caches hold nothing of it by then: they are a
 * hundredth of what is written. Every bit is read as 0 and as 1 in every pattern.
 */
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_output.h"
#include "gpu_threads.h"

static const char *const stream_names[STREAMS] = {"copy", "read", "write", "triad"};
static const char *const pattern_names[PATTERNS] = {"address", "inversions", "random"};
static const unsigned arrays_moved[STREAMS] = {2, 1, 1, 3};
/* Of moving inversions; the other halves come by turning them over. */
static const uint64_t inversions[] = {0, 0x5555555555555555u, 0x3333333333333333u, 0x0f0f0f0f0f0f0f0fu};

enum { STREAM_TIMES = 16 /* in each window */ };

/* A word that was wrong, and what of it was ever wrong. */
struct word_error {
    enum memory_pattern pattern; /* the first that showed it */
    struct memory_error word;    /* then */
    uint64_t bits;
    unsigned times;
};

struct memory_gpu {
    struct memory_size size;
    struct gpu_summary streams[STREAMS]; /* GB/s */
    uint64_t compared[PATTERNS];         /* bytes */
    unsigned long long wrong[PATTERNS];  /* words */
    struct word_error first[MEMORY_ERRORS_KEPT];
    unsigned kept;
};

struct memory_run {
    const struct gpu_memory *memory;
    struct memory_gpu gpus[GPU_MOST];
};

static int measure(const struct memory_run *run, struct gpu_probe *probe, unsigned gpu, void *own,
                   enum memory_stream stream, struct error *err)
{
    struct memory_gpu *result = (struct memory_gpu *)&run->gpus[gpu];
    const double bytes = (double)result->size.stream * arrays_moved[stream] * STREAM_TIMES;
    struct gpu_series *series = calloc(1, sizeof *series);
    int status = series != NULL ? 0 : error_set(err, ERROR_INTERNAL, "no memory");
    double seconds;

    /* The first is a warm-up. */
    for (unsigned window = 0; status == 0 && window <= probe->options.windows && !gpu_stop_asked();
         window++) {
        status = run->memory->stream(own, stream, STREAM_TIMES, &seconds, err);
        if (status == 0 && window > 0 && seconds > 0)
            series->values[series->count++] = bytes / 1e9 / seconds * injection_speed(probe, gpu);
    }
    if (status == 0)
        result->streams[stream] = gpu_summarise(series);
    free(series);
    return status;
}

static void note(struct memory_gpu *result, enum memory_pattern pattern, const struct memory_error *word)
{
    unsigned i = 0;

    while (i < result->kept && result->first[i].word.offset != word->offset)
        i++;
    if (i == MEMORY_ERRORS_KEPT)
        return;
    if (i == result->kept)
        result->first[result->kept++] = (struct word_error){pattern, *word, 0, 0};
    result->first[i].bits |= word->got ^ word->expected;
    result->first[i].times++;
}

static int compare(struct memory_run *run, unsigned gpu, void *own, const struct memory_content *content,
                   bool turn, struct error *err)
{
    struct memory_gpu *result = &run->gpus[gpu];
    struct memory_errors errors = {0};

    if (run->memory->check(own, content, turn, &errors, err) < 0)
        return -1;
    result->compared[content->pattern] += result->size.covered;
    result->wrong[content->pattern] += errors.count;
    for (unsigned i = 0; i < errors.kept && i < MEMORY_ERRORS_KEPT; i++)
        note(result, content->pattern, &errors.first[i]);
    return 0;
}

/* Written and compared, and the same the other way round. */
static int both_ways(struct memory_run *run, unsigned gpu, void *own, struct memory_content content,
                     struct error *err)
{
    for (unsigned way = 0; way < 2; way++, content.inverted = ~content.inverted)
        if (run->memory->fill(own, &content, err) < 0 || compare(run, gpu, own, &content, false, err) < 0)
            return -1;
    return 0;
}

/* Each word is turned over right after it was compared, up and back. */
static int move_inversions(struct memory_run *run, unsigned gpu, void *own, uint64_t word, struct error *err)
{
    struct memory_content content = {PATTERN_INVERSIONS, word, 0};

    if (run->memory->fill(own, &content, err) < 0)
        return -1;
    for (unsigned turn = 0; turn < 3; turn++, content.inverted = ~content.inverted)
        if (compare(run, gpu, own, &content, turn < 2, err) < 0)
            return -1;
    return 0;
}

static int pass(struct memory_run *run, unsigned gpu, void *own, unsigned number, struct error *err)
{
    if (both_ways(run, gpu, own, (struct memory_content){PATTERN_ADDRESS, 0, 0}, err) < 0)
        return -1;
    for (size_t i = 0; i < ARRAY_SIZE(inversions) && !gpu_stop_asked(); i++)
        if (move_inversions(run, gpu, own, inversions[i], err) < 0)
            return -1;
    return gpu_stop_asked()
               ? 0
               : both_ways(run, gpu, own, (struct memory_content){PATTERN_RANDOM, number + 1, 0}, err);
}

static int test_gpu(struct gpu_probe *probe, unsigned gpu, void *state, struct error *err)
{
    struct memory_run *run = state;
    void *own = run->memory->open(probe, gpu, &run->gpus[gpu].size, err);
    int status = own != NULL ? 0 : -1;

    for (unsigned stream = 0; stream < STREAMS && status == 0; stream++)
        status = measure(run, probe, gpu, own, (enum memory_stream)stream, err);
    for (unsigned i = 0; i < probe->options.passes && status == 0 && !gpu_stop_asked(); i++)
        status = pass(run, gpu, own, i, err);
    if (own != NULL)
        run->memory->close(own);
    return status;
}

static void head(const struct gpu_probe *probe, struct probe_line *line)
{
    probe_line_number(line, "rows", probe->device_count * (STREAMS + PATTERNS));
    probe_line_number(line, "passes", probe->options.passes);
}

static void put_stream(const struct memory_gpu *result, unsigned gpu, unsigned stream)
{
    const struct gpu_summary *rates = &result->streams[stream];
    struct probe_line line;

    probe_line_begin(&line);
    json_member(&line.writer, "stream", stream_names[stream]);
    probe_line_number(&line, "gpu", gpu);
    line_rate(&line, "gbps", rates->median);
    line_rate(&line, "best", rates->best);
    line_rate(&line, "least", rates->least);
    probe_line_number(&line, "windows", rates->windows);
    probe_line_number(&line, "bytes", (double)result->size.stream);
    probe_line_end(&line);
}

static void put_pattern(const struct memory_gpu *result, unsigned gpu, unsigned pattern)
{
    struct probe_line line;

    probe_line_begin(&line);
    json_member(&line.writer, "pattern", pattern_names[pattern]);
    probe_line_number(&line, "gpu", gpu);
    probe_line_number(&line, "compared_bytes", (double)result->compared[pattern]);
    probe_line_number(&line, "wrong_words", (double)result->wrong[pattern]);
    probe_line_end(&line);
}

static unsigned long long wrong_of(const struct memory_gpu *result)
{
    unsigned long long wrong = 0;

    for (unsigned pattern = 0; pattern < PATTERNS; pattern++)
        wrong += result->wrong[pattern];
    return wrong;
}

static void put_gpu(const struct gpu_probe *probe, const struct memory_gpu *result, unsigned gpu)
{
    struct probe_line line;

    line_begin_gpu(&line, probe, gpu);
    probe_line_number(&line, "memory_bytes", (double)result->size.total);
    probe_line_number(&line, "covered_bytes", (double)result->size.covered);
    probe_line_number(&line, "wrong_words", (double)wrong_of(result));
    probe_line_end(&line);
    for (unsigned i = 0; i < result->kept; i++) {
        const struct word_error *error = &result->first[i];

        probe_line_begin(&line);
        probe_line_number(&line, "wrong_word", gpu);
        json_member(&line.writer, "pattern", pattern_names[error->pattern]);
        line_hex(&line, "offset", error->word.offset, 1);
        line_hex(&line, "got", error->word.got, 16);
        line_hex(&line, "expected", error->word.expected, 16);
        line_hex(&line, "bits", error->bits, 16);
        probe_line_number(&line, "times", error->times);
        probe_line_end(&line);
    }
}

static unsigned long long put_all(const struct gpu_probe *probe, const struct memory_run *run)
{
    unsigned long long wrong = 0;

    for (unsigned gpu = 0; gpu < probe->device_count; gpu++) {
        for (unsigned stream = 0; stream < STREAMS; stream++)
            put_stream(&run->gpus[gpu], gpu, stream);
        for (unsigned pattern = 0; pattern < PATTERNS; pattern++)
            put_pattern(&run->gpus[gpu], gpu, pattern);
        put_gpu(probe, &run->gpus[gpu], gpu);
        wrong += wrong_of(&run->gpus[gpu]);
    }
    return wrong;
}

static int run_memory(struct gpu_probe *probe)
{
    struct memory_run *run = calloc(1, sizeof *run);
    double began = gpu_now_s();
    unsigned long long wrong;
    struct error err = {0};
    int status;

    if (run == NULL)
        return gpu_refuse(probe, GPU_BROKEN, "no memory");
    run->memory = probe->backend->memory;
    gpu_output_head(probe);
    status = gpu_all(probe, test_gpu, run, &err);
    gpu_deadline_stop();
    /* What it found before something broke counts too. */
    wrong = put_all(probe, run);
    free(run);
    if (status < 0)
        return gpu_refuse(probe, GPU_BROKEN, err.text);
    return gpu_output_done(wrong > 0, probe->options.passes, gpu_now_s() - began);
}

const struct gpu_test gpu_test_memory = {
    .name = "memory",
    .summary = "Copies, reads and writes each GPU's memory as fast as it goes, then writes\n"
               "  patterns to all of it that is free, and reads them back.",
    .head = head,
    .run = run_memory,
};
