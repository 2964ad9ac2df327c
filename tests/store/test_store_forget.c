/* SPDX-License-Identifier: Apache-2.0 */
/* What is forgotten is gone with all that it alone used; what stays is untouched. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "../unit_test.h"
#include "place.h"
#include "run_tables.h"
#include "sample.h"

enum { TABLES = 100 };

struct counts {
    char names[TABLES][64];
    int64_t rows[TABLES];
    size_t tables;
};

static void must(int result, const struct error *err)
{
    if (result != 0)
        fail_msg("%s", err->text);
}

/* Of all tables but the interned words and SQLite's own. */
static void count_rows(struct place *place, struct counts *counts)
{
    struct error err = {0};
    sqlite3_stmt *names = run_query(
        place->store,
        "SELECT name FROM sqlite_schema WHERE type='table' AND name NOT IN ('word', 'sqlite_sequence')", 0,
        NULL, &err);

    *counts = (struct counts){0};
    while (run_query_next(place->store, names, &err) > 0) {
        char sql[128];
        sqlite3_stmt *count;

        assert_true(counts->tables < TABLES);
        snprintf(counts->names[counts->tables], sizeof counts->names[0], "%s",
                 (const char *)sqlite3_column_text(names, 0));
        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", counts->names[counts->tables]);
        count = run_query(place->store, sql, 0, NULL, &err);
        assert_int_equal(run_query_next(place->store, count, &err), 1);
        counts->rows[counts->tables++] = sqlite3_column_int64(count, 0);
        sqlite3_finalize(count);
    }
    sqlite3_finalize(names);
    assert_true(counts->tables > run_table_count);
}

static void expect_counts(struct place *place, const struct counts *wanted)
{
    struct counts found;

    count_rows(place, &found);
    assert_int_equal(found.tables, wanted->tables);
    for (size_t i = 0; i < wanted->tables; i++)
        if (found.rows[i] != wanted->rows[i])
            fail_msg("%s has %lld rows, not %lld", wanted->names[i], (long long)found.rows[i],
                     (long long)wanted->rows[i]);
}

static struct record *load(struct place *place, long long number)
{
    struct error err = {0};
    struct record *record = store_load_run(place->store, place->arena, number, true, &err);

    if (record == NULL)
        fail_msg("%s", err.text);
    return record;
}

static void nothing_is_left_of_a_forgotten_run_and_the_others_are_whole(void **state)
{
    struct place *place = *state;
    struct record *stays = sample_record(place->arena), *goes = sample_large(place->arena, 3, 2, 2),
                  *also = sample_record(place->arena);
    struct counts alone;
    struct error err = {0};

    sample_store(place->store, stays);
    count_rows(place, &alone);
    sample_store(place->store, goes);
    sample_store(place->store, also);
    must(store_forget_runs(place->store, (const long long[]){2, 3}, 2, &err), &err);
    expect_counts(place, &alone);
    expect_equal_records(stays, load(place, 1), true);
    must(store_shrink(place->store, &err), &err);
    must(store_check(place->store, &err), &err);
    place_reopen(place, false);
    expect_equal_records(stays, load(place, 1), true);
}

/* Its shapes and bytes were first written for the one that goes. */
static void a_run_keeps_what_it_has_in_common_with_an_older_one_that_goes(void **state)
{
    struct place *place = *state;
    struct record *goes = sample_record(place->arena), *stays = sample_record(place->arena);
    struct error err = {0};

    sample_store(place->store, goes);
    sample_store(place->store, stays);
    must(store_forget_runs(place->store, (const long long[]){1}, 1, &err), &err);
    expect_equal_records(stays, load(place, 2), true);
    assert_null(store_load_run(place->store, place->arena, 1, false, &err));
    sample_store(place->store, sample_large(place->arena, 1, 1, 1));
    load(place, 3); /* no number is given again */
}

static void a_run_that_something_else_speaks_of_is_not_forgotten(void **state)
{
    struct place *place = *state;
    struct record *record = sample_record(place->arena);
    struct counts before;
    struct error err = {0};

    sample_store(place->store, record);
    sample_store(place->store, sample_large(place->arena, 1, 1, 1));
    place_sql(place,
              "INSERT INTO acceptance VALUES(1, 'a', 'su1', 0); INSERT INTO acceptance_run VALUES(1, 1, 0)");
    count_rows(place, &before);
    assert_int_equal(store_forget_runs(place->store, (const long long[]){2, 1}, 2, &err), -1);
    assert_int_equal(err.code, ERROR_USAGE);
    assert_non_null(strstr(err.text, "acceptance_run refers to one of these runs"));
    expect_counts(place, &before);
    expect_equal_records(record, load(place, 1), true);
    /* And references are looked after again. */
    assert_int_not_equal(sqlite3_exec(place->store->db, "DELETE FROM run", NULL, NULL, NULL), SQLITE_OK);
}

static void a_list_says_what_holds_a_run(void **state)
{
    struct place *place = *state;
    struct error err = {0};
    struct run_summary *runs;
    size_t count;

    sample_store(place->store, sample_large(place->arena, 1, 1, 1));
    sample_store(place->store, sample_large(place->arena, 1, 1, 1));
    place_sql(
        place,
        "INSERT INTO acceptance VALUES(1, 'a', 'su1', 0); INSERT INTO acceptance_run VALUES(1, 1, 0);"
        "INSERT INTO judgement(id, uuid, run, baselines) VALUES(90, 'first', 2, ''), (91, 'second', 2, '');"
        "INSERT INTO verdict VALUES(90, 0, 'run', '', 'accept with exceptions', 1, 0, 0, 0, 0, 0, 1),"
        "(91, 0, 'run', '', 'reject', 1, 0, 0, 0, 0, 0, 1)");
    must(store_list_runs(place->store, place->arena, 0, &runs, &count, &err), &err);
    assert_int_equal(count, 2);
    assert_true(runs[0].accepted && !runs[0].in_acceptance && !runs[0].waived);
    assert_int_equal(runs[0].verdict, VERDICT_REJECT);
    assert_true(!runs[1].accepted && runs[1].in_acceptance);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, place_set_up, place_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_left_of_a_forgotten_run_and_the_others_are_whole),
        TEST(a_run_keeps_what_it_has_in_common_with_an_older_one_that_goes),
        TEST(a_run_that_something_else_speaks_of_is_not_forgotten),
        TEST(a_list_says_what_holds_a_run),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
