/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs side by side, as a report has it of the run before. */
#include "assay/model/compare.h"
#include "frame.h"
#include "site_page.h"

static void write_run(struct page *page, long long run, const struct standing *standing,
                      enum verdict_word word)
{
    html_markup(page->out, "<li>");
    site_link(page, arena_printf(page->arena, "../runs/%lld/index.html", run),
              sayf(page, TEXT_SITE_REPORT, arena_printf(page->arena, "%lld", run)));
    html_markup(page->out, " ");
    site_verdict(page, standing, word);
    html_markup(page->out, "</li>");
}

void site_compare(const struct record *record, enum report_language language, struct text *out)
{
    static const struct site_step way[] = {
        {TEXT_SITE_TITLE, "../index.html"}, {TEXT_SITE_COMPARISONS, "index.html"}, {0, NULL}};
    struct page page = {.out = out, .arena = arena_create(), .language = language};
    const char *title;

    page.view = view_create(page.arena, record);
    page.entry_of_step = arena_array(page.arena, size_t, page.view->step_count + 1);
    title = sayf(&page, TEXT_SITE_COMPARE_TITLE, arena_printf(page.arena, "%lld", record->number),
                 arena_printf(page.arena, "%lld", record->earlier->number));
    frame_open_site(out, language, title);
    site_head(&page, way, title, record->suite);
    html_markup(out, "<ul class=\"links\">");
    write_run(&page, record->number, &record->standing, page.view->verdict);
    write_run(&page, record->earlier->number, &record->earlier->standing, record->earlier->verdict);
    html_markup(out, "</ul>\n");
    site_section(&page, "changes", TEXT_SITE_CHANGES);
    page_earlier(&page);
    html_markup(out, "</section>\n");
    frame_close(out, language);
    arena_destroy(page.arena);
}
