/* SPDX-License-Identifier: Apache-2.0 */
/* What is no database of ours is refused with a remedy and left as it is. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit_test.h"
#include "assay/base/files.h"
#include "place.h"
#include "sample.h"
#include "store_private.h"

static void read_file(const char *path, struct text *text)
{
    struct error err = {0};

    text_init(text, 64 << 20);
    if (file_read(path, text, &err) < 0)
        fail_msg("%s", err.text);
}

static void write_file(const char *path, const void *bytes, size_t length)
{
    struct error err = {0};

    if (file_write(path, bytes, length, 0644, &err) < 0)
        fail_msg("%s", err.text);
}

/* Refused both ways, with these words, and not a byte of the file is another. */
static void expect_refused(const char *path, const char *words)
{
    cleanup_text struct text before, after;
    struct error err;

    read_file(path, &before);
    for (int read_only = 0; read_only < 2; read_only++) {
        err = (struct error){0};
        assert_null(store_open(path, read_only, &err));
        assert_int_equal(err.code, ERROR_USAGE);
        if (strstr(err.text, words) == NULL || strstr(err.text, path) == NULL)
            fail_msg("'%s' says neither %s nor '%s'", err.text, path, words);
    }
    read_file(path, &after);
    assert_int_equal(before.length, after.length);
    assert_memory_equal(before.bytes, after.bytes, before.length);
}

/* A path beside the open database of the place. */
static const char *beside(struct place *place, const char *name)
{
    return arena_printf(place->arena, "%s/%s", place->folder, name);
}

static void a_text_file_is_no_database(void **state)
{
    struct place *place = *state;
    const char *path = beside(place, "hosts.txt");
    char line[] = "node0 slots=8\nnode1 slots=8\n", long_text[8192];

    write_file(path, line, strlen(line));
    expect_refused(path, "not a database");
    memset(long_text, 'x', sizeof long_text);
    write_file(path, long_text, sizeof long_text);
    expect_refused(path, "not a database");
}

static void a_folder_is_no_database(void **state)
{
    struct place *place = *state;
    struct error err;

    for (int read_only = 0; read_only < 2; read_only++) {
        assert_null(store_open(place->folder, read_only, &err));
        assert_int_equal(err.code, ERROR_USAGE);
        assert_non_null(strstr(err.text, "is a folder"));
    }
}

static void reading_does_not_create_a_database(void **state)
{
    struct place *place = *state;
    const char *missing = beside(place, "missing.db"), *empty = beside(place, "empty.db");
    struct error err;

    assert_null(store_open(missing, true, &err));
    assert_int_equal(err.code, ERROR_USAGE);
    assert_false(file_exists(missing));
    write_file(empty, "", 0);
    assert_null(store_open(empty, true, &err));
    assert_int_equal(err.code, ERROR_USAGE);
    /* In a folder that is missing neither can create one. */
    assert_null(store_open(beside(place, "no/such/assay.db"), false, &err));
    assert_int_equal(err.code, ERROR_USAGE);
}

static void an_empty_file_becomes_a_database(void **state)
{
    struct place *place = *state;
    const char *path = beside(place, "empty.db");
    struct error err;
    struct store *store;

    write_file(path, "", 0);
    store = store_open(path, false, &err);
    assert_non_null(store);
    sample_store(store, sample_record(place->arena));
    store_close(store);
}

static void a_database_of_another_program_is_left_alone(void **state)
{
    struct place *place = *state;
    struct place other = *place;

    snprintf(other.path, sizeof other.path, "%s/other.db", place->folder);
    place_sql(&other, "CREATE TABLE t(x); INSERT INTO t VALUES(1)");
    expect_refused(other.path, "another program");
    place_sql(&other, "PRAGMA user_version=1");
    expect_refused(other.path, "another program");
    snprintf(other.path, sizeof other.path, "%s/marked.db", place->folder);
    place_sql(&other, "PRAGMA application_id=1196444487; PRAGMA user_version=3");
    expect_refused(other.path, "another program");
}

