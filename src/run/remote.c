/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory of operation. A pool holds remotes; a remote holds jobs and at most one session. A remote with jobs
 * and without a session stands in the pool's queue until there is a place for one more handshake and one
 * more open session (an idle session of another remote gives way). When the session is ready, jobs get
 * channels in their order. When it breaks, jobs that were sent go back to the front of the line, for the
 * guard on the host knows them, and the remote asks for a session again, with growing pauses.
 *
 * A job that is over goes to the pool's list of finished ones and its callback comes from a timer of its
 * own: so no callback ever runs inside a transport, and callers may start, close and destroy in callbacks.
 */
#include "assay/run/remote.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <uv.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/sha256.h"
#include "assay/base/text.h"
#include "assay/reasons/any.h"
#include "assay/reasons/run.h"
#include "guard.h"
#include "hop.h"
#include "identity.h"
#include "known_hosts.h"
#include "question.h"
#include "ssh_config.h"
#include "transport.h"

enum {
    PAUSE_FIRST_MS = 100,
    PAUSE_MOST_MS = 10000,
    PAUSE_IN_SESSION_MS = 1600, /* from then on a channel that was refused is asked for in a new session */
    TRIES = 3,                  /* a guard that is killed before it answers is asked again so often */
    INPUT_LIMIT = 1 << 30,
    DESCRIPTORS_MOST = 65536, /* asked for; programs that we start may close as many one by one */
    DESCRIPTORS_KEPT = 256,   /* for all that is no session */
};

struct job {
    TAILQ_ENTRY(job) link;
    struct remote *remote;
    struct remote_job spec; /* verb, uuid, clip_bytes; the rest is in exec and input */
    struct text exec, input;
    struct arena *arena;                       /* of what the result points to */
    const struct reason *why;                  /* of an end that is no answer; NULL: it has none */
    const struct secret *secret;               /* goes before the input; NULL: none */
    char begun[TOKEN_SIZE], ended[TOKEN_SIZE]; /* mark the guard's answer */
    struct guard_reply reply;
    uint64_t answer_ms; /* how long an answer may take from when it was sent */
    struct channel *channel;
    uv_timer_t timer;
    remote_done_cb *done;
    void *context;
    bool sent;
    unsigned session, connections, tries;
    enum remote_end end; /* REMOTE_ENDED: the reply says what */
};

TAILQ_HEAD(jobs, job);

enum remote_state {
    STATE_APART,      /* no session, none wanted */
    STATE_ASKING,     /* what the ssh configuration says of it */
    STATE_QUEUED,     /* waits for a place in the pool */
    STATE_CONNECTING, /* handshake */
    STATE_READY,
    STATE_PAUSING, /* before another try */
};

struct remote {
    TAILQ_ENTRY(remote) link;  /* in pool->remotes */
    TAILQ_ENTRY(remote) queue; /* in pool->queue (STATE_QUEUED) or pool->idle (idle) */
    struct remote_pool *pool;
    struct remote_target given, target; /* target: with what the ssh configuration adds */
    struct ssh_config_waiter config_waiter;
    const struct ssh_config *config; /* NULL: there is none, or it is not known yet */
    bool configured;
    const struct transport_class *class;
    const struct reason *note; /* which transport it is, in the pool's arena */
    bool may_fall_back;        /* TRANSPORT_AUTO, and it is not the spawned ssh yet */
    enum remote_state state;
    bool idle, closing;
    bool sudo_refused; /* the password was not taken once: another try might lock the account */
    struct session *session;
    unsigned session_number;
    struct jobs waiting, running;
    unsigned running_count, channel_limit;
    uv_timer_t pause;
    uint64_t pause_ms;
    uint64_t failing_since; /* loop time of the loss after which nothing was heard; 0: all is well */
};

TAILQ_HEAD(remotes, remote);

struct remote_pool {
    struct transport_context transports;
    struct arena *arena; /* of the remotes' notes: one for each would be large for so little */
    struct remotes remotes, queue, idle;
    struct jobs finished;
    unsigned open, handshaking;
    unsigned descriptors, descriptors_most; /* of the open sessions */
    uv_timer_t deliver;
    char *known_hosts_path;
    bool destroyed;
};

static void settle(struct remote *remote);
static void choose_transport(struct remote *remote);
static void end_session(struct remote *remote);
static void pause_then_connect(struct remote *remote);
static void pause_longer(struct remote *remote);
static void pool_grant(struct remote_pool *pool);

