/* SPDX-License-Identifier: Apache-2.0 */
/* Which tests to repeat tonight, from our own history. Touches no host. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/app/tonight.h"
#include "assay/base/clock.h"
#include "assay/base/files.h"
#include "assay/model/platform.h"
#include "assay/reasons/periodic.h"
#include "cli.h"

enum { PERIODIC_BYTES = 64 << 20 };

/* Where nothing else is said: what is tested fully every night takes five times as much. */
static const double default_share = 0.2;

struct periodic_options {
    struct question question;
    const char *hours, *db, *format, *lang, *output;
    enum report_language language;
    double hours_h; /* 0: the default */
    unsigned groups;
};

/* tonight.json, tonight-2.json, ...: a suite has no hosts, so each group of hosts has a suite. */
static const char *suite_path(struct arena *arena, const char *output, size_t group)
{
    const char *dot = strrchr(output, '.'), *slash = strrchr(output, '/');
    size_t stem = dot != NULL && dot > output && (slash == NULL || dot > slash + 1) ? (size_t)(dot - output)
                                                                                    : strlen(output);

    return group == 0 ? output
                      : arena_printf(arena, "%.*s-%zu%s", (int)stem, output, group + 1, output + stem);
}

/* Of the file's name what a name of a suite may have. */
static const char *suite_name(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *file = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(file, '.');
    char *name = arena_strndup(arena, file, dot != NULL && dot > file ? (size_t)(dot - file) : strlen(file));

    for (char *at = name; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at) && (at == name || strchr("._-", *at) == NULL))
            *at = at == name ? 'x' : '-';
    return name;
}

static void put_option(struct text *line, const char *option, const char *value)
{
    text_printf(line, " %s ", option);
    text_shell_quote(line, value);
}

static const char *command_of(struct arena *arena, const struct periodic_options *options, const char *path,
                              const struct periodic_group *group)
{
    cleanup_text struct text line = {0};

    text_init(&line, PERIODIC_BYTES);
    text_put(&line, "assay run");
    put_option(&line, "-H", options->question.hostfile);
    put_option(&line, "-s", strchr(path, '/') != NULL ? path : arena_printf(arena, "./%s", path));
    put_option(&line, "--hosts", hostlist_fold(arena, group->hosts.items, group->hosts.count));
    if (options->question.baseline != NULL)
        put_option(&line, "--baseline", options->question.baseline);
    if (options->db != NULL)
        put_option(&line, "--db", options->db);
    return arena_strdup(arena, line.bytes);
}

/* What the choice was made from is not written over; and a suite with a name of ours would pass for ours in every report. */
static int check_output(struct arena *arena, const struct periodic_options *options, const char *path,
                        struct error *err)
{
    const struct question *question = &options->question;
    const struct {
        const char *path, *what;
    } inputs[] = {{question->hostfile, "the hostfile"},
                  {question->suite, "the suite that is chosen from"},
                  {question->baseline, "the baseline"},
                  {cli_database(options->db), "the database"}};
    const char *name = suite_name(arena, path);

    for (size_t i = 0; i < ARRAY_SIZE(inputs); i++)
        if (cli_same_file(path, inputs[i].path))
            return error_set(err, ERROR_USAGE,
                             "--output: '%s' is %s, which would be written over; expected another file", path,
                             inputs[i].what);
    if (builtin_find("suites", name) != NULL)
        return error_set(err, ERROR_USAGE,
                         "--output: a suite in '%s' has the name %s, which a built-in suite has; expected "
                         "another file name",
                         path, name);
    return 0;
}

static int check_outputs(struct arena *arena, const struct periodic_options *options, size_t groups,
                         struct error *err)
{
    for (size_t i = 0; options->output != NULL && i < groups; i++)
        if (check_output(arena, options, suite_path(arena, options->output, i), err) < 0)
            return -1;
    return 0;
}

