/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/scheduler.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <uv.h>

#include "assay/cleanup.h"
#include "assay/reasons/run.h"
#include "assay/sha256.h"
#include "assay/text.h"
#include "spool.h"
#include "target.h"
#include "windows.h"

enum {
    COMMAND_BYTES = 256 * 1024,
    COMMANDS_COMPARED = 16,
    TICK_MS = 500,
    BOOT_ID_SIZE = 64,
    GONE_TRIES = 6,
    GONE_PAUSE_MS = 10000,
    GONE_WAIT_MS = 60000,
};

/* One host as a resource: many passive steps, or one step alone. */
struct berth {
    const struct host *host;
    struct remote *remote;
    size_t *steps; /* that it is a member of, less those in `wide`; in plan order */
    size_t step_count, step_capacity;
    unsigned passive;
    unsigned held;              /* sweeps that have not yet proven that nothing of ours is left there */
    bool awaited;               /* not yet to be had */
    bool taken;                 /* by a step that wants it alone */
    char boot_id[BOOT_ID_SIZE]; /* as last seen; "" before the first contact */
    bool lost;                  /* out of reach, or refuses us: its further steps are skipped */
    bool due;                   /* something that its steps wait for may have changed */
    bool waits;                 /* a step of it is ready, and hosts enough are at work */
    struct berth *next_due, *next_waiting;
};

/* A step as it goes on, beside its state. */
struct task {
    struct berth **berths; /* of its members */
    size_t needs_passed;   /* of its needs, so many from the first on */
    size_t attempts, last; /* how many there are, and the index of the last */
    bool repeated; /* a later step asks the same of a machine that took the place of one of its hosts */
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
    struct berth *berths;
    size_t berth_count, busy_count, awaited_count;
    struct berth **berths_by_host; /* sorted by the host's address in memory */
    struct berth *due, **due_end;
    struct berth *waiting, **waiting_end; /* in the order in which they came */
    size_t waiting_count;
    size_t callable; /* of those that wait, so many may try again since a host has ended its work */
    struct task *tasks;
    enum step_state *states;
    size_t state_count;
    size_t counts[STEP_SKIPPED + 1]; /* steps by state */
    size_t *sharing;                 /* running steps that want a leaf or the fabric alone */
    size_t sharing_count;
    size_t *wide; /* steps of several hosts that want the fabric alone, in plan order */
    size_t wide_count;
    struct sweep *sweeps;
    struct flight *flights;
    size_t running;
    size_t forgetting; /* cancels, proofs and removals of folders that the hosts have not answered */
    bool *cancelling;  /* by attempt, once the run is cancelled: asked and not yet answered */
    double left_s;     /* as last guessed */
    unsigned signals_seen;
    int signal;   /* the first of them */
    bool closing; /* all has ended but the steps that come last */
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
    struct flight *next;
};

struct sweep {
    struct flight *flight; /* NULL once the step has ended: only the host is still to be freed */
    struct scheduler *scheduler;
    struct berth *berth;
    char uuid[UUID_SIZE];
    unsigned tries;
    uint64_t began_ms;
    bool as_root;
    bool pausing;
    uv_timer_t pause;
    struct sweep *next;
};

static double now_s(void)
{
    struct timeval now;

    gettimeofday(&now, NULL);
    return (double)now.tv_sec + (double)now.tv_usec / 1e6;
}

static void dispatch(struct scheduler *scheduler);

static int compare_hosts(const void *a, const void *b)
{
    const struct host *left = (*(struct berth *const *)a)->host, *right = (*(struct berth *const *)b)->host;

    return left < right ? -1 : left > right;
}

static struct berth *berth_of(struct scheduler *scheduler, const struct host *host)
{
    struct berth wanted = {.host = host}, *key = &wanted;
    struct berth **found = bsearch(&key, scheduler->berths_by_host, scheduler->berth_count,
                                   sizeof *scheduler->berths_by_host, compare_hosts);

    return *found; /* members are hosts of the plan */
}

static struct berth *head_of(const struct scheduler *scheduler, size_t step)
{
    return scheduler->tasks[step].berths[0];
}

static const struct step *step_at(const struct scheduler *scheduler, size_t step)
{
    return &scheduler->plan->steps.items[step];
}

/* Asked for at ticks only: it looks at every step. */
static double guess_left_s(const struct scheduler *scheduler)
{
    size_t most = scheduler->options->hosts_at_once;
    double longest_s = 0, all_s = 0, alone_s = 0;

    for (size_t i = 0; i < scheduler->berth_count; i++) {
        const struct berth *berth = &scheduler->berths[i];
        double host_s = 0;

        for (size_t k = 0; k < berth->step_count; k++)
            if (scheduler->states[berth->steps[k]] <= STEP_AGAIN)
                host_s += step_expected_s(step_at(scheduler, berth->steps[k]));
        longest_s = host_s > longest_s ? host_s : longest_s;
        all_s += host_s;
    }
    if (most > 0 && all_s / (double)most > longest_s)
        longest_s = all_s / (double)most;
    for (size_t i = 0; i < scheduler->wide_count; i++)
        if (scheduler->states[scheduler->wide[i]] <= STEP_AGAIN)
            alone_s += step_expected_s(step_at(scheduler, scheduler->wide[i]));
    return longest_s + alone_s;
}

static void tell(struct scheduler *scheduler, enum scheduler_event event, size_t step)
{
    const size_t *by_state = scheduler->counts;
    struct scheduler_counts counts = {.steps = scheduler->plan->steps.count,
                                      .running = by_state[STEP_RUNNING],
                                      .passed = by_state[STEP_PASSED],
                                      .failed = by_state[STEP_FAILED],
                                      .skipped = by_state[STEP_SKIPPED],
                                      .hosts = scheduler->berth_count,
                                      .hosts_busy = scheduler->busy_count,
                                      .left_s = scheduler->left_s,
                                      .signal = scheduler->signal};

    if (scheduler->hooks->progress == NULL)
        return;
    if (step != (size_t)-1)
        counts.state = scheduler->states[step];
    counts.ended = counts.passed + counts.failed + counts.skipped;
    scheduler->hooks->progress(scheduler->hooks->context, event, step, &counts);
}

