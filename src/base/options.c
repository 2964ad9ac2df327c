/* SPDX-License-Identifier: Apache-2.0 */
#include "assay/options.h"

#include <getopt.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay/arena.h"
#include "assay/cleanup.h"
#include "assay/scan.h"

/* Long options come back from getopt_long as LONG_BASE + index of their row; short ones as their letter. */
enum { LONG_BASE = 256 };

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
    size_t count = row_count(rows), length = strcspn(word + 2, "=");
    cleanup_free const char **names = mem_alloc((count + 1) * sizeof *names);
    cleanup_free char *name = mem_printf("%.*s", (int)length, word + 2);
    unsigned begun = 0;
    const char *near;

    for (size_t i = 0; i < count; i++) {
        names[i] = rows[i].name;
        begun += strncmp(rows[i].name, name, length) == 0;
    }
    if (begun > 1)
        return error_set(err, ERROR_USAGE, "option '--%s' can stand for several; write it in full", name);
    near = nearest_word(name, names, count);
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

int options_parse(const struct option_row *rows, int argc, char **argv, bool *ret_help, struct error *err)
{
    size_t count = row_count(rows), letters = 0;
    cleanup_free struct option *long_options = mem_alloc((count + 2) * sizeof *long_options);
    cleanup_free char *short_options = mem_alloc(2 * count + 3);
    int found;

    *ret_help = false;
    short_options[letters++] = ':'; /* tells a missing value from an unknown option */
    for (size_t i = 0; i < count; i++) {
        int has_value = rows[i].type == OPTION_FLAG ? no_argument : required_argument;

        long_options[i] = (struct option){rows[i].name, has_value, NULL, LONG_BASE + (int)i};
        if (rows[i].letter == 0)
            continue;
        short_options[letters++] = rows[i].letter;
        if (has_value == required_argument)
            short_options[letters++] = ':';
    }
    long_options[count] = (struct option){"help", no_argument, NULL, LONG_BASE + (int)count};
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
        if (store_value(row, optarg, err) < 0)
            return -1;
    }
    return optind;
}

void options_help(const struct option_row *rows, struct text *out)
{
    static const struct option_row help = {"help", 'h', OPTION_FLAG, NULL, NULL, "prints this"};
    size_t count = row_count(rows), width = strlen("help");

    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(rows[i].name) + (rows[i].argument != NULL ? strlen(rows[i].argument) + 1 : 0);

        if (length > width)
            width = length;
    }
    for (size_t i = 0; i <= count; i++) {
        const struct option_row *row = i < count ? &rows[i] : &help;
        char letter[] = {'-', row->letter, ',', ' ', '\0'};
        size_t length = strlen(row->name) + (row->argument != NULL ? strlen(row->argument) + 1 : 0);

        text_printf(out, "  %s--%s%s%s%*s  %s\n", row->letter != 0 ? letter : "    ", row->name,
                    row->argument != NULL ? " " : "", row->argument != NULL ? row->argument : "",
                    (int)(width - length), "", row->help);
    }
}
