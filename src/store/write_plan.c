/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan into rows. Shapes are shared by all runs of the database: one whose rows would be the same, value
 * by value, is there already and is only named. So the values of a row are made once, for its digest and for
 * its insert.
 */
#include <stdlib.h>
#include <string.h>

#include "assay/base/cleanup.h"
#include "store_private.h"

/* Pointers of the plan to their places in it, in O(log n): a cluster step of every check names every host. */
struct place {
    const void *pointer;
    size_t n;
};

struct places {
    struct place *items;
    size_t count;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;

    return a->pointer < b->pointer ? -1 : a->pointer > b->pointer;
}

static struct places places_of(struct arena *arena, const void *const *pointers, size_t count)
{
    struct places places = {arena_array(arena, struct place, count), count};

    for (size_t i = 0; i < count; i++)
        places.items[i] = (struct place){pointers[i], i};
    qsort(places.items, count, sizeof *places.items, compare_places);
    return places;
}

/* false: no part of the plan. */
static bool find_place(const struct places *places, const void *pointer, size_t *ret_n)
{
    const struct place wanted = {.pointer = pointer};
    const struct place *found =
        bsearch(&wanted, places->items, places->count, sizeof *places->items, compare_places);

    if (found != NULL)
        *ret_n = found->n;
    return found != NULL;
}

/* The rows of a shape, a slot and a limit, without their keys. */
enum { SHAPE_VALUES = 17, SLOT_VALUES = 6, LIMIT_VALUES = 17 };

static void shape_values(const struct shape *shape, struct value row[SHAPE_VALUES])
{
    const struct value values[SHAPE_VALUES] = {
        TEXT(shape->sha256),     TEXT(shape->check),          TEXT(shape->suite_step),
        TEXT(shape->scope),      TEXT(shape->variant),        TEXT(shape->platform),
        INTEGER(shape->hosts),   INTEGER(shape->expected_s),  INTEGER(shape->timeout_s),
        INTEGER(shape->retries), INTEGER(shape->repeat),      ENUM(vocabulary_exclusivity, shape->exclusive),
        INTEGER(shape->as_root), INTEGER(shape->passive),     TEXT(shape->arguments),
        INTEGER(shape->retests), INTEGER(shape->repeat_for_s)};

    memcpy(row, values, sizeof values);
}

/* What the row of a slot or a limit holds of a note. One that was loaded as it is kept is that text. */
static struct value note_value(struct arena *arena, const struct reason *note, bool kept)
{
    return value_word(kept && note != NULL ? reason_argument_text(note, 1) : reason_encode(arena, note));
}

static void slot_values(struct arena *arena, const struct slot *slot, bool kept,
                        struct value row[SLOT_VALUES])
{
    const struct value values[SLOT_VALUES] = {WORD(slot->metric),
                                              WORD(slot->subject),
                                              WORD(slot->at),
                                              REAL(slot->size_bytes),
                                              ENUM(vocabulary_duty, slot->duty),
                                              note_value(arena, slot->duty_note, kept)};

    memcpy(row, values, sizeof values);
}

static void limit_values(struct arena *arena, const struct limit *limit, bool kept,
                         struct value row[LIMIT_VALUES])
{
    struct value note = limit->note != NULL ? note_value(arena, limit->note, kept) : NOTHING;
    const struct fact source = {.value = limit->source, .said = limit->origin};
    const struct value values[LIMIT_VALUES] = {WORD(limit->metric),
                                               WORD(limit->subject),
                                               WORD(limit->scope),
                                               INTEGER(limit->hosts_min),
                                               INTEGER(limit->hosts_max),
                                               REAL(limit->size_min),
                                               REAL(limit->size_max),
                                               ENUM(vocabulary_rule, limit->rule),
                                               REAL(limit->value),
                                               TEXT(limit->text),
                                               REAL(limit->tolerance),
                                               WORD(limit->unit),
                                               WORD(kept ? limit->source : fact_encode(arena, &source)),
                                               ENUM(vocabulary_limit, limit->status),
                                               note,
                                               INTEGER(limit->inconclusive),
                                               REAL(limit->most)};

