/* SPDX-License-Identifier: Apache-2.0 */
/* A run in another database is the same run, and its manifest tells whether it still is. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "../unit_test.h"
#include "assay/reasons/any.h"
#include "assay/reasons/judge.h"
#include "assay/store/bundle.h"
#include "place.h"
#include "run_tables.h"
#include "sample.h"

struct pair {
    struct place *from, *to;
};

static int set_up(void **state)
{
    static struct pair pair;

    place_set_up((void **)&pair.from);
    place_set_up((void **)&pair.to);
    *state = &pair;
    return 0;
}

static int tear_down(void **state)
{
    struct pair *pair = *state;

    place_tear_down((void **)&pair->from);
    return place_tear_down((void **)&pair->to);
}

static void must(int result, const struct error *err)
{
    if (result != 0)
        fail_msg("%s", err->text);
}

static struct record *load(struct place *place, long long number)
{
    struct error err = {0};
    struct record *record = store_load_run(place->store, place->arena, number, true, &err);

    if (record == NULL)
        fail_msg("%s", err.text);
    return record;
}

static struct manifest manifest_of(struct place *place, long long number, const struct manifest *cited)
{
    struct manifest manifest;
    struct error err = {0};

    must(store_manifest(place->store, place->arena, number, cited, &manifest, &err), &err);
    return manifest;
}

/* Both databases have another run of the same suite, so that no id and no word is the same by chance. */
static long long copy(struct pair *pair, struct redactor *redactor)
{
    struct record *before = sample_large(pair->to->arena, 3, 2, 2),
                  *record = sample_record(pair->from->arena), *kin = sample_record(pair->to->arena);
    struct error err = {0};
    long long number = 0;

    sample_store(pair->to->store, before);
    sample_store(pair->to->store, kin);
    sample_store(pair->from->store, record);
    must(store_copy_run(pair->from->store, 1, pair->to->store, redactor, &number, &err), &err);
    return number;
}

static void a_copied_run_is_the_same_in_every_field(void **state)
{
    struct pair *pair = *state;
    struct error err = {0};
    struct record *copied;
    long long number;

    number = copy(pair, NULL);
    assert_int_equal(number, 3);
    copied = load(pair->to, number);
    copied->number = 1;
    expect_equal_records(load(pair->from, 1), copied, true);
    assert_int_equal(store_copy_run(pair->from->store, 1, pair->to->store, NULL, &number, &err), -1);
    assert_non_null(strstr(err.text, "is already there, as number 3"));
    must(store_check(pair->to->store, &err), &err);
}

static void its_manifest_is_the_same_in_both(void **state)
{
    struct pair *pair = *state;
    struct manifest_difference *differences;
    long long number = copy(pair, NULL);
    struct manifest here = manifest_of(pair->from, 1, NULL), there = manifest_of(pair->to, number, &here);

    assert_true(here.entries.count > 20);
    assert_int_equal(manifest_compare(pair->from->arena, &here, &there, false, &differences), 0);
    assert_string_equal(manifest_said(&here, "run"), manifest_said(&there, "run"));
}

static void a_manifest_reads_as_it_was_written(void **state)
{
    struct pair *pair = *state;
    struct manifest manifest, read;
    struct manifest_difference *differences;
    struct error err = {0};
    cleanup_text struct text text = {0}, again = {0};

    copy(pair, NULL);
    manifest = manifest_of(pair->from, 1, NULL);
    manifest_say(pair->from->arena, &manifest, "suite", "line\nand \\ backslash");
    text_init(&text, 1 << 20);
    text_init(&again, 1 << 20);
    manifest_write(&manifest, &text);
    must(manifest_parse(pair->from->arena, "m", (struct slice){text.bytes, text.length}, &read, &err), &err);
    assert_string_equal(manifest_said(&read, "suite"), "line\nand \\ backslash");
    assert_int_equal(manifest_compare(pair->from->arena, &manifest, &read, false, &differences), 0);
    manifest_write(&read, &again);
    assert_string_equal(text.bytes, again.bytes);
    /* Its head by itself, whatever stands behind it, says the same. */
    read = (struct manifest){0};
    assert_int_equal(manifest_parse_head(pair->from->arena, "m",
                                         slice_of("assay manifest 1\nrun: 7d0b\n\nno entry"), &read, &err),
                     0);
    assert_string_equal(manifest_said(&read, "run"), "7d0b");
    assert_int_equal(
        manifest_parse_head(pair->from->arena, "m", slice_of("assay manifest 1\nrun: 7d0b\n"), &read, &err),
        -1);
    must(manifest_parse_head(pair->from->arena, "m", (struct slice){text.bytes, text.length}, &read, &err),
         &err);
    assert_int_equal(read.head.count, manifest.head.count);
    assert_int_equal(read.entries.count, 0);
    /* Cut anywhere it is refused, or has lost lines that comparing finds missing. */
    for (size_t i = 0; i < text.length; i++)
        if (manifest_parse(pair->from->arena, "m", (struct slice){text.bytes, i}, &read, &err) == 0)
            assert_true(manifest_compare(pair->from->arena, &manifest, &read, false, &differences) > 0);
}

