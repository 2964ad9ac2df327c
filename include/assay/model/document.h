/* SPDX-License-Identifier: Apache-2.0 */
/* Documents that a run was made from, was judged by, or that an acceptance rests on, kept byte for byte. */
#ifndef ASSAY_DOCUMENT_H
#define ASSAY_DOCUMENT_H

#include "assay/base/arena.h"
#include "assay/base/scan.h"
#include "assay/base/sha256.h"

/* Kind of a document that says, by its name, what another hostfile changed that the run took when it was resumed; that
   hostfile stands before it. The last hostfile is the one that counts. */
#define CHANGE_DOCUMENT "change"

/* Kind of a document that says, in a line, how many hosts may be at work at a time; the last one is the one that counts. */
#define TURNS_DOCUMENT "turns"

/* Kind of a document of lines KEY=VALUE (title, customer, site): what people call the cluster, whose it is, where it is. */
#define NAMES_DOCUMENT "names"

struct document {
    const char *
        kind; /* "suite", "hostfile", "platform", "baseline", "advisories", "contract", "tools", "argv", "change", "names" */
    const char *name; /* path or built-in name as given */
    char sha256[SHA256_HEX_SIZE];
    struct slice bytes;
};

/* A list, for list_push. */
struct documents {
    struct document *items;
    size_t count, capacity;
};

/* Another one, with its hash. Its words and bytes stay the caller's. */
void document_add(struct arena *arena, struct documents *documents, const char *kind, const char *name,
                  struct slice bytes);
/* The first of that kind; NULL where there is none. */
const struct document *document_find(const struct documents *documents, const char *kind);

#endif
