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

/* The same of a regular file only, at once: whoever put a pipe or a device in its place is not waited for. */
int file_read_regular(const char *path, struct text *text, struct error *err)
    __attribute__((warn_unused_result));

/* Writes a temporary file beside path, syncs it, renames it over path; "-" is standard output, and a device or a pipe
 * is written to as it is. mode as for open(). */
int file_write(const char *path, const void *bytes, size_t length, unsigned mode, struct error *err)
    __attribute__((warn_unused_result));

/*
 * The same a piece at a time: file_begin, file_add, and file_finish, with which the file is there, or file_abandon, and
 * it never was. What went to standard output, a device or a pipe is gone. path must outlive it. After an error there is
 * file_abandon only, which leaves errors as they are and may follow file_finish.
 */
struct file_writing {
    const char *path;
    char *temporary; /* NULL: there is none */
    unsigned mode;
    int fd; /* -1: closed */
};
int file_begin(struct file_writing *writing, const char *path, unsigned mode, struct error *err)
    __attribute__((warn_unused_result));
int file_add(struct file_writing *writing, const void *bytes, size_t length, struct error *err)
    __attribute__((warn_unused_result));
int file_finish(struct file_writing *writing, struct error *err) __attribute__((warn_unused_result));
void file_abandon(struct file_writing *writing);

/* A file for reading and writing that has no name, in TMPDIR (default: /tmp), so that nothing of it stays whatever ends us:
   its descriptor, or -1. */
int file_open_nameless(struct error *err) __attribute__((warn_unused_result));
/* All of it. what: for the message. */
int file_put(int fd, const void *bytes, size_t length, const char *what, struct error *err)
    __attribute__((warn_unused_result));

/* What stands behind the last slash. */
const char *file_name(const char *path);
bool file_exists(const char *path);
/* mkdir -p. */
int directory_create(const char *path, unsigned mode, struct error *err) __attribute__((warn_unused_result));
/* Removes path and all below it; symbolic links are removed, not followed. A missing path is fine. */
int directory_remove(const char *path, struct error *err) __attribute__((warn_unused_result));

/* Absolute path of the running program, for programs that lie beside it. Returns NULL when /proc is not
 * there. free() it. */
char *program_path(void);

#endif
