/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_TESTS_SAMPLE_EARLIER_H
#define ASSAY_TESTS_SAMPLE_EARLIER_H

#include "assay/model/record.h"

/* The first as a run a month before the second, which shows it. Returns the second. */
struct record *sample_beside(struct arena *arena, struct record *first, struct record *second);

#endif
