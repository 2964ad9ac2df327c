/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the importer has, row by row, and what he is shown of it; and whether after an import all of it is as it was.
 *
 * A row is known by a hash over the bytes of all its columns, its rowid among them. Rows that were there must be there; in
 * tables that nobody else may add to, and of each run that was there in every table that says anything of it, no other may
 * be. Beside the rows stand what the reader gets: reports, history and list of runs.
 */
#include "parties.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/files.h"
#include "assay/judge/judge.h"
#include "assay/model/history.h"
#include "assay/report/report.h"
#include "run_tables.h"

enum { BIG = 1 << 28 };

struct hashes {
    uint64_t *items;
    size_t count, capacity;
};

struct table_rows {
    const char *name, *sql;
    bool closed; /* nothing that is imported may be added to it */
    struct hashes rows;
};

struct expected {
    struct arena *arena;
    LIST_OF(struct table_rows) tables;
    uint64_t *of_runs; /* by run and table of run_tables */
    uint64_t schema;
    int64_t last_run;
    const char *shown;
};

static const char *const closed_tables[] = {"acceptance", "acceptance_document", "acceptance_run",
                                            "event",      "pseudonym",           "adoption"};

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;

    for (; length >= 8; at += 8, length -= 8) {
        uint64_t word;

        memcpy(&word, at, 8);
        hash = (hash ^ word) * 0x9fb21c651e98df25;
        hash ^= hash >> 29;
    }
    for (; length > 0; at++, length--)
        hash = (hash ^ *at) * 0x100000001b3;
    return hash ^ hash >> 32;
}

static uint64_t hash_row(sqlite3_stmt *statement)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        int type = sqlite3_column_type(statement, i);
        int64_t integer = sqlite3_column_int64(statement, i);
        double real = sqlite3_column_double(statement, i);

        hash = hash_bytes(hash, &type, sizeof type);
        if (type == SQLITE_INTEGER)
            hash = hash_bytes(hash, &integer, sizeof integer);
        else if (type == SQLITE_FLOAT)
            hash = hash_bytes(hash, &real, sizeof real);
        else if (type != SQLITE_NULL) {
            const void *bytes = sqlite3_column_blob(statement, i);
            int length = sqlite3_column_bytes(statement, i);

            hash = hash_bytes(hash_bytes(hash, &length, sizeof length), bytes, (size_t)length);
        }
    }
    return hash;
}

static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return left < right ? -1 : left > right;
}

/* False where the rows cannot be read. */
static bool read_rows(sqlite3 *db, const char *sql, int64_t run, struct hashes *ret_rows)
{
    sqlite3_stmt *statement = NULL;
    int step = SQLITE_ERROR;

    *ret_rows = (struct hashes){0};
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK) {
        if (sqlite3_bind_parameter_count(statement) > 0)
            sqlite3_bind_int64(statement, 1, run);
        while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
            if (ret_rows->count == ret_rows->capacity) {
                ret_rows->capacity = ret_rows->capacity * 2 + 64;
                ret_rows->items = mem_resize(ret_rows->items, ret_rows->capacity * sizeof *ret_rows->items);
            }
            ret_rows->items[ret_rows->count++] = hash_row(statement);
        }
    }
    sqlite3_finalize(statement);
    if (ret_rows->count > 0)
        qsort(ret_rows->items, ret_rows->count, sizeof *ret_rows->items, by_value);
    return step == SQLITE_DONE;
}

static bool hash_rows(sqlite3 *db, const char *sql, int64_t run, uint64_t *ret_hash)
{
    struct hashes rows;
    bool read = read_rows(db, sql, run, &rows);

    *ret_hash = hash_bytes(rows.count + 1, rows.items, rows.count * sizeof *rows.items);
    free(rows.items);
    return read;
}

static int64_t ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    int64_t answer = -1;

    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        answer = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return answer;
}

static const char *rows_of_run(struct arena *arena, size_t table)
{
    return arena_printf(arena, "SELECT * FROM %s WHERE %s", run_tables[table].name, run_tables[table].rows);
}

static const char every_entry[] = "SELECT type,name,tbl_name,rootpage,sql FROM sqlite_schema";

/* ---- what the reader gets ---- */

static void put_report(const struct record *record, const char *format, struct text *out)
{
    report_format_find(format)->write(record, LANGUAGE_EN, out);
    text_put(out, "\n");
}

