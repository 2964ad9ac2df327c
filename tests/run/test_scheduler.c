/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scheduler over hosts that are not there: this file is the remote side, so each answer, and when it
 * comes, is the test's own.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <uv.h>

#include "../unit_test.h"
#include "assay/base/text.h"
#include "assay/model/hostfile.h"
#include "assay/model/suite.h"
#include "assay/reasons/check.h"
#include "assay/reasons/run.h"
#include "assay/run/scheduler.h"

/* --- hosts --- */

#define NOBODYS "@assay-part %.*s begin owners\n\n@assay-part %.*s end owners 0\n"
enum { NOBODYS_BYTES = 256, NOBODYS_KEPT = 64 };
static char nobodys_said[NOBODYS_KEPT][NOBODYS_BYTES]; /* in turn, by the words of each question */
static size_t nobodys_count;

struct request {
    struct request *next;
    struct remote *remote;
    uv_timer_t timer;
    enum remote_verb verb;
    char uuid[UUID_SIZE];
    char nobodys[NOBODYS_BYTES]; /* what a window says of a host that nobody has */
    remote_done_cb *done;
    void *context;
};

struct remote_pool {
    uv_loop_t *loop;
    struct request *open;
};

struct remote {
    struct remote_pool *pool;
    const char *name;
    unsigned sent[REMOTE_LIST + 1]; /* jobs so far, by verb */
};

struct answer {
    struct remote_result result;
    unsigned after_ms;
    bool never; /* until the pool goes */
};

/* How the hosts of the test at hand answer; NULL: at once and well. */
static void (*hosts_answer)(const struct remote *remote, enum remote_verb verb, struct answer *answer);

/* words: of the beginnings, and of the first part's end. */
static void say_nobodys(struct request *request, const char *words)
{
    size_t begin = strcspn(words, " "), end;

    begin += words[begin] == ' ';
    end = strcspn(words + begin, " ");
    snprintf(request->nobodys, sizeof request->nobodys, NOBODYS, (int)strcspn(words, " "), words, (int)end,
             words + begin);
    memcpy(nobodys_said[nobodys_count++ % NOBODYS_KEPT], request->nobodys, NOBODYS_BYTES);
}

static void request_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void request_end(struct request *request, const struct remote_result *result)
{
    struct request **link = &request->remote->pool->open;

    while (*link != request)
        link = &(*link)->next;
    *link = request->next;
    request->done(request->context, result);
    uv_close((uv_handle_t *)&request->timer, request_closed);
}

static struct answer answer_of(const struct remote *remote, enum remote_verb verb)
{
    bool runs = verb == REMOTE_ENSURE || verb == REMOTE_READ;
    struct answer answer = {.result = {.end = REMOTE_ENDED,
                                       .why = runs ? REMOTE_WHY_EXIT : REMOTE_WHY_NONE,
                                       .boot_id = "boot",
                                       .left_text = "",
                                       .connections = 1}};

    if (hosts_answer != NULL)
        hosts_answer(remote, verb, &answer);
    return answer;
}

static void request_due(uv_timer_t *timer)
{
    struct request *request = timer->data;
    struct answer answer = answer_of(request->remote, request->verb);

    if (request->verb == REMOTE_READ && answer.result.why == REMOTE_WHY_EXIT)
        answer.result.out = answer.result.err = slice_of(request->nobodys);
    request_end(request, &answer.result);
}

struct remote_pool *remote_pool_create(struct uv_loop_s *loop, const struct remote_options *options)
{
    struct remote_pool *pool = mem_alloc(sizeof *pool);

    (void)options;
    pool->loop = loop;
    return pool;
}

void remote_pool_destroy(struct remote_pool *pool)
{
    struct remote_result cancelled = {
        .end = REMOTE_CANCELLED, .what = REASON(controller_ended), .boot_id = "", .left_text = ""};

    while (pool->open != NULL)
        request_end(pool->open, &cancelled);
    free(pool);
}

struct remote *remote_open(struct remote_pool *pool, const struct remote_target *target)
{
    struct remote *remote = mem_alloc(sizeof *remote);

    remote->pool = pool;
    remote->name = target->name;
    return remote;
}

