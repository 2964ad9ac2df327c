/* SPDX-License-Identifier: Apache-2.0 */
/* What was reached, beside what had to be: short on the first page of what passed, and in full behind it. */
#include <math.h>

#include "gates.h"
#include <string.h>

#include "page.h"
#include "unjudged.h"

bool page_has_reached(const struct page *page)
{
    return page->reached.items.count > 0;
}

static const char *value_text(const struct page *page, double value, const char *unit)
{
    const char *number = distribution_number(page->arena, value);

    return *unit != '\0' ? arena_printf(page->arena, "%s %s", number, unit) : number;
}

static void write_row(struct page *page, const struct reached_row *row)
{
    html_markup(page->out, "<tr>");
    html_row_head(page->out, row->suite_step);
    page_metric_cell(page, row->metric, row->at);
    html_number_cell(page->out,
                     row->worst != NULL ? said(page, row->worst->measured) : say(page, TEXT_NOTHING));
    page_said_cell_or(page, reached_where(page->view, row), TEXT_DASH);
    html_number_cell(page->out,
                     isfinite(row->median) ? value_text(page, row->median, row->unit) : say(page, TEXT_DASH));
    page_said_cell_or(page, gate_bound(page->arena, row->gate), TEXT_NONE_APPLIED);
    page_said_cell_or(page, limit_origin(page->arena, row->status, row->source), TEXT_DASH);
    html_number_cell(page->out, row->hosts == row->hosts_owed ? number(page, row->hosts)
                                                              : sayf(page, TEXT_OF, number(page, row->hosts),
                                                                     number(page, row->hosts_owed)));
    html_markup(page->out, "</tr>\n");
}

static void open_rows(struct page *page)
{
    page_table(page, "compact reached cards", COLUMN(STEP), COLUMN(METRIC), NUMBERS(WORST), COLUMN(WHERE),
               NUMBERS(MEDIAN), COLUMN(LIMIT), COLUMN(LIMIT_FROM), NUMBERS(HOSTS));
    html_markup(page->out, "<tbody>\n");
}

void page_reached(struct page *page)
{
    page_paragraph(page, TEXT_REACHED_INTRO);
    open_rows(page);
    for (size_t i = 0; i < page->reached.items.count; i++)
        write_row(page, &page->reached.items.items[i]);
    html_markup(page->out, "</tbody></table>\n");
}

/* Why nobody tested it: "the hostfile says fabric=infiniband". */
static const char *why_untested(struct page *page, const struct unjudged *row)
{
    return sayf(page, unjudged_why[row->kind], said(page, row->detail));
}

/* A row that names another test than those before it. */
static bool is_told(const struct unjudged_list *list, size_t index)
{
    return unjudged_is_untested(&list->items.items[index]) && !unjudged_names_before(list, index);
}

/* "roce, cabling-lldp (the hostfile says fabric=infiniband)": with all that were left out for the same reason. NULL: told before. */
static const char *untested_alike(struct page *page, const struct unjudged_list *list, size_t index)
{
    const char *why = why_untested(page, &list->items.items[index]), *names = "";

    for (size_t i = 0; i < list->items.count; i++) {
        if (!is_told(list, i) || strcmp(why_untested(page, &list->items.items[i]), why) != 0)
            continue;
        if (i < index)
            return NULL;
        names = arena_printf(page->arena, "%s%s%s", names,
                             *names != '\0' ? language_between(page->language, ", ") : "",
                             list->items.items[i].step);
    }
    return sayf(page, TEXT_UNTESTED_WHY, names, why);
}

/* Tests of the suite that these hosts were not given, each once, and why. */
static void write_untested(struct page *page)
{
    enum { REASONS = 5 };
    struct unjudged_list list;
    size_t count = 0;
    const char *text = "";

    unjudged_of_run(page->view, &list);
    for (size_t i = 0; i < list.items.count; i++) {
        const char *alike = is_told(&list, i) ? untested_alike(page, &list, i) : NULL;

        if (alike != NULL && count++ < REASONS)
            text = arena_printf(page->arena, "%s%s%s", text,
                                count > 1 ? language_between(page->language, "; ") : "", alike);
    }
    if (count > REASONS)
        text = sayf(page, TEXT_PART_MORE, text, number(page, count - REASONS));
    if (count == 0)
        return;
    html_markup(page->out, "<p class=\"more\"><a href=\"#unjudged\">");
    html_words(page->out, sayf(page, TEXT_REACHED_UNTESTED, text));
    html_markup(page->out, "</a></p>\n");
}

/* A line each: sizes and sources stand behind it. */
static void write_short_row(struct page *page, const struct reached_row *row)
{
    html_markup(page->out, "<tr>");
    html_row_head(page->out, row->suite_step);
    page_metric_cell(page, row->metric, NULL);
    html_number_cell(page->out, said(page, row->worst->measured));
    page_said_cell(page, reached_where(page->view, row));
    html_number_cell(page->out, value_text(page, row->median, row->unit));
    page_said_cell_or(page, gate_bound(page->arena, row->gate), TEXT_NONE_APPLIED);
    html_cell(page->out, word(page, row->status));
    html_number_cell(page->out, number(page, row->hosts));
    html_markup(page->out, "</tr>\n");
}

void page_reached_short(struct page *page)
{
    enum { LINES = 12 };
    size_t rows[LINES], count;

    if (page->causes.to_fix + page->causes.to_decide > 0)
        return;
    count = reached_nearest(page->view, &page->reached, LINES, rows);
    if (count > 0) {
        /* On paper the place to sign has to stand on the same page as what is waived; the section has all rows. */
        if (page->causes.items.count > 0)
            html_markup(page->out, "<div class=\"on-screen\">\n");
        else
            html_markup(page->out, "<div>\n");
        html_markup(page->out, "<h3><a href=\"#reached\">");
        html_words(page->out, say(page, TEXT_REACHED_SHORT));
        html_markup(page->out, "</a></h3>\n");
        open_rows(page);
        for (size_t i = 0; i < count; i++)
            write_short_row(page, &page->reached.items.items[rows[i]]);
        html_markup(page->out, "</tbody></table>\n</div>\n");
    }
    write_untested(page);
}
