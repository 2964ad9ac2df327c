/* SPDX-License-Identifier: Apache-2.0 */
/* Only a fail is waived, only while the waiver lasts, and only with the evidence that it was made for. */
#include <string.h>

#include "../unit_test.h"
#include "handmade.h"

#define ONE_HOST "n1:u1"
#define TWO_HOSTS "n1:u1 n2:u1"

/* All passes but what is measured of gpu1 on n1. */
static const struct standing acceptance = {.kind = RUN_ACCEPTANCE};

static struct record *failed_run(struct arena *arena, double began)
{
    struct record *record = handmade_run(arena, ONE_HOST, began);
    struct attempt *attempt = handmade_try_subject(record, "burn", "n1", 12, "gpu1", 8);

    handmade_see(record, attempt, "nvidia-smi", "gpu.uuid", "gpu1", "GPU-b");
    handmade_try(record, "ports", "n1", 12);
    handmade_judge(record);
    assert_int_equal(record->judgement.verdicts[0].word, VERDICT_REJECT);
    return record;
}

static int waive(struct record *record, const char *step, const char *subject, struct error *err)
{
    struct waiver waiver;

    *err = (struct error){0};
    if (judge_waive(record, handmade_step(record->plan, step, "n1"), NULL, NULL, subject, &waiver, err) < 0)
        return -1;
    waiver.uuid = arena_printf(record->arena, "waiver %zu of %s", record->waivers.count, record->uuid);
    waiver.who = "Li Wei";
    waiver.why = "to be replaced in week 20";
    waiver.made = 1000;
    waiver.until = 2000;
    *list_push(record->arena, &record->waivers) = waiver;
    return 0;
}

static enum verdict_word verdict_at(struct record *record, double now)
{
    record->now = now;
    handmade_judge(record);
    return record->judgement.verdicts[0].word;
}

static void a_waived_fail_is_an_exception_and_counted(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = failed_run(arena, 1);
    struct error err;

    (void)state;
    assert_int_equal(waive(record, "burn", "", &err), 0);
    assert_int_equal(record->waivers.items[0].items.count, 1);
    assert_string_equal(record->waivers.items[0].items.items[0].subject, "gpu1");
    assert_string_equal(record->waivers.items[0].items.items[0].hardware, "GPU-b");
    assert_int_equal(verdict_at(record, 1500), VERDICT_ACCEPT_WITH_EXCEPTIONS);
    assert_string_equal(reason_english(arena, standing_verdict_text(arena, &acceptance, &record->judgement)),
                        "accept with exceptions: 1 waiver");
    for (size_t i = 0; i < record->judgement.verdict_count; i++) {
        assert_int_equal(record->judgement.verdicts[i].fail, 0);
        assert_int_equal(record->judgement.verdicts[i].waived, 1);
    }
    arena_destroy(arena);
}

static void it_counts_from_when_it_was_made_until_its_end(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = failed_run(arena, 1);
    struct error err;

    (void)state;
    assert_int_equal(waive(record, "burn", "gpu1", &err), 0);
    assert_int_equal(verdict_at(record, 999), VERDICT_REJECT);
    assert_int_equal(verdict_at(record, 1000), VERDICT_ACCEPT_WITH_EXCEPTIONS);
    assert_int_equal(verdict_at(record, 1999), VERDICT_ACCEPT_WITH_EXCEPTIONS);
    assert_int_equal(verdict_at(record, 2000), VERDICT_REJECT);
    assert_int_equal(verdict_at(record, 0), VERDICT_REJECT);
    record->waivers.items[0].withdrawn = (struct withdrawal){"w", "Wang", "a mistake", 1200};
    assert_int_equal(verdict_at(record, 1199), VERDICT_ACCEPT_WITH_EXCEPTIONS);
    assert_int_equal(verdict_at(record, 1200), VERDICT_REJECT);
    arena_destroy(arena);
}

static void another_attempt_or_run_does_not_inherit_it(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = failed_run(arena, 1), *next = failed_run(arena, 500);
    struct error err;

    (void)state;
    assert_int_equal(waive(record, "burn", "", &err), 0);
    *list_push(arena, &next->waivers) = record->waivers.items[0];
    assert_int_equal(verdict_at(next, 1500), VERDICT_REJECT);
    handmade_try_subject(record, "burn", "n1", 12, "gpu1", 8);
    assert_int_equal(verdict_at(record, 1500), VERDICT_REJECT);
    arena_destroy(arena);
}

