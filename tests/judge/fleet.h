/* SPDX-License-Identifier: Apache-2.0 */
/* A simulated fleet to try the comparison of peers on: copies between all GPUs of a host both ways, and a burn. */
#ifndef ASSAY_TESTS_JUDGE_FLEET_H
#define ASSAY_TESTS_JUDGE_FLEET_H

#include "assay/judge/peers.h"

enum noise {
    NOISE_NORMAL,
    NOISE_HEAVY /* one value in 20 is five times as wrong */,
    NOISE_BY_HOST /* half of it is one
                                          number for each host and aspect */
};

/* One kind of trial; slow GPUs and paths are put at random places, on different hosts but for `together`. */
struct fleet {
    const char *name;
    size_t hosts, gpus;
    double noise; /* standard deviation of one value: 0.02 */
    enum noise kind;
    unsigned slow_gpus, slow_paths; /* a path: both directions between two GPUs */
    bool together;                  /* the slow GPUs are of one host */
    bool one_aspect;                /* they are slow in the burn only */
    double loss;                    /* of them: 0.05 */
    double all_slower;              /* of every host: 0.10 */
};

struct fleet_trial {
    unsigned found, failed;              /* of what was put there: named, and named as a fail */
    unsigned wrong_remarks, wrong_fails; /* of what is healthy, or is named as another thing than it is */
};

struct fleet_trial fleet_try(const struct fleet *fleet, unsigned long seed);

#endif