    memcpy(row, values, sizeof values);
}

/* Kind and length go before each value, so that no two rows run into the same bytes. */
static void digest_values(struct sha256 *hash, const struct value *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct value *value = &values[i];
        uint64_t head[2] = {(uint64_t)value->kind, value->bytes.length};

        sha256_add(hash, head, sizeof head);
        sha256_add(hash, &value->integer, sizeof value->integer);
        if (value->kind == VALUE_REAL)
            sha256_add(hash, &value->real, sizeof value->real);
        if (value->bytes.length > 0)
            sha256_add(hash, value->bytes.bytes, value->bytes.length);
    }
}

static void digest_slot(struct sha256 *hash, const struct slot *slot, bool kept)
{
    struct arena *arena = arena_create();
    struct value row[LIMIT_VALUES];

    slot_values(arena, slot, kept, row);
    digest_values(hash, row, SLOT_VALUES);
    for (size_t i = 0; i < slot->own_count; i++) {
        limit_values(arena, &slot->own[i], kept, row);
        digest_values(hash, row, LIMIT_VALUES);
    }
    arena_destroy(arena);
}

static void digest_shape(const struct shape *shape, bool kept, char ret_hex[SHA256_HEX_SIZE])
{
    struct value row[SHAPE_VALUES];
    struct sha256 *hash = sha256_create();

    shape_values(shape, row);
    /* The last came later: without it a shape has the hash that it always had, in databases and bundles of before. */
    digest_values(hash, row, shape->repeat_for_s > 0 ? SHAPE_VALUES : SHAPE_VALUES - 1);
    for (size_t i = 0; i < shape->slot_count; i++)
        digest_slot(hash, &shape->slots[i], kept);
    sha256_finish(hash, ret_hex);
}

void shape_digest(const struct shape *shape, char ret_hex[SHA256_HEX_SIZE])
{
    digest_shape(shape, false, ret_hex);
}

void shape_digest_kept(const struct shape *shape, char ret_hex[SHA256_HEX_SIZE])
{
    digest_shape(shape, true, ret_hex);
}

static int write_slot(struct store *store, struct arena *arena, int64_t shape, const struct slot *slot,
                      size_t n, struct error *err)
{
    struct value row[LIMIT_VALUES + 3];

    slot_values(arena, slot, false, row);
    row[SLOT_VALUES] = INTEGER(shape);
    row[SLOT_VALUES + 1] = INTEGER(n);
    if (store_exec_values(store, INSERT_SLOT, row, SLOT_VALUES + 2, err) < 0)
        return -1;
    for (size_t i = 0; i < slot->own_count; i++) {
        limit_values(arena, &slot->own[i], false, row);
        row[LIMIT_VALUES] = INTEGER(shape);
        row[LIMIT_VALUES + 1] = INTEGER(n);
        row[LIMIT_VALUES + 2] = INTEGER(i);
        if (store_exec_values(store, INSERT_SLOT_LIMIT, row, LIMIT_VALUES + 3, err) < 0)
            return -1;
    }
    return 0;
}

static int write_slots(struct store *store, int64_t shape_id, const struct shape *shape, struct error *err)
{
    struct arena *arena = arena_create();
    int result = 0;

    for (size_t i = 0; i < shape->slot_count && result == 0; i++)
        result = write_slot(store, arena, shape_id, &shape->slots[i], i, err);
    arena_destroy(arena);
    return result;
}

static int write_shape(struct store *store, const struct shape *shape, int64_t *ret_id, struct error *err)
{
    struct value row[SHAPE_VALUES + 1];
    char digest[SHA256_HEX_SIZE];
    int found;

    shape_digest(shape, digest);
    found = store_ask(store, FIND_SHAPE, ret_id, err, TEXT(digest));
    if (found != 0)
        return found < 0 ? -1 : 0;
    shape_values(shape, row);
    row[SHAPE_VALUES] = TEXT(digest);
    if (store_exec_values(store, INSERT_SHAPE, row, SHAPE_VALUES + 1, err) < 0)
        return -1;
    *ret_id = sqlite3_last_insert_rowid(store->db);
    return write_slots(store, *ret_id, shape, err);
}

