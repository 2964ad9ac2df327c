/* SPDX-License-Identifier: Apache-2.0 */
/* How what windows say against something is put together, over all members. */
#ifndef ASSAY_CHECK_WINDOW_TELL_H
#define ASSAY_CHECK_WINDOW_TELL_H

#include "assay/check/check.h"

struct labels {
    LIST_OF(const char *) items;
};
/* What is said against something, in the arena of the reading; zero where nothing is. */
struct against {
    const struct reason *said;
    size_t bytes;           /* of it in English */
    bool dropped;           /* of the member that is looked at something was too much to say */
    struct labels left_out; /* members of which more was to be said */
    struct labels unread;   /* members of which it is not known */
};
/* Adds a copy, for what it is made of may be gone before; what is too much is left out, and of whom, is told.
   what is looked at only where it is kept. */
#define window_say(out, against, what)                 \
    do {                                               \
        if (!window_said_enough((against)))            \
            window_say_more((out), (against), (what)); \
        else                                           \
            (against)->dropped = true;                 \
    } while (0)
/* All that is to be said of that member was. unknown: whether it is not known of it; false afterwards, for the next. */
void window_member_done(struct reading *out, struct against *against, const char *label, bool *unknown);
bool window_said_enough(const struct against *against);
void window_say_more(struct reading *out, struct against *against, const struct reason *what);
/* "node2: WHAT"; of a test on one host, whose label is "", WHAT alone. */
const struct reason *window_of(struct arena *arena, const char *label, const struct reason *what);
/* "3 symbol errors": a sentence of a whole number. */
const struct reason *window_count(struct arena *arena, const struct sentence *counted, double number);
/* The fact: what is said against it, and of whom it is not known; "none" only where all is known. unknown: of whomever. */
void window_conclude(struct reading *out, const char *fact, const struct against *against, bool unknown);

#endif
