/* SPDX-License-Identifier: Apache-2.0 */
/* Every attempt of what was tested more than once. */
#include "page.h"
#include "retests.h"

bool page_has_retests(const struct page *page)
{
    struct retest_lines lines;

    retest_lines_of_run(page->view, &lines);
    return lines.items.count > 0;
}

static void write_line(struct page *page, const struct retest_line *line)
{
    struct text *out = page->out;
    double start = attempt_start(line->attempt);

    html_markup(out, "<tr>");
    html_row_head(out, step_target(page->arena, line->step->step));
    html_cell(out, line->step->step->shape->suite_step);
    html_markup(out, "<td class=\"num\">");
    html_shape(out, "<a href=\"#e@\">", (double)view_attempt_index(page->view, line->attempt));
    html_textf(out, "%u of %zu", line->attempt->n, line->step->attempts.count);
    html_markup(out, "</a></td>");
    html_cell(out, start > 0 ? span_text(page->arena, start, start + attempt_seconds(line->attempt)) : "");
    html_cell(out, attempt_end_text(page->arena, line->attempt));
    html_cell(out, line->values);
    html_markup(out, "</tr>\n");
}

void page_retests(struct page *page)
{
    struct retest_lines lines;

    retest_lines_of_run(page->view, &lines);
    html_markup(
        page->out,
        "<p>Every attempt of what was tested more than once, with what it showed of the items in question. "
        "All of "
        "them count; none is left out because another was better.</p>\n"
        "<table class=\"compact\"><thead><tr><th>Hosts</th><th>Step</th><th class=\"num\">Attempt</th>"
        "<th>When</th><th>End</th><th>Showed</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < lines.items.count; i++)
        write_line(page, &lines.items.items[i]);
    html_markup(page->out, "</tbody></table>\n");
}
