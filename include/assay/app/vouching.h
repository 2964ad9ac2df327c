/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose word the runs of a source are. Nothing in a database or a bundle is signed: reports are, and lie beside it, in its folder, with
 * their manifests and signatures (REPORT, REPORT.manifest, REPORT.manifest.1.sig). A run is vouched for by a report of its own, or, in
 * a database, by that of an acceptance that has it; by one of the allowed signers, over all that the source has of it, and with the
 * judgement that is its last there.
 */
#ifndef ASSAY_APP_VOUCHING_H
#define ASSAY_APP_VOUCHING_H

#include "assay/app/findings.h"
#include "assay/model/record.h"
#include "assay/store/store.h"

struct vouching;

enum vouch {
    VOUCH_GOOD,
    VOUCH_NONE,    /* nobody whom the file names has signed it */
    VOUCH_CHANGED, /* somebody has, and it is not what he signed */
};

/* The reports beside that file. signers: the file of those whose signatures count. That there are more than are looked at is told to
   the findings. In the arena; NULL with err set: its folder cannot be read. */
struct vouching *vouching_find(struct arena *arena, const char *source, const char *signers,
                               const struct findings *findings, struct error *err);
/* Of a run of the database store, which is at `source`. *ret_signers: as verification_signers has them. What is in the way, or not as
   it was signed, is told to the findings. */
int vouching_of_run(struct vouching *vouching, struct store *store, const struct record *record,
                    const struct findings *findings, enum vouch *ret_vouch, const char **ret_signers,
                    struct error *err) __attribute__((warn_unused_result));
/* Reports that say that they are of this run, for who takes a bundle: their signatures are not looked at. */
struct vouching_reports {
    LIST_OF(const char *) items;
};
void vouching_reports_of(const struct vouching *vouching, const char *run,
                         struct vouching_reports *ret_reports);

#endif
