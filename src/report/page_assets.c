/* SPDX-License-Identifier: Apache-2.0 */
/* The bill of materials: one table a host. */
#include "assets.h"
#include "page.h"
#include "series.h"

/* Of more hosts than this the page has one line each; the parts are in the JSON report. */
enum { HOSTS_IN_FULL = 64 };

bool page_has_assets(const struct page *page)
{
    struct assets *assets;

    return assets_collect(page->view, &assets) > 0;
}

static void write_parts(struct page *page, const struct assets *assets)
{
    struct text *out = page->out;

    html_markup(out, "<h3>");
    html_words(out, assets->host->name);
    html_markup(out, "</h3>\n");
    page_table(page, "compact parts", COLUMN(PART), COLUMN(PLACE), COLUMN(WHAT_IT_IS), COLUMN(SERIAL));
    html_markup(out, "<tbody>\n");
    for (size_t i = 0; i < assets->items.count; i++) {
        html_markup(out, "<tr>");
        html_row_head(out, word(page, assets->items.items[i].part));
        html_cell(out, assets->items.items[i].place);
        html_cell(out, assets->items.items[i].model);
        html_code_cell(out, assets->items.items[i].serial);
        html_markup(out, "</tr>\n");
    }
    html_markup(out, "</tbody></table>\n");
}

static void write_summary(struct page *page, const struct assets *assets, size_t count)
{
    const struct listed_fact *fact;
    struct text *out = page->out;

    html_markup(out, "<table class=\"compact hosts\">");
    page_heads_listed(page, (const struct page_head[]){COLUMN(HOST)}, 1, LISTED_BOARDS);
    html_markup(out, "<tbody>\n");
    for (size_t i = 0; i < count; i++) {
        if (!page->view->told[view_host(page->view, assets[i].host)])
            continue;
        html_markup(out, "<tr>");
        html_row_head(out, assets[i].host->name);
        for (size_t k = 0; (fact = check_listed(LISTED_BOARDS, k)) != NULL; k++) {
            const char *value = step_fact(assets[i].step, fact->fact, "");

            html_cell(out, *value != '\0' ? assets_readable(page->arena, value) : say(page, TEXT_NOT_READ));
        }
        html_markup(out, "</tr>\n");
    }
    html_markup(out, "</tbody></table>\n");
}

void page_assets(struct page *page)
{
    struct assets *assets;
    size_t count = assets_collect(page->view, &assets);

    page_paragraph(page, TEXT_ASSETS_INTRO);
    page_told(page);
    if (count > HOSTS_IN_FULL) {
        html_paragraph(page->out, sayf(page, TEXT_ASSETS_IN_JSON, number(page, count)));
    }
    write_summary(page, assets, count);
    for (size_t i = 0; count <= HOSTS_IN_FULL && i < count; i++)
        write_parts(page, &assets[i]);
}