/* The host's steps are looked at again when dispatch comes to it. */
static void wake(struct scheduler *scheduler, struct berth *berth)
{
    if (berth->due)
        return;
    berth->due = true;
    berth->next_due = NULL;
    *scheduler->due_end = berth;
    scheduler->due_end = &berth->next_due;
}

static void wake_members(struct scheduler *scheduler, size_t step)
{
    for (size_t i = 0; i < step_at(scheduler, step)->member_count; i++)
        wake(scheduler, scheduler->tasks[step].berths[i]);
}

/* Whoever needs a step on some host is a step on that host too. */
static void set_state(struct scheduler *scheduler, size_t step, enum step_state state)
{
    scheduler->counts[scheduler->states[step]]--;
    scheduler->counts[state]++;
    scheduler->states[step] = state;
    if (state != STEP_RUNNING)
        wake_members(scheduler, step);
}

/* An error of ours: stop at once; what runs on the hosts goes on there and is taken up by --resume. */
static void fail(struct scheduler *scheduler)
{
    scheduler->failed = true;
    scheduler->over = true;
    uv_stop(&scheduler->loop);
}

/* --- claims
 * ------------------------------------------------------------------------------------------------------ */

static bool fabric_is_free(const struct scheduler *scheduler, const struct step *step)
{
    for (size_t i = 0; i < scheduler->sharing_count; i++)
        if (steps_share_fabric(step, step_at(scheduler, scheduler->sharing[i])))
            return false;
    return true;
}

static bool claims_are_free(struct scheduler *scheduler, size_t index)
{
    const struct step *step = step_at(scheduler, index);

    for (size_t i = 0; i < step->member_count; i++) {
        const struct berth *berth = scheduler->tasks[index].berths[i];

        if (berth->held > 0 || berth->awaited || berth->taken ||
            (berth->passive > 0 && step->shape->exclusive != EXCLUSIVE_NONE))
            return false;
    }
    return fabric_is_free(scheduler, step);
}

static bool is_busy(const struct berth *berth)
{
    return berth->taken || berth->passive > 0;
}

static void share_fabric(struct scheduler *scheduler, size_t step, bool take)
{
    size_t i = 0;

    if (take) {
        scheduler->sharing[scheduler->sharing_count++] = step;
        return;
    }
    while (scheduler->sharing[i] != step)
        i++;
    scheduler->sharing[i] = scheduler->sharing[--scheduler->sharing_count];
    for (i = 0; i < scheduler->berth_count; i++)
        wake(scheduler, &scheduler->berths[i]);
}

/* A step of more hosts than may be at work runs when no other host is. */
static bool has_room(const struct scheduler *scheduler, size_t index)
{
    size_t most = scheduler->options->hosts_at_once, more = 0;

    for (size_t i = 0; most > 0 && i < step_at(scheduler, index)->member_count; i++)
        more += !is_busy(scheduler->tasks[index].berths[i]);
    return more == 0 || scheduler->busy_count == 0 || scheduler->busy_count + more <= most;
}

static void wait_for_room(struct scheduler *scheduler, struct berth *berth)
{
    if (berth->waits)
        return;
    berth->waits = true;
    berth->next_waiting = NULL;
    *scheduler->waiting_end = berth;
    scheduler->waiting_end = &berth->next_waiting;
    scheduler->waiting_count++;
}

/* The first of those that wait, if there may be room for it. */
static struct berth *call_waiting(struct scheduler *scheduler)
{
    struct berth *berth = scheduler->waiting;

    if (scheduler->callable == 0 || scheduler->busy_count >= scheduler->options->hosts_at_once)
        return NULL;
    scheduler->waiting = berth->next_waiting;
    if (scheduler->waiting == NULL)
        scheduler->waiting_end = &scheduler->waiting;
    scheduler->waiting_count--;
    scheduler->callable--;
    berth->waits = false;
    return berth;
}

static void take_claims(struct scheduler *scheduler, size_t index, bool take)
{
    const struct step *step = step_at(scheduler, index);

    for (size_t i = 0; i < step->member_count; i++) {
        struct berth *berth = scheduler->tasks[index].berths[i];

        scheduler->busy_count -= is_busy(berth);
        if (step->shape->exclusive != EXCLUSIVE_NONE)
            berth->taken = take;
        else
            berth->passive += take ? 1 : -1u;
        scheduler->busy_count += is_busy(berth);
    }
    if (!take)
        scheduler->callable = scheduler->waiting_count;
    if (step->shape->exclusive >= EXCLUSIVE_LEAF)
        share_fabric(scheduler, index, take);
}

/* --- the end of an attempt
 * --------------------------------------------------------------------------------------- */

/* The run ends when the hosts are clean; a folder that cannot be removed does not undo the result. */
static void forgotten(void *context, const struct remote_result *result)
{
    struct scheduler *scheduler = context;

    (void)result;
    scheduler->forgetting--;
    dispatch(scheduler);
}

/* Its evidence is kept here: the host need keep it no longer. */
static void forget(struct scheduler *scheduler, const struct attempt *attempt)
{
    const struct step *step = step_at(scheduler, attempt->step);
    struct remote_job job = {
        .verb = REMOTE_FORGET, .uuid = attempt->uuid, .deadline_s = 60, .as_root = step->shape->as_root};

    scheduler->forgetting++;
    remote_start(head_of(scheduler, attempt->step)->remote, &job, forgotten, scheduler);
}

/* Whether the host keeps something of this attempt, and answered when it was last asked. */
static bool has_folder(const struct scheduler *scheduler, const struct attempt *attempt)
{
    return !step_at(scheduler, attempt->step)->shape->passive && attempt->state == ATTEMPT_ENDED &&
           (attempt->end < ATTEMPT_UNREACHABLE || attempt->end == ATTEMPT_CANCELLED);
}

static void free_sweep(uv_handle_t *handle)
{
    free(handle->data);
}

static void close_sweep(struct sweep *sweep)
{
    struct sweep **link = &sweep->scheduler->sweeps;

    while (*link != sweep)
        link = &(*link)->next;
    *link = sweep->next;
    sweep->berth->held--;
    wake(sweep->scheduler, sweep->berth);
    uv_close((uv_handle_t *)&sweep->pause, free_sweep);
}

static void sweep_start(struct sweep *sweep);

static void sweep_again(uv_timer_t *timer)
{
    struct sweep *sweep = timer->data;

    sweep->pausing = false;
    sweep_start(sweep);
}

static void end_step(struct flight *flight);

