/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/document.h"

#include <string.h>

void document_add(struct arena *arena, struct documents *documents, const char *kind, const char *name,
                  struct slice bytes)
{
    struct document *document = list_push(arena, documents);

    document->kind = kind;
    document->name = name;
    document->bytes = bytes;
    sha256_hex(bytes.bytes, bytes.length, document->sha256);
}

const struct document *document_find(const struct documents *documents, const char *kind)
{
    for (size_t i = 0; i < documents->count; i++)
        if (strcmp(documents->items[i].kind, kind) == 0)
            return &documents->items[i];
    return NULL;
}
