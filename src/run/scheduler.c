/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/run/scheduler.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "assay/base/arena.h"
#include "assay/base/clock.h"
#include "assay/reasons/run.h"
#include "scheduler_private.h"
#include "target.h"

enum { TICK_MS = 500 };

static size_t count(const struct scheduler *scheduler, enum step_state state)
{
    return schedule_count(scheduler->schedule, state);
}

void scheduler_tell(struct scheduler *scheduler, enum scheduler_event event, size_t step)
{
    struct scheduler_counts counts = {.steps = scheduler->plan->steps.count,
                                      .running = count(scheduler, STEP_RUNNING),
                                      .passed = count(scheduler, STEP_PASSED),
                                      .failed = count(scheduler, STEP_FAILED),
                                      .skipped = count(scheduler, STEP_SKIPPED),
                                      .hosts = scheduler->host_count,
                                      .hosts_busy = schedule_busy(scheduler->schedule),
                                      .left_s = scheduler->left_s,
                                      .signal = scheduler->signal};

    if (scheduler->hooks->progress == NULL)
        return;
    if (step != (size_t)-1)
        counts.state = schedule_states(scheduler->schedule)[step];
    counts.ended = counts.passed + counts.failed + counts.skipped;
    scheduler->hooks->progress(scheduler->hooks->context, event, step, &counts);
}

void scheduler_fail(struct scheduler *scheduler)
{
    scheduler->failed = true;
    scheduler->over = true;
    uv_stop(&scheduler->loop);
}

static void await(struct scheduler *scheduler, size_t host)
{
    const struct scheduler_hooks *hooks = scheduler->hooks;

    schedule_await(scheduler->schedule, host,
                   hooks->awaits != NULL && hooks->awaits(hooks->context, scheduler->hosts[host].host));
}

static void await_all(struct scheduler *scheduler)
{
    for (size_t i = 0; i < scheduler->host_count; i++)
        if (schedule_is_awaited(scheduler->schedule, i))
            await(scheduler, i);
}

/* Of the plan's hosts beyond those that are known. They stay where they are in memory: the plan can only grow by
   spares of the hostfile. */
static void open_hosts(struct scheduler *scheduler)
{
    size_t most = scheduler->plan->hosts.count + scheduler->sources->hostfile->hosts.count;

    if (scheduler->hosts == NULL)
        scheduler->hosts = mem_alloc(most * sizeof *scheduler->hosts);
    for (; scheduler->host_count < scheduler->plan->hosts.count; scheduler->host_count++) {
        struct run_host *host = &scheduler->hosts[scheduler->host_count];
        struct remote_target target;

        host->host = scheduler->plan->hosts.items[scheduler->host_count];
        target = target_of(host->host);
        host->remote = remote_open(scheduler->pool, &target);
        await(scheduler, scheduler->host_count);
    }
}

/* The hosts and steps that the plan has beyond those that are known; false: there are no more steps. */
static bool grow(struct scheduler *scheduler)
{
    bool more = schedule_grow(scheduler->schedule);
    size_t steps = scheduler->plan->steps.count;

    open_hosts(scheduler);
    scheduler->tries = mem_resize(scheduler->tries, steps * sizeof *scheduler->tries + 1);
    for (; scheduler->step_count < steps; scheduler->step_count++) {
        const struct step *step = step_at(scheduler, scheduler->step_count);

        scheduler->tries[scheduler->step_count] = (struct tries){0};
        scheduler->asks_root |= step->shape->as_root;
        if (step->round > 0)
            scheduler->tries[step->parent].repeated |= step->origin != ORIGIN_ISOLATE;
    }
    return more;
}

static void start_ready(struct scheduler *scheduler)
{
    enum schedule_word word = SCHEDULE_NOTHING;
    size_t step = 0;

    while (!scheduler->over && (word = schedule_next(scheduler->schedule, &step)) != SCHEDULE_NOTHING)
        if (word == SCHEDULE_BEGIN)
            flight_start(scheduler, step);
        else
            scheduler_tell(scheduler,
                           schedule_states(scheduler->schedule)[step] == STEP_FAILED ? EVENT_STEP_ENDED
                                                                                     : EVENT_STEP_SKIPPED,
                           step);
}

