/* SPDX-License-Identifier: Apache-2.0 */
/* One part of a command file, of attempts and windows alike: its marks (frames.h), and the way back. */
#ifndef ASSAY_CHECK_PART_FILE_H
#define ASSAY_CHECK_PART_FILE_H

#include "assay/check/check.h"
#include "frames.h"

/* What the words of an attempt's marks are made of, and those of a window: from its own nobody learns the attempt's, or
   another member's. */
const char *attempt_secret(const struct attempt *attempt);
const char *window_secret(struct arena *arena, const struct attempt *attempt, const struct window *window);

void put_environment(const struct check_context *context, struct text *out);
/* One part with its marks on both streams. */
void put_part(const struct check_context *context, const struct part_row *row, struct text *out);
/* Adds the part to the attempt, as it is marked and read by its parser. window: as in struct part. */
struct part *read_part(const struct check_context *context, const struct part_row *row,
                       const struct frames *frames, size_t window, struct attempt *attempt);
/* With the first line that the part said on stderr, where it said something there. */
const struct reason *part_with_complaint(struct arena *arena, const struct part *part,
                                         const struct reason *what);
/* What is to be said of the marks themselves: findings, and where somebody forged one the fact OUTPUT_FORGED. window: NULL
 * of the test's own; member: whose window it is, "" where there is only one. */
void tell_frames(const struct frames *frames, const struct window *window, const char *member,
                 struct reading *out);

#endif
