/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A database that another party wrote. It is looked at from outside first (its header), then its tables are compared with
 * those of our own format of that number, word for word, and only then are rows read: into a database of our own, which
 * has no name and is gone when it is closed. What is used from then on has our schema and our constraints; of the foreign
 * one nothing but rows of known tables ever arrives, and each belongs to its one run.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "foreign.h"
#include "run_tables.h"

enum {
    HEADER_BYTES = 100,
    LONGEST_VALUE = 16 << 20, /* bytes; the longest that is kept in a row is a command file */
    LONGEST_S = 600,
    OPERATIONS = 100000, /* of SQLite between two looks at the clock: about a millisecond */
};

struct foreign {
    sqlite3 *db;
    const char *label;
    bool redacted; /* as its manifest says */
    void *bytes;   /* of the file, mapped */
    size_t length;
    time_t until;
    struct arena *arena;
};

static int refuse(const struct foreign *foreign, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int refuse(const struct foreign *foreign, struct error *err, const char *format, ...)
{
    char text[300];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(err, ERROR_USAGE, "%s is refused: %s", foreign->label, text);
}

static int refuse_said(const struct foreign *foreign, struct error *err)
{
    return refuse(foreign, err, "%s", sqlite3_errmsg(foreign->db));
}

static uint32_t header_number(const struct foreign *foreign, size_t at)
{
    const unsigned char *bytes = (const unsigned char *)foreign->bytes + at;

    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Its pages and nothing behind them. https://www.sqlite.org/fileformat.html: a page size of 1 stands for 65536. */
static bool is_of_its_pages(const struct foreign *foreign)
{
    enum { PAGE_SIZE = 14, PAGES = 28, LARGEST_PAGE = 65536 };
    uint64_t page = header_number(foreign, PAGE_SIZE) & 0xffff;

    return (page == 1 ? LARGEST_PAGE : page) * header_number(foreign, PAGES) == foreign->length;
}

/* 18 and 19 are 1 where no other file belongs to it. */
static int check_header(const struct foreign *foreign, int *ret_version, struct error *err)
{
    enum { WRITE_VERSION = 18, READ_VERSION = 19, USER_VERSION = 60, APPLICATION = 68 };
    static const char magic[16] = "SQLite format 3";
    const char *bytes = foreign->bytes;
    uint32_t version;

    if (foreign->length < HEADER_BYTES || memcmp(bytes, magic, sizeof magic) != 0 ||
        header_number(foreign, APPLICATION) != STORE_APPLICATION_ID)
        return refuse(foreign, err, "it is not a database of assay");
    if (bytes[WRITE_VERSION] != 1 || bytes[READ_VERSION] != 1)
        return refuse(foreign, err, "it is not written as assay writes it");
    if (!is_of_its_pages(foreign))
        return refuse(foreign, err, "it is shorter or longer than the pages that it says it has");
    version = header_number(foreign, USER_VERSION);
    if (version == 0 || version > (uint32_t)store_version)
        return refuse(foreign, err, "its format is %u, and this program knows 1 to %d", version,
                      store_version);
    *ret_version = (int)version;
    return 0;
}

/* Reading, and nothing else. */
static int authorize(void *context, int action, const char *a, const char *b, const char *database,
                     const char *trigger)
{
    (void)context;
    (void)b;
    (void)database;
    if (trigger != NULL)
        return SQLITE_DENY;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return b != NULL && strcmp(b, "coalesce") == 0 ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA:
        return a != NULL && strcmp(a, "quick_check") == 0 ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

static int is_late(void *context)
{
    const struct foreign *foreign = context;

    return time(NULL) > foreign->until;
}

/* Before anything is read of it. */
static int tie_down(struct foreign *foreign)
{
    static const struct {
        int what, most;
    } limits[] = {
        {SQLITE_LIMIT_LENGTH, LONGEST_VALUE},
        {SQLITE_LIMIT_SQL_LENGTH, 1 << 16},
        {SQLITE_LIMIT_COLUMN, 64},
        {SQLITE_LIMIT_EXPR_DEPTH, 20},
        {SQLITE_LIMIT_COMPOUND_SELECT, 2},
        {SQLITE_LIMIT_VDBE_OP, 100000},
        {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1},
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    static const int on[] = {SQLITE_DBCONFIG_DEFENSIVE},
                     off[] = {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                              SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION};

    for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
        sqlite3_limit(foreign->db, limits[i].what, limits[i].most);
    for (size_t i = 0; i < ARRAY_SIZE(on); i++)
        if (sqlite3_db_config(foreign->db, on[i], 1, NULL) != SQLITE_OK)
            return -1;
    for (size_t i = 0; i < ARRAY_SIZE(off); i++)
        if (sqlite3_db_config(foreign->db, off[i], 0, NULL) != SQLITE_OK)
            return -1;
    foreign->until = time(NULL) + LONGEST_S;
    sqlite3_progress_handler(foreign->db, OPERATIONS, is_late, foreign);
    return sqlite3_set_authorizer(foreign->db, authorize, NULL) == SQLITE_OK ? 0 : -1;
}

static int open_mapped(struct foreign *foreign, int *ret_version, struct error *err)
{
    if (check_header(foreign, ret_version, err) < 0)
        return -1;
    if (sqlite3_open_v2(":memory:", &foreign->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
            SQLITE_OK ||
        sqlite3_deserialize(foreign->db, "main", foreign->bytes, (sqlite3_int64)foreign->length,
                            (sqlite3_int64)foreign->length, SQLITE_DESERIALIZE_READONLY) != SQLITE_OK ||
        tie_down(foreign) < 0)
        return refuse_said(foreign, err);
    return 0;
}

static const char every_table[] =
    "SELECT type,name,tbl_name,coalesce(sql,'') FROM sqlite_schema ORDER BY type,name";

static const char *column(sqlite3_stmt *statement, int n)
{
    const char *text = (const char *)sqlite3_column_text(statement, n);

    return text != NULL ? text : "";
}

/* 1: both have this row, 0: neither has another one. */
static int same_row(const struct foreign *foreign, struct store *store, sqlite3_stmt *theirs,
                    sqlite3_stmt *ours, struct error *err)
{
    int their_step = sqlite3_step(theirs), our_step = sqlite3_step(ours);

    if (our_step != SQLITE_ROW && our_step != SQLITE_DONE)
        return database_error(store, "reading", err);
    if (their_step != SQLITE_ROW && their_step != SQLITE_DONE)
        return refuse_said(foreign, err);
    if (their_step == SQLITE_DONE && our_step == SQLITE_DONE)
        return 0;
    for (int i = 0; i < sqlite3_column_count(ours); i++)
        if (their_step != our_step || strcmp(column(theirs, i), column(ours, i)) != 0)
            return refuse(foreign, err, "its tables are not those of its format, at %s",
                          column(their_step == SQLITE_ROW ? theirs : ours, 1));
    return 1;
}

static int compare_schema(struct foreign *foreign, struct store *store, struct error *err)
{
    sqlite3_stmt *ours = run_query(store, every_table, 0, NULL, err), *theirs = NULL;
    int got = -1;

    if (ours != NULL && sqlite3_prepare_v2(foreign->db, every_table, -1, &theirs, NULL) != SQLITE_OK)
        refuse_said(foreign, err);
    while (theirs != NULL && (got = same_row(foreign, store, theirs, ours, err)) > 0)
        ;
    sqlite3_finalize(ours);
    sqlite3_finalize(theirs);
    return got;
}

/* Its pages: that each belongs to one table, once. */
static int check_pages(struct foreign *foreign, struct error *err)
{
    sqlite3_stmt *statement = NULL;
    int result = -1;

    if (sqlite3_prepare_v2(foreign->db, "PRAGMA quick_check(1)", -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW)
        refuse_said(foreign, err);
    else if (strcmp(column(statement, 0), "ok") != 0)
        refuse(foreign, err, "it is damaged: %s", column(statement, 0));
    else
        result = 0;
    sqlite3_finalize(statement);
    return result;
}

/* plain(text, ...): an error where one of them ends before its bytes do: it would be one thing to SQLite and another to us. */
static void refuse_nul(sqlite3_context *context, int count, sqlite3_value **values)
{
    for (int i = 0; i < count; i++)
        if (sqlite3_value_type(values[i]) == SQLITE_TEXT &&
            memchr(sqlite3_value_text(values[i]), '\0', (size_t)sqlite3_value_bytes(values[i])) != NULL) {
            sqlite3_result_error(context, "it has a text with a NUL in it", -1);
            return;
        }
    sqlite3_result_int(context, 1);
}

/* A WHERE also keeps SQLite from taking rows over as they lie there, unlooked at, as it does between two tables that are
   alike (https://www.sqlite.org/src/file?name=src/insert.c, xferOptimization). */
static int copy_table(struct foreign *foreign, struct store *store, const char *table, struct error *err)
{
    struct run_table row = {.name = table};
    cleanup_text struct text sql = {0}, names = {0}, texts = {0};
    struct run_columns columns;

    text_init(&sql, 1 << 16);
    text_init(&names, 1 << 16);
    text_init(&texts, 1 << 16);
    if (run_columns_find(store, foreign->arena, &row, &columns, err) < 0)
        return -1;
    for (size_t i = 0; i < columns.list.count; i++) {
        text_printf(&names, "%s%s", i > 0 ? "," : "", columns.list.items[i].name);
        if (columns.list.items[i].is_text)
            text_printf(&texts, "%s%s", texts.length > 0 ? "," : "", columns.list.items[i].name);
    }
    text_printf(&sql, "INSERT INTO main.%s(%s) SELECT %s FROM theirs.%s WHERE plain(%s)", table, names.bytes,
                names.bytes, table, texts.bytes);
    if (sqlite3_exec(store->db, sql.bytes, NULL, NULL, NULL) == SQLITE_OK)
        return 0;
    return refuse(foreign, err, "a row of table %s cannot be: %s", table, sqlite3_errmsg(store->db));
}

/* Which row comes first is no matter: what refers to what is looked at when all are there. */
static int copy_tables(struct foreign *foreign, struct store *store, struct error *err)
{
    sqlite3_stmt *tables = run_query(store,
                                     "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE "
                                     "'sqlite_%' ORDER BY name",
                                     0, NULL, err);
    int got = tables != NULL ? 0 : -1;

    while (got == 0 && (got = run_query_next(store, tables, err)) > 0)
        got = copy_table(foreign, store, column(tables, 0), err);
    sqlite3_finalize(tables);
    return got;
}

/* Looked at row by row, each parent that comes after its children would be looked for in whole tables. */
static int look_at_references(struct store *store, bool each, struct error *err)
{
    if (sqlite3_exec(store->db, each ? "PRAGMA foreign_keys=ON" : "PRAGMA foreign_keys=OFF", NULL, NULL,
                     NULL) != SQLITE_OK)
        return database_error(store, "reading", err);
    return 0;
}

/* Not by store_begin, which would begin to write in theirs too. Where it fails the copy is closed. */
static int copy_in_one(struct foreign *foreign, struct store *store, struct error *err)
{
    int64_t broken;

    if (sqlite3_exec(store->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        return database_error(store, "writing", err);
    if (copy_tables(foreign, store, err) < 0 ||
        store_ask_values(store, COUNT_BROKEN_REFERENCES, &broken, NULL, 0, err) < 0)
        return -1;
    if (broken > 0)
        return refuse(foreign, err, "some of its rows refer to rows that are missing");
    return sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK
               ? 0
               : database_error(store, "writing", err);
}

/* What was looked at from outside, beside our own copy, so that SQLite itself brings the rows over: value by value through our
   hands would take three times as long. */
static int join(struct foreign *foreign, struct store *store)
{
    sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
    sqlite3_progress_handler(store->db, OPERATIONS, is_late, foreign);
    if (sqlite3_create_function(store->db, "plain", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL, refuse_nul,
                                NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(store->db, "ATTACH ':memory:' AS theirs", NULL, NULL, NULL) != SQLITE_OK)
        return -1;
    return sqlite3_deserialize(store->db, "theirs", foreign->bytes, (sqlite3_int64)foreign->length,
                               (sqlite3_int64)foreign->length, SQLITE_DESERIALIZE_READONLY) == SQLITE_OK
               ? 0
               : -1;
}

static int part(struct store *store, int longest)
{
    sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, longest);
    sqlite3_progress_handler(store->db, 0, NULL, NULL);
    return sqlite3_exec(store->db, "DETACH theirs", NULL, NULL, NULL) == SQLITE_OK &&
                   sqlite3_create_function(store->db, "plain", -1, SQLITE_UTF8, NULL, NULL, NULL, NULL) ==
                       SQLITE_OK
               ? 0
               : -1;
}

static int copy_all(struct foreign *foreign, struct store *store, struct error *err)
{
    int longest = sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, -1);

    if (compare_schema(foreign, store, err) < 0 || check_pages(foreign, err) < 0 ||
        look_at_references(store, false, err) < 0)
        return -1;
    if (join(foreign, store) < 0)
        return refuse(foreign, err, "%s", sqlite3_errmsg(store->db));
    if (copy_in_one(foreign, store, err) < 0)
        return -1;
    if (part(store, longest) < 0)
        return database_error(store, "reading", err);
    return look_at_references(store, true, err);
}

static const struct run_table *find_run_table(const char *name)
{
    for (size_t i = 0; i < run_table_count; i++)
        if (strcmp(run_tables[i].name, name) == 0)
            return &run_tables[i];
    return NULL;
}

/* Rows that are not this run's; of words and contents only those count that a row names. */
static int check_rows(const struct foreign *foreign, struct store *store, const char *name, int64_t run,
                      struct error *err)
{
    const struct run_table *table = find_run_table(name);
    bool whole = table == NULL || table->local;
    sqlite3_stmt *statement;
    int got;

    if (strcmp(name, "word") == 0 || strcmp(name, "content") == 0)
        return 0;
    statement = run_query(store,
                          arena_printf(foreign->arena, "SELECT 1 FROM %s%s%s%s LIMIT 1", name,
                                       whole ? "" : " WHERE NOT coalesce(", whole ? "" : table->rows,
                                       whole ? "" : ",0)"),
                          run, NULL, err);
    got = statement != NULL ? run_query_next(store, statement, err) : -1;
    sqlite3_finalize(statement);
    return got > 0 ? refuse(foreign, err, "table %s has rows that are not of the run", name) : got;
}

static int check_belongings(const struct foreign *foreign, struct store *store, int64_t run,
                            struct error *err)
{
    sqlite3_stmt *tables =
        run_query(store, "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%'", 0,
                  NULL, err);
    int got = tables != NULL ? 0 : -1;

    while (got == 0 && (got = run_query_next(store, tables, err)) > 0)
        got = check_rows(foreign, store, column(tables, 0), run, err);
    sqlite3_finalize(tables);
    return got;
}

/* Rows of a table that are of the run, with a judgement only those that it rests on. */
static int count_rows(const struct foreign *foreign, struct store *store, const struct run_table *table,
                      long long run, const char *judgement, int64_t *ret_count, struct error *err)
{
    sqlite3_stmt *statement = run_query(
        store, arena_printf(foreign->arena, "SELECT count(*) FROM %s WHERE %s", table->name, table->rows),
        run, judgement, err);
    int got = statement != NULL ? run_query_next(store, statement, err) : -1;

    *ret_count = got > 0 ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return got < 0 ? -1 : 0;
}

int foreign_check_judgement(struct store *store, long long run, const char *judgement, const char *label,
                            struct error *err)
{
    struct foreign foreign = {.label = label, .arena = arena_create()};
    int result = 0;

    for (size_t i = 0; i < run_table_count && result == 0; i++) {
        int64_t of_it, all;

        if (run_tables[i].local)
            continue;
        if (count_rows(&foreign, store, &run_tables[i], run, judgement, &of_it, err) < 0 ||
            count_rows(&foreign, store, &run_tables[i], run, NULL, &all, err) < 0)
            result = -1;
        else if (of_it != all)
            result = refuse(&foreign, err,
                            "table %s has rows that the manifest's judgement does not rest on, so no one "
                            "signs them%s",
                            run_tables[i].name,
                            strcmp(run_tables[i].name, "judgement") == 0
                                ? ": export the run again, with this version, where it comes from"
                                : "");
    }
    arena_destroy(foreign.arena);
    return result;
}

static bool is_random(const char *digest)
{
    return strlen(digest) == UUID_SIZE - 1 && strspn(digest, "0123456789abcdef-") == UUID_SIZE - 1;
}

/* Shapes are shared by runs, by the hash of what they say: so it must be the hash of what they say. One of a run that was redacted
   has a random name, which is no hash of any other's. What a shape of another party asks is held against its documents when
   its run is judged (plan_asks.h): its hash only says that it is what it was. */
static int check_shapes(const struct foreign *foreign, struct store *store, long long run, struct error *err)
{
    struct record record = {.arena = foreign->arena, .number = run};
    struct load load = {.store = store,
                        .arena = foreign->arena,
                        .names = names_create(store, foreign->arena),
                        .record = &record,
                        .as_kept = true};
    const struct plan *plan;
    char digest[SHA256_HEX_SIZE];
    struct rows rows;
    int got;

    if (load_plan(&load, err) < 0 ||
        rows_open(store, &rows, SELECT_SHAPE_DIGESTS, foreign->arena, NULL, err, INTEGER(run)) < 0)
        return -1;
    plan = record.plan;
    while ((got = rows_next(&rows, err)) > 0) {
        size_t n = take_index(&rows, plan->shapes.count, "shape");
        const char *said = take_text(&rows);

        if (rows.damage[0] != '\0')
            continue;
        shape_digest_kept(plan->shapes.items[n], digest);
        if (strcmp(said, digest) != 0 && !(foreign->redacted && is_random(said))) {
            rows_close(&rows);
            return refuse(foreign, err,
                          "the items of step %s do not have the hash under which they are stored",
                          plan->shapes.items[n]->suite_step);
        }
    }
    return got;
}

/* What no constraint of a table says, and what whoever reads the run, its bytes and all, goes by. The hash of a shape does
   not say which number a slot has: it has its place. */
static int check_sense(const struct foreign *foreign, struct store *store, struct error *err)
{
    static const struct {
        enum statement count;
        const char *what;
    } rows[] = {
        {COUNT_BAD_NAMES, "its run, a judgement, an attempt or a waiver has a name that is not a UUID"},
        {COUNT_MISPLACED_LIMITS, "the items of a step are not numbered in order"},
        {COUNT_PARTS_BEYOND, "a part of an output reaches beyond it"},
        {COUNT_BAD_ENDS,
         "an output that is said not to be kept whole is too short for that, or lacks its head, its tail or "
         "its SHA-256"},
        {COUNT_CROSSED_WAIVERS, "a waiver is of one run and covers what another has"},
        {COUNT_LONG_CONTENTS, "an output or a document is longer than any"},
        {COUNT_LARGE_DOCUMENTS, "the documents of a run are larger than any have"},
        {COUNT_LARGE_PLANS, "a run requires more than any does"}};
    const struct value redacted = INTEGER(foreign->redacted);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        int64_t count;

        if (store_ask_values(store, rows[i].count, &count, &redacted, rows[i].count == COUNT_BAD_ENDS, err) <
            0)
            return -1;
        if (count > 0)
            return refuse(foreign, err, "%s", rows[i].what);
    }
    return 0;
}

/* Its bytes are not here yet: the rest of the record is read when they are. */
static int check_run(const struct foreign *foreign, struct store *store, struct error *err)
{
    int64_t number, count = 0, going_on = 0;

    if (store_ask_values(store, COUNT_RUNS, &count, NULL, 0, err) < 0 ||
        store_ask(store, COUNT_RUNS_IN, &going_on, err, ENUM(vocabulary_run, RUN_RUNNING)) < 0 ||
        store_ask_values(store, LAST_RUN, &number, NULL, 0, err) < 0)
        return -1;
    if (count != 1)
        return refuse(foreign, err, "it holds %lld runs, and a bundle is of one", (long long)count);
    if (going_on > 0)
        return refuse(foreign, err, "its run is still going on");
    if (check_belongings(foreign, store, number, err) < 0 || check_sense(foreign, store, err) < 0)
        return -1;
    return check_shapes(foreign, store, number, err);
}

/* What all its bytes come to when they are unpacked: a few kilobytes can be made to say that they are a disk full. */
static int check_volume(const struct foreign *foreign, struct store *store, struct error *err)
{
    enum { MOST_TIMES = 1000 };
    const uint64_t least = (uint64_t)1 << 30;
    int64_t bytes = 0;

    if (store_ask_values(store, SUM_CONTENTS, &bytes, NULL, 0, err) < 0)
        return -1;
    if (bytes < 0 || (uint64_t)bytes > least + MOST_TIMES * (uint64_t)foreign->length)
        return refuse(foreign, err,
                      "its outputs are said to be %lld bytes, more than a file of its size holds",
                      (long long)bytes);
    return 0;
}

/* Of a database with many runs each is taken by itself, and with it only the rows that are its own: what belongs to none of
   them stays behind, and so do acceptances, whose rows would only be looked through for each run. */
static int check_runs(const struct foreign *foreign, struct store *store, struct error *err)
{
    if (store_exec_values(store, DELETE_ACCEPTANCE_RUNS, NULL, 0, err) < 0 ||
        check_sense(foreign, store, err) < 0)
        return -1;
    return check_volume(foreign, store, err);
}

/* What is wrong with their rows is no failure of ours; that there is no room for them is. */
static bool is_ours(const struct store *store)
{
    int code = store != NULL ? sqlite3_errcode(store->db) & 0xff : SQLITE_NOMEM;

    return code == SQLITE_FULL || code == SQLITE_IOERR || code == SQLITE_NOMEM || code == SQLITE_CANTOPEN;
}

typedef int check_copy(const struct foreign *foreign, struct store *store, struct error *err);

static int make_copy(struct foreign *foreign, check_copy *check, struct store **ret_store, struct error *err)
{
    struct error late = {0};
    int version = 0;

    if (open_mapped(foreign, &version, err) < 0)
        return -1;
    *ret_store = store_open_nameless(foreign->label, version, err);
    if (*ret_store == NULL || copy_all(foreign, *ret_store, err) < 0)
        return -1;
    if (store_bring_up_to_date(*ret_store, &late) < 0)
        return refuse(foreign, err, "its rows do not fit: %.200s", late.text);
    return check(foreign, *ret_store, err);
}

static struct store *copy_checked(int fd, const char *label, bool redacted, check_copy *check,
                                  struct error *err)
{
    struct foreign foreign = {.label = label, .redacted = redacted, .arena = arena_create()};
    struct store *store = NULL;
    struct stat status;
    int result = -1;

    if (fstat(fd, &status) < 0 || status.st_size < HEADER_BYTES) {
        refuse(&foreign, err, "it is no database");
    } else {
        foreign.length = (size_t)status.st_size;
        foreign.bytes = mmap(NULL, foreign.length, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
        if (foreign.bytes == MAP_FAILED)
            error_set(err, ERROR_INTERNAL, "%s cannot be mapped", label);
        else
            result = make_copy(&foreign, check, &store, err);
    }
    sqlite3_close(foreign.db);
    if (foreign.length > 0 && foreign.bytes != MAP_FAILED)
        munmap(foreign.bytes, foreign.length);
    arena_destroy(foreign.arena);
    if (result < 0) {
        err->code = is_ours(store) ? err->code : ERROR_USAGE;
        store_close(store);
        store = NULL;
    }
    return store;
}

struct store *foreign_copy(int fd, const char *label, bool redacted, struct error *err)
{
    return copy_checked(fd, label, redacted, check_run, err);
}

struct store *foreign_copy_all(int fd, const char *label, struct error *err)
{
    return copy_checked(fd, label, false, check_runs, err);
}

int foreign_check_run(struct store *store, long long run, const char *label, struct error *err)
{
    struct foreign foreign = {.label = label, .arena = arena_create()};
    int64_t redacted;
    int result = store_ask(store, COUNT_REDACTED, &redacted, err, INTEGER(run));

    if (result >= 0) {
        foreign.redacted = redacted > 0;
        result = check_shapes(&foreign, store, run, err);
    }
    arena_destroy(foreign.arena);
    return result;
}
