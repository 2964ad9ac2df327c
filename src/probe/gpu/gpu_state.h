/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the driver's NVML says of the GPUs before the probe uses them: whether somebody else works on them, whether they are cut into
 * instances, who may use them, and their serial numbers. Asked before, for later the probe is one of those that work on them, and in
 * a container nobody knows which.
 */
#ifndef ASSAY_PROBE_GPU_STATE_H
#define ASSAY_PROBE_GPU_STATE_H

#include "gpu.h"

struct gpu_states;

/* NULL: nobody tells anything. */
struct gpu_states *gpu_states_ask(void);
/* Fills in what devices do not know of themselves. -1 with err set where one cannot be tested as a whole and alone. states may be
   NULL. */
int gpu_states_fit(const struct gpu_states *states, struct gpu_probe *probe, struct error *err)
    __attribute__((warn_unused_result));
/* To an error of who could not open the GPUs: what may be why. */
void gpu_states_explain(const struct gpu_states *states, struct error *err);
void gpu_states_free(struct gpu_states *states);

#endif
