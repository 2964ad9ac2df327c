/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "../unit_test.h"
#include "assay/base/nearest.h"

static void part_of_a_name_is_near_where_no_other_has_it(void **state)
{
    const char *const platforms[] = {"gb200-nvl72", "gb300-nvl72", "hgx-b200", "hgx-h100"};

    (void)state;
    assert_string_equal(nearest_word("h100", platforms, 4), "hgx-h100");
    assert_string_equal(nearest_word("b200", platforms, 4), "hgx-b200");
    assert_string_equal(nearest_word("gb300", platforms, 4), "gb300-nvl72");
    assert_null(nearest_word("nvl72", platforms, 4));
    assert_null(nearest_word("a100", platforms, 4));
}

static void nearest_word_is_near(void **state)
{
    static const char *const words[] = {"timeout", "scope", "needs", "ip"};

    (void)state;
    assert_string_equal(nearest_word("tiemout", words, 4), "timeout");
    assert_string_equal(nearest_word("need", words, 4), "needs");
    assert_string_equal(nearest_word("pi", words, 4), "ip");
    assert_null(nearest_word("colour", words, 4));
    assert_null(nearest_word("", words, 4));
    assert_null(nearest_word("x", words, 4));
}

/* Of three letters one is a third: another word. */
static void short_words_are_near_by_their_letters_only(void **state)
{
    static const char *const words[] = {"fio", "run", "list"};

    (void)state;
    assert_null(nearest_word("foo", words, 3));
    assert_string_equal(nearest_word("rnu", words, 3), "run");
    assert_string_equal(nearest_word("lst", words, 3), "list");
}

static void asked_as_a_question(void **state)
{
    static const char *const words[] = {"preflight", "plan", "prune"};

    (void)state;
    assert_string_equal(did_you_mean("prefligth", words, 3).text, "; did you mean 'preflight'?");
    assert_string_equal(did_you_mean("frobnicate", words, 3).text, "");
    assert_string_equal(did_you_mean("plan", words, 0).text, "");
}

static void another_number_is_another_host(void **state)
{
    static const char *const hosts[] = {"node01", "node02", "gpu-a-7", "gpu-b-7"};

    (void)state;
    assert_string_equal(did_you_mean_host("node1", hosts, 4).text, "; did you mean 'node01'?");
    assert_string_equal(did_you_mean_host("ndoe02", hosts, 4).text, "; did you mean 'node02'?");
    assert_string_equal(did_you_mean_host("gpub-7", hosts, 4).text, "; did you mean 'gpu-b-7'?");
    assert_string_equal(did_you_mean_host("node03", hosts, 4).text, "");
    assert_string_equal(did_you_mean_host("node012", hosts, 4).text, "");
    assert_string_equal(did_you_mean_host("node", hosts, 4).text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_word_is_near),
        cmocka_unit_test(part_of_a_name_is_near_where_no_other_has_it),
        cmocka_unit_test(short_words_are_near_by_their_letters_only),
        cmocka_unit_test(asked_as_a_question),
        cmocka_unit_test(another_number_is_another_host),
    };

    return cmocka_run_group_tests_name("nearest", tests, NULL, NULL);
}
