/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the driving process tells its own watcher by events is found here in the database: attempts that began, and those that
 * ended, which are judged alone as that process judges them. What is judged is forgotten again, so that whoever follows a
 * thousand hosts holds no more of them than what runs.
 */
#include "assay/app/follower.h"

#include <stdlib.h>
#include <string.h>

#include "assay/app/sources.h"
#include "assay/app/turns.h"
#include "assay/base/clock.h"
#include "assay/judge/judge.h"
#include "assay/model/sighting.h"

enum { LOOKS_MOST = 5 }; /* for the readings of an attempt that ended: they are kept right behind its end */

/* An attempt that ended, and whose readings are awaited. */
struct awaited {
    struct ended_attempt attempt;
    unsigned looks;
};

struct follower {
    struct store *store;
    struct arena *arena;
    struct record *record; /* attempts: of steps that are to be tried again */
    struct plan_sources sources;
    unsigned hosts_at_once; /* 0: all */
    struct watcher watcher; /* of whom nobody is told until there is one */
    long long begun;        /* id of the last attempt that began */
    struct ended_attempt ended;
    LIST_OF(struct awaited) awaited;
    LIST_OF(struct arena *) arenas;  /* one for each of record->attempts */
    LIST_OF(enum step_state) states; /* by step */
    LIST_OF(const struct host *) lost;
    bool failed; /* since steps were last looked through for those that will not run */
};

static void add_states(struct follower *follower)
{
    while (follower->states.count < follower->record->plan->steps.count) {
        size_t step = follower->states.count;

        *list_push(follower->arena, &follower->states) =
            follower->record->plan->steps.items[step].origin == ORIGIN_LEFT_OUT ? STEP_SKIPPED : STEP_WAITING;
    }
}

struct follower *follower_create(struct store *store, long long number, struct error *err)
{
    struct arena *arena = arena_create();
    struct follower *follower = arena_new(arena, struct follower);

    follower->arena = arena;
    follower->store = store;
    follower->record = store_load_question(store, arena, number, err);
    if (follower->record == NULL ||
        sources_of_record(arena, follower->record, NULL, &follower->sources, err) < 0 ||
        turns_of(follower->record, &follower->hosts_at_once, err) < 0) {
        arena_destroy(arena);
        return NULL;
    }
    add_states(follower);
    return follower;
}

const struct record *follower_record(const struct follower *follower)
{
    return follower->record;
}

unsigned follower_hosts_at_once(const struct follower *follower)
{
    return follower->hosts_at_once;
}

void follower_watch(struct follower *follower, struct watcher watcher)
{
    follower->watcher = watcher;
}

struct follower *follower_destroy(struct follower *follower)
{
    if (follower == NULL)
        return NULL;
    for (size_t i = 0; i < follower->arenas.count; i++)
        arena_destroy(follower->arenas.items[i]);
    arena_destroy(follower->arena);
    return NULL;
}

/* -- A plan that has grown -- */

static const struct host *own_host(const struct host_names *names, const struct host *other)
{
    const struct host *own = host_by_name(names, other->name);

    return own != NULL ? own : other;
}

/* The new steps are put behind those that are known, with the hosts that are. */
static int grow(struct follower *follower, struct error *err)
{
    struct plan *plan = follower->record->plan;
    const struct record *grown =
        store_load_question(follower->store, follower->arena, follower->record->number, err);
    const struct host_names *names = host_names_of_plan(follower->arena, plan);

    if (grown == NULL)
        return -1;
    for (size_t i = plan->steps.count; i < grown->plan->steps.count; i++) {
        struct step *step = list_push(plan->arena, &plan->steps);

        *step = grown->plan->steps.items[i];
        for (size_t k = 0; k < step->member_count; k++)
            step->members[k] = own_host(names, step->members[k]);
    }
    add_states(follower);
    return 0;
}

static int know(struct follower *follower, size_t step, struct error *err)
{
    if (step >= follower->states.count && grow(follower, err) < 0)
        return -1;
    if (step >= follower->states.count)
        return error_set(err, ERROR_INTERNAL, "run %lld has no step %zu", follower->record->number, step);
    return 0;
}

/* -- Events -- */

static void tell(struct follower *follower, double at, enum scheduler_event event, size_t step,
                 enum step_state state, const struct outcome *worst, size_t alike)
{
    struct scheduler_counts counts = {.state = state};

    follower->states.items[step] = state;
    follower->watcher.event(follower->watcher.context, at, event, step, &counts, worst, alike);
}

static bool is_over(const struct follower *follower, size_t step)
{
    return follower->states.items[step] >= STEP_PASSED;
}

static int take_begun(struct follower *follower, struct arena *arena, struct error *err)
{
    struct begun_attempts begun;

    if (store_begun_attempts(follower->store, arena, follower->record->number, follower->begun, &begun, err) <
        0)
        return -1;
    for (size_t i = 0; i < begun.items.count; i++) {
        const struct begun_attempt *attempt = &begun.items.items[i];

        if (know(follower, attempt->step, err) < 0)
            return -1;
        follower->begun = attempt->id;
        if (!is_over(follower, attempt->step))
            tell(follower, attempt->sent, EVENT_STARTED, attempt->step, STEP_RUNNING, NULL, 0);
    }
    return 0;
}