static void a_database_of_a_later_assay_is_refused(void **state)
{
    struct place *place = *state;

    sample_store(place->store, sample_record(place->arena));
    store_close(place->store);
    place->store = NULL;
    place_sql(place, "PRAGMA user_version=99");
    expect_refused(place->path, "later assay");
}

static void a_header_in_ruins_is_refused(void **state)
{
    struct place *place = *state;
    const char *path = beside(place, "damaged.db");
    cleanup_text struct text text;

    sample_store(place->store, sample_record(place->arena));
    store_close(place->store);
    place->store = NULL;
    read_file(place->path, &text);
    /* Cut short; and the page of the schema overwritten behind a good header. */
    write_file(path, text.bytes, text.length / 2);
    expect_refused(path, "damaged");
    memset(text.bytes + 100, 0xa5, 3000);
    write_file(path, text.bytes, text.length);
    expect_refused(path, "damaged");
}

/* Whatever page is lost: an error, or the record as it was; never another record, never a crash. */
static void no_lost_page_gives_another_record(void **state)
{
    enum { PAGE = 4096 };
    struct place *place = *state;
    struct record *record = sample_record(place->arena);
    const char *path = beside(place, "damaged.db");
    unsigned refused = 0;
    cleanup_text struct text text;

    sample_store(place->store, record);
    store_close(place->store);
    place->store = NULL;
    read_file(place->path, &text);
    for (size_t at = PAGE; at + PAGE <= text.length; at += PAGE) {
        char kept[PAGE];
        struct error err = {0};
        struct store *store;
        struct record *loaded = NULL;

        memcpy(kept, text.bytes + at, PAGE);
        memset(text.bytes + at, 0xa5, PAGE);
        write_file(path, text.bytes, text.length);
        memcpy(text.bytes + at, kept, PAGE);
        store = store_open(path, true, &err);
        if (store != NULL)
            loaded = store_load_run(store, place->arena, 1, true, &err);
        if (loaded != NULL)
            expect_equal_records(record, loaded, true);
        else
            assert_non_null(strstr(err.text, "damaged"));
        refused += loaded == NULL;
        store_close(store);
    }
    assert_true(refused > 10);
}

static void changed_evidence_is_an_error_that_names_the_attempt(void **state)
{
    static const char *const harms[] = {
        "UPDATE content SET sha256='0' || substr(sha256, 2) WHERE length=196613",
        "UPDATE blob SET zstd=(SELECT zstd FROM blob WHERE content=b.id AND n=1) FROM (SELECT id FROM "
        "content "
        "WHERE length=196613) b WHERE content=b.id AND n=0",
        "DELETE FROM blob WHERE n=2",
        "UPDATE content SET length=length+1 WHERE length=196613",
        "UPDATE content SET length=1000000000000 WHERE length=196613",
    };
    struct place *place = *state;
    struct record *record = sample_record(place->arena);
    const char *path = beside(place, "harmed.db");
    cleanup_text struct text text;

    sample_store(place->store, record);
    store_close(place->store);
    place->store = NULL;
    read_file(place->path, &text);
    for (size_t i = 0; i < ARRAY_SIZE(harms); i++) {
        struct place harmed = *place;
        struct error err = {0};
        struct store *store;

        write_file(path, text.bytes, text.length);
        snprintf(harmed.path, sizeof harmed.path, "%s", path);
        place_sql(&harmed, harms[i]);
        store = store_open(path, true, &err);
        assert_non_null(store);
        if (store_load_run(store, place->arena, 1, true, &err) != NULL)
            fail_msg("loaded in spite of: %s", harms[i]);
        assert_non_null(strstr(err.text, record->attempts.items[1].uuid));
        store_close(store);
    }
}

