/* SPDX-License-Identifier: Apache-2.0 */
/* The earlier run that a report compares its own with. */
#ifndef ASSAY_APP_EARLIER_H
#define ASSAY_APP_EARLIER_H

#include "assay/model/record.h"
#include "assay/store/store.h"

/* Run `word` of the same database; NULL: the last accepted one before the record of the same hosts and suite, and if there
   is none record->earlier says so. */
int earlier_attach(struct store *store, struct arena *arena, struct record *record, const char *word,
                   struct error *err) __attribute__((warn_unused_result));

#endif
