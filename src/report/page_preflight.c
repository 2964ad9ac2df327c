/* SPDX-License-Identifier: Apache-2.0 */
/* The last preflight of these hosts before the run: what was to be mended then, and whether it could all be asked. */
#include "assay/report/mend.h"
#include "page.h"

bool page_has_preflight(const struct page *page)
{
    return page->view->record->preflight != NULL;
}

static void write_mend(struct page *page, const struct mend *mend)
{
    struct text *out = page->out;

    html_markup(out, "<tr>");
    html_row_head(out, mend->hosts);
    html_markup(out, "<td>");
    page_word(page, mend->word);
    html_markup(out, "</td>");
    html_cell(out, mend->check);
    html_markup(out, "<td>");
    html_words(page->out, word(page, mend->problem));
    if (*mend->subject != '\0')
        html_textf(out, ": %s", mend->subject);
    html_markup(out, "</td>");
    page_said_cell(page, mend->cause);
    html_markup(out, "</tr>\n");
}

static void write_unasked(struct page *page, const struct unasked *unasked)
{
    struct text *out = page->out;

    html_markup(out, "<tr>");
    html_row_head(out, unasked->hosts);
    html_markup(out, "<td>");
    page_word(page, OUTCOME_NOT_RUN);
    html_markup(out, "</td>");
    page_said_cell(page, unasked->steps);
    html_markup(out, "<td></td><td></td></tr>\n");
}

void page_preflight(struct page *page)
{
    const struct record *preflight = page->view->record->preflight;
    struct text *out = page->out;
    struct mends mends;

    report_mends(page->arena, preflight, &mends);
    html_paragraph(out, sayf(page, TEXT_PREFLIGHT_INTRO, arena_printf(page->arena, "%lld", preflight->number),
                             when(page, preflight->started), number(page, mends.clean_count),
                             number(page, preflight->plan->hosts.count)));
    if (mends.items.count + mends.unasked.count == 0)
        return;
    page_table(page, "compact", COLUMN(HOSTS), COLUMN(OUTCOME), COLUMN(STEP), COLUMN(PROBLEM), COLUMN(WHY));
    html_markup(out, "<tbody>\n");
    for (size_t i = 0; i < mends.items.count; i++)
        write_mend(page, &mends.items.items[i]);
    for (size_t i = 0; i < mends.unasked.count; i++)
        write_unasked(page, &mends.unasked.items[i]);
    html_markup(out, "</tbody></table>\n");
}
