/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/app/running.h"

#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay/app/exclusive.h"
#include "assay/app/isolation.h"
#include "assay/app/meter.h"
#include "assay/app/own_names.h"
#include "assay/base/clock.h"
#include "assay/check/check.h"
#include "assay/judge/judge.h"

static int attempt_begins(void *context, const struct attempt *attempt, struct error *err)
{
    struct running *run = context;

    return meter_check_disk(run->meter, err) < 0 ? -1
                                                 : store_begin_attempt(run->store, run->record, attempt, err);
}

static int windows_read(void *context, const struct attempt *attempt, size_t first, struct error *err)
{
    struct running *run = context;
    struct record *record = run->record;
    struct attempt *mine = &record->attempts.items[attempt - record->attempts.items];

    for (size_t i = first; i < mine->windows.count; i++) {
        struct window *window = &mine->windows.items[i];
        const struct host *host = record->plan->steps.items[mine->step].members[window->member];

        if (meter_takes(run->meter, host, window->captures))
            continue;
        evidence_drop(window->captures, &window->what);
        window->end = ATTEMPT_NO_ANSWER;
    }
    return store_put_windows(run->store, record, mine, first, err);
}

static void read_into(struct arena *arena, const struct running *run, const struct record *record,
                      struct attempt *attempt)
{
    struct check_context check;

    context_to_read(arena, run->sources, record, &record->plan->steps.items[attempt->step], &check);
    check_read(&check, attempt);
}

/* Raw bytes first: whatever becomes of the parsing, the evidence is there. Of a clipped output the readings are part of
   it, so they are made before, to be kept right behind it. */
static int store_attempt(struct running *run, struct arena *scratch, struct attempt *attempt,
                         struct error *err)
{
    if (attempt_is_clipped(attempt))
        read_into(scratch, run, run->record, attempt);
    if (store_end_attempt(run->store, run->record, attempt, err) < 0)
        return -1;
    if (!attempt_is_clipped(attempt))
        read_into(scratch, run, run->record, attempt);
    return store_put_readings(run->store, run->record, attempt, err);
}

int running_keep_attempt(struct running *run, struct attempt *attempt, struct error *err)
{
    cleanup_arena struct arena *scratch = arena_create();
    int result = store_attempt(run, scratch, attempt, err);

    check_keep(run->record->arena, scratch, &run->record->plan->steps.items[attempt->step], attempt);
    return result;
}

/* A cancel came between the end of the test and that of what is read after it. */
static bool was_left(const struct step *step, const struct attempt *attempt)
{
    size_t read = 0, after = 0;

    if (check_find(step->shape->check)->passive || attempt->end != ATTEMPT_RAN)
        return false;
    for (size_t i = 0; i < attempt->windows.count; i++)
        if (attempt->windows.items[i].role == WINDOW_AFTER) {
            after++;
            read += attempt->windows.items[i].end != ATTEMPT_CANCELLED;
        }
    return after < step->member_count || read < after;
}

/* Such a test is made again as any other that was cancelled: nothing is decided by it. What it has found all the same stays found. */
static void settle_left(struct running *run, struct attempt *attempt)
{
    cleanup_arena struct arena *scratch = arena_create();
    const struct step *step = &run->record->plan->steps.items[attempt->step];
    struct outcome worst;
    size_t alike;

    if (!was_left(step, attempt))
        return;
    read_into(scratch, run, run->record, attempt);
    worst = judge_step_worst(scratch, run->record, &run->sources->limits, attempt->step, &alike);
    if (worst.word != OUTCOME_FAIL)
        attempt->end = ATTEMPT_CANCELLED;
    memset(&attempt->parts, 0, sizeof attempt->parts); /* read anew when it is kept */
}

static int attempt_ended(void *context, struct attempt *attempt, struct error *err)
{
    struct running *run = context;

    if (!meter_takes(run->meter, run->record->plan->steps.items[attempt->step].members[0], attempt->captures))
        evidence_drop(attempt->captures, &attempt->what);
    settle_left(run, attempt);
    return running_keep_attempt(run, attempt, err);
}

