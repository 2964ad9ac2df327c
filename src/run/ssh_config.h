/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the user's ssh configuration says of a host: the answer of `ssh -G`, which knows Include, Match and patterns. That
 * costs a process a host, so it is asked once for all hosts where nothing in the files depends on the host, and not at
 * all where they say nothing; else of each host, two at a time. What was asked is known until the pool ends.
 */
#ifndef ASSAY_RUN_SSH_CONFIG_H
#define ASSAY_RUN_SSH_CONFIG_H

#include <stdbool.h>
#include <sys/queue.h>

#include "transport.h"

/* NULL or 0: the configuration leaves it as it is. */
struct ssh_config {
    const char *address; /* HostName */
    const char *user, *identity, *known_hosts;
    const char *jump; /* ProxyJump */
    unsigned port;
    const struct reason
        *beyond; /* what it says that libssh2 cannot do: "the ssh configuration sets ProxyCommand" */
};

struct ssh_question;

/* Who embeds it fills in the first two. */
struct ssh_config_waiter {
    void (*known)(void *context, const struct ssh_config *config); /* NULL: there is none for this host */
    void *context;
    bool waiting;
    struct ssh_question *question;
    TAILQ_ENTRY(ssh_config_waiter) link;
};

/* The target's address and, where it has them, user and port. True with *ret_config when that is known now; else the
 * callback comes from the loop, unless ssh_config_leave is called before. A config lives as long as the pool. */
bool ssh_config_ask(struct transport_context *context, const struct remote_target *target,
                    struct ssh_config_waiter *waiter, const struct ssh_config **ret_config);
/* Also for one that has its answer, or never asked. */
void ssh_config_leave(struct ssh_config_waiter *waiter);
/* No waiter is left. */
void ssh_configs_release(struct transport_context *context);

#endif
