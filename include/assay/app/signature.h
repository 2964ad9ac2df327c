/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signatures by OpenSSH, whose keys both sides have: `ssh-keygen -Y sign -n assay-report` over the manifest, one
 * file a signature: MANIFEST.1.sig, MANIFEST.2.sig ...
 */
#ifndef ASSAY_APP_SIGNATURE_H
#define ASSAY_APP_SIGNATURE_H

#include <stdbool.h>

#include "assay/base/arena.h"
#include "assay/base/error.h"
#include "assay/base/scan.h"

enum signature_state {
    SIGNATURE_GOOD,    /* by a key of the allowed signers */
    SIGNATURE_UNKNOWN, /* good, by a key that nobody vouches for */
    SIGNATURE_BAD,
};

struct signature {
    const char *path;
    enum signature_state state;
    const char *key;    /* "ED25519 key SHA256:..."; "" when it is bad */
    const char *signer; /* as the allowed signers call it; "" */
    const char *why;    /* "" or what ssh-keygen says against it */
};
struct signatures {
    LIST_OF(struct signature) list;
};

/* The manifest's bytes as they were read, which ssh-keygen is given: never its name, under which others could lie by then. */
struct signed_manifest {
    const char *path; /* its signatures lie beside it */
    struct slice bytes;
};

/* All that lie beside the manifest. allowed: an allowed signers file as ssh-keygen(1) describes it, or NULL. -1 only for our
   own failures, and for more than MOST_SIGNATURES. */
enum { MOST_SIGNATURES = 100 };
int signatures_check(struct arena *arena, const struct signed_manifest *manifest, const char *allowed,
                     struct signatures *ret_signatures, struct error *err)
    __attribute__((warn_unused_result));
/* Adds one by key (a private key, or a public one whose private one the agent has), *ret_path says where; NULL
   when this key has signed already. */
int signature_add(struct arena *arena, const struct signed_manifest *manifest, const char *key,
                  const char **ret_path, struct error *err) __attribute__((warn_unused_result));

#endif
