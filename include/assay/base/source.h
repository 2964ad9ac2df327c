/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that are pulled, so that an output of any length is read in bounded memory: a slice, a file
 * descriptor, or a callback.
 *
 * bytes and length are the window: what has been pulled and not yet taken. A reader looks there, takes what
 * it has used up from the front, and asks for more when the window does not hold enough. The window moves
 * with source_more and stays where it is otherwise. Of a slice it is all of it from the beginning, and
 * nothing is copied.
 */
#ifndef ASSAY_SOURCE_H
#define ASSAY_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "assay/base/scan.h"

/* Fills at most size bytes and returns how many, 0 at the end, -1 with errno set when reading failed. */
typedef ssize_t source_pull_cb(void *context, char *buffer, size_t size);

struct source {
    const char *bytes;
    size_t length;
    bool ended;    /* nothing will come after the window */
    int failure;   /* errno of a read that failed; 0: none. The bytes end there, but they are not whole */
    bool is_lossy; /* a reader left out bytes that it could not hold (see lines.h) */

    /* private */
    source_pull_cb *pull;
    void *context;
    int fd;
    size_t refill;
    char *buffer;
    size_t capacity;
};

enum { SOURCE_REFILL_BYTES = 32 * 1024 }; /* stays in the nearest cache while it is looked through */

void source_of_slice(struct source *source, struct slice bytes);
/* fd stays the caller's to close. */
void source_of_file(struct source *source, int fd);
/* At most refill bytes are asked for at a time; 0: SOURCE_REFILL_BYTES. */
void source_of_pull(struct source *source, source_pull_cb *pull, void *context, size_t refill);
void source_release(struct source *source);
#define cleanup_source __attribute__((cleanup(source_release)))

/* Makes the window longer. False when nothing came: the end, or a failure. */
bool source_more(struct source *source);
/* Takes length bytes, which the window holds, off its front. */
static inline void source_take(struct source *source, size_t length)
{
    source->bytes += length;
    source->length -= length;
}
/* The window, with at least length bytes in it where there are so many. */
struct slice source_peek(struct source *source, size_t length);

#endif
