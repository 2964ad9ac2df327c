/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files in and out. */
#ifndef ASSAY_FILES_H
#define ASSAY_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/error.h"
#include "assay/text.h"

/*
 * Reads all of path into the initialised text; "-" is standard input. A file longer than text->limit is an
 * error, never a shorter text. Returns 0, or -1 with a text that names the path.
 */
int file_read(const char *path, struct text *text, struct error *err) __attribute__((warn_unused_result));

/* Writes a temporary file beside path, syncs it, renames it over path; "-" is standard output, and a device or a pipe
 * is written to as it is. mode as for open(). */
int file_write(const char *path, const void *bytes, size_t length, unsigned mode, struct error *err)
    __attribute__((warn_unused_result));

bool file_exists(const char *path);
/* mkdir -p. */
int directory_create(const char *path, unsigned mode, struct error *err) __attribute__((warn_unused_result));
/* Removes path and all below it; symbolic links are removed, not followed. A missing path is fine. */
int directory_remove(const char *path, struct error *err) __attribute__((warn_unused_result));

/* Absolute path of the running program, for programs that lie beside it. Returns NULL when /proc is not
 * there. free() it. */
char *program_path(void);

#endif
