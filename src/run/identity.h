/* SPDX-License-Identifier: Apache-2.0 */
/* Private keys, read once for all sessions, and whether libssh2 can use them. */
#ifndef ASSAY_RUN_IDENTITY_H
#define ASSAY_RUN_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>

struct identity {
    struct identity *next;
    char *path;
    char *bytes; /* NULL when it could not be read */
    size_t length;
    /* "TYPE BASE64", where the file has it in clear; NULL: libssh2 derives it anew at each login, which was a third of the
       controller's work for a light command. */
    char *public;
    char *fault; /* why libssh2 cannot use it; NULL when it can */
};

/*
 * The key at path ("~/" is the home folder), or for NULL the first of ~/.ssh/id_ed25519 and id_ecdsa that is
 * there. Added to *list, which owns it. NULL only when path is NULL and there is none.
 */
const struct identity *identity_get(struct identity **list, const char *path);
/* What is wrong here, for a host that takes none of our keys: "; the key cannot be read: ...", "; no agent answers at
   SSH_AUTH_SOCK=..."; "" when nothing is. free() it. */
char *identity_trouble(struct identity **list, const char *path);
void identities_release(struct identity *list);

/* "~/x" as a path; free() it. */
char *home_path(const char *path);

#endif
