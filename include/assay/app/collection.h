/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes to a vendor about one host, as one tar archive with zstd:
 *
 *     letter.txt            what failed there, by which numbers, and its parts with their serial numbers
 *     now/STEP.txt          what was collected on the host for this, if it was asked
 *     run-6/7-STEP.1.txt    what each attempt of the run on the host printed, in the order of its plan
 *     contents.txt          SHA-256, bytes and name of each file, and what could not be collected
 *
 * Outputs are as `assay logs` shows them.
 */
#ifndef ASSAY_APP_COLLECTION_H
#define ASSAY_APP_COLLECTION_H

#include "assay/model/record.h"
#include "assay/report/report.h"
#include "assay/store/store.h"

struct collection {
    struct arena *arena;
    struct store *store;      /* of both runs, or of their copies in which names are pseudonyms */
    struct record *record;    /* the run with the finding */
    const struct host *host;  /* of its plan */
    struct record *collected; /* the run of the suite `collect`; NULL: the host was not asked */
    enum report_language language;
    size_t files, missing; /* are set: what is in it, and steps of `collected` that gave nothing */
};
/* path: "-" is standard output. */
int collection_write(struct collection *collection, const char *path, struct error *err)
    __attribute__((warn_unused_result));

#endif
