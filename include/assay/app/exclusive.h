/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --exclusive-via slurm: a run inside allocations that assay asks Slurm for, one job a host, named assay-UUID after the
 * run. Slurm's own commands do it (sbatch, squeue, scancel), on the controller's machine. Hosts with transport=slurm are
 * reached by steps of their job, which is one for all of them, so that a test across hosts is a step of it too; it is asked
 * for without the option, unless assay was started inside an allocation.
 *
 * A host's steps begin when Slurm has given the host. Where it has not within the limit, the job is withdrawn, and what
 * would load the host is not run, with its owner named; what only looks runs. The same where Slurm takes a host back
 * later. Jobs are known by their name alone: a run that is resumed takes up those that are there, and asks for what is
 * missing. They are released at the end of the run and when it is cancelled. A controller that died leaves them to
 * --resume, to `assay cancel`, or to their time limit.
 */
#ifndef ASSAY_APP_EXCLUSIVE_H
#define ASSAY_APP_EXCLUSIVE_H

#include "assay/model/record.h"
#include "assay/plan/plan_build.h"

struct exclusive;

struct exclusive_options {
    const char *via;     /* "slurm[:WORDS FOR SBATCH]"; NULL: not asked for */
    const char *minutes; /* how long a host is waited for */
};
#define EXCLUSIVE_MINUTES "30"

/* The document that is kept with the run, so that what goes on with it does the same. NULL with err set. */
const char *exclusive_document(struct arena *arena, const struct exclusive_options *options,
                               struct error *err);
#define EXCLUSIVE_DOCUMENT "exclusive"

/* -1 with err set where only some hosts of a plan that is to be run have transport=slurm. */
int exclusive_check_plan(const struct plan *plan, struct error *err) __attribute__((warn_unused_result));
/* *document, which may be NULL, becomes one where the plan's hosts need a job that nobody asked for: transport=slurm outside an
 * allocation. minutes: as in exclusive_options; NULL: the default. -1 as exclusive_check_plan. */
int exclusive_for_steps(struct arena *arena, const struct plan *plan, const char *minutes,
                        const char **document, struct error *err) __attribute__((warn_unused_result));
/* What people should know of hosts with transport=slurm where Slurm is as it is here; NULL: nothing. */
const char *exclusive_steps_note(const struct record *record);

enum exclusive_how {
    EXCLUSIVE_ASK,
    EXCLUSIVE_TAKE_UP,      /* jobs of the run that are there already are taken up, missing ones asked for */
    EXCLUSIVE_TAKE_UP_ONLY, /* to end what runs: nothing is asked for */
};

/*
 * Asks for all hosts of the record's plan, by the record's document; *ret_exclusive is NULL where it has none.
 * hosts_at_once: as the scheduler has it, for how long they are asked for. -1 with err set
 * where Slurm cannot be asked, or has refused all hosts; then nothing new is held. Lives in the record's arena.
 */
int exclusive_begin(const struct record *record, const struct plan_sources *sources, unsigned hosts_at_once,
                    enum exclusive_how how, struct exclusive **ret_exclusive, struct error *err)
    __attribute__((warn_unused_result));
/* Waits a few seconds, in which Slurm gives what is free. */
void exclusive_settle(struct exclusive *exclusive);
/* What the checks go by; lives as long. */
const struct check_claims *exclusive_claims(const struct exclusive *exclusive);
/* The number of the host's job; NULL: it has none. Lives as long. */
const char *exclusive_job(const struct exclusive *exclusive, const char *host);
/* Why Slurm has not given it, or has taken it back, in an arena that lives as long; NULL: it has given it, or may yet. */
const struct reason *exclusive_refused(const struct exclusive *exclusive, const char *host);
/* Whether Slurm has not yet decided on the host; of one that is new (a spare) it is asked now. */
bool exclusive_awaits(struct exclusive *exclusive, const struct host *host);
/* To be called now and then; never waits. What has changed, in words, else NULL. */
const char *exclusive_poll(struct exclusive *exclusive);
/* "Slurm has given 3 of 4 hosts; waiting for node2, at most 30 min": how it stands. */
const char *exclusive_state(const struct exclusive *exclusive);
/* Releases all that is held by the run of this record, also what another controller asked for. NULL, or what does not go, in
   words; *ret_away, where it is not NULL: because Slurm's controller does not answer, which may pass. */
const char *exclusive_release(const struct record *record, bool *ret_away);

#endif
