/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a host has several of, as a set: hosts number their drives, adapters and firmware as they find them, and in
 * whatever order they are the same ones.
 */
#ifndef ASSAY_CHECK_KINDS_H
#define ASSAY_CHECK_KINDS_H

#include "assay/base/arena.h"
#include "assay/model/reading.h"

struct kinds {
    struct arena *arena;
    LIST_OF(struct kind {
        const char *text; /* not owned */
        unsigned count;
    })
    items;
};

void kinds_count(struct kinds *kinds, const char *text);
/* "8 x NAME, 1 x OTHER" as a fact without a subject; `none` where there are none. Sorts them. */
void kinds_tell(struct reading *out, const char *fact, struct kinds *kinds);

#endif
