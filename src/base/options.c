/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/base/options.h"

#include <getopt.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/base/arena.h"
#include "assay/base/cleanup.h"
#include "assay/base/scan.h"

/* Long options come back from getopt_long as LONG_BASE + index of their row; short ones as their letter. */
enum { LONG_BASE = 256, COLUMNS = 80, WIDEST_NAME = 24 };

static size_t row_count(const struct option_row *rows)
{
    size_t count = 0;

    while (rows[count].name != NULL)
        count++;
    return count;
}

static int store_value(const struct option_row *row, const char *value, struct error *err)
{
    struct option_list *list = row->target;
    uint64_t count;

    switch (row->type) {
    case OPTION_FLAG:
        *(bool *)row->target = true;
        return 0;
    case OPTION_STRING:
        *(const char **)row->target = value;
        return 0;
    case OPTION_LIST:
        list->items = mem_resize(list->items, (list->count + 1) * sizeof *list->items);
        list->items[list->count++] = value;
        return 0;
    case OPTION_COUNT:
    case OPTION_TITLE:
    default:
        if (!scan_u64(slice_of(value), &count) || count < 1 || count > UINT_MAX)
            return error_set(err, ERROR_USAGE, "--%s is '%s'; expected a whole number, 1 or more", row->name,
                             value);
        *(unsigned *)row->target = (unsigned)count;
        return 0;
    }
}

static int refuse_long(const struct option_row *rows, const char *word, struct error *err)
{
    size_t count = row_count(rows), named = 0, length = strcspn(word + 2, "=");
    cleanup_free const char **names = mem_alloc((count + 1) * sizeof *names);
    cleanup_free char *name = mem_printf("%.*s", (int)length, word + 2);
    unsigned begun = 0;
    const char *near;

    for (size_t i = 0; i < count; i++) {
        if (rows[i].type == OPTION_TITLE)
            continue;
        names[named++] = rows[i].name;
        begun += strncmp(rows[i].name, name, length) == 0;
    }
    if (begun > 1)
        return error_set(err, ERROR_USAGE, "option '--%s' is ambiguous; write it in full", name);
    near = nearest_word(name, names, named);
    if (near != NULL)
        return error_set(err, ERROR_USAGE, "unknown option '--%s'; did you mean '--%s'? See --help", name,
                         near);
    return error_set(err, ERROR_USAGE, "unknown option '--%s'; see --help", name);
}

static const struct option_row *row_of(const struct option_row *rows, int found)
{
    if (found >= LONG_BASE)
        return &rows[found - LONG_BASE];
    for (; rows->name != NULL; rows++)
        if (rows->letter == found)
            return rows;
    return NULL;
}

/* getopt_long said '?' or ':': which word was it, and why. */
static int refuse_option(const struct option_row *rows, int found, char **argv, struct error *err)
{
    const struct option_row *row = row_of(rows, optopt);

    if (found == ':' && row != NULL)
        return error_set(err, ERROR_USAGE, "option '%s' needs %s after it", argv[optind - 1],
                         row->argument != NULL ? row->argument : "a value");
    if (optopt >= LONG_BASE)
        return error_set(err, ERROR_USAGE, "option '%s': --%s takes no value", argv[optind - 1],
                         optopt == LONG_BASE + (int)row_count(rows) ? "help" : row->name);
    if (optopt != 0)
        return error_set(err, ERROR_USAGE, "unknown option '-%c'; see --help", optopt);
    return refuse_long(rows, argv[optind - 1], err);
}

/* Of two values one would be dropped without a word: the hosts of `--hosts a --hosts b` would be one. Two options may be two
   names of one thing. */
static int refuse_second(const struct option_row *rows, const struct option_row *row, const bool *given,
                         struct error *err)
{
    for (size_t i = 0; rows[i].name != NULL; i++) {
        if (!given[i] || rows[i].target != row->target || row->type == OPTION_FLAG ||
            row->type == OPTION_LIST)
            continue;
        return &rows[i] == row
                   ? error_set(err, ERROR_USAGE, "option '--%s' is given twice; expected it once", row->name)
                   : error_set(err, ERROR_USAGE,
                               "options '--%s' and '--%s' say the same thing; expected one of them",
                               rows[i].name, row->name);
    }
    return 0;
}

