/* SPDX-License-Identifier: Apache-2.0 */
/* Acceptances: their documents, runs and events, which are only ever added to. */
#include "store_private.h"

static int write_acceptance(struct store *store, struct acceptance *acceptance, struct error *err)
{
    int64_t id;
    int found = store_ask(store, FIND_ACCEPTANCE, &id, err, TEXT(acceptance->name));

    if (found != 0)
        return found < 0
                   ? -1
                   : error_set(err, ERROR_USAGE, "%s: there is an acceptance '%s' already; give another name",
                               store->path, acceptance->name);
    if (store_exec(store, INSERT_ACCEPTANCE, err, TEXT(acceptance->uuid), TEXT(acceptance->name),
                   REAL(acceptance->made)) < 0)
        return -1;
    acceptance->id = sqlite3_last_insert_rowid(store->db);
    return write_documents(store, INSERT_ACCEPTANCE_DOCUMENT, acceptance->id, &acceptance->documents, 0, err);
}

int store_put_acceptance(struct store *store, struct acceptance *acceptance, struct error *err)
{
    if (store_begin(store, err) < 0)
        return -1;
    return store_finish(store, write_acceptance(store, acceptance, err), err);
}

static int write_event(struct store *store, const struct acceptance *acceptance,
                       const struct acceptance_event *event, struct error *err)
{
    return store_exec(store, INSERT_EVENT, err, TEXT(event->uuid), INTEGER(acceptance->id),
                      ENUM(vocabulary_event, event->kind), TEXT(event->host), TEXT(event->item),
                      TEXT(event->spare), TEXT(event->note), REAL(event->at), REAL(event->made));
}

static int write_run(struct store *store, const struct acceptance *acceptance, long long run, double added,
                     const struct acceptance_event *told, struct error *err)
{
    int64_t there;
    int found = store_ask(store, FIND_ACCEPTANCE_RUN, &there, err, INTEGER(acceptance->id), INTEGER(run));

    if (found != 0)
        return found < 0
                   ? -1
                   : error_set(err, ERROR_USAGE, "run %lld is part of %s already", run, acceptance->name);
    if (store_exec(store, INSERT_ACCEPTANCE_RUN, err, INTEGER(acceptance->id), INTEGER(run), REAL(added)) < 0)
        return -1;
    return told != NULL ? write_event(store, acceptance, told, err) : 0;
}

int store_add_acceptance_run(struct store *store, const struct acceptance *acceptance, long long run,
                             double added, const struct acceptance_event *told, struct error *err)
{
    if (store_begin(store, err) < 0)
        return -1;
    return store_finish(store, write_run(store, acceptance, run, added, told, err), err);
}

int store_put_events(struct store *store, const struct acceptance *acceptance,
                     const struct acceptance_event *events, size_t count, struct error *err)
{
    int written = 0;

    if (store_begin(store, err) < 0)
        return -1;
    for (size_t i = 0; i < count && written == 0; i++)
        written = write_event(store, acceptance, &events[i], err);
    return store_finish(store, written, err);
}

int store_put_event(struct store *store, const struct acceptance *acceptance,
                    const struct acceptance_event *event, struct error *err)
{
    return store_put_events(store, acceptance, event, 1, err);
}

/* -- Reading --------------------------------------------------------------------------------------------------- */

static int load_head(struct store *store, struct acceptance *acceptance, const char *name, struct error *err)
{
    struct rows rows;
    int got;

    if (rows_open(store, &rows, SELECT_ACCEPTANCE, acceptance->arena, NULL, err, TEXT(name)) < 0)
        return -1;
    got = rows_next(&rows, err);
    if (got <= 0)
        return got < 0 ? -1
                       : error_set(err, ERROR_USAGE,
                                   "%s: acceptance '%s' does not exist; `assay acceptance list` shows all",
                                   store->path, name);
    acceptance->id = take_integer(&rows);
    acceptance->uuid = take_text(&rows);
    acceptance->name = take_text(&rows);
    acceptance->made = take_real(&rows);
    rows_close(&rows);
    return rows.damage[0] != '\0' ? store_damage(store, err, "acceptance: %s", rows.damage) : 0;
}

static int load_runs(struct store *store, struct acceptance *acceptance, struct error *err)
{
    struct rows rows;
    int got;

    if (rows_open(store, &rows, SELECT_ACCEPTANCE_RUNS, acceptance->arena, NULL, err,
                  INTEGER(acceptance->id)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0)
        *list_push(acceptance->arena, &acceptance->run_numbers) = take_integer(&rows);
    return got;
}

static int load_events(struct store *store, struct acceptance *acceptance, struct error *err)
{
    struct rows rows;
    int got;

    if (rows_open(store, &rows, SELECT_EVENTS, acceptance->arena, NULL, err, INTEGER(acceptance->id)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        struct acceptance_event *event = list_push(acceptance->arena, &acceptance->events);

        event->uuid = take_text(&rows);
        event->kind = (enum event_kind)take_enum(&rows, &vocabulary_event);
        event->host = take_text(&rows);
        event->item = take_text(&rows);
        event->spare = take_text(&rows);
        event->note = take_text(&rows);
        event->at = take_real(&rows);
        event->made = take_real(&rows);
    }
    return got;
}

static int load_all(struct store *store, struct acceptance *acceptance, const char *name, struct error *err)
{
    if (load_head(store, acceptance, name, err) < 0 ||
        load_documents(store, acceptance->arena, SELECT_ACCEPTANCE_DOCUMENTS, acceptance->id,
                       &acceptance->documents, err) < 0 ||
        load_runs(store, acceptance, err) < 0)
        return -1;
    return load_events(store, acceptance, err);
}

struct acceptance *store_load_acceptance(struct store *store, struct arena *arena, const char *name,
                                         struct error *err)
{
    struct acceptance *acceptance = arena_new(arena, struct acceptance);

    acceptance->arena = arena;
    if (store_begin_read(store, err) < 0)
        return NULL;
    return store_finish(store, load_all(store, acceptance, name, err), err) < 0 ? NULL : acceptance;
}

static int load_names(struct store *store, struct arena *arena, struct acceptance_names *names,
                      struct error *err)
{
    struct rows rows;
    int got;

    if (rows_open_values(store, &rows, LIST_ACCEPTANCES, arena, NULL, NULL, 0, err) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0)
        *list_push(arena, &names->items) = take_text(&rows);
    return got;
}

int store_list_acceptances(struct store *store, struct arena *arena, struct acceptance_names *ret_names,
                           struct error *err)
{
    *ret_names = (struct acceptance_names){0};
    if (store_begin_read(store, err) < 0)
        return -1;
    return store_finish(store, load_names(store, arena, ret_names, err), err);
}
