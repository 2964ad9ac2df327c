/* SPDX-License-Identifier: Apache-2.0 */
/* tar archives (ustar) in one zstd frame, sealed as bundle.h tells. */
#ifndef ASSAY_STORE_TAR_H
#define ASSAY_STORE_TAR_H

#include "assay/base/error.h"
#include "assay/base/scan.h"
#include "assay/base/sha256.h"

struct tar_writer;
/* As file_begin (files.h) does, for the owner alone. NULL with err set. */
struct tar_writer *tar_create(const char *path, struct error *err) __attribute__((warn_unused_result));
/* name: at most 100 bytes. */
int tar_add(struct tar_writer *tar, const char *name, struct slice bytes, struct error *err)
    __attribute__((warn_unused_result));
/* Frees tar in any case. */
int tar_finish(struct tar_writer *tar, struct error *err) __attribute__((warn_unused_result));
/* Leaves nothing behind. Accepts NULL. */
void tar_abandon(struct tar_writer *tar);

/* A piece at a time, in the order of the archive, and its bytes as they come: what they may be is for begin to say, before
   any of them is unpacked. -1 with err set ends the reading. */
struct tar_reader {
    void *context;
    int (*begin)(void *context, const char *name, size_t length, struct error *err);
    int (*add)(void *context, struct slice bytes, struct error *err);
    int (*end)(void *context, struct error *err);
};
/* To its end, behind which nothing may stand but the seal. *ret_sealed: whether all bytes of the file are as tar_finish left
   them. *ret_sha256: of the file. An archive of which more than 1,000 times its own size would be unpacked, and 64 MiB, is
   refused when it comes to that. */
int tar_read(const char *path, const struct tar_reader *reader, bool *ret_sealed,
             char ret_sha256[SHA256_HEX_SIZE], struct error *err) __attribute__((warn_unused_result));

#endif
