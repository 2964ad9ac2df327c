/* SPDX-License-Identifier: Apache-2.0 */
/* Which hardware was seen where: written with the readings that tell it, found again by its identity. */
#include "assay/model/sighting.h"

#include "store_private.h"

static int item_id(struct store *store, const struct sighting *sighting, int64_t *ret_id, struct error *err)
{
    int found = store_ask(store, FIND_ITEM, ret_id, err, ENUM(vocabulary_item, sighting->kind),
                          TEXT(sighting->identity));

    if (found != 0)
        return found < 0 ? -1 : 0;
    if (store_exec(store, INSERT_ITEM, err, ENUM(vocabulary_item, sighting->kind), TEXT(sighting->identity)) <
        0)
        return -1;
    *ret_id = sqlite3_last_insert_rowid(store->db);
    return 0;
}

static int write_all(struct store *store, const struct sightings *sightings, int64_t attempt,
                     struct error *err)
{
    for (size_t i = 0; i < sightings->items.count; i++) {
        const struct sighting *sighting = &sightings->items.items[i];
        int64_t item;

        if (item_id(store, sighting, &item, err) < 0 ||
            store_exec(store, INSERT_SIGHTING, err, INTEGER(attempt), INTEGER(sighting->host),
                       WORD(sighting->position), INTEGER(item),
                       WORD(*sighting->serial != '\0' ? sighting->serial : NULL)) < 0)
            return -1;
    }
    return 0;
}

int write_sightings(struct store *store, const struct record *record, const struct attempt *attempt,
                    int64_t id, struct error *err)
{
    struct arena *arena = arena_create();
    struct sightings sightings;
    int result;

    sightings_of_attempt(arena, record->plan, attempt, &sightings);
    result = store_exec(store, DELETE_SIGHTINGS, err, INTEGER(id));
    if (result == 0)
        result = write_all(store, &sightings, id, err);
    arena_destroy(arena);
    return result;
}

static int load_items(struct store *store, struct arena *arena, long long number,
                      struct item_sightings *sightings, struct error *err)
{
    struct rows rows;
    int got;

    if (rows_open(store, &rows, SELECT_SIGHTINGS, arena, names_create(store, arena), err, INTEGER(number)) <
        0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        struct item_sighting *sighting = list_push(arena, &sightings->items);

        sighting->run = take_integer(&rows);
        sighting->host = take_text(&rows);
        sighting->position = take_word(&rows);
        sighting->kind = (enum item_kind)take_enum(&rows, &vocabulary_item);
        sighting->identity = take_text(&rows);
        sighting->serial = take_optional_word(&rows);
        sighting->attempt = take_text(&rows);
        sighting->at = take_real(&rows);
    }
    return got;
}

int store_run_items(struct store *store, struct arena *arena, long long number,
                    struct item_sightings *ret_sightings, struct error *err)
{
    *ret_sightings = (struct item_sightings){0};
    if (store_begin_read(store, err) < 0)
        return -1;
    return store_finish(store, load_items(store, arena, number, ret_sightings, err), err);
}
