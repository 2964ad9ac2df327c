/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the window of a test on all its members at once: one light command each, as root where there is a way.
 * What goes wrong on a member is told of that member; the callback comes once, when all have answered or failed.
 */
#ifndef ASSAY_WINDOWS_H
#define ASSAY_WINDOWS_H

#include "assay/check/check.h"
#include "assay/run/remote.h"

struct windows_question {
    struct arena *arena; /* of the answers; it outlives the callback */
    const struct check_context *check;
    const struct attempt
        *attempt; /* with the windows before, when those after are asked; used during the call */
    enum window_role role;
    struct remote *const *remotes; /* of the members */
    const char *const *boot_ids;   /* as last seen; "" */
    unsigned grace_s;
};

/* One window for each member, in their order. */
typedef void windows_done_cb(void *context, const struct window *windows, size_t count);

void windows_read(const struct windows_question *question, windows_done_cb *done, void *context);

/* What an answer of the transport means for an attempt, and its streams with their hashes. */
enum attempt_end attempt_end_of(const struct remote_result *result);
void take_capture(struct capture *capture, const char *stream, struct slice bytes, bool flooded, bool cut);

#endif
