/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The controller's side of the guard: what to send for a job, and reading what comes back. No network, no
 * clock, and of files only the temporary one of an output that is too long for memory.
 *
 * An answer is whole or it is none: what was cut at any byte never reads as another result.
 */
#ifndef ASSAY_RUN_GUARD_H
#define ASSAY_RUN_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "assay/base/text.h"
#include "assay/run/remote.h"
#include "spool.h"

enum {
    GUARD_SWEEP_S = 10,       /* how long the host tries to end what carries the mark */
    GUARD_GRACE_S = 10,       /* default of remote_job.grace_s */
    GUARD_DEADLINE_S = 60,    /* default of remote_job.deadline_s */
    GUARD_READ_LIMIT = 102400 /* a READ's command is one argument, and those end at 128 KiB */
};

/* NULL when the job can be sent, else what is wrong with it: our own mistake, before anything is sent. */
const struct reason *guard_job_fault(const struct remote_job *job);

/*
 * How root is reached. With a password the login user's own shell takes it as the first line of stdin and hands it to
 * sudo alone, by a pipe: once to see whether it is the right one, and once with the rest of stdin behind it, which
 * begins with a line that sudo has not read. So a password is not taken for a command, whatever sudo asks for or not.
 */
enum guard_root { GUARD_AS_LOGIN, GUARD_SUDO, GUARD_SUDO_PASSWORD };

/* The line for the login shell: short, and made only of what dash, bash, tcsh, fish and busybox agree on. */
void guard_exec(const struct remote_job *job, enum guard_root root, struct text *out);
/* The words that make a line of the answer its beginning, or its end: nobody else may know them. They are two, for the
   first stands in a pipe while the command runs. */
struct guard_frame {
    const char *begun, *ended;
};

/* What goes to its stdin: the guard, the frame and the job's secret, the command, the files. With GUARD_SUDO_PASSWORD the
   password, a newline and GUARD_BEGIN stand before it. */
void guard_input(const struct remote_job *job, const struct guard_frame *frame, struct text *out);
#define GUARD_BEGIN "@assay-begin\n"
/* How long the host itself may take before it answers, in seconds. */
unsigned guard_seconds(const struct remote_job *job);

enum { GUARD_STDOUT, GUARD_STDERR };

/* One of the two streams as it comes in. */
struct guard_stream {
    enum { GUARD_NOISE, GUARD_BODY, GUARD_DONE, GUARD_GARBLED } state;
    struct text noise;  /* what came before the answer: its first bytes, for people */
    struct text window; /* what is not decided yet */
    struct spool *body;
};

struct guard_reply {
    enum remote_verb verb;
    char begun[80], ended[80]; /* "@assay WORD begun", "@assay WORD ended" */
    uint64_t clip;
    struct guard_stream streams[2];
    struct text header; /* the `ended` line without its mark */
    /* of the spooled answer, whose two streams come one behind the other on stdout */
    uint64_t out_length, err_length;
};

void guard_reply_init(struct guard_reply *reply, const struct remote_job *job,
                      const struct guard_frame *frame);
void guard_reply_release(struct guard_reply *reply);
/* Takes what the channel brought; stream is GUARD_STDOUT or GUARD_STDERR. */
void guard_reply_feed(struct guard_reply *reply, int stream, const char *bytes, size_t length);
/* The answer is whole: whatever else comes does not matter. */
bool guard_reply_whole(const struct guard_reply *reply);
/* The answer has begun, so what follows is the command's and not the login shell's. */
bool guard_reply_begun(const struct guard_reply *reply);

/*
 * The result as far as it came. Not whole: a header without all its bytes is REMOTE_ENDED with cut set; no
 * header is REMOTE_SUDO_REFUSED or REMOTE_NO_ANSWER with what was said instead. The result points into the
 * reply and into the arena.
 */
void guard_reply_result(struct guard_reply *reply, struct arena *arena, struct remote_result *ret_result);

#endif
