/* SPDX-License-Identifier: Apache-2.0 */
/* The measured numbers: copy bandwidth, collectives, burn. */
#include <math.h>
#include <string.h>

#include "assay/check/check.h"
#include "assay/model/suite.h"
#include "page.h"
#include "pairs.h"
#include "svg.h"

/* -- Copies and latency between GPUs ----------------------------------------------------------------------
 */

bool page_has_heat_maps(const struct page *page)
{
    return page->heat_maps.items.count > 0;
}

static void write_heat_map(struct page *page, const struct heat_maps *maps, const struct heat_map *map)
{
    html_markup(page->out, "<figure>\n<figcaption>");
    html_words(page->out, heat_map_title(page->arena, page->language, page->view, map));
    html_markup(page->out, "</figcaption>\n");
    svg_heat_map(page, maps, map);
    html_markup(page->out, "</figure>\n");
}

static bool has_bad(const struct heat_maps *maps)
{
    for (size_t i = 0; i < maps->items.count; i++)
        if (maps->items.items[i].bad)
            return true;
    return false;
}

static void write_heat_maps(struct page *page, const struct heat_maps *maps)
{
    struct text *out = page->out;
    const char *agrees = pair_agreement_text(page->arena, page->language, page->view, maps->of);

    html_markup(out, "<p><code>");
    html_words(out, maps->of->metric);
    html_markup(out, "</code>, ");
    html_textf(out, "%s.", maps->of->unit);
    if (maps->gate != NULL) {
        html_words(out, " ");
        html_words(out, sayf(page, TEXT_P2P_GATE, said(page, maps->gate->held->gate),
                             word(page, maps->gate->held->status)));
        html_words(out, has_bad(maps) ? " " : "");
        html_words(out, has_bad(maps) ? say(page, TEXT_P2P_FAILED) : "");
    }
    html_words(out, agrees != NULL ? " " : "");
    html_words(out, agrees != NULL ? agrees : "");
    html_markup(out, "</p>\n<div class=\"figures\">\n");
    for (size_t i = 0; i < maps->items.count; i++)
        write_heat_map(page, maps, &maps->items.items[i]);
    html_markup(out, "</div>\n");
}

void page_heat_maps(struct page *page)
{
    page_paragraph(page, TEXT_P2P_INTRO);
    for (size_t i = 0; i < page->heat_maps.items.count; i++)
        write_heat_maps(page, &page->heat_maps.items.items[i]);
}

/* -- Collectives ------------------------------------------------------------------------------------------
 */

bool page_has_charts(const struct page *page)
{
    return page->charts.items.count > 0;
}

static bool curve_at(const struct curve *curve, double size, double *ret_value)
{
    for (size_t i = 0; i < curve->points.count; i++)
        if (curve->points.items[i].size == size) {
            *ret_value = curve->points.items[i].value;
            return true;
        }
    return false;
}

/* At one judged size: the gate, and lowest, median and highest of all targets, the lowest by name. */
static void write_judged_size(struct page *page, const struct chart *chart, const struct point *gate)
{
    double *values = arena_array(page->arena, double, chart->curves.count);
    const struct reason *lowest_name = NULL;
    double lowest = INFINITY, value;
    size_t count = 0;

    for (size_t i = 0; i < chart->curves.count; i++)
        if (curve_at(&chart->curves.items[i], gate->size, &value)) {
            values[count++] = value;
            if (value < lowest) {
                lowest = value;
                lowest_name = chart->curves.items[i].name;
            }
        }
    html_markup(page->out, "<tr>");
    html_row_head(page->out, size_text(page->arena, gate->size));
    html_markup(page->out, "<td class=\"num\">\xe2\x89\xa5 ");
    page_number(page, gate->value, 1);
    html_markup(page->out, "</td><td class=\"num\">");
    page_number(page, count > 0 ? lowest : NAN, 1);
    html_markup(page->out, "</td>");
    page_said_cell(page, lowest_name);
    html_markup(page->out, "<td class=\"num\">");
    page_number(page, median_of(values, count), 1);
    html_markup(page->out, "</td><td class=\"num\">");
    page_number(page, count > 0 ? values[count - 1] : NAN, 1);
    html_markup(page->out, "</td></tr>\n");
}

