/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the test of a GPU's memory asks of a backend, and the patterns that host and device share: this header is compiled
 * by the C compiler and by nvcc.
 */
#ifndef ASSAY_PROBE_MEMORY_H
#define ASSAY_PROBE_MEMORY_H

#include "gpu.h"

/* In the order in which they run. */
enum memory_stream {
    STREAM_COPY,  /* a = b: reads and writes */
    STREAM_READ,  /* a */
    STREAM_WRITE, /* a = constant */
    STREAM_TRIAD, /* a = b + s * c: two reads and a write */
    STREAMS
};

enum memory_pattern {
    PATTERN_ADDRESS, /* each word holds its own offset: lines of the address that are mixed up */
    PATTERN_INVERSIONS, /* the same bits everywhere, turned over word by word while their neighbours still have the old */
    PATTERN_RANDOM, /* made by a counter */
    PATTERNS
};

/* What every word is to hold, by its offset. */
struct memory_content {
    enum memory_pattern pattern;
    uint64_t seed;     /* of INVERSIONS the word itself */
    uint64_t inverted; /* ~0: the other way round; else 0 */
};

WORK_FUNCTION uint64_t memory_word(const struct memory_content *content, uint64_t index)
{
    uint64_t word = content->pattern == PATTERN_ADDRESS ? index * sizeof(uint64_t)
                    : content->pattern == PATTERN_INVERSIONS
                        ? content->seed
                        : work_mix(content->seed * 0x9e3779b97f4a7c15u + index);

    return word ^ content->inverted;
}

enum { MEMORY_ERRORS_KEPT = 16 };

struct memory_error {
    uint64_t offset, got, expected; /* offset: bytes, in all that was taken, one piece after the other */
};

/* Of one comparison of all words. */
struct memory_errors {
    unsigned long long count;
    unsigned kept;
    struct memory_error first[MEMORY_ERRORS_KEPT];
};

/* Bits that are wrong on purpose, wherever that word is read. */
struct memory_fault {
    uint64_t index, bits; /* bits 0: none */
};

struct memory_size {
    uint64_t total, covered; /* bytes: of the GPU; that were taken, all of which are written and read */
    uint64_t stream;         /* bytes of each array of a stream */
};

/* One GPU, by one thread; `own` is what open returned. */
struct gpu_memory {
    /* Takes all memory that is free. NULL with err set. */
    void *(*open)(struct gpu_probe *probe, unsigned gpu, struct memory_size *ret_size, struct error *err);
    /* The stream so many times; how long that took. */
    int (*stream)(void *own, enum memory_stream stream, unsigned times, double *ret_seconds,
                  struct error *err);
    int (*fill)(void *own, const struct memory_content *content, struct error *err);
    /* Compares every word; turn: and writes its inverse in its place, word by word. */
    int (*check)(void *own, const struct memory_content *content, bool turn, struct memory_errors *ret_errors,
                 struct error *err);
    void (*close)(void *own);
};

extern const struct gpu_memory memory_host, memory_cuda;

#endif
