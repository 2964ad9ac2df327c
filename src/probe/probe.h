/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of assay-probe-collective share.
 *
 * Every rank does the same in the same order: look at itself, compare with the others, open a backend, measure
 * each size, measure paths between hosts, report. Rank 0 alone prints results; a rank that fails prints the
 * last line itself and ends the program on all.
 *
 * Times are CLOCK_MONOTONIC in microseconds, as doubles: exact to a nanosecond for a hundred days of uptime.
 */
#ifndef ASSAY_PROBE_H
#define ASSAY_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/base/error.h"
#include "assay/base/text.h"

/* Exit status, told by --help. */
enum {
    PROBE_DONE = 0,
    PROBE_WRONG = 1, /* data came out wrong */
    PROBE_USAGE = 64,
    PROBE_UNFIT = 69,  /* a rank cannot take part, or hosts do not fit together */
    PROBE_BROKEN = 70, /* MPI, NCCL or CUDA failed */
    PROBE_LATE = 75,   /* the deadline was over */
};

enum { NAME_BYTES = 64, PROBLEM_BYTES = 240 };

/* A collective in nccl-tests' terms: of `count` elements the larger of the two buffers holds. */
enum operation { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALLTOALL, SENDRECV };
struct collective {
    const char *name; /* as metrics call it */
    enum operation operation;
    bool sends_share, receives_share; /* of the buffer only count / ranks elements are used */
    const char *redop;
    double (*bus_factor)(double ranks); /* busbw = algbw * this */
    /* What element i of the receive buffer of rank `me` must hold. */
    float (*expected)(int ranks, int me, size_t count, size_t i);
};

/* Something that goes wrong on purpose, so that tests see what the program makes of it. */
enum trouble { TROUBLE_NONE, TROUBLE_HANG, TROUBLE_LATE, TROUBLE_WRONG, TROUBLE_CRASH };

struct probe_options {
    const struct collective *collective;
    const char *backend; /* "auto", "host" or "nccl" */
    size_t begin, end, path_bytes;
    unsigned factor, iterations, warmup, deadline_s;
    bool check, arrivals;
    enum trouble trouble;
    int trouble_rank;
    double trouble_us;
    const char *witness; /* where each host leaves what it saw; NULL: nowhere */
};

/* What a rank says of itself before anything is measured; travels as bytes between equal programs. */
struct rank_card {
    char program[NAME_BYTES]; /* first, and of this size in every version */
    char host[NAME_BYTES];
    char mpi[NAME_BYTES], nccl[NAME_BYTES], cuda[NAME_BYTES], driver[NAME_BYTES]; /* "" where there is none */
    char device[NAME_BYTES];
    int devices;                 /* GPUs that the rank sees */
    char problem[PROBLEM_BYTES]; /* with the GPUs; "" none */
};

/* Which rank is where. */
struct places {
    int host_count;
    int *host_of, *local_of; /* by rank: index of its host, and its index among the ranks there */
    int *first_of;           /* by host: its first rank */
};

struct probe;

struct backend {
    const char *name;
    int (*open)(struct probe *probe, struct error *err);
    /* Room for so many elements in the send and the receive buffer. */
    int (*allocate)(struct probe *probe, size_t send, size_t receive, struct error *err);
    int (*put)(struct probe *probe, const float *values, size_t at, size_t count, struct error *err);
    int (*get)(struct probe *probe, float *values, size_t at, size_t count, struct error *err);
    int (*clear)(struct probe *probe, size_t count, struct error *err); /* the receive buffer: no number */
    /* One round, which may only be begun when it returns; wait ends all that were begun. */
    int (*run)(struct probe *probe, size_t count, struct error *err);
    int (*wait)(struct probe *probe, struct error *err);
    /* Sends to one rank and receives from another. */
    int (*shift)(struct probe *probe, int to, int from, size_t count, struct error *err);
    void (*close)(struct probe *probe);
};

