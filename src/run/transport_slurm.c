/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hosts that take no login but steps of Slurm.
 *
 * A session is one step, `srun` on that node, for as long as it is needed: each srun asks slurmctld, so there is none a
 * command. slurm_mux.sh on the host carries up to four commands through its stdin and stdout; it tells the lines that go
 * there and come back. srun runs in the job that the run has for its hosts, else in the allocation that assay was started
 * in, else it asks for one of its own, which ends with it.
 *
 * Between srun and the step goes plain TCP without encryption, so no password does (remote.c).
 *
 * Measured with Slurm 22.05 on two shared CPUs in a virtual machine, where a shell takes 7 to 14 ms: a step begins in 0.1 to
 * 0.4 s, a command is answered in 0.2 to 0.3 s, 5 to 8 MB/s go in, and 1.5 to 1.8 MB/s come out.
 */
#include <openssl/evp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "assay/base/arena.h"
#include "assay/base/text.h"
#include "assay/reasons/any.h"
#include "assay/reasons/run.h"
#include "process.h"
#include "remote_scripts.h"
#include "slurm_program.h"
#include "transport.h"

enum {
    LINE_LIMIT = 65536,
    SAID_LIMIT = 8192,
    LATE_MS =
        300000, /* a site's prolog, which may test the node's health, comes before the first step of a job */
    AGAIN_MS = 2000,
    ALLOCATE_S = 30, /* for an allocation of a session's own */
};

struct slurm_channel {
    struct channel base;
    struct slurm_session *session;
    unsigned long number;
};

struct slurm_session {
    struct session base;
    struct transport_context *context;
    const struct remote_target *target;
    const char *job;      /* NULL: in none of ours */
    struct process *srun; /* NULL: it has ended, or has not begun */
    struct text in, said; /* a line that has begun to come; srun's stderr */
    struct slurm_channel *channels[CHANNELS_PER_SESSION];
    unsigned long number; /* of the last channel */
    uint64_t since;       /* loop time of connect */
    uv_timer_t
        timer; /* until it is ready, its next turn or deadline; later it brings `ready` from the loop */
    bool ready;
};

/* ---- what srun says when it fails ---- */

/* By a part of a line of srun's, from the sources of Slurm 20.11 to 24.05; of "CANCELLED AT ... DUE TO NODE FAILURE" the cause
 * stands first here. again: it passes, so it is tried again for a while. */
static const struct failure {
    const char *text;
    const struct sentence *sentence;
    enum transport_failure failure;
    bool again;
} failures[] = {
    {"Unable to contact slurm controller", &sentence_slurm_does_not_answer, TRANSPORT_JUMP_FAILED, true},
    {"Job is pending execution", &sentence_slurm_job_pends, TRANSPORT_JUMP_FAILED, true},
    {"Invalid job id", &sentence_slurm_job_is_over, TRANSPORT_JOB_OVER, false},
    {"has expired", &sentence_slurm_job_is_over, TRANSPORT_JOB_OVER, false},
    {"already completing or completed", &sentence_slurm_job_is_over, TRANSPORT_JOB_OVER, false},
    {"NODE FAILURE", &sentence_slurm_node_is_out, TRANSPORT_UNREACHABLE, false},
    {"CANCELLED AT", &sentence_slurm_ended_the_step, TRANSPORT_JUMP_FAILED, false},
    {"(down, drained or reserved)", &sentence_slurm_node_is_out, TRANSPORT_UNREACHABLE, false},
    {"Communication connection failure", &sentence_slurm_node_is_out, TRANSPORT_UNREACHABLE, false},
    {"Invalid node name", &sentence_slurm_knows_no_such_node, TRANSPORT_JUMP_FAILED, false},
    {"node configuration is not available", &sentence_slurm_knows_no_such_node, TRANSPORT_JUMP_FAILED, false},
    {"Requested nodes are busy", &sentence_slurm_node_is_busy, TRANSPORT_JUMP_FAILED, false},
    {"Unable to allocate resources", &sentence_slurm_gives_no_allocation, TRANSPORT_JUMP_FAILED, false},
};

/* The row of the line that says most, and that line; without one the last line and NULL. */
static const struct failure *failure_of(const struct slurm_session *session, struct slice *ret_line)
{
    const struct failure *found = NULL;
    struct slice rest = {session->said.bytes, session->said.length}, line;

    *ret_line = (struct slice){"", 0};
    while (scan_line(&rest, &line)) {
        if (found == NULL && slice_trim(line).length > 0)
            *ret_line = slice_trim(line);
        for (size_t i = 0; found == NULL && i < ARRAY_SIZE(failures); i++)
            if (slice_find(line, failures[i].text) != (size_t)-1)
                found = &failures[i];
    }
    return found;
}

