/* SPDX-License-Identifier: Apache-2.0 */
/* Reasons that say the same with other numbers, as one line: "12.1 to 13.4 GB/s is below 345 GB/s". Pure. */
#ifndef ASSAY_REASONS_ALIKE_H
#define ASSAY_REASONS_ALIKE_H

#include <stdbool.h>

#include "assay/base/arena.h"

enum { ALIKE_NUMBERS = 8 };

/* A reason, and from where to where its numbers went in all that are like it. */
struct reasons_alike {
    const char *text; /* the first of them */
    struct {
        const char *low, *high; /* as they were written, in the arena */
    } numbers[ALIKE_NUMBERS];
    unsigned count;
};

struct reasons_alike reasons_alike_begin(struct arena *arena, const char *reason);
/* Takes the reason in; false: it says something else, and nothing has changed. Numbers behind a letter ("gpu3") and parts of
   versions ("550.54.15") are words. */
bool reasons_alike_add(struct arena *arena, struct reasons_alike *alike, const char *reason);
const char *reasons_alike_text(struct arena *arena, const struct reasons_alike *alike);

#endif