/* The step goes on without this sweep; the host stays held until it has an answer. */
static void let_go(struct sweep *sweep)
{
    struct flight *flight = sweep->flight;

    sweep->flight = NULL;
    if (flight != NULL && --flight->sweeps == 0)
        end_step(flight);
}

static void sweep_done(void *context, const struct remote_result *result)
{
    struct sweep *sweep = context;
    struct scheduler *scheduler = sweep->scheduler;
    bool clean = result->end == REMOTE_ENDED && !result->left;

    let_go(sweep);
    if (clean || scheduler->over || ++sweep->tries >= GONE_TRIES || result->end != REMOTE_ENDED) {
        sweep->berth->lost |= !clean;
        close_sweep(sweep);
    } else {
        sweep->pausing = true;
        uv_timer_start(&sweep->pause, sweep_again, GONE_PAUSE_MS, 0);
    }
    dispatch(scheduler);
}

static void sweep_start(struct sweep *sweep)
{
    struct remote_job job = {
        .verb = REMOTE_GONE, .uuid = sweep->uuid, .deadline_s = 60, .as_root = sweep->as_root};

    remote_start(sweep->berth->remote, &job, sweep_done, sweep);
}

/* Proves that nothing of this attempt is left on the host; until then nothing starts there. */
static void sweep_host(struct flight *flight, struct berth *berth, bool wait)
{
    struct scheduler *scheduler = flight->scheduler;
    struct sweep *sweep = mem_alloc(sizeof *sweep);

    sweep->scheduler = scheduler;
    sweep->berth = berth;
    sweep->as_root = step_at(scheduler, flight->step)->shape->as_root;
    memcpy(sweep->uuid, scheduler->record->attempts.items[flight->attempt].uuid, UUID_SIZE);
    sweep->flight = wait ? flight : NULL;
    flight->sweeps += wait;
    uv_timer_init(&scheduler->loop, &sweep->pause);
    sweep->pause.data = sweep;
    sweep->next = scheduler->sweeps;
    scheduler->sweeps = sweep;
    sweep->began_ms = uv_now(&scheduler->loop);
    berth->held++;
    sweep_start(sweep);
}

static void drop_outputs(struct flight *flight)
{
    for (size_t i = 0; i < 2; i++)
        spool_release(steal_pointer(flight->result.held[i]));
}

static void free_flight(struct flight *flight)
{
    struct flight **link = &flight->scheduler->flights;

    while (*link != flight)
        link = &(*link)->next;
    *link = flight->next;
    drop_outputs(flight);
    arena_destroy(flight->arena);
    free(flight);
}

static void drop_flight(struct flight *flight)
{
    struct scheduler *scheduler = flight->scheduler;

    free_flight(flight);
    fail(scheduler);
}

static void end_step(struct flight *flight)
{
    struct scheduler *scheduler = flight->scheduler;
    const struct attempt *attempt = &scheduler->record->attempts.items[flight->attempt];
    enum step_state state = scheduler->hooks->judge(scheduler->hooks->context, flight->step);

    take_claims(scheduler, flight->step, false);
    scheduler->running--;
    if (scheduler->signals_seen > 0 && state == STEP_AGAIN)
        state = STEP_FAILED;
    head_of(scheduler, flight->step)->lost |= state != STEP_AGAIN && attempt_end_loses_host(attempt->end);
    set_state(scheduler, flight->step, state);
    tell(scheduler, state == STEP_AGAIN ? EVENT_ATTEMPT_ENDED : EVENT_STEP_ENDED, flight->step);
    free_flight(flight);
    dispatch(scheduler);
}

static void take_result(struct scheduler *scheduler, struct attempt *attempt,
                        const struct remote_result *result, const struct reason *transport)
{
    struct arena *arena = scheduler->record->arena;

    attempt->state = ATTEMPT_ENDED;
    attempt->end = attempt_end_of(result);
    attempt->rc = result->rc;
    attempt->what = reason_copy(arena, result->what);
    attempt->ended = now_s();
    attempt->boot_id = arena_strdup(arena, result->boot_id);
    attempt->up_began = result->up_began;
    attempt->up_ended = result->up_ended;
    attempt->transport = reason_copy(arena, transport);
    attempt->connections = result->connections;
    take_capture(&attempt->captures[0], "stdout", result->out, result->out_clipped, result->cut);
    take_capture(&attempt->captures[1], "stderr", result->err, result->err_clipped, result->cut);
    for (size_t i = 0; i < 2; i++)
        attempt->captures[i].clipped = attempt->captures[i].length > CAPTURE_WHOLE_BYTES;
}

static void note_boot(struct berth *berth, const char *boot_id)
{
    if (*boot_id != '\0' && strlen(boot_id) < sizeof berth->boot_id)
        memcpy(berth->boot_id, boot_id, strlen(boot_id) + 1);
}

/* The bytes of windows are the flight's, as those of captures are the transport's. */
static void drop_windows(struct attempt *attempt)
{
    for (size_t i = 0; i < attempt->windows.count; i++)
        for (size_t k = 0; k < 2; k++)
            attempt->windows.items[i].captures[k].bytes = (struct slice){"", 0};
}

static void close_attempt(struct flight *flight, const struct remote_result *result)
{
    struct scheduler *scheduler = flight->scheduler;
    const struct step *step = step_at(scheduler, flight->step);
    struct berth *head = head_of(scheduler, flight->step);
    struct attempt *attempt = &scheduler->record->attempts.items[flight->attempt];

    take_result(scheduler, attempt, result, remote_transport_note(head->remote));
    note_boot(head, attempt->boot_id);
    if (scheduler->hooks->attempt_ended(scheduler->hooks->context, attempt, scheduler->err) < 0) {
        drop_flight(flight);
        return;
    }
    drop_windows(attempt);
    if (has_folder(scheduler, attempt) &&
        (scheduler->cancelling == NULL || !scheduler->cancelling[flight->attempt]))
        forget(scheduler, attempt);
    if (result->left)
        sweep_host(flight, head, false);
    drop_outputs(flight);
    flight->sweeps++;
    for (size_t i = 1; i < step->member_count; i++)
        sweep_host(flight, scheduler->tasks[flight->step].berths[i], true);
    if (--flight->sweeps == 0)
        end_step(flight);
}

