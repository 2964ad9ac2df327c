/* SPDX-License-Identifier: Apache-2.0 */
/* Statements, values in, rows out, transactions: everything that speaks to SQLite once a file is open. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "store_private.h"

static const char *const statement_sql[] = {
#define STATEMENT(name, sql) [name] = (sql),
#include "statements.def"
#undef STATEMENT
};

/* A quota shows as a plain write error. */
static bool disk_full(struct store *store)
{
    int code = sqlite3_errcode(store->db) & 0xff, reason = sqlite3_system_errno(store->db);

    return code == SQLITE_FULL || (code == SQLITE_IOERR && (reason == EDQUOT || reason == ENOSPC));
}

/* What SQLite says, as the operator can act on it. */
int database_error(struct store *store, const char *doing, struct error *err)
{
    const char *message = sqlite3_errmsg(store->db);

    if (disk_full(store))
        return error_set(err, ERROR_INTERNAL,
                         "%s: %s: the disk is full; free some space, then resume the run", store->path,
                         doing);
    switch (sqlite3_errcode(store->db) & 0xff) {
    case SQLITE_BUSY:
        return error_set(err, ERROR_INTERNAL,
                         "%s: %s: another process has been writing to this database all the time",
                         store->path, doing);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return error_set(err, ERROR_INTERNAL,
                         "%s: %s: the database is damaged (%s); restore it from a copy, or start a new one",
                         store->path, doing, message);
    case SQLITE_READONLY:
        return error_set(err, ERROR_USAGE, "%s: %s: the file cannot be written (%s)", store->path, doing,
                         message);
    default:
        return error_set(err, ERROR_INTERNAL, "%s: %s: %s", store->path, doing, message);
    }
}

int store_damage(struct store *store, struct error *err, const char *format, ...)
{
    char text[300];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (store->foreign)
        return error_set(err, ERROR_USAGE, "%s is refused: %s", store->path, text);
    return error_set(
        err, ERROR_INTERNAL,
        "%s: %s: the database is damaged, or was written by another version; restore it from a copy",
        store->path, text);
}

struct value value_integer(int64_t integer)
{
    return (struct value){.kind = VALUE_INTEGER, .integer = integer};
}

struct value value_real(double real)
{
    return (struct value){.kind = isnan(real) ? VALUE_NULL : VALUE_REAL, .real = real};
}

static struct value value_string(enum value_kind kind, const char *text)
{
    if (text == NULL)
        return NOTHING;
    return (struct value){.kind = kind, .bytes = slice_of(text)};
}

struct value value_text(const char *text)
{
    return value_string(VALUE_TEXT, text);
}

struct value value_word(const char *text)
{
    return value_string(VALUE_WORD, text);
}

struct value value_bytes(struct slice bytes)
{
    return (struct value){.kind = VALUE_BYTES, .bytes = bytes};
}

static sqlite3_stmt *prepared(struct store *store, enum statement which, struct error *err)
{
    sqlite3_stmt **statement = &store->statements[which];

    if (*statement == NULL && sqlite3_prepare_v3(store->db, statement_sql[which], -1,
                                                 SQLITE_PREPARE_PERSISTENT, statement, NULL) != SQLITE_OK)
        database_error(store, statement_sql[which], err);
    return *statement;
}

static int bind_one(struct store *store, sqlite3_stmt *statement, int n, const struct value *value,
                    struct error *err)
{
    int64_t id;

    switch (value->kind) {
    case VALUE_INTEGER:
        return sqlite3_bind_int64(statement, n, value->integer);
    case VALUE_REAL:
        return sqlite3_bind_double(statement, n, value->real);
    case VALUE_TEXT:
        return sqlite3_bind_text64(statement, n, value->bytes.bytes, value->bytes.length, SQLITE_STATIC,
                                   SQLITE_UTF8);
    case VALUE_BYTES:
        return sqlite3_bind_blob64(statement, n, value->bytes.bytes, value->bytes.length, SQLITE_STATIC);
    case VALUE_WORD:
        if (intern_id(store, value->bytes.bytes, &id, err) < 0)
            return -1;
        return sqlite3_bind_int64(statement, n, id);
    case VALUE_NULL:
        return sqlite3_bind_null(statement, n);
    default:
        return SQLITE_MISUSE;
    }
}

