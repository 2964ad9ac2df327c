/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/model/document.h"

void document_add(struct arena *arena, struct documents *documents, const char *kind, const char *name,
                  struct slice bytes)
{
    struct document *document = list_push(arena, documents);

    document->kind = kind;
    document->name = name;
    document->bytes = bytes;
    sha256_hex(bytes.bytes, bytes.length, document->sha256);
}
