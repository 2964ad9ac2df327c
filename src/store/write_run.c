/* SPDX-License-Identifier: Apache-2.0 */
/* A run's beginning, growth, judgement and end. Each function of store.h here is one transaction. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay/base/clock.h"
#include "store_private.h"

static void drive(struct store *store, long long run, const struct controller *self)
{
    free(store->driven_from);
    store->driven_from = strdup(self->host);
    store->driven_by = self->pid;
    store->driven = store->driven_from != NULL ? run : 0;
}

int check_still_ours(struct store *store, long long run, struct error *err)
{
    int64_t elsewhere = 0;

    if (store->driven == 0 || store->driven != run)
        return 0;
    if (store_ask(store, COUNT_ELSEWHERE, &elsewhere, err, INTEGER(run), INTEGER(store->driven_by),
                  TEXT(store->driven_from)) < 0)
        return -1;
    if (elsewhere > 0)
        return error_set(err, ERROR_USAGE,
                         "%s: run %lld was given up for lost and ended from another machine (assay cancel "
                         "--lost): nothing more of it is kept",
                         store->path, run);
    return 0;
}

static int write_run(struct store *store, struct record *record, struct error *err)
{
    struct arena *arena = arena_create();
    struct controller self = controller_self(arena);
    int result = store_exec(store, INSERT_RUN, err, TEXT(record->uuid), ENUM(vocabulary_run, RUN_RUNNING),
                            REAL(record->started), REAL(0), TEXT(record->suite), TEXT(record->suite_title),
                            TEXT(record->hostfile), TEXT(record->program), INTEGER(self.pid),
                            TEXT(self.start), TEXT(self.host));

    if (result == 0) {
        record->number = sqlite3_last_insert_rowid(store->db);
        drive(store, record->number, &self);
    }
    arena_destroy(arena);
    return result;
}

static int write_beginning(struct store *store, struct record *record, struct error *err)
{
    if (write_run(store, record, err) < 0 ||
        write_documents(store, INSERT_DOCUMENT, record->number, &record->documents, 0, err) < 0)
        return -1;
    return write_plan(store, record, 0, err);
}

int store_begin_run(struct store *store, struct record *record, struct error *err)
{
    int64_t number;
    int found;

    if (store_begin(store, err) < 0)
        return -1;
    found = store_ask(store, FIND_RUN, &number, err, TEXT(record->uuid));
    if (found > 0)
        found = error_set(err, ERROR_USAGE, "%s: run %s is already there, as number %lld", store->path,
                          record->uuid, (long long)number);
    if (store_finish(store, found == 0 ? write_beginning(store, record, err) : -1, err) < 0) {
        record->number = 0;
        return -1;
    }
    record->state = RUN_RUNNING;
    return 0;
}

/* 0 when nobody drives the run, or we do, or whoever does is on the machine that is lost (NULL: none is). */
static int check_holder(struct store *store, long long number, const char *lost, struct arena *arena,
                        struct controller *ret_holder, struct error *err)
{
    enum { COLUMNS_BEFORE_STATE = 2, COLUMNS_TO_CONTROLLER = 6 };
    struct controller holder;
    enum controller_life life;
    struct rows rows;
    unsigned state;
    int got;

    if (rows_open(store, &rows, SELECT_RUN, arena, NULL, err, INTEGER(number)) < 0)
        return -1;
    got = rows_next(&rows, err);
    if (got <= 0)
        return got < 0 ? -1 : error_set(err, ERROR_USAGE, "%s: run %lld does not exist", store->path, number);
    rows.column = COLUMNS_BEFORE_STATE;
    state = take_enum(&rows, &vocabulary_run);
    rows.column += COLUMNS_TO_CONTROLLER;
    holder.pid = take_integer(&rows);
    holder.start = take_text(&rows);
    holder.host = take_text(&rows);
    rows_close(&rows);
    if (rows.damage[0] != '\0')
        return store_damage(store, err, "run %lld: %s", number, rows.damage);
    *ret_holder = holder;
    life = controller_life(&holder);
    if (state != RUN_RUNNING || life == CONTROLLER_DEAD ||
        (life == CONTROLLER_ELSEWHERE && lost != NULL && strcmp(lost, holder.host) == 0) ||
        (life == CONTROLLER_LIVES && holder.pid == getpid()))
        return 0;
    if (life == CONTROLLER_LIVES)
        return error_set(err, ERROR_USAGE, "run %lld is being driven by process %lld on this machine", number,
                         (long long)holder.pid);
    return error_set(
        err, ERROR_USAGE,
        "run %lld was being driven by process %lld on %s, and whether that one still lives can be "
        "seen only there: resume it on %s; if that machine is lost, `assay cancel %lld --lost %s` ends the run",
        number, (long long)holder.pid, holder.host, holder.host, number, holder.host);
}