static char last_command[64 * 1024]; /* that was sent to any host */
static struct remote *closed[2048];
static size_t closed_count;

void remote_close(struct remote *remote)
{
    closed[closed_count++] = remote;
}

const struct reason *remote_transport_note(const struct remote *remote)
{
    (void)remote;
    return NULL;
}

void remote_start(struct remote *remote, const struct remote_job *job, remote_done_cb *done, void *context)
{
    struct request *request = mem_alloc(sizeof *request);
    struct answer answer;

    if (job->command != NULL)
        snprintf(last_command, sizeof last_command, "%s", job->command);
    remote->sent[job->verb]++;
    answer = answer_of(remote, job->verb);
    *request = (struct request){
        .next = remote->pool->open, .remote = remote, .verb = job->verb, .done = done, .context = context};
    snprintf(request->uuid, sizeof request->uuid, "%s", job->uuid);
    if (job->verb == REMOTE_READ && job->secret != NULL)
        say_nobodys(request, job->secret);
    remote->pool->open = request;
    uv_timer_init(remote->pool->loop, &request->timer);
    request->timer.data = request;
    if (!answer.never)
        uv_timer_start(&request->timer, request_due, answer.after_ms, 0);
}

/* --- a run over them --- */

struct bench {
    struct arena *arena;
    struct record record;
    struct plan_sources sources;
    struct text told; /* "start STEP HOST\n", "end STEP HOST STATE\n" */
    unsigned again;   /* how often judge asks for another attempt of each step */
    unsigned hosts_at_once;
    size_t at_work, most_at_work; /* members of steps that run */
    double started;
    bool cancelled;
    void (*on_start)(struct bench *bench, const struct step *step);
};

static double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static const struct step *step_of(const struct bench *bench, size_t step)
{
    return &bench->record.plan->steps.items[step];
}

static int attempt_begins(void *context, const struct attempt *attempt, struct error *err)
{
    struct bench *bench = context;
    const struct step *step = step_of(bench, attempt->step);

    (void)err;
    text_printf(&bench->told, "start %s %s\n", step->shape->suite_step, step->members[0]->name);
    bench->at_work += step->member_count;
    bench->most_at_work = bench->at_work > bench->most_at_work ? bench->at_work : bench->most_at_work;
    if (bench->on_start != NULL)
        bench->on_start(bench, step);
    return 0;
}

static int attempt_ended(void *context, struct attempt *attempt, struct error *err)
{
    (void)context;
    (void)err;
    for (size_t i = 0; i < 2; i++)
        attempt->captures[i].bytes = (struct slice){"", 0};
    return 0;
}

static enum step_state judge(void *context, size_t step, size_t told)
{
    static const char *const words[] = {"waiting", "running", "again", "passed", "failed", "skipped"};
    struct bench *bench = context;
    const struct attempt *last = NULL;
    enum step_state state;

    for (size_t i = bench->record.attempts.count; i-- > 0 && last == NULL;)
        if (bench->record.attempts.items[i].step == step)
            last = &bench->record.attempts.items[i];
    assert_ptr_equal(last, &bench->record.attempts.items[told]);
    bench->at_work -= step_of(bench, step)->member_count;
    state = last->n <= bench->again                     ? STEP_AGAIN
            : last->end == ATTEMPT_RAN && last->rc == 0 ? STEP_PASSED
                                                        : STEP_FAILED;
    text_printf(&bench->told, "end %s %s %s\n", step_of(bench, step)->shape->suite_step,
                step_of(bench, step)->members[0]->name, words[state]);
    return state;
}

