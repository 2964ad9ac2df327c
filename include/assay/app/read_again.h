/* SPDX-License-Identifier: Apache-2.0 */
/* Stored evidence, read by today's parsers. */
#ifndef ASSAY_APP_READ_AGAIN_H
#define ASSAY_APP_READ_AGAIN_H

#include "assay/plan/plan_build.h"
#include "assay/store/store.h"

/* What an ended attempt's stored evidence says by today's parsers, in place of what was read of it; of that the record keeps
   what the judge goes by. put: it is stored too. Not of one whose output was clipped. */
int read_again(struct store *store, const struct plan_sources *sources, struct record *record,
               struct attempt *attempt, bool put, struct error *err) __attribute__((warn_unused_result));
/* The same of all ended attempts of the record, not stored. What is stored of a clipped output is not all that was read: the
   readings of such an attempt stay as they are, and it is counted in *ret_kept. */
int read_all_again(struct store *store, const struct plan_sources *sources, struct record *record,
                   size_t *ret_kept, struct error *err) __attribute__((warn_unused_result));

#endif
