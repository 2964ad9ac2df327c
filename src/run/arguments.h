/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of a program of this machine, of which each word is owned. */
#ifndef ASSAY_RUN_ARGUMENTS_H
#define ASSAY_RUN_ARGUMENTS_H

#include <stddef.h>

struct arguments {
    char *items[97]; /* NULL behind the last */
    size_t count;
};

/* Takes the word. What no longer fits is dropped: no caller has so many. */
void arguments_add(struct arguments *arguments, char *word);
void arguments_release(struct arguments *arguments);

#endif
