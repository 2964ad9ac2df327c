/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "assay/base/arena.h"

/* One host as a resource: many passive steps, or one step alone. */
struct member {
    const struct host *host;
    size_t index;
    size_t *steps; /* that it is a member of, less those in `wide`; in plan order */
    size_t step_count, step_capacity;
    unsigned passive, held;
    bool awaited, lost;
    bool taken; /* by a step that wants it alone */
    bool due;   /* something that its steps wait for may have changed */
    bool waits; /* a step of it is ready, and hosts enough are at work */
    STAILQ_ENTRY(member) next_due, next_waiting;
};
STAILQ_HEAD(members, member);

/* A step as it goes on, beside its state. */
struct task {
    size_t *members;
    size_t needs_passed; /* of its needs, so many from the first on */
    bool last;           /* comes after all others */
};

/* A step that runs what another one did not pass, over a part of its hosts or with others in their places. */
struct stand_in {
    size_t step;
    bool *has; /* by the plan's hosts, as many as there were: whether it is a member */
    size_t host_count;
};

struct schedule {
    const struct plan *plan;
    const struct suite *suite;
    size_t hosts_at_once;
    struct member **members; /* by the plan's index */
    size_t member_count, busy_count, awaited_count;
    struct member **by_host; /* sorted by the host's address in memory */
    struct members due;
    struct members waiting; /* for room, in the order in which they came */
    size_t waiting_count;
    size_t callable; /* of those that wait, so many may try again since a host has ended its work */
    struct task *tasks;
    enum step_state *states;
    size_t step_count;
    size_t counts[STEP_SKIPPED + 1]; /* steps by state */
    size_t *sharing;                 /* running steps that want a leaf or the fabric alone */
    size_t sharing_count;
    size_t *wide; /* steps of several hosts that want the fabric alone, in plan order */
    size_t wide_count;
    LIST_OF(struct stand_in) stand_ins;
    struct arena *arena; /* of stand_ins */
    bool settled;        /* nothing more stands in for what did not pass */
    bool closing;        /* all has ended but the steps that come last */
    /* Where schedule_next goes on: at a step of a host, or of `wide`. */
    struct member *at;
    size_t at_step, at_wide;
    bool over_wide;
};

static const struct step *step_at(const struct schedule *schedule, size_t step)
{
    return &schedule->plan->steps.items[step];
}

static struct member *member_of(const struct schedule *schedule, size_t step, size_t member)
{
    return schedule->members[schedule->tasks[step].members[member]];
}

/* The host's steps are looked at again when schedule_next comes to it. */
static void wake(struct schedule *schedule, struct member *member)
{
    if (member->due)
        return;
    member->due = true;
    STAILQ_INSERT_TAIL(&schedule->due, member, next_due);
}

static void wake_all(struct schedule *schedule)
{
    for (size_t i = 0; i < schedule->member_count; i++)
        wake(schedule, schedule->members[i]);
}

/* Whoever needs a step on some host is a step on that host too. */
static void set_state(struct schedule *schedule, size_t step, enum step_state state)
{
    schedule->counts[schedule->states[step]]--;
    schedule->counts[state]++;
    schedule->states[step] = state;
    for (size_t i = 0; state != STEP_RUNNING && i < step_at(schedule, step)->member_count; i++)
        wake(schedule, member_of(schedule, step, i));
}

/* -- Claims -- */

static bool fabric_is_free(const struct schedule *schedule, const struct step *step)
{
    for (size_t i = 0; i < schedule->sharing_count; i++)
        if (steps_share_fabric(step, step_at(schedule, schedule->sharing[i])))
            return false;
    return true;
}

static bool claims_are_free(const struct schedule *schedule, size_t index)
{
    const struct step *step = step_at(schedule, index);

    for (size_t i = 0; i < step->member_count; i++) {
        const struct member *member = member_of(schedule, index, i);

        if (member->held > 0 || member->awaited || member->taken ||
            (member->passive > 0 && step->shape->exclusive != EXCLUSIVE_NONE))
            return false;
    }
    return fabric_is_free(schedule, step);
}

