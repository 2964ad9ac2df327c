/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-gpu memory: how fast each GPU's memory is, and whether it keeps what is written to it.
 *
 * facts    gpu_memory.contents (gpu0) = right | word at 0x1008: pattern random, bits 0x0000000000000010, 14 times
 * metrics  gpu_memory.copy .read .write .triad (gpu0), each the median of its windows; .best and .least of each
 *          gpu_memory.covered % (gpu0)   gpu_memory.wrong_words (gpu0)   gpu_memory.PATTERN.compared MiB (gpu0)
 * findings gpu_memory.wrong (gpu0): which word, got and expected, which bits
 */
#include "assay/reasons/parse.h"
#include "probe_gpu.h"

#define BYTES_MOST 1e15 /* of a GPU's memory */

static const char *const streams[] = {"copy", "read", "write", "triad", NULL};
static const char *const patterns[] = {"address", "inversions", "random", NULL};

static void take_stream(struct probe_gpu *probe, const struct json *line)
{
    struct reading *reading = probe->frame.reading;
    const char *stream = probe_gpu_one_of(probe, line, "stream", streams), *subject;
    double median, best, least, windows;
    unsigned gpu;

    subject = probe_gpu_subject(probe, line, "gpu", &gpu);
    if (subject == NULL || stream == NULL || !probe_gpu_number(probe, line, "gbps", 1e6, &median) ||
        !probe_gpu_number(probe, line, "best", 1e6, &best) ||
        !probe_gpu_number(probe, line, "least", 1e6, &least) ||
        !probe_gpu_count(probe, line, "windows", 1e6, &windows))
        return;
    probe->rows_seen++;
    /* It was ended before this one. */
    if (windows == 0)
        return;
    reading_measure(reading, arena_printf(reading->arena, "gpu_memory.%s", stream), subject, median, "GB/s");
    reading_measure(reading, arena_printf(reading->arena, "gpu_memory.%s.best", stream), subject, best,
                    "GB/s");
    reading_measure(reading, arena_printf(reading->arena, "gpu_memory.%s.least", stream), subject, least,
                    "GB/s");
}

static void take_pattern(struct probe_gpu *probe, const struct json *line)
{
    struct reading *reading = probe->frame.reading;
    const char *pattern = probe_gpu_one_of(probe, line, "pattern", patterns), *subject;
    double bytes, wrong;
    unsigned gpu;

    subject = probe_gpu_subject(probe, line, "gpu", &gpu);
    if (subject == NULL || pattern == NULL || !probe_gpu_count(probe, line, "compared_bytes", 1e18, &bytes) ||
        !probe_gpu_count(probe, line, "wrong_words", 1e18, &wrong))
        return;
    probe->rows_seen++;
    probe->wrong_by_rows += wrong;
    reading_measure(reading, arena_printf(reading->arena, "gpu_memory.%s.compared", pattern), subject,
                    bytes / (1 << 20), "MiB");
}

static void take_gpu(struct probe_gpu *probe, const struct json *line, unsigned gpu, const char *subject)
{
    struct reading *reading = probe->frame.reading;
    double total, covered, wrong;

    (void)gpu;
    if (!probe_gpu_count(probe, line, "memory_bytes", BYTES_MOST, &total) ||
        !probe_gpu_count(probe, line, "covered_bytes", BYTES_MOST, &covered) ||
        !probe_gpu_count(probe, line, "wrong_words", 1e18, &wrong))
        return;
    if (total < 1 || covered > total) {
        probe->damage = reason(reading->arena, number_cannot_be_true, "covered_bytes");
        return;
    }
    probe->wrong_told += wrong;
    reading_measure(reading, "gpu_memory.wrong_words", subject, wrong, "");
    reading_measure(reading, "gpu_memory.covered", subject, covered / total * 100, "%");
}

static void take_wrong(struct probe_gpu *probe, const struct json *line)
{
    struct arena *arena = probe->frame.reading->arena;
    const char *offset = json_string(line, "offset", "?"), *pattern = json_string(line, "pattern", "?");
    const char *bits = json_string(line, "bits", "?"), *times;
    double count;
    unsigned gpu;

    if (probe_gpu_subject(probe, line, "wrong_word", &gpu) == NULL ||
        !probe_gpu_count(probe, line, "times", 1e18, &count))
        return;
    times = arena_printf(arena, "%.0f", count);
    probe_gpu_wrong(probe, gpu, reason(arena, word_wrong, offset, pattern, bits, times), "gpu_memory.wrong",
                    reason(arena, word_not_kept, offset, pattern, json_string(line, "got", "?"),
                           json_string(line, "expected", "?"), bits, times));
}

static void tell(struct probe_gpu *probe)
{
    probe_gpu_tell_wrong(probe, "gpu_memory.contents", REASON(answers_right));
    if (probe->wrong_by_rows != probe->wrong_told)
        reading_lacks(probe->frame.reading, REASON(end_and_gpus_differ));
}

static const struct probe_gpu_kind kinds[] = {
    {"stream", take_stream}, {"pattern", take_pattern}, {"wrong_word", take_wrong}, {0}};

const struct probe_gpu_test probe_gpu_memory = {.name = "memory",
                                                .prefix = "gpu_memory",
                                                .announced = "rows",
                                                .kinds = kinds,
                                                .gpu = take_gpu,
                                                .tell = tell};