/* An attempt whose command was never sent: nothing of it is on any host. */
static void close_unsent(struct flight *flight, enum attempt_end end, const struct reason *why)
{
    struct scheduler *scheduler = flight->scheduler;
    struct attempt *attempt = &scheduler->record->attempts.items[flight->attempt];

    attempt->state = ATTEMPT_ENDED;
    attempt->end = end;
    attempt->what = reason_copy(scheduler->record->arena, why);
    attempt->ended = now_s();
    if (scheduler->hooks->attempt_ended(scheduler->hooks->context, attempt, scheduler->err) < 0) {
        drop_flight(flight);
        return;
    }
    drop_windows(attempt);
    if (has_folder(scheduler, attempt) &&
        (scheduler->cancelling == NULL || !scheduler->cancelling[flight->attempt]))
        forget(scheduler, attempt); /* the mark of a cancel that came before the command */
    end_step(flight);
}

/* --- windows
 * ----------------------------------------------------------------------------------------------------- */

static bool has_window(const struct scheduler *scheduler, size_t step)
{
    return !check_find(step_at(scheduler, step)->shape->check)->passive;
}

/* The windows before are the first of an attempt, one for each member; those after follow. */
static void read_window(struct flight *flight, enum window_role role, windows_done_cb *done)
{
    struct scheduler *scheduler = flight->scheduler;
    const struct step *step = step_at(scheduler, flight->step);
    struct berth **berths = scheduler->tasks[flight->step].berths;
    struct remote **remotes = arena_array(flight->arena, struct remote *, step->member_count);
    const char **boot_ids = arena_array(flight->arena, const char *, step->member_count);
    struct check_context context;
    struct windows_question question = {.arena = flight->arena,
                                        .check = &context,
                                        .attempt = &scheduler->record->attempts.items[flight->attempt],
                                        .role = role,
                                        .remotes = remotes,
                                        .boot_ids = boot_ids,
                                        .grace_s = scheduler->options->grace_s};

    for (size_t i = 0; i < step->member_count; i++) {
        remotes[i] = berths[i]->remote;
        boot_ids[i] = berths[i]->boot_id;
    }
    plan_context(flight->arena, scheduler->sources, step, &context);
    flight->windowed = true;
    windows_read(&question, done, flight);
}

/* False when the run is over, and the flight with it. */
static bool take_windows(struct flight *flight, const struct window *windows, size_t count, size_t first)
{
    struct scheduler *scheduler = flight->scheduler;
    struct attempt *attempt = &scheduler->record->attempts.items[flight->attempt];

    flight->windowed = false;
    if (scheduler->over) {
        free_flight(flight);
        return false;
    }
    if (attempt->windows.count > first)
        attempt->windows.count = first;
    for (size_t i = 0; i < count; i++) {
        struct berth *berth = scheduler->tasks[flight->step].berths[i];

        *list_push(scheduler->record->arena, &attempt->windows) = windows[i];
        attempt->windows.items[first + i].what = reason_copy(scheduler->record->arena, windows[i].what);
        attempt->windows.items[first + i].boot_id =
            arena_strdup(scheduler->record->arena, windows[i].boot_id);
        /* A head that rebooted since it was last seen is to say so for the test itself. */
        if (i > 0 || first > 0 || windows[i].end != ATTEMPT_REBOOTED)
            note_boot(berth, windows[i].boot_id);
        berth->lost |= attempt_end_loses_host(windows[i].end);
    }
    if (scheduler->hooks->windows_read != NULL &&
        scheduler->hooks->windows_read(scheduler->hooks->context, attempt, first, scheduler->err) < 0) {
        drop_flight(flight);
        return false;
    }
    return true;
}

static void window_after_read(void *context, const struct window *windows, size_t count)
{
    struct flight *flight = context;

    if (take_windows(flight, windows, count, count))
        close_attempt(flight, &flight->result);
}

/* The answer is gone after its callback: it is kept while the window is read. */
static void keep_result(struct flight *flight, const struct remote_result *result)
{
    flight->result = *result;
    flight->result.what = reason_copy(flight->arena, result->what);
    flight->result.boot_id = arena_strdup(flight->arena, result->boot_id);
    flight->result.left_text = arena_strdup(flight->arena, result->left_text);
    for (size_t i = 0; i < 2; i++)
        (void)spool_hold(flight->result.held[i]);
}

static void released(void *context, const struct window *windows, size_t count)
{
    struct flight *flight = context;

    (void)windows;
    (void)count;
    flight->windowed = false;
    if (flight->scheduler->over)
        free_flight(flight);
    else if (flight->unsent)
        close_unsent(flight, ATTEMPT_CANCELLED, REASON(cancelled_before_begun));
    else
        close_attempt(flight, &flight->result);
}

/* Whoever tests next, and be it the same person a moment later, is not to find the lock of a test that was cancelled. */
static void release_hosts(struct flight *flight)
{
    read_window(flight, WINDOW_RELEASE, released);
}

static void attempt_done(void *context, const struct remote_result *result)
{
    struct flight *flight = context;
    struct scheduler *scheduler = flight->scheduler;
    const struct attempt *attempt = &scheduler->record->attempts.items[flight->attempt];

    if (scheduler->over) { /* the pool is going down: the attempt stays open in the store, for --resume */
        free_flight(flight);
        return;
    }
    /* All there already: an earlier controller ended between what it read after the test and its end. */
    if (!has_window(scheduler, flight->step) ||
        attempt->windows.count == 2 * step_at(scheduler, flight->step)->member_count) {
        close_attempt(flight, result);
        return;
    }
    keep_result(flight, result);
    if (scheduler->signals_seen > 0)
        release_hosts(flight);
    else
        read_window(flight, WINDOW_AFTER, window_after_read);
}

/* --- the start of an attempt
 * ------------------------------------------------------------------------------------- */

static int too_long(const struct scheduler *scheduler, const struct step *step)
{
    return error_set(scheduler->err, ERROR_INTERNAL, "the command of step %s on %s is longer than %d bytes",
                     step->shape->suite_step, step->members[0]->name, COMMAND_BYTES);
}

