/* SPDX-License-Identifier: Apache-2.0 */
/* tar archives (ustar) in one zstd frame, sealed as bundle.h tells. */
#ifndef ASSAY_STORE_TAR_H
#define ASSAY_STORE_TAR_H

#include "assay/error.h"
#include "assay/scan.h"

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

struct tar_reader {
    void *context;
    /* The bytes are good until it returns. -1 with err set ends the reading. */
    int (*entry)(void *context, const char *name, struct slice bytes, struct error *err);
};
/* *ret_sealed: whether all bytes of the file are as tar_finish left them. */
int tar_read(const char *path, const struct tar_reader *reader, bool *ret_sealed, struct error *err)
    __attribute__((warn_unused_result));

#endif
