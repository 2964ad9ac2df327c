/* SPDX-License-Identifier: Apache-2.0 */
/* What transport_ssh.c (the session) and ssh_channel.c (the channels in it) share, and nobody else. */
#ifndef ASSAY_RUN_SSH_PRIVATE_H
#define ASSAY_RUN_SSH_PRIVATE_H

#include <libssh2.h>
#include <netdb.h>
#include <sys/queue.h>

#include "assay/base/text.h"
#include "hop.h"
#include "process.h"
#include "transport.h"

enum ssh_state {
    SSH_WAY,
    SSH_RESOLVE,
    SSH_CONNECT,
    SSH_HANDSHAKE,
    SSH_AUTH,
    SSH_READY,
    SSH_FAILED,
    SSH_CLOSED
};

enum step { STEP_MOVED, STEP_BLOCKED }; /* BLOCKED: nothing to do until the socket or a timer says so */

enum channel_state { CHANNEL_OPEN, CHANNEL_EXEC, CHANNEL_RUN, CHANNEL_CLOSE, CHANNEL_LINGER, CHANNEL_FREE };

struct ssh_channel {
    struct channel base;
    TAILQ_ENTRY(ssh_channel) link;
    LIBSSH2_CHANNEL *handle;
    enum channel_state state;
    char *command;
    struct slice parts[2]; /* of its input: a secret where that lies, and a copy of the rest */
    size_t part, written;  /* the one at work, and how much of it is out */
    bool eof_sent;
    bool placed;  /* is one of those that the session may have at a time */
    int stuck;    /* which part of CHANNEL_RUN is the session's sender: 0 write, 1 and 2 the reads */
    bool mute;    /* dropped, or done: no more callbacks */
    uint64_t due; /* loop time by which OPEN, EXEC, CLOSE and FREE must be over; 0: none */
};

struct ssh_session;

struct ssh_socket {
    uv_poll_t poll;
    int fd;
    struct ssh_session *session; /* NULL: given up, closes by itself */
};

struct ssh_session {
    struct session base;
    struct transport_context *context;
    const struct remote_target *target;
    struct arena *arena; /* of the reasons for its end */
    enum ssh_state state;
    uint64_t entered; /* on the loop's clock */
    uv_timer_t deadline, wake;
    uv_getaddrinfo_t resolve;
    struct addrinfo *addresses, *address;
    struct ssh_socket *socket;
    struct hop_waiter way; /* through jump hosts: then the socket is one end of a pair, */
    struct process *relay; /* and this has the other; NULL: it has ended */
    struct text relay_said;
    uint64_t relay_began; /* loop time */
    bool relay_broke;     /* its end will tell why */
    LIBSSH2_SESSION *ssh;
    TAILQ_HEAD(, ssh_channel) channels;
    unsigned channel_count;
    struct ssh_channel *opening, *sender;
    uint64_t received; /* bytes taken from the socket so far */
    unsigned handles;  /* close and resolve callbacks still owed */
    bool pumping, in_handshake;
    bool waiting; /* for another host to try the password: the socket is left alone */
    enum ssh_login { LOGIN_BY_KEY, LOGIN_ASKS, LOGIN_BY_PASSWORD, LOGIN_BY_QUESTIONS } login;
    const struct reason *key_refused; /* why the key did not do, for the end; NULL: it was not tried */
    unsigned questions;               /* without echo that the host has asked: the first one is answered */
};

/* transport_ssh.c */

/* The session is over: reports `closed`. Always STEP_BLOCKED. */
enum step ssh_fail(struct ssh_session *session, enum transport_failure failure, const struct reason *why);
/* libssh2's own words for what went wrong last; in the session's arena. */
const struct reason *ssh_error(struct ssh_session *session);
/* Has the session pumped in the next turn of the loop. */
void ssh_wake(struct ssh_session *session);

/* ssh_channel.c */

/* One step for each channel. */
enum step ssh_step_channels(struct ssh_session *session);
/* When the first of the channels must have moved on, in loop time; 0: none has to. */
uint64_t ssh_channels_due(const struct ssh_session *session);
void ssh_channel_release(struct ssh_channel *channel);
struct channel *ssh_exec(struct session *base, const char *command, const struct channel_input *input,
                         const struct channel_events *events, void *event_context);
void ssh_drop(struct session *base, struct channel *channel_base);

#endif