static void put_summary(const struct run_summary *run, struct text *out)
{
    text_printf(out, "%lld %s %s %s %s %.17g %.17g %zu %zu %zu %d%d%d%d%d%d\n", run->number, run->uuid,
                run->suite, run->hostfile, run_state_name(run->state), run->started, run->ended, run->hosts,
                run->steps, run->attempts, run->judged, run->verdict, run->accepted, run->waived,
                run->in_acceptance, run->imported);
}

/* As assay history collects it: own runs only. */
static int put_history(struct store *store, struct arena *arena, const struct run_summary *runs, size_t count,
                       struct text *out, struct error *err)
{
    struct history history = {0};
    struct history_findings findings;

    for (size_t i = count; i-- > 0;) {
        struct item_sightings seen;
        struct record *record;

        if (runs[i].imported)
            continue;
        record = store_load_judged(store, arena, runs[i].number, err);
        if (record == NULL || store_run_items(store, arena, runs[i].number, &seen, err) < 0)
            return -1;
        history_add(arena, &history, record);
        for (size_t k = 0; k < seen.items.count; k++)
            history_add_sighting(arena, &history, seen.items.items[k].host, seen.items.items[k].position,
                                 seen.items.items[k].identity);
    }
    judge_history(arena, &history, &findings);
    report_history_json(arena, &history, &findings, &(const struct history_choice){0}, out);
    return 0;
}

/* Of the runs that were there before: reports, list, history, which is the last, the acceptance. */
static int put_shown(struct store *store, struct arena *arena, struct text *out, struct error *err)
{
    struct run_summary *runs;
    struct acceptance *acceptance = store_load_acceptance(store, arena, "hall 7", err);
    struct record *record = store_load_judged(store, arena, 0, err);
    size_t count;

    if (acceptance == NULL || record == NULL || store_list_runs(store, arena, 0, &runs, &count, err) < 0)
        return -1;
    text_printf(out, "last own run: %lld; runs accepted: %zu\n", record->number, acceptance->runs.count);
    for (size_t i = 0; i < count; i++)
        if (runs[i].number <= RUNS_BEFORE)
            put_summary(&runs[i], out);
    for (long long n = 1; n <= RUNS_BEFORE; n++) {
        record = store_load_run(store, arena, n, false, err);
        if (record == NULL)
            return -1;
        put_report(record, "text", out);
        put_report(record, "json", out);
    }
    return put_history(store, arena, runs, count, out, err);
}

static const char *what_is_shown(struct parties *parties, struct arena *arena, struct error *err)
{
    struct store *store = store_open(parties->own, true, err);
    struct text text;
    const char *shown = NULL;

    text_init(&text, BIG);
    if (store != NULL && put_shown(store, arena, &text, err) == 0)
        shown = arena_strndup(arena, text.bytes, text.length);
    text_release(&text);
    store_close(store);
    return shown;
}

/* ---- a run that is made afterwards ---- */

/* Its report when it is read back, under the same number wherever it is; NULL: it cannot be made or read. */
static const char *make_future_run(struct parties *parties, struct arena *arena, struct error *err)
{
    struct store *store = store_open(parties->own, false, err);
    struct record *record = parties_record(arena, 0), *back = NULL;
    struct text text;
    const char *json = NULL;

    *record = *parties->future;
    record->number = 0;
    text_init(&text, BIG);
    if (store != NULL && store_begin_run(store, record, err) == 0 &&
        store_put_judgement(store, record, err) == 0 &&
        store_end_run(store, record, RUN_ENDED, record->ended, err) == 0)
        back = store_load_run(store, arena, record->number, false, err);
    store_close(store);
    for (size_t i = 0; back != NULL && i < record->plan->shapes.count; i++) {
        char wanted[SHA256_HEX_SIZE], found[SHA256_HEX_SIZE];

        shape_digest(record->plan->shapes.items[i], wanted);
        shape_digest(back->plan->shapes.items[i], found);
        if (i >= back->plan->shapes.count || strcmp(wanted, found) != 0) {
            error_set(err, ERROR_INTERNAL, "limits of step %s", record->plan->shapes.items[i]->suite_step);
            back = NULL;
        }
    }
    if (back != NULL) {
        back->number = RUNS_BEFORE + 1;
        put_report(back, "json", &text);
        json = arena_strndup(arena, text.bytes, text.length);
    }
    text_release(&text);
    return json;
}

