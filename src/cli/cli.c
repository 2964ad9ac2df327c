/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "assay/base/cleanup.h"
#include "assay/base/files.h"
#include "assay/base/text.h"

enum { HELP_BYTES = 64 * 1024 };

int cli_fail(const struct error *err)
{
    cli_warn("assay: %s\n", err->text);
    for (const char *line = err->more; *line != '\0';) {
        size_t length = strcspn(line, "\n");

        cli_warn("assay: %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
    return err->code != ERROR_NONE ? (int)err->code : EXIT_INTERNAL;
}

/* Of "report [RUN]" the words that are typed as they stand: "report". */
static int command_length(const char *usage)
{
    size_t length = 0;

    for (const char *word = usage; *word >= 'a' && *word <= 'z';) {
        size_t letters = strspn(word, "abcdefghijklmnopqrstuvwxyz-");

        if (word[letters] != ' ' && word[letters] != '\0')
            break;
        length = (size_t)(word - usage) + letters;
        word += letters + strspn(word + letters, " ");
    }
    return (int)length;
}

/* -- What is read is not written over ---------------------------------------------------------------------------- */

bool cli_same_file(const char *one, const char *other)
{
    struct stat files[2];

    return one != NULL && other != NULL && stat(one, &files[0]) == 0 && stat(other, &files[1]) == 0 &&
           S_ISREG(files[0].st_mode) && files[0].st_dev == files[1].st_dev &&
           files[0].st_ino == files[1].st_ino;
}

static int refuse_output(const char *output, const char *what, struct error *err)
{
    return error_set(err, ERROR_USAGE, "-o: '%s' is %s, which would be written over; expected another file",
                     output, what);
}

/* What the option names; the database also where nobody gave one. */
static int check_input(const struct option_row *row, const char *output, struct error *err)
{
    bool is_database = strcmp(row->name, "db") == 0;
    cleanup_free char *what =
        is_database ? mem_strdup("the database") : mem_printf("what --%s names", row->name);
    const struct option_list *list = row->target;

    if (row->type == OPTION_STRING) {
        const char *given = *(const char **)row->target, *file = is_database ? cli_database(given) : given;
        bool is_to_be = is_database && strcmp(output, file) == 0;

        return is_to_be || cli_same_file(output, file) ? refuse_output(output, what, err) : 0;
    }
    for (size_t i = 0; row->type == OPTION_LIST && i < list->count; i++)
        if (cli_same_file(output, list->items[i]))
            return refuse_output(output, what, err);
    return 0;
}

/* Numbers are of runs. */
static bool is_number(const char *word)
{
    return word[strspn(word, "0123456789")] == '\0';
}

static int check_output(const struct option_row *rows, char **operands, int count, struct error *err)
{
    const struct option_row *output = rows;

    while (output->name != NULL && (output->type != OPTION_STRING || output->letter != 'o'))
        output++;
    if (output->name == NULL || *(const char **)output->target == NULL)
        return 0;
    for (const struct option_row *row = rows; row->name != NULL; row++)
        if (row != output && check_input(row, *(const char **)output->target, err) < 0)
            return -1;
    for (int i = 0; i < count; i++)
        if (!is_number(operands[i]) && cli_same_file(*(const char **)output->target, operands[i]))
            return refuse_output(operands[i], "what is read", err);
    return 0;
}

bool cli_options(const struct option_row *rows, const char *name, int argc, char **argv, int *ret_first,
                 int *ret_status)
{
    cleanup_text struct text help = {0};
    struct error err = {0};
    bool wanted = false;

    if (cli_syntax_asked(rows, name)) {
        *ret_status = EXIT_ACCEPT;
        return false;
    }
    *ret_first = options_parse_once(rows, argc, argv, &wanted, &err);
    if (*ret_first < 0 || (!wanted && check_output(rows, argv + *ret_first, argc - *ret_first, &err) < 0)) {
        error_wrap(&err, "%.*s", command_length(name), name);
        *ret_status = cli_fail(&err);
        return false;
    }
    if (!wanted)
        return true;
    text_init(&help, HELP_BYTES);
    options_help(rows, &help);
    cli_print("usage: assay %s\n\n", name);
    cli_print_lines(help.bytes);
    cli_put_examples(stdout, name);
    *ret_status = EXIT_ACCEPT;
    return false;
}

int cli_time(const char *word, double *ret_time, bool *ret_day, struct error *err)
{
    static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"};

    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        struct tm parts = {0}, real;
        const char *end = strptime(word, forms[i], &parts);
        time_t seconds;

        if (end == NULL || (*end != '\0' && strcmp(end, "Z") != 0))
            continue;
        real = parts;
        seconds = timegm(&real);
        /* The 31st of February is a slip, not the 3rd of March. */
        if (real.tm_mday != parts.tm_mday || real.tm_mon != parts.tm_mon || real.tm_hour != parts.tm_hour)
            continue;
        *ret_day = i == 0;
        *ret_time = (double)seconds;
        return 0;
    }
    return error_set(err, ERROR_USAGE, "'%s' is not a date; expected 2026-03-01 or 2026-03-01T12:00 (UTC)",
                     word);
}

bool cli_language(const char *option, enum report_language *ret_language)
{
    static const char *const variables[] = {"LC_ALL", "LC_MESSAGES", "LANG"};

    if (option != NULL)
        return report_language_find(option, ret_language);
    *ret_language = LANGUAGE_EN;
    for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
        const char *locale = getenv(variables[i]);

        /* The first that is set decides, also where we do not know its language. */
        if (locale != NULL && *locale != '\0')
            return report_language_find(locale, ret_language), true;
    }
    return true;
}

