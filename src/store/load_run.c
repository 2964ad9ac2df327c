/* SPDX-License-Identifier: Apache-2.0 */
/* A whole record out of its rows, and what runs there are. One transaction: a writer may be at work. */
#include <string.h>

#include "store_private.h"

/* What stands as running while its controller is dead is shown as interrupted; and written so, where we may
   write, that another machine can see it too. */
static enum run_state shown_state(struct store *store, int64_t number, enum run_state state,
                                  const struct controller *controller)
{
    struct error ignored;

    if (state != RUN_RUNNING || controller_life(controller) != CONTROLLER_DEAD)
        return state;
    if (!store->read_only && sqlite3_get_autocommit(store->db) &&
        store_exec(store, INTERRUPT_RUN, &ignored, ENUM(vocabulary_run, RUN_INTERRUPTED), INTEGER(number),
                   ENUM(vocabulary_run, RUN_RUNNING), INTEGER(controller->pid), TEXT(controller->start),
                   TEXT(controller->host)) < 0)
        return RUN_INTERRUPTED; /* shown all the same: the next reader sees for himself */
    return RUN_INTERRUPTED;
}

static struct controller take_controller(struct rows *rows)
{
    struct controller controller;

    controller.pid = take_integer(rows);
    controller.start = take_text(rows);
    controller.host = take_text(rows);
    return controller;
}

static int load_head(struct load *load, int64_t number, struct controller *ret_controller, struct error *err)
{
    struct record *record = load->record;
    struct rows rows;
    int got;

    if (rows_open(load->store, &rows, SELECT_RUN, load->arena, NULL, err, INTEGER(number)) < 0)
        return -1;
    got = rows_next(&rows, err);
    if (got <= 0)
        return got < 0 ? -1
                       : error_set(err, ERROR_USAGE, "%s: run %lld does not exist", load->store->path,
                                   (long long)number);
    record->arena = load->arena;
    record->number = take_integer(&rows);
    record->uuid = take_text(&rows);
    record->state = (enum run_state)take_enum(&rows, &vocabulary_run);
    record->started = take_real(&rows);
    record->ended = take_real(&rows);
    record->suite = take_text(&rows);
    record->suite_title = take_text(&rows);
    record->hostfile = take_text(&rows);
    record->program = take_text(&rows);
    *ret_controller = take_controller(&rows);
    record->controller = ret_controller->host;
    rows_close(&rows);
    if (rows.damage[0] != '\0')
        return store_damage(load->store, err, "run %lld: %s", (long long)number, rows.damage);
    return 0;
}

static int load_origin(struct load *load, struct error *err)
{
    struct run_origin *origin;
    struct rows rows;
    int got;

    if (rows_open(load->store, &rows, SELECT_ORIGIN, load->arena, NULL, err, INTEGER(load->record->number)) <
        0)
        return -1;
    got = rows_next(&rows, err);
    if (got <= 0)
        return got;
    origin = arena_new(load->arena, struct run_origin);
    origin->imported = take_real(&rows);
    origin->bundle = take_text(&rows);
    take_sha256(&rows, origin->sha256);
    origin->redacted = take_bool(&rows);
    origin->signers = take_text(&rows);
    origin->judged_here = take_bool(&rows);
    load->record->origin = origin;
    return rows_next(&rows, err);
}

static int last_run(struct store *store, int64_t *ret_number, struct error *err)
{
    if (store_ask_values(store, LAST_RUN, ret_number, NULL, 0, err) < 0)
        return -1;
    if (*ret_number == 0)
        return error_set(err, ERROR_USAGE, "%s: no run is kept in it yet", store->path);
    return 0;
}

/* Documents that nobody asked for go again; where they are damaged the run is what an unknown one is, a trial. */
static void load_standing(struct load *load, int64_t number, bool judged_only)
{
    struct arena *arena = arena_create();
    struct error ignored = {0};

    if (!judged_only ||
        load_documents(load->store, arena, SELECT_DOCUMENTS, number, &load->record->documents, &ignored) == 0)
        load->record->standing = standing_of(load->record);
    if (judged_only)
        load->record->documents = (struct documents){0};
    arena_destroy(arena);
}

