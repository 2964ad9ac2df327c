/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Our own failures, and only those. A host that is down, a refused key or a tool that crashed is a result
 * about the cluster and never a struct error.
 *
 * The function that first decides which error it is writes the text; callers pass it on or wrap it with
 * context; only src/cli prints it.
 */
#ifndef ASSAY_ERROR_H
#define ASSAY_ERROR_H

#include <stdarg.h>

/* The values are the exit status of the program for this kind of error. */
enum error_code {
    ERROR_NONE = 0,
    ERROR_USAGE = 64,    /* wrong flag, or an input file that is not as it should be */
    ERROR_INTERNAL = 70, /* our own failure: disk full, database corrupt, out of descriptors */
    ERROR_CANCELLED = 130,
};

struct error {
    enum error_code code;
    char text[1024];
};

/* Sets code and text; always returns -1, so that `return error_set(...)` is a whole error path. err may be
 * NULL. */
int error_set(struct error *err, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "context: " before the text that is there; always returns -1. */
int error_wrap(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