/* What srun says of a job that is over is the same whether it was never given or was taken away: who asked for it knows more. */
static const struct reason *why_over(const struct slurm_session *session, const struct failure *failure)
{
    const struct remote_options *options = &session->context->options;

    if (failure == NULL || failure->failure != TRANSPORT_JOB_OVER || session->job == NULL ||
        options->slurm_refused == NULL)
        return NULL;
    return options->slurm_refused(options->slurm_context, session->target->name);
}

static const char *job_for(const struct transport_context *context, const struct remote_target *target)
{
    const struct remote_options *options = &context->options;

    return options->slurm_job != NULL ? options->slurm_job(options->slurm_context, target->name) : NULL;
}

/* Whether whoever asked for a job that is over does without it since, or has another. */
static bool take_another_job(struct slurm_session *session, const struct failure *failure)
{
    const char *job = session->job;

    if (failure == NULL || failure->failure != TRANSPORT_JOB_OVER || job == NULL)
        return false;
    session->job = job_for(session->context, session->target);
    return session->job == NULL || strcmp(session->job, job) != 0;
}

/* srun has ended, could not be started, or took too long: another one after a while, or the end of the session. */
static void over(struct slurm_session *session, const struct reason *otherwise)
{
    uint64_t now = uv_now(session->context->loop);
    cleanup_arena struct arena *arena = NULL;
    struct slice line;
    const struct failure *failure = failure_of(session, &line);
    const struct reason *what = failure != NULL ? &failure->sentence->plain : otherwise;
    const struct reason *known = why_over(session, failure);
    bool passes = failure != NULL && failure->again &&
                  now - session->since < session->context->options.reconnect_for_ms;
    bool again = !session->ready && (passes || take_another_job(session, failure));

    uv_timer_stop(&session->timer);
    if (session->srun != NULL)
        process_drop(session->srun, SIGKILL);
    session->srun = NULL;
    session->ready = false;
    if (again) {
        uv_timer_start(&session->timer, session->timer.timer_cb, AGAIN_MS, 0);
        return;
    }
    arena = arena_create();
    session->base.events->closed(session->base.context,
                                 failure != NULL ? failure->failure : TRANSPORT_JUMP_FAILED,
                                 known != NULL     ? known
                                 : line.length > 0 ? reason(arena, about, what, line)
                                                   : what);
}

/* ---- what comes back ---- */

static void bring_ready(struct slurm_session *session)
{
    if (session->ready)
        uv_timer_start(&session->timer, session->timer.timer_cb, 0, 0);
}

static void forget(struct slurm_channel *channel)
{
    for (size_t i = 0; i < CHANNELS_PER_SESSION; i++)
        if (channel->session->channels[i] == channel)
            channel->session->channels[i] = NULL;
    bring_ready(channel->session);
    free(channel);
}

static void ask(struct slurm_session *session, const char *verb, unsigned long number)
{
    struct text line;

    if (session->srun == NULL)
        return;
    text_init(&line, LINE_LIMIT);
    text_printf(&line, "%s %lu\n", verb, number);
    process_send(session->srun, &line);
}

static struct slurm_channel *channel_numbered(const struct slurm_session *session, uint64_t number)
{
    for (size_t i = 0; i < CHANNELS_PER_SESSION; i++)
        if (session->channels[i] != NULL && session->channels[i]->number == number)
            return session->channels[i];
    return NULL;
}

/* What comes is no line of slurm_mux.sh. A piece that is missing from an output might be a line that says what is wrong. */
static void garbled(struct slurm_session *session)
{
    over(session, REASON(guard_answer_garbled));
}

static void take_bytes(struct slurm_channel *channel, int stream, struct slice base64)
{
    unsigned char bytes[LINE_LIMIT];
    int length = -1;

    if (base64.length >= 4 && base64.length <= LINE_LIMIT && base64.length % 4 == 0)
        length = EVP_DecodeBlock(bytes, (const unsigned char *)base64.bytes, (int)base64.length);
    if (length < 0) {
        garbled(channel->session);
        return;
    }
    for (size_t i = 1; i <= 2; i++)
        length -= base64.bytes[base64.length - i] == '=';
    channel->base.events->bytes(channel->base.context, stream, (const char *)bytes, (size_t)length);
}

static void take_end(struct slurm_channel *channel)
{
    struct channel base = channel->base;

    ask(channel->session, "over", channel->number);
    forget(channel);
    base.events->done(base.context, CHANNEL_CLOSED, REASON(channel_closed));
}

