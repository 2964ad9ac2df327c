/* SPDX-License-Identifier: Apache-2.0 */
/* What one window of an attempt printed. */
#ifndef ASSAY_CHECK_WINDOW_H
#define ASSAY_CHECK_WINDOW_H

#include "assay/check/check.h"
#include "frames.h"

/* How its parts are marked. */
void read_window_frames(struct arena *arena, const struct attempt *attempt, const struct window *window,
                        struct frames *ret_frames);

/* The last reading of that member in that role, or NULL. */
const struct window *window_find(const struct attempt *attempt, size_t member, enum window_role role);
/* What is said of the reading's end, or the name of that end. */
const struct reason *window_what(struct arena *arena, const struct window *window);
/* Why the part of a window says nothing; NULL: it does. */
const struct reason *window_unread(struct arena *arena, const struct window *window, const struct part *part);
/* What that part of it printed; *ret_why as window_unread has it. In the context's arena. */
struct slice window_said(const struct check_context *context, const struct attempt *attempt, size_t member,
                         enum window_role role, const char *name, const struct reason **ret_why);

#endif
