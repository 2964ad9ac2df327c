/* SPDX-License-Identifier: Apache-2.0 */
/* What goes in comes out, field by field. */
#include <sqlite3.h>
#include <string.h>

#include "../unit_test.h"
#include "assay/reasons/any.h"
#include "assay/reasons/judge.h"
#include "place.h"
#include "sample.h"

static struct record *load(struct place *place, long long number, bool evidence)
{
    struct error err = {0};
    struct record *record = store_load_run(place->store, place->arena, number, evidence, &err);

    if (record == NULL)
        fail_msg("%s", err.text);
    return record;
}

static void a_run_comes_back_as_it_was_kept(void **state)
{
    struct place *place = *state;
    struct record *record = sample_record(place->arena), *loaded;

    sample_store(place->store, record);
    assert_int_equal(record->number, 1);
    loaded = load(place, 0, true);
    expect_equal_records(record, loaded, true);
    /* Bytes of parts are in the captures, not beside them. */
    assert_ptr_equal(loaded->attempts.items[0].parts.items[0].out.bytes,
                     loaded->attempts.items[0].captures[0].bytes.bytes);
    expect_equal_records(record, load(place, 1, false), false);

    place_reopen(place, true);
    expect_equal_records(record, load(place, 1, true), true);
}

static void without_evidence_there_are_no_bytes_but_their_hashes(void **state)
{
    struct place *place = *state;
    struct record *record = sample_record(place->arena), *loaded;
    struct error err;

    sample_store(place->store, record);
    loaded = load(place, 1, false);
    assert_null(loaded->attempts.items[0].captures[0].bytes.bytes);
    assert_int_equal(strlen(loaded->attempts.items[0].captures[0].sha256), 64);
    assert_int_equal(loaded->documents.items[0].bytes.length, 11);
    /* Such a record cannot overwrite what it does not have. */
    assert_int_equal(store_put_readings(place->store, loaded, &loaded->attempts.items[0], &err), -1);
    assert_non_null(strstr(err.text, "without its captures"));
    expect_equal_records(record, load(place, 1, true), true);
}

static bool is_wanted(const char *tool, const char *fact)
{
    return strcmp(tool, "nvidia-smi") == 0 && strcmp(fact, "gpu.uuid") == 0;
}

static void a_lean_run_has_of_its_parts_only_the_facts_that_are_wanted(void **state)
{
    struct place *place = *state;
    struct record *record = sample_record(place->arena), *lean;
    struct reading *reading = &record->attempts.items[0].parts.items[0].reading;
    struct error err;

    reading_init(reading, place->arena, "nvidia-smi");
    reading_set(reading, READING_PARTIAL, reason_text(place->arena, "row 3 is cut"));
    reading_measure(reading, "gpu.count", "", 8, "");
    reading_fact(reading, "gpu.name", "gpu0", slice_of("H100"));
    reading_fact(reading, "gpu.uuid", "gpu0", slice_of("GPU-a"));
    reading_finding(reading, SEVERITY_FAULT, "gpu.lost", "gpu1", reason_text(place->arena, "it is gone"));
    sample_store(place->store, record);
    lean = store_load_lean(place->store, place->arena, 1, is_wanted, &err);
    assert_non_null(lean);
    reading = &lean->attempts.items[0].parts.items[0].reading;
    assert_int_equal(reading->measurements.count, 0);
    assert_int_equal(reading->facts.count, 1);
    assert_string_equal(reading_get_fact(reading, "gpu.uuid", "gpu0"), "GPU-a");
    assert_int_equal(reading->findings.count, 1);
    assert_string_equal(reason_english(place->arena, reading->reason), "row 3 is cut");
    assert_true(lean->attempts.items[0].reading.measurements.count > 0);

    /* All else is as it is in a whole one. */
    for (size_t i = 0; i < lean->attempts.count; i++)
        for (size_t k = 0; k < lean->attempts.items[i].parts.count; k++)
            lean->attempts.items[i].parts.items[k].reading = record->attempts.items[i].parts.items[k].reading;
    expect_equal_records(record, lean, false);
}