/* Documents that the record has beyond those that are kept. */
static int add_documents(struct store *store, const struct record *record, struct error *err)
{
    int64_t kept = 0;

    if (store_ask(store, COUNT_DOCUMENTS, &kept, err, INTEGER(record->number)) < 0)
        return -1;
    return write_documents(store, INSERT_DOCUMENT, record->number, &record->documents, (size_t)kept, err);
}

/* The latest that was timed. */
static double last_time(const struct record *record)
{
    double last = record->started;

    list_each (attempt, record->attempts) {
        last = fmax(last, fmax(attempt->sent, fmax(attempt->began, attempt->ended)));
        list_each (window, attempt->windows)
            last = fmax(last, fmax(window->began, window->ended));
    }
    return last;
}

static int take_over(struct store *store, const struct record *record, const char *lost, struct error *err)
{
    struct arena *arena = arena_create();
    struct controller holder, self;
    int64_t imported;
    int result = store_ask(store, FIND_ORIGIN, &imported, err, INTEGER(record->number));

    if (result > 0)
        result = error_set(err, ERROR_USAGE,
                           "run %lld was imported: it can be resumed only where it was made", record->number);
    if (result == 0)
        result = check_holder(store, record->number, lost, arena, &holder, err);
    if (result == 0) {
        clock_go_on(controller_clock(&holder), last_time(record));
        self = controller_self(arena);
        result = store_exec(store, TAKE_RUN, err, ENUM(vocabulary_run, RUN_RUNNING), INTEGER(self.pid),
                            TEXT(self.start), TEXT(self.host), INTEGER(record->number));
    }
    if (result == 0)
        result = add_documents(store, record, err);
    if (result == 0)
        drive(store, record->number, &self);
    arena_destroy(arena);
    return result;
}

int store_resume_run(struct store *store, const struct record *record, const char *lost, struct error *err)
{
    if (store_begin(store, err) < 0)
        return -1;
    return store_finish(store, take_over(store, record, lost, err), err);
}

int store_add_steps(struct store *store, const struct record *record, size_t first_step, struct error *err)
{
    if (store_begin(store, err) < 0)
        return -1;
    return store_finish(store, write_plan(store, record, first_step, err), err);
}

static int write_access(struct store *store, long long run, const struct host *host, size_t n,
                        struct error *err)
{
    return store_exec(store, UPDATE_HOST, err, TEXT(host->address), TEXT(host->mpi_address), TEXT(host->user),
                      TEXT(host->identity), TEXT(host->jump), TEXT(host->known_hosts), TEXT(host->transport),
                      INTEGER(host->port), INTEGER(host->become_root), INTEGER(run), INTEGER(n));
}

static int write_hostfile(struct store *store, const struct record *record, size_t first_step,
                          struct error *err)
{
    int64_t hosts = 0;

    if (store_ask(store, COUNT_HOSTS, &hosts, err, INTEGER(record->number)) < 0 ||
        add_documents(store, record, err) < 0)
        return -1;
    for (size_t i = 0; i < (size_t)hosts && i < record->plan->hosts.count; i++)
        if (write_access(store, record->number, record->plan->hosts.items[i], i, err) < 0)
            return -1;
    return write_plan(store, record, first_step, err);
}

int store_take_hostfile(struct store *store, const struct record *record, size_t first_step,
                        struct error *err)
{
    if (store_begin(store, err) < 0)
        return -1;
    return store_finish(store, write_hostfile(store, record, first_step, err), err);
}

