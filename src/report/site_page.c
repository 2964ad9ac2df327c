/* SPDX-License-Identifier: Apache-2.0 */
#include "site_page.h"

#include "report_formats.h"

void site_link(struct page *page, const char *href, const char *text)
{
    html_markup(page->out, "<a href=\"");
    html_text(page->out, href);
    html_markup(page->out, "\">");
    html_text(page->out, text);
    html_markup(page->out, "</a>");
}

static void write_way(struct page *page, const struct site_step *way)
{
    html_markup(page->out, "<nav class=\"trail\" aria-label=\"");
    html_text(page->out, say(page, TEXT_SITE_WHERE));
    html_markup(page->out, "\">");
    for (size_t i = 0; way[i].href != NULL; i++) {
        if (i > 0)
            html_markup(page->out, " <span class=\"sep\">\xe2\x80\xba</span> ");
        site_link(page, way[i].href, say(page, way[i].text));
    }
    html_markup(page->out, "</nav>\n");
}

void site_head(struct page *page, const struct site_step *way, const char *heading, const char *subtitle)
{
    if (way[0].href != NULL)
        write_way(page, way);
    html_markup(page->out, "<header>\n<p class=\"kind\">");
    html_text(page->out, say(page, TEXT_SITE_KIND));
    html_markup(page->out, "</p>\n<h1>");
    html_text(page->out, heading);
    html_markup(page->out, "</h1>\n");
    if (*subtitle != '\0') {
        html_markup(page->out, "<p class=\"subtitle\">");
        html_text(page->out, subtitle);
        html_markup(page->out, "</p>\n");
    }
    html_markup(page->out, "</header>\n");
}

void site_table_end(struct page *page)
{
    html_markup(page->out, "</tbody></table>\n");
}

static void put_name(struct page *page, enum text_key name)
{
    html_markup(page->out, " data-name=\"");
    html_text(page->out, say(page, name));
    html_markup(page->out, "\">");
}

void site_open_cell(struct page *page, enum text_key name)
{
    html_markup(page->out, "<td");
    put_name(page, name);
}

void site_cell(struct page *page, enum text_key name, const char *text)
{
    site_open_cell(page, name);
    html_text(page->out, text);
    html_markup(page->out, "</td>");
}

void site_number_cell(struct page *page, enum text_key name, const char *text)
{
    html_markup(page->out, "<td class=\"num\"");
    put_name(page, name);
    html_text(page->out, text);
    html_markup(page->out, "</td>");
}

void site_verdict(struct page *page, const struct standing *standing, enum verdict_word verdict)
{
    html_markup(page->out, "<span class=\"vw");
    page_verdict_class(page->out, verdict);
    html_markup(page->out, "\">");
    html_text(page->out, page_verdict_symbol(verdict));
    html_text(page->out, " ");
    html_text(page->out, word(page, standing_verdict(standing, verdict)));
    html_markup(page->out, "</span>");
}

void site_style(struct text *out)
{
    text_put(out, report_css);
    text_put(out, site_css);
}

const char *site_policy(struct arena *arena)
{
    return arena_printf(arena,
                        "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src data:; script-src "
                        "'sha256-%s'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                        report_js_sha256);
}
