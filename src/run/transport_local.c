/* SPDX-License-Identifier: Apache-2.0 */
/* This machine, without a network: the same guard through /bin/sh, so that everything can be tried here. */
#include <signal.h>
#include <stdlib.h>

#include "assay/base/arena.h"
#include "assay/reasons/run.h"
#include "process.h"
#include "transport.h"

struct local_channel {
    struct channel base;
    struct local_session *session;
    struct process *process;
};

struct local_session {
    struct session base;
    uv_loop_t *loop;
    uv_timer_t wake; /* brings `ready` from the loop */
    unsigned channels;
    int error; /* of a child that could not be started */
};

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void on_wake(uv_timer_t *timer)
{
    struct local_session *session = timer->data;
    struct arena *arena;

    if (session->error != 0) {
        arena = arena_create();
        session->base.events->closed(session->base.context, TRANSPORT_UNREACHABLE,
                                     reason(arena, shell_not_started, uv_strerror(session->error)));
        arena_destroy(arena);
        return;
    }
    session->base.events->ready(session->base.context);
}

static struct session *local_connect(struct transport_context *context, const struct remote_target *target,
                                     const struct session_events *events, void *event_context)
{
    struct local_session *session = mem_alloc(sizeof *session);

    (void)target;
    session->base = (struct session){&transport_local, events, event_context};
    session->loop = context->loop;
    uv_timer_init(context->loop, &session->wake);
    session->wake.data = session;
    uv_timer_start(&session->wake, on_wake, 0, 0);
    return &session->base;
}

static void on_bytes(void *context, int stream, const char *bytes, size_t length)
{
    struct local_channel *channel = context;

    channel->base.events->bytes(channel->base.context, stream, bytes, length);
}

static void release(struct local_channel *channel)
{
    channel->session->channels--;
    uv_timer_start(&channel->session->wake, on_wake, 0, 0);
    free(channel);
}

static void on_done(void *context, int status, int signal)
{
    struct local_channel *channel = context;
    struct channel base = channel->base;
    cleanup_arena struct arena *arena = arena_create();

    release(channel);
    base.events->done(base.context, CHANNEL_CLOSED,
                      signal != 0 ? reason(arena, shell_killed, signal)
                                  : reason(arena, shell_exited, status));
}

static const struct process_events process_events = {on_bytes, on_done};

static struct channel *local_exec(struct session *base, const char *command,
                                  const struct channel_input *input, const struct channel_events *events,
                                  void *event_context)
{
    struct local_session *session = (struct local_session *)base;
    struct local_channel *channel;
    char *argv[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, (char *)command, NULL};

    if (session->channels >= CHANNELS_PER_SESSION || session->error != 0)
        return NULL;
    channel = mem_alloc(sizeof *channel);
    channel->base = (struct channel){events, event_context};
    channel->session = session;
    channel->process = process_start(session->loop, argv, input, &process_events, channel, &session->error);
    if (channel->process == NULL) {
        free(channel);
        uv_timer_start(&session->wake, on_wake, 0, 0);
        return NULL;
    }
    session->channels++;
    return &channel->base;
}

static void local_drop(struct session *base, struct channel *channel_base)
{
    struct local_channel *channel = (struct local_channel *)channel_base;

    (void)base;
    /* The guard's shell, not the supervisor: that one leads its own session. */
    process_drop(channel->process, SIGKILL);
    release(channel);
}

static void local_close(struct session *base)
{
    struct local_session *session = (struct local_session *)base;

    uv_close((uv_handle_t *)&session->wake, on_closed);
}

const struct transport_class transport_local = {"local",    6,          local_connect,
                                                local_exec, local_drop, local_close};
