/* SPDX-License-Identifier: Apache-2.0 */
/* What is left on hosts: it is ended, proven gone and removed. */
#include <stdlib.h>
#include <string.h>

#include "assay/base/arena.h"
#include "assay/model/attempt.h"
#include "scheduler_private.h"

enum { GONE_TRIES = 6, GONE_PAUSE_MS = 10000, GONE_WAIT_MS = 60000, LEFT_MOST = 1000 };

/* The run ends when the hosts are clean; a folder that cannot be removed does not undo the result. */
static void forgotten(void *context, const struct remote_result *result)
{
    struct scheduler *scheduler = context;

    (void)result;
    scheduler->forgetting--;
    scheduler_dispatch(scheduler);
}

/* Its evidence is kept here: the host need keep it no longer. */
void sweep_forget(struct scheduler *scheduler, const struct attempt *attempt)
{
    const struct step *step = step_at(scheduler, attempt->step);
    struct remote_job job = {
        .verb = REMOTE_FORGET, .uuid = attempt->uuid, .deadline_s = 60, .as_root = step->shape->as_root};

    scheduler->forgetting++;
    remote_start(head_of(scheduler, attempt->step)->remote, &job, forgotten, scheduler);
}

/* Whether the host keeps something of this attempt, and answered when it was last asked. */
bool sweep_has_folder(const struct scheduler *scheduler, const struct attempt *attempt)
{
    return !step_at(scheduler, attempt->step)->shape->passive && attempt->state == ATTEMPT_ENDED &&
           (attempt->end < ATTEMPT_UNREACHABLE || attempt->end == ATTEMPT_CANCELLED);
}

static void free_sweep(uv_handle_t *handle)
{
    free(handle->data);
}

void sweep_close(struct sweep *sweep)
{
    LIST_REMOVE(sweep, link);
    schedule_free(sweep->scheduler->schedule, index_of(sweep->scheduler, sweep->host));
    uv_close((uv_handle_t *)&sweep->pause, free_sweep);
}

static void sweep_start(struct sweep *sweep);

static void sweep_again(uv_timer_t *timer)
{
    struct sweep *sweep = timer->data;

    sweep->pausing = false;
    sweep_start(sweep);
}

/* The step goes on without this sweep; the host stays held until it has an answer. */
static void let_go(struct sweep *sweep)
{
    struct flight *flight = sweep->flight;

    sweep->flight = NULL;
    if (flight != NULL && --flight->sweeps == 0)
        flight_end(flight);
}

static void sweep_done(void *context, const struct remote_result *result)
{
    struct sweep *sweep = context;
    struct scheduler *scheduler = sweep->scheduler;
    bool clean = result->end == REMOTE_ENDED && !result->left;

    let_go(sweep);
    if (clean || scheduler->over || ++sweep->tries >= GONE_TRIES || result->end != REMOTE_ENDED) {
        if (!clean)
            schedule_lose(scheduler->schedule, index_of(scheduler, sweep->host));
        sweep_close(sweep);
    } else {
        sweep->pausing = true;
        uv_timer_start(&sweep->pause, sweep_again, GONE_PAUSE_MS, 0);
    }
    scheduler_dispatch(scheduler);
}

static void sweep_start(struct sweep *sweep)
{
    struct remote_job job = {
        .verb = REMOTE_GONE, .uuid = sweep->uuid, .deadline_s = 60, .as_root = sweep->as_root};

    remote_start(sweep->host->remote, &job, sweep_done, sweep);
}

/* Proves that nothing of this attempt is left on the host; until then nothing starts there. */
void sweep_host(struct flight *flight, struct run_host *host, bool wait)
{
    struct scheduler *scheduler = flight->scheduler;
    struct sweep *sweep = mem_alloc(sizeof *sweep);

    sweep->scheduler = scheduler;
    sweep->host = host;
    sweep->as_root = step_at(scheduler, flight->step)->shape->as_root;
    memcpy(sweep->uuid, scheduler->record->attempts.items[flight->attempt].uuid, UUID_SIZE);
    sweep->flight = wait ? flight : NULL;
    flight->sweeps += wait;
    uv_timer_init(&scheduler->loop, &sweep->pause);
    sweep->pause.data = sweep;
    LIST_INSERT_HEAD(&scheduler->sweeps, sweep, link);
    sweep->began_ms = uv_now(&scheduler->loop);
    schedule_hold(scheduler->schedule, index_of(scheduler, host));
    sweep_start(sweep);
}

struct cancel {
    struct scheduler *scheduler;
    size_t attempt;
};