/* How far the clock of the rank's host is behind that of rank 0: local + offset is rank 0's time. */
struct clock_offset {
    double offset_us, error_us; /* error: half of the shortest round trip, which bounds it */
};

/* What rank 0 keeps of the arrivals of all ranks. */
struct arrivals {
    size_t rounds, capacity;
    float *late_us, *duration_us; /* [rank * capacity + round] */
    unsigned *last;               /* by rank: rounds in which it came last, by more than the clocks' error */
};

struct probe {
    struct probe_options options;
    const struct backend *backend;
    int rank, ranks;
    struct rank_card *cards; /* of all ranks */
    struct places places;
    struct clock_offset clock;
    double clock_error_us; /* the largest of all ranks; at rank 0 */
    struct arrivals arrivals;
    double path_gbps; /* this rank's best path to another host; 0: there is none */
    struct text witness;
    double witness_wrong;
    void *state; /* the backend's own */
};

/* One size, as rank 0 knows it, and own_busbw. */
struct result {
    size_t size, count; /* bytes that were asked for; elements that were moved */
    double time_us, busbw, algbw, spread_us;
    double own_wrong; /* elements at this rank */
    double own_busbw; /* by this rank's own time, at every rank */
    double wrong;     /* elements, over all ranks; less than 0: not checked */
};

/* probe_options.c: -1 with err set, 0 to go on, 1 when help was printed. */
int options_read(struct probe_options *options, int argc, char **argv, struct error *err);
void options_print_help(void);

/* collectives.c */
const struct collective *collective_find(const char *name);
float collective_value(int rank, size_t i); /* what rank sends as element i */

/* probe_ranks.c */
void ranks_compare(struct probe *probe); /* fills cards and places; ends the program where ranks do not fit */
const char *rank_host(const struct probe *probe, int rank);

/* probe_clock.c */
double clock_now_us(void);
void clock_compare(struct probe *probe); /* collective over all ranks */

/* probe_rounds.c */
void rounds_prepare(struct probe *probe);
void rounds_measure(struct probe *probe, size_t size, struct result *ret_result);

/* probe_paths.c */
void paths_measure(struct probe *probe);

/* probe_arrivals.c: rank 0's book of who came when. */
void arrivals_take(struct probe *probe, size_t size, const double *entered_us, const double *left_us,
                   double *ret_spread_us);
double median_of(double *values, size_t count); /* sorts them; 0 of none */

/* probe_output.c: lines of JSON on stdout. */
void output_head(const struct probe *probe, unsigned sizes);
void output_size(const struct result *result);
void output_round(const struct probe *probe, size_t size, size_t round, const double *entered_us,
                  const double *left_us);
void output_ranks(const struct probe *probe, const double *paths_gbps, const double *clock_errors_us);
/* how: "ok", "wrong", "unfit", "broken" or "late"; waiting_for: ranks, for "late". */
void output_end(const struct probe *probe, const char *how, const char *reason, const int *waiting_for,
                size_t waiting_count);

/* probe_witness.c: what this host saw, for others than rank 0. */
void witness_begin(struct probe *probe);
void witness_size(struct probe *probe, const struct result *result);
void witness_end(struct probe *probe);

/* probe_deadline.c: a thread that ends the program when time is over and says for whom was waited. */
void deadline_start(struct probe *probe); /* before MPI is, so that its start has one too */
void deadline_know(const struct probe *probe, bool may_use_threads);
void deadline_stop(void);
/* Each rank's progress: one more meeting with all other ranks is about to begin. */
void deadline_pass(const char *doing, size_t size);

/* probe_collective.c: both end the program on all ranks, with the reason as its last line. Of a failure one
 * rank knows; what is refused all ranks refuse at the same place. */
void probe_refuse(const struct probe *probe, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));
void probe_fail(const struct probe *probe, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));

/* The backends; what is not built in is not there. */
extern const struct backend backend_host, backend_nccl;
void nccl_describe(struct rank_card *card, int local);

#endif