static int send_attempt(struct flight *flight)
{
    struct scheduler *scheduler = flight->scheduler;
    const struct step *step = step_at(scheduler, flight->step);
    const struct attempt *attempt = &scheduler->record->attempts.items[flight->attempt];
    struct check_context context;
    cleanup_text struct text hosts = {0};
    struct remote_file file = {.name = "hosts"};
    struct berth *head = head_of(scheduler, flight->step);
    struct remote_job job = {.verb = flight->spooled ? REMOTE_ENSURE : REMOTE_READ,
                             .uuid = attempt->uuid,
                             .boot_id = *head->boot_id != '\0' ? head->boot_id : NULL,
                             .command = attempt->command,
                             .deadline_s = step_deadline_s(step),
                             .grace_s = scheduler->options->grace_s,
                             .as_root = step->shape->as_root};

    text_init(&hosts, COMMAND_BYTES);
    plan_context(flight->arena, scheduler->sources, step, &context);
    job.secret = check_words(&context, attempt);
    if (context.check->hosts_file != NULL) {
        context.check->hosts_file(&context, &hosts);
        file.bytes = hosts.bytes;
        file.length = hosts.length;
        job.files = &file;
        job.file_count = 1;
    }
    if (hosts.clipped)
        return too_long(scheduler, step);
    remote_start(head->remote, &job, attempt_done, flight);
    return 0;
}

/* ATTEMPT_RAN: the hosts are ready for the test; else how the attempt ends without it, and why, in the flight's arena. */
static enum attempt_end not_ready(struct flight *flight, const struct reason **ret_why)
{
    struct scheduler *scheduler = flight->scheduler;
    struct check_context context;

    *ret_why = NULL;
    if (!has_window(scheduler, flight->step))
        return ATTEMPT_RAN;
    plan_context(flight->arena, scheduler->sources, step_at(scheduler, flight->step), &context);
    return check_not_ready(&context, &scheduler->record->attempts.items[flight->attempt], ret_why);
}

static void begin_test(struct flight *flight)
{
    const struct reason *why;
    enum attempt_end end = not_ready(flight, &why);

    flight->unsent = flight->scheduler->signals_seen > 0;
    if (flight->unsent && has_window(flight->scheduler, flight->step))
        release_hosts(flight);
    else if (flight->unsent)
        close_unsent(flight, ATTEMPT_CANCELLED, REASON(cancelled_before_begun));
    else if (end != ATTEMPT_RAN)
        close_unsent(flight, end, why);
    else if (send_attempt(flight) < 0)
        drop_flight(flight);
}

static void window_before_read(void *context, const struct window *windows, size_t count)
{
    struct flight *flight = context;

    if (take_windows(flight, windows, count, 0))
        begin_test(flight);
}

/* A resumed run goes on where it was: what was read before the test is kept before the test is sent, so hosts
   that were not ready then have not been sent it. */
static void begin_flight(struct flight *flight)
{
    struct scheduler *scheduler = flight->scheduler;
    size_t read = scheduler->record->attempts.items[flight->attempt].windows.count;
    const struct reason *why;

    if (has_window(scheduler, flight->step) &&
        (read < step_at(scheduler, flight->step)->member_count || not_ready(flight, &why) != ATTEMPT_RAN))
        read_window(flight, WINDOW_BEFORE, window_before_read);
    else if (send_attempt(flight) < 0)
        drop_flight(flight);
}

static struct flight *new_flight(struct scheduler *scheduler, size_t step, size_t attempt)
{
    struct flight *flight = mem_alloc(sizeof *flight);

    *flight = (struct flight){.scheduler = scheduler,
                              .step = step,
                              .attempt = attempt,
                              .arena = arena_create(),
                              .spooled = !step_at(scheduler, step)->shape->passive,
                              .next = scheduler->flights};
    scheduler->flights = flight;
    set_state(scheduler, step, STEP_RUNNING);
    scheduler->running++;
    take_claims(scheduler, step, true);
    return flight;
}

/* The command files of most hosts are the same: one copy in the record serves them all. */
static const char *keep_command(struct scheduler *scheduler, const char *command)
{
    const struct attempt *attempts = scheduler->record->attempts.items;
    size_t count = scheduler->record->attempts.count;

    for (size_t i = 0; i < count && i < COMMANDS_COMPARED; i++)
        if (attempts[count - 1 - i].command != NULL && strcmp(attempts[count - 1 - i].command, command) == 0)
            return attempts[count - 1 - i].command;
    return arena_strdup(scheduler->record->arena, command);
}

/* NULL with err set. */
static const char *command_text(struct scheduler *scheduler, const struct step *step)
{
    struct arena *arena = arena_create();
    struct check_context context;
    cleanup_text struct text command = {0};

    text_init(&command, COMMAND_BYTES);
    plan_context(arena, scheduler->sources, step, &context);
    check_command_file(&context, &command);
    arena_destroy(arena);
    if (command.clipped) {
        (void)too_long(scheduler, step); /* the error is what counts */
        return NULL;
    }
    return keep_command(scheduler, command.bytes);
}

static struct attempt *add_attempt(struct scheduler *scheduler, size_t step, const char *command)
{
    struct arena *arena = scheduler->record->arena;
    struct task *task = &scheduler->tasks[step];
    struct attempt *attempt = list_push(arena, &scheduler->record->attempts);
    char uuid[UUID_SIZE], frame[TOKEN_SIZE];

    uuid_create(uuid);
    token_create(frame);
    task->last = scheduler->record->attempts.count - 1;
    *attempt = (struct attempt){.step = step,
                                .n = (unsigned)++task->attempts,
                                .uuid = arena_strdup(arena, uuid),
                                .frame = arena_strdup(arena, frame),
                                .state = ATTEMPT_SENT,
                                .boot_id = "",
                                .command = command};
    attempt->sent = attempt->began = now_s();
    take_capture(&attempt->captures[0], "stdout", (struct slice){"", 0}, false, false);
    take_capture(&attempt->captures[1], "stderr", (struct slice){"", 0}, false, false);
    return attempt;
}

static void start_attempt(struct scheduler *scheduler, size_t step)
{
    const char *command = command_text(scheduler, step_at(scheduler, step));
    const struct attempt *attempt;
    struct flight *flight;

    if (command == NULL) {
        fail(scheduler);
        return;
    }
    attempt = add_attempt(scheduler, step, command);
    flight = new_flight(scheduler, step, scheduler->tasks[step].last);
    if (scheduler->hooks->attempt_begins(scheduler->hooks->context, attempt, scheduler->err) < 0) {
        drop_flight(flight);
        return;
    }
    tell(scheduler, EVENT_STARTED, step);
    begin_flight(flight);
}