static enum step_state judge(void *context, size_t step, size_t last)
{
    struct running *run = context;

    return judge_step_to(run->record, &run->sources->limits, step, last);
}

/* Steps over several hosts that failed, and that others of these need: whom they named. */
static void find_culprits(const struct running *run, struct arena *arena, struct plan_progress *progress)
{
    const struct plan *plan = run->record->plan;

    for (size_t i = 0; i < plan->steps.count; i++) {
        const struct step *step = &plan->steps.items[i];
        struct blamed_list blamed = {0};

        if (step->member_count < 2 || progress->states[i] != STEP_FAILED ||
            !suite_step_is_needed(run->sources->suite, step->shape->suite_step))
            continue;
        judge_step_culprits(arena, run->record, &run->sources->limits, i, &blamed);
        for (size_t k = 0; k < blamed.items.count; k++)
            if (!blamed.items.items[k].perhaps)
                *list_push(arena, &progress->culprits) = (struct plan_culprit){i, blamed.items.items[k].host};
    }
}

/* What the hosts' own steps made of those over several of them, and who takes whose place. */
static int extend(void *context, const enum step_state *states, const bool *lost, struct error *err)
{
    struct running *run = context;
    struct plan *plan = run->record->plan;
    struct plan_progress progress = {.states = states, .lost = lost};
    struct arena *arena = arena_create();
    size_t steps = plan->steps.count;

    find_culprits(run, arena, &progress);
    plan_add_substitutes(plan, run->sources, &progress);
    arena_destroy(arena);
    if (plan->steps.count == steps)
        isolation_extend(run->record, run->sources);
    return plan->steps.count > steps ? store_add_steps(run->store, run->record, steps, err) : 0;
}

/* Why the step did not pass, as far as it alone can tell. */
static void tell_worst(struct running *run, enum scheduler_event event, size_t step,
                       const struct scheduler_counts *counts)
{
    cleanup_arena struct arena *arena = arena_create();
    size_t alike;
    struct outcome worst = judge_step_worst(arena, run->record, &run->sources->limits, step, &alike);

    run->watcher.event(run->watcher.context, clock_now(), event, step, counts, &worst, alike);
}

static void progress(void *context, enum scheduler_event event, size_t step,
                     const struct scheduler_counts *counts)
{
    struct running *run = context;
    const char *news = run->exclusive != NULL && event == EVENT_TICK ? exclusive_poll(run->exclusive) : NULL;

    if (news != NULL)
        run->watcher.note(run->watcher.context, news);
    if (event == EVENT_CANCELLING)
        run->cancelled_by = counts->signal;
    if (counts->state == STEP_FAILED && (event == EVENT_STEP_ENDED || event == EVENT_TAKEN_UP))
        tell_worst(run, event, step, counts);
    else
        run->watcher.event(run->watcher.context, clock_now(), event, step, counts, NULL, 0);
}

static bool awaits(void *context, const struct host *host)
{
    struct running *run = context;

    return exclusive_awaits(run->exclusive, host);
}

/* Where it cannot be asked, nothing is removed. */
static bool is_over(void *context, const char *uuid)
{
    const struct running *run = context;
    struct error ignored = {0};

    return store_attempt_is_over(run->store, uuid, &ignored) > 0;
}

static const char *slurm_job(void *context, const char *host)
{
    const struct running *run = context;

    return run->exclusive != NULL ? exclusive_job(run->exclusive, host) : NULL;
}

static const struct reason *slurm_refused(void *context, const char *host)
{
    const struct running *run = context;

    return run->exclusive != NULL ? exclusive_refused(run->exclusive, host) : NULL;
}

struct record *running_new_record(struct arena *arena, const struct question *question, int argc, char **argv)
{
    struct record *record = arena_new(arena, struct record);

