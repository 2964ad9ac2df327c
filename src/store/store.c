/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening: what the file is comes first, and nothing is changed in one that is not ours. Only then come the
 * journal mode and the migrations.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "assay/base/cleanup.h"
#include "store_private.h"

enum { BUSY_TIMEOUT_MS = 20000 };

/* As many whole numbers as there are answers, of one row. */
static int ask_numbers(struct store *store, const char *sql, int64_t *ret_answers, int count)
{
    sqlite3_stmt *statement;
    int result = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);

    if (result != SQLITE_OK)
        return result;
    result = sqlite3_step(statement);
    if (result == SQLITE_ROW) {
        for (int i = 0; i < count; i++)
            ret_answers[i] = sqlite3_column_int64(statement, i);
        result = SQLITE_OK;
    }
    sqlite3_finalize(statement);
    return result;
}

/* A file that cannot be opened or is none of ours is the caller's to mend, so ERROR_USAGE with the remedy. */
static int opening_error(struct store *store, int result, struct error *err)
{
    switch (result & 0xff) {
    case SQLITE_NOTADB:
        return error_set(
            err, ERROR_USAGE,
            "%s is not a database; name another file with --db or ASSAY_DB, or move this one away",
            store->path);
    case SQLITE_CORRUPT:
        return error_set(
            err, ERROR_USAGE,
            "%s: the database is damaged (%s); restore it from a copy, or move it away and start "
            "a new one",
            store->path, sqlite3_errmsg(store->db));
    case SQLITE_BUSY:
        return error_set(err, ERROR_USAGE, "%s: another process has it locked; try again when it has ended",
                         store->path);
    default:
        return error_set(err, ERROR_USAGE,
                         "%s: cannot be opened as a database: %s; check the path and the rights of the file "
                         "and of its folder",
                         store->path, sqlite3_errmsg(store->db));
    }
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = mem_strdup(path);

    if (slash == NULL) {
        free(folder);
        return mem_strdup(".");
    }
    folder[slash == path ? 1 : slash - path] = '\0';
    return folder;
}

/* Where the file is to be made. */
static int check_folder(const char *path, struct error *err)
{
    cleanup_free char *folder = folder_of(path);

    if (access(folder, W_OK | X_OK) == 0)
        return 0;
    return error_set(err, ERROR_USAGE, "%s cannot be made: %s: %s; name another place with --db or ASSAY_DB",
                     path, folder, strerror(errno));
}

/* Before SQLite sees the path: it would create a missing file, and calls a folder only "unable to open". */
static int check_path(const char *path, bool read_only, struct error *err)
{
    struct stat status;

    if (stat(path, &status) < 0) {
        if (errno != ENOENT || read_only)
            return error_set(err, ERROR_USAGE,
                             "%s: %s; `assay run` makes a database, --db or ASSAY_DB names one", path,
                             strerror(errno));
        return check_folder(path, err);
    }
    if (!S_ISREG(status.st_mode))
        return error_set(err, ERROR_USAGE, "%s is %s; a database is a file: name one with --db or ASSAY_DB",
                         path, S_ISDIR(status.st_mode) ? "a folder" : "no regular file");
    if (read_only && status.st_size == 0)
        return error_set(err, ERROR_USAGE, "%s is empty: no run was ever kept in it", path);
    return 0;
}

static const char *network_of(const char *path)
{
    cleanup_free char *folder = folder_of(path);
    struct statfs status;

    if (statfs(path, &status) < 0 && statfs(folder, &status) < 0)
        return NULL;
    return network_file_system((unsigned long)(uint32_t)status.f_type);
}

/* In a folder that we cannot write, with nobody's WAL in it, SQLite still wants to create its index: then the
   file is read as it lies there. */
static bool lies_still(const char *path)
{
    cleanup_free char *folder = folder_of(path);
    cleanup_free char *wal = mem_printf("%s-wal", path);
    struct stat status;

    return access(folder, W_OK) < 0 && (stat(wal, &status) < 0 || status.st_size == 0);
}

/* Whoever had the file in his hands before: nothing in it is a program of his that runs when we read or write a row. */
static void run_nothing_of_it(struct store *store)
{
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
}