/* --- what may start
 * ---------------------------------------------------------------------------------------------- */

enum readiness { READY, NOT_YET, NEVER };

static bool is_last(const struct scheduler *scheduler, const struct step *step)
{
    const struct suite_step *row = suite_step_find(scheduler->sources->suite, step->shape->suite_step);

    return row != NULL && row->last;
}

static enum readiness readiness(struct scheduler *scheduler, size_t index)
{
    const struct step *step = step_at(scheduler, index);
    struct task *task = &scheduler->tasks[index];

    if (!scheduler->closing && is_last(scheduler, step))
        return NOT_YET;
    for (; task->needs_passed < step->need_count; task->needs_passed++) {
        enum step_state need = scheduler->states[step->needs[task->needs_passed]];

        if (need == STEP_FAILED || need == STEP_SKIPPED)
            return NEVER;
        if (need != STEP_PASSED)
            return NOT_YET;
    }
    for (size_t i = 0; i < step->member_count; i++)
        if (task->berths[i]->lost)
            return NEVER;
    return claims_are_free(scheduler, index) ? READY : NOT_YET;
}

static void consider(struct scheduler *scheduler, size_t step)
{
    bool tried = scheduler->states[step] == STEP_AGAIN;

    if (scheduler->states[step] != STEP_WAITING && !tried)
        return;
    switch (readiness(scheduler, step)) {
    case READY:
        if (has_room(scheduler, step))
            start_attempt(scheduler, step);
        else
            wait_for_room(scheduler, head_of(scheduler, step));
        break;
    case NEVER:
        /* A step that has been tried is judged by what it has; one that has not did not run. */
        set_state(scheduler, step, tried ? STEP_FAILED : STEP_SKIPPED);
        tell(scheduler, tried ? EVENT_STEP_ENDED : EVENT_STEP_SKIPPED, step);
        break;
    case NOT_YET:
    default:
        break;
    }
}

static void add_to_berth(struct berth *berth, size_t step)
{
    if (berth->step_count == berth->step_capacity) {
        berth->step_capacity = berth->step_capacity > 0 ? 2 * berth->step_capacity : 16;
        berth->steps = mem_resize(berth->steps, berth->step_capacity * sizeof *berth->steps);
    }
    berth->steps[berth->step_count++] = step;
}

static void await(struct scheduler *scheduler, struct berth *berth)
{
    const struct scheduler_hooks *hooks = scheduler->hooks;
    bool awaited = hooks->awaits != NULL && hooks->awaits(hooks->context, berth->host);

    scheduler->awaited_count -= berth->awaited;
    scheduler->awaited_count += awaited;
    berth->awaited = awaited;
}

static void await_all(struct scheduler *scheduler)
{
    for (size_t i = 0; i < scheduler->berth_count && scheduler->awaited_count > 0; i++)
        if (scheduler->berths[i].awaited) {
            await(scheduler, &scheduler->berths[i]);
            wake(scheduler, &scheduler->berths[i]);
        }
}

/* Of the plan's hosts beyond those that are known. They stay where they are in memory: the plan can only grow by
   spares of the hostfile. */
static void open_berths(struct scheduler *scheduler)
{
    size_t most = scheduler->plan->hosts.count + scheduler->sources->hostfile->hosts.count;

    if (scheduler->berths == NULL) {
        scheduler->berths = mem_alloc(most * sizeof *scheduler->berths);
        scheduler->berths_by_host = mem_alloc(most * sizeof *scheduler->berths_by_host);
    }
    for (size_t i = scheduler->berth_count; i < scheduler->plan->hosts.count; i++) {
        const struct host *host = scheduler->plan->hosts.items[i];
        struct remote_target target = target_of(host);

        scheduler->berths[i].host = host;
        scheduler->berths[i].remote = remote_open(scheduler->pool, &target);
        scheduler->berths_by_host[i] = &scheduler->berths[i];
        await(scheduler, &scheduler->berths[i]);
    }
    scheduler->berth_count = scheduler->plan->hosts.count;
    qsort(scheduler->berths_by_host, scheduler->berth_count, sizeof *scheduler->berths_by_host,
          compare_hosts);
}

/* The hosts and steps that the plan has beyond those that are known. */
static void index_steps(struct scheduler *scheduler)
{
    size_t steps = scheduler->plan->steps.count;

    open_berths(scheduler);
    scheduler->states = mem_resize(scheduler->states, steps * sizeof *scheduler->states);
    scheduler->tasks = mem_resize(scheduler->tasks, steps * sizeof *scheduler->tasks);
    scheduler->wide = mem_resize(scheduler->wide, steps * sizeof *scheduler->wide);
    scheduler->sharing = mem_resize(scheduler->sharing, steps * sizeof *scheduler->sharing);
    for (size_t i = scheduler->state_count; i < steps; i++) {
        const struct step *step = step_at(scheduler, i);
        struct task *task = &scheduler->tasks[i];

        *task = (struct task){.berths = mem_alloc(step->member_count * sizeof *task->berths)};
        for (size_t k = 0; k < step->member_count; k++)
            task->berths[k] = berth_of(scheduler, step->members[k]);
        if (step->round > 0)
            scheduler->tasks[step->parent].repeated |= step->origin != ORIGIN_ISOLATE;
        scheduler->states[i] = step->origin == ORIGIN_LEFT_OUT ? STEP_SKIPPED : STEP_WAITING;
        scheduler->counts[scheduler->states[i]]++;
        if (step->member_count > 1 && step->shape->exclusive == EXCLUSIVE_FABRIC)
            scheduler->wide[scheduler->wide_count++] = i;
        else
            for (size_t k = 0; k < step->member_count; k++)
                add_to_berth(task->berths[k], i);
        wake_members(scheduler, i);
    }
    scheduler->state_count = steps;
}

/* Whoever has waited for room comes before the host that made it: all hosts get through the suite side by side, so one
   that takes long begins early. */
static struct berth *next_berth(struct scheduler *scheduler)
{
    struct berth *berth = call_waiting(scheduler);

    if (berth != NULL)
        return berth;
    berth = scheduler->due;
    if (berth == NULL)
        return NULL;
    scheduler->due = berth->next_due;
    if (scheduler->due == NULL)
        scheduler->due_end = &scheduler->due;
    berth->due = false;
    return berth;
}

