/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files in and out. */
#ifndef ASSAY_FILES_H
#define ASSAY_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/base/error.h"
#include "assay/base/text.h"

/*
 * Reads all of path into the initialised text; "-" is standard input. A file longer than text->limit is an
 * error, never a shorter text. Returns 0, or -1 with a text that names the path.
 */
int file_read(const char *path, struct text *text, struct error *err) __attribute__((warn_unused_result));

/* The same of a regular file only, at once: whoever put a pipe or a device in its place is not waited for. */
int file_read_regular(const char *path, struct text *text, struct error *err)
    __attribute__((warn_unused_result));

/* The same until those bytes were read, with some of what follows, or to the end where they do not come: who may not read much
   is not made to. */
int file_read_until(const char *path, const char *until, struct text *text, struct error *err)
    __attribute__((warn_unused_result));

/*
 * Writes the file that a user named; all commands write by these. What has the name decides how:
 *
 *   nothing, a file         whole or not at all: written beside it under another name, synced, renamed. A new file gets
 *                           `mode` less the umask. One that was there keeps its permissions (nobody but the owner has
 *                           any where `mode` gives none to others), and its owner where root writes
 *   a symbolic link         followed: the link stays, what it names is written by this list. To nothing: refused
 *   a device, a pipe        written to as it is, and stays what it is
 *   "-", /dev/stdout, /dev/fd/N   the descriptor, which goes on where it stood
 *   a folder, a socket      refused
 *   a file with other hard links   refused: those would go on naming the old one
 *   what another user owns in a folder as /tmp (sticky, all may write)   neither followed nor replaced: refused
 */
int file_write(const char *path, const void *bytes, size_t length, unsigned mode, struct error *err)
    __attribute__((warn_unused_result));

/*
 * The same a piece at a time: file_begin, file_add, and file_finish, with which the file is there, or file_abandon, and
 * it never was. What went to a descriptor, a device or a pipe is gone. path must outlive it. After an error there is
 * file_abandon only, which leaves errors as they are and may follow file_finish.
 */
struct file_writing {
    const char *path;
    char *target;    /* what path leads to; NULL: standard output */
    char *temporary; /* NULL: there is none */
    unsigned mode;
    /* Set after file_begin by who writes many and sees to it afterwards (syncfs): the file is whole or not at all for all who
       read it, but after a loss of power it may be empty. */
    bool lasts_later;
    int fd; /* -1: closed */
};
int file_begin(struct file_writing *writing, const char *path, unsigned mode, struct error *err)
    __attribute__((warn_unused_result));
int file_add(struct file_writing *writing, const void *bytes, size_t length, struct error *err)
    __attribute__((warn_unused_result));
int file_finish(struct file_writing *writing, struct error *err) __attribute__((warn_unused_result));
void file_abandon(struct file_writing *writing);
/* Whether it is "-", a device or a pipe, beside which nothing can lie. */
bool file_is_special(const char *path);
/* Whether what is written there comes out of standard output: then nothing else may be said on it. */
bool file_is_stdout(const char *path);

/* A file for reading and writing that has no name, in TMPDIR (default: /tmp), so that nothing of it stays whatever ends us:
   its descriptor, or -1. */
int file_open_nameless(struct error *err) __attribute__((warn_unused_result));
/* All of it. Returns 0 or an errno. */
int file_write_all(int fd, const void *bytes, size_t length) __attribute__((warn_unused_result));
/* The same. what: for the message. */
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