static void evidence_comes_one_attempt_at_a_time(void **state)
{
    struct place *place = *state;
    struct record *record = sample_record(place->arena), *lean;
    struct arena *scratch = arena_create();
    struct error err;

    sample_store(place->store, record);
    lean = store_load_lean(place->store, place->arena, 1, is_wanted, &err);
    assert_non_null(lean);
    for (size_t i = 0; i < lean->attempts.count; i++) {
        struct attempt *attempt = &lean->attempts.items[i];
        const struct attempt *whole = &load(place, 1, true)->attempts.items[i];

        assert_int_equal(store_load_evidence(place->store, scratch, lean, attempt, &err), 0);
        for (size_t k = 0; k < 2; k++) {
            assert_int_equal(attempt->captures[k].bytes.length, whole->captures[k].bytes.length);
            assert_memory_equal(attempt->captures[k].bytes.bytes, whole->captures[k].bytes.bytes,
                                whole->captures[k].bytes.length);
        }
        assert_int_equal(attempt->windows.count, whole->windows.count);
        for (size_t k = 0; k < whole->windows.count; k++)
            assert_int_equal(attempt->windows.items[k].captures[0].bytes.length,
                             whole->windows.items[k].captures[0].bytes.length);
    }
    lean->attempts.items[0].uuid = "none";
    assert_int_equal(store_load_evidence(place->store, scratch, lean, &lean->attempts.items[0], &err), -1);
    assert_non_null(strstr(err.text, "has no attempt none"));
    arena_destroy(scratch);
}

static void who_follows_a_run_gets_its_attempts_one_by_one(void **state)
{
    struct place *place = *state;
    struct record *record = sample_record(place->arena), *question, *lean;
    struct begun_attempts begun, rest;
    struct attempt attempt;
    struct error err;

    sample_store(place->store, record);
    question = store_load_question(place->store, place->arena, 1, &err);
    lean = store_load_lean(place->store, place->arena, 1, is_wanted, &err);
    assert_non_null(question);
    assert_non_null(lean);
    assert_int_equal(question->attempts.count, 0);
    assert_int_equal(question->documents.count, record->documents.count);
    assert_int_equal(question->plan->steps.count, record->plan->steps.count);
    assert_int_equal(store_begun_attempts(place->store, place->arena, 1, 0, &begun, &err), 0);
    assert_int_equal(begun.items.count, record->attempts.count);
    for (size_t i = 0; i < begun.items.count; i++) {
        assert_int_equal(begun.items.items[i].step, record->attempts.items[i].step);
        assert_int_equal(begun.items.items[i].n, record->attempts.items[i].n);
        assert_true(begun.items.items[i].sent == record->attempts.items[i].sent);
        assert_int_equal(store_load_attempt(place->store, place->arena, question, begun.items.items[i].id,
                                            is_wanted, &lean->attempts.items[i], &err),
                         0);
        for (size_t k = 0; k < lean->attempts.items[i].parts.count; k++)
            lean->attempts.items[i].parts.items[k].reading = record->attempts.items[i].parts.items[k].reading;
    }
    expect_equal_records(record, lean, false);
    assert_int_equal(
        store_begun_attempts(place->store, place->arena, 1, begun.items.items[0].id, &rest, &err), 0);
    assert_int_equal(rest.items.count, begun.items.count - 1);
    assert_int_equal(rest.items.items[0].id, begun.items.items[1].id);
    assert_int_equal(store_load_attempt(place->store, place->arena, question, 999, is_wanted, &attempt, &err),
                     -1);
    assert_non_null(strstr(err.text, "has no attempt 999"));
    assert_null(store_load_question(place->store, place->arena, 9, &err));
}

static void runs_of_one_suite_do_not_mix(void **state)
{
    struct place *place = *state;
    struct record *first = sample_record(place->arena), *second = sample_record(place->arena),
                  *third = sample_record(place->arena);
    struct limit eased = third->plan->shapes.items[0]->slots[0].own[1];

    /* The same shape by its hash, yet with another timeout, or only another limit. */
    ((struct shape *)second->plan->shapes.items[0])->timeout_s = 7;
    second->plan->shapes.items[0]->slots[0].duty_note = reason_text(place->arena, "other");
    eased.value = 1;
    third->plan->shapes.items[0]->slots[1].own = &eased;
    sample_store(place->store, first);
    sample_store(place->store, second);
    sample_store(place->store, third);
    assert_int_equal(third->number, 3);
    expect_equal_records(first, load(place, 1, true), true);
    expect_equal_records(second, load(place, 2, true), true);
    expect_equal_records(third, load(place, 3, true), true);
}

