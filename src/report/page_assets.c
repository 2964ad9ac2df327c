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
    html_text(out, assets->host->name);
    html_markup(
        out, "</h3>\n<table class=\"compact parts\"><thead><tr><th>Part</th><th>Place</th><th>What it is</th>"
             "<th>Serial</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < assets->items.count; i++) {
        html_markup(out, "<tr>");
        html_row_head(out, assets->items.items[i].part);
        html_cell(out, assets->items.items[i].place);
        html_cell(out, assets->items.items[i].model);
        html_code_cell(out, assets->items.items[i].serial);
        html_markup(out, "</tr>\n");
    }
    html_markup(out, "</tbody></table>\n");
}

static void write_summary(struct page *page, const struct assets *assets, size_t count)
{
    static const char *const facts[] = {"system.serial", "cpu.kinds", "dimm.kinds", "nvme.kinds",
                                        "gpu.kinds"};
    struct text *out = page->out;

    html_markup(out,
                "<table class=\"compact hosts\"><thead><tr><th>Host</th><th>Serial</th><th>Processors</th>"
                "<th>Memory</th><th>NVMe drives</th><th>GPUs</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < count; i++) {
        html_markup(out, "<tr>");
        html_row_head(out, assets[i].host->name);
        for (size_t k = 0; k < sizeof facts / sizeof facts[0]; k++) {
            const char *value = step_fact(assets[i].step, facts[k], "");

            html_cell(out, *value != '\0' ? assets_readable(page->arena, value) : "not read");
        }
        html_markup(out, "</tr>\n");
    }
    html_markup(out, "</tbody></table>\n");
}

void page_assets(struct page *page)
{
    struct assets *assets;
    size_t count = assets_collect(page->view, &assets);

    html_markup(page->out,
                "<p>What each host is made of, as its firmware, its kernel and its driver list it.");
    if (count > HOSTS_IN_FULL)
        html_textf(page->out, " Every part of the %s hosts, with its serial number, is in the JSON report.",
                   count_text(page->arena, count));
    html_markup(page->out, "</p>\n");
    write_summary(page, assets, count);
    for (size_t i = 0; count <= HOSTS_IN_FULL && i < count; i++)
        write_parts(page, &assets[i]);
}
