/* SPDX-License-Identifier: Apache-2.0 */
/* Private keys, read once for all sessions, and whether libssh2 can use them. */
#ifndef ASSAY_RUN_IDENTITY_H
#define ASSAY_RUN_IDENTITY_H

#include <openssl/evp.h>
#include <stdbool.h>
#include <stddef.h>

#include "assay/model/reason.h"

struct identity {
    struct identity *next;
    char *path;
    char *bytes; /* NULL when it could not be read */
    size_t length;
    /* "TYPE BASE64", where the file has it in clear; NULL: libssh2 derives it anew at each login, which was a third of the
       controller's work for a light command. */
    char *public;
    /* An ed25519 key of OpenSSH's format, read; else NULL, and libssh2 reads the bytes anew at each login, which was a third
       of the work that was left. `blob` is its public half as the protocol sends it. */
    EVP_PKEY *signer;
    char *blob;
    size_t blob_length;
    const struct reason *fault; /* why libssh2 cannot use it, in the arena; NULL when it can */
    struct arena *arena;
};

/*
 * The key at path ("~/" is the home folder), or for NULL the first of ~/.ssh/id_ed25519 and id_ecdsa that is
 * there. Added to *list, which owns it. NULL only when path is NULL and there is none.
 */
const struct identity *identity_get(struct identity **list, const char *path);
/* Signs by the identity's signer, which is not NULL; false when OpenSSL gives no signature. */
enum { IDENTITY_SIGNATURE = 64 };
bool identity_sign(const struct identity *identity, const unsigned char *data, size_t length,
                   unsigned char signature[IDENTITY_SIGNATURE]);
/* What is wrong here, for a host that takes none of our keys: "the key cannot be read: ...", "no agent answers at
   SSH_AUTH_SOCK=..."; NULL when nothing is. In the arena. */
const struct reason *identity_trouble(struct identity **list, const char *path, struct arena *arena);
void identities_release(struct identity *list);

/* "~/x" as a path; free() it. */
char *home_path(const char *path);

#endif