static int write_suites(struct arena *arena, const struct periodic_options *options,
                        struct report_periodic *periodic, struct error *err)
{
    for (size_t i = 0; options->output != NULL && i < periodic->tonight.groups.count; i++) {
        const struct periodic_group *group = &periodic->tonight.groups.items[i];
        const char *path = suite_path(arena, options->output, i);
        cleanup_text struct text out = {0};

        text_init(&out, PERIODIC_BYTES);
        if (tonight_suite(arena, options->question.sources.suite, periodic->fleet, group->tests,
                          suite_name(arena, path), &out, err) < 0 ||
            file_write(path, out.bytes, out.length, 0644, err) < 0)
            return -1;
        *list_push(arena, &periodic->commands) = command_of(arena, options, path, group);
    }
    return 0;
}

/* Hours in which not even one test fits are a mistake, not a quiet night. */
static int choose(struct arena *arena, const struct periodic_options *options, const struct tonight *tonight,
                  struct periodic_rates *rates, struct periodic_choice *choice, struct error *err)
{
    double hours = options->hours_h;

    periodic_estimate(arena, tonight->fleet, clock_now(), rates);
    if (hours <= 0)
        hours = default_share * periodic_all_hours(tonight->fleet, rates);
    periodic_choose(arena, tonight->fleet, rates, hours, options->groups, choice);
    return choice->picks.count > 0
               ? 0
               : error_set(
                     err, ERROR_USAGE,
                     "in %.3g host hours no test of suite %s fits; all of them on these hosts take %.3g; "
                     "expected more --hours",
                     hours, options->question.sources.suite->name, choice->all_hours);
}

static int show(struct arena *arena, const struct periodic_options *options, const struct tonight *tonight,
                struct error *err)
{
    struct periodic_rates rates;
    struct periodic_choice choice;
    struct report_periodic periodic = {.fleet = tonight->fleet, .rates = &rates, .choice = &choice};
    cleanup_text struct text out = {0};

    if (choose(arena, options, tonight, &rates, &choice, err) < 0)
        return cli_fail(err);
    periodic_say(arena, tonight->fleet, &rates, &choice, &periodic.tonight);
    if (tonight->left_out != NULL)
        *list_push(arena, &periodic.tonight.notes) = tonight->left_out;
    if (check_outputs(arena, options, periodic.tonight.groups.count, err) < 0 ||
        write_suites(arena, options, &periodic, err) < 0)
        return cli_fail(err);
    text_init(&out, PERIODIC_BYTES);
    if (strcmp(options->format, "json") == 0)
        report_periodic_json(arena, &periodic, &out);
    else
        report_periodic_text(arena, &periodic, options->language, &out);
    cli_print_lines(out.bytes);
    for (size_t i = 0; i < tonight->gaps.count; i++)
        cli_warn("assay: periodic plan: without run %lld: %s\n", tonight->gaps.items[i].run,
                 tonight->gaps.items[i].why);
    /* What cannot be read may be what would have been chosen. */
    return tonight->gaps.count > 0 ? EXIT_INCOMPLETE : EXIT_ACCEPT;
}

/* Nobody has named a database, and there is none yet: then there is no history. NULL with err set: one that cannot be read. */
static int open_history(const struct periodic_options *options, struct store **ret_store, struct error *err)
{
    const char *path = cli_database(options->db);

    *ret_store = NULL;
    if (options->db == NULL && getenv("ASSAY_DB") == NULL && !file_exists(path))
        return 0;
    *ret_store = store_open(path, true, err);
    return *ret_store != NULL ? 0 : -1;
}

static int plan(struct arena *arena, struct periodic_options *options, struct error *err)
{
    struct tonight tonight;
    struct store *store;
    int got;

    if (question_make(arena, &options->question, "00000000-0000-0000-0000-000000000000", err) < 0 ||
        open_history(options, &store, err) < 0)
        return cli_fail(err);
    got = tonight_load(arena, &options->question, store, &tonight, err);
    store_close(store);
    return got < 0 ? cli_fail(err) : show(arena, options, &tonight, err);
}