/* Only now may the folder go: a cancel that finds none leaves a mark against a command that comes late. */
static void cancel_answered(void *context, const struct remote_result *result)
{
    struct cancel *cancel = context;
    struct scheduler *scheduler = cancel->scheduler;
    const struct attempt *attempt = &scheduler->record->attempts.items[cancel->attempt];

    (void)result;
    scheduler->cancelling[cancel->attempt] = false;
    scheduler->forgetting--;
    free(cancel);
    if (scheduler->over)
        return;
    if (sweep_has_folder(scheduler, attempt))
        sweep_forget(scheduler, attempt);
    scheduler_dispatch(scheduler);
}

static void cancel_attempt(struct scheduler *scheduler, size_t index, const struct remote_job *job)
{
    const struct attempt *attempt = &scheduler->record->attempts.items[index];
    struct cancel *cancel = mem_alloc(sizeof *cancel);

    *cancel = (struct cancel){scheduler, index};
    scheduler->cancelling[index] = true;
    scheduler->forgetting++;
    remote_start(head_of(scheduler, attempt->step)->remote, job, cancel_answered, cancel);
}

/* What waits on other members for GPUs to cool down is ended too; on the head the attempt's cancel does it. */
static void cancel_windows(struct scheduler *scheduler)
{
    const struct flight *flight;

    LIST_FOREACH (flight, &scheduler->flights, link) {
        struct remote_job job = {.verb = REMOTE_GONE,
                                 .uuid = scheduler->record->attempts.items[flight->attempt].uuid,
                                 .deadline_s = 60,
                                 .as_root = true};

        for (size_t i = 1; flight->windowed && i < step_at(scheduler, flight->step)->member_count; i++) {
            scheduler->forgetting++;
            remote_start(member_at(scheduler, flight->step, i)->remote, &job, forgotten, scheduler);
        }
    }
}

/* A command that only looks has no guard beside it that could be told: what runs of it is ended from outside, so that
 * nobody waits for its deadline. */
static void cancel_look(struct scheduler *scheduler, const struct attempt *attempt, bool as_root)
{
    struct remote_job job = {
        .verb = REMOTE_GONE, .uuid = attempt->uuid, .deadline_s = 60, .as_root = as_root};

    scheduler->forgetting++;
    remote_start(head_of(scheduler, attempt->step)->remote, &job, forgotten, scheduler);
}

void sweep_cancel_running(struct scheduler *scheduler)
{
    scheduler->cancelling = mem_alloc(scheduler->record->attempts.count * sizeof *scheduler->cancelling + 1);
    for (size_t i = 0; i < scheduler->record->attempts.count; i++) {
        const struct attempt *attempt = &scheduler->record->attempts.items[i];
        const struct step *step = step_at(scheduler, attempt->step);
        struct remote_job job = {.verb = REMOTE_CANCEL,
                                 .uuid = attempt->uuid,
                                 .grace_s = scheduler->options->grace_s,
                                 .deadline_s = 120,
                                 .as_root = step->shape->as_root};

        if (attempt->state != ATTEMPT_SENT)
            continue;
        if (step->shape->passive)
            cancel_look(scheduler, attempt, step->shape->as_root);
        else
            cancel_attempt(scheduler, i, &job);
    }
    cancel_windows(scheduler);
}

/* A member that does not answer holds up itself, not the others. */
void sweep_let_late_go(struct scheduler *scheduler)
{
    const struct scheduler_options *options = scheduler->options;
    struct sweep *sweep;
    uint64_t limit = options->gone_wait_ms > 0 ? options->gone_wait_ms : GONE_WAIT_MS;

    LIST_FOREACH (sweep, &scheduler->sweeps, link)
        if (uv_now(&scheduler->loop) - sweep->began_ms >= limit)
            let_go(sweep);
}

/* Of a host's last commands that ended, the folders may not have been removed: a removal goes beside the next
 * command, and both may have been cut short. */
void sweep_forget_last(struct scheduler *scheduler, const struct run_host *host)
{
    unsigned left = 2;

    for (size_t i = scheduler->record->attempts.count; left > 0 && i-- > 0;) {
        const struct attempt *attempt = &scheduler->record->attempts.items[i];
        const struct step *step = step_at(scheduler, attempt->step);

        if (step->shape->passive || step->members[0] != host->host)
            continue;
        if (sweep_has_folder(scheduler, attempt)) {
            sweep_forget(scheduler, attempt);
            left--;
        }
    }
}