static bool is_busy(const struct member *member)
{
    return member->taken || member->passive > 0;
}

static void share_fabric(struct schedule *schedule, size_t step, bool take)
{
    size_t i = 0;

    if (take) {
        schedule->sharing[schedule->sharing_count++] = step;
        return;
    }
    while (schedule->sharing[i] != step)
        i++;
    schedule->sharing[i] = schedule->sharing[--schedule->sharing_count];
    wake_all(schedule);
}

static void take_claims(struct schedule *schedule, size_t index, bool take)
{
    const struct step *step = step_at(schedule, index);

    for (size_t i = 0; i < step->member_count; i++) {
        struct member *member = member_of(schedule, index, i);

        schedule->busy_count -= is_busy(member);
        if (step->shape->exclusive != EXCLUSIVE_NONE)
            member->taken = take;
        else
            member->passive += take ? 1 : -1u;
        schedule->busy_count += is_busy(member);
    }
    if (!take)
        schedule->callable = schedule->waiting_count;
    if (step->shape->exclusive >= EXCLUSIVE_LEAF)
        share_fabric(schedule, index, take);
}

/* -- Turns -- */

/* A step of more hosts than may be at work runs when no other host is, and nothing begins beside it: what does would go on
   on more hosts than may be. */
static bool has_room(const struct schedule *schedule, size_t index)
{
    size_t most = schedule->hosts_at_once, more = 0;

    for (size_t i = 0; most > 0 && i < step_at(schedule, index)->member_count; i++)
        more += !is_busy(member_of(schedule, index, i));
    return most == 0 || schedule->busy_count == 0 || schedule->busy_count + more <= most;
}

static void wait_for_room(struct schedule *schedule, struct member *member)
{
    if (member->waits)
        return;
    member->waits = true;
    STAILQ_INSERT_TAIL(&schedule->waiting, member, next_waiting);
    schedule->waiting_count++;
}

/* The first of those that wait, if there may be room for it. */
static struct member *call_waiting(struct schedule *schedule)
{
    struct member *member = STAILQ_FIRST(&schedule->waiting);

    if (schedule->callable == 0 || schedule->busy_count >= schedule->hosts_at_once)
        return NULL;
    STAILQ_REMOVE_HEAD(&schedule->waiting, next_waiting);
    schedule->waiting_count--;
    schedule->callable--;
    member->waits = false;
    return member;
}

static struct member *next_member(struct schedule *schedule)
{
    struct member *member = call_waiting(schedule);

    if (member != NULL)
        return member;
    member = STAILQ_FIRST(&schedule->due);
    if (member == NULL)
        return NULL;
    STAILQ_REMOVE_HEAD(&schedule->due, next_due);
    member->due = false;
    return member;
}

/* -- What may begin -- */

enum readiness { READY, NOT_YET, NEVER };

static bool covers(const struct schedule *schedule, const struct stand_in *stand_in, size_t index)
{
    const struct task *task = &schedule->tasks[index];

    for (size_t i = 0; i < step_at(schedule, index)->member_count; i++)
        if (task->members[i] >= stand_in->host_count || !stand_in->has[task->members[i]])
            return false;
    return true;
}

/* The best of what the same, over the step's hosts among others, came to; while more may be added, that is awaited. */
static enum step_state state_of_stand_ins(const struct schedule *schedule, size_t index, size_t need)
{
    const struct shape *shape = step_at(schedule, need)->shape;
    enum step_state state = schedule->settled ? STEP_SKIPPED : STEP_WAITING;

    for (size_t i = 0; i < schedule->stand_ins.count && state != STEP_PASSED; i++) {
        const struct stand_in *stand_in = &schedule->stand_ins.items[i];
        const struct shape *other = step_at(schedule, stand_in->step)->shape;

        if (strcmp(other->suite_step, shape->suite_step) != 0 ||
            strcmp(other->variant, shape->variant) != 0 || !covers(schedule, stand_in, index))
            continue;
        if (schedule->states[stand_in->step] <= STEP_PASSED)
            state = schedule->states[stand_in->step];
    }
    return state;
}

