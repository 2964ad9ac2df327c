/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a ring's bus bandwidth comes to with the size of its messages, so that rings of different length can be
 * compared: the more ranks, the more steps there are that each message waits for, and the lower is the bandwidth at any
 * one size on a fabric that is as good as ever ("The latency of ring increases linearly with the communicator size, and
 * larger messages are less affected": nccl#1712; nccl#1229 saw it fall from 4 hosts to 128).
 *
 * A ring takes T = a + (n - 1) / n * S / B for S bytes: a is what the steps take, B what the slowest link carries. Of
 * several sizes measured in one test both follow, by least squares, each size weighted as its noise is: a fraction of
 * its time. Nobody's figure of what a step takes is needed. The longer the steps take beside the bytes, the more of that
 * noise goes into B; METRIC.noise says how much.
 *
 * Only all_gather and reduce_scatter are rings whatever their size and number of hosts; all_reduce changes its
 * algorithm with both.
 */
#ifndef ASSAY_CHECK_ASYMPTOTE_H
#define ASSAY_CHECK_ASYMPTOTE_H

#include "assay/check/check.h"

/* Whether there are sizes enough among these, and the collective is a ring. */
bool asymptote_is_measured(const char *collective, const double *sizes, size_t count);
/* The metric over the context's members. Over more hosts than NVLink reaches it is another one than within its reach,
 * and than that of smaller groups, which see NVLink only. */
const char *asymptote_metric(const struct check_context *context, const char *collective);
/* Adds it to the reading, from the bus bandwidths that stand there; nothing where there are too few. */
void asymptote_read(const struct check_context *context, const char *collective, struct reading *out);

#endif
