/* SPDX-License-Identifier: Apache-2.0 */
/* Platforms: which are built in, and one made from what a good host said of itself. */
#include <stdio.h>
#include <string.h>

#include "assay/base/files.h"
#include "assay/judge/derive_platform.h"
#include "assay/model/platform.h"
#include "cli.h"

enum { PLATFORM_BYTES = 1024 * 1024 };

static int verb_list(int argc, char **argv)
{
    const struct option_row rows[] = {OPTION_END};
    struct error err = {0};
    cleanup_arena struct arena *arena = NULL;
    int first, status;

    if (!cli_options(rows, "platform list", argc, argv, &first, &status))
        return status;
    if (first < argc)
        return cli_unexpected("platform list", argv[first]);
    arena = arena_create();
    builtin_each (row, "platforms") {
        const struct platform *platform = platform_load(arena, row->name, &err);

        if (platform == NULL)
            return cli_fail(&err);
        cli_print("%-18s  %s\n", platform->name, platform->title);
    }
    return EXIT_ACCEPT;
}

static int derive(struct arena *arena, const struct record *record, const char *host, const char *without,
                  const char *name, const char *output, struct error *err)
{
    cleanup_text struct text out = {0};
    struct platform_notes notes;

    text_init(&out, PLATFORM_BYTES);
    if (platform_derive(arena, record, host, without, name, &out, &notes, err) < 0)
        return -1;
    /* What we write ourselves must be what we read. */
    if (platform_parse(arena, output, (struct slice){out.bytes, out.length}, err) == NULL ||
        file_write(output, out.bytes, out.length, 0644, err) < 0)
        return -1;
    for (size_t i = 0; i < notes.items.count; i++)
        cli_warn("assay: platform derive: %s\n", notes.items.items[i]);
    return 0;
}

static int verb_derive(int argc, char **argv)
{
    const char *host = NULL, *without = "", *name = NULL, *output = "-", *db = NULL;
    const struct option_row rows[] = {
        {"host", 0, OPTION_STRING, "HOST", &host, "the host that is the measure"},
        {"without", 0, OPTION_STRING, "HCA[,HCA]...", &without,
         "HCAs of storage or management, which are no part of the platform"},
        {"name", 0, OPTION_STRING, "NAME", &name, "name of the platform; hostfiles and baselines use it"},
        CLI_OUTPUT_ROW(&output),
        CLI_DB_ROW(&db),
        OPTION_END,
    };
    struct error err = {0};
    cleanup_arena struct arena *arena = NULL;
    cleanup_store struct store *store = NULL;
    const struct record *record = NULL;
    long long number;
    int first, status;

    if (!cli_options(rows, "platform derive RUN --host HOST --name NAME", argc, argv, &first, &status))
        return status;
    if (first + 1 != argc || host == NULL || name == NULL) {
        cli_warn(
            "assay: platform derive: expected one RUN, --host and --name; `assay list` shows the runs\n");
        return EXIT_USAGE;
    }
    arena = arena_create();
    store = store_open(cli_database(db), true, &err);
    number = cli_find_run(store, argv[first], &err);
    if (number > 0)
        record = store_load_run(store, arena, number, false, &err);
    return record != NULL && derive(arena, record, host, without, name, output, &err) == 0 ? EXIT_ACCEPT
                                                                                           : cli_fail(&err);
}

static int help(FILE *out)
{
    fprintf(
        out,
        "usage: assay platform VERB\n\n"
        "  list                                     platforms that are built in\n"
        "  derive RUN --host HOST --name NAME       one made from what a host reported in a run\n\n"
        "`assay platform VERB --help` shows the options. Exit status: 0, 64 where something is missing.\n");
    return out == stdout ? EXIT_ACCEPT : EXIT_USAGE;
}

int command_platform(int argc, char **argv)
{
    static const struct cli_verb verbs[] = {{.name = "list", .run = verb_list},
                                            {.name = "derive", .run = verb_derive}};

    return cli_verbs("platform", verbs, ARRAY_SIZE(verbs), help, argc, argv);
}
