/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "../arena_test.h"
#include "assay/model/suite.h"
#include "assay/reasons/any.h"
#include "assay/reasons/model.h"

#define GIB 1073741824.0

static struct limit read_limit(struct arena *arena, const char *text)
{
    struct error err = {0};
    const struct json *object = json_parse(arena, "t.json", text, strlen(text), &err);
    struct limit limit = {0};

    assert_non_null(object);
    assert_int_equal(limit_from_json(arena, object, 0, &limit, &err), 0);
    return limit;
}

static void limits_are_read_and_said_in_words(void **state)
{
    static const struct {
        const char *json, *text;
        enum limit_rule rule;
    } cases[] = {
        {"{\"floor\": 345, \"unit\": \"GB/s\"}", ">= 345 GB/s", RULE_FLOOR},
        {"{\"floor\": 345, \"unit\": \"GB/s\", \"tolerance\": 0.1}", ">= 310.5 GB/s (345 with 10% tolerance)",
         RULE_FLOOR},
        {"{\"ceiling\": 4, \"unit\": \"us\", \"tolerance\": 0.5}", "<= 6 us (4 with 50% tolerance)",
         RULE_CEILING},
        {"{\"ceiling\": 0, \"unit\": \"count\"}", "<= 0", RULE_CEILING},
        {"{\"range\": [30, 60], \"unit\": \"C\"}", ">= 30 and <= 60 C", RULE_RANGE},
        {"{\"range\": [30, 60], \"unit\": \"C\", \"tolerance\": 0.1}",
         ">= 27 and <= 66 C (30 to 60 with 10% tolerance)", RULE_RANGE},
        {"{\"floor\": 345, \"unit\": \"GB/s\", \"derived_tolerance\": 0.05}",
         ">= 345 GB/s (5% tolerance already included)", RULE_FLOOR},
        {"{\"equal\": \"ok\"}", "= ok", RULE_EQUAL},
        {"{\"equal\": 18}", "= 18", RULE_EQUAL},
        {"{\"one_of\": [\"Disabled\", \"N/A\"]}", "one of Disabled|N/A", RULE_ONE_OF},
        {"{\"min_version\": \"525.60.13\"}", ">= version 525.60.13", RULE_MIN_VERSION},
        {"{\"same\": true}", "same on all hosts", RULE_SAME},
        {"{\"fraction_of_groups\": 0.9}", ">= 90% of the median of its own smaller groups", RULE_GROUPS},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct limit limit = read_limit(*state, cases[i].json);

        assert_int_equal(limit.rule, cases[i].rule);
        assert_string_equal(reason_english(*state, limit_text(*state, &limit)), cases[i].text);
        assert_string_equal(limit_status_name(limit.status), "guess"); /* unsaid: cannot fail anything */
    }
}

/* Of a record of before gates were data: what it said in words is what the limit says in data. */
static void a_gate_in_words_is_the_gate_that_it_says(void **state)
{
    static const struct {
        const char *json, *exactly;
        bool floor, ceiling;
        double least, most;
    } cases[] = {
        {"{\"floor\": 345, \"unit\": \"GB/s\"}", NULL, true, false, 345, NAN},
        {"{\"floor\": 0.5, \"unit\": \"count\"}", NULL, true, false, 0.5, NAN},
        {"{\"ceiling\": 4, \"unit\": \"us\"}", NULL, false, true, NAN, 4},
        {"{\"ceiling\": 0, \"unit\": \"count\"}", NULL, false, true, NAN, 0},
        {"{\"range\": [30, 60], \"unit\": \"C\"}", NULL, true, true, 30, 60},
        {"{\"fraction_of_groups\": 0.9}", NULL, true, false, NAN, NAN},
        {"{\"min_version\": \"525.60.13\"}", NULL, true, false, NAN, NAN},
        {"{\"equal\": \"400 Gb/s\"}", "400 Gb/s", false, false, NAN, NAN},
        {"{\"one_of\": [\"Disabled\", \"N/A\"]}", NULL, false, false, NAN, NAN},
        {"{\"same\": true}", NULL, false, false, NAN, NAN},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct limit limit = read_limit(*state, cases[i].json);
        const struct reason *gate = limit_text(*state, &limit);
        const struct reason *words = reason_decode(*state, reason_english(*state, gate));
        struct limit_bound bound = limit_bound_of(limit_gate_of_record(*state, words));

        assert_string_equal(reason_english(*state, limit_gate_of_record(*state, words)),
                            reason_english(*state, gate));
        assert_true(reason_equal(limit_gate_of_record(*state, gate), gate));
        assert_true(bound.floor == cases[i].floor && bound.ceiling == cases[i].ceiling);
        assert_true(isnan(bound.least) ? isnan(cases[i].least) : bound.least == cases[i].least);
        assert_true(isnan(bound.most) ? isnan(cases[i].most) : bound.most == cases[i].most);
        assert_true((bound.exactly == NULL) == (cases[i].exactly == NULL));
        if (bound.exactly != NULL)
            assert_string_equal(bound.exactly, cases[i].exactly);
    }
}