int cli_unexpected(const char *command, const char *word)
{
    cli_warn("assay: %s: unexpected word '%s'\n", command, word);
    return EXIT_USAGE;
}

int cli_unknown_format(const char *command, const char *format, const char *expected)
{
    cli_warn("assay: %s: unknown format '%s'; expected %s\n", command, format, expected);
    return EXIT_USAGE;
}

int cli_unknown_language(const char *command, const char *language)
{
    cli_warn("assay: %s: unknown language '%s'; expected " LANGUAGES_SAID "\n", command, language);
    return EXIT_USAGE;
}

const char *cli_database(const char *option)
{
    const char *from_environment = getenv("ASSAY_DB");

    if (option != NULL)
        return option;
    return from_environment != NULL && *from_environment != '\0' ? from_environment : "assay.db";
}

const char *cli_database_words(struct arena *arena, const char *option)
{
    cleanup_text struct text words = {0};

    if (option == NULL)
        return "";
    text_init(&words, 1 << 16);
    text_put(&words, " --db ");
    text_shell_quote(&words, option);
    return arena_strndup(arena, words.bytes, words.length);
}

struct store *cli_stored(const char *option, struct error *err)
{
    const char *path = cli_database(option);

    /* Opened for reading only, a missing file is an error with its own words; and else it would be made. */
    return store_open(path, !file_exists(path), err);
}

long long cli_find_run(struct store *store, const char *word, struct error *err)
{
    long long number = store != NULL && word != NULL ? store_find_run(store, word, err) : 0;

    return store == NULL || (word != NULL && number == 0) ? -1 : number;
}

struct record *cli_load_lean(struct store *store, struct arena *arena, const char *word,
                             store_part_fact *wanted, struct error *err)
{
    long long number = cli_find_run(store, word, err);

    return number >= 0 ? store_load_lean(store, arena, number, wanted, err) : NULL;
}

bool cli_no_facts(const char *tool, const char *fact)
{
    (void)tool;
    (void)fact;
    return false;
}

bool cli_is_judged(const struct record *record, struct error *err)
{
    if (record->judgement.verdict_count > 0)
        return true;
    error_set(err, ERROR_USAGE,
              "run %lld is not judged; `assay run --resume %lld` ends it, or `assay judge %lld`",
              record->number, record->number, record->number);
    return false;
}
