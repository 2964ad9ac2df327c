/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "../unit_test.h"
#include "assay/base/arena.h"
#include "assay/base/options.h"

struct values {
    bool quiet, help;
    const char *hostfile, *host;
    struct option_list faults;
    unsigned count;
};

/* Splits on blanks, parses, and gives what options_parse gave; *ret_operands is what is left. */
static int parse(const char *line, struct values *values, char *copy, char **argv, struct error *err)
{
    const struct option_row rows[] = {
        {"hostfile", 'H', OPTION_STRING, "FILE", &values->hostfile, "the hosts"},
        {"hosts", 0, OPTION_STRING, "LIST", &values->host, "only these"},
        {"quiet", 'q', OPTION_FLAG, NULL, &values->quiet, "says less"},
        {"fault", 0, OPTION_LIST, "HOST:KIND", &values->faults, "may be given several times"},
        {"connections", 'c', OPTION_COUNT, "N", &values->count, "at a time"},
        OPTION_END,
    };
    int argc = 1;
    char *rest = copy, *word;

    argv[0] = copy + strlen(line); /* an empty name */
    memcpy(copy, line, strlen(line) + 1);
    while ((word = strsep(&rest, " ")) != NULL)
        argv[argc++] = word;
    argv[argc] = NULL;
    *values = (struct values){.count = 5};
    return options_parse(rows, argc, argv, &values->help, err);
}

static void options_and_operands_may_be_mixed(void **state)
{
    struct values values;
    struct error err = {0};
    char copy[256], *argv[32];
    int first = parse("one -H h.txt --fault a:x two --fault=b:y -qc 12 -- -z", &values, copy, argv, &err);

    (void)state;
    assert_true(first > 0);
    assert_string_equal(argv[first], "one");
    assert_string_equal(argv[first + 1], "two");
    assert_string_equal(argv[first + 2], "-z");
    assert_null(argv[first + 3]);
    assert_string_equal(values.hostfile, "h.txt");
    assert_int_equal(values.faults.count, 2);
    assert_string_equal(values.faults.items[0], "a:x");
    assert_string_equal(values.faults.items[1], "b:y");
    assert_true(values.quiet);
    assert_int_equal(values.count, 12);
    assert_false(values.help);
    free(values.faults.items);
}

static void wrong_words_are_named(void **state)
{
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"--hostflie x", "unknown option '--hostflie'; did you mean '--hostfile'? See --help"},
        {"--zzzzzz", "unknown option '--zzzzzz'; see --help"},
        {"--host x", "option '--host' is ambiguous; write it in full"},
        {"-z", "unknown option '-z'; see --help"},
        {"-qz", "unknown option '-z'; see --help"},
        {"--hostfile", "option '--hostfile' needs FILE after it"},
        {"-H", "option '-H' needs FILE after it"},
        {"--quiet=yes", "option '--quiet=yes': --quiet takes no value"},
        {"--help=yes", "option '--help=yes': --help takes no value"},
        {"--connections 0", "--connections is '0'; expected a whole number, 1 or more"},
        {"--connections 8x", "--connections is '8x'; expected a whole number, 1 or more"},
        {"--connections 99999999999", "--connections is '99999999999'; expected a whole number, 1 or more"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct values values;
        struct error err = {0};
        char copy[256], *argv[32];

        assert_int_equal(parse(cases[i].line, &values, copy, argv, &err), -1);
        assert_string_equal(err.text, cases[i].message);
        assert_int_equal(err.code, ERROR_USAGE);
    }
}

static void help_is_asked_for_and_printed_from_the_rows(void **state)
{
    static const struct option_row rows[] = {
        {"hostfile", 'H', OPTION_STRING, "FILE", NULL, "the hosts"},
        {"quiet", 0, OPTION_FLAG, NULL, NULL, "says less"},
        OPTION_END,
    };
    struct values values;
    struct error err = {0};
    char copy[256], *argv[32];
    cleanup_text struct text out = {0};

    (void)state;
    assert_int_equal(parse("a -h", &values, copy, argv, &err), 0);
    assert_true(values.help);
    assert_int_equal(parse("--help -z", &values, copy, argv, &err), 0);
    assert_true(values.help);
    text_init(&out, 4096);
    options_help(rows, &out);
    assert_string_equal(out.bytes, "  -H, --hostfile FILE  the hosts\n"
                                   "      --quiet          says less\n"
                                   "  -h, --help           prints this\n");
}

static void help_has_titles_and_80_columns(void **state)
{
    bool flag = false;
    const char *word = NULL;
    const struct option_row rows[] = {
        OPTION_HEADING("Which hosts"),
        {"limit", 'l', OPTION_STRING, "LIST", &word, "the same as --hosts"},
        OPTION_HEADING("Connection"),
        {"accept-keys-seen-for-the-first-time", 0, OPTION_FLAG, NULL, &flag,
         "trust host keys seen for the first time, and keep them in known_hosts; changed ones never"},
        OPTION_END,
    };
    char *argv[] = {"assay", "--limit", "n1", "--Conn", NULL};
    struct error err = {0};
    cleanup_text struct text out = {0};
    bool asked;

    (void)state;
    text_init(&out, 4096);
    options_help(rows, &out);
    assert_string_equal(out.bytes,
                        "Which hosts:\n"
                        "  -l, --limit LIST  the same as --hosts\n"
                        "\n"
                        "Connection:\n"
                        "      --accept-keys-seen-for-the-first-time\n"
                        "                    trust host keys seen for the first time, and keep them in\n"
                        "                    known_hosts; changed ones never\n"
                        "\n"
                        "  -h, --help        prints this\n");
    assert_int_equal(options_parse(rows, 3, argv, &asked, &err), 3);
    assert_string_equal(word, "n1");
    assert_int_equal(options_parse(rows, 4, argv, &asked, &err), -1);
}

static void a_value_that_would_be_dropped_is_refused_where_people_type(void **state)
{
    const char *hosts = NULL;
    struct option_list faults = {0};
    const struct option_row rows[] = {
        {"hosts", 0, OPTION_STRING, "LIST", &hosts, "only these"},
        {"limit", 'l', OPTION_STRING, "LIST", &hosts, "the same"},
        {"fault", 0, OPTION_LIST, "FAULT", &faults, "may be given several times"},
        OPTION_END,
    };
    char *twice[] = {"", "--hosts", "a", "--hosts", "b", NULL},
         *both[] = {"", "--hosts", "a", "-l", "b", NULL},
         *list[] = {"", "--fault", "a", "--fault", "b", NULL};
    struct error err = {0};
    bool help;

    (void)state;
    assert_int_equal(options_parse(rows, 5, twice, &help, &err), 5);
    assert_string_equal(hosts, "b"); /* of a script around the program the last word counts */
    assert_int_equal(options_parse_once(rows, 5, twice, &help, &err), -1);
    assert_string_equal(err.text, "option '--hosts' is given twice; expected it once");
    assert_int_equal(options_parse_once(rows, 5, both, &help, &err), -1);
    assert_string_equal(err.text, "options '--hosts' and '--limit' say the same thing; expected one of them");
    assert_int_equal(options_parse_once(rows, 5, list, &help, &err), 5);
    assert_int_equal(faults.count, 2);
    free(faults.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_that_would_be_dropped_is_refused_where_people_type),
        cmocka_unit_test(options_and_operands_may_be_mixed),
        cmocka_unit_test(wrong_words_are_named),
        cmocka_unit_test(help_is_asked_for_and_printed_from_the_rows),
        cmocka_unit_test(help_has_titles_and_80_columns),
    };

    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