/* A row that could not be loaded again would take the whole run with it. */
static bool is_planned(const struct plan *plan, const struct outcome *outcome)
{
    return outcome->step < plan->steps.count &&
           outcome->slot < plan->steps.items[outcome->step].shape->slot_count;
}

/* What outcomes say of limits is the same reason for thousands of hosts: written once, and known by its place. */
enum { KNOWN_REASONS = 1 << 14 };
struct known_reason {
    const struct reason *reason;
    int64_t id;
};

struct outcome_writer {
    struct store *store;
    struct arena *arena; /* of one outcome */
    struct known_reason *known;
    int64_t judgement;
    const struct plan *plan;
};

static int word_of(const struct outcome_writer *writer, const struct reason *reason, struct value *ret_word,
                   struct error *err)
{
    struct known_reason *known =
        &writer->known[(uintptr_t)reason / sizeof(max_align_t) * 0x9e3779b97f4a7c15 >> 50 &
                       (KNOWN_REASONS - 1)];

    if (reason == NULL || known->reason != reason) {
        if (intern_id(writer->store, reason_encode(writer->arena, reason), &known->id, err) < 0)
            return -1;
        known->reason = reason;
    }
    *ret_word = INTEGER(known->id);
    return 0;
}

static int insert_outcome(const struct outcome_writer *writer, const struct outcome *outcome,
                          struct error *err)
{
    struct arena *arena = writer->arena;
    struct value remedy, limit, gate, source;

    if (word_of(writer, outcome->remedy, &remedy, err) < 0 ||
        word_of(writer, outcome->held->limit, &limit, err) < 0 ||
        word_of(writer, outcome->held->gate, &gate, err) < 0 ||
        word_of(writer, outcome->held->source, &source, err) < 0)
        return -1;
    return store_exec(writer->store, INSERT_OUTCOME, err, INTEGER(writer->judgement), INTEGER(outcome->step),
                      INTEGER(outcome->slot), ENUM(vocabulary_outcome, outcome->word),
                      FORM(arena, outcome->cause), remedy, FORM(arena, outcome->measured),
                      REAL(outcome->value), limit, gate, source, WORD(outcome->held->status),
                      INTEGER(outcome->remark));
}

static int write_outcome(const struct outcome_writer *writer, const struct outcome *outcome,
                         struct error *err)
{
    if (!is_planned(writer->plan, outcome))
        return error_set(err, ERROR_INTERNAL, "an outcome of step %u, slot %u, which is not planned",
                         outcome->step, outcome->slot);
    if (outcome->waiver != NULL &&
        store_exec(writer->store, INSERT_OUTCOME_WAIVER, err, INTEGER(writer->judgement),
                   INTEGER(outcome->step), INTEGER(outcome->slot), TEXT(outcome->waiver->uuid)) < 0)
        return -1;
    return insert_outcome(writer, outcome, err);
}

static int write_outcomes(struct store *store, int64_t id, const struct record *record, struct error *err)
{
    struct arena *arena = arena_create();
    struct outcome_writer writer = {.store = store,
                                    .arena = arena_create(),
                                    .known = arena_array(arena, struct known_reason, KNOWN_REASONS),
                                    .judgement = id,
                                    .plan = record->plan};
    int result = 0;

    for (size_t i = 0; i < record->judgement.outcome_count && result == 0; i++) {
        result = write_outcome(&writer, &record->judgement.outcomes[i], err);
        arena_clear(writer.arena);
    }
    arena_destroy(writer.arena);
    arena_destroy(arena);
    return result;
}