static void a_word_of_a_later_version_is_never_a_default(void **state)
{
    static const char *const harms[] = {
        "UPDATE outcome SET word='pas' WHERE word='fail'",
        "UPDATE verdict SET word='accepted'",
        "UPDATE reading SET status='fine'",
        "UPDATE attempt SET ending='ran well'",
        "UPDATE attempt SET state=''",
        "UPDATE finding SET severity='none'",
        "UPDATE slot SET duty='maybe'",
        "UPDATE slot_limit SET rule='about'",
        "UPDATE slot_limit SET status='rumour'",
        "UPDATE step SET origin='nowhere'",
        "UPDATE run SET state='over'",
        "UPDATE run_host SET role='king'",
        "UPDATE outcome SET slot=77 WHERE slot=1",
        "UPDATE outcome SET gate=99999",
        "UPDATE measurement SET metric=99999",
        "UPDATE measurement SET at=(SELECT id FROM word WHERE text='nccl-tests.none')",
        "UPDATE part SET out_offset=0,out_length=10000000",
        "PRAGMA foreign_keys=OFF; UPDATE attempt SET step=55 WHERE n=2",
        "PRAGMA foreign_keys=OFF; UPDATE member SET host=55",
        "PRAGMA foreign_keys=OFF; DELETE FROM member WHERE step=0",
        "UPDATE capture SET stream='stdlog' WHERE stream='stderr'",
        /* Tables that lost their keys. */
        "PRAGMA foreign_keys=OFF; CREATE TABLE other AS SELECT * FROM member; DROP TABLE member; ALTER TABLE "
        "other "
        "RENAME TO member; INSERT INTO member SELECT * FROM member WHERE step=2 AND n=0",
        "PRAGMA foreign_keys=OFF; CREATE TABLE other AS SELECT * FROM slot; DROP TABLE slot; ALTER TABLE "
        "other RENAME TO "
        "slot; UPDATE slot SET n=0",
    };
    struct place *place = *state;
    const char *path = beside(place, "harmed.db");
    cleanup_text struct text text;

    sample_store(place->store, sample_record(place->arena));
    store_close(place->store);
    place->store = NULL;
    place_sql(place, "INSERT INTO word(text) VALUES('nccl-tests.none')");
    read_file(place->path, &text);
    for (size_t i = 0; i < ARRAY_SIZE(harms); i++) {
        struct place harmed = *place;
        struct error err = {0};
        struct store *store;

        write_file(path, text.bytes, text.length);
        snprintf(harmed.path, sizeof harmed.path, "%s", path);
        place_sql(&harmed, harms[i]);
        store = store_open(path, true, &err);
        assert_non_null(store);
        if (store_load_run(store, place->arena, 1, true, &err) != NULL)
            fail_msg("loaded in spite of: %s", harms[i]);
        assert_non_null(strstr(err.text, "damaged"));
        store_close(store);
    }
}

/* Takes the NOT NULL from a column that has one, and its values; false: there is no row to try it on. */
static bool take_values(const struct place *place, const char *table, const char *column)
{
    struct place *to = (struct place *)place;
    const char *rows = arena_printf(to->arena, "UPDATE \"%s\" SET \"%s\"=NULL", table, column);
    sqlite3 *db;
    bool taken;

    place_sql(place, arena_printf(
                         to->arena,
                         "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql=replace(replace(replace("
                         "sql,'%s INTEGER NOT NULL','%s INTEGER'),'%s TEXT NOT NULL','%s TEXT'),'%s REAL NOT "
                         "NULL','%s REAL') WHERE name='%s' AND type='table'",
                         column, column, column, column, column, column, table));
    assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
    sqlite3_exec(db, "PRAGMA ignore_check_constraints=ON", NULL, NULL, NULL);
    taken = sqlite3_exec(db, rows, NULL, NULL, NULL) == SQLITE_OK && sqlite3_changes(db) > 0;
    sqlite3_close(db);
    return taken;
}

