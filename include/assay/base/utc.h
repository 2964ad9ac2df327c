/* SPDX-License-Identifier: Apache-2.0 */
/* When something was, as people read it: UTC. Times are seconds since 1970; texts are in the arena. */
#ifndef ASSAY_UTC_H
#define ASSAY_UTC_H

#include "assay/base/arena.h"

/* As strftime has the format; "?" of a time that no calendar has. */
const char *utc_text(struct arena *arena, double when, const char *format);

/* From when to when: "2026-11-23 03:10" and "03:34"; with seconds where it was less than two minutes, and with a second date
   where the day is another. */
struct utc_between {
    const char *from, *to;
};
struct utc_between utc_between(struct arena *arena, double from, double to);

#endif