/* false: said why. */
static bool is_valid(struct periodic_options *options, const char *operand)
{
    if (operand != NULL)
        cli_unexpected("periodic plan", operand);
    else if (strcmp(options->format, "text") != 0 && strcmp(options->format, "json") != 0)
        cli_unknown_format("periodic plan", options->format, "text or json");
    else if (!cli_language(options->lang, &options->language))
        cli_unknown_language("periodic plan", options->lang);
    else if (options->hours != NULL &&
             (!scan_double(slice_of(options->hours), &options->hours_h) || options->hours_h <= 0))
        cli_warn(
            "assay: periodic plan: --hours '%s'; expected host hours, a number above 0 such as 40 or 2.5\n",
            options->hours);
    else if (options->output != NULL && (*options->output == '\0' || strcmp(options->output, "-") == 0))
        cli_warn("assay: periodic plan: --output '%s'; expected the name of a file: groups of hosts may need "
                 "several suites\n",
                 options->output);
    else
        return true;
    return false;
}

static int verb_plan(int argc, char **argv)
{
    struct periodic_options options = {.question.suite = "delivery", .format = "text", .groups = 4};
    const struct option_row rows[] = {
        OPTION_HEADING("Which hosts"),
        CLI_HOSTFILE_ROW(&options.question),
        {"hosts", 0, OPTION_STRING, "LIST", &options.question.hosts, "only these hosts of the hostfile"},
        CLI_LIMIT_ROW(&options.question.hosts),
        OPTION_HEADING("What is chosen"),
        {"suite", 's', OPTION_STRING, "SUITE", &options.question.suite,
         "whose steps over one host are chosen among; default delivery"},
        CLI_BASELINE_ROW(&options.question),
        {"hours", 0, OPTION_STRING, "H", &options.hours,
         "host hours for the night: 8 hosts for 30 minutes are 4; default: a fifth of what all takes"},
        {"groups", 0, OPTION_COUNT, "N", &options.groups,
         "so many sets of tests at most, each a suite and a run; default 4. Repairs that are to be proven may add some"},
        OPTION_HEADING("Output"),
        {"output", 'o', OPTION_STRING, "SUITE", &options.output,
         "writes what was chosen as a suite; more groups of hosts: SUITE-2, SUITE-3, ..."},
        {"format", 'f', OPTION_STRING, "NAME", &options.format, "text or json"},
        CLI_LANG_ROW(&options.lang, ", of text"),
        CLI_DB_ROW(&options.db),
        OPTION_END,
    };
    struct error err = {0};
    cleanup_arena struct arena *arena = NULL;
    int first, status;

    if (!cli_options(rows, "periodic plan -H HOSTFILE", argc, argv, &first, &status))
        return status;
    if (!is_valid(&options, first < argc ? argv[first] : NULL))
        return EXIT_USAGE;
    arena = arena_create();
    return plan(arena, &options, &err);
}

static const struct cli_verb verbs[] = {
    {"plan", "-H HOSTFILE", "which tests to repeat tonight, on which hosts, and why; connects to nothing",
     verb_plan},
};

static int help(FILE *out)
{
    fprintf(out, "usage: assay periodic VERB\n\n");
    for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
        fprintf(out, "  %-6s %-12s  %s\n", verbs[i].name, verbs[i].operands, verbs[i].summary);
    fprintf(
        out,
        "\nIt chooses by the failures of earlier runs and by what each test takes, and says of no host that "
        "it is\nhealthy. Exit status: 0, 2 where a run of the history could not be read, 64 for bad input.\n");
    return out == stdout ? EXIT_ACCEPT : EXIT_USAGE;
}

int command_periodic(int argc, char **argv)
{
    return cli_verbs("periodic", verbs, ARRAY_SIZE(verbs), help, argc, argv);
}
