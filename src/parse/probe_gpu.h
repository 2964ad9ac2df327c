/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-probe-gpu has several tests, which share the form of their output: a head, which says how many rows and GPUs will
 * come, rows of the test, a line for each GPU, an end. parse_assay_probe_gpu.c reads that; what a test's own rows mean is in
 * a file of its own, as a row of its table of tests.
 */
#ifndef ASSAY_PROBE_GPU_TESTS_H
#define ASSAY_PROBE_GPU_TESTS_H

#include <stdbool.h>

#include "frame.h"

enum { PROBE_GPUS_MOST = 64, PROBE_HOSTS_MOST = 4096, PROBE_ROWS_MOST = 4096 };

struct probe_gpu_test;

/* A GPU, and what is said of it. */
struct probe_gpu_place {
    const char *subject; /* "gpu0", of more hosts than one "node1/gpu0"; NULL: nothing was told of it yet */
    bool seen;           /* its own line */
    const struct reason *first; /* the first that was wrong of it; NULL: nothing */
    unsigned wrong;             /* lines of what was wrong of it */
};

struct probe_gpu {
    struct frame frame;
    const struct probe_gpu_test *test; /* NULL: the head was not read */
    double hosts, gpus, rows;          /* as announced; gpus: of a host */
    unsigned gpus_seen, rows_seen;
    struct probe_gpu_place *places;                  /* hosts x gpus */
    const char **host_names;                         /* in the order in which they were told */
    unsigned hosts_told, host;                       /* host: the last one */
    const struct reason *damage;                     /* why the text cannot be whole */
    double wrong_told, wrong_lines;                  /* by the GPUs' lines; lines of what was wrong */
    double wrong_by_rows;                            /* by the rows of the test memory */
    bool seen, began, ended, ended_wrong, disagreed; /* disagreed: no answer has the majority */
    /* Of the test training: what multiplied and what part did, NULL before it was told; its rate. */
    const char *library, *part;
    double tflops;
    unsigned losses, not_a_number; /* steps */
    double first_loss, last_loss, first_not_a_number;
    double edges; /* of the test power, as announced */
};

/* A line that begins with this key. */
struct probe_gpu_kind {
    const char *key;
    void (*take)(struct probe_gpu *probe, const struct json *line);
};

struct probe_gpu_test {
    const char *name;                   /* "sdc", as the head has it */
    const char *prefix;                 /* of its metrics and facts: "gpu_memory" */
    const char *announced;              /* the head's key of how many rows come */
    const struct probe_gpu_kind *kinds; /* ends with a NULL key */
    /* Of the head what is the test's own; NULL. */
    void (*head)(struct probe_gpu *probe, const struct json *head);
    /* Of the line of a GPU what is the test's own. */
    void (*gpu)(struct probe_gpu *probe, const struct json *line, unsigned place, const char *subject);
    /* When the end was there; NULL. */
    void (*tell)(struct probe_gpu *probe);
};

extern const struct probe_gpu_test probe_gpu_sdc, probe_gpu_memory, probe_gpu_compute, probe_gpu_links,
    probe_gpu_training, probe_gpu_power;

/* A whole number that must be there, and lie between 0 and most. */
bool probe_gpu_count(struct probe_gpu *probe, const struct json *line, const char *key, double most,
                     double *ret_number);
/* The same of any number. */
bool probe_gpu_number(struct probe_gpu *probe, const struct json *line, const char *key, double most,
                      double *ret_number);
/* Numbers of a line, and the metrics that they are; a row without a key ends them. */
struct probe_gpu_metric {
    const char *key, *name, *unit;
    double per; /* of the line's numbers make one; 0: it is one */
};
/* All of them; or none where the first is not there, for nobody told it. */
void probe_gpu_measure(struct probe_gpu *probe, const struct json *line, const struct probe_gpu_metric *rows,
                       const char *subject);
/* The text, one of these (NULL ends them): a name that becomes part of a metric's. NULL, and noted as damage, where it is none. */
const char *probe_gpu_one_of(struct probe_gpu *probe, const struct json *line, const char *key,
                             const char *const *names);
/* Which GPU a row is of, as a subject and by its place; NULL, and noted as damage, where it is none that was announced. */
const char *probe_gpu_subject(struct probe_gpu *probe, const struct json *line, const char *key,
                              unsigned *ret_place);
/* Something is wrong with the GPU: short is what its fact says where it is the first, what is the finding. */
void probe_gpu_wrong(struct probe_gpu *probe, unsigned place, const struct reason *brief, const char *code,
                     const struct reason *what);
/* A fact for each GPU that was told of: right, or what was wrong first and how much more there is. */
void probe_gpu_tell_wrong(struct probe_gpu *probe, const char *fact, const struct reason *right);

#endif
