/* SPDX-License-Identifier: Apache-2.0 */
/* Isolation: who makes a test across hosts slow, and the tests that tell. */
#include "page.h"
#include "searches.h"

bool page_has_searches(const struct page *page)
{
    return page->view->record->judgement.search_count > 0;
}

static void write_accusation(struct page *page, const struct accusation *accusation)
{
    struct text *out = page->out;

    html_markup(out, "<tr><td>");
    page_word(page, OUTCOME_FAIL);
    html_markup(out, "</td>");
    html_row_head(out, said(page, accused_text(page->arena, accusation)));
    page_said_cell_or(page, reason_word(page->arena, accused_place_name(accusation->place)), TEXT_DASH);
    html_cell(out, sayf(page, accusation->intermittent ? TEXT_SLOW_FAST_INTERMITTENT : TEXT_SLOW_FAST,
                        number(page, accusation->slow_tests), number(page, accusation->fast_tests)));
    page_said_cell(page, doubt_text(page->arena, accusation->doubt));
    page_said_cell(page, accusation_text(page->arena, page->view->record, accusation));
    html_markup(out, "</tr>\n");
}

static void open_accusations(struct page *page)
{
    page_table(page, "items", COLUMN(OUTCOME), COLUMN(ACCUSED), COLUMN(PLACE), COLUMN(TESTS),
               COLUMN(NOISE_CHANCE), COLUMN(WHY));
    html_markup(page->out, "<tbody>\n");
}

static void write_accusations(struct page *page, const struct search *search)
{
    const struct judgement *judgement = &page->view->record->judgement;
    size_t written = 0;

    for (size_t i = 0; i < judgement->accusation_count; i++) {
        if (judgement->accusations[i].step != search->step)
            continue;
        if (written++ == 0)
            open_accusations(page);
        write_accusation(page, &judgement->accusations[i]);
    }
    if (written > 0)
        html_markup(page->out, "</tbody></table>\n");
    else
        page_paragraph(page, TEXT_NOBODY_ACCUSED);
}

static void write_line(struct page *page, const struct search_line *line)
{
    const struct step_view *step = &page->view->steps[line->step];
    struct text *out = page->out;
    bool opened;

    html_shape(out, "<tr><td class=\"num\">@</td><td>", (double)line->round);
    opened = step->attempts.count > 0 && page_open_attempt(page, step->attempts.items[0]);
    page_said(page, line->hosts);
    if (opened)
        html_markup(out, "</a>");
    html_markup(out, "</td>");
    page_said_cell(page, line->measured);
    page_said_cell(page, line->accuses);
    html_markup(out, "</tr>\n");
}

static void write_lines(struct page *page, const struct search *search)
{
    struct search_lines lines;

    search_lines_collect(page->view, search, &lines);
    if (lines.items.count == 0)
        return;
    page_table(page, "compact", NUMBERS(ROUND), COLUMN(HOSTS), COLUMN(MEASURED), COLUMN(SPEAKS_OF));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < lines.items.count; i++)
        write_line(page, &lines.items.items[i]);
    html_markup(page->out, "</tbody></table>\n");
}

static void write_search(struct page *page, const struct search *search)
{
    struct text *out = page->out;

    html_markup(out, "<h3>");
    page_said(page, search_title(page->view, search));
    html_markup(out, "</h3>\n<dl>\n");
    page_said_pair(page, TEXT_RESULT, search->conclusion);
    if (search->candidates != NULL)
        page_said_pair(page, TEXT_CANDIDATES, search->candidates);
    page_said_pair(page, TEXT_EFFORT, search_effort(page->view, search));
    html_markup(out, "</dl>\n");
    write_accusations(page, search);
    write_lines(page, search);
}

void page_searches(struct page *page)
{
    const struct judgement *judgement = &page->view->record->judgement;

    page_paragraph(page, TEXT_ISOLATION_INTRO);
    for (size_t i = 0; i < judgement->search_count; i++)
        write_search(page, &judgement->searches[i]);
}