/* Starts what may start. A step above host scope that is skipped can end the waiting of steps of its hosts,
 * so this goes on until nothing changes. */
static void start_ready(struct scheduler *scheduler)
{
    struct berth *berth;

    do {
        while (!scheduler->over && (berth = next_berth(scheduler)) != NULL)
            for (size_t i = 0; i < berth->step_count && !scheduler->over; i++)
                consider(scheduler, berth->steps[i]);
        for (size_t i = 0; i < scheduler->wide_count && !scheduler->over; i++)
            consider(scheduler, scheduler->wide[i]);
    } while (!scheduler->over && scheduler->due != NULL);
}

/* True when the plan grew. */
static bool extend(struct scheduler *scheduler)
{
    size_t known = scheduler->state_count;

    if (scheduler->hooks->extend != NULL &&
        scheduler->hooks->extend(scheduler->hooks->context, scheduler->states, scheduler->err) < 0) {
        fail(scheduler);
        return false;
    }
    index_steps(scheduler);
    return scheduler->state_count > known;
}

/* Nothing runs any more, and nothing is added: whoever looks at what all of it left behind may begin. */
static bool begin_last(struct scheduler *scheduler)
{
    if (scheduler->closing)
        return false;
    scheduler->closing = true;
    for (size_t i = 0; i < scheduler->berth_count; i++)
        wake(scheduler, &scheduler->berths[i]);
    return true;
}

static bool is_quiet(const struct scheduler *scheduler)
{
    return scheduler->running == 0 && scheduler->forgetting == 0 &&
           (scheduler->signals_seen > 0 || (scheduler->sweeps == NULL && scheduler->awaited_count == 0));
}

static void dispatch(struct scheduler *scheduler)
{
    do {
        if (scheduler->over)
            return;
        if (scheduler->signals_seen == 0)
            start_ready(scheduler);
        if (scheduler->over || !is_quiet(scheduler))
            return;
    } while (scheduler->signals_seen == 0 && (extend(scheduler) || begin_last(scheduler)));
    scheduler->over = true;
    uv_stop(&scheduler->loop);
}

/* --- signals, start and end
 * -------------------------------------------------------------------------------------- */

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
    if (has_folder(scheduler, attempt))
        forget(scheduler, attempt);
    dispatch(scheduler);
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
    for (const struct flight *flight = scheduler->flights; flight != NULL; flight = flight->next) {
        struct remote_job job = {.verb = REMOTE_GONE,
                                 .uuid = scheduler->record->attempts.items[flight->attempt].uuid,
                                 .deadline_s = 60,
                                 .as_root = true};

        for (size_t i = 1; flight->windowed && i < step_at(scheduler, flight->step)->member_count; i++) {
            scheduler->forgetting++;
            remote_start(scheduler->tasks[flight->step].berths[i]->remote, &job, forgotten, scheduler);
        }
    }
}

static void cancel_running(struct scheduler *scheduler)
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

        if (attempt->state == ATTEMPT_SENT && !step->shape->passive)
            cancel_attempt(scheduler, i, &job);
    }
    cancel_windows(scheduler);
}

static void cancel(struct scheduler *scheduler)
{
    scheduler->signals_seen++;
    tell(scheduler, EVENT_CANCELLING, (size_t)-1);
    cancel_running(scheduler);
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct scheduler *scheduler = handle->data;

    if (number == SIGHUP)
        return;
    if (scheduler->signals_seen == 0) {
        scheduler->signal = number;
        cancel(scheduler);
        dispatch(scheduler);
    } else {
        scheduler->over = true;
        uv_stop(&scheduler->loop);
    }
}

/* A member that does not answer holds up itself, not the others. */
static void let_late_sweeps_go(struct scheduler *scheduler)
{
    const struct scheduler_options *options = scheduler->options;
    uint64_t limit = options->gone_wait_ms > 0 ? options->gone_wait_ms : GONE_WAIT_MS;

    for (struct sweep *sweep = scheduler->sweeps; sweep != NULL; sweep = sweep->next)
        if (uv_now(&scheduler->loop) - sweep->began_ms >= limit)
            let_go(sweep);
}

static void on_tick(uv_timer_t *timer)
{
    struct scheduler *scheduler = timer->data;

    let_late_sweeps_go(scheduler);
    scheduler->left_s = guess_left_s(scheduler);
    tell(scheduler, EVENT_TICK, (size_t)-1);
    if (scheduler->awaited_count > 0) {
        await_all(scheduler);
        dispatch(scheduler);
    }
}

static void watch_signals(struct scheduler *scheduler)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        uv_signal_init(&scheduler->loop, &scheduler->signals[i]);
        scheduler->signals[i].data = scheduler;
        uv_signal_start(&scheduler->signals[i], on_signal, numbers[i]);
    }
    uv_timer_init(&scheduler->loop, &scheduler->tick);
    scheduler->tick.data = scheduler;
    uv_timer_start(&scheduler->tick, on_tick, TICK_MS, TICK_MS);
}

/* A light command that was under way leaves nothing behind and is asked again as a new attempt. */
static int close_light(struct scheduler *scheduler, size_t index)
{
    struct attempt *attempt = &scheduler->record->attempts.items[index];

    attempt->state = ATTEMPT_ENDED;
    attempt->end = ATTEMPT_CANCELLED;
    attempt->what = REASON(controller_ended_while_it_ran);
    attempt->ended = now_s();
    return scheduler->hooks->attempt_ended(scheduler->hooks->context, attempt, scheduler->err);
}

/* Of a host's last commands that ended, the folders may not have been removed: a removal goes beside the next
 * command, and both may have been cut short. */
static void forget_last(struct scheduler *scheduler, const struct berth *berth)
{
    unsigned left = 2;

    for (size_t i = scheduler->record->attempts.count; left > 0 && i-- > 0;) {
        const struct attempt *attempt = &scheduler->record->attempts.items[i];
        const struct step *step = step_at(scheduler, attempt->step);

        if (step->shape->passive || step->members[0] != berth->host)
            continue;
        if (has_folder(scheduler, attempt)) {
            forget(scheduler, attempt);
            left--;
        }
    }
}

struct proof {
    struct scheduler *scheduler;
    struct berth *berth;
    size_t attempt;
};

