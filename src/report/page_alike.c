/* SPDX-License-Identifier: Apache-2.0 */
/* What the hosts have alike, for who ordered it to compare. */
#include "metric_words.h"
#include "page.h"

bool page_has_alike(const struct page *page)
{
    return page->alike.items.count > 0;
}

static void write_row(struct page *page, const struct alike_row *row)
{
    html_markup(page->out, "<tr>");
    html_row_head(page->out, row->metric);
    html_cell(page->out, metric_words(page->language, row->metric));
    page_said_cell(page, alike_values(page->arena, row));
    html_cell(page->out, row->platform);
    html_number_cell(page->out, number(page, row->items));
    html_markup(page->out, "</tr>\n");
}

void page_alike(struct page *page)
{
    page_paragraph(page, TEXT_ALIKE_INTRO);
    page_table(page, "compact cards", COLUMN(METRIC), COLUMN(WHAT_IT_IS), COLUMN(VALUE),
               COLUMN(UNJUDGED_PLATFORM_HEAD), NUMBERS(ITEMS));
    html_markup(page->out, "<tbody>\n");
    list_each (row, page->alike.items)
        write_row(page, row);
    html_markup(page->out, "</tbody></table>\n");
}
