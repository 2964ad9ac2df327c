/* SPDX-License-Identifier: Apache-2.0 */
/* What the accepting thread and the sessions share. */
#ifndef ASSAY_LAB_SERVER_PRIVATE_H
#define ASSAY_LAB_SERVER_PRIVATE_H

#include <libssh/libssh.h>
#include <pthread.h>
#include <sys/types.h>

#include "lab_private.h"

struct server;
struct session;

struct server_host {
    struct server *server;
    unsigned number;
    int fd;      /* listening, or -1 */
    bool silent; /* takes connections (the kernel does) and never answers */
    bool key_refused;
    double back_at;     /* monotonic seconds when a rebooting host listens again; 0: not rebooting */
    char **environment; /* for its commands; SSH_CONNECTION is not in it */
    char *home;
};

struct server {
    const struct lab *lab;
    const struct lab_share *share;
    struct server_host *hosts; /* of the share */
    ssh_key user_key;
    int logins;           /* where each login is noted, or -1 */
    pthread_mutex_t lock; /* guards what follows */
    struct session *sessions;
    unsigned session_count;
    struct {
        pid_t *items;
        size_t count, capacity;
    } orphans; /* children whose session has ended; the accepting thread reaps them */
};

/* Serves one connection on a thread of its own; takes over ssh, which has been accepted. */
void session_start(struct server_host *host, ssh_session ssh);
/* Cuts every connection of the host. */
void sessions_cut(struct server *server, unsigned host);

#endif
