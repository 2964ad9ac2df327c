/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs beside each other, and what of a run counts as history. */
#include <math.h>

#include "../unit_test.h"
#include "assay/model/compare.h"
#include "assay/model/history.h"
#include "handmade.h"

/* A run of one host whose burn has this outcome for both of its GPUs. */
static struct record *run_with(struct arena *arena, double began, enum outcome_word word)
{
    struct record *record = handmade_run(arena, "n1:u1", began);

    handmade_try(record, "burn", "n1", 12);
    handmade_try(record, "ports", "n1", 12);
    handmade_judge(record);
    for (size_t i = 0; i < record->judgement.outcome_count; i++)
        if (record->judgement.outcomes[i].step == handmade_step(record->plan, "burn", "n1"))
            record->judgement.outcomes[i].word = word;
    return record;
}

static void each_change_of_an_outcome_is_worse_or_better(void **state)
{
    static const struct {
        enum outcome_word before, after;
        int order; /* 1 worse, -1 better */
    } rows[] = {
        {OUTCOME_PASS, OUTCOME_PASS, 0},     {OUTCOME_PASS, OUTCOME_FAIL, 1},
        {OUTCOME_PASS, OUTCOME_NOT_RUN, 1},  {OUTCOME_INCONCLUSIVE, OUTCOME_FAIL, 1},
        {OUTCOME_FAIL, OUTCOME_PASS, -1},    {OUTCOME_RECORDED, OUTCOME_RECORDED, 0},
        {OUTCOME_PASS, OUTCOME_RECORDED, 1},                                      /* the gate is lost */
        {OUTCOME_FAIL, OUTCOME_RECORDED, 1}, {OUTCOME_RECORDED, OUTCOME_PASS, 0}, /* nobody had judged it */
        {OUTCOME_RECORDED, OUTCOME_FAIL, 1}, {OUTCOME_RECORDED, OUTCOME_NOT_RUN, 1},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct arena *arena = arena_create();
        struct comparison comparison;

        judge_compare(arena, run_with(arena, 1000, rows[i].before), run_with(arena, 2000, rows[i].after),
                      &comparison);
        if (comparison.worse.count != (rows[i].order > 0 ? 2 : 0) ||
            comparison.better.count != (rows[i].order < 0 ? 2 : 0))
            fail_msg("%s, then %s: %zu worse, %zu better", outcome_name(rows[i].before),
                     outcome_name(rows[i].after), comparison.worse.count, comparison.better.count);
        assert_int_equal(comparison.same + comparison.judged.count, rows[i].order == 0 ? 4 : 2);
        assert_int_equal(comparison.judged.count,
                         rows[i].before == OUTCOME_RECORDED && rows[i].after == OUTCOME_PASS ? 2 : 0);
        arena_destroy(arena);
    }
}

/* A run in which the burn of both GPUs tells this text; own: the rule of the check itself, NULL: none. */
static struct record *run_that_tells(struct arena *arena, const char *text, const struct limit *own)
{
    struct record *record = run_with(arena, 1000, OUTCOME_PASS);
    size_t burn = handmade_step(record->plan, "burn", "n1");
    struct slot *slots = record->plan->steps.items[burn].shape->slots;

    for (size_t i = 0; i < record->judgement.outcome_count; i++) {
        struct outcome *outcome = &record->judgement.outcomes[i];

        if (outcome->step != burn)
            continue;
        outcome->value = NAN;
        outcome->measured = reason_text(arena, text);
        slots[outcome->slot].own = own;
        slots[outcome->slot].own_count = own != NULL;
    }
    return record;
}

static void another_text_is_told_unless_it_only_tells_hosts_of_one_run_apart(void **state)
{
    static const struct limit distinct = {.metric = "burn", .rule = RULE_DISTINCT};
    struct arena *arena = arena_create();
    struct comparison told, apart;

    (void)state;
    judge_compare(arena, run_that_tells(arena, "boot 1", NULL), run_that_tells(arena, "boot 2", NULL), &told);
    assert_int_equal(told.texts.count, 2);
    judge_compare(arena, run_that_tells(arena, "boot 1", &distinct),
                  run_that_tells(arena, "boot 2", &distinct), &apart);
    assert_int_equal(apart.texts.count, 0);
    assert_int_equal(apart.same, told.same + 2);
    arena_destroy(arena);
}

static void a_value_that_is_not_believed_is_no_history(void **state)
{
    struct arena *arena = arena_create();
    struct history history = {0};
    size_t believed;

    (void)state;
    history_add(arena, &history, run_with(arena, 1000, OUTCOME_PASS));
    believed = history.values.count;
    assert_true(believed > 2);
    history_add(arena, &history, run_with(arena, 2000, OUTCOME_INCONCLUSIVE));
    assert_int_equal(history.values.count, 2 * believed - 2); /* without those of both GPUs */
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_change_of_an_outcome_is_worse_or_better),
        cmocka_unit_test(another_text_is_told_unless_it_only_tells_hosts_of_one_run_apart),
        cmocka_unit_test(a_value_that_is_not_believed_is_no_history),
    };

    return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