/* Its attempts are needed no more. */
static void forget(struct follower *follower, size_t step)
{
    size_t kept = 0;

    for (size_t i = 0; i < follower->record->attempts.count; i++) {
        if (follower->record->attempts.items[i].step == step) {
            arena_destroy(follower->arenas.items[i]);
            continue;
        }
        follower->record->attempts.items[kept] = follower->record->attempts.items[i];
        follower->arenas.items[kept++] = follower->arenas.items[i];
    }
    follower->record->attempts.count = follower->arenas.count = kept;
}

static void judge(struct follower *follower, const struct ended_attempt *ended)
{
    cleanup_arena struct arena *arena = arena_create();
    enum step_state state = judge_step(follower->record, &follower->sources.limits, ended->step);
    struct outcome worst = {0};
    size_t alike = 0;

    if (attempt_end_loses_host(ended->end) && state != STEP_AGAIN) {
        *list_push(follower->arena, &follower->lost) =
            follower->record->plan->steps.items[ended->step].members[0];
        follower->failed = true;
    }
    if (state == STEP_FAILED) {
        worst = judge_step_worst(arena, follower->record, &follower->sources.limits, ended->step, &alike);
        follower->failed = true;
    }
    tell(follower, ended->ended, state == STEP_AGAIN ? EVENT_ATTEMPT_ENDED : EVENT_STEP_ENDED, ended->step,
         state, state == STEP_FAILED ? &worst : NULL, alike);
    if (state != STEP_AGAIN)
        forget(follower, ended->step);
}

/* False: nobody has read it yet. */
static int take_attempt(struct follower *follower, const struct awaited *awaited, bool *ret_taken,
                        struct error *err)
{
    struct arena *arena = arena_create();
    struct attempt attempt;

    *ret_taken = false;
    if (store_load_attempt(follower->store, arena, follower->record, awaited->attempt.id, sighting_rests_on,
                           &attempt, err) < 0) {
        arena_destroy(arena);
        return -1;
    }
    if (*attempt.reading.tool == '\0' && awaited->looks < LOOKS_MOST) {
        arena_destroy(arena);
        return 0;
    }
    *list_push(follower->arena, &follower->record->attempts) = attempt;
    *list_push(follower->arena, &follower->arenas) = arena;
    judge(follower, &awaited->attempt);
    *ret_taken = true;
    return 0;
}

static int take_ended(struct follower *follower, struct arena *arena, struct error *err)
{
    struct ended_attempts ended;
    size_t kept = 0;

    if (store_ended_attempts(follower->store, arena, follower->record->number, &follower->ended, &ended,
                             err) < 0)
        return -1;
    for (size_t i = 0; i < ended.items.count; i++) {
        follower->ended = ended.items.items[i];
        list_push(follower->arena, &follower->awaited)->attempt = follower->ended;
    }
    for (size_t i = 0; i < follower->awaited.count; i++) {
        struct awaited awaited = follower->awaited.items[i];
        bool taken = false;

        if (know(follower, awaited.attempt.step, err) < 0)
            return -1;
        taken = is_over(follower, awaited.attempt.step);
        if (!taken && take_attempt(follower, &awaited, &taken, err) < 0)
            return -1;
        awaited.looks++;
        if (!taken)
            follower->awaited.items[kept++] = awaited;
    }
    follower->awaited.count = kept;
    return 0;
}

static bool is_lost(const struct follower *follower, const struct step *step)
{
    for (size_t i = 0; i < follower->lost.count; i++)
        for (size_t k = 0; k < step->member_count; k++)
            if (follower->lost.items[i] == step->members[k])
                return true;
    return false;
}

/* As the scheduler does: what needs a step that did not pass, or a host that is out of reach, will not run. For what was asked
   of more hosts another may stand in. */
static void skip_those_that_cannot(struct follower *follower)
{
    const struct plan *plan = follower->record->plan;

    for (size_t i = 0; follower->failed && i < plan->steps.count; i++) {
        const struct step *step = &plan->steps.items[i];
        bool never = is_lost(follower, step);

        if (follower->states.items[i] != STEP_WAITING)
            continue;
        for (size_t k = 0; k < step->need_count; k++)
            never |= follower->states.items[step->needs[k]] > STEP_PASSED &&
                     plan->steps.items[step->needs[k]].member_count <= step->member_count;
        if (never)
            tell(follower, follower->ended.ended, EVENT_STEP_SKIPPED, i, STEP_SKIPPED, NULL, 0);
    }
    follower->failed = false;
}

int follower_look(struct follower *follower, struct error *err)
{
    cleanup_arena struct arena *arena = arena_create();
    const struct scheduler_counts none = {0};
    int result = take_begun(follower, arena, err);

    if (result == 0)
        result = take_ended(follower, arena, err);
    if (result == 0) {
        skip_those_that_cannot(follower);
        follower->watcher.event(follower->watcher.context, clock_now(), EVENT_TICK, (size_t)-1, &none, NULL,
                                0);
    }
    return result;
}
