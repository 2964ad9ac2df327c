/* SPDX-License-Identifier: Apache-2.0 */
/* Killed controllers, full disks, readers beside a writer: what was acknowledged is there. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit_test.h"
#include "assay/base/files.h"
#include "place.h"
#include "sample.h"
#include "store_private.h"

enum { HOSTS = 4, STEPS = 50 };

static void must(bool good, const struct error *err)
{
    if (!good) {
        fprintf(stderr, "# %s\n", err->text);
        _exit(70);
    }
}

/* In a child: a run that writes attempts for ever and says the place of each that is committed. */
static void write_until_killed(const char *path, int acknowledge)
{
    struct arena *arena = arena_create();
    struct record *record = sample_large(arena, HOSTS, STEPS, 3);
    struct error err = {0};
    struct store *store = store_open(path, false, &err);

    must(store != NULL, &err);
    must(store_begin_run(store, record, &err) == 0, &err);
    for (unsigned i = 0;; i++) {
        struct attempt *attempt = sample_attempt(record, i % (HOSTS * STEPS), 1 + i / (HOSTS * STEPS), i);

        attempt->captures[0].length = attempt->captures[0].bytes.length;
        must(store_begin_attempt(store, record, attempt, &err) == 0, &err);
        must(store_end_attempt(store, record, attempt, &err) == 0, &err);
        must(write(acknowledge, &i, sizeof i) == sizeof i, &err);
        must(store_put_readings(store, record, attempt, &err) == 0, &err);
    }
}

