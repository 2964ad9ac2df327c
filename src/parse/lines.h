/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clean lines out of a captured stream: what every parser reads first.
 *
 * A line is whole only if CR, LF or both ended it; what follows the last end is `tail` and is never read as a
 * line, because a number at a cut would be a shorter number. Each CR-ended progress update is a line of its
 * own. Terminal escapes (CSI, OSC, two-byte) are removed. In front of a line these are removed, also several
 * after one another:
 *   mpirun tags        [1,0]<stdout>:   [host,0]<stderr>:   [prterun-host-7@1,0]<stdout>:
 * [1,0][host:9]<stdout>: log times          2024-07-19T08:41:10.123Z   [2024-07-19 08:41:10]   Mar 01
 * 12:00:00 host unit[123]: Kubernetes (CRI)   2024-07-19T08:41:10.123456789Z stdout F      (P parts are
 * joined up to their F) rank labels        0:   [0]     as srun -l and Hydra -l write them; may be a tool's
 * own text, see below
 *
 * Open MPI also tags in the middle of a line, where one rank's text came between another's: what each rank
 * wrote is put together again, so that a line ends where that rank ended it.
 *
 * Every decision about a line depends on that line and earlier ones only, so that the lines of a cut output
 * are always the first lines of the whole one.
 */
#ifndef ASSAY_LINES_H
#define ASSAY_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/arena.h"
#include "assay/scan.h"

enum {
    LINES_KEEP_TIME =
        1 << 0,           /* log times are content here (kernel logs): leave them, and what precedes them */
    LINES_RANKS = 1 << 1, /* none of the tool's own lines begins with "0: " or "[0] ": remove the label
                             wherever it stands. Without this flag it is removed only when each of the
                             first three lines that are not blank has one. */
};

enum { RANK_NONE = -1 };

struct line {
    struct slice text; /* without its end and without blanks at its end; blanks at its start are kept */
    int rank;          /* of the rank or mpirun tag that was removed, else RANK_NONE */
    bool is_stderr;    /* the tag said so */
};

struct lines {
    struct line *items; /* blank lines included */
    size_t count;
    struct slice
        tail; /* raw bytes after the last whole line; length 0 when the text ended with an end of line */
};

/* The slices point into bytes, or into the arena where something inside a line had to go. */
void lines_read(struct arena *arena, struct slice bytes, unsigned flags, struct lines *ret_lines);

#endif