/* ---- before ---- */

static int expect_tables(struct parties *parties, struct expected *expected, struct error *err)
{
    sqlite3_stmt *tables = NULL;
    bool good = true;

    if (sqlite3_prepare_v2(
            parties->rows,
            "SELECT name,wr FROM pragma_table_list WHERE schema='main' AND type='table' AND name NOT "
            "LIKE 'sqlite_%'",
            -1, &tables, NULL) != SQLITE_OK)
        return error_set(err, ERROR_INTERNAL, "%s", sqlite3_errmsg(parties->rows));
    while (good && sqlite3_step(tables) == SQLITE_ROW) {
        struct table_rows *table = list_push(expected->arena, &expected->tables);

        table->name = arena_strdup(expected->arena, (const char *)sqlite3_column_text(tables, 0));
        table->sql = arena_printf(expected->arena, "SELECT %s* FROM %s",
                                  sqlite3_column_int(tables, 1) == 0 ? "rowid," : "", table->name);
        for (size_t i = 0; i < ARRAY_SIZE(closed_tables); i++)
            table->closed |= strcmp(closed_tables[i], table->name) == 0;
        good = read_rows(parties->rows, table->sql, 0, &table->rows);
    }
    sqlite3_finalize(tables);
    return good ? 0 : error_set(err, ERROR_INTERNAL, "%s", sqlite3_errmsg(parties->rows));
}

/* Each table has rows: else nothing would be compared. */
static int expect_something(const struct expected *expected, struct error *err)
{
    const char *empty = "";

    for (size_t i = 0; i < expected->tables.count; i++)
        if (expected->tables.items[i].rows.count == 0)
            empty = arena_printf(expected->arena, "%s %s", empty, expected->tables.items[i].name);
    if (*empty != '\0')
        return error_set(err, ERROR_INTERNAL, "nothing is in these tables of the importer:%s", empty);
    return 0;
}

int expect_unchanged(struct parties *parties, struct error *err)
{
    struct arena *arena = arena_create();
    struct expected *expected = arena_new(arena, struct expected);

    expected->arena = arena;
    parties->expected = expected;
    if (expect_tables(parties, expected, err) < 0 || expect_something(expected, err) < 0)
        return -1;
    expected->of_runs = arena_array(arena, uint64_t, (RUNS_BEFORE + 1) * run_table_count);
    for (int64_t run = 1; run <= RUNS_BEFORE; run++)
        for (size_t i = 0; i < run_table_count; i++)
            if (!hash_rows(parties->rows, rows_of_run(arena, i), run,
                           &expected->of_runs[(size_t)run * run_table_count + i]))
                return error_set(err, ERROR_INTERNAL, "%s", sqlite3_errmsg(parties->rows));
    hash_rows(parties->rows, every_entry, 0, &expected->schema);
    expected->last_run = ask(parties->rows, "SELECT max(id) FROM run");
    expected->shown = what_is_shown(parties, arena, err);
    parties->future_json = expected->shown != NULL ? make_future_run(parties, parties->arena, err) : NULL;
    if (parties->future_json == NULL || expected->last_run != RUNS_BEFORE)
        return -1;
    return parties_restore(parties, err);
}

void expected_destroy(struct expected *expected)
{
    if (expected == NULL)
        return;
    for (size_t i = 0; i < expected->tables.count; i++)
        free(expected->tables.items[i].rows.items);
    arena_destroy(expected->arena);
}

/* ---- after ---- */

/* All of `before` in `after`, both sorted. */
static bool holds(const struct hashes *after, const struct hashes *before)
{
    size_t k = 0;

    for (size_t i = 0; i < before->count; i++, k++) {
        while (k < after->count && after->items[k] < before->items[i])
            k++;
        if (k == after->count || after->items[k] != before->items[i])
            return false;
    }
    return true;
}

static const char *find_lost_row(sqlite3 *db, const struct expected *expected, bool imported)
{
    const char *lost = NULL;

    for (size_t i = 0; i < expected->tables.count && lost == NULL; i++) {
        const struct table_rows *table = &expected->tables.items[i];
        struct hashes rows;

        if (!read_rows(db, table->sql, 0, &rows) || !holds(&rows, &table->rows) ||
            ((table->closed || !imported) && rows.count != table->rows.count))
            lost = table->name;
        free(rows.items);
    }
    return lost;
}

