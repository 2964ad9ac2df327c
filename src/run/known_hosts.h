/* SPDX-License-Identifier: Apache-2.0 */
/* known_hosts files, read once for all sessions: plain, hashed and [host]:port names; @revoked is heeded. */
#ifndef ASSAY_RUN_KNOWN_HOSTS_H
#define ASSAY_RUN_KNOWN_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/text.h"

struct known_hosts;

/*
 * The one of this path in the list, read when it is first asked for. path NULL: ~/.ssh/known_hosts and
 * /etc/ssh/ssh_known_hosts. A file that is not there is an empty one. It lives as long as the list, which
 * begins as NULL and is freed whole.
 */
struct known_hosts *known_hosts_get(struct known_hosts **list, const char *path);
void known_hosts_release(struct known_hosts *list); /* NULL is fine */

enum known_host {
    KNOWN_HOST_MATCH,
    KNOWN_HOST_UNKNOWN,
    KNOWN_HOST_CHANGED,
    KNOWN_HOST_REVOKED,
    KNOWN_HOST_BEYOND, /* only an RSA key or a certificate authority could vouch: libssh2 knows neither */
};

/* type is the key's name on the wire ("ssh-ed25519"), key its blob. */
enum known_host known_hosts_check(struct known_hosts *known, const char *host, unsigned port,
                                  const char *type, const void *key, size_t length);

/*
 * The host key algorithms to ask for, comma-separated: those that known_hosts has for this host first, so
 * that a host known by one key does not show another.
 */
void known_hosts_order(struct known_hosts *known, const char *host, unsigned port, struct text *out);

/* Remembers the key and appends it to the (first) file. False when that could not be written. */
bool known_hosts_add(struct known_hosts *known, const char *host, unsigned port, const char *type,
                     const void *key, size_t length);

#endif
