/* SPDX-License-Identifier: Apache-2.0 */
/* What verify and import ask of a report, its manifest, its signatures and a bundle. */
#ifndef ASSAY_APP_VERIFICATION_H
#define ASSAY_APP_VERIFICATION_H

#include "assay/app/findings.h"
#include "assay/app/signature.h"
#include "assay/store/bundle.h"
#include "assay/store/store.h"

struct verification {
    struct arena *arena;
    const char *report;          /* REPORT as given; its manifest and signatures lie beside it */
    struct findings findings;    /* each is told as it is made */
    const char *signers;         /* file of those whose signatures count; NULL: nobody's does */
    struct signed_manifest kept; /* of the report, as it was read, once */
    struct manifest manifest;    /* what it says */
    bool readable;               /* the manifest is one */
    struct signatures signatures;
    size_t wrong;  /* what is not as it was */
    size_t doubts; /* what could not be known, and was asked for */
    size_t
        unproved; /* pieces of a redacted bundle of which nobody here can say that they are of the signed run */
};

/* "CHANGED: WHAT: WHY", and counts it. */
void verification_wrong(struct verification *verification, const char *what, const char *why);
/* Manifest, signatures and the report itself, and what the manifest says of the run. -1: they cannot be read. */
int verification_check_report(struct verification *verification, struct error *err)
    __attribute__((warn_unused_result));
/* Whether all that `kept` names is so in the run `number` of store, and whether what its head says of the run is what the
   run is. where: for people. */
int verification_check_evidence(struct verification *verification, struct store *store, long long number,
                                const struct manifest *kept, bool redacted, const char *where,
                                struct error *err) __attribute__((warn_unused_result));
/* The bundle by itself, and, where there is a report, as the bundle of the run that was signed. key: of the database that a
   redacted one was exported from; "": it is not known. */
int verification_check_bundle(struct verification *verification, const struct bundle *bundle,
                              const char *path, const char *key, struct error *err)
    __attribute__((warn_unused_result));
/* What a manifest says that it is of, a line each; of an unsigned one under a line that says so. */
void verification_tell_subject(const struct verification *verification, const struct manifest *manifest,
                               bool is_signed);
/* Likewise of an acceptance in store: its runs, documents and events, as the manifest of the report names them. */
int verification_check_acceptance(struct verification *verification, struct store *store, const char *where,
                                  struct error *err) __attribute__((warn_unused_result));
/* Whether the manifest of the report is of one. */
bool verification_of_acceptance(const struct verification *verification);
/* Documents, commands and outputs, and tables that the manifest names. */
void verification_count(const struct manifest *manifest, size_t *ret_bytes, size_t *ret_tables);
/* Whose good signatures are on the manifest, one a line with the key; "" when nobody's is. In the arena. */
const char *verification_signers(const struct verification *verification);

#endif
