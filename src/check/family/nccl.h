/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of collectives share: check_nccl.c, check_probe_collective.c. */
#ifndef ASSAY_CHECK_NCCL_H
#define ASSAY_CHECK_NCCL_H

#include "assay/check/check.h"

/* Where several tables stand in what one test printed, none is believed to be the test's. */
void nccl_doubt_tables(const struct attempt *attempt, struct reading *out);
/* Arguments that measure one size. */
const char *nccl_at_size(struct arena *arena, double size_bytes);
/* Sizes of which there is none, or not the ones that are owed. */
const char *nccl_arguments_fault(const struct check_context *context);
/* nccl_net.c: of tests across hosts, what they went over. */
void nccl_net_slots(const struct check_context *context, struct slot_list *slots);
void nccl_net_read(const struct check_context *context, const struct attempt *attempt, struct reading *out);

#endif
