/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: bench_schedule
 *
 * How long runs last against the least that they can. The scheduler is the product's; the hosts are this file, as in
 * test_scheduler.c, and so is time: an answer comes when its turn has come on a clock that jumps from one to the next.
 * Each step lasts as long as its check expects, give or take 5 %, on slow hosts FACTOR times as long.
 *
 * What no order can beat, from the plan and the durations alone: the longest way through needs; and for each host,
 * leaf and the fabric the steps that want it alone, one after the other, none before its needs allow, and with what has to
 * follow behind each (the bound of one machine with heads and tails, where steps may even be interrupted: J. R.
 * Jackson 1955, J. Carlier 1982). The aim stands against the largest of these.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "assay/base/cleanup.h"
#include "assay/base/text.h"
#include "assay/model/hostfile.h"
#include "assay/model/platform.h"
#include "assay/model/suite.h"
#include "assay/plan/plan_build.h"
#include "assay/run/scheduler.h"

static const double aim = 1.05;

/* --- hosts and time --- */

struct event {
    double at;
    size_t order;
    remote_done_cb *done;
    void *context;
    char nobodys[160]; /* what a window says of a host that nobody has */
};

struct remote_pool {
    uv_idle_t turn;
    struct event *events; /* a heap: the first is due first */
    size_t count, capacity, order;
};

struct remote {
    struct remote_pool *pool;
};

static double clock_s;

static bool is_before(const struct event *a, const struct event *b)
{
    return a->at < b->at || (a->at <= b->at && a->order < b->order);
}

static void swap(struct event *a, struct event *b)
{
    struct event other = *a;

    *a = *b;
    *b = other;
}

