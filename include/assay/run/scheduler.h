/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler: carries out a plan. It knows hosts, time and claims; it does not know stores, limits or
 * reports, which come in as hooks.
 *
 * Each step waits for its needs and for its claims: its members (alone, or beside other passive steps), and
 * above host scope its leaves or the fabric. Hosts go on as soon as their own needs are met; nobody waits for
 * a round to end. What runs is cancelled, and proven gone, before a host takes the next step.
 */
#ifndef ASSAY_SCHEDULER_H
#define ASSAY_SCHEDULER_H

#include "assay/base/error.h"
#include "assay/model/record.h"
#include "assay/plan/plan_build.h"
#include "assay/run/remote.h"

struct scheduler_counts {
    size_t steps, ended, running, passed, failed, skipped;
    size_t hosts, hosts_busy;
    double left_s;         /* expected time to the end; a guess */
    enum step_state state; /* of the event's step, after it */
    int signal;            /* of EVENT_CANCELLING: who asked for it; 0: options.cancel */
};

enum scheduler_event {
    EVENT_STARTED,
    EVENT_ATTEMPT_ENDED,
    EVENT_STEP_ENDED,
    EVENT_STEP_SKIPPED,
    EVENT_TICK,
    EVENT_CANCELLING,
    EVENT_TAKEN_UP, /* at the beginning of a resumed run: the step had ended */
};

/* All run on the loop. An error ends the run as an error of ours; what runs on the hosts is left to resume.
 */
struct scheduler_hooks {
    void *context;
    /* Before anything is sent. */
    int (*attempt_begins)(void *context, const struct attempt *attempt, struct error *err);
    /* The attempt's windows from `first` on, with their bytes, are to be stored before anything more is sent. Those
       before the test come first, one for each member, and then those after it. NULL: they are not kept. */
    int (*windows_read)(void *context, const struct attempt *attempt, size_t first, struct error *err);
    /* With its captures, whose bytes are good during the call only: store them, read them, store the
     * readings. */
    int (*attempt_ended)(void *context, struct attempt *attempt, struct error *err);
    /* AGAIN, PASSED or FAILED, for a step with at least one ended attempt. last: index of its last one in the record. */
    enum step_state (*judge)(void *context, size_t step, size_t last);
    /* Nothing more can start and nothing runs: may add steps to the plan (and store them). lost: of each host of the plan,
       whether nothing is begun there any more. */
    int (*extend)(void *context, const enum step_state *states, const bool *lost, struct error *err);
    /* step is (size_t)-1 for ticks, which come every half second. */
    void (*progress)(void *context, enum scheduler_event event, size_t step,
                     const struct scheduler_counts *counts);
    /* Whether the host is not yet to be had: its steps wait. Asked when it is first seen and, while it is so, with every
       tick. NULL: all are. */
    bool (*awaits)(void *context, const struct host *host);
    /* Whether that is an attempt of a run of ours that has ended, so that no host need keep anything of it. Asked of what lies in a
       host's spools when it first answers. NULL: nothing there is known. */
    bool (*is_over)(void *context, const char *uuid);
};

struct scheduler_options {
    struct remote_options remote;
    unsigned grace_s; /* between TERM and KILL of what is ended; 0: 10 */
    unsigned
        gone_wait_ms; /* how long a step waits for the proof that nothing of it is left on its other hosts;
                              after that only the host without an answer is held; 0: 60000 */
    unsigned
        hosts_at_once; /* hosts at work at a time; a step of more hosts runs when no other host is. 0: all */
    bool
        cancel; /* as with a SIGINT before anything is begun: what an earlier controller left running is ended */
};

/*
 * Runs record->plan, appending to record->attempts (those that are there already have been run: resume).
 * SIGINT and SIGTERM cancel: nothing new starts, what runs is ended on the hosts; a second one stops at once
 * and leaves it to its deadline there. SIGHUP never ends a run. From its end on, until the process ends, a first SIGINT or
 * SIGTERM only says that what was found is still judged and written, and a second one ends the process.
 *
 * Returns 0 with *ret_cancelled, or -1 with err set.
 */
int scheduler_run(struct record *record, const struct plan_sources *sources,
                  const struct scheduler_options *options, const struct scheduler_hooks *hooks,
                  bool *ret_cancelled, struct error *err) __attribute__((warn_unused_result));

#endif
