/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "../arena_test.h"
#include "assay/base/text.h"
#include "assay/model/hostfile.h"

static const char *join(struct arena *arena, const struct hostlist *list)
{
    const char *joined = "";

    for (size_t i = 0; i < list->names.count; i++)
        joined = arena_printf(arena, "%s%s%s", joined, i > 0 ? " " : "", list->names.items[i]);
    return joined;
}

static void ranges_stand_for_names(void **state)
{
    static const struct {
        const char *text, *names;
    } cases[] = {
        {"head", "head"},
        {"gpu[1-3]", "gpu1 gpu2 gpu3"},
        {"gpu[08-11]", "gpu08 gpu09 gpu10 gpu11"},
        {"gpu[8-11]", "gpu8 gpu9 gpu10 gpu11"},
        {"gpu[001-002,130],head", "gpu001 gpu002 gpu130 head"},
        {"n[1-2]-ib", "n1-ib n2-ib"},
        {"r[1-2]n[1-2]", "r1n1 r1n2 r2n1 r2n2"},
        {"[1-2]", "1 2"},
        {"10.0.0.[9-10]", "10.0.0.9 10.0.0.10"},
        {"a[5]", "a5"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct hostlist list = {0};
        struct error err = {0};

        assert_int_equal(hostlist_expand(*state, cases[i].text, &list, &err), 0);
        assert_string_equal(join(*state, &list), cases[i].names);
    }
}

static void wrong_lists_are_told_by_column(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "column 1: expected a name"},
        {"a,,b", "column 3: expected a name before ','"},
        {"a,", "column 3: expected a name after ','"},
        {"a b", "column 2: a blank in 'a b'; expected names with ',' between"},
        {"gpu[1-", "column 4: '[' in 'gpu[1-' without a ']' after it"},
        {"gpu1]", "column 5: ']' in 'gpu1]' without a '[' before it"},
        {"x,gpu[3-1]", "column 7: range '3-1' runs backwards"},
        {"gpu[1,x]", "column 7: 'x' in a range; expected a number or NUMBER-NUMBER"},
        {"gpu[1,]", "column 7: empty item in a range; expected a number or NUMBER-NUMBER"},
        {"gpu[]", "column 5: empty item in a range; expected a number or NUMBER-NUMBER"},
        {"gpu[-3]", "column 5: '-3' in a range; expected a number or NUMBER-NUMBER"},
        {"gpu[1-3x]", "column 5: '1-3x' in a range; expected a number or NUMBER-NUMBER"},
        {"gpu[[1]]", "column 5: '[1' in a range; expected a number or NUMBER-NUMBER"},
        {"gpu[1-003]", "column 5: range '1-003' pads its ends differently; expected '1-3'"},
        {"gpu[001-3]", "column 5: range '001-3' pads its ends differently; expected '001-003'"},
        {"gpu[1-200000]", "column 5: range '1-200000' is too long; the most is 100000 names"},
        {"a[1-999]b[1-999]", "column 1: 'a[1-999]b[1-999]' is too many names; the most is 100000"},
        {"gpu[1-99999999999999999999]",
         "column 5: '1-99999999999999999999' in a range; expected a number or NUMBER-NUMBER"},
        {"\xC3\xA9,[", "column 3: '[' in '[' without a ']' after it"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct hostlist list = {0};
        struct error err = {0};

        assert_int_equal(hostlist_expand(*state, cases[i].text, &list, &err), -1);
        assert_string_equal(err.text, cases[i].message);
        assert_int_equal(err.code, ERROR_USAGE);
        assert_int_equal(list.names.count, 0);
    }
}