/* What did not pass over many hosts may have passed over fewer, and those are enough for a step of some of them. */
static enum step_state state_of_need(const struct schedule *schedule, size_t index, size_t need)
{
    enum step_state state = schedule->states[need];

    if (state <= STEP_PASSED ||
        step_at(schedule, need)->member_count <= step_at(schedule, index)->member_count)
        return state;
    return state_of_stand_ins(schedule, index, need);
}

static enum readiness readiness(struct schedule *schedule, size_t index)
{
    const struct step *step = step_at(schedule, index);
    struct task *task = &schedule->tasks[index];

    if (!schedule->closing && task->last)
        return NOT_YET;
    for (; task->needs_passed < step->need_count; task->needs_passed++) {
        enum step_state need = state_of_need(schedule, index, step->needs[task->needs_passed]);

        if (need == STEP_FAILED || need == STEP_SKIPPED)
            return NEVER;
        if (need != STEP_PASSED)
            return NOT_YET;
    }
    for (size_t i = 0; i < step->member_count; i++)
        if (member_of(schedule, index, i)->lost)
            return NEVER;
    return claims_are_free(schedule, index) ? READY : NOT_YET;
}

static enum schedule_word consider(struct schedule *schedule, size_t step)
{
    bool tried = schedule->states[step] == STEP_AGAIN;

    if (schedule->states[step] != STEP_WAITING && !tried)
        return SCHEDULE_NOTHING;
    switch (readiness(schedule, step)) {
    case READY:
        if (has_room(schedule, step)) {
            schedule_take(schedule, step);
            return SCHEDULE_BEGIN;
        }
        wait_for_room(schedule, member_of(schedule, step, 0));
        return SCHEDULE_NOTHING;
    case NEVER:
        set_state(schedule, step, tried ? STEP_FAILED : STEP_SKIPPED);
        return SCHEDULE_NEVER;
    case NOT_YET:
    default:
        return SCHEDULE_NOTHING;
    }
}

/* Of the hosts that are due, or may have room; their turn ends with the last of their steps. */
static enum schedule_word next_of_hosts(struct schedule *schedule, size_t *ret_step)
{
    while (schedule->at != NULL || (schedule->at = next_member(schedule)) != NULL) {
        while (schedule->at_step < schedule->at->step_count) {
            enum schedule_word word;

            *ret_step = schedule->at->steps[schedule->at_step++];
            word = consider(schedule, *ret_step);
            if (word != SCHEDULE_NOTHING)
                return word;
        }
        schedule->at = NULL;
        schedule->at_step = 0;
    }
    return SCHEDULE_NOTHING;
}

static enum schedule_word next_of_wide(struct schedule *schedule, size_t *ret_step)
{
    while (schedule->at_wide < schedule->wide_count) {
        enum schedule_word word;

        *ret_step = schedule->wide[schedule->at_wide++];
        word = consider(schedule, *ret_step);
        if (word != SCHEDULE_NOTHING)
            return word;
    }
    schedule->at_wide = 0;
    return SCHEDULE_NOTHING;
}

/* A step above host scope that is skipped can end the waiting of steps of its hosts, so this goes on until nothing
   changes. */
enum schedule_word schedule_next(struct schedule *schedule, size_t *ret_step)
{
    enum schedule_word word;

    do {
        word = schedule->over_wide ? SCHEDULE_NOTHING : next_of_hosts(schedule, ret_step);
        if (word != SCHEDULE_NOTHING)
            return word;
        schedule->over_wide = true;
        word = next_of_wide(schedule, ret_step);
        if (word != SCHEDULE_NOTHING)
            return word;
        schedule->over_wide = false;
    } while (!STAILQ_EMPTY(&schedule->due));
    return SCHEDULE_NOTHING;
}

/* -- What has become of steps and hosts -- */

void schedule_take(struct schedule *schedule, size_t step)
{
    set_state(schedule, step, STEP_RUNNING);
    take_claims(schedule, step, true);
}

void schedule_end(struct schedule *schedule, size_t step, enum step_state state)
{
    take_claims(schedule, step, false);
    set_state(schedule, step, state);
}