/* ---- jobs ---- */

static void on_job_closed(uv_handle_t *handle)
{
    struct job *job = handle->data;

    text_release(&job->exec);
    memory_clear(job->input.bytes, job->input.length); /* secrets stand in it */
    text_release(&job->input);
    arena_destroy(job->arena);
    guard_reply_release(&job->reply);
    free((char *)job->spec.uuid);
    free(job);
}

static struct job *job_create(struct remote *remote, const struct remote_job *spec, remote_done_cb *done,
                              void *context)
{
    struct job *job = mem_alloc(sizeof *job);

    job->remote = remote;
    job->spec = (struct remote_job){.verb = spec->verb, .clip_bytes = spec->clip_bytes};
    job->spec.uuid = mem_strdup(spec->uuid != NULL ? spec->uuid : "");
    job->done = done;
    job->context = context;
    job->answer_ms = (uint64_t)guard_seconds(spec) * 1000 + remote->pool->transports.options.answer_margin_ms;
    text_init(&job->exec, INPUT_LIMIT);
    text_init(&job->input, INPUT_LIMIT);
    job->arena = arena_create();
    token_create(job->begun);
    token_create(job->ended);
    guard_reply_init(&job->reply, &job->spec, &(struct guard_frame){job->begun, job->ended});
    uv_timer_init(remote->pool->transports.loop, &job->timer);
    job->timer.data = job;
    return job;
}

static void job_deliver(struct job *job)
{
    struct remote_result result = {.end = job->end, .what = job->why, .boot_id = "", .left_text = ""};

    if (job->end == REMOTE_ENDED)
        guard_reply_result(&job->reply, job->arena, &result);
    result.connections = job->connections;
    job->done(job->context, &result);
    job->arena = arena_destroy(job->arena);
    uv_close((uv_handle_t *)&job->timer, on_job_closed);
}

static void deliver_all(struct remote_pool *pool)
{
    struct job *job;

    while ((job = TAILQ_FIRST(&pool->finished)) != NULL) {
        TAILQ_REMOVE(&pool->finished, job, link);
        job_deliver(job);
    }
}

static void on_deliver(uv_timer_t *timer)
{
    deliver_all(timer->data);
}

static void job_detach(struct job *job)
{
    struct remote *remote = job->remote;

    uv_timer_stop(&job->timer);
    if (job->channel != NULL)
        remote->class->drop(remote->session, steal_pointer(job->channel));
}

/* From the list it is in to none; the channel is dropped. */
static void job_unlink(struct job *job, bool running)
{
    struct remote *remote = job->remote;

    job_detach(job);
    TAILQ_REMOVE(running ? &remote->running : &remote->waiting, job, link);
    if (running)
        remote->running_count--;
}

/* why may be in an arena that goes; NULL: the guard's answer tells. */
static void job_finish(struct job *job, bool running, enum remote_end end, const struct reason *why)
{
    struct remote_pool *pool = job->remote->pool;

    job_unlink(job, running);
    job->end = end;
    job->why = why != NULL ? reason(job->arena, about, job->remote->target.name, reason_copy(job->arena, why))
                           : NULL;
    TAILQ_INSERT_TAIL(&pool->finished, job, link);
    if (!pool->destroyed)
        uv_timer_start(&pool->deliver, on_deliver, 0, 0);
}

static void job_wait_again(struct job *job)
{
    job_unlink(job, true);
    TAILQ_INSERT_HEAD(&job->remote->waiting, job, link);
}

/* What is asked for in a hurry, about jobs that may hold all channels. */
static bool is_urgent(const struct job *job)
{
    return job->spec.verb == REMOTE_CANCEL || job->spec.verb == REMOTE_GONE;
}

static void job_queue(struct job *job)
{
    struct jobs *waiting = &job->remote->waiting;
    struct job *other;

    TAILQ_FOREACH(other, waiting, link)
    if (is_urgent(job) && !is_urgent(other)) {
        TAILQ_INSERT_BEFORE(other, job, link);
        return;
    }
    TAILQ_INSERT_TAIL(waiting, job, link);
}

/*
 * An urgent job must not wait for the very command that it is to end: where all channels are taken, an
 * ENSURE gives its own up and is attached to again later.
 */
