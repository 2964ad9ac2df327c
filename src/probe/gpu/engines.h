/* SPDX-License-Identifier: Apache-2.0 */
/* Of the test sdc what no SM does: words that copy engines bring up, within a GPU's memory or to another's, and down again. */
#ifndef ASSAY_PROBE_ENGINES_H
#define ASSAY_PROBE_ENGINES_H

#include "gpu.h"

struct engines;

/* Buffers are taken when the first round of such a unit comes. NULL with err set. */
struct engines *engines_open(const struct gpu_probe *probe, struct error *err);
/* A round of WORK_COPY or WORK_PEER on all GPUs. */
int engines_work(struct engines *engines, const struct gpu_probe *probe, enum work_unit unit, uint64_t seed,
                 uint64_t round, struct gpu_answers *ret_answers, struct error *err);
/* What came back of the GPU's block in the last round. */
const uint32_t *engines_words(const struct engines *engines, unsigned gpu, unsigned block);
/* NULL is none. */
void engines_close(struct engines *engines);

#endif