static void a_plan_that_grew_comes_back_whole(void **state)
{
    struct place *place = *state;
    struct record *record = sample_record(place->arena);
    size_t first_step = record->plan->steps.count;
    struct error err;

    sample_store(place->store, record);
    sample_grow(record);
    assert_int_equal(store_add_steps(place->store, record, first_step, &err), 0);
    expect_equal_records(record, load(place, 1, true), true);
    /* The same steps once more are refused, and nothing of them is kept. */
    assert_int_equal(store_add_steps(place->store, record, first_step, &err), -1);
    expect_equal_records(record, load(place, 1, true), true);
}

static void an_attempt_is_there_before_it_is_sent(void **state)
{
    struct place *place = *state;
    struct record *record = sample_large(place->arena, 2, 2, 3), *loaded;
    struct attempt *attempt;
    struct error err;

    assert_int_equal(store_begin_run(place->store, record, &err), 0);
    attempt = sample_attempt(record, 1, 1, 5);
    attempt->state = ATTEMPT_SENT;
    assert_int_equal(store_begin_attempt(place->store, record, attempt, &err), 0);
    loaded = load(place, 1, true);
    assert_int_equal(loaded->state, RUN_RUNNING);
    assert_int_equal(loaded->attempts.count, 1);
    assert_int_equal(loaded->attempts.items[0].state, ATTEMPT_SENT);
    assert_string_equal(loaded->attempts.items[0].command, attempt->command);
    assert_string_equal(loaded->attempts.items[0].captures[1].stream, "stderr");
    assert_string_equal(loaded->attempts.items[0].reading.tool, "");
    /* The same attempt twice, or the end of one that never began, is our own mistake and said so. */
    assert_int_equal(store_begin_attempt(place->store, record, attempt, &err), -1);
    attempt->uuid = "another";
    assert_int_equal(store_end_attempt(place->store, record, attempt, &err), -1);
    assert_non_null(strstr(err.text, "never started"));
}

static void readings_are_replaced_not_added_to(void **state)
{
    struct place *place = *state;
    struct record *record = sample_record(place->arena);
    struct attempt *attempt = &record->attempts.items[1];
    struct error err;

    sample_store(place->store, record);
    reading_init(&attempt->reading, place->arena, "nccl-tests");
    reading_set(&attempt->reading, READING_PARTIAL, reason_text(place->arena, "cut after row 3"));
    reading_measure(&attempt->reading, "nccl.ranks", "", 16, "");
    attempt->parts.count = 1;
    assert_int_equal(store_put_readings(place->store, record, attempt, &err), 0);
    expect_equal_records(record, load(place, 1, true), true);
}

static void the_last_judgement_is_shown(void **state)
{
    struct place *place = *state;
    struct record *record = sample_record(place->arena);
    struct run_summary *runs;
    size_t count;
    struct error err;

    sample_store(place->store, record);
    record->judgement.uuid = "later";
    record->judgement.outcomes[0].word = OUTCOME_PASS;
    record->judgement.verdicts[0].word = VERDICT_INCOMPLETE;
    assert_int_equal(store_put_judgement(place->store, record, &err), 0);
    expect_equal_records(record, load(place, 1, true), true);
    assert_int_equal(store_list_runs(place->store, place->arena, 0, &runs, &count, &err), 0);
    assert_int_equal(count, 1);
    assert_int_equal(runs[0].verdict, VERDICT_INCOMPLETE);
    /* The same one twice is refused. */
    assert_int_equal(store_put_judgement(place->store, record, &err), -1);
}