/* ... also within what eases it, and of another metric. */
static void a_gate_in_words_within_another_becomes_data_too(void **state)
{
    const struct reason *eased = reason(*state, bound_eased, ">= 310.5 GB/s", "345", "10");
    const struct reason *of = reason(*state, gate_of_metric, "gpu_burn.gflops", eased);
    const struct reason *read = limit_gate_of_record(*state, of);

    assert_string_equal(reason_english(*state, read), reason_english(*state, of));
    read = reason_argument(*state, reason_argument(*state, read, 2), 1);
    assert_true(limit_bound_of(read).least == 310.5);
}

static void what_was_stated_stands_apart_from_the_tolerance(void **state)
{
    static const struct {
        const char *json, *text;
    } cases[] = {
        {"{\"floor\": 345, \"unit\": \"GB/s\", \"tolerance\": 0.1}", "floor 345 GB/s, tolerance 10%"},
        {"{\"ceiling\": 0, \"unit\": \"count\"}", "ceiling 0, tolerance 0%"},
        {"{\"range\": [30, 60], \"unit\": \"C\", \"tolerance\": 0.1}", "range 30 to 60 C, tolerance 10%"},
        {"{\"floor\": 345, \"unit\": \"GB/s\", \"derived_tolerance\": 0.05}",
         "floor 345 GB/s, tolerance 5% already included"},
        {"{\"equal\": \"ok\"}", "= ok"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct limit limit = read_limit(*state, cases[i].json);

        assert_string_equal(reason_english(*state, limit_stated(*state, &limit)), cases[i].text);
    }
}

/* A tolerance on a tolerance would be an agreement that nobody made. */
static void a_tolerance_is_given_once_and_where_there_is_a_number(void **state)
{
    static const struct {
        const char *json;
        double derived;
        const char *message;
    } cases[] = {
        {"{\"floor\": 1, \"tolerance\": 0.1, \"derived_tolerance\": 0.05}", 0,
         "t.json:1:27: tolerance is given for a number that already includes a tolerance of 5% "
         "(derived_tolerance); expected one of the two"},
        {"{\"floor\": 1, \"tolerance\": 0.1}", 0.08,
         "t.json:1:27: tolerance is given for a number that already includes a tolerance of 8% "
         "(derived_tolerance); expected one of the two"},
        {"{\"equal\": 1, \"tolerance\": 0.1}", 0,
         "t.json:1:27: tolerance is used with equal; expected floor, ceiling or range"},
        {"{\"floor\": 345, \"unit\": \"GB/s\", \"status\": \"self\"}", 0,
         "t.json:1:42: status is \"self\" with floor; expected this only with fraction_of_groups"},
        {"{\"fraction_of_ceiling\": 0.9, \"tolerance\": 0.1}", 0,
         "t.json:1:43: tolerance is used with fraction_of_ceiling, which lowers the ceiling already; "
         "expected "
         "a smaller fraction"},
        {"{\"range\": [60, 30]}", 0,
         "t.json:1:11: range has not the form [FLOOR, CEILING]; expected two numbers, the floor first"},
        {"{\"range\": [1, 2, 3]}", 0,
         "t.json:1:11: range has not the form [FLOOR, CEILING]; expected two numbers, the floor first"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct error err = {0};
        const struct json *object = json_parse(*state, "t.json", cases[i].json, strlen(cases[i].json), &err);
        struct limit limit;

        assert_non_null(object);
        assert_int_equal(limit_from_json(*state, object, cases[i].derived, &limit, &err), -1);
        assert_string_equal(err.text, cases[i].message);
    }
}

static void a_contract_names_its_clauses(void **state)
{
    static const char text[] =
        "{\"name\": \"site7\", \"limits\": [\n"
        "{\"clause\": \"4.2\", \"metric\": \"gpu_burn.gflops\", \"floor\": 9, \"unit\": \"GFLOP/s\"},\n"
        "{\"clause\": \"5\", \"metric\": \"x\", \"equal\": \"y\", \"platform\": \"hgx-h100\", \"source\": "
        "\"annex B\"}]}";
    static const char *const wrong[][2] = {
        {"{\"name\": \"site7\", \"limits\": [{\"metric\": \"x\", \"equal\": \"y\"}]}",
         "c.json:1:30: limits[0] has no \"clause\"; expected that key"},
        {"{\"name\": \"site7\", \"limits\": [{\"clause\": \"1\", \"metric\": \"x\", \"equal\": \"y\", "
         "\"status\": \"guess\"}]}",
         "c.json:1:75: unknown key \"status\" in limits[0]; the keys here are clause, metric, subject, "
         "platform, "
         "scope, hosts_min, hosts_max, racks_min, racks_max, rack_hosts_min, size_min, size_max, floor, "
         "ceiling, range, "
         "fraction_of_ceiling, "
         "fraction_of_groups, "
         "equal, "
         "one_of, min_version, same, tolerance, unit, source, note"},
    };
    struct error err = {0};
    const struct contract *contract = contract_parse(*state, "c.json", slice_of(text), &err);

    assert_non_null(contract);
    assert_int_equal(contract->limits.count, 2);
    assert_int_equal(contract->limits.items[0].status, LIMIT_CONTRACT);
    assert_string_equal(contract->limits.items[0].source, "site7, clause 4.2");
    assert_string_equal(contract->limits.items[1].source, "site7, clause 5: annex B");
    assert_string_equal(contract->limits.items[1].platform, "hgx-h100");
    assert_int_equal(contract->at.items[1]->line, 3);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        assert_null(contract_parse(*state, "c.json", slice_of(wrong[i][0]), &err));
        if (strcmp(err.text, wrong[i][1]) != 0)
            fail_msg("%s\nexpected %s", err.text, wrong[i][1]);
    }
}

static void only_a_guess_cannot_fail(void **state)
{
    static const char *const enforceable[] = {"contract", "datasheet", "vendor", "field", "provisional"};

    for (size_t i = 0; i < 5; i++) {
        struct limit limit =
            read_limit(*state, arena_printf(*state, "{\"floor\": 1, \"status\": \"%s\"}", enforceable[i]));

        assert_true(limit_enforceable(&limit));
        assert_string_equal(limit_status_name(limit.status), enforceable[i]);
    }
    assert_false(limit_enforceable(&(struct limit){.status = LIMIT_GUESS}));
    assert_true(limit_enforceable(&(struct limit){.status = LIMIT_TOOL}));
}

static void tolerance_eases_the_gate(void **state)
{
    struct limit limit = {.rule = RULE_FLOOR, .value = 200, .tolerance = 0.05};

    (void)state;
    assert_true(limit_gate(&limit) == 190);
    limit.rule = RULE_CEILING;
    assert_true(limit_gate(&limit) == 210);
    limit = (struct limit){.rule = RULE_RANGE, .value = -100, .most = 100, .tolerance = 0.05};
    assert_true(limit_gate(&limit) == -105); /* eased also below zero */
    assert_true(limit_gate_most(&limit) == 105);
}

static void a_limit_speaks_only_of_what_it_names(void **state)
{
    struct limit limit = read_limit(
        *state, "{\"metric\": \"nccl.*.busbw\", \"scope\": \"cluster\", \"hosts_min\": 3, \"hosts_max\": 31, "
                "\"size_min\": \"8G\", \"floor\": 300}");
    struct limit gpu = {.metric = "gpu_burn.temperature", .subject = "gpu*"};

    assert_true(limit_applies(&limit, "nccl.all_reduce.busbw", "", "cluster", 3, 8 * GIB));
    assert_true(limit_applies(&limit, "nccl.all_reduce.busbw", NULL, "cluster", 31, 16 * GIB));
    assert_false(limit_applies(&limit, "nccl.all_reduce.algbw", "", "cluster", 3, 8 * GIB));
    assert_false(limit_applies(&limit, "nccl.all_reduce.busbw", "", "host", 3, 8 * GIB));
    assert_false(limit_applies(&limit, "nccl.all_reduce.busbw", "", NULL, 3, 8 * GIB));
    assert_false(limit_applies(&limit, "nccl.all_reduce.busbw", "", "cluster", 2, 8 * GIB));
    assert_false(limit_applies(&limit, "nccl.all_reduce.busbw", "", "cluster", 32, 8 * GIB));
    assert_false(limit_applies(&limit, "nccl.all_reduce.busbw", "", "cluster", 3, 8 * GIB - 1));
    /* An item without a size is not one of the large ones. */
    assert_false(limit_applies(&limit, "nccl.all_reduce.busbw", "", "cluster", 3, 0));
    assert_true(limit_applies(&gpu, "gpu_burn.temperature", "gpu7", "host", 1, 0));
    assert_false(limit_applies(&gpu, "gpu_burn.temperature", "host", "host", 1, 0));
    assert_false(limit_applies(&gpu, "gpu_burn.temperature", NULL, "host", 1, 0));
}

static void stars_stand_for_any_characters(void **state)
{
    static const struct {
        const char *pattern, *text;
        bool applies;
    } cases[] = {
        {"*", "", true},
        {"*", "x", true},
        {"a*", "abc", true},
        {"*c", "abc", true},
        {"a*c", "ac", true},
        {"a*c", "abcbc", true},
        {"a*b*c", "axxbyyc", true},
        {"a*b*c", "axxcyyb", false},
        {"a", "ab", false},
        {"a?", "ab", false},
        {"[a]", "a", false},
        {"p2p.*.enabled", "p2p.latency.gpu.enabled", true},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_int_equal(
            limit_applies(&(struct limit){.metric = cases[i].pattern}, cases[i].text, "", "host", 1, 0),
            cases[i].applies);
}

static void sizes_are_those_of_nccl_tests(void **state)
{
    static const char *const wrong[] = {"", "0", "8GB", "8g", "-8", "1.5G", "G", "99999999999G", "0x8", " 8"};
    double bytes;

    assert_true(size_parse("8", &bytes) && bytes == 8);
    assert_true(size_parse("8G", &bytes) && bytes == 8 * GIB);
    assert_true(size_parse("512M", &bytes) && bytes == GIB / 2);
    assert_true(size_parse("64K", &bytes) && bytes == 65536);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        assert_false(size_parse(wrong[i], &bytes));
    assert_string_equal(size_text(*state, 8 * GIB), "8G");
    assert_string_equal(size_text(*state, 1536 * 1048576.0), "1536M");
    assert_string_equal(size_text(*state, 1000), "1000");
    assert_string_equal(size_text(*state, 8 * GIB + 1), "8589934593");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(limits_are_read_and_said_in_words),
        ARENA_TEST(only_a_guess_cannot_fail),
        ARENA_TEST(a_gate_in_words_is_the_gate_that_it_says),
        ARENA_TEST(a_gate_in_words_within_another_becomes_data_too),
        cmocka_unit_test(tolerance_eases_the_gate),
        ARENA_TEST(what_was_stated_stands_apart_from_the_tolerance),
        ARENA_TEST(a_tolerance_is_given_once_and_where_there_is_a_number),
        ARENA_TEST(a_contract_names_its_clauses),
        ARENA_TEST(a_limit_speaks_only_of_what_it_names),
        cmocka_unit_test(stars_stand_for_any_characters),
        ARENA_TEST(sizes_are_those_of_nccl_tests),
    };

    return cmocka_run_group_tests_name("limit", tests, NULL, NULL);
}
