/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence bundles: one run in one file that `tar --zstd -x` unpacks.
 *
 *   manifest      what it consists of (manifest.h)
 *   report.json   as `assay report --format json` wrote it
 *   run.db        an assay database with this run, without the bytes that follow
 *   document/N    suite, hostfile, platforms, baselines, command line, as manifest names them
 *   judgement/UUID/N  what a judgement rests on beside them: another baseline
 *   command/UUID  the command file of an attempt
 *   capture/UUID/stdout, stderr, window-N/stdout ...
 *
 * After the archive stands a zstd skippable frame, which tar passes over, with the SHA-256 of all bytes before it.
 */
#ifndef ASSAY_BUNDLE_H
#define ASSAY_BUNDLE_H

#include "assay/model/manifest.h"
#include "assay/store/store.h"

/* store holds only this run (store_copy_run into a new file). folder: for a file that is gone again afterwards. The head of
   the manifest gets what it says of run.db, in the arena. */
int bundle_write(const char *path, struct store *store, const char *folder, struct arena *arena,
                 struct manifest *manifest, struct slice report, struct error *err)
    __attribute__((warn_unused_result));

struct bundle {
    struct store *store; /* in a file without a name; the caller closes it */
    long long number;    /* of its run there */
    struct manifest manifest;
    char sha256[SHA256_HEX_SIZE]; /* of the bundle's file */
};
/*
 * Another party's. Its pieces are exactly those of its manifest, in that order, each with the bytes and the length that are
 * named, nothing between them and nothing behind; its database is read as foreign.h tells, and nothing of it is written to
 * a file that has a name. ERROR_USAGE says what is not so. What is not seen here: whether the rows have the hashes of the
 * manifest (store_manifest), and who signed any of it.
 */
int bundle_open(const char *path, struct arena *arena, struct bundle *ret_bundle, struct error *err)
    __attribute__((warn_unused_result));

#endif