/* SQLite's own rule: no connection goes through a fork. The store of the place is closed by it. */
static pid_t start_writer(struct place *place, int *ret_acknowledged)
{
    int ends[2];
    pid_t child;

    store_close(place->store);
    place->store = NULL;
    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        write_until_killed(place->path, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    *ret_acknowledged = ends[0];
    return child;
}

/* The number of attempts acknowledged until now, at least so many. */
static unsigned wait_for(int acknowledged, unsigned wanted)
{
    unsigned last = 0, count = 0;

    while (count < wanted) {
        assert_int_equal(read(acknowledged, &last, sizeof last), sizeof last);
        assert_int_equal(last, count++);
    }
    return count;
}

static void kill_writer(pid_t child)
{
    int status;

    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void expect_sound(const struct store *store)
{
    sqlite3_stmt *statement;

    assert_int_equal(sqlite3_prepare_v2(store->db, "PRAGMA integrity_check", -1, &statement, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    assert_string_equal(sqlite3_column_text(statement, 0), "ok");
    sqlite3_finalize(statement);
    assert_int_equal(sqlite3_prepare_v2(store->db, "PRAGMA foreign_key_check", -1, &statement, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_DONE);
    sqlite3_finalize(statement);
}

/* Every acknowledged attempt has ended, with its captures; the one after it may stand at any point. */
static void expect_attempts(const struct record *record, unsigned acknowledged)
{
    assert_true(record->attempts.count >= acknowledged);
    assert_true(record->attempts.count <= acknowledged + 2);
    for (unsigned i = 0; i < acknowledged; i++) {
        const struct attempt *attempt = &record->attempts.items[i];

        assert_int_equal(attempt->state, ATTEMPT_ENDED);
        assert_int_equal(attempt->step, i % (HOSTS * STEPS));
        assert_int_equal(attempt->captures[0].bytes.length, 200);
        if (i + 1 < acknowledged)
            assert_int_equal(attempt->reading.facts.count, SAMPLE_FACTS);
    }
}

static void a_killed_controller_leaves_every_attempt_that_had_ended(void **state)
{
    enum { ROUNDS = 8 };
    struct place *place = *state;

    for (unsigned round = 1; round <= ROUNDS; round++) {
        int acknowledged;
        unsigned count, last;
        struct error err;
        struct record *record;
        pid_t child;

        child = start_writer(place, &acknowledged);
        count = wait_for(acknowledged, 5 * round);
        usleep(round * 700 % 3000);
        kill_writer(child);
        while (read(acknowledged, &last, sizeof last) == sizeof last)
            count = last + 1;
        close(acknowledged);

        /* Every other time a reader is the first to come. */
        place_reopen(place, round % 2 == 0);
        expect_sound(place->store);
        record = store_load_run(place->store, place->arena, 0, true, &err);
        assert_non_null(record);
        assert_int_equal(record->number, round);
        assert_int_equal(record->state, RUN_INTERRUPTED);
        expect_attempts(record, count);
    }
}

static void copy_file(const char *from, const char *to)
{
    cleanup_text struct text text;
    struct error err = {0};

    text_init(&text, 64 << 20);
    if (file_read(from, &text, &err) < 0 || file_write(to, text.bytes, text.length, 0644, &err) < 0)
        fail_msg("%s", err.text);
}

/* The files as a kill leaves them between the sync of the journal and its removal: so little cache that a
   transaction is written before it is committed. */
static const char *copy_half_written(struct place *place)
{
    const char *path = arena_printf(place->arena, "%s/killed.db", place->folder);
    sqlite3 *db;

    assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "PRAGMA cache_size=5; BEGIN; UPDATE word SET text=text||hex(randomblob(2000));"
                     "UPDATE outcome SET word='pass'",
                     NULL, NULL, NULL),
        SQLITE_OK);
    copy_file(place->path, path);
    copy_file(arena_printf(place->arena, "%s-journal", place->path),
              arena_printf(place->arena, "%s-journal", path));
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return path;
}

static void a_reader_that_comes_first_sees_nothing_half_written(void **state)
{
    struct place *place = *state;
    struct record *record = sample_record(place->arena), *loaded;
    struct store_opening opening = {
        .migrations = store_migrations, .version = store_version, .network = "NFS"};
    struct error err = {0};

    sample_store(place->store, record);
    store_close(place->store);
    place->store = store_open_as(place->path, &opening, &err);
    assert_non_null(place->store);
    store_close(place->store);
    opening.read_only = true;
    place->store = store_open_as(copy_half_written(place), &opening, &err);
    if (place->store == NULL)
        fail_msg("%s", err.text);
    loaded = store_load_run(place->store, place->arena, 0, true, &err);
    if (loaded == NULL)
        fail_msg("%s", err.text);
    expect_equal_records(record, loaded, true);
}

static void readers_see_a_whole_run_while_it_is_written(void **state)
{
    struct place *place = *state;
    int acknowledged;
    unsigned count = 0;
    struct error err = {0};
    struct run_summary *runs;
    size_t run_count;
    pid_t child = start_writer(place, &acknowledged);

    count = wait_for(acknowledged, 1);
    place_reopen(place, true);
    for (unsigned i = 0; i < 8; i++) {
        struct record *record = store_load_run(place->store, place->arena, 0, true, &err);
        unsigned last = 0;

        if (record == NULL)
            fail_msg("%s", err.text);
        assert_int_equal(record->state, RUN_RUNNING);
        assert_int_equal(record->plan->steps.count, HOSTS * STEPS);
        assert_true(record->attempts.count >= count);
        for (unsigned k = 0; k < 10; k++)
            assert_int_equal(read(acknowledged, &last, sizeof last), sizeof last);
        count = last + 1;
    }
    kill_writer(child);
    close(acknowledged);
    /* Reading only, it is shown as interrupted, and the file still says what it said. */
    assert_int_equal(store_load_run(place->store, place->arena, 0, false, &err)->state, RUN_INTERRUPTED);
    assert_int_equal(store_list_runs(place->store, place->arena, 0, &runs, &run_count, &err), 0);
    assert_int_equal(runs[0].state, RUN_INTERRUPTED);
    place_sql(place, "CREATE TEMP TABLE one(x CHECK(x=1)); INSERT INTO one SELECT state='running' FROM run");
}

static void an_interrupted_run_can_be_taken_over_and_a_living_one_not(void **state)
{
    struct place *place = *state;
    int acknowledged;
    struct error err = {0};
    struct record *record;
    pid_t child = start_writer(place, &acknowledged);
    char holder[32];

    wait_for(acknowledged, 1);
    place_reopen(place, false);
    record = store_load_run(place->store, place->arena, 0, false, &err);
    assert_non_null(record);
    assert_int_equal(store_resume_run(place->store, record, NULL, &err), -1);
    assert_int_equal(err.code, ERROR_USAGE);
    snprintf(holder, sizeof holder, "process %d ", (int)child);
    assert_non_null(strstr(err.text, holder));
    kill_writer(child);
    close(acknowledged);

    record = store_load_run(place->store, place->arena, 0, false, &err);
    assert_int_equal(record->state, RUN_INTERRUPTED);
    assert_int_equal(store_resume_run(place->store, record, NULL, &err), 0);
    assert_int_equal(store_load_run(place->store, place->arena, 0, false, &err)->state, RUN_RUNNING);
    /* Ours already: once more is no harm. */
    assert_int_equal(store_resume_run(place->store, record, NULL, &err), 0);
    assert_int_equal(store_end_run(place->store, record, RUN_CANCELLED, 5, &err), 0);
    record = store_load_run(place->store, place->arena, 0, false, &err);
    assert_int_equal(record->state, RUN_CANCELLED);
    assert_true(record->ended == 5);
}

static void a_process_id_given_to_another_is_not_the_controller(void **state)
{
    struct place *place = *state;
    struct record *record = sample_large(place->arena, 1, 1, 1);
    struct error err;

    assert_int_equal(store_begin_run(place->store, record, &err), 0);
    place_sql(place, "UPDATE run SET controller_start='another boot 1'");
    assert_int_equal(store_load_run(place->store, place->arena, 0, false, &err)->state, RUN_INTERRUPTED);
}

static void a_run_of_another_machine_is_not_judged_dead_from_here(void **state)
{
    struct place *place = *state;
    struct record *record = sample_large(place->arena, 1, 1, 1);
    struct error err;

    assert_int_equal(store_begin_run(place->store, record, &err), 0);
    place_sql(place, "UPDATE run SET controller_host='elsewhere.example', controller_pid=1");
    assert_int_equal(store_load_run(place->store, place->arena, 0, false, &err)->state, RUN_RUNNING);
    assert_int_equal(store_resume_run(place->store, record, NULL, &err), -1);
    assert_int_equal(err.code, ERROR_USAGE);
    assert_non_null(strstr(err.text, "elsewhere.example"));
}

/* Writes until the store refuses; returns how many attempts were acknowledged, err set. */
static unsigned write_until_refused(struct store *store, struct record *record, struct error *err)
{
    for (unsigned i = 0; i < 20000; i++) {
        struct attempt *attempt = sample_attempt(record, 0, 1 + i, i);

        if (store_begin_attempt(store, record, attempt, err) < 0 ||
            store_end_attempt(store, record, attempt, err) < 0)
            return i;
        if (store_put_readings(store, record, attempt, err) < 0)
            return i + 1;
    }
    return 20000;
}

/* Ended attempts among those that are there; what was refused may have begun and no more. */
static unsigned ended_attempts(const struct record *record)
{
    unsigned ended = 0;

    for (size_t i = 0; i < record->attempts.count; i++)
        ended += record->attempts.items[i].captures[0].bytes.length == 200;
    return ended;
}

static void a_database_that_may_not_grow_says_so_and_keeps_what_it_has(void **state)
{
    struct place *place = *state;
    struct record *record = sample_large(place->arena, 2, 2, 3), *loaded;
    struct verdict verdict = {.scope = "run", .name = "", .word = VERDICT_INCOMPLETE};
    struct error err = {0};
    unsigned count;

    assert_int_equal(store_begin_run(place->store, record, &err), 0);
    assert_int_equal(sqlite3_exec(place->store->db, "PRAGMA max_page_count=200", NULL, NULL, NULL),
                     SQLITE_OK);
    count = write_until_refused(place->store, record, &err);
    assert_true(count > 10 && count < 20000);
    assert_int_equal(err.code, ERROR_INTERNAL);
    assert_non_null(strstr(err.text, "disk is full"));
    expect_sound(place->store);
    loaded = store_load_run(place->store, place->arena, 0, true, &err);
    assert_non_null(loaded);
    assert_int_equal(ended_attempts(loaded), count);
    /* With room again, the same handle goes on: nothing of the refused transaction is remembered. */
    assert_int_equal(sqlite3_exec(place->store->db, "PRAGMA max_page_count=100000", NULL, NULL, NULL),
                     SQLITE_OK);
    record->judgement.uuid = "j";
    record->judgement.verdicts = &verdict;
    record->judgement.verdict_count = 1;
    assert_int_equal(store_put_judgement(place->store, record, &err), 0);
    assert_int_equal(store_end_run(place->store, record, RUN_ENDED, 1, &err), 0);
    place_reopen(place, true);
    assert_int_equal(store_load_run(place->store, place->arena, 0, true, &err)->state, RUN_ENDED);
}

/* In a child with mounts of its own, so that nothing stays mounted whatever happens. 98: it may not mount. */
static int fill_a_disk(const char *folder)
{
    struct arena *arena = arena_create();
    struct record *record = sample_large(arena, 2, 2, 3), *loaded;
    const char *path = arena_printf(arena, "%s/assay.db", folder);
    struct error err = {0};
    struct store *store;
    unsigned count;

    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
        mount("tmpfs", folder, "tmpfs", 0, "size=1m") < 0)
        return 98;
    store = store_open(path, false, &err);
    must(store != NULL, &err);
    must(store_begin_run(store, record, &err) == 0, &err);
    count = write_until_refused(store, record, &err);
    if (count < 10 || count == 20000 || strstr(err.text, "disk is full") == NULL)
        must(false, &err);
    store_close(store);
    store = store_open(path, true, &err);
    must(store != NULL, &err);
    loaded = store_load_run(store, arena, 0, true, &err);
    must(loaded != NULL, &err);
    if (ended_attempts(loaded) != count)
        return 1;
    store_close(store);
    arena_destroy(arena);
    return 0;
}

static void a_full_disk_is_named_and_loses_nothing(void **state)
{
    struct place *place = *state;
    const char *folder = arena_printf(place->arena, "%s/small", place->folder);
    int status;
    pid_t child;

    assert_int_equal(mkdir(folder, 0755), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(fill_a_disk(folder));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 98) {
        print_message("# SKIP a small file system cannot be mounted here: needs root\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void two_runs_are_written_at_the_same_time(void **state)
{
    struct place *place = *state;
    int first_end, second_end;
    struct error err = {0};
    struct run_summary *runs;
    size_t count;
    pid_t first = start_writer(place, &first_end), second = start_writer(place, &second_end);

    wait_for(first_end, 30);
    wait_for(second_end, 30);
    kill_writer(first);
    kill_writer(second);
    close(first_end);
    close(second_end);
    place_reopen(place, false);
    assert_int_equal(store_list_runs(place->store, place->arena, 0, &runs, &count, &err), 0);
    assert_int_equal(count, 2);
    expect_sound(place->store);
    for (long long number = 1; number <= 2; number++) {
        struct record *record = store_load_run(place->store, place->arena, number, true, &err);

        assert_non_null(record);
        assert_int_equal(record->state, RUN_INTERRUPTED);
        assert_true(record->attempts.count >= 30);
    }
}

/* In a child: waits for the word to begin, then opens the file that all others open too. */
static int open_at_once(const char *path, int begin)
{
    struct error err = {0};
    struct store *store;
    char word;

    must(read(begin, &word, 1) == 0, &err);
    store = store_open(path, false, &err);
    must(store != NULL, &err);
    store_close(store);
    return 0;
}

static void several_controllers_may_make_the_database_at_once(void **state)
{
    enum { ROUNDS = 20, CONTROLLERS = 6 };
    struct place *place = *state;

    for (unsigned round = 0; round < ROUNDS; round++) {
        const char *path = arena_printf(place->arena, "%s/new%u.db", place->folder, round);
        pid_t children[CONTROLLERS];
        int begin[2], status;

        assert_int_equal(pipe(begin), 0);
        for (unsigned i = 0; i < CONTROLLERS; i++) {
            children[i] = fork();
            assert_true(children[i] >= 0);
            if (children[i] == 0) {
                close(begin[1]);
                _exit(open_at_once(path, begin[0]));
            }
        }
        close(begin[0]);
        close(begin[1]);
        for (unsigned i = 0; i < CONTROLLERS; i++) {
            assert_int_equal(waitpid(children[i], &status, 0), children[i]);
            assert_int_equal(status, 0);
        }
    }
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, place_set_up, place_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_killed_controller_leaves_every_attempt_that_had_ended),
        CASE(a_reader_that_comes_first_sees_nothing_half_written),
        CASE(readers_see_a_whole_run_while_it_is_written),
        CASE(an_interrupted_run_can_be_taken_over_and_a_living_one_not),
        CASE(a_process_id_given_to_another_is_not_the_controller),
        CASE(a_run_of_another_machine_is_not_judged_dead_from_here),
        CASE(a_database_that_may_not_grow_says_so_and_keeps_what_it_has),
        CASE(a_full_disk_is_named_and_loses_nothing),
        CASE(two_runs_are_written_at_the_same_time),
        CASE(several_controllers_may_make_the_database_at_once),
    };

    return cmocka_run_group_tests_name("what was acknowledged is there", tests, NULL, NULL);
}