static const char *find_changed_run(sqlite3 *db, struct arena *arena, const struct expected *expected)
{
    for (int64_t run = 1; run <= RUNS_BEFORE; run++)
        for (size_t i = 0; i < run_table_count; i++) {
            uint64_t hash;

            if (!hash_rows(db, rows_of_run(arena, i), run, &hash) ||
                hash != expected->of_runs[(size_t)run * run_table_count + i])
                return arena_printf(arena, "table %s has other rows of run %d", run_tables[i].name, (int)run);
        }
    return NULL;
}

/* What refers to something by its UUID, which is the same in every database. */
static const char entangled[] = "SELECT (SELECT count(*) FROM waiver JOIN attempt ON attempt.uuid=attempt "
                                "WHERE attempt.run<>waiver.run)+(SELECT "
                                "count(*) FROM outcome_waiver JOIN waiver ON waiver.uuid=waiver JOIN "
                                "judgement ON judgement.id=judgement WHERE "
                                "judgement.run<>waiver.run)";

/* One run more, the next number, with its origin; and a file that is sound. */
static const char *find_unsound(sqlite3 *db, const struct expected *expected, bool imported)
{
    uint64_t schema;

    if (!hash_rows(db, every_entry, 0, &schema) || schema != expected->schema)
        return "the schema is another";
    if (ask(db, "SELECT count(*) FROM pragma_foreign_key_check") != 0)
        return "rows refer to rows that are not there";
    if (ask(db, "SELECT integrity_check='ok' FROM pragma_integrity_check") != 1)
        return "the file is damaged";
    if (ask(db, "SELECT max(id) FROM run") != expected->last_run + imported ||
        ask(db, "SELECT seq FROM sqlite_sequence WHERE name='run'") != expected->last_run + imported)
        return "the number of runs";
    if (ask(db, "SELECT count(*) FROM origin WHERE run>3") != imported)
        return "the origin of the run";
    return ask(db, entangled) != 0 ? "rows of one run refer to rows of another" : NULL;
}

static const char *find_change(struct parties *parties, struct arena *arena, bool imported)
{
    const struct expected *expected = parties->expected;
    const char *change = NULL, *found;
    struct error err = {0};
    sqlite3 *db = NULL;

    if (sqlite3_open_v2(parties->own, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        change = "the database cannot be opened";
    if (change == NULL && (found = find_lost_row(db, expected, imported)) != NULL)
        change = arena_printf(arena, "a row of table %s is another", found);
    if (change == NULL)
        change = find_changed_run(db, arena, expected);
    if (change == NULL)
        change = find_unsound(db, expected, imported);
    sqlite3_close(db);
    if (change != NULL)
        return change;
    found = what_is_shown(parties, arena, &err);
    if (found == NULL || strcmp(found, expected->shown) != 0)
        return arena_printf(arena, "what is shown of own runs %s", err.text);
    if (!imported)
        return NULL;
    found = make_future_run(parties, arena, &err);
    if (found == NULL || strcmp(found, parties->future_json) != 0)
        return arena_printf(arena, "a run that is made afterwards %s", err.text);
    return NULL;
}

static bool is_pristine(const struct parties *parties)
{
    struct text text;
    struct error err = {0};
    bool same;

    text_init(&text, BIG);
    same = file_read(parties->own, &text, &err) == 0 && text.length == parties->pristine.length &&
           memcmp(text.bytes, parties->pristine.bytes, text.length) == 0;
    text_release(&text);
    return same && !file_exists(arena_printf(parties->arena, "%s-wal", parties->own));
}

bool is_unchanged(struct parties *parties, bool imported, const char **ret_why)
{
    struct arena *arena = arena_create();
    static char why[400];
    const char *change = NULL;

    /* Not a byte of the file is another: then no row is. */
    if (imported || !is_pristine(parties))
        change = find_change(parties, arena, imported);
    if (change != NULL)
        snprintf(why, sizeof why, "%s", change);
    if (change != NULL && !imported)
        snprintf(why, sizeof why, "it was refused, and yet: %.300s", change);
    *ret_why = change != NULL ? why : NULL;
    arena_destroy(arena);
    return change == NULL;
}