static void make_way(struct remote *remote)
{
    const struct job *first = TAILQ_FIRST(&remote->waiting);
    struct job *job;

    if (first == NULL || !is_urgent(first) || remote->running_count < remote->channel_limit)
        return;
    TAILQ_FOREACH_REVERSE(job, &remote->running, jobs, link)
    if (job->spec.verb == REMOTE_ENSURE) {
        job_unlink(job, true);
        job_queue(job);
        return;
    }
}

static enum remote_end end_of(enum transport_failure failure)
{
    switch (failure) {
    case TRANSPORT_AUTH_REFUSED:
        return REMOTE_AUTH_REFUSED;
    case TRANSPORT_HOST_KEY_UNKNOWN:
        return REMOTE_HOST_KEY_UNKNOWN;
    case TRANSPORT_HOST_KEY_CHANGED:
        return REMOTE_HOST_KEY_CHANGED;
    case TRANSPORT_JUMP_FAILED:
    case TRANSPORT_JOB_OVER:
        return REMOTE_JUMP_FAILED;
    case TRANSPORT_UNREACHABLE:
    case TRANSPORT_INCAPABLE:
    default:
        return REMOTE_UNREACHABLE;
    }
}

/* What lies on the way to the host, and not the host. */
static bool is_way(enum transport_failure failure)
{
    return failure == TRANSPORT_JUMP_FAILED || failure == TRANSPORT_JOB_OVER;
}

/* The session under a running job is gone. */
static void job_lost(struct job *job, enum transport_failure failure, const struct reason *why)
{
    if (job->spec.verb != REMOTE_READ) {
        job_wait_again(job);
        return;
    }
    job_finish(job, true, is_way(failure) ? end_of(failure) : REMOTE_UNREACHABLE,
               reason(job->arena, broke_while_command_may_have_run, why));
}

static void on_job_late(uv_timer_t *timer)
{
    struct job *job = timer->data;
    struct remote *remote = job->remote;

    job_finish(job, true, REMOTE_NO_ANSWER,
               reason(job->arena, guard_gave_no_answer,
                      arena_printf(job->arena, "%.0f", (double)job->answer_ms / 1000)));
    settle(remote);
}

static void on_bytes(void *context, int stream, const char *bytes, size_t length)
{
    struct job *job = context;
    struct remote *remote = job->remote;
    uint64_t margin = remote->pool->transports.options.answer_margin_ms;

    remote->failing_since = 0;
    remote->pause_ms = 0;
    guard_reply_feed(&job->reply, stream, bytes, length);
    if (guard_reply_whole(&job->reply)) {
        job_finish(job, true, REMOTE_ENDED, NULL);
        settle(remote);
    } else if (job->spec.verb != REMOTE_READ && guard_reply_begun(&job->reply) &&
               uv_timer_get_due_in(&job->timer) < margin) {
        uv_timer_start(&job->timer, on_job_late, margin, 0); /* a long answer over a slow line */
    }
}

/* The channel ended before the answer was whole. */
static void on_done(void *context, enum channel_end end, const struct reason *why)
{
    struct job *job = context;
    struct remote *remote = job->remote;
    struct remote_result result;

    job->channel = NULL;
    if (end == CHANNEL_REFUSED && remote->running_count > 1) {
        remote->channel_limit = remote->running_count - 1;
        job_wait_again(job);
    } else if (end == CHANNEL_REFUSED && remote->pause_ms < PAUSE_IN_SESSION_MS) {
        /* One channel is all that the host allows, and the last one is still being closed there. */
        job_wait_again(job);
        remote->channel_limit = 0;
        pause_longer(remote);
    } else if (end == CHANNEL_REFUSED && ++job->tries < TRIES) {
        job_wait_again(job);
        end_session(remote);
        pause_then_connect(remote);
        return;
    } else if (end == CHANNEL_REFUSED) {
        job_finish(job, true, REMOTE_NO_ANSWER, why);
    } else {
        guard_reply_result(&job->reply, job->arena, &result);
        remote->sudo_refused |= result.end == REMOTE_SUDO_REFUSED;
        if (job->spec.verb == REMOTE_READ || result.end == REMOTE_SUDO_REFUSED || ++job->tries >= TRIES)
            job_finish(job, true, REMOTE_ENDED, NULL);
        else
            job_wait_again(job);
    }
    settle(remote);
}

static const struct channel_events channel_events = {on_bytes, on_done};

