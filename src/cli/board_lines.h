/* SPDX-License-Identifier: Apache-2.0 */
/* The board as lines for a screen of a given size. Pure: nothing is printed here, and what hosts said is made harmless
   (printable.h) before it becomes part of a line. */
#ifndef ASSAY_BOARD_LINES_H
#define ASSAY_BOARD_LINES_H

#include "assay/board/board_state.h"
#include "assay/board/board_words.h"

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

#endif