static int ask_for_more(struct scheduler *scheduler)
{
    const struct scheduler_hooks *hooks = scheduler->hooks;
    bool *lost = mem_alloc(scheduler->host_count * sizeof *lost + 1);
    int result;

    for (size_t i = 0; i < scheduler->host_count; i++)
        lost[i] = schedule_has_lost(scheduler->schedule, i);
    result = hooks->extend(hooks->context, schedule_states(scheduler->schedule), lost, scheduler->err);
    free(lost);
    return result;
}

/* True when the plan grew. */
static bool extend(struct scheduler *scheduler)
{
    if (scheduler->hooks->extend != NULL && ask_for_more(scheduler) < 0) {
        scheduler_fail(scheduler);
        return false;
    }
    return grow(scheduler);
}

/* Nothing runs and nothing may begin: whether there is more to do all the same. */
static bool goes_on(struct scheduler *scheduler)
{
    return extend(scheduler) || schedule_settle_needs(scheduler->schedule) ||
           schedule_close(scheduler->schedule);
}

static bool is_quiet(const struct scheduler *scheduler)
{
    return schedule_count(scheduler->schedule, STEP_RUNNING) == 0 && scheduler->forgetting == 0 &&
           (scheduler->signals_seen > 0 ||
            (LIST_EMPTY(&scheduler->sweeps) && schedule_awaited(scheduler->schedule) == 0));
}

void scheduler_dispatch(struct scheduler *scheduler)
{
    do {
        if (scheduler->over)
            return;
        if (scheduler->signals_seen == 0)
            start_ready(scheduler);
        if (scheduler->over || !is_quiet(scheduler))
            return;
    } while (scheduler->signals_seen == 0 && goes_on(scheduler));
    scheduler->over = true;
    uv_stop(&scheduler->loop);
}

/* -- Signals, start and end -- */

static void cancel(struct scheduler *scheduler)
{
    scheduler->signals_seen++;
    scheduler_tell(scheduler, EVENT_CANCELLING, (size_t)-1);
    sweep_cancel_running(scheduler);
}

static void on_signal(uv_signal_t *handle, int number)
{
    struct scheduler *scheduler = handle->data;

    if (number == SIGHUP)
        return;
    if (scheduler->signals_seen == 0) {
        scheduler->signal = number;
        cancel(scheduler);
        scheduler_dispatch(scheduler);
    } else {
        scheduler->over = true;
        uv_stop(&scheduler->loop);
    }
}

static void on_tick(uv_timer_t *timer)
{
    struct scheduler *scheduler = timer->data;

    sweep_let_late_go(scheduler);
    scheduler->left_s = schedule_left_s(scheduler->schedule);
    scheduler_tell(scheduler, EVENT_TICK, (size_t)-1);
    if (schedule_awaited(scheduler->schedule) > 0) {
        await_all(scheduler);
        scheduler_dispatch(scheduler);
    }
}

static void watch_signals(struct scheduler *scheduler)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
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
    attempt->ended = clock_steady();
    return scheduler->hooks->attempt_ended(scheduler->hooks->context, attempt, scheduler->err);
}

static int take_up_step(struct scheduler *scheduler, size_t step)
{
    size_t index = scheduler->tries[step].last;
    const struct attempt *attempt = &scheduler->record->attempts.items[index];

    if (attempt->state == ATTEMPT_SENT && step_at(scheduler, step)->shape->passive)
        return close_light(scheduler, index);
    if (attempt->state == ATTEMPT_SENT) {
        flight_take_up(scheduler, step, index);
    } else if (attempt->end != ATTEMPT_CANCELLED) {
        schedule_settle(
            scheduler->schedule, step,
            scheduler->hooks->judge(scheduler->hooks->context, step, scheduler->tries[step].last));
        scheduler_tell(scheduler, EVENT_TAKEN_UP, step);
    } else if (!step_at(scheduler, step)->shape->passive) {
        sweep_prove_gone(scheduler, index);
    }
    return 0;
}

/* What it booted last is of no other machine. */
static bool is_of_swapped(const struct scheduler *scheduler, size_t index)
{
    const struct step *step = step_at(scheduler, index);

    return scheduler->tries[index].repeated ||
           (step->origin == ORIGIN_ISOLATE && scheduler->tries[step->parent].repeated);
}

static bool is_under_way(const struct scheduler *scheduler, size_t step)
{
    const struct tries *tries = &scheduler->tries[step];

    return tries->count > 0 && scheduler->record->attempts.items[tries->last].state == ATTEMPT_SENT &&
           !step_at(scheduler, step)->shape->passive;
}