/* Each table of the format is a run's, or is known not to be. */
static void every_table_is_copied_or_is_shared_by_runs(void **state)
{
    static const char shared[] =
        " word content blob pseudonym redaction_key sqlite_sequence acceptance acceptance_document "
        "acceptance_run event ";
    struct pair *pair = *state;
    struct error err = {0};
    sqlite3_stmt *statement =
        run_query(pair->from->store, "SELECT name FROM sqlite_schema WHERE type='table'", 0, NULL, &err);
    size_t found = 0;

    while (run_query_next(pair->from->store, statement, &err) > 0) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        char word[80];
        size_t i = 0;

        snprintf(word, sizeof word, " %s ", name);
        while (i < run_table_count && strcmp(run_tables[i].name, name) != 0)
            i++;
        if (i == run_table_count && strstr(shared, word) == NULL)
            fail_msg("table %s has no row in run_tables.def", name);
        found += i < run_table_count;
    }
    sqlite3_finalize(statement);
    assert_int_equal(found, run_table_count);
}

static void rows_that_are_gone_are_missed_in_every_table(void **state)
{
    struct pair *pair = *state;
    struct manifest here;
    struct error err = {0};

    copy(pair, NULL);
    here = manifest_of(pair->from, 1, NULL);
    must(sqlite3_exec(pair->from->store->db, "PRAGMA foreign_keys=OFF", NULL, NULL, NULL), &err);
    for (size_t i = 1; i < run_table_count; i++) {
        struct manifest_difference *differences;
        struct manifest there;
        char sql[160], path[80];
        bool named = false;
        size_t count;

        snprintf(path, sizeof path, "table/%s", run_tables[i].name);
        snprintf(sql, sizeof sql, "BEGIN; DELETE FROM %s", run_tables[i].name);
        if (strcmp(run_tables[i].name, "judgement") == 0)
            continue;
        must(sqlite3_exec(pair->from->store->db, sql, NULL, NULL, NULL), &err);
        if (sqlite3_changes(pair->from->store->db) > 0) {
            must(sqlite3_exec(pair->from->store->db, "COMMIT", NULL, NULL, NULL), &err);
            there = manifest_of(pair->from, 1, &here);
            count = manifest_compare(pair->from->arena, &here, &there, false, &differences);
            for (size_t k = 0; k < count; k++)
                named |= strcmp(differences[k].path, path) == 0;
            if (!named)
                fail_msg("%s lost its rows, and nobody noticed", path);
        } else {
            must(sqlite3_exec(pair->from->store->db, "ROLLBACK", NULL, NULL, NULL), &err);
        }
    }
}

static void columns_of_a_later_format_do_not_break_a_signature(void **state)
{
    struct pair *pair = *state;
    struct manifest_difference *differences;
    struct manifest here, there;
    struct error err = {0};

    copy(pair, NULL);
    here = manifest_of(pair->from, 1, NULL);
    must(sqlite3_exec(
             pair->from->store->db,
             "ALTER TABLE attempt ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'; ALTER TABLE verdict RENAME "
             "COLUMN accused TO suspected",
             NULL, NULL, NULL),
         &err);
    there = manifest_of(pair->from, 1, &here);
    assert_int_equal(manifest_compare(pair->from->arena, &here, &there, false, &differences), 1);
    assert_string_equal(differences[0].path, "table/verdict");
    assert_non_null(strstr(differences[0].what, "cannot be compared"));
}

static void part_at(struct attempt *attempt, size_t n, struct slice whole, const char *from, const char *to)
{
    size_t begin = slice_find(whole, from), end = slice_find(whole, to);

    attempt->parts.items[n].window = 0;
    attempt->parts.items[n].err = (struct slice){0};
    attempt->parts.items[n].out = (struct slice){whole.bytes + begin, end - begin};
}