/* False when the session has no place for it now. */
static bool job_send(struct job *job)
{
    struct remote *remote = job->remote;

    guard_reply_release(&job->reply);
    guard_reply_init(&job->reply, &job->spec, &(struct guard_frame){job->begun, job->ended});
    job->channel = remote->class->exec(
        remote->session, job->exec.bytes,
        &(struct channel_input){job->secret, job->input.bytes, job->input.length}, &channel_events, job);
    if (job->channel == NULL)
        return false;
    TAILQ_REMOVE(&remote->waiting, job, link);
    TAILQ_INSERT_TAIL(&remote->running, job, link);
    remote->running_count++;
    job->sent = true;
    if (job->session != remote->session_number)
        job->connections++;
    job->session = remote->session_number;
    uv_timer_start(&job->timer, on_job_late, job->answer_ms, 0);
    return true;
}

/* ---- remotes ---- */

static bool has_jobs(const struct remote *remote)
{
    return !TAILQ_EMPTY(&remote->waiting) || !TAILQ_EMPTY(&remote->running);
}

static void set_idle(struct remote *remote, bool idle)
{
    if (remote->idle == idle)
        return;
    remote->idle = idle;
    if (idle)
        TAILQ_INSERT_TAIL(&remote->pool->idle, remote, queue);
    else
        TAILQ_REMOVE(&remote->pool->idle, remote, queue);
}

/* Gives the session and its place in the pool back. The running jobs have been detached. */
static void end_session(struct remote *remote)
{
    struct remote_pool *pool = remote->pool;

    set_idle(remote, false);
    if (remote->state == STATE_QUEUED)
        TAILQ_REMOVE(&pool->queue, remote, queue);
    if (remote->state == STATE_CONNECTING)
        pool->handshaking--;
    if (remote->session != NULL) {
        remote->class->close(steal_pointer(remote->session));
        pool->open--;
        pool->descriptors -= remote->class->descriptors;
    }
    ssh_config_leave(&remote->config_waiter);
    uv_timer_stop(&remote->pause);
    remote->state = STATE_APART;
}

static void queue_for_session(struct remote *remote)
{
    remote->state = STATE_QUEUED;
    TAILQ_INSERT_TAIL(&remote->pool->queue, remote, queue);
    pool_grant(remote->pool);
}

static void on_config_known(void *context, const struct ssh_config *config)
{
    struct remote *remote = context;

    remote->config = config;
    remote->configured = true;
    choose_transport(remote);
    queue_for_session(remote);
}

static void want_session(struct remote *remote)
{
    const struct ssh_config *config;

    if (remote->configured) {
        queue_for_session(remote);
        return;
    }
    remote->state = STATE_ASKING;
    if (ssh_config_ask(&remote->pool->transports, &remote->given, &remote->config_waiter, &config))
        on_config_known(remote, config);
}

static void on_pause_over(uv_timer_t *timer)
{
    struct remote *remote = timer->data;

    if (remote->state != STATE_READY) {
        want_session(remote);
        return;
    }
    remote->channel_limit = 1;
    settle(remote);
}

/* Twice as long each time, until the host answers. */
static void pause_longer(struct remote *remote)
{
    remote->pause_ms = remote->pause_ms == 0 ? PAUSE_FIRST_MS : 2 * remote->pause_ms;
    if (remote->pause_ms > PAUSE_MOST_MS)
        remote->pause_ms = PAUSE_MOST_MS;
    uv_timer_start(&remote->pause, on_pause_over, remote->pause_ms, 0);
}

static void pause_then_connect(struct remote *remote)
{
    remote->state = STATE_PAUSING;
    pause_longer(remote);
}

/*
 * A session could not be made, or broke. Jobs never sent end when none could be made; the others, and all of a
 * host that logs us in and breaks off again and again, when reconnect_for_ms is over.
 */
static void fail_jobs(struct remote *remote, bool was_ready, enum transport_failure failure,
                      const struct reason *why)
{
    uint64_t limit = remote->pool->transports.options.reconnect_for_ms;
    bool final = failure == TRANSPORT_HOST_KEY_UNKNOWN || failure == TRANSPORT_HOST_KEY_CHANGED ||
                 failure == TRANSPORT_JOB_OVER;
    bool over =
        remote->failing_since != 0 && uv_now(remote->pool->transports.loop) - remote->failing_since >= limit;
    struct job *job, *next;

    for (job = TAILQ_FIRST(&remote->waiting); job != NULL; job = next) {
        next = TAILQ_NEXT(job, link);
        if ((!job->sent && !was_ready) || final) {
            job_finish(job, false, end_of(failure), why);
        } else if (over) {
            job_finish(job, false, failure == TRANSPORT_JUMP_FAILED ? REMOTE_JUMP_FAILED : REMOTE_UNREACHABLE,
                       reason(job->arena, lost_and_not_found,
                              arena_printf(job->arena, "%.0f", (double)limit / 1000), why));
        }
    }
}

