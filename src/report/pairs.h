/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests between two hosts, of which each host is in several: rings of rdma-pair, say. What is slow between two may be either's
 * fault; where one host is slow in all its pairs, and each of its partners is fast with somebody else, it is that host's.
 */
#ifndef ASSAY_REPORT_PAIRS_H
#define ASSAY_REPORT_PAIRS_H

#include "view.h"

/* A step over two hosts, as one of them is in it. */
struct seat {
    const struct host *host, *partner;
    const struct step_view *pair;
};

/* Those of one host stand together; in the view's arena. */
struct report_pairs {
    const struct view *view;
    LIST_OF(struct seat) seats;
};

void report_pairs_of(const struct view *view, struct report_pairs *ret_pairs);

/*
 * The host all of whose pairs, two at least, fail by each of the failed items, in one direction or the other, while each of
 * its partners passes both without it. NULL: there is none, or an item is not of a pair. Where all pairs of the host cross
 * leaves and no pass does, it is NULL too: the leaf's way out may be what is slow.
 */
const struct host *pairs_share(const struct report_pairs *pairs, const struct outcome *const *outcomes,
                               size_t count);

/* Whether the host passes the item in any pair of the test. */
bool pairs_pass(const struct report_pairs *pairs, const struct outcome *outcome, const struct host *host);

#endif
