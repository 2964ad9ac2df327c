/* SPDX-License-Identifier: Apache-2.0 */
/*
 * known_hosts files, read once for all sessions, as OpenSSH's client reads them (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT):
 * names in whatever letters, lists of them, patterns with '*' and '?', negations, [host]:port, hashed names, @revoked and
 * @cert-authority.
 *
 * A key that differs from one that any line has for the host is a changed one, and of another type than all of them too:
 * that may not be added. Where we differ from OpenSSH we refuse more:
 * - a key that is @revoked for one host is refused on all;
 * - a line of the host that cannot be read is no reason to take a new key: OpenSSH passes it over. So is a whole file. And
 *   of a @revoked line that cannot be read nobody knows whose key it revokes: then the hosts that it names have none;
 * - a new key that cannot be written down is not taken;
 * - a last line without its newline is ended before ours is added: OpenSSH spoils both.
 */
#ifndef ASSAY_RUN_KNOWN_HOSTS_H
#define ASSAY_RUN_KNOWN_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "assay/base/text.h"

struct known_hosts;

/*
 * The one of this path in the list, read when it is first asked for; with the system's files (/etc/ssh/ssh_known_hosts and
 * ssh_known_hosts2) besides when `system` says so. path NULL: ~/.ssh/known_hosts, known_hosts2 and the system's. A file
 * that is not there is an empty one. It lives as long as the list, which begins as NULL and is freed whole.
 */
struct known_hosts *known_hosts_get(struct known_hosts **list, const char *path, bool system);
void known_hosts_release(struct known_hosts *list); /* NULL is fine */

enum known_host {
    KNOWN_HOST_MATCH,
    KNOWN_HOST_UNKNOWN, /* the only one that may be added */
    KNOWN_HOST_CHANGED,
    KNOWN_HOST_REVOKED,
    KNOWN_HOST_BEYOND, /* only a key of another type (RSA) or a certificate could vouch: libssh2 asks for neither */
    KNOWN_HOST_UNREADABLE /* a line that names it, or a whole file, cannot be read */
};

/* Where the answer stands. path NULL: nowhere; number 0: the whole file. */
struct known_host_line {
    const char *path;
    unsigned number;
};

/* type is the key's name on the wire ("ssh-ed25519"), key its blob. */
enum known_host known_hosts_check(struct known_hosts *known, const char *host, unsigned port,
                                  const char *type, const void *key, size_t length,
                                  struct known_host_line *ret_line);

/*
 * The host key algorithms to ask for, comma-separated: those that known_hosts has for this host first, so
 * that a host known by one key does not show another.
 */
void known_hosts_order(struct known_hosts *known, const char *host, unsigned port, struct text *out);

/* Remembers the key and appends it to the (first) file. False when that could not be written. */
bool known_hosts_add(struct known_hosts *known, const char *host, unsigned port, const char *type,
                     const void *key, size_t length);

/* What lines call it: "host", "[host]:2222". free() it. */
char *known_hosts_name(const char *host, unsigned port);

#endif
