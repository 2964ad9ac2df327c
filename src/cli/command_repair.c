/* SPDX-License-Identifier: Apache-2.0 */
/* `assay repair`: the pages of repair that are built in. They are printed, and nothing in them is run. */
#include <string.h>

#include "assay/base/nearest.h"
#include "assay/base/text.h"
#include "assay/model/platform.h"
#include "assay/report/repair_pages.h"
#include "cli.h"

enum { PAGES_MOST = 100, PAGE_BYTES = 1 << 20 };

static int list_pages(void)
{
    cli_print("pages of repair, by class of failure:\n");
    builtin_each (row, "repair") {
        const char *title = row->bytes.bytes + strlen("# ");

        cli_print("  %-15s  %.*s\n", row->name, (int)strcspn(title, "\n"), title);
    }
    cli_print("\n`assay repair CLASS` prints one; the name of a check or of a step leads to its own\n");
    return EXIT_ACCEPT;
}

static int refuse(const char *word)
{
    const char *names[PAGES_MOST];
    size_t found = 0;

    builtin_each (row, "repair")
        if (found < PAGES_MOST)
            names[found++] = row->name;
    cli_warn("assay: repair: no page '%.100s'; `assay repair` lists them%s\n", word,
             did_you_mean(word, names, found).text);
    return EXIT_USAGE;
}

/* What a link leads to: "rma.md" a page of here, "../links.md" one of the guides, or a page of the web. */
static void put_link(struct text *out, struct slice title, struct slice target)
{
    static const char up[] = "../";

    if (memchr(target.bytes, '/', target.length) == NULL)
        text_printf(out, "`assay repair %.*s`", (int)strcspn(target.bytes, "."), target.bytes);
    else if (strncmp(target.bytes, up, strlen(up)) == 0)
        text_printf(out, "%.*s (docs/guide/%.*s)", (int)title.length, title.bytes,
                    (int)(target.length - strlen(up)), target.bytes + strlen(up));
    else
        text_printf(out, "%.*s (%.*s)", (int)title.length, title.bytes, (int)target.length, target.bytes);
}

/* As it is read on a terminal, where nobody follows a link of a file. */
static void put_page(struct text *out, const char *page)
{
    while (*page != '\0') {
        const char *middle = strstr(page, "]("), *end = middle != NULL ? strchr(middle, ')') : NULL;
        const char *open = end != NULL ? memrchr(page, '[', (size_t)(middle - page)) : NULL;

        if (open == NULL)
            break;
        text_add(out, page, (size_t)(open - page));
        put_link(out, (struct slice){open + 1, (size_t)(middle - open - 1)},
                 (struct slice){middle + 2, (size_t)(end - middle - 2)});
        page = end + 1;
    }
    text_put(out, page);
}

static int print_page(const char *name)
{
    cleanup_text struct text out = {0};

    text_init(&out, PAGE_BYTES);
    put_page(&out, builtin_find("repair", name)->bytes.bytes);
    cli_print_lines(out.bytes);
    return EXIT_ACCEPT;
}

/* The word is a check, or a step of a suite: what fails it is on these pages. */
static int lead(struct arena *arena, const char *word)
{
    struct repair_pages pages;

    report_repair_pages(arena, word, &pages);
    if (pages.items.count == 0)
        return refuse(word);
    if (pages.items.count == 1)
        return print_page(pages.items.items[0]);
    cli_print("what fails %s is on one of these pages, which one stands beside it in the report:\n", word);
    list_each (page, pages.items) {
        const char *text = builtin_find("repair", *page)->bytes.bytes;

        cli_print("  assay repair %-15s  %.*s\n", *page, (int)strcspn(text + 2, "\n"), text + 2);
    }
    return EXIT_ACCEPT;
}

int command_repair(int argc, char **argv)
{
    const struct option_row rows[] = {OPTION_END};
    cleanup_arena struct arena *arena = NULL;
    int first, status;

    if (!cli_options(rows, "repair [CLASS | CHECK | STEP]        (default: lists the pages)", argc, argv,
                     &first, &status))
        return status;
    if (first == argc)
        return list_pages();
    if (first + 1 < argc)
        return cli_unexpected("repair", argv[first + 1]);
    if (builtin_find("repair", argv[first]) != NULL)
        return print_page(argv[first]);
    arena = arena_create();
    return lead(arena, argv[first]);
}