static void prepare(struct bench *bench, const char *hosts, const char *steps)
{
    struct arena *arena = arena_create();
    struct plan_options options = {.run_uuid = "0ddba11-0000-4000-8000-000000000000"};
    const char *suite = arena_printf(arena,
                                     "{\"name\": \"s\", \"title\": \"s\", \"purpose\": \"trial\", "
                                     "\"steps\": [%s]}",
                                     steps);
    const struct hostfile *hostfile;
    const struct suite *parsed;
    struct plan_notes notes;
    struct error err = {0};

    *bench = (struct bench){.arena = arena, .record = {.arena = arena, .uuid = options.run_uuid}};
    text_init(&bench->told, 64 * 1024 * 1024);
    hosts_answer = NULL;
    hostfile =
        hostfile_parse(arena, "hosts", slice_of(arena_printf(arena, "%s platform=hgx-h100\n", hosts)), &err);
    parsed = hostfile != NULL ? suite_parse(arena, "suite", slice_of(suite), &err) : NULL;
    if (parsed == NULL || plan_sources_load(arena, hostfile, parsed, NULL, &bench->sources, &err) < 0)
        fail_msg("%s", err.text);
    bench->record.plan = plan_build(arena, &bench->sources, &options, &notes, &err);
    if (bench->record.plan == NULL)
        fail_msg("%s", err.text);
}

static void release(struct bench *bench)
{
    text_release(&bench->told);
    arena_destroy(bench->arena);
}

static void run(struct bench *bench, struct scheduler_hooks *given)
{
    struct scheduler_hooks hooks = {bench, attempt_begins, NULL, attempt_ended, judge, NULL, NULL};
    struct scheduler_options options = {.gone_wait_ms = 300, .hosts_at_once = bench->hosts_at_once};
    struct error err = {0};

    if (given != NULL)
        hooks = *given;
    bench->started = now_s();
    if (scheduler_run(&bench->record, &bench->sources, &options, &hooks, &bench->cancelled, &err) < 0)
        fail_msg("%s", err.text);
    while (closed_count > 0)
        free(closed[--closed_count]);
}

/* Where the line stands in what was told; fails when it is missing. */
static size_t line_at(const struct bench *bench, const char *line)
{
    const char *found = strstr(bench->told.bytes, line);

    if (found == NULL)
        fail_msg("'%s' was not told:\n%s", line, bench->told.bytes);
    return (size_t)(found - bench->told.bytes);
}

/* --- what an operator sees --- */

static const char in_order[] =
    "{\"check\": \"reachable\"}, {\"check\": \"privilege\", \"needs\": [\"reachable\"]},"
    "{\"check\": \"gpu-burn\", \"needs\": [\"privilege\"]}";
static const char across[] =
    "{\"check\": \"reachable\"},"
    "{\"check\": \"nccl-all-reduce\", \"scope\": \"cluster\", \"needs\": [\"reachable\"]},"
    "{\"check\": \"gpu-burn\", \"needs\": [\"reachable\"]}";

static void steps_follow_their_needs(void **state)
{
    struct bench bench;

    (void)state;
    prepare(&bench, "n[1-3]", in_order);
    run(&bench, NULL);
    assert_int_equal(bench.record.attempts.count, 9);
    assert_true(line_at(&bench, "end reachable n2 passed") < line_at(&bench, "start privilege n2"));
    assert_true(line_at(&bench, "end privilege n2 passed") < line_at(&bench, "start gpu-burn n2"));
    release(&bench);
}

/* Both pairs began before one of them ended. */
static bool ran_together(const char *hosts, const char *exclusive)
{
    struct bench bench;
    char step[200];
    bool together;

    snprintf(step, sizeof step,
             "{\"check\": \"nccl-all-gather\", \"scope\": \"pair\", \"by\": \"disjoint\"%s}", exclusive);
    prepare(&bench, hosts, step);
    run(&bench, NULL);
    assert_int_equal(bench.record.attempts.count, 2);
    together = line_at(&bench, "start nccl-all-gather c") < line_at(&bench, "end nccl-all-gather a passed");
    release(&bench);
    return together;
}

static void pairs_run_together_where_they_share_nothing(void **state)
{
    static const char two_leaves[] = "defaults platform=hgx-h100\na leaf=1\nb leaf=1\nc leaf=2\nd leaf=2";
    static const char one_leaf[] = "defaults platform=hgx-h100 leaf=1\na\nb\nc\nd";

    (void)state;
    assert_true(ran_together(two_leaves, ""));
    assert_false(ran_together(one_leaf, ""));
    assert_true(ran_together(one_leaf, ", \"exclusive\": \"host\""));
    assert_false(ran_together(two_leaves, ", \"exclusive\": \"fabric\""));
}

