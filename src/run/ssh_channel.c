/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The channels of one libssh2 session. Each is taken through open, exec, run, close and free by steps that
 * never block; what they share of the session's state is `opening` and `sender` (see transport_ssh.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/arena.h"
#include "assay/reasons/run.h"
#include "ssh_private.h"

enum { WINDOW_BYTES = 128 * 1024, PACKET_BYTES = 32768, CHUNK = 65536 };

void ssh_channel_release(struct ssh_channel *channel)
{
    free(channel->command);
    free((char *)channel->parts[1].bytes);
    free(channel);
}

static void channel_enter(struct ssh_session *session, struct ssh_channel *channel, enum channel_state state)
{
    channel->state = state;
    channel->due = state == CHANNEL_RUN || state == CHANNEL_LINGER
                       ? 0
                       : uv_now(session->context->loop) + session->context->options.connect_timeout_ms;
}

uint64_t ssh_channels_due(const struct ssh_session *session)
{
    const struct ssh_channel *channel;
    uint64_t due = 0;

    TAILQ_FOREACH(channel, &session->channels, link)
    if (channel->due != 0 && (due == 0 || channel->due < due))
        due = channel->due;
    return due;
}

/* After a call said EAGAIN: whether it left a packet half sent, which only that call may finish. */
static enum step blocked(struct ssh_session *session, struct ssh_channel *channel)
{
    if (libssh2_session_block_directions(session->ssh) & LIBSSH2_SESSION_BLOCK_OUTBOUND)
        session->sender = channel;
    return STEP_BLOCKED;
}

static enum step session_broke(struct ssh_session *session)
{
    return ssh_fail(session, TRANSPORT_UNREACHABLE,
                    reason(session->arena, connection_broke, ssh_error(session)));
}

static void say_done(struct ssh_channel *channel, enum channel_end end, const struct reason *why)
{
    if (channel->mute)
        return;
    channel->mute = true;
    channel->base.events->done(channel->base.context, end, why);
}

static enum step channel_refused(struct ssh_session *session, struct ssh_channel *channel)
{
    const struct reason *why = reason(session->arena, channel_refused, ssh_error(session));

    session->opening = NULL;
    channel_enter(session, channel, channel->handle != NULL ? CHANNEL_CLOSE : CHANNEL_FREE);
    say_done(channel, CHANNEL_REFUSED, why);
    return STEP_MOVED;
}

static enum step step_channel_open(struct ssh_session *session, struct ssh_channel *channel)
{
    int error;

    if (session->opening != NULL && session->opening != channel)
        return STEP_BLOCKED;
    if (channel->mute && session->opening == NULL) { /* dropped before it began */
        channel_enter(session, channel, CHANNEL_FREE);
        return STEP_MOVED;
    }
    if (session->opening == NULL)
        channel_enter(session, channel, CHANNEL_OPEN); /* its time runs from now */
    session->opening = channel;
    channel->handle =
        libssh2_channel_open_ex(session->ssh, "session", 7, WINDOW_BYTES, PACKET_BYTES, NULL, 0);
    if (channel->handle != NULL) {
        channel_enter(session, channel, CHANNEL_EXEC);
        return STEP_MOVED;
    }
    error = libssh2_session_last_errno(session->ssh);
    if (error == LIBSSH2_ERROR_EAGAIN)
        return blocked(session, channel);
    return error == LIBSSH2_ERROR_CHANNEL_FAILURE ? channel_refused(session, channel)
                                                  : session_broke(session);
}

static enum step step_channel_exec(struct ssh_session *session, struct ssh_channel *channel)
{
    int rc = libssh2_channel_process_startup(channel->handle, "exec", 4, channel->command,
                                             (unsigned)strlen(channel->command));

    if (rc == LIBSSH2_ERROR_EAGAIN)
        return blocked(session, channel);
    if (rc == LIBSSH2_ERROR_CHANNEL_REQUEST_DENIED || rc == LIBSSH2_ERROR_CHANNEL_FAILURE)
        return channel_refused(session, channel);
    if (rc != 0)
        return session_broke(session);
    session->opening = NULL;
    channel_enter(session, channel, channel->mute ? CHANNEL_CLOSE : CHANNEL_RUN);
    return STEP_MOVED;
}

