/* SPDX-License-Identifier: Apache-2.0 */
/* What the hosts have alike, for who ordered it to compare. */
#include "../unit_test.h"

#include <string.h>

#include "alike.h"
#include "assay/report/report.h"
#include "sample_record.h"

static const struct sample clean = {.hosts = 4, .units = 1};

/* NULL: it has none. */
static const struct alike_row *row_of(const struct view *view, const char *metric)
{
    struct alike alike;

    alike_of(view, &alike);
    for (size_t i = 0; i < alike.items.count; i++)
        if (strcmp(alike.items.items[i].metric, metric) == 0)
            return &alike.items.items[i];
    return NULL;
}

/* Those of the metric, by their order. */
static struct outcome *outcome_of(struct record *record, const char *metric, size_t number)
{
    for (size_t i = 0; i < record->judgement.outcome_count; i++) {
        struct outcome *outcome = &record->judgement.outcomes[i];
        const struct shape *shape = record->plan->steps.items[outcome->step].shape;

        if (strcmp(shape->slots[outcome->slot].metric, metric) == 0 && number-- == 0)
            return outcome;
    }
    return NULL;
}

/* A record in which hosts must have the same driver, as they must in a delivery. */
static struct record *sample(struct arena *arena)
{
    static const struct limit same = {.metric = "driver.version", .rule = RULE_SAME, .status = LIMIT_TOOL};
    struct record *record = sample_record(arena, &clean);

    for (size_t i = 0; i < record->plan->shapes.count; i++) {
        const struct shape *shape = record->plan->shapes.items[i];

        for (size_t k = 0; k < shape->slot_count; k++)
            if (strcmp(shape->slots[k].metric, same.metric) == 0) {
                shape->slots[k].own = &same;
                shape->slots[k].own_count = 1;
            }
    }
    return record;
}

static void what_all_have_is_told_once_with_how_many_have_it(void **state)
{
    struct arena *arena = arena_create();
    const struct view *view = view_create(arena, sample(arena));
    const struct alike_row *row = row_of(view, "driver.version");

    (void)state;
    assert_non_null(row);
    assert_string_equal(row->suite_step, "driver");
    assert_int_equal(row->items, 4);
    assert_int_equal(row->values.count, 1);
    assert_string_equal(reason_english(arena, alike_values(arena, row)), "535.129.03");
    /* A speed is alike on nobody. */
    assert_null(row_of(view, "p2p.unidirectional.enabled"));
    arena_destroy(arena);
}

static void of_two_values_the_more_frequent_one_comes_first(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = sample(arena);

    (void)state;
    outcome_of(record, "driver.version", 0)->measured = reason_text(arena, "535.104.05");
    assert_string_equal(
        reason_english(arena, alike_values(arena, row_of(view_create(arena, record), "driver.version"))),
        "535.129.03 (3 items); 535.104.05 (1 item)");
    arena_destroy(arena);
}

static void what_a_contract_says_is_no_question_to_the_buyer(void **state)
{
    struct arena *arena = arena_create();
    struct record *record = sample(arena);

    (void)state;
    for (size_t i = 0; i < 4; i++)
        outcome_held_own(arena, outcome_of(record, "driver.version", i))->status =
            limit_status_name(LIMIT_CONTRACT);
    assert_null(row_of(view_create(arena, record), "driver.version"));
    arena_destroy(arena);
}

static void both_reports_for_people_tell_it(void **state)
{
    static const struct {
        const char *format, *heading;
    } forms[] = {{"html", "<section id=\"alike\""}, {"text", "WHAT THE HOSTS HAVE ALIKE"}};
    struct arena *arena = arena_create();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        struct text out = {0};
        const char *at;

        text_init(&out, (size_t)64 << 20);
        report_format_find(forms[i].format)->write(sample(arena), LANGUAGE_EN, &out);
        at = strstr(out.bytes, forms[i].heading);
        assert_non_null(at);
        assert_non_null(strstr(at, "driver.version"));
        assert_non_null(strstr(at, "535.129.03"));
        text_release(&out);
    }
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_all_have_is_told_once_with_how_many_have_it),
        cmocka_unit_test(of_two_values_the_more_frequent_one_comes_first),
        cmocka_unit_test(what_a_contract_says_is_no_question_to_the_buyer),
        cmocka_unit_test(both_reports_for_people_tell_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
