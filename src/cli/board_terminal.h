/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a board on a terminal, drawn again in place: cursor, size and colour, on stderr. */
#ifndef ASSAY_BOARD_TERMINAL_H
#define ASSAY_BOARD_TERMINAL_H

#include "board_lines.h"

struct board_terminal {
    unsigned drawn; /* lines on the screen that the next drawing replaces */
    struct board_look look;
    bool colour;
};

/* Whether stderr is one that can be drawn on. */
bool board_terminal_there(void);
/* Colour unless NO_COLOR is set; UTF-8 where the locale says so. */
void board_terminal_begin(struct board_terminal *terminal);
/* As it is now. Where it has changed, the screen is drawn anew: how the terminal has wrapped what stood there, nobody can
   say. */
void board_terminal_look(struct board_terminal *terminal);
void board_terminal_draw(struct board_terminal *terminal, const struct board_picture *picture);
/* Takes the lines away. */
void board_terminal_erase(struct board_terminal *terminal);

#endif
