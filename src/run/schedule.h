/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may begin next: the policy of the scheduler, without hosts, time or a loop. It knows the plan, what has become of each
 * step, and what takes each host up; who carries the plan out begins what it is told, and says what became of that.
 *
 * A step may begin when all that it needs has passed and its claims are free: its members (alone, or beside other steps that
 * are passive), and above host scope its leaves or the fabric. Hosts are looked at in turn, as something changes for them.
 * Where only so many may be at work, those that wait for room come before the host that made it: all hosts get through
 * the suite side by side, so one that takes long begins early.
 *
 * Hosts and steps are told by their index in the plan, which may grow.
 */
#ifndef ASSAY_RUN_SCHEDULE_H
#define ASSAY_RUN_SCHEDULE_H

#include "assay/model/plan.h"
#include "assay/model/suite.h"

struct schedule;

/* hosts_at_once: at work at a time; a step of more hosts runs when no other host is. 0: all. Knows nothing of the plan's
   hosts and steps before schedule_grow. Plan and suite must outlive it. */
struct schedule *schedule_create(const struct plan *plan, const struct suite *suite, size_t hosts_at_once);
/* Accepts NULL; returns NULL. */
struct schedule *schedule_destroy(struct schedule *schedule);
/* Takes in the hosts and steps that the plan has beyond those that are known. False: there are no more steps. */
bool schedule_grow(struct schedule *schedule);

enum schedule_word {
    SCHEDULE_NOTHING, /* until something changes */
    SCHEDULE_BEGIN,   /* the step runs from here on, and has what it claims */
    SCHEDULE_NEVER, /* it cannot, and is STEP_SKIPPED; one that was tried is judged by what it has: STEP_FAILED */
};
/* The next one, with its step. */
enum schedule_word schedule_next(struct schedule *schedule, size_t *ret_step);
/* A step that runs already, when it is taken up: as one that was begun. */
void schedule_take(struct schedule *schedule, size_t step);
/* What has become of a step that ran, which gives its claims back; STEP_AGAIN: it may begin again. */
void schedule_end(struct schedule *schedule, size_t step, enum step_state state);
/* Of one that an earlier controller ended. */
void schedule_settle(struct schedule *schedule, size_t step, enum step_state state);
/* Nothing runs, and no substitute is added for what did not pass until the plan grows: what waits for one does so in vain.
   False: it was so before. */
bool schedule_settle_needs(struct schedule *schedule);
/* Nothing runs and nothing is added any more: those steps may begin that the suite has come last. False: they might before. */
bool schedule_close(struct schedule *schedule);

/* Nothing begins on a host while it is held, however often, nor while it is awaited. What is lost is given up: its steps are
   never begun. */
void schedule_hold(struct schedule *schedule, size_t host);
void schedule_free(struct schedule *schedule, size_t host);
void schedule_await(struct schedule *schedule, size_t host, bool awaited);
void schedule_lose(struct schedule *schedule, size_t host);

/* ---- asking ---- */

/* The hosts of the step's members, in their order. */
const size_t *schedule_members(const struct schedule *schedule, size_t step);
bool schedule_is_awaited(const struct schedule *schedule, size_t host);
bool schedule_has_lost(const struct schedule *schedule, size_t host);
/* How many hosts are awaited. */
size_t schedule_awaited(const struct schedule *schedule);
/* How many are at work. */
size_t schedule_busy(const struct schedule *schedule);
/* By step; and how many steps have that state. */
const enum step_state *schedule_states(const struct schedule *schedule);
size_t schedule_count(const struct schedule *schedule, enum step_state state);
/* Expected time to the end; a guess. Looks at every step. */
double schedule_left_s(const struct schedule *schedule);

#endif
