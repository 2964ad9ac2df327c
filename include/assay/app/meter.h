/* SPDX-License-Identifier: Apache-2.0 */
/* What a run has kept of its hosts' outputs so far, against its limits, and whether there is room for more. */
#ifndef ASSAY_APP_METER_H
#define ASSAY_APP_METER_H

#include "assay/base/error.h"
#include "assay/model/evidence.h"

struct meter;

/* In the record's arena, with what the record has already; by the limits of its document, or by default ones. database: its
   path. */
struct meter *meter_create(const struct record *record, const char *database);
/* Counts them where they fit. False: they do not, and are not counted. */
bool meter_takes(struct meter *meter, const struct host *host, const struct capture captures[2]);
/* ERROR_INTERNAL when the disk of the database is about to be full: the run is to stop while what it has can still be
   written. */
int meter_check_disk(const struct meter *meter, struct error *err) __attribute__((warn_unused_result));

/* What is free where the database lies or will lie. ERROR_USAGE where it is too little to begin a run;
   *ret_note where it is less than a large run may take, else NULL. */
int meter_check_before(struct arena *arena, const char *database, const char **ret_note, struct error *err)
    __attribute__((warn_unused_result));

#endif
