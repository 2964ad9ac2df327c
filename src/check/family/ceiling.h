/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the links of a platform can carry, as RULE_PLAUSIBLE limits: what lies above is a measurement that is not what
 * it says (another unit, another factor, another host), and gates can be given as fractions of it.
 *
 * Bus bandwidth is a normalised figure (nccl-tests doc/PERFORMANCE.md): for a ring it is what each link carries in one
 * direction. all_reduce can be better than a ring where switches add: NVLS within a host reaches 1.07 of the links
 * (480 of 450 GB/s on H100, 846 of 900 on B200; nccl-tests#212, nccl#2140), and across hosts trees over two of them
 * and SHARP in the fabric halve what an adapter must carry. So its gate is eased by that, its ceiling is the ring's.
 */
#ifndef ASSAY_CHECK_CEILING_H
#define ASSAY_CHECK_CEILING_H

#include "assay/check/check.h"

struct ceiling {
    double rate; /* GB/s of bus bandwidth; 0: not known */
    const char *text;
};
/* Of one GPU within a host, or where all hosts share one fabric of NVLinks. */
struct ceiling ceiling_of_links(const struct check_context *context);
/* Across hosts, as if they had nothing but adapters between them. */
struct ceiling ceiling_of_adapters(const struct check_context *context, const char *collective,
                                   unsigned gpus_per_host);
/* Whether NVLink reaches from each member to each other. */
bool ceiling_in_domain(const struct check_context *context);

/*
 * For a collective ("all_reduce") over the context's members with so many GPUs of each. Two limits in the arena, the
 * second with a NULL metric, as slot_add takes them; NULL where the platform does not declare the links, or nobody
 * knows a bound (sendrecv across hosts: how many adapters one GPU may use depends on NCCL's configuration).
 */
const struct limit *ceiling_of_collective(const struct check_context *context, const char *collective,
                                          unsigned gpus_per_host);

#endif
