/* SPDX-License-Identifier: Apache-2.0 */
/* Two runs side by side, as a report has it of the run before. */
#include "assay/compare.h"
#include "frame.h"
#include "site_page.h"

static void write_way_to_reports(struct page *page, long long earlier, long long later)
{
    const long long runs[] = {later, earlier};

    html_markup(page->out, "<ul class=\"links\">");
    for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
        html_markup(page->out, "<li>");
        site_link(page, arena_printf(page->arena, "../runs/%lld/index.html", runs[i]),
                  sayf(page, TEXT_SITE_REPORT, arena_printf(page->arena, "%lld", runs[i])));
        html_markup(page->out, "</li>");
    }
    html_markup(page->out, "</ul>\n");
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
    write_way_to_reports(&page, record->earlier->number, record->number);
    site_section(&page, "changes", TEXT_SITE_CHANGES);
    page_earlier(&page);
    html_markup(out, "</section>\n");
    frame_close(out, language);
    arena_destroy(page.arena);
}