void schedule_settle(struct schedule *schedule, size_t step, enum step_state state)
{
    set_state(schedule, step, state);
}

bool schedule_settle_needs(struct schedule *schedule)
{
    if (schedule->settled)
        return false;
    schedule->settled = true;
    wake_all(schedule);
    return true;
}

bool schedule_close(struct schedule *schedule)
{
    if (schedule->closing)
        return false;
    schedule->closing = true;
    wake_all(schedule);
    return true;
}

void schedule_hold(struct schedule *schedule, size_t host)
{
    schedule->members[host]->held++;
}

void schedule_free(struct schedule *schedule, size_t host)
{
    schedule->members[host]->held--;
    wake(schedule, schedule->members[host]);
}

void schedule_await(struct schedule *schedule, size_t host, bool awaited)
{
    struct member *member = schedule->members[host];

    schedule->awaited_count -= member->awaited;
    schedule->awaited_count += awaited;
    member->awaited = awaited;
    wake(schedule, member);
}

void schedule_lose(struct schedule *schedule, size_t host)
{
    schedule->members[host]->lost = true;
    wake(schedule, schedule->members[host]);
}

/* -- A plan that grows -- */

static int compare_hosts(const void *a, const void *b)
{
    const struct host *left = (*(struct member *const *)a)->host, *right = (*(struct member *const *)b)->host;

    return left < right ? -1 : left > right;
}

static size_t index_of(const struct schedule *schedule, const struct host *host)
{
    struct member wanted = {.host = host}, *key = &wanted;
    struct member **found =
        bsearch(&key, schedule->by_host, schedule->member_count, sizeof *schedule->by_host, compare_hosts);

    return (*found)->index; /* members are hosts of the plan */
}

static void add_step(struct member *member, size_t step)
{
    if (member->step_count == member->step_capacity) {
        member->step_capacity = member->step_capacity > 0 ? 2 * member->step_capacity : 16;
        member->steps = mem_resize(member->steps, member->step_capacity * sizeof *member->steps);
    }
    member->steps[member->step_count++] = step;
}

static void grow_hosts(struct schedule *schedule)
{
    size_t hosts = schedule->plan->hosts.count;

    schedule->members = mem_resize(schedule->members, hosts * sizeof *schedule->members + 1);
    schedule->by_host = mem_resize(schedule->by_host, hosts * sizeof *schedule->by_host + 1);
    for (size_t i = schedule->member_count; i < hosts; i++) {
        struct member *member = mem_alloc(sizeof *member);

        *member = (struct member){.host = schedule->plan->hosts.items[i], .index = i};
        schedule->members[i] = schedule->by_host[i] = member;
    }
    /* by_host was sorted: all of it is there again, in whatever order. */
    schedule->member_count = hosts;
    qsort(schedule->by_host, hosts, sizeof *schedule->by_host, compare_hosts);
}

static void add_stand_in(struct schedule *schedule, size_t index)
{
    struct stand_in *stand_in = list_push(schedule->arena, &schedule->stand_ins);

    *stand_in = (struct stand_in){.step = index,
                                  .has = arena_array(schedule->arena, bool, schedule->member_count),
                                  .host_count = schedule->member_count};
    for (size_t i = 0; i < step_at(schedule, index)->member_count; i++)
        stand_in->has[schedule->tasks[index].members[i]] = true;
}

static void add_task(struct schedule *schedule, size_t index)
{
    const struct step *step = step_at(schedule, index);
    const struct suite_step *row = suite_step_find(schedule->suite, step->shape->suite_step);
    struct task *task = &schedule->tasks[index];
    bool wide = step->member_count > 1 && step->shape->exclusive == EXCLUSIVE_FABRIC;

    *task = (struct task){.members = mem_alloc(step->member_count * sizeof *task->members + 1),
                          .last = row != NULL && row->last};
    schedule->states[index] = step->origin == ORIGIN_LEFT_OUT ? STEP_SKIPPED : STEP_WAITING;
    schedule->counts[schedule->states[index]]++;
    if (wide)
        schedule->wide[schedule->wide_count++] = index;
    for (size_t i = 0; i < step->member_count; i++) {
        task->members[i] = index_of(schedule, step->members[i]);
        if (!wide)
            add_step(member_of(schedule, index, i), index);
        wake(schedule, member_of(schedule, index, i));
    }
    if (step->origin == ORIGIN_SUBSTITUTE && step->member_count > 1)
        add_stand_in(schedule, index);
}

