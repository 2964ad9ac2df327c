/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of RDMA bandwidth share: ib_write_bw and its like for one HCA after the other. */
#ifndef ASSAY_CHECK_RDMA_H
#define ASSAY_CHECK_RDMA_H

#include "assay/check/check.h"

/* perftest's own default; each run has another port, so that none waits for the last. */
#define RDMA_FIRST_PORT 18515

/* The parameters first_port and flags of sh/rdma_*.sh. */
void rdma_put_run(const struct check_context *context, unsigned first_port, double size,
                  const char *more_flags, struct text *out);

struct rdma_names {
    const char *(*subject)(const struct check_context *context, size_t hca); /* of what the i-th HCA sent */
    const char *metric; /* of the bandwidth instead of the tool's own; NULL: the tool's own */
    const char *way;    /* put into each place: "way=there"; NULL: none */
    bool
        bidirectional; /* what is asked for; a run that says that it was otherwise (a wrapper of the tool) counts not */
};
/* Adds what the part's runs measured: each names its device, from which all else follows. */
void rdma_read_part(const struct check_context *context, const struct part *part,
                    const struct rdma_names *names, struct reading *out);

/* 90 % of the declared rate, for this metric, which is the sum of so many directions; NULL where the platform declares
   none. A baseline may know better. */
const struct limit *rdma_share_of_rate(const struct check_context *context, const char *metric,
                                       unsigned directions);
/* The same of one direction between the memories of two hosts; and since no port exceeds its rate, one that is 5 % slower than a
   healthy one is below 0.95 of it, which is remarked: where all are so alike, peers and smaller groups show nothing. */
const struct limit *rdma_shares_of_path(const struct check_context *context, const char *metric);

/* How many compute HCAs the step has. */
unsigned rdma_hca_count(const struct check_context *context);

#endif