static int load_all(struct load *load, int64_t number, bool judged_only, struct controller *ret_controller,
                    struct error *err)
{
    if (number == 0 && last_run(load->store, &number, err) < 0)
        return -1;
    if (load_head(load, number, ret_controller, err) < 0 || load_origin(load, err) < 0 ||
        (!judged_only && load_documents(load->store, load->arena, SELECT_DOCUMENTS, number,
                                        &load->record->documents, err) < 0) ||
        load_plan(load, err) < 0 || (!judged_only && load_attempts(load, err) < 0))
        return -1;
    load_standing(load, number, judged_only);
    return load_waivers(load, err) < 0 ? -1 : load_judgement(load, err);
}

/* Documents and plan. */
static int load_question(struct load *load, int64_t number, struct controller *ret_controller,
                         struct error *err)
{
    return load_head(load, number, ret_controller, err) < 0 ||
                   load_documents(load->store, load->arena, SELECT_DOCUMENTS, number,
                                  &load->record->documents, err) < 0
               ? -1
               : load_plan(load, err);
}

struct record *store_load_question(struct store *store, struct arena *arena, long long number,
                                   struct error *err)
{
    struct load load = {.store = store, .arena = arena};
    struct controller controller;

    load.record = arena_new(arena, struct record);
    load.names = names_create(store, arena);
    if (store_begin_read(store, err) < 0)
        return NULL;
    return store_finish(store, load_question(&load, number, &controller, err), err) < 0 ? NULL : load.record;
}

static struct record *load_record(struct load *load, int64_t number, bool judged_only, struct error *err)
{
    struct controller controller;

    load->record = arena_new(load->arena, struct record);
    load->names = names_create(load->store, load->arena);
    if (store_begin_read(load->store, err) < 0)
        return NULL;
    if (store_finish(load->store, load_all(load, number, judged_only, &controller, err), err) < 0)
        return NULL;
    load->record->state = shown_state(load->store, load->record->number, load->record->state, &controller);
    return load->record;
}

struct record *store_load_run(struct store *store, struct arena *arena, long long number, bool evidence,
                              struct error *err)
{
    struct load load = {.store = store, .arena = arena, .evidence = evidence};

    return load_record(&load, number, false, err);
}

struct record *store_load_lean(struct store *store, struct arena *arena, long long number,
                               store_part_fact *wanted, struct error *err)
{
    struct load load = {.store = store, .arena = arena, .wanted = wanted};

    return load_record(&load, number, false, err);
}

struct record *store_load_judged(struct store *store, struct arena *arena, long long number,
                                 struct error *err)
{
    struct load load = {.store = store, .arena = arena};

    return load_record(&load, number, true, err);
}

long long store_find_run(struct store *store, const char *word, struct error *err)
{
    int64_t number = 0;
    int found;

    if (scan_i64(slice_of(word), &number))
        found = store_ask(store, FIND_RUN_NUMBER, &number, err, INTEGER(number));
    else
        found = store_ask(store, FIND_RUN, &number, err, TEXT(word));
    if (found == 0)
        error_set(err, ERROR_USAGE, "%s: run '%s' does not exist; `assay list` shows all", store->path, word);
    return found > 0 ? number : 0;
}

int store_attempt_is_over(struct store *store, const char *uuid, struct error *err)
{
    int64_t ignored;

    return store_ask(store, FIND_OVER, &ignored, err, TEXT(uuid), TEXT(run_state_name(RUN_ENDED)),
                     TEXT(run_state_name(RUN_CANCELLED)));
}

int store_has_others(struct store *store, long long number, struct error *err)
{
    int64_t count = 0;

    return store_ask(store, COUNT_OWN_OTHERS, &count, err, INTEGER(number)) < 0 ? -1 : count > 0;
}

int store_find_verdict(struct store *store, long long number, const char *judgement,
                       enum verdict_word *ret_verdict, struct error *err)
{
    struct rows rows;
    int got;

    if (rows_open(store, &rows, FIND_VERDICT, NULL, NULL, err, INTEGER(number), TEXT(judgement)) < 0)
        return -1;
    got = rows_next(&rows, err);
    if (got == 0)
        return error_set(err, ERROR_USAGE, "%s: run %lld has no judgement %s", store->path, number,
                         judgement);
    if (got < 0)
        return -1;
    *ret_verdict = (enum verdict_word)take_enum(&rows, &vocabulary_verdict);
    return rows_next(&rows, err);
}

