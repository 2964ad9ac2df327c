/* SPDX-License-Identifier: Apache-2.0 */
/* What command files of attempts and of windows share: marks around parts, and the way back. */
#ifndef ASSAY_COMMAND_FILE_H
#define ASSAY_COMMAND_FILE_H

#include "assay/check.h"
#include "frames.h"

/* staged.c: what a command begins with, and what each part does, to run the tools that were staged and no others. */
void put_staged_path(const struct check_context *context, struct text *out);
void put_staged_guard(const struct check_context *context, const struct part_row *row, struct text *out);

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
/* What is to be said of the marks themselves: findings, and where somebody forged one the fact OUTPUT_FORGED. window: NULL
 * of the test's own; member: whose window it is, "" where there is only one. */
void tell_frames(const struct frames *frames, const struct window *window, const char *member,
                 struct reading *out);

/* samples.c: what a light sampler shows of each GPU while the main part of a check with a window runs. */
extern const struct part_row samples_row;
void put_samples_start(const struct check_context *context, struct text *out);
void put_samples_end(struct text *out);
void read_samples(const struct check_context *context, const struct attempt *attempt, struct reading *out);

/* window.c: slots of every check with a window, and the reading of an attempt's windows. */
void window_slots(const struct check_context *context, struct slot_list *slots);
void read_windows(const struct check_context *context, struct attempt *attempt, struct reading *out);

#endif
