/* SPDX-License-Identifier: Apache-2.0 */
/* How what windows say against something is put together, over all members. */
#ifndef ASSAY_CHECK_WINDOW_TELL_H
#define ASSAY_CHECK_WINDOW_TELL_H

#include "assay/check/check.h"

/* What is said against something, in the arena of the reading; zero where nothing is. */
struct against {
    const struct reason *said;
    size_t bytes; /* of it in English */
};
/* Adds a copy, for what it is made of may be gone before; what is too much is left out, and that is told.
   what is looked at only where it is kept. */
#define window_say(out, against, what)                 \
    do {                                               \
        if (!window_said_enough((against)))            \
            window_say_more((out), (against), (what)); \
    } while (0)
bool window_said_enough(const struct against *against);
void window_say_more(struct reading *out, struct against *against, const struct reason *what);
/* "node2: WHAT"; of a test on one host, whose label is "", WHAT alone. */
const struct reason *window_of(struct arena *arena, const char *label, const struct reason *what);
/* "3 symbol errors": a sentence of a whole number. */
const struct reason *window_count(struct arena *arena, const struct sentence *counted, double number);
/* The fact: what is said against it, although something else is not known; "none" only where all is known. */
void window_conclude(struct reading *out, const char *fact, const struct against *against, bool unknown);

#endif