static void parts_stay_where_they_were_when_bytes_are_rewritten(void **state)
{
    static const char output[] =
        "gpu001 and gpu002.acme.example begin\n[one from gpu001 and 10.0.0.7\n[two\n[three gpu0 of "
        "gpu[001-002], said ops\n[end";
    struct pair *pair = *state;
    struct redactor *redactor = redactor_create(pair->to->arena, NULL, NULL);
    struct record *record = sample_record(pair->from->arena), *after;
    struct attempt *attempt = &record->attempts.items[0];
    struct slice whole = slice_of(output);
    struct error err = {0};
    long long number;

    assert_true(attempt->parts.count >= 3);
    attempt->captures[0] = (struct capture){.stream = "stdout", .length = whole.length, .bytes = whole};
    for (size_t i = 0; i < attempt->parts.count; i++)
        part_at(attempt, i, whole, "[one", "[one");
    part_at(attempt, 0, whole, "[one", "[two");
    part_at(attempt, 1, whole, "[two", "[three");
    part_at(attempt, 2, whole, "[three", "[end");
    sample_store(pair->from->store, record);
    redactor_know_host(redactor, "gpu001");
    redactor_know_host(redactor, "gpu002");
    redactor_know_user(redactor, "ops");
    must(store_copy_run(pair->from->store, 1, pair->to->store, redactor, &number, &err), &err);
    after = load(pair->to, number);
    attempt = &after->attempts.items[0];
    assert_string_equal(
        attempt->captures[0].bytes.bytes,
        "anon-host1 and anon-host2.anon-domain1 begin\n[one from anon-host1 and 198.18.0.2\n[two\n"
        "[three gpu0 of anon-host[1-2], said anon-user1\n[end");
    assert_true(slice_equal(attempt->parts.items[0].out, "[one from anon-host1 and 198.18.0.2\n"));
    assert_true(slice_equal(attempt->parts.items[1].out, "[two\n"));
    assert_true(slice_equal(attempt->parts.items[2].out, "[three gpu0 of anon-host[1-2], said anon-user1\n"));
}