static void one_host_is_down(const struct remote *remote, enum remote_verb verb, struct answer *answer)
{
    (void)verb;
    if (strcmp(remote->name, "n2") == 0)
        answer->result.end = REMOTE_UNREACHABLE;
}

static void a_host_that_is_down_stops_only_itself(void **state)
{
    struct bench bench;

    (void)state;
    prepare(&bench, "n[1-3]", across);
    hosts_answer = one_host_is_down;
    run(&bench, NULL);
    (void)line_at(&bench, "end gpu-burn n1 passed");
    (void)line_at(&bench, "end gpu-burn n3 passed");
    assert_null(strstr(bench.told.bytes, "start gpu-burn n2"));
    assert_null(strstr(bench.told.bytes, "start nccl-all-reduce"));
    release(&bench);
}

static const char launched[] =
    "{\"check\": \"reachable\"},"
    "{\"check\": \"mpi-launch\", \"scope\": \"cluster\", \"needs\": [\"reachable\"]},"
    "{\"check\": \"nccl-all-gather\", \"scope\": \"pair\", \"needs\": [\"mpi-launch\"]}";

static int add_substitutes(void *context, const enum step_state *states, const bool *lost, struct error *err)
{
    struct bench *bench = context;
    const struct plan_progress progress = {.states = states, .lost = lost};

    (void)err;
    plan_add_substitutes(bench->record.plan, &bench->sources, &progress);
    return 0;
}

static struct scheduler_hooks with_substitutes(struct bench *bench)
{
    return (struct scheduler_hooks){.context = bench,
                                    .attempt_begins = attempt_begins,
                                    .attempt_ended = attempt_ended,
                                    .judge = judge,
                                    .extend = add_substitutes};
}

static void the_others_are_launched_on_without_a_host_that_is_down_and_tested_in_pairs(void **state)
{
    struct bench bench;
    struct scheduler_hooks hooks = with_substitutes(&bench);

    (void)state;
    prepare(&bench, "n[1-4]", launched);
    hosts_answer = one_host_is_down;
    run(&bench, &hooks);
    assert_true(line_at(&bench, "end mpi-launch n1 passed") < line_at(&bench, "start nccl-all-gather n3"));
    (void)line_at(&bench, "end nccl-all-gather n3 passed");
    (void)line_at(&bench, "end nccl-all-gather n1 passed"); /* with n3: the gap is closed */
    assert_null(strstr(bench.told.bytes, "start nccl-all-gather n2"));
    assert_int_equal(bench.record.attempts.count, 4 + 1 + 3);
    release(&bench);
}

static void without_a_launch_of_fewer_nothing_is_tested_in_pairs(void **state)
{
    struct bench bench;

    (void)state;
    prepare(&bench, "n[1-4]", launched);
    hosts_answer = one_host_is_down;
    run(&bench, NULL);
    assert_null(strstr(bench.told.bytes, "start mpi-launch"));
    assert_null(strstr(bench.told.bytes, "start nccl-all-gather"));
    release(&bench);
}

/* n2 is to be had only once n1 is done with. */
static bool n2_is_awaited(void *context, const struct host *host)
{
    struct bench *bench = context;

    return strcmp(host->name, "n2") == 0 && strstr(bench->told.bytes, "end gpu-burn n1 passed") == NULL;
}

static void a_host_that_is_not_yet_to_be_had_is_waited_for_and_no_other_is(void **state)
{
    struct bench bench;
    struct scheduler_hooks hooks = {
        .context = &bench, .attempt_begins = attempt_begins, .attempt_ended = attempt_ended, .judge = judge};

    (void)state;
    prepare(&bench, "n[1-2]", in_order);
    text_put(&bench.told, "");
    hooks.awaits = n2_is_awaited;
    run(&bench, &hooks);
    assert_int_equal(bench.record.attempts.count, 6);
    assert_true(line_at(&bench, "end gpu-burn n1 passed") < line_at(&bench, "start reachable n2"));
    assert_true(line_at(&bench, "end gpu-burn n2 passed") > 0);
    release(&bench);
}