static const char *or_else(const char *given, const char *config)
{
    return given != NULL ? given : config;
}

/* What the target says outranks the ssh configuration. The ssh program reads that itself, but for jump hosts, which all
   hosts share. */
static void use_transport(struct remote *remote, const struct transport_class *class)
{
    const struct ssh_config *config = remote->config;
    struct remote_target *target = &remote->target;

    remote->class = class;
    *target = remote->given;
    if (config == NULL)
        return;
    target->jump = or_else(target->jump, config->jump);
    if (class != &transport_ssh)
        return;
    if (config->address != NULL)
        target->address = config->address;
    if (target->port == 0)
        target->port = config->port;
    target->user = or_else(target->user, config->user);
    target->identity = or_else(target->identity, config->identity);
    if (remote->pool->transports.options.known_hosts == NULL && target->known_hosts == NULL) {
        target->known_hosts = config->known_hosts;
        target->known_hosts_and_system = config->known_hosts != NULL;
    }
}

static bool fall_back(struct remote *remote, enum transport_failure failure, const struct reason *why)
{
    bool agent = failure == TRANSPORT_AUTH_REFUSED && remote->target.identity == NULL &&
                 remote->pool->transports.options.password == NULL && getenv("SSH_AUTH_SOCK") != NULL;
    struct arena *arena = remote->pool->arena;

    if (!remote->may_fall_back || !(failure == TRANSPORT_INCAPABLE || agent))
        return false;
    remote->note = reason(arena, openssh_since_libssh2_could_not, reason_copy(arena, why));
    use_transport(remote, &transport_openssh);
    remote->may_fall_back = false;
    return true;
}

static void on_session_closed(void *context, enum transport_failure failure, const struct reason *why)
{
    struct remote *remote = context;
    struct remote_pool *pool = remote->pool;
    bool was_ready = remote->state == STATE_READY;
    struct job *job;

    while ((job = TAILQ_LAST(&remote->running, jobs)) != NULL)
        job_lost(job, failure, why);
    end_session(remote);
    if (!was_ready && fall_back(remote, failure, why)) {
        want_session(remote);
        return;
    }
    if (remote->failing_since == 0)
        remote->failing_since = uv_now(remote->pool->transports.loop);
    fail_jobs(remote, was_ready, failure, why);
    if (has_jobs(remote))
        pause_then_connect(remote);
    else
        remote->failing_since = 0;
    settle(remote);
    /* remote may be gone here; its place is another's */
    if (!pool->destroyed)
        pool_grant(pool);
}

static void on_session_ready(void *context)
{
    struct remote *remote = context;

    if (remote->state == STATE_CONNECTING) {
        remote->state = STATE_READY;
        remote->pool->handshaking--;
        remote->channel_limit = CHANNELS_PER_SESSION;
        pool_grant(remote->pool);
    }
    settle(remote);
}

static const struct session_events session_events = {on_session_ready, on_session_closed};

static void start_session(struct remote *remote)
{
    struct remote_pool *pool = remote->pool;

    remote->state = STATE_CONNECTING;
    remote->session_number++;
    pool->open++;
    pool->descriptors += remote->class->descriptors;
    pool->handshaking++;
    remote->session = remote->class->connect(&pool->transports, &remote->target, &session_events, remote);
}

/* One session is always allowed: it will say itself what it lacks. */
static bool has_place(const struct remote_pool *pool, const struct remote *remote)
{
    return pool->open == 0 || (pool->open < pool->transports.options.connections &&
                               pool->descriptors + remote->class->descriptors <= pool->descriptors_most);
}

static void pool_grant(struct remote_pool *pool)
{
    const struct remote_options *options = &pool->transports.options;
    struct remote *remote;

    while ((remote = TAILQ_FIRST(&pool->queue)) != NULL && pool->handshaking < options->handshakes) {
        while (!has_place(pool, remote)) {
            struct remote *idle = TAILQ_FIRST(&pool->idle);

            if (idle == NULL)
                return;
            end_session(idle);
        }
        TAILQ_REMOVE(&pool->queue, remote, queue);
        start_session(remote);
    }
}