static sqlite3_stmt *bound(struct store *store, enum statement which, const struct value *values,
                           size_t count, struct error *err)
{
    sqlite3_stmt *statement = prepared(store, which, err);

    if (statement == NULL)
        return NULL;
    if (sqlite3_bind_parameter_count(statement) != (int)count) {
        error_set(err, ERROR_INTERNAL, "%s: %zu values for: %s", store->path, count, statement_sql[which]);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        int bind = bind_one(store, statement, (int)i + 1, &values[i], err);

        if (bind > 0)
            database_error(store, statement_sql[which], err);
        if (bind != SQLITE_OK)
            return NULL;
    }
    return statement;
}

int store_exec_values(struct store *store, enum statement which, const struct value *values, size_t count,
                      struct error *err)
{
    sqlite3_stmt *statement = bound(store, which, values, count, err);
    int result = 0;

    if (statement == NULL)
        return -1;
    if (sqlite3_step(statement) != SQLITE_DONE)
        result = database_error(store, "writing", err);
    sqlite3_reset(statement);
    return result;
}

int store_ask_values(struct store *store, enum statement which, int64_t *ret_answer,
                     const struct value *values, size_t count, struct error *err)
{
    sqlite3_stmt *statement = bound(store, which, values, count, err);
    int result;

    if (statement == NULL)
        return -1;
    switch (sqlite3_step(statement)) {
    case SQLITE_ROW:
        *ret_answer = sqlite3_column_int64(statement, 0);
        result = 1;
        break;
    case SQLITE_DONE:
        result = 0;
        break;
    default:
        result = database_error(store, "reading", err);
    }
    sqlite3_reset(statement);
    return result;
}

static int begin(struct store *store, enum statement which, const char *doing, struct error *err)
{
    sqlite3_stmt *statement = prepared(store, which, err);
    int result = 0;

    if (statement == NULL)
        return -1;
    if (sqlite3_step(statement) != SQLITE_DONE)
        result = database_error(store, doing, err);
    sqlite3_reset(statement);
    return result;
}

int store_begin(struct store *store, struct error *err)
{
    if (store->read_only)
        return error_set(err, ERROR_INTERNAL, "%s: it was opened for reading only", store->path);
    return begin(store, BEGIN_WRITE, "writing", err);
}

int store_begin_read(struct store *store, struct error *err)
{
    return begin(store, BEGIN_READ, "reading", err);
}

int store_finish(struct store *store, int result, struct error *err)
{
    struct error ignored;

    if (result == 0 && begin(store, COMMIT, "writing", err) == 0)
        return 0;
    /* SQLite rolls back by itself after some errors (disk full); a second time it only complains. */
    if (!sqlite3_get_autocommit(store->db))
        (void)begin(store, ROLLBACK, "rolling back", &ignored);
    intern_forget(store->words);
    return -1;
}

int rows_open_values(struct store *store, struct rows *rows, enum statement which, struct arena *arena,
                     struct names *names, const struct value *values, size_t count, struct error *err)
{
    *rows = (struct rows){.store = store, .arena = arena, .names = names};
    rows->statement = bound(store, which, values, count, err);
    return rows->statement != NULL ? 0 : -1;
}

void rows_close(struct rows *rows)
{
    sqlite3_reset(rows->statement);
}

int rows_next(struct rows *rows, struct error *err)
{
    int result;

    rows->column = 0;
    if (rows->damage[0] != '\0') {
        result = store_damage(rows->store, err, "%s", rows->damage);
    } else {
        switch (sqlite3_step(rows->statement)) {
        case SQLITE_ROW:
            return 1;
        case SQLITE_DONE:
            result = 0;
            break;
        default:
            result = database_error(rows->store, "reading", err);
        }
    }
    rows_close(rows);
    return result;
}