static void write_judged_sizes(struct page *page, const struct chart *chart)
{
    if (chart->gates.count == 0) {
        html_markup(page->out, "<p class=\"small\">");
        html_words(page->out, say(page, TEXT_NO_LIMIT));
        html_markup(page->out, "</p>\n");
        return;
    }
    page_table(page, "compact", COLUMN(SIZE_JUDGED), NUMBERS(GATE_GBS), NUMBERS(LOWEST), COLUMN(LOWEST_AT),
               NUMBERS(MEDIAN), NUMBERS(HIGHEST));
    html_markup(page->out, "<tbody>\n");
    for (size_t i = 0; i < chart->gates.count; i++)
        write_judged_size(page, chart, &chart->gates.items[i]);
    html_markup(page->out, "</tbody></table>\n");
}

static const char *legend_of(struct page *page, const struct chart *chart)
{
    size_t failing = 0, count = chart->curves.count;

    for (size_t i = 0; i < count; i++)
        failing += chart->curves.items[i].failing;
    if (count == 1)
        return said(page, chart->curves.items[0].name);
    return sayf(page, count > CURVES_DRAWN ? TEXT_LEGEND_BAND : TEXT_LEGEND_LINES, number(page, count),
                number(page, failing));
}

void page_charts(struct page *page)
{
    page_paragraph(page, TEXT_CHARTS_INTRO);
    for (size_t i = 0; i < page->charts.items.count; i++) {
        const struct chart *chart = &page->charts.items.items[i];

        if (chart->curves.count == 0)
            continue;
        html_markup(page->out, "<figure class=\"wide\">\n<figcaption><b>");
        html_words(page->out, chart->suite_step);
        html_markup(page->out, "</b> <code>");
        html_words(page->out, chart->metric);
        html_markup(page->out, "</code> ");
        html_words(page->out, legend_of(page, chart));
        html_markup(page->out, "</figcaption>\n");
        svg_chart(page, chart);
        write_judged_sizes(page, chart);
        html_markup(page->out, "</figure>\n");
    }
}

/* -- Burn -------------------------------------------------------------------------------------------------
 */

enum { BURN_ROWS = 64 };

bool page_has_burn(const struct page *page)
{
    return page->burns.items.count > 0;
}

static bool row_is_bad(const struct page *page, const struct gpu_row *row)
{
    return page->view->steps[row->step].word != OUTCOME_PASS &&
           page->view->steps[row->step].word != OUTCOME_RECORDED;
}

static void write_burn_cell(struct page *page, double value, double temperature, enum outcome_word word)
{
    struct text *out = page->out;

    html_markup(out, "<td");
    if (word >= OUTCOME_NOT_RUN)
        html_word_class(out, word);
    html_markup(out, ">");
    if (word >= OUTCOME_NOT_RUN)
        html_textf(out, "%s ", word_symbol(word));
    if (isfinite(value))
        html_words(out, count_text(page->arena, (size_t)llround(fmax(value, 0))));
    else
        html_words(out, "\xe2\x80\x93");
    html_markup(out, "<br><small>");
    if (isfinite(temperature))
        html_textf(out,
                   "%.0f \xc2\xb0"
                   "C",
                   temperature);
    html_markup(out, "</small></td>");
}

static void write_burn_row(struct page *page, const struct gpu_table *burn, const struct gpu_row *row)
{
    html_markup(page->out, "<tr>");
    html_row_head(page->out, said(page, step_target_said(page->arena, page->view->steps[row->step].step)));
    for (size_t gpu = 0; gpu < burn->gpus; gpu++)
        write_burn_cell(page, row->values[gpu], row->temperatures[gpu], row->words[gpu]);
    html_markup(page->out, "<td>");
    page_word_link(page, page->view->steps[row->step].word, row->step);
    html_markup(page->out, "</td></tr>\n");
}

