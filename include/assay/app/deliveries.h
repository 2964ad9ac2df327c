/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other deliveries over the same hosts. The same is a host by its name, and by what it is made of: a GPU, an adapter or a
 * chassis that was seen in both, whatever the host was called. One host in common is enough.
 */
#ifndef ASSAY_DELIVERIES_APP_H
#define ASSAY_DELIVERIES_APP_H

#include "assay/model/deliveries.h"
#include "assay/store/store.h"

struct deliveries_question {
    struct hostlist hosts;
    LIST_OF(long long) runs; /* in which they were seen; these are none of the others */
    long long before_number; /* only those that were made before this one, which was made here; 0: */
    double before;           /* only those that began before it; INFINITY: all */
    bool all;                /* those of no account too, and those that were settled */
};

/* Runs of other parties are none. An own one that cannot be read is left out, but for a rejected one whose hosts cannot. */
int deliveries_find(struct store *store, struct arena *arena, const struct deliveries_question *question,
                    struct other_deliveries *ret_others, struct error *err)
    __attribute__((warn_unused_result));
/* Of a run that has not ended: as far as it has come, by its own documents. What cannot be read has not failed. */
bool deliveries_run_failed(struct store *store, long long run);

#endif
