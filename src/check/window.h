/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASSAY_WINDOW_H
#define ASSAY_WINDOW_H

#include "assay/check.h"
#include "frames.h"

/* Names of the parts of a window that are read. */
#define WINDOW_OWNERS "owners"
#define WINDOW_MONITORS "monitors"
#define WINDOW_GPUS "gpus"
#define WINDOW_NVLINK "nvlink"
#define WINDOW_FABRIC "fabric"
#define WINDOW_HARDWARE "hardware"
#define WINDOW_DRIVES "drives"
#define WINDOW_LOG_START "log-start"
#define WINDOW_LOG "kernel-log"
#define WINDOW_WITNESS "witness"

/* window.c: how its parts are marked. */
void read_window_frames(struct arena *arena, const struct attempt *attempt, const struct window *window,
                        struct frames *ret_frames);

/* window_read.c */
extern const struct remedy window_remedies[];

/* owners.c: the function that the part's commands call, and each owner that the part names. */
void owners_functions(const struct check_context *context, size_t member, struct text *out);
void owners_before(const struct check_context *context, struct text *out);
void owners_after(const struct check_context *context, struct text *out);
void owners_release(const struct check_context *context, struct text *out);
void owners_say(const struct part *part, struct arena *arena,
                void (*say)(void *to, const struct reason *owner), void *to);
/* Why the window's part says nothing of whose the host is; NULL: it does. In the context's arena, or the window's own. */
const struct reason *owners_unanswered(const struct check_context *context, const struct window *window,
                                       const struct part *part);
/* How long the part may take, at timescale 1 and here. */
enum { OWNERS_S = 60 };
unsigned owners_deadline_s(const struct check_context *context);

/* window.c. The rows end with a NULL name. */
const struct part_row *window_parts(enum window_role role);
/* Whether members of this platform are asked for it: whose the host is before and after every test that is not
   light, the rest where the check has a window. */
bool window_part_applies(const struct check_context *context, const struct part_row *row);
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