/* Whoever wrote the file: what a reader goes by is there, or the file is damaged. */
static void a_value_that_is_missing_is_damage_and_never_a_crash(void **state)
{
    static const char not_null[] =
        "SELECT m.name,c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type='table' AND "
        "m.name NOT LIKE 'sqlite_%' AND c.\"notnull\" AND NOT c.pk";
    struct place *place = *state;
    const char *path = arena_printf(place->arena, "%s/harmed.db", place->folder);
    cleanup_text struct text text = {0};
    struct place harmed = *place;
    sqlite3_stmt *columns;
    sqlite3 *db;
    size_t tried = 0;

    sample_store(place->store, sample_record(place->arena));
    store_close(place->store);
    place->store = NULL;
    place_sql(place, "PRAGMA wal_checkpoint(TRUNCATE)");
    read_file(place->path, &text);
    snprintf(harmed.path, sizeof harmed.path, "%s", path);
    assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, not_null, -1, &columns, NULL), SQLITE_OK);
    while (sqlite3_step(columns) == SQLITE_ROW) {
        struct error err = {0};
        struct run_summary *runs;
        struct store *store;
        size_t count;

        write_file(path, text.bytes, text.length);
        if (!take_values(&harmed, (const char *)sqlite3_column_text(columns, 0),
                         (const char *)sqlite3_column_text(columns, 1)))
            continue;
        store = store_open(path, true, &err);
        if ((store_list_runs(store, place->arena, 0, &runs, &count, &err) < 0 ||
             store_load_run(store, place->arena, 1, true, &err) == NULL) &&
            strstr(err.text, "damaged") == NULL)
            fail_msg("%s", err.text);
        store_close(store);
        tried++;
    }
    sqlite3_finalize(columns);
    sqlite3_close(db);
    assert_true(tried > 80);
}

/* A child without root's rights, whose exit status is the answer. */
static int as_nobody(int (*act)(const struct place *place), const struct place *place)
{
    enum { NOBODY = 65534 };
    int status;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && (setgid(NOBODY) < 0 || setuid(NOBODY) < 0))
            _exit(99);
        _exit(act(place));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int read_but_not_write(const struct place *place)
{
    struct error err = {0};
    struct arena *arena = arena_create();
    struct store *store = store_open(place->path, false, &err);
    int result = 0;

    if (store != NULL || err.code != ERROR_USAGE)
        result = 1;
    store_close(store);
    store = store_open(place->path, true, &err);
    if (store == NULL || store_load_run(store, arena, 1, true, &err) == NULL)
        result = 2;
    store_close(store);
    arena_destroy(arena);
    if (result != 0)
        fprintf(stderr, "# %s\n", err.text);
    return result;
}

static void a_run_in_a_read_only_folder_can_be_read(void **state)
{
    struct place *place = *state;

    sample_store(place->store, sample_record(place->arena));
    store_close(place->store);
    place->store = NULL;
    assert_int_equal(chmod(place->folder, 0555), 0);
    /* The file itself may be written, its folder not; then neither. */
    assert_int_equal(chmod(place->path, 0666), 0);
    assert_int_equal(as_nobody(read_but_not_write, place), 0);
    assert_int_equal(chmod(place->path, 0444), 0);
    assert_int_equal(as_nobody(read_but_not_write, place), 0);
    assert_int_equal(chmod(place->folder, 0755), 0);
}

static void a_store_opened_for_reading_does_not_write(void **state)
{
    struct place *place = *state;
    struct record *record = sample_record(place->arena);
    struct error err;

    sample_store(place->store, record);
    place_reopen(place, true);
    assert_int_equal(store_put_judgement(place->store, record, &err), -1);
    assert_non_null(strstr(err.text, "reading only"));
}