/* "N 1:BASE64", "N 2:BASE64" or "N end". */
static void take_line(struct slurm_session *session, struct slice line)
{
    struct slurm_channel *channel;
    struct slice number;
    uint64_t value;

    if (!session->ready && slice_equal(line, "@assay-slurm up")) {
        session->ready = true;
        text_reset(&session->said); /* what was in its way is over */
        bring_ready(session);
        return;
    }
    if (!session->ready)
        return; /* a prolog of the site says something too */
    if (!scan_word(&line, &number) || !scan_u64(number, &value)) {
        garbled(session);
        return;
    }
    channel = channel_numbered(session, value);
    if (channel == NULL)
        return; /* it was dropped while this came */
    line = slice_trim(line);
    if (slice_equal(line, "end"))
        take_end(channel);
    else if (line.length > 2 && (line.bytes[0] == '1' || line.bytes[0] == '2') && line.bytes[1] == ':')
        take_bytes(channel, line.bytes[0] - '1', slice_from(line, 2));
    else
        garbled(session);
}

/* Whoever is told of a line may close the session: its texts live until the loop's close callbacks. */
static void take_lines(struct slurm_session *session)
{
    struct slice rest = {session->in.bytes, session->in.length};
    size_t end, taken = 0;

    while (session->srun != NULL && (end = slice_find(rest, "\n")) != (size_t)-1) {
        take_line(session, (struct slice){rest.bytes, end});
        rest = slice_from(rest, end + 1);
        taken += end + 1;
    }
    memmove(session->in.bytes, session->in.bytes + taken, session->in.length - taken);
    session->in.length -= taken;
    if (session->srun != NULL && session->in.length >= LINE_LIMIT)
        garbled(session); /* no line of ours is so long */
}

/* Its limit is two pieces of process.c, so that nothing of a piece is dropped. */
static void on_bytes(void *context, int stream, const char *bytes, size_t length)
{
    struct slurm_session *session = context;

    text_add(stream == 0 ? &session->in : &session->said, bytes, length);
    if (stream == 0)
        take_lines(session);
}

static void on_done(void *context, int status, int signal)
{
    struct slurm_session *session = context;
    cleanup_arena struct arena *arena = arena_create();

    session->srun = NULL;
    over(session, reason(arena, srun_ended_with, status, signal));
}

static const struct process_events process_events = {on_bytes, on_done};

/* ---- srun ---- */

/* None of our environment goes along, nor limits of this machine's logins, nor a binding to some CPUs. Not --unbuffered: the far
 * end of stdout is a terminal then, which takes a long line in pieces, between which another
 * channel's come. Without -c a step has all CPUs of the node in the job, and the GPUs that the job asked for. */
void slurm_step_words(struct arguments *arguments, const char *job, const char *nodes, size_t count)
{
    static const char *const words[] = {
        "srun",    "--mpi=none",  "--export=NONE",   "--chdir=/",        "--mem=0",
        "--quiet", "--input=all", "--cpu-bind=none", "--propagate=NONE", "--kill-on-bad-exit=0"};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        arguments_add(arguments, mem_strdup(words[i]));
    arguments_add(arguments, mem_printf("--nodes=%zu", count));
    arguments_add(arguments, mem_printf("--ntasks=%zu", count));
    arguments_add(arguments, mem_printf("--nodelist=%s", nodes));
    if (job != NULL)
        arguments_add(arguments, mem_printf("--jobid=%s", job));
    if (job != NULL || getenv("SLURM_JOB_ID") != NULL) {
        arguments_add(arguments, mem_strdup("--overlap"));
        arguments_add(arguments, mem_strdup("--job-name=assay"));
    }
}

static void add_words(struct arguments *arguments, const struct slurm_session *session)
{
    slurm_step_words(arguments, session->job, session->target->name, 1);
    if (session->job != NULL || getenv("SLURM_JOB_ID") != NULL)
        return;
    arguments_add(arguments, mem_strdup("--exclusive"));
    arguments_add(arguments, mem_strdup("--job-name=assay"));
    arguments_add(arguments, mem_strdup("--time=60"));
    arguments_add(arguments, mem_printf("--immediate=%d", ALLOCATE_S));
}

static void add_mux(struct arguments *arguments)
{
    arguments_add(arguments, mem_strdup("/bin/sh"));
    arguments_add(arguments, mem_strdup("-c"));
    arguments_add(arguments, mem_printf("g=$(head -c %zu)&&eval \"$g\"", strlen(script_slurm_mux)));
    arguments_add(arguments, mem_strdup("assay-slurm"));
}