static void names_of_equal_shape_are_folded(void **state)
{
    static const struct {
        const char *names[8];
        const char *folded;
    } cases[] = {
        {{"node1", "node2", "node3", "node7", "head"}, "node[1-3,7],head"},
        {{"node3", "head", "node1", "node2"}, "node[1-3],head"},
        {{"gpu099", "gpu100", "gpu101"}, "gpu[099-101]"},
        {{"gpu9", "gpu10"}, "gpu[9-10]"},
        {{"gpu09", "gpu9", "gpu10"}, "gpu[9,09-10]"},
        {{"n1-ib", "n2-ib", "n1"}, "n[1-2]-ib,n1"},
        {{"r1n1", "r1n2", "r2n1"}, "r1n[1-2],r2n1"},
        {{"a", "b"}, "a,b"},
        {{"a", "a"}, "a,a"},
        {{"a1", "a1", "a2"}, "a[1,1-2]"},
        {{"x12345678901234567890", "x12345678901234567891"}, "x12345678901234567890,x12345678901234567891"},
        {{NULL}, ""},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        size_t count = 0;

        while (cases[i].names[count] != NULL)
            count++;
        assert_string_equal(hostlist_fold(*state, cases[i].names, count), cases[i].folded);
    }
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Folding loses no name and makes none up, whatever their order and padding. */
static void folded_names_come_back(void **state)
{
    const char *names[600];
    uint64_t seed = 12345;

    for (int round = 0; round < 40; round++) {
        struct hostlist list = {0};
        struct error err = {0};
        size_t count = 1 + (size_t)round * 13 % 600;

        for (size_t i = 0; i < count; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            names[i] = arena_printf(*state, (seed >> 40) % 3 == 0 ? "gpu%03u%s" : "gpu%u%s",
                                    (unsigned)(seed >> 33) % 120, (seed >> 20) % 2 ? "-ib" : "");
        }
        assert_int_equal(hostlist_expand(*state, hostlist_fold(*state, names, count), &list, &err), 0);
        assert_int_equal(list.names.count, count);
        qsort(names, count, sizeof *names, compare);
        qsort(list.names.items, count, sizeof *list.names.items, compare);
        for (size_t i = 0; i < count; i++)
            assert_string_equal(names[i], list.names.items[i]);
    }
}

static void the_largest_list_is_taken(void **state)
{
    struct hostlist list = {0};
    struct error err = {0};

    assert_int_equal(hostlist_expand(*state, "n[1-99999],head", &list, &err), 0);
    assert_int_equal(list.names.count, 100000);
    assert_string_equal(list.names.items[99998], "n99999");
    assert_string_equal(hostlist_fold(*state, list.names.items, list.names.count), "n[1-99999],head");
    assert_int_equal(hostlist_expand(*state, "n[1-99999],head,one", &list, &err), -1);
    assert_string_equal(err.text, "column 17: 'one' is too many names; the most is 100000");
}

/* Scattered as they are, their numbers are some 60,000 bytes. */
static void what_was_folded_is_read_again_however_long_it_is(void **state)
{
    enum { NAMES = 10000 };
    const char *names[NAMES];
    struct hostlist list = {0};
    struct error err = {0};

    for (size_t i = 0; i < NAMES; i++)
        names[i] = arena_printf(*state, "node%05zu-ib", 2 * i + 1);
    assert_int_equal(hostlist_expand(*state, hostlist_fold(*state, names, NAMES), &list, &err), 0);
    assert_int_equal(list.names.count, NAMES);
    for (size_t i = 0; i < NAMES; i++)
        assert_string_equal(list.names.items[i], names[i]);
}

static void a_name_has_a_length_that_it_must_not_exceed(void **state)
{
    const char *long_name = arena_printf(*state, "%04096d", 1), *brackets = "";
    struct hostlist list = {0};
    struct error err = {0};

    assert_int_equal(hostlist_expand(*state, long_name, &list, &err), 0);
    assert_int_equal(hostlist_expand(*state, arena_printf(*state, "%s2", long_name), &list, &err), -1);
    assert_string_equal(err.text, "column 1: a name of 4097 bytes; the most is 4096");
    assert_int_equal(hostlist_expand(*state, arena_printf(*state, "%s[1-2]", long_name), &list, &err), -1);
    for (size_t i = 0; i < 300; i++)
        brackets = arena_printf(*state, "%s[1]", brackets);
    assert_int_equal(hostlist_expand(*state, brackets, &list, &err), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(ranges_stand_for_names),
        ARENA_TEST(wrong_lists_are_told_by_column),
        ARENA_TEST(names_of_equal_shape_are_folded),
        ARENA_TEST(what_was_folded_is_read_again_however_long_it_is),
        ARENA_TEST(a_name_has_a_length_that_it_must_not_exceed),
        ARENA_TEST(folded_names_come_back),
        ARENA_TEST(the_largest_list_is_taken),
    };

    return cmocka_run_group_tests_name("hostlist", tests, NULL, NULL);
}
