/* SPDX-License-Identifier: Apache-2.0 */
/* Whose a host is, asked before and after every test that is not light. */
#ifndef ASSAY_CHECK_OWNERS_H
#define ASSAY_CHECK_OWNERS_H

#include "assay/check/check.h"

/* The function that the part's commands call, and each owner that the part names. */
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

#endif