/* What of the input is to be sent now: empty at its end. */
static struct slice next_input(struct ssh_channel *channel)
{
    while (channel->part < 2 && channel->written == channel->parts[channel->part].length) {
        channel->part++;
        channel->written = 0;
    }
    return channel->part < 2 ? slice_from(channel->parts[channel->part], channel->written)
                             : (struct slice){"", 0};
}

/* The far side may close before it has read all; its answer tells, not this. A part is a packet of its own: libssh2 copies
   that into the place where it is encrypted, and nowhere else. */
static enum step step_channel_write(struct ssh_session *session, struct ssh_channel *channel)
{
    struct slice input = next_input(channel);
    ssize_t rc;

    if (channel->eof_sent)
        return STEP_BLOCKED;
    if (input.length > 0)
        rc = libssh2_channel_write(channel->handle, input.bytes, input.length);
    else
        rc = libssh2_channel_send_eof(channel->handle);
    if (rc == LIBSSH2_ERROR_EAGAIN)
        return blocked(session, channel);
    if (rc < 0 && (rc == LIBSSH2_ERROR_SOCKET_SEND || rc == LIBSSH2_ERROR_SOCKET_DISCONNECT ||
                   rc == LIBSSH2_ERROR_SOCKET_RECV))
        return session_broke(session);
    if (rc < 0 || input.length == 0)
        channel->eof_sent = true;
    else
        channel->written += (size_t)rc;
    return STEP_MOVED;
}

static enum step step_channel_read(struct ssh_session *session, struct ssh_channel *channel, int stream)
{
    char chunk[CHUNK];
    ssize_t rc = libssh2_channel_read_ex(channel->handle, stream, chunk, sizeof chunk);

    if (rc == LIBSSH2_ERROR_EAGAIN)
        return blocked(session, channel);
    if (rc < 0)
        return session_broke(session);
    if (rc == 0)
        return STEP_BLOCKED;
    if (!channel->mute)
        channel->base.events->bytes(channel->base.context, stream, chunk, (size_t)rc);
    return STEP_MOVED;
}

/* A part that is the sender is finished before any other part may send. */
static enum step step_channel_run(struct ssh_session *session, struct ssh_channel *channel)
{
    enum step moved = STEP_BLOCKED, part;

    for (; channel->stuck < 3; channel->stuck++) {
        part = channel->stuck == 0 ? step_channel_write(session, channel)
                                   : step_channel_read(session, channel, channel->stuck - 1);
        if (part == STEP_MOVED)
            moved = STEP_MOVED;
        if (session->state != SSH_READY || session->sender != NULL)
            return moved;
    }
    channel->stuck = 0;
    if (moved == STEP_BLOCKED && !channel->mute && libssh2_channel_eof(channel->handle)) {
        channel_enter(session, channel, CHANNEL_CLOSE);
        say_done(channel, CHANNEL_CLOSED, REASON(channel_closed));
        return STEP_MOVED;
    }
    return moved;
}

static void give_place_back(struct ssh_session *session, struct ssh_channel *channel)
{
    if (channel->placed)
        session->channel_count--;
    channel->placed = false;
}

static enum step step_channel_close(struct ssh_session *session, struct ssh_channel *channel)
{
    int rc = libssh2_channel_close(channel->handle);

    if (rc == LIBSSH2_ERROR_EAGAIN)
        return blocked(session, channel);
    if (rc == LIBSSH2_ERROR_SOCKET_SEND || rc == LIBSSH2_ERROR_SOCKET_DISCONNECT ||
        rc == LIBSSH2_ERROR_SOCKET_RECV)
        return session_broke(session);
    if (rc != 0) {
        channel_enter(session, channel, CHANNEL_FREE);
        return STEP_MOVED;
    }
    channel_enter(session, channel, CHANNEL_LINGER);
    give_place_back(session, channel);
    session->base.events->ready(session->base.context);
    return STEP_MOVED;
}

/*
 * libssh2_channel_close waits for any packet, not for the host's own close. What comes later would find no channel that
 * reads it, and end the session as if the host had broken it off. A host may keep the channel for as long as its
 * command runs: it holds up nobody.
 */
