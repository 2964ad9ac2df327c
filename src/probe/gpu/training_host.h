/* SPDX-License-Identifier: Apache-2.0 */
/* Training on CPU threads that stand for GPUs: an element is a float that holds a bf16. */
#ifndef ASSAY_PROBE_TRAINING_HOST_H
#define ASSAY_PROBE_TRAINING_HOST_H

#include "training.h"

struct host_exchange;

struct training_gpu {
    struct host_exchange *exchange;
    unsigned number;
    char *memory;
    training_arrived *arrived;
    void *data;
    float loss;
};

/* Off for who compares gradients with differences of losses, which rounding would hide. */
extern bool training_host_rounds;

/* Rounded to the nearest bf16, to the even one where two are as near. */
float training_round(float value);

/* training_exchange_host.c */
struct host_exchange *host_exchange_make(const struct world *world, unsigned gpus, struct error *err);
void host_exchange_free(struct host_exchange *exchange);
void host_exchange_give_up(struct host_exchange *exchange);
/* Begins, and ends, what exchanges for the GPU while it computes. */
int host_exchange_start(struct host_exchange *exchange, unsigned gpu, struct error *err);
void host_exchange_stop(struct host_exchange *exchange, unsigned gpu);
void host_exchange_post(struct host_exchange *exchange, unsigned gpu, uint64_t number,
                        const struct training_bucket *bucket, const float *gradients,
                        const struct training_adam *adam);
/* Until that one is done by all; -1: given up. */
int host_exchange_wait(struct host_exchange *exchange, unsigned gpu, uint64_t number);
/* All that was posted is done; what it found since the last time. */
int host_exchange_finish(struct host_exchange *exchange, unsigned gpu, struct training_step *ret_step);

#endif
