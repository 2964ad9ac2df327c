/* SPDX-License-Identifier: Apache-2.0 */
/* What was repeated for a time, over that time. */
#include "page.h"
#include "slices.h"
#include "svg.h"

bool page_has_slices(const struct page *page)
{
    struct slice_rows rows;

    slice_rows_of_run(page->view, &rows);
    return rows.items.count > 0;
}

static void number_cell(struct page *page, double value)
{
    html_markup(page->out, "<td class=\"num\">");
    html_textf(page->out, "%.4g", value);
    html_markup(page->out, "</td>");
}

static void write_row(struct page *page, const struct slice_row *row)
{
    struct text *out = page->out;

    html_markup(out, "<tr>");
    html_row_head(out, said(page, step_target_said(page->arena, row->step->step)));
    html_cell(out, row->step->step->shape->suite_step);
    page_metric_cell(page, row->slot->metric, slot_at_text(page->arena, row->slot));
    html_cell(out, span_text(page, row->from, row->to));
    html_number_cell(out, number(page, row->count));
    number_cell(page, row->spread.low);
    number_cell(page, row->spread.median);
    number_cell(page, row->spread.high);
    html_cell(out, row->unit);
    html_markup(out, "<td>");
    svg_slices(page, row);
    html_markup(out, "</td></tr>\n");
}

void page_slices(struct page *page)
{
    struct slice_rows rows;

    slice_rows_of_run(page->view, &rows);
    page_paragraph(page, TEXT_SLICES_INTRO);
    page_table(page, "compact", COLUMN(HOSTS), COLUMN(STEP), COLUMN(METRIC), COLUMN(START_END),
               NUMBERS(SLICE_COUNT), NUMBERS(LOWEST), NUMBERS(MEDIAN), NUMBERS(HIGHEST), COLUMN(SLICE_UNIT),
               COLUMN(SLICE_COURSE));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < rows.items.count; i++)
        write_row(page, &rows.items.items[i]);
    html_markup(page->out, "</tbody></table>\n");
}
