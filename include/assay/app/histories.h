/* SPDX-License-Identifier: Apache-2.0 */
/* A history out of the database. */
#ifndef ASSAY_APP_HISTORIES_H
#define ASSAY_APP_HISTORIES_H

#include "assay/model/history.h"
#include "assay/store/store.h"

/* The next run of a history, with what it saw of GPUs and HCAs. */
int histories_add(struct store *store, struct arena *arena, struct history *history,
                  const struct record *record, struct error *err) __attribute__((warn_unused_result));
/* All runs that were judged, or the newest `last` of them (0: all), without those of other parties unless these are asked
   for. One that cannot be read is a gap, which whoever shows the history has to tell. */
int histories_collect(struct store *store, struct arena *arena, size_t last, bool imported,
                      struct history *history, struct error *err) __attribute__((warn_unused_result));

#endif
