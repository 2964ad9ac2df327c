/* SPDX-License-Identifier: Apache-2.0 */
/* Whose clock is off: a host's, by the median of the hosts, or the controller's. */
#include <string.h>

#include "../says_test.h"
#include "handmade.h"

enum { HOSTS_MOST = 6 };

struct seen {
    enum outcome_word words[HOSTS_MOST];
    size_t remarks;
    const char *cause; /* of the last that has one */
};

/* What becomes of hosts that are so far off, each seen in an attempt of that many seconds. */
static struct seen see(struct arena *arena, const double *off, const double *lasted, size_t count)
{
    static const struct limit near = {
        .metric = "clock", .rule = RULE_NEAR, .value = 2, .unit = "s", .source = "", .status = LIMIT_TOOL};
    const char *hosts = "";
    struct record *record;
    struct seen seen = {.cause = ""};

    for (size_t i = 0; i < count; i++)
        hosts = arena_printf(arena, "%s n%zu:u1", hosts, i);
    record = handmade_run(arena, hosts, 1000);
    for (size_t i = 0; i < count; i++) {
        const char *host = arena_printf(arena, "n%zu", i);
        struct attempt *attempt = handmade_try(record, "ports", host, 12);
        struct slot *slot =
            &record->plan->steps.items[handmade_step(record->plan, "ports", host)].shape->slots[1];

        slot->metric = "clock";
        slot->own = &near;
        slot->own_count = 1;
        /* The clock was read in the middle of the attempt. */
        reading_fact(
            &attempt->reading, "clock", "mlx5_0",
            slice_of(arena_printf(arena, "%.3f to %.3f s", off[i] - lasted[i] / 2, off[i] + lasted[i] / 2)));
    }
    handmade_judge(record);
    for (size_t i = 0; i < record->judgement.outcome_count; i++) {
        const struct outcome *outcome = &record->judgement.outcomes[i];
        const struct step *step = &record->plan->steps.items[outcome->step];

        if (strcmp(step->shape->slots[outcome->slot].metric, "clock") != 0)
            continue;
        seen.words[step->members[0]->name[1] - '0'] = outcome->word;
        seen.remarks += outcome->remark;
        if (outcome->cause != NULL)
            seen.cause = reason_english(arena, outcome->cause);
    }
    return seen;
}

static const double quick[HOSTS_MOST] = {0.2, 0.4, 0.2, 0.4, 0.2, 0.2};

static void a_host_that_is_off_is_named_and_no_other(void **state)
{
    struct arena *arena = arena_create();
    struct seen seen;

    (void)state;
    for (size_t count = 2; count <= HOSTS_MOST; count++) {
        seen = see(arena, (const double[]){0, 40, 0, 0, 0, 0}, quick, count);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(seen.words[i], i == 1 ? OUTCOME_FAIL : OUTCOME_PASS);
        assert_int_equal(seen.remarks, 0);
        assert_says(seen.cause, "while the median of the hosts is");
    }
    arena_destroy(arena);
}

static void a_controller_that_is_off_is_one_remark_whatever_its_hosts(void **state)
{
    struct arena *arena = arena_create();
    struct seen seen;

    (void)state;
    for (size_t count = 2; count <= HOSTS_MOST; count++) {
        seen = see(arena, (const double[]){-90, -90.1, -90, -89.9, -90, -90}, quick, count);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(seen.words[i], OUTCOME_PASS);
        assert_int_equal(seen.remarks, 1);
        assert_says(seen.cause, "it is the controller's clock that is");
        assert_says(seen.cause, "ahead");
    }
    /* The host that agrees with a controller that is off is off itself. */
    seen = see(arena, (const double[]){-90, -90, 0, -90, -90, -90}, quick, HOSTS_MOST);
    assert_int_equal(seen.words[2], OUTCOME_FAIL);
    assert_int_equal(seen.words[0], OUTCOME_PASS);
    assert_int_equal(seen.remarks, 1);
    arena_destroy(arena);
}

static void an_answer_that_took_long_accuses_nobody(void **state)
{
    struct arena *arena = arena_create();
    struct seen seen;

    (void)state;
    seen = see(arena, (const double[]){-90, -90, -92, -86, -90, -90},
               (const double[]){0.2, 0.2, 8, 8, 0.2, 0.2}, HOSTS_MOST);
    for (size_t i = 0; i < HOSTS_MOST; i++)
        assert_int_equal(seen.words[i], OUTCOME_PASS);
    seen = see(arena, (const double[]){1, -1, 4, 0, -4, 2}, (const double[]){9, 9, 9, 9, 9, 0.2}, HOSTS_MOST);
    for (size_t i = 0; i < HOSTS_MOST; i++)
        assert_int_equal(seen.words[i], OUTCOME_PASS);
    arena_destroy(arena);
}

static void of_one_host_and_its_controller_nobody_is_named(void **state)
{
    struct arena *arena = arena_create();
    struct seen seen = see(arena, (const double[]){40}, quick, 1);

    (void)state;
    assert_int_equal(seen.words[0], OUTCOME_INCONCLUSIVE);
    assert_says(seen.cause, "it is not known which of the two is wrong");
    seen = see(arena, (const double[]){1}, quick, 1);
    assert_int_equal(seen.words[0], OUTCOME_PASS);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_that_is_off_is_named_and_no_other),
        cmocka_unit_test(a_controller_that_is_off_is_one_remark_whatever_its_hosts),
        cmocka_unit_test(an_answer_that_took_long_accuses_nobody),
        cmocka_unit_test(of_one_host_and_its_controller_nobody_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
