/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning: the variants of a step beside each other. */
#include <math.h>

#include "assay/model/suite.h"
#include "page.h"

bool page_has_variants(const struct page *page)
{
    return page->tunings.items.count > 0;
}

static void write_heads(struct page *page, const struct tuning *tuning)
{
    struct text *out = page->out;

    html_markup(out, "<table class=\"compact\"><thead><tr><th>");
    html_words(out, say(page, TEXT_SIZE));
    html_markup(out, "</th>");
    for (size_t i = 0; i < tuning->columns.count; i++) {
        const struct variant_column *column = &tuning->columns.items[i];
        const struct step_view *step = &page->view->steps[column->step];
        bool opened;

        html_markup(out, "<th class=\"num\">");
        opened = step->attempts.count > 0 && page_open_attempt(page, step->attempts.items[0]);
        html_words(out, column->name);
        if (opened)
            html_markup(out, "</a>");
        html_markup(out, "</th>");
        if (i > 0) {
            html_markup(out, "<th>");
            html_words(out, say(page, TEXT_AGAINST_FIRST));
            html_markup(out, "</th>");
        }
    }
    html_markup(out, "</tr></thead>\n<tbody>\n");
}

static void write_size(struct page *page, const struct tuning *tuning, size_t size)
{
    struct text *out = page->out;

    html_markup(out, "<tr>");
    html_row_head(out, size_text(page->arena, tuning->sizes.items[size]));
    for (size_t i = 0; i < tuning->columns.count; i++) {
        html_markup(out, "<td class=\"num\">");
        page_said(page, spread_text(page->arena, &tuning->columns.items[i].points[size].spread));
        html_markup(out, "</td>");
        if (i > 0)
            page_said_cell(page, contrast_text(page->arena, tuning, i, size));
    }
    html_markup(out, "</tr>\n");
}

static void write_table(struct page *page, const struct tuning *tuning)
{
    struct text *out = page->out;

    html_markup(out, "<dl>\n");
    for (size_t i = 0; i < tuning->columns.count; i++)
        html_pair(out, tuning->columns.items[i].name, said(page, tuning->columns.items[i].settings));
    html_markup(out, "</dl>\n");
    write_heads(page, tuning);
    for (size_t i = 0; i < tuning->sizes.count; i++)
        write_size(page, tuning, i);
    html_markup(out, "</tbody></table>\n");
}

static void write_tuning(struct page *page, const struct tuning *tuning)
{
    struct text *out = page->out;

    html_markup(out, "<h3>");
    html_words(out,
               sayf(page, TEXT_TUNING_TITLE, tuning->suite_step, said(page, tuning->hosts), tuning->metric));
    html_markup(out, "</h3>\n<ul>\n");
    for (size_t i = 0; i < tuning->advice.count; i++) {
        html_markup(out, "<li>");
        page_said(page, tuning->advice.items[i]);
        html_markup(out, "</li>\n");
    }
    html_markup(out, "</ul>\n");
}

void page_variants(struct page *page)
{
    page_paragraph(page, TEXT_TUNING_INTRO);
    for (size_t i = 0; i < page->tunings.items.count; i++) {
        write_tuning(page, &page->tunings.items.items[i]);
        if (i < TUNINGS_TABLED)
            write_table(page, &page->tunings.items.items[i]);
    }
}