void rows_damage(struct rows *rows, const char *format, ...)
{
    va_list arguments;

    if (rows->damage[0] != '\0')
        return;
    va_start(arguments, format);
    vsnprintf(rows->damage, sizeof rows->damage, format, arguments);
    va_end(arguments);
}

/* STRICT tables keep the types; what is left to see is a NULL or a column that is not there. */
static bool right_type(struct rows *rows, int column, int type)
{
    if (sqlite3_column_type(rows->statement, column) == type)
        return true;
    rows_damage(rows, "column %s holds no value of its kind", sqlite3_column_name(rows->statement, column));
    return false;
}

int64_t take_integer(struct rows *rows)
{
    int column = rows->column++;

    return right_type(rows, column, SQLITE_INTEGER) ? sqlite3_column_int64(rows->statement, column) : 0;
}

size_t take_count(struct rows *rows)
{
    int64_t value = take_integer(rows);

    if (value >= 0)
        return (size_t)value;
    rows_damage(rows, "a count of %lld", (long long)value);
    return 0;
}

size_t take_index(struct rows *rows, size_t count, const char *what)
{
    int64_t value = take_integer(rows);

    if (value >= 0 && (uint64_t)value < count)
        return (size_t)value;
    rows_damage(rows, "%s %lld does not exist", what, (long long)value);
    return 0;
}

unsigned take_unsigned(struct rows *rows)
{
    int64_t value = take_integer(rows);

    if (value < 0 || value > UINT32_MAX)
        rows_damage(rows, "a count of %lld", (long long)value);
    return (unsigned)value;
}

bool take_bool(struct rows *rows)
{
    return take_integer(rows) != 0;
}

bool take_null(struct rows *rows)
{
    if (sqlite3_column_type(rows->statement, rows->column) != SQLITE_NULL)
        return false;
    rows->column++;
    return true;
}

double take_real(struct rows *rows)
{
    int column;

    if (take_null(rows))
        return NAN;
    column = rows->column++;
    return right_type(rows, column, SQLITE_FLOAT) ? sqlite3_column_double(rows->statement, column) : NAN;
}

const char *take_text(struct rows *rows)
{
    int column = rows->column++;

    if (!right_type(rows, column, SQLITE_TEXT))
        return "";
    return arena_strndup(rows->arena, (const char *)sqlite3_column_text(rows->statement, column),
                         (size_t)sqlite3_column_bytes(rows->statement, column));
}

const char *take_optional_text(struct rows *rows)
{
    return take_null(rows) ? NULL : take_text(rows);
}

const char *take_raw_text(struct rows *rows)
{
    int column = rows->column++;

    return right_type(rows, column, SQLITE_TEXT) ? (const char *)sqlite3_column_text(rows->statement, column)
                                                 : NULL;
}

const struct reason *take_reason(struct rows *rows)
{
    const char *form = take_raw_text(rows);

    return form != NULL && *form != '\0' ? reason_decode(rows->arena, form) : NULL;
}

const struct reason *take_optional_reason(struct rows *rows)
{
    return take_null(rows) ? NULL : take_reason(rows);
}

void take_sha256(struct rows *rows, char ret_sha256[SHA256_HEX_SIZE])
{
    const char *text = take_text(rows);

    if (strlen(text) == SHA256_HEX_SIZE - 1)
        memcpy(ret_sha256, text, SHA256_HEX_SIZE);
    else
        rows_damage(rows, "'%.80s' is not a SHA-256", text);
}

unsigned take_enum(struct rows *rows, const struct vocabulary *vocabulary)
{
    const char *word = (const char *)sqlite3_column_text(rows->statement, rows->column++);

    for (unsigned i = 0; word != NULL && i < vocabulary->count; i++)
        if (strcmp(vocabulary->words[i], word) == 0)
            return i;
    rows_damage(rows, "'%.40s' is no %s", word != NULL ? word : "NULL", vocabulary->what);
    return 0;
}
