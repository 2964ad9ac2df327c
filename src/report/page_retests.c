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
    const char *values = said(page, line->values);
    bool opened;

    html_markup(out, "<tr>");
    html_row_head(out, said(page, step_target_said(page->arena, line->step->step)));
    html_cell(out, line->step->step->shape->suite_step);
    html_markup(out, "<td class=\"num\">");
    opened = page_open_attempt(page, line->attempt);
    html_words(out,
               sayf(page, TEXT_OF, number(page, line->attempt->n), number(page, line->step->attempts.count)));
    if (opened)
        html_markup(out, "</a>");
    html_markup(out, "</td>");
    html_cell(out, start > 0 ? span_text(page, start, start + attempt_seconds(line->attempt)) : "");
    page_said_cell(page, attempt_end_text(page->arena, line->attempt));
    html_cell(out, *values != '\0' ? values : "\xe2\x80\x93");
    html_markup(out, "</tr>\n");
}

void page_retests(struct page *page)
{
    struct retest_lines lines;

    retest_lines_of_run(page->view, &lines);
    page_paragraph(page, TEXT_RETESTS_INTRO);
    page_table(page, "compact", COLUMN(HOSTS), COLUMN(STEP), NUMBERS(ATTEMPT), COLUMN(WHEN), COLUMN(END),
               COLUMN(SHOWED));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < lines.items.count; i++)
        write_line(page, &lines.items.items[i]);
    html_markup(page->out, "</tbody></table>\n");
}
