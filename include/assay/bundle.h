/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence bundles: one run in one file that `tar --zstd -x` unpacks.
 *
 *   manifest      what it consists of (manifest.h)
 *   report.json   as `assay report --format json` wrote it
 *   run.db        an assay database with this run, without the bytes that follow
 *   document/N    suite, hostfile, platforms, baselines, command line, as manifest names them
 *   command/UUID  the command file of an attempt
 *   capture/UUID/stdout, stderr, window-N/stdout ...
 *
 * After the archive stands a zstd skippable frame, which tar passes over, with the SHA-256 of all bytes before it.
 */
#ifndef ASSAY_BUNDLE_H
#define ASSAY_BUNDLE_H

#include "assay/manifest.h"
#include "assay/store.h"

/* store holds only this run (store_copy_run into a new file). folder: for a file that is gone again afterwards. */
int bundle_write(const char *path, struct store *store, const char *folder, const struct manifest *manifest,
                 struct slice report, struct error *err) __attribute__((warn_unused_result));

struct bundle {
    struct store *store; /* in a file of the folder; the caller closes it */
    long long number;    /* of its run there */
    struct manifest manifest;
    struct slice report;  /* report.json */
    const char *unsealed; /* NULL, or what tells that bytes of the file are not as they were written */
};
/* Unpacks into folder, which is there and empty. An archive that cannot be read to its end: ERROR_USAGE that names
   the piece where it breaks. Whether its pieces are those of its manifest is for store_manifest to tell. */
int bundle_open(const char *path, const char *folder, struct arena *arena, struct bundle *ret_bundle,
                struct error *err) __attribute__((warn_unused_result));

#endif
