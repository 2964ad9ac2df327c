/* SPDX-License-Identifier: Apache-2.0 */
/* What is better, worse or different in the second of two runs. Touches no host. */
#include <stdio.h>
#include <string.h>

#include "assay/app/histories.h"
#include "assay/base/files.h"
#include "assay/judge/judge.h"
#include "assay/report/report.h"
#include "cli.h"

enum { COMPARE_BYTES = 1024 * 1024 * 1024 };

static void write_svg(struct arena *arena, const struct history *history,
                      const struct history_findings *findings, const struct comparison *comparison,
                      struct text *out)
{
    const struct history_choice all = {0};

    (void)comparison;
    report_history_svg(arena, history, findings, &all, out);
}

static const struct {
    const char *name;
    void (*write)(struct arena *, const struct history *, const struct history_findings *,
                  const struct comparison *, struct text *);
} forms[] = {{"text", report_compare_text}, {"json", report_compare_json}, {"svg", write_svg}};

static const struct record *load(struct store *store, struct arena *arena, const char *word,
                                 struct error *err)
{
    long long number = cli_find_run(store, word, err);
    struct record *record = number > 0 ? store_load_judged(store, arena, number, err) : NULL;

    return record != NULL && cli_is_judged(record, err) ? record : NULL;
}

static int compare(struct arena *arena, const char *db, char *const *words, size_t form, const char *output,
                   struct error *err)
{
    struct store *store = store_open(cli_database(db), true, err);
    const struct record *before = load(store, arena, words[0], err);
    const struct record *after = before != NULL ? load(store, arena, words[1], err) : NULL;
    struct history history = {0};
    struct history_findings findings;
    struct comparison comparison;
    cleanup_text struct text out = {0};
    int status = after == NULL || histories_add(store, arena, &history, before, err) < 0 ||
                         histories_add(store, arena, &history, after, err) < 0
                     ? cli_fail(err)
                     : EXIT_ACCEPT;

    store_close(store);
    if (status != EXIT_ACCEPT)
        return status;
    judge_history(arena, &history, &findings);
    judge_compare(arena, before, after, &comparison);
    text_init(&out, COMPARE_BYTES);
    forms[form].write(arena, &history, &findings, &comparison, &out);
    if (file_write(output, out.bytes, out.length, 0644, err) < 0)
        return cli_fail(err);
    for (size_t i = 0; i < findings.findings.count; i++)
        if (findings.findings.items[i].kind == HISTORY_DROP)
            return EXIT_REJECT;
    return comparison.worse.count > 0 ? EXIT_REJECT : EXIT_ACCEPT;
}

int command_compare(int argc, char **argv)
{
    const char *db = NULL, *format = "text", *output = "-";
    const struct option_row rows[] = {
        {"format", 'f', OPTION_STRING, "NAME", &format, "text, json or svg (a plot of what got worse)"},
        CLI_OUTPUT_ROW(&output),
        CLI_DB_ROW(&db),
        OPTION_END,
    };
    struct error err = {0};
    cleanup_arena struct arena *arena = NULL;
    size_t form = 0;
    int first, status;

    if (!cli_options(rows, "compare RUN RUN", argc, argv, &first, &status))
        return status;
    while (form < ARRAY_SIZE(forms) && strcmp(forms[form].name, format) != 0)
        form++;
    if (form == ARRAY_SIZE(forms))
        return cli_unknown_format("compare", format, "text, json or svg");
    if (first + 2 != argc) {
        cli_warn("assay: compare: expected two runs, the earlier one first; `assay list` shows them\n");
        return EXIT_USAGE;
    }
    arena = arena_create();
    return compare(arena, db, argv + first, form, output, &err);
}