static void an_outcome_that_was_not_planned_is_never_kept(void **state)
{
    struct place *place = *state;
    struct record *record = sample_record(place->arena), *loaded;
    struct error err;

    sample_store(place->store, record);
    record->judgement.uuid = "unplanned";
    record->judgement.outcomes[3].slot = 2;
    outcome_held_own(place->arena, &record->judgement.outcomes[0])->gate =
        reason_text(place->arena, "a word of the refused transaction");
    assert_int_equal(store_put_judgement(place->store, record, &err), -1);
    assert_non_null(strstr(err.text, "not planned"));
    loaded = load(place, 1, true);
    assert_string_not_equal(loaded->judgement.uuid, "unplanned");
    assert_int_equal(loaded->judgement.outcome_count, 4);
    /* Mended, it is kept: words of what was rolled back are not taken for known. */
    record->judgement.outcomes[3].slot = 1;
    outcome_held_own(place->arena, &record->judgement.outcomes[1])->gate =
        reason_text(place->arena, "another word");
    assert_int_equal(store_put_judgement(place->store, record, &err), 0);
    expect_equal_records(record, load(place, 1, true), true);
}

static void a_word_that_does_not_exist_is_never_kept(void **state)
{
    struct place *place = *state;
    struct record *record = sample_record(place->arena);
    struct error err;

    sample_store(place->store, record);
    record->judgement.uuid = "wrong word";
    record->judgement.outcomes[1].word = (enum outcome_word)17;
    assert_int_equal(store_put_judgement(place->store, record, &err), -1);
    assert_int_equal(load(place, 1, true)->judgement.outcomes[1].word, OUTCOME_RECORDED);
}

static void bytes_other_than_announced_are_refused(void **state)
{
    struct place *place = *state;
    struct record *record = sample_large(place->arena, 1, 1, 1);
    struct attempt *attempt = sample_attempt(record, 0, 1, 1);
    struct part *part = &attempt->parts.items[0];
    struct slice out = part->out;
    struct error err;

    assert_int_equal(store_begin_run(place->store, record, &err), 0);
    assert_int_equal(store_begin_attempt(place->store, record, attempt, &err), 0);
    attempt->captures[0].sha256[0] ^= 1;
    assert_int_equal(store_end_attempt(place->store, record, attempt, &err), -1);
    assert_non_null(strstr(err.text, attempt->uuid));
    attempt->captures[0].sha256[0] ^= 1;
    assert_int_equal(store_end_attempt(place->store, record, attempt, &err), 0);
    part->out = slice_of("bytes of nowhere");
    assert_int_equal(store_put_readings(place->store, record, attempt, &err), -1);
    assert_non_null(strstr(err.text, "do not lie in the capture"));
    part->out = (struct slice){out.bytes, attempt->captures[0].bytes.length + 1};
    assert_int_equal(store_put_readings(place->store, record, attempt, &err), -1);
}

