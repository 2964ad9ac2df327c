/* SPDX-License-Identifier: Apache-2.0 */
/* What a run may be shown as, in words: only of an acceptance nothing is said against it. */
#include <string.h>

#include "../unit_test.h"
#include "assay/model/standing.h"

static const struct standing acceptance = {RUN_ACCEPTANCE, 8, 8, 12, 12, NULL, 0},
                             part = {RUN_PART, 2, 8, 3, 12, NULL, 0},
                             trial = {RUN_TRIAL, 8, 8, 12, 12, NULL, 0},
                             soak = {RUN_SOAK, 8, 8, 3, 12, NULL, 0};

static void expect(struct arena *arena, const struct reason *reason, const char *english, const char *chinese)
{
    assert_string_equal(reason_said(arena, LANGUAGE_EN, reason), english);
    assert_string_equal(reason_said(arena, LANGUAGE_ZH, reason), chinese);
}

static void what_is_no_acceptance_says_so_and_how_much_it_is(void **state)
{
    struct arena *arena = arena_create();

    (void)state;
    assert_null(standing_sentence(arena, &acceptance));
    expect(arena, standing_sentence(arena, &trial), "This run is a trial and not an acceptance.",
           "本次运行为试运行，并非验收。");
    expect(arena, standing_sentence(arena, &part),
           "This run is a part of a delivery and not an acceptance: 2 of 8 hosts, 3 of 12 steps.",
           "本次运行为交付测试的一部分，并非验收：8 台主机中的 2 台，12 个步骤中的 3 个。");
    arena_destroy(arena);
}

static void the_share_is_of_hosts_or_steps_or_both(void **state)
{
    static const struct unit_share units[] = {{"su1", 2, 4}, {"su2", 4, 4}};
    const struct standing hosts = {RUN_PART, 2, 8, 12, 12, units, ARRAY_SIZE(units)};
    struct arena *arena = arena_create();

    (void)state;
    assert_null(standing_share(arena, &trial));
    expect(arena, standing_share(arena, &hosts), "2 of 8 hosts", "8 台主机中的 2 台");
    expect(arena, standing_share(arena, &soak), "3 of 12 steps", "12 个步骤中的 3 个");
    expect(arena, standing_unit_share(arena, &hosts, "su1"), "2 of 4 hosts", "4 台主机中的 2 台");
    assert_null(standing_unit_share(arena, &hosts, "su2"));
    assert_null(standing_unit_share(arena, &trial, "su1"));
    arena_destroy(arena);
}

static void the_line_at_the_terminal_never_calls_it_accepted(void **state)
{
    struct arena *arena = arena_create();

    (void)state;
    assert_null(standing_line(arena, &acceptance, VERDICT_ACCEPT));
    expect(arena, standing_line(arena, &trial, VERDICT_ACCEPT), "trial: nothing found; not an acceptance",
           "试运行：未发现问题；并非验收");
    expect(arena, standing_line(arena, &soak, VERDICT_REJECT),
           "soak test (3 of 12 steps): something failed; not an acceptance",
           "长时间测试（12 个步骤中的 3 个）：有不通过的项；并非验收");
    arena_destroy(arena);
}

/* Of "passed with exceptions" how many waivers. */
static void a_verdict_has_the_words_of_its_kind_of_run(void **state)
{
    struct verdict verdict = {.scope = "run", .word = VERDICT_ACCEPT_WITH_EXCEPTIONS};
    struct waiver waiver = {.uuid = "w"};
    struct outcome waived = {.word = OUTCOME_FAIL, .waiver = &waiver};
    struct judgement judgement = {
        .verdicts = &verdict, .verdict_count = 1, .outcomes = &waived, .outcome_count = 1};
    struct arena *arena = arena_create();

    (void)state;
    expect(arena, standing_verdict_text(arena, &acceptance, &judgement), "accept with exceptions: 1 waiver",
           "有条件通过：1 项豁免");
    expect(arena, standing_verdict_text(arena, &trial, &judgement), "passed with exceptions: 1 waiver",
           "有条件通过测试：1 项豁免");
    verdict.word = VERDICT_ACCEPT;
    expect(arena, standing_verdict_text(arena, &acceptance, &judgement), "accept", "通过");
    expect(arena, standing_verdict_text(arena, &trial, &judgement), "passed", "已通过");
    expect(arena, standing_verdict_text(arena, &trial, &(struct judgement){0}), "incomplete", "未完成");
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_acceptance_says_so_and_how_much_it_is),
        cmocka_unit_test(the_share_is_of_hosts_or_steps_or_both),
        cmocka_unit_test(the_line_at_the_terminal_never_calls_it_accepted),
        cmocka_unit_test(a_verdict_has_the_words_of_its_kind_of_run),
    };

    return cmocka_run_group_tests_name("standing", tests, NULL, NULL);
}