static enum step step_channel_linger(struct ssh_session *session, struct ssh_channel *channel)
{
    int rc = libssh2_channel_wait_eof(channel->handle);

    if (rc == 0)
        rc = libssh2_channel_wait_closed(channel->handle);
    if (rc == LIBSSH2_ERROR_EAGAIN)
        return blocked(session, channel);
    if (rc != 0)
        return session_broke(session);
    channel_enter(session, channel, CHANNEL_FREE);
    return STEP_MOVED;
}

/* The channel is gone after STEP_MOVED. */
static enum step step_channel_free(struct ssh_session *session, struct ssh_channel *channel)
{
    if (channel->handle != NULL && libssh2_channel_free(channel->handle) == LIBSSH2_ERROR_EAGAIN)
        return blocked(session, channel);
    TAILQ_REMOVE(&session->channels, channel, link);
    give_place_back(session, channel);
    if (session->opening == channel)
        session->opening = NULL;
    ssh_channel_release(channel);
    session->base.events->ready(session->base.context);
    return STEP_MOVED;
}

static enum step step_channel(struct ssh_session *session, struct ssh_channel *channel)
{
    bool was_sender = session->sender == channel;

    session->sender = NULL;
    if (channel->mute && channel->state == CHANNEL_RUN && !was_sender)
        channel_enter(session, channel, CHANNEL_CLOSE);
    switch (channel->state) {
    case CHANNEL_OPEN:
        return step_channel_open(session, channel);
    case CHANNEL_EXEC:
        return step_channel_exec(session, channel);
    case CHANNEL_CLOSE:
        return step_channel_close(session, channel);
    case CHANNEL_LINGER:
        return step_channel_linger(session, channel);
    case CHANNEL_FREE:
        return step_channel_free(session, channel);
    case CHANNEL_RUN:
    default:
        return step_channel_run(session, channel);
    }
}

/* One step for each channel. The one with a half-sent packet goes first, and alone until that is out. */
enum step ssh_step_channels(struct ssh_session *session)
{
    struct ssh_channel *channel, *next;
    enum step moved = STEP_BLOCKED;

    if (session->sender != NULL) {
        if (step_channel(session, session->sender) == STEP_MOVED)
            return STEP_MOVED;
        if (session->sender != NULL)
            return STEP_BLOCKED;
    }
    for (channel = TAILQ_FIRST(&session->channels); channel != NULL; channel = next) {
        next = TAILQ_NEXT(channel, link);
        if (step_channel(session, channel) == STEP_MOVED)
            moved = STEP_MOVED;
        if (session->state != SSH_READY || session->sender != NULL)
            break;
    }
    return moved;
}

static void take_input(struct ssh_channel *channel, const struct channel_input *input)
{
    /* A copy, for a dropped channel may still have to finish a packet of it. */
    char *copy = mem_alloc(input->length);

    memcpy(copy, input->bytes, input->length);
    channel->parts[0] = input->secret != NULL ? slice_of(secret_text(input->secret)) : (struct slice){"", 0};
    channel->parts[1] = (struct slice){copy, input->length};
}

struct channel *ssh_exec(struct session *base, const char *command, const struct channel_input *input,
                         const struct channel_events *events, void *event_context)
{
    struct ssh_session *session = (struct ssh_session *)base;
    struct ssh_channel *channel;

    if (session->state != SSH_READY || session->channel_count >= CHANNELS_PER_SESSION)
        return NULL;
    channel = mem_alloc(sizeof *channel);
    channel->base = (struct channel){events, event_context};
    channel->command = mem_strdup(command);
    take_input(channel, input);
    channel_enter(session, channel, CHANNEL_OPEN);
    TAILQ_INSERT_TAIL(&session->channels, channel, link);
    channel->placed = true;
    session->channel_count++;
    ssh_wake(session);
    return &channel->base;
}

void ssh_drop(struct session *base, struct channel *channel_base)
{
    struct ssh_session *session = (struct ssh_session *)base;
    struct ssh_channel *channel = (struct ssh_channel *)channel_base;

    channel->mute = true;
    if (session->state == SSH_READY)
        ssh_wake(session);
}
