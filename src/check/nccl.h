/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of NCCL collectives share. The collective follows from the check's name, "nccl-all-reduce". */
#ifndef ASSAY_CHECK_NCCL_H
#define ASSAY_CHECK_NCCL_H

#include "assay/check.h"

extern const struct argument nccl_arguments[];
extern const struct remedy nccl_remedies[];

/* `PROGRAM -b .. -g N` on one host, or mpirun over the members of a pair, group or cluster. */
void nccl_command(const struct check_context *context, struct text *out);
/* Bandwidth and wrong values by message size, ranks, out-of-bounds values. */
void nccl_slots(const struct check_context *context, struct slot_list *slots);
/* Where several tables stand in what one test printed, none is believed to be the test's. */
void nccl_doubt_tables(const struct attempt *attempt, struct reading *out);
/* Arguments that measure one size. */
const char *nccl_at_size(struct arena *arena, double size_bytes);
/* Sizes of which there is none, or not the ones that are owed. */
const char *nccl_arguments_fault(const struct check_context *context);
void nccl_read(const struct check_context *context, const struct attempt *attempt, struct reading *out);
/* nccl_net.c: of tests across hosts, what they went over. */
void nccl_net_slots(const struct check_context *context, struct slot_list *slots);
void nccl_net_read(const struct check_context *context, const struct attempt *attempt, struct reading *out);
unsigned nccl_expected_s(const struct check_context *context);

#endif