static void proof_answered(void *context, const struct remote_result *result)
{
    struct proof *proof = context;
    struct scheduler *scheduler = proof->scheduler;
    const struct attempt *attempt = &scheduler->record->attempts.items[proof->attempt];

    scheduler->forgetting--;
    proof->berth->held--;
    proof->berth->lost |= result->end != REMOTE_ENDED || result->left;
    wake(scheduler, proof->berth);
    if (!scheduler->over && proof->berth == head_of(scheduler, attempt->step))
        forget(scheduler, attempt);
    free(proof);
    dispatch(scheduler);
}

/* What was cancelled may run on, where its controller ended before it was proven gone, or its host is to be reached at
   another address now: nothing starts on its hosts before it is. */
static void prove_gone(struct scheduler *scheduler, size_t index)
{
    const struct attempt *attempt = &scheduler->record->attempts.items[index];
    const struct task *task = &scheduler->tasks[attempt->step];

    for (size_t i = 0; i < step_at(scheduler, attempt->step)->member_count; i++) {
        struct proof *proof = mem_alloc(sizeof *proof);
        struct remote_job job = {.verb = i == 0 ? REMOTE_CANCEL : REMOTE_GONE,
                                 .uuid = attempt->uuid,
                                 .grace_s = scheduler->options->grace_s,
                                 .deadline_s = 120,
                                 .as_root = step_at(scheduler, attempt->step)->shape->as_root};

        *proof = (struct proof){scheduler, task->berths[i], index};
        task->berths[i]->held++;
        scheduler->forgetting++;
        remote_start(task->berths[i]->remote, &job, proof_answered, proof);
    }
}

static int take_up_step(struct scheduler *scheduler, size_t step)
{
    size_t index = scheduler->tasks[step].last;
    const struct attempt *attempt = &scheduler->record->attempts.items[index];
    struct flight *flight;

    if (attempt->state == ATTEMPT_SENT && step_at(scheduler, step)->shape->passive)
        return close_light(scheduler, index);
    if (attempt->state == ATTEMPT_SENT) {
        flight = new_flight(scheduler, step, index);
        tell(scheduler, EVENT_STARTED, step);
        begin_flight(flight);
    } else if (attempt->end != ATTEMPT_CANCELLED) {
        set_state(scheduler, step, scheduler->hooks->judge(scheduler->hooks->context, step));
        tell(scheduler, EVENT_TAKEN_UP, step);
    } else if (!step_at(scheduler, step)->shape->passive) {
        prove_gone(scheduler, index);
    }
    return 0;
}

/* What it booted last is of no other machine. */
static bool is_of_swapped(const struct scheduler *scheduler, size_t index)
{
    const struct step *step = step_at(scheduler, index);

    return scheduler->tasks[index].repeated ||
           (step->origin == ORIGIN_ISOLATE && scheduler->tasks[step->parent].repeated);
}

/* What an earlier controller left: ended steps are judged, open attempts are taken up where they run. */
static int take_up(struct scheduler *scheduler)
{
    for (size_t i = 0; i < scheduler->record->attempts.count; i++) {
        const struct attempt *attempt = &scheduler->record->attempts.items[i];
        struct task *task = &scheduler->tasks[attempt->step];

        task->attempts = attempt->n;
        task->last = i;
        if (!is_of_swapped(scheduler, attempt->step))
            note_boot(task->berths[0], attempt->boot_id);
    }
    for (size_t i = 0; i < scheduler->state_count; i++)
        if (scheduler->tasks[i].attempts > 0 && take_up_step(scheduler, i) < 0)
            return -1;
    for (size_t i = 0; i < scheduler->berth_count; i++)
        forget_last(scheduler, &scheduler->berths[i]);
    return 0;
}

static void tear_down(struct scheduler *scheduler)
{
    scheduler->over = true;
    for (size_t i = 0; i < sizeof scheduler->signals / sizeof scheduler->signals[0]; i++)
        uv_close((uv_handle_t *)&scheduler->signals[i], NULL);
    uv_close((uv_handle_t *)&scheduler->tick, NULL);
    for (struct sweep *sweep = scheduler->sweeps, *next; sweep != NULL; sweep = next) {
        next = sweep->next;
        if (sweep->pausing) /* the others end with their jobs, which the pool ends now */
            close_sweep(sweep);
    }
    for (size_t i = 0; i < scheduler->berth_count; i++)
        remote_close(scheduler->berths[i].remote);
    remote_pool_destroy(scheduler->pool);
    uv_run(&scheduler->loop, UV_RUN_DEFAULT); /* takes back a stop that came before the loop ran */
    uv_run(&scheduler->loop, UV_RUN_DEFAULT);
    uv_loop_close(&scheduler->loop);
    for (size_t i = 0; i < scheduler->berth_count; i++)
        free(scheduler->berths[i].steps);
    for (size_t i = 0; i < scheduler->state_count; i++)
        free(scheduler->tasks[i].berths);
    free(scheduler->berths_by_host);
    free(scheduler->tasks);
    free(scheduler->cancelling);
    free(scheduler->sharing);
    free(scheduler->berths);
    free(scheduler->states);
    free(scheduler->wide);
}

int scheduler_run(struct record *record, const struct plan_sources *sources,
                  const struct scheduler_options *options, const struct scheduler_hooks *hooks,
                  bool *ret_cancelled, struct error *err)
{
    struct scheduler scheduler = {.record = record,
                                  .plan = record->plan,
                                  .sources = sources,
                                  .options = options,
                                  .hooks = hooks,
                                  .err = err};
    int made;

    scheduler.due_end = &scheduler.due;
    scheduler.waiting_end = &scheduler.waiting;
    made = uv_loop_init(&scheduler.loop);
    if (made < 0)
        return error_set(err, ERROR_INTERNAL, "no event loop can be made: %s", uv_strerror(made));
    scheduler.pool = remote_pool_create(&scheduler.loop, &options->remote);
    watch_signals(&scheduler);
    index_steps(&scheduler);
    if (take_up(&scheduler) < 0)
        fail(&scheduler);
    else if (options->cancel)
        cancel(&scheduler);
    dispatch(&scheduler);
    if (!scheduler.over)
        uv_run(&scheduler.loop, UV_RUN_DEFAULT);
    tear_down(&scheduler);
    *ret_cancelled = scheduler.signals_seen > 0;
    return scheduler.failed ? -1 : 0;
}
