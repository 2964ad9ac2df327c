/* SPDX-License-Identifier: Apache-2.0 */
/* `assay repair`: the pages of repair that are built in. They are printed, and nothing in them is run. */
#include <string.h>

#include "assay/base/nearest.h"
#include "assay/model/platform.h"
#include "cli.h"

enum { PAGES_MOST = 100 };

static int list_pages(void)
{
    size_t count;
    const struct builtin *rows = builtin_list(&count);

    cli_print("pages of repair, by class of failure:\n");
    for (size_t i = 0; i < count; i++) {
        const char *text = rows[i].bytes.bytes; /* begins with "# Title" */

        if (strcmp(rows[i].kind, "repair") == 0)
            cli_print("  %-15s  %.*s\n", rows[i].name, (int)strcspn(text + 2, "\n"), text + 2);
    }
    cli_print("\n`assay repair CLASS` prints one\n");
    return EXIT_ACCEPT;
}

static int refuse(const char *word)
{
    const char *names[PAGES_MOST];
    size_t count, found = 0;
    const struct builtin *rows = builtin_list(&count);

    for (size_t i = 0; i < count && found < PAGES_MOST; i++)
        if (strcmp(rows[i].kind, "repair") == 0)
            names[found++] = rows[i].name;
    cli_warn("assay: repair: no page '%.100s'; `assay repair` lists them%s\n", word,
             did_you_mean(word, names, found).text);
    return EXIT_USAGE;
}

int command_repair(int argc, char **argv)
{
    const struct option_row rows[] = {OPTION_END};
    const struct builtin *page;
    int first, status;

    if (!cli_options(rows, "repair [CLASS]", argc, argv, &first, &status))
        return status;
    if (first == argc)
        return list_pages();
    if (first + 1 < argc) {
        cli_warn("assay: repair: unexpected word '%s'\n", argv[first + 1]);
        return EXIT_USAGE;
    }
    page = builtin_find("repair", argv[first]);
    if (page == NULL)
        return refuse(argv[first]);
    cli_print_lines(page->bytes.bytes);
    return EXIT_ACCEPT;
}