static const char *copied_form(struct pair *pair, const char *sql)
{
    struct error err = {0};
    sqlite3_stmt *statement = run_query(pair->to->store, sql, 0, NULL, &err);
    const char *form;

    assert_int_equal(run_query_next(pair->to->store, statement, &err), 1);
    form = arena_strdup(pair->to->arena, (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return form;
}

static void reasons_stay_data_when_names_in_them_are_rewritten(void **state)
{
    struct pair *pair = *state;
    struct arena *arena = pair->from->arena;
    struct redactor *redactor = redactor_create(pair->to->arena, NULL, NULL);
    struct record *record = sample_record(arena);
    struct outcome *outcomes = record->judgement.outcomes;
    struct error err = {0};
    const char *said;
    long long number;

    record->attempts.items[0].what =
        reason(arena, about, "gpu001.acme.example", reason(arena, tool_failed, "said \"ops\" to gpu002"));
    outcomes[0].cause = REASON(cancelled);
    outcomes[0].remedy = reason(arena, noted, "[gpu001]", REASON(host_rebooted));
    /* Here the words around it tell that it is a name. */
    outcomes[2].cause = reason(arena, about, "user", "gpu");
    sample_store(pair->from->store, record);
    redactor_know_host(redactor, "gpu001");
    redactor_know_host(redactor, "gpu002");
    redactor_know_user(redactor, "ops");
    redactor_know_user(redactor, "cancelled");
    must(store_copy_run(pair->from->store, 1, pair->to->store, redactor, &number, &err), &err);
    assert_string_equal(
        copied_form(pair, "SELECT text FROM attempt WHERE id=1"),
        "[\"about\",\"anon-host1.anon-domain1\",[\"tool_failed\",\"said \\\"anon-user1\\\" to "
        "anon-host2\"]]");
    assert_string_equal(copied_form(pair, "SELECT cause FROM outcome WHERE step=0 AND slot=0"),
                        "[\"cancelled\"]");
    assert_string_equal(copied_form(pair,
                                    "SELECT text FROM outcome JOIN word ON word.id=remedy WHERE step=0 AND "
                                    "slot=0"),
                        "[\"noted\",\"[anon-host1]\",[\"host_rebooted\"]]");
    said = copied_form(pair, "SELECT cause FROM outcome WHERE step=1 AND slot=0");
    if (strncmp(said, "user: anon-user", strlen("user: anon-user")) != 0)
        fail_msg("%s", said);
}

static void write_bundle(struct pair *pair, const char *path)
{
    struct manifest manifest = manifest_of(pair->from, 1, NULL);
    struct error err = {0};
    char sha256[SHA256_HEX_SIZE];

    sha256_hex("{}", 2, sha256);
    manifest_add(pair->from->arena, &manifest, "report/report.json", "", sha256);
    must(bundle_write(path, pair->from->store, pair->from->folder, pair->from->arena, &manifest,
                      slice_of("{}"), &err),
         &err);
}

/* Among them what only its judgement rests on. */
static void all_documents_come_through_a_bundle(void **state)
{
    struct pair *pair = *state;
    const char *path = arena_printf(pair->from->arena, "%s/run.tar.zst", pair->from->folder);
    struct run_origin origin = {.imported = 1, .bundle = "run.tar.zst", .signers = ""};
    struct record *record = sample_record(pair->from->arena), *imported;
    struct error err = {0};
    struct bundle bundle;
    long long number;

    sample_store(pair->from->store, record);
    write_bundle(pair, path);
    must(bundle_open(path, pair->to->arena, &bundle, &err), &err);
    memcpy(origin.sha256, bundle.sha256, SHA256_HEX_SIZE);
    must(store_import_run(bundle.store, bundle.number, pair->to->store, &origin, &number, &err), &err);
    store_close(bundle.store);
    imported = load(pair->to, number);
    assert_int_equal(imported->judgement.documents.count, 1);
    assert_true(slice_equal(imported->judgement.documents.items[0].bytes, "{\"name\": \"mine\"}"));
}

/* A step owes what its hash is over, and an older assay hashed the English that it kept. */
static void notes_of_before_come_through_a_bundle(void **state)
{
    struct pair *pair = *state;
    struct arena *arena = pair->from->arena;
    const char *path = arena_printf(arena, "%s/run.tar.zst", pair->from->folder);
    const char *note = reason_english(arena, REASON(host_rebooted));
    struct run_origin origin = {.imported = 1, .bundle = "run.tar.zst", .signers = ""};
    struct record *record = sample_record(arena);
    struct slot *slots = record->plan->shapes.items[0]->slots;
    struct limit *own = arena_array(arena, struct limit, slots[0].own_count);
    char digest[SHA256_HEX_SIZE];
    struct error err = {0};
    struct bundle bundle;
    long long number;

    sample_store(pair->from->store, record);
    memcpy(own, slots[0].own, slots[0].own_count * sizeof *own);
    own[0].note = reason(arena, text, note);
    own[0].source = reason_encode(arena, own[0].origin);
    slots[0].own = own;
    slots[1].duty_note = reason(arena, text, reason_encode(arena, slots[1].duty_note));
    shape_digest_kept(record->plan->shapes.items[0], digest);
    place_sql(pair->from, arena_printf(arena,
                                       "UPDATE word SET text='%s' WHERE text='[\"host_rebooted\"]';UPDATE "
                                       "shape SET digest='%s' WHERE id=1",
                                       note, digest));
    write_bundle(pair, path);
    must(bundle_open(path, pair->to->arena, &bundle, &err), &err);
    memcpy(origin.sha256, bundle.sha256, SHA256_HEX_SIZE);
    must(store_import_run(bundle.store, bundle.number, pair->to->store, &origin, &number, &err), &err);
    store_close(bundle.store);
    assert_true(
        reason_is(load(pair->to, number)->plan->shapes.items[0]->slots[0].own[0].note, host_rebooted));
}

/* Who verifies what was signed is not asked what a later judgement rests on. */
static void a_later_judgement_does_not_break_a_signature(void **state)
{
    struct pair *pair = *state;
    struct record *record = sample_record(pair->from->arena);
    struct manifest_difference *differences;
    struct manifest before, after;
    struct error err = {0};
    char uuid[UUID_SIZE];

    sample_store(pair->from->store, record);
    before = manifest_of(pair->from, 1, NULL);
    uuid_create(uuid);
    record->judgement.uuid = uuid;
    must(store_put_judgement(pair->from->store, record, &err), &err);
    after = manifest_of(pair->from, 1, &before);
    assert_int_equal(manifest_compare(pair->from->arena, &before, &after, false, &differences), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_copied_run_is_the_same_in_every_field),
        TEST(its_manifest_is_the_same_in_both),
        TEST(a_manifest_reads_as_it_was_written),
        TEST(every_table_is_copied_or_is_shared_by_runs),
        TEST(rows_that_are_gone_are_missed_in_every_table),
        TEST(columns_of_a_later_format_do_not_break_a_signature),
        TEST(parts_stay_where_they_were_when_bytes_are_rewritten),
        TEST(reasons_stay_data_when_names_in_them_are_rewritten),
        TEST(all_documents_come_through_a_bundle),
        TEST(notes_of_before_come_through_a_bundle),
        TEST(a_later_judgement_does_not_break_a_signature),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
