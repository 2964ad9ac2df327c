/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of a run, a judgement or an acceptance: a row each, by whose number they are found. */
#include "store_private.h"

int write_documents(struct store *store, enum statement insert, int64_t owner,
                    const struct documents *documents, size_t first, struct error *err)
{
    for (size_t i = first; i < documents->count; i++) {
        const struct document *document = &documents->items[i];
        int64_t content;

        if (content_put(store, document->bytes, document->sha256, &content, err) < 0)
            return error_wrap(err, "document %s", document->name);
        if (store_exec(store, insert, err, INTEGER(owner), INTEGER(i), TEXT(document->kind),
                       TEXT(document->name), INTEGER(content)) < 0)
            return -1;
    }
    return 0;
}

int load_documents(struct store *store, struct arena *arena, enum statement select, int64_t owner,
                   struct documents *documents, struct error *err)
{
    struct rows rows;
    int got;

    if (rows_open(store, &rows, select, arena, NULL, err, INTEGER(owner)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        struct document *document = list_push(arena, documents);
        const char *what;

        document->kind = take_text(&rows);
        document->name = take_text(&rows);
        what = arena_printf(arena, "document %s", document->name);
        if (content_get(store, arena, take_integer(&rows), what, &document->bytes, document->sha256, err) <
            0) {
            rows_close(&rows);
            return -1;
        }
    }
    return got;
}