static void push(struct remote_pool *pool, struct event event)
{
    size_t at = pool->count++;

    if (pool->count > pool->capacity) {
        pool->capacity = 2 * pool->capacity + 64;
        pool->events = mem_resize(pool->events, pool->capacity * sizeof *pool->events);
    }
    event.order = pool->order++;
    pool->events[at] = event;
    for (; at > 0 && is_before(&pool->events[at], &pool->events[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&pool->events[at], &pool->events[(at - 1) / 2]);
}

static struct event pop(struct remote_pool *pool)
{
    struct event first = pool->events[0], *events = pool->events;

    events[0] = events[--pool->count];
    for (size_t at = 0, child; (child = 2 * at + 1) < pool->count; at = child) {
        child += child + 1 < pool->count && is_before(&events[child + 1], &events[child]);
        if (!is_before(&events[child], &events[at]))
            break;
        swap(&events[at], &events[child]);
    }
    return first;
}

static void on_turn(uv_idle_t *turn)
{
    struct remote_result well = {
        .end = REMOTE_ENDED, .why = REMOTE_WHY_EXIT, .boot_id = "boot", .left_text = "", .connections = 1};
    struct remote_pool *pool = turn->data;
    struct event event;

    if (pool->count == 0)
        return;
    event = pop(pool);
    clock_s = event.at;
    well.out = slice_of(event.nobodys);
    event.done(event.context, &well);
}

struct remote_pool *remote_pool_create(struct uv_loop_s *loop, const struct remote_options *options)
{
    struct remote_pool *pool = mem_alloc(sizeof *pool);

    (void)options;
    uv_idle_init(loop, &pool->turn);
    pool->turn.data = pool;
    uv_idle_start(&pool->turn, on_turn);
    clock_s = 0;
    return pool;
}

static void pool_closed(uv_handle_t *handle)
{
    struct remote_pool *pool = handle->data;

    free(pool->events);
    free(pool);
}

void remote_pool_destroy(struct remote_pool *pool)
{
    uv_close((uv_handle_t *)&pool->turn, pool_closed);
}

struct remote *remote_open(struct remote_pool *pool, const struct remote_target *target)
{
    struct remote *remote = mem_alloc(sizeof *remote);

    (void)target;
    remote->pool = pool;
    return remote;
}

void remote_close(struct remote *remote)
{
    free(remote);
}

const struct reason *remote_transport_note(const struct remote *remote)
{
    (void)remote;
    return NULL;
}

/* --- a run over them --- */

struct bench {
    struct arena *arena;
    struct record record;
    struct plan_sources sources;
    double *lasts; /* of each step, s */
    double *began, *ended;
};

static struct bench *running;

/* The command of a step takes its time; windows, sweeps and removals take none. */
void remote_start(struct remote *remote, const struct remote_job *job, remote_done_cb *done, void *context)
{
    const struct record *record = &running->record;
    double lasts = 0;
    struct event event;

    if (job->verb == REMOTE_ENSURE || job->verb == REMOTE_READ)
        for (size_t i = record->attempts.count; i-- > 0;) {
            const struct attempt *attempt = &record->attempts.items[i];

            if (strcmp(attempt->uuid, job->uuid) != 0)
                continue;
            if (job->verb == REMOTE_ENSURE || record->plan->steps.items[attempt->step].shape->passive)
                lasts = running->lasts[attempt->step];
            break;
        }
    event = (struct event){.at = clock_s + lasts, .done = done, .context = context};
    if (job->verb == REMOTE_READ)
        snprintf(event.nobodys, sizeof event.nobodys,
                 "@assay-part %s begin owners\n\n@assay-part %s end owners 0\n", job->uuid, job->uuid);
    push(remote->pool, event);
}

static int attempt_begins(void *context, const struct attempt *attempt, struct error *err)
{
    struct bench *bench = context;

    (void)err;
    bench->began[attempt->step] = clock_s;
    return 0;
}

static int attempt_ended(void *context, struct attempt *attempt, struct error *err)
{
    struct bench *bench = context;

    (void)err;
    for (size_t i = 0; i < 2; i++)
        attempt->captures[i].bytes = (struct slice){"", 0};
    bench->ended[attempt->step] = clock_s;
    return 0;
}

static enum step_state judge(void *context, size_t step, size_t last)
{
    (void)context;
    (void)step;
    (void)last;
    return STEP_PASSED;
}

static const struct step *step_at(const struct bench *bench, size_t step)
{
    return &bench->record.plan->steps.items[step];
}

/* --- what no order can beat --- */

struct operation {
    double head, lasts, tail;
};

/* One at a time, of those that may begin the one with the most behind it; a better one that comes later interrupts. */
static double one_machine_bound(struct operation *operations, size_t count)
{
    double now = 0, most = 0;

    for (size_t left = count; left > 0;) {
        double until = INFINITY;
        struct operation *best = NULL;

        for (size_t i = 0; i < count; i++) {
            struct operation *operation = &operations[i];

            if (operation->lasts <= 0)
                continue;
            if (operation->head > now)
                until = fmin(until, operation->head);
            else if (best == NULL || operation->tail > best->tail)
                best = operation;
        }
        if (best == NULL && isinf(until))
            break; /* those that last no time */
        if (best == NULL) {
            now = until;
            continue;
        }
        until = fmin(until, now + best->lasts);
        best->lasts -= until - now;
        now = until;
        if (best->lasts > 1e-9)
            continue;
        best->lasts = 0;
        most = fmax(most, now + best->tail);
        left--;
    }
    return most;
}

struct bound {
    const struct bench *bench;
    size_t steps;
    double *head, *tail; /* of each step */
    bool *before;        /* the step at hand must wait for that one */
    struct operation *operations;
};

static bool has_member(const struct step *step, const struct host *host)
{
    for (size_t i = 0; i < step->member_count; i++)
        if (step->members[i] == host)
            return true;
    return false;
}

static bool wants_alone(const struct step *step, const struct host *host)
{
    return step->shape->exclusive != EXCLUSIVE_NONE && has_member(step, host);
}

static void mark_before(struct bound *bound, size_t step)
{
    const struct step *at = step_at(bound->bench, step);

    for (size_t i = 0; i < at->need_count; i++)
        if (!bound->before[at->needs[i]]) {
            bound->before[at->needs[i]] = true;
            mark_before(bound, at->needs[i]);
        }
}

/* When the step may begin at the earliest: after each way to it, and after all that its hosts must do before, in a row. */
static double head_of(struct bound *bound, size_t step)
{
    const struct step *at = step_at(bound->bench, step);
    double head = 0;

    for (size_t i = 0; i < at->need_count; i++)
        head = fmax(head, bound->head[at->needs[i]] + bound->bench->lasts[at->needs[i]]);
    memset(bound->before, 0, bound->steps * sizeof *bound->before);
    mark_before(bound, step);
    for (size_t i = 0; i < at->member_count; i++) {
        size_t count = 0;

        for (size_t k = 0; k < step; k++)
            if (bound->before[k] && wants_alone(step_at(bound->bench, k), at->members[i]))
                bound->operations[count++] = (struct operation){bound->head[k], bound->bench->lasts[k], 0};
        head = fmax(head, one_machine_bound(bound->operations, count));
    }
    return head;
}

static void find_heads_and_tails(struct bound *bound)
{
    for (size_t i = 0; i < bound->steps; i++)
        bound->head[i] = head_of(bound, i);
    for (size_t i = bound->steps; i-- > 0;) {
        const struct step *step = step_at(bound->bench, i);

        for (size_t k = 0; k < step->need_count; k++) {
            double *tail = &bound->tail[step->needs[k]];

            *tail = fmax(*tail, bound->bench->lasts[i] + bound->tail[i]);
        }
    }
}

static bool touches_leaf(const struct step *step, const char *leaf)
{
    for (size_t i = 0; i < step->member_count; i++)
        if (strcmp(step->members[i]->leaf, leaf) == 0)
            return true;
    return false;
}

/* host: those that want it alone. leaf: those that want it, or all, alone. Neither: those that want the fabric alone. */
static double resource_bound(struct bound *bound, const struct host *host, const char *leaf)
{
    size_t count = 0;

    for (size_t i = 0; i < bound->steps; i++) {
        const struct step *step = step_at(bound->bench, i);
        bool wants = host != NULL ? wants_alone(step, host) : step->shape->exclusive == EXCLUSIVE_FABRIC;

        if (wants || (leaf != NULL && step->shape->exclusive == EXCLUSIVE_LEAF && touches_leaf(step, leaf)))
            bound->operations[count++] =
                (struct operation){bound->head[i], bound->bench->lasts[i], bound->tail[i]};
    }
    return one_machine_bound(bound->operations, count);
}

static double least_s(const struct bench *bench)
{
    const struct plan *plan = bench->record.plan;
    size_t steps = plan->steps.count;
    struct bound bound = {bench,
                          steps,
                          arena_array(bench->arena, double, steps),
                          arena_array(bench->arena, double, steps),
                          arena_array(bench->arena, bool, steps),
                          arena_array(bench->arena, struct operation, steps)};
    double least;

    find_heads_and_tails(&bound);
    least = resource_bound(&bound, NULL, NULL);
    for (size_t i = 0; i < steps; i++)
        least = fmax(least, bound.head[i] + bench->lasts[i] + bound.tail[i]);
    for (size_t i = 0; i < plan->hosts.count; i++) {
        least = fmax(least, resource_bound(&bound, plan->hosts.items[i], NULL));
        least = fmax(least, resource_bound(&bound, NULL, plan->hosts.items[i]->leaf));
    }
    return least;
}

/* --- the rules, from the attempts as they were --- */

static bool may_not_overlap(const struct step *a, const struct step *b)
{
    return steps_share_fabric(a, b) ||
           ((a->shape->exclusive != EXCLUSIVE_NONE || b->shape->exclusive != EXCLUSIVE_NONE) &&
            steps_share_host(a, b));
}

/* A schedule that breaks the rules would be a short one. */
static bool keeps_the_rules(const struct bench *bench)
{
    size_t steps = bench->record.plan->steps.count;

    for (size_t i = 0; i < steps; i++) {
        const struct step *step = step_at(bench, i);

        if (bench->ended[i] < bench->began[i] + bench->lasts[i] - 1e-6)
            return false;
        for (size_t k = 0; k < step->need_count; k++)
            if (bench->began[i] < bench->ended[step->needs[k]])
                return false;
        for (size_t k = 0; k < i; k++)
            if (bench->began[i] < bench->ended[k] && bench->began[k] < bench->ended[i] &&
                may_not_overlap(step, step_at(bench, k)))
                return false;
    }
    return true;
}

/* --- the runs --- */

static const struct row {
    const char *name, *hosts, *suite; /* suite: a built-in one, or its steps */
    const char *slow;                 /* a host; NULL: none */
    double factor;
} rows[] = {
#define LEAVES "leaf=l1 unit=su1\nb[1-8] leaf=l2 unit=su2\nc[1-8] leaf=l3 unit=su3\nd[1-8] leaf=l4 unit=su4"
    {"delivery", "a[1-8] " LEAVES, "delivery", NULL, 1},
    {"delivery-one-slow", "a[1-8] " LEAVES, "delivery", "c5", 3},
    {"units-one-slow", "a[1-8] " LEAVES,
     "{\"check\": \"reachable\"}, {\"check\": \"gpu-burn\", \"needs\": [\"reachable\"]},"
     "{\"name\": \"unit\", \"check\": \"nccl-all-reduce\", \"scope\": \"group\", \"by\": \"unit\", "
     "\"needs\": [\"gpu-burn\"]},"
     "{\"name\": \"after\", \"check\": \"dcgm-diag\", \"needs\": [\"unit\"]},"
     "{\"name\": \"all\", \"check\": \"nccl-all-gather\", \"scope\": \"cluster\", \"needs\": [\"unit\", "
     "\"after\"]}",
     "c5", 3},
    {"pairs-of-a-leaf", "a[1-8] " LEAVES,
     "{\"check\": \"reachable\"}, {\"name\": \"pair\", \"check\": \"nccl-all-gather\", \"scope\": \"pair\", "
     "\"by\": "
     "\"disjoint\", \"needs\": [\"reachable\"]}, {\"check\": \"gpu-burn\", \"needs\": [\"reachable\"]}",
     "c5", 3},
    {"early-cluster", "a[1-8] " LEAVES,
     "{\"check\": \"reachable\"}, {\"check\": \"gpu-burn\", \"needs\": [\"reachable\"]},"
     "{\"check\": \"p2p-bandwidth\", \"needs\": [\"reachable\"]},"
     "{\"name\": \"all\", \"check\": \"nccl-all-gather\", \"scope\": \"cluster\", \"needs\": "
     "[\"p2p-bandwidth\"]},"
     "{\"name\": \"after\", \"check\": \"dcgm-diag\", \"needs\": [\"all\"]}",
     "c5", 3},
};

enum { MANY = 1250, SLOW_EVERY = 50 };

static const char on_hosts[] =
    "{\"check\": \"reachable\"}, {\"check\": \"privilege\", \"needs\": [\"reachable\"]},"
    "{\"check\": \"gpu-inventory\", \"needs\": [\"reachable\"]},"
    "{\"check\": \"p2p-bandwidth\", \"needs\": [\"privilege\", \"gpu-inventory\"]},"
    "{\"check\": \"dcgm-diag\", \"needs\": [\"privilege\"]}, {\"check\": \"gpu-burn\", \"needs\": "
    "[\"privilege\"]},"
    "{\"check\": \"pcie-link\", \"needs\": [\"gpu-burn\"]}";

/* Between -1 and 1, the same each time. */
static double noise(size_t step)
{
    unsigned mixed = (unsigned)step * 2654435761u;

    return (double)((mixed >> 8) % 2001) / 1000 - 1;
}

static void die(const struct error *err)
{
    fprintf(stderr, "bench_schedule: %s\n", err->text);
    exit(70);
}

static const char trial[] = "\"purpose\": \"trial\"";

/* Made-up hosts have no limits, which a delivery must have. */
static const char *as_trial(struct arena *arena, const char *name)
{
    static const char delivery[] = "\"purpose\": \"delivery\"";
    struct slice text = builtin_find("suites", name)->bytes;
    size_t at = slice_find(text, delivery);

    return arena_printf(arena, "%.*s%s%.*s", (int)at, text.bytes, trial,
                        slice_print(slice_from(text, at + strlen(delivery))));
}

static void prepare(struct bench *bench, const struct row *row)
{
    struct arena *arena = arena_create();
    struct plan_options options = {.run_uuid = "0ddba11-0000-4000-8000-000000000000"};
    const char *text =
        arena_printf(arena, "{\"name\": \"s\", \"title\": \"s\", %s, \"steps\": [%s]}", trial, row->suite);
    const char *hosts = arena_printf(arena, "defaults platform=hgx-h100\n%s\n", row->hosts);
    const struct hostfile *hostfile;
    const struct suite *suite;
    struct plan_notes notes;
    struct error err = {0};

    *bench = (struct bench){.arena = arena, .record = {.arena = arena, .uuid = options.run_uuid}};
    hostfile = hostfile_parse(arena, "hosts", slice_of(hosts), &err);
    if (*row->suite != '{')
        text = as_trial(arena, row->suite);
    suite = suite_parse(arena, "suite", slice_of(text), &err);
    if (hostfile == NULL || suite == NULL ||
        plan_sources_load(arena, hostfile, suite, NULL, &bench->sources, &err) < 0)
        die(&err);
    bench->record.plan = plan_build(arena, &bench->sources, &options, &notes, &err);
    if (bench->record.plan == NULL)
        die(&err);
}

static void set_durations(struct bench *bench, const struct row *row)
{
    size_t steps = bench->record.plan->steps.count;

    bench->lasts = arena_array(bench->arena, double, steps);
    bench->began = arena_array(bench->arena, double, steps);
    bench->ended = arena_array(bench->arena, double, steps);
    for (size_t i = 0; i < steps; i++) {
        const struct step *step = step_at(bench, i);

        bench->lasts[i] = step_expected_s(step) * (1 + 0.05 * noise(i));
        if (step->member_count == 1 && row->slow != NULL && strcmp(step->members[0]->name, row->slow) == 0)
            bench->lasts[i] *= row->factor;
    }
}

/* As long as it lasts on the clock, s. */
static double carry_out(struct bench *bench)
{
    struct scheduler_hooks hooks = {
        .context = bench, .attempt_begins = attempt_begins, .attempt_ended = attempt_ended, .judge = judge};
    struct scheduler_options options = {.gone_wait_ms = 3600000};
    struct error err = {0};
    bool cancelled;

    running = bench;
    if (scheduler_run(&bench->record, &bench->sources, &options, &hooks, &cancelled, &err) < 0)
        die(&err);
    if (bench->record.attempts.count != bench->record.plan->steps.count || !keeps_the_rules(bench)) {
        fprintf(stderr, "bench_schedule: not every step ran once and by the rules\n");
        exit(70);
    }
    return clock_s;
}

static bool figure(const char *name, double value, double most, const char *remark)
{
    printf("bench schedule %s value=%.4f unit=ratio aim=<=%g met=%s %s\n", name, value, most,
           value <= most ? "yes" : "no", remark);
    fflush(stdout);
    return value <= most;
}

static bool run(const struct row *row)
{
    struct bench bench;
    double makespan, least;
    char remark[100];
    bool met;

    prepare(&bench, row);
    set_durations(&bench, row);
    makespan = carry_out(&bench);
    least = least_s(&bench);
    snprintf(remark, sizeof remark, "makespan=%.0fs least=%.0fs steps=%zu", makespan, least,
             bench.record.plan->steps.count);
    met = figure(row->name, makespan / least, aim, remark);
    arena_destroy(bench.arena);
    return met;
}

static bool is_slow(const struct host *host)
{
    return atoi(host->name + 1) % SLOW_EVERY == 0;
}

/* When all hosts but every SLOW_EVERY-th are done, with those FACTOR times as slow. */
static double others_done_s(double factor, double *ret_makespan)
{
    static const struct row row = {"held-up", "n[1-1250]", on_hosts, NULL, 1};
    struct bench bench;
    double done = 0;

    prepare(&bench, &row);
    set_durations(&bench, &row);
    for (size_t i = 0; i < bench.record.plan->steps.count; i++)
        bench.lasts[i] *= is_slow(step_at(&bench, i)->members[0]) ? factor : 1;
    *ret_makespan = carry_out(&bench);
    for (size_t i = 0; i < bench.record.plan->steps.count; i++)
        if (!is_slow(step_at(&bench, i)->members[0]))
            done = fmax(done, bench.ended[i]);
    arena_destroy(bench.arena);
    return done;
}

static bool run_beside_slow_hosts(void)
{
    double without_s, with_s, alone_s, all_s;
    char remark[160];

    without_s = others_done_s(1, &alone_s);
    with_s = others_done_s(100, &all_s);
    snprintf(remark, sizeof remark,
             "%d hosts: the others are done after %.0fs beside %d that take 100 times as long (%.0fs), %.0fs "
             "without",
             MANY, with_s, MANY / SLOW_EVERY, all_s, without_s);
    return figure("others-held-up", with_s / without_s, 1, remark);
}

int main(void)
{
    bool met = true;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        met &= run(&rows[i]);
    met &= run_beside_slow_hosts();
    return met ? 0 : 1;
}
