/* SPDX-License-Identifier: Apache-2.0 */
/* The board as lines for a screen of a given size. Pure: nothing is printed here, and what hosts said is made harmless
   (printable.h) before it becomes part of a line. */
#ifndef ASSAY_BOARD_LINES_H
#define ASSAY_BOARD_LINES_H

#include "board_state.h"

struct board_look {
    unsigned width, height; /* of the screen; the board leaves its last line and last column free */
    bool utf8;              /* else ASCII only */
};

enum board_style { BOARD_USUAL, BOARD_BOLD, BOARD_DIM, BOARD_GOOD, BOARD_BAD, BOARD_DOUBT };

struct board_span {
    enum board_style style;
    const char *text; /* no line break, tab or control character */
};
struct board_line {
    LIST_OF(struct board_span) spans;
    size_t width; /* columns */
    bool full;    /* what came after it did not fit */
};
struct board_picture {
    LIST_OF(struct board_line) lines;
};

/* Everything in the arena. */
void board_draw(struct arena *arena, const struct board_state *state, const struct board_look *look,
                double now, struct board_picture *ret_picture);

/* "4 to 6 m left", "up to 40 s left". */
const char *board_left_text(struct arena *arena, const struct board_left *left);
/* "40 s", "4 m 10 s", "18 m", "1 h 54 m", "3 d 4 h". */
const char *board_time_text(struct arena *arena, double seconds);
/* "2 failed, 1 open, 3 not run"; "" where there is none. */
const char *board_counts_text(struct arena *arena, size_t failed, size_t open, size_t skipped);
/* "gpu-burn"; "isolate all-reduce". */
const char *board_row_name(struct arena *arena, const struct board_row *row);
/* "137 errors", with "gpu3: " before it where it is of one thing. */
const char *board_failure_text(struct arena *arena, const struct board_failure *failure);

#endif
