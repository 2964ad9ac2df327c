/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of assay-probe-gpu share: one process for all GPUs of a host.
 *
 * A backend is the hardware: `host` (CPU threads that stand for GPUs, their SMs one after the other, for tests and for
 * the lab) or `cuda`. What is done with it, compared and told is the same for all.
 */
#ifndef ASSAY_PROBE_GPU_H
#define ASSAY_PROBE_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/base/error.h"
#include "power_schedule.h"
#include "work.h"
#include "world.h"

/* Exit status, told by --help; the same as assay-probe-collective's. */
enum {
    GPU_DONE = 0,
    GPU_WRONG = 1, /* an answer was wrong */
    GPU_USAGE = 64,
    GPU_UNFIT = 69,  /* no GPU, or one that cannot be tested */
    GPU_BROKEN = 70, /* CUDA failed */
    GPU_LATE = 75,   /* the deadline was over */
};

#define GPU_NO_SM UINT32_MAX

enum {
    GPU_NAME_BYTES = 96,
    GPU_MOST = 64,
    GPU_SMS_MOST = 1024,     /* numbers that SMs may have */
    GPU_BLOCKS_MOST = 4096,  /* of a GPU in one round */
    GPU_TYPES = 6,           /* GEMM_TYPES */
    GPU_COPIED_BLOCKS = 256, /* by copy engines in a round, 1 MiB */
    GPU_SIZES_MOST = 4
};

/* A wrong answer on purpose: in the words of --inject. */
struct injection {
    bool any;
    unsigned gpu, sm;
    int host;        /* of those that train together; -1: all */
    int unit;        /* -1: every one */
    int lane;        /* of the block, 0 .. 127; -1: all */
    uint32_t bits;   /* that are turned over */
    uint64_t from;   /* the first round */
    uint64_t period; /* each so many rounds from then on; 1: all */
    uint64_t one_in; /* of these, one in so many at random; 1: all */
    bool in_memory;  /* the bits of a word of the GPU's memory, for the test memory */
    uint64_t offset; /* which */
    unsigned slow;   /* the GPU is so many percent slower; 0: it is not */
};

struct gpu_test;

struct gpu_options {
    const struct gpu_test *test;
    const char *backend; /* "auto", "host", "cuda" */
    bool units[WORK_UNITS];
    uint64_t rounds; /* 0: for `seconds` */
    double seconds;
    double swing;   /* s of work and of rest in turn; 0: no rest */
    unsigned depth; /* steps of each chain */
    unsigned deadline_s;
    unsigned windows; /* of each rate */
    unsigned passes;  /* of the test memory */
    bool types
        [GPU_TYPES]; /* of the test compute, by enum gemm_type; sizes: none where the backend's are meant */
    unsigned sizes[GPU_SIZES_MOST], size_count;
    double warmup_s;
    unsigned steps, layers;       /* of the test training; layers 0: as many as there is memory for */
    uint64_t seed;                /* likewise */
    unsigned host_gpus, host_sms; /* of the host backend */
    unsigned mib;                 /* of each GPU's memory at most; 0: all, of the host backend 16 */
    struct power_plan power;      /* of the test power */
    double at_s;                  /* when it begins, by the common clock; 0: soon */
    bool clock_by_stdin;          /* else CLOCK_REALTIME */
    struct injection injection;
};

struct gpu_device {
    char name[GPU_NAME_BYTES], uuid[GPU_NAME_BYTES], serial[GPU_NAME_BYTES]; /* "": not told */
    char bus[GPU_NAME_BYTES];                                                /* PCI address */
    unsigned sms, blocks; /* blocks that do SMs' work in each round, several on each */
};

/* What all GPUs answered in a round: by GPU and block. */
struct gpu_answers {
    uint64_t digests[GPU_MOST][GPU_BLOCKS_MOST];
    uint32_t sms[GPU_MOST]
                [GPU_BLOCKS_MOST]; /* the number of the SM that the block ran on; GPU_NO_SM: of none */
    unsigned blocks[GPU_MOST];
    unsigned peers[GPU_MOST]; /* to which GPU this one's went; GPU_MOST: to none */
};

struct gpu_probe;
struct gpu_memory;
struct gpu_gemm;
struct gpu_copies;
struct training_ops;

struct gpu_backend {
    const char *name;
    /* Fills probe->devices and probe->device_count, and what the backend keeps. -1 with err set. */
    int (*open)(struct gpu_probe *probe, struct error *err);
    /* NULL; or why the unit cannot be tried here: words that last. */
    const char *(*lacks)(const struct gpu_probe *probe, enum work_unit unit);
    /* The unit's work on every SM of every GPU at once. */
    int (*work)(struct gpu_probe *probe, enum work_unit unit, uint64_t seed, uint64_t round,
                struct gpu_answers *ret_answers, struct error *err);
    /* What the block left in the round that was worked last. */
    int (*words)(struct gpu_probe *probe, unsigned gpu, unsigned block, uint32_t ret_words[WORK_WORDS],
                 struct error *err);
    /* Whether the host's own arithmetic gives the same bits for the unit. */
    bool (*is_known)(enum work_unit unit);
    void (*close)(struct gpu_probe *probe);
    const struct gpu_memory *memory;     /* memory.h */
    const struct gpu_gemm *gemm;         /* gemm.h */
    const struct gpu_copies *copies;     /* copies.h */
    const struct training_ops *training; /* training.h */
};