struct summaries {
    LIST_OF(struct run_summary) runs;
};

/* Nothing is concluded from what is left of it; the next row may be whole. */
static void set_damaged(struct rows *rows, struct run_summary *summary)
{
    summary->damage = arena_strdup(rows->arena, rows->damage);
    summary->state = RUN_INTERRUPTED;
    summary->judged = summary->accepted = false;
    rows->damage[0] = '\0';
}

int run_summary_check(const struct run_summary *run, struct error *err)
{
    if (run->damage == NULL)
        return 0;
    return error_set(err, ERROR_INTERNAL, "run %lld cannot be read: the database is damaged (%s)",
                     run->number, run->damage);
}

static void take_summary(struct store *store, struct rows *rows, struct run_summary *summary)
{
    struct controller controller;
    enum run_state state;

    summary->number = take_integer(rows);
    summary->uuid = take_text(rows);
    summary->suite = take_text(rows);
    summary->hostfile = take_text(rows);
    state = (enum run_state)take_enum(rows, &vocabulary_run);
    summary->started = take_real(rows);
    summary->ended = take_real(rows);
    controller = take_controller(rows);
    summary->hosts = take_count(rows);
    summary->steps = take_count(rows);
    summary->attempts = take_count(rows);
    summary->judged = !take_null(rows);
    if (summary->judged)
        summary->verdict = (enum verdict_word)take_enum(rows, &vocabulary_verdict);
    if (!take_null(rows))
        summary->worst = (enum verdict_word)take_enum(rows, &vocabulary_verdict);
    summary->accepted = take_bool(rows);
    summary->waived = take_bool(rows);
    summary->in_acceptance = take_bool(rows);
    summary->imported = !take_null(rows);
    summary->origin = summary->imported ? take_text(rows) : "";
    summary->controller = controller.host;
    if (rows->damage[0] == '\0')
        summary->state = shown_state(store, summary->number, state, &controller);
    else
        set_damaged(rows, summary);
}

static int take_summaries(struct store *store, struct arena *arena, size_t limit, struct summaries *summaries,
                          struct error *err)
{
    const int64_t all = -1;
    struct rows rows;
    int got;

    if (rows_open(store, &rows, LIST_RUNS, arena, NULL, err, INTEGER(limit > 0 ? (int64_t)limit : all)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0)
        take_summary(store, &rows, list_push(arena, &summaries->runs));
    return got;
}

int store_list_runs(struct store *store, struct arena *arena, size_t limit, struct run_summary **ret_runs,
                    size_t *ret_count, struct error *err)
{
    struct summaries summaries = {0};

    /* In a transaction of its own, in which shown_state does not write. */
    if (store_begin_read(store, err) < 0)
        return -1;
    if (store_finish(store, take_summaries(store, arena, limit, &summaries, err), err) < 0)
        return -1;
    *ret_runs = summaries.runs.items;
    *ret_count = summaries.runs.count;
    return 0;
}

/* Each step of the suite once for each way in which it is in the plan. */
static int take_suite_steps(struct store *store, struct arena *arena, long long number, struct plan *plan,
                            struct error *err)
{
    struct rows rows;
    int got;

    if (rows_open(store, &rows, SELECT_SUITE_STEPS, arena, NULL, err, INTEGER(number)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        struct shape *shape = arena_new(arena, struct shape);
        struct step *step = list_push(arena, &plan->steps);

        shape->suite_step = take_text(&rows);
        step->shape = shape;
        step->origin = (enum step_origin)take_enum(&rows, &vocabulary_origin);
        step->origin_note = take_reason(&rows);
    }
    return got;
}

static int find_standing(struct store *store, struct arena *arena, long long number,
                         struct standing *standing, struct error *err)
{
    struct plan plan = {.arena = arena};
    struct record record = {.arena = arena, .plan = &plan};
    struct hostlist names;

    if (load_documents(store, arena, SELECT_DOCUMENTS, number, &record.documents, err) < 0 ||
        store_run_hosts(store, arena, number, &names, err) < 0 ||
        take_suite_steps(store, arena, number, &plan, err) < 0)
        return -1;
    for (size_t i = 0; i < names.names.count; i++) {
        struct host *host = arena_new(arena, struct host);

        host->name = names.names.items[i];
        *list_push(arena, &plan.hosts) = host;
    }
    *standing = standing_of(&record);
    return 0;
}

struct standing store_run_standing(struct store *store, long long number)
{
    struct arena *arena = arena_create();
    struct standing standing = {.kind = RUN_TRIAL};
    struct error ignored;