/* The controller has no threads: what SQLite locks and counts for them is a tenth of what merging takes. Only before its
   first use in a process; later it stays as it was. */
static void use_no_threads(void)
{
    (void)sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static int open_file(struct store *store, const char *name, int flags)
{
    int64_t schema;
    int result;

    use_no_threads();
    result = sqlite3_open_v2(name, &store->db, flags, NULL);

    if (result != SQLITE_OK)
        return result;
    run_nothing_of_it(store);
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(store->db, BUSY_TIMEOUT_MS);
    return ask_numbers(store, "SELECT count(*) FROM sqlite_schema", &schema, 1);
}

/* As a URI, every byte that might mean something in one is written as %XX. */
static char *immutable_uri(const char *path)
{
    struct text text;

    text_init(&text, 16384);
    text_put(&text, "file:");
    for (; *path != '\0'; path++)
        if (strchr("?#%", *path) != NULL)
            text_printf(&text, "%%%02X", (unsigned char)*path);
        else
            text_add(&text, path, 1);
    text_put(&text, "?immutable=1");
    return text_detach(&text);
}

/* What a killed writer left half done must be rolled back before anybody can read; a reader may not. */
static int roll_back_and_open(struct store *store)
{
    (void)open_file(store, store->path, SQLITE_OPEN_READWRITE);
    sqlite3_close(store->db);
    return open_file(store, store->path, SQLITE_OPEN_READONLY);
}

static int open_as_it_lies(struct store *store)
{
    cleanup_free char *uri = immutable_uri(store->path);

    return open_file(store, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
}

static int open_read_only(struct store *store, struct error *err)
{
    int result = open_file(store, store->path, SQLITE_OPEN_READONLY);

    if (result == SQLITE_READONLY_ROLLBACK || result == SQLITE_READONLY_RECOVERY) {
        sqlite3_close(store->db);
        result = roll_back_and_open(store);
    } else if (((result & 0xff) == SQLITE_CANTOPEN || (result & 0xff) == SQLITE_READONLY) &&
               lies_still(store->path)) {
        sqlite3_close(store->db);
        result = open_as_it_lies(store);
    }
    return result == SQLITE_OK ? 0 : opening_error(store, result, err);
}

/* What hosts print is in it: for its owner only, unless he says otherwise. SQLite gives its other files the same mode. */
static void create_private(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd >= 0)
        close(fd); /* where it fails, SQLite says why */
}

static int open_for_writing(struct store *store, struct error *err)
{
    int result;

    create_private(store->path);
    result = open_file(store, store->path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    if (result != SQLITE_OK)
        return opening_error(store, result, err);
    if (sqlite3_db_readonly(store->db, "main") == 1)
        return error_set(err, ERROR_USAGE, "%s cannot be written: check the rights of the file", store->path);
    return 0;
}

/* Ours, or empty and to be ours; 0 with its version. In one look, for another process may be making the file: what it had not
   done a moment ago, with what it has done now, would be the file of another program. */
static int check_owner(struct store *store, int newest, int64_t *ret_version, struct error *err)
{
    enum { VERSION, APPLICATION, TABLES, ANSWERS };
    static const char sql[] = "SELECT user_version,application_id,(SELECT count(*) FROM sqlite_schema) "
                              "FROM pragma_user_version,pragma_application_id";
    int64_t answers[ANSWERS] = {0};
    int result = ask_numbers(store, sql, answers, ANSWERS);

    if (result != SQLITE_OK)
        return opening_error(store, result, err);
    *ret_version = answers[VERSION];
    if (answers[APPLICATION] != STORE_APPLICATION_ID &&
        (answers[TABLES] > 0 || *ret_version != 0 || answers[APPLICATION] != 0))
        return error_set(err, ERROR_USAGE,
                         "%s is a database of another program; name another file with --db or ASSAY_DB",
                         store->path);
    if (*ret_version > newest)
        return error_set(err, ERROR_USAGE,
                         "%s was written by a later assay (its format is %lld, this program knows up to %d); "
                         "use that program",
                         store->path, (long long)*ret_version, newest);
    return 0;
}

/* Tables and indexes hold; a trigger or a view does what its author wants, whenever we write or ask. */
static int check_nothing_acts(struct store *store, struct error *err)
{
    int64_t acting = 0;
    int result = ask_numbers(store, "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table','index')",
                             &acting, 1);

    if (result != SQLITE_OK)
        return opening_error(store, result, err);
    if (acting > 0)
        return error_set(err, ERROR_USAGE,
                         "%s has triggers or views, which assay never makes: somebody changed it; restore it "
                         "from a copy",
                         store->path);
    return 0;
}

static int exec(struct store *store, const char *sql, struct error *err)
{
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return database_error(store, "preparing the database", err);
    return 0;
}

static int apply_migrations(struct store *store, const struct store_opening *opening, struct error *err)
{
    int64_t version;
    char pragma[64];

    /* Asked again under the lock: another process may have been first. */
    if (check_owner(store, opening->version, &version, err) < 0)
        return -1;
    if (version == 0 && opening->version >= store_base_version) {
        if (exec(store, store_base, err) < 0)
            return -1;
        version = store_base_version;
    }
    for (; version < opening->version; version++)
        if (exec(store, opening->migrations[version], err) < 0)
            return error_wrap(err, "to format %lld", (long long)version + 1);
    snprintf(pragma, sizeof pragma, "PRAGMA user_version=%d", opening->version);
    if (exec(store, pragma, err) < 0)
        return -1;
    snprintf(pragma, sizeof pragma, "PRAGMA application_id=%d", STORE_APPLICATION_ID);
    return exec(store, pragma, err);
}

static int migrate(struct store *store, const struct store_opening *opening, struct error *err)
{
    int64_t version;

    if (check_owner(store, opening->version, &version, err) < 0)
        return -1;
    if (version == opening->version)
        return 0;
    /* A controller that was killed before its first commit leaves a file without anything in it. */
    if (opening->read_only && version == 0)
        return error_set(err, ERROR_USAGE, "%s is empty: no run was ever kept in it", store->path);
    if (opening->read_only) {
        store->earlier = true;
        return error_set(err, ERROR_USAGE, "%s is of an earlier format (%lld)", store->path,
                         (long long)version);
    }
    /* A table that takes the place of another is no deletion of what referred to it. */
    if (exec(store, "PRAGMA foreign_keys=OFF; PRAGMA legacy_alter_table=ON", err) < 0 ||
        store_begin(store, err) < 0 || store_finish(store, apply_migrations(store, opening, err), err) < 0)
        return -1;
    return exec(store, "PRAGMA legacy_alter_table=OFF; PRAGMA foreign_keys=ON", err);
}

/* Where another process makes the same file at the same time, SQLite does not wait for it by itself. */
static int step_patiently(sqlite3_stmt *statement)
{
    enum { TRIES = 250, PAUSE_MS = 20 };
    int result = sqlite3_step(statement);

    for (int i = 0; (result & 0xff) == SQLITE_BUSY && i < TRIES; i++) {
        sqlite3_reset(statement);
        sqlite3_sleep(PAUSE_MS);
        result = sqlite3_step(statement);
    }
    return result;
}

/* Asks for WAL and takes what it gets: some file systems cannot share memory, and SQLite then stays as it
   was. synchronous FULL with the rollback journal: there NORMAL could lose the whole file, in WAL only the
   last commits. */
static int set_journal_mode(struct store *store, bool wal, bool *ret_wal, struct error *err)
{
    const char *sql = wal ? "PRAGMA journal_mode=WAL" : "PRAGMA journal_mode=DELETE", *mode;
    sqlite3_stmt *statement;
    int result = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);

    if (result == SQLITE_OK)
        result = step_patiently(statement);
    mode = result == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    *ret_wal = mode != NULL && strcmp(mode, "wal") == 0;
    if (mode == NULL)
        database_error(store, "setting its journal", err);
    sqlite3_finalize(statement);
    if (mode == NULL)
        return -1;
    return exec(store, *ret_wal ? "PRAGMA synchronous=NORMAL" : "PRAGMA synchronous=FULL", err);
}

static int set_journal(struct store *store, const char *network, struct error *err)
{
    bool on_network = network != NULL && network[0] != '\0', wal = !on_network;

    if (exec(store, "PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF; PRAGMA temp_store=MEMORY", err) < 0)
        return -1;
    if (!store->read_only && set_journal_mode(store, wal, &wal, err) < 0)
        return -1;
    if (!wal)
        snprintf(store->note, sizeof store->note,
                 "%s is on a %sfile system%s%s%s: kept with a rollback journal instead of WAL, slower, and "
                 "readers wait for the writer",
                 store->path, on_network ? "network " : "", on_network ? " (" : " that cannot do WAL",
                 on_network ? network : "", on_network ? ")" : "");
    return 0;
}

static int prepare(struct store *store, const struct store_opening *opening, struct error *err)
{
    int64_t version;

    if (check_path(store->path, opening->read_only, err) < 0)
        return -1;
    if ((opening->read_only ? open_read_only(store, err) : open_for_writing(store, err)) < 0)
        return -1;
    if (check_owner(store, opening->version, &version, err) < 0 || check_nothing_acts(store, err) < 0)
        return -1;
    if (set_journal(store, opening->network != NULL ? opening->network : network_of(store->path), err) < 0)
        return -1;
    return migrate(store, opening, err);
}

static struct store *store_new(const char *path)
{
    struct store *store = mem_alloc(sizeof *store);

    store->path = mem_strdup(path);
    store->words = intern_create();
    store->codec = blob_codec_create();
    return store;
}

static struct store *open_as(const char *path, const struct store_opening *opening, bool *ret_earlier,
                             struct error *err)
{
    struct store *store = store_new(path);

    store->read_only = opening->read_only;
    *ret_earlier = false;
    if (prepare(store, opening, err) < 0) {
        *ret_earlier = store->earlier;
        store_close(store);
        return NULL;
    }
    return store;
}

struct store *store_open_as(const char *path, const struct store_opening *opening, struct error *err)
{
    bool earlier;

    return open_as(path, opening, &earlier, err);
}

struct store *store_open_nameless(const char *label, int version, struct error *err)
{
    const struct store_opening opening = {.migrations = store_migrations, .version = version};
    struct store *store = store_new(label);

    store->foreign = true;
    if (sqlite3_open_v2("", &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) == SQLITE_OK &&
        exec(store,
             "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA trusted_schema=OFF; PRAGMA "
             "cache_size=-32000",
             err) == 0 &&
        migrate(store, &opening, err) == 0)
        return store;
    if (err->text[0] == '\0')
        database_error(store, "making a temporary database", err);
    store_close(store);
    return NULL;
}

int store_bring_up_to_date(struct store *store, struct error *err)
{
    return migrate(
        store, &(const struct store_opening){.migrations = store_migrations, .version = store_version}, err);
}

/* What only reads has no other way to read what an earlier assay wrote. */
static int bring_file_up_to_date(const char *path, const struct store_opening *opening, struct error *err)
{
    const struct error earlier = *err;
    struct error why = {0};
    struct store_opening writing = *opening;
    struct store *store;

    writing.read_only = false;
    store = store_open_as(path, &writing, &why);
    if (store == NULL)
        return error_set(
            err, ERROR_USAGE,
            "%s; it cannot be brought up to date where it is: %s; copy it, with %s-wal if there is "
            "one, to a folder that you may write in, and give that with --db",
            earlier.text, why.text, path);
    store_close(store);
    return 0;
}

struct store *store_open(const char *path, bool read_only, struct error *err)
{
    const struct store_opening opening = {
        .read_only = read_only, .migrations = store_migrations, .version = store_version};
    bool earlier;
    struct store *store = open_as(path, &opening, &earlier, err);

    if (store != NULL || !earlier || bring_file_up_to_date(path, &opening, err) < 0)
        return store;
    return open_as(path, &opening, &earlier, err);
}

void store_close(struct store *store)
{
    if (store == NULL)
        return;
    for (size_t i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_finalize(store->statements[i]);
    (void)sqlite3_close(store->db);
    intern_destroy(store->words);
    blob_codec_destroy(store->codec);
    free(store->path);
    free(store->driven_from);
    free(store);
}

const char *store_note(const struct store *store)
{
    return store->note;
}
