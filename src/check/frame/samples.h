/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CHECK_SAMPLES_H
#define ASSAY_CHECK_SAMPLES_H

#include "assay/check/check.h"

/* What a light sampler shows of each GPU while the main part of a check with a window runs. */
extern const struct part_row samples_row;
void put_samples_start(const struct check_context *context, struct text *out);
void put_samples_end(struct text *out);
void read_samples(const struct check_context *context, const struct attempt *attempt, struct reading *out);

/* A fact of each GPU that it saw to the end. */
#define SAMPLES_WATCHED "window.watched"

/* Seconds between two lines of a sampler beside this test. */
unsigned samples_interval_s(const struct check_context *context);
/* "0x0000000000000040", as nvidia-smi prints why a clock is lower than it could be. */
bool samples_read_reasons(struct slice cell, uint64_t *ret_reasons);
/* Which of them slow a GPU down for heat, or for its board's power: "hw_slowdown, hw_thermal_slowdown"; NULL: none. */
const char *samples_slowdowns(struct arena *arena, uint64_t reasons);

#endif