static void what_fails_beside_it_still_rejects(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = handmade_run(arena, ONE_HOST, 1);
    struct error err;

    (void)state;
    handmade_try(record, "burn", "n1", 8);
    handmade_try(record, "ports", "n1", 12);
    handmade_judge(record);
    assert_int_equal(waive(record, "burn", "gpu0", &err), 0);
    assert_int_equal(verdict_at(record, 1500), VERDICT_REJECT);
    assert_int_equal(record->judgement.verdicts[0].fail, 1);
    assert_int_equal(record->judgement.verdicts[0].waived, 1);
    /* What is waived already is not waived again, and what is left may be. */
    assert_int_equal(waive(record, "burn", "gpu0", &err), -1);
    assert_non_null(strstr(err.text, "waived already"));
    assert_int_equal(waive(record, "burn", "", &err), 0);
    assert_int_equal(record->waivers.items[1].items.count, 1);
    assert_int_equal(verdict_at(record, 1500), VERDICT_ACCEPT_WITH_EXCEPTIONS);
    assert_string_equal(reason_english(arena, standing_verdict_text(arena, &acceptance, &record->judgement)),
                        "accept with exceptions: 2 waivers");
    arena_destroy(arena);
}

static void only_a_fail_can_be_waived(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = handmade_run(arena, TWO_HOSTS, 1);
    struct error err;

    (void)state;
    handmade_try(record, "burn", "n1", 12);
    reading_set(&handmade_try(record, "ports", "n1", 12)->reading, READING_PARTIAL,
                reason_text(arena, "cut off"));
    handmade_judge(record);
    assert_int_equal(waive(record, "burn", "", &err), -1);
    assert_non_null(strstr(err.text, "nothing of that failed"));
    assert_int_equal(waive(record, "ports", "", &err), -1);
    assert_non_null(strstr(err.text, "inconclusive; only a fail can be waived"));
    assert_int_equal(waive(record, "ring", "", &err), -1);
    assert_non_null(strstr(err.text, "not run; only a fail can be waived"));
    assert_int_equal(err.code, ERROR_USAGE);
    arena_destroy(arena);
}

static void whom_isolation_accuses_is_not_waived(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = handmade_run(arena, TWO_HOSTS, 1);
    struct accusation accusation = {.kind = ACCUSED_HOST, .subject = "n2"};
    struct error err;

    (void)state;
    handmade_try(record, "ring", "n1", 8);
    handmade_judge(record);
    accusation.step = handmade_step(record->plan, "ring", "n1");
    record->judgement.accusations = &accusation;
    record->judgement.accusation_count = 1;
    assert_int_equal(waive(record, "ring", "", &err), -1);
    assert_non_null(strstr(err.text, "host n2"));
    assert_non_null(strstr(err.text, "cannot be waived"));
    arena_destroy(arena);
}

static void what_is_undecided_beside_it_stays_incomplete(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = handmade_run(arena, ONE_HOST, 1);
    struct error err;

    (void)state;
    handmade_try(record, "burn", "n1", 8);
    handmade_judge(record);
    assert_int_equal(waive(record, "burn", "", &err), 0);
    assert_int_equal(verdict_at(record, 1500), VERDICT_INCOMPLETE);
    arena_destroy(arena);
}

static void the_inputs_of_a_judgement_are_told_by_a_hash(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = failed_run(arena, 1);
    char without[SHA256_HEX_SIZE], with[SHA256_HEX_SIZE];
    struct error err;

    (void)state;
    verdict_at(record, 1500);
    memcpy(without, record->judgement.inputs, sizeof without);
    verdict_at(record, 1500);
    assert_string_equal(record->judgement.inputs, without);
    assert_int_equal(waive(record, "burn", "", &err), 0);
    verdict_at(record, 1500);
    memcpy(with, record->judgement.inputs, sizeof with);
    assert_string_not_equal(with, without);
    verdict_at(record, 1501);
    assert_string_not_equal(record->judgement.inputs, with);
    assert_true(record->judgement.now > 1500);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_waived_fail_is_an_exception_and_counted),
        cmocka_unit_test(it_counts_from_when_it_was_made_until_its_end),
        cmocka_unit_test(another_attempt_or_run_does_not_inherit_it),
        cmocka_unit_test(what_fails_beside_it_still_rejects),
        cmocka_unit_test(only_a_fail_can_be_waived),
        cmocka_unit_test(whom_isolation_accuses_is_not_waived),
        cmocka_unit_test(what_is_undecided_beside_it_stays_incomplete),
        cmocka_unit_test(the_inputs_of_a_judgement_are_told_by_a_hash),
    };

    return cmocka_run_group_tests_name("waivers", tests, NULL, NULL);
}
