/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Another party's run into a database. It stays theirs: it is told from own runs wherever it is shown, by
 * where it came from and who signed it, its waivers count for nothing until somebody here adopts them, and no own run is
 * compared with it.
 */
#ifndef ASSAY_APP_IMPORTING_H
#define ASSAY_APP_IMPORTING_H

#include "assay/app/verification.h"

enum import_end {
    IMPORT_TAKEN, /* it is in the database */
    IMPORT_THERE, /* it was there already */
    IMPORT_CHANGED, /* nothing is imported: the bundle is not as it was made or signed, or another run has its UUID */
    IMPORT_UNKNOWN, /* nothing is imported: nobody who is known has signed the report */
};

struct importing {
    const char *database;
    bool
        only_signed; /* nothing of which nobody here knows whose word it is: of what was redacted nobody does. The report was
                        found beside the bundle, and one that cannot be read is nobody's */
    struct verification
        verification; /* with its arena, findings, and the report and signers, if it is to be by them */
};

/* The run of the bundle at that path into the database, which is made if it is not there. What is found, and what was taken, is
   told to the findings of the verification. */
int import_bundle(struct importing *importing, const char *path, enum import_end *ret_end, struct error *err)
    __attribute__((warn_unused_result));

#endif