static void on_remote_closed(uv_handle_t *handle)
{
    struct remote *remote = handle->data;

    free((char *)remote->given.name);
    free(remote);
}

static void remote_end_now(struct remote *remote)
{
    struct remote_pool *pool = remote->pool;

    end_session(remote);
    TAILQ_REMOVE(&pool->remotes, remote, link);
    uv_close((uv_handle_t *)&remote->pause, on_remote_closed);
    if (!pool->destroyed)
        pool_grant(pool);
}

/* After anything that happened to a remote: what follows from its state. The last thing a handler does, for
 * the remote may be gone afterwards. */
static void settle(struct remote *remote)
{
    struct job *job;

    if (remote->pool->destroyed)
        return;
    if (remote->state == STATE_READY)
        make_way(remote);
    while (remote->state == STATE_READY && remote->running_count < remote->channel_limit &&
           (job = TAILQ_FIRST(&remote->waiting)) != NULL && job_send(job))
        ;
    if (has_jobs(remote)) {
        set_idle(remote, false);
        if (remote->state == STATE_APART)
            want_session(remote);
        return;
    }
    if (remote->closing) {
        remote_end_now(remote);
        return;
    }
    if (remote->state == STATE_READY) {
        set_idle(remote, true);
        pool_grant(remote->pool);
    }
}

/* ---- the public side ---- */

/* How many sessions may have. */
static unsigned raise_descriptor_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 0;
    if (limit.rlim_cur < DESCRIPTORS_MOST) {
        limit.rlim_cur = limit.rlim_max < DESCRIPTORS_MOST ? limit.rlim_max : DESCRIPTORS_MOST;
        setrlimit(RLIMIT_NOFILE, &limit);
        getrlimit(RLIMIT_NOFILE, &limit);
    }
    if (limit.rlim_cur > DESCRIPTORS_MOST)
        return DESCRIPTORS_MOST - DESCRIPTORS_KEPT;
    return limit.rlim_cur > DESCRIPTORS_KEPT ? (unsigned)limit.rlim_cur - DESCRIPTORS_KEPT : 0;
}

static unsigned or_default(unsigned value, unsigned fallback)
{
    return value > 0 ? value : fallback;
}

struct remote_pool *remote_pool_create(struct uv_loop_s *loop, const struct remote_options *options)
{
    struct remote_pool *pool = mem_alloc(sizeof *pool);
    struct remote_options *mine = &pool->transports.options;

    signal(SIGPIPE, SIG_IGN);
    pool->arena = arena_create();
    pool->transports.loop = loop;
    if (options != NULL)
        *mine = *options;
    if (mine->known_hosts != NULL)
        mine->known_hosts = pool->known_hosts_path = mem_strdup(mine->known_hosts);
    mine->connections = or_default(mine->connections, UINT_MAX);
    mine->handshakes = or_default(mine->handshakes, 64);
    mine->connect_timeout_ms = or_default(mine->connect_timeout_ms, 20000);
    mine->reconnect_for_ms = or_default(mine->reconnect_for_ms, 600000);
    mine->answer_margin_ms = or_default(mine->answer_margin_ms, 30000);
    pool->descriptors_most = raise_descriptor_limit();
    TAILQ_INIT(&pool->remotes);
    TAILQ_INIT(&pool->queue);
    TAILQ_INIT(&pool->idle);
    TAILQ_INIT(&pool->finished);
    uv_timer_init(loop, &pool->deliver);
    pool->deliver.data = pool;
    return pool;
}

static void on_pool_closed(uv_handle_t *handle)
{
    struct remote_pool *pool = handle->data;

    openssh_control_remove(&pool->transports);
    identities_release(pool->transports.identities);
    known_hosts_release(pool->transports.known_hosts);
    free(pool->known_hosts_path);
    arena_destroy(pool->arena);
    free(pool);
}

void remote_pool_destroy(struct remote_pool *pool)
{
    struct remote *remote;
    struct job *job;

    if (pool == NULL || pool->destroyed)
        return;
    pool->destroyed = true;
    while ((remote = TAILQ_FIRST(&pool->remotes)) != NULL) {
        while ((job = TAILQ_FIRST(&remote->running)) != NULL)
            job_finish(job, true, REMOTE_CANCELLED, REASON(controller_ended));
        while ((job = TAILQ_FIRST(&remote->waiting)) != NULL)
            job_finish(job, false, REMOTE_CANCELLED, REASON(controller_ended));
        remote_end_now(remote);
    }
    hops_release(&pool->transports);
    questions_release(&pool->transports);
    ssh_configs_release(&pool->transports);
    deliver_all(pool);
    uv_close((uv_handle_t *)&pool->deliver, on_pool_closed);
}