    record->arena = arena;
    record->uuid = question->plan->run_uuid;
    record->state = RUN_RUNNING;
    record->started = clock_steady();
    record->program = "assay " ASSAY_VERSION;
    record->suite = question->sources.suite->name;
    record->suite_title = question->sources.suite->title;
    record->hostfile = question->hostfile;
    record->plan = question->plan;
    question_documents(arena, question, argc, argv, record);
    record->standing = standing_of(record);
    return record;
}

/* "ops@login1": who is to be asked by those whom this run's lock keeps out. */
static const char *tester_name(struct arena *arena)
{
    const struct passwd *user = getpwuid(geteuid());
    char host[HOST_NAME_MAX + 1] = "";

    gethostname(host, sizeof host - 1);
    if (user == NULL)
        return arena_printf(arena, "%u@%s", (unsigned)geteuid(), host);
    return arena_printf(arena, "%s@%s", user->pw_name, host);
}

/* By a signal; the scheduler has let go of them by then. */
static volatile sig_atomic_t no_longer;

static void give_up(int number)
{
    if (number != SIGHUP) /* as the scheduler has it: a run outlives its terminal */
        no_longer = 1;
}

/* Slurm's controller can be away for a while, and until its job is given back nobody else gets the hosts. Whoever does not want to
   wait ends the waiting, not the run: its verdict is known. */
static const char *give_back(struct running *run)
{
    enum { MINUTES = 5, PAUSE_S = 5 };
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction ours = {.sa_handler = give_up};
    struct sigaction before[ARRAY_SIZE(numbers)];
    double until = clock_steady() + MINUTES * 60.0;
    bool away;
    const char *kept = exclusive_release(run->record, &away);

    if (!away)
        return kept;
    run->watcher.note(run->watcher.context,
                      arena_printf(run->record->arena,
                                   "%s; this is tried again for %d minutes, or until Ctrl-C", kept, MINUTES));
    no_longer = 0;
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        sigaction(numbers[i], &ours, &before[i]);
    while (away && !no_longer && clock_steady() < until) {
        sleep(PAUSE_S);
        if (!no_longer)
            kept = exclusive_release(run->record, &away);
    }
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
        sigaction(numbers[i], &before[i], NULL);
    return kept;
}

int running_carry_out(struct running *run, const struct scheduler_options *given, bool *ret_cancelled,
                      struct error *err)
{
    struct scheduler_hooks hooks = {
        run,   attempt_begins, windows_read, attempt_ended,
        judge, extend,         progress,     run->exclusive != NULL ? awaits : NULL,
        NULL};
    struct scheduler_options options = *given;
    /* Where assay was started inside an allocation, its hosts are ours. */
    const struct check_run tester = {.uuid = run->record->uuid,
                                     .who = tester_name(run->record->arena),
                                     .jobs = getenv("SLURM_JOB_ID"),
                                     .claims =
                                         run->exclusive != NULL ? exclusive_claims(run->exclusive) : NULL};
    char uuid[UUID_SIZE];
    int others = store_has_others(run->store, run->record->number, err);

    if (others < 0)
        return -1;
    hooks.is_over = others > 0 ? is_over : NULL;
    options.remote.asking = run->watcher.hush;
    options.remote.asking_context = run->watcher.context;
    options.remote.slurm_job = slurm_job;
    options.remote.slurm_refused = slurm_refused;
    options.remote.slurm_context = run;
    run->sources->run = &tester;
    run->meter = meter_create(run->record, run->database);
    if (scheduler_run(run->record, run->sources, &options, &hooks, ret_cancelled, err) < 0)
        return -1;
    run->sources->run = NULL;
    uuid_create(uuid);
    run->record->state = *ret_cancelled ? RUN_CANCELLED : RUN_ENDED;
    judge_run(run->record, &run->sources->limits, uuid);
    if (store_put_judgement(run->store, run->record, err) < 0)
        return -1;
    /* Before the end is kept: of a run that has ended nobody looks for jobs that a controller left which died here. */
    run->not_released = give_back(run);
    return store_end_run(run->store, run->record, run->record->state, clock_steady(), err);
}
