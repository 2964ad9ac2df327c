/* SPDX-License-Identifier: Apache-2.0 */
/* What a board says of times, counts and reasons, in English. Pure; everything in the arena. */
#ifndef ASSAY_BOARD_WORDS_H
#define ASSAY_BOARD_WORDS_H

#include "assay/board/board_state.h"

/* "4", "6 m"; "" for up to the high one; NULL: both are that. */
void board_left_parts(struct arena *arena, const struct board_left *left, const char **ret_low,
                      const char **ret_high);
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
/* The same for where that has no room: neither of what it is nor which metric, so that the number and its limit are seen. */
const char *board_failure_short(struct arena *arena, const struct board_failure *failure);

#endif
