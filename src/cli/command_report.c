/* SPDX-License-Identifier: Apache-2.0 */
/* `assay report` and `assay show`: a stored run as a document. */
#include <stdio.h>
#include <string.h>

#include "assay/files.h"
#include "assay/report.h"
#include "cli.h"

enum { REPORT_BYTES = 1024 * 1024 * 1024 };

/* Writes run `word` (NULL: the last one) to path and returns the exit status of its verdict. */
static int write_run(const char *db, const char *word, const char *format, const char *path)
{
    const struct report_format *row = report_format_find(format);
    struct arena *arena = arena_create();
    cleanup_text struct text out = {0};
    struct error err = {0};
    struct store *store = store_open(cli_database(db), true, &err);
    long long number = 0;
    struct record *record = NULL;
    int status;

    text_init(&out, REPORT_BYTES);
    if (store != NULL && word != NULL)
        number = store_find_run(store, word, &err);
    if (store != NULL && (word == NULL || number > 0))
        record = store_load_run(store, arena, number, false, &err);
    if (record == NULL) {
        status = cli_fail(&err);
    } else {
        row->write(record, &out);
        status = file_write(path, out.bytes, out.length, 0644, &err) < 0 ? cli_fail(&err) : EXIT_ACCEPT;
    }
    store_close(store);
    arena_destroy(arena);
    return status;
}

static int bad_format(const char *format)
{
    size_t count;
    const struct report_format *list = report_format_list(&count);

    fprintf(stderr, "assay: report: unknown format '%s'; expected", format);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s %s", i > 0 ? "," : "", list[i].name);
    fputs("\n", stderr);
    return EXIT_USAGE;
}

int command_report(int argc, char **argv)
{
    const char *db = NULL, *format = "html", *output = NULL;
    const struct option_row rows[] = {
        {"format", 'f', OPTION_STRING, "NAME", &format, "html, text or json"},
        {"output", 'o', OPTION_STRING, "FILE", &output, "where it goes; default: standard output"},
        {"db", 0, OPTION_STRING, "FILE", &db, "database; default $ASSAY_DB or assay.db"},
        OPTION_END,
    };
    int first, status;

    if (!cli_options(rows, "report [RUN]        (default: the last run)", argc, argv, &first, &status))
        return status;
    if (report_format_find(format) == NULL)
        return bad_format(format);
    if (first + 1 < argc) {
        fprintf(stderr, "assay: report: unexpected word '%s'\n", argv[first + 1]);
        return EXIT_USAGE;
    }
    return write_run(db, first < argc ? argv[first] : NULL, format, output != NULL ? output : "-");
}

int command_show(int argc, char **argv)
{
    const char *db = NULL;
    const struct option_row rows[] = {
        {"db", 0, OPTION_STRING, "FILE", &db, "database; default $ASSAY_DB or assay.db"},
        OPTION_END,
    };
    int first, status;

    if (!cli_options(rows, "show [RUN]        (default: the last run)", argc, argv, &first, &status))
        return status;
    if (first + 1 < argc) {
        fprintf(stderr, "assay: show: unexpected word '%s'\n", argv[first + 1]);
        return EXIT_USAGE;
    }
    return write_run(db, first < argc ? argv[first] : NULL, "text", "-");
}
