/* SPDX-License-Identifier: Apache-2.0 */
/* What is worse, better, different, new or gone since an earlier run. */
#include <string.h>

#include "changes.h"
#include "history_shown.h"
#include "page.h"

enum { ROWS = 100 };

bool page_has_earlier(const struct page *page)
{
    return page->view->record->earlier != NULL;
}

static void write_change(struct page *page, const struct change_row *row)
{
    const struct item_change *change = row->first;
    struct text *out = page->out;

    html_markup(out, "<tr>");
    html_row_head(out, change_who(page->arena, page->language, row));
    html_cell(out, change->suite_step);
    page_metric_cell(page, change->slot->metric, slot_at_text(page->arena, change->slot));
    html_cell(out, side_text(page->arena, page->language, change->before));
    html_markup(out, "<td>");
    if (change->after == NULL) {
        html_words(out, say(page, TEXT_NOT_THERE));
    } else {
        page_word_link(page, change->after->word, change->after->step);
        html_words(out, change->after->measured != NULL ? " " : "");
        page_said(page, change->after->measured);
    }
    html_markup(out, "</td>");
    page_said_cell(page, change->after != NULL ? change->after->cause : NULL);
    html_markup(out, "</tr>\n");
}

static void write_changes(struct page *page, enum text_key title, const struct item_change *changes,
                          size_t count)
{
    const struct record *record = page->view->record;
    struct change_rows rows;

    if (count == 0)
        return;
    changes_fold(page->arena, changes, count, ROWS, &rows);
    page_heading(page, title);
    page_table(page, "compact", COLUMN(WHO), COLUMN(STEP), COLUMN(METRIC), COLUMN(THEN), COLUMN(NOW),
               COLUMN(WHY));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < rows.items.count; i++)
        write_change(page, &rows.items.items[i]);
    html_markup(page->out, "</tbody></table>\n");
    if (rows.left_out > 0) {
        html_markup(page->out, "<p class=\"small\">");
        html_words(page->out, sayf(page, TEXT_EARLIER_MORE, number(page, rows.left_out),
                                   arena_printf(page->arena, "%lld", record->earlier->number),
                                   arena_printf(page->arena, "%lld", record->number)));
        html_markup(page->out, "</p>\n");
    }
}

static void write_drop(struct page *page, const struct earlier *earlier, const struct history_finding *drop)
{
    const struct history_subject *subject = &earlier->findings->subjects.items[drop->subject];
    const struct history_series *series = &earlier->findings->series.items[drop->series];
    struct text *out = page->out;

    html_markup(out, "<tr>");
    html_row_head(out, subject->place);
    html_markup(out, "<td>");
    if (strcmp(subject->name, subject->place) != 0)
        html_code(out, subject->name);
    html_markup(out, "</td>");
    html_cell(out, series->suite_step);
    page_metric_cell(page, series->metric, NULL);
    html_markup(out, "<td class=\"num\">");
    html_textf(out, "%.5g %s", series->points.items[0].value, series->unit);
    html_markup(out, "</td><td class=\"num\">");
    html_textf(out, "%.5g %s", series->points.items[series->points.count - 1].value, series->unit);
    html_markup(out, "</td><td class=\"num\">");
    html_textf(out, "%+.1f%%", drop->change * 100);
    html_markup(out, "</td></tr>\n");
}

static void write_drops(struct page *page, const struct earlier *earlier)
{
    const struct history_findings *found = earlier->findings;
    size_t told = 0;

    for (size_t i = 0; i < found->findings.count && told < ROWS; i++) {
        if (found->findings.items[i].kind != HISTORY_DROP)
            continue;
        if (told++ == 0) {
            page_heading(page, TEXT_LOWER);
            page_table(page, "compact", COLUMN(WHERE), COLUMN(HARDWARE), COLUMN(STEP), COLUMN(METRIC),
                       NUMBERS(THEN), NUMBERS(NOW), NUMBERS(CHANGE));
            html_markup(page->out, "<tbody>\n");
        }
        write_drop(page, earlier, &found->findings.items[i]);
    }
    if (told > 0)
        html_markup(page->out, "</tbody></table>\n");
}

static void write_growths(struct page *page, const struct earlier *earlier)
{
    const struct history_findings *found = earlier->findings;

    for (size_t i = 0; i < found->growths.count && i < ROWS; i++) {
        html_markup(page->out, "<p>");
        html_textf(
            page->out, "%s: %s", found->growths.items[i].target,
            history_growth_said(page->arena, page->language, earlier->history, &found->growths.items[i]));
        html_markup(page->out, "</p>\n");
    }
}

void page_earlier(struct page *page)
{
    const struct earlier *earlier = page->view->record->earlier;
    const struct comparison *comparison = &earlier->comparison;

    html_paragraph(page->out, earlier_sentence(page->arena, page->language, earlier));
    if (earlier->number == 0)
        return;
    write_changes(page, TEXT_WORSE, comparison->worse.items, comparison->worse.count);
    write_drops(page, earlier);
    write_growths(page, earlier);
    write_changes(page, TEXT_BETTER, comparison->better.items, comparison->better.count);
    write_changes(page, TEXT_OTHER_TEXT, comparison->texts.items, comparison->texts.count);
    write_changes(page, TEXT_GONE, comparison->gone.items, comparison->gone.count);
    write_changes(page, TEXT_ADDED, comparison->added.items, comparison->added.count);
}
