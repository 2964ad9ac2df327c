/* SPDX-License-Identifier: Apache-2.0 */
/* The preflight that belongs to a run. */
#ifndef ASSAY_APP_PREFLIGHTS_H
#define ASSAY_APP_PREFLIGHTS_H

#include "assay/model/record.h"
#include "assay/store/store.h"

/* Finds it, if there is one, and puts it into the record. */
int preflight_attach(struct store *store, struct record *record, struct error *err)
    __attribute__((warn_unused_result));

#endif