/* Among the labels, whose own names have no ':'; the last of them. */
static int write_scheduler(struct store *store, long long run, const struct host *host, size_t n,
                           struct error *err)
{
    if (host->scheduler == SCHEDULER_NONE)
        return 0;
    return store_exec(store, INSERT_LABEL, err, INTEGER(run), INTEGER(n),
                      INTEGER(host->labels.count + host->rails.count), TEXT(SCHEDULER_LABEL),
                      TEXT(host_scheduler_name(host->scheduler)));
}

/* Among them too. */
static int write_rails(struct store *store, long long run, const struct host *host, size_t n,
                       struct error *err)
{
    for (size_t i = 0; i < host->rails.count; i++) {
        const struct host_rail *rail = &host->rails.items[i];
        cleanup_free char *key = mem_printf(RAIL_LABEL "%s", rail->hca);
        cleanup_free char *value =
            mem_printf("%s%s%s", rail->switch_name, *rail->port != '\0' ? ":" : "", rail->port);

        if (store_exec(store, INSERT_LABEL, err, INTEGER(run), INTEGER(n), INTEGER(host->labels.count + i),
                       TEXT(key), TEXT(value)) < 0)
            return -1;
    }
    return 0;
}

/* Likewise. */
static int write_lines(struct store *store, long long run, const struct host *host, size_t n, size_t behind,
                       struct error *err)
{
    for (size_t i = 0; i < host->lines.count; i++) {
        const struct host_line *line = &host->lines.items[i];
        cleanup_free char *key = mem_printf(LINE_LABEL "%s", line->name);
        cleanup_free char *value = host_line_text(line);

        if (store_exec(store, INSERT_LABEL, err, INTEGER(run), INTEGER(n), INTEGER(behind + i), TEXT(key),
                       TEXT(value)) < 0)
            return -1;
    }
    return 0;
}

/* Likewise what steps of it are asked by. */
static int write_site(struct store *store, long long run, const struct host *host, size_t n,
                      struct error *err)
{
    const struct host_label rows[] = {{FABRIC_LABEL, host->fabric},
                                      {MOUNTS_LABEL, host->mounts},
                                      {OBJECT_STORE_LABEL, host->object_store},
                                      {UPLINKS_LABEL, host->uplinks},
                                      {SWITCH_COUNTERS_LABEL, host->switch_counters},
                                      {PROBE_LABEL, host->probe}};

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (rows[i].value != NULL && store_exec(store, INSERT_LABEL, err, INTEGER(run), INTEGER(n),
                                                INTEGER(host->labels.count + host->rails.count + 1 + i),
                                                TEXT(rows[i].key), TEXT(rows[i].value)) < 0)
            return -1;
    return write_lines(store, run, host, n, host->labels.count + host->rails.count + 1 + ARRAY_SIZE(rows),
                       err);
}

static int write_host(struct store *store, long long run, const struct host *host, size_t n,
                      struct error *err)
{
    if (store_exec(store, INSERT_HOST, err, INTEGER(run), INTEGER(n), TEXT(host->name), TEXT(host->address),
                   TEXT(host->mpi_address), TEXT(host->user), TEXT(host->identity), TEXT(host->jump),
                   TEXT(host->known_hosts), TEXT(host->platform), TEXT(host->unit), TEXT(host->rack),
                   TEXT(host->leaf), TEXT(host->transport), INTEGER(host->slots), INTEGER(host->port),
                   ENUM(vocabulary_role, host->role), INTEGER(host->become_root), REAL(host->timescale),
                   INTEGER(host->line), INTEGER(host->column)) < 0)
        return -1;
    for (size_t i = 0; i < host->labels.count; i++)
        if (store_exec(store, INSERT_LABEL, err, INTEGER(run), INTEGER(n), INTEGER(i),
                       TEXT(host->labels.items[i].key), TEXT(host->labels.items[i].value)) < 0)
            return -1;
    if (write_rails(store, run, host, n, err) < 0 || write_scheduler(store, run, host, n, err) < 0)
        return -1;
    return write_site(store, run, host, n, err);
}