static void a_step_is_repeated_while_the_judge_asks(void **state)
{
    struct bench bench;

    (void)state;
    prepare(&bench, "n1", in_order);
    bench.again = 2;
    run(&bench, NULL);
    assert_int_equal(bench.record.attempts.count, 9);
    for (size_t i = 0; i < 9; i++)
        assert_int_equal(bench.record.attempts.items[i].n, i % 3 + 1);
    release(&bench);
}

/* What two light commands left, of which one is found gone before the other. */
static void both_leave_something(const struct remote *remote, enum remote_verb verb, struct answer *answer)
{
    answer->result.left = verb == REMOTE_READ;
    if (verb == REMOTE_GONE)
        answer->after_ms = remote->sent[REMOTE_GONE] == 1 ? 10 : 250;
}

static double began_alone_s;

static void note_alone(struct bench *bench, const struct step *step)
{
    if (strcmp(step->shape->suite_step, "gpu-burn") == 0)
        began_alone_s = now_s() - bench->started;
}

static void a_host_is_held_until_every_sweep_of_it_is_clean(void **state)
{
    struct bench bench;

    (void)state;
    prepare(&bench, "n1",
            "{\"check\": \"reachable\"}, {\"check\": \"privilege\"},"
            "{\"check\": \"gpu-burn\", \"needs\": [\"reachable\", \"privilege\"]}");
    hosts_answer = both_leave_something;
    bench.on_start = note_alone;
    run(&bench, NULL);
    (void)line_at(&bench, "end gpu-burn n1 passed");
    assert_true(began_alone_s >= 0.24);
    release(&bench);
}

/* n2 dies under the test across hosts, and is looked for all through the run. */
static void a_member_falls_silent(const struct remote *remote, enum remote_verb verb, struct answer *answer)
{
    answer->never = false;
    if (verb != REMOTE_GONE || strcmp(remote->name, "n2") != 0)
        return;
    answer->after_ms = 2500;
    answer->result.end = REMOTE_UNREACHABLE;
}

static double began_on_n1_s;

static void note_n1(struct bench *bench, const struct step *step)
{
    if (strcmp(step->shape->suite_step, "gpu-burn") == 0 && strcmp(step->members[0]->name, "n1") == 0)
        began_on_n1_s = now_s() - bench->started;
}

static void a_member_that_falls_silent_holds_up_only_itself(void **state)
{
    struct bench bench;

    (void)state;
    prepare(&bench, "n[1-3]",
            "{\"check\": \"reachable\"},"
            "{\"check\": \"nccl-all-reduce\", \"scope\": \"cluster\", \"needs\": [\"reachable\"]},"
            "{\"check\": \"gpu-burn\", \"needs\": [\"nccl-all-reduce\"]}");
    hosts_answer = a_member_falls_silent;
    bench.on_start = note_n1;
    run(&bench, NULL);
    (void)line_at(&bench, "end gpu-burn n1 passed");
    (void)line_at(&bench, "end gpu-burn n3 passed");
    assert_true(began_on_n1_s < 2);
    assert_null(strstr(bench.told.bytes, "start gpu-burn n2"));
    release(&bench);
}

static void a_run_that_was_all_done_ends_at_once(void **state)
{
    struct bench bench;
    size_t attempts;

    (void)state;
    prepare(&bench, "n[1-2]", in_order);
    run(&bench, NULL);
    attempts = bench.record.attempts.count;
    run(&bench, NULL);
    assert_int_equal(bench.record.attempts.count, attempts);
    release(&bench);
}

