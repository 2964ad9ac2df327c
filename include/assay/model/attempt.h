/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attempts: one try of one step, with its evidence. Every attempt is kept and shown; there is no best-of.
 * Plain data, filled by run/, kept by store/, read by judge/ and report/.
 */
#ifndef ASSAY_ATTEMPT_H
#define ASSAY_ATTEMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "assay/base/sha256.h"
#include "assay/model/reading.h"

enum attempt_state {
    ATTEMPT_SENT, /* committed before anything is sent; with no end it is what resume attaches to */
    ATTEMPT_ENDED,
};

/* How an attempt ended, as the table of outcomes distinguishes it. */
enum attempt_end {
    ATTEMPT_RAN,      /* the command ran to its own end; rc and the reading tell the rest */
    ATTEMPT_KILLED,   /* ended by a signal that we did not send */
    ATTEMPT_DEADLINE, /* hang: ended by its deadline on the host */
    ATTEMPT_REBOOTED, /* the boot id changed */
    ATTEMPT_LOST,     /* the host's supervisor was killed */
    ATTEMPT_UNREACHABLE,
    ATTEMPT_AUTH_REFUSED,
    ATTEMPT_HOST_KEY_UNKNOWN,
    ATTEMPT_HOST_KEY_CHANGED,
    ATTEMPT_SUDO_REFUSED,
    ATTEMPT_NO_ANSWER,
    ATTEMPT_NO_SPOOL,
    ATTEMPT_CANCELLED,
    ATTEMPT_NOT_READY,   /* it was not begun: a foreign process on a GPU, GPUs that did not cool down */
    ATTEMPT_IN_USE,      /* likewise: a job has one of its hosts */
    ATTEMPT_JUMP_FAILED, /* the way to the host, through its jump hosts or Slurm */
    ATTEMPT_UNANSWERED,  /* it was not begun: nobody could say whose one of its hosts is */
};

/* One command of a step, as it was marked in the output of the attempt, or of a window's reading. */
struct part {
    const char *name;    /* "main", "kernel-log" */
    const char *command; /* as a person would type it on the host */
    bool began, ended;   /* began: its first mark was seen; ended: its last one too */
    int rc;        /* exit status when ended; 126 and 127 as the shell has them: not executable, not there */
    bool aside;    /* it has items of its own: without it the test is what it is */
    size_t window; /* 0: marked in the attempt's own captures; else in those of windows.items[window - 1] */
    struct slice out, err;  /* of a clipped capture that was loaded: what of them lies in its head, or tail */
    struct reading reading; /* by the part's parser; of its own tool name "" when the part has none */
};

/* An output longer than CAPTURE_WHOLE_BYTES is read whole, and stored as its head and tail of
   CAPTURE_END_BYTES each, its length and its SHA-256. */
enum { CAPTURE_WHOLE_BYTES = 8 << 20, CAPTURE_END_BYTES = 1 << 20 };

struct capture {
    const char *stream;           /* "stdout", "stderr" */
    uint64_t length;              /* bytes the host kept */
    bool clipped;                 /* only head and tail are stored; the readings are of all of it */
    bool flooded;                 /* the host kept only this much (its flood limit) and counted the rest */
    bool cut;                     /* it ended early: fewer bytes than announced */
    char sha256[SHA256_HEX_SIZE]; /* of all its bytes, also when it is clipped */
    struct slice bytes; /* may be empty when the record was loaded without evidence; of a clipped one that was
                           loaded the head */
    struct slice tail;  /* of a clipped one that was loaded */
};

/* What was read on one member right before and right after the test: counters, kernel log, who uses the GPUs. */
enum window_role {
    WINDOW_BEFORE,
    WINDOW_AFTER,
    WINDOW_RELEASE /* of a test that was cancelled nothing is read or kept: its lock is given back */
};
struct window {
    size_t member; /* index into the step's members */
    enum window_role role;
    enum attempt_end end; /* ATTEMPT_RAN: it was read; what says what else happened */
    int rc;
    const struct reason *what;
    const char *boot_id;
    double began, ended; /* by the controller's clock */
    double up_began, up_ended;
    struct capture captures[2];
};

struct attempt {
    size_t step; /* index into plan->steps */
    unsigned n;  /* from 1 */
    const char *uuid;
    const char *
        frame; /* the secret of the marks around its output (check_words); NULL: an earlier version used the uuid */
    enum attempt_state state;
    enum attempt_end end;
    int rc;                    /* exit status or signal of the whole command file */
    const struct reason *what; /* about the end; NULL when all is well */
    double sent, began, ended; /* Unix time in seconds; began and ended by the controller's clock */
    const char *boot_id;
    double up_began, up_ended;      /* uptime of the host, s */
    const char *command;            /* the whole command file as sent */
    const struct reason *transport; /* "ssh (libssh2 1.10.0)", and why it is that; NULL: it is not known */
    unsigned connections;
    struct capture captures[2]; /* stdout, stderr */
    LIST_OF(struct window) windows;
    LIST_OF(struct part) parts;
    struct reading reading; /* the check's reading of all its parts: what the judge goes by */
};

/* Its output is not stored whole, so it cannot be read again: what was read of it at the time stays. */
bool attempt_is_clipped(const struct attempt *attempt);

/*
 * From where the one began, or from the end of the window before to the begin of the one after, by the host's own uptime, where both
 * are of one boot: the controller's clock may have been set while a run was interrupted.
 */
double attempts_apart_s(const struct attempt *before, const struct attempt *now);
double windows_apart_s(const struct window *before, const struct window *after);

/* Whether it ran to its end, and all of its output was read. */
bool attempt_is_whole(const struct attempt *attempt);
const char *attempt_end_name(enum attempt_end end); /* "deadline" */
/* The host cannot be reached, or refuses us: it is not asked for more. */
bool attempt_end_loses_host(enum attempt_end end);
bool attempt_end_parse(const char *name, enum attempt_end *ret_end);

#endif
