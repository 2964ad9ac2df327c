/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run of an nccl-tests program, whether it came as text or as JSON: what was printed, and what follows
 * from it.
 */
#ifndef ASSAY_NCCL_RUN_H
#define ASSAY_NCCL_RUN_H

#include "assay/base/source.h"
#include "assay/model/reading.h"

enum { PLACE_OUT, PLACE_IN, PLACES };

struct nccl_cell {
    double time, algbw, busbw, wrong, error;
    bool there, has_wrong, has_error;
};

struct nccl_row {
    uint64_t size;
    const char *type, *redop; /* redop NULL where the layout has none */
    int64_t root;             /* below 0: the collective has no root */
    struct nccl_cell cell[PLACES];
};

struct nccl_run {
    struct reading *reading;
    const char *collective; /* "all_reduce"; NULL while nothing named it */
    LIST_OF(struct nccl_row) rows;
    bool has_sizes;        /* the parameters were seen, so that the sizes to come are known */
    double min, max, step; /* bytes; step is a factor or bytes */
    bool step_is_factor;
    uint64_t ranks;     /* 0: unknown */
    bool is_cpu_time;   /* times are the CPU's */
    bool announces_end; /* of a version that also prints a line when it has concluded */
    bool concluded;     /* that line was seen */
    bool has_bounds, has_average;
    double out_of_bounds, average;
    bool bounds_failed, average_failed; /* as the tool itself says */
    bool began;                         /* something only nccl-tests prints was seen */
    const char *failure;                /* why the tool or its launcher failed */
    const struct reason *damage;        /* why rows cannot be trusted to be all there */
};

/* The closing of the tool was seen, of the form that its version has. */
bool nccl_run_closed(const struct nccl_run *run);
/* Gives the measurements, the findings that follow from them, and the status. */
void nccl_run_finish(struct nccl_run *run);
/* "all_reduce" of "./build/all_reduce_perf" or "all_reduce_perf_mpi"; NULL when the word names no collective.
 */
const char *nccl_collective_of(struct slice word);
/* "2.28.7" of 22807 */
const char *nccl_version_text(struct arena *arena, uint64_t code);
/* The same fact is given once; the first value stands. */
void nccl_fact(struct reading *reading, const char *name, const char *value);

/* The text and the JSON form; both add runs to the reading. nccl_json is for text whose first byte is '{'. */
void nccl_text(struct source *source, struct reading *reading);
void nccl_json(struct slice bytes, struct reading *reading);

enum { NCCL_PATHS = 16, NCCL_PATH_BYTES = 48, NCCL_WARNINGS = 20 };

/* What the log of a run has told already, so that a line that says it again costs next to nothing. */
struct nccl_debug {
    struct {
        char bytes[NCCL_PATH_BYTES]; /* "NET/IB/0/GDRDMA" */
        size_t length;
    } paths[NCCL_PATHS];
    size_t next_path, last_path;
    struct slice warnings[NCCL_WARNINGS]; /* in the reading's arena */
    size_t warning_count, more_warnings;
    bool has_version; /* NCCL's */
    char head[96];    /* what the last line began with */
    size_t head_length;
};

/*
 * A line of NCCL's own log (NCCL_DEBUG): facts about the transports in use, findings for warnings. false when
 * the line is none.
 */
bool nccl_debug_line(struct nccl_debug *debug, struct slice line, struct reading *reading);
/* The text behind "NCCL INFO ". */
void nccl_debug_info(struct nccl_debug *debug, struct slice text, struct reading *reading);
/* Whether the line is one of those, begins with "node1:4242:4310 [3] NCCL INFO " and tells nothing that is not known yet. */
bool nccl_debug_is_old(struct nccl_debug *debug, struct slice line);
/* Says what was left out. */
void nccl_debug_finish(struct nccl_debug *debug, struct reading *reading);

#endif
