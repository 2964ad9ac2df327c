/* SPDX-License-Identifier: Apache-2.0 */
/* Waivers and what takes them back: only ever added to. */
#include "store_private.h"

static int write_adoption(struct store *store, const char *waiver, const struct adoption *adoption,
                          struct error *err)
{
    return store_exec(store, INSERT_ADOPTION, err, TEXT(waiver), TEXT(adoption->who), TEXT(adoption->why),
                      REAL(adoption->made));
}

static int write_waiver(struct store *store, const struct record *record, const struct waiver *waiver,
                        struct error *err)
{
    if (store_exec(store, INSERT_WAIVER, err, TEXT(waiver->uuid), INTEGER(record->number),
                   TEXT(waiver->step_key), TEXT(waiver->attempt), TEXT(waiver->who), TEXT(waiver->why),
                   REAL(waiver->made), REAL(waiver->until)) < 0)
        return -1;
    for (size_t i = 0; i < waiver->items.count; i++) {
        const struct waived_item *item = &waiver->items.items[i];

        if (store_exec(store, INSERT_WAIVED_ITEM, err, TEXT(waiver->uuid), INTEGER(i), WORD(item->metric),
                       WORD(item->subject), WORD(item->at), TEXT(item->hardware)) < 0)
            return -1;
    }
    /* Made here, of another party's run: nobody else has to let it count. */
    return record->origin == NULL
               ? 0
               : write_adoption(store, waiver->uuid,
                                &(const struct adoption){waiver->who, waiver->why, waiver->made}, err);
}

int store_put_waiver(struct store *store, const struct record *record, const struct waiver *waiver,
                     struct error *err)
{
    if (store_begin(store, err) < 0)
        return -1;
    return store_finish(store, write_waiver(store, record, waiver, err), err);
}

int store_withdraw_waiver(struct store *store, const struct waiver *waiver,
                          const struct withdrawal *withdrawal, struct error *err)
{
    if (waiver->withdrawn.made > 0)
        return error_set(err, ERROR_USAGE, "waiver %s was withdrawn already, by %s", waiver->uuid,
                         waiver->withdrawn.who);
    if (store_begin(store, err) < 0)
        return -1;
    return store_finish(store,
                        store_exec(store, INSERT_WITHDRAWAL, err, TEXT(withdrawal->uuid), TEXT(waiver->uuid),
                                   TEXT(withdrawal->who), TEXT(withdrawal->why), REAL(withdrawal->made)),
                        err);
}

int store_adopt_waiver(struct store *store, const struct waiver *waiver, const struct adoption *adoption,
                       struct error *err)
{
    if (!waiver->foreign || waiver->adopted.made > 0)
        return error_set(err, ERROR_USAGE, "waiver %s was %s", waiver->uuid,
                         waiver->foreign ? "adopted already" : "made here, and counts as it is");
    if (store_begin(store, err) < 0)
        return -1;
    return store_finish(store, write_adoption(store, waiver->uuid, adoption, err), err);
}

static int load_items(struct load *load, struct waiver *waiver, struct error *err)
{
    struct rows rows;
    int got;

    if (rows_open(load->store, &rows, SELECT_WAIVED_ITEMS, load->arena, load->names, err,
                  TEXT(waiver->uuid)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        struct waived_item *item = list_push(load->arena, &waiver->items);

        item->metric = take_word(&rows);
        item->subject = take_word(&rows);
        item->at = take_word(&rows);
        item->hardware = take_text(&rows);
    }
    return got;
}

static void take_waiver(struct rows *rows, struct waiver *waiver)
{
    waiver->uuid = take_text(rows);
    waiver->step_key = take_text(rows);
    waiver->attempt = take_text(rows);
    waiver->who = take_text(rows);
    waiver->why = take_text(rows);
    waiver->made = take_real(rows);
    waiver->until = take_real(rows);
    waiver->withdrawn.uuid = take_optional_text(rows);
    waiver->withdrawn.who = take_optional_text(rows);
    waiver->withdrawn.why = take_optional_text(rows);
    waiver->withdrawn.made = take_real(rows);
    waiver->adopted.who = take_optional_text(rows);
    waiver->adopted.why = take_optional_text(rows);
    waiver->adopted.made = take_real(rows);
}

int load_waivers(struct load *load, struct error *err)
{
    struct record *record = load->record;
    struct rows rows;
    int got;

    if (rows_open(load->store, &rows, SELECT_WAIVERS, load->arena, NULL, err, INTEGER(record->number)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0)
        take_waiver(&rows, list_push(load->arena, &record->waivers));
    for (size_t i = 0; got == 0 && i < record->waivers.count; i++) {
        record->waivers.items[i].foreign = record->origin != NULL;
        got = load_items(load, &record->waivers.items[i], err);
    }
    return got;
}
