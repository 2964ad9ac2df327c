/* SPDX-License-Identifier: Apache-2.0 */
/* The board for logs: a line where a person would make a note. What happens with several hosts at once is one line. Pure. */
#ifndef ASSAY_BOARD_PLAIN_H
#define ASSAY_BOARD_PLAIN_H

#include "assay/base/text.h"
#include "board_lines.h"

struct board_plain {
    LIST_OF(enum board_phase) phases; /* of the rows, as told */
    double last;                      /* when the last line was written about how far it is */
    bool begun;
};

/* Appends what is new since it was last asked: steps that began or are done, failures with host and reason, and once a
   minute how far the run is. Each line ends with a line break, and has no other control character. */
void board_plain_news(struct board_plain *plain, struct board_state *state, double now, struct text *out);

#endif