/* Only what the plan grew by: hosts and shapes are only ever added at the end. */
static int write_new_hosts(struct store *store, const struct record *record, struct error *err)
{
    int64_t first = 0;

    if (store_ask(store, COUNT_HOSTS, &first, err, INTEGER(record->number)) < 0)
        return -1;
    for (size_t i = (size_t)first; i < record->plan->hosts.count; i++)
        if (write_host(store, record->number, record->plan->hosts.items[i], i, err) < 0)
            return -1;
    return 0;
}

static int write_new_shapes(struct store *store, const struct record *record, struct error *err)
{
    int64_t first = 0, id;

    if (store_ask(store, COUNT_SHAPES, &first, err, INTEGER(record->number)) < 0)
        return -1;
    for (size_t i = (size_t)first; i < record->plan->shapes.count; i++)
        if (write_shape(store, record->plan->shapes.items[i], &id, err) < 0 ||
            store_exec(store, INSERT_RUN_SHAPE, err, INTEGER(record->number), INTEGER(i), INTEGER(id)) < 0)
            return -1;
    return 0;
}

static int write_needs(struct store *store, long long run, const struct step *step, size_t n,
                       struct error *err)
{
    for (size_t i = 0; i < step->need_count; i++) {
        if (step->needs[i] >= n)
            return error_set(err, ERROR_INTERNAL, "step %zu needs step %zu, which is not before it", n,
                             step->needs[i]);
        if (store_exec(store, INSERT_NEED, err, INTEGER(run), INTEGER(n), INTEGER(i),
                       INTEGER(step->needs[i])) < 0)
            return -1;
    }
    return 0;
}

static int write_step(struct store *store, struct arena *arena, const struct record *record, size_t n,
                      const struct places *shapes, const struct places *hosts, struct error *err)
{
    const struct step *step = &record->plan->steps.items[n];
    size_t place;

    if (!find_place(shapes, step->shape, &place))
        return error_set(err, ERROR_INTERNAL, "step %zu has a shape that is not in the plan", n);
    if (store_exec(store, INSERT_STEP, err, INTEGER(record->number), INTEGER(n), TEXT(step->key),
                   INTEGER(place), ENUM(vocabulary_origin, step->origin), FORM(arena, step->origin_note),
                   INTEGER(step->parent), INTEGER(step->round)) < 0)
        return -1;
    for (size_t i = 0; i < step->member_count; i++) {
        if (!find_place(hosts, step->members[i], &place))
            return error_set(err, ERROR_INTERNAL, "step %zu has a member that is not in the plan", n);
        if (store_exec(store, INSERT_MEMBER, err, INTEGER(record->number), INTEGER(n), INTEGER(i),
                       INTEGER(place)) < 0)
            return -1;
    }
    return write_needs(store, record->number, step, n, err);
}

static int write_steps(struct store *store, const struct record *record, size_t first_step,
                       struct arena *arena, struct error *err)
{
    const struct plan *plan = record->plan;
    struct places shapes = places_of(arena, (const void *const *)plan->shapes.items, plan->shapes.count);
    struct places hosts = places_of(arena, (const void *const *)plan->hosts.items, plan->hosts.count);

    for (size_t i = first_step; i < plan->steps.count; i++)
        if (write_step(store, arena, record, i, &shapes, &hosts, err) < 0)
            return -1;
    return 0;
}

int write_plan(struct store *store, const struct record *record, size_t first_step, struct error *err)
{
    struct arena *arena = arena_create();
    int result = write_new_hosts(store, record, err);

    if (result == 0)
        result = write_new_shapes(store, record, err);
    if (result == 0)
        result = write_steps(store, record, first_step, arena, err);
    arena_destroy(arena);
    return result;
}