static int64_t count_rows(const struct place *place, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    int64_t count;

    assert_int_equal(sqlite3_open(place->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    count = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return count;
}

static void fill_capture(struct arena *arena, struct capture *capture, size_t length)
{
    char *bytes = arena_alloc(arena, length + 1);

    for (size_t i = 0; i < length; i++)
        bytes[i] = (char)((i * 2654435761U) >> 13);
    capture->bytes = (struct slice){bytes, length};
    capture->length = length;
    capture->clipped = true;
    sha256_hex(bytes, length, capture->sha256);
}

static void assert_piece(struct slice found, struct slice whole, size_t offset, size_t length)
{
    assert_int_equal(found.length, length);
    assert_memory_equal(found.bytes, whole.bytes + offset, length);
}

static void a_clipped_output_is_kept_as_head_tail_and_hash(void **state)
{
    enum { WHOLE = 9 << 20, END = CAPTURE_END_BYTES };
    struct place *place = *state;
    struct record *record = sample_large(place->arena, 1, 1, 1);
    struct attempt *attempt = sample_attempt(record, 0, 1, 1), *loaded;
    struct part *part = &attempt->parts.items[0];
    struct slice whole;
    struct error err;

    fill_capture(place->arena, &attempt->captures[0], WHOLE);
    whole = attempt->captures[0].bytes;
    attempt->parts.count = 1;
    part->out = (struct slice){whole.bytes + 10, WHOLE - 10};
    for (size_t i = 0; i < 2; i++) { /* one that begins in the tail, one that ends in the head */
        struct part *more = list_push(place->arena, &attempt->parts);

        *more = attempt->parts.items[0];
        more->out = (struct slice){whole.bytes + (i == 0 ? WHOLE - 5000 : 5000), 500};
    }
    assert_int_equal(store_begin_run(place->store, record, &err), 0);
    assert_int_equal(store_begin_attempt(place->store, record, attempt, &err), 0);
    assert_int_equal(store_end_attempt(place->store, record, attempt, &err), 0);
    assert_int_equal(store_put_readings(place->store, record, attempt, &err), 0);
    assert_int_equal(count_rows(place, "SELECT max(length) FROM content"), END);

    loaded = &load(place, 1, true)->attempts.items[0];
    assert_true(attempt_is_clipped(loaded));
    assert_int_equal(loaded->captures[0].length, WHOLE);
    assert_string_equal(loaded->captures[0].sha256, attempt->captures[0].sha256);
    assert_piece(loaded->captures[0].bytes, whole, 0, END);
    assert_piece(loaded->captures[0].tail, whole, WHOLE - END, END);
    assert_piece(loaded->parts.items[0].out, whole, 10, END - 10);
    assert_piece(loaded->parts.items[1].out, whole, WHOLE - 5000, 500);
    assert_piece(loaded->parts.items[2].out, whole, 5000, 500);
    assert_string_equal(loaded->reading.tool, attempt->reading.tool);

    loaded = &load(place, 1, false)->attempts.items[0];
    assert_string_equal(loaded->captures[0].sha256, attempt->captures[0].sha256);
    assert_null(loaded->captures[0].bytes.bytes);
}

static void an_end_without_all_its_bytes_is_refused(void **state)
{
    struct place *place = *state;
    struct record *record = sample_large(place->arena, 1, 1, 1);
    struct attempt *attempt = sample_attempt(record, 0, 1, 1);
    struct error err;

    fill_capture(place->arena, &attempt->captures[0], 9 << 20);
    attempt->captures[0].bytes.length -= 1;
    assert_int_equal(store_begin_run(place->store, record, &err), 0);
    assert_int_equal(store_begin_attempt(place->store, record, attempt, &err), 0);
    assert_int_equal(store_end_attempt(place->store, record, attempt, &err), -1);
    assert_non_null(strstr(err.text, "was not whole"));
}

static void runs_are_listed_newest_first_and_found_by_number_and_uuid(void **state)
{
    struct place *place = *state;
    struct record *first = sample_record(place->arena), *second = sample_large(place->arena, 3, 2, 4);
    struct run_summary *runs;
    size_t count;
    struct error err;

    assert_int_equal(store_list_runs(place->store, place->arena, 0, &runs, &count, &err), 0);
    assert_int_equal(count, 0);
    assert_null(store_load_run(place->store, place->arena, 0, true, &err));
    assert_int_equal(err.code, ERROR_USAGE);
    sample_store(place->store, first);
    sample_store(place->store, second);
    assert_int_equal(store_list_runs(place->store, place->arena, 0, &runs, &count, &err), 0);
    assert_int_equal(count, 2);
    assert_string_equal(runs[0].uuid, second->uuid);
    assert_false(runs[0].judged);
    assert_int_equal(runs[0].hosts, 3);
    assert_int_equal(runs[0].steps, 6);
    assert_int_equal(runs[1].attempts, 3);
    assert_true(runs[1].judged);
    assert_int_equal(runs[1].verdict, VERDICT_REJECT);
    assert_int_equal(store_list_runs(place->store, place->arena, 1, &runs, &count, &err), 0);
    assert_int_equal(count, 1);
    assert_int_equal(store_find_run(place->store, "2", &err), 2);
    assert_int_equal(store_find_run(place->store, first->uuid, &err), 1);
    assert_int_equal(store_find_run(place->store, "3", &err), 0);
    assert_int_equal(err.code, ERROR_USAGE);
    assert_int_equal(store_find_run(place->store, "", &err), 0);
    assert_null(store_load_run(place->store, place->arena, 9, true, &err));
    assert_int_equal(err.code, ERROR_USAGE);
}

static void a_thousand_hosts_share_slots_words_and_equal_captures(void **state)
{
    struct place *place = *state;
    struct record *first = sample_large(place->arena, 1000, 3, 64);
    struct record *second = sample_large(place->arena, 1000, 3, 64);
    struct error err;

    for (unsigned i = 0; i < 20; i++)
        sample_attempt(first, i, 1, 4);
    sample_store(place->store, first);
    sample_store(place->store, second);
    assert_int_equal(count_rows(place, "SELECT count(*) FROM step"), 6000);
    assert_int_equal(count_rows(place, "SELECT count(*) FROM slot"), 3 * 64);
    assert_int_equal(count_rows(place, "SELECT count(*) FROM shape"), 3);
    assert_int_equal(count_rows(place, "SELECT count(*) FROM capture"), 40);
    /* One stdout, one stderr, one command file. */
    assert_int_equal(count_rows(place, "SELECT count(*) FROM content"), 3);
    assert_true(count_rows(place, "SELECT count(*) FROM word") < 100);
    expect_equal_records(first, load(place, 1, true), true);
    expect_equal_records(second, store_load_run(place->store, place->arena, 2, true, &err), true);
}

static void a_run_is_kept_once(void **state)
{
    struct place *place = *state;
    struct record *record = sample_record(place->arena);
    struct error err;

    sample_store(place->store, record);
    assert_int_equal(store_begin_run(place->store, record, &err), -1);
    assert_int_equal(err.code, ERROR_USAGE);
    assert_non_null(strstr(err.text, "already there"));
}

static struct waiver sample_waiver(struct record *record, const char *uuid)
{
    struct waiver waiver = {.uuid = uuid,
                            .step_key = record->plan->steps.items[0].key,
                            .attempt = record->attempts.items[0].uuid,
                            .who = "李伟",
                            .why = "replaced <soon>",
                            .made = 1789003700.25,
                            .until = 1789100000};

    *list_push(record->arena, &waiver.items) =
        (struct waived_item){"nccl.all_reduce.busbw", "gpu0->gpu0", "", "GPU-a"};
    return waiver;
}

static void waivers_come_back_with_what_they_cover_and_their_withdrawal(void **state)
{
    struct place *place = *state;
    struct record *record = sample_record(place->arena), *loaded;
    struct withdrawal withdrawal = {"w-1", "Wang", "a mistake", 1789003800};
    struct waiver waiver = sample_waiver(record, "first"), second = sample_waiver(record, "second");
    struct error err = {0};

    sample_store(place->store, record);
    assert_int_equal(store_put_waiver(place->store, record, &waiver, &err), 0);
    assert_int_equal(store_put_waiver(place->store, record, &second, &err), 0);
    *list_push(place->arena, &record->waivers) = waiver;
    *list_push(place->arena, &record->waivers) = second;
    record->judgement.uuid = "with waivers";
    record->judgement.now = 1789003750;
    strcpy(record->judgement.inputs, "abc");
    record->judgement.outcomes[0].waiver = &record->waivers.items[1];
    record->judgement.verdicts[0].waived = 1;
    assert_int_equal(store_put_judgement(place->store, record, &err), 0);
    expect_equal_records(record, load(place, 1, false), false);

    assert_int_equal(store_withdraw_waiver(place->store, &waiver, &withdrawal, &err), 0);
    record->waivers.items[0].withdrawn = withdrawal;
    loaded = load(place, 1, false);
    expect_equal_records(record, loaded, false);
    assert_int_equal(store_withdraw_waiver(place->store, &loaded->waivers.items[0], &withdrawal, &err), -1);
    assert_non_null(strstr(err.text, "withdrawn already, by Wang"));
    /* Nor can it be done behind the check's back. */
    assert_int_equal(store_withdraw_waiver(place->store, &waiver, &withdrawal, &err), -1);
}

static void see_gpu(struct record *record, struct attempt *attempt, const char *uuid)
{
    struct part *part = &attempt->parts.items[0];

    reading_init(&part->reading, record->arena, "nvidia-smi");
    reading_fact(&part->reading, "gpu.uuid", "gpu3", slice_of(uuid));
    reading_fact(&part->reading, "gpu.serial", "gpu3", slice_of("1650001"));
    reading_set(&part->reading, READING_COMPLETE, NULL);
}

static void what_is_read_anew_of_hardware_replaces_what_was_read_before(void **state)
{
    struct place *place = *state;
    struct record *record = sample_record(place->arena);
    struct attempt *attempt = &record->attempts.items[0];
    struct item_sightings found;
    struct error err = {0};

    see_gpu(record, attempt, "GPU-a");
    sample_store(place->store, record);
    assert_int_equal(store_run_items(place->store, place->arena, 1, &found, &err), 0);
    assert_int_equal(found.items.count, 1);
    assert_int_equal(found.items.items[0].run, 1);
    assert_string_equal(found.items.items[0].host, "gpu001");
    assert_string_equal(found.items.items[0].position, "gpu3");
    assert_string_equal(found.items.items[0].identity, "GPU-a");
    assert_string_equal(found.items.items[0].serial, "1650001");
    assert_int_equal(found.items.items[0].kind, ITEM_GPU);
    assert_string_equal(found.items.items[0].attempt, attempt->uuid);
    see_gpu(record, attempt, "GPU-b");
    assert_int_equal(store_put_readings(place->store, record, attempt, &err), 0);
    assert_int_equal(store_run_items(place->store, place->arena, 1, &found, &err), 0);
    assert_int_equal(found.items.count, 1);
    assert_string_equal(found.items.items[0].identity, "GPU-b");
}

static const struct reason *read_back(struct place *place, const char *kept)
{
    place_sql(place, arena_printf(place->arena, "UPDATE attempt SET text='%s' WHERE id=1", kept));
    return load(place, 1, false)->attempts.items[0].what;
}

static void a_reason_is_a_form_or_the_text_that_an_older_assay_kept(void **state)
{
    enum { DEEP = 100000 };
    struct place *place = *state;
    cleanup_text struct text deep = {0};
    static const char *const texts[] = {"no route to host", "[\"no_such_sentence\",\"x\"]",
                                        "[\"host_rebooted\",\"x\"]", "[\"about\",\"cut", "[]"};

    sample_store(place->store, sample_record(place->arena));
    assert_null(read_back(place, ""));
    assert_true(reason_is(read_back(place, "[\"host_rebooted\"]"), host_rebooted));
    assert_true(reason_is(read_back(place, "the host rebooted during the test (its boot id changed)"),
                          host_rebooted));
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        const struct reason *read = read_back(place, texts[i]);

        assert_true(reason_is(read, text));
        assert_string_equal(reason_argument_text(read, 1), texts[i]);
    }
    text_init(&deep, 1 << 20);
    for (size_t i = 0; i < DEEP; i++)
        text_put(&deep, "[\"also\",");
    assert_true(reason_is(read_back(place, deep.bytes), text));
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, place_set_up, place_tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_run_comes_back_as_it_was_kept),
        CASE(a_reason_is_a_form_or_the_text_that_an_older_assay_kept),
        CASE(without_evidence_there_are_no_bytes_but_their_hashes),
        CASE(a_lean_run_has_of_its_parts_only_the_facts_that_are_wanted),
        CASE(evidence_comes_one_attempt_at_a_time),
        CASE(who_follows_a_run_gets_its_attempts_one_by_one),
        CASE(runs_of_one_suite_do_not_mix),
        CASE(a_plan_that_grew_comes_back_whole),
        CASE(an_attempt_is_there_before_it_is_sent),
        CASE(readings_are_replaced_not_added_to),
        CASE(the_last_judgement_is_shown),
        CASE(an_outcome_that_was_not_planned_is_never_kept),
        CASE(a_word_that_does_not_exist_is_never_kept),
        CASE(bytes_other_than_announced_are_refused),
        CASE(a_clipped_output_is_kept_as_head_tail_and_hash),
        CASE(an_end_without_all_its_bytes_is_refused),
        CASE(runs_are_listed_newest_first_and_found_by_number_and_uuid),
        CASE(a_thousand_hosts_share_slots_words_and_equal_captures),
        CASE(a_run_is_kept_once),
        CASE(waivers_come_back_with_what_they_cover_and_their_withdrawal),
        CASE(what_is_read_anew_of_hardware_replaces_what_was_read_before),
    };

    return cmocka_run_group_tests_name("what goes in comes out", tests, NULL, NULL);
}