/* How a process ends that is asked to so often when its run is over. */
static int end_after(int signal, unsigned times)
{
    pid_t child = fork();
    int status = -1;

    assert_true(child >= 0);
    if (child == 0) {
        struct bench bench;

        prepare(&bench, "n[1-2]", in_order);
        run(&bench, NULL);
        for (unsigned i = 0; i < times; i++)
            raise(signal);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

static void who_ends_a_run_while_it_is_judged_is_told_once_and_the_second_time_it_ends(void **state)
{
    (void)state;
    assert_int_equal(end_after(SIGINT, 1), 0);
    assert_int_equal(end_after(SIGINT, 2), SIGINT);
    assert_int_equal(end_after(SIGTERM, 1), 0);
    assert_int_equal(end_after(SIGTERM, 2), SIGTERM);
    assert_int_equal(end_after(SIGHUP, 3), 0);
}

/* As they are loaded from the store; in memory their bytes are let go of. */
static void load_windows(struct bench *bench, struct attempt *attempt)
{
    for (size_t i = 0; i < attempt->windows.count; i++)
        attempt->windows.items[i].captures[0].bytes = attempt->windows.items[i].captures[1].bytes =
            slice_of(arena_strdup(bench->arena,
                                  nobodys_said[(nobodys_count - attempt->windows.count + i) % NOBODYS_KEPT]));
}

static void an_open_attempt_is_taken_up_with_the_command_that_was_sent(void **state)
{
    struct bench bench;
    struct attempt *last;

    (void)state;
    prepare(&bench, "n1", in_order);
    run(&bench, NULL);
    last = &bench.record.attempts.items[bench.record.attempts.count - 1];
    last->state = ATTEMPT_SENT;
    last->command = "echo by an earlier version";
    load_windows(&bench, last);
    run(&bench, NULL);
    assert_string_equal(last_command, "echo by an earlier version");
    assert_int_equal(bench.record.attempts.count, 3);
    assert_int_equal(bench.record.attempts.items[2].state, ATTEMPT_ENDED);
    release(&bench);
}

static void a_smaller_set_is_planned_once(void **state)
{
    struct bench bench;
    struct plan *plan;
    size_t wide, added;

    (void)state;
    prepare(&bench, "n[1-3]", across);
    plan = bench.record.plan;
    for (wide = 0; plan->steps.items[wide].member_count == 1; wide++)
        ;
    added = plan_add_substitute(plan, &bench.sources, wide, plan->hosts.items, 2, NULL);
    assert_int_equal(plan->steps.count, added + 1);
    assert_int_equal(plan_add_substitute(plan, &bench.sources, wide, plan->hosts.items, 2, NULL), added);
    assert_int_equal(plan->steps.count, added + 1);
    release(&bench);
}

static void interrupt(struct bench *bench, const struct step *step)
{
    (void)bench;
    if (strcmp(step->shape->suite_step, "gpu-burn") == 0)
        raise(SIGINT);
}

static void burns_until_cancelled(const struct remote *remote, enum remote_verb verb, struct answer *answer)
{
    if (verb != REMOTE_ENSURE)
        return;
    answer->after_ms = 200;
    if (remote->sent[REMOTE_CANCEL] > 0)
        answer->result.why = REMOTE_WHY_CANCELLED;
}

static unsigned cancels; /* looked at when one is sent, and when it is answered */

/* Nobody knows whether what was cancelled is gone until the host says so. */
static void proof_takes_a_while(const struct remote *remote, enum remote_verb verb, struct answer *answer)
{
    (void)remote;
    if (verb == REMOTE_CANCEL) {
        answer->after_ms = 100;
        cancels++;
    }
    if (verb == REMOTE_ENSURE)
        assert_true(cancels >= 2);
}

static void a_cancelled_run_goes_on_when_resumed_and_proven_gone(void **state)
{
    struct bench bench;

    (void)state;
    prepare(&bench, "n1", in_order);
    hosts_answer = burns_until_cancelled;
    bench.on_start = interrupt;
    run(&bench, NULL);
    assert_true(bench.cancelled);
    assert_int_equal(bench.record.attempts.count, 3);
    assert_int_equal(bench.record.attempts.items[2].end, ATTEMPT_CANCELLED);
    bench.on_start = NULL;
    hosts_answer = proof_takes_a_while;
    cancels = 0;
    run(&bench, NULL);
    assert_int_equal(cancels, 2);
    assert_false(bench.cancelled);
    assert_int_equal(bench.record.attempts.count, 4);
    assert_int_equal(bench.record.attempts.items[3].end, ATTEMPT_RAN);
    release(&bench);
}

static void one_host_takes_long(const struct remote *remote, enum remote_verb verb, struct answer *answer)
{
    if (verb == REMOTE_READ && strcmp(remote->name, "n20") == 0 && remote->sent[REMOTE_READ] == 1)
        answer->after_ms = 2000;
}

static void a_host_that_takes_long_holds_up_nobody_else(void **state)
{
    struct bench bench;
    size_t long_one;

    (void)state;
    prepare(&bench, "n[1-20]", in_order);
    hosts_answer = one_host_takes_long;
    run(&bench, NULL);
    long_one = line_at(&bench, "end reachable n20 passed");
    for (unsigned i = 1; i < 20; i++) {
        char line[64];

        snprintf(line, sizeof line, "end gpu-burn n%u passed", i);
        assert_true(line_at(&bench, line) < long_one);
    }
    assert_int_equal(bench.record.attempts.count, 60);
    release(&bench);
}

static void takes_a_moment(const struct remote *remote, enum remote_verb verb, struct answer *answer)
{
    (void)remote;
    answer->after_ms = verb == REMOTE_READ || verb == REMOTE_ENSURE ? 2 : 0;
}

/* Hosts that wait come before one that has just worked, so a fault of any host is seen early. */
static void no_more_hosts_work_at_once_than_was_asked_for_and_they_take_turns(void **state)
{
    struct bench bench;

    (void)state;
    prepare(&bench, "n[1-10]", in_order);
    bench.hosts_at_once = 3;
    hosts_answer = takes_a_moment;
    run(&bench, NULL);
    assert_int_equal(bench.record.attempts.count, 30);
    assert_int_equal(bench.most_at_work, 3);
    for (unsigned i = 1; i <= 10; i++) {
        char line[64];

        snprintf(line, sizeof line, "start reachable n%u\n", i);
        assert_true(line_at(&bench, line) < line_at(&bench, "start gpu-burn"));
    }
    release(&bench);
}

static size_t most_at_work(const char *hosts, const char *steps, unsigned hosts_at_once)
{
    struct bench bench;
    size_t planned;

    prepare(&bench, hosts, steps);
    planned = bench.record.plan->steps.count;
    bench.hosts_at_once = hosts_at_once;
    hosts_answer = takes_a_moment;
    run(&bench, NULL);
    assert_int_equal(bench.record.attempts.count, planned);
    release(&bench);
    return bench.most_at_work;
}

static void a_test_over_several_hosts_counts_as_all_of_them_and_over_more_than_may_work_it_runs_alone(
    void **state)
{
    static const char pairs[] = "{\"check\": \"reachable\"},"
                                "{\"check\": \"nccl-all-gather\", \"scope\": \"pair\", \"by\": \"disjoint\","
                                " \"exclusive\": \"host\"}";

    (void)state;
    assert_int_equal(most_at_work("n[1-8]", pairs, 0), 8);
    assert_int_equal(most_at_work("n[1-8]", pairs, 5), 5);
    assert_int_equal(most_at_work("n[1-8]",
                                  "{\"check\": \"nccl-all-gather\", \"scope\": \"pair\","
                                  " \"by\": \"disjoint\", \"exclusive\": \"host\"}",
                                  5),
                     4);
    assert_int_equal(most_at_work("n[1-8]", across, 3), 8);
    assert_int_equal(most_at_work("n[1-8]", across, 1), 8);
}

/* Processor time of 12 steps, one after the other, on each of so many hosts. */
static double seconds_for(unsigned hosts)
{
    struct bench bench;
    cleanup_text struct text steps = {0};
    char names[32];
    clock_t before;
    double taken;

    text_init(&steps, 64 * 1024);
    for (unsigned i = 0; i < 12; i++)
        text_printf(&steps, "%s{\"name\": \"s%u\", \"check\": \"gpu-burn\", \"needs\": [%s%.*u%s]}",
                    i > 0 ? "," : "", i, i > 0 ? "\"s" : "", i > 0 ? 1 : 0, i > 0 ? i - 1 : 0,
                    i > 0 ? "\"" : "");
    snprintf(names, sizeof names, "n[1-%u]", hosts);
    prepare(&bench, names, steps.bytes);
    before = clock();
    run(&bench, NULL);
    taken = (double)(clock() - before) / CLOCKS_PER_SEC;
    assert_int_equal(bench.record.attempts.count, hosts * 12);
    release(&bench);
    return taken;
}

/* A scheduler that looks at all steps at each event would need ten times as long for each. */
static void one_of_a_thousand_hosts_costs_the_controller_no_more_than_one_of_a_hundred(void **state)
{
    double few = seconds_for(125), many = seconds_for(1250);

    (void)state;
    print_message("# CPU: 125 hosts %.2f s, 1250 hosts %.2f s\n", few, many);
    assert_true(many < 10 * few * 3);
}

/* The second light command of a host is what is asked before its test. */
static void a_window_hangs(const struct remote *remote, enum remote_verb verb, struct answer *answer)
{
    if (verb == REMOTE_READ && strcmp(remote->name, "n2") == 0 && remote->sent[REMOTE_READ] > 1)
        answer->result.why = REMOTE_WHY_DEADLINE;
}

static const struct attempt *attempt_at(const struct bench *bench, const char *check, const char *host)
{
    const struct attempt *found = NULL;

    for (size_t i = 0; i < bench->record.attempts.count; i++) {
        const struct step *step = step_of(bench, bench->record.attempts.items[i].step);

        if (strcmp(step->shape->suite_step, check) == 0 && strcmp(step->members[0]->name, host) == 0)
            found = &bench->record.attempts.items[i];
    }
    assert_non_null(found);
    return found;
}

static void a_test_is_not_begun_where_whose_the_host_is_was_not_answered(void **state)
{
    const struct attempt *attempt;
    struct bench bench;

    (void)state;
    prepare(&bench, "n[1-2]",
            "{\"check\": \"reachable\"}, {\"check\": \"gpu-burn\", \"needs\": [\"reachable\"]}");
    hosts_answer = a_window_hangs;
    run(&bench, NULL);
    attempt = attempt_at(&bench, "gpu-burn", "n2");
    assert_int_equal(attempt->end, ATTEMPT_UNANSWERED);
    assert_true(reason_has(attempt->what, whose_host_not_known));
    assert_int_equal(attempt->windows.count, 1); /* asked once, and not after it */
    assert_int_equal(attempt->n, 1);
    assert_int_equal(attempt_at(&bench, "gpu-burn", "n1")->end, ATTEMPT_RAN);
    assert_int_equal(attempt_at(&bench, "gpu-burn", "n1")->windows.count, 2);
    release(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_test_is_not_begun_where_whose_the_host_is_was_not_answered),
        cmocka_unit_test(steps_follow_their_needs),
        cmocka_unit_test(pairs_run_together_where_they_share_nothing),
        cmocka_unit_test(a_host_that_is_down_stops_only_itself),
        cmocka_unit_test(the_others_are_launched_on_without_a_host_that_is_down_and_tested_in_pairs),
        cmocka_unit_test(without_a_launch_of_fewer_nothing_is_tested_in_pairs),
        cmocka_unit_test(a_host_that_is_not_yet_to_be_had_is_waited_for_and_no_other_is),
        cmocka_unit_test(a_step_is_repeated_while_the_judge_asks),
        cmocka_unit_test(a_host_that_takes_long_holds_up_nobody_else),
        cmocka_unit_test(no_more_hosts_work_at_once_than_was_asked_for_and_they_take_turns),
        cmocka_unit_test(
            a_test_over_several_hosts_counts_as_all_of_them_and_over_more_than_may_work_it_runs_alone),
        cmocka_unit_test(a_host_is_held_until_every_sweep_of_it_is_clean),
        cmocka_unit_test(a_member_that_falls_silent_holds_up_only_itself),
        cmocka_unit_test(a_run_that_was_all_done_ends_at_once),
        cmocka_unit_test(who_ends_a_run_while_it_is_judged_is_told_once_and_the_second_time_it_ends),
        cmocka_unit_test(an_open_attempt_is_taken_up_with_the_command_that_was_sent),
        cmocka_unit_test(a_smaller_set_is_planned_once),
        cmocka_unit_test(a_cancelled_run_goes_on_when_resumed_and_proven_gone),
        cmocka_unit_test(one_of_a_thousand_hosts_costs_the_controller_no_more_than_one_of_a_hundred),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