    (void)find_standing(store, arena, number, &standing, &ignored);
    arena_destroy(arena);
    return standing;
}

static int take_driver(struct store *store, struct arena *arena, long long number, struct run_driver *driver,
                       struct error *err)
{
    struct controller controller;
    enum run_state state;
    struct rows rows;
    int got;

    if (rows_open(store, &rows, SELECT_DRIVER, arena, NULL, err, INTEGER(number)) < 0)
        return -1;
    got = rows_next(&rows, err);
    if (got == 0)
        return error_set(err, ERROR_USAGE, "%s: run %lld does not exist", store->path, number);
    if (got < 0)
        return -1;
    state = (enum run_state)take_enum(&rows, &vocabulary_run);
    controller = take_controller(&rows);
    if (rows.damage[0] == '\0') {
        driver->state = shown_state(store, number, state, &controller);
        driver->host = controller.host;
        driver->pid = driver->state == RUN_RUNNING && controller_life(&controller) == CONTROLLER_LIVES
                          ? controller.pid
                          : 0;
    }
    return rows_next(&rows, err);
}

int store_run_driver(struct store *store, struct arena *arena, long long number,
                     struct run_driver *ret_driver, struct error *err)
{
    *ret_driver = (struct run_driver){.host = ""};
    if (store_begin_read(store, err) < 0)
        return -1;
    return store_finish(store, take_driver(store, arena, number, ret_driver, err), err);
}

static int take_ended(struct store *store, struct arena *arena, long long number,
                      const struct ended_attempt *last, struct ended_attempts *ended, struct error *err)
{
    struct rows rows;
    int got;

    if (rows_open(store, &rows, SELECT_ENDED, arena, NULL, err, INTEGER(number),
                  ENUM(vocabulary_attempt, ATTEMPT_ENDED), REAL(last->ended), INTEGER(last->id)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        struct ended_attempt *attempt = list_push(arena, &ended->items);

        attempt->id = take_integer(&rows);
        attempt->step = take_count(&rows);
        attempt->n = take_unsigned(&rows);
        attempt->end = (enum attempt_end)take_enum(&rows, &vocabulary_ending);
        attempt->began = take_real(&rows);
        attempt->ended = take_real(&rows);
    }
    return got;
}

int store_ended_attempts(struct store *store, struct arena *arena, long long number,
                         const struct ended_attempt *last, struct ended_attempts *ret_ended,
                         struct error *err)
{
    *ret_ended = (struct ended_attempts){0};
    if (store_begin_read(store, err) < 0)
        return -1;
    return store_finish(store, take_ended(store, arena, number, last, ret_ended, err), err);
}

static int take_begun(struct store *store, struct arena *arena, long long number, long long after,
                      struct begun_attempts *begun, struct error *err)
{
    struct rows rows;
    int got;

    if (rows_open(store, &rows, SELECT_BEGUN, arena, NULL, err, INTEGER(number), INTEGER(after)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0) {
        struct begun_attempt *attempt = list_push(arena, &begun->items);

        attempt->id = take_integer(&rows);
        attempt->step = take_count(&rows);
        attempt->n = take_unsigned(&rows);
        attempt->sent = take_real(&rows);
    }
    return got;
}

int store_begun_attempts(struct store *store, struct arena *arena, long long number, long long after,
                         struct begun_attempts *ret_begun, struct error *err)
{
    *ret_begun = (struct begun_attempts){0};
    if (store_begin_read(store, err) < 0)
        return -1;
    return store_finish(store, take_begun(store, arena, number, after, ret_begun, err), err);
}

int store_run_hosts(struct store *store, struct arena *arena, long long number, struct hostlist *ret_hosts,
                    struct error *err)
{
    struct rows rows;
    int got;

    *ret_hosts = (struct hostlist){0};
    if (rows_open(store, &rows, SELECT_HOST_NAMES, arena, NULL, err, INTEGER(number)) < 0)
        return -1;
    while ((got = rows_next(&rows, err)) > 0)
        *list_push(arena, &ret_hosts->names) = take_text(&rows);
    return got;
}