static const struct reason *fault_for_libssh2(struct remote *remote)
{
    if (remote->config != NULL && remote->config->beyond != NULL)
        return remote->config->beyond;
    return transport_ssh_fault(&remote->pool->transports, &remote->target);
}

static void choose_transport(struct remote *remote)
{
    struct arena *arena = remote->pool->arena;
    const struct reason *fault;

    switch (remote->given.transport) {
    case TRANSPORT_LOCAL:
        use_transport(remote, &transport_local);
        remote->note = reason(arena, text, "local");
        break;
    case TRANSPORT_SLURM:
        use_transport(remote, &transport_slurm);
        remote->note = reason(arena, text, "slurm");
        break;
    case TRANSPORT_OPENSSH:
        use_transport(remote, &transport_openssh);
        remote->note = reason(arena, text, "openssh");
        break;
    case TRANSPORT_SSH:
    case TRANSPORT_AUTO:
    default:
        use_transport(remote, &transport_ssh);
        fault = remote->given.transport == TRANSPORT_SSH ? NULL : fault_for_libssh2(remote);
        remote->may_fall_back = fault == NULL && remote->given.transport == TRANSPORT_AUTO;
        remote->note =
            fault != NULL
                ? reason(arena, openssh_since, reason_copy(arena, fault))
                : reason(arena, text, arena_printf(arena, "ssh (libssh2 %s)", transport_ssh_version()));
        if (fault != NULL)
            use_transport(remote, &transport_openssh);
        break;
    }
}

struct remote *remote_open(struct remote_pool *pool, const struct remote_target *target)
{
    struct remote *remote = mem_alloc(sizeof *remote);

    remote->pool = pool;
    remote->given = *target;
    remote->given.name = mem_strdup(target->name != NULL      ? target->name
                                    : target->address != NULL ? target->address
                                                              : "localhost");
    TAILQ_INIT(&remote->waiting);
    TAILQ_INIT(&remote->running);
    remote->channel_limit = CHANNELS_PER_SESSION;
    remote->config_waiter = (struct ssh_config_waiter){.known = on_config_known, .context = remote};
    remote->configured = target->transport == TRANSPORT_LOCAL || target->transport == TRANSPORT_SLURM;
    uv_timer_init(pool->transports.loop, &remote->pause);
    remote->pause.data = remote;
    choose_transport(remote);
    TAILQ_INSERT_TAIL(&pool->remotes, remote, link);
    return remote;
}

void remote_close(struct remote *remote)
{
    remote->closing = true;
    settle(remote);
}

const struct reason *remote_transport_note(const struct remote *remote)
{
    return remote->note;
}

void remote_start(struct remote *remote, const struct remote_job *spec, remote_done_cb *done, void *context)
{
    struct job *job = job_create(remote, spec, done, context);
    const struct secret *sudo_password = remote->pool->transports.options.sudo_password;
    const struct reason *fault = guard_job_fault(spec);
    enum guard_root root = GUARD_AS_LOGIN;

    if (spec->as_root && remote->target.become_root)
        root = sudo_password != NULL ? GUARD_SUDO_PASSWORD : GUARD_SUDO;
    job_queue(job);
    if (fault != NULL) {
        job_finish(job, false, REMOTE_NO_ANSWER, fault);
        return;
    }
    if (root == GUARD_SUDO_PASSWORD && remote->class == &transport_slurm) {
        job_finish(job, false, REMOTE_SUDO_REFUSED, REASON(slurm_takes_no_password));
        return;
    }
    if (root == GUARD_SUDO_PASSWORD && remote->sudo_refused) {
        job_finish(job, false, REMOTE_SUDO_REFUSED, REASON(sudo_password_not_tried_again));
        return;
    }
    guard_exec(spec, root, &job->exec);
    if (root == GUARD_SUDO_PASSWORD) {
        job->secret = sudo_password;
        text_put(&job->input, "\n" GUARD_BEGIN);
    }
    guard_input(spec, &(struct guard_frame){job->begun, job->ended}, &job->input);
    settle(remote);
}
