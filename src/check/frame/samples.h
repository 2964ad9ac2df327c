/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_CHECK_SAMPLES_H
#define ASSAY_CHECK_SAMPLES_H

#include "assay/check/check.h"

/* What a light sampler shows of each GPU while the main part of a check with a window runs. */
extern const struct part_row samples_row;
void put_samples_start(const struct check_context *context, struct text *out);
void put_samples_end(struct text *out);
void read_samples(const struct check_context *context, const struct attempt *attempt, struct reading *out);

#endif