/* One GPU position over all hosts: 0 the lowest, 1 the median, 2 the highest. */
static double burn_statistic(const struct page *page, const struct gpu_table *burn, size_t gpu,
                             bool temperature, unsigned which)
{
    double *values = arena_array(page->arena, double, burn->rows.count), median;
    size_t kept = 0;

    for (size_t i = 0; i < burn->rows.count; i++) {
        double value = temperature ? burn->rows.items[i].temperatures[gpu] : burn->rows.items[i].values[gpu];

        if (isfinite(value))
            values[kept++] = value;
    }
    median = median_of(values, kept);
    if (kept == 0 || which == 1)
        return median;
    return which == 0 ? values[0] : values[kept - 1];
}

static void write_burn_statistics(struct page *page, const struct gpu_table *burn)
{
    static const enum text_key names[] = {TEXT_LOWEST_OF, TEXT_MEDIAN_OF, TEXT_HIGHEST_OF};

    for (unsigned which = 0; which < 3; which++) {
        html_markup(page->out, "<tr class=\"sum\">");
        html_row_head(page->out, sayf(page, names[which], number(page, burn->rows.count)));
        for (size_t gpu = 0; gpu < burn->gpus; gpu++)
            write_burn_cell(page, burn_statistic(page, burn, gpu, false, which),
                            burn_statistic(page, burn, gpu, true, which), OUTCOME_PASS);
        html_markup(page->out, "<td></td></tr>\n");
    }
}

static void write_strips(struct page *page, const struct gpu_table *burn)
{
    static const enum text_key units[] = {TEXT_STRIP_SPEED, TEXT_STRIP_TEMPERATURE, TEXT_STRIP_POWER};

    html_markup(page->out, "<figure class=\"wide\">\n");
    for (size_t i = 0; i < ARRAY_SIZE(units); i++)
        svg_strip(page, burn, units[i], i);
    html_markup(page->out, "</figure>\n");
}

static void write_burn(struct page *page, const struct gpu_table *burn)
{
    bool many = burn->rows.count > BURN_ROWS;

    if (page->burns.items.count > 1) {
        html_markup(page->out, "<h3>");
        html_words(page->out, burn->suite_step);
        html_markup(page->out, "</h3>\n");
    }
    write_strips(page, burn);
    html_markup(page->out, "<table class=\"burn\"><thead><tr><th>");
    html_words(page->out, say(page, TEXT_HOST));
    html_markup(page->out, "</th>");
    for (size_t gpu = 0; gpu < burn->gpus; gpu++)
        html_shape(page->out, "<th>gpu@</th>", (double)gpu);
    html_markup(page->out, "<th>");
    html_words(page->out, say(page, TEXT_OUTCOME));
    html_markup(page->out, "</th></tr></thead>\n<tbody>\n");
    if (burn->rows.count > 1)
        write_burn_statistics(page, burn);
    for (size_t i = 0; i < burn->rows.count; i++)
        if (!many ||
            (row_is_bad(page, &burn->rows.items[i]) && view_tells_step(page->view, burn->rows.items[i].step)))
            write_burn_row(page, burn, &burn->rows.items[i]);
    html_markup(page->out, "</tbody></table>\n");
}

void page_burn(struct page *page)
{
    bool many = false;

    for (size_t i = 0; i < page->burns.items.count; i++)
        many |= page->burns.items.items[i].rows.count > BURN_ROWS;
    page_paragraph(page, TEXT_BURN_INTRO);
    page_paragraph(page, TEXT_STRIP_INTRO);
    if (many)
        page_paragraph(page, TEXT_BURN_MANY);
    for (size_t i = 0; i < page->burns.items.count; i++)
        write_burn(page, &page->burns.items.items[i]);
}
