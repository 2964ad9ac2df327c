/* SPDX-License-Identifier: Apache-2.0 */
/* Documents that a run was made from, was judged by, or that an acceptance rests on, kept byte for byte. */
#ifndef ASSAY_DOCUMENT_H
#define ASSAY_DOCUMENT_H

#include "assay/scan.h"
#include "assay/sha256.h"

struct document {
    const char *kind; /* "suite", "hostfile", "platform", "baseline", "contract", "tools", "argv" */
    const char *name; /* path or built-in name as given */
    char sha256[SHA256_HEX_SIZE];
    struct slice bytes;
};

/* A list, for list_push. */
struct documents {
    struct document *items;
    size_t count, capacity;
};

#endif
