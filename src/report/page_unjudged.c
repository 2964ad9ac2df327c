/* SPDX-License-Identifier: Apache-2.0 */
/* What this run says nothing about: who signs it has to know. */
#include "page.h"
#include "unjudged.h"

bool page_has_unjudged(const struct page *page)
{
    struct unjudged_list list;

    unjudged_of_run(page->view, &list);
    return list.items.count > 0;
}

void page_unjudged(struct page *page)
{
    enum { ROWS_PRINTED = 16 };
    struct unjudged_list list;

    unjudged_of_run(page->view, &list);
    page_paragraph(page, TEXT_UNJUDGED_INTRO);
    page_table(page, "compact unjudged", COLUMN(STEP), COLUMN(METRIC), COLUMN(UNJUDGED_PLATFORM_HEAD),
               COLUMN(WHY));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < list.items.count; i++) {
        const struct unjudged *row = &list.items.items[i];

        page_open_row(page, page_row_prints(page, i, ROWS_PRINTED));
        html_row_head(page->out, *row->step != '\0' ? row->step : say(page, TEXT_UNJUDGED_ALL));
        html_markup(page->out, "<td>");
        if (*row->metric != '\0')
            page_metric(page, row->metric);
        else
            html_words(page->out, say(page, TEXT_UNJUDGED_STEP));
        html_markup(page->out, "</td>");
        html_cell(page->out, row->platform);
        html_cell(page->out, sayf(page, unjudged_why[row->kind], said(page, row->detail)));
        html_markup(page->out, "</tr>\n");
    }
    html_markup(page->out, "</tbody></table>\n");
    page_left_out(page, list.items.count, ROWS_PRINTED);
}
