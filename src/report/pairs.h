/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests between two hosts, of which each host is in several: rings of rdma-pair, say. What is slow between two may be either's
 * fault; where one host is slow in all its pairs, and each of its partners is fast with somebody else, it is that host's.
 */
#ifndef ASSAY_REPORT_PAIRS_H
#define ASSAY_REPORT_PAIRS_H

#include "view.h"

/* Steps over two hosts, in plan order; in the view's arena. */
struct report_pairs {
    LIST_OF(const struct step_view *) items;
};

void report_pairs_of(const struct view *view, struct report_pairs *ret_pairs);

/* The host of the failed item's pair that failed the same item in each of its pairs, two at least, while each of its partners
   passed it without that host; NULL: there is none, or the item is not of a pair. */
const struct host *pairs_share(const struct view *view, const struct report_pairs *pairs,
                               const struct outcome *outcome);

#endif
