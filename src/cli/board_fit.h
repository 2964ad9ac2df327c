/* SPDX-License-Identifier: Apache-2.0 */
/* Which lines of a board are drawn where not all fit: what goes on, what failed and who is waited for come first. Pure. */
#ifndef ASSAY_BOARD_FIT_H
#define ASSAY_BOARD_FIT_H

#include "assay/board/board_state.h"

/* A line that could be drawn. */
struct candidate {
    enum { LINE_ROW, LINE_WAITS, LINE_FAILURE } kind;
    size_t row, failure; /* indexes into the state's */
    size_t rank;         /* how much it is wanted: the lower the more */
    bool taken;
};
struct candidates {
    LIST_OF(struct candidate) items;
};

/* All of them, in the order in which they are drawn, and which are taken for so many lines; where not all are, one line is
   left free to say so. What is said of a row needs the row itself. In the arena. */
void board_fit(struct arena *arena, const struct board_state *state, size_t lines, double now,
               struct candidates *ret_found);

#endif
