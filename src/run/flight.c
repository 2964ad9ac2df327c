/* SPDX-License-Identifier: Apache-2.0 */
/* One attempt on its way: its windows, its command, its end. */
#include <stdlib.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "assay/base/clock.h"
#include "assay/base/text.h"
#include "assay/reasons/any.h"
#include "assay/reasons/run.h"
#include "scheduler_private.h"
#include "spool.h"
#include "windows.h"

enum { COMMAND_BYTES = 256 * 1024, COMMANDS_COMPARED = 16 };

static void drop_outputs(struct flight *flight)
{
    for (size_t i = 0; i < 2; i++)
        spool_release(steal_pointer(flight->result.held[i]));
}

static void free_flight(struct flight *flight)
{
    LIST_REMOVE(flight, link);
    drop_outputs(flight);
    arena_destroy(flight->arena);
    free(flight);
}

static void drop_flight(struct flight *flight)
{
    struct scheduler *scheduler = flight->scheduler;

    free_flight(flight);
    scheduler_fail(scheduler);
}

void flight_end(struct flight *flight)
{
    struct scheduler *scheduler = flight->scheduler;
    const struct attempt *attempt = &scheduler->record->attempts.items[flight->attempt];
    enum step_state state = scheduler->hooks->judge(scheduler->hooks->context, flight->step, flight->attempt);

    if (scheduler->signals_seen > 0 && state == STEP_AGAIN)
        state = STEP_FAILED;
    if (state != STEP_AGAIN && attempt_end_loses_host(attempt->end))
        schedule_lose(scheduler->schedule, schedule_members(scheduler->schedule, flight->step)[0]);
    schedule_end(scheduler->schedule, flight->step, state);
    scheduler_tell(scheduler, state == STEP_AGAIN ? EVENT_ATTEMPT_ENDED : EVENT_STEP_ENDED, flight->step);
    free_flight(flight);
    scheduler_dispatch(scheduler);
}

/* Of a test of one host everybody who shows it names that host himself. */
static const struct reason *without_name(struct arena *arena, const struct step *step,
                                         const struct reason *what)
{
    const char *name = reason_is(what, about) ? reason_argument_text(what, 1) : NULL;

    return step->member_count == 1 && name != NULL && strcmp(name, step->members[0]->name) == 0
               ? reason_argument(arena, what, 2)
               : what;
}

