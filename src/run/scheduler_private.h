/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the parts of the scheduler share. schedule.h says what may begin; a flight (flight.c) is one attempt on its way; a sweep
 * (sweep.c) proves that nothing of an attempt is left on a host; scheduler.c has the loop, signals, and beginning and end.
 */
#ifndef ASSAY_RUN_SCHEDULER_PRIVATE_H
#define ASSAY_RUN_SCHEDULER_PRIVATE_H

#include <sys/queue.h>
#include <uv.h>

#include "assay/base/sha256.h"
#include "assay/run/scheduler.h"
#include "schedule.h"

enum { BOOT_ID_SIZE = 64 };

/* A host of the plan, by its index there. */
struct run_host {
    const struct host *host;
    struct remote *remote;
    char boot_id[BOOT_ID_SIZE]; /* as last seen; "" before the first contact */
    bool tidied;                /* it was asked what earlier runs have left there */
    bool under_way;             /* an earlier controller left a test on it, which is taken up */
};

/* Of a step. */
struct tries {
    size_t count, last; /* attempts: how many there are, and the index of the last */
    bool repeated;      /* a later step asks the same of a machine that took the place of one of its hosts */
};

struct scheduler {
    struct record *record;
    struct plan *plan;
    const struct plan_sources *sources;
    const struct scheduler_options *options;
    const struct scheduler_hooks *hooks;
    struct error *err;
    uv_loop_t loop;
    uv_signal_t signals[3];
    uv_timer_t tick;
    struct remote_pool *pool;
    struct schedule *schedule;
    struct run_host *hosts;
    size_t host_count;
    struct tries *tries; /* by step */
    size_t step_count;
    bool asks_root; /* one of the steps does */
    LIST_HEAD(, sweep) sweeps;
    LIST_HEAD(, flight) flights;
    size_t forgetting; /* cancels, proofs and removals of folders that the hosts have not answered */
    bool *cancelling;  /* by attempt, once the run is cancelled: asked and not yet answered */
    double left_s;     /* as last guessed */
    unsigned signals_seen;
    int signal; /* the first of them */
    bool failed;
    bool over;
};

/* One attempt on its way. */
struct flight {
    struct scheduler *scheduler;
    size_t step;
    size_t attempt; /* index into record->attempts */
    struct arena *arena;
    bool spooled;                /* on the light path there is nothing to cancel, attach to or forget */
    size_t sweeps;               /* REMOTE_GONE answers awaited */
    bool windowed;               /* its window is being read on the members */
    bool unsent;                 /* it was cancelled before its command was sent */
    struct remote_result result; /* of the command, while its window is read; its outputs are held */
    LIST_ENTRY(flight) link;
};

struct sweep {
    struct flight *flight; /* NULL once the step has ended: only the host is still to be freed */
    struct scheduler *scheduler;
    struct run_host *host;
    char uuid[UUID_SIZE];
    unsigned tries;
    uint64_t began_ms;
    bool as_root;
    bool pausing;
    uv_timer_t pause;
    LIST_ENTRY(sweep) link;
};

/* -- scheduler.c -- */

static inline const struct step *step_at(const struct scheduler *scheduler, size_t step)
{
    return &scheduler->plan->steps.items[step];
}
static inline struct run_host *member_at(const struct scheduler *scheduler, size_t step, size_t member)
{
    return &scheduler->hosts[schedule_members(scheduler->schedule, step)[member]];
}
static inline struct run_host *head_of(const struct scheduler *scheduler, size_t step)
{
    return member_at(scheduler, step, 0);
}
static inline size_t index_of(const struct scheduler *scheduler, const struct run_host *host)
{
    return (size_t)(host - scheduler->hosts);
}
void scheduler_tell(struct scheduler *scheduler, enum scheduler_event event, size_t step);
/* An error of ours: stop at once; what runs on the hosts goes on there and is taken up by --resume. */
void scheduler_fail(struct scheduler *scheduler);
/* Begins what may begin; ends the run when there is nothing more. */
void scheduler_dispatch(struct scheduler *scheduler);

/* -- flight.c -- */

/* Another attempt of a step that runs from here on (SCHEDULE_BEGIN). */
void flight_start(struct scheduler *scheduler, size_t step);
/* An attempt that an earlier controller left open: it goes on where it was. */
void flight_take_up(struct scheduler *scheduler, size_t step, size_t attempt);
/* All is known of it: judges its step, and frees it. */
void flight_end(struct flight *flight);
/* What the host booted last, where it said so. */
void flight_note_boot(struct run_host *host, const char *boot_id);

/* -- sweep.c -- */

/* The attempt's evidence is kept here: its host need keep it no longer. */
void sweep_forget(struct scheduler *scheduler, const struct attempt *attempt);
/* Whether the host keeps something of this attempt, and answered when it was last asked. */
bool sweep_has_folder(const struct scheduler *scheduler, const struct attempt *attempt);
/* Proves that nothing of this attempt is left on the host; until then nothing starts there. wait: the flight waits too. */
void sweep_host(struct flight *flight, struct run_host *host, bool wait);
/* A member that does not answer holds up itself, not the others. */
void sweep_let_late_go(struct scheduler *scheduler);
void sweep_close(struct sweep *sweep);
/* Ends what runs on the hosts. */
void sweep_cancel_running(struct scheduler *scheduler);
/* Of an earlier controller: folders that may still lie there, and what was cancelled and may run on. */
void sweep_forget_last(struct scheduler *scheduler, const struct run_host *host);
void sweep_prove_gone(struct scheduler *scheduler, size_t attempt);
/* Once, behind its first answer: removes what earlier runs, which have ended without reaching it, have left there. */
void sweep_tidy(struct scheduler *scheduler, struct run_host *host);

#endif
