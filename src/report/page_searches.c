/* SPDX-License-Identifier: Apache-2.0 */
/* Isolation: who makes a test across hosts slow, and the tests that tell. */
#include <string.h>

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
    html_row_head(out, accused_text(page->arena, accusation));
    html_cell(out, *accused_place_name(accusation->place) != '\0' ? accused_place_name(accusation->place)
                                                                  : "\xe2\x80\x93");
    html_markup(out, "<td>");
    html_textf(out, "%u slow, %u fast%s", accusation->slow_tests, accusation->fast_tests,
               accusation->intermittent ? " (intermittent)" : "");
    html_markup(out, "</td>");
    html_cell(out, doubt_text(page->arena, accusation->doubt));
    html_cell(out, accusation_text(page->arena, page->view->record, accusation));
    html_markup(out, "</tr>\n");
}

static void write_accusations(struct page *page, const struct search *search)
{
    const struct judgement *judgement = &page->view->record->judgement;
    size_t written = 0;

    for (size_t i = 0; i < judgement->accusation_count; i++) {
        if (judgement->accusations[i].step != search->step)
            continue;
        if (written++ == 0)
            html_markup(page->out,
                        "<table class=\"items\"><thead><tr><th></th><th>Accused</th><th>Place</th>"
                        "<th>Tests</th><th>Chance of noise</th><th>Why</th></tr></thead>\n<tbody>\n");
        write_accusation(page, &judgement->accusations[i]);
    }
    if (written > 0)
        html_markup(page->out, "</tbody></table>\n");
    else
        html_markup(page->out, "<p>Nobody is accused.</p>\n");
}

static void write_line(struct page *page, const struct search_line *line)
{
    const struct step_view *step = &page->view->steps[line->step];
    struct text *out = page->out;

    html_shape(out, "<tr><td class=\"num\">@</td><td>", (double)line->round);
    if (step->attempts.count > 0)
        html_shape(out, "<a href=\"#e@\">", (double)view_attempt_index(page->view, step->attempts.items[0]));
    html_text(out, line->hosts);
    if (step->attempts.count > 0)
        html_markup(out, "</a>");
    html_markup(out, "</td>");
    html_cell(out, line->measured);
    html_cell(out, line->accuses);
    html_markup(out, "</tr>\n");
}

static void write_lines(struct page *page, const struct search *search)
{
    struct search_lines lines;

    search_lines_collect(page->view, search, &lines);
    if (lines.items.count == 0)
        return;
    html_markup(page->out, "<table class=\"compact\"><thead><tr><th class=\"num\">Round</th><th>Hosts</th>"
                           "<th>Measured</th><th>Speaks of</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < lines.items.count; i++)
        write_line(page, &lines.items.items[i]);
    html_markup(page->out, "</tbody></table>\n");
}

static void write_search(struct page *page, const struct search *search)
{
    struct text *out = page->out;

    html_markup(out, "<h3>");
    html_text(out, search_title(page->view, search));
    html_markup(out, "</h3>\n<dl>\n");
    html_pair(out, "Result", search->conclusion);
    if (*search->candidates != '\0')
        html_pair(out, "Not isolated; candidates", search->candidates);
    html_pair(out, "Effort", search_effort(page->view, search));
    html_markup(out, "</dl>\n");
    write_accusations(page, search);
    write_lines(page, search);
}

void page_searches(struct page *page)
{
    const struct judgement *judgement = &page->view->record->judgement;

    html_markup(
        page->out,
        "<p>A test across hosts is as slow as its slowest member or path. Where one was slow, or ended "
        "again and again before its time, parts of its hosts were tested at one message size. What is "
        "accused here is rejected; nothing that these tests show makes anything else better.</p>\n");
    for (size_t i = 0; i < judgement->search_count; i++)
        write_search(page, &judgement->searches[i]);
}
