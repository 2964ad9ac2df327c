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
#include <stddef.h>

/* The values are the exit status of the program for this kind of error. */
enum error_code {
    ERROR_NONE = 0,
    ERROR_USAGE = 64,    /* wrong flag, or an input file that is not as it should be */
    ERROR_INTERNAL = 70, /* our own failure: disk full, database corrupt, out of descriptors */
};

/* Of what is wrong with one input so many are told; the others are counted. */
enum { ERRORS_TOLD = 20 };

struct error {
    enum error_code code;
    unsigned count;  /* of those that text and more tell, and of those that are only counted */
    unsigned untold; /* the latter */
    char text[1024]; /* the first one, which is all of it but for who reads on behind it (error_add) */
    char more[5120]; /* the others, each in a line, and at the end "and 34 more errors" */
};

/* Sets code and text; always returns -1, so that `return error_set(...)` is a whole error path. err may be
 * NULL. */
int error_set(struct error *err, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * For who reads an input to its end whatever is wrong in it, so that all of it is told at once: sets the first error, adds
 * the next ones. An error of our own (ERROR_INTERNAL) stays alone. A reader begins with error_clear. Always returns -1;
 * err may be NULL.
 */
int error_add(struct error *err, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void error_clear(struct error *err); /* NULL: nothing happens */

/* Adds what another input has wrong. Always returns -1. */
int error_join(struct error *err, const struct error *other);

/* Puts "context: " before the text that is there; always returns -1. */
int error_wrap(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