static void what_is_kept_is_for_its_owner_only(void **state)
{
    static const char *const files[] = {"", "-wal", "-shm"};
    struct place *place = *state;

    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        char path[80];
        struct stat status;

        snprintf(path, sizeof path, "%s%s", place->path, files[i]);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 0777, 0600);
    }
}

static const char *journal_mode(struct store *store, char *mode, size_t size)
{
    sqlite3_stmt *statement;

    assert_int_equal(sqlite3_prepare_v2(store->db, "PRAGMA journal_mode", -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    snprintf(mode, size, "%s", (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return mode;
}

static void on_a_network_file_system_there_is_no_wal_and_a_note(void **state)
{
    struct place *place = *state;
    struct store_opening opening = {
        .migrations = store_migrations, .version = store_version, .network = "NFS"};
    struct record *record = sample_record(place->arena);
    struct error err;
    char mode[16];

    assert_string_equal(journal_mode(place->store, mode, sizeof mode), "wal");
    assert_string_equal(store_note(place->store), "");
    sample_store(place->store, record);
    store_close(place->store);
    place->store = store_open_as(place->path, &opening, &err);
    assert_non_null(place->store);
    assert_string_equal(journal_mode(place->store, mode, sizeof mode), "delete");
    assert_non_null(strstr(store_note(place->store), "NFS"));
    assert_non_null(strstr(store_note(place->store), "rollback journal"));
    expect_equal_records(record, store_load_run(place->store, place->arena, 1, true, &err), true);
    sample_store(place->store, sample_record(place->arena));
}

static void network_file_systems_are_known_by_their_magic(void **state)
{
    (void)state;
    assert_string_equal(network_file_system(0x6969), "NFS");
    assert_string_equal(network_file_system(0x0bd00bd0), "Lustre");
    assert_string_equal(network_file_system(0xff534d42), "CIFS");
    assert_string_equal(network_file_system(0x65735546), "FUSE");
    assert_null(network_file_system(0xef53));     /* ext4 */
    assert_null(network_file_system(0x58465342)); /* XFS */
    assert_null(network_file_system(0x01021994)); /* tmpfs */
}

static int64_t ask(struct store *store, const char *sql)
{
    sqlite3_stmt *statement;
    int64_t answer;

    assert_int_equal(sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    answer = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return answer;
}

static void a_new_version_is_one_more_row(void **state)
{
    struct place *place = *state;
    struct record *record = sample_record(place->arena);
    const char *failing[32], *next[32];
    struct store_opening opening = {.migrations = failing, .version = store_version + 1};
    struct error err;

    for (int i = 0; i < store_version; i++)
        failing[i] = next[i] = store_migrations[i];
    failing[store_version] = "CREATE TABLE another(x) STRICT; CREATE TABLE run(x)";
    next[store_version] = "CREATE TABLE another(x TEXT) STRICT";
    sample_store(place->store, record);
    store_close(place->store);
    /* One that fails leaves the file as it was: still of its version, nothing of it there. */
    place->store = store_open_as(place->path, &opening, &err);
    assert_null(place->store);
    place->store = store_open(place->path, false, &err);
    assert_non_null(place->store);
    assert_int_equal(ask(place->store, "PRAGMA user_version"), store_version);
    assert_int_equal(ask(place->store, "SELECT count(*) FROM sqlite_schema WHERE name='another'"), 0);
    store_close(place->store);

    opening = (struct store_opening){.migrations = next, .version = store_version + 1, .read_only = true};
    place->store = store_open_as(place->path, &opening, &err);
    assert_null(place->store);
    assert_non_null(strstr(err.text, "earlier format"));
    opening.read_only = false;
    place->store = store_open_as(place->path, &opening, &err);
    assert_non_null(place->store);
    assert_int_equal(ask(place->store, "PRAGMA user_version"), store_version + 1);
    assert_int_equal(ask(place->store, "SELECT count(*) FROM sqlite_schema WHERE name='another'"), 1);
    expect_equal_records(record, store_load_run(place->store, place->arena, 1, true, &err), true);
}

static const char *schema_text(struct place *place)
{
    sqlite3_stmt *statement;
    const char *all = "";

    assert_int_equal(sqlite3_prepare_v2(place->store->db,
                                        "SELECT type||' '||name||' '||tbl_name||' '||coalesce(sql,'') FROM "
                                        "sqlite_schema ORDER BY type,name",
                                        -1, &statement, NULL),
                     SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW)
        all = arena_printf(place->arena, "%s\n%s", all, (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return all;
}

/* Format 11 is the last of those that grew piece by piece. */
static void open_as_11(struct place *place)
{
    struct store_opening opening = {.migrations = store_migrations, .version = 11};
    struct error err;

    store_close(place->store);
    assert_int_equal(remove(place->path), 0);
    place->store = store_open_as(place->path, &opening, &err);
    assert_non_null(place->store);
    /* That this program writes it. */
    place_sql(place, "ALTER TABLE attempt ADD COLUMN frame TEXT;"
                     "ALTER TABLE shape ADD COLUMN repeat_for_s INTEGER NOT NULL DEFAULT 0");
}

static void an_older_database_gets_the_tables_of_a_new_one_and_keeps_its_runs(void **state)
{
    struct place *place = *state;
    struct record *record = sample_record(place->arena), *gone = sample_large(place->arena, 2, 2, 3);
    const char *fresh = schema_text(place);
    struct error err;

    ((struct shape *)(uintptr_t)record->plan->shapes.items[0])->repeat_for_s = 0; /* there was none */
    open_as_11(place);
    assert_string_not_equal(schema_text(place), fresh);
    sample_store(place->store, record);
    place_sql(place,
              "INSERT INTO run(id,uuid,state,suite,suite_title,hostfile,program,started,ended,controller_pid,"
              "controller_start,controller_host) VALUES(7,'gone','ended','','','','',0,0,1,'','');"
              "DELETE FROM run WHERE id=7");
    store_close(place->store);
    place->store = store_open(place->path, false, &err);
    assert_non_null(place->store);
    assert_string_equal(schema_text(place), fresh);
    expect_equal_records(record, store_load_run(place->store, place->arena, 1, true, &err), true);
    assert_int_equal(ask(place->store, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    assert_int_equal(ask(place->store, "PRAGMA foreign_keys"), 1);
    sample_store(place->store, gone); /* a number that was given is not given again */
    assert_int_equal(gone->number, 8);
}

static void a_row_without_what_it_must_have_does_not_become_another_format(void **state)
{
    struct place *place = *state;
    struct error err;

    open_as_11(place);
    sample_store(place->store, sample_record(place->arena));
    place_sql(place, "ALTER TABLE attempt DROP COLUMN frame; ALTER TABLE shape DROP COLUMN repeat_for_s; "
                     "UPDATE finding SET text=NULL");
    store_close(place->store);
    place->store = store_open(place->path, false, &err);
    assert_null(place->store);
    assert_non_null(strstr(err.text, "finding.text"));
    place->store = store_open_as(
        place->path, &(struct store_opening){.migrations = store_migrations, .version = 11}, &err);
    assert_non_null(place->store);
    assert_int_equal(ask(place->store, "SELECT count(*) FROM run"), 1);
}

/* Until version 2 a capture of which the host kept the head only was called clipped. */
static void what_version_2_called_clipped_was_a_flood(void **state)
{
    struct place *place = *state;
    struct store_opening opening = {.migrations = store_migrations, .version = 2};
    struct error err;

    store_close(place->store);
    assert_int_equal(remove(place->path), 0);
    place->store = store_open_as(place->path, &opening, &err);
    assert_non_null(place->store);
    place_sql(place, "PRAGMA foreign_keys=OFF; INSERT INTO capture VALUES(1,'stdout',5,1,0,NULL);"
                     "INSERT INTO capture VALUES(1,'stderr',5,0,1,NULL);"
                     "INSERT INTO window_capture VALUES(1,0,'stdout',5,1,0,NULL)");
    store_close(place->store);
    place->store = store_open(place->path, false, &err);
    assert_non_null(place->store);
    assert_int_equal(ask(place->store, "SELECT count(*) FROM capture WHERE flooded=1 AND cut=0 AND clipped=0 "
                                       "AND stream='stdout'"),
                     1);
    assert_int_equal(
        ask(place->store, "SELECT count(*) FROM capture WHERE flooded=0 AND cut=1 AND clipped=0"), 1);
    assert_int_equal(ask(place->store, "SELECT count(*) FROM window_capture WHERE flooded=1"), 1);
}

/* Whoever had the file before us. */
static void nothing_in_a_file_is_a_program_that_runs(void **state)
{
    struct place *place = *state;
    struct record *record = sample_record(place->arena);
    struct error err = {0};

    sample_store(place->store, record);
    store_close(place->store);
    place->store = NULL;
    place_sql(place,
              "CREATE TRIGGER evil AFTER INSERT ON verdict BEGIN UPDATE verdict SET word='accept'; END");
    assert_null(store_open(place->path, false, &err));
    assert_non_null(strstr(err.text, "triggers or views"));
    place_sql(
        place,
        "DROP TRIGGER evil; PRAGMA foreign_keys=OFF; ALTER TABLE verdict RENAME TO kept; CREATE VIEW verdict "
        "AS SELECT judgement,"
        "n,scope,name,'accept' AS word,pass,fail,inconclusive,not_run,recorded,accused,waived FROM kept");
    assert_null(store_open(place->path, true, &err));
    assert_non_null(strstr(err.text, "triggers or views"));
}

static void every_table_is_strict_and_keys_are_enforced(void **state)
{
    struct place *place = *state;

    assert_int_equal(ask(place->store,
                         "SELECT count(*) FROM pragma_table_list WHERE type='table' AND strict=0 "
                         "AND name NOT LIKE 'sqlite%'"),
                     0);
    assert_true(ask(place->store, "SELECT count(*) FROM pragma_table_list WHERE strict=1") > 15);
    assert_int_equal(ask(place->store, "PRAGMA foreign_keys"), 1);
    assert_int_equal(ask(place->store, "PRAGMA synchronous"), 1);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, place_set_up, place_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_text_file_is_no_database),
        CASE(a_folder_is_no_database),
        CASE(reading_does_not_create_a_database),
        CASE(an_empty_file_becomes_a_database),
        CASE(a_database_of_another_program_is_left_alone),
        CASE(a_database_of_a_later_assay_is_refused),
        CASE(a_header_in_ruins_is_refused),
        CASE(no_lost_page_gives_another_record),
        CASE(changed_evidence_is_an_error_that_names_the_attempt),
        CASE(a_word_of_a_later_version_is_never_a_default),
        CASE(a_run_in_a_read_only_folder_can_be_read),
        CASE(a_store_opened_for_reading_does_not_write),
        CASE(on_a_network_file_system_there_is_no_wal_and_a_note),
        cmocka_unit_test(network_file_systems_are_known_by_their_magic),
        CASE(a_new_version_is_one_more_row),
        CASE(a_value_that_is_missing_is_damage_and_never_a_crash),
        CASE(an_older_database_gets_the_tables_of_a_new_one_and_keeps_its_runs),
        CASE(a_row_without_what_it_must_have_does_not_become_another_format),
        CASE(what_version_2_called_clipped_was_a_flood),
        CASE(every_table_is_strict_and_keys_are_enforced),
        CASE(what_is_kept_is_for_its_owner_only),
        CASE(nothing_in_a_file_is_a_program_that_runs),
    };

    return cmocka_run_group_tests_name("what is no database of ours is left as it is", tests, NULL, NULL);
}