/* A reboot is a fault of the host under a test. Of one where none is under way nothing is known until it answers: people reboot
 * hosts while nobody tests them, and what was counted before is told anew by itself (grown.c). */
static void forget_boots(struct scheduler *scheduler)
{
    for (size_t i = 0; i < scheduler->step_count; i++)
        for (size_t k = 0; is_under_way(scheduler, i) && k < step_at(scheduler, i)->member_count; k++)
            member_at(scheduler, i, k)->under_way = true;
    for (size_t i = 0; i < scheduler->host_count; i++)
        if (!scheduler->hosts[i].under_way)
            scheduler->hosts[i].boot_id[0] = '\0';
}

/* What an earlier controller left: ended steps are judged, open attempts are taken up where they run. */
static int take_up(struct scheduler *scheduler)
{
    for (size_t i = 0; i < scheduler->record->attempts.count; i++) {
        const struct attempt *attempt = &scheduler->record->attempts.items[i];
        struct tries *tries = &scheduler->tries[attempt->step];

        tries->count = attempt->n;
        tries->last = i;
        if (!is_of_swapped(scheduler, attempt->step))
            flight_note_boot(head_of(scheduler, attempt->step), attempt->boot_id);
    }
    forget_boots(scheduler);
    for (size_t i = 0; i < scheduler->step_count; i++)
        if (scheduler->tries[i].count > 0 && take_up_step(scheduler, i) < 0)
            return -1;
    for (size_t i = 0; i < scheduler->host_count; i++)
        sweep_forget_last(scheduler, &scheduler->hosts[i]);
    return 0;
}

static void told_to_stop(int number)
{
    static const char words[] =
        "\nassay: all tests are over; what they found is judged and written; once more: stop without that\n";
    const int before = errno; /* whom it interrupts asks for its own */

    (void)number;
    (void)!write(STDERR_FILENO, words, sizeof words - 1);
    errno = before;
}

/* On many hosts it takes seconds to let go of them, to judge and to write the report, and whoever ends the run then wants all that. */
static void finish_in_spite_of_signals(void)
{
    const struct sigaction once = {.sa_handler = told_to_stop, .sa_flags = SA_RESETHAND | SA_RESTART},
                           never = {.sa_handler = SIG_IGN}; /* a run outlives its terminal */

    sigaction(SIGINT, &once, NULL);
    sigaction(SIGTERM, &once, NULL);
    sigaction(SIGHUP, &never, NULL);
}

static void tear_down(struct scheduler *scheduler)
{
    scheduler->over = true;
    for (size_t i = 0; i < ARRAY_SIZE(scheduler->signals); i++)
        uv_close((uv_handle_t *)&scheduler->signals[i], NULL);
    finish_in_spite_of_signals();
    uv_close((uv_handle_t *)&scheduler->tick, NULL);
    for (struct sweep *sweep = LIST_FIRST(&scheduler->sweeps), *next; sweep != NULL; sweep = next) {
        next = LIST_NEXT(sweep, link);
        if (sweep->pausing) /* the others end with their jobs, which the pool ends now */
            sweep_close(sweep);
    }
    for (size_t i = 0; i < scheduler->host_count; i++)
        remote_close(scheduler->hosts[i].remote);
    remote_pool_destroy(scheduler->pool);
    uv_run(&scheduler->loop, UV_RUN_DEFAULT); /* takes back a stop that came before the loop ran */
    uv_run(&scheduler->loop, UV_RUN_DEFAULT);
    uv_loop_close(&scheduler->loop);
    schedule_destroy(scheduler->schedule);
    free(scheduler->tries);
    free(scheduler->cancelling);
    free(scheduler->hosts);
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

    made = uv_loop_init(&scheduler.loop);
    if (made < 0)
        return error_set(err, ERROR_INTERNAL, "no event loop can be made: %s", uv_strerror(made));
    scheduler.pool = remote_pool_create(&scheduler.loop, &options->remote);
    watch_signals(&scheduler);
    scheduler.schedule = schedule_create(record->plan, sources->suite, options->hosts_at_once);
    (void)grow(&scheduler);
    if (take_up(&scheduler) < 0)
        scheduler_fail(&scheduler);
    else if (options->cancel)
        cancel(&scheduler);
    scheduler_dispatch(&scheduler);
    if (!scheduler.over)
        uv_run(&scheduler.loop, UV_RUN_DEFAULT);
    tear_down(&scheduler);
    *ret_cancelled = scheduler.signals_seen > 0;
    return scheduler.failed ? -1 : 0;
}