static bool starts_with_one(const char *row, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(row, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* Its programs take options out of these: those that stand in ours are for what a person starts here. The rows are ours still. */
char **slurm_environment(void)
{
    static const char *const options[] = {"SLURM_", "SALLOC_", "SBCAST_", "SINFO_"};
    static const char *const kept[] = {"SLURM_CONF=", "SLURM_JOB_ID="};
    size_t count = 0, taken = 0;
    char **rows;

    while (environ[count] != NULL)
        count++;
    rows = mem_alloc((count + 1) * sizeof *rows);
    for (size_t i = 0; i < count; i++)
        if (!starts_with_one(environ[i], options, ARRAY_SIZE(options)) ||
            starts_with_one(environ[i], kept, ARRAY_SIZE(kept)))
            rows[taken++] = environ[i];
    rows[taken] = NULL;
    return rows;
}

static void start(struct slurm_session *session)
{
    struct arguments arguments = {0};
    struct arena *arena;
    struct text mux;
    char **environment;
    int error;

    text_reset(&session->said);
    text_reset(&session->in);
    add_words(&arguments, session);
    add_mux(&arguments);
    environment = slurm_environment();
    session->srun =
        process_open(session->context->loop, arguments.items, environment, &process_events, session, &error);
    free(environment);
    arguments_release(&arguments);
    if (session->srun == NULL) {
        arena = arena_create();
        over(session, reason(arena, srun_not_started, uv_strerror(error)));
        arena_destroy(arena);
        return;
    }
    text_init(&mux, LINE_LIMIT);
    text_put(&mux, script_slurm_mux);
    process_send(session->srun, &mux);
    uv_timer_start(&session->timer, session->timer.timer_cb, LATE_MS, 0);
}

static void on_timer(uv_timer_t *timer)
{
    struct slurm_session *session = timer->data;

    if (session->ready)
        session->base.events->ready(session->base.context);
    else if (session->srun == NULL)
        start(session);
    else
        over(session, REASON(slurm_step_late));
}

/* ---- the vtable ---- */

static struct session *slurm_connect(struct transport_context *context, const struct remote_target *target,
                                     const struct session_events *events, void *event_context)
{
    struct slurm_session *session = mem_alloc(sizeof *session);

    session->base = (struct session){&transport_slurm, events, event_context};
    session->context = context;
    session->target = target;
    session->job = job_for(context, target);
    session->since = uv_now(context->loop);
    text_init(&session->in, 2 * LINE_LIMIT);
    text_init(&session->said, SAID_LIMIT);
    uv_timer_init(context->loop, &session->timer);
    session->timer.data = session;
    uv_timer_start(&session->timer, on_timer, 0, 0);
    return &session->base;
}

static void put_base64(const struct channel_input *input, struct text *out)
{
    size_t length = 4 * ((input->length + 2) / 3);
    char *encoded = mem_alloc(length + 1);

    EVP_EncodeBlock((unsigned char *)encoded, input->bytes, (int)input->length);
    text_add(out, encoded, length);
    memory_clear(encoded, length);
    free(encoded);
}

static struct channel *slurm_exec(struct session *base, const char *command,
                                  const struct channel_input *input, const struct channel_events *events,
                                  void *event_context)
{
    struct slurm_session *session = (struct slurm_session *)base;
    struct slurm_channel *channel;
    struct text request;
    size_t place = 0;

    while (place < CHANNELS_PER_SESSION && session->channels[place] != NULL)
        place++;
    if (!session->ready || session->srun == NULL || place == CHANNELS_PER_SESSION)
        return NULL;
    channel = mem_alloc(sizeof *channel);
    *channel = (struct slurm_channel){{events, event_context}, session, ++session->number};
    session->channels[place] = channel;
    text_init(&request, (size_t)1 << 31);
    text_printf(&request, "run %lu %zu %zu\n%s", channel->number, strlen(command),
                4 * ((input->length + 2) / 3), command);
    put_base64(input, &request);
    process_send(session->srun, &request);
    return &channel->base;
}

static void slurm_drop(struct session *base, struct channel *channel_base)
{
    struct slurm_channel *channel = (struct slurm_channel *)channel_base;

    (void)base;
    ask(channel->session, "drop", channel->number);
    forget(channel);
}

static void on_closed(uv_handle_t *handle)
{
    struct slurm_session *session = handle->data;

    text_release(&session->in);
    text_release(&session->said);
    free(session);
}

/*
 * The mux finds its stdin ended and goes, or Slurm's own watcher of an srun that was killed ends the step; the guard's
 * supervisors stay, as far as Slurm lets them. One with an allocation of its own has to give that back.
 */
static void slurm_close(struct session *base)
{
    struct slurm_session *session = (struct slurm_session *)base;
    bool own = session->job == NULL && getenv("SLURM_JOB_ID") == NULL;

    if (session->srun != NULL)
        process_drop(session->srun, own ? SIGTERM : SIGKILL);
    session->srun = NULL;
    session->ready = false;
    uv_close((uv_handle_t *)&session->timer, on_closed);
}

const struct transport_class transport_slurm = {"slurm",    8,          slurm_connect,
                                                slurm_exec, slurm_drop, slurm_close};
