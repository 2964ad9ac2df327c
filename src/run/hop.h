/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jump hosts. One connection to a jump host, made when it is first needed and kept until the pool ends, carries all
 * sessions to the hosts behind it; of several hops each goes through the one before.
 *
 * The connection is that of the ssh program (transport_openssh.c: a master with a control socket) also where the hosts
 * behind it are reached by libssh2, for two reasons. libssh2 opens one channel of a session at a time, and cannot let
 * go of it: a host that is down would hold up all others for as long as the jump host tries to reach it. And a login on
 * a jump host wants what the user's own configuration says: agents, certificates, another ProxyCommand.
 *
 * Hosts whose jump_identity or jump_known_hosts differ share no connection.
 */
#ifndef ASSAY_RUN_HOP_H
#define ASSAY_RUN_HOP_H

#include <sys/queue.h>

#include "transport.h"

struct hop;

/* A session that waits for its way. Who embeds it fills in the first three. */
struct hop_waiter {
    void (*ready)(void *context);
    /* TRANSPORT_JUMP_FAILED; the reason names the jump host, and is good during the call. */
    void (*failed)(void *context, const struct reason *why);
    void *context;
    struct hop *hop; /* NULL: none is on its way */
    bool waiting;
    TAILQ_ENTRY(hop_waiter) link;
};

/* Whether there is a jump host on the way: jump=none says that there is none, whatever the ssh configuration says. */
bool hop_needed(const struct remote_target *target);
/* The way that target->jump says. One of the callbacks comes from the loop, unless hop_leave is called before. */
void hop_wait(struct transport_context *context, const struct remote_target *target,
              struct hop_waiter *waiter);
/* Also for one that has its answer, or never waited. */
void hop_leave(struct hop_waiter *waiter);

/* The command of a program that brings the bytes of a connection from the last jump host to HOST:PORT, by the shared
 * connection: its arguments, as many as HOP_RELAY_WORDS and NULL. free() each. "%h" and "%p" work in a ProxyCommand. */
enum { HOP_RELAY_WORDS = 10 };
void hop_relay_words(const struct hop *hop, const char *host, const char *port,
                     char *ret_words[HOP_RELAY_WORDS + 1]);
/* What ssh says on stderr when it could not; the reason is in the words of the shared connection, which may come that
 * much later. */
#define HOP_RELAY_FAILED "tdio forwarding request failed"
enum { HOP_EXPLAINS_MS = 50 };
/* Why the relay ended that was started at loop time `since`: what the jump host has said; in the arena. */
enum transport_failure hop_explain(const struct hop *hop, const char *host, unsigned port, uint64_t since,
                                   struct arena *arena, const struct reason **ret_why);

/* Ends all connections. No session is left. */
void hops_release(struct transport_context *context);

#endif
