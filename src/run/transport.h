/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What remote.c needs of a way to a host: a session that is made once and breaks once, and channels in it
 * that bring bytes and close once.
 *
 * A session reports `ready` when it is logged in, and again whenever a channel's place has become free; then
 * at most one `closed`. A channel reports bytes and then at most one `done`, after which its pointer is dead;
 * when its session is closed it reports nothing more. Callbacks come from the loop only. Whoever is done with
 * a session, `closed` or not, drops the channels that were not done and calls close; both take effect at once
 * (no callback after them), the memory goes in the loop's close callbacks. Reasons are good during the call.
 */
#ifndef ASSAY_RUN_TRANSPORT_H
#define ASSAY_RUN_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

#include "assay/run/remote.h"
#include "login.h"

struct hop;
struct identity;
struct known_hosts;
struct questions;
struct ssh_configs;

/* What sessions of one pool share. */
struct transport_context {
    uv_loop_t *loop;
    struct remote_options options;   /* defaults filled in */
    struct identity *identities;     /* loaded once each */
    struct known_hosts *known_hosts; /* each file read when first needed */
    struct hop *hops;                /* the connections to jump hosts */
    struct ssh_configs *configs;     /* what the user's ssh configuration says of hosts */
    char *control_folder;            /* of spawned ssh masters; made when first needed */
    unsigned control_count;
    struct login_tries hosts, jumps; /* of the login passwords */
    struct questions *questions;     /* to the person at the terminal; NULL: there was none */
};

enum transport_failure {
    TRANSPORT_UNREACHABLE,
    TRANSPORT_AUTH_REFUSED,
    TRANSPORT_HOST_KEY_UNKNOWN,
    TRANSPORT_HOST_KEY_CHANGED,
    TRANSPORT_JUMP_FAILED, /* not the host but the way to it, which the reason names */
    TRANSPORT_JOB_OVER,    /* Slurm's job is, so no other session can be made */
    TRANSPORT_INCAPABLE,   /* this transport cannot serve the host, another may */
};

struct session_events {
    void (*ready)(void *context);
    void (*closed)(void *context, enum transport_failure failure, const struct reason *why);
};

enum channel_end {
    CHANNEL_CLOSED,  /* the far side ended */
    CHANNEL_REFUSED, /* the host gives no (further) channel */
};

struct channel_events {
    void (*bytes)(void *context, int stream, const char *bytes, size_t length); /* 0 stdout, 1 stderr */
    void (*done)(void *context, enum channel_end end, const struct reason *why);
};

/* What a command reads: a secret, out of its own memory alone, and the rest behind it. */
struct channel_input {
    const struct secret *secret; /* NULL: none; outlives the loop */
    const void *bytes;
    size_t length;
};

/* Each transport has its own structs that begin with these. */
struct session {
    const struct transport_class *class;
    const struct session_events *events;
    void *context;
};

struct channel {
    const struct channel_events *events;
    void *context;
};

struct transport_class {
    const char *name;
    unsigned descriptors; /* of a session at work, about */
    /* Never fails: what goes wrong comes as `closed`. target and context outlive the session. */
    struct session *(*connect)(struct transport_context *context, const struct remote_target *target,
                               const struct session_events *events, void *event_context);
    /* NULL when there is no free place. The bytes of input must live until done or drop (ssh keeps a copy). */
    struct channel *(*exec)(struct session *session, const char *command, const struct channel_input *input,
                            const struct channel_events *events, void *event_context);
    void (*drop)(struct session *session, struct channel *channel);
    void (*close)(struct session *session);
};

enum { CHANNELS_PER_SESSION = 4 };

extern const struct transport_class transport_ssh;
extern const struct transport_class transport_openssh;
extern const struct transport_class transport_local;
extern const struct transport_class transport_slurm;

/* Why libssh2 cannot serve this target (a key it cannot use), or NULL. As good as the pool. */
const struct reason *transport_ssh_fault(struct transport_context *context,
                                         const struct remote_target *target);
const char *transport_ssh_version(void);

/* A session to a jump host: serves no channels, but hop.c what goes through its control socket. What ssh says when it is
 * ready comes line by line. *password_wrong is set once the jump host has not taken the password, and outlives the
 * session: while it is set it is not tried. */
struct session *openssh_connect_hop(struct transport_context *context, const struct remote_target *target,
                                    const struct session_events *events,
                                    void (*said)(void *context, struct slice line), bool *password_wrong,
                                    void *event_context);
const char *openssh_socket(const struct session *session);
void openssh_close(struct session *session);
/* What this line of ssh's says. That a host refuses to be connected to is told apart, as its remedy is another. */
const struct reason *openssh_says(struct arena *arena, struct slice line);
/* Removes the folder of the spawned masters' sockets. */
void openssh_control_remove(struct transport_context *context);

#endif