struct gpu_probe {
    struct gpu_options options;
    struct world world;
    const struct gpu_backend *backend;
    struct gpu_device devices[GPU_MOST];
    unsigned device_count;
    char driver[GPU_NAME_BYTES], runtime[GPU_NAME_BYTES], architecture[GPU_NAME_BYTES]; /* "": not told */
    void *own;                                                                          /* the backend's */
    void *state; /* the test's, for its head */
};

extern const struct gpu_backend gpu_backend_host;
#ifdef PROBE_WITH_KERNELS
extern const struct gpu_backend gpu_backend_cuda;
#endif

/* work_host.c: "integer", and what a block of the unit leaves, computed here. */
extern const char *const work_names[WORK_UNITS];
void work_block(enum work_unit unit, uint64_t seed, unsigned depth, uint32_t ret_words[WORK_WORDS]);
uint64_t work_digest(const uint32_t words[WORK_WORDS]);
/* What copy engines are given: so many blocks of WORK_WORDS, each with its number in it; and what came back without that. */
void work_give(enum work_unit unit, uint64_t seed, unsigned blocks, uint32_t *ret_words);
void work_take(unsigned blocks, uint32_t *words);
/* To whom a GPU's words go in a round with this input: with up to 17 GPUs all pairs have had theirs when all 16 have come. */
static inline unsigned work_peer(unsigned gpu, unsigned gpus, uint64_t seed, uint64_t round)
{
    return (unsigned)((gpu + 1 + (seed + round / 4096) % (gpus - 1)) % gpus);
}

/* inject.c: "gpu=0,sm=17,unit=tensor-bf16,lane=3,bits=0x1000,from=450,period=3,one-in=1000000"; what is left out is 0,
 * every unit, all lanes, bit 0, from the first round on, in each. "gpu=0,offset=0x1000,bits=1" is a word of memory, and
 * "gpu=0,slow=20" a GPU that is 20 % slower. "host=1" as well: on that host only. */
int injection_parse(const char *text, struct injection *ret_injection, struct error *err)
    __attribute__((warn_unused_result));
/* The bits that are turned over in words of the lane; 0: none. */
uint32_t injection_bits(const struct injection *injection, unsigned gpu, unsigned sm, enum work_unit unit,
                        unsigned lane, uint64_t round);
/* Of the GPU: a word of its memory that is wrong; and what share of its true speed is told. */
struct memory_fault;
struct memory_fault injection_memory(const struct injection *injection, unsigned gpu);
double injection_speed(const struct gpu_probe *probe, unsigned gpu);

/* gpu_deadline.c: ends the program after so long, where it `tells` with a last line; SIGTERM and SIGINT ask for the end of the
 * test, and what it has found by then is told. */
void gpu_deadline_start(unsigned seconds, bool tells);
bool gpu_stop_asked(void);
/* Seconds of a clock that only goes forward. */
double gpu_now_s(void);
void gpu_deadline_stop(void);

/*
 * What the program can be asked for: a row of gpu_tests (gpu_tests.c). Common to all are the options that say which GPUs
 * and for how long, the first line of the output, and the last.
 */
enum gpu_test_number {
    GPU_TEST_SDC,
    GPU_TEST_MEMORY,
    GPU_TEST_COMPUTE,
    GPU_TEST_LINKS,
    GPU_TEST_TRAINING,
    GPU_TEST_POWER,
    GPU_TESTS
};

struct probe_line;

struct gpu_test {
    const char *name;
    const char *summary; /* for --help: lines of 80 columns, two blanks before all but the first */
    /* Its own fields of the first line, which say among others how many rows will come. */
    void (*head)(const struct gpu_probe *probe, struct probe_line *line);
    /* Prints what it found, and the end. Returns the exit status. */
    int (*run)(struct gpu_probe *probe);
};

extern const struct gpu_test gpu_test_sdc, gpu_test_memory, gpu_test_compute, gpu_test_links,
    gpu_test_training, gpu_test_power;
extern const struct gpu_test *const gpu_tests[GPU_TESTS];

/* gpu_options.c: 1 where help was asked for. */
int gpu_options_read(struct gpu_options *options, int argc, char **argv, struct error *err)
    __attribute__((warn_unused_result));
void gpu_options_help(void);

#endif