static int parse(const struct option_row *rows, int argc, char **argv, bool once, bool *ret_help,
                 struct error *err)
{
    size_t count = row_count(rows), letters = 0, longs = 0;
    cleanup_free struct option *long_options = mem_alloc((count + 2) * sizeof *long_options);
    cleanup_free char *short_options = mem_alloc(2 * count + 3);
    cleanup_free bool *given = mem_alloc((count + 1) * sizeof *given);
    int found;

    *ret_help = false;
    short_options[letters++] = ':'; /* tells a missing value from an unknown option */
    for (size_t i = 0; i < count; i++) {
        int has_value = rows[i].type == OPTION_FLAG ? no_argument : required_argument;

        if (rows[i].type == OPTION_TITLE)
            continue;
        long_options[longs++] = (struct option){rows[i].name, has_value, NULL, LONG_BASE + (int)i};
        if (rows[i].letter == 0)
            continue;
        short_options[letters++] = rows[i].letter;
        if (has_value == required_argument)
            short_options[letters++] = ':';
    }
    long_options[longs] = (struct option){"help", no_argument, NULL, LONG_BASE + (int)count};
    if (row_of(rows, 'h') == NULL)
        short_options[letters] = 'h';
    opterr = 0;
    optind = 0; /* start afresh, also in a second call */
    while ((found = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
        const struct option_row *row;

        if (found == '?' || found == ':')
            return refuse_option(rows, found, argv, err);
        row = found == LONG_BASE + (int)count ? NULL : row_of(rows, found);
        if (row == NULL) {
            *ret_help = true;
            return 0;
        }
        if ((once && refuse_second(rows, row, given, err) < 0) || store_value(row, optarg, err) < 0)
            return -1;
        given[row - rows] = true;
    }
    return optind;
}

int options_parse(const struct option_row *rows, int argc, char **argv, bool *ret_help, struct error *err)
{
    return parse(rows, argc, argv, false, ret_help, err);
}

int options_parse_once(const struct option_row *rows, int argc, char **argv, bool *ret_help,
                       struct error *err)
{
    return parse(rows, argc, argv, true, ret_help, err);
}

/* Name and argument, without dashes. */
static size_t name_length(const struct option_row *row)
{
    return strlen(row->name) + (row->argument != NULL ? strlen(row->argument) + 1 : 0);
}

void options_wrap(struct text *out, const char *words, size_t indent)
{
    size_t column = indent;

    while (*words != '\0') {
        size_t length = strcspn(words, " ");

        if (column > indent && column + 1 + length > COLUMNS) {
            text_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        }
        text_printf(out, "%s%.*s", column > indent ? " " : "", (int)length, words);
        column += (column > indent) + length;
        words += length + strspn(words + length, " ");
    }
    text_put(out, "\n");
}

/* A name that is too wide for its column has a line of its own. */
static void help_row(const struct option_row *row, size_t width, struct text *out)
{
    char letter[] = {'-', row->letter, ',', ' ', '\0'};
    size_t length = name_length(row), indent = width + 10;

    text_printf(out, "  %s--%s%s%s", row->letter != 0 ? letter : "    ", row->name,
                row->argument != NULL ? " " : "", row->argument != NULL ? row->argument : "");
    text_printf(out, "%s%*s", length > width ? "\n" : "",
                (int)(length > width ? indent : indent - 8 - length), "");
    options_wrap(out, row->help, indent);
}

void options_help(const struct option_row *rows, struct text *out)
{
    static const struct option_row help = {"help", 'h', OPTION_FLAG, NULL, NULL, "prints this"};
    size_t count = row_count(rows), width = strlen("help");
    bool titled = false;

    for (size_t i = 0; i < count; i++) {
        size_t length = rows[i].type != OPTION_TITLE ? name_length(&rows[i]) : 0;

        if (length > width && length <= WIDEST_NAME)
            width = length;
    }
    for (size_t i = 0; i < count; i++) {
        if (rows[i].type != OPTION_TITLE) {
            help_row(&rows[i], width, out);
            continue;
        }
        text_printf(out, "%s%s:\n", i > 0 ? "\n" : "", rows[i].name);
        titled = true;
    }
    if (titled)
        text_put(out, "\n");
    help_row(&help, width, out);
}
