/* SPDX-License-Identifier: Apache-2.0 */
/* Release at the end of scope, and the transfer that prevents it: the call lifetime. */
#ifndef ASSAY_CLEANUP_H
#define ASSAY_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free_pointer(void *pointer)
{
    free(*(void **)pointer);
}

static inline void cleanup_close_fd(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

static inline void cleanup_close_file(FILE **file)
{
    if (*file != NULL)
        fclose(*file);
}

#define cleanup_free __attribute__((cleanup(cleanup_free_pointer)))
#define cleanup_fd __attribute__((cleanup(cleanup_close_fd)))
#define cleanup_file __attribute__((cleanup(cleanup_close_file)))

/* Hands the pointer on and leaves NULL behind, so that cleanup_free releases nothing. */
#define steal_pointer(pointer)                   \
    __extension__({                              \
        __typeof__(pointer) stolen_ = (pointer); \
        (pointer) = NULL;                        \
        stolen_;                                 \
    })

#endif