bool schedule_grow(struct schedule *schedule)
{
    size_t known = schedule->step_count, steps = schedule->plan->steps.count;

    grow_hosts(schedule);
    schedule->states = mem_resize(schedule->states, steps * sizeof *schedule->states + 1);
    schedule->tasks = mem_resize(schedule->tasks, steps * sizeof *schedule->tasks + 1);
    schedule->wide = mem_resize(schedule->wide, steps * sizeof *schedule->wide + 1);
    schedule->sharing = mem_resize(schedule->sharing, steps * sizeof *schedule->sharing + 1);
    for (; schedule->step_count < steps; schedule->step_count++)
        add_task(schedule, schedule->step_count);
    schedule->settled &= steps == known;
    return steps > known;
}

struct schedule *schedule_create(const struct plan *plan, const struct suite *suite, size_t hosts_at_once)
{
    struct schedule *schedule = mem_alloc(sizeof *schedule);

    *schedule = (struct schedule){.plan = plan, .suite = suite, .hosts_at_once = hosts_at_once};
    schedule->arena = arena_create();
    STAILQ_INIT(&schedule->due);
    STAILQ_INIT(&schedule->waiting);
    return schedule;
}

struct schedule *schedule_destroy(struct schedule *schedule)
{
    if (schedule == NULL)
        return NULL;
    for (size_t i = 0; i < schedule->member_count; i++) {
        free(schedule->members[i]->steps);
        free(schedule->members[i]);
    }
    for (size_t i = 0; i < schedule->step_count; i++)
        free(schedule->tasks[i].members);
    free(schedule->members);
    free(schedule->by_host);
    free(schedule->tasks);
    free(schedule->states);
    free(schedule->sharing);
    free(schedule->wide);
    arena_destroy(schedule->arena);
    free(schedule);
    return NULL;
}

/* -- Asking -- */

const size_t *schedule_members(const struct schedule *schedule, size_t step)
{
    return schedule->tasks[step].members;
}

bool schedule_is_awaited(const struct schedule *schedule, size_t host)
{
    return schedule->members[host]->awaited;
}

bool schedule_has_lost(const struct schedule *schedule, size_t host)
{
    return schedule->members[host]->lost;
}

size_t schedule_awaited(const struct schedule *schedule)
{
    return schedule->awaited_count;
}

size_t schedule_busy(const struct schedule *schedule)
{
    return schedule->busy_count;
}

const enum step_state *schedule_states(const struct schedule *schedule)
{
    return schedule->states;
}

size_t schedule_count(const struct schedule *schedule, enum step_state state)
{
    return schedule->counts[state];
}

double schedule_left_s(const struct schedule *schedule)
{
    double longest_s = 0, all_s = 0, alone_s = 0;

    for (size_t i = 0; i < schedule->member_count; i++) {
        const struct member *member = schedule->members[i];
        double host_s = 0;

        for (size_t k = 0; k < member->step_count; k++)
            if (schedule->states[member->steps[k]] <= STEP_AGAIN)
                host_s += step_expected_s(step_at(schedule, member->steps[k]));
        longest_s = host_s > longest_s ? host_s : longest_s;
        all_s += host_s;
    }
    if (schedule->hosts_at_once > 0 && all_s / (double)schedule->hosts_at_once > longest_s)
        longest_s = all_s / (double)schedule->hosts_at_once;
    for (size_t i = 0; i < schedule->wide_count; i++)
        if (schedule->states[schedule->wide[i]] <= STEP_AGAIN)
            alone_s += step_expected_s(step_at(schedule, schedule->wide[i]));
    return longest_s + alone_s;
}