static int write_accusation(struct store *store, int64_t judgement, const struct accusation *accusation,
                            size_t n, struct error *err)
{
    if (store_exec(store, INSERT_ACCUSATION, err, INTEGER(judgement), INTEGER(n), INTEGER(accusation->step),
                   ENUM(vocabulary_accused, accusation->kind), TEXT(accusation->subject),
                   ENUM(vocabulary_place, accusation->place), INTEGER(accusation->intermittent),
                   INTEGER(accusation->slow_tests), INTEGER(accusation->fast_tests),
                   REAL(accusation->doubt)) < 0)
        return -1;
    for (size_t i = 0; i < accusation->step_count; i++)
        if (store_exec(store, INSERT_ACCUSATION_STEP, err, INTEGER(judgement), INTEGER(n), INTEGER(i),
                       INTEGER(accusation->steps[i])) < 0)
            return -1;
    return 0;
}

static int write_search(struct store *store, int64_t judgement, const struct search *search, size_t n,
                        struct error *err)
{
    struct arena *arena = arena_create();
    int result = store_exec(store, INSERT_SEARCH, err, INTEGER(judgement), INTEGER(n), INTEGER(search->step),
                            WORD(search->metric), REAL(search->size_bytes), FORM(arena, search->conclusion),
                            FORM(arena, search->candidates));

    arena_destroy(arena);
    return result;
}

static int write_accusations(struct store *store, int64_t id, const struct judgement *judgement,
                             struct error *err)
{
    for (size_t i = 0; i < judgement->search_count; i++)
        if (write_search(store, id, &judgement->searches[i], i, err) < 0)
            return -1;
    for (size_t i = 0; i < judgement->accusation_count; i++)
        if (write_accusation(store, id, &judgement->accusations[i], i, err) < 0)
            return -1;
    return 0;
}

static int write_judgement(struct store *store, const struct record *record, struct error *err)
{
    const struct judgement *judgement = &record->judgement;
    struct arena *arena = arena_create();
    int64_t id;
    int result = store_exec(store, INSERT_JUDGEMENT, err, TEXT(judgement->uuid), INTEGER(record->number),
                            FORM(arena, judgement->baselines), REAL(judgement->now), TEXT(judgement->inputs));

    arena_destroy(arena);
    if (result < 0)
        return -1;
    id = sqlite3_last_insert_rowid(store->db);
    if (write_documents(store, INSERT_JUDGEMENT_DOCUMENT, id, &judgement->documents, 0, err) < 0 ||
        write_outcomes(store, id, record, err) < 0)
        return -1;
    for (size_t i = 0; i < judgement->verdict_count; i++) {
        const struct verdict *verdict = &judgement->verdicts[i];

        if (store_exec(store, INSERT_VERDICT, err, INTEGER(id), INTEGER(i), TEXT(verdict->scope),
                       TEXT(verdict->name), ENUM(vocabulary_verdict, verdict->word), INTEGER(verdict->pass),
                       INTEGER(verdict->fail), INTEGER(verdict->inconclusive), INTEGER(verdict->not_run),
                       INTEGER(verdict->recorded), INTEGER(verdict->accused), INTEGER(verdict->waived)) < 0)
            return -1;
    }
    return write_accusations(store, id, judgement, err);
}

int store_put_judgements(struct store *store, const struct record *const *records, size_t count,
                         struct error *err)
{
    int result = 0;

    if (store_begin(store, err) < 0)
        return -1;
    for (size_t i = 0; i < count && result == 0; i++)
        result = check_still_ours(store, records[i]->number, err) < 0
                     ? -1
                     : write_judgement(store, records[i], err);
    return store_finish(store, result, err);
}

int store_put_judgement(struct store *store, const struct record *record, struct error *err)
{
    return store_put_judgements(store, &record, 1, err);
}

static int write_end(struct store *store, const struct record *record, enum run_state state, double ended,
                     struct error *err)
{
    if (check_still_ours(store, record->number, err) < 0 ||
        store_exec(store, END_RUN, err, ENUM(vocabulary_run, state), REAL(ended), INTEGER(record->number)) <
            0)
        return -1;
    if (sqlite3_changes(store->db) != 1)
        return error_set(err, ERROR_INTERNAL, "%s: run %lld does not exist", store->path, record->number);
    return 0;
}

int store_end_run(struct store *store, const struct record *record, enum run_state state, double ended,
                  struct error *err)
{
    if (store_begin(store, err) < 0)
        return -1;
    return store_finish(store, write_end(store, record, state, ended, err), err);
}