struct proof {
    struct scheduler *scheduler;
    struct run_host *host;
    size_t attempt;
};

static void proof_answered(void *context, const struct remote_result *result)
{
    struct proof *proof = context;
    struct scheduler *scheduler = proof->scheduler;
    const struct attempt *attempt = &scheduler->record->attempts.items[proof->attempt];

    scheduler->forgetting--;
    if (result->end != REMOTE_ENDED || result->left)
        schedule_lose(scheduler->schedule, index_of(scheduler, proof->host));
    schedule_free(scheduler->schedule, index_of(scheduler, proof->host));
    if (!scheduler->over && proof->host == head_of(scheduler, attempt->step))
        sweep_forget(scheduler, attempt);
    free(proof);
    scheduler_dispatch(scheduler);
}

/* What was cancelled may run on, where its controller ended before it was proven gone, or its host is to be reached at
   another address now: nothing starts on its hosts before it is. */
void sweep_prove_gone(struct scheduler *scheduler, size_t index)
{
    const struct attempt *attempt = &scheduler->record->attempts.items[index];

    for (size_t i = 0; i < step_at(scheduler, attempt->step)->member_count; i++) {
        struct proof *proof = mem_alloc(sizeof *proof);
        struct remote_job job = {.verb = i == 0 ? REMOTE_CANCEL : REMOTE_GONE,
                                 .uuid = attempt->uuid,
                                 .grace_s = scheduler->options->grace_s,
                                 .deadline_s = 120,
                                 .as_root = step_at(scheduler, attempt->step)->shape->as_root};

        *proof = (struct proof){scheduler, member_at(scheduler, attempt->step, i), index};
        schedule_hold(scheduler->schedule, index_of(scheduler, proof->host));
        scheduler->forgetting++;
        remote_start(proof->host->remote, &job, proof_answered, proof);
    }
}

/* -- What earlier runs have left -- */

struct tidying {
    struct scheduler *scheduler;
    struct run_host *host;
    bool as_root;
    char uuid[UUID_SIZE];
};

/* Each once, and no more than a host may have: the run ends when all are answered, and a host may tell what it likes. */
static bool is_new(struct arena *arena, struct hostlist *told, const char *uuid)
{
    if (told->names.count >= LEFT_MOST || hostlist_has(told, uuid))
        return false;
    *list_push(arena, &told->names) = arena_strdup(arena, uuid);
    return true;
}

/* What runs yet, runs until its deadline, and its lock keeps others away. */
static void listed(void *context, const struct remote_result *result)
{
    cleanup_arena struct arena *arena = arena_create();
    struct tidying *tidying = context;
    struct scheduler *scheduler = tidying->scheduler;
    struct slice rest = result->out, line, word;
    struct hostlist told = {0};
    char uuid[UUID_SIZE];

    scheduler->forgetting--;
    while (!scheduler->over && result->end == REMOTE_ENDED && scan_line(&rest, &line)) {
        struct remote_job job = {
            .verb = REMOTE_FORGET, .uuid = uuid, .deadline_s = 60, .as_root = tidying->as_root};

        if (!scan_word(&line, &word) || word.length + 1 != sizeof uuid ||
            slice_equal(slice_trim(line), "running"))
            continue;
        snprintf(uuid, sizeof uuid, "%.*s", slice_print(word));
        if (!is_new(arena, &told, uuid) || !scheduler->hooks->is_over(scheduler->hooks->context, uuid))
            continue;
        scheduler->forgetting++;
        remote_start(tidying->host->remote, &job, forgotten, scheduler);
    }
    free(tidying);
    scheduler_dispatch(scheduler);
}

static void ask_what_lies(struct scheduler *scheduler, struct run_host *host, bool as_root)
{
    struct tidying *tidying = mem_alloc(sizeof *tidying);
    struct remote_job job = {
        .verb = REMOTE_LIST, .uuid = tidying->uuid, .deadline_s = 60, .as_root = as_root};

    *tidying = (struct tidying){.scheduler = scheduler, .host = host, .as_root = as_root};
    uuid_create(tidying->uuid);
    scheduler->forgetting++;
    remote_start(host->remote, &job, listed, tidying);
}

void sweep_tidy(struct scheduler *scheduler, struct run_host *host)
{
    if (host->tidied || scheduler->hooks->is_over == NULL || scheduler->signals_seen > 0)
        return;
    host->tidied = true;
    ask_what_lies(scheduler, host, false);
    if (host->host->become_root && scheduler->asks_root)
        ask_what_lies(scheduler, host, true);
}
