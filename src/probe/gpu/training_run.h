/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of all GPUs of all hosts that train together, and what is said of them. */
#ifndef ASSAY_PROBE_TRAINING_RUN_H
#define ASSAY_PROBE_TRAINING_RUN_H

#include <pthread.h>

#include "gpu_threads.h"
#include "training.h"

enum { TRAINING_WARMUP = 3 /* steps that are not timed: libraries choose their ways, and connect */ };

struct training_run {
    const struct gpu_probe *probe;
    const struct training_ops *ops;
    struct training_shape shape;
    void *joined;
    unsigned steps; /* asked for */
    unsigned done;  /* by all */
    unsigned gpus;  /* of what follows: of this host, until training_run_gather */
    const struct gpu_device *devices;
    struct training_step *results;   /* [step][gpu] */
    double *arrivals;                /* [step][bucket][gpu], since the step's begin; NAN: it did not come */
    double *took;                    /* of steps, by all GPUs */
    char (*hosts)[WORLD_NAME_BYTES]; /* NULL: one host */
    struct gpu_device *gathered;
    double *begins; /* of steps */
    unsigned step_of[GPU_MOST];
    /* Where GPUs wait for each other. */
    pthread_mutex_t lock;
    pthread_cond_t met;
    unsigned waiting, meetings;
    bool failed, stopped;
};

/* training_scale.c: how many GPUs all hosts have. */
unsigned training_gpus(const struct gpu_probe *probe);
/* All hosts together: how much of the model there is room for, on the smallest GPU of all.
   -1 with err set: for none of it. */
int training_scale(const struct gpu_probe *probe, struct training_shape *ret_shape, struct error *err)
    __attribute__((warn_unused_result));

/* training_run.c */
int training_run_open(struct training_run *run, struct gpu_probe *probe, struct error *err)
    __attribute__((warn_unused_result));
void training_run_close(struct training_run *run);
int training_run_steps(struct training_run *run, struct gpu_probe *probe, struct error *err)
    __attribute__((warn_unused_result));

/* Of all hosts to host 0, which alone then has them all. */
int training_run_gather(struct training_run *run, struct error *err) __attribute__((warn_unused_result));

/* training_judge.c: what the steps say. */
enum training_wrong { TRAINING_LOSS, TRAINING_GRADIENTS, TRAINING_EXCHANGE, TRAINING_WRONGS };
struct training_errors {
    unsigned first, steps;  /* 0 steps: there is none */
    uint64_t got, expected; /* digests; of an exchange how many sums are wrong, and 0 */
};
struct training_verdict {
    struct training_errors (*errors)[TRAINING_WRONGS]; /* by GPU */
    unsigned *steps_wrong;
    bool wrong, disagreed; /* disagreed: no digest has the majority in a step, so nobody is named */
    unsigned disagreed_step;
};
int training_judge(const struct training_run *run, struct training_verdict *ret_verdict, struct error *err)
    __attribute__((warn_unused_result));
void training_verdict_free(struct training_verdict *verdict);
/* Of the step, as most GPUs have it; false: none has the majority. */
bool training_agreed(const struct training_run *run, unsigned step, unsigned *ret_gpu);
/* Of loss and gradients. */
uint64_t training_digest(const struct training_step *step);

/* Of a GPU, after the warm-up: its own speed until the first exchange, and how late it comes to exchanges. */
struct training_pace {
    struct gpu_summary forward; /* TFLOP/s */
    double late_percent;        /* of a step: the median of how long after the first */
    double last_percent;        /* of exchanges, at which it came last */
};
/* Of all GPUs. */
int training_paces(const struct training_run *run, struct training_pace *ret_paces, struct error *err)
    __attribute__((warn_unused_result));
/* TFLOP/s of a GPU, over whole steps after the warm-up. */
int training_rates(const struct training_run *run, struct gpu_summary *ret_rates, struct error *err)
    __attribute__((warn_unused_result));

#endif