static void take_result(struct scheduler *scheduler, struct attempt *attempt,
                        const struct remote_result *result, const struct reason *transport)
{
    struct arena *arena = scheduler->record->arena;

    attempt->state = ATTEMPT_ENDED;
    attempt->end = attempt_end_of(result);
    attempt->rc = result->rc;
    attempt->what = reason_copy(
        arena, without_name(arena, &scheduler->record->plan->steps.items[attempt->step], result->what));
    attempt->ended = clock_steady();
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

void flight_note_boot(struct run_host *host, const char *boot_id)
{
    if (*boot_id != '\0' && strlen(boot_id) < sizeof host->boot_id)
        memcpy(host->boot_id, boot_id, strlen(boot_id) + 1);
}

/* The bytes of windows are the flight's, as those of captures are the transport's. */
static void drop_windows(struct attempt *attempt)
{
    for (size_t i = 0; i < attempt->windows.count; i++)
        for (size_t k = 0; k < 2; k++)
            attempt->windows.items[i].captures[k].bytes = (struct slice){"", 0};
}

/* Tells of the attempt's end; false: nobody could keep it, and the flight is over. */
static bool note_end(struct flight *flight, struct attempt *attempt)
{
    struct scheduler *scheduler = flight->scheduler;

    if (scheduler->hooks->attempt_ended(scheduler->hooks->context, attempt, scheduler->err) < 0) {
        drop_flight(flight);
        return false;
    }
    drop_windows(attempt);
    /* A mark may be of a cancel that came before the command. */
    if (sweep_has_folder(scheduler, attempt) &&
        (scheduler->cancelling == NULL || !scheduler->cancelling[flight->attempt]))
        sweep_forget(scheduler, attempt);
    return true;
}

static bool has_window(const struct scheduler *scheduler, size_t step)
{
    return !check_find(step_at(scheduler, step)->shape->check)->passive;
}

static void close_attempt(struct flight *flight, const struct remote_result *result)
{
    struct scheduler *scheduler = flight->scheduler;
    const struct step *step = step_at(scheduler, flight->step);
    struct run_host *head = head_of(scheduler, flight->step);
    struct attempt *attempt = &scheduler->record->attempts.items[flight->attempt];

    take_result(scheduler, attempt, result, remote_transport_note(head->remote));
    if (scheduler->signals_seen > 0 && step->shape->passive && attempt->end == ATTEMPT_KILLED)
        attempt->end = ATTEMPT_CANCELLED; /* by sweep_cancel_running */
    flight_note_boot(head, attempt->boot_id);
    if (!note_end(flight, attempt))
        return;
    if (*head->boot_id != '\0')
        sweep_tidy(scheduler, head);
    if (result->left)
        sweep_host(flight, head, false);
    drop_outputs(flight);
    flight->sweeps++;
    for (size_t i = 1; i < step->member_count; i++)
        sweep_host(flight, member_at(scheduler, flight->step, i), true);
    if (--flight->sweeps == 0)
        flight_end(flight);
}

/* An attempt whose command was never sent: nothing of it is on any host. */
static void close_unsent(struct flight *flight, enum attempt_end end, const struct reason *why)
{
    struct scheduler *scheduler = flight->scheduler;
    struct attempt *attempt = &scheduler->record->attempts.items[flight->attempt];

    attempt->state = ATTEMPT_ENDED;
    attempt->end = end;
    attempt->what =
        reason_copy(scheduler->record->arena,
                    without_name(scheduler->record->arena, step_at(scheduler, flight->step), why));
    attempt->ended = clock_steady();
    if (!note_end(flight, attempt))
        return;
    flight_end(flight);
}

/* The windows before are the first of an attempt, one for each member; those after follow. */
static void read_window(struct flight *flight, enum window_role role, windows_done_cb *done)
{
    struct scheduler *scheduler = flight->scheduler;
    const struct step *step = step_at(scheduler, flight->step);
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
        remotes[i] = member_at(scheduler, flight->step, i)->remote;
        boot_ids[i] = member_at(scheduler, flight->step, i)->boot_id;
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
        struct run_host *host = member_at(scheduler, flight->step, i);

        *list_push(scheduler->record->arena, &attempt->windows) = windows[i];
        if (scheduler->signals_seen > 0 && windows[i].end == ATTEMPT_KILLED)
            attempt->windows.items[first + i].end = ATTEMPT_CANCELLED; /* by sweep_cancel_running */
        attempt->windows.items[first + i].what = reason_copy(scheduler->record->arena, windows[i].what);
        attempt->windows.items[first + i].boot_id =
            arena_strdup(scheduler->record->arena, windows[i].boot_id);
        /* A head that rebooted since it was last seen is to say so for the test itself. */
        if (i > 0 || first > 0 || windows[i].end != ATTEMPT_REBOOTED)
            flight_note_boot(host, windows[i].boot_id);
        if (attempt_end_loses_host(windows[i].end))
            schedule_lose(scheduler->schedule, index_of(scheduler, host));
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
    struct run_host *head = head_of(scheduler, flight->step);
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
                              .spooled = !step_at(scheduler, step)->shape->passive};
    LIST_INSERT_HEAD(&scheduler->flights, flight, link);
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
    struct tries *tries = &scheduler->tries[step];
    struct attempt *attempt = list_push(arena, &scheduler->record->attempts);
    char uuid[UUID_SIZE], frame[TOKEN_SIZE];

    uuid_create(uuid);
    token_create(frame);
    tries->last = scheduler->record->attempts.count - 1;
    *attempt = (struct attempt){.step = step,
                                .n = (unsigned)++tries->count,
                                .uuid = arena_strdup(arena, uuid),
                                .frame = arena_strdup(arena, frame),
                                .state = ATTEMPT_SENT,
                                .boot_id = "",
                                .command = command};
    attempt->sent = attempt->began = clock_steady();
    take_capture(&attempt->captures[0], "stdout", (struct slice){"", 0}, false, false);
    take_capture(&attempt->captures[1], "stderr", (struct slice){"", 0}, false, false);
    return attempt;
}

void flight_start(struct scheduler *scheduler, size_t step)
{
    const char *command = command_text(scheduler, step_at(scheduler, step));
    const struct attempt *attempt;
    struct flight *flight;

    if (command == NULL) {
        scheduler_fail(scheduler);
        return;
    }
    attempt = add_attempt(scheduler, step, command);
    flight = new_flight(scheduler, step, scheduler->tries[step].last);
    if (scheduler->hooks->attempt_begins(scheduler->hooks->context, attempt, scheduler->err) < 0) {
        drop_flight(flight);
        return;
    }
    scheduler_tell(scheduler, EVENT_STARTED, step);
    begin_flight(flight);
}

void flight_take_up(struct scheduler *scheduler, size_t step, size_t attempt)
{
    struct flight *flight = new_flight(scheduler, step, attempt);

    schedule_take(scheduler->schedule, step);
    scheduler_tell(scheduler, EVENT_STARTED, step);
    begin_flight(flight);
}
